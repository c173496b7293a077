"""Make a movie of a run from its slices: one or two fields in the orbital plane, with the horizons as outlines, and below them
the strain up to the retarded time of the frame.

Slices need output.slices_every; Psi4 in them needs output.slices_psi4. Horizons have the shapes that the run found, else they
are circles of the measured radius. A run without waves has no panel of strain. The run may still be going. MP4 needs the
program ffmpeg; GIF needs nothing.

    tendex-waves movie out/bbh_qc0 -o merger.mp4 --field alpha psi4_re --extent 3 40
"""

import argparse
import contextlib
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from tendex.base import files
from tendex.waves.commands import show
from tendex.waves.commands.arguments import add_start, mode
from tendex.waves.pictures import movie_plot, plots, plots_holes
from tendex.waves.reading import live, slices
from tendex.waves.signal import series
from tendex.waves.signal.modes import WaveError

SUMMARY = "make a movie of a run from its slices"
# Frames that make a movie.
FEWEST = 3
# A field nearer to the holes than this, in first distances from the origin, is not asked how large its waves are.
NEAR = 3.0
# Of the times of all frames: the panel of the waves ends where these do if it shows at least so much.
SHOWN = 0.2
# GIF: dots an inch, as its colours are few and it is not compressed well.
GIF_DPI = 75


def arguments(parser):
    parser.add_argument("folder", metavar="RUN", help="run folder, e.g. out/bbh_qc0")
    parser.add_argument("-o", "--output", metavar="FILE", help="movie to write, .mp4 or .gif; default: RUN/analysis/movie.mp4")
    parser.add_argument("--field", nargs="+", metavar="NAME", help="one or two fields of the slices, e.g. alpha psi4_re; "
                        "default: both of these, as far as the slices hold them")
    parser.add_argument("--extent", nargs="+", type=positive, metavar="M", help="each field is shown up to this coordinate "
                        "above and below the origin; default: the orbit, and for Psi4 the spheres of the waves")
    parser.add_argument("--range", nargs=2, type=float, action="append", metavar=("LOW", "HIGH"), help="ends of the colours; "
                        "once for each field, in their order; default: from the data")
    parser.add_argument("--fps", type=positive, default=24.0, help="frames a second; default: 24")
    parser.add_argument("--from", type=float, dest="first", metavar="T", help="first time, M")
    parser.add_argument("--to", type=float, dest="last", metavar="T", help="last time, M")
    parser.add_argument("--mode", metavar="L,M", type=mode, help="mode of the waves; default: the strongest with l = 2")
    add_start(parser)
    parser.add_argument("--frame", metavar="T", type=float, help="write the one frame nearest to this time instead, as a "
                        "picture (-o FILE.png)")


def positive(text):
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text}: must be above 0")
    return value


def run(args):
    output = Path(args.output or Path(args.folder) / "analysis" / ("movie.mp4" if args.frame is None else "frame.png"))
    if args.frame is None:
        check_encoder(output)
    folder = live.Live(args.folder)
    folder.start = args.start
    chosen = frames_of(folder, args.first, args.last, 1 if args.frame is not None else FEWEST)
    with plots.style(plots.STYLE | movie_plot.STYLE):
        drawn = make(folder, chosen, args)
        if args.frame is not None:
            drawn.draw(min(chosen, key=lambda s: abs(s.time - args.frame)))
            plots.save(drawn.fig, [output], dpi=movie_plot.DPI)
        else:
            if output.suffix == ".gif":
                drawn.fig.set_dpi(GIF_DPI)
            encode(output, args.fps, chosen, drawn)
    for line in folder.missing:
        print(f"  not shown: {line}")
    if args.frame is None:
        print(f"  {len(chosen)} frames, t = {chosen[0].time:g} to {chosen[-1].time:g} M, {len(chosen) / args.fps:.3g} s")
    print(f"  {output}")


def check_encoder(output):
    if output.suffix not in (".mp4", ".gif"):
        raise WaveError(f"{output}: movies are .mp4 or .gif")
    if output.suffix == ".mp4" and not shutil.which("ffmpeg"):
        raise WaveError(f"{output}: MP4 needs the program ffmpeg, which is not there: install it (Debian, Ubuntu: apt install "
                        f"ffmpeg), or take -o {output.with_suffix('.gif').name}")


