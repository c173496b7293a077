"""A run folder: what was written, read with the checks that its readers need."""

import re
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from tendex.base import files, tables

# Datasets of modes: l, m and the coordinate radius.
MODE = re.compile(r"l(\d+)_m(-?\d+)_r(\d+\.\d\d)")
TRACKS, HORIZONS, GRID = "puncturetracker-pt_loc..asc", "horizons.asc", "grid.asc"
# Numbers of summary.json.
SUMMED = ("t", "adm_energy", "octant_points", "wall_s", "m_per_hour")
# Columns of the table of horizons that are used.
SEARCHED = ("mass", "chi", "mass_irreducible", "radius_mean",
            *(f"{vector}_{x}" for vector in ("spin", "centroid") for x in "xyz"))


# Steps between rows that may be missing at the end of a series; and after searches in vain, of which many in a row are
# followed by up to 15 that are left out.
LATE, LATE_IN_VAIN = 1.5, 17.5


# What horizons 1 to 3 of a table are about that does not say so: one puncture or two.
OF_A_PAIR = {1: (1,), 2: (2,), 3: (1, 2)}


class FolderError(Exception):
    """Something in the run folder is missing or not what it should be."""


class FolderWarning(tables.TableWarning):
    """Something in the run folder is not all there; what is there was taken."""


@dataclass
class Octants:
    """Leaves of the mesh at one time."""

    time: float
    level: np.ndarray  # [n]
    low: np.ndarray  # [n][3] low corners, M
    size: np.ndarray  # [n], M


@dataclass
class Horizon:
    """Surfaces found of one horizon."""

    time: np.ndarray  # [n]
    centre: np.ndarray  # [n][3] centroids, M
    radius: np.ndarray  # [n] mean coordinate radii, M
    mass: np.ndarray  # [n], M
    chi: np.ndarray  # [n] |spin| / mass^2
    spin: np.ndarray  # [n][3], M^2


def holes_of(table):
    """{number: numbers of the punctures} of what each horizon of horizons.asc is about. With more than two punctures a
    column says so; groups that were not found yet, whose number is 0, are left out."""
    if "holes" not in table:
        return OF_A_PAIR
    numbers, first = np.unique(table["horizon"], return_index=True)
    return {int(number): tuple(int(digit) for digit in str(int(table["holes"][at])))
            for number, at in zip(numbers, first) if number > 0}


def common_of(table):
    """Number of the horizon about all punctures, each of which is looked for by itself at first; None if there is none."""
    of = holes_of(table)
    alone = [number for number, holes in of.items() if len(holes) == 1]
    return next((number for number, holes in of.items() if len(holes) == len(alone) > 1), None)


def spins(table, rows=slice(None)):
    """[n][3] spins of the rows of a table of horizons, M^2."""
    return np.column_stack([table[f"spin_{x}"][rows] for x in "xyz"])


def _datasets(file, h):
    """{radius: {(l, m): (t, psi4)}} of an open HDF5 file."""
    from tendex.base import hdf5
    found = {}
    for match in filter(None, map(MODE.fullmatch, h)):
        l, m, radius = int(match[1]), int(match[2]), float(match[3])
        found.setdefault(radius, {})[l, m] = hdf5.series(file, h, match[0], tables.mode(l, m, radius), FolderError,
                                                                 "too few for waves: let the run continue")
    return found


def no_folder(path):
    """Why a path is not the folder of a run, where it is no folder."""
    if Path(path).is_file():
        return f"{path}: is a file; give the folder of a run, e.g. out/head_on"
    return f"{path}: no such run folder"


def read_summary(file):
    """{key: value} of summary.json. Raises FolderError."""
    if not Path(file).exists():
        raise FolderError(f"{file}: missing; did the run finish?")
    found = files.read_json(file, FolderError)
    files.numbers_of(found, SUMMED, file, FolderError)
    found = {key: value for key, value in found.items() if value is not None}
    for key in ("code_version", "device", "ended"):
        if not isinstance(found.get(key, ""), str) or not found.get(key, "").isprintable():
            raise FolderError(f"{file}: {key} is {found[key]!r}, not a text")
    return found


