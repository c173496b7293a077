"""How long a run must be for its eccentricity to be fitted.

An orbit that stays circular while it loses energy as two point masses do (Peters 1964), at the orbital frequency of
first post-Newtonian order in ADM coordinates, M Omega = (M/D)^(3/2) (1 - (3 - nu) M / (2 D)). In place of an eccentric orbit,
the circle of its semi-major axis, which merges (1 - e^2)^(7/2) times as late (Peters' time for small e). Runs from 8 to 10 M
without spins take 1.13 times as long to the merger as point masses do: LONGER is a little less.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import cumulative_trapezoid

from tendex.waves.inspiral import eccentricity_fit
from tendex.waves.signal.modes import WaveError

STEPS = 4000
LONGER = 1.1
# Runs end this much later than the fit's window, as the orbit may be slower than foretold.
LATER = 1.02
# Of the most radial periods, what an eccentric orbit needs: 3PN orbits with 1.3 of them make no fit that corrections settle by.
ECCENTRIC = 0.95


@dataclass(frozen=True)
class Forecast:
    window: float  # the fit's window ends, time
    merger: float  # time
    frequency: float  # orbital, at the start
    radial_frequency: float  # of a small eccentricity, at the start


def semi_major(separation, e, phase):
    """Semi-major axis of the orbit that has this separation at a radial phase, rad from the periastron on."""
    return separation * (1 + e * np.cos(phase)) / (1 - e**2)


def forecast(separation, masses, chis=np.zeros((2, 3)), e=0.0, phase=0.0):
    """The Forecast of two holes, in their own unit, in orbit about z; spins [2][3] move the last stable orbit, eccentricity and
    radial phase are those at the start. Raises WaveError where the orbit is too short for a fit."""
    total, product = sum(masses), masses[0] * masses[1]
    d0 = semi_major(separation / total, e, phase)
    nu = product / total**2
    merger = LONGER * 5 / 256 * d0**4 / nu * (1 - e**2) ** 3.5
    t = np.linspace(0.0, merger, STEPS)[:-1]
    d = d0 * (1 - t / merger) ** 0.25
    pace = d**-1.5 * (1 - (3 - nu) / (2 * d))
    angle = cumulative_trapezoid(pace, t, initial=0.0)
    # Tracks are cut where periastra are too close.
    near = d * (1 - e * (d / d0) ** (19 / 12))
    line = near[:, None] * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    track = eccentricity_fit.sample(t, [line, 0 * line], [m / total for m in masses], chis)
    begin, end = eccentricity_fit.window(track, merger)
    periods = np.diff(np.interp([begin, end], track.angle, track.theta))[0] / (2 * np.pi)
    if e and periods < ECCENTRIC * eccentricity_fit.MOST_PERIODS:
        raise WaveError(f"{periods:.2f} radial periods before the last orbits: {eccentricity_fit.MOST_PERIODS:g} are needed for "
                        "an eccentric orbit")
    last = LATER * np.interp(end, track.angle, track.t)
    return Forecast(total * last, total * merger, pace[0] / total, track.k[0] * pace[0] / total)
