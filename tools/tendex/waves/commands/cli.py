"""The command line of tendex-waves."""

import argparse
import contextlib
import difflib
import importlib
import io
import os
import sys
import warnings

from tendex.base.folder import FolderError
from tendex.base.tables import TableWarning
from tendex.waves.signal.modes import WaveError

# Each command is a module of this name, with SUMMARY, arguments(parser), and run(args) -> exit code or None. One with AT_ONCE
# prints while it runs; of all others the text comes at the end.
COMMANDS = ("show", "movie", "watch", "strain", "extrapolate", "remnant", "eccentricity", "compare", "converge", "export",
            "worldtubes")


def parser(arguments=()):
    """That of the command which these begin with, as loading one takes a second less than all; or of all commands."""
    top = argparse.ArgumentParser(
        prog="tendex-waves", description="Analyse runs of Tendex: waveforms, remnant, convergence, export. "
        "`tendex-waves COMMAND --help' describes a command.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in [word for word in arguments[:1] if word in COMMANDS] or COMMANDS:
        module = importlib.import_module(f"tendex.waves.commands.{name}")
        command = commands.add_parser(name, help=module.SUMMARY, description=module.__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
        module.arguments(command)
        command.set_defaults(run=module.run, at_once=getattr(module, "AT_ONCE", False), parser=command)
    return top


def parsed(arguments):
    """The arguments' values. What is wrong with them is said with the usage of their command, and the nearest word."""
    top = parser(arguments)
    if arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        top.error(f"there is no command {arguments[0]!r}; {_meant(arguments[0], COMMANDS)}give one of {', '.join(COMMANDS)}")
    args, rest = top.parse_known_args(arguments)
    if rest:
        options = args.parser._option_string_actions  # argparse has no public list of them
        args.parser.error(f"unrecognized arguments: {' '.join(rest)}; {_meant(rest[0].split('=')[0], options)}see --help")
    return top.parse_args(arguments)


def _meant(word, words):
    near = difflib.get_close_matches(word, words, 1)
    return f"did you mean {near[0]}? " if near else ""


def main(arguments=None):
    """Exit code: 0 done, 1 something with the data, 2 wrong command line."""
    arguments = sys.argv[1:] if arguments is None else arguments
    args = parsed(arguments)
    said, code = io.StringIO(), 1
    try:
        with contextlib.nullcontext() if args.at_once else contextlib.redirect_stdout(said), _warnings(args):
            code = args.run(args) or 0
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (WaveError, FolderError) as e:
        _complain(args, e)
    except OSError as e:
        _complain(args, f"{e.filename}: {e.strerror}" if e.filename is not None and e.strerror else e)
    try:
        print(said.getvalue(), end="", flush=True)
    except OSError as e:
        # What is left of it must not be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(e, BrokenPipeError):  # whoever reads has had enough
            _complain(args, f"cannot write the output: {e.strerror}")
        return 1
    return code


@contextlib.contextmanager
def _warnings(args):
    """Those of run folders as lines of our own."""
    usual = warnings.showwarning

    def show(message, category, *where):
        if issubclass(category, TableWarning):
            _complain(args, f"warning: {message}")
        else:
            usual(message, category, *where)
    with warnings.catch_warnings():
        warnings.simplefilter("always", TableWarning)
        warnings.showwarning = show
        yield


def _complain(args, what):
    print(f"tendex-waves {args.command}: {what}", file=sys.stderr)
