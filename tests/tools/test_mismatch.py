"""Mismatch and noise curves against closed forms."""

import math
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.physics.harmonics import harmonic  # noqa: E402
from tendex.waves.comparison import mismatch  # noqa: E402
from tendex.waves.comparison.noise import CURVES, FLAT, Noise, find  # noqa: E402
from tendex.waves.signal.modes import WaveError, Waves  # noqa: E402

STEP = 0.25
T = np.arange(-200.0, 200.0, STEP)


def pulse(width, chirp=0.0, omega=0.8, at=0.0):
    """exp(-p (t-at)^2/2) exp(-i omega (t-at)), p = (1 + i chirp)/width^2."""
    t = T - at
    return np.exp(-0.5 * (1 + 1j * chirp) * t**2 / width**2 - 1j * omega * t)


def flat(a, b):
    s = mismatch.Spectra.of(a, b, STEP)
    return mismatch.match(s, mismatch.weights(s.f, FLAT, None, 0, math.inf))


class ClosedForms(unittest.TestCase):
    def test_pulses_of_other_width_and_chirp(self):
        # |int exp(-(p + q*) t^2/2)| = sqrt(2 pi/|p + q*|): <p|q>/|p||q| = sqrt(2) (Re p Re q)^(1/4) / |p + q*|^(1/2).
        for w1, c1, w2, c2 in ((10, 0, 10, 0), (10, 0, 14, 0), (8, 3, 8, 1), (8, 3, 12, -2)):
            p, q = (1 + 1j * c1) / w1**2, (1 + 1j * c2) / w2**2
            exact = 1 - math.sqrt(2) * (p.real * q.real) ** 0.25 / math.sqrt(abs(p + q.conjugate()))
            self.assertAlmostEqual(flat(pulse(w1, c1), pulse(w2, c2)).mismatch, exact, delta=1e-13)

    def test_pulses_of_other_frequency(self):
        w, d = 9.0, 0.06
        exact = 1 - math.exp(-((d * w) ** 2) / 4)
        self.assertAlmostEqual(flat(pulse(w), pulse(w, omega=0.8 + d)).mismatch, exact, delta=1e-13)

    def test_copy_moved_and_turned(self):
        a = pulse(11.0, 2.0)
        found = flat(a, np.exp(0.7j) * pulse(11.0, 2.0, at=13.37))
        self.assertLess(found.mismatch, 1e-13)
        self.assertAlmostEqual(found.dt, -13.37, delta=1e-9)
        self.assertAlmostEqual(found.dphi, -0.7, delta=1e-9)

    def test_noise_weighs_and_mass_scales(self):
        # Weights 1/S = exp(-(f/f0)^2) make Gaussians of Gaussians: spectra exp(-(w - w0)^2 s^2/2) of unlike width s
        # meet in int exp(-(w - w0)^2 (s^2 + u^2)/2 - w^2/b^2) dw, b = 2 pi f0 M Tsun.
        mass, f0, w0 = 60.0, 150.0, 0.5
        b = 2 * math.pi * f0 * mass * mismatch.SUN_S

        def product(s, u):
            k, n = (s**2 + u**2) / 2, 1 / b**2
            return math.sqrt(math.pi / (k + n)) * math.exp(-(w0**2) * k * n / (k + n))

        exact = 1 - product(8, 11) / math.sqrt(product(8, 8) * product(11, 11))
        noise = Noise("gauss", "test", lambda f: np.exp((f / f0) ** 2), highest=2000.0)
        s = mismatch.Spectra.of(pulse(8, omega=w0), pulse(11, omega=w0), STEP)
        found = mismatch.match(s, mismatch.weights(s.f, noise, mass, 0, math.inf))
        self.assertAlmostEqual(found.mismatch, exact, delta=1e-6 * exact)
        unweighted = flat(pulse(8, omega=w0), pulse(11, omega=w0)).mismatch
        self.assertGreater(abs(found.mismatch / unweighted - 1), 0.02)

    def test_small_errors_of_phase_and_amplitude(self):
        # SPA chirp |h| ~ f^(-7/6); b = a (1 + e A(f)) exp(i e P(f)): mismatch = e^2 (var A + var P*)/2, means with
        # weight |a|^2/S, P* what the best time and phase leave of P.
        f = np.fft.fftfreq(4096, 0.5)
        mass, e = 50.0, 1e-3
        weight = mismatch.weights(f, CURVES["aligo"], mass, 20.0, 1000.0) * (f > 0)
        x = np.where(f > 0, f, 1.0)
        a = np.where(f > 0, x ** (-7 / 6), 0) * np.exp(-1j * 3 / 128 * 4 * (math.pi * x) ** (-5 / 3))
        amplitude, phase = np.sin(40 * x), np.cos(25 * x) + 60 * x
        s = mismatch.Spectra(f, a, a * (1 + e * amplitude) * np.exp(1j * e * phase), 0.5)
        w = weight * np.abs(a) ** 2
        w /= w.sum()
        base = np.column_stack([np.ones_like(f), f]) * np.sqrt(w)[:, None]
        rest = phase * np.sqrt(w)
        rest = rest - base @ np.linalg.lstsq(base, rest, rcond=None)[0]
        expected = 0.5 * e**2 * ((w * amplitude**2).sum() - (w * amplitude).sum() ** 2 + (rest**2).sum())
        self.assertAlmostEqual(mismatch.match(s, weight).mismatch / expected, 1, delta=0.005)

    def test_band_without_a_wave(self):
        s = mismatch.Spectra.of(pulse(9), pulse(9), STEP)
        with self.assertRaisesRegex(WaveError, "nothing of the waves lies in the band"):
            mismatch.match(s, mismatch.weights(s.f, FLAT, 60.0, 1e7, 2e7))


