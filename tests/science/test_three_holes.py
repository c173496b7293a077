"""Three holes in a run: which surfaces are found and under which numbers, the files of all of them, what a hole without
mass leaves as it is; the same bytes on 1 and on 2 ranks and after a restart.

    test_three_holes.py TENDEX MPIRUN...

TENDEX: the program; MPIRUN...: how to start ranks, less the number."""

import json
import re
import shutil
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from program_test import ProgramTest  # noqa: E402
from tendex.waves.holes import hole  # noqa: E402
from tendex.waves.reading import live  # noqa: E402

TENDEX, MPIRUN = sys.argv[1], sys.argv[2:]

# Two heavy ones, nearer than the critical distance, images of each other; the third joins them at t = 0.4 M.
HOLES = """run:
  t_end: 0.6
grid:
  extent: 8
  reflect: xz
  level_min: {minimum}
  level_max: {maximum}
  bh_radius: 0.35
  bh3_level: {third}
  regrid_every: 8
  remnant_level: {remnant}
  remnant_delay: 0
initial_data:
  type: punctures
  bh1_mass: 0.4
  bh1_position: [0.1, 0, 0]
  bh2_mass: 0.4
  bh2_position: [-0.1, 0, 0]
  bh3_mass: 0.1
  bh3_position: [0, 0.5, 0]
evolution:
  cfl: 0.4
  macro_step: 0.1
horizons:
  every: 4
  l_max: 8
output:
  norms_every: 0
checkpoint:
  every: 12
  at_end: false
"""
COMMON = 16  # step at which the third has joined
# What is in a row of the table, and the column that more than two holes have.
ROW = ("iteration", "time", "horizon", "found", "holes")


