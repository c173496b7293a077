"""Tests of the program from the outside: each in a folder of its own, on as many ranks and threads as it asks for."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from alone import alone  # noqa: E402


class ProgramTest(unittest.TestCase):
    """Base class. `program`: path of tendex; `mpirun`: words that start ranks, less the number. `folder` is empty at
    first and gone after the test."""

    program, mpirun = None, []

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="tendex-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "test"
        self.folder.mkdir()

    def tendex(self, *arguments, ranks=1, threads=1, code=0, more=None):
        """What `tendex ARGUMENTS` says on standard output, or on standard error if it is to fail with `code`. `more`: environment."""
        command = [*self.mpirun, "-n", str(ranks)] if ranks > 1 else []
        environment = dict(os.environ, OMP_NUM_THREADS=str(threads), **({} if command else alone(self.folder.parent)),
                           **(more or {}))
        p = subprocess.run([*command, self.program, *arguments], cwd=self.folder, capture_output=True, text=True,
                           env=environment, timeout=150)
        self.assertEqual(p.returncode, code, p.stdout + p.stderr)
        return p.stdout if code == 0 else p.stderr
