"""Mass and spin of the Kerr hole that rings in a mode of psi4, and the frequency and damping of its slowest mode.

A window of the signal is fitted by y(t) = sum of A_k exp(-i w_k t) (for a real signal the real part of it): the slowest mode of l, m
and its first two overtones, with the w_k of a Kerr hole of mass M and spin a/m. M and a/m are found by nonlinear, the A_k by linear
least squares: variable projection (SIAM J. Numer. Anal. 10, 413 (1973), with Kaufman's derivatives, BIT 15, 49 (1975)). A mode with
m = 0 tells no spin: there the w_k are those of a hole without spin, times a free complex number. The mode of l - 1, m is fitted with
that of l, m, as harmonics of psi4 are spherical and those of the modes spheroidal (arXiv:1212.5553).

Further modes of the same hole, and the second overtone, are fitted where they lower the residual by more than noise would:

- the mirror mode, -conj(w) of l, -m, which turns the other way;
- l + 1, m, also for spheroidal harmonics;
- l + 1, m + 1, l - 1, m - 1 and l, m + 1: a hole that moves, or is not at the origin, mixes them.

No window is special: its start is moved over a range. The windows that leave least of the signal, within a factor, are taken, and
the median and the spread of what comes out are reported. Earlier ones hold higher overtones and what is no mode; later ones more
noise. The first iterate comes from the data (matrix pencil), not from theory.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import BSpline
from scipy.optimize import least_squares

from tendex.physics import kerr

# Where windows begin after the peak, what they must hold, and how well their end is known, in M.
START_FIRST, START_LAST, START_STEP = 0.0, 25.0, 1.0
SHORTEST_WINDOW, SAMPLES, END_WITHIN = 15.0, 20, 0.5
# Where the window of one mode begins after the peak, which gives the first iterate.
GUESS_START = 10.0
# Modes are chosen from every third of these windows.
SELECT_EVERY = 3
OVERTONES = 2
# A window ends where the fitted amplitude has fallen to this many times the noise.
ABOVE_NOISE = 3.0
# Windows are taken that leave at most so many times what the best one leaves; at least so many.
NEAR_BEST, LEAST_WINDOWS = 2.0, 5
# A further mode is fitted that takes this many times as much from the residual's sum of squares as noise would take with its amplitude.
# The second overtone, which is there, is left out where it takes less than so many times as much.
TELLS, TELLS_OVERTONE = 12.0, 4.0
# Fits whose frequency or damping is farther, relatively, from the first iterate took other modes for the slowest one.
FAR = 0.15, 0.4
# A mode of which the best window leaves more than this part, or whose damping is more uncertain than this part, is noise.
NOISE, UNCERTAIN = 0.3, 0.25
# Residual where modes grow beyond all numbers.
HUGE = 1e10
# A correlation of the residual below this ends its length.
UNCORRELATED = 0.2
# In the largest real part: a mode whose imaginary part stays below this does not turn, it only has errors.
REAL = 1e-2
# The last extremum of at least this fraction of the largest is taken as the peak.
PEAK_FRACTION = 0.6


class FitError(ValueError):
    """The data do not hold a ringdown that can be fitted."""


class NoFit(FitError):
    """A window of samples that cannot be fitted."""


@dataclass(frozen=True)
class Mode:
    """A quasi-normal mode of the hole: overtone n of l, m, or its mirror image."""

    l: int
    m: int
    n: int = 0
    mirror: bool = False

    def __str__(self):
        return f"mirror of {self.l},{-self.m},{self.n}" if self.mirror else f"{self.l},{self.m},{self.n}"


@dataclass
class Fit:
    """One window: complex frequency (1/M) of the slowest mode and the hole that has it, amplitudes of all modes at the window's start."""

    start: float
    end: float
    omega: complex
    mass: float  # None of modes that tell no spin
    chi: float
    amplitudes: np.ndarray
    left: float  # of the signal by the fit: norm of the residual over that of the signal
    noise: float  # what noise takes from `left' squared with each free number, square root
    omega_error: complex  # by the residual: of the real and of the imaginary part
    hole_error: tuple  # the same of the mass and of a/m


