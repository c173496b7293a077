"""The table of a sweep: a row a run. Columns are separated by commas (CSV, with quotes where a value has commas) or by
white space, as the heading decides; blank lines and what follows a # are left out.

Columns: q (mass of hole 1 over that of hole 2) and D (coordinate separation, in M) must be there; chi1, chi2
(dimensionless spins: one number along the orbit's axis z, or x,y,z); eccentricity and mean_anomaly (in degrees), which
tendex-orbit is to find; name; and parameters of tendex, `section.key`,
of which level_max and t_end may go without their section. An empty value or - leaves the default.
"""

import csv
import math
import re
import shlex
from dataclasses import dataclass, field, replace

from tendex.base.files import read_text
from tendex.orbits.goal import MOST

SHORT = {"level_max": "grid.level_max", "t_end": "run.t_end"}
OWN = ("name", "q", "chi1", "chi2", "D", "eccentricity", "mean_anomaly")
NAMES = r"[A-Za-z0-9_+][A-Za-z0-9_.+-]*"
# The sweep says where a run lies, and the columns q, D, chi1, chi2 what it is.
TAKEN = ("run.name", "run.folder", "run.overwrite", "initial_data.type", "initial_data.mass_ratio",
         "initial_data.separation", "initial_data.bh1_chi", "initial_data.bh2_chi")


class SweepError(Exception):
    """A table, template or run that is not what a sweep needs; the text says where and what to do."""


@dataclass(frozen=True)
class Row:
    """A binary, its name, and what its parameter file is to say beside."""

    line: int  # in the table
    name: str
    q: float
    separation: float  # M
    chi1: tuple = (0.0, 0.0, 0.0)
    chi2: tuple = (0.0, 0.0, 0.0)
    eccentricity: float = None  # at most this; with a mean anomaly, in degrees at t = 0, just this
    mean_anomaly: float = None
    settings: dict = field(default_factory=dict)  # {"section.key": text}

    @property
    def masses(self):
        """Of hole 1 and 2; their sum is 1."""
        return self.q / (1 + self.q), 1 / (1 + self.q)

    @property
    def aligned(self):
        """Do both spins lie along the orbit's axis?"""
        return not any(self.chi1[:2] + self.chi2[:2])


def _words(line, number, path, commas):
    try:
        return [w.strip() for w in next(csv.reader([line], skipinitialspace=True))] if commas else shlex.split(line)
    except (ValueError, csv.Error) as e:
        raise SweepError(f"{path}:{number}: {e}") from e


def _columns(words, path, number, known):
    """What each column is: one of OWN, or a parameter."""
    columns = [SHORT.get(w, w) for w in words]
    for word, column in zip(words, columns):
        if column in TAKEN:
            raise SweepError(f"{path}:{number}: column '{word}': the sweep itself sets this; use {', '.join(OWN)}")
        if column not in OWN and column not in known:
            raise SweepError(f"{path}:{number}: column '{word}' is unknown; give {', '.join(OWN)}, {', '.join(SHORT)} "
                             "or a parameter such as grid.ball_level (tendex --help-params)")
        if columns.count(column) > 1:
            raise SweepError(f"{path}:{number}: column '{word}' is there twice")
    for needed in ("q", "D"):
        if needed not in columns:
            raise SweepError(f"{path}:{number}: column '{needed}' is missing; the first line names the columns, e.g. "
                             "q chi1 chi2 D")
    return columns


def _number(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


def _positive(text):
    value = _number(text)
    if value <= 0:
        raise ValueError
    return value


def _eccentricity(text):
    value = _positive(text)
    if value > MOST:
        raise ValueError
    return value


def _anomaly(text):
    value = _number(text)
    if not 0 <= value < 360:
        raise ValueError
    return value


def _spin(text):
    parts = [_number(w) for w in re.split(r"[,;\s]+", text.strip("[]() "))]
    if len(parts) == 1:
        parts = [0.0, 0.0, *parts]
    if len(parts) != 3 or math.hypot(*parts) >= 1:
        raise ValueError
    return tuple(parts)


READ = {"q": (_positive, "a number above 0"), "D": (_positive, "a number above 0, in M"),
        "chi1": (_spin, "one number or x,y,z, less than 1 in length"),
        "chi2": (_spin, "one number or x,y,z, less than 1 in length"),
        "eccentricity": (_eccentricity, f"a number above 0 and up to {MOST:g}"),
        "mean_anomaly": (_anomaly, "degrees, from 0 to below 360")}


def _value(column, text, where):
    read, wanted = READ[column]
    try:
        return read(text)
    except ValueError:
        raise SweepError(f"{where}, column {column}: '{text}' is not allowed; give {wanted}") from None


def _spin_text(chi):
    return f"{chi[2]:+g}" if not any(chi[:2]) else "_".join(f"{c:+g}" for c in chi)


def default_name(row):
    """For instance q1.5_chi+0.5_-0.3_D9, q1_chi+0_+0_D12_e0.1_l180."""
    orbit = "".join(f"_{letter}{value:g}" for letter, value in (("e", row.eccentricity), ("l", row.mean_anomaly))
                    if value is not None)
    return f"q{row.q:g}_chi{_spin_text(row.chi1)}_{_spin_text(row.chi2)}_D{row.separation:g}{orbit}"


def _row(values, number, path):
    where = f"{path}:{number}"
    given = {column: text for column, text in values if text not in ("", "-")}
    read = {column: _value(column, given[column], where) for column in READ if column in given}
    for needed in ("q", "D"):
        if needed not in read:
            raise SweepError(f"{where}, column {needed}: a value is missing")
    separation = read.pop("D")
    row = Row(number, "", separation=separation, settings={c: t for c, t in given.items() if c not in OWN}, **read)
    if row.mean_anomaly is not None and row.eccentricity is None:
        raise SweepError(f"{where}, column mean_anomaly: it is that of an eccentricity, which is missing")
    name = given.get("name") or default_name(row)
    if not re.fullmatch(NAMES, name) or name.endswith(".yaml"):
        raise SweepError(f"{where}, column name: '{name}' is not allowed; give letters, digits and _ . + -")
    return replace(row, name=name)


def parse(text, path, known):
    """Rows of a table's text. `path` is for messages; `known`: all parameters, "section.key"."""
    columns, rows, lines = None, [], {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        if columns is None:
            commas = "," in line
            columns = _columns(_words(line, number, path, commas), path, number, known)
            continue
        words = _words(line, number, path, commas)
        if len(words) != len(columns):
            raise SweepError(f"{path}:{number}: {len(words)} values in {len(columns)} columns; - is the default, "
                             'and in CSV a vector wants quotes: "0.1,0,0.5"')
        row = _row(list(zip(columns, words)), number, path)
        if row.name in lines:
            raise SweepError(f"{path}:{number}: the name '{row.name}' is that of line {lines[row.name]} too; tell them "
                             "apart in a column name")
        lines[row.name] = number
        rows.append(row)
    if not rows:
        raise SweepError(f"{path}: no rows; give a heading, e.g. q chi1 chi2 D, and a line for each run")
    return rows


def read(path, known):
    """Rows of a file. Raises SweepError."""
    return parse(read_text(path, SweepError), path, known)
