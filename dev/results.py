#!/usr/bin/python3
"""Make RESULTS.md, its figures, and the tables of docs/studies from runs.

    dev/results.py take [--model NAME] [NAME=]RUN ...
                                                   analyse run folders as `tendex-waves remnant' does; keep whole records in docs/results/records.tar.xz
                                                   and what is shown in docs/results, by this name or that of the folder. With LALSimulation also beside IMRPhenomTHM or, where spins are
                                                   off the axis, IMRPhenomTPHM; --model none leaves that out
    dev/results.py write [--check]               write docs/results from the whole records, and from it RESULTS.md, docs/figures and the
                                                   tables of docs/studies; or tell what is out of date

Numbers of the tables come from the JSON, never from the keyboard. How to add a case: see the head of docs/results/text.md.
"""

import argparse
import sys
from pathlib import Path

from tendex_dev import pictures
from tendex_dev.results import kept, page, take
from tendex_dev.results.kept import KeptError, Shelf
from tendex.base import folder
from tendex.start import printable
from tendex.waves.signal.modes import WaveError
from tendex.waves.pictures.plots import plt

ROOT = Path(__file__).resolve().parents[1]


def made(root):
    """(the Page, {file: text}) of all that is written as text."""
    one = page.Page(Shelf(root / "docs" / "results"), root / "docs" / "figures", "docs/figures")
    texts = {file: one.studied(file.read_text()) for file in sorted((root / "docs" / "studies").glob("*.md"))}
    return one, {root / "RESULTS.md": one.results(), **texts}


def write(root):
    kept.write(Shelf(root / "docs" / "results").parts())
    one, texts = made(root)
    kept.write(texts)
    for file, source, draw in one.drawn():
        if pictures.source(file) != source:
            figure = draw()
            pictures.save(figure, file, source)
            plt.close(figure)


def outdated(root):
    """[file] that `write' would change: of docs/results or, if these are up to date, of what is made from them."""
    found = kept.changed(Shelf(root / "docs" / "results").parts())
    if not found:
        one, texts = made(root)
        found = kept.changed(texts) + [(file, source) for file, source, _ in one.drawn() if pictures.source(file) != source]
    return [file for file, _ in found]


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    taking = commands.add_parser("take")
    taking.add_argument("runs", nargs="+", metavar="[NAME=]RUN")
    taking.add_argument("--model", metavar="NAME", help="IMRPhenomTHM, IMRPhenomTPHM, another that `tendex-waves compare' knows, or none; default: as the spins allow")
    commands.add_parser("write").add_argument("--check", action="store_true")
    args = parser.parse_args(words)
    try:
        if args.command == "take":
            for path in args.runs:
                name, _, path = path.rpartition("=")
                numbers, series, notes = take.run(path, args.model)
                name = name or Path(path).resolve().name
                Shelf(ROOT / "docs" / "results").write(name, numbers, series)
                print("\n".join([f"results: {note}" for note in notes] + [f"results: kept {path} as {name}"]))
        elif not args.check:
            write(ROOT)
        elif found := outdated(ROOT):
            print(f"results: out of date: {', '.join(str(file.relative_to(ROOT)) for file in found)}: run dev/results.py write",
                  file=sys.stderr)
            return 1
    except (KeptError, WaveError, folder.FolderError, OSError, KeyError) as e:
        print(f"results: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    printable()
    sys.exit(main())
