"""Ranks of a launcher on this host, as /proc shows them; without /proc there are none."""

from pathlib import Path


def _text(pid, name):
    try:
        return (Path("/proc") / str(pid) / name).read_bytes()
    except OSError:  # it has ended, or is not ours
        return b""


def _parents():
    """{process: its parent}."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _text(folder.name, "stat").rpartition(b")")[2].split()
        if fields:
            found[int(folder.name)] = int(fields[1])
    return found


def _takes(pid, number):
    """Whether the process has a handler for a signal: one without would end."""
    for line in _text(pid, "status").splitlines():
        if line.startswith(b"SigCgt:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def _age(pid):
    fields = _text(pid, "stat").rpartition(b")")[2].split()
    return (int(fields[19]) if fields else 0, pid)


def ranks(launcher, words, number):
    """Processes below process `launcher` that run the command `words` and take the signal, the oldest first: rank 0, where it is
    on this host."""
    parents = _parents()
    tail = b"".join(word.encode() + b"\0" for word in words)
    found = set()
    for pid in parents:
        above = parents[pid]
        while above in parents and above != launcher:
            above = parents[above]
        said = _text(pid, "cmdline")
        # The launcher has the same words behind its own, and so has its child before it becomes a rank.
        if above == launcher and said.endswith(tail) and said != _text(parents[pid], "cmdline"):
            found.add(pid)
    found -= {parents[pid] for pid in found}  # what starts a rank, with the rank's words behind its own
    return sorted((pid for pid in found if _takes(pid, number)), key=_age)
