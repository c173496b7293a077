"""Waves of a binary from a long inspiral to the ringdown, with junk radiation and noise, that are known in closed form but for splines.

The orbit's frequency is Newton's chirp, of (tc - t), which goes over into half of the frequency of the ringdown:

    Omega = (5 / (256 nu s))^(3/8) [Newton's with dOmega/dt = 96/5 nu Omega^(11/3)],   s = d log(1 + exp((tc - t)/d)) + s_end.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.interpolate import make_interp_spline

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.waves.signal import frame  # noqa: E402
from tendex.waves.signal.modes import Waves  # noqa: E402

STEP = 0.25
# h_lm over nu v^l or nu v^(l+1): of (2,2) 8 sqrt(pi/5), of the others about what a mass ratio of 2 has.
SIZES = {(2, 2): 6.34, (2, 1): 0.7, (3, 3): 1.6, (3, 2): 2.0, (4, 4): 5.0}
RINGS, DECAYS = 0.54, 12.0  # angle per time of (2,2), time


@dataclass
class Inspiral:
    """Strain of all modes over t from the time `first' on, the merger at 0."""

    first: float
    nu: float = 0.25
    eccentricity: float = 0.0  # at the first time
    cone: float = 0.0  # angle of the axis about which the orbit's precesses
    turns: float = 0.9  # rate of that, times Omega^(5/3)
    upright: float = None  # time at which the orbit's axis is that of the modes; without it, the first
    last: float = 120.0
    known: dict = field(default_factory=dict)

    def __post_init__(self):
        self.t = np.arange(self.first - 50, self.last, STEP)
        d = 6.0
        end = 5 / 256 / self.nu * (RINGS / 2) ** (-8 / 3)
        s = d * np.logaddexp(0, -self.t / d) + end
        self.omega = (5 / 256 / self.nu / s) ** (3 / 8)
        turned = make_interp_spline(self.t, self.omega, k=5).antiderivative()
        self.phi = turned(self.t) - turned(0.0)
        fades = np.exp(-np.logaddexp(0, 3 * (self.t - 5) / DECAYS) / 3)
        e = self.eccentricity * (self.omega / self.omega[200]) ** (-19 / 18) * fades
        if self.eccentricity:
            x = self.omega ** (2 / 3)
            mean = make_interp_spline(self.t, self.omega / (1 + 3 * x + 13.5 * x**2), k=5).antiderivative()(self.t)
            far = mean.copy()
            for _ in range(60):
                far = mean + e * np.sin(far)
            true = 2 * np.arctan2(np.sqrt(1 + e) * np.sin(far / 2), np.sqrt(1 - e) * np.cos(far / 2))
            true = true + 2 * np.pi * np.round((mean - true) / (2 * np.pi))
            r, angle = 1 - e * np.cos(far), self.phi + true - mean
        modes = {}
        for (l, m), size in SIZES.items():
            if m % 2 and abs(self.nu - 0.25) < 1e-6:
                continue
            v = self.omega ** ((l + (l + m) % 2) / 3)
            h = self.nu * size * v * np.exp(-1j * m * self.phi + 0.3j * l) * fades
            if self.eccentricity:
                swings = make_interp_spline(self.t, r**2 * np.exp(-1j * m * angle), k=9).derivative(2)(self.t) / (-(m * self.omega) ** 2)
                h = self.nu * size * v * fades * swings * np.exp(0.3j * l)
            modes[l, m], modes[l, -m] = h, (-1) ** l * np.conj(h)
        for l in sorted({l for l, _ in modes}):
            for m in range(-l, l + 1):
                modes.setdefault((l, m), np.zeros(len(self.t), complex))
        h = Waves("strain", self.t, modes)
        if self.cone:
            rate = self.turns * (self.omega / (1 + (self.omega / 0.08) ** 4) ** 0.25) ** (5 / 3) * fades
            angle = make_interp_spline(self.t, rate, k=5).antiderivative()
            angle = angle(self.t) - angle(self.first if self.upright is None else self.upright)
            h = frame.turned(h, frame.inverse(frame.about(np.array([np.sin(self.cone), 0, np.cos(self.cone)]), angle)))
        curve = make_interp_spline(self.t, np.stack(list(h.modes.values()), axis=1), k=9)

        def of(kind, order, sign=1):
            made = sign * curve.derivative(order)(self.t) if order else curve(self.t)
            return Waves(kind, self.t, dict(zip(h.modes, np.ascontiguousarray(made.T)))).cut(self.first, self.last - 10)
        self.strain, self.news, self.psi4 = of("strain", 0), of("news", 1), of("psi4", 2, -1)

    def orbits(self):
        """[n] over the times of the waves, from the first on."""
        angle = np.interp(self.strain.t, self.t, self.phi)
        return (angle - angle[0]) / (2 * np.pi)


def first_of(orbits, nu=0.25):
    """Time at which so many orbits are left until 0."""
    wave = Inspiral(-9000.0, nu)
    left = np.interp(0.0, wave.t, wave.phi) - wave.phi
    return float(np.interp(-2 * np.pi * orbits, -left, wave.t))


def with_junk(psi4, size, seed=1, noise=0.0, before=60.0):
    """The Waves as a run has them: nothing until so long before they begin, then a burst that is `size' times the wave, and noise [r psi4]."""
    random = np.random.default_rng(seed)
    step = psi4.t[1] - psi4.t[0]
    n = int(before / step)
    t = np.concatenate([psi4.t[0] - step * np.arange(n, 0, -1), psi4.t])
    come = 1 / (1 + np.exp(np.clip(-(psi4.t - psi4.t[0] - 12) / 1.5, -700, 700)))
    x = psi4.t - psi4.t[0]
    mirrored = all(np.allclose(v, (-1) ** l * psi4.modes[l, -m].conj()) for (l, m), v in psi4.modes.items())
    modes = {}
    for (l, m), v in sorted(psi4.modes.items(), key=lambda item: -item[0][1]):
        ring = np.exp(-0.5 * ((x - 18) / 5) ** 2) + np.exp(-(x - 12) / 6) * (1 - np.exp(-(x / 12) ** 4))
        side = np.exp(1j * random.uniform(0, 6)) if m or not mirrored else 1j ** (l % 2)
        burst = size * np.abs(v[:400]).max() * ring * np.cos(0.75 * x + random.uniform(0, 6)) * side
        if m < 0 and mirrored:
            modes[l, m] = (-1) ** l * modes[l, -m].conj()
            continue
        more = noise * (random.standard_normal(len(t)) + 1j * random.standard_normal(len(t)))
        modes[l, m] = np.concatenate([np.zeros(n), v * come + burst]) + more
    return Waves("psi4", t, modes, mass=psi4.mass)


