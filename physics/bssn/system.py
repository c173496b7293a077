"""The BSSN equations: variables, parameters, and what is generated of equations.py."""

import gauge
from bssn.equations import files, stability
from conformal import METRIC, RESULTS, SYM
from emit import Variable
from parameters import Parameter

# In storage order. Far away u - u_inf falls off as 1/r^falloff and travels at `speed`.
VARIABLES = [
    *gauge.VARIABLES,
    *METRIC,
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
ROLES = {**gauge.ROLES, "FACTOR": "chi", "METRIC": "gt_dd", "CURVATURE": "At_dd"}
TRACE = "K"  # of the extrinsic curvature
FILES = files()
STABILITY = stability
