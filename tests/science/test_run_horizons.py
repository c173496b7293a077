"""Horizons in a run: their files as other programs read them, the files against each other, symmetry to the last bit,
the same bytes on 1 and on 3 ranks and after a restart; and the mass of one hole while its coordinates settle.

    test_run_horizons.py TENDEX MPIRUN...

TENDEX: the program; MPIRUN...: how to start ranks, less the number."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.special import lpmv, factorial

L_MAX = 6
PAIR = f"""
run:
  t_end: 0.3
grid:
  extent: 8
  reflect: xyz
  level_min: 1
  level_max: 5
  bh_radius: 0.35
initial_data:
  type: brill_lindquist
  bh1_mass: 0.5
  bh1_position: [0, 0, 0.3]
  bh2_mass: 0.5
  bh2_position: [0, 0, -0.3]
evolution:
  cfl: 0.4
  time_steps: levels
horizons:
  every: 10
  l_max: {L_MAX}
checkpoint:
  every: 13
  at_end: false
"""
# The holes count as merged at step 10, as their common horizon was seen at step 0: then two levels go, one there, the
# other after the checkpoint.
MERGED = (PAIR.replace("t_end: 0.3", "t_end: 0.225").replace("every: 10", "every: 4").replace("every: 13", "every: 10")
          .replace("bh_radius: 0.35", "bh_radius: 0.35\n  regrid_every: 2\n  remnant_level: 3\n  remnant_delay: 0.1"))
ONE = """
run:
  t_end: 2
grid:
  extent: 16
  reflect: z
  level_min: 1
  level_max: 5
  bh_radius: 0.7
initial_data:
  type: single_puncture
  bh1_mass: 1
  bh1_position: [0.125, -0.25, 0]
evolution:
  cfl: 0.4
horizons:
  every: 20
"""
# With octants of 16 points a side the same spacings, a level lower.
SIXTEEN = ["--set", "grid.level_min=0", "--set", "grid.level_max=4"]
SIXTEEN_MERGED = ["--set", "grid.remnant_level=2"]
SPIN = ["iteration", "time", "by_rotation", "spin", "shear", "shear_next", "rotation_x", "rotation_y", "rotation_z"]
COLUMNS = ["iteration", "time", "horizon", "found", "mass", "chi", "spin_x", "spin_y", "spin_z", "mass_irreducible",
           "area", "centroid_x", "centroid_y", "centroid_z", "radius_min", "radius_max", "radius_mean", "radius_areal",
           "residual", "iterations"]


def run(program, mpirun, ranks, folder, text):
    parameters = folder.parent / "run.yaml"
    parameters.write_text(text)
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    command = mpirun + ["-n", str(ranks)] if ranks > 1 else []
    command += [program, "run", str(parameters), "--quiet", "--set", f"run.folder={folder}"]
    if "16^3" in version:
        command += SIXTEEN + SIXTEEN_MERGED * ("remnant_level" in text)
    subprocess.run(command, env=dict(os.environ, OMP_NUM_THREADS="1"), stdin=subprocess.DEVNULL, check=True)


def searches(folder):
    """horizons.asc: a structured array, one row a search."""
    lines = (folder / "horizons.asc").read_text().splitlines()
    heads = " ".join(f"{i + 1}:{name}" for i, name in enumerate(COLUMNS))
    assert lines[1] == f"# {heads}" and not any(line.startswith("#") for line in lines[2:]), lines[:3]
    return np.array([tuple(map(float, line.split())) for line in lines[2:]], dtype=[(name, float) for name in COLUMNS])


def diagnostics(folder, k):
    """BH_diagnostics.ah<k>.gp as kuibit reads it: {name: column}, names from the head."""
    path = folder / f"BH_diagnostics.ah{k}.gp"
    head = [line for line in path.read_text().splitlines() if line.startswith("#")]
    names = dict(m.group(2, 1) for m in (re.match(r"# column +(\d+) = ([a-zA-Z_0-9 ()/-]+)$", x) for x in head) if m)
    standard = {"cctk_iteration": 1, "cctk_time": 2, "centroid_x": 3, "centroid_y": 4, "centroid_z": 5, "min radius": 6,
                "max radius": 7, "mean radius": 8, "area": 26, "m_irreducible": 27, "areal radius": 28}
    assert {name: int(column) for name, column in names.items()} == standard, names
    data = np.loadtxt(path, ndmin=2)
    assert data.shape[1] == 28
    return {name: data[:, column - 1] for name, column in standard.items()}


def measures(folder):
    """quasilocalmeasures-qlm_scalars..asc as kuibit reads it: {name: column}."""
    path = folder / "quasilocalmeasures-qlm_scalars..asc"
    head = path.read_text().splitlines()[:2]
    assert head[0] == "# column format: 1:it\t2:tl\t3:rl 4:c 5:ml\t6:ix 7:iy 8:iz\t9:time\t10:x 11:y 12:z\t13:data"
    names = re.fullmatch(r"# data columns: (.+)", head[1]).group(1).split()
    columns = [re.fullmatch(r"(\d+):(qlm_\w+\[[0-2]\])", name).groups() for name in names]
    data = np.loadtxt(path, ndmin=2)
    assert [int(c) for c, _ in columns] == list(range(13, data.shape[1] + 1)), columns
    return {"it": data[:, 0], "time": data[:, 8], **{name: data[:, int(c) - 1] for c, name in columns}}


def radius(a, theta, phi):
    """Radius of a surface of coefficients a in a direction: real harmonics from SciPy's Legendre functions."""
    l_max = int(round(np.sqrt(len(a)))) - 1
    r = 0.0
    for l in range(l_max + 1):
        for m in range(-l, l + 1):
            n = abs(m)
            legendre = (-1)**n * lpmv(n, l, np.cos(theta))  # without the Condon-Shortley phase
            y = np.sqrt((2 * l + 1) / (4 * np.pi) * factorial(l - n) / factorial(l + n)) * legendre
            y *= 1 if m == 0 else np.sqrt(2) * (np.cos(n * phi) if m > 0 else np.sin(n * phi))
            r += a[l * l + l + m] * y
    return r


