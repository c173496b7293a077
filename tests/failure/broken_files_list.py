"""The cases of broken_files.py: small whole files of every kind, and what is broken in them."""

import io
import json
import sys
import tempfile
from pathlib import Path

import h5py
import numpy as np
from broken_inputs_list import FOLDER, Case

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import synthetic  # noqa: E402

MODES = ((2, -2), (2, 1), (2, 2))
T = np.arange(0.0, 120.0, 0.5)
AT = 100  # the row that is broken, t = 50
RUN = {"radii": (40.0,), "t_end": 60.0, "dt": 0.5, "l_max": 2, "remnant": (0.95, 0.62), "common": 40.0}


def hdf5(fill):
    """The bytes of a file that fill(h) has filled."""
    out = io.BytesIO()
    with h5py.File(out, "w") as h:
        fill(h)
    return out.getvalue()


def changed(data, change):
    """The bytes of an HDF5 file after change(h)."""
    out = io.BytesIO(data)
    with h5py.File(out, "a") as h:
        change(h)
    return out.getvalue()


def put(name, value, at=...):
    """A change: a dataset, or a part of it, becomes another."""
    def change(h):
        values = np.asarray(value) if at is ... else h[name][()]
        if at is not ...:
            values[at] = value
        del h[name]
        h[name] = values
    return change


def without(name):
    def change(h):
        del h[name]
    return change


def attribute(name, value, of="/"):
    def change(h):
        h[of].attrs[name] = value
    return change


def group(name):
    def change(h):
        del h[name]
        h.create_group(name)
    return change


def mode(m):
    return np.column_stack([T, np.cos(0.2 * m * T), -np.sin(0.2 * m * T)])


# Of the SXS catalogue.

def sxs(name):
    return hdf5(lambda h: [h.create_dataset(f"{name}/Y_l{l}_m{m}.dat", data=mode(m)) for l, m in MODES])


INFINITY, SPHERES = sxs("Extrapolated_N2.dir"), sxs("R0100.dir")
Y22, A = "Extrapolated_N2.dir/Y_l2_m2.dat", "rhOverM_Asymptotic.h5"
SXS = [(what, changed(INFINITY, how), f"{A}: {said}") for what, how, said in (
    ("nan", put(Y22, np.nan, (AT, 1)), "Extrapolated_N2.dir: mode l = 2, m = 2: nan, not a finite number, at t = 50"),
    ("infinity", put(Y22, -np.inf, (AT, 2)), "Extrapolated_N2.dir: mode l = 2, m = 2: -inf, not a finite number, at t = 50"),
    ("time", put(Y22, np.nan, (AT, 0)), "Extrapolated_N2.dir: mode l = 2, m = 2: row 101: time nan, not a finite number"),
    ("columns", put(Y22, np.zeros((9, 2))), f"{Y22}: shape (9, 2), not (N, 3)"),
    ("one row", put(Y22, np.zeros((1, 3))), f"{Y22} has fewer than two rows, too few for waves"),
    ("text", put(Y22, np.full((9, 3), b"x")), f"/{Y22}: values of type |S1, not numbers"),
    ("complex", put(Y22, np.full((9, 3), 1j)), f"/{Y22}: values of type complex128, not numbers"),
    ("a group", group(Y22), f"/{Y22}: a group, not a dataset"),
    ("other times", put(Y22, mode(2)[1:]), f"{Y22}: times differ from the other modes'"),
    ("no waves", without("Extrapolated_N2.dir"), "has nothing, and no waves that are known"))]
