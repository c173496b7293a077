"""Formats 2 and 3 of the LVC's (arXiv:1703.01076): how the holes move, over time, beside the waves. With Omega-vs-time
LALSimulation finds where to begin without the data files of another waveform model, which it needs for Format 1."""

import numpy as np

from tendex.base.folder import spins
from tendex.waves.holes import christodoulou
from tendex.waves.signal import align, romspline

# Of the first separation: where the punctures are closer, what their line does means nothing.
TOGETHER = 0.1
TOLERANCE = 1e-6
# Of times that were converted to another unit and back.
ROUNDING = 1e-12


def components(name, vectors):
    """{name with x, y, z: column}; `name` has a % where the letter goes."""
    return {name.replace("%", x): vectors[:, i] for i, x in enumerate("xyz")}


def rising(t, omega):
    """The samples after which omega is never as small again: of them t is a function of omega, which readers need."""
    later = np.minimum.accumulate(omega[::-1])[::-1]
    keep = np.append(omega[:-1] < later[1:], True)
    return t[keep], omega[keep]


def orbit(run, facts, first):
    """{name of a group: (t, values)} from the tracks, in the run's unit, from time `first` to the merger; {} where they
    do not tell."""
    times, tracks = run.tracks()
    if len(tracks) != 2 or not facts.omega:
        return {}
    one, two = (tracks[h.number - 1] for h in facts.holes)
    apart = one - two
    distance = np.linalg.norm(apart, axis=1)
    use = (times >= first) & (distance > TOGETHER * distance[0])
    if facts.common_horizon_time is not None:
        use &= times <= facts.common_horizon_time * facts.unit_of_mass * (1 + ROUNDING)
    use = np.flatnonzero(use)
    if len(use) < romspline.FEWEST:
        return {}
    use = np.arange(max(use[0] - 1, 0), use[-1] + 1)
    t = times[use]
    turning = np.cross(apart[use], align.spline(times, apart).derivative()(t))
    size = np.linalg.norm(turning, axis=1)
    when, omega = rising(t, size / distance[use] ** 2)
    if len(when) < romspline.FEWEST or not size.min() > 0:
        return {}
    found = {**components("position1%-vs-time", one[use]), **components("position2%-vs-time", two[use]),
             **components("LNhat%-vs-time", turning / size[:, None])}
    return {"Omega-vs-time": (when, omega), **{name: (t, v) for name, v in found.items()}}


def rows_of(run, table, number, first):
    """Rows of a horizon from time `first` on, those whose spin is by approximate Killing vectors alone if they are enough."""
    there = (table["horizon"] == number) & (table["found"] == 1)
    better = there & ~christodoulou.rotated(run, table, number)
    use = np.flatnonzero(better if better.sum() >= romspline.FEWEST else there)
    before = np.searchsorted(table["time"][use], first, side="right") - 1
    return use[max(before, 0):]


def horizons(run, facts, first):
    """The same of masses and spins, and where the remnant is; {} unless both holes' horizons were found."""
    table = run.searches()
    found = {}
    names = {h.number: (f"mass{i}-vs-time", f"spin{i}%-vs-time") for i, h in enumerate(facts.holes, 1)}
    for number, (mass_name, spin_name) in ({**names, 3: ("remnant-mass-vs-time", "remnant-spin%-vs-time")}.items()
                                           if table else ()):
        use = rows_of(run, table, number, first)
        if len(use) < romspline.FEWEST:
            continue
        t, mass = table["time"][use], table["mass"][use]
        vectors = {spin_name: spins(table, use) / mass[:, None] ** 2}
        if number == 3:
            vectors["remnant-position%-vs-time"] = np.column_stack([table[f"centroid_{x}"][use] for x in "xyz"])
        found[mass_name] = t, mass
        for vector, values in vectors.items():
            found.update({name: (t, v) for name, v in components(vector, values).items()})
    return found if "mass1-vs-time" in found and "mass2-vs-time" in found else {}


def write(h, run, facts, first, top):
    """Add the groups to an open file, over (t - top)/M; returns (Format that the file then has, the first M Omega or None)."""
    way, holes, mass = orbit(run, facts, first), horizons(run, facts, first), facts.unit_of_mass
    if not (way and holes):
        return 1, None
    units = {"position": 1 / mass, "mass": 1 / mass, "remnant-mass": 1 / mass, "remnant-position": 1 / mass, "Omega": mass}
    for name, (t, values) in {**way, **holes}.items():
        scale = next((u for begin, u in units.items() if name.startswith(begin)), 1.0)
        reduced = romspline.reduce((t - top) / mass, values * scale, TOLERANCE)
        romspline.write(h.create_group(name), reduced)
    return 3 if "remnant-mass-vs-time" in holes else 2, float(h["Omega-vs-time/Y"][0])
