"""tools/sweep.py with the real program: tables, runs that are interrupted or fail, and what goes to Slurm.

    test_sweep.py TENDEX"""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import h5py

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import sweep  # noqa: E402
from tendex import sweep_table  # noqa: E402
from tendex.base.program import Program  # noqa: E402
from tendex.sweep_runs import Sweep, orbit_of  # noqa: E402

TENDEX = sys.argv[1]
SIXTEEN = Program(TENDEX).side == 16
# Two levels of the same spacings, whatever the octants.
TOP = 2 - SIXTEEN
# A run of seconds, whatever is planned.
SMALL = [word for setting in (
    "grid.extent=16", "grid.trees=1", f"grid.level_min={TOP - 1}", "grid.bh_radius=1", "grid.bh_growth=2",
    "grid.regrid_every=0", "initial_data.tolerance=1e-3", "waves.radii=[6,8]", "waves.l_max=2",
    "waves.every=2", "horizons.every=0", "output.norms_every=10", "output.track_every=10", "output.log_every=1")
    for word in ("--set", setting)]
HEAD = "name q chi1 chi2 D level_max t_end"


def table(text, known=("grid.ball_radius", "run.max_steps", "grid.level_max", "run.t_end", "grid.bh1_level")):
    return sweep_table.parse(text, Path("t"), known)


class Table(unittest.TestCase):
    def test_both_ways_of_writing_say_the_same(self):
        blank = "# heading\nq chi1 chi2 D level_max # finest\n\n2 0.5 0.1,0,-0.2 8 -\n0.5 - - 9.5 13\n"
        comma = 'q, chi1, chi2, D, level_max\n2, 0.5, "0.1,0,-0.2", 8,\n\n# more\n0.5,,,9.5,13\n'
        a, b = table(blank), table(comma)
        for x, y in zip(a, b):
            self.assertEqual((x.name, x.q, x.chi1, x.chi2, x.separation, x.settings),
                             (y.name, y.q, y.chi1, y.chi2, y.separation, y.settings))
        self.assertEqual([(r.q, r.chi1, r.chi2, r.separation, r.settings) for r in a],
                         [(2.0, (0, 0, 0.5), (0.1, 0, -0.2), 8.0, {}),
                          (0.5, (0, 0, 0), (0, 0, 0), 9.5, {"grid.level_max": "13"})])
        self.assertEqual([r.name for r in a], ["q2_chi+0.5_+0.1_+0_-0.2_D8", "q0.5_chi+0_+0_D9.5"])
        self.assertEqual([r.line for r in a], [4, 5])

    def test_orbits(self):
        rows = table("q D eccentricity mean_anomaly\n1 12 1e-3 -\n1 12 0.1 180\n1 12 - -\n")
        self.assertEqual([(r.eccentricity, r.mean_anomaly) for r in rows], [(1e-3, None), (0.1, 180.0), (None, None)])
        self.assertEqual([r.name for r in rows], [f"q1_chi+0_+0_D12{orbit}" for orbit in ("_e0.001", "_e0.1_l180", "")])

    def test_errors_say_where_and_what(self):
        for text, message in (
                ("q D\n1 8\n2 8x\n", "t:3, column D: '8x' is not allowed; give a number above 0, in M"),
                ("q D\n-1 8\n", "t:2, column q: '-1' is not allowed"),
                ("q D\nnan 8\n", "t:2, column q: 'nan' is not allowed"),
                ("q D chi1\n1 8 1.0\n", "t:2, column chi1: '1.0' is not allowed; give one number or x,y,z"),
                ("q D chi2\n1 8 .1,.2\n", "t:2, column chi2: '.1,.2' is not allowed"),
                ("q D\n1 -\n", "t:2, column D: a value is missing"),
                ("q D spin\n1 8 0\n", "t:1: column 'spin' is unknown; give name, q, chi1"),
                ("q D grid.bal\n1 8 0\n", "t:1: column 'grid.bal' is unknown"),
                ("q D run.folder\n1 8 x\n", "t:1: column 'run.folder': the sweep itself sets this"),
                ("q D t_end run.t_end\n1 8 5 6\n", "t:1: column 't_end' is there twice"),
                ("q chi1\n1 0\n", "t:1: column 'D' is missing"),
                ("q D\n1 8 9\n", "t:2: 3 values in 2 columns"),
                ("q,D,chi1\n1,8,0.1,0,0.5\n", "t:2: 5 values in 3 columns"),
                ('q D\n1 "8\n', "t:2: No closing quotation"),
                ("name q D\na 1 8\nb 2 8\na 4 8\n", "t:4: the name 'a' is that of line 2 too"),
                ("q D t_end\n1 8 5\n1 8 6\n", "t:3: the name 'q1_chi+0_+0_D8' is that of line 2 too"),
                ("name q D\n../a 1 8\n", "t:2, column name: '../a' is not allowed"),
                ("q D eccentricity\n1 8 0.3\n", "t:2, column eccentricity: '0.3' is not allowed; give a number above 0"),
                ("q D eccentricity mean_anomaly\n1 8 0.1 360\n", "t:2, column mean_anomaly: '360' is not allowed"),
                ("q D mean_anomaly\n1 8 90\n", "t:2, column mean_anomaly: it is that of an eccentricity, which is missing"),
                ("# nothing\n", "t: no rows"), ("q D\n", "t: no rows")):
            with self.subTest(text), self.assertRaises(sweep_table.SweepError) as caught:
                table(text)
            self.assertTrue(str(caught.exception).startswith(message), str(caught.exception))


