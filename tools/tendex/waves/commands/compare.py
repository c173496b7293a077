"""Compare two waves: differences of amplitude and phase over time, and mismatch as a function of total mass.

A and B may each be
  - a run folder of Tendex, or a file written by `tendex-waves strain' or `extrapolate',
  - a file of the SXS catalogue: rhOverM_*.h5, rh_*.h5, rMPsi4_*.h5, rPsi4_*.h5, optionally with the group, as in
    rhOverM_Asymptotic_GeometricUnits.h5/Extrapolated_N3.dir,
  - a file in the LVC-NR format (arXiv:1703.01076),
  - a folder of the Einstein Toolkit that contains mp_psi4.h5 or mp_Psi4_l2_m2_r100.00.asc, at any depth.
If A is a run folder, B may also be a model with A's masses and spins. With LALSimulation: IMRPhenomTHM (arXiv:2012.11923) and
SEOBNRv4HM (arXiv:1803.10701) for spins along z, IMRPhenomTPHM (arXiv:2105.05872) for any spins. With pyseobnr: SEOBNRv5HM
(arXiv:2303.18039) for spins along z, SEOBNRv5PHM (arXiv:2303.18046) for any spins. With the package NRSur7dq2:
NRSur7dq2 (arXiv:1705.07089), for any spins to 0.8, mass ratios to 2 and the last 4500 M. The spins are those of A's horizons after the junk radiation, at the frequency of A's orbit at that time.
The kind is recognised from the content. All are converted to strain in units of the total mass; psi4 is integrated.

B is shifted in time and rotated about the orbital axis to align with A: at the peak (--align peak), or by least squares over
[T1, T2] (--align window T1 T2). Times are counted from the peak of A, of all modes together. Only times after the junk
radiation has left both waves are compared (--start).

If an orbit leaves the plane z = 0, A and B are first rotated so that z is their radiation axis, averaged over the window, or,
aligned at the peak, over the first fifth of the time before it. Modes and inclinations refer to this axis.

The mismatch is then minimised over:
  - for a single mode: shifts in time and phase;
  - sky, all common modes averaged over all observers: time, polarisation and B's azimuth, the same for all;
  - with --inclination, all modes as seen by observers at these angles: time, polarisation and B's azimuth, for each observer.
    Such an observer sees both polarisations; with --polarisation it is one detector with the effective polarisation kappa
    for A, h+ cos kappa + hx sin kappa.
Over several --azimuth, which matter if the axis moves, and --polarisation the result is a mean weighted with the
signal-to-noise ratio rho of A: 1 - (sum rho^3 match^3 / sum rho^3)^(1/3) (arXiv:1408.1810). With 0 45 90 135 and azimuths all
around it is the one of papers on precessing models (arXiv:2004.06503). As there, the in-plane parts of B's spins are rotated
together about the orbital axis at the reference frequency, by the angle of least flat sky mismatch (--turn-spins): an error of
1% in that frequency, about that of the punctures, is worth half a radian, and up to 0.03 in mismatch without the rotation.
Masses and spin magnitudes are not fitted.

Both waves are tapered over two cycles of (2,2). The integral starts at --f-low, or for lighter binaries at the frequency of
(2,2) at the end of the taper; these masses are marked, as a detector would see earlier cycles too. The table names the
mass above which the whole band is covered: about 120 for five orbits from 9 M.

    tendex-waves compare out/q1_high out/q1_standard --modes 2,2 4,4 --align window 200 400 -o compare.png
"""

import argparse
import math
from dataclasses import replace

from scipy.optimize import minimize_scalar

from tendex.base.files import write_json
from tendex.waves.catalogues import catalogue, catalogue_model
from tendex.waves.commands.arguments import frequency, mode
from tendex.waves.comparison import difference, noise
from tendex.waves.pictures import compare_plot
from tendex.waves.signal import align
from tendex.waves.signal.modes import WaveError

SUMMARY = "compare two waves (Tendex, SXS, LVC-NR, Einstein Toolkit, a model): differences and mismatch"
MASSES = [20.0, 30.0, 40.0, 60.0, 80.0, 100.0, 120.0, 140.0, 160.0, 180.0, 200.0]
F_LOW = 20.0
# Part of the way from the first times of both to the peak over which axes are averaged.
FIRST_PART = 0.2
# Angles of spins that are tried before the best is looked for, rad; to how much it is found.
TRIED, TO = 12, 1e-3


