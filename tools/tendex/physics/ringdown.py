"""Frequency and damping of the slowest quasi-normal mode in a mode of psi4.

A window of the signal is fitted by y(t) = exp(-i w t) A, w = w_re + i w_im, w_im < 0 (for a real
signal the real part of it) with A found by linear least squares and w by nonlinear ones. No window is
special: the start of the window is moved over a range, and the median and the spread of what comes
out are reported. The first iterate comes from the data (matrix pencil), not from theory.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import least_squares

# Where windows begin after the peak, what they must hold, and how well their end is known, in M.
START_FIRST, START_LAST, START_STEP = 10.0, 25.0, 0.5
SHORTEST_WINDOW, END_WITHIN = 15.0, 0.5
# A window ends where the fitted amplitude has fallen to this many times the noise.
ABOVE_NOISE = 3.0
# In the largest real part: a mode whose imaginary part stays below this does not turn, it only has errors.
REAL = 1e-2
# The last extremum of at least this fraction of the largest is taken as the peak.
PEAK_FRACTION = 0.6


class FitError(ValueError):
    """The data do not hold a ringdown that can be fitted."""


@dataclass
class Fit:
    """One window: complex frequency (1/M), amplitude at the window's start, rms of the residual."""

    start: float
    end: float
    omega: complex
    amplitude: complex
    residual: float


@dataclass
class Ringdown:
    """Median over windows and the range that holds 90% of them."""

    omega: complex
    re_interval: tuple
    im_interval: tuple
    t_peak: float
    window: tuple  # earliest start and end, M
    starts: tuple  # earliest and latest start, M
    fits: list


def turns(y):
    """Does a mode turn in the complex plane, or is it real up to errors?"""
    return np.abs(y.imag).max() > REAL * np.abs(y.real).max()


def peak_time(t, y):
    """Time of the last extremum of |y| that reaches PEAK_FRACTION of the largest."""
    a = np.abs(y)
    top = np.flatnonzero((a[1:-1] >= a[:-2]) & (a[1:-1] > a[2:])) + 1
    if not top.size:
        raise FitError("the signal has no extremum: it ends before the ringdown")
    return t[top[a[top] >= PEAK_FRACTION * a[top].max()][-1]]


