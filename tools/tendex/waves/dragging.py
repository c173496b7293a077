"""How far the points of a sphere have turned about the origin, for an observer far away.

Observers at rest in the slice are dragged along by the angular momentum J of what is inside, with an angular velocity of 2 J/R^3,
R the areal radius (Lense & Thirring, Phys. Z. 19, 156 (1918)). Points of the sphere turn beside them with the shift,

  Omega = 3/2 <x × beta>/r^2,   a mean over directions,

which a run measures. The moving-puncture shift begins at 0 and ends at what drags back. Until then, for a time of R^2, modes of
the sphere have a phase that grows with time: by angle m for a rotation about z. Runs of earlier versions did not measure Omega. They are
left as they are, and may be off by all that the frame is dragged.

J is that of the initial data, less that of the waves which have left through the sphere.
"""

import numpy as np
from scipy.integrate import cumulative_trapezoid

from tendex.waves import frame


def turned_by(run, psi4):
    """(rotation vectors [n][3], by how much they may be wrong [n][3]), rad, of a sphere of a Run over the times of its psi4 since
    the start. Where the data do not say J, 0."""
    radius, t, whole = psi4.radius, psi4.t, run.adm_angular_momentum_said
    if whole is None:
        return np.zeros((len(t), 3)), np.zeros((len(t), 3))
    areal = np.interp(t, *run.areal(radius))
    dragged = _since_start(t, 2 * (whole - _gone(run, radius, t)) / areal[:, None] ** 3)
    measured = run.turning(radius)
    if measured is None or measured[0][0] > t[0]:
        return np.zeros_like(dragged), dragged
    times, omega = measured
    with_shift = np.stack([np.interp(t, times, column) for column in _since_start(times, omega).T], axis=1)
    return dragged + with_shift, np.zeros_like(dragged)


def undone(run, psi4, more=0.0):
    """Waves of psi4 of a sphere as seen by an observer who does not turn; more: part of what the rotation may be wrong by that is
    added to it."""
    angle, unsure = turned_by(run, psi4)
    angle = angle + more * unsure
    size = np.linalg.norm(angle, axis=1)
    if not size.any():
        return psi4
    if not angle[:, :2].any():  # about z
        return psi4.map(lambda v, l, m: v * np.exp(-1j * m * angle[:, 2]))
    half = np.sinc(size / (2 * np.pi))[:, None] * angle / 2
    q = np.concatenate([np.cos(size / 2)[:, None], half], axis=1)
    return frame.turned(psi4, frame.inverse(q))


def sure(run, spheres):
    return not any(turned_by(run, s)[1].any() for s in spheres)


def _since_start(t, rate):
    """[n][3] integral, from t = 0 on at the first rate."""
    return t[0] * rate[0] + cumulative_trapezoid(rate, t, axis=0, initial=0.0)


def _gone(run, radius, t):
    """[n][3] angular momentum that has left through the sphere."""
    times, gone = run.radiated_angular_momentum(radius)
    return np.stack([np.interp(t, times, column) for column in gone.T], axis=1)
