"""Eccentricities of orbits for which they are known, and momenta that lower them."""

import contextlib
import functools
import io
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import orbits  # noqa: E402
import synthetic  # noqa: E402
from tendex.waves.commands import cli  # noqa: E402
from tendex.waves.extraction import standard  # noqa: E402
from tendex.waves.inspiral import eccentricity_fit, eccentricity_momenta, eccentricity_waves  # noqa: E402
from tendex.waves.signal.modes import WaveError  # noqa: E402
from tendex.waves.signal.modes import Waves as Wave  # noqa: E402

LONG = 850.0  # 0.5 orbits and two radial periods from 11 and 12 M
# A plane and a sense of the orbit that are those of no axis.
TILT = np.linalg.qr(np.array([[1.0, 2.0, 3.0], [-2.0, 0.5, 1.0], [0.3, 1.0, -2.0]]))[0]


def tracks(t, distance, angle, q=1.0, turn=np.eye(3)):
    line = (distance[:, None] * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])) @ turn.T
    return t, [line / (1 + q), -line * q / (1 + q)]


def masses(q):
    return q / (1 + q), 1 / (1 + q)


def measured(state, q, t_end=LONG, **how):
    nu = q / (1 + q) ** 2
    return eccentricity_fit.fit(*tracks(*orbits.orbit(state, nu, t_end), q), masses(q), **how)


@functools.cache
def newtonian(e):
    """(t, h of (2,2), separation) of Newton's orbit with the quadrupole's loss from 12 M on."""
    nu = 0.05
    t, r, angle = orbits.orbit(orbits.start(12, e, 1.0, nu, orbits.newton), nu, 3000.0, 0.5, orbits.newton)
    return t, np.gradient(np.gradient((r * np.exp(-1j * angle)) ** 2, t), t), r


