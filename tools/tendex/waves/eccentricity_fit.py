"""Fit of an orbit that is still an inspiral: a smooth trend and one oscillation at the radial frequency.

The rate of change of the separation D and the orbital frequency Omega are fitted (arXiv:1012.1549, 1203.4258) by

    dD/dt = trend + e k Omega D s (c cos theta + s cos theta),    Omega = trend + 2 e Omega s cos(theta + const),

with the eccentricity e at t = 0. Trends are those of an inspiral by radiation and corrections to it, powers of t_c - t
from -3/4 and -3/8 on downwards by 1/4; t_c is where the line through D^4 meets zero. The oscillation keeps up with the
inspiral: s = (D / D_0)^(19/12) is the decay of a small eccentricity by radiation (Peters 1964), and the radial phase
theta, zero at t = 0, grows by k times the orbit's own angle, k = kappa sqrt(1 - 6 M / (D + M)), the advance of a test
body's periastron in isotropic coordinates times a factor kappa near 1, which is fitted too. For given kappa all else is
linear least squares.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from tendex.waves.align import spline
from tendex.waves.modes import WaveError

# The window begins after this part of an orbit, and at this time in M or later: junk and gauge pulse have left. Of q = 4
# from 8 M the separation swings with a period of 65 M until t = 120 M, which is gauge.
FIRST_ORBITS, FIRST_TIME = 0.5, 100.0
# It ends so many orbits before the merger, or where the punctures are this close, in M.
LAST_ORBITS, CLOSE = 1.5, 6.5
# Radial periods in it: with fewer nothing tells the oscillation from the trend; over more few powers make no trend.
LEAST_PERIODS, MOST_PERIODS = 1.5, 2.0
KAPPA, KAPPA_TRIALS = (0.75, 1.25), 21
# The fit is repeated with trends of so many terms, and with windows shorter by parts of an orbit at their ends.
TERMS, SHORTER = (2, 3), (0.0, 0.25)
SAMPLES_A_TURN = 60
LEAST_ROWS, ROWS_A_TURN = 20, 8


@dataclass(frozen=True)
class Track:
    """The orbit at even steps of its angle."""

    t: np.ndarray
    angle: np.ndarray  # rad, turned since t = 0
    distance: np.ndarray
    rate: np.ndarray  # of the distance
    frequency: np.ndarray
    k: np.ndarray  # radial over orbital frequency of a test body
    theta: np.ndarray  # its integral over the angle from t = 0 on
    shape: np.ndarray  # decay of e since t = 0

    def part(self, first, last):
        """With angles from first to last."""
        use = (self.angle >= first) & (self.angle <= last)
        return Track(*(getattr(self, name)[use] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Fit:
    """Eccentricities at t = 0 are medians over windows and trends; errors are half the range."""

    e: float  # of dD/dt
    e_error: float
    e_frequency: float  # of Omega
    e_frequency_error: float
    k: float  # radial over orbital frequency in the middle of the window
    window: tuple  # times
    orbits: tuple  # the same in orbits since t = 0
    periods: float  # radial ones in the window
    fits: int
    separation: float  # at t = 0
    frequency: float  # orbital, at t = 0
    radial_frequency: float
    rate: float  # oscillating part of dD/dt at t = 0
    acceleration: float  # and of its derivative
    track: Track  # of the window
    oscillation: np.ndarray  # dD/dt less the trend, of the whole window and the longer trend
    fitted: np.ndarray  # the fit to it


def turned(apart):
    """[n] angle through which the line apart[n][3] has turned, in whatever plane."""
    line = apart / np.linalg.norm(apart, axis=1)[:, None]
    steps = 2 * np.arcsin(np.clip(np.linalg.norm(np.diff(line, axis=0), axis=1) / 2, 0, 1))
    return np.concatenate([[0.0], np.cumsum(steps)])


def sample(times, tracks, mass):
    """The Track of two punctures, whose masses add up to `mass`. Raises WaveError where there is no orbit to fit."""
    if len(tracks) != 2:
        raise WaveError(f"tracks of {len(tracks)} punctures, where those of two are needed: set output.track_every, "
                        "and two punctures")
    if len(times) < LEAST_ROWS or (np.diff(times) <= 0).any():
        raise WaveError(f"{len(times)} rows of tracks: at least {LEAST_ROWS}, in order of time, are needed")
    apart = tracks[0] - tracks[1]
    distance = np.linalg.norm(apart, axis=1)
    near = np.flatnonzero(distance < CLOSE * mass)
    end = near[0] if near.size else len(times)
    if end < LEAST_ROWS:
        raise WaveError(f"the punctures are {distance[0]:.3g} M apart at the start: more than {CLOSE * mass:g} M is "
                        "needed for some orbits")
    times, distance, angle = times[:end], distance[:end], turned(apart[:end])
    if np.diff(angle).max() > 2 * np.pi / ROWS_A_TURN:
        raise WaveError(f"fewer than {ROWS_A_TURN} rows of tracks in an orbit: lower output.track_every")
    even = np.arange(0.0, angle[-1], 2 * np.pi / SAMPLES_A_TURN)
    # Where nothing turns, as at first, times of an angle are those of the last row that has it.
    moves = np.append(np.diff(angle) > 0, True)
    t = np.interp(even, angle[moves], times[moves])
    d = spline(times, distance)
    k = np.sqrt(1 - 6 * mass / (d(t) + mass))
    theta = np.concatenate([[0.0], np.cumsum((k[1:] + k[:-1]) / 2 * np.diff(even))])
    return Track(t, even, d(t), d.derivative()(t), spline(times, angle).derivative()(t), k, theta,
                 (d(t) / distance[0]) ** (19 / 12))


def window(track, mass, merger=None, first=None, last=None):
    """(first, last) angle to fit between, from times where they are given. Raises WaveError where that is too short."""
    if not len(track.t):
        raise WaveError("the punctures do not turn about each other: there is no orbit")
    begin = max(2 * np.pi * FIRST_ORBITS, np.interp(FIRST_TIME * mass, track.t, track.angle))
    end = track.angle[-1]
    if merger is not None and merger > track.t[-1]:
        # Between the last point and the merger the orbit turns on, at least at the frequency that it has.
        end -= max(2 * np.pi * LAST_ORBITS - track.frequency[-1] * (merger - track.t[-1]), 0.0)
    elif merger is not None:
        end = np.interp(merger, track.t, track.angle) - 2 * np.pi * LAST_ORBITS
    begin = begin if first is None else np.interp(first, track.t, track.angle)
    most = np.interp(begin, track.angle, track.theta) + 2 * np.pi * MOST_PERIODS
    end = min(end, np.interp(most, track.theta, track.angle)) if last is None else np.interp(last, track.t, track.angle)
    periods = max(np.diff(np.interp([begin, end], track.angle, track.theta))[0], 0) / (2 * np.pi)
    if periods < LEAST_PERIODS:
        at = np.interp([begin, max(begin, end)], track.angle, track.t)
        raise WaveError(f"{periods:.2f} radial periods from t = {at[0]:.4g} to {at[1]:.4g}: at least {LEAST_PERIODS:g} "
                        "are needed; let the run go on, or begin further apart")
    return float(begin), float(end)


def solve(smooth, size, theta, y, weight, kappa):
    """(coefficients, squared residual) of y = smooth + size (a cos + b sin)(kappa theta)."""
    basis = np.column_stack([smooth, size * np.cos(kappa * theta), size * np.sin(kappa * theta)]) * weight[:, None]
    solution, *_ = np.linalg.lstsq(basis, y * weight, rcond=None)
    return solution, float(((basis @ solution - y * weight) ** 2).sum())


def best(smooth, size, theta, y, weight):
    """(kappa, coefficients) of the least residual."""
    def residual(kappa):
        return solve(smooth, size, theta, y, weight, kappa)[1]
    trial = np.linspace(*KAPPA, KAPPA_TRIALS)
    at = int(np.argmin([residual(kappa) for kappa in trial]))
    bounds = trial[max(at - 1, 0)], trial[min(at + 1, len(trial) - 1)]
    kappa = float(minimize_scalar(residual, bounds=bounds, method="bounded", options={"xatol": 1e-6}).x)
    return kappa, solve(smooth, size, theta, y, weight, kappa)[0]


def powers(track, exponent, terms):
    """Columns of (t_c - t)^(exponent - n/4)."""
    slope, start = np.polyfit(track.t - track.t[0], track.distance**4, 1)
    span = track.t[-1] - track.t[0]
    # Where the orbit does not shrink, or too slowly to tell, any far time will do.
    left = -start / slope if slope < 0 else np.inf
    left = min(max(left, 1.1 * span), 1e3 * span)
    x = 1 - (track.t - track.t[0]) / left
    return np.column_stack([x ** (exponent - 0.25 * n) for n in range(terms)])


def one(track, terms):
    """(e, e of the frequency, kappa, a, b), a and b as in `solve' for dD/dt."""
    pace = track.frequency * track.distance
    kappa, c = best(powers(track, -0.75, terms), track.k * pace * track.shape, track.theta, track.rate, 1 / pace)
    omega = track.frequency
    _, f = best(powers(track, -0.375, terms), 2 * omega * track.shape, track.theta, omega, 1 / omega)
    return np.hypot(*c[-2:]) / kappa, np.hypot(*f[-2:]), kappa, *c[-2:]


def fit(times, tracks, mass, merger=None, first=None, last=None):
    """The Fit of times[n] and tracks[2][n][3]. merger: its time, if there was one; first, last: times to fit between.
    Raises WaveError where there is too little to fit."""
    whole = sample(times, tracks, mass)
    begin, end = window(whole, mass, merger, first, last)
    found = []
    for late in SHORTER:
        for early in SHORTER:
            track = whole.part(begin + 2 * np.pi * late, end - 2 * np.pi * early)
            found += [one(track, terms) for terms in TERMS]
    found = np.array(found)
    e, e_f, kappa, a, b = np.median(found, axis=0)
    error, error_f = np.ptp(found[:, :2], axis=0) / 2
    track = whole.part(begin, end)
    distance = float(np.linalg.norm(tracks[0][0] - tracks[1][0]))
    early = track.theta - track.theta[0] < 2 * np.pi
    frequency = float(np.median(track.frequency[early] * (track.distance[early] / distance) ** 1.5))
    k = np.sqrt(1 - 6 * mass / (distance + mass))
    size, radial = k * frequency * distance, kappa * k * frequency
    smooth, scale = powers(track, -0.75, TERMS[-1]), track.k * track.frequency * track.distance * track.shape
    best_kappa, c = best(smooth, scale, track.theta, track.rate, 1 / (track.frequency * track.distance))
    swing = scale * (c[-2] * np.cos(best_kappa * track.theta) + c[-1] * np.sin(best_kappa * track.theta))
    return Fit(float(e), float(error), float(e_f), float(error_f), float(kappa * np.median(track.k)),
               (float(track.t[0]), float(track.t[-1])), (begin / (2 * np.pi), end / (2 * np.pi)),
               float(kappa * (track.theta[-1] - track.theta[0]) / (2 * np.pi)), len(found), distance, frequency,
               float(radial), float(size * a), float(size * b * radial), track,
               track.rate - smooth @ c[:-2], swing)
