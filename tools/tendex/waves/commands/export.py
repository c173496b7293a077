"""Write the waves of a run in the format of a catalogue.

  sxs     rPsi4_ and rh_FiniteRadii_CodeUnits.h5, rMPsi4_ and rhOverM_Asymptotic_GeometricUnits.h5, metadata.json
  lvcnr   one HDF5 file (arXiv:1703.01076) for LALSimulation and PyCBC: Format 3 or 2, with the motion of the holes,
          if tracks and horizons exist, else 1
  rit     metadata as text, strain as lvcnr, psi4 as text in a tar.gz

The strain is that of `tendex-waves extrapolate' at infinity, in the centre-of-mass frame unless --centre is off. In that frame
sxs has two files at infinity, as its catalogue does: one in the frame of the run, and one whose name ends in _CoM. All is in
units of M, the sum of the holes' Christodoulou masses when the junk has left. Metadata that no run holds, such as authors and
license, come from --meta FILE with lines `key = value', or from --set KEY=VALUE. The keys are name, alternative-names, authors,
email, group, license, bibtex-keys, code-bibtex-keys, keywords, comparable-simulation, files-in-error-series, production-run, and
for rit catalog-tag, resolution-tag, id-tag. Separate authors by commas; one may be `Name <mail>'. Files go to
RUN/analysis/<format> unless -o says otherwise.

With --series, the other runs of a series of resolutions, the error budget of `tendex-waves converge' is in the metadata, and over time
in NAME_errors.h5 beside the waves.

    tendex-waves export out/bbh_q1 --format sxs lvcnr --set authors='Jane Doe'
"""

from dataclasses import asdict, replace
from pathlib import Path

from tendex.base.files import write_json
from tendex.waves.catalogues import export_errors, export_lvcnr, export_rit, export_sxs, metadata
from tendex.waves.commands import arguments as words
from tendex.waves.commands import series_budget
from tendex.waves.extraction import centre as centres
from tendex.waves.extraction import standard
from tendex.waves.reading.run import Run
from tendex.waves.signal.infinity import ORDERS
from tendex.waves.signal.modes import WaveError

SUMMARY = "write waves and metadata in the format of the SXS, LVC-NR or RIT catalogue"
FORMATS = ("sxs", "lvcnr", "rit")
TOLERANCE = 1e-6


def arguments(parser):
    parser.add_argument("folder", metavar="RUN", help="run folder, e.g. out/bbh_q1")
    parser.add_argument("--format", required=True, nargs="+", choices=FORMATS, help="one or more formats")
    parser.add_argument("-o", metavar="PATH", help="folder to write to, one below it for each format if there are "
                        "several; with lvcnr alone also a file, NAME.h5")
    parser.add_argument("--meta", metavar="FILE", help="file of metadata, lines `key = value'")
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[],
                        help="set one key of the metadata; may be repeated")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, metavar="X",
                        help="tolerance of the splines of lvcnr and rit, in r h/M and radians (%(default)g)")
    words.add_series(parser)
    words.add_centre(parser)
    words.add_start(parser)
    parser.add_argument("--order", type=int, choices=ORDERS, help="order of the extrapolation of lvcnr, rit and psi4")
    parser.add_argument("--cutoff", type=words.frequency, metavar="W",
                        help="cut-off of the integration, for m = 1 [1/M]")
    parser.add_argument("--json", metavar="FILE", help="write all facts about the run in full precision")


def places(folder, formats, out):
    """{format: Path to write to}: folders, but for lvcnr a file."""
    if out is None:
        found = {name: Path(folder) / "analysis" / name for name in formats}
    elif len(formats) > 1:
        found = {name: Path(out) / name for name in formats}
    else:
        found = {formats[0]: Path(out)}
    if "lvcnr" in found and found["lvcnr"].suffix != ".h5":
        found["lvcnr"] = found["lvcnr"] / f"{Path(folder).resolve().name}.h5"
    for name, path in found.items():
        where = path.parent if name == "lvcnr" else path
        if where.exists() and not where.is_dir():
            what = "a file in one" if name == "lvcnr" else "several files"
            raise WaveError(f"{where}: is not a folder, and {name} is {what}")
        where.mkdir(parents=True, exist_ok=True)
    return found


