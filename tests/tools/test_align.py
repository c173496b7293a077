"""Alignment of waves that are one wave, moved and turned by known amounts."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.waves.signal import align  # noqa: E402
from tendex.waves.signal.modes import Waves, WaveError  # noqa: E402

PEAK = 400.0


def chirp(t, modes=((2, 2), (2, -2), (3, 3), (2, 1)), turn=0.0, late=0.0):
    """An inspiral, merger and ringdown in closed form, with its peak at PEAK + late, turned clockwise by `turn`."""
    s = t - late - PEAK
    # frequency of the orbit, 0.05 to 0.27, and its integral
    orbit = 0.16 * s + 0.11 * 15 * np.log(np.cosh(s / 15))
    envelope = 1 / np.cosh(s / 20) + 0.25 / (1 + np.exp(s / 20)) * (1 - 0.1 * s / PEAK)
    weight = {(2, 2): 0.4, (2, -2): 0.4, (3, 3): 0.03, (2, 1): 0.02}
    return {(l, m): weight[l, m] * envelope * np.exp(-1j * m * (orbit - turn)) for l, m in modes}


def waves(first, last, step, **changes):
    t = np.arange(first, last, step)
    return Waves("strain", t, chirp(t, **changes), label="test wave")


class Window(unittest.TestCase):
    def found(self, a, b, dt, dphi, bound, **args):
        got = align.in_window(a, b, 150.0, 450.0, **args)
        self.assertAlmostEqual(got.dt, dt, delta=bound)
        self.assertAlmostEqual(got.dphi, dphi, delta=bound)
        self.assertLess(got.difference, bound)
        return got

    def test_far_below_the_sampling(self):
        a, b = waves(0, 600, 0.5), waves(-30, 600, 0.7, turn=-2.5, late=-13.37)
        self.found(a, b, 13.37, 2.5, 2e-4)

    def test_the_same_sampling(self):
        a, b = waves(0, 600, 0.25), waves(0, 600, 0.25, turn=0.4, late=0.123)
        self.found(a, b, -0.123, -0.4, 1e-6)

    def test_even_modes_leave_half_a_turn_open(self):
        two = ((2, 2), (2, -2))
        a, b = waves(0, 600, 0.25), waves(0, 600, 0.25, modes=two, turn=2.9, late=3.0)
        self.found(a, b, -3.0, -(2.9 - np.pi), 1e-6)
        self.found(a, waves(0, 600, 0.25, turn=2.9, late=3.0), -3.0, -2.9, 1e-6)

    def test_difference_is_of_what_remains(self):
        a = waves(0, 600, 0.25)
        b = a.map(lambda v, l, m: 1.02 * v)
        got = align.in_window(a, b, 150.0, 450.0)
        self.assertAlmostEqual(got.difference, 0.02, delta=1e-6)
        self.assertLess(abs(got.dt), 1e-2)

    def test_apply(self):
        a, b = waves(0, 600, 0.25), waves(0, 600, 0.25, turn=1.0, late=7.0)
        moved = align.resample(align.in_window(a, b, 150.0, 450.0).apply(b), a.t[200:1800])
        for lm, v in moved.modes.items():
            self.assertLess(np.abs(v - a.modes[lm][200:1800]).max(), 1e-6)

    def test_what_cannot_be(self):
        a = waves(0, 600, 0.5)
        with self.assertRaisesRegex(WaveError, "does not reach over the window"):
            align.in_window(a, waves(300, 600, 0.5), 150.0, 450.0)
        with self.assertRaisesRegex(WaveError, "asked for t = 150 to 700, but it is known from 0 to 599.5"):
            align.in_window(a, a, 150.0, 700.0)
        with self.assertRaisesRegex(WaveError, "no mode in common of \\(4, 4\\)"):
            align.in_window(a, a, 150.0, 450.0, modes=[(4, 4)])
        with self.assertRaisesRegex(WaveError, "no mode in common"):
            align.in_window(waves(0, 600, 0.5, modes=((2, 2),)), waves(0, 600, 0.5, modes=((3, 3),)), 150.0, 450.0)
        with self.assertRaisesRegex(WaveError, "several samples"):
            align.in_window(a, a, 150.0, 150.5)
        with self.assertRaisesRegex(WaveError, "nothing but zeros"):
            align.in_window(a.map(lambda v, l, m: 0 * v), a, 150.0, 450.0, guess=0)


class Peak(unittest.TestCase):
    def test_between_samples(self):
        t = np.arange(0, 100, 0.5)
        at, height = align.peak(t, 3.0 / np.cosh((t - 50.17) / 8))
        self.assertAlmostEqual(at, 50.17, delta=1e-5)
        self.assertAlmostEqual(height, 3.0, delta=1e-8)

    def test_junk_does_not_count(self):
        t = np.arange(0, 100, 0.5)
        y = 3.0 / np.cosh((t - 60) / 8) + 5.0 / np.cosh((t - 10) / 2)
        self.assertAlmostEqual(align.peak(t, y)[0], 10, delta=0.01)
        self.assertAlmostEqual(align.peak(t, y, first=30)[0], 60, delta=0.01)

    def test_no_peak(self):
        with self.assertRaisesRegex(WaveError, "test wave: no peak of the wave between t = 0 and 299.5"):
            align.peak_time(waves(0, 300, 0.5))

    def test_on_each_other(self):
        for turn, m in ((0.7, (2, 2)), (2.6, (2, 2)), (-2.9, (3, 3)), (2.6, None)):
            a, b = waves(0, 600, 0.5), waves(20, 600, 0.3, turn=turn, late=-5.4321)
            got = align.at_peak(a, b, mode=m)
            self.assertAlmostEqual(got.dt, 5.4321, delta=1e-4)
            self.assertAlmostEqual(got.dphi, -turn, delta=1e-4)
            self.assertLess(got.difference, 1e-4)
        with self.assertRaisesRegex(WaveError, "m = 0 has no phase"):
            align.at_peak(a, b, mode=(2, 0))


class Samples(unittest.TestCase):
    def test_resampling(self):
        a = waves(0, 600, 0.25)
        t = np.linspace(1, 598, 701)
        new = align.resample(a, t)
        for lm, exact in chirp(t).items():
            self.assertLess(np.abs(new.modes[lm] - exact).max(), 1e-7)
        with self.assertRaisesRegex(WaveError, "choose a window inside"):
            align.resample(a, t + 5)

    def test_few_samples(self):
        t = np.arange(4.0)
        np.testing.assert_allclose(align.spline(t, t**3)([0.5, 2.5]), [0.125, 15.625])

    def test_rotation(self):
        a = waves(0, 600, 0.5)
        for (l, m), v in align.rotate(a, 0.3).modes.items():
            np.testing.assert_allclose(v, a.modes[l, m] * np.exp(0.3j * m))


if __name__ == "__main__":
    unittest.main()
