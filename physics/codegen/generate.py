#!/usr/bin/env python3
"""Write physics/generated from the systems of equations, physics/*/system.py.

    generate.py            write the files
    generate.py --check    compare with the files, write nothing; exit status 1 if they differ
    generate.py --only FOLDER OUT  only the system of another folder, of the source tree or of a user, its files into OUT, where
                           includers see them by the path NAME/..., NAME being the folder's

Of each system: the tables of its variables, NAME_variables.def, of its analysis quantities, NAME_quantities.def, if there are any, and of
its parameters, NAME_parameters.def; NAME_names.h with their numbers, lists of what its files take
and, by physics/*/plan.py, of what the stage kernel parks and updates together; and files NAME_*.inc, which include what they
share (ricci.inc). Each of these is the arithmetic of one point, to be included inside a function that defines the type
tx_real (a double or a vector of them), the scalar inputs, and the macros
    TX_VALUE(v)      value of variable v (GT01, CHI, ...)
    TX_LOADn(v)      marks where the derivatives of v up to the n-th, n = 0, 1, 2, are needed first
    TX_D(v, i)       first derivative, right after TX_LOAD1 or TX_LOAD2
    TX_DD(v, i, j)   second derivative, i <= j, after TX_LOAD2 and before the next TX_LOADn
    TX_ADV(v)        advection with its switch, plus dissipation, any time after TX_LOADn (bssn_rhs)
    TX_MORE(v, f, e) adds f e to TX_ADV(v), f being a scalar input; nothing if that is 0 (bssn_rhs)
    TX_STORE(v, e)   takes the result e
    TX_COORDINATE(d), TX_TIME   coordinate d = 0, 1, 2 of the point, a tx_real; the time, a double (where equations ask for them)
    TX_UNIFORM(e)    the double e, which is the same at all points, as a tx_real
    TX_SQRT(e), TX_EXP(e), TX_LOG(e), TX_SIN(e), TX_COS(e), TX_TAN(e), TX_TANH(e), TX_ABS(e), TX_MIN(a, b), TX_MAX(a, b)
    TX_POW(e, p)     e to the power of the double p
    TX_WHERE(c, a, b) a where the comparison c holds, b elsewhere
                     (physics/define_point.h and define_vector.h define these, from TX_UNIFORM on)
and, if it likes, all five of
    TX_PARK(name)     the tx_real `name` is not needed before TX_UNPARK(name)
    TX_PARKED(name)   its value meanwhile, in an expression
    TX_UNPARK(name)   it is needed again, changed and perhaps parked again
    TX_AGAIN(name, v) `name`, the value of v, is needed again: it may be assigned anew
    TX_INPUT(name)    from here on the scalar input `name` is needed, and what it depends on is there
NAME_stability.inc, of systems that tell the modes of their equations, is to be included in a function of the tx_system_params p,
the symbols k1 and k2 and the spacing, after tx_scalar_NAME(p, spacing) of all scalar inputs; TX_STORE(m, e) takes e as the member m
of a tx_modes.
NAME_initial.inc, of systems that have profiles of initial data, is to be included in a switch over their numbers, where p is a
tx_system_params; its files take TX_COORDINATE and TX_STORE alone, and functions.
The scalar inputs of NAME_rhs, doubles, are those that TX_RHS_SCALARS of its names lists, and, a double or tx_real, eta if TX_RHS_ETA
is defined; those of NAME_analysis, or of NAME_constraints, which has further analysis quantities too, TX_ANALYSIS_SCALARS, if that is defined. Of BSSN: lambda_f0, lambda_f1, advect_Gt, shift_on (0 or 1), and lapse_c0, lapse_c1, lapse_pull of
    d0 alpha = -alpha K (lapse_c0 + lapse_c1 alpha) - lapse_pull W (alpha - W), W = sqrt(chi);
of Z4c Khat stands in the place of K here. Those that are parameters of the system itself have the values that TX_SYSTEM_SCALARS gives.
"""

import argparse
import hashlib
import pathlib
import re
import sys
import textwrap
import types

