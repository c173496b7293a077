"""What psi4 of earlier versions has at the poles of a sphere and nowhere else.

Their theta and phi were made orthonormal with the metric one after the other, phi first. On the axis that depends on the
direction from which it is approached, and psi4 had a value there that the points around it had not: of second order in the
wave, as psi4 conj(h), which hardly turns, so that its integral grows until the merger. Both poles are points of the
quadrature; where that is of degree 25, as with l up to 8, with -13 times the mean weight. So it is in all modes, in
proportion to the harmonics there: with m = 2 from z > 0 and m = -2 from z < 0, as sqrt(2l + 1), and at z < 0 as (-1)^l. It
falls as 1/R^2: in (2,2) of equal holes 1e-3 of the peak of psi4 at 75 M, and 1.2% of that of the strain.

The highest l, which have hardly anything else, tell what it is. Versions since then have a tetrad without a preferred
direction, and say so in the attribute `tetrad' of their file.
"""

import numpy as np

# In the attribute `tetrad' of files that have it.
TETRAD = "in the order phi, r, theta"
# From this highest l on it can be told from waves: (6,2) of mass ratios up to 4 is a few 1e-4 of (2,2).
ENOUGH = 6


def without(waves):
    """The Waves of psi4 without it: of m = 2 and -2 each, that of the highest l, which is then 0. As they are if that is
    below ENOUGH."""
    top = waves.l_max
    if top < ENOUGH:
        return waves

    def share(l, m):
        return np.sqrt((2 * l + 1) / (2 * top + 1)) * ((-1) ** (l + top) if m < 0 else 1)
    return waves.map(lambda v, l, m: v - share(l, m) * waves.modes[top, m] if abs(m) == 2 and (top, m) in waves.modes else v)


def notes(tetrad, spheres):
    """[what a reader has to know], of spheres of a file with this attribute `tetrad'."""
    if TETRAD not in tetrad:
        return []
    top = spheres[0].l_max
    if top < ENOUGH:
        return [f"psi4 of this version has false values at the poles, in modes with m = 2 and -2; l to {top} are too few to remove them"]
    return [f"psi4 of this version has false values at the poles: removed from modes with m = 2 and -2, by those of l = {top}"]
