"""How the kernels of Maxwell's equations are made."""

UPDATES = [("E_u", "B_u", "psi", "phi")]
AHEAD = ()
LAST = ()
KEPT = ()
