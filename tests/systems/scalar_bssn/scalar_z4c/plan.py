"""How kernels of the Z4c equations with a scalar field are made: as those of Z4c."""

from z4c import plan

UPDATES = [("phi", "Pi"), *plan.UPDATES]
AHEAD, LAST, KEPT, SHARED = plan.AHEAD, plan.LAST, plan.KEPT, plan.SHARED
