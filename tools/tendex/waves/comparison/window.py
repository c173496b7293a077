"""The part of two inspirals over which one wave is aligned with the other, proposed from the data.

It begins where both waves are clean, and ends some cycles before the peak. A wave is clean from the first time on from which log
amplitude and log frequency of its strongest mode are smooth: in each cycle of any PIECE cycles they differ from parabolas in
log(tau), tau the time until the merger, by less than a limit. To leading order of post-Newtonian theory both are linear in it. Junk radiation and what
the integration of psi4 leaves of its edge oscillate within few cycles, and are rough. The limit is SMOOTH, or ROUGHER times
the median over the second half, for orbits that are eccentric.

What an alignment in one window is worth is how much those in PARTS of it differ.
"""

import contextlib
import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from tendex.waves.comparison import difference
from tendex.waves.signal import align, ffi, frame
from tendex.waves.signal.modes import WaveError, phase

# Cycles of the strongest mode: by which a window ends before the peak, or LATER where there is too little before that; that it has at
# least; that are left out where psi4 is good for the first time: there waves with junk have errors of up to 2.5e-3, half a cycle later of 1.6e-3.
BEFORE_PEAK, LATER = 4.0, 2.0
LEAST = 2.0
EDGE = 0.5
# Cycles of the other wave before the window, which is moved for the alignment.
ROOM = 0.25
# Smoothness is measured over pieces of so many cycles, at so many points a cycle, each part of a cycle.
PIECE, POINTS, STEP = 3.0, 16, 0.25
SMOOTH, ROUGHER = 3e-3, 3.0
# Merger, for log(tau), after the peak, in M: the frequency diverges there in post-Newtonian theory.
AFTER_PEAK = 20.0
# Part of the largest amplitude that is nothing.
TINY = 1e-12
# Rough pieces in the last part of the inspiral are no beginning.
EARLY = 2 / 3
# Smaller windows, as parts of the cycles of one.
PARTS = ((0.0, 2 / 3), (1 / 3, 1.0), (1 / 6, 5 / 6))


@dataclass(frozen=True)
class Clean:
    """From when on a wave is the binary's alone."""

    begins: float
    why: str  # in words


@dataclass(frozen=True)
class Window:
    """Times of A from its peak; first is None where there is no inspiral to align in."""

    first: float
    last: float
    cycles: float  # of the strongest mode in it
    why: str  # how it was found, or why there is none


class Cycles:
    """Cycles of a mode, of either sense, until each of its times, and times of cycles. Where junk turns it back they stand still."""

    def __init__(self, t, values):
        turned = phase(values) / (2 * np.pi)
        sense = np.sign(np.sum(np.abs(values[1:]) * np.diff(turned)))
        self.t, self.n = t, np.minimum.accumulate(sense * turned[::-1])[::-1]

    def at(self, t):
        return float(np.interp(t, self.t, self.n))

    def time(self, n):
        return float(np.interp(n, self.n, self.t))


def leading(waves):
    """(t [n], values [n]) of the strongest mode with m > 0, about the axis of the orbit if that moves. Raises WaveError where no mode
    turns."""
    if not ffi.level(waves):
        waves = frame.turned(waves, frame.coprecessing(waves))
    turning = {lm: np.abs(v).max() for lm, v in waves.modes.items() if lm[1] > 0}
    if not turning or not max(turning.values()) > 0:
        raise WaveError(f"{waves.name}: no mode with m > 0, which could be aligned in a window")
    return waves.t, waves.mode(*max(turning, key=turning.get))


