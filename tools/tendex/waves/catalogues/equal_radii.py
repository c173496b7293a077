"""Psi4 of two codes through spheres of the same coordinate radius, as their own observers see it: nothing is corrected, and nothing
integrated.

Both are in units of M, so that radii are equal where R/M is. Between spheres of one code psi4 can be interpolated, on request: at
equal retarded times R psi4 of an outgoing wave in flat space is a polynomial in 1/R, and Lagrange's through the next FEW spheres is
taken, never beyond the first or the last one.
"""

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tendex.physics.radiation import retardation
from tendex.waves.catalogues import catalogue, catalogue_npz, catalogue_toolkit
from tendex.waves.catalogues.catalogue import Entry
from tendex.waves.reading.run import Run
from tendex.waves.signal.infinity import common_times, on_times, retarded
from tendex.waves.signal.modes import WaveError, Waves

# Part by which radii may differ that are taken for equal: what is wrong at a finite radius differs by as little.
ALIKE = 2e-3
# Spheres that a polynomial goes through.
FEW = 4
INFINITE = "compare at infinity, --radius inf"


@dataclass(frozen=True)
class Source:
    """Where spheres come from: a Run, or what stands for one."""

    run: object
    mass: float  # M in its unit
    unit: str  # what that is, in words
    form: str
    ratio: float = None
    stated: bool = True
    binary: object = None

    @property
    def spheres(self):
        return self.run.each if isinstance(self.run, catalogue_npz.Spheres) else self.run.spheres()

    def radii(self):
        """Coordinate radii in units of M."""
        return [s.radius / self.mass for s in self.spheres]

    def said(self):
        return ", ".join(f"{s.radius:g}" for s in self.spheres)


def has_spheres(path):
    """Whether a path is a file of psi4 through spheres, which are compared as they are unless something else is asked for."""
    return catalogue_npz.has_spheres(Path(path))


def known(path):
    """Whether a path is one of those that have spheres."""
    path = Path(path)
    return (path / "run.yaml").exists() or has_spheres(path) or (path.is_dir() and catalogue_toolkit.is_ours(path))


def source(path, mass=None, beside=None):
    """The Source of a path; beside: that of the other wave, whose number for M a file without one takes. Raises WaveError."""
    path = Path(path)
    if (path / "run.yaml").exists():
        run = Run(path)
        binary, unit = catalogue.binary_of(run)
        return Source(run, binary.mass, unit, f"run of Tendex {run.version}", catalogue.ratio_of(binary.then.masses), binary=binary)
    if has_spheres(path):
        unit, words = catalogue.npz_unit(mass, beside)
        return Source(catalogue_npz.Spheres(path, unit), unit, words, "npz, psi4 through spheres", stated=False)
    if path.is_dir() and catalogue_toolkit.is_ours(path):
        folder = catalogue_toolkit.ToolkitFolder(path, mass)
        return Source(folder, folder.mass, catalogue.GIVEN if mass else catalogue.PUNCTURES, "Einstein Toolkit")
    raise WaveError(f"{path}: --radius compares psi4 through spheres, which a run folder, a folder of the Einstein Toolkit and an .npz file "
                    "of psi4 have; leave --radius out")


def pair(a, b, radius=None, between=False, mass=None):
    """(Entry, Entry) of R psi4 through the sphere of this coordinate radius in the unit of B, or the largest that both have.
    between: whether psi4 of one that lacks it is interpolated. Raises WaveError where there is no such sphere."""
    first = source(a, mass) if not has_spheres(a) or has_spheres(b) else None
    second = source(b, mass, first)
    first = first or source(a, mass, second)
    at = _largest(first, second) if radius is None else radius / second.mass
    return tuple(_entry(one, at, between) for one in (first, second))


def _same(x, y):
    return abs(x - y) <= ALIKE * y


def _largest(a, b):
    """Largest radius in units of M that both have."""
    shared = [r for r in b.radii() if any(_same(x, r) for x in a.radii())]
    if not shared:
        raise WaveError(f"{a.run.name} has psi4 at r = {a.said()}, {b.run.name} at r = {b.said()}, in units in which M is {a.mass:.6g} and "
                        f"{b.mass:.6g}: no radius in common. {INFINITE}, or name one with --radius and interpolate with --between")
    return max(shared)


def _entry(one, at, between):
    """The Entry of a Source at a radius, in units of M."""
    spheres = one.spheres
    found = next((s for s in spheres if _same(s.radius / one.mass, at)), None)
    notes = ()
    if found is None:
        lacks = f"{one.run.name}: no sphere of r = {at * one.mass:g}, there are {one.said()}"
        if not between:
            raise WaveError(f"{lacks}: take one that both have, interpolate with --between, or {INFINITE}")
        if not spheres[0].radius < at * one.mass < spheres[-1].radius:
            raise WaveError(f"{lacks}: it is not between them, and psi4 is not extrapolated to it; {INFINITE}")
        found, used = interpolated(one.run, spheres, at * one.mass)
        notes = (f"psi4 at r = {at * one.mass:g} interpolated in 1/R between r = {', '.join(f'{r:g}' for r in used)}",)
    begins = one.run.reference_time() + found.areal
    waves = replace(found, mass=one.mass).geometric(one.mass)
    begins = min(begins / one.mass, 0.5 * (waves.t[0] + float(waves.t[waves.total().argmax()])))
    return Entry(replace(waves, label=f"{one.run.name}, r = {found.radius:g}"), f"{one.form}, psi4 at r = {found.radius:g}",
                 max(begins, float(waves.t[0])), notes, binary=one.binary, mass=one.mass, unit=one.unit, ratio=one.ratio,
                 stated=one.stated)


def interpolated(run, spheres, radius):
    """(Waves of r psi4 at a coordinate radius between those of [Waves], radii that were used)."""
    near = sorted(sorted(spheres, key=lambda s: abs(1 / s.radius - 1 / radius))[:FEW], key=lambda s: s.radius)
    x = np.array([1 / s.radius for s in near])
    share = np.array([math.prod((1 / radius - b) / (a - b) for b in x if b != a) for a in x])
    shared = set.intersection(*(set(s.modes) for s in near))
    areals = [run.areal(s.radius) for s in near]
    here = [retarded(replace(s, modes={lm: s.modes[lm] for lm in sorted(shared)}), run.adm_energy, areal)
            for s, areal in zip(near, areals)]
    u = common_times(here)
    # Areal less coordinate radii over retarded time, a polynomial in 1/r about a hole, and from them that of the sphere between.
    each = [np.interp(np.interp(u, one.t, s.t), *areal) - s.radius for one, s, areal in zip(here, near, areals)]
    areal, values = radius + share @ np.array(each), [on_times(one, u) for one in here]
    modes = {lm: radius / areal * np.tensordot(share, [one.modes[lm] for one in values], 1) for lm in values[0].modes}
    return Waves("psi4", u + retardation(areal, run.adm_energy), modes, radius, float(np.median(areal))), [s.radius for s in near]
