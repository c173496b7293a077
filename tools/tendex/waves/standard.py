"""The standard way from a run folder to strain at infinity, with what it is worth.

psi4 of one sphere (spheres.choose) is corrected for its radius by perturbation theory, and integrated. Polynomials in
1/R at equal retarded times, for whoever asks for them: radii of runs span too little for orders that would do as well.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from tendex.waves import ffi
from tendex.waves.infinity import FEWEST, ORDERS, common_times, extrapolate, on_times, retarded
from tendex.waves.modes import WaveError
from tendex.waves.perturbative import perturbative
from tendex.waves.spheres import Damping, by_radius, choose, deep, neighbour, remainder

# Cut-off of the integration, of m = 1, in initial orbital frequencies: below what the first turns show, also where the
# frequency of a short or eccentric run goes up and down.
CUTOFF = 0.6
# Where nothing orbits, of the frequency that is strongest in the strongest mode.
CUTOFF_WITHOUT_ORBIT = 0.5
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
    orders: dict  # {N: Waves of strain} of polynomials of order N; also where the result is not from one
    psi4_orders: dict  # {N: Waves of psi4} that they are from
    order_radii: list  # coordinate radii of their spheres
    perturbative: object  # Waves of strain
    finite: list  # [Waves] strain through each sphere, r h over the sphere's time
    cutoff: float  # of m = 1, angle per time
    method: str
    order: int  # None if perturbative
    radii: list  # spheres that the result is from
    sphere: object  # Waves of psi4 through the sphere that is corrected
    neighbour: object  # Waves through another, for errors; None if there is none
    peak: float  # retarded time of the largest sqrt(sum |h_lm|^2) after the reference time
    reference: float  # from when on the waves are the binary's
    notes: list  # what a reader has to know


def default_cutoff(run, spheres):
    """Cut-off of m = 1: CUTOFF initial orbital frequencies. Raises WaveError where there is neither orbit nor wave yet."""
    orbital = run.initial_orbital_frequency()
    if orbital:
        return CUTOFF * orbital
    wave = spheres[-1]
    mode = max(wave.modes, key=lambda lm: np.abs(wave.modes[lm]).max())
    spectrum = np.abs(np.fft.fft(wave.modes[mode] * ffi.window(wave.t, ffi.TAPER)))
    w = np.abs(2 * np.pi * np.fft.fftfreq(len(wave.t), np.mean(np.diff(wave.t))))
    strongest = float(w[spectrum.argmax()])
    if not strongest > 0:
        raise WaveError(f"{wave.name}: what there is of the waves has no frequency yet: let the run go on for longer")
    return CUTOFF_WITHOUT_ORBIT * strongest / max(abs(mode[1]), 1)


def peak_time(wave, after):
    """Time of the largest sqrt(sum |mode|^2) later than `after`."""
    late = np.flatnonzero(wave.t >= after)
    if not late.size:
        raise WaveError(f"{wave.name}: ends at u = {wave.t[-1]:g} M, before the junk radiation is over at {after:g} M: "
                        "let the run go on for longer")
    return float(wave.t[late[wave.total()[late].argmax()]])


def at_infinity(run, sphere, cutoff):
    """Waves of psi4 over even retarded times: one sphere's, with the perturbative correction."""
    areal = run.areal(sphere.radius)
    here = perturbative(sphere, run.adm_energy, cutoff=cutoff, areal=areal)
    times = retarded(sphere, run.adm_energy, areal).t
    here = replace(here, t=times, label=f"{run.name}, r = {sphere.radius:g} corrected")
    return on_times(here, common_times([here]))