def export(run, formats, out=None, values=None, tolerance=TOLERANCE, order=None, cutoff=None,
           centre=centres.CENTRES[0], coarser=()):
    """Write; returns (Facts, what standard.of_run made, [paths], [lines about them]). values: of metadata.user; coarser: [Run] of the series, the
    coarsest first."""
    formats = list(dict.fromkeys(formats))
    values = metadata.DEFAULTS if values is None else values
    made = standard.of_run(run, order=order, cutoff=cutoff, centre=centre)
    facts, signs = metadata.facts(run, made), metadata.signs(run)
    written, remarks, budget = [], [], None
    if coarser:
        budget = Budget(series_budget.of([*coarser, run], best=made), facts.unit_of_mass)
        facts = replace(facts, errors=budget.about)
        remarks += budget.series.notes
    for name, path in places(run.path, formats, out).items():
        if name == "sxs":
            written += export_sxs.write(path, run, made, facts, values, signs)
            remarks += export_sxs.remarks(run, made)
            written += budget.write(path / f"{facts.run}_errors.h5") if budget else []
            continue
        if name == "lvcnr":
            wave, kept, total = export_lvcnr.write(path, run, made, facts, values, signs, tolerance)
            written.append(path)
        else:
            more, wave, kept, total = export_rit.write(path, run, made, facts, values, signs, tolerance)
            written += more
        if budget:
            file = path.with_name(f"{path.stem}_errors.h5") if name == "lvcnr" else path / f"{facts.run}_errors.h5"
            written += budget.write(file, export_lvcnr.prepared(made, facts.unit_of_mass)[1])
        remarks.append(f"{name}: t = {wave.t[0]:.1f} to {wave.t[-1]:.1f} M; splines to {tolerance:g} keep {kept} "
                       f"of {total} samples")
    return facts, made, written, remarks


class Budget:
    """Of a Series, for files in units of a mass."""

    def __init__(self, series, unit):
        self.series, self.unit = series, unit
        self.numbers = series_budget.in_own_units(series)
        self.snr = series_budget.signal_to_noise(series)
        self.about = export_errors.summary(self.numbers, series.modes, self.snr, series.laid and series.laid.peak, [f.name for f in series.folders], unit)

    def write(self, file, zero=0.0):
        """[the file], written."""
        export_errors.write(file, self.numbers, self.series.modes, self.snr, self.unit, self.about, zero)
        return [file]


def run(args):
    values, missing = metadata.user(args.meta, args.set)
    folder = Run(args.folder)
    folder.start = args.start
    facts, made, files, remarks = export(folder, args.format, args.o, values, args.tolerance, args.order,
                                         args.cutoff, args.centre, [Run(path) for path in args.series])
    print(table(facts, made))
    for line in facts.mass_notes + remarks + made.notes:
        print(line)
    for file in files:
        print(f"{file.stat().st_size / 1024:10.0f} KB  {file}")
    if missing:
        print(f"not given, and left empty: {', '.join(missing)}. Catalogues ask for them: --meta FILE or --set "
              "KEY=VALUE.")
    if args.json:
        write_json(args.json, {**asdict(facts), "kind": facts.kind,
                               "files": [str(f) for f in files]})


def table(facts, made):
    """What goes into the metadata, for the screen."""
    (one, two), unit = facts.holes, facts.unit_of_mass
    vector = lambda v: "(" + ", ".join(f"{x:.6f}" for x in v) + ")"
    known = lambda v, form: "not known" if v is None else form(v)
    rows = [
        ("run", f"{facts.run}, Tendex {facts.version}"),
        ("unit", f"M = {unit:.8g} in the run's own; all is in units of M"),
        ("masses", f"{one.reference_mass:.6f} + {two.reference_mass:.6f}, initially {one.mass:.6f} + {two.mass:.6f}"),
        ("spins", f"{vector(one.reference_chi)} and {vector(two.reference_chi)}: {facts.kind}"),
        ("reference time", f"{facts.reference_time:.2f}, orbital frequency {facts.omega:.6f}; at t = 0 "
         + known(facts.initial_omega, "{:.6f}".format)),
        ("eccentricity", known(facts.eccentricity, "{:.4f}".format) +
         (f": {facts.eccentricity_note}" if facts.eccentricity_note else "")),
        ("orbits", known(facts.orbits, "{:.2f}".format)),
        ("common horizon at", known(facts.common_horizon_time, "{:.2f}".format)),
        ("remnant", known(facts.remnant_mass, lambda m: f"mass {m:.6f}, spin {vector(facts.remnant_chi)}, velocity "
                          + known(facts.remnant_velocity, lambda v: "(" + ", ".join(f"{x:.1e}" for x in v) + ")"))),
        ("waves", (f"order {made.order} in 1/R over the run's r = {', '.join(f'{r:g}' for r in made.radii)}" if made.order else
                   f"perturbative correction of the run's r = {made.radii[-1]:g}") + f"; cut-off {made.cutoff * unit:.5f}"
         + ("" if made.start is None else f"; good from u = {made.start / unit:.1f}")),
        ("frame", "the run's own" if made.centre is None else
         f"centre of mass, at {vector(made.centre.position / unit)} at t = 0, velocity {vector(made.centre.velocity)}"),
    ]
    return "\n".join(f"{name + ':':<20}{value}" for name, value in rows)
