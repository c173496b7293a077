"""A run folder as the waves' commands see it: spheres of psi4, parameters, initial data, orbital frequency."""

import math
import re
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from tendex.base import tables
from tendex.base.files import name_of
from tendex.base.folder import Folder, FolderError, no_folder, read_summary
from tendex.base.parameter_file import read_parameters
from tendex.physics.orbit import LEAST_TURN, TOGETHER, sense, turned
from tendex.physics.radiation import retardation
from tendex.waves.signal import beginning, junk, poles
from tendex.waves.signal.modes import Waves

# Initial data that have a file TwoPunctures.bbh.
TWO_PUNCTURES = ("two_punctures", "quasi_circular", "brill_lindquist")
# Of data that have no TwoPunctures.bbh, those of up to so many punctures.
PUNCTURES, MOST_HOLES = ("single_puncture", "punctures"), 8
# Of position times momentum: an angular momentum below this is rounding.
STILL = 1e-9
# In initial separations: until then the shift, which starts at zero, brings the punctures up to speed; and until then
# the radiation that is in the initial data and what it makes the holes ring with have left them.
GAUGE_SETTLES = 3.0
JUNK_LEAVES = 6.0
# Areal radii of a sphere stay within this factor of their median.
JUMP = 2.0
# Turns that an orbital frequency is averaged over, if there are as many before the separation is half the first.
TURNS = 1.0


def _runs_in(folder):
    """For an error: which runs lie in this folder."""
    names = sorted(file.parent.name for file in folder.glob("*/run.yaml"))
    return f"; runs in it: {', '.join(names[:6])}{', ...' if len(names) > 6 else ''}" if names else ""


