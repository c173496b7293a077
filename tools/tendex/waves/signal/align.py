"""Alignment of two waves in time and phase, and resampling.

A wave b is moved in time and turned about z to lie on a: b(t - dt) with every mode times exp(i m dphi). Two ways: in
a window, dt and dphi make the squared difference of the modes least, sum_lm int |a_lm(t) - exp(i m dphi) b_lm(t -
dt)|^2 dt; or peaks are put on each other, and dphi makes the phases there equal. Both are finer than the sampling:
between samples modes are splines of degree 5. With modes of even m only, half a turn changes nothing, and the dphi of
least size is taken.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.optimize import minimize_scalar

from tendex.waves.signal.modes import WaveError, phase

DEGREE = 5
# A window is searched for dt this far to both sides of the first guess, in M, in steps of that, before the last digits.
REACH, STEP = 50.0, 1.0
# Around a peak, modes are compared this far to both sides for the side of an orbit that dphi leaves open, in M.
BESIDE_PEAK = 20.0


@dataclass(frozen=True)
class Alignment:
    """What lays b on a."""

    dt: float  # added to b's times, in their unit
    dphi: float  # radians, in (-pi, pi]; b's modes are to be multiplied by exp(i m dphi)
    difference: float  # what remains in the window: sqrt(int |a - b|^2 / int |a|^2)

    def apply(self, b):
        """b, laid on a."""
        return rotate(b, self.dphi).map(lambda v, l, m: v, t=b.t + self.dt)


def rotate(waves, dphi):
    """Modes times exp(i m dphi): the source turned clockwise about z by dphi, radians."""
    return waves.map(lambda v, l, m: v * np.exp(1j * m * dphi))


def spline(t, values):
    """Spline through values[n] or [n][k], real or complex, at the times t[n]."""
    degree = DEGREE
    while degree >= len(t):
        degree -= 2
    return make_interp_spline(t, values, k=degree)


def resample(waves, t):
    """The same waves at other times, which must lie within their own."""
    t = np.asarray(t, float)
    slack = 1e-9 * (waves.t[-1] - waves.t[0])
    if t[0] < waves.t[0] - slack or t[-1] > waves.t[-1] + slack:
        raise WaveError(f"{waves.name}: asked for t = {t[0]:.6g} to {t[-1]:.6g}, but it is known from {waves.t[0]:.6g} "
                        f"to {waves.t[-1]:.6g}: choose a window inside")
    keys = list(waves.modes)
    new = spline(waves.t, np.column_stack([waves.modes[k] for k in keys]))(t)
    return waves.map(lambda v, l, m: new[:, keys.index((l, m))], t=t)


def peak(t, values, first=-math.inf):
    """Time and height of the greatest |values| from time `first` on, between samples too. Raises WaveError where that
    is at an end of the data."""
    size = np.abs(values) ** 2
    late = np.flatnonzero(t >= first)
    top = late[size[late].argmax()] if late.size else 0
    if not late.size or top in (late[0], late[-1]):
        raise WaveError(f"no peak of the wave between t = {max(t[0], first):.6g} and {t[-1]:.6g}: it is greatest at an "
                        "end; is the merger in the data?")
    near = slice(max(top - 8, 0), top + 9)
    curve = spline(t[near], size[near])
    found = minimize_scalar(lambda x: -curve(x), bounds=(t[top - 1], t[top + 1]), method="bounded",
                            options={"xatol": 1e-10 * (t[top + 1] - t[top - 1])})
    return float(found.x), float(np.sqrt(curve(found.x)))


def peak_time(waves, mode=None, first=-math.inf):
    """Time of the peak of a mode (l, m), or of all modes together."""
    try:
        return peak(waves.t, waves.total() if mode is None else waves.mode(*mode), first)[0]
    except WaveError as e:
        raise WaveError(f"{waves.name}: {e}") from None


def mode_peak(waves, l, m, first):
    """Height, time, and frequency there, of a mode after time `first`, in the unit of the waves. Without frequency
    where m = 0: it does not turn."""
    values = waves.mode(l, m)
    t, height = peak(waves.t, values, first)
    slope = abs(float(spline(waves.t, phase(values)).derivative()(t))) if m else None
    return {"height": height, "time": t, "frequency": slope}


def turn(products):
    """(dphi, value) where Re sum_m products[m] exp(-i m dphi) is greatest; products {m: complex}. Of equals, as with
    even m alone, the dphi nearest to 0."""
    m = np.array(list(products), float)
    c = np.array(list(products.values()))

    def value(phi):
        return float((c * np.exp(-1j * m * phi)).sum().real)

    if not np.abs(m).max():
        return 0.0, value(0.0)
    n = 16 * int(np.abs(m).max())
    grid = np.linspace(-np.pi, np.pi, n + 1)[1:]
    heights = (c * np.exp(-1j * np.outer(grid, m))).sum(axis=1).real
    tops = np.flatnonzero((heights >= np.roll(heights, 1)) & (heights >= np.roll(heights, -1)))
    found = [minimize_scalar(lambda x: -value(x), bounds=(grid[i] - 2 * np.pi / n, grid[i] + 2 * np.pi / n),
                             method="bounded", options={"xatol": 1e-12}).x for i in tops]
    found = [newton(c, m, (x + np.pi) % (2 * np.pi) - np.pi) for x in found]
    best = max(map(value, found))
    near = [x for x in found if value(x) >= best - 1e-9 * np.abs(c).sum()]
    phi = min(near, key=lambda x: (round(abs(x), 9), -x))
    return phi, value(phi)


def newton(c, m, phi):
    """One step to where the derivative of Re sum c exp(-i m phi) vanishes: a search by values finds half the digits."""
    terms = c * np.exp(-1j * m * phi)
    slope, bend = (m * terms).sum().imag, -(m**2 * terms).sum().real
    return phi - slope / bend if bend < 0 else phi


def common(a, b, modes):
    """The (l, m) that both have, of those wanted (None: all)."""
    found = [lm for lm in (a.modes if modes is None else modes) if lm in a.modes and lm in b.modes]
    if not found:
        raise WaveError(f"{a.name} and {b.name} have no mode in common" +
                        ("" if modes is None else f" of {', '.join(map(str, modes))}"))
    return found


class Window:
    """a on even times in a window, and b's splines: what is compared at many dt."""

    def __init__(self, a, b, first, last, modes):
        self.modes = common(a, b, modes)
        self.b = b
        step = float(min(np.median(np.diff(w.t)) for w in (a, b)))
        n = int(math.ceil((last - first) / step)) + 1
        if n < 4:
            raise WaveError(f"window from {first:.6g} to {last:.6g}: it must hold several samples, which are "
                            f"{step:.3g} apart")
        self.t = np.linspace(first, last, n)
        a = resample(a, self.t)
        self.a = np.column_stack([a.modes[k] for k in self.modes])
        self.spline = spline(b.t, np.column_stack([b.modes[k] for k in self.modes]))
        self.norm = float((np.abs(self.a) ** 2).sum())
        if not self.norm > 0:
            raise WaveError(f"{a.name}: nothing but zeros from t = {first:.6g} to {last:.6g}")

    def off(self, dt):
        """(relative squared difference, best dphi) with b moved by dt."""
        b = self.spline(self.t - dt)
        products = {}
        for (_, m), p in zip(self.modes, (self.a * b.conj()).sum(axis=0)):
            products[m] = products.get(m, 0) + p
        dphi, value = turn(products)
        # Not norm + norm - 2 value: that loses half the digits where the waves are alike.
        rest = self.a - b * np.exp(1j * dphi * np.array([m for _, m in self.modes]))
        return float((np.abs(rest) ** 2).sum() / self.norm), dphi


