"""The Z4c equations (arXiv:0912.2920, 1111.2177): variables, parameters, and what is generated of equations.py."""

import gauge
from conformal import METRIC, RESULTS, SYM
from emit import Variable
from parameters import Parameter
from z4c.equations import SHIFT_APART, files, stability  # noqa: F401

# In storage order. Far away u - u_inf falls off as 1/r^falloff and travels at `speed`.
VARIABLES = [
    *gauge.VARIABLES,
    *METRIC,
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
ROLES = {**gauge.ROLES, "FACTOR": "chi", "METRIC": "gt_dd", "CURVATURE": "At_dd"}
TRACE = "Khat + 2 * Theta"  # of the extrinsic curvature
FILES = files()
STABILITY = stability
DEFAULTS = {"gauge.lambda_f0": 4 / 3}
