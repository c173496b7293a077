"""What `tendex new` writes: files without a note, members of one series, within a budget; and what it foresees beside runs.

    test_new.py TENDEX PAR RESULTS slow|quick       PAR: the folder of parameter files; RESULTS: that of recorded results"""

import itertools
import json
import math
import re
import shlex
import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "support"), str(Path(__file__).resolve().parents[2] / "dev")]
from program_test import ProgramTest  # noqa: E402
from tendex_dev.results.records import Records  # noqa: E402

TENDEX, PAR, RESULTS, SLOW = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve(), sys.argv[4] == "slow"
UNITS = {"s": 1, "min": 60, "h": 3600, "days": 86400}


def settings(text):
    """{"section.key": value} of a parameter file."""
    found, section = {}, ""
    for line in text.splitlines():
        if head := re.match(r"(\w+):$", line):
            section = head[1]
        elif entry := re.match(r"  (\w+): (.*?) *(#.*)?$", line):
            found[f"{section}.{entry[1]}"] = entry[2]
    return found


class New(ProgramTest):
    program = TENDEX

    def new(self, *words, file="x.yaml", code=0):
        """What it says; with code 0 the file's text and numbers are in self.text, self.numbers."""
        said = self.tendex("new", *map(str, words), "-o", file, "--json", "x.json", "--overwrite", code=code)
        if code == 0:
            self.text = (self.folder / file).read_text()
            self.numbers = json.loads((self.folder / "x.json").read_text())
        return said

    def strict(self, *words):
        """It is written, says no note, and passes a check that allows none."""
        said = self.new(*words)
        self.assertNotIn("note:", said)
        self.assertEqual(self.numbers["notes"], [])
        return self.tendex("check", "x.yaml", "--strict", "--machine", "1 H200")

    # Files

    def test_a_file(self):
        """It says what it is and costs, as `tendex check` finds; the command in it makes it again."""
        said = self.strict("--q", 2, "--chi1", "0.3", "--chi2", "0 0 -0.2", "--orbits", 3, "--accuracy", "coarse")
        values = settings(self.text)
        self.assertEqual((values["initial_data.bh1_chi"], values["initial_data.bh2_chi"]), ("[0, 0, 0.3]", "[0, 0, -0.2]"))
        self.assertEqual((values["grid.reflect"], values["initial_data.type"]), ("z", "quasi_circular"))
        self.assertEqual((values["waves.l_max"], values["waves.text"], values["waves.radii"][-10:]), ("8", "false", ", 75, 100]"))
        ball, growth = float(values["grid.ball_radius"]), float(values["grid.ball_growth"])
        self.assertEqual(ball, 61)
        self.assertTrue(104 <= ball * growth < 105)
        self.assertTrue(all("#" in line for line in self.text.splitlines() if re.match("  (?!type)", line)), self.text)
        stages, minutes = re.search(r"# Cost +(\S+) point-stages: about (\S+) min on one H200", self.text).groups()
        self.assertAlmostEqual(float(stages) / float(re.search(r", (\S+) point-stages,", said)[1]), 1, delta=0.06)
        self.assertEqual(minutes, re.search(r"(\S+) min on 1 H200, everything included", said)[1])
        self.assertEqual(re.search(r"Memory (\S+ \w+) on one GPU", self.text)[1],
                         re.search(r"on GPUs at most (\S+ \w+) per GPU", said)[1])
        command = re.search("# Source +tendex new (.*)", self.text)[1].split()
        before = self.text
        self.new(*command)
        self.assertEqual(self.text, before)

    def test_refinement_boundaries_keep_off_horizons(self):
        """In a run of q = 4 the horizon of the larger hole grew to 1.02 M, that of the smaller to 0.17 M. The core of the smaller is
        as near as 1.35 radii, the next level twice as far."""
        self.new("--q", 4, "--separation", 9, "--accuracy", "coarse")
        values = settings(self.text)
        radius = [float(values[f"grid.bh{n}"]) for n in ("1_radius", "_radius")]
        level = [int(values[f"grid.bh{n}_level"]) for n in (1, 2)]
        self.assertGreater(radius[0], 1.7 * 1.02)
        self.assertGreater(radius[1], 1.35 * 0.17)
        self.assertEqual((level[1] - level[0], values["grid.bh_growth"]), (3, "2"))
        self.new("--q", 8, "--separation", 9, "--accuracy", "coarse")
        self.assertGreater(float(settings(self.text)["output.norms_exclude"]), 1.2)
        self.new("--q", 1, "--separation", 10, "--accuracy", "coarse")
        self.assertNotIn("grid.bh1_radius", self.text)

    def test_fast_holes_have_a_core(self):
        """A hole of 16 spacings at the speed of the smaller one of q = 4 pushes itself; at that of equal holes it does so only where
        they are far apart, and both then have 32 spacings."""
        for q, separation, spacings in ((4, 9, 32), (1, 10, 16), (1, 16, 32)):
            self.new("--q", q, "--separation", separation, "--accuracy", "coarse")
            values = settings(self.text)
            h = float(values["grid.extent"]) / (int(values["grid.trees"]) * 8 * 2 ** int(values["grid.level_max"]))
            with self.subTest(q=q, separation=separation):
                self.assertTrue(1 <= 1 / (1 + q) / h / spacings < 1.4, h)
                self.assertEqual("grid.bh1_level" in values, q > 1)
                self.assertLess(float(values["grid.regrid_every"]) * 0.45 * h, 2.01 * float(values["grid.bh_radius"]))

    def test_the_smaller_hole_alone_has_a_core(self):
        """With 16 spacings in the smaller hole and no core, q = 1.24 merged 6 M late and q = 1.5 with spins 25 M early. The larger hole
        keeps its level. Neither has a core where sizes are much alike, or the hole has 20 spacings anyway (q = 2)."""
        spins = ("--chi1", 0.4, 0.3, 0.2, "--chi2", -0.3, 0.5, -0.1)
        for words, core in ((("--q", 1.24, "--chi1", 0.31, "--chi2", -0.46, "--separation", 8.689), True),
                            (("--q", 1.5, *spins, "--separation", 8.931), True), (("--q", 0.7, "--separation", 9), True),
                            (("--q", 1.1, "--separation", 9), False), (("--q", 2, "--orbits", 6), False)):
            with self.subTest(words=words):
                self.new(*words, "--accuracy", "coarse")
                values = settings(self.text)
                self.assertEqual(values["grid.bh_growth"], "2" if core else "1.6")
                if core:
                    finest = int(values["grid.level_max"])
                    levels = [int(values[f"grid.bh{n}_level"]) for n in (1, 2)]
                    self.assertEqual(levels, [finest, finest - 1] if words[1] < 1 else [finest - 1, finest])

    def test_spacings_in_holes(self):
        """At least 14.5 in the size of each at `coarse`, where the larger hole has levels of its own and where it has not."""
        for q, chi in ((1.5, 0.54), (1.9, 0), (3, 0), (5, 0)):
            self.new("--q", q, "--chi1", chi, "--chi2", chi, "--separation", 9, "--accuracy", "coarse")
            values = settings(self.text)
            for hole, mass in (("bh1", q / (1 + q)), ("bh2", 1 / (1 + q))):
                level = int(values.get(f"grid.{hole}_level", values["grid.level_max"]))
                h = float(values["grid.extent"]) / (int(values["grid.trees"]) * 8 * 2**level)
                with self.subTest(q=q, chi=chi, hole=hole):
                    self.assertGreater(mass * (1 - chi**2) ** 0.5 / h, 14.4)

    def test_what_runs_took(self):
        """Point-stages, and GiB on a GPU, of two whole runs (RESULTS.md). Grids grow behind the holes and shrink after the merger: on the
        first ones they would be 1.09 and 1.04 times as many, and the memory of the first run would be 0.9 times as much."""
        for words, stages, memory in ((("--q", 2, "--separation", 7.555, "--accuracy", "standard"), 9.75e11, 7.97),
                                      (("--q", 1, "--chi1", 0.6, "--chi2", 0.6, "--orbits", 4, "--accuracy", "coarse"), 1.92e11, 3.81)):
            self.new(*words)
            self.assertAlmostEqual(self.numbers["point_stages"] / stages, 1, delta=0.05)
            self.assertAlmostEqual(float(re.search(r"Memory (\S+) GiB on one GPU", self.text)[1]) / memory, 1, delta=0.05)

    def test_combinations(self):
        """Mass ratios, spins, starts and accuracies: every file passes `tendex check --strict`."""
        plane = ((0.3, 0, 0.2), (0, 0.4, 0))
        cases = [(1, ((0, 0, 0), (0, 0, 0))), (2, plane), (8, ((0, 0, 0), (0, 0, 0)))]
        if SLOW:
            spins = [((0, 0, 0), (0, 0, 0)), ((0, 0, 0.5), (0, 0, -0.3)), plane, ((0, 0, 0.85), (0, 0, 0.85)),
                     ((0, 0, -0.6), (0, 0, -0.6))]
            cases = list(itertools.product((1, 0.4, 1.3, 2, 3, 4, 6, 8), spins))
        starts = (("--orbits", 5), ("--separation", 10), ("--frequency", 0.03))
        names = ("coarse", "standard", "high")
        for n, (q, (a, b)) in enumerate(cases):
            start, accuracy = starts[n % 3], names[n // 3 % 3]
            with self.subTest(q=q, a=a, b=b, start=start, accuracy=accuracy):
                self.strict("--q", q, "--chi1", *a, "--chi2", *b, *start, "--accuracy", accuracy)
                self.assertEqual("grid.reflect" in settings(self.text), (a, b) != plane)

    def test_one_series(self):
        """Accuracies differ by the number of trees and by what is counted in steps; spacings are 1 : 2/3 : 4/9. 0.6 is what a
        refusal of fewer orbits names."""
        self.tendex("new", "--q", "3", "--orbits", "0.6", "--accuracy", "all", "-o", "s.yaml")
        files = [settings((self.folder / f"s_{name}.yaml").read_text()) for name in ("coarse", "standard", "high")]
        self.assertEqual([f["grid.trees"] for f in files], ["4", "6", "9"])
        for coarse, other in itertools.pairwise(files):
            differ = {key for key in coarse if coarse[key] != other[key]}
            self.assertTrue(differ <= {"grid.trees", "grid.regrid_every", "waves.every", "horizons.every",
                                       "output.norms_every", "output.track_every"}, differ)
            self.assertEqual(coarse.keys(), other.keys())

    def test_where_the_orbit_begins(self):
        """Orbits, separation and frequency are three names of one thing."""
        orbit = ("separation", "orbits", "frequency", "merger")
        self.new("--q", 1.5, "--chi2", "-0.4", "--orbits", 5, "--accuracy", "coarse")
        first = self.numbers
        self.assertAlmostEqual(first["orbits"], 5, delta=0.02)
        for option in ("separation", "frequency"):
            self.new("--q", 1.5, "--chi2", "-0.4", f"--{option}", first[option], "--accuracy", "coarse")
            for key in orbit:
                self.assertAlmostEqual(self.numbers[key] / first[key], 1, delta=3e-3)

    def test_what_is_given_stays(self):
        """--set goes before what is planned, and what follows from it does follow."""
        self.new("--q", 1, "--orbits", 3, "--accuracy", "coarse", "--set", "waves.radii=[30,60,120]", "--set",
                 "evolution.system=z4c", "--set", "gauge.eta=1.5")
        values = settings(self.text)
        self.assertEqual((values["waves.radii"], values["gauge.eta"]), ("[30, 60, 120]", "1.5"))
        self.assertGreater(float(values["grid.ball_radius"]), 130)
        self.assertEqual(values["grid.ball_growth"], "1.5")
        self.assertGreater(float(values["run.t_end"]), self.numbers["merger"] + 120)
        self.assertIn("--set gauge.eta=x: ", self.new("--q", 1, "--orbits", 3, "--set", "gauge.eta=x", code=3))

    def test_worldtubes(self):
        """The wave zone reaches beyond them, the run lasts until the ringdown has passed them; without a note."""
        common = ("--q", 1, "--separation", 10, "--accuracy", "coarse", "--set")
        self.strict(*common, "waves.worldtubes=[60, 110]")
        values = settings(self.text)
        self.assertEqual((values["waves.worldtubes"], values["grid.ball_radius"]), ("[60, 110]", "126"))
        self.assertIn("have passed r = 110 M", self.text)
        # Spheres and the wave zone's spacing are what they would be without.
        radii, level = values["waves.radii"], values["grid.ball_level"]
        self.strict(*common, "waves.worldtubes=[40]")
        values = settings(self.text)
        self.assertEqual((values["waves.radii"], values["grid.ball_level"], values["grid.ball_radius"]), (radii, level, "61"))

    def test_templates(self):
        said = self.tendex("new", "--list")
        names = re.findall(r"^  (\S+) ", said, re.M)
        self.assertEqual(names, ["merger", "head-on", "kick", "precession", "series"])
        for name, file in (("merger", "bbh_qc0"), ("head-on", "head_on")):
            self.tendex("new", "--template", name, "-o", "t.yaml", "--overwrite")
            self.assertEqual((self.folder / "t.yaml").read_text(), (PAR / f"{file}.yaml").read_text())
        self.strict("--template", "precession", "--accuracy", "coarse")
        self.assertNotIn("grid.reflect", settings(self.text))
        self.assertIn("# Frame    at t = 0 x points from hole 2 to hole 1, z along the orbital angular momentum", self.text)
        self.assertIn("Spins and orbital plane precess", self.text)
        # The run lasts as long as the forecast may be off.
        self.assertIn("(effective-one-body: within 5% of two evolutions, of 5 orbits)", self.text)
        self.assertGreater(self.numbers["t_end"], 1.05 * self.numbers["merger"] + 100 + 75)
        # arXiv:0904.2577 eq. 6 and 8 with one spin, of length a and at the angle b from the orbit's axis.
        a, cosine, q, nu = math.hypot(0.6, 0.2), 0.2 / math.hypot(0.6, 0.2), 0.5, 2 / 9
        l = (2 * 3**.5 - 3.5171 * nu + 2.5763 * nu**2 - 0.1229 / (1 + q * q)**2 * a * a +
             (0.4537 * nu - 2.8904 + 2) / (1 + q * q) * a * cosine)
        self.assertAlmostEqual(self.numbers["last_spin"], math.sqrt(a * a + 2 * a * cosine * l * q + (l * q)**2) / (1 + q)**2, delta=1e-9)
        self.new("--template", "kick", "--accuracy", "coarse", "--q", 2)
        self.assertEqual((self.numbers["q"], self.numbers["chi1"]), (2, [0, 0, 0.6]))
        if SLOW:
            self.strict("--template", "kick", "--accuracy", "coarse")
            self.tendex("new", "--template", "series", "-o", "t.yaml")
            self.assertEqual(len(list(self.folder.glob("t_*.yaml"))), 3)
        self.assertIn("there is no template of this name; give one of merger, head-on, kick, precession, series",
                      self.tendex("new", "--template", "mergers", "-o", "u.yaml", code=3))
        self.assertIn("is a fixed file", self.tendex("new", "--template", "merger", "--q", "2", "-o", "u.yaml", code=2))

    def test_examples_fit_their_budgets(self):
        """Those of the help and the one that ./quickstart ends with."""
        said = self.tendex("new", "--help") + (PAR.parent / "quickstart").read_text().replace("{max(2, int(cores))}", "2")
        words = set(re.findall(r"tendex new (--.*--budget (?:'.*?'|\".*?\"))", said))
        self.assertGreaterEqual(len(words), 3)
        for example in words:
            with self.subTest(example):
                self.new(*shlex.split(example))

    def test_fast_spins(self):
        """The solver of the initial data does not get to its own tolerance, and finds no bare masses with 16 points."""
        self.new("--q", 3, "--chi1", 0.9, "--chi2", 0.9, "--separation", 10, "--accuracy", "coarse", "--budget", "2 cores")
        self.assertEqual(settings(self.text)["initial_data.tolerance"], "1e-06")
        # Of the cores, as planned: one rank, with memory for one.
        self.assertIn("# Run      tendex run x.yaml --threads 2\n", self.text)
        self.new("--q", 3, "--chi1", 0.8, "--separation", 8, "--accuracy", "coarse")
        self.assertNotIn("initial_data.tolerance", settings(self.text))
        self.assertNotIn("initial_data.resolution", settings(self.text))
        # At mass ratio 10 not even 128 points get to 1e-9, but to 2.3e-9.
        self.new("--q", 10, "--chi1", -0.85, "--chi2", -0.85, "--separation", 10, "--accuracy", "coarse")
        self.assertEqual(settings(self.text)["initial_data.resolution"], "128")

    # Budgets

    def test_the_best_that_fits(self):
        """Within the time, where the next accuracy would not be."""
        self.new("--q", 1, "--orbits", 2, "--budget", "1 H200, 4 min")
        self.assertEqual(self.numbers["accuracy"], "coarse")
        self.assertLess(self.numbers["on_machine"]["wall_s"], 240)
        self.assertIn("on one H200", self.text)
        self.assertNotIn("on 1 H200", self.text)  # once is enough
        said = self.new("--q", 1, "--orbits", 2, "--accuracy", "standard", "--budget", "1 H200, 4 min", code=3)
        self.assertRegex(said, r"accuracy standard takes \S+ min and \S+ GiB per GPU on 1 H200, which is more than the time "
                               r"given; --accuracy coarse would fit; \d+ H200 would suffice")
        if SLOW:
            memory = re.search(r"and (\S+ GiB) per GPU", said)[1]
            self.assertIn(f" and {memory} on 1 H200", self.new("--q", 1, "--orbits", 2, "--accuracy", "standard", "--budget", "1 H200, 10 h"))
            self.new("--q", 1, "--orbits", 2, "--budget", "1 H200, 5 GB, 10 h")  # memory counts too
            self.assertEqual(self.numbers["accuracy"], "coarse")
            self.new("--q", 1, "--orbits", 2, "--budget", "1 H200, 10 h")
            self.assertEqual(self.numbers["accuracy"], "high")

    @unittest.skipUnless(SLOW, "slow")
    def test_what_would_fit(self):
        """What is proposed in place of what does not fit does fit."""
        said = self.new("--q", 1, "--orbits", 4, "--budget", "2 cores, 3 h", code=3)
        orbits, cores = re.search(r"--orbits (\S+) would fit; (\d+) cores would suffice", said).groups()
        self.new("--q", 1, "--orbits", orbits, "--budget", "2 cores, 3 h")
        self.new("--q", 1, "--orbits", 4, "--budget", f"{cores} cores, 3 h")
        self.assertIn("no shorter or coarser run fits", self.new("--q", 1, "--orbits", 4, "--budget", "1 core, 1 s", code=3))

    # What cannot be had

    def test_refusals(self):
        for words, said in (
                (("--q", 1, "--chi1", "0.95", "--orbits", 3), r"--chi1: a spin of 0.95 is not possible: .* --chi1 0.000 0.000 0.919"),
                (("--q", 40, "--orbits", 3), "--q 40: mass ratios from 1/32 to 32"),
                (("--q", 1, "--separation", 3), r"--separation 3 M is too close: .* give --separation (\S+) or more"),
                (("--q", 1, "--frequency", 0.2), r"--frequency 0.2 / M is too high: .* give --frequency (\S+) or less"),
                (("--q", 1, "--frequency", 1e-4), r"a separation above 200 M"),
                (("--q", 1, "--orbits", 0.2), r"--orbits 0.2 are too few: from its closest quasi-circular orbit this binary takes .*: give --orbits (\S+) or more"),
                (("--q", 1, "--orbits", 1e5), "a separation above 200 M"),
                (("--q", 1, "--separation", 400), "--separation 400 M is above 200 M, too long an inspiral"),
                (("--q", 16, "--chi1", 0.9, "--chi2", 0.9, "--separation", 11), r"the small hole needs level 18, and with 6 "
                 "trees level 15 is the finest possible: give a less extreme"),
                (("--q", 1, "--orbits", 3, "--budget", "1 A100, 1 day"), "--budget: the machine 'A100' of '1 A100, 1 day' is not known; name cores"),
                (("--q", 1, "--orbits", 3, "--budget", "1 day"), "--budget: '1 day' names no machine"),
                (("--q", 1, "--orbits", 3, "--budget", "2 GPUs"), "--budget: the speed of '2 GPUs' is not known")):
            with self.subTest(words):
                refusal = self.new(*words, code=3)
                self.assertRegex(refusal, said)
                found = re.search(said, refusal)
                if found.groups() and SLOW:  # the nearest is one
                    self.new("--q", 1, words[2], found[1], "--accuracy", "coarse")
        self.new("--q", 1, "--orbits", 3, "--accuracy", "coarse", "--budget", "2 GPUs", "--speed", "1e9")

    def test_wrong_commands(self):
        for words, said in (
                (("--orbits", "3"), "the mass ratio is missing"), (("--q", "1"), "give --orbits, --separation or --frequency"),
                (("--q", "1", "--orbits", "3", "--separation", "9"), "give one of them"),
                (("--q", "x", "--orbits", "3"), "--q: 'x' is not allowed; give a number above 0"),
                (("--q", "1/2", "--orbits", "3"), "--q: '1/2' is not allowed; give a number above 0, as in 0.5"),
                (("--q", "1", "--orbits", "3", "--chi1", "1", "2"), "--chi1: '1,2' is not allowed"),
                (("--q", "1", "--orbits", "3", "--accuracy", "best"), "--accuracy: 'best' is not allowed"),
                (("--q", "1", "--orbits", "3", "more"), "'more' is one argument too many")):
            with self.subTest(words):
                self.assertIn(said, self.tendex("new", *words, "-o", "x.yaml", code=2))
        self.assertIn("the output file is missing", self.tendex("new", "--q", "1", "--orbits", "3", code=2))
        self.assertIn("--json describes one file", self.new("--q", 1, "--orbits", 3, "--accuracy", "all", code=2))
        self.assertIn("give one of them", self.tendex("check", "x.yaml", "-n", "2", "--machine", "2 H200", code=2))

    def test_files_are_not_lost(self):
        words = ("new", "--q", "1", "--orbits", "3", "--accuracy", "coarse", "-o")
        (self.folder / "x.yaml").write_text("mine")
        self.assertIn("the file exists; give another name, or --overwrite",
                      self.tendex(*words, "x.yaml", code=4))
        self.assertEqual((self.folder / "x.yaml").read_text(), "mine")
        self.assertIn("none/x.yaml", self.tendex(*words, "none/x.yaml", code=4))

    # Beside runs

    def recorded(self, name):
        return json.loads(Records(RESULTS).read()[f"{name}.json"])

    def test_mergers_of_runs(self):
        """Times of the common horizon of runs that are recorded, within 2%."""
        for name, q, separation, *spins in (("q1_45l", 1, 10), ("q2_high", 2, 8), ("q4", 4, 8), ("q2_o3c", 2, 7.555),
                                            ("q124_standard", 1.24, 8.689, "--chi1", 0.31, "--chi2", -0.46)):
            with self.subTest(name):
                seen = self.recorded(name)["remnant"]["merger"]["common_horizon"]
                self.new("--q", q, "--separation", separation, *spins, "--accuracy", "coarse")
                self.assertAlmostEqual(self.numbers["merger"] / seen, 1, delta=0.02)

    def test_the_command_of_a_file(self):
        """The precessing file of RESULTS.md is what the command in its head plans."""
        text = (PAR / "bbh_precessing.yaml").read_text()
        command = re.search("# Source +tendex new (.*)\n# +(.*)\n", text)
        self.new(*shlex.split(command[1] + " " + command[2]))
        self.assertEqual(settings(self.text), settings(text) | {"waves.text": "true"})

    def foreseen(self, file, machine, *sets):
        said = self.tendex("check", str(PAR / file), "--machine", machine, *(w for s in sets for w in ("--set", s)))
        value, unit = re.search(r"(\S+) (s|min|h|days) on .*, everything included", said).groups()
        return float(value) * UNITS[unit]

    def test_times_of_runs(self):
        """Wall times of whole runs that are recorded, and of one in BENCHMARKS.md, within 25%."""
        for name, file, machine, *sets in (
                ("seed_q1l", "bbh_q1.yaml", "1 H200"), ("q1_45l", "bbh_q1_d10.yaml", "1 H200"),
                ("q4", "bbh_q4.yaml", "2 H200"), ("r1_45l", "bbh_r1.yaml", "1 H200", "run.t_end=258")):
            with self.subTest(name):
                run = self.recorded(name)["run"]
                self.assertIn(f"{machine[0]} x NVIDIA {machine[2:]}", run["device"])
                self.assertAlmostEqual(self.foreseen(file, machine, *sets) / run["wall_s"], 1, delta=0.25)
        for machine, seconds in (("1 H200", 7.327), ("2 cores", 401.4)):
            self.assertAlmostEqual(self.foreseen("bbh_qc0.yaml", machine) / seconds, 1, delta=0.25)

    def test_machines(self):
        """A machine has ranks, memory and time."""
        said = self.tendex("check", str(PAR / "bbh_q4.yaml"), "--machine", "2 H200, 2 GB, 10 min")
        self.assertRegex(said, r"ranks +2 ranks")
        self.assertRegex(said, r"note: a GPU needs \S+ GiB and has 1.86 GiB: use more of them")
        self.assertRegex(said, r"note: the run takes \S+ min on 2 H200, more than the 10 min given: `tendex new --budget'")
        self.assertIn("is not understood", self.tendex("check", str(PAR / "bbh_q4.yaml"), "--machine", "a few", code=3))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
