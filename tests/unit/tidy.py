#!/usr/bin/env python3
"""tidy.py SOURCE_ROOT BUILD_FOLDER: what .clang-tidy looks for is in none of our C sources.

Sources are taken from compile_commands.json of the build folder. What was found clean is kept in tidy.json there, by
the contents of the source and of all headers of ours, of .clang-tidy and the command: a second call looks at what
changed. Exit status 77 (skipped) without clang-tidy 14, Debian 12's, as other versions find other things; with
TENDEX_CHECKERS_REQUIRED set that is a failure."""
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDERS = ("src", "physics", "octree", "elliptic", "gw_extraction", "horizons")


def version():
    """What clang-tidy says it is; None if it is not there or not 14."""
    try:
        said = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return said if re.search(r"version 14\.", said) else None


def commands(root, build):
    """{(source, arguments)} of our own C files; arguments without those of the output."""
    found = set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        if path.suffix != ".c" or not any(root / folder in path.parents for folder in FOLDERS):
            continue
        words = shlex.split(entry["command"])
        out = words.index("-o")
        first = next(i for i, word in enumerate(words) if word.startswith("-"))  # behind ccache and the compiler
        found.add((path, tuple(words[first:out] + words[out + 2:])))
    return sorted(found)


def closure(root, path, known):
    """A source or header of ours and all headers of ours that it includes."""
    todo, seen = [path], set()
    while todo:
        at = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        if at not in known:
            names = re.findall(r'^\s*#\s*include\s+"([^"]+)"', at.read_text(), re.M)
            places = [(base / name).resolve() for name in names for base in (at.parent, root, root / "src")]
            known[at] = [p for p in places if p.is_file()]
        todo += known[at]
    return sorted(seen)


def key(common, root, path, words, known):
    digest = hashlib.sha256(common)
    digest.update(repr(words).encode())
    for part in closure(root, path, known):
        digest.update(str(part).encode() + part.read_bytes())
    return digest.hexdigest()


def look(root, path, words):
    """What clang-tidy finds, or says when it fails. The macro for complex numbers is gcc's."""
    more = ["-DCMPLX=__builtin_complex", "-Wno-sign-conversion"]
    result = subprocess.run(["clang-tidy", "--quiet", f"--header-filter={re.escape(str(root))}/.*", str(path), "--",
                             *words, *more], cwd=root, capture_output=True, text=True)
    return "" if result.returncode == 0 else result.stdout + result.stderr


def main():
    root, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    said = version()
    if said is None:
        print("no clang-tidy 14")
        return 1 if os.environ.get("TENDEX_CHECKERS_REQUIRED") else 77
    cache = build / "tidy.json"
    clean = set(json.loads(cache.read_text())) if cache.exists() else set()
    common = said.encode() + (root / ".clang-tidy").read_bytes()
    known = {}
    all_of_them = {key(common, root, path, words, known): (path, words) for path, words in commands(root, build)}
    if not all_of_them:
        print(f"no C sources of ours in {build}/compile_commands.json")
        return 1
    todo = [k for k in all_of_them if k not in clean]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        found = dict(zip(todo, threads.map(lambda k: look(root, *all_of_them[k]), todo)))
    for text in found.values():
        print(text, end="")
    cache.write_text(json.dumps(sorted(k for k in all_of_them if not found.get(k))))
    bad = sum(1 for text in found.values() if text)
    print(f"{len(all_of_them)} sources, {len(todo)} of them new or changed: " + (f"{bad} are not clean" if bad else "clean"))
    return 1 if bad else 0


sys.exit(main())