def in_window(a, b, first, last, modes=None, guess=None):
    """The Alignment that makes b's squared difference from a least between times `first` and `last` of a, over all
    modes that both have or those given. guess: dt to begin with (default: from the peaks of all modes together)."""
    window = Window(a, b, first, last, modes)
    guess = peak_time(a) - peak_time(b) if guess is None else guess
    low, high = max(guess - REACH * a.mass, last - b.t[-1]), min(guess + REACH * a.mass, first - b.t[0])
    if not low < high:
        raise WaveError(f"{b.name}: moved by about {guess:.6g} it does not reach over the window from {first:.6g} to "
                        f"{last:.6g} of {a.name}: take a narrower one")
    trial = np.linspace(low, high, 1 + max(2, int(math.ceil((high - low) / (STEP * a.mass)))))
    best = int(np.argmin([window.off(x)[0] for x in trial]))
    step = trial[1] - trial[0]
    found = minimize_scalar(lambda x: window.off(x)[0], method="bounded", options={"xatol": 1e-10 * step},
                            bounds=(max(low, trial[best] - step), min(high, trial[best] + step)))
    square, dphi = window.off(found.x)
    return Alignment(float(found.x), float(dphi), math.sqrt(square))


def at_peak(a, b, mode=None, first=-math.inf):
    """The Alignment that puts the peak of b on that of a (of mode (l, m), default all modes together) and makes the
    phases of (2,2), or of `mode`, equal there. Which half of the orbit it is, modes of odd m around the peak tell.
    first: peaks before it do not count (junk)."""
    l, m = mode or (2, 2)
    if m == 0:
        raise WaveError(f"mode l = {l}, m = 0 has no phase to align: take one with m other than 0")
    t_a, t_b = peak_time(a, mode, first), peak_time(b, mode, first)
    at_a = complex(spline(a.t, a.mode(l, m))(t_a))
    at_b = complex(spline(b.t, b.mode(l, m))(t_b))
    dt, offset = t_a - t_b, np.angle(at_a / at_b) / m
    beside = BESIDE_PEAK * a.mass
    window = Window(a, b, max(t_a - beside, a.t[0], b.t[0] + dt), min(t_a + beside, a.t[-1], b.t[-1] + dt), None)
    moved = window.spline(window.t - dt)
    weight = np.array([m for _, m in window.modes])

    def off(phi):
        return math.sqrt(float((np.abs(window.a - moved * np.exp(1j * weight * phi)) ** 2).sum() / window.norm))

    turns = [(offset + 2 * np.pi * k / m + np.pi) % (2 * np.pi) - np.pi for k in range(abs(m))]
    least = min(map(off, turns))
    dphi = min((x for x in turns if off(x) <= least * (1 + 1e-9) + 1e-12), key=lambda x: (round(abs(x), 9), -x))
    return Alignment(float(dt), float(dphi), off(dphi))
