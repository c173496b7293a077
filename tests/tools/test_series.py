"""Series behind the plots of a run, against closed forms."""

import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.waves.commands import show  # noqa: E402
from tendex.waves.signal import series  # noqa: E402
from tendex.waves.signal.modes import Waves  # noqa: E402


class Frequency(unittest.TestCase):
    t = np.arange(0.0, 200.0, 0.1)

    def test_of_a_mode_that_turns(self):
        for omega in (0.3, -0.3):
            decay = np.exp(-0.05 * self.t)
            found = series.frequency(self.t, decay * np.exp(-1j * omega * self.t))
            heard = decay > series.AUDIBLE
            self.assertTrue(found.turning)
            np.testing.assert_allclose(found.omega[heard], omega, rtol=1e-9)
            self.assertTrue(np.isnan(found.omega[~heard]).all())

    def test_of_a_chirp(self):
        found = series.frequency(self.t, np.exp(-1j * 1e-3 * self.t**2))
        np.testing.assert_allclose(found.omega[1:-1], 2e-3 * self.t[1:-1], atol=1e-9)

    def test_of_a_mode_that_does_not(self):
        found = series.frequency(self.t, np.exp(-0.02 * self.t) * np.cos(0.37 * self.t + 0.2) + 0j)
        self.assertFalse(found.turning)
        np.testing.assert_allclose(found.omega, 0.37, rtol=2e-3)
        self.assertEqual(len(found.t), int((0.37 * 199.9 + 0.2) / np.pi + 0.5) - 1)
        self.assertIsNone(series.frequency(self.t, np.exp(-self.t) + 0j))


class Punctures(unittest.TestCase):
    def orbit(self, tilt=0.0, omega=0.05, d=8.0):
        t = np.arange(0.0, 100.0, 0.05)
        x, y = np.cos(omega * t), np.sin(omega * t)
        line = d / 2 * np.column_stack([x, np.cos(tilt) * y, np.sin(tilt) * y])
        return t, [line, -line]

    def test_circles_in_any_plane(self):
        for tilt in (0.0, 0.7, np.pi):
            t, tracks = self.orbit(tilt)
            np.testing.assert_allclose(series.separation(t, tracks)[1], 8.0, rtol=1e-12)
            np.testing.assert_allclose(series.orbital_frequency(t, tracks)[1][1:-1], 0.05, rtol=1e-5)

    def test_ends_where_the_punctures_meet(self):
        t, tracks = self.orbit()
        shrink = np.where(t < 60, 1.0, 1e-3)[:, None]
        self.assertAlmostEqual(series.orbital_frequency(t, [x * shrink for x in tracks])[0][-1], 59.95)

    def test_normals(self):
        for tilt in (0.0, 0.7, np.pi / 2):
            t, normal = series.normals(*self.orbit(tilt))
            self.assertEqual(len(t), 2000)
            np.testing.assert_allclose(normal, np.tile([0, -np.sin(tilt), np.cos(tilt)], (2000, 1)), atol=1e-12)
        t, tracks = self.orbit(omega=0.0)
        self.assertEqual(len(series.normals(t, tracks)[0]), 0)

    def test_leave_plane(self):
        self.assertFalse(series.leave_plane([]))
        for tilt, leaves in ((0.0, False), (0.01, False), (0.05, True), (0.7, True), (np.pi / 2, False)):
            self.assertEqual(series.leave_plane(self.orbit(tilt)[1]), leaves, tilt)

    def test_plane(self):
        self.assertEqual(series.plane_of([]), "z")
        self.assertEqual(series.plane_of(self.orbit()[1]), "z")
        self.assertEqual(series.plane_of(self.orbit(np.pi / 2)[1]), "y")


