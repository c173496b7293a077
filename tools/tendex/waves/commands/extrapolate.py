"""Compute the strain at infinity from the spheres of a run, with an estimate of its error.

psi4 through one sphere is corrected for its finite radius by perturbation theory of a black hole (arXiv:1503.00718, to all
orders in 1/R), for its observers, who fall in with the slice as fast as waves/expansion.asc says, for frame dragging, against
which the shift of waves/turning.asc holds, and for what dissipation took on the way. The sphere is the outermost one that has
seen the ringdown and out to which dissipation takes at most 0.2% of the peak (0.5% of slow binaries, 6% of l = 4). Frequencies so low that
this sphere is in their near zone come from all spheres, by least squares. The result is integrated to strain as in
`tendex-waves strain', and transformed into the centre-of-mass frame (arXiv:1904.04842) of the tracks during the inspiral,
until a tenth of it is left. --centre off keeps the frame of the run.

Errors add in quadrature. Extrapolation to infinity: the largest difference from that sphere alone, from the
finite-radius error if it falls as 1/R, and, where spheres are far apart and far out, from polynomials. Dissipation: a
third of its correction. Integration: from a lower cut-off, and from other continuations of psi4 before its first good
time. Centre of mass: from the second half of the inspiral. Observers and frame dragging: of runs of earlier versions,
which have no waves/expansion.asc or waves/turning.asc.

Optional, with -N or `--method polynomial': polynomial extrapolation in 1/R of amplitude and phase of each mode, over at least
three spheres, of R psi4 at equal retarded times u = t - r_*(R), with R the areal radius over time, r_* = R + 2E ln(R/2E - 1)
and E the ADM energy. Its error is the largest difference from the next order, from the result without the innermost and
without the outermost sphere, and from the perturbative correction. Radii of 30 to 100 M support order 1 only; higher orders
amplify noise and dissipation.

The output is HDF5: a group for each order and for the perturbative correction, with datasets l<l>_m<m> of retarded time, real
and imaginary part of R h; news and psi4 of the result; and its error.

--frame coprecessing writes the modes in the frame that follows the radiation axis without turning about it (arXiv:1109.5224,
1110.2965); news and psi4 are those of the inertial frame, rotated. The dataset `frame' of each group holds time and the
quaternion w, x, y, z of the frame, by which other commands rotate the modes back. Without precession the modes are the same.

    tendex-waves extrapolate out/bbh_q1 -o q1.h5 --json q1.json
"""

import argparse
from pathlib import Path

import numpy as np

from tendex.base.files import write_json
from tendex.waves.commands import arguments as words
from tendex.waves.extraction.spheres import frequency
from tendex.waves.extraction.standard import METHODS, at_infinity, near_zone, of_run, passing
from tendex.waves.holes import christodoulou
from tendex.waves.reading import wavefile
from tendex.waves.reading.run import Run
from tendex.waves.signal import frame
from tendex.waves.signal.infinity import ORDERS, on_times
from tendex.waves.signal.series import trusted

SUMMARY = "compute the strain at infinity and its error"
FRAMES = ("inertial", "coprecessing")
# Modes smaller than this, in the strongest, are not in the table.
SHOWN = 0.01
# Beats smaller than this are those of symmetric binaries.
BEAT = 1e-6


def radii(text):
    try:
        return [float(r) for r in text.replace(",", " ").split()]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of radii") from None


def arguments(parser):
    parser.add_argument("run_folder", metavar="RUN", help="run folder, e.g. out/bbh_q1")
    parser.add_argument("-N", "--order", type=int, choices=ORDERS,
                        help="polynomial of this order (2, if --method polynomial does not say)")
    words.add_centre(parser)
    words.add_start(parser)
    parser.add_argument("--radii", metavar="R,...", type=radii,
                        help="coordinate radii of the spheres to use; the correction is that of the outermost; one alone: slow parts from all")
    parser.add_argument("--method", choices=METHODS, help="see above")
    parser.add_argument("--cutoff", metavar="W0", type=words.frequency, help="as for `tendex-waves strain'")
    parser.add_argument("--frame", choices=FRAMES, default=FRAMES[0], help="of the modes that are written (%(default)s)")
    parser.add_argument("-o", "--output", metavar="FILE", help="HDF5 file (default: RUN/analysis/extrapolated.h5)")
    parser.add_argument("--text", metavar="FOLDER", help="write <FOLDER>/<wave>/l<l>_m<m>.asc too")
    parser.add_argument("--json", metavar="FILE", help="write the numbers of the table in full precision")


