"""How punctures go round each other."""

from dataclasses import dataclass

import numpy as np

# The count of orbits ends where punctures are as close as this, in the masses together, if not at the common horizon.
TOGETHER = 1.0
# At this fraction of the first distance they are one, and what their line does means nothing.
ONE = 0.01
# Of a turn: what turns less collides head-on.
LEAST_TURN = 0.05


@dataclass
class Orbit:
    """Orbits of two punctures, in whatever plane."""

    orbits: float  # turns of the line between them; negative where they are clockwise as seen from +z
    end: float  # until this time, M


def turned(apart):
    """[n] angle through which the line apart[n][3] has turned, in whatever plane."""
    line = apart / np.linalg.norm(apart, axis=1)[:, None]
    steps = 2 * np.arcsin(np.clip(np.linalg.norm(np.diff(line, axis=0), axis=1) / 2, 0, 1))
    return np.concatenate([[0.0], np.cumsum(steps)])


def sense(apart):
    """[3] sum over rows of the small angles through which the line apart[n][3] turns, along the normal of each: where
    nothing goes round, errors cancel in it."""
    line = apart / np.linalg.norm(apart, axis=1)[:, None]
    return np.cross(line[:-1], line[1:]).sum(axis=0)


def orbit(times, tracks, merger=None, mass=1.0):
    """The Orbit of two tracks up to the time `merger`, or None where nothing goes round. mass: of the holes together, in the
    tracks' unit."""
    if len(tracks) != 2 or not len(times):
        return None
    apart = tracks[0] - tracks[1]
    distance = np.linalg.norm(apart, axis=1)
    over = distance < (TOGETHER * mass if merger is None else ONE * distance[0])
    if merger is not None:
        over |= times > merger
    before = slice(0, np.argmax(over) if over.any() else len(times))
    if len(times[before]) < 2:
        return None
    way = sense(apart[before])
    if np.linalg.norm(way) < 2 * np.pi * LEAST_TURN:
        return None
    turns = turned(apart[before])[-1] / (2 * np.pi)
    return Orbit(float(turns if way[2] >= 0 else -turns), float(times[before][-1]))
