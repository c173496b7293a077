#!/usr/bin/python3
"""Measure strong and weak scaling: series of `tendex bench`, and of a run with regrids, on more and more ranks; write tables and
plots.

    dev/scaling.py FOLDER --strong 12e6 --weak 1.5e6 --ranks 1,2,4,8 --device gpu --repeats 3
    dev/scaling.py FOLDER --grid par/bbh_q1.yaml --strong 12e6 --ranks 1,2,4,8 \
        --arguments '--set evolution.time_steps=global'
    dev/scaling.py FOLDER --run par/bbh_q1.yaml --set run.t_end=6 --ranks 1,2,4,8
    dev/scaling.py FOLDER --run par/bbh_q1.yaml --set run.t_end=6 --weak-run 1.5e6 --ranks 1,2,4,8
    dev/scaling.py FOLDER --read out/q8_1 out/q8_2 out/q8_4     (run folders made elsewhere, of one problem)
    dev/scaling.py FOLDER              (tables and plots of existing results)

Runs take the time steps of their parameter file, of levels by default, and must compute the same on any number of ranks. --weak-run
makes a problem that grows: levels, spacings and time steps are those of the file; grid.bh_radius grows so that the
point-stages of a macro step and rank stay, grid.ball_radius so that the points a rank stay. Checkpoints do not count.

Every run is kept in FOLDER with its command; an interrupted series continues where it stopped. Results: scaling.md, scaling.csv,
scaling.json; strong, weak, rates, pieces, runs, phases as .png and .pdf.
"""

import argparse
import shlex
import sys
from pathlib import Path

from tendex_dev import run_scaling, scaling
from tendex_dev.bench_runs import Launcher, Plan, RunError, adopt, load, run_all, script
from tendex_dev.family import Family
from tendex.base import files
from tendex.base.program import Program, ProgramError
from tendex.start import printable


def count(text):
    n = float(text)
    if n < 1 or n != int(n):
        raise argparse.ArgumentTypeError(f"{text} is no positive whole number")
    return int(n)


def counts(text):
    return sorted({count(word) for word in text.split(",")})


def arguments(words):
    root = Path(__file__).resolve().parents[1]
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", type=Path, help="folder of runs and results")
    p.add_argument("--strong", type=count, action="append", default=[], metavar="POINTS",
                   help="strong scaling: a grid of about this many points; may be repeated")
    p.add_argument("--weak", type=count, action="append", default=[], metavar="POINTS",
                   help="weak scaling: grids of about this many points per rank; may be repeated")
    p.add_argument("--run", "--phases", metavar="FILE", help="parameter file of whole runs: strong scaling, and shares of phases")
    p.add_argument("--weak-run", type=count, metavar="POINTS",
                   help="instead weak scaling of --run: refined regions for about this many points per rank")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="set a parameter of --run, e.g. run.t_end=2")
    p.add_argument("--read", nargs="+", default=[], metavar="RUN", help="folders of runs of one problem: strong scaling")
    p.add_argument("--read-weak", nargs="+", default=[], metavar="RUN", help="folders of runs of a problem that grows")
    p.add_argument("--ranks", type=counts, default=[1, 2, 4, 8], metavar="N,...", help="numbers of ranks, default 1,2,4,8")
    p.add_argument("--repeats", type=count, default=1, metavar="N", help="repeats of each run; the fastest counts")
    p.add_argument("--steps", type=count, metavar="N", help="number of time steps measured (tendex bench --steps)")
    p.add_argument("--device", choices=("cpu", "gpu", "auto"), help="what computes")
    p.add_argument("--grid", metavar="FILE", help="parameter file of the grid of the benches; default: that of `tendex bench'")
    p.add_argument("--arguments", default="", metavar="WORDS",
                   help="further arguments of tendex bench, e.g. '--levels 6'")
    p.add_argument("--program", default=str(root / "build" / "release" / "tendex"), metavar="PATH",
                   help="tendex program, default build/release/tendex")
    p.add_argument("--launcher", default="mpirun -n {ranks}", metavar="WORDS",
                   help="command that starts the ranks, default 'mpirun -n {ranks}'; for instance 'srun -n {ranks} -G {ranks}'")
    p.add_argument("--threads", type=count, default=0, metavar="N", help="OpenMP threads per rank")
    p.add_argument("--timeout", type=float, metavar="S", help="time limit of a run [s]")
    p.add_argument("--script", type=Path, metavar="FILE",
                   help="write a shell script of the runs instead, for machines without Python")
    p.add_argument("--plan", action="store_true", help="print the commands, and run nothing")
    return p.parse_args(words)