import inputs
import parameters
from emit import Program
from parking import Parking
from refuse import HERE, Refused, described_by, refuse, shown
from tables import (analyses, check_folder, check_kept, check_profile, check_program, check_used, described, entries, line_of, plan,
                    sources, trace, trace_variables, used)

PHYSICS = HERE.parent
OUT = PHYSICS / "generated"


def input_hash(*own):
    digest = hashlib.sha256()
    for path in [*sorted(HERE.glob("*.py")), *own]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def banner(system, title, *lines):
    """The head of a file; system: None of one that systems share."""
    own = system and f"Input: the Python files of {shown(system)} and what they import, hash of all {input_hash(*sources(system))}."
    text = [f"Generated: {title}.", "Generator: physics/codegen/generate.py. Do not edit.", own or f"Hash of its files: {input_hash()}.",
            *lines]
    return ["/* " + "\n * ".join(text) + " */"]


def rows(system):
    """The table of variables."""
    title = f"the variables of {shown(system)}, in storage order"
    return banner(system, title, "V(enumerator, name, parity x, y, z, value at infinity, falloff n, characteristic speed,"
                  " positive, watched, where its initial data are, text)") + [v.row(idx) for v in described(system).VARIABLES for idx in v.components()]


def quantities(system):
    """The table of analysis quantities."""
    title = f"the analysis quantities of {shown(system)}"
    return banner(system, title, "A(enumerator, name, parity x, y, z, text, unit)") + [q.row(idx) for q in analyses(described(system))
                                                                                  for idx in q.components()]


def arithmetic(system, name, prefix):
    """The lines of one file, its operations, what it loads, and {name: lines} of what it shares with others."""
    description = described(system)
    program = Program([*description.VARIABLES, *description.RESULTS], name, values(description))
    for part in entries(description, name):
        program.begin(part)
        with described_by(system / "system.py"):
            description.FILES[part][0](program)
        check_program(system, part, program)
    title = " and ".join(description.FILES[part][1] for part in entries(description, name))
    if name in ("constraints", "analysis"):
        program.load_values()
    head, body, operations = program.finish(plan(system).SHARED)
    lines = banner(system, title + ", at one point",
                   f"Floating-point operations: {operations} (a fused multiply-add counts 2).")
    lines += ["/* clang-format off */", "#ifndef TX_PARK", "#define TX_PARK(name)", "#define TX_PARKED(name) name",
              "#define TX_UNPARK(name)", "#define TX_AGAIN(name, v)", "#define TX_INPUT(name)", "#endif"]
    shared = {}
    if head:
        part = f"{program.head[0]}.inc"
        lines.append(f'#include "{prefix}/{part}"')
        shared[part] = banner(None, f"the beginning of files that include it ({program.head[0]})") + [
            "/* clang-format off */", *head, "/* clang-format on */"]
    return lines + body + ["/* clang-format on */"], operations, program, shared


def values(description):
    """{name: value in C} of the system's own parameters."""
    return {own.name: parameters.scalar(own, description.PARAMETERS) for own in description.PARAMETERS}


def profiles(system):
    """The lines of the file of profiles, and {name: program}."""
    description = described(system)
    lines = banner(system, f"profiles of initial data of {shown(system)}, at one point: cases of a switch over their numbers")
    lines.append("/* clang-format off */")
    programs = {}
    for number, (name, (equation, text)) in enumerate(description.INITIAL.items()):
        program = programs[name] = Program(description.VARIABLES, "initial", values(description))
        with described_by(system / "system.py"):
            equation(program)
        check_profile(system, name, program)
        _, body, _ = program.finish(plan(system).SHARED)
        lines += [f"case {number}: {{ /* {name}: {text} */", *body, "break;", "}"]
    return lines + ["/* clang-format on */"], programs


