"""The standard way from a run folder to strain at infinity, with what it is worth.

psi4 of one sphere (spheres.choose) is turned back as far as its points have turned (dragging.py) and its waves will on the way out (rotation.py),
gets back what dissipation took on the way there, is corrected for its radius by perturbation theory, put at its retarded time (clock.py),
integrated, and taken into the frame of the centre of mass.
Polynomials in 1/R at equal retarded times are optional: radii of runs span too little for orders that would do as well.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from scipy.ndimage import maximum_filter1d

from tendex.waves.extraction import centre as centres
from tendex.waves.extraction import clock, dragging, observers, rotation
from tendex.waves.extraction.perturbative import perturbative
from tendex.waves.extraction.spheres import (Damping, by_radius, choose, companions, deep, frequency, junk_gone,
                                             neighbour, remainder)
from tendex.waves.signal import ffi, poles
from tendex.waves.signal.beginning import Variation
from tendex.waves.signal.infinity import FEWEST, ORDERS, common_times, extrapolate, on_times, retarded
from tendex.waves.signal.modes import WaveError

# Cut-off of the integration, of m = 1, in initial orbital frequencies: below what the first turns show, also where the
# frequency of a short or eccentric run goes up and down.
CUTOFF = 0.6
# Where psi4 is continued before its start, of what the orbit has so many cycles of (2,2) before: of three orbits it is 0.40 of the first
# frequency, of twenty 0.55. A higher one takes from the chirp, a lower one amplifies noise.
CYCLES_BEFORE = 6.0
# But no lower than this, in initial orbital frequencies: runs of two orbits have more slow noise than a chirp loses.
LEAST = 0.4
# Where nothing orbits, of the frequency that is strongest in the strongest mode.
CUTOFF_WITHOUT_ORBIT = 0.5
ORDER = 2
METHODS = ("polynomial", "perturbative")
# Of the cut-off: a strain with a lower one tells what the integration takes, and what it leaves of that.
LOWER = 0.6
# Spheres of which the outermost is so many times as far out as the innermost show by polynomials in 1/R what is wrong with a sphere's
# correction; in times of near zones, from where on they do.
SPAN, FAR = 1.6, 3.0
# Names of differences begin so that are not ways to infinity.
DISSIPATION, DRAGGING, INTEGRATION, START, ORIGIN, OBSERVERS = SOURCES = ("dissipation", "frame dragging", "cut-off", "start",
                                                                          "centre of mass", "observers")
# How a continuation before the start may as well be chosen: a period later, and from a shorter fit with fewer cycles. Without one, a
# longer taper.
CONTINUED = {f"{START}, a period later": Variation(later=1.0), f"{START}, shorter": Variation(cycles=0.75, window=0.75)}
TAPERED = {f"{START}, longer taper": Variation(taper=2.0)}
# (2,1) and (3,3) beat with (2,2) a little more or less than before for reasons other than a wrong drift.
BEATS_MORE = 1.1
# Part of what dissipation took that may not be put back. From 45 to 75 M (4,4) and (5,5) of two binaries lost 2% and 8%, of which 22 to
# 30% were missing still, as frequencies above the ringdown's are taken for noise, and refinement boundaries scatter.
DOUBT = 1 / 3
LESS = f"{DISSIPATION}, {1 - DOUBT:.0%} put back"
# Parts of a turn in which the largest difference is looked for.
BINS = 16
# Where a mode is smaller than this, in its own largest values, errors are not given.
FAINT = 0.01
# A mode swings along a line rather than turns where abs(integral of h^2) is more than this part of the integral of abs(h)^2: 0 for a
# circle, 1 for a line, as for all modes with m = 0 of orbits in the plane z = 0. Faint modes that turn have up to 0.88 in recorded runs.
LINE = 0.95


def _most(parts):
    """Largest of [k][2][n] over k, where any is known."""
    known = ~np.isnan(parts)
    return np.where(known.any(0), np.max(np.where(known, parts, 0), axis=0), np.nan)


def _envelope(mode, values):
    """Largest of values [n] within half a turn of the mode [n] to both sides; nan stays."""
    turned = np.concatenate([[0.0], np.cumsum(np.abs(np.angle(mode[1:] * mode[:-1].conj())))])
    bins = (turned * BINS / (2 * np.pi)).astype(int)
    high = np.zeros(bins[-1] + 1)
    np.maximum.at(high, bins, np.where(np.isnan(values), 0, values))
    return np.where(np.isnan(values), np.nan, maximum_filter1d(high, BINS + 1)[bins])


def _line(mode):
    """Direction in the complex plane along which a mode [n] swings; None if it turns."""
    square, norm = np.sum(mode**2), np.sum(np.abs(mode) ** 2)
    return np.exp(0.5j * np.angle(square)) if np.abs(square) > LINE * norm else None


@dataclass
class Error:
    """How other ways to infinity, and what else may be wrong, differ from the standard one: {name: Waves of strain at infinity}, over its
    times. Where there are no values of another, or the mode is faint, nan."""

    best: object  # Waves of strain
    others: dict = field(default_factory=dict)

    def size(self, l, m):
        """[n] What errors are relative to: the amplitude. That of a mode which swings along a line, as with m = 0 or in a head-on
        collision, vanishes at times: there it is the largest within half a period."""
        mode = self.best.mode(l, m)
        return np.abs(mode) if _line(mode) is None else _envelope(mode, np.abs(mode))

    def difference(self, name, l, m):
        """(amplitude [n], relative; phase [n], rad) of one other way less the standard one. Of a mode that swings along a line: the
        parts along and across it, over its size."""
        a, b = self.best.mode(l, m), self.others[name].mode(l, m)
        size, line = self.size(l, m), _line(a)
        clear = size >= FAINT * size.max() if size.max() > 0 else np.zeros(len(a), bool)
        with np.errstate(divide="ignore", invalid="ignore"):
            if line is None:
                parts = np.abs(b) / size - 1, np.angle(b * np.conj(a))
            else:
                apart = (b - a) / line * np.where((a / line).real < 0, -1, 1) / size
                parts = apart.real, apart.imag
            return tuple(np.where(clear, part, np.nan) for part in parts)

    def over_time(self, l, m):
        """(amplitude [n], relative; phase [n], rad), not negative: the root of the sum of squares of the largest difference between ways
        to infinity and of each SOURCE that adds to it; as the largest within half a period, since differences swing."""
        if not self.others:
            return np.full((2, len(self.best.t)), np.nan)
        parts = {name: np.abs(self.difference(name, l, m)) for name in self.others}
        ways = [part for name, part in parts.items() if not name.startswith(SOURCES)]
        groups = [part for name, part in parts.items() if name.startswith(SOURCES)] + ([_most(ways)] if ways else [])
        known = ~np.isnan(groups)
        total = np.sqrt(np.sum(np.where(known, groups, 0) ** 2, axis=0))
        total = np.where(known.any(0), total, np.nan)
        return np.array([_envelope(self.best.mode(l, m), row) for row in total])

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

    strain: object  # Waves, as all that is at infinity here in the frame of the centre of mass, if there is a `centre'
    psi4: object  # Waves
    news: object  # Waves
    error: Error
    orders: dict  # {N: Waves of strain} of polynomials of order N; also where the result is not from one
    psi4_orders: dict  # {N: Waves of psi4} that they are from
    order_radii: list  # coordinate radii of their spheres
    perturbative: object  # Waves of strain
    perturbative_psi4: object  # Waves of psi4 that they are from
    spheres: list  # [Waves] of psi4 through each sphere, ascending radii
    finite: list  # [Waves] strain through each, r h over the sphere's time
    cutoff: float  # of m = 1, angle per time
    method: str
    order: int  # None if perturbative
    radii: list  # spheres that the result is from
    sphere: object  # Waves of psi4 through the sphere that is corrected
    neighbour: object  # Waves through another, for errors; None if there is none
    peak: float  # retarded time of the largest sqrt(sum |h_lm|^2) after the reference time
    reference: float  # from when on the waves are the binary's
    notes: list  # what a reader has to know
    start: float = None  # retarded time from when on psi4 is good; before it, it is continued; None: it is not
    centre: object = None  # the Centre (centre.py) whose frame it is; None: the run's own frame
    beats: tuple = None  # centre.beats before and after; None where they say nothing
    own: object = None  # the Extrapolated in the run's own frame, where there is a `centre'


def default_cutoff(run, spheres):
    """Cut-off of m = 1: `orbital_part' of the initial orbital frequency. Raises WaveError where there is neither orbit nor wave yet."""
    orbital = run.initial_orbital_frequency()
    if orbital:
        return orbital_part(spheres[-1]) * orbital
    wave = spheres[-1]
    mode = max(wave.modes, key=lambda lm: np.abs(wave.modes[lm]).max())
    spectrum = np.abs(np.fft.fft(wave.modes[mode] * ffi.window(wave.t, ffi.TAPER * wave.mass)))
    w = np.abs(2 * np.pi * np.fft.fftfreq(len(wave.t), np.mean(np.diff(wave.t))))
    strongest = float(w[spectrum.argmax()])
    if not strongest > 0:
        raise WaveError(f"{wave.name}: the waves are too short to have a frequency: let the run continue")
    return CUTOFF_WITHOUT_ORBIT * strongest / max(abs(mode[1]), 1)


def orbital_part(psi4):
    """Return the cut-off in initial orbital frequencies for Waves of psi4."""
    chirp = ffi.begins(psi4).chirp
    if not chirp:
        return CUTOFF
    return max(CUTOFF * chirp.frequency(chirp.before(CYCLES_BEFORE, 1e-2 / chirp.first)[:1])[0] / chirp.first, LEAST)


def peak_time(wave, after):
    """Time of the largest sqrt(sum |mode|^2) later than `after`."""
    late = np.flatnonzero(wave.t >= after)
    if not late.size:
        raise WaveError(f"{wave.name}: ends at u = {wave.t[-1]:g} M, before the junk radiation is over at {after:g} M: "
                        "let the run continue")
    return float(wave.t[late[wave.total()[late].argmax()]])


@lru_cache(maxsize=32)
def whole(run, sphere, cutoff, more=0.0, put_back=1.0, dragged=0.0):
    """Waves of psi4 through a sphere as observers at rest see it who do not turn, around what has no angular momentum, with what dissipation took on
    the way there, or a part of it put back; cutoff, more, dragged: as in rotation.undone, observers.at_rest and dragging.undone."""
    still = dragging.undone(run, observers.at_rest(run, sphere, more), dragged)
    still = rotation.undone(run, still, cutoff)
    return Damping(run).undone(still, sphere.radius, junk_gone(run, sphere), put_back)


def at_infinity(run, sphere, cutoff, beside=(), **how):
    """Waves of psi4 over even retarded times: one sphere's, with the perturbative correction; beside: Waves through others, which
    tell, with it, what is so slow that it is in the near zone of the sphere; how: as in `whole'."""
    spheres = [sphere, *(s for s in beside if s.radius != sphere.radius)]
    radii, parts = [s.areal for s in spheres], []
    for k, s in enumerate(spheres):
        areal, still = run.areal(s.radius), whole(run, s, cutoff, **how)
        inside = observers.mass_inside(run, still, cutoff)
        here = perturbative(still, run.adm_energy, cutoff=cutoff, areal=areal, beside=radii, number=k, inside=inside)
        there = retarded(s, run.adm_energy, areal, clock.later(run, s, inside, how.get("more", 0.0)))
        parts.append(replace(here, t=there.t, start=there.start))
    times = common_times(parts)
    parts = [on_times(p, times) for p in parts]
    total = {lm: sum(p.modes[lm] for p in parts) for lm in parts[0].modes}
    return replace(parts[0], modes=total, label=f"{run.name}, r = {sphere.radius:g} corrected")


