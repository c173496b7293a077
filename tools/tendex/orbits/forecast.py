"""How long a run must be for its eccentricity to be fitted.

An orbit that stays circular while it loses energy as two point masses do (Peters 1964), at the orbital frequency of
first post-Newtonian order in ADM coordinates, M Omega = (M/D)^(3/2) (1 - (3 - nu) M / (2 D)). Runs from 8 to 10 M
without spins take 1.13 times as long to the merger as point masses do: LONGER is a little less.
"""

from dataclasses import dataclass

import numpy as np

from tendex.waves import eccentricity_fit

STEPS = 4000
LONGER = 1.1
# Runs end this much later than the fit's window, as the orbit may be slower than foretold.
LATER = 1.02


@dataclass(frozen=True)
class Forecast:
    window: float  # the fit's window ends, time
    merger: float  # time
    frequency: float  # orbital, at the start
    radial_frequency: float  # of a small eccentricity, at the start


def forecast(separation, masses):
    """The Forecast of two holes, in their own unit. Raises WaveError where the orbit is too short for a fit."""
    total, product = sum(masses), masses[0] * masses[1]
    d0 = separation / total
    nu = product / total**2
    merger = LONGER * 5 / 256 * d0**4 / nu
    t = np.linspace(0.0, merger, STEPS)[:-1]
    d = d0 * (1 - t / merger) ** 0.25
    pace = d**-1.5 * (1 - (3 - nu) / (2 * d))
    angle = np.concatenate([[0.0], np.cumsum((pace[1:] + pace[:-1]) / 2 * np.diff(t))])
    line = d[:, None] * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    track = eccentricity_fit.sample(t, [line, 0 * line], [m / total for m in masses])
    _, end = eccentricity_fit.window(track, merger)
    last = LATER * np.interp(end, track.angle, track.t)
    return Forecast(total * last, total * merger, pace[0] / total, track.k[0] * pace[0] / total)
