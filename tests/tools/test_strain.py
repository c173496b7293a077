"""Integration of psi4 to news and strain: against chirps in closed form."""

import contextlib
import io
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
from scipy.integrate import trapezoid

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import orbits  # noqa: E402
import synthetic  # noqa: E402
from tendex.waves.commands import cli  # noqa: E402
from tendex.waves.extraction import standard  # noqa: E402
from tendex.waves.extraction.spheres import frequency  # noqa: E402
from tendex.waves.reading import wavefile  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal import ffi  # noqa: E402
from tendex.waves.signal.ffi import news, strain  # noqa: E402
from tendex.waves.signal.modes import WaveError, Waves, phase  # noqa: E402

CHIRP = synthetic.Chirp(on=-60.0, rise=30.0)
U = np.arange(-150.0, 400.0, 0.25)
CUTOFF = 0.6 * CHIRP.slow
INSIDE = (U > 60) & (U < 280)


def chirp(kind="psi4", u=U, mass=1.0):
    modes = {lm: getattr(CHIRP, kind)(u / mass, *lm) * mass ** {"psi4": -1, "news": 0, "strain": 1}[kind]
             for lm in ((2, 2), (2, -2), (4, 4))}
    return Waves(kind, u, modes, mass=mass, label="chirp")


def worst(found, exact, lm=(2, 2), where=INSIDE):
    """Largest errors of amplitude, relative to its largest, and of phase where the wave is above 5% of that."""
    a, b = found.mode(*lm)[where], exact.mode(*lm)[where]
    strong = np.abs(b) > 0.05 * np.abs(b).max()
    return (np.abs(np.abs(a) - np.abs(b)).max() / np.abs(b).max(), np.abs(np.angle(a * b.conj()))[strong].max())


class ClosedForm(unittest.TestCase):
    def test_strain_and_news_of_a_chirp(self):
        # What is lost is the part of the spectrum below the cut-off: 2e-3 of the amplitude.
        for found, exact in ((strain(chirp(), CUTOFF), chirp("strain")), (news(chirp(), CUTOFF), chirp("news"))):
            self.assertEqual(found.kind, exact.kind)
            for lm in ((2, 2), (2, -2), (4, 4)):
                amplitude, angle = worst(found, exact, lm, INSIDE & (U < 250))
                self.assertLess(amplitude, 3e-3)
                self.assertLess(angle, 0.02)

    def test_near_the_peak(self):
        near = np.abs(U - CHIRP.peak) < 20
        amplitude, angle = worst(strain(chirp(), CUTOFF), chirp("strain"), where=near)
        self.assertLess(amplitude, 1.5e-3)
        self.assertLess(angle, 3e-3)

    def test_phase_falls_and_negative_m_mirrors(self):
        h = strain(chirp(), CUTOFF)
        self.assertLess(np.diff(phase(h.mode(2, 2)))[INSIDE[1:]].max(), 0)
        np.testing.assert_allclose(h.mode(2, -2), np.conj(h.mode(2, 2)), atol=1e-12)

    def test_energy_of_the_news_is_exact(self):
        exact = trapezoid(np.abs(CHIRP.news(U, 2, 2)) ** 2, U) / (16 * np.pi)
        n = news(chirp(), CUTOFF).mode(2, 2)
        self.assertAlmostEqual(trapezoid(np.abs(n) ** 2, U) / (16 * np.pi), exact, delta=1e-3 * exact)

    def test_units(self):
        h = strain(chirp(u=2 * U, mass=2.0), CUTOFF / 2).geometric()
        np.testing.assert_allclose(h.mode(4, 4), strain(chirp(), CUTOFF).mode(4, 4), atol=1e-12)


