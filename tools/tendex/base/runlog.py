"""What the log of a run tells: progress, speed, grid and phases over all its starts.

A log is only ever appended to, also by restarts, which may go back to a checkpoint before the last line; lines may
be cut short while a run is writing them. Times in M, wall-clock times in seconds.
"""

import fcntl
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

_NUMBER = r"(-?\d+(?:\.\d*)?(?:[eE][-+]?\d{1,3})?)"
_LEVELS = r"(\d+:\d+(?: \d+:\d+)*)"
_BANNER = re.compile(r"Tendex (\S+), (\S+)$")
_PROGRESS = re.compile(r"\s*\d+\s+(\d+\.\d+)\s+(\d+(?:\.\d+)?|-)\s+(\S+)\s+(\d+(?:\.\d+)?)\s+(\S+)\s+" + _LEVELS)
_REGRID = re.compile(r"\s*\d+\s+(\d+\.\d+) regrid: .* now (\d+(?:\.\d+)?) Mpoints, " + _LEVELS)
_PHASE = re.compile(r"  (\w[\w ,]*?)\s{2,}(\d+\.\d+)\s+-?\d+\.\d+%(?:\s+(\d+\.\d+)\s+-?\d+\.\d+%)?")
_SPACING = re.compile(r"\s+(\d+)\s+" + _NUMBER + r"\s+[\d,]+\s+[\d,]+$")
_OCTANTS = re.compile(r"octants of (\d+)\^3 points")
_RESTART = re.compile(r"  restart +from (?:step \d+, t = " + _NUMBER + r" M|the beginning)")
_END = re.compile(r"steps to t = " + _NUMBER + r" M")
_HEAD = re.compile(r"  (computes|parallel|grid|machine) +(\S.*)$")
# A log that has had no line for so long is no longer written, s; or so many times what lies between its lines.
SILENCE, SILENCE_LINES = 120.0, 4.0


@dataclass
class Start:
    """From one start of the program to the next."""

    version: str
    date: str
    began: float = 0.0  # at this time of the run
    head: dict = field(default_factory=dict)  # what it computes on, its ranks, its grid
    t_end: float = None
    side: int = 8  # points of an octant's side
    spacing: dict = field(default_factory=dict)  # {level: M}, of the first grid
    rows: list = field(default_factory=list)  # (t, M/hour or nan)
    grids: list = field(default_factory=list)  # (t, points, {level: octants})
    phases: list = field(default_factory=list)  # (name, seconds, GPU seconds or None); of the table at its end
    left: str = ""  # time left, as it says
    error: str = ""

    def intervals(self):
        """(end, M/hour, seconds) of what lies between lines of progress. [n] each"""
        t, speed = np.array(self.rows, float).reshape(-1, 2).T
        known = np.isfinite(speed) & (speed > 0)
        ends, speed = t[known], speed[known]
        return ends, speed, np.diff(ends, prepend=self.began) * 3600 / speed


