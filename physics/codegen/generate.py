#!/usr/bin/env python3
"""Write physics/generated from the systems of equations, physics/*/system.py.

    generate.py            write the files
    generate.py --check    compare with the files, write nothing; exit status 1 if they differ

Of each system: the table of its variables, NAME_variables.def; lists of what its files take and, by physics/*/plan.py, of
what the stage kernel parks and updates together, NAME_lists.h; and files NAME_*.inc. Each of these is the arithmetic of one point, to be included inside a function that defines the type
tx_real (a double or a vector of them), the scalar inputs, and the macros
    TX_VALUE(v)      value of variable v (GT01, CHI, ...)
    TX_LOADn(v)      marks where the derivatives of v up to the n-th, n = 0, 1, 2, are needed first
    TX_D(v, i)       first derivative, right after TX_LOAD1 or TX_LOAD2
    TX_DD(v, i, j)   second derivative, i <= j, after TX_LOAD2 and before the next TX_LOADn
    TX_ADV(v)        advection with its switch, plus dissipation, any time after TX_LOADn (bssn_rhs)
    TX_STORE(v, e)   takes the result e
    TX_SQRT(e)       square root (bssn_weyl, bssn_rhs; there anything finite if lapse_pull is 0)
and, if it likes, all three of
    TX_PARK(name)     the tx_real `name` is not needed before TX_UNPARK(name)
    TX_UNPARK(name)   it is needed again, changed and perhaps parked again
    TX_AGAIN(name, v) `name`, the value of v, is needed again: it may be assigned anew
The scalar inputs of bssn_rhs, doubles or tx_real: eta, lambda_f0, lambda_f1, advect_Gt, shift_on (0
or 1), and lapse_c0, lapse_c1, lapse_pull of
    d0 alpha = -alpha K (lapse_c0 + lapse_c1 alpha) - lapse_pull W (alpha - W), W = sqrt(chi).
"""

import argparse
import hashlib
import importlib.util
import pathlib
import sys
import textwrap

from emit import Program
from parking import Parking

HERE = pathlib.Path(__file__).resolve().parent
PHYSICS = HERE.parent
OUT = PHYSICS / "generated"
SYSTEMS = ("bssn",)


def source(system):
    return PHYSICS / system / "system.py"


def plan_source(system):
    return PHYSICS / system / "plan.py"


