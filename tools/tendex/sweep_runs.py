"""A sweep: a folder with parameter files, which `tendex new` plans, a run folder for each, and sweep.json.

    NAME.yaml      parameter file of a run; NAME/ its run folder; NAME.out what the program said besides
    sweep.json     the table's rows, with cost and memory as `tendex new` has them
    slurm-N.txt    parameter files of the N-th array of jobs that was submitted
"""

import json
import re
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tendex import files
from tendex.sweep_table import SweepError
from tendex.waves import runlog

# What may be done with a run that is in this state.
STATES = ("waiting", "running", "stopped", "failed", "complete")


class Program:
    """tendex, as a sweep asks it."""

    def __init__(self, path):
        self.path = str(path)
        self.version = self._ask("--version")
        side = re.search(r"octants of (\d+)\^3 points", self.version)
        if not side:
            raise SweepError(f"{path}: --version says nothing of octants; is this tendex?")
        self.side = int(side[1])
        self.defaults = {p["key"]: p["default"] for p in json.loads(self._ask("--help-params=json"))}

    def _ask(self, *words):
        try:
            p = subprocess.run([self.path, *words], capture_output=True, text=True)
        except OSError as e:
            raise SweepError(f"{self.path}: {e.strerror}; build tendex, or name it with --program") from e
        if p.returncode:
            raise SweepError(p.stderr.strip() or f"{self.path} {' '.join(words)}: exit code {p.returncode}")
        return p.stdout

    def new(self, row, accuracy, machine, speed, sets, file):
        """Write a row's parameter file with `tendex new'; what it says of it. SweepError if that is refused."""
        given = {**sets, **row.settings}
        chi = [f"--chi{n}={','.join(repr(float(c)) for c in x)}" for n, x in ((1, row.chi1), (2, row.chi2)) if any(x)]
        numbers = file.with_suffix(".json")
        self._ask("new", "--q", repr(row.q), *chi, "--separation", repr(row.separation), "--accuracy", accuracy,
                  "--budget", machine, "--speed", f"{speed:g}", "-o", str(file), "--json", str(numbers), "--overwrite",
                  *(word for key, text in given.items() for word in ("--set", f"{key}={text}")))
        said = json.loads(numbers.read_text())
        numbers.unlink()
        return said


@dataclass
class State:
    """How far a run is."""

    word: str  # one of STATES
    t: float = None  # reached, M
    speed: float = None  # M/hour, the last that its log tells of
    left: str = ""  # time left, as its log says
    why: str = ""  # it stopped or failed


def state_of(folder):
    """The State of a run folder, which need not be there."""
    log, file = runlog.read(folder), Path(folder) / "summary.json"
    try:
        summary = json.loads(file.read_text()) if file.exists() else {}
    except ValueError:
        summary = {}
    if log is None:
        return State("waiting")
    word, why = runlog.state(folder, summary, log)
    if word == "stopped" and log.last.error:
        word, why = "failed", log.last.error
    rows = [row for start in log.starts for row in start.rows]
    speeds = [speed for _, speed in rows if speed == speed]
    return State(word, rows[-1][0] if rows else None, speeds[-1] if speeds else None,
                 log.last.left if word == "running" else "", why)


