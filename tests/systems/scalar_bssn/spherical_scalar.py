"""A scalar field with its gravity in spherical symmetry, independent of the program's equations: in polar-areal coordinates
(M. Choptuik, Phys. Rev. Lett. 70, 9 (1993)),

    ds^2 = -alpha^2 dt^2 + dR^2/A + R^2 dOmega^2,  Phi = phi_R,  Pi = n^a d_a phi/sqrt(A),
    phi_t = alpha sqrt(A) Pi,  Pi_t = (R^2 alpha sqrt(A) Phi)_R/R^2 - alpha V'/sqrt(A),
    (R A e^I)_R = (1 - 8 pi R^2 V) e^I,  I_R = 4 pi R (Pi^2 + Phi^2),
    (log alpha)_R = (1/A - 1)/(2 R) + 2 pi R (Pi^2 + Phi^2) - 4 pi R V/A,

alpha and A are integrated outwards in every stage, with alpha = 1 at the centre, where t is the proper time. A slice on which K_ij
is 0 is one of these. All is of second order in the spacing.
"""

import numpy as np


def psi(adm_mass, width, r):
    """psi of the profile pulse of the system scalar_bssn at the isotropic radius r, its slope, and n^a d_a phi."""
    s2 = r**2 + width**2
    q = width**2 / s2
    value = 1 + adm_mass / (2 * np.sqrt(s2)) * (1 + q / 2 + 3 / 8 * q**2)
    slope = -adm_mass * r / (2 * s2**1.5) * (1 + 3 / 2 * q + 15 / 8 * q**2)
    return value, slope, np.sqrt(105 / 16 * adm_mass * q**3 / s2**1.5 / (np.pi * value**5))


class Spherical:
    """Cells from R = 0 to `far`, with phi and Pi at their middles. `radii`: where the start is known, r -> (R, A, n^a d_a phi)."""

    def __init__(self, start, mass, self_interaction, far, n):
        self.mass2, self.interaction, self.d = mass**2, self_interaction, far / n
        self.face = np.arange(n + 1) * self.d
        self.R = self.face[:-1] + self.d / 2
        A, normal = start(self.R)
        self.y, self.t = np.array([np.zeros(n), normal / np.sqrt(A)]), 0.0

    def metric(self, y):
        """alpha and A at the faces and at the middles."""
        phi, Pi = y
        Phi = (np.append(phi[1:], phi[-1]) - np.append(phi[0], phi[:-1])) / (2 * self.d)
        V = self.mass2 * phi**2 / 2 + self.interaction * phi**4 / 4
        square = 4 * np.pi * self.R * (Pi**2 + Phi**2)
        at_faces = np.append(0, np.cumsum(square)) * self.d
        inside = np.append(0, np.cumsum((1 - 8 * np.pi * self.R**2 * V) * np.exp(at_faces[:-1] + square * self.d / 2))) * self.d
        A = np.append(1, np.exp(-at_faces[1:]) / self.face[1:] * inside[1:])
        A_middle = (A[1:] + A[:-1]) / 2
        slope = (1 / A_middle - 1) / (2 * self.R) + square / 2 - 4 * np.pi * self.R * V / A_middle
        log_alpha = np.append(0, np.cumsum(slope)) * self.d
        return np.exp(log_alpha), A, np.exp((log_alpha[1:] + log_alpha[:-1]) / 2), A_middle

    def slope(self, y):
        phi, Pi = y
        alpha, A, alpha_middle, A_middle = self.metric(y)
        flux = np.zeros(len(alpha))
        flux[1:-1] = self.face[1:-1]**2 * alpha[1:-1] * np.sqrt(A[1:-1]) * np.diff(phi) / self.d
        volume = np.diff(self.face**3) / 3
        root = np.sqrt(A_middle)
        force = self.mass2 * phi + self.interaction * phi**3
        return np.array([alpha_middle * root * Pi, np.diff(flux) / volume - alpha_middle * force / root])

    def step(self):
        alpha, A, *_ = self.metric(self.y)
        dt = 0.4 * self.d / (alpha * np.sqrt(A)).max()
        k1 = self.slope(self.y)
        k2 = self.slope(self.y + dt / 2 * k1)
        k3 = self.slope(self.y + dt / 2 * k2)
        self.y, self.t = self.y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + self.slope(self.y + dt * k3)), self.t + dt

    def centre(self):
        """phi, which is even there."""
        return (9 * self.y[0, 0] - self.y[0, 1]) / 8


def pulse(adm_mass, width):
    """The start from that profile: its A and n^a d_a phi at areal radii R = psi^2 r."""
    def at(R):
        r = np.sinh(np.linspace(0, np.arcsinh(2 * R[-1] / width), 200001)) * width
        value, slope, _ = psi(adm_mass, width, r)
        inward = np.interp(R, value**2 * r, r)
        for _ in range(3):
            value, slope, _ = psi(adm_mass, width, inward)
            inward -= (value**2 * inward - R) / (value * (value + 2 * inward * slope))
        value, slope, normal = psi(adm_mass, width, inward)
        return (1 + 2 * inward * slope / value)**2, normal
    return at


def history(start, mass, self_interaction, far, n, until):
    """Times and phi at the centre up to `until`, or to where A falls below 1/50, which is said: a horizon forms."""
    star = Spherical(start, mass, self_interaction, far, n)
    found = [(0.0, 0.0)]
    while star.t < until:
        star.step()
        found.append((star.t, star.centre()))
        least = star.metric(star.y)[1].min()
        if not least > 0.02:
            return np.array(found), True
    return np.array(found), False
