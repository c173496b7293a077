"""Fit of an orbit that is still an inspiral: a smooth trend, one oscillation at the radial frequency, and what turns with
the orbit.

The rate of change of the separation D and the orbital frequency Omega are fitted (arXiv:1012.1549, 1203.4258) by

    dD/dt = trend + e k W R s cos(theta + const) + W R G(2 phi),
    Omega = trend + 2 e W s cos(theta + const) + W G(2 phi),

with the eccentricity e at t = 0, and W and R the frequency and the separation without their oscillation: with Omega D in
place of W R an e of 0.1 comes out as 0.084 or 0.117, of 0.2 as 0.12 or 0.35. W^(-5/3) and 1/R are polynomials of phi of second
degree, fitted along with growing oscillations at the radial frequency and one at twice that. Trends of the fits are those of an
inspiral by radiation and corrections to it, powers of t_c - t from -3/4 and -3/8 on downwards by 1/4; t_c is where the line
through D^4 meets zero. The oscillation keeps up with the inspiral: s = (Omega_0 / Omega)^(19/18) is the decay of a small eccentricity by radiation (Peters 1964), and the radial
phase theta, zero at t = 0, grows by k = 1/K times the orbit's own angle phi. K is the advance of the periastron, which
the orbital frequency alone decides, whatever the coordinates: with x = (M Omega)^(2/3) and masses in M

    K^-2 = 1 - 6 x + nu (14 x^2 + (397/2 - 123 pi^2/16) x^3)
           + (8 S + 6 T) x^(3/2) - ((4 + 17 nu) S + (18 + 15 nu) T) x^(5/2)
           - nu ((1465/12 - 44/3 nu) S + (269/4 - 14 nu) T) x^(7/2) - 3 (a_L^2 - a_n^2 / 2) x^2,
    S = sum_i m_i^2 chi_i.L,   T = m_1 m_2 sum_i chi_i.L,   a = sum_i m_i chi_i

(arXiv:0910.4568, 1106.3224), a_L its part along the orbit's axis and a_n that across, whose quadrupole is a mean over the
orbit's phase. Spin-orbit terms to next-to-next-to-leading order are those of the ADM Hamiltonian (arXiv:0711.1048 eq. 4.11,
1104.3079 eq. 5), and of the effective-one-body couplings of arXiv:1406.6913 as well; spin-spin terms at leading order (Damour and Schaefer 1988, gr-qc/0103018). As terms of K^-2, which vanishes at the last stable orbit,
they leave k within 1% about Kerr holes with spins of -0.5 to 0.9 from 10 M on; as terms of K they would leave 17%.

G: cos and sin, constant and decaying. With damping eta of the shift the coordinates spread like heat, by 3/(4 eta), and
with 2/M they remember for hundreds of M in which direction the holes lay at first: D of two equal holes from 10 M swings
by 1e-2 at twice the orbital frequency, more than by an eccentricity of 1e-3. Spins in the plane do the same by their
interaction (arXiv:1012.1549). Without G such fits find anything.
For given k all is linear least squares.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import cumulative_trapezoid

from tendex.physics.orbit import turned
from tendex.waves.signal.align import spline
from tendex.waves.signal.modes import WaveError

# The window begins after this part of an orbit, and at this time in M or later: junk and gauge pulse have left. Of q = 4
# from 8 M the separation swings with a period of 65 M until t = 120 M, which is gauge.
FIRST_ORBITS, FIRST_TIME = 0.5, 100.0
# It ends so many orbits before the merger, or where the punctures are this close, in M.
LAST_ORBITS, CLOSE = 1.5, 6.5
# Tracks are cut where the radial frequency is less than this part of the orbital one, near the last stable orbit.
LEAST_K = 0.2
# Radial periods in it: with fewer nothing tells the oscillation from the trend; over more few powers make no trend.
LEAST_PERIODS, MOST_PERIODS = 1.1, 1.5
# The fit is repeated with k so many times as large, trends of so many terms, and windows shorter by parts of an orbit.
KAPPAS, TERMS, SHORTER = (0.985, 1.0, 1.015), (2, 3), (0.0, 0.25)
# Decay times of what turns with the orbit, M.
DECAYS = (100.0, 200.0, np.inf)
# First powers of the trends of dD/dt and of Omega.
RATE, FREQUENCY = -0.75, -0.375
SAMPLES_A_TURN = 60
# The radial phase and what has no oscillation are found in turns, so many times.
PASSES = 3
# Radial periods from which on more than a constant oscillation can be told from what has none.
GROWING = 1.3
LEAST_ROWS, ROWS_A_TURN = 20, 8


@dataclass(frozen=True)
class Track:
    """The orbit at even steps of its angle."""

    t: np.ndarray
    angle: np.ndarray  # rad, turned since t = 0
    distance: np.ndarray
    rate: np.ndarray  # of the distance
    frequency: np.ndarray
    k: np.ndarray  # radial over orbital frequency
    theta: np.ndarray  # its integral over the angle from t = 0 on
    shape: np.ndarray  # decay of e since t = 0
    pace: np.ndarray  # frequency without its oscillation
    size: np.ndarray  # distance without it
    mass: float

    def part(self, first, last):
        """With angles from first to last."""
        use = (self.angle >= first) & (self.angle <= last)
        return Track(*(getattr(self, name)[use] for name in self.__dataclass_fields__ if name != "mass"), self.mass)


@dataclass(frozen=True)
class Fit:
    """Eccentricities at t = 0 are lengths of (c, s), medians over windows, trends and k; errors are the root mean square
    of the distances from them."""

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
    whole: Track  # from t = 0 on
    oscillation: np.ndarray  # dD/dt less the trend and what turns with the orbit, of the whole window and longer trend
    fitted: np.ndarray  # the fit to it

    @property
    def phase(self):
        """Radial phase at t = 0, rad, from 0 at the periastron to 2 pi: k times the angle since then."""
        return float(np.arctan2(self.rate * self.radial_frequency, self.acceleration) % (2 * np.pi))

    @property
    def anomaly(self):
        """Mean anomaly at t = 0, rad: it grows by 2 pi from a periastron to the next evenly in time."""
        return mean_anomaly(self.phase, self.e)

    def anomaly_at(self, t):
        """The same at a time of the tracks, before the window too: there the radial phase is that by which the line has turned."""
        theta, decay = (np.interp(t, self.whole.t, x) for x in (self.whole.theta, self.whole.shape))
        return mean_anomaly(self.phase + theta, self.e * decay)


def mean_anomaly(phase, e):
    """That of a radial phase, as Kepler's, from 0 to 2 pi."""
    e = min(e, 0.9)
    eccentric = np.arctan2(np.sqrt(1 - e**2) * np.sin(phase), e + np.cos(phase))
    return float((eccentric - e * np.sin(eccentric)) % (2 * np.pi))


