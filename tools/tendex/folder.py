"""A run folder: what was written, read with the checks that its readers need."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np


class FolderError(Exception):
    """Something in the run folder is missing or not what it should be."""


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


class Folder:
    def __init__(self, path):
        self.path = Path(path)
        self.name = self.path.resolve().name
        if not self.path.is_dir():
            raise FolderError(f"{path}: no such run folder")
        self.summary = self._json("summary.json")

    def _json(self, name):
        file = self.path / name
        if not file.exists():
            raise FolderError(f"{file}: missing; did the run finish?")
        try:
            return json.loads(file.read_text())
        except ValueError as e:
            raise FolderError(f"{file}: {e}") from e

    def modes(self):
        """{radius: {(l, m): (t, psi4)}} from waves/mp_psi4.h5, radii ascending."""
        file = self.path / "waves" / "mp_psi4.h5"
        if not file.exists():
            raise FolderError(f"{file}: missing; were waves.radii set?")
        found = {}
        with h5py.File(file, "r") as h:
            for name, data in h.items():
                match = re.fullmatch(r"l(\d+)_m(-?\d+)_r(\d+\.\d\d)", name)
                if not match:
                    continue
                rows = data[()]
                if rows.ndim != 2 or rows.shape[1] != 3 or len(rows) < 2:
                    raise FolderError(f"{file}: {name}: shape {rows.shape}, not (N > 1, 3)")
                if not np.isfinite(rows).all():
                    raise FolderError(f"{file}: {name}: values that are not finite")
                l, m = int(match[1]), int(match[2])
                found.setdefault(float(match[3]), {})[l, m] = (rows[:, 0], rows[:, 1] + 1j * rows[:, 2])
        if not found:
            raise FolderError(f"{file}: no datasets named l<l>_m<m>_r<R>")
        return dict(sorted(found.items()))

    def table(self, name):
        """{column name: values} of a text table headed by a line "# 1:iteration 2:time 3:...\"."""
        file = self.path / name
        if not file.exists():
            raise FolderError(f"{file}: missing")
        heads = []
        with open(file) as f:
            for line in f:
                if not line.startswith("#"):
                    break
                heads = re.findall(r"\b\d+:(\S+)", line)
        rows = np.loadtxt(file, ndmin=2)
        if len(heads) != rows.shape[1]:
            raise FolderError(f"{file}: {rows.shape[1]} columns, but {len(heads)} names")
        return dict(zip(heads, rows.T))

    def tracks(self):
        """Positions of the punctures: (t, x[n_punctures][n][3]) from the Einstein Toolkit's columns."""
        file = self.path / "puncturetracker-pt_loc..asc"
        if not file.exists():
            return np.empty(0), []
        rows = np.loadtxt(file, ndmin=2)
        if rows.size and rows.shape[1] != 52:
            raise FolderError(f"{file}: {rows.shape[1]} columns, not 52")
        times = rows[:, 8]
        tracks = []
        for slot in range(10):
            x = rows[:, [22 + slot, 32 + slot, 42 + slot]]
            if rows[:, 12 + slot].any() or x.any():
                tracks.append(x)
        return times, tracks

    def horizons(self):
        """{number: Horizon} of the searches that succeeded; 1 and 2 about a puncture, 3 about both."""
        if not (self.path / "horizons.asc").exists():
            return {}
        rows = self.table("horizons.asc")
        found = {}
        for number in np.unique(rows["horizon"]).astype(int):
            seen = (rows["horizon"] == number) & (rows["found"] == 1)
            if seen.any():
                centre = np.column_stack([rows[f"centroid_{x}"][seen] for x in "xyz"])
                found[number] = Horizon(rows["time"][seen], centre, rows["radius_mean"][seen])
        return found

    def initial(self, key):
        """A number from TwoPunctures.bbh, or None if it is not there."""
        file = self.path / "TwoPunctures.bbh"
        found = re.search(rf"^{re.escape(key)}\s*=\s*(\S+)", file.read_text(), re.M) if file.exists() else None
        return float(found[1]) if found else None

    def grids(self):
        """Octants at the start and after every change of the mesh, as Octants."""
        rows = self.table("grid.asc")
        t, level, size = rows["time"], rows["level"].astype(int), rows["size"]
        low = np.column_stack([rows["x"], rows["y"], rows["z"]])
        cuts = np.concatenate([[0], np.flatnonzero(np.diff(t)) + 1, [len(t)]])
        return [Octants(t[a], level[a:b], low[a:b], size[a:b]) for a, b in zip(cuts, cuts[1:])]
