"""What the program writes is what other programs read: names, shapes, headers and conventions of every file of a
short run with a changing grid, the values against the exact initial data and against each other, and the same bytes
on 1 and on 3 ranks.

    test_output.py TENDEX MPIRUN...

TENDEX: the program; MPIRUN...: how to start ranks, less the number."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tendex.waves.reading import slices  # noqa: E402

HOLES = ((0.3, (1.0, 0.25, 0.0)), (0.2, (-1.5, -0.125, 0.0)))
RADII, L_MAX = (3.0, 5.25), 3
STEPS, STEP_M = 8, 0.05
EVERY = {"norms": 5, "track": 1, "waves": 3, "slices": 2, "fields": 4}
VARIABLES = ["alpha", "beta_x", "chi", "K"]
PSI4, PSI4_OFF = ["psi4_re", "psi4_im"], 2e-3
PARAMETERS = f"""
run:
  t_end: {STEPS * STEP_M}
grid:
  extent: 8
  reflect: z
  level_min: 1
  level_max: 3
  bh_radius: 0.5
  wavelet_tol: 3.1e-3
  regrid_every: 2
initial_data:
  type: brill_lindquist
  bh1_mass: {HOLES[0][0]}
  bh1_position: {list(HOLES[0][1])}
  bh2_mass: {HOLES[1][0]}
  bh2_position: {list(HOLES[1][1])}
evolution:
  cfl: 0.4
waves:
  radii: {list(RADII)}
  l_max: {L_MAX}
  every: {EVERY["waves"]}
horizons:
  every: 0
output:
  norms_every: {EVERY["norms"]}
  track_every: {EVERY["track"]}
  slices_every: {EVERY["slices"]}
  slices_psi4: true
  fields_every: {EVERY["fields"]}
  variables: {" ".join(VARIABLES)}