class Fit(unittest.TestCase):
    def test_known(self):
        for q, separation, phase in ((1, 12, 1.0), (1, 11, 4.0), (3, 12, 2.5)):
            for e in (1e-2, 3e-3, 5e-4):
                got = measured(orbits.start(separation, e, phase, q / (1 + q) ** 2), q)
                self.assertAlmostEqual(got.e, e, delta=0.1 * e)
                self.assertLess(got.e_error, 0.1 * e)
                # Furthest apart where the phase is 0, and there again where it has grown by 2 pi.
                self.assertLess(abs(np.exp(1j * (got.anomaly - phase - np.pi)) - 1), 0.15)
                turn = np.interp(2 * np.pi - phase, got.track.theta, got.track.t)
                self.assertLess(abs(got.anomaly_at(turn) - np.pi), 0.15)
                # By the Hamiltonian Omega swings less than 2 e at these separations.
                self.assertAlmostEqual(got.e_frequency, 0.85 * e, delta=0.1 * e)

    def test_large(self):
        """Orbits that begin at an apastron, a periastron and between, with turning points of the 3PN Hamiltonian at e: with an
        amplitude by the instantaneous Omega D they would have 0.084, 0.117, 0.1, 0.121 and 0.2."""
        for e, separation, phase, near in ((0.1, 14, np.pi, 0.04), (0.1, 12, 0.0, 0.04), (0.1, 12, np.pi / 2, 0.04),
                                           (0.2, 14, np.pi, 0.08), (0.2, 12, np.pi / 2, 0.08)):
            with self.subTest(e=e, phase=phase):
                got = measured(orbits.turning(separation, e, phase, 0.25), 1)
                self.assertAlmostEqual(got.e, e, delta=near * e)
                self.assertLess(abs(np.exp(1j * (got.phase - phase)) - 1), 0.1)
                # Kepler's: 90 degrees from the periastron is 79 of time at e = 0.1, 67.5 at 0.2.
                self.assertAlmostEqual(eccentricity_fit.mean_anomaly(np.pi / 2, e), np.radians({0.1: 78.564, 0.2: 67.235}[e]),
                                       delta=1e-4)

    def test_mean_anomaly(self):
        """Against that of the orbit without losses through the known state, before the window too, where catalogues' reference times
        are: 6 separations. Near a periastron it would be low by 0.02 of a period if the radial phase grew evenly until the window."""
        nu = 0.25
        for e, begin in ((0.1, orbits.turning), (0.03, orbits.start)):
            for phase in np.arange(0.0, 6.0, np.pi / 2):
                with self.subTest(e=e, phase=phase):
                    states = orbits.solve(orbits.third, (lambda r, p, q: (r, p, r * q, 0.0))(*begin(12.0, e, phase, nu)), nu, LONG, 5.0)
                    t = np.arange(0.0, states.t[-1])
                    got = eccentricity_fit.fit(*tracks(t, *states.sol(t)[[0, 3]]), masses(1))
                    for when in (40.0, 72.0, 150.0, 300.0):
                        off = np.angle(np.exp(1j * (got.anomaly_at(when) - orbits.anomaly(orbits.third, *states.sol(when)[:3], nu))))
                        self.assertLess(abs(off) / (2 * np.pi), 0.012, when)

    def test_at_the_start(self):
        """What oscillates at t = 0, against the known orbit."""
        separation, e, nu = 12.0, 5e-3, 0.25
        L = orbits.circular(orbits.third, separation, nu)
        omega = orbits.radial(orbits.third, separation, L, nu)[1]
        for phase in np.arange(0.3, 6.0, 1.0):
            got = measured(orbits.start(separation, e, phase, nu), 1)
            size = e * separation * omega
            self.assertAlmostEqual(got.rate, -size * np.sin(phase), delta=0.15 * size)
            self.assertAlmostEqual(got.acceleration, -size * omega * np.cos(phase), delta=0.15 * size * omega)
            self.assertAlmostEqual(got.radial_frequency, omega, delta=0.05 * omega)
            self.assertAlmostEqual(got.frequency, orbits.slopes(orbits.third, separation, 0.0, L, nu)[2], delta=1e-3)

    def test_gauge_and_noise(self):
        """The start of a run does not enter, nor do errors of the grid."""
        e = 3e-3
        t, d, angle = orbits.orbit(orbits.start(12, e, 1.0, 0.25), 0.25, LONG)
        pulse = 0.3 * np.exp(-((t / 30) ** 2))
        noise = 1e-5 * np.random.default_rng(1).standard_normal(len(t))
        got = eccentricity_fit.fit(*tracks(t, d + pulse + noise, angle), masses(1))
        self.assertAlmostEqual(got.e, e, delta=0.15 * e)
        self.assertGreaterEqual(got.window[0], 100.0)
        self.assertGreaterEqual(got.orbits[0], 0.5)

    def test_what_turns_with_the_orbit(self):
        """Coordinates that remember where the holes were at first: an ellipse that is forgotten."""
        e = 1e-3
        t, d, angle = orbits.orbit(orbits.start(12, e, 1.0, 0.25), 0.25, LONG)
        free = eccentricity_fit.fit(*tracks(t, d, angle), masses(1))
        memory = 1e-2 * np.exp(-t / 150) + 4e-4
        turned = angle + memory * np.sin(2 * angle - 2)
        got = eccentricity_fit.fit(*tracks(t, d * (1 + memory * np.cos(2 * angle - 2)), turned), masses(1))
        for fit in (free, got):
            self.assertAlmostEqual(fit.e, e, delta=0.25 * e)
        self.assertAlmostEqual(got.rate, free.rate, delta=0.25 * e * 12 * got.radial_frequency)
        self.assertAlmostEqual(got.e_frequency, free.e_frequency, delta=0.25 * e)

    def test_runs(self):
        """Four runs of q = 1 from 10 M on a coarse grid, with other momenta each: what the fits ask for is the same. The last
        has what the first asked for."""
        rows = np.loadtxt(Path(__file__).resolve().parent / "orbits_q1.txt")
        given = ((0.096257809, -1.00787e-3), (0.096308628, -9.40661e-4), (0.096331934, -7.31010e-4),
                 (0.096217476, -8.58266e-4))
        asked, found = [], []
        for n, (tangential, radial) in enumerate(given):
            fit = eccentricity_fit.fit(*tracks(rows[:, 0], *rows[:, 1 + 2 * n:3 + 2 * n].T), masses(1))
            p = np.array([radial, tangential, 0.0])
            new = eccentricity_momenta.correct(fit, masses(1), ([5.0, 0, 0] * np.ones(3), [-5.0, 0, 0] * np.ones(3)), (p, -p))
            asked.append((new.tangential + new.change_tangential, new.radial + new.change_radial))
            found.append(fit.e)
            self.assertAlmostEqual(fit.e, fit.e_frequency, delta=5e-4)
        np.testing.assert_allclose(found, [2.5e-3, 3.3e-3, 4.1e-3, 1e-4], atol=2e-4)
        # As eccentricities: 3e-4 each.
        self.assertLess(np.ptp(asked, axis=0)[0], 8e-6)
        self.assertLess(np.ptp(asked, axis=0)[1], 2.5e-5)

    def test_units_and_planes(self):
        """Of a run whose unit is half the masses, in any plane."""
        t, d, angle = orbits.orbit(orbits.start(12, 3e-3, 1.0, 0.25), 0.25, LONG)
        one = eccentricity_fit.fit(*tracks(t, d, angle), masses(1))
        two = eccentricity_fit.fit(*tracks(2 * t, 2 * d, -angle, turn=TILT), (1.0, 1.0))
        self.assertAlmostEqual(one.e, two.e, delta=1e-8)
        self.assertAlmostEqual(one.window[0], two.window[0] / 2, delta=1e-6)
        self.assertAlmostEqual(one.rate, two.rate, delta=1e-8)
        self.assertAlmostEqual(one.acceleration, 2 * two.acceleration, delta=1e-8)

    def test_window(self):
        state = orbits.start(12, 3e-3, 1.0, 0.25)
        free = measured(state, 1)
        self.assertAlmostEqual(free.periods, 1.5, delta=0.1)
        t, _, angle = orbits.orbit(state, 0.25, 1500.0)
        merger = free.window[1] + 300
        # Tracks that go on to the merger, and tracks that end before, after which the orbit is taken to turn no faster.
        for t_end, near in ((1500.0, 0.03), (LONG, 0.15)):
            got = measured(state, 1, t_end, merger=merger)
            turns = np.interp([got.window[1], merger], t, angle) / (2 * np.pi)
            self.assertAlmostEqual(turns[1] - turns[0], 1.5, delta=near)
        asked = measured(state, 1, first=100.0, last=700.0)
        self.assertAlmostEqual(asked.window[0], 100.0, delta=5.0)
        self.assertAlmostEqual(asked.window[1], 700.0, delta=5.0)

    def test_refused(self):
        t, d, angle = orbits.orbit(orbits.start(12, 3e-3, 1.0, 0.25), 0.25, 500.0)
        x = tracks(t, d, angle)[1]
        for why, *given in (
                (r"0\.\d\d radial periods from t = .* at least 1.1 are needed; let the run continue", t[:400], [y[:400] for y in x]),
                # Half an orbit from 8 M ends before the gauge has settled.
                ("radial periods from t = (98|99|100|101)", *tracks(*orbits.orbit(orbits.start(8, 0.0, 0.0, 0.25), 0.25,
                                                                                   400.0))),
                (r"0.00 radial periods", t, x, None, 400.0, 200.0),
                ("tracks of 0 punctures, where those of two", np.empty(0), []),
                ("tracks of 3 punctures, where those of two", t, [*x, x[0]]),
                ("9 rows of tracks: at least 20", t[:9], [y[:9] for y in x]),
                ("in order of time", t[::-1], x),
                ("fewer than 8 rows of tracks in an orbit: lower output.track_every", t[:30],
                 tracks(t[:30], d[:30], np.arange(30.0))[1]),
                ("M apart at the start: more than 6.5 M", t, [y / 2 for y in x]),
                ("do not turn about each other", t, tracks(t, d, 0 * t)[1])):
            with self.subTest(why), self.assertRaisesRegex(WaveError, why):
                first, last = given[3:] or (None, None)
                eccentricity_fit.fit(*given[:2], masses(1), first=first, last=last)


    def test_advance_about_kerr(self):
        """The radial frequency of nearly circular geodesics, to the order that is left out."""
        for a in (-0.5, 0.0, 0.5, 0.9):
            for r in (10.0, 14.0, 20.0):
                known = np.sqrt(1 - 6 / r + 8 * a / r**1.5 - 3 * a**2 / r**2)
                got = eccentricity_fit.advance((r**1.5 + a) ** (-2 / 3), (1.0, 1e-9), (a, 0.7))
                self.assertLess(abs(got / known - 1), 0.005 * (10 / r) ** 2, (a, r, got, known))

    def test_advance_of_two_bodies(self):
        """Small oscillations about circular orbits of the effective-one-body Hamiltonian, its spin-orbit couplings to
        next-to-next-to-leading order (arXiv:1406.6913 eq. 21, 22) and its quadrupole that of a spin along the axis or across it, as a
        mean: what is left of terms linear in the spins is of the order x^(9/2), of the quadrupole's of x^3. The coefficient of
        x^(7/2), from two radii of which one has half the x of the other, is zero to what the terms beyond x^(9/2) leave."""
        for nu, chis in ((0.25, (0.4, 0.3)), (0.16, (-0.2, 0.5)), (0.05, (0.6, 0.0))):
            m = (1 + np.sqrt(1 - 4 * nu)) / 2, (1 - np.sqrt(1 - 4 * nu)) / 2
            left = []
            for r in (50.0, 100.0):
                odd = []
                for size in (1.0, 0.5):
                    (x, up), (_, down) = (self.left(r, nu, m, sign * size * np.array(chis), 0.0) for sign in (1, -1))
                    odd.append((up - down) / 2)
                left.append((8 * odd[1] - odd[0]) / 3 / x**3.5)
                self.assertLess(abs(left[-1]), 150 * x, (nu, chis, r))
                still, across = (self.left(r, nu, m, np.zeros(2), a)[1] for a in (0.0, 0.6))
                self.assertLess(abs(across - still), 14 * 0.18 * x**3, (nu, r))
            self.assertLess(abs(2 * left[1] - left[0]), 0.06, (nu, chis))

    @staticmethod
    def left(r, nu, m, chis, across):
        """(x, K^-2 of the circular orbit of radius r less that of `advance')."""
        spin, test = sum(one**2 * chi for one, chi in zip(m, chis)), nu * sum(chis)
        square = -across**2 / 2  # that of spins along the axis is even in them

        def energy(r, p, L, nu):
            u, v = 1 / r, 1 / np.sqrt(r**2 + square * (1 + 2 / r))
            a = (1 - 2 * v + 2 * nu * v**3) * (1 + 2 * v) / (1 + 2 * u)
            pp = (p * a * np.sqrt(1 + 6 * nu * v**2) / (r * v)) ** 2
            own = 2 * u * v**2 / (1 + nu * (5 / 16 * v + 27 / 16 * pp + (51 / 8 + 41 / 256 * nu) * v**2
                                            + (12 - 49 / 128 * nu) * v * pp))
            of_test = 1.5 * v**3 / (1 + (3 / 4 + nu / 2) * v + (5 / 4 + 3 / 2 * nu) * pp
                                    + (27 / 16 + 29 / 4 * nu + 3 / 8 * nu**2) * v**2 + (4 + 11 * nu - 7 / 8 * nu**2) * v * pp)
            whole = np.sqrt(pp + a * (1 + L**2 * v**2)) + L * (own * spin + of_test * test)
            return (np.sqrt(1 + 2 * nu * (whole - 1)) - 1) / nu
        L = orbits.circular(energy, r, nu)
        omega = orbits.slopes(energy, r, 0.0, L, nu)[2]
        x = omega ** (2 / 3)
        known = (orbits.radial(energy, r, L, nu, 1e-3)[1] / omega) ** 2
        return x, known - eccentricity_fit.advance(x, m, chis, across) ** 2

    def test_last_stable_orbit(self):
        """A track that goes on within it, where nothing oscillates, is cut there: within a tenth of the frequency of Kerr's
        (Bardeen, Press and Teukolsky 1972, eq. 2.21), retrograde with this spin."""
        t, d, angle = orbits.orbit(orbits.start(9, 3e-3, 1.0, 0.09), 0.09, 700.0)
        spins = np.array([[0, 0, -0.9], [0, 0, 0]])
        whole = eccentricity_fit.sample(*tracks(t, d, angle, 9.0), masses(9.0))
        got = eccentricity_fit.sample(*tracks(t, d, angle, 9.0), masses(9.0), spins)
        a = -0.9 * masses(9.0)[0]**2
        z1 = 1 + (1 - a**2)**(1 / 3) * ((1 + a)**(1 / 3) + (1 - a)**(1 / 3))
        z2 = np.sqrt(3 * a**2 + z1**2)
        last = 1 / ((3 + z2 + np.sqrt((3 - z1) * (3 + z1 + 2 * z2)))**1.5 + a)
        omega = np.gradient(angle, t)
        self.assertTrue(0.9 * last < np.interp(got.t[-1], t, omega) < last < np.interp(whole.t[-1], t, omega))
        self.assertTrue((got.k > 0.1).all() and len(got.t) == len(got.theta) == len(got.distance))
        with self.assertRaisesRegex(WaveError, "inside the last stable one or near it.*start at a larger separation"):
            eccentricity_fit.sample(*tracks(t, 0.75 * d, 1.05 * last / omega[0] * angle, 9.0), masses(9.0), spins)