def angle(text):
    """Degrees, or None for `best'."""
    if text == "best":
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is neither an angle in degrees nor `best'")
    return value


def arguments(parser):
    parser.add_argument("a", metavar="A", help="folder or file of the reference wave")
    parser.add_argument("b", metavar="B", help="folder or file of the other wave, or a model: "
                        "IMRPhenomTHM, SEOBNRv4HM, SEOBNRv5HM, IMRPhenomTPHM, SEOBNRv5PHM, NRSur7dq2")
    parser.add_argument("--modes", nargs="+", type=mode, default=[(2, 2)], metavar="L,M", help="modes; default: 2,2")
    parser.add_argument("--align", nargs="+", default=["peak"], metavar="HOW", help="peak (default), or window T1 T2")
    parser.add_argument("--start", type=float, metavar="T", help="first time compared [M], from A's peak; default: "
                        "when the junk radiation has left both")
    curve = parser.add_mutually_exclusive_group()
    curve.add_argument("--psd", default="aligo", metavar="NAME|FILE", help="noise: "
                       f"{', '.join(noise.CURVES)}, or a file of f [Hz] and S [1/Hz]; default: aligo")
    curve.add_argument("--asd", metavar="FILE", help="noise: a file of f [Hz] and sqrt(S) [Hz^-1/2]")
    parser.add_argument("--masses", nargs="+", type=float, default=MASSES, metavar="M",
                        help="total masses [solar masses]; default: 20 to 200")
    parser.add_argument("--f-low", type=float, default=F_LOW, metavar="F", help=f"lowest frequency of the mismatch [Hz]; default: {F_LOW:g}")
    parser.add_argument("--inclination", nargs="+", type=float, default=[], metavar="DEG", help="add mismatches of all "
                        "modes together, seen from these angles to the orbital axis")
    parser.add_argument("--azimuth", nargs="+", type=float, default=[0.0], metavar="DEG", help="azimuths of these "
                        "observers; default: 0")
    parser.add_argument("--polarisation", nargs="+", type=float, default=[], metavar="DEG", help="make these observers "
                        "single detectors with this effective polarisation, 0 to 180; default: both polarisations")
    parser.add_argument("--turn-spins", type=angle, default="best", metavar="DEG", help="turn the spins of a model for any spins "
                        "about the orbit's axis by this; 0: as measured; default: best, the angle of the least mismatch")
    parser.add_argument("--mass", type=float, metavar="M", help="total mass, in the unit of the files, of waves that "
                        "do not say it")
    parser.add_argument("--cutoff", type=frequency, metavar="W", help="cut-off of the integration of psi4, for m = 1, "
                        "in 1/M (see tendex-waves strain; default: 0.6 of the first orbital frequency)")
    parser.add_argument("-o", "--output", metavar="FILE", help="picture to write, .png or .pdf")
    parser.add_argument("--json", metavar="FILE", help="write all numbers in full precision")


def made(args):
    """(the Comparison, its numbers, the noise) that the arguments ask for."""
    curve = noise.find(args.asd, True) if args.asd else noise.find(args.psd)
    if not all(m > 0 for m in args.masses) or args.f_low < 0:
        raise WaveError("--masses and --f-low: masses must be above zero, f_low not below")
    if args.mass is not None and not args.mass > 0:
        raise WaveError(f"--mass {args.mass:g}: must be above zero")
    a = catalogue.find(args.a, args.mass, args.cutoff)
    found, turned = _turned(a, args) if _turns(a, args) else (_beside(a, args), None)
    return found, found.numbers(curve) | ({"spins": turned} if turned else {}), curve


def run(args):
    found, numbers, curve = made(args)
    print(found.text(numbers, curve))
    if args.json:
        write_json(args.json, numbers)
    if args.output:
        compare_plot.draw(found, numbers, args.output)


def _turns(a, args):
    """Whether B is a model whose spins may be turned."""
    return args.b in catalogue_model.TURN and a.binary is not None and catalogue_model.in_plane(a.binary)


def _beside(a, args, turn=0.0):
    """The Comparison with B, with spins that are turned by an angle, rad, if it is a model."""
    if turn:
        a = replace(a, binary=replace(a.binary, turn=turn))
    return Comparison(a, catalogue.find(args.b, args.mass, args.cutoff, beside=a), args)


def _turned(a, args):
    """(the Comparison with the model whose spins are turned as --turn-spins says, what that does)."""
    def off(turn):
        return _beside(a, args, turn).mismatches().sky_flat().mismatch

    measured = off(0.0)
    if args.turn_spins is None:
        width = 2 * math.pi / TRIED
        first = min((width * k for k in range(TRIED)), key=lambda x: off(x) if x else measured)
        best = float(minimize_scalar(off, bounds=(first - width, first + width), method="bounded", options={"xatol": TO}).x)
        degrees = math.degrees((best + math.pi) % (2 * math.pi) - math.pi)
    else:
        degrees = args.turn_spins
    return _beside(a, args, math.radians(degrees)), {"turned_deg": degrees, "sky_flat_as_measured": measured}


class Comparison:
    """Two entries of a catalogue, the second laid on the first; t = 0 at the first's peak."""

    def __init__(self, a, b, args):
        self.args, self.entries = args, (a, b)
        waves = [entry.waves.cut(entry.begins) for entry in (a, b)]
        top, dt = align.peak_time(waves[0]), -align.peak_time(waves[1])
        a, b = waves[0].map(lambda v, l, m: v, t=waves[0].t - top), waves[1]
        begin = max(a.t[0], b.t[0] + dt)
        first, last = _window(args.align) or (begin, begin - FIRST_PART * begin)
        a, b, self.axes = difference.oriented(a, b, first, last, dt)
        a, b = difference.matching(a, b, args.modes)
        self.peak = top
        self.alignment = _aligned(*difference.clear(a, b), args.align)
        self.a, self.b = a, self.alignment.apply(b)
        begin = max(self.a.t[0], self.b.t[0])
        self.start = begin if args.start is None else args.start
        if not begin - 1e-9 <= self.start < 0:
            end = min(self.a.t[-1], self.b.t[-1])
            raise WaveError(f"--start {self.start:g}: both waves have t = {begin:g} to {end:g}, and the peak is at 0")
        self.modes = {lm: difference.of_mode(self.a, self.b, lm, self.start) for lm in args.modes}

    def mismatches(self):
        return difference.Mismatches(self.a, self.b, self.start)

    def numbers(self, curve):
        """Everything that comes out, for JSON."""
        args = self.args
        mismatches = self.mismatches()
        w = mismatches.window
        out = {
            "a": _entry(args.a, self.entries[0]), "b": _entry(args.b, self.entries[1]),
            "alignment": {"how": args.align, "dt": self.alignment.dt + self.peak, "dphi": self.alignment.dphi,
                          "difference": self.alignment.difference, "a_peak": self.peak},
            "window": {"start": w.start, "end": w.end, "rise": w.rise, "fall": w.fall},
            "noise": {"name": curve.name, "source": curve.source, "f_low": args.f_low,
                      "whole_from": mismatches.whole_from(max(args.f_low, curve.lowest))},
            "modes": {}, "observers": [], "times": "M from the peak of a", "axes": vars(self.axes),
        }
        for lm, d in self.modes.items():
            values = difference.summary(d, 0.0) | {"faint": d.faint}
            values["mismatch_flat"] = mismatches.flat(lm).mismatch
            values["mismatch"] = _rows(mismatches.mode(lm, curve, args.masses, args.f_low))
            out["modes"][name(lm)] = values
        out["sky"] = {"mismatch_flat": mismatches.sky_flat().mismatch,
                      "mismatch": _rows(mismatches.sky(curve, args.masses, args.f_low))}
        azimuths, polarisations = ([math.radians(x) for x in some] for some in (args.azimuth, args.polarisation))
        for degrees in args.inclination:
            at = math.radians(degrees), azimuths
            out["observers"].append({"inclination_deg": degrees, "azimuth_deg": args.azimuth,
                                     "polarisation_deg": args.polarisation,
                                     "modes": [name(lm) for lm in sorted(self.a.modes)],
                                     "mismatch_flat": mismatches.seen_flat(*at, polarisations).mismatch,
                                     "mismatch": _rows(mismatches.seen(*at, curve, args.masses, args.f_low, polarisations))})
        return out

    def text(self, numbers, curve):
        lines = [f"note on {which}: {note}" for which, e in zip("AB", self.entries) for note in e.notes]
        lines += [f"{which}  {numbers[key]['path']}: {numbers[key]['format']}" for which, key in ("Aa", "Bb")]
        lines += [f"B aligned with A ({' '.join(self.args.align)}): times {numbers['alignment']['dt']:+.6g} M, modes times "
                  f"exp(i m {self.alignment.dphi:.6g})",
                  f"compared from {self.start:.1f} M; t = 0 at A's peak", *self.orientation(), *_spins(numbers), ""]
        lines += ["mode   part         from       to   |dA/A| max       rms   |dphi| max       rms   (rad)"]
        for lm, values in numbers["modes"].items():
            lines += _parts(lm, values)
        return "\n".join(lines + [""] + _mismatch_table(numbers, curve))


    def orientation(self):
        """[what the table says of axes]"""
        x = self.axes
        if x.a is None:
            return []
        a, b = ("(" + ", ".join(f"{c:.4f}" for c in axis) + ")" for axis in (x.a, x.b))
        return [f"modes and inclinations about the radiation axis from {x.first:.1f} to {x.last:.1f} M: A's {a}, B's {b}"]


def _spins(numbers):
    """[what the table says of the spins of a model]"""
    turned = numbers.get("spins")
    return [f"spins of B turned by {turned['turned_deg']:.2f} deg about the orbit's axis at the reference frequency: mismatch sky, "
            f"flat, {numbers['sky']['mismatch_flat']:.3e}; as measured {turned['sky_flat_as_measured']:.3e}"] if turned else []


def name(lm):
    return f"{lm[0]},{lm[1]}"


def _window(how):
    """(first, last) of `--align window', or None at the peak."""
    if how == ["peak"]:
        return None
    try:
        word, first, last = how[0], *map(float, how[1:])
        if word != "window" or not first < last:
            raise ValueError
    except (ValueError, TypeError):
        raise WaveError(f"--align {' '.join(how)}: it is `peak', or `window T1 T2' with T1 < T2") from None
    return first, last


