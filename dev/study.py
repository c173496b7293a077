#!/usr/bin/python3
"""Make docs/studies/elliptic.md and its figures from what the bench programs printed.

    dev/study.py take MACHINE FILE ...     keep lines of bench_elliptic, bench_operator and tests/bench/amg.py, measured on MACHINE
                                             ("H100", say; earlier lines of the same runs there give way), in docs/results
    dev/study.py write [--check]           write the tables of the page; or compare only
    dev/study.py draw                      draw the figures

Numbers of the tables come from the programs, never from the keyboard. <!-- table NAME --> is the place of one.
"""

import argparse
import json
import sys
from pathlib import Path

from tendex_dev import pages
from tendex_dev.results.records import KeptError, Records
from tendex_dev.study import (KEPT, METHODS, StudyError, chosen, identity, levels_of, parse, reached, read, relaxation_pairs, seconds, side, usual,
                              variants)
from tendex.base import files
from tendex.start import printable

ROOT = Path(__file__).resolve().parents[1]
SHELF = ROOT / "docs" / "results"
PAGE = ROOT / "docs" / "studies" / "elliptic.md"
SHOWN = (1e-6, 1e-8, 1e-10)  # residuals of the table of relaxation


def kept():
    return parse(Records(SHELF).read().get(KEPT, b"").decode(), KEPT)


def take(machine, paths):
    new = [{"machine": machine, **run} for path in paths for run in read(path)]
    runs = {identity(run): run for run in kept() + new}
    Records(SHELF).add({KEPT: "".join(json.dumps(run) + "\n" for run in runs.values()).encode()})


def number(x, digits=3):
    """Three digits that matter, without an exponent where it can be."""
    if x == 0 or 1e-3 <= abs(x) < 1e6:
        return f"{float(f'{x:.{digits}g}'):,.15g}"
    return f"{x:.{digits - 1}e}"


def columns(head, rows):
    if not rows:
        return ["Not measured yet."]
    return ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"] + ["| " + " | ".join(row) + " |" for row in rows]


def operator_table(runs):
    """The faster numbering of the rows."""
    best = {}
    for run in chosen(runs, bench="operator"):
        key = (run["machine"], run["order"], run["side"])
        if key not in best or run["matrix_seconds"] < best[key]["matrix_seconds"]:
            best[key] = run
    rows = [[machine, str(order), f"{n}³", number(1e3 * r["seconds"]), number(1e3 * r["matrix_seconds"]), r["matrix"], r["rows"],
             number(r["matrix_seconds"] / r["seconds"], 2), number(r["bytes"] / r["points"]),
             number(r["matrix_bytes"] / r["points"]), number(r["matrix_bytes"] / r["bytes"], 2), f"{r['difference']:.0e}"]
            for (machine, order, n), r in sorted(best.items())]
    return columns(["machine", "order", "points", "matrix-free, ms", "CSR, ms", "by", "rows along", "speed-up",
                    "B a point", "CSR, B a point", "ratio", "largest difference"], rows)


def _of_methods(runs, key, names, first):
    """A row for each machine and value of `key`; iterations and seconds of each method."""
    table = {}
    for run in runs:
        table.setdefault((run["machine"], key(run)), {})[run["method"]] = run
    rows = []
    for (machine, at), of in sorted(table.items()):
        cells = [machine, first(at, of)]
        for name in names:
            run = of.get(name)
            setup = f"{number(run['setup_s'])} + " if run and run["bench"] == "amg" else ""
            cells.append(f"{run.get('iterations', run.get('cycles'))}, {setup}{number(seconds(run))} s" if run else "")
        rows.append(cells)
    return rows


def box_table(runs):
    names = ("multigrid", "fgmres", "cg", "ruge_stuben", "smoothed_aggregation")
    picked = [r for r in runs if r["order"] == 6 and (r.get("grid") == "box" or r["bench"] == "amg")]
    return columns(["machine", "points", *(METHODS[n] for n in names)], _of_methods(picked, side, names, lambda n, _: f"{n}³"))


def levels_table(runs):
    names = ("multigrid", "fgmres")
    rows = _of_methods(levels_of(runs), lambda r: r["levels"], names,
                       lambda n, of: f"0 to {n - 1} | {next(iter(of.values()))['points']:,}")
    return columns(["machine", "levels", "points", *(METHODS[n] for n in names)], rows)


def relaxation_table(runs):
    rows = []
    for slow, fast in relaxation_pairs(runs):
        for one, other in zip(reached(slow), reached(fast)):
            if one[0] not in SHOWN:
                continue
            work = [text for _, steps, evaluations, s in (one, other) for text in (f"{steps:,}", f"{evaluations:,.0f}", number(s))]
            rows.append([slow["machine"], f"0 to {slow['levels'] - 1}", f"{slow['points']:,}", f"{one[0]:.0e}", *work,
                         number(one[3] / other[3], 2)])
    return columns(["machine", "levels", "points", "residual", "RK4 steps", "evaluations a point", "s", "cycles",
                    "evaluations a point", "s", "speed-up"], rows)


def precision_table(runs):
    """Cycles and seconds of each variant, and how many times as fast it is as double precision."""
    rows = []
    for of in variants(runs):
        plain = of["double", True]
        for (precision, fused), run in sorted(of.items(), key=lambda kv: (kv[0][0], not kv[0][1])):
            gain = "" if run is plain else number(seconds(plain) / seconds(run), 3)
            rows.append([run["machine"], f"{run['points']:,}", str(run["order"]), METHODS[run["method"]], precision, "yes" if fused else "no",
                         str(run["cycles"]), number(seconds(run)), gain, number(run["bytes_a_point"])])
    return columns(["machine", "points", "order", "method", "precision of cycles", "fused multiply-adds", "cycles", "s", "times as fast",
                    "B a point"], rows)


TABLES = {"precision": precision_table, "operator": operator_table, "box": box_table, "levels": levels_table, "relaxation": relaxation_table}


def page():
    """The page with its tables as what is kept has them."""
    runs = kept()
    plain = [run for run in runs if usual(run)]

    def table(name):
        if name not in TABLES:
            raise StudyError(f"{PAGE.name}: no table '{name}' is known")
        return TABLES[name](runs if name == "precision" else plain)
    return pages.filled(files.read_text(PAGE, StudyError), table)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    taking = commands.add_parser("take")
    taking.add_argument("machine", metavar="MACHINE")
    taking.add_argument("files", nargs="+", metavar="FILE")
    commands.add_parser("write").add_argument("--check", action="store_true")
    commands.add_parser("draw")
    args = parser.parse_args(words)
    try:
        if args.command == "take":
            take(args.machine, args.files)
        elif args.command == "draw":
            from tendex_dev import study_figures
            study_figures.draw([run for run in kept() if usual(run)], PAGE.parent)
        elif not args.check:
            files.write(PAGE, page())
        elif page() != PAGE.read_text():
            print("study: docs/studies/elliptic.md is not what docs/results make: run dev/study.py write", file=sys.stderr)
            return 1
    except (StudyError, KeptError, OSError, KeyError) as e:
        print(f"study: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    printable()
    sys.exit(main())
