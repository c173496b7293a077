"""psi4 at infinity from one sphere, by perturbation theory of a black hole.

Outgoing waves exp(-i w t) about a hole of mass M are, with R the areal radius, r_* = R + 2M ln(R/2M - 1), and psi4 in
Kinnersley's tetrad,

  R psi4 = f(R) exp(i w r_*),   f = 1 + c1/R + c2/R^2 + ...,
  2 i w (n+1) c_(n+1) = (n (n-3) - (l-1)(l+2)) c_n - 2M (n-2)(n-4) c_(n-1),   c_0 = 1, c_(-1) = 0:

the solution of Teukolsky's radial equation (Astrophys. J. 185, 635, eq. 4.9 with s = -2, a = 0) that goes out only. So

  R psi4 at infinity = (1 - 2M/R) / f(R) times R psi4,

where 1 - 2M/R leads to that tetrad from that of observers at rest (observers.py makes psi4 theirs). There M is the mass inside
the sphere, which falls as waves leave. R falls with time, by 1% in
1000 M at r = 37.5 M, as the gauge settles: R - 2M is that at each time, in f it is the median, and M is that at first. Nakano, Healy, Lousto and
Zlochower (arXiv:1503.00718, eq. 29) have 1/f to second order in 1/R, as integrals over time. That is a series in
l/(R w), which at the start of an inspiral hardly converges: of l = 2 it is off by 11% and 0.14 rad at R w = 2, by 0.6%
and 0.016 rad at R w = 4. Here f is solved for. Without M the c_n end with n = l+2; with it they are an asymptotic
series, whose sum is the solution of

  x^2 (1 - 2M x) f'' - (2x - 6M x^2 + 2 i w) f' - ((l-1)(l+2) + 6M x) f = 0,   f(0) = 1,

x = 1/R, that is smooth at x = 0: waves that come in go as exp(-2 i w/x).

Where R w is between 0.6 and 0.9 l psi4 nearly vanishes: |f| has a minimum, 0.34 for l = 2, 0.59 for l = 4; what is
slower is near field. Noise of such a w comes out large, and rings. Of one sphere alone below 1.25 times that R w, and below the cut-off,
1/f is held at what it is there; where it is smaller itself, as (R w)^(l+2), so large. That is wrong for what the wave has there: (2,1) of
an orbit of 0.03/M is as slow as that at 40 M. With several spheres it comes from all of them (`of_several'), with the f that it has.

The paper's terms with the spin a = chi M of the hole that is left lead, at infinity too, from spherical harmonics to
spheroidal ones. Catalogues want spherical ones; there spin comes in as a M / R^2 only: without M, Kerr's space in its
oblate coordinates is flat space, and to first order in a these are spherical coordinates. So chi = 0 is right for
them. With another, modes of spheroidal harmonics come out, to first order in a w: of the paper's terms those that this
needs in the tetrad of observers at rest, where d/dt acts on what is corrected for R already.
"""

import math
from functools import lru_cache

import numpy as np
from scipy.interpolate import CubicSpline

from tendex.waves.signal.ffi import derivative, each_filtered, falling
from tendex.waves.signal.modes import WaveError

# Collocation points of f in x: its relative error is below 1e-8 where it is used, l = 2 to 8.
POINTS = 32
# Values of R w at which f is solved for, in a factor of e, between these; in between a cubic spline, to 1e-6 where f is
# used. Below, where |1/f| is a hundredth or less, it is taken for what it is at the first.
DENSITY = 40
SLOWEST = 0.15  # times l
# R w from where on 1/f - 1 is taken to fall as 1/(R w): what comes next is 1e-6 for l = 2, 4e-5 for l = 4.
FASTEST = 1e3
# Below this times the R w at which 1/f is largest it is no larger than there.
CLEAR = 1.25
# Several spheres count up to that R w of the first, and fade out until this times it.
FADES = 1.5


def mixing(l, m):
    """2 / (l+1) times the matrix element of cos(theta) between harmonics (l, m) and (l+1, m) of spin weight -2: a w
    times it is how much of the one is in the spheroidal harmonic of the other. 0 for l = 1."""
    inside = (l + 3) * (l - 1) * (l + m + 1) * (l - m + 1) / ((2 * l + 1) * (2 * l + 3))
    return 2 / (l + 1) ** 2 * math.sqrt(max(inside, 0.0))


def outgoing(l, w, mu):
    """f at R of frequencies w = R omega, above 0, and of mu = M/R below 1/2. [len(w)]"""
    k = np.arange(POINTS + 1)
    x = 0.5 * (1 - np.cos(np.pi * k / POINTS))  # in units of 1/R
    ends = np.where((k == 0) | (k == POINTS), 2.0, 1.0) * (-1.0) ** k
    d = np.outer(ends, 1 / ends) / (x[:, None] - x + np.eye(POINTS + 1))
    d -= np.diag(d.sum(axis=1))
    fixed = (x**2 * (1 - 2 * mu * x))[:, None] * (d @ d) - (2 * x - 6 * mu * x**2)[:, None] * d
    fixed -= np.diag((l - 1) * (l + 2) + 6 * mu * x)
    rows = (fixed - 2j * np.asarray(w)[:, None, None] * d)[:, :-1]
    return np.linalg.solve(rows[..., 1:], -rows[..., :1])[:, -1, 0]


