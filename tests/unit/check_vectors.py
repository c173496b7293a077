#!/usr/bin/env python3
"""check_vectors.py OBJECT...: the hot loops of the right-hand side use the widest vectors.

Disassembles the functions below and counts floating-point instructions of each kind: nearly all
must be packed at the width that the compiler's target has (--width), many fused, few scalar. Some are once a row:
those of a small system are a large part of its few.
"""

import argparse
import re
import subprocess
import sys

HOT = ["row_rhs", "tx_block_derive0", "tx_block_derive1", "tx_block_derive2"]
ARITHMETIC = re.compile(r"^v(f[n]?m(?:add|sub)\w*|add|sub|mul|div)(p|s)d$")
ONCE_A_ROW = 8
WIDTH = {"zmm": 512, "ymm": 256, "xmm": 128}


def functions(path):
    """Name and instructions (mnemonic, operands) of each function in an object file."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True, text=True,
                          capture_output=True).stdout
    for block in text.split("\n\n"):
        head = re.match(r"\s*[0-9a-f]+ <([\w.]+)>:", block)
        if head:
            rows = [line.split("\t") for line in block.splitlines()[1:] if "\t" in line]
            texts = [row[1] for row in rows if len(row) > 1 and row[1]]
            yield head.group(1), [text.split(None, 1) + [""] for text in texts]


def count(instructions):
    """[packed operations at each width], scalar operations, fused packed operations."""
    packed, scalar, fused = {}, 0, 0
    for mnemonic, operands, *_ in instructions:
        match = ARITHMETIC.match(mnemonic)
        if not match:
            continue
        if match.group(2) == "s":
            scalar += 1
            continue
        width = WIDTH[re.search(r"%([xyz]mm)", operands).group(1)]
        packed[width] = packed.get(width, 0) + 1
        fused += match.group(1).startswith("f")
    return packed, scalar, fused


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, required=True, help="bits of the widest vector")
    parser.add_argument("objects", nargs="+")
    args = parser.parse_args()
    found, bad = set(), []
    for path in args.objects:
        for name, instructions in functions(path):
            hot = next((h for h in HOT if name.split(".")[0] == h), None)
            if not hot:
                continue
            found.add(hot)
            packed, scalar, fused = count(instructions)
            widest, total = packed.get(args.width, 0), sum(packed.values()) + scalar
            print(f"{name}: {widest} of {total} operations {args.width} bits wide, {fused} fused,"
                  f" {scalar} scalar")
            few = max(0.03 * total, ONCE_A_ROW)
            if total >= 30 and (total - widest > few or scalar > few or fused < 0.3 * widest):
                bad.append(name)
    if missing := set(HOT) - found:
        sys.exit(f"not found: {', '.join(sorted(missing))}")
    if bad:
        sys.exit(f"not vectorised: {', '.join(bad)}")


if __name__ == "__main__":
    main()