def strain(dphi=0.0, dt=0.0, scale=1.0):
    """A made-up inspiral to a peak at t = dt, with odd modes."""
    t = np.arange(-400.0, 80.0, 0.2) + dt
    u = t - dt
    amplitude = np.where(u < 0, 1 / np.sqrt(1 + (u / 40) ** 2), np.exp(-np.log1p(np.exp((u - 8) / 3)) / 3 + 0.0220))
    psi = np.cumsum(0.12 + 0.15 / (1 + np.exp(-u / 15))) * 0.2
    modes = {(2, 2): 0.4, (2, 1): 0.05, (3, 3): 0.08 * scale, (4, 4): 0.03, (2, -2): 0.4, (3, -3): -0.08 * scale}
    return Waves("strain", t, {(l, m): c * amplitude * np.exp(-1j * m * (psi + dphi)) for (l, m), c in modes.items()})


class Tapers(unittest.TestCase):
    def test_window(self):
        a = strain()
        w = mismatch.window(a, (2, 2), start=-350.0)
        # dphase/dt of (2,2) is 0.24 there, 26.2 a cycle, two of which the taper takes.
        self.assertAlmostEqual(w.rise, 2 * 2 * math.pi / 0.24, delta=0.1)
        self.assertEqual((w.start, w.end, w.fall), (-350.0, a.t[-1], 20.0))
        t = np.array([-350, -350 + w.rise / 2, -350 + w.rise, 0, a.t[-1] - 20, a.t[-1] - 10, a.t[-1]])
        np.testing.assert_allclose(w(t), [0, 0.5, 1, 1, 1, 0.5, 0], atol=1e-12)

    def test_no_peak_inside(self):
        a = strain()
        with self.assertRaisesRegex(WaveError, "peak at t = .* does not lie"):
            mismatch.window(a, (2, 2), start=20.0)