"""
# With octants of 16 points a side the same spacings, a level lower; the grid does not change then.
SIXTEEN = ["--set", "grid.level_min=0", "--set", "grid.level_max=2"]

MODES = [(l, m) for l in range(2, L_MAX + 1) for m in range(-l, l + 1)]
CONSTRAINTS = ["hamiltonian"] + [f"{name}_{x}" for name in ("momentum", "connection") for x in "xyz"]
NORMS = ["norm2", "norm_inf"]


def steps(what):
    """Multiples of the interval, and the last step."""
    return sorted({*range(0, STEPS, EVERY[what]), STEPS})


def times(what):
    return np.array([step * STEP_M for step in steps(what)])


def same(a, b, what):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape, f"{what}: shapes {a.shape} and {b.shape}"
    assert np.array_equal(a, b), f"{what}: values differ by up to {np.abs(a - b).max()}"


def close(a, b, what, tolerance=1e-14):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape, f"{what}: shapes {a.shape} and {b.shape}"
    assert np.allclose(a, b, rtol=tolerance, atol=tolerance), f"{what}: off by {np.abs(a - b).max()}"


def look_while_it_runs(folder):
    """The modes can be opened while the run writes them; a file caught half written may be refused, not locked."""
    try:
        with h5py.File(folder / "waves/mp_psi4.h5") as h:
            return len(h) == len(MODES) * len(RADII)
    except (OSError, RuntimeError, KeyError) as e:
        assert "unable to lock" not in str(e), e
        return False


def run(program, mpirun, ranks, folder):
    parameters = folder.parent / "run.yaml"
    parameters.write_text(PARAMETERS)
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    command = mpirun + ["-n", str(ranks)] if ranks > 1 else []
    command += [program, "run", str(parameters), "--quiet", "--set", f"run.folder={folder}"]
    if "16^3" in version:
        command += SIXTEEN
    with subprocess.Popen(command, env=dict(os.environ, OMP_NUM_THREADS="1"), stdin=subprocess.DEVNULL) as process:
        looks = 0
        while process.poll() is None:
            looks += look_while_it_runs(folder)
            time.sleep(0.02)
    assert process.returncode == 0, f"{command}: exit code {process.returncode}"
    assert looks > 0, "the run was never seen to write its modes"
    return version


def table(path, columns, head):
    """A table of numbers; `head`: its comment lines, all of them, or a pattern that each matches."""
    lines = path.read_text().splitlines()
    comments = [line for line in lines if line.startswith("#")]
    assert lines[:len(comments)] == comments, f"{path.name}: comments after the first row"
    if isinstance(head, list):
        assert comments == head, f"{path.name}: head {comments}, not {head}"
    else:
        assert comments and re.fullmatch(head, comments[-1]), f"{path.name}: head {comments}"
    rows = [[float(x) for x in line.split()] for line in lines[len(comments):]]
    assert {len(row) for row in rows} == {columns}, f"{path.name}: rows of {set(map(len, rows))} columns"
    return np.array(rows)


def check_files(folder):
    """The folder holds what it should and nothing else."""
    expect = {"log.txt", "run.yaml", "summary.json", "constraints.asc", "grid.asc", "energy.asc",
              "puncturetracker-pt_loc..asc", "waves/mp_psi4.h5", "waves/areal_radius.asc", "waves/expansion.asc",
              "waves/turning.asc", "waves/lapse.asc", "fields/slices.xmf", "fields/fields.xmf", "TwoPunctures.bbh",
              f"checkpoints/checkpoint.{STEPS:07d}.h5", "last_checkpoint.json"}
    expect |= {f"{name}.{norm}.asc" for name in CONSTRAINTS for norm in NORMS}
    expect |= {f"waves/mp_psi4_l{l}_m{m}_r{r:.2f}.asc" for l, m in MODES for r in RADII}
    expect |= {f"fields/{kind}.{step:07d}.h5" for kind in ("slices", "fields") for step in steps(kind)}
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found == expect, f"missing: {expect - found}; not expected: {found - expect}"


def check_modes(folder, version):
    with h5py.File(folder / "waves/mp_psi4.h5") as h:
        assert set(h.attrs) == {"code_version", "psi4_sign", "tetrad", "harmonics", "scaled_by_r"}, set(h.attrs)
        assert h.attrs["scaled_by_r"] == 0
        assert h.attrs["code_version"] in version, h.attrs["code_version"]
        assert h.attrs["psi4_sign"].startswith("psi4 = -(d2 h+/dt2 - i d2 hx/dt2)"), h.attrs["psi4_sign"]
        assert "r normal to the sphere, theta and phi orthonormal to it and symmetrically to each other, with the physical metric; m = (e_theta + i e_phi)/sqrt(2)" in h.attrs["tetrad"], h.attrs["tetrad"]
        assert set(h) == {f"l{l}_m{m}_r{r:.2f}" for l, m in MODES for r in RADII}, set(h)
        for name, mode in h.items():
            assert mode.dtype == np.dtype("<f8") and mode.maxshape == (None, 3), (name, mode.dtype, mode.maxshape)
            close(mode[:, 0], times("waves"), f"times of {name}")
            text = table(folder / "waves" / f"mp_psi4_{name}.asc", 3, [])
            same(text, mode[:], name)
        assert np.abs(h["l2_m2_r3.00"][-1, 1:]).min() > 0.0
        for l, m in MODES:  # mirror symmetry in z: psi4_l-m = (-1)^l conj(psi4_lm)
            a, b = h[f"l{l}_m{m}_r3.00"][-1], h[f"l{l}_m{-m}_r3.00"][-1]
            close([b[1], b[2]], [(-1)**l * a[1], -(-1)**l * a[2]], f"l={l} m={m} and its mirror image", 1e-10)


def check_punctures(folder):
    slots = [f"{13 + 10 * c + i}:pt_loc_{'txyz'[c]}[{i}]" for c in range(4) for i in range(10)]
    head = ["# column format: 1:it\t2:tl\t3:rl 4:c 5:ml\t6:ix 7:iy 8:iz\t9:time\t10:x 11:y 12:z\t13:data",
            "# data columns: " + " ".join(slots)]
    rows = table(folder / "puncturetracker-pt_loc..asc", 52, head)
    same(rows[:, 0], list(steps("track")), "iterations of the track")
    close(rows[:, 8], times("track"), "times of the track")
    assert not rows[:, [1, 2, 3, 4, 5, 6, 7, 9, 10, 11]].any()
    t, *x = (rows[:, 12 + 10 * c:22 + 10 * c] for c in range(4))
    for slot in range(10):
        used = slot < len(HOLES)
        same(t[:, slot], rows[:, 8] if used else 0 * rows[:, 8], f"times of puncture {slot}")
        same([c[0, slot] for c in x], HOLES[slot][1] if used else (0, 0, 0), f"place of puncture {slot}")
        assert used == any((c[:, slot] != c[0, slot]).any() for c in x), f"puncture {slot} moves: {not used}"


def check_norms(folder):
    heads = " ".join(f"{3 + i}:{name}" for i, name in enumerate(f"{c}.{n}" for n in NORMS for c in CONSTRAINTS))
    whole = table(folder / "constraints.asc", 16, "# 1:iteration 2:time " + re.escape(heads))
    column = 2
    for norm in NORMS:
        for name in CONSTRAINTS:
            one = table(folder / f"{name}.{norm}.asc", 3, ["# 1:iteration 2:time 3:data"])
            same(one[:, 0], list(steps("norms")), f"iterations of {name}")
            close(one[:, 1], times("norms"), f"times of {name}")
            same(one[:, 2], whole[:, column], f"{norm} of {name} in its file and in constraints.asc")
            column += 1
    assert 0 < whole[-1, 2] < whole[-1, 2 + len(CONSTRAINTS)], "the maximum is not above the mean"


def check_fluxes(folder):
    quantities = [f"{d}{q}" for q in ("E", "Jx", "Jy", "Jz", "Px", "Py", "Pz") for d in ("d", "")]
    names = [f"{q}/dt_r{r:.2f}" if q[0] == "d" else f"{q}_r{r:.2f}" for r in RADII for q in quantities]
    heads = " ".join(f"{3 + i}:{name}" for i, name in enumerate(names))
    energy = table(folder / "energy.asc", 2 + len(names), "# 1:iteration 2:time " + re.escape(heads))
    close(energy[:, 1], times("waves"), "times of the fluxes")
    radius = table(folder / "waves/areal_radius.asc", 2 + len(RADII), r"# 1:iteration 2:time 3:r3\.00 4:r5\.25")
    for i, r in enumerate(RADII):  # psi^2 r at t = 0, within the quadrupole
        close(radius[0, 2 + i], r * (1 + 0.25 / r)**2, f"areal radius at {r} M", 0.05)
    head = r"# 1:iteration 2:time 3:n_r3\.00 4:s_r3\.00 5:n_r5\.25 6:s_r5\.25"
    expansion = table(folder / "waves/expansion.asc", 2 + 2 * len(RADII), head)
    for i, r in enumerate(RADII):  # of psi^4 times flat space, at first without trace of K: K_ss averages to 0
        psi = 1 + 0.25 / r
        close(expansion[0, 3 + 2 * i], 2 / (r * psi**2) * (1 - 0.5 / (r * psi)), f"expansion at {r} M", 0.05)
        assert abs(expansion[0, 2 + 2 * i]) < 1e-3 * expansion[0, 3 + 2 * i], expansion[0]
    head = "# 1:iteration 2:time " + " ".join(rf"{3 + 3 * i + k}:{x}_r{r:.2f}" for i, r in enumerate(RADII) for k, x in enumerate("xyz"))
    turning = table(folder / "waves/turning.asc", 2 + 3 * len(RADII), re.escape(head))
    assert not turning[0, 2:].any() and np.abs(turning[-1, 2:]).max() < 1e-2, turning  # no shift at first
    lapse = table(folder / "waves/lapse.asc", 2 + len(RADII), r"# 1:iteration 2:time 3:r3\.00 4:r5\.25")
    for i, r in enumerate(RADII):  # psi^-2 at t = 0, within the quadrupole
        close(lapse[0, 2 + i], (1 + 0.25 / r)**-2, f"lapse at {r} M", 0.01)
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["steps"] == STEPS and abs(summary["t"] - STEPS * STEP_M) < 1e-14, summary
    same(summary["energy_radiated"], energy[-1, 2 + len(quantities) + 1], "energy in summary.json and energy.asc")
    return summary


def grids(folder, version):
    """Octants by the time at which they were first seen: rows level, x, y, z, size."""
    rows = table(folder / "grid.asc", 6, "# 1:time 2:level 3:x 4:y 5:z 6:size")
    found = {t: rows[rows[:, 0] == t, 1:] for t in dict.fromkeys(rows[:, 0])}
    changes = 0 if "16^3" in version else 1
    assert list(found) == sorted(found) and len(found) == 1 + changes, f"{changes} change in grids at {list(found)}"
    for octants in found.values():
        assert abs((octants[:, 4]**3).sum() - 16 * 16 * 8) < 1e-9, "the octants do not fill the domain"
    return found


def resolve(item, folder):
    """The data set of a DataItem, after comparing shape and type with what the XML says."""
    name, path = item.text.strip().split(":")
    assert item.get("Format") == "HDF" and os.sep not in name, item.attrib
    data = h5py.File(folder / "fields" / name)[path]
    shape = tuple(int(n) for n in item.get("Dimensions").split())
    kind = {"Float": "f", "Int": "i"}[item.get("NumberType")]
    assert data.shape == shape, f"{name}:{path}: {data.shape} in the file, {shape} in the XML"
    assert (data.dtype.kind, data.dtype.itemsize) == (kind, int(item.get("Precision"))), f"{name}:{path}: {data.dtype}"
    return data


def check_geometry(grid, group, octants, normal, n, folder):
    """Topology and geometry of one grid: the closed octants, or their planes, in the order of grid.asc."""
    along = [0 if d == normal else n for d in range(3)]
    z, y, x = np.meshgrid(*(np.arange(a + 1) for a in reversed(along)), indexing="ij")
    lattice = np.stack([x, y, z], -1).reshape(-1, 3)
    if normal is not None:
        octants = octants[octants[:, 1 + normal] == 0.0]
    same(group["level"][:], octants[:, 0], "levels")
    same(group["origin"][:], octants[:, 1:4], "origins")
    same(group["spacing"][:], octants[:, 4] / n, "spacings")
    points = resolve(grid.find("Geometry/DataItem"), folder)[:]
    assert grid.find("Geometry").get("GeometryType") == "XYZ"
    expect = octants[:, None, 1:4] + octants[:, 4, None, None] / n * lattice
    same(points, expect.reshape(-1, 3), "points")
    topology = grid.find("Topology")
    cells = resolve(topology.find("DataItem"), folder)[:]
    h = np.repeat(octants[:, 4] / n, n**(3 if normal is None else 2))
    assert int(topology.get("NumberOfElements")) == len(cells) == len(h)
    assert topology.get("TopologyType") == ("Hexahedron" if normal is None else "Quadrilateral")
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])  # the order of VTK
    if normal is None:
        corners = np.array([(*c, k) for k in (0, 1) for c in corners])
    else:
        corners = np.insert(corners, normal, 0, axis=1)
    same(points[cells] - points[cells[:, :1]], h[:, None, None] * corners, "corners of cells")
    assert len(np.unique(points[cells[:, 0]], axis=0)) == len(cells), "cells lie on each other"
    return points


def check_single_valued(points, values, name):
    """Octants that share a point give it the same value."""
    _, where = np.unique(points, axis=0, return_inverse=True)
    first = np.full(where.max() + 1, np.nan)
    first[where] = values
    same(values, first[where], f"{name} where octants touch")


def check_initial_values(points, values, n, shape):
    """chi and alpha of the wormholes at the octants' own points, but on lower outer faces, where they are extrapolated."""
    own = np.zeros(shape, bool)
    own[(slice(None), *(slice(0, min(n, s)) for s in shape[1:]))] = True
    low = points.min(axis=0)
    own = own.ravel() & np.all((points > low) | (low == 0), axis=1)
    psi = 1 + sum(m / 2 / np.maximum(np.linalg.norm(points[own] - x, axis=1), 1e-9) for m, x in HOLES)
    inner = psi < 10  # away from the punctures, which the floor and the grid blunt
    close(values["chi"][own][inner], psi[inner]**-4, "chi of the initial data", 1e-13)
    close(values["alpha"][own][inner], psi[inner]**-2, "lapse of the initial data", 1e-13)