class Cutoff(unittest.TestCase):
    T = np.arange(0.0, 4000.0, 0.5)
    MIDDLE = slice(3000, 5000)

    def turning(self, w, m=2):
        psi4 = Waves("psi4", self.T, {(max(m, 2), m): np.exp(-1j * w * self.T)})
        return np.abs(strain(psi4, 0.05).mode(max(m, 2), m))[self.MIDDLE]

    def test_above_it_nothing_is_lost(self):
        np.testing.assert_allclose(self.turning(0.2), 1 / 0.2**2, rtol=1e-4)

    def test_below_it_division_is_by_the_cutoff(self):
        np.testing.assert_allclose(self.turning(0.04), 1 / 0.1**2, rtol=1e-3)

    def test_it_is_m_times_as_high(self):
        np.testing.assert_allclose(self.turning(0.04, m=4), 1 / 0.2**2, rtol=1e-3)

    def test_axisymmetric_modes_have_their_own(self):
        """Where the source is its mirror image; of others they have what turns."""
        wave = np.cos(0.04 * self.T) + 0j
        found = strain(Waves("psi4", self.T, {(2, 0): wave}), 0.05).mode(2, 0)
        np.testing.assert_allclose(found[self.MIDDLE], wave[self.MIDDLE] / ffi.AXIAL**2, atol=1e-3 / ffi.AXIAL**2)
        np.testing.assert_allclose(self.turning(0.04, m=0), 1 / 0.05**2, rtol=1e-3)
        np.testing.assert_allclose(self.turning(0.06, m=0), 1 / 0.06**2, rtol=1e-3)
        self.assertEqual(ffi.mode_cutoff(0.3, 0, 1.0), 0.3)
        self.assertEqual(ffi.mode_cutoff(0.01, 0, 2.0), ffi.AXIAL / 2)
        self.assertEqual(ffi.mode_cutoff(0.01, 0, 2.0, False), 0.01)

    def test_level(self):
        h = np.exp(-0.1j * self.T)
        plane = {(2, 2): h, (2, -2): h.conj(), (3, 3): h, (3, -3): -h.conj(), (2, 0): h.real + 0j}
        for more, expected in (({}, True), ({(2, 1): 0.03 * h, (2, -1): 0.03 * h.conj()}, True),
                               ({(2, 1): 0.03 * h, (2, -1): 0.02 * h.conj()}, True), ({(3, 3): h, (3, -3): h.conj()}, False),
                               ({(2, 1): 0.1 * h, (2, -1): -0.1 * h.conj()}, False)):
            self.assertEqual(ffi.level(Waves("psi4", self.T, plane | more)), expected, more.keys())


class Eccentric(unittest.TestCase):
    """(2,2) of the quadrupole of eccentric orbits."""

    def test_swing(self):
        """Orbits of the 3PN Hamiltonian from an apastron on, cut where they begin, as runs are: after half a turn 1% is right, as root mean
        square, and 2% always. Without a continuation the amplitude is not."""
        for e, separation in ((0.1, 11.0), (0.2, 13.0)):
            t, r, angle = orbits.orbit(orbits.turning(separation, e, np.pi, 0.25), 0.25, 1000.0, 0.5)
            z = (r * np.exp(-1j * angle)) ** 2
            h, psi4 = orbits.derivative(t, z, 2), Waves("psi4", t, {(2, 2): -orbits.derivative(t, z, 4)})
            begin = np.searchsorted(t, 3 * separation)
            pace = 2 * np.pi / (t[np.searchsorted(angle, angle[begin] + 2 * np.pi)] - t[begin])
            inside = (angle > np.pi) & (t < t[-1] - 150)

            def errors(start):
                found = strain(replace(psi4, start=start), standard.orbital_part(psi4) * pace).mode(2, 2)
                return np.array([np.abs(found / h) - 1, frequency(t, found) / frequency(t, h) - 1])[:, inside]

            def rms(x):
                return np.sqrt((x**2).mean(axis=1))
            made = errors(None)
            self.assertLess(rms(made).max(), 0.01)
            self.assertLess(np.abs(made).max(), 0.02)
            self.assertGreater(rms(errors(-np.inf))[0], 1.9 * rms(made)[0])

    def test_psi4_swings_more(self):
        """The frequencies of strain and psi4 swing by 3/2 e and 21/8 e, where that of Kepler's orbit swings by 2 e."""
        e, t = 1e-3, np.linspace(0, 4 * np.pi, 2001)
        z = (np.exp(-1j * t) - 3 * e / 2 + e / 2 * np.exp(-2j * t)) ** 2
        for order, part in ((0, 2), (2, 3 / 2), (4, 21 / 8)):
            w = frequency(t, orbits.derivative(t, z, order))[9:-9]
            self.assertAlmostEqual(np.ptp(w) / 4, part * e, delta=0.01 * e)


