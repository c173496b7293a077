"""Retarded time of what passes a sphere: which outgoing ray it is on.

With R the areal radius, E the ADM energy and r_* = R + 2 E ln(R/2E - 1), u = t - r_*(R) holds on a slice whose observers are at
rest and that has the mass E inside all the way out. Slices of a run are neither. Along a slice of constant t, out from the sphere, u
falls in Vaidya's metric (Proc. Indian Acad. Sci. A 33, 264) as du/dR = -(1 + v)/(1 - 2m/R), v the speed at which the slice's observers
fall in (observers.py) and m the mass within the ray. Far out t is u + r_*. So

  u = t - r_*(R) + integral from R to infinity of [(1 + v)/(1 - 2m/R') - 1/(1 - 2E/R')] dR'.

The tilt. About what has settled v = k/R^2. k is v R^2 on the innermost sphere, as a median over LENGTH; its changes travel outwards at SPEED,
that of the lapse in 1+log slicing. On spheres further out v has parts that are no tilt: waves add some of second order, about in proportion to 1/R, whose
integral would not end.

The mass. Rays before this one have carried W(u) away, which is further out on the slice. To first order of W it adds -2 W/(R' - 2E)
along the way, with dR'/(1 - 2E/R') = -du. The time between two spheres then falls by 2 W ln(R2/R1) after a merger, once the waves are far out.
"""

import math
from dataclasses import replace

import numpy as np
from scipy.ndimage import median_filter

from tendex.physics.radiation import retardation
from tendex.waves.extraction import observers
from tendex.waves.signal import ffi

# In the holes' masses together.
LENGTH = 100.0
SPEED = math.sqrt(2)


def later(run, psi4, inside, more=0.0):
    """[n] by which retarded time is later than t - r_*(R), over the times of Waves of psi4 through a sphere; inside: [n] mass inside it,
    as observers.mass_inside; more: as in observers.at_rest."""
    energy = run.adm_energy
    areal = np.interp(psi4.t, *run.areal(psi4.radius))
    return tilt(run, psi4, np.median(areal), more) - behind(psi4.t, energy - inside, np.median(areal), energy)


def tilt(run, psi4, areal, more=0.0):
    """[n] integral of v/(1 - 2 E/R') dR' from areal radius `areal' on, over the times of Waves of psi4; more: as in observers.at_rest."""
    energy, inner = run.adm_energy, replace(psi4, radius=min(run.parameters.get("waves.radii", [psi4.radius])))
    found = observers.infall(run, inner)
    within = np.interp(psi4.t, *run.areal(inner.radius))
    k = (found.v + more * found.unsure) * within**2
    first, step, n = k[0], (psi4.t[-1] - psi4.t[0]) / (len(k) - 1), len(k)
    k = median_filter(k, min(int(LENGTH * psi4.mass / step), n) | 1, mode="nearest")
    late = psi4.t - (areal - np.median(within)) / SPEED  # what is here now was there then
    k = np.interp(late, psi4.t, k, left=first) - first
    ends = areal + SPEED * step * np.arange(n + 1)
    height = np.log(1 - 2 * energy / ends)
    part = (height[1:] - height[:-1]) / (2 * energy)
    return convolved(k, part) - first * height[0] / (2 * energy)


def behind(t, lost, areal, energy):
    """[n] integral of 2 lost(t - s)/(R(s) - 2 energy) over s > 0, R(s) the radius that a ray from `areal' has reached after s; t: even or
    nearly so; lost [n]: energy that has passed."""
    step = (t[-1] - t[0]) / (len(t) - 1)
    s = step * np.arange(len(t))
    far = np.geomspace(areal, 2 * (areal + s[-1]), 4096)
    ray = np.interp(s, retardation(far, energy) - retardation(areal, energy), far)
    kernel = 2 * step / (ray - 2 * energy)
    return convolved(lost, kernel) - 0.5 * (lost * kernel[0] + lost[0] * kernel)


def convolved(a, b):
    """[n] sum over k of a[i - k] b[k], of [n] both. (scipy.signal has this, but takes a second to load.)"""
    points = ffi.padded(len(a))
    return np.fft.irfft(np.fft.rfft(a, points) * np.fft.rfft(b, points), points)[: len(a)]
