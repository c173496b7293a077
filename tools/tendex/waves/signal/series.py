"""What a page of plots shows, as plain series: of waves, tracks, horizons and norms, before anything is drawn."""

from dataclasses import dataclass
from math import factorial

import numpy as np
from scipy.special import lpmv

from tendex.physics import ringdown
from tendex.physics.orbit import ONE
from tendex.waves.signal import ffi, infinity
from tendex.waves.signal.modes import phase

# Of the peak: below this a phase is noise, and its derivative is not shown.
AUDIBLE = 0.02
# Modes whose peak is below this fraction of the strongest one's are not on a page.
NOTHING = 1e-6
OFF_PLANE = 0.02
# Peaks of m and -m that differ by less than this fraction are those of mirror images.
SAME = 1e-3


@dataclass
class Frequency:
    """Angular frequency of a mode, 1/M; nan where there is too little of it."""

    t: np.ndarray
    omega: np.ndarray
    turning: bool  # from the phase of a mode that turns; else from the times between zeros


def retarded(sphere, energy, areal):
    """R times the waves of a sphere over retarded time, R the areal radius, areal: (t, R) over time. Where there is no
    mass, energy = 0, retarded time is t - R."""
    if energy > 0:
        return infinity.retarded(sphere, energy, areal)
    radii = np.interp(sphere.t, *areal)
    u = sphere.t - radii
    return sphere.map(lambda v, l, m: v * radii / sphere.radius, t=u, start=infinity.begun(sphere, u))


def after(waves, first):
    """The part of waves from a retarded time on; all of them where nothing has come since."""
    return waves.cut(first=first) if (waves.t >= first).sum() > 1 else waves


def trusted(strain):
    """Strain without its end, where the integration fades modes with m = 0 out and has to guess how others go on, and without what comes before
    its first good time."""
    length = min(ffi.TAPER * strain.mass, ffi.LONGEST_TAPER * (strain.t[-1] - strain.t[0]))
    good = strain.start if strain.start is not None and strain.start < strain.t[-1] - length else strain.t[0]
    return strain.cut(good, strain.t[-1] - length)


def main_modes(waves, most=6):
    """[(l, m)] with the largest peaks, the largest first; of m and -m the one that is larger, m > 0 where equal."""
    peaks = {lm: np.abs(v).max() for lm, v in waves.modes.items()}
    mirrored = {(l, m) for l, m in peaks if m < 0 and peaks[l, m] <= (1 + SAME) * peaks.get((l, -m), -1)}
    mirrored |= {(l, -m) for l, m in peaks if m < 0 and (l, m) not in mirrored}
    floor = NOTHING * max(peaks.values(), default=0.0)
    shown = (lm for lm, p in peaks.items() if p > floor and lm not in mirrored)
    return sorted(shown, key=lambda lm: -peaks[lm])[:most]


def frequency(t, values, audible=AUDIBLE):
    """The Frequency of one mode where it is above `audible` times its peak: -d(phase)/dt where it turns; where it is
    real, pi over the time between neighbouring zeros, halfway between them. None if there are fewer than two."""
    loud = audible * np.abs(values).max()
    if ringdown.turns(values):
        omega = -np.gradient(phase(values), t)
        return Frequency(t, np.where(np.abs(values) > loud, omega, np.nan), True)
    y = values.real
    at = np.flatnonzero(y[:-1] * y[1:] < 0)
    zeros = t[at] - y[at] * (t[at + 1] - t[at]) / (y[at + 1] - y[at])
    swing = np.array([np.abs(y[a : b + 2]).max() for a, b in zip(at, at[1:])])
    middle, omega = (zeros[1:] + zeros[:-1]) / 2, np.pi / np.diff(zeros)
    return Frequency(middle, np.where(swing > loud, omega, np.nan), False) if len(zeros) > 1 else None


def separation(t, tracks):
    """(t, coordinate distance) of two punctures. [n], [n]"""
    return t, np.linalg.norm(tracks[0] - tracks[1], axis=1)


