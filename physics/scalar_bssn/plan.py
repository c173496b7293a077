"""How kernels of the BSSN equations with a scalar field are made: as those of BSSN."""

from bssn import plan

UPDATES = [("phi", "Pi"), *plan.UPDATES]
AHEAD, LAST, KEPT, SHARED = plan.AHEAD, plan.LAST, plan.KEPT, plan.SHARED
