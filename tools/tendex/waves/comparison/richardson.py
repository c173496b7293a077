"""Order of convergence and Richardson's extrapolation from three spacings h_low > h_med > h_high, of any ratio.

What is computed at spacing h is y + c h^p. Then D_lm = y_low - y_med = c (h_l^p - h_m^p), D_mh = y_med - y_high, and

    D_lm / D_mh = (h_l^p - h_m^p) / (h_m^p - h_h^p),

which rises with p and is solved for it. The error of the finest is c h_h^p = D_mh h_h^p / (h_m^p - h_h^p).
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.integrate import trapezoid
from scipy.optimize import brentq

from tendex.waves.signal.modes import WaveError

# Orders beyond these say that the differences are not those of one power of h.
LEAST, MOST = 1.0, 10.0
# Between these an order is solved for at all.
LOWEST, HIGHEST = -10.0, 40.0
# For errors no higher order is believed: that of the stencils.
BELIEVED = 6.0
# Of two or three runs.
NAMES = {2: ("LOW", "HIGH"), 3: ("LOW", "MED", "HIGH")}
# Of the two differences as functions of time: with a smaller cosine between them they are not of one form.
ALIKE = 0.8


def ratio(p, h):
    """(h_l^p - h_m^p) / (h_m^p - h_h^p) of three spacings h; at p = 0 the limit."""
    low, high = np.log(h[0] / h[1]), np.log(h[1] / h[2])
    if abs(p) < 1e-9:
        return low / high
    return np.expm1(p * low) / -np.expm1(-p * high)


def order(h, of_differences):
    """p from D_lm / D_mh; nan where there is none between LOWEST and HIGHEST, as with a negative ratio."""
    if not ratio(LOWEST, h) < of_differences < ratio(HIGHEST, h):
        return float("nan")
    return float(brentq(lambda p: np.log(ratio(p, h) / of_differences), LOWEST, HIGHEST, xtol=1e-12))


@cache
def _table(h):
    """(orders, logarithms of their ratios), for three spacings."""
    table = np.linspace(LOWEST, HIGHEST, 5001)
    return table, np.log([ratio(p, h) for p in table])


def orders(h, low_med, med_high):
    """order() of arrays, from a table: to 1e-5."""
    table, known = _table(tuple(h))
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = np.log(low_med / med_high)
    return np.interp(wanted, known, table, left=np.nan, right=np.nan)


def remaining(h, p):
    """Error of the finest over D_mh, when the order is p."""
    return 1 / np.expm1(p * np.log(h[1] / h[2]))


def check(h):
    """Raises WaveError unless the spacings of two or three runs fall."""
    if not (all(a > b for a, b in zip(h, h[1:])) and h[-1] > 0):
        of = ", ".join(NAMES[len(h)])
        given = ", ".join(f"{x:.6g}" for x in h)
        raise WaveError(f"finest spacings {given} M of {of}: each must be smaller than the one before; give the runs from the coarsest to the "
                        "finest" + ("; runs of the same spacing tell no error" if len(set(h)) < len(h) else ""))


@dataclass(frozen=True)
class Estimate:
    """Of a number at three resolutions."""

    values: tuple  # low, med, high
    order: float  # nan: the differences do not converge
    converges: bool  # order between LEAST and MOST
    limit: float  # Richardson's, or nan
    error: float  # of the high one, |high - limit|; where it does not converge, the greatest difference


def number(h, values):
    """The Estimate of three values. With an order above BELIEVED the limit is that of BELIEVED."""
    low, med, high = (float(v) for v in values)
    p = order(h, (low - med) / (med - high)) if med != high else float("nan")
    good = bool(LEAST <= p <= MOST)
    if not good:
        return Estimate((low, med, high), p, False, float("nan"), max(abs(low - med), abs(med - high)))
    step = (med - high) * remaining(h, min(p, BELIEVED))
    return Estimate((low, med, high), p, True, high - step, abs(step))


@dataclass(frozen=True)
class Series:
    """Of a function of time at three resolutions."""

    low_med: np.ndarray  # [n] differences
    med_high: np.ndarray
    local: np.ndarray  # [n] order at each time; nan where there is none
    order: float  # from the norms of the differences
    alike: float  # cosine between them, 1 where they are of one form
    converges: bool
    why: str  # why not, in words; "" where it does
    error: np.ndarray  # [n] of the high one, signed: high less the limit; where it does not converge, med less high


def overall(h, t, a, b):
    """(order, cosine, why it does not converge or "") from the differences a = low less med and b = med less high over
    the times t, by their norms."""
    size_a, size_b = (np.sqrt(trapezoid(x**2, t)) for x in (a, b))
    if not size_a * size_b > 0:
        return float("nan"), float("nan"), "two resolutions do not differ"
    alike = float(trapezoid(a * b, t) / (size_a * size_b))
    p = order(h, size_a / size_b)
    why = ""
    if not alike >= ALIKE:
        flips = sum(int(np.count_nonzero(np.diff(np.sign(x[x != 0])))) for x in (a, b))
        why = (f"the differences are not of one form (cosine {alike:.2f}, below {ALIKE:g}; they change sign {flips} "
               "times)")
    elif not LEAST <= p <= MOST:
        what = f"order {p:.2f}" if np.isfinite(p) else f"no order (the differences' ratio is {size_a / size_b:.3g})"
        why = f"{what}, outside {LEAST:g} to {MOST:g}"
    return p, alike, why


def late(h, t, a, b):
    """(first index, order) of the longest part at the end of the times t over which the differences a and b are those of
    one power of h, looked for in steps of a fortieth of t; None if it is not a quarter of them."""
    for first in np.linspace(0, 0.75 * (len(t) - 1), 31).astype(int):
        p, _, why = overall(h, t[first:], a[first:], b[first:])
        if not why:
            return int(first), p
    return None


def series(h, t, low, med, high):
    """The Series of three real functions at the same times; norms are integrals over all of t."""
    a, b = low - med, med - high
    p, alike, why = overall(h, t, a, b)
    error = b if why else b * remaining(h, min(p, BELIEVED))
    return Series(a, b, orders(h, a, b), p, alike, not why, why, error)
