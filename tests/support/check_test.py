"""Tests of what `tendex check` says: a base class. Import this after setting the program (`program_test.py`)."""

import re

from program_test import ProgramTest


class CheckTest(ProgramTest):
    """`default`: the file in `folder` that is looked at unless a test names another one."""

    default = None
    said = {}    # by the words of `check' and the text of its file

    def check(self, *settings, file=None, n=1, speed="1e6", **more):
        file = file or self.default
        words = [word for setting in settings for word in ("--set", setting)]
        asked = ("check", str(file), "-n", str(n), "--speed", speed, *words)
        key = asked, (self.folder / file).read_text(), tuple(sorted(more.items()))
        if key not in self.said:
            self.said[key] = self.tendex(*asked, **more)
        return self.said[key]

    def notes(self, *settings, **more):
        text = self.check(*settings, **more)
        found = re.findall("^note: (.*)$", text, re.M)
        end = "good" if not found else f"good, with {len(found)} note{'s' if len(found) > 1 else ''}"
        self.assertTrue(text.endswith(f": {end}\n"), text[-200:])
        return found

    def only(self, pattern, *settings, **more):
        """One note, that matches."""
        found = self.notes(*settings, **more)
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], pattern)

    def among(self, pattern, *settings, **more):
        """One of the notes matches."""
        found = self.notes(*settings, **more)
        self.assertEqual([bool(re.search(pattern, note)) for note in found].count(True), 1, found)
