"""Eccentricity of the (2,2) mode of the strain, in the standard definition of arXiv:2302.11257.

The mode's frequency has values at the periastra and at the apastra of the orbit; curves through the former, w_p, and
through the latter, w_a, give e_w = (sqrt w_p - sqrt w_a) / (sqrt w_p + sqrt w_a), and

    e_gw = cos(psi/3) - sqrt 3 sin(psi/3),    psi = arctan((1 - e_w^2) / (2 e_w)),

which for Newton's orbits is their eccentricity. Periastra and apastra are maxima and minima of the frequency less a
trend, as without it small eccentricities have none: a smooth inspiral as in eccentricity_fit.py. Curves are splines of
frequency over trend. With fewer than three periastra or apastra such a trend takes part of the oscillation: it has one term then, and
curves are splines of w^(-8/3), which is linear in time where radiation shrinks a circle (Peters 1964). Three extrema are enough, for the
one between the others.
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import make_interp_spline

from tendex.waves.signal.align import spline
from tendex.waves.signal.modes import WaveError, phase

# Periastra and apastra together, and of each for a trend.
LEAST_EXTREMA, LEAST_PAIRS = 3, 3
TREND_TERMS = 3
SHRINKS = -8 / 3
# Turns of the orbit between extrema of a kind: at least this, and no further from those of an orbit than this part of them.
LEAST_TURNS, UNEVEN = 0.8, 0.25
SAMPLES_A_TURN = 40


@dataclass(frozen=True)
class WaveEccentricity:
    e_gw: float  # at the time t
    e_gw_error: float  # what other curves change: without a trend, or through the frequency itself
    t: float  # retarded, the first for which there are a periastron and an apastron before
    frequency: float  # of (2,2) at t, the mean of both curves
    periastra: np.ndarray  # retarded times
    apastra: np.ndarray


def standard(periastron, apastron):
    """e_gw of frequencies of (2,2) at periastron and apastron."""
    p, a = np.sqrt(periastron), np.sqrt(apastron)
    e = (p - a) / (p + a)
    psi = np.arctan2(1 - e**2, 2 * e)
    return np.cos(psi / 3) - np.sqrt(3) * np.sin(psi / 3)


def extrema(residual):
    """(indices of maxima, of minima) that are no closer than LEAST_TURNS."""
    from scipy.signal import find_peaks  # loads scipy.stats with it, a quarter of a second
    apart = int(LEAST_TURNS * SAMPLES_A_TURN)
    return find_peaks(residual, distance=apart)[0], find_peaks(-residual, distance=apart)[0]


def turning(t, values):
    """(angle [n] of the orbit by (2,2), complex values[n], its rate over time)."""
    angle = np.abs(phase(values) - phase(values)[0]) / 2
    return angle, spline(t, angle).derivative()


def between(times, values, power, t):
    """Of the curve through values at these times, to a power a spline, at t; constant where there is one alone."""
    if len(times) == 1:
        return float(values[0])
    return float(make_interp_spline(times, values**power, k=min(3, len(times) - 1))(t) ** (1 / power))


def change(found, t, values, other):
    """By how much e_gw is another with other[n] in place of values[n] of (2,2), at the same periastra and apastra."""
    def e(mode):
        rate = turning(t, mode)[1]
        return standard(*(between(times, 2 * np.abs(rate(times)), SHRINKS, found.t) for times in (found.periastra, found.apastra)))
    return float(e(other) - e(values))


def of_mode(t, values, first, last, left, advance):
    """The WaveEccentricity of (2,2), complex values[n], between times first and last; left: time from `last' to the
    merger; advance(w): turns of the orbit from a periastron to the next where (2,2) has the frequency w. Raises WaveError where there is none to be told."""
    angle, rate = turning(t, values)
    use = (t >= first) & (t <= last)
    if use.sum() < 10 or (rate(t[use]) <= 0).any():
        raise WaveError(f"(2,2) does not turn steadily from t = {first:.4g} to {last:.4g}")
    even = np.arange(angle[use][0], angle[use][-1], 2 * np.pi / SAMPLES_A_TURN)
    at = np.interp(even, angle[use], t[use])
    frequency = 2 * rate(at)
    x = (last + left - at) / (last + left - first)
    for terms in (TREND_TERMS, 1):
        basis = np.column_stack([x ** (-0.375 - 0.25 * n) for n in range(terms)]) / frequency[:, None]
        trend = frequency * (basis @ np.linalg.lstsq(basis, np.ones(len(at)), rcond=None)[0])
        both = extrema(frequency / trend)
        many = min(map(len, both)) >= LEAST_PAIRS
        if many:
            break
    if min(map(len, both)) < 1 or sum(map(len, both)) < LEAST_EXTREMA:
        raise WaveError(f"{len(both[0])} periastra and {len(both[1])} apastra in (2,2) from t = {first:.4g} to {last:.4g}: "
                        f"{LEAST_EXTREMA} in all, of both kinds, are needed")
    order = np.argsort(np.concatenate(both))
    if not np.all(np.diff(order < len(both[0]))):
        raise WaveError("periastra and apastra in (2,2) do not take turns: its frequency has no clean oscillation")
    for kind, found in zip(("periastra", "apastra"), both):
        turns = np.diff(even[found]) / (2 * np.pi)
        expected = advance(np.interp((even[found][1:] + even[found][:-1]) / 2, even, trend))
        if np.any(np.abs(turns / expected - 1) > UNEVEN):
            raise WaveError(f"{kind} in (2,2) are not as far apart as those of an orbit: its frequency has no clean "
                            "oscillation")
    start = max(both[0][0], both[1][0])

    def frequencies(over, power):
        return [over[start] * between(at[found], (frequency / over)[found], power, at[start]) for found in both]
    plain = np.ones(len(at))
    ways = (trend, 1), (plain, SHRINKS), (plain, 1)
    (w_p, w_a), other = (frequencies(*way) for way in (ways[:2] if many else ways[1:]))
    if w_p <= w_a:
        raise WaveError("(2,2) is no faster at periastra than at apastra: its frequency has no clean oscillation")
    e = float(standard(w_p, w_a))
    return WaveEccentricity(e, float(abs(standard(*other) - e)), float(at[start]), (w_p + w_a) / 2, at[both[0]], at[both[1]])