def pencil(t, y):
    """Complex frequency of the strongest damped mode of evenly sampled y, by the matrix pencil."""
    n = 60
    s = np.linspace(t[0], t[-1], n)
    z = np.interp(s, t, y.real) + 1j * np.interp(s, t, y.imag)
    hankel = np.array([z[i : i + n // 2] for i in range(n - n // 2)])
    left, _, _ = np.linalg.svd(hankel)
    order = 1 if np.iscomplexobj(y) else 2
    space = left[:, :order]
    poles = np.linalg.eigvals(np.linalg.lstsq(space[:-1], space[1:], rcond=None)[0])
    omegas = 1j * np.log(poles) / (s[1] - s[0])
    return omegas[np.argmax(omegas.real)] if order == 2 else omegas[0]


def project(t, y, omega):
    """Amplitude A of exp(-i omega (t - t0)) by linear least squares, and the residual (real numbers)."""
    wave = np.exp(-1j * omega * (t - t[0]))
    if np.iscomplexobj(y):
        amplitude = np.vdot(wave, y) / np.vdot(wave, wave)
        r = amplitude * wave - y
        return amplitude, np.concatenate([r.real, r.imag])
    basis = np.column_stack([wave.real, -wave.imag])
    a, *_ = np.linalg.lstsq(basis, y, rcond=None)
    return complex(a[0], a[1]), basis @ a - y


def fit_window(t, y, start, end, guess=None):
    """Fit one window. Raises FitError when it holds no damped oscillation."""
    inside = (t >= start) & (t <= end)
    if inside.sum() < 20:
        raise FitError(f"only {inside.sum()} samples between t = {start:g} and {end:g}")
    t, y = t[inside], y[inside]
    scale = np.abs(y).max()
    if not (np.isfinite(scale) and scale > 0):
        raise FitError(f"no finite signal between t = {start:g} and {end:g}")
    y = y / scale
    guess = pencil(t, y) if guess is None else guess
    best = least_squares(
        lambda w: project(t, y, complex(*w))[1], [guess.real, guess.imag], x_scale=[0.1, 0.1]
    )
    omega = complex(*best.x)
    amplitude, residual = project(t, y, omega)
    if not best.success or omega.imag >= 0 or abs(omega.real) * (t[-1] - t[0]) < np.pi:
        raise FitError(f"no damped oscillation between t = {start:g} and {end:g} (found {omega:.3g})")
    return Fit(start, end, omega, amplitude * scale, float(np.sqrt(np.mean(residual**2)) * scale))


def window_end(t, y, start):
    """Where the fitted amplitude falls to ABOVE_NOISE times the noise, at most the end of the data.

    Noise is the residual over the last third of what is left; the fit that defines it and the
    window are made to agree by a few iterations."""
    end = t[-1]
    for _ in range(4):
        fit = fit_window(t, y, start, end)
        late = (t >= start + 2 / 3 * (t[-1] - start)) & (t <= t[-1])
        wave = fit.amplitude * np.exp(-1j * fit.omega * (t[late] - fit.start))
        rest = y[late] - (wave if np.iscomplexobj(y) else wave.real)
        noise = max(np.sqrt(np.mean(np.abs(rest) ** 2)), 1e-12 * abs(fit.amplitude))
        fall = np.log(abs(fit.amplitude) / (ABOVE_NOISE * noise)) / -fit.omega.imag
        new = min(t[-1], max(start + fall, start + 2 * SHORTEST_WINDOW))
        if abs(new - end) < END_WITHIN:
            break
        end = new
    return end


def ringdown(t, y, mass=1.0):
    """Fit the ringdown of y(t), real or complex, in all windows; of a complex y that does not turn, the real part. t increases;
    mass: of the holes together, in its unit. Messages have times in M."""
    return in_unit(fitted(t / mass, y), mass)


def in_unit(found, mass):
    """A Ringdown over t/M as one over times of which `mass' are an M."""
    def later(times):
        return tuple(x * mass for x in times)
    fits = [replace(f, start=f.start * mass, end=f.end * mass, omega=f.omega / mass) for f in found.fits]
    return Ringdown(found.omega / mass, tuple(x / mass for x in found.re_interval), tuple(x / mass for x in found.im_interval),
                    found.t_peak * mass, later(found.window), later(found.starts), fits)


def fitted(t, y):
    """The Ringdown of y over t/M."""
    y = y if turns(y) else y.real
    t_peak = peak_time(t, y)
    first = t_peak + START_FIRST
    if t[-1] < first + SHORTEST_WINDOW:
        raise FitError(
            f"the signal ends at t = {t[-1]:.4g}, {t[-1] - t_peak:.3g} M after the peak: "
            f"at least {START_FIRST + SHORTEST_WINDOW:g} M are needed"
        )
    end = window_end(t, y, first)
    starts = np.arange(first, min(t_peak + START_LAST, end - SHORTEST_WINDOW) + 1e-9, START_STEP)
    fits = []
    for start in starts:
        try:
            fits.append(fit_window(t, y, start, end))
        except FitError:
            continue
    if 2 * len(fits) <= len(starts):
        raise FitError(f"only {len(fits)} of {len(starts)} windows hold a damped oscillation")
    omegas = np.array([f.omega for f in fits])
    return summarise(omegas, t_peak, end, starts, fits)


def summarise(omegas, t_peak, end, starts, fits):
    return Ringdown(
        omega=complex(np.median(omegas.real), np.median(omegas.imag)),
        re_interval=tuple(np.percentile(omegas.real, [5, 95])),
        im_interval=tuple(np.percentile(omegas.imag, [5, 95])),
        t_peak=float(t_peak),
        window=(float(starts[0]), float(end)),
        starts=(float(starts[0]), float(starts[-1])),
        fits=fits,
    )
