"""Are two waves of one binary in the same units and with the same signs? Conjugates what turns the other way, and refuses what is in
another unit, is another mode or another quantity, with what was found. Nothing is rescaled: a unit that is guessed from the waves
would make them agree."""

import numpy as np

from tendex.waves.signal import align, ffi
from tendex.waves.signal.modes import WaveError, phase

# Ratios of frequencies and amplitudes at the peak, either way, within which two waves may be those of one binary.
FREQUENCY, AMPLITUDE = 1.3, 1.4
# Part by which ratios of frequencies or amplitudes may be off from those of another mode or quantity that is named.
NEAR = 0.15
# Mass ratios that differ by this part are said to, and by this part refused.
SAID, REFUSED = 1e-3, 0.05
# Frequency at the peak of psi4 over that of the strain, at most; strains that are less than this part of r h are not multiplied by r.
LATER, DISTANT = 1.7, 1e-3
# G Msun / c^3, s; times as fast as a wave turns over seconds, at least.
SUN_S, SECONDS = 4.925490947641267e-6, 10.0
# Part of the change of a mode that is across it, of one that turns; of one that swings it is 0.
TURNS = 0.3
# A turning mode is noise where less than this part of its turning is even, see `coherence'.
COHERENT = 0.6


def strongest(waves):
    """(l, m) of the strongest mode that turns; None where none does."""
    turning = {lm: float(np.abs(v).max()) for lm, v in waves.modes.items() if lm[1]}
    return max(turning, key=turning.get) if turning and max(turning.values()) > 0 else None


