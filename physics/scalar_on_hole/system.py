"""A massless scalar field on a Schwarzschild hole of mass M in trumpet coordinates (arXiv:1403.5484), which does not react:

    alpha = r/(r + M),  beta^i = M x^i/(r + M)^2,  gamma_ij = (1 + M/r)^2 delta_ij,  K = M/(r + M)^2.

With the momentum Pi = -n^a d_a phi,

    d_t phi = beta^i d_i phi - alpha Pi,
    d_t Pi = beta^i d_i Pi - alpha^3 Laplacian phi + alpha K Pi;

D^i(alpha D_i phi) is alpha^3 times the Laplacian of flat space, as alpha psi^2 is 1. All coefficients are bounded at r = 0.
"""

from emit import Result, Variable
from parameters import Parameter

VARIABLES = [
    Variable("phi", text="scalar field", falloff=1, speed="1", watched=True),
    Variable("Pi", text="momentum of the scalar field, -n^a d_a phi", falloff=1, speed="1"),
]
PARAMETERS = [
    Parameter("scalar_on_hole", "mass", 1, 1e-6, 1e6, unit="M", text="mass of the hole"),
    Parameter("scalar_on_hole", "monopole", 1, -1e3, 1e3, text="amplitude A of the shell's part with l = 0"),
    Parameter("scalar_on_hole", "dipole", 0, -1e3, 1e3, text="amplitude B of the shell's part with l = 1, m = 0"),
    Parameter("scalar_on_hole", "radius", 1.5, 1e-6, 1e9, unit="M", text="radius of the shell"),
    Parameter("scalar_on_hole", "width", 0.7, 1e-6, 1e9, unit="M", text="width of the shell"),
]
ROLES = {}
RESULTS = [
    Result("energy", text="energy density for normal observers, T_ab n^a n^b", unit="1/M^2"),
    Result("momentum_d", "i", text="momentum density for normal observers, -T_ai n^a", unit="1/M^2"),
]


def hole(p):
    """r, alpha and beta_u; M is there."""
    p.input("x", "y", "z")
    p.let("r", "sqrt(x**2 + y**2 + z**2)")
    p.let("alpha", "r / (r + mass)")
    p.let("drag", "mass / (r + mass)**2")
    p.let("beta_u[i]", "drag * (x * delta[i,0] + y * delta[i,1] + z * delta[i,2])")


def rhs(p):
    p.scalars("mass")
    hole(p)
    p.values("Pi")
    p.load(2, "phi")
    p.store("phi", "ADV_phi + beta_u[i] * dphi_d[i] - alpha * Pi")
    p.let("wave", "alpha**3 * ddphi_dd[i,i]")
    p.load(1, "Pi")
    p.store("Pi", "ADV_Pi + beta_u[i] * dPi_d[i] - wave + alpha * drag * Pi")


def analysis(p):
    """gamma^ij is alpha^2 delta_ij."""
    p.scalars("mass")
    hole(p)
    p.values("Pi")
    p.load(1, "phi")
    p.store("energy", "(Pi**2 + alpha**2 * dphi_d[i] * dphi_d[i]) / 2")
    p.store("momentum_d[i]", "Pi * dphi_d[i]")


def shell(p):
    p.scalars("monopole", "dipole", "radius", "width")
    p.input("x", "y", "z")
    p.let("r", "sqrt(x**2 + y**2 + z**2)")
    p.let("f", "exp(-((r - radius) / width)**2) + exp(-((r + radius) / width)**2)")
    p.store("phi", "(monopole + dipole * z / radius) * f")
    p.store("Pi", "0")


FILES = {
    "rhs": (rhs, "right-hand sides of a scalar field on a Schwarzschild hole"),
    "analysis": (analysis, "energy and momentum density of a scalar field on a Schwarzschild hole"),
}
INITIAL = {"shell": (shell, "a Gaussian shell about the hole, at rest")}
