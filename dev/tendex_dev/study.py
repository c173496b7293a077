"""Runs of bench_elliptic, bench_operator and tests/bench/amg.py, as docs/studies/elliptic.md shows them."""

import json

from tendex.base.files import read_text

# Their record.
KEPT = "elliptic_study.jsonl"
# What makes a run another one.
KEYS = ("machine", "bench", "grid", "side", "levels", "points", "method", "order", "tolerance", "rows", "precision", "fused")
# What runs do that were printed before there were others.
USUAL = {"elliptic": {"precision": "double", "fused": True}}
BENCHES = {"elliptic": ("grid", "method", "points", "cycles", "processor_s", "reached"),
           "operator": ("side", "order", "matrix", "seconds", "matrix_seconds", "bytes", "matrix_bytes", "difference"),
           "amg": ("side", "order", "method", "iterations", "seconds", "setup_s")}
METHODS = {"multigrid": "FAS", "fgmres": "FGMRES", "cg": "MG-CG", "relaxation": "relaxation",
           "ruge_stuben": "PyAMG, Ruge-Stüben", "smoothed_aggregation": "PyAMG, aggregation"}


class StudyError(Exception):
    """What was given is not what a bench program prints."""


def parse(text, name):
    """Runs, a line of JSON each."""
    found = []
    for n, line in enumerate(text.splitlines(), 1):
        try:
            run = json.loads(line)
            lacking = [key for key in BENCHES[run["bench"]] if key not in run]
        except (ValueError, KeyError, TypeError) as e:
            raise StudyError(f"{name}, line {n}: no line of bench_elliptic, bench_operator or amg.py ({e!r})") from e
        if lacking:
            raise StudyError(f"{name}, line {n}: has no {', '.join(lacking)}: printed by another version?")
        found.append(run)
    return found


def read(path):
    """Runs of a file."""
    return parse(read_text(path, StudyError), path)


def identity(run):
    run = {**USUAL.get(run["bench"], {}), **run}
    return tuple(run.get(key) for key in KEYS)


def usual(run):
    """Whether it is one of double precision, with fused multiply-adds."""
    return all(run.get(key, value) == value for key, value in USUAL.get(run["bench"], {}).items())


def variants(runs):
    """[{(precision, fused): run}] of each machine and problem that was solved in other ways, too."""
    found = {}
    for run in runs:
        if run["bench"] == "elliptic":
            run = {**USUAL["elliptic"], **run}
            found.setdefault(identity(run)[:-2], {})[run["precision"], run["fused"]] = run
    return [of for _, of in sorted(found.items(), key=lambda kv: str(kv[0])) if ("double", True) in of and len(of) > 1]


def seconds(run):
    """Of a CPU those of the process: other programs may share its cores."""
    return run["processor_s"] if run.get("backend") == "cpu" and "processor_s" in run else run["seconds"]


def side(run):
    return run.get("side") or round(run["points"] ** (1 / 3))


def chosen(runs, **wanted):
    return [run for run in runs if all(run.get(key) == value for key, value in wanted.items())]


def machines(runs):
    return sorted({run["machine"] for run in runs})


def levels_of(runs):
    """Runs round the punctures that went to 1e-10 by a method that scales."""
    return [r for r in chosen(runs, bench="elliptic", grid="punctures", tolerance=1e-10, order=6) if r["method"] != "relaxation"]


def reached(run):
    """[(residual, steps, evaluations a point, seconds)] as the residual first fell to 1e-2, 1e-4 ...; the process's seconds of a CPU
    are shared out by evaluations."""
    own = seconds(run) != run["seconds"]
    return [(left, step, evaluations, seconds(run) * evaluations / run["evaluations"] if own else clock)
            for left, step, evaluations, clock in run["reached"]]


def relaxation_pairs(runs):
    """[(relaxation, multigrid)] on the same grid of the same machine, to the same tolerance."""
    found = []
    slow = chosen(runs, bench="elliptic", grid="punctures", method="relaxation")
    for run in sorted(slow, key=lambda r: (r["machine"], r["points"], -r["tolerance"])):
        wanted = {key: run[key] for key in ("machine", "bench", "grid", "points", "order", "tolerance")}
        found += [(run, other) for other in chosen(runs, method="multigrid", **wanted)]
    return found
