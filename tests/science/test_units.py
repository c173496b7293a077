"""`tendex check' and `tendex run' in another unit: with all lengths, times, masses and momenta times 4, and spins times 16, steps, octants, costs,
waves and horizons are the same in units of M, to the last digit. Parameters that are not given have defaults in M.

    test_units.py TENDEX"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

for folder in ("support", "tools"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / folder))
import rescaled  # noqa: E402
from alone import alone  # noqa: E402

TENDEX, FACTOR = sys.argv[1], 4
# Local time steps limited by the masses; defaults of eta, norms, radii of horizons; worldtubes at chosen intervals.
PAIR = """run:
  t_end: 0.4
grid:
  extent: 16
  reflect: z
  level_min: 0
  level_max: 4
  bh_radius: 1.2
  regrid_every: 4
initial_data:
  type: two_punctures
  bh1_mass: 0.6
  bh1_position: [0, 1, 0]
  bh1_momentum: [-0.1, 0, 0]
  bh1_spin: [0, 0, -0.1]
  bh2_mass: 0.4
  bh2_position: [0, -1.5, 0]
  bh2_momentum: [0.1, 0, 0]
  resolution: 12
evolution:
  cfl: 0.4
waves:
  radii: [8]
  every: 4
  l_max: 2
  worldtubes: [9]
  worldtube_l_max: 4
horizons:
  every: 4
  l_max: 4
output:
  norms_every: 4
