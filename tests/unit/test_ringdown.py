"""The ringdown fit on signals whose modes are known."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.physics import ringdown as rd  # noqa: E402

# l = 2 of Schwarzschild, n = 0 and 1 (Leaver 1985).
FUNDAMENTAL = 0.3736717 - 0.0889623j
OVERTONE = 0.3467110 - 0.2739149j


def signal(omegas=(FUNDAMENTAL,), amplitudes=(1.0,), noise=0.0, junk=0.0, t_end=110.0, seed=1):
    """Modes that start at t = 50 after a smooth rise, and a pulse of junk at t = 30. Complex."""
    t = np.arange(0.0, t_end, 0.2)
    y = sum(a * np.exp(-1j * w * (t - 50)) for w, a in zip(omegas, amplitudes))
    y = np.where(t < 50, np.exp(-(((t - 50) / 3) ** 2)) * np.exp(-0.37j * (t - 50)), y)
    y += junk * np.exp(-(((t - 30) / 2) ** 2))
    rng = np.random.default_rng(seed)
    return t, y + noise * (rng.standard_normal(t.size) + 1j * rng.standard_normal(t.size))


def off(found, exact):
    return abs(found.real / exact.real - 1), abs(found.imag / exact.imag - 1)


class PureMode(unittest.TestCase):
    def test_real_and_complex_signals_are_exact(self):
        t, y = signal()
        for data in (y, y.real, 3e-5 * y.imag):
            found = rd.ringdown(t, data)
            self.assertLess(abs(found.omega - FUNDAMENTAL), 1e-8)
            self.assertLess(np.ptp(found.re_interval), 1e-7)

    def test_any_frequency_is_found_without_a_guess(self):
        for omega in (0.52 - 0.081j, 0.6 - 0.0927j, 0.3 - 0.12j):
            t, y = signal((omega,))
            self.assertLess(abs(rd.ringdown(t, y.real).omega - omega), 1e-6)

    def test_a_mode_that_turns_the_other_way(self):
        t, y = signal()
        found = rd.ringdown(t, np.conj(y))
        self.assertLess(abs(found.omega + np.conj(FUNDAMENTAL)), 1e-8)


class Contaminated(unittest.TestCase):
    def test_noise(self):
        for seed in range(5):
            t, y = signal(noise=3e-3, seed=seed)
            found = rd.ringdown(t, y.real)
            re, im = off(found.omega, FUNDAMENTAL)
            self.assertLess(re, 0.01)
            self.assertLess(im, 0.05)
            self.assertLess(found.window[1], 108)

    def test_overtone_and_noise(self):
        t, y = signal((FUNDAMENTAL, OVERTONE), (1.0, 0.8j), noise=1e-3)
        found = rd.ringdown(t, y.real)
        re, im = off(found.omega, FUNDAMENTAL)
        self.assertLess(re, 0.01)
        self.assertLess(im, 0.03)
        self.assertLess(found.re_interval[0], found.omega.real)
        self.assertGreater(found.re_interval[1], found.omega.real)

    def test_spread_shows_an_overtone(self):
        spread = []
        for a in (0.0, 0.8):
            t, y = signal((FUNDAMENTAL, OVERTONE), (1.0, a))
            spread.append(np.ptp(rd.ringdown(t, y.real).im_interval))
        self.assertGreater(spread[1], 100 * spread[0])

    def test_junk_larger_than_the_wave_before_it_is_not_the_peak(self):
        t, y = signal(junk=1.4)
        self.assertAlmostEqual(rd.ringdown(t, y).t_peak, 50, delta=1)


class NoRingdown(unittest.TestCase):
    def test_too_short(self):
        t, y = signal(t_end=70.0)
        with self.assertRaisesRegex(rd.FitError, "ends at t = 69.8.*at least 25 M"):
            rd.ringdown(t, y.real)

    def test_growth_instead_of_decay(self):
        t, y = signal((0.37 + 0.01j,))
        y[t > 95] = 0
        with self.assertRaises(rd.FitError):
            rd.ringdown(t, y.real)

    def test_zero(self):
        t, _ = signal()
        with self.assertRaises(rd.FitError):
            rd.ringdown(t, np.zeros(t.size))


if __name__ == "__main__":
    unittest.main()
