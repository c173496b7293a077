"""Frames of precessing binaries: rotations of modes, and the coprecessing frame.

A frame is a unit quaternion (w, x, y, z) that turns the inertial axes into its own. In it modes are

    h'_lm = sum_m' conj(D^l_m'm) h_lm',   D^l_m'm = exp(-i m' alpha) d^l_m'm(beta) exp(-i m gamma),

for the Euler angles about z, y, z of the quaternion (the conventions of Sakurai for d^l_m'm = <m'| exp(-i beta J_y) |m>);
spin-weighted harmonics turn as others do, but for the angle between the polarisations of both frames.

The radiation axis is the principal axis of <L_(a L_b)> = sum conj(h) L_(a L_b) h / sum |h|^2 with the largest eigenvalue
(arXiv:1109.5224): of a quadrupole that turns about an axis, that axis. Its sign is such that the waves take angular
momentum along it, so that h_22 about it turns as exp(-i w t). The coprecessing frame has it for z and does not turn about
it (minimal rotation, arXiv:1110.2965): its angular velocity has no component along its own z.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from scipy.integrate import trapezoid

from tendex.waves.signal.align import spline
from tendex.waves.signal.modes import WaveError

Z = np.array([0.0, 0.0, 1.0])
# Difference of the two largest eigenvalues at the peak, over the sum of all three, of waves that have an axis: a
# turning quadrupole has 1/2, a collision head-on 0.
LEAST_GAP = 0.05


def multiply(p, q):
    """Products of quaternions [..., 4]: the rotation q, then p."""
    a, b = np.asarray(p)[..., 1:], np.asarray(q)[..., 1:]
    w, v = np.asarray(p)[..., :1], np.asarray(q)[..., :1]
    return np.concatenate([w * v - np.sum(a * b, axis=-1, keepdims=True), w * b + v * a + np.cross(a, b)], axis=-1)


def inverse(q):
    """Of unit quaternions [..., 4]."""
    return np.asarray(q) * np.array([1.0, -1.0, -1.0, -1.0])


def about(axis, angle):
    """Quaternions [..., 4] that turn about the unit vector `axis` [3] by angles [...], rad."""
    half = np.asarray(angle)[..., None] / 2
    return np.concatenate([np.cos(half), np.sin(half) * np.asarray(axis)], axis=-1)


def turn(q, vectors):
    """Vectors [..., 3], turned by q [..., 4]."""
    w, v = np.asarray(q)[..., :1], np.asarray(q)[..., 1:]
    across = 2 * np.cross(v, vectors)
    return vectors + w * across + np.cross(v, across)


def smallest(a, b):
    """Quaternions [..., 4] of the smallest rotations that turn unit vectors a [..., 3] into b; of opposite ones, about
    an axis across them."""
    a, b = np.broadcast_arrays(np.asarray(a, float), np.asarray(b, float))
    w = 1 + np.sum(a * b, axis=-1, keepdims=True)
    side = np.cross(a, np.eye(3)[np.abs(a).argmin(axis=-1)])
    q = np.where(w > 1e-14, np.concatenate([w, np.cross(a, b)], axis=-1), np.concatenate([0 * w, side], axis=-1))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def of_axes(x, y, z):
    """The quaternion [4] that turns the axes of coordinates into the orthonormal vectors x, y, z [3]."""
    first = smallest(Z, z)
    here = turn(inverse(first), x)
    return multiply(first, about(Z, np.arctan2(here[1], here[0])))


@lru_cache(maxsize=None)
def _turns(l):
    """[k][m' m] of the eigenvectors v of J_y, with eigenvalues k = -l to l: v_m'k conj(v_mk)."""
    m = np.arange(-l, l)
    up = np.sqrt(l * (l + 1) - m * (m + 1)) / 2
    v = np.linalg.eigh(np.diag(-1j * up, -1) + np.diag(1j * up, 1))[1]
    return np.einsum("ik,jk->kij", v, v.conj()).reshape(2 * l + 1, -1)


def _powers(angle, l):
    """[...][m] exp(-i m angle), m from -l to l, of angles [...][1]."""
    up = np.cumprod(np.repeat(np.exp(-1j * angle), l, axis=-1), axis=-1)
    return np.concatenate([up[..., ::-1].conj(), np.ones_like(angle), up], axis=-1)


def wigner(l, q):
    """D^l_m'm [..., m'][m], m' and m from -l to l, of quaternions [..., 4]."""
    q = np.asarray(q, float)
    a, b = q[..., 0] + 1j * q[..., 3], q[..., 2] + 1j * q[..., 1]
    beta = 2 * np.arctan2(np.abs(b), np.abs(a))[..., None]
    alpha, gamma = (np.angle(a) - np.angle(b))[..., None], (np.angle(a) + np.angle(b))[..., None]
    # d is real: what eigh leaves of an imaginary part is rounding.
    d = (_powers(beta, l) @ _turns(l)).real.reshape(*beta.shape[:-1], 2 * l + 1, 2 * l + 1)
    return _powers(alpha, l)[..., :, None] * d * _powers(gamma, l)[..., None, :]


