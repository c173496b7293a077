#!/usr/bin/python3
"""Keep measured numbers, and make BENCHMARKS.md and its figures of them.

    dev/benchmarks.py take bench.json --table one_gpu --name "RK4 stages, 5M points" \\
        --value rk4_step.point_stages_per_s --unit point-stages/s --at-least 1.0e9 \\
        --command "tendex bench par/bbh_q1.yaml --device gpu --json bench.json"
    dev/benchmarks.py runs out/q8_1 out/q8_2 out/q8_4 --name q8 --title "Strong scaling, q = 8" \\
        --command "mpirun -n RANKS tendex run par/bbh_q8.yaml --set run.t_end=1.5"
    dev/benchmarks.py write [--check]     write the tables of BENCHMARKS.md from docs/benchmarks; or compare only
    dev/benchmarks.py draw                draw the figures, docs/benchmarks/*.webp

`take' keeps a row in docs/benchmarks/measurements.json; a row of that name is replaced. Number, date, card, driver and version
come from the JSON of `tendex bench', of dev/scaling.py or of a run, never from the keyboard. --value is a path into it: names
separated by dots; in a list, the entry with that "name", "pipeline" or "ranks". --command may be left out where the JSON's
folder tells it, as that of dev/scaling.py does. `runs' keeps a series of run folders, or of a folder of dev/scaling.py, in
docs/benchmarks/runs.json, writes the page and draws its figure: the same problem on more and more GPUs, or, with --weak, one that
grows with them. On the page <!-- table measurements: TABLE --> or <!-- table series: NAME --> is the place of a table, <!-- table runs -->
that of all series of runs.
"""

import argparse
import json
import re
import shlex
import sys
import time
from pathlib import Path

from tendex_dev import benchmarks, machine
from tendex_dev.bench_runs import RunError, load, read_command, read_run
from tendex_dev.benchmarks import BenchmarkError
from tendex.base import files
from tendex.base.files import write
from tendex.start import printable

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "docs" / "benchmarks"
PAGE = ROOT / "BENCHMARKS.md"


def entry(items, name, path):
    for item in items:
        if isinstance(item, dict) and name in (str(item.get(key)) for key in ("name", "pipeline", "ranks")):
            return item
    raise BenchmarkError(f"{path}: no '{name}' in the list")


def look_up(data, path):
    """The number at a path."""
    found = data
    for name in path.split("."):
        if isinstance(found, list):
            found = entry(found, name, path)
        elif isinstance(found, dict) and name in found:
            found = found[name]
        else:
            there = ", ".join(found) if isinstance(found, dict) else repr(found)
            raise BenchmarkError(f"{path}: no '{name}' among {there}")
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise BenchmarkError(f"{path} is no number: {json.dumps(found)[:80]}")
    return found


def command_of(path, data, given):
    if given:
        return given
    if data.get("commands"):
        return "; ".join(data["commands"])
    try:
        return shlex.join(read_command(path.with_suffix(".command"))["command"])
    except (RunError, TypeError) as e:
        raise BenchmarkError(f"{path} does not tell the command that made it; give --command") from e


def make_row(a):
    data = files.read_json(a.json, BenchmarkError)
    value = look_up(data, a.value)
    bars = {key: x for key, x in (("at_least", a.at_least), ("at_most", a.at_most)) if x is not None}
    return {"table": a.table, "name": a.name, "value": value, "unit": a.unit, **bars,
            "command": command_of(a.json, data, a.command), "date": date_of(a.json, data)[:10],
            "card": machine.card_and_count(data, ranks_of(data, a.value)), "driver": machine.driver(data),
            "version": data["code_version"]}


def runs_of(paths, kind):
    """The runs of run folders, or of a folder of dev/scaling.py."""
    found = []
    for path in paths:
        found += [read_run(path, kind)] if (path / "summary.json").exists() else [r for r in load(path) if r.kind == kind]
    if not found:
        raise BenchmarkError(f"{', '.join(map(str, paths))}: no {'--weak ' if kind == 'weakrun' else ''}runs: give folders with a "
                             "summary.json, or one of dev/scaling.py --run")
    return found


def page():
    """The page with its tables as what is kept has them."""
    return benchmarks.Page(KEPT).filled(files.read_text(PAGE, BenchmarkError))


def keep_runs(a):
    kept = a.runs[0] / "scaling.commands"
    command = a.command or ("; ".join(files.read_text(kept, BenchmarkError).split("\n")[:-1]) if kept.exists() else "")
    if not command:
        raise BenchmarkError(f"{a.runs[0]} does not tell the command that made it; give --command")
    benchmarks.put_runs(KEPT, a.name, a.title, command, runs_of(a.runs, "weakrun" if a.weak else "run"))
    write(PAGE, page())
    from tendex_dev import benchmark_figures
    benchmark_figures.draw_all(KEPT, ["local_scaling"])


def date_of(path, data):
    """When it was measured: as the JSON says, or when that was written."""
    return data.get("date") or time.strftime("%Y-%m-%d", time.gmtime(path.stat().st_mtime))


def ranks_of(data, path):
    """On how many ranks; a scaling series has them in the path."""
    found = re.search(r"\branks\.(\d+)", path)
    return int(found[1]) if found else data.get("ranks", 1)


def arguments(words):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = p.add_subparsers(dest="command_name", required=True, metavar="COMMAND")
    t = commands.add_parser("take", help="keep a number")
    t.add_argument("json", type=Path, help="what the program wrote")
    t.add_argument("--table", required=True, help="the table of the page that it goes into")
    t.add_argument("--name", required=True, help="what was measured")
    t.add_argument("--value", required=True, metavar="PATH", help="where in the JSON the number is")
    t.add_argument("--unit", default="", help="of the number; %% shows a share as per cent")
    t.add_argument("--at-least", type=float, metavar="X", help="the bar, in the JSON's unit")
    t.add_argument("--at-most", type=float, metavar="X")
    t.add_argument("--command", metavar="WORDS", help="what made the JSON")
    r = commands.add_parser("runs", help="keep a series of whole runs, write the page and draw the figure")
    r.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="run folders, or a folder of dev/scaling.py")
    r.add_argument("--name", required=True, help="of the series, which it replaces if there is one, e.g. q8")
    r.add_argument("--title", required=True, help="what the page calls it")
    r.add_argument("--weak", action="store_true", help="the problem grows with the ranks")
    r.add_argument("--command", metavar="WORDS", help="what made the runs")
    w = commands.add_parser("write", help="write the page")
    w.add_argument("--check", action="store_true", help="compare only")
    commands.add_parser("draw", help="draw the figures")
    return p.parse_args(words)


def main(words=None):
    a = arguments(words)
    try:
        if a.command_name == "take":
            row = make_row(a)
            benchmarks.put(KEPT, row)
            print(f"{benchmarks.named(row)}: {benchmarks.number(row['value'], row['unit'])}; bar: {benchmarks.bar(row)}")
        elif a.command_name == "runs":
            keep_runs(a)
        elif a.command_name == "draw":
            from tendex_dev import benchmark_figures
            benchmark_figures.draw_all(KEPT)
        elif not a.check:
            write(PAGE, page())
        elif page() != PAGE.read_text():
            raise BenchmarkError(f"{PAGE.name} is not what docs/benchmarks make: run dev/benchmarks.py write")
    except (BenchmarkError, RunError, OSError) as e:
        print(f"benchmarks: error: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    printable()
    sys.exit(main())
