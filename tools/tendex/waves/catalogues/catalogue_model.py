"""Models of waves that are fitted to catalogues, as LALSimulation, pyseobnr and NRSur7dq2 have them: what they say of the binary
of a run.

None is needed for anything else, and need not be there. The h of LALSimulation's models has the other sign than ours:
of slow binaries arg h44 = 2 arg h22, arg h33 = 3/2 arg h22 and arg h21 = 1/2 arg h22, up to pi for odd m
(arXiv:0710.0614, eq. 79), and theirs are off by pi, pi/2 and pi/2; so are those of NRSur7dq2. That of pyseobnr has ours.

Where spins are off the orbital axis they change, and a model needs them at a frequency of the orbit, in the axes of that
time: x from the lighter hole to the heavier one, z along the orbit's angular momentum. Those are the spins of the run's
horizons when the junk has left, and the frequency and the axes those of the punctures then. The modes come in the same
axes, which then stay where they are, and are turned into those of the run.
"""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from tendex.waves.extraction.spheres import frequency
from tendex.waves.signal import ffi, frame
from tendex.waves.signal.modes import WaveError, Waves

STEP = 0.25  # M
# The frequency with which a model begins, over that with which the other wave does.
EARLIER = 0.9
# The waves of LALSimulation have units, and pyseobnr wants them for the step; any will do.
SOLAR, MEGAPARSEC = 60.0, 400.0
SECOND = 4.925490947641267e-6  # of a solar mass, GM/c^3 (IAU 2015 and CODATA 2018)
# Effective-one-body orbits begin 10.5 M apart or further (arXiv:2004.09442).
SLOWEST_EOB = 0.05  # angle of (2,2) per M
# Where the waves of NRSur7dq2 begin and end, the peak of all modes together being at 0 (arXiv:1705.07089).
SURROGATE = -4500.0, 100.0
# Spins that are off the orbital axis by less are taken for spins along it.
TILT = 1e-6


@dataclass(frozen=True)
class Binary:
    """Of a run, its hole 1 first; spins [3] over mass squared."""

    mass: float  # unit of the waves, in that of `then'
    masses: tuple  # and the spins, of the initial data
    chis: tuple
    then: object  # metadata.Reference
    turn: float = 0.0  # of models in TURN: by how much both spins are turned about the orbit's axis, rad


def beside(name, waves, begins, binary):
    """Waves of a model in geometric units, from before the frequency that those of (2,2) of `waves' have at the time
    `begins'. Raises WaveError."""
    if not ffi.level(waves):
        waves = frame.turned(waves, frame.coprecessing(waves))
    t, h = waves.t, waves.mode(2, 2)
    near = (t >= begins) & (t <= begins + 0.2 * (t[-1] - begins))
    if np.count_nonzero(near) < 2 or not h[near].any():
        raise WaveError(f"{waves.name}: shows no frequency of (2,2) after t = {begins:g} M, from where {name} could "
                        "begin")
    slowest = EARLIER * float(np.median(np.abs(frequency(t[near], h[near]))))
    return of(name, slowest, binary)


def of(name, slowest, binary):
    """Waves of a model in geometric units from a frequency of (2,2) on, angle per M, or from an earlier one where the
    spins are those of an earlier time. Raises WaveError."""
    modes, turn = MODELS[name](name, slowest, binary)
    waves = Waves("strain", STEP * np.arange(len(modes[2, 2])), modes, label=name)
    return waves if turn is None else frame.turned(waves, turn)


def _not_there(name, library, package, error):
    return WaveError(f"{name}: {library}, which has this model, is not there ({error}): python3 -m pip install {package}")


def lalsimulation_modes(model, name, slowest, binary):
    """({(l, m): [n]}, quaternion into the run's axes or None) of one of the functions below."""
    try:
        import lal
        import lalsimulation
    except ImportError as e:
        raise _not_there(name, "LALSimulation", "lalsuite", e) from e
    second, distance = SOLAR * lal.MTSUN_SI, MEGAPARSEC * 1e6 * lal.PC_SI
    make, slowest, turn = model(lalsimulation, binary, slowest, 2 * math.pi * second)
    try:
        series = make(SOLAR * lal.MSUN_SI, distance, STEP * second)
    except RuntimeError as e:
        raise WaveError(f"{name}: LALSimulation makes no wave of (2,2) that begins with M w = {slowest:.4g}: {e}"
                        ) from e
    modes = {}
    while series is not None:
        modes[series.l, series.m] = -series.mode.data.data * (distance / (SOLAR * lal.MRSUN_SI))
        series = series.next
    return modes, turn