def less_put_back(run, corrected, one):
    """Waves of psi4 at infinity from the sphere `one' without the part DOUBT of what was put back."""
    return Damping(run).undone(corrected, one.radius, run.reference_time(), -DOUBT)


def polynomial(run, spheres, order, cutoff, **how):
    """Waves of psi4 over retarded times: the polynomial in 1/R through spheres; cutoff, how: as in `whole'."""
    still = [whole(run, s, cutoff, **how) for s in spheres]
    later = [clock.later(run, s, observers.mass_inside(run, s, cutoff), how.get("more", 0.0)) for s in still]
    return extrapolate(still, order, run.adm_energy, [run.areal(s.radius) for s in spheres], later=later)


def passing(run, waves, psi4, cutoff):
    """Waves through a sphere as they are, R times r over at the retarded time of their rays; psi4: Waves of psi4 through it; cutoff: as in
    `whole'."""
    inside = observers.mass_inside(run, whole(run, psi4, cutoff), cutoff)
    return retarded(waves, run.adm_energy, run.areal(psi4.radius), clock.later(run, psi4, inside))


def of_run(run, order=None, radii=None, method=None, cutoff=None, centre=centres.CENTRES[0]):
    """Extrapolated strain of a Run.

    order: of the polynomial, by default ORDER or what the number of spheres allows; radii: coordinate radii of the
    spheres, by default what `choose` takes, and for polynomials those in the wave zone out to there, if they are
    enough; the perturbative correction is that of the outermost of them, and what is slow comes from all of them, or of one alone from all that
    there are; method: one of METHODS, by default the
    polynomial if an order is given; cutoff: as in ffi.strain, by default default_cutoff; centre: `tracks', to take the
    waves into the frame of the centre of mass, or `off'. Runs that are to be compared should have all of these alike."""
    if method not in (None, *METHODS):
        raise WaveError(f"method {method!r}: is none of {', '.join(METHODS)}")
    spheres = run.spheres()
    cutoff = cutoff or default_cutoff(run, spheres)
    method = method or METHODS[order is None]
    by_order = method == METHODS[0]
    if radii:
        chosen, notes = by_radius(spheres, radii, run), []
        one = chosen[-1]
    else:
        one, notes = choose(run, spheres)
        chosen = deep(run, spheres, one)
        if by_order and len(chosen) < max(FEWEST, (order or 0) + 1):
            chosen = spheres
    wanted = order or min(ORDER, max(len(chosen) - 1, 1))
    orders = {n: polynomial(run, chosen, n, cutoff) for n in ORDERS
              if (n == wanted and by_order) or len(chosen) >= max(n + 1, FEWEST)}
    seen = chosen if radii and len(radii) > 1 else companions(run, spheres, one)
    corrected = at_infinity(run, one, cutoff, seen)
    perturbed = ffi.strain(corrected, cutoff)
    psi4 = orders[wanted] if by_order else corrected
    strain = ffi.strain(psi4, cutoff) if by_order else perturbed
    near = neighbour(spheres, one)
    if not by_order:
        others = _perturbative_others(run, seen, one, near, corrected, strain, cutoff)
        others.update(_apart(strain, orders, chosen, cutoff))
    else:
        others = {name: _over(ffi.strain(w, cutoff), strain.t)
                  for name, w in _polynomial_others(run, chosen, orders, wanted, cutoff).items()}
        others[f"r = {one.radius:g}, perturbative"] = _over(perturbed, strain.t)
    reference = run.reference_time()
    begin = ffi.begins(corrected)
    if begin.why:
        notes = notes + [f"psi4 is not continued before its start: {begin.why}; the strain of its first cycles is of little worth"]
    notes = notes + poles.notes(run.tetrad, spheres) + observers.notes(run, spheres)
    made = Extrapolated(strain, psi4, ffi.news(psi4, cutoff), Error(strain, others),
                        {n: ffi.strain(w, cutoff) for n, w in orders.items()}, orders, [s.radius for s in chosen],
                        perturbed, corrected, spheres,
                        [ffi.strain(s, cutoff) for s in spheres], cutoff, method, wanted if by_order else None,
                        [s.radius for s in chosen] if by_order else [one.radius], one, near,
                        peak_time(strain, reference), reference, notes, begin.chirp.t0 if begin.chirp else None)
    return _about_the_centre(run, made) if centre == centres.CENTRES[0] else made