class Drift(unittest.TestCase):
    def test_an_offset_and_a_slope_of_psi4_do_not_make_strain_drift(self):
        offset, slope = 1e-5, 2e-8
        clean = strain(chirp(), CUTOFF).mode(2, 2)
        dirty = chirp().map(lambda v, l, m: v + offset + slope * U, start=-np.inf)
        made = np.abs(strain(dirty, CUTOFF).mode(2, 2) - clean)
        bound = (offset + slope * 400) / (2 * CUTOFF) ** 2
        self.assertLess(made.max(), 1.1 * bound)
        self.assertLess(made[INSIDE][-1], 2 * made[INSIDE][0])
        # Integrated twice over time they would be as large as the wave.
        self.assertGreater(offset * 550**2 / 2, 30 * bound)

    def test_noise_does_not_walk_away(self):
        random = np.random.default_rng(4)
        noise = 1e-5 * random.standard_normal(len(U))
        clean = strain(chirp(), CUTOFF).mode(2, 2)
        made = np.abs(strain(chirp().map(lambda v, l, m: v + noise), CUTOFF).mode(2, 2) - clean)
        self.assertLess(made.max(), 1e-5 * len(U) ** 0.5 / (2 * CUTOFF) ** 2)
        self.assertLess(made[INSIDE][-200:].mean(), 3 * made[INSIDE][:200].mean())

    def test_an_end_in_the_middle_of_the_wave_is_felt_there_only(self):
        # 15 M after the peak. Only tapered there, the strain would be wrong by half of it 30 M before.
        u = np.arange(-150.0, 215.0, 0.25)
        amplitude, angle = worst(strain(chirp(u=u), CUTOFF), chirp("strain", u=u), where=(u > 60) & (u < 185))
        self.assertLess(amplitude, 0.05)
        self.assertLess(angle, 0.06)

    def test_continuation(self):
        # A decaying exponential goes on as it was, and fades; silence stays silent.
        k = np.arange(60)
        more = ffi.continued(np.exp((-0.01 - 0.2j) * k), 1.0, 30, 0.05)
        self.assertEqual(len(more), int(ffi.CYCLES * 2 * np.pi / 0.2))
        np.testing.assert_allclose(more[:10], np.exp((-0.01 - 0.2j) * (60 + k[:10])), rtol=1e-3)
        self.assertLess(abs(more[-1]), 1e-12)
        self.assertEqual(len(ffi.continued(np.zeros(60, complex), 1.0, 30, 0.05)), 0)
        growing = ffi.continued(np.exp((0.1 - 0.2j) * k), 1.0, 30, 0.05)
        self.assertLessEqual(np.abs(growing).max(), np.exp(0.1 * 59) * (1 + 1e-12))

    def test_noise_is_not_continued(self):
        noise = np.array([1, 1j]) @ np.random.default_rng(3).standard_normal((2, 200))
        slow = np.convolve(noise, np.ones(9) / 9, "valid")
        for end in (noise, slow):
            self.assertEqual(len(ffi.continued(end, 0.25, 40, 0.02)), 0)
        self.assertEqual(len(ffi.continued(np.exp(-0.01j * np.arange(60)), 1.0, 30, 0.02)), 0)  # slower than w0

    def test_what_is_real_stays_real(self):
        t = np.arange(0.0, 200.0, 0.25)
        bump = np.exp(-((t - 100) ** 2) / 200) + 0j
        made = ffi.Filter(t, 20.0)(bump, ffi.integral(0.05))
        self.assertLess(np.abs(made.imag).max(), 1e-12 * np.abs(made).max())

    def test_the_window_is_one_inside_and_zero_at_the_ends(self):
        w = ffi.window(U, 20.0)
        np.testing.assert_array_equal(w[(U >= -130) & (U <= 379.75)], 1.0)
        self.assertEqual((w[0], w[-1]), (0.0, 0.0))
        self.assertTrue(np.all(np.diff(w[:80]) >= 0))


class Times(unittest.TestCase):
    def test_uneven_times(self):
        u = U + 0.1 * np.sin(U)
        found = strain(chirp(u=u), CUTOFF)
        np.testing.assert_array_equal(found.t, u)
        even = strain(chirp(), CUTOFF).mode(2, 2)
        there = ffi.interpolated(u, found.mode(2, 2), U[10:-10])
        np.testing.assert_allclose(there, even[10:-10], atol=1e-4)

    def test_interpolation_and_derivative(self):
        psi4, at = chirp().mode(4, 4), U[100:-100] + 0.1
        np.testing.assert_allclose(ffi.interpolated(U, psi4, at), CHIRP.psi4(at, 4, 4), atol=1e-7)
        h = chirp("strain")
        np.testing.assert_allclose(ffi.derivative(U, h.mode(2, 2))[9:-9], CHIRP.news(U, 2, 2)[9:-9], atol=1e-8)

    def test_three_times_are_enough_and_two_are_not(self):
        ffi.interpolated(U[:3], U[:3] + 0j, U[:2] + 0.1)
        with self.assertRaisesRegex(WaveError, "2 times are too few"):
            ffi.interpolated(U[:2], U[:2] + 0j, U[:1])


