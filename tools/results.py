#!/usr/bin/python3
"""Make RESULTS.md of runs that were analysed with tendex-waves.

    tools/results.py take RUN ...      analyse run folders as `tendex-waves remnant` does; keep the numbers in docs/results
    tools/results.py write [--check]   write RESULTS.md of docs/results/*.json and docs/results/text.md; or compare only

Numbers of the tables come from the JSON, never from the keyboard. In text.md a line `{{NAME: RUN, ...}}` stands for a table of these
runs, with the column of references of that NAME.
"""

import argparse
import json
import math
import re
import sys
from pathlib import Path

from tendex import files, folder
from tendex.waves import remnant, series, strain
from tendex.waves.modes import WaveError
from tendex.waves.run import Run
from tendex.waves.spheres import spacing

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "docs" / "results"

# What others have: {table: {row: text}}. Sources stand in docs/results/text.md.
REFERENCES = {
    "qc0": {"common": "23.25", "mass": ".97706", "chi": ".67624", "psi4": ".0773 to .0775",
            "psi4_time": "100.0 to 100.5", "energy": "3.06% of E", "spin_lost": "17.1% of J"},
    "r1": {"adm": ".995703307", "mass": ".961286", "chi": ".686462", "h": ".394", "w": ".359", "kick": "0", "odd": "0",
           "odd_h": "0"},
    "q1": {"adm": ".98974994", "mass": ".951609", "chi": ".686462", "h": ".394", "w": ".359", "kick": "0", "odd": "0",
           "odd_h": "0"},
    "seed": {"adm": ".988444319", "mass": ".951796", "chi": ".686462", "h": ".394", "w": ".359", "kick": "0",
             "odd": "0", "odd_h": "0", "wall": "87 h", "machine": "4 A100", "steps": "183,000"},
    "q2": {"mass": "near .961", "chi": "near .623"},
    "q4": {"mass": ".97789", "chi": ".471623", "h": ".2403", "kick": "157"},
}


def take(path):
    """Analyse a run and keep the numbers."""
    run = Run(path)
    s = run.summary
    outer = run.spheres()[-1].radius
    trees = run.parameters.get("grid.trees", 1)
    # The last grid has lost its finest levels where grid.remnant_level is set.
    asked = [run.parameters[f"grid.bh{n}_level"] for n in (1, 2)]
    finest = max(run.parameters["grid.level_max"] if level < 0 else level for level in asked)
    kept = {key: s[key] for key in ("code_version", "device", "ranks", "steps", "t", "complete", "wall_s", "m_per_hour",
                                    "point_stages", "point_stages_per_s", "points_most", "regrids")}
    kept["finest_spacing"] = run.parameters["grid.extent"] / (trees * s["octant_points"] * 2**finest)
    kept["sphere_spacing"] = spacing(run, outer)
    kept["outer"] = outer
    found = remnant.analyse(run, strain.of_run(run))
    for part in ("radiated", "balance"):
        del found[part]["spheres"]
    found["ringdown"] = {"infinity": found["ringdown"]["infinity"]}
    kept["constraints"] = constraints(run, dig(found, "merger", "common_horizon"))
    files.write_json(KEPT / f"{run.name}.json", {"run": kept, "remnant": found})


def constraints(run, merger):
    """Means of the L2 norms of the constraints from 30 M on until a common horizon is seen."""
    table = run.table("constraints.asc")
    chosen = [n for n, t in enumerate(table["time"]) if merger and 30 <= t <= merger]
    return {name.lower(): float(sum(norm[chosen]) / len(chosen)) for name, norm in series.norms(table).items() if chosen}


def dig(data, *keys):
    for key in keys:
        if data is None:
            return None
        data = data.get(key) if isinstance(data, dict) else data[key]
    return data


def largest_off(r):
    off = dig(r, "ringdown", "infinity", "off_percent")
    return off and "{:+.2f}%, {:+.2f}%".format(*off)


def outer_psi4(r):
    through = dig(r, "peak", "psi4_through")
    return through[-1] if through else None


def outer_height(k):
    """With the radius where the data end before the peak is at the outermost sphere."""
    found = outer_psi4(k["remnant"])
    where = f" at r = {found['radius']:g}" if found and found["radius"] != k["run"]["outer"] else ""
    return found and f"{found['height']:.5f}{where}"


def size(vector):
    return None if vector is None else math.sqrt(sum(x * x for x in vector))