@dataclass
class Ringdown:
    """Median over the windows that leave least, the range that holds 90% of them, and errors: the root of the sum of squares of half
    that range and of what the residual makes uncertain."""

    omega: complex
    re_interval: tuple
    im_interval: tuple
    omega_error: complex  # of the real and of the imaginary part
    mass: tuple  # (median, low, high), or None of modes that tell no spin
    chi: tuple
    hole_error: tuple  # of the mass and of a/m
    modes: list  # Mode of each that was fitted
    left: float  # by the best window
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


class Hole:
    """Frequencies of modes with m > 0 over p = (M, artanh(a/m))."""

    def __init__(self, modes):
        self.modes = modes
        self.mirror = np.array([mode.mirror for mode in modes])
        curves = [kerr.over_spin(mode.l, mode.m, mode.n) for mode in modes]
        self.curve = BSpline(curves[0].t, np.column_stack([curve.c for curve in curves]), curves[0].k)
        self.slope = self.curve.derivative()

    def first(self, omega):
        mass, chi = kerr.of_frequency(omega, self.modes[0].l, self.modes[0].m)
        return [mass, np.arctanh(chi)]

    def frequencies(self, p):
        """[k] w of each mode, [k][2] its derivatives by p. A mode of l, -m is that of l, m about the opposite spin."""
        # Tables end where hardly any hole is.
        x = np.clip([p[1], -p[1]], np.arctanh(kerr.SLOWEST), np.arctanh(kerr.FASTEST))
        (along, against), (rise, fall) = self.curve(x) / p[0], self.slope(x) / p[0]
        w = np.where(self.mirror, -np.conj(against), along)
        return w, np.column_stack([-w / p[0], np.where(self.mirror, np.conj(fall), rise)])

    def hole(self, p):
        return float(p[0]), float(np.tanh(p[1]))

    def hole_slopes(self, p):
        return np.array([1.0, 1 - np.tanh(p[1]) ** 2])

    def allowed(self, p):
        return p[0] > 0 and kerr.SLOWEST <= np.tanh(p[1]) <= kerr.FASTEST


class Scale:
    """Frequencies of modes with m = 0 of a hole without spin, times p[0] + i p[1]."""

    def __init__(self, modes):
        self.modes = modes
        self.exact = np.array([kerr.quasinormal(mode.l, mode.m, 0.0, mode.n) for mode in modes])

    def first(self, omega):
        scale = omega / self.exact[0]
        return [scale.real, scale.imag]

    def frequencies(self, p):
        return complex(*p) * self.exact, np.column_stack([self.exact, 1j * self.exact])

    def hole(self, p):
        return None, None

    def hole_slopes(self, p):
        return np.zeros(2)

    def allowed(self, p):
        return p[0] > 0


class Free:
    """One mode of any frequency p[0] + i p[1]."""

    def frequencies(self, p):
        return np.array([complex(*p)]), np.array([[1, 1j]])

    def allowed(self, p):
        return p[1] < 0


class Projection:
    """Residual of a signal after the linear least squares, over the nonlinear parameters."""

    def __init__(self, t, y, family):
        self.t, self.y, self.family, self.p = t - t[0], y, family, None

    def at(self, p):
        """Set amplitudes, residual and derivatives (real numbers: of complex signals the imaginary parts follow the real ones)."""
        if self.p is not None and np.array_equal(p, self.p):
            return self
        self.p = np.array(p)
        real = not np.iscomplexobj(self.y)
        w, slopes = self.family.frequencies(p)
        waves = np.exp(-1j * np.outer(self.t, w))
        if not np.isfinite(waves).all():  # a step too far, which is not taken
            self.rest = np.full(len(self.t) * (1 if real else 2), HUGE)
            self.slopes, self.amplitudes = np.zeros((len(self.rest), 2)), None
            return self
        basis = np.hstack([waves.real, -waves.imag]) if real else waves
        q, r = np.linalg.qr(basis)
        a = np.linalg.lstsq(r, q.conj().T @ self.y, rcond=None)[0]
        rest = basis @ a - self.y
        self.amplitudes = a[: len(w)] + 1j * a[len(w) :] if real else a
        change = (-1j * self.t[:, None] * waves * self.amplitudes) @ slopes
        change = change.real if real else change
        change = change - q @ (q.conj().T @ change)
        self.omega = w[0], slopes[0]
        self.rest = rest if real else np.concatenate([rest.real, rest.imag])
        self.slopes = change if real else np.concatenate([change.real, change.imag])
        return self

    def best(self, first):
        """Least squares from a first guess. Raises NoFit."""
        with np.errstate(all="ignore"):
            try:
                found = least_squares(lambda p: self.at(p).rest, first, jac=lambda p: self.at(p).slopes, method="lm", max_nfev=100)
            except (ValueError, np.linalg.LinAlgError) as e:
                raise NoFit(str(e)) from e
        if not found.success or not self.family.allowed(found.x) or self.at(found.x).amplitudes is None:
            raise NoFit("no damped modes")
        return self.at(found.x)

    def variance(self):
        """Return the variance of the residual times the samples over which it is correlated: what noise takes with each free number."""
        n = len(self.t)
        rest = self.rest if len(self.rest) == n else self.rest[:n] + 1j * self.rest[n:]
        related = np.abs(np.fft.ifft(np.abs(np.fft.fft(rest, 2 * n)) ** 2)[:n])
        length = int(np.argmax(np.append(related, 0) <= UNCORRELATED * related[0]))
        free = max(len(self.rest) - 2 - 2 * len(self.amplitudes), 1)
        return (related[0] + 2 * related[1:length].sum()) / free


