"""RESULTS.md, its figures, and the tables of docs/studies. dev/results.py says how cases are written."""

import hashlib
import inspect
import re
from dataclasses import dataclass, field

from tendex_dev import pages, pictures
from tendex_dev.results import coverage, figures, pairs, tables
from tendex_dev.results.kept import KeptError

HEAD = ("case", "orbits", "M/h at the holes", "phase difference of (2,2), rad", "mismatch", "balance: E, J", "M_f", "a_f/M_f", "GPU-hours")
NONE = "-"
# Of a case: what it is, and what nothing that is kept says. Reference values have the keys of tables.ROWS.
WORDS = ("name", "anchor", "runs", "rows", "figure", "hours", "phase", "aligned", "mismatch", "balance", "found")
FIGURES = ("waves", "spacings", "beside")
TABLE = re.compile(r"(\w+)(?:: ([\w, ]+?))?(?:; ([\w, ]+?))?")  # CASE: RUNS; ROWS


@dataclass
class Case:
    """A comment of RESULTS.md."""

    key: str
    said: dict = field(default_factory=dict)  # {word: text}

    @property
    def runs(self):
        return listed(self.said.get("runs", ""))

    @property
    def references(self):
        return {key: text for key, text in self.said.items() if key in tables.ROWS and key != "spacing"}

    @property
    def rows(self):
        return listed(self.said["rows"]) if "rows" in self.said else [key for key in tables.SHORT]


def listed(text):
    return [part for part in re.split(r",\s*", text.strip()) if part]


def cases_of(text):
    """{key: Case} of RESULTS.md. Raises KeptError."""
    cases = {}
    for key, lines in re.findall(r"^<!-- case (\w+)\n(.*?)^-->$", text, flags=re.S | re.M):
        if key in cases:
            raise KeptError(f"RESULTS.md: two cases {key}: give one another name")
        case = cases[key] = Case(key)
        for line in lines.strip().splitlines():
            word, colon, value = line.partition(":")
            word = word.strip()
            if not colon or word not in (*WORDS, *tables.ROWS):
                raise KeptError(f"RESULTS.md, case {key}: {line!r}: known are {', '.join((*WORDS, *tables.ROWS))}, each with a colon")
            case.said[word] = value.strip()
        for row in case.rows:
            if row not in tables.ROWS:
                raise KeptError(f"RESULTS.md, case {key}: rows: no row {row!r}")
        if case.said.get("figure", "waves") not in FIGURES:
            raise KeptError(f"RESULTS.md, case {key}: figure: {', '.join(FIGURES)}")
    return cases


def pairs_of(text):
    """[(name, value)] of `NAME = VALUE, ...'."""
    return [(name.strip(), value.strip()) for name, _, value in (part.partition("=") for part in listed(text))]


def value_of(text):
    """The number in a reference, or None."""
    found = re.search(r"\d*\.?\d+", text)
    return float(found[0]) if found else None


