#!/usr/bin/env python3
"""How long the sentences of pages are, a line a page: mean, number, share above 30 words.

    sentences.py [--check] [--longest N] [PAGE ...]

PAGE: Markdown, or with --check a C header or a parameter file; by default all pages of prose, headers and parameter files. Prose counts, points of lists too; headings, tables, pictures and blocks of code do
not. A formula or code is one word. With --longest the longest sentences follow each line.

With --check, each of the pages must be plain, by default all: less than 20 words a sentence on the mean, none of the
PHRASES, headings and tables included, and no sentence that begins with a relative clause, "What is left, ...". Of headers and
parameter files the comments count: none may have one of the PHRASES, or begin with one of the OPENINGS. Each fault is a line, and
the exit code is 1."""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "RESULTS.md", "BENCHMARKS.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/*.md", "docs/guide/*.md",
         "docs/studies/*.md", "docs/systems/*.md")
COMMENTED = ("src/**/*.h", "physics/**/*.h", "octree/*.h", "elliptic/*.h", "horizons/*.h", "gw_extraction/*.h", "par/*.yaml")
BAR = 20  # words a sentence
# A comment of a function begins with a verb, of a struct with a noun.
OPENINGS = ("What", "Of", "Those", "The same")
# What is not the field's term: what to say for it. Spaces stand for any space, so that lines may end there.
PHRASES = {
    "edge of a level": "refinement boundary",
    "edges of levels": "refinement boundaries",
    "step of levels": "refinement boundary",
    "where levels meet": "at refinement boundaries",
    "what finer takes from coarser": "prolongation",
    "pass down": "restriction, or injection",
    "levels that fall": "refinement levels",
    "throw back": "spurious reflections from refinement boundaries",
    "throws back": "spurious reflections from refinement boundaries",
    "waves back": "spurious reflections from refinement boundaries",
    "left of the radius": "finite-radius error",
    "radius that the sphere has": "areal radius",
    "hole lacks": "energy and angular-momentum balance",
    "what was radiated": "radiated energy and angular momentum",
    "hole that is left": "remnant",
    "peaks laid on": "aligned at the peak",
    "lay their peaks": "align them at the peak",
    "like a power of h": "converges at order ...",
    "no power of h": "shows no clean convergence order",
    "without grid": "Richardson extrapolation gives",
    "pulse of lapse": "gauge pulse",
    "junk's end": "junk radiation",
    "slabs travel": "halo exchange",
    "parcels": "send buffer",
    "ferry": "pack, unpack",
    "what travels": "send buffer",
    "slowest rank over mean": "load imbalance",
    "what it will cost": "time to solution, throughput",
    "run that goes on": "restart",
    "cannot carry": "under-resolved",
    "messages fly": "overlap of communication and computation",
    "whoever": "name who it is",
    "from when on": "the start of the window",
    "do as well": "has the same effect",
    "to be read so": "this explains",
    "with 5.4 and": "at order 5.4",
}
# The point after these ends no sentence.
SHORT = r"\b(e\.g|i\.e|cf|eqs?|secs?|fig|ch|vs|Phys|Rev|Math|Comp)\."


def paragraphs(markdown):
    """The prose, a string a paragraph or point of a list; code and formulae are the word `code'."""
    text = re.sub(r"<!--.*?-->|^(```+).*?^\1$|^\$\$.*?\$\$", "\n", markdown, flags=re.S | re.M)
    text = re.sub(r"(`+).+?\1|\$[^$\n]+\$", "code", text, flags=re.S)
    text = re.sub(r"!\[[^]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("*", "")
    text = re.sub(r"^(?:#.*| *\|.*| {4}.*|\t.*)$", "", text, flags=re.M)
    text = re.sub(r"^ *(?:-|\d+\.) ", "\n\n", text, flags=re.M)
    return [" ".join(p.split()) for p in re.split(r"\n\s*\n", text) if p.strip()]


def sentences(markdown):
    r"""The sentences, each a list of words.

    >>> text = "# Head\n\nIt runs, e.g. on a GPU. `a b.c` takes 3.5 s. [Why](a.md)?\n\n    code. Code.\n\n- One $x = 1$.\n- Two:\n\n| a. B | c |"
    >>> [len(s) for s in sentences(text)]
    [6, 4, 1, 2, 1]
    """
    found = []
    for paragraph in paragraphs(markdown):
        for sentence in re.split(r"(?<=[.!?])[)\"']*\s+(?=[\"'(]*[A-Z0-9]|[a-z]+\d|code\b)", re.sub(SHORT, r"\1", paragraph)):
            words = [w for w in sentence.split() if re.search(r"\w", w)]
            if words:
                found.append(words)
    return found


def mean_of(found):
    return sum(map(len, found)) / len(found)


def phrases(markdown):
    r"""(line, phrase) of all PHRASES outside of code.

    >>> phrases("# Parcels\n\nThe hole that\nis left. `parcels`\n\n    ferry\n\n| a hole that is left |")
    [(1, 'parcels'), (3, 'hole that is left'), (8, 'hole that is left')]
    """
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])

    text = re.sub(r"^(```+).*?^\1$|^ {4}.*?$|(`+).+?\2|\]\([^)]*\)", blank, markdown, flags=re.S | re.M)
    found = []
    for phrase in PHRASES:
        one = r"(?<!\w)" + r"\s+".join(map(re.escape, phrase.split())) + r"(?!\w)"
        found += [(text.count("\n", 0, m.start()) + 1, phrase) for m in re.finditer(one, text, flags=re.I)]
    return sorted(found)


