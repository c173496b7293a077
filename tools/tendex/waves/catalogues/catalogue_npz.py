"""Waves of other codes in files of NumPy, .npz, with one array of real numbers a key:

    t, re, im                            r h22 / M at infinity over t / M
    t, lL_mM_re, lL_mM_im                r h_lm / M at infinity, more modes
    t, rR_lL_mM_re, rR_lL_mM_im          R psi4 through spheres of coordinate radius R, over coordinate time
    rR_t                                 times of the sphere R, in place of t
    q                                    mass ratio, for files of strain; may be left out

Files of strain are in units of M. Files of psi4 do not say their unit of length.
"""

import contextlib
import re
import zipfile
import zlib
from dataclasses import replace
from functools import cached_property

import numpy as np

from tendex.base import tables
from tendex.base.files import name_of
from tendex.waves.catalogues.catalogue_toolkit import ToolkitFolder
from tendex.waves.signal.modes import WaveError, Waves

SPHERE = re.compile(r"r(\d+(?:\.\d+)?)_l(\d+)_m(-?\d+)_(re|im)")
MODE = re.compile(r"l(\d+)_m(-?\d+)_(re|im)")
KEYS = "t, re, im (r h22 / M), lL_mM_re and _im (r h_lm / M), or rR_lL_mM_re and _im (R psi4 at the radius R, over t or rR_t)"
# Raised by zipfile and NumPy for files that are damaged, or hold what is no array of numbers.
DAMAGED = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, MemoryError, NotImplementedError, RuntimeError,
           SyntaxError, TypeError)


def is_ours(path):
    """Whether a file is an archive of NumPy's arrays."""
    with contextlib.suppress(*DAMAGED):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return any(name.endswith(".npy") for name in archive.namelist())
    return False


def has_spheres(path):
    """Whether a file has psi4 through spheres."""
    if not is_ours(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(SPHERE.fullmatch(name.removesuffix(".npy")) for name in archive.namelist())


def _arrays(file):
    """{key: real numbers of any shape} of a file. Raises WaveError."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            found = {key: archive[key] for key in archive.files}
    except DAMAGED as e:
        why = str(e).strip().splitlines() or [type(e).__name__]
        raise WaveError(f"{file}: cannot be read: {why[0]}") from e
    for key, values in found.items():
        if values.dtype.kind not in "fiu":
            raise WaveError(f"{file}: {key}: values of type {values.dtype}, not real numbers")
    return {key: values.astype(float) for key, values in found.items()}


def _series(file, arrays, times, stem, what):
    """(t [n], complex [n]) of the keys `times', STEMre and STEMim; what: the mode, for messages."""
    parts = []
    for key in (times, f"{stem}re", f"{stem}im"):
        if key not in arrays:
            raise WaveError(f"{file}: no {key}: there are {', '.join(list(arrays)[:8])}; understood are {KEYS}")
        parts.append(arrays[key])
        if parts[-1].ndim != 1 or parts[-1].shape != parts[0].shape:
            raise WaveError(f"{file}: {key}: shape {parts[-1].shape}, where {times} has {parts[0].shape}; one number a time is needed")
    t, real, imaginary = parts
    if len(t) < 2:
        raise WaveError(f"{file}: {stem}re has fewer than two numbers, too few for waves")
    tables.check_finite(file, what, t, np.column_stack([real, imaginary]), WaveError)
    falls = np.flatnonzero(np.diff(t) <= 0)
    if len(falls):
        raise WaveError(f"{file}: {times}: time {t[falls[0] + 1]:.10g} after {t[falls[0]]:.10g}: times must increase")
    return t, real + 1j * imaginary


def strain(file):
    """(Waves of r h / M, mass ratio as the file has it or None). Raises WaveError."""
    arrays = _arrays(file)
    ratio = arrays.get("q")
    if ratio is not None and not (ratio.size == 1 and 0 < ratio.flat[0] < np.inf):
        raise WaveError(f"{file}: q: {', '.join(f'{x:g}' for x in ratio.flat[:3])}: a mass ratio is one number above 0")
    stems = {(2, 2): ""} if "re" in arrays else {}
    stems |= {(int(m[1]), int(m[2])): m[0].removesuffix("re") for m in map(MODE.fullmatch, arrays) if m and m[3] == "re"}
    if not stems:
        raise WaveError(f"{file}: has {', '.join(list(arrays)[:8]) or 'nothing'}, and no waves that are known; understood are {KEYS}")
    modes = {lm: _series(file, arrays, "t", stem, tables.mode(*lm))[1] for lm, stem in sorted(stems.items())}
    return Waves("strain", arrays["t"], modes, label=name_of(file)), None if ratio is None else float(ratio.flat[0])


class Spheres(ToolkitFolder):
    """A file of psi4 through spheres, for the pipeline from psi4 to strain in the place of a run; mass: of the holes together, in the file's
    unit."""

    def __init__(self, file, mass, adm_energy=None):
        super().__init__(file, mass)
        self.name = name_of(file)
        self._energy = adm_energy

    @cached_property
    def _initial(self):
        return {} if self._energy is None else {"initial-ADM-energy": self._energy}

    @cached_property
    def each(self):
        """[Waves] of R psi4 through each sphere with all of its modes, ascending radii."""
        arrays, found = _arrays(self.path), {}
        for match in filter(None, map(SPHERE.fullmatch, arrays)):
            if match[4] == "re" and int(match[2]) >= 2:
                found.setdefault(match[1], []).append((int(match[2]), int(match[3])))
        made = []
        for key, modes in sorted(found.items(), key=lambda item: float(item[0])):
            radius, times = float(key), f"r{key}_t" if f"r{key}_t" in arrays else "t"
            series = {(l, m): _series(self.path, arrays, times, f"r{key}_l{l}_m{m}_", tables.mode(l, m, radius)) for l, m in sorted(modes)}
            if not radius > self.adm_energy:
                raise WaveError(f"{self.path}: a sphere of radius {radius:g}, which is inside the holes of mass {self.adm_energy:g}")
            made.append(Waves("psi4", arrays[times], {lm: values for lm, (_, values) in series.items()}, radius, self._areal(radius),
                              self.mass, f"{self.name}, r = {radius:g}"))
        if not made:
            raise WaveError(f"{self.path}: no modes of psi4 with l = 2 or more; understood are {KEYS}")
        return made

    @cached_property
    def _spheres(self):
        shared = set.intersection(*(set(w.modes) for w in self.each))
        if not shared:
            raise WaveError(f"{self.path}: its spheres have no mode in common")
        return [replace(w, modes={lm: w.modes[lm] for lm in sorted(shared)}) for w in self.each]