def pyseobnr_modes(model, name, slowest, binary):
    """The same of an effective-one-body model of pyseobnr; model: aligned_v5 or precessing_v5."""
    try:
        from pyseobnr.generate_waveform import generate_modes_opt
    except ImportError as e:
        raise _not_there(name, "pyseobnr", "pyseobnr", e) from e
    (ratio, *spins), slowest, options, turn = model(name, binary, min(slowest, SLOWEST_EOB))
    try:
        settings = {"M": SOLAR, "dt": STEP * SOLAR * SECOND} | options.pop("settings", {})
        _, found = generate_modes_opt(ratio, *spins, slowest / 2, approximant=name, settings=settings, **options)
    except (RuntimeError, ValueError) as e:
        raise WaveError(f"{name}: pyseobnr makes no wave of (2,2) that begins with M w = {slowest:.4g}: {e}") from e
    modes = {tuple(int(n) for n in key.split(",")): h for key, h in found.items()}
    if turn is None:  # the orbit is reflected at z = 0
        modes |= {(l, -m): (-1) ** l * np.conj(h) for (l, m), h in modes.items()}
    return modes, turn


def surrogate_modes(name, slowest, binary):
    """The same of NRSur7dq2, from 4500 M before the peak on if that is later; it interpolates between waves of SpEC. Raises WaveError."""
    try:
        from NRSur7dq2 import NRSurrogate7dq2
    except ImportError as e:
        raise _not_there(name, "the package NRSur7dq2", "NRSur7dq2", e) from e
    options, turn = {}, None
    if tilted(binary):
        ((m1, chi1), (m2, chi2)), reference, turn = of_orbit(name, binary)
        options["f_ref"] = reference / (2 * math.pi)
    else:
        (m1, chi1), (m2, chi2) = ((m, np.array([0, 0, chi])) for m, chi in along_z(name, binary))
    t = np.arange(*SURROGATE, STEP)
    try:
        found = NRSurrogate7dq2()(m1 / m2, chi1, chi2, t=t, **options)
    except Exception as e:  # the package has no other
        raise WaveError(f"{name}: is for mass ratios to 2, spins to 0.8 and the last 4500 M: {e}") from e
    speed = np.abs(np.gradient(np.unwrap(np.angle(found[2, 2])), t))
    first = max(0, int(np.argmax(speed > slowest)) - 1)
    return {lm: -h[first:] for lm, h in found.items()}, turn


def tilted(binary):
    """Whether the initial data have spins across the z axis."""
    return np.abs(np.array(binary.chis)[:, :2]).max() > TILT


def along_z(name, binary):
    """(mass, chi_z) of the heavier hole and of the lighter one, when the junk has left where that is known. Raises WaveError."""
    if tilted(binary):
        raise WaveError(f"{name}: has spins along z alone; these are {binary.chis[0]} and {binary.chis[1]}: take "
                        "IMRPhenomTPHM, SEOBNRv5PHM or NRSur7dq2")
    masses, chis = (binary.masses, binary.chis) if binary.then is None else (binary.then.masses, binary.then.chis)
    return sorted(zip(np.array(masses) / sum(masses), np.array(chis)[:, 2]), reverse=True)


def aligned(lalsimulation, binary, slowest, second):
    """(make(mass, distance, step) -> series of modes, where they begin, None) of spins along z; second: 2 pi M in s."""
    (m1, chi1), (m2, chi2) = along_z("IMRPhenomTHM", binary)
    start = slowest / second

    def make(mass, distance, step):
        return lalsimulation.SimIMRPhenomTHM_Modes(m1 * mass, m2 * mass, float(chi1), float(chi2), distance, step, start,
                                                   start, 0.0, None)
    return make, slowest, None


