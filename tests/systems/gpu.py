"""A run of a parameter file on an emulated GPU has the numbers of the CPU: fields, analysis quantities, norms and modes.

    gpu.py TENDEX TENDEX_CUDA_HOST FILE SETTING..."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

SETTINGS = ["run.max_steps=8", "output.fields_every=8", "output.modes_every=8", "output.norms_every=8", "checkpoint.at_end=false"]


class Gpu(unittest.TestCase):
    programs, file, settings = sys.argv[1:3], sys.argv[3], sys.argv[4:]

    def test_agrees_with_the_cpu(self):
        with tempfile.TemporaryDirectory(prefix="tendex-gpu-") as folder:
            runs = [Path(folder) / device for device in ("cpu", "gpu")]
            for program, run in zip(self.programs, runs):
                sets = [f"run.folder={run}", f"compute.device={run.name}", *SETTINGS, *self.settings]
                ran = subprocess.run([program, "run", self.file, *[word for s in sets for word in ("--set", s)]], capture_output=True, text=True)
                self.assertEqual(ran.returncode, 0, ran.stdout[-2000:] + ran.stderr)
            self.assertIn("emulated GPU", ran.stdout)
            self.compare(*runs)

    def compare(self, cpu, gpu):
        names = sorted(path.relative_to(cpu) for pattern in ("fields/fields.*.h5", "norms.asc", "modes/*.asc") for path in cpu.glob(pattern))
        self.assertGreater(len(names), 4, names)
        for name in names:
            for what, expected, found in self.numbers(cpu / name, gpu / name):
                scale = np.abs(expected).max()
                self.assertTrue(np.isfinite(scale), what)
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * max(scale, 1), err_msg=f"{name} {what}")

    @staticmethod
    def numbers(cpu, gpu):
        if cpu.suffix == ".asc":
            yield "rows", np.loadtxt(cpu), np.loadtxt(gpu)
            return
        with h5py.File(cpu) as a, h5py.File(gpu) as b:
            for key in a:
                yield key, a[key][()], b[key][()]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
