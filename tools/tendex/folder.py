"""A run folder: what was written, read with the checks that a report needs."""

import json
import re
from pathlib import Path

import h5py
import numpy as np


class FolderError(Exception):
    """Something in the run folder is missing or not what it should be."""


class Folder:
    def __init__(self, path):
        self.path = Path(path)
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

    def write_summary(self, values):
        """Add to summary.json what was derived from the run; a key that is there is replaced."""
        self.summary.update(values)
        file = self.path / "summary.json"
        new = file.with_suffix(".json.new")
        new.write_text(json.dumps(self.summary, indent=2) + "\n")
        new.replace(file)

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

    def grids(self):
        """Octants at every change of the mesh: [(t, level[n], low corner[n][3], size[n])]."""
        file = self.path / "grid.asc"
        if not file.exists():
            return []
        rows = np.loadtxt(file, ndmin=2)
        if rows.shape[1] != 6:
            raise FolderError(f"{file}: {rows.shape[1]} columns, not 6")
        changes = np.flatnonzero(np.diff(rows[:, 0])) + 1
        return [(g[0, 0], g[:, 1].astype(int), g[:, 2:5], g[:, 5]) for g in np.split(rows, changes)]