def _aligned(a, b, how):
    """The Alignment of b with a, whose peak is at t = 0."""
    window = _window(how)
    if not window and (2, 2) not in a.modes:
        raise WaveError("(2,2), whose phase aligns B with A at the peak, is zero or faint in one of them: align them in a window, for "
                        "instance --align window -5 20, in M from A's peak; --modes chooses what is compared")
    return align.in_window(a, b, *window) if window else align.at_peak(a, b)


def _entry(path, entry):
    return {"path": str(path), "format": entry.form, "from": float(entry.waves.t[0]), "to": float(entry.waves.t[-1]),
            "begins": entry.begins, "notes": entry.notes, "modes": len(entry.waves.modes)}


def _rows(rows):
    return [{"mass": row.mass, "from_hz": row.low, "mismatch": row.match.mismatch, "dt": row.match.dt,
             "dphi": row.match.dphi} for row in rows]


def _parts(lm, values):
    lines = []
    for part in ("inspiral", "ringdown", "all"):
        v = values.get(part)
        if v:
            lines.append(f"{lm:6} {part:9} {v['from']:8.1f} {v['to']:8.1f} {v['amplitude_max']:12.3e} "
                         f"{v['amplitude_rms']:9.3e} {v['phase_max']:12.3e} {v['phase_rms']:9.3e}")
    peak = values["peak"]
    lines.append(f"{lm:6} at A's peak: dA/A {peak['amplitude']:+.3e}, dphi {peak['phase']:+.3e}; peaks of the mode: "
                 f"B/A = {peak['ratio']:.6f} ({peak['height_b']:.5f}/{peak['height_a']:.5f}), "
                 f"{peak['time']:+.3f} M apart")
    if "early" in values:
        early = values["early"]
        lines.append(f"{lm:6} at {early['time']:g} M: dA/A {early['amplitude']:+.3e}, a mean over {early['about']:g} M")
    if values["faint"]:
        lines.append(f"{lm:6} is below {difference.NOTHING:g} of the strongest mode: of a symmetric binary, numerical "
                     "noise")
    return lines


