"""psi4 at infinity from one sphere, by perturbation theory of a black hole (Nakano, Healy, Lousto and Zlochower,
arXiv:1503.00718, eq. 29).

With R the areal radius, M the mass, psi4 in a tetrad of observers at rest, and R psi4 the mode (l, m),

  R psi4 at infinity = (1 - 2M/R) ( R psi4 - (l-1)(l+2)/(2R) int R psi4 dt
                                    + ((l-1)(l+2)(l^2+l-4)/(8R^2) int int - 3M/(2R^2) int) R psi4 dt ) + O(1/R^3).

1 - 2M/R leads from that tetrad to Kinnersley's; the rest inverts the outgoing solution of Teukolsky's radial equation,
R psi4 = 1 + c1/R + c2/R^2 + ... with c1 = i (l-1)(l+2) / (2w), c2 = -((l-1)l(l+1)(l+2) - 12 i M w) / (8 w^2). The term
with 3M is in c2 but not in the paper; it is smaller than the last by M w.

The paper's terms with the spin a = chi M of the hole that is left lead, at infinity too, from spherical harmonics to
spheroidal ones. Catalogues want spherical ones; there spin comes in as a M / R^2 only: without M, Kerr's space in its
oblate coordinates is flat space, and to first order in a these are spherical coordinates. So chi = 0 is right for
them. With another, modes of spheroidal harmonics come out, to first order in a w: of the paper's terms those that this
needs in the tetrad of observers at rest, where d/dt acts on what is corrected for R already.

Where R w is small the series does not converge, and its terms make large what is slow. They are integrated with a
cut-off no lower than where that in 1/R^2 is as large as the wave.
"""

import math

from tendex.waves.ffi import derivative, news, strain
from tendex.waves.modes import WaveError


def mixing(l, m):
    """2 / (l+1) times the matrix element of cos(theta) between harmonics (l, m) and (l+1, m) of spin weight -2: a w
    times it is how much of the one is in the spheroidal harmonic of the other. 0 for l = 1."""
    inside = (l + 3) * (l - 1) * (l + m + 1) * (l - m + 1) / ((2 * l + 1) * (2 * l + 3))
    return 2 / (l + 1) ** 2 * math.sqrt(max(inside, 0.0))


def perturbative(psi4, mass, chi=0.0, *, cutoff):
    """Waves of psi4 at infinity, still over the sphere's time, from Waves of psi4 through one sphere.

    mass: in the unit of t; chi: of what is left, 0 for modes of spherical harmonics; cutoff: for the integrals over
    time, as in ffi.strain."""
    if psi4.kind != "psi4" or math.isinf(psi4.radius):
        raise WaveError(f"{psi4.name}: is no psi4 through a sphere")
    if not psi4.areal > 2 * mass:
        raise WaveError(f"{psi4.name}: areal radius {psi4.areal:g} is not outside 2 M = {2 * mass:g}")
    r = psi4.areal
    psi4 = psi4.map(lambda v, l, m: v * (r / psi4.radius))

    def slowest(l):
        return math.sqrt((l - 1) * (l + 2) * (l * l + l - 4) / 8) / r

    # int psi4 = -news, int int psi4 = -strain
    once, twice = news(psi4, cutoff, slowest).modes, strain(psi4, cutoff, slowest).modes

    def at_infinity(v, l, m):
        k = (l - 1) * (l + 2)
        return (1 - 2 * mass / r) * (v + (k / (2 * r) + 3 * mass / (2 * r * r)) * once[l, m]
                                     - k * (l * l + l - 4) / (8 * r * r) * twice[l, m])
    flat = psi4.map(at_infinity, radius=math.inf, areal=math.inf)
    if chi == 0:
        return flat
    a = chi * mass
    slopes = {lm: derivative(psi4.t, v) for lm, v in flat.modes.items()}

    def spheroidal(v, l, m):
        v = v + 1j * a * mixing(l, m) * slopes.get((l + 1, m), 0)
        return v - 1j * a * mixing(l - 1, m) * slopes.get((l - 1, m), 0)
    return flat.map(spheroidal)
