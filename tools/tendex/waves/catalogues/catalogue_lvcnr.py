"""Waves of LVC-NR files (arXiv:1703.01076): amplitude and phase of each mode as a reduced-order spline."""

import re

import h5py
import numpy as np
from scipy.interpolate import make_interp_spline

from tendex.base import hdf5, tables
from tendex.base.files import name_of
from tendex.waves.signal.modes import WaveError, Waves

GROUP = re.compile(r"amp_l(\d+)_m(-?\d+)")
DEGREE = 5
# Of the times that modes are evaluated at where the file has none (NRTimes), in M; (8, 8) of a fast hole turns in 2 M.
STEP = 0.1


def is_ours(h):
    """Whether an open HDF5 file has such waves."""
    return any(GROUP.fullmatch(name) for name in h)


def read(file):
    """Strain in geometric units, t = 0 where the file puts it."""
    with hdf5.opened(file, WaveError) as h:
        names = {(int(m[1]), int(m[2])): m[0] for m in map(GROUP.fullmatch, h) if m}
        splines, low, high = {}, -np.inf, np.inf
        for lm, amp in sorted(names.items()):
            phase = amp.replace("amp", "phase", 1)
            if phase not in h:
                raise WaveError(f"{file}: {amp} has no {phase} beside it")
            pair = []
            for name in (amp, phase):
                x, curve = _spline(file, h, name, lm)
                low, high = max(low, x[0]), min(high, x[-1])
                pair.append(curve)
            splines[lm] = pair
        t = hdf5.numbers(file, h, "NRTimes", WaveError) if "NRTimes" in h else None
    if not low < high:
        raise WaveError(f"{file}: the modes have no times in common: they start at t = {low:g} and end at {high:g}")
    if t is not None and np.ndim(t) == 1:
        tables.check_finite(file, "NRTimes", t, t, WaveError)
    else:
        t = np.linspace(low, high, 1 + int(np.ceil((high - low) / STEP)))
    t = t[(t >= low) & (t <= high)]
    return Waves("strain", t, {lm: a(t) * np.exp(1j * p(t)) for lm, (a, p) in splines.items()}, label=name_of(file))


def _spline(file, h, name, lm):
    """(X, curve) of one reduced-order spline."""
    group = h[name]
    if not isinstance(group, h5py.Group) or not {"X", "Y"} <= set(group):
        raise WaveError(f"{file}: {name}: not a group with X and Y")
    x, y = (hdf5.numbers(file, group, part, WaveError) for part in "XY")
    degree = hdf5.numbers(file, group, "deg", WaveError) if "deg" in group else np.array(DEGREE)
    if degree.size != 1 or degree.flat[0] not in (1, 3, 5):
        said = f"{degree.flat[0]:g}" if degree.size == 1 else f"of shape {degree.shape}"
        raise WaveError(f"{file}: {name}: deg is {said}: splines of degree 1, 3 and 5 are known")
    degree = int(degree.flat[0])
    if x.shape == y.shape and x.ndim == 1:
        tables.check_finite(file, f"{tables.mode(*lm)}, {name}", x, y, WaveError)
    if not (x.shape == y.shape and x.ndim == 1 and len(x) > degree and np.all(np.diff(x) > 0)):
        raise WaveError(f"{file}: {name}: X of shape {x.shape} and Y of shape {y.shape} are no spline of degree "
                        f"{degree}")
    return x, make_interp_spline(x, y, k=degree)
