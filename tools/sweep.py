#!/usr/bin/python3
"""A small catalogue: runs of quasi-circular binaries from a table of mass ratios, spins and separations.

    tools/sweep.py FOLDER --table TABLE              make a parameter file for each row; show memory and cost
    tools/sweep.py FOLDER --run                      run them here, one after the other
    tools/sweep.py FOLDER --slurm --limit 4          or as an array of jobs, four at a time
    tools/sweep.py FOLDER                            how far they are
    tools/sweep.py FOLDER --export sxs               write what is complete in a catalogue's format

A table, with columns apart by white space or commas (a value - is the default):

    q    chi1   chi2         D      level_max   grid.ball_radius
    1    0      0            10     -           -
    2    0.3    0.1,0,0.2    8      13          120

q is the mass of hole 1 over that of hole 2, chi the dimensionless spins (along z, or x,y,z), D the separation in M.
Further columns: name, level_max, t_end, any parameter of tendex, and eccentricity, mean_anomaly: tendex-orbit finds such
an orbit first. All else is what `tendex new --separation D` plans with --accuracy: grid, spheres, end and intervals.

Everything may be called again at any time: what is complete stays, what was interrupted goes on from its checkpoint,
and rows that are new in the table are added. SIGINT, SIGTERM and SIGUSR1 to --run let the run save itself, and end.
"""

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

from tendex.files import write_json
from tendex.folder import FolderError
from tendex.program import Program, ProgramError
from tendex.state import STATES
from tendex.sweep_runs import Sweep
from tendex.sweep_table import SweepError, read

ROOT = Path(__file__).resolve().parents[1]
FORMATS = ("sxs", "lvcnr", "rit")


def arguments(words):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", type=Path, help="the sweep: its parameter files, runs and sweep.json")
    make = p.add_argument_group("make")
    make.add_argument("--table", type=Path, metavar="FILE", help="the table; adds its rows to a sweep that is there")
    make.add_argument("--accuracy", choices=("coarse", "standard", "high"), default="standard",
                      help="of `tendex new', default standard")
    make.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                      help="a parameter for all rows, over what is derived; a row's own column goes before")
    make.add_argument("--ranks", type=int, default=1, metavar="N", help="GPUs, a rank each, for which memory and hours are shown")
    make.add_argument("--speed", type=float, default=1.42e9, metavar="X",
                      help="point-stages/s of one for hours shown, default 1.42e9, an H200's")
    run = p.add_argument_group("run")
    run.add_argument("--run", action="store_true", help="run here what is not complete")
    run.add_argument("--launcher", default="", metavar="WORDS", help="what starts ranks, e.g. 'mpirun -n 4'")
    run.add_argument("--slurm", action="store_true", help="submit what is not complete as an array of jobs")
    run.add_argument("--script", type=Path, default=ROOT / "par" / "slurm" / "array.sh", metavar="FILE",
                     help="job script, default par/slurm/array.sh")
    run.add_argument("--limit", type=int, default=0, metavar="N", help="jobs at a time")
    run.add_argument("--sbatch", default="", metavar="WORDS", help="more of sbatch's options, e.g. '--account=a -t 60'")
    run.add_argument("--retry", action="store_true", help="failed runs too, from their last checkpoints")
    p.add_argument("--export", choices=FORMATS, help="tendex-waves export of all complete runs into "
                   "FOLDER/catalogue/FORMAT")
    p.add_argument("--meta", type=Path, metavar="FILE", help="for --export: authors and so on, lines `key = value'")
    p.add_argument("--status", action="store_true", help="show how far they are, the default without other work")
    p.add_argument("--json", type=Path, metavar="FILE", help="write the states as JSON too")
    p.add_argument("--program", type=Path, default=ROOT / "build" / "release" / "tendex",
                   metavar="PATH", help="default build/release/tendex")
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
    sys.exit(main())
