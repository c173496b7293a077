"""How psi4 goes on before its first good time: as the chirp of chirp.py, over many cycles, fading."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tendex.waves.signal import chirp as chirps
from tendex.waves.signal import frame, junk
from tendex.waves.signal.modes import WaveError
from tendex.waves.signal.planck import falling

# Cycles of (2,2), and the part of them over which psi4 fades out.
CYCLES, FADES = 16.0, 0.5
# Periods of (2,2) over which the fit goes over into psi4.
BLENDS = 1.0
# Values of a window that are fitted, at most about; singular values, in the largest, from which on their fit is made.
MOST, CLEAR = 600, 1e-3
# A chirp fits where it leaves less than this part of (2,2), or so many times what it leaves in the rest of the window, and there less than LARGE;
# and where before it (2,2) is not larger than so many times what it is then. It is looked for in steps of so many periods, in this part of the
# inspiral.
LEFT, OFTEN, LARGE, GROWS, STEP, SHARE = 0.01, 1.5, 0.3, 1.5, 0.25, 0.5
# Degree of the polynomial that the frame of a source that precesses is in the window of the fit.
TURNS = 3


@dataclass(frozen=True)
class Variation:
    """What the choices of a continuation are multiplied with, to see what hangs on them."""

    cycles: float = 1.0
    window: float = 1.0
    later: float = 0.0  # periods by which it begins later
    taper: float = 1.0  # length of the tapers where nothing is continued


USUAL = Variation()


@dataclass(frozen=True, eq=False)
class Beginning:
    """The chirp of Waves of psi4 at even times from an index on, or why there is none; neither of a wave that is complete."""

    index: int = 0
    chirp: object = None
    frame: object = None  # the Frame in which modes are continued, of a source that precesses; None: that of the waves
    why: str = ""
    merger: float = math.inf  # time of the largest (2,2) that ends the inspiral; inf where there is no (2,2)


def driving(waves):
    """[n] the mode that chirps: (2,2), or where that is larger the conjugate of (2,-2), which turns as (2,2) does; None where there is neither."""
    pair = [np.conj(waves.modes[2, m]) if m < 0 else waves.modes[2, m] for m in (2, -2) if (2, m) in waves.modes]
    return max(pair, key=lambda v: np.sum(np.abs(v) ** 2), default=None)


def turned_with(late, end, level):
    """Quaternions [k][4] of the frame that precesses with the orbit, over the first times of Waves from the beginning on, until halfway to the
    merger at `end'; None for a source that stays in its plane, or where modes show no axis."""
    if level:
        return None
    first = late.cut(last=(late.t[0] + end) / 2)
    try:
        return frame.coprecessing(first, late.t[0]) if len(first.t) > 32 else None
    except WaveError:
        return None


class Frame:
    """Smooth frames about a time t0, from frames [n][4] at times from there on: the vector of the rotation since t0 is a polynomial of time, that
    becomes constant long before t0."""

    def __init__(self, t, q, chirp):
        self.first, self.chirp = q[0], chirp
        since = frame.multiply(frame.inverse(q[0]), q)
        since = since * np.where(since[:, :1] < 0, -1.0, 1.0)
        size = np.linalg.norm(since[:, 1:], axis=1)
        vectors = since[:, 1:] * (2 * np.arctan2(size, since[:, 0]) / np.maximum(size, 1e-300))[:, None]
        self.coefficients = np.linalg.lstsq(self._powers(t), vectors, rcond=None)[0]

    def _powers(self, t):
        return np.vander(chirps.settled(self.chirp, t), TURNS + 1, increasing=True)

    def __call__(self, t):
        """[n][4]"""
        vectors = self._powers(t) @ self.coefficients
        angle = np.maximum(np.linalg.norm(vectors, axis=1), 1e-300)
        turn = np.concatenate([np.cos(angle / 2)[:, None], vectors * (np.sin(angle / 2) / angle)[:, None]], axis=1)
        return frame.multiply(self.first, turn)


@lru_cache(maxsize=16)
def of(waves, level, variation=USUAL):
    """The Beginning of Waves of psi4 at even times. level: as in ffi.level."""
    mode = driving(waves)
    if mode is None:
        return Beginning(why="there is no mode (2,2)")
    found, end = junk.first_good(waves.t, mode)
    start = found if waves.start is None else waves.start
    if start == -math.inf:
        return Beginning(merger=end)
    if start == math.inf:
        return Beginning(why="no part of the inspiral is without junk radiation", merger=end)
    if start >= end:
        return Beginning(why=f"it begins at t = {start:g} M, after its peak at {end:g} M", merger=end)
    made = _at(waves, start, end, level, variation)
    if made.chirp and variation.later:
        made = _at(waves, made.chirp.t0 + variation.later * 2 * np.pi / made.chirp.first, end, level, variation)
    return replace(made, merger=end)


def _at(waves, start, end, level, variation):
    """The Beginning at the first time from `start' on, in steps of STEP periods, where a chirp fits, in the first half of the inspiral."""
    why, last = "", start + SHARE * (end - start)
    while start <= last:
        index = int(np.searchsorted(waves.t, start - 1e-9))
        late = waves.cut(first=waves.t[index])
        q = turned_with(late, end, level)
        mode = driving(late if q is None else frame.turned(late.cut(last=late.t[len(q) - 1]), q))
        made = chirps.fitted(late.t[:len(mode)], mode, end, variation.window, waves.mass, chirps.SHARE if q is None else 1.0)
        if made is None:
            return Beginning(why=why or "(2,2) does not turn evenly for three quarters of a cycle in the first half of the inspiral")
        if _fits(made, late.t[:len(mode)], mode):
            n = np.searchsorted(late.t, made.end)
            return Beginning(index, made, None if q is None else Frame(late.t[:n], q[:n], made))
        why = "the amplitude of (2,2) is not that of an inspiral in the first half of it"
        start = waves.t[index] + STEP * 2 * np.pi / made.first
    return Beginning(why=why)


