"""What `tendex check` says: numbers that a run confirms, and notes for what deserves them, and only for that.

    test_check.py TENDEX PAR MPIRUN...      PAR: the folder of parameter files"""

import json
import math
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from check_test import CheckTest  # noqa: E402

TENDEX, PAR, MPIRUN = sys.argv[1], Path(sys.argv[2]).resolve(), sys.argv[3:]
MIB = 2**20
# One time step for all levels: where an interval is odd, time steps of levels would deserve a note of their own.
GLOBAL = "evolution.time_steps=global"
# What `check' solves for on the grid changes no note.
LOOSE = {"three_holes.yaml": ("elliptic.tolerance=1e-2",)}

# Two holes in an orbit, on a grid that deserves no note: spacings are those of octants of 8^3 points.
ORBIT = """run:
  t_end: 195
grid:
  extent: 128
  reflect: z
  level_min: {minimum}
  level_max: {maximum}
  bh_radius: 1.2
  ball_level: {ball}
  ball_radius: 60
  regrid_every: 32
initial_data:
  type: two_punctures
  bh1_mass: 0.483
  bh1_position: [3.257, 0, 0.0]
  bh1_momentum: [0, 0.133, 0]
  bh2_mass: 0.483
  bh2_position: [-3.257, 0, 0]
  bh2_momentum: [0, -0.133, 0]
  resolution: 8
waves:
  radii: [30, 35, 40, 60]
  every: 16
"""

THREE = """run:
  t_end: 20
grid:
  extent: 64
  level_min: {minimum}
  level_max: {maximum}
  bh_radius: 0.8
  regrid_every: 16
initial_data:
  type: punctures
  bh1_mass: 0.33
  bh1_position: [3.1, 0.2, 0.3]
  bh2_mass: 0.33
  bh2_position: [-3.2, 0.1, 0.4]
  bh3_mass: 0.33
  bh3_position: [0.5, 4.2, 0.1]
"""


def number(text):
    return float(text.replace(",", ""))


def in_bytes(text):
    value, unit = text.split()
    return float(value) * {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}[unit]