class Errors(unittest.TestCase):
    def test_only_psi4_is_integrated(self):
        with self.assertRaisesRegex(WaveError, "chirp: is strain; only psi4"):
            strain(chirp("strain"), CUTOFF)

    def test_impossible_cutoffs(self):
        for cutoff in (0.0, -1.0, np.inf, np.nan):
            with self.assertRaisesRegex(WaveError, "must be a frequency above 0"):
                strain(chirp(), cutoff)
        with self.assertRaisesRegex(WaveError, "is above 12.6, the highest frequency"):
            strain(chirp(), 4.0)


class Command(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.scratch = Path(folder.name)
        cls.path = synthetic.write_run(cls.scratch / "run", radii=(50.0, 62.5), dt=0.5, masses=(0.6, 0.3))

    def call(self, *args):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(["strain", *map(str, args)])
        return code, out.getvalue(), err.getvalue()

    def test_files(self):
        code, out, _ = self.call(self.path, "--news", "--text", self.scratch / "text", "--json",
                                 self.scratch / "a.json")
        self.assertEqual(code, 0)
        file = self.path / "analysis" / "strain.h5"
        self.assertIn(str(file), out)
        with h5py.File(file) as h:
            self.assertEqual(sorted(h), ["news_r50.00", "news_r62.50", "r50.00", "r62.50"])
            self.assertEqual(h.attrs["code_version"], synthetic.VERSION)
            cutoff = h.attrs["cutoff"]
            for name in ("strain_sign", "harmonics", "units", "integration", "scaled_by_r"):
                self.assertIn(name, h.attrs)
        wave = wavefile.read(file)
        self.assertEqual((wave.kind, wave.radius, wave.mass), ("strain", 62.5, 0.6 + 0.3))
        made = strain(Run(self.path).spheres()[1], cutoff)
        synthetic.assert_same(wave.mode(4, -4), made.mode(4, -4))
        rows = np.loadtxt(self.scratch / "text" / "r62.50" / "l2_m2.asc")
        synthetic.assert_same(rows, np.column_stack([made.t, made.mode(2, 2).real, made.mode(2, 2).imag]))
        self.assertEqual(wavefile.read(file, "news_r50.00").kind, "news")

    def test_one_sphere_and_a_cutoff(self):
        file = self.scratch / "deep" / "one.h5"
        code, out, _ = self.call(self.path, "--radius", "50", "--cutoff", "0.03", "-o", file)
        self.assertEqual(code, 0)
        with h5py.File(file) as h:
            self.assertEqual((list(h), h.attrs["cutoff"]), (["r50.00"], 0.03))
        self.assertIn("cut-off 0.027/M", out)

    def test_errors(self):
        self.assertEqual(self.call(self.path, "--radius", "55", "-o", self.scratch / "x.h5")[0], 1)
        self.assertIn("no sphere of r = 55; there are 50, 62.5", self.call(self.path, "--radius", "55")[2])
        self.assertIn("no such run folder", self.call(self.scratch / "nowhere")[2])
        for args in (("--cutoff", "0"), ("--cutoff", "x"), ("--radius", "far")):
            with self.assertRaises(SystemExit) as stop:
                self.call(self.path, *args)
            self.assertEqual(stop.exception.code, 2)

    def test_other_files(self):
        file = self.scratch / "other.h5"
        with h5py.File(file, "w") as h:
            h["x"] = 1
        with self.assertRaisesRegex(WaveError, "no file of tendex-waves"):
            wavefile.read(file)
        self.call(self.path, "-o", self.scratch / "y.h5")
        with self.assertRaisesRegex(WaveError, "no group r1; there are r50.00, r62.50"):
            wavefile.read(self.scratch / "y.h5", "r1")

    def test_no_waves(self):
        path = synthetic.write_run(self.scratch / "bare", radii=(50.0,), dt=1.0)
        (path / "waves" / "mp_psi4.h5").unlink()
        code, _, err = self.call(path)
        self.assertEqual(code, 1)
        self.assertIn("missing; were waves.radii set?", err)


if __name__ == "__main__":
    unittest.main()
