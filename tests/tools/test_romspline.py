"""Reduced splines keep the tolerance for both kinds of readers, and few samples of what is smooth."""

import sys
import unittest
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline, UnivariateSpline

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from tendex.waves.signal import romspline  # noqa: E402
from tendex.waves.signal.modes import WaveError  # noqa: E402

T = np.linspace(-400.0, 80.0, 2401)


class Reduce(unittest.TestCase):
    def check(self, y, tolerance):
        kept = romspline.reduce(T, y, tolerance)
        # As romspline's reader evaluates it, and as LALSimulation does.
        for curve in (UnivariateSpline(kept.x, kept.y, k=5, s=0), CubicSpline(kept.x, kept.y, bc_type="natural")):
            self.assertLessEqual(np.abs(curve(T) - y).max(), 1.0001 * tolerance)
        self.assertTrue(np.isin(kept.x, T).all())
        self.assertEqual((kept.x[0], kept.x[-1]), (T[0], T[-1]))
        self.assertLessEqual(kept.errors[-1], tolerance)
        return kept

    def test_tolerance_is_kept(self):
        y = 0.3 / np.cosh(T / 30) + 1e-3 * np.sin(0.2 * T)
        kept = [len(self.check(y, tolerance).x) for tolerance in (1e-4, 1e-6, 1e-8)]
        self.assertEqual(kept, sorted(kept))
        self.assertLess(kept[0], len(T) / 8)
        self.assertLess(kept[1], len(T) / 3)

    def test_polynomials_need_nothing_more(self):
        self.assertEqual(len(self.check(2.5 - 0.125 * T, 1e-9).x), romspline.DEGREE + 1)
        self.assertEqual(len(self.check(np.zeros_like(T), 1e-9).x), romspline.DEGREE + 1)

    def test_noise_keeps_all(self):
        y = np.random.default_rng(1).standard_normal(len(T))
        self.assertGreater(len(self.check(y, 1e-6).x), 0.99 * len(T))

    def test_of_the_greedy_kind(self):
        """Samples gather where the curve bends."""
        kept = self.check(np.tanh(T / 4), 1e-6)
        self.assertGreater((np.abs(kept.x) < 40).mean(), 0.6)

    def test_refusals(self):
        with self.assertRaisesRegex(WaveError, "tolerance 0: must be above 0"):
            romspline.reduce(T, T, 0.0)
        with self.assertRaisesRegex(WaveError, "11 samples: a reduced spline needs 12"):
            romspline.reduce(T[:11], T[:11], 1e-6)


if __name__ == "__main__":
    unittest.main()