class Check(CheckTest):
    program, mpirun, default = TENDEX, MPIRUN, "orbit.yaml"

    @classmethod
    def setUpClass(cls):
        version = subprocess.run([TENDEX, "--version"], capture_output=True, text=True, check=True).stdout
        cls.points = int(re.search(r"octants of (\d+)\^3", version)[1])

    def setUp(self):
        super().setUp()
        shift = (self.points // 8).bit_length() - 1  # octants of 16^3 points take a level less
        self.level = lambda level: level - shift
        (self.folder / "orbit.yaml").write_text(
            ORBIT.format(minimum=self.level(2), maximum=self.level(9), ball=self.level(4)))

    # Numbers

    def test_same_as_a_run(self):
        """Octants of each level, steps and memory are those of a run; the cost is what the speed makes of them."""
        self.same_as_a_run("run.t_end=0.5", about=6e-3)

    def test_same_as_a_run_of_one_step_for_all(self):
        self.same_as_a_run("run.t_end=0.3", GLOBAL, about=6e-3, on=(3,))

    def test_same_as_a_run_that_ends_within_a_macro_step(self):
        """It is cut short, and has fewer steps in it than it would have had."""
        self.same_as_a_run("run.t_end=0.45", "evolution.macro_step=0.26", about=0.3, on=(1,))

    def same_as_a_run(self, *steps, about, on=(1, 3)):
        small = (*steps, "grid.ball_radius=20", "waves.radii=[15]", f"grid.level_max={self.level(6)}",
                 f"grid.ball_level={self.level(3)}", "grid.regrid_every=0", "checkpoint.at_end=false")
        words = [word for setting in small for word in ("--set", setting)]
        for ranks in on:
            more = ("horizons.every=0",) if ranks > 1 else ()
            extra = [word for setting in more for word in ("--set", setting)]
            self.tendex("run", "orbit.yaml", "--quiet", "--overwrite", *words, *extra, ranks=ranks)
            run = json.loads((self.folder / "out/orbit/summary.json").read_text())
            text = self.check(*small, *more, n=ranks)
            rows = re.findall(r"^ {14} *(\d+) +([\d.e-]+) +([\d,]+) +([\d,]+)$", text, re.M)
            self.assertEqual({level: number(octants) for level, _, octants, _ in rows}, run["levels"])
            self.assertEqual(sum(number(points) for *_, points in rows), run["points"])
            steps, stages, hours = re.search(r"cost +(\d+) steps, (\S+) point-stages, (\S+) core hours", text).groups()
            self.assertEqual(int(steps), run["steps"])
            self.assertAlmostEqual(float(stages) / run["point_stages"], 1, delta=about)
            self.assertAlmostEqual(float(hours) * 3600e6 / run["point_stages"], 1, delta=about)
            found = in_bytes(re.search(r"memory .*, (\S+ \S+) in all", text)[1])
            self.assertAlmostEqual(found / run["memory_bytes"], 1, delta=0.05)

    def memory(self, ranks, *settings):
        """Bytes of all ranks that a check says and that a run holds."""
        words = [word for setting in settings for word in ("--set", setting)]
        self.tendex("run", "orbit.yaml", "--quiet", "--overwrite", *words, ranks=ranks)
        run = json.loads((self.folder / "out/orbit/summary.json").read_text())["memory_bytes"]
        return in_bytes(re.search(r"memory .*, (\S+ \S+) in all", self.check(*settings, n=ranks))[1]), run

    def test_memory_of_output(self):
        """Slices and whole fields of analysis quantities add what is said."""
        variables = "output.variables=all hamiltonian momentum_x momentum_y momentum_z connection_x connection_y connection_z"
        for every, ranks, steps in (("slices", 1, "levels"), ("fields", 3, "global"), ("fields", 1, "levels")):
            small = ("output.norms_every=0", "grid.ball_radius=20", "waves.radii=[15]", f"grid.level_max={self.level(6)}",
                     f"grid.ball_level={self.level(3)}", "run.max_steps=2", "grid.regrid_every=0", "checkpoint.at_end=false",
                     f"evolution.time_steps={steps}")
            with self.subTest(every=every, ranks=ranks):
                before, without = self.memory(ranks, *small)
                said, held = self.memory(ranks, *small, f"output.{every}_every=2", variables)
                print(f"{every}, {ranks} ranks: {said / held:.3f} of {held:.3g} bytes, {(said - before) / (held - without):.3f} of what output adds", flush=True)
                self.assertAlmostEqual(said / held, 1, delta=0.05)
                self.assertAlmostEqual((said - before) / (held - without), 1, delta=0.06)

    LEVEL = re.compile(r"^ {14} +(\d+) +(\S+) +([\d,]+) +([\d,]+) +(\S+)%$", re.M)

    def test_gain_of_levels(self):
        """Local time steps spare what an independent count says for the production grids; work and leaves add up."""
        if self.level(9) < 9:
            return
        every = [f"{key}=512" for key in ("waves.every", "grid.regrid_every", "output.norms_every", "output.track_every")]
        for name, gain, more in (("bbh_q1", 4.17, ()), ("bbh_q8", 8.07, ()), ("bbh_q8", 8.15, every),
                                 ("bbh_q8", 7.59, ("evolution.macro_step=0.03125", *every))):
            text = self.check(*more, file=PAR / f"{name}.yaml")
            self.assertEqual(float(re.search(r"^ +(\S+) times less work", text, re.M)[1]), gain, name)
            rows = self.LEVEL.findall(text)
            self.assertAlmostEqual(sum(float(row[4]) for row in rows), 100, delta=0.5)
            self.assertEqual(sum(number(row[2]) for row in rows), number(re.search(r"grid +([\d,]+) oct", text)[1]))
            covered = [number(row[2]) / 8 + number(row[3]) / 8 for row in rows]
            self.assertEqual([number(row[3]) for row in rows], covered[1:] + [0])
            still = [self.check(*how, "grid.regrid_every=0", file=PAR / f"{name}.yaml") for how in ((GLOBAL,), (key for key in more if "regrid" not in key))]
            stages = [float(re.search(r"steps, (\S+) point-stages", t)[1]) for t in still]
            gain = float(re.search(r"^ +(\S+) times less work", still[1], re.M)[1])
            self.assertAlmostEqual(stages[0] / stages[1] / gain, 1, delta=0.01)

    def test_macro_step(self):
        text = self.check("output.track_every=48")
        steps, seconds = re.search(r"cost +(\d+) steps(?s:.*)^ +(\S+) s per macro step; signals and", text, re.M).groups()
        step, halved = re.search(r"macro step +(\S+) M, chosen: (\d+) time steps; all levels", text).groups()
        self.assertEqual(int(halved), 16)
        self.assertEqual(int(steps) % 16, 0)
        self.assertRegex(text, r"limited by waves.every 16 \(32\), output.track_every 48 \(32 or 64\); values in brackets allow 0.25 M\n")
        stages = float(re.search(r"steps, (\S+) point-stages", text)[1])
        self.assertAlmostEqual(float(seconds) / (stages * 16 / int(steps) / 1e6), 1, delta=0.06)
        for line in ("macro step", "synchronised", "times less work", "signals and run.walltime"):
            self.assertIn(line, text)
            self.assertNotIn(line, self.check(GLOBAL))
        given = self.check("output.track_every=48", "evolution.macro_step=0.1")
        self.assertRegex(given, r"macro step +0.0625 M, as given: 8 time steps.*\n +limited by evolution.macro_step\n")
        self.assertIn("give 32, or lower", self.check("evolution.macro_step=0.25", "waves.every=24", code=3))
        self.assertIn("has no effect", self.check(GLOBAL, "evolution.macro_step=0.1", code=3))

    def test_levels_that_gain_nothing(self):
        self.only("^evolution.time_steps levels takes 1.1[0-9]* times the work of .*: set evolution.time_steps to global, or "
                  "intervals that allow a longer macro step$", "output.track_every=7")
        self.assertEqual(self.notes("output.track_every=7", GLOBAL), [])

    def test_intervals_that_shorten_the_macro_step(self):
        """Those of 12 steps leave 4, a fifth more work or more; the note names what would not."""
        self.only(r"^intervals limit the macro step to 0.03125 M, which takes 1\.[2-9]\d* times the work of the longest one: waves.every 12 "
                  r"\(32\), output.track_every 8 \(32\); values in brackets allow 0.25 M$", "waves.every=12")

    def test_ranks(self):
        """Octants are shared out; what a rank sends in a step is four times what it sends in a stage."""
        text = self.check(n=7)
        low, high, mean, imbalance = map(float, re.search(
            r"ranks +7 ranks x 1 thread: (\d+) to (\d+) octants per rank, mean (\S+); load imbalance (\S+)%", text).groups())
        octants = number(re.search(r"grid +([\d,]+) octants", text)[1])
        self.assertAlmostEqual(7 * mean, octants, delta=0.01 * octants)
        self.assertTrue(low <= mean <= high)
        self.assertAlmostEqual(100 * (high / (octants / 7) - 1), imbalance, delta=0.051)
        stage = re.search(r"halo +at most (\S+ \S+) sent per rank and stage, (\S+ \S+) in all", text).groups()
        step = re.search(r"^ +at most (\S+ \S+) per rank and time step, (\S+ \S+) in all", text, re.M).groups()
        for a, b in zip(stage, step):
            self.assertAlmostEqual(in_bytes(b) / in_bytes(a), 4, delta=0.05)
        shown = float(re.search(r"([\d.]+) points sent per point owned", text)[1])
        n = number(re.search(r", ([\d,]+) points$", text, re.M)[1])
        self.assertAlmostEqual(in_bytes(stage[1]) / (24 * 8 * n), shown, delta=0.02 * shown)
        self.assertNotIn("halo", self.check())

    def test_threads(self):
        """With -n a rank has one thread unless something says otherwise; cost does not depend on it, time does."""
        hours = lambda text: re.search(r"(\S+) core hours", text)[1]
        one, two = self.check(n=8), self.check(n=8, threads=2)
        self.assertIn("8 ranks x 1 thread:", one)
        self.assertIn("8 ranks x 2 threads:", two)
        self.assertEqual(hours(one), hours(two))
        seconds = {"s": 1, "min": 60, "h": 3600, "days": 86400}
        wall = [float(t) * seconds[u] for t, u in re.findall(r"^ +(\S+) (\w+) on 8 ranks", one + two, re.M)]
        self.assertAlmostEqual(wall[0] / wall[1], 2, delta=0.03)

    def test_many_ranks(self):
        """Thousands of ranks, more than there are octants, computed on one process."""
        text = self.check(n=4096)
        octants = number(re.search(r"grid +([\d,]+) octants", text)[1])
        self.assertRegex(text, r"ranks +4096 ranks x 1 thread: 0 to \d octants per rank")
        idle, enough = re.search(r"note: (\d+) of 4096 ranks have no octant: .* use (\d+) ranks, balanced", text).groups()
        self.assertGreaterEqual(int(idle), 4096 - octants)
        self.assertLessEqual(float(re.search(r"imbalance (\S+)%", self.check(n=int(enough)))[1]), 10)

    def test_under_mpirun(self):
        """The same on any number of processes; without -n, for as many ranks as there are."""
        numbers = lambda text: text[text.index("  domain"):]
        self.assertEqual(numbers(self.check(n=5, ranks=2)), numbers(self.check(n=5)))
        text = self.tendex("check", "orbit.yaml", "--speed", "1e6", ranks=2)
        self.assertEqual(numbers(text), numbers(self.check(n=2)))

    def test_speed(self):
        """Measured where none is given."""
        text = self.tendex("check", "orbit.yaml", ranks=2)
        speed = float(re.search(r"speed +(\S+) point-stages/s per core, measured here with 2 ranks x 1 thread", text)[1])
        self.assertTrue(1e4 < speed < 1e9, speed)
        stages, hours = map(float, re.search(r", (\S+) point-stages, (\S+) core hours", text).groups())
        self.assertAlmostEqual(stages / speed / 3600 / hours, 1, delta=0.015)
        self.tendex("check", "orbit.yaml", "--speed", "none", code=2)

    # Notes

    def test_good_files(self):
        self.assertEqual(self.notes(), [])
        files = sorted(PAR.glob("*.yaml"))
        self.assertGreater(len(files), 10)
        for file in files:
            with self.subTest(file.name):
                head = file.read_text().split("\n\n")[0]
                for word in ("# Source ", "# Expect ", "# Cost "):
                    self.assertIn(word, head)
                self.assertEqual(self.notes(*LOOSE.get(file.name, ()), file=file), [])
                if self.points == 8:
                    self.stated_cost(head, file)

    def stated_cost(self, head, file):
        """Work and memory of a file's head are those of a check, but the work of holes that merge twice: it foresees one merger."""
        said = self.check(*LOOSE.get(file.name, ()), file=file)
        stages, size = map(float, re.search(r"^# Cost +(\S+) point-stages.*?(?:, | Memory )([\d.]+) GiB", head, re.M).groups())
        foreseen = float(re.search(r"steps, (\S+) point-stages", said)[1])
        if file.name != "three_holes.yaml":
            self.assertAlmostEqual(stages / foreseen, 1.0, delta=0.13)
        low, high = sorted(float(n) / {"G": 1, "M": 1024}[unit] for n, unit in re.findall(r"at most (\S+) ([GM])iB per", said))
        self.assertTrue(0.9 * low < size < 1.1 * high, f"{size} GiB, not {low:.3g} to {high:.3g}, on a GPU and a host")

    def test_strict(self):
        """Notes are failures with --strict, on all ranks, and nothing else is."""
        words = ("check", "orbit.yaml", "--speed", "1e6", "--strict")
        self.tendex(*words)
        for ranks in (1, 2):
            said = self.tendex(*words, "--set", "gauge.eta=0", ranks=ranks, code=3)
            self.assertIn("orbit.yaml: 1 note, and --strict allows none", said)

    def test_horizon_points(self):
        level = self.level(9)
        coarse = (r"^the horizon of each puncture is under-resolved: its radius of 0.241 M at t = 0 is {} spacings, "
                  f".* grid.level_max {level}$")
        self.only(coarse.format("3.9"), f"grid.level_max={level - 1}", "output.track_every=16")
        self.only(coarse.format("1.9"), f"grid.level_max={level - 2}", "waves.every=8", "grid.regrid_every=8")
        self.only(f"^the horizon of puncture 2 is .* give grid.bh2_level {level}$", f"grid.bh2_level={level - 1}",
                  "waves.every=32", "output.track_every=32")
        self.only("give grid.bh_radius, which is 0", "grid.bh_radius=0", "waves.l_max=2", "waves.every=1",
                  GLOBAL)

    def test_punctures_that_are_alike(self):
        """One note on all of more than two; one on each where a mass or a level is another."""
        text = THREE.format(minimum=self.level(2), maximum=self.level(8))
        (self.folder / "three.yaml").write_text(text)
        self.assertEqual(self.notes(file="three.yaml"), [])
        level = self.level(8)
        self.only(f"^the horizon of each puncture is .* give grid.level_max {level}$", f"grid.level_max={level - 1}",
                  file="three.yaml")
        self.only(f"^the horizon of puncture 3 is .* give grid.bh3_level {level}$", f"grid.bh3_level={level - 1}",
                  file="three.yaml")
        found = self.notes(f"grid.level_max={level - 1}", "initial_data.bh2_mass=0.34", file="three.yaml")
        self.assertEqual([note[:28] for note in found], [f"the horizon of puncture {a} is"[:28] for a in (1, 2, 3)])
        self.among("^each puncture may move 8 M on a fixed grid", "grid.regrid_every=0", file="three.yaml")

    def test_horizon_box(self):
        """The larger eta times the mass, the larger a horizon becomes. Seen in runs: 0.51 M of 0.49 M, 1.02 M of 0.79 M."""
        self.only(r"^the horizon of each puncture grows to a radius of about 0.49 M, but beyond .* give grid.bh_radius 0.64$",
                  "grid.bh_radius=0.02", "grid.regrid_every=1", GLOBAL)
        self.among(r"^the horizon of puncture 2 grows to a radius of about 1 M, but beyond 0.* give grid.bh2_radius 1.3$",
                   f"grid.bh2_level={self.level(11)}", "grid.bh2_radius=0.1", file=PAR / "bbh_q4.yaml")
        self.assertEqual(self.notes(f"grid.bh2_level={self.level(11)}", "grid.bh2_radius=1.4", file=PAR / "bbh_q4.yaml"), [])

    def test_finest_level(self):
        """The finest level ends inside the horizon, which the next ones resolve by more than four spacings."""
        if self.level(9) == 9:
            self.only(r"^the finest level, of radius 0.05 M, ends inside the horizon of each puncture, whose radius grows to "
                      r"about 0.5 M; there it has 11 spacings, while the time step is that of 22: give grid.bh_radius 0.65$",
                      "grid.bh_radius=0.05", file=PAR / "bbh_q1_d10.yaml")

    def test_end(self):
        """A run should see its merger: that of R1, which does not start on a circle, is at 161 M (RESULTS.md)."""
        self.only(r"^run.t_end 100 M is too early to see the merger: the holes merge at about t = 16\d M "
                  r"and r = 30 M sees it 30 M later; give run.t_end 310, which covers the ringdown$", "run.t_end=100")
        self.assertEqual(self.notes("run.t_end=190"), [])
        self.only("^run.t_end 100 M is too early to see the merger: the holes merge at about t = 16. M; give", "run.t_end=100", "waves.radii=[]")
        times = [re.search(r"merge at about t = (\S+) M", self.notes("run.t_end=9", file=PAR / name)[0])
                 for name in ("bbh_q1_d10.yaml", "bbh_q2_d8.yaml", "bbh_q4.yaml")]
        for found, merged in zip(times, (910, 406, 491)):
            self.assertTrue(0.95 < float(found[1]) / merged < 1.05, found[0])

    def test_purpose(self):
        self.only("^horizons.every 0: without horizons .* give horizons.every 12[78], about 1 M$",
                  "horizons.every=0", "waves.every=16")
        self.only("^evolution.dissipation 0: noise at the grid scale from punctures and refinement boundaries is not damped and grows: give "
                  "evolution.dissipation 0.4$", "evolution.dissipation=0")
        self.only("^evolution.dissipation 0.05: ", "evolution.dissipation=0.05")
        self.assertEqual(self.notes("evolution.dissipation=0", file=PAR / "gauge_wave.yaml"), [])
        self.only("^evolution.dissipation 0: noise at the grid scale from refinement boundaries", "evolution.dissipation=0",
                  file=PAR / "teukolsky.yaml")

    def most(self, pattern, setting, *steps):
        """The interval that a note proposes: it deserves none, and one more of what it is a multiple of does."""
        key, (note,) = setting.split("=")[0], self.notes(setting, *steps)
        most, unit = int(re.search(pattern, note)[1]), 1 if steps else 32
        self.assertEqual(most % unit, 0)
        self.assertEqual(self.notes(f"{key}={most}", *steps), [])
        self.only(pattern, f"{key}={most + unit}", *steps)
        return most

    def test_motion(self):
        self.only(r"^each puncture may move 78 M on a fixed grid, .* give grid.regrid_every \d+$",
                  "grid.regrid_every=0")
        pattern = r"between regrids, .* give grid.regrid_every (\d+)$"
        self.only(pattern, "grid.regrid_every=512")
        # Half of the way at 0.4, as a grid that follows is ahead at first.
        step = float(re.search(r"time step +(\S+) M", self.check("grid.regrid_every=512"))[1])
        off = float(re.search(r"may move (\S+) M off the middle", self.notes("grid.regrid_every=512")[0])[1])
        self.assertAlmostEqual(off / (0.2 * 512 * step), 1, delta=0.02)
        self.only(pattern, "grid.regrid_every=500", GLOBAL)
        found = [self.most(pattern, "grid.regrid_every=512", *steps) for steps in ((), (GLOBAL,))]
        self.assertTrue(0 <= found[1] - found[0] < 32, found)
        self.assertEqual(self.notes("grid.regrid_every=0", "run.max_steps=96"), [])

    def test_symmetry(self):
        self.only("^the initial data are symmetric under reflection in z: with z in grid.reflect the run costs half as much$",
                  "grid.reflect=none")
        self.assertEqual(self.notes("grid.reflect=none", "initial_data.bh1_momentum=[0,0.133,0.01]"), [])
        self.only("reflection in xyz: .* an eighth as much$", "grid.reflect=none", file=PAR / "single_puncture.yaml")
        # Solutions of previews have the symmetry to a part of their error.
        self.assertEqual(self.notes("grid.reflect=z", "initial_data.bh1_spin=[0,0,0.5]", file=PAR / "single_puncture.yaml"), [])

    def test_norms(self):
        self.only(r"norms of the constraints include the inside of horizons: they leave out balls of 0.2 M.* give output.norms_exclude 0\.59$",
                  "output.norms_exclude=0.2")
        self.assertEqual(self.notes("output.norms_every=0"), [])

    def test_eta(self):
        dt = float(re.search(r"time step +(\S+) M", self.check())[1])
        levels = "^evolution.time_steps levels takes 1.1"  # as steps can be no longer than that of the finest level
        for note in ("^eta, .* within a factor 2 .* lower gauge.eta$", levels):
            self.among(note, f"gauge.eta={1.4 / dt}")
        self.only("^eta, .* within a factor 2 .* lower gauge.eta$", f"gauge.eta={1.4 / dt}", GLOBAL)
        self.assertEqual(self.notes(f"gauge.eta={1.3 / dt}", GLOBAL), [])
        self.only(levels, f"gauge.eta={1.3 / dt}")
        self.only("^gauge.eta 0 hardly damps the shift, .*: give 2$", "gauge.eta=0")
        self.only("^gauge.eta_R0 0.01 hardly damps .*: give 1.3$", "gauge.eta_form=metric", "gauge.eta_R0=0.01")
        self.assertEqual(self.notes("gauge.eta=0.5"), [])
        self.only("^eta, .* lower gauge.eta$", "gauge.eta_form=radial", f"gauge.eta_far={1.4 / dt}", GLOBAL)

    def test_wave_resolution(self):
        found = self.notes("grid.ball_radius=1e-6", "grid.bh_radius=0.65", "waves.radii=[30,40,80]",
                           "run.max_steps=20480")
        self.assertEqual(len(found), 1)
        pattern = r"^the l = 2 ringdown is under-resolved: its wavelength of (\S+) M has (\S+) points at r = 80 M, .* takes about (\d+)%"
        wave, spacings, lost = map(float, re.search(pattern, found[0]).groups())
        self.assertRegex(found[0], f"give grid.ball_level {self.level(3)}, grid.ball_radius 80$")
        self.assertAlmostEqual(wave / spacings, 4, delta=0.1)  # the spacing of the coarsest level
        self.assertTrue(11 < wave < 13 and 20 < lost < 100)
        self.only("^the l = [34] ringdown", f"grid.ball_level={self.level(3)}")
        self.assertFalse([n for n in self.notes(f"grid.ball_level={self.level(3)}", "waves.l_max=2") if " takes about " in n])
        self.only("^the sphere r = 75 M reaches out of the ball of grid.ball_radius 60 M, onto a grid of spacing 2 M",
                  "waves.radii=[40,60,75]", "waves.l_max=2", "run.max_steps=20480")
        self.among(r"^the l = 3 ringdown is under-resolved: its wavelength of 7\.\d+ M has 3\.\d points .* about 0%", "evolution.dissipation=0",
                   f"grid.ball_level={self.level(3)}")

    def test_spheres_beyond_the_ball(self):
        """With three in the ball further ones are for what is slow; higher modes than l = 4 are told of, not noted."""
        more = ("waves.radii=[30,35,40,100]", "run.max_steps=20480", "waves.l_max=8")
        text = self.check(*more)
        self.assertTrue(text.endswith(": good\n"), text[-200:])
        self.assertRegex(text, r"takes about \S+% of the amplitude of the l = 2 ringdown, \S+% of the l = 4 out to r = 40 M")
        self.assertRegex(text, r"spheres beyond, up to r = 100 M, lie on a coarser grid with \S+ points per wavelength of l = 2")
        highest, points = map(int, re.search(r"modes up to l = (\d+) have at least (\d) points .* at r = 40 M", text).groups())
        self.assertEqual(points, 4)
        self.assertIn(highest, (4, 5, 6, 7))

    def test_dissipation_outside(self):
        def taken(outside, *settings):
            text = self.check("evolution.dissipation=0", "grid.ball_growth=2", "waves.l_max=2",
                              f"evolution.dissipation_outside={outside}", *settings)
            share = float(re.search(r"takes about (\S+)% of the amplitude of the l = 2 ringdown out to", text)[1]) / 100
            return -math.log(1 - share)

        self.assertEqual(taken(3, "waves.radii=[40,50,55]"), 0)
        once, thrice = (taken(n, "waves.radii=[40,60,100]") for n in (1, 3))
        self.assertGreater(once, 0.002)
        self.assertAlmostEqual(thrice / once, 3, delta=0.2)

    def test_coarser_grid_near(self):
        def said(*settings):
            text = self.check(*settings)
            return re.findall(r"r = (\S+) M is less than a wavelength of the ringdown, (\S+) M, from a refinement boundary.*\n"
                              r" +(r = \S+ M|no sphere) is far enough; r = (\S+) M would be with "
                              r"grid.ball_level (\d+), grid.ball_radius (\d+)$", text, re.M)

        (outer, wave, enough, again, level, radius), = said()
        self.assertEqual((outer, enough, again, level), ("60", "r = 40 M", "60", str(self.level(4))))
        self.assertTrue(60 + float(wave) <= int(radius) < 61 + float(wave), (wave, radius))
        self.assertEqual(said(f"grid.ball_radius={radius}"), [])
        self.assertEqual(said("waves.radii=[30,35,40]"), [])
        self.assertEqual([found[2] for found in said("waves.radii=[56,58,60]")], ["no sphere"])

    def test_spheres_near_edges(self):
        """Of a binary that goes round, three spheres should lie a wavelength inside of coarser grid."""
        self.only(r"^2 of waves.radii are a wavelength of the ringdown, 1\d\.\d M, away from refinement boundaries, .* "
                  rf"takes 3: give grid.ball_level {self.level(4)}, grid.ball_radius 7\d$", "waves.radii=[30,40,60]")
        self.among("^0 of waves.radii are .*", "waves.radii=[56,58,60]")
        self.assertEqual(self.notes("waves.radii=[30,40,60]", "grid.ball_radius=73"), [])

    def test_near_zone(self):
        self.only("^r = 10 M of waves.radii is too close, below 11.5 M, a wavelength of the ringdown", "waves.radii=[10,30,35,40]")
        apart = ("initial_data.bh1_position=[10,0,0]", "initial_data.bh2_position=[-10,0,0]")
        slow = ("initial_data.bh1_momentum=[0,0.0595,0]", "initial_data.bh2_momentum=[0,-0.0595,0]", "run.max_steps=20480")
        self.among("^r = 30 M .* below 4[4-6].* M, the near zone of the first orbit", *apart, *slow)
        head_on = tuple(f"initial_data.bh{n}_momentum=[0,0,0]" for n in (1, 2))
        self.only("^r = 15 M .* below 20 M, twice the distance of a puncture", *apart, *head_on, "grid.reflect=xyz",
                  "waves.radii=[15,40]")

    def test_radii(self):
        self.only("^2 of waves.radii are too few for extrapolation to infinity: give 3", "waves.radii=[40,60]")
        self.only("^1 of waves.radii is too few", "waves.radii=[40]")

    def test_samples(self):
        pattern = r"^the l = 4 ringdown has a period of 5\.\d+ M and 3\.\d samples in it: give waves.every (\d+)$"
        self.only(pattern, "waves.every=200")
        pattern = r"samples in it: give waves.every (\d+)$"
        found = [self.most(pattern, "waves.every=200", *steps) for steps in ((), (GLOBAL,))]
        self.assertTrue(0 <= found[1] - found[0] < 32, found)

    def test_boundary(self):
        back = 2 * 128 - 60
        self.assertEqual(self.notes(f"run.t_end={back}"), [])
        found = self.notes(f"run.t_end={back + 1}")
        self.assertRegex(found[0], rf"^from t = {back} M on, reflections .* r = 60 M, gauge reflections from 138.6 M on; "
                                   rf"the run lasts until {back + 1} M: give grid.extent 128.5, which keeps them away$")
        self.only(r"; the ringdown may last until 28\d\S* M: give grid.extent 17\d", "run.t_end=2000")
        self.assertEqual(self.notes("run.t_end=1000", "run.max_steps=32"), [])

    def test_checkpoints_and_time(self):
        off = ("checkpoint.minutes=0",)
        self.only("^no checkpoints in a run of about .* h: set checkpoint.minutes", *off)
        self.assertEqual(self.notes(*off, speed="1e9"), [])
        self.assertEqual(self.notes(*off, "checkpoint.every=96"), [])
        self.only(r"^the run takes about \S+ h, more than run.walltime, 0.5 h: plan \d+ jobs", "run.walltime=0.5")
        self.assertEqual(self.notes("run.walltime=0.5", speed="1e9"), [])

    def test_imbalance(self):
        octants = number(re.search(r"grid +([\d,]+) octants", self.check())[1])
        self.only(r"^the fullest rank has 1\.\d+ times the mean load: use \d+ ranks, balanced to 10%",
                  n=int(octants) // 30)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
