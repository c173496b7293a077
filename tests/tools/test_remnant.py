"""The remnant of a run made of known waves: what comes out is what the closed forms say."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import h5py
import numpy as np
from scipy.integrate import trapezoid

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import orbits  # noqa: E402
import synthetic  # noqa: E402
from tendex.physics import kerr, orbit  # noqa: E402
from tendex.waves.catalogues import metadata  # noqa: E402
from tendex.waves.commands import cli, remnant, remnant_table, show  # noqa: E402
from tendex.waves.extraction import radiated, standard  # noqa: E402
from tendex.waves.holes import hole  # noqa: E402
from tendex.waves.inspiral import eccentricity_run  # noqa: E402
from tendex.waves.pictures import html_panels, page  # noqa: E402
from tendex.waves.reading import live  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal import fluxes, frame  # noqa: E402
from tendex.waves.signal.modes import Waves  # noqa: E402

WAVE = synthetic.Chirp(amplitudes={(2, 2): 0.6, (3, 3): 0.05, (4, 4): 0.03}, slow=0.08, on=15.0, switch=6.0)
ENERGY, SEPARATION, MOMENTUM = 0.99, 8.0, 0.114


def command(*arguments):
    """(exit code, output, errors) of tendex-waves."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main([str(a) for a in arguments])
    return code, out.getvalue(), err.getvalue()


def setUpModule():
    global folder, scratch, found, shown
    scratch = tempfile.TemporaryDirectory()
    folder = synthetic.write_run(Path(scratch.name) / "run", WAVE, energy=ENERGY, separation=SEPARATION,
                                 momentum=MOMENTUM, t_end=400.0)
    code, shown, errors = command("remnant", folder, "--json", Path(scratch.name) / "remnant.json")
    assert code == 0, errors
    found = json.loads((Path(scratch.name) / "remnant.json").read_text())


def tearDownModule():
    scratch.cleanup()


def exact():
    """[7] of fluxes.NAMES of the closed form, and the same from the reference time on."""
    u = np.linspace(-120.0, 320.0, 8801)
    modes = {(l, m): 0 for l, m in synthetic.modes()}
    rate = fluxes.rates({lm: WAVE.news(u, *lm) for lm in modes}, {lm: WAVE.strain(u, *lm) for lm in modes})
    late = u >= found["junk_until"]
    return trapezoid(rate, u, axis=0), trapezoid(rate[late], u[late], axis=0)


def rows(mass, chi, n=201):
    """Columns of horizons.asc for a common horizon that does not change."""
    zero = np.zeros(n)
    return {"horizon": zero + 3, "found": zero + 1, "time": np.arange(100.0, 100.0 + n), "mass": zero + mass,
            "spin_x": zero, "spin_y": zero, "spin_z": zero + chi * mass**2, "mass_irreducible": zero + 0.9,
            "centroid_x": zero, "centroid_y": zero, "centroid_z": zero}


