"""Every parameter of params.def is read somewhere outside src/params and the tests."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("physics", "octree", "elliptic", "gw_extraction", "horizons", "cuda", "src")


def parameters():
    with open(os.path.join(ROOT, "src/params/params.def"), encoding="utf-8") as table:
        text = re.sub(r"/\*.*?\*/", "", table.read(), flags=re.S)
    text = re.sub(r"^PER_HOLE\(\d, \w+, (\w+), ", r"INT(\1, bhN_", text, flags=re.M)
    return re.findall(r"^(?:BOOL|INT|REAL|WORD|STRING|VEC3|REALS)\((\w+), (\w+),", text, flags=re.M)


def sources():
    text = []
    for folder in FOLDERS:
        for at, folders, names in os.walk(os.path.join(ROOT, folder)):
            if folder == "src" and "params" in folders:
                folders.remove("params")
            for name in names:
                if name.endswith((".c", ".h", ".cu", ".cuh")):
                    with open(os.path.join(at, name), encoding="utf-8") as source:
                        text.append(re.sub(r"/\*.*?\*/|//[^\n]*", "", source.read(), flags=re.S))
    return "\n".join(text)


def unused(names, text):
    """Those that no line reads, as a member of tx_params or, of a puncture, of tx_params_hole."""
    def is_read(s, n):
        hole = rf"|(?<![a-z])h(ole)?(_of\([^()]*\))?\.{n.removeprefix('bhN_')}\b" if n.startswith("bhN_") else ""
        return re.search(rf"(->|\.){s}_{n}\b{hole}", text)
    return [f"{s}.{n}" for s, n in names if not is_read(s, n)]


def main():
    assert unused([("grid", "extent"), ("grid", "ext")], "x = p->grid_extent;") == ["grid.ext"]
    assert unused([("grid", "bhN_level"), ("grid", "bhN_x")], "y = tx_params_hole_of(p, a).level;") == ["grid.bhN_x"]
    names = parameters()
    if len(names) < 50:
        print(f"only {len(names)} parameters found in params.def")
        return 1
    missing = unused(names, sources())
    for name in missing:
        print(f"{name}: no line outside src/params reads it")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
