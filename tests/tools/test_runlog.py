"""What is read of a log, and of a folder that a run still writes to."""

import fcntl
import os
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import synthetic  # noqa: E402
from tendex.base import runlog, tables  # noqa: E402
from tendex.base.folder import TRACKS, FolderError  # noqa: E402
from tendex.waves.reading import live  # noqa: E402

HEAD = """\
Tendex {version}, 2026-11-20T14:08:58+0000
  machine     vm, a processor
  parallel    2 ranks x 8 threads
  computes    {computes}
{restart}  grid        4 octants of 16^3 points, 16,384 points
              level   spacing/M     octants        points
                  2         2.5           3        12,288
                  3        1.25           1         4,096
  time step   0.015625 M, 0.4 of the smallest spacing; 640 steps to t = 10 M

    step        t/M   M/hour     left Mpoints       |H|  level:octants                punctures/M
"""
PHASES = """
done: t = 10 M after 640 steps, 1 regrids that changed the grid
  phase                      seconds   share     GPU s   share   load imbalance (slowest rank over mean)
  halo exchange                 0.07    0.2%      0.05    0.1%   1.00
  patch, RHS and update         0.50    1.4%     30.08   83.1%   1.00
  other                         0.04    0.1%      0.00    0.0%
  all                          36.19

  steps     Runge-Kutta steps took 93.2% of the evolution's 35.86 s, all else 6.8%
"""
FIRST = """\
       0     0.0000        -        -   0.016  9.24e-08  2:3 3:1                      (1.1686, 0.0000, 0.0000)
     128     2.0000   3600.0  0:00:08   0.016  9.28e-07  2:3 3:1                      (1.1080, 0.4007, 0.0000)
     192     3.0000 regrid: 1 octant refined, 0 families coarsened; now 0.045 Mpoints, 2:2 3:9
     256     4.0000   1800.0  0:00:12   0.045  9.28e-07  2:2 3:9                      (1.1080, 0.4007, 0.0000)
"""


def text(rows=FIRST, version="1.2", restart="", computes="1 x NVIDIA H200, 140 GiB; driver 580", end=""):
    return HEAD.format(version=version, computes=computes, restart=restart) + rows + end


SECOND = text("     256     4.0000   7200.0  0:00:08   0.045         -  2:2 3:9    (1, 0, 0)\n"
              "     640    10.0000   3600.0  0:00:00   0.045         -  2:2 3:9    (1, 0, 0)\n", version="1.3",
              restart="  restart     from step 160, t = 2.5 M; 2026-11-21T00:00:00+0000, version 1.3\n", end=PHASES)


class Log(unittest.TestCase):
    def test_one_start(self):
        log = runlog.parse(text())
        self.assertEqual((log.last.version, log.last.date[:10], log.last.t_end, log.last.side),
                         ("1.2", "2026-11-20", 10.0, 16))
        self.assertEqual(log.last.head["parallel"], "2 ranks x 8 threads")
        self.assertEqual(log.last.left, "0:00:12")
        np.testing.assert_array_equal(log.speed(), [[2, 4], [3600, 1800]])
        self.assertAlmostEqual(log.wall(), 2.0 + 4.0)
        t, levels, octants = log.octants()
        np.testing.assert_array_equal(t, [0, 2, 3, 4])
        self.assertEqual(levels, [2, 3])
        np.testing.assert_array_equal(octants, [[3, 3, 2, 2], [1, 1, 9, 9]])
        np.testing.assert_allclose(log.points()[1], [16000, 16000, 45000, 45000])
        self.assertEqual([log.spacing(level) for level in (2, 3, 5)], [2.5, 1.25, 0.3125])
        self.assertEqual((log.reached(), log.restarts(), log.phases()), (4.0, [], []))

    def test_a_line_that_is_being_written(self):
        whole = text()
        for cut in (1, 30, 90):
            log = runlog.parse(whole[:-cut])
            self.assertEqual(log.reached(), 2.0)
            self.assertEqual(log.octants()[0][-1], 3.0)
        self.assertIsNone(runlog.parse("Tendex 1.2, 2026"))

    def test_a_restart_takes_over_from_its_checkpoint(self):
        log = runlog.parse(text() + SECOND)
        self.assertEqual(log.restarts(), [2.5])
        np.testing.assert_array_equal(log.speed(), [[2, 4, 10], [3600, 7200, 3600]])
        np.testing.assert_array_equal(log.octants()[0], [0, 2, 4, 10])  # the regrid at t = 3 was done again
        # 6 s until the first start was killed, 1.5 M at 7200 M/hour, 6 M at 3600 M/hour.
        self.assertAlmostEqual(log.wall(), 6.0 + 0.75 + 6.0)
        self.assertEqual(log.phases(), [("halo exchange", 0.07, 0.05), ("patch, RHS and update", 0.5, 30.08),
                                        ("other", 0.04, 0.0)])
        again = "  restart     from the beginning, as there is no checkpoint; 2026-11-21T00:00:00+0000\n"
        log = runlog.parse(text() + text(restart=again))
        np.testing.assert_array_equal(log.speed(), [[2, 4], [3600, 1800]])
        self.assertAlmostEqual(log.wall(), 12.0)

    def test_phases_of_the_cpu(self):
        end = "  phase                      seconds   share   load imbalance (slowest rank over mean)\n" \
              "  interpolated ghosts           8.56   18.7%   1.00\n  other                         0.04    0.1%\n"
        self.assertEqual(runlog.parse(text(end=end)).phases(),
                         [("interpolated ghosts", 8.56, None), ("other", 0.04, None)])


