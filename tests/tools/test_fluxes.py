"""Radiated energy, angular and linear momentum against closed forms, quadrature over the sphere, and rotations."""

import math
import sys
import unittest
from pathlib import Path

import numpy as np
from scipy.linalg import expm

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.waves.signal import fluxes  # noqa: E402
from tendex.waves.signal.modes import Waves, WaveError  # noqa: E402

ALL = [(l, m) for l in range(2, 5) for m in range(-l, l + 1)]


def harmonic(l, m, theta, phi, s=-2):
    """Spin-weighted harmonic by Goldberg's sum."""
    f = math.factorial
    norm = math.sqrt(f(l + m) * f(l - m) * (2 * l + 1) / (4 * math.pi * f(l + s) * f(l - s)))
    total = 0
    for r in range(l - s + 1):
        if 0 <= r + s - m <= l + s:
            total = total + (math.comb(l - s, r) * math.comb(l + s, r + s - m) * (-1.0) ** (l - r - s)
                             * np.cos(theta / 2) ** (2 * r + s - m) * np.sin(theta / 2) ** (2 * l - 2 * r - s + m))
    return (-1) ** m * norm * total * np.exp(1j * m * phi)


def random_modes(seed):
    rng = np.random.default_rng(seed)
    return {lm: rng.normal(size=3) + 1j * rng.normal(size=3) for lm in ALL}


def generators(l):
    """J_x, J_y, J_z on states |l, m>, m = l .. -l."""
    m = np.arange(l, -l - 1, -1)
    up = np.diag(np.sqrt(l * (l + 1) - m[1:] * (m[1:] + 1)), 1)
    return (up + up.T) / 2, (up - up.T) / 2j, np.diag(m).astype(complex)


def turned(modes, axis, angle):
    """Modes of the source turned by `angle` about an axis (0, 1, 2)."""
    out = {}
    for l in range(2, 5):
        matrix = expm(-1j * angle * generators(l)[axis])
        new = matrix @ np.array([modes[l, m] for m in range(l, -l - 1, -1)])
        out.update({(l, m): new[l - m] for m in range(l, -l - 1, -1)})
    return out


