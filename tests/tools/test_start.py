"""tendex-waves where the user's own Python packages do not fit the system's."""

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import synthetic  # noqa: E402

WAVES = Path(__file__).resolve().parents[2] / "tools" / "tendex-waves"
# A NumPy that no system has yet, and h5py as it is where it was compiled against an earlier one; with that it is the system's own.
NUMPY = "__version__ = '9.1.3'\n"
H5PY = """
import importlib, os, sys
import numpy
if numpy.__version__.startswith("9."):
    sys.stderr.write("A module that was compiled using NumPy 1.x cannot be run in\\nNumPy 9.1.3 as it may crash.\\n")
    try:
        raise ValueError("numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88")
    except ValueError:
        raise ImportError("cannot import name '_debian_h5py_mpi' from partially initialized module 'h5py'")
sys.path.remove(os.path.dirname(os.path.dirname(__file__)))
del sys.modules["h5py"]
importlib.import_module("h5py")
"""


class Start(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tendex-start-")
        self.addCleanup(folder.cleanup)
        self.base = Path(folder.name) / "base"
        self.other = Path(folder.name) / "other"
        self.own = Path(sysconfig.get_path("purelib", "posix_user", {"userbase": str(self.base)}))

    def package(self, folder, name, text):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(text)

    def waves(self, *words, path="", **more):
        """(exit code, output, lines of errors) with packages of the user in self.base, and those of `path'."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        environment |= {"PYTHONUSERBASE": str(self.base), "PYTHONDONTWRITEBYTECODE": "1"}
        if path:
            environment["PYTHONPATH"] = str(path)
        p = subprocess.run([sys.executable, str(WAVES), *words], capture_output=True, text=True, env={**environment, **more},
                           timeout=60)
        return p.returncode, p.stdout, p.stderr.splitlines()

    def test_numpy_of_the_users(self):
        """Said once, and done without it; with the system's h5py, and with one that fails as it does with another NumPy."""
        self.package(self.own, "numpy", NUMPY)
        self.package(self.other, "h5py", H5PY)
        for path in ("", self.other):
            code, said, errors = self.waves("show", "--help", path=path)
            self.assertEqual((code, len(errors)), (0, 1), errors)
            self.assertIn("usage: tendex-waves show", said)
            self.assertIn(f"tendex-waves: h5py cannot be loaded with NumPy 9.1.3 of {self.own}: ", errors[0])
            self.assertIn("going on without your own packages (PYTHONNOUSERSITE=1)", errors[0])
        code, _, errors = self.waves("show", str(self.base / "nowhere"))
        self.assertEqual((code, len(errors)), (1, 2), errors)

    def test_numpy_of_elsewhere(self):
        """Nothing that could be left out: one line, with what to do."""
        self.package(self.other, "numpy", NUMPY)
        self.package(self.other, "h5py", H5PY)
        code, said, errors = self.waves("show", "--help", path=self.other)
        self.assertEqual((code, said, len(errors)), (1, "", 1), errors)
        self.assertRegex(errors[0], rf"^tendex-waves: h5py cannot be loaded with NumPy 9.1.3 of {self.other}: "
                                    "numpy.dtype size changed.*; take all of numpy, h5py, scipy and matplotlib from one place")

    def test_package_missing(self):
        self.package(self.other, "h5py", "raise ModuleNotFoundError('No module named h5py', name='h5py')\n")
        code, _, errors = self.waves("show", "--help", path=self.other)
        self.assertEqual((code, errors), (1, ["tendex-waves: there is no Python package h5py; on Debian it is in "
                                              "python3-h5py"]))

    def test_other_faults_are_not_numpys(self):
        self.package(self.other, "matplotlib", "raise OSError('libfreetype.so.6: cannot open shared object file')\n")
        code, _, errors = self.waves("show", "--help", path=self.other)
        self.assertEqual((code, errors), (1, [f"tendex-waves: matplotlib of {self.other} cannot be loaded: libfreetype.so.6: cannot open "
                                              "shared object file; install matplotlib anew, or take another one by PYTHONPATH or a virtual "
                                              "environment"]))

    def test_sweeps_do_not_need_them(self):
        self.package(self.own, "h5py", "raise ValueError\n")
        p = subprocess.run([sys.executable, str(WAVES.with_name("sweep.py")), "--help"], capture_output=True, text=True,
                           env={**os.environ, "PYTHONUSERBASE": str(self.base)}, timeout=60)
        self.assertEqual((p.returncode, p.stderr), (0, ""))

    def test_numbers_need_no_plots(self):
        """Pyplot and scipy.stats take half of the time of a start."""
        program = "import sys; from tendex.waves.commands import cli; cli.parser(['remnant']); print(*sys.modules, sep='\\n')"
        p = subprocess.run([sys.executable, "-c", program], cwd=WAVES.parent, capture_output=True, text=True, timeout=60)
        self.assertEqual(p.returncode, 0, p.stderr)
        loaded = set(p.stdout.splitlines())
        self.assertLessEqual({"numpy", "tendex.waves.commands.remnant"}, loaded)
        self.assertFalse({"matplotlib.pyplot", "scipy.stats"} & loaded)

    def drawn(self, folder, first="", **environment):
        """(bytes of a picture that plots.py draws in this folder, errors)"""
        code = (f"{first}\nimport sys; from tendex.waves.pictures import plots\n"
                "with plots.style():\n    fig, ax = plots.plt.subplots(figsize=(2, 1)); ax.plot([0, 1]); ax.set_title(r'$\\psi_4$ a')\n"
                "    ax.set_xlabel(plots.plain('a_$b^$')); plots.save(fig, ['p.png'], dpi=40)\n")
        p = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60,
                           env={**os.environ, "PYTHONPATH": str(WAVES.parent), "MPLBACKEND": "", **environment})
        picture = folder / "p.png"
        return picture.read_bytes() if picture.exists() else b"", p.stderr

    def test_pictures_do_not_depend_on_settings(self):
        """Of Matplotlib: backends that are not there, TeX, fonts, and files that cannot be read."""
        folder = self.base.parent
        usual, said = self.drawn(folder)
        self.assertEqual((usual[:4], said), (b"\x89PNG", ""))
        settings = ("text.usetex: True\nsavefig.bbox: tight\nsavefig.dpi: 7\nfont.family: Nowhere Sans\nfont.size: 30\nlines.linewidth: 9\n"
                    "axes.facecolor: red\nsavefig.transparent: True\n")
        (folder / "user").mkdir()
        (folder / "user" / "matplotlibrc").write_text(settings)
        where = {"MATPLOTLIBRC": str(folder / "user")}
        for environment in ({"MPLBACKEND": "nonsense"}, {"MPLBACKEND": "module://matplotlib_inline.backend_inline", **where}):
            self.assertEqual(self.drawn(folder, **environment), (usual, ""), environment)
        # One who draws from Python has loaded Matplotlib before.
        self.assertEqual(self.drawn(folder, "import matplotlib.pyplot", **where), (usual, ""))
        (folder / "matplotlibrc").write_bytes(b"font.size: 30 # gr\xf6\xdfer\n")
        self.assertEqual(self.drawn(folder), (usual, ""))

    def test_names_in_other_letters(self):
        """Where the terminal knows ASCII alone, or bytes of a name are no letters at all."""
        for name in ("b\u00e4r \u2713", os.fsdecode(b"run\xff"), "a_$b^$"):
            run = synthetic.write_run(self.base.parent / "run", radii=(50.0,), l_max=2, t_end=240.0, dt=1.0)
            run = run.rename(run.with_name(name))
            code, said, errors = self.waves("strain", str(run), "--json", str(run / "strain.json"), PYTHONIOENCODING="ascii", LC_ALL="C",
                                            PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
            self.assertEqual((code, errors), (0, []), name)
            written = os.fsencode(name).decode(errors="backslashreplace")
            self.assertIn(f"{written.encode('ascii', errors='backslashreplace').decode()}: M = 1;", said)
            self.assertIn("/analysis/strain.h5", said)
            self.assertEqual(json.loads((run / "strain.json").read_text())["run"], written)

    def test_all_is_well(self):
        code, said, errors = self.waves("--help")
        self.assertEqual((code, errors), (0, []))
        self.assertIn("usage: tendex-waves", said)


if __name__ == "__main__":
    unittest.main()
