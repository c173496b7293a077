"""Libraries of other versions, that come first in the search path, are found at the start and named."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from alone import alone  # noqa: E402

TENDEX, MPIRUN = sys.argv[1], sys.argv[2:]
OLD = os.environ["TX_OLD_HDF5"]
LIBRARY = 8
# Functions of a library that the program calls, by their names' beginning.
FUNCTIONS = {"libhdf5": rb"H5[A-Z]+\w+", "libgsl": rb"gsl_\w+", "libp4est": rb"p[48]est_\w+", "libsc": rb"sc_\w+", "libyaml": rb"yaml_\w+"}


class Libraries(unittest.TestCase):
    def setUp(self):
        self.top = Path(tempfile.mkdtemp(prefix="tendex-libraries-"))
        self.addCleanup(shutil.rmtree, self.top)
        (self.top / "a.yaml").write_text("run: {t_end: 1}\ninitial_data: {type: gauge_wave}\ngrid: {periodic: xyz}\n")

    def fails(self, message, ranks=1, **environment):
        command = [*MPIRUN, "-n", str(ranks)] if ranks > 1 else []
        told = {**os.environ, **({} if command else alone(self.top)), **environment}
        for arguments in (["check", "a.yaml"], ["run", "a.yaml"]):
            p = subprocess.run([*command, TENDEX, *arguments], cwd=self.top, env=told, capture_output=True, text=True)
            self.assertEqual(p.returncode, LIBRARY, p.stdout + p.stderr)
            self.assertEqual(len(re.findall(message, p.stderr)), 1, p.stderr)
        self.assertFalse((self.top / "out").exists())

    def test_functions_that_are_missing(self):
        found = dict(re.findall(r"(\S+) => (/\S+)", subprocess.run(["ldd", TENDEX], capture_output=True, text=True, check=True).stdout))
        program = Path(TENDEX).read_bytes()
        for library, pattern in FUNCTIONS.items():
            name, path = next((n, p) for n, p in found.items() if re.match(rf"{library}[-_.]", n))
            content = Path(path).read_bytes()
            functions = [f for f in re.findall(rb"(?<=\0)" + pattern + rb"(?=\0)", program) if b"\0" + f + b"\0" in content
                         and not f.endswith((b"_g", b"_t"))]
            missing = functions[-1]
            (self.top / name).write_bytes(content.replace(b"\0" + missing + b"\0", b"\0" + missing[:-1] + b"#\0"))
            for ranks in (1, 2) if library == "libhdf5" else (1,):
                self.fails(rf"error: the libraries found have no function {missing.decode()}, which this program was built with",
                           ranks, LD_LIBRARY_PATH=":".join([str(self.top), *os.environ.get("LD_LIBRARY_PATH", "").split()]))
            (self.top / name).unlink()

    def test_an_earlier_hdf5(self):
        self.fails(r"error: the HDF5 library found is version 1\.\d+\.4, and this program was built with 1\.\d+\.\d+", LD_PRELOAD=OLD)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