def columns(waves):
    """{l: modes [n][m], m from -l to l}; what is not there is zero. Raises WaveError where one of m and -m is missing."""
    found = {}
    for l in sorted({l for l, _ in waves.modes}):
        lacking = next(((l, -m) for k, m in waves.modes if k == l and (l, -m) not in waves.modes), None)
        if lacking:
            raise WaveError(f"{waves.name}: no mode l = {lacking[0]}, m = {lacking[1]}: turning a frame needs m and -m")
        found[l] = np.column_stack([waves.modes.get((l, m), np.zeros(len(waves.t), complex)) for m in range(-l, l + 1)])
    return found


def turned(waves, q):
    """The waves in a frame q [4], or [n][4] over their times; of each l all m."""
    modes = {}
    for l, h in columns(waves).items():
        new = np.einsum("...ji,...j->...i", wigner(l, q).conj(), h)
        modes.update({(l, m): new[:, l + m] for m in range(-l, l + 1)})
    return replace(waves, modes=modes)


def _momenta(h):
    """L_x h, L_y h, L_z h of modes h [n][m], m from -l to l: [3][n][m]."""
    l = h.shape[1] // 2
    m = np.arange(-l, l)
    rise = np.sqrt(l * (l + 1) - m * (m + 1))
    up, down = np.zeros_like(h), np.zeros_like(h)
    up[:, 1:], down[:, :-1] = rise * h[:, :-1], rise * h[:, 1:]
    return np.array([(up + down) / 2, (up - down) / 2j, np.arange(-l, l + 1) * h])


def axis(waves):
    """Radiation axis over time, unit vectors [n][3], continuous. Raises WaveError where there is none."""
    matrix, torque = np.zeros((len(waves.t), 3, 3)), np.zeros((len(waves.t), 3))
    for h in columns(waves).values():
        momenta = _momenta(h)
        matrix += np.einsum("anm,bnm->nab", momenta.conj(), momenta).real
        torque += np.einsum("anm,nm->na", momenta.conj(), 1j * np.gradient(h, waves.t, axis=0)).real
    sizes, vectors = np.linalg.eigh(matrix)
    top = sizes[waves.total().argmax()]
    if not top[2] - top[1] > LEAST_GAP * top.sum():
        raise WaveError(f"{waves.name}: the waves have no axis about which they turn: there is no coprecessing frame")
    found = vectors[:, :, 2]
    along = np.sum(found[1:] * found[:-1], axis=1)
    found = found * np.cumprod(np.where(np.append(1.0, along) < 0, -1.0, 1.0))[:, None]
    return found if trapezoid(np.sum(found * torque, axis=1), waves.t) >= 0 else -found


def accumulated(q):
    """Products q[i] q[i-1] ... q[0] [n][4]."""
    step = 1
    while step < len(q):
        q = np.concatenate([q[:step], multiply(q[step:], q[:-step])])
        step *= 2
    return q


def minimal(t, axes, at=None):
    """Quaternions [n][4], continuous, of the frames whose z is axes[n][3], unit vectors at times t, and which do not
    turn about it. At the time nearest to `at`, by default the first, the frame is turned least against the inertial one."""
    here = 0 if at is None else int(np.abs(t - at).argmin())
    steps = np.concatenate([[[1.0, 0.0, 0.0, 0.0]], smallest(axes[:-1], axes[1:])])
    q = multiply(accumulated(steps), smallest(Z, axes[0]))
    # Smallest rotations follow arcs between the samples; a spline of them says what they still turn about the axis.
    rate = 2 * multiply(inverse(q), spline(t, q).derivative()(t))[:, 3]
    q = multiply(q, about(Z, -spline(t, rate).antiderivative()(t)))
    # What is left about the axis at `here' is constant.
    left = multiply(inverse(smallest(Z, axes[here])), q[here])
    q = multiply(q, about(Z, -2 * np.arctan2(left[3], left[0])))
    return q if q[here, 0] >= 0 else -q


def coprecessing(waves, at=None):
    """The coprecessing frame of waves, quaternions [n][4] over their times; `at` as in `minimal`. Raises WaveError."""
    return minimal(waves.t, axis(waves), at)


def mean_axis(waves, first, last):
    """Radiation axis [3] as a mean over times from first to last, as far as there are waves."""
    total = spline(waves.t, axis(waves)).antiderivative()
    mean = total(min(last, waves.t[-1])) - total(max(first, waves.t[0]))
    return mean / np.linalg.norm(mean)
