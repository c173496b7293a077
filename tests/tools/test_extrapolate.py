"""Waves at infinity: polynomials in 1/R with known coefficients, and exact waves of perturbation theory."""

import sys
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import synthetic  # noqa: E402
from tendex.waves.extraction.perturbative import mixing, outgoing, perturbative, to_infinity  # noqa: E402
from tendex.waves.signal.infinity import FITS, extrapolate, on_times, retarded, weights  # noqa: E402
from tendex.waves.signal.modes import WaveError, Waves  # noqa: E402

CHIRP = synthetic.Chirp()
ENERGY = 0.99
T = np.arange(0.0, 420.0, 0.125)
RADII = np.array([50.0, 60.0, 70.0, 85.0, 100.0])


def sphere(r, value, modes=((2, 2),), kind="psi4"):
    """Waves through a sphere of coordinate radius r with R psi4 = value(u, R, l, m)."""
    areal = synthetic.areal_radius(r, ENERGY)
    u = T - synthetic.tortoise(areal, ENERGY)
    return Waves(kind, T, {lm: r / areal * value(u, areal, *lm) for lm in modes}, r, areal, label=f"run, r = {r:g}")


def spheres(value, radii=RADII, **options):
    return [sphere(r, value, **options) for r in radii]


def off(found, exact, l=2, m=2):
    """Largest difference from exact(u), in its largest value, without the ends."""
    middle = slice(40, -40)
    return np.abs(found.mode(l, m) - exact(found.t))[middle].max() / np.abs(exact(found.t)).max()