def roughness(t, values, peak, last):
    """(first times [k] of pieces, even in cycles, what they differ by from smooth ones [k]) until the time `last'; empty where there is less
    than one."""
    cycles = Cycles(t, values)
    n = np.arange(cycles.n[0], cycles.at(last), 1 / POINTS)
    length = int(PIECE * POINTS)
    if len(n) < length + 3:
        return np.empty(0), np.empty(0)
    even = np.interp(n, *_rising(cycles.n, t))
    h = align.spline(t, values)(even)
    angle = np.abs(phase(h) - phase(h)[0])
    y = np.stack([np.log(np.maximum(np.abs(h), TINY * np.abs(h).max())), np.log(np.maximum(np.gradient(angle, even), 1e-300))])
    x = np.log(peak + AFTER_PEAK - even)
    firsts = np.arange(1, len(n) - length, max(1, int(STEP * POINTS)))
    return even[firsts], np.array([_off(x[i:i + length], y[:, i:i + length]) for i in firsts])


def _rising(n, t):
    """(n, t) where n rises."""
    kept = np.concatenate([[True], np.diff(n) > 0])
    return n[kept], t[kept]


def _off(x, y):
    """Root of the mean squared difference of rows y [2][k] from parabolas in x, both together, in that cycle of them where it is largest."""
    x = (x - x[0]) / (x[-1] - x[0])
    base = np.vander(x, 3)
    rest = y.T - base @ np.linalg.lstsq(base, y.T, rcond=None)[0]
    return float(np.sqrt(np.mean(np.sum(rest**2, axis=1).reshape(-1, POINTS), axis=1).max()))


