"""Compare two waves: differences of amplitude and phase over time, and mismatch as a function of total mass.

A and B may each be
  - a run folder of Tendex, or a file written by `tendex-waves strain' or `extrapolate',
  - a file of the SXS catalogue: rhOverM_*.h5, rh_*.h5, rMPsi4_*.h5, rPsi4_*.h5, optionally with the group, as in
    rhOverM_Asymptotic_GeometricUnits.h5/Extrapolated_N3.dir,
  - a file in the LVC-NR format (arXiv:1703.01076), as those of the RIT catalogue,
  - a folder of the Einstein Toolkit that contains mp_psi4.h5 or mp_Psi4_l2_m2_r100.00.asc, at any depth,
  - a file of NumPy, .npz, with keys t, re, im and q (r h22/M at infinity, and the mass ratio), lL_mM_re and lL_mM_im (other modes),
    or rR_lL_mM_re and rR_lL_mM_im (R psi4 through the sphere of radius R, over t or rR_t).
If A is a run folder, B may also be a model with A's masses and spins. With LALSimulation: IMRPhenomTHM (arXiv:2012.11923) and
SEOBNRv4HM (arXiv:1803.10701) for spins along z, IMRPhenomTPHM (arXiv:2105.05872) for any spins. With pyseobnr: SEOBNRv5HM
(arXiv:2303.18039) for spins along z, SEOBNRv5PHM (arXiv:2303.18046) for any spins. With the package NRSur7dq2:
NRSur7dq2 (arXiv:1705.07089), for any spins to 0.8, mass ratios to 2 and the last 4500 M. The spins are those of A's horizons after the
junk radiation, at the frequency of A's orbit at that time.
The kind is recognised from the content. All are converted to strain in units of the total mass M; psi4 is integrated. M of a run
is the sum of the Christodoulou masses when the junk has left, as in `tendex-waves export'; the output states each M. Signs, modes and
units of .npz files are compared with those of the other wave: what turns the other way is conjugated, what is in other units refused.

Psi4 through spheres in an .npz file is compared as it is, with psi4 of the other through the sphere of the same coordinate radius, the
largest that both have, or --radius R. A sphere that one lacks is interpolated from its own in 1/R with --between alone.
--radius inf compares the strains at infinity of both. --radius R does the same for run folders and folders of the Einstein Toolkit.

B is shifted in time and rotated about the orbital axis to align with A, by least squares over a window of the inspiral. The window is
proposed from the data and printed: from where both waves are clean of junk radiation and of the edge of the integration, to 4 cycles
before the peak. --align window T1 T2 names another; --align peak aligns the peaks, as is done where there are no two cycles
of inspiral; --align none leaves the times as they are, for runs of the same initial data. The alignment is repeated in three
parts of the window. The largest difference between the results is the error of the comparison. Times are counted from the peak of A, of
all modes together. Only times after the junk radiation has left both waves are compared (--start).

If an orbit leaves the plane z = 0, A and B are first rotated so that z is their radiation axis, averaged over the window, or,
aligned at the peak, over the first fifth of the time before it. Modes and inclinations refer to this axis.

The mismatch is then minimised over:
  - for a single mode: shifts in time and phase;
  - sky, all common modes averaged over all observers: time, polarisation and B's azimuth, the same for all;
  - with --inclination, all modes as seen by observers at these angles: time, polarisation and B's azimuth, for each observer.
    Such an observer sees both polarisations; with --polarisation it is one detector with the effective polarisation kappa
    for A, h+ cos kappa + hx sin kappa.
The rows flat, news and psi4 are without a detector: 1 - |<A|B>| / sqrt(<A|A> <B|B>), <A|B> the integral of
|w|^(2n) A(w) conj(B(w)) dw over strains, with n = 0, 1 and 2. With n = 1, frequencies
count by the energy that they carry.
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
    tendex-waves compare out/qc0 maya_qc0_rpsi4.npz --radius 30 --align none
"""

import argparse
import contextlib
import math
from dataclasses import replace
from functools import cached_property

from scipy.optimize import minimize_scalar

from tendex.base.files import write_json
from tendex.waves.catalogues import catalogue, catalogue_model, equal_radii
from tendex.waves.commands import compare_table
from tendex.waves.commands.arguments import frequency, mode
from tendex.waves.comparison import difference, noise, recognise, window
from tendex.waves.pictures import compare_plot
from tendex.waves.signal import align
from tendex.waves.signal.modes import WaveError

