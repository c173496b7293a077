"""Tables of numbers in text files: rows of values separated by blanks; what follows a # is left out. A last line without its end
may end in the middle of a number, and is left out."""

import re
import warnings
from dataclasses import dataclass

import numpy as np

from tendex.base.files import read_text

# float() takes more: 1_000, and digits of other scripts.
NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?(?:nan|inf|infinity)", re.I | re.A)


class TableWarning(UserWarning):
    """A table is not all there; what is there was taken."""


@dataclass
class Table:
    rows: np.ndarray  # [n][columns], not to be written to
    lines: np.ndarray  # [n] their lines in the file, from 1 on
    bad: list  # [(line, why)] of those that are no rows
    cut: int = 0  # line without its end, which was left out; 0: none


def parse(text, columns=None):
    """The Table of a text; columns: how many there must be, else as many as in the first row."""
    whole = text[: text.rfind("\n") + 1]
    given = [(n, line.split("#")[0]) for n, line in enumerate(whole.split("\n"), 1)]
    given = [(n, line) for n, line in given if line.strip()]
    cut = whole.count("\n") + 1 if text[len(whole):].split("#")[0].strip() else 0
    columns = columns or (len(given[0][1].split()) if given else 0)
    rows, bad = _fast([line for _, line in given], columns), []
    if rows is None:
        rows, given, bad = _slow(given, columns)
    rows.flags.writeable = False
    return Table(rows, np.array([n for n, _ in given], int), bad, cut)


def _fast(lines, columns):
    """[n][columns], None where a line is no row."""
    if not lines:
        return np.empty((0, columns))
    try:
        rows = np.loadtxt(lines, ndmin=2)
    except ValueError:
        return None
    return rows if rows.shape[1] == columns else None


def _slow(given, columns):
    """(rows, lines that are, [(line, why)] of those that are not)."""
    rows, good, bad = [], [], []
    for n, line in given:
        words = line.split()
        wrong = next((word for word in words if not NUMBER.fullmatch(word)), None)
        if wrong is not None:
            bad.append((n, f"{wrong[:40]!r} is no number"))
        elif len(words) != columns:
            bad.append((n, f"{len(words)} values, not {columns}"))
        else:
            rows.append([float(word) for word in words])
            good.append((n, line))
    return np.array(rows, float).reshape(len(rows), columns), good, bad


def read(file, error, columns=None):
    """The Table of a file, in which all lines are rows. Raises `error'."""
    found = parse(read_text(file, error, errors="replace"), columns)
    if found.bad:
        line, why = found.bad[0]
        more = f" it, and {len(found.bad) - 1} others" if len(found.bad) > 1 else " it"
        raise error(f"{file}: line {line}: {why}; a damaged line? Remove{more}")
    return found


def read_foreign(file, error, columns=None):
    """The rows of a file from elsewhere, with a TableWarning where its last line has no end. Raises `error'."""
    found = read(file, error, columns)
    if found.cut:
        warnings.warn(f"{file}: line {found.cut} has no end and is left out: the file is cut short", TableWarning, stacklevel=2)
    return found.rows


def check_finite(file, what, t, values, error):
    """Raise `error' with the first time t [n] at which values [n] or [n][k] are not finite."""
    values = np.asarray(values)
    good = np.isfinite(values).all(axis=tuple(range(1, values.ndim))) & np.isfinite(t)
    if good.all():
        return
    at = int(np.argmin(good))
    if not np.isfinite(t[at]):
        raise error(f"{file}: {what}: row {at + 1}: time {t[at]:g}, not a finite number")
    worst = np.ravel(values[at])
    raise error(f"{file}: {what}: {worst[~np.isfinite(worst)][0]:g}, not a finite number, at t = {t[at]:.10g}")


def mode(l, m, radius=None):
    """How messages call a mode."""
    return f"mode l = {l}, m = {m}" + ("" if radius is None else f", r = {radius:g}")
