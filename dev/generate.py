#!/usr/bin/python3
"""Write what the programs say of themselves into docs/: parameters.md, tendex.1, tendex-waves.1, tendex-orbit.1; and into
tools/tendex/base/parameter_kinds.py what each parameter takes. Parameters of further systems of equations, all but BSSN and Z4c,
stand on the pages of these alone, docs/systems/NAME.md, between two comments.

    dev/generate.py TENDEX [--check]

TENDEX: the program; its --help, --help-params=json and the help of tools/tendex-waves and
tools/tendex-orbit are the only source. With --check
nothing is written: the exit code is 1 if a file is not what would be written."""

import argparse
import contextlib
import functools
import importlib
import io
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
WIDE = {"ARGP_HELP_FMT": "rmargin=9999,opt-doc-col=40", "COLUMNS": "9999", "LC_ALL": "C.UTF-8"}
BANNER = "made by dev/generate.py; do not edit"
# Systems of equations whose parameters all pages have, and what is said of others.
SYSTEMS, OTHERS = ("bssn", "z4c"), "or another system of this program"
# Where a page of docs/systems has its parameters.
TABLE, TABLE_END = f"<!-- parameters: {BANNER} -->", "<!-- end of parameters -->"


def said(*command):
    """What a program prints, every paragraph on one line."""
    return subprocess.run(command, env=os.environ | WIDE, check=True, stdout=subprocess.PIPE, text=True).stdout


@functools.cache
def tool_said(name, *words):
    """The same of tools/tendex-NAME with --help, without a process: its libraries take long to load."""
    sys.path.insert(0, str(ROOT / "tools"))
    cli = importlib.import_module({"waves": "tendex.waves.commands.cli", "orbit": "tendex.orbits.cli"}[name])
    before, text = dict(os.environ), io.StringIO()
    os.environ.update(WIDE)
    try:
        with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
            cli.main([*words, "--help"])
    finally:
        os.environ.clear()
        os.environ.update(before)
    # Python before 3.13 names the value behind the short option too.
    return re.sub(r"(?m)^( +-\w) (\S.*?), (--[\w-]+ \2)(?=\s|$)", r"\1, \3", text.getvalue())


def version():
    return re.search(r"project\(tendex VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


# Parameters.

def number(x):
    if isinstance(x, int) and abs(x) < 10**6:
        return str(x)
    return re.sub(r"e([+-])0?(\d)", lambda m: "e" + m[1].strip("+") + m[2], f"{x:g}")


def default(p):
    value = p["default"]
    if value in ("", []):
        return "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(number(v) for v in value) + "]"
    text = value if isinstance(value, str) else number(value)
    return f"{text} {p['unit']}".rstrip()


def allowed(p):
    if "words" in p:
        return ", ".join(p["words"])
    if "min" not in p:
        return p["type"]
    span = f"{number(p['min'])} to {number(p['max'])} {p['unit']}".rstrip()
    return span if p["type"] in ("integer", "number") else f"{p['type']}, each {span}"


def sentences(p):
    """What a parameter means, when it counts, whether it may change."""
    yield p["text"][0].upper() + p["text"][1:] + "."
    if "n_max" in p:
        yield f"N is 1 to {p['n_max']}."
    if p["default_is_for"]:
        yield "The default is for a total mass of 1."
    if p["used_only_if"]:
        yield f"Used only if {p['used_only_if']}."
    if p["restart_may_change"]:
        yield "A restart may change it."


def split(parameters):
    """Parameters of the program, and those of each further system of equations."""
    systems, = (p["words"] for p in parameters if p["key"] == "evolution.system")
    further = {name: [] for name in systems if name not in SYSTEMS}
    common = []
    for p in parameters:
        of = re.match(r"evolution\.system is (\w+)", p["used_only_if"] or "")
        further.get(of and of[1], common).append(p | {"words": [*SYSTEMS, OTHERS]} if p["key"] == "evolution.system" else p)
    return common, further


def by_section(parameters):
    sections = {}
    for p in parameters:
        sections.setdefault((p["key"].split(".")[0], p["section_text"]), []).append(p)
    return sections.items()


def cell(text, keys):
    """Text for a cell of a table, with keys of parameters as code."""
    text = re.sub(r"([|*<\[])", r"\\\1", text)
    return re.sub(r"\b\w+\.\w+\b", lambda m: f"`{m[0]}`" if m[0] in keys else m[0], text)


