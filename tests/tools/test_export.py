"""Files of the SXS, LVC-NR and RIT styles: names, conventions, units and numbers, against the wave in closed form that
the run was made of. What programs of others make of them: tests/readers."""

import contextlib
import io
import json
import math
import re
import sys
import tarfile
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
from scipy.interpolate import UnivariateSpline

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tools"), str(Path(__file__).resolve().parent)]

import synthetic  # noqa: E402
from tendex.waves.catalogues import catalogue_sxs, export_lvcnr, export_rit, export_sxs, lvcnr_motion, metadata  # noqa: E402
from tendex.waves.commands import cli, export  # noqa: E402
from tendex.waves.inspiral import initial_orbit  # noqa: E402
from tendex.waves.extraction import dragging  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal.modes import WaveError  # noqa: E402

# The heavier hole is the run's second; the unit of the catalogues, 1.1, is not the run's.
MASSES, CHIS, ENERGY, MASS = (0.44, 0.66), (-0.2, 0.3), 1.08, 1.1
SUN = 4.925491025543576e-06
L_MAX = 3
# Section 3 of the format: what every file has.
ATTRIBUTES = """Format type name alternative-names NR-group NR-code NR-techniques modification-date
point-of-contact-email simulation-type INSPIRE-bibtex-keys license Lmax files-in-error-series comparable-simulation
production-run object1 object2 mass1 mass2 eta f_lower_at_1MSUN spin1x spin1y spin1z spin2x spin2y spin2z LNhatx
LNhaty LNhatz nhatx nhaty nhatz Omega eccentricity mean_anomaly PN_approximant Warning""".split()
KEYS = """initial_separation initial_ADM_energy initial_mass1 initial_mass2 initial_dimensionless_spin1
initial_dimensionless_spin2 initial_position1 initial_position2 relaxation_time reference_time reference_mass1
reference_mass2 reference_dimensionless_spin1 reference_dimensionless_spin2 reference_orbital_frequency
reference_eccentricity reference_mean_anomaly common_horizon_time number_of_orbits number_of_orbits_from_start
number_of_orbits_from_reference_time metadata_format_revision metadata_content_revision internal_minor_version
internal_changelog remnant_mass remnant_dimensionless_spin remnant_velocity
object_types initial_data_type""".split()
SIGNS = ("psi4_sign", "tetrad", "scaled_by_r", "code_version")


def setUpModule():
    global temporary, root, wave, run, facts, made, out
    temporary = tempfile.TemporaryDirectory(prefix="tendex-export-")
    unittest.addModuleCleanup(temporary.cleanup)
    root, wave = Path(temporary.name), synthetic.Chirp()
    run = Run(synthetic.write_run(root / "bbh", wave, masses=MASSES, chis=CHIS, energy=ENERGY, l_max=L_MAX,
                                  t_end=380.0, dt=0.4))
    values, _ = metadata.user(None, ["name=known", "authors=A,B", "email=a@b.c", "group=G", "license=public"])
    out = root / "out"
    facts, made, *_ = export.export(run, export.FORMATS, out, values)


def command(*words):
    """(exit code, standard output, standard error) of tendex-waves."""
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(io.StringIO()) as failed:
        code = cli.main([str(w) for w in words])
    return code, said.getvalue(), failed.getvalue()


def top_exact():
    return export_lvcnr.prepared(made, MASS)[1]


def top():
    """Retarded time of the peak of all modes, to a sample."""
    return made.strain.t[made.strain.total().argmax()]