class Sweep:
    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.manifest = self.folder / "sweep.json"
        self.data = {"runs": [], "jobs": []}
        if self.manifest.exists():
            try:
                self.data = json.loads(self.manifest.read_text())
            except ValueError as e:
                raise SweepError(f"{self.manifest}: {e}; make it anew with --table") from e

    @property
    def runs(self):
        if not self.data["runs"]:
            raise SweepError(f"{self.folder}: no sweep; make one with --table")
        return self.data["runs"]

    def run_folder(self, run):
        return self.folder / run["name"]

    def state(self, run):
        """The State of a run; of one that ended before it had a log, by what it said here."""
        state, said = state_of(self.run_folder(run)), self.folder / f"{run['name']}.out"
        if state.word == "waiting" and said.exists():
            errors = re.findall(r"^tendex: error: (.*)", said.read_text(errors="replace"), re.M)
            return State("failed", why=errors[-1]) if errors else state
        return state

    def save(self):
        files.write_json(self.manifest, self.data, indent=1)

    def make(self, rows, program, accuracy, ranks, speed, sets, say):
        """Parameter files of all rows, planned by the program. Those that are there already stay; one that would change
        under a run that has begun is an error."""
        self.folder.mkdir(parents=True, exist_ok=True)
        runs = []
        for row in rows:
            try:
                run = self._make_one(row, program, accuracy, ranks, speed, sets)
            except SweepError as e:
                raise SweepError(f"line {row.line} of the table, {row.name}: {e}") from e
            say(f"{run['name']}: {run['check']['steps']} steps, {run['check']['point_stages']:.2e} point-stages, "
                f"{run['check']['hours']:.2g} hours, {_gib(run['check']['memory_bytes'])} a rank on CPUs, "
                f"{_gib(run['check']['device_bytes'])} on GPUs")
            runs.append(run)
        self.data.update(runs=runs, program=program.path, version=program.version.splitlines()[0])
        self.save()

    def _make_one(self, row, program, accuracy, ranks, speed, sets):
        file, part = self.folder / f"{row.name}.yaml", self.folder / f"{row.name}.part.yaml"
        said = program.new(row, accuracy, f"{ranks} GPUs", speed, sets, part)
        text = part.read_text().replace(str(part), str(file))
        part.unlink()
        if not (file.exists() and _content(file.read_text()) == _content(text)):
            if (self.folder / row.name / "log.txt").exists():
                raise SweepError(f"{self.folder / row.name}: this run has begun with other parameters than the table "
                                 "has now; remove it, or give the row another name")
            files.write(file, text)
        machine = said["on_machine"]
        return {"name": row.name, "file": file.name, "line": row.line, "q": row.q, "chi1": row.chi1, "chi2": row.chi2,
                "D": row.separation, "accuracy": said["accuracy"], "merger_estimate": said["merger"],
                "orbits": said["orbits"], "t_end": said["t_end"], "notes": said["notes"],
                "check": {"ranks": ranks, "steps": round(said["steps"]), "point_stages": said["point_stages"],
                          "hours": machine["wall_s"] / 3600, "memory_bytes": machine["memory_bytes"],
                          "device_bytes": machine["device_bytes"]}}

    def todo(self, retry):
        """Runs that are to be started or gone on with."""
        words = {"waiting", "stopped"} | ({"failed"} if retry else set())
        return [run for run in self.runs if self.state(run).word in words]

    def run_all(self, program, launcher, retry, say):
        """Run what is to be done, one after the other; returns whether all are complete. A signal is handed on: the run
        saves itself, and no other is begun."""
        with Signals() as signals:
            for run in self.todo(retry):
                if signals.got:
                    break
                code = self._run_one(run, program, launcher, signals, say)
                state = self.state(run)
                say(f"{run['name']}: {state.word}" + (f": {state.why}" if state.why else "") +
                    (f", exit code {code}; see {self.folder / run['name']}.out" if code else ""))
        return all(self.state(run).word == "complete" for run in self.runs)

    def _run_one(self, run, program, launcher, signals, say):
        folder = self.run_folder(run)
        begun = (folder / "run.yaml").exists()
        words = ["--restart", folder] if begun else [self.folder / run["file"], "--set", f"run.folder={folder}"]
        command = [*launcher, program.path, "run", "-q", *map(str, words)]
        say(f"{run['name']}: {' '.join(command)}")
        with (self.folder / f"{run['name']}.out").open("a") as out:
            try:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                           start_new_session=True)  # ^C is for us alone
            except OSError as e:
                raise SweepError(f"{command[0]}: {e.strerror}") from e
            return signals.wait(process)

    def submit(self, script, limit, retry, words, environment):
        """An array of Slurm jobs for what is to be done; returns its number and how many runs it has, or (None, 0)."""
        waiting = self._queued()
        if waiting:
            raise SweepError(f"jobs of this sweep are still in the queue: {', '.join(waiting)}; wait, or scancel them")
        todo = self.todo(retry)
        if not todo:
            return None, 0
        lists = [int(f.stem.split("-")[1]) for f in self.folder.glob("slurm-*.txt")]
        names = self.folder / f"slurm-{max(lists, default=0) + 1}.txt"
        files.write(names, "".join(run["file"] + "\n" for run in todo))
        said = _slurm(["sbatch", "--parsable", f"--array=1-{len(todo)}" + (f"%{limit}" if limit else ""),
                       f"--output={self.folder}/%x-%A_%a.log", *words, str(script), str(names)], environment)
        job = said.split(";")[0].strip()
        self.data.setdefault("jobs", []).append(job)
        self.save()
        return job, len(todo)

    def _queued(self):
        """Of the jobs submitted, those that Slurm still has."""
        jobs = self.data.get("jobs", [])
        queue = set(_slurm(["squeue", "--noheader", "--format=%A %F"]).split()) if jobs else set()
        return [job for job in jobs if job in queue]


def _slurm(words, environment=None):
    try:
        p = subprocess.run(words, capture_output=True, text=True, env=environment)
    except OSError as e:
        raise SweepError(f"{words[0]}: {e.strerror}; is Slurm on this machine? --run does without") from e
    if p.returncode:
        raise SweepError(f"{words[0]}: {p.stderr.strip() or p.stdout.strip()}")
    return p.stdout


def _gib(size):
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{size / 2**20:.3g} MiB"


def _content(text):
    """What of a parameter file counts."""
    return [line.split("#")[0].rstrip() for line in text.splitlines() if line.split("#")[0].strip()]


class Signals:
    """While it lasts, signals that end go to the program that runs, which saves its run, and are remembered."""

    HANDED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)

    def __init__(self):
        self.got, self.process, self.before = None, None, {}

    def __enter__(self):
        self.before = {number: signal.signal(number, self._take) for number in self.HANDED_ON}
        return self

    def __exit__(self, *_):
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _take(self, number, _):
        self.got = number
        if self.process:
            # mpirun kills its ranks a second after SIGTERM or SIGINT: SIGUSR1 leaves them the time to save the run.
            self.process.send_signal(signal.SIGUSR1)

    def wait(self, process):
        self.process = process
        if self.got:
            process.send_signal(signal.SIGUSR1)
        try:
            return process.wait()
        finally:
            self.process = None
