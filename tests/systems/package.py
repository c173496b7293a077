"""Runs of a system of equations, as a user makes them, and their files: shared by the tests of packages."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np


class Package(unittest.TestCase):
    """A test of the program and the parameter file of a command line TEST TENDEX FILE MPIRUN..."""

    program, file, mpirun = sys.argv[1] if len(sys.argv) > 1 else None, sys.argv[2] if len(sys.argv) > 2 else None, sys.argv[3:]

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tendex-package-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_with(self, name, *settings, start=()):
        """The summary of a run into the folder `name`."""
        words = [*start, self.program, "run", self.file,
                 *[word for s in (f"run.folder={self.folder / name}", *settings) for word in ("--set", s)]]
        return self.finished(name, words)

    def finished(self, name, words):
        ran = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout[-2000:] + ran.stderr)
        summary = json.loads((self.folder / name / "summary.json").read_text())
        self.assertTrue(summary["complete"])
        return summary

    def last_slices(self, name):
        """Time, and of each plane points [octant][j][i][3], levels [octant] and {variable: values}."""
        with h5py.File(sorted((self.folder / name / "fields").glob("slices.*.h5"))[-1]) as file:
            planes = {}
            for plane in "xyz":
                sets = {key: data[()] for key, data in file[plane].items()}
                values = {key: data for key, data in sets.items() if data.ndim == 3 and data.dtype == float}
                shape = next(iter(values.values())).shape
                planes[plane] = sets["points"].reshape(*shape, 3), sets["level"], values
            return file.attrs["time"], planes

    def rows(self, name, file):
        return np.loadtxt(self.folder / name / file)

    def check_refusal(self, words, *settings):
        """It ends before a run, with these words."""
        given = [word for s in (f"run.folder={self.folder / 'no'}", *settings) for word in ("--set", s)]
        ran = subprocess.run([self.program, "run", self.file, *given], capture_output=True, text=True)
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn(words, ran.stderr)

    def check_bitwise(self, settings, half, end, series):
        """Three ranks, and a restart at `half`, leave the same bits as one run on one rank; in text series, too, but for round-off
        of the times."""
        whole = self.run_with("whole", *settings, f"run.t_end={end}")
        ranks = self.run_with("ranks", *settings, f"run.t_end={end}", start=[*self.mpirun, "-n", "3"])
        self.run_with("cut", *settings, f"run.t_end={half}")
        again = self.finished("cut", [self.program, "run", "--restart", self.folder / "cut", "--set", f"run.t_end={end}"])
        for other in (ranks, again):
            self.assertEqual(other["field_checksum"], whole["field_checksum"])
        for other in ("ranks", "cut"):
            for name in series:
                one, two = self.rows("whole", name), self.rows(other, name)
                np.testing.assert_array_equal(np.delete(one, 1, axis=1), np.delete(two, 1, axis=1), f"{other} {name}")
                np.testing.assert_allclose(one[:, 1], two[:, 1], atol=1e-13)
            for file in sorted((self.folder / "whole" / "fields").glob("*.h5")):
                self.check_same_data(file, self.folder / other / "fields" / file.name)
        return whole

    def check_same_data(self, one, two):
        with h5py.File(one) as a, h5py.File(two) as b:
            paths = []
            a.visit(paths.append)
            for path in (p for p in paths if isinstance(a[p], h5py.Dataset)):
                np.testing.assert_array_equal(a[path][()], b[path][()], f"{two} {path}")


def main():
    unittest.main(argv=sys.argv[:1], verbosity=2)
