"""What neighbouring resolutions of kept runs differ by, and what the finest differs by from a model."""

from dataclasses import dataclass, replace

import numpy as np

from tendex.waves.commands.compare import F_LOW, MASSES
from tendex.waves.comparison import difference, noise, resolutions, richardson
from tendex.waves.signal import align

MODE = (2, 2)


@dataclass(frozen=True)
class Neighbours:
    """(2,2) of runs from the coarsest to the finest at the same retarded times."""

    names: tuple
    h: tuple  # finest spacings
    t: np.ndarray  # [n]
    peak: float  # of the finest
    phase: list  # [[n]] of each run less the next finer, rad
    amplitude: list  # the same, over the finer's largest

    def before(self, values):
        """Those of [n] until the peak."""
        return values[: int(np.searchsorted(self.t, self.peak)) + 1]

    def scaled(self, differences, p=richardson.BELIEVED):
        """[(number of the coarser pair, [n])]: what the coarser of two neighbouring pairs would be, by the finer one, at order p."""
        return [(k, differences[k + 1] * richardson.ratio(p, self.h[k:k + 3])) for k in range(len(differences) - 1)]

    def order(self):
        """(order of the phase's differences until the peak, why there is none or "") of the three finest of three or more."""
        a, b = (self.before(d) for d in self.phase[-2:])
        p, _, why = richardson.overall(self.h[-3:], self.before(self.t), a, b)
        return p, why


def neighbours(series, h):
    """The Neighbours of two or more kept.Series at spacings h."""
    start = max(s.reference for s in series)
    waves = [s.strain for s in series]
    peak = align.peak_time(waves[-1], MODE, start)
    t, common = resolutions.on_common(waves, start, resolutions.faded(waves[-1], peak), [MODE])
    t, sizes, phases = resolutions.clear(t, common, MODE)
    top = sizes[-1].max()
    return Neighbours(tuple(s.name for s in series), tuple(h), t, peak, [a - b for a, b in zip(phases, phases[1:])],
                      [(a - b) / top for a, b in zip(sizes, sizes[1:])])


@dataclass(frozen=True)
class Numbers:
    """Of the two finest resolutions."""

    unaligned: float  # |phase difference| of (2,2) at the finer's peak, rad
    aligned: float  # the largest until the peak, peaks laid on each other
    mismatch: float  # of (2,2), the largest over the masses of `tendex-waves compare'


def numbers(coarse, fine):
    """Numbers of two kept.Series."""
    pair = neighbours((coarse, fine), (2.0, 1.0))
    start = max(coarse.reference, fine.reference)
    a, b = (replace(s.strain, modes={MODE: s.strain.mode(*MODE)}) for s in (fine, coarse))
    b = align.at_peak(a, b, MODE, start).apply(b)
    beside = difference.of_mode(a, b, MODE, start)
    rows = difference.Mismatches(a, b, start).mode(MODE, noise.find("aligo"), MASSES, F_LOW)
    return Numbers(float(np.interp(pair.peak, pair.t, np.abs(pair.phase[0]))),
                   float(np.abs(beside.phase[beside.t <= pair.peak]).max()), max(row.match.mismatch for row in rows))


def model(series):
    """(t [n], phase of the model less the run's [n], amplitude, over the run's largest [n]) of (2,2)."""
    run, other = series.strain, series.model[1]
    peak = align.peak_time(run, MODE, series.reference)
    t, common = resolutions.on_common([other, run], series.reference, resolutions.faded(run, peak), [MODE])
    t, sizes, phases = resolutions.clear(t, common, MODE)
    return t, phases[0] - phases[1], (sizes[0] - sizes[1]) / sizes[1].max()