def exact_psi4(x):
    """[n] of the initial data at x [n][3] off the axis and the holes, where K_ij = 0: Psi4 = R_ij mbar^i mbar^j, and in
    psi^4 times the flat metric R_ij = -2 d_i d_j psi / psi + 6 d_i psi d_j psi / psi^2 but for multiples of the metric."""
    psi, first, second = 1.0, 0.0, 0.0
    for m, centre in HOLES:
        d = x - np.array(centre)
        r = np.linalg.norm(d, axis=1)[:, None, None]
        psi = psi + m / 2 / r
        first = first - m / 2 * d[:, :, None] / r**3
        second = second + m / 2 * (3 * d[:, :, None] * d[:, None, :] / r**5 - np.eye(3) / r**3)
    ricci = -2 * second / psi + 6 * first * first.transpose(0, 2, 1) / psi**2
    along = np.cross([0, 0, 1], x)
    phi, radial = (v / np.linalg.norm(v, axis=1)[:, None] for v in (along, x))
    mbar = (np.cross(phi, radial) - 1j * phi) / np.sqrt(2)
    return np.einsum("nij,ni,nj->n", ricci, mbar, mbar) / psi[:, 0, 0]**4


def check_psi4(points, values, extent):
    """Psi4 of the initial data where the grid resolves it; the outer face and its neighbourhood have one-sided ghosts."""
    apart = np.min([np.linalg.norm(points - np.array(x), axis=1) for _, x in HOLES], axis=0)
    good = (np.hypot(points[:, 0], points[:, 1]) > 0) & (apart > 1.5) & (np.abs(points).max(axis=1) < 0.8 * extent)
    exact = exact_psi4(points[good])
    off = np.abs((values["psi4_re"] + 1j * values["psi4_im"])[good] - exact) / np.abs(exact).max()
    assert good.sum() > 500 and off.max() < PSI4_OFF, f"Psi4 of {good.sum()} points off by {off.max()} of the largest"