def stability(system):
    """The lines of the file of the stability of time steps, and its program."""
    description = described(system)
    program = Program([], "stability", values(description))
    with described_by(system / "system.py"):
        description.STABILITY(program)
    if not 0 < program.modes <= parameters.most("TX_SYSTEM_MODES"):
        refuse(f"STABILITY has {program.modes} modes; expected 1 to {parameters.most('TX_SYSTEM_MODES')}", line_of(system / "system.py", "STABILITY"))
    _, body, _ = program.finish()
    lines = banner(system, f"modes of the linearised equations of {shown(system)} in flat space, for the limit of time steps")
    return [*lines, "/* clang-format off */", *body, f"TX_STORE(n, {program.modes});", "/* clang-format on */"], program


def macro(name, items):
    """A list as a macro that takes what is to be made of each item."""
    text = f"#define {name} " + " ".join(items)
    return " \\\n".join(textwrap.wrap(text, 98, subsequent_indent="  ", break_long_words=False,
                                       break_on_hyphens=False))


def pairs(found):
    """V(...) of each, whole on a line."""
    return calls("V", found)


def calls(name, found):
    """name(...) of each, whole on a line."""
    return [f"{name}({', '.join(map(str, item))})".replace(" ", "\u00a0") for item in found]


def enumeration(description):
    """The variables' numbers, and those that others than the equations know."""
    variables = {v.name: [v.enumerator(i) for i in v.components()] for v in description.VARIABLES}
    names = [f"TX_VAR_{name}" for members in variables.values() for name in members]
    lines = textwrap.wrap(", ".join(names + ["TX_VARS"]), 98, initial_indent="  ", subsequent_indent="  ")
    lines = ["typedef enum tx_variable {", *lines, "} tx_variable;", ""]
    for role, name in description.ROLES.items():
        lines += [f"#define TX_SYSTEM_{role} TX_VAR_{variables[name][0]}"]
    lines += analysis_numbers(description)
    return lines + [macro("TX_SYSTEM_FLOORS(F)", calls("F", [(variables[v.name][0], v.floor) for v in description.VARIABLES
                                                             if v.floor])), ""]


def digest(description, rhs):
    """A hash of the variables and of the right-hand sides as they are written; texts, comments, plans and the generator leave it."""
    rows = [re.sub(r', "[^"]*"\)$', "", v.row(idx)) for v in description.VARIABLES for idx in v.components()]
    own = [f"{name} = {value}" for name, value in values(description).items() if name in rhs.scalar_names]
    return hashlib.sha256("\n".join([*rows, *rhs.equations, *own]).encode()).hexdigest()[:16]


def analysis_numbers(description):
    """The numbers of the analysis quantities, which the file of constraints or that of analysis computes."""
    names = [f"TX_ANALYSIS_{q.enumerator(idx)}" for q in analyses(description) for idx in q.components()]
    if not names:
        return []
    return ["typedef enum tx_analysis {", *textwrap.wrap(", ".join([*names, "TX_ANALYSES"]), 98, initial_indent="  ", subsequent_indent="  "),
            "} tx_analysis;", ""]


def own_parameters(description):
    """The system's own parameters: their numbers in tx_system_params.own, where they come from, and what equations have of them."""
    own = description.PARAMETERS
    return [f"enum {{ {', '.join([*map(parameters.enumerator, own), 'TX_OWN'])} }};",
            "/** P(number, member of tx_params) of the system's own parameters; S(name, value): scalar inputs of the equations, p being a",
            " *  tx_system_params and h the spacing. */",
            macro("TX_SYSTEM_PARAMETERS(P)", calls("P", [(parameters.enumerator(o), f"{o.section}_{o.name}") for o in own])),
            macro("TX_SYSTEM_SCALARS(S)", calls("S", values(description).items())), ""]


