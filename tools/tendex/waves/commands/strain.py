"""Compute the strain through the spheres of a run from psi4, by fixed-frequency integration.

psi4 is integrated twice in the frequency domain. Frequencies below a cut-off w0 are damped, so that nothing drifts
(arXiv:1006.1632): h(w) = psi4(w) / max(|w|, w0)^2, with w0 = |m| times the cut-off given here. For m = 0 it is at least
0.15/M while the orbit stays in the plane z = 0, and otherwise the cut-off. The cut-off is an orbital angular frequency
[1/M] and has to be below that of the signal. Its default is 0.4 to 0.6 of the mean frequency of the first orbit of the
punctures; without an orbit, half of the frequency at which the spectrum of the strongest mode peaks.

Before its first good time, when the junk radiation has passed, psi4 is continued backwards as the chirp that fits it, for 16
cycles that fade, so that its edge does not spoil the rest. The strain before that time is the chirp's. What no chirp fits is
tapered over 20 M. Where the data end in the middle of the wave, a mode is continued with its last frequency
and damping, so that the cut does not spoil the rest. The last period of the cut-off before such an end is not reliable.
Modes with m = 0 are tapered there too.

The output is r h through each sphere over the time of the run, and with --news also r dh/dt: HDF5, a group r<R> for each
sphere with datasets l<l>_m<m> of time, real and imaginary part, and attributes with conventions, unit and cut-off. For the
strain at infinity: `tendex-waves extrapolate'.

    tendex-waves strain out/bbh_q1 --radius 100 --json strain.json
"""

import argparse
from pathlib import Path

import numpy as np

from tendex.base.files import write_json
from tendex.waves.commands import arguments as words
from tendex.waves.extraction.spheres import by_radius, frequency
from tendex.waves.extraction.standard import default_cutoff, peak_time
from tendex.waves.holes import christodoulou
from tendex.waves.reading import wavefile
from tendex.waves.reading.run import Run
from tendex.waves.signal.ffi import begins, level, mode_cutoff, news, strain

SUMMARY = "compute strain and news through each sphere"


def radius(text):
    """A coordinate radius, or None for all."""
    if text == "all":
        return None
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a radius nor `all'") from None


def arguments(parser):
    parser.add_argument("run_folder", metavar="RUN", help="run folder, e.g. out/bbh_q1")
    parser.add_argument("-o", "--output", metavar="FILE", help="HDF5 file (default: RUN/analysis/strain.h5)")
    parser.add_argument("--radius", metavar="R", type=radius, action="append",
                        help="coordinate radius of a sphere, or `all' (the default); may be given several times")
    parser.add_argument("--cutoff", metavar="W0", type=words.frequency,
                        help="cut-off of modes with m = 1 [1/M], an angular frequency")
    words.add_start(parser)
    parser.add_argument("--news", action="store_true", help="also write the news")
    parser.add_argument("--text", metavar="FOLDER", help="write <FOLDER>/<sphere>/l<l>_m<m>.asc too")
    parser.add_argument("--json", metavar="FILE", help="write the numbers of the table in full precision")


def made(run, radii, cutoff, with_news):
    """({group name: Waves}, cutoff, {group name: the Beginning of its psi4})."""
    spheres = run.spheres()
    cutoff = cutoff or default_cutoff(run, spheres)
    chosen = by_radius(spheres, radii, run) if radii else spheres
    waves = [kind(s, cutoff) for kind in ((strain, news) if with_news else (strain,)) for s in chosen]
    groups = {wavefile.name_of(w): w for w in waves}
    return groups, cutoff, {name: begins(s) for name, s in zip(groups, chosen)}


def peaks(run, groups):
    """[{sphere, mode, peak, time, frequency}] of the strongest mode of each strain."""
    rows = []
    for name, wave in groups.items():
        if wave.kind != "strain":
            continue
        at = np.abs(wave.t - peak_time(wave, run.reference_time() + wave.radius)).argmin()
        l, m = max((lm for lm in wave.modes if lm[1] >= 0), key=lambda lm: np.abs(wave.modes[lm][at]))
        rows.append({"sphere": name, "l": l, "m": m, "peak": float(np.abs(wave.mode(l, m)[at]) / run.mass),
                     "time": float(wave.t[at] / run.mass),
                     "frequency": float(frequency(wave.t, wave.mode(l, m))[at] * run.mass)})
    return rows


def run(args):
    folder = Run(args.run_folder)
    folder.start = args.start
    radii = args.radius or [None]
    groups, cutoff, beginnings = made(folder, None if None in radii else radii, args.cutoff, args.news)
    output = Path(args.output or folder.path / "analysis" / "strain.h5")
    wavefile.write(output, groups, next(reversed([n for n, w in groups.items() if w.kind == "strain"])), cutoff=cutoff,
                   code_version=folder.version, run=folder.name, **{wavefile.UNIT: christodoulou.together(folder)})
    if args.text:
        wavefile.write_text(args.text, groups)
    table = peaks(folder, groups)
    orbital = folder.initial_orbital_frequency()
    axial = mode_cutoff(cutoff, 0, folder.mass, all(level(w) for w in groups.values())) * folder.mass
    print(f"{folder.name}: M = {folder.mass:.6g}; cut-off {cutoff * folder.mass:.4g}/M for m = 1"
          + (f", {cutoff / orbital:.2f} of the orbital frequency {orbital * folder.mass:.4g}/M" if orbital else "")
          + f"; {axial:.4g}/M for m = 0")
    for name, begin in beginnings.items():
        if not begin.chirp and not begin.why:
            continue
        print(f"  {name}: " + (f"psi4 is good from t = {begin.chirp.t0:.1f} M; before, the inspiral is continued backwards" if begin.chirp else
                               f"tapered at its start, its first cycles are of little worth: {begin.why}"))
    print("  sphere      mode  peak |r h|/M   at t/M     M w")
    for row in table:
        print(f"  {row['sphere']:<10}  ({row['l']},{row['m']})  {row['peak']:12.5f}  {row['time']:8.2f}  "
              f"{row['frequency']:6.4f}")
    print(f"written: {output}" + (f", {args.text}/" if args.text else ""))
    if args.json:
        write_json(args.json, {"run": folder.name, "mass": folder.mass, "cutoff": cutoff, "orbital_frequency": orbital,
                               "start": {name: begin.chirp.t0 if begin.chirp else None for name, begin in beginnings.items()},
                               "spheres": table})
