"""A family of problems that grows with the ranks, for weak scaling of runs: a parameter file with larger refined regions.

Levels, spacings, time steps and intervals stay. On the fewest ranks grid.bh_radius, those of single holes and grid.ball_radius are
multiplied by one factor, so that the grid has the points that were asked for. On more ranks the holes' radii, which have the fine levels and
with them nearly all the work, are chosen so that the point-stages of a macro step grow as the ranks do. Last, on all, grid.ball_radius,
which has most points and little work, brings the points to those asked for. The first grid of `tendex check' tells both."""

import math
import re
from dataclasses import dataclass

from tendex.base.folder import FolderError
from tendex.base.parameter_file import read_parameters
from tendex.base.program import ProgramError
from tendex_dev.bench_runs import RunError

MOST, GOOD = 14, 0.01  # grids looked at for one number; how far off, in size or in factors tried, is good enough
HOLES, BALL = ("grid.bh_radius", *(f"grid.bh{n}_radius" for n in range(1, 9))), "grid.ball_radius"


@dataclass(frozen=True)
class Grid:
    """The first grid of a run."""

    points: int
    work: float  # points that take a stage, in a macro step or, with one time step for all levels, in a step


def whole(text):
    return int(text.replace(",", ""))


def grid_of(said):
    """From the words of `tendex check'."""
    points = re.search(r"^ +grid +[\d,]+ octants of (\d+)\^3 points, ([\d,]+) points$", said, re.M)
    if not points:
        raise RunError("`tendex check' says nothing of a grid")
    macro = re.search(r"^ +macro step +([\d.e+-]+) M", said, re.M)
    work = whole(points[2])
    if macro:
        levels = re.findall(r"^ +\d+ +([\d.e+-]+) +([\d,]+) +([\d,]+) +[\d.]+%$", said, re.M)
        work = sum((whole(leaves) + whole(covered)) * float(macro[1]) / float(step) for step, leaves, covered in levels)
        work *= int(points[1]) ** 3
    return Grid(whole(points[2]), work)


def closest(measure, target):
    """(factor, what is measured): the factor of those tried whose measure, which grows with it, is closest to the target."""
    low = high = None
    factor, best = 1.0, None
    for _ in range(MOST):
        found, value = measure(factor)
        off = abs(math.log(value / target))
        if best is None or off < best[0]:
            best = (off, factor, found)
        if off < GOOD:
            break
        if value < target:
            low = factor
        else:
            high = factor
        if low and high and high / low < 1 + GOOD:
            break
        factor = 2 * low if high is None else high / 2 if low is None else math.sqrt(low * high)
    return best[1], best[2]


class Family:
    """The family of a parameter file; `program' answers `tendex check'."""

    def __init__(self, program, file, sets):
        self.program, self.file = program, file
        self.start = self._radii(list(sets))
        self.sets = [s for s in sets if s.split("=")[0] not in self.start]
        self.grids = {}

    def _radii(self, sets):
        """Those of the file and of --set."""
        try:
            given = self.program.settings(sets)
            grid_of(self.program.ask("check", self.file, *self._words(sets), "--speed", "1"))
            found = read_parameters(self.file)
        except (FolderError, ProgramError) as e:
            raise RunError(str(e)) from e
        radii = {}
        for key in (*HOLES, BALL):
            radii[key] = float(given.get(key, found.get(key, self.program.defaults[key])))
        if not any(radii.values()):
            raise RunError(f"{self.file}: no refined regions to grow with the ranks: set {HOLES[0]} or {BALL}")
        return radii

    @staticmethod
    def _words(sets):
        return [word for s in sets for word in ("--set", s)]

    def _grid(self, radii):
        key = tuple(radii.values())
        if key not in self.grids:
            try:
                self.grids[key] = grid_of(self.program.ask("check", self.file, *self._words(self.settings(radii)), "--speed", "1"))
            except ProgramError as e:
                raise RunError(str(e)) from e
        return self.grids[key]

    def settings(self, radii):
        """All that goes to --set."""
        return [*self.sets, *(f"{key}={value:.6g}" for key, value in radii.items() if value)]

    def _search(self, radii, keys, of, target):
        """Radii with those of the keys multiplied so that `of' a grid comes closest to the target."""
        def scaled(factor):
            return {key: float(f"{value * factor:.6g}") if key in keys else value for key, value in radii.items()}

        def measure(factor):
            grid = self._grid(scaled(factor))
            return grid, of(grid)
        return scaled(closest(measure, target)[0])

    def members(self, points, ranks):
        """{ranks: (words of --set, Grid)} with so many points a rank."""
        fewest = min(ranks)
        radii = self._search(self.start, (*HOLES, BALL), lambda g: g.points, points * fewest)
        work, last, found = None, fewest, {}
        for n in sorted(ranks):
            # The points of balls grow as their volume: a good guess to begin with, as the coarse levels have some of the work.
            radii = {key: float(f"{value * (n / last) ** (1 / 3):.6g}") for key, value in radii.items()}
            if work and any(radii[key] for key in HOLES):
                radii = self._search(radii, HOLES, lambda g: g.work, work * n / fewest)
            if radii[BALL]:
                radii = self._search(radii, (BALL,), lambda g: g.points, points * n)
            found[n], last = radii, n
            work = work or self._grid(radii).work
        return {n: (self.settings(radii), self._grid(radii)) for n, radii in found.items()}
