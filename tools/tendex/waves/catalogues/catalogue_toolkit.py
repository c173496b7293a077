"""Folders of the Einstein Toolkit's Multipole: psi4 at spheres, in mp_psi4.h5 with datasets l2_m2_r100.00, or in files
mp_Psi4_l2_m2_r100.00.asc, in any sub-folder; restarts are joined."""

import re
import warnings
from functools import cached_property

import numpy as np

from tendex.base import hdf5, tables
from tendex.base.files import name_of, read_text
from tendex.base.tables import TableWarning
from tendex.waves.signal.modes import WaveError, Waves, phase

TABLE = re.compile(r"mp_psi4_l(\d+)_m(-?\d+)_r(\d+(?:\.\d+)?)\.asc", re.I)
BUNDLE = re.compile(r"mp_psi4\.h5", re.I)
DATASET = re.compile(r"l(\d+)_m(-?\d+)_r(\d+(?:\.\d+)?)")
# Until the initial data's own radiation has left, in initial separations, or, if that is unknown, in masses.
JUNK_SEPARATIONS = 6.0
JUNK = 60.0
POSITIVE = ("initial-ADM-energy", "initial-separation", "initial-bh-puncture-adm-mass1", "initial-bh-puncture-adm-mass2")
# The orbital frequency at the start is a mean over as many masses from there.
AVERAGED = 100.0


def files(folder):
    """Files of psi4 below a folder: the bundles if there are any, as they are preferred, else the tables."""
    found = sorted(p for p in folder.rglob("*") if p.is_file())
    bundles = [p for p in found if BUNDLE.fullmatch(p.name)]
    return bundles or [p for p in found if TABLE.fullmatch(p.name)]


def is_ours(folder):
    return bool(files(folder))


class ToolkitFolder:
    """What the pipeline from psi4 to strain asks a run for, in the run's own unit."""

    octant_points = None  # nothing is known of the grid
    tetrad = ""
    one_plus_log = True  # as moving punctures have

    def __init__(self, path, mass=None):
        self.path = path
        self.name = name_of(path.resolve())
        self._mass = mass

    @cached_property
    def _initial(self):
        """{key: number} of TwoPunctures.bbh below the folder; restarts may have copies of it. {} if there is none."""
        found = {file: _numbers(file) for file in sorted(self.path.rglob("TwoPunctures.bbh"))}
        first = next(iter(found.values()), {})
        if any(one != first for one in found.values()):
            raise WaveError(f"{self.path}: has more than one TwoPunctures.bbh below, and they differ: is it the folder "
                            "of several runs? Name one of them")
        for key in POSITIVE:
            if not first.get(key, 1.0) > 0:
                raise WaveError(f"{next(iter(found))}: {key} = {first[key]:g}: must be above 0")
        energy, *masses = (first.get(key, np.nan) for key in (POSITIVE[0], *POSITIVE[2:]))
        if not np.isnan(energy - sum(masses)) and not 0.5 < energy / sum(masses) < 2:
            raise WaveError(f"{next(iter(found))}: {POSITIVE[0]} = {energy:g}: not that of punctures of {masses[0]:g} and {masses[1]:g}")
        return first

    @property
    def parameters(self):
        """Those of Run.parameters that the spheres tell."""
        return {"waves.radii": [sphere.radius for sphere in self._spheres]}

    @property
    def mass(self):
        """The holes' initial masses together."""
        if self._mass:
            return self._mass
        try:
            return sum(self._initial[f"initial-bh-puncture-adm-mass{hole}"] for hole in (1, 2))
        except KeyError:
            raise WaveError(f"{self.path}: no TwoPunctures.bbh with the holes' masses: say the total mass, "
                            "--mass") from None

    @property
    def adm_energy(self):
        return self._initial.get("initial-ADM-energy", self.mass)

    @cached_property
    def _spheres(self):
        pieces, of = {}, {}  # {radius: {(l, m): [rows, ...]}}, and their files
        for file in files(self.path):
            for l, m, radius, rows in _pieces(file):
                pieces.setdefault(radius, {}).setdefault((l, m), []).append(rows)
                of.setdefault((radius, l, m), []).append(file)
        out = []
        for radius, modes in sorted(pieces.items()):
            joined = {lm: join(rows, of[(radius, *lm)]) for lm, rows in sorted(modes.items()) if lm[0] >= 2}
            if not joined:
                continue
            t = self._times(radius, joined, of)
            joined = {lm: rows[:len(t)] for lm, rows in joined.items()}
            out.append(Waves("psi4", t, {lm: radius * (rows[:, 1] + 1j * rows[:, 2]) for lm, rows in joined.items()},
                             radius, self._areal(radius), self.mass, f"{self.name}, r = {radius:g}"))
        if not out:
            raise WaveError(f"{self.path}: no modes of psi4 with l = 2 or more")
        every = {(lm, one) for one in out for lm in one.modes}
        for sphere in out:
            for (l, m), other in every:
                if (l, m) not in sphere.modes:
                    raise WaveError(f"{_named(of[other.radius, l, m])}: has mode l = {l}, m = {m} at r = {other.radius:g}, and not at "
                                    f"r = {sphere.radius:g}")
        return out

    def _times(self, radius, modes, of):
        """Times that all modes {(l, m): rows} of a sphere have; a run that was killed may have written more of some."""
        n = min(len(rows) for rows in modes.values())
        ends = [(rows[-1, 0], *lm) for lm, rows in sorted(modes.items())]
        t = next(iter(modes.values()))[:n, 0]
        for (l, m), rows in modes.items():
            if not np.array_equal(rows[:n, 0], t):
                others = next(lm for lm in modes)
                raise WaveError(f"{_named(of[radius, l, m])}: r = {radius:g}: times of l = {l}, m = {m} differ from those of l = "
                                f"{others[0]}, m = {others[1]} in {_named(of[(radius, *others)])}")
        if max(ends)[0] > t[-1]:
            end, l, m = min(ends)
            warnings.warn(f"{_named(of[(radius, l, m)])}: r = {radius:g}: mode l = {l}, m = {m} ends at t = {end:g}, others at {max(ends)[0]:g}: "
                          "all are taken to there", TableWarning, stacklevel=2)
        return t

    def _areal(self, radius):
        """As if r were Schwarzschild's isotropic one; far out, moving punctures are within 1e-2 M of that."""
        return radius * (1 + self.adm_energy / (2 * radius)) ** 2

    def areal(self, radius):
        """Areal radius over time: (t [n], R [n])."""
        t = self._spheres[0].t
        return t, np.full(len(t), self._areal(radius))

    @property
    def adm_angular_momentum_said(self):
        """As Run.adm_angular_momentum_said."""
        found = [self._initial.get(f"initial-ADM-angular-momentum{x}") for x in "xyz"]
        return None if None in found else np.array(found)

    def turning(self, radius):
        """How the shift turns spheres: not measured."""

    def radiated_angular_momentum(self, radius):
        """Not known."""

    def infall(self, radius):
        """Of the observers of psi4: not measured."""

    def spheres(self):
        """[Waves] of r psi4, ascending radii."""
        return self._spheres

    def reference_time(self):
        """Retarded time from when on the waves are the binary's."""
        separation = self._initial.get("initial-separation")
        junk = JUNK_SEPARATIONS * separation if separation else JUNK * self.mass
        sphere = self._spheres[-1]
        peak = sphere.t[np.abs(sphere.mode(2, 2)).argmax()] - sphere.radius
        return float(min(junk, max(0.5 * peak, 0.0)))

    def initial_orbital_frequency(self):
        """Angle per time, positive, from where the junk has left; None where nothing turns."""
        sphere = self._spheres[-1]
        return orbital_frequency(sphere, sphere.radius + self.reference_time())


