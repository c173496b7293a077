"""tools/tendex-orbit with a stand-in for the program, whose orbits are those of the 3PN Hamiltonian."""

import contextlib
import functools
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import orbits  # noqa: E402
import stand_in  # noqa: E402
import synthetic  # noqa: E402
from tendex.base import program  # noqa: E402
from tendex.base.parameter_file import parameters_of  # noqa: E402
from tendex.base.program import Signals  # noqa: E402
from tendex.orbits import cli, forecast, goal, report  # noqa: E402
from tendex.orbits.goal import Goal  # noqa: E402
from tendex.orbits.loop import Loop as Loop_  # noqa: E402
from tendex.orbits.runner import Runner, Stopped  # noqa: E402
from tendex.waves.inspiral import eccentricity_fit, eccentricity_momenta, eccentricity_waves  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal.modes import WaveError  # noqa: E402

HERE = Path(__file__).resolve().parent
FILE = """\
# A binary.
run:
  t_end: 1000 # M
  folder: "{top}/out/q3"
initial_data:
  type: quasi_circular  # of 3.5PN
  separation: 12
  mass_ratio: 3
  # a comment
waves:
  l_max: 2
checkpoint:
  at_end: false
"""


class Plans(unittest.TestCase):
    def test_forecast(self):
        """Runs without spins: the window that their tracks would have, and the time to the merger, for q = 1 from 10 M."""
        got = forecast.forecast(10.0, (0.5, 0.5))
        self.assertTrue(800 < got.merger < 910, got)
        self.assertTrue(520 < got.window < 600, got)
        self.assertAlmostEqual(got.frequency, 0.0275, delta=0.0006)
        twice = forecast.forecast(20.0, (1.0, 1.0))
        self.assertAlmostEqual(twice.window, 2 * got.window, delta=1e-6)
        with self.assertRaisesRegex(WaveError, "radial periods from"):
            forecast.forecast(8.0, (0.5, 0.5))
        # Spins against the orbit move the last stable one outwards.
        self.assertGreater(forecast.forecast(8.5, (0.75, 0.25)).window, 390)
        with self.assertRaisesRegex(WaveError, r"0\.7\d radial periods from"):
            forecast.forecast(8.5, (0.75, 0.25), [[0, 0, -0.8], [0, 0, -0.8]])
        # An apastron at 12 M is that of an orbit from 10.9 M, a periastron that of one from 13.3 M.
        apastron, periastron = (forecast.forecast(12.0, (0.5, 0.5), e=0.1, phase=phase) for phase in (np.pi, 0.0))
        circles = [forecast.forecast(12.0 / (1 - e), (0.5, 0.5)) for e in (-0.1, 0.1)]
        for eccentric, circle in zip((apastron, periastron), circles):
            self.assertAlmostEqual(eccentric.merger / circle.merger, 0.99**3.5, delta=1e-9)
            self.assertAlmostEqual(eccentric.window / circle.window, 1.0, delta=0.03)
        with self.assertRaisesRegex(WaveError, r"1\.\d\d radial periods before the last orbits: 1.5 are needed for an eccentric"):
            forecast.forecast(10.5, (0.5, 0.5), e=0.1, phase=np.pi)

    def test_goal(self):
        fit = eccentricity_fit.Fit(e=0.1, e_error=0, e_frequency=0, e_frequency_error=0, k=0.7, window=(), orbits=(),
                                   periods=2, fits=1, separation=12.0, frequency=0.02, radial_frequency=0.014, rate=0.0,
                                   acceleration=0.0, track=None, whole=None, oscillation=None, fitted=None)
        self.assertEqual(Goal(1e-3).orbit(12.0), (0.0, 0.0))
        self.assertAlmostEqual(Goal(0.2).miss(fit, 12.0), 0.5)
        # e_gw of 0.1 at 12 M: the semi-major axis is 12 / (1 + e) from an apastron on.
        e, phase = Goal(0.1, 180.0).orbit(12.0)
        self.assertAlmostEqual(phase, np.pi)
        self.assertAlmostEqual(e * (1 - 0.83 * (1 + e) / 12), 0.1)
        # Mean anomalies are of time: 78.564 degrees where the orbit with e = 0.1 has turned by 90.
        wanted = Goal(0.1 * (1 - 0.83 * 0.99 / 12), 78.564)
        self.assertAlmostEqual(wanted.orbit(12.0)[0], 0.1, delta=1e-4)
        self.assertAlmostEqual(wanted.orbit(12.0)[1], np.pi / 2, delta=0.02)

    def test_eccentric(self):
        """From a circle to an orbit that begins at its apastron, and to one that begins at its periastron, with two corrections:
        the turning points of the 3PN Hamiltonian are those of the eccentricity that was asked for."""
        for anomaly, separation, other in ((180.0, 13.0, (8.0, 12.0)), (0.0, 11.0, (12.0, 17.0))):
            wanted, state = Goal(0.1, anomaly), orbits.start(separation, 0.0, 0.0, 0.25)
            m, x = (0.5, 0.5), (np.array([separation / 2, 0, 0]), np.array([-separation / 2, 0, 0]))
            length = forecast.forecast(separation, m, np.zeros((2, 3)), *wanted.orbit(separation)).window
            for _ in range(3):
                t, d, angle = orbits.orbit((separation, *state[1:]), 0.25, length)
                line = d[:, None] / 2 * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
                fit = eccentricity_fit.fit(t, [line, -line], m)
                p = 0.25 * np.array([state[1], state[2], 0.0])
                new = eccentricity_momenta.correct(fit, m, x, (p, -p), wanted.orbit(separation))
                last, state = state, (separation, *(4 * new.momenta[0][:2]))
            self.assertLess(wanted.miss(fit, separation), 1.0)
            ends = sorted([separation, self.turning(separation, separation * last[2], other)])
            self.assertAlmostEqual((ends[1] - ends[0]) / sum(ends), wanted.orbit(separation)[0], delta=0.006)

    @staticmethod
    def turning(r, L, between):
        """The other turning point of an orbit that has one at r."""
        return brentq(lambda x: orbits.third(x, 0.0, L, 0.25) - orbits.third(r, 0.0, L, 0.25), *between)

    def test_waves(self):
        """e_gw of the quadrupole of an orbit that loses nothing, from an apastron at 13 M on."""
        L = 0.965 * orbits.circular(orbits.third, 13.0, 0.25)
        near = self.turning(13.0, L, (8.0, 12.0))

        def rates(t, y):
            by_r, by_p, by_l = orbits.slopes(orbits.third, y[0], y[1], L, 0.25)
            return by_p, -by_r, by_l
        t = np.arange(0.0, 700.0, 0.5)
        r, _, angle = solve_ivp(rates, (0.0, t[-1]), (13.0, 0.0, 0.0), t_eval=t, rtol=1e-8, atol=1e-10).y
        wave = np.gradient(np.gradient((r * np.exp(-1j * angle)) ** 2, t), t)[2:-2]
        rate = np.gradient(-np.unwrap(np.angle(wave)), t[2:-2])[2:-2]
        e, a = (13.0 - near) / (13.0 + near), (13.0 + near) / 2
        self.assertTrue(0.08 < e < 0.12, e)
        self.assertAlmostEqual(eccentricity_waves.standard(rate.max(), rate.min()) / e, 1 - goal.OF_WAVES / a, delta=0.005)