class Lvcnr(unittest.TestCase):
    def setUp(self):
        self.h = h5py.File(out / "lvcnr" / "bbh.h5")
        self.addCleanup(self.h.close)
        self.a = self.h.attrs

    def mode(self, l, m):
        t, curves = self.h["NRTimes"][()], []
        for name in ("amp", "phase"):
            g = self.h[f"{name}_l{l}_m{m}"]
            self.assertEqual((g["deg"][()], g["tol"][()]), (5, 1e-6))
            curves.append(UnivariateSpline(g["X"][()], g["Y"][()], k=5, s=0)(t))
        return t, curves[0] * np.exp(1j * curves[1])

    def test_attributes(self):
        self.assertEqual([name for name in ATTRIBUTES + list(SIGNS) if name not in self.a], [])
        self.assertIn("auxiliary-info", self.h)
        for name, value in {"Format": 3, "type": "NRinjection", "object1": "BH", "object2": "BH", "Lmax": L_MAX,
                            "simulation-type": "aligned-spins", "name": "known", "NR-group": "G", "license": "public",
                            "point-of-contact-email": "a@b.c", "production-run": 1, "scaled_by_r": 1}.items():
            self.assertEqual(self.a[name], value, name)
        for name, value in {"mass1": 0.6, "mass2": 0.4, "eta": 0.24, "spin1z": 0.3, "spin2z": -0.2, "spin1x": 0,
                            "LNhatx": 0, "LNhatz": 1, "eccentricity": -1, "mean_anomaly": -1}.items():
            self.assertAlmostEqual(self.a[name], value, places=9, msg=name)

    def test_orbit_and_first_frequency(self):
        when = made.reference
        (angle,), (omega,), _ = wave.orbit(np.array([when]))
        self.assertAlmostEqual(self.a["Omega"] / (omega * MASS), 1, places=4)
        np.testing.assert_allclose([self.a["nhatx"], self.a["nhaty"]], [-np.cos(angle), -np.sin(angle)], atol=1e-6)
        # (2,2) turns twice as fast as the orbit.
        self.assertAlmostEqual(self.a["f_lower_at_1MSUN"] / (2 * omega * MASS / (2 * math.pi * SUN)), 1, delta=0.04)

    def test_all_of_the_waves_are_above_the_lowest_frequency(self):
        """Readers that are asked for it look it up in Omega-vs-time, and begin there: below its first row with the first sample."""
        lowest = self.a["f_lower_at_1MSUN"] * math.pi * SUN
        omega = self.h["Omega-vs-time/Y"][0]
        self.assertTrue(1 - 1e-6 < lowest / omega < 1)

    def test_modes_are_those_of_the_strain(self):
        """To the tolerance, over M, t = 0 at the peak."""
        strain = made.strain
        for (l, m), values in strain.modes.items():
            t, got = self.mode(l, m)
            at = np.interp(t * MASS, strain.t - top(), np.arange(len(strain.t)))
            first = int(round(at[0]))
            ours = values[first:first + len(t)] / MASS
            np.testing.assert_allclose(t, (strain.t[first:first + len(t)] - top()) / MASS, atol=0.3)
            self.assertLess(np.abs(got - ours).max(), 1e-5 * np.abs(strain.mode(2, 2)).max() + 1e-9)

    def test_wave_in_closed_form(self):
        """What was made, to what extrapolation from spheres does; t = 0 is its peak; (2,2) turns clockwise."""
        t, got = self.mode(2, 2)
        u = np.linspace(150, 250, 4001)
        total = sum(np.abs(wave.strain(u, l, m)) ** 2 for l, m in synthetic.modes(L_MAX))
        self.assertAlmostEqual(u[total.argmax()], top(), delta=4)
        early = (t > -80) & (t < 20)
        exact = wave.strain(t[early] * MASS + top(), 2, 2) / MASS
        self.assertLess(np.abs(got[early] - exact).max(), 0.1 * np.abs(exact).max())
        self.assertLess(np.diff(np.unwrap(np.angle(got[early]))).max(), 0)
        self.assertLess(abs(t[np.abs(got).argmax()]), 0.5)

    def test_samples_begin_after_the_junk_and_end_before_the_taper(self):
        self.assertAlmostEqual(self.h["NRTimes"][0], (made.reference - top()) / MASS, delta=0.5)
        self.assertAlmostEqual(self.h["NRTimes"][-1], (made.strain.t[-1] - top()) / MASS - 20, delta=0.6)

    def test_motion(self):
        """Formats 2 and 3: for those after which the frequency never is as small again."""
        omega = self.h["Omega-vs-time"]
        self.assertGreater(np.diff(omega["Y"]).min(), 0)
        late = (omega["X"][()] > -60) & (omega["X"][()] < -10)
        exact = wave.orbit(omega["X"][()][late] * MASS + top())[1] * MASS
        np.testing.assert_allclose(omega["Y"][()][late], exact, rtol=5e-3)
        np.testing.assert_allclose(self.h["mass1-vs-time/Y"], 0.6, atol=1e-9)
        np.testing.assert_allclose(self.h["spin2z-vs-time/Y"], -0.2, atol=1e-9)
        np.testing.assert_allclose(self.h["LNhatz-vs-time/Y"], 1, atol=1e-9)
        one, two = (self.h[f"position{i}x-vs-time/Y"][0] for i in (1, 2))
        self.assertAlmostEqual(one / two, -0.4 / 0.6, places=3)
        self.assertAlmostEqual(self.h["remnant-mass-vs-time/Y"][-1], facts.remnant_mass, places=9)

    def test_remnant(self):
        """Format 3 has where it is, too, here between the punctures; without it the file is of Format 2."""
        t = self.h["remnant-mass-vs-time/X"][()]
        for d, x in enumerate("xyz"):
            at, there = (self.h[f"remnant-position{x}-vs-time/{part}"][()] for part in "XY")
            self.assertEqual((at[0], at[-1]), (t[0], t[-1]))
            times, punctures = run.tracks()
            middle = 0.5 * (punctures[0] + punctures[1])[:, d] / MASS
            np.testing.assert_allclose(there, np.interp(at * MASS + top_exact(), times, middle), atol=1e-3)
        early = Run(synthetic.write_run(root / "early", wave, masses=MASSES, energy=ENERGY, l_max=2, t_end=380.0, dt=0.5))
        file = early.path / "horizons.asc"
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(line for line in lines if line[0] == "#" or line.split()[2] != "3"))
        export.export(early, ["lvcnr"], root / "early.h5")
        with h5py.File(root / "early.h5") as h:
            self.assertEqual(h.attrs["Format"], 2)
            self.assertFalse([name for name in h if name.startswith("remnant")])

    def test_frequency_that_goes_up_and_down(self):
        t = np.linspace(0, 100, 501)
        omega = 0.03 + 1e-4 * t + 2e-3 * np.sin(0.3 * t)
        when, kept = lvcnr_motion.rising(t, omega)
        self.assertGreater(np.diff(kept).min(), 0)
        self.assertEqual((when[-1], kept[-1]), (t[-1], omega[-1]))
        for moment, value in zip(when, kept):
            self.assertGreaterEqual(omega[t > moment].min(initial=1.0), value)
        self.assertEqual(len(lvcnr_motion.rising(t, t)[0]), len(t))

    def test_format_1_without_motion(self):
        bare = synthetic.write_run(root / "bare", wave, masses=MASSES, energy=ENERGY, l_max=2, dt=0.5)
        (bare / "puncturetracker-pt_loc..asc").unlink()
        export.export(Run(bare), ["lvcnr"], root / "bare.h5", cutoff=0.02)
        with h5py.File(root / "bare.h5") as h:
            self.assertEqual(h.attrs["Format"], 1)
            # Nothing tells how the holes orbit, but the cut-off.
            self.assertAlmostEqual(h.attrs["f_lower_at_1MSUN"] / (0.04 * MASS / (2 * math.pi * SUN)), 1, places=9)
            self.assertFalse([name for name in h if name.endswith("-vs-time")])

    def test_silence_is_zero(self):
        for name in ("amp_l2_m1", "phase_l2_m1"):
            self.assertEqual(np.abs(self.h[name]["Y"]).max(), 0)


