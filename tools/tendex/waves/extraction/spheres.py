"""Which sphere to take waves at infinity from.

The correction for a sphere's radius R lacks what is not linear, and needs R w, w the frequency, of l or more: it wants
spheres far out. On the way there Kreiss-Oliger dissipation damps waves, at a rate of the sum of (sigma/h) sin^6(w n h/2) over
axes, n the cosine of the direction with the axis; sin^8 where it is of order 7. So the outermost
sphere is taken that has lost no more than LOSS of the peak of the strongest mode with l = 2, has seen its ringdown, and
has no coarser grid within EDGE wavelengths outside: what is short scatters there. What was lost is put back (standard.py), all but
a part. 6 M inside of such an edge the odd
modes of equal holes were 2e-3 of the peak after it had passed, 16 M inside 5e-4, and 2e-4 from 23 M on.

Spheres on a coarser grid than the innermost one are not taken where waves of twice that frequency, those of l = 4, lose more than
LOSS_OF_HARMONIC on the way, unless there are fewer than FEWEST others, or R w of the first
waves is below NEAR on the outermost of these. Where it is below NEAR on the outermost that has lost LOSS, LOSS_NEAR is allowed.

LOSS: with nothing put back, at 0.2% of the amplitude the energy lost was 0.4% by this formula, and about 0.6% as measured,
as frequencies above the peak's suffer more. Binaries with 9 to 15 points in the wavelength at the peak, whose data last, had energies
within 0.7% of what the horizon lacks with 0.2%, within 1.1% with 0.3%, and within 2.5% through their outermost spheres.
LOSS_OF_HARMONIC: q = 8 of three orbits, where waves of twice the frequency lose 4.0% on the way to 75 M, has from there 0.25% less energy, 0.1% less
J and 0.6% less of (3,3) than from 45 M, which agrees with the spheres within to 0.06%.
NEAR: with R w = 2 on the sphere at 45 M the phase of the inspiral is worse than from 75 M (q = 1 from 12 M). LOSS_NEAR: of that binary with
40 points per M the sphere at 75 M, which loses 0.4%, had 0.8% less energy and 0.6% less J than the hole lacks with nothing put back; that
at 45 M 1.3% and 2.2%.
"""

import math

import numpy as np

from tendex.base.folder import FolderError
from tendex.physics.radiation import retardation
from tendex.waves.signal import drift, ffi
from tendex.waves.signal.modes import WaveError, phase

LOSS, LOSS_NEAR = 0.002, 0.005
LOSS_OF_HARMONIC, FEWEST = 0.02, 3
EDGE = 1.0
# The ringdown has been seen where the mode ends with less than this part of its peak, over so many masses: of R1 from 42.9 M, which ends with 0.18,
# energy and angular momentum are within 0.04% of what the hole lacks.
FADED = 0.2
END = 10.0
# R w, with w the wave's initial frequency, from where on polynomials in 1/R have a chance.
WAVE_ZONE, NEAR = 3.0, 2.5
PARTS = 64
# The way out is followed in these directions, a spiral that covers the sphere evenly [n][3].
_TURNS = (np.arange(100) + 0.5) / 100
DIRECTIONS = np.stack([*(np.sqrt(1 - (1 - 2 * _TURNS) ** 2) * turn(100 * math.pi * (3 - math.sqrt(5)) * _TURNS) for turn in (np.cos, np.sin)),
                       1 - 2 * _TURNS], axis=1)
# Means over directions of what depends on the cosine with an axis, an even function: Gauss-Legendre on [0, 1].
COSINES, WEIGHTS = (0.5 * (np.polynomial.legendre.leggauss(12)[0] + 1), 0.5 * np.polynomial.legendre.leggauss(12)[1])
# Of three integers below 2^20 one.
NUMBERS = np.array([1, 1 << 21, 1 << 42])
# Of the frequency of the peak: that of the ringdown. -log of what may be left of waves whose loss is put back.
RINGS, MOST = 1.2, 0.5
# Errors of the radius are measured against the sphere next to R / sqrt(2).
STEP = math.sqrt(2)


def frequency(t, values):
    """Angle per time, positive where the mode turns as exp(-i w t). [n]"""
    return -np.gradient(phase(values), t)