def main_modes(found):
    """(l, m) with m >= 0 of modes that are not faint between the junk radiation and the end, the strongest first."""
    wave = trusted(found.strain).cut(first=found.reference)
    size = {lm: np.abs(v).max() for lm, v in wave.modes.items() if lm[1] >= 0}
    return sorted((lm for lm in size if size[lm] >= SHOWN * max(size.values())), key=lambda lm: -size[lm])


def sources(run, found):
    """{name: Waves of strain over retarded time}: each sphere, each order, perturbative."""
    rows = {}
    for s, psi4 in zip(found.finite, found.spheres):
        rows[f"r = {s.radius:g}"] = passing(run, s, psi4, found.cutoff)
    for n, wave in found.orders.items():
        rows[f"order {n}"] = wave
    rows["perturbative"] = found.perturbative
    return rows


def row(wave, best, l, m, at):
    """Amplitude, phase less the best's, and frequency at the best's time number `at`, in M; None if the wave has not
    got there."""
    near = best.t[max(at - 4, 0):at + 5]
    if near[0] < wave.t[0] or near[-1] > wave.t[-1]:
        return None
    values, here = on_times(wave, near).mode(l, m), best.mode(l, m)[at]
    middle = int(np.flatnonzero(near == best.t[at])[0])
    return {"amplitude": float(abs(values[middle]) / best.mass),
            "phase": float(np.angle(values[middle] * np.conj(here))),
            "frequency": float(frequency(near, values)[middle] * best.mass)}


def numbers(run, found):
    """All that the table has, and more digits, for --json."""
    best = found.strain
    at = int(np.abs(best.t - found.peak).argmin())
    tables, waves = [], sources(run, found)
    for l, m in main_modes(found):
        error = found.error.at(found.peak, l, m)
        parts = {name: dict(zip(("amplitude", "phase"), (float(x[at]) for x in found.error.difference(name, l, m))))
                 for name in found.error.others}
        rows = {name: row(w, best, l, m, at) for name, w in waves.items()}
        tables.append({"l": l, "m": m, "rows": rows, "best": row(best, best, l, m, at),
                       "error": {"amplitude": error[0], "phase": error[1]}, "differences": parts,
                       "near_zone": near_until(found, l, m)})
    return {"run": run.name, "mass": run.mass, "method": found.method, "order": found.order, "radii": found.radii,
            "cutoff": found.cutoff, "start": found.start, "peak": found.peak / run.mass, "notes": found.notes, "modes": tables,
            "centre": about(found),
            "psi4": psi4_peaks(run, found)}


def near_until(found, l, m):
    """{radius: retarded time until which, from the reference time on, it is in the mode's near zone} of spheres that are."""
    near, t = near_zone(found.strain, l, m), found.strain.t
    wave = (t >= found.reference) & (t <= found.peak)
    until = {}
    for s in found.finite if m else []:
        inside = np.flatnonzero(wave & (near > s.areal))
        if inside.size:
            until[f"{s.radius:g}"] = float(t[inside[-1]])
    return until


def about(found):
    """Of the centre of mass; None in the run's own frame. Lengths and times in the run's unit."""
    c = found.centre
    if c is None:
        return None
    return {"position": c.position.tolist(), "velocity": c.velocity.tolist(), "from": c.first, "to": c.last, "orbits": c.orbits,
            "rest": c.left, "at_peak": c.at(found.peak).tolist(), "beats": list(found.beats) if found.beats else None}


def psi4_peaks(run, found):
    """R |psi4| M at its peak after the junk, of the strongest mode: of each sphere, as it is and corrected, and at
    infinity."""
    result = found.psi4.cut(found.reference)
    l, m = max((lm for lm in result.modes if lm[1] >= 0), key=lambda lm: np.abs(result.modes[lm]).max())

    def top(wave):
        wave = wave.cut(found.reference, found.strain.t[-1])
        return float(np.abs(wave.mode(l, m)).max() * wave.mass)
    spheres = {}
    for s in run.spheres():
        here = passing(run, s, s, found.cutoff)
        if here.t[-1] > found.peak:
            spheres[f"{s.radius:g}"] = {"as it is": top(here), "corrected": top(at_infinity(run, s, found.cutoff))}
    return {"l": l, "m": m, "spheres": spheres, "result": top(found.psi4)}


