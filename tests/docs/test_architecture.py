"""ARCHITECTURE.md: its diagrams are drawn from the sources, its walk leads through functions that are where it says, and every
folder has its paragraph."""

import re
import sys
import unittest
import xml.dom.minidom
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "dev"), str(ROOT / "tests" / "unit")]
import diagrams  # noqa: E402
import test_include_direction  # noqa: E402

PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


class Diagrams(unittest.TestCase):
    def test_are_up_to_date(self):
        for name, draw in diagrams.DIAGRAMS.items():
            file = diagrams.FOLDER / f"{name}.svg"
            self.assertTrue(file.read_text(encoding="utf-8") == str(draw()), f"{file} is out of date: run dev/diagrams.py")
            xml.dom.minidom.parse(str(file))
            self.assertIn(f"](docs/architecture/{name}.svg)", PAGE)

    def test_drawn_arrows_and_exceptions_are_the_table(self):
        """What can be reached along drawn arrows, less the exceptions that are told, is the table."""
        arrows = diagrams.graph()
        reach = diagrams.reach_of(diagrams.reduced(arrows))
        told = dict(note.split(" does not include ") for note in diagrams.hidden(arrows))
        for folder, far in reach.items():
            seen = {diagrams.short(f) for f in far} - set(told.get(diagrams.short(folder), "").split(", "))
            self.assertEqual(seen, set(test_include_direction.ARROWS[folder].split()), folder)

    def test_a_new_arrow_shows(self):
        before = str(diagrams.layers())
        with mock.patch.dict(test_include_direction.ARROWS, {"src/files": "base physics octree"}):
            self.assertFalse(str(diagrams.layers()) == before, "the drawing is the same")
        with mock.patch.dict(test_include_direction.ARROWS, {"src/new": "base"}), self.assertRaises(SystemExit):
            diagrams.layers()

    def test_local_time_steps(self):
        """Coarser levels first, every level without gaps; injection when a level has caught up."""
        steps, injected = diagrams.march()
        ends = {}
        for level, begin, end, _ in steps:
            self.assertEqual(begin, ends.get(level, 0.0))
            self.assertLessEqual(end, ends.get(level - 1, 1.0))
            ends[level] = end
        self.assertEqual(set(ends.values()), {1.0})
        self.assertEqual(injected, [(3, 0.5), (3, 1.0), (2, 1.0), (1, 1.0)])


class Page(unittest.TestCase):
    def test_walk(self):
        """A step of the walk names a file and functions that are in it, or, in brackets, elsewhere."""
        walk = re.findall(r"^\d\. `([\w/.]+)`: (.*)$", PAGE, flags=re.M)
        self.assertEqual(len(walk), 9)
        sources = {f: f.read_text(encoding="utf-8") for folder in ("src", "cuda") for f in (ROOT / folder).rglob("*.c*")}
        for file, text in walk:
            here = sources[ROOT / file]
            for name in re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", text)):
                self.assertTrue(re.search(rf"\b{name}\b", here), f"{file}: no {name}")
            for name in re.findall(r"`(\w+)`", text):
                self.assertTrue(any(re.search(rf"\b{name}\b", source) for source in sources.values()), f"{file}: no {name}")

    def test_every_folder_has_its_place(self):
        folders = PAGE.split("## Folders")[1].split("## Decisions")[0]
        for folder in test_include_direction.ARROWS:
            self.assertIn(f"`{folder}`", folders.replace("**", ""))


if __name__ == "__main__":
    unittest.main()
