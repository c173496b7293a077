"""Follow a run while it goes: progress, speed and time left, separation of the holes, constraints, and the horizons found. On a
terminal one screen is redrawn; elsewhere a line is printed when there is something new.

It ends when the run ends: with exit code 0 if the run is complete, 1 if it stopped earlier. It only reads: Ctrl-C ends the
watching, not the run.

    tendex-waves watch out/bbh_qc0 --once
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

import numpy as np

from tendex.base.folder import holes_of
from tendex.waves.holes import hole
from tendex.waves.pictures.plots_cost import duration, number
from tendex.waves.pictures.plots_holes import HoleData
from tendex.waves.reading import live
from tendex.waves.signal import series

SUMMARY = "follow a run in the terminal until it ends"
AT_ONCE = True
BOLD, GREEN, BLUE, RED, GREY, PLAIN = "\033[1m", "\033[32m", "\033[34m", "\033[31m", "\033[90m", "\033[0m"
TINTS = {"running": BLUE, "complete": GREEN, "stopped": RED}
AGAIN = "\033[H\033[J"  # to the corner, and all below is gone


def arguments(parser):
    parser.add_argument("folder", metavar="RUN", help="run folder, e.g. out/bbh_qc0")
    parser.add_argument("--once", action="store_true", help="print the state of the run, and end")
    parser.add_argument("--every", metavar="SECONDS", type=seconds, default=5.0, help="interval between updates [s]; default: 5")


def seconds(text):
    value = float(text)
    if not 0.1 <= value <= 86400:
        raise argparse.ArgumentTypeError(f"{text}: from 0.1 to 86400")
    return value


def run(args):
    screen, last = sys.stdout.isatty(), None
    try:
        while True:
            folder = live.Live(args.folder)
            if screen or args.once:
                text = "\n".join(page(folder, shutil.get_terminal_size().columns, screen))
                print(f"{AGAIN if screen and not args.once else ''}{text}", flush=True)
            elif (news := news_of(folder)) != last:
                print(line(folder), flush=True)
                last = news
            if folder.state != "running":
                if not args.once and not screen:
                    print(end(folder), flush=True)
                return 0 if args.once or folder.state == "complete" else 1
            if args.once:
                return 0
            time.sleep(args.every)
    except KeyboardInterrupt:
        print(f"\n{args.folder}: the run continues", flush=True)
        return 0


def news_of(f):
    """What a line is printed for when it changes: lines of progress, starts, state and horizons."""
    return (len(f.log.starts), len(f.log.last.rows)) if f.log else None, f.state, tuple(name for name, _ in horizons(f))


def progress(f):
    """(time reached, at which it ends or None, part done)."""
    end = f.t_end
    return f.reached, end, min(f.reached / end, 1.0) if end else 0.0


def speed(f):
    """(M/hour of the last interval, of all; nan where not known yet)."""
    t, values = f.log.speed() if f.log else ([], [])
    wall = f.log.wall() if f.log else 0.0
    return (float(values[-1]) if len(values) else np.nan), (3600 * t[-1] / wall if wall > 0 and len(t) else np.nan)


def left(f):
    """Seconds to the end at the mean speed of the last intervals; None where that is not known."""
    reached, end, _ = progress(f)
    if not end or not f.log or f.state != "running":
        return None
    _, values, walls = f.log.last.intervals()
    if not len(values):
        return None
    recent = slice(-5, None)
    rate = float((values[recent] * walls[recent]).sum() / walls[recent].sum())
    return max(0.0, 3600 * (end - reached) / rate)


def distances(f):
    """Text of how far the punctures are from each other; "" where there are fewer than two."""
    t, tracks = f.tracks()
    if len(tracks) < 2 or not len(t):
        return ""
    if len(tracks) == 2:
        apart = series.separation(t, tracks)[1]
        return f"{apart[-1]:.3f} M of {apart[0]:.3f} M"
    return "nearest " + ", ".join(f"{d[-1]:.3f}" for d in series.nearest(tracks)) + " M"


def constraints(f):
    """{name: (last, first norm)}, and the time of the last."""
    if not (f.path / "constraints.asc").exists():
        return {}, None
    table = f.table("constraints.asc")
    if not len(table["time"]):
        return {}, None
    return {name: (float(l2[-1]), float(l2[0])) for name, l2 in series.norms(table).items()}, float(table["time"][-1])


def horizons(f):
    """[(name, text)] of every horizon, as it was found last, or lost."""
    found = f.horizons()
    if not found:
        return []
    t, tracks = f.tracks()
    table = f.searches()
    names, rows = HoleData(t, tracks, found, holes=holes_of(table)), []
    for k, h in sorted(found.items()):
        searched = table["time"][table["horizon"] == k]
        lost = f", not found since t = {searched[searched > h.time[-1]][0]:.5g} M" if (searched > h.time[-1]).any() else ""
        since = f", since t = {h.time[0]:.5g} M" if len(names.holes[k]) > 1 else ""
        spin = hole.sign(h.chi[-1], h.spin[-1], f.orbit_axis) * h.chi[-1]
        rows.append((names.name(k), f"{h.mass[-1]:.5f} M, spin {spin:.4f}{since}{lost}"))
    return rows


def line(f):
    """All in one line, for logs."""
    reached, end, part = progress(f)
    now, _ = speed(f)
    time_left, (norms, _) = left(f), constraints(f)
    parts = [f"t = {reached:.5g}" + (f" of {end:g} M ({100 * part:.1f}%)" if end else " M")]
    parts += [f"{number(now)} M/hour"] if np.isfinite(now) else []
    parts += [f"{duration(time_left)} left"] if time_left is not None else []
    parts += [f"distance {text}"] if (text := distances(f)) else []
    parts += [f"Hamiltonian {norms['Hamiltonian'][0]:.2e}"] if "Hamiltonian" in norms else []
    names = [name for name, text in horizons(f) if "not found" not in text]
    parts += [f"horizons: {', '.join(names)}"] if names else []
    return f"{f.name}: " + "; ".join(parts)


def end(f):
    """How it ended."""
    wall = f" after {duration(f.log.wall())} of evolution" if f.log and f.log.wall() > 0 else ""
    why = f": {f.why}" if f.why else ""
    error = f" ({f.log.last.error})" if f.state == "stopped" and f.log and f.log.last.error else ""
    return f"{f.name}: {f.state} at t = {f.reached:.5g} M{wall}{why}{error}"


def page(f, columns, tinted):
    """Lines of the screen."""
    def tint(code, text):
        return f"{code}{text}{PLAIN}" if tinted else text
    reached, goal, part = progress(f)
    now, mean = speed(f)
    rows = [("time", f"{reached:.6g}" + (f" of {goal:g} M" if goal else " M"))]
    if goal:
        width = max(10, min(60, columns - 26))
        full = int(part * width)
        done, to_do = "█░" if "utf" in (getattr(sys.stdout, "encoding", None) or "utf").lower() else "#."
        rows.append(("", f"{tint(TINTS[f.state], full * done)}{tint(GREY, (width - full) * to_do)} {100 * part:.1f}%"))
    if (remaining := left(f)) is not None:
        rows.append(("left", f"{duration(remaining)}, ends {time.strftime('%a %H:%M', time.localtime(time.time() + remaining))}"))
    if np.isfinite(now):
        rows.append(("speed", f"{number(now)} M/hour, mean {number(mean)}"))
    if text := distances(f):
        rows.append(("distance", text))
    rows += [("horizon" if i == 0 else "", f"{name}: {text}") for i, (name, text) in enumerate(horizons(f))]
    norms, at = constraints(f)
    rows += [("constraints" if i == 0 else "", f"{name} {last:.2e} (at first {first:.1e})")
             for i, (name, (last, first)) in enumerate(norms.items())]
    if norms:
        rows[-1] = (rows[-1][0], f"{rows[-1][1]}, t = {at:.5g} M")
    if f.log and len(f.log.points()[0]):
        levels = f.log.octants()[1]
        rows.append(("grid", f"{f.log.points()[1][-1] / 1e6:.3f} million points, levels {levels[0]} to {levels[-1]}"))
    lines = [f"{tint(BOLD, f.name)}   {tint(TINTS[f.state], f.state)}", ""]
    lines += [f"  {tint(GREY, f'{name:<12}')}{text}" for name, text in rows]
    lines += ["", "  " + tint(GREY, foot(f)) if f.state == "running" else f"  {end(f)}"]
    return [*lines, *(f"  {tint(RED, 'not shown: ' + text)}" for text in f.missing)]


def foot(f):
    file = Path(f.path) / "log.txt"
    age = max(0.0, time.time() - file.stat().st_mtime) if file.exists() else 0.0
    return f"last line of the log {duration(round(age))} ago; Ctrl-C ends the watching, not the run"
