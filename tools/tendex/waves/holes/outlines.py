"""Outlines of horizons in a plane at any time: their shapes where a run has them, else circles."""

from dataclasses import dataclass

import numpy as np

from tendex.waves.signal import series

# Between searches further apart than so many usual intervals a horizon is not there.
GAP = 3.5


@dataclass
class Outline:
    """Of one horizon at one time."""

    number: int
    curve: np.ndarray  # [n][3]
    shape: bool  # as found; else a circle of the mean radius


class Outlines:
    """Of all horizons of a plots_holes.HoleData in the plane where the coordinate 'y' or 'z' is that of their centres."""

    def __init__(self, holes, plane):
        self.plane, self.t, self.tracks = plane, holes.t, holes.tracks
        self.horizons, self.surfaces = holes.horizons, holes.surfaces

    def at(self, t):
        """[Outline] of what is found at that time."""
        return [one for k in sorted(self.horizons) if (one := self._one(k, t)) is not None]

    def _one(self, number, t):
        shape, h = number in self.surfaces, self.horizons[number]
        if shape:
            times, centre, coefficients = self.surfaces[number]
        else:
            times, centre, coefficients = h.time, h.centre, np.sqrt(4 * np.pi) * h.radius[:, None]  # of Y_00
        weights = between(times, t)
        if weights is None:
            return None
        middle = self._centre(number, times, centre, weights, t)
        radii = sum(w * coefficients[i] for i, w in weights)
        return Outline(number, series.outline(middle, radii, self.plane), shape)

    def _centre(self, number, times, centre, weights, t):
        """Of a hole as it was found, moved along with its puncture."""
        middle = sum(w * centre[i] for i, w in weights)
        if number > len(self.tracks) or not len(self.t):
            return middle
        moved = self.position(number, t) - sum(w * self.position(number, times[i]) for i, w in weights)
        return middle + moved

    def position(self, number, t):
        """[3] of a puncture."""
        x = self.tracks[number - 1]
        return np.array([np.interp(t, self.t, x[:, d]) for d in range(3)])


def between(times, t):
    """[(index, weight)] of the rows about a time; None where there are none near it."""
    after = int(np.searchsorted(times, t))
    usual = np.median(np.diff(times)) if len(times) > 1 else 0.0
    near = GAP * usual + 1e-9 * max(1.0, abs(t))
    if after == len(times):
        return [(after - 1, 1.0)] if t - times[-1] <= min(usual, near) + 1e-9 * max(1.0, abs(t)) else None
    if times[after] == t:
        return [(after, 1.0)]
    if after == 0 or times[after] - times[after - 1] > near:
        return None
    w = (t - times[after - 1]) / (times[after] - times[after - 1])
    return [(after - 1, 1 - w), (after, w)]
