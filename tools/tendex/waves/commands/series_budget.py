"""The error budget of a run from the other runs of its series: what `converge', `export' and `show' share."""

import math
from dataclasses import dataclass, replace

import numpy as np

from tendex.physics.radiation import retardation
from tendex.waves.comparison import accuracy, bound, budget, members, resolutions, richardson
from tendex.waves.extraction import radiated, standard
from tendex.waves.holes import hole
from tendex.waves.signal import align, ffi
from tendex.waves.signal.modes import WaveError
from tendex.waves.signal.series import trusted

# Modes with l up to this are in a budget, whose peak is above this part of that of (2,2).
L_MOST, LEAST = 4, 2e-3
# A (2,2) that is below this part of all modes together is noise, as in head-on collisions along z.
NOISE = 1e-3
# What of the errors of standard.Error is the integration's.
INTEGRATED = (standard.INTEGRATION, standard.START)
MERGER = "peak of |h_22|, u/M"
HORIZON, HEIGHT, FREQUENCY = "common horizon, t", "peak |r h_22|/M", "M w_22 there"


@dataclass(frozen=True)
class Number:
    """Of the finest run, with the error of its evolution, and that of measuring it: through spheres, or on horizons."""

    found: bound.Number
    measured: float  # nan: not known

    @property
    def total(self):
        return self.found.bound + (0.0 if math.isnan(self.measured) else self.measured)

    def known(self):
        return {"values": self.found.values, "limit": self.found.limit, "numerical": self.found.bound, "measurement": self.measured,
                "total": self.total, **self.found.rule.known()}


@dataclass(frozen=True)
class Series:
    """Runs of one series, and the budget of the finest."""

    folders: list  # [Run], the coarsest first
    h: tuple
    believed: str  # why no order is, or ""
    notes: list
    start: float  # retarded time
    all_waves: list  # [Extrapolated], all of the same spheres
    waves: list  # [Waves] that are compared
    laid: resolutions.Laid  # None where (2,2) is noise
    modes: dict  # {(l, m): budget.Mode}
    numbers: dict  # {name: Number}
    faint: bool = False  # whether (2,2) is noise

    @property
    def best(self):
        return self.all_waves[-1]

    @property
    def mass(self):
        return self.folders[-1].mass


def spacing(folder):
    """Finest spacing of a run's grid, in its unit."""
    try:
        found = folder.parameters
        extent, level = found["grid.extent"], found["grid.level_max"]
        points = found.get("grid.octant_points") or folder.octant_points
        if points is None:
            raise KeyError("octant_points")
        return extent / (found.get("grid.trees", 1) * points * 2**level)
    except KeyError as e:
        raise WaveError(f"{folder.path}: no {e.args[0]} in run.yaml or summary.json: is the run finished?") from e


def of(folders, best=None, start=None, modes=None, radius=None):
    """The Series of two or three Runs, the coarsest first. best: what standard.of_run made of the finest, by default the standard; start: first
    retarded time; modes: [(l, m)]; radius: of the sphere whose psi4 is compared in place of the strain. Raises WaveError."""
    h = tuple(spacing(f) for f in folders)
    richardson.check(h)
    believed, notes = members.check([str(f.path) for f in folders], [f.parameters for f in folders], [f.version for f in folders])
    start = max(f.reference_time() for f in folders) if start is None else start
    best = best or standard.of_run(folders[-1])
    same = {"order": best.order, "radii": best.radii, "method": best.method, "cutoff": best.cutoff,
            "centre": "off" if best.centre is None else "tracks"}
    all_waves = [standard.of_run(f, **same) for f in folders[:-1]] + [best]
    waves = [trusted(w.strain) for w in all_waves] if radius is None else [through(f, radius) for f in folders]
    late = waves[-1].cut(first=start)
    faint = bool(np.abs(late.mode(2, 2)).max() < NOISE * late.total().max())
    if faint:
        notes.append("(2,2) is noise, as the waves have m = 0: they have no phase, and neither orders nor errors")
        return Series(folders, h, believed, notes, start, all_waves, waves, None, {}, numbers(folders, h, all_waves, None, believed), True)
    wanted = modes or modes_of(late)
    laid = resolutions.lay(waves, start, list(dict.fromkeys([(2, 2), *wanted])))  # (2,2) tells the frequency of all, and the merger
    others = (lambda lm, t: other_errors(best.error, lm, t)) if radius is None else (lambda lm, t: no_errors(t))
    found = budget.of_modes(h, laid, others, believed)
    return Series(folders, h, believed, notes, start, all_waves, waves, laid, {lm: found[lm] for lm in wanted},
                  numbers(folders, h, all_waves, laid, believed, delays=radius is None))


def through(folder, radius):
    """psi4 through a sphere of a run, at retarded time."""
    for sphere in folder.spheres():
        if abs(sphere.radius - radius) < 1e-6:
            late = retardation(sphere.areal, folder.adm_energy)
            return sphere.map(lambda v, l, m: v, t=sphere.t - late)
    has = ", ".join(f"{s.radius:g}" for s in folder.spheres())
    raise WaveError(f"{folder.path}: --radius {radius:g}: there is no such sphere, but r = {has}")


def modes_of(wave):
    """[(l, m)] of a budget, (2,2) first: those with m < 0 where the source is not its own mirror image."""
    level = ffi.level(wave)
    top = {lm: float(np.abs(v).max()) for lm, v in wave.modes.items() if lm[0] <= L_MOST and (lm[1] > 0 or (lm[1] < 0 and not level))}
    loud = [lm for lm in top if top[lm] > LEAST * top[2, 2] and lm != (2, 2)]
    return [(2, 2), *sorted(loud, key=lambda lm: -top[lm])]


