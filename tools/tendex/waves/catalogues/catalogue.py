"""Strain from wherever it comes: our runs, formats of the SXS catalogue, LVC-NR and the Einstein Toolkit, .npz files, models.

What a path is is seen from what is there, never from its name alone (but SXS files tell psi4 from strain only by name).
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tendex.base import hdf5
from tendex.waves.catalogues import catalogue_lvcnr, catalogue_model, catalogue_npz, catalogue_sxs, catalogue_toolkit, metadata
from tendex.waves.extraction import standard
from tendex.waves.holes import christodoulou
from tendex.waves.reading import wavefile
from tendex.waves.reading.run import Run
from tendex.waves.signal import align, ffi
from tendex.waves.signal.modes import WaveError, Waves

UNDERSTOOD = ("understood are: a run folder of Tendex, files of `tendex-waves strain' and `extrapolate', SXS files "
              "(rhOverM_*.h5, rh_*.h5, rMPsi4_*.h5, rPsi4_*.h5; a group may follow the name), LVC-NR files, .npz files, and "
              "folders of the Einstein Toolkit with mp_psi4.h5 or mp_Psi4_l2_m2_r100.00.asc")
CHRISTODOULOU = "Christodoulou masses of both horizons together, when the junk has left"
PUNCTURES, GIVEN = "ADM masses of the punctures together", "as --mass says"
# An asymptotic file of SXS without metadata: until then its initial data's own radiation is in it, in M.
JUNK = 200.0


@dataclass(frozen=True)
class Entry:
    waves: Waves  # strain in geometric units: t/M, r h/M
    form: str  # what it was read as, for messages
    begins: float  # time in waves.t from when on they are the binary's
    notes: tuple = ()  # what a reader has to know
    binary: object = None  # catalogue_model.Binary, where that is known
    mass: float = 1.0  # M, the unit of `waves', in the unit of the file or run
    unit: str = "as the file has it"  # what M is, in words
    ratio: float = None  # of the masses, larger over smaller, where it is known
    integrated: bool = False  # whether the strain is integrated from psi4
    stated: bool = True  # whether the format states units and signs, and from when on the waves are the binary's


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
    if catalogue_npz.is_ours(path):
        return _npz(path, mass, cutoff, beside)
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
    return Entry(waves, "model", float(waves.t[0]), unit="the masses together")


def _folder(path, mass, cutoff):
    if (path / "run.yaml").exists():
        return of_run(Run(path), cutoff)
    if catalogue_toolkit.is_ours(path):
        folder = catalogue_toolkit.ToolkitFolder(path, mass)
        return _integrated(folder, "Einstein Toolkit", cutoff, folder.mass, GIVEN if mass else PUNCTURES)
    sxs = sorted(path.glob("rhOverM_*.h5"), key=lambda file: ("_CoM" not in file.stem, file))
    if sxs:
        return _file(sxs[0], None, mass, cutoff)
    found = ", ".join(sorted(p.name for p in path.iterdir())[:8]) or "nothing"
    raise WaveError(f"{path}: no waves found in {found}; {UNDERSTOOD}")


def of_run(run, cutoff=None):
    """The Entry of a Run: strain at infinity in units of the Christodoulou masses together, as `tendex-waves export' has it."""
    binary, unit = binary_of(run)
    entry = _integrated(run, f"run of Tendex {run.version}", cutoff, binary.mass, unit)
    return replace(entry, binary=binary, ratio=ratio_of(binary.then.masses))


def binary_of(run):
    """(catalogue_model.Binary of a Run, what its unit of mass is, in words)"""
    then = metadata.reference(run)
    return catalogue_model.Binary(sum(then.masses), run.masses, run.chis, then), _unit(run, then)


def _unit(run, then):
    punctures = [n for n, state in enumerate(christodoulou.states(run, then.time)[1], 1) if state.source == christodoulou.PUNCTURE]
    if len(punctures) == 2:
        return f"{PUNCTURES}: no horizon was found before the merger"
    return CHRISTODOULOU + (f"; of hole {punctures[0]} the ADM mass of its puncture, as its horizon was not found" if punctures else "")


def ratio_of(masses):
    return float(max(masses) / min(masses))


def _npz(path, mass, cutoff, beside):
    if catalogue_npz.has_spheres(path):
        unit, words = npz_unit(mass, beside)
        return replace(_integrated(catalogue_npz.Spheres(path, unit), "npz, psi4 through spheres", cutoff, unit, words), stated=False)
    waves, ratio = catalogue_npz.strain(path)
    notes = ()
    if ratio is not None and ratio < 1:
        ratio, notes = 1 / ratio, (f"q = {ratio:g} is taken for m2/m1 with m1 the heavier hole: mass ratio {1 / ratio:g}",)
    waves = replace(waves, mass=mass or 1.0)
    return Entry(waves.geometric(), "npz, strain", float(waves.t[0] / waves.mass), notes, mass=waves.mass, unit=GIVEN if mass else
                 "as the file has it", ratio=ratio, stated=False)


def npz_unit(mass, beside):
    """(M in the unit of a .npz file of psi4, what that is in words): the one given, else the same number as that of the Entry beside."""
    if mass:
        return mass, GIVEN
    if beside is None:
        return 1.0, "taken to be 1 in the file's unit"
    return beside.mass, "the number that the other wave has, as both are taken to be in one unit; --mass says another"


def _file(path, group, mass, cutoff):
    if not hdf5.is_hdf5(path):
        raise WaveError(f"{path}: not an HDF5 file; {UNDERSTOOD}")
    with hdf5.opened(path, WaveError) as h:
        tests = wavefile.is_ours, catalogue_lvcnr.is_ours, catalogue_sxs.groups, catalogue_sxs.is_compressed
        ours, lvcnr, sxs, compressed = (test(h) for test in tests)
        reference, unit = (hdf5.number(path, h.attrs, key, WaveError) if key in h.attrs else None
                           for key in ("reference_time", wavefile.UNIT))
        names = ", ".join(list(h)[:8]) or "nothing"
    if ours:
        return _ours(path, wavefile.read(path, group), reference, unit)
    if lvcnr and not group:
        waves = catalogue_lvcnr.read(path)
        return Entry(waves, "LVC-NR", float(waves.t[0]))
    if sxs:
        return _sxs(path, catalogue_sxs.read(path, group), mass, cutoff)
    if compressed:
        return _sxs(path, catalogue_sxs.read_compressed(path), mass, cutoff)
    raise WaveError(f"{path}: has {names}, and no waves{' in ' + group if group else ''} that are known; {UNDERSTOOD}")


def _ours(path, waves, reference, unit):
    if waves.kind != "strain":
        raise WaveError(f"{path}: {waves.name} is {waves.kind}; ask for a group of strain")
    if unit is not None and not unit > 0:
        raise WaveError(f"{path}: attribute {wavefile.UNIT} = {unit:g}: a mass is above 0")
    notes = () if unit else (f"{path}: of a version that did not write {wavefile.UNIT}: in units of the ADM masses, which differ "
                             "from those of the run folder by up to 1% of fast spins; make it anew",)
    if reference is None:
        reference = catalogue_toolkit.JUNK * waves.mass
    begins = reference + (waves.radius if np.isfinite(waves.radius) else 0)
    mass = unit or waves.mass
    return Entry(waves.geometric(mass), "tendex-waves", _within(waves, begins) / mass, notes, mass=mass,
                 unit=CHRISTODOULOU if unit else PUNCTURES, integrated=True)


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
    begins, integrated = _within(waves, begins), waves.kind == "psi4"
    if integrated:
        waves = ffi.strain(waves, _cutoff(path, waves, begins, cutoff))
    return Entry(waves.geometric(), "SXS", begins / waves.mass, mass=waves.mass, integrated=integrated,
                 unit="Christodoulou masses together, by metadata.json or --mass" if at_sphere else "as the file has it",
                 ratio=ratio_of(masses) if None not in masses and min(masses) > 0 else None)


def _cutoff(path, psi4, begins, cutoff):
    """As for ffi.strain, in the inverse unit of the waves' time; the one given is in 1/M."""
    if cutoff:
        return cutoff / psi4.mass
    orbital = catalogue_toolkit.orbital_frequency(psi4, begins)
    if not orbital:
        raise WaveError(f"{path}: psi4 that shows no orbital frequency to integrate it from: say one, --cutoff")
    return standard.orbital_part(psi4) * orbital


def _integrated(run, form, cutoff, mass, unit):
    """The Entry of strain at infinity of what standard.of_run takes, in units of this mass."""
    found = standard.of_run(run, cutoff=cutoff / mass if cutoff else None)
    begins = max(found.reference, found.strain.t[0])
    return Entry(replace(found.strain, label=run.name).geometric(mass), form, float(begins / mass), tuple(found.notes), mass=mass,
                 unit=unit, integrated=True)
