"""Measure the orbital eccentricity of a binary, and propose initial momenta that reduce it.

The run may have any length and may still be going. The rate of change of the separation and the orbital frequency, from the
tracks of the punctures, are fitted by a smooth inspiral, one oscillation at the radial frequency, which follows from the
orbital one, and oscillations at twice the orbital frequency from the coordinates and from in-plane spins (arXiv:1012.1549,
1203.4258). The window begins after half an orbit and at least 100 M, when junk radiation and gauge pulse have left. It ends
after 1.5 radial periods, or earlier: at the end of the tracks, below a separation of 6.5 M, or 1.5 orbits before the merger.
It must hold 1.1 radial periods.

Eccentricities are those at t = 0: medians over windows, trends and radial frequencies, with their root-mean-square difference
as error. They depend on the coordinates: that of Omega is up to a fifth lower. From the waves: e_gw of the frequency of (2,2)
at infinity, in the standard definition of arXiv:2302.11257, at the first extremum between two others; three are needed.

The proposed momenta at t = 0 remove the oscillation, by the 2PN Hamiltonian (arXiv:gr-qc/9912092); they are printed as lines for
the parameter file. Insert them, run three orbits, and repeat: each time the eccentricity should fall by a factor of 3 or more,
until it is as small as its error. initial_data.type quasi_circular takes no momenta: its lines are those of two_punctures.

    tendex-waves eccentricity out/bbh_q1 --plot eccentricity.png
"""

from tendex.base.files import write_json
from tendex.waves.inspiral.eccentricity_run import correction, of_run, of_tracks, of_waves
from tendex.waves.pictures import eccentricity_plot
from tendex.waves.reading.run import Run
from tendex.waves.signal.modes import WaveError

SUMMARY = "measure the orbital eccentricity, and propose momenta that reduce it"


def arguments(parser):
    parser.add_argument("folder", metavar="RUN", help="run folder, e.g. out/bbh_q1")
    parser.add_argument("--from", dest="first", type=float, metavar="T",
                        help="start of the fit [M]; default: after half an orbit, at least 100 M")
    parser.add_argument("--to", dest="last", type=float, metavar="T",
                        help="end of the fit [M]; default: after two radial periods, 1.5 orbits before the merger, or at the end "
                             "of the tracks")
    parser.add_argument("--json", metavar="FILE", help="write all numbers in full precision")
    parser.add_argument("--plot", metavar="FILE", help="picture of the fit to write, .png or .pdf")


def run(args):
    folder = Run(args.folder)
    try:
        fit = of_run(folder, args.first, args.last)
    except WaveError as e:
        raise WaveError(f"{folder.path}: {e}") from e
    found = {"run": folder.name, "version": folder.version, "tracks": of_tracks(fit), "waves": of_waves(folder),
             "correction": correction(folder, fit)}
    print(text(found))
    if args.json:
        write_json(args.json, found)
    if args.plot:
        eccentricity_plot.draw(fit, folder.name, args.plot)


def text(found):
    f, w, c = found["tracks"], found["waves"], found["correction"]
    out = [f"{found['run']}: eccentricity at t = 0, D = {f['separation']:.5g}",
           line("window", f"t = {f['window'][0]:.4g} to {f['window'][1]:.4g}, {f['orbits'][0]:.2f} to "
                f"{f['orbits'][1]:.2f} orbits, {f['periods']:.2f} radial periods"),
           line("e of dD/dt", f"{f['e']:.6f} +- {f['e_error']:.6f}"),
           line("e of Omega", f"{f['e_frequency']:.6f} +- {f['e_frequency_error']:.6f}"),
           line("radial / orbital", f"{f['k']:.4f} in frequency; M Omega = {f['frequency']:.6g} at t = 0")]
    if "none" in w:
        out.append(line("e_gw of (2,2)", f"none: {w['none']}"))
    else:
        out.append(line("e_gw of (2,2)", f"{w['e_gw']:.6f} +- {w['e_gw_error']:.6f} at u = {w['t']:.4g}, {len(w['periastra'])} periastra, "
                        f"{len(w['apastra'])} apastra"))
    if "none" in c:
        return "\n".join([*out, line("new momenta", f"none: {c['none']}")])
    out += ["", "Momenta that remove the oscillation"]
    for name in ("tangential", "radial"):
        factor = c[f"factor_{name}"]
        times = "" if factor is None else f", times {factor:.6f}"
        out.append(line(name, f"{c[name]:.8g} {c[f'change_{name}']:+.4e}{times}"))
    if f["e"] < 2 * f["e_error"]:
        out.append("  The eccentricity is within twice its error: a correction may not lower it.")
    if c["type"] == "quasi_circular":
        out.append("  quasi_circular takes no momenta; the same holes as two_punctures, in place of what it had:")
    return "\n".join([*out, "", "initial_data:", *(f"  {x}" for x in c["lines"])])


def line(name, value):
    return f"  {name:<18} {value}"
