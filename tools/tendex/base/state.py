"""How far a run is, by its folder."""

from dataclasses import dataclass
from pathlib import Path

from tendex.base import runlog
from tendex.base.folder import FolderError, read_summary

# What may be done with a run that is in this state.
STATES = ("waiting", "running", "stopped", "failed", "complete")


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
    summary, damage = {}, ""
    try:
        summary = read_summary(file) if file.exists() else {}
    except FolderError as e:
        damage = str(e)
    if log is None:
        return State("waiting", why=damage)
    word, why = runlog.state(folder, summary, log)
    why = damage or why
    if word == "stopped" and log.last.error:
        word, why = "failed", log.last.error
    rows = [row for start in log.starts for row in start.rows]
    speeds = [speed for _, speed in rows if speed == speed]
    return State(word, rows[-1][0] if rows else None, speeds[-1] if speeds else None,
                 log.last.left if word == "running" else "", why)
