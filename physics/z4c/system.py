"""The Z4c equations (arXiv:0912.2920, 1111.2177): variables, and what is generated of physics/codegen/conformal.py."""

from functools import partial

from conformal import constraints, evolution, weyl
from emit import Result, Variable
from parameters import Parameter

SYM = [(0, 1)]

# In storage order. Far away u - u_inf falls off as 1/r^falloff and travels at `speed`.
VARIABLES = [
    Variable("alpha", text="lapse", infinity="1", falloff=1, speed="sqrt(2)", advection="advect_lapse",
             floor="alpha_floor", watched=True),
    Variable("beta_u", "i", text="shift", falloff=1, speed="1", advection="advect_shift"),
    Variable("B_u", "i", text="time derivative of the shift, up to its driver's factor", falloff=1, speed="1",
             advection="advect_B"),
    Variable("chi", text="conformal factor det(gamma)^(-1/3)", infinity="1", falloff=1, speed="sqrt(2)",
             floor="chi_floor", watched=True),
    Variable("gt_dd", "ij", SYM, text="conformal metric", infinity="delta[i,j]", falloff=1, speed="1"),
    Variable("Khat", text="trace of the extrinsic curvature less 2 Theta", falloff=1, speed="sqrt(2)", watched=True,
             initial="K"),
    Variable("At_dd", "ij", SYM, text="conformal tracefree extrinsic curvature", falloff=1, speed="1"),
    Variable("Gamt_u", "i", text="conformal connection", shown="Gt", falloff=1, speed="1"),
    Variable("Theta", text="projection of Z along the normal", falloff=1, speed="1"),
]
PARAMETERS = [
    Parameter("evolution", "kappa1", 0.02, 0.0, 1e6, unit="1/M",
              text="constraint damping of Z4c: Z^i at the rate 2 kappa1, Theta at kappa1 (2 + kappa2); 0: none"),
    Parameter("evolution", "kappa2", 0.0, -0.99, 10.0, text="changes the damping of Theta relative to that of Z^i; see kappa1",
              only="kappa1 > 0"),
]
# What diagnostics, algebraic constraints and the tracker know of them; gt has determinant 1, At no trace.
ROLES = {"LAPSE": "alpha", "SHIFT": "beta_u", "FACTOR": "chi", "METRIC": "gt_dd", "CURVATURE": "At_dd"}
TRACE = "Khat + 2 * Theta"  # of the extrinsic curvature
RESULTS = [Result("H"), Result("M_u", "i"), Result("G_u", "i"), Result("E_dd", "ij", SYM),
           Result("B_dd", "ij", SYM)]

# What is generated: function, title.
FILES = {
    "rhs": (partial(evolution, z4c=True), "right-hand sides of the Z4c equations"),
    "constraints": (partial(constraints, z4c=True), "constraints H, M^i, G^i"),
    "weyl": (partial(weyl, z4c=True), "electric and magnetic part of the Weyl tensor"),
}
