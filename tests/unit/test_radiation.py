"""Radiated energy and retardation against closed forms."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex import radiation  # noqa: E402


class Energy(unittest.TestCase):
    # News N = A exp(-(t-t0)^2/(2 s^2)): psi4 = dN/dt, int N^2 dt = A^2 s sqrt(pi).
    A, S, T0, R = 0.02, 4.0, 60.0, 30.0

    def modes(self, offset=0.0):
        t = np.arange(0.0, 140.0, 0.1)
        news = self.A * np.exp(-((t - self.T0) ** 2) / (2 * self.S**2))
        psi4 = -news * (t - self.T0) / self.S**2 / self.R + offset
        return {(2, 0): (t, psi4 + 0j), (2, 2): (t, 1j * psi4)}

    def test_gaussian_news(self):
        exact = 2 * self.A**2 * self.S * np.sqrt(np.pi) / (16 * np.pi)
        found = radiation.energy(self.modes(), self.R, arrival=30.0)
        self.assertLess(abs(found / exact - 1), 1e-4)

    def test_an_offset_of_psi4_radiates_nothing(self):
        with_offset = radiation.energy(self.modes(1e-6), self.R, arrival=30.0)
        without = radiation.energy(self.modes(), self.R, arrival=30.0)
        self.assertLess(abs(with_offset / without - 1), 1e-6)


class Retardation(unittest.TestCase):
    def test_speed_of_light(self):
        # d r_*/dR = 1 / (1 - 2M/R)
        r, d = 31.0, 1e-4
        slope = (radiation.retardation(r + d, 1.0) - radiation.retardation(r - d, 1.0)) / (2 * d)
        self.assertAlmostEqual(slope, 1 / (1 - 2 / r), places=8)


if __name__ == "__main__":
    unittest.main()
