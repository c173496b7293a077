"""Bounds of the error of the finest of two or three runs, from the differences D of neighbouring resolutions; stated as 95%.

An error c h^p of the spacing h leaves in the finest run the part h_f^p / (h_a^p - h_b^p) of the difference of the runs at h_a > h_b
(`left'). Which order p is taken:

- three runs with a clean convergence order: the measured one, or FORMAL, if that is less: the lowest of the scheme where fields are smooth (time
  and ghosts in time; stencils have 6, dissipation 5);
- all others: LOWEST for the finest pair, the least that is known of fields near punctures, where they are not smooth (docs/numerics.md). With
  three runs the coarser pair counts, too, with FORMAL: neighbours that agree may do so by accident. The larger bound holds.

Each is times SAFETY, as in the grid convergence index with a measured order (Roache, J. Fluids Eng. 116, 405; ASME V&V 20). For ratios of
spacings of 1.1 to 1.3 LOWEST with SAFETY is within 13% of that index for two grids, a factor of 3 with the order FORMAL.

A difference that crosses zero is no small error. So over time |D| is the largest until then, and not smaller either than that of an error which
grows in proportion to time, to the largest until the merger: of a phase it is the delay that grows so, D over the frequency.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from tendex.waves.comparison import richardson

SAFETY, LOWEST, FORMAL = 1.25, 2.0, 4.0
NO_TREND = "with two runs no order can be measured"


def left(coarse, fine, finest, p):
    """Error at the spacing `finest' over the difference of runs at coarse > fine, when errors go as h^p."""
    return (finest / fine) ** p / math.expm1(p * math.log(coarse / fine))


@dataclass(frozen=True)
class Rule:
    """How differences of neighbours bound the error of the finest."""

    factors: tuple  # of the |difference| of each pair, the coarsest first; the largest product counts
    clean: bool
    order: float  # measured; nan: none
    taken: float  # of the finest pair
    why: str  # there is no clean one; "" where there is

    def of(self, sizes):
        """The bound from |differences|, numbers or arrays, the coarsest first."""
        return SAFETY * np.max([factor * size for factor, size in zip(self.factors, sizes)], axis=0)

    def known(self):
        """For JSON."""
        return {"order": self.order, "clean": self.clean, "order_taken": self.taken, "why": self.why,
                "factors": [SAFETY * factor for factor in self.factors]}


def rule(h, order=math.nan, why=NO_TREND):
    """The Rule of runs at two or three falling spacings h; why: their differences have no clean convergence order, "" where it is `order'."""
    if len(h) == 3 and not why:
        p = min(order, FORMAL)
        return Rule((0.0, left(h[1], h[2], h[2], p)), True, order, p, "")
    pairs = ((left(h[0], h[1], h[2], FORMAL),) if len(h) == 3 else ()) + (left(h[-2], h[-1], h[-1], LOWEST),)
    return Rule(pairs, False, order, LOWEST, why)


@dataclass(frozen=True)
class Number:
    """Of a number at two or three resolutions."""

    values: tuple  # the coarsest first
    rule: Rule
    bound: float
    limit: float = math.nan  # Richardson's with a clean order


def number(h, values, believed=""):
    """The Number of values; believed: why no order is believed, whatever they say, or ""."""
    sizes = np.abs(np.diff(values))
    if len(h) == 2:
        found = rule(h, why=believed or NO_TREND)
        return Number(tuple(values), found, float(found.of(sizes)))
    seen = richardson.number(h, values)
    same = not sizes[1] > 0
    why = believed or ("" if seen.converges else "two resolutions do not differ" if same else "no clean convergence order")
    found = rule(h, seen.order, why)
    return Number(tuple(values), found, float(found.of(sizes)), seen.limit if found.clean else math.nan)


@dataclass(frozen=True)
class Function:
    """Of a function of time at two or three resolutions."""

    rule: Rule
    bound: np.ndarray  # [n], not negative
    differences: list = field(repr=False)  # [[n]] each run less the next finer


def _rule_over(h, t, inside, differences, believed):
    if len(h) == 2 or believed:
        return rule(h, why=believed or NO_TREND)
    p, _, why = richardson.overall(h, t[inside], *(d[inside] for d in differences))
    return rule(h, p, why)


def growing(h, t, peak, values, rate=None, believed=""):
    """The Function of values [[n]] at the times t [n] since the start of the runs, the coarsest first, unaligned; peak: time of the merger; rate
    [n]: frequency of a phase, None for what is no phase. It does not fall."""
    differences = [a - b for a, b in zip(values, values[1:])]
    inside = slice(0, int(np.searchsorted(t, peak)) + 1)
    found = _rule_over(h, t, inside, differences, believed)
    sizes = [grown(t, peak, d, np.ones(len(t)) if rate is None else rate) for d in differences]
    return Function(found, found.of(sizes), differences)


def grown(t, peak, difference, rate):
    """[n] The largest |difference| until each time, and what a delay, difference over rate, makes that grows in proportion to time until its largest at
    the peak; that is not above the largest difference until then."""
    largest = np.maximum.accumulate(np.abs(difference))
    before = t <= peak
    if not (before.any() and peak > 0 and np.all(rate[before] > 0)):
        return largest
    delay, top = (largest[before] / rate[before]).max(), largest[before][-1]
    steady = np.where(before, np.minimum(rate * delay * np.clip(t / peak, 0, 1), top), 0.0)
    return np.maximum.accumulate(np.maximum(largest, steady))


def aligned(h, t, peak, values, believed=""):
    """The Function of values [[n]] that are laid on each other at the peak: the largest between each time and the peak."""
    differences = [a - b for a, b in zip(values, values[1:])]
    top = int(np.argmin(np.abs(t - peak)))
    found = _rule_over(h, t, slice(0, top + 1), differences, believed)
    sizes = []
    for d in map(np.abs, differences):
        sizes.append(np.concatenate([np.maximum.accumulate(d[top::-1])[::-1], np.maximum.accumulate(d[top:])[1:]]))
    return Function(found, found.of(sizes), differences)


def merger(h, times, phases, believed=""):
    """The Number of the times of the merger, with the bound of the largest delay until then: phases = (t [n], peak, [[n]] of (2,2), rate [n]).
    Its neighbours may merge together by accident."""
    t, peak, values, rate = phases
    found = number(h, times, believed)
    before = t <= peak
    if not (before.any() and np.all(rate[before] > 0)):
        return found
    delays = [float((np.abs(a - b)[before] / rate[before]).max()) for a, b in zip(values, values[1:])]
    return Number(found.values, found.rule, max(found.bound, float(found.rule.of(delays))), found.limit)
