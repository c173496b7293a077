"""A run folder: what was written, read with the checks that its readers need."""

import json
import re
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from tendex import files, tables

# Datasets of modes: l, m and the coordinate radius.
MODE = re.compile(r"l(\d+)_m(-?\d+)_r(\d+\.\d\d)")
TRACKS, HORIZONS, GRID = "puncturetracker-pt_loc..asc", "horizons.asc", "grid.asc"
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
    from tendex import hdf5
    found = {}
    for match in filter(None, map(MODE.fullmatch, h)):
        l, m, radius = int(match[1]), int(match[2]), float(match[3])
        found.setdefault(radius, {})[l, m] = hdf5.series(file, h, match[0], hdf5.mode(l, m, radius), FolderError)
    return found


def no_folder(path):
    """Why a path is not the folder of a run, where it is no folder."""
    if Path(path).is_file():
        return f"{path}: is a file; give the folder of a run, e.g. out/head_on"
    return f"{path}: no such run folder"


class Folder:
    """A run folder. `warnings`: what of it is not all there, as it was read so far."""

    finished = True

    def __init__(self, path):
        self.path = Path(path)
        self.name = self.path.resolve().name
        if not self.path.is_dir():
            raise FolderError(no_folder(path))
        self.summary = self._json("summary.json")

    @cached_property
    def warnings(self):
        return []

    @cached_property
    def _read(self):
        """{name of a text file: (its time and size, its rows)}, as a run may be writing it still."""
        return {}

    def warn(self, text):
        """Once."""
        if text not in self.warnings:
            self.warnings.append(text)
            warnings.warn(text, FolderWarning, stacklevel=3)

    def _json(self, name):
        file = self.path / name
        if not file.exists():
            raise FolderError(f"{file}: missing; did the run finish?")
        return files.read_json(file, FolderError)

    def modes(self):
        """{radius: {(l, m): (t, psi4)}} from waves/mp_psi4.h5, radii ascending."""
        file = self.path / "waves" / "mp_psi4.h5"
        if not file.exists():
            raise FolderError(f"{file}: missing; were waves.radii set?")
        import h5py  # for this alone: sweeps do without
        from tendex import hdf5
        with hdf5.reading(file, FolderError), h5py.File(file, "r") as h:
            found = _datasets(file, h)
        if not found:
            raise FolderError(f"{file}: no datasets named l<l>_m<m>_r<R>")
        return dict(sorted(found.items()))

    @cached_property
    def tetrad(self):
        """Of psi4, as waves/mp_psi4.h5 says; "" if it does not."""
        import h5py
        from tendex import hdf5
        file = self.path / "waves" / "mp_psi4.h5"
        with hdf5.reading(file, FolderError), h5py.File(file, "r") as h:
            return hdf5.text(h.attrs, "tetrad")

    def _rows(self, name, columns):
        """Numbers [n][columns] of a text file, not to be written to; a last line without its end, which a run may be writing, is
        left out."""
        state = (self.path / name).stat()
        state = state.st_mtime_ns, state.st_size, state.st_ino
        if self._read.get(name, (None,))[0] != state:
            self._read[name] = state, self._parsed(name, columns)
        return self._read[name][1]

    def _parsed(self, name, columns):
        return tables.read(self.path / name, FolderError, columns).rows

    def _check_end(self, name, times, late=LATE):
        """Warn of a series of a finished run that ends in half a line, or long before the run. `late': steps between
        rows that it may end before."""
        file = self.path / name
        if not self.finished or not len(times):
            return
        with open(file, "rb") as f:
            f.seek(-1, 2)
            cut = f.read() != b"\n"
        steps, end = np.diff(np.unique(times[-50:])), self.summary.get("t")
        short = end is not None and len(steps) and end - times[-1] > late * steps.max()
        if not cut and not short:
            return
        lines = file.read_bytes().count(b"\n")
        said = [f"line {lines + 1} is cut short and left out"] if cut else []
        if short:
            said.append(f"{'line' if cut else 'ends with line'} {lines}{' before it is' if cut else ''} at t = "
                        f"{times[-1]:g}, but the run went on to t = {end:g}")
        self.warn(f"{file}: {', and '.join(said)}: the file is damaged, or an incomplete copy")

    def table(self, name):
        """{column name: values} of a text table headed by a line "# 1:iteration 2:time 3:...\"."""
        file = self.path / name
        if not file.exists():
            raise FolderError(f"{file}: missing")
        heads = []
        with open(file, errors="replace") as f:
            for line in f:
                if not line.startswith("#"):
                    break
                heads = re.findall(r"\b\d+:(\S+)", line) or heads
        if not heads:
            raise FolderError(f"{file}: no names of columns")
        found = dict(zip(heads, self._rows(name, len(heads)).T))
        if "time" in found and name not in (HORIZONS, GRID):
            self._check_end(name, found["time"])
        return found

    def tracks(self):
        """Positions of the punctures: (t, x[n_punctures][n][3]) from the Einstein Toolkit's columns."""
        if not (self.path / TRACKS).exists():
            return np.empty(0), []
        rows = self._rows(TRACKS, 52)
        tracks = [rows[:, [22 + slot, 32 + slot, 42 + slot]] for slot in range(10)]
        self._check_end(TRACKS, rows[:, 8])
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
        self._check_end(HORIZONS, rows["time"], LATE if found.any() else LATE_IN_VAIN)
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

    def initial(self, key):
        """A number from TwoPunctures.bbh, or None if it is not there."""
        file = self.path / "TwoPunctures.bbh"
        text = file.read_text(errors="replace") if file.exists() else ""
        found = re.search(rf"^{re.escape(key)}\s*=\s*(\S+)", text, re.M)
        try:
            return float(found[1]) if found else None
        except ValueError:
            raise FolderError(f"{file}: {key} = {found[1]}: not a number") from None

    def grids(self):
        """Octants at the start and after every change of the mesh, as Octants."""
        rows = self.table(GRID)
        t, level, size = rows["time"], rows["level"].astype(int), rows["size"]
        if not len(t):
            raise FolderError(f"{self.path / 'grid.asc'}: no octants in it")
        low = np.column_stack([rows["x"], rows["y"], rows["z"]])
        cuts = np.concatenate([[0], np.flatnonzero(np.diff(t)) + 1, [len(t)]])
        return [Octants(t[a], level[a:b], low[a:b], size[a:b]) for a, b in zip(cuts, cuts[1:])]
