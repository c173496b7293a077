#!/usr/bin/python3
"""Report on two black holes that merge: ringdown, waves, remnant, in numbers.

Usage: tools/report.py RUN_FOLDER      (for instance out/head_on)

Prints a table and adds its results to RUN_FOLDER/summary.json. `tools/tendex-waves show RUN_FOLDER' draws the run.
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np

from tendex import folder, kerr, orbit, radiation, ringdown, table


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
    if "adm_energy" not in run.summary:
        raise folder.FolderError(f"{run.path}/summary.json: no adm_energy")
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


def report(path):
    run = folder.Folder(path)
    a = analyse(run)
    run.write_summary(results(a))
    print(table.table(run, a))
    print(f"\n  all results              {run.path / 'summary.json'}"
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
