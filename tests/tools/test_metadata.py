"""What catalogues are told of a run, against what the run was made of; and what people add to it."""

import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tools"), str(Path(__file__).resolve().parent)]

import orbits  # noqa: E402
import synthetic  # noqa: E402
from tendex.waves.catalogues import lvcnr_motion, metadata  # noqa: E402
from tendex.waves.extraction import standard  # noqa: E402
from tendex.waves.inspiral import initial_orbit  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402
from tendex.waves.signal import fluxes  # noqa: E402
from tendex.waves.signal.modes import WaveError, Waves  # noqa: E402

# The heavier hole is the run's second; M is not the run's unit.
MASSES, CHIS, ENERGY, SEPARATION, MASS = (0.44, 0.66), (-0.2, 0.3), 1.08, 9.0, 1.1


def setUpModule():
    global temporary, wave, run, facts
    temporary = tempfile.TemporaryDirectory(prefix="tendex-metadata-")
    unittest.addModuleCleanup(temporary.cleanup)
    wave = synthetic.Chirp()
    run = Run(synthetic.write_run(Path(temporary.name) / "run", wave, masses=MASSES, chis=CHIS, energy=ENERGY, l_max=2,
                                  separation=SEPARATION, remnant=(1.04, 0.7), common=188.0))
    facts = metadata.facts(run, standard.of_run(run))


