"""Quasi-normal modes of a rotating black hole by Leaver's continued fractions.

Proc. R. Soc. A 402, 285 (1985), with that paper's unit 2 M = 1 inside: three-term recurrences of the
angular (eq. 20) and the radial function (eqs. 25 and 26) have solutions that stay finite where w and
the separation constant A make both continued fractions zero. Overtones are numbered by n, the slowest mode is n = 0.
"""

from functools import lru_cache

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.optimize import brentq

SPIN_WEIGHT = -2
ANGULAR_TERMS, RADIAL_TERMS = 40, 300
LARGEST_STEP = 0.25  # of -log(1 - |a/m|) in the continuation from a = 0
# Newton's method ends where w and A change by less than this, relatively, or fails after so many iterations.
CONVERGED, ITERATIONS = 1e-10, 30
# Relative step of its numerical derivatives.
DERIVATIVE = 1e-7
# Overtones up to this one are found from the expansion for large l.
LAST_OVERTONE = 3
# Spins of the tables over spin: nodes even in artanh.
SLOWEST, FASTEST, NODES = -0.95, 0.995, 25


class NoHole(ValueError):
    """No Kerr hole has such a frequency."""


def fraction(alpha, beta, gamma, middle=0, above=0):
    """beta_k - alpha_k-1 gamma_k / (beta_k-1 - ... / beta_0) - alpha_k gamma_k+1 / (beta_k+1 - ...),
    k = `middle`: zero where the recurrence has its minimal solution, whatever k is. above: what is taken from the last beta."""
    product = (alpha[:-1] * gamma[1:]).tolist()
    beta = beta.tolist()
    below = 0
    for k in range(middle):
        below = product[k] / (beta[k] - below)
    for k in range(len(beta) - 1, middle, -1):
        above = product[k - 1] / (beta[k] - above)
    return beta[middle] - below - above


def angular(omega, separation, a, l, m):
    s, n = SPIN_WEIGHT, np.arange(ANGULAR_TERMS)
    k1, k2, aw = abs(m - s) / 2, abs(m + s) / 2, a * omega
    alpha = -2 * (n + 1) * (n + 2 * k1 + 1)
    beta = (n * (n - 1) + 2 * n * (k1 + k2 + 1 - 2 * aw) - 2 * aw * (2 * k1 + s + 1)
            + (k1 + k2) * (k1 + k2 + 1) - (aw**2 + s * (s + 1) + separation))
    gamma = 2 * aw * (n + k1 + k2 + s)
    # At a = 0 this beta is the one that is zero, and the gammas are.
    return fraction(alpha, beta, gamma, l - max(abs(m), abs(s)))


def ratio(alpha, beta, gamma, wb):
    """Return the ratio of the last two coefficients of the minimal solution by a series in 1 / sqrt(n) that the recurrence gives, as in
    Phys. Rev. D 47, 5253 (1993). alpha, beta and gamma are polynomials of order 2 in n; wb: w sqrt(1 - 4 a^2)."""
    n = len(alpha) - 1
    a1, g1 = alpha[1] - alpha[0] - 1, gamma[1] - gamma[0] - 1
    first = -np.sqrt(-2j * wb)
    c = first**2
    second = (c + 0.5 - a1 + g1) / 2
    third = -(alpha[0] + beta[0] + gamma[0] + (a1 - g1 - 1) * second + (1 + g1) * c + second**2 - 3 * c * second + c**2) / (2 * first)
    return 1 + first / np.sqrt(n) + second / n + third / n**1.5


def radial(omega, separation, a, m, overtone):
    s, n = SPIN_WEIGHT, np.arange(RADIAL_TERMS)
    b = np.sqrt(1 - 4 * a**2)
    turn = (omega / 2 - a * m) / b
    c0 = 1 - s - 1j * omega - 2j * turn
    c1 = -4 + 2j * omega * (2 + b) + 4j * turn
    c2 = s + 3 - 3j * omega - 2j * turn
    c3 = (omega**2 * (4 + 2 * b - a**2) - 2 * a * m * omega - s - 1 + (2 + b) * 1j * omega - separation
          + (4 * omega + 2j) * turn)
    c4 = s + 1 - 2 * omega**2 - (2 * s + 3) * 1j * omega - (4 * omega + 2j) * turn
    alpha = n**2 + (c0 + 1) * n + c0
    beta = -2 * n**2 + (c1 + 2) * n + c3
    gamma = n**2 + (c2 - 3) * n + c4 - c2 + 2
    # Inverted at the overtone's number, its root is the most stable.
    return fraction(alpha, beta, gamma, overtone, -alpha[-1] * ratio(alpha, beta, gamma, omega * b))


