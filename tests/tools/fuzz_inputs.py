"""What users hand in to the tools: small whole files, and what reads them. Each of INPUTS makes its files in a folder, and returns
(files that are broken, {name: function that reads them all and returns what it got as text})."""

import argparse
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import h5py
import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "dev"), str(ROOT / "tools"), str(HERE), str(HERE.parent / "support")]
import rotated as rotated_tool  # noqa: E402
import sweep  # noqa: E402
import stand_in  # noqa: E402
import synthetic  # noqa: E402
from alone import alone  # noqa: E402
from tendex_dev import bench_runs, ncu, study  # noqa: E402
from tendex import rotated, sweep_table  # noqa: E402
from tendex.base.folder import TRACKS  # noqa: E402
from tendex.base.parameter_file import changed, text_of  # noqa: E402
from tendex.orbits import cli as orbit_cli  # noqa: E402
from tendex.orbits.goal import Goal  # noqa: E402
from tendex.orbits.loop import Loop  # noqa: E402
from tendex_dev.results import kept, tables  # noqa: E402
from tendex.waves.catalogues import catalogue, metadata  # noqa: E402
from tendex.waves.commands import cli, movie, show, worldtubes  # noqa: E402
from tendex.waves.comparison import noise  # noqa: E402
from tendex.waves.reading import live  # noqa: E402

WAVE = synthetic.Chirp(slow=0.08, grow=60.0, peak=100.0)
RUN = {"wave": WAVE, "radii": (40.0, 60.0), "t_end": 220.0, "dt": 0.5, "l_max": 2, "remnant": (0.95, 0.62), "common": 90.0}


class Refused(Exception):
    """A tool ended with a message."""