def _fits(chirp, t, mode):
    """Whether the carriers of (2,2) leave little at the beginning of a mode [n], in its size or beside what they leave later, and do not grow
    backwards."""
    n = max(int(np.searchsorted(t, chirp.end)), 8)
    before = chirp.t0 - np.linspace(1, 0, 100, endpoint=False) * 2 * np.pi * CYCLES / chirp.first
    columns = chirps.Carriers(chirp, np.concatenate([before, t[:n]]))(2, [2])
    found = np.linalg.lstsq(columns[100:], mode[:n], rcond=CLEAR)[0]
    past, here = np.split(columns @ found, [100])
    left, size = np.abs(mode[:n] - here), np.sqrt(np.mean(np.abs(mode[:n]) ** 2))
    first, later = (np.sqrt(np.mean(part**2)) for part in np.split(left, [n // 4]))
    return bool(first < max(LEFT * size, OFTEN * later) and later < LARGE * size and np.abs(past).max() < GROWS * np.abs(mode[:n]).max())


@lru_cache(maxsize=4)
def continued(waves, beginning, variation=USUAL):
    """({(l, m): values [k + n]}, k - index): modes of Waves from k times before the beginning's index on."""
    chirp, index, turns = beginning.chirp, beginning.index, beginning.frame
    step = (waves.t[-1] - waves.t[0]) / (len(waves.t) - 1)
    before = chirp.before(CYCLES * variation.cycles, step)
    t = waves.t[index:]
    fitted = t[:max(int(np.searchsorted(t, chirp.end)), 2)]
    fade = falling(1 - (before - before[0]) / (FADES * (chirp.t0 - before[0])))
    share = falling((fitted - t[0]) / min(BLENDS * 2 * np.pi / chirp.first, fitted[-1] - t[0]))
    every = slice(0, None, max(1, len(fitted) // MOST))
    here = waves.cut(t[0], fitted[-1])
    if turns:
        here = frame.turned(here, turns(here.t))
    past, model, n = {}, {}, len(before)
    carriers = chirps.Carriers(chirp, np.concatenate([before, fitted]))
    for (l, m), v in here.modes.items():
        columns = carriers(l, _orders(l, m, turns))
        found = np.linalg.lstsq(columns[n:][every], v[every], rcond=CLEAR)[0]
        past[l, m], model[l, m] = np.split(columns @ found, [n])
    if turns:
        past, model = (frame.turned(replace(waves, t=x, modes=modes), frame.inverse(turns(x))).modes
                       for x, modes in ((before, past), (fitted, model)))
    made = {}
    for lm, v in waves.modes.items():
        v = v[index:].copy()
        v[:len(fitted)] += share * (model[lm] - v[:len(fitted)])
        made[lm] = np.concatenate([fade * past[lm], v])
    return made, len(before) - index


def _orders(l, m, turns):
    """m of the carriers of a mode. A frame that turns takes, by d2/dt2, parts of a mode of the strain into neighbours of psi4; what does not turn
    is not continued there."""
    if not turns:
        return [m]
    return [k for k in ([m, m - 1, m + 1] if m else [1, -1, 2, -2]) if k and abs(k) <= l]