def check_agreement(folder, table, k):
    """The files on horizon k against the table of searches."""
    rows = table[(table["horizon"] == k) & (table["found"] == 1)]
    assert len(rows) > 0, f"horizon {k} was never found"
    gp, qlm = diagnostics(folder, k), measures(folder)
    for name, column in (("cctk_iteration", "iteration"), ("cctk_time", "time"), ("centroid_x", "centroid_x"),
                         ("centroid_y", "centroid_y"), ("centroid_z", "centroid_z"), ("min radius", "radius_min"),
                         ("max radius", "radius_max"), ("mean radius", "radius_mean"), ("area", "area"),
                         ("m_irreducible", "mass_irreducible"), ("areal radius", "radius_areal")):
        assert np.array_equal(gp[name], rows[column]), (k, name, gp[name], rows[column])
    found = np.isin(qlm["it"], rows["iteration"])
    assert np.isnan(qlm[f"qlm_mass[{k - 1}]"][~found]).all()
    spin = np.sqrt(rows["spin_x"]**2 + rows["spin_y"]**2 + rows["spin_z"]**2)
    lines = (folder / f"horizons/ah{k}.spin.asc").read_text().splitlines()
    assert lines[1] == "# " + " ".join(f"{i + 1}:{name}" for i, name in enumerate(SPIN)), lines[:2]
    how = np.array([tuple(map(float, line.split())) for line in lines[2:]], dtype=[(name, float) for name in SPIN])
    assert np.array_equal(how["time"], rows["time"]) and np.allclose(how["spin"], spin, rtol=1e-15, atol=0), (k, how)
    assert not how["by_rotation"].any(), how
    for name, values in (("time", rows["time"]), ("mass", rows["mass"]), ("irreducible_mass", rows["mass_irreducible"]),
                         ("spin", spin), ("coordspinx", how["rotation_x"]), ("coordspiny", how["rotation_y"]),
                         ("coordspinz", how["rotation_z"]), ("radius", rows["radius_areal"])):
        assert np.allclose(qlm[f"qlm_{name}[{k - 1}]"][found], values, rtol=1e-15, atol=0), (k, name)
    assert np.allclose(rows["area"], 16 * np.pi * rows["mass_irreducible"]**2, rtol=1e-14)
    assert np.allclose(rows["mass"]**2, rows["mass_irreducible"]**2 + spin**2 / (4 * rows["mass_irreducible"]**2), rtol=1e-14)
    surface = np.loadtxt(folder / f"horizons/ah{k}.surface.asc", ndmin=2)
    assert np.array_equal(surface[:, :2], np.stack([rows["iteration"], rows["time"]], 1))
    last = json.loads((folder / "summary.json").read_text())["horizons"]["common" if k == 3 else str(k)]
    for key in ("mass", "mass_irreducible", "chi"):
        assert last[key] == rows[key][-1], (k, key, last)
    assert (last["first_seen"], last["last_seen"]) == (rows["time"][0], rows["time"][-1])
    return rows, surface