def parameters_md(parameters):
    keys = {p["key"] for p in parameters}
    lines = [f"<!-- {BANNER} -->", "# Parameters", "",
             "All parameters, as `tendex --help-params` describes them. [guide.md](guide.md) says how to choose",
             "them. A parameter file is YAML: sections, and in each of them lines `name: value`. Lengths and times are",
             "in M, the unit of mass of the parameter file.", "",
             "Defaults of lengths and times are for a total mass of 1. They are scaled where the masses of the punctures add up to less than",
             "0.71 or more than 1.41: by a power of two, the one nearest to the sum. With masses 2 and 2 `gauge.eta` is 0.5/M. The log",
             "lists what was scaled, and `run.yaml` has all values. A value that is given is taken as it is.", "",
             "Parameters of further systems of equations stand on their pages, in `docs/systems`.", ""]
    for (name, text), members in by_section(parameters):
        lines += [f"## {name}", "", f"{text}.", "", *table(members, keys), ""]
    return "\n".join(lines[:-1]) + "\n"


def table(members, keys):
    """Lines of a table of parameters."""
    lines = ["| parameter | default | allowed | meaning |", "|---|---|---|---|"]
    return lines + [f"| `{p['key']}` | {cell(default(p), keys)} | {cell(allowed(p), keys)} |"
                    f" {cell(' '.join(sentences(p)), keys)} |"
                    for p in members]


def system_md(page, members):
    """The page of a system with the table of its parameters."""
    text = page.read_text(encoding="utf-8")
    if text.count(TABLE) != 1 or text.count(TABLE_END) != 1:
        sys.exit(f"{page}: no place for its parameters; give it the lines {TABLE} and {TABLE_END}")
    before, _, rest = text.partition(TABLE)
    keys = {p["key"] for p in members} | {"evolution.system", "initial_data.profile"}
    return "\n".join([before + TABLE, *table(members, keys), TABLE_END + rest.partition(TABLE_END)[2]])


# For the tools.

KINDS_PY = f'''"""What parameters take, as `tendex --help-params=json' says: their kind, and the smallest and largest number or the words;
{BANNER}."""

ROWS = {{
'''


def kinds_py(parameters):
    """A module with {key: (kind, limits)}, and {key: largest N} of those with bhN."""
    names = {"[x, y, z]": "vector", "list of numbers": "list"}
    lines = []
    for p in parameters:
        if p["key"] == "evolution.system":    # there are others
            p = {"key": p["key"], "type": "text"}
        limits = f", {' '.join(p['words'])!r}" if "words" in p else f", {p['min']!r}, {p['max']!r}" if "min" in p else ","
        lines.append(f"    {p['key']!r}: ({names.get(p['type'], p['type'])!r}{limits}),\n".replace("'", '"'))
    numbers = [f'    "{p["key"]}": {p["n_max"]},\n' for p in parameters if "n_max" in p]
    systems = "\n# Systems of equations whose parameters these are; others have more.\nSYSTEMS = " + repr(SYSTEMS).replace("'", '"') + "\n"
    return KINDS_PY + "".join(lines) + "}\n\n# N of bhN is 1 to\nN_MAX = {\n" + "".join(numbers) + "}\n" + systems


# Man pages.

