"""Names of C that a description refers to: the parameters and scalars that the code around the equations provides."""

import functools
import re

from refuse import ROOT, Mistake, one_of

POINTWISE = ("eta",)  # scalars that are worked out at the point
# What a file must store; the right-hand sides: every variable.
STORES = {"constraints": ("H", "M_u", "G_u"), "weyl": ("E_dd", "B_dd")}


@functools.cache
def parameters(kind):
    """Members of tx_system_params: of `kind` "floor" those that are floors, of "advection" the factors of advections."""
    struct = re.search(r"struct tx_system_params \{(.*?)\} tx_system_params;", (ROOT / "physics/system.h").read_text(), re.S)[1]
    pattern = {"floor": r"\w+_floor", "advection": r"advect_(?!Gt\b)\w+"}[kind]  # that of Gt belongs to the equation of B
    return re.findall(rf"\bdouble\s+({pattern});", struct)


@functools.cache
def scalars():
    """Scalar inputs of right-hand sides."""
    return re.findall(r"^SCALAR\((\w+),", (ROOT / "physics/octant/scalars.h").read_text(), re.M)


def check(name, names, what):
    if name not in names:
        raise Mistake(f"{what} is unknown; {one_of(names)}")