def module(path):
    """The module that a file is."""
    spec = importlib.util.spec_from_file_location(path.parent.name, path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def described(system):
    """The module that describes a system."""
    return module(source(system))


def input_hash(system):
    digest = hashlib.sha256()
    for path in sorted(HERE.glob("*.py")) + [source(system), plan_source(system)]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def banner(system, title, *lines):
    text = [f"Generated: {title}.", "Generator: physics/codegen/generate.py. Do not edit.",
            f"Input: physics/{system}/system.py and plan.py, hash of all {input_hash(system)}.", *lines]
    return ["/* " + "\n * ".join(text) + " */"]


def rows(system):
    """The table of variables."""
    title = f"the variables of physics/{system}, in storage order"
    return banner(system, title, "V(enumerator, name, parity x, y, z, value at infinity, falloff n, characteristic speed,"
                  " positive, watched, text)") + [v.row(idx) for v in described(system).VARIABLES for idx in v.components()]


def arithmetic(system, name):
    """The lines of one file, its operations, and what it loads."""
    description = described(system)
    equation, title = description.FILES[name]
    program = Program(description.VARIABLES + description.RESULTS)
    equation(program)
    body, operations = program.finish()
    lines = banner(system, title + ", at one point",
                   f"Floating-point operations: {operations} (a fused multiply-add counts 2).")
    lines += ["/* clang-format off */", "#ifndef TX_PARK", "#define TX_PARK(name)",
              "#define TX_UNPARK(name)", "#define TX_AGAIN(name, v)", "#endif"]
    return lines + body + ["/* clang-format on */"], operations, program


def macro(name, items):
    """A list as a macro that takes what is to be made of each item."""
    text = f"#define {name} " + " ".join(items)
    return " \\\n".join(textwrap.wrap(text, 98, subsequent_indent="  ", break_long_words=False,
                                       break_on_hyphens=False))


def pairs(found):
    """V(...) of each, whole on a line."""
    return [f"V({a},\u00a0{b})" for a, b in found]


def parked(system, program):
    """Where threads of the stage kernel park values, and what they update together."""
    parking = Parking(program.kept, described(system).VARIABLES, module(plan_source(system)))
    prefix = f"TX_{system.upper()}_RHS"

    def items(macro_name, kind):
        return [f"{macro_name}({', '.join(map(str, item))})".replace(" ", "\u00a0") for item in parking.listed(kind)]

    def calls(macro_name, found):
        return [f"{macro_name}({', '.join('TX_VAR_' + v for v in item)})".replace(" ", "\u00a0") for item in found]

    updates = calls("U", [(parking.last(members), *members) for members in parking.updates])
    return [f"/** Slots of {system}_rhs.inc in which a thread parks values (parking.py): N(name, slot); V(variable, slot) whose",
            " *  advection waits for its right-hand side, and this for the update; V(variable, slot) whose value is kept; V(variable,",
            " *  slot, slot) of which the update adds to two values that were asked for ahead, for the sum and the next state. */",
            f"#define {prefix}_SLOTS {parking.slots}",
            macro(f"{prefix}_PARKED(N)", items("N", "names")), macro(f"{prefix}_WAITING(V)", items("V", "waiting")),
            macro(f"{prefix}_KEPT(V)", items("V", "kept")), macro(f"{prefix}_AHEAD(V)", items("V", "ahead")), "",
            "/** U(last, variables...): they are updated together, once `last`, one of them, has its right-hand side. A(last,",
            " *  variables...): what their update adds to is asked for after the update of `last`. */",
            macro(f"{prefix}_UPDATES(U)", updates), macro(f"{prefix}_ASKED(A)", calls("A", [(after, *asked) for after, asked in parking.asked.items()])), ""]


def lists(system, files):
    """Operations of each file, what it loads, which parameters switch advections, what the stage kernel parks."""
    variables, prefix = described(system).VARIABLES, f"TX_{system.upper()}"
    switched = [(v.enumerator(i), v.advection) for v in variables if v.advection for i in v.components()]
    switches = list(dict.fromkeys(parameter for _, parameter in switched))
    lines = banner(system, f"lists of physics/{system}") + ["#pragma once", "", "/* clang-format off */"]
    for name, (_, operations, program) in files.items():
        lines += [f"/** Floating-point operations of {system}_{name}.inc; V(variable, order of the derivatives that it needs), in"
                  " the order", " *  in which it takes them. */",
                  f"#define {prefix}_{name.upper()}_OPERATIONS {operations}",
                  macro(f"{prefix}_{name.upper()}_LOADS(V)", pairs(program.loads)), ""]
    lines += parked(system, files["rhs"][2])
    lines += ["/** P(parameter): the factors, 0 or 1, of advections; V(variable, parameter): its equation has one, the others"
              " always", " *  have their advection. */",
              macro(f"{prefix}_ADVECTIONS(P)", [f"P({s})" for s in switches]),
              macro(f"{prefix}_ADVECTED(V)", pairs(switched)), "/* clang-format on */"]
    return [line.replace("\u00a0", " ") for line in lines]


def generate(system):
    """The text of each file of a system."""
    files = {name: arithmetic(system, name) for name in described(system).FILES}
    lines = {f"{system}_{name}.inc": text for name, (text, _, _) in files.items()}
    lines[f"{system}_variables.def"] = rows(system)
    lines[f"{system}_lists.h"] = lists(system, files)
    return {name: "\n".join(text) + "\n" for name, text in lines.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    texts = {name: text for system in SYSTEMS for name, text in generate(system).items()}
    stale = [n for n, t in texts.items() if not (OUT / n).exists() or (OUT / n).read_text() != t]
    others = [p.name for p in OUT.iterdir() if p.name not in texts] if OUT.exists() else []
    if check and stale + others:
        sys.exit(f"not what the generator writes: {', '.join(stale + others)}; run physics/codegen/generate.py")
    if check:
        return
    OUT.mkdir(exist_ok=True)
    for n in stale:
        (OUT / n).write_text(texts[n])
    for n in others:
        (OUT / n).unlink()
    print(f"wrote {', '.join(stale) or 'nothing'}; removed {', '.join(others) or 'nothing'}")


if __name__ == "__main__":
    main()
