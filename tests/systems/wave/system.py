"""The wave equation d_t u = v, d_t v = laplacian u: a system that only a test knows."""

from emit import Variable

VARIABLES = [
    Variable("u", text="wave", falloff=1, speed="1", watched=True),
    Variable("v", text="time derivative of the wave", falloff=1, speed="1"),
]
ROLES = {}
RESULTS = []


def rhs(p):
    p.values("v")
    p.load(2, "u")
    p.store("u", "ADV_u + v")
    p.load(0, "v")
    p.store("v", "ADV_v + ddu_dd[i,i]")


FILES = {"rhs": (rhs, "right-hand sides of the wave equation")}