def solve(l, m, chi, n, omega, separation):
    """(omega, A) of overtone n at spin chi from a guess nearby, by Newton's method; 2 M = 1."""

    def off(w, separation):
        return np.array([radial(w, separation, chi / 2, m, n), angular(w, separation, chi / 2, l, m)])

    x = np.array([omega, separation])
    for _ in range(ITERATIONS):
        here, h = off(*x), DERIVATIVE * (1 + np.abs(x))
        slopes = np.column_stack([(off(x[0] + h[0], x[1]) - here) / h[0], (off(x[0], x[1] + h[1]) - here) / h[1]])
        try:
            step = np.linalg.solve(slopes, -here)
        except np.linalg.LinAlgError:
            break
        x = x + step
        if not np.isfinite(x).all():
            break
        if np.abs(step).max() < CONVERGED * (1 + np.abs(x).max()):
            return complex(x[0]), complex(x[1])
    raise ArithmeticError(f"no quasi-normal mode found for l = {l}, m = {m}, n = {n}, a/m = {chi:g}")


def first_guess(l, n):
    """2 M w without spin by an expansion in 1 / (l + 1/2) (arXiv:0908.0329)."""
    x, b, nn = 1 / (l + 0.5), 1 - SPIN_WEIGHT**2, n + 0.5
    series = (1 / x - 1j * nn + x * (b / 3 - 5 * nn**2 / 36 - 115 / 432)
              - 1j * nn * x**2 * (b / 9 + 235 * nn**2 / 3888 - 1415 / 15552))
    return 2 * series / np.sqrt(27)


def quasinormal(l, m, chi, n=0):
    """M w of overtone n of the mode l, m that goes like exp(i m phi - i w t), Re w > 0, for spin chi = a/m,
    -1 < chi < 1. With chi < 0 the mode turns against the hole. To 1e-8 up to n = 2 and |chi| = 0.9, n = 3 to 1e-7."""
    return quasinormals(l, m, [chi], n)[0]


def quasinormals(l, m, spins, n=0):
    """[k] the same of k spins of one sign, in order from 0 on: each is found from those before."""
    for chi in spins:
        if l < 2 or abs(m) > l or not abs(chi) < 1 or not 0 <= n <= LAST_OVERTONE:
            raise ValueError(f"no gravitational mode with l = {l}, m = {m}, n = {n}, a/m = {chi:g}")
    s = SPIN_WEIGHT
    last = before = solve(l, m, 0.0, n, first_guess(l, n), complex(l * (l + 1) - s * (s + 1)))
    depth, step, found = 0.0, 0.0, []
    for chi in spins:
        # Steps that shorten towards |chi| = 1, where the modes change fast.
        start, depth = depth, -np.log1p(-abs(chi))
        steps = int(np.ceil((depth - start) / LARGEST_STEP))
        for d in np.linspace(start, depth, 1 + steps)[1:]:
            new = (depth - start) / steps
            ahead = new / step if step else 0.0  # straight on from the last two
            guess = [a + ahead * (a - b) for a, b in zip(last, before)]
            before, last, step = last, solve(l, m, np.copysign(-np.expm1(-d), chi), n, *guess), new
        found.append(last[0] / 2)
    return found


@lru_cache(maxsize=None)
def over_spin(l, m, n=0):
    """Spline of M w of overtone n over artanh(a/m), SLOWEST <= a/m <= FASTEST, to 1e-6."""
    nodes = np.linspace(np.arctanh(SLOWEST), np.arctanh(FASTEST), NODES)
    spins = np.tanh(nodes)
    against, along = (spins[chosen] for chosen in (spins < 0, spins >= 0))
    exact = np.array([*quasinormals(l, m, against[::-1], n)[::-1], *quasinormals(l, m, along, n)])
    return make_interp_spline(nodes, exact, k=5)


def of_frequency(omega, l=2, m=2):
    """(M, a/m) of the Kerr hole whose mode l, m, n = 0 has the complex frequency omega, 1/M; Re omega of either sign: a
    wave that turns clockwise is about the opposite spin, whose a/m is then negative. Raises NoHole for a frequency that no
    hole has. From a table of exact modes by splines: to 1e-6."""
    curve = over_spin(l, m)
    ends = np.arctanh(SLOWEST), np.arctanh(FASTEST)
    wanted = abs(omega.real) / -omega.imag

    def off(x):
        exact = complex(curve(x))
        return np.log(-exact.real / exact.imag / wanted) if wanted > 0 else np.inf

    if not off(ends[0]) < 0 < off(ends[1]):
        weak = wanted > 0 and off(ends[1]) <= 0
        raise NoHole(f"M w = {omega:.4g}: no Kerr hole with a/m from {SLOWEST:g} to {FASTEST:g} rings in "
                     f"l = {l}, m = {m} with so {'weak' if weak else 'strong'} a damping")
    x = brentq(off, *ends, xtol=1e-13)
    spin = float(np.tanh(x))
    return float(curve(x).real) / abs(omega.real), spin if omega.real >= 0 else -spin
