"""Masses and spins of a binary's holes as catalogues mean them: of the horizons, at t = 0 and when the junk has left.

M, the unit of all exports, is the sum of the Christodoulou masses at the reference time. ADM masses of punctures differ from these,
the more the faster they spin. Spins are those of approximate Killing vectors, where the horizon has them at that time: those of
coordinate rotations depend on the coordinates. Where a run has not found a horizon, the ADM mass of the puncture and its Bowen-York
spin stand for it, and the notes say so.
"""

from dataclasses import dataclass

import numpy as np

from tendex.base.folder import spins
from tendex.waves.holes import hole

WORDS = "Christodoulou masses, and spins by approximate Killing vectors, of the apparent horizons"
HORIZON, ROTATION, PUNCTURE = SOURCES = ("horizon", "coordinate rotations", "puncture")


@dataclass(frozen=True)
class State:
    """A hole at one time, in the run's unit."""

    mass: float
    chi: np.ndarray  # [3] spin over mass squared
    source: str  # one of SOURCES
    time: float


def states(run, when):
    """((State, State) at t = 0, the same at the reference time `when') of the run's holes 1 and 2."""
    table, start, then = run.searches(), [], []
    for number, mass, chi in zip((1, 2), run.masses, run.chis):
        puncture = State(mass, chi, PUNCTURE, 0.0)
        start.append(first(run, table, number, when) or puncture)
        then.append(at(run, table, number, when) or puncture)
    return tuple(start), tuple(then)


def together(run):
    """M, the unit of catalogues, in the unit of a Run: the masses of both holes at the reference time."""
    return sum(state.mass for state in states(run, run.reference_time())[1])


def at(run, table, number, when):
    """The State of a hole at a time, or None if its horizon was not found before the merger."""
    rows = hole.before_merger(table, number) if table else np.zeros(0, bool)
    if not rows.any():
        return None
    better, source = rows & ~rotated(run, table, number), ROTATION
    t = table["time"][better]
    if (better == rows).all() or (len(t) and t[0] <= when <= t[-1]):
        rows, source = better, HORIZON
    t, mass = table["time"][rows], float(np.interp(when, table["time"][rows], table["mass"][rows]))
    spin = np.array([np.interp(when, t, s) for s in spins(table, rows).T])
    return State(mass, spin / mass**2, source, float(np.clip(when, t[0], t[-1])))


def first(run, table, number, before):
    """The State of a hole where its horizon was first found, or None if that was not before a time."""
    rows = np.flatnonzero(hole.before_merger(table, number)) if table else []
    if not len(rows) or not table["time"][rows[0]] < before:
        return None
    row = rows[0]
    mass = float(table["mass"][row])
    source = ROTATION if rotated(run, table, number)[row] else HORIZON
    return State(mass, spins(table, [row])[0] / mass**2, source, float(table["time"][row]))


def rotated(run, table, number):
    """[n] Which rows of the table of horizons have a spin of coordinate rotations."""
    return (table["horizon"] == number) & np.isin(table["time"], run.times_by_rotation(number))


def notes(start, then, when):
    """[what a reader has to know] of the States of `states'."""
    said = []
    for wanted, name, pair in ((0.0, "t = 0", start), (when, "the reference time", then)):
        for number, state in enumerate(pair, 1):
            where = f"hole {number} of the run at {name}"
            if state.source == PUNCTURE:
                said.append(f"{where}: no horizon found: ADM mass and Bowen-York spin of its puncture")
                continue
            if state.source == ROTATION:
                said.append(f"{where}: spin by coordinate rotations, which may be some percent high")
            if state.time != wanted:
                said.append(f"{where}: of the nearest horizon found, at the run's t = {state.time:g}")
    return said
