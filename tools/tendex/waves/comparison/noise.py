"""Noise of detectors: one-sided power spectral densities S(f), f in Hz, S in 1/Hz."""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np

from tendex.base import tables
from tendex.waves.comparison import noise_tables
from tendex.waves.signal.modes import WaveError

# sqrt(S) of every detector of today or planned is below this in its band, S itself far below; 1/sqrt(Hz).
LOUDEST_AMPLITUDE = 1e-17


@dataclass(frozen=True)
class Noise:
    """S(f); infinite where nothing is known of it."""

    name: str
    source: str
    density: Callable  # f [n] in Hz -> S [n] in 1/Hz
    lowest: float = 0.0  # Hz
    highest: float = np.inf  # Hz

    def __call__(self, f):
        """S at frequencies f >= 0 in Hz; infinite outside [lowest, highest]."""
        f = np.asarray(f, dtype=float)
        known = (f >= self.lowest) & (f <= self.highest)
        values = np.full(f.shape, np.inf)
        values[known] = self.density(f[known])
        return values


def aligo(f):
    """Advanced LIGO, zero-detuned, high power: arXiv:1107.1267, eq. 4.7."""
    x = f / 245.4
    return 1e-48 * (0.0152 * x**-4 + 0.2935 * x**2.25 + 2.7951 * x**1.5 - 6.5080 * x**0.75 + 17.7622)


def et_b(f):
    """Einstein Telescope, configuration B: arXiv:1005.0304, eq. 2.2-2.3."""
    x = f / 100.0
    return 1e-50 * (2.39e-27 * x**-15.64 + 0.349 * x**-2.145 + 1.76 * x**-0.12 + 0.409 * x**1.10) ** 2


def virgo(f):
    """Advanced Virgo: arXiv:1202.4031, eq. 6."""
    x = np.log(f / 300.0)
    return (1.259e-24 * (0.07 * np.exp(-0.142 - 1.437 * x + 0.407 * x**2)
                         + 3.1 * np.exp(-0.466 - 1.043 * x - 0.548 * x**2)
                         + 0.4 * np.exp(-0.304 + 2.896 * x - 0.293 * x**2)
                         + 0.09 * np.exp(1.466 + 3.722 * x - 0.984 * x**2))) ** 2


def kagra(f):
    """KAGRA: arXiv:1202.4031, eq. 5."""
    x = np.log(f / 100.0)
    return (6.499e-25 * (9.72e-9 * np.exp(-1.43 - 9.88 * x - 0.23 * x**2)
                         + 1.17 * np.exp(0.14 - 3.10 * x - 0.26 * x**2)
                         + 1.70 * np.exp(0.14 + 1.09 * x - 0.013 * x**2)
                         + 1.25 * np.exp(0.071 + 2.83 * x - 4.91 * x**2))) ** 2


def lisa(f):
    """LISA with four years of the galaxy's unresolved binaries, averaged over sky, inclination and polarisation: arXiv:1803.01944, eq. 1 and
    14, with eq. 10-11 and table 1."""
    arm, corner = 2.5e9, 19.09e-3  # m, Hz
    optical = 1.5e-11**2 * (1 + (2e-3 / f) ** 4)
    acceleration = 3e-15**2 * (1 + (0.4e-3 / f) ** 2) * (1 + (f / 8e-3) ** 4)
    moving = 2 * (1 + np.cos(f / corner) ** 2) * acceleration / (2 * np.pi * f) ** 4
    galaxy = 9e-45 * f ** (-7 / 3) * np.exp(-(f**0.138) - 221 * f * np.sin(521 * f)) * (1 + np.tanh(1680 * (1.13e-3 - f)))
    return 10 / (3 * arm**2) * (optical + moving) * (1 + 0.6 * (f / corner) ** 2) + galaxy


def _between(f, amplitudes):
    """The function of frequency between rows of f [k] and sqrt(S) [k]: log S is linear in log f."""
    log_f, log_s = np.log(f), 2 * np.log(amplitudes)
    return lambda x: np.exp(np.interp(np.log(x), log_f, log_s))


def _of_table(name, source, rows):
    f, amplitudes = np.array(rows, float).T
    return Noise(name, source, _between(f, amplitudes), f[0], f[-1])


FLAT = Noise("flat", "S = 1 at all frequencies", np.ones_like)
CURVES = {n.name: n for n in (
    FLAT,
    Noise("aligo", "Advanced LIGO, zero-detuned, high power, fit of arXiv:1107.1267 eq. 4.7", aligo, 10.0),
    Noise("virgo", "Advanced Virgo, fit of arXiv:1202.4031 eq. 6", virgo, 10.0),
    Noise("kagra", "KAGRA, fit of arXiv:1202.4031 eq. 5", kagra, 10.0),
    Noise("et-b", "Einstein Telescope B, fit of arXiv:1005.0304 eq. 2.2", et_b, 10.0),
    _of_table("aplus", "A+ design, LIGO-T2000012 (arXiv:1304.0670)", noise_tables.A_PLUS),
    _of_table("et-d", "Einstein Telescope D, arXiv:1012.0908", noise_tables.ET_D),
    _of_table("ce", "Cosmic Explorer 40 km, CE-T2000017 (arXiv:2201.10668)", noise_tables.CE_40),
    Noise("lisa", "LISA, fit of arXiv:1803.01944 eq. 1", lisa, 1e-4, 1.0),
)}


def read(path, amplitude=False):
    """The curve of a text file of two columns, f in Hz and S in 1/Hz, or sqrt(S) if `amplitude`. Between the
    rows log S is linear in log f. Raises WaveError."""
    rows = tables.read_foreign(path, WaveError)
    if rows.shape[1] < 2 or len(rows) < 2:
        raise WaveError(f"{path}: shape {rows.shape}; needed are rows of f in Hz and the noise at f")
    f, values = rows[:, 0], rows[:, 1]
    keep = f > 0
    f, values = f[keep], values[keep]
    if not (len(f) > 1 and np.all(np.diff(f) > 0) and np.all(values > 0) and np.isfinite(values).all()):
        raise WaveError(f"{path}: frequencies must increase, and the noise be positive and finite")
    squared = values**2 if amplitude else values
    if np.min(squared) > LOUDEST_AMPLITUDE**2:
        raise WaveError(f"{path}: S is {np.min(squared):g} / Hz at its least, which is no detector's; "
                        f"--psd takes S, --asd sqrt(S)")
    if amplitude and np.max(values) < LOUDEST_AMPLITUDE**2:
        raise WaveError(f"{path}: sqrt(S) is {np.max(values):g} at most, which is no detector's; is this S, for --psd?")
    return Noise(Path(path).name, str(path), _between(f, np.sqrt(squared)), f[0], f[-1])


def find(name, amplitude=False):
    """A curve of CURVES by name, or of a file. Raises WaveError."""
    if not amplitude and name in CURVES:
        return CURVES[name]
    if not Path(name).exists():
        raise WaveError(f"{name}: no such file, and no noise curve of that name; there are {', '.join(CURVES)}")
    return read(name, amplitude)