def sampled(system, files):
    """First and number of the variables that the metric's diagnostics and the Weyl tensor take."""
    description = described(system)
    names = [v.enumerator(i) for v in description.VARIABLES for i in v.components()]
    numbers = {name: n for n, name in enumerate(names)}

    def span(used):
        return min(numbers[v] for v in used), max(numbers[v] for v in used) + 1 - min(numbers[v] for v in used)

    lines = []
    if "METRIC" in description.ROLES:
        metric = [description.ROLES[role] for role in ("FACTOR", "METRIC", "CURVATURE")]
        metric += trace_variables(description, system / "system.py")
        used = [v.enumerator(i) for v in description.VARIABLES for i in v.components() if v.name in metric]
        first, n = span(used)
        lines += ["/** Variables that the metric and the extrinsic curvature are made of. */",
                  f"enum {{ TX_ADM_FIRST = {first}, TX_ADM_VARS = {n} }};",
                  "/** The trace of the extrinsic curvature, V(variable) being a number of each. */",
                  f"#define TX_SYSTEM_TRACE(V) ({trace(description)})"]
    if "weyl" in files:
        used = re.findall(r"TX_(?:VALUE|LOAD\d)\((\w+)\)", "\n".join(files["weyl"][2].kept))
        gauge = [description.ROLES[role] for role in ("LAPSE", "SHIFT") if role in description.ROLES]
        used += [v.enumerator(i) for v in description.VARIABLES for i in v.components() if v.name in gauge]
        lines += ["/** The first variable of lapse, shift and what the Weyl tensor takes. */",
                  f"enum {{ TX_SPHERE_FIRST = {span(used)[0]} }};"]
    return lines + [""]


def parked(system, program):
    """Where threads of the stage kernel park values, and what they update together: as the plan says, and where shared memory
    is short, with no values kept."""
    check_kept(system, program)
    return [f"/** Slots of {system.name}_rhs.inc in which a thread parks values (parking.py): N(name, slot); V(variable, slot) whose",
            " *  advection waits for its right-hand side, and this for the update; V(variable, slot) whose value is kept; V(variable,",
            " *  slot, slot) of which the update adds to two values that were asked for ahead, for the sum and the next state.",
            " *  U(last, variables...): they are updated together, once `last`, one of them, has its right-hand side. A(last,",
            " *  variables...): what their update adds to is asked for after the update of `last`. Of kernels for GPUs with little",
            " *  shared memory (TX_SMALL), whose values are read again and not kept, and of the others. */",
            "#ifdef TX_SMALL", *slots(system, program, KEPT=()),
            "#else", *slots(system, program), "#endif", ""]


def slots(system, program, **changes):
    try:
        parking = Parking(program.kept, described(system).VARIABLES, types.SimpleNamespace(**{**vars(plan(system)), **changes}))
    except ValueError as error:
        refuse(f"the plan does not fit the equations: {error}", line_of(system / "plan.py", "UPDATES"))

    def items(macro_name, kind):
        return calls(macro_name, parking.listed(kind))

    def numbers(macro_name, found):
        return calls(macro_name, [["TX_VAR_" + v for v in item] for item in found])

    updates = numbers("U", [(parking.last(members), *members) for members in parking.updates])
    return [f"#define TX_RHS_SLOTS {parking.slots}",
            macro("TX_RHS_PARKED(N)", items("N", "names")), macro("TX_RHS_WAITING(V)", items("V", "waiting")),
            macro("TX_RHS_KEPT(V)", items("V", "kept")), macro("TX_RHS_AHEAD(V)", items("V", "ahead")),
            macro("TX_RHS_UPDATES(U)", updates),
            macro("TX_RHS_ASKED(A)", numbers("A", [(after, *asked) for after, asked in parking.asked.items()]))]


