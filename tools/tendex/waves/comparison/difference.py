"""What two aligned waves differ by: amplitude and phase over time, and mismatch over total mass. Geometric units."""

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import trapezoid

from tendex.waves.comparison import mismatch
from tendex.waves.signal import align, ffi, frame
from tendex.waves.signal.modes import KINDS, WaveError, phase

# Time derivatives of the strain that each kind of wave is, but for the sign.
DERIVATIVES = {kind: n for n, kind in enumerate(reversed(KINDS))}

# After its peak a mode is compared until its amplitude is this share of the peak's.
RINGS_DOWN_TO = 1e-2
# An inspiral's amplitudes are compared there, as means over this time about it, in which an orbit's eccentricity averages out.
EARLY, ABOUT = -300.0, 60.0  # M, from the peak of the whole wave
# A mode whose peak is below this share of the strongest's is the noise of a symmetric binary: phases mean nothing.
NOTHING = 3e-3
# Below this share a mode does not help to align: of odd m, it would tell from noise which half of the orbit it is.
HELPFUL = 1e-2


@dataclass(frozen=True)
class ModeDifference:
    """b less a of one mode, at times t [n] of a; both [n]."""

    lm: tuple
    t: np.ndarray
    amplitude: np.ndarray  # (|b| - |a|)/|a|
    phase: np.ndarray  # of b less that of a, as phases that grow with time; radians
    peaks: tuple  # ((t, |a|), (t, |b|))
    faint: bool  # whether the mode is NOTHING


def matching(a, b, modes=None):
    """a and b with the modes that both have, of those wanted if given. Raises WaveError."""
    for l, m in modes or ():
        for wave in (a, b):
            if (l, m) not in wave.modes:
                has = ", ".join(f"({l},{m})" for l, m in sorted(wave.modes)[:8]) + (" ..." if len(wave.modes) > 8 else "")
                raise WaveError(f"{wave.name}: no mode l = {l}, m = {m}; it has {has}; --modes chooses what is compared")
    shared = sorted(set(a.modes) & set(b.modes))
    if not shared:
        raise WaveError(f"{a.name} and {b.name} have no mode in common")
    return tuple(replace(w, modes={lm: w.modes[lm] for lm in shared}) for w in (a, b))


@dataclass(frozen=True)
class Axes:
    """Mean radiation axes [3] of two waves, each in its own inertial frame, over times of the first; None, both, where the
    waves stay in the plane z = 0, or have no axis."""

    a: np.ndarray
    b: np.ndarray
    first: float
    last: float


def oriented(a, b, first, last, dt):
    """(a, b, Axes): both in the inertial frames that have for z their mean radiation axes between times `first' and `last'
    of a, b at times earlier by dt. Rotations about z and shifts in time are left to align."""
    axes = Axes(None, None, first, last)
    if ffi.level(a) and ffi.level(b):
        return a, b, axes
    try:
        axes = Axes(frame.mean_axis(a, first, last), frame.mean_axis(b, first - dt, last - dt), first, last)
    except WaveError:
        if ffi.level(a) == ffi.level(b):
            return a, b, axes
        raise
    a, b = (frame.turned(w, frame.smallest(frame.Z, z)) for w, z in ((a, axes.a), (b, axes.b)))
    return a, b, axes


def clear(a, b):
    """a and b without modes that are not HELPFUL in both."""
    def loud(w):
        high = {lm: np.abs(v).max() for lm, v in w.modes.items()}
        return {lm for lm, v in high.items() if v >= HELPFUL * max(high.values())}
    kept = sorted(loud(a) & loud(b))
    return tuple(replace(w, modes={lm: w.modes[lm] for lm in kept}) for w in (a, b))


