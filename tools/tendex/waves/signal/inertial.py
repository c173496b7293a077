"""Waves at infinity in another inertial frame: its origin elsewhere, and moving.

The new frame's origin is at x0 at the time 0 and moves with v. Light that leaves it in its direction n' goes in the old
frame in the direction n, and comes at the old retarded time u where its own is u' (arXiv:1509.00862, eq. 8 to 12 and 17):

    n = (n'/gamma + v (1 + gamma/(gamma+1) v.n')) / (1 + v.n'),   k = gamma (1 + v.n'),   u = u'/k - x0.n.

Of modes of spin weight -2,

    r' h'(u', n') = exp(2 i delta) r h(u, n) / k,

k^-2 for the news and k^-3 for psi4, as d/du' = (1/k) d/du. delta: the angle by which e_theta of n', carried along the great circle
through v to n, is turned from e_theta there towards e_phi. There is no supertranslation in it but that of the origin, l = 1, to which
strain is blind.

The right side is evaluated on a sphere of directions n', by splines in time, and decomposed again by quadrature. So (l, m)
goes into (l, m), in first order of x0 into (l +- 1, m +- 1) and (l, m +- 1), and so on: of the highest l that there is what
would come from l + 1 is missing.
"""

import math

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline

from tendex.physics.harmonics import harmonic
from tendex.waves.signal import ffi, frame
from tendex.waves.signal.modes import KINDS, WaveError

# What shifts of u by x0.n do in their n-th order is of l + n: orders are kept until this part of the waves.
SMALL = 1e-13
# Frequency that is reckoned with, in the inverse of the masses together: five times that of the (2,2) ringdown.
FASTEST = 3.0
POWERS = dict(zip(KINDS, (3, 2, 1)))


def directions(degree):
    """(unit vectors [n][3], e_theta [n][3], theta [n], phi [n], weights [n]) of a rule that is exact to the degree."""
    c, w = np.polynomial.legendre.leggauss(degree // 2 + 1)
    phi = 2 * np.pi * np.arange(degree + 1) / (degree + 1)
    theta, phi = (x.ravel() for x in np.meshgrid(np.arccos(c), phi, indexing="ij"))
    n, along, _ = axes(theta, phi)
    return n, along, theta, phi, np.repeat(w, degree + 1) * 2 * np.pi / (degree + 1)


def axes(theta, phi):
    """(n, e_theta, e_phi), [n][3] each."""
    s, c, sp, cp = np.sin(theta), np.cos(theta), np.sin(phi), np.cos(phi)
    return (np.column_stack([s * cp, s * sp, c]), np.column_stack([c * cp, c * sp, -s]),
            np.column_stack([-sp, cp, 0 * c]))


def orders(shift):
    """Number of orders in shift, the largest phase, that matter."""
    n, size = 1, shift
    while size > SMALL:
        n += 1
        size *= shift / n
    return n


def seen_from(n, along, velocity):
    """(old directions n [n][3], k [n], exp(2 i delta) [n], theta, phi) of new ones."""
    v = np.asarray(velocity, float)
    gamma = 1 / math.sqrt(1 - v @ v)
    ahead = n @ v
    old = (n / gamma + np.outer(1 + gamma / (gamma + 1) * ahead, v)) / (1 + ahead)[:, None]
    theta, phi = np.arccos(np.clip(old[:, 2], -1, 1)), np.arctan2(old[:, 1], old[:, 0])
    _, e_theta, e_phi = axes(theta, phi)
    carried = frame.turn(frame.smallest(n, old), along)
    delta = np.arctan2(np.sum(carried * e_phi, 1), np.sum(carried * e_theta, 1))
    return old, gamma * (1 + ahead), np.exp(2j * delta), theta, phi


def transformed(waves, origin, velocity):
    """Waves at infinity in the frame whose origin is at `origin' [3] at t = 0 and moves with `velocity' [3], over
    as many of the times, now those of the new frame, as are known in all directions. Raises WaveError."""
    if math.isfinite(waves.radius):
        raise WaveError(f"{waves.name}: is on a sphere: only waves at infinity are taken into another frame")
    origin, speed = np.asarray(origin, float), float(np.linalg.norm(velocity))
    if not speed < 1:
        raise WaveError(f"{waves.name}: a frame of velocity {speed:g} is not slower than light")
    reach = np.linalg.norm(origin) + speed * np.abs(waves.t[[0, -1]]).max()
    more = orders(FASTEST * reach / waves.mass)
    n, along, theta, phi, weight = directions(2 * waves.l_max + more)
    old, k, turn, old_theta, old_phi = seen_from(n, along, velocity)
    shift = old @ origin
    needed = np.outer(1 / k, waves.t) - shift[:, None]
    t = waves.t[(needed.min(0) >= waves.t[0]) & (needed.max(0) <= waves.t[-1])]
    if len(t) < 2:
        raise WaveError(f"{waves.name}: nothing is left of it in a frame that is {reach:g} M away")
    lms = sorted(waves.modes)
    curve = make_interp_spline(waves.t, np.column_stack([waves.modes[lm] for lm in lms]), k=ffi.degree(len(waves.t)))
    there = np.array([harmonic(*lm, old_theta, old_phi) for lm in lms])
    coefficients = curve.c @ (there * turn * weight / k ** POWERS[waves.kind])
    here = np.array([harmonic(*lm, theta, phi) for lm in lms]).conj()
    found = np.zeros((len(lms), len(t)), complex)
    for j in range(len(n)):
        field = BSpline(curve.t, coefficients[:, j], curve.k)(t / k[j] - shift[j])
        found += here[:, j, None] * field
    return waves.map(lambda v, l, m: found[lms.index((l, m))], t=t)
