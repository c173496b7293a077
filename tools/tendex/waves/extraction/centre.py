"""Motion of a binary's centre of mass through the inspiral, and waves at infinity in its frame.

    x_c(t) = sum_a m_a x_a / M = x0 + v t + a s + b L x s

by least squares over the tracks of both punctures, s their separation and L along their orbit's angular momentum. As in the SXS catalogue
(arXiv:1904.04842) it is a mean over the inspiral, until a tenth of it is left, and the frame that is kept is that of x0 and
v. The epicycles a and b, which a wrong mass and terms beyond Newton's make, are fitted beside: with few orbits they would
be taken for a part of v. What the holes do at the merger and later, as kicks, stays in the waves.

An origin that is off by 0.03 M is 5 to 12% of (2,1) and (3,3) of a binary of mass ratio 1.24 at the merger, and 3e-4 of (2,2), from which that
comes: (2,2) goes into modes with odd m.
"""

from dataclasses import dataclass, replace

import numpy as np

from tendex.physics.orbit import sense, turned
from tendex.waves.signal import ffi
from tendex.waves.signal.inertial import transformed
from tendex.waves.signal.modes import phase

CENTRES = ("tracks", "off")
# The window ends where this part of the time to the merger is over: arXiv:1904.04842 leaves a tenth out.
LAST = 0.9
# Orbits that the window has to have.
FEWEST = 1.0
# What moves less than this, in masses, is taken for at rest.
STILL = 1e-9
# Modes that beat with (2,2), and the degree of what they do without, as a polynomial of time.
BEATING, DEGREE = ((2, 1), (3, 3)), 5


@dataclass(frozen=True)
class Centre:
    """In the run's unit; the position is that at t = 0."""

    position: np.ndarray  # [3]
    velocity: np.ndarray  # [3]
    first: float  # the window
    last: float
    orbits: float  # in the window
    left: float  # root of the mean square of what the tracks do beside
    late: tuple  # (position, velocity) of the second half of the window alone

    def at(self, t):
        """[3]"""
        return self.position + self.velocity * t

    def attributes(self, mass):
        """As files of scri name them, lengths and times in units of this mass."""
        return {"space_translation": (self.position / mass).tolist(), "boost_velocity": self.velocity.tolist()}


def fitted(t, tracks, masses):
    """(position [3], velocity [3], rms of the rest) of the centre of mass of two tracks [n][3]."""
    total = sum(masses)
    middle = (masses[0] * tracks[0] + masses[1] * tracks[1]) / total
    apart = tracks[0] - tracks[1]
    normal = np.cross(apart, np.gradient(apart, t, axis=0))
    across = np.cross(normal / np.linalg.norm(normal, axis=1)[:, None], apart)
    start, length = t[0], t[-1] - t[0]
    rows = np.zeros((len(t), 3, 8))
    for d in range(3):
        rows[:, d, d], rows[:, d, 3 + d] = 1.0, (t - start) / length
        rows[:, d, 6], rows[:, d, 7] = apart[:, d], across[:, d]
    rows = rows.reshape(-1, 8)
    found = np.linalg.lstsq(rows, middle.ravel(), rcond=None)[0]
    left = np.sqrt(np.mean(np.sum((middle.ravel() - rows @ found).reshape(-1, 3) ** 2, axis=1)))
    velocity = found[3:6] / length
    return found[:3] - velocity * start, velocity, float(left)


def of_run(run):
    """(Centre or None, [notes]) of a Run; None, without a note, where two holes do not go round each other."""
    t, tracks = run.tracks() if hasattr(run, "tracks") else ([], [])
    if len(tracks) != 2 or len(t) < 16 or not run.initial_orbital_frequency():
        return None, []
    end = run.merger_time() or t[-1]
    inside = (t >= run.reference_time()) & (t <= LAST * end)
    inside &= np.linalg.norm(tracks[0] - tracks[1], axis=1) > 0
    way = (tracks[0] - tracks[1])[inside]
    orbits = np.linalg.norm(sense(way)) / (2 * np.pi) if len(way) > 16 else 0.0
    if orbits < FEWEST:
        return None, [f"centre of mass: as it is: its drift takes {FEWEST:g} orbit between the junk radiation and the last tenth "
                      f"before the merger, and there are {orbits:.1f}"]
    t, tracks = t[inside], [x[inside] for x in tracks]
    angle = turned(way)
    second = angle >= angle[-1] / 2
    position, velocity, left = fitted(t, tracks, run.masses)
    late = fitted(t[second], [x[second] for x in tracks], run.masses)[:2]
    return Centre(position, velocity, float(t[0]), float(t[-1]), float(orbits), left, late), []


def in_frame(waves, position, velocity):
    """Waves at infinity about this origin; as they are where it is at rest in the old one."""
    far = np.linalg.norm(position) + np.linalg.norm(velocity) * np.abs(waves.t[[0, -1]]).max()
    return waves if far < STILL * waves.mass else transformed(waves, position, velocity)


def beats(strain, first, last):
    """By how much the modes of odd m swing about a smooth course, turned back with (2,2), between two times: root of the mean square over
    that of (2,2). (2,2) that comes into them as the origin is off turns against them once an orbit. None where
    the source is no orbit in the plane z = 0, or modes are missing."""
    wave = strain.cut(first, last)
    if len(wave.t) < 16 or not ffi.level(wave) or any(lm not in wave.modes for lm in ((2, 2), *BEATING)):
        return None
    orbit, x = -phase(wave.mode(2, 2)) / 2, np.linspace(-1, 1, len(wave.t))
    course = np.polynomial.legendre.legvander(x, DEGREE)
    total = 0.0
    for l, m in BEATING:
        y = wave.mode(l, m) * np.exp(1j * m * orbit)
        total += np.sum(np.abs(y - course @ np.linalg.lstsq(course, y, rcond=None)[0]) ** 2)
    return float(np.sqrt(total / np.sum(np.abs(wave.mode(2, 2)) ** 2)))


def shifted(waves, by):
    """Waves of the same times plus what is in `by', {(l, m): [n]}."""
    return replace(waves, modes={lm: v + by[lm] for lm, v in waves.modes.items()})
