"""Runs of `tendex bench` and `tendex run` on several ranks, kept in a folder: one set of files a run.

    NAME.json      what the program wrote, or the summary.json of a run; there only when it ended well
    NAME.command   the command, its environment, when it was run
    NAME.log       what it said
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from tendex.base.files import read_json, write_json

KINDS = ("strong", "weak", "run", "weakrun")


class RunError(Exception):
    """A run failed or its results are not to be used."""


def is_run(kind):
    """Of `tendex run', not of `tendex bench'."""
    return kind in ("run", "weakrun")


@dataclass(frozen=True)
class Plan:
    """One run that is wanted."""

    kind: str  # "strong", "weak" of a bench; "run", "weakrun" of a run
    ranks: int
    number: int  # of the repeats, from 0
    points: int  # asked for, all ranks; 0: those of the parameter file
    arguments: tuple  # of the program, without those about where results go

    @property
    def name(self):
        what = f"{self.kind}-{self.points}" if self.points else self.kind
        return f"{what}-r{self.ranks}-n{self.number}"


@dataclass
class Launcher:
    """How to start the program; `words` are those of the launcher, {ranks} is replaced."""

    program: str
    words: tuple = ("mpirun", "-n", "{ranks}")
    threads: int = 0  # OpenMP threads a rank; 0: as the environment says
    timeout_s: float = None
    extra: dict = field(default_factory=dict)  # environment

    def command(self, plan):
        launch = [w.replace("{ranks}", str(plan.ranks)) for w in self.words]
        return [*launch, self.program, *plan.arguments]

    def environment(self):
        threads = {"OMP_NUM_THREADS": str(self.threads)} if self.threads else {}
        return {**threads, **self.extra}


def read_command(path):
    """{"command", "environment", "date"}. Raises RunError."""
    found = read_json(path, RunError)
    if not isinstance(found.get("command"), list) or not isinstance(found.get("date"), str):
        raise RunError(f"{path}: no command and date in it")
    return found


def where(plan, results, run_folder):
    """The arguments that say where results go."""
    return ["--set", f"run.folder={run_folder}"] if is_run(plan.kind) else ["--json", str(results)]


def script(plans, launcher, invocation):
    """The same runs as a shell script, for machines without Python: `sh SCRIPT` leaves the files of a folder where it
    is started. `invocation`: the command that made the script."""
    lines = ["#!/bin/sh", "# Series of runs for dev/scaling.py FOLDER. Start it in FOLDER; goes on where it stopped.",
             f"printf '%s\\n' {shlex.quote(invocation)} > scaling.commands"]
    for plan in plans:
        command, environment = launcher.command(plan), launcher.environment()
        part, run = f"{plan.name}.part.json", f"{plan.name}.run"
        made = f"{run}/summary.json" if is_run(plan.kind) else part
        words = shlex.join([*(f"{k}={v}" for k, v in environment.items()), *command, *where(plan, part, run)])
        about = json.dumps({"command": command, "environment": environment, "date": "DATE"})
        lines += [f"if [ ! -s {plan.name}.json ]; then", f"  echo {plan.name}", f"  rm -rf {run} {part}",
                  f"  env {words} > {plan.name}.log 2>&1 || {{ tail -25 {plan.name}.log; exit 1; }}",
                  f"  printf '%s\\n' {shlex.quote(about)} | sed \"s/DATE/$(date -u +%Y-%m-%dT%H:%M:%SZ)/\" "
                  f"> {plan.name}.command",
                  f"  mv {made} {plan.name}.json && rm -rf {run}", "fi"]
    return "\n".join(lines) + "\n"


def is_done(folder, plan, command, environment):
    """Is the run there? RunError if what is there was made by another command."""
    result, made_by = folder / f"{plan.name}.json", folder / f"{plan.name}.command"
    if not result.exists():
        return False
    if not made_by.exists():
        raise RunError(f"{result}: there is no {made_by.name} that says how it was made; take another folder")
    was = read_command(made_by)
    if was["command"] != command or was["environment"] != environment:
        raise RunError(f"{result} was made by\n    {shlex.join(was['command'])}   {was['environment']}\n  not by\n"
                       f"    {shlex.join(command)}   {environment}\n  take another folder, or remove those files")
    return True


def fail(log, command, why):
    tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-25:])
    raise RunError(f"{shlex.join(command)}\n  {why}; {log} ends in\n{tail}")