def orbital_frequency(waves, start):
    """Half of the (2,2) mode's angle per time, positive, as a mean over AVERAGED masses from time `start`, or until
    half the time to the peak; None where that is too short or it does not turn."""
    peak = waves.t[np.abs(waves.mode(2, 2)).argmax()]
    inside = (waves.t >= start) & (waves.t <= min(start + AVERAGED * waves.mass, 0.5 * (start + peak)))
    if np.count_nonzero(inside) < 3:
        return None
    return float(0.5 * abs(np.polyfit(waves.t[inside], phase(waves.mode(2, 2)[inside]), 1)[0])) or None


def _pieces(file):
    """(l, m, radius, rows [n][3]) of each mode in a file."""
    if TABLE.fullmatch(file.name):
        found = [(TABLE.fullmatch(file.name), tables.read_foreign(file, WaveError, 3))]
    else:
        with hdf5.opened(file, WaveError) as h:
            found = [(match, hdf5.rows(file, h, match[0], 3, WaveError)) for match in map(DATASET.fullmatch, h) if match]
    for match, rows in found:
        l, m, radius = int(match[1]), int(match[2]), float(match[3])
        tables.check_finite(file, tables.mode(l, m, radius), rows[:, 0], rows[:, 1:], WaveError)
        yield l, m, radius, rows


def _numbers(file):
    """{key: number} of a file of lines `key = value'; a last line without its end may end in a number, and is left out."""
    text = read_text(file, WaveError, errors="replace")
    pairs = re.findall(r"^[ \t]*([\w-]+)[ \t]*=[ \t]*(\S+)[ \t]*$", text[: text.rfind("\n") + 1], re.M)
    found = {key: float(value) for key, value in pairs if tables.NUMBER.fullmatch(value)}
    for key in found:
        if not np.isfinite(found[key]):
            raise WaveError(f"{file}: {key} = {found[key]}: not a number")
    return found


def _named(files):
    """The first of files, for messages."""
    return f"{files[0]}" + (f" (and {len(files) - 1} others)" if len(files) > 1 else "")


def join(pieces, files):
    """One series [n][3] of those of restarts: where two have the same times, the one that starts later counts."""
    pieces = sorted((p for p in pieces if len(p)), key=lambda p: p[0, 0])
    if not pieces:
        raise WaveError(f"{_named(files)}: a mode without a single row")
    out = pieces[0]
    for piece in pieces[1:]:
        out = np.concatenate([out[out[:, 0] < piece[0, 0]], piece])
    return out
