"""Initial data from the outside: what `tendex id` prints and writes.

    id.py TENDEX MPIRUN..."""

import configparser
import json
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from program_test import ProgramTest  # noqa: E402

TENDEX, MPIRUN = sys.argv[1], sys.argv[2:]
PAR = Path(__file__).resolve().parents[2] / "par"
PARAMETERS = """run:
  t_end: 0.3
grid:
  extent: 16
  reflect: z
  level_min: 1
  level_max: 3
initial_data:
  type: two_punctures
  bh1_mass: 0.483
  bh1_position: [3.257, 0, 0]
  bh1_momentum: [0, 0.133, 0]
  bh2_mass: 0.483
  bh2_position: [-3.257, 0, 0]
  bh2_momentum: [0, -0.133, 0]
  resolution: 32
output:
  norms_every: 0
horizons:
  every: 0
"""
# Run R1 of gr-qc/0602026 by an independent spectral solver
U = {(0, 0, 0): .00420883, (0, 0, 2): .003647678, (0, 3, 0): .003274229, (5, 0, 0): .004207573,
     (0, 0, 10): .001394978, (10, 10, 10): .000855975, (40, 0, 0): .000373585}
BBH_KEYS = {"initial-ADM-energy", "initial-separation", "initial-data-type"} \
    | {f"initial-ADM-angular-momentum{d}" for d in "xyz"} \
    | {f"initial-bh-{what}{a}{d}" for what in ("position", "momentum", "spin") for a in "12" for d in "xyz"} \
    | {f"initial-bh-puncture-{kind}-mass{a}" for kind in ("adm", "bare") for a in "12"}