class Facts(unittest.TestCase):
    def test_heavier_first(self):
        np.testing.assert_allclose([h.mass for h in facts.holes], [0.6, 0.4], rtol=1e-14)
        self.assertEqual([h.number for h in facts.holes], [2, 1])
        self.assertAlmostEqual(facts.unit_of_mass, MASS, places=14)
        for h, chi in zip(facts.holes, (0.3, -0.2)):
            np.testing.assert_allclose(h.chi, (0, 0, chi), atol=1e-14)
            np.testing.assert_allclose(h.reference_chi, (0, 0, chi), atol=1e-14)

    def test_orbit_at_the_reference_time(self):
        when = run.reference_time()
        (angle,), (omega,), _ = wave.orbit(np.array([when]))
        # The run's hole 1 is where the angle points; the heavier is the other.
        np.testing.assert_allclose(facts.line, (-np.cos(angle), -np.sin(angle), 0), atol=1e-6)
        np.testing.assert_allclose(facts.normal, (0, 0, 1), atol=1e-9)
        self.assertAlmostEqual(facts.reference_time, when / MASS, places=12)
        self.assertAlmostEqual(facts.omega / (MASS * omega), 1, places=5)
        apart = facts.holes[0].reference_position - facts.holes[1].reference_position
        np.testing.assert_allclose(apart / np.linalg.norm(apart), facts.line, atol=1e-12)

    def test_remnant_and_merger(self):
        self.assertAlmostEqual(facts.remnant_mass, 1.04 / MASS, places=12)
        np.testing.assert_allclose(facts.remnant_chi, (0, 0, 0.7), atol=1e-12)
        self.assertAlmostEqual(facts.common_horizon_time, 188.0 / MASS, places=12)
        for found, start in ((facts.orbits, 0.0), (facts.later_orbits, run.reference_time())):
            self.assertAlmostEqual(found, (wave.orbit(188.0)[0] - wave.orbit(start)[0]) / (2 * np.pi), delta=0.01)
        # Modes of l = 2, m = +-2 alone carry no momentum.
        self.assertLess(np.abs(facts.remnant_velocity).max(), 1e-9)

    def test_velocity(self):
        """Against the momentum of the exact waves, which the hole does not have."""
        kicking = synthetic.Chirp({(2, 2): 0.6, (3, 3): 0.15, (2, 1): 0.1})
        radii = (100.0, 120.0, 150.0, 180.0)
        folder = Run(synthetic.write_run(Path(temporary.name) / "kick", kicking, radii, energy=0.99, l_max=3,
                                         t_end=450.0, remnant=(0.95, 0.7)))
        got = metadata.facts(folder, standard.of_run(folder)).remnant_velocity
        u = np.arange(folder.reference_time(), 300.0, 0.1)
        exact = Waves("strain", u, {lm: kicking.strain(u, *lm) for lm in synthetic.modes(3)})
        wanted = -fluxes.of_strain(exact).total()[4:7] / 0.95
        self.assertGreater(np.linalg.norm(wanted), 1e-5)
        self.assertLess(np.linalg.norm(got - wanted), 0.2 * np.linalg.norm(wanted))

    def test_kind(self):
        self.assertEqual(facts.kind, "aligned-spins")
        still = [replace(h, reference_chi=np.zeros(3)) for h in facts.holes]
        self.assertEqual(replace(facts, holes=tuple(still)).kind, "non-spinning")
        tilted = (replace(facts.holes[0], reference_chi=np.array([0.1, 0, 0.2])), facts.holes[1])
        self.assertEqual(replace(facts, holes=tilted).kind, "precessing")

    def test_without_horizons_and_tracks(self):
        bare = synthetic.write_run(Path(temporary.name) / "bare", wave, masses=MASSES, chis=CHIS, energy=ENERGY,
                                   l_max=2)
        (bare / "horizons.asc").unlink()
        (bare / "puncturetracker-pt_loc..asc").unlink()
        with (bare / "run.yaml").open("a") as file:
            file.write("\nevolution:\n  system: z4c\n")
        bare = Run(bare)
        got = metadata.facts(bare, standard.of_run(bare))
        self.assertEqual((facts.system, got.system), ("BSSN", "Z4c"))
        for name in ("eccentricity", "mean_anomaly", "orbits", "common_horizon_time", "remnant_mass", "remnant_chi",
                     "remnant_velocity"):
            self.assertIsNone(getattr(got, name), name)
        self.assertIn("tracks of 0 punctures", got.eccentricity_note)
        np.testing.assert_allclose(got.line, (-1, 0, 0), atol=1e-14)
        np.testing.assert_allclose(got.normal, (0, 0, 1), atol=1e-14)

    def test_directions_of_a_collision(self):
        t = np.arange(40.0)
        fall = np.outer(10 - 0.1 * t, (0, 0, 1.0))
        _, _, normal, rate = metadata.motion(t, [fall, -fall], 20.0)
        self.assertEqual(rate, 0)
        self.assertAlmostEqual(normal @ (0, 0, 1), 0, places=14)
        self.assertAlmostEqual(np.linalg.norm(normal), 1, places=14)
        self.assertIsNone(metadata.motion(t, [fall, -fall], 50.0))

    def test_spacing(self):
        grid = "# Octants\n# 1:time 2:level 3:x 4:y 5:z 6:size\n0 3 0 0 0 16\n0 2 64 0 0 64\n"
        (run.path / "grid.asc").write_text(grid)
        run.summary["octant_points"] = 8
        outer = type("Made", (), {"finite": [type("Wave", (), {"radius": 100.0})()]})()
        self.assertEqual(metadata.spacing_code(run, outer, 1.0), "n12")
        outer.finite[-1].radius = 12.0
        self.assertEqual(metadata.spacing_code(run, outer, 1.0), "n50")
        outer.finite[-1].radius = 500.0
        self.assertEqual(metadata.spacing_code(run, outer, 1.0), "n0")
        outer.finite[-1].radius = 12.0
        self.assertEqual(metadata.spacing_code(run, outer, 1.1), "n55")