def names(system, files, prefix):
    """The names of a system: its variables, operations of each file and what it loads, which parameters switch advections,
    what the stage kernel parks."""
    description = described(system)
    variables = description.VARIABLES
    switched = [(v.enumerator(i), v.advection) for v in variables if v.advection for i in v.components()]
    switches = list(dict.fromkeys(parameter for _, parameter in switched))
    lines = banner(system, f"the names of {shown(system)}, the one system that a unit knows") + [
        "#pragma once", "", "/* clang-format off */", f"#define TX_SYSTEM {system.name}",
        "/** Hash of the variables and the right-hand sides as they are written: checkpoints know the system by its name and this. */",
        f"#define TX_SYSTEM_DIGEST UINT64_C(0x{digest(description, files['rhs'][2])})",
        f'#define TX_SYSTEM_VARIABLES "{prefix}/{system.name}_variables.def"',
        *[f'#define TX_SYSTEM_{name.upper()} "{prefix}/{system.name}_{name}.inc"'
          for name in [*files, *["initial"] * bool(description.INITIAL), *["stability"] * bool(description.STABILITY)]],
        f"#define TX_SYSTEM_SHIFT_APART {float(description.SHIFT_APART)!r}"]
    if analyses(description):
        lines.append(f'#define TX_SYSTEM_QUANTITIES "{prefix}/{system.name}_quantities.def"')
    if "constraints" in files:
        lines.append("#define TX_SYSTEM_ANALYSIS TX_SYSTEM_CONSTRAINTS")
    lines.append("")
    lines += enumeration(description) + own_parameters(description) + sampled(system, files)
    for file, (_, operations, program, _) in files.items():
        name = "analysis" if file == "constraints" else file
        lines += [f"/** Floating-point operations of {system.name}_{file}.inc; V(variable, order of the derivatives that it needs), in"
                  " the order", " *  in which it takes them. */",
                  f"#define TX_{name.upper()}_OPERATIONS {operations}",
                  macro(f"TX_{name.upper()}_LOADS(V)", pairs(program.loads)), "",
                  "/** How many variables it needs with derivatives up to each order. */",
                  *[f"#define TX_{name.upper()}_LOADS_{order} {sum(o == order for _, o in program.loads)}"
                    for order in range(3)], ""]
        if name == "analysis" and program.scalar_names:
            lines += ["/** S(name): the scalar inputs of the analysis quantities, which parameters give. */",
                      macro("TX_ANALYSIS_SCALARS(S)", calls("S", [(scalar,) for scalar in program.scalar_names])), ""]
    rhs = files["rhs"][2]
    numbers = {v.enumerator(i): n for n, (v, i) in enumerate((v, i) for v in variables for i in v.components())}
    lines += ["/** Variables of which right-hand sides need second derivatives, as bits. */",
              f"#define TX_RHS_MIXED {sum(1 << numbers[v] for v, order in rhs.loads if order == 2):#x}u", ""]
    lines += ["/** S(name): the scalar inputs of the right-hand side that parameters give; those of TX_MORE; those that are",
              " *  worked out at the point. */",
              macro("TX_RHS_SCALARS(S)", calls("S", [(name,) for name in rhs.scalar_names if name not in rhs.inputs])),
              macro("TX_RHS_MORE(S)", calls("S", [(name,) for name in rhs.more_factors])),
              *[f"#define TX_RHS_{name.upper()}" for name in rhs.inputs], ""]
    lines += parked(system, rhs)
    lines += ["/** P(parameter): the factors, 0 or 1, of advections; V(variable, parameter): its equation has one, the others"
              " always", " *  have their advection. */",
              macro("TX_ADVECTIONS(P)", [f"P({s})" for s in switches]),
              macro("TX_ADVECTED(V)", pairs(switched)), "/* clang-format on */"]
    return [line.replace("\u00a0", " ") for line in lines]


def generate(system, prefix):
    """The text of each file of a system."""
    check_folder(system)
    description = described(system)
    files = {name: arithmetic(system, name, prefix) for name in description.FILES if name in entries(description, name)}
    lines = {f"{system.name}_{name}.inc": text for name, (text, *_) in files.items()}
    programs, of_profiles = [program for _, _, program, _ in files.values()], {}
    if described(system).INITIAL:
        lines[f"{system.name}_initial.inc"], of_profiles = profiles(system)
    if described(system).STABILITY:
        lines[f"{system.name}_stability.inc"], _ = stability(system)
    check_used(system, [*programs, *of_profiles.values()])
    lines[f"{system.name}_variables.def"] = rows(system)
    if analyses(described(system)):
        lines[f"{system.name}_quantities.def"] = quantities(system)
    always = used(system, programs)
    lines[f"{system.name}_parameters.def"] = banner(
        system, f"what {shown(system)} has: its profiles, its parameters, and when these have an effect") + traits(system, programs) + \
        parameters.rows(system.name, described(system).PARAMETERS,
                        {own.name: None if own.name in always else [name for name, p in of_profiles.items() if own.name in used(system, [p])]
                         for own in described(system).PARAMETERS})
    lines[f"{system.name}_names.h"] = names(system, files, prefix)
    return merged({name: "\n".join(text) + "\n" for name, text in part.items()} for part in (lines, *(shared for *_, shared in files.values())))