def effective_one_body(lalsimulation, binary, slowest, second):
    """The same of SEOBNRv4HM, as SEOBNRv4PHM has it of spins along z."""
    (m1, chi1), (m2, chi2) = along_z("SEOBNRv4HM", binary)
    slowest = min(slowest, SLOWEST_EOB)
    start = slowest / second

    def make(mass, distance, step):
        return lalsimulation.SimInspiralChooseTDModes(0.0, step, m1 * mass, m2 * mass, 0.0, 0.0, float(chi1), 0.0, 0.0,
                                                      float(chi2), start, start, distance, None, 5,
                                                      lalsimulation.SEOBNRv4PHM)
    return make, slowest, None


def of_orbit(name, binary):
    """((mass, chi [3]) of the heavier hole and of the lighter one, the angle of (2,2) per M, the quaternion into the run's
    axes) when the junk has left, in the axes of the orbit then. Raises WaveError."""
    then = binary.then
    if not then.omega:
        raise WaveError(f"{name}: needs the orbit when the junk has left, with the spins: the run has no tracks of "
                        f"two punctures that go round each other at t = {then.time:g}")
    one, two = (0, 1) if then.masses[0] >= then.masses[1] else (1, 0)
    line = then.positions[one] - then.positions[two]
    z = then.normal
    x = line - (line @ z) * z
    x = x / np.linalg.norm(x)
    axes = np.array([x, np.cross(z, x), z])
    turn = frame.about(frame.Z, binary.turn)
    holes = [(then.masses[hole] / sum(then.masses), frame.turn(turn, axes @ then.chis[hole])) for hole in (one, two)]
    return holes, 2 * then.omega * binary.mass, frame.inverse(frame.of_axes(*axes))


def precessing(lalsimulation, binary, slowest, second):
    """The same of any spins, with the quaternion that turns the model's axes into the run's. Raises WaveError."""
    ((m1, chi1), (m2, chi2)), reference, turn = of_orbit("IMRPhenomTPHM", binary)
    slowest = min(slowest, EARLIER * reference)

    def make(mass, distance, step):
        return lalsimulation.SimIMRPhenomTPHM_ChooseTDModes(m1 * mass, m2 * mass, *map(float, (*chi1, *chi2)), distance, step,
                                                            slowest / second, reference / second, None)
    return make, slowest, turn


def aligned_v5(name, binary, slowest):
    """((mass ratio, spins), where it begins, further arguments, quaternion into the run's axes or None) of SEOBNRv5HM."""
    (m1, chi1), (m2, chi2) = along_z(name, binary)
    return (m1 / m2, float(chi1), float(chi2)), slowest, {}, None


def precessing_v5(name, binary, slowest):
    """The same of SEOBNRv5PHM. Raises WaveError."""
    ((m1, chi1), (m2, chi2)), reference, turn = of_orbit(name, binary)
    options = {"omega_ref": reference / 2, "settings": {"enable_antisymmetric_modes": True}}
    return (m1 / m2, chi1, chi2), min(slowest, EARLIER * reference), options, turn


# arXiv:2012.11923, 1803.10701 and 2303.18039: no precession; 2105.05872, 2303.18046 and 1705.07089: any spins. l = 2 to 5.
MODELS = {"IMRPhenomTHM": partial(lalsimulation_modes, aligned), "SEOBNRv4HM": partial(lalsimulation_modes, effective_one_body),
          "SEOBNRv5HM": partial(pyseobnr_modes, aligned_v5), "IMRPhenomTPHM": partial(lalsimulation_modes, precessing),
          "SEOBNRv5PHM": partial(pyseobnr_modes, precessing_v5), "NRSur7dq2": surrogate_modes}
# Those whose spins need not stand as the run's do beside the line of the holes.
TURN = ("IMRPhenomTPHM", "SEOBNRv5PHM", "NRSur7dq2")


def in_plane(binary):
    """Whether spins have parts across the orbit's axis at the reference time."""
    then = binary.then
    return then is not None and max(np.linalg.norm(np.cross(chi, then.normal)) for chi in then.chis) > TILT