class Made(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "pair"

    def make(self, **how):
        how = {"radii": (50.0, 60.0, 75.0), "l_max": 2, "t_end": 100.0, "dt": 0.5, **how}
        synthetic.write_run(self.folder, **how)
        (self.folder / "log.txt").write_text(text())
        return self.folder


class State(Made):
    def state(self, **how):
        self.make(**how)
        return lambda now=None: runlog.state(self.folder, live.Live(self.folder).summary, runlog.read(self.folder), now)

    def test_complete(self):
        self.assertEqual(self.state()(), ("complete", ""))

    def test_the_lock_of_the_log_tells_that_it_runs(self):
        state = self.state()
        with open(self.folder / "log.txt") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            self.assertEqual(state(), ("running", ""))
        self.assertEqual(state(), ("complete", ""))

    def test_stopped(self):
        self.make()
        log = runlog.read(self.folder)
        ended = {"complete": False, "ended": "SIGUSR1"}
        self.assertEqual(runlog.state(self.folder, ended, log), ("stopped", "SIGUSR1"))
        self.assertEqual(runlog.state(self.folder, {}, None), ("stopped", "no log"))
        failed = runlog.parse(text(end="error: not finite: chi at t = 3\n"))
        self.assertEqual(runlog.state(self.folder, {}, failed), ("stopped", "error"))

    def test_a_log_that_falls_silent(self):
        state = self.state(summary=False)
        written = (self.folder / "log.txt").stat().st_mtime
        self.assertEqual(state(written + 100), ("running", ""))
        self.assertEqual(state(written + 130), ("stopped", "its log has no end"))
        (self.folder / "run.lock").write_text("host elsewhere, process 1\n")  # in a step that takes long
        os.utime(self.folder / "run.lock", (written + 300,) * 2)
        self.assertEqual(state(written + 310), ("running", ""))
        self.assertEqual(state(written + 430), ("stopped", "its log has no end"))


class HalfWritten(Made):
    def test_lines(self):
        found = tables.parse("# a b\n1 2\n3 4\n5 6.")
        np.testing.assert_array_equal(found.rows, [[1, 2], [3, 4]])
        self.assertEqual((found.bad, found.cut, list(found.lines)), ([], 4, [2, 3]))
        found = tables.parse("# a b\n1 2\n3\n\0\0 4\n5 6 # c\n1_0 2\n")
        np.testing.assert_array_equal(found.rows, [[1, 2], [5, 6]])
        self.assertEqual([line for line, _ in found.bad], [3, 4, 6])
        self.assertEqual((found.bad[0][1], found.cut, list(found.lines)), ("1 values, not 2", 0, [2, 5]))
        found = tables.parse("# a b\n1", 2)
        self.assertEqual((found.rows.shape, found.cut), ((0, 2), 2))

    def cut(self, name, bytes_off):
        file = self.folder / name
        os.truncate(file, file.stat().st_size - bytes_off)

    def test_tables(self):
        self.make(summary=False)
        whole = live.Live(self.folder)
        t, tracks = whole.tracks()
        norms = whole.table("constraints.asc")
        for name in (TRACKS, "constraints.asc", "horizons.asc"):
            self.cut(name, 9)
        run = live.Live(self.folder)
        self.assertEqual(len(run.tracks()[0]), len(t) - 1)
        np.testing.assert_array_equal(run.tracks()[1][1], tracks[1][:-1])
        self.assertEqual(len(run.table("constraints.asc")["time"]), len(norms["time"]) - 1)
        self.assertEqual(set(run.horizons()), {1, 2})
        self.assertEqual(run.missing, [])
        self.assertEqual(run.summary, {})
        (self.folder / TRACKS).unlink()
        self.assertEqual(run.tracks()[1], [])
        with self.assertRaisesRegex(FolderError, r"horizons\.no: missing"):
            run.table("horizons.no")
        (self.folder / "constraints.asc").write_text("")
        with self.assertRaisesRegex(FolderError, r"constraints\.asc: no names of columns"):
            run.table("constraints.asc")

    def test_a_damaged_line_is_told_of(self):
        self.make()
        file = self.folder / "constraints.asc"
        lines = file.read_text().splitlines(True)
        file.write_text("".join(lines[:5] + ["half a li\n"] + lines[5:]))
        run = live.Live(self.folder)
        self.assertEqual(len(run.table("constraints.asc")["time"]), len(lines) - 2)
        self.assertEqual(run.missing, ["constraints.asc: 1 damaged line left out"])

    def test_remnant_is_the_last_common_horizon(self):
        self.make(common=60.0, remnant=(0.95, -0.7))
        run = live.Live(self.folder)
        left = run.remnant()
        self.assertAlmostEqual(left.mass, 0.95)
        self.assertAlmostEqual(left.chi, -0.7)
        self.assertEqual(left.first_seen, 60.0)
        self.assertIsNone(live.Live(self.make_other(common=999.0)).remnant())

    def make_other(self, **how):
        self.folder = self.folder.with_name("other")
        return self.make(**how)

    def test_no_punctures(self):
        self.make()
        for name in (TRACKS, "horizons.asc", "TwoPunctures.bbh"):
            (self.folder / name).unlink()
        run = live.Live(self.folder)
        self.assertEqual((run.mass, run.has_holes, run.horizons(), run.remnant()), (1.0, False, {}, None))
        self.assertEqual(len(run.surface(1)[0]), 0)
        self.assertEqual(run.reached, 100.0)

    def test_surface(self):
        self.make()
        (self.folder / "horizons").mkdir()
        (self.folder / "horizons" / "ah1.surface.asc").write_text(
            "# 1:iteration 2:time 3:centre_x 4:centre_y 5:centre_z 6:a_00\n0 0.5 1 2 3 4\n8 1.5 1 2 3 5\n9 2.5")
        t, centre, coefficients = live.Live(self.folder).surface(1)
        np.testing.assert_array_equal(t, [0.5, 1.5])
        np.testing.assert_array_equal(centre[1], [1, 2, 3])
        np.testing.assert_array_equal(coefficients, [[4], [5]])


class Modes(Made):
    def rewrite(self, change):
        with h5py.File(self.folder / live.MODES, "a") as h:
            for name in list(h):
                rows = change(name, h[name][()])
                del h[name]
                if rows is not None:
                    h[name] = rows

    def lengths(self):
        run = live.Live(self.folder)
        self.missing = run.missing
        return {r: {len(t) for t, _ in modes.values()} for r, modes in run.modes().items()}

    def test_read_while_a_program_locks_it(self):
        self.make()
        with open(self.folder / live.MODES) as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            self.assertEqual(self.lengths(), {50.0: {201}, 60.0: {201}, 75.0: {201}})
        self.assertEqual(self.missing, [])

    def test_modes_of_unequal_length(self):
        self.make()
        self.rewrite(lambda name, rows: rows[:-3] if name == "l2_m1_r60.00" else rows)
        self.assertEqual(self.lengths(), {50.0: {201}, 60.0: {198}, 75.0: {201}})

    def test_rows_that_are_not_finite(self):
        self.make()

        def spoil(name, rows):
            if name == "l2_m2_r60.00":
                rows[100, 1] = np.nan
            return rows

        self.rewrite(spoil)
        self.assertEqual(self.lengths()[60.0], {100})
        self.assertIn("psi4 at r = 60: not finite or not whole from row 101 on", self.missing)

    def test_nothing_yet_on_the_outer_sphere(self):
        self.make()
        self.rewrite(lambda name, rows: rows[:1] if name.endswith("r75.00") else rows)
        self.assertEqual(list(self.lengths()), [50.0, 60.0])

    def test_text_where_the_file_is_broken(self):
        self.make(text=True)
        exact = live.Live(self.folder).modes()[60.0][2, 2]
        size = (self.folder / live.MODES).stat().st_size
        os.truncate(self.folder / live.MODES, size // 3)
        run = live.Live(self.folder)
        np.testing.assert_allclose(run.modes()[60.0][2, 2], exact, rtol=1e-14)
        self.assertRegex(run.missing[0], "mp_psi4.h5: cannot be read .*text files")

    def test_nothing_at_all(self):
        self.make()
        (self.folder / live.MODES).write_bytes(b"\x89HDF")
        with self.assertRaisesRegex(FolderError, "no readable modes yet"):
            live.Live(self.folder).modes()


if __name__ == "__main__":
    unittest.main()
