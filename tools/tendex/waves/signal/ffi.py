"""Fixed-frequency integration: news and strain from psi4 without drift.

Twice integrating noise over time makes a drift that grows. Reisswig and Pollney (arXiv:1006.1632) integrate in the
frequency domain instead, where to integrate is to divide by i w, and put w0 in place of |w| where |w| < w0. What turns
more slowly than w0 is then damped and not amplified: an offset c of psi4 gives c / w0^2, and nothing that grows.
"""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from scipy.interpolate import make_interp_spline

from tendex.waves.signal import beginning, drift
from tendex.waves.signal.modes import WaveError
from tendex.waves.signal.planck import falling, window  # noqa: F401  window for others

# Length of the tapers at both ends, in the holes' masses together, but at most a tenth of the data each. At a sphere
# the first is over before the wave comes.
TAPER = 20.0
LONGEST_TAPER = 0.1
# A turning mode does not end with its data, but goes on for so many periods, fading. Cut or tapered where it is
# strong, it has a spectrum down to w = 0, and what is below the cut-off there comes out large everywhere.
CYCLES = 4.0
# Cut-off of modes with m = 0, times the holes' masses together: 0.4 of the lowest ringdown frequency of a hole that
# does not spin, 0.374.
AXIAL = 0.15
# Waves whose part that z -> -z changes is below this, in the whole, are of an orbit in that plane.
LEVEL = 0.02
# Times differ from even ones by less than this fraction of a step, or the data are interpolated to even times.
EVEN = 1e-6
# Mirror images differ by less than this part.
ROUNDING = 1e-14
# Degree of interpolating splines: with ten points a period their error is below 1e-5.
DEGREE = 7


