"""The modes of a wave, as every part of tendex-waves hands them to the next.

Signs, stated here once: psi4 = -(d2 h+/dt2 - i d2 hx/dt2), so that with h = h+ - i hx the news is dh/dt and
psi4 = -d2 h/dt2. Modes are integrals against spin-weighted harmonics of weight -2 (arXiv:0709.0093, eq. II.7-8); the
(2,2) mode of an orbit that turns counter-clockwise about z turns as exp(-i w t), w > 0. What is stored is r times the
quantity, r the coordinate radius of the sphere.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

KINDS = ("psi4", "news", "strain")
# Power of mass in r times the quantity: r psi4 is 1/M, r news has no unit, r h is M.
UNIT_POWER = {"psi4": -1, "news": 0, "strain": 1}


class WaveError(ValueError):
    """Waves that are missing, or not what is needed; the text says where, which and what to do."""


@dataclass(frozen=True, eq=False)
class Waves:
    """Modes of one quantity through one sphere, or at infinity, over time. Not changed: `replace` makes another. Equal to itself alone."""

    kind: str  # one of KINDS
    t: np.ndarray  # [n], increasing: coordinate time at a sphere, retarded time at infinity
    modes: dict  # {(l, m): complex [n]}, r times the quantity
    radius: float = math.inf  # of the sphere, in coordinates; inf: at infinity
    areal: float = math.inf  # areal radius of the sphere
    mass: float = 1.0  # the holes' initial masses together, in the unit of t and radius
    label: str = ""  # for legends and messages
    start: float = None  # first time without junk radiation; inf: none; None: not known, to be found from the data

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no kind of wave: {', '.join(KINDS)}")
        if len(self.t) < 2 or not np.all(np.diff(self.t) > 0):
            raise WaveError(f"{self.name}: times must increase, and be two or more")
        for (l, m), values in self.modes.items():
            if not (l >= 2 and abs(m) <= l):
                raise WaveError(f"{self.name}: there is no mode l = {l}, m = {m}")
            if len(values) != len(self.t):
                raise WaveError(f"{self.name}: mode l = {l}, m = {m} has {len(values)} values, but there are "
                                f"{len(self.t)} times")

    @property
    def name(self):
        """How messages call these waves."""
        return self.label or self.kind

    @property
    def l_max(self):
        return max(l for l, _ in self.modes)

    def mode(self, l, m):
        """One mode. Raises WaveError if it is not there."""
        try:
            return self.modes[l, m]
        except KeyError:
            raise WaveError(f"{self.name}: no mode l = {l}, m = {m}; there are l = 2 to {self.l_max}") from None

    def map(self, function, **changes):
        """Waves with function(values, l, m) in place of each mode, and other changes of members."""
        return replace(self, modes={lm: function(v, *lm) for lm, v in self.modes.items()}, **changes)

    def cut(self, first=-math.inf, last=math.inf):
        """The part from time `first` to `last`, both included."""
        inside = slice(np.searchsorted(self.t, first), np.searchsorted(self.t, last, "right"))
        return self.map(lambda v, l, m: v[inside], t=self.t[inside])

    def geometric(self, unit=None):
        """The same with the holes' masses together, or another mass, as the unit: t/M, and r h/M, r news or r M psi4."""
        unit = unit or self.mass
        scale = unit ** -UNIT_POWER[self.kind]
        return self.map(lambda v, l, m: v * scale, t=self.t / unit, radius=self.radius / unit, areal=self.areal / unit, mass=1.0,
                        start=None if self.start is None else self.start / unit)

    def total(self):
        """sqrt(sum over modes |mode|^2): what has its peak at the merger, whatever the frame. [n]"""
        return np.sqrt(sum(np.abs(v) ** 2 for v in self.modes.values()))


def phase(values):
    """Continuous phase of a complex mode, radians; it falls where the wave turns as exp(-i w t). [n]"""
    return np.unwrap(np.angle(values))