def _about_the_centre(run, made):
    """The Extrapolated in the frame of the centre of mass, where that is known."""
    found, notes = centres.of_run(run)
    notes = made.notes + notes
    if found is None:
        return replace(made, notes=notes)

    @lru_cache(maxsize=None)
    def moved(waves):
        return centres.in_frame(waves, found.position, found.velocity)
    strain = moved(made.strain)
    # What other ways to infinity differ by is moved by far less than they differ.
    before, others = made.strain.cut(strain.t[0], strain.t[-1]), {}
    for name, other in made.error.others.items():
        other = other.cut(strain.t[0], strain.t[-1])
        others[name] = centres.shifted(strain, {lm: v - before.modes[lm] for lm, v in other.modes.items()})
    late = centres.in_frame(made.strain, *found.late)
    if late is not strain:
        others[f"{ORIGIN}, late half"] = _over(late, strain.t)
        # What the highest l lacks from the next is of the size of what it has got from those below.
        others[f"{ORIGIN}, from l = {strain.l_max + 1}"] = strain.map(lambda v, l, m: before.modes[l, m] if l == strain.l_max else v)
    beats = centres.beats(made.strain, found.first, found.last), centres.beats(strain, found.first, found.last)
    if None not in beats and beats[1] > BEATS_MORE * beats[0] > 0:
        notes.append(f"centre of mass: its correction makes (2,1) and (3,3) beat more with (2,2), {beats[1] / beats[0]:.2g} times: the "
                     "tracks' drift may be one of the coordinates alone; compare with --centre off")
    return replace(made, strain=strain, psi4=moved(made.psi4), news=moved(made.news), error=Error(strain, others),
                   orders={n: moved(w) for n, w in made.orders.items()},
                   psi4_orders={n: moved(w) for n, w in made.psi4_orders.items()}, perturbative=moved(made.perturbative),
                   perturbative_psi4=moved(made.perturbative_psi4), own=made,
                   peak=peak_time(strain, made.reference), notes=notes, centre=found,
                   beats=None if None in beats else beats)