class Polynomial(unittest.TestCase):
    def exact(self, u):
        return CHIRP.psi4(u, 2, 2)

    def test_weights(self):
        for order in (1, 2, 3):
            w = weights(RADII, order)
            for power in range(order + 1):
                self.assertAlmostEqual(w @ RADII**-float(power), float(power == 0), places=11)
            self.assertGreater(abs(w @ RADII ** -float(order + 1)), 1e-12)

    def test_real_and_imaginary_parts_with_known_coefficients(self):
        def value(u, r, l, m):
            return CHIRP.psi4(u, 2, 2) + 3 * CHIRP.news(u, 2, 2) / r - 7j * CHIRP.strain(u, 2, 2) / r**2
        for order in (2, 3):
            found = extrapolate(spheres(value), order, ENERGY, fit=FITS[1])
            self.assertLess(off(found, self.exact), 1e-8)
        self.assertGreater(off(extrapolate(spheres(value), 1, ENERGY, fit=FITS[1]), self.exact), 1e-4)

    def test_amplitude_and_phase_with_known_coefficients(self):
        def value(u, r, l, m):
            return CHIRP.psi4(u, 2, 2) * (1 + 4 / r - 90 / r**2) * np.exp(1j * (9 / r - 200 / r**2))
        self.assertLess(off(extrapolate(spheres(value), 2, ENERGY), self.exact), 1e-8)

    def test_phases_may_pass_pi(self):
        def value(u, r, l, m):
            return CHIRP.psi4(u, 2, 2) * np.exp(1j * (np.pi + 3 / r))
        found = extrapolate(spheres(value), 1, ENERGY)
        self.assertLess(off(found, lambda u: -self.exact(u)), 1e-8)

    def test_what_is_left_falls_with_the_right_power(self):
        # A term in 1/R^(N+1): with spheres twice as far out 2^(N+1) less is left.
        for order in (1, 2, 3):
            def value(u, r, l, m):
                return CHIRP.psi4(u, 2, 2) * (1 + 50.0 ** (order + 1) / r ** (order + 1))
            errors = []
            for scale in (2, 4):
                areals = [scale * r for r in RADII]
                here = [Waves("psi4", T, {(2, 2): value(T - synthetic.tortoise(r, ENERGY), r, 2, 2)}, r, r)
                        for r in areals]
                errors.append(off(extrapolate(here, order, ENERGY), self.exact))
            self.assertAlmostEqual(np.log2(errors[0] / errors[1]), order + 1, delta=0.1)

    def test_amplitude_and_phase_do_better_for_turning_modes(self):
        # The exact outgoing l = 2 wave in flat space with w = 0.1, R from 50 to 100.
        def value(u, r, l, m):
            y = 1j / (0.1 * r)
            return np.exp(-0.1j * u) * (1 + 2 * y + 3 * y**2 + 3 * y**3 + 1.5 * y**4)
        errors = [off(extrapolate(spheres(value), 2, ENERGY, fit=f), lambda u: np.exp(-0.1j * u)) for f in FITS]
        self.assertLess(errors[0], errors[1] / 5)

    def test_a_mode_of_noise_is_not_made_more_of(self):
        random = np.random.default_rng(2)
        noise = {r: random.standard_normal(len(T)) + 1j * random.standard_normal(len(T)) for r in RADII}
        here = [sphere(r, lambda u, areal, l, m: noise[r], modes=((2, 1),)) for r in RADII]
        found = extrapolate(here, 2, ENERGY).mode(2, 1)
        expected = np.linalg.norm(weights([s.areal for s in here], 2))
        self.assertLess(np.std(found), 1.3 * expected * 2**0.5)

    def test_phases_that_disagree_mean_nothing(self):
        def value(u, r, l, m):
            return np.exp(-0.3j * u + 2j * (r > 80)) * (2 + 30 / r)
        here = spheres(value)
        np.testing.assert_allclose(extrapolate(here, 2, ENERGY).mode(2, 2),
                                   extrapolate(here, 2, ENERGY, fit=FITS[1]).mode(2, 2), rtol=1e-12)

    def test_modes_with_m_0_go_through_zero(self):
        def value(u, r, l, m):
            return CHIRP.psi4(u, 2, 2).real * (1 + 3 / r) + 0.01 / r + 0j
        found = extrapolate(spheres(value, modes=((2, 0),)), 1, ENERGY)
        self.assertLess(off(found, lambda u: CHIRP.psi4(u, 2, 2).real, 2, 0), 1e-8)

    def test_areal_radius_over_time(self):
        here, areals = [], []
        for r in RADII:
            areal = r + 1 - 1e-3 * T * (100 / r)
            u = T - synthetic.tortoise(areal, ENERGY)
            here.append(Waves("psi4", T, {(2, 2): r / areal * CHIRP.psi4(u, 2, 2)}, r, float(np.median(areal))))
            areals.append((T, areal))
        self.assertLess(off(extrapolate(here, 2, ENERGY, areals), self.exact), 1e-8)
        self.assertGreater(off(extrapolate(here, 2, ENERGY), self.exact), 1e-2)

    def test_members(self):
        found = extrapolate(spheres(lambda u, r, l, m: CHIRP.psi4(u, l, m), modes=((2, 2), (4, 4))), 2, ENERGY)
        self.assertEqual((found.kind, found.radius, found.areal, found.label), ("psi4", np.inf, np.inf, "run, order 2"))
        self.assertEqual(sorted(found.modes), [(2, 2), (4, 4)])
        self.assertAlmostEqual(found.t[0], -synthetic.tortoise(synthetic.areal_radius(50.0, ENERGY), ENERGY))

    def test_only_modes_that_all_have(self):
        here = spheres(lambda u, r, l, m: CHIRP.psi4(u, l, m), modes=((2, 2), (4, 4)))
        here[1] = replace(here[1], modes={(2, 2): here[1].mode(2, 2)})
        self.assertEqual(list(extrapolate(here, 2, ENERGY).modes), [(2, 2)])


class Errors(unittest.TestCase):
    def here(self, radii=RADII):
        return spheres(lambda u, r, l, m: CHIRP.psi4(u, l, m), radii)

    def test_spheres_that_are_too_few(self):
        for radii, order, needed in ((RADII[:3], 3, 4), (RADII[:2], 1, 3), (RADII[:2], 2, 3)):
            text = f"order {order} in 1/R needs {needed} spheres, but there are {len(radii)}"
            with self.assertRaisesRegex(WaveError, text):
                extrapolate(self.here(radii), order, ENERGY)

    def test_orders(self):
        for order in (0, 5):
            with self.assertRaisesRegex(WaveError, f"order {order}: polynomials in 1/R are of order 1, 2, 3, 4"):
                extrapolate(self.here(), order, ENERGY)

    def test_kinds_must_agree(self):
        here = self.here()
        here[0] = replace(here[0], kind="strain")
        with self.assertRaisesRegex(WaveError, r"r = 50 \(strain\).*not all of a kind"):
            extrapolate(here, 2, ENERGY)
        with self.assertRaises(ValueError):
            extrapolate(self.here(), 2, ENERGY, fit="splines")

    def test_where_there_is_no_retarded_time(self):
        wave = self.here()[0]
        with self.assertRaisesRegex(WaveError, "is at infinity"):
            retarded(replace(wave, radius=np.inf), ENERGY)
        with self.assertRaisesRegex(WaveError, "is not outside 2 E = 120"):
            retarded(wave, 60.0)
        with self.assertRaisesRegex(WaveError, "retarded time does not increase"):
            retarded(wave, ENERGY, (np.array([0.0, 10.0]), np.array([50.0, 70.0])))

    def test_no_times_in_common(self):
        here = self.here()
        here[0] = here[0].cut(300.0)
        here[-1] = here[-1].cut(0.0, 100.0)
        with self.assertRaisesRegex(WaveError, "no retarded times in common: .*: let the run continue"):
            extrapolate(here, 2, ENERGY)

    def test_other_times(self):
        with self.assertRaisesRegex(WaveError, "asked for times -1 to 5, but it has 0"):
            on_times(self.here()[0], np.array([-1.0, 5.0]))


