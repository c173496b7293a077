"""Spin-weighted spherical harmonics of weight -2 (arXiv:0709.0093, eq. II.7-8)."""

from math import factorial, pi, sqrt

import numpy as np


def harmonic(l, m, theta, phi, spin=-2):
    """{spin}Y_lm at one direction or several, angles [...]: complex [...]."""
    s = -spin
    total, c, d = 0.0, np.cos(np.divide(theta, 2)), np.sin(np.divide(theta, 2))
    for k in range(max(0, m - s), min(l + m, l - s) + 1):
        below = factorial(l + m - k) * factorial(l - s - k) * factorial(k) * factorial(k + s - m)
        total = total + (-1) ** k * c ** (2 * l + m - s - 2 * k) * d ** (2 * k + s - m) / below
    root = sqrt(factorial(l + m) * factorial(l - m) * factorial(l + s) * factorial(l - s))
    return (-1) ** s * sqrt((2 * l + 1) / (4 * pi)) * root * total * np.exp(1j * m * np.asarray(phi))
