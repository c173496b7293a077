"""The standard way from a run folder to strain at infinity, and `tendex-waves extrapolate', on runs of known waves."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import synthetic  # noqa: E402
from tendex.waves import cli, ffi, standard, wavefile  # noqa: E402
from tendex.waves.modes import WaveError  # noqa: E402
from tendex.waves.run import Run  # noqa: E402
from tendex.waves.spheres import choose, spacing  # noqa: E402
from tendex.waves.strain import of_run  # noqa: E402

CHIRP = synthetic.Chirp(rise=30.0, on=0.0)


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.scratch = Path(folder.name)

    def run_of(self, **options):
        return Run(synthetic.write_run(self.scratch / "run", **{"wave": CHIRP, "dt": 0.5, **options}))

    def with_grid(self, run, size, points=8):
        """As if the last grid had octants of this size out to 160 M."""
        n = np.arange(-160, 160, size)
        rows = [f"0 5 {x:g} {y:g} {z:g} {size:g}\n" for x in n for y in n for z in n if z >= 0]
        (run.path / "grid.asc").write_text("# 1:time 2:level 3:x 4:y 5:z 6:size\n" + "".join(rows))
        (run.path / "summary.json").write_text(json.dumps({**run.summary, "octant_points": points}))
        return Run(run.path)


class Result(Scratch):
    def test_strain_at_infinity(self):
        found = of_run(self.run_of())
        self.assertEqual((found.method, found.order, found.notes), ("polynomial", 2, []))
        self.assertEqual(found.radii, [50, 60, 70, 80, 90, 100])
        exact = CHIRP.strain(found.strain.t, 2, 2)
        near = np.abs(found.strain.t - CHIRP.peak) < 20
        h = found.strain.mode(2, 2)
        amplitude, angle = np.abs(h) / np.abs(exact) - 1, np.angle(h * exact.conj())
        # Of this chirp 1% of the amplitude is below the cut-off.
        self.assertLess(np.abs(amplitude[near]).max(), 1.5e-2)
        self.assertLess(np.abs(angle[near]).max(), 2e-2)
        self.assertAlmostEqual(found.peak, found.strain.t[np.abs(exact).argmax()], delta=2)
        raw = found.finite[-1]
        here = raw.t - synthetic.tortoise(raw.areal, 0.99)
        late = np.abs(here - CHIRP.peak) < 20
        self.assertGreater(np.abs(np.angle(raw.mode(2, 2) * CHIRP.strain(here, 2, 2).conj()))[late].max(), 0.03)

    def test_areal_radii_change(self):
        # 2 M over the run: half of it are 0.5 rad of phase at the end of the chirp.
        found = of_run(self.run_of(l_max=2, shrink=2.0))
        exact = CHIRP.psi4(found.psi4.t, 2, 2)
        late = np.abs(found.psi4.t - CHIRP.peak) < 40
        self.assertLess(np.abs(np.angle(found.psi4.mode(2, 2) * exact.conj()))[late].max(), 0.01)
        one = standard.at_infinity(Run(self.scratch / "run"), Run(self.scratch / "run").spheres()[-1], found.cutoff)
        late = np.abs(one.t - CHIRP.peak) < 40
        self.assertLess(np.abs(np.angle(one.mode(2, 2) * CHIRP.psi4(one.t, 2, 2).conj()))[late].max(), 0.05)

    def test_the_error_covers_what_is_wrong(self):
        # Without the integration's own error: against the integrated exact psi4.
        found = of_run(self.run_of())
        exact = ffi.strain(found.psi4.map(lambda v, l, m: CHIRP.psi4(found.psi4.t, l, m)), found.cutoff).mode(2, 2)
        h = found.strain.mode(2, 2)
        inside = (found.strain.t > found.reference) & (found.strain.t < CHIRP.peak + 20)
        wrong = np.abs(np.abs(h) / np.abs(exact) - 1), np.abs(np.angle(h * exact.conj()))
        for w, stated in zip(wrong, found.error.over_time(2, 2)):
            self.assertLess(np.mean(w[inside] > 2 * stated[inside]), 0.1)
            self.assertLess(stated[np.abs(found.strain.t - CHIRP.peak) < 10].max(), 0.02)
        self.assertEqual(sorted(found.error.others), ["order 3", "r = 100, perturbative", "without the innermost",
                                                      "without the outermost"])

    def test_all_members_are_there(self):
        run = self.run_of(l_max=2)
        found = of_run(run, order=1, radii=[60, 80, 100], cutoff=0.02)
        self.assertEqual((found.order, found.radii, found.cutoff), (1, [60, 80, 100], 0.02))
        self.assertEqual(sorted(found.orders), [1, 2])
        self.assertEqual([w.radius for w in found.finite], [50, 60, 70, 80, 90, 100])
        self.assertEqual((found.strain.kind, found.psi4.kind, found.news.kind), ("strain", "psi4", "news"))
        np.testing.assert_array_equal(found.strain.mode(2, 2), found.orders[1].mode(2, 2))
        self.assertEqual(found.reference, run.reference_time())
        self.assertIn("order 2", found.error.others)
        self.assertNotIn("without the innermost", found.error.others)

    def test_errors_of_faint_modes_are_not_given(self):
        found = of_run(self.run_of(l_max=2))
        self.assertTrue(np.all(np.isnan(found.error.amplitude(2, 1))))
        alone = standard.Error(found.strain)
        self.assertTrue(np.all(np.isnan(alone.phase(2, 2))))

    def test_perturbative(self):
        found = of_run(self.run_of(l_max=2), method="perturbative")
        self.assertEqual((found.method, found.order, sorted(found.orders)), ("perturbative", None, [1, 2, 3]))
        self.assertEqual(sorted(found.error.others), ["r = 90"])
        near = np.abs(found.strain.t - CHIRP.peak) < 20
        # Against a wave about no black hole: 1 - 2M/R is not in it.
        exact = CHIRP.strain(found.strain.t, 2, 2) * (1 - 2 * 0.99 / synthetic.areal_radius(100.0, 0.99))
        self.assertLess(np.abs(np.angle(found.strain.mode(2, 2) * exact.conj()))[near].max(), 2e-2)
        self.assertLess(np.abs(np.abs(found.strain.mode(2, 2)) / np.abs(exact) - 1)[near].max(), 2e-2)


class Choice(Scratch):
    def choice(self, run):
        found = choose(run, run.spheres())
        return [s.radius for s in found.zone], [s.radius for s in found.held], found.one.radius, found.notes

    def test_all_spheres(self):
        all_of_them = [50, 60, 70, 80, 90, 100]
        self.assertEqual(self.choice(self.run_of(l_max=2)), (all_of_them, all_of_them, 100, []))

    def test_near_spheres_are_left_out(self):
        run = self.run_of(l_max=2, radii=(20.0, 30.0, 50.0, 60.0, 70.0))
        zone, held, one, notes = self.choice(run)
        self.assertEqual((zone, held, one), ([50, 60, 70], [50, 60, 70], 70))
        self.assertIn("r = 20, 30 M left out: R w is below 3", notes[0])
        self.assertEqual(of_run(run).radii, [50, 60, 70])

    def test_no_sphere_in_the_wave_zone(self):
        found = of_run(self.run_of(l_max=2, radii=(20.0, 25.0)))
        self.assertEqual((found.radii, found.method), ([25.0], "perturbative"))
        self.assertIn("no sphere is in the wave zone: the outermost has to do", found.notes)

    def test_a_grid_that_serves_the_wave(self):
        run = self.with_grid(self.run_of(l_max=2), 10.0, points=16)
        self.assertEqual(spacing(run, 70.0), 0.625)
        self.assertEqual(len(self.choice(run)[1]), 6)

    def test_a_grid_that_does_not(self):
        run = self.with_grid(self.run_of(l_max=2), 40.0)
        found = of_run(run)
        self.assertEqual((found.method, found.radii, sorted(found.orders)), ("perturbative", [50], [1, 2, 3]))
        self.assertRegex(found.notes[0], r"the grid of 5 M has [234]\.\d points in the wavelength of the peak")
        self.assertIn("perturbative correction of r = 50 M, not a polynomial", found.notes[1])
        self.assertEqual(sorted(found.error.others), ["r = 60"])
        # Whoever asks for a polynomial gets it.
        for options in ({"radii": [50, 70, 100]}, {"order": 2}, {"method": "polynomial"}):
            self.assertEqual(of_run(run, **options).method, "polynomial")

    def test_the_outermost_that_the_grid_serves(self):
        run = self.with_grid(self.run_of(l_max=2), 40.0)
        fine = [f"9 6 {x} {y} {z} 4\n" for x in range(-52, 52, 4) for y in range(-52, 52, 4) for z in range(0, 52, 4)]
        coarse = ["9 5 60 -20 0 40\n"]
        (run.path / "grid.asc").write_text("# 1:time 2:level 3:x 4:y 5:z 6:size\n" + "".join(fine + coarse))
        self.assertEqual((spacing(run, 50.0), spacing(run, 100.0), spacing(run, 500.0)), (0.5, 5.0, None))
        zone, held, one, _ = self.choice(run)
        self.assertEqual((len(zone), held, one), (6, [50, 60], 60))

    def test_two_spheres(self):
        found = of_run(self.run_of(l_max=2, radii=(60.0, 80.0)))
        self.assertEqual((found.method, found.radii, found.orders), ("perturbative", [80], {}))
        self.assertIn("perturbative correction of r = 80 M, not a polynomial in 1/R: that needs 3 spheres in the wave "
                      "zone that the grid serves", found.notes)

    def test_cutoff(self):
        run = self.run_of(l_max=2)
        self.assertEqual(standard.default_cutoff(run, run.spheres()), standard.CUTOFF * run.initial_orbital_frequency())

    def test_cutoff_where_nothing_orbits(self):
        wave = synthetic.Chirp(slow=0.2, fast=0.2)
        run = self.run_of(l_max=2, wave=wave)
        (run.path / "puncturetracker-pt_loc..asc").unlink()
        self.assertAlmostEqual(standard.default_cutoff(run, run.spheres()), standard.CUTOFF_WITHOUT_ORBIT * 0.2,
                               delta=0.01)


class Errors(Scratch):
    def test_what_cannot_be(self):
        run = self.run_of(l_max=2, radii=(60.0, 80.0, 100.0))
        for options, text in (({"radii": [55]}, "no sphere of r = 55; there are 60, 80, 100"),
                              ({"order": 3}, "order 3 in 1/R needs 4 spheres, but there are 3"),
                              ({"radii": [60, 80], "order": 1}, "needs 3 spheres, but there are 2"),
                              ({"method": "magic"}, "is none of polynomial, perturbative")):
            with self.assertRaisesRegex(WaveError, text):
                of_run(run, **options)

    def test_a_run_that_is_too_short(self):
        run = self.run_of(l_max=2, radii=(60.0, 80.0, 100.0), t_end=130.0, common=500.0)
        with self.assertRaisesRegex(WaveError, "ends at u = .*, before the junk radiation is over at 48 M"):
            of_run(run)


class Command(Scratch):
    def call(self, *args):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(["extrapolate", *map(str, args)])
        return code, out.getvalue(), err.getvalue()

    def test_table_numbers_and_files(self):
        run = self.run_of(dt=0.5)
        code, out, _ = self.call(run.path, "--json", self.scratch / "x.json", "--text", self.scratch / "text")
        self.assertEqual(code, 0)
        for text in ("polynomial of order 2", "r = 50 ", "order 1", "order 3", "perturbative  ", "result",
                     "error", "(2,2)", "(4,4)", "(3,2)", "psi4 (2,2)"):
            self.assertIn(text, out)
        self.assertNotIn("(2,1)", out)
        n = json.loads((self.scratch / "x.json").read_text())
        main = n["modes"][0]
        exact = np.abs(CHIRP.strain(np.array([n["peak"]]), 2, 2))[0]
        self.assertEqual((main["l"], main["m"]), (2, 2))
        self.assertAlmostEqual(main["best"]["amplitude"], exact, delta=0.01 * exact)
        self.assertAlmostEqual(main["best"]["frequency"], 2 * CHIRP.orbit(n["peak"])[1], delta=0.01)
        self.assertGreater(main["rows"]["r = 50"]["phase"], main["rows"]["r = 100"]["phase"])
        file = run.path / "analysis" / "extrapolated.h5"
        found = of_run(run)
        wave = wavefile.read(file)
        np.testing.assert_array_equal(wave.mode(3, -2), found.strain.mode(3, -2))
        self.assertEqual((wave.radius, wave.mass), (np.inf, 1.0))
        with h5py.File(file) as h:
            self.assertEqual(sorted(h), ["error", "extrapolated_N1", "extrapolated_N2", "extrapolated_N3",
                                         "news_extrapolated_N2", "perturbative", "psi4_extrapolated_N2"])
            self.assertEqual((h.attrs["best"], h.attrs["method"]), ("extrapolated_N2", "polynomial"))
            np.testing.assert_array_equal(h["error/l2_m2"][:, 1], found.error.amplitude(2, 2))
        self.assertTrue((self.scratch / "text" / "extrapolated_N2" / "l2_m2.asc").exists())

    def test_notes_and_choices(self):
        run = self.run_of(l_max=2, radii=(60.0, 80.0))
        code, out, _ = self.call(run.path, "-o", self.scratch / "a.h5")
        self.assertEqual(code, 0)
        self.assertIn("note: perturbative correction of r = 80 M, not a polynomial in 1/R", out)
        self.assertEqual(wavefile.read(self.scratch / "a.h5").label, "run, r = 80 corrected")
        code, _, err = self.call(run.path, "-N", "1")
        self.assertEqual((code, err.count("\n")), (1, 1))
        self.assertIn("needs 3 spheres", err)
        for args in (("-N", "4"), ("--radii", "a,b"), ("--method", "none"), ("--cutoff", "-1")):
            with self.assertRaises(SystemExit) as stop:
                self.call(run.path, *args)
            self.assertEqual(stop.exception.code, 2)


if __name__ == "__main__":
    unittest.main()
