"""Imports of the Python tools run along the arrows between their rooms, which make no circle; modules of a room make none either.
ARCHITECTURE.md has the same table."""

import ast
import graphlib
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"

# Room, a folder of tools/tendex: the rooms whose modules its own may import. Modules outside of all rooms, `.', are programs'
# parts; no room imports them.
ARROWS = {
    "base": "",
    "physics": "",
    "waves/signal": "physics",
    "waves/comparison": "base physics waves/signal",
    "waves/extraction": "base physics waves/signal",
    "waves/holes": "base waves/signal",
    "waves/reading": "base physics waves/signal waves/holes",
    "waves/inspiral": "base physics waves/signal waves/extraction",
    "waves/catalogues": "base physics waves/signal waves/comparison waves/extraction waves/holes waves/reading waves/inspiral",
    "waves/pictures": "base waves/signal waves/comparison waves/holes waves/reading",
    "waves/commands": "base physics waves/signal waves/comparison waves/extraction waves/holes waves/reading waves/inspiral "
                      "waves/catalogues waves/pictures",
    "orbits": "base waves/signal waves/reading waves/inspiral waves/pictures",
    ".": "base physics waves/commands orbits",
}


def modules_of(tools):
    """{name: file} of all modules and packages."""
    found = {}
    for file in sorted((tools / "tendex").rglob("*.py")):
        parts = file.relative_to(tools).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def room_of(name, rooms):
    """The room of a module; None of a package that only holds rooms."""
    path = "/".join(name.split(".")[1:])
    fits = [room for room in rooms if path == room or path.startswith(room + "/")]
    if fits:
        return max(fits, key=len)
    return "." if "/" not in path and not any(room.startswith(path + "/") for room in rooms) and path else None


def imports_of(file, modules):
    """(line, name) of each module of the tools that a file imports, inside of functions too; a relative import is "."."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            names = ["."]
        elif isinstance(node, ast.ImportFrom):
            inside = [f"{node.module}.{a.name}" for a in node.names]
            names = {name if name in modules else node.module for name in inside}
        elif isinstance(node, ast.Import):
            names = {a.name for a in node.names}
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] in ("tendex", ""))


def check(tools, arrows):
    """(complaints, arrows that were used, how many imports were seen)."""
    modules = modules_of(tools)
    complaints, used, graph = [], set(), {}
    for name, file in modules.items():
        here = room_of(name, arrows)
        graph[name] = set()
        for line, other in imports_of(file, modules):
            at = f"{file.relative_to(tools.parent)}:{line}"
            if other == ".":
                complaints.append(f"{at}: a relative import; write `from tendex.ROOM'")
                continue
            if other not in modules:
                complaints.append(f"{at}: there is no module {other}")
                continue
            graph[name].add(other)
            there = room_of(other, arrows)
            if here is None or there is None:
                complaints.append(f"{at}: {other} or this module lies in no room")
            elif here != there:
                used.add((here, there))
                if there not in arrows[here].split():
                    complaints.append(f"{at}: {here} may not import {other}")
    for room, graph_of in [("modules", graph), ("rooms", {room: set(to.split()) for room, to in arrows.items()})]:
        try:
            graphlib.TopologicalSorter(graph_of).prepare()
        except graphlib.CycleError as e:
            complaints.append(f"{room} in a circle: {' <- '.join(e.args[1])}")
    return complaints, used, sum(map(len, graph.values()))


class Tools(unittest.TestCase):
    def test_imports_follow_the_arrows(self):
        complaints, used, seen = check(TOOLS, ARROWS)
        self.assertEqual(complaints, [])
        self.assertGreater(seen, 200)
        self.assertEqual({(room, to) for room, arrows in ARROWS.items() for to in arrows.split()} - used, set(), "arrows without use")

    def test_the_page_has_the_table(self):
        """Rows of ARCHITECTURE.md: | `room` | what it holds | rooms that it imports |."""
        rows = re.findall(r"^\| `([\w/.]+)` \| [^|]+ \| ([^|]*) \|$", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.M)
        self.assertEqual({room: set(re.findall(r"`([\w/]+)`", to)) for room, to in rows},
                         {room: {to.removeprefix("waves/") for to in arrows.split()} for room, arrows in ARROWS.items()})


PLAIN = {"base/files.py": "import os\n", "physics/kerr.py": "", "waves/__init__.py": "", "waves/signal/modes.py": "from tendex.physics import kerr\n",
         "waves/commands/cli.py": "def main():\n    from tendex.waves.signal.modes import Waves\n    from tendex.base.files import write\n",
         "start.py": "from tendex.waves.commands import cli\n"}
PLANTED = {
    "up": ("physics/kerr.py", "from tendex.base import files\n", "physics may not import tendex.base.files"),
    "up in a function": ("waves/signal/modes.py", "def f():\n    from tendex.base.files import write\n", "may not import tendex.base.files"),
    "up by its whole name": ("base/files.py", "import tendex.waves.signal.modes\n", "base may not import tendex.waves.signal.modes"),
    "a part of a program": ("orbits/cli.py", "from tendex import start\n", "orbits may not import tendex.start"),
    "relative": ("waves/commands/show.py", "from . import cli\n", "a relative import"),
    "circle": ("physics/orbit.py", "from tendex.physics import kerr\n", "modules in a circle"),
    "no module": ("waves/signal/align.py", "from tendex.waves.modes import Waves\n", "there is no module tendex.waves.modes"),
    "no room": ("waves/loose.py", "from tendex.physics import kerr\n", "lies in no room"),
}


class Planted(unittest.TestCase):
    def found(self, files, arrows=ARROWS):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                file = Path(folder) / "tools" / "tendex" / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            return check(Path(folder) / "tools", arrows)

    def test_nothing(self):
        complaints, used, seen = self.found(PLAIN)
        self.assertEqual((complaints, seen), ([], 4))
        self.assertEqual(used, {("waves/signal", "physics"), ("waves/commands", "waves/signal"), ("waves/commands", "base"),
                                (".", "waves/commands")})

    def test_violations(self):
        for name, (file, text, said) in PLANTED.items():
            files = {**PLAIN, file: text}
            if name == "circle":
                files["physics/kerr.py"] = "from tendex.physics.orbit import turned\n"
            with self.subTest(name):
                complaints, _, _ = self.found(files)
                self.assertEqual(len(complaints), 1, complaints)
                self.assertIn(said, complaints[0])

    def test_a_circle_of_rooms(self):
        complaints, _, _ = self.found(PLAIN, {**ARROWS, "physics": "waves/signal"})
        self.assertEqual(len(complaints), 1, complaints)
        self.assertIn("rooms in a circle", complaints[0])


if __name__ == "__main__":
    sys.exit(unittest.main())
