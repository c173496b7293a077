"""psi4 that begins where a run does, and its strain, news, energy and angular momentum: waves of SpEC, where they are, and waves made here."""

import contextlib
import io
import math
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
from scipy.interpolate import make_interp_spline

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import inspiral  # noqa: E402
import synthetic  # noqa: E402
from reference import reference  # noqa: E402
from tendex.physics import kerr  # noqa: E402
from tendex.waves.commands import cli  # noqa: E402
from tendex.waves.extraction import radiated, standard  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal import chirp, drift, ffi, fluxes, junk  # noqa: E402
from tendex.waves.signal.align import spline  # noqa: E402
from tendex.waves.signal.modes import Waves  # noqa: E402
from tendex.waves.signal.planck import falling  # noqa: E402

RATIO_2 = 2 / 9
MODES = ((2, 2), (2, 1), (3, 3), (3, 2), (4, 4))


def cut(orbits, nu=RATIO_2, **how):
    """(Inspiral of so many orbits, the cut-off of a run that begins there)."""
    wave = inspiral.Inspiral(inspiral.first_of(orbits, nu), nu, **how)
    return wave, standard.orbital_part(wave.psi4) * np.interp(wave.first, wave.t, wave.omega)


def after(wave, start, cycles):
    """Time so many cycles of (2,2) after a start."""
    turned = np.interp(start, wave.t, wave.phi) + np.pi * cycles
    return float(np.interp(turned, wave.phi, wave.t))


def wrong(made, exact, lm, first, last):
    """Largest error between two times, over the largest of all modes together at that time."""
    at = exact.t[(exact.t >= first) & (exact.t <= last)]
    error = spline(made.t, made.mode(*lm))(at) - spline(exact.t, exact.mode(*lm))(at)
    return float(np.max(np.abs(error) / spline(exact.t, exact.total())(at)))


def amplitude_and_phase(made, exact, lm, first, last):
    inside = (exact.t >= first) & (exact.t <= last)
    ratio = spline(made.t, made.mode(*lm))(exact.t[inside]) / exact.mode(*lm)[inside]
    return float(np.abs(np.abs(ratio) - 1).max()), float(np.abs(np.angle(ratio)).max())


class Clean(unittest.TestCase):
    """Cut without junk."""

    def test_three_to_twenty_orbits(self):
        for orbits in (3, 6, 20):
            for nu in (0.25, RATIO_2):
                wave, cutoff = cut(orbits, nu)
                made = ffi.strain(wave.psi4, cutoff)
                for lm in MODES if nu < 0.25 else ((2, 2),):
                    for first, last in ((after(wave, wave.first, 2), -10.0), (-10.0, 40.0)):
                        most = 1.5e-3 if lm == (2, 1) else 3e-4
                        for error in amplitude_and_phase(made, wave.strain, lm, first, last):
                            self.assertLess(error, most, (orbits, nu, lm, first))

    def test_news_and_fluxes(self):
        wave, cutoff = cut(6)
        made = ffi.news(wave.psi4, cutoff)
        first = after(wave, wave.first, 2)
        self.assertLess(max(amplitude_and_phase(made, wave.news, (2, 2), first, 30.0)), 1e-3)
        names = [fluxes.NAMES.index(name) for name in ("E", "Jz", "Px", "Py")]
        exact, found = (f.total(first=wave.first)[names] for f in (fluxes.of_strain(wave.strain), radiated.flux(wave.psi4, cutoff)))
        np.testing.assert_allclose(found[:2], exact[:2], rtol=2e-4)
        np.testing.assert_allclose(found[2:], exact[2:], atol=2e-3 * np.linalg.norm(exact[2:]))

    def test_without_a_continuation_it_is_wrong(self):
        wave, cutoff = cut(6)
        made = ffi.strain(replace(wave.psi4, start=-math.inf), cutoff)
        self.assertGreater(wrong(made, wave.strain, (2, 2), after(wave, wave.first, 2), -50.0), 1e-2)

    def test_the_ringdown_keeps_its_frequency_and_damping(self):
        wave, cutoff = cut(20)
        made = ffi.strain(wave.psi4, cutoff).mode(2, 2)
        ring = (wave.strain.t > 35) & (wave.strain.t < 70)
        slope = np.gradient(np.unwrap(np.angle(made)), wave.strain.t)[ring]
        exact = np.gradient(np.unwrap(np.angle(wave.strain.mode(2, 2))), wave.strain.t)[ring]
        self.assertLess(np.abs(slope / exact - 1).max(), 1e-3)
        fades = np.gradient(np.log(np.abs(made)), wave.strain.t)[ring] / np.gradient(np.log(np.abs(wave.strain.mode(2, 2))), wave.strain.t)[ring]
        self.assertLess(np.abs(fades - 1).max(), 5e-3)


