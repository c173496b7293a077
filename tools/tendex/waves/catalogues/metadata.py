"""What catalogues want to know of a run, gathered once for all their formats."""

import re
from dataclasses import dataclass, fields, replace

import numpy as np

from tendex.base.files import read_text
from tendex.base.folder import FolderError
from tendex.physics import orbit
from tendex.waves.extraction import radiated
from tendex.waves.holes import christodoulou, hole
from tendex.waves.inspiral import eccentricity_run, initial_orbit
from tendex.waves.signal import align
from tendex.waves.signal.modes import WaveError

# Keys of --meta and --set, and what stands for them if nothing is said; NEEDED are those that only people know.
DEFAULTS = {"name": None, "alternative-names": "", "authors": "", "email": "", "group": "", "license": "",
            "bibtex-keys": "", "code-bibtex-keys": "", "keywords": "", "catalog-tag": None, "resolution-tag": None,
            "id-tag": "id0", "comparable-simulation": "", "files-in-error-series": "", "production-run": "1"}
NEEDED = ("authors", "email", "group", "license")
# Powers of the unit of mass in members of Facts and Hole.
POWERS = {**dict.fromkeys(("separation", "adm_energy", "reference_time", "common_horizon_time", "remnant_mass", "mass", "position",
                           "momentum", "bare_mass", "reference_mass", "reference_position"), 1),
          "adm_angular_momentum": 2, "omega": -1, "initial_omega": -1}
# Part of M by which masses differ that are told apart.
EQUAL = 1e-5
# Names of evolution.system in catalogues.
SYSTEMS = {"bssn": "BSSN", "z4c": "Z4c"}
SIGNS = {
    "psi4_sign": "psi4 = -(d2 h+/dt2 - i d2 hx/dt2) for outgoing waves, as WeylScal4 and SXS",
    "strain_sign": "h = h+ - i hx; d2h/dt2 = -psi4",
    "harmonics": "spin weight -2, arXiv:0709.0093 eq. II.7-8; h_lm = integral h conj(Y_lm) dOmega",
    "tetrad": "r normal to the sphere, theta and phi orthonormal to it and symmetrically to each other, with the physical metric; m = (e_theta + i e_phi)/sqrt(2)",
}


@dataclass(frozen=True)
class Hole:
    """One of the two; in units of M, spins over mass squared. `reference`: when the junk has left; the rest at t = 0."""

    number: int  # 1 or 2, as the run has it
    mass: float  # Christodoulou's, as the reference mass (christodoulou.py)
    chi: np.ndarray
    position: np.ndarray
    momentum: np.ndarray
    bare_mass: float
    reference_mass: float
    reference_chi: np.ndarray
    reference_position: np.ndarray
    source: str  # of the reference mass and spin: one of christodoulou.SOURCES


@dataclass(frozen=True)
class Facts:
    """In units of M, the holes' Christodoulou masses together at the reference time."""

    unit_of_mass: float  # M in the run's own unit
    run: str
    version: str
    holes: tuple  # (Hole, Hole), the heavier first
    separation: float
    adm_energy: float
    adm_angular_momentum: np.ndarray
    reference_time: float
    line: np.ndarray  # unit vector from hole 2 to hole 1 at the reference time
    normal: np.ndarray  # unit vector along the orbit's angular momentum then
    omega: float  # orbital frequency then; 0 where nothing orbits
    initial_omega: float  # of the data at t = 0 (initial_orbit.py); None where the holes are too close for it to be told
    eccentricity: float  # None if it cannot be told
    mean_anomaly: float  # at the reference time, rad from the periastron on; None where the eccentricity is not above its error
    eccentricity_note: str
    orbits: float  # turns of the punctures until the merger; None if nothing orbits
    later_orbits: float  # of them, after the reference time
    common_horizon_time: float  # None if none was seen
    remnant_mass: float  # this and the next: None without a common horizon
    remnant_chi: np.ndarray
    remnant_velocity: np.ndarray  # over that of light, from the waves; None if they do not tell
    initial_data_type: str
    spacing_code: str  # n100: one point in M at the outermost sphere
    system: str  # of equations: BSSN or Z4c
    mass_notes: list  # christodoulou.notes
    errors: dict = None  # export_errors.summary, where the other runs of the series are given

    @property
    def masses_and_spins(self):
        """What the masses and spins are, in words."""
        return "; ".join([christodoulou.WORDS, *self.mass_notes])

    @property
    def chi_eff(self):
        """Mean of both spins along the orbit's axis at the reference time, weighted with the masses."""
        one, two = self.holes
        along = one.reference_mass * one.reference_chi + two.reference_mass * two.reference_chi
        return float(along @ self.normal / (one.reference_mass + two.reference_mass))

    @property
    def kind(self):
        """non-spinning, aligned-spins or precessing, by the reference spins."""
        chis = np.array([h.reference_chi for h in self.holes])
        if np.abs(chis).max() < 1e-3:
            return "non-spinning"
        across = chis - np.outer(chis @ self.normal, self.normal)
        return "aligned-spins" if np.abs(across).max() < 1e-3 else "precessing"


