#!/usr/bin/env python3
"""coverage.py SOURCE_ROOT BUILD_FOLDER: what share of lines and branches the tests reached, a folder.

Reads the counts of a build with the preset `coverage` after its tests by gcov, which comes with the compiler; prints
a table and writes pages, a file each, to html/ of the build folder. `./runtests --coverage` does all of it."""
import collections
import html
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDERS = ("src", "octree", "physics", "elliptic", "gw_extraction", "horizons", "cuda")
STYLE = "<meta charset=utf-8><style>pre{margin:0}.no{background:#fcc}.some{background:#ffc}td{padding:0 1em}</style>"


def gcov(counts):
    """gcov's records of the files that one object is made of."""
    result = subprocess.run(["gcov", "--stdout", "--json-format", "--branch-probabilities", counts.name],
                            cwd=counts.parent, capture_output=True, check=True)
    return [entry for line in result.stdout.splitlines() for entry in json.loads(line)["files"]]


def collect(root, build):
    """{file: {line: [count, {branch: count}]}}: objects, of both backends, added up. Branches of exceptions, which
    no one throws here, are left out."""
    files = collections.defaultdict(dict)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        for entries in threads.map(gcov, sorted(build.rglob("*.gcda"))):
            for entry in entries:
                path = Path(os.path.normpath(entry["file"]))
                if not any(root / folder in path.parents for folder in FOLDERS) or build in path.parents:
                    continue
                for line in entry["lines"]:
                    known = files[path.relative_to(root)].setdefault(line["line_number"], [0, collections.Counter()])
                    known[0] += line["count"]
                    for at, branch in enumerate(line["branches"]):
                        if not branch["throw"]:
                            known[1][at] += branch["count"]
    return files


def shares(lines):
    """Lines, those reached, branches, those taken."""
    branches = [count for _, branch in lines for count in branch.values()]
    return collections.Counter(lines=len(lines), reached=sum(count > 0 for count, _ in lines),
                               branches=len(branches), taken=sum(count > 0 for count in branches))


def columns(name, n):
    return [name, n["lines"], f"{100 * n['reached'] / max(n['lines'], 1):.1f}%",
            n["branches"], f"{100 * n['taken'] / max(n['branches'], 1):.1f}%"]


def page(source, lines):
    """The text of a file with counts; red: not reached, yellow: branches not taken."""
    rows = []
    for number, text in enumerate(source.read_text().splitlines(), 1):
        count, branches = lines.get(number, ("", {}))
        kind = "no" if count == 0 else "some" if 0 in branches.values() else ""
        rows.append(f'<pre class="{kind}">{count:>12} {number:>5}  {html.escape(text)}</pre>')
    return STYLE + "\n".join(rows)


def main():
    root, build = (Path(word).resolve() for word in sys.argv[1:3])
    files = collect(root, build)
    pages = build / "html"
    pages.mkdir(exist_ok=True)
    sums, rows = collections.defaultdict(collections.Counter), []
    for path in sorted(files):
        n = shares(list(files[path].values()))
        sums[str(path.parent)] += n
        sums["~all"] += n
        name = str(path).replace("/", "-") + ".html"
        (pages / name).write_text(page(root / path, files[path]))
        cells = columns(f"<a href={name}>{path}</a>", n)
        rows.append("<tr>" + "".join(f"<td>{cell}" for cell in cells))
    (pages / "index.html").write_text(STYLE + "<table><tr><td>file<td>lines<td>reached<td>branches<td>taken"
                                      + "\n".join(rows) + "</table>")
    table = [["folder", "lines", "reached", "branches", "taken"]]
    table += [columns(name.lstrip("~"), sums[name]) for name in sorted(sums)]
    for name, *numbers in table:
        print(f"{name:<24}" + "".join(f"{n:>10}" for n in numbers))
    print(f"pages: {pages}/index.html")
    return 0 if files else 1


sys.exit(main())
