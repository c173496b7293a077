"""Are two waves of one binary in the same units and with the same signs? Conjugates what turns the other way, and refuses what is in
another unit, is another mode or another quantity, with what was found. Nothing is rescaled: a unit that is guessed from the waves
would make them agree."""

import numpy as np

from tendex.waves.signal import align, ffi
from tendex.waves.signal.modes import WaveError, phase

# Ratios of frequencies and amplitudes at the peak, either way, within which two waves may be those of one binary.
FREQUENCY, AMPLITUDE = 1.3, 1.4
# What is told apart from the frequency's ratio is so to this part of it.
NEAR = 0.15
# Mass ratios that differ by this part are said to, and by this part refused.
SAID, REFUSED = 1e-3, 0.05
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
    """[(l, m)] of those wanted that are noise."""
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
    top, height = align.peak(waves.t, waves.mode(*lm))
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
    found = f"{b.name}: its {name} turns by {w_b:.4g} rad per unit of time at its peak, {a.name}'s by {w_a:.4g}/M"
    if not 1 / FREQUENCY < ratio < FREQUENCY:
        raise WaveError(f"{found}: {_other_mode(ratio, lm) or _other_time(b, ratio, w_b)}")
    if not 1 / AMPLITUDE < loud < AMPLITUDE:
        raise WaveError(f"{b.name}: the peak of its {name} is {high_b:.4g}, {a.name}'s {high_a:.4g}: {_other_quantity(loud, w_a, kind)}")


def names(modes):
    return " ".join(f"({l},{m})" for l, m in sorted(modes)[:8]) + (" ..." if len(modes) > 8 else "")


def _other_mode(ratio, lm):
    """What a mode is that turns `ratio' times as fast as one with m of lm should."""
    for m in range(1, 9):
        if m != abs(lm[1]) and abs(ratio / (m / abs(lm[1])) - 1) < NEAR:
            return (f"{ratio:.2f} times as fast, as one with m = {m}: is it another mode under the name of ({lm[0]},{lm[1]}), or of another "
                    "binary?")
    return ""


def _other_time(b, ratio, w):
    """What a unit of time is in which a wave turns by w."""
    if ratio > 10:
        solar = 0.36 / w / 4.925491e-6
        return (f"{ratio:.3g} times as fast: its times are not in M. In seconds a binary of {solar:.3g} solar masses would turn so; give "
                "times in M, or the total mass in its unit of time with --mass")
    return f"{ratio:.3g} times as fast: its times are not in M, or it is another binary; --mass says the total mass in its unit"


def _other_quantity(loud, w, kind):
    """What may be of an amplitude that is `loud' times that of the same binary."""
    if kind == "strain":
        for power, what in ((1, "r dh/dt, the news"), (2, "r psi4")):
            if abs(loud / w**power - 1) < NEAR:
                return f"{loud:.3g} times as large, as {what} would be; r h / M is needed"
        if loud < 1e-3:
            return f"{loud:.3g} times as large: as if seen from a distance. Multiply it by that over M: r h / M is needed"
        return f"{loud:.3g} times as large: r h / M is needed; is it another binary, or another normalisation?"
    return (f"{loud:.3g} times as large: R psi4, with the modes of weight -2 and of the holes' masses together as the unit, is needed; was it "
            "multiplied by R? --mass says the total mass in its unit")


def check_ratio(a, b, ratios):
    """[what is to be said] of the mass ratios of two waves, None where one is not known. Raises WaveError where they are not of one
    binary."""
    if None in ratios:
        return []
    off = abs(ratios[1] / ratios[0] - 1)
    if off > REFUSED:
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