def user(file=None, settings=()):
    """(values, [keys of NEEDED that are missing]) from a file of lines `key = value' and from KEY=VALUE on the command
    line, which win. A # begins a comment where it begins a line."""
    values = dict(DEFAULTS)
    lines = [(f"{file}: line {n}", line) for n, line in enumerate(read_text(file, WaveError).split("\n"), 1)
             if line.strip() and not line.lstrip().startswith("#")] if file else []
    for where, line in lines + [("--set", s) for s in settings]:
        key, equals, value = line.partition("=")
        if not equals:
            raise WaveError(f"{where}: {line.strip()!r} is not `key = value'")
        if key.strip() not in values:
            raise WaveError(f"{where}: {key.strip()!r} is no key; there are {', '.join(DEFAULTS)}")
        values[key.strip()] = value.strip().strip('"')
    if values["production-run"] not in ("0", "1"):
        raise WaveError(f"{file or '--set'}: production-run = {values['production-run']!r}: is 1, or 0 for a run of lower resolution")
    return values, [key for key in NEEDED if not values[key]]


def unit(vector):
    return vector / np.linalg.norm(vector)


def across(line):
    """A unit vector normal to a line: the z axis' part, or the x axis' where the line is along z."""
    axis = np.eye(3)[2 if abs(line[2]) < 0.9 else 0]
    return unit(axis - (axis @ line) * line)


def motion(times, tracks, when):
    """(position of 1, of 2, unit vector along r x dr/dt, |r x dr/dt| / r^2) of two tracks at a time; None where the
    tracks do not tell."""
    if len(tracks) != 2 or len(times) < 12 or not times[0] <= when <= times[-1]:
        return None
    at = int(np.clip(np.searchsorted(times, when), 6, len(times) - 6))
    curves = [align.spline(times[at - 6:at + 6], x[at - 6:at + 6]) for x in tracks]
    here = [c(when) for c in curves]
    apart = here[0] - here[1]
    turning = np.cross(apart, curves[0].derivative()(when) - curves[1].derivative()(when))
    rate = np.linalg.norm(turning) / (apart @ apart)
    return here[0], here[1], unit(turning) if rate > 1e-9 else across(unit(apart)), float(rate)


@dataclass(frozen=True)
class Reference:
    """The binary when the junk has left, the run's hole 1 first; in the run's unit, spins over mass squared."""

    time: float
    masses: tuple
    chis: tuple  # of [3]
    positions: tuple  # of [3]
    normal: np.ndarray  # unit vector along the orbit's angular momentum
    omega: float  # orbital frequency; None where the tracks do not tell: then the rest is that of the initial data


def reference(run):
    """The Reference of a Run: masses and spins of the horizons, if they were found."""
    when = run.reference_time()
    now = motion(*run.tracks(), when)
    masses, chis = zip(*((state.mass, state.chi) for state in christodoulou.states(run, when)[1]))
    places = now[:2] if now else run.positions
    if now:
        normal = now[2]
    elif np.linalg.norm(run.adm_angular_momentum) > 0:
        normal = unit(run.adm_angular_momentum)
    else:
        normal = across(unit(places[0] - places[1]))
    return Reference(when, masses, chis, places, normal, now[3] if now else None)


def holes_of(run, then, start, now):
    """[Hole] of a Run in its own unit, the heavier first; of equal ones, the run's first. start, now: States at t = 0 and at the
    reference time."""
    found = []
    for i in (0, 1):
        bare = run.initial(f"initial-bh-puncture-bare-mass{i + 1}")
        found.append(Hole(i + 1, start[i].mass, start[i].chi, run.positions[i], run.momenta[i],
                          run.masses[i] if bare is None else bare, then.masses[i], then.chis[i], then.positions[i], now[i].source))
    swap = then.masses[1] - then.masses[0] > EQUAL * sum(then.masses)
    return found[::-1] if swap else found


