"""Names of C that a description refers to: the parameters and scalars that the code around the equations provides."""

import functools
import re

from refuse import ROOT, Mistake, one_of

POINTWISE = ("eta",)  # scalars that are worked out at the point
COORDINATES = ("x", "y", "z")  # of the point, M
SYMBOLS = ("k1", "k2", "spacing")  # of the stability of time steps: see Program.mode
TIME = "t"  # M
# Words that C or C++ has, and macros of compilers.
KEYWORDS = """alignas alignof and asm auto bitand bitor bool break case catch char class compl concept const constexpr continue decltype
default delete do double else enum explicit export extern false float for friend goto if inline int linux long mutable namespace new
noexcept not nullptr operator or private protected public register requires restrict return short signed sizeof static struct switch
template this throw true try typedef typename union unix unsigned using virtual void volatile while xor""".split()
# And names that the code around the equations has: a quantity of that name has an underscore behind it.
RESERVED = {*KEYWORDS, *"""a advect added at b beta d first h here inputs jets ko memory mesh number out p park point record rhs state tile E B
  EOF HUGE HUGE_VAL I INFINITY M_PI NAN NULL
  ADVECTIONS BLOCKS BOX_X BOX_Y BOX_Z CURVATURE KO_SCALE LOADS METRIC PARKED PLANE PLANE_BLOCKS RESIDENT SLOTS THREADS TILES""".split()}
# What a file must store; the right-hand sides: every variable.
STORES = {"constraints": ("H", "M_u", "G_u"), "weyl": ("E_dd", "B_dd")}
# Constraints as analysis quantities: what begins their names in files, and texts.
CONSTRAINTS = {"H": ("hamiltonian", "Hamiltonian constraint"), "M_u": ("momentum", "momentum constraint"),
               "G_u": ("connection", "constraint of the conformal connection")}


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


SCHEME = re.compile(r"_(4u?|6|6d5|6u)$")  # the ends of names that base/schemes.h makes


@functools.cache
def names_of_program():
    """The names tx_..., and of CMake's targets, that a system's could be mistaken for."""
    files = [path for folder in ("src", "physics", "octree", "elliptic", "gw_extraction", "horizons", "cuda", "tests/cuda_host")
             for pattern in ("*.h", "*.cuh", "CMakeLists.txt") for path in (ROOT / folder).rglob(pattern)]
    return set(re.findall(r"\btx_\w+", "\n".join(path.read_text() for path in files)))


def taken(name):
    """Who has the name of a system already, or None."""
    if name in KEYWORDS:
        return "C has a word of this name"
    if SCHEME.search(name):
        return f"the names of schemes end in {SCHEME.search(name)[0]}"
    found = [other for other in (f"tx_{name}", f"tx_system_{name}", f"tx_cuda_{name}", f"tx_cuda_host_{name}") if other in names_of_program()]
    return f"the program has the name {found[0]}" if found else None


def check(name, names, what):
    if name not in names:
        raise Mistake(f"{what} is unknown; {one_of(names)}")


def spelled(name):
    """A name as C has it."""
    return name + "_" * (name in RESERVED or name.startswith(("tx_", "TX_")))