def check_grid(grid, h, path, normal, octants, folder):
    """One grid of an XDMF file against its group of the HDF5 file; returns {variable: values}."""
    n = int(h.attrs["octant_points"])
    group = h[path]
    points = check_geometry(grid, group, octants, normal, n, folder)
    names = [a.get("Name") for a in grid.findall("Attribute")]
    assert sorted(names) == sorted(VARIABLES if normal is None else VARIABLES + PSI4), names
    values = {}
    for a in grid.findall("Attribute"):
        assert (a.get("AttributeType"), a.get("Center")) == ("Scalar", "Node"), a.attrib
        data = resolve(a.find("DataItem"), folder)
        assert data == group[a.get("Name")], f"{a.get('Name')} points to {data.name}"
        assert np.isfinite(data[:]).all()
        values[a.get("Name")] = data[:].ravel()
        check_single_valued(points, values[a.get("Name")], a.get("Name"))
    if h.attrs["iteration"] == 0:
        check_initial_values(points, values, n, data.shape)
        if normal is not None:
            check_psi4(points, values, 8.0)
    return {name: v.reshape(data.shape) for name, v in values.items()}


def check_fields(folder, kind, grid_at, version):
    """slices.xmf or fields.xmf; returns {step: [values of each grid]}."""
    root = ElementTree.parse(folder / "fields" / f"{kind}.xmf").getroot()
    assert (root.tag, root.get("Version")) == ("Xdmf", "2.0")
    series = root.find("Domain/Grid")
    assert series.get("CollectionType") == "Temporal" and len(root.findall("Domain/Grid")) == 1
    assert len(series) == len(steps(kind)), f"{len(series)} times in {kind}.xmf"
    found = {}
    for step, at in zip(steps(kind), series):
        h = h5py.File(folder / "fields" / f"{kind}.{step:07d}.h5")
        assert set(h.attrs) == {"code_version", "octant_points", "iteration", "time"}, set(h.attrs)
        assert h.attrs["code_version"] in version and h.attrs["iteration"] == step
        t = float(at.find("Time").get("Value"))
        assert t == h.attrs["time"] and abs(t - step * STEP_M) < 1e-14, (t, h.attrs["time"])
        octants = grid_at[max(seen for seen in grid_at if seen <= t)]
        if kind == "fields":
            assert at.get("GridType") == "Uniform"
            found[step] = [check_grid(at, h, "/", None, octants, folder)]
        else:
            assert at.get("CollectionType") == "Spatial"
            assert [g.get("Name") for g in at.findall("Grid")] == ["x", "y", "z"]
            found[step] = [check_grid(g, h, "/" + "xyz"[d], d, octants, folder) for d, g in
                           enumerate(at.findall("Grid"))]
    return found


