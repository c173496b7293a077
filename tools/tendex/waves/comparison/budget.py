"""The error budget of waves: what the error of the evolution is bounded by (bound.py), and what extraction and integration add.

Every part bounds a bias of one run, whose sign is not known and which does not change from time to time. Such parts do not average out, so they
are added up, not in quadrature; where one is much larger than the others, as mostly, that is the same.
"""

from dataclasses import dataclass

import numpy as np

from tendex.waves.comparison import bound

PARTS = ("numerical", "extraction", "integration")


@dataclass(frozen=True)
class Parts:
    """[n] each, not negative; nan where not known."""

    numerical: np.ndarray
    extraction: np.ndarray
    integration: np.ndarray

    @property
    def total(self):
        return self.numerical + np.nan_to_num(self.extraction) + np.nan_to_num(self.integration)

    def items(self):
        """(name, [n]) of parts and total."""
        return [*((name, getattr(self, name)) for name in PARTS), ("total", self.total)]


@dataclass(frozen=True)
class Laid:
    """Errors of amplitude and phase of one mode, unaligned or aligned at the peak."""

    t: np.ndarray  # [n]
    size: np.ndarray  # [n] amplitude
    amplitude: Parts  # relative
    phase: Parts  # rad
    amplitudes: bound.Function  # what the numerical parts are from
    phases: bound.Function


@dataclass(frozen=True)
class Mode:
    unaligned: Laid
    aligned: Laid


def frequency(t, phases):
    """[n] Angular frequency of a phase; the largest until each time, as it rises."""
    return np.maximum.accumulate(np.abs(np.gradient(phases, t)))


def of_modes(h, laid, others, believed=""):
    """{(l, m): Mode} of a resolutions.Laid of runs at spacings h.

    others(lm, t): {"extraction" and "integration": (amplitude [n] relative, phase [n] rad)}; believed: why no order is, or ""."""
    first = (2, 2) if (2, 2) in laid.before else next(iter(laid.before))
    t, _, phases = laid.before[first]
    rate = frequency(t, phases[-1]) / abs(first[1])
    made = {}
    for lm in laid.before:
        rows = []
        for group, unaligned in ((laid.before, True), (laid.after, False)):
            times, sizes, phases = group[lm]
            values = [size / sizes[-1] for size in sizes]
            if unaligned:
                turns = abs(lm[1]) * np.interp(times, t, rate)
                amplitude = bound.growing(h, times, laid.peak, values, believed=believed)
                phase = bound.growing(h, times, laid.peak, phases, turns, believed)
            else:
                amplitude, phase = (bound.aligned(h, times, laid.peak, v, believed) for v in (values, phases))
            found = others(lm, times)
            parts = [Parts(one.bound, found["extraction"][k], found["integration"][k]) for k, one in enumerate((amplitude, phase))]
            rows.append(Laid(times, sizes[-1], *parts, amplitude, phase))
        made[lm] = Mode(*rows)
    return made


def merger(h, laid, times, believed=""):
    """bound.Number of the times of the merger of runs at spacings h, of which `laid' has (2,2)."""
    t, _, phases = laid.before[2, 2]
    return bound.merger(h, times, (t, laid.peak, phases, frequency(t, phases[-1])), believed)
