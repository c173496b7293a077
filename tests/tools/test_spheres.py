"""Which sphere waves are taken from, and what dissipation took on the way there."""

import sys
import unittest
from pathlib import Path
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import synthetic  # noqa: E402
from scratch import CHIRP, Scratch  # noqa: E402
from tendex.waves.extraction import standard  # noqa: E402
from tendex.waves.extraction.spheres import LOSS, MOST, RINGS, Damping, choose, companions, neighbour, peak_frequency  # noqa: E402
from tendex.waves.extraction.spheres import remainder, spacing  # noqa: E402
from tendex.waves.extraction.standard import of_run  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal import align  # noqa: E402
from tendex.waves.signal.modes import WaveError, Waves  # noqa: E402


class Spheres(unittest.TestCase):
    def test_what_is_left_of_the_radius(self):
        here, *others = (Waves("psi4", np.arange(3.0), {}, r, r + 1.0) for r in (60.0, 35.0, 42.0, 58.0, 80.0))
        self.assertEqual(neighbour([*others, here], here).radius, 42)
        self.assertEqual(neighbour([here, others[3]], here).radius, 80)
        self.assertIsNone(neighbour([here], here))
        for other in (others[0], others[1]):
            self.assertAlmostEqual(remainder(here, other) * (3 / other.areal - 3 / here.areal), 3 / here.areal)
        self.assertAlmostEqual(remainder(here, others[2]), 1 / (2**0.5 - 1))


