"""State the error of the finest of two or three runs that differ in resolution alone, and with three the order of convergence.

Amplitude and phase of each mode are compared unaligned, at the same retarded time, and aligned at the peak of (2,2). A result
with finest spacing h is taken as its limit plus c h^p. With three runs p follows from the ratio of the differences, LOW less MED
over MED less HIGH, for any three spacings: at each time; and from norms over time, from the end of the junk radiation until the
ringdown has fallen to 1% of the peak, and until the peak. An order is clean where the differences are of one form (no changing
signs) and it is between 1 and 10.

The error budget states bounds of 95%. That of the evolution (numerical) is 1.25 times the error by Richardson extrapolation:

  three runs with a clean order    with the measured order, or 4, the lowest of the scheme on smooth fields, if that is less
  all others                       with order 2, the least known near punctures; with three runs also that of LOW less MED with
                                   order 4, if that is larger

Unaligned bounds do not fall with time, and are not below that of an error that grows in proportion to time: a difference that
crosses zero is no small error. Extraction and integration are the estimated errors of `tendex-waves extrapolate'. Parts are added
up. From them follows the signal-to-noise ratio up to which the wave cannot be told from the true one (arXiv:0809.3844,
arXiv:2006.04272), for A+, Einstein Telescope, Cosmic Explorer and LISA.

Runs that differ in physics are refused. Where refinement boundaries differ no order is believed. If differences of (2,2) converge
from some time on until the merger, for at least a quarter of the time before it, that time is given, for `--start'. The finest
spacing is grid.extent / (grid.trees N 2^level_max), with N^3 points per octant.

    tendex-waves converge out/q1_coarse out/q1_standard out/q1_high -o budget.png
"""

import math

import numpy as np

from tendex.base.files import write_json
from tendex.waves.commands import converge_table, series_budget
from tendex.waves.commands.arguments import turning_mode
from tendex.waves.comparison import accuracy, bound, resolutions, richardson
from tendex.waves.pictures import converge_plot
from tendex.waves.reading.run import Run
from tendex.waves.signal import ffi, series
from tendex.waves.signal.modes import WaveError

SUMMARY = "state errors and orders of convergence from two or three resolutions"
# Of errors over time in JSON.
MOST = 500


def arguments(parser):
    parser.add_argument("runs", metavar="RUN", nargs="+", help="two or three run folders, from the coarsest to the finest grid")
    parser.add_argument("--radius", type=float, metavar="R",
                        help="compare psi4 through the sphere of this coordinate radius [M] instead of the strain at infinity")
    parser.add_argument("--modes", nargs="+", type=turning_mode, metavar="L,M",
                        help="modes; default: those to l = 4 above 0.2%% of (2,2); orders of those with m > 0 above 1%%")
    parser.add_argument("--start", type=float, metavar="T",
                        help="first retarded time compared [M]; default: when the junk has left")
    parser.add_argument("-o", "--output", metavar="FILE", help="picture to write, .png or .pdf")
    parser.add_argument("--json", metavar="FILE", help="write all numbers in full precision")


def run(args):
    if len(args.runs) not in richardson.NAMES:
        raise WaveError(f"{len(args.runs)} runs: give two or three of one series, from the coarsest to the finest")
    found = series_budget.of([Run(path) for path in args.runs], start=args.start, modes=args.modes, radius=args.radius)
    snr = series_budget.signal_to_noise(found) if args.radius is None else {}
    out = results(found, snr)
    print(converge_table.text(out))
    if args.json:
        write_json(args.json, out)
    if args.output and found.faint:
        raise WaveError(f"{args.output}: nothing to draw: {found.notes[-1]}")
    if args.output:
        converge_plot.draw(converge_plot.Drawn(found.h, found.laid.peak, found.modes, orders(found), snr), args.output)


def orders(found):
    """The resolutions.Convergence of a Series of three, of its stronger modes; None of two, or of noise."""
    if len(found.h) == 2 or found.faint:
        return None
    strong = [lm for lm in resolutions.strong(found.waves[-1].cut(first=found.start)) if lm in found.modes] or list(found.modes)
    some = resolutions.Laid(found.laid.peak, *({lm: group[lm] for lm in strong} for group in (found.laid.before, found.laid.after)),
                            found.laid.shifts)
    return resolutions.of_laid(found.h, some)


def results(found, snr):
    """Everything that comes out of a Series, for JSON."""
    wave, laid = found.waves[-1], found.laid
    where = "strain at infinity" if wave.kind == "strain" else f"psi4 through r = {wave.radius:g}"
    out = {"runs": [str(f.path) for f in found.folders], "spacings": list(found.h), "wave": where, "notes": found.notes}
    if laid:
        span = next(iter(laid.before.values()))[0]
        out |= {"from": span[0], "to": span[-1], "peak": laid.peak, "shifts": [{"dt": s.dt, "dphi": s.dphi} for s in laid.shifts]}
    three = orders(found)
    for name in ("same_time", "aligned") if three else ():
        group = three.before if name == "same_time" else three.after
        out[name] = {f"{l},{m}": resolutions.errors(three.h, three.peak, one) for (l, m), one in group.items()}
    if len(found.h) == 3:
        out["numbers"] = {name: of_number(found.h, one.found.values) for name, one in found.numbers.items()}
    out["budget"] = budget_of(found, snr)
    return out


def of_number(h, values):
    return {key: resolutions.known(value) for key, value in vars(richardson.number(h, values)).items()}


def budget_of(found, snr):
    """The budget of a Series as a dictionary; snr: as of series_budget.signal_to_noise."""
    plane = "planar" if ffi.level(found.waves[-1]) else "precessing"
    parameters = accuracy.PARAMETERS[plane]
    return {"confidence": 0.95, "safety": bound.SAFETY, "parts": "added up",
            "modes": {f"{l},{m}": {"unaligned": of_laid(one.unaligned, found.laid.peak), "aligned": of_laid(one.aligned, found.laid.peak)}
                      for (l, m), one in found.modes.items()},
            "numbers": {name: {key: resolutions.known(value) for key, value in one.known().items()} for name, one in found.numbers.items()},
            "snr": {"parameters": parameters, "binary": plane,
                    "detectors": {name: [row.known(parameters) for row in rows] for name, rows in snr.items()}}}


def of_laid(laid, peak):
    """Of amplitude and phase: orders, errors at the merger and the largest before it, and over time."""
    near = int(np.argmin(np.abs(laid.t - peak)))
    kept = series.thinned(np.arange(len(laid.t)), most=MOST)[0]
    made = {"t": laid.t[kept]}
    for name, parts, function in (("amplitude", laid.amplitude, laid.amplitudes), ("phase", laid.phase, laid.phases)):
        rule = {key: resolutions.known(value) for key, value in function.rule.known().items()}
        made[name] = {**rule, "at_merger": {part: plain(v[near]) for part, v in parts.items()},
                      "before_merger": {part: plain(largest(v[:near + 1])) for part, v in parts.items()},
                      "over_time": {part: v[kept] for part, v in parts.items()}}
    return made


def largest(values):
    return float(np.nanmax(values)) if np.isfinite(values).any() else math.nan


def plain(value):
    return resolutions.known(float(value))