def clean(waves, peak, integrated):
    """The Clean of a wave, whose peak is at the time `peak', that is the binary's from its first time on by what is known of it."""
    t, values = leading(waves)
    begins = float(t[0])
    cycles = Cycles(t, values)
    last = cycles.time(cycles.at(peak) - BEFORE_PEAK)
    why = f"from {begins - peak:.1f} M"
    if integrated:
        begins = cycles.time(cycles.n[0] + EDGE)
        why += f", less half a cycle for the beginning of its integration from {begins - peak:.1f} M"
    at, rough = roughness(t, values, peak, last)
    if not len(at):
        return Clean(begins, why)
    limit = max(SMOOTH, ROUGHER * float(np.median(rough[len(rough) // 2:])))
    bad = np.flatnonzero(rough > limit)
    first, later = bad[bad < EARLY * len(at)], bad[bad >= EARLY * len(at)]
    if len(first) and at[first[-1] + 1] > begins:
        begins = float(at[first[-1] + 1])
        why += f", rough by up to {rough[first].max():.1%} in amplitude or frequency until {begins - peak:.1f} M (limit {limit:.1%})"
    if len(later):
        why += f", rough by {rough[later].max():.1%} again from {at[later[0]] - peak:.1f} M on"
    return Clean(begins, why)


def propose(a, b, integrated):
    """The Window for waves a and b, both with their peak at t = 0, that are the binary's from their first times on by what is known of
    them; integrated: whether each is integrated from psi4."""
    found = [clean(w, 0.0, edge) for w, edge in zip((a, b), integrated)]
    t, values = leading(b)
    cycles = Cycles(t, values)
    room = cycles.time(cycles.at(found[1].begins) + ROOM)
    first, why = max(found[0].begins, room), "; ".join(f"{name} {c.why}" for name, c in zip("AB", found))
    t, values = leading(a)
    cycles = Cycles(t, values)
    for before in (BEFORE_PEAK, LATER):
        last = cycles.time(cycles.at(0.0) - before)
        length = cycles.at(last) - cycles.at(first)
        if length >= LEAST:
            return Window(first, last, length, f"{why}; it ends {before:g} cycles before the peak")
    return Window(None, None, max(length, 0.0), f"no window proposed: {max(length, 0.0):.1f} cycles between {first:.1f} M and {LATER:g} "
                  f"cycles before the peak, and {LEAST:g} are needed ({why})")


def parts(cycles, first, last):
    """[(first, last)] of windows in the one from `first' to `last' of a wave of these Cycles."""
    start, end = cycles.at(first), cycles.at(last)
    return [tuple(cycles.time(start + part * (end - start)) for part in pair) for pair in PARTS]


@dataclass(frozen=True)
class Scatter:
    """Differences of alignments in several windows, two or more, from that in the first; modes {(l, m): ...} at the times of the
    ModeDifferences."""

    windows: tuple  # ((first, last), ...), the whole one first
    alignments: tuple  # of each
    amplitude: dict  # {(l, m): [n]} largest difference of the relative amplitude from that of the first
    phase: dict  # {(l, m): [n]} the same, radians

    @property
    def dt(self):
        return max(abs(x.dt - self.alignments[0].dt) for x in self.alignments)


class _Fit(align.Window):
    """An align.Window with a factor of the amplitude that is free: a wave that is larger by a constant would be aligned a little
    late or early otherwise, where the amplitude grows."""

    def off(self, dt):
        """(relative squared difference, best dphi) with b moved by dt and multiplied by a real factor."""
        b = self.spline(self.t - dt)
        products = {}
        for (_, m), p in zip(self.modes, (self.a * b.conj()).sum(axis=0)):
            products[m] = products.get(m, 0) + p
        dphi, value = align.turn(products)
        factor = value / max(float((np.abs(b) ** 2).sum()), 1e-300)
        rest = self.a - factor * b * np.exp(1j * dphi * np.array([m for _, m in self.modes]))
        return float((np.abs(rest) ** 2).sum() / self.norm), dphi


def turning(waves):
    """The Cycles of the mode that leads; None where none turns, as in collisions head-on."""
    with contextlib.suppress(WaveError):
        return Cycles(*leading(waves))


def aligned(a, b, first, last, near=None):
    """The Alignment of b with a by least squares between times `first' and `last' of a, over shifts in time, rotations about z, and a
    factor of the amplitude, which is not applied. near: an Alignment whose shift is within a quarter of a cycle. Raises WaveError."""
    cycles = turning(a)
    if cycles is None:
        return align.in_window(a, b, first, last)
    # The shift is found by the strongest mode, to the last digits by all.
    strongest = max(align.common(a, b, None), key=lambda lm: bool(lm[1]) * np.abs(a.modes[lm]).max())
    near = near or align.in_window(a, b, first, last, [strongest])
    fit = _Fit(a, b, first, last, None)
    reach = 0.25 * (last - first) / max(cycles.at(last) - cycles.at(first), 1.0)
    low, high = max(near.dt - reach, last - b.t[-1]), min(near.dt + reach, first - b.t[0])
    if not low < high:
        raise WaveError(f"{b.name}: does not reach over the window from {first:.6g} to {last:.6g} of {a.name}: take a narrower one")
    dt = float(minimize_scalar(lambda x: fit.off(x)[0], bounds=(low, high), method="bounded", options={"xatol": 1e-9 * reach}).x)
    return align.Alignment(dt, float(fit.off(dt)[1]), math.sqrt(align.Window.off(fit, dt)[0]))


def scatter(a, b, whole, alignment, modes):
    """The Scatter about an Alignment of b with a in the window `whole', for {(l, m): ModeDifference} of it; None where the window is too
    short for others in it."""
    clear, cycles = difference.clear(a, b), turning(a)
    windows, found = [tuple(whole)], [alignment]
    for first, last in parts(cycles, *whole) if cycles else ():
        try:
            found.append(aligned(*clear, first, last, alignment))
            windows.append((first, last))
        except WaveError:  # of too few samples
            continue
    if len(found) == 1:
        return None
    amplitude, turned = {lm: np.zeros(len(d.t)) for lm, d in modes.items()}, {lm: np.zeros(len(d.t)) for lm, d in modes.items()}
    for one in found[1:]:
        moved = one.apply(b)
        for lm, d in modes.items():
            other = difference.of_mode(a, moved, lm, float(d.t[0]))
            off = np.interp(d.t, other.t, other.phase) - d.phase
            off -= 2 * math.pi * np.round(off[np.abs(d.t).argmin()] / (2 * math.pi))
            turned[lm] = np.maximum(turned[lm], np.abs(off))
            amplitude[lm] = np.maximum(amplitude[lm], np.abs(np.interp(d.t, other.t, other.amplitude) - d.amplitude))
    return Scatter(tuple(windows), tuple(found), amplitude, turned)
