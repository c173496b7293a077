"""Retarded time at a sphere."""

import numpy as np


def retardation(areal, mass):
    """Tortoise coordinate r_* = R + 2M ln(R/(2M) - 1): t - r_* is the retarded time."""
    return areal + 2 * mass * np.log(areal / (2 * mass) - 1)
