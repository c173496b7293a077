#!/usr/bin/python3
"""Show where the time of a stage goes: a table of kernels, with hardware counters if NVIDIA's ncu is available, and a roofline.

    dev/profile.py FOLDER --arguments "par/bbh_q1.yaml --device gpu --set evolution.time_steps=global"
    dev/profile.py FOLDER --bench bench.json            (of `tendex bench --profile --json bench.json')
    dev/profile.py FOLDER --bench bench.json --counters counters.csv

It runs `tendex bench --profile', and on a GPU with ncu once more under ncu, which measures the first launches of each kernel.
Results in FOLDER: profile.md (the table), profile.json, roofline.png, bench.json, counters.csv.
"""

import argparse
import dataclasses
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from tendex_dev import machine, ncu
from tendex.base import files
from tendex.start import printable

# Kernels with less of the steps are not looked at by ncu; reasons and parts that a table shows.
LEAST_SHARE = 0.001
MOST_SHOWN = 3
BENCH_HAS = {"triad_bytes_per_s", "fma_flop_per_s", "ranks", "backend", "machine", "code_version"}


class ProfileError(Exception):
    """There is nothing to show."""


def positive(text):
    n = int(text)
    if n < 1:
        raise argparse.ArgumentTypeError(f"{text} is no positive whole number")
    return n


def arguments(words):
    root = Path(__file__).resolve().parents[1]
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", type=Path, help="for the results")
    p.add_argument("--arguments", default="", metavar="WORDS", help="of tendex bench")
    p.add_argument("--bench", type=Path, metavar="JSON", help="use these results instead of running a bench")
    p.add_argument("--counters", type=Path, metavar="CSV",
                   help="use these counters of ncu --csv --page raw instead of running ncu")
    p.add_argument("--program", default=str(root / "build" / "release" / "tendex"), metavar="PATH",
                   help="tendex program, default build/release/tendex")
    p.add_argument("--ncu", default="ncu", metavar="PATH", help="NVIDIA Nsight Compute, default ncu")
    p.add_argument("--launches", type=positive, default=60, metavar="N",
                   help="launches of each kernel that ncu measures (default 60)")
    p.add_argument("--timeout", type=float, default=1800, metavar="S", help="time limit of a bench [s] (default 1800)")
    a = p.parse_args(words)
    if a.bench and a.arguments:
        p.error("--arguments are those of a bench that is run; with --bench none is")
    return a


def run(command, log, timeout_s):
    """Run it, what it says going to a file."""
    try:
        with log.open("w") as out:
            code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, timeout=timeout_s).returncode
    except subprocess.TimeoutExpired as e:
        raise ProfileError(f"{command[0]} took more than {timeout_s:g} s; see {log}") from e
    except OSError as e:
        raise ProfileError(f"cannot run {command[0]}: {e.strerror}") from e
    if code != 0:
        said = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
        raise ProfileError(f"{command[0]} ended with code {code}: {said[-1] if said else 'it said nothing'}")


def read_bench(path):
    """The results of a bench and the pipeline that is shown: the first one."""
    try:
        data = files.read_json(path, ProfileError)
        pipeline = data["pipelines"][0]
        good = BENCH_HAS <= set(data) and {"kernels", "pipeline"} <= set(pipeline)
    except (KeyError, IndexError, TypeError):
        good = False
    if not good:
        raise ProfileError(f"{path} is not the JSON of `tendex bench'")
    return data, pipeline


def bench(a):
    file = a.bench
    if not file:
        file = a.folder / "bench.json"
        file.unlink(missing_ok=True)
        run([a.program, "bench", "--profile", "--json", str(file), *shlex.split(a.arguments)], a.folder / "bench.log",
            a.timeout)
    return read_bench(file)


def counters(a, data, pipeline):
    """{kernel: Counters}; nothing, and a line that says why, where there are none."""
    file = a.counters
    if not file:
        why = why_not(a, data, pipeline)
        if why:
            print(f"profile: no hardware counters: {why}", file=sys.stderr)
            return {}
        file = a.folder / "counters.csv"
        file.unlink(missing_ok=True)
        names = sorted({row["name"] for row in pipeline["profile"]["rows"] if row["share"] >= LEAST_SHARE})
        program = [a.program, "bench", *shlex.split(a.arguments), "--steps", "1"]
        run(ncu.command(a.ncu, names, a.launches * len(names), file, program), a.folder / "counters.log", a.timeout)
    try:
        return ncu.read(file)
    except ncu.CountersError as e:
        raise ProfileError(str(e)) from e


