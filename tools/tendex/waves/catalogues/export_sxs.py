"""Files of the SXS catalogue's style (arXiv:1904.04831): HDF5 of r psi4 and r h through the spheres, over coordinate time, and at
infinity, and metadata.json, all in units of M."""

import math
import re
from dataclasses import replace

import numpy as np

from tendex.base import files
from tendex.waves.extraction.centre import in_frame
from tendex.waves.extraction.standard import passing, polynomial
from tendex.waves.signal import ffi
from tendex.waves.signal.infinity import FEWEST, ORDERS
from tendex.waves.signal.modes import WaveError

ASYMPTOTIC = {"strain": "rhOverM_Asymptotic_GeometricUnits.h5", "psi4": "rMPsi4_Asymptotic_GeometricUnits.h5"}
CENTRED = {kind: name.replace(".h5", "_CoM.h5") for kind, name in ASYMPTOTIC.items()}
FINITE = {"strain": "rh_FiniteRadii_CodeUnits.h5", "psi4": "rPsi4_FiniteRadii_CodeUnits.h5"}
# As SXS's own files number them.
DATA_TYPE = {"strain": 1, "psi4": 3}
# Keys by which the package sxs tells version 3 of the metadata: revision of the format in that catalogue, first revision of the content.
FORMAT = {"metadata_format_revision": 2, "metadata_content_revision": 1, "internal_minor_version": 0, "internal_changelog": {}}


def sphere_group(radius):
    """R0100.dir; R0070.50.dir for what is no whole number."""
    return f"R{radius:04.0f}.dir" if radius == round(radius) else f"R{radius:07.2f}.dir"


def write_modes(group, waves, mass_scaled):
    """Modes, with the attributes by which scri knows what they are: strain or psi4, an inertial frame, r scaled out."""
    group.attrs.update({"DataType": DATA_TYPE[waves.kind], "FrameType": 1, "RIsScaledOut": 1,
                        "MIsScaledOut": int(mass_scaled)})
    for (l, m), v in sorted(waves.modes.items()):
        group.create_dataset(f"Y_l{l}_m{m}.dat", data=np.column_stack([waves.t, v.real, v.imag]))


def write_finite(file, spheres, run, unit, signs):
    """[Waves] through spheres, over coordinate time, in units of this mass; areal radius and lapse at the same times."""
    with files.hdf5(file) as h:
        h.attrs.update(signs)
        for waves in spheres:
            over_time = {"ArealRadius.dat": np.interp(waves.t, *run.areal(waves.radius)) / unit}
            lapse = lapse_of(run, waves)
            if lapse:
                over_time["AverageLapse.dat"] = np.interp(waves.t, *lapse)
            waves = waves.geometric(unit)
            group = h.create_group(sphere_group(waves.radius))
            group.attrs.update(signs)
            write_modes(group, waves, False)
            for name, values in over_time.items():
                group[name] = np.column_stack([waves.t, values])
            group["CoordRadius.dat"] = np.array([[waves.t[0], waves.radius]])
            group["InitialAdmEnergy.dat"] = np.array([[waves.t[0], run.adm_energy / unit]])


def lapse_of(run, waves):
    """(t, mean lapse) of a sphere that was measured from the first of its waves on, else None."""
    found = run.lapse(waves.radius)
    return found if found and found[0][0] <= waves.t[0] else None


def remarks(run, made):
    """[what a reader has to know] of the files of spheres."""
    if all(lapse_of(run, waves) for waves in made.finite):
        return []
    return ["sxs: FiniteRadii files without AverageLapse.dat, which extrapolation by scri needs: the run did not record the lapse of "
            "its spheres, waves/lapse.asc, from the start on"]


def best(made):
    """Name of the group that is the run's result: of files of SXS, readers mostly take Extrapolated_N2."""
    return f"Extrapolated_N{made.order}.dir" if made.order else "Perturbative.dir"


def write_infinite(file, groups, unit, signs, attributes):
    """{name of a group: (Waves, radii of the spheres it is from)}, over t/M, retarded, M being `unit'; attributes: of each group."""
    with files.hdf5(file) as h:
        h.attrs.update(signs)
        for name, (waves, radii) in groups.items():
            group = h.create_group(name)
            group.attrs.update({**signs, **attributes, "radii": [r / unit for r in radii]})
            write_modes(group, waves.geometric(unit), True)
            group["History.txt"] = f"# {waves.name}, r as the run has it\n"


def polynomials(run, made):
    """({order: Waves of psi4}, {order: Waves of strain}, radii): those that the result was chosen beside; where the
    wave zone has too few spheres for any, through all of them."""
    if made.orders:
        return made.psi4_orders, made.orders, made.order_radii
    spheres = run.spheres()
    try:
        psi4 = {n: polynomial(run, spheres, n, made.cutoff) for n in ORDERS if len(spheres) >= max(n + 1, FEWEST)}
    except WaveError:  # no retarded times that all have seen
        psi4 = {}
    return psi4, {n: ffi.strain(w, made.cutoff) for n, w in psi4.items()}, [s.radius for s in spheres]


