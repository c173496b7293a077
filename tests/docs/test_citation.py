"""CITATION.cff says what the project says of itself."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Citation(unittest.TestCase):
    def setUp(self):
        text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
        self.keys = {key: value.strip("\"'") for key, value in re.findall(r"^([\w-]+): *(.*)$", text, re.M)}
        self.text = text

    def test_form(self):
        """What version 1.2.0 of the format asks for, and no key that it does not know."""
        for key in ("cff-version", "message", "title", "authors"):
            self.assertIn(key, self.keys)
        known = {"abstract", "authors", "cff-version", "date-released", "keywords", "license", "message", "title", "type", "version"}
        self.assertLessEqual(set(self.keys), known)
        self.assertEqual((self.keys["cff-version"], self.keys["type"]), ("1.2.0", "software"))
        self.assertRegex(self.text, r"(?m)^authors:\n  - name: \S")
        self.assertNotIn("\t", self.text)

    def test_version_and_licence(self):
        project = re.search(r"project\(tendex VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(self.keys["version"], project)
        self.assertIn(f"## [{project}] - {self.keys['date-released']}\n", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
        packed = re.search(r'license = \{text = "(.*)"\}', (ROOT / "tools" / "pyproject.toml").read_text())[1]
        self.assertEqual(self.keys["license"], packed)
        self.assertIn("GNU GENERAL PUBLIC LICENSE\n                       Version 3", (ROOT / "LICENSE").read_text())

    def test_readme_points_to_it(self):
        self.assertIn("[CITATION.cff](CITATION.cff)", (ROOT / "README.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