def why_not(a, data, pipeline):
    if data["backend"] != "cuda":
        return "the CPU computed"
    if not shutil.which(a.ncu):
        return f"{a.ncu}, NVIDIA Nsight Compute, is not installed"
    if a.bench:
        return "no bench was run; leave out --bench, or give --counters"
    return "" if pipeline.get("profile") else "the bench has no profile; run it with --profile"


def most(values, form):
    best = sorted(values.items(), key=lambda item: -item[1])[:MOST_SHOWN]
    return ", ".join(form.format(*item) for item in best) or "-"


def per_cent(value):
    return "-" if value is None else f"{100 * value:.0f}%"


def rate(value, share):
    return f"{value:.4g} ({share:.1f}%)" if value > 0 else "-"


def cells(row, counted):
    """A line of the table."""
    in_steps = row["in_steps"]
    takes = [str(row["registers"]), str(row["local_bytes"]), f"{row['shared_bytes'] / 1024:.1f}",
             str(row["blocks_per_sm"])] if "registers" in row else []
    line = [row["name"], f"{100 * row['share']:.2f}%" if in_steps else "-",
            f"{row['ns_per_point_stage']:.3g}" if in_steps else "-", *takes,
            rate(row["gflop_per_s"], row["percent_of_fma"]), rate(row["gb_per_s"], row["percent_of_triad"])]
    c = counted.get(row["name"])
    if not counted:
        return line
    if not c:
        return line + ["-"] * 5
    return line + [most(c.pipes, "{} {:.0f}%"), "-" if c.occupancy is None else f"{c.occupancy:.0f}%",
                   most(c.stalls, "{} {:.2f}"), per_cent(c.excess.get("shared")), per_cent(c.excess.get("global"))]


def table(pipeline, counted):
    rows = pipeline.get("profile", {}).get("rows", [])
    if not rows:
        return "No profile: run `tendex bench --profile`.\n"
    kernels = "registers" in rows[0]
    head = ["kernel" if kernels else "operation", "share", "ns/point-stage",
            *(["registers", "spills, bytes", "shared, KiB", "blocks/SM"] if kernels else []), "GFLOP/s (of FMA)",
            "GB/s (of triad)",
            *(["busiest parts", "occupancy", "warps stalled an issue", "excess shared wavefronts", "excess global sectors"]
              if counted else [])]
    lines = [head, ["---"] * len(head), *(cells(row, counted) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def roof_points(data, pipeline):
    """(name, flop a byte, GFLOP/s, share) of all whose operations and bytes are known; of one rank."""
    found = [(row["name"], row["flop"] / row["bytes"], row["gflop_per_s"], row["share"] if row["in_steps"] else None)
             for row in pipeline.get("profile", {}).get("rows", []) if row["flop"] > 0 and row["bytes"] > 0]
    if found:
        return found
    return [(row["name"], row["flop_per_point"] / row["bytes_per_point"], row["gflop_per_s"] / data["ranks"], None)
            for row in pipeline["kernels"] if row["flop_per_point"] > 0 and row["bytes_per_point"] > 0]


def draw(data, pipeline, file):
    points = roof_points(data, pipeline)
    if not points:
        raise ProfileError("the bench knows operations and bytes of nothing that it measured; run it with --profile")
    try:
        from tendex_dev import roofline
    except ModuleNotFoundError as e:
        if e.name not in ("matplotlib", "numpy"):
            raise
        print(f"profile: no roofline: {e}; call it with --bench where there is Matplotlib", file=sys.stderr)
        return
    what = "GPU" if data["backend"] == "cuda" else "rank"
    roofline.draw(points, data["triad_bytes_per_s"] / data["ranks"] / 1e9, data["fma_flop_per_s"] / data["ranks"] / 1e9,
                  f"{machine.card(data)}, a {what}; version {data['code_version']}", file)


def main(words=None):
    a = arguments(words)
    try:
        a.folder.mkdir(parents=True, exist_ok=True)
        data, pipeline = bench(a)
        counted = counters(a, data, pipeline)
        text = table(pipeline, counted)
        files.write(a.folder / "profile.md", text)
        files.write_json(a.folder / "profile.json", {
            "card": machine.card(data), "driver": machine.driver(data), "code_version": data["code_version"],
            "date": data.get("date"), "pipeline": pipeline["pipeline"], "profile": pipeline.get("profile"),
            "counters": {name: dataclasses.asdict(c) for name, c in counted.items()}})
        draw(data, pipeline, a.folder / "roofline.png")
    except (ProfileError, OSError) as e:
        print(f"profile: error: {e}", file=sys.stderr)
        return 1
    print(text, end="")
    return 0


if __name__ == "__main__":
    printable()
    sys.exit(main())