def without_cutoff(psi4, strain, cutoff):
    """Waves of strain as if nothing were cut off, from that with the cut-off LOWER times as high. What is lost, the integral of
    h (1 - w^2/w0^2) over |w| < w0, is in proportion to w0 where the spectrum there is flat, as that of a merger is: of it
    the lower cut-off gives back the part 1 - LOWER."""
    lower = ffi.strain(psi4, LOWER * cutoff)
    return strain.map(lambda v, l, m: v + (lower.mode(l, m) - v) / (1 - LOWER))


def begun_otherwise(psi4, cutoff):
    """{name: Waves of strain} of psi4 at infinity, with other choices of how it goes on before it is good."""
    choices = CONTINUED if ffi.begins(psi4).chirp else TAPERED
    possible = {name: variation for name, variation in choices.items() if variation.taper != 1 or ffi.begins(psi4, variation).chirp}
    return {name: ffi.strain(psi4, cutoff, variation) for name, variation in possible.items()}


def _perturbative_others(run, seen, one, near, corrected, strain, cutoff):
    """{name: Waves of strain}: with less of what dissipation took; with another cut-off; with faster observers, and ones that turn, where
    they were not measured; from the sphere alone; and without what is left of the radius, from that of another sphere, or if there is
    none, without any correction."""
    others = {LESS: ffi.strain(less_put_back(run, corrected, one), cutoff), f"{INTEGRATION} to 0": without_cutoff(corrected, strain, cutoff),
              **begun_otherwise(corrected, cutoff)}

    def made(sphere, *beside, **how):
        return _over(ffi.strain(at_infinity(run, sphere, cutoff, beside, **how), cutoff), strain.t)
    alone = made(one)
    if not observers.sure(run, [one]):
        others[OBSERVERS] = made(one, *seen, more=1.0)
    if not dragging.sure(run, [one]):
        turned = made(one, dragged=1.0)
        others[DRAGGING] = strain.map(lambda v, l, m: v + turned.mode(l, m) - alone.mode(l, m))
    if len(seen) > 1:
        others[f"r = {one.radius:g} alone"] = alone
    if near is None:
        plain = passing(run, one, one, cutoff)
        return {**others, "without correction": _over(ffi.strain(on_times(plain, corrected.t), cutoff), strain.t)}
    there, part = made(near, *(s for s in seen if s.radius < one.radius)), remainder(one, near)
    others[f"with r = {near.radius:g}, in 1/R"] = strain.map(lambda v, l, m: v + part * (v - there.mode(l, m)))
    return others


