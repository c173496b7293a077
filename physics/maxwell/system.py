"""Maxwell's equations in flat space, with hyperbolic divergence cleaning (docs/systems/maxwell.md has the references):

    d_t E = curl B - grad psi,     d_t psi = -div E - kappa psi,
    d_t B = -curl E - grad phi,    d_t phi = -div B - kappa phi.
"""

from emit import Result, Variable
from parameters import Parameter

VARIABLES = [
    Variable("E_u", "i", text="electric field", falloff=1, speed="1", watched=True),
    Variable("B_u", "i", text="magnetic field", falloff=1, speed="1", axial=True, watched=True),
    Variable("psi", text="cleaning field of div E", falloff=1, speed="1"),
    Variable("phi", text="cleaning field of div B", falloff=1, speed="1", axial=True),
]
PARAMETERS = [
    Parameter("maxwell", "kappa", 1, 0, 100, unit="1/M",
              text="damping of div E and div B: violations of wave number above kappa/2 fall as exp(-kappa t/2)"),
    Parameter("maxwell", "amplitude", 1, -1e3, 1e3, unit="1/M", text="amplitude of a profile"),
    Parameter("maxwell", "width", 2, 1e-6, 1e9, unit="M", text="width of the dipole wave"),
    Parameter("maxwell", "wavelength", 8, 1e-6, 1e9, unit="M", text="wavelength of plane waves along x; it must divide a periodic box"),
]
ROLES = {}
RESULTS = [
    Result("divE", text="divergence of E", unit="1/M^2"),
    Result("divB", text="divergence of B", unit="1/M^2", axial=True),
    Result("energy", text="energy density, (E^2 + B^2)/2", unit="1/M^2"),
    Result("poynting_u", "i", text="flux of energy, E x B", unit="1/M^2"),
]


def rhs(p):
    p.scalars("kappa")
    p.values("psi", "phi")
    for name in ("E_u", "B_u", "psi", "phi"):
        p.load(1, name)
    p.store("E_u[i]", "ADV_E_u[i] + eps[i,j,k] * dB_du[j,k] - dpsi_d[i]")
    p.store("B_u[i]", "ADV_B_u[i] - eps[i,j,k] * dE_du[j,k] - dphi_d[i]")
    p.store("psi", "ADV_psi - dE_du[i,i] - kappa * psi")
    p.store("phi", "ADV_phi - dB_du[i,i] - kappa * phi")


def analysis(p):
    p.values("E_u", "B_u")
    p.load(1, "E_u")
    p.load(1, "B_u")
    p.store("divE", "dE_du[i,i]")
    p.store("divB", "dB_du[i,i]")
    p.store("energy", "(E_u[i] * E_u[i] + B_u[i] * B_u[i]) / 2")
    p.store("poynting_u[i]", "eps[i,j,k] * E_u[j] * B_u[k]")


def fields(p, E=(), B=()):
    """Store a profile by its components, {axis: value}, with cleaning fields of 0."""
    for name, values in (("E_u[i]", dict(E)), ("B_u[i]", dict(B))):
        p.store(name, " + ".join(f"({value}) * delta[i,{axis}]" for axis, value in values.items()) or "0 * delta[i,0]")
    p.store("psi", "0")
    p.store("phi", "0")


def dipole(p):
    p.scalars("amplitude", "width")
    p.input("x", "y", "z")
    p.let("f", "amplitude / width * exp(-(x**2 + y**2 + z**2) / width**2)")
    fields(p, B={0: "f * y", 1: "-f * x"})


def plane_wave(p):
    p.scalars("amplitude", "wavelength")
    p.input("x")
    p.let("f", "amplitude * sin(2 * pi * x / wavelength)")
    fields(p, E={1: "f"}, B={2: "f"})


def longitudinal(p):
    p.scalars("amplitude", "wavelength")
    p.input("x")
    fields(p, E={0: "amplitude * sin(2 * pi * x / wavelength)"})


FILES = {
    "rhs": (rhs, "right-hand sides of Maxwell's equations"),
    "analysis": (analysis, "divergences, energy density and Poynting vector of electromagnetic fields"),
}
INITIAL = {
    "dipole": (dipole, "a dipole wave that comes in and goes out again"),
    "plane_wave": (plane_wave, "a plane wave along x, for a periodic box"),
    "longitudinal": (longitudinal, "a violation of div E = 0 along x, for a periodic box"),
}