class Remnant(unittest.TestCase):
    def test_radiated(self):
        whole, late = exact()
        value = found["radiated"]["value"]
        for got, want in ((value, whole), (value["without_junk"], late)):
            self.assertAlmostEqual(got["E"], want[0], delta=3e-3 * want[0])
            self.assertAlmostEqual(got["J"][2], want[3], delta=6e-3 * want[3])
            kick = -want[4:6] / found["horizon"]["mass"]["value"] * 299792.458
            self.assertGreater(np.linalg.norm(kick), 20.0)
            self.assertLess(np.linalg.norm(np.array(got["kick_km_s"][:2]) - kick), 0.02 * np.linalg.norm(kick))
        self.assertEqual((len(found["radiated"]["spheres"]), found["radiated"]["used"]), (6, 100.0))

    def test_of_a_sphere_whose_areal_radius_falls(self):
        # By 2% until the wave is there.
        with tempfile.TemporaryDirectory() as top:
            run = Run(synthetic.write_run(Path(top) / "run", WAVE, energy=ENERGY, radii=(75.0, 100.0), t_end=400.0,
                                          shrink=4.0))
            made = radiated.of_run(run, standard.of_run(run))
        whole = exact()[0]
        self.assertAlmostEqual(made.value[0], whole[0], delta=5e-3 * whole[0])
        self.assertLess(abs(made.value[0] - whole[0]), made.error[0] + 3e-3 * whole[0])

    def test_errors_of_what_was_radiated(self):
        whole, late = exact()
        value, error = found["radiated"]["value"], found["radiated"]["error"]
        for got, stated, want in ((value, error, whole), (value["without_junk"], error["without_junk"], late)):
            self.assertLess(abs(got["E"] - want[0]), stated["E"] + 1e-3 * want[0])
            self.assertLess(abs(got["J"][2] - want[3]), stated["J"][2] + 2e-3 * want[3])
            self.assertLess(stated["E"], 0.01 * want[0])

    def test_dissipation_is_put_back_and_a_third_of_it_an_error(self):
        # Of a wave of one frequency the energy that was lost is known.
        wave = synthetic.Chirp(amplitudes={(2, 2): 0.6}, slow=0.2, fast=0.2, on=15.0, switch=6.0, decay=25.0)
        errors, values = [], []
        for name in ("fine", "coarse"):
            path = synthetic.write_run(Path(scratch.name) / name, wave, radii=(60.0, 80.0), l_max=2, t_end=450.0)
            if name == "coarse":
                synthetic.set_grid(path, 8 * 1.8)
                synthetic.damp(path, 1.8, 0.4)
            run = Run(path)
            made = standard.of_run(run, radii=[80])
            flux = radiated.of_run(run, made)
            self.assertEqual((flux.used, made.neighbour.radius), (80, 60))
            errors.append(flux.error[[0, 3]])
            values.append(flux.value[[0, 3]])
        gone = 2 * 80 * synthetic.damping(0.4, 1.8)
        np.testing.assert_allclose(values[1], values[0], rtol=0.05 * gone)
        np.testing.assert_allclose(errors[1] - errors[0], -np.expm1(-gone / 3) * values[1], rtol=0.1)

    def test_one_sphere(self):
        path = synthetic.write_run(Path(scratch.name) / "one", WAVE, radii=(80.0,), l_max=2, energy=ENERGY, t_end=400.0)
        flux = radiated.of_run(Run(path), standard.of_run(Run(path)))
        np.testing.assert_allclose(flux.error, np.abs(flux.value - flux.spheres[0].total), atol=1e-12)

    def test_horizon_and_balance(self):
        power, torque = synthetic.fluxes(WAVE, np.arange(0.0, 400.1, 0.25))
        self.assertAlmostEqual(found["horizon"]["mass"]["value"], ENERGY - trapezoid(power, dx=0.25), places=12)
        self.assertAlmostEqual(found["horizon"]["spin"][2], SEPARATION * MOMENTUM - trapezoid(torque, dx=0.25), places=12)
        self.assertAlmostEqual(found["horizon"]["mass"]["drift"], 0.0, places=14)
        self.assertLess(abs(found["balance"]["value"]["E_percent"]), 0.5)
        self.assertLess(abs(found["balance"]["value"]["J_percent"]), 1.0)
        # Above 0 where more was radiated than the hole lacks.
        value, off = found["radiated"]["value"], found["balance"]["value"]
        self.assertAlmostEqual(value["E"] / trapezoid(power, dx=0.25), 1 + off["E_percent"] / 100, places=6)  # the hole moves
        self.assertAlmostEqual(value["J"][2] / trapezoid(torque, dx=0.25), 1 + off["J_percent"] / 100, places=9)

    def test_a_hole_that_moves(self):
        """Its kinetic energy and x × P are its own; waves take momentum, too."""
        gone = np.array([2e-3, 0, 0, 1e-3, 0.1, 0, 0])
        left = hole.horizon(rows(1.0, 0.1) | {"centroid_x": np.arange(201.0), "centroid_y": np.full(201, 2.0)}, 1.0)
        run = SimpleNamespace(adm_momentum=np.array([0.6, 0, 0]), adm_energy=np.hypot(1.0, 0.5) + gone[0],
                              adm_angular_momentum=np.array([0, 0, 0.1 - 2 * 0.5 + gone[3]]))
        made = remnant.balance(run, left, SimpleNamespace(value=gone, spheres=[]))
        self.assertAlmostEqual(made["hole"]["kinetic_energy"], np.hypot(1.0, 0.5) - 1, places=12)
        np.testing.assert_allclose(made["hole"]["momentum"], (0.5, 0, 0), atol=1e-15)
        self.assertAlmostEqual(made["hole_lacks"]["E"], gone[0], places=12)
        np.testing.assert_allclose(made["hole_lacks"]["J"], (0, 0, gone[3]), atol=1e-12)
        self.assertAlmostEqual(made["value"]["E_percent"], 0, places=8)
        self.assertAlmostEqual(made["value"]["J_percent"], 0, places=8)
        table = "\n".join(remnant_table.balance_rows({"balance": made | {"spheres": [made["value"] | {"radius": 50.0}]}, "initial": {
            "adm_energy": run.adm_energy, "adm_angular_momentum": run.adm_angular_momentum}}))
        self.assertIn("momentum (0.500000, 0.000000, 0.000000) M, kinetic energy 0.118034 M", table)

    def test_ringdown(self):
        t = np.arange(0.0, 200.0, 0.25)
        omega = kerr.quasinormal(2, 2, 0.7) / 0.95
        y = np.where(t > 60, np.exp(-1j * omega * (t - 60)), np.exp(-0.5j * (t - 60) + 0.05 * (t - 60)))
        one = Waves("psi4", t, {(2, 2): y}, 50.0, 51.0)
        none = Waves("psi4", t[:260], {(2, 2): y[:260]})
        rings = remnant.rings(SimpleNamespace(spheres=[one], psi4=none), (2, 2), hole.horizon(rows(0.96, 0.7), 1.0))
        self.assertAlmostEqual(rings["50.00"]["mass"][0], 0.95, places=5)
        self.assertAlmostEqual(rings["50.00"]["chi"][0], 0.7, places=5)
        np.testing.assert_allclose(rings["50.00"]["off_percent"], 100 * (0.96 / 0.95 - 1), atol=1e-3)
        self.assertIn("after the peak", rings["infinity"]["error"])
        self.assertEqual(set(found["ringdown"]), {f"{r}.00" for r in range(50, 101, 10)} | {"infinity"})

    def test_ringdown_about_a_tilted_axis(self):
        """Also where the orbit went the other way round."""
        t = np.arange(0.0, 200.0, 0.25)
        omega = kerr.quasinormal(2, 2, 0.7) / 0.95
        y = np.where(t > 60, np.exp(-1j * omega * (t - 60)), np.exp(-0.5j * (t - 60) + 0.05 * (t - 60)))
        zero = np.zeros(len(t), complex)
        along = Waves("psi4", t, {(2, m): y if m == 2 else zero for m in range(-2, 3)}, 50.0, 51.0)
        q = frame.about(np.array([0.6, 0.8, 0.0]), 1.1)
        spin = frame.turn(q, 0.7 * 0.96**2 * frame.Z)
        seen = frame.turned(along, frame.inverse(q))
        row = rows(0.96, 0.7) | {f"spin_{x}": np.full(201, value) for x, value in zip("xyz", spin)}
        left = hole.horizon(row, 1.0)
        self.assertEqual(tuple(remnant.strongest(remnant.about_spin(seen, left), 0.0)), (2, 2))
        rings = remnant.rings(SimpleNamespace(spheres=[seen], psi4=seen), (2, 2), left)
        self.assertAlmostEqual(rings["50.00"]["chi"][0], 0.7, places=5)
        np.testing.assert_allclose(rings["50.00"]["off_percent"], 100 * (0.96 / 0.95 - 1), atol=1e-3)
        back = hole.horizon(row | {f"spin_{x}": -row[f"spin_{x}"] for x in "xyz"}, 1.0)
        rings = remnant.rings(SimpleNamespace(spheres=[seen], psi4=seen), (2, 2), back)
        exact = kerr.quasinormal(2, 2, -0.7).real / 0.96
        self.assertAlmostEqual(rings["50.00"]["exact"][0], exact, places=6)

    def test_peaks_and_merger(self):
        u = np.linspace(100.0, 300.0, 200001)
        h = np.abs(WAVE.strain(u, 2, 2))
        top = u[h.argmax()]
        peak = found["peak"]["strain"]
        self.assertAlmostEqual(peak["height_over_M"], h.max(), delta=3e-3 * h.max())
        self.assertAlmostEqual(peak["time_over_M"], top, delta=1.5)  # a flat peak
        self.assertAlmostEqual(peak["frequency_M"], 2 * WAVE.orbit(top)[1], delta=3e-3)
        self.assertEqual(len(found["peak"]["psi4_through"]), 6)
        self.assertEqual(found["merger"]["common_horizon"], 190.0)
        turns = (WAVE.orbit(190.0)[0] - WAVE.orbit(0.0)[0]) / (2 * np.pi)
        self.assertAlmostEqual(found["merger"]["orbits_of_punctures"], turns, places=2)
        turns = (WAVE.orbit(top)[0] - WAVE.orbit(found["junk_until"])[0]) / (2 * np.pi)
        self.assertAlmostEqual(found["merger"]["orbits_of_wave"], turns, delta=0.02)

    def test_peaks_are_in_units_of_the_masses_together(self):
        run = Run(folder)
        made = standard.of_run(run, radii=[100])
        twice = replace(made, strain=replace(made.strain, mass=2.0), psi4=replace(made.psi4, mass=2.0))
        heavy = SimpleNamespace(mass=2.0, spheres=run.spheres, adm_energy=run.adm_energy)
        one, two = (remnant.peaks(*of, (2, 2), 48.0) for of in ((run, made), (heavy, twice)))
        for kind, height in (("strain", 0.5), ("psi4", 2.0)):
            for key, factor in (("height_over_M", height), ("time_over_M", 0.5), ("frequency_M", 2.0)):
                self.assertAlmostEqual(two[kind][key] / one[kind][key], factor, places=6, msg=f"{kind} {key}")

    def test_odd_modes(self):
        u = np.linspace(100.0, 300.0, 2001)
        ratio = np.abs(WAVE.strain(u, 3, 3)).max() / np.abs(WAVE.strain(u, 2, 2)).max()
        self.assertAlmostEqual(found["odd_m"]["strain"]["ratio"], ratio, delta=0.02 * ratio)
        self.assertEqual([abs(x) for x in found["odd_m"]["strain"]["mode"]], [3, 3])
        self.assertTrue(found["odd_m"]["equal_holes"])

    def test_no_odd_modes(self):
        """Waves of even m alone: nothing to measure, and the table says so."""
        run = Run(folder)
        made = standard.of_run(run, radii=[100])
        even = replace(made.strain, modes={lm: v for lm, v in made.strain.modes.items() if lm[1] % 2 == 0})
        self.assertIsNone(remnant.odd(run, replace(made, strain=even), (2, 2), 48.0))
        rows = remnant_table.odd_rows({**found, "odd_m": None})
        self.assertEqual([row.split(None, 3)[:3] for row in rows], [["modes", "of", "odd"]])

    def test_table(self):
        for part in ("Final hole, from its horizon", "Balance", "kick, vector", "odd m of h", "eccentricity",
                     "0.990000 M"):
            self.assertIn(part, shown)
        spheres = [s | {"of_twice_the_cutoff": {"E": -1e-6, "J": [0, 0, 0]}} for s in found["radiated"]["spheres"]]
        rows = remnant_table.flux_rows(found | {"radiated": found["radiated"] | {"spheres": spheres}})
        self.assertIn("-0.000001  +0.000000", "".join(row for row in rows if "twice the cut-off" in row))

    def test_head_on(self):
        path = synthetic.write_run(Path(scratch.name) / "head_on", WAVE, radii=(50.0, 60.0), energy=ENERGY, t_end=400.0)
        with h5py.File(path / "waves" / "mp_psi4.h5", "r+") as h:
            for r in ("50.00", "60.00"):
                h[f"l2_m0_r{r}"][:, 1] = h[f"l2_m2_r{r}"][:, 1]
            for name in h:
                if "_m0_" not in name:
                    h[name][:, 1:] = 0
        code, out, errors = command("remnant", path)
        self.assertEqual(code, 0, errors)
        self.assertIn("Ringdown of psi4 (2,0)", out)
        self.assertNotIn("orbits of the wave", out)
        self.assertIn("0.00e+00 of (2,0)", out)
        self.assertNotIn("kick, vector", out)
        self.assertNotIn("twice the cut-off", out)

    def test_what_is_incomplete(self):
        """Said on the screen and kept in the JSON."""
        path = synthetic.write_run(Path(scratch.name) / "cut", WAVE, radii=(50.0, 60.0), l_max=2, energy=ENERGY, t_end=400.0)
        for name in ("horizons.asc", "puncturetracker-pt_loc..asc"):
            text = (path / name).read_text()
            (path / name).write_text(text[:int(0.9 * len(text))])
        code, out, errors = command("remnant", path, "--json", path / "a.json")
        self.assertEqual((code, errors.count("\n")), (0, 2), errors)
        for name in ("horizons.asc", "puncturetracker-pt_loc..asc"):
            self.assertRegex(errors, rf"tendex-waves remnant: warning: .*{name}: line \d+ is cut short and left out, "
                                     r"and line \d+ before it is at t = \d\d\d, but the run went on to t = 400: ")
        self.assertEqual(len(json.loads((path / "a.json").read_text())["warnings"]), 2)
        self.assertEqual(found["warnings"], [])

    def test_spheres_that_the_merger_has_not_reached(self):
        """They show no peak; what is within them has the results."""
        path = synthetic.write_run(Path(scratch.name) / "soon", WAVE, radii=(50.0, 60.0, 120.0, 140.0), l_max=2,
                                   energy=ENERGY, separation=SEPARATION, momentum=MOMENTUM, t_end=314.0)
        code, out, errors = command("remnant", path, "--json", path / "a.json")
        self.assertEqual(code, 0, errors)
        self.assertIn("the data end before the ringdown has faded", out)
        early = json.loads((path / "a.json").read_text())
        self.assertEqual(early["radiated"]["used"], 50.0)
        self.assertEqual([p["radius"] for p in early["peak"]["psi4_through"]], [50.0, 60.0])
        for got, want in zip(early["peak"]["psi4_through"], found["peak"]["psi4_through"]):
            self.assertAlmostEqual(got["time"], want["time"], delta=2e-6)

    def test_what_is_missing(self):
        code, _, errors = command("remnant", Path(scratch.name) / "none")
        self.assertEqual((code, errors.count("\n")), (1, 1))
        self.assertIn("no such run folder", errors)
        bare = synthetic.write_run(Path(scratch.name) / "bare", WAVE, radii=(50.0, 60.0), energy=ENERGY, t_end=400.0)
        (bare / "horizons.asc").unlink()
        code, out, errors = command("remnant", bare, "--cutoff", 0.12)
        self.assertEqual(code, 0, errors)
        self.assertIn("no common horizon was found", out)
        self.assertNotIn("Balance", out)
        self.assertIn("next to its cut-off", out)
        self.assertNotIn("next to its cut-off", shown)