"""
LENGTHS = r"t_end|extent|\w*radius|bh\d_(?:mass|position|momentum)|radii|worldtubes"
# Numbers in words, by the power of mass that they have.
WORDS = [(-1, r"NUMBER(?= [kM]B per M)"), (2, r"NUMBER(?= M\^2)"), (1, r"NUMBER(?= M\b(?!\^))"), (1, r"(?<=give run\.t_end )NUMBER|(?<=_radius )NUMBER")]
NUMBER = r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?"


def scaled(text):
    """A parameter file in the other unit."""
    def line(match):
        power = FACTOR ** (2 if match[1].endswith("_spin: ") else 1)
        return match[1] + re.sub(r"-?\d[\d.]*", lambda x: repr(float(x[0]) * power), match[2])
    return re.sub(rf"^(  (?:{LENGTHS}|bh\d_spin): )(.*)$", line, text, flags=re.M)


def numbers(line, factor):
    """(words of a line, its numbers in units of the mass `factor')."""
    found = {match.start(): float(match[0].replace(",", "")) for match in re.finditer(NUMBER, line)}
    for power, where in WORDS:
        for match in re.finditer(where.replace("NUMBER", NUMBER), line):
            found[match.start()] = float(match[0].replace(",", "")) / factor**power
    return re.sub(NUMBER, "#", line), [found[at] for at in sorted(found)]


def tendex(*words):
    done = subprocess.run([TENDEX, *map(str, words)], capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1", **alone(small.parent)})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def setUpModule():
    global small, big
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    small, big = Path(folder.name) / "small", Path(folder.name) / "big"
    for path, text in ((small, PAIR), (big, scaled(PAIR))):
        path.mkdir()
        (path / "pair.yaml").write_text(text)


class Check(unittest.TestCase):
    def said(self, *options):
        """Lines of `check' of both that have costs, notes or steps. Radii of worldtubes that are proposed are whole numbers in any unit."""
        both = []
        for path in (small, big):
            lines = tendex("check", path / "pair.yaml", "--speed", "1e6", *options).splitlines()
            both.append([x for x in lines if re.search(r"^note|cost|steps?\b|limited by|dissipation takes|good, with", x) and "cross the worldtube" not in x])
        return [[numbers(line.replace(str(path), "") , factor) for line in lines]
                for path, lines, factor in zip((small, big), both, (1, FACTOR))]

    def assert_alike(self, *options):
        one, two = self.said(*options)
        self.assertEqual([words for words, _ in one], [words for words, _ in two])
        for (words, a), (_, b) in zip(one, two):
            np.testing.assert_allclose(b, a, rtol=0.02, err_msg=words)
        return " ".join(words for words, _ in one)

    def test_steps_costs_and_notes(self):
        self.assertIn("limited by # M, the longest chosen with black holes", self.assert_alike())

    def test_a_run_beyond_its_merger(self):
        both = self.said()  # the merger is foretold
        self.assertIn("too early to see the merger", " ".join(words for words, _ in both[0]))
        for path, factor in ((small, 1), (big, FACTOR)):
            text = re.sub(r"t_end: .*", f"t_end: {80 * factor}", (path / "pair.yaml").read_text())
            (path / "long.yaml").write_text(text)
        costs = [re.search(r"cost .*", tendex("check", path / "long.yaml", "--speed", "1e6"))[0] for path in (small, big)]
        self.assertEqual(*costs)


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for path in (small, big):
            tendex("run", path / "pair.yaml", "--set", f"run.folder={path / 'out'}", "--set", "compute.device=cpu")
        cls.one, cls.two = small / "out", big / "out"

    def test_steps(self):
        a, b = (json.loads((path / "summary.json").read_text()) for path in (self.one, self.two))
        for key in ("steps", "octants", "points", "point_stages", "regrids"):
            self.assertEqual(a[key], b[key], key)
        for key in ("t", "macro_step", "time_step", "adm_energy"):
            self.assertEqual(FACTOR * a[key], b[key], key)

    def test_defaults(self):
        """In M, and said."""
        a, b = (dict(re.findall(r"^  (\w+): (\S+)$", (path / "run.yaml").read_text(), re.M)) for path in (self.one, self.two))
        self.assertEqual((a["eta"], b["eta"]), ("2", "0.5"))
        self.assertEqual((a["norms_exclude"], b["norms_exclude"]), ("1", "4"))
        self.assertIn("defaults    for a total mass of about 4 M: gauge.eta 0.5 1/M, output.norms_exclude 4 M", (self.two / "log.txt").read_text())
        self.assertNotIn("defaults  ", (self.one / "log.txt").read_text())

    def test_tables(self):
        for name, of in rescaled.TABLES.items():
            if name == "constraints.asc":
                continue
            head = [line for line in (self.one / name).read_text().splitlines() if line.startswith("#")]
            names = re.findall(r"\b\d+:(\S+)", head[-1])
            powers = rescaled.TRACKS if of is None else rescaled._powers(names, of)
            a, b = (np.loadtxt(path / name, ndmin=2) for path in (self.one, self.two))
            rounding = 1e-3 if name == "horizons.asc" else 0  # of the residual's four digits
            np.testing.assert_allclose(b, a * float(FACTOR) ** np.array(powers), rtol=rounding, atol=0, err_msg=name)
            if name == "horizons.asc":
                self.assertEqual(np.array_equal(b[:, 4], FACTOR * a[:, 4], equal_nan=True), True)
                self.assertGreater(a[:, 3].sum(), 0, "no horizon was found")

    def test_waves_and_worldtubes(self):
        with h5py.File(self.one / "waves/mp_psi4.h5", "r") as a, h5py.File(self.two / "waves/mp_psi4.h5", "r") as b:
            self.assertGreater(np.abs(a["l2_m2_r8.00"][:, 1]).max(), 0)
            for name, rows in a.items():
                np.testing.assert_array_equal(b[rescaled.renamed(name, FACTOR)][()] * [1 / FACTOR, FACTOR**2, FACTOR**2], rows[()])
        files = [next((path / "worldtubes").glob("*.h5")) for path in (self.one, self.two)]
        with h5py.File(files[0], "r") as a, h5py.File(files[1], "r") as b:
            self.assertGreater(len(a["Lapse.dat"]), 1)
            np.testing.assert_array_equal(b["Lapse.dat"][:, 0], FACTOR * a["Lapse.dat"][:, 0])
            np.testing.assert_array_equal(b["Lapse.dat"][:, 1:], a["Lapse.dat"][:, 1:])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
