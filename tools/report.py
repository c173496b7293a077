#!/usr/bin/python3
"""Report on a head-on collision: ringdown, energy, picture; adds its results to summary.json.

Usage: tools/report.py RUN_FOLDER      (for instance out/head_on)
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from tendex import figures, folder, radiation, ringdown

MODE = (2, 0)
# Slowest l = 2 mode of Schwarzschild, times M, by Leaver's method (Proc. R. Soc. A 402, 285, 1985).
EXACT = 0.3736717 - 0.0889623j


def real_if_real(y):
    """The real part where reflection symmetry leaves nothing else."""
    return y.real if np.abs(y.imag).max() <= 1e-6 * np.abs(y.real).max() else y


def fit_spheres(modes):
    """{radius: Ringdown}, and all windows of all spheres taken together."""
    fits = {r: ringdown.ringdown(m[MODE][0], r * real_if_real(m[MODE][1])) for r, m in modes.items()}
    omegas = np.array([f.omega for fit in fits.values() for f in fit.fits])
    return fits, omegas


def results(run, radii, fits, omegas, energies):
    """What goes into summary.json."""
    outer = max(radii)
    final_mass = run.summary["adm_energy"] - energies[outer]
    m_omega = final_mass * omegas
    return {
        "final_mass": final_mass,
        "energy_radiated": energies[outer],
        "energy_radiated_at": {f"{r:.2f}": e for r, e in energies.items()},
        "qnm_re": float(np.median(m_omega.real)),
        "qnm_im": float(np.median(m_omega.imag)),
        "qnm_re_interval": np.percentile(m_omega.real, [5, 95]).tolist(),
        "qnm_im_interval": np.percentile(m_omega.imag, [5, 95]).tolist(),
        "qnm_window": list(fits[outer].window),
        "qnm_fit": {
            f"{r:.2f}": {
                "t_peak": f.t_peak,
                "window_starts": list(f.starts),
                "window_end": f.window[1],
                "windows": len(f.fits),
                "re": final_mass * f.omega.real,
                "im": final_mass * f.omega.imag,
            }
            for r, f in fits.items()
        },
    }


def draw(run, modes, fits, mass, path):
    times, tracks = run.tracks()
    areal = run.table("waves/areal_radius.asc")
    series, windows = [], []
    for r, m in modes.items():
        t, psi4 = m[MODE]
        retard = radiation.retardation(np.median(areal[f"r{r:.2f}"]), mass)
        series.append((f"r = {r:g} M", t - retard, r * psi4))
        first = fits[r].fits[0]
        windows.append((first.start - retard, first.end - retard, fits[r].omega.imag, abs(first.amplitude)))
    figures.head_on(path, f"{run.path.name}: two black holes collide head-on", series, windows,
                    run.grids()[0], run.slice("y", "alpha"), times, tracks, list(modes),
                    run.summary["octant_points"])


def table(s, by_program):
    """The lines that the user sees."""

    def line(name, got, interval, exact):
        off = 100 * (got / exact - 1)
        return (f"  {name:<24} {got:9.5f}   [{interval[0]:8.5f}, {interval[1]:8.5f}]   "
                f"{exact:9.5f}   {off:+6.2f} %")

    w = s["qnm_window"]
    rows = [
        "",
        f"  {'ringdown, l = 2, m = 0':<24} {'fitted':>9}   {'90% of windows':^20}   {'exact':>9}   {'off':>6}",
        line("frequency Re M w", s["qnm_re"], s["qnm_re_interval"], EXACT.real),
        line("damping   Im M w", s["qnm_im"], sorted(s["qnm_im_interval"]), EXACT.imag),
        f"  windows start {ringdown.START_FIRST:g} to {ringdown.START_LAST:g} M after the last extremum of "
        f"|psi4| that reaches {100 * ringdown.PEAK_FRACTION:g}% of the largest;",
        f"  at the outer sphere the first window is t = {w[0]:.1f} to {w[1]:.1f} M",
        "",
        f"  {'energy radiated':<24} {s['energy_radiated']:.3e} M      (through the outer sphere; the run's "
        f"own sum {by_program:.3e} M)",
        f"  {'mass of the final hole':<24} {s['final_mass']:.6f} M",
    ]
    speed = [("speed", "m_per_hour", "{:.0f} M/hour"), ("", "point_stages_per_s", "{:.3g} point-stages/s"),
             ("evolution", "evolution_wall_s", "{:.0f} s")]
    rows += [f"  {name:<24} {text.format(s[key])}" for name, key, text in speed if key in s]
    return "\n".join(rows)


def report(path):
    run = folder.Folder(path)
    for key in ("adm_energy", "octant_points"):
        if key not in run.summary:
            raise folder.FolderError(f"{path}/summary.json: no {key}")
    modes = run.modes()
    missing = [r for r, m in modes.items() if MODE not in m]
    if missing:
        raise folder.FolderError(f"{path}/waves/mp_psi4.h5: no mode l = 2, m = 0 at r = {missing[0]:g}")
    fits, omegas = fit_spheres(modes)
    # What arrives before light from the holes does is no wave.
    energies = {r: radiation.energy(m, r, arrival=0.5 * r) for r, m in modes.items()}
    s = results(run, list(modes), fits, omegas, energies)
    run.write_summary(s)
    picture = Path(path) / "head_on.png"
    draw(run, modes, fits, s["final_mass"], picture)
    by_program = run.table("energy.asc")[f"E_r{max(modes):.2f}"][-1]
    print(table(run.summary, by_program))
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