class Inspiral(unittest.TestCase):
    """The two holes before they merge: medians over the inspiral, not what is found inside the common horizon."""

    def table(self, before=100, after=8, chi=0.31, lost=5):
        """Columns of horizons.asc of hole 1: masses and spins that ring at first, are steady, and are wrong from the
        time `before' on, when there is a common horizon; in vain from `lost' searches after it."""
        t = np.arange(float(before + after))
        inside = np.maximum(t - before, 0)
        one = {"time": t, "horizon": 0 * t + 1, "found": (t < before + lost) + 0.0,
               "mass": 0.5 + 0.1 * np.exp(-t) + 1e-4 * np.sin(t) + 0.02 * inside,
               "chi": chi + np.exp(-t) - 0.01 * inside}
        common = {"time": t, "horizon": 0 * t + 3, "found": (t >= before) + 0.0, "mass": 0 * t + 0.95,
                  "chi": 0 * t + 0.7}
        for of in (one, common):
            of |= {"spin_x": 0 * t, "spin_y": 0 * t, "spin_z": of["chi"] * of["mass"] ** 2}
        one["mass"][one["found"] == 0] = np.nan
        order = np.argsort(np.concatenate([t, t]), kind="stable")
        return {name: np.concatenate([one[name], common[name]])[order] for name in one}

    def test_median_and_spread(self):
        table = self.table()
        got = hole.inspiral(table, 1)
        rows = (table["horizon"] == 1) & (table["time"] >= 9.9) & (table["time"] <= 89.1)
        low, middle, high = np.percentile(table["mass"][rows], [25, 50, 75])
        self.assertEqual((got.mass.value, got.mass.spread), (middle, (high - low) / 2))
        self.assertAlmostEqual(got.chi.value, 0.31, delta=1e-4)
        self.assertEqual((got.window, got.samples, got.lost), ((10.0, 89.0), 80, 105.0))

    def test_no_common_horizon(self):
        table = self.table(after=0)
        self.assertEqual((hole.inspiral(table, 1).window, hole.inspiral(table, 1).lost), ((10.0, 99.0), None))

    def test_lost_early_and_in_between(self):
        table = self.table()
        gone = (table["horizon"] == 1) & (((table["time"] > 20) & (table["time"] < 24)) | (table["time"] > 60))
        table["found"][gone] = 0
        table["chi"][gone] = np.nan
        got = hole.inspiral(table, 1)
        self.assertEqual((got.window, got.samples, got.lost), ((6.0, 54.0), 46, 61.0))
        self.assertAlmostEqual(got.chi.value, 0.31, delta=1e-3)

    def test_short(self):
        """The last row of a merger's stays where there are no others between the two tenths."""
        windows = [hole.inspiral(self.table(before=n), 1).window for n in (1, 2, 3)]
        self.assertEqual(windows, [(0.0, 0.0), (1.0, 1.0), (1.0, 1.0)])

    def test_none(self):
        table = self.table()
        self.assertIsNone(hole.inspiral(table, 2))
        self.assertIsNone(hole.inspiral(self.table(before=0), 1))

    def test_of_a_run(self):
        path = synthetic.write_run(Path(scratch.name) / "spinning", WAVE, radii=(60.0, 80.0), l_max=2, energy=ENERGY,
                                   t_end=400.0, chis=(0.31, 0.1))
        rows = np.loadtxt(path / "horizons.asc")
        names = synthetic.HORIZON
        inside = (rows[:, names.index("horizon")] < 3) & (rows[:, 1] >= 190)
        rows[inside, names.index("chi")] *= 0.24 / 0.31
        head = "".join(line for line in (path / "horizons.asc").read_text().splitlines(True) if line[0] == "#")
        with (path / "horizons.asc").open("w") as file:
            file.write(head)
            np.savetxt(file, rows, fmt="%.16e")
        code, out, errors = command("remnant", path, "--json", Path(scratch.name) / "spinning.json")
        self.assertEqual((code, errors), (0, ""))
        self.assertRegex(out, r"Holes in the inspiral, from their horizons: median and half the interquartile range\n"
                              r"  hole 1 +mass 0\.500000 \+- \S+ M, a/m 0\.31000 \+- \S+ +"
                              r"\(t = 19 to 170; lost at t = 194\)\n  hole 2 ")
        holes = json.loads((Path(scratch.name) / "spinning.json").read_text())["holes"]
        self.assertAlmostEqual(holes[0]["chi"]["value"], 0.31, places=12)
        self.assertEqual((holes[1]["lost"], holes[1]["window"]), (194.0, [19.0, 170.0]))


