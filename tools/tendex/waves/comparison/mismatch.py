"""Mismatch of two waves: one less their overlap, weighted with a detector's noise, at the best shift in time and phase.

The overlap of complex waves h = h+ - i hx is <a|b> = 2 int a~(f) b~*(f) / S(|f|) df over both signs of f, divided by
|a| |b|: plus with plus and cross with cross added up, as two detectors of equal noise turned by 45 degrees see it. Its
modulus is what it becomes at the best phase, or angle of polarisation; the best time comes from a Fourier transform,
then to rounding from Newton's iteration. A wave of one sign of f, as a mode (l, m) of a binary in a plane is one, has
the same mismatch as its plus part alone.

Without a detector the overlap is <a|b>_n = int |w|^(2n) a~(w) b~*(w) dw of strains: n = 0 counts all frequencies of the strain alike
(white noise), n = 1 those of the news, so that frequencies count by the energy that they carry, dE/dw in proportion to
w^2 |h~|^2 (gr-qc/9701039), and n = 2 those of psi4.

One detector sees h+ cos(kappa) + hx sin(kappa), kappa its effective polarisation. Of what it sees of the second wave kappa is
free: with <|> the overlap of real series, v = (<a|b+>, <a|bx>) and G the products of b+ and bx, its match is
sqrt(v G^-1 v / <a|a>) (arXiv:1709.09181), then greatest over time and azimuth. Over the whole sky the overlap of two waves
is the sum of those of their modes.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from tendex.physics.harmonics import harmonic
from tendex.waves.signal import ffi
from tendex.waves.signal.align import resample
from tendex.waves.signal.modes import WaveError, phase

# G Msun / c^3, s, as LALSuite has it.
SUN_S = 4.925491025543576e-06
# Points in zeros that follow each point of the wave: no shift meets the wave again from the other side.
PADDING = 3
# The taper takes this many cycles of the wave at the start, and this many M at the end.
TAPER_CYCLES = 2.0
TAPER_END = 20.0
# Frequencies of a wave above this, in 1/M, are noise: (8, 8) of a hole of spin .95 rings at 0.45.
HIGHEST = 0.6
# Steps of Newton's iteration; it converges quadratically from within half a point.
STEPS = 20
# The search for an azimuth: first as many of them, with shifts up to REACH in time, then nearer than NEAR.
AZIMUTHS = 36
REACH = 100.0
NEAR = 0.1
# Of a Taylor series in the shift, by at most half a point: of frequencies below one over two points each is less than
# (pi / 2)^p / p!.
TERMS = 22
# Of the norm of a wave: a polarisation that has less is rounding.
TINY = 1e-13


@dataclass(frozen=True)
class Match:
    mismatch: float
    dt: float  # added to b's times, in their unit,
    dphi: float  # and b multiplied by exp(i dphi), radians: b lies on a


@dataclass(frozen=True)
class Spectra:
    """Fourier transforms of two waves on one grid of frequencies; the unit is the wave's own."""

    f: np.ndarray  # [n] of both signs, numpy's order
    a: np.ndarray  # [n]
    b: np.ndarray  # [n]
    step: float  # of time

    @classmethod
    def of(cls, a, b, step):
        """Of series with the same uniform times."""
        n = 2 ** math.ceil(math.log2((1 + PADDING) * len(a)))
        return cls(np.fft.fftfreq(n, step), np.fft.fft(a, n), np.fft.fft(b, n), step)


def weights(f, noise, mass, low, high):
    """1/S at frequencies f of waves in geometric units, for `mass` in solar masses; zero outside `low` to `high`, in
    Hz. Without a mass f is in Hz. [n]"""
    hertz = np.abs(f) / (mass * SUN_S) if mass else np.abs(f)
    inside = (hertz >= low) & (hertz <= high)
    return np.where(inside, 1 / noise(hertz), 0.0)