SUMMARY = "compare two waves (Tendex, SXS, LVC-NR, Einstein Toolkit, .npz, a model): differences and mismatch"
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


def radius(text):
    """A coordinate radius above 0; infinite where waves are compared at infinity."""
    with contextlib.suppress(ValueError):
        if float(text) > 0:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text!r} is neither a radius nor `inf'")


def arguments(parser):
    parser.add_argument("a", metavar="A", help="folder or file of the reference wave")
    parser.add_argument("b", metavar="B", help="folder or file of the other wave, or a model: "
                        "IMRPhenomTHM, SEOBNRv4HM, SEOBNRv5HM, IMRPhenomTPHM, SEOBNRv5PHM, NRSur7dq2")
    parser.add_argument("--modes", nargs="+", type=mode, default=[(2, 2)], metavar="L,M", help="modes; default: 2,2")
    parser.add_argument("--align", nargs="+", default=["window"], metavar="HOW", help="window (default), window T1 T2 [M, from A's peak], "
                        "peak, or none")
    parser.add_argument("--radius", type=radius, metavar="R", help="compare psi4 through the sphere of this coordinate radius, in B's unit, or "
                        "strains at infinity, `inf'; default: the largest sphere that both have if one is an .npz file of psi4, else inf")
    parser.add_argument("--between", action="store_true", help="interpolate psi4 at R in 1/R between spheres of a wave that has none there")
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
    if _at_spheres(args):
        a, b = equal_radii.pair(args.a, args.b, args.radius, args.between, args.mass)
        found, turned = Comparison(a, b, args), None
    else:
        a, b = _at_infinity(args)
        found, turned = _turned(a, args) if _turns(a, args) else (Comparison(a, b or _b(a, args), args), None)
    return found, found.numbers(curve) | ({"spins": turned} if turned else {}), curve


def _at_spheres(args):
    """Whether psi4 through spheres is compared."""
    if args.radius is not None:
        return math.isfinite(args.radius)
    pair = args.a, args.b
    return any(map(equal_radii.has_spheres, pair)) and all(map(equal_radii.known, pair))


def _at_infinity(args):
    """(the Entry of A, that of B where it had to be found first)"""
    if not args.mass and equal_radii.has_spheres(args.a) and not equal_radii.has_spheres(args.b):
        b = catalogue.find(args.b, args.mass, args.cutoff)
        return catalogue.find(args.a, args.mass, args.cutoff, beside=b), b
    return catalogue.find(args.a, args.mass, args.cutoff), None


def run(args):
    found, numbers, curve = made(args)
    print(compare_table.text(found, numbers, curve))
    if args.json:
        write_json(args.json, numbers)
    if args.output:
        compare_plot.draw(found, numbers, args.output)


def _turns(a, args):
    """Whether B is a model whose spins may be turned."""
    return args.b in catalogue_model.TURN and a.binary is not None and catalogue_model.in_plane(a.binary)


def _b(a, args, turn=0.0):
    """The Entry of B, with spins that are turned by an angle, rad, if it is a model."""
    if turn:
        a = replace(a, binary=replace(a.binary, turn=turn))
    return catalogue.find(args.b, args.mass, args.cutoff, beside=a)


def _turned(a, args):
    """(the Comparison with the model whose spins are turned as --turn-spins says, what that does)."""
    first = Comparison(a, _b(a, args), args)

    def off(turn):
        return Comparison(a, _b(a, args, turn), args, first).mismatches().sky_flat().mismatch

    measured = first.mismatches().sky_flat().mismatch
    if args.turn_spins is None:
        width = 2 * math.pi / TRIED
        start = min((width * k for k in range(TRIED)), key=lambda x: off(x) if x else measured)
        best = float(minimize_scalar(off, bounds=(start - width, start + width), method="bounded", options={"xatol": TO}).x)
        degrees = math.degrees((best + math.pi) % (2 * math.pi) - math.pi)
    else:
        degrees = args.turn_spins
    return Comparison(a, _b(a, args, math.radians(degrees)), args), {"turned_deg": degrees, "sky_flat_as_measured": measured}