class OddModes(unittest.TestCase):
    def test_equally_great(self):
        t = np.linspace(0, 1, 3)
        wave = Waves("strain", t, {(2, 2): t + 0j, (3, -3): t * (1 + 1e-15) / 4 + 0j, (2, 1): t / 5 + 0j, (3, 3): t / 4 + 0j})
        found = remnant.odd_of(wave, (2, 2))
        self.assertEqual((found["mode"], round(found["ratio"], 12)), ((3, 3), 0.25))


class Signs(unittest.TestCase):
    """Spins along the orbit's angular momentum, against it, and with a direction of their own."""

    def test_of_a_spin(self):
        for spin, axis, sign in (((0, 0, 0.2), (0, 0, 1), 1), ((0, 0, -5e-4), (0, 0, 1), 1), ((0, 0, -0.2), (0, 0, 1), -1), ((0, 0, 0.2), (0, 0, -1), -1),
                                 ((0.01, 0, -0.2), (0, 0, 1), -1), ((0.1, 0, -0.2), (0, 0, 1), 1), ((0, -0.2, 0), (0, 1, 0), -1),
                                 ((0, 0, 0), (0, 0, 1), 1)):
            self.assertEqual(hole.sign(np.linalg.norm(spin), np.array(spin), np.array(axis)), sign, (spin, axis))

    def remnant(self, name, chis, remnant=(0.95, -0.1), **how):
        path = synthetic.write_run(Path(scratch.name) / name, WAVE, radii=(60.0, 80.0), l_max=2, energy=ENERGY, t_end=400.0,
                                   chis=chis, remnant=remnant, **how)
        code, out, errors = command("remnant", path, "--json", Path(scratch.name) / "signs.json")
        self.assertEqual((code, errors), (0, ""))
        return out, json.loads((Path(scratch.name) / "signs.json").read_text()), path

    def test_against_the_orbit(self):
        out, found, path = self.remnant("against", (-0.2, 0.1))
        self.assertRegex(out, r"hole 1 .* a/m -0\.20000 \+- ")
        self.assertRegex(out, r"hole 2 .* a/m 0\.10000 \+- ")
        self.assertIn("a/m below 0: against the orbit's angular momentum, along (0, 0, 1)", out)
        self.assertRegex(out, r"spin a/m +-0\.10000 .*vector \(0\.00000, 0\.00000, -0\.10000\)")
        self.assertEqual([h["chi"]["value"] for h in found["holes"]], [-0.2, 0.1])
        np.testing.assert_allclose(found["holes"][0]["chi_vector"], (0, 0, -0.2), atol=1e-15)
        self.assertAlmostEqual(found["horizon"]["chi"]["value"], -0.1, places=12)
        # Other commands about the same run.
        out = command("watch", path, "--once")[1]
        self.assertRegex(out, r"hole 1: 0\.50000 M, spin -0\.2000")
        self.assertRegex(out, r"common: 0\.95000 M, spin -0\.1000")
        folder = live.Live(path)
        self.assertIn("remnant 0.950000 M, spin -0.10000", page.about(folder))
        holes = show.hole_data(folder)
        self.assertEqual([float(holes.shown(k, "chi")[0]) for k in (1, 2)], [-0.2, 0.1])
        panel = next(p for p in html_panels.of_holes(holes) if p["title"] == "Spins of the horizons")
        self.assertEqual((panel["traces"][0]["y"][0], panel["y"]), (-0.2, "spin S / m², below 0 against the orbit"))

    def test_of_a_clockwise_orbit(self):
        """Along the orbit is along -z."""
        out, found, _ = self.remnant("clockwise", (-0.2, 0.1), momentum=-MOMENTUM)
        self.assertRegex(out, r"hole 1 .* a/m 0\.20000 \+- ")
        self.assertRegex(out, r"hole 2 .* a/m -0\.10000 \+- ")
        self.assertIn("along (0, 0, -1)", out)
        self.assertAlmostEqual(found["horizon"]["chi"]["value"], 0.1, places=12)

    def test_of_a_precessing_spin(self):
        """Its size and direction."""
        out, found, _ = self.remnant("tilted", ((0.3, 0.0, -0.4), 0.0))
        self.assertRegex(out, r"hole 1 .* a/m 0\.50000 \+- .*vector \(0\.30000, 0\.00000, -0\.40000\)")
        self.assertAlmostEqual(found["holes"][0]["chi"]["value"], 0.5, places=12)