def powers(f, power, low=0.0):
    """Weights |2 pi f|^power of waves in geometric units at frequencies f [n], zero below `low' and above HIGHEST, in 1/M. [n]"""
    size = np.abs(f)
    inside = (size >= low) & (size <= HIGHEST) & ((size > 0) | (power == 0))
    return np.where(inside, (2 * np.pi * np.where(inside, size, 1.0)) ** power, 0.0)


def match(spectra, weight):
    """Match of two waves whose spectra count by weight [n]. Raises WaveError where nothing is left of them."""
    norm = np.sum(weight * np.abs(spectra.a) ** 2) * np.sum(weight * np.abs(spectra.b) ** 2)
    if not norm > 0:
        raise WaveError("nothing of the waves lies in the band of the noise: is the total mass right, or f_low too "
                        "high?")
    product = weight * spectra.b * np.conj(spectra.a)
    shifts = np.abs(np.fft.ifft(product))
    best = int(shifts.argmax())
    n = len(product)
    kept = np.flatnonzero(weight)
    move = _refine(product[kept], 2 * np.pi * spectra.f[kept], (best if best < n / 2 else best - n) * spectra.step)
    total = np.sum(product[kept] * np.exp(2j * np.pi * spectra.f[kept] * move))
    return Match(max(0.0, 1 - abs(total) / math.sqrt(norm)), -float(move), -float(np.angle(total)))


def _refine(product, omega, move):
    """The move nearest to the given one where |sum product exp(i omega move)| is greatest."""
    powers = (1j * omega) ** np.arange(3)[:, None]
    for _ in range(STEPS):
        s, s1, s2 = powers @ (product * np.exp(1j * omega * move))
        slope, bend = (np.conj(s) * s1).real, abs(s1) ** 2 + (np.conj(s) * s2).real
        if not bend < 0:
            break
        step = -slope / bend
        move += step
        if abs(step) < 1e-12 * (1 + abs(move)):
            break
    return move


@dataclass(frozen=True)
class Window:
    """The part of two waves that is compared: rises from `start` over `rise`, falls to `end` over `fall`."""

    start: float
    end: float
    rise: float
    fall: float

    def __call__(self, t):
        """What waves at times t, `start` the first and `end` the last, are multiplied by. [n]"""
        early = t < 0.5 * (self.start + self.end)
        return np.where(early, ffi.window(t, self.rise), ffi.window(t, self.fall))


def frequency(t, values, at, over):
    """Cycles per time, positive, of a complex mode as a mean over the time `over` from time `at`."""
    inside = (t >= at) & (t <= at + over)
    if np.count_nonzero(inside) < 3:
        raise WaveError(f"too few points from t = {at:g} to {at + over:g} to tell the wave's frequency")
    return abs(np.polyfit(t[inside], phase(values[inside]), 1)[0]) / (2 * np.pi)


def window(waves, strongest, start=-math.inf, end=math.inf):
    """The Window from `start` to `end`, or as much as there is, of waves whose mode `strongest', (l, m), tells how fast they
    turn at the start."""
    t = waves.t
    start, end = max(start, t[0]), min(end, t[-1])
    peak = t[waves.total().argmax()]
    if not start < peak < end:
        raise WaveError(f"the peak at t = {peak:g} does not lie between the start and the end of what both waves have, "
                        f"t = {start:g} to {end:g}")
    f = frequency(t, waves.mode(*strongest), start, min(100.0, 0.5 * (peak - start)))
    return Window(start, end, min(TAPER_CYCLES / f, 0.5 * (peak - start)), min(TAPER_END, 0.5 * (end - peak)))


def tapered(a, b, window, modes):
    """The modes (l, m) given of two aligned strains in geometric units, on uniform times and through the window."""
    step = min(1 / (4 * HIGHEST), *(float(np.median(np.diff(w.t))) for w in (a, b)))
    n = int((window.end - window.start) / step)
    t = np.linspace(window.start, window.end, n + 1)
    shape = window(t)
    return [resample(replace(w, modes={lm: w.mode(*lm) for lm in modes}), t).map(lambda v, l, m: shape * v)
            for w in (a, b)]


