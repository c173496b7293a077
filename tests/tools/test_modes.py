"""The modes that the parts of tendex-waves share."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.waves.signal.modes import WaveError, Waves, phase  # noqa: E402

T = np.linspace(0.0, 10.0, 101)


def turning(kind="psi4", mass=1.0):
    return Waves(kind, T, {(2, 2): 3 * np.exp(-2j * T), (2, 0): 4 + 0 * T + 0j}, radius=50.0, areal=51.0, mass=mass,
                 label="here")


class Members(unittest.TestCase):
    def test_a_missing_mode_is_named(self):
        with self.assertRaisesRegex(WaveError, "here: no mode l = 3, m = 1; there are l = 2 to 2"):
            turning().mode(3, 1)

    def test_times_must_increase(self):
        with self.assertRaisesRegex(WaveError, "times must increase"):
            Waves("psi4", T[::-1], {(2, 2): T + 0j})

    def test_lengths_must_agree(self):
        with self.assertRaisesRegex(WaveError, "has 100 values, but there are 101"):
            Waves("psi4", T, {(2, 2): T[1:] + 0j})

    def test_impossible_modes(self):
        for l, m in ((1, 1), (2, 3)):
            with self.assertRaisesRegex(WaveError, f"no mode l = {l}, m = {m}"):
                Waves("psi4", T, {(l, m): T + 0j})

    def test_unknown_kind(self):
        with self.assertRaises(ValueError):
            Waves("psi3", T, {(2, 2): T + 0j})


class Values(unittest.TestCase):
    def test_geometric_units(self):
        # r psi4 is 1/M, r news has no unit, r h is M.
        for kind, scale in (("psi4", 2.0), ("news", 1.0), ("strain", 0.5)):
            g = turning(kind, mass=2.0).geometric()
            self.assertAlmostEqual(abs(g.mode(2, 2)[5]), 3 * scale)
            self.assertAlmostEqual(g.t[-1], 5.0)
            self.assertEqual((g.radius, g.areal, g.mass), (25.0, 25.5, 1.0))

    def test_cut_keeps_both_ends(self):
        part = turning().cut(T[10], T[20])
        self.assertEqual(len(part.t), 11)
        self.assertEqual(part.mode(2, 2)[0], turning().mode(2, 2)[10])

    def test_total(self):
        np.testing.assert_allclose(turning().total(), 5.0, rtol=1e-15)

    def test_phase_falls_continuously(self):
        np.testing.assert_allclose(phase(turning().mode(2, 2)), -2 * T, atol=1e-12)


if __name__ == "__main__":
    unittest.main()
