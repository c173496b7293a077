#!/usr/bin/env python3
"""How long the sentences of pages are, a line a page: mean, number, share above 30 words.

    sentences.py [--bar WORDS] [--longest N] [PAGE ...]

PAGE: Markdown; by default README.md, docs/guide.md and RESULTS.md. Prose counts, points of lists too; headings, tables, pictures and
blocks of code do not. A formula or code is one word. With --bar the exit code is 1 if the mean of a page is not below it; with
--longest the longest sentences follow each line."""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / name for name in ("README.md", "docs/guide.md", "RESULTS.md")]
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bar", type=float, metavar="WORDS")
    parser.add_argument("--longest", type=int, metavar="N", default=0)
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE", default=PAGES)
    arguments = parser.parse_args()
    above = False
    for page in arguments.pages:
        found = sentences(page.read_text(encoding="utf-8"))
        if not found:
            sys.exit(f"{page}: no sentences")
        mean = sum(map(len, found)) / len(found)
        above |= arguments.bar is not None and mean >= arguments.bar
        long = 100 * sum(len(s) > 30 for s in found) / len(found)
        print(f"{page.name}: {mean:.1f} words a sentence, {len(found)} sentences, {long:.0f}% above 30 words")
        for sentence in sorted(found, key=len, reverse=True)[:arguments.longest]:
            print(f"  {len(sentence)}: {' '.join(sentence)}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