def check_slices_in_fields(folder, slices, fields):
    """A slice is the lowest plane of the octants above it."""
    for step in fields:
        origin = h5py.File(folder / "fields" / f"fields.{step:07d}.h5")["origin"][:]
        for d in range(3):
            above = origin[:, d] == 0.0
            for name, volume in fields[step][0].items():
                same(slices[step][d][name], volume[above].take(0, axis=3 - d), f"{name} on the plane {'xyz'[d]} = 0")


def check_pictures(folder):
    """What `tendex-waves movie' draws of slices, the mirrored half too; between points it is linear."""
    found, bad = slices.found(folder)
    assert (len(found), bad) == (len(steps("slices")), []) and set(found[0].fields) == {*VARIABLES, *PSI4}, found
    x = (np.arange(64) + 0.5) / 4 - 8
    for plane, axes in slices.AXES.items():
        points = np.zeros((64, 64, 3))
        points[..., axes[0]], points[..., axes[1]] = np.meshgrid(x, x)
        psi = 1 + sum(m / 2 / np.linalg.norm(points - np.array(place), axis=-1) for m, place in HOLES)
        off = np.abs(slices.read(found[0], "chi", plane).picture((8, 8, 64, 64)) - psi**-4)
        assert off[np.linalg.norm(points, axis=-1) > 4].max() < 4e-3, f"picture of the plane {plane} = 0 off by {off.max()}"


