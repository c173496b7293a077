"""Strain from wherever it comes: our runs, formats of the SXS catalogue, LVC-NR and the Einstein Toolkit, models.

What a path is is seen from what is there, never from its name alone (but SXS files tell psi4 from strain only by name).
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tendex.base import hdf5
from tendex.waves.catalogues import catalogue_lvcnr, catalogue_model, catalogue_sxs, catalogue_toolkit, metadata
from tendex.waves.extraction import standard
from tendex.waves.reading import wavefile
from tendex.waves.reading.run import Run
from tendex.waves.signal import align, ffi
from tendex.waves.signal.modes import WaveError, Waves

UNDERSTOOD = ("understood are: a run folder of Tendex, files of `tendex-waves strain' and `extrapolate', SXS files "
              "(rhOverM_*.h5, rh_*.h5, rMPsi4_*.h5, rPsi4_*.h5; a group may follow the name), LVC-NR files, and "
              "folders of the Einstein Toolkit with mp_psi4.h5 or mp_Psi4_l2_m2_r100.00.asc")
# An asymptotic file of SXS without metadata: until then its initial data's own radiation is in it, in M.
JUNK = 200.0


@dataclass(frozen=True)
class Entry:
    waves: Waves  # strain in geometric units: t/M, r h/M
    form: str  # what it was read as, for messages
    begins: float  # time in waves.t from when on they are the binary's
    notes: tuple = ()  # what a reader has to know
    binary: object = None  # catalogue_model.Binary, where that is known


def load(path, mass=None, cutoff=None):
    """Strain Waves in geometric units. mass: total mass in the unit of the files, where they do not say it; cutoff:
    that of ffi.strain for what is psi4, in 1/M. Raises WaveError."""
    return find(path, mass, cutoff).waves


def find(path, mass=None, cutoff=None, beside=None):
    """The Entry at a path, or of a model of that name for the binary of another Entry, beside."""
    if str(path) in catalogue_model.MODELS and not Path(path).exists():
        return _model(path, beside)
    path = Path(path)
    if path.is_dir():
        return _folder(path, mass, cutoff)
    if path.is_file():
        return _file(path, None, mass, cutoff)
    if path.parent.is_file():
        return _file(path.parent, path.name, mass, cutoff)
    raise WaveError(_nothing(str(path)))


def _nothing(name):
    """What to say of a name that is no path."""
    if re.fullmatch(r"[A-Za-z]+(:[\w.-]+)+", name):
        file = (f"ExtrapStrain_{name.replace(':', '-')}-n100.h5" if not name.startswith("SXS") else
                f"{name.replace(':', '_')}/rhOverM_Asymptotic_GeometricUnits_CoM.h5/Extrapolated_N2.dir")
        return (f"{name}: the name of an entry of a catalogue, which is not fetched: download its waves and give the "
                f"file, for instance {file}")
    if re.fullmatch(r"\w+", name):
        return (f"{name}: no such file or folder, and no model that is known: of models there are "
                f"{', '.join(catalogue_model.MODELS)}; {UNDERSTOOD}")
    return f"{name}: no such file or folder; {UNDERSTOOD}"


def _model(name, beside):
    if beside is None or beside.binary is None:
        raise WaveError(f"{name}: a model, of no binary: name a run of Tendex first, and the model second")
    waves = catalogue_model.beside(name, beside.waves, beside.begins, beside.binary)
    return Entry(waves, "model", float(waves.t[0]))


def _folder(path, mass, cutoff):
    if (path / "run.yaml").exists():
        run = Run(path)
        binary = catalogue_model.Binary(run.mass, run.masses, run.chis, metadata.reference(run))
        return replace(_of_run(run, f"run of Tendex {run.version}", cutoff), binary=binary)
    if catalogue_toolkit.is_ours(path):
        return _of_run(catalogue_toolkit.ToolkitFolder(path, mass), "Einstein Toolkit", cutoff)
    sxs = sorted(path.glob("rhOverM_*.h5"), key=lambda file: ("_CoM" not in file.stem, file))
    if sxs:
        return _file(sxs[0], None, mass, cutoff)
    found = ", ".join(sorted(p.name for p in path.iterdir())[:8]) or "nothing"
    raise WaveError(f"{path}: no waves found in {found}; {UNDERSTOOD}")


def _file(path, group, mass, cutoff):
    if not hdf5.is_hdf5(path):
        raise WaveError(f"{path}: not an HDF5 file; {UNDERSTOOD}")
    with hdf5.opened(path, WaveError) as h:
        tests = wavefile.is_ours, catalogue_lvcnr.is_ours, catalogue_sxs.groups, catalogue_sxs.is_compressed
        ours, lvcnr, sxs, compressed = (test(h) for test in tests)
        reference = hdf5.number(path, h.attrs, "reference_time", WaveError) if "reference_time" in h.attrs else None
        names = ", ".join(list(h)[:8]) or "nothing"
    if ours:
        return _ours(path, wavefile.read(path, group), reference)
    if lvcnr and not group:
        waves = catalogue_lvcnr.read(path)
        return Entry(waves, "LVC-NR", float(waves.t[0]))
    if sxs:
        return _sxs(path, catalogue_sxs.read(path, group), mass, cutoff)
    if compressed:
        return _sxs(path, catalogue_sxs.read_compressed(path), mass, cutoff)
    raise WaveError(f"{path}: has {names}, and no waves{' in ' + group if group else ''} that are known; {UNDERSTOOD}")


def _ours(path, waves, reference):
    if waves.kind != "strain":
        raise WaveError(f"{path}: {waves.name} is {waves.kind}; ask for a group of strain")
    if reference is None:
        reference = catalogue_toolkit.JUNK * waves.mass
    begins = reference + (waves.radius if np.isfinite(waves.radius) else 0)
    return Entry(waves.geometric(), "tendex-waves", _within(waves, begins) / waves.mass)


def _within(waves, begins):
    """A time from when on waves are the binary's, in their unit: not before them, and not past half of the way to the
    peak."""
    return float(min(max(begins, waves.t[0]), 0.5 * (waves.t[0] + align.peak_time(waves))))


def _sxs(path, waves, mass, cutoff):
    known = catalogue_sxs.metadata(path)
    at_sphere = np.isfinite(waves.radius)
    masses = [catalogue_sxs.number(known, f"reference_mass{i}", f"initial_mass{i}") for i in (1, 2)]
    if mass is None and None not in masses:
        mass = sum(masses)
        if not min(masses) > 0:
            raise WaveError(f"{path.with_name('metadata.json')}: reference_mass1 and 2 are {masses[0]:g} and {masses[1]:g}: masses are "
                            "above 0")
    if at_sphere and mass is None:
        raise WaveError(f"{path}: in units of the simulation, and no metadata.json beside it with reference_mass1 and "
                        "2: say the total mass, --mass")
    junk = catalogue_sxs.number(known, "relaxation_time", "relaxed_measurement_time", "reference_time")
    if at_sphere:
        waves = replace(waves, mass=mass)
        begins = (JUNK * mass if junk is None else junk) + waves.radius
    else:
        begins = JUNK if junk is None else junk / (mass or 1.0)
    begins = _within(waves, begins)
    if waves.kind == "psi4":
        waves = ffi.strain(waves, _cutoff(path, waves, begins, cutoff))
    return Entry(waves.geometric(), "SXS", begins / waves.mass)


def _cutoff(path, psi4, begins, cutoff):
    """As for ffi.strain, in the inverse unit of the waves' time; the one given is in 1/M."""
    if cutoff:
        return cutoff / psi4.mass
    orbital = catalogue_toolkit.orbital_frequency(psi4, begins)
    if not orbital:
        raise WaveError(f"{path}: psi4 that shows no orbital frequency to integrate it from: say one, --cutoff")
    return standard.CUTOFF * orbital


def _of_run(run, form, cutoff):
    found = standard.of_run(run, cutoff=cutoff / run.mass if cutoff else None)
    begins = max(found.reference, found.strain.t[0])
    return Entry(replace(found.strain, label=run.name).geometric(), form, float(begins / run.mass), tuple(found.notes))
