"""Runs in other units: the same waves, tracks and horizons with all masses times 4 give the same numbers in units of M."""

import contextlib
import io
import json
import shutil
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import orbits  # noqa: E402
import quick_plots  # noqa: E402, F401
import rescaled  # noqa: E402
import synthetic  # noqa: E402
from tendex.physics import orbit  # noqa: E402
from tendex.waves.commands import cli, movie, show  # noqa: E402
from tendex.waves.comparison import resolutions  # noqa: E402
from tendex.waves.extraction import standard  # noqa: E402
from tendex.waves.holes import hole  # noqa: E402
from tendex.waves.inspiral import eccentricity_fit, eccentricity_momenta, eccentricity_run  # noqa: E402
from tendex.waves.pictures import html  # noqa: E402
from tendex.waves.reading import live, slices  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal.modes import Waves  # noqa: E402

FACTOR = 4
# The common horizon is seen for little longer than it rings.
WAVE = synthetic.Chirp(amplitudes={(2, 2): 0.6, (3, 3): 0.05}, slow=0.08, on=15.0, switch=6.0, peak=180.0)
RUN = {"wave": WAVE, "radii": (40.0, 60.0, 80.0), "t_end": 350.0, "dt": 0.5, "l_max": 3, "chis": (-0.2, 0.1), "common": 300.0,
       "shrink": 0.1, "drift": ((0.02, 0.0, 0.0), (1e-4, 0.0, 0.0))}

# Powers of mass of the numbers of each command, by name; all others have no unit.
LENGTHS = ("adm_energy", "mass", "masses", "areal", "radius", "radii", "first_seen", "first_mass", "window", "common_horizon",
           "peak_of_strain", "orbits_until", "junk_until", "lost", "E", "P", "used", "momentum", "kinetic_energy", "irreducible")
REMNANT = {**{name: 1 for name in LENGTHS}, "J": 2, "adm_angular_momentum": 2, "spin": 2, "cutoff": -1, "flux_cutoff": -1,
           "omega": -1, "omega_interval": -1, "omega_error": -1, "starts_after_peak": 1, "mass_error": 1, "exact": -1, "height": -1, "time": 1, "frequency": -1, "ratio": 0, "each": 0, "mode": 0}
POWERS = {
    "strain": {"mass": 1, "cutoff": -1, "orbital_frequency": -1},
    "extrapolate": {"mass": 1, "radii": 1, "cutoff": -1, "position": 1, "from": 1, "to": 1, "rest": 1, "at_peak": 1, "near_zone": 1},
    "remnant": REMNANT,
}


