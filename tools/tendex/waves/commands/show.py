"""Draw a run, finished or still going, on one page: psi4 and strain in retarded time, their amplitudes and frequency, tracks,
separation and horizons, the solve for the initial data, constraints, grid, speed and phases.

Panels without data are left out; the foot of the page names what could not be read. Panels of one mode show the strongest
with l = 2, or that of --mode. Strain comes from psi4 as in `tendex-waves strain'. With --series a panel has the errors of the strain
as `tendex-waves converge' bounds them.

    tendex-waves show out/bbh_qc0 --html bbh_qc0.html
"""

from pathlib import Path

import numpy as np

from tendex.base.folder import FolderError, holes_of
from tendex.physics import kerr
from tendex.waves.commands import arguments as words
from tendex.waves.commands import series_budget
from tendex.waves.extraction import standard
from tendex.waves.holes import hole
from tendex.waves.pictures import html, plots, plots_cost, plots_holes, plots_waves
from tendex.waves.pictures.page import Page
from tendex.waves.reading import live
from tendex.waves.reading.run import Run
from tendex.waves.signal import ffi, series
from tendex.waves.signal.modes import WaveError

# Residuals of the solves for initial data.
ELLIPTIC = "elliptic.asc"
SUMMARY = "draw a run, finished or still going, on one page"


def arguments(parser):
    parser.add_argument("folder", metavar="RUN", help="run folder, e.g. out/bbh_qc0")
    parser.add_argument("-o", "--output", metavar="FILE", help="picture to write, .png or .pdf or any other that "
                        "matplotlib knows; default: RUN/analysis/page.png")
    parser.add_argument("--pdf", action="store_true", help="write the same page as PDF beside it")
    parser.add_argument("--html", metavar="FILE", help="write one file for a browser instead, or beside -o: plots that zoom, "
                        "show values, and hide and show curves; it needs plotly when it is made, and no network when it is read")
    words.add_series(parser)
    words.add_start(parser)
    parser.add_argument("--mode", metavar="L,M", type=words.mode, help="mode of the panels that show one (write --mode=2,-1 "
                        "where m < 0)")


def run(args):
    folder = live.Live(args.folder)
    folder.start = args.start
    page, missing = make(folder, args.mode, args.series)
    files = [Path(args.output) if args.output else Path(args.folder) / "analysis" / "page.png"]
    if args.pdf and files[0].suffix != ".pdf":
        files.append(files[0].with_suffix(".pdf"))
    if args.html:
        html.save(args.html, page, lambda make_data, *args: tried(missing, make_data, *args))
    if args.html and not args.output and not args.pdf:
        files = []
    elif not args.output:
        files[0].parent.mkdir(exist_ok=True)
    if files:
        _draw(page, files)
    for line in missing:
        print(f"  not shown: {line}")
    for file in files + ([args.html] if args.html else []):
        print(f"  {file}")


def _draw(page, files):
    with plots.style():
        try:
            plots.save(page.draw(), files)
        except ValueError as e:  # of matplotlib: a suffix that it does not know
            raise WaveError(f"{files[0]}: {e}") from e


def make(folder, chosen=None, coarser=()):
    """(Page, what is not shown) of a live.Live; `chosen`: (l, m) or None; coarser: paths of runs of the series, the coarsest first."""
    missing = folder.missing
    waves = tried(missing, wave_data, folder, chosen, coarser)
    if chosen and waves is None:
        raise WaveError(f"{folder.path}: --mode {chosen[0]},{chosen[1]}: " + (missing[-1] if missing else "no waves"))
    holes = tried(missing, hole_data, folder)
    return Page(folder, waves, holes, cost_data(folder)), missing


def tried(missing, make_data, *args):
    """What it makes, or None with a line in `missing`, where each stands once."""
    try:
        return make_data(*args)
    except (FolderError, WaveError) as e:
        if str(e) not in missing:
            missing.append(str(e))
        return None


def strongest(modes):
    """Of the main modes the first with l = 2; else the first."""
    return next((lm for lm in modes if lm[0] == 2), modes[0] if modes else (2, 2))


