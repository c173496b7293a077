"""What the waves of a run took away: through each sphere, and corrected for the radius."""

from dataclasses import dataclass

import numpy as np

from tendex.physics import radiation
from tendex.waves.extraction import dragging, observers
from tendex.waves.extraction.spheres import remainder
from tendex.waves.extraction.standard import at_infinity, less_put_back
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
    error: np.ndarray  # [7] what is left of the radius, a part of what dissipation took, and observers and frame dragging that were not measured
    late: np.ndarray  # [7] value without junk
    late_error: np.ndarray


def flux(psi4, cutoff, arrives=0.0):
    """Fluxes of psi4, integrated with this cut-off, from when the waves arrive, with the junk radiation; from the first time where nothing
    is continued before. The news by derivatives of the strain, which keep what is a mirror image one."""
    strain = ffi.with_junk(psi4, cutoff, arrives)
    return fluxes.of_strain(strain.cut(first=arrives) if ffi.begins(psi4).chirp else strain)


def through(run, psi4, cutoff, junk):
    """Through of psi4 at a sphere of a Run. cutoff: that of the strain; junk: retarded time of its end."""
    low = CUTOFF_PART * cutoff
    arrives = radiation.retardation(psi4.areal, run.adm_energy)
    plain, far = flux(psi4, low, arrives), flux(at_infinity(run, psi4, low), low)
    total = far.total()
    change = flux(at_infinity(run, psi4, 2 * low), 2 * low).total() - total
    return Through(psi4.radius, psi4.areal, plain.total(), plain.total(first=junk + arrives), total, far.total(first=junk), change)


def of_run(run, waves):
    """The Radiated of a Run, with sphere, neighbour and cut-off of `waves', what standard.of_run made of it."""
    junk, one, near = run.reference_time(), waves.sphere, waves.neighbour
    each = {w.radius: through(run, w, waves.cutoff, junk) for w in waves.spheres}
    here, low = each[one.radius], CUTOFF_PART * waves.cutoff
    less = flux(less_put_back(run, at_infinity(run, one, low), one), low)
    unknown = ([] if observers.sure(run, [one]) else [{"more": 1.0}]) + ([] if dragging.sure(run, [one]) else [{"dragged": 1.0}])
    moved = [flux(at_infinity(run, one, low, **how), low) for how in unknown]

    def error(plain, corrected, **part):
        value = getattr(here, corrected)
        if near is None:
            radius = value - getattr(here, plain)
        else:
            radius = remainder(one, near) * (value - getattr(each[near.radius], corrected))
        unsure = sum((np.abs(other.total(**part) - value) for other in moved), 0.0)
        return np.abs(radius) + np.abs(less.total(**part) - value) + unsure

    return Radiated([each[r] for r in sorted(each)], one.radius, here.corrected,
                    error("total", "corrected"), here.corrected_late,
                    error("late", "corrected_late", first=junk))