def advance(x, masses, chis, across=0.0):
    """Radial over orbital frequency at x = (M Omega)^(2/3), zero within the last stable orbit; chis: along the orbital
    angular momentum; across: length of the part of sum_i m_i chi_i over the mass that is across it."""
    total = sum(masses)
    m = [one / total for one in masses]
    nu = m[0] * m[1]
    w = 1 - 6 * x + nu * (14 * x**2 + (397 / 2 - 123 * np.pi**2 / 16) * x**3)
    spin, test = sum(one**2 * chi for one, chi in zip(m, chis)), nu * sum(chis)
    orbit = (8 * spin + 6 * test) * x**1.5 - ((4 + 17 * nu) * spin + (18 + 15 * nu) * test) * x**2.5
    orbit = orbit - nu * ((1465 / 12 - 44 / 3 * nu) * spin + (269 / 4 - 14 * nu) * test) * x**3.5
    square = sum(one * chi for one, chi in zip(m, chis)) ** 2 - across**2 / 2
    return np.sqrt(np.maximum(w + orbit - 3 * square * x**2, 0))


def parts(masses, chis, axis):
    """(chis along the unit vector `axis', what `advance' takes as `across') of spins [2][3]."""
    chis = np.asarray(chis, float)
    total = np.asarray(masses) @ chis / sum(masses)
    return chis @ axis, float(np.linalg.norm(total - (total @ axis) * axis))