class Damping:
    """What dissipation takes from waves on their way out through the last grid of a run; nothing if that is unknown."""

    def __init__(self, run):
        points = run.octant_points
        try:
            grid = run.grids()[-1] if points else None
        except FolderError:
            grid = None
        self._grid, self._parameters, self._passed = None, {}, {}
        if grid is not None:
            low, high = grid.low, grid.low + grid.size[:, None]
            near = np.linalg.norm(np.maximum(np.maximum(low, -high), 0), axis=1)
            far = np.linalg.norm(np.maximum(np.abs(low), np.abs(high)), axis=1)
            self._grid, self._octants, self._parameters = grid, (near, far, grid.size / points), run.parameters
            self._points = points

    @property
    def known(self):
        return self._grid is not None

    def spacing(self, radius):
        """Largest distance of grid points that the sphere passes; None if that is not known."""
        if self._grid is None:
            return None
        near, far, h = self._octants
        passed = h[(near < radius) & (radius < far)]
        return float(passed.max()) if passed.size else None

    def _levels(self, where):
        """{(level, spacing): [n] which of the points [n][3] lie there}."""
        grid = self._grid
        corner = grid.low.min(0)
        where = np.where(corner >= 0, np.abs(where), where) - corner  # a grid that begins at 0 is reflected there
        found = {}
        for size in np.unique(grid.size):
            here = grid.size == size
            octants = np.rint((grid.low[here] - corner) / size).astype(int)
            found[int(grid.level[here][0]), size / self._points] = np.isin(np.floor(where / size).astype(int) @ NUMBERS, octants @ NUMBERS)
        return found

    def _sigma(self, radii, level):
        """[n] Kreiss-Oliger sigma at these radii (physics/dissipation_point.h of the program)."""
        p = self._parameters
        outside, ball = p.get("evolution.dissipation_outside", 0.0), p.get("grid.ball_level", 0)
        if not outside or level >= ball:
            return np.full_like(radii, p.get("evolution.dissipation", 0.0))
        reach = p["grid.extent"]
        if level > p["grid.level_min"]:
            reach = min(reach, p["grid.ball_radius"] * p["grid.ball_growth"] ** (ball - level))
        return outside * np.minimum(1.0, radii / reach) ** 4

    def _way(self, radius):
        """{spacing: integral of sigma dr on points so far apart}, out to the radius, means over directions, as if spacings did not depend
        on the direction's cosines with the axes."""
        if radius not in self._passed:
            part = radius / PARTS
            radii = np.repeat(part * (np.arange(PARTS) + 0.5), len(DIRECTIONS))
            levels = self._levels(radii[:, None] * np.tile(DIRECTIONS, (PARTS, 1)))
            self._passed[radius] = {h: np.sum(self._sigma(radii[there], level)) * part / len(DIRECTIONS)
                                    for (level, h), there in levels.items() if there.any()}
        return self._passed[radius]

    def edge_near(self, radius, w):
        """Whether the grid is coarser somewhere within EDGE wavelengths of waves of frequency w outside the radius."""
        here = self.spacing(radius)
        if not here or not w:
            return False
        beyond = (self.spacing(r) for r in radius + EDGE * 2 * np.pi / w * np.linspace(0.1, 1, 10))
        return any(h is not None and h > 1.01 * here for h in beyond)

    def exponent(self, radius, w):
        """-log of what is left of waves of frequency w, a number or [n], at this coordinate radius, as a mean over directions."""
        total = 0.0 * w
        if self._grid is not None:
            power = self._parameters.get("evolution.dissipation_order", 5) + 1
            for h, sigma in self._way(radius).items():
                phase_of_axis = np.multiply.outer(np.minimum(w * h, np.pi) / 2, COSINES)
                total = total + 3 * sigma / h * (np.sin(phase_of_axis) ** power @ WEIGHTS)
        return total

    def undone(self, waves, radius, after, part=1.0):
        """The Waves as if nothing had been taken until the radius, or only what is left beside this part. What is faster than a mode's
        ringdown is taken for noise, and made no more of than the ringdown. That is at the frequency of its peak after the time
        `after', or, where the mode is noise itself, at l/2 of that of the strongest mode with l = 2. Nor is anything made more of than
        by MOST."""
        if self._grid is None or not part:
            return waves
        even, points = ffi.Even(waves), ffi.padded(len(waves.t))
        lost = self.exponent(radius, np.abs(2 * np.pi * np.fft.fftfreq(points, even.step)))  # grows with the frequency
        there = late(waves, after)
        second = _frequency(there, *_strongest(there))

        def change(v, l, m):
            highest = RINGS * min(_frequency(there, l, m), l / 2 * second)
            factor = np.expm1(part * np.minimum(lost, min(self.exponent(radius, highest), MOST)))
            return np.fft.ifft(np.fft.fft(v, points) * factor)[:len(v)]
        changes = even.back({lm: change(v, *lm) for lm, v in even.there(waves.modes).items()})
        return waves.map(lambda v, l, m: v + changes[l, m])


def spacing(run, radius):
    """Largest distance of grid points, in the last grid, that the sphere passes; None if that is not known."""
    return Damping(run).spacing(radius)


def late(waves, after):
    """From the time `after' on; all if hardly anything is."""
    return waves.cut(first=after) if np.count_nonzero(waves.t >= after) > 8 else waves


def strongest(waves, after):
    """(l, m) of the mode with l = 2, m >= 0 that has the greatest peak after that time."""
    return _strongest(late(waves, after))


def _strongest(there):
    return max((lm for lm in there.modes if lm[0] == 2 and lm[1] >= 0), key=lambda lm: np.abs(there.modes[lm]).max())


def peak_frequency(waves, l, m, after):
    """Root of the mean square, where the mode is above half of its peak after that time; 0 of nothing."""
    return _frequency(late(waves, after), l, m)


