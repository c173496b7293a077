#!/usr/bin/env python3
"""The checks of the sources are skipped without their tools, but fail where these are required."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def call(command, **environment):
    clean = {k: v for k, v in os.environ.items() if k != "TENDEX_CHECKERS_REQUIRED"}
    return subprocess.run([str(word) for word in command], env={**clean, **environment}, capture_output=True, text=True)


class WithoutTools(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for tool in ("bash", "env", "grep", "find", "sort", "python3"):
            os.symlink(shutil.which(tool), os.path.join(self.folder, tool))

    def status(self, command, **environment):
        return call(command, PATH=self.folder, **environment).returncode

    def test_format(self):
        command = [HERE / "format.sh", ROOT]
        self.assertEqual(self.status(command), 77)
        self.assertEqual(self.status(command, TENDEX_CHECKERS_REQUIRED="1"), 1)

    def test_tidy(self):
        command = [sys.executable, HERE / "tidy.py", ROOT, self.folder]
        self.assertEqual(self.status(command), 77)
        self.assertEqual(self.status(command, TENDEX_CHECKERS_REQUIRED="1"), 1)

    def test_site(self):
        command = [sys.executable, HERE.parent / "docs/test_site.py"]
        self.assertEqual(self.status(command), 77)
        self.assertEqual(self.status(command, TENDEX_CHECKERS_REQUIRED="1"), 1)


class Tidy(unittest.TestCase):
    """tidy.py looks at what changed, and at nothing else."""

    @unittest.skipUnless(shutil.which("clang-tidy"), "no clang-tidy")
    def test_finds_and_remembers(self):
        with tempfile.TemporaryDirectory() as name:
            root, build = Path(name), Path(name, "build")
            for folder in ("src", "build"):
                (root / folder).mkdir()
            shutil.copy(ROOT / ".clang-tidy", root)
            (root / "src/a.h").write_text("int a(int n);\n")
            (root / "src/a.c").write_text('#include "a.h"\nint a(int n) {\n  return n;\n}\n')
            (root / "src/b.c").write_text("int b(void);\nint b(void) {\n  return 0;\n}\n")
            (build / "compile_commands.json").write_text(json.dumps([
                {"directory": str(build), "file": str(root / f"src/{name}.c"),
                 "command": f"ccache cc -I{root}/src -o {name}.o -c {root}/src/{name}.c"} for name in "ab"]))

            def tidy():
                result = call([sys.executable, HERE / "tidy.py", root, build])
                return result.returncode, result.stdout
            if tidy()[0] == 77:
                self.skipTest("no clang-tidy 14")
            self.assertEqual(tidy(), (0, "2 sources, 0 of them new or changed: clean\n"))
            (root / "src/a.h").write_text("int a(int m);\n")
            for _ in range(2):
                status, text = tidy()
                self.assertEqual(status, 1, text)
                self.assertIn("readability-inconsistent-declaration-parameter-name", text)
                self.assertIn("2 sources, 1 of them new or changed: 1 are not clean", text)


if __name__ == "__main__":
    unittest.main()
