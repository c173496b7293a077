#!/usr/bin/python3
"""Report on two black holes that merge: ringdown, waves, remnant, picture.

Usage: tools/report.py RUN_FOLDER      (for instance out/head_on)

Prints a table, adds its results to RUN_FOLDER/summary.json and draws RUN_FOLDER/<name of the folder>.png.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tendex import figures, folder, kerr, orbit, radiation, ringdown, table


@dataclass
class Analysis:
    """What is derived from a run folder."""

    mode: tuple  # (l, m) that the ringdown is fitted in
    modes: dict  # {radius: {(l, m): (t, psi4)}}
    fits: dict  # {radius: Ringdown}
    omegas: np.ndarray  # of all windows of all spheres, 1/M, Re >= 0
    energies: dict  # {radius: M}
    remnant: folder.Remnant  # or None
    mass: float  # of the final hole
    exact: complex  # M w of the mode of that hole
    orbit: orbit.Orbit  # or None


def real_if_real(y):
    """The real part where reflection symmetry leaves nothing else."""
    return y.real if np.abs(y.imag).max() <= 1e-6 * np.abs(y.real).max() else y


def analyse(run):
    for key in ("adm_energy", "octant_points"):
        if key not in run.summary:
            raise folder.FolderError(f"{run.path}/summary.json: no {key}")
    modes = run.modes()
    try:
        mode = radiation.strongest(modes[max(modes)], max(modes))
    except ValueError as e:
        raise folder.FolderError(f"{run.path}/waves/mp_psi4.h5: {e}") from e
    missing = [r for r, m in modes.items() if mode not in m]
    if missing:
        raise folder.FolderError(f"{run.path}/waves/mp_psi4.h5: no mode l = {mode[0]}, m = {mode[1]} "
                                 f"at r = {missing[0]:g}")
    fits = {r: ringdown.ringdown(m[mode][0], r * real_if_real(m[mode][1])) for r, m in modes.items()}
    omegas = np.array([f.omega for fit in fits.values() for f in fit.fits])
    # What arrives before light from the holes does is no wave.
    energies = {r: radiation.energy(m, r, arrival=0.5 * r) for r, m in modes.items()}
    remnant = run.remnant()
    mass = remnant.mass if remnant else run.summary["adm_energy"] - energies[max(modes)]
    # A wave that turns clockwise, Re w < 0, is the mirror image of one about the opposite spin.
    turn = 1 if np.median(omegas.real) >= 0 else -1
    exact = kerr.quasinormal(*mode, turn * remnant.chi if remnant else 0.0)
    times, tracks = run.tracks()
    way = orbit.orbit(times, tracks, remnant.first_seen if remnant else None)
    return Analysis(mode, modes, fits, turn * omegas.real + 1j * omegas.imag, energies, remnant, mass, exact, way)


def results(a):
    """What goes into summary.json."""
    outer = max(a.modes)
    m_omega = a.mass * a.omegas
    return {
        "final_mass": a.mass,
        "energy_radiated": a.energies[outer],
        "energy_radiated_at": {f"{r:.2f}": e for r, e in a.energies.items()},
        "ringdown_mode": list(a.mode),
        "ringdown_exact": [a.exact.real, a.exact.imag],
        "qnm_re": float(np.median(m_omega.real)),
        "qnm_im": float(np.median(m_omega.imag)),
        "qnm_re_interval": np.percentile(m_omega.real, [5, 95]).tolist(),
        "qnm_im_interval": np.percentile(m_omega.imag, [5, 95]).tolist(),
        "qnm_window": list(a.fits[outer].window),
        "qnm_fit": {
            f"{r:.2f}": {
                "t_peak": f.t_peak,
                "window_starts": list(f.starts),
                "window_end": f.window[1],
                "windows": len(f.fits),
                "re": a.mass * abs(f.omega.real),
                "im": a.mass * f.omega.imag,
            }
            for r, f in a.fits.items()
        },
    }


def title(run, a):
    _, tracks = run.tracks()
    if len(tracks) != 2:
        return f"{run.name}: gravitational waves"
    if a.orbit is None:
        return f"{run.name}: two black holes collide head-on"
    return f"{run.name}: two black holes orbit each other" + (" and merge" if a.remnant else "")


def draw(run, a, path):
    times, tracks = run.tracks()
    areal = run.table("waves/areal_radius.asc")
    series, windows = [], []
    for r, m in a.modes.items():
        t, psi4 = m[a.mode]
        retard = radiation.retardation(np.median(areal[f"r{r:.2f}"]), a.mass)
        series.append((f"r = {r:g} M", t - retard, r * psi4))
        first = a.fits[r].fits[0]
        windows.append((first.start - retard, first.end - retard, a.fits[r].omega.imag, abs(first.amplitude)))
    extent = np.max([np.abs(x).max(axis=0) for x in tracks], axis=0) if tracks else np.zeros(3)
    plane = "z" if a.orbit or extent[1] > extent[2] else "y"
    scene = figures.Scene(plane, run.grids()[0], run.slice(plane, "alpha"), times, tracks, run.horizons(),
                          list(a.modes), run.summary["octant_points"])
    figures.picture(path, title(run, a), a.mode, series, windows, scene)


def report(path):
    run = folder.Folder(path)
    a = analyse(run)
    run.write_summary(results(a))
    picture = Path(path) / f"{run.name}.png"
    draw(run, a, picture)
    print(table.table(run, a))
    print(f"\n  picture                  {picture}\n  all results              {run.path / 'summary.json'}"
          f"\n  waves                    {run.path / 'waves'}\n  log                      {run.path / 'log.txt'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="run folder, e.g. out/head_on")
    args = parser.parse_args()
    try:
        report(args.folder)
    except (folder.FolderError, ringdown.FitError, OSError) as e:
        print(f"report: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
