"""Files of the RIT catalogue's style (arXiv:1703.03423, arXiv:2202.00018): <tag>-n<res>-id<k>_Metadata.txt with `key =
value', ExtrapStrain_<tag>-n<res>.h5 as the LVC's format has it, and ExtrapPsi4_<tag>-n<res>-id<k>.tar.gz with one text
table a mode."""

import io
import tarfile

import numpy as np

from tendex.base import files
from tendex.waves.catalogues import export_lvcnr
from tendex.waves.comparison.mismatch import SUN_S
from tendex.waves.holes import hole
from tendex.waves.signal import align
from tendex.waves.signal.modes import WaveError, phase

HEAD = "#1:time 2:real 3:imag 4:ampl 5:phse"
WORDS = {"non-spinning": "Nonspinning", "aligned-spins": "Aligned", "precessing": "Precessing"}


def names(facts, user):
    """(tag, resolution, id): what the names of the files are made of."""
    tag = user["catalog-tag"] or f"TENDEX:BBH:{user['name'] or facts.run}"
    for key, part in (("catalog-tag", tag), ("resolution-tag", user["resolution-tag"] or ""), ("id-tag", user["id-tag"])):
        if "/" in part or any(map(str.isspace, part)):
            raise WaveError(f"{key} is {part!r}, part of a file's name, which has no / or blanks in this format: give another one, "
                            f"--set {key}=...")
    return tag, user["resolution-tag"] or facts.spacing_code, user["id-tag"]


def lines(facts, user, made, wave):
    """[(key, value)] of the metadata, in units of M; a section where value is None."""
    one, two = facts.holes
    tag, resolution, number = names(facts, user)
    start = export_lvcnr.start_frequency(wave, facts, made)
    top, height = align.peak(wave.t, wave.mode(2, 2))
    turns = align.spline(wave.t, phase(wave.mode(2, 2)))
    xyz = lambda name, v: [(f"{name}{x}", float(c) + 0.0) for x, c in zip("xyz", v)]
    found = [("metadata", None), ("catalog-tag", tag), ("resolution-tag", resolution), ("id-tag", number),
             ("run-name", facts.run), ("alternative-names", user["alternative-names"]), ("keywords", user["keywords"]),
             ("authors-emails", user["authors"]), ("submitter-email", user["email"]), ("group", user["group"]),
             ("license", user["license"]), ("simulation-bibtex-keys", user["bibtex-keys"]),
             ("code-bibtex-keys", user["code-bibtex-keys"]), ("code", "Tendex"), ("code-version", facts.version),
             ("evolution-system", facts.system), ("system-type", WORDS[facts.kind]),
             ("initial-data-type", facts.initial_data_type), ("initial-separation", facts.separation),
             ("initial-ADM-energy", facts.adm_energy)]
    found += [(f"initial-ADM-angular-momentum-{x}", c) for x, c in zip("xyz", facts.adm_angular_momentum)]
    orbital = np.cross(one.position, one.momentum) + np.cross(two.position, two.momentum)
    found += [("initial-orbital-angular-momentum", float(np.linalg.norm(orbital)))]
    for i, h in enumerate(facts.holes, 1):
        found += [(f"initial-bare-mass{i}", h.bare_mass), (f"initial-mass{i}", h.mass)]
        found += xyz(f"initial-bh-position{i}", h.position) + xyz(f"initial-bh-momentum{i}", h.momentum)
        found += xyz(f"initial-bh-chi{i}", h.chi)
    found += [("initial-total-mass", one.mass + two.mass), ("relaxed-time", facts.reference_time)]
    for i, h in enumerate(facts.holes, 1):
        found += [(f"relaxed-mass{i}", h.reference_mass), *xyz(f"relaxed-chi{i}", h.reference_chi)]
    found += [("relaxed-total-mass", one.reference_mass + two.reference_mass),
              ("relaxed-mass-ratio-1-over-2", one.reference_mass / two.reference_mass)]
    found += xyz("relaxed-LNhat", facts.normal) + xyz("relaxed-nhat", facts.line)
    found += [("eccentricity", facts.eccentricity),
              ("eccentricity-measurement-method", "fit of the punctures' separation" if not facts.eccentricity_note
               else facts.eccentricity_note),
              ("freq-start-22", start / (2 * np.pi)),
              ("freq-start-22-Hz-1Msun", start / (2 * np.pi * SUN_S)),
              ("number-of-cycles-22", abs(float(turns(top) - turns(wave.t[0]))) / (2 * np.pi)),
              ("number-of-orbits", facts.orbits), ("common-horizon-time", facts.common_horizon_time),
              ("peak-omega-22", abs(float(turns.derivative()(top)))), ("peak-ampl-22", height),
              ("final-mass", facts.remnant_mass),
              ("final-chi", None if facts.remnant_chi is None else float(np.linalg.norm(facts.remnant_chi))),
              ("final-kick", None if facts.remnant_velocity is None else
               float(np.linalg.norm(facts.remnant_velocity)) * hole.LIGHT_KM_S)]
    found += [(f"error-{key.replace('_', '-')}", ", ".join(value) if isinstance(value, list) else value) for key, value in (facts.errors or {}).items()]
    return [(key, "not known" if value is None and key != "metadata" else value) for key, value in found]