class Runs(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="tendex-sweep-")
        self.addCleanup(temporary.cleanup)
        self.top = Path(temporary.name)
        # One rank starts no daemon of MPI, which would need `ssh` and large files.
        self.environment = dict(os.environ, OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1",
                                OMPI_MCA_ess_singleton_isolated="1")

    def popen(self, *words):
        command = [sys.executable, ROOT / "tools" / "sweep.py", "s", "--program", TENDEX, *map(str, words)]
        return subprocess.Popen(command, cwd=self.top, env=self.environment, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def sweep(self, *words, code=0):
        """In this process, as Python takes longer to start than the tool to work."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.chdir(self.top), mock.patch.dict(os.environ, self.environment), \
             contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            found = sweep.main(["s", "--program", TENDEX, *map(str, words)])
        return self.said(found, code, out.getvalue(), err.getvalue())

    def sweep_alone(self, *words, code=0):
        """In a process of its own, with what the programs that it starts say."""
        p = self.popen(*words)
        out, err = p.communicate(timeout=60)
        return self.said(p.returncode, code, out, err)

    def said(self, found, code, out, err):
        self.assertEqual(found, code, out + err)
        return out if code == 0 else out + err

    def make(self, *rows, head=HEAD, code=0, more=()):
        (self.top / "t").write_text("\n".join([head, *rows]) + "\n")
        return self.sweep("--table", "t", *SMALL, *more, code=code)

    def states(self):
        self.sweep("--json", "states.json")
        return {run["name"]: run for run in json.loads((self.top / "states.json").read_text())}

    def words(self):
        return {name: run["state"] for name, run in self.states().items()}

    def waves(self, name):
        with h5py.File(self.top / "s" / name / "waves" / "mp_psi4.h5") as h:
            return {key: data[()].tobytes() for key, data in h.items()}

    def test_from_table_to_waves(self):
        said = self.make(f"a 1 0 0 5 {TOP} -", f"b 2 0.3 0,0.1,0.2 5 {TOP} 0.25", more=("--set", "run.max_steps=3"))
        self.assertRegex(said, r"b: \d+ steps, [\d.e+]+ point-stages, .* hours, [\d.]+ \w+ a rank on CPUs")
        self.assertRegex(said, r"(?m)^b +2 +0\.3 +0,0\.1,0\.2 +5 +waiting")
        self.assertIn("2 runs: 2 waiting", said)
        self.sweep("--run", "--launcher", "env TENDEX_SAID=so")
        states = self.states()
        self.assertEqual({n: r["state"] for n, r in states.items()}, {"a": "complete", "b": "complete"})
        self.assertEqual((states["b"]["q"], states["b"]["chi2"], states["b"]["t"]), (2.0, [0.0, 0.1, 0.2], 0.25))
        used = (self.top / "s" / "b" / "run.yaml").read_text()
        for line in ("max_steps: 3", "reflect: none", "mass_ratio: 2", "separation: 5", "bh1_chi: [0, 0, 0.3]",
                     "bh2_chi: [0, 0.1, 0.2]", "bh_radius: 1", "t_end: 0.25"):
            self.assertIn(f"  {line}\n", used)
        # What is complete is not touched again, and a new row is added.
        before = (self.top / "s" / "a" / "log.txt").read_text()
        # Each is handed to tendex-waves, for which they are too short.
        said = self.sweep_alone("--export", "lvcnr", code=1)
        self.assertEqual(said.count("tendex-waves export: "), 2, said)
        self.assertIn("0 of 2 complete runs are in", said)
        self.make(f"new 1 0 0 6 {TOP} 0.125", f"a 1 0 0 5 {TOP} -", f"b 2 0.3 0,0.1,0.2 5 {TOP} 0.25",
                  more=("--set", "run.max_steps=3", "--run"))
        self.assertEqual(self.words(), {"new": "complete", "a": "complete", "b": "complete"})
        self.assertEqual((self.top / "s" / "a" / "log.txt").read_text(), before)
        # A run that has begun keeps its parameters.
        said = self.make(f"a 1 0 0 7 {TOP} -", code=1)
        self.assertIn("this run has begun with other parameters than the table has now", said)

    def test_files_are_those_of_tendex_new(self):
        """With the accuracy asked for, and all that a row says over what is said for all."""
        (self.top / "t").write_text("name q chi1 D t_end\na 2 0.3 8 -\nb 0.5 - 9 300\n")
        self.sweep("--table", "t", "--accuracy", "coarse", "--set", "run.t_end=200", "--set", "waves.l_max=3")
        for name, words in (("a", ("--q", "2", "--chi1", "0.3", "--separation", "8", "--set", "run.t_end=200")),
                            ("b", ("--q", "0.5", "--separation", "9", "--set", "run.t_end=300"))):
            subprocess.run([TENDEX, "new", *words, "--accuracy", "coarse", "--set", "waves.l_max=3", "-o", "x.yaml",
                            "--overwrite", "-q"], cwd=self.top, env=self.environment, check=True)
            mine, own = ([line for line in (self.top / f).read_text().splitlines() if not line.startswith("#")]
                         for f in (f"s/{name}.yaml", "x.yaml"))
            self.assertEqual(mine, own)
        run = json.loads((self.top / "s" / "sweep.json").read_text())["runs"][0]
        self.assertTrue(300 < run["merger_estimate"] < 500 and 2 < run["orbits"] < 5, run)

    def test_memory_is_that_of_the_ranks_asked_for(self):
        row, shown = f"a 1 0 0 5 {TOP} 0.25", r"([\d.]+ \w+) a rank on CPUs"
        one, four, again = (re.search(shown, self.make(row, more=("--ranks", n)))[1] for n in ("1", "4", "4"))
        self.assertNotEqual(one, four)
        self.assertEqual(four, again)

    def test_interrupted_it_goes_on(self):
        rows = [f"a 1 0 0 5 {TOP} 4", f"b 1 0 0 6 {TOP} 0.125"]
        self.make(*rows)
        self.sweep("--run")
        whole = self.waves("a")
        (self.top / "s").rename(self.top / "whole")
        self.make(*rows)
        for number in (signal.SIGINT, signal.SIGUSR1):
            process, log = self.popen("--run"), self.top / "s" / "a" / "log.txt"
            seen = log.read_text().count(" punctures/M") if log.exists() else 0
            end = time.monotonic() + 30
            while not log.exists() or log.read_text().count(" punctures/M") == seen or \
                    len(log.read_text().split("punctures/M")[-1].splitlines()) < 5:
                self.assertIsNone(process.poll(), "it ended by itself")
                self.assertLess(time.monotonic(), end, "no progress")
                time.sleep(0.01)
            process.send_signal(number)
            out, err = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 1, out + err)
            self.assertIn("a: stopped: SIGUSR1", out)
            self.assertNotIn("b: ", out)
            self.assertEqual(self.words(), {"a": "stopped", "b": "waiting"})
        self.sweep_alone("--run")
        self.assertEqual(self.words(), {"a": "complete", "b": "complete"})
        self.assertEqual(json.loads((self.top / "s" / "a" / "summary.json").read_text())["starts"], 3)
        self.assertEqual(self.waves("a"), whole)

    def test_a_run_that_fails_leaves_the_others_alone(self):
        """One has no space for its checkpoint, another finds a file where it needs a folder."""
        self.make(f"large 1 0 0 5 {TOP} 0.125 true", f"barred 1 0 0 5 {TOP} 0.125 false",
                  f"good 1 0 0 5 {TOP} 0.125 false", head=HEAD + " checkpoint.at_end")
        obstacle = self.top / "s" / "barred" / "checkpoints"
        obstacle.parent.mkdir()
        obstacle.touch()
        said = self.sweep("--run", "--launcher", "env --ignore-signal=SIGXFSZ prlimit --fsize=1000000", code=1)
        self.assertRegex(said, r"large: failed: .*File too large.*exit code 4; see .*large.out")
        self.assertRegex(said, r"barred: failed: cannot look into .*exit code 4; see .*barred.out")
        self.assertEqual(self.words(), {"large": "failed", "barred": "failed", "good": "complete"})
        self.sweep("--run", code=1)
        self.assertEqual(self.words(), {"large": "failed", "barred": "failed", "good": "complete"})
        obstacle.unlink()
        self.sweep("--run", "--retry")
        self.assertEqual(self.words(), {"large": "complete", "barred": "complete", "good": "complete"})

    def test_orbits(self):
        """The loop is started with what the row asks for; its members show how far it is."""
        self.make(f"a 1 0 0 12 {TOP} 1000 1e-3 180", head=HEAD + " eccentricity mean_anomaly",
                  more=("--set", "run.walltime=0.001"))
        said = self.sweep("--run", "--launcher", "env TENDEX_SAID=so", code=1)
        options = "--eccentricity 0.001 --mean-anomaly 180 --set run.folder="
        self.assertIn(f"tendex-orbit {(self.top / 's').resolve()}/a.yaml {options}", said)
        self.assertIn("a: stopped: for its orbit: member 0", said)
        member = self.top / "s" / "a.orbit" / "a_0"
        used = (member / "run.yaml").read_text()
        self.assertIn("separation: 12\n", used)
        self.assertGreater(float(re.search("t_end: (.*)", used)[1]), 500)
        self.assertEqual(self.states()["a"]["state"], "stopped")
        # The rest of the loop is not there: what it says in the end.
        with (self.top / "s" / "a.out").open("a") as out:
            out.write("tendex-orbit: error: not reached\n")
        self.assertEqual(self.states()["a"]["why"], "not reached")
        run = {"name": "a", "file": "a.yaml", "eccentricity": 0.001, "mean_anomaly": 180.0}
        self.assertEqual(orbit_of(run), ["--eccentricity", "0.001", "--mean-anomaly", "180"])

    def test_errors(self):
        row = f"a 1 0 0 5 {TOP} -"
        self.assertIn("no sweep; make one with --table", self.sweep(code=1))
        self.assertIn("t:2, column q: 'x' is not allowed", self.make(f"a x 0 0 5 {TOP} -", code=1))
        said = self.make(row, f"b 1 0 0 5 {TOP} 1 99", head=HEAD + " waves.l_max", code=1)
        self.assertIn("t:2: 7 values in 8 columns", said)
        said = self.make(row + " -", f"b 1 0 0 5 {TOP} 1 99", head=HEAD + " waves.l_max", code=1)
        self.assertRegex(said, r"line 3 of the table, b: .*waves.l_max=99")
        said = self.make(f"a 1 0 0 3 {TOP} 1", code=1)
        self.assertRegex(said, r"line 2 of the table, a: .*--separation 3 M is too close: .* give --separation 4\.\d+ or more")
        self.assertIn("--set run.max=3: give KEY=VALUE", self.make(row, more=("--set", "run.max=3"), code=1))
        self.assertIn("--speed and --ranks must be above 0", self.make(row, more=("--ranks", "0"), code=1))
        self.assertIn("none: No such file", self.sweep("--table", "none", code=1))
        self.make(row)
        for option, value, owner in (("--set", "run.t_end=1", "--table"), ("--launcher", "mpirun", "--run"),
                                     ("--limit", "2", "--slurm"), ("--sbatch", "-t 1", "--slurm"),
                                     ("--meta", "m", "--export")):
            self.assertIn(f"{option} has no effect without {owner}", self.sweep(f"{option}={value}", code=1))
        self.assertIn("no run is complete, so there is nothing to export", self.sweep("--export", "sxs", code=1))
        self.assertIn("no-mpirun: No such file", self.sweep("--run", "--launcher", "no-mpirun -n 2", code=1))
        self.assertIn("no-tendex: No such file or directory; build tendex",
                      self.sweep("--run", "--program", "no-tendex", code=1))
        self.assertIn("--script none.sh: no such file", self.sweep("--slurm", "--script", "none.sh", code=1))
        (self.top / "s" / "sweep.json").write_text("{")
        self.assertIn("sweep.json: not JSON: Expecting property name", self.sweep(code=1))

    def slurm(self, name, text):
        """A command of Slurm that is none."""
        file = self.top / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)

    def test_what_is_submitted(self):
        self.make(f"a 1 0 0 5 {TOP} 0.125", more=("--run",))
        self.make(f"a 1 0 0 5 {TOP} 0.125 -", f"b 1 0 0 6 {TOP} 1 -", f"c 1 0 0 7 {TOP} 1 2e-3", head=HEAD + " eccentricity")
        path, self.environment["PATH"] = self.environment["PATH"], str(self.top / "bin")
        self.assertIn("sbatch: No such file or directory; is Slurm on this machine?", self.sweep("--slurm", code=1))
        self.environment["PATH"] += os.pathsep + path
        self.slurm("sbatch", f'printf "%s\\n" "$@" "$TENDEX_HOME" "$TENDEX_PROGRAM" >{self.top}/said\necho "77;here"\n')
        self.assertIn("job 77: 2 runs", self.sweep("--slurm", "--limit", "1", "--sbatch", "-t 60 --account='x y'"))
        said = (self.top / "said").read_text().splitlines()
        folder = (self.top / "s").resolve()
        self.assertEqual(said, ["--parsable", "--array=1-2%1", f"--output={folder}/%x-%A_%a.log", "-t", "60",
                                "--account=x y", str(ROOT / "par/slurm/array.sh"), f"{folder}/slurm-2.txt", str(ROOT),
                                str(Path(TENDEX).resolve())])
        self.assertEqual((folder / "slurm-2.txt").read_text(), "b.yaml\nc.yaml --eccentricity 0.002\n")
        self.slurm("squeue", "echo 79 77\n")
        self.assertIn("jobs of this sweep are still in the queue: 77", self.sweep("--slurm", code=1))
        self.slurm("squeue", "echo 79 78\n")
        self.slurm("sbatch", "echo 'Invalid account' >&2\nexit 1\n")
        self.assertIn("sbatch: Invalid account", self.sweep("--slurm", code=1))
        self.assertEqual(Sweep(folder).data["jobs"], ["77"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
