"""What catalogues are told of a run, against what the run was made of; and what people add to it."""

import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tools"), str(Path(__file__).resolve().parent)]

import synthetic  # noqa: E402
from tendex.waves import fluxes, metadata, standard  # noqa: E402
from tendex.waves.modes import WaveError, Waves  # noqa: E402
from tendex.waves.run import Run  # noqa: E402

MASSES, CHIS, ENERGY, SEPARATION = (0.44, 0.66), (-0.2, 0.3), 1.08, 9.0


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
        self.assertEqual([h.mass for h in facts.holes], [0.66, 0.44])
        self.assertEqual([h.number for h in facts.holes], [2, 1])
        self.assertAlmostEqual(facts.mass, 1.1, places=14)
        for h, chi in zip(facts.holes, (0.3, -0.2)):
            np.testing.assert_allclose(h.chi, (0, 0, chi), atol=1e-14)
            np.testing.assert_allclose(h.reference_chi, (0, 0, chi), atol=1e-14)

    def test_orbit_at_the_reference_time(self):
        when = run.reference_time()
        (angle,), (omega,), _ = wave.orbit(np.array([when]))
        # The run's hole 1 is where the angle points; the heavier is the other.
        np.testing.assert_allclose(facts.line, (-np.cos(angle), -np.sin(angle), 0), atol=1e-6)
        np.testing.assert_allclose(facts.normal, (0, 0, 1), atol=1e-9)
        self.assertAlmostEqual(facts.omega / omega, 1, places=5)
        apart = facts.holes[0].reference_position - facts.holes[1].reference_position
        np.testing.assert_allclose(apart / np.linalg.norm(apart), facts.line, atol=1e-12)

    def test_remnant_and_merger(self):
        self.assertAlmostEqual(facts.remnant_mass, 1.04, places=12)
        np.testing.assert_allclose(facts.remnant_chi, (0, 0, 0.7), atol=1e-12)
        self.assertEqual(facts.common_horizon_time, 188.0)
        turns = (wave.orbit(188.0)[0] - wave.orbit(0.0)[0]) / (2 * np.pi)
        self.assertAlmostEqual(facts.orbits, turns, places=2)
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
        self.assertEqual(metadata.spacing_code(run, outer), "n12")
        outer.finite[-1].radius = 12.0
        self.assertEqual(metadata.spacing_code(run, outer), "n50")
        outer.finite[-1].radius = 500.0
        self.assertEqual(metadata.spacing_code(run, outer), "n0")


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