def roff(text):
    """Text as troff takes it."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    return "\\&" + text if text.startswith(".") else text


def indented(lines):
    """Lines `term  explanation', or examples."""
    if lines[0].lstrip().startswith("- "):
        return [line for text in lines for line in
                ([".IP \\(bu 2", roff(text.strip()[2:])] if text.strip().startswith("- ") else [roff(text.strip())])]
    if not re.match(r" +(\S.*?\S|\S) {2,}\S", lines[0]):
        return [".PP", ".RS 4", ".EX"] + [roff(line.strip()) for line in lines] + [".EE", ".RE"]
    out = []
    for line in lines:
        term = re.match(r" {1,7}(\S.*?\S|\S)(?: {2,}(\S.*))?$", line)
        out += [".TP", f".B {roff(term[1])}", roff(term[2] or "")] if term else [roff(line.strip())]
    return [line for line in out if line]


def blocks(text):
    """Paragraphs, and what is indented."""
    out = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        for inside, lines in itertools.groupby(paragraph.split("\n"), lambda line: line.startswith(" ")):
            lines = list(lines)
            if any(lines):
                out += indented(lines) if inside else [".PP", roff(" ".join(lines))]
    return out


def cut(text, *headings):
    """Text before the first of the headings, and what follows each of them; a heading stands alone in its line."""
    parts = re.split(r"^(" + "|".join(headings) + r"):\n", text, flags=re.M)
    return parts[0], dict(zip(parts[1::2], parts[2::2]))


def header(name):
    return [f'.\\" {BANNER}', f'.TH {name.upper()} 1 "" "Tendex {version()}" "User Commands"']


def usage_of(text):
    """The lines of the synopsis, without short forms of options that follow in full, and the rest of the help."""
    head, _, rest = text.partition("\n")
    lines = [head]
    while rest.startswith(("  or:", "       ")):
        line, _, rest = rest.partition("\n")
        lines.append(line)
    return [re.sub(r"^\s*(usage|or): *", "", line, flags=re.I) for line in lines], rest


def synopsis(lines):
    return [x for line in lines for x in (".br", roff(line))][1:]


def command_section(program, name):
    usage, rest = usage_of(said(program, name, "--help"))
    text, parts = cut(rest, "Options", "Examples")
    options = re.sub(r"\n+Mandatory or optional arguments[^\n]*", "", parts.get("Options", ""))
    out = [f".SS {name}"] + synopsis(usage) + blocks(text) + blocks(options)
    if parts.get("Examples", "").strip():
        out += [".PP", "Examples:"] + blocks(parts["Examples"])
    return out


def parameter_list(parameters):
    out = []
    for (name, text), members in by_section(parameters):
        out += [f".SS {name}", roff(text) + "."]
        for p in members:
            out += [".TP", f".B {roff(p['key'])}", roff(f"{' '.join(sentences(p))} Default: {default(p)}. Allowed: {allowed(p)}.")]
    return out


def tendex_1(program, parameters):
    usage, rest = usage_of(said(program, "--help"))
    text, parts = cut(rest, "Commands", "Options", "Examples")
    commands = parts["Commands"]
    examples, _, codes = parts["Examples"].partition("Exit codes: ")
    out = header("tendex") + [".SH NAME", "tendex \\- binary black holes and their gravitational waves",
                              ".SH SYNOPSIS"] + synopsis(usage) + [".SH DESCRIPTION"] + blocks(text) + blocks(commands)
    out += [".SH OPTIONS"] + blocks(parts["Options"]) + [".SH COMMANDS"]
    for name in re.findall(r"^  (\w+) ", commands, flags=re.M):
        out += command_section(program, name)
    out += [".SH PARAMETERS", "A parameter file is YAML: sections, and in each of them lines", roff("name: value."),
            "Lengths and times are in M."]
    out += parameter_list(parameters) + [".SH EXIT STATUS"]
    for code in codes.strip().rstrip(".").split("; "):
        value, _, meaning = code.partition(" ")
        out += [".TP", f".B {value}", roff(meaning) + "."]
    out += [".SH EXAMPLES"] + blocks(examples) + [".SH SEE ALSO", ".BR tendex\\-waves (1)"]
    return "\n".join(out) + "\n"


def waves_section(name):
    usage, rest = usage_of(tool_said("waves", name))
    text, parts = cut(rest, "positional arguments", "options", "optional arguments")
    out = [f".SS {name}"] + synopsis(usage) + blocks(text)
    for part in parts.values():
        out += blocks(part)
    return out


def tendex_waves_1():
    usage, rest = usage_of(tool_said("waves"))
    text, parts = cut(rest, "positional arguments", "options", "optional arguments")
    listed = re.sub(r"^ +COMMAND *\n", "", parts["positional arguments"], flags=re.M)
    names = re.findall(r"^    (\w+)(?: |$)", listed, flags=re.M)
    out = header("tendex-waves") + [".SH NAME", "tendex\\-waves \\- waveforms from runs of Tendex",
                                    ".SH SYNOPSIS"] + synopsis(usage) + [".SH DESCRIPTION"] + blocks(text)
    out += blocks(listed) + [".SH COMMANDS"]
    for name in names:
        out += waves_section(name)
    out += [".SH EXIT STATUS", ".TP", ".B 0", "Done.", ".TP", ".B 1", "Something is wrong with the data.", ".TP",
            ".B 2", "Wrong command line.", ".SH SEE ALSO", ".BR tendex (1)"]
    return "\n".join(out) + "\n"


def tendex_orbit_1():
    usage, rest = usage_of(tool_said("orbit"))
    text, parts = cut(rest, "positional arguments", "options", "optional arguments")
    out = header("tendex-orbit") + [".SH NAME", "tendex\\-orbit \\- runs whose orbits have the eccentricity that is asked for",
                                    ".SH SYNOPSIS"] + synopsis(usage) + [".SH DESCRIPTION"] + blocks(text) + [".SH OPTIONS"]
    for part in parts.values():
        out += blocks(part)
    return "\n".join([*out, ".SH SEE ALSO", ".BR tendex (1),", ".BR tendex-waves (1)"]) + "\n"


def files(program):
    """Name from docs/ and text of everything that is generated."""
    parameters, further = split(json.loads(said(program, "--help-params=json")))
    pages = {f"systems/{name}.md": members for name, members in further.items()}
    return {"parameters.md": parameters_md(parameters), "../tools/tendex/base/parameter_kinds.py": kinds_py(parameters), "tendex.1": tendex_1(program, parameters),
            "tendex-waves.1": tendex_waves_1(), "tendex-orbit.1": tendex_orbit_1(),
            **{page: system_md(DOCS / page, members) for page, members in pages.items() if members and (DOCS / page).is_file()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tendex", help="the program")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    args = parser.parse_args()
    stale = []
    for name, text in files(args.tendex).items():
        path = DOCS / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not args.check:
            path.write_text(text, encoding="utf-8")
    if stale:
        print(*stale, "out of date: run dev/generate.py" if args.check else "written")
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