class Sxs(unittest.TestCase):
    def test_metadata(self):
        found = json.loads((out / "sxs" / "metadata.json").read_text())
        self.assertEqual([key for key in KEYS + list(SIGNS) if key not in found], [])
        self.assertEqual(found["object_types"], "BHBH")
        np.testing.assert_allclose([found["initial_mass1"], found["initial_mass2"]], [0.6, 0.4], rtol=1e-14)
        self.assertEqual((found["authors"], found["authors_emails"]), (["A", "B"], []))
        self.assertIsNone(found["reference_eccentricity"])
        omega = wave.orbit(np.array([found["reference_time"] * MASS]))[1][0] * MASS
        np.testing.assert_allclose(found["reference_orbital_frequency"], (0, 0, omega), rtol=1e-4, atol=1e-9)
        first = initial_orbit.frequency(run.masses, run.chis, run.positions, run.momenta) * MASS
        self.assertAlmostEqual(found["initial_orbital_frequency"], first, places=12)
        self.assertGreater(abs(first / omega - 1), 1e-3)
        self.assertEqual(found["remnant_velocity"], list(facts.remnant_velocity))

    def test_authors(self):
        """SXS has mails, of the form `Name <mail>', in authors_emails; names alone are no mails."""
        user, _ = metadata.user(None, ["authors=A. B. <a@b.c>, Me, d@e.f"])
        found = export_sxs.metadata(facts, user, made)
        self.assertEqual(found["authors"], ["A. B.", "Me", "d@e.f"])
        self.assertEqual(found["authors_emails"], ["A. B. <a@b.c>", "d@e.f"])

    def test_orders(self):
        """Readers take Extrapolated_N2 unless told: psi4 has every order too."""
        with h5py.File(out / "sxs" / "rMPsi4_Asymptotic_GeometricUnits.h5") as h:
            self.assertEqual(sorted(h), [*(f"Extrapolated_N{n}.dir" for n in (1, 2, 3, 4)), "OutermostExtraction.dir",
                                         "Perturbative.dir"])
            self.assertEqual([round(r * MASS, 9) for r in h["Extrapolated_N2.dir"].attrs["radii"]], [50, 60, 70, 80, 90, 100])
            rows = h["Extrapolated_N2.dir/Y_l2_m2.dat"][()]
            exact = wave.psi4(rows[:, 0] * MASS, 2, 2) * MASS
            middle = slice(len(rows) // 4, -len(rows) // 4)
            off = np.abs(rows[:, 1] + 1j * rows[:, 2] - exact)[middle].max()
            self.assertLess(off, 0.07 * np.abs(exact).max())

    def test_orders_of_near_spheres(self):
        """Where fewer than three are in the wave zone polynomials go through all; with two there is none."""
        for radii, names in (((20.0, 30.0, 90.0), ["Extrapolated_N1.dir", "Extrapolated_N2.dir"]), ((60.0, 90.0), [])):
            near = Run(synthetic.write_run(root / f"near{len(radii)}", wave, radii, masses=MASSES, energy=ENERGY,
                                           l_max=2, dt=0.5))
            export.export(near, ["sxs"], root / f"near{len(radii)}-out")
            for name in ("rhOverM", "rMPsi4"):
                with h5py.File(root / f"near{len(radii)}-out" / f"{name}_Asymptotic_GeometricUnits.h5") as h:
                    self.assertEqual(sorted(h), [*names, "OutermostExtraction.dir", "Perturbative.dir"])
                    self.assertEqual(h.attrs["best"], "Perturbative.dir")
                    for group in names:
                        np.testing.assert_allclose(h[group].attrs["radii"], np.array(radii) / MASS)

    def test_groups_and_units(self):
        with h5py.File(out / "sxs" / "rhOverM_Asymptotic_GeometricUnits.h5") as h:
            self.assertEqual(sorted(h), [*(f"Extrapolated_N{n}.dir" for n in (1, 2, 3, 4)), "OutermostExtraction.dir",
                                         "Perturbative.dir"])
            for name in SIGNS:
                self.assertIn(name, h.attrs)
            self.assertEqual(h.attrs["best"], "Perturbative.dir")
            rows = h["Extrapolated_N2.dir/Y_l2_m2.dat"][()]
            exact = wave.strain(rows[:, 0] * MASS, 2, 2) / MASS
            middle = slice(len(rows) // 4, -len(rows) // 4)
            off = np.abs(rows[:, 1] + 1j * rows[:, 2] - exact)[middle].max()
            self.assertLess(off, 0.07 * np.abs(exact).max())
            outer = h["OutermostExtraction.dir/Y_l2_m2.dat"][()]
            exact = wave.strain(outer[:, 0] * MASS, 2, 2) / MASS
            self.assertLess(np.abs(outer[:, 1] + 1j * outer[:, 2] - exact)[250:600].max(), 0.3 * np.abs(exact).max())

    def test_spheres(self):
        with h5py.File(out / "sxs" / "rPsi4_FiniteRadii_CodeUnits.h5") as h:
            self.assertEqual(sorted(h), [export_sxs.sphere_group(r / MASS) for r in (50, 60, 70, 80, 90, 100)])
            group = "R0072.73.dir"
            rows = h[f"{group}/Y_l2_m-2.dat"][()]
            areal = synthetic.areal_radius(80.0, ENERGY)
            inside = dragging.inside(run, next(s for s in run.spheres() if s.radius == 80.0))[:, 2]
            exact = synthetic.at_sphere(wave, rows[:, 0] * MASS, 2, -2, areal, ENERGY, spin=inside) * MASS
            np.testing.assert_allclose(rows[:, 1] + 1j * rows[:, 2], exact, atol=1e-15)
            for name, value in (("ArealRadius", areal / MASS), ("AverageLapse", np.sqrt(1 - 2 * ENERGY / areal))):
                np.testing.assert_array_equal(h[f"{group}/{name}.dat"][:, 0], rows[:, 0])
                np.testing.assert_allclose(h[f"{group}/{name}.dat"][:, 1], value, rtol=1e-14)
            self.assertAlmostEqual(h[f"{group}/CoordRadius.dat"][0, 1], 80 / MASS, places=12)
            self.assertAlmostEqual(h[f"{group}/InitialAdmEnergy.dat"][0, 1], ENERGY / MASS, places=12)
        self.assertEqual([export_sxs.sphere_group(r) for r in (70.5, 100.0)], ["R0070.50.dir", "R0100.dir"])

    def test_lapse_of_earlier_runs(self):
        """Which was not measured, or not from the start on, is left out, and that is said."""
        old = Run(synthetic.write_run(root / "old", wave, masses=MASSES, energy=ENERGY, l_max=2, dt=0.5))
        file = old.path / "waves" / "lapse.asc"
        lines = file.read_text().splitlines(keepends=True)
        for text in ("".join(lines[:2] + lines[50:]), None):
            file.unlink() if text is None else file.write_text(text)
            *_, said = export.export(old, ["sxs"], root / "old-out")
            self.assertIn("without AverageLapse.dat", "\n".join(said))
            with h5py.File(root / "old-out" / "rh_FiniteRadii_CodeUnits.h5") as h:
                self.assertFalse([name for group in h.values() for name in group if "Lapse" in name])

    def test_the_best_is_what_comes_back(self):
        """Where the grid does not serve polynomials, they are there, but not what is taken."""
        export.export(run, ["sxs"], root / "best", order=3)
        file = root / "best" / "rhOverM_Asymptotic_GeometricUnits.h5"
        with h5py.File(file) as h:
            wanted = h["Extrapolated_N3.dir/Y_l2_m2.dat"][:, 1]
        np.testing.assert_array_equal(catalogue_sxs.read(file).mode(2, 2).real, wanted)

    def test_one_sphere(self):
        """No polynomial: the group says so."""
        one = Run(synthetic.write_run(root / "one", wave, (90.0,), masses=MASSES, energy=ENERGY, l_max=2, dt=0.5))
        export.export(one, ["sxs"], root / "one-out")
        for name in ("rhOverM", "rMPsi4"):
            with h5py.File(root / "one-out" / f"{name}_Asymptotic_GeometricUnits.h5") as h:
                self.assertEqual(sorted(h), ["OutermostExtraction.dir", "Perturbative.dir"])
                self.assertEqual(h.attrs["best"], "Perturbative.dir")


class Units(unittest.TestCase):
    """What is exported does not depend on the run's unit of mass: a run whose masses add up to 1 and the same where they are SCALE."""

    SCALE = 2.0

    @classmethod
    def setUpClass(cls):
        how = dict(radii=(50.0, 60.0, 75.0, 100.0), masses=(0.6, 0.4), chis=(0.5, -0.3), separation=9.0, momentum=0.09, energy=0.985,
                   l_max=2, t_end=380.0, dt=0.5, common=180.0, horizons=((0.602, 0.603), (0.4, 0.402)))
        for name, scale in (("one", 1.0), ("other", cls.SCALE)):
            waves, scaled = synthetic.rescaled(scale, wave, **how)
            made = synthetic.write_run(root / "units" / name / "run", waves, **scaled)
            facts, *_ = export.export(Run(made), export.FORMATS, root / "units" / name / "out")
            setattr(cls, name, facts)

    def test_unit(self):
        self.assertAlmostEqual(self.one.unit_of_mass, 1.005, places=5)
        self.assertAlmostEqual(self.other.unit_of_mass / self.one.unit_of_mass, self.SCALE, delta=1e-5)

    def same(self, where, a, b, bound=2e-6):
        if isinstance(a, dict):
            self.assertEqual(set(a), set(b), where)
            for key in set(a) - {"unit_of_mass", "unit-of-mass"}:
                self.same(f"{where}: {key}", a[key], b[key], bound)
        elif isinstance(a, tuple):
            # Rounding may choose other samples: at those of one, where the run has values, the other's spline.
            self.same(f"{where}: ends", *(np.array([x[0], x[-1]]) for x, _ in (a, b)), bound)
            (x, y), other = a, UnivariateSpline(*b, k=5, s=0)
            self.same(where, y, other(np.clip(x, b[0][0], b[0][-1])), bound)
        elif isinstance(a, (str, bytes, type(None))) or (isinstance(a, list) and not a):
            self.assertEqual(a, b, where)
        else:
            a, b = np.asarray(a), np.asarray(b)
            if a.dtype.kind in "OSU":
                return self.assertEqual(a.tolist(), b.tolist(), where)
            self.assertEqual(a.shape, b.shape, where)
            np.testing.assert_allclose(a, b, rtol=0, atol=bound * max(1e-3, np.abs(a).max()), err_msg=where)

    def both(self, name):
        return (root / "units" / which / "out" / name for which in ("one", "other"))

    def test_metadata(self):
        self.same("sxs", *(json.loads(file.read_text()) for file in self.both("sxs/metadata.json")))
        texts = [dict(line.split("= ", 1) for line in file.read_text().splitlines() if "= " in line and line[0] != "#")
                 for file in self.both("rit/TENDEX:BBH:run-n0-id0_Metadata.txt")]
        numbers = [{key: float(v) if re.fullmatch(r"[-+\d.e]+", v) else v for key, v in found.items()} for found in texts]
        self.same("rit", *numbers)

    def tree(self, file):
        """{name: attributes or values}, of splines (times, values)."""
        found = {}
        with h5py.File(file) as h:
            def visit(name, at):
                found[f"{name} attributes"] = dict(at.attrs)
                if isinstance(at, h5py.Group) and "X" in at:
                    found[name] = at["X"][()], at["Y"][()]
                elif isinstance(at, h5py.Dataset) and name.split("/")[-1] not in ("X", "Y", "errors", "History.txt"):
                    found[name] = at[()]
            h.visititems(visit)
            found["attributes"] = dict(h.attrs)
        return found

    def test_waves(self):
        names = [f"sxs/{name}" for of in (export_sxs.FINITE, export_sxs.ASYMPTOTIC) for name in of.values()]
        for name in (*names, "lvcnr/run.h5"):
            with self.subTest(name=name):
                self.same(name, *map(self.tree, self.both(name)), bound=1e-4)


class Precessing(unittest.TestCase):
    """Spins and axis of a binary that precesses, at the reference time and over time, against the known rotation."""

    CHI = {1: np.array([0.3, -0.1, 0.2]), 2: np.array([-0.4, 0.2, 0.5])}  # in the orbit's axes; hole 2 is the heavier

    @classmethod
    def setUpClass(cls):
        cls.wave = synthetic.Precessing(amplitudes={(2, 2): 0.6, (2, 1): 0.03}, slow=0.06, around=0.004)
        bbh = Run(synthetic.write_run(root / "tilted", cls.wave, (60.0, 90.0), masses=MASSES, chis=tuple(cls.CHI.values()),
                                      energy=ENERGY, l_max=2, t_end=380.0, dt=0.4, remnant=(1.0, 0.6)))
        cls.facts, cls.made, *_ = export.export(bbh, ["sxs", "lvcnr"], root / "tilted-out")

    def turned(self, t, vector):
        return self.wave.rotation(np.atleast_1d(t)).apply(vector)

    def test_reference(self):
        found = json.loads((root / "tilted-out" / "sxs" / "metadata.json").read_text())
        when = found["reference_time"] * MASS
        # The orbit turns about the axis, and the axis about z.
        np.testing.assert_allclose(self.turned(when, [0, 0, 1])[0], self.facts.normal, atol=0.05)
        (phi,), (omega,), _ = self.wave.orbit(np.array([when]))
        np.testing.assert_allclose(found["reference_orbital_frequency"], MASS * omega * self.facts.normal, atol=0.05 * omega)
        for ours, theirs in ((2, 1), (1, 2)):
            np.testing.assert_allclose(found[f"reference_dimensionless_spin{theirs}"], self.turned(when, self.CHI[ours])[0],
                                       atol=1e-4)
            self.assertAlmostEqual(found[f"reference_chi{theirs}_perp"], np.hypot(*self.CHI[ours][:2]), delta=0.03)
        self.assertAlmostEqual(found["reference_chi_eff"], 0.6 * 0.5 + 0.4 * 0.2, delta=0.03)
        sum_of_both = self.turned(when, 0.6 * self.CHI[2] + 0.4 * self.CHI[1])[0]
        self.assertAlmostEqual(found["reference_chi_eff"], sum_of_both @ self.facts.normal, delta=1e-4)
        self.assertGreater(abs(sum_of_both[2] - found["reference_chi_eff"]), 1e-3)
        self.assertEqual(self.facts.kind, "precessing")
        line = self.turned(when, [-np.cos(phi), -np.sin(phi), 0])[0]
        np.testing.assert_allclose(self.facts.line, line, atol=1e-4)

    def test_over_time(self):
        with h5py.File(root / "tilted-out" / "lvcnr" / "tilted.h5") as h:
            top = self.made.strain.t[self.made.strain.total().argmax()]
            self.assertEqual((h.attrs["Format"], h.attrs["simulation-type"]), (3, "precessing"))
            for name, vector, bound in (("spin1%-vs-time", self.CHI[2], 2e-4), ("spin2%-vs-time", self.CHI[1], 2e-4),
                                        ("LNhat%-vs-time", [0, 0, 1], 0.04)):
                for i, x in enumerate("xyz"):
                    t, values = (h[name.replace("%", x)][part][()] for part in "XY")
                    early = t * MASS + top < 150
                    np.testing.assert_allclose(values[early], self.turned(t[early] * MASS + top, vector)[:, i], atol=bound)
                    self.assertTrue(np.ptp(values[early]) > 2 * bound or name[0] == "L")
            for i in (1, 2):
                np.testing.assert_allclose([h.attrs[f"spin{i}{x}"] for x in "xyz"], self.facts.holes[i - 1].reference_chi)
            omega = self.wave.orbit(np.array([self.made.reference]))[1][0]
            self.assertAlmostEqual(h.attrs["f_lower_at_1MSUN"] / (2 * omega * MASS / (2 * math.pi * SUN)), 1, delta=0.05)
            np.testing.assert_allclose([h.attrs[f"LNhat{x}"] for x in "xyz"], self.facts.normal)


class Rit(unittest.TestCase):
    def test_names(self):
        self.assertEqual(sorted(file.name for file in (out / "rit").iterdir()),
                         ["ExtrapPsi4_TENDEX-BBH-known-n0-id0.tar.gz", "ExtrapStrain_TENDEX-BBH-known-n0.h5",
                          "TENDEX:BBH:known-n0-id0_Metadata.txt"])
        for key, value in (("catalog-tag", "a/b"), ("catalog-tag", "a\tb"), ("resolution-tag", "n 1"), ("id-tag", "a\n"), ("name", "a b")):
            with self.assertRaisesRegex(WaveError, rf"no / or blanks .*--set {'catalog-tag' if key == 'name' else key}=\.\.\.$"):
                export_rit.names(facts, {**metadata.DEFAULTS, key: value})

    def test_metadata(self):
        """As its readers take it apart: sections and comments aside, key and value are either side of `= '."""
        lines = (out / "rit" / "TENDEX:BBH:known-n0-id0_Metadata.txt").read_text().splitlines()
        self.assertEqual(lines[0], "[metadata]")
        found = dict(line.split("= ", 1) for line in lines[1:] if line[0] != "#")
        found = {key.strip(): value for key, value in found.items()}
        for key, value in {"relaxed-mass1": 0.6, "relaxed-chi1z": 0.3, "relaxed-mass-ratio-1-over-2": 1.5, "initial-mass2": 0.4,
                           "initial-ADM-energy": ENERGY / MASS, "relaxed-LNhatz": 1, "final-mass": facts.remnant_mass,
                           "initial-bh-momentum1y": -0.114 / MASS, "relaxed-time": run.reference_time() / MASS}.items():
            self.assertAlmostEqual(float(found[key]), value, places=9, msg=key)
        self.assertEqual((found["system-type"], found["catalog-tag"]), ("Aligned", "TENDEX:BBH:known"))
        self.assertEqual(found["eccentricity"], "not known")
        self.assertAlmostEqual(float(found["peak-ampl-22"]), np.abs(made.strain.mode(2, 2)).max() / MASS, places=4)
        self.assertAlmostEqual(float(found["freq-start-22-Hz-1Msun"]) * SUN, float(found["freq-start-22"]), places=12)

    def test_peak_and_kick(self):
        strain, _ = export_lvcnr.prepared(made, MASS)
        moving = replace(facts, remnant_velocity=np.array([0.0, 3e-4, 4e-4]), system="Z4c")
        found = dict(export_rit.lines(moving, {**metadata.DEFAULTS, "name": "known"}, made, strain))
        self.assertAlmostEqual(found["final-kick"], 5e-4 * 299792.458, places=9)
        self.assertEqual(found["evolution-system"], "Z4c")
        techniques = export_lvcnr.attributes(moving, metadata.DEFAULTS, made, strain)["NR-techniques"]
        self.assertEqual(techniques.split(", ")[:3], ["Puncture-ID", "Z4c", "Psi4-integrated"])
        for sources, words in ((("horizon", "horizon"), ["ApproxKillingVector-Spin", "Christodoulou-Mass"]),
                               (("coordinate rotations", "horizon"), ["CoordinateRotation-Spin", "Christodoulou-Mass"]),
                               (("coordinate rotations", "puncture"), ["Bowen-York-Spin", "ADM-Mass"])):
            holes = tuple(replace(h, source=source) for h, source in zip(facts.holes, sources))
            self.assertEqual(export_lvcnr.techniques(replace(facts, holes=holes), made).split(", ")[-2:], words)
        t, h = made.strain.t / MASS, made.strain.mode(2, 2)
        omega = -np.gradient(np.unwrap(np.angle(h)), t)[np.abs(h).argmax()]
        self.assertAlmostEqual(found["peak-omega-22"] / omega, 1, delta=0.01)

    def test_psi4(self):
        with tarfile.open(out / "rit" / "ExtrapPsi4_TENDEX-BBH-known-n0-id0.tar.gz") as tar:
            names = tar.getnames()
            self.assertEqual(len(names), len(synthetic.modes(L_MAX)))
            file = tar.extractfile("ExtrapPsi4_TENDEX-BBH-known-n0-id0/rPsi4_l2_m2_rInf.asc")
            text = file.read().decode().splitlines()
        self.assertEqual([head.split(":")[-1] for head in text[3].split()], ["time", "real", "imag", "ampl", "phse"])
        rows = np.loadtxt(text[4:])
        np.testing.assert_allclose(rows[:, 0], made.psi4.t / MASS, rtol=1e-15)
        np.testing.assert_allclose(rows[:, 1] + 1j * rows[:, 2], made.psi4.mode(2, 2) * MASS, atol=1e-16)
        np.testing.assert_allclose(rows[:, 3] * np.exp(1j * rows[:, 4]), made.psi4.mode(2, 2) * MASS, atol=1e-12)


class Command(unittest.TestCase):
    def test_default_place_and_what_is_said(self):
        code, said, _ = command("export", run.path, "--format", "lvcnr", "--json", root / "facts.json")
        self.assertEqual(code, 0)
        self.assertTrue((run.path / "analysis" / "lvcnr" / "bbh.h5").exists())
        self.assertIn("not given, and left empty: authors, email, group, license", said)
        self.assertIn("0.600000 + 0.400000", said)
        self.assertIn("M = 1.1 in the run's own", said)
        self.assertAlmostEqual(json.loads((root / "facts.json").read_text())["unit_of_mass"], MASS, places=12)

    def test_a_file_of_ones_own(self):
        file = root / "mine" / "a.h5"
        code, *_ = command("export", run.path, "--format", "lvcnr", "-o", file, "--tolerance", "1e-4")
        self.assertEqual(code, 0)
        with h5py.File(file) as h:
            self.assertEqual(h["amp_l2_m2/tol"][()], 1e-4)

    def test_refusals(self):
        short = synthetic.write_run(root / "short", wave, masses=MASSES, energy=ENERGY, l_max=2, t_end=150.0,
                                    separation=14.0, remnant=(1.0, 0.6))
        (root / "file").write_text("")
        for words, message in (
                ((run.path, "--format", "lvcnr", "--tolerance", "0"), "tolerance 0: must be above 0"),
                ((run.path, "--format", "sxs", "-o", root / "file"), "file: is not a folder, and sxs is several files"),
                ((run.path, "--format", "rit", "--set", "catalog-tag=a b"), "no / or blanks"),
                ((run.path, "--format", "sxs", "--meta", root / "nowhere"), f"export: {root}/nowhere: No such file or directory\n"),
                ((root, "--format", "sxs"), "no run.yaml in it"),
                ((short, "--format", "lvcnr"), "let the run continue")):
            code, _, failed = command("export", *words)
            self.assertEqual(code, 1, words)
            self.assertIn(message, failed)


if __name__ == "__main__":
    unittest.main()
