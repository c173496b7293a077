"""The run of a parameter file on an emulated GPU: a profile, outer boundaries, both kinds of time steps, two ranks and a restart leave
the numbers of the CPU, and `tendex bench` measures it.

    gpu.py TENDEX TENDEX_CUDA_HOST FILE MPIRUN..."""

import json
import sys
import unittest
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support.program_test import ProgramTest  # noqa: E402

SETTINGS = ["grid.trees=1", "output.slices_every=8", "output.fields_every=4"]
LAST = "run.max_steps=8"


class ScalarWaveGpu(ProgramTest):
    with_cuda, file = None, None

    def run_on(self, device, name, *settings, ranks=1, restart=None):
        """The fields at the end of a run, and its checksum."""
        sets = [word for s in settings for word in ("--set", s)]
        plain, self.program = self.program, self.with_cuda if device == "gpu" else self.program
        what = ["--restart", restart] if restart else [self.file, "--set", f"run.folder={name}"]
        said = self.tendex("run", *what, *sets, "--set", f"compute.device={device}", ranks=ranks)
        self.program = plain
        folder = self.folder / (restart or name)
        if device == "gpu":
            self.assertIn("emulated GPU", said)
        with h5py.File(sorted((folder / "fields").glob("fields.*.h5"))[-1]) as file:
            fields = {v: file[v][()] for v in ("u", "v")}
        return fields, json.loads((folder / "summary.json").read_text())["field_checksum"]

    def agree(self, found, expected):
        for v, values in expected.items():
            self.assertGreater(np.abs(values).max(), 0.1)
            np.testing.assert_allclose(found[v], values, rtol=0, atol=1e-14, err_msg=v)

    def test_agrees_with_the_cpu(self):
        for steps in ("levels", "global"):
            settings = [*SETTINGS, LAST, f"evolution.time_steps={steps}"]
            expected, _ = self.run_on("cpu", f"cpu_{steps}", *settings)
            found, checksum = self.run_on("gpu", f"gpu_{steps}", *settings)
            self.agree(found, expected)
            _, of_ranks = self.run_on("gpu", f"ranks_{steps}", *settings, ranks=2)
            self.assertEqual(of_ranks, checksum)

    def test_restarts_bitwise(self):
        _, whole = self.run_on("gpu", "whole", *SETTINGS, LAST)
        self.run_on("gpu", "cut", *SETTINGS, "run.max_steps=4")
        _, again = self.run_on("gpu", "cut", LAST, restart="cut")
        self.assertEqual(again, whole)

    def test_bench(self):
        for device in ("cpu", "gpu"):
            plain, self.program = self.program, self.with_cuda if device == "gpu" else self.program
            self.tendex("bench", self.file, "--device", device, "--steps", "1", "--profile", "--json", f"{device}.json",
                        "--set", "grid.trees=1", "--set", "evolution.time_steps=global")
            self.program = plain
            found = json.loads((self.folder / f"{device}.json").read_text())
            self.assertIn("scalar_wave", json.dumps(found))


if __name__ == "__main__":
    ScalarWaveGpu.program, ScalarWaveGpu.with_cuda, ScalarWaveGpu.file = (str(Path(word).resolve()) for word in sys.argv[1:4])
    ScalarWaveGpu.mpirun = sys.argv[4:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