def faults(markdown):
    r"""What is not plain in a page, a string each.

    >>> faults("What is left falls. W" + "ord w" * 40 + "ill\nferry.")
    ['23.0 words a sentence', 'a relative clause first: What is left falls.', "line 2: `ferry': say pack, unpack"]
    """
    found = sentences(markdown)
    said = []
    if found and mean_of(found) >= BAR:
        said.append(f"{mean_of(found):.1f} words a sentence")
    said += [f"a relative clause first: {' '.join(s)}" for s in found if s[0] == "What" and s[-1].endswith(".")]
    return said + [f"line {line}: `{phrase}': say {PHRASES[phrase]}" for line, phrase in phrases(markdown)]


def comments(text, suffix):
    r"""(line, text) of each comment of C, or of YAML, where lines that follow each other are one.

    >>> comments("/* One\n * two. */\nint a; /**< Three. */\n", ".h")
    [(1, 'One two.'), (3, 'Three.')]
    >>> comments("# One\n# two.\n\na: 1 # three\n", ".yaml")
    [(1, 'One two.'), (4, 'three')]
    """
    pattern = r"/\*+<?(.*?)\*/" if suffix == ".h" else r"((?:^[ \t]*#.*\n)+|#.*$)"
    mark = r"^\s*\*" if suffix == ".h" else r"^\s*#"
    found = re.finditer(pattern, text, flags=re.S if suffix == ".h" else re.M)
    return [(text.count("\n", 0, m.start()) + 1, " ".join(re.sub(mark, "", m[1], flags=re.M).split())) for m in found]


def comment_faults(text, suffix):
    r"""What is not plain in the comments of a header or a parameter file, a string each.

    >>> comment_faults("/** The same of\n * parcels. */\n/* Offsets. */ // What\n/** What is left. */", ".h")
    ["line 1: a comment begins with `The same'", "line 1: `parcels': say send buffer", "line 4: a comment begins with `What'"]
    >>> comment_faults("# Of one hole.\na: 1 # Those\nb: 2\n", ".yaml")
    ["line 1: a comment begins with `Of'", "line 2: a comment begins with `Those'"]
    """
    said = []
    for line, comment in comments(text, suffix):
        said += [f"line {line}: a comment begins with `{o}'" for o in OPENINGS if re.match(o + r"\b", comment)]
        said += [f"line {line}: `{phrase}': say {PHRASES[phrase]}" for _, phrase in phrases(comment)]
    return said


def check_comments(paths):
    """Print the faults of the comments of files; return how many."""
    wrong = 0
    for path in paths:
        name = str(path.resolve().relative_to(ROOT)) if path.resolve().is_relative_to(ROOT) else str(path)
        found = comment_faults(path.read_text(encoding="utf-8"), path.suffix)
        for fault in found:
            print(f"  {name}: {fault}")
        wrong += len(found)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--longest", type=int, metavar="N", default=0)
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE")
    arguments = parser.parse_args()
    pages = arguments.pages
    pages_given = bool(pages)
    for pattern in () if pages else PAGES:
        found = sorted(ROOT.glob(pattern))
        if not found and "*" not in pattern:
            sys.exit(f"{pattern}: no such page")
        pages = [*pages, *found]
    commented = [page for page in pages if page.suffix in (".h", ".yaml")]
    if not pages_given:
        commented = sorted(path for pattern in COMMENTED for path in ROOT.glob(pattern))
    wrong = check_comments(commented) if arguments.check else 0
    for page in (page for page in pages if page not in commented):
        name = page.resolve().relative_to(ROOT) if page.resolve().is_relative_to(ROOT) else page
        markdown = page.read_text(encoding="utf-8")
        found = sentences(markdown)
        if not found:
            sys.exit(f"{name}: no sentences")
        long = 100 * sum(len(s) > 30 for s in found) / len(found)
        print(f"{name}: {mean_of(found):.1f} words a sentence, {len(found)} sentences, {long:.0f}% above 30 words")
        for sentence in sorted(found, key=len, reverse=True)[:arguments.longest]:
            print(f"  {len(sentence)}: {' '.join(sentence)}")
        for fault in faults(markdown) if arguments.check else ():
            print(f"  {name}: {fault}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
