"""Order and error from three resolutions of a known power of the spacing."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.waves.comparison import richardson  # noqa: E402
from tendex.waves.signal.modes import WaveError  # noqa: E402

SPACINGS = ((1 / 24, 1 / 30, 1 / 36), (1 / 16, 1 / 32, 1 / 64), (0.04, 0.03, 0.028))


class Number(unittest.TestCase):
    def test_known_powers(self):
        for h in SPACINGS:
            for p in (1.5, 3.0, 4.0, 5.9):
                values = [0.95 + 20.0 * x**p for x in h]
                found = richardson.number(h, values)
                self.assertTrue(found.converges)
                self.assertAlmostEqual(found.order, p, places=6)
                self.assertAlmostEqual(found.limit, 0.95, places=12)
                self.assertAlmostEqual(found.error, 20.0 * h[2] ** p, places=12)

    def test_equal_ratios_are_the_textbook_formula(self):
        found = richardson.number((4.0, 2.0, 1.0), (1 + 0.16, 1 + 0.01, 1.0))
        self.assertAlmostEqual(found.order, np.log2(15), places=10)
        self.assertAlmostEqual(richardson.ratio(0.0, (4.0, 2.0, 1.0)), 1.0, places=12)
        self.assertAlmostEqual(richardson.ratio(0.0, (3.0, 2.0, 1.0)), np.log(1.5) / np.log(2), places=12)

    def test_no_order_above_that_of_the_scheme_is_believed(self):
        h = SPACINGS[0]
        found = richardson.number(h, [x**8 for x in h])
        self.assertAlmostEqual(found.order, 8, places=6)
        self.assertAlmostEqual(found.error, (h[1] ** 8 - h[2] ** 8) / ((h[1] / h[2]) ** 6 - 1), places=15)

    def test_what_does_not_converge(self):
        for values in ((1.0, 1.1, 1.0), (1.0, 1.1, 1.3), (1.0, 1.1, 1.1), (1.0, 2.0, 2.0 + 1e-9)):
            found = richardson.number(SPACINGS[0], values)
            self.assertFalse(found.converges)
            self.assertTrue(np.isnan(found.limit))
            self.assertAlmostEqual(found.error, max(np.abs(np.diff(values))))

    def test_runs_in_the_wrong_order(self):
        with self.assertRaisesRegex(WaveError, "coarsest to the finest"):
            richardson.check((0.03, 0.04, 0.05))
        richardson.check(SPACINGS[2])


class Series(unittest.TestCase):
    T = np.linspace(0, 100, 401)

    def three(self, p, h, shape):
        return [np.cos(self.T) + 30 * x**p * shape for x in h]

    def test_known_power(self):
        shape = 1 + np.sin(self.T / 20)
        for h in SPACINGS:
            found = richardson.series(h, self.T, *self.three(4.5, h, shape))
            self.assertTrue(found.converges, found.why)
            self.assertAlmostEqual(found.order, 4.5, places=6)
            self.assertAlmostEqual(found.alike, 1, places=9)
            np.testing.assert_allclose(found.error, 30 * h[2] ** 4.5 * shape, rtol=1e-6, atol=1e-12)
            np.testing.assert_allclose(found.local[shape > 0.01], 4.5, atol=1e-4)

    def test_differences_of_other_forms(self):
        h = SPACINGS[0]
        base = np.cos(self.T)
        found = richardson.series(h, self.T, base + 1e-3 * np.sin(self.T), base, base - 5e-4 * np.cos(self.T))
        self.assertFalse(found.converges)
        self.assertIn("not of one form", found.why)
        np.testing.assert_allclose(found.error, 5e-4 * np.cos(self.T), atol=1e-12)

    def test_from_when_on(self):
        h, t = SPACINGS[0], self.T
        # Before t = 40 differences of another form, and larger ones.
        early = np.where(t < 40, 1e-3 * np.sin(t), 0)
        low, med, high = (30 * x**4.5 * (1 + t / 100) for x in h)
        a, b = low - med + early, med - high - early
        self.assertTrue(richardson.overall(h, t, a, b)[2])
        first, p = richardson.late(h, t, a, b)
        self.assertTrue(30 < t[first] <= 42.5, t[first])
        self.assertAlmostEqual(p, 4.5, delta=0.1)
        self.assertEqual(richardson.late(h, t, low - med, med - high)[0], 0)
        self.assertIsNone(richardson.late(h, t, a, -b))
        # Of the last fifth alone nothing is said.
        self.assertIsNone(richardson.late(h, t, a, np.where(t < 80, -b, b)))

    def test_orders_that_cannot_be(self):
        h, shape = (1.0, 0.5, 0.25), np.ones_like(self.T)
        self.assertIn("order 12.00, outside 1 to 10", richardson.series(h, self.T, *self.three(12, h, shape)).why)
        growing = richardson.series(h, self.T, 0 * shape, shape, 3 * shape)
        self.assertIn("order -1.00", growing.why)
        self.assertIn("do not differ", richardson.series(h, self.T, shape, 2 * shape, 2 * shape).why)
        noise = richardson.series(h, self.T, shape, 0 * shape, -1e-15 * shape)
        self.assertFalse(noise.converges)


if __name__ == "__main__":
    unittest.main()
