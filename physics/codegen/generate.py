#!/usr/bin/env python3
"""Write physics/generated/*.inc from equations.py.

    generate.py            write the files
    generate.py --check    compare with the files, write nothing; exit status 1 if they differ

Each file is the arithmetic of one point, to be included inside a function that defines the type
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
import pathlib
import re
import sys

import equations
from emit import Program, Variable

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "generated"
TABLE = HERE.parent / "variables.def"
SYM = [(0, 1)]

EVOLVED = [
    Variable("alpha"), Variable("beta_u", "i", prefix="BETA"), Variable("B_u", "i", prefix="B"),
    Variable("chi"), Variable("gt_dd", "ij", SYM, prefix="GT"), Variable("K"),
    Variable("At_dd", "ij", SYM, prefix="AT"), Variable("Gamt_u", "i", prefix="GAMT"),
]
RESULTS = [
    Variable("H", evolved=False), Variable("M_u", "i", prefix="M", evolved=False),
    Variable("G_u", "i", prefix="G", evolved=False),
    Variable("E_dd", "ij", SYM, prefix="E", evolved=False),
    Variable("B_dd", "ij", SYM, prefix="B", evolved=False),
]
FILES = {
    "bssn_rhs": (equations.rhs, "right-hand sides of the BSSN equations"),
    "bssn_constraints": (equations.constraints, "constraints H, M^i, G^i"),
    "bssn_weyl": (equations.weyl, "electric and magnetic part of the Weyl tensor"),
}


def check_table():
    """The enumerators above must be those of variables.def."""
    known = set(re.findall(r"^V\((\w+),", TABLE.read_text(), re.M))
    ours = {v.enumerator(i) for v in EVOLVED for i in v.components()}
    if known != ours:
        sys.exit(f"generate.py and variables.def differ in {sorted(known ^ ours)}")


def input_hash():
    digest = hashlib.sha256()
    for path in sorted(HERE.glob("*.py")) + [TABLE]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def generate(name):
    """The text of one file."""
    equation, title = FILES[name]
    program = Program(EVOLVED + RESULTS)
    equation(program)
    body, operations = program.finish()
    lines = [
        f"/* Generated: {title}, at one point.",
        " * Generator: physics/codegen/generate.py, which says what the includer defines."
        " Do not edit.",
        f" * Input hash: {input_hash()}",
        f" * Floating-point operations: {operations} (a fused multiply-add counts 2). */",
        "/* clang-format off */",
        "#ifndef TX_PARK",
        "#define TX_PARK(name)",
        "#define TX_UNPARK(name)",
        "#define TX_AGAIN(name, v)",
        "#endif",
    ]
    return "\n".join(lines + body + ["/* clang-format on */", ""]), operations


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    check_table()
    texts, counts = {}, []
    for name in FILES:
        texts[name + ".inc"], count = generate(name)
        counts.append(f"#define TX_{name.upper()}_OPERATIONS {count}")
    texts["operations.h"] = "\n".join([
        "/* Generated: floating-point operations of a point in each of the generated files.",
        " * Generator: physics/codegen/generate.py. Do not edit.",
        f" * Input hash: {input_hash()} */", "#pragma once", ""] + counts + [""])
    stale = [n for n, t in texts.items() if not (OUT / n).exists() or (OUT / n).read_text() != t]
    if check:
        if stale:
            sys.exit(f"not what the generator writes: {', '.join(stale)};"
                     " run physics/codegen/generate.py")
        return
    OUT.mkdir(exist_ok=True)
    for n in stale:
        (OUT / n).write_text(texts[n])
    print(f"wrote {', '.join(stale) or 'nothing'}; " + "; ".join(c[8:] for c in counts))


if __name__ == "__main__":
    main()