@dataclass
class Log:
    """All starts, and the series that hold: what a restart went back behind is left out of them."""

    starts: list

    @property
    def last(self):
        return self.starts[-1]

    def _kept(self, name):
        """Rows of every start up to where the next one takes over."""
        kept, until = [], np.inf
        for start in reversed(self.starts):
            rows = [row for row in getattr(start, name) if row[0] <= until]
            kept = rows + kept
            until = min(until, start.began)
        return kept

    def speed(self):
        """(t, M/hour) of the intervals between lines of progress, at their ends. [n], [n]"""
        rows = np.array(self._kept("rows"), float).reshape(-1, 2)
        return rows[rows[:, 1] > 0].T

    def restarts(self):
        """Times from which restarts went on."""
        return [s.began for s in self.starts[1:]]

    def points(self):
        """(t, points of the grid) from each change on. [n], [n]"""
        rows = self._kept("grids")
        return np.array([r[0] for r in rows]), np.array([r[1] for r in rows])

    def octants(self):
        """(t, levels, octants[level][n]) from each change on."""
        rows = self._kept("grids")
        levels = sorted({level for row in rows for level in row[2]})
        counts = np.array([[row[2].get(level, 0) for row in rows] for level in levels], int)
        return np.array([r[0] for r in rows]), levels, counts.reshape(len(levels), len(rows))

    def spacing(self, level):
        """Of the points of a level, M, or None if no start tells of any."""
        known = next((s.spacing for s in reversed(self.starts) if s.spacing), None)
        return min(known.items())[1] * 2.0 ** (min(known) - level) if known else None

    def wall(self):
        """Seconds of evolution in all starts, also of what was lost and done again; between lines of progress."""
        return float(sum(s.intervals()[2].sum() for s in self.starts))

    def reached(self):
        """The last time that a line tells of; nan if none does."""
        return self.last.rows[-1][0] if self.last.rows else self.last.began

    def phases(self):
        """The newest table of phases, of one start; [] while the first is going."""
        return next((s.phases for s in reversed(self.starts) if s.phases), [])


def _levels(text):
    return {int(level): int(n) for level, n in (pair.split(":") for pair in text.split())}


def _read_line(start, line, table):
    """Takes what a line says into `start`; returns whether the next one may be a row of the table of phases."""
    if table:
        row = _PHASE.match(line)
        if row and row[1] != "all":
            start.phases.append((row[1], float(row[2]), float(row[3]) if row[3] else None))
        return bool(row)
    if line.startswith("  phase "):
        return True
    if row := _PROGRESS.match(line):
        start.rows.append((float(row[1]), float(row[2]) if row[2] != "-" else np.nan))
        start.left = row[3]
        start.grids.append((float(row[1]), 1e6 * float(row[4]), _levels(row[6])))
    elif row := _REGRID.match(line):
        start.grids.append((float(row[1]), 1e6 * float(row[2]), _levels(row[3])))
    elif row := _SPACING.match(line):
        start.spacing[int(row[1])] = float(row[2])
    elif row := _HEAD.match(line):
        start.head[row[1]] = row[2]
        if side := _OCTANTS.search(line):
            start.side = int(side[1])
    elif row := _RESTART.match(line):
        start.began = float(row[1]) if row[1] else 0.0
    elif line.startswith("error: "):
        start.error = line[7:].strip()
    if row := _END.search(line):
        start.t_end = float(row[1])
    return False


def parse(text):
    """The Log of a text; a last line without its end is left out. None if there is no start in it."""
    starts, table = [], False
    for line in text[: text.rfind("\n") + 1].splitlines():
        if banner := _BANNER.match(line):
            starts.append(Start(*banner.groups()))
            table = False
        elif starts:
            table = _read_line(starts[-1], line, table)
    return Log(starts) if starts else None


def read(folder):
    """The Log of a run folder, or None where there is none."""
    file = Path(folder) / "log.txt"
    return parse(file.read_text(encoding="utf-8", errors="replace")) if file.exists() else None


def is_locked(file):
    """Does a program hold the lock that a run takes on its log? It is seen on the run's own machine, and where the
    file system carries locks."""
    try:
        descriptor = os.open(file, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


def state(folder, summary, log, now=None):
    """(word, explanation): `running', `complete' or `stopped', and of the last why."""
    file = Path(folder) / "log.txt"
    if is_locked(file):
        return "running", ""
    if summary.get("complete"):
        return "complete", ""
    if summary:
        return "stopped", str(summary.get("ended", ""))
    if log is None:
        return "stopped", "no log"
    if log.last.error:
        return "stopped", "error"
    pause = max(log.last.intervals()[2], default=0.0)
    heard = max(f.stat().st_mtime for f in (file, file.with_name("run.lock")) if f.exists())  # the run renews the other one
    silent = (time.time() if now is None else now) - heard
    if silent < max(SILENCE, SILENCE_LINES * pause):
        return "running", ""
    return "stopped", "its log has no end"
