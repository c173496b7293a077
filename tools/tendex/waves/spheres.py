"""Which spheres to take waves at infinity from.

For a polynomial in 1/R those that lie in the wave zone (R w >= WAVE_ZONE with w the wave's initial frequency), and
where the grid has POINTS points in the wavelength of the wave's peak. A coarser grid damps waves on their way out, and
a polynomial takes that for powers of 1/R, and makes it larger. It is seen in psi4 after the perturbative correction,
which should be the same at all R. Measured so: with 12 points a wavelength (QC-0, (2,2)) it falls by 0.9% from R = 20
to 70 M, with 6 (QC-0, (4,4)) by 19%, with 6.5 (D = 8, (2,2)) by 7.5% from 50 to 100 M; and polynomials of order 2
through that give a (2,2) that is another 0.4% lower, and a (4,4) of half its size. For one sphere's correction the
innermost in the wave zone is best then.
"""

import math
from dataclasses import dataclass

import numpy as np

from tendex.folder import FolderError
from tendex.waves.modes import WaveError, phase

WAVE_ZONE = 3.0
POINTS = 20.0


def frequency(t, values):
    """Angle per time, positive where the mode turns as exp(-i w t). [n]"""
    return -np.gradient(phase(values), t)


def spacing(run, radius):
    """Largest distance of grid points, in the last grid, that the sphere passes; None if that is not known."""
    points = run.summary.get("octant_points")
    try:
        grid = run.grids()[-1] if points else None
    except FolderError:
        grid = None
    if grid is None:
        return None
    low, high = grid.low, grid.low + grid.size[:, None]
    near = np.linalg.norm(np.maximum(np.maximum(low, -high), 0), axis=1)
    far = np.linalg.norm(np.maximum(np.abs(low), np.abs(high)), axis=1)
    passed = (near < radius) & (radius < far)
    return float(grid.size[passed].max()) / points if passed.any() else None


def _highest_frequency(sphere, after):
    """Of the strongest mode with l = 2 where it is largest."""
    l, m = max((lm for lm in sphere.modes if lm[0] == 2), key=lambda lm: np.abs(sphere.modes[lm]).max())
    late = np.flatnonzero(sphere.t >= after)
    if not m or not late.size:
        return None
    at = late[np.abs(sphere.mode(l, m)[late]).argmax()]
    return abs(float(frequency(sphere.t, sphere.mode(l, m))[at]))


@dataclass
class Choice:
    zone: list  # [Waves] through spheres in the wave zone
    held: list  # of these, where the grid holds the wave: for polynomials
    one: object  # Waves: the sphere to take if it is to be one
    notes: list  # what a reader has to know


def choose(run, spheres):
    """The Choice among [Waves] of psi4 through the spheres of a run."""
    notes, zone = [], list(spheres)
    orbital = run.initial_orbital_frequency()
    if orbital:
        zone = [s for s in spheres if s.areal * 2 * orbital >= WAVE_ZONE]
        if len(zone) < len(spheres):
            notes.append(f"{_radii(spheres[:len(spheres) - len(zone)])} left out: R w is below {WAVE_ZONE:g} with the "
                         f"initial frequency w = {2 * orbital:.3g}: not in the wave zone")
    if not zone:
        notes.append("no sphere is in the wave zone: the outermost has to do")
        return Choice([], [], spheres[-1], notes)
    highest = _highest_frequency(zone[0], run.reference_time() + zone[0].areal)
    steps = [spacing(run, s.radius) for s in zone]
    points = [2 * math.pi / (highest * step) if step and highest else math.inf for step in steps]
    held = [s for s, n in zip(zone, points) if n >= POINTS]
    lost = [s for s, n in zip(zone, points) if n < POINTS]
    if lost:
        coarsest = max(h for h in steps if h)
        notes.append(f"{_radii(lost)}: the grid of {coarsest:g} M has {min(points):.1f} points in the wavelength of "
                     f"the peak; with fewer than {POINTS:g} waves lose amplitude outwards, which polynomials in 1/R "
                     "make worse")
    return Choice(zone, held, held[-1] if held else zone[0], notes)


def _radii(spheres):
    return "r = " + ", ".join(f"{s.radius:g}" for s in spheres) + " M"


def by_radius(spheres, radii, run):
    """The spheres of these coordinate radii. Raises WaveError."""
    found = []
    for r in radii:
        match = [s for s in spheres if abs(s.radius - r) < 0.005]
        if not match:
            raise WaveError(f"{run.path}: no sphere of r = {r:g}; there are "
                            + ", ".join(f"{s.radius:g}" for s in spheres))
        found += match
    return sorted(found, key=lambda s: s.radius)
