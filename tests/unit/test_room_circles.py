"""Files of one room call each other one way: no file reaches itself through the functions of others.

A room is a folder, of physics with the folders in it. A file is a source or a header with functions. It uses a function where
its code names it, in a call or a table."""
import os
import re
import sys
import tempfile

from test_sizes import code_of, functions

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("src", "cuda", "octree", "physics", "elliptic", "gw_extraction", "horizons")
SOURCES = (".c", ".h", ".cu", ".cuh")
# Circles that are still there, one a line, their files relative to the folder.
KNOWN = []


def room_of(path):
    return "physics" if path.startswith("physics/") else os.path.dirname(path)


def rooms(root):
    """The code of each file by its path, by room."""
    found = {}
    for folder in FOLDERS:
        for at, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(at, name), root)
                if name.endswith(SOURCES):
                    with open(os.path.join(root, path), encoding="utf-8") as file:
                        found.setdefault(room_of(path), {})[path] = file.read()
    return found


def macros(files):
    """The words that each macro stands for."""
    pattern = r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:.*\\\n)*.*)$"
    return {name: set(re.findall(r"\w+", body)) for text in files.values() for name, body in re.findall(pattern, text, flags=re.M)}


def words_of(text, stand_for):
    """The words of code, but for declarations, and those that its macros stand for."""
    found, new = set(), set(re.findall(r"\w+", re.sub(r"^\w[^{};]*;", "", code_of(text), flags=re.M)))
    while new:
        found |= new
        new = set().union(*(stand_for.get(word, ()) for word in new)) - found
    return found


def uses(files):
    """For each file the other files that it uses, each with the name of one function."""
    owner, stand_for = {}, macros(files)
    for path, text in files.items():
        for name, *_ in functions(text):
            if name.startswith("tx_"):  # those local to a file have no prefix
                owner[name] = path
    found = {path: {} for path in files}
    for path, text in files.items():
        for name in sorted(words_of(text, stand_for) & owner.keys()):
            if owner[name] != path:
                found[path][owner[name]] = name
    return found


def circles(graph):
    """Sets of files that reach each other, as sorted lists."""
    reach = {path: set(near) for path, near in graph.items()}
    for middle in reach:
        for path in reach:
            if middle in reach[path]:
                reach[path] |= reach[middle]
    groups = {tuple(sorted(p for p in reach[path] if path in reach[p])) for path in graph if path in reach[path]}
    return sorted(groups)


def describe(graph, group):
    """The uses inside a group of files, a line each."""
    lines = [f"  {path} uses {name} of {near}" for path in group for near, name in graph[path].items() if near in group]
    return "\n".join([f"circle of {', '.join(group)}:", *lines])


def files_of(line):
    """The files of a line of KNOWN."""
    folder, names = line.split(": ")
    return tuple(sorted(f"{folder}/{name}" for name in names.split()))


def complaints(root, known):
    found, seen, stale = [], 0, {files_of(line) for line in known}
    for _, files in sorted(rooms(root).items()):
        graph = uses(files)
        seen += sum(map(len, graph.values()))
        for group in circles(graph):
            if group in stale:
                stale.remove(group)
            else:
                found.append(describe(graph, group))
    found += [f"KNOWN lists a circle that is gone or smaller: {' '.join(group)}" for group in sorted(stale)]
    return found, seen


def plant(root, files):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as out:
            out.write(text)


PLANTED = {
    # a -> b -> c -> a by calls; d only uses a.
    "octree/a.c": "int tx_a(void) {\n  return tx_b();\n}\n",
    "octree/b.c": "/* tx_d */\nint tx_b(void) {\n  return tx_c();\n}\n",
    "octree/c.c": "int tx_c(void) {\n  return tx_a();\n}\n",
    "octree/d.c": "int tx_d(void) {\n  return tx_a();\n}\n",
    # By a table, and a header with a function; physics is one room.
    "physics/e.h": "static inline int tx_e(void) {\n  return tx_f();\n}\n",
    "physics/deep/f.c": "static int (*const table[])(void) = {tx_e};\n\nint tx_f(void) {\n  return table[0]();\n}\n",
    # By a macro.
    "horizons/k.h": "#define K(x) \\\n  tx_k(x)\nint tx_k(int x);\n",
    "horizons/k.c": "int tx_k(int x) {\n  return tx_l();\n}\n",
    "horizons/l.c": "int tx_l(void) {\n  return K(1);\n}\n",
    # A header that declares only, a name in a text, and another room make none.
    "elliptic/g.h": "int tx_g(void);\nint tx_h(void);\n",
    "elliptic/g.c": 'int tx_g(void) {\n  puts("tx_h");\n  return 0;\n}\n',
    "elliptic/h.c": "int tx_h(void) {\n  return tx_g() + tx_i();\n}\n",
    "src/exec/i.c": "int tx_i(void) {\n  return tx_j();\n}\n",
    "src/exec/cpu/j.c": "int tx_j(void) {\n  return tx_i();\n}\n",
}
FOUND = ["horizons: k.c l.c", "octree: a.c b.c c.c", "physics: deep/f.c e.h"]


def check_myself():
    """Planted circles are found, and nothing else; a known one that is gone is a complaint."""
    with tempfile.TemporaryDirectory() as root:
        plant(root, PLANTED)
        found, _ = complaints(root, [])
        assert [c.splitlines()[0] for c in found] == [f"circle of {', '.join(files_of(line))}:" for line in FOUND], found
        assert "  octree/c.c uses tx_a of octree/a.c" in found[1], found
        assert not complaints(root, FOUND)[0], complaints(root, FOUND)
        assert len(complaints(root, [*FOUND, "octree: a.c d.c"])[0]) == 1


def main():
    check_myself()
    found, seen = complaints(ROOT, KNOWN)
    print("\n".join(found))
    if seen < 300:
        print(f"only {seen} uses found below {ROOT}")
    return 1 if found or seen < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