def of_run(run, order=None, radii=None, method=None, cutoff=None):
    """Extrapolated strain of a Run.

    order: of the polynomial, by default ORDER or what the number of spheres allows; radii: coordinate radii of the
    spheres, by default what `choose` takes, and for polynomials those in the wave zone out to there, if they are
    enough; the perturbative correction is that of the outermost of them; method: one of METHODS, by default the
    polynomial if an order is given; cutoff: as in ffi.strain, by default default_cutoff. Runs that are to be compared
    should have all of these alike."""
    if method not in (None, *METHODS):
        raise WaveError(f"method {method!r}: is none of {', '.join(METHODS)}")
    spheres = run.spheres()
    cutoff = cutoff or default_cutoff(run, spheres)
    method = method or METHODS[order is None]
    polynomial = method == METHODS[0]
    if radii:
        chosen, notes = by_radius(spheres, radii, run), []
        one = chosen[-1]
    else:
        one, notes = choose(run, spheres)
        chosen = deep(run, spheres, one)
        if polynomial and len(chosen) < max(FEWEST, (order or 0) + 1):
            chosen = spheres
    areals = [run.areal(s.radius) for s in chosen]
    wanted = order or min(ORDER, max(len(chosen) - 1, 1))
    orders = {n: extrapolate(chosen, n, run.adm_energy, areals) for n in ORDERS
              if (n == wanted and polynomial) or len(chosen) >= max(n + 1, FEWEST)}
    corrected = at_infinity(run, one, cutoff)
    perturbed = ffi.strain(corrected, cutoff)
    psi4 = orders[wanted] if polynomial else corrected
    strain = ffi.strain(psi4, cutoff)
    near = neighbour(spheres, one)
    if not polynomial:
        others = _perturbative_others(run, one, near, corrected, strain, cutoff)
    else:
        others = {name: _over(ffi.strain(w, cutoff), strain.t)
                  for name, w in _polynomial_others(run, chosen, orders, wanted, areals).items()}
        others[f"r = {one.radius:g}, perturbative"] = _over(perturbed, strain.t)
    reference = run.reference_time()
    return Extrapolated(strain, psi4, ffi.news(psi4, cutoff), Error(strain, others),
                        {n: ffi.strain(w, cutoff) for n, w in orders.items()}, orders, [s.radius for s in chosen],
                        perturbed,
                        [ffi.strain(s, cutoff) for s in spheres], cutoff, method, wanted if polynomial else None,
                        [s.radius for s in chosen] if polynomial else [one.radius], one, near,
                        peak_time(strain, reference), reference, notes)


def _perturbative_others(run, one, near, corrected, strain, cutoff):
    """{name: Waves of strain}: without what dissipation has taken; without what is left of the radius, from that of
    another sphere, or if there is none, without any correction."""
    undamped = Damping(run).undone(corrected, one.radius, run.reference_time())
    others = {"without dissipation": ffi.strain(undamped, cutoff)}
    if near is None:
        plain = retarded(one, run.adm_energy, run.areal(one.radius))
        return {**others, "without correction": _over(ffi.strain(on_times(plain, corrected.t), cutoff), strain.t)}
    there, part = _over(ffi.strain(at_infinity(run, near, cutoff), cutoff), strain.t), remainder(one, near)
    others[f"with r = {near.radius:g}, in 1/R"] = strain.map(lambda v, l, m: v + part * (v - there.mode(l, m)))
    return others


def _polynomial_others(run, chosen, orders, wanted, areals):
    """{name: Waves of psi4}: of the next order, and without spheres at the ends."""
    others = {f"order {n}": w for n, w in orders.items() if n == (wanted + 1 if wanted + 1 in orders else wanted - 1)}
    if len(chosen) >= max(wanted + 2, FEWEST + 1):
        others["without the innermost"] = extrapolate(chosen[1:], wanted, run.adm_energy, areals[1:])
        others["without the outermost"] = extrapolate(chosen[:-1], wanted, run.adm_energy, areals[:-1])
    return others


def _over(wave, times):
    """At other times; nan where it has none."""
    inside = (times >= wave.t[0]) & (times <= wave.t[-1])

    def one(v, l, m):
        made = np.full(len(times), complex(np.nan, np.nan))
        made[inside] = ffi.interpolated(wave.t, v, times[inside])
        return made
    return wave.map(one, t=times)
