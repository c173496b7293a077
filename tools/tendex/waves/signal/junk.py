"""The first good time of psi4: when the junk radiation of the initial data has passed.

Junk has the frequencies of the two holes' ringdown, about ten times that of the wave of an inspiral. Polynomials fitted in a window that moves
along, of a length below a period of the wave (Savitzky and Golay, Anal. Chem. 36, 1627), follow the wave and leave the junk. psi4 is
good from where on, for a whole period, they leave no more than in the rest of the inspiral.
"""

import math

import numpy as np
from scipy.ndimage import uniform_filter1d

# Window, in periods of the wave, and degree of the polynomials: of a wave they leave less than 3e-4.
WINDOW, DEGREE = 0.6, 6
# The rest, in the wave, that is always good; and so many times what is left in the rest of the inspiral.
GOOD, USUAL = 3e-3, 3.0
# The wave has come where its size is above this part of its median. It has to be good before this part of the inspiral is over.
COME, LATEST = 0.1, 0.6
# Below this part of its median there is nothing of a wave. One that comes from less than COME without such a rest has no junk.
NOTHING, NO_JUNK = 1e-3, 0.05
# A burst after which the data go on for longer than before, with more than this part of it, is no merger.
BURST = 0.02


def merger(size):
    """Index of the peak of the amplitude [n] that ends the inspiral; the last where a burst at the beginning is larger than all waves so far."""
    first = 0
    while True:
        at = first + int(np.argmax(size[first:]))
        after = size[at + 1:]
        if len(after) <= at or np.median(after) < BURST * size[at]:
            return at
        first = at + max(8, len(size) // 50)
        if first >= len(size) - 8:
            return len(size) - 1


def first_good(t, values):
    """(first good time, time of the merger) of a turning mode [n] at even times. Inf where there is no such time; -inf of a wave that is complete:
    it comes from nothing, without junk. What comes before other waves is bad."""
    from scipy.signal import savgol_filter  # loads scipy.stats with it, a quarter of a second
    size = np.abs(values)
    end = merger(size)
    if end < 16 or not size[end] > 0:
        return math.inf, float(t[end])
    come = size[:end] > 1e-3 * np.median(size[:end][size[:end] > 0]) if (size[:end] > 0).any() else size[:end] > 0
    usual = np.median(size[:end][come]) if come.any() else 0.0
    first, quiet = (int(np.argmax(size[:end] > part * usual)) for part in (COME, NOTHING))
    step = t[1] - t[0]
    turning = np.median(np.abs(np.angle(values[first + 1:end] * values[first:end - 1].conj()))) if end - first > 16 else 0.0
    if not turning > 0:
        return math.inf, float(t[end])
    period = 2 * np.pi / turning  # in steps
    length = int(WINDOW * period) // 2 * 2 + 1
    if length <= DEGREE + 2 or end - first < 2 * length:
        return math.inf, float(t[end])
    wave = values[quiet:end]
    rest = wave - savgol_filter(wave.real, length, DEGREE) - 1j * savgol_filter(wave.imag, length, DEGREE)
    left = np.sqrt(uniform_filter1d(np.abs(rest) ** 2, length // 2 + 1) / uniform_filter1d(np.abs(wave) ** 2, length))
    latest = int(LATEST * (end - quiet))
    bad = left > max(GOOD, USUAL * np.median(left[latest // 2:latest]))
    if first and left[:latest].max() < NO_JUNK:
        return -math.inf, float(t[end])
    bad, latest = bad[first - quiet:], latest - first + quiet
    bad[0] = bool(bad[0] or first > 0)
    # Count of bad ones within the next period.
    ahead = np.convolve(bad, np.ones(int(period)), "full")[int(period) - 1:][:len(bad)]
    good = np.flatnonzero(ahead[:latest] == 0)
    if not good.size:
        return math.inf, float(t[end])
    at = first + int(good[0])
    return float(t[at if at == 0 else at + length // 4]), float(t[end])
