"""The centre of mass of tracks, and what a run makes of waves whose source is not where the spheres are centred."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tools"), str(Path(__file__).resolve().parent)]
import synthetic  # noqa: E402
from tendex.waves.catalogues import catalogue  # noqa: E402
from tendex.waves.commands import cli, export  # noqa: E402
from tendex.waves.extraction import centre  # noqa: E402
from tendex.waves.extraction.standard import of_run  # noqa: E402
from tendex.waves.reading import wavefile  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402

PLACE = np.array([0.03, -0.05, 0.0])
AMPLITUDES = {(2, 2): 0.4, (2, 1): 0.013, (3, 3): 0.024}
SHAPE = {"amplitudes": AMPLITUDES, "rise": 30.0, "on": 0.0, "peak": 260.0}
MASSES = (0.55, 0.45)


class Tracks(unittest.TestCase):
    T = np.arange(50.0, 400.0, 2.0)

    def tracks(self, position, velocity, wrong=0.0):
        """Of an orbit that shrinks, one and a half turns; wrong: by how much of the separation they are off along and across."""
        phi, apart = 0.027 * self.T, 8 - self.T / 100
        line = apart[:, None] * np.column_stack([np.cos(phi), np.sin(phi), 0 * phi])
        beside = wrong * (line + 0.5 * np.column_stack([-line[:, 1], line[:, 0], 0 * phi]))
        middle = np.array(position) + np.outer(self.T, velocity) + beside
        return [middle + MASSES[1] * line, middle - MASSES[0] * line]

    def test_drift(self):
        position, velocity, left = centre.fitted(self.T, self.tracks((0.1, -0.2, 0.05), (1e-4, 2e-4, -3e-4)), MASSES)
        np.testing.assert_allclose(position, (0.1, -0.2, 0.05), atol=1e-12)
        np.testing.assert_allclose(velocity, (1e-4, 2e-4, -3e-4), atol=1e-14)
        self.assertLess(left, 1e-12)

    def test_epicycles_are_no_drift(self):
        position, velocity, _ = centre.fitted(self.T, self.tracks((0.1, 0, 0), (1e-4, 0, 0), 0.01), MASSES)
        np.testing.assert_allclose(position, (0.1, 0, 0), atol=1e-4)
        np.testing.assert_allclose(velocity, (1e-4, 0, 0), atol=1e-6)
        line = np.polyfit(self.T, sum(m * x[:, 0] for m, x in zip(MASSES, self.tracks((0.1, 0, 0), (1e-4, 0, 0), 0.01))), 1)
        self.assertGreater(abs(line[0] - 1e-4), 5e-5)


class OfARun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.scratch = Path(folder.name)
        cls.straight = synthetic.Chirp(**SHAPE)
        options = {"radii": (70.0, 100.0), "l_max": 3, "dt": 0.8, "t_end": 440.0, "masses": MASSES}
        cls.there = Run(synthetic.write_run(cls.scratch / "there", cls.straight, **options))
        wave = synthetic.Displaced(place=tuple(PLACE), l_max=3, **SHAPE)
        cls.run_off = Run(synthetic.write_run(cls.scratch / "off", wave, drift=(PLACE, np.zeros(3)), **options))
        cls.found = of_run(cls.run_off)

    def test_position(self):
        c = self.found.centre
        np.testing.assert_allclose(c.position, PLACE, atol=1e-9)
        np.testing.assert_allclose(c.velocity, 0, atol=1e-11)
        self.assertEqual(c.first, self.run_off.reference_time())
        self.assertAlmostEqual(c.last, 0.9 * self.run_off.merger_time(), delta=3.2)

    def test_modes_come_back(self):
        """(2,2) has gone into (2,1) and (3,3) by several %, and comes back to what way and integration leave alike of both."""
        other, off = of_run(self.there), of_run(self.run_off, centre="off")
        t = other.strain.t
        merger = np.abs(t - 260) < 15
        for lm, gone in (((2, 1), 0.05), ((3, 3), 0.05), ((2, 2), 1e-5)):
            exact = other.strain.mode(*lm)
            size = np.abs(exact)[merger].max()
            wrong = [np.abs(np.interp(t, w.strain.t, np.abs(w.strain.mode(*lm))) - np.abs(exact))[merger].max() / size
                     for w in (off, self.found)]
            self.assertGreater(wrong[0], gone)
            self.assertLess(wrong[1], min(0.1 * wrong[0] + 5e-5, 1e-2))
        self.assertLess(np.abs(self.found.strain.mode(3, 1)).max(), 0.1 * np.abs(off.strain.mode(3, 1)).max())
        self.assertLess(self.found.beats[1], 0.3 * self.found.beats[0])
        self.assertEqual((off.centre, off.beats), (None, None))
        # (3,3) is of the highest l that there is: nothing has come back to it from (4,4).
        near = np.abs(self.found.strain.t - 260) < 15
        lacks = [np.abs(self.found.error.difference("centre of mass, from l = 4", *lm)[0])[near].max() for lm in ((2, 2), (3, 3))]
        self.assertEqual(lacks[0], 0)
        self.assertGreater(lacks[1], 0.03)
        self.assertIs(other.strain, other.own.strain)

    def test_the_wrong_way_is_noted(self):
        wrong = Run(synthetic.write_run(self.scratch / "wrong", synthetic.Displaced(place=tuple(PLACE), l_max=3, **SHAPE), l_max=3, dt=0.8,
                                        radii=(70.0, 100.0), t_end=440.0, masses=MASSES, drift=(-PLACE, np.zeros(3))))
        self.assertRegex(of_run(wrong).notes[-1], r"makes \(2,1\) and \(3,3\) beat more with \(2,2\), [12][.\d]* times: .*--centre off")

    def test_the_error_has_what_drift_is_not_straight(self):
        bent = Run(synthetic.write_run(self.scratch / "bent", self.straight, l_max=3, radii=(70.0, 100.0), t_end=440.0, dt=0.8,
                                       masses=MASSES, drift=(np.zeros(3), np.array([2e-4, 0, 0]))))
        made = of_run(bent)
        self.assertLess(made.error.difference("centre of mass, late half", 2, 1)[0][np.abs(made.strain.t - 260) < 5].max(), 1e-3)
        lines = (bent.path / "puncturetracker-pt_loc..asc").read_text().splitlines()
        rows = [line if line.startswith("#") else line.split() for line in lines]
        for row in rows:
            if isinstance(row, list):
                row[22] = repr(float(row[22]) + 1e-6 * float(row[8]) ** 2)
        (bent.path / "puncturetracker-pt_loc..asc").write_text("\n".join(r if isinstance(r, str) else " ".join(r) for r in rows) + "\n")
        made = of_run(Run(bent.path))
        self.assertGreater(np.nanmax(np.abs(made.error.difference("centre of mass, late half", 2, 1)[0])), 3e-3)

    def test_few_orbits(self):
        run = Run(synthetic.write_run(self.scratch / "short", synthetic.Chirp(on=0.0, peak=120.0), l_max=2, radii=(60.0, 80.0), dt=0.8,
                                      t_end=300.0))
        made = of_run(run)
        self.assertIsNone(made.centre)
        self.assertRegex(made.notes[-1], "as it is: its drift takes 1 orbit .*, and there are 0.[0-9]")

    def test_files(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(cli.main(["extrapolate", str(self.run_off.path), "--json", str(self.scratch / "x.json")]), 0)
        self.assertIn("Frame of the centre of mass: at (0.0300, -0.0500, 0.0000) M at t = 0", out.getvalue())
        np.testing.assert_allclose(json.loads((self.scratch / "x.json").read_text())["centre"]["at_peak"], PLACE, atol=1e-8)
        file = self.run_off.path / "analysis" / "extrapolated.h5"
        with h5py.File(file) as h:
            np.testing.assert_allclose(h.attrs["space_translation"], PLACE, atol=1e-9)
        synthetic.assert_same(wavefile.read(file).mode(2, 1), self.found.strain.mode(2, 1))
        export.export(self.run_off, ["sxs", "lvcnr"], self.scratch / "out")
        folder = self.scratch / "out" / "sxs"
        known = json.loads((folder / "metadata.json").read_text())["center_of_mass"]
        np.testing.assert_allclose(known["space_translation"], PLACE, atol=1e-9)
        with h5py.File(self.scratch / "out" / "lvcnr" / "off.h5") as h:
            np.testing.assert_allclose(h["auxiliary-info"].attrs["space_translation"], PLACE, atol=1e-9)
        off = of_run(self.run_off, centre="off").strain
        for name, wave in (("rhOverM_Asymptotic_GeometricUnits.h5", off), ("rhOverM_Asymptotic_GeometricUnits_CoM.h5", self.found.strain)):
            with h5py.File(folder / name) as h:
                group = h["Perturbative.dir"]
                synthetic.assert_same(group["Y_l2_m1.dat"][:, 1] + 1j * group["Y_l2_m1.dat"][:, 2], wave.mode(2, 1))
                self.assertEqual("space_translation" in group.attrs, name.endswith("_CoM.h5"))
        synthetic.assert_same(catalogue.load(folder).mode(2, 1), self.found.strain.mode(2, 1))


if __name__ == "__main__":
    unittest.main()
