"""Join the worldtubes of a run for SpECTRE: one file per sphere, from its first row to its last.

At each checkpoint a run begins new files, worldtubes/<step>.CceR<radius>.h5, each of which SpECTRE reads. Joined files are
CceR<radius>.h5, in RUN/analysis unless -o says otherwise. Rows are checked: all data sets have the same times, which increase
from file to file. Runs that are still going may be joined too, as far as they are written. docs/worldtubes.md lists the
programs that read the files, and their options.

    tendex-waves worldtubes out/bbh_q1 -o cce
"""

import contextlib
import re
import shutil
import warnings
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from tendex.base import hdf5, tables
from tendex.base.files import WriteError, new_hdf5, open_hdf5
from tendex.base.folder import FolderError, FolderWarning, no_folder

SUMMARY = "join the files of each worldtube, for characteristic extraction with SpECTRE"
NAME = re.compile(r"(\d+)\.(CceR\d{4})\.h5")
TIMES = "Lapse.dat"
# Rows of a chunk, as SpECTRE has them; rows that are copied at once.
CHUNK, AT_ONCE = 4, 64
# Between rows, over what is usual: then some are missing.
GAP = 1.5
# What HDF5 writes beside the rows, at most.
MORE = 1.1


def arguments(parser):
    parser.add_argument("folder", metavar="RUN", help="run folder")
    parser.add_argument("-o", metavar="FOLDER", help="where to write (RUN/analysis)")


@dataclass
class Tube:
    """The rows of one sphere."""

    name: str  # CceR0100
    files: list  # in the order of their rows
    t: np.ndarray
    data_bytes: int


def parts_of(folder):
    """{name: [files in the order of their first steps]}; FolderError if there are none."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FolderError(no_folder(folder))
    found = {}
    for file in (folder / "worldtubes").glob("*.h5"):
        if match := NAME.fullmatch(file.name):
            found.setdefault(match[2], []).append((int(match[1]), file))
    if not found:
        raise FolderError(f"{folder}: no worldtubes; the parameter waves.worldtubes asks for them")
    return {name: [file for _, file in sorted(files)] for name, files in sorted(found.items())}


@contextlib.contextmanager
def reading(file):
    """The file of a run, which may be adding to it."""
    try:
        h = open_hdf5(file)
    except hdf5.DAMAGED as e:
        raise FolderError(f"{file}: cannot be read; if the run goes on, it is just being written: try again") from e
    with h, hdf5.reading(file, FolderError):
        yield h


def look(name, files):
    """A Tube, checked; warns of rows that are missing."""
    times, total, sets = [], 0, None
    for file in files:
        with reading(file) as h:
            t, columns, size = _times_of(file, h)
            if sets not in (None, (set(h), columns)):
                raise FolderError(f"{file}: has other data sets or columns than {files[0].name}")
            sets = set(h), columns
            times.append(t)
            total += size
    t = np.concatenate(times)
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        file = files[int(np.searchsorted(np.cumsum([len(part) for part in times]), back[0] + 1, "right"))]
        raise FolderError(f"{file}: {name} has t = {t[back[0] + 1]:.6g} after {t[back[0]]:.6g}: its files are not of one run")
    _warn_of_gaps(name, t)
    return Tube(name, files, t, total)


def _times_of(file, h):
    """(times, columns, bytes) of a file, whose data sets must all have the same."""
    if TIMES not in h:
        raise FolderError(f"{file}: has no data set {TIMES}")
    for key, data in h.items():
        if not isinstance(data, h5py.Dataset) or data.dtype.kind not in "fiu" or data.ndim != 2 or data.shape[1] < 2:
            raise FolderError(f"{file}: {key} is no table of numbers")
    shape, t = h[TIMES].shape, h[TIMES][:, 0]
    tables.check_finite(file, TIMES, t, t, FolderError)
    for key, data in h.items():
        if data.shape != shape or not np.array_equal(data[:, 0], t):
            raise FolderError(f"{file}: {key} has other times or columns than {TIMES}")
    return t, shape[1], sum(data.size * data.dtype.itemsize for data in h.values())


def _warn_of_gaps(name, t):
    apart = np.diff(t)
    for at in np.flatnonzero(apart > GAP * np.median(apart)) if len(apart) else []:
        warnings.warn(f"{name}: no rows between t = {t[at]:.6g} and {t[at + 1]:.6g} M", FolderWarning, stacklevel=3)


def join(tube, file):
    """Write it whole, beside its place and then renamed."""
    file = Path(file)
    part = file.with_name(file.name + ".part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(file.parent).free
        if free < MORE * tube.data_bytes:
            raise WriteError(f"cannot write {file}: it takes {tube.data_bytes / 2**20:.0f} MiB, and {free / 2**20:.0f} MiB "
                             "are free there; free some space or write to another disk")
        with new_hdf5(part) as out:
            _copy(tube, out)
        part.replace(file)
    except (OSError, RuntimeError, FolderError) as e:
        with contextlib.suppress(OSError):
            part.unlink()
        if isinstance(e, (WriteError, FolderError)):
            raise
        raise WriteError(f"cannot write {file}: {getattr(e, 'strerror', None) or e}") from e


def _copy(tube, out):
    n = 0
    for file in tube.files:
        with reading(file) as h:
            rows = h[TIMES].shape[0]
            if not out.keys():
                _begin(h, out, len(tube.t))
            for key, to in out.items():
                for at in range(0, rows, AT_ONCE):
                    some = h[key][at:min(at + AT_ONCE, rows)]
                    tables.check_finite(file, key, some[:, 0], some, FolderError)
                    to[n + at:n + at + len(some)] = some
            n += rows


def _begin(h, out, rows):
    out.attrs.update({key: value for key, value in h.attrs.items()})
    for key, data in h.items():
        columns = data.shape[1]
        to = out.create_dataset(key, (rows, columns), "f8", maxshape=(None, columns), chunks=(CHUNK, columns))
        legend = data.attrs.get("Legend")
        if np.shape(legend) != (columns,):
            raise FolderError(f"{data.file.filename}: {key}: no Legend of {columns} columns")
        to.attrs.create("Legend", legend, dtype=h5py.string_dtype("ascii"))


def joined(run, folder=None):
    """Write all; returns [(Tube, file)]."""
    folder = Path(run) / "analysis" if folder is None else Path(folder)
    tubes = [look(name, files) for name, files in parts_of(run).items()]
    written = [(tube, folder / f"{tube.name}.h5") for tube in tubes]
    for tube, file in written:
        join(tube, file)
    return written


def run(args):
    for tube, file in joined(args.folder, args.o):
        n = len(tube.files)
        span = f"t = {tube.t[0]:.6g} to {tube.t[-1]:.6g} M" if len(tube.t) else "no time"
        print(f"{file}: {len(tube.t)} rows, {span}, of {n} file{'s' if n > 1 else ''}, "
              f"{file.stat().st_size / 1e6:.1f} MB")
