"""One wave at several resolutions, at the same times: amplitudes and phases unaligned, at the same retarded time, and aligned at the peak of
(2,2); their orders of convergence."""

import math
from dataclasses import dataclass

import numpy as np

from tendex.waves.comparison import richardson
from tendex.waves.signal import align
from tendex.waves.signal.modes import Waves, WaveError, phase

# Modes are compared by themselves whose peak is above this part of that of (2,2).
LEAST_MODE = 0.01
# The ringdown is compared until the wave has fallen to this part of its peak.
FADED = 0.01


@dataclass(frozen=True)
class Compared:
    """One mode at three resolutions."""

    t: np.ndarray  # [n]
    amplitude: richardson.Series
    phase: richardson.Series  # radians
    high: np.ndarray  # [n] amplitude of HIGH


@dataclass(frozen=True)
class Laid:
    """Waves at the same times, the last of them the best: {(l, m): (t [n], [amplitudes [n]], [phases [n]])}."""

    peak: float  # of the best one's (2,2)
    before: dict  # at the same retarded time
    after: dict  # with peaks laid on each other
    shifts: tuple  # (align.Alignment) of all but the best


def lay(waves, start, modes=None):
    """The Laid of two or three Waves from time `start' on. Raises WaveError where they do not fit."""
    best = waves[-1]
    peak = align.peak_time(best, (2, 2), start)
    modes = modes or strong(best.cut(first=start))
    shifts = tuple(align.at_peak(best, w, (2, 2), start) for w in waves[:-1])
    moved = [*(s.apply(w) for s, w in zip(shifts, waves)), best]
    end, found = faded(best, peak), []
    for group, at in ((waves, start), (moved, peak)):
        t, common = on_common(group, start, end, modes)
        found.append({lm: clear(t, common, lm, at) for lm in modes})
    return Laid(peak, *found, shifts)


@dataclass(frozen=True)
class Convergence:
    """Of three waves, the third the best."""

    h: tuple
    peak: float  # of HIGH's (2,2)
    before: dict  # {(l, m): Compared} at the same time
    after: dict  # {(l, m): Compared} with peaks laid on each other
    shifts: tuple  # (align.Alignment) of LOW and MED on HIGH


def compare(h, waves, start, modes=None):
    """The Convergence of three Waves at spacings h, from time `start` on. Raises WaveError where they do not fit."""
    richardson.check(h)
    return of_laid(h, lay(waves, start, modes))


def of_laid(h, laid):
    """The Convergence of a Laid of three waves at spacings h."""
    groups = ({lm: compared(h, *one) for lm, one in group.items()} for group in (laid.before, laid.after))
    return Convergence(tuple(h), laid.peak, *groups, laid.shifts)


def strong(wave):
    """Modes with m > 0 that are worth a comparison, (2,2) first."""
    top = {lm: float(np.abs(v).max()) for lm, v in wave.modes.items() if lm[1] > 0}
    return sorted((lm for lm in top if top[lm] > LEAST_MODE * top[2, 2]), key=lambda lm: -top[lm])


def faded(wave, peak):
    """When (2,2) has fallen to FADED of its peak, or the end of the data."""
    size = np.abs(wave.mode(2, 2))
    low = np.flatnonzero((wave.t > peak) & (size < FADED * size[wave.t >= peak].max()))
    return float(wave.t[low[0]]) if low.size else float(wave.t[-1])


def on_common(waves, start, end, modes):
    """(t, [Waves]) of the wanted modes at even times that all have between start and end."""
    first, last = max(start, *(w.t[0] for w in waves)), min(end, *(w.t[-1] for w in waves))
    step = float(np.median(np.diff(waves[-1].t)))
    if not last - first > 10 * step:
        raise WaveError(f"the runs have waves in common only from t = {first:.6g} to {last:.6g}: give runs of equal "
                        "length, or an earlier --start")
    t = np.linspace(first, last, 1 + int(math.ceil((last - first) / step)))
    return t, [align.resample(Waves(w.kind, w.t, {lm: w.mode(*lm) for lm in modes}, label=w.name), t) for w in waves]


def compared(h, t, sizes, phases):
    return Compared(t, richardson.series(h, t, *sizes), richardson.series(h, t, *phases), sizes[2])


def clear(t, waves, lm, at=-math.inf):
    """(t, [amplitudes], [phases]) of a mode of waves at the same times t, the last of them the best, while it has a phase; whole turns
    at the time `at' are no difference."""
    values = [w.modes[lm] for w in waves]
    # A weaker mode is lost in errors before (2,2) is, and has no phase then.
    size = np.abs(values[-1])
    gone = np.flatnonzero((np.arange(len(t)) > size.argmax()) & (size < FADED * size.max()))
    end = max(int(gone[0]), 2) if gone.size else len(t)
    t, values = t[:end], [v[:end] for v in values]
    phases = [phase(v) for v in values]
    there = min(int(np.searchsorted(t, at)), len(t) - 1)
    phases = [p - 2 * np.pi * round((p[there] - phases[-1][there]) / (2 * np.pi)) for p in phases]
    return t, [np.abs(v) for v in values], phases


def errors(h, peak, one):
    """Of one mode: order and error of amplitude (relative) and phase, at the merger and over what comes before it."""
    near = int(np.argmin(np.abs(one.t - peak)))
    before = slice(0, near + 1)
    relative = np.abs(one.amplitude.error) / one.high
    out = {}
    for name, series, error in (("amplitude", one.amplitude, relative), ("phase", one.phase, np.abs(one.phase.error))):
        order, _, why = richardson.overall(h, one.t[before], series.low_med[before], series.med_high[before])
        since = richardson.late(h, one.t[before], series.low_med[before], series.med_high[before]) if why else None
        out[name] = {"order": known(series.order), "order_before_merger": known(order), "why_not_before": why,
                     "converges": series.converges, "why_not": series.why, "alike": known(series.alike),
                     "late": {"from": one.t[since[0]], "order": since[1]} if since else None,
                     "error_at_merger": float(error[near]), "error_before_merger": float(error[before].max())}
    return out


def known(value):
    """None for what is not a number, as JSON has no such."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
