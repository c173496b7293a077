#!/usr/bin/python3
"""Test whether a run depends on the directions of its grid. Twins are rotated by 90 degrees about x, y and z; their waves,
rotated back, must agree within the error of the resolution.

    tools/rotated.py make FILE FOLDER            write FILE, and its twins NAME_x.yaml, NAME_y.yaml, NAME_z.yaml, into FOLDER
    tools/rotated.py compare RUN TWIN_X TWIN_Y TWIN_Z [--other RUN]
                                                 list the largest differences of r psi4 between run folders, relative to the
                                                 largest mode; --other: the same run with another resolution, for comparison

FILE has initial_data.type two_punctures or punctures and no grid.reflect.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.interpolate import CubicSpline

from tendex.base import files
from tendex.base.folder import FolderError
from tendex.rotated import AXES, RotatedError, distance, track_distance, turned_modes, twin
from tendex.start import printable
from tendex.waves.reading.run import Run

# Modes smaller than this part of the largest one are left out of the table.
SHOWN = 1e-3


def make(file, folder):
    file, folder = Path(file), Path(folder)
    texts = {axis: twin(file, axis) for axis in AXES}
    files.write(folder / file.name, file.read_bytes())
    for axis, text in texts.items():
        files.write(folder / f"{file.stem}_{axis}.yaml", text)


def at_times(wave, t):
    """Modes of another run at these times."""
    return {lm: CubicSpline(wave.t, values.real)(t) + 1j * CubicSpline(wave.t, values.imag)(t) for lm, values in wave.modes.items()}


def check_same(run, other, sphere, twin_sphere):
    if sphere.radius != twin_sphere.radius or sphere.modes.keys() != twin_sphere.modes.keys():
        raise RotatedError(f"{other.path}: its spheres or modes are not those of {run.path}: give twins of one file")


def show(run, twins, other):
    """A table a sphere."""
    others = other.spheres() if other else [None] * len(run.spheres())
    spheres = [t.spheres() for t in twins]
    for sphere, one, *turned in zip(run.spheres(), others, *spheres):
        t = sphere.t[sphere.t <= min(x.t[-1] for x in [*turned, *([one] if one else [])])]
        here = at_times(sphere, t)
        columns = []
        for axis, twin_run, there in zip(AXES, twins, turned):
            check_same(run, twin_run, sphere, there)
            columns.append(distance(turned_modes(here, axis), at_times(there, t)))
        if one:
            check_same(run, other, sphere, one)
            columns.append(distance(here, at_times(one, t)))
        most = max(abs(values).max() for values in here.values())
        print(f"r = {sphere.radius:g} M, to t = {t[-1]:g} M, largest |r psi4_lm| {most:.4g}")
        print("   l  m   |mode|   about x   about y   about z" + ("   other resolution" if one else ""))
        for lm in sorted(here):
            size = abs(here[lm]).max() / most
            if size > SHOWN:
                print(f"  {lm[0]:2} {lm[1]:2} {size:8.4f} " + " ".join(f"{c[lm]:9.2e}" for c in columns))
        print("        largest " + " ".join(f"{max(c.values()):9.2e}" for c in columns))


def show_tracks(run, twins):
    t, tracks = run.tracks()
    for axis, one in zip(AXES, twins):
        times, others = one.tracks()
        n = min(len(t), len(times))
        if not len(t) and not len(times):
            continue
        if not n or not np.array_equal(t[:n], times[:n]):
            raise RotatedError(f"{one.path}: its times are not those of {run.path}: give twins of one file")
        far = track_distance([x[:n] for x in tracks], [x[:n] for x in others], axis)
        print(f"punctures, turned about {axis}: within {far:.2e} M")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    parts = commands.add_parser("make", help="write the twins' parameter files")
    parts.add_argument("file")
    parts.add_argument("folder")
    parts = commands.add_parser("compare", help="compare the waves of run folders")
    parts.add_argument("run")
    parts.add_argument("twins", nargs=3, metavar="TWIN")
    parts.add_argument("--other", metavar="RUN", help="the same run with another resolution")
    args = parser.parse_args()
    try:
        if args.command == "make":
            make(args.file, args.folder)
        else:
            run, twins = Run(args.run), [Run(path) for path in args.twins]
            show(run, twins, Run(args.other) if args.other else None)
            show_tracks(run, twins)
    except (RotatedError, FolderError, OSError) as e:
        print(f"rotated.py: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    printable()
    sys.exit(main())
