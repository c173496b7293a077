"""Eccentricity of a run, from its tracks and its waves, and the initial momenta that reduce it."""

import numpy as np

from tendex.base.folder import FolderError
from tendex.waves.extraction import standard
from tendex.waves.inspiral import eccentricity_fit, eccentricity_momenta, eccentricity_waves
from tendex.waves.signal.modes import WaveError

# Types of initial data whose momenta can be corrected.
CORRECTED = ("two_punctures", "quasi_circular")


def of_run(folder, first=None, last=None):
    """The eccentricity_fit.Fit of a Run, between these times if they are given."""
    return eccentricity_fit.fit(*folder.tracks(), folder.masses, folder.chis, folder.merger_time(), first, last)


def of_tracks(fit):
    """Numbers of an eccentricity_fit.Fit."""
    return {name: value for name, value in vars(fit).items() if name not in ("track", "whole", "oscillation", "fitted")}


def of_waves(folder):
    """e_gw of the strain at infinity, or {"none": why}; its error has those of the curves and of all that the strain may be wrong by,
    added as squares."""
    try:
        made = standard.of_run(folder)
        waves = made.strain
        first, peak = folder.reference_time(), folder.merger_time()
        last, left = waves.t[-1], waves.t[-1] - first
        if peak is not None:
            late = 2 * np.pi * eccentricity_fit.LAST_ORBITS / (folder.initial_orbital_frequency() or np.inf)
            last, left = peak - min(late, peak - first), late
        first_track, second_track = folder.tracks()[1]
        spins = eccentricity_fit.parts(folder.masses, folder.chis, eccentricity_fit.normal(first_track - second_track))

        def advance(frequency):
            return 1 / eccentricity_fit.advance((folder.mass * frequency / 2) ** (2 / 3), folder.masses, *spins)

        here, inside = waves.mode(2, 2), (waves.t >= first) & (waves.t <= last)
        found = eccentricity_waves.of_mode(waves.t, here, first, last, left, advance)
        changes = [eccentricity_waves.change(found, waves.t[inside], here[inside], other.mode(2, 2)[inside])
                   for other in made.error.others.values() if np.isfinite(other.mode(2, 2)[inside]).all()]
        return vars(found) | {"e_gw_error": float(np.linalg.norm([found.e_gw_error, *changes]))}
    except (WaveError, FolderError) as e:
        return {"none": str(e)}


def correction(folder, fit):
    """Corrected momenta and the lines of a parameter file that ask for them, or {"none": why}."""
    kind = folder.parameters.get("initial_data.type")
    if kind not in CORRECTED:
        return {"none": f"run.yaml has initial_data.type {kind}: {' or '.join(CORRECTED)} is needed"}
    new = eccentricity_momenta.correct(fit, folder.masses, folder.positions, folder.momenta)
    tangential, radial = new.factors
    return {"type": kind, "tangential": new.tangential, "radial": new.radial,
            "change_tangential": new.change_tangential, "change_radial": new.change_radial,
            "factor_tangential": tangential, "factor_radial": radial, "momenta": new.momenta,
            "lines": [f"{key}: {text}" for key, text in settings(folder, kind, new.momenta).items()]}


def settings(folder, kind, momenta):
    """{key: text} of the section initial_data that asks for these momenta."""
    found = {f"bh{n}_momentum": vector(p) for n, p in enumerate(momenta, 1)}
    if kind == "quasi_circular":
        spins = (chi * m**2 for chi, m in zip(folder.chis, folder.masses))
        found = {"type": "two_punctures", "masses": "adm"}
        for n, (m, x, p, s) in enumerate(zip(folder.masses, folder.positions, momenta, spins), 1):
            found |= {f"bh{n}_mass": f"{m:.12g}", f"bh{n}_position": vector(x), f"bh{n}_momentum": vector(p),
                      f"bh{n}_spin": vector(s)}
    return found


def vector(x):
    return "[" + ", ".join(f"{value:.12g}" for value in np.asarray(x) + 0.0) + "]"
