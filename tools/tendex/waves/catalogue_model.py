"""Models of waves that are fitted to catalogues, as LALSimulation has them: what they say of the binary of a run.

LALSimulation is not needed for anything else, and need not be there. The h of its models has the other sign than ours:
of slow binaries arg h44 = 2 arg h22, arg h33 = 3/2 arg h22 and arg h21 = 1/2 arg h22, up to pi for odd m
(arXiv:0710.0614, eq. 79), and theirs are off by pi, pi/2 and pi/2.
"""

import math

import numpy as np

from tendex.waves.modes import WaveError, Waves
from tendex.waves.spheres import frequency

MODELS = ("IMRPhenomTHM",)  # arXiv:2012.11923: no precession, l = 2 to 5
STEP = 0.25  # M
# The frequency with which a model begins, over that with which the other wave does.
EARLIER = 0.9
# The waves of LALSimulation have units; any will do.
SOLAR, MEGAPARSEC = 60.0, 400.0
# Spins that are off the orbital axis by less are taken for spins along it.
TILT = 1e-6


def beside(name, waves, begins, binary):
    """Waves of a model in geometric units, from before the frequency that those of (2,2) of `waves' have at the time
    `begins'. binary: ((m1, m2), (chi1 [3], chi2 [3])). Raises WaveError."""
    t, h = waves.t, waves.mode(2, 2)
    near = (t >= begins) & (t <= begins + 0.2 * (t[-1] - begins))
    if np.count_nonzero(near) < 2 or not h[near].any():
        raise WaveError(f"{waves.name}: shows no frequency of (2,2) after t = {begins:g} M, from where {name} could "
                        "begin")
    slowest = EARLIER * float(np.median(np.abs(frequency(t[near], h[near]))))
    return of(name, slowest, *binary)


def of(name, slowest, masses, chis):
    """Waves of a model in geometric units from a frequency of (2,2) on, angle per M."""
    try:
        import lal
        import lalsimulation
    except ImportError as e:
        raise WaveError(f"{name}: LALSimulation, which has this model, is not there ({e}): "
                        "python3 -m pip install lalsuite") from e
    if np.abs(np.array(chis)[:, :2]).max() > TILT:
        raise WaveError(f"{name}: has spins along z alone; these are {chis[0]} and {chis[1]}")
    (m1, chi1), (m2, chi2) = sorted(zip(np.array(masses) / sum(masses), np.array(chis)[:, 2]), reverse=True)
    second, distance = SOLAR * lal.MTSUN_SI, MEGAPARSEC * 1e6 * lal.PC_SI
    start = slowest / (2 * math.pi * second)
    try:
        series = lalsimulation.SimIMRPhenomTHM_Modes(
            m1 * SOLAR * lal.MSUN_SI, m2 * SOLAR * lal.MSUN_SI, float(chi1), float(chi2), distance, STEP * second,
            start, start, 0.0, None)
    except RuntimeError as e:
        raise WaveError(f"{name}: LALSimulation makes no wave of (2,2) that begins with M w = {slowest:.4g}: {e}"
                        ) from e
    modes = {}
    while series is not None:
        modes[series.l, series.m] = -series.mode.data.data * (distance / (SOLAR * lal.MRSUN_SI))
        series = series.next
    return Waves("strain", STEP * np.arange(len(modes[2, 2])), modes, label=name)
