"""docs/guide/new_system.md, followed word by word: its files are written, its commands run in their order, what it shows is what is
said, and the order of convergence is the one that it states.

    test_new_system.py FOLDER [PAGE]

FOLDER: where it happens. The source tree is there under another path, as links, so that what the page makes beside and in it lies in
FOLDER. Builds are kept for the next time. A comment before a block of the page says what it is:

    <!-- file: PATH -->            the contents of a file, whose path the sentence before names
    <!-- in: PATH -->              lines of a file
    <!-- mistake: OLD; NEW -->     what the generator says if the description has NEW in place of OLD
    <!-- refused: WORDS -->        what the last run says with WORDS more
    <!-- changed: OLD; NEW -->     commands, of which the last fails if the description has NEW in place of OLD

Blocks of commands, ```console, need none; a ```text block below them is part of what the last of them says: numbers with a point
may differ by a twentieth, `...' stands for anything."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = Path(sys.argv[1]).resolve()
PAGE = Path(sys.argv[2]) if sys.argv[2:] else ROOT / "docs/guide/new_system.md"
TREE = PLACE / "tendex"
LEFT_OUT = {"build", "out", ".git"}
NUMBER = r"\d+\.\d+(?:e[+-]?\d+)?"
TOLERANCE = 0.05


def blocks(page):
    """(line, comment, the sentence before, language, text) of the blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"([^\n]*)\n\n(?:<!-- (.*?) -->\n)?```(\w+)\n(.*?)^```$", text, flags=re.S | re.M):
        yield text[:match.start(3)].count("\n") + 1, match[2] or "", match[1], match[3], match[4]


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for folder in (PLACE / "equations", TREE / "out"):
            shutil.rmtree(folder, ignore_errors=True)
        TREE.mkdir(parents=True, exist_ok=True)
        for old in TREE.iterdir():
            if old.is_symlink():
                old.unlink()
        for path in ROOT.iterdir():
            if path.name not in LEFT_OUT:
                (TREE / path.name).symlink_to(path)
        cls.command, cls.said, cls.shown = "", "", []

    def run_it(self, command, code=0):
        p = subprocess.run(["bash", "-c", command], cwd=TREE, capture_output=True, text=True,
                           env={**os.environ, "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1"})
        said = p.stdout + p.stderr
        if code is not None:
            self.assertEqual(p.returncode, code, f"{command}\n{said[-3000:]}")
        else:
            self.assertNotEqual(p.returncode, 0, command)
        return said

    def shows(self, said, shown, where):
        """Its lines, one after the other."""
        lines = iter(said.splitlines())
        for expected in shown.splitlines():
            parts = re.split(rf"({NUMBER}|\.\.\.)", expected)
            pattern = "".join(re.escape(part) if n % 2 == 0 else ".*" if part == "..." else f"({NUMBER})" for n, part in enumerate(parts))
            match = next((m for m in (re.fullmatch(pattern, line) for line in lines) if m), None)
            self.assertTrue(match, f"{where}: no such line: {expected}\n{said[-3000:]}")
            for number, stated in zip(match.groups(), re.findall(NUMBER, expected)):
                self.assertLessEqual(abs(float(number) / float(stated) - 1), TOLERANCE, f"{where}: {match[0]}, and the page says {expected}")

    @contextlib.contextmanager
    def changed(self, old, new):
        """With another description."""
        description = PLACE / "equations/ripple/system.py"
        right = description.read_text(encoding="utf-8")
        self.assertEqual(right.count(old), 1, old)
        description.write_text(right.replace(old, new), encoding="utf-8")
        yield
        description.write_text(right, encoding="utf-8")

    def commands(self, text):
        return [command.strip() for command in re.split(r"^\$ ", text, flags=re.M)[1:]]

    def one(self, where, comment, before, language, text):
        what, _, rest = comment.partition(": ")
        if what == "file":
            self.assertIn(f"`{rest}`", before, where)
            (TREE / rest).write_text(text, encoding="utf-8")
        elif what == "in":
            self.shows((TREE / rest).read_text(encoding="utf-8"), text, where)
        elif what == "mistake":
            with self.changed(*rest.split("; ")):
                self.shows(self.run_it(self.command, code=1), text, where)
        elif what == "changed":
            with self.changed(*rest.split("; ")):
                *before_last, last = self.commands(text)
                for command in before_last:
                    self.run_it(command)
                type(self).said = self.run_it(last, code=None)
        elif what == "refused":
            self.shows(self.run_it(f"{self.command} {rest}", code=None), text, where)
        elif language == "console":
            for command in self.commands(text):
                type(self).command, type(self).said = command, self.run_it(command)
        else:
            self.assertEqual((language, what), ("text", ""), where)
            self.shows(self.said, text, where)
            self.shown.append(text)

    def test_page(self):
        upto = PAGE.read_text(encoding="utf-8").split("\n## Reference\n")[0].count("\n")
        done = [self.one(f"{PAGE.name}:{line}", *rest) for line, *rest in blocks(PAGE) if line < upto]
        self.assertGreater(len(done), 12, "blocks of the page")
        self.assertRegex("".join(self.shown), rf"\norder {NUMBER}\n")
        self.assertGreater((TREE / "out/convergence.png").stat().st_size, 10000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