# (key, title, function of the kept JSON -> text or None)
ROWS = [
    ("spacing", "spacing at the holes, M", lambda k: f"1/{1 / k['run']['finest_spacing']:.4g}"),
    ("sphere", "spacing at the outermost sphere, M",
     lambda k: f"{k['run']['sphere_spacing']:.3g} at r = {k['run']['outer']:g}"),
    ("machine", "machine",
     lambda k: f"{k['run']['ranks']} H200" if "H200" in k["run"]["device"] else k["run"]["device"]),
    ("wall", "wall time", lambda k: f"{k['run']['wall_s'] / 60:.1f} min, to t = {k['run']['t']:.4g} M"),
    ("steps", "time steps", lambda k: f"{k['run']['steps']:,}"),
    ("work", "point-stages; a second",
     lambda k: f"{k['run']['point_stages']:.3g}; {k['run']['point_stages_per_s']:.3g}"),
    ("adm", "ADM energy", lambda k: f"{k['remnant']['initial']['adm_energy']:.9f}"),
    ("eccentricity", "eccentricity, of the orbital frequency", lambda k: eccentricity(k["remnant"])),
    ("orbits", "orbits of the punctures until the common horizon",
     lambda k: number(dig(k["remnant"], "merger", "orbits_of_punctures"), ".2f")),
    ("common", "common horizon first seen, t",
     lambda k: number(dig(k["remnant"], "merger", "common_horizon"), ".2f")),
    ("grown", "what hole 1 has gained, M", lambda k: gained(k["remnant"])),
    ("mass", "M_f", lambda k: number(dig(k["remnant"], "horizon", "mass", "value"), ".6f")),
    ("chi", "a_f/M_f", lambda k: number(dig(k["remnant"], "horizon", "chi", "value"), ".6f")),
    ("h", "peak of r h22 / M", lambda k: peak(k["remnant"], "height_over_M", ".4f")),
    ("h_time", "its retarded time over M", lambda k: peak(k["remnant"], "time_over_M", ".2f")),
    ("w", "M w22 there", lambda k: peak(k["remnant"], "frequency_M", ".4f")),
    ("psi4", "peak of r abs(psi4_22) at the outermost sphere",
     lambda k: outer_height(k)),
    ("psi4_time", "its time", lambda k: number(dig(outer_psi4(k["remnant"]), "time"), ".2f")),
    ("ring", "ringdown beside the Kerr mode of M_f, a_f: w, damping", lambda k: largest_off(k["remnant"])),
    ("energy", "E radiated", lambda k: number(dig(k["remnant"], "radiated", "value", "E"), ".5f")),
    ("balance_e", "less what the hole lacks of the ADM energy",
     lambda k: number(dig(k["remnant"], "balance", "value", "E_percent"), "+.2f", "%")),
    ("spin_lost", "J_z radiated", lambda k: number(dig(k["remnant"], "radiated", "value", "J", 2), ".5f")),
    ("balance_j", "less what the hole lacks of it",
     lambda k: number(dig(k["remnant"], "balance", "value", "J_percent"), "+.2f", "%")),
    ("kick", "kick, km/s", lambda k: kick(k["remnant"])),
    ("odd", "largest odd m of psi4 over (2,2)", lambda k: odd(k["remnant"], "psi4_through")),
    ("odd_h", "largest odd m of h over (2,2)", lambda k: odd(k["remnant"], "strain")),
    ("hamiltonian", "L2 norm of H, mean from 30 M to the common horizon",
     lambda k: number(dig(k["run"].get("constraints"), "hamiltonian"), ".1e")),
    ("momentum", "the same of the momentum constraint",
     lambda k: number(dig(k["run"].get("constraints"), "momentum"), ".1e")),
    ("version", "version", lambda k: k["run"]["code_version"]),
]


def number(x, form, unit=""):
    return None if x is None else format(x, form) + unit


def peak(r, key, form):
    strain = dig(r, "peak", "strain")
    return None if not strain or strain.get("near_cutoff") else number(strain.get(key), form)


def gained(r):
    """By how much the first hole's mass, between junk and merger, is above that of the initial data."""
    value, data = dig(r, "holes", 0, "mass", "value"), dig(r, "initial", "masses", 0)
    return None if value is None or data is None else f"{value - data:+.1e}"


def kick(r):
    value, error = dig(r, "radiated", "value", "kick_km_s"), dig(r, "radiated", "error", "kick_km_s")
    return None if value is None else f"{size(value):.{3 if size(value) >= 100 else 2}g} ± {size(error):.2g}"


def eccentricity(r):
    found = r["eccentricity"]
    return None if "none" in found else f"{found['of_frequency']:.4f} ± {found['of_frequency_error']:.4f}"


def odd(r, of):
    """Of the strain, or of psi4 through the sphere that the results are from."""
    found = r.get("odd_m")
    if not found or not found["equal_holes"]:
        return None
    one, = [found[of]] if of == "strain" else [s for s in found[of] if s["radius"] == r["radiated"]["used"]]
    return f"{one['ratio']:.1e}"


def table(name, runs):
    """Lines of a Markdown table of runs; rows without any value are left out."""
    kept = [json.loads((KEPT / f"{run}.json").read_text()) for run in runs]
    references = REFERENCES.get(name, {})
    lines = ["| | " + " | ".join(runs) + " | others |", "|---" * (len(runs) + 2) + "|"]
    for key, title, text in ROWS:
        cells = [text(k) for k in kept]
        if any(cells):
            lines.append(f"| {title} | " + " | ".join(c or "" for c in cells) + f" | {references.get(key, '')} |")
    return lines


def results():
    """The text of RESULTS.md."""
    out = []
    for line in (KEPT / "text.md").read_text().splitlines():
        asked = re.fullmatch(r"\{\{(\w+): (.+)\}\}", line)
        out += table(asked[1], re.split(r",\s*", asked[2])) if asked else [line]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("take").add_argument("runs", nargs="+", metavar="RUN")
    commands.add_parser("write").add_argument("--check", action="store_true")
    args = parser.parse_args()
    file = ROOT / "RESULTS.md"
    try:
        if args.command == "take":
            for path in args.runs:
                take(path)
        elif not args.check:
            files.write(file, results())
        elif results() != file.read_text():
            print("results: RESULTS.md is not what docs/results make: run tools/results.py write", file=sys.stderr)
            return 1
    except (WaveError, folder.FolderError, OSError, KeyError) as e:
        print(f"results: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
