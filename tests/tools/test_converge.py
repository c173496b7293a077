"""Order and error of waves at three resolutions whose errors are known powers of the spacing."""

import contextlib
import io
import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import quick_plots  # noqa: E402, F401
import synthetic  # noqa: E402
from tendex.waves.commands import cli, converge_table, series_budget  # noqa: E402
from tendex.waves.comparison import resolutions  # noqa: E402
from tendex.waves.extraction import radiated, standard  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal import align  # noqa: E402
from tendex.waves.signal.modes import Waves, WaveError  # noqa: E402

SPACINGS = (1 / 24, 1 / 30, 1 / 36)
ALL = ((2, 2), (3, 3), (4, 4))
CHIRP = synthetic.Chirp(amplitudes={(2, 2): 0.6, (3, 3): 0.05, (4, 4): 0.001}, slow=0.08)


def wave(size=0.0, turn=0.0, late=0.0, modes=ALL, step=0.25):
    """The chirp with its amplitude times 1 + size, and its orbit ahead by turn times t / 200, and later by `late`."""
    t = np.arange(0.0, 330.0, step)
    return Waves("strain", t, {(l, m): (1 + size) * CHIRP.strain(t - late, l, m) * np.exp(-1j * m * turn * t / 200)
                               for l, m in modes})


class Order(unittest.TestCase):
    def three(self, p, h=SPACINGS, size=200.0, turn=1000.0, late=0.0):
        return [wave(size * x**p, turn * x**p, late * x**p) for x in h]

    def test_amplitude_and_phase(self):
        for h in (SPACINGS, (1 / 20, 1 / 25, 1 / 40)):
            found = resolutions.compare(h, self.three(4.0, h), 40.0)
            for lm in ((2, 2), (3, 3)):
                one = found.before[lm]
                for series in (one.amplitude, one.phase):
                    self.assertTrue(series.converges, series.why)
                    self.assertAlmostEqual(series.order, 4.0, delta=1e-3)
                error = resolutions.errors(found.h, found.peak, one)
                self.assertAlmostEqual(error["phase"]["order_before_merger"], 4.0, delta=1e-3)
                self.assertAlmostEqual(error["amplitude"]["error_at_merger"], 200 * h[2] ** 4 / (1 + 200 * h[2] ** 4),
                                       delta=1e-6)
                exact = lm[1] * 1000 * h[2] ** 4 * found.peak / 200
                self.assertAlmostEqual(error["phase"]["error_at_merger"], exact, delta=2e-3 * exact)
                self.assertAlmostEqual(error["phase"]["error_before_merger"], exact, delta=2e-3 * exact)
            self.assertNotIn((4, 4), found.before)

    def test_what_alignment_takes_away(self):
        found = resolutions.compare(SPACINGS, self.three(4.0, turn=0.0, late=1e4), 40.0)
        for shift, h in zip(found.shifts, SPACINGS):
            self.assertAlmostEqual(shift.dt, 1e4 * (SPACINGS[2] ** 4 - h**4), delta=1e-3)
        self.assertAlmostEqual(found.before[2, 2].phase.order, 4.0, delta=0.15)
        self.assertLess(np.abs(found.after[2, 2].phase.med_high).max(), 1e-5)
        self.assertGreater(np.abs(found.before[2, 2].phase.med_high).max(), 1e-3)
        after = found.after[2, 2].amplitude
        self.assertAlmostEqual(after.order, 4.0, delta=1e-3)

    def test_what_does_not_converge(self):
        waves = [wave(0.01), wave(0.0), wave(0.005)]
        found = resolutions.compare(SPACINGS, waves, 40.0)
        error = resolutions.errors(found.h, found.peak, found.before[2, 2])["amplitude"]
        self.assertFalse(error["converges"])
        self.assertIn("not of one form (cosine -1.00", error["why_not"])
        self.assertAlmostEqual(error["error_at_merger"], 0.005 / 1.005, delta=1e-6)

    def test_what_converges_late(self):
        # Until t = 100 the amplitude of the middle one is off by something else.
        waves = self.three(4.0)
        waves[1] = waves[1].map(lambda v, l, m: v * np.where(waves[1].t < 100, 1.01, 1))
        found = resolutions.compare(SPACINGS, waves, 40.0)
        self.assertLess(found.peak, 240)
        error = resolutions.errors(found.h, found.peak, found.before[2, 2])
        self.assertTrue(90 < error["amplitude"]["late"]["from"] < 106, error["amplitude"])
        self.assertAlmostEqual(error["amplitude"]["late"]["order"], 4, delta=0.01)
        self.assertIsNone(error["phase"]["late"])
        shown = "\n".join(converge_table._orders({"2,2": error, "3,3": error}, "Unaligned"))
        self.assertEqual(shown.count("until the merger"), 1)
        self.assertRegex(shown, r"\n  amplitude of \(2,2\): converges from (9\d|10[0-5])\.\d\d until the merger, order 4\.0\d$")

    def test_whole_turns_do_not_count(self):
        # At the first time compared, angles are to both sides of pi.
        start = np.angle(CHIRP.strain(40.0, 2, 2))
        waves = [wave(modes=((2, 2),)).map(lambda v, l, m: v * np.exp(1j * (np.pi - start + off)))
                 for off in (4e-3, -1e-3, 1e-3)]
        one = resolutions.compare((0.4, 0.2, 0.1), waves, 40.0).before[2, 2].phase
        np.testing.assert_allclose(one.low_med, 5e-3, atol=1e-7)
        np.testing.assert_allclose(one.med_high, -2e-3, atol=1e-7)

    def test_a_mode_ends_where_it_is_lost(self):
        # (3,3) falls sooner than (2,2), and has any phase where it is below 5e-3 of its peak.
        random = np.random.default_rng(1)

        def lost(v, l, m):
            v = v * np.exp(-np.maximum(np.arange(len(v)) * 0.25 - 190, 0) / 8) if l == 3 else v
            faint = np.abs(v) < 5e-3 * np.abs(v).max()
            return np.where(faint & (l == 3), np.abs(v) * np.exp(2j * np.pi * random.random(len(v))), v)

        waves = [w.map(lost) for w in self.three(4.0, turn=1e5)]
        one = resolutions.compare(SPACINGS, waves, 40.0, [(2, 2), (3, 3)]).before[3, 3]
        self.assertAlmostEqual(one.phase.order, 4.0, delta=0.2)
        self.assertGreater(one.high.min(), 0.009 * one.high.max())

    def test_what_cannot_be(self):
        waves = self.three(4.0)
        with self.assertRaisesRegex(WaveError, "coarsest to the finest"):
            resolutions.compare(SPACINGS[::-1], waves, 40.0)
        with self.assertRaisesRegex(WaveError, "no mode l = 5, m = 5"):
            resolutions.compare(SPACINGS, waves, 40.0, [(5, 5)])
        short = waves[0].cut(100.0, 190.0)
        with self.assertRaisesRegex(WaveError, "in common only from t = 180 to 182"):
            resolutions.on_common([short.cut(last=182.0), *waves[1:]], 180.0, 300.0, [(2, 2)])


