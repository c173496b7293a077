"""How the kernels of the system that goes through the language are made."""

UPDATES = [("u", "w", "q"), ("E_u",), ("F_dd",)]
AHEAD = ()
LAST = ()
KEPT = ()