def of_mode(a, b, lm, start=-math.inf):
    """The ModeDifference of b, aligned with a, from time `start` on."""
    start, end = max(start, a.t[0], b.t[0]), min(a.t[-1], b.t[-1])
    inside = (a.t >= start) & (a.t <= end)
    if np.count_nonzero(inside) < 8:
        raise WaveError(f"{a.name} and {b.name}, aligned, have t = {start:g} to {end:g} in common: too little to "
                        "compare")
    t = a.t[inside]
    mine = a.mode(*lm)[inside]
    other = align.spline(b.t, b.mode(*lm))(t)
    top = int(np.abs(mine).argmax())
    low = np.flatnonzero(np.abs(mine[top:]) < RINGS_DOWN_TO * np.abs(mine[top]))
    kept = slice(0, top + low[0] if low.size else None)
    t, mine, other = t[kept], mine[kept], other[kept]
    strongest = max(np.abs(v[inside]).max() for v in a.modes.values())
    if not np.all(np.abs(mine) > 0):
        raise WaveError(f"{a.name}: mode l = {lm[0]}, m = {lm[1]} vanishes somewhere: nothing to compare with")
    turned = -phase(other / mine)
    turned -= 2 * np.pi * np.round(turned[top] / (2 * np.pi))
    peaks = tuple(_peak(t, v) for v in (mine, other))
    return ModeDifference(lm, t, np.abs(other) / np.abs(mine) - 1, turned, peaks,
                          bool(np.abs(mine[top]) < NOTHING * strongest))


def _peak(t, values):
    """(time, height) of the greatest |values|, between samples too where it is not at an end."""
    try:
        return align.peak(t, values)
    except WaveError:
        top = int(np.abs(values).argmax())
        return float(t[top]), float(np.abs(values[top]))


def summary(d, peak_time):
    """{part: {...}} of the numbers of a ModeDifference: until the peak of the whole wave, after it, and all; at the peak, and
    long before it, if there is a wave."""
    parts = {"inspiral": d.t <= peak_time, "ringdown": d.t >= peak_time, "all": np.ones(len(d.t), bool)}
    out = {}
    for name, inside in parts.items():
        if not inside.any():
            continue
        t, amplitude, turned = d.t[inside], d.amplitude[inside], d.phase[inside]
        out[name] = {"from": t[0], "to": t[-1],
                     "amplitude_max": np.abs(amplitude).max(), "amplitude_rms": _rms(t, amplitude),
                     "phase_max": np.abs(turned).max(), "phase_rms": _rms(t, turned)}
    early = np.abs(d.t - peak_time - EARLY) <= 0.5 * ABOUT
    if d.t[0] <= peak_time + EARLY - 0.5 * ABOUT:
        out["early"] = {"time": EARLY, "about": ABOUT, "amplitude": float(np.mean(d.amplitude[early]))}
    (t_a, high_a), (t_b, high_b) = d.peaks
    out["peak"] = {"amplitude": float(np.interp(peak_time, d.t, d.amplitude)),
                   "phase": float(np.interp(peak_time, d.t, d.phase)),
                   "ratio": high_b / high_a, "time": t_b - t_a, "height_a": high_a, "height_b": high_b}
    return out


def _rms(t, values):
    """Root of the mean over time of values^2."""
    if len(t) < 2:
        return float(np.abs(values[0]))
    return math.sqrt(trapezoid(values**2, t) / (t[-1] - t[0]))


@dataclass(frozen=True)
class Row:
    """Mismatch at one total mass."""

    mass: float  # solar masses; nan where the noise is flat
    low: float  # Hz: the integral starts here
    match: mismatch.Match