class Comparison:
    """Two entries of a catalogue, the second aligned with the first; t = 0 at the first's peak."""

    def __init__(self, a, b, args, like=None):
        """like: a Comparison with a wave like b, whose window is taken for the axes. Peaks are aligned then, which is enough for
        mismatches."""
        self.args, self.entries = args, (a, b)
        a, b, self.notes = recognised(a, b, args.modes)
        top, dt = align.peak_time(a), -align.peak_time(b)
        a = a.map(lambda v, l, m: v, t=a.t - top)
        self.how, self.window = (like.how, like.window) if like else self._how(a, b.map(lambda v, l, m: v, t=b.t + dt))
        begin = max(a.t[0], b.t[0] + dt)
        first, last = (self.window.first, self.window.last) if self.how[0] == "window" else (begin, begin - FIRST_PART * begin)
        a, b, self.axes = difference.oriented(a, b, first, last, dt)
        a, b = difference.matching(a, b, args.modes)
        self.peak = top
        self.alignment = self._aligned(*difference.clear(a, b), like)
        self.a, self.b = a, self.alignment.apply(b)
        begin = max(self.a.t[0], self.b.t[0])
        self.start = begin if args.start is None else args.start
        if not begin - 1e-9 <= self.start < 0:
            end = min(self.a.t[-1], self.b.t[-1])
            raise WaveError(f"--start {self.start:g}: both waves have t = {begin:g} to {end:g}, and the peak is at 0")
        self.modes = {lm: difference.of_mode(self.a, self.b, lm, self.start) for lm in args.modes}

    def _how(self, a, b):
        """(words of --align as they are followed, the window.Window or None): of waves with their peaks at 0."""
        how = self.args.align
        if how in (["peak"], ["none"]):
            return how, None
        given = _given(how)
        try:
            found = window.propose(a, b, [e.integrated for e in self.entries])
        except WaveError as e:  # has no axis, or turns nowhere
            found = window.Window(None, None, 0.0, f"no window proposed: {e}")
        if given:
            if found.first is not None and given[0] < found.first - 1e-9:
                self.notes.append(f"the window begins before {found.first:.1f} M, from where on both waves are clean: {found.why}")
            return how, window.Window(*given, math.nan, "as --align says")
        return (["window"], found) if found.first is not None else (["peak"], found)

    def _aligned(self, a, b, like):
        """The Alignment of b with a, whose peak is at t = 0."""
        if self.how == ["none"]:
            return align.Alignment(-self.peak, 0.0, math.nan)
        if self.how[0] == "window" and not (like and (2, 2) in a.modes):
            return window.aligned(a, b, self.window.first, self.window.last)
        if (2, 2) not in a.modes:
            raise WaveError("(2,2), whose phase aligns B with A at the peak, is zero or faint in one of them: align them in a window, for "
                            "instance --align window -5 20, in M from A's peak; --modes chooses what is compared")
        return align.at_peak(a, b)

    @cached_property
    def scatter(self):
        """The window.Scatter of alignments in parts of the window; None where there is no window."""
        if self.how[0] != "window":
            return None
        # Alignments of b as it is aligned already: shifts are those from the whole window's.
        return window.scatter(self.a, self.b, (self.window.first, self.window.last), align.Alignment(0.0, 0.0, self.alignment.difference),
                              self.modes)

    def mismatches(self):
        return difference.Mismatches(self.a, self.b, self.start)

    def numbers(self, curve):
        """Everything that comes out, for JSON."""
        args = self.args
        mismatches = self.mismatches()
        w = mismatches.window
        out = {
            "a": _entry(args.a, self.entries[0]), "b": _entry(args.b, self.entries[1]), "kind": self.a.kind, "notes": self.notes,
            "alignment": {"how": self.how, "dt": self.alignment.dt + self.peak, "dphi": self.alignment.dphi,
                          "difference": self.alignment.difference, "a_peak": self.peak, **self._windows()},
            "window": {"start": w.start, "end": w.end, "rise": w.rise, "fall": w.fall},
            "noise": {"name": curve.name, "source": curve.source, "f_low": args.f_low,
                      "whole_from": mismatches.whole_from(max(args.f_low, curve.lowest))},
            "modes": {}, "observers": [], "times": "M from the peak of a", "axes": vars(self.axes),
        }
        for lm, d in self.modes.items():
            values = difference.summary(d, 0.0) | {"faint": d.faint, "over_time": self.over_time(lm)}
            if self.scatter:
                values["error"] = {"amplitude_at_peak": float(_at_peak(d, self.scatter.amplitude[lm])),
                                   "phase_at_peak": float(_at_peak(d, self.scatter.phase[lm])),
                                   "amplitude_max": float(self.scatter.amplitude[lm].max()), "phase_max": float(self.scatter.phase[lm].max())}
            out["modes"][name(lm)] = values | _plain(lambda n: mismatches.flat(lm, n)) | {
                "mismatch": _rows(mismatches.mode(lm, curve, args.masses, args.f_low))}
        out["sky"] = _plain(mismatches.sky_flat) | {"mismatch": _rows(mismatches.sky(curve, args.masses, args.f_low))}
        azimuths, polarisations = ([math.radians(x) for x in some] for some in (args.azimuth, args.polarisation))
        for degrees in args.inclination:
            at = math.radians(degrees), azimuths
            out["observers"].append({"inclination_deg": degrees, "azimuth_deg": args.azimuth,
                                     "polarisation_deg": args.polarisation,
                                     "modes": [name(lm) for lm in sorted(self.a.modes)],
                                     "mismatch_flat": mismatches.seen_flat(*at, polarisations).mismatch,
                                     "mismatch": _rows(mismatches.seen(*at, curve, args.masses, args.f_low, polarisations))})
        return out

    def _windows(self):
        """{...} of the windows in which B was aligned."""
        if not self.window:
            return {}
        out = {"why": self.window.why, "proposed": self.args.align == ["window"]}
        if not self.scatter:
            return out
        out["windows"] = [{"first": first, "last": last, "dt": x.dt + self.alignment.dt + self.peak, "dphi": x.dphi + self.alignment.dphi}
                          for (first, last), x in zip(self.scatter.windows, self.scatter.alignments)]
        return out | {"dt_error": self.scatter.dt}

    def over_time(self, lm):
        """[{t, amplitude, phase, and their errors}] of the differences of a mode at round times."""
        d, rows = self.modes[lm], []
        for t in compare_table.round_times(d.t[0], d.t[-1]):
            row = {"t": t, "amplitude": float(_interp(t, d.t, d.amplitude)), "phase": float(_interp(t, d.t, d.phase))}
            if self.scatter:
                row |= {"amplitude_error": float(_interp(t, d.t, self.scatter.amplitude[lm])),
                        "phase_error": float(_interp(t, d.t, self.scatter.phase[lm]))}
            rows.append(row)
        return rows


