"""Slices of a run folder: which there are, and their fields as pictures of even pixels."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tendex.base import hdf5
from tendex.base.files import open_hdf5
from tendex.base.folder import FolderError

# Coordinates across and up in the plane where one is 0.
AXES = {"x": (1, 2), "y": (0, 2), "z": (0, 1)}
# In the groups of planes beside the fields.
GEOMETRY = ("origin", "spacing", "level", "points", "cells")


@dataclass
class Slice:
    """One file of slices."""

    file: Path
    time: float
    fields: tuple


def found(folder):
    """([Slice] by time, [(file, why it was left out)]). Files that a run is writing have other names."""
    whole, bad = [], []
    for file in sorted((Path(folder) / "fields").glob("slices.*.h5")):
        try:
            with open_hdf5(file) as h:
                time = hdf5.number(file, h.attrs, "time", FolderError)
                whole.append(Slice(file, time, tuple(n for n in h["z"] if n not in GEOMETRY)))
        except (FolderError, *hdf5.DAMAGED) as e:
            bad.append((file, type(e).__name__))
    return sorted(whole, key=lambda s: s.time), bad


def is_odd(field, axis):
    """Does the field change its sign in a mirror across this axis?"""
    if field == "psi4_im":
        return True
    return "_" in field and set(field.rsplit("_", 1)[1]) <= set("xyz") and field.rsplit("_", 1)[1].count(axis) % 2 == 1


@dataclass
class Plane:
    """A field on the octants that a coordinate plane cuts."""

    low: np.ndarray  # [n][2] across and up, M
    spacing: np.ndarray  # [n], M
    level: np.ndarray  # [n]
    values: np.ndarray  # [n][points up][points across], octants closed
    mirrored: tuple  # of two: does the grid end at 0 in a mirror there?
    sign: tuple  # of two: -1 where the field changes its sign there

    @property
    def size(self):
        return self.spacing * (self.values.shape[1] - 1)

    def end(self):
        """Largest coordinate of the grid."""
        return float((self.low + self.size[:, None]).max())

    def picture(self, half):
        """[pixels up][pixels across] over [-half, half] in both, half = (across, up, pixels across, pixels up): linear
        between grid points; nan where there is no grid."""
        width, height, nx, ny = half
        x = (np.arange(nx) + 0.5) / nx * 2 * width - width
        y = (np.arange(ny) + 0.5) / ny * 2 * height - height
        picture = np.full((ny, nx), np.nan)
        u, v = (np.abs(c) if m else c for c, m in zip((x, y), self.mirrored))
        for low, h, size, values in zip(self.low, self.spacing, self.size, self.values):
            columns, rows = (np.flatnonzero((c >= a) & (c < a + size)) for c, a in zip((u, v), low))
            if len(columns) and len(rows):
                picture[np.ix_(rows, columns)] = _linear(values, (v[rows] - low[1]) / h, (u[columns] - low[0]) / h)
        for axis, (c, mirrored, sign) in enumerate(zip((x, y), self.mirrored, self.sign)):
            if mirrored and sign < 0:
                picture = picture * (np.where(c < 0, -1, 1) if axis == 0 else np.where(c < 0, -1, 1)[:, None])
        return picture


def _linear(values, up, across):
    """[len(up)][len(across)] between points of an octant, in spacings from its corner."""
    last = values.shape[0] - 2
    j, i = np.minimum(up.astype(int), last), np.minimum(across.astype(int), last)
    a, b = (up - j)[:, None], across - i
    rows = (1 - a) * values[j] + a * values[j + 1]
    return (1 - b) * rows[:, i] + b * rows[:, i + 1]


def read(one, field, normal):
    """The Plane of a field of a Slice where the coordinate `normal' ('x', 'y', 'z') is 0. Raises FolderError."""
    with hdf5.opened(one.file, FolderError) as h:
        values, origin, spacing, level = (hdf5.numbers(one.file, h, f"{normal}/{name}", FolderError)
                                          for name in (field, "origin", "spacing", "level"))
    n = len(values) if values.ndim == 3 else 0
    if not n or values.shape[1] != values.shape[2] or values.shape[1] < 2 or (origin.shape, spacing.shape, level.shape) != ((n, 3), (n,), (n,)):
        raise FolderError(f"{one.file}: {normal}/{field}: shapes {values.shape}, {origin.shape}, {spacing.shape} and {level.shape} are "
                          "not those of octants")
    if not (np.isfinite(origin).all() and np.isfinite(spacing).all() and (spacing > 0).all()):
        raise FolderError(f"{one.file}: {normal}: places or spacings of octants that are no numbers above 0")
    axes = list(AXES[normal])
    low = origin[:, axes]
    mirrored = tuple(bool(low[:, d].min() == 0) for d in (0, 1))
    return Plane(low, spacing, level, values, mirrored, tuple(-1 if is_odd(field, "xyz"[d]) else 1 for d in axes))
