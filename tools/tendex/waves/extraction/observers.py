"""How the observers of psi4 move, and the mass inside their sphere.

psi4 is that of observers at rest in the slice. In 1+log slices they fall in: of waves that go out they see (1 + v)/(1 - v)
times the psi4, which has boost weight -2, that observers at rest about the hole see. A run measures v on every sphere, from
the expansions theta_n and theta_s along the normal of the slice and along the sphere's own,

  v = -theta_n / theta_s = -n(R) / s(R),   R the areal radius,

means over the sphere. To first order such a mean has the part with l = 0 alone: no waves, no tides, no gauge waves that turn
with the orbit. And with l = 0 all is gauge (Birkhoff's theorem): whatever v does, as the slice settles, or in the pulse of the
gauge at the beginning, the observers do. So v is taken as it is at each time; smoothed it would be wrong in the pulse. What waves
add to it is of second order, (h/R)^2. How v varies over the sphere mixes modes, and is not corrected.

Runs of earlier versions did not measure it. About one hole without spin the slice settles to a stationary one
(arXiv:0804.0628), with v = C exp(alpha/2) / (alpha R^2), alpha the lapse, C = 1.247 M^2. The flux through spheres of two holes is
the sum of theirs, half of that for equal masses; spin makes it less, by 30% for 0.69; and at first it is 0. So half of it, give
or take as much, is what is known then. The pulse of the gauge, with up to four times that, is not in it.

Waves that go out have inside of them, all the way, the ADM energy less that of the waves before them (as in Vaidya's metric,
Proc. Indian Acad. Sci. A 33, 264).
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.integrate import cumulative_trapezoid

from tendex.waves.signal import ffi

# alpha^2 = 1 - 2M/R + C^2 exp(alpha)/R^4 is regular where alpha^2 + 6 alpha - 1 = 0, R = M/(4 alpha), which gives C/M^2.
_CRITICAL = math.sqrt(10) - 3
STATIONARY = math.sqrt(2 * _CRITICAL * math.exp(-_CRITICAL)) / (4 * _CRITICAL) ** 2
HALF = 0.5
# Modes of psi4 below this part of the strongest take a thousandth of the energy each, or less.
FAINT = 0.03
# In the attribute `tetrad' of files whose radial vector is the coordinate vector.
TILTED = "r along x"


@dataclass(frozen=True)
class Infall:
    v: np.ndarray  # [n] over the times of the sphere's psi4
    unsure: np.ndarray  # [n] by how much it may be wrong, either way
    note: str = ""  # where it was not measured


def stationary(areal, mass):
    """v in the stationary 1+log slice of a hole, the lapse to a part of 2e-4 at R = 10 M."""
    lapse = np.sqrt(1 - 2 * mass / areal)
    return STATIONARY * np.exp(lapse / 2) / lapse * (mass / areal) ** 2


def infall(run, psi4):
    """The Infall of a sphere of a Run, from the Waves of psi4 through it."""
    measured = run.infall(psi4.radius)
    if measured and measured[0][0] <= psi4.t[0]:
        return Infall(np.interp(psi4.t, *measured), np.zeros_like(psi4.t))
    lacks = "observers of psi4 not measured" + (f" before t = {measured[0][0]:g} M" if measured else "")
    if run.one_plus_log:
        v = HALF * stationary(np.interp(psi4.t, *run.areal(psi4.radius)), run.adm_energy)
        return Infall(v, v, f"{lacks}: taken to fall in half as fast as in the stationary 1+log slice of a hole, give or take as much")
    still = np.zeros_like(psi4.t)
    return Infall(still, still, f"{lacks}: taken to be at rest")


def at_rest(run, psi4, more=0.0):
    """Waves of psi4 as observers at rest see it, through the same sphere; `more' times what the speed may be wrong by is added to it."""
    found = infall(run, psi4)
    v = found.v + more * found.unsure
    return psi4.map(lambda values, l, m: values * (1 - v) / (1 + v))


def notes(run, spheres):
    """[what a reader has to know]: a radial vector that is not the sphere's normal; and of the first of [Waves] through spheres whose
    observers were not measured."""
    tilted = [f"psi4 of this version has a radial vector tilted by frame dragging: amplitudes of spheres near r = {spheres[0].radius:g} M are up to 2% "
              "low"] if TILTED in run.tetrad else []
    return tilted + [note for note in (infall(run, s).note for s in spheres) if note][:1]


def sure(run, spheres):
    return not any(infall(run, s).unsure.any() for s in spheres)


@lru_cache(maxsize=32)
def mass_inside(run, psi4, cutoff):
    """[n] mass inside the sphere over the times of Waves of psi4, at_rest: the ADM energy less that of the waves so far, taken
    for those at infinity but for the tetrad. cutoff: as in ffi.news."""
    energy = run.adm_energy
    scale = (np.interp(psi4.t, *run.areal(psi4.radius)) - 2 * energy) / psi4.radius
    size = {lm: np.abs(v).max() for lm, v in psi4.modes.items()}
    strong = {lm: v * scale for lm, v in psi4.modes.items() if size[lm] >= FAINT * max(size.values())}
    news = ffi.news(replace(psi4, modes=strong), cutoff)
    return energy - cumulative_trapezoid(news.total() ** 2 / (16 * math.pi), psi4.t, initial=0.0)