class Command(unittest.TestCase):
    """Three run folders, of which amplitude, time, mass and radiation are off by powers of the spacing."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.h = [512 / (trees * 8 * 2**11) for trees in (4, 5, 6)]
        cls.folders = synthetic.write_series(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def command(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(["converge", *map(str, arguments)])
        return code, out.getvalue(), err.getvalue()

    def test_from_folders(self):
        self.assertAlmostEqual(series_budget.spacing(Run(self.folders[1])), self.h[1], places=15)
        file, picture = (Path(self.scratch.name) / name for name in ("converge.json", "converge.png"))
        code, shown, errors = self.command(*self.folders, "--json", file, "-o", picture)
        self.assertEqual(code, 0, errors)
        found = json.loads(file.read_text())
        self.assertEqual(found["spacings"], self.h)
        for name, limit, error in (("M_f", 0.95, 1e-4), ("a_f/M_f", 0.68, 1e-3)):
            got = found["numbers"][name]
            self.assertAlmostEqual(got["order"], 4, places=5)
            self.assertAlmostEqual(got["limit"], limit, places=9)
            self.assertAlmostEqual(got["error"], error, places=9)
        self.assertAlmostEqual(found["numbers"]["peak |r h_22|/M"]["order"], 4, delta=0.1)
        self.assertAlmostEqual(found["numbers"]["peak of |h_22|, u/M"]["error"], 0.5, delta=0.02)
        self.assertAlmostEqual(found["same_time"]["2,2"]["phase"]["order"], 4, delta=0.3)
        self.assertAlmostEqual(found["aligned"]["2,2"]["amplitude"]["order"], 4, delta=0.1)
        self.assertAlmostEqual(found["aligned"]["2,2"]["amplitude"]["error_at_merger"], 0.004, delta=4e-4)
        self.assertIn("Aligned at the peak of (2,2)", shown)
        self.assertIn("common horizon, t", shown)
        self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")

    def test_all_take_the_sphere_of_the_finest(self):
        # For itself the coarsest would take the innermost.
        low = Path(self.scratch.name) / "coarse"
        shutil.copytree(self.folders[0], low)
        synthetic.set_grid(low, 8 * 4.0)
        self.assertEqual(standard.of_run(Run(low)).radii, [50])
        file = Path(self.scratch.name) / "coarse.json"
        code, _, errors = self.command(low, *self.folders[1:], "--json", file)
        self.assertEqual(code, 0, errors)
        best = standard.of_run(Run(self.folders[2]))
        self.assertEqual(best.radii, [100])
        alike = standard.of_run(Run(low), radii=[100], cutoff=best.cutoff)
        found = json.loads(file.read_text())["numbers"]
        self.assertAlmostEqual(found["E radiated"]["values"][0], radiated.of_run(Run(low), alike).value[0], places=14)
        self.assertAlmostEqual(found["peak |r h_22|/M"]["values"][0],
                               align.mode_peak(alike.strain.geometric(), 2, 2, 60.0)["height"], places=14)

    def test_through_a_sphere(self):
        code, shown, errors = self.command(*self.folders, "--radius", 75, "--modes", "2,2")
        self.assertEqual(code, 0, errors)
        self.assertIn("psi4 through r = 75", shown)
        code, _, errors = self.command(*self.folders, "--radius", 80)
        self.assertEqual(code, 1)
        self.assertIn("--radius 80: there is no such sphere, but r = 50, 75, 100", errors)

    def test_wrong_use(self):
        code, _, errors = self.command(*self.folders[::-1])
        self.assertEqual(code, 1)
        self.assertIn("coarsest to the finest", errors)
        code, _, errors = self.command(*self.folders, "-o", Path(self.scratch.name) / "picture.xyz")
        self.assertEqual(code, 1)
        self.assertIn("picture.xyz", errors)
        for wrong in ("2", "2,0", "1,1"):
            with self.assertRaises(SystemExit):
                self.command(*self.folders, "--modes", wrong)


if __name__ == "__main__":
    unittest.main()
