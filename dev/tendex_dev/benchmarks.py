"""BENCHMARKS.md: tables of what is kept in docs/benchmarks, and the numbered list of the commands.

measurements.json has one number a row, as dev/benchmarks.py takes it from a program's JSON; series.json has tables that belong
together; runs.json series of whole runs on more and more GPUs; checks.json what was verified on GPUs; published.json runs of others."""

import json
import re
from pathlib import Path

from tendex_dev import machine, pages, run_scaling
from tendex.base.files import read_json, write

ROW = {"table", "name", "value", "unit", "command", "date", "card", "driver", "version"}


class BenchmarkError(Exception):
    """The row or the page cannot be made."""


def load(folder, name):
    return read_json(Path(folder) / name, BenchmarkError, (dict, list))


def lines_of(rows):
    """JSON with a line a row, so that a change is a line of a diff."""
    return "[\n" + ",\n".join(" " + json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"


def put(folder, row):
    """Keep a measured row: it replaces the one of its name, or comes last in its table."""
    rows = load(folder, "measurements.json")
    for i, r in enumerate(rows):
        if (r["table"], r["name"]) == (row["table"], row["name"]):
            rows[i] = row
            break
    else:
        rows.insert(max((i + 1 for i, r in enumerate(rows) if r["table"] == row["table"]), default=len(rows)), row)
    write(Path(folder) / "measurements.json", lines_of(rows))


def put_runs(folder, name, title, command, runs):
    """Keep a series of whole runs; it replaces the one of its name."""
    series = run_scaling.series_of(runs)
    if len(series) != 1:
        raise BenchmarkError("give runs of one series: those of one problem, or those of one that grows with the GPUs")
    s, first = series[0], runs[0].data
    counts = ", ".join(str(r["ranks"]) for r in s.rows)
    entry = {"title": title, "command": command, "date": max(r.date for r in runs)[:10],
             "card": f"{counts} x {machine.card(first)}" if first.get("device") else machine.card(first),
             "driver": machine.driver(first), "version": first["code_version"], "kind": s.kind, "unit": s.unit, "rows": s.rows}
    all_runs = {**load(folder, "runs.json"), name: entry}
    write(Path(folder) / "runs.json", lines_of_runs(all_runs))


def lines_of_runs(all_runs):
    """JSON with a line a run."""
    parts = []
    for name, entry in all_runs.items():
        head = json.dumps({k: v for k, v in entry.items() if k != "rows"}, ensure_ascii=False)[:-1]
        rows = ",\n   ".join(json.dumps(row) for row in entry["rows"])
        parts.append(f' {json.dumps(name)}: {head}, "rows": [\n   {rows}]}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def whole_runs(page):
    """[(title, RunSeries)] of what is kept."""
    return [(e["title"], run_scaling.RunSeries(e["kind"], e["unit"], e["rows"])) for e in page.runs.values()]


def measured(rows, table, name):
    """The value of a row."""
    found = [r["value"] for r in rows if (r["table"], r["name"]) == (table, name)]
    if len(found) != 1:
        raise BenchmarkError(f"table '{table}' has no row '{name}'")
    return found[0]


def number(x, unit="", trim=False):
    """Four digits; exponents as 1.200e9, or trimmed to 1.2e9. The only unit that is shown with a number is %."""
    if unit == "%":
        return f"{100 * x:.4g}%" if trim else f"{100 * x:.1f}%"
    text = f"{x:.3e}" if abs(x) >= 1e5 or 0 < abs(x) < 1e-3 else f"{x:.4g}"
    digits, _, power = text.partition("e")
    if trim and "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return digits + (f"e{int(power)}" if power else "")


def bar(row):
    """The bar that was set, and whether it is met."""
    x, parts = row["value"], []
    for sign, key, met in (("≥", "at_least", x >= row.get("at_least", x)), ("≤", "at_most", x <= row.get("at_most", x))):
        if key in row:
            parts.append(f"{sign} {number(row[key], row['unit'], trim=True)}: {'met' if met else '**missed**'}")
    return ", ".join(parts) or "-"


def named(row):
    """What was measured, with its unit."""
    return row["name"] if row["unit"] in ("", "%") else f"{row['name']} [{row['unit']}]"


def short_version(version):
    return version.split("-g")[-1]


def short_card(card):
    return card.replace("NVIDIA ", "")


def cells(line):
    return "| " + " | ".join(str(c).replace("|", "/").replace("\n", " ") for c in line) + " |"


def table(head, rows):
    return [cells(head), "|" + "---|" * len(head), *(cells(r) for r in rows)]


class Commands:
    """Numbers of the commands, in the order in which the page names them first."""

    def __init__(self):
        self.all = []

    def __call__(self, command):
        if command not in self.all:
            self.all.append(command)
        return f"[{self.all.index(command) + 1}](#commands)"

    def list(self):
        return [f"{i}. `{command}`" for i, command in enumerate(self.all, 1)]


class Page:
    """The page and what it takes; every table is to be shown once."""

    def __init__(self, folder):
        self.rows, self.series = load(folder, "measurements.json"), load(folder, "series.json")
        self.checks, self.published = load(folder, "checks.json"), load(folder, "published.json")
        self.runs = load(folder, "runs.json")
        self.commands, self.shown = Commands(), set()

    def measurements(self, name):
        rows = [r for r in self.rows if r["table"] == name]
        if not rows:
            raise BenchmarkError(f"BENCHMARKS.md: measurements.json has no table '{name}'")
        for r in rows:
            if ROW - set(r):
                raise BenchmarkError(f"measurements.json: '{r.get('name')}' lacks {', '.join(sorted(ROW - set(r)))}")
        return table(["measurement", "result", "bar", "card", "date, version", "command"],
                     ([named(r), number(r["value"], r["unit"]), bar(r), short_card(r["card"]), self.when(r),
                       self.commands(r["command"])] for r in rows))

    @staticmethod
    def when(r):
        return f"{r['date']}, {short_version(r['version'])}"

    def table_of_series(self, name):
        if name not in self.series:
            raise BenchmarkError(f"BENCHMARKS.md: series.json has no '{name}'")
        s = self.series[name]
        lines = table(s["columns"], ([c if isinstance(c, str) else number(c, trim=True) for c in row] for row in s["rows"]))
        if s["card"]:
            numbers = [self.commands(c) for c in s["commands"]]
            by = f" Command{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}." if numbers else ""
            lines += ["", f"{short_card(s['card'])}, {self.when(s)}.{by}"]
        return lines

    def tables_of_runs(self):
        """All series of whole runs; levels that are those of an earlier series are named, not shown again."""
        lines, levels = [], {}
        for (title, s), entry in zip(whole_runs(self), self.runs.values()):
            lines += [*([""] if lines else []), f"**{title}.** {run_scaling.about(s)}", "", *table(*run_scaling.rows_of_table(s)), ""]
            lines += [line for note in run_scaling.notes(s) for line in (f"Note: {note}.", "")]
            if run_scaling.of_levels(s):
                shown = table(*run_scaling.rows_of_levels(s))
                first = levels.setdefault(tuple(shown), title)
                lines += ([f"Levels at the end are those of \"{first}\".", ""] if first != title else
                          ["Levels at the end, with the octants that finer levels cover:", "", *shown, ""])
            lines.append(f"{short_card(entry['card'])}, {self.when(entry)}. Command {self.commands(entry['command'])}.")
        return lines

    def table_of_checks(self):
        return table(["check", "result", "card", "date, version", "command"],
                     ([c["name"], c["result"], short_card(c["card"]), self.when(c), self.commands(c["command"])] for c in self.checks))

    def table_of_published(self):
        """GPU-hours of whole runs beside published ones."""
        rows = []
        for p, ours in published_beside(self.rows, self.published):
            theirs = p["gpus"] * p["hours"]
            rows += [[p["case"], f"published, {p['gpus']} {p['card']}", f"{p['hours']} h", f"{theirs} {p['card']}-hours", "1"]]
            rows += [[p["case"], f"Tendex, {o['what']}, {o['card']}", duration(o["seconds"]), f"{number(o['hours'])} {o['kind']}-hours",
                      f"{theirs / o['hours']:.0f}"] for o in ours]
        return table(["case", "run", "wall time", "GPU time", "published over Tendex"], rows)

    def drivers(self):
        found = {r["driver"].replace(" for ", ", ") for r in [*self.rows, *self.series.values(), *self.runs.values()] if "," in r["driver"] or " for " in r["driver"]}
        return [f"GPU driver, where recorded: {'; '.join(sorted(found))}."]

    def table_of(self, words):
        what, _, name = words.partition(": ")
        parts = {"measurements": lambda: self.measurements(name), "series": lambda: self.table_of_series(name),
                 "runs": self.tables_of_runs, "checks": self.table_of_checks, "published": self.table_of_published, "commands": self.commands.list,
                 "drivers": self.drivers}
        if what not in parts:
            raise BenchmarkError(f"BENCHMARKS.md: no '{what}' is known")
        self.shown.add((what, name))
        return parts[what]()

    def filled(self, text):
        """The page with its tables as what is kept has them."""
        text = pages.filled(text, self.table_of)
        kept = {("measurements", r["table"]) for r in self.rows} | {("series", name) for name in self.series} | {("runs", "")}
        if kept - self.shown:
            raise BenchmarkError(f"BENCHMARKS.md does not show {', '.join(sorted(name or what for what, name in kept - self.shown))}")
        return text


def duration(seconds):
    return f"{seconds / 60:.1f} min"


def published_beside(rows, published):
    """(published run, our whole runs of that case)."""
    found = []
    for p in published:
        ours = []
        for r in rows:
            what = re.fullmatch(rf"{p['case']}, \d+ M, (.+): wall time", r["name"])
            if r["table"] == "production" and what:
                count, kind = re.fullmatch(r"(\d+) x NVIDIA (\S+)", r["card"]).groups()
                ours.append({"what": what[1], "card": f"{count} {kind}", "kind": kind, "seconds": r["value"],
                             "hours": int(count) * r["value"] / 3600})
        if not ours:
            raise BenchmarkError(f"production has no run beside the published one of {p['case']}")
        found.append((p, ours))
    return found
