"""Kernels of several systems of equations in one program: what the linker keeps one of, under one name, is the same in all of them.

    one_definition.py LIBRARY     the emulated GPU's, of which `nm` tells the sizes of functions

Launches are templates over the types of a kernel's arguments. Types of one name and several contents would make the kernels of all
systems take the arguments of one."""

import collections
import subprocess
import sys


def main():
    listed = subprocess.run(["nm", "-S", "--defined-only", sys.argv[1]], capture_output=True, text=True, check=True).stdout
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    member = ""
    for line in listed.splitlines():
        address, _, rest = line.partition(" ")
        size, kind, name = [*rest.split(" ", 2), "", ""][:3]
        if line.endswith(".o:"):
            member = line[:-1]
        elif kind in ("W", "V", "u"):
            found[name][size].add(member)
    several = [name for name, sizes in found.items() if "tx_host_call" in name]
    assert len(several) > 50, f"launches of kernels: {several}"
    bad = {name: dict(sizes) for name, sizes in found.items() if len(sizes) > 1}
    assert not bad, f"one name, several contents: {bad}"
    print(f"{len(found)} names, {len(several)} launches, each with one content")


if __name__ == "__main__":
    main()
