"""A run folder made small: what a later analysis of its waves needs, which the tools read as any other.

Modes on some spheres, rounded and at fewer times; areal radii, lapse, expansions, turning and fluxes of these spheres, tracks and
horizons at those times; the grid at the start and at the end; parameters, summary and initial data. Left out are the log, slices, norms and what
other codes' tools read."""

import lzma
import re
import shutil
import tarfile
import tempfile
from pathlib import Path

import h5py
import numpy as np

from tendex.base.files import write
from tendex.waves.reading.run import Run

# Modes to this l are rounded to the first part of the sphere's greatest psi4; others, which energies and momenta need, to the second.
L_FINE, PARTS = 4, (2e-8, 2e-5)
# Distance of times in the holes' masses together: ten in a period of the fastest ringdown, that of (4,4) of a fast hole.
STEP = 0.6
# Digits of times, and of values of spheres: some more than single precision has.
TIMES, DIGITS = 12, 9
SPHERES = (25.0, 30.0, 45.0, 75.0)
WHOLE = ("summary.json", "TwoPunctures.bbh")
OF_SPHERES = ("energy.asc", "waves/areal_radius.asc", "waves/expansion.asc", "waves/lapse.asc", "waves/turning.asc")
OF_HOLES = ("puncturetracker-pt_loc..asc", "quasilocalmeasures-qlm_scalars..asc", "horizons.asc")


def nearest(radii, wanted=SPHERES):
    """[radius] of the spheres there are that are nearest to those wanted, ascending."""
    return sorted({min(radii, key=lambda r: abs(r - one)) for one in wanted})


def sphere_of(name):
    """Radius that a column or data set is of; None if it is of none."""
    found = re.search(r"(?:^|_)r([0-9]+\.[0-9]{2})$", name)
    return float(found[1]) if found else None


def _table(path, to, radii, step):
    """Rows every `step' of time, and without columns of other spheres, of fluxes, and of linear momentum."""
    lines = path.read_text().splitlines()
    head, rows = [line for line in lines if line.startswith("#")], [line.split() for line in lines if not line.startswith("#")]
    numbered = re.findall(r"([0-9]+):(\S+)", " ".join(head))
    when = next(int(n) - 1 for n, name in numbered if name == "time")
    columns = range(len(rows[0]))
    if radii:
        columns = [int(n) - 1 for n, name in numbered if sphere_of(name) is None or
                   any(abs(sphere_of(name) - r) < 0.005 for r in radii) and not name.startswith(("d", "P"))]
        head[-1] = "# " + " ".join(f"{n}:{numbered[c][1]}" for n, c in enumerate(columns, 1))
    times = np.array([float(row[when]) for row in rows])
    made = [" ".join(shorter(row[c], DIGITS if radii and c != when else TIMES) for c in columns) for row, keep in zip(rows, kept(times, step)) if keep]
    write(to, "\n".join(head + made) + "\n")


def shorter(word, digits):
    """A number of a table with fewer digits; whole numbers and what is none as they are."""
    return word if word.lstrip("-").isdigit() or not np.isfinite(float(word)) else f"{float(word):.{digits}g}"


def kept(times, step):
    """[n] whether a row is kept: those of the first time in each `step', and of the last time."""
    single = np.unique(times)
    first = np.concatenate([[True], np.diff(np.floor(single / step + 1e-6)) != 0])
    return np.isin(times, np.append(single[first], single[-1]))


def _modes(path, to, radii, step):
    """Modes without compression: whoever packs them finds more that is the same, such as times, and m beside -m."""
    with h5py.File(path) as old, h5py.File(to, "w") as new:
        for key, value in old.attrs.items():
            new.attrs[key] = value
        names = [name for name in old if any(abs(sphere_of(name) - r) < 0.005 for r in radii)]
        greatest = {}
        for name in names:
            greatest[sphere_of(name)] = max(greatest.get(sphere_of(name), 1e-300), float(np.abs(old[name][:, 1:]).max()))
        for name in names:
            values = old[name][:]
            even = max(1, round(step / np.mean(np.diff(values[:, 0]))))
            values = values[::even]
            part = PARTS[int(re.match(r"l([0-9]+)_", name)[1]) > L_FINE]
            unit = 2.0 ** np.floor(np.log2(part * greatest[sphere_of(name)]))
            values[:, 1:] = np.rint(values[:, 1:] / unit) * unit
            new.create_dataset(name, data=values, chunks=(len(values), 1), shuffle=True)


def _grids(path, to):
    """Octants at the first and last time."""
    lines = path.read_text().splitlines(True)
    head = [line for line in lines if line.startswith("#")]
    rows = [line for line in lines if not line.startswith("#")]
    times = [line.split(None, 1)[0] for line in rows]
    write(to, "".join(head + [line for line, t in zip(rows, times) if t in (times[0], times[-1])]))


def thin(path, to, spheres=SPHERES):
    """Make a small copy `to' of the run folder `path'."""
    run, path, to = Run(path), Path(path), Path(to)
    radii = nearest(run.parameters["waves.radii"], spheres)
    step = STEP * run.mass
    (to / "waves").mkdir(parents=True)
    for name in WHOLE:
        if (path / name).exists():
            shutil.copy(path / name, to / name)
    text = (path / "run.yaml").read_text()
    write(to / "run.yaml", re.sub(r"^( *radii:).*?\]", rf"\1 {radii}", text, count=1, flags=re.M | re.S))
    for name in OF_SPHERES + OF_HOLES:
        if (path / name).exists():
            _table(path / name, to / name, radii if name in OF_SPHERES else [], step)
    _grids(path / "grid.asc", to / "grid.asc")
    _modes(path / "waves/mp_psi4.h5", to / "waves/mp_psi4.h5", radii, step)


def pack(path, archive, spheres=SPHERES):
    """Write the small copy of a run folder as a compressed archive, NAME/... in NAME.tar.xz; its Path."""
    archive = Path(archive)
    archive.parent.mkdir(parents=True, exist_ok=True)
    name = archive.name.removesuffix(".tar.xz")
    with tempfile.TemporaryDirectory() as folder:
        thin(path, Path(folder) / name, spheres)
        with lzma.open(archive, "wb", preset=9 | lzma.PRESET_EXTREME) as file, tarfile.open(fileobj=file, mode="w") as tar:
            tar.add(Path(folder) / name, name, filter=_plain)
    return archive


def _plain(info):
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def unpack(archive, to):
    """Path of the run folder of an archive, unpacked in the folder `to'."""
    with tarfile.open(archive) as tar:
        tar.extractall(to)
    return Path(to) / Path(archive).name.removesuffix(".tar.xz")
