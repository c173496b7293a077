"""Eccentricity of an orbit from the tracks of its punctures.

After the gauge has settled, separation and orbital frequency are each fitted by a smooth trend with an oscillation on
it,

    D(t) = trend (1 - e cos(k phi + phi_0)),    Omega(t) = trend (1 + 2 e cos(k phi + phi_0)),

phi the orbit's own angle, so that the oscillation keeps up with the inspiral, and k, radial over orbital frequency,
free between K_LOW and K_HIGH (below 1 by the advance of the periastron). Trends are powers of the time to the merger
as of an inspiral by radiation, D of (t_c - t)^(1/4), Omega of (t_c - t)^(-3/8), and corrections to them. For given k
all else is linear least squares. The fit is repeated with trends of TERMS terms and with windows that begin and end
elsewhere; the median is given, with half the range as its error. Coordinates enter: e of D and of Omega differ by
some tens of percent.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from tendex.waves.align import spline

K_LOW, K_HIGH, K_TRIALS = 0.45, 1.05, 25
TERMS = (3, 4)
# Windows begin at these times past the start, as part of an orbit, and end so many orbits before the merger.
STARTS = (0.0, 0.25, 0.5)
ENDS = (0.75, 1.0)
# Orbits in the longest window: with less than about one oscillation nothing tells it from the trend.
LEAST_ORBITS = 1.7
SAMPLES_A_TURN = 60


@dataclass(frozen=True)
class Eccentricity:
    value: float  # of the separation
    error: float  # half the range over windows and trends
    of_frequency: float  # of the orbital frequency
    of_frequency_error: float
    k: float  # radial over orbital frequency
    window: tuple  # first start and last end, in the tracks' time
    fits: int


def amplitude(phase, trend, y, k):
    """(amplitude of the oscillation over the trend, squared residual) at a given k. Weighted by 1/y: relative."""
    basis = np.column_stack([trend / y[:, None], np.cos(k * phase), np.sin(k * phase)])
    solution, *_ = np.linalg.lstsq(basis, np.ones_like(y), rcond=None)
    return float(np.hypot(*solution[-2:])), float(((basis @ solution - 1) ** 2).sum())


def fit(phase, trend, y):
    """(amplitude over trend, k) of the best fit of y[n] by trend[n][j] and the oscillation."""
    trial = np.linspace(K_LOW, K_HIGH, K_TRIALS)
    best = int(np.argmin([amplitude(phase, trend, y, k)[1] for k in trial]))
    bounds = trial[max(best - 1, 0)], trial[min(best + 1, len(trial) - 1)]
    k = minimize_scalar(lambda k: amplitude(phase, trend, y, k)[1], bounds=bounds, method="bounded").x
    return amplitude(phase, trend, y, k)[0], float(k)


def powers(left, exponent, terms):
    """Columns left^(exponent), left^(exponent - s/4), ...: the inspiral and its corrections, s the sign of 1/4."""
    x = left / left[0]
    return np.column_stack([x ** (exponent - 0.25 * n) for n in range(terms)])


def of_tracks(times, tracks, start, merger):
    """The Eccentricity, or a str that says why there is none. times[n], tracks[2][n][3]; start: when the gauge has
    settled; merger: time of the common horizon."""
    if len(tracks) != 2:
        return "no tracks of two punctures"
    apart = tracks[0] - tracks[1]
    distance = np.linalg.norm(apart, axis=1)
    use = (times < merger) & (distance > 0.1 * distance[0])
    flat = np.hypot(apart[use, 0], apart[use, 1])
    if use.sum() < 20 or flat.min() < 0.05 * distance[0]:
        return "the punctures do not orbit in the plane z = 0"
    t, distance = times[use], distance[use]
    turned = np.unwrap(np.arctan2(apart[use, 1], apart[use, 0]))
    turned = np.abs(turned - turned[0])
    frequency = spline(t, turned).derivative()
    begin = np.interp(start, t, turned)
    end = turned[-1] - 2 * np.pi * min(ENDS)
    if end - begin < 2 * np.pi * LEAST_ORBITS:
        return (f"{max(end - begin, 0) / (2 * np.pi):.1f} orbits between t = {start:.4g} and {min(ENDS):g} orbits "
                f"before the merger: at least {LEAST_ORBITS:g} are needed")
    found = []
    for late in STARTS:
        for early in ENDS:
            low, high = begin + 2 * np.pi * late, turned[-1] - 2 * np.pi * early
            phase = np.linspace(low, high, int(SAMPLES_A_TURN * (high - low) / (2 * np.pi)))
            moment = np.interp(phase, turned, t)
            left = merger - moment
            for terms in TERMS:
                e_d, k = fit(phase, powers(left, 0.25, terms), spline(t, distance)(moment))
                e_f, _ = fit(phase, powers(left, -0.375, terms), frequency(moment))
                found.append((e_d, 0.5 * e_f, k))
    e_d, e_f, k = np.array(found).T
    window = tuple(float(np.interp(x, turned, t)) for x in (begin, end))
    return Eccentricity(float(np.median(e_d)), float(np.ptp(e_d) / 2), float(np.median(e_f)), float(np.ptp(e_f) / 2),
                        float(np.median(k)), window, len(found))