def frames_of(folder, first=None, last=None, fewest=FEWEST):
    """[Slice] between these times. Raises WaveError where they are too few."""
    every, bad = slices.found(folder.path)
    for file, why in bad:
        folder.missing.append(f"{file.name}: cannot be read ({why})")
    how = "set output.slices_every and, for the waves in the plane, output.slices_psi4"
    if not every:
        goes_on = f"tendex run --restart {folder.path}" if not folder.finished else "tendex run FILE.yaml"
        if bad:
            raise WaveError(f"{bad[0][0]}: cannot be read ({bad[0][1]}), nor any other slice of the run")
        raise WaveError(f"{folder.path}: no slices in it: {how}, e.g. {goes_on} --set output.slices_every=64 "
                        "--set output.slices_psi4=true")
    low, high = -np.inf if first is None else first, np.inf if last is None else last
    chosen = [s for s in every if low <= s.time <= high]
    if len(chosen) < fewest:
        span = f"the run has {len(every)}, from t = {every[0].time:g} to {every[-1].time:g} M" + "".join(
            f"; {file.name} cannot be read ({why})" for file, why in bad[:1])
        where = "" if first is None and last is None else f" from t = {low:g} to {high:g} M"
        raise WaveError(f"{folder.path}: {len(chosen)} slices{where} are too few for a movie, which takes {fewest} or more; "
                        f"{span}; {how} smaller than {folder.parameters.get('output.slices_every')}"
                        if where == "" else f"{folder.path}: {len(chosen)} slices{where}, but a movie takes {fewest} or more; "
                        f"{span}")
    return chosen


def fields_of(chosen, asked, path):
    """Names of the fields to draw. Raises WaveError for others."""
    there = set(chosen[0].fields).intersection(*(s.fields for s in chosen))
    if not asked:
        return [f for f in ("alpha", "psi4_re") if f in there] or sorted(there)[:1]
    if len(asked) > 2:
        raise WaveError(f"--field: {len(asked)} fields, but a movie shows one or two")
    for field in asked:
        if field in there:
            continue
        without = [s.time for s in chosen if field not in s.fields]
        later = [s.time for s in chosen if s.time > without[-1]]
        how = "output.slices_psi4=true" if field.startswith("psi4") else f'output.variables="{" ".join(sorted(there))} {field}"'
        remedy = f"those from t = {later[0]:g} M on have it: --from {later[0]:g}" if later else f"run with --set {how}"
        raise WaveError(f"{path}: {field} is not in all of the slices, which hold {', '.join(sorted(there))}; {remedy}")
    return list(asked)


def make(folder, chosen, args):
    """movie_plot.Frames of a live.Live."""
    fields = fields_of(chosen, args.field, folder.path)
    extents, ranges = args.extent or [], args.range or []
    if len(extents) > len(fields) or len(ranges) > len(fields):
        raise WaveError(f"--extent and --range are given at most once for each of {len(fields)} fields: {', '.join(fields)}")
    plane = series.plane_of(folder.tracks()[1])
    views = []
    for i, field in enumerate(fields):
        half = extents[i] if i < len(extents) else reach(folder, chosen, field, plane)
        low, high = ranges[i] if i < len(ranges) else colours(folder, chosen, field, plane, half)
        if not low < high:
            raise WaveError(f"--range {low:g} {high:g}: LOW must be below HIGH")
        views.append(movie_plot.View(field, half, low, high))
    waves = show.tried(folder.missing, show.wave_data, folder, args.mode)
    if waves is None and not folder.parameters.get("waves.radii"):
        folder.missing.append("waves: the run has none (waves.radii)")
    holes = show.tried(folder.missing, show.hole_data, folder) or plots_holes.HoleData(np.empty(0), [], {})
    return movie_plot.Frames(folder, views, plane, holes, waves, span_of(chosen, waves))


