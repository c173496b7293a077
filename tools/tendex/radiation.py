"""Retarded time and radiated energy from modes of psi4 at a finite radius."""

import numpy as np
from scipy.integrate import cumulative_trapezoid, trapezoid


def retardation(areal, mass):
    """Tortoise coordinate r_* = R + 2M ln(R/(2M) - 1): t - r_* is the retarded time."""
    return areal + 2 * mass * np.log(areal / (2 * mass) - 1)


# What comes through a sphere of radius r before t = r + JUNK is radiation of the initial data, in M.
JUNK = 10.0


def peak(t, psi4, r):
    """Largest r |psi4| after the junk, and its time."""
    late = np.flatnonzero(t > r + JUNK)
    if not late.size:
        raise ValueError(f"the waves end at t = {t[-1]:g} M: nothing but junk at r = {r:g} M")
    best = late[np.abs(psi4[late]).argmax()]
    return float(r * np.abs(psi4[best])), float(t[best])


def strongest(modes, r):
    """The (l, m) with l = 2, m >= 0 that has the largest peak; modes: {(l, m): (t, psi4)}."""
    peaks = {(l, m): peak(*rows, r)[0] for (l, m), rows in modes.items() if l == 2 and m >= 0}
    if not peaks:
        raise ValueError(f"no mode with l = 2, m >= 0 at r = {r:g}")
    return max(peaks, key=peaks.get)


def news(t, psi4, arrival):
    """Integral of psi4 over time, less the straight line that it follows before the wave arrives and
    after it has gone (first `arrival` M, last tenth of the data): what a constant and an offset of
    psi4 integrate to."""
    n = cumulative_trapezoid(psi4, t, initial=0)
    quiet = (t <= arrival) | (t >= t[-1] - 0.1 * (t[-1] - t[0]))
    line = np.polynomial.polynomial.polyfit(t[quiet], np.column_stack([n[quiet].real, n[quiet].imag]), 1)
    drift = np.polynomial.polynomial.polyval(t, line)
    return n - (drift[0] + 1j * drift[1])


def energy(modes, r, arrival):
    """Energy radiated through the sphere of radius r, (1/16 pi) sum_lm int |int r psi4_lm dt|^2 dt
    (arXiv:0707.4654), of modes {(l, m): (t, psi4)}. In M."""
    total = 0.0
    for t, psi4 in modes.values():
        total += trapezoid(np.abs(r * news(t, psi4, arrival)) ** 2, t)
    return total / (16 * np.pi)
