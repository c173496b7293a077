"""Waves at infinity from waves through spheres: a polynomial in 1/R, and what perturbation theory says.

Both take R psi4 (or R h), R the areal radius, at equal retarded times u = t - r_*(R), with
r_* = R + 2 E ln(R/(2E) - 1), E the ADM energy, and what extraction/clock.py adds.
"""

import math
from dataclasses import replace

import numpy as np

from tendex.physics.radiation import retardation
from tendex.waves.signal.ffi import each_interpolated
from tendex.waves.signal.modes import WaveError

# A polynomial needs one sphere more than its order, and an extrapolation that says anything about itself three.
FEWEST = 3
ORDERS = (1, 2, 3, 4)
FITS = ("amplitude and phase", "real and imaginary")


def retarded(wave, energy, areal=None, later=0.0):
    """The wave through a sphere with retarded time for t, and R for r in what it is multiplied with. `areal`: (t, R)
    arrays, the areal radius over time; without it, wave.areal stands for all times; later: what is added to t - r_*, [n] or a number."""
    if math.isinf(wave.radius):
        raise WaveError(f"{wave.name}: is at infinity, not on a sphere")
    if not wave.areal > 2 * energy:
        raise WaveError(f"{wave.name}: areal radius {wave.areal:g} is not outside 2 E = {2 * energy:g}")
    radii = wave.areal if areal is None else np.interp(wave.t, *areal)
    u = wave.t - retardation(radii, energy) + later
    if not np.all(np.diff(u) > 0):
        raise WaveError(f"{wave.name}: its areal radius changes so fast that retarded time does not increase")
    scale = radii / wave.radius
    return wave.map(lambda v, l, m: v * scale, t=u, start=begun(wave, u))


def begun(wave, times):
    """The first good time of waves whose times become these."""
    return float(np.interp(wave.start, wave.t, times)) if wave.start is not None and math.isfinite(wave.start) else wave.start


def on_times(wave, times):
    """The same at other times, which must lie within its own. Outside, WaveError."""
    if times[0] < wave.t[0] or times[-1] > wave.t[-1]:
        raise WaveError(f"{wave.name}: asked for times {times[0]:g} to {times[-1]:g}, but it has {wave.t[0]:g} to "
                        f"{wave.t[-1]:g}")
    return replace(wave, modes=each_interpolated(wave.t, wave.modes, times), t=times)


def common_times(waves):
    """Even times that all have: with the smallest mean step of them. [n]"""
    first, last = max(w.t[0] for w in waves), min(w.t[-1] for w in waves)
    step = min((w.t[-1] - w.t[0]) / (len(w.t) - 1) for w in waves)
    count = int((last - first) / step * (1 - 1e-12)) + 1
    if count < 8:
        raise WaveError(f"{waves[0].name}: the spheres have no retarded times in common: the outermost has seen the "
                        f"waves until u = {min(w.t[-1] for w in waves):g} M only: let the run continue")
    return np.minimum(first + step * np.arange(count), last)


def weights(radii, order):
    """[k] w with sum_k w_k y_k the value at 1/R = 0 of the polynomial of this order in 1/R that fits y_k best."""
    if order not in ORDERS:
        raise WaveError(f"order {order}: polynomials in 1/R are of order {', '.join(map(str, ORDERS))}")
    if len(radii) < max(order + 1, FEWEST):
        raise WaveError(f"a polynomial of order {order} in 1/R needs {max(order + 1, FEWEST)} spheres, but there are "
                        f"{len(radii)}: set more waves.radii, or take a lower order")
    x = min(radii) / np.asarray(radii)
    return np.linalg.pinv(np.vander(x, order + 1, increasing=True))[0]


def _limit(values, w, fit):
    """At infinity, from values [k][n] of spheres and weights [k]. Amplitude and phase are smoother functions of 1/R
    than real and imaginary part: of an l = 2 wave in flat space, with x = 1/(R w), they are 1 - x^2 + ... and
    2x + x^3/3 + ..., and the wave is 1 + 2ix - 3x^2 - 3ix^3 + ...: what order 2 leaves out is a ninth. Where the
    spheres' phases differ by more than about a radian, as in noise and where a mode goes through zero, they mean
    nothing: real and imaginary part there, whatever the fit."""
    straight = np.tensordot(w, values, 1)
    if fit == FITS[1]:
        return straight
    # Angles against the outermost sphere's value, which are small: no 2 pi can go astray.
    turn = np.exp(1j * np.angle(values[-1]))
    angles = np.angle(values * np.conj(turn))
    x = np.clip(2 * np.abs(angles).max(0) - 1.5, 0, 1)  # from 0.75 to 1.25 rad
    share = x * x * (3 - 2 * x)
    return share * straight + (1 - share) * (w @ np.abs(values)) * turn * np.exp(1j * (w @ angles))


def extrapolate(spheres, order, adm_energy, areals=None, fit=FITS[0], later=None):
    """Waves at infinity over retarded time, from [Waves] of psi4, news or strain through spheres.

    areals: [(t, R)], areal radii over time, in the order of the spheres; without it, each sphere's own stands for all
    times. fit: one of FITS; later: [[n]] of each, as in `retarded'."""
    if len({w.kind for w in spheres}) > 1:
        names = ", ".join(f"{w.name} ({w.kind})" for w in spheres)
        raise WaveError(f"extrapolation of {names}: not all of a kind")
    if fit not in FITS:
        raise ValueError(f"{fit!r} is none of {FITS}")
    w = weights([s.areal for s in spheres], order)
    here = [retarded(s, adm_energy, a, more)
            for s, a, more in zip(spheres, areals or [None] * len(spheres), later or [0.0] * len(spheres))]
    times = common_times(here)
    here = [on_times(s, times) for s in here]
    shared = set.intersection(*(set(s.modes) for s in here))
    modes = {lm: _limit(np.array([s.modes[lm] for s in here]), w, fit) for lm in sorted(shared)}
    name = spheres[0].label.split(",")[0]
    return replace(spheres[0], t=times, modes=modes, start=here[0].start, radius=math.inf, areal=math.inf,
                   label=f"{name}, order {order}".lstrip(", "))
