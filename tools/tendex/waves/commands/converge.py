"""Determine order of convergence and error from three runs that differ in resolution alone.

Amplitude and phase of each mode are compared unaligned, at the same retarded time, and aligned at the peak of (2,2). A result
with finest spacing h is taken as its limit plus c h^p. p follows from the ratio of the differences, LOW less MED over MED less
HIGH, for any three spacings: at each time; and from norms over time, from the end of the junk radiation until the ringdown has
fallen to 1% of the peak, and until the peak. The error of HIGH is from Richardson extrapolation with that order, or with 6,
the order of the stencils, if that is less. Numbers of remnant and merger are treated alike.

Where the differences show no clean convergence order (changing signs, orders outside 1 to 10), it says so, and the error is the
difference itself. If those of (2,2) converge from some time on until the merger, for at least a quarter of the time before it,
that time is given, for `--start'. The finest spacing is grid.extent / (grid.trees N 2^level_max), with N^3 points per octant.

    tendex-waves converge out/q1_coarse out/q1_standard out/q1_high -o order.png
"""

import math
from dataclasses import dataclass

import numpy as np

from tendex.base.files import write_json
from tendex.physics.radiation import retardation
from tendex.waves.commands.arguments import turning_mode
from tendex.waves.comparison import richardson
from tendex.waves.extraction import radiated, standard
from tendex.waves.holes import hole
from tendex.waves.pictures import converge_plot
from tendex.waves.reading.run import Run
from tendex.waves.signal import align
from tendex.waves.signal.modes import Waves, WaveError, phase
from tendex.waves.signal.series import trusted

SUMMARY = "determine order of convergence and error from three resolutions"
# Modes are compared by themselves whose peak is above this part of that of (2,2).
LEAST_MODE = 0.01
# The ringdown is compared until the wave has fallen to this part of its peak.
FADED = 0.01
NAMES = ("low", "med", "high")


def arguments(parser):
    for name, text in zip(("low", "med", "high"), ("coarsest", "middle", "finest")):
        parser.add_argument(name, metavar=name.upper(), help=f"run folder with the {text} grid")
    parser.add_argument("--radius", type=float, metavar="R",
                        help="compare psi4 through the sphere of this coordinate radius [M] instead of the strain at infinity")
    parser.add_argument("--modes", nargs="+", type=turning_mode, metavar="L,M",
                        help="modes; default: those with m > 0 above 1%% of (2,2)")
    parser.add_argument("--start", type=float, metavar="T",
                        help="first retarded time compared [M]; default: when the junk has left")
    parser.add_argument("-o", "--output", metavar="FILE", help="picture to write, .png or .pdf")
    parser.add_argument("--json", metavar="FILE", help="write all numbers in full precision")


def spacing(folder):
    """Finest spacing of a run's grid, in its unit."""
    try:
        extent, level = folder.parameters["grid.extent"], folder.parameters["grid.level_max"]
        return extent / (folder.parameters.get("grid.trees", 1) * folder.summary["octant_points"] * 2**level)
    except KeyError as e:
        raise WaveError(f"{folder.path}: no {e.args[0]} in run.yaml or summary.json: is the run finished?") from e


@dataclass(frozen=True)
class Compared:
    """One mode at three resolutions."""

    t: np.ndarray  # [n]
    amplitude: richardson.Series
    phase: richardson.Series  # radians
    high: np.ndarray  # [n] amplitude of HIGH


@dataclass(frozen=True)
class Convergence:
    """Of three waves, the third the best."""

    h: tuple
    peak: float  # of HIGH's (2,2)
    before: dict  # {(l, m): Compared} at the same time
    after: dict  # {(l, m): Compared} with peaks laid on each other
    shifts: tuple  # (align.Alignment) of LOW and MED on HIGH


def compare(h, waves, start, modes=None):
    """The Convergence of three Waves at spacings h, from time `start` on. Raises WaveError where they do not fit."""
    richardson.check(h)
    high = waves[2]
    peak = align.peak_time(high, (2, 2), start)
    modes = modes or strong(high.cut(first=start))
    shifts = tuple(align.at_peak(high, w, (2, 2), start) for w in waves[:2])
    moved = [*(s.apply(w) for s, w in zip(shifts, waves)), high]
    end = faded(high, peak)
    t, before = on_common(waves, start, end, modes)
    t_after, after = on_common(moved, start, end, modes)
    return Convergence(tuple(h), peak, {lm: compared(h, t, before, lm) for lm in modes},
                       {lm: compared(h, t_after, after, lm) for lm in modes}, shifts)


