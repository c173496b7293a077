"""RESULTS.md from docs/results/text.md, and the tables of docs/studies."""

import hashlib
import inspect
import re
from dataclasses import dataclass, field

from tendex_dev import pictures
from tendex_dev.results import figures, pairs, tables
from tendex_dev.results.kept import KeptError

HEAD = ("case", "orbits", "M/h at the holes", "phase difference of (2,2), rad", "mismatch", "balance: E, J", "M_f", "a_f/M_f", "GPU-hours")
NONE = "-"
# Of a case: what it is, and what nothing that is kept says. Reference values have the keys of tables.ROWS.
WORDS = ("name", "anchor", "runs", "rows", "figure", "hours", "phase", "aligned", "mismatch", "balance", "found")
FIGURES = ("waves", "spacings", "beside")
SECTION = re.compile(r"(<!-- table (\w+): ([\w, ]+)(?:; ([\w, ]+))? -->\n).*?(<!-- end of table -->)", re.S)


@dataclass
class Case:
    """A block of text.md."""

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
    """({key: Case}, text with a line {{case KEY}} for each) of text.md. Raises KeptError."""
    cases = {}

    def one(match):
        case = Case(match[1])
        if match[1] in cases:
            raise KeptError(f"text.md: two cases {match[1]}: give one another name")
        for line in match[2].strip().splitlines():
            word, colon, value = line.partition(":")
            word = word.strip()
            if not colon or word not in (*WORDS, *tables.ROWS):
                raise KeptError(f"text.md, case {case.key}: {line!r}: known are {', '.join((*WORDS, *tables.ROWS))}, each with a colon")
            case.said[word] = value.strip()
        for row in case.rows:
            if row not in tables.ROWS:
                raise KeptError(f"text.md, case {case.key}: rows: no row {row!r}")
        if case.said.get("figure", "waves") not in FIGURES:
            raise KeptError(f"text.md, case {case.key}: figure: {', '.join(FIGURES)}")
        cases[case.key] = case
        return f"{{{{case {case.key}}}}}"
    return cases, re.sub(r"^\{\{case (\w+)\n(.*?)^\}\}$", one, text, flags=re.S | re.M)


def pairs_of(text):
    """[(name, value)] of `NAME = VALUE, ...'."""
    return [(name.strip(), value.strip()) for name, _, value in (part.partition("=") for part in listed(text))]


def value_of(text):
    """The number in a reference, or None."""
    found = re.search(r"\d*\.?\d+", text)
    return float(found[0]) if found else None


class Page:
    """What is made of a shelf (kept.Shelf), text.md beside it, and a folder of figures."""

    def __init__(self, shelf, pictures, link):
        """link: from the page to the folder `pictures'."""
        self.shelf, self.pictures, self.link = shelf, pictures, link
        self.cases, self.text = cases_of((shelf.folder / "text.md").read_text())

    def kept(self, runs):
        return {run: self.shelf.numbers(run) for run in runs}

    def results(self):
        """The text of RESULTS.md."""
        out, case = [], None
        for line in re.sub(r"\A<!--.*?-->\s*", "", self.text, flags=re.S).splitlines():
            asked = re.fullmatch(r"\{\{(\w+)(?: (\w+))?\}\}", line)
            if not asked:
                out.append(line)
            elif asked[1] == "case":
                case = self.cases[asked[2]]
            elif asked[1] == "summary":
                out += self.summary()
            elif case is None or asked[1] not in ("table", "figure"):
                raise KeptError(f"text.md: {line}: known are {{{{summary}}}}, and after a case {{{{table}}}} and {{{{figure}}}}")
            elif asked[1] == "table":
                out += tables.table(self.kept(case.runs), case.runs, case.rows, case.references)
            else:
                out.append(f"![{case.said['name']}]({self.link}/{case.key}.png)")
        return re.sub(r"\n{3,}", "\n\n", "\n".join(out)) + "\n"

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

    def studied(self, text):
        """A page of docs/studies with its tables as the kept runs have them: between <!-- table CASE: RUNS; ROWS --> and <!-- end of
        table -->."""
        def one(match):
            case = self.cases.get(match[2])
            if case is None:
                raise KeptError(f"<!-- table {match[2]}: text.md has no such case")
            rows = listed(match[4]) if match[4] else list(tables.ROWS)
            unknown = [row for row in rows if row not in tables.ROWS]
            if unknown:
                raise KeptError(f"<!-- table {match[2]}: no row {unknown[0]!r}")
            runs = listed(match[3])
            return match[1] + "\n" + "\n".join(tables.table(self.kept(runs), runs, rows, case.references)) + "\n\n" + match[5]
        return SECTION.sub(one, text)

    def shown(self, studies):
        """Names of all runs that the page or these texts show."""
        return {run for case in self.cases.values() for run in case.runs} | {
            run for text in studies for match in SECTION.finditer(text) for run in listed(match[3])}

    def drawn(self):
        """[(file, source, function that draws it)] of the cases that have a figure of their runs."""
        found = []
        for case in self.cases.values():
            if re.search(rf"^\{{\{{case {case.key}\}}\}}$(?:(?!^\{{\{{case ).)*^\{{\{{figure\}}\}}$", self.text, flags=re.S | re.M):
                found.append((self.pictures / f"{case.key}.png", self.source(case), lambda case=case: self.draw(case)))
        return found

    def source(self, case):
        """A checksum of all that a figure is made from."""
        code = inspect.getsource(figures) + inspect.getsource(pictures)
        code = re.sub(r"(?m)^(from|import) .*\n", "", code)  # where functions lie changes no figure
        parts = [code, repr(sorted(case.said.items()))]
        for run in case.runs:
            file = self.shelf.series_file(run)
            parts += [(self.shelf.folder / f"{run}.json").read_text(), file.read_text() if file.exists() else ""]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def draw(self, case):
        kept = self.kept(case.runs)
        series = [(s, kept[s.name]) for s in map(self.shelf.series, case.runs) if s]
        kind = case.said.get("figure", "waves")
        if kind == "waves":
            if not series:
                raise KeptError(f"text.md, case {case.key}: figure: no waves are kept of {', '.join(case.runs)}; take the runs again, or "
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
