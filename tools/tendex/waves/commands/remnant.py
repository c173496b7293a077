"""Report remnant mass, spin and kick, the radiated energy and momenta, and their balance.

Holes in the inspiral: masses and spins from their horizons, median and half the interquartile range before there is a common
horizon, without the first tenth of that time and, where they merge, the last. Remnant: mass, spin and their drift from the
common horizon, over the last quarter of the time since it was first seen.

Radiated: energy, angular and linear momentum of all modes (arXiv:0707.4654), through each sphere, and of psi4 at infinity by
perturbation theory from that sphere (perturbative.py). The result comes from the sphere that `extrapolate' chooses. Its error is
a third of the loss to dissipation that is put back, the finite-radius error, if it falls as 1/r, from a sphere further in, and what modes
of higher l would add, if they fall on from one pair of l to the next as they did. Both with and without the junk radiation of the initial data. The kick is the momentum of the waves over the mass of the remnant.

Ringdown of psi4 (2,2): mass and spin of the Kerr hole whose slowest mode and first two overtones fit it, and frequency and damping of
the slowest. The mirror mode, and modes that mix in as (3,2) and (3,3), are fitted where they are above the noise. Windows begin from 0 to
25 M after the peak, M the holes' initial masses together, where the fit leaves least; they end where the wave is noise. Errors are half
the range that holds 90% of the windows, and what the residual makes uncertain.

Energy and angular-momentum balance: initial data less remnant, against what was radiated. A remnant of momentum P, the initial
data's less the waves', has the energy sqrt(M_f^2 + P^2), and beside its spin the angular momentum x cross P. Spins have a sign where they are
along the orbit's angular momentum, or against it; a precessing one is a magnitude with a vector. Then times, orbits, peaks, modes of
odd m (0 up to errors for equal holes), and the eccentricity from the tracks.

    tendex-waves remnant out/bbh_q1 --json remnant.json
"""

import math

import numpy as np

from tendex.base.files import write_json
from tendex.physics import kerr, orbit, radiation, ringdown
from tendex.waves.commands import remnant_table
from tendex.waves.commands.arguments import add_start, frequency
from tendex.waves.extraction import radiated, standard
from tendex.waves.extraction.spheres import strongest
from tendex.waves.holes import hole
from tendex.waves.inspiral import eccentricity_run
from tendex.waves.reading.run import Run
from tendex.waves.signal import align, frame
from tendex.waves.signal.modes import WaveError, phase

SUMMARY = "report remnant mass, spin and kick, radiated energy and momenta, and their balance"
# A strain that is strongest below this many times its cut-off frequency owes that to the cut-off, as in short runs.
NEAR_CUTOFF = 1.3
# Of the hole that is left: the least a/m that has an axis, and the sine of an angle to z that is none.
SPINS, TILTED = 0.02, 1e-3
# Modes whose greatest values differ by less, relatively, are equally great: those of m and -m of one kind of motion.
EQUAL = 1e-9


def arguments(parser):
    parser.add_argument("folder", metavar="RUN", help="run folder, e.g. out/bbh_q1")
    parser.add_argument("--cutoff", type=frequency, metavar="W0",
                        help="cut-off of modes with m = 1 [1/M], an angular frequency; default: as in `strain'")
    add_start(parser)
    parser.add_argument("--json", metavar="FILE", help="write all numbers in full precision")


def run(args):
    folder = Run(args.folder)
    folder.start = args.start
    found = analyse(folder, standard.of_run(folder, cutoff=args.cutoff))
    print(remnant_table.text(found))
    if args.json:
        write_json(args.json, found)


def analyse(folder, waves):
    """All results as a dictionary for JSON; lengths in the run's unit but where a name says M. waves: what
    standard.of_run made of the run."""
    junk = folder.reference_time()
    searches = folder.searches()
    left = hole.horizon(searches, folder.mass)
    flux = radiated.of_run(folder, waves)
    mass = left.mass.value if left else folder.adm_energy - flux.value[0]
    mode, ring_mode = strongest(waves.psi4, junk), strongest(about_spin(waves.psi4, left), junk)
    return {
        "run": folder.name,
        "version": folder.version,
        "notes": list(waves.notes),
        "warnings": folder.warnings,
        "cutoff": waves.cutoff,
        "l_max": waves.strain.l_max,
        "flux_cutoff": radiated.CUTOFF_PART * waves.cutoff,
        "junk_until": junk,
        "initial": initial(folder),
        "orbit_axis": folder.orbit_axis,
        "holes": holes(searches, folder.orbit_axis),
        "horizon": horizon(left, folder.orbit_axis),
        "mode": mode,
        "ringdown_mode": ring_mode,
        "ringdown": rings(waves, ring_mode, left),
        "radiated": radiation_of(flux, mass),
        "balance": balance(folder, left, flux),
        "peak": peaks(folder, waves, mode, junk),
        "merger": merger(folder, left, waves.strain, mode, junk),
        "odd_m": odd(folder, waves, mode, junk),
        "eccentricity": eccentric(folder),
    }


