"""Waves of LVC-NR files (arXiv:1703.01076): amplitude and phase of each mode as a reduced-order spline."""

import re

import numpy as np
from scipy.interpolate import make_interp_spline

from tendex.files import open_hdf5
from tendex.waves.modes import WaveError, Waves

GROUP = re.compile(r"amp_l(\d+)_m(-?\d+)")
DEGREE = 5
# Of the times that modes are evaluated at where the file has none (NRTimes), in M; (8, 8) of a fast hole turns in 2 M.
STEP = 0.1


def is_ours(h):
    """Whether an open HDF5 file has such waves."""
    return any(GROUP.fullmatch(name) for name in h)


def read(file):
    """Strain in geometric units, t = 0 where the file puts it."""
    with open_hdf5(file) as h:
        names = {(int(m[1]), int(m[2])): m[0] for m in map(GROUP.fullmatch, h) if m}
        splines, low, high = {}, -np.inf, np.inf
        for lm, amp in sorted(names.items()):
            phase = amp.replace("amp", "phase", 1)
            if phase not in h:
                raise WaveError(f"{file}: {amp} has no {phase} beside it")
            pair = []
            for name in (amp, phase):
                x, curve = _spline(file, h[name], name)
                low, high = max(low, x[0]), min(high, x[-1])
                pair.append(curve)
            splines[lm] = pair
        t = h["NRTimes"][()] if "NRTimes" in h else None
    if not low < high:
        raise WaveError(f"{file}: the modes have no times in common: they start at t = {low:g} and end at {high:g}")
    if t is None or np.ndim(t) != 1:
        t = np.linspace(low, high, 1 + int(np.ceil((high - low) / STEP)))
    t = t[(t >= low) & (t <= high)]
    return Waves("strain", t, {lm: a(t) * np.exp(1j * p(t)) for lm, (a, p) in splines.items()}, label=file.name)


def _spline(file, group, name):
    """(X, curve) of one reduced-order spline."""
    try:
        x, y = group["X"][()], group["Y"][()]
        degree = int(group["deg"][()]) if "deg" in group else DEGREE
    except (KeyError, AttributeError, IndexError, TypeError) as e:
        raise WaveError(f"{file}: {name}: not a group with X and Y: {e}") from e
    if not (x.shape == y.shape and x.ndim == 1 and len(x) > degree and np.all(np.diff(x) > 0)):
        raise WaveError(f"{file}: {name}: X of shape {x.shape} and Y of shape {y.shape} are no spline of degree "
                        f"{degree}")
    return x, make_interp_spline(x, y, k=degree)
