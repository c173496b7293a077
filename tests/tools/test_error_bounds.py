"""Bounds of errors from two or three resolutions: on series of a known limit, on recorded runs beside finer ones and beside another code, and what
a detector sees of them."""

import math
import sys
import unittest
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
from scipy.integrate import trapezoid

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "dev"), str(ROOT / "tools"), str(ROOT / "tests" / "support"), str(Path(__file__).resolve().parent)]
import synthetic  # noqa: E402
from reference import WHERE, reference  # noqa: E402
from tendex_dev.results import coverage, kept  # noqa: E402
from tendex.waves.commands import series_budget  # noqa: E402
from tendex.waves.comparison import accuracy, bound, budget, difference, members, mismatch, noise, resolutions  # noqa: E402
from tendex.waves.signal import align  # noqa: E402
from tendex.waves.signal.modes import Waves, WaveError  # noqa: E402

TWO, THREE = (1 / 40, 1 / 48), (1 / 40, 1 / 48, 1 / 56)
T = np.linspace(40.0, 300.0, 1301)
PEAK = 250.0


def phases(h, error):
    """[[n]] phases whose errors are error(spacing) [n]."""
    return [-0.1 * T + error(x) for x in h]


class Rules(unittest.TestCase):
    def test_factors(self):
        # Of spacings 2 and 1, and 4, 2 and 1.
        self.assertAlmostEqual(bound.left(2.0, 1.0, 1.0, 2.0), 1 / 3)
        self.assertAlmostEqual(bound.left(4.0, 2.0, 1.0, 4.0), 1 / 240)
        two = bound.rule((2.0, 1.0))
        self.assertEqual((two.clean, two.taken), (False, 2.0))
        self.assertAlmostEqual(float(two.of([3.0])), 1.25)
        clean = bound.rule((4.0, 2.0, 1.0), 3.0, "")
        self.assertAlmostEqual(float(clean.of([99.0, 7.0])), 1.25)
        # No order above that of the scheme is believed.
        self.assertAlmostEqual(float(bound.rule((4.0, 2.0, 1.0), 9.0, "").of([99.0, 15.0])), 1.25)
        none = bound.rule((4.0, 2.0, 1.0), 9.0, "signs")
        self.assertAlmostEqual(float(none.of([0.0, 3.0])), 1.25)
        self.assertAlmostEqual(float(none.of([480.0, 3.0])), 2.5)

    def test_beside_the_grid_convergence_index(self):
        """Roache: 3 |D| / (r^4 - 1) of two grids."""
        for r in (1.1, 1.15, 1.2, 1.25, 1.3):
            index = 3 / (r**4 - 1)
            self.assertAlmostEqual(float(bound.rule((r, 1.0)).of([1.0])) / index, 1, delta=0.13)

    def test_numbers_of_known_orders(self):
        for p in (2.0, 3.0, 4.0, 5.0, 6.0):
            for h in (TWO, THREE, (1 / 32, 1 / 48, 1 / 72)):
                values = [0.95 + 30 * x**p for x in h]
                found = bound.number(h, values)
                error = 30 * h[-1] ** p
                self.assertGreaterEqual(found.bound, error, (p, h))
                if len(h) == 3:
                    self.assertTrue(found.rule.clean)
                    self.assertAlmostEqual(found.rule.order, p, places=5)
                    self.assertAlmostEqual(found.limit, 0.95, places=9)
                    if p <= 4:
                        self.assertAlmostEqual(found.bound, 1.25 * error, delta=1e-6 * error)

    def test_numbers_without_an_order(self):
        crossing = bound.number(THREE, (1.0, 1.1, 1.05))
        self.assertFalse(crossing.rule.clean)
        self.assertTrue(math.isnan(crossing.limit))
        self.assertAlmostEqual(crossing.bound, 1.25 * max(0.05 * bound.left(*THREE[1:], THREE[2], 2), 0.1 * bound.left(*THREE[:2], THREE[2], 4)))
        # Neighbours that agree by accident: the pair before them counts.
        accident = bound.number(THREE, (1.0, 1.1, 1.1001))
        self.assertAlmostEqual(accident.bound, 1.25 * 0.1 * bound.left(*THREE[:2], THREE[2], 4))
        self.assertEqual(bound.number(THREE, (1.0, 1.1, 1.1)).rule.why, "two resolutions do not differ")
        # Where refinement boundaries differ no order is believed.
        values = [1 + x**4 for x in THREE]
        self.assertTrue(bound.number(THREE, values).rule.clean)
        refused = bound.number(THREE, values, "boundaries")
        self.assertEqual((refused.rule.clean, refused.rule.why), (False, "boundaries"))
        self.assertGreater(refused.bound, bound.number(THREE, values).bound)


