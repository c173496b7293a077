"""Waves of the SXS catalogue's HDF5 files: rhOverM_*.h5, rh_*.h5, rMPsi4_*.h5, rPsi4_*.h5, and, with the package sxs,
its newer compressed files."""

import math
import re

import h5py
import numpy as np

from tendex.base import files, hdf5, tables
from tendex.waves.signal.modes import WaveError, Waves

SPHERE = re.compile(r"R(\d+(?:\.\d+)?)(?:\.dir)?")
ORDER = re.compile(r"Extrapolated_N(\d+)\.dir")
# Groups that are better than the outermost sphere where there is no polynomial; the first is of our own exports.
OTHERS = ("Perturbative.dir", "OutermostExtraction.dir")
MODE = re.compile(r"Y_l(\d+)_m(-?\d+)(\.dat)?")
# Order of extrapolation that the catalogue's users take for the merger too.
ORDER_TAKEN = 2


def groups(h):
    """Names of groups of waves in an open HDF5 file."""
    return [name for name, group in h.items() if isinstance(group, h5py.Group) and any(map(MODE.fullmatch, group))]


def is_compressed(h):
    return "sxs_format" in h.attrs


def metadata(file):
    """What metadata.json beside a file says; {} where there is none."""
    beside = file.with_name("metadata.json")
    return files.read_json(beside, WaveError) if beside.exists() else {}


def number(values, *keys):
    """The first of the keys that holds a number; None if none does."""
    for key in keys:
        value = values.get(key)
        if isinstance(value, (int, float)) and math.isfinite(value):
            return float(value)
    return None


def choose(file, h, group):
    """Name of the group to read: the one asked for, else the one that the file calls its best, else order ORDER_TAKEN
    or the nearest, else one of OTHERS, else the outermost sphere."""
    names = groups(h)
    if group:
        if group not in names:
            raise WaveError(f"{file}: no group {group}; there are {', '.join(names)}")
        return group
    if hdf5.text(h.attrs, "best") in names:
        return hdf5.text(h.attrs, "best")
    orders = {int(ORDER.fullmatch(n)[1]): n for n in names if ORDER.fullmatch(n)}
    if orders:
        return orders[min(orders, key=lambda n: (abs(n - ORDER_TAKEN), n))]
    for name in OTHERS:
        if name in names:
            return name
    return max(names, key=lambda n: (float(SPHERE.fullmatch(n)[1]) if SPHERE.fullmatch(n) else 0.0, n))


def read(file, group=None):
    """Waves as stored, in the file's own units: psi4 or strain, as its name says (rPsi4..., rMPsi4...: psi4)."""
    with hdf5.opened(file, WaveError) as h:
        name = choose(file, h, group)
        modes, t = {}, None
        for match in filter(None, map(MODE.fullmatch, h[name])):
            l, m = int(match[1]), int(match[2])
            times, modes[l, m] = hdf5.series(file, h, f"{name}/{match[0]}", f"{name}: {tables.mode(l, m)}", WaveError)
            if t is not None and not np.array_equal(t, times):
                raise WaveError(f"{file}: {name}/{match[0]}: times differ from the other modes'")
            t = times
        radius = _radius(file, h[name], name)
    modes = {lm: v for lm, v in modes.items() if lm[0] >= 2}
    kind = "psi4" if re.match(r"rM?psi4", file.name, re.I) else "strain"
    return Waves(kind, t, dict(sorted(modes.items())), radius, label=f"{files.name_of(file)}, {name.removesuffix('.dir')}")


def _radius(file, group, name):
    """Of a sphere, from its data if there, else from its name."""
    if not SPHERE.fullmatch(name):
        return float("inf")
    radius = float(SPHERE.fullmatch(name)[1])
    if "CoordRadius.dat" in group:
        radius = float(np.append(radius, hdf5.numbers(file, group, "CoordRadius.dat", WaveError))[-1])
    if not 0 < radius < float("inf"):
        raise WaveError(f"{file}: {name}: a sphere of radius {radius:g}")
    return radius


def read_compressed(file):
    """Waves of a file that only the package sxs knows how to unpack."""
    try:
        import sxs
    except ImportError:
        raise WaveError(f"{file}: compressed by the SXS catalogue's own method: install the Python package sxs, or "
                        "take rhOverM_Asymptotic_GeometricUnits.h5") from None
    with hdf5.reading(file, WaveError):
        found = sxs.load(str(file))
        t, data, labels = np.asarray(found.t, float), np.asarray(found.ndarray), np.asarray(found.LM)
    for i, (l, m) in enumerate(labels):
        tables.check_finite(file, tables.mode(l, m), t, data[:, i], WaveError)
    kind = "psi4" if "psi4" in str(found.data_type if hasattr(found, "data_type") else file.name).lower() else "strain"
    return Waves(kind, t, {(int(l), int(m)): data[:, i] for i, (l, m) in enumerate(labels) if l >= 2}, label=files.name_of(file))