class Folder:
    """A run folder. `warnings`: what of it is not all there, as it was read so far."""

    finished = True

    def __init__(self, path):
        self.path = Path(path)
        self.name = files.name_of(self.path.resolve())
        if not self.path.is_dir():
            raise FolderError(no_folder(path))
        self.summary = read_summary(self.path / "summary.json")

    @cached_property
    def warnings(self):
        return []

    @cached_property
    def _read(self):
        """{name of a text file: (its time and size, its tables.Table)}, as a run may be writing it still."""
        return {}

    def warn(self, text):
        """Once."""
        if text not in self.warnings:
            self.warnings.append(text)
            warnings.warn(text, FolderWarning, stacklevel=3)

    def modes(self):
        """{radius: {(l, m): (t, psi4)}} from waves/mp_psi4.h5, radii ascending."""
        file = self.path / "waves" / "mp_psi4.h5"
        if not file.exists():
            raise FolderError(f"{file}: missing; were waves.radii set?")
        from tendex.base import hdf5
        with hdf5.opened(file, FolderError) as h:
            found = _datasets(file, h)
        if not found:
            raise FolderError(f"{file}: no datasets named l<l>_m<m>_r<R>")
        every = {lm for modes in found.values() for lm in modes}
        for radius, modes in found.items():
            for l, m in sorted(every - modes.keys()):
                raise FolderError(f"{file}: no l{l}_m{m}_r{radius:.2f}, a mode that other spheres have: a damaged file")
        return dict(sorted(found.items()))

    @cached_property
    def tetrad(self):
        """Of psi4, as waves/mp_psi4.h5 says; "" if it does not."""
        from tendex.base import hdf5
        file = self.path / "waves" / "mp_psi4.h5"
        with hdf5.opened(file, FolderError) as h:
            return hdf5.text(h.attrs, "tetrad")

    def _table(self, name, columns):
        """The tables.Table of a text file; a last line without its end, which a run may be writing, is left out."""
        try:
            state = (self.path / name).stat()
        except OSError as e:
            raise FolderError(f"{self.path / name}: {e.strerror}") from e
        state = state.st_mtime_ns, state.st_size, state.st_ino
        if self._read.get(name, (None,))[0] != state:
            self._read[name] = state, self._parsed(name, columns)
        return self._read[name][1]

    def _rows(self, name, columns):
        """Numbers [n][columns] of a text file, not to be written to."""
        return self._table(name, columns).rows

    def _parsed(self, name, columns):
        return tables.read(self.path / name, FolderError, columns)

    def _check(self, name, times, late=LATE, rising=False):
        """Times of a series must be numbers that do not fall, or that rise: FolderError. Warn of a series of a finished run that ends in half a
        line, or long before the run. `late': steps between rows that it may end before."""
        file, (_, table) = self.path / name, self._read[name]
        steps = np.diff(times)
        wrong = ~np.isfinite(times) | np.concatenate([[False], ~(steps > 0 if rising else steps >= 0)])
        if wrong.any():
            at = int(np.argmax(wrong))
            after = f" after {times[at - 1]:g}" if at and np.isfinite(times[at]) else ""
            raise FolderError(f"{file}: line {table.lines[at]}: time {times[at]:g}{after}; a damaged line? Remove it")
        if not self.finished or not len(times) and not table.cut:
            return
        steps, end = np.diff(np.unique(times[-50:])), self.summary.get("t")
        short = end is not None and len(steps) and end - times[-1] > late * steps.max()
        if not table.cut and not short:
            return
        said = [f"line {table.cut} is cut short and left out"] if table.cut else []
        if short:
            said.append(f"{'line' if table.cut else 'ends with line'} {table.lines[-1]}{' before it is' if table.cut else ''} at t = "
                        f"{times[-1]:g}, but the run went on to t = {end:g}")
        self.warn(f"{file}: {', and '.join(said)}: the file is damaged, or an incomplete copy")

    def _finite(self, name, what, times, values):
        """Raise FolderError where values [n] or [n][k] over times [n] are not finite."""
        tables.check_finite(self.path / name, what, times, values, FolderError)

    def table(self, name):
        """{column name: values} of a text table headed by a line "# 1:iteration 2:time 3:...\"."""
        file = self.path / name
        if not file.exists():
            raise FolderError(f"{file}: missing")
        heads = []
        with open(file, encoding="utf-8", errors="replace") as f:
            for line in f:
                if not line.startswith("#"):
                    break
                heads = re.findall(r"\b\d+:(\S+)", line) or heads
        if not heads:
            raise FolderError(f"{file}: no names of columns")
        found = dict(zip(heads, self._rows(name, len(heads)).T))
        if "time" in found and name not in (HORIZONS, GRID):
            self._check(name, found["time"])
        return found

    def tracks(self):
        """Positions of the punctures: (t, x[n_punctures][n][3]) from the Einstein Toolkit's columns."""
        if not (self.path / TRACKS).exists():
            return np.empty(0), []
        rows = self._rows(TRACKS, 52)
        tracks = [rows[:, [22 + slot, 32 + slot, 42 + slot]] for slot in range(10)]
        self._check(TRACKS, rows[:, 8], rising=True)
        for slot, x in enumerate(tracks):
            self._finite(TRACKS, f"puncture {slot + 1}", rows[:, 8], np.column_stack([rows[:, 12 + slot], x]))
            odd = (rows[:, 12 + slot] != rows[:, 8]) & rows[:, 12 + slot].any()
            if odd.any():
                line = self._read[TRACKS][1].lines[np.argmax(odd)]
                raise FolderError(f"{self.path / TRACKS}: line {line}: puncture {slot + 1} is at another time; a damaged line? Remove it")
        there = [rows[:, 12 + slot].any() or tracks[slot].any() for slot in range(10)]
        return rows[:, 8], [x for x, seen in zip(tracks, there) if seen]

    def searches(self):
        """{column name: values} of all searches for horizons; None where the run has none."""
        if not (self.path / HORIZONS).exists():
            return None
        rows = self.table(HORIZONS)
        for name in ("time", "horizon", "found", *SEARCHED):
            if name not in rows:
                raise FolderError(f"{self.path / HORIZONS}: no column {name}: the head of the file is damaged")
        found = rows["found"][rows["time"] == rows["time"][-1]] if len(rows["time"]) else np.empty(0)
        self._check(HORIZONS, rows["time"], LATE if found.any() else LATE_IN_VAIN)
        seen = rows["found"] == 1
        for column in SEARCHED:
            self._finite(HORIZONS, column, rows["time"][seen], rows[column][seen])
        for column in ("mass", "radius_mean"):
            wrong = rows["time"][seen][~(rows[column][seen] > 0)]
            if len(wrong):
                raise FolderError(f"{self.path / HORIZONS}: {column} is not above 0 at t = {wrong[0]:g}; a damaged line? Remove it")
        return rows

    def horizons(self):
        """{number: Horizon} of the searches that succeeded; `holes_of' says what they are about."""
        rows = self.searches()
        if rows is None:
            return {}
        found = {}
        for number in np.unique(rows["horizon"]).astype(int):
            seen = (rows["horizon"] == number) & (rows["found"] == 1)
            if seen.any():
                centre = np.column_stack([rows[f"centroid_{x}"][seen] for x in "xyz"])
                found[number] = Horizon(rows["time"][seen], centre, rows["radius_mean"][seen], rows["mass"][seen],
                                        rows["chi"][seen], spins(rows, seen))
        return found

    def common(self):
        """Horizon about all punctures, or None."""
        rows = self.searches()
        return None if rows is None else self.horizons().get(common_of(rows))

    def times_by_rotation(self, number):
        """[n] times at which the spin of a horizon is that of coordinate rotations, as no approximate Killing vectors were told."""
        name = f"horizons/ah{number}.spin.asc"
        if not (self.path / name).exists():
            return np.empty(0)
        rows = self._rows(name, 9)
        return rows[rows[:, 2] == 1, 1]

    def initial(self, key):
        """A number from TwoPunctures.bbh, or None if it is not there."""
        file = self.path / "TwoPunctures.bbh"
        text = files.read_text(file, FolderError, errors="replace") if file.exists() else ""
        text = text[: text.rfind("\n") + 1]  # a last line without its end may end in a number
        found = re.search(rf"^{re.escape(key)}\s*=\s*(\S+)", text, re.M)
        if found and not (tables.NUMBER.fullmatch(found[1]) and np.isfinite(float(found[1]))):
            raise FolderError(f"{file}: {key} = {found[1]}: not a number")
        return float(found[1]) if found else None

    def grids(self):
        """Octants at the start and after every change of the mesh, as Octants."""
        rows = self.table(GRID)
        for name in ("time", "level", "size", "x", "y", "z"):
            if name not in rows:
                raise FolderError(f"{self.path / GRID}: no column {name}: the head of the file is damaged")
            self._finite(GRID, name, rows["time"], rows[name])
        self._check(GRID, rows["time"], np.inf)
        if not (rows["size"] > 0).all():
            raise FolderError(f"{self.path / GRID}: an octant of size {rows['size'].min():g}")
        t, level, size = rows["time"], rows["level"].astype(int), rows["size"]
        if not len(t):
            raise FolderError(f"{self.path / 'grid.asc'}: no octants in it")
        low = np.column_stack([rows["x"], rows["y"], rows["z"]])
        cuts = np.concatenate([[0], np.flatnonzero(np.diff(t)) + 1, [len(t)]])
        return [Octants(t[a], level[a:b], low[a:b], size[a:b]) for a, b in zip(cuts, cuts[1:])]