def rotation(axis, angle):
    cross = np.zeros((3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    cross[i, j], cross[j, i] = -1, 1
    return expm(angle * cross)


class Sphere(unittest.TestCase):
    """dE/dt and dP/dt are (1/16 pi) int (1, n) |N|^2 dOmega."""

    def test_energy_and_momentum_of_all_modes_together(self):
        z, weight = np.polynomial.legendre.leggauss(24)
        phi = np.arange(24) * 2 * np.pi / 24
        theta, phi = np.meshgrid(np.arccos(z), phi, indexing="ij")
        weight = weight[:, None] * 2 * np.pi / 24
        n = np.array([np.ones_like(theta), np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
        for seed in (1, 2):
            news = random_modes(seed)
            field = sum(v[0] * harmonic(*lm, theta, phi) for lm, v in news.items())
            exact = (n * np.abs(field) ** 2 * weight).sum(axis=(1, 2)) / (16 * np.pi)
            found = fluxes.rates(news, news)[0]
            self.assertLess(np.abs(found[[0, 4, 5, 6]] - exact).max(), 1e-12 * exact[0])


class Rotation(unittest.TestCase):
    """J of a wave that turns about z is known; a turned wave's J and P are turned vectors."""

    def test_vectors_turn_with_the_source(self):
        news, strain = random_modes(3), random_modes(4)
        before = fluxes.rates(news, strain)[0]
        for axis in range(3):
            after = fluxes.rates(turned(news, axis, 0.7), turned(strain, axis, 0.7))[0]
            matrix = rotation(axis, 0.7)
            self.assertAlmostEqual(after[0], before[0], delta=1e-12 * before[0])
            for vector in (slice(1, 4), slice(4, 7)):
                self.assertLess(np.abs(after[vector] - matrix @ before[vector]).max(), 1e-12 * before[0])

    def test_a_wave_about_x(self):
        w, zero = 0.3, {lm: np.zeros(2, complex) for lm in ALL}
        strain = {**zero, (2, 2): np.full(2, 1 + 0j)}
        about_x = turned(strain, 1, np.pi / 2)  # z to x
        news = {lm: -1j * w * v for lm, v in about_x.items()}
        found = fluxes.rates(news, about_x)[0]
        np.testing.assert_allclose(found[:4], np.array([w**2, 2 * w, 0, 0]) / (16 * np.pi), atol=1e-14)


class Gaussian(unittest.TestCase):
    """News A exp(-(t-t0)^2/(2 s^2) - i w t): E = A^2 s sqrt(pi)/(16 pi), J_z of its spectrum."""

    A, S, T0, W = 0.02, 12.0, 70.0, 0.4

    def setUp(self):
        self.t = np.arange(0.0, 140.0, 0.25)
        self.value = self.A * np.exp(-((self.t - self.T0) ** 2) / (2 * self.S**2) - 1j * self.W * self.t)
        # J_z = (m/16 pi) int |N~(w)|^2 / w dw/(2 pi), |N~|^2 = 2 pi A^2 s^2 exp(-s^2 (w-W)^2)
        w = np.linspace(0.01, 0.79, 20001)  # at 0 the spectrum is 1e-10 of its maximum
        spectrum = 2 * np.pi * self.A**2 * self.S**2 * np.exp(-(self.S * (w - self.W)) ** 2)
        self.exact_e = self.A**2 * self.S * np.sqrt(np.pi) / (16 * np.pi)
        self.exact_j = 2 * (spectrum / w).sum() * (w[1] - w[0]) / (2 * np.pi) / (16 * np.pi)

    def strain(self):
        integral = fluxes.spline(self.t, self.value).antiderivative()(self.t)
        return Waves("strain", self.t, {(2, 2): integral, (2, -2): np.conj(integral)})

    def test_of_strain(self):
        found = fluxes.of_strain(self.strain()).total()
        self.assertLess(abs(found[0] / (2 * self.exact_e) - 1), 1e-6)
        self.assertLess(abs(found[3] / (2 * self.exact_j) - 1), 1e-6)
        np.testing.assert_allclose(found[[1, 2, 4, 5, 6]], 0, atol=1e-15)

    def test_part_of_the_time(self):
        whole = fluxes.of_strain(self.strain())
        self.assertAlmostEqual(whole.total(last=self.T0)[0], self.exact_e, delta=1e-6 * self.exact_e)
        np.testing.assert_allclose(whole.total(last=60.1) + whole.total(first=60.1), whole.total(), rtol=1e-12)
        with self.assertRaisesRegex(WaveError, "known from 0 to 139.75"):
            whole.total(first=150)

    def test_another_kind(self):
        with self.assertRaisesRegex(ValueError, "fluxes want strain, not news"):
            fluxes.of_strain(Waves("news", self.t, {(2, 2): self.value}))


class Beyond(unittest.TestCase):
    """Modes (l, l) whose energies fall by a factor from each l to the next: what is above the highest follows from those that are there."""

    def waves(self, l_max, factor, odd=1.0):
        t = np.arange(0.0, 100.0, 0.25)
        return Waves("strain", t, {(l, m): (m == l) * factor ** (l / 2) * (odd if l % 2 else 1.0) * np.exp(-0.4j * t)
                                   for l in range(2, l_max + 1) for m in range(-l, l + 1)})

    def test_of_all_that_follow(self):
        for l_max in (4, 5, 8):
            for odd in (0.0, 0.3, 1.0):
                made = {l: fluxes.of_strain(self.waves(l, 0.3, odd)).total(first=20.0) for l in (l_max, 30)}
                if l_max > 4 or odd == 0:  # with l = 3 and 4 there is only one l before
                    found = fluxes.beyond(self.waves(l_max, 0.3, odd), 20.0)
                    self.assertAlmostEqual(found[0] / (made[30] - made[l_max])[0], 1, places=6, msg=f"{l_max} {odd}")
                    self.assertLess(np.abs(found[4:]).max(), 1e-30)
        spin = fluxes.beyond(self.waves(8, 0.3), 20.0)[3]  # m grows with l
        self.assertAlmostEqual(spin / (made[30] - made[8])[3], 1, delta=0.15)

    def test_of_noise_and_of_nothing_before(self):
        rising = self.waves(6, 2.0)
        held = fluxes.of_strain(rising).total() - fluxes.of_strain(self.waves(4, 2.0)).total()
        self.assertAlmostEqual(fluxes.beyond(rising)[0] / held[0], 1, places=6)
        for l_max in (2, 3):
            self.assertEqual(np.abs(fluxes.beyond(self.waves(l_max, 0.3))).max(), 0)


class Kick(unittest.TestCase):
    """(2,2) with (3,3) and with (2,1): by hand from the coefficients, P_+ = P_x + i P_y."""

    def test_couplings(self):
        one = np.ones(1, complex)
        # b(3,3) = sqrt(5*6*5/(5*7))/6: N22 with N33, from both ends of the coupling
        found = fluxes.rates({(2, 2): 2 * one, (3, 3): 3j * one}, {(2, 2): one, (3, 3): one})[0]
        plus = 2 * 2 * np.conj(-np.sqrt(150 / 35) / 6 * 3j) / (16 * np.pi)
        np.testing.assert_allclose(found[4] + 1j * found[5], plus, atol=1e-15)
        # a(2,1) = sqrt(1*4)/6
        found = fluxes.rates({(2, 1): one, (2, 2): 2j * one}, {(2, 1): one, (2, 2): one})[0]
        plus = 2 * np.conj(2 / 6 * 2j) / (16 * np.pi)
        np.testing.assert_allclose(found[4] + 1j * found[5], plus, atol=1e-15)


if __name__ == "__main__":
    unittest.main()