def tool(main, *words):
    """What a command prints. Refused with its last words where it does not end well."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(word) for word in words])
        except SystemExit as e:
            code = e.code if isinstance(e.code, int) else 1
            print("" if isinstance(e.code, int) else e.code, file=err)
    if code:
        raise Refused(err.getvalue())
    return out.getvalue() + "".join(f"warning: {line}\n" for line in err.getvalue().splitlines())


def waves(command, *words):
    return lambda: tool(cli.main, command, *words)


def digits(values):
    return repr(np.asarray(values).tobytes())


def run_folder(folder, **how):
    made = synthetic.write_run(folder / "run", **RUN, **how)
    (made / "log.txt").write_text(f"Tendex {synthetic.VERSION}, 2026-11-20T14:08:58+0000\n  computes    the CPU\n"
                                  "  step      t/M      M/hour  left  Mpoints  octants by level\n"
                                  "     8     12.00      100.0  2:03      1.0  2:8 3:64\n")
    (made / "horizons").mkdir()
    np.savetxt(made / "horizons" / "ah3.surface.asc", [[0, t, 0, 0, 0, 3.6, *8 * [0]] for t in np.arange(90.0, 220.0)])
    return made


def files_in(folder):
    return sorted(file for file in folder.rglob("*") if file.is_file())


def spheres_of(found):
    return "".join(f"{w.radius} {digits(w.t)}" + "".join(f"{lm} {digits(v)}" for lm, v in w.modes.items()) for w in found)


def live_page(run):
    """All that `show' draws, but not drawn."""
    made, missing = show.make(live.Live(run))
    w = made.waves
    got = [spheres_of([*w.psi4, *w.strain]) if w else "", digits(made.holes.t) if made.holes else ""]
    return "\n".join([*got, *(f"warning: {line}" for line in missing)])


def finished_run(folder):
    run = run_folder(folder)
    return files_in(run), {
        "strain": waves("strain", run, "-o", folder / "strain.h5"), "remnant": waves("remnant", run),
        "extrapolate": waves("extrapolate", run, "-o", folder / "infinity.h5"),
        "show": lambda: live_page(run), "compare": lambda: spheres_of([catalogue.load(run)]),
        "export": waves("export", run, "--format", "sxs", "-o", folder / "sxs"),
        "rotated": lambda: tool_of(rotated_tool, "compare", run, run, run, run)}


def orbits_of(folder):
    """A run of first orbits, as tendex-orbit has them."""
    run, source = folder / "q3", parameters(folder)[0][0]
    stand_in.evolve(source, run, 620.0)
    (run / "waves" / "mp_psi4.h5").unlink()
    return [run / name for name in (TRACKS, "TwoPunctures.bbh", "run.yaml", "summary.json")], {"eccentricity": waves("eccentricity", run)}


def going_run(folder):
    run = run_folder(folder, summary=False)
    return files_in(run), {"show": lambda: live_page(run), "strain": waves("strain", run, "-o", folder / "strain.h5"),
                           "watch": waves("watch", run, "--once")}


def tool_of(module, *words):
    with mock.patch.object(sys, "argv", [module.__name__, *map(str, words)]):
        return tool(lambda _: module.main())


def slices(folder):
    run = run_folder(folder)
    synthetic.write_slices(run, (50.0, 120.0, 200.0), {"alpha": lambda x, y, z, t: np.tanh(0.3 * np.sqrt(x**2 + y**2 + z**2)),
                                                       "chi": lambda x, y, z, t: 1 + 0 * (x + y + z)}, points=4)
    arguments = argparse.Namespace(field=None, extent=None, range=None, mode=None)

    def read():
        made = live.Live(run)
        chosen = movie.frames_of(made)
        pictures = [movie.movie_plot.scaled(movie.slices.read(one, "chi", "z"), movie.movie_plot.View("chi", 8, 0, 1), (8, 8, 64, 64))
                    for one in chosen]
        with mock.patch.object(movie.movie_plot, "Frames", lambda *given: given):
            movie.make(made, chosen, arguments)
        return "\n".join([digits(pictures), *(f"warning: {line}" for line in made.missing)])
    return files_in(run / "fields"), {"movie": read}


def tubes(folder):
    (folder / "run" / "worldtubes").mkdir(parents=True)
    for step, times in ((0, (0.0, 1.0, 2.0)), (8, (3.0, 4.0))):
        with h5py.File(folder / "run" / "worldtubes" / f"{step:07d}.CceR0100.h5", "w") as h:
            for key in ("Lapse.dat", "gxx.dat"):
                data = h.create_dataset(key, data=np.arange(len(times) * 3, dtype=float).reshape(-1, 3))
                data[:, 0] = times
                data.attrs.create("Legend", ["time", "x", "y"], dtype=h5py.string_dtype("ascii"))

    def read():
        said = tool(cli.main, "worldtubes", folder / "run", "-o", folder / "cce")
        with h5py.File(folder / "cce" / "CceR0100.h5") as h:
            return said + "".join(digits(data[()]) for data in h.values())
    return files_in(folder / "run"), {"worldtubes": read, "look": lambda: str([worldtubes.look(*x).t for x in
                                                                               worldtubes.parts_of(folder / "run").items()])}


def columns(t, values):
    return np.column_stack([t, values.real, values.imag])


def sxs(folder):
    t, made = np.arange(0.0, 220.0), {}
    for name, groups, of in (("rhOverM_Asymptotic_GeometricUnits_CoM.h5", ("Extrapolated_N2.dir", "Extrapolated_N3.dir"), WAVE.strain),
                             ("rh_FiniteRadii_CodeUnits.h5", ("R0050.dir", "R0100.dir"), WAVE.strain),
                             ("rMPsi4_Asymptotic_GeometricUnits.h5", ("Extrapolated_N2.dir",), WAVE.psi4)):
        with h5py.File(folder / name, "w") as h:
            for group in groups:
                for lm in ((2, -2), (2, 1), (2, 2)):
                    h[f"{group}/Y_l{lm[0]}_m{lm[1]}.dat"] = columns(t, of(t, *lm))
        made[name] = folder / name
    with h5py.File(folder / "rh_FiniteRadii_CodeUnits.h5", "a") as h:
        h["R0100.dir/CoordRadius.dat"] = [[0.0, 100.0]]
    (folder / "metadata.json").write_text(json.dumps({"reference_mass1": 0.6, "reference_mass2": 0.4, "relaxation_time": 20.0}))
    return files_in(folder), {name: lambda file=file: spheres_of([catalogue.load(file)]) for name, file in made.items()} | {
        "folder": lambda: spheres_of([catalogue.load(folder)])}


def lvcnr(folder):
    with h5py.File(folder / "a.h5", "w") as h:
        h.attrs["Format"] = 1
        h["NRTimes"] = np.arange(-90.0, 40.0)
        for lm in ((2, -2), (2, 2)):
            for what in ("amp", "phase"):
                x = np.linspace(-100.0, 41.0, 24)
                g = h.create_group(f"{what}_l{lm[0]}_m{lm[1]}")
                g["X"], g["Y"], g["deg"], g["tol"] = x, 0.3 + 1e-3 * x, 5, 1e-6
    return [folder / "a.h5"], {"load": lambda: spheres_of([catalogue.load(folder / "a.h5")])}


def toolkit(style):
    def make(folder):
        part = folder / "run" / "output-0000"
        part.mkdir(parents=True)
        t = np.arange(0.0, 260.0, 0.5)
        for r in (60.0, 80.0):
            for l, m in ((2, 2), (2, -2)):
                psi4 = synthetic.at_sphere(WAVE, t, l, m, synthetic.areal_radius(r, 0.98), 0.98) / r
                if style == "h5":
                    with h5py.File(part / "mp_psi4.h5", "a") as h:
                        h[f"l{l}_m{m}_r{r:.2f}"] = columns(t, psi4)
                else:
                    np.savetxt(part / f"mp_Psi4_l{l}_m{m}_r{r:.2f}.asc", columns(t, psi4))
        (part / "TwoPunctures.bbh").write_text("[metadata]\ninitial-ADM-energy = 0.98\ninitial-separation = 8\n"
                                               "initial-bh-puncture-adm-mass1 = 0.5\ninitial-bh-puncture-adm-mass2 = 0.48\n")
        return files_in(folder), {"load": lambda: spheres_of([catalogue.load(folder / "run")])}
    return make


def npz(folder):
    t, psi4 = np.arange(0.0, 260.0, 0.5), {}
    for r in (60.0, 80.0):
        values = synthetic.at_sphere(WAVE, t, 2, 2, synthetic.areal_radius(r, 0.98), 0.98)
        psi4 |= {f"r{r:g}_l2_m2_re": values.real, f"r{r:g}_l2_m2_im": values.imag}
    h = WAVE.strain(t, 2, 2)
    np.savez(folder / "strain.npz", t=t, re=h.real, im=h.imag, q=2.0)
    np.savez(folder / "psi4.npz", t=t, **psi4)
    return files_in(folder), {name: lambda file=file: spheres_of([catalogue.load(file)])
                              for name, file in (("strain", folder / "strain.npz"), ("psi4", folder / "psi4.npz"))}


def own_strain(folder):
    run = synthetic.write_run(folder / "run", **RUN)
    tool(cli.main, "extrapolate", run, "-o", folder / "infinity.h5")
    tool(cli.main, "strain", run, "-o", folder / "strain.h5")
    return [folder / "infinity.h5", folder / "strain.h5"], {
        "infinity": lambda: spheres_of([catalogue.load(folder / "infinity.h5")]),
        "strain": lambda: spheres_of([catalogue.load(folder / "strain.h5")])}


def curves(folder):
    (folder / "psd.txt").write_text("# f S\n10 1e-44\n50 4.5e-46\n1000 1.25e-48\n")
    f = np.array([20.0, 100.0, 900.0, 1000.0])
    return [folder / "psd.txt"], {"psd": lambda: digits(noise.find(str(folder / "psd.txt"))(f))}


def meta(folder):
    (folder / "meta.txt").write_text("# who\nname = q1\nauthors = A. B., C. D.\nemail = a@b.c\nproduction-run = 1\n")
    return [folder / "meta.txt"], {"user": lambda: str(metadata.user(folder / "meta.txt"))}


def parameters(folder):
    file = folder / "q3.yaml"
    file.write_text(f"# A binary.\nrun:\n  t_end: 1000 # M\n  folder: \"{folder}/out/q3\"\ninitial_data:\n  type: quasi_circular\n"
                    "  separation: 12\n  mass_ratio: 3\n  bh1_chi: [0, 0.1,\n    0.2]\nwaves:\n  radii: &r [50, 60]\n  l_max: 2\n")
    twin = folder / "twin.yaml"
    twin.write_text((ROOT / "par" / "bbh_generic.yaml").read_text())

    def loop():
        one = Loop(file, {"run.t_end": "1500"})
        one.goal = Goal(1e-3)
        one._check()
        one._check_end()
        return f"{one.text}{one.forecast()}"
    return [file, twin], {
        "loop": loop, "changed": lambda: changed(text_of(file), {"initial_data.separation": "11", "run.name": "a b", "waves.l_max": None}, file),
        "twin": lambda: rotated.twin(twin, "x")}


def orbit(folder):
    file = parameters(folder)[0][0]
    said = {"Tendex": "octants of 8^3 points"}
    program = mock.Mock(settings=lambda words: {}, path="tendex", version=str(said))
    manifest = folder / "out" / "q3.orbit" / "orbit.json"
    numbers = {"e": 1e-2, "e_error": 1e-4, "e_frequency": 1e-2, "e_frequency_error": 1e-4, "periods": 1.5}
    member = {"number": 0, "initial_data": {}, "t_end": 500.0, "more": 0, "fit": numbers, "waves": {"none": "x"}, "anomaly": 1.0,
              "tangential": 0.08, "radial": -1e-4, "miss": 0.5, "next": {"initial_data.type": "two_punctures"},
              "swing": {"t": [0, 1], "oscillation": [0, 1], "fitted": [0, 1]}, "momenta": [[0, 0.1, 0], [0, -0.1, 0]]}
    manifest.parent.mkdir(parents=True)
    manifest.write_text(json.dumps({"file": str(file), "text": text_of(file), "eccentricity": 1e-3, "mean anomaly": None,
                                    "members": [member], "chosen": None}, indent=1))

    def read():
        with mock.patch.object(orbit_cli, "Program", lambda path: program):
            try:
                return tool(orbit_cli.main, file, "--eccentricity", "1e-3", "--only")
            except Refused as e:
                if "--launcher names what starts ranks" in str(e):
                    return "would run"  # in another folder, as the file says now
                raise
    return [file, manifest], {"orbit": read}


def sweeps(folder):
    table, manifest = folder / "table.txt", folder / "sweep.json"
    table.write_text("q chi1 chi2 D level_max\n1 0 0 10 -\n2 0.3 0.1,0,0.2 8 13 # x\n")
    csv = folder / "table.csv"
    csv.write_text('q,chi1,D,name\n1,"0,0.1,0",10,a\n2,0.3,8,b\n')
    run = {"name": "a", "file": "a.yaml", "line": 2, "q": 1.0, "chi1": [0, 0, 0], "chi2": [0, 0, 0], "D": 10.0, "eccentricity": None,
           "mean_anomaly": None, "accuracy": "standard", "merger_estimate": 800.0, "orbits": 6.0, "t_end": 1000.0, "notes": [],
           "check": {"ranks": 1, "steps": 10, "point_stages": 1e9, "hours": 1.0, "memory_bytes": 1e9, "device_bytes": 1e9}}
    manifest.write_text(json.dumps({"runs": [run, {**run, "name": "b"}], "jobs": ["12"], "program": "tendex", "version": "1"}, indent=1))
    (folder / "b.out").write_text("tendex: error: grid.extent: too small\n")
    made = run_folder(folder)
    made.rename(folder / "a")
    known = {"grid.level_max": 0, "run.t_end": 0}
    return [table, csv, manifest, folder / "b.out", *(folder / "a" / name for name in ("summary.json", "log.txt"))], {
        "table": lambda: str(sweep_table.read(table, known)), "csv": lambda: str(sweep_table.read(csv, known)),
        "status": lambda: tool(sweep.main, folder)}


def benches(folder):
    """Files of the tools that measure."""
    data = {"ranks": 1, "code_version": "1", "device": "cpu", "point_stages_per_s": 1e6, "date": "2026-11-20", "m_per_hour": 3.0}
    (folder / "kept").mkdir()
    (folder / "kept" / "run-r1-n0.json").write_text(json.dumps(data))
    (folder / "kept" / "run-r1-n0.command").write_text(json.dumps({"command": ["tendex"], "environment": {}, "date": "2026-11-20"}))
    records, names = kept.Records(ROOT / "docs" / "results").read(), ("chi6_coarse.json", "series/chi6_coarse.json")
    (folder / "series").mkdir()
    for name in names:
        (folder / name).write_bytes(records[name])
    (folder / "study.txt").write_bytes(b"".join(records["elliptic_study.jsonl"].splitlines(keepends=True)[:3]))
    (folder / "ncu.csv").write_bytes((HERE.parent / "bench" / "ncu_raw.csv").read_bytes())

    def of_shelf():
        one = kept.Shelf(folder)
        one.records.known = {name: (folder / name).read_bytes() for name in names}
        rows = tables.table({"a": one.numbers("chi6_coarse")}, ["a"], ["mass", "kick"], {})
        series = one.series("chi6_coarse")
        return str(rows) + (spheres_of([series.strain]) if series else "")
    return files_in(folder), {"scaling": lambda: str(bench_runs.load(folder / "kept")), "results": of_shelf,
                              "study": lambda: str(study.read(folder / "study.txt")),
                              "ncu": lambda: str(ncu.read(folder / "ncu.csv"))}


INPUTS = {"finished run": finished_run, "run that goes on": going_run, "first orbits": orbits_of, "slices": slices, "worldtubes": tubes, "SXS": sxs, "LVC-NR": lvcnr, "npz": npz,
          "Einstein Toolkit, HDF5": toolkit("h5"), "Einstein Toolkit, tables": toolkit("asc"), "strain": own_strain, "noise": curves,
          "metadata": meta, "parameter files": parameters, "orbit": orbit, "sweep": sweeps, "benchmarks": benches}


# The program itself, a process a case.

# Its exit codes, and the time it may take.
PROGRAM_CODES, PROGRAM_S = range(2, 10), 18
PARAMETERS = """# Two holes.
run: {name: a, t_end: 0.2}
grid:
  extent: 16
  level_max: 2  # of 2
  bh_radius: &r 1.5
initial_data:
  type: "brill_lindquist"
  bh1_mass: .5
  bh1_position: [2, 0,
    0]
  bh2_mass: 0.5
  bh2_position:
    - -2
    - 0
    - 0
waves: {radii: [5, 7.5], l_max: 2}
checkpoint: {at_end: true, keep: 2, every: 1}
horizons: {every: 0}
"""


def programs(tendex):
    """More INPUTS, that the program `tendex' reads."""
    def call(folder, *words):
        environment = dict(os.environ, OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="", **alone(folder))
        p = subprocess.run([tendex, *map(str, words)], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, errors="replace", timeout=PROGRAM_S)
        if p.returncode not in (0, *PROGRAM_CODES) or "Sanitizer" in p.stderr:
            raise AssertionError(f"exit code {p.returncode}: {p.stderr[-1500:]}")
        if p.returncode:
            raise Refused(p.stderr)
        return "".join(f"warning: {line}\n" for line in p.stderr.splitlines())

    def parameter_file(folder):
        file = folder / "a.yaml"
        file.write_text(PARAMETERS)
        return [file], {"check": lambda: call(folder, "check", "a.yaml", "--speed", "1e6")}

    def restart(folder):
        (folder / "a.yaml").write_text(PARAMETERS)
        call(folder, "run", "-q", "a.yaml")
        run, copy = folder / "out" / "a", folder / "copy"

        def read():
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(run, copy, symlinks=True)
            return call(folder, "run", "-q", "--restart", copy, "--set", "run.t_end=0.3", "--set", "run.max_steps=1000")
        return files_in(run), {"restart": read}
    return {"the program's parameter files": parameter_file, "the program's run folder": restart}