def _frequency(there, l, m):
    v = there.mode(l, m)
    if not np.abs(v).max() > 0:
        return 0.0
    above = np.flatnonzero(np.abs(v) >= 0.5 * np.abs(v).max())
    here = slice(above[0], above[-1] + 1)
    return float(np.linalg.norm(np.gradient(v, there.t)[here]) / np.linalg.norm(v[here]))


def choose(run, spheres):
    """(the sphere to take, notes for the reader), of [Waves] of psi4 through the spheres of a run, ascending radii."""
    damping, notes = Damping(run), []
    first = junk_gone(run, spheres[0])
    l, m = strongest(spheres[0], first)
    seen = ringdowns(run, spheres)
    w = peak_frequency(seen[0], l, m, first)
    lost = [damping.exponent(s.radius, w) for s in seen]
    kept = [s for s, x in zip(seen, lost) if x <= LOSS]
    most = LOSS
    if kept and _first(run, kept[-1]) < NEAR:
        most = LOSS_NEAR
        kept = [s for s, x in zip(seen, lost) if x <= most]
    if run.octant_points and not damping.known:
        notes.append("without grid.asc nothing is known of dissipation on the way to the spheres: nothing is put back, and the "
                     "outermost one is taken; copy that file into the run folder")
    if len(seen) < len(spheres):
        short = [s for s in spheres if all(s is not other for other in seen)]
        notes.append(f"{_radii(short)}: the data end before the ringdown has faded")
    if not kept:
        notes.append(f"dissipation takes {lost[0]:.1%} of the peak on its way to r = {seen[0].radius:g} M already: "
                     "refine the grid where the waves are")
    elif len(kept) < len(seen):
        notes.append(f"{_radii(seen[len(kept):])}: dissipation takes more than {most:.1%} of the peak on the way")
    fine = [s for s in kept if damping.spacing(s.radius) == damping.spacing(kept[0].radius)]
    clear = [s for s in kept if s in fine or damping.exponent(s.radius, 2 * w) <= LOSS_OF_HARMONIC]
    if len(fine) >= FEWEST and len(clear) < len(kept) and _first(run, fine[-1]) >= NEAR:
        notes.append(f"{_radii(kept[len(clear):])}: on a coarser grid, where dissipation takes more than {LOSS_OF_HARMONIC:.0%} of waves of "
                     "twice the frequency")
        kept = clear
    quiet = [s for s in kept if not damping.edge_near(s.radius, w)]
    if quiet and quiet[-1] is not kept[-1]:
        near = [s for s in kept if s.radius > quiet[-1].radius]
        notes.append(f"{_radii(near)}: within a wavelength of a refinement boundary")
    return (quiet or kept or seen[:1])[-1], notes


def junk_gone(run, sphere):
    return run.reference_time() + retardation(sphere.areal, run.adm_energy)


def ringdowns(run, spheres):
    """Those that have seen the ringdown; all if none has."""
    l, m = strongest(spheres[0], junk_gone(run, spheres[0]))
    return [s for s in spheres if _faded(s, l, m, junk_gone(run, s))] or spheres


def _faded(sphere, l, m, after):
    size = np.abs(late(sphere, after).mode(l, m))
    end = np.abs(sphere.mode(l, m))[sphere.t > sphere.t[-1] - END * sphere.mass]
    return end.max() < FADED * size.max()


def companions(run, spheres, one):
    """Those that tell, with one of them, what is slow: they have seen the ringdown. Waves at infinity end where the data of the first of these do.
    So those are left out whose data end so soon after the peak that the drift of the strain is not known, if those of the one go on."""
    l, m = strongest(spheres[0], junk_gone(run, spheres[0]))

    def lasts(sphere):
        there = late(sphere, junk_gone(run, sphere))
        return sphere.t[-1] - there.t[np.argmax(np.abs(there.mode(l, m)))]
    enough = min(lasts(one), (drift.SHORTEST + END) * one.mass)
    return [s for s in ringdowns(run, spheres) if lasts(s) >= enough]


def neighbour(spheres, one):
    """The sphere, of those inside if there are any, nearest to R / sqrt(2); None if there is no other."""
    others = [s for s in spheres if s.radius < one.radius] or [s for s in spheres if s.radius > one.radius]
    return min(others, key=lambda s: abs(s.areal - one.areal / STEP), default=None)


def remainder(one, other):
    """By what the difference between two spheres' results is to be multiplied to get what is wrong with the first, if
    that falls as 1/R; no more than for R / sqrt(2), as near ones differ by more than that."""
    return min(other.areal / abs(one.areal - other.areal), 1 / (STEP - 1))


def _first(run, sphere):
    """R w of the first waves; inf where nothing orbits."""
    orbital = run.initial_orbital_frequency()
    return sphere.areal * 2 * orbital if orbital else math.inf


def deep(run, spheres, one):
    """Those in the wave zone, no further out than the sphere that was chosen: for polynomials in 1/R."""
    return [s for s in spheres if s.radius <= one.radius and _first(run, s) >= WAVE_ZONE]


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
