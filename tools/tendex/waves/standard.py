"""The standard way from a run folder to strain at infinity, with what it is worth.

Spheres are taken that lie in the wave zone (R w >= WAVE_ZONE with w the wave's initial frequency) and where the grid
holds the wave at its peak (POINTS points a wavelength). psi4 is extrapolated over them at equal retarded times with a
polynomial in 1/R, and integrated. With fewer than three such spheres one has to do, with the perturbative correction.

What few points do is seen in the peak of R |psi4_22| after the perturbative correction, which should be the same at
all R: with 13 points a wavelength it falls by 1.0% from R = 20 to 70 (QC-0), with 6.5 by 7.5% from 50 to 100 (D = 8).
A polynomial would take that for powers of 1/R.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from tendex.folder import FolderError
from tendex.waves import ffi
from tendex.waves.infinity import FEWEST, ORDERS, common_times, extrapolate, on_times, retarded
from tendex.waves.modes import WaveError, phase
from tendex.waves.perturbative import perturbative

# Cut-off of the integration, of m = 1, in initial orbital frequencies: below what the first turns show, also where the
# frequency of a short or eccentric run goes up and down.
CUTOFF = 0.6
# Where nothing orbits, of the frequency that is strongest in the strongest mode.
CUTOFF_WITHOUT_ORBIT = 0.5
WAVE_ZONE = 3.0
POINTS = 10.0
ORDER = 2
METHODS = ("polynomial", "perturbative")
# Where a mode is smaller than this, in its own largest values, errors are not given.
FAINT = 0.01


@dataclass
class Error:
    """How other ways to infinity differ from the standard one: {name: Waves of strain at infinity}, over its times.
    Where there are no values of another, or the mode is faint, nan."""

    best: object  # Waves of strain
    others: dict = field(default_factory=dict)

    def difference(self, name, l, m):
        """(amplitude [n], relative; phase [n], rad) of one other way less the standard one."""
        a, b = self.best.mode(l, m), self.others[name].mode(l, m)
        size = np.abs(a)
        clear = size >= FAINT * size.max() if size.max() > 0 else np.zeros(len(a), bool)
        with np.errstate(divide="ignore", invalid="ignore"):
            return (np.where(clear, np.abs(b) / size - 1, np.nan),
                    np.where(clear, np.angle(b * np.conj(a)), np.nan))

    def over_time(self, l, m):
        """The largest differences of all: (amplitude [n], relative; phase [n], rad), not negative."""
        if not self.others:
            return np.full((2, len(self.best.t)), np.nan)
        all_of_them = np.abs([self.difference(name, l, m) for name in self.others])
        known = ~np.isnan(all_of_them)
        return np.where(known.any(0), np.max(np.where(known, all_of_them, 0), 0), np.nan)

    def amplitude(self, l, m):
        return self.over_time(l, m)[0]

    def phase(self, l, m):
        return self.over_time(l, m)[1]

    def at(self, u, l, m):
        """(amplitude, phase) at the time nearest to u."""
        i = np.abs(self.best.t - u).argmin()
        return tuple(float(x[i]) for x in self.over_time(l, m))


@dataclass
class Extrapolated:
    """Strain at infinity, over retarded time in the run's unit, and how it was got."""

    strain: object  # Waves
    psi4: object  # Waves
    news: object  # Waves
    error: Error
    orders: dict  # {N: Waves of strain} of polynomials of order N over the same spheres
    perturbative: object  # Waves of strain
    finite: list  # [Waves] strain through each sphere, r h over the sphere's time
    cutoff: float  # of m = 1, angle per time
    method: str
    order: int  # None if perturbative
    radii: list  # spheres that were used
    peak: float  # retarded time of the largest sqrt(sum |h_lm|^2) after the reference time
    reference: float  # from when on the waves are the binary's
    notes: list  # what a reader has to know


def default_cutoff(run, spheres):
    """Cut-off of m = 1: CUTOFF initial orbital frequencies."""
    orbital = run.initial_orbital_frequency()
    if orbital:
        return CUTOFF * orbital
    wave = spheres[-1]
    mode = max(wave.modes, key=lambda lm: np.abs(wave.modes[lm]).max())
    spectrum = np.abs(np.fft.fft(wave.modes[mode] * ffi.window(wave.t, ffi.TAPER)))
    w = np.abs(2 * np.pi * np.fft.fftfreq(len(wave.t), np.mean(np.diff(wave.t))))
    return CUTOFF_WITHOUT_ORBIT * float(w[spectrum.argmax()]) / max(abs(mode[1]), 1)


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


def peak_time(wave, after):
    """Time of the largest sqrt(sum |mode|^2) later than `after`."""
    late = np.flatnonzero(wave.t >= after)
    if not late.size:
        raise WaveError(f"{wave.name}: ends at u = {wave.t[-1]:g} M, before the junk radiation is over at {after:g} M: "
                        "let the run go on for longer")
    return float(wave.t[late[wave.total()[late].argmax()]])


def frequency(t, values):
    """Angle per time, positive where the mode turns as exp(-i w t). [n]"""
    return -np.gradient(phase(values), t)


def _highest_frequency(sphere, after):
    """Of the strongest mode with l = 2 where it is largest."""
    l, m = max((lm for lm in sphere.modes if lm[0] == 2), key=lambda lm: np.abs(sphere.modes[lm]).max())
    late = np.flatnonzero(sphere.t >= after)
    if not m or not late.size:
        return None
    at = late[np.abs(sphere.mode(l, m)[late]).argmax()]
    return abs(float(frequency(sphere.t, sphere.mode(l, m))[at]))


