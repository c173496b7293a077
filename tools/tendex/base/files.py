"""Files that are whole, or not there: written beside their place as *.part, flushed to the disk, and renamed."""

import contextlib
import errno
import json
import math
import os
import shutil
from pathlib import Path

# No space, quota, or length of a file left.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class WriteError(OSError):
    """A file cannot be written. What was there before under its name is there still."""


def write(file, data):
    """Text or bytes into a file; folders on the way are made. Raises WriteError."""
    file = Path(file)
    data = data.encode(errors="surrogateescape") if isinstance(data, str) else data
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        place = file.resolve()
        if place.exists() and not place.is_file():  # a pipe or a device
            place.write_bytes(data)
        else:
            _put(place, data)
    except OSError as e:
        room = _room(file) if e.errno in FULL else ""
        raise WriteError(f"cannot write {file}: {e.strerror or e}{room}") from e


def _put(place, data):
    part = place.with_name(place.name + ".part")
    try:
        with part.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        if place.exists():
            shutil.copymode(place, part)
        part.replace(place)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _room(file):
    """How much room there is; nothing where that is not known."""
    try:
        free = shutil.disk_usage(file.parent).free
    except OSError:
        return ""
    return f" ({free / 2**20:.0f} MiB free there); free some space or write to another disk"


@contextlib.contextmanager
def beside(file):
    """A path beside the file, with its suffix, for others to write; it becomes the file at the end, if nothing failed. Folders
    on the way are made. Raises WriteError."""
    file = Path(file)
    part = file.with_name(f"{file.stem}.part{file.suffix}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        yield part
        part.replace(file)
    except WriteError:
        raise
    except OSError as e:
        room = _room(file) if e.errno in FULL else ""
        raise WriteError(f"cannot write {file}: {e.strerror or e}{room}") from e
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def open_hdf5(file):
    """An h5py.File to read. Without HDF5's lock: some file systems have none, and a program may be adding to the file."""
    with contextlib.suppress(LockError):
        return _open_hdf5(file, "r")
    import h5py
    return h5py.File(Path(file).open("rb"), "r")  # Python reads, and locks nothing


def new_hdf5(file):
    """An h5py.File to fill on the disk, without a lock. Raises LockError where HDF5 wants one nevertheless."""
    return _open_hdf5(file, "w")


class LockError(OSError):
    """HDF5 wants a lock that it does not get."""


def _open_hdf5(file, mode):
    import h5py  # for these alone: sweeps do without
    try:
        try:
            return h5py.File(file, mode, locking=False)
        except (TypeError, ValueError):  # not known to h5py before 3.5, or to its HDF5
            return h5py.File(file, mode)
    except OSError as e:
        if "unable to lock" in str(e):
            raise LockError(f"HDF5 cannot lock {file}; set the environment variable HDF5_USE_FILE_LOCKING to FALSE") from e
        raise


@contextlib.contextmanager
def hdf5(file):
    """An h5py.File to fill, which becomes the file at the end, if nothing failed. It is made in memory: HDF5 does not
    survive a disk that fills up."""
    import h5py
    with h5py.File(str(file), "w", driver="core", backing_store=False, block_size=1 << 20) as h:
        yield h
        h.flush()
        image = h.id.get_file_image()
    write(file, image)


class ReadError(OSError):
    """A file cannot be read, or is not what it should be."""


def name_of(path):
    """The name of a file or folder as text, whatever the locale's encoding is; bytes that are no letters as \\xff."""
    return os.fsencode(Path(path).name).decode("utf-8", errors="backslashreplace")


def read_text(file, error=ReadError, errors="strict"):
    """The text of a file in UTF-8, its ends of lines as \\n; errors: as of bytes.decode. Raises `error'."""
    try:
        data = Path(file).read_bytes()
    except OSError as e:
        raise error(f"{file}: {e.strerror}") from e
    try:
        return data.decode("utf-8-sig", errors).replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as e:
        at = data.count(b"\n", 0, e.start) + 1
        raise error(f"{file}: line {at}: byte 0x{data[e.start]:02x} is not UTF-8; save the file as UTF-8") from None


def read_json(file, error=ReadError, kind=dict):
    """The values of a JSON file, of a kind: dict or list. Raises `error'."""
    text = read_text(file, error)
    try:
        found = json.loads(text, parse_float=_finite, parse_int=_finite, parse_constant=_finite)
    except (ValueError, RecursionError) as e:
        raise error(f"{file}: not JSON: {e}") from None
    if not isinstance(found, kind):
        raise error(f"{file}: holds no " + ("names with values" if kind is dict else "list"))
    return found


def _finite(text):
    """int where it is written so."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]}: not a finite number")
    return int(text) if text.lstrip("-").isdigit() else value


def numbers_of(values, keys, file, error=ReadError):
    """Raise `error' where one of the keys is there and no finite number; null is as if it were not there."""
    for key in keys:
        value = values.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value)):
            raise error(f"{file}: {key} is {json.dumps(value)[:40]}, not a number")


def json_text(values, indent=2):
    """Numbers with all their digits; arrays become lists, and what is not finite null, as JSON has no such number."""
    return json.dumps(_plain(values), indent=indent, allow_nan=False) + "\n"


def write_json(file, values, indent=2):
    """The text of json_text."""
    write(file, json_text(values, indent))


def _plain(x):
    if isinstance(x, dict):
        return {key: _plain(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [_plain(value) for value in x]
    if hasattr(x, "tolist"):  # of NumPy
        return _plain(x.tolist())
    return None if isinstance(x, float) and not math.isfinite(x) else x