class Page:
    """What is made of a shelf (kept.Shelf), for RESULTS.md and the folder of its figures."""

    def __init__(self, shelf, file, figures):
        self.shelf, self.figures = shelf, figures
        self.text = file.read_text()
        self.cases = cases_of(self.text)

    def kept(self, runs):
        return {run: self.shelf.numbers(run) for run in runs}

    def summary(self):
        """A row for each case."""
        return ["| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|", *(self.row(case) for case in self.cases.values())]

    def row(self, case):
        kept = self.kept(case.runs)
        best = kept[case.runs[-1]] if case.runs else None
        series = [s for s in map(self.shelf.series, case.runs) if s]
        measured = pairs.numbers(*series[-2:]) if len(series) > 1 else None

        def of(key, form):
            return case.said.get(key) or (form(getattr(measured, {"phase": "unaligned"}.get(key, key))) if measured else NONE)

        found = dict(pairs_of(case.said.get("found", "")))

        def cell(key):
            return best and tables.ROWS[key][1](best) or found.get(key)

        def beside(key):
            reference = case.references.get(key)
            return f"{cell(key)} ({reference})" if cell(key) and reference else cell(key)

        finest = dict.fromkeys(tables.spacing(k).removeprefix("1/") for k in kept.values())
        both = f"{of('phase', '{:.2g}'.format)} / {of('aligned', '{:.2g}'.format)}"
        name = f"[{case.said['name']}](#{case.said['anchor']})" if "anchor" in case.said else case.said["name"]
        cells = [name, cell("orbits"), ", ".join(finest), NONE if both == f"{NONE} / {NONE}" else both, of("mismatch", "{:.1e}".format),
                 best and tables.balance(best) or case.said.get("balance"), beside("mass"), beside("chi"), cell("gpu_hours")]
        return "| " + " | ".join(cell or NONE for cell in cells) + " |"

    def table_of(self, words):
        """Lines of the table CASE: RUNS; ROWS, of the summary, or of the bounds of errors."""
        if words == "summary":
            return self.summary()
        if words == "bounds":
            return coverage.table(self.shelf)
        asked = TABLE.fullmatch(words)
        case = self.cases.get(asked and asked[1])
        if case is None:
            raise KeptError(f"<!-- table {words} -->: RESULTS.md has no such case")
        runs = listed(asked[2]) if asked[2] else case.runs
        rows = listed(asked[3]) if asked[3] else list(tables.ROWS) if asked[2] else case.rows
        if unknown := [row for row in rows if row not in tables.ROWS]:
            raise KeptError(f"<!-- table {words} -->: no row {unknown[0]!r}")
        return tables.table(self.kept(runs), runs, rows, case.references)

    def filled(self, text):
        """A page with its tables as the kept runs have them."""
        return pages.filled(text, self.table_of)

    def shown(self, texts):
        """Names of all runs that RESULTS.md or these texts show."""
        asked = [TABLE.fullmatch(words) for text in texts for words in pages.asked(text)]
        return {run for case in self.cases.values() for run in case.runs} | {run for found in asked for run in listed(found[2] or "")}

    def drawn(self):
        """[(file, source, function that draws it)] of the cases whose figure the page shows."""
        files = {key: self.figures / f"{key}.webp" for key in self.cases}
        return [(files[key], self.source(case), lambda case=case: self.draw(case))
                for key, case in self.cases.items() if f"/{self.figures.name}/{key}.webp)" in self.text]

    def source(self, case):
        """A checksum of all that a figure is made from."""
        code = inspect.getsource(figures) + inspect.getsource(pictures)
        code = re.sub(r"(?m)^(from|import) .*\n", "", code)  # where functions lie changes no figure
        parts = [code, repr(sorted(case.said.items()))]
        parts += [hashlib.sha256(self.shelf.whole(run)).hexdigest() for run in case.runs]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def draw(self, case):
        kept = self.kept(case.runs)
        series = [(s, kept[s.name]) for s in map(self.shelf.series, case.runs) if s]
        kind = case.said.get("figure", "waves")
        if kind == "waves":
            if not series:
                raise KeptError(f"RESULTS.md, case {case.key}: figure: no waves are kept of {', '.join(case.runs)}; take the runs again, or "
                                "ask for figure: spacings or beside")
            return figures.waves([s for s, _ in series], [k["run"]["finest_spacing"] for _, k in series],
                                 [f"h = {tables.spacing(k)} M" for _, k in series])
        references = {key: value_of(text) for key, text in case.references.items()}
        if kind == "spacings":
            return figures.spacings(list(kept.values()), references)
        return figures.beside(case.runs, self.scalars(kept, references), self.hours(case, kept))

    def scalars(self, kept, references):
        """{name: ([value of each run], reference)} of those that have one."""
        names = {"mass": "$M_f$", "chi": "$a_f/M_f$", "h": r"peak of $|r h_{22}|$", "w": r"$M\omega_{22}$ there", "kick": "kick"}
        found = {}
        for key, name in names.items():
            values = [value_of(text) if text else None for text in (tables.ROWS[key][1](k) for k in kept.values())]
            if references.get(key) and None not in values:
                found[name] = values, references[key]
        return found

    def hours(self, case, kept):
        """[(who, GPU-hours)]: the published ones, `hours: NAME = NUMBER', and the runs'."""
        said = [(name, float(text)) for name, text in pairs_of(case.said.get("hours", ""))]
        return said + [(run, tables.gpu_hours(k)) for run, k in kept.items()]
