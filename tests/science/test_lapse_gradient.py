"""lapse_gradient.asc: a gauge wave has alpha = sqrt(1 - A sin(2 pi (x - t) / d)), whose largest slope is known; the file is the same on three ranks,
and after a restart.

    test_lapse_gradient.py TENDEX MPIRUN..."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from alone import alone  # noqa: E402

TENDEX, MPIRUN = sys.argv[1], sys.argv[2:]
AMPLITUDE, EVERY = 0.1, 4
PAR = f"""run:
  t_end: 0.25
grid:
  extent: 0.5
  periodic: xyz
  level_min: 1
  level_max: 1
initial_data:
  type: gauge_wave
  amplitude: {AMPLITUDE}
  wavelength: 1
  direction: y
gauge:
  slicing: harmonic
  shift: zero
output:
  lapse_gradient_every: {EVERY}
"""
POINTS = 32  # across the domain; 8 to an octant, two octants


def steepest(t):
    """The largest |d_y alpha| at the points of the grid."""
    phase = 2 * np.pi * (np.arange(POINTS) / POINTS - 0.5 - t)
    alpha = np.sqrt(1 - AMPLITUDE * np.sin(phase))
    return np.max(np.abs(-np.pi * AMPLITUDE * np.cos(phase) / alpha))


class Gradient(unittest.TestCase):
    def run_in(self, top, name, *words, ranks=1):
        folder = Path(top) / name
        command = [TENDEX, "run", *(words or (str(Path(top) / "wave.yaml"), "--set", f"run.folder={folder}"))]
        own = {} if ranks > 1 else alone(top)
        p = subprocess.run([*MPIRUN, "-n", str(ranks), *command] if ranks > 1 else command, capture_output=True, text=True,
                           env={**os.environ, "OMP_NUM_THREADS": "1", **own})
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        return folder / "lapse_gradient.asc"

    def test_a_gauge_wave(self):
        with tempfile.TemporaryDirectory(prefix="tendex-gradient-") as top:
            (Path(top) / "wave.yaml").write_text(PAR)
            file = self.run_in(top, "one")
            rows = np.loadtxt(file)
            self.assertGreater(len(rows), 3)
            self.assertEqual(list(rows[:-1, 0] % EVERY), [0] * (len(rows) - 1))
            for _, t, gradient, x, y, z in rows:
                self.assertLess(abs(gradient / steepest(t) - 1), 2e-3)
                # Of points with the same slope the first one of the octants, along x and z.
                self.assertEqual((x, z), (-0.5, -0.5))
                slope = np.pi * AMPLITUDE * np.cos(2 * np.pi * (y - t)) / np.sqrt(1 - AMPLITUDE * np.sin(2 * np.pi * (y - t)))
                self.assertLess(abs(abs(slope) / gradient - 1), 2e-3)
            self.assertEqual(self.run_in(top, "three", ranks=3).read_bytes(), file.read_bytes())

    def test_a_restart_goes_on(self):
        with tempfile.TemporaryDirectory(prefix="tendex-gradient-") as top:
            (Path(top) / "wave.yaml").write_text(PAR)
            whole = self.run_in(top, "one")
            folder = Path(top) / "parts"
            words = (str(Path(top) / "wave.yaml"), "--set", f"run.folder={folder}", "--set", f"run.max_steps={EVERY + 1}")
            self.run_in(top, "parts", *words)
            part = self.run_in(top, "parts", "--restart", str(folder), "--set", "run.max_steps=0")
            self.assertEqual(part.read_bytes(), whole.read_bytes())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
