"""The program tendex, as tools ask and run it."""

import json
import re
import signal
import subprocess
from pathlib import Path


class ProgramError(Exception):
    """tendex is not there, or refused; the text is its own."""


class Program:
    """tendex, as tools ask it."""

    def __init__(self, path):
        self.path = str(path)
        self.version = self.ask("--version")
        side = re.search(r"octants of (\d+)\^3 points", self.version)
        if not side:
            raise ProgramError(f"{path}: --version says nothing of octants; is this tendex?")
        self.side = int(side[1])
        self.defaults = {p["key"]: p["default"] for p in json.loads(self.ask("--help-params=json"))}

    def ask(self, *words):
        try:
            p = subprocess.run([self.path, *words], capture_output=True, text=True)
        except OSError as e:
            raise ProgramError(f"{self.path}: {e.strerror}; build tendex, or name it with --program") from e
        if p.returncode:
            raise ProgramError(p.stderr.strip() or f"{self.path} {' '.join(words)}: exit code {p.returncode}")
        return p.stdout

    def settings(self, words):
        """{"section.key": text} of the words of --set."""
        found = {}
        for word in words:
            key, equals, text = word.partition("=")
            if not equals or key not in self.defaults:
                raise ProgramError(f"--set {word}: give KEY=VALUE with one of tendex's parameters (tendex --help-params)")
            found[key] = text
        return found


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

    def run(self, command, file):
        """Run a command, its output added to a file; its exit code. Raises ProgramError if there is no such command."""
        with Path(file).open("a") as out:
            try:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                           start_new_session=True)  # ^C is for us alone
            except OSError as e:
                raise ProgramError(f"{command[0]}: {e.strerror}; --launcher names what starts ranks, e.g. 'mpirun -n 2'") from e
            return self._wait(process)

    def _wait(self, process):
        self.process = process
        if self.got:
            process.send_signal(signal.SIGUSR1)
        try:
            return process.wait()
        finally:
            self.process = None
