"""Matplotlib, drawing into files, without what the user has set for it: MPLBACKEND, a matplotlibrc or rcParams must not change pictures,
nor keep them from being drawn. To be loaded before anything of Matplotlib is."""

import contextlib
import os
import sys
from pathlib import Path

# Of the parameters: what says where Matplotlib draws, and is not of a picture.
NOT_OF_PICTURES = ("backend", "interactive", "toolbar", "webagg", "tk.", "macosx", "keymap", "docstring", "timezone", "savefig.directory")


@contextlib.contextmanager
def _without_settings():
    """While Matplotlib is loaded: it takes a matplotlibrc from the working folder first of all, then from MATPLOTLIBRC."""
    kept = {name: os.environ.get(name) for name in ("MPLBACKEND", "MATPLOTLIBRC")}
    here = os.open(".", os.O_RDONLY) if os.path.lexists("matplotlibrc") else None
    os.environ.update(MPLBACKEND="agg", MATPLOTLIBRC=os.devnull)
    try:
        if here is not None:
            os.chdir(Path(__file__).parent)
        yield
    finally:
        if here is not None:
            os.fchdir(here)
            os.close(here)
        for name, value in kept.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


if "matplotlib" in sys.modules:
    import matplotlib
else:
    with _without_settings():
        import matplotlib
import matplotlib.path  # noqa: E402, F401  compiled: shows whether Matplotlib and NumPy fit


def settings(own):
    """rcParams of a picture: Matplotlib's own, and `own' over them."""
    usual = dict.items(matplotlib.rcParamsDefault)  # as dict, since asking for old names warns
    return {key: value for key, value in usual if not key.startswith(NOT_OF_PICTURES)} | own


def plain(text):
    """Text of names and messages for pictures, in which $ begins no formula, and bytes that are no letters are shown."""
    return text.encode("utf-8", errors="backslashreplace").decode().replace("$", r"\$")