class Choice(Scratch):
    """Waves of one frequency, of which a grid of 1.2 M takes a known part."""

    H, W = 1.2, 0.4
    WAVE = synthetic.Chirp(amplitudes={(2, 2): 0.6}, slow=W / 2, fast=W / 2, grow=400.0, decay=25.0)

    def choice(self, run):
        one, notes = choose(run, run.spheres())
        return one.radius, notes

    def steady(self, h, **options):
        run = self.run_of(l_max=2, wave=self.WAVE, **options)
        synthetic.set_grid(run.path, 8 * h)
        return Run(run.path)

    def test_grid_unknown(self):
        self.assertEqual(self.choice(self.run_of(l_max=2)), (100, []))

    def test_grid_lost(self):
        run = self.steady(self.H)
        (run.path / "grid.asc").unlink()
        one, notes = self.choice(Run(run.path))
        self.assertEqual((one, len(notes)), (100, 1))
        self.assertRegex(notes[0], "without grid.asc nothing is known of dissipation .*: nothing is put back, and the outermost one is taken; copy that file into the run folder")

    def test_loss(self):
        run = self.steady(self.H)
        self.assertAlmostEqual(spacing(run, 70.0), self.H)
        for w in (0.3, 0.8):
            self.assertAlmostEqual(Damping(run).exponent(70.0, w), 70 * synthetic.damping(w, self.H), places=12)
        sphere = run.spheres()[0]
        self.assertAlmostEqual(peak_frequency(sphere, 2, 2, 60.0), self.W, delta=0.01)
        self.assertEqual(peak_frequency(sphere, 2, 1, 60.0), 0)
        furthest = LOSS / synthetic.damping(self.W, self.H)
        one, notes = self.choice(run)
        self.assertEqual(one, max(r for r in (50, 60, 70, 80, 90, 100) if r <= furthest))
        self.assertTrue(50 < one < 100)
        self.assertRegex(notes[0], "100 M: dissipation takes more than 0.2% of the peak")
        self.assertEqual(of_run(run).radii, [one])

    def test_dissipation_of_order_seven(self):
        run, w = self.steady(self.H), 0.8
        with (run.path / "run.yaml").open("a") as file:
            file.write("  dissipation_order: 7\n")
        self.assertAlmostEqual(Damping(Run(run.path)).exponent(70.0, w),
                               70 * synthetic.damping(w, self.H, order=7), places=12)

    def test_dissipation_that_grows_outside(self):
        """Level 5 is one outside of a ball of 40 M, and ends at 80 M."""
        run = self.steady(self.H)
        text = (run.path / "run.yaml").read_text()
        self.assertIn("  level_min: 2\n", text)
        ball = "  level_min: 2\n  ball_level: 6\n  ball_radius: 40\n  ball_growth: 2\n"
        (run.path / "run.yaml").write_text(text.replace("  level_min: 2\n", ball) + "  dissipation_outside: 2\n")
        found, w = Damping(Run(run.path)), 0.8
        full = synthetic.damping(w, self.H, 2)
        for r, path in ((40, 80 / 5 / 2**5), (80, 80 / 5), (120, 80 / 5 + 40)):
            self.assertAlmostEqual(found.exponent(r, w) / (full * path), 1, delta=2e-3)
        text = (run.path / "run.yaml").read_text()
        (run.path / "run.yaml").write_text(text.replace("ball_level: 6", "ball_level: 5"))
        self.assertAlmostEqual(Damping(Run(run.path)).exponent(70.0, w), 70 * synthetic.damping(w, self.H), places=12)

    def test_a_finer_part_of_the_grid(self):
        run = self.steady(2.5)
        near = ["9 5 -52 -52 0 52\n", "9 5 0 -52 0 52\n", "9 5 -52 0 0 52\n", "9 5 0 0 0 52\n"]
        head = "# 1:time 2:level 3:x 4:y 5:z 6:size\n"
        (run.path / "grid.asc").write_text(head + "".join(near) + "9 5 60 -20 0 80\n")
        self.assertEqual([spacing(run, r) for r in (40.0, 75.0, 500.0)], [6.5, 10.0, None])

    def test_an_edge_outside(self):
        """Fine to 86 M: of waves 15.7 M long the sphere at 80 M is too near to that, 70 M is not; but 80 M is taken if
        there is no other."""
        run = self.steady(self.H)
        fine, coarse = 8 * self.H * np.arange(-9, 9), 72 * self.H * np.arange(-2, 2)
        rows = [(x, y, z, 8 * self.H) for x in fine for y in fine for z in fine if z >= 0]
        rows += [(x, y, z, 72 * self.H) for x in coarse for y in coarse for z in coarse
                 if z >= 0 and (min(x, y) < coarse[1] or max(x, y, z) > 0)]
        (run.path / "grid.asc").write_text("# 1:time 2:level 3:x 4:y 5:z 6:size\n"
                                           + "".join("0 5 %g %g %g %g\n" % row for row in rows))
        (run.path / "run.yaml").write_text((run.path / "run.yaml").read_text().replace("dissipation: 0.4",
                                                                                       "dissipation: 0.01"))
        for radii, taken, noted in (((50.0, 60.0, 70.0, 80.0), 70, ["r = 80 M: within a wavelength of a refinement boundary"]),
                                    ((80.0,), 80, [])):
            run = Run(run.path)
            spheres = [s for s in run.spheres() if s.radius in radii]
            one, notes = choose(run, spheres)
            self.assertEqual((one.radius, notes), (taken, noted))

    def coarser_far_out(self, run):
        """Twice as coarse a grid beyond 77 M."""
        fine = 8 * self.H * np.arange(-8, 8)
        coarse = 2 * fine[4:12]
        rows = [(x, y, z, 8 * self.H) for x in fine for y in fine for z in fine if z >= 0]
        rows += [(x, y, z, 16 * self.H) for x in 2 * fine for y in 2 * fine for z in 2 * fine
                 if z >= 0 and not all(coarse[0] <= v <= coarse[-1] for v in (x, y, z))]
        (run.path / "grid.asc").write_text("# 1:time 2:level 3:x 4:y 5:z 6:size\n"
                                           + "".join("0 5 %g %g %g %g\n" % row for row in rows))

    def test_a_coarser_grid_far_out(self):
        """Fine to 77 M and twice as coarse beyond: 100 M is not taken where waves of twice the frequency lose more than 2% on the way
        there, unless fewer than three spheres are left, or the first waves are too slow for these. 80 M is, where they lose less."""
        run = self.steady(self.H)
        self.coarser_far_out(run)
        text = (run.path / "run.yaml").read_text()
        spheres = {s.radius: s for s in run.spheres()}
        far = "r = 100 M: on a coarser grid, where dissipation takes more than 2% of waves of twice the frequency"
        near = "r = 70 M: within a wavelength of a refinement boundary"
        for sigma, radii, orbital, taken, noted in ((0.08, (50, 60, 70, 100), 0.03, 60, [far, near]),
                                                    (0.03, (50, 60, 70, 80, 100), 0.03, 80, [far]),
                                                    (0.002, (50, 60, 70, 100), 0.03, 100, []),
                                                    (0.08, (60, 70, 100), 0.03, 100, []),
                                                    (0.08, (50, 60, 70, 100), 0.015, 100, [])):
            (run.path / "run.yaml").write_text(text.replace("dissipation: 0.4", f"dissipation: {sigma}"))
            run = Run(run.path)
            lost = [Damping(run).exponent(100.0, k * self.W) for k in (1, 2)]
            self.assertLess(lost[0], LOSS)
            self.assertEqual(lost[1] > 0.02, sigma > 0.01)
            with patch.object(Run, "initial_orbital_frequency", return_value=orbital):
                one, notes = choose(run, [spheres[r] for r in radii])
            self.assertEqual((one.radius, notes), (taken, noted), (sigma, radii, orbital))

    def test_slow_waves_come_from_far_out(self):
        """A sphere that loses more than 0.2% of the peak, but no more than 0.5%, is taken where the first waves are too slow for the
        others."""
        run = self.steady(self.H)
        self.coarser_far_out(run)
        text = (run.path / "run.yaml").read_text()
        spheres = [s for s in run.spheres() if s.radius in (60, 100)]
        inner, outer = (Damping(run).exponent(r, self.W) for r in (60.0, 100.0))
        near = "r = 60 M: within a wavelength of a refinement boundary"
        for lost, orbital, percent in ((0.0045, 0.03, "0.2%"), (0.0045, 0.015, None), (0.0055, 0.015, "0.5%")):
            self.assertLess(lost * inner / outer, LOSS)
            (run.path / "run.yaml").write_text(text.replace("dissipation: 0.4", f"dissipation: {0.4 * lost / outer}"))
            run = Run(run.path)
            with patch.object(Run, "initial_orbital_frequency", return_value=orbital):
                one, notes = choose(run, spheres)
            self.assertEqual(one.radius, 60 if percent else 100)
            far = f"r = 100 M: dissipation takes more than {percent} of the peak on the way"
            self.assertEqual([n for n in notes if n != near], [far] if percent else [], (lost, orbital))

    def test_a_grid_that_takes_it_all(self):
        one, notes = self.choice(self.steady(4.0))
        self.assertEqual(one, 50)
        self.assertRegex(notes[0], r"dissipation takes \d+\.\d% of the peak on its way to r = 50 M already")

    def test_what_was_taken_is_put_back(self):
        """A third of it is an error, of polynomials too."""
        run, gone = self.steady(1.8), 80 * synthetic.damping(self.W, 1.8)
        self.assertGreater(gone, 0.01)
        synthetic.damp(run.path, 1.8)
        whole = Run(synthetic.write_run(self.scratch / "whole", self.WAVE, l_max=2, dt=0.5))
        for method, worst in (("perturbative", 0.1 * gone), ("polynomial", 0.2 * gone)):
            found, right = (of_run(r, radii=[60, 70, 80], method=method) for r in (run, whole))
            middle = np.abs(found.strain.t - 150) < 20
            np.testing.assert_allclose(found.strain.mode(2, 2)[middle], right.strain.mode(2, 2)[middle], rtol=worst)
            error = found.error.difference("dissipation, 67% put back", 2, 2)[0][middle]
            if method == "perturbative":
                np.testing.assert_allclose(error, np.expm1(-gone / 3), rtol=0.05)
            self.assertLess(error.max(), -gone / 4)
            np.testing.assert_allclose(right.error.difference("dissipation, 67% put back", 2, 2)[0][middle], 0, atol=1e-12)

    def test_noise_is_not_made_more_of(self):
        damping = Damping(self.steady(1.8))
        t = np.arange(0.0, 400.0, 0.25)
        wave = np.exp(-0.4j * t - ((t - 200) / 40) ** 2)
        noise = 1e-3 * np.random.default_rng(3).standard_normal(len(t))
        found = damping.undone(Waves("psi4", t, {(2, 2): wave + noise, (2, 1): 0 * wave}), 80.0, 0.0)
        self.assertLess(np.abs(found.mode(2, 2) - wave * np.exp(damping.exponent(80.0, 0.4))).max(), 8e-3)
        np.testing.assert_array_equal(found.mode(2, 1), 0 * wave)

    def test_modes_that_are_noise(self):
        """Their own peak may have any frequency: l/2 of that of (2,2) is the highest that counts, and there is a limit."""
        damping = Damping(self.steady(1.8))
        t = np.arange(0.0, 400.0, 0.25)
        wave = np.exp(-0.4j * t - ((t - 200) / 40) ** 2)
        noise = 1e-4 * np.exp(-1.6j * t - ((t - 200) / 40) ** 2)
        waves = Waves("psi4", t, {(2, 2): wave, (3, 0): noise, (8, 0): noise})
        found = damping.undone(waves, 80.0, 0.0)
        for l, highest in ((3, RINGS * 1.5 * 0.4), (8, RINGS * 4 * 0.4)):
            most = min(damping.exponent(80.0, highest), MOST)
            np.testing.assert_allclose(np.abs(found.mode(l, 0)).max() / np.abs(noise).max(), np.exp(most), rtol=2e-3)
        self.assertLess(damping.exponent(80.0, RINGS * 1.5 * 0.4), 0.9 * MOST)
        self.assertGreater(damping.exponent(80.0, RINGS * 1.6), MOST)

    def test_uneven_times(self):
        damping = Damping(self.steady(1.8))
        even = np.arange(0.0, 400.0, 0.25)
        uneven = np.concatenate([even[even < 200], np.arange(200.0, 399.0, 0.4), [399.03]])
        there = []
        for t in (even, uneven):
            waves = Waves("psi4", t, {(2, 2): np.exp(-0.4j * t - ((t - 200) / 40) ** 2)})
            there.append(damping.undone(waves, 80.0, 0.0).mode(2, 2))
        wave = np.exp(-0.4j * uneven - ((uneven - 200) / 40) ** 2)
        right = wave * np.interp(uneven, even, there[0] / np.exp(-0.4j * even - ((even - 200) / 40) ** 2))
        middle = np.abs(uneven - 200) < 60
        np.testing.assert_allclose(there[1][middle], right[middle], atol=1e-4)

    def test_a_grid_finer_along_diagonals(self):
        """Fine within a cube of 40 M, twice as coarse outside, on a grid that is reflected everywhere: how much of the way to 60 M is
        fine depends on the direction."""
        run = self.steady(self.H)
        size = 4.0
        fine = size * np.arange(10)
        coarse = 2 * size * np.arange(12)
        rows = [(x, y, z, size) for x in fine for y in fine for z in fine]
        rows += [(x, y, z, 2 * size) for x in coarse for y in coarse for z in coarse if max(x, y, z) >= 40]
        (run.path / "grid.asc").write_text("# 1:time 2:level 3:x 4:y 5:z 6:size\n" + "".join("0 5 %g %g %g %g\n" % row for row in rows))
        way = Damping(Run(run.path))._way(60.0)
        n = np.abs(np.random.default_rng(1).standard_normal((200000, 3)))
        out = np.minimum(40 / (n / np.linalg.norm(n, axis=1)[:, None]).max(1), 60.0)
        self.assertAlmostEqual(way[size / 8] / 0.4, out.mean(), delta=0.02 * out.mean())
        self.assertAlmostEqual(sum(way.values()) / 0.4, 60.0, places=9)

    def test_a_ringdown_that_ends_early(self):
        """A sphere that has seen the ringdown fade, but not for long, does not end the waves from those that have."""
        run = self.run_of(l_max=2)

        def faded(sphere, lasts=None):
            peak = align.mode_peak(sphere, 2, 2, 100.0)["time"]
            made = sphere.map(lambda v, l, m: v * np.exp(np.minimum(peak - sphere.t, 0) / 10))
            return made if lasts is None else made.cut(last=peak + lasts)
        near, far = (next(s for s in run.spheres() if s.radius == r) for r in (50, 100))
        for lasts, kept in ((30.0, [50]), (60.0, [50, 100])):
            both = [faded(near), faded(far, lasts)]
            self.assertEqual([s.radius for s in companions(run, both, both[0])], kept)
            self.assertEqual([s.radius for s in companions(run, both, both[1])], [50, 100])

    def test_a_run_that_goes_on(self):
        """There is no summary yet: run.yaml says how many points octants have."""
        run = self.steady(1.8)
        before = Damping(run).exponent(80.0, self.W)
        (run.path / "summary.json").write_text("{}")
        text = (run.path / "run.yaml").read_text()
        self.assertEqual(Damping(Run(run.path)).exponent(80.0, self.W), 0)
        (run.path / "run.yaml").write_text("# build: GNU 12.2.0, Release, x86_64, octants of 8^3 points\n" + text)
        self.assertEqual(Damping(Run(run.path)).exponent(80.0, self.W), before)

    def test_data_that_end_early(self):
        one, notes = self.choice(self.run_of(l_max=2, t_end=312.0))
        self.assertEqual(one, 50)
        self.assertEqual(notes, ["r = 60, 70, 80, 90, 100 M: the data end before the ringdown has faded"])
        run = Run(synthetic.write_run(self.scratch / "short", CHIRP, l_max=2, dt=0.5, t_end=240.0))
        self.assertEqual(self.choice(run), (100, []))

    def test_spheres_for_polynomials(self):
        run = self.run_of(l_max=2, radii=(20.0, 30.0, 50.0, 60.0, 70.0))
        self.assertEqual(of_run(run, method="polynomial").radii, [50, 60, 70])
        self.assertEqual(of_run(run, order=3).radii, [20, 30, 50, 60, 70])
        self.assertEqual(of_run(run, radii=[30, 50, 60]).radii, [60])
        self.assertEqual(of_run(run, 1, [30, 50, 60]).radii, [30, 50, 60])

    def test_cutoff(self):
        run = self.run_of(l_max=2)
        self.assertEqual(standard.default_cutoff(run, run.spheres()), standard.CUTOFF * run.initial_orbital_frequency())

    def test_cutoff_where_nothing_orbits(self):
        wave = synthetic.Chirp(slow=0.2, fast=0.2)
        run = self.run_of(l_max=2, wave=wave)
        (run.path / "puncturetracker-pt_loc..asc").unlink()
        self.assertAlmostEqual(standard.default_cutoff(run, run.spheres()), standard.CUTOFF_WITHOUT_ORBIT * 0.2,
                               delta=0.01)
        still = [w.map(lambda v, l, m: 0 * v + 1e-12) for w in run.spheres()]
        with self.assertRaisesRegex(WaveError, "too short to have a frequency: let the run continue"):
            standard.default_cutoff(run, still)


if __name__ == "__main__":
    unittest.main()
