"""Where the readers cannot be had, the test is skipped and says why; where they are required, it fails."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Skipping(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="tendex-installed-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def run_python(self, code, required=False, **environment):
        """(exit code, output) of a line of Python beside installed.py."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PIP_") and k != "TENDEX_READERS_REQUIRED"}
        if required:
            clean["TENDEX_READERS_REQUIRED"] = "1"
        done = subprocess.run([sys.executable, "-c", f"import installed; {code}"], cwd=HERE, text=True,
                              capture_output=True, env={**clean, **environment})
        return done.returncode, done.stdout + done.stderr

    def test_no_registry(self):
        # Nothing listens there.
        nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_CONFIG_FILE": os.devnull}
        install = f"installed.install({str(self.folder / 'readers')!r})"
        code, said = self.run_python(install, **nowhere)
        if "there is no pip" in said:
            self.skipTest("there is no pip (Debian: python3-pip)")
        self.assertEqual(code, 77, said)
        self.assertRegex(said, "skipped: (the package registry cannot be reached|the readers are pinned for)")
        code, said = self.run_python(install, required=True, **nowhere)
        self.assertEqual(code, 1, said)
        self.assertIn("failed: ", said)

    def test_no_paraview(self):
        for required, expected in ((False, 77), (True, 1)):
            code, said = self.run_python("installed.pvpython()", required, PATH=str(self.folder))
            self.assertEqual(code, expected, said)
            self.assertIn("there is no pvpython (Debian: python3-paraview)", said)

    def test_pinned(self):
        for line in (HERE / "requirements.txt").read_text().splitlines():
            self.assertRegex(line, r"^#|^[a-z0-9-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}$")


if __name__ == "__main__":
    unittest.main()