def orbits_of(run, merger, first):
    """(turns until the merger or the end, turns of them after a time); None where nothing orbits."""
    t, tracks = run.tracks()
    whole, later = (orbit.orbit(t[use], [x[use] for x in tracks], merger, run.mass) for use in (slice(None), t >= first))
    return tuple(None if part is None else abs(part.orbits) for part in (whole, later))


def facts(run, waves):
    """Facts of a Run and of what standard.of_run made of it."""
    then, left = reference(run), hole.horizon(run.searches(), run.mass)
    start, now = christodoulou.states(run, then.time)
    holes, mass, merger = holes_of(run, then, start, now), sum(then.masses), left.first_seen if left else None
    line = unit(holes[0].reference_position - holes[1].reference_position)
    omega = (run.initial_orbital_frequency() or 0.0) if then.omega is None else then.omega
    first_omega = initial_orbit.frequency(*zip(*((h.mass, h.chi, h.position, h.momentum) for h in holes)))
    own = Facts(
        mass, run.name, run.version, tuple(holes), run.separation, run.adm_energy, run.adm_angular_momentum, then.time, line,
        then.normal, omega, first_omega, *eccentric(run, then), *orbits_of(run, merger, then.time), merger,
        left.mass.value if left else None,
        np.array([s.value for s in left.spin]) / left.mass.value**2 if left else None, velocity(run, waves, left),
        data_type(run), spacing_code(run, waves, mass), SYSTEMS[run.parameters.get("evolution.system", "bssn")],
        christodoulou.notes(start, now, then.time))
    return replace(in_units(own, mass), holes=tuple(in_units(h, mass) for h in holes))


def in_units(of, mass):
    """Facts or a Hole in units of this mass."""
    known = {f.name: getattr(of, f.name) for f in fields(of) if f.name in POWERS}
    return replace(of, **{name: v / mass ** POWERS[name] for name, v in known.items() if v is not None})


def eccentric(run, then):
    """(e, mean anomaly, why there is no e) of the orbit at the time of a Reference: e by `tendex-waves eccentricity', which is at
    t = 0, decays as D^(19/12) (Peters 1964)."""
    try:
        found = eccentricity_run.of_run(run)
    except WaveError as e:
        return None, None, str(e)
    e = found.e * float(np.linalg.norm(then.positions[0] - then.positions[1]) / found.separation) ** (19 / 12)
    return e, found.anomaly_at(then.time) if found.e > 2 * found.e_error else None, ""


def velocity(run, waves, left):
    """[3] of the hole that is left, over that of light: against the momentum that the waves took after the junk."""
    if left is None:
        return None
    try:
        flux = radiated.of_run(run, waves)
    except WaveError:
        return None
    return 0.0 - flux.late[4:7] / left.mass.value


def data_type(run):
    match = re.search(r"^initial-data-type\s*=\s*(.+)$", read_text(run.path / "TwoPunctures.bbh", FolderError, errors="replace"), re.M)
    return match[1].strip() if match else "Bowen-York"


def spacing_code(run, waves, mass):
    """As the RIT catalogue has it: n and 100 points over the spacing, in units of this mass, where the outermost sphere is."""
    points = run.summary.get("octant_points")
    try:
        grid = run.grids()[0] if points else None
    except FolderError:
        grid = None
    if grid is None:
        return "n0"
    place = np.array([waves.finite[-1].radius, 1e-6, 1e-6])
    inside = np.all((grid.low <= place) & (place < grid.low + grid.size[:, None]), axis=1)
    return f"n{round(100 * points * mass / grid.size[inside][0])}" if inside.any() else "n0"


def signs(run):
    """Attributes that say what the numbers mean, those of the run's own modes where it states them."""
    from tendex.base import hdf5
    file = run.path / "waves" / "mp_psi4.h5"
    with hdf5.opened(file, FolderError) as h:
        own = {key: hdf5.text(h.attrs, key) for key in ("psi4_sign", "tetrad") if key in h.attrs}
    return {**SIGNS, **own, "scaled_by_r": 1, "code_version": run.version}