def normal(apart):
    """Direction of the orbital angular momentum, zero without one."""
    area = np.cross(apart[:-1], apart[1:]).sum(axis=0)
    size = np.linalg.norm(area)
    return area / size if size else area


def first_angle(t, angle, mass):
    """Where the window may begin."""
    return max(2 * np.pi * FIRST_ORBITS, float(np.interp(FIRST_TIME * mass, t, angle)))


def smooth(angle, values, power, begin, theta=None):
    """`values' without their oscillation, from t = 0 on, nan where it has no trend: values^power is nearly linear in the angle.
    theta: radial phase, if it is known."""
    use = angle >= min(begin, angle[-1] / 2)
    periods = 0.0 if theta is None else np.ptp(theta[use]) / (2 * np.pi)
    waves = [] if periods < LEAST_PERIODS else [(1, 1.0)] if periods < GROWING else [(1, 1.0), (1, angle), (2, 1.0)]
    trend = np.vander(angle, 2 if theta is None else 3)
    basis = np.column_stack([trend, *(size * of(n * theta) for n, size in waves for of in (np.cos, np.sin))])
    trend = trend @ np.linalg.lstsq(basis[use], values[use] ** power, rcond=None)[0][:trend.shape[1]]
    return np.where(trend > 0, trend, np.nan) ** (1 / power)


def sample(times, tracks, masses, chis=np.zeros((2, 3))):
    """The Track of two punctures with these masses and spins [2][3]. Raises WaveError where there is no orbit to fit."""
    mass = sum(masses)
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
    if len(even) < LEAST_ROWS:
        raise WaveError("the punctures do not turn about each other: there is no orbit")
    # Where nothing turns, as at first, times of an angle are those of the last row that has it.
    moves = np.append(np.diff(angle) > 0, True)
    t = np.interp(even, angle[moves], times[moves])
    d = spline(times, distance)
    frequency = spline(times, angle).derivative()(t)
    begin, theta, spins = first_angle(t, even, mass), None, parts(masses, chis, normal(apart[:end]))
    for _ in range(PASSES):
        slow = smooth(even, np.abs(frequency), -5 / 3, begin, theta)
        known = np.logical_and.accumulate(slow > 0)
        if known.sum() < LEAST_ROWS:
            raise WaveError("the orbital frequency has no trend of an inspiral")
        even, t, frequency, slow = (x[known] for x in (even, t, frequency, slow))
        k = advance((mass * slow) ** (2 / 3), masses, *spins)
        theta = cumulative_trapezoid(k, even, initial=0.0)
    size = smooth(even, d(t), -1.0, begin, theta)
    swings = np.logical_and.accumulate((k > LEAST_K) & (size > 0))
    if swings.sum() < LEAST_ROWS:
        raise WaveError("the orbit is inside the last stable one or near it, where eccentricity is not defined: start at "
                        "a larger separation")
    even, t, frequency, slow, size, k, theta = (x[swings] for x in (even, t, frequency, slow, size, k, theta))
    return Track(t, even, d(t), d.derivative()(t), frequency, k, theta, (slow[0] / slow) ** (19 / 18), slow, size, mass)


def window(track, merger=None, first=None, last=None):
    """(first, last) angle to fit between, from times where they are given. Raises WaveError where that is too short."""
    begin = first_angle(track.t, track.angle, track.mass)
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
                        "are needed; let the run continue, or start at a larger separation")
    return float(begin), float(end)


