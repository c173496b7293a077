"""Initial momenta with less eccentricity.

At t = 0 the fit has an oscillating part of dD/dt and of d2D/dt2, which other momenta at the same separation should
take away (arXiv:gr-qc/0702106, 1012.1549). For Newton these are d(dD/dt) = dp_r / mu and d(d2D/dt2) = 2 D Omega dOmega
= 2 L dp_t / (mu^2 D^2). Here both come from the ADM Hamiltonian H(r, p_r, L) of two bodies to second post-Newtonian order
(arXiv:gr-qc/9912092; its separation is that of puncture data to this order), without spins: near a circular orbit

    dr/dt = H_pp p_r,   d2r/dt2 = -H_pp H_r,   so   dp_r = -(dD/dt)_osc / H_pp,   dp_t = (d2D/dt2)_osc / (r H_pp H_rL),

indices for derivatives. At D = 10 M and equal masses H_pp is 0.71 and H_pp H_rL 0.43 of Newton's with the same L. One
correction lowers an eccentricity of 0.01 by more than 3; repeat it from the corrected run.
"""

from dataclasses import dataclass

import numpy as np


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
    """H / mu = sum of a (L/r)^(2m) r^(-n) + p_r^2 times another such sum, lists of (a, m, n); what has no L is left out
    of the first. Lengths in M, p in mu, nu = mu / M."""
    two = 1 - 5 * nu + 5 * nu**2
    still = [(1 / 2, 1, 0), ((3 * nu - 1) / 8, 2, 0), (-(3 + nu) / 2, 1, 1),
             (two / 16, 3, 0), ((5 - 20 * nu - 3 * nu**2) / 8, 2, 1), ((5 + 8 * nu) / 2, 1, 2)]
    moving = [(1 / 2, 0, 0), ((3 * nu - 1) / 4, 1, 0), (-(3 + 2 * nu) / 2, 0, 1),
              (3 * two / 16, 2, 0), ((5 - 20 * nu - 4 * nu**2) / 4, 1, 1), ((5 + 11 * nu) / 2, 0, 2)]
    return still, moving


def response(r, momentum, nu):
    """(H_pp, H_rL) mu at a separation r in M, for a tangential momentum in mu."""
    still, moving = terms(nu)
    h_pp = 2 * sum(a * momentum ** (2 * m) / r**n for a, m, n in moving)
    h_rl = -sum(a * 2 * m * (2 * m + n) * momentum ** (2 * m - 1) / r ** (n + 2) for a, m, n in still)
    return h_pp, h_rl


def changes(separation, tangential, masses, rate, acceleration):
    """(of the tangential, of the radial momentum) that take away these oscillating parts of dD/dt and d2D/dt2."""
    total = sum(masses)
    mu = masses[0] * masses[1] / total
    r = separation / total
    h_pp, h_rl = response(r, tangential / mu, mu / total)
    return float(mu * acceleration * total / (r * h_pp * h_rl)), float(-mu * rate / h_pp)


def correct(fit, masses, positions, momenta, left=(0.0, 0.0)):
    """The Correction that an eccentricity_fit.Fit asks for; left: oscillating parts of dD/dt and d2D/dt2 that are to
    stay."""
    line = positions[0] - positions[1]
    separation = float(np.linalg.norm(line))
    line = line / separation
    relative = (momenta[0] - momenta[1]) / 2
    radial = float(relative @ line)
    across = relative - radial * line
    tangential = float(np.linalg.norm(across))
    along = across / tangential
    dt, dr = changes(separation, tangential, masses, fit.rate - left[0], fit.acceleration - left[1])
    change = dt * along + dr * line
    return Correction((momenta[0] + change, momenta[1] - change), tangential, radial, dt, dr)
