"""Refusals: a mistake in a description ends the generator with one line that names file, line, text and what is expected."""

import contextlib
import pathlib
import sys
import traceback
import warnings

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Descriptions import each other's parts by the names of their folders, as bssn.equations.
sys.path.append(str(HERE.parent))
# The generator's own files; every other one describes equations.
OWN = [str(HERE / name) for name in ("emit.py", "functions.py", "generate.py", "inputs.py", "matter.py", "notation.py", "parameters.py", "parking.py",
                                   "printer.py", "refuse.py", "sharing.py", "tables.py", "tensors.py")]


class Refused(Exception):
    """The line to print."""


class Mistake(Exception):
    """What is wrong with an expression, and the node of its tree or the column of its text, from 1 on, where; whoever knows its
    text and place adds them."""

    def __init__(self, message, node=None, column=None):
        super().__init__(message)
        self.column = column or getattr(node, "col_offset", 0) + 1


def shown(path):
    """A path as messages name it: in the source tree from there on."""
    path = pathlib.Path(path)
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def place():
    """File and line of the description that calls the generator."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename in [*OWN, contextlib.__file__]:
        frame = frame.f_back
    return f"{shown(frame.f_code.co_filename)}:{frame.f_lineno}"


def refuse(message, where=None):
    raise Refused(" ".join(f"{where or place()}: {message}".split()))


@contextlib.contextmanager
def reading(text, where=None):
    """Say text and place of mistakes in an expression."""
    try:
        yield
    except Mistake as mistake:
        shown_text = " ".join(str(text).split())
        raise Refused(f'{where or place()}: in "{shown_text}", column {mistake.column}: ' + " ".join(str(mistake).split())) from None


@contextlib.contextmanager
def described_by(path):
    """Refuse what a description does wrong as a program, at its line."""
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    except Refused:
        raise
    except SyntaxError as error:
        refuse(f"{(error.text or '').strip()}: {error.msg}", f"{shown(error.filename or path)}:{error.lineno}")
    except Exception as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__)
                  if frame.filename not in OWN and any(map(pathlib.Path(frame.filename).is_relative_to, (ROOT, path.parent)))]
        where, text = (f"{shown(frames[-1].filename)}:{frames[-1].lineno}", frames[-1].line) if frames else (shown(path), "")
        refuse(f"{text}: {type(error).__name__}: {error}", where)


def one_of(names):
    """The names that would do."""
    return "expected " + (", ".join(sorted(names)) or "none")