class Junk(unittest.TestCase):
    """As runs have it: nothing, a burst three times as large as the wave, and noise of 2e-7 in r psi4."""

    def test_modes(self):
        for orbits, noise in ((4, 0.0), (6, 2e-7), (20, 0.0)):
            wave, cutoff = cut(orbits)
            psi4 = inspiral.with_junk(wave.psi4, 3.0, noise=noise)
            start = ffi.begins(psi4).chirp.t0
            self.assertGreater(start, wave.first + 40)
            self.assertLess(start, wave.first + 130)
            made = ffi.strain(psi4, cutoff)
            for lm in MODES[::2]:
                self.assertLess(wrong(made, wave.strain, lm, after(wave, start, 2), 30.0), 1e-3, (orbits, lm))

    def test_a_start_that_is_given(self):
        wave, _ = cut(6)
        psi4 = inspiral.with_junk(wave.psi4, 3.0)
        given = replace(psi4, start=wave.first + 150.0)
        self.assertAlmostEqual(ffi.begins(given).chirp.t0, wave.first + 150.0, delta=0.3)

    def test_its_energy_is_kept(self):
        """In fluxes, with how it interferes with the wave; strain has no junk."""
        wave, cutoff = cut(6)
        x = wave.psi4.t - wave.first
        ring = 6e-3 * np.exp(-(((x - 22) / 6) ** 2)) * np.exp(-0.75j * x)
        burst = wave.psi4.map(lambda v, l, m: (ring if m > 0 else ring.conj()) if (l, abs(m)) == (2, 2) else 0 * v)
        own = ffi.strain(replace(burst, start=-math.inf), 0.02)

        def with_burst(waves, added):
            return waves.map(lambda v, l, m: v + added.mode(l, m))
        exact = fluxes.of_strain(with_burst(wave.strain, own)).total()[0] - fluxes.of_strain(wave.strain).total()[0]
        both = with_burst(wave.psi4, burst)
        found = radiated.gone(both, cutoff, wave.first)[0][0] - radiated.gone(wave.psi4, cutoff, wave.first)[0][0]
        self.assertGreater(exact, 1e-5)
        self.assertAlmostEqual(found, exact, delta=0.1 * exact)
        self.assertLess(wrong(ffi.strain(both, cutoff), wave.strain, (2, 2), wave.first, 0.0), 1e-3)

    def test_a_wave_that_comes_from_nothing_is_complete(self):
        t = np.arange(-200.0, 800.0, 0.5)
        wave = np.exp(-0.08j * t) / (1 + np.exp(-np.clip(t / 18, -500, 500)))
        self.assertEqual(junk.first_good(t, wave)[0], -math.inf)
        self.assertIsNone(ffi.begins(Waves("psi4", t, {(2, 2): wave})).chirp)


class Precessing(unittest.TestCase):
    def test_cones(self):
        """Errors over the size of all modes. (2,0) of twenty orbits on a wide cone is 1.1e-3."""
        for orbits, cone, most in ((3, 0.3, 1e-3), (6, 0.3, 1e-3), (20, 0.6, 1.2e-3)):
            wave, cutoff = cut(orbits, cone=cone)
            made = ffi.strain(wave.psi4, cutoff)
            self.assertFalse(ffi.level(wave.psi4))
            for lm in ((2, 2), (2, 1), (2, 0), (3, 3)):
                self.assertLess(wrong(made, wave.strain, lm, after(wave, wave.first, 2), -60.0), most, (orbits, cone, lm))