@lru_cache(maxsize=256)
def _outgoing(l, r, mass):
    """(f over R w of SLOWEST l to FASTEST, the least R w that is `clear')."""
    first = SLOWEST * l
    nodes = np.geomspace(first, FASTEST, math.ceil(DENSITY * math.log(FASTEST / first)))
    f = outgoing(l, nodes, mass / r)
    curve = CubicSpline(np.log(nodes), f)
    return (lambda size: curve(np.log(np.clip(size, first, FASTEST)))), CLEAR * nodes[np.abs(f).argmin()]


def _inverse(l, r, mass, size):
    """1/f at R w = size, of which 1/f - 1 falls as 1/(R w) from FASTEST on."""
    return 1 + (1 / _outgoing(l, r, mass)[0](size) - 1) * np.minimum(FASTEST / np.maximum(size, 1), 1)


def _signed(made, w):
    """Of parts exp(i w t), which are those of omega = -w."""
    return np.where(w > 0, made.conj(), made)


def to_infinity(l, r, mass):
    """factor(w, w0): 1/f at areal radius r for parts exp(i w t), a function of arrays of w and of the cut-off w0."""
    f, clear = _outgoing(l, r, mass)

    def factor(w, w0):
        size = r * np.maximum(np.abs(w), w0)
        near = np.abs(f(np.minimum(size, clear)))
        made = _inverse(l, r, mass, np.maximum(size, clear)) * np.minimum(np.abs(f(clear)) / near, 1)
        return _signed(made, w)
    return factor


@lru_cache(maxsize=16)
def _on_spheres(l, radii, mass, slow):
    """f [k][n] on spheres of these areal radii, of parts of |omega|, [n] as bytes: the same for all m."""
    slow = np.frombuffer(slow)
    return np.array([_outgoing(l, r, mass)[0](r * slow) for r in radii])


def of_several(l, radii, k, mass):
    """factor(w, w0) of sphere number k of several at these areal radii: what the factors of all make of R psi4 adds up to psi4 at
    infinity. The first counts alone where it is `clear'. Below, each is weighted with R^2, as what the correction leaves is thought to
    fall as 1/R, and with |f|^2 where that is below 1: where psi4 nearly vanishes on one sphere it does not on the others."""
    clear = _outgoing(l, radii[0], mass)[1]

    def factor(w, w0):
        w = np.asarray(w, float)
        slow = np.abs(w)
        share = falling((radii[0] * slow / clear - 1) / (FADES - 1))
        f = _on_spheres(l, tuple(radii), mass, slow.tobytes())
        weight = (np.minimum(np.abs(f), 1) * np.array(radii)[:, None]) ** 2
        made = share * weight[k] / (f[k] * weight.sum(axis=0))
        if k == 0:
            made = made + (1 - share) * _inverse(l, radii[0], mass, radii[0] * slow)
        return _signed(made, w)
    return factor


def perturbative(psi4, mass, chi=0.0, *, cutoff, areal=None, beside=(), number=0, inside=None):
    """Waves of psi4 at infinity, still over the sphere's time, from Waves of psi4 of observers at rest on one sphere.

    mass: in the unit of t; chi: of what is left, 0 for modes of spherical harmonics; cutoff: as in ffi.strain; areal:
    (t, R) arrays, the areal radius over time; without it psi4.areal stands for all times; beside: areal radii of spheres that
    it is one of, as in of_several, which its number is for; what is made is then its part of psi4; inside: [n] mass inside the sphere over time, without it `mass'."""
    if psi4.kind != "psi4" or math.isinf(psi4.radius):
        raise WaveError(f"{psi4.name}: is no psi4 through a sphere")
    if not psi4.areal > 2 * mass:
        raise WaveError(f"{psi4.name}: areal radius {psi4.areal:g} is not outside 2 M = {2 * mass:g}")
    r = psi4.areal
    scale = ((np.interp(psi4.t, *areal) if areal else r) - 2 * (mass if inside is None else inside)) / psi4.radius
    psi4 = psi4.map(lambda v, l, m: v * scale)

    # Of the first only what changes is filtered, so that ends are not tapered where nothing does.
    def change(l, w0):
        made = of_several(l, tuple(beside), number, mass) if len(beside) > 1 else to_infinity(l, r, mass)
        return lambda w: made(w, w0) - (number == 0)
    changes = each_filtered(psi4, cutoff, change).modes
    flat = psi4.map(lambda v, l, m: v * (number == 0) + changes[l, m], radius=math.inf, areal=math.inf)
    if chi == 0:
        return flat
    a = chi * mass
    slopes = {lm: derivative(psi4.t, v) for lm, v in flat.modes.items()}

    def spheroidal(v, l, m):
        v = v + 1j * a * mixing(l, m) * slopes.get((l + 1, m), 0)
        return v - 1j * a * mixing(l - 1, m) * slopes.get((l - 1, m), 0)
    return flat.map(spheroidal)