class Masses(unittest.TestCase):
    """Those of horizons, which grow as junk radiation falls in, and of punctures where there are none."""

    START, THEN = (0.445, 0.663), (0.4455, 0.6645)

    def run_of(self, name, **how):
        return Run(synthetic.write_run(Path(temporary.name) / name, wave, (60.0, 90.0), masses=MASSES, chis=CHIS, energy=ENERGY, l_max=2,
                                       horizons=tuple(zip(self.START, self.THEN)), **how))

    def edit(self, run, change):
        """Rows of horizons.asc, of which change(rows) keeps some."""
        file = run.path / "horizons.asc"
        head, rows = file.read_text().splitlines()[:2], np.loadtxt(file)
        np.savetxt(file, change(rows), header="\n".join(line[2:] for line in head), comments="# ")

    def facts(self, run):
        return metadata.facts(run, standard.of_run(run))

    def test_of_horizons(self):
        got = self.facts(self.run_of("grown"))
        mass = sum(self.THEN)
        self.assertAlmostEqual(got.unit_of_mass / mass, 1, places=6)
        for h, start, then, chi in zip(got.holes, self.START[::-1], self.THEN[::-1], CHIS[::-1]):
            self.assertAlmostEqual(h.mass, start / got.unit_of_mass, places=12)
            self.assertAlmostEqual(h.reference_mass, then / mass, places=5)
            np.testing.assert_allclose((h.chi, h.reference_chi), [(0, 0, chi)] * 2, atol=1e-12)
        self.assertAlmostEqual(sum(h.reference_mass for h in got.holes), 1, places=14)
        self.assertEqual((got.mass_notes, {h.source for h in got.holes}), ([], {"horizon"}))

    def test_of_punctures(self):
        """One horizon that was never found, and one that was found late."""
        run = self.run_of("unseen")
        self.edit(run, lambda rows: rows[(rows[:, 2] != 1) & ((rows[:, 2] != 2) | (rows[:, 1] >= 5))])
        got = self.facts(run)
        heavy, light = got.holes
        self.assertAlmostEqual(got.unit_of_mass, MASSES[0] + self.THEN[1], places=5)
        self.assertEqual((heavy.source, light.source), ("horizon", "puncture"))
        self.assertAlmostEqual(light.mass, MASSES[0] / got.unit_of_mass, places=12)
        self.assertRegex("\n".join(got.mass_notes), r"hole 1 of the run at t = 0: no horizon found: ADM mass .*\n"
                         r"hole 2 of the run at t = 0: of the nearest horizon found, at the run's t = 5\n"
                         r"hole 1 of the run at the reference time: no horizon found")
        self.assertIn(got.mass_notes[0], got.masses_and_spins)

    def test_equal(self):
        """Round-off and junk do not tell which of equal holes is the heavier."""
        run = Run(synthetic.write_run(Path(temporary.name) / "equal", wave, (60.0, 90.0), energy=0.99, l_max=2,
                                      horizons=((0.5, 0.5), (0.5, 0.5 + 2e-6))))
        self.assertEqual([h.number for h in self.facts(run).holes], [1, 2])

    def spins(self, run, times, high=1.025):
        """As if at these times the spin of the run's hole 2 was that of coordinate rotations, in sheared coordinates."""
        def change(rows):
            of = (rows[:, 2] == 2) & np.isin(rows[:, 1], times)
            rows[of, 5:9] *= high
            return rows
        self.edit(run, change)
        t = np.arange(0.0, 200.0)
        (run.path / "horizons").mkdir()
        np.savetxt(run.path / "horizons/ah2.spin.asc", np.column_stack([t, t, np.isin(t, times), *np.zeros((6, len(t)))]),
                   fmt=["%d", "%.16e", "%d"] + ["%.16e"] * 6)

    def test_spins_by_rotations(self):
        """Are taken where there are no others; else those by Killing vectors beside them."""
        for name, times, chi, source in (("some", np.arange(20.0, 60.0), 0.3, "horizon"),
                                         ("all", np.arange(0.0, 200.0), 0.3 * 1.025, "coordinate rotations")):
            run = self.run_of(name)
            self.spins(run, times)
            got = self.facts(run)
            self.assertIn(run.reference_time(), times)
            self.assertAlmostEqual(got.holes[0].reference_chi[2], chi, places=6)
            self.assertEqual(got.holes[0].source, source)
            self.assertEqual(sum("spin by coordinate rotations" in note for note in got.mass_notes), 2 * (name == "all"))
            over_time = lvcnr_motion.horizons(run, got, 10.0)
            t, chi = over_time["spin1z-vs-time"]
            np.testing.assert_allclose(chi, 0.3 * 1.025 if name == "all" else 0.3, rtol=1e-9)
            self.assertEqual(len(np.intersect1d(t, times)) > 0, name == "all")


