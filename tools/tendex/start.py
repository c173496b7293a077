"""Where tendex-waves starts: first of all, are the libraries there, and do they fit each other?

NumPy from pip in ~/.local goes before the system's, and the system's h5py, SciPy and Matplotlib, compiled against
another one, then fail in many ways.
"""

import contextlib
import importlib
import importlib.util
import io
import os
import re
import site
import sys
from pathlib import Path

# Libraries, and modules whose import shows whether they work.
LIBRARIES = {"numpy": "numpy", "yaml": "yaml", "h5py": "h5py", "scipy": "scipy.optimize", "matplotlib": "tendex.base.drawing"}
# What errors of libraries say that were compiled against another NumPy than they find.
OF_NUMPY = re.compile(r"numpy|multiarray|_ARRAY_API|\bABI\b|umath", re.I)


def waves():
    """tendex-waves: the exit code."""
    load("tendex-waves")
    printable()
    from tendex.waves.commands.cli import main
    return main()


def orbit():
    """tendex-orbit: the exit code."""
    load("tendex-orbit")
    printable()
    from tendex.orbits.cli import main
    return main()


def load(program):
    """Load the libraries. Where they cannot be, start the program again without the user's own packages, or leave with
    a line that says what is wrong."""
    os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")  # packages that open files themselves need no locks either
    said = io.StringIO()
    for name, module in LIBRARIES.items():
        try:
            with contextlib.redirect_stderr(said):
                importlib.import_module(module)
        except ModuleNotFoundError as e:
            if e.name == name:
                sys.exit(f"{program}: there is no Python package {name}; on Debian it is in python3-{name}")
            _again(program, name, e, said.getvalue())
        except Exception as e:  # of any kind, as libraries have it
            _again(program, name, e, said.getvalue())
    sys.stderr.write(said.getvalue())


def printable():
    """Names of folders may have letters that the terminal's encoding has not, or bytes that are no letters: these are printed as \\xe4."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _place(name):
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    with contextlib.suppress(ValueError):  # of a module that has no specification
        spec = None if file else importlib.util.find_spec(name)
        file = file or (spec.origin if spec else None)
    return Path(file).parents[1] if file else "an unknown place"


def _reasons(error):
    """Texts of an error and of those that it came from: Debian's h5py says of any that it has no module of one kind."""
    while error:
        yield (str(error).strip().splitlines() or [type(error).__name__])[0]
        error = error.__cause__ or error.__context__


def _again(program, name, error, said):
    numpy = sys.modules.get("numpy")
    reasons = list(_reasons(error))
    why = list(filter(OF_NUMPY.search, reasons)) or reasons
    if OF_NUMPY.search(" ".join([*reasons, said])):
        what = (f"{program}: {name} cannot be loaded with NumPy {getattr(numpy, '__version__', '')} of {_place('numpy')}: {why[0]}",
                "take all of numpy, h5py, scipy and matplotlib from one place, for instance Debian's packages without PYTHONPATH, or "
                "a virtual environment")
    else:
        what = (f"{program}: {name} of {_place(name)} cannot be loaded: {why[0]}", f"install {name} anew, or take another one by "
                "PYTHONPATH or a virtual environment")
    if not _user_has(LIBRARIES) or _user_has(["tendex"]):
        sys.exit("; ".join(what))
    what = what[0]
    print(f"{what}; going on without your own packages (PYTHONNOUSERSITE=1)", file=sys.stderr, flush=True)
    words = getattr(sys, "orig_argv", [sys.executable, *sys.argv])
    os.execve(sys.executable, [sys.executable, *words[1:]], {**os.environ, "PYTHONNOUSERSITE": "1"})


def _user_has(modules):
    """Does one of these come from the user's own packages?"""
    if not site.ENABLE_USER_SITE:
        return False
    found = (importlib.util.find_spec(module) for module in modules)
    return any(spec and spec.origin and Path(site.getusersitepackages()) in Path(spec.origin).parents for spec in found)