@dataclass
class Signal:
    """A signal over t/M from before its peak on, of which windows are fitted."""

    t: np.ndarray
    y: np.ndarray
    end: float
    omega: complex = None  # the first iterate

    def projection(self, start, family):
        inside = (self.t >= start) & (self.t <= self.end)
        if inside.sum() < SAMPLES:
            raise FitError(f"only {inside.sum()} samples between t = {start:.4g} and {self.end:.4g}: at least {SAMPLES} are needed")
        y = self.y[inside]
        if not np.isfinite(y).all() or not np.abs(y).max() > 0:
            raise FitError(f"no finite signal between t = {start:.4g} and {self.end:.4g}")
        return Projection(self.t[inside], y / np.abs(y).max(), family), np.abs(y).max()

    def fit(self, start, family, first):
        """The Fit of a window, and the parameters."""
        projected, scale = self.projection(start, family)
        found = projected.best(first)
        (omega, slopes), variance = found.omega, found.variance()
        covariance = variance * np.linalg.pinv(found.slopes.T @ found.slopes)
        off = omega - self.omega
        if not (abs(off.real) < FAR[0] * abs(self.omega.real) and abs(off.imag) < FAR[1] * abs(self.omega.imag)):
            raise NoFit(f"{omega:.3g} is not near {self.omega:.3g}")
        errors = [np.sqrt(s @ covariance @ s) for s in (slopes.real, slopes.imag)]
        hole_error = np.sqrt(np.diag(covariance)) * family.hole_slopes(found.p)
        size = np.linalg.norm(found.y)
        return Fit(start, self.end, omega, *family.hole(found.p), found.amplitudes * scale, float(np.linalg.norm(found.rest) / size),
                   float(np.sqrt(variance) / size), complex(*errors), tuple(hole_error)), found.p

    def guess(self, start):
        """Frequency of one mode, amplitude at the start."""
        projected, scale = self.projection(start, Free())
        first = pencil(projected.t, projected.y)
        found = projected.best([first.real, first.imag])
        omega = complex(*found.p)
        if not abs(omega.real) * found.t[-1] >= np.pi:
            raise NoFit("not half a period")
        return omega, found.amplitudes * scale

    def window_end(self, start, omegas, amplitudes):
        """Where the amplitude of the first mode falls to ABOVE_NOISE times the noise, at most the end of the data. Noise is what modes
        leave of the last third of the data."""
        late = self.t >= start + 2 / 3 * (self.t[-1] - start)
        wave = np.exp(-1j * np.outer(self.t[late] - start, omegas)) @ amplitudes
        rest = self.y[late] - (wave if np.iscomplexobj(self.y) else wave.real)
        noise = max(np.sqrt(np.mean(np.abs(rest) ** 2)), 1e-12 * abs(amplitudes[0]))
        fall = np.log(abs(amplitudes[0]) / (ABOVE_NOISE * noise)) / -omegas[0].imag
        return min(self.t[-1], start + fall)

    def first_end(self, start):
        """(window_end, frequency) of a fit of one mode; the two are made to agree by a few iterations."""
        for _ in range(4):
            try:
                omega, amplitude = self.guess(start)
            except NoFit as e:
                raise FitError(f"no damped oscillation between t = {start:.4g} and {self.end:.4g}: the mode is noise, or is no ringdown") from e
            before, self.end = self.end, max(self.window_end(start, np.array([omega]), amplitude), start + SHORTEST_WINDOW)
            if abs(self.end - before) < END_WITHIN:
                break
        return self.end, omega

    def starts(self, t_peak, every=1):
        last = min(t_peak + START_LAST, self.end - SHORTEST_WINDOW)
        return np.arange(t_peak + START_FIRST, last + 1e-9, START_STEP)[::every]

    def scan(self, t_peak, family, first, every=1):
        """[(Fit, parameters)] of all windows that can be fitted, that which leaves least first."""
        found = []
        for start in self.starts(t_peak, every):
            try:
                found.append(self.fit(start, family, first))
            except FitError:
                continue
        if not found:
            raise FitError("no window holds the modes of a Kerr hole: the mode is noise, or is no ringdown")
        return sorted(found, key=lambda one: one[0].left)