@dataclass(frozen=True)
class Seen:
    """Spectra of two strains towards an observer, kept apart by m, to turn the second about z."""

    f: np.ndarray
    a: np.ndarray
    b: dict  # {m: [n]}
    step: float

    @classmethod
    def of(cls, a, b, inclination, azimuth):
        """Of two strains from `tapered`."""
        parts = ({}, {})
        for wave, part in zip((a, b), parts):
            for (l, m), values in wave.modes.items():
                part[m] = part.get(m, 0) + harmonic(l, m, inclination, azimuth) * values
        step = a.t[1] - a.t[0]
        spectra = {m: Spectra.of(parts[0][m], parts[1][m], step) for m in parts[0]}
        f = next(iter(spectra.values())).f
        return cls(f, sum(s.a for s in spectra.values()), {m: s.b for m, s in spectra.items()}, step)

    def turned(self, angle):
        """Spectra with the second wave's source turned by -angle about z."""
        return Spectra(self.f, self.a, sum(np.exp(1j * m * angle) * b for m, b in self.b.items()), self.step)


def best_azimuth(seen, weight):
    """(Match, angle): greatest overlap over time, polarisation and the second wave's azimuth."""
    def off(angle):
        return match(seen.turned(angle), weight).mismatch

    first = _near_azimuth(seen, weight)
    found = minimize_scalar(off, bounds=(first - NEAR, first + NEAR), method="bounded", options={"xatol": 1e-7})
    angle = float(found.x if found.fun <= off(first) else first)
    return match(seen.turned(angle), weight), angle