class Source:
    """Waves of an Inspiral that begin at u = 0 with a burst of junk radiation, as synthetic.write_run takes them; so small
    that their energy is nothing."""

    def __init__(self, wave, junk=3.0, size=1e-3):
        self.wave, self.first = wave, wave.first
        self.peak = -wave.first
        dirty = with_junk(wave.psi4, junk, before=0.0)
        burst = {lm: v - wave.psi4.modes[lm] for lm, v in dirty.modes.items()}
        self.curves = {}
        for kind, waves in (("strain", wave.strain), ("news", wave.news), ("psi4", wave.psi4)):
            for lm, v in waves.modes.items():
                v = size * (v + burst[lm] * (kind == "psi4"))
                self.curves[kind, lm] = make_interp_spline(waves.t - self.first, np.stack([v.real, v.imag], axis=1), k=5)
        self.last = wave.strain.t[-1] - self.first

    def _at(self, kind, u, l, m):
        u = np.atleast_1d(np.asarray(u, float))
        if (kind, (l, m)) not in self.curves:
            return np.zeros(len(u), complex)
        inside = (u >= 0) & (u <= self.last)
        return np.where(inside, self.curves[kind, (l, m)](np.clip(u, 0, self.last)) @ [1, 1j], 0)

    def strain(self, u, l, m):
        return self._at("strain", u, l, m)

    def news(self, u, l, m):
        return self._at("news", u, l, m)

    def psi4(self, u, l, m):
        return self._at("psi4", u, l, m)

    def orbit(self, u):
        """(phi, dphi/du, 0)"""
        t = np.asarray(u, float) + self.first
        return np.interp(t, self.wave.t, self.wave.phi), np.interp(t, self.wave.t, self.wave.omega), 0 * t