def strong(wave):
    """Modes with m > 0 that are worth a comparison, (2,2) first."""
    top = {lm: float(np.abs(v).max()) for lm, v in wave.modes.items() if lm[1] > 0}
    return sorted((lm for lm in top if top[lm] > LEAST_MODE * top[2, 2]), key=lambda lm: -top[lm])


def faded(wave, peak):
    """When (2,2) has fallen to FADED of its peak, or the end of the data."""
    size = np.abs(wave.mode(2, 2))
    low = np.flatnonzero((wave.t > peak) & (size < FADED * size[wave.t >= peak].max()))
    return float(wave.t[low[0]]) if low.size else float(wave.t[-1])


def on_common(waves, start, end, modes):
    """(t, [Waves]) of the wanted modes at even times that all have between start and end."""
    first, last = max(start, *(w.t[0] for w in waves)), min(end, *(w.t[-1] for w in waves))
    step = float(np.median(np.diff(waves[-1].t)))
    if not last - first > 10 * step:
        raise WaveError(f"the runs have waves in common only from t = {first:.6g} to {last:.6g}: give runs of equal "
                        "length, or an earlier --start")
    t = np.linspace(first, last, 1 + int(math.ceil((last - first) / step)))
    return t, [align.resample(Waves(w.kind, w.t, {lm: w.mode(*lm) for lm in modes}, label=w.name), t) for w in waves]


def compared(h, t, waves, lm):
    t, sizes, phases = clear(t, waves, lm)
    return Compared(t, richardson.series(h, t, *sizes), richardson.series(h, t, *phases), sizes[2])


def clear(t, waves, lm):
    """(t, [amplitudes], [phases]) of a mode of waves at the same times t, the last of them the best, while it has a phase; whole turns
    at the start are no difference."""
    values = [w.modes[lm] for w in waves]
    # A weaker mode is lost in errors before (2,2) is, and has no phase then.
    size = np.abs(values[-1])
    gone = np.flatnonzero((np.arange(len(t)) > size.argmax()) & (size < FADED * size.max()))
    end = max(int(gone[0]), 2) if gone.size else len(t)
    t, values = t[:end], [v[:end] for v in values]
    phases = [phase(v) for v in values]
    phases = [p - 2 * np.pi * round((p[0] - phases[-1][0]) / (2 * np.pi)) for p in phases]
    return t, [np.abs(v) for v in values], phases


def errors(h, peak, one):
    """Of one mode: order and error of amplitude (relative) and phase, at the merger and over what comes before it."""
    near = int(np.argmin(np.abs(one.t - peak)))
    before = slice(0, near + 1)
    relative = np.abs(one.amplitude.error) / one.high
    out = {}
    for name, series, error in (("amplitude", one.amplitude, relative), ("phase", one.phase, np.abs(one.phase.error))):
        order, _, why = richardson.overall(h, one.t[before], series.low_med[before], series.med_high[before])
        since = richardson.late(h, one.t[before], series.low_med[before], series.med_high[before]) if why else None
        out[name] = {"order": known(series.order), "order_before_merger": known(order), "why_not_before": why,
                     "converges": series.converges, "why_not": series.why, "alike": known(series.alike),
                     "late": {"from": one.t[since[0]], "order": since[1]} if since else None,
                     "error_at_merger": float(error[near]), "error_before_merger": float(error[before].max())}
    return out


def numbers_of(folder, waves):
    """{name: value} of what a remnant has, of one run; None where it has not."""
    left = hole.horizon(folder.searches(), folder.mass)
    junk = folder.reference_time()
    gone = radiated.of_run(folder, waves)
    top = align.mode_peak(waves.strain.geometric(), 2, 2, junk / folder.mass)
    return {
        "M_f": left.mass.value if left else None, "a_f/M_f": hole.signed(left.chi, left.direction, folder.orbit_axis).value if left else None,
        "E radiated": gone.value[0], "J_z radiated": gone.value[3],
        "common horizon, t": left.first_seen if left else None, "peak of |h_22|, u/M": top["time"],
        "peak |r h_22|/M": top["height"], "M w_22 there": top["frequency"],
    }