class Id(ProgramTest):
    program, mpirun = TENDEX, MPIRUN

    def setUp(self):
        super().setUp()
        (self.folder / "r1.yaml").write_text(PARAMETERS)

    def bbh(self, path):
        parser = configparser.ConfigParser()
        parser.optionxform = str
        parser.read(self.folder / path)
        self.assertEqual(parser.sections(), ["metadata"])
        return parser["metadata"]

    def test_numbers(self):
        """The numbers of an independent solver, on the screen and in both files, the same on one rank and on two."""
        probes = [word for x in U for word in ("--probe", ",".join(map(str, x)))]
        files = []
        for ranks in (1, 2):
            log = self.tendex("id", "r1.yaml", "--json", "a.json", "--bbh", "a.bbh", *probes, ranks=ranks)
            files.append((self.folder / "a.json").read_bytes() + (self.folder / "a.bbh").read_bytes())
        self.assertEqual(*files)
        data = json.loads((self.folder / "a.json").read_text())
        self.assertAlmostEqual(data["adm_energy"], .995703307, delta=1e-8)
        self.assertEqual(data["adm_angular_momentum"][:2], [0, 0])
        self.assertAlmostEqual(data["adm_angular_momentum"][2], .866362, delta=1e-12)
        for mass in data["puncture_adm_mass"]:
            self.assertAlmostEqual(mass, .505084524, delta=1e-8)
        self.assertEqual(data["puncture_bare_mass"], [.483, .483])
        self.assertTrue(0 < data["residual"] < 1e-6)
        self.assertEqual([tuple(probe["x"]) for probe in data["probes"]], list(U))
        for probe, u in zip(data["probes"], U.values()):
            self.assertAlmostEqual(probe["u"], u, delta=1e-7)
        for text in ("ADM energy 0.99570330", "(0, 0, 0.866362) M^2", "momentum (0, -0.133, 0) M", "32 x 32 x 16 points",
                     "coordinate distance 6.514 M", "at (10, 10, 10) M"):
            self.assertIn(text, log)
        self.assertRegex(log, r"Hamiltonian +\d\.\d+e-\d\d")
        meta = self.bbh("a.bbh")
        self.assertEqual(set(meta), BBH_KEYS)
        for key, expect in {"ADM-energy": data["adm_energy"], "separation": 6.514, "bh-position2x": -3.257,
                            "bh-momentum1y": .133, "bh-spin1z": 0, "bh-puncture-bare-mass2": .483,
                            "ADM-angular-momentumz": data["adm_angular_momentum"][2],
                            "bh-puncture-adm-mass1": data["puncture_adm_mass"][0]}.items():
            self.assertEqual(float(meta[f"initial-{key}"]), expect, key)
        self.assertEqual({f.name for f in self.folder.iterdir()}, {"r1.yaml", "a.json", "a.bbh"})

    def test_a_run_leaves_its_data(self):
        """The run folder has the same TwoPunctures.bbh, and the solution."""
        self.tendex("id", "r1.yaml", "--bbh", "a.bbh", "--quiet")
        self.tendex("run", "r1.yaml", "--quiet", "--set", "run.max_steps=1", ranks=2)
        folder = self.folder / "out/r1"
        self.assertEqual((folder / "TwoPunctures.bbh").read_text(), (self.folder / "a.bbh").read_text())
        self.assertGreater((folder / "initial_data.h5").stat().st_size, 8 * 32 * 32)
        self.assertEqual(list(folder.glob("*.part")), [])
        self.assertIn("solving the Hamiltonian constraint", (folder / "log.txt").read_text())
        log = self.tendex("run", "--restart", "out/r1", "--set", "run.max_steps=2")
        self.assertIn("solution read from out/r1/initial_data.h5", log)
        self.assertNotIn("solving the Hamiltonian constraint", log)
        summary = json.loads((folder / "summary.json").read_text())
        self.assertAlmostEqual(summary["adm_energy"], .995703307, delta=1e-8)
        self.tendex("run", "r1.yaml", "--quiet", "--overwrite", "--set", "run.max_steps=1", "--set",
                    "initial_data.type=brill_lindquist")
        self.assertFalse((folder / "initial_data.h5").exists())
        self.assertEqual(self.bbh("out/r1/TwoPunctures.bbh")["initial-data-type"], "Brill-Lindquist")

    def test_data_on_the_grid(self):
        """Multigrid finds what the other solver does, on two ranks; the run's folder has the residuals, and a restart the energy."""
        grid = [word for setting in ("initial_data.solver=multigrid", "grid.level_max=5", "grid.bh_radius=0.6", "elliptic.tolerance=1e-8")
                for word in ("--set", setting)]
        text = (self.folder / "r1.yaml").read_text().replace("  resolution: 32\n", "")
        (self.folder / "r1.yaml").write_text(text)
        near = {x: u for x, u in U.items() if max(x) < 16}
        log = self.tendex("id", "r1.yaml", "--json", "a.json", *grid, *[w for x in near for w in ("--probe", ",".join(map(str, x)))], ranks=2)
        self.assertRegex(log, r"solved by multigrid: residual \d\.\de-\d\d, \d+ cycles")
        data = json.loads((self.folder / "a.json").read_text())
        self.assertGreater(data["cycles"], 3)
        self.assertAlmostEqual(data["adm_energy"], .995703307, delta=1e-5)
        for mass in data["puncture_adm_mass"]:
            self.assertAlmostEqual(mass, .505084524, delta=2e-6)
        for probe, u in zip(data["probes"], near.values()):
            self.assertAlmostEqual(probe["u"], u, delta=2e-6)
        self.tendex("check", "r1.yaml", *grid, "--set", "run.folder=out/r1", "--speed", "1e6")
        self.assertFalse((self.folder / "out").exists())  # neither of them writes there
        self.tendex("run", "r1.yaml", "--quiet", *grid, "--set", "run.max_steps=1")
        rows = [list(map(float, row.split())) for row in (self.folder / "out/r1/elliptic.asc").read_text().splitlines() if row[0] != "#"]
        self.assertEqual([row[:2] for row in rows], [[1, n] for n in range(len(rows))])
        self.assertTrue(all(b[2] < .15 * a[2] for a, b in zip(rows, rows[1:])) and rows[-1][2] <= 1e-8 and rows[0][2] == 1, rows)
        self.tendex("run", "--restart", "out/r1", "--quiet", "--set", "run.max_steps=2")
        summary = json.loads((self.folder / "out/r1/summary.json").read_text())
        self.assertEqual(summary["adm_energy"], data["adm_energy"])

    def test_quasi_circular(self):
        """Three numbers make a binary; chi comes back; spins in the orbital plane change the momenta."""
        text = "grid: {extent: 16, level_min: 1, level_max: 3}\n" \
            "initial_data: {type: quasi_circular, separation: 10, mass_ratio: 2, resolution: 16, bh1_chi: [0, 0, 0.5]}\n"
        (self.folder / "q.yaml").write_text(text)
        log = self.tendex("id", "q.yaml", "--json", "q.json")
        data = json.loads((self.folder / "q.json").read_text())
        self.assertEqual(data["type"], "quasi_circular")
        for mass, expect in zip(data["puncture_adm_mass"], (2 / 3, 1 / 3)):
            self.assertAlmostEqual(mass, expect, delta=1e-8)
        self.assertAlmostEqual(data["puncture_position"][0][0], 10 / 3, delta=1e-13)
        self.assertAlmostEqual(data["puncture_spin"][0][2], .5 * 4 / 9, delta=1e-13)
        self.assertRegex(log, r"chi = S/m\^2 \(0, 0, 0\.5\)")
        self.tendex("id", "q.yaml", "--set", "initial_data.bh2_chi=0.3,0,0", "--json", "p.json")
        other = json.loads((self.folder / "p.json").read_text())
        change = other["puncture_momentum"][0][1] / data["puncture_momentum"][0][1] - 1
        self.assertAlmostEqual(change, -1e-4, delta=2e-5)  # -a_x^2/D^2, a_x = 0.3/3: docs/numerics.md

    def test_wrong_wishes(self):
        for probe in ("1,2", "1,2,x", "1,2,3,4", "", "nan,0,0", "1 2 3", "1e999,0,0"):
            self.assertIn(f"--probe: '{probe}' is not allowed; give three numbers",
                          self.tendex("id", "r1.yaml", "--probe", probe, code=2))
        self.assertIn("--bbh: initial_data.type is minkowski",
                      self.tendex("id", str(PAR / "gauge_wave.yaml"), "--set", "initial_data.type=minkowski", "--bbh",
                                  "x", code=3))
        self.assertIn("cannot write", self.tendex("id", "r1.yaml", "--json", "nowhere/x.json", code=4))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
