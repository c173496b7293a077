"""What the waves of a run took away: through each sphere, and corrected for the radius."""

import math
from dataclasses import dataclass, replace

import numpy as np

from tendex.physics import radiation
from tendex.waves.extraction import dragging, observers
from tendex.waves.extraction.spheres import remainder
from tendex.waves.extraction.standard import CUTOFF, at_infinity, less_put_back, orbital_part
from tendex.waves.signal import ffi, fluxes

# Of the cut-off that strain has: fluxes, of news in the main, stand a lower one, and those of short waves need it.
CUTOFF_PART = 0.375


@dataclass(frozen=True)
class Through:
    """Of one sphere: [7] in the order of fluxes.NAMES; E, P in M, J in M^2. Corrected: of psi4 at infinity as
    perturbation theory has it from that of the sphere."""

    radius: float
    areal: float
    total: np.ndarray
    late: np.ndarray  # without the junk radiation
    corrected: np.ndarray
    corrected_late: np.ndarray
    of_cutoff: np.ndarray  # what a cut-off twice as high changes in the corrected total


@dataclass(frozen=True)
class Radiated:
    spheres: list  # [Through], ascending radii
    used: float  # radius of the one that the result is from
    value: np.ndarray  # [7] corrected
    beyond: np.ndarray  # [7] what modes of higher l would add, if they fall on (fluxes.beyond)
    error: np.ndarray  # [7] what is left of the radius, a part of what dissipation took, observers and frame dragging not measured, beyond
    late: np.ndarray  # [7] value without junk
    late_error: np.ndarray


def flux(psi4, cutoff):
    """Fluxes of psi4, integrated with this cut-off. The news by derivatives of the strain, which keep what is a mirror image one."""
    return fluxes.of_strain(ffi.strain(psi4, cutoff))


def gone(psi4, cutoff, first, corrected=lambda psi4, cutoff: psi4):
    """([7] of all of the data, [7] from time `first' on), in the order of fluxes.NAMES; corrected(psi4, cutoff): what is integrated.

    From `first' on waves are those that are continued before they are good. For all of the data they are tapered: the slow strain which the
    edge leaves does not turn, and adds nothing to the whole. The cut-off then is in proportion to that of waves that are not continued."""
    clean = flux(corrected(psi4, cutoff), cutoff)
    if not ffi.begins(psi4).chirp:
        return clean.total(), clean.total(first=first)
    low = cutoff * CUTOFF / orbital_part(psi4)
    return flux(corrected(replace(psi4, start=-math.inf), low), low).total(), clean.total(first=first)


def through(run, psi4, cutoff, junk):
    """Through of psi4 at a sphere of a Run. cutoff: that of the strain; junk: retarded time of its end."""
    low = CUTOFF_PART * cutoff
    arrives = radiation.retardation(psi4.areal, run.adm_energy)
    total, late = gone(psi4, low, junk, lambda w, c: at_infinity(run, w, c))
    change = gone(psi4, 2 * low, junk, lambda w, c: at_infinity(run, w, c))[0] - total
    return Through(psi4.radius, psi4.areal, *gone(psi4, low, junk + arrives), total, late, change)


def of_run(run, waves):
    """The Radiated of a Run, with sphere, neighbour and cut-off of `waves', what standard.of_run made of it."""
    junk, one, near = run.reference_time(), waves.sphere, waves.neighbour
    each = {w.radius: through(run, w, waves.cutoff, junk) for w in waves.spheres}
    here, low = each[one.radius], CUTOFF_PART * waves.cutoff
    less = gone(one, low, junk, lambda w, c: less_put_back(run, at_infinity(run, w, c), w))
    unknown = ([] if observers.sure(run, [one]) else [{"more": 1.0}]) + ([] if dragging.sure(run, [one]) else [{"dragged": 1.0}])
    moved = [gone(one, low, junk, lambda w, c, how=how: at_infinity(run, w, c, **how)) for how in unknown]
    beyond = fluxes.beyond(waves.strain, junk)

    def error(part, plain, corrected):
        """Of the total, part 0, or of what is late, part 1."""
        value = getattr(here, corrected)
        if near is None:
            radius = value - getattr(here, plain)
        else:
            radius = remainder(one, near) * (value - getattr(each[near.radius], corrected))
        unsure = sum((np.abs(other[part] - value) for other in moved), 0.0)
        return np.abs(radius) + np.abs(less[part] - value) + unsure + np.abs(beyond)

    return Radiated([each[r] for r in sorted(each)], one.radius, here.corrected, beyond, error(0, "total", "corrected"), here.corrected_late,
                    error(1, "late", "corrected_late"))
