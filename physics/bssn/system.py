"""The BSSN equations: variables, and what is generated of physics/codegen/conformal.py."""

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
    Variable("K", text="trace of the extrinsic curvature", falloff=1, speed="1", watched=True),
    Variable("At_dd", "ij", SYM, text="conformal tracefree extrinsic curvature", falloff=2, speed="1"),
    Variable("Gamt_u", "i", text="conformal connection", shown="Gt", falloff=2, speed="1"),
]
PARAMETERS = [
    Parameter("evolution", "hamiltonian_damping", 0.0, 0.0, 10.0, scalar="4 * hamiltonian_damping * cfl * spacing",
              text="coefficient C of Hamiltonian constraint damping in BSSN (CAHD, arXiv:2404.01137): adds 4 C cfl h chi H to d_t chi;"
                   " 0: off; 0.06 makes H four times smaller in par/bbh_r1.yaml"),
]
# What diagnostics, algebraic constraints and the tracker know of them; gt has determinant 1, At no trace.
ROLES = {"LAPSE": "alpha", "SHIFT": "beta_u", "FACTOR": "chi", "METRIC": "gt_dd", "CURVATURE": "At_dd"}
TRACE = "K"  # of the extrinsic curvature
RESULTS = [Result("H"), Result("M_u", "i"), Result("G_u", "i"), Result("E_dd", "ij", SYM),
           Result("B_dd", "ij", SYM)]

# What is generated: function, title.
FILES = {
    "rhs": (partial(evolution, z4c=False), "right-hand sides of the BSSN equations"),
    "constraints": (partial(constraints, z4c=False), "constraints H, M^i, G^i"),
    "weyl": (partial(weyl, z4c=False), "electric and magnetic part of the Weyl tensor"),
}
