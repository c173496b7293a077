"""Orbital frequency of initial data, from the momenta of two punctures.

Of a circular orbit at a separation r the post-Newtonian series of `tendex new' have the frequency and the tangential momentum, to
3.5PN with spins (arXiv:1810.00036 eq. A1, A2; to 3PN arXiv:1702.00872 eq. 6, 7). Other momenta have another frequency at the same
separation, by Omega = dH/dL: the series times that derivative, over what it is on the circle, H being the ADM Hamiltonian to second
order (arXiv:gr-qc/9912092). So momenta of `quasi_circular' have the frequency that `tendex new' was asked for, and eccentric ones that
of their place on the orbit. The punctures' own motion does not tell it: the shift, which begins at zero, moves them only after some 10 M.
"""

import numpy as np

from tendex.waves.inspiral.eccentricity_momenta import terms

# In M: closer ones are no orbits that these series know (QC-0, at 2.3 M).
NEAREST = 5.0


def frequency_terms(q, c1, c2, across):
    """a_k of the frequency times r^(3/2): a sum of a_k r^(-k/2)."""
    s = 1 + q
    s2, s3, s4, s6 = s**2, s**3, s**4, s**6
    return [1.0, 0.0, -(3 * q**2 + 5 * q + 3) / (2 * s2), -((3 * q + 4) * c1 + q * (4 * q + 3) * c2) / (4 * s2),
            0.75 * (c1 + q * c2) ** 2 / s2 + np.polyval([24, 103, 164, 103, 24], q) / (16 * s4) - 0.375 * across,
            3 * (np.polyval([13, 34, 30, 16], q) * c1 + q * np.polyval([16, 30, 34, 13], q) * c2) / (16 * s4),
            -q * (96 * q**2 + 127 * q + 96) * c1 * c2 / (16 * s4) - q**2 * (2 * q + 5) * (14 * q + 27) * c2**2 / (32 * s4)
            - (5 * q + 2) * (27 * q + 14) * c1**2 / (32 * s4)
            + (501 * np.pi**2 * q * s4 - 4 * np.polyval([120, 2744, 10049, 14820, 10049, 2744, 120], q)) / (384 * s6),
            -3 * (4 * q + 1) * q**3 * c2**3 / (8 * s4) - 3 * (q + 4) * c1**3 / (8 * s4) - 9 * q * (q * c1 * c2**2 + c1**2 * c2) / (4 * s3)
            - c1 * np.polyval([135, 385, 363, 377, 387, 168], q) / (32 * s6)
            - q * c2 * np.polyval([168, 387, 377, 363, 385, 135], q) / (32 * s6)]


def momentum_terms(q, c1, c2, across):
    """The same of the tangential momentum over the reduced mass, times r^(1/2)."""
    s = 1 + q
    s2, s3, s4, s6 = s**2, s**3, s**4, s**6
    squares = np.polyval([-108, 224, 512], q) * c1**2 + np.polyval([480, 1064, 480, 0], q) * c1 * c2
    squares += np.polyval([512, 224, -108, 0, 0], q) * c2**2
    return [1.0, 0.0, 2.0, -(3 * (4 * q**2 + 3 * q) * c2 + 3 * (3 * q + 4) * c1) / (4 * s2),
            ((42 * q**2 + 41 * q + 42) / 16 + 0.75 * (c1 + q * c2) ** 2) / s2 - 0.375 * across,
            -(np.polyval([13, 60, 116, 72], q) * c1 + np.polyval([72, 116, 60, 13, 0], q) * c2) / (16 * s4),
            (np.polyval([480, -2636, -6128, -2636, 480], q) + 163 * np.pi**2 * q * s2 + squares) / (128 * s4),
            -5 * (4 * q + 1) * q**3 * c2**3 / (8 * s4) - 15 * q**2 * c1 * c2**2 / (4 * s3) - 15 * q * c1**2 * c2 / (4 * s3)
            - 5 * (q + 4) * c1**3 / (8 * s4) - c1 * np.polyval([103, 145, -27, 252, 670, 348], q) / (32 * s6)
            - q * c2 * np.polyval([348, 670, 252, -27, 145, 103], q) / (32 * s6)]


def series(a, r):
    return sum(x * r ** (-k / 2) for k, x in enumerate(a))


def by_momentum(r, p_r, L, nu):
    """dH/dL over the reduced mass, to second order."""
    still, moving = terms(nu)
    def slope(of):
        return sum(2 * m * a * L ** (2 * m - 1) * r ** (-2 * m - n) for a, m, n in of if m)
    return slope(still) + p_r**2 * slope(moving)


def frequency(masses, chis, positions, momenta):
    """Omega of two punctures with these masses, spins over mass squared [2][3], positions and momenta [2][3], in the inverse of the
    masses' unit. 0 where nothing orbits, None where they are too close for the series."""
    total = sum(masses)
    line = np.subtract(*positions) / total
    r, nu = float(np.linalg.norm(line)), masses[0] * masses[1] / total**2
    if r < NEAREST:
        return None
    relative = np.subtract(*momenta) / 2 / (nu * total)
    orbital = np.cross(line, relative)
    L = float(np.linalg.norm(orbital))
    if not L:
        return 0.0
    light, heavy = sorted((0, 1), key=lambda i: masses[i])
    q = masses[heavy] / masses[light]
    along = [float(np.dot(chis[i], orbital)) / L for i in (light, heavy)]
    spin = sum(m / total * np.asarray(chi, float) for m, chi in zip(masses, chis))
    across = float(spin @ spin - (spin @ orbital / L) ** 2)
    circle = np.sqrt(r) * series(momentum_terms(q, *along, across), r)
    ratio = by_momentum(r, float(relative @ line) / r, L, nu) / by_momentum(r, 0.0, circle, nu)
    return float(series(frequency_terms(q, *along, across), r) / r**1.5 * ratio / total)