def merged(parts):
    """{name: text} of several; what is shared is the same in all."""
    texts = {}
    for name, text in (item for part in parts for item in part.items()):
        if texts.setdefault(name, text) != text:
            refuse("it is not the same in all files that include it: their equations use other parts of it; end it before these", name)
    return texts


def traits(system, programs):
    """What other parameters need to have an effect, and the profiles."""
    description, name = described(system), f"TX_EVOLVED_{system.name.upper()}"
    asked = {scalar for program in programs for scalar in program.scalar_names}
    floors = {v.floor for v in description.VARIABLES}
    starts = {v.initial + v.shown_indices(idx) for v in description.VARIABLES for idx in v.components()}
    data = {v.shown + v.shown_indices(idx) for v in described(PHYSICS / "bssn").VARIABLES for idx in v.components()}
    has = {"GAUGE": "LAPSE" in description.ROLES or asked & {*inputs.scalars(), *inputs.POINTWISE}, "LAPSE": "LAPSE" in description.ROLES,
           "CHI": "FACTOR" in description.ROLES, "CHI_FLOOR": "chi_floor" in floors, "ALPHA_FLOOR": "alpha_floor" in floors,
           "METRIC": "METRIC" in description.ROLES, "PSI4": "weyl" in description.FILES, "CONSTRAINTS": "constraints" in description.FILES,
           "WAVELETS": any(v.watched for v in description.VARIABLES), "GRAVITY": data <= starts}
    lines = ["#ifdef TRAITS", f"TRAITS({name}, {' | '.join(f'TX_HAS_{what}' for what, there in has.items() if there) or '0'})", "#endif"]
    rows = [f'PROFILE({name}, "{profile}", "{text}")' for profile, (_, text) in description.INITIAL.items()]
    defaults = [f"DEFAULT({name}, {key.replace('.', '_')}, {float(value)!r})" for key, value in description.DEFAULTS.items()]
    return lines + guarded("PROFILE", rows) + guarded("DEFAULT", defaults)


def guarded(macro_name, rows):
    """Rows that are there where the macro is."""
    return [f"#ifdef {macro_name}", *rows, "#endif"] if rows else []


def write(folder, texts):
    """What changes."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = [n for n, t in texts.items() if not (folder / n).exists() or (folder / n).read_text() != t]
    for n in changed:
        (folder / n).write_text(texts[n])
    return changed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", nargs=2, metavar=("FOLDER", "OUT"), type=pathlib.Path)
    given = parser.parse_args()
    try:
        run(given)
    except Refused as refused:
        sys.exit(str(refused))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")


def run(given):
    if given.only:
        folder, out = (path.resolve() for path in given.only)
        write(out, generate(folder, folder.name))
        return
    texts = merged(generate(path.parent, "physics/generated") for path in sorted(PHYSICS.glob("*/system.py")))
    others = [p.name for p in OUT.iterdir() if p.name not in texts] if OUT.exists() else []
    if given.check:
        stale = [n for n, t in texts.items() if not (OUT / n).exists() or (OUT / n).read_text() != t]
        if stale + others:
            sys.exit(f"not what the generator writes: {', '.join(stale + others)}; run physics/codegen/generate.py")
        return
    changed = write(OUT, texts)
    for n in others:
        (OUT / n).unlink()
    print(f"wrote {', '.join(changed) or 'nothing'}; removed {', '.join(others) or 'nothing'}")


if __name__ == "__main__":
    main()