def powers(track, exponent, terms):
    """Columns of (t_c - t)^(exponent - n/4)."""
    slope, start = np.polyfit(track.t - track.t[0], track.distance**4, 1)
    span = track.t[-1] - track.t[0]
    # Where the orbit does not shrink, or too slowly to tell, any far time will do.
    left = -start / slope if slope < 0 else np.inf
    left = min(max(left, 1.1 * span), 1e3 * span)
    x = 1 - (track.t - track.t[0]) / left
    return np.column_stack([x ** (exponent - 0.25 * n) for n in range(terms)])


def turning(track):
    """Columns of what turns twice with the orbit."""
    decay = np.exp(-(track.t - track.t[0])[:, None] / (track.mass * np.array(DECAYS)))
    return np.column_stack([wave(2 * track.angle)[:, None] * decay for wave in (np.cos, np.sin)])


def solve(track, exponent, terms, kappa):
    """(columns, coefficients) of dD/dt or Omega, as the exponent says: trend, what turns, and c, s."""
    theta, pace, y, size = kappa * track.theta, track.pace, track.frequency, 2.0
    if exponent == RATE:
        pace, y, size = track.pace * track.size, track.rate, kappa * track.k
    swing = size * pace * track.shape
    basis = np.column_stack([powers(track, exponent, terms), turning(track) * pace[:, None],
                             swing * np.cos(theta), swing * np.sin(theta)])
    return basis, np.linalg.lstsq(basis / pace[:, None], y / pace, rcond=None)[0]


def middle(vectors):
    """(median of vectors [n][2], root mean square distance from it)."""
    median = np.median(vectors, axis=0)
    return median, float(np.sqrt(((vectors - median) ** 2).sum(axis=1).mean()))


def fit(times, tracks, masses, chis=np.zeros((2, 3)), merger=None, first=None, last=None):
    """The Fit of times[n] and tracks[2][n][3]. merger: its time, if there was one; first, last: times to fit between.
    Raises WaveError where there is too little to fit."""
    whole = sample(times, tracks, masses, chis)
    begin, end = window(whole, merger, first, last)
    tracks_of = [whole.part(begin + 2 * np.pi * late, end - 2 * np.pi * early) for late in SHORTER for early in SHORTER]
    (c, s), error = middle(np.array([solve(track, RATE, terms, kappa)[1][-2:]
                                     for track in tracks_of for terms in TERMS for kappa in KAPPAS]))
    of_omega, error_of_omega = middle(np.array([solve(track, FREQUENCY, terms, kappa)[1][-2:]
                                                for track in tracks_of for terms in TERMS for kappa in KAPPAS]))
    track = whole.part(begin, end)
    distance = float(np.linalg.norm(tracks[0][0] - tracks[1][0]))
    early = track.theta - track.theta[0] < 2 * np.pi
    frequency = float(np.median(track.frequency[early] * (track.distance[early] / distance) ** 1.5))
    axis = parts(masses, chis, normal(tracks[0] - tracks[1]))
    radial = float(advance((track.mass * frequency) ** (2 / 3), masses, *axis) * frequency)
    basis, found = solve(track, RATE, TERMS[-1], 1.0)
    return Fit(float(np.hypot(c, s)), error, float(np.hypot(*of_omega)), error_of_omega, float(np.median(track.k)),
               (float(track.t[0]), float(track.t[-1])), (begin / (2 * np.pi), end / (2 * np.pi)),
               float((track.theta[-1] - track.theta[0]) / (2 * np.pi)), len(tracks_of) * len(TERMS) * len(KAPPAS), distance,
               frequency, radial, float(radial * distance * c), float(radial**2 * distance * s), track, whole,
               track.rate - basis[:, :-2] @ found[:-2], basis[:, -2:] @ found[-2:])
