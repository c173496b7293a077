"""What the waves of a run took away: through each sphere, extrapolated in the radius, and corrected for the radius."""

from dataclasses import dataclass

import numpy as np

from tendex import radiation
from tendex.waves import ffi, fluxes
from tendex.waves.modes import WaveError
from tendex.waves.perturbative import perturbative

LEAST_SPHERES = 3
# Of the cut-off that strain has: fluxes, of news in the main, stand a lower one, and those of short waves need it.
CUTOFF_PART = 0.25


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
    used: list  # radii of those that the result is the mean of
    value: np.ndarray  # [7] corrected, mean over them
    error: np.ndarray  # [7] half the range over them; of one, the difference from its neighbour
    late: np.ndarray  # [7] value without junk
    late_error: np.ndarray
    in_radius: tuple  # ([7], [7]) limit and error of the uncorrected totals in 1/R; None for fewer than LEAST_SPHERES


def in_radius(areal, values):
    """(value at infinity, error) of values[n] or [n][k] at n >= 3 areal radii: least squares with 1, 1/R; the error is
    the change with 1, 1/R, 1/R^2, or what the fit leaves, whichever is greater."""
    x, values = 1 / np.asarray(areal, float), np.asarray(values, float)
    if len(x) < LEAST_SPHERES:
        raise WaveError(f"{len(x)} spheres: at least {LEAST_SPHERES} are needed to extrapolate in the radius")
    fits = []
    for order in (1, 2):
        basis = x[:, None] ** np.arange(order + 1)
        solution, *_ = np.linalg.lstsq(basis, values, rcond=None)
        fits.append((solution[0], np.abs(basis @ solution - values).max(axis=0)))
    (first, left), (second, _) = fits
    return first, np.maximum(np.abs(second - first), left)


def flux(psi4, cutoff):
    """Fluxes of psi4, integrated with this cut-off. The news by derivatives of the strain, which keep what is a
    mirror image one."""
    return fluxes.of_strain(ffi.strain(psi4, cutoff))


def through(psi4, cutoff, junk, energy):
    """Through of psi4 at a sphere. cutoff: that of the strain; junk: retarded time of its end; energy: of spacetime, for
    the retardation and the correction."""
    low = CUTOFF_PART * cutoff
    start = junk + radiation.retardation(psi4.areal, energy)
    plain, far = (flux(w, low) for w in (psi4, perturbative(psi4, energy, cutoff=low)))
    total = far.total()
    change = flux(perturbative(psi4, energy, cutoff=2 * low), 2 * low).total() - total
    return Through(psi4.radius, psi4.areal, plain.total(), plain.total(first=start), total, far.total(first=start), change)


def of_spheres(spheres, used, cutoff, junk, energy):
    """The Radiated of psi4 through spheres [Waves]; used: radii of those that are worth it."""
    each = [through(w, cutoff, junk, energy) for w in spheres]
    at = [i for i, s in enumerate(each) if any(abs(s.radius - r) < 1e-6 for r in used)]
    if not at:
        raise WaveError(f"no sphere of radius {', '.join(f'{r:g}' for r in used)}: there are "
                        f"{', '.join(f'{s.radius:g}' for s in each)}")
    # One sphere alone says nothing about its error: the next outside does, or the next inside.
    around = at if len(at) > 1 else [at[0], at[0] + 1 if at[0] + 1 < len(each) else at[0] - 1]

    def best(name):
        values = np.array([getattr(s, name) for s in each])
        return values[at].mean(axis=0), np.ptp(values[around], axis=0) / (2 if len(at) > 1 else 1)

    limit = in_radius([s.areal for s in each], [s.total for s in each]) if len(each) >= LEAST_SPHERES else None
    return Radiated(each, [each[i].radius for i in at], *best("corrected"), *best("corrected_late"), limit)