def recognised(a, b, modes):
    """(waves of A, of B, [what was found]) of two Entries, in the same signs, from when on they are the binary's; WaveError where they are
    not of one binary in one unit, or nothing but noise."""
    stated = a.stated and b.stated
    notes = recognise.check_ratio(a.waves, b.waves, (a.ratio, b.ratio), not stated)
    waves = [entry.waves.cut(entry.begins) for entry in (a, b)]
    notes += recognise.check_noise(*waves, [lm for lm in modes if all(lm in w.modes for w in waves)])
    if not stated:
        recognise.check_units(*waves, waves[0].kind)
    *waves, said = recognise.conjugated(*waves)
    notes += said
    for i, (which, entry) in enumerate(zip("AB", (a, b))):
        if not entry.stated:
            found = window.clean(waves[i], align.peak_time(waves[i]), False)
            if found.begins > waves[i].t[0]:
                notes.append(f"{which} begins in junk radiation or an edge, which is left out: {found.why}")
                waves[i] = waves[i].cut(found.begins)
    return *waves, notes


def _plain(match):
    """{key: mismatch} without a detector of match(n), n the power."""
    return {f"mismatch_{what}": match(n).mismatch for n, what in enumerate(compare_table.PLAIN)}


def _interp(t, times, values):
    return align.spline(times, values)(t) if len(times) > 8 else values[0]


def _at_peak(d, values):
    return values[abs(d.t).argmin()]


def name(lm):
    return f"{lm[0]},{lm[1]}"


def _given(how):
    """(first, last) of `--align window T1 T2', or None of `--align window'."""
    try:
        word, *times = how[0], *map(float, how[1:])
        if word != "window" or len(times) not in (0, 2) or times and not times[0] < times[1]:
            raise ValueError
    except (ValueError, TypeError):
        raise WaveError(f"--align {' '.join(how)}: it is `peak', `none', `window', or `window T1 T2' with T1 < T2") from None
    return tuple(times) or None


def _entry(path, entry):
    return {"path": str(path), "format": entry.form, "from": float(entry.waves.t[0]), "to": float(entry.waves.t[-1]),
            "begins": entry.begins, "notes": entry.notes, "modes": len(entry.waves.modes), "mass": entry.mass, "unit": entry.unit,
            "mass_ratio": entry.ratio}


def _rows(rows):
    return [{"mass": row.mass, "from_hz": row.low, "mismatch": row.match.mismatch, "dt": row.match.dt,
             "dphi": row.match.dphi} for row in rows]
