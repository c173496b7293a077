"""HDF5 files are read without locks: those of file systems that have none, and those that a program has open."""

import contextlib
import fcntl
import io
import os
import re
import subprocess
import sys
import unittest
import warnings
from pathlib import Path
from unittest import mock

import h5py

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import scratch  # noqa: E402
from tendex.base import files  # noqa: E402
from tendex.waves.commands import cli  # noqa: E402

# Where HDF5 files are opened, and what opens them.
OPENING = {"tools": (("*.py", "tendex-*"), re.compile(r"\bh5py\.File\("), ["tools/tendex/base/files.py"]),
           "src": (("*.c",), re.compile(r"\bH5F(open|create)\("), ["src/files/h5.c"])}
COMMANDS = """
import sys
sys.path.insert(0, sys.argv[1])
from tendex.base import files
with files.open_hdf5(sys.argv[2]) as h:
    print(h["x"][()])
try:
    files.new_hdf5(sys.argv[2])
except OSError as e:
    print(e)
"""


class OnePlace(unittest.TestCase):
    def test_all_open_files_there(self):
        for top, (names, call, places) in OPENING.items():
            found = {str(f.relative_to(TOP)) for name in names for f in (TOP / top).rglob(name)
                     if call.search(f.read_text(errors="replace"))}
            self.assertEqual(sorted(found), places)


class Locked(scratch.Scratch):
    """All HDF5 files have a lock of another program."""

    def setUp(self):
        super().setUp()
        warnings.simplefilter("ignore", ResourceWarning)  # files that Python reads for h5py are closed with its object

    def make(self, name="x.h5"):
        file = self.scratch / name
        with h5py.File(file, "w") as h:
            h["x"] = 7
        self.lock(file)
        return file

    def lock(self, file):
        descriptor = os.open(file, os.O_RDWR)
        self.addCleanup(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def reads(self, file):
        with files.open_hdf5(file) as h:
            return h["x"][()] == 7

    def test_this_h5py(self):
        file = self.make()
        with self.assertRaises(OSError):
            h5py.File(file, "r")
        self.assertTrue(self.reads(file))

    def test_earlier_h5py(self):
        """Which does not know the argument, or whose HDF5 does not."""
        file, new, whole = self.make(), self.make("new.h5"), h5py.File
        for error in (TypeError("'locking' is an invalid keyword argument for this function"),
                      ValueError("HDF5 version >= 1.12.1 or 1.10.x >= 1.10.7 required for file locking.")):
            def earlier(*args, error=error, **options):
                if "locking" in options:
                    raise error
                return whole(*args, **options)

            with mock.patch.object(h5py, "File", earlier):
                self.assertTrue(self.reads(file))
                with self.assertRaisesRegex(OSError, f"HDF5 cannot lock {new}; set .* HDF5_USE_FILE_LOCKING to FALSE"):
                    files.new_hdf5(new)

    def test_locks_that_are_asked_for(self):
        """By the variable, which has HDF5 lock files whatever its caller says: reading does without."""
        file = self.make()
        text = subprocess.run([sys.executable, "-c", COMMANDS, TOP / "tools", file], text=True, check=True, capture_output=True,
                              env={**os.environ, "HDF5_USE_FILE_LOCKING": "TRUE"}).stdout
        self.assertEqual(text, f"7\nHDF5 cannot lock {file}; set the environment variable HDF5_USE_FILE_LOCKING to FALSE\n")

    def test_other_faults_stay(self):
        file = self.scratch / "text.h5"
        file.write_text("no HDF5")
        for path in (file, self.scratch / "none.h5"):
            with self.assertRaises(OSError) as raised:
                files.open_hdf5(path)
            self.assertNotIsInstance(raised.exception, files.LockError)

    def test_commands(self):
        path = self.run_of().path
        self.lock(path / "waves" / "mp_psi4.h5")
        strain, other = path / "analysis" / "strain.h5", self.scratch / "b.h5"
        self.call("strain", path)
        self.call("strain", path, "-o", other)
        self.call("export", path, "--format", "sxs", "-o", self.scratch)
        self.lock(strain)
        self.lock(other)
        self.call("compare", strain, other, "-o", self.scratch / "c.png")

    def call(self, *args):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            self.assertEqual(cli.main(list(map(str, args))), 0, out.getvalue())


if __name__ == "__main__":
    unittest.main()