def initial(folder):
    return {"adm_energy": folder.adm_energy, "adm_angular_momentum": folder.adm_angular_momentum,
            "masses": folder.masses, "mass": folder.mass, "chis": folder.chis}


def holes(searches, axis):
    """The two before the merger, from their horizons, None for one that was not found; None without any searches. Spins against the
    orbit's axis are below 0."""
    if searches is None:
        return None
    found = [hole.inspiral(searches, number) for number in (1, 2)]
    return [h and {"mass": vars(h.mass), "chi": vars(hole.signed(h.chi, h.vector, axis)), "chi_vector": h.vector, "window": h.window,
                   "samples": h.samples, "lost": h.lost} for h in found]


def horizon(left, axis):
    if left is None:
        return None
    means = {"mass": vars(left.mass), "chi": vars(hole.signed(left.chi, left.direction, axis)), "irreducible": vars(left.irreducible)}
    return {**means, "spin": [s.value for s in left.spin],
            "chi_vector": [s.value / left.mass.value**2 for s in left.spin], "window": left.window,
            "velocity_of_centre": left.velocity, "first_seen": left.first_seen, "first_mass": left.first_mass}


def about_spin(waves, left):
    """Waves with the axis of the hole that is left for z, on the side of z > 0; as they are where that is z, or where
    there is hardly a spin."""
    spin = left.direction if left else np.zeros(3)
    size = np.linalg.norm(spin)
    if not left or left.chi.value < SPINS or np.hypot(*spin[:2]) < TILTED * size:
        return waves
    return frame.turned(waves, frame.smallest(frame.Z, spin / math.copysign(size, spin[2])))


def rings(waves, mode, left):
    """What the ringdown of a mode fits, of psi4 at each sphere and at infinity, about the axis of the hole that is left:
    frequency, beside that of the hole that the horizon shows, and the Kerr hole that has it. Where m = 0, the frequency
    alone, which hardly tells a spin."""
    found = {}
    for one in (about_spin(one, left) for one in [*waves.spheres, waves.psi4]):
        name = "infinity" if math.isinf(one.radius) else f"{one.radius:.2f}"
        try:
            found[name] = ring(ringdown.ringdown(one.t, one.mode(*mode), *mode, one.mass), mode, left)
        except ringdown.FitError as e:
            found[name] = {"error": str(e)}
    return found


def ring(fit, mode, left):
    """Return the entries of one ringdown.Ringdown. Errors are those of the windows and of the residual."""
    error = fit.omega_error
    found = {"omega": [fit.omega.real, fit.omega.imag], "omega_interval": [fit.re_interval, fit.im_interval],
             "omega_error": [error.real, error.imag], "modes": [str(one) for one in fit.modes], "left": fit.left,
             "window": fit.window, "starts_after_peak": [start - fit.t_peak for start in fit.starts]}
    if left:
        # A wave that turns clockwise is the mirror image of one about the opposite spin.
        spin = math.copysign(left.chi.value, left.spin[2].value * fit.omega.real)
        exact = kerr.quasinormal(*mode, spin) / left.mass.value
        found["exact"] = [exact.real, exact.imag]
        found["off_percent"] = [100 * (abs(fit.omega.real) / exact.real - 1), 100 * (fit.omega.imag / exact.imag - 1)]
        found["off_percent_error"] = [100 * error.real / exact.real, -100 * error.imag / exact.imag]
    if fit.mass:
        found |= {"mass": fit.mass, "chi": fit.chi, "mass_error": fit.hole_error[0], "chi_error": fit.hole_error[1]}
    return found


def numbers(values):
    """{"E": .., "J": [3], "P": [3]} of a [7] in the order of fluxes.NAMES."""
    return {"E": values[0], "J": values[1:4], "P": values[4:7]}


def kick(momentum, mass):
    """Velocity of the hole, km/s, when the waves have taken this momentum."""
    return -np.asarray(momentum) / mass * hole.LIGHT_KM_S


def radiation_of(flux, mass):
    def of(total, late, velocity=kick):
        return {**numbers(total), "kick_km_s": velocity(total[4:], mass),
                "without_junk": {**numbers(late), "kick_km_s": velocity(late[4:], mass)}}

    def error(total, late):
        return of(total, late, lambda momentum, mass: np.abs(kick(momentum, mass)))

    spheres = [{"radius": s.radius, "areal": s.areal, **of(s.total, s.late),
                "corrected": of(s.corrected, s.corrected_late), "of_twice_the_cutoff": numbers(s.of_cutoff)}
               for s in flux.spheres]
    return {"spheres": spheres, "used": flux.used, "beyond": numbers(flux.beyond), "value": of(flux.value, flux.late),
            "error": error(flux.error, flux.late_error)}


