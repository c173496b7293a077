"""Where tendex-waves starts: first of all, are the libraries there, and do they fit each other?

NumPy from pip in ~/.local goes before the system's, and the system's h5py, SciPy and Matplotlib, compiled against
another one, then fail in many ways.
"""

import contextlib
import importlib
import importlib.util
import io
import os
import site
import sys
from pathlib import Path

# Modules whose import shows whether a library works.
LIBRARIES = ("numpy", "h5py", "scipy.optimize", "matplotlib.path")


def waves():
    """tendex-waves: the exit code."""
    load("tendex-waves")
    from tendex.waves.cli import main
    return main()


def orbit():
    """tendex-orbit: the exit code."""
    load("tendex-orbit")
    from tendex.orbits.cli import main
    return main()


def load(program):
    """Load the libraries. Where they cannot be, start the program again without the user's own packages, or leave with
    a line that says what is wrong."""
    os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")  # packages that open files themselves need no locks either
    said = io.StringIO()
    for module in LIBRARIES:
        name = module.split(".")[0]
        try:
            with contextlib.redirect_stderr(said):
                importlib.import_module(module)
        except ModuleNotFoundError as e:
            if e.name == name:
                sys.exit(f"{program}: there is no Python package {name}; on Debian it is in python3-{name}")
            _again(program, name, e)
        except Exception as e:  # of any kind, as libraries have it
            _again(program, name, e)
    sys.stderr.write(said.getvalue())


def _again(program, name, error):
    numpy = sys.modules.get("numpy")
    where = Path(numpy.__file__).parents[1] if getattr(numpy, "__file__", None) else "an unknown place"
    why = str(error).strip().splitlines() or [type(error).__name__]
    what = f"{program}: {name} cannot be loaded with NumPy {getattr(numpy, '__version__', '')} of {where}: {why[0]}"
    if not _user_has(LIBRARIES) or _user_has(["tendex"]):
        sys.exit(f"{what}; take all of numpy, h5py, scipy and matplotlib from one place, for instance Debian's "
                 "packages without PYTHONPATH, or a virtual environment")
    print(f"{what}; going on without your own packages (PYTHONNOUSERSITE=1)", file=sys.stderr, flush=True)
    words = getattr(sys, "orig_argv", [sys.executable, *sys.argv])
    os.execve(sys.executable, [sys.executable, *words[1:]], {**os.environ, "PYTHONNOUSERSITE": "1"})


def _user_has(modules):
    """Does one of these come from the user's own packages?"""
    if not site.ENABLE_USER_SITE:
        return False
    found = (importlib.util.find_spec(module.split(".")[0]) for module in modules)
    return any(spec and spec.origin and Path(site.getusersitepackages()) in Path(spec.origin).parents for spec in found)
