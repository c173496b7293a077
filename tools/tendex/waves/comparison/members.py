"""Are runs members of one series? Their parameters and versions, compared: what may differ is the resolution."""

import math

from tendex.waves.signal.modes import WaveError

# Levels go up together where spacings are halved.
LEVELS = ("grid.level_min", "grid.level_max", "grid.ball_level", "grid.remnant_level",
          *(f"grid.bh{n}_level" for n in range(1, 9)))
# What is in steps, or says where, how long, on what and how often.
FREE = ("run.", "compute.", "checkpoint.", "output.", "horizons.", "waves.l_max", "waves.degree", "waves.text", "waves.worldtube",
        "evolution.macro_step", "grid.trees", "grid.octant_points", *LEVELS)
# Tolerances and methods of solvers for the same data; which spheres there are.
SOLVERS = ("initial_data.solver", "initial_data.resolution", "initial_data.tolerance", "elliptic.", "waves.radii")
CLOSE = 1e-9
BOUNDARIES = "the error at them does not converge"


def same(a, b):
    """Of two values of parameters."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (a, b))
    return math.isclose(a, b, rel_tol=CLOSE, abs_tol=1e-300) if numbers else a == b


def free(key):
    return key.startswith(FREE) or key.endswith("every")


def shown(value):
    return ", ".join(map(shown, value)) if isinstance(value, (list, tuple)) else f"{value:g}" if isinstance(value, float) else str(value)


def differing(runs):
    """{key: [values]} of parameters that all runs, [{key: value}], have and that are not the same."""
    shared = set.intersection(*map(set, runs))
    return {key: [r[key] for r in runs] for key in sorted(shared) if not free(key) and not all(same(runs[0][key], r[key]) for r in runs[1:])}


def check(names, runs, versions):
    """(why no order is believed, or "", [notes]) of runs with these parameters [{key: value}] and versions of the program. Raises WaveError where
    they are not runs of one problem."""
    found = differing(runs)
    grid = {key: values for key, values in found.items() if key.startswith("grid.")}
    other = {key: values for key, values in found.items() if key not in grid and not key.startswith(SOLVERS)}
    if other:
        raise WaveError(f"{', '.join(names)}: not one series: {_listed(other)}; only the resolution may differ: grid.trees, "
                        "grid.octant_points, levels, intervals in steps")
    notes, why = [], ""
    if grid:
        why = "refinement boundaries differ"
        notes.append(f"{why}: {_listed(grid)}; {BOUNDARIES}, so no order is believed")
    uneven = _uneven(runs)
    if uneven:
        notes.append(f"levels differ by other numbers than grid.level_max: {_listed(uneven)}; the bound lacks errors where the spacing is the same")
    solvers = {key: values for key, values in found.items() if key.startswith(SOLVERS)}
    if solvers:
        notes.append(f"not the same, and in the differences: {_listed(solvers)}")
    if len(set(versions)) > 1:
        notes.append(f"made by different versions, {', '.join(versions)}: what changed between them is in the differences")
    return why, notes


def _uneven(runs):
    """{key: levels} that do not go up as grid.level_max does; -1, not set, goes with any."""
    top = [r.get("grid.level_max") for r in runs]
    if None in top or len(set(top)) == 1:
        names = [key for key in LEVELS[1:] if len({r.get(key) for r in runs}) > 1]
        return {key: [r.get(key) for r in runs] for key in names}
    found = {}
    for key in LEVELS[1:]:  # the base level is out where little is left of the waves
        values = [r.get(key) for r in runs]
        if None in values or min(values) < 0:
            continue
        if [v - values[0] for v in values] != [v - top[0] for v in top]:
            found[key] = values
    return found


def _listed(found):
    return "; ".join(f"{key} is {' and '.join(map(shown, values))}" for key, values in found.items())
