"""The chirp of an inspiral, fitted where psi4 begins, to continue psi4 backwards.

Fixed-frequency integration (ffi.py) amplifies what is slower than the wave, and a wave that begins at once has a spectrum down to w = 0. So
before its first good time t0 psi4 goes on backwards as the chirp that it is, over many cycles, fading. With T = (1 - (t - t0)/tc)^(1/8)
the phase of (2,2) and its secular frequency are, as in the post-Newtonian time domain (TaylorT3, arXiv:0907.0700),

    phi = phi0 + a (1 - T^5) + b (1 - T^3),   w ~ T^-3,

and with eccentricity e the sum of c_k cos(k x) + d_k sin(k x), x the phase of the radial motion at the rate w_r ~ T^-2.1, c_k and d_k ~ e^k
~ w^(-19k/18) (Peters, Phys. Rev. 136, B1224, eq. 5.11). tc and w_r are found by search, all else by linear least squares. Every other
mode is taken in the carriers exp(-i m phi/2) w^p, p the leading post-Newtonian power of (l, m) (arXiv:0802.1249): their
complex coefficients are parabolas of time within the window of the fit, and constant long before it. So weak modes have the phase of (2,2),
with a constant of their own. Of a source that precesses this is done in the frame that does (beginning.py), with the carriers of neighbours besides.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from tendex.waves.signal.modes import phase

# Cycles of (2,2) that the chirp is fitted over, without and with eccentricity: with harmonics of the radial motion, their number.
CYCLES, ECCENTRIC = 2.0, ((3.0, 2), (4.0, 3))
# The fit has at most this part of the cycles that there are until the peak, and at least FEWEST.
SHARE, FEWEST = 0.5, 0.75
# rms of phase and log-amplitude above which eccentricity is tried; it is believed where it makes that this many times smaller.
ROUND, BETTER = 1e-3, 4.0
# No chirp where the phase scatters by more, rad.
SCATTER = 0.2
# What b adds to the frequency long before is at most this part of the first frequency: post-Newtonian theory has 0.1 to 0.2, and with 1 the
# frequency falls too soon, or below 0. Chirps of short windows that want more are fitted without b.
MOST = 0.5
# Values a cycle that are fitted.
DENSITY = 24
# Exponents: of the rate of the radial motion in T^-1, as from w_r = w sqrt(1 - 6 w^(2/3)) at separations of 10 to 15 M; of e in w.
RADIAL, DECAY = 2.1, 19 / 18
# Radial frequencies over those of the orbit that are tried.
SLOWEST, FASTEST = 0.4, 0.98
# The first frequency of an eccentric chirp differs from the mean of the window by less than this part.
NEAR = 0.3
# Times to the merger, in Newton's of equal masses, 5/256 (w/2)^(-8/3) / nu.
SOONEST, LATEST = 0.5, 6.0
# Periods over which coefficients of carriers become constant before t0.
SETTLES = 1.0
# Degree of what coefficients of carriers do in the window of the fit: of a mode's own, and of its neighbours'.
DEGREE, BESIDE = 2, 1


def power(l, m):
    """Of w in psi4_lm at leading order: h_lm ~ v^l, v^(l+1) where l + m is odd, psi4 = -d2h/dt2, w ~ v^3."""
    return (l + (l + m) % 2 + 6) / 3


@dataclass(frozen=True, eq=False)
class Chirp:
    """Phase of (2,2) about t0, growing, and its parts."""

    t0: float
    rate: float  # 1/tc
    radial: float  # w_r at t0; 0 without eccentricity
    harmonics: int
    coefficients: np.ndarray  # of the columns of _phases
    corrected: bool  # whether b is among them
    sense: float  # of dphase/dt of the mode
    scatter: float  # rms of what is left, rad
    end: float  # of the window of the fit

    def _root(self, t):
        return np.maximum(1 - self.rate * (t - self.t0), 1e-6) ** 0.125

    def phase(self, t):
        columns = _phases(t - self.t0, self.rate, self.radial, self.harmonics, self.corrected)
        return columns @ self.coefficients

    def frequency(self, t):
        """Secular, angle per time."""
        root = self._root(t)
        a, b = self.coefficients[1], self.coefficients[2] if self.corrected else 0.0
        return a * root**-3 + b * self.rate * (root**-5 - root**-3)

    def anomaly(self, t):
        return _anomaly(t - self.t0, self.rate, self.radial)

    @property
    def first(self):
        """Frequency at t0."""
        return float(self.coefficients[1])

    def before(self, cycles, step):
        """[k] times before t0, `step' apart, of so many cycles of (2,2)."""
        count = int(2 * np.pi * cycles / (self.first * step)) + 1
        while True:
            t = self.t0 - step * np.arange(count, 0, -1)
            turned = self.phase(np.array([self.t0])) - self.phase(t)
            if turned[0] >= 2 * np.pi * cycles or count > 2**21:
                return t[turned <= 2 * np.pi * cycles]
            count *= 2


def _anomaly(x, rate, radial):
    root = np.maximum(1 - rate * x, 1e-6) ** 0.125
    return radial * (1 - root ** (8 - RADIAL)) / (rate * (1 - RADIAL / 8))


def _harmonics(x, rate, radial, count):
    """[n][2 count]"""
    faster = np.maximum(1 - rate * x, 1e-6) ** (3 / 8 * DECAY)
    turn = np.exp(1j * _anomaly(x, rate, radial)) / faster
    powers = np.cumprod(np.broadcast_to(turn, (count, len(x))), axis=0)
    return np.concatenate([powers.real, powers.imag]).T


def _phases(x, rate, radial, count, corrected):
    """[n][k]: 1, phase of frequency 1 at t0, what b changes in it, harmonics."""
    root = np.maximum(1 - rate * x, 1e-6) ** 0.125
    columns = np.empty((len(x), 2 + corrected + 2 * count))
    columns[:, 0], columns[:, 1] = 1.0, 8 / (5 * rate) * (1 - root**5)
    if corrected:
        columns[:, 2] = 8 / 3 * (1 - root**3) - 8 / 5 * (1 - root**5)
    if count:
        columns[:, 2 + corrected:] = _harmonics(x, rate, radial, count)
    return columns


def _least(columns, values):
    """(coefficients, mean square of the rest)"""
    found = np.linalg.lstsq(columns, values, rcond=1e-12)[0]
    left = values - columns @ found
    return found, left @ left / len(left)


def _round(x, angle, corrected=True):
    """(rate, coefficients, rms) of a chirp without eccentricity; corrected: whether it has b."""
    def rest(log):
        return _least(_phases(x, np.exp(log) / x[-1], 0.0, 0, corrected), angle)[1]
    tried = np.linspace(np.log(1e-3), np.log(0.85), 14)
    at = int(np.argmin([rest(log) for log in tried]))
    found = minimize_scalar(rest, bounds=(tried[max(at - 1, 0)], tried[min(at + 1, 13)]), method="bounded", options={"xatol": 1e-4})
    rate = float(np.exp(found.x) / x[-1])
    coefficients, square = _least(_phases(x, rate, 0.0, 0, corrected), angle)
    return rate, coefficients, square**0.5


def _eccentric(x, angle, size, count, mass):
    """(rate, radial, coefficients, rms) with harmonics; size: log-amplitude; mass: in the unit of x."""
    turns, length = (angle[-1] - angle[0]) / x[-1], x[-1]
    newton = 5 / 64 * mass * (mass * turns / 2) ** (-8 / 3)
    slowest = 1 / (LATEST * newton)
    fastest = max(min(1 / (SOONEST * newton), 0.87 / length), 1.01 * slowest)

    def within(log, part):
        """(rate, radial) of two numbers that are searched for."""
        return min(max(np.exp(log) / length, slowest), fastest), min(max(part, SLOWEST), FASTEST) * turns / 2

    def parts(rate, radial):
        columns = _phases(x, rate, radial, count, False)
        coefficients, square = _least(columns, angle)
        columns[:, 1] = -3 / 8 * np.log(np.maximum(1 - rate * x, 1e-6))
        return coefficients, square + _least(columns, size)[1]

    def rest(u):
        return parts(*within(*u))[1]
    tried = [(log, part) for log in np.log(length * np.geomspace(slowest, fastest, 5)) for part in np.geomspace(SLOWEST, FASTEST, 14)]
    log, part = min(tried, key=rest)
    found = minimize(rest, [log, part], method="Nelder-Mead", options={
        "initial_simplex": [[log, part], [log + 0.3, part], [log, 1.03 * part]], "xatol": 1e-4, "fatol": 1e-12, "maxiter": 100}).x
    coefficients, square = parts(*within(*found))
    rate, radial = (float(value) for value in within(*found))
    rms = square**0.5 if abs(coefficients[1] / turns - 1) < NEAR else np.inf
    return rate, radial, coefficients, rms


def fitted(t, values, until, cycles=1.0, mass=1.0, share=SHARE):
    """The Chirp of a mode from t[0] on, or None where it does not turn evenly. until: time of its peak, or the end of the inspiral; cycles:
    times as long a window as usual; mass: of the holes together, in the unit of t; share: largest part of
    the cycles until then that is fitted."""
    turned = phase(values)
    inside = t <= until
    if inside.sum() < 16:
        return None
    sense = np.sign(turned[inside][-1] - turned[0])
    turned = sense * turned
    there = (turned[inside][-1] - turned[0]) / (2 * np.pi)

    def window(length):
        """(x, phase, log-amplitude, end) of the first so many cycles."""
        length = min(length * cycles, share * there)
        n = int(np.searchsorted(turned[inside] - turned[0], 2 * np.pi * length)) + 1
        every = max(1, int(n / (DENSITY * length)))
        where = slice(0, n, every)
        return t[where] - t[0], turned[where], np.log(np.maximum(np.abs(values[where]), 1e-300)), t[min(n, len(t)) - 1]
    if share * there < FEWEST:
        return None
    x, angle, size, end = window(CYCLES)
    if len(x) < 12:
        return None
    rate, coefficients, rms = _round(x, angle)
    found = Chirp(t[0], rate, 0.0, 0, coefficients, True, sense, rms, end)
    for length, count in ECCENTRIC:
        if found.scatter < ROUND:
            break
        x, angle, size, end = window(length)
        if len(x) < 12 + 4 * count:
            break
        rate, radial, coefficients, rms = _eccentric(x, angle, size, count, mass)
        if rms < found.scatter / BETTER:
            found = Chirp(t[0], rate, radial, count, coefficients, False, sense, rms, end)
    if found.corrected and found.rate * found.coefficients[2] > MOST * found.first:
        within = x <= found.end - t[0]
        rate, coefficients, rms = _round(x[within], angle[within], False)
        found = replace(found, rate=rate, coefficients=coefficients, corrected=False, scatter=rms)
    return found if found.scatter < SCATTER and found.first > 0 else None


def settled(chirp, t):
    """[n] the time since t0 in lengths of the window, that becomes constant long before t0."""
    x, longest = t - chirp.t0, SETTLES * 2 * np.pi / chirp.first
    return np.where(x < 0, longest * np.tanh(x / longest), x) / (chirp.end - chirp.t0)


class Carriers:
    """What modes are made of at times t [n]."""

    def __init__(self, chirp, t):
        self.turn = np.exp(0.5j * chirp.sense * chirp.phase(t))
        self.log = np.log(np.maximum(chirp.frequency(t) / chirp.first, 1e-3))
        x = settled(chirp, t)
        self.powers = np.stack([x**k for k in range(DEGREE + 1)], axis=1)
        count = chirp.harmonics
        self.harmonics = np.exp(1j * np.outer(chirp.anomaly(t), [k for k in range(-count, count + 1) if k])) if count else None

    def __call__(self, l, orders):
        """[n][k]: the carriers of these m, each times powers of time, the first times harmonics of the radial motion."""
        waves = [np.exp(power(l, m) * self.log) * self.turn**m for m in orders]
        columns = [wave[:, None] * self.powers[:, :(BESIDE if n else DEGREE) + 1] for n, wave in enumerate(waves)]
        if self.harmonics is not None:
            columns.append(waves[0][:, None] * self.harmonics)
        return np.concatenate(columns, axis=1)