def show(run, n):
    how = f"polynomial of order {n['order']} in 1/R through spheres" if n["order"] else "perturbative correction"
    print(f"{run.name}: {how} of r = {', '.join(f'{r:g}' for r in n['radii'])} M; M = {n['mass']:.6g}; "
          f"cut-off {n['cutoff'] * n['mass']:.4g}/M for m = 1")
    if n["start"] is not None:
        print(f"psi4 is good from u = {n['start']:.1f} M; before, the inspiral is continued backwards")
    for note in n["notes"]:
        print(f"  note: {note}")
    c = n["centre"]
    if c:
        vector = lambda v, form: "(" + ", ".join(format(round(x, 12) + 0.0, form) for x in v) + ")"
        print(f"Frame of the centre of mass: at {vector(c['position'], '.4f')} M at t = 0, velocity {vector(c['velocity'], '.1e')}; "
              f"{c['orbits']:.1f} orbits, t = {c['from']:.0f} to {c['to']:.0f} M; at the peak {vector(c['at_peak'], '.4f')} M"
              + (f"; (2,1) and (3,3) beat with (2,2) by {c['beats'][0]:.1e}, now {c['beats'][1]:.1e} of it" if c["beats"] and c["beats"][0] > BEAT else ""))
    print(f"Strain at its peak, u = {n['peak']:.2f} M; phase differences from the result")
    for table in n["modes"]:
        print(f"\n  ({table['l']},{table['m']})                    |R h|/M   phase/rad     M w")
        for name, values in {**table["rows"], "result": table["best"]}.items():
            print(f"    {name:<20}" + ("  not available yet" if values is None else
                  f"{values['amplitude']:10.6f}  {values['phase']:10.5f}"
                  + (f"  {values['frequency']:7.4f}" if table["m"] else "")))
        error = table["error"]
        print(f"    {'error':<20}{error['amplitude']:10.2%}  {error['phase']:10.5f}   from:")
        for name, part in table["differences"].items():
            print(f"      {name:<28}{part['amplitude']:+9.3%}  {part['phase']:+9.5f}")
        near = table["near_zone"]
        if near:
            print(f"    near zone (r < l/w): r = {', '.join(near)} M, until u = {', '.join(f'{u:.0f}' for u in near.values())} M")
    top = n["psi4"]
    print(f"\n  psi4 ({top['l']},{top['m']}): peak of R |psi4| M; corrected it should not depend on R")
    for r, values in top["spheres"].items():
        print(f"    {'r = ' + r:<20}{values['as it is']:10.6f}   corrected {values['corrected']:10.6f}")
    print(f"    {'result':<20}{top['result']:10.6f}")


def coprecessing(groups, best, reference):
    """(groups in the coprecessing frame, {name: quaternions [n][4]}), each of strain in its own, news and psi4 of the
    result in that of its strain. At the time `reference' a frame is turned least."""
    frames = {name: frame.coprecessing(w, reference) for name, w in groups.items() if w.kind == "strain"}
    frames.update({name: frames[best] for name, w in groups.items() if w.kind != "strain"})
    return {name: frame.turned(w, frames[name]) for name, w in groups.items()}, frames


def run(args):
    folder = Run(args.run_folder)
    folder.start = args.start
    found = of_run(folder, args.order, args.radii, args.method, args.cutoff, args.centre)
    output = Path(args.output or folder.path / "analysis" / "extrapolated.h5")
    groups = {wavefile.name_of(w, n): w for n, w in found.orders.items()}
    groups[wavefile.name_of(found.perturbative)] = found.perturbative
    best = wavefile.name_of(found.strain, found.order)
    groups[wavefile.name_of(found.news, found.order)] = found.news
    groups[wavefile.name_of(found.psi4, found.order)] = found.psi4
    errors = {lm: found.error.over_time(*lm) for lm in found.strain.modes}
    frames = {}
    if args.frame == "coprecessing":
        groups, frames = coprecessing(groups, best, found.reference)
    wavefile.write(output, groups, best, errors, frames, frame=args.frame, cutoff=found.cutoff,
                   code_version=folder.version, run=folder.name, method=found.method, spheres=found.radii,
                   peak=found.peak, reference_time=found.reference, **{wavefile.UNIT: christodoulou.together(folder)},
                   **({} if found.start is None else {"start": found.start}),
                   **(found.centre.attributes(1.0) if found.centre else {}))
    if args.text:
        wavefile.write_text(args.text, groups, frames)
    values = numbers(folder, found)
    show(folder, values)
    print(f"\nwritten: {output}" + (f", {args.text}/" if args.text else ""))
    if args.json:
        write_json(args.json, values)
