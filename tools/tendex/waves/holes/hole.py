"""The hole that is left, from its horizon."""

from dataclasses import dataclass, replace

import numpy as np

from tendex.base.folder import common_of, holes_of, spins

LIGHT_KM_S = 299792.458
# The horizon is averaged over this last part of the time since it was first seen, but never over its first
# SETTLES, in the holes' masses together, in which it rings.
LAST_PART = 0.25
SETTLES = 40.0
# Of the time that a hole is seen before the merger: left out of its medians at the start, and before a merger at the end.
JUNK_PART = 0.1
TIDES_PART = 0.1
# Sine of the angle between a spin and an axis below which it is along the axis, or against it.
ALONG = 0.1
# Spins a/m below this have no direction.
SMALL = 1e-3


@dataclass(frozen=True)
class Mean:
    """A number averaged over a time in which it should not change."""

    value: float
    deviation: float  # standard, of the samples
    drift: float  # of a straight line over the window: end less beginning


@dataclass(frozen=True)
class Horizon:
    """The horizon about all holes at the end of a run."""

    mass: Mean
    chi: Mean  # |spin| / mass^2
    spin: tuple  # Mean of S_x, S_y, S_z
    irreducible: Mean
    centre: np.ndarray  # [3] mean over the window, coordinates
    velocity: np.ndarray  # [3] of its centre, straight line over the window: coordinates, not a kick's measure
    first_seen: float
    first_mass: float  # when first seen
    window: tuple

    @property
    def direction(self):
        """[3] mean of the spin."""
        return np.array([s.value for s in self.spin])


@dataclass(frozen=True)
class Median:
    """A number that should be constant over a time."""

    value: float
    spread: float  # half the interquartile range


@dataclass(frozen=True)
class Inspiral:
    """A hole, or a group that has merged, before it merges with others, from its horizon."""

    mass: Median
    chi: Median  # |spin| / mass^2
    vector: tuple  # spin / mass^2, medians of its components
    window: tuple
    samples: int
    lost: float  # time of the first search in vain after it was found for the last time; None if it was not lost


def merger(table, number):
    """When a horizon about a hole and others was first seen; infinite if there is none."""
    of = holes_of(table)
    around = [other for other, holes in of.items() if set(holes) > set(of[number])]
    common = table["time"][np.isin(table["horizon"], around) & (table["found"] == 1)]
    return common[0] if len(common) else np.inf


def before_merger(table, number):
    """Which rows of horizons.asc are of a hole by itself: found, and no horizon about it and others yet. What is found
    inside such a one is not the horizon of a hole any more: its mass and spin drift."""
    found = (table["horizon"] == number) & (table["found"] == 1)
    return found & (table["time"] < merger(table, number))


def inspiral(table, number):
    """The Inspiral of a hole by its number: over all its rows before the merger but for the first tenth of their time, in which
    junk radiation falls in, and, if it merged, the last tenth, in which tides change what is measured. At least one row is
    kept. None if there are none."""
    rows = before_merger(table, number)
    if not rows.any():
        return None
    t = table["time"][rows]
    span = t[-1] - t[0]
    first, end = int(np.searchsorted(t, t[0] + JUNK_PART * span)), len(t)
    if np.isfinite(merger(table, number)):
        end = max(int(np.searchsorted(t, t[-1] - TIDES_PART * span, side="right")), first + 1)
    kept = slice(first, end)
    mine = table["horizon"] == number
    last = table["time"][mine & (table["found"] == 1)][-1]
    vain = table["time"][mine & (table["time"] > last)]
    vector = np.median(spins(table, rows)[kept] / table["mass"][rows][kept, None] ** 2, axis=0)
    return Inspiral(*(median(table[name][rows][kept]) for name in ("mass", "chi")), tuple(vector.tolist()),
                    (float(t[first]), float(t[end - 1])), end - first, float(vain[0]) if len(vain) else None)


def median(values):
    low, middle, high = np.percentile(values, [25, 50, 75])
    return Median(float(middle), float(high - low) / 2)


def sign(chi, spin, axis):
    """-1.0 of a spin of size chi = a/m along a vector [3] against an axis, a unit vector; 1.0 of all others: those along it, those
    with a direction of their own, and those with none."""
    along = spin @ axis
    against = along < 0 and np.linalg.norm(spin - along * axis) < ALONG * np.linalg.norm(spin)
    return -1.0 if against and chi >= SMALL else 1.0


def signed(chi, spin, axis):
    """A Mean or Median of a/m with the sign of `sign'."""
    s = sign(chi.value, np.asarray(spin), axis)
    return replace(chi, value=s * chi.value, **({"drift": s * chi.drift} if hasattr(chi, "drift") else {}))


def mean(t, values):
    line = np.polynomial.polynomial.polyfit(t - t[0], values, 1) if len(t) > 1 else (values[0], 0.0)
    return Mean(float(np.mean(values)), float(np.std(values)), float(line[1] * (t[-1] - t[0])))


def horizon(table, mass):
    """The Horizon from the columns of horizons.asc, or None if none about all holes was found, or looked for. mass: of the
    holes together at the start."""
    if table is None:
        return None
    seen = (table["horizon"] == common_of(table)) & (table["found"] == 1)
    if not seen.any():
        return None
    row = {name: values[seen] for name, values in table.items()}
    t = row["time"]
    start = max(t[-1] - LAST_PART * (t[-1] - t[0]), min(t[0] + SETTLES * mass, t[-1]))
    late = t >= start
    spin = spins(row, late)
    chi = np.linalg.norm(spin, axis=1) / row["mass"][late] ** 2
    centre = np.column_stack([row[f"centroid_{x}"][late] for x in "xyz"])
    span = t[late][-1] - t[late][0]
    slopes = np.polynomial.polynomial.polyfit(t[late] - start, centre, 1)[1] if span > 0 else np.full(3, np.nan)
    return Horizon(mean(t[late], row["mass"][late]), mean(t[late], chi), tuple(mean(t[late], s) for s in spin.T),
                   mean(t[late], row["mass_irreducible"][late]), centre.mean(axis=0), slopes, float(t[0]), float(row["mass"][0]),
                   (float(t[late][0]), float(t[late][-1])))