def wave_data(folder, chosen=None, coarser=()):
    """WaveData, or None where the run has no spheres. Raises WaveError, FolderError for data that cannot be shown."""
    if not folder.parameters.get("waves.radii"):
        return None
    psi4 = folder.spheres()
    energy = folder.adm_energy if folder.has_holes else 0.0
    spheres = [series.retarded(w, energy, folder.areal(w.radius)) for w in psi4]
    junk = folder.reference_time() if folder.has_holes else -np.inf
    modes = series.main_modes(series.after(spheres[-1], junk))
    lm = chosen or strongest(modes)
    spheres[-1].mode(*lm)
    data = plots_waves.WaveData(lm, spheres, [], junk=junk, modes=modes or [lm])
    add_remnant(folder, data)
    found = add_strain(folder, data, psi4, energy)
    if coarser and found:
        data.budget = tried(folder.missing, budget_of, folder, found, coarser, lm)
    return data


def budget_of(folder, found, coarser, mode):
    """The budget.Laid of one mode, unaligned, from coarser runs."""
    runs = [Run(path) for path in coarser]
    made = series_budget.of([*runs, folder], best=found, modes=[mode] if mode[1] else None)
    folder.notes += [f"Errors: {note}" for note in made.notes]
    if mode not in made.modes:
        raise WaveError(f"--series: mode {mode[0]},{mode[1]} has no phase, and no bound of its error" if not made.faint else f"--series: {made.notes[-1]}")
    return made.modes[mode].unaligned


def add_remnant(folder, data):
    """What the frequency is compared with: the orbit's, and the ringdown's of the hole that is left."""
    remnant, (t, tracks), (l, m) = folder.remnant(), folder.tracks(), data.mode
    if len(tracks) == 2 and m:
        data.orbital = series.orbital_frequency(t, tracks)
    if remnant:
        late = series.after(data.psi4[-1], data.junk)
        found = series.frequency(late.t, late.mode(l, m), plots_waves.LOUD)
        # Modes m and -m of a wave turn opposite ways; it is the wave's sense about z that the spin is taken along.
        clockwise = found is not None and found.turning and m * np.nanmedian(found.omega) < 0
        data.ringing = kerr.quasinormal(l, abs(m), -remnant.chi if clockwise else remnant.chi).real / remnant.mass
        data.merger = remnant.first_seen


def add_strain(folder, data, psi4, energy):
    """At infinity where that can be, what standard.of_run made; else through the spheres only, and a line that says why."""
    found = tried(folder.missing, standard.of_run, folder) if folder.has_holes else None
    if found is None:
        finite = tried(folder.missing, integrated, folder, psi4) or []
    else:
        finite, data.infinity = found.finite, series.trusted(found.strain)
        how = f"order {found.order}" if found.order else f"from r = {found.radii[-1]:.3g}"
        data.way = f"at infinity, {how}" + ("" if found.start is None else f", good from u = {found.start:.0f} M")
        error = np.hypot(found.error.amplitude(*data.mode), found.error.phase(*data.mode))
        data.error = (error * found.error.size(*data.mode))[: len(data.infinity.t)]
        folder.notes += ["Strain: " + "; ".join(found.notes)] if found.notes else []
    data.strain = [series.trusted(series.retarded(w, energy, folder.areal(w.radius))) for w in finite]
    return found


def integrated(folder, psi4):
    """[Waves] of strain through the spheres."""
    cutoff = standard.default_cutoff(folder, psi4)
    return [ffi.strain(w, cutoff) for w in psi4]


def hole_data(folder):
    """HoleData, or None where there are neither punctures nor horizons."""
    t, tracks = folder.tracks()
    horizons = folder.horizons()
    if not tracks and not horizons:
        return None
    surfaces = {k: folder.surface(k) for k in horizons}
    octants = tried(folder.missing, folder.first_grid)
    table = folder.searches()
    of = holes_of(table) if horizons else {}
    inspirals = {k: hole.inspiral(table, k) for k in horizons if len(of[k]) == 1}
    return plots_holes.HoleData(t, tracks, horizons, {k: s for k, s in surfaces.items() if len(s[0])},
                                octants, folder.reached, inspirals, folder.settled_time() if tracks else 0.0, of, folder.orbit_axis)


def cost_data(folder):
    data = plots_cost.CostData(folder.log, end=folder.reached)
    table = tried(folder.missing, folder.table, "constraints.asc")
    if table is not None and len(table["time"]):
        data.norms, data.times = series.norms(table), table["time"]
    if (folder.path / ELLIPTIC).exists():  # not of data that were not solved for on the grid
        data.solves = tried(folder.missing, solves, folder)
    return data


def solves(folder):
    table, asked = folder.table(ELLIPTIC), folder.parameters
    return plots_cost.solves(table, asked.get("elliptic.method", "multigrid"), asked.get("elliptic.tolerance"))
