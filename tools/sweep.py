#!/usr/bin/python3
"""Run a small catalogue: quasi-circular binaries from a table of mass ratios, spins and separations.

    tools/sweep.py FOLDER --table TABLE              write a parameter file for each row; show memory and cost
    tools/sweep.py FOLDER --run                      run them here, one after the other
    tools/sweep.py FOLDER --slurm --limit 4          or as an array of jobs, four at a time
    tools/sweep.py FOLDER                            show their state
    tools/sweep.py FOLDER --export sxs               write complete runs in a catalogue's format

A table has columns separated by white space or commas; a value - means the default:

    q    chi1   chi2         D      level_max   grid.ball_radius
    1    0      0            10     -           -
    2    0.3    0.1,0,0.2    8      13          120

q is the mass ratio, hole 1 over hole 2, chi the dimensionless spins (along z, or x,y,z), D the separation [M]. Further columns:
name, level_max, t_end, any parameter of tendex, and eccentricity, mean_anomaly, for which tendex-orbit first finds the orbit.
Everything else is planned by `tendex new --separation D' with --accuracy: grid, spheres, end time and intervals.

Every command may be repeated: complete runs stay, interrupted ones restart from their checkpoints, and new rows of the table are
added. On SIGINT, SIGTERM and SIGUSR1 to --run the run writes a checkpoint and ends.
"""

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

from tendex.base.files import write_json
from tendex.base.folder import FolderError
from tendex.base.program import Program, ProgramError
from tendex.base.state import STATES
from tendex.start import printable
from tendex.sweep_runs import Sweep
from tendex.sweep_table import SweepError, read

ROOT = Path(__file__).resolve().parents[1]
FORMATS = ("sxs", "lvcnr", "rit")


def arguments(words):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", type=Path, help="folder of the sweep, with its parameter files, runs and sweep.json")
    make = p.add_argument_group("make")
    make.add_argument("--table", type=Path, metavar="FILE", help="table of runs; rows are added to an existing sweep")
    make.add_argument("--accuracy", choices=("coarse", "standard", "high"), default="standard",
                      help="accuracy of `tendex new', default standard")
    make.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                      help="set a parameter for all rows, over the plan; a column of the table has precedence")
    make.add_argument("--ranks", type=int, default=1, metavar="N",
                      help="number of GPUs, one rank each, for which memory and hours are shown")
    make.add_argument("--speed", type=float, default=1.42e9, metavar="X",
                      help="speed of a GPU for the hours shown [point-stages/s], default 1.42e9, an H200")
    run = p.add_argument_group("run")
    run.add_argument("--run", action="store_true", help="run all incomplete runs here")
    run.add_argument("--launcher", default="", metavar="WORDS", help="command that starts the ranks, e.g. 'mpirun -n 4'")
    run.add_argument("--slurm", action="store_true", help="submit all incomplete runs as an array of jobs")
    run.add_argument("--script", type=Path, default=ROOT / "par" / "slurm" / "array.sh", metavar="FILE",
                     help="job script, default par/slurm/array.sh")
    run.add_argument("--limit", type=int, default=0, metavar="N", help="number of jobs at a time")
    run.add_argument("--sbatch", default="", metavar="WORDS", help="further options of sbatch, e.g. '--account=a -t 60'")
    run.add_argument("--retry", action="store_true", help="also restart failed runs, from their last checkpoints")
    p.add_argument("--export", choices=FORMATS, help="export all complete runs with tendex-waves to "
                   "FOLDER/catalogue/FORMAT")
    p.add_argument("--meta", type=Path, metavar="FILE", help="metadata of --export, e.g. authors: lines `key = value'")
    p.add_argument("--status", action="store_true", help="show the state of the runs; the default")
    p.add_argument("--json", type=Path, metavar="FILE", help="also write the states as JSON")
    p.add_argument("--program", type=Path, default=ROOT / "build" / "release" / "tendex",
                   metavar="PATH", help="tendex program, default build/release/tendex")
    return p.parse_args(words)


def say(text):
    print(text, flush=True)


