"""Runs that are followed while they go."""

import contextlib
import io
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import synthetic  # noqa: E402
import test_runlog  # noqa: E402
from tendex.waves.commands import cli, watch  # noqa: E402
from tendex.waves.reading import live  # noqa: E402


class Screen(io.StringIO):
    def isatty(self):
        return True


class Following(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "pair"
        synthetic.write_run(self.folder, radii=(60.0,), l_max=2, t_end=100.0, dt=1.0, common=60.0, remnant=(0.95, 0.6))
        self.summary = (self.folder / "summary.json").read_text()
        (self.folder / "summary.json").unlink()
        self.log = self.folder / "log.txt"
        self.log.write_text(test_runlog.text("").replace("steps to t = 10 M", "steps to t = 200 M"))
        self.progress(100.0, 720.0)

    def progress(self, t, speed):
        with self.log.open("a") as log:
            log.write(f"    100   {t:.4f}   {speed:.1f}  0:08:20   0.403  1.16e-06  2:212 3:344\n")

    def said(self, *options, out=None, status=0, then=()):
        """What is printed. `then': what happens while it sleeps, time after time."""
        out, err, steps = out or io.StringIO(), io.StringIO(), list(then)

        def sleep(seconds):
            self.assertTrue(steps, "it goes on")
            steps.pop(0)()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch.object(watch.time, "sleep", sleep):
            self.assertEqual(cli.main(["watch", str(self.folder), *options]), status, err.getvalue())
        self.assertEqual(steps, [])
        return out.getvalue()

    def finish(self):
        self.progress(200.0, 720.0)
        (self.folder / "summary.json").write_text(self.summary)

    def test_once(self):
        text = self.said("--once")
        for pattern in (r"^pair   running$", r"time +100 of 200 M$", r"█+░+ 50\.0%$", r"left +8\.33 min, ends \w+ \d\d:\d\d$",
                        r"speed +720 M/hour, mean 720$", r"distance +\d\.\d{3} M of 8\.000 M$",
                        r"horizon +hole 1: 0\.50000 M, spin 0\.0000, not found since t = 64 M$",
                        r"common: 0\.95000 M, spin 0\.6000, since t = 60 M$", r"constraints +Hamiltonian 2\.00e-06 \(at first 1\.0e-06\)$",
                        r"levels 2 to 3$", r"last line of the log 0 s ago"):
            self.assertRegex(text, re.compile(pattern, re.M))
        self.assertNotIn("\033", text)

    def test_lines(self):
        """One for each line of progress, and one at the end."""
        lines = self.said(then=(lambda: None, lambda: self.progress(150.0, 360.0), lambda: None, self.finish)).splitlines()
        self.assertEqual(len(lines), 4, lines)
        self.assertRegex(lines[0], r"^pair: t = 100 of 200 M \(50\.0%\); 720 M/hour; 8\.33 min left; distance \S+ M of 8\.000 M; "
                         r"Hamiltonian 2\.00e-06; horizons: common$")
        self.assertRegex(lines[1], r"^pair: t = 150 of 200 M \(75\.0%\); 360 M/hour; 5.56 min left")  # 150 M took 1000 s
        self.assertRegex(lines[3], r"^pair: complete at t = 200 M after 20\.8 min of evolution$")

    def test_a_screen(self):
        text = self.said(out=Screen(), then=(self.finish,))
        screens = text.split(watch.AGAIN)[1:]
        self.assertEqual(len(screens), 2)
        self.assertIn("\033[34mrunning", screens[0])
        self.assertRegex(screens[1], r"complete.*\n(.*\n)+ +pair: complete at t = 200 M")

    def test_a_run_that_fails(self):
        def fail():
            with self.log.open("a") as log:
                log.write("error: chi = -1, which must be positive\n")
        self.assertRegex(self.said(status=1, then=(fail,)).splitlines()[-1],
                         r"^pair: stopped at t = 100 M .*: error \(chi = -1, which must be positive\)$")
        self.assertIn("stopped", self.said("--once"))

    def test_a_run_that_has_just_begun(self):
        for name in ("horizons.asc", "puncturetracker-pt_loc..asc", "constraints.asc"):
            (self.folder / name).unlink()
        self.log.write_text("")
        self.assertIn("stopped", self.said("--once"))
        self.log.write_text(test_runlog.text(""))
        self.assertRegex(self.said("--once"), r"time +0 of 10 M")

    def test_interrupted(self):
        def interrupt():
            raise KeyboardInterrupt
        self.assertTrue(self.said(then=(interrupt,)).endswith("the run continues\n"))

    def test_three_holes(self):
        synthetic.make_three(self.folder, 40.0, 70.0, t_end=100.0)
        self.assertRegex(watch.distances(live.Live(self.folder)), r"^nearest \d\.\d{3}, \d\.\d{3}, \d\.\d{3} M$")
        self.assertEqual([name for name, _ in watch.horizons(live.Live(self.folder))],
                         ["hole 1", "hole 2", "hole 3", "holes 1+2", "common"])

    def test_a_closed_pipe(self):
        out = mock.Mock(write=mock.Mock(side_effect=BrokenPipeError), isatty=lambda: False, fileno=lambda: 7,
                        encoding="utf-8")
        err = io.StringIO()
        with mock.patch.object(cli.os, "dup2") as silenced, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            self.assertEqual(cli.main(["watch", str(self.folder), "--once"]), 1)
        self.assertEqual((silenced.call_args[0][1], err.getvalue()), (7, ""))


if __name__ == "__main__":
    unittest.main()