def choose(run, spheres):
    """([Waves] through spheres that polynomials can be put through, [notes]); fewer than FEWEST: one must do."""
    notes, chosen = [], list(spheres)
    orbital = run.initial_orbital_frequency()
    if orbital:
        chosen = [s for s in spheres if s.areal * 2 * orbital >= WAVE_ZONE]
        if len(chosen) < len(spheres):
            near = spheres[:len(spheres) - len(chosen)]
            notes.append(f"{_radii(near)} left out: R w is below {WAVE_ZONE:g} with the initial frequency "
                         f"w = {2 * orbital:.3g}/M: not in the wave zone")
    if not chosen:
        notes.append("no sphere is in the wave zone: the outermost has to do")
        return spheres[-1:], notes
    highest = _highest_frequency(chosen[0], run.reference_time() + chosen[0].areal)
    steps = [spacing(run, s.radius) for s in chosen]
    points = [2 * math.pi / (highest * step) if step and highest else math.inf for step in steps]
    held = [s for s, n in zip(chosen, points) if n >= POINTS]
    if len(held) < len(chosen):
        lost = [s for s in chosen if s not in held]
        coarsest = max(h for h in steps if h)
        notes.append(f"{_radii(lost)} left out: the grid of {coarsest:g} M there has {min(points):.1f} points in the "
                     f"wavelength of the peak, and with fewer than {POINTS:g} waves lose amplitude")
    if not held:
        notes.append("no sphere in the wave zone is resolved: the innermost of it, where least is lost, has to do")
        return chosen[:1], notes
    return held, notes


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


def at_infinity(run, sphere, cutoff):
    """Waves of psi4 over even retarded times: one sphere's, with the perturbative correction."""
    here = perturbative(sphere, run.adm_energy, cutoff=cutoff)
    times = retarded(sphere, run.adm_energy, run.areal(sphere.radius)).t
    here = replace(here, t=times, label=f"{run.name}, r = {sphere.radius:g} corrected")
    return on_times(here, common_times([here]))


def of_run(run, order=None, radii=None, method=None, cutoff=None):
    """Extrapolated strain of a Run.

    order: of the polynomial, by default ORDER or what the number of spheres allows; radii: coordinate radii of the
    spheres, by default those that `choose` takes; method: one of METHODS, by default the polynomial if there are FEWEST
    spheres or more, and else the other, of the outermost of them; cutoff: as in ffi.strain, by default
    default_cutoff. Runs that are to be compared should have all of these alike."""
    if method not in (None, *METHODS):
        raise WaveError(f"method {method!r}: is none of {', '.join(METHODS)}")
    spheres = run.spheres()
    cutoff = cutoff or default_cutoff(run, spheres)
    chosen, notes = (by_radius(spheres, radii, run), []) if radii else choose(run, spheres)
    if method is None:
        method = METHODS[0] if len(chosen) >= FEWEST or order else METHODS[1]
        if method == METHODS[1]:
            notes.append(f"a polynomial in 1/R needs {FEWEST} spheres, but there "
                         f"{'is 1' if len(chosen) == 1 else f'are {len(chosen)}'}: perturbative correction of "
                         f"r = {chosen[-1].radius:g} M instead")
    one = at_infinity(run, chosen[-1], cutoff)
    if method == METHODS[1]:
        return _finish(run, spheres, chosen, one, one, {}, {}, None, cutoff, notes)
    order = order or min(ORDER, len(chosen) - 1)
    areals = [run.areal(s.radius) for s in chosen]
    orders = {n: extrapolate(chosen, n, run.adm_energy, areals) for n in ORDERS
              if n == order or len(chosen) >= max(n + 1, FEWEST)}
    others = {f"order {n}": w for n, w in orders.items() if n == (order + 1 if order + 1 in orders else order - 1)}
    if len(chosen) >= max(order + 2, FEWEST + 1):
        others["without the innermost"] = extrapolate(chosen[1:], order, run.adm_energy, areals[1:])
        others["without the outermost"] = extrapolate(chosen[:-1], order, run.adm_energy, areals[:-1])
    return _finish(run, spheres, chosen, orders[order], one, orders, others, order, cutoff, notes)


def _finish(run, spheres, chosen, psi4, one, orders, others, order, cutoff, notes):
    """Integrate all, and see how they differ."""
    strain = ffi.strain(psi4, cutoff)
    by_order = {n: ffi.strain(w, cutoff) for n, w in orders.items()}
    corrected = ffi.strain(one, cutoff)
    if order is None:
        others = {f"r = {s.radius:g}": at_infinity(run, s, cutoff) for s in neighbours(spheres, chosen[-1])}
    compared = {name: _over(ffi.strain(w, cutoff), strain.t) for name, w in others.items()}
    if order is not None:
        compared[f"r = {chosen[-1].radius:g}, perturbative"] = _over(corrected, strain.t)
    reference = run.reference_time()
    return Extrapolated(strain, psi4, ffi.news(psi4, cutoff), Error(strain, compared), by_order, corrected,
                        [ffi.strain(s, cutoff) for s in spheres], cutoff, METHODS[order is None], order,
                        [s.radius for s in chosen], peak_time(strain, reference), reference, notes)


def neighbours(spheres, sphere):
    """Those next to a sphere, inside and outside."""
    at = [s.radius for s in spheres].index(sphere.radius)
    return spheres[max(at - 1, 0):at] + spheres[at + 1:at + 2]


def _over(wave, times):
    """At other times; nan where it has none."""
    inside = (times >= wave.t[0]) & (times <= wave.t[-1])

    def one(v, l, m):
        made = np.full(len(times), complex(np.nan, np.nan))
        made[inside] = ffi.interpolated(wave.t, v, times[inside])
        return made
    return wave.map(one, t=times)
