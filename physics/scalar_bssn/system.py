"""A real scalar field phi with mass and self-interaction, V = mass^2 phi^2/2 + self_interaction phi^4/4, and its gravity by the BSSN
equations. Pi = n^a d_a phi, n being the normal of the slice; T_ab = d_a phi d_b phi - g_ab (d_c phi d^c phi/2 + V)."""

from bssn import equations
from bssn import system as bssn
from emit import Result, Variable
from matter import Matter
from parameters import Parameter

VARIABLES = [
    *bssn.VARIABLES,
    Variable("phi", text="scalar field", falloff=1, speed="1", watched=True),
    Variable("Pi", text="derivative of the scalar field along the normal", falloff=1, speed="1"),
]
PARAMETERS = [
    *(parameter.of("scalar_bssn") for parameter in bssn.PARAMETERS),
    Parameter("scalar_bssn", "mass", 0, 0, 1e9, unit="1/M", text="mass m of the scalar field, over Planck's constant: V = m^2 phi^2/2 +"
              " self_interaction phi^4/4"),
    Parameter("scalar_bssn", "self_interaction", 0, -1e9, 1e9, unit="1/M^2", text="self-interaction of the scalar field; see mass"),
    Parameter("scalar_bssn", "adm_mass", 1, 0, 1e9, unit="M", text="ADM mass of the pulse"),
    Parameter("scalar_bssn", "width", 2, 1e-6, 1e9, unit="M", text="width w of the pulse"),
]
ROLES, TRACE = bssn.ROLES, bssn.TRACE
RESULTS = [
    *bssn.RESULTS,
    Result("rho", text="energy density of the scalar field, n^a n^b T_ab", unit="1/M^2"),
    Result("S_d", "i", text="momentum density of the scalar field, -gamma_i^a n^b T_ab", unit="1/M^2"),
]


def stress(p):
    p.let("stress_dd[i,j]", "dphi_d[i] * dphi_d[j]", sym="ij")


def sources(p):
    p.scalars("mass", "self_interaction")
    p.let("V", "1/2 * mass**2 * phi**2 + 1/4 * self_interaction * phi**4")
    p.let("dphi2", "chi * gt_uu[i,j] * dphi_d[i] * dphi_d[j]")
    p.let("rho", "1/2 * (Pi**2 + dphi2) + V")
    p.let("mom_d[i]", "-Pi * dphi_d[i]")
    p.let("stress", "3/2 * Pi**2 - 1/2 * dphi2 - 3 * V")


def evolution(p):
    """Pi: K Pi + D^i D_i phi - V' and the gradient of the lapse."""
    p.store("phi", "ADV_phi + alpha * Pi")
    p.let("dphi_u[i]", "gt_uu[i,j] * dphi_d[j]")
    p.let("lap_phi", "chi * (gt_uu[i,j] * ddphi_dd[i,j] - Gamd_u[k] * dphi_d[k]) - 1/2 * dphi_u[k] * dchi_d[k]")
    p.load(0, "Pi")
    p.store("Pi", "ADV_Pi + alpha * (K * Pi + lap_phi - mass**2 * phi - self_interaction * phi**3) + chi * dphi_u[k] * dalpha_d[k]")


def analysis(p):
    """What sources() has made for the constraints."""
    p.store("rho", "rho")
    p.store("S_d[i]", "mom_d[i]")


def stability(p):
    equations.stability(p)
    p.scalars("mass")
    p.mode("3 * k2 + (mass * spacing)**2")


def pulse(p):
    """Time-symmetric and conformally flat: psi, three terms of 1/r in powers of (w/s)^2, s^2 = r^2 + w^2, up to a factor, has
    -Laplacian psi = (105/16) M w^6/s^9, and phi = 0, Pi^2 = -Laplacian psi/(pi psi^5) solves the constraints."""
    p.scalars("adm_mass", "width")
    p.input("x", "y", "z")
    p.let("s2", "x**2 + y**2 + z**2 + width**2")
    p.let("q", "width**2 / s2")
    p.let("over_s", "1 / sqrt(s2)")
    p.let("psi", "1 + 1/2 * adm_mass * over_s * (1 + 1/2 * q + 3/8 * q**2)")
    p.store("alpha", "1 / psi**2")
    for name in ("beta_u[i]", "B_u[i]", "Gamt_u[i]", "At_dd[i,j]", "K", "phi"):
        p.store(name, "0")
    p.store("chi", "1 / psi**4")
    p.store("gt_dd[i,j]", "delta[i,j]")
    p.store("Pi", "sqrt(105/16 * adm_mass * q**3 * over_s**3 / (pi * psi**5))")


MATTER = Matter({"phi": 2, "Pi": 0}, stress, sources, evolution)
FILES = {
    **equations.files(MATTER, "BSSN equations with a scalar field"),
    "analysis": (analysis, "energy and momentum density of the scalar field"),
}
STABILITY = stability
INITIAL = {"pulse": (pulse, "a pulse of the scalar field, time-symmetric, that satisfies the constraints")}