def packet(derivative, u, w=0.3, width=60.0):
    """exp(-i w u - u^2 / (2 width^2)) integrated -derivative times, to 1e-9: in the frequency domain."""
    spectrum = np.fft.fft(np.exp(-1j * w * u - (u / width) ** 2 / 2))
    k = 2 * np.pi * np.fft.fftfreq(len(u), u[1] - u[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(np.abs(k + w) < 0.15, (1j * k) ** derivative, 0)
    return np.fft.ifft(spectrum * factor)


class Perturbative(unittest.TestCase):
    U = np.arange(-600.0, 600.0, 0.25)
    MIDDLE = np.abs(U) < 100

    def corrected(self, r, series, mass, lms=((2, 2),), chi=0.0):
        """What is left of waves sum_n series(l, n) int^n packet / R^n, less the packet: its largest value."""
        modes = {(l, m): sum(series(l, n) * packet(-n, self.U) / r**n for n in range(l + 3)) / (1 - 2 * mass / r)
                 for l, m in lms}
        return self.left(r, modes, mass, chi)

    def left(self, r, modes, mass, chi=0.0):
        """What is left of psi4 through a sphere, less the packet: the largest value of each mode."""
        wave = perturbative(Waves("psi4", self.U, modes, r, r), mass, chi, cutoff=0.05)
        return {lm: np.abs(v - packet(0, self.U))[self.MIDDLE].max() for lm, v in wave.modes.items()}

    @staticmethod
    def flat(l, n):
        """Outgoing waves of spin weight -2 in flat space: coefficients of int^n psi4 / r^n."""
        c = 1.0
        for k in range(n):
            c *= (l - 1 + k) * (l + 2 - k) / (2 * (k + 1))
        return c

    def test_the_flat_series_solves_the_wave_equation(self):
        # Teukolsky's radial equation with a = M = 0, s = -2, of f = r^3 exp(i w r) sum c_n (i / (w r))^n:
        # r^4 (f' / r^2)' + (r^2 w^2 - 4 i w r - (l-1)(l+2)) f = 0.
        w, l = 0.3, 3
        r = np.linspace(30.0, 31.0, 2001)
        p = sum(self.flat(l, n) * (1j / (w * r)) ** n for n in range(6))
        f = r**3 * np.exp(1j * w * r) * p
        d = np.gradient(f, r, edge_order=2)
        dd = np.gradient(d / r**2, r, edge_order=2)
        residual = r**4 * dd + (r**2 * w**2 - 4j * w * r - (l - 1) * (l + 2)) * f
        self.assertLess(np.abs(residual[5:-5]).max(), 1e-4 * np.abs(r**2 * w**2 * f).max())

    def test_flat_space(self):
        # Exact, also where R w is small: 3 at R = 10.
        for lm, near in (((2, 2), 10.0), ((3, 2), 15.0), ((4, 4), 20.0)):
            for r in (near, 100.0):
                self.assertLess(self.corrected(r, self.flat, 0.0, (lm,))[lm], 1e-6)

    @staticmethod
    def series(l, w, r, mass):
        """f = R psi4 over exp(i w r_*) of waves exp(-i w t) about a hole, and df/dR, by the recurrence that Teukolsky's
        radial equation gives, up to its smallest term: w r large. [len(w)] each"""
        w = np.asarray(w)
        c, before, total, slope, small = np.ones(len(w), complex), np.zeros(len(w), complex), 0, 0, np.inf
        for n in range(40):
            term = c / r**n
            if n > l + 2 and np.abs(term).max() > small:
                break
            total, slope, small = total + term, slope - n * term / r, np.abs(term).max()
            c, before = ((n * (n - 3) - (l - 1) * (l + 2)) * c - 2 * mass * (n - 2) * (n - 4) * before) / (
                2j * w * (n + 1)), c
        return total, slope

    def test_about_a_black_hole(self):
        spectrum, k = np.fft.fft(packet(0, self.U)), 2 * np.pi * np.fft.fftfreq(len(self.U), 0.25)
        near = np.abs(k + 0.3) < 0.1  # exp(i k u): w = -k
        for l in (2, 4):
            for r in (60.0, 120.0):
                f = np.zeros(len(k), complex)
                f[near] = self.series(l, -k[near], r, 1.0)[0] / (1 - 2 / r)
                modes = {(l, 2): np.fft.ifft(spectrum * f)}
                self.assertLess(self.left(r, modes, 1.0)[l, 2], 1e-6)
                self.assertGreater(self.left(r, modes, 0.9)[l, 2], 1e-3)

    def test_outgoing_waves_solve_teukolskys_equation(self):
        # D^2 (R' / D)' + ((K^2 + 4i (r - M) K) / D - 8 i w r - (l-1)(l+2)) R = 0, D = r^2 - 2 M r, K = r^2 w, inwards
        # from where the series is exact.
        mass = 1.0
        for l, w, r in ((2, 0.06, 38.0), (2, 0.3, 10.0), (4, 0.2, 20.0), (8, 0.35, 30.0)):
            def slope(x, y, l=l, w=w):
                d, k = x * x - 2 * mass * x, x * x * w
                v = (k * k + 4j * (x - mass) * k) / d - 8j * w * x - (l - 1) * (l + 2)
                return [d * y[1], -v * y[0] / d**2]

            def wave(x, w=w):
                return x**3 * np.exp(1j * w * (x + 2 * mass * np.log(x / 2 / mass - 1)))
            far = 40 / w
            f, df = (x[0] for x in self.series(l, [w], far, mass))
            start = [wave(far) * f, wave(far) * ((1j * w * far / (far - 2 * mass) + 3 / far) * f + df)]
            found = solve_ivp(slope, (far, r), [start[0], start[1] / (far**2 - 2 * mass * far)], method="DOP853",
                              rtol=1e-12, atol=0)
            self.assertAlmostEqual(found.y[0, -1] / wave(r) / outgoing(l, [w * r], mass / r)[0], 1, delta=1e-6)

    def test_to_second_order_it_is_the_published_series(self):
        # arXiv:1503.00718, eq. 29, for exp(-i w t), and the term with 3M.
        w, mass = 0.3, 1.0
        for l in (2, 3, 4):
            k = (l - 1) * (l + 2)
            off = []
            for r in (400.0, 800.0):
                once, twice = 1j / w, (1j / w) ** 2
                there = 1 - k / (2 * r) * once + (k * (l * l + l - 4) / 8 * twice - 1.5 * mass * once) / r**2
                off.append(abs(to_infinity(l, r, mass)(np.array([-w]), 0.0)[0] - there))
            self.assertAlmostEqual(np.log2(off[0] / off[1]), 3, delta=0.2)
            self.assertLess(off[0], 1e-3)

    def test_values_between_those_solved_for(self):
        for l in (2, 3, 4, 8):
            for w in (1.3 * l, 12.757, 31.0, 90.0, 2000.0):
                found = to_infinity(l, 30.0, 1.0)(np.array([-w / 30, w / 30]), 0.0)
                exact = 1 / outgoing(l, [w], 1 / 30)[0]
                np.testing.assert_allclose(found, [exact, exact.conjugate()], rtol=3e-6 if w < 1e3 else 3e-4)

    def test_what_is_slow(self):
        # |f| of l = 2 in flat space: |1 + 2i/x - 3/x^2 - 3i/x^3 + 3/2/x^4|, smallest at x = 1.265.
        x = np.linspace(1, 2, 100001)
        f = 1 + 2j / x - 3 / x**2 - 3j / x**3 + 1.5 / x**4
        dip = x[np.abs(f).argmin()]
        factor, held = to_infinity(2, 30.0, 0.0), 1 / np.abs(f[np.abs(x - 1.25 * dip).argmin()])
        for w in (1.05, 1.15, 1.24):
            self.assertAlmostEqual(abs(factor(np.array([w * dip / 30]), 0.0)[0]), held, delta=0.03)
        # Slower ones are near field, 2/3 (R w)^4 at last; below the cut-off all are what they are there.
        for w in (0.4, 0.8):
            near = 1 + 2j / w - 3 / w**2 - 3j / w**3 + 1.5 / w**4
            self.assertAlmostEqual(abs(factor(np.array([w / 30]), 0.0)[0]) * abs(near), 1, delta=1e-4)
        np.testing.assert_allclose(factor(np.array([0.01, 0.09]), 0.1), factor(np.array([0.1]), 0.0)[0], rtol=1e-12)
        for l in (2, 3, 4, 8):
            made = np.abs(to_infinity(l, 30.0, 1.0)(np.geomspace(1e-9, 100, 3000), 0.0))
            self.assertLess(made.max(), 2)
            self.assertLess(made[0], 0.02)

    def test_tetrad(self):
        left = self.corrected(100.0, lambda l, n: float(n == 0), 0.0)
        self.assertGreater(left[2, 2], 1e-2)  # not a solution: corrected what was right
        far = Waves("psi4", self.U, {(2, 2): packet(0, self.U)}, 1e6, 1e6 * 1.1)
        found = perturbative(far, 1e5, cutoff=0.05)
        self.assertAlmostEqual(np.abs(found.mode(2, 2)).max(), 1.1 * (1 - 2 / 11), places=4)

    def test_a_radius_that_changes(self):
        # r psi4 = r / (R - 2M) times the packet, far out.
        mass, r = 1e4, 1e6
        areal = r * (1.1 - 0.01 * np.arctan(self.U / 50))
        there = Waves("psi4", self.U, {(2, 2): packet(0, self.U) * r / (areal - 2 * mass)}, r, float(np.median(areal)))
        found = perturbative(there, mass, cutoff=0.05, areal=(self.U, areal)).mode(2, 2)
        self.assertLess(np.abs(found - packet(0, self.U))[self.MIDDLE].max(), 1e-4)
        without = perturbative(there, mass, cutoff=0.05).mode(2, 2)
        self.assertGreater(np.abs(without - packet(0, self.U))[self.MIDDLE].max(), 1e-3)

    def test_spheroidal_harmonics(self):
        # Modes of one spheroidal harmonic, from the eigenvectors of its operator -4 a w cos(theta) + l(l+1) in
        # spherical ones: at infinity only that one is left. In the middle of
        # the packet, where it is of one w, the neighbours go with (a w)^3.
        w, m, ls = 0.3, 2, np.arange(2, 12)
        cos = np.zeros((10, 10))
        for i, l in enumerate(ls[:-1]):
            cos[i, i + 1] = cos[i + 1, i] = mixing(l, m) * (l + 1) / 2
        left = []
        for chi in (0.2, 0.1):
            h = np.diag(ls * (ls + 1.0)) - 4 * chi * w * cos
            v = np.linalg.eigh(h)[1][:, 1]  # l = 3
            v = v / v[1]
            modes = {(int(l), m): x * packet(0, self.U) for l, x in zip(ls, v)}
            found = perturbative(Waves("psi4", self.U, modes, 1e8, 1e8), 1.0, chi, cutoff=0.05)
            self.assertAlmostEqual(np.abs(found.mode(3, m)).max(), 1, delta=0.01)
            left.append(max(np.abs(found.mode(l, m))[len(self.U) // 2] for l in (2, 4)))
            self.assertGreater(abs(v[0]), 10 * left[-1])
        self.assertAlmostEqual(np.log2(left[0] / left[1]), 3, delta=0.3)

    def test_mixing_is_the_matrix_element_of_the_cosine(self):
        # Harmonics of arXiv:0709.0093 eq. II.7-8 for l = 2 and 3, m = 2.
        x = np.polynomial.legendre.leggauss(8)
        y22 = np.sqrt(5 / (64 * np.pi)) * (1 + x[0]) ** 2
        y32 = np.sqrt(7 / np.pi) * ((1 + x[0]) / 2) ** 2 * (3 * x[0] - 2) / 2
        self.assertAlmostEqual(2 * np.pi * x[1] @ y32**2, 1, places=12)
        self.assertAlmostEqual(2 / 3 * abs(2 * np.pi * x[1] @ (x[0] * y22 * y32)), mixing(2, 2), places=12)
        self.assertEqual(mixing(1, 1), 0.0)

    def test_errors(self):
        wave = Waves("psi4", self.U, {(2, 2): packet(0, self.U)}, 100.0, 100.0, label="here")
        for bad in (replace(wave, kind="strain"), replace(wave, radius=np.inf)):
            with self.assertRaisesRegex(WaveError, "here: is no psi4 through a sphere"):
                perturbative(bad, 1.0, cutoff=0.05)
        with self.assertRaisesRegex(WaveError, "not outside 2 M = 120"):
            perturbative(wave, 60.0, cutoff=0.05)


if __name__ == "__main__":
    unittest.main()
