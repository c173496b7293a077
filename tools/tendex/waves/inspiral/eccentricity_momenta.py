"""Initial momenta of an orbit with less eccentricity, or with the one that is asked for.

The fit has an eccentricity e and a radial phase theta at t = 0; other momenta at the same separation D should make them
others (arXiv:gr-qc/0702106, 1012.1549). Momenta of both orbits come from the ADM Hamiltonian H(r, p_r, L) of two bodies to
second post-Newtonian order (arXiv:gr-qc/9912092; its separation is that of puncture data to this order), without spins, and
the change is their difference. With p = D (1 + e cos theta) an orbit has its periastron at p / (1 + e) and its apastron at
p / (1 - e), so that

    H(p / (1 + e), 0, L) = H(p / (1 - e), 0, L) = H(D, p_r, L),

which gives L and p_r, whose sign is that of sin theta. For Newton's orbits this is exact. The separation's rate and second
derivative of a small eccentricity are those of the fit's radial frequency, not of the Hamiltonian's, where the changes of p_r and
L are multiplied with the quotient of the two and its square: at 10 M, where they differ by 7%. One correction lowers an
eccentricity of 0.01 by more than 3; repeat it from the corrected run.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq


# No fit is trusted with more eccentricity.
MOST = 0.5


@dataclass(frozen=True)
class Correction:
    """Of the momenta of two punctures; vectors [3]."""

    momenta: tuple  # corrected, of punctures 1 and 2
    tangential: float  # along the first's motion
    radial: float  # away from the second
    change_tangential: float
    change_radial: float

    @property
    def factors(self):
        """(corrected over given) tangential and radial; None where nothing was given."""
        return tuple(1 + change / given if given else None for change, given in
                     ((self.change_tangential, self.tangential), (self.change_radial, self.radial)))


def terms(nu):
    """H / mu = sum of a (L/r)^(2m) r^(-n) + p_r^2 times another such sum, lists of (a, m, n). Lengths in M, p in mu,
    nu = mu / M."""
    two = 1 - 5 * nu + 5 * nu**2
    still = [(1 / 2, 1, 0), (-1, 0, 1), ((3 * nu - 1) / 8, 2, 0), (-(3 + nu) / 2, 1, 1), (1 / 2, 0, 2),
             (two / 16, 3, 0), ((5 - 20 * nu - 3 * nu**2) / 8, 2, 1), ((5 + 8 * nu) / 2, 1, 2), (-(1 + 3 * nu) / 4, 0, 3)]
    moving = [(1 / 2, 0, 0), ((3 * nu - 1) / 4, 1, 0), (-(3 + 2 * nu) / 2, 0, 1),
              (3 * two / 16, 2, 0), ((5 - 20 * nu - 4 * nu**2) / 4, 1, 1), ((5 + 11 * nu) / 2, 0, 2)]
    return still, moving


def part(r, L, of, derivatives=0):
    """A sum of `terms', or a derivative by r."""
    powers = [(a, m, 2 * m + n) for a, m, n in of]
    signs = [np.prod([-p - d for d in range(derivatives)]) for _, _, p in powers]
    return sum(sign * a * L ** (2 * m) * r ** (-p - derivatives) for sign, (a, m, p) in zip(signs, powers))


def momentum(near, far, still):
    """L of an orbit with these turning points."""
    def slope(L):
        if far - near > 1e-6 * far:
            return (part(far, L, still) - part(near, L, still)) / (far - near)
        return part((near + far) / 2, L, still, 1)
    return brentq(slope, 0.8 * np.sqrt(near), 2 * np.sqrt(far), xtol=1e-14, rtol=1e-14)


def of_orbit(r, e, phase, nu):
    """(tangential, radial momentum) in mu at a separation r in M and a radial phase."""
    still, moving = terms(nu)
    p = r * (1 + e * np.cos(phase))
    far = p / (1 - e)
    L = momentum(p / (1 + e), far, still)
    square = (part(far, L, still) - part(r, L, still)) / part(r, L, moving)
    return float(L / r), float(np.copysign(np.sqrt(max(square, 0)), np.sin(phase)))


def radial_frequency(r, nu):
    """Of a nearly circular orbit, 1/M."""
    still, moving = terms(nu)
    L = momentum(r, r, still)
    return float(np.sqrt(2 * part(r, L, moving) * part(r, L, still, 2)))


def correct(fit, masses, positions, momenta, wanted=(0.0, 0.0)):
    """The Correction that an eccentricity_fit.Fit asks for; wanted: eccentricity of dD/dt and radial phase at t = 0."""
    total = sum(masses)
    mu = masses[0] * masses[1] / total
    line = positions[0] - positions[1]
    separation = float(np.linalg.norm(line))
    line = line / separation
    relative = (momenta[0] - momenta[1]) / 2
    radial = float(relative @ line)
    across = relative - radial * line
    tangential = float(np.linalg.norm(across))
    along = across / tangential
    there, here = (of_orbit(separation / total, *orbit, mu / total) for orbit in (wanted, (min(fit.e, MOST), fit.phase)))
    pace = fit.radial_frequency * total / radial_frequency(separation / total, mu / total)
    dt, dr = (mu * factor * (new - old) for factor, new, old in zip((pace**2, pace), there, here))
    change = dt * along + dr * line
    return Correction((momenta[0] + change, momenta[1] - change), tangential, radial, dt, dr)
