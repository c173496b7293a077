"""What the angular momentum J inside a sphere does to waves on their way out, to first order.

Waves exp(-i w t) of a mode with J . L -> m J about the axis of J have, far out, the wave number w - 2 m J/R^3: J drags them along
(K^2/Delta - lambda of Teukolsky's equation, Astrophys. J. 185, 635, to first order in a = J/M). So from R to infinity

- they are turned by J/R^2, the integral of 2 J/R'^3, about J;
- the strain, which goes as the wave number to the power -1/2, falls by the part m J/(w R^3);
- observers at R, who turn with 2 J/R^3, see the frequency w - 2 m J/R^3, and psi4 = w^2 h by the part 4 m J/(w R^3) smaller than
  observers far out would.

R psi4 at infinity is thus exp(-i J . L/R^2) (1 + 3 J . L/(w R^3)) times that at R, with 1/w = i times the integral over time. At 25 M that is 0.3%
of (2,2) at w = 0.1/M for J = 0.75 M^2. How far the sphere's points have turned is another matter (dragging.py).
"""

from dataclasses import replace

import numpy as np

from tendex.waves.extraction import dragging
from tendex.waves.signal import ffi


def about(vector, modes, l, m):
    """[n] mode (l, m) of vector . L f, f of {(l, m): [n]}; vector [n][3]."""
    x, y, z = vector.T
    up = np.sqrt((l - m + 1) * (l + m)) * modes.get((l, m - 1), 0.0)
    down = np.sqrt((l + m + 1) * (l - m)) * modes.get((l, m + 1), 0.0)
    return z * m * modes[l, m] + 0.5 * ((x - 1j * y) * up + (x + 1j * y) * down)


def undone(run, psi4, cutoff):
    """Waves of psi4 through a sphere of a Run as if nothing inside had angular momentum; cutoff: as in ffi.news. Of data that do not say J, as
    they are."""
    inside = dragging.inside(run, psi4)
    if inside is None:
        return psi4
    areal = np.interp(psi4.t, *run.areal(psi4.radius))[:, None]
    news, part = ffi.news(psi4, cutoff).modes, 3 * inside / areal**3
    larger = replace(psi4, modes={lm: v + 1j * about(part, news, *lm) for lm, v in psi4.modes.items()})
    return dragging.turned_back(larger, inside / areal**2)
