"""QC-0 from par/bbh_qc0.yaml through merger and ringdown, against public runs of other codes and its own balances.

    test_merger.py TENDEX PAR SYSTEM MPIRUN...  runs it first
    test_merger.py --folder FOLDER              looks at a run that was made before

TENDEX: the program; PAR: the folder of parameter files; SYSTEM: of equations, as evolution.system; MPIRUN...: how to start
ranks, less the number. It takes seven minutes on two cores."""

import configparser
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.base.folder import Folder  # noqa: E402
from tendex.waves.reading.run import Run  # noqa: E402

# What public runs found: the remnant, and r |psi4_22| at its peak at r = 70 M.
MASS, CHI = 0.97706, 0.67624
PEAK_R, PEAK, PEAK_T = 70.0, 0.0774, 100.3
RADII = (20, 30, 40)
# How far off mass and balances may be. With Z4c holes gain mass on so coarse a grid, 1.1e-3 of it (docs/studies/systems.md), and the energy
# is off by 6%.
OFF = {"bssn": (1e-3, 0.05), "z4c": (1.5e-3, 0.07)}


def run(program, parameters, system, mpirun, folder):
    command = mpirun + ["-n", "2", program, "run", str(parameters), "--set", f"run.folder={folder}",
                        "--set", f"evolution.system={system}"]
    subprocess.run(command, env=dict(os.environ, OMP_NUM_THREADS="1"), stdin=subprocess.DEVNULL, check=True)


def tortoise(r):
    """Tortoise coordinate of the isotropic radius r, for a hole of mass 1."""
    R = r * (1 + 0.5 / r)**2
    return R + 2 * math.log(R / 2 - 1)


def peak(modes, r):
    """Time and height of the largest r |psi4_22| that left the origin after t = 10 M."""
    t, psi4 = modes[:, 0], r * np.hypot(modes[:, 1], modes[:, 2])
    i = np.argmax(np.where(t > r + 10, psi4, 0))
    assert 0 < i < len(t) - 1, f"r = {r}: no peak within the run"
    a, b, c = np.polyfit(t[i - 1:i + 2] - t[i], psi4[i - 1:i + 2], 2)
    return t[i] - b / (2 * a), c - b * b / (4 * a)


def check_horizons(folder, adm_mass, off):
    rows = Folder(folder).table("horizons.asc")
    common = (rows["horizon"] == 3) & (rows["found"] == 1)
    first = rows["time"][common][0]
    each = {k: rows["mass"][(rows["horizon"] == k) & (rows["found"] == 1) & (rows["time"] < first)] for k in (1, 2)}
    for k, mass in each.items():
        print(f"horizon {k}: mass {mass[0]:.6f} at first, off by up to {abs(mass / mass[0] - 1).max():.1e} until merger")
        assert abs(mass / mass[0] - 1).max() < 5e-3 and abs(mass[0] / adm_mass - 1) < 1e-4
    late = common & (rows["time"] > rows["time"][-1] - 20)
    mass, chi = rows["mass"][late], rows["chi"][late]
    print(f"common horizon: first seen at t = {first:g} M; in the last 20 M mass {mass.min():.5f} to {mass.max():.5f} "
          f"(others {MASS}), chi {chi.min():.5f} to {chi.max():.5f} (others {CHI})")
    assert 17 < first < 24, first
    assert abs(mass / MASS - 1).max() < off and abs(chi - CHI).max() < 5e-3
    area = rows["area"][common]
    assert (np.diff(area) > -1e-3 * area[:-1]).all(), "the area of the common horizon falls"
    for name in ("centroid_z", "spin_x", "spin_y"):
        assert not rows[name][rows["found"] == 1].any(), name
    return mass[-1], chi[-1]


def check_waves(folder, radii):
    with h5py.File(folder / "waves/mp_psi4.h5") as h:
        for r in radii:
            modes = {(l, m): h[f"l{l}_m{m}_r{r:.2f}"][:] for l in (2, 3, 4) for m in range(-l, l + 1)}
            t, height = peak(modes[2, 2], r)
            there = t + tortoise(PEAK_R) - tortoise(r)
            print(f"r = {r:g} M: r |psi4_22| peaks with {height:.5f} at t = {t:.2f} M, at r = {PEAK_R:g} M at {there:.2f} "
                  f"(others {PEAK}, {PEAK_T})")
            # The peak has not reached its height of large r: it falls by 2 to 4% from here to 70 M.
            assert abs(height / PEAK - 1) < 0.05 and abs(there - PEAK_T) < 1.0, (r, height, there)
            odd = max(np.hypot(d[:, 1], d[:, 2]).max() for (l, m), d in modes.items() if m % 2) * r
            assert odd < 0.01 * height, f"half a turn leaves the binary as it is, but r |psi4| of an odd m is {odd}"


def check_balance(folder, adm, mass, chi, off):
    """What the waves carried through the outermost sphere, against what the hole has less than the data."""
    energy, r = Folder(folder).table("energy.asc"), RADII[-1]
    for name, given, kept in (("E", adm["initial-adm-energy"], mass),
                              ("Jz", adm["initial-adm-angular-momentumz"], chi * mass**2)):
        waves, lost = energy[f"{name}_r{r:.2f}"][-1], given - kept
        print(f"{name}: {given:.6f} at first, {kept:.6f} in the hole; waves through r = {r:g} M took {waves:.6f}, the hole "
              f"lacks {lost:.6f}: {100 * (waves / lost - 1):+.1f}%")
        assert abs(waves / lost - 1) < off, name
    for name in ("Jx", "Jy", "Pz"):
        assert not energy[f"{name}_r{r:.2f}"].any(), name


def check(folder):
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["complete"], "the run did not reach its end"
    data = configparser.ConfigParser()
    data.read(folder / "TwoPunctures.bbh")
    adm = {key: float(value) for key, value in data["metadata"].items() if key != "initial-data-type"}
    mass_off, balance_off = OFF[Run(folder).parameters.get("evolution.system", "bssn")]
    mass, chi = check_horizons(folder, adm["initial-bh-puncture-adm-mass1"], mass_off)
    check_waves(folder, RADII)
    check_balance(folder, adm, mass, chi, balance_off)


def main():
    if sys.argv[1] == "--folder":
        check(Path(sys.argv[2]))
        return
    program, par, system, *mpirun = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="tendex-merger-") as top:
        folder = Path(top) / "run"
        run(program, Path(par) / "bbh_qc0.yaml", system, mpirun, folder)
        check(folder)


if __name__ == "__main__":
    main()
