"""From a run folder to what is kept of it: numbers as `tendex-waves remnant' has them, and the waves as few numbers."""

import argparse
import importlib.util
import math
from dataclasses import replace

import numpy as np

from tendex.physics import orbit
from tendex_dev.results import kept, tables
from tendex.waves.catalogues import catalogue_model
from tendex.waves.commands import compare, remnant
from tendex.waves.comparison import resolutions
from tendex.waves.extraction import standard
from tendex.waves.extraction.spheres import spacing
from tendex.waves.holes import hole
from tendex.waves.reading.run import Run
from tendex.waves.signal import align, ffi, frame, series
from tendex.waves.signal.modes import WaveError

# Of the summary.
RUN = ("code_version", "device", "ranks", "steps", "t", "complete", "wall_s", "m_per_hour", "point_stages", "point_stages_per_s",
       "points_most", "regrids", "backend")
# Of the parameters: what defines resolution and scheme.
RESOLUTION = ("grid.extent", "grid.trees", "grid.level_max", "grid.bh1_level", "grid.bh2_level", "grid.remnant_level", "grid.bh_radius",
              "grid.bh1_radius", "grid.bh2_radius", "grid.bh_growth", "grid.ball_level", "grid.ball_radius", "grid.ball_growth", "grid.reflect", "evolution.order", "evolution.cfl",
              "evolution.time_steps", "evolution.system", "waves.radii")
# Modes that are kept, if they are above this part of the highest.
MODES, LEAST = ((2, 2), (2, 1), (3, 3), (4, 4)), 1e-3
# How exactly: amplitude over the highest, phase in rad; errors of modes are kept at so many times.
TOLERANCE, TRACKS, ERRORS = (2e-5, 5e-5), 2e-4, 60
# Waves are kept until (2,2) has fallen to this part of its peak.
FADED = 1e-3
# The model is aligned between these parts of the time from the start of the comparison to the peak, counted back from the peak.
WINDOW = (0.75, 0.12)


def run(path, model=None):
    """({numbers}, {series} or None, [notes]) of a run folder; model: its name, `none', or None for one that the spins allow."""
    folder = Run(path)
    waves = standard.of_run(folder)
    numbers = {"run": of_run(folder), "remnant": of_remnant(folder, waves)}
    numbers["run"]["constraints"] = constraints(folder, (numbers["remnant"]["merger"] or {}).get("common_horizon"))
    numbers["holes"] = drifts(folder)
    best, tilted = kept_part(folder, waves)
    if np.abs(best.mode(2, 2)).max() < LEAST * best.total().max():
        return numbers, None, [f"{folder.name}: its waves are not kept, as it has no (2,2)"]
    made = of_waves(folder, waves, best) | {"coprecessing": tilted}
    name, note = chosen_model(folder, model)
    try:
        if name:
            numbers["model"], found = beside_model(folder, waves, name)
            made["model"] = {"name": name, **model_waves(found, best, tilted)}
    except WaveError as e:
        if model:
            raise
        note = f"{folder.name}: not beside {name}: {e}"
    return numbers, made, [note] if note else []


def of_run(folder):
    """What the summary and the parameters say."""
    said, found = folder.summary, folder.parameters
    trees, outer = found.get("grid.trees", 1), folder.spheres()[-1].radius
    # The last grid has lost its finest levels where grid.remnant_level is set.
    asked = [found.get(f"grid.bh{n}_level", -1) for n in (1, 2)]
    finest = max(found["grid.level_max"] if level < 0 else level for level in asked)
    numbers = {key: said[key] for key in RUN if key in said}
    numbers["finest_spacing"] = found["grid.extent"] / (trees * said["octant_points"] * 2**finest)
    return {**numbers, "sphere_spacing": spacing(folder, outer), "outer": outer, "gpu_hours": tables.gpu_hours({"run": numbers}),
            "parameters": {key: found[key] for key in RESOLUTION if key in found}}


def of_remnant(folder, waves):
    found = remnant.analyse(folder, waves)
    for part in ("radiated", "balance"):
        if found[part]:
            del found[part]["spheres"]
    return {**found, "ringdown": {"infinity": found["ringdown"]["infinity"]}}


def constraints(folder, merger):
    """Means of the L2 norms of the constraints from 30 M on until a common horizon is seen."""
    table = folder.table("constraints.asc")
    chosen = [n for n, t in enumerate(table["time"]) if merger and 30 * folder.mass <= t <= merger]
    return {name.lower(): float(sum(norm[chosen]) / len(chosen)) for name, norm in series.norms(table).items() if chosen}


def drifts(folder):
    """Of each hole before the merger, without the first tenth of that time: {"mass": Mean, "chi": Mean}, and over which time."""
    table, found = folder.searches(), []
    for number in (1, 2) if table is not None else ():
        rows = hole.before_merger(table, number)
        t = table["time"][rows]
        late = t >= t[0] + hole.JUNK_PART * (t[-1] - t[0]) if len(t) else rows[:0]
        if np.count_nonzero(late) > 1:
            found.append({**{name: vars(hole.mean(t[late], table[name][rows][late])) for name in ("mass", "chi")},
                          "window": [float(t[late][0]), float(t[-1])]})
    return found


