"""dev/scaling.py and dev/benchmarks.py on runs made here: real ones, of the smallest grids.

    scaling.py TENDEX MPIRUN..."""

import contextlib
import csv
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "dev"))
import benchmarks  # noqa: E402
import scaling  # noqa: E402
from tendex.base.program import Program  # noqa: E402
from tendex_dev.bench_runs import adopt  # noqa: E402
from tendex_dev.family import grid_of  # noqa: E402

TENDEX, MPIRUN = str(Path(sys.argv[1]).resolve()), sys.argv[2:]
RUN = """run:
  t_end: 0.2
grid:
  extent: 8
  level_min: 1
  level_max: 2
  bh_radius: 0.5
initial_data:
  type: single_puncture
  bh1_mass: 1
"""


class ScalingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="tendex-test-")
        cls.folder = Path(cls.temporary.name) / "series"
        cls.parameters = Path(cls.temporary.name) / "run.yaml"
        cls.parameters.write_text(RUN)
        cls.words = [str(cls.folder), "--program", TENDEX, "--launcher", shlex.join([*MPIRUN, "-n", "{ranks}"]),
                     "--threads", "1", "--ranks", "1,2", "--steps", "1", "--device", "cpu", "--arguments", "--levels 1",
                     "--strong", "3e4", "--weak", "16384", "--run", str(cls.parameters), "--timeout", "100"]
        cls.code, cls.out, cls.errors = cls.scaling(*cls.words)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @staticmethod
    def call(main, words):
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = main(list(words))
        return code, out.getvalue(), errors.getvalue()

    @classmethod
    def scaling(cls, *words):
        return cls.call(scaling.main, words)

    def draw_nothing(self):
        """Pictures take most of the time of a report."""
        self.addCleanup(setattr, scaling, "draw", scaling.draw)
        scaling.draw = lambda *_: {}

    def raw(self, name):
        return json.loads((self.folder / f"{name}.json").read_text())

    def test_series(self):
        self.assertEqual(self.code, 0, self.errors)
        rows = list(csv.DictReader(io.StringIO((self.folder / "scaling.csv").read_text())))
        self.assertEqual([(r["series"], r["ranks"]) for r in rows],
                         [("strong", "1"), ("strong", "2"), ("weak", "1"), ("weak", "2")])
        one, two = self.raw("strong-30000-r1-n0"), self.raw("strong-30000-r2-n0")
        self.assertEqual(one["points"], two["points"])
        self.assertEqual(float(rows[1]["step_s"]), two["rk4_step"]["seconds"])
        speed_up = one["rk4_step"]["seconds"] / two["rk4_step"]["seconds"]
        self.assertAlmostEqual(float(rows[1]["efficiency"]), speed_up / 2)
        weak = [self.raw("weak-16384-r1-n0"), self.raw("weak-32768-r2-n0")]
        rates = [w["rk4_step"]["point_stages_per_s"] for w in weak]
        self.assertAlmostEqual(float(rows[3]["efficiency"]), rates[1] / 2 / rates[0])

    def test_report(self):
        text = (self.folder / "scaling.md").read_text()
        data = json.loads((self.folder / "scaling.json").read_text())
        efficiency = data["series"][0]["ranks"]["2"]["efficiency"]
        self.assertIn(f"| {100 * efficiency:.1f} % |", text)
        for name in ("strong", "weak", "rates", "pieces", "runs", "phases"):
            self.assertIn(f"({name}.png)", text)
            self.assertEqual((self.folder / f"{name}.png").read_bytes()[:4], b"\x89PNG")
            self.assertEqual((self.folder / f"{name}.pdf").read_bytes()[:4], b"%PDF")
        # The smallest grid is larger than what was asked for on one rank.
        one = self.raw("weak-16384-r1-n0")["points"]
        self.assertGreater(one, 1.15 * 16384)
        self.assertIn(f"on 1 ranks the grid has {one:,} points a rank where 16,384 were asked for", text)
        shares = self.raw("run-r2-n0")["phases"]["rhs"]
        self.assertAlmostEqual(data["phases"][1]["seconds"]["rhs"], shares["mean_s"])

    def test_runs(self):
        """Seconds, efficiencies and checksum of whole runs on one and two ranks, level by level."""
        one, two = self.raw("run-r1-n0"), self.raw("run-r2-n0")
        kept = json.loads((self.folder / "scaling.json").read_text())["runs"][0]
        self.assertEqual((kept["kind"], kept["unit"], [r["ranks"] for r in kept["rows"]]), ("strong", "rank", [1, 2]))
        for raw, row in zip((one, two), kept["rows"]):
            took = raw["evolution_wall_s"] - raw["phases"]["checkpoint"]["mean_s"]
            self.assertAlmostEqual(row["run_s"], took)
            self.assertAlmostEqual(row["steps_s"], raw["step_share"] * raw["evolution_wall_s"])
            self.assertEqual((row["regrid_s"], row["wait_s"]), tuple(raw["phases"][p]["mean_s"] for p in ("regrid", "wait")))
        rows = kept["rows"]
        self.assertAlmostEqual(rows[1]["efficiency_of_run"], rows[0]["run_s"] / rows[1]["run_s"] / 2)
        text = (self.folder / "scaling.md").read_text()
        self.assertIn(f"Checksum of the last state on all: {one['field_checksum']}.", text)
        self.assertIn(f"| {two['evolution_wall_s'] - two['phases']['checkpoint']['mean_s']:.3g} |", text)
        # Octants and steps of levels are all the work that was counted, as the grid did not change.
        octants, steps = one["levels"], one["steps"]
        self.assertEqual(sorted(octants), ["1", "2"])
        self.assertEqual(one["point_stages"], 4 * 512 * ((octants["1"] + octants["2"] // 8) * steps / 2 + octants["2"] * steps))
        share = octants["2"] * 2 / (octants["2"] * 2 + octants["1"] + octants["2"] // 8)
        self.assertIn(f"| 2 | 2 | {100 * share:.1f}% | {octants['2']} | {octants['2'] // 2} |", text)

    def run_folders(self, name):
        """Folders as `tendex run' leaves them."""
        folders = []
        for ranks in (1, 2):
            folders.append(Path(self.temporary.name) / name / f"out{ranks}")
            folders[-1].mkdir(parents=True)
            (folders[-1] / "summary.json").write_text(json.dumps(self.raw(f"run-r{ranks}-n0")))
            (folders[-1] / "log.txt").write_text("Tendex 1.0.0, 2026-11-26T04:52:37+0000\n")
        return folders

    def test_reads_run_folders(self):
        """Runs made elsewhere give the same numbers, once; runs that did not compute the same are no series."""
        self.draw_nothing()
        folders = self.run_folders("read")
        folder = folders[0].parent / "series"
        words = [str(folder), "--read", *map(str, folders)]
        code, _, errors = self.scaling(*words)
        self.assertEqual(code, 0, errors)
        adopt(folder, "run", folders)
        here, there = (json.loads((f / "scaling.json").read_text()) for f in (self.folder, folder))
        self.assertEqual(there["runs"], here["runs"])
        self.assertEqual(there["date"], "2026-11-26T04:52:37Z")
        self.assertEqual(len(list(folder.glob("run-*.json"))), 2)
        data = json.loads((folders[1] / "summary.json").read_text())
        for change, said in (({"field_checksum": "0"}, "different checksums of the last state"), ({"t": 1.0}, "different ends"),
                             ({"complete": False, "ended": "SIGTERM"}, "not complete: it was ended by SIGTERM"),
                             ({"code_version": "0"}, "different versions"), ({"ranks": None}, "give the folder of a run")):
            (folders[1] / "summary.json").write_text(json.dumps({**data, **change}))
            code, _, errors = self.scaling(str(folder.with_name("other")), *words[1:])
            self.assertEqual(code, 1)
            self.assertIn(said, errors)
            shutil.rmtree(folder.with_name("other"))

    def test_weak_runs(self):
        """The family of --weak-run: refined regions that grow, on grids that `tendex check' and a run see alike."""
        grid = grid_of(Program(TENDEX).ask("check", str(self.parameters), "--speed", "1"))
        one = self.raw("run-r1-n0")
        self.assertEqual((grid.points, 4 * grid.work * one["steps"] / 2), (one["points"], one["point_stages"]))
        words = [str(self.folder), "--program", TENDEX, "--ranks", "1,2", "--plan", "--run", str(self.parameters)]
        code, out, errors = self.scaling(*words, "--weak-run", "72000", "--set", "grid.bh_radius=1")
        self.assertEqual(code, 0, errors)
        radii = [float(x) for x in re.findall(r"--set grid\.bh_radius=([\d.]+)$", out, re.M)]
        self.assertEqual(len(radii), 2, out)
        self.assertLess(radii[0], radii[1])
        self.assertEqual(re.findall(r"^(weakrun-\S+):", out, re.M), ["weakrun-72000-r1-n0", "weakrun-144000-r2-n0"])
        for more, said in ((["--weak-run", "1e5", "--set", "grid.bh_radius=0"], "no refined regions to grow"),
                           (["--weak-run", "1e5", "--set", "grid.bh_radios=0"], "grid.bh_radios")):
            code, _, errors = self.scaling(*words, *more)
            self.assertEqual(code, 1)
            self.assertIn(said, errors)
        self.assertIn("--run FILE", self.scaling(*words[:-2], "--weak-run", "1e5")[2])

    def test_levels(self):
        """Where levels of a file take steps of their own, a step is a macro step, and has no pieces."""
        folder = Path(self.temporary.name) / "levels"
        words = ["--program", TENDEX, "--launcher", shlex.join([*MPIRUN, "-n", "{ranks}"]), "--threads", "1", "--ranks", "1",
                 "--steps", "1", "--device", "cpu", "--grid", str(self.parameters), "--strong", "3e4", "--timeout", "100"]
        code, _, errors = self.scaling(str(folder), *words)
        self.assertEqual(code, 0, errors)
        text, data = (folder / "scaling.md").read_text(), json.loads((folder / "strong-30000-r1-n0.json").read_text())
        self.assertGreater(data["rk4_step"]["macro_step"], 0)
        self.assertNotIn("Pieces", text)
        self.assertFalse((folder / "pieces.png").exists())
        self.draw_nothing()
        folder = folder.with_name("one_step")
        code, _, errors = self.scaling(str(folder), *words, "--arguments", "--set evolution.time_steps=global")
        self.assertEqual(code, 0, errors)
        self.assertIn("## Pieces of a stage", (folder / "scaling.md").read_text())

    def test_tables_need_no_plots(self):
        """Where there is no Matplotlib."""
        report = self.folder / "scaling.md"
        self.addCleanup(report.write_text, report.read_text())
        code = "import sys; sys.modules['matplotlib'] = None; import scaling; sys.exit(scaling.main(sys.argv[1:]))"
        p = subprocess.run([sys.executable, "-c", code, str(self.folder)], cwd=ROOT / "dev", capture_output=True,
                           text=True)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("no plots", p.stderr)
        self.assertNotIn(".png", report.read_text())

    def test_script(self):
        """The same runs by a shell script; the tool takes their results for its own."""
        self.draw_nothing()
        folder = Path(self.temporary.name) / "by_script"
        folder.mkdir()
        words = [str(folder), *self.words[1:], "--ranks", "2", "--script", str(folder / "run.sh")]
        self.assertEqual(self.scaling(*words)[0], 0)
        p = subprocess.run(["sh", "run.sh"], cwd=folder, capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
        self.assertEqual(self.scaling(str(folder))[0], 0)
        commands = json.loads((folder / "scaling.json").read_text())["commands"]
        self.assertEqual(commands, [shlex.join(["dev/scaling.py", *words])])
        code, out, errors = self.scaling(*words[:-2])
        self.assertEqual(code, 0, errors)
        self.assertEqual(out.count("there already"), 3)
        self.assertEqual(sorted(f.name for f in folder.glob("*.run")), [])

    def test_resumes(self):
        """What is there is not run again; what is missing is; another command is refused."""
        self.draw_nothing()
        kept, gone = self.folder / "strong-30000-r1-n0.json", self.folder / "strong-30000-r2-n0.json"
        before = kept.stat().st_mtime_ns
        gone.unlink()
        (self.folder / "strong-30000-r2-n0.part.json").write_text("{")
        code, out, errors = self.scaling(*self.words)
        self.assertEqual(code, 0, errors)
        self.assertEqual(out.count("there already"), 5)
        self.assertEqual(kept.stat().st_mtime_ns, before)
        self.assertTrue(gone.exists())
        code, _, errors = self.scaling(*self.words, "--steps", "2")
        self.assertEqual(code, 1)
        self.assertIn("take another folder", errors)

    def failing(self, *changes):
        folder = Path(self.temporary.name) / "failing"
        code, _, errors = self.scaling(str(folder), *self.words[1:], *changes)
        self.assertEqual(code, 1)
        self.assertEqual(list(folder.glob("*-n0.json")), [])
        self.assertFalse((folder / "scaling.md").exists())
        return errors

    def test_failures_leave_no_results(self):
        self.assertIn("--levels", self.failing("--arguments", "--levels 99"))
        self.assertIn("computed on 1 ranks in place of 2", self.failing("--launcher", "env N={ranks}", "--ranks", "2"))
        self.assertIn("not found", self.failing("--program", "/nowhere/tendex", "--launcher", "/nowhere/run {ranks}"))
        self.assertIn("{ranks}", self.failing("--launcher", "mpirun"))

    def test_grids_that_differ_are_no_series(self):
        path = self.folder / "strong-30000-r2-n0.json"
        text = path.read_text()
        self.addCleanup(path.write_text, text)
        data = json.loads(text)
        data["points"] += 512
        path.write_text(json.dumps(data))
        code, _, errors = self.scaling(str(self.folder))
        self.assertEqual(code, 1)
        self.assertIn("grids of a strong series differ", errors)

    def test_benchmarks(self):
        """Rows of BENCHMARKS.md: added, brought up to date, judged."""
        kept = Path(self.temporary.name) / "kept"
        kept.mkdir()
        file = kept / "measurements.json"
        file.write_text("[]")
        self.addCleanup(setattr, benchmarks, "KEPT", benchmarks.KEPT)
        benchmarks.KEPT = kept
        name = "strong-30000-r2-n0"
        rate = self.raw(name)["rk4_step"]["point_stages_per_s"]

        def put(json_name, table, row, value, *more):
            words = ["take", str(self.folder / f"{json_name}.json"), "--table", table, "--name", row, "--value", value]
            return self.call(benchmarks.main, [*words, *more])

        self.assertEqual(put(name, "A", "step", "rk4_step.point_stages_per_s", "--at-least", str(0.9 * rate))[0], 0)
        self.assertEqual(put("scaling", "B", "two", "series.strong-cpu-30000.ranks.2.efficiency", "--unit", "%")[0], 0)
        self.assertEqual(put(name, "A", "update", "pipelines.cpu.kernels.update.seconds", "--unit", "s")[0], 0)
        code, out, _ = put(name, "A", "step", "rk4_step.point_stages_per_s", "--at-least", str(1.1 * rate))
        self.assertEqual(code, 0)
        self.assertIn("missed", out)
        rows = json.loads(file.read_text())
        self.assertEqual([(r["table"], r["name"]) for r in rows], [("A", "step"), ("A", "update"), ("B", "two")])
        self.assertEqual((rows[0]["value"], rows[0]["at_least"]), (rate, float(str(1.1 * rate))))
        self.assertIn("bench --device cpu --steps 1 --levels 1 --points 30000", rows[0]["command"])
        self.assertTrue(rows[2]["command"].startswith(f"dev/scaling.py {self.folder}"))
        before = file.read_text()
        for value in ("rk4_step.nothing", "rk4_step", "machine"):
            code, _, errors = put(name, "A", "bad", value)
            self.assertEqual(code, 1)
            self.assertIn(value.split(".")[-1], errors)
        self.assertEqual(file.read_text(), before)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