def family_of(modes):
    return Hole(modes) if modes[0].m else Scale(modes)


def further(l, m, real):
    """List modes that may be in the data beside l, m and its overtones."""
    mirrors = [] if real else [Mode(l, m, 0, True)]
    beside = [(l + 1, m)] + ([(l, m + 1), (l + 1, m + 1), (l - 1, m - 1)] if m else [(l - 1, m)])
    return mirrors + [Mode(a, b) for a, b in beside if a >= max(2, b)]


def chosen_modes(signal, t_peak, l, m, first):
    """(modes, (best Fit, parameters)): those that the data show. All are fitted, so that what is left is noise; then the one that tells
    least is left out, until all that remain tell something."""
    always = [Mode(l, m), Mode(l, m, 1)] + ([Mode(l - 1, m)] if m and l > max(2, m) else [])
    more = [Mode(l, m, n) for n in range(2, OVERTONES + 1)] + further(l, m, not np.iscomplexobj(signal.y))
    _, p = signal.scan(t_peak, family_of([one for one in always + more if one.n or one in always]), first, SELECT_EVERY)[0]
    while True:
        scanned = signal.scan(t_peak, family_of(always + more), p, SELECT_EVERY)
        best, p = scanned[0]
        # Overtones fade first: they tell in the earliest window that is taken.
        early = min((fit for fit, _ in scanned if fit.left <= NEAR_BEST * best.left), key=lambda fit: fit.start)
        told = []
        for mode in more:
            without = [one for one in always + more if one != mode]
            told.append(tells(signal, early, without, p) / TELLS_OVERTONE if mode.n else tells(signal, best, without, p) / TELLS)
        if not more or min(told) > 1:
            return always + more, (best, p)
        del more[int(np.argmin(told))]


def tells(signal, best, without, p):
    """Return how much of the residual's sum of squares a mode takes, over what noise would take with its amplitude."""
    try:
        fit, _ = signal.fit(best.start, family_of(without), p)
    except FitError:
        return np.inf
    return (fit.left**2 - best.left**2) / (2 * best.noise**2) if best.noise > 0 else np.inf


def ringdown(t, y, l, m, mass=1.0, guess=None):
    """Fit the ringdown of mode l, m, y(t), real or complex; of a complex y that does not turn, the real part. t increases; mass: of the
    holes together, in its unit. Messages have times in M. guess: (mass, a/m) where the iteration begins, for modes in which others
    are stronger. Raises FitError."""
    first = None if guess is None else (guess[0] / mass, guess[1])
    return in_unit(fitted(t / mass, y if m >= 0 else np.conj(y), l, abs(m), first), mass, m < 0)


def in_unit(found, mass, mirrored=False):
    """A Ringdown over t/M as one over times of which `mass' are an M; mirrored: of the complex conjugate."""
    def omega(w):
        return (-np.conj(w) if mirrored else w) / mass

    def times(values, factor):
        return None if values is None else tuple(x if x is None else x * factor for x in values)
    fits = [replace(f, start=f.start * mass, end=f.end * mass, omega=omega(f.omega), omega_error=f.omega_error / mass,
                    mass=None if f.mass is None else f.mass * mass, hole_error=(f.hole_error[0] * mass, f.hole_error[1]))
            for f in found.fits]
    re_interval = tuple(sorted(omega(x).real for x in found.re_interval))
    modes = [replace(mode, m=-mode.m) for mode in found.modes] if mirrored else found.modes
    return replace(found, omega=omega(found.omega), modes=modes, re_interval=re_interval, im_interval=times(found.im_interval, 1 / mass),
                   omega_error=found.omega_error / mass, mass=times(found.mass, mass),
                   hole_error=(found.hole_error[0] * mass, found.hole_error[1]), t_peak=found.t_peak * mass,
                   window=times(found.window, mass), starts=times(found.starts, mass), fits=fits)