def kept_part(folder, waves):
    """(strain in geometric units from the reference time until it has faded, whether it is in the coprecessing frame)"""
    best = series.trusted(waves.strain).geometric()
    reference = waves.reference / folder.mass
    tilted = not ffi.level(best)
    if tilted:
        best = frame.turned(best, frame.coprecessing(best))
    size = np.abs(best.mode(2, 2))
    top = int(np.where(best.t >= reference, size, 0).argmax())
    low = np.flatnonzero(size[top:] < FADED * size[top])
    first = int(np.searchsorted(best.t, reference))
    inside = slice(first, top + low[0] if low.size else None)
    return best.map(lambda v, l, m: v[inside], t=best.t[inside]), tilted


def of_waves(folder, waves, best):
    """Strain, errors and tracks for kept.Shelf."""
    strongest = {lm: np.abs(best.mode(*lm)).max() for lm in MODES if lm in best.modes}
    chosen = [lm for lm in strongest if strongest[lm] >= LEAST * max(strongest.values())]
    made = {"reference": round(waves.reference / folder.mass, 6), "strain": kept.packed_waves(best, chosen, TOLERANCE)}
    made["errors"] = {f"{l},{m}": coarse(waves.error.best.t / folder.mass, waves.error.over_time(l, m), best.t) for l, m in chosen}
    way = of_tracks(folder)
    return {**made, "tracks": way} if way else made


def coarse(t, errors, times):
    """[u [k], amplitude [k], phase [k]] of errors [2][n] over t: the largest in each of ERRORS parts of the `times'."""
    edges = np.linspace(times[0], times[-1], ERRORS + 1)
    rows = []
    for low, high in zip(edges, edges[1:]):
        inside = (t >= low) & (t <= high)
        parts = [part[inside][~np.isnan(part[inside])] for part in errors]
        if all(len(part) for part in parts):
            rows.append([round((low + high) / 2, 2)] + [float(f"{part.max():.2g}") for part in parts])
    return [list(row) for row in zip(*rows)]


def of_tracks(folder):
    """Separation and angle of two punctures until they merge; None where nothing goes round."""
    t, tracks = folder.tracks()
    way = orbit.orbit(t, tracks, folder.merger_time(), folder.mass)
    if way is None:
        return None
    n = int(np.searchsorted(t, way.end, side="right"))
    even = np.linspace(t[0], t[n - 1], n)
    apart = (tracks[0] - tracks[1])[:n]
    curves = {"separation": np.linalg.norm(apart, axis=1) / folder.mass, "angle": orbit.turned(apart)}
    even = even / folder.mass
    return {"start": round(float(even[0]), 6), "step": float(even[1] - even[0]), "samples": n,
            **{name: kept.pack(even, np.interp(even, t[:n] / folder.mass, y), TRACKS) for name, y in curves.items()}}


def chosen_model(folder, asked):
    """(name of the model or None, note or None)"""
    if asked == "none":
        return None, None
    across = max(np.linalg.norm(chi[:2]) for chi in folder.chis)
    name = asked or ("IMRPhenomTHM" if across <= catalogue_model.TILT else "IMRPhenomTPHM")
    if importlib.util.find_spec("lalsimulation") is None:
        return None, f"{folder.name}: not beside {name}: LALSimulation is not there: python3 -m pip install lalsuite"
    return name, None


def beside_model(folder, waves, name):
    """({numbers}, the Comparison) of `tendex-waves compare RUN NAME', aligned in a window of the inspiral."""
    length = (waves.peak - waves.reference) / folder.mass
    window = [f"{-part * length:.0f}" for part in WINDOW]
    modes = [lm for lm in MODES if np.abs(waves.strain.mode(*lm)).max() > resolutions.LEAST_MODE * np.abs(waves.strain.mode(2, 2)).max()]
    parser = argparse.ArgumentParser()
    compare.arguments(parser)
    args = parser.parse_args([str(folder.path), name, "--align", "window", *window, "--modes", *(f"{l},{m}" for l, m in modes)])
    found, said, _ = compare.made(args)
    shown = {}
    for lm, values in said["modes"].items():
        rows = [row["mismatch"] for row in values["mismatch"]]
        shown[lm] = {"phase_max": values["inspiral"]["phase_max"], "amplitude_max": values["inspiral"]["amplitude_max"],
                     "phase_at_peak": values["peak"]["phase"], "peak_ratio": values["peak"]["ratio"], "mismatch": [min(rows), max(rows)]}
    rows = [row["mismatch"] for row in said["sky"]["mismatch"]]
    numbers = {"name": name, "align": args.align, "modes": shown, "masses": [min(args.masses), max(args.masses)],
               "sky": [min(rows), max(rows)], **({"spins": said["spins"]} if "spins" in said else {})}
    return numbers, found


def model_waves(found, best, tilted):
    """(2,2) of the model over the run's retarded times, which begin at the start of the comparison. In its coprecessing frame a constant
    phase is free: that of the least difference from the run until the peak."""
    b = frame.turned(found.b, frame.coprecessing(found.b)) if tilted else found.b
    first, last = max(found.start + found.peak, b.t[0] + found.peak, best.t[0]), min(b.t[-1] + found.peak, best.t[-1])
    t = np.linspace(first, last, 1 + math.ceil((last - first) / (best.t[1] - best.t[0])))
    one = align.resample(replace(b, t=b.t + found.peak, modes={(2, 2): b.mode(2, 2)}), t)
    if tilted:
        run = align.resample(replace(best, modes={(2, 2): best.mode(2, 2)}), t).mode(2, 2)
        early = t <= found.peak
        turn = np.exp(1j * np.angle(np.sum(run[early] * one.mode(2, 2)[early].conj())))
        one = one.map(lambda v, l, m: v * turn)
    return kept.packed_waves(one, [(2, 2)], TOLERANCE)