def span_of(chosen, waves):
    """(first, last) retarded time of the panel of the waves: those of the frames, less what is not known at the end."""
    first, last = chosen[0].time, max(chosen[-1].time, chosen[0].time + 1e-9)
    known = waves.drawn.t[-1] if waves else last
    return first, known if first + SHOWN * (last - first) < known < last else last


def reach(folder, chosen, field, plane):
    """Half the height of a panel, M: Psi4 as far as the spheres, all else the orbit with some room."""
    end = slices.read(chosen[0], field, plane).end()
    radii, tracks = folder.parameters.get("waves.radii") or [], folder.tracks()[1]
    if movie_plot.View(field, 1, 0, 1).times_r and radii:
        return min(1.1 * max(radii), end)
    orbit = max((np.abs(x[0]).max() for x in tracks), default=0.25 * end)
    return float(min(2.0 * orbit + folder.mass, end))


def colours(folder, chosen, field, plane, half):
    """(low, high) of the colours: of the lapse 0 to 1; of Psi4 the waves far from the holes, of all frames; else all but the
    extremes."""
    if field == "alpha":
        return 0.0, 1.0
    view = movie_plot.View(field, half, 0, 1)
    some = chosen[:: max(1, len(chosen) // 12)] + chosen[-1:]
    pictures = [movie_plot.scaled(slices.read(s, field, plane), view, (half, half, 128, 128)) for s in some]
    if view.times_r:
        x = (np.arange(128) + 0.5) / 64 * half - half
        tracks = folder.tracks()[1]
        near = NEAR * max((np.linalg.norm(x[0]) for x in tracks), default=0.0)
        far = np.hypot(x, x[:, None]) > min(near + 0.2 * half, 0.7 * half)
        top = max(float(np.nanpercentile(np.abs(p[far]), 99)) for p in pictures)
        top = top if np.isfinite(top) and top > 0 else 1.0
        return -top, top
    values = np.concatenate([p[np.isfinite(p)] for p in pictures])
    low, high = np.percentile(values, [0.5, 99.5]) if len(values) else (0.0, 1.0)
    if low < 0 < high:
        low, high = -max(-low, high), max(-low, high)
    return (float(low), float(high)) if low < high else (float(low) - 0.5, float(low) + 0.5)


def encode(output, fps, chosen, drawn):
    """Frames into a movie that is whole or not there."""
    try:
        with files.beside(output) as part:
            if output.suffix == ".gif":
                write_gif(part, fps, pictures(chosen, drawn), movie_plot.palette(drawn.views))
            else:
                write_mp4(part, fps, pictures(chosen, drawn))
    finally:
        plots.plt.close(drawn.fig)


def pictures(chosen, drawn):
    """RGBA arrays; how far it is stands on a terminal."""
    shown = sys.stderr.isatty()
    for n, one in enumerate(chosen, 1):
        if shown:
            print(f"\r  frame {n} of {len(chosen)}", end="", file=sys.stderr, flush=True)
        yield drawn.draw(one)
    if shown:
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def write_mp4(part, fps, frames):
    """H.264 that browsers and slides play."""
    first = next(frames)
    height, width = first.shape[:2]
    command = ["ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", f"{width}x{height}", "-r",
               f"{fps:g}", "-i", "-", "-c:v", "libx264", "-preset", "medium", "-crf", "18", "-pix_fmt", "yuv420p",
               "-movflags", "+faststart", str(part)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(first.tobytes())
            for frame in frames:
                process.stdin.write(frame.tobytes())
        said = process.communicate()[1].decode(errors="replace").strip()
    if process.returncode:
        raise files.WriteError(f"cannot write {part}: ffmpeg: {said.splitlines()[-1] if said else process.returncode}")


def write_gif(part, fps, frames, palette):
    """By Pillow, which matplotlib brings; a frame of GIF lasts whole hundredths of a second."""
    from PIL import Image
    colours = Image.new("P", (1, 1))
    colours.putpalette(palette.tobytes())
    few = (Image.fromarray(frame).convert("RGB").quantize(palette=colours, dither=Image.Dither.NONE) for frame in frames)
    next(few).save(part, save_all=True, append_images=few, duration=max(20, round(100 / fps) * 10), loop=0)
