"""What is in HDF5 files, which may be damaged, or hold something else than their names say."""

import contextlib

import h5py
import numpy as np

from tendex.base.files import open_hdf5
from tendex.base.tables import check_finite

# Raised by h5py for damaged files; MemoryError where a damaged shape asks for more than there is.
DAMAGED = (OSError, RuntimeError, KeyError, TypeError, ValueError, AttributeError, OverflowError, MemoryError)


@contextlib.contextmanager
def reading(file, error):
    """While a file is read: what the library raises becomes `error', with the file's name."""
    try:
        yield
    except error:
        raise
    except DAMAGED as e:
        why = str(e).strip().splitlines() or [type(e).__name__]
        raise error(f"{file}: cannot be read: {why[0]}") from e


@contextlib.contextmanager
def opened(file, error):
    """An h5py.File to read, without a lock; what fails becomes `error' as in reading()."""
    with reading(file, error), open_hdf5(file) as h:
        yield h


def is_hdf5(file):
    """Does a file begin as HDF5 files do? False where it cannot be read."""
    try:
        return bool(h5py.is_hdf5(file))
    except DAMAGED:
        return False


def numbers(file, h, name, error):
    """The real numbers of a dataset, of any shape."""
    data = h[name]
    if not isinstance(data, h5py.Dataset):
        raise error(f"{file}: {data.name}: a group, not a dataset")
    if data.dtype.kind not in "fiu" or data.shape is None:
        raise error(f"{file}: {data.name}: values of type {data.dtype}, not numbers")
    return np.asarray(data[()], float)


def rows(file, h, name, columns, error):
    """The numbers [n][columns] of a dataset."""
    found = numbers(file, h, name, error)
    if found.ndim != 2 or found.shape[1] != columns:
        raise error(f"{file}: {h[name].name.lstrip('/')}: shape {found.shape}, not (N, {columns})")
    return found


def series(file, h, name, what, error, few="too few for waves"):
    """(t [n], complex [n]) of rows t, Re, Im; all finite. what: the mode, for messages."""
    found = rows(file, h, name, 3, error)
    if len(found) < 2:
        raise error(f"{file}: {name} has fewer than two rows, {few}")
    check_finite(file, what, found[:, 0], found[:, 1:], error)
    return found[:, 0], found[:, 1] + 1j * found[:, 2]


def text(attributes, name, default=""):
    """An attribute as text."""
    value = attributes.get(name, default)
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def number(file, attributes, name, error):
    """An attribute as a real number; it may be infinite, not nan."""
    value = attributes.get(name)
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise error(f"{file}: attribute {name} is {value!r}, not a number") from None
    if value != value:
        raise error(f"{file}: attribute {name} is {value!r}, not a number")
    return value
