"""The cases of broken_inputs.py."""

from dataclasses import dataclass, field

USAGE, PARAM, IO, MEMORY = 2, 3, 4, 5
FOLDER = object()

GOOD = """run:
  t_end: 1
grid:
  extent: 16
  level_min: 1
  level_max: 2
initial_data:
  type: brill_lindquist
  bh1_mass: 0.5
  bh1_position: [2, 0, 0]
  bh2_mass: 0.5
  bh2_position: [-2, 0, 0]
"""

ORBIT = GOOD.replace("brill_lindquist", "two_punctures") + """  bh1_momentum: [0, 0.1, 0]
  bh2_momentum: [0, -0.1, 0]
"""

WAVE = """grid:
  extent: 16
  level_max: 2
initial_data:
  type: brill_wave
  amplitude: 1
"""

PAIR = """grid:
  extent: 16
  level_max: 2
initial_data:
  type: quasi_circular
"""

ONE_HOLE = """run:
  t_end: 1
grid:
  extent: 16
  level_max: 2
initial_data:
  type: single_puncture
  bh1_mass: 1
"""


@dataclass
class Case:
    name: str
    arguments: list
    code: int
    message: str
    files: dict = field(default_factory=dict)


def command_line(name, arguments, message, code=USAGE, files=None):
    return Case(name, arguments, code, message, {"a.yaml": GOOD} if files is None else files)


def file(name, text, message, code=PARAM):
    """A run of the parameter file a.yaml with this text."""
    return Case(name, ["run", "a.yaml"], code, message, {"a.yaml": text})


def changed(name, old, new, message):
    """The good file with one thing changed."""
    assert GOOD.count(old) == 1, (name, old)
    return file(name, GOOD.replace(old, new), message)


def added(name, more, message):
    return file(name, GOOD + more, message)


