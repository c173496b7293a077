"""Rotations of modes, and the coprecessing frame, against what a rotation of the source does, and known motions."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import synthetic  # noqa: E402
from tendex.physics.harmonics import harmonic  # noqa: E402
from tendex.waves.commands import cli  # noqa: E402
from tendex.waves.reading import wavefile  # noqa: E402
from tendex.waves.signal import frame  # noqa: E402
from tendex.waves.signal.modes import WaveError, Waves  # noqa: E402

RANDOM = np.random.default_rng(5)
T = np.arange(0.0, 600.0, 0.5)
ALL = [(l, m) for l in (2, 3, 4) for m in range(-l, l + 1)]


def some(n):
    q = RANDOM.standard_normal((n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def scipys(q):
    return Rotation.from_quat(np.asarray(q)[..., [1, 2, 3, 0]])


def quadrupole(turning=0.1, faint=0.0):
    """(2,+-2) of an orbit about z, and modes of odd m and m = 0 so faint."""
    h = np.exp(-1j * turning * T)
    return Waves("strain", T, {(2, 2): h, (2, -2): h.conj(), (2, 1): faint * h, (2, -1): faint * h.conj(), (2, 0): faint * h.real + 0j,
                               (3, 3): faint * h**1.5, (3, -3): -faint * h.conj() ** 1.5})


def precession(tilt=0.5, around=0.02, t=T):
    """Minimally rotating frames whose axis goes round a cone, in closed form: the turn about the axis takes back what the
    turn about z has along it."""
    z, y = np.array([0, 0, 1.0]), np.array([0, 1.0, 0])
    cone = frame.multiply(frame.about(z, around * t), frame.about(y, tilt + 0 * t))
    return frame.multiply(cone, frame.about(z, -around * np.cos(tilt) * t))


class Quaternions(unittest.TestCase):
    def test_against_scipy(self):
        p, q = some(6), some(6)
        v = RANDOM.standard_normal((6, 3))
        np.testing.assert_allclose(frame.turn(q, v), scipys(q).apply(v), atol=1e-14)
        np.testing.assert_allclose(frame.turn(frame.multiply(p, q), v), scipys(p).apply(scipys(q).apply(v)), atol=1e-13)
        np.testing.assert_allclose(frame.turn(frame.inverse(q), frame.turn(q, v)), v, atol=1e-13)
        for i, p in enumerate(frame.accumulated(q)):
            product = q[0]
            for step in q[1 : i + 1]:
                product = frame.multiply(step, product)
            np.testing.assert_allclose(p, product, atol=1e-14)

    def test_smallest(self):
        a, b = (v / np.linalg.norm(v, axis=1)[:, None] for v in RANDOM.standard_normal((2, 6, 3)))
        b[0], b[1] = -a[0], a[1]
        q = frame.smallest(a, b)
        np.testing.assert_allclose(frame.turn(q, a), b, atol=1e-14)
        np.testing.assert_allclose(2 * np.arccos(np.clip(q[:, 0], -1, 1)), np.arccos(np.clip(np.sum(a * b, axis=1), -1, 1)),
                                   atol=1e-7)

    def test_of_axes(self):
        for q in [*some(6), np.array([0, 1.0, 0, 0])]:
            axes = scipys(q).as_matrix().T
            self.assertAlmostEqual(abs(frame.of_axes(*axes) @ q), 1, places=14)


class Modes(unittest.TestCase):
    def test_representation(self):
        p, q = some(8), some(8)
        for l in (2, 3, 8):
            np.testing.assert_allclose(frame.wigner(l, frame.multiply(p, q)), frame.wigner(l, p) @ frame.wigner(l, q),
                                       atol=2e-14)
            np.testing.assert_allclose(frame.wigner(l, [1.0, 0, 0, 0]), np.eye(2 * l + 1), atol=4e-15)
            beta = 0.9
            np.testing.assert_allclose(frame.wigner(l, frame.about([0, 1.0, 0], beta)), synthetic.small_d(l, beta), atol=2e-14)

    def test_field_on_the_sphere(self):
        """The same h towards the same direction, once its polarisations are turned onto each other."""
        random = RANDOM.standard_normal((len(ALL), 2)) @ [1, 1j]
        waves = Waves("strain", T[:2], {lm: np.array([c, c]) for lm, c in zip(ALL, random)})
        q = some(1)[0]
        there = frame.turned(waves, q)
        for n in RANDOM.standard_normal((5, 3)):
            n = n / np.linalg.norm(n)
            e = np.cross(n, [0.3, -0.5, 0.8])
            back = frame.inverse(q)
            self.assertAlmostEqual(abs(seen(waves, n, e) - seen(there, frame.turn(back, n), frame.turn(back, e))), 0, places=12)

    def test_about_z(self):
        """A frame turned about z by an angle has modes times exp(i m angle)."""
        waves, angle = quadrupole(faint=0.3), 0.7
        there = frame.turned(waves, frame.about(frame.Z, angle))
        for (l, m), v in waves.modes.items():
            np.testing.assert_allclose(there.mode(l, m), v * np.exp(1j * m * angle), atol=1e-14)

    def test_half_of_a_pair(self):
        with self.assertRaisesRegex(WaveError, "half: no mode l = 2, m = -2: turning a frame needs m and -m"):
            frame.axis(Waves("strain", T, {(2, 2): np.exp(-1j * T)}, label="half"))


def seen(waves, n, e):
    """h towards n, of polarisations along e and across."""
    theta, phi = np.arccos(n[2]), np.arctan2(n[1], n[0])
    along = np.array([np.cos(theta) * np.cos(phi), np.cos(theta) * np.sin(phi), -np.sin(theta)])
    psi = np.arctan2(e @ [-np.sin(phi), np.cos(phi), 0], e @ along)
    return sum(v[0] * harmonic(l, m, theta, phi) for (l, m), v in waves.modes.items()) * np.exp(2j * psi)


class Coprecessing(unittest.TestCase):
    def test_known(self):
        for tilt, around in ((0.5, 0.02), (2.0, -0.01), (np.pi / 2, 0.03)):
            true = precession(tilt, around)
            waves = frame.turned(quadrupole(), frame.inverse(true))
            self.assertGreater(np.abs(waves.mode(2, 1)).max(), 0.1)
            found = frame.coprecessing(waves)
            np.testing.assert_allclose(frame.axis(waves), frame.turn(true, frame.Z), atol=1e-13)
            there = frame.turned(waves, found)
            for m in (-2, 2):
                np.testing.assert_allclose(np.abs(there.mode(2, m)), 1, atol=1e-12)
            for m in (-1, 0, 1):
                self.assertLess(np.abs(there.mode(2, m)).max(), 1e-12)
            # Both frames turn minimally: they differ by one angle about the axis.
            between = frame.multiply(frame.inverse(true), found)
            np.testing.assert_allclose(between, np.tile(between[0], (len(T), 1)), atol=1e-11)
            self.assertGreater(np.sum(found[1:] * found[:-1], axis=1).min(), 0.999)

    def test_minimal_rotation(self):
        """An axis that moves at will, unevenly sampled: no turning about it."""
        t = np.cumsum(RANDOM.uniform(0.3, 0.7, 1200))
        theta, phi = 0.4 + 0.2 * np.sin(0.021 * t), 0.03 * t + 0.3 * np.cos(0.013 * t)
        axes = np.column_stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
        q = frame.minimal(t, axes, at=300.0)
        np.testing.assert_allclose(frame.turn(q, frame.Z), axes, atol=1e-13)
        rate = 2 * frame.multiply(frame.spline(t, q).derivative()(t), frame.inverse(q))[:, 1:]
        self.assertLess(np.abs(np.sum(rate * axes, axis=1)).max(), 1e-6)
        here = np.abs(t - 300).argmin()
        np.testing.assert_allclose(q[here], frame.smallest(frame.Z, axes[here]), atol=1e-13)

    def test_sense(self):
        """(2,2) about the axis turns as exp(-i w t), whatever the sense of the orbit about z."""
        there = frame.turned(quadrupole(-0.1), frame.coprecessing(quadrupole(-0.1)))
        self.assertLess(np.diff(np.unwrap(np.angle(there.mode(2, 2)))).max(), 0)

    def test_aligned(self):
        """The frame of an orbit in the plane is the inertial one."""
        waves = quadrupole(faint=0.1)
        found = frame.coprecessing(waves)
        np.testing.assert_allclose(found, np.tile([1.0, 0, 0, 0], (len(T), 1)), atol=1e-15)
        there = frame.turned(waves, found)
        for lm, v in waves.modes.items():
            np.testing.assert_allclose(there.mode(*lm), v, atol=1e-14)

    def test_head_on(self):
        still = Waves("strain", T, {(2, 0): np.sin(0.1 * T) + 0j}, label="ring")
        with self.assertRaisesRegex(WaveError, "ring: the waves have no axis"):
            frame.coprecessing(still)

    def test_mean_axis(self):
        true = precession(0.5, 2 * np.pi / 300)
        waves = frame.turned(quadrupole(), frame.inverse(true))
        np.testing.assert_allclose(frame.mean_axis(waves, 100.1, 400.1), (0, 0, 1), atol=1e-10)


class Command(unittest.TestCase):
    def test_extrapolate(self):
        """Modes of a precessing run in its own frame are those of the same run without precession, but for the turn about
        the axis; files hold the frame, and are read in the inertial one."""
        wave = synthetic.Precessing(amplitudes={(2, 2): 0.6, (2, 1): 0.03}, slow=0.06, around=0.004)
        with tempfile.TemporaryDirectory() as top:
            run = synthetic.write_run(Path(top) / "run", wave, (90.0,), l_max=2, remnant=(0.95, 0.6), dt=0.5)
            files = {}
            for name in ("inertial", "coprecessing"):
                files[name] = Path(top) / f"{name}.h5"
                with contextlib.redirect_stdout(io.StringIO()):
                    self.assertEqual(cli.main(["extrapolate", str(run), "--frame", name, "-o", str(files[name]),
                                               "--text", str(Path(top) / name)]), 0)
            one, back = (wavefile.read(file) for file in files.values())
            for lm, v in one.modes.items():
                np.testing.assert_allclose(back.mode(*lm), v, atol=1e-12)
            with h5py.File(files["coprecessing"]) as h:
                self.assertEqual(h.attrs["frame"], "coprecessing")
                q, there = h["perturbative/frame"][()], {m: h[f"perturbative/l2_m{m}"][()] for m in range(-2, 3)}
                np.testing.assert_array_equal(h["news_perturbative/frame"], q)
            np.testing.assert_array_equal(np.loadtxt(Path(top) / "coprecessing/perturbative/frame.asc"), q)
            use = (q[:, 0] > 80) & (q[:, 0] < 230)
            exact = np.abs(wave.amplitudes[2, 2] * wave.amplitude(q[use, 0])[0])
            for m, size in {2: 1, -2: 1, 1: 0.05, -1: 0.05, 0: 0}.items():
                got = np.hypot(*there[m][use, 1:].T)
                self.assertLess(np.abs(got - size * exact).max(), (0.02 if m else 0.01) * exact.max(), m)
            np.testing.assert_allclose(frame.turn(q[use, 1:], frame.Z), wave.rotation(q[use, 0]).apply([0, 0, 1]), atol=0.025)


if __name__ == "__main__":
    unittest.main()
