"""The program tendex, as tools ask and run it."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

from tendex.base import processes
from tendex.base.parameter_file import numbered


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
        self.defaults = {key: p["default"] for p in json.loads(self.ask("--help-params=json"))
                         for key in numbered(p["key"], p.get("n_max", 0))}

    def ask(self, *words):
        try:
            p = subprocess.run([self.path, *words], capture_output=True, encoding="utf-8", errors="backslashreplace")
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
    # mpirun takes signals before its ranks are there to get them, and some launchers pass none on: without an answer, which the
    # program gives and so do we, a signal is sent again, to a rank itself if one is on this host, as one rank that has it is
    # enough. No rank gets a second one, which would end the program at once, nor does the launcher once a rank has it.
    ANSWER = b": finishing the step"
    ANSWER_S = 10.0

    def __init__(self):
        self.got, self.process, self.file, self.before = None, None, None, {}
        self.words, self.told = (), []  # of the program that runs; ranks that have the signal from us
        self.start = 0  # of what the program that runs has said, in its file

    def __enter__(self):
        self.before = {number: signal.signal(number, self._take) for number in self.HANDED_ON}
        self.before[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._again)
        return self

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def _take(self, number, _):
        self.got = number
        try:  # not by print, which a signal may have interrupted
            os.write(2, b"tendex: " + signal.Signals(number).name.encode() + self.ANSWER +
                     b", writing a checkpoint, then exiting\n")
        except OSError:
            pass  # a closed terminal
        self._send()

    def _send(self):
        if self.process:
            # mpirun kills its ranks a second after SIGTERM or SIGINT: SIGUSR1 leaves them the time to save the run.
            self.process.send_signal(signal.SIGUSR1)
            signal.setitimer(signal.ITIMER_REAL, self.ANSWER_S)

    def _again(self, *_):
        if not self.process or self.ANSWER in self.file.read_bytes()[self.start:]:
            return
        ranks = processes.ranks(self.process.pid, self.words, signal.SIGUSR1)
        rank = next((pid for pid in ranks if pid not in self.told), None)
        if rank is None:
            if not self.told:
                self._send()
            return
        self.told.append(rank)
        try:
            os.kill(rank, signal.SIGUSR1)
        except ProcessLookupError:
            pass  # it has ended
        signal.setitimer(signal.ITIMER_REAL, self.ANSWER_S)

    def run(self, words, file, launcher=()):
        """Run the words of a program, behind those of what starts its ranks, its output added to a file; its exit code. Raises
        ProgramError if there is no such command."""
        command = [*launcher, *words]
        self.file, self.words, self.told = Path(file), words, []
        with self.file.open("a") as out:
            self.start = self.file.stat().st_size
            try:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                           start_new_session=True)  # ^C is for us alone
            except OSError as e:
                raise ProgramError(f"{command[0]}: {e.strerror}; --launcher names what starts ranks, e.g. 'mpirun -n 2'") from e
            return self._wait(process)

    def _wait(self, process):
        self.process = process
        if self.got:
            self._send()
        try:
            return process.wait()
        finally:
            self.process = None
            signal.setitimer(signal.ITIMER_REAL, 0)