CASES = [
    # Command lines.
    command_line("no command", [],
         "tendex: a command is missing; give new, run, check, id, bench or tune"),
    command_line("unknown command", ["rum", "a.yaml"],
         "tendex: there is no command 'rum'; give new, run, check, id, bench or tune"),
    command_line("no file", ["run"],
         "tendex run: the parameter file is missing, e.g. par/head_on.yaml"),
    command_line("two files", ["run", "a.yaml", "b.yaml"],
         "tendex run: 'b.yaml' is one argument too many"),
    command_line("unknown option", ["run", "--fast", "a.yaml"],
         "tendex run: unrecognized option '--fast'"),
    command_line("parameters in an unknown format", ["--help-params=xml"],
         "tendex: --help-params: 'xml' is not allowed; give text or json"),
    command_line("option without its value", ["run", "a.yaml", "--set"],
         "tendex run: option '--set' requires an argument"),
    command_line("option of another command", ["check", "--overwrite", "a.yaml"],
         "tendex check: unrecognized option '--overwrite'"),
    command_line("threads that are no number", ["run", "a.yaml", "--threads", "two"],
         "tendex run: --threads: 'two' is not allowed; give a whole number from 1 to 4096"),
    command_line("bench with two files", ["bench", "a.yaml", "b.yaml"],
         "tendex bench: 'b.yaml' is one argument too many"),
    command_line("bench of a file's grid with levels", ["bench", "a.yaml", "--levels", "3"],
         "tendex bench: --levels sets the bench's own grid, not that of a.yaml"),
    command_line("bench with settings of no file", ["bench", "--set", "evolution.cfl=0.1"],
         "tendex bench: --set changes parameters of FILE, and FILE is missing"),
    command_line("bench on what is no device", ["bench", "--device", "tpu"],
         "--set compute.device=tpu: tpu is not allowed; give one of auto, cpu, gpu", PARAM),
    command_line("bench of a grid without refined balls", ["bench", "b.yaml", "--points", "100000"],
         "--points: the grid of this parameter file has no refined regions to scale; leave the option out", PARAM,
         {"b.yaml": "grid:\n  extent: 1\n  level_max: 1\n"}),
    command_line("GPU that is not there", ["run", "a.yaml", "--set", "compute.device=gpu"],
         "tendex: error: compute.device is gpu, but ", PARAM),
    command_line("bench on a GPU that is not there", ["bench", "--device", "gpu"],
         "tendex: error: compute.device is gpu, but ", PARAM),
    command_line("transport of a processor", ["run", "a.yaml", "--set", "compute.device=cpu", "--set",
                                             "compute.transport=peer"],
         "--set compute.transport=peer: has no effect: it is used only if compute.device is auto or gpu, and "
         "compute.device is cpu; remove it", PARAM),
    command_line("bench with too many levels", ["bench", "--levels", "99"],
         "tendex bench: --levels: '99' is not allowed; give a whole number from 1 to 12"),
    command_line("check for no ranks", ["check", "a.yaml", "-n", "0"],
         "tendex check: --ranks: '0' is not allowed; give a whole number from 1 to 1000000"),
    command_line("set without a value", ["run", "a.yaml", "--set", "run.t_end"],
         "--set run.t_end: must be section.name=value", PARAM),
    command_line("set of what is not there", ["run", "a.yaml", "--set", "grid.extend=3"],
         "--set grid.extend=3: unknown parameter; did you mean grid.extent?", PARAM),
    command_line("set without a section", ["run", "a.yaml", "--set", "t_end=3"],
         "--set t_end=3: must be section.name=value; did you mean run.t_end?", PARAM),
    command_line("set out of range", ["id", "a.yaml", "--set", "grid.level_max=99"],
         "--set grid.level_max=99: 99 is not allowed; give an integer from 0 to 18", PARAM),
    command_line("set twice", ["run", "a.yaml", "--set", "run.t_end=1", "--set", "run.t_end=2"],
         "--set run.t_end=2: given twice, also as --set run.t_end=1", PARAM),
    command_line("results nowhere", ["bench", "--json", "no/where.json"],
         "cannot write no/where.json: No such file or directory: folder no does not exist: create it, or give another path", IO),
    command_line("results where a folder is", ["bench", "--json", "d"],
         "cannot write d: Is a directory; give another path, or the right to write there", IO, {"a.yaml": GOOD, "d": FOLDER}),
    command_line("data where a folder is", ["id", "a.yaml", "--json", "d"],
         "cannot write d: Is a directory; give another path, or the right to write there", IO, {"a.yaml": GOOD, "d": FOLDER}),
    command_line("run folder that is a file", ["run", "a.yaml", "--set", "run.folder=f"],
         "cannot create folder f: a file of this name exists; give a writable run.folder", IO, {"a.yaml": GOOD, "f": "text"}),
    command_line("surfaces that nobody looks for", ["run", "a.yaml", "--set", "horizons.every=0", "--set", "horizons.l_max=4"],
         "--set horizons.l_max=4: has no effect: it is used only if there are punctures or horizons.radius is above 0, and horizons.every is above 0; "
         "remove it", PARAM),
    command_line("common horizon of one hole", ["run", "a.yaml", "--set", "horizons.common_below=2"],
         "--set horizons.common_below=2: has no effect: it is used only if there are several punctures and horizons.every "
         "is above 0; remove it", PARAM, {"a.yaml": ONE_HOLE}),
    # Files that cannot be read.
    command_line("file that is not there", ["run", "b.yaml"],
         "cannot open parameter file b.yaml: No such file or directory", IO),
    command_line("folder for a file", ["run", "d"],
         "cannot read parameter file d: Is a directory", IO, {"d": FOLDER}),
    file("not text", b"\x00\x01\xff\xfe",
         "a.yaml:1: not valid YAML: control characters are not allowed"),
    file("not YAML", "run: [1, 2\ngrid: }",
         "a.yaml:2: not valid YAML: did not find expected ',' or ']'"),
    file("tab", "run:\n\tt_end: 1\n",
         "a.yaml:2: not valid YAML: found character that cannot start any token; indent with spaces, this "
         "line holds a tab"),
    file("list at the top", "- run\n- grid\n",
         'a.yaml:1: must hold sections, "section:" with "name: value" lines indented below'),
    command_line("device for a file", ["run", "/dev/zero"],
         "cannot read parameter file /dev/zero: it is a device; give a file", IO),
    file("deep brackets", "waves:\n  radii: " + 60000 * "[",
         "a.yaml:2: more than 16 levels of brackets or indents; this is not a parameter file"),
    file("too long a file", 2**20 * "#", "a.yaml: more than 1048576 bytes; this is not a parameter file"),
    # Text.
    changed("quoted list", "[2, 0, 0]", '"[2, 0, 0]"',
         'a.yaml:10: initial_data.bh1_position: "[2, 0, 0]" is text; give it without quotes: [x, y, z], each'),
    changed("line end in a value", "t_end: 1", 't_end: "1\\n2"',
         'a.yaml:2: run.t_end: "1\\n2" is not allowed; give a number'),
    command_line("name that is not UTF-8", ["run", "a.yaml", "--set", b"run.name=ab\xff"],
         r"--set run.name=ab\xff: byte 3, 0xff, is not UTF-8; give text of up to 255 bytes in UTF-8, without "
         "control characters", PARAM),
    command_line("folder with a control character", ["check", "a.yaml", "--set", "run.folder=a\x1b[2J"],
         r"--set run.folder=a\x1b[2J: byte 2, 0x1b, is a control character; give text", PARAM),
    command_line("name above the folder of runs", ["run", "a.yaml", "--set", "run.name=../../x"],
         '--set run.name=../../x: "../../x" is not a folder name; give one without /, and not . or ..; '
         "run.folder may be any path", PARAM),
    command_line("name of the folder above", ["id", "a.yaml", "--set", "run.name=.."],
         '--set run.name=..: ".." is not a folder name', PARAM),
    command_line("file that gives no name", ["run", "..yaml"],
         "'..yaml' does not give a name for the run; set run.name", PARAM, {"..yaml": GOOD}),
    command_line("file whose name is not UTF-8", ["run", b"a\xff.yaml"],
         r"'a\xff.yaml' does not give a name for the run: byte 2, 0xff, is not UTF-8; set run.name", PARAM,
         {b"a\xff.yaml": GOOD}),
    command_line("folder to go on in that is not UTF-8", ["run", "--restart", b"a\xff"],
         r"--restart 'a\xff': byte 2, 0xff, is not UTF-8; rename the folder", PARAM),
    command_line("word of two lines", ["run", "a.yaml", "b\nc"], r"tendex run: 'b\nc' is one argument too many"),
    command_line("option of two lines", ["run", "a.yaml", "--fa\nst"], r"tendex: there is no option '--fa\nst'; see tendex --help"),
    # Keys.
    changed("misspelt key", "extent:", "extnt:",
         "a.yaml:4: grid.extnt: unknown parameter; did you mean grid.extent?"),
    changed("misspelt section", "grid:", "gird:",
         "a.yaml:3: gird: unknown section; did you mean grid?"),
    added("key twice", "run:\n  t_end: 2\n",
         "a.yaml:13: section run: given twice, first in line 1; put all its parameters under one"),
    file("key without a section", "t_end: 1\n" + GOOD,
         'a.yaml:1: t_end: not in a section; write "run:" and below it, indented, "t_end: ..."'),
    added("section without keys", "waves: 3\n",
         'a.yaml:13: section waves: must hold parameters, "name: value", indented, one a line'),
    added("parameter without effect", "gauge:\n  shift: zero\n  eta: 2\n",
         "a.yaml:15: gauge.eta: has no effect: it is used only if gauge.shift is gamma_driver and "
         "gauge.eta_form is constant or radial; remove it"),
    # Values.
    changed("word for a number", "t_end: 1", "t_end: long",
         "a.yaml:2: run.t_end: long is not allowed; give a number from 0 to 1e+09 M"),
    changed("number too large", "t_end: 1", "t_end: 1e99",
         "a.yaml:2: run.t_end: 1e99 is not allowed; give a number from 0 to 1e+09 M"),
    changed("not a number", "t_end: 1", "t_end: nan",
         "a.yaml:2: run.t_end: nan is not allowed; give a number from 0 to 1e+09 M"),
    changed("fraction for a count", "level_max: 2", "level_max: 2.5",
         "a.yaml:6: grid.level_max: 2.5 is not allowed; give an integer from 0 to 18"),
    changed("unknown word", "brill_lindquist", "brill_lindqvist",
         "a.yaml:8: initial_data.type: brill_lindqvist is not allowed; give one of minkowski, "
         "single_puncture, brill_lindquist, gauge_wave, linear_wave, teukolsky_wave, noise"),
    changed("two numbers for a vector", "[2, 0, 0]", "[2, 0]",
         "a.yaml:10: initial_data.bh1_position: [2, 0] is not allowed; give [x, y, z], each from -1e+09 to "
         "1e+09 M"),
    changed("number for a vector", "[2, 0, 0]", "2",
         "a.yaml:10: initial_data.bh1_position: 2 is not allowed; give [x, y, z], each from -1e+09 to 1e+09 M"),
    changed("vector for a number", "extent: 16", "extent: [16, 16]",
         "a.yaml:4: grid.extent: [16, 16] is not allowed; give a number from 1e-06 to 1e+09 M"),
    added("no yes or no", "gauge:\n  advect_lapse: maybe\n",
         "a.yaml:14: gauge.advect_lapse: maybe is not allowed; give true or false"),
    # Values that do not go together.
    changed("levels upside down", "level_max: 2", "level_max: 0",
         "a.yaml:6: grid.level_max: 0 is below grid.level_min, which is 1; raise it or lower grid.level_min"),
    changed("puncture outside", "[2, 0, 0]", "[20, 0, 0]",
         "a.yaml:10: initial_data.bh1_position: (20, 0, 0) lies outside the domain; raise grid.extent, which "
         "is 16 M"),
    changed("punctures at one place", "[-2, 0, 0]", "[2, 0, 0]",
         "a.yaml:12: initial_data.bh2_position: is also the position of puncture 1; give another, or use "
         "single_puncture"),
    changed("hole without a mass", "bh1_mass: 0.5", "bh1_mass: 0",
         "a.yaml:9: initial_data.bh1_mass: initial_data.type brill_lindquist needs a mass above 0 M"),
    file("no symmetry",
         GOOD.replace("extent: 16", "extent: 16\n  reflect: y").replace("[2, 0, 0]", "[2, 1, 0]"),
         "a.yaml:11: initial_data.bh1_position: y = 1 breaks the reflection symmetry of grid.reflect; give y "
         "= 0, make puncture 2 its mirror image, or take y out of grid.reflect"),
    added("momentum of holes at rest", "  bh1_momentum: [0, 0.1, 0]\n",
         "a.yaml:13: initial_data.bh1_momentum: has no effect: it is used only if initial_data.type is single_puncture, "
         "two_punctures or punctures, and initial_data.type is brill_lindquist; remove it"),
    added("separation of punctures that are placed", "  separation: 9\n",
         "a.yaml:13: initial_data.separation: has no effect: it is used only if initial_data.type is quasi_circular, "
         "and initial_data.type is brill_lindquist; remove it"),
    added("solver without a problem", "  resolution: 32\n",
         "a.yaml:13: initial_data.resolution: has no effect: it is used only if initial_data.type is two_punctures or "
         "quasi_circular, or a single puncture has momentum or spin, and initial_data.solver is spectral; remove it"),
    file("resolution for multigrid", ORBIT + "  solver: multigrid\n  resolution: 32\n",
         "a.yaml:16: initial_data.resolution: has no effect: it is used only if initial_data.type is two_punctures or "
         "quasi_circular, or a single puncture has momentum or spin, and initial_data.solver is spectral; remove it"),
    file("multigrid of no order", ORBIT + "  solver: multigrid\nelliptic: {order: 5}\n",
         "a.yaml:16: elliptic.order: 5 is not allowed; give 2, 4 or 6"),
    file("multigrid without a problem", ORBIT + "elliptic: {tolerance: 1e-6}\n",
         "a.yaml:15: elliptic.tolerance: has no effect: it is used only if initial_data.type is brill_wave, or punctures "
         "have momentum or spin and type is punctures, solver is multigrid, or lapse is maximal; remove it"),
    file("extra levels of a wave", WAVE + "elliptic: {extra_levels: 2}\n",
         "a.yaml:7: elliptic.extra_levels: has no effect: it is used only if punctures have momentum or spin and "
         "initial_data.type is punctures, solver is multigrid, or lapse is maximal; remove it"),
    file("maximal lapse without holes", WAVE + "  lapse: maximal\n",
         "a.yaml:7: initial_data.lapse: has no effect: it is used only if initial_data.type is single_puncture, "
         "brill_lindquist, two_punctures, quasi_circular or punctures, and initial_data.type is brill_wave; remove it"),
    file("wave that no space has", WAVE.replace("amplitude: 1", "amplitude: 21"),
         "a.yaml:6: initial_data.amplitude: no Brill wave has amplitude 21, as no positive conformal factor "
         "solves the equation; give one from -6.513 to 20.005"),
    file("wave as wide as the domain", WAVE + "  wavelength: 4\n",
         "a.yaml:7: initial_data.wavelength: a Brill wave of width 4 M reaches the outer boundary at grid.extent, 16 M; give at "
         "most 3.2, or raise grid.extent"),
    file("negative amplitude", WAVE.replace("brill", "teukolsky").replace(": 1\n", ": -1\n"),
         "a.yaml:6: initial_data.amplitude: -1 is not allowed; give 0 or more: only a Brill wave may have a negative one"),
    file("tolerance of a given resolution", ORBIT + "  resolution: 32\n  tolerance: 1e-6\n",
         "a.yaml:16: initial_data.tolerance: has no effect: it is used only if there is a solution to find, "
         "initial_data.solver is spectral and initial_data.resolution is 0; remove it"),
    file("odd resolution", ORBIT + "  resolution: 31\n",
         "a.yaml:15: initial_data.resolution: 31 is not allowed; give 0 or an even number from 8 to 128"),
    file("resolution of too few points", ORBIT + "  resolution: 6\n",
         "a.yaml:15: initial_data.resolution: 6 is not allowed; give 0 or an even number from 8 to 128"),
    file("tolerance below round-off", ORBIT + "  tolerance: 1e-13\n",
         "a.yaml:15: initial_data.tolerance: 1e-13 is not allowed; give a number from 1e-12 to 0.01"),
    file("one puncture of two", ORBIT.replace("bh2_mass: 0.5", "bh2_mass: 0"),
         "a.yaml:11: initial_data.bh2_mass: initial_data.type two_punctures needs a mass above 0 M; for one puncture "
         "give single_puncture"),
    file("orbit in a mirror", ORBIT.replace("level_min: 1", "level_min: 1\n  reflect: y"),
         "a.yaml:14: initial_data.bh1_momentum: y = 0.1 breaks the reflection symmetry of grid.reflect; give y = 0, or "
         "take y out of grid.reflect"),
    file("spin in a mirror", ORBIT.replace("level_min: 1", "level_min: 1\n  reflect: z") + "  bh2_spin: [0.1, 0, 0]\n",
         "a.yaml:16: initial_data.bh2_spin: x = 0.1 breaks the reflection symmetry of grid.reflect: a spin may only "
         "point along z; give x = 0, or take z out of grid.reflect"),
    file("momenta that are no mirror images", ORBIT.replace("level_min: 1", "level_min: 1\n  reflect: x"),
         "a.yaml:15: initial_data.bh2_momentum: is not the mirror image of bh1_momentum, though puncture 2 is that of "
         "puncture 1 in x (grid.reflect): give bh1_momentum with the sign of x changed, or do not reflect x"),
    file("spins that are no mirror images", ORBIT.replace("level_min: 1", "level_min: 1\n  reflect: x")
         .replace("-0.1", "0.1") + "  bh1_spin: [0, 0, 0.1]\n  bh2_spin: [0, 0, 0.1]\n",
         "a.yaml:17: initial_data.bh2_spin: is not the mirror image of bh1_spin, though puncture 2 is that of "
         "puncture 1 in x (grid.reflect): give bh1_spin with the signs of all but x changed, or do not reflect x"),
    file("spin beyond what punctures reach", ORBIT + "  masses: adm\n  bh1_spin: [0, 0.24, 0]\n",
         "a.yaml:16: initial_data.bh1_spin: 0.24 M^2 is 0.96 of the square of the ADM mass, 0.5 M; punctures reach "
         "less than 0.928: lower it or raise the mass"),
    file("pair with places", PAIR + "  bh1_mass: 0.5\n",
         "a.yaml:6: initial_data.bh1_mass: has no effect: it is used only if initial_data.type is single_puncture, "
         "brill_lindquist, two_punctures or punctures, and initial_data.type is quasi_circular; remove it"),
    file("pair in a mirror across its orbit", PAIR.replace("extent: 16", "extent: 16\n  reflect: xz"),
         "a.yaml:3: grid.reflect: a binary in orbit about z has no reflection symmetry in x; give z or none"),
    file("pair that precesses in a mirror", PAIR.replace("extent: 16", "extent: 16\n  reflect: z")
         + "  bh2_chi: [0.1, 0, 0]\n",
         "a.yaml:7: initial_data.bh2_chi: a spin in the orbital plane breaks the reflection symmetry of grid.reflect; "
         "give x = y = 0, or take z out of grid.reflect"),
    file("pair that spins too fast", PAIR + "  bh1_chi: [0, 0, 0.95]\n",
         "a.yaml:6: initial_data.bh1_chi: a spin of 0.95 is not allowed: punctures reach less than 0.928; lower it"),
    file("pair outside", PAIR + "  separation: 40\n",
         "a.yaml:6: initial_data.separation: a puncture 20 M from the origin lies outside the domain; lower it or "
         "raise grid.extent, which is 16 M"),
    file("pair without an orbit", PAIR + "  separation: 4\n",
         "initial_data.separation: at 4 M post-Newtonian theory gives no slow inspiral"),
    command_line("probe of two numbers", ["id", "a.yaml", "--probe", "1,2"],
                 "tendex id: --probe: '1,2' is not allowed; give three numbers x,y,z"),
    command_line("file for two punctures of one", ["id", "a.yaml", "--bbh", "x.bbh"],
                 "--bbh: initial_data.type is single_puncture, and the file describes two punctures; leave the option out", PARAM,
                 {"a.yaml": ONE_HOLE}),
    changed("periodic hole", "extent: 16", "extent: 16\n  periodic: x",
         "a.yaml:5: grid.periodic: data of an isolated source cannot be periodic; give none"),
    added("sphere outside", "waves:\n  radii: [5, 20]\n",
         "a.yaml:14: waves.radii: the sphere of radius 20 M leaves the domain; give radii below grid.extent, "
         "which is 16 M"),
    added("spheres of one name", "waves:\n  radii: [5.001, 8, 4.999]\n",
         "a.yaml:14: waves.radii: 5.001 and 4.999 would both be r5.00 in output file names; make them differ by "
         "0.01 M or more"),
    added("rule too coarse", "waves:\n  radii: [5]\n  l_max: 8\n  degree: 11\n",
         "a.yaml:16: waves.degree: 11 cannot separate modes up to waves.l_max 8; give 0 or at least 16"),
    added("unstable step", "evolution:\n  cfl: 1.5\n",
         "a.yaml:14: evolution.cfl: 1.5 is unstable: RK4 with these finite differences, this gauge and "
         "evolution.dissipation 0.4 is stable up to 0.479; give less, 0.25 is usual"),
    added("slow start that the step does not stand", "gauge:\n  slow_start: 300\n",
         "a.yaml: evolution.cfl: 0.25 is unstable: RK4 with these finite differences, this gauge and "
         "evolution.dissipation 0.4 is stable up to "),
    added("slow start from another lapse", "  lapse: one\ngauge:\n  slow_start: 0.6\n",
         "initial_data.lapse: gauge.slow_start would pull this lapse to psi^-2 at once, at the "
         "cost of the constraints; give psi^-2, or gauge.slow_start 0"),
    added("slow start of a harmonic lapse", "gauge:\n  slicing: harmonic\n  slow_start: 0.6\n",
         "a.yaml:15: gauge.slow_start: has no effect: it is used only if gauge.slicing is one_plus_log, and "
         "gauge.slicing is harmonic; remove it"),
    added("damping that the step does not stand", "gauge:\n  eta_form: radial\n  eta_far: 300\n",
         "a.yaml:15: gauge.eta_far: 300 / M is unstable with the time step "),
    added("metric damping that the step does not stand", "gauge:\n  eta_form: metric\n  eta_R0: 200\n",
         "a.yaml:15: gauge.eta_R0: 200 makes eta up to 400 / M with these masses and powers, unstable with the time "
         "step "),
    file("metric damping without holes", "gauge:\n  eta_form: metric\n",
         "a.yaml:2: gauge.eta_form: metric scales with the masses of punctures, and there are none; give "
         "constant or radial"),
    added("unknown variable", "output:\n  slices_every: 8\n  variables: chi psi4\n",
         "output.variables: 'psi4' is not a variable; give some of alpha beta_x beta_y beta_z B_x B_y B_z chi "
         "gt_xx gt_xy gt_xz gt_yy gt_yz gt_zz K At_xx At_xy At_xz At_yy At_yz At_zz Gt_x Gt_y Gt_z, or all"),
    # Grids that there is no room for, which are counted and not made.
    *[command_line(f"{command[0]} of too fine a grid", [*command, "--set", "grid.level_min=12", "--set",
                                                        "grid.level_max=12"],
                   "the grid would have 549755813888 octants or more, 2.81e+14 points, ", MEMORY)
      for command in (["run", "a.yaml"], ["check", "a.yaml", "--speed", "1e6"], ["id", "a.yaml"], ["bench", "a.yaml"])],
    command_line("check of too many levels", ["check", "a.yaml", "--speed", "1e6", "--set", "grid.level_max=18"],
                 "the grid would have 2097152 octants or more, 1.07e+09 points, and `tendex check' looks at 1,048,576; "
                 "lower grid.level_min, grid.level_max, grid.bh_radius or grid.ball_radius", MEMORY),
    # Run folders.
    command_line("run that is there", ["run", "a.yaml"],
         "out/a already holds a run; continue it with tendex run --restart out/a, replace it with "
         "--overwrite, or give another run.name or run.folder", IO,
                 {"a.yaml": GOOD, "out/a/run.yaml": GOOD, "out/a/log.txt": "a run of yesterday\n"}),
    command_line("file in the way", ["run", "a.yaml"],
         "cannot create folder out: a file of this name exists; give a writable run.folder", IO, {"a.yaml": GOOD, "out": "no folder\n"}),
]

# What prints on standard output, and what it says where it cannot.
OUTPUTS = (["--help"], ["run", "--help"], ["--version"], ["--help-params"], ["--help-params=json", "waves"],
           ["check", "a.yaml", "--speed", "1e6"], ["id", "a.yaml"])
FULL_OUTPUT = "cannot write standard output: "