class Eccentric(unittest.TestCase):
    def test_orbits(self):
        """The radial motion is fitted too: e = 0.2 leaves up to 5e-3, as there are too few harmonics for more."""
        for orbits, e, most in ((6, 0.01, 1e-3), (20, 0.05, 1e-3), (3, 0.05, 1e-3), (6, 0.2, 1e-2), (20, 0.2, 1e-2)):
            wave, cutoff = cut(orbits, eccentricity=e)
            made = ffi.strain(wave.psi4, cutoff)
            self.assertGreater(ffi.begins(wave.psi4).chirp.harmonics, 0)
            for error in amplitude_and_phase(made, wave.strain, (2, 2), after(wave, wave.first, 2), -60.0):
                self.assertLess(error, most, (orbits, e))


class Reasons(unittest.TestCase):
    """Where there is nothing to continue, the reason is said."""

    def test_reasons(self):
        t = np.arange(0.0, 300.0, 0.5)
        head_on = np.exp(-((t - 150) / 20) ** 2) * np.cos(0.37 * t) + 0j
        noise = np.random.default_rng(1).standard_normal((2, len(t))).T @ [1, 1j]
        short = inspiral.with_junk(cut(0.8)[0].psi4, 3.0)
        for waves, words in ((Waves("psi4", t, {(2, 0): head_on}), "no mode"), (Waves("psi4", t, {(2, 2): noise}), "."), (short, ".")):
            begin = ffi.begins(waves)
            self.assertIsNone(begin.chirp)
            self.assertRegex(begin.why, words)
            ffi.strain(waves, 0.02)


class Powers(unittest.TestCase):
    def test_leading_orders(self):
        for (l, m), p in {(2, 2): 8, (2, 1): 9, (3, 3): 9, (3, 2): 10, (4, 4): 10, (4, 3): 11, (3, 1): 9}.items():
            self.assertAlmostEqual(chirp.power(l, m), p / 3)


class Drift(unittest.TestCase):
    T = np.arange(0.0, 800.0, 0.5)

    def test_factor(self):
        """Of what turns and decays; a line or noise has none."""
        x = 0.5 * np.arange(80)
        self.assertAlmostEqual(drift.factor(2j * np.exp((-0.09 - 0.54j) * x)), np.exp((-0.09 - 0.54j) / 2))
        self.assertIsNone(drift.factor(np.cos(0.5 * x)))
        self.assertIsNone(drift.factor(np.random.default_rng(1).standard_normal(80)))
        self.assertIsNone(drift.factor(np.zeros(80)))

    def test_smooth(self):
        """What is slower than w0 stays, what is faster goes; where weights are 0 it goes on."""
        w0, inside = 0.05, slice(500, 1100)
        for w, least, most in ((0.02, 0.95, 1.0), (0.05, 0.3, 0.6), (0.15, 0.0, 0.03)):
            found = drift.smooth(self.T, np.exp(1j * w * self.T), np.ones(len(self.T)), w0)[inside]
            self.assertGreater(np.abs(found).min(), least)
            self.assertLess(np.abs(found).max(), most)
        line = (1 + 2j) * self.T + 3
        gap = np.where(np.abs(self.T - 400) < 60, 0.0, 1.0)
        np.testing.assert_allclose(drift.smooth(self.T, np.where(gap > 0, line, 1e6), gap, w0), line, rtol=1e-7)


