"""The Planck taper: from 1 to 0 with all derivatives continuous."""

import numpy as np


def falling(x):
    """From 1 for x <= 0 to 0 for x >= 1 with all derivatives continuous (the Planck taper, arXiv:1003.2939, eq. 7)."""
    inside = np.clip(x, 1e-9, 1 - 1e-9)
    z = np.clip(1 / (1 - inside) - 1 / inside, -700, 700)
    return np.where(x <= 0, 1.0, np.where(x >= 1, 0.0, 1 / (np.exp(z) + 1)))


def window(t, length):
    """1 within, and 0 at the ends, tapered over `length` at either. [n]"""
    return falling((t[0] + length - t) / length) * falling((t + length - t[-1]) / length)