class Run(Folder):
    """A run folder. Lengths, times and masses in the run's own unit, which is near, but seldom exactly, the holes'
    masses together: `mass` is those. A run that is still going has no summary.json: `summary` is empty then."""

    start = None  # retarded time from when on psi4 has no junk radiation; None: as the data show

    def __init__(self, path):
        self.path = Path(path)
        self.name = name_of(self.path.resolve())
        if not self.path.is_dir():
            raise FolderError(no_folder(path))
        if not (self.path / "run.yaml").exists():
            raise FolderError(f"{path}: no run.yaml in it: not a folder of `tendex run'{_runs_in(self.path)}")
        self._tables = {}  # {name: (stamp of the file, what is in it)}
        self.summary = read_summary(self.path / "summary.json") if self.finished else {}

    @property
    def finished(self):
        return (self.path / "summary.json").exists()

    @cached_property
    def parameters(self):
        """{"grid.extent": value, ...} as used."""
        return read_parameters(self.path / "run.yaml")

    @property
    def version(self):
        """Of the program that made the run."""
        if "code_version" in self.summary:
            return self.summary["code_version"]
        text = (self.path / "run.yaml").read_text(encoding="utf-8", errors="replace")
        found = re.search(r"^# version: ([!-~]+)", text, re.M)
        return found[1] if found else "unknown"

    def _need(self, key):
        value = self.initial(key)
        if value is None:
            file = self.path / "TwoPunctures.bbh"
            if not file.exists() and self.parameters.get("initial_data.type") in TWO_PUNCTURES:
                raise FolderError(f"{file}: missing; make it again: tendex id {self.path / 'run.yaml'} --bbh {file}")
            raise FolderError(f"{file}: no {key}: not a run of two punctures?")
        return value

    def _vectors(self, what):
        return tuple(np.array([self._need(f"initial-bh-{what}{hole}{x}") for x in "xyz"]) for hole in (1, 2))

    @property
    def masses(self):
        """ADM masses of the punctures (m1, m2)."""
        found = self._need("initial-bh-puncture-adm-mass1"), self._need("initial-bh-puncture-adm-mass2")
        if not min(found) > 0:
            raise FolderError(f"{self.path / 'TwoPunctures.bbh'}: a puncture of mass {min(found):g}")
        energy = self.initial("initial-ADM-energy")
        if energy is not None and not 0 < energy / sum(found) < 2:
            raise FolderError(f"{self.path / 'TwoPunctures.bbh'}: initial-ADM-energy = {energy:g}: not that of punctures of {found[0]:g} and "
                              f"{found[1]:g}")
        return found

    @property
    def mass(self):
        """The holes' initial masses together."""
        return sum(self.masses)

    @property
    def mass_said(self):
        """The same, or where there is no TwoPunctures.bbh the masses of the parameters together; 1 where there are no holes."""
        try:
            return sum(self.masses)
        except FolderError:
            given = (self.parameters.get(f"initial_data.bh{n}_mass", 0.0) for n in range(1, MOST_HOLES + 1))
            return float(sum(given)) or 1.0

    @property
    def chis(self):
        """Dimensionless initial spins ([3], [3])."""
        return tuple(spin / m**2 for spin, m in zip(self._vectors("spin"), self.masses))

    @property
    def positions(self):
        return self._vectors("position")

    @property
    def momenta(self):
        return self._vectors("momentum")

    @property
    def many(self):
        """Are there more than two punctures? Then there is no TwoPunctures.bbh."""
        return len(self.tracks()[1]) > 2

    @property
    def separation(self):
        """Between the punctures at the start; the largest of more than two."""
        if self.many:
            first = [x[0] for x in self.tracks()[1]]
            return float(max(np.linalg.norm(a - b) for a in first for b in first))
        return float(np.linalg.norm(self.positions[0] - self.positions[1]))

    @property
    def adm_energy(self):
        if self.many and self.adm_energy_said is not None:
            return self.adm_energy_said
        return self._need("initial-ADM-energy")

    @property
    def adm_energy_said(self):
        """By the summary, or by the log before there is one; None if by neither."""
        if "adm_energy" in self.summary:
            return self.summary["adm_energy"]
        file = self.path / "log.txt"
        said = re.search(r"\bADM energy (\S+) M\b", file.read_text(encoding="utf-8", errors="replace")) if file.exists() else None
        return float(said[1]) if said and tables.NUMBER.fullmatch(said[1]) else None

    @property
    def adm_angular_momentum(self):
        """[3]"""
        return np.array([self._need(f"initial-ADM-angular-momentum{x}") for x in "xyz"])

    @property
    def _placed(self):
        """[(position, momentum, spin)] of the punctures, as the initial data or the parameters have them; none of other data."""
        if self.initial("initial-bh-momentum1x") is not None:
            return list(zip(self.positions, self.momenta, self._vectors("spin")))
        p = self.parameters
        if p.get("initial_data.type") not in PUNCTURES:
            return []
        return [tuple(np.array(p.get(f"initial_data.bh{n}_{what}", (0.0, 0.0, 0.0)), float) for what in ("position", "momentum", "spin"))
                for n in range(1, MOST_HOLES + 1) if f"initial_data.bh{n}_position" in p]

    @cached_property
    def orbit_axis(self):
        """[3] unit vector along the orbital angular momentum of the initial data; z where there is none."""
        holes = self._placed
        L = sum((np.cross(x, momentum) for x, momentum, _ in holes), np.zeros(3))
        size = np.linalg.norm(L)
        turns = len(holes) > 1 and size > STILL * max(np.linalg.norm(x) * np.linalg.norm(momentum) for x, momentum, _ in holes)
        return L / size if turns else np.array([0.0, 0.0, 1.0])

    @property
    def adm_momentum(self):
        """[3] linear momentum of the initial data."""
        return sum((momentum for _, momentum, _ in self._placed), np.zeros(3))

    @property
    def adm_angular_momentum_said(self):
        """The same, or that of punctures with these parameters, for which the sum of x cross P and spins is exact; None of other data."""
        if self.initial("initial-ADM-angular-momentumz") is not None:
            return self.adm_angular_momentum
        if self.parameters.get("initial_data.type") not in PUNCTURES:
            return None
        return sum((np.cross(x, momentum) + spin for x, momentum, spin in self._placed), np.zeros(3))

    @property
    def octant_points(self):
        """Points a side of an octant, by the summary, or by the head of run.yaml before there is one; None if by neither."""
        if "octant_points" in self.summary:
            return self.summary["octant_points"]
        text = (self.path / "run.yaml").read_text(encoding="utf-8", errors="replace") if (self.path / "run.yaml").exists() else ""
        said = re.search(r"^# build: .*octants of (\d+)\^3 points", text, re.M)
        return int(said[1]) if said else None

    def _of_spheres(self, name):
        """Folder.table, read once while the file stays as it is."""
        stamp = (self.path / name).stat() if (self.path / name).exists() else None
        stamp = stamp and (stamp.st_mtime_ns, stamp.st_size)
        if self._tables.get(name, (None, None))[0] != stamp or stamp is None:
            self._tables[name] = stamp, self.table(name)
        return self._tables[name][1]

    def areal(self, radius):
        """Areal radius of the sphere of coordinate radius `radius` over time: (t [n], R [n])."""
        file, name = self.path / "waves/areal_radius.asc", f"r{radius:.2f}"
        t, values = self._column_of_sphere("waves/areal_radius.asc", radius)
        if not len(t):
            raise FolderError(f"{file}: {name}: no values yet")
        usual = np.median(values)
        odd = ~((values > usual / JUMP) & (values < usual * JUMP))
        if odd.any():
            raise FolderError(f"{file}: {name}: an areal radius of {values[odd][0]:g} M at t = {t[odd][0]:g}, where {usual:g} M is usual")
        return t, values

    def _column_of_sphere(self, name, radius):
        table, column = self._of_spheres(name), f"r{radius:.2f}"
        if column not in table:
            raise FolderError(f"{self.path / name}: no column {column}")
        self._finite(name, column, table["time"], table[column])
        return table["time"], table[column]

    def lapse(self, radius):
        """Mean lapse of a sphere over time (t [n], alpha [n]); None where a run of an earlier version did not measure it."""
        if not (self.path / "waves/lapse.asc").exists():
            return None
        found = self._column_of_sphere("waves/lapse.asc", radius)
        return found if len(found[0]) else None

    def infall(self, radius):
        """Speed over time at which observers of psi4 on a sphere fall in (t [n], v [n]), as in observers.py; None where a run of an
        earlier version did not measure it."""
        file = self.path / "waves/expansion.asc"
        if not file.exists():
            return None
        table = self._of_spheres("waves/expansion.asc")
        names = [f"{along}_r{radius:.2f}" for along in "ns"]
        for name in names:
            if name not in table:
                raise FolderError(f"{file}: no column {name}")
        along_n, along_s = (table[name] for name in names)
        if not len(along_n):
            return None
        with np.errstate(divide="ignore", invalid="ignore"):
            v = -along_n / along_s
        self._finite("waves/expansion.asc", f"r{radius:.2f}", table["time"], v)
        return table["time"], v

    def turning(self, radius):
        """Angular velocity of a sphere's points with the shift over time (t [n], Omega [n][3]), as in dragging.py; None where a run of
        an earlier version did not measure it."""
        if not (self.path / "waves/turning.asc").exists():
            return None
        found = self._vector_of_sphere("waves/turning.asc", "{axis}", radius)
        return found if len(found[0]) else None

    def radiated_angular_momentum(self, radius):
        """(t [n], J [n][3]) that has gone through a sphere; None without energy.asc."""
        if not (self.path / "energy.asc").exists():
            return None
        return self._vector_of_sphere("energy.asc", "J{axis}", radius)

    def _vector_of_sphere(self, name, column, radius):
        table = self._of_spheres(name)
        names = [f"{column.format(axis=axis)}_r{radius:.2f}" for axis in "xyz"]
        for one in names:
            if one not in table:
                raise FolderError(f"{self.path / name}: no column {one}")
        values = np.stack([table[one] for one in names], axis=1)
        self._finite(name, f"r{radius:.2f}", table["time"], values)
        return table["time"], values

    @property
    def one_plus_log(self):
        """Is the slicing d_t alpha - beta^k d_k alpha = -2 alpha K?"""
        p = self.parameters
        return p.get("gauge.slicing", "one_plus_log") == "one_plus_log" and p.get("gauge.advect_lapse", True)

    def spheres(self):
        """[Waves] of r psi4, one a sphere, ascending radii; without what earlier versions have at the poles, where that can be told."""
        found = [self._sphere(radius, modes) for radius, modes in self.modes().items()]
        return self._begun([poles.without(w) for w in found] if poles.TETRAD in self.tetrad else found)

    def _begun(self, spheres):
        """The Waves with their first good times, at equal retarded times: `start', or the latest that the data of a sphere show; none
        where most are complete. As they are where no sphere has one, or there are no holes to tell retarded times."""
        energy = self.initial("initial-ADM-energy")
        if not energy or not all(w.areal > 2 * energy for w in spheres):
            return spheres
        delays = [retardation(w.areal, energy) for w in spheres]
        start = self.start
        if start is None:
            modes = [beginning.driving(w) for w in spheres]
            found = [junk.first_good(w.t, v)[0] - delay for w, v, delay in zip(spheres, modes, delays) if v is not None]
            complete = 2 * found.count(-math.inf) >= max(len(found), 1)
            start = -math.inf if complete else max((u for u in found if math.isfinite(u)), default=None)
        return spheres if start is None else [replace(w, start=float(start + delay)) for w, delay in zip(spheres, delays)]

    def _sphere(self, radius, modes):
        t = next(iter(modes.values()))[0]
        for (l, m), (times, _) in modes.items():
            if not np.array_equal(t, times):
                raise FolderError(f"{self.path / 'waves/mp_psi4.h5'}: l{l}_m{m}_r{radius:.2f}: its times are not those "
                                  "of the other modes")
        return Waves("psi4", t, {lm: radius * psi4 for lm, (_, psi4) in sorted(modes.items())}, radius,
                     float(np.median(self.areal(radius)[1])), self.mass, f"{self.name}, r = {radius:g}")

    def merger_time(self):
        """When a horizon about all holes was first seen, else when the distance of two punctures first was below TOGETHER masses; None
        if neither happened."""
        common = self.common()
        if common is not None:
            return float(common.time[0])
        t, tracks = self.tracks()
        if len(tracks) != 2:
            return None
        near = np.linalg.norm(tracks[0] - tracks[1], axis=1) < TOGETHER * self.mass_said
        return float(t[near.argmax()]) if near.any() else None

    def reference_time(self):
        """Time at the holes (retarded time, for waves) from when on the waves are the binary's: JUNK_LEAVES initial
        separations, but at most half of the time to the merger, or of the run. QC-0: 12, D = 8: 48."""
        merger = self.merger_time()
        if merger is None:
            times = self.tracks()[0]
            merger = times[-1] if len(times) else self.spheres()[0].t[-1]
        return min(JUNK_LEAVES * self.separation, 0.5 * merger)

    def settled_time(self):
        """Time at which the shift has brought the punctures up to speed: GAUGE_SETTLES separations, at most half of the time
        to the merger, or of the tracks."""
        t, tracks = self.tracks()
        first = [x[0] for x in tracks]
        apart = max((np.linalg.norm(a - b) for a in first for b in first), default=0.0)
        return float(min(GAUGE_SETTLES * apart, 0.5 * (self.merger_time() or t[-1])))

    def initial_orbital_frequency(self):
        """Angle per time, in the inverse of the run's unit, positive, of the line between the punctures, from
        where the shift has settled (GAUGE_SETTLES separations, at most half of the time to the merger), as a mean over
        one turn, or less if the separation halves before. None where nothing goes round."""
        t, tracks = self.tracks()
        if len(tracks) != 2 or len(t) < 2:
            return None
        apart = tracks[0] - tracks[1]
        distance = np.linalg.norm(apart, axis=1)
        merger = self.merger_time() or t[-1]
        start = int(np.searchsorted(t, self.settled_time()))
        near = np.flatnonzero((distance < 0.5 * distance[0]) | (t > merger))
        end = near[0] if near.size else len(t)
        if end - start < 2:
            return None
        angle = turned(apart[start:end])
        whole = np.flatnonzero(angle >= 2 * np.pi * TURNS)
        last = whole[0] if whole.size else len(angle) - 1
        if np.linalg.norm(sense(apart[start:start + last + 1])) < 2 * np.pi * LEAST_TURN:
            return None
        return float(angle[last] / (t[start + last] - t[start]))