def _apart(strain, orders, chosen, cutoff):
    """{name: Waves of strain} of polynomials, which tell something where spheres are SPAN apart; nan where a mode that turns has any
    of them nearer than FAR l/w, and for modes that do not turn."""
    if not orders or chosen[-1].areal < SPAN * chosen[0].areal:
        return {}
    others = {}
    for n, wave in orders.items():
        if n < ORDER:
            continue
        made = _over(ffi.strain(wave, cutoff), strain.t)
        others[f"order {n} in 1/R"] = made.map(lambda v, l, m: np.where(
            chosen[0].areal > FAR * near_zone(strain, l, m), v, complex(np.nan, np.nan)))
    return others


def near_zone(strain, l, m):
    """[n] l/w over time: radii below it are in the near zone of the mode, where what falls as 1/R is not the most of it (Thorne, Rev.
    Mod. Phys. 52, 299, section IV); inf where a mode has m = 0 or turns the other way."""
    w = np.sign(m) * frequency(strain.t, strain.mode(l, m)) if m else np.zeros(len(strain.t))
    return np.where(w > 0, l / np.where(w > 0, w, 1.0), np.inf)


def _polynomial_others(run, chosen, orders, wanted, cutoff):
    """{name: Waves of psi4}: of the next order, with less of what dissipation took, with faster observers, and ones that turn, where
    they were not measured, and without spheres at the ends."""
    others = {f"order {n}": w for n, w in orders.items() if n == (wanted + 1 if wanted + 1 in orders else wanted - 1)}
    others[LESS] = polynomial(run, chosen, wanted, cutoff, put_back=1 - DOUBT)
    if len(chosen) >= max(wanted + 2, FEWEST + 1):
        others["without the innermost"] = polynomial(run, chosen[1:], wanted, cutoff)
        others["without the outermost"] = polynomial(run, chosen[:-1], wanted, cutoff)
    if not observers.sure(run, chosen):
        others[OBSERVERS] = polynomial(run, chosen, wanted, cutoff, more=1.0)
    if not dragging.sure(run, chosen):
        others[DRAGGING] = polynomial(run, chosen, wanted, cutoff, dragged=1.0)
    return others


def _over(wave, times):
    """At other times; nan where it has none."""
    inside = (times >= wave.t[0]) & (times <= wave.t[-1])

    def one(v, l, m):
        made = np.full(len(times), complex(np.nan, np.nan))
        made[inside] = ffi.interpolated(wave.t, v, times[inside])
        return made
    return wave.map(one, t=times)