def execute(folder, plan, launcher):
    """Run it; its results appear under their name only after it has ended well."""
    command, environment = launcher.command(plan), launcher.environment()
    part, log = folder / f"{plan.name}.part.json", folder / f"{plan.name}.log"
    run_folder = folder / f"{plan.name}.run"
    if run_folder.exists():
        shutil.rmtree(run_folder)
    part.unlink(missing_ok=True)
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        with log.open("w") as out:
            p = subprocess.run([*command, *where(plan, part, run_folder)], stdin=subprocess.DEVNULL, stdout=out,
                               stderr=subprocess.STDOUT, env={**os.environ, **environment}, timeout=launcher.timeout_s)
    except OSError as e:
        why = "not found" if isinstance(e, (FileNotFoundError, NotADirectoryError)) else e.strerror
        raise RunError(f"{shlex.join(command)}\n  {e.filename}: {why}") from e
    except subprocess.TimeoutExpired:
        fail(log, command, f"was stopped after {launcher.timeout_s:g} s")
    if p.returncode != 0:
        fail(log, command, f"ended with {p.returncode}")
    made = run_folder / "summary.json" if is_run(plan.kind) else part
    try:
        ranks = read_json(made, RunError).get("ranks")
    except RunError as e:
        fail(log, command, f"left no results in {made} ({e})")
    if ranks != plan.ranks:
        fail(log, command, f"computed on {ranks} ranks in place of {plan.ranks}: the launcher started something else")
    about = {"command": command, "environment": environment, "date": date}
    write_json(folder / f"{plan.name}.command", about)
    os.replace(made, folder / f"{plan.name}.json")
    shutil.rmtree(run_folder, ignore_errors=True)


def run_all(folder, plans, launcher, say):
    """Execute the plans that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for i, plan in enumerate(plans):
        command = launcher.command(plan)
        if is_done(folder, plan, command, launcher.environment()):
            say(f"[{i + 1}/{len(plans)}] {plan.name}: there already")
            continue
        say(f"[{i + 1}/{len(plans)}] {plan.name}: {shlex.join(command)}")
        execute(folder, plan, launcher)


@dataclass
class Run:
    """One run that is there."""

    kind: str
    ranks: int
    points_asked: int
    path: Path
    command: list
    date: str
    data: dict


def parse_name(stem):
    """(kind, points asked for, ranks), None if it is no name of ours."""
    words = stem.split("-")
    kind = words[0]
    if len(words) not in (3, 4) or kind not in KINDS:
        return None
    ranks, number = words[-2], words[-1]
    if not (ranks[:1] == "r" and ranks[1:].isdigit() and number[:1] == "n" and number[1:].isdigit()):
        return None
    return kind, int(words[1]) if len(words) == 4 else 0, int(ranks[1:])


def load(folder):
    """All runs of a folder, by name."""
    runs = []
    for path in sorted(Path(folder).glob("*.json")):
        name = parse_name(path.stem)
        if not name:
            continue
        about, data = read_command(path.with_suffix(".command")), read_json(path, RunError)
        kind, points, ranks = name
        if data.get("ranks") != ranks:
            raise RunError(f"{path}: was made on {data.get('ranks')} ranks, its name says {ranks}")
        runs.append(Run(kind, ranks, points, path, about["command"], about["date"], data))
    return runs


def read_run(folder, kind):
    """The run of a run folder, wherever it was made."""
    folder = Path(folder)
    summary = folder / "summary.json"
    data = read_json(summary, RunError)
    ranks = data.get("ranks")
    if not isinstance(ranks, int) or ranks < 1:
        raise RunError(f"{summary}: ranks is {ranks}; give the folder of a run that has ended")
    log = folder / "log.txt"
    head = re.match(r"Tendex \S+, (\d{4}-\d\d-\d\dT[\d:]+)", log.read_text(encoding="utf-8", errors="replace")) if log.exists() else None
    date = f"{head[1]}Z" if head else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(summary.stat().st_mtime))
    points = data.get("points_most", 0) if kind == "weakrun" else 0
    return Run(kind, ranks, points, summary, ["tendex", "run", str(folder / "run.yaml")], date, data)


def adopt(folder, kind, run_folders):
    """Keep the summaries of runs that were made elsewhere as runs of this folder; those that are there already, once."""
    folder.mkdir(parents=True, exist_ok=True)
    for run in (read_run(path, kind) for path in run_folders):
        if any(there.data == run.data for there in load(folder)):
            continue
        number = 0
        while (folder / f"{Plan(kind, run.ranks, number, run.points_asked, ()).name}.json").exists():
            number += 1
        name = Plan(kind, run.ranks, number, run.points_asked, ()).name
        write_json(folder / f"{name}.command", {"command": run.command, "environment": {}, "date": run.date})
        write_json(folder / f"{name}.json", run.data)
