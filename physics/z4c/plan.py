"""How kernels of the Z4c equations are made: what changes their speed and no number.

Threads of a GPU have few registers; values that they do not need for a while are parked in shared memory (parking.py).
"""

# Variables that are updated together, once the last of them has its right-hand side, so that loads wait together.
UPDATES = [("alpha", "Khat", "Theta"), ("gt_dd",), ("chi", "Gamt_u", "beta_u"), ("B_u",), ("At_dd",)]
# Of these what the update adds to is asked for right after the update before.
AHEAD = ("B_u", "At_dd")
# Updated values that are parked until the last update, which enforces the algebraic constraints.
LAST = ("gt_dd",)
# Values that are parked from the beginning on, to be had again; those of other variables are read from memory again.
KEPT = ("gt_dd",)
# Values that statements share, alive at once: one, as registers are short. On an H200 stages are 0.3% faster than with none.
SHARED = 1