class Observer(unittest.TestCase):
    def of(self, b, inclination):
        a = strain()
        w = mismatch.window(a, (2, 2))
        return mismatch.Seen.of(*mismatch.tapered(a, b, w, sorted(a.modes)), inclination, 0.3)

    def waves(self):
        """Two bursts whose modes differ."""
        random = np.random.default_rng(5)

        def burst(width):
            return {(2, m): (0.2 + random.random()) * np.exp(-(T**2) / width - 1j * w * T + 1j * random.random())
                    for m, w in zip((-2, -1, 1, 2), (-0.6, -0.35, 0.3, 0.65))}
        return Waves("strain", T, burst(200)), Waves("strain", T, burst(250))

    def sky(self, waves, inclination, azimuth):
        return sum(harmonic(*lm, inclination, azimuth) * v for lm, v in waves.modes.items())

    def test_turned_source(self):
        seen = self.of(strain(dphi=0.9), 1.1)
        found, angle = mismatch.best_azimuth(seen, np.ones_like(seen.f))
        self.assertLess(found.mismatch, 1e-12)
        self.assertAlmostEqual(math.remainder(angle - 0.9, 2 * math.pi), 0, delta=1e-5)
        self.assertGreater(mismatch.match(seen.turned(0), np.ones_like(seen.f)).mismatch, 1e-3)

    def test_best_of_all_angles(self):
        # Waves whose modes interfere, so that the norm too depends on the angle.
        t = np.arange(-60.0, 60.0, 0.5)
        for seed in range(4):
            random = np.random.default_rng(seed)
            x = [np.exp(-(t**2) / 90 - 1j * w * t) * np.exp(2j * np.pi * random.random()) for w in (0.5, 0.55, 0.6)]
            b = {m: np.fft.fft(sum(random.random() * v for v in x), 512) for m in (-1, 0, 1, 2)}
            a = np.fft.fft(sum(random.random() * v for v in x) * np.exp(0.05j * t), 512)
            seen = mismatch.Seen(np.fft.fftfreq(512, 0.5), a, b, 0.5)
            flat = np.ones(512)
            least = min(mismatch.match(seen.turned(angle), flat).mismatch for angle in np.arange(0, 2 * np.pi, 0.01))
            self.assertLess(mismatch.best_azimuth(seen, flat)[0].mismatch, least + 1e-12)

    def test_detector(self):
        """Greatest of all angles of both and shifts, of real series, by trying them; a copy in another place has none."""
        a, b = self.waves()
        seen = mismatch.Seen.of(a, b, 1.1, 0.4)
        weight = mismatch.weights(seen.f, FLAT, None, 0, math.inf)
        found, rho = mismatch.of_detector(seen, weight, 0.6)
        signal = np.cos(0.6) * self.sky(a, 1.1, 0.4).real - np.sin(0.6) * self.sky(a, 1.1, 0.4).imag
        self.assertAlmostEqual(rho**2 / len(seen.f), np.sum(signal**2) / 2, delta=1e-9 * rho**2)
        best = 0.0
        for azimuth in np.arange(0, 2 * np.pi, 0.05):
            there = self.sky(b, 1.1, 0.4 + azimuth)
            plus, cross = (np.correlate(part, signal, "same") for part in (there.real, -there.imag))
            for kappa in np.arange(0, np.pi, 0.1):
                one = (np.exp(1j * kappa) * there).real
                sums = (np.cos(kappa) * plus + np.sin(kappa) * cross) / math.sqrt(np.sum(signal**2) * np.sum(one**2))
                best = max(best, np.abs(sums).max())
        self.assertLessEqual(found.mismatch, 1 - best + 1e-12)
        self.assertAlmostEqual(found.mismatch, 1 - best, delta=3e-3)
        self.assertGreater(found.mismatch, 3e-3)
        copy = mismatch.Seen.of(a, a.map(lambda v, l, m: np.roll(v, 9) * np.exp(0.9j * m)), 1.1, 0.4)
        self.assertLess(mismatch.of_detector(copy, weight, 0.6)[0].mismatch, 1e-9)

    def test_fourier_sums_between_points(self):
        step, random = 0.25, np.random.default_rng(3)
        f = np.fft.fftfreq(65, step)  # up to one over two points
        products = random.normal(size=(3, 65)) + 1j * random.normal(size=(3, 65))
        sums = mismatch._between(products, f, step)
        for shift in np.array([0.0, 0.3, -1.49, 7.5, 7.4, -20.25]) * step:
            np.testing.assert_allclose(sums(shift), products @ np.exp(2j * np.pi * f * shift), rtol=0, atol=1e-12)

    def test_sky(self):
        """All observers together: the overlap of what all see at one shift is that of the modes."""
        a, b = self.waves()
        spectra = {lm: mismatch.Spectra.of(v, b.mode(*lm), STEP) for lm, v in a.modes.items()}
        f = next(iter(spectra.values())).f
        found = mismatch.of_sky(*({lm: getattr(s, x) for lm, s in spectra.items()} for x in "ab"), f, STEP, np.ones(len(f)))
        product, norms = 0j, np.zeros(2)
        nodes, shares = np.polynomial.legendre.leggauss(8)
        for x, share in zip(nodes, shares):
            for azimuth in 2 * np.pi / 12 * np.arange(12):
                one, other = self.sky(a, math.acos(x), azimuth), self.sky(b, math.acos(x), azimuth + found.dphi)
                moved = np.fft.ifft(np.fft.fft(other) * np.exp(-2j * np.pi * np.fft.fftfreq(len(T), STEP) * found.dt))
                product += share * np.sum(moved * np.conj(one))
                norms += share * np.array([np.sum(np.abs(v) ** 2) for v in (one, other)])
        self.assertAlmostEqual(found.mismatch, 1 - abs(product) / math.sqrt(norms.prod()), delta=1e-9)
        self.assertGreater(found.mismatch, 1e-2)
        copy = {lm: s.a * np.exp(0.9j * lm[1] - 2j * np.pi * f * 3.3) for lm, s in spectra.items()}
        still = mismatch.of_sky({lm: s.a for lm, s in spectra.items()}, copy, f, STEP, np.ones(len(f)))
        self.assertLess(still.mismatch, 1e-9)
        self.assertAlmostEqual(still.dt, -3.3, delta=1e-4)

    def test_face_on_sees_m_two_alone(self):
        seen = self.of(strain(scale=1.5), 0.0)
        self.assertLess(mismatch.best_azimuth(seen, np.ones_like(seen.f))[0].mismatch, 1e-12)
        seen = self.of(strain(scale=1.5), 1.2)
        self.assertGreater(mismatch.best_azimuth(seen, np.ones_like(seen.f))[0].mismatch, 1e-5)


