"""The Z4c equations with the matter of scalar_bssn: a system of two packages' parts."""

from scalar_bssn import system as scalar
from z4c import equations
from z4c import system as z4c

VARIABLES = [*z4c.VARIABLES, *scalar.VARIABLES[-2:]]
PARAMETERS = [*(parameter.of("scalar_z4c") for parameter in z4c.PARAMETERS),
              *(parameter.of("scalar_z4c") for parameter in scalar.PARAMETERS if parameter.name in ("mass", "self_interaction"))]
ROLES, TRACE, RESULTS = z4c.ROLES, z4c.TRACE, z4c.RESULTS
FILES = equations.files(scalar.MATTER, "Z4c equations with a scalar field")
STABILITY, SHIFT_APART, DEFAULTS = z4c.STABILITY, z4c.SHIFT_APART, z4c.DEFAULTS