def nearest(tracks):
    """[distance [n] to the nearest of the others] of each puncture."""
    return [np.min([np.linalg.norm(x - other, axis=1) for b, other in enumerate(tracks) if b != a], axis=0)
            for a, x in enumerate(tracks)]


def orbital_frequency(t, tracks):
    """(t, |r x dr/dt| / r^2) of the line between two punctures, 1/M, while they are apart. [n], [n]"""
    apart = tracks[0] - tracks[1]
    square = np.sum(apart**2, axis=1)
    near = square < ONE**2 * square[0]
    n = int(np.argmax(near)) if near.any() else len(t)
    if n < 3:
        return np.empty(0), np.empty(0)
    velocity = np.gradient(apart[:n], t[:n], axis=0)
    return t[:n], np.linalg.norm(np.cross(apart[:n], velocity), axis=1) / square[:n]


def normals(t, tracks):
    """(t, unit vectors along r x dr/dt of the line between two punctures) while they are apart and turn. [n], [n][3]"""
    t, omega = orbital_frequency(t, tracks)
    apart = (tracks[0] - tracks[1])[:len(t)]
    turning = omega > 0
    if len(t) < 3 or not turning.any():
        return np.empty(0), np.empty((0, 3))
    along = np.cross(apart, np.gradient(apart, t, axis=0))[turning]
    return t[turning], along / np.linalg.norm(along, axis=1)[:, None]


def leave_plane(tracks):
    """Whether punctures are anywhere further than OFF_PLANE, in their first distance from the origin, from the plane of
    `plane_of'."""
    if not tracks:
        return False
    along = {"y": 1, "z": 2}[plane_of(tracks)]
    return bool(max(np.abs(x[:, along]).max() for x in tracks) > OFF_PLANE * max(np.linalg.norm(x[0]) for x in tracks))


def real_harmonic(l, m, cosine, phi):
    """Real, orthonormal Y_lm without the sign (-1)^m: of cos(m phi) for m > 0, of sin(|m| phi) for m < 0."""
    k = abs(m)
    here = (-1) ** k * np.sqrt((2 * l + 1) / (4 * np.pi) * factorial(l - k) / factorial(l + k)) * lpmv(k, l, cosine)
    if m == 0:
        return here
    return np.sqrt(2) * here * (np.cos(m * phi) if m > 0 else np.sin(k * phi))


def outline(centre, coefficients, plane, n=181):
    """Closed curve in which a surface r = sum a_lm Y_lm about `centre` cuts the plane through its centre where the
    coordinate `plane` ('y' or 'z') is constant. [n][3]"""
    angle = np.linspace(0, 2 * np.pi, n)
    direction = {"z": (np.cos(angle), np.sin(angle), 0 * angle), "y": (np.cos(angle), 0 * angle, np.sin(angle))}[plane]
    x, y, z = direction
    phi, radius, i = np.arctan2(y, x), np.zeros(n), 0
    for l in range(int(round(np.sqrt(len(coefficients))))):
        for m in range(-l, l + 1):
            radius = radius + coefficients[i] * real_harmonic(l, m, z, phi)
            i += 1
    return np.asarray(centre) + radius[:, None] * np.column_stack(direction)


def plane_of(tracks):
    """'y' or 'z': the coordinate along which the punctures move least, of these two."""
    if not tracks:
        return "z"
    reach = np.max([np.abs(x).max(axis=0) for x in tracks], axis=0)
    return "z" if reach[1] >= reach[2] else "y"


def norms(table):
    """{name: L2 norm [n]} of the Hamiltonian constraint, and of all components together of the momentum constraint and
    of the connection's, from the columns of constraints.asc."""
    parts = {"Hamiltonian": ["hamiltonian"], "momentum": [f"momentum_{x}" for x in "xyz"],
             "connection": [f"connection_{x}" for x in "xyz"]}
    return {name: np.sqrt(sum(table[f"{part}.norm2"] ** 2 for part in of)) for name, of in parts.items()
            if all(f"{part}.norm2" in table for part in of)}


def thinned(t, *values, most=4000):
    """Every k-th sample, so that a plot gets no more than `most`."""
    step = max(1, len(t) // most)
    return (t[::step], *(v[::step] for v in values))