def _near_azimuth(seen, weight):
    """The angle of the greatest overlap, to NEAR, at shifts of whole points up to REACH."""
    m = np.array(sorted(seen.b))
    reach = min(int(REACH / seen.step), len(seen.f) // 2 - 1)
    # Correlations of a with each m of b, and products of these: what the overlap at any angle is made of.
    shifts = np.array([np.fft.ifft(weight * seen.b[i] * np.conj(seen.a))[np.arange(-reach, reach + 1)] for i in m])
    parts = np.array([np.sqrt(weight) * seen.b[i] for i in m])
    gram = parts @ parts.conj().T

    def off(angle):
        turn = np.exp(1j * m * angle)
        return -np.abs(turn @ shifts).max() / math.sqrt(max((turn @ gram @ turn.conj()).real, 1e-300))

    width = 2 * np.pi / AZIMUTHS
    first = min((i * width for i in range(AZIMUTHS)), key=off)
    found = minimize_scalar(off, bounds=(first - width, first + width), method="bounded", options={"xatol": NEAR / 10})
    return float(found.x if found.fun <= off(first) else first)


def _shifts(products, step):
    """(shifts, [k][shift]): Fourier sums of products [k][n] at shifts of whole points up to REACH."""
    reach = min(int(REACH / step), products.shape[-1] // 2 - 1)
    steps = np.arange(-reach, reach + 1)
    return steps * step, np.fft.ifft(products)[:, steps] * products.shape[-1]


def _between(products, f, step):
    """The function of a shift that gives the Fourier sums of products [k][n] at frequencies f, [k]: a Taylor series about
    the nearest whole point."""
    omega, series = 2j * np.pi * f, {}
    factors = np.ones((TERMS, len(f)), complex)
    factors[1:] = omega / np.arange(1, TERMS)[:, None]
    powers = np.cumprod(factors, axis=0)

    def sums(shift):
        point = round(shift / step)
        if point not in series:
            series[point] = (products * np.exp(omega * (point * step))) @ powers.T
        return series[point] @ (shift - point * step) ** np.arange(TERMS)
    return sums


def _azimuths():
    return 2 * np.pi / AZIMUTHS * np.arange(AZIMUTHS)


def _greatest(value, shift, angle, step):
    """(shift, angle, value) where value(shift, angle) is greatest, from within a point and a part of AZIMUTHS."""
    simplex = np.array([[shift, angle], [shift + step / 2, angle], [shift, angle + np.pi / AZIMUTHS]])
    found = minimize(lambda x: -value(*x), simplex[0], method="Nelder-Mead",
                     options={"initial_simplex": simplex, "xatol": 1e-7, "fatol": 1e-14})
    return float(found.x[0]), float(found.x[1]), -float(found.fun)


def of_sky(a, b, f, step, weight):
    """The Match of all modes together, spectra {(l, m): [n]} of both: greatest over time, polarisation and the second wave's
    azimuth, which are the same for all observers. It is a mean over these, by what they see."""
    norm = math.sqrt(sum(np.sum(weight * np.abs(v) ** 2) for v in a.values())
                     * sum(np.sum(weight * np.abs(v) ** 2) for v in b.values()))
    if not norm > 0:
        raise WaveError("nothing of the waves lies in the band of the noise: is the total mass right, or f_low too high?")
    orders = sorted({m for _, m in a})
    products = np.array([sum(weight * b[lm] * np.conj(a[lm]) for lm in a if lm[1] == m) for m in orders])
    turn = np.exp(1j * np.outer(_azimuths(), orders))
    moves, sums = _shifts(products, step)
    first = np.unravel_index(np.abs(turn @ sums).argmax(), (AZIMUTHS, len(moves)))
    kept = np.flatnonzero(weight)
    orders, sums_at = np.array(orders), _between(products[:, kept], f[kept], step)

    def total(move, angle):
        return np.exp(1j * angle * orders) @ sums_at(move)
    move, angle, value = _greatest(lambda *x: abs(total(*x)) / norm, moves[first[1]], _azimuths()[first[0]], step)
    return Match(max(0.0, 1 - value), -move, angle)


def of_detector(seen, weight, kappa):
    """(Match, rho): of what one detector of effective polarisation kappa sees, greatest over the second wave's time,
    azimuth and polarisation; rho: the norm of the first. dphi: the azimuth."""
    later = np.flatnonzero((seen.f > 0) & (weight > 0))
    weight, f = weight[later], seen.f[later]
    signal = (np.exp(1j * kappa) * seen.a[later] + np.exp(-1j * kappa) * np.conj(seen.a[-later])) / 2
    orders = np.array(sorted(seen.b))
    parts = np.array([seen.b[m][later] for m in orders] + [np.conj(seen.b[m][-later]) for m in orders])
    gram, products = (parts * weight) @ parts.conj().T, parts * weight * np.conj(signal)
    rho = math.sqrt(np.sum(weight * np.abs(signal) ** 2))
    if not (rho > 0 and gram.trace().real > 0):
        raise WaveError("nothing of the waves lies in the band of the noise: is the total mass right, or f_low too high?")

    def square(angles, sums):
        """Squares of the match [angle][shift] from sums of products [k][shift]."""
        turn = np.exp(1j * np.multiply.outer(angles, orders))
        plus = np.concatenate([turn, turn.conj()], axis=1) / 2
        cross = 1j * np.concatenate([turn, -turn.conj()], axis=1) / 2
        plus_gram, to_cross = plus @ gram, cross.conj()
        pp, pc, cc = (np.sum(x * y, axis=1).real[:, None] for x, y in (
            (plus_gram, plus.conj()), (plus_gram, to_cross), (cross @ gram, to_cross)))
        p, c = (plus @ sums).real, (cross @ sums).real
        # Where there is one polarisation alone, nothing is divided by zero.
        least = TINY * (pp + cc)
        pp, cc = pp + least, cc + least
        return (cc * p**2 - 2 * pc * p * c + pp * c**2) / (pp * cc - pc**2) / rho**2

    spread = np.zeros((len(parts), len(seen.f)), complex)
    spread[:, later] = products
    moves, sums = _shifts(spread, seen.step)
    first = np.unravel_index(square(_azimuths(), sums).argmax(), (AZIMUTHS, len(moves)))
    sums_at = _between(products, f, seen.step)

    def value(move, angle):
        return math.sqrt(max(float(square(np.array([angle]), sums_at(move)[:, None])[0, 0]), 0.0))
    move, angle, found = _greatest(value, moves[first[1]], _azimuths()[first[0]], seen.step)
    return Match(max(0.0, 1 - found), -move, angle), rho