def fitted(t, y, l, m, guess):
    """The Ringdown of y over t/M, m >= 0."""
    y = y if turns(y) else y.real
    t_peak = peak_time(t, y)
    start = t_peak + GUESS_START
    if t[-1] < start + SHORTEST_WINDOW:
        raise FitError(
            f"the signal ends at t = {t[-1]:.4g}, {t[-1] - t_peak:.3g} M after the peak: "
            f"at least {GUESS_START + SHORTEST_WINDOW:g} M are needed"
        )
    signal = Signal(t, y, t[-1])
    signal.end, omega = signal.first_end(start)
    clockwise = omega.real < 0
    if clockwise:
        signal.y, omega = np.conj(y), complex(-omega.real, omega.imag)
    try:
        family = family_of([Mode(l, m)])
        first = family.first(omega) if guess is None or not m else [guess[0], np.arctanh(-guess[1] if clockwise else guess[1])]
        signal.omega = family.frequencies(first)[0][0]
    except kerr.NoHole as e:
        raise FitError(str(e)) from e
    found = summarise(*windows(signal, t_peak, l, m, first), clockwise)
    if found.omega_error.imag > -UNCERTAIN * found.omega.imag:
        raise FitError(f"the mode is too noisy: the damping is uncertain by {-100 * found.omega_error.imag / found.omega.imag:.0f}%, "
                       f"as the best window leaves {100 * found.left:.2g}% of the signal")
    return found


def windows(signal, t_peak, l, m, first):
    """([Fit] of the windows that leave least, modes, time of the peak)."""
    modes, (best, p) = chosen_modes(signal, t_peak, l, m, first)
    family = family_of(modes)
    signal.end = max(signal.window_end(best.start, family.frequencies(p)[0], best.amplitudes), best.start + SHORTEST_WINDOW)
    scanned = [fit for fit, _ in signal.scan(t_peak, family, p)]
    if scanned[0].left > NOISE:
        raise FitError(f"the mode is noise: the best window leaves {100 * scanned[0].left:.0f}% of the signal")
    near = [fit for k, fit in enumerate(scanned) if k < LEAST_WINDOWS or fit.left <= NEAR_BEST * scanned[0].left]
    return sorted(near, key=lambda fit: fit.start), modes, t_peak


def middle(values):
    """(median, ends of the range that holds 90%)"""
    return tuple(float(x) for x in np.percentile(values, [50, 5, 95]))


def error(spread, errors):
    """The root of the sum of squares of half a range and the median of errors."""
    return float(np.hypot((spread[2] - spread[1]) / 2, np.median(errors)))


def summarise(fits, modes, t_peak, clockwise):
    sign = -1 if clockwise else 1
    fits = [replace(f, omega=complex(sign * f.omega.real, f.omega.imag), chi=f.chi and sign * f.chi) for f in fits]
    omegas, errors = np.array([f.omega for f in fits]), np.array([f.omega_error for f in fits])
    re, im = middle(omegas.real), middle(omegas.imag)
    hole, hole_error = (None, None), (0.0, 0.0)
    if fits[0].mass is not None:
        hole = middle([f.mass for f in fits]), middle([f.chi for f in fits])
        hole_error = tuple(error(one, [f.hole_error[k] for f in fits]) for k, one in enumerate(hole))
    return Ringdown(
        omega=complex(re[0], im[0]),
        re_interval=re[1:],
        im_interval=im[1:],
        omega_error=complex(error(re, errors.real), error(im, errors.imag)),
        mass=hole[0],
        chi=hole[1],
        hole_error=hole_error,
        modes=modes,
        left=min(f.left for f in fits),
        t_peak=float(t_peak),
        window=(float(fits[0].start), float(fits[0].end)),
        starts=(float(fits[0].start), float(fits[-1].start)),
        fits=fits,
    )
