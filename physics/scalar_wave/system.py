"""The wave equation of a massless scalar field u in flat space, d_t u = v, d_t v = Laplacian u."""

from emit import Result, Variable
from parameters import Parameter

VARIABLES = [
    Variable("u", text="scalar field", falloff=1, speed="1", watched=True),
    Variable("v", text="time derivative of the scalar field", falloff=1, speed="1"),
]
PARAMETERS = [
    Parameter("scalar_wave", "amplitude", 1, -1e3, 1e3, text="amplitude A of the Gaussian A exp(-r^2/w^2)"),
    Parameter("scalar_wave", "width", 2, 1e-6, 1e9, unit="M", text="width w of the Gaussian"),
    Parameter("scalar_wave", "centre", 0, -1e9, 1e9, unit="M", text="x of its centre"),
]
ROLES = {}
RESULTS = [
    Result("energy", text="energy density", unit="1/M^2"),
    Result("flux_u", "i", text="flux of energy", unit="1/M^2"),
]


def rhs(p):
    p.values("v")
    p.load(2, "u")
    p.store("u", "ADV_u + v")
    p.load(0, "v")
    p.store("v", "ADV_v + ddu_dd[i,i]")


def analysis(p):
    p.values("v")
    p.load(1, "u")
    p.store("energy", "0.5 * (v**2 + du_d[i] * du_d[i])")
    p.store("flux_u[i]", "-v * du_d[i]")


def gaussian(p):
    p.scalars("amplitude", "width", "centre")
    p.input("x", "y", "z")
    p.store("u", "amplitude * exp(-((x - centre)**2 + y**2 + z**2) / width**2)")
    p.store("v", "0")


FILES = {
    "rhs": (rhs, "right-hand sides of the wave equation"),
    "analysis": (analysis, "energy density and flux of a scalar wave"),
}
INITIAL = {"gaussian": (gaussian, "a Gaussian at rest")}