class Momenta(unittest.TestCase):
    def test_hamiltonian(self):
        """At the turning points, and at the start, the 3PN Hamiltonian is the same but for 3PN terms."""
        for nu, r, e, phase in ((0.25, 12.0, 0.1, 2.0), (0.25, 160.0, 0.1, 2.0), (0.1, 40.0, 0.2, 5.0), (0.1, 160.0, 0.2, 5.0)):
            tangential, radial = eccentricity_momenta.of_orbit(r, e, phase, nu)
            p = r * (1 + e * np.cos(phase))
            far, near, here = (orbits.third(*at, tangential * r, nu)
                               for at in ((p / (1 - e), 0.0), (p / (1 + e), 0.0), (r, radial)))
            self.assertLess(abs(far - near), 60 * e / r**4, (nu, r))
            self.assertLess(abs(far - here), 60 * e / r**4, (nu, r))
            self.assertEqual(np.sign(radial), np.sign(np.sin(phase)))
        for r in (10.0, 160.0):
            tangential, radial = eccentricity_momenta.of_orbit(r, 0.0, 2.0, 0.25)
            self.assertLess(abs(tangential * r / orbits.circular(orbits.third, r, 0.25) - 1), 16 / r**3)
            self.assertEqual(radial, 0.0)

    def test_newton(self):
        """Far away an orbit is Kepler's."""
        r, e, phase = 1e8, 0.3, 2.0
        tangential, radial = eccentricity_momenta.of_orbit(r, e, phase, 0.25)
        p = r * (1 + e * np.cos(phase))
        self.assertAlmostEqual(tangential * r / np.sqrt(p), 1.0, delta=1e-7)
        self.assertAlmostEqual(radial * np.sqrt(p) / (e * np.sin(phase)), 1.0, delta=1e-7)

    def test_lowers(self):
        """By a factor of 3 at least, each time."""
        for q, separation, phase in ((1, 12, 0.5), (1, 11, 2.0), (3, 12, 3.5), (1, 12, 5.0)):
            nu, m = q / (1 + q) ** 2, masses(q)
            state, last = orbits.start(separation, 1e-2, phase, nu), 1e-2
            for turn in range(3):
                got = measured(state, q)
                if turn:
                    self.assertLess(got.e, last / 3, msg=f"q = {q}, phase {phase}, iteration {turn}")
                last = got.e
                p = nu * np.array([state[1], state[2], 0.0])
                line = np.array([state[0], 0.0, 0.0])
                new = eccentricity_momenta.correct(got, m, (m[1] * line, -m[0] * line), (p, -p))
                state = state[0], *(new.momenta[0][:2] / nu)