def other_errors(error, lm, t):
    """{"extraction", "integration": (amplitude [n], phase [n])} of a standard.Error at the times t [n]."""
    names = {"integration": [n for n in error.others if n.startswith(INTEGRATED)],
             "extraction": [n for n in error.others if not n.startswith(INTEGRATED)]}
    found = {}
    for part, chosen in names.items():
        rows = standard.Error(error.best, {n: error.others[n] for n in chosen}).over_time(*lm)
        found[part] = tuple(_at(error.best.t, row, t) for row in rows)
    return found


def _at(times, row, t):
    """Values [n] at other times; where they are not known those of the nearest time at which they are."""
    known = np.isfinite(row)
    return np.interp(t, times[known], row[known]) if known.any() else np.full(len(t), np.nan)


def no_errors(t):
    unknown = np.full(len(t), np.nan)
    return {part: (unknown, unknown) for part in ("extraction", "integration")}


def numbers(folders, h, all_waves, laid, believed="", delays=True):
    """{name: Number} of what all runs have; without peaks of (2,2) where it is noise, laid = None. delays: those of `laid' count for the merger."""
    rows = [numbers_of(f, w) | (of_peak(f, w) if laid else {}) for f, w in zip(folders, all_waves)]
    found = {}
    for name in rows[-1]:
        values = [row[name][0] for row in rows]
        if None in values:
            continue
        found[name] = Number(bound.number(h, values, believed), rows[-1][name][1])
    unit = folders[-1].mass
    if laid and delays:
        at = budget.merger(h, laid, [value * unit for value in found[MERGER].found.values], believed)
        scaled = replace(at, values=found[MERGER].found.values, bound=at.bound / unit, limit=at.limit / unit)
        found[MERGER] = Number(scaled, found[MERGER].measured)
    return found


def numbers_of(folder, waves):
    """{name: (value or None, error of measuring it)} of one run."""
    searches = folder.searches()
    left = hole.horizon(searches, folder.mass)
    gone = radiated.of_run(folder, waves)
    mass = left.mass.value if left else folder.adm_energy - gone.value[0]
    kick, unsure = (float(np.linalg.norm(x[4:])) / mass * hole.LIGHT_KM_S for x in (gone.value, gone.error))
    unknown = None, math.nan
    return {
        "M_f": (left.mass.value, _spread(left.mass)) if left else unknown,
        "a_f/M_f": (hole.signed(left.chi, left.direction, folder.orbit_axis).value, _spread(left.chi)) if left else unknown,
        "kick, km/s": (kick, unsure), "E radiated": (gone.value[0], gone.error[0]), "J_z radiated": (gone.value[3], gone.error[3]),
        HORIZON: (left.first_seen, _between(searches)) if left else unknown,
    }


def of_peak(folder, waves):
    """The same of the peak of (2,2)."""
    top = align.mode_peak(waves.strain.geometric(), 2, 2, folder.reference_time() / folder.mass)
    unsure = waves.error.at(top["time"] * folder.mass, 2, 2)[0] * top["height"]
    return {MERGER: (top["time"], _of_peak(waves)), HEIGHT: (top["height"], unsure), FREQUENCY: (top["frequency"], math.nan)}


def _spread(mean):
    return mean.deviation + abs(mean.drift)


def _between(searches):
    """Time between searches for horizons."""
    times = np.unique(searches["time"])
    return float(np.median(np.diff(times))) if len(times) > 1 else math.nan


def _of_peak(waves):
    """By how much other ways to infinity move the peak of (2,2), in M: the root of the sum of squares."""
    best = align.peak_time(waves.strain, (2, 2), waves.reference)
    moved = []
    for other in waves.error.others.values():
        values = other.mode(2, 2)
        if np.isfinite(values).all():
            moved.append(align.peak_time(other, (2, 2), waves.reference) - best)
    return math.sqrt(sum(x**2 for x in moved)) / waves.strain.mass


def in_own_units(series):
    """{name: (values, numerical, measured, total)} of the numbers of a Series in the run's unit, also of those that are in M."""
    scales = {MERGER: series.mass, HEIGHT: series.mass, FREQUENCY: 1 / series.mass}
    found = {}
    for name, one in series.numbers.items():
        scale = scales.get(name, 1.0)
        found[name] = (tuple(v * scale for v in one.found.values), one.found.bound * scale, one.measured * scale, one.total * scale)
    return found


def signal_to_noise(series):
    """{detector: [accuracy.Row]} of a Series of strains; {} where they are noise."""
    if series.faint:
        return {}
    unit, best = series.mass, series.best
    geometric = {lm: budget.Mode(_scaled(one.unaligned, unit), one.aligned) for lm, one in series.modes.items()}
    groups = {"extraction": {}, "integration": {}}
    for name, other in best.error.others.items():
        part = "integration" if name.startswith(INTEGRATED) else "extraction"
        source = name if name.startswith(standard.SOURCES) else "ways to infinity"
        groups[part].setdefault(source, []).append(other.geometric(unit))
    others = {part: list(found.values()) for part, found in groups.items()}
    return accuracy.rows(series.waves[-1].geometric(unit), series.start / unit, geometric, others)


def _scaled(laid, unit):
    return replace(laid, t=laid.t / unit)