SXS += [("half", INFINITY[:len(INFINITY) // 2], f"{A}: cannot be read: "), ("empty", b"", f"{A}: not an HDF5 file"),
        ("table", b"1 2 3\n", f"{A}: not an HDF5 file")]
META = [("half JSON", b'{"reference_mass1": 0.', "metadata.json: not JSON: "), ("list", b"[]", "metadata.json: holds no names with values"),
        ("nan", b'{"reference_mass1": NaN}', "metadata.json: not JSON: NaN: not a finite number"),
        ("Latin-1", b'{"a":\n "\xe9"}', "metadata.json: line 2: byte 0xe9 is not UTF-8; save the file as UTF-8"),
        ("mass", b'{"reference_mass1": -0.5, "reference_mass2": 0.5}', "metadata.json: reference_mass1 and 2 are -0.5 and 0.5: masses are")]


# In the LVC-NR format.

def lvcnr(h):
    for l, m in MODES:
        for what in ("amp", "phase"):
            g = h.create_group(f"{what}_l{l}_m{m}")
            g["X"], g["Y"], g["deg"] = np.linspace(-50.0, 40.0, 31), np.linspace(1.0, 2.0, 31), 5


SPLINES = hdf5(lvcnr)
LVCNR = [(what, changed(SPLINES, how), f"a.h5: {said}") for what, how, said in (
    ("nan", put("phase_l2_m1/Y", np.nan, 10), "mode l = 2, m = 1, phase_l2_m1: nan, not a finite number, at t = -20"),
    ("time", put("amp_l2_m2/X", np.inf, 10), "mode l = 2, m = 2, amp_l2_m2: row 11: time inf, not a finite number"),
    ("degree", put("amp_l2_m2/deg", 4), "amp_l2_m2: deg is 4: splines of degree 1, 3 and 5 are known"),
    ("degrees", put("amp_l2_m2/deg", [5, 5]), "amp_l2_m2: deg is of shape (2,): splines of degree"),
    ("no Y", without("amp_l2_m2/Y"), "amp_l2_m2: not a group with X and Y"),
    ("short", put("amp_l2_m2/Y", np.zeros(7)), "amp_l2_m2: X of shape (31,) and Y of shape (7,) are no spline of degree 5"),
    ("times", lambda h: put("NRTimes", np.full(3, np.nan))(h) if "NRTimes" in h else h.create_dataset("NRTimes", data=np.full(3, np.nan)),
     "NRTimes: row 1: time nan, not a finite number"))]


# Of the Einstein Toolkit.

def table(rows):
    return "".join(" ".join(f"{x:.16e}" for x in row) + "\n" for row in rows)


ROWS = table(mode(2)).splitlines(True)
TABLE = "mp_Psi4_l2_m2_r100.00.asc"
TOOLKIT = [("nan", "".join([*ROWS[:AT], "50 nan 0\n", *ROWS[AT + 1:]]), f"{TABLE}: mode l = 2, m = 2, r = 100: nan, not a finite number, at t = 50"),
           ("short row", "".join([*ROWS[:AT], "50 0.1\n", *ROWS[AT + 1:]]), f"{TABLE}: line 101: 2 values, not 3; a damaged line? Remove it"),
           ("word", "".join([*ROWS[:AT], "50 0.1 1e\n", *ROWS[AT + 1:]]), f"{TABLE}: line 101: '1e' is no number; a damaged line? Remove it"),
           ("zeros", "".join(ROWS[:AT]) + 20 * "\0" + "\n" + "".join(ROWS[AT:]), f"{TABLE}: line 101: "), ("empty", "", f"{TABLE}: a mode without")]
BUNDLE = hdf5(lambda h: [h.create_dataset(f"l{l}_m{m}_r100.00", data=mode(m)) for l, m in MODES])
BUNDLES = [("nan", changed(BUNDLE, put("l2_m1_r100.00", np.nan, (AT, 2))), "mp_psi4.h5: mode l = 2, m = 1, r = 100: nan, not a finite number, at t = 50"),
           ("shape", changed(BUNDLE, put("l2_m1_r100.00", np.zeros(9))), "mp_psi4.h5: l2_m1_r100.00: shape (9,), not (N, 3)"),
           ("half", BUNDLE[:len(BUNDLE) // 2], "mp_psi4.h5: cannot be read: ")]


# Of other codes in NumPy's format.

def arrays(**values):
    out = io.BytesIO()
    np.savez(out, **values)
    return out.getvalue()


WAVE = {"t": T, "re": mode(2)[:, 1], "im": mode(2)[:, 2]}
NPZ = [("nan", arrays(**{**WAVE, "im": np.where(T == 50, np.nan, 1.0)}), "a.npz: mode l = 2, m = 2: nan, not a finite number, at t = 50"),
       ("short", arrays(**{**WAVE, "im": T[:9]}), "a.npz: im: shape (9,), where t has (240,)"),
       ("times", arrays(**{**WAVE, "t": np.where(T == 50, 7.0, T)}), "a.npz: t: time 7 after 49.5: times must increase"),
       ("complex", arrays(t=T, re=mode(2)[:, 1] + 1j), "a.npz: re: values of type complex128, not real numbers"),
       ("objects", arrays(t=np.array([{}], object)), "a.npz: cannot be read: Object arrays cannot be loaded when allow_pickle=False"),
       ("no waves", arrays(x=T), "a.npz: has x, and no waves that are known"),
       ("half", arrays(**WAVE)[:3000], "a.npz: not an HDF5 file")]


# Of tendex-waves.

def own(h):
    h.attrs.update({"format": "tendex waves 1", "best": "perturbative"})
    h.create_group("perturbative").attrs.update({"kind": "strain", "radius": np.inf, "areal_radius": np.inf, "mass": 1.0, "label": "a"})
    for l, m in MODES:
        h[f"perturbative/l{l}_m{m}"] = mode(m)


STRAIN = hdf5(own)
OWN = [(what, changed(STRAIN, how), f"a.h5: {said}") for what, how, said in (
    ("nan", put("perturbative/l2_m2", np.nan, (AT, 1)), "perturbative: mode l = 2, m = 2: nan, not a finite number, at t = 50"),
    ("best", attribute("best", "nowhere"), "no group nowhere; there are perturbative"),
    ("mass", attribute("mass", -1.0, "perturbative"), "perturbative: attributes kind = strain, radius = inf, areal_radius = inf, mass = -1: not those"),
    ("word", attribute("mass", "x", "perturbative"), "attribute mass is 'x', not a number"),
    ("frame", lambda h: h.create_dataset("perturbative/frame", data=np.zeros((9, 5))), "perturbative/frame: times differ from the modes'"))]

NOISE = [("short row", "10 1e-46\n20\n", "psd.txt: line 2: 1 values, not 2; a damaged line? Remove it"),
         ("nan", "10 1e-46\n20 nan\n30 1e-46\n", "psd.txt: frequencies must increase, and the noise be positive and finite"),
         ("folder", FOLDER, "psd.txt: Is a directory"), ("Latin-1", b"10 1e-46 # \xe9\n20 x\n", "psd.txt: line 2: 'x' is no number")]


# A run folder.

def run_files():
    with tempfile.TemporaryDirectory() as folder:
        made = synthetic.write_run(Path(folder) / "run", **RUN)
        return {f"run/{file.relative_to(made)}": file.read_bytes() for file in sorted(made.rglob("*")) if file.is_file()}


WHOLE = run_files()


def line_changed(name, n, column, word):
    """A text file with another word in a line from the end, n = -1 the last one."""
    lines = WHOLE[name].splitlines(True)
    words = lines[n].split()
    words[column] = word
    return b"".join([*lines[:n], b" ".join(words) + b"\n", *(lines[n + 1:] if n < -1 else [])])


PSI4, AREAL, TRACKS, BBH = "run/waves/mp_psi4.h5", "run/waves/areal_radius.asc", "run/puncturetracker-pt_loc..asc", "run/TwoPunctures.bbh"
IN_RUNS = [("psi4 nan", PSI4, changed(WHOLE[PSI4], put("l2_m2_r40.00", np.nan, (AT, 1))),
            f"{PSI4}: mode l = 2, m = 2, r = 40: nan, not a finite number, at t = 50"),
           ("psi4 half", PSI4, WHOLE[PSI4][:9000], f"{PSI4}: cannot be read: "),
           ("psi4 mode", PSI4, changed(WHOLE[PSI4], put("l2_m2_r40.00", np.zeros((5, 4)))), f"{PSI4}: l2_m2_r40.00: shape (5, 4), not (N, 3)"),
           ("areal nan", AREAL, line_changed(AREAL, -1, 2, b"nan"), f"{AREAL}: r40.00: nan, not a finite number, at t = 60"),
           ("areal zero", AREAL, line_changed(AREAL, -1, 2, b"0"), f"{AREAL}: r40.00: an areal radius of 0 M at t = 60, where 4"),
           ("areal time", AREAL, line_changed(AREAL, -3, 1, b"7"), f"{AREAL}: line 121: time 7 after 58.5; a damaged line? Remove it"),
           ("tracks inf", TRACKS, line_changed(TRACKS, -1, 22, b"inf"), f"{TRACKS}: puncture 1: inf, not a finite number, at t = 60"),
           ("tracks word", TRACKS, line_changed(TRACKS, -1, 22, b"1_0"), f"{TRACKS}: line 33: '1_0' is no number; a damaged line? Remove it"),
           ("data cut", BBH, WHOLE[BBH].split(b"initial-bh-puncture-adm-mass2")[0] + b"initial-bh-puncture-adm-mass2 = 0.",
            f"{BBH}: no initial-bh-puncture-adm-mass2: not a run of two punctures?"),
           ("data nan", BBH, WHOLE[BBH].replace(b"initial-ADM-energy = ", b"initial-ADM-energy = nan #"), f"{BBH}: initial-ADM-energy = nan: not"),
           ("summary", "run/summary.json", b'{"t": "late"}', 'run/summary.json: t is "late", not a number'),
           ("summary cut", "run/summary.json", b'{"t": 6', "run/summary.json: not JSON: "),
           ("parameters", "run/run.yaml", b"# \xe9\nrun: {}\n", "run/run.yaml:1: not valid YAML: byte 0xe9 is not UTF-8; save the file as UTF-8"),
           ("parameters cut", "run/run.yaml", WHOLE["run/run.yaml"][:-5] + b"[", "run/run.yaml:"),
           ("parameters, a folder", "run/run.yaml", FOLDER, "cannot read parameter file run/run.yaml: it is no file")]


ORBIT = """run:
  t_end: 3000
initial_data:
  type: quasi_circular
  separation: 12
"""
DONE = json.dumps({"file": "", "text": "", "eccentricity": 1e-3, "mean anomaly": None, "members": [{"number": 0}], "chosen": None})
ORBITS = [("Latin-1", ORBIT.encode() + b"# \xe9\n", "a.yaml:6: not valid YAML: byte 0xe9 is not UTF-8; save the file as UTF-8"),
          ("word", ORBIT.replace("12", "far"), "a.yaml:5: initial_data.separation: far is not allowed; give a number"),
          ("quotes", ORBIT.replace("12", '"12"'), 'a.yaml:5: initial_data.separation: "12" is text; give it without quotes'),
          ("unknown", ORBIT.replace("separation", "seperation"), "a.yaml:5: initial_data.seperation: unknown parameter"),
          ("twice", ORBIT + "run: {}\n", "a.yaml:6: section run: given twice, first in line 1"), ("empty", "", "a.yaml: the parameter file is empty"),
          ("anchor", ORBIT.replace("12", "*d"), "a.yaml:5: not valid YAML: found undefined alias")]

ROW = "q D\n1 10\n"
SWEEPS = [("Latin-1", b"q D name\n1 10 b\xe4r\n", "t.txt: line 2: byte 0xe4 is not UTF-8; save the file as UTF-8"),
          ("short", ROW + "2\n", "t.txt:3: 1 values in 2 columns"), ("nan", ROW.replace("10", "nan"), "t.txt:2, column D: 'nan' is not allowed"),
          ("empty", "", "t.txt: no rows; give a heading")]
MANIFESTS = [("cut", '{"runs": [{"na', "sweep.json: not JSON: "), ("list", "[]", "sweep.json: holds no names with values; make it anew with --table"),
             ("run", '{"runs": [3], "jobs": []}', "sweep.json: run 1: no names with values; make it anew with --table")]

COMPARE = ["tendex-waves", "compare"]


def cases():
    for what, data, said in SXS:
        yield Case(f"SXS: {what}", [*COMPARE, A, A], 1, said, {A: data})
    for what, data, said in META:
        yield Case(f"SXS metadata: {what}", [*COMPARE, "rh_Finite.h5", "rh_Finite.h5"], 1, said, {"rh_Finite.h5": SPHERES, "metadata.json": data})
    for what, data, said in [*LVCNR, *OWN]:
        yield Case(f"{'LVC-NR' if (what, data, said) in LVCNR else 'strain'}: {what}", [*COMPARE, "a.h5", "a.h5"], 1, said, {"a.h5": data})
    for what, data, said in TOOLKIT:
        yield Case(f"Einstein Toolkit: {what}", [*COMPARE, "et", "et", "--mass", "1"], 1, said, {f"et/out/{TABLE}": data})
    for what, data, said in BUNDLES:
        yield Case(f"Einstein Toolkit, HDF5: {what}", [*COMPARE, "et", "et", "--mass", "1"], 1, said, {"et/out/mp_psi4.h5": data})
    for what, data, said in NPZ:
        yield Case(f"npz: {what}", [*COMPARE, "a.npz", "a.npz"], 1, said, {"a.npz": data})
    for what, data, said in NOISE:
        yield Case(f"noise: {what}", [*COMPARE, A, A, "--psd", "psd.txt"], 1, said, {"psd.txt": data})
    for what, name, data, said in IN_RUNS:
        command = ["show", "run", "--mode=2,2"] if name == "run/run.yaml" else ["extrapolate", "run", "-o", "s.h5"]
        yield Case(f"run: {what}", ["tendex-waves", *command], 1, said, {**WHOLE, name: data})
    for what, data, said in ORBITS:
        yield Case(f"orbit: {what}", ["tendex-orbit", "a.yaml", "--eccentricity", "1e-3"], 3, said, {"a.yaml": data})
    yield Case("orbit: members", ["tendex-orbit", "a.yaml", "--eccentricity", "1e-3", "--folder", "o"], 3,
               "orbit.json: not what tendex-orbit wrote; remove ", {"a.yaml": ORBIT, "o/orbit.json": DONE})
    for what, data, said in SWEEPS:
        yield Case(f"sweep: {what}", ["sweep", "s", "--table", "t.txt"], 1, said, {"t.txt": data})
    for what, data, said in MANIFESTS:
        yield Case(f"sweep.json: {what}", ["sweep", "s"], 1, said, {"s/sweep.json": data})