def check_shape(rows, surface):
    """The largest and the smallest radius of the surface that the coefficients make."""
    theta, phi = np.meshgrid(np.linspace(0, np.pi, 91), np.linspace(0, 2 * np.pi, 60, endpoint=False))
    for row, s in zip(rows, surface):
        r = radius(s[5:], theta, phi)
        x = np.stack([r * np.sin(theta) * np.cos(phi), r * np.sin(theta) * np.sin(phi), r * np.cos(theta)], -1)
        x += s[2:5] - [row["centroid_x"], row["centroid_y"], row["centroid_z"]]
        r = np.linalg.norm(x, axis=-1)
        assert abs(r.min() / row["radius_min"] - 1) < 0.01, (r.min(), row["radius_min"])
        assert abs(r.max() / row["radius_max"] - 1) < 0.01, (r.max(), row["radius_max"])


def check_pair(folder):
    """Brill-Lindquist holes nearer than the critical 0.766 M, the upper and the lower being images of each other."""
    table = searches(folder)
    steps = sorted(set(table["iteration"]))
    assert steps[:3] == [0, 10, 20] and len(table) == 3 * len(steps) and table["found"].all(), table
    found = [check_agreement(folder, table, k) for k in (1, 2, 3)]
    for rows, surface in found:
        check_shape(rows, surface)
        for name in ("chi", "spin_x", "spin_y", "spin_z", "centroid_x", "centroid_y"):
            assert not rows[name].any(), (name, rows[name])
    (upper, above), (lower, below), (common, _) = found
    assert not common["centroid_z"].any()
    for name in COLUMNS[4:]:
        assert np.array_equal(upper[name], (-1 if name == "centroid_z" else 1) * lower[name]), name
    parity = np.array([(-1)**(l + m) for l in range(L_MAX + 1) for m in range(-l, l + 1)])
    assert np.array_equal(above[:, 5:], below[:, 5:] * parity), "the surfaces are no mirror images"
    # Near the ADM mass of each hole, m (1 + m/2d); the common one holds no more than all the energy there is.
    adm = 0.5 * (1 + 0.5 / 1.2)
    assert abs(upper["mass"][0] / adm - 1) < 0.02, (upper["mass"], adm)
    assert 0.98 < common["mass"][0] < 1, common["mass"]
    print(f"pair: masses {upper['mass'][0]:.6f}, common {common['mass'][0]:.6f}; later off by up to "
          f"{abs(upper['mass'] / upper['mass'][0] - 1).max():.1e}, {abs(common['mass'] / common['mass'][0] - 1).max():.1e}")
    # A common horizon can only grow.
    assert (np.diff(common["area"]) > -1e-4 * common["area"][0]).all(), common["area"]
    log = (folder / "log.txt").read_text()
    for name in ("horizon 1", "horizon 2", "common horizon"):
        assert len(re.findall(rf"\b{name}: first seen at t = 0 M, mass [\d.]+, spin", log)) == 1, log
    assert re.search(r"balance +energy: initial data 1\.0* M, remnant 0\.9\d+ M, difference 0\.0\d+ M", log), log