def balance(folder, left, flux):
    """What the data had less what the hole has, beside what was radiated; None without a horizon. The hole moves with the momentum of
    the data less that of the waves."""
    if left is None:
        return None
    momentum = folder.adm_momentum - flux.value[4:7]
    energy = math.hypot(left.mass.value, *momentum)
    lacks_e = folder.adm_energy - energy
    lacks_j = folder.adm_angular_momentum - left.direction - np.cross(left.centre, momentum)
    size = np.linalg.norm(lacks_j)

    def off(total):
        """Percent; of J the component along what the hole lacks."""
        return {"E_percent": 100 * (total[0] / lacks_e - 1),
                "J_percent": 100 * (float(total[1:4] @ lacks_j) / size**2 - 1) if size > 0 else None}

    each = [{"radius": s.radius, **off(s.corrected)} for s in flux.spheres]
    return {"hole": {"momentum": momentum, "kinetic_energy": energy - left.mass.value}, "hole_lacks": {"E": lacks_e, "J": lacks_j}, "value": off(flux.value), "spheres": each}


def peaks(folder, waves, mode, junk):
    """Of a mode: strain and psi4 at infinity in units of the holes' masses, psi4 through the spheres in the run's."""
    found = {}
    for name, one in (("strain", waves.strain.geometric()), ("psi4", waves.psi4.geometric())):
        top = align.mode_peak(one, *mode, junk / folder.mass)
        found[name] = {"height_over_M": top["height"], "time_over_M": top["time"], "frequency_M": top["frequency"]}
    found["strain"]["near_cutoff"] = bool(mode[1]) and (
        found["strain"]["frequency_M"] < NEAR_CUTOFF * mode[1] * waves.cutoff * folder.mass)
    found["psi4_through"] = []
    for one in waves.spheres:
        first = junk + radiation.retardation(one.areal, folder.adm_energy)
        try:
            found["psi4_through"].append({"radius": one.radius, **align.mode_peak(one, *mode, first)})
        except WaveError:
            continue  # the data end before the peak is there
    return found


def merger(folder, left, wave, mode, junk):
    """When it merges, and how often the punctures and the wave turn until then. Of the wave: at retarded time."""
    times, tracks = folder.tracks()
    way = orbit.orbit(times, tracks, left.first_seen if left else None, folder.mass)
    top = align.peak_time(wave, first=junk)
    turns = None
    if mode[1]:
        angle = align.spline(wave.t, phase(wave.mode(*mode)))
        turns = abs(float(angle(top) - angle(junk))) / (2 * np.pi * mode[1])
    return {"common_horizon": left.first_seen if left else None, "peak_of_strain": top,
            "orbits_of_punctures": abs(way.orbits) if way else None, "orbits_until": way.end if way else None,
            "orbits_of_wave": turns}


def odd(folder, waves, mode, junk):
    """Greatest of modes of odd m over the greatest of `mode`, after the junk: of strain at infinity, and of psi4 through
    the spheres. None if there are no modes of odd m."""
    if not any(m % 2 for _, m in waves.strain.modes):
        return None
    (m1, m2), (chi1, chi2) = folder.masses, folder.chis
    equal = bool(abs(m1 / m2 - 1) < 1e-6 and np.abs(chi1 - chi2).max() < 1e-6)
    spheres = []
    for sphere in waves.spheres:
        late = sphere.cut(first=junk + radiation.retardation(sphere.areal, folder.adm_energy))
        spheres.append({"radius": sphere.radius, **odd_of(late, mode)})
    return {"equal_holes": equal, "strain": odd_of(waves.strain.cut(first=junk), mode), "psi4_through": spheres}


def odd_of(wave, mode):
    """Of those that are equally great, the mode of positive m and least l."""
    top = np.abs(wave.mode(*mode)).max()
    ratios = {lm: float(np.abs(v).max() / top) for lm, v in wave.modes.items() if lm[1] % 2}
    most = max(ratios.values())
    worst = min((lm for lm, ratio in ratios.items() if ratio >= (1 - EQUAL) * most), key=lambda lm: (lm[1] < 0, lm))
    return {"ratio": ratios[worst], "mode": worst, "each": {f"{l},{m}": r for (l, m), r in ratios.items()}}


def eccentric(folder):
    """That of the orbit at t = 0, as `tendex-waves eccentricity' measures it from the tracks."""
    try:
        found = eccentricity_run.of_run(folder)
    except WaveError as e:
        return {"none": str(e)}
    return {"value": found.e, "error": found.e_error, "of_frequency": found.e_frequency,
            "of_frequency_error": found.e_frequency_error, "k": found.k, "window": found.window, "fits": found.fits}