class OverTime(unittest.TestCase):
    """Functions of time whose limit is known."""

    shape = np.exp((T - PEAK) / 60)
    rate = np.full_like(T, 0.1)

    def inside(self, h, error, unaligned=True):
        """(Function, part of the times until the merger at which the bound contains the error)."""
        values = phases(h, error)
        found = bound.growing(h, T, PEAK, values, self.rate) if unaligned else bound.aligned(h, T, PEAK, values)
        before = T <= PEAK
        return found, np.mean(np.abs(error(h[-1]))[before] <= found.bound[before])

    def test_a_clean_order(self):
        for h in (TWO, THREE):
            found, part = self.inside(h, lambda x: 1e7 * x**5 * self.shape)
            self.assertEqual(part, 1.0)
            self.assertTrue(np.all(np.diff(found.bound) >= 0))
            self.assertEqual(found.rule.clean, len(h) == 3)
        self.assertAlmostEqual(found.rule.order, 5, places=4)
        # With the order 4 that is believed: not much more than the error.
        ratio = found.bound[-1] / (1e7 * THREE[-1] ** 5 * self.shape[-1])
        self.assertAlmostEqual(ratio, 1.25 * ((7 / 6) ** 5 - 1) / ((7 / 6) ** 4 - 1), places=5)

    def test_differences_that_change_sign(self):
        """Two terms of opposite signs, as of holes and of the grid around them: the finer pair crosses zero twice."""
        def error(x):
            return 2e8 * x**6 * self.shape - 40 * x**2 * np.exp((T - PEAK) / 90) * 0.5
        for h in (TWO, THREE):
            found, part = self.inside(h, error)
            self.assertGreaterEqual(part, 0.95)
        plain = np.abs(found.differences[-1])
        before = T <= PEAK
        self.assertLess(np.mean(np.abs(error(h[-1]))[before] <= plain[before]), 0.9)

    def test_a_difference_that_crosses_zero(self):
        """Neighbours whose phases agree for most of the time."""
        def error(x):
            return x * (T / 40 - 20 * (1 / x - 40) / 8 * self.shape)
        found, part = self.inside(TWO, error)
        self.assertGreaterEqual(part, 0.95)
        crossing = np.abs(found.differences[0]).argmin()
        self.assertGreater(found.bound[crossing], 0.01 * found.bound[-1])

    def test_noise(self):
        random = np.random.default_rng(3)
        for h in (TWO, THREE):
            held = 0
            for _ in range(40):
                noises = {x: 1e-3 * random.standard_normal(len(T)) for x in h}
                _, part = self.inside(h, lambda x: 1e7 * x**5 * self.shape + noises[x])
                held += part >= 0.95
            self.assertGreaterEqual(held, 38)

    def test_aligned(self):
        for h in (TWO, THREE):
            found, part = self.inside(h, lambda x: 1e7 * x**5 * (self.shape - 1), unaligned=False)
            self.assertEqual(part, 1.0)
            self.assertTrue(np.all(np.diff(found.bound[T <= PEAK]) <= 0))
            self.assertTrue(np.all(np.diff(found.bound[T >= PEAK]) >= 0))

    def test_a_rule_that_believes_too_much_is_seen(self):
        def error(x):
            return 20 * x**2 * self.shape
        self.assertEqual(self.inside(TWO, error)[1], 1.0)
        with mock.patch.object(bound, "LOWEST", 6.0), mock.patch.object(bound, "SAFETY", 1.0):
            self.assertLess(self.inside(TWO, error)[1], 0.5)

    def test_the_time_of_the_merger(self):
        # Peaks agree, but at 150 the phases are 0.02 apart, at a frequency of 0.1: a delay of 0.2.
        apart = 0.02 * np.exp(-(((T - 150) / 20) ** 2))
        found = bound.merger(TWO, (250.0, 250.001), (T, PEAK, [-0.1 * T + apart, -0.1 * T], self.rate))
        self.assertAlmostEqual(found.bound, 1.25 * 0.2 * bound.left(*TWO, TWO[1], 2), delta=1e-6)
        found = bound.merger(TWO, (250.0, 251.0), (T, PEAK, [-0.1 * T + apart, -0.1 * T], self.rate))
        self.assertAlmostEqual(found.bound, 1.25 * bound.left(*TWO, TWO[1], 2))


    def test_waves_that_do_not_turn(self):
        """Where (2,2) is noise there is no frequency: no delay is told, nor what a detector sees."""
        found = bound.merger(TWO, (250.0, 251.0), (T, PEAK, [0 * T + 1, 0 * T], 0 * T))
        self.assertAlmostEqual(found.bound, 1.25 * bound.left(*TWO, TWO[1], 2))
        np.testing.assert_array_equal(bound.grown(T, PEAK, np.cos(T / 50), 0 * T), np.maximum.accumulate(np.abs(np.cos(T / 50))))
        self.assertEqual(series_budget.signal_to_noise(SimpleNamespace(faint=True)), {})