def run(args):
    folders = [Run(path) for path in (args.low, args.med, args.high)]
    h = [spacing(f) for f in folders]
    richardson.check(h)
    start = max(f.reference_time() for f in folders) if args.start is None else args.start
    best = standard.of_run(folders[2])
    same = {"order": best.order, "radii": best.radii, "method": best.method, "cutoff": best.cutoff}
    all_waves = [standard.of_run(f, **same) for f in folders[:2]] + [best]
    if args.radius is None:
        waves = [trusted(w.strain) for w in all_waves]
    else:
        waves = [through(f, args.radius) for f in folders]
    found = compare(h, waves, start, args.modes)
    scalars = [numbers_of(f, w) for f, w in zip(folders, all_waves)]
    scalars = {name: richardson.number(h, [s[name] for s in scalars]) for name in scalars[0]
               if None not in (s[name] for s in scalars)}
    out = results(found, folders, scalars, waves[2])
    print(text(out))
    if args.json:
        write_json(args.json, out)
    if args.output:
        converge_plot.draw(found, args.output)


def through(folder, radius):
    """psi4 through a sphere of a run, at retarded time."""
    for sphere in folder.spheres():
        if abs(sphere.radius - radius) < 1e-6:
            late = retardation(sphere.areal, folder.adm_energy)
            return sphere.map(lambda v, l, m: v, t=sphere.t - late)
    has = ", ".join(f"{s.radius:g}" for s in folder.spheres())
    raise WaveError(f"{folder.path}: --radius {radius:g}: there is no such sphere, but r = {has}")


def results(found, folders, scalars, wave):
    """Everything that comes out, for JSON."""
    where = "strain at infinity" if wave.kind == "strain" else f"psi4 through r = {wave.radius:g}"
    span = next(iter(found.before.values())).t
    out = {"runs": [str(f.path) for f in folders], "spacings": list(found.h), "wave": where,
           "from": span[0], "to": span[-1], "peak": found.peak,
           "shifts": [{"dt": s.dt, "dphi": s.dphi} for s in found.shifts]}
    for name, group in (("same_time", found.before), ("aligned", found.after)):
        out[name] = {f"{l},{m}": errors(found.h, found.peak, one) for (l, m), one in group.items()}
    out["numbers"] = {name: {k: known(v) for k, v in vars(e).items()} for name, e in scalars.items()}
    return out


def known(value):
    """None for what is not a number, as JSON has no such."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def text(out):
    h = out["spacings"]
    lines = [f"{name:<4} {path}, finest spacing {x:.6g} = 1/{1 / x:.4g}"
             for name, path, x in zip(NAMES, out["runs"], h)]
    lines += [f"{out['wave']}, retarded times {out['from']:.2f} to {out['to']:.2f}; "
              f"peak of (2,2) at {out['peak']:.2f}", ""]
    heads = {"same_time": "Unaligned", "aligned": "Aligned at the peak of (2,2)"}
    for key, head in heads.items():
        lines.append(f"{head:<44} {'order':>6} {'before':>6}   error of HIGH: at merger, before")
        for lm, both in out[key].items():
            lines += [row(f"({lm}) amplitude, relative", both["amplitude"]), row(f"({lm}) phase, rad", both["phase"])]
        lines += [f"  {what} of (2,2): converges from {e['late']['from']:.2f} until the merger, order "
                  f"{e['late']['order']:.2f}" for what, e in out[key].get("2,2", {}).items() if e["late"]]
        lines.append("")
    for name, s in zip(NAMES, out["shifts"]):
        lines.append(f"{name} was shifted by {s['dt']:+.4f} in time and rotated by {s['dphi']:+.5f} rad")
    lines += ["", f"{'':<28} {'low':>11} {'med':>11} {'high':>11} {'order':>6} {'limit':>11} {'error of HIGH':>14}"]
    for name, e in out["numbers"].items():
        values = " ".join(f"{v:>11.6f}" for v in e["values"])
        if e["converges"]:
            lines.append(f"{name:<28} {values} {e['order']:>6.2f} {e['limit']:>11.6f} {e['error']:>14.2e}")
        else:
            what = "no clean convergence order" if e["error"] > 0 else "no difference"
            lines.append(f"{name:<28} {values} {'none':>6} {'':>11} {e['error']:>14.2e}  {what}")
    return "\n".join(lines)


def row(name, e):
    """Orders, over all times and before the merger, and errors of one function."""
    shown = f"{e['order']:>6.2f}" if e["converges"] else f"{'none':>6}"
    early = f"{'none':>6}" if e["why_not_before"] else f"{e['order_before_merger']:>6.2f}"
    line = f"  {name:<42} {shown} {early} {e['error_at_merger']:>23.2e} {e['error_before_merger']:>9.2e}"
    return line if e["converges"] else f"{line}   no clean convergence order: {e['why_not']}"
