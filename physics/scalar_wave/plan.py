"""How the kernels of the wave equation are made."""

UPDATES = [("u", "v")]
AHEAD = ()
LAST = ()
KEPT = ()
