"""How far the points of a sphere have turned about the origin, for an observer far away.

Observers at rest in the slice are dragged along by the angular momentum J of what is inside, with an angular velocity of 2 J/R^3,
R the areal radius (Lense & Thirring, Phys. Z. 19, 156 (1918)). Points of the sphere turn beside them with the shift,

  Omega = 3/2 <x × beta>/r^2,   a mean over directions,

which a run measures. The moving-puncture shift begins at 0 and approaches -2 J/R^3 in a time of about R^2. Until then the phases of a
sphere's modes grow by m times the angle, for a rotation about z. Runs of earlier versions did not measure Omega. They are left as they
are, and the whole angle by which they were dragged is an error.

J is that of the initial data, less that of the waves which have left through the sphere.
"""

import numpy as np
from scipy.integrate import cumulative_trapezoid

from tendex.waves.signal import frame

# Angles about x and y below this, rad, are rounding.
ROUNDING = 1e-10


def turned_by(run, psi4):
    """(rotation vectors [n][3], by how much they may be wrong [n][3]), rad, of a sphere of a Run over the times of its psi4 since
    the start. Of data that do not say J, 0."""
    radius, t, momentum = psi4.radius, psi4.t, inside(run, psi4)
    if momentum is None:
        return np.zeros((len(t), 3)), np.zeros((len(t), 3))
    areal = np.interp(t, *run.areal(radius))
    dragged = _since_start(t, 2 * momentum / areal[:, None] ** 3)
    measured = run.turning(radius)
    if measured is None or measured[0][0] > t[0]:
        return np.zeros_like(dragged), dragged
    times, omega = measured
    unsure = np.zeros_like(dragged) + times[0] * np.abs(omega[0])  # before the first row it grew from 0
    with_shift = np.stack([np.interp(t, times, column) for column in _since_start(times, omega).T], axis=1)
    return dragged + with_shift, unsure


def undone(run, psi4, more=0.0):
    """Waves of psi4 of a sphere as seen by an observer who does not turn; more: part of what the rotation may be wrong by that is
    added to it."""
    angle, unsure = turned_by(run, psi4)
    return turned_back(psi4, angle + more * unsure)


def turned_back(psi4, angle):
    """Waves of what is turned by rotation vectors [n][3], rad, as if it were not."""
    size = np.linalg.norm(angle, axis=1)
    if not size.any():
        return psi4
    if np.abs(angle[:, :2]).max() < ROUNDING:  # about z
        return psi4.map(lambda v, l, m: v * np.exp(-1j * m * angle[:, 2]))
    half = np.sinc(size / (2 * np.pi))[:, None] * angle / 2
    q = np.concatenate([np.cos(size / 2)[:, None], half], axis=1)
    return frame.turned(psi4, frame.inverse(q))


def sure(run, spheres):
    return not any(turned_by(run, s)[1].any() for s in spheres)


def _since_start(t, rate):
    """[n][3] integral, from t = 0 on at the first rate."""
    return t[0] * rate[0] + cumulative_trapezoid(rate, t, axis=0, initial=0.0)


def inside(run, psi4):
    """[n][3] angular momentum inside a sphere of a Run over the times of its psi4: that of the data, less that of the waves which have gone
    through it, where they are known. None of data that do not say it."""
    whole, t = run.adm_angular_momentum_said, psi4.t
    known = run.radiated_angular_momentum(psi4.radius)
    if whole is None or known is None:
        return None if whole is None else np.tile(whole, (len(t), 1))
    times, gone = known
    return whole - np.stack([np.interp(t, times, column) for column in gone.T], axis=1)
