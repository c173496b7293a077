"""A run folder that may still be written to: what can be read of it, and a list of what could not.

Text files may end in half a line, which is left out. The HDF5 file of the waves is opened without a lock, and read
again after a moment where the run was just writing; modes that stay unreadable are taken from their text files.
"""

import re
import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tendex.base import files, hdf5, runlog, tables
from tendex.base.files import open_hdf5
from tendex.base.folder import GRID, MODE, FolderError
from tendex.waves.holes import hole
from tendex.waves.reading.run import Run

TRIES, PAUSE = 3, 0.2  # s
MODES = "waves/mp_psi4.h5"


@dataclass
class Remnant:
    """The hole that is left, as its horizon was last seen."""

    mass: float
    chi: float  # a/m with the sign of the spin's z component
    first_seen: float
    shown: float  # a/m, below 0 against the orbit (hole.sign)


class Live(Run):
    """A Run that does without what is missing. `missing`: lines that say what; `notes`: what else a
    reader of a page has to know."""

    def __init__(self, path):
        super().__init__(path)
        self.missing, self.notes = [], []
        self.log = runlog.read(self.path)
        self.state, self.why = runlog.state(self.path, self.summary, self.log)

    def warn(self, text):
        self._lacks(text)

    def _lacks(self, text):
        if text not in self.missing:
            self.missing.append(text)

    @property
    def mass(self):
        """As near to the holes' initial masses together as the folder tells."""
        return self.mass_said

    @property
    def has_holes(self):
        return bool(self.tracks()[1]) or (self.path / "TwoPunctures.bbh").exists()

    @property
    def reached(self):
        """Time that the run has reached, as its log and tracks tell."""
        times = [self.log.reached() if self.log else 0.0, *self.tracks()[0][-1:], self.summary.get("t", 0.0)]
        return float(max(times))

    @property
    def t_end(self):
        """Time at which it is to end, or None."""
        end = self.parameters.get("run.t_end")
        return self.log.last.t_end or end if self.log else end

    def _parsed(self, name, columns):
        found = tables.parse(files.read_text(self.path / name, FolderError, errors="replace"), columns)
        if found.bad:
            self._lacks(f"{name}: {len(found.bad)} damaged line{'s' if len(found.bad) > 1 else ''} left out")
        return found

    def remnant(self):
        """As the common horizon was last seen so far, or None."""
        common = self.common()
        if common is None or not common.mass[-1] > 0:
            return None
        spin_z = float(common.spin[-1, 2])
        chi = float(common.chi[-1])
        return Remnant(float(common.mass[-1]), float(np.copysign(chi, spin_z)), float(common.time[0]),
                       hole.sign(chi, common.spin[-1], self.orbit_axis) * chi)

    def first_grid(self):
        """Octants at the start, or None if there are none yet."""
        return self.grids()[0] if len(self.table(GRID).get("time", [0])) else None

    def surface(self, number):
        """Surfaces of a horizon: (t [n], centre [n][3], coefficients [n][(l_max + 1)^2]); empty if there are none."""
        name = f"horizons/ah{number}.surface.asc"
        rows = self._rows(name, None) if (self.path / name).exists() else np.empty((0, 0))
        if not len(rows):
            return np.empty(0), np.empty((0, 3)), np.empty((0, 1))
        return rows[:, 1], rows[:, 2:5], rows[:, 5:]

    @cached_property
    def _modes(self):
        found = self._modes_hdf5() if (self.path / MODES).exists() else {}
        if not found:
            found = self._modes_text()
        agreed = {r: self._agreed(r, found[r]) for r in sorted(found)}
        if not any(agreed.values()):
            raise FolderError(f"{self.path / MODES}: no readable modes yet")
        return self._common({r: modes for r, modes in agreed.items() if modes})

    def _common(self, found):
        """Those that all spheres have."""
        common = set.intersection(*(set(modes) for modes in found.values()))
        for radius, modes in found.items():
            if set(modes) != common:
                self._lacks(f"psi4: {len(modes) - len(common)} modes at r = {radius:g} that other spheres have not")
        if not common:
            raise FolderError(f"{self.path / MODES}: no mode that all spheres have")
        return {radius: {lm: modes[lm] for lm in sorted(common)} for radius, modes in found.items()}

    def modes(self):
        return self._modes

    @cached_property
    def tetrad(self):
        try:
            with open_hdf5(self.path / MODES) as h:
                return hdf5.text(h.attrs, "tetrad")
        except hdf5.DAMAGED:
            return ""  # modes are from the text files

    def _modes_hdf5(self):
        for again in range(TRIES):
            try:
                with open_hdf5(self.path / MODES) as h:
                    found, bad = self._datasets(h)
                if bad == 0 or again == TRIES - 1:
                    if bad:
                        self._lacks(f"{MODES}: {bad} datasets cannot be read")
                    return found
            except hdf5.DAMAGED as e:
                if again == TRIES - 1:
                    self._lacks(f"{MODES}: cannot be read ({type(e).__name__}): modes from the text files")
            time.sleep(PAUSE)
        return {}

    def _datasets(self, h):
        found, bad = {}, 0
        for name in h:
            match = MODE.fullmatch(name)
            if not match:
                continue
            try:
                rows = hdf5.rows(self.path / MODES, h, name, 3, FolderError)
            except (FolderError, *hdf5.DAMAGED):
                bad += 1
                continue
            found.setdefault(float(match[3]), {})[int(match[1]), int(match[2])] = rows
        return found, bad

    def _modes_text(self):
        found = {}
        for file in sorted((self.path / "waves").glob("mp_psi4_l*_m*_r*.asc")):
            match = re.fullmatch(r"mp_psi4_l(\d+)_m(-?\d+)_r(\d+\.\d\d)\.asc", file.name)
            if match:
                rows = self._rows(f"waves/{file.name}", 3)
                found.setdefault(float(match[3]), {})[int(match[1]), int(match[2])] = rows
        return found

    def _agreed(self, radius, modes):
        """{(l, m): (t, psi4)} up to the first time that a mode of this sphere does not have, or is not finite at."""
        n = min(len(rows) for rows in modes.values())
        good = np.all([np.isfinite(rows[:n]).all(axis=1) & (rows[:n, 0] == next(iter(modes.values()))[:n, 0])
                       for rows in modes.values()], axis=0) if n else np.zeros(0, bool)
        good &= np.diff(next(iter(modes.values()))[:n, 0], prepend=-np.inf) > 0
        whole = n if good.all() else int(np.argmin(good))
        if whole < n:
            self._lacks(f"psi4 at r = {radius:g}: not finite or not whole from row {whole + 1} on")
        if whole < 2:
            return {}
        return {lm: (rows[:whole, 0], rows[:whole, 1] + 1j * rows[:whole, 2]) for lm, rows in modes.items()}
