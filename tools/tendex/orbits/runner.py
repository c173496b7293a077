"""Runs of the loop: begun, or gone on with, until they reach a time."""

import re

from tendex.base.folder import FolderError, read_summary
from tendex.base.program import Signals
from tendex.base.state import state_of


class Stopped(Exception):
    """A run has saved itself and ended before its time."""


class RunError(Exception):
    """A run failed; `code' is its exit code."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


def _error(file, start, begun):
    """The last error of tendex in what a run said from this byte on; where it has not begun, else the first words, which
    are the launcher's; or an empty text."""
    said = file.read_bytes()[start:].decode(errors="replace").splitlines()
    errors = [line.removeprefix("tendex: error: ") for line in said if line.startswith("tendex: error: ")]
    return errors[-1] if errors else next((line for line in said if not begun and re.search(r"\w", line)), "").strip()


class Runner:
    """run(folder, file, time, own): the run of a parameter file, in the run folder that the file names, until then; where
    it goes on, with the parameters `own', {key: text}. Signals go
    to the program; after one, or where a run ends by its own wall-clock limit, Stopped is raised."""

    def __init__(self, program, launcher, say):
        self.program, self.launcher, self.say = program, launcher, say
        self.signals = Signals()

    def __enter__(self):
        self.signals.__enter__()
        return self

    def __exit__(self, *why):
        self.signals.__exit__(*why)

    @staticmethod
    def reached(folder):
        """Time that a complete run has reached, -1 without one."""
        try:
            summary = read_summary(folder / "summary.json")
        except FolderError:
            return -1.0
        return summary.get("t", -1.0) if summary.get("complete") else -1.0

    def __call__(self, folder, file, time, own=()):
        if self.reached(folder) >= time:
            return
        if self.signals.got:
            raise Stopped(f"{file.stem}: stopped before it began to run")
        words = [file]
        if (folder / "run.yaml").exists():
            words = ["--restart", folder]
            for key, text in [*dict(own).items(), ("run.t_end", time)]:
                words += ["--set", f"{key}={text}"]
        words = [self.program.path, "run", "-q", *map(str, words)]
        self.say(f"{file.stem}: {' '.join([*self.launcher, *words])}")
        out = file.with_suffix(".out")
        before = out.stat().st_size if out.exists() else 0
        code = self.signals.run(words, out, self.launcher)
        state = state_of(folder)
        if code == 0 and self.reached(folder) >= time:
            return
        if code == 0 or self.signals.got:
            raise Stopped(f"{file.stem}: stopped" + (f" at t = {state.t:.6g} M" if state.t is not None else "") +
                          (f": {state.why}" if state.why else ""))
        why = _error(out, before, state.word != "waiting") or state.why or "failed"
        raise RunError(f"{file.stem}: {why}, exit code {code}; see {out}", code)