class InitialOrbit(unittest.TestCase):
    """The frequency at t = 0 of known orbits, of any eccentricity."""

    def of(self, state, q, chis=((0, 0, 0), (0, 0, 0)), scale=1.0, turn=np.eye(3)):
        r, radial, tangential = state
        m = np.array([q, 1]) / (1 + q)
        p = m[0] * m[1] * turn @ [radial, tangential, 0.0]
        places = [scale * r * x * turn[:, 0] for x in (m[1], -m[0])]
        return initial_orbit.frequency(scale * m, np.asarray(chis) @ turn.T, places, (scale * p, -scale * p)) * scale

    def test_planned_orbits(self):
        """Momenta of tests/unit/test_quasi_circular.c, and the frequencies that `tendex new' gives for them: q heavier over lighter,
        spins of the lighter and of the heavier hole."""
        for q, r, light, heavy, p_t, omega in ((1.5, 10.8, -0.6, 0.6, 0.0868556558764586, 0.024820699658729736),
                                               (8, 11, 0.5, 0.5, 0.0345503689803291, 0.023858112113968977),
                                               (4, 11, -0.8, 0.8, 0.0558077537453816, 0.02392546272802)):
            for ratio, chis in ((1 / q, (light, heavy)), (q, (heavy, light))):
                nu = q / (1 + q) ** 2
                self.assertAlmostEqual(self.of((r, 0.0, p_t / nu), ratio, [(0, 0, chi) for chi in chis]) / omega, 1, places=12)

    def test_known_orbits(self):
        for r, q, bound in ((12, 1, 2e-3), (12, 4, 2e-3), (9, 1, 6e-3), (9, 0.25, 6e-3)):
            nu = q / (1 + q) ** 2
            states = [(r, 0.0, orbits.circular(orbits.third, r, nu) / r)]
            states += [orbits.turning(r, 0.1, phase, nu) for phase in (0.0, np.pi / 2, np.pi)]
            for state in states:
                exact = orbits.slopes(orbits.third, state[0], state[1], state[0] * state[2], nu)[2]
                self.assertLess(abs(self.of(state, q) / exact - 1), bound, (r, q, state))

    def test_radial_momenta(self):
        """Far out, where second order is exact enough, a radial momentum of 0.1 of the reduced mass slows the orbit by 0.13%."""
        r, L, nu = 400.0, 20.0, 0.25
        found, still = (initial_orbit.by_momentum(r, p_r, L, nu) for p_r in (0.1, 0.0))
        self.assertAlmostEqual(found / orbits.slopes(orbits.third, r, 0.1, L, nu)[2], 1, delta=1e-5)
        self.assertGreater(abs(found / still - 1), 1e-3)

    def test_other_units_and_axes(self):
        state, chis = (8.0, -2e-3, 0.4), ((0.1, 0.2, 0.3), (-0.4, 0.1, 0.2))
        turn = Rotation.from_euler("zyx", (0.4, 1.0, 2.0)).as_matrix()
        self.assertAlmostEqual(self.of(state, 2, chis, 1.7, turn), self.of(state, 2, chis), places=14)

    def test_none(self):
        self.assertEqual(self.of((10.0, -0.1, 0.0), 1), 0.0)
        self.assertIsNone(initial_orbit.frequency((0.5, 0.5), np.zeros((2, 3)), np.array([[1.1, 0, 0], [-1.1, 0, 0]]),
                                                  np.array([[0, 0.3, 0], [0, -0.3, 0]])))


class User(unittest.TestCase):
    def file(self, text):
        path = Path(temporary.name) / "meta.txt"
        path.write_text(text)
        return path

    def test_file_and_settings(self):
        values, missing = metadata.user(self.file('# ours\nauthors = A. B., C. D.\nemail = a@b.c\nname="x = y"\n'),
                                        ["email=d@e.f", "license = CC BY 4.0"])
        self.assertEqual((values["authors"], values["email"], values["license"], values["name"]),
                         ("A. B., C. D.", "d@e.f", "CC BY 4.0", "x = y"))
        self.assertEqual(missing, ["group"])

    def test_nothing_given(self):
        values, missing = metadata.user()
        self.assertEqual(values, metadata.DEFAULTS)
        self.assertEqual(missing, list(metadata.NEEDED))

    def test_refusals(self):
        for text, settings, words in (("name x\n", [], r"meta.txt: line 1: 'name x' is not `key = value'"),
                                      ("\ncolour = red\n", [], "meta.txt: line 2: 'colour' is no key; there are name,"),
                                      ("", ["production-run=yes"], "production-run = 'yes': is 1, or 0"),
                                      ("", ["name"], "--set: 'name' is not `key = value'")):
            with self.assertRaisesRegex(WaveError, words):
                metadata.user(self.file(text), settings)
        with self.assertRaisesRegex(WaveError, "nowhere.txt: No such file"):
            metadata.user(Path(temporary.name) / "nowhere.txt")
        (Path(temporary.name) / "meta.txt").write_bytes(b"\xff\xfe\xff")
        with self.assertRaisesRegex(WaveError, "meta.txt: line 1: byte 0xff is not UTF-8"):
            metadata.user(Path(temporary.name) / "meta.txt")


if __name__ == "__main__":
    unittest.main()
