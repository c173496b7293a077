"""Waves in other inertial frames: a quadrupole at rest there, whose field is boosted as a tensor in closed form."""

import sys
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tools"), str(Path(__file__).resolve().parent)]
from tendex.physics.harmonics import harmonic  # noqa: E402
from tendex.waves.signal.inertial import axes, directions, transformed  # noqa: E402
from tendex.waves.signal.modes import KINDS, WaveError, Waves  # noqa: E402

L_MAX, RATE = 5, 0.25
T = np.arange(-30.0, 30.0, 0.1)
ORIGIN, VELOCITY = np.array([0.1, -0.2, 0.15]), np.array([3e-3, 2e-3, -1e-3])
# A quadrupole that turns in a plane which is none of the coordinates' and changes its shape: q = Re(TURNING exp(i RATE t)).
SIDE = np.array([[0.8, 0.1, -0.3], [0.2, 0.9, 0.4]])
TURNING = (np.outer(SIDE[0], SIDE[0]) - np.outer(SIDE[1], SIDE[1])
           - 1j * (np.outer(SIDE[0], SIDE[1]) + np.outer(SIDE[1], SIDE[0])))
TURNING = TURNING - np.eye(3) * np.trace(TURNING) / 3


def moment(kind, t):
    """[n][3][3] that of r h_ij, of the news, of psi4."""
    factor = {"strain": 1, "news": 1j * RATE, "psi4": RATE**2}[kind]
    return (factor * np.exp(1j * RATE * t)[:, None, None] * TURNING).real


def polarised(tensors, e_theta, e_phi):
    """h+ - i hx = (h_tt - h_pp)/2 - i h_tp. [n]"""
    return (np.einsum("nij,i,j", tensors, e_theta, e_theta) / 2 - np.einsum("nij,i,j", tensors, e_phi, e_phi) / 2
            - 1j * np.einsum("nij,i,j", tensors, e_theta, e_phi))


def moving(kind, origin, velocity, l_max=L_MAX):
    """Waves of that quadrupole at `origin' at t = 0, moving, about the origin of the frame at rest."""
    gamma, degree = 1 / np.sqrt(1 - velocity @ velocity), 2 * l_max + 8
    boost = np.eye(4)
    boost[0] = boost[:, 0] = gamma * np.append(1, velocity)
    boost[1:, 1:] += gamma**2 / (gamma + 1) * np.outer(velocity, velocity)
    n, along, theta, phi, weight = directions(degree)
    modes = {(l, m): np.zeros(len(T), complex) for l in range(2, l_max + 1) for m in range(-l, l + 1)}
    for j, across in enumerate(axes(theta, phi)[2]):
        ray = np.linalg.solve(boost, np.append(1, n[j]))  # in the source's frame: its frequency, and direction
        tensor = np.zeros((len(T), 4, 4))
        tensor[:, 1:, 1:] = moment(kind, (T + n[j] @ origin) / ray[0])
        own = ray[1:] / ray[0]
        tensor[:, 0, 1:] = tensor[:, 1:, 0] = tensor[:, 1:, 1:] @ own  # de Donder's gauge
        tensor[:, 0, 0] = tensor[:, 0, 1:] @ own
        # 1/r' = 1/(ray[0] r); each derivative over t is one over t' by ray[0].
        here = (boost @ tensor @ boost)[:, 1:, 1:] / ray[0] ** {"strain": 1, "news": 2, "psi4": 3}[kind]
        field = polarised(here, along[j], across)
        for lm, mode in modes.items():
            mode += weight[j] * np.conj(harmonic(*lm, theta[j], phi[j])) * field
    return Waves(kind, T, modes)


def left(found):
    """Largest difference of each mode from those of the quadrupole at rest, in the largest of them."""
    n, along, theta, phi, weight = directions(8)
    exact = {}
    for m in range(-2, 3):
        each = (w * np.conj(harmonic(2, m, a, b)) * polarised(moment(found.kind, found.t), e, f)
                for w, a, b, e, f in zip(weight, theta, phi, along, axes(theta, phi)[2]))
        exact[2, m] = sum(each)
    size = max(np.abs(v).max() for v in exact.values())
    inside = np.abs(found.t) < 25
    return {lm: np.abs(v - exact.get(lm, 0))[inside].max() / size for lm, v in found.modes.items()}


class Transformed(unittest.TestCase):
    def test_a_moving_quadrupole_has_only_l_2_in_its_own_frame(self):
        for kind in KINDS:
            there = moving(kind, ORIGIN, VELOCITY)
            self.assertGreater(max(left(there).values()), 0.02 if kind == "strain" else 0.01)
            worst = left(transformed(there, ORIGIN, VELOCITY))
            # What the highest l lacks of l + 1 comes back to l - 1 in the next order of x0 w.
            self.assertLess(max(v for (l, _), v in worst.items() if l < L_MAX - 1), 1e-10)

    def test_fast(self):
        there = moving("strain", 0 * ORIGIN, np.array([0.05, -0.02, 0.03]), 7)
        worst = left(transformed(there, 0 * ORIGIN, [0.05, -0.02, 0.03]))
        self.assertLess(worst[2, 2] + worst[2, 1], 1e-7)

    def test_back(self):
        here = transformed(moving("strain", 0 * ORIGIN, 1e-9 * VELOCITY, 5), ORIGIN, 0 * VELOCITY)
        self.assertGreater(max(left(here).values()), 0.01)
        self.assertLess(max(v for (l, _), v in left(transformed(here, -ORIGIN, 0 * VELOCITY)).items() if l < 4), 1e-8)

    def test_first_order_in_the_translation(self):
        # h'(u, n) = h(u - x0.n, n) = h - x0.n dh/du.
        step, turn = 1e-3, np.exp(-2j * RATE * T)
        n, _, theta, phi, weight = directions(12)
        modes = {(l, m): 0 * T + 0j for l in (2, 3, 4) for m in range(-l, l + 1)}
        here = Waves("strain", T, {**modes, (2, 2): turn})
        found = transformed(here, [step, 0, 0], [0, 0, 0])
        for lm in ((3, 3), (2, 1), (3, 1)):
            element = np.sum(weight * n[:, 0] * np.conj(harmonic(*lm, theta, phi)) * harmonic(2, 2, theta, phi))
            expected = -step * element * -2j * RATE * np.exp(-2j * RATE * found.t)
            self.assertGreater(abs(element), 0.05)
            np.testing.assert_allclose(found.mode(*lm), expected, atol=2e-3 * step)

    def test_errors(self):
        waves = Waves("strain", T, {(2, 2): np.exp(-0.3j * T)})
        for other, origin, velocity, text in (
                (replace(waves, radius=50.0), ORIGIN, VELOCITY, "only waves at infinity"),
                (waves, ORIGIN, [0.8, 0.8, 0], "velocity 1.13.* is not slower than light"),
                (waves.map(lambda v, *_: v[:9], t=T[:9]), [0, 0, 4.0], 0 * VELOCITY, "nothing is left of it in a frame that is 4 M")):
            with self.assertRaisesRegex(WaveError, text):
                transformed(other, origin, velocity)


if __name__ == "__main__":
    unittest.main()
