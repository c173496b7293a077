"""The drift of a strain that is integrated twice over time, told apart from what is slow in a merger.

Fixed-frequency integration damps what is slower than its cut-off w0. Of a merger, whose spectrum there is flat, it takes a slow wave, as large as
the strain 30 M after the peak. Without a cut-off all of the merger stays, and slow errors of psi4, 1e-7 to 1e-6 of R psi4 over 100 M in recorded
runs, make the strain drift by percents. But the drift is known where the strain is:

- in the inspiral nothing is slow, and the drift is the difference of the two integrations,
- in the ringdown the strain is -psi4/s^2, as both go as exp(s t), and afterwards it is nothing.

A smooth curve through both, which is free at the merger, is subtracted. Its second derivative is the error of psi4, and is kept small.
"""

import numpy as np
from scipy.interpolate import BSpline
from scipy.linalg import solve

from tendex.waves.signal.planck import falling

# Cut-off of the integration that drifts, in w0: below all that the curve follows.
LOWEST = 0.02
# The curve follows what is slower than this, in w0, where its weight is 1. It is a spline of this degree, with knots 1 over that apart.
SLOW, DEGREE = 0.5, 5
# Weights. At the merger; before it they grow as the square of time, by 1 in this time, in 1/w0, as the merger's slow wave fades, to those of nothing;
# after it they rise between these times, in the holes' masses, to those of nothing.
MERGER, BEFORE, AFTER, NOTHING = 0.03, 3.0, (20.0, 100.0), 500.0
# The rate of the ringdown is fitted until so long after the merger, as linear in time. A ringdown lasts this long, and its second half is below this part
# of the peak.
FITTED, SHORTEST, LOUD = 60.0, 40.0, 0.3
# A mode turns or decays evenly where one complex factor from each value to the next leaves less than this part of the squared change.
FITS = 0.1


def factor(values):
    """Return the complex factor from each value [n] to the next of what turns and decays evenly; None of what does not."""
    norm = np.sum(np.abs(values[:-1]) ** 2)
    if not norm > 0:
        return None
    ratio = np.sum(values[1:] * values[:-1].conj()) / norm
    rest = np.sum(np.abs(values[1:] - ratio * values[:-1]) ** 2) / norm
    return None if rest > FITS * abs(1 - ratio) ** 2 else ratio


def smooth(t, values, weights, w0):
    """Return the curve c [n] through values at even times that makes weights |values - c|^2 + |c''|^2 / w0^4 least, a spline with knots 1/w0 apart: with
    weights of 1 about a filter 1 / (1 + (w/w0)^4)."""
    count = int(np.ceil(w0 * (t[-1] - t[0])))
    knots = np.linspace(t[0] - 1e-9 / w0, t[-1] + 1e-9 / w0, count + 1)
    apart = knots[1] - knots[0]
    more = apart * np.arange(1, DEGREE + 1)
    knots = np.concatenate([knots[0] - more[::-1], knots, knots[-1] + more])
    basis = BSpline.design_matrix(t, knots, DEGREE)
    bends = np.diff(np.eye(count + DEGREE), 2, axis=0)
    weighed = basis.T.multiply((t[1] - t[0]) * weights).tocsr()
    matrix = (weighed @ basis).toarray() + bends.T @ bends / (apart**3 * w0**4)
    return basis @ solve(matrix, weighed @ values, assume_a="pos")


def ringdown(t, psi4, since, w0):
    """Return the strain [n] of a mode from psi4 in its ringdown, a time `since' after the merger; None where it is not one, faster than what the curve
    follows. With psi4 ~ exp(integral of s), s changing slowly, it is -psi4 / (s^2 - 3 ds/dt); s is fitted from AFTER until FITTED, and is constant then."""
    step, inside = t[1] - t[0], (since > AFTER[0]) & (since < FITTED)
    if factor(psi4[inside]) is None:
        return None
    later, values = np.minimum(since, FITTED) - AFTER[0], psi4[inside]
    columns = np.stack([values, later[inside] * values], axis=1)[:-1]
    first, slope = np.linalg.lstsq(columns, values[1:], rcond=None)[0]
    rate = np.log(first + slope * later) / step
    square = rate**2 - 3 * np.gradient(rate, step)
    return -psi4 / square if np.abs(square[inside]).min() > NOTHING**0.5 * (SLOW * w0) ** 2 else None


def removed(t, psi4, count, cut, drifting, w0, merger, mass):
    """Return the strain [n] of a mode at even times without its drift; as `cut' has it where no ringdown is known. Of psi4 the first `count' are data, the
    others how it goes on. cut, drifting(): with the cut-offs w0 and LOWEST w0; merger: its time; mass: of the holes together."""
    since, size = (t - merger) / mass, np.abs(psi4)
    length = since[count - 1]
    if length < SHORTEST or size[since > length / 2].max() > LOUD * size.max():
        return cut
    ring = ringdown(t, psi4, since, w0)
    if ring is None:
        return cut
    late = since > AFTER[0]
    known = np.where(late, ring, cut)
    inspiral = np.minimum(MERGER + (w0 * np.maximum(merger - t, 0) / BEFORE) ** 2, NOTHING)
    weights = np.where(late, NOTHING * falling((AFTER[1] - since) / (AFTER[1] - AFTER[0])), inspiral)
    whole = drifting()
    return whole - smooth(t, whole - known, weights, SLOW * w0)
