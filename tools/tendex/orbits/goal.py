"""The orbit that is asked for."""

from dataclasses import dataclass

import numpy as np

# Above this eccentricity, what the fit and the correction leave out counts.
MOST = 0.2
# An eccentric orbit is there when its eccentricity is this near, as part of what was asked for, ...
NEAR = 0.03
# ... and its mean anomaly, in degrees.
NEAR_ANOMALY = 5.0


@dataclass(frozen=True)
class Goal:
    """Without a mean anomaly, an eccentricity of at most `e'; with one, in degrees at t = 0 from the periastron on, that
    of `e' at it."""

    e: float
    anomaly: float = None

    @property
    def eccentric(self):
        return self.anomaly is not None

    def oscillation(self, fit):
        """(of dD/dt, of d2D/dt2) at t = 0 that is to be left, D = D_0 (1 - e cos l)."""
        if not self.eccentric:
            return 0.0, 0.0
        l, size = np.radians(self.anomaly), self.e * fit.separation * fit.radial_frequency
        return size * np.sin(l), size * fit.radial_frequency * np.cos(l)

    def miss(self, fit):
        """What is left to do, 1 or less where it is there."""
        if not self.eccentric:
            return fit.e / self.e
        off = abs((anomaly(fit) - self.anomaly + 180) % 360 - 180)
        return max(abs(fit.e / self.e - 1) / NEAR, off / NEAR_ANOMALY)

    def __str__(self):
        if self.eccentric:
            return f"e = {self.e:g} at mean anomaly {self.anomaly:g} degrees"
        return f"e of {self.e:g} or less"


def anomaly(fit):
    """Mean anomaly at t = 0 in degrees, from 0 to 360."""
    return float(np.degrees(np.arctan2(fit.rate * fit.radial_frequency, fit.acceleration)) % 360)