def make(a, sweep, program):
    known = program.defaults
    if a.speed <= 0 or a.ranks < 1:
        raise SweepError("--speed and --ranks must be above 0")
    rows = read(a.table, known)
    sweep.make(rows, program, a.accuracy, a.ranks, a.speed, program.settings(a.set), say)
    work = sum(run["check"]["point_stages"] for run in sweep.runs)
    hours = sum(run["check"]["hours"] for run in sweep.runs)
    say(f"{len(sweep.runs)} runs, {work:.2e} point-stages in all: {hours:.2g} hours on {a.ranks} "
        f"GPU{'s' if a.ranks > 1 else ''} of {a.speed:g} point-stages/s\n")


def submit(a, sweep, program):
    if not a.script.is_file():
        raise SweepError(f"--script {a.script}: no such file")
    environment = dict(os.environ, TENDEX_HOME=str(ROOT), TENDEX_PROGRAM=str(Path(program.path).resolve()))
    job, n = sweep.submit(a.script, a.limit, a.retry, shlex.split(a.sbatch), environment)
    say(f"job {job}: {n} runs" if job else "nothing to do: no run is waiting or stopped")


def export(a, sweep):
    """Exit code."""
    complete = [run for run in sweep.runs if sweep.state(run).word == "complete"]
    if not complete:
        raise SweepError(f"{sweep.folder}: no run is complete, so there is nothing to export")
    bad, where = 0, sweep.folder / "catalogue" / a.export
    meta = ["--meta", a.meta] if a.meta else []
    for run in complete:
        to = where / (run["name"] + ".h5" if a.export == "lvcnr" else run["name"])
        words = ["export", sweep.run_folder(run), "--format", a.export, "-o", to, *meta]
        bad += subprocess.run([sys.executable, str(ROOT / "tools" / "tendex-waves"), *map(str, words)]).returncode != 0
    say(f"{len(complete) - bad} of {len(complete)} complete runs are in {where}")
    return 1 if bad else 0


def spin(chi):
    return f"{chi[2]:g}" if not any(chi[:2]) else ",".join(f"{c:g}" for c in chi)


def table(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(w.ljust(n) for w, n in zip(line, widths)).rstrip() for line in lines)


def status(sweep, file):
    lines, states = [["run", "q", "chi1", "chi2", "D/M", "state", "t/M", "of", "M/hour", "left", ""]], []
    for run in sweep.runs:
        s = sweep.state(run)
        states.append({**run, "state": s.word, "t": s.t, "speed": s.speed, "left": s.left, "why": s.why})
        lines.append([run["name"], f"{run['q']:g}", spin(run["chi1"]), spin(run["chi2"]), f"{run['D']:g}", s.word,
                      "-" if s.t is None else f"{s.t:.1f}", f"{run['t_end']:g}",
                      "-" if s.speed is None else f"{s.speed:.1f}", s.left or "-", s.why])
    say(table(lines))
    counts = [(sum(s["state"] == word for s in states), word) for word in STATES]
    say(f"{len(states)} run{'s' if len(states) > 1 else ''}: " + ", ".join(f"{n} {word}" for n, word in counts if n))
    if file:
        write_json(file, states, indent=1)


def check(a):
    """No option without the one that it belongs to."""
    for option, given, owner, there in (
            ("--set", a.set, "--table", a.table), ("--launcher", a.launcher, "--run", a.run),
            ("--limit", a.limit, "--slurm", a.slurm), ("--sbatch", a.sbatch, "--slurm", a.slurm),
            ("--meta", a.meta, "--export", a.export)):
        if given and not there:
            raise SweepError(f"{option} has no effect without {owner}")


def work(a):
    check(a)
    sweep = Sweep(a.folder)
    code = 0
    program = Program(a.program) if a.table or a.run or a.slurm else None
    if a.table:
        make(a, sweep, program)
    if a.run and not sweep.run_all(program, shlex.split(a.launcher), a.retry, say):
        code = 1
    if a.slurm:
        submit(a, sweep, program)
    if a.export:
        code = export(a, sweep) or code
    if a.status or a.json or not (a.slurm or a.export):
        status(sweep, a.json)
    return code


def main(words=None):
    try:
        return work(arguments(words))
    except (SweepError, ProgramError, FolderError, OSError) as e:
        print(f"sweep: error: {e}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    printable()
    sys.exit(main())
