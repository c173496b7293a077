"""A sweep: a folder with parameter files, which `tendex new` plans, a run folder for each, and sweep.json.

    NAME.yaml      parameter file of a run; NAME/ its run folder; NAME.out what the program said besides
    sweep.json     the table's rows, with cost and memory as `tendex new` has them
    slurm-N.txt    parameter files of the N-th array of jobs that was submitted
"""

import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from tendex.base import files
from tendex.base.program import ProgramError, Signals
from tendex.base.state import State, state_of
from tendex.sweep_table import NAMES, SweepError


ORBIT = Path(__file__).resolve().parents[1] / "tendex-orbit"


def orbit_of(run):
    """Options of tendex-orbit that a run's row asks for."""
    wishes = (("--eccentricity", run.get("eccentricity")), ("--mean-anomaly", run.get("mean_anomaly")))
    return [word for option, value in wishes if value is not None for word in (option, f"{value:g}")]


def plan(program, row, accuracy, machine, speed, sets, file):
    """Write a row's parameter file with `tendex new'; what it says of it. ProgramError if that is refused."""
    given = {**sets, **row.settings}
    chi = [f"--chi{n}={','.join(repr(float(c)) for c in x)}" for n, x in ((1, row.chi1), (2, row.chi2)) if any(x)]
    numbers = file.with_suffix(".json")
    program.ask("new", "--q", repr(row.q), *chi, "--separation", repr(row.separation), "--accuracy", accuracy,
                "--budget", machine, "--speed", f"{speed:g}", "-o", str(file), "--json", str(numbers), "--overwrite",
                *(word for key, text in given.items() for word in ("--set", f"{key}={text}")))
    said = files.read_json(numbers, SweepError)
    numbers.unlink()
    return said


def _check_run(run, where):
    """Raise SweepError where a run of sweep.json lacks what is shown of it, or made of it."""
    if not isinstance(run, dict):
        raise SweepError(f"{where}: no names with values")
    for key in ("name", "file"):
        if not isinstance(run.get(key), str) or not re.fullmatch(NAMES, run[key]):
            raise SweepError(f"{where}: {key} is {run.get(key)!r}, no name")
    files.numbers_of(run, ("eccentricity", "mean_anomaly"), where, SweepError)
    for values, keys in ((run, ("q", "D", "t_end")), (run.get("check"), ("point_stages", "hours"))):
        if not isinstance(values, dict) or None in map(values.get, keys):
            raise SweepError(f"{where}: lacks some of {', '.join(keys)}")
        files.numbers_of(values, keys, where, SweepError)
    for key in ("chi1", "chi2"):
        chi = run.get(key)
        if not isinstance(chi, list) or len(chi) != 3 or not all(isinstance(c, (int, float)) for c in chi):
            raise SweepError(f"{where}: {key} is no vector")


class Sweep:
    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.manifest = self.folder / "sweep.json"
        self.data = {"runs": [], "jobs": []}
        if self.manifest.exists():
            self.data = self._read()

    def _read(self):
        """What sweep.json says. Raises SweepError."""
        try:
            found = files.read_json(self.manifest, SweepError)
            if not isinstance(found.get("jobs", []), list) or not isinstance(found.get("runs"), list):
                raise SweepError(f"{self.manifest}: has no list of runs")
            for n, run in enumerate(found["runs"], 1):
                _check_run(run, f"{self.manifest}: run {n}")
        except SweepError as e:
            raise SweepError(f"{e}; make it anew with --table") from None
        return found

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
        if state.word != "waiting":
            return state
        for number, member in self._members(run):
            state = replace(state_of(member), why=f"for its orbit: member {number}")
        if state.word == "running" or not said.exists():
            return state
        # Of tendex-orbit, since it last started a run.
        errors = re.findall(r"^tendex(?:-orbit)?: error: (.*)", said.read_text(encoding="utf-8", errors="replace").split(" run -q ")[-1], re.M)
        if errors:
            return State("failed", why=errors[-1])
        return replace(state, word="stopped") if state.word != "waiting" else state

    def _members(self, run):
        """(number, run folder) of the members that tendex-orbit has made, the newest last."""
        found = Path(f"{self.run_folder(run)}.orbit").glob(f"{run['name']}_*/")
        return sorted((int(folder.name.rsplit("_", 1)[1]), folder) for folder in found)

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
            except (SweepError, ProgramError) as e:
                raise SweepError(f"line {row.line} of the table, {row.name}: {e}") from e
            say(f"{run['name']}: {run['check']['steps']} steps, {run['check']['point_stages']:.2e} point-stages, "
                f"{run['check']['hours']:.2g} hours, {_gib(run['check']['memory_bytes'])} a rank on CPUs, "
                f"{_gib(run['check']['device_bytes'])} on GPUs")
            runs.append(run)
        self.data.update(runs=runs, program=program.path, version=program.version.splitlines()[0])
        self.save()

    def _make_one(self, row, program, accuracy, ranks, speed, sets):
        file, part = self.folder / f"{row.name}.yaml", self.folder / f"{row.name}.part.yaml"
        said = plan(program, row, accuracy, f"{ranks} GPUs", speed, sets, part)
        text = files.read_text(part, SweepError).replace(str(part), str(file))
        part.unlink()
        if not (file.exists() and _content(files.read_text(file, SweepError)) == _content(text)):
            if (self.folder / row.name / "log.txt").exists():
                raise SweepError(f"{self.folder / row.name}: this run has begun with other parameters than the table "
                                 "has now; remove it, or give the row another name")
            files.write(file, text)
        machine = said["on_machine"]
        return {"name": row.name, "file": file.name, "line": row.line, "q": row.q, "chi1": row.chi1, "chi2": row.chi2,
                "D": row.separation, "eccentricity": row.eccentricity, "mean_anomaly": row.mean_anomaly, "accuracy": said["accuracy"], "merger_estimate": said["merger"],
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
        begun, file = (folder / "run.yaml").exists(), self.folder / run["file"]
        words = ["--restart", folder] if begun else [file, "--set", f"run.folder={folder}"]
        words = [program.path, "run", "-q", *map(str, words)]
        if orbit_of(run):
            words = [sys.executable, str(ORBIT), str(file), *orbit_of(run), "--set", f"run.folder={folder}", "--program",
                     program.path, "--launcher", shlex.join(launcher)]
            launcher = ()
        say(f"{run['name']}: {' '.join([*launcher, *words])}")
        return signals.run(words, self.folder / f"{run['name']}.out", launcher)

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
        files.write(names, "".join(" ".join([run["file"], *orbit_of(run)]) + "\n" for run in todo))
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
        p = subprocess.run(words, capture_output=True, encoding="utf-8", errors="backslashreplace", env=environment)
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
