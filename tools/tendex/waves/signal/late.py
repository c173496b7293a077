"""What a cut-off takes from a strain, given back by what is known of its end: after the ringdown there is nothing.

Fixed-frequency integration damps what is slower than w0 by w^2/w0^2. Of a merger, whose spectrum there is flat, that is a slow wave

    (c0 + c1 d/dt) K(w0 (t - t_peak)),   K(x) = 3 j_1(x) / x, the transform of 1 - w^2/w0^2,

which lasts for 1/w0, and is as large as the strain 30 M after the peak: frequency and damping of the ringdown scatter. In the ringdown the
strain is known otherwise: integrated over time backwards from its end, where it is exp(s t), h = -psi4/s^2. c0 and c1 are those that make
both agree there.
"""

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.special import spherical_jn

from tendex.waves.signal.planck import falling

# From so many masses after the peak of psi4 on both have to agree.
AFTER = 10.0
# Until the mode has faded to this part of its peak, or to so many times the noise that is left at the end; and for so many masses at least.
FADED, NOISE, LONGEST, SHORTEST = 1e-3, 6.0, 0.1, 30.0
# The exponential at the end is fitted over so many masses, and holds where it leaves less than this part of the square; of two it is the
# sum where they leave less than this part of what one leaves.
FITTED, FITS, TWO = 15.0, 1e-3, 0.5
# Two ends of the ringdown, FITTED apart, have to give the same, to this part of what the strain lacks.
SURE = 0.5
# Besides, a cut-off LOWER times as high has to change the ringdown by as much, to this part: what is lost is about in proportion to it. It is
# given back in full where both differ by less than the first part, and not at all by more than the second.
ALIKE, LOWER = (0.8, 1.1), 0.6


def kernel(x):
    """[n][2]: K and its derivative."""
    size = np.maximum(np.abs(x), 1e-6)
    return np.stack([3 * spherical_jn(1, size) / size, -3 * np.sign(x) * spherical_jn(2, size) / size], axis=1)


def ringdown(t, psi4, first, mass):
    """Slice of the ringdown of a mode, its peak later than index `first', in which its strain is known from its end; None where there is no
    such. [n] at even times."""
    size = np.abs(psi4)
    top = first + int(np.argmax(size[first:]))
    begin = int(np.searchsorted(t, t[top] + AFTER * mass))
    if begin >= len(t) - 2 or not size[top] > 0:
        return None
    quiet = psi4[top + 3 * (len(t) - top) // 4:]
    noise = np.median(np.abs(np.diff(quiet, 3))) / np.sqrt(20) if len(quiet) > 8 else size[-1]
    level = max(FADED * size[top], NOISE * noise)
    if noise > LONGEST * size[top]:
        return None
    low = np.flatnonzero(size[begin:] < min(level, LONGEST * size[top]))
    end = begin + int(low[0]) if low.size else len(t)
    return slice(begin, end) if end < len(t) + 1 and t[end - 1] - t[begin] >= SHORTEST * mass else None


def exponentials(step, values, number):
    """(part that they leave, rates [k], amplitudes [k] at the end) of the sum of so many decaying exponentials that values [n] are (Prony); None
    where they are not."""
    every = max(1, len(values) // (10 * number))
    last = values[::-1][::every][::-1]
    rows = np.stack([last[k:len(last) - number + k] for k in range(number)], axis=1)
    found = np.linalg.lstsq(rows, last[number:], rcond=None)[0]
    roots = np.roots(np.concatenate([[1], -found[::-1]]))
    if not np.all((np.abs(roots) < 1) & (np.abs(roots) > 0)):
        return None
    rates = np.log(roots) / (step * every)
    model = np.exp(np.outer(step * np.arange(-len(values) + 1, 1), rates))
    sizes = np.linalg.lstsq(model, values, rcond=None)[0]
    left = np.sum(np.abs(values - model @ sizes) ** 2) / np.sum(np.abs(values) ** 2)
    return (left, rates, sizes) if left < FITS else None


def backwards(step, psi4, fitted):
    """[n] strain of a mode that ends as one or two exponentials, of its last so many steps; None where it does not, or is shorter than that."""
    if len(psi4) < fitted:
        return None
    tried = [found for found in (exponentials(step, psi4[-fitted:], k) for k in (1, 2)) if found]
    if not tried:
        return None
    # Noise is fitted better by two as well, but not by so much.
    _, rates, sizes = tried[-1] if tried[-1][0] < TWO * tried[0][0] else tried[0]
    x = step * np.arange(len(psi4))
    once = make_interp_spline(x, np.stack([psi4.real, psi4.imag], axis=1), k=5).antiderivative()
    news, strain = (f(x) @ np.array([1, 1j]) for f in (once, once.antiderivative()))
    # h'' = -psi4; at the end h' = -psi4/s, h = -psi4/s^2.
    slope = news[-1] - np.sum(sizes / rates)
    return strain[-1] - strain + slope * (x - x[-1]) - np.sum(sizes / rates**2)


def given_back(t, psi4, made, w0, first, mass):
    """[n] the strain of a mode at even times with what the cut-off w0 took; as it is where that is not known. made(w0): [n] strain with a
    cut-off; first: index from when on psi4 is good."""
    strain = made(w0)
    where = ringdown(t, psi4, first, mass)
    if where is None:
        return strain
    step = (t[-1] - t[0]) / (len(t) - 1)
    fitted = max(int(FITTED * mass / step), 8)
    known, sooner = (backwards(step, psi4[where][:k], fitted) for k in (None, -fitted))
    if known is None or sooner is None:
        return strain
    lacks = known - strain[where]
    if np.linalg.norm((known[:-fitted] - sooner)) > SURE * np.linalg.norm(lacks[:-fitted]):
        return strain
    top = t[first + int(np.argmax(np.abs(psi4[first:])))]
    waves = kernel(w0 * (t - top))
    more = waves @ np.linalg.lstsq(waves[where], lacks, rcond=None)[0]
    other = (made(LOWER * w0) - strain) / (1 - LOWER)
    apart = np.linalg.norm((more - other)[where]) / max(np.linalg.norm(other[where]), 1e-300)
    return strain + falling((apart - ALIKE[0]) / (ALIKE[1] - ALIKE[0])) * more