def coherence(t, values):
    """Part of the turning from one eighth of a cycle of the mean frequency to the next that is common to all times: 1 for a wave that turns
    evenly, however its frequency rises, 0 for noise."""
    n, even = len(t), np.linspace(t[0], t[-1], len(t))
    h = ffi.interpolated(t, values, even) if np.abs(t - even).max() > ffi.EVEN * (even[1] - even[0]) else values
    power = np.abs(np.fft.fft(h)) ** 2
    mean = float(np.sum(power * np.abs(np.fft.fftfreq(n))) / max(power.sum(), 1e-300))  # cycles a point
    lag = min(max(1, int(1 / (8 * max(mean, 1 / n)))), max(1, n // 4))
    turned = h[lag:] * h[:-lag].conj()
    changed = turned[lag:] * turned[:-lag].conj()
    changed = changed / np.maximum(np.abs(changed), 1e-300) ** 0.75
    return float(abs(changed.sum()) / max(np.abs(changed).sum(), 1e-300))


def noise(waves, modes):
    """[(l, m)] of those wanted that are noise; none of an orbit that leaves the plane, whose modes beat."""
    if not ffi.level(waves):
        return []
    return [lm for lm in modes if lm in waves.modes and lm[1] and coherence(waves.t, waves.modes[lm]) < COHERENT]


def sense(waves):
    """+1 where modes turn as exp(-i m w t), as of counter-clockwise orbits here; -1 where they turn the other way; 0 where they swing."""
    lm = strongest(waves)
    if lm is None:
        return 0
    h = waves.modes[lm]
    turned = np.sum(h[1:] * h[:-1].conj()).imag / max(np.sum(np.abs(np.diff(h)) * np.abs(h[:-1])), 1e-300)
    return -int(np.sign(lm[1] * turned)) if abs(turned) > TURNS else 0


def conjugated(a, b):
    """(a, b, [what was done]) with that of two waves conjugated that turns against the signs of modes.py, where they turn in opposite
    senses. Those of an orbit that leaves the plane are told apart by their axes."""
    senses = [sense(w) for w in (a, b)]
    if senses[0] * senses[1] >= 0 or not (ffi.level(a) and ffi.level(b)):
        return a, b, []
    which = senses.index(-1)
    made, lines = [a, b], []
    made[which] = made[which].map(lambda v, l, m: np.conj(v))
    lines.append(f"{'AB'[which]} turns as exp(+i m w t), of the other sign or of a clockwise orbit: its complex conjugate is taken")
    return *made, lines


def rate(waves, lm, at):
    """Angle per time, positive, of a mode at a time."""
    curve = align.spline(waves.t, phase(waves.mode(*lm)))
    return abs(float(curve.derivative()(at)))


def _peak(waves, lm):
    """(frequency, height) of a mode at its peak."""
    try:
        top, height = align.peak(waves.t, waves.mode(*lm))
    except WaveError as e:
        raise WaveError(f"{waves.name}: {e}") from None
    return rate(waves, lm, top), height


def check_units(a, b, kind):
    """Raise WaveError unless b, of a format that does not state its units, is in those of a: frequencies and amplitudes at the peaks
    are nearly alike."""
    shared = sorted(set(a.modes) & set(b.modes))
    if not shared:
        raise WaveError(f"{b.name} has the modes {names(b.modes)}, {a.name} {names(a.modes)}: none in common")
    lm = max((k for k in shared if k[1]), key=lambda k: np.abs(a.modes[k]).max(), default=None)
    if lm is None:
        return
    (w_a, high_a), (w_b, high_b) = (_peak(x, lm) for x in (a, b))
    ratio, loud = w_b / w_a, high_b / high_a
    name = f"({lm[0]},{lm[1]})"
    if 1 / FREQUENCY < ratio < FREQUENCY and 1 / AMPLITUDE < loud < AMPLITUDE:
        return
    found = (f"{b.name}: its {name} has {high_b:.4g} at its peak and turns by {w_b:.4g} rad per unit of time there, {a.name}'s {high_a:.4g} "
             f"and {w_a:.4g}/M")
    guesses = _other_quantity(ratio, loud, w_b, kind) + _other_mode(ratio, lm)
    if not guesses and not 1 / FREQUENCY < ratio < FREQUENCY:
        guesses = _other_time(ratio)
    raise WaveError(f"{found}: {', or '.join(guesses or _other_unit(loud, kind))}")


def names(modes):
    return " ".join(f"({l},{m})" for l, m in sorted(modes)[:8]) + (" ..." if len(modes) > 8 else "")


def _other_mode(ratio, lm):
    """[what a mode is] that turns `ratio' times as fast as one with m of lm should."""
    if 1 / FREQUENCY < ratio < FREQUENCY:
        return []
    return [f"it turns {ratio:.2f} times as fast, as one with m = {m}: another mode under the name of ({lm[0]},{lm[1]})"
            for m in range(1, 6) if m != abs(lm[1]) and abs(ratio * abs(lm[1]) / m - 1) < NEAR]


def _other_time(ratio):
    """[what a unit of time is] in which a wave turns `ratio' times as fast as it should."""
    solar = f": in seconds a binary of {1 / ratio / SUN_S:.3g} solar masses turns so" if ratio > SECONDS else ""
    return [f"it turns {ratio:.3g} times as fast: its times are not in M, or it is another binary{solar}; give times in M, or with --mass the "
            "total mass in its unit of time"]


def _other_quantity(ratio, loud, w, kind):
    """[what may be under the name of strain] that is `loud' times as large and turns `ratio' times as fast at its peak. Peaks of news and
    psi4 are later, where the frequency is that of the ringdown."""
    if kind != "strain" or not 1 / FREQUENCY < ratio < LATER:
        return []
    return [f"its size is {loud:.3g} times the other's, as r times {what} has: r h / M is needed"
            for power, what in ((1, "the news"), (2, "psi4")) if abs(loud / w**power - 1) < 2 * NEAR]


def _other_unit(loud, kind):
    """[what is wrong] with an amplitude of `loud' times that of the same binary."""
    if kind == "strain":
        what = "as if seen from a distance" if loud < DISTANT else "is it another binary, or another normalisation?"
        return [f"its size is {loud:.3g} times the other's, {what}; r h / M is needed"]
    return [f"its size is {loud:.3g} times the other's; R psi4, by modes of weight -2, is needed; --mass says the total mass in its unit"]


def check_ratio(a, b, ratios, strict):
    """[what is to be said] of the mass ratios of two waves, None where one is not known. Raises WaveError where they are not of one
    binary, if that is `strict'."""
    if None in ratios:
        return []
    off = abs(ratios[1] / ratios[0] - 1)
    if strict and off > REFUSED:
        raise WaveError(f"{b.name} is of mass ratio {ratios[1]:.6g}, {a.name} of {ratios[0]:.6g}: not the same binary")
    return [f"mass ratios differ: A {ratios[0]:.6g}, B {ratios[1]:.6g}"] if off > SAID else []


def check_noise(a, b, modes):
    """[what is to be said] of modes that are noise. Raises WaveError where all of those wanted are."""
    lines = []
    for which, waves in zip("AB", (a, b)):
        loud = noise(waves, modes)
        if loud and len(loud) == len(modes):
            raise WaveError(f"{waves.name}: {names(loud)}: noise, no wave: it does not turn evenly anywhere, so there is no phase to compare")
        lines += [f"{which}'s {names([lm])} is noise, no wave: its differences mean nothing" for lm in loud]
    return lines