class Harmonics(unittest.TestCase):
    def test_closed_forms(self):
        t, p = 0.7, 0.4
        for (l, m), exact in {
            (2, 2): math.sqrt(5 / (64 * math.pi)) * (1 + math.cos(t)) ** 2,
            (2, 1): math.sqrt(5 / (16 * math.pi)) * math.sin(t) * (1 + math.cos(t)),
            (2, 0): math.sqrt(15 / (32 * math.pi)) * math.sin(t) ** 2,
            (2, -2): math.sqrt(5 / (64 * math.pi)) * (1 - math.cos(t)) ** 2,
        }.items():
            self.assertAlmostEqual(abs(harmonic(l, m, t, p) - exact * np.exp(1j * m * p)), 0, delta=1e-14)

    def test_orthonormal(self):
        x, w = np.polynomial.legendre.leggauss(20)
        for m in (-3, 0, 2):
            modes = range(max(2, abs(m)), 9)
            y = np.array([[harmonic(l, m, math.acos(c), 0).real for c in x] for l in modes])
            np.testing.assert_allclose(2 * math.pi * (y * w) @ y.T, np.eye(len(modes)), atol=1e-12)


class Curves(unittest.TestCase):
    # S at 20, 100 and 1000 Hz of LALSimulation 6: the same fits for Virgo and KAGRA; for LIGO, what it was fitted to.
    LAL = {"aligo": (4.28646109e-46, 1.52329309e-47, 2.73153827e-47),
           "virgo": (5.59975136e-45, 2.11123286e-47, 3.49504022e-46),
           "kagra": (4.31729809e-45, 9.10624890e-48, 2.12978899e-46)}

    def test_level_and_band(self):
        f = np.array([20.0, 100.0, 1000.0])
        for name, exact in self.LAL.items():
            np.testing.assert_allclose(find(name)(f), exact, rtol=0.2 if name == "aligo" else 1e-8, err_msg=name)
        # Where the powers of the fits are whole numbers, or of 10.
        for x, exact in ((1, 14.358), (16, 150.272 + 178.8864 - 52.064 + 17.7622 + 0.0152 / 65536),
                         (1 / 16, 0.2935 / 512 + 2.7951 / 64 - 6.508 / 8 + 17.7622 + 996.1472)):
            self.assertAlmostEqual(CURVES["aligo"].density(245.4 * x) / (1e-48 * exact), 1, delta=1e-9)
        low = 2.39e4 * 10**0.28 + 3490 * 10**0.29 + 1.76 * 10**0.24 + 0.00409 / 10**0.2
        for f, exact in ((100.0, 2.518), (1.0, low), (1e4, 0.349 * 10**-4.29 + 1.76 * 10**-0.24 + 40.9 * 10**0.2)):
            self.assertAlmostEqual(math.sqrt(CURVES["et-b"].density(f)) / (1e-25 * exact), 1, delta=1e-9)
        for name in (*self.LAL, "et-b"):
            self.assertTrue(np.isinf(find(name)(np.array([0.0, 5.0]))).all())

    def read(self, text, amplitude=False):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "curve.txt"
            file.write_text(text)
            return find(str(file), amplitude)

    def test_file(self):
        # S = 1e-46 (100 Hz/f)^2 is a straight line of logarithms, so exact between the rows.
        f = np.array([20.0, 37.0, 100.0, 1000.0, 1001.0])
        exact = 1e-46 * (100 / f) ** 2
        s = self.read("# f S\n10 1e-44\n50 4e-46\n1000 1e-48\n")(f)
        np.testing.assert_allclose(s[:4], exact[:4], rtol=1e-12)
        self.assertTrue(np.isinf(s[4]))
        np.testing.assert_allclose(self.read("10 1e-22\n50 2e-23\n1000 1e-24\n", True)(f)[:4], exact[:4], rtol=1e-12)

    def test_bad_files(self):
        for text, amplitude, why in (("10 1e-23\n100 1e-24\n", False, "--asd"),
                                     ("10 1e-46\n100 1e-47\n", True, "--psd"),
                                     ("100 1e-46\n10 1e-47\n", False, "increase"), ("10 x\n", False, "curve.txt: line 1: 'x' is no number"),
                                     ("10 -1\n20 1\n", False, "positive"), ("10\n20\n", False, "rows of f")):
            with self.assertRaisesRegex(WaveError, why):
                self.read(text, amplitude)
        with self.assertRaisesRegex(WaveError, "no such file.*aligo"):
            find("nonsense")


if __name__ == "__main__":
    unittest.main()