class Folder(unittest.TestCase):
    """A run folder of six orbits, through the commands."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.wave = inspiral.Inspiral(inspiral.first_of(6, RATIO_2), RATIO_2, last=250.0)
        cls.source = inspiral.Source(cls.wave)
        cls.path = synthetic.write_run(Path(folder.name) / "run", cls.source, radii=(200.0, 300.0), t_end=cls.source.last + 310, dt=0.5,
                                       l_max=3, energy=1e-6, common=cls.source.peak - 10, separation=9.0, remnant=(0.95, 0.6))
        cls.made = standard.of_run(Run(cls.path))

    def exact(self, times):
        modes = {lm: self.source.strain(times, *lm) for lm in self.made.strain.modes}
        return Waves("strain", times, modes)

    def test_strain_and_error(self):
        made, start = self.made.strain, self.made.start
        self.assertGreater(start, 30.0)
        self.assertLess(start, 110.0)
        self.assertEqual(self.made.notes, [])
        times = made.t[(made.t > start) & (made.t < self.source.last - 40)]
        exact, peak = self.exact(times), self.source.peak
        first = after(self.wave, start + self.wave.first, 2) - self.wave.first
        for lm in ((2, 2), (3, 3)):
            self.assertLess(max(amplitude_and_phase(made, exact, lm, first, peak + 30)), 1.2e-3, lm)
        for name in standard.CONTINUED:
            apart = np.abs(self.made.error.difference(name, 2, 2))[:, (made.t > first) & (made.t < peak)]
            self.assertGreater(apart.max(), 0.0)
            self.assertLess(apart.max(), 2e-3)

    def test_energy_and_angular_momentum(self):
        run = Run(self.path)
        lost = radiated.of_run(run, self.made)
        times = self.made.strain.t[(self.made.strain.t > run.reference_time() - 1) & (self.made.strain.t < self.source.last - 1)]
        right = fluxes.of_strain(self.exact(times)).total(first=run.reference_time())
        np.testing.assert_allclose(lost.late[[0, 3]], right[[0, 3]], rtol=5e-4)
        self.assertLess(np.abs(lost.late[4:6] - right[4:6]).max(), 5e-3 * np.linalg.norm(right[4:6]))

    def test_commands(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(cli.main(["strain", str(self.path), "--good-from", "120", "--json", str(self.path / "a.json")]), 0)
        self.assertRegex(out.getvalue(), "r200.00: psi4 is good from t = 320.[0-9] M; before, the inspiral is continued backwards")
        with h5py.File(self.path / "analysis" / "strain.h5") as h:
            self.assertAlmostEqual(h["r200.00"].attrs["start"], 320.0, delta=1.0)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(cli.main(["extrapolate", str(self.path), "--good-from", "0.75e3"]), 0)
        self.assertIn("psi4 is not continued before its start: it begins at t = ", out.getvalue())


class SpEC(unittest.TestCase):
    """psi4 = -d2h/dt2 of waves of SpEC (arXiv:1502.07758), cut where runs of so many orbits begin."""

    REMNANTS = {1: (0.9516, 0.6865), 2: (0.9613, 0.6234), 4: (0.9779, 0.4716)}

    def strain(self, q):
        """(t, spline of the strain). They end with an offset of 1e-4, which no wave has: from 20 to 60 M after the peak they go over into the
        exponential of the remnant."""
        file = reference(f"spec_q{q}_h22.npz")
        if file is None:
            self.skipTest(f"no spec_q{q}_h22.npz: set TENDEX_REFERENCE to the folder that has it")
        with np.load(file) as data:
            curve = make_interp_spline(data["t"], np.stack([data["re"], data["im"]], axis=1), k=9)
        t = np.arange(-2740.0, 150.0, 0.5)
        h = curve(np.minimum(t, 98.0)) @ [1, 1j]
        mass, chi = self.REMNANTS[q]
        w = kerr.quasinormal(2, 2, chi) / mass
        ring = np.exp(-(abs(w.imag) + 1j * w.real) * t)
        fitted = (t > 20) & (t < 90)
        size = np.linalg.lstsq(np.stack([ring, t**0, t / 50], axis=1)[fitted], h[fitted], rcond=None)[0][0]
        share = falling((t - 20) / 40)
        h = h * share + size * ring * (1 - share)
        return t, make_interp_spline(t, np.stack([h.real, h.imag], axis=1), k=9)

    def test_strain_and_fluxes(self):
        for q in self.REMNANTS:
            t, curve = self.strain(q)
            t = t[10:-10]
            h, psi4 = curve(t) @ [1, 1j], -curve.derivative(2)(t) @ [1, 1j]
            orbit = -np.unwrap(np.angle(h)) / (4 * np.pi)
            orbit -= orbit[np.abs(h).argmax()]
            for orbits in (3, 6, 10, 12):
                begin, second = (np.searchsorted(orbit, n - orbits) for n in (0, 1))
                psi, exact = (Waves(kind, t[begin:], {(2, 2): v[begin:], (2, -2): v[begin:].conj()}) for kind, v in (("psi4", psi4), ("strain", h)))
                made = ffi.strain(psi, standard.orbital_part(psi) * 2 * np.pi / (t[second] - t[begin]))
                for error in amplitude_and_phase(made, exact, (2, 2), t[second], 50.0):
                    self.assertLess(error, 1e-3, (q, orbits))
                found, right = (fluxes.of_strain(w).total()[[0, 3]] for w in (made, exact))
                np.testing.assert_allclose(found, right, rtol=2e-4, err_msg=f"q = {q}, {orbits} orbits")


if __name__ == "__main__":
    unittest.main()