class Mismatches:
    """Mismatches of the strains of b, aligned with a, over what both have from time `start` on. Waves may be psi4 or news: weights then
    are divided by the powers of w that make these of the strain, from the frequency on with which they start."""

    def __init__(self, a, b, start=-math.inf, strongest=(2, 2)):
        start, end = max(start, a.t[0], b.t[0]), min(a.t[-1], b.t[-1])
        self.window = mismatch.window(a, strongest, start, end)
        self.strongest = strongest
        self.a, self.b = mismatch.tapered(a, b, self.window, sorted(a.modes))
        self.step = self.a.t[1] - self.a.t[0]
        self.derivatives = DERIVATIVES[a.kind]

    def start_frequency(self, lm):
        """Cycles per M of a mode where the taper is over; 0 for m = 0, which has none."""
        if lm[1] == 0:
            return 0.0
        t, w = self.a.t, self.window
        first = w.start + w.rise
        peak = t[self.a.total().argmax()]
        return mismatch.frequency(t, self.a.mode(*lm), first, min(20.0, 0.5 * (peak - first)))

    def whole_from(self, low):
        """Total mass, in solar masses, from which on the waves begin below the frequency `low', Hz; inf where that is 0."""
        return self.start_frequency(self.strongest) / (low * mismatch.SUN_S) if low > 0 else math.inf

    def _rows(self, at_weight, f, start, noise, masses, low):
        """Rows of the mismatch that at_weight(weights [n]) finds, from `low` Hz or where the waves start."""
        out = []
        for mass in masses:
            first = max(low, noise.lowest, start / (mass * mismatch.SUN_S))
            try:
                weight = mismatch.weights(f, noise, mass, first, math.inf)
                if self.derivatives:
                    weight = weight * mismatch.powers(f, -2 * self.derivatives)
                out.append(Row(mass, first, at_weight(weight)))
            except WaveError as e:
                raise WaveError(f"total mass {mass:g} Msun, from {first:.4g} Hz: {e}") from None
        return out

    def mode(self, lm, noise, masses, low):
        """[Row] of one mode by itself."""
        s = mismatch.Spectra.of(self.a.mode(*lm), self.b.mode(*lm), self.step)
        return self._rows(lambda w: mismatch.match(s, w), s.f, self.start_frequency(lm), noise, masses, low)

    def _plain(self, f, n, lm):
        """Weights w^(2n) of the strain's spectrum at frequencies f, where (l, m) says how low they go. [n]"""
        power = 2 * (n - self.derivatives)
        if not power and not n:
            return np.ones_like(f)
        return mismatch.powers(f, power, self.start_frequency(lm) if power < 0 else 0.0)

    def flat(self, lm, n=0):
        """Match of one mode without a detector: weights w^(2n) of the strain's spectrum."""
        s = mismatch.Spectra.of(self.a.mode(*lm), self.b.mode(*lm), self.step)
        return mismatch.match(s, self._plain(s.f, n, lm))

    def seen(self, inclination, azimuths, noise, masses, low, polarisations=()):
        """[Row] of all modes together, towards observers; angles in radians. Without polarisations an observer sees both,
        else each of these is one detector's. Of several the mean match, weighted with the signal-to-noise ratio rho of A:
        (sum rho^3 match^3 / sum rho^3)^(1/3) (arXiv:1408.1810)."""
        observers = [mismatch.Seen.of(self.a, self.b, inclination, azimuth) for azimuth in azimuths]
        return self._rows(lambda w: _weighted(observers, w, polarisations), observers[0].f,
                          self.start_frequency(self.strongest), noise, masses, low)

    def seen_flat(self, inclination, azimuths, polarisations=()):
        observers = [mismatch.Seen.of(self.a, self.b, inclination, azimuth) for azimuth in azimuths]
        return _weighted(observers, self._plain(observers[0].f, 0, self.strongest), polarisations)

    def _spectra(self):
        """({(l, m): [n]} of a, of b, f [n])"""
        both = {lm: mismatch.Spectra.of(v, self.b.mode(*lm), self.step) for lm, v in self.a.modes.items()}
        return {lm: s.a for lm, s in both.items()}, {lm: s.b for lm, s in both.items()}, next(iter(both.values())).f

    def sky(self, noise, masses, low):
        """[Row] of all modes together, as a mean over the whole sky."""
        a, b, f = self._spectra()
        return self._rows(lambda w: mismatch.of_sky(a, b, f, self.step, w), f, self.start_frequency(self.strongest), noise,
                          masses, low)

    def sky_flat(self, n=0):
        a, b, f = self._spectra()
        return mismatch.of_sky(a, b, f, self.step, self._plain(f, n, self.strongest))


def _weighted(observers, weight, polarisations=()):
    """The Match of one, or the mean of several, whose shifts differ."""
    if polarisations:
        found = [mismatch.of_detector(seen, weight, kappa) for seen in observers for kappa in polarisations]
    else:
        found = [(mismatch.best_azimuth(seen, weight)[0], math.sqrt(np.sum(weight * np.abs(seen.a) ** 2))) for seen in observers]
    if len(found) == 1:
        return found[0][0]
    rho = np.array([rho for _, rho in found]) ** 3
    mean = np.sum(rho * (1 - np.array([match.mismatch for match, _ in found])) ** 3) / rho.sum()
    return mismatch.Match(float(1 - mean ** (1 / 3)), math.nan, math.nan)
