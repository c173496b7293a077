#!/usr/bin/python3
"""Put a measured number into BENCHMARKS.md: a row is added, or the one of that name is brought up to date.

    tools/benchmarks.py bench.json --section "One GPU" --name "whole RK4 step, gather" \\
        --value rk4_step.point_stages_per_s --unit point-stages/s --at-least 1.0e9 \\
        --command "tendex bench par/bbh_q1.yaml --device gpu --json bench.json"

Number, date, card, driver and version come from the JSON of `tendex bench', of tools/scaling.py or of a run, never from
the keyboard. --value is a path into it: names separated by dots; in a list, the entry with that "name", "pipeline" or
"ranks". --command may be left out where the JSON's folder tells it, as that of tools/scaling.py does.
"""

import argparse
import json
import re
import shlex
import sys
import time
from pathlib import Path

from tendex import machine
from tendex.files import write

HEAD = ["measurement", "command", "date", "card", "driver", "version", "result", "bar"]


class BenchmarkError(Exception):
    """The row cannot be made."""


def entry(items, name, path):
    for item in items:
        if isinstance(item, dict) and name in (str(item.get(key)) for key in ("name", "pipeline", "ranks")):
            return item
    raise BenchmarkError(f"{path}: no '{name}' in the list")


def look_up(data, path):
    """The number at a path."""
    found = data
    for name in path.split("."):
        if isinstance(found, list):
            found = entry(found, name, path)
        elif isinstance(found, dict) and name in found:
            found = found[name]
        else:
            there = ", ".join(found) if isinstance(found, dict) else repr(found)
            raise BenchmarkError(f"{path}: no '{name}' among {there}")
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise BenchmarkError(f"{path} is no number: {json.dumps(found)[:80]}")
    return found


def number(x, unit):
    if unit == "%":
        return f"{100 * x:.1f} %"
    text = f"{x:.3e}" if abs(x) >= 1e5 or 0 < abs(x) < 1e-3 else f"{x:.4g}"
    return f"{text} {unit}".strip()


def bar(x, a):
    """What was asked for, and whether it is met."""
    parts = []
    for sign, limit, met in (("≥", a.at_least, lambda v: x >= v), ("≤", a.at_most, lambda v: x <= v)):
        if limit is not None:
            parts.append(f"{sign} {number(limit, a.unit)}: {'met' if met(limit) else 'missed'}")
    return ", ".join(parts) or "-"


def command_of(path, data, given):
    if given:
        return given
    if data.get("commands"):
        return "; ".join(data["commands"])
    try:
        return shlex.join(json.loads(path.with_suffix(".command").read_text())["command"])
    except (OSError, ValueError, KeyError) as e:
        raise BenchmarkError(f"{path} does not tell the command that made it; give --command") from e


def make_row(a):
    try:
        data = json.loads(a.json.read_text())
    except (OSError, ValueError) as e:
        raise BenchmarkError(f"{a.json}: {e}") from e
    x = look_up(data, a.value)
    command = command_of(a.json, data, a.command)
    card = machine.card_and_count(data, ranks_of(data, a.value))
    return [a.name, f"`{command}`", date_of(a.json, data)[:10], card, machine.driver(data), data["code_version"],
            number(x, a.unit), bar(x, a)]


def date_of(path, data):
    """When it was measured: as the JSON says, or when that was written."""
    return data.get("date") or time.strftime("%Y-%m-%d", time.gmtime(path.stat().st_mtime))


def ranks_of(data, path):
    """On how many ranks; a scaling series has them in the path."""
    found = re.search(r"\branks\.(\d+)", path)
    return int(found[1]) if found else data.get("ranks", 1)


def cells(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def text_of(cells_):
    return "| " + " | ".join(c.replace("|", "/").replace("\n", " ") for c in cells_) + " |"


def put(text, section, row):
    """The file's text with the row in its section."""
    lines, title = text.rstrip("\n").split("\n"), f"## {section}"
    if title not in lines:
        return "\n".join([*lines, "", title, "", text_of(HEAD), "|" + "---|" * len(HEAD), text_of(row), ""])
    start = lines.index(title) + 1
    end = next((i for i in range(start, len(lines)) if lines[i].startswith("## ")), len(lines))
    rows = [i for i in range(start, end) if lines[i].startswith("|")]
    if not rows or cells(lines[rows[0]]) != HEAD:
        raise BenchmarkError(f"section '{section}' has no table with the columns {', '.join(HEAD)}")
    name = cells(text_of(row))[0]
    for i in rows[2:]:
        if cells(lines[i])[0] == name:
            lines[i] = text_of(row)
            return "\n".join([*lines, ""])
    lines.insert(rows[-1] + 1, text_of(row))
    return "\n".join([*lines, ""])


def main(words=None):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("json", type=Path, help="what the program wrote")
    p.add_argument("--section", required=True)
    p.add_argument("--name", required=True, help="what was measured")
    p.add_argument("--value", required=True, metavar="PATH", help="where in the JSON the number is")
    p.add_argument("--unit", default="", help="behind the number; %% shows a share as per cent")
    p.add_argument("--at-least", type=float, metavar="X", help="the bar, in the JSON's unit")
    p.add_argument("--at-most", type=float, metavar="X")
    p.add_argument("--command", metavar="WORDS", help="what made the JSON")
    p.add_argument("--file", type=Path, default=Path(__file__).resolve().parents[1] / "BENCHMARKS.md")
    a = p.parse_args(words)
    try:
        row = make_row(a)
        write(a.file, put(a.file.read_text(), a.section, row))
    except (BenchmarkError, OSError) as e:
        print(f"benchmarks: error: {e}", file=sys.stderr)
        return 1
    print(text_of(row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