class Budget(unittest.TestCase):
    def test_parts_are_added_up(self):
        chirp = synthetic.Chirp(amplitudes={(2, 2): 0.6, (3, 3): 0.05}, slow=0.08)
        t = np.arange(0.0, 330.0, 0.5)

        def wave(off):
            return Waves("strain", t, {lm: (1 + off) * chirp.strain(t, *lm) * np.exp(1j * lm[1] * off * t) for lm in chirp.amplitudes})
        laid = resolutions.lay([wave(2e-4 * x**4) for x in (2.0, 1.5, 1.0)], 40.0)
        small = {"extraction": (0.01, 0.02), "integration": (0.003, np.nan)}
        made = budget.of_modes((2.0, 1.5, 1.0), laid, lambda lm, t: {name: tuple(np.full(len(t), x) for x in both) for name, both in small.items()})
        self.assertEqual(list(made), [(2, 2), (3, 3)])
        for (_, m), one in made.items():
            u = one.unaligned
            np.testing.assert_allclose(u.amplitude.total, u.amplitude.numerical + 0.013, rtol=1e-12)
            np.testing.assert_allclose(u.phase.total, u.phase.numerical + 0.02, rtol=1e-12)
            exact = 2e-4 * m * u.t
            self.assertTrue(np.all(u.phase.numerical >= exact * 0.999))
            near = np.abs(u.t - 180).argmin()
            self.assertAlmostEqual(u.phase.numerical[near] / (1.25 * 2e-4 * m * u.t[near]), 1, delta=0.02)
            self.assertLess(one.aligned.phase.numerical[np.abs(one.aligned.t - laid.peak).argmin()], 3e-3)


class Members(unittest.TestCase):
    base = {"grid.trees": 4, "grid.level_max": 9, "grid.ball_level": 4, "grid.bh_radius": 1.2, "grid.bh1_level": -1, "gauge.eta": 2.0,
            "evolution.cfl": 0.45, "initial_data.bh1_position": [4, 0, 0], "initial_data.tolerance": 1e-9, "waves.radii": [50, 75],
            "waves.every": 32, "run.folder": "a", "evolution.macro_step": 0.2, "grid.regrid_every": 64}

    def check(self, version="1", **changes):
        other = {**self.base, **{key.replace("__", "."): value for key, value in changes.items()}}
        return members.check(["a", "b"], [self.base, other], ["1", version])

    def test_what_may_differ(self):
        found = self.check(grid__trees=6, grid__octant_points=16, run__folder="b", waves__every=48, evolution__macro_step=0.1, grid__regrid_every=96,
                           compute__device="cpu", checkpoint__minutes=3, initial_data__bh1_position=[4.0, 0.0, 1e-400])
        self.assertEqual(found, ("", []))
        self.assertEqual(self.check(grid__level_max=10, grid__ball_level=5), ("", []))

    def test_physics(self):
        for key, value in (("gauge.eta", 1.0), ("evolution.cfl", 0.4), ("initial_data.bh1_position", [4, 0, 0.1])):
            with self.subTest(key), self.assertRaisesRegex(WaveError, rf"a, b: not one series: {key} is .* and .*; only the resolution may differ"):
                self.check(**{key.replace(".", "__"): value})

    def test_refinement_boundaries(self):
        why, notes = self.check(grid__bh_radius=1.6)
        self.assertEqual(why, "refinement boundaries differ")
        self.assertEqual(notes, ["refinement boundaries differ: grid.bh_radius is 1.2 and 1.6; the error at them does not converge, so no order is "
                                 "believed"])

    def test_what_is_said(self):
        _, notes = self.check(grid__level_max=10)
        self.assertIn("levels differ by other numbers than grid.level_max: grid.ball_level is 4 and 4", notes[0])
        _, notes = self.check(grid__ball_level=5)
        self.assertIn("grid.ball_level is 4 and 5", notes[0])
        why, notes = self.check("2", initial_data__tolerance=1e-8)
        self.assertEqual(why, "")
        self.assertIn("initial_data.tolerance is 1e-09 and 1e-08", notes[0])
        self.assertIn("different versions, 1, 2", notes[1])


