"""Runs turned by 90 degrees: their parameter files, and what differs between a run and its twins.

A twin has the same grid, with the holes turned about the x, y or z axis. All that depends on the grid more than on the holes
(half-open octants, outer faces, orders of sums) is not turned, so that twins differ by no more than the grid makes errors.
"""

import math
import re
from pathlib import Path

import numpy as np

from tendex.base.parameter_file import changed, parameters_of, text_of
from tendex.physics.harmonics import harmonic

AXES = "xyz"
VECTORS = re.compile(r"initial_data\.bh\d_(position|momentum|spin)")
PLACED = ("two_punctures", "punctures")


class RotatedError(ValueError):
    """A parameter file or runs that have no twins; the text says which and why."""


def turn(axis):
    """[3][3]: by 90 degrees about an axis, to the right; whole numbers, so that nothing is rounded."""
    a = AXES.index(axis)
    out = np.zeros((3, 3))
    out[a, a] = 1
    out[(a + 2) % 3, (a + 1) % 3] = 1
    out[(a + 1) % 3, (a + 2) % 3] = -1
    return out


def twin(file, axis):
    """Text of the parameter file `file` with positions, momenta and spins turned. Raises RotatedError."""
    text = text_of(file)
    values = parameters_of(text, file, check=True)
    if values.get("initial_data.type") not in PLACED:
        raise RotatedError(f"{file}: initial_data.type is {values.get('initial_data.type')}: only holes with positions, momenta and "
                           f"spins of their own can be turned: give one of {', '.join(PLACED)}")
    if "grid.reflect" in values:
        raise RotatedError(f"{file}: grid.reflect {values['grid.reflect']}: holes that are turned lie elsewhere; take it out")
    settings = {key: _turned(value, axis) for key, value in values.items() if VECTORS.fullmatch(key)}
    return f"# Turned by 90 degrees about {axis}: a twin of {Path(file).name}.\n{changed(text, settings, file)}"


def _turned(vector, axis):
    """Text of the turned vector: no digit changes."""
    return f"[{', '.join(repr(sum(int(k) * x for k, x in zip(row, vector))) for row in turn(axis))}]"


def frame(theta, phi):
    """Direction n and m = (e_theta + i e_phi)/sqrt(2) there: psi4 is the part along conj(m) conj(m) of a tensor."""
    n = np.array([math.sin(theta) * math.cos(phi), math.sin(theta) * math.sin(phi), math.cos(theta)])
    e_theta = np.array([math.cos(theta) * math.cos(phi), math.cos(theta) * math.sin(phi), -math.sin(theta)])
    e_phi = np.array([-math.sin(phi), math.cos(phi), 0.0])
    return n, (e_theta + 1j * e_phi) / math.sqrt(2)


def matrix(l, axis):
    """[2l+1][2l+1] D with psi4'_lm = sum_m' D[m, m'] psi4_lm' for a field that is turned about an axis, m from -l up: the integrals
    of what harmonics become, exact by Gauss's rule in cos(theta) and even points in phi."""
    R, size = turn(axis), 2 * l + 1
    x, weight = np.polynomial.legendre.leggauss(l + 1)
    out = np.zeros((size, size), complex)
    for cosine, w in zip(x, weight):
        for k in range(size):
            theta, phi = math.acos(cosine), 2 * math.pi * (k + 0.3) / size
            n, m = frame(theta, phi)
            from_n = R.T @ n
            old_theta, old_phi = math.acos(min(1.0, max(-1.0, from_n[2]))), math.atan2(from_n[1], from_n[0])
            spun = (R @ frame(old_theta, old_phi)[1] @ m.conj()) ** 2
            here = np.array([harmonic(l, j, theta, phi) for j in range(-l, l + 1)])
            there = np.array([harmonic(l, j, old_theta, old_phi) for j in range(-l, l + 1)]) * spun
            out += 2 * math.pi / size * w * np.outer(here.conj(), there)
    return out


def turned_modes(modes, axis):
    """{(l, m): values} of the turned field."""
    out = {}
    for l in sorted({l for l, _ in modes}):
        D = matrix(l, axis)
        for m in range(-l, l + 1):
            out[l, m] = sum(D[m + l, k + l] * modes[l, k] for k in range(-l, l + 1))
    return out


def distance(one, other):
    """{(l, m): largest difference}, over the largest |mode| of all of `one`."""
    most = max(abs(values).max() for values in one.values())
    return {lm: float(abs(one[lm] - other[lm]).max() / most) for lm in one}


def track_distance(tracks, others, axis):
    """Largest distance of the punctures from the turned ones, M."""
    return max(float(np.linalg.norm(x @ turn(axis).T - y, axis=-1).max()) for x, y in zip(tracks, others))
