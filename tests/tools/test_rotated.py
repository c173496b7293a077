"""Runs turned by 90 degrees: matrices of the modes against the turned field itself, parameter files of twins, the comparison."""

import math
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

from synthetic import write_run

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from tendex.base.parameter_file import read_parameters  # noqa: E402
from tendex.physics.harmonics import harmonic  # noqa: E402
from tendex.rotated import AXES, RotatedError, distance, frame, matrix, turn, turned_modes, twin  # noqa: E402

FILE = ROOT / "par" / "bbh_generic.yaml"


def field(modes, l, theta, phi):
    """sum_m psi4_lm m_i m_j: the tensor whose part along conj(m) conj(m) psi4 is."""
    m = frame(theta, phi)[1]
    return sum(values * harmonic(l, k, theta, phi) for (_, k), values in modes.items()) * np.outer(m, m)


class Matrices(unittest.TestCase):
    def test_the_turned_modes_are_those_of_the_turned_field(self):
        random = np.random.default_rng(1)
        for axis in AXES:
            R = turn(axis)
            for l in (2, 3, 4):
                modes = {(l, m): complex(*random.normal(size=2)) for m in range(-l, l + 1)}
                turned = turned_modes(modes, axis)
                for theta, phi in ((0.4, 1.0), (2.0, -2.0), (1.3, 0.2)):
                    n = R @ frame(theta, phi)[0]
                    there = field(turned, l, math.acos(n[2]), math.atan2(n[1], n[0]))
                    np.testing.assert_allclose(there, R @ field(modes, l, theta, phi) @ R.T, atol=1e-13)

    def test_about_z(self):
        for l in (2, 4):
            np.testing.assert_allclose(matrix(l, "z"), np.diag([(-1j) ** m for m in range(-l, l + 1)]), atol=1e-13)

    def test_right_handed(self):
        for axis, a, b in ("xyz", "yzx", "zxy"):
            e = {x: np.eye(3)[i] for i, x in enumerate(AXES)}
            np.testing.assert_array_equal(turn(axis) @ e[a], e[b])


class Twins(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tendex-rotated-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, text, name="a.yaml"):
        (self.folder / name).write_text(text)
        return self.folder / name

    def test_vectors_are_turned_and_nothing_else(self):
        values = read_parameters(FILE)
        for axis in AXES:
            other = read_parameters(self.write(twin(FILE, axis)))
            self.assertEqual(values.keys(), other.keys())
            for key, value in values.items():
                if key.endswith(("_position", "_momentum", "_spin")):
                    value = (turn(axis) @ value).tolist()
                self.assertEqual(other[key], value, key)

    def test_what_cannot_be_turned(self):
        for text, said in (("initial_data:\n  type: quasi_circular\n", "initial_data.type is quasi_circular: only holes with"),
                           ("grid:\n  reflect: z\ninitial_data:\n  type: punctures\n", "grid.reflect z: holes that are turned")):
            with self.assertRaisesRegex(RotatedError, said):
                twin(self.write(text), "x")
        self.assertIn("only holes with positions", self.tool("make", ROOT / "par/bbh_precessing.yaml", self.folder, code=1))

    def tool(self, *words, code=0):
        done = subprocess.run([sys.executable, str(ROOT / "tools/rotated.py"), *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_files(self):
        self.tool("make", FILE, self.folder / "twins")
        self.assertEqual(sorted(f.name for f in (self.folder / "twins").iterdir()),
                         ["bbh_generic.yaml"] + [f"bbh_generic_{x}.yaml" for x in AXES])

    def turned(self, run, axis):
        """A copy of a run folder, turned, and 1e-3 of the (2,2) mode too much."""
        to = self.folder / axis
        shutil.copytree(run, to)
        with h5py.File(to / "waves/mp_psi4.h5", "r+") as h:
            for radius in {name.split("_r")[1] for name in h}:
                names = {(l, m): f"l{l}_m{m}_r{radius}" for l in range(2, 5) for m in range(-l, l + 1)}
                modes = turned_modes({lm: h[name][:, 1] + 1j * h[name][:, 2] for lm, name in names.items()}, axis)
                most = max(abs(v).max() for v in modes.values())
                for lm, values in modes.items():
                    values = values + (1e-3 * most if lm == (2, 2) else 0.0)
                    h[names[lm]][:, 1], h[names[lm]][:, 2] = values.real, values.imag
        file = to / "puncturetracker-pt_loc..asc"
        head = [line for line in file.read_text().splitlines() if line.startswith("#")]
        rows = np.loadtxt(file)
        for columns in ([22, 32, 42], [23, 33, 43]):
            rows[:, columns] = rows[:, columns] @ turn(axis).T
        file.write_text("\n".join(head + [" ".join(f"{x:.17g}" for x in row) for row in rows]) + "\n")
        return to

    def test_comparison(self):
        run = write_run(self.folder / "run", radii=(50.0, 60.0), t_end=300.0, dt=0.5)
        twins = [self.turned(run, axis) for axis in AXES]
        said = self.tool("compare", run, *twins, "--other", run)
        for radius in ("50", "60"):
            self.assertIn(f"r = {radius} M, to t = 300 M", said)
        rows = [line.split() for line in said.splitlines() if line.startswith("   2  2")]
        self.assertEqual(len(rows), 2)
        for row in rows:
            np.testing.assert_allclose([float(x) for x in row[3:6]], 1e-3, rtol=0.02)
            self.assertLess(float(row[6]), 1e-12)
        self.assertRegex(said, r"punctures, turned about y: within (0.00e\+00|\d.\d\de-1\d) M")
        # Twins in another order are none.
        said = self.tool("compare", run, twins[1], twins[0], twins[2])
        self.assertTrue(max(float(x) for x in said.split("largest ")[2].split()[:2]) > 0.3, said)


class Distances(unittest.TestCase):
    def test_over_the_largest_mode(self):
        one = {(2, 2): np.array([1.0, 4.0]), (2, 1): np.array([0.1, 0.1])}
        other = {(2, 2): np.array([1.0, 4.0]), (2, 1): np.array([0.1, 0.3])}
        self.assertAlmostEqual(distance(one, other)[2, 1], 0.05)


if __name__ == "__main__":
    unittest.main()