def infinite(run, made):
    """{psi4 or strain: {name of a group: (Waves, radii)}} in the run's own frame: polynomials in 1/R by order, one sphere corrected,
    and the outermost sphere as it is, at retarded time."""
    *orders, radii = polynomials(run, made)
    one = made.sphere.radius
    corrected = made.perturbative_psi4, made.perturbative
    groups = {}
    for kind, by_order, waves, last in zip(("psi4", "strain"), orders, corrected, (run.spheres()[-1], made.finite[-1])):
        groups[kind] = {f"Extrapolated_N{n}.dir": (w, radii) for n, w in by_order.items()}
        outermost = passing(run, last, run.spheres()[-1], made.cutoff)
        groups[kind].update({"Perturbative.dir": (waves, [one]), "OutermostExtraction.dir": (outermost, [last.radius])})
    return groups


def centred(groups, centre):
    """Groups of `infinite', of one kind, in the frame of the centre of mass."""
    return {name: (in_frame(replace(waves, radius=math.inf), centre.position, centre.velocity), radii)
            for name, (waves, radii) in groups.items()}


def metadata(facts, user, made):
    """The dictionary of metadata.json; None where the run does not tell."""
    one, two = facts.holes
    known = lambda v: None if v is None else (v.tolist() if isinstance(v, np.ndarray) else v)
    authors = _list(user["authors"])
    ratio, unit = one.reference_mass / two.reference_mass, facts.unit_of_mass
    return {
        "simulation_name": user["name"] or facts.run,
        "alternative_names": _list(user["alternative-names"]),
        "keywords": _list(user["keywords"]),
        "point_of_contact_email": user["email"],
        "authors": [re.sub(r"\s*<.*>$", "", author) for author in authors],
        "authors_emails": [author for author in authors if "@" in author],
        "NR_group": user["group"],
        "license": user["license"],
        "simulation_bibtex_keys": _list(user["bibtex-keys"]),
        "code_bibtex_keys": _list(user["code-bibtex-keys"]),
        "object_types": "BHBH", "object1": "bh", "object2": "bh",
        "initial_data_type": f"BBH_{facts.initial_data_type}",
        "initial_separation": facts.separation,
        "initial_orbital_frequency": facts.initial_omega,
        "initial_ADM_energy": facts.adm_energy,
        "initial_ADM_linear_momentum": (one.momentum + two.momentum).tolist(),
        "initial_ADM_angular_momentum": facts.adm_angular_momentum.tolist(),
        **{f"initial_mass{i}": h.mass for i, h in enumerate(facts.holes, 1)},
        **{f"initial_dimensionless_spin{i}": h.chi.tolist() for i, h in enumerate(facts.holes, 1)},
        **{f"initial_position{i}": h.position.tolist() for i, h in enumerate(facts.holes, 1)},
        "relaxation_time": facts.reference_time,
        "reference_time": facts.reference_time,
        **{f"reference_mass{i}": h.reference_mass for i, h in enumerate(facts.holes, 1)},
        **{f"reference_dimensionless_spin{i}": h.reference_chi.tolist() for i, h in enumerate(facts.holes, 1)},
        **{f"reference_position{i}": h.reference_position.tolist() for i, h in enumerate(facts.holes, 1)},
        **{f"reference_chi{i}_perp": float(np.linalg.norm(h.reference_chi - (h.reference_chi @ facts.normal) * facts.normal))
           for i, h in enumerate(facts.holes, 1)},
        "reference_chi_eff": facts.chi_eff,
        "reference_mass_ratio": ratio,
        "reference_orbital_frequency": (facts.omega * facts.normal).tolist(),
        "reference_eccentricity": facts.eccentricity,
        "reference_mean_anomaly": facts.mean_anomaly,
        "common_horizon_time": facts.common_horizon_time,
        "number_of_orbits": facts.orbits,
        "number_of_orbits_from_start": facts.orbits,
        "number_of_orbits_from_reference_time": facts.later_orbits,
        "remnant_mass": facts.remnant_mass,
        "remnant_dimensionless_spin": known(facts.remnant_chi),
        "remnant_velocity": known(facts.remnant_velocity),
        "unit_of_mass": unit,
        "masses_and_spins": facts.masses_and_spins,
        "extrapolation": {"method": made.method, "order": made.order, "radii": [r / unit for r in made.radii],
                          "cutoff": made.cutoff * unit, "best": best(made)},
        "center_of_mass": None if made.centre is None else {
            **made.centre.attributes(unit), "window": [made.centre.first / unit, made.centre.last / unit]},
        **({"error_budget": facts.errors} if facts.errors else {}),
        **FORMAT,
        "code": "Tendex", "code_version": facts.version,
    }


def _list(text):
    return [part.strip() for part in text.split(",") if part.strip()]


def write(folder, run, made, facts, user, signs):
    """All files of the format into a folder; their paths."""
    written, unit = [], facts.unit_of_mass
    spheres = {"strain": made.finite, "psi4": run.spheres()}
    signed = {**signs, "best": best(made)}
    for kind, groups in infinite(run, made.own or made).items():
        write_finite(folder / FINITE[kind], spheres[kind], run, unit, signs)
        write_infinite(folder / ASYMPTOTIC[kind], groups, unit, signed, {})
        written += [folder / FINITE[kind], folder / ASYMPTOTIC[kind]]
        if made.centre:
            written.append(folder / CENTRED[kind])
            write_infinite(written[-1], centred(groups, made.centre), unit, signed, made.centre.attributes(unit))
    values = {**metadata(facts, user, made), **{k: v for k, v in signs.items() if k != "code_version"}}
    files.write_json(folder / "metadata.json", values)
    return written + [folder / "metadata.json"]