def degree(count):
    """That of a spline through so many values."""
    return min(DEGREE, (count - 1) // 2 * 2 - 1)


def _spline(t, values):
    if degree(len(t)) < 1:
        raise WaveError(f"{len(t)} times are too few to interpolate: 3 are needed")
    return make_interp_spline(t, np.column_stack([values.real, values.imag]), k=degree(len(t)))


def interpolated(t, values, at):
    """Complex values [len(t)] or [len(t)][k] at other times, by a spline of degree DEGREE. [len(at)] or [len(at)][k]"""
    both = _spline(t, values)(at)
    k = both.shape[1] // 2
    made = both[:, :k] + 1j * both[:, k:]
    return made if values.ndim > 1 else made[:, 0]


def each_interpolated(t, modes, at):
    """{(l, m): values} of these over t at other times."""
    if not modes:
        return {}
    made = interpolated(t, np.column_stack(list(modes.values())), at)
    return dict(zip(modes, np.ascontiguousarray(made.T)))


class Even:
    """Times of waves made even, and their modes there and back."""

    def __init__(self, waves):
        self.own, self.t = waves.t, np.linspace(waves.t[0], waves.t[-1], len(waves.t))
        self.step = self.t[1] - self.t[0]
        self.moved = np.abs(self.own - self.t).max() > EVEN * self.step

    def there(self, modes):
        return each_interpolated(self.own, modes, self.t) if self.moved else modes

    def back(self, modes):
        return each_interpolated(self.t, modes, self.own) if self.moved else modes


def padded(count):
    """Points of a transform of so many values in which nothing comes in again at the other end."""
    return 1 << (2 * count - 1).bit_length()


def derivative(t, values):
    """Of complex values over time, by a spline of degree DEGREE. [n]"""
    both = _spline(t, values).derivative()(t)
    return both[:, 0] + 1j * both[:, 1]


def level(waves):
    """Whether the waves are those of a source that is its own mirror image at z = 0, as an orbit in that plane is one:
    h_l-m = (-1)^l conj(h_lm)."""
    whole = part = 0.0
    for (l, m), v in waves.modes.items():
        if (l, -m) in waves.modes:
            whole += np.sum(np.abs(v) ** 2)
            part += np.sum(np.abs(v - (-1) ** l * np.conj(waves.modes[l, -m])) ** 2) / 4
    return bool(part <= LEVEL**2 * whole)


def mode_cutoff(cutoff, m, mass, level=True):
    """w0 of modes of this m: |m| times `cutoff`, as the wave turns |m| times as fast as the orbit. Modes with m = 0 of
    an orbit in the plane z = 0 do not turn: what they have to show is the ringdown, and on the way to it slow noise would
    be amplified; for them it is AXIAL / mass, or `cutoff` where that is more. Their slow part, the memory, psi4 does not
    give in this way. Of other sources, which are not `level', they have a part of what turns about the orbit's axis, at
    least as fast as the orbit: for them it is `cutoff`."""
    if m:
        return abs(m) * cutoff
    return max(cutoff, AXIAL / mass) if level else cutoff


def continued(psi4, step, fitted, w0):
    """[k] values that go on where a turning mode ends, as if it turned and decayed as in its last `fitted` steps, faded
    out over CYCLES of its own periods. None where it does not turn, faster than w0 and evenly, but is noise."""
    ratio = drift.factor(psi4[-fitted:])
    if not ratio or abs(np.angle(ratio)) < w0 * step:
        return np.zeros(0, complex)
    ratio *= min(1.0, 1 / abs(ratio))
    count = int(CYCLES * 2 * np.pi / abs(np.angle(ratio)))
    k = np.arange(1, count + 1)
    return psi4[-1] * ratio**k * falling(k / count)


class Filter:
    """What all modes of even times t [n] have in common; taper: the length of theirs."""

    def __init__(self, t, taper):
        self.length = min(taper, LONGEST_TAPER * (t[-1] - t[0]))
        self.step = (t[-1] - t[0]) / (len(t) - 1)
        self.begin = falling((t[0] + self.length - t) / self.length)
        self.end = falling((t + self.length - t[-1]) / self.length)
        self.angles = {}  # {points: angles per time of the transform}

    def extended(self, psi4, w0, turning, before=None):
        """Return (values [k] of psi4 [n] with how it goes on, index in them of its first). It is tapered at both ends, but where it turns, and faster
        than w0, goes on at the second. before: how it goes on at the first, (values until its end, index there of its first). turning: whether the
        mode is one that may turn."""
        values, first = before or (psi4 * self.begin, 0)
        more = continued(psi4, self.step, max(int(0.5 * self.length / self.step), 2), w0) if turning else []
        if not len(more):
            values = values.copy()
            values[-min(len(psi4), len(values)):] *= self.end[-min(len(psi4), len(values)):]
        return np.concatenate([values, more]), first

    def __call__(self, values, factor):
        """Return values [k] with their parts exp(i w t) times factor(w), a function of angles per time. [k]"""
        points = padded(len(values))
        if points not in self.angles:
            self.angles[points] = 2 * np.pi * np.fft.fftfreq(points, self.step)
        parts = factor(self.angles[points])
        # Of w = 0 and the highest w there is no sign: with a real factor what is real stays real, and a mirror image one.
        parts[[0, points // 2]] = parts[[0, points // 2]].real
        return np.fft.ifft(np.fft.fft(values, points) * parts)[:len(values)]


def integral(w0):
    """factor(w) by which psi4 is integrated to strain, with this cut-off."""
    # psi4 = -d2 strain/dt2
    return lambda w: 1 / np.maximum(np.abs(w), w0) ** 2 + 0j


def _images(modes):
    """[(l, m)] with m < 0 where all of them are h_l-m = (-1)^l conj(h_lm), but for rounding; else none."""
    def image(l, m):
        other = modes.get((l, -m))
        return other is not None and np.abs(modes[l, m] - (-1) ** l * np.conj(other)).max() <= ROUNDING * np.abs(other).max()
    below = [(l, m) for l, m in modes if m < 0]
    return below if all(image(l, m) for l, m in below) else []


@lru_cache(maxsize=8)
def _evened(psi4):
    """(Even, Waves at its times, without modes that are mirror images, these) of Waves."""
    even, images = Even(psi4), _images(psi4.modes)
    modes = {lm: v for lm, v in psi4.modes.items() if lm not in images}
    return even, replace(psi4, t=even.t, modes=even.there(modes)) if even.moved or images else psi4, images


def _whole(even, modes, images, order):
    """{(l, m): values} at the own times of an Even, with mirror images, in an order."""
    found = even.back(modes)
    found.update({(l, m): (-1) ** l * np.conj(found[l, -m]) for l, m in images})
    return {lm: found[lm] for lm in order}


def begins(psi4, variation=beginning.USUAL):
    """The beginning.Beginning of Waves of psi4: from when on they are good, and how they go on before."""
    return beginning.of(_evened(psi4)[1], level(psi4), variation)


def each_filtered(psi4, cutoff, factor, variation=beginning.USUAL, drifts=False, **changes):
    """Waves of psi4 with each mode filtered, also of uneven times, and with other changes of members; cutoff: of a
    mode with m = 1, angle per time in the inverse unit of t; factor(l, w0): a function of w, w0 the mode's cut-off; variation: of how psi4
    goes on before it is good; drifts: whether the factor is `integral', of a strain whose slow part drift.py knows better. Raises WaveError."""
    if not (cutoff > 0 and math.isfinite(cutoff)):
        raise WaveError(f"{psi4.name}: cut-off {cutoff:g}: must be a frequency above 0")
    even, there, images = _evened(psi4)
    fastest = np.pi / even.step
    plane = level(psi4)
    if max(mode_cutoff(cutoff, m, psi4.mass, plane) for _, m in psi4.modes) >= fastest:
        raise WaveError(f"{psi4.name}: cut-off {cutoff:g}: |m| times it is above {fastest:.3g}, the highest frequency "
                        f"that data every {even.step:g} M hold; take about half of the orbital frequency, as angle per time")
    filtered = Filter(even.t, TAPER * psi4.mass * variation.taper)
    begin = beginning.of(there, plane, variation)
    before, first = beginning.continued(there, begin, variation) if begin.chirp else ({}, 0)

    def one(v, l, m):
        w0, turning = mode_cutoff(cutoff, m, psi4.mass, plane), bool(m) or not plane
        values, start = filtered.extended(v, w0, m != 0, (before[l, m], first) if before and turning else None)

        def here(x):
            return x[start:] if start >= 0 else np.concatenate([np.zeros(-start), x])
        cut = here(filtered(values, factor(l, w0)))
        if drifts and turning:
            t = even.t[0] + even.step * np.arange(len(cut))
            cut = drift.removed(t, here(values), len(v), cut, lambda: here(filtered(values, integral(drift.LOWEST * w0))), w0, begin.merger, psi4.mass)
        return cut[:len(v)]
    made = {lm: one(v, *lm) for lm, v in there.modes.items()}
    return replace(psi4, modes=_whole(even, made, images, psi4.modes), **changes)


def _integrable(psi4, kind):
    if psi4.kind != "psi4":
        raise WaveError(f"{psi4.name}: is {psi4.kind}; only psi4 is integrated to {kind}")


def strain(psi4, cutoff, variation=beginning.USUAL):
    """Waves of strain from Waves of psi4; `cutoff`: of a mode with m = 1, angle per time in the inverse unit of t."""
    _integrable(psi4, "strain")
    return each_filtered(psi4, cutoff, lambda l, w0: integral(w0), variation, drifts=True, kind="strain")


def news(psi4, cutoff):
    """The same for the news, dh/dt."""
    _integrable(psi4, "news")
    h = strain(psi4, cutoff)
    return h.map(lambda v, l, m: derivative(h.t, v), kind="news")
