"""Spin-weighted spherical harmonics of weight -2 (arXiv:0709.0093, eq. II.7-8)."""

import cmath
from math import cos, factorial, pi, sin, sqrt


def harmonic(l, m, theta, phi, spin=-2):
    """{spin}Y_lm at one direction: complex."""
    s = -spin
    total = 0.0
    for k in range(max(0, m - s), min(l + m, l - s) + 1):
        below = factorial(l + m - k) * factorial(l - s - k) * factorial(k) * factorial(k + s - m)
        total += (-1) ** k * cos(theta / 2) ** (2 * l + m - s - 2 * k) * sin(theta / 2) ** (2 * k + s - m) / below
    root = sqrt(factorial(l + m) * factorial(l - m) * factorial(l + s) * factorial(l - s))
    return (-1) ** s * sqrt((2 * l + 1) / (4 * pi)) * root * total * cmath.exp(1j * m * phi)
