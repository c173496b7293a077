"""Up to which signal-to-noise ratio a wave of a known error cannot be told from the true one.

A detector tells waves apart whose difference dh has <dh|dh> >= 1 (arXiv:0809.3844). At the best shift in time, phase and azimuth that is
rho^2 2 M for the mismatch M: parameters are not measured wrongly by more than their statistical error while M < 1/(2 rho^2), and with D
intrinsic parameters that share it while M < D/(2 rho^2) (arXiv:1703.03967; arXiv:2006.04272). D = 1 is safe for any.

The true wave is not known. It is taken to be the run's less its error: with the differences of resolutions, scaled to the bound's rule, and
without a clean order also with the bounds of amplitude and phase themselves; the one of the largest mismatch counts. For extraction and
integration it is what other ways give, as in their errors: the squares of sources add, so mismatches do. sqrt(M) is a norm: those of
the parts add up (triangle inequality).
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from tendex.waves.comparison import bound, difference, noise
from tendex.waves.signal.modes import WaveError

# Detectors, and total masses in the detector's frame, in solar masses.
DETECTORS = {"aplus": (50.0, 100.0, 200.0, 400.0), "et-d": (50.0, 100.0, 200.0, 400.0), "ce": (50.0, 100.0, 200.0, 400.0),
             "lisa": (3e5, 1e6, 3e6, 1e7)}
# Intrinsic parameters of binaries: masses, and spins along the orbit's axis or of any direction.
PARAMETERS = {"planar": 4, "precessing": 8}


def ratio(mismatch, parameters=1):
    """Signal-to-noise ratio up to which a mismatch is not seen."""
    return math.sqrt(parameters / (2 * mismatch)) if mismatch > 0 else math.inf


def displaced(waves, changes):
    """Waves whose modes have other amplitudes and phases; changes: {(l, m): (t [k], relative [k], rad [k])}, from their first to their last time."""
    def one(v, l, m):
        t, amplitude, phase = changes[l, m]
        return v * (1 + np.interp(waves.t, t, amplitude)) * np.exp(1j * np.interp(waves.t, t, phase))
    return waves.map(one)


def candidates(modes):
    """[{(l, m): (t, relative, rad)}] of what the true wave may differ by from the run's; modes: {(l, m): budget.Mode}."""
    found = []
    for k in range(len(next(iter(modes.values())).unaligned.phases.differences)):
        def part(function, k=k):
            return -bound.SAFETY * function.rule.factors[k] * function.differences[k]
        found.append({lm: (one.unaligned.t, part(one.unaligned.amplitudes), part(one.unaligned.phases)) for lm, one in modes.items()})
    if not all(one.unaligned.phases.rule.clean for one in modes.values()):
        # An orbit that is late has phases of m and -m of opposite sign.
        found.append({(l, m): (one.unaligned.t, one.unaligned.amplitudes.bound, np.sign(m) * one.unaligned.phases.bound)
                      for (l, m), one in modes.items()})
    return [{lm: (t, a, p) for lm, (t, a, p) in one.items()} for one in found if any(np.any(a) or np.any(p) for _, a, p in one.values())]


@dataclass(frozen=True)
class Row:
    """Of one detector and mass."""

    mass: float  # solar masses
    low: float  # Hz: from there on
    whole: bool  # the waves begin below the detector's band
    parts: dict  # {numerical, extraction, integration: mismatch}
    mismatch: float  # of all

    def known(self, parameters):
        """For JSON."""
        return {"mass": self.mass, "from_hz": self.low, "whole_band": self.whole, "mismatch": self.mismatch, "mismatch_of": self.parts,
                "snr": ratio(self.mismatch), f"snr_{parameters}_parameters": ratio(self.mismatch, parameters)}


def combined(parts):
    """Mismatch of all from {name: mismatch}."""
    return sum(map(math.sqrt, parts.values())) ** 2


def rows(waves, start, modes, others):
    """{detector: [Row]} of Waves of strain in geometric units from time `start' on.

    modes: {(l, m): budget.Mode}, times in the unit of the waves; others: {extraction, integration: [[Waves of strain]]}, groups of other ways, of
    which the largest of a group counts. Masses without waves in the band are left out."""
    waves = replace(waves, modes={lm: v for lm, v in waves.modes.items() if lm in modes}).cut(start)
    tried = {"numerical": [[displaced(waves, change) for change in candidates(modes)]]}
    for name, groups in others.items():
        tried[name] = [[_like(waves, w) for w in group] for group in groups]
    strongest = (2, 2) if (2, 2) in modes else next(iter(modes))

    def beside(other):
        return difference.Mismatches(waves, other, strongest=strongest)
    compared = {name: [[beside(w) for w in group] for group in groups] for name, groups in tried.items()}
    one = beside(waves)
    return {name: _of_detector(noise.CURVES[name], masses, compared, one) for name, masses in DETECTORS.items()}


def _like(waves, other):
    """Other waves at these times; where they have no values, as they are."""
    inside = {lm: np.isfinite(other.modes[lm]) for lm in waves.modes}
    made = {}
    for lm, v in waves.modes.items():
        t, known = other.t[inside[lm]], other.modes[lm][inside[lm]]
        if len(t) < 2:
            made[lm] = v
            continue
        there = np.interp(waves.t, t, known.real) + 1j * np.interp(waves.t, t, known.imag)
        made[lm] = np.where((waves.t >= t[0]) & (waves.t <= t[-1]), there, v)
    return replace(waves, modes=made)


def _of_detector(curve, masses, compared, one):
    found = []
    for mass in masses:
        try:
            parts = {name: sum(max((m.sky(curve, [mass], curve.lowest)[0].match.mismatch for m in group), default=0.0) for group in groups)
                     for name, groups in compared.items()}
        except WaveError:  # nothing of them in the band
            continue
        low = max(curve.lowest, one.start_frequency(one.strongest) / (mass * difference.mismatch.SUN_S))
        found.append(Row(mass, low, mass >= one.whole_from(curve.lowest), parts, combined(parts)))
    return found
