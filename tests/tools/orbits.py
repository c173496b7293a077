"""Orbits of two bodies of known eccentricity: Hamilton's equations of the 3PN ADM Hamiltonian (arXiv:gr-qc/9912092,
gr-qc/0105038), or of Newton's, with the loss of angular momentum by the quadrupole. Lengths in M, momenta in mu."""

import functools

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline
from scipy.optimize import brentq

TINY = 1e-20
FAR = 18.0  # orbits begin circular here: what is left of the start's own eccentricity has decayed at 10 to 12
PI2 = np.pi**2


def newton(r, p, L, nu):
    return (p**2 + (L / r) ** 2) / 2 - 1 / r


def third(r, p, L, nu):
    """The 3PN Hamiltonian over mu."""
    q, s, u = p * p, p * p + (L / r) ** 2, 1 / r
    h = s / 2 - u
    h += (3 * nu - 1) / 8 * s**2 - ((3 + nu) * s + nu * q) * u / 2 + u**2 / 2
    h += (1 - 5 * nu + 5 * nu**2) / 16 * s**3 - (1 + 3 * nu) * u**3 / 4
    h += ((5 - 20 * nu - 3 * nu**2) * s**2 - 2 * nu**2 * q * s - 3 * nu**2 * q**2) * u / 8
    h += ((5 + 8 * nu) * s + 3 * nu * q) * u**2 / 2
    h += (-5 + 35 * nu - 70 * nu**2 + 35 * nu**3) / 128 * s**4
    h += ((-7 + 42 * nu - 53 * nu**2 - 5 * nu**3) * s**3 + (2 - 3 * nu) * nu**2 * q * s**2
          + 3 * (1 - nu) * nu**2 * q**2 * s - 5 * nu**3 * q**3) * u / 16
    h += ((-27 + 136 * nu + 109 * nu**2) * s**2 / 16 + (17 + 30 * nu) * nu * q * s / 16
          + (5 + 43 * nu) * nu * q**2 / 12) * u**2
    h += ((-25 / 8 + (PI2 / 64 - 335 / 48) * nu - 23 / 8 * nu**2) * s
          - (85 / 16 + 3 * PI2 / 64 + 7 / 4 * nu) * nu * q) * u**3
    return h + (1 / 8 + (109 / 12 - 21 / 32 * PI2) * nu) * u**4


def slopes(h, r, p, L, nu):
    """Derivatives of h by r, p and L, by complex steps."""
    step = 1j * TINY
    return tuple(h(*x, nu).imag / TINY for x in ((r + step, p, L), (r, p + step, L), (r, p, L + step)))


def circular(h, r, nu):
    """L of a circular orbit."""
    return brentq(lambda L: slopes(h, r, 0.0, L, nu)[0], 0.5 * np.sqrt(r), 2.5 * np.sqrt(r), xtol=1e-14)


def radial(h, r, L, nu, d=1e-4):
    """(H_pp, radial frequency) of a circular orbit."""
    h_pp = slopes(h, r, d, L, nu)[1] / d
    h_rr = (slopes(h, r + d, 0.0, L, nu)[0] - slopes(h, r - d, 0.0, L, nu)[0]) / (2 * d)
    return h_pp, np.sqrt(h_pp * h_rr)


def solve(h, start, nu, t_end, least):
    """Until t_end or the distance `least'; states are r, p, L and the angle."""
    def rates(t, y):
        by_r, by_p, by_l = slopes(h, *y[:3], nu)
        return by_p, -by_r, -32 / 5 * nu * abs(by_l) ** (7 / 3), by_l

    def there(t, y):
        return y[0] - least
    there.terminal = True
    return solve_ivp(rates, (0.0, t_end), start, method="DOP853", rtol=1e-10, atol=1e-12, dense_output=True,
                     events=there)


@functools.cache
def shrunk(separation, nu, h):
    """(r, p, L) of a circle that has shrunk to a separation."""
    momentum = circular(h, FAR, nu)
    by_l = slopes(h, FAR, 0.0, momentum, nu)[2]
    slope = (circular(h, FAR + 1e-4, nu) - circular(h, FAR - 1e-4, nu)) / 2e-4
    sinks = -32 / 5 * nu * by_l ** (7 / 3) / slope / radial(h, FAR, momentum, nu)[0]
    return solve(h, (FAR, sinks, momentum, 0.0), nu, 1e6, separation).y[:3, -1]


@functools.cache
def start(separation, e, phase, nu, h=third):
    """(r, radial, tangential momentum) of an orbit that shrinks, from about `separation' times 1 + e cos(phase) on, where
    the phase grows."""
    r, p, L = shrunk(separation, nu, h)
    h_pp, omega = radial(h, r, L, nu)
    away = r * (1 + e * np.cos(phase))
    return away, p - e * r * omega * np.sin(phase) / h_pp, L / away


def orbit(state, nu, t_end, step=1.0, h=third):
    """(times, separations, angles) from (r, radial, tangential momentum) on."""
    r, p, tangential = state
    found = solve(h, (r, p, r * tangential, 0.0), nu, t_end, 5.0)
    t = np.arange(0.0, found.t[-1], step)
    y = found.sol(t)
    return t, y[0], y[3]


def turning(separation, e, phase, nu, h=third):
    """State (r, radial, tangential momentum) of an orbit with turning points p / (1 - e) and p / (1 + e), p = r (1 + e cos(phase)),
    which shrinks besides as a circle does."""
    p = separation * (1 + e * np.cos(phase))
    near, far = p / (1 + e), p / (1 - e)
    L = brentq(lambda L: h(far, 0.0, L, nu) - h(near, 0.0, L, nu), np.sqrt(p), 2 * np.sqrt(p))
    p_r = 0.0
    if abs(np.sin(phase)) > 1e-3:
        p_r = np.sign(np.sin(phase)) * brentq(lambda x: h(separation, x, L, nu) - h(far, 0.0, L, nu), 0.0, 0.3)
    # 64/5 nu / r^3 for Newton's; at 12 M it is 0.85 of that.
    sinks = 64 / 5 * 0.85 * nu / separation**3 / radial(h, separation, L, nu)[0]
    return separation, p_r - sinks, L / separation


def anomaly(h, r, p, L, nu):
    """Mean anomaly of a state, rad: from the periastron on, of the orbit without losses through it, less the momentum with which a
    circle of this L shrinks."""
    from_far = brentq(lambda x: circular(h, x, nu) - L, 6.0, 2 * r)
    slope = (circular(h, from_far + 1e-4, nu) - circular(h, from_far - 1e-4, nu)) / 2e-4
    h_pp, w = radial(h, from_far, L, nu)
    p = p + 32 / 5 * nu * slopes(h, from_far, 0.0, L, nu)[2] ** (7 / 3) / slope / h_pp

    def rates(t, y):
        by_r, by_p, _ = slopes(h, *y, L, nu)
        return by_p, -by_r

    def turns(t, y):
        return y[1]
    turns.direction = 1
    found = solve_ivp(rates, (0.0, 6 * np.pi / w), (r, p), method="DOP853", rtol=1e-10, atol=1e-12, events=turns).t_events[0]
    return float(-2 * np.pi * found[0] / (found[1] - found[0]) % (2 * np.pi))


def derivative(t, values, order):
    """Of complex values over time."""
    both = make_interp_spline(t, np.column_stack([values.real, values.imag]), k=9).derivative(order)(t)
    return both[:, 0] + 1j * both[:, 1]
