"""The orbit that is asked for."""

from dataclasses import dataclass

import numpy as np

# e_gw over e of dD/dt is 1 less this over the semi-major axis in M: by turning points of the 3PN Hamiltonian and the quadrupole's
# waves there, for e of 0.01 to 0.2, 0.919, 0.931 and 0.947 at 10, 12 and 16 M.
OF_WAVES = 0.83
# Above this eccentricity, what the fit and the correction leave out counts.
MOST = 0.2
# An eccentric orbit is there when its eccentricity is this near, as part of what was asked for, ...
NEAR = 0.03
# ... and its mean anomaly, in degrees.
NEAR_ANOMALY = 5.0


ROUNDS = 8


@dataclass(frozen=True)
class Goal:
    """Without a mean anomaly, an eccentricity of dD/dt of at most `e'; with one, in degrees at t = 0 from the periastron
    on, e_gw (arXiv:2302.11257) of `e' at it."""

    e: float
    anomaly: float = None

    @property
    def eccentric(self):
        return self.anomaly is not None

    def orbit(self, separation):
        """(e of dD/dt, radial phase) at t = 0 that momenta should make, at a separation in M."""
        if not self.eccentric:
            return 0.0, 0.0
        from scipy.optimize import brentq  # for this alone: sweeps do without
        from tendex.orbits.forecast import semi_major
        e, l = self.e, np.radians(self.anomaly)
        for _ in range(ROUNDS):
            # Kepler's equation for the radial phase, then the eccentricity of this semi-major axis.
            at = brentq(lambda x: x - e * np.sin(x) - l, -1, 7)
            phase = 2 * np.arctan2(np.sqrt(1 + e) * np.sin(at / 2), np.sqrt(1 - e) * np.cos(at / 2))
            e = self.e / (1 - OF_WAVES / semi_major(separation, e, phase))
        return float(e), float(phase % (2 * np.pi))

    def allowed(self, separation):
        """e of dD/dt: the most of a circle, or that of the eccentric orbit."""
        return self.orbit(separation)[0] if self.eccentric else self.e

    def miss(self, fit, separation):
        """What is left to do, 1 or less where it is there."""
        e = self.allowed(separation)
        if not self.eccentric:
            return fit.e / e
        off = abs((np.degrees(fit.anomaly) - self.anomaly + 180) % 360 - 180)
        return max(abs(fit.e / e - 1) / NEAR, off / NEAR_ANOMALY)

    def __str__(self):
        if self.eccentric:
            return f"e_gw = {self.e:g} at mean anomaly {self.anomaly:g} degrees"
        return f"e of {self.e:g} or less"
