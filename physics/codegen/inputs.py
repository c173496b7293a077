"""Names of C that a description refers to: the parameters and scalars that the code around the equations provides."""

import functools
import re

from refuse import ROOT, Mistake, one_of

POINTWISE = ("eta",)  # scalars that are worked out at the point
COORDINATES = ("x", "y", "z")  # of the point, M
TIME = "t"  # M
# Words of C, and names that the code around the equations has: a quantity of that name has an underscore behind it.
RESERVED = set("""auto bool break case char class const continue default delete do double else enum extern false float for friend goto if
  inline int long namespace new operator private protected public register return short signed sizeof static struct switch template
  this throw true try typedef typename union unsigned using virtual void volatile while
  a advect added at b beta d first here inputs jets ko memory mesh number out p park point record rhs state tile E B
  EOF HUGE HUGE_VAL I INFINITY M_PI NAN NULL
  ADVECTIONS BLOCKS BOX_X BOX_Y BOX_Z CURVATURE KO_SCALE LOADS METRIC PARKED PLANE PLANE_BLOCKS RESIDENT SLOTS THREADS TILES""".split())
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


def spelled(name):
    """A name as C has it."""
    return name + "_" * (name in RESERVED or name.startswith(("tx_", "TX_")))