class Detectors(unittest.TestCase):
    def test_curves(self):
        f = np.array([1e-4, 1e-3, 1e-2])
        # Of arXiv:1803.01944 by hand: at 1 mHz 1.28e-19 of the instrument and 2.58e-19 of the galaxy.
        np.testing.assert_allclose(np.sqrt(noise.find("lisa")(f)), [4.63e-17, 2.88e-19, 1.20e-20], rtol=0.01)
        # Rows of the published files.
        for name, rows in (("aplus", ((20.0, 1.2173e-23), (100.0, 2.1478e-24), (1000.0, 2.5381e-24))),
                           ("et-d", ((5.0, 3.5612e-24), (10.0, 1.1596e-24))), ("ce", ((5.0, 7.2939e-24),))):
            for x, exact in rows:
                self.assertAlmostEqual(float(np.sqrt(noise.find(name)(np.array([x]))[0])) / exact, 1, delta=0.03, msg=f"{name} {x}")
            self.assertTrue(np.isinf(noise.find(name)(np.array([1.0, 1e4]))).all())

    def setUp(self):
        chirp = synthetic.Chirp(amplitudes={(2, 2): 0.6}, slow=0.04)
        t = np.arange(0.0, 330.0, 0.25)
        self.wave = Waves("strain", t, {(2, 2): chirp.strain(t, 2, 2)})

    def one(self, relative, turned, clean=True):
        """{(2,2): budget.Mode} of two runs with differences [n]."""
        t = self.wave.t
        rule = replace(bound.rule((2.0, 1.0)), clean=clean)
        functions = [bound.Function(rule, rule.of([np.abs(d)]), [d]) for d in (relative, turned)]
        none = np.zeros(len(t))
        laid = budget.Laid(t, np.abs(self.wave.mode(2, 2)), *(budget.Parts(f.bound, none, none) for f in functions), *functions)
        return {(2, 2): budget.Mode(laid, laid)}

    def test_the_criterion(self):
        """rho^2 2 M = 1 where <dh|dh> = 1, by a projection of its own: dh across h, i h and dh/dt."""
        t = self.wave.t
        turned = 0.02 * np.sin(t / 25)
        rows = accuracy.rows(self.wave, 0.0, self.one(0 * t, turned), {})
        row = rows["aplus"][2]
        kappa = 1.25 / 3
        a, b = mismatch.tapered(self.wave, self.wave.map(lambda v, l, m: v * np.exp(-1j * kappa * turned)), difference.Mismatches(self.wave, self.wave).window, [(2, 2)])
        f = np.fft.fftfreq(len(a.t), a.t[1] - a.t[0])
        weight = mismatch.weights(f, noise.find("aplus"), row.mass, row.low, math.inf)
        x, y = (np.fft.fft(w.mode(2, 2)) for w in (a, b))
        basis = np.array([np.sqrt(weight) * v for v in (x, 1j * x, 2j * np.pi * f * x)])
        basis = np.concatenate([basis.real, basis.imag], axis=1)
        target = np.sqrt(weight) * (y - x)
        target = np.concatenate([target.real, target.imag])
        rest = target - basis.T @ np.linalg.lstsq(basis.T, target, rcond=None)[0]
        whole = np.sum(weight * np.abs(x) ** 2)
        rho = math.sqrt(whole / np.sum(rest**2))  # <dh|dh> = 1 at this signal-to-noise ratio
        self.assertAlmostEqual(accuracy.ratio(row.mismatch) / rho, 1, delta=0.03)
        self.assertAlmostEqual(accuracy.ratio(row.mismatch, 4), 2 * accuracy.ratio(row.mismatch))
        self.assertAlmostEqual(row.parts["numerical"] / row.mismatch, 1)

    def test_what_no_detector_sees(self):
        t = self.wave.t
        rows = accuracy.rows(self.wave, 0.0, self.one(0.05 + 0 * t, 0.3 + 0 * t), {})
        self.assertGreater(min(accuracy.ratio(row.mismatch) for row in rows["ce"]), 1e4)
        self.assertEqual(accuracy.ratio(0.0), math.inf)

    def test_modes_that_turn_the_other_way(self):
        """A delay is none of a detector's business, whatever the signs of m are."""
        t = self.wave.t
        both = replace(self.wave, modes={(2, 2): self.wave.mode(2, 2), (2, -2): self.wave.mode(2, 2).conj()})
        delay = 0.3 * np.abs(np.gradient(np.unwrap(np.angle(self.wave.mode(2, 2))), t))
        one, other = (self.one(0 * t, sign * delay, clean=False)[2, 2] for sign in (1, -1))
        rows = accuracy.rows(both, 0.0, {(2, 2): one, (2, -2): other}, {})
        self.assertGreater(min(accuracy.ratio(row.mismatch) for row in rows["aplus"]), 100)

    def test_parts(self):
        t = self.wave.t
        turned = 0.02 * np.sin(t / 25)
        other = self.wave.map(lambda v, l, m: v * np.exp(0.02j * np.sin(t / 10)))
        faint = other.map(lambda v, l, m: np.full(len(v), complex(np.nan, np.nan)))
        rows = accuracy.rows(self.wave, 0.0, self.one(0 * t, turned), {"extraction": [[other, self.wave], [faint]], "integration": []})
        row = rows["et-d"][1]
        self.assertEqual(row.parts["integration"], 0)
        self.assertGreater(row.parts["extraction"], 0)
        self.assertAlmostEqual(math.sqrt(row.mismatch), sum(math.sqrt(x) for x in row.parts.values()))
        # Without a clean order the bound itself is a candidate.
        wider = accuracy.rows(self.wave, 0.0, self.one(0 * t, np.where(t < 200, 0.0, 0.05), clean=False), {})
        self.assertEqual(len(accuracy.candidates(self.one(0 * t, turned, clean=False))), 2)
        self.assertEqual(len(accuracy.candidates(self.one(0 * t, turned))), 1)
        self.assertTrue(rows["lisa"] and wider["lisa"])