class Forked:
    """The stand-in as a child of this process, which has loaded what takes long to load. As subprocess.Popen."""

    def __init__(self, words, stdout):
        synthetic.keep()
        self.pid = os.fork()
        if not self.pid:
            code = 1
            try:
                for n in (1, 2):
                    os.dup2(stdout.fileno(), n)
                sys.stdout, sys.stderr = (os.fdopen(n, "w", buffering=1) for n in (1, 2))
                code = stand_in.main(words)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)

    def wait(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


STAND_IN, POPEN = str(HERE / "stand_in.py"), subprocess.Popen


def popen(command, *rest, **options):
    """Runs without a launcher are forked; all others are processes as ever."""
    if list(command[:2]) == [STAND_IN, "run"]:
        return Forked(command[1:], options["stdout"])
    return POPEN(command, *rest, **options)


class Loop(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        orbits.start(12.0, 1e-2, 2.0, 0.1875)  # that of FILE, for all children

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="tendex-orbit-")
        self.addCleanup(temporary.cleanup)
        self.top = Path(temporary.name).resolve()
        self.file = self.top / "q3.yaml"
        self.file.write_text(FILE.format(top=self.top))
        # A picture takes longer than all the rest: one is drawn, in the end.
        self.draw = mock.patch.object(report, "draw").start()
        mock.patch.object(program.subprocess, "Popen", popen).start()
        # It says the same of itself each time.
        mock.patch.object(cli, "Program", functools.cache(program.Program)).start()
        self.addCleanup(mock.patch.stopall)
        self.order = self.top / "order"
        os.environ["STAND_IN"] = str(self.order)
        self.loop = self.top / "out" / "q3.orbit"

    def call(self, *words, file=None, e=1e-3):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                wanted = [] if e is None else ["--eccentricity", str(e)]
                code = cli.main([str(file or self.file), *wanted, "--program", STAND_IN,
                                 *map(str, words)])
            except SystemExit as e:
                code = e.code
        return code, out.getvalue(), err.getvalue()

    def members(self):
        return json.loads((self.loop / "orbit.json").read_text())["members"]

    def test_from_file_to_run(self):
        """Interrupted, and a failure on the way: nothing is done twice."""
        text = self.file.read_text()
        self.order.write_text("stop")
        code, out, err = self.call()
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"q3_0: stopped.*: SIGUSR1; the same command continues it")
        self.order.write_text("fail")
        code, out, err = self.call()
        self.assertEqual(code, 3)
        self.assertRegex(err, "tendex-orbit: error: q3_0: initial_data.bh1_mass: cannot be reached, exit code 3; see .*q3_0.out")
        code, out, err = self.call()
        self.assertEqual((code, err), (0, ""))
        self.assertIn(f"run -q --restart {self.loop}/q3_0 --set run.t_end=", out)
        members = self.members()
        e = [m["fit"]["e"] for m in members]
        self.assertAlmostEqual(e[0], 9.1e-3, delta=5e-4)
        self.assertTrue(all(b < a / 3 for a, b in zip(e, e[1:])), e)
        self.assertTrue(e[-2] > 1e-3 >= e[-1], e)
        # The last member became the run.
        run, last = Run(self.top / "out" / "q3"), len(members) - 1
        self.assertEqual(run.summary["t"], 1000.0)
        self.assertFalse((self.loop / f"q3_{last}").exists())
        self.assertTrue((self.loop / "q3_0").exists())
        self.assertEqual(out.count("run -q"), last + 2, out)
        # Members end with a checkpoint; the run as its file says.
        self.assertIn("checkpoint:\n  at_end: true\n", (self.loop / "q3_0.yaml").read_text())
        self.assertIn(f"--restart {self.top}/out/q3 --set checkpoint.at_end=false --set run.t_end=1000\n", out)
        # Its momenta, in a file with the rest as it was.
        found = parameters_of((self.loop / "q3.yaml").read_text(), "q3.yaml")
        np.testing.assert_allclose(found["initial_data.bh1_momentum"], run.momenta[0], rtol=1e-11)
        self.assertEqual((found["initial_data.type"], found["initial_data.masses"], found["run.folder"],
                          found["run.t_end"]), ("two_punctures", "adm", str(self.top / "out" / "q3"), 1000))
        self.assertNotIn("initial_data.mass_ratio", found)
        self.assertIn("# A binary.", (self.loop / "q3.yaml").read_text())
        self.assertEqual(self.file.read_text(), text)
        table = (self.loop / "orbit.txt").read_text()
        self.assertEqual(len(table.splitlines()), 2 + len(members))
        self.assertIn(table.rstrip(), out)
        self.assertEqual(self.draw.call_count, len(members))
        mock.patch.stopall()
        with mock.patch.object(report.plots, "save", side_effect=report.plots.save) as saved:
            report.draw(*self.draw.call_args.args)
        low, high = saved.call_args.args[0].axes[1].get_xlim()
        self.assertTrue(low < 0 and high > len(members) - 1)  # no marker is cut
        self.assertGreater((self.loop / "orbit.png").stat().st_size, 10000)
        # Again: nothing is left to do.
        code, out, _ = self.call()
        self.assertEqual((code, out.count("run -q")), (0, 0))

    def test_signals_that_mpirun_loses(self):
        """Signals come before there are ranks; they are sent again until the program answers, and then no more."""
        source = (HERE.parents[1] / "src" / "base" / "signals.c").read_text()
        self.assertIn(Signals.ANSWER.decode() + ", writing", source)
        for number in (signal.SIGUSR1, signal.SIGINT, signal.SIGTERM):
            with self.subTest(number), mock.patch.object(Signals, "ANSWER_S", 0.1):
                shutil.rmtree(self.loop, ignore_errors=True)
                self.order.write_text("signal")
                sender = threading.Thread(target=self.send, args=(number,))
                sender.start()
                self.stopped(self.call("--launcher", HERE / "stand_in_mpirun.py"), sender)

    def test_a_launcher_that_passes_no_signals_on(self):
        """A rank gets the signal from the tool, once, even if it does not answer; never before it takes signals."""
        launcher = self.top / "launcher"
        launcher.write_text("#!/bin/sh\ntrap : USR1\necho no ranks yet\n"
                            "\"$@\" & while :; do wait $!; code=$?; [ $code -gt 128 ] || exit $code; done\n")
        launcher.chmod(0o755)
        for order in ("signal", "signal without answer"):
            with self.subTest(order), mock.patch.object(Signals, "ANSWER_S", 0.1):
                shutil.rmtree(self.loop, ignore_errors=True)
                self.order.write_text(order)
                sender = threading.Thread(target=self.send, args=(signal.SIGUSR1,))
                sender.start()
                self.stopped(self.call("--launcher", launcher), sender)

    def stopped(self, called, sender):
        sender.join()
        code, out, err = called
        self.assertEqual((code, err), (0, ""))
        self.assertIn("q3_0: stopped; the same command continues it", out)
        said = (self.loop / "q3_0.out").read_text()
        self.assertEqual((said.count("finishing the step"), said.count("at once")), (1, 0), said)

    def send(self, number):
        """Once the launcher is there; twice, as timeout does."""
        out, end = self.loop / "q3_0.out", time.monotonic() + 60
        while not (out.exists() and "no ranks yet" in out.read_text()) and time.monotonic() < end:
            time.sleep(0.01)
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), number)

    def test_signal_between_runs(self):
        with Runner(None, [], print) as run:
            os.kill(os.getpid(), signal.SIGTERM)
            with self.assertRaisesRegex(Stopped, "q3_1: stopped before it began"):
                run(self.top / "q3_1", self.top / "q3_1.yaml", 100.0)

    def test_not_reached(self):
        code, out, err = self.call("--corrections", 1, e=1e-5)
        self.assertEqual(code, 6)
        self.assertRegex(err, r"error: e of 1e-05 or less is not reached with 1 corrections; the best member is 1, e = 0\.00")
        self.assertFalse((self.top / "out" / "q3").exists())
        code, out, _ = self.call("--corrections", 1, "--best", e=1e-5)
        self.assertEqual((code, out.count("run -q")), (0, 1))
        self.assertTrue((self.top / "out" / "q3" / "summary.json").exists())
        code, out, _ = self.call("--corrections", 3, e=1e-5)
        self.assertEqual((code, out.count("run -q")), (0, 0))
        self.assertIn("member 1 was chosen before, by --best", out)

    @unittest.skipUnless(Path("/dev/shm").is_dir() and Path("/dev/shm").stat().st_dev != Path(tempfile.gettempdir()).stat().st_dev,
                         "/dev/shm is no other file system")
    def test_file_systems(self):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as other:
            code, _, err = self.call("--folder", Path(other) / "q3")
        self.assertEqual(code, 3)
        self.assertIn("lies on another file system than the run will", err)

    def test_only_the_file(self):
        dotted = self.file.rename(self.top / "q3.5.yaml")
        code, out, _ = self.call("--only", "--set", "waves.l_max=3", "--folder", self.top / "here", file=dotted, e=0.02)
        self.assertEqual((code, out.count("run -q")), (0, 1))
        self.assertIn("  l_max: 3\n", (self.top / "here" / "q3.5.yaml").read_text())
        self.assertEqual({p.name for p in (self.top / "here").glob("*.yaml")}, {"q3.5.yaml", "q3.5_0.yaml"})
        self.assertFalse((self.top / "out" / "q3").exists())

    def test_nothing_has_run(self):
        """After a first run that could not start, the file and what is asked for may change."""
        code, _, err = self.call("--launcher", "no-mpirun -n 2")
        self.assertEqual(code, 3)
        self.assertIn("no-mpirun: No such file or directory; --launcher names what starts ranks, e.g. 'mpirun -n 2'", err)
        said = self.call("--launcher", "sh -c 'echo; echo not as root; exit 7'")
        self.assertEqual(said[0], 7)
        self.assertIn("error: q3_0: not as root, exit code 7; see", said[2])
        self.order.write_text("fail")
        self.assertEqual(self.call(e=2e-3)[0], 3)
        self.file.write_text(self.file.read_text().replace("mass_ratio: 3", "mass_ratio: 2"))
        self.order.write_text("fail")
        self.assertNotIn("begun with another", self.call(e=3e-3)[2])
        self.assertIn("mass_ratio: 2", (self.loop / "q3_0.yaml").read_text())

    def test_refused(self):
        def file(name, *changes):
            text = FILE.format(top=self.top)
            for old, new in changes:
                text = text.replace(old, new)
            (self.top / name).write_text(text)
            return {"file": self.top / name}
        near = file("near.yaml", ("separation: 12", "separation: 8"))
        for why, code, words, how in (
                (r"8 M apart the holes merge too soon .* begin 8.5 M apart or more, by `tendex new --separation 8.5'", 3, (), near),
                ("initial_data.type is noise: two_punctures or quasi_circular is needed.*; `tendex new' writes", 3, (),
                 file("noise.yaml", ("quasi_circular", "noise"))),
                ("output.track_every is 0", 3, (), file("still.yaml", ("waves:", "output:\n  track_every: 0\nwaves:"))),
                ("bh1_mass, bh2_mass above 0", 3, (), file("bare.yaml", ("quasi_circular", "two_punctures"))),
                ("short.yaml: run.t_end is 300 M, but the fit alone takes 7.* M: raise it, or give --only", 3, (),
                 file("short.yaml", ("t_end: 1000", "t_end: 300"))),
                ("endless.yaml: run.t_end is 0 M, but the fit", 3, (), file("endless.yaml", ("  t_end: 1000 # M\n", ""))),
                ("word.yaml:3: run.t_end: late is not allowed; give a number", 3, (), file("word.yaml", ("1000", "late"))),
                ("steps.yaml: run.max_steps is 50: leave it out", 3, (),
                 file("steps.yaml", ("t_end: 1000", "max_steps: 50\n  t_end: 1000"))),
                ("none.yaml: no such parameter file", 4, (), {"file": self.top / "none.yaml"}),
                ("--set run.max=3: give KEY=VALUE", 3, ("--set", "run.max=3"), {}),
                ("no-tendex: No such file", 3, ("--program", "no-tendex"), {}),
                ("--eccentricity 0: give a number above 0", 2, (), {"e": 0}),
                ("--mean-anomaly 360: give degrees", 2, ("--mean-anomaly", 360), {}),
                ("unrecognized arguments: --ecentricity 1", 2, ("--ecentricity", 1), {"e": None}),
                ("--eccentricity is missing: give a number above 0", 2, (), {"e": None}),
                ("--corrections -1: give 0", 2, ("--corrections", -1), {})):
            with self.subTest(why):
                got, _, err = self.call(*words, **how)
                self.assertEqual(got, code)
                self.assertRegex(err, why)
        self.assertFalse(self.loop.exists())
        (self.top / "out" / "q3").mkdir(parents=True)
        self.assertRegex(self.call()[2], "q3: is there already, and the run will lie there")
        (self.top / "out" / "q3").rmdir()
        self.order.write_text("stop")
        self.call()
        self.assertRegex(self.call(e=2e-3)[2], "orbit.json: was begun with another eccentricity; remove")
        for text, why in (("{", "not JSON: Expecting property name"), ("[]", "holds no names with values"),
                          ("{}", "not what tendex-orbit wrote")):
            (self.loop / "orbit.json").write_text(text)
            code, _, err = self.call()
            self.assertEqual(code, 3)
            self.assertRegex(err, f"orbit.json: {why}.*begin anew")

    def test_short_run(self):
        """With --only the end of the run is of no account; a run that ends before its member did says when that was."""
        text = self.file.read_text()
        self.file.write_text(text.replace("t_end: 1000", "t_end: 300"))
        self.assertEqual(self.call("--only", e=0.02)[0], 0)
        self.assertRegex(self.call(e=0.02)[2], "run.t_end is 300 M, but the fit")
        shutil.rmtree(self.loop)
        self.file.write_text(text.replace("t_end: 1000", "t_end: 450"))
        with mock.patch.object(forecast, "forecast", return_value=mock.Mock(window=400.0)):
            code, out, err = self.call(e=0.02)
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"going on to 440 M")
        self.assertRegex(out, r"out/q3: complete at t = [56]\d\d(\.\d+)? M")

    def test_other_forms_of_the_file(self):
        """All that the program reads is read, and changed for the members."""
        plain = Loop_(self.file, {}).parameters
        text = self.file.read_text()
        for old, new in (("run:", "---\nrun:"), ("  separation", '  "separation"'), ("mass_ratio: 3", "mass_ratio: &q 3"),
                         ("l_max: 2", "l_max: 2\noutput: {log_every: *q}"), ("at_end: false", "at_end: NO")):
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.file.write_bytes(text.encode("utf-8-sig"))
        loop = Loop_(self.file, {"run.name": "q: 3", "waves.radii": "50,60"})
        self.assertEqual(loop.parameters, plain | {"output.log_every": 3, "run.name": "q: 3", "waves.radii": [50, 60]})
        self.file.write_bytes(text.replace("binary", "bin\xe4r").encode("latin-1"))
        code, _, err = self.call()
        self.assertEqual((code, len(err.splitlines())), (3, 1), err)
        self.assertIn("q3.yaml:1: not valid YAML: byte 0xe4 is not UTF-8; save the file as UTF-8", err)

    def test_moved_folder(self):
        """A member that has not begun goes where the folder lies now."""
        self.order.write_text("fail")
        self.call()
        self.loop.rename(self.top / "moved")
        code, _, err = self.call("--only", "--folder", self.top / "moved", e=1e-3)
        self.assertEqual((code, err), (0, ""))
        self.assertTrue((self.top / "moved" / "q3_0" / "summary.json").exists())
        self.assertFalse(self.loop.exists())

    def test_named_run(self):
        """The run lies where the program would put it."""
        self.file.write_text(self.file.read_text().replace(f'folder: "{self.top}/out/q3"', "name: twins"))
        loop = Loop_(self.file, {})
        self.assertEqual((loop.run_folder, loop.folder), (Path("out/twins").resolve(), Path("out/twins.orbit").resolve()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