def _mismatch_table(numbers, curve):
    columns = {lm: v for lm, v in numbers["modes"].items()}
    columns |= {"sky": numbers["sky"]} | {f"{seen['inclination_deg']:g} deg": seen for seen in numbers["observers"]}
    w = numbers["window"]
    lines = [f"mismatch with the noise {curve.name} ({curve.source}) from {numbers['noise']['f_low']:g} Hz,",
             f"of what is between {w['start']:.1f} and {w['end']:.1f} M; the window rises over {w['rise']:.0f} M",
             "M/Msun  " + "".join(f"{head:>12}" for head in columns)]
    lines.append("flat    " + "".join(f"{v['mismatch_flat']:12.3e}" for v in columns.values()))
    marked = False
    for i, first in enumerate(next(iter(columns.values()))["mismatch"]):
        cells = ""
        for v in columns.values():
            row = v["mismatch"][i]
            late = row["from_hz"] > max(numbers["noise"]["f_low"], curve.lowest) * (1 + 1e-9)
            marked |= late
            cells += f"{row['mismatch']:11.3e}" + ("*" if late else " ")
        lines.append(f"{first['mass']:<8g}" + cells)
    if marked:
        lines.append("* the waves start above f_low, and the integral starts there; the whole band is covered from "
                     f"{numbers['noise']['whole_from']:.0f} Msun on")
    return lines