def check_one(folder):
    table = searches(folder)
    assert set(table["horizon"]) == {1} and table["found"].all(), table
    rows, surface = check_agreement(folder, table, 1)
    check_shape(rows, surface)
    off = abs(rows["mass"] - 1)
    print(f"one hole: mass off by {off[0]:.1e} at t = 0, up to {off.max():.1e} later; radius {rows['radius_mean'][0]:.4f} to "
          f"{rows['radius_mean'][-1]:.4f}; chi up to {rows['chi'].max():.1e}")
    assert off[0] < 1e-5 and off.max() < 1e-3, rows["mass"]
    assert abs(rows["radius_mean"][0] - 0.5) < 1e-5 and rows["radius_mean"][-1] > 0.6, rows["radius_mean"]
    assert rows["chi"].max() < 1e-4, rows["chi"]
    for name in ("centroid_z", "spin_x", "spin_y"):
        assert not rows[name].any(), (name, rows[name])


def check_merged(folder):
    """Two levels are gone, and steps are still counted in those of the finest level there was."""
    summary = json.loads((folder / "summary.json").read_text())
    log = (folder / "log.txt").read_text()
    ends = re.search(r"^ +10 +0\.1250 remnant: common horizon since t = 0\.0000 M; the finest level is (\d) from now on$", log, re.M)
    assert ends, log
    assert (summary["steps"], summary["time_step"], max(map(int, summary["levels"]))) == (18, 0.0125, int(ends.group(1))), summary
    rows = searches(folder)
    common = rows[rows["horizon"] == 3]
    assert common["iteration"].tolist()[:5] == [0, 4, 8, 12, 16] and np.allclose(np.diff(common["time"][:5]), 0.05), common
    assert common["found"].all() and abs(common["mass"] / common["mass"][0] - 1).max() < 2e-3, common["mass"]
    # Octants that step in a macro step of two steps, covered ones too: 8 16 16 16 and 16 twice with all levels, five times; then
    # 8 16 16 8, each once; then 8 16 16, three times. Or the leaves alone: 64 ten times, and then by twos 43, and 36 three times.
    stepped = {"levels": 5 * 88 + 48 + 3 * 40, "global": 10 * 64 + 43 + 3 * 36}[summary["time_steps"]]
    if summary["octant_points"] == 8:
        assert summary["point_stages"] == 4 * 8**3 * stepped, (summary["point_stages"] / 4 / 8**3, stepped)
    return summary["horizons"]["common"]["mass"]


def compare(a, b, where):
    """Files of horizons in two folders, byte for byte."""
    names = ["horizons.asc", "quasilocalmeasures-qlm_scalars..asc"]
    names += [name.format(k) for k in (1, 2, 3) for name in ("BH_diagnostics.ah{}.gp", "horizons/ah{}.surface.asc", "horizons/ah{}.spin.asc")]
    for name in names:
        assert (a / name).read_bytes() == (b / name).read_bytes(), f"{name} differs: {where}"


def go_on_again(program, folder, copy):
    """From the checkpoint, which is older than the last two searches, as if the run had not come to its end."""
    shutil.copytree(folder, copy)
    (copy / "summary.json").unlink()
    subprocess.run([program, "run", "--restart", str(copy), "--quiet"], env=dict(os.environ, OMP_NUM_THREADS="1"),
                   stdin=subprocess.DEVNULL, check=True)
    before, after = (json.loads((f / "summary.json").read_text())["horizons"] for f in (folder, copy))
    assert before == after, (before, after)


def main():
    program, *mpirun = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="tendex-horizons-") as top:
        folders = [Path(top) / name for name in ("pair1", "pair3", "again", "one")]
        run(program, mpirun, 1, folders[0], PAIR)
        check_pair(folders[0])
        run(program, mpirun, 3, folders[1], PAIR)
        compare(*folders[:2], "on other ranks")
        go_on_again(program, folders[0], folders[2])
        compare(folders[0], folders[2], "after a restart")
        run(program, mpirun, 1, folders[3], ONE)
        check_one(folders[3])
        levels, again, three, one_step = [Path(top) / f"merged{k}" for k in range(4)]
        run(program, mpirun, 1, levels, MERGED)
        mass = check_merged(levels)
        run(program, mpirun, 3, three, MERGED)
        compare(levels, three, "on other ranks, merged")
        go_on_again(program, levels, again)
        compare(levels, again, "after a restart, merged")
        run(program, mpirun, 1, one_step, MERGED.replace("time_steps: levels", "time_steps: global"))
        other = check_merged(one_step)
        assert abs(other - mass) < 1e-5, (mass, other)


if __name__ == "__main__":
    main()
