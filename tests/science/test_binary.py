"""Three M of the binary of par/bbh_qc0.yaml, on a smaller grid of the same finest spacing: the masses of the horizons stay
what they are, what the symmetries kill is gone, and the holes are each other's image under half a turn.

    test_binary.py TENDEX PAR MPIRUN...

TENDEX: the program; PAR: the folder of parameter files; MPIRUN...: how to start ranks, less the number."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.base.folder import Folder  # noqa: E402

T_END, RADIUS, L_MAX = 3, 10, 4
SET = {"run.t_end": T_END, "grid.extent": 40, "grid.level_min": 1, "grid.level_max": 7, "grid.bh_radius": 0.36,
       "grid.ball_radius": 0, "waves.radii": RADIUS, "evolution.time_steps": "levels", "horizons.every": 16, "output.norms_every": 32}
# With octants of 16 points a side the same spacings, a level lower.
SIXTEEN = {"grid.level_min": 0, "grid.level_max": 6}


def run(program, parameters, mpirun, folder):
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    values = SET | (SIXTEEN if "16^3" in version else {}) | {"run.folder": folder}
    command = mpirun + ["-n", "2", program, "run", str(parameters), "--quiet"]
    for key, value in values.items():
        command += ["--set", f"{key}={value}"]
    subprocess.run(command, env=dict(os.environ, OMP_NUM_THREADS="1"), stdin=subprocess.DEVNULL, check=True)


def check_summary(said, rows):
    """The values of the last search."""
    assert (said["first_seen"], said["last_seen"]) == (rows["time"][0], rows["time"][-1]), said
    assert all(said[name] == rows[name][-1] for name in ("mass", "mass_irreducible", "chi")), said
    assert said["spin"] == [rows[f"spin_{x}"][-1] for x in "xyz"], said


def check_horizons(folder):
    all_rows = Folder(folder).table("horizons.asc")
    summary = json.loads((folder / "summary.json").read_text())
    for k in (1, 2):
        rows = {name: column[all_rows["horizon"] == k] for name, column in all_rows.items()}
        assert rows["found"].all() and rows["time"][0] == 0 and rows["time"][-1] == T_END, rows["found"]
        mass = rows["mass"]
        print(f"horizon {k}: mass {mass[0]:.7f}, off by up to {abs(mass / mass[0] - 1).max():.1e} later; chi "
              f"{rows['chi'][0]:.5f} to {rows['chi'][-1]:.5f}; radius {rows['radius_mean'][0]:.4f} to "
              f"{rows['radius_mean'][-1]:.4f}; iterations at most {rows['iterations'].max():.0f}")
        # The ADM mass of each puncture is that of its horizon, within what the other hole's tides do to it.
        assert abs(mass[0] / 0.5168173887 - 1) < 1e-5, mass[0]
        assert abs(mass / mass[0] - 1).max() < 1e-3, mass
        for name in ("centroid_z", "spin_x", "spin_y"):
            assert not rows[name].any(), (k, name, rows[name])
        # No spin but what tides bring.
        assert rows["chi"].max() < 0.02, rows["chi"]
        check_summary(summary["horizons"][str(k)], rows)
    one, two = ({name: column[all_rows["horizon"] == k] for name, column in all_rows.items()} for k in (1, 2))
    for name in ("mass", "radius_min", "radius_max", "spin_z"):
        assert np.allclose(one[name], two[name], rtol=0, atol=1e-4), f"{name} of the holes: {one[name]} and {two[name]}"
    assert np.allclose(one["centroid_x"], -two["centroid_x"], atol=1e-4)
    assert np.allclose(one["centroid_y"], -two["centroid_y"], atol=1e-4)


def check_tracks(folder):
    _, x = Folder(folder).tracks()
    x = np.swapaxes(x, 0, 1)
    assert not x[:, :, 2].any(), "a puncture leaves the mirror plane"
    off = abs(x[:, 0] + x[:, 1]).max()
    turned = np.unwrap(np.arctan2(x[:, 0, 1], x[:, 0, 0]))[-1]
    print(f"punctures: images within {off:.1e} M; turned by {turned:.4f}, separation {np.linalg.norm(x[-1, 0] - x[-1, 1]):.4f}")
    assert off < 1e-3, off
    assert 0.3 < turned < 1.5, turned


def check_waves(folder):
    """In the mirror psi4_lm = (-1)^l conj(psi4_l-m), so that J_x, J_y and P_z are 0."""
    energy = Folder(folder).table("energy.asc")
    for q in ("Jx", "Jy", "Pz"):
        for name in (f"d{q}/dt_r{RADIUS:.2f}", f"{q}_r{RADIUS:.2f}"):
            assert not energy[name].any(), (name, abs(energy[name]).max())
    with h5py.File(folder / "waves/mp_psi4.h5") as h:
        modes = {(l, m): h[f"l{l}_m{m}_r{RADIUS:.2f}"][:, 1] + 1j * h[f"l{l}_m{m}_r{RADIUS:.2f}"][:, 2]
                 for l in range(2, L_MAX + 1) for m in range(-l, l + 1)}
    most = abs(modes[2, 2]).max()
    for l, m in modes:
        assert np.array_equal(modes[l, m], (-1)**l * modes[l, -m].conj()), f"l = {l}, m = {m} and its mirror image differ"
        if m % 2:  # half a turn leaves the binary as it is
            assert abs(modes[l, m]).max() < 1e-3 * most, f"l = {l}, m = {m}: {abs(modes[l, m]).max()} of {most}"


def main():
    program, par, *mpirun = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="tendex-binary-") as top:
        folder = Path(top) / "run"
        run(program, Path(par) / "bbh_qc0.yaml", mpirun, folder)
        check_horizons(folder)
        check_tracks(folder)
        check_waves(folder)


if __name__ == "__main__":
    main()