class Waves(unittest.TestCase):
    def test_definition(self):
        """Of the quadrupole of a Kepler orbit e_gw is its eccentricity."""
        for e in (1e-3, 0.05, 0.4):
            found = []
            for r, speed in ((1 - e, np.sqrt((1 + e) / (1 - e))), (1 + e, np.sqrt((1 - e) / (1 + e)))):
                # h = d2(z^2)/dt2 at z = r, dz/dt = -i speed; its rotation -Im(dh/dt / h).
                v = -1j * speed
                # Its derivative, where r has none: d2z/dt2 = -z / r^3.
                h, slope = 2 * v**2 - 2 / r, -8 * v / r**2
                found.append(-(slope / h).imag)
            self.assertAlmostEqual(eccentricity_waves.standard(*found), e, delta=1e-9)

    def test_known(self):
        for e in (0.1, 0.01, 1e-3):
            t, h, r = newtonian(e)
            got = eccentricity_waves.of_mode(t, h, 100.0, 2800.0, 4000.0, np.ones_like)
            turn = np.abs(t - got.t) < np.pi * 12**1.5
            expected = e * (r[turn].mean() / 12) ** (19 / 12)
            self.assertAlmostEqual(got.e_gw, expected, delta=0.05 * e)
            pace = 2 * r[turn].mean() ** -1.5
            self.assertAlmostEqual(got.frequency, pace, delta=0.03 * pace)
            self.assertGreaterEqual(len(got.periastra), 3)
            self.assertGreaterEqual(len(got.apastra), 3)

    def test_few(self):
        """Orbits that merge after three extrema, against curves through all extrema of the same orbit before and after."""
        for e, known in ((0.1, 0.0723), (0.11, 0.0791)):
            t, r, angle = orbits.orbit(orbits.turning(11.0, e, np.pi, 0.25), 0.25, 1000.0, 0.5)
            h = orbits.derivative(t, (r * np.exp(-1j * angle)) ** 2, 2)
            got = eccentricity_waves.of_mode(t, h, 66.0, t[-1] - 280, 280.0,
                                             lambda w: 1 / eccentricity_fit.advance((w / 2) ** (2 / 3), masses(1)[:2], (0, 0)))
            self.assertEqual((len(got.periastra), len(got.apastra)), (2, 1))
            self.assertAlmostEqual(got.e_gw, known, delta=got.e_gw_error)
            self.assertLess(got.e_gw_error, 0.06 * e)
        # A strain whose frequency swings by 0.001 more, with the periastra.
        (first, last), = (got.periastra,)
        swing = 2 * np.pi / (last - first)
        other = h * np.exp(-1j * 1e-3 / swing * np.sin(swing * (t - first)))
        more = 1e-3 * (1 - np.cos(swing * (got.t - first))) / (3 * got.frequency)
        self.assertAlmostEqual(eccentricity_waves.change(got, t, h, other), more, delta=0.1 * more)

    def test_refused(self):
        t, h, _ = newtonian(0.01)
        for why, values, last, advance in (
                ("1 periastra and 1 apastra in .*: 3 in all, of both kinds, are needed", h, 400.0, np.ones_like),
                ("does not turn steadily", np.abs(h) * (1 + 0.1j * np.sin(t)), 2800.0, np.ones_like),
                # What swings once an orbit is no eccentricity where periastra advance.
                ("not as far apart as those of an orbit", h, 2800.0, lambda w: np.full_like(w, 1.4))):
            with self.subTest(why), self.assertRaisesRegex(WaveError, why):
                eccentricity_waves.of_mode(t, values, 100.0, last, 4000.0, advance)
        random = np.random.default_rng(2)
        knots = np.interp(t, t[::400], random.standard_normal(len(t[::400])))
        with self.assertRaisesRegex(WaveError, "no clean oscillation|are needed"):
            eccentricity_waves.of_mode(t, newtonian(0.0)[1] * np.exp(1j * knots * 0.3), 100.0, 2800.0, 4000.0, np.ones_like)


