"""Reduced-order splines: few samples of a curve from which a spline gives all the others back.

Galley and Schmidt (arXiv:1611.07529): begin with as many samples as the degree asks for, and as long as the spline
through them misses one by more than the tolerance, take the worst one too. Here one is taken in each gap that is out
of tolerance, so that a few rounds do. Readers of such files evaluate them in two ways, and both have to hold the
tolerance: romspline by a spline of degree 5, LALSimulation by a natural cubic one, whatever degree the file states.
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, make_interp_spline

from tendex.waves.signal.modes import WaveError

DEGREE = 5
# Curves shorter than this are no waves.
FEWEST = 2 * (DEGREE + 1)


@dataclass(frozen=True)
class Reduced:
    """Samples that are left, and how far off splines through them are."""

    x: np.ndarray
    y: np.ndarray
    tolerance: float  # in the unit of y
    errors: np.ndarray  # largest, after each round; the last is what is left


def splines(x, y):
    """The two curves that readers make of samples."""
    return make_interp_spline(x, y, k=DEGREE), CubicSpline(x, y, bc_type="natural")


def misses(x, y, taken):
    """How far the worse of the two curves through the samples `taken` is from each y. [n]"""
    return np.max([np.abs(curve(x) - y) for curve in splines(x[taken], y[taken])], axis=0)


def reduce(x, y, tolerance):
    """Reduced of y[n] at x[n], rising."""
    if not tolerance > 0:
        raise WaveError(f"tolerance {tolerance:g}: must be above 0")
    if len(x) < FEWEST:
        raise WaveError(f"{len(x)} samples: a reduced spline needs {FEWEST}")
    taken = np.unique(np.linspace(0, len(x) - 1, DEGREE + 1).astype(int))
    errors = []
    while True:
        off = misses(x, y, taken)
        off[taken] = 0
        errors.append(float(off.max()))
        worst = [low + 1 + int(off[low + 1:high].argmax()) for low, high in zip(taken, taken[1:]) if high > low + 1]
        worst = [i for i in worst if off[i] > tolerance]
        if not worst:
            return Reduced(x[taken], y[taken], tolerance, np.array(errors))
        taken = np.union1d(taken, worst)


def write(group, reduced):
    """The datasets of romspline, into an open HDF5 group."""
    group["X"], group["Y"] = reduced.x, reduced.y
    group["deg"], group["tol"], group["errors"] = DEGREE, reduced.tolerance, reduced.errors