class Outline(unittest.TestCase):
    def test_harmonics_are_orthonormal(self):
        x, w = np.polynomial.legendre.leggauss(16)
        phi = np.arange(32) * 2 * np.pi / 32
        grid = np.meshgrid(x, phi, indexing="ij")
        y = [series.real_harmonic(l, m, *grid) for l in range(9) for m in range(-l, l + 1)]
        product = np.einsum("aij,bij,i->ab", y, y, w) * 2 * np.pi / 32
        np.testing.assert_allclose(product, np.eye(81), atol=1e-12)

    def test_harmonics_in_closed_form(self):
        c, phi = np.array([0.3, -0.8]), np.array([0.4, 2.0])
        s = np.sqrt(1 - c**2)
        for (l, m), exact in {(0, 0): 0.5 / np.sqrt(np.pi) + 0 * c,
                              (1, -1): np.sqrt(3 / (4 * np.pi)) * s * np.sin(phi),
                              (1, 0): np.sqrt(3 / (4 * np.pi)) * c, (1, 1): np.sqrt(3 / (4 * np.pi)) * s * np.cos(phi),
                              (2, 0): np.sqrt(5 / (16 * np.pi)) * (3 * c**2 - 1),
                              (2, -2): np.sqrt(15 / (16 * np.pi)) * s**2 * np.sin(2 * phi)}.items():
            np.testing.assert_allclose(series.real_harmonic(l, m, c, phi), exact, rtol=1e-13, err_msg=f"{l} {m}")

    def test_spheres_and_ovals(self):
        a, b, centre = 2.0 * np.sqrt(4 * np.pi), 0.1, [1.0, -2.0, 0.5]
        y20 = np.sqrt(5 / (16 * np.pi))
        coefficients = [a, 0, 0, 0, 0, 0, b, 0, 0]  # of 00 and 20
        flat = series.outline(centre, coefficients, "z") - centre
        np.testing.assert_allclose(np.linalg.norm(flat, axis=1), 2.0 - b * y20, rtol=1e-12)
        np.testing.assert_allclose(flat[:, 2], 0, atol=1e-14)
        upright = series.outline(centre, coefficients, "y", n=5) - centre
        np.testing.assert_allclose(np.linalg.norm(upright, axis=1), 2.0 + b * y20 * np.array([-1, 2, -1, 2, -1]),
                                   rtol=1e-12)
        np.testing.assert_allclose(upright[1], [0, 0, 2.0 + 2 * b * y20], atol=1e-12)


class Waveforms(unittest.TestCase):
    def waves(self, kind="psi4", **modes):
        t = np.arange(0.0, 300.0, 0.5)
        return Waves(kind, t, {lm: a * np.exp(-0.1j * t) for lm, a in modes["modes"].items()}, 50.0, 51.0)

    def test_main_modes(self):
        w = self.waves(modes={(2, 2): 1.0, (2, -2): 1.0, (2, 0): 0.1, (3, -3): 0.4, (3, 3): 0.2, (4, 4): 0.3,
                              (4, -4): 0.3, (3, 1): 1e-9, (3, -1): 1e-9})
        self.assertEqual(series.main_modes(w), [(2, 2), (3, -3), (4, 4), (2, 0)])
        self.assertEqual(series.main_modes(w, most=2), [(2, 2), (3, -3)])
        self.assertEqual(show.strongest([(3, 3), (2, 1), (2, 2)]), (2, 1))
        self.assertEqual(show.strongest([(3, 3)]), (3, 3))

    def test_retarded(self):
        w, areal = self.waves(modes={(2, 2): 1.0}), (np.array([0.0, 300.0]), np.array([51.0, 51.0]))
        got = series.retarded(w, 0.0, areal)
        np.testing.assert_allclose(got.t, w.t - 51)
        np.testing.assert_allclose(np.abs(got.mode(2, 2)), 51 / 50)
        got = series.retarded(w, 1.0, areal)
        np.testing.assert_allclose(got.t, w.t - 51 - 2 * np.log(51 / 2 - 1))
        np.testing.assert_allclose(np.abs(got.mode(2, 2)), 51 / 50)

    def test_parts(self):
        w = self.waves(modes={(2, 2): 1.0})
        self.assertEqual(series.after(w, 200.0).t[0], 200.0)
        self.assertEqual(len(series.after(w, 400.0).t), 600)
        self.assertEqual(series.trusted(w).t[-1], 299.5 - 20)
        self.assertAlmostEqual(series.trusted(w.cut(last=100.0)).t[-1], 90.0)

    def test_norms(self):
        table = {f"momentum_{x}.norm2": np.array([v]) for x, v in zip("xyz", (2, 3, 6))}
        self.assertEqual({k: v[0] for k, v in series.norms(table).items()}, {"momentum": 7.0})

    def test_thinned(self):
        t, y = series.thinned(np.arange(10000), -np.arange(10000), most=2000)
        np.testing.assert_array_equal(t, np.arange(0, 10000, 5))
        np.testing.assert_array_equal(y, -t)


if __name__ == "__main__":
    unittest.main()