def check_ranks(one, three):
    """All but the log, the parameters' head and the times are the same to the last byte."""
    for path in sorted(p for p in one.rglob("*") if p.is_file()):
        name = path.relative_to(one)
        if str(name) not in ("log.txt", "run.yaml", "summary.json") and name.parts[0] != "checkpoints":
            assert path.read_bytes() == (three / name).read_bytes(), f"{name} differs between 1 and 3 ranks"


def check_odd_name(program, scratch):
    """A parameter file may have any name: what the run writes can be read, and run.yaml repeats it."""
    odd = os.path.join(os.fsencode(scratch), b"a\nb\xff.yaml")
    Path(os.fsdecode(odd)).write_text("grid:\n  level_max: 1\n")
    folder = Path(scratch) / "odd"
    setting = ["--set", "run.name=odd", "--set", f"run.folder={folder}"]
    subprocess.run([program, "run", odd, "--quiet", *setting], cwd=scratch, check=True)
    for name in ("log.txt", "run.yaml", "summary.json"):
        assert r"a\nb\xff.yaml" in (folder / name).read_text().replace("\\\\", "\\"), f"{name}: {folder / name}"
    subprocess.run([program, "check", folder / "run.yaml", "--speed", "1e6"], stdout=subprocess.DEVNULL, check=True)


def main(program, *mpirun):
    with tempfile.TemporaryDirectory(prefix="tendex-test-") as scratch:
        one, three = Path(scratch) / "one", Path(scratch) / "three"
        check_odd_name(program, scratch)
        version = run(program, list(mpirun), 1, one)
        check_files(one)
        check_modes(one, version)
        check_punctures(one)
        check_norms(one)
        summary = check_fluxes(one)
        grid_at = grids(one, version)
        assert summary["octants"] == len(list(grid_at.values())[-1])
        fields = check_fields(one, "fields", grid_at, version)
        check_slices_in_fields(one, check_fields(one, "slices", grid_at, version), fields)
        check_pictures(one)
        run(program, list(mpirun), 3, three)
        check_files(three)
        check_ranks(one, three)
        assert json.loads((three / "summary.json").read_text())["field_checksum"] == summary["field_checksum"]


if __name__ == "__main__":
    main(*sys.argv[1:])
