"""How punctures go round each other."""

from dataclasses import dataclass

import numpy as np

# The count of orbits ends where punctures are as close as this, in M, if not at the common horizon.
TOGETHER = 1.0
# At this fraction of the first distance they are one, and what their line does means nothing.
ONE = 0.01
# Of a turn: what turns less collides head-on.
LEAST_TURN = 0.05


@dataclass
class Orbit:
    """Orbits of two punctures in the plane z = 0."""

    orbits: float  # turns of the line between them; negative clockwise
    end: float  # until this time, M


def orbit(times, tracks, merger=None):
    """The Orbit of two tracks up to the time `merger`, or None where nothing goes round."""
    if len(tracks) != 2 or not len(times):
        return None
    apart = tracks[0] - tracks[1]
    distance = np.linalg.norm(apart, axis=1)
    over = distance < (TOGETHER if merger is None else ONE * distance[0])
    if merger is not None:
        over |= times > merger
    before = slice(0, np.argmax(over) if over.any() else len(times))
    # On the axis there is no angle, next to it only round-off.
    x, y = apart[before, 0], apart[before, 1]
    if not len(x) or np.hypot(x, y).min() < 1e-3 * distance[0]:
        return None
    angle = np.unwrap(np.arctan2(y, x))
    turns = (angle[-1] - angle[0]) / (2 * np.pi)
    return Orbit(float(turns), float(times[before][-1])) if abs(turns) >= LEAST_TURN else None
