#!/usr/bin/python3
"""Make RESULTS.md, its figures, and the tables of docs/studies from runs.

    dev/results.py take [--model NAME] [NAME=]RUN ...
                                                   analyse run folders as `tendex-waves remnant' does, and keep them in docs/results, by this name or
                                                   that of the folder. With LALSimulation also beside IMRPhenomTHM or, where spins are off the
                                                   axis, IMRPhenomTPHM; --model none leaves that out
    dev/results.py keep [NAME=]RUN ...         keep what a later analysis of the waves needs in docs/results/waves/NAME.tar.xz, some 0.5 MB;
                                                   unpacked it is a run folder for `tendex-waves'
    dev/results.py write [--check]               write RESULTS.md, docs/figures and the tables of docs/studies from docs/results; or
                                                   tell what is out of date

Numbers of the tables come from the records, never from the keyboard. To add a case: take its runs, then a comment in RESULTS.md, the
places of its figure and its table, and `write':

    <!-- case q124
    name: q = 1.24, aligned spins
    anchor: q--124-aligned-spins
    runs: q124_coarse, q124_standard
    mass: .9516
    chi: .6865
    -->
    ![q = 1.24, aligned spins](docs/figures/q124.webp)

    <!-- table q124 -->
    <!-- end of table -->

name: in the summary; anchor: of the case's heading, for the summary's link. runs: the kept names, coarsest first; the summary's phase
differences and mismatch are those of the last two, computed from their waves, its other numbers those of the last.
Any key of ROWS in dev/tendex_dev/results/tables.py is a reference value: mass, chi, h, w, kick, common, adm, energy ...
rows: those of the table (default: SHORT in tables.py). figure: waves (default: (2,2), differences of neighbouring resolutions and the
model that `take' put beside the last run), spacings (scalars over spacing), beside (GPU-hours and scalars beside references; hours: NAME =
NUMBER, ... are the published ones). For runs whose waves are not kept: phase, aligned, mismatch, as `tendex-waves converge' and `compare'
gave them; for cases without kept runs also found: KEY = TEXT, ... and balance.

A table of other runs and rows, of any page of docs/studies too: <!-- table CASE: RUNS; ROWS -->. The table `summary' has all cases, `bounds' whether stated
errors hold.
"""

import argparse
import sys
from pathlib import Path

from tendex_dev import pages, pictures
from tendex_dev.results import page, take, thinned
from tendex_dev.results.kept import KeptError, Shelf
from tendex.base import files, folder
from tendex.start import printable
from tendex.waves.signal.modes import WaveError
from tendex.waves.pictures.plots import plt

ROOT = Path(__file__).resolve().parents[1]
WAVES = ROOT / "docs" / "results" / "waves"


def texts_of(root):
    """{file: text} of the pages: RESULTS.md, and the studies but that of dev/study.py."""
    studies = sorted((root / "docs" / "studies").glob("*.md"))
    return {file: file.read_text() for file in (root / "RESULTS.md", *studies) if file.name != "elliptic.md"}


def made(root):
    """(the Page, {file: text}) of all that is written as text."""
    one = page.Page(Shelf(root / "docs" / "results"), root / "RESULTS.md", root / "docs" / "figures")
    return one, {file: one.filled(text) for file, text in texts_of(root).items()}


def write(root):
    one, texts = made(root)
    for file, text in pages.changed(texts):
        files.write(file, text)
    for file, source, draw in one.drawn():
        if pictures.source(file) != source:
            figure = draw()
            pictures.save(figure, file, source)
            plt.close(figure)


def outdated(root):
    """[file] that `write' would change."""
    one, texts = made(root)
    return [file for file, _ in pages.changed(texts)] + [file for file, source, _ in one.drawn() if pictures.source(file) != source]


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    taking = commands.add_parser("take")
    taking.add_argument("runs", nargs="+", metavar="[NAME=]RUN")
    taking.add_argument("--model", metavar="NAME", help="IMRPhenomTHM, IMRPhenomTPHM, another that `tendex-waves compare' knows, or none; default: as the spins allow")
    commands.add_parser("keep").add_argument("runs", nargs="+", metavar="[NAME=]RUN")
    commands.add_parser("write").add_argument("--check", action="store_true")
    args = parser.parse_args(words)
    try:
        if args.command == "keep":
            for path in args.runs:
                name, _, path = path.rpartition("=")
                archive = thinned.pack(path, WAVES / f"{name or Path(path).resolve().name}.tar.xz")
                print(f"results: kept the waves of {path} in {archive.relative_to(ROOT)}, {archive.stat().st_size / 1e6:.2f} MB")
        elif args.command == "take":
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