class Horizon(unittest.TestCase):
    def test_average_and_drift(self):
        table = rows(0.95, 0.0)
        t = table["time"]
        table.update({"mass": 0.95 + 1e-5 * (t - 300), "spin_y": 0 * t + 0.3, "spin_z": 0 * t + 0.4, "centroid_x": 1e-3 * t})
        table["found"][-1] = 0
        left = hole.horizon(table, 1.0)
        self.assertEqual(left.window, (250.0, 299.0))
        self.assertAlmostEqual(left.mass.value, 0.95 - 25.5e-5)
        self.assertAlmostEqual(left.mass.drift, 49e-5)
        self.assertAlmostEqual(left.chi.value, 0.5 / 0.95**2, places=3)
        np.testing.assert_allclose(left.velocity, [1e-3, 0, 0], atol=1e-12)
        self.assertEqual((left.first_seen, left.first_mass), (100.0, 0.948))
        table["horizon"][:] = 1
        self.assertIsNone(hole.horizon(table, 1.0))


class Orbits(unittest.TestCase):
    def way(self, tilt=0.0, omega=0.05, end=300.0):
        t = np.arange(0.0, end)
        x = 4 * np.column_stack([np.cos(omega * t), np.cos(tilt) * np.sin(omega * t), np.sin(tilt) * np.sin(omega * t)])
        return t, [x, -x]

    def test_in_any_plane(self):
        turns = 0.05 * 299 / (2 * np.pi)
        for tilt, sense in ((0.0, 1), (1.2, 1), (np.pi, -1)):
            found = orbit.orbit(*self.way(tilt))
            self.assertAlmostEqual(found.orbits, sense * turns, places=12)
            self.assertEqual(found.end, 299)
        self.assertAlmostEqual(orbit.orbit(*self.way(np.pi / 2), 100.0).orbits, 0.05 * 100 / (2 * np.pi), places=12)

    def test_none(self):
        t, (x, _) = self.way()
        noise = 1e-3 * np.random.default_rng(3).standard_normal((len(t), 3))
        fall = np.outer(4 - 0.0133 * t, (0, 0.6, 0.8)) + noise
        self.assertIsNone(orbit.orbit(t, [fall, -fall], 290.0))
        self.assertIsNone(orbit.orbit(*self.way(omega=1e-3)))
        self.assertIsNone(orbit.orbit(t, [x]))

    def test_eccentricity(self):
        """That of the tracks, of whatever plane; whether there is a horizon does not matter."""
        t, d, angle = orbits.orbit(orbits.start(12, 1e-2, 1.0, 0.25), 0.25, 950.0)
        line = d[:, None] / 2 * np.column_stack([np.cos(angle), 0.6 * np.sin(angle), 0.8 * np.sin(angle)])
        run = mock.Mock(masses=(0.5, 0.5), chis=np.zeros((2, 3)), **{"tracks.return_value": (t, [line, -line]), "merger_time.return_value": None})
        found = remnant.eccentric(run)
        self.assertAlmostEqual(found["value"], 1e-2, delta=1e-3)
        self.assertAlmostEqual(found["of_frequency"], 8.5e-3, delta=1e-3)
        at = np.searchsorted(t, 72.0)
        now = mock.Mock(positions=(line[at], -line[at]), time=t[at])
        e, anomaly, why = metadata.eccentric(run, now)
        self.assertAlmostEqual(e, found["value"] * (d[at] / d[0]) ** (19 / 12), places=12)
        # Of phase 1 at first, from the apastron on.
        radial = eccentricity_run.of_run(run).radial_frequency
        self.assertLess(abs(np.exp(1j * (anomaly - 1 - np.pi - radial * t[at])) - 1), 0.15)
        self.assertEqual(why, "")
        run.merger_time.return_value = 400.0
        self.assertIn("radial periods", remnant.eccentric(run)["none"])
        self.assertIn("radial periods", metadata.eccentric(run, now)[2])


if __name__ == "__main__":
    unittest.main()