class ThreeHoles(ProgramTest):
    program, mpirun = TENDEX, MPIRUN

    def setUp(self):
        super().setUp()
        points = int(re.search(r"octants of (\d+)\^3", self.tendex("--version"))[1])
        shift = (points // 8).bit_length() - 1  # octants of 16^3 points take a level less
        (self.folder / "holes.yaml").write_text(
            HOLES.format(minimum=1 - shift, maximum=4 - shift, third=4 - shift, remnant=3 - shift))
        self.coarse = f"grid.bh3_level={1 - shift}"

    def simulate(self, name, *settings, ranks=1):
        words = [word for setting in (f"run.folder={name}", *settings) for word in ("--set", setting)]
        self.tendex("run", "holes.yaml", "--quiet", *words, ranks=ranks)
        return self.folder / name

    def same(self, a, b):
        """All rows of both, byte for byte."""
        names = sorted(str(file.relative_to(a)) for file in a.rglob("*") if file.suffix in (".asc", ".gp"))
        self.assertIn("BH_diagnostics.ah5.gp", names)
        for name in names:
            self.assertEqual((a / name).read_bytes(), (b / name).read_bytes(), f"{b}: {name}")
        first, second = (json.loads((folder / "summary.json").read_text()) for folder in (a, b))
        for key in ("horizons", "punctures", "field_checksum", "steps"):
            self.assertEqual(first[key], second[key], key)

    def check_searches(self, folder):
        """Of the pair from the start on, with number 4; of all three when these have merged, with 5, and 0 before."""
        rows = live.Live(folder).searches()
        self.assertEqual(list(rows)[-1], "holes")
        groups = rows["horizon"] > 3
        found = [tuple(int(rows[name][i]) for name in ("iteration", "horizon", "holes")) for i in
                 np.flatnonzero(groups & (rows["found"] == 1))]
        steps = range(0, 25, 4)
        self.assertEqual([row for row in found if row[1] == 4], [(step, 4, 12) for step in steps])
        self.assertEqual([row for row in found if row[1] == 5], [(step, 5, 123) for step in steps if step >= COMMON])
        awaited = rows["horizon"] == 0
        self.assertEqual(rows["iteration"][awaited].tolist(), [step for step in steps if step < COMMON])
        self.assertTrue((rows["holes"][awaited] == 123).all() and not rows["found"][awaited].any())
        for k in (1, 2, 3):
            self.assertTrue((rows["holes"][rows["horizon"] == k] == k).all())
        # The middle of the pair is on the mirror; a common horizon holds no more than all the energy there is.
        for number, least, most in ((4, 0.8, 0.9), (5, 0.895, 0.9)):
            here = (rows["horizon"] == number) & (rows["found"] == 1)
            self.assertFalse(rows["centroid_x"][here].any() or rows["centroid_z"][here].any())
            self.assertTrue((rows["mass"][here] > least).all() and (rows["mass"][here] < most).all(), rows["mass"][here])

    def check_files(self, folder):
        """Each group's own files, and its columns among all."""
        for number, holes in ((4, 12), (5, 123)):
            head = (folder / f"BH_diagnostics.ah{number}.gp").read_text()
            self.assertTrue(head.startswith(f"# apparent horizon {number}/5\n#\n# holes {holes}\n#\n# column  1"), head)
            self.assertEqual(len(np.loadtxt(folder / f"horizons/ah{number}.surface.asc", ndmin=2)[0]), 5 + 81)
        text = (folder / "quasilocalmeasures-qlm_scalars..asc").read_text().splitlines()
        self.assertEqual(re.findall(r"(\d+):qlm_mass\[(\d)\]", text[1]), [(str(33 + k), str(k)) for k in range(5)])
        rows = np.loadtxt(text[2:], ndmin=2)
        self.assertEqual(rows.shape[1], 12 + 8 * 5)
        self.assertTrue(np.isfinite(rows[:, 12 + 20 + 3]).all())
        self.assertEqual(np.isfinite(rows[:, 12 + 20 + 4]).tolist(), (rows[:, 0] >= COMMON).tolist())
        t, tracks = live.Live(folder).tracks()
        self.assertEqual([x[0].tolist() for x in tracks], [[0.1, 0, 0], [-0.1, 0, 0], [0, 0.5, 0]])
        np.testing.assert_array_equal(tracks[0] * [-1, 1, 1], tracks[1])

    def check_summary(self, folder):
        summary = json.loads((folder / "summary.json").read_text())
        of = summary["horizons"]
        self.assertEqual([(key, of[key]["number"], of[key]["holes"]) for key in ("4", "common")],
                         [("4", 4, [1, 2]), ("common", 5, [1, 2, 3])])
        self.assertNotIn("number", of["3"] if "3" in of else {})
        self.assertEqual((of["4"]["first_seen"], of["common"]["first_seen"]), (0, 0.4))
        self.assertEqual(np.shape(summary["punctures"]), (3, 3))
        log = (folder / "log.txt").read_text()
        for line in (r" 0 +0\.0000 horizon 4 of holes 1, 2: first seen at t = 0 M", r" 16 +0\.4000 common horizon: first",
                     r"horizon +4 of holes 1, 2: mass 0\.8\d+ M", r"horizon +common: mass 0\.89\d+ M",
                     r"balance +energy: initial data 0\.90* M, remnant 0\.89\d+ M, difference",
                     r" 24 +0\.6000 remnant: common horizon since t = 0\.4000 M",
                     r"  \(0\.1000, 0\.0000, 0\.0000\) \(-0\.1000, 0\.0000, 0\.0000\) \(0\.0000, 0\.5000, 0\.0000\)\n"):
            self.assertRegex(log, line)

    def test_a_pair_and_then_a_third(self):
        one = self.simulate("one")
        self.check_searches(one)
        self.check_files(one)
        self.check_summary(one)
        left = hole.horizon(live.Live(one).searches(), live.Live(one).mass)
        self.assertAlmostEqual(left.first_seen, 0.4)
        self.same(one, self.simulate("two", ranks=2))
        again = self.folder / "again"
        shutil.copytree(one, again)
        shutil.rmtree(again / "checkpoints")
        shutil.copytree(one / "checkpoints", again / "checkpoints", ignore=lambda *_: ["checkpoint.0000024.h5"])
        (again / "summary.json").unlink()
        self.tendex("run", "--restart", "again", "--quiet", ranks=2)
        self.assertIn("step 12", (again / "log.txt").read_text())
        self.same(one, again)

    def test_all_three_at_once(self):
        """Nothing is about the pair alone then."""
        folder = self.simulate("at_once", "initial_data.bh3_mass=0.2", "initial_data.bh1_position=0.2,0,0",
                               "initial_data.bh2_position=-0.2,0,0", "run.max_steps=4", "run.t_end=1")
        of = json.loads((folder / "summary.json").read_text())["horizons"]
        self.assertEqual([key for key in of if key > "3"], ["common"])
        self.assertEqual((of["common"]["number"], of["common"]["holes"]), (4, [1, 2, 3]))

    def test_a_hole_without_mass(self):
        """The horizons of the pair are what they are without it, to its mass."""
        short = ("run.max_steps=4", "run.t_end=1", self.coarse)
        rows = []
        for name, number, settings in (("light", 4, ("initial_data.bh3_mass=1e-6", "initial_data.bh3_position=0,1.2,0")),
                                       ("pair", 3, ("initial_data.bh3_mass=0", "initial_data.bh3_position=0,0,0"))):
            table = live.Live(self.simulate(name, *short, *settings)).searches()
            here = (table["horizon"] == number) & (table["found"] == 1)
            rows.append(np.array([table[key][here] for key in ("time", "mass", "radius_mean", "radius_max")]))
            self.assertFalse(table["found"][table["horizon"] == (3 if number == 4 else 4)].any())
        self.assertEqual(rows[0].shape, (4, 2))
        np.testing.assert_allclose(*rows, rtol=3e-6)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
