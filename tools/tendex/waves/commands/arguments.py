"""Arguments that several commands of tendex-waves take."""

import argparse

from tendex.waves.extraction.centre import CENTRES


def mode(text):
    """The (l, m) of `l,m'."""
    try:
        l, m = (int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: not two numbers l,m") from None
    if l < 2 or abs(m) > l:
        raise argparse.ArgumentTypeError(f"{text}: there is no mode l = {l}, m = {m}; l >= 2, |m| <= l")
    return l, m


def turning_mode(text):
    """The same of a mode that has a phase."""
    l, m = mode(text)
    if m <= 0:
        raise argparse.ArgumentTypeError(f"{text}: no mode with a phase; l >= 2, 0 < m <= l")
    return l, m


def frequency(text):
    """A frequency above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no frequency above 0")
    return value


def add_start(parser):
    parser.add_argument("--good-from", metavar="U", type=float, dest="start",
                        help="retarded time [M] after which psi4 is free of junk radiation (default: found from the data)")


def add_centre(parser):
    parser.add_argument("--centre", choices=CENTRES, default=CENTRES[0],
                        help="frame of the waves at infinity: centre of mass of the tracks, or the run's own (%(default)s)")


class _Series(argparse.Action):
    """One or two folders."""

    def __call__(self, parser, namespace, values, option=None):
        if len(values) > 2:
            parser.error(f"{option}: {len(values)} folders: give one or two coarser runs, the coarsest first")
        setattr(namespace, self.dest, values)


def add_series(parser):
    parser.add_argument("--series", nargs="+", action=_Series, default=[], metavar="COARSER",
                        help="one or two coarser runs of the same series, the coarsest first: for the error budget of `tendex-waves converge'")
