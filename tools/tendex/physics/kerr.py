"""Slowest quasi-normal mode (n = 0) of a rotating black hole by Leaver's continued fractions.

Proc. R. Soc. A 402, 285 (1985), with that paper's unit 2 M = 1 inside: three-term recurrences of the
angular (eq. 20) and the radial function (eqs. 25 and 26) have solutions that stay finite where w and
the separation constant A make both continued fractions zero.
"""

import numpy as np
from scipy.optimize import root

SPIN_WEIGHT = -2
ANGULAR_TERMS, RADIAL_TERMS = 40, 300
LARGEST_STEP = 0.1  # of -log(1 - |a/m|) in the continuation from a = 0


def fraction(alpha, beta, gamma, middle=0):
    """beta_k - alpha_k-1 gamma_k / (beta_k-1 - ... / beta_0) - alpha_k gamma_k+1 / (beta_k+1 - ...),
    k = `middle`: zero where the recurrence has its minimal solution, whatever k is."""
    product = (alpha[:-1] * gamma[1:]).tolist()
    beta = beta.tolist()
    below = above = 0
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


def radial(omega, separation, a, m):
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
    return fraction(alpha, beta, gamma)


def solve(l, m, chi, omega, separation):
    """(omega, A) at spin chi from a guess nearby; 2 M = 1."""

    def off(x):
        w, separation = complex(x[0], x[1]), complex(x[2], x[3])
        f, g = radial(w, separation, chi / 2, m), angular(w, separation, chi / 2, l, m)
        return [f.real, f.imag, g.real, g.imag]

    guess = [omega.real, omega.imag, separation.real, separation.imag]
    found = root(off, guess, method="hybr", options={"xtol": 1e-13})
    if not np.abs(found.fun).max() < 1e-8:
        raise ArithmeticError(f"no quasi-normal mode found for l = {l}, m = {m}, a/m = {chi:g}")
    return complex(*found.x[:2]), complex(*found.x[2:])


def quasinormal(l, m, chi):
    """M w of the mode l, m, n = 0 that goes like exp(i m phi - i w t), Re w > 0, for spin chi = a/m,
    -1 < chi < 1. With chi < 0 the mode turns against the hole."""
    return quasinormals(l, m, [chi])[0]


def quasinormals(l, m, spins):
    """[n] the same of spins of one sign, in order from 0 on: each is found from the one before."""
    for chi in spins:
        if l < 2 or abs(m) > l or not abs(chi) < 1:
            raise ValueError(f"no gravitational mode with l = {l}, m = {m}, a/m = {chi:g}")
    s = SPIN_WEIGHT
    # Of the light ring: (l + 1/2) and 1/2 over sqrt(27) M, the former without what spin 2 takes away.
    omega = 2 * (np.sqrt((l + 0.5) ** 2 - 2.4) - 0.49j) / np.sqrt(27)
    omega, separation = solve(l, m, 0.0, omega, complex(l * (l + 1) - s * (s + 1)))
    depth, found = 0.0, []
    for chi in spins:
        # Steps that shorten towards |chi| = 1, where the modes change fast.
        before, depth = depth, -np.log1p(-abs(chi))
        for d in np.linspace(before, depth, 1 + int(np.ceil((depth - before) / LARGEST_STEP)))[1:]:
            omega, separation = solve(l, m, np.copysign(-np.expm1(-d), chi), omega, separation)
        found.append(omega / 2)
    return found