class Command(unittest.TestCase):
    """A run folder with the tracks of a known orbit from its own momenta."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.top = Path(self.scratch.name)

    def folder(self, name, state, q=3, kind="two_punctures", turn=TILT, t_end=LONG):
        """Its clockwise orbit is tilted, so that every component of the momenta matters."""
        m = masses(q)
        r, radial, tangential = state
        path = synthetic.write_run(self.top / name, radii=(50.0,), t_end=60.0, dt=2.0, l_max=2, masses=m, separation=r,
                                   remnant=(0.95, 0.7))
        t, d, angle = orbits.orbit(state, m[0] * m[1], t_end)
        synthetic._write_tracks(path, *tracks(t, d, -angle, q, turn))
        (path / "horizons.asc").unlink()
        text = (path / "TwoPunctures.bbh").read_text()
        p = m[0] * m[1] * (turn @ np.array([radial, -tangential, 0.0]))
        for what, two in (("momentum", (p, -p)), ("position", [x[0] for x in tracks(t, d, -angle, q, turn)[1]])):
            for hole, x in enumerate(two, 1):
                for axis, value in zip("xyz", x):
                    text = re.sub(rf"(initial-bh-{what}{hole}{axis} =) .*", rf"\1 {value:.17g}", text)
        (path / "TwoPunctures.bbh").write_text(text)
        yaml = (path / "run.yaml").read_text().replace("type: two_punctures", f"type: {kind}")
        (path / "run.yaml").write_text(yaml)
        return path

    def call(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(["eccentricity", *map(str, words)])
        return code, out.getvalue(), err.getvalue()

    def test_lines_lower_it(self):
        q, nu = 3, 3 / 16
        state = orbits.start(12, 1e-2, 2.0, nu)
        path = self.folder("a", state, q)
        code, out, err = self.call(path, "--json", self.top / "a.json", "--plot", self.top / "a.png")
        self.assertEqual((code, err), (0, ""))
        found = json.loads((self.top / "a.json").read_text())
        self.assertAlmostEqual(found["tracks"]["e"], 1e-2, delta=1e-3)
        self.assertGreater((self.top / "a.png").stat().st_size, 10000)
        self.assertIn("e of dD/dt         0.0", out)
        self.assertRegex(out, r"e_gw of \(2,2\) +none: ")
        p1, p2 = (np.array([float(x) for x in re.search(rf"^  bh{n}_momentum: \[(.*)\]$", out, re.M)[1].split(",")])
                  for n in (1, 2))
        np.testing.assert_allclose(p1, -p2, atol=1e-12)
        x, y, z = TILT.T @ p1 / nu
        self.assertAlmostEqual(z, 0.0, delta=1e-9)
        self.assertAlmostEqual(found["correction"]["factor_tangential"], -y / state[2], delta=1e-8)
        self.assertAlmostEqual(found["correction"]["factor_radial"], x / state[1], delta=1e-6)
        self.assertLess(measured((state[0], x, -y), q).e, found["tracks"]["e"] / 3)

    def test_waves(self):
        """Those of a long run, as `extrapolate' would have made them of it."""
        path = self.folder("w", orbits.start(12, 1e-2, 2.0, 3 / 16))
        t, r, angle = orbits.orbit(orbits.start(14, 0.05, 1.0, 3 / 16), 3 / 16, 2500.0, 0.5)
        h = np.gradient(np.gradient((r * np.exp(-1j * angle)) ** 2, t), t)
        # Other ways to infinity whose frequency swings by 5e-4 more or less, with the orbit; and one that is not known early.
        swing, made = 2 * np.pi / 400, mock.Mock(strain=Wave("strain", t, {(2, 2): h}))
        made.error.others = {n: Wave("strain", t, {(2, 2): h * np.exp(-5e-4j / swing * np.sin(swing * t + n))}) for n in (0.0, np.pi / 2)}
        made.error.others["part"] = made.strain.map(lambda v, l, m: np.where(t < 1000, np.nan, 2 * v))
        with mock.patch.object(standard, "of_run", return_value=made):
            code, out, err = self.call(path, "--json", self.top / "w.json")
        self.assertEqual((code, err), (0, ""))
        found = json.loads((self.top / "w.json").read_text())["waves"]
        self.assertAlmostEqual(found["e_gw"], 0.95 * 0.05 * 0.96, delta=0.002)
        self.assertTrue(0.003 < found["e_gw_error"] < 0.02, found["e_gw_error"])
        self.assertIn(f"e_gw of (2,2)      {found['e_gw']:.6f} +- {found['e_gw_error']:.6f} at u = {found['t']:.4g}, {len(found['periastra'])} peri",
                      out)

    def test_quasi_circular(self):
        path = self.folder("q", orbits.start(12, 1e-2, 2.0, 3 / 16), kind="quasi_circular")
        code, out, _ = self.call(path)
        self.assertEqual(code, 0)
        self.assertIn("quasi_circular takes no momenta", out)
        keys = re.findall(r"^  (\w+): \S", out.split("initial_data:\n")[1], re.M)
        self.assertEqual(keys, ["type", "masses"] + [f"bh{n}_{what}" for n in (1, 2) for what in
                                                    ("mass", "position", "momentum", "spin")])
        self.assertIn("  type: two_punctures\n  masses: adm\n  bh1_mass: 0.75\n", out)

    def test_errors(self):
        state = orbits.start(12, 1e-2, 2.0, 3 / 16)
        path = self.folder("e", state, kind="brill_lindquist")
        code, out, _ = self.call(path)
        self.assertEqual(code, 0)
        self.assertIn("none: run.yaml has initial_data.type brill_lindquist: two_punctures or quasi_circular is", out)
        code, out, err = self.call(path, "--plot", self.top / "e.nosuch")
        self.assertEqual(code, 1)
        self.assertIn("e.nosuch: ", err)
        code, out, err = self.call(path, "--from", 700)
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(err, f"eccentricity: {path}: 0.* radial periods from t = ")
        (path / "puncturetracker-pt_loc..asc").unlink()
        code, out, err = self.call(path)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("tracks of 0 punctures", err)

    def test_circular_says_so(self):
        """The eccentricity that is left is below the error: no promise."""
        path = self.folder("c", orbits.start(10, 0.0, 0.0, 3 / 16))
        self.assertIn("a correction may not lower it", self.call(path)[1])


if __name__ == "__main__":
    unittest.main()
