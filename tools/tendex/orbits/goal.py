"""The orbit that is asked for."""

from dataclasses import dataclass

import numpy as np

# e_gw over e of dD/dt, both at the same time, on orbits of the 3PN Hamiltonian with quadrupole waves, from 12 to 16 M with e
# of 0.05 and 0.1: 0.935 to 0.965.
OF_WAVES = 0.95
# Above this eccentricity, what the fit and the correction leave out counts.
MOST = 0.2
# An eccentric orbit is there when its eccentricity is this near, as part of what was asked for, ...
NEAR = 0.03
# ... and its mean anomaly, in degrees.
NEAR_ANOMALY = 5.0


@dataclass(frozen=True)
class Goal:
    """Without a mean anomaly, an eccentricity of dD/dt of at most `e'; with one, in degrees at t = 0 from the periastron
    on, e_gw (arXiv:2302.11257) of `e' at it."""

    e: float
    anomaly: float = None

    @property
    def eccentric(self):
        return self.anomaly is not None

    @property
    def of_rate(self):
        """Eccentricity of dD/dt."""
        return self.e / OF_WAVES if self.eccentric else self.e

    def oscillation(self, fit):
        """(of dD/dt, of d2D/dt2) at t = 0 that is to be left, D = D_0 (1 - e cos l)."""
        if not self.eccentric:
            return 0.0, 0.0
        l, size = np.radians(self.anomaly), self.of_rate * fit.separation * fit.radial_frequency
        return size * np.sin(l), size * fit.radial_frequency * np.cos(l)

    def miss(self, fit):
        """What is left to do, 1 or less where it is there."""
        if not self.eccentric:
            return fit.e / self.of_rate
        off = abs((np.degrees(fit.anomaly) - self.anomaly + 180) % 360 - 180)
        return max(abs(fit.e / self.of_rate - 1) / NEAR, off / NEAR_ANOMALY)

    def __str__(self):
        if self.eccentric:
            return f"e_gw = {self.e:g} at mean anomaly {self.anomaly:g} degrees"
        return f"e of {self.e:g} or less"