def make_runs(a):
    """{ranks: [(points asked for, words after the file)]} of whole runs."""
    if a.weak_run and not a.run:
        raise RunError("--weak-run: give the parameter file that grows with the ranks, --run FILE")
    if not a.run:
        return {}
    device = [f"compute.device={a.device}"] if a.device else []
    sets = {ranks: a.set for ranks in a.ranks}
    if a.weak_run:
        try:
            family = Family(Program(a.program), a.run, a.set)
        except ProgramError as e:
            raise RunError(str(e)) from e
        sets = {ranks: words for ranks, (words, _) in family.members(a.weak_run, a.ranks).items()}
    return {ranks: [(a.weak_run * ranks if a.weak_run else 0, [w for s in [*words, *device] for w in ("--set", s)])]
            for ranks, words in sets.items()}


def make_plans(a):
    runs = make_runs(a)
    bench = ["bench", *([a.grid] if a.grid else []), *(["--device", a.device] if a.device else []),
             *(["--steps", str(a.steps)] if a.steps else []), *shlex.split(a.arguments)]
    plans = []
    for number in range(a.repeats):
        for ranks in a.ranks:
            for kind, sizes in (("strong", a.strong), ("weak", [n * ranks for n in a.weak])):
                for points in sizes:
                    plans.append(Plan(kind, ranks, number, points, (*bench, "--points", str(points))))
            plans += [Plan("weakrun" if a.weak_run else "run", ranks, number, points, ("run", a.run, *words))
                      for points, words in runs.get(ranks, [])]
    return plans


def commands(folder):
    """Commands of ours that ran something in the folder."""
    path = folder / "scaling.commands"
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []


def invocation(words):
    return shlex.join(["dev/scaling.py", *words])


def remember(folder, words):
    line = invocation(words)
    if line not in commands(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "scaling.commands").open("a", encoding="utf-8", errors="surrogateescape") as f:
            f.write(line + "\n")


def draw(series, shares, whole, folder):
    """Machines that compute may have no Matplotlib: then tables only, and plots where there is one."""
    try:
        from tendex_dev import scaling_figures
    except ModuleNotFoundError as e:
        if e.name not in ("matplotlib", "numpy"):
            raise
        print(f"scaling: no plots: {e}; call it with the folder alone where there is Matplotlib", file=sys.stderr)
        return {}
    return scaling_figures.draw_all(series, shares, whole, folder)


def show(folder):
    """Tables and plots of all runs of the folder."""
    runs = load(folder)
    if not runs:
        raise RunError(f"{folder}: no runs; give --strong, --weak, --run or --read")
    series, shares = scaling.series_of(runs), scaling.shares_of(runs)
    pictures = draw(series, shares, run_scaling.series_of(runs), folder)
    text = scaling.markdown(series, shares, runs, pictures)
    files.write(folder / "scaling.md", text)
    files.write(folder / "scaling.csv", scaling.csv_text(series))
    files.write_json(folder / "scaling.json", scaling.as_json(series, shares, runs, commands(folder)))
    return text


def main(words=None):
    words = sys.argv[1:] if words is None else words
    a = arguments(words)
    try:
        if "{ranks}" not in a.launcher:
            raise RunError(f"--launcher '{a.launcher}' does not say where the number of ranks goes: {{ranks}}")
        launcher = Launcher(a.program, tuple(shlex.split(a.launcher)), a.threads, a.timeout)
        plans = make_plans(a)
        if a.plan:
            for plan in plans:
                print(f"{plan.name}: {shlex.join(launcher.command(plan))}")
            return 0
        if a.script:
            files.write(a.script, script(plans, launcher, invocation(words)))
            return 0
        if plans or a.read or a.read_weak:
            remember(a.folder, words)
        adopt(a.folder, "run", a.read)
        adopt(a.folder, "weakrun", a.read_weak)
        run_all(a.folder, plans, launcher, lambda text: print(text, flush=True))
        print(show(a.folder))
        print(f"scaling.md, .csv, .json and plots are in {a.folder}")
    except (RunError, files.WriteError) as e:
        print(f"scaling: error: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    printable()
    sys.exit(main())