def text(values, comments):
    """The metadata file: key = value, a [section] where there is no value; then {name: comment}."""
    out = [f"[{key}]" if value is None else f"{key:<40}= {format(value, '.16g') if isinstance(value, float) else value}"
           for key, value in values]
    return "\n".join(out + [f"# {key}: {value}" for key, value in comments.items()]) + "\n"


def table(t, values, l, m, signs):
    """One mode as text: three lines of comment, the names of the columns, rows."""
    head = [f"# r M psi4, l = {l}, m = {m}, extrapolated to infinity; time: retarded, over M",
            f"# {signs['psi4_sign']}", f"# Tendex {signs['code_version']}; {signs['harmonics']}", HEAD]
    out = io.StringIO("\n".join(head) + "\n")
    out.seek(0, io.SEEK_END)
    np.savetxt(out, np.column_stack([t, values.real, values.imag, np.abs(values), phase(values)]), fmt="%.16e")
    return out.getvalue()


def write_psi4(file, psi4, unit, signs):
    """A tar.gz with rPsi4_l<l>_m<m>_rInf.asc in a folder of its own name; psi4 in units of this mass."""
    folder = file.name.removesuffix(".tar.gz")
    psi4 = psi4.geometric(unit)
    made = io.BytesIO()
    with tarfile.open(file.name, "w:gz", made) as tar:
        for (l, m), values in sorted(psi4.modes.items()):
            data = table(psi4.t, values, l, m, signs).encode()
            member = tarfile.TarInfo(f"{folder}/rPsi4_l{l}_m{m}_rInf.asc")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    files.write(file, made.getvalue())


def write(folder, run, made, facts, user, signs, tolerance):
    """All files of the format into a folder; returns ([paths], wave, samples kept, samples there were)."""
    tag, resolution, number = names(facts, user)
    dashed = tag.replace(":", "-")
    written = [folder / f"{tag}-{resolution}-{number}_Metadata.txt", folder / f"ExtrapStrain_{dashed}-{resolution}.h5",
               folder / f"ExtrapPsi4_{dashed}-{resolution}-{number}.tar.gz"]
    wave, kept, total = export_lvcnr.write(written[1], run, made, facts, user, signs, tolerance)
    comments = {"units": f"M = {facts.unit_of_mass:.16g} in the run's own", "masses and spins": facts.masses_and_spins, **signs}
    files.write(written[0], text(lines(facts, user, made, wave), comments))
    write_psi4(written[2], made.psi4, facts.unit_of_mass, signs)
    return written, wave, kept, total
