"""How the kernels of the scalar field on a hole are made."""

UPDATES = [("phi", "Pi")]
AHEAD = ()
LAST = ()
KEPT = ()