def command(*arguments):
    """(output, errors) of a command of tendex-waves that ends well."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main([str(a) for a in arguments])
    assert code == 0, err.getvalue()
    return out.getvalue(), err.getvalue()


def setUpModule():
    global scratch, small, big
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    scratch = Path(folder.name)
    small = synthetic.write_run(scratch / "small" / "run", **RUN)
    big = rescaled.write(small, scratch / "big" / "run", FACTOR)


class Commands(unittest.TestCase):
    def assert_alike(self, name, tolerance=1e-9, without=()):
        """JSON of a command about the run in one unit and in the other."""
        found = []
        for folder in (small, big):
            command(name, folder, "--json", scratch / "numbers.json")
            numbers = json.loads((scratch / "numbers.json").read_text())
            found.append({key: value for key, value in numbers.items() if key not in without})
        self.assertEqual(rescaled.differences(*found, FACTOR, POWERS[name], tolerance), [])
        return found[0]

    def test_strain(self):
        self.assert_alike("strain", tolerance=0)

    def test_extrapolate(self):
        found = self.assert_alike("extrapolate")
        self.assertNotEqual(found["centre"]["position"][0], 0)

    def test_remnant(self):
        """Also where the mean over the horizon begins after it has rung."""
        found = self.assert_alike("remnant", without=("eccentricity",))  # too short for one: the reason has times in it
        self.assertEqual(found["horizon"]["window"][0], RUN["common"] + hole.SETTLES)
        self.assertEqual([h["chi"]["value"] for h in found["holes"]], [-0.2, 0.1])

    def test_compare(self):
        command("compare", small, big, "--json", scratch / "numbers.json")
        found = json.loads((scratch / "numbers.json").read_text())
        self.assertLess(found["modes"]["2,2"]["mismatch_flat"], 1e-13)
        self.assertLess(found["modes"]["2,2"]["all"]["phase_max"], 1e-6)
        self.assertEqual(found["a"]["begins"], found["b"]["begins"])

    def test_lvcnr(self):
        """Formats in units of M have the same numbers."""
        files = []
        for folder in (small, big):
            files.append(folder / "lvcnr.h5")
            command("export", folder, "--format", "lvcnr", "-o", files[-1])
        with h5py.File(files[0], "r") as a, h5py.File(files[1], "r") as b:
            for name, value in a.attrs.items():
                if name != "name" and not isinstance(value, str):
                    np.testing.assert_allclose(b.attrs[name], value, rtol=1e-9, atol=1e-12, err_msg=name)
            for name in ("NRTimes", "amp_l2_m2/Y", "phase_l3_m3/Y", "Omega-vs-time/Y", "spin1z-vs-time/Y"):
                np.testing.assert_allclose(b[name], a[name], rtol=1e-9, atol=1e-12, err_msg=name)


class WithoutHorizons(unittest.TestCase):
    """What the tools do where there is neither a common horizon nor an orbit."""

    def runs(self, tracks):
        found = []
        for name, old in (("small", small), ("big", big)):
            new = Path(tempfile.mkdtemp(dir=scratch)) / name
            shutil.copytree(old, new)
            (new / "horizons.asc").unlink()
            t, punctures = tracks
            factor = FACTOR if old is big else 1
            synthetic._write_tracks(new, factor * t, [factor * x for x in punctures])
            found.append(Run(new))
        return found

    def falling(self):
        t = np.arange(0.0, 351.0)
        line = np.outer(4 * np.clip(1 - t / 200, 0, None) ** 0.6, (1.0, 0, 0))
        return t, [line, -line]

    def test_cutoff(self):
        """That of waves without an orbit is from a spectrum, whose ends are tapered: of junk at the start nothing is seen."""
        one, two = self.runs(self.falling())
        for run, factor in ((one, 1), (two, FACTOR)):
            with h5py.File(run.path / "waves/mp_psi4.h5", "a") as file:
                rows = file[f"l2_m2_r{80 * factor:.2f}"]
                rows[:, 1] += 0.1 * factor**-2 * np.exp(-rows[:, 0] / factor)
        cutoffs = [standard.default_cutoff(run, run.spheres()) for run in (one, two)]
        self.assertEqual(cutoffs[0], FACTOR * cutoffs[1])

    def test_merger(self):
        one, two = self.runs(self.falling())
        self.assertEqual(two.merger_time(), FACTOR * one.merger_time())
        self.assertLess(one.merger_time(), 200)
        self.assertEqual(two.reference_time(), FACTOR * one.reference_time())

    def test_orbits(self):
        t = np.arange(0.0, 351.0)
        line = (4 * np.exp(-t / 100))[:, None] * np.column_stack([np.cos(0.1 * t), np.sin(0.1 * t), 0 * t])
        found = [orbit.orbit(f * t, [f * line, -f * line], mass=float(f)) for f in (1, FACTOR)]
        self.assertEqual((found[1].orbits, found[1].end), (found[0].orbits, FACTOR * found[0].end))

    def test_masses_of_parameters(self):
        """Where there is no TwoPunctures.bbh, as of three holes."""
        for folder in (small, big):
            new = Path(tempfile.mkdtemp(dir=scratch)) / "run"
            shutil.copytree(folder, new)
            (new / "TwoPunctures.bbh").unlink()
            self.assertEqual(live.Live(new).mass, 1.0 if folder is small else FACTOR)


class Parts(unittest.TestCase):
    def test_eccentricity(self):
        t, d, angle = orbits.orbit(orbits.start(12, 1e-2, 1.0, 0.25), 0.25, 950.0)
        line = d[:, None] / 2 * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
        found = []
        for f in (1.0, FACTOR):
            fit = eccentricity_fit.fit(f * t, [f * line, -f * line], (0.5 * f, 0.5 * f))
            momenta = [np.array([0, 0.08 * f, 0]), np.array([0, -0.08 * f, 0])]
            new = eccentricity_momenta.correct(fit, (0.5 * f, 0.5 * f), [f * line[0], -f * line[0]], momenta)
            found.append({**eccentricity_run.of_tracks(fit), "change": [new.change_tangential, new.change_radial]})
        powers = {"window": 1, "separation": 1, "frequency": -1, "radial_frequency": -1, "acceleration": -1, "change": 1}
        one, two = (json.loads(json.dumps(x)) for x in found)
        self.assertEqual(rescaled.differences(one, two, FACTOR, powers, 1e-6), [])

    def test_convergence(self):
        t, found = np.arange(0.0, 260.0, 0.5), []
        for f in (1.0, FACTOR):
            waves = [Waves("strain", f * t, {(2, 2): f * replace(WAVE, peak=180 + 50 * h**4).strain(t, 2, 2)}, mass=f)
                     for h in (0.5, 0.4, 0.3)]
            made = resolutions.compare((0.5 * f, 0.4 * f, 0.3 * f), waves, 60 * f)
            found.append({"peak": made.peak, "errors": resolutions.errors(made.h, made.peak, made.before[2, 2])})
        self.assertEqual(rescaled.differences(*json.loads(json.dumps(found)), FACTOR, {"peak": 1, "from": 1}, 1e-6), [])

    def test_pages(self):
        """Series of a page; ends of its axes."""
        one, two = ({"panels": html.panels(show.make(live.Live(folder))[0], lambda of, *args: of(*args))} for folder in (small, big))
        for panel, other in zip(one["panels"], two["panels"]):
            self.assertEqual(panel["title"].replace(" 80 ", " 320 "), other["title"])
            power = 0 if panel["title"] == "Constraints" else 1
            for a, b in zip(panel["traces"], other["traces"]):
                if a["type"] == "scatter" and "Tracks" not in panel["title"]:
                    np.testing.assert_allclose(np.array(b["x"], float), FACTOR * np.array(a["x"], float), rtol=1e-5, err_msg=panel["title"])
            if panel.get("x_range"):
                np.testing.assert_allclose(other["x_range"], FACTOR * np.array(panel["x_range"]), rtol=1e-6)

    def test_movie(self):
        found = []
        for folder, extent in ((small, 64.0), (big, FACTOR * 64.0)):
            synthetic.write_slices(folder, [0.0], {"alpha": lambda x, y, z, t: 0 * (x + y)}, extent=extent)
            one, _ = slices.found(folder)
            found.append(movie.reach(live.Live(folder), one, "alpha", "z"))
        self.assertEqual(found[1], FACTOR * found[0])


if __name__ == "__main__":
    unittest.main()