class Recorded(unittest.TestCase):
    """Bounds from coarser runs beside finer ones, of all recorded series."""

    @classmethod
    def setUpClass(cls):
        cls.shelf = kept.Shelf(ROOT / "docs" / "results")

    def test_nine_of_ten_hold(self):
        for what, (held, of) in coverage.hits(coverage.rows(self.shelf)).items():
            self.assertGreaterEqual(held, 0.9 * of, what)
            self.assertGreater(of, 8, what)

    def test_less_care_would_not(self):
        """With order 4 in place of 2, and no margin, ten orbits are missed, and so is more than a tenth of phases."""
        with mock.patch.object(bound, "LOWEST", 4.0), mock.patch.object(bound, "SAFETY", 1.0):
            held, of = coverage.hits(coverage.rows(self.shelf))["phase"]
        self.assertLess(held, 0.9 * of)

    def test_beside_another_code(self):
        """SpEC's waves, aligned at the peak, are within the total bound until then."""
        triples = {1: ("q1_o10_t5", "q1_o10", "q1_o10_t7"), 2: ("q2_o3c", "q2_o3_t5", "q2_o3s"), 4: ("q4_o6_t3", "q4_o6", "q4_o6_t5")}
        for q, names in [(q, some) for q, three in triples.items() for some in (three[:2], three[1:], three)]:
            file = reference(f"spec_q{q}_h22.npz")
            if not file:
                self.skipTest(WHERE)
            with np.load(file) as data:
                theirs = Waves("strain", data["t"], {(2, 2): data["re"] + 1j * data["im"]})
            self.assertGreaterEqual(self.part_within(names, theirs), 0.95, names)

    def part_within(self, names, theirs):
        """Part of the times until the peak at which another wave is within the total bound."""
        series = [self.shelf.series(name) for name in names]
        h = [self.shelf.numbers(name)["run"]["finest_spacing"] for name in names]
        start, best = max(s.reference for s in series), replace(series[-1].strain, modes={(2, 2): series[-1].strain.mode(2, 2)})
        laid = resolutions.lay([s.strain for s in series], start, [(2, 2)])
        u, *errors = series[-1].errors[2, 2]
        made = budget.of_modes(h, laid, lambda lm, t: {"extraction": tuple(np.interp(t, u, e) for e in errors), "integration": (0 * t, 0 * t)})[2, 2].aligned
        turns = np.unwrap(np.angle(theirs.mode(2, 2)))
        theirs = theirs.map(lambda v, l, m: v if turns[-1] < turns[0] else v.conj(), t=theirs.t + laid.peak - align.peak_time(theirs, (2, 2), -200.0))
        moved = align.at_peak(best, theirs, (2, 2), start).apply(theirs)
        t, both = resolutions.on_common([moved, best], start, resolutions.faded(best, laid.peak), [(2, 2)])
        t, _, (a, b) = resolutions.clear(t, both, (2, 2))
        off = np.abs(a - b - (a - b)[np.abs(t - laid.peak).argmin()])
        before = t <= laid.peak
        return float(np.mean(off[before] <= np.interp(t, made.t, made.phase.total)[before]))


if __name__ == "__main__":
    unittest.main()
