#!/usr/bin/python3
"""Draw the diagrams of ARCHITECTURE.md, as SVG: docs/architecture/layers.svg and time_steps.svg.

    dev/diagrams.py [--check]      write them; or compare only

The arrows of the layers are those of tests/unit/test_include_direction.py, which every #include is held to."""

import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "architecture"
sys.path.insert(0, str(ROOT / "tests" / "unit"))
sys.dont_write_bytecode = True
from test_include_direction import ARROWS  # noqa: E402

# Folder: its column, and what it has.
FOLDERS = {
    "src/cli": (2, "the command line"),
    "src/plan": (0, "parameter files"),
    "src/run": (3, "a run's life"),
    "src/observe": (2, "outputs"),
    "src/advice": (0, "check, cost"),
    "src/bench": (0, "speed"),
    "src/report": (1, "log, summary"),
    "src/output": (3, "the run folder"),
    "src/checkpoint": (3, "save, restart"),
    "src/evolve": (1, "a simulation"),
    "src/machine": (4, "GPUs, host"),
    "src/refine": (3, "criteria, limits"),
    "cuda/system": (5, "kernels of a system"),
    "cuda/kernels": (5, "kernels"),
    "cuda/exchange": (3, "halo exchange"),
    "elliptic": (0, "multigrid"),
    "horizons": (1, "horizon finder"),
    "gw_extraction": (2, "waves, worldtubes"),
    "src/exec/cpu": (5, "CPU backend"),
    "cuda": (4, "GPU backend"),
    "src/files": (0, "HDF5, JSON, seals"),
    "src/exec": (2, "fields, operations"),
    "physics": (1, "equations at a point"),
    "octree": (3, "mesh, ghost plans"),
    "src/params": (1, "parameters"),
    "src/base": (2, "status, log, memory"),
}
LAYERS = (("run", "#cfe2f3", {"src/cli", "src/plan", "src/run", "src/observe", "src/advice", "src/bench", "src/report", "src/output", "src/checkpoint", "src/evolve", "src/machine", "src/refine"}),
          ("methods", "#d9ead3", {"elliptic", "horizons", "gw_extraction"}),
          ("backends", "#fce5cd", {"src/exec/cpu", "cuda", "cuda/kernels", "cuda/system", "cuda/exchange"}),
          ("foundation", "#eeeeee", {"src/exec", "src/files", "physics", "octree", "src/params", "src/base"}))
STEP_X, STEP_Y, WIDTH, HEIGHT = 172, 84, 142, 44
GREY, BLUE, RED = "#444444", "#0072b2", "#d55e00"
BOLD, LEFT_ON = {"font-weight": "bold"}, {"text-anchor": "start"}


class Svg:
    """An SVG on white, which reads in light and dark pages."""

    def __init__(self, width, height, title):
        self.lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
                      'font-family="sans-serif" text-anchor="middle">',
                      f"<title>{escape(title)}</title>",
                      "<defs>", *(f'<marker id="tip{colour[1:]}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="10" markerHeight="10" '
                                  f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
                                  for colour in (GREY, RED)), "</defs>",
                      f'<rect width="{width}" height="{height}" fill="#ffffff"/>']

    def text(self, x, y, text, size=14, **how):
        how = "".join(f' {key}="{value}"' for key, value in how.items())
        self.lines.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}"{how}>{escape(text)}</text>')

    def rect(self, x, y, width, height, fill):
        self.lines.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="{fill}" stroke="#444444"/>')

    def arrow(self, x1, y1, x2, y2, colour=GREY, width=1.4):
        self.lines.append(f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{colour}" stroke-width="{width}" '
                          f'marker-end="url(#tip{colour[1:]})"/>')

    def line(self, x1, y1, x2, y2, dash="none"):
        self.lines.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="#888888" stroke-dasharray="{dash}"/>')

    def dot(self, x, y, fill):
        self.lines.append(f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="{fill}" stroke="{BLUE}" stroke-width="2"/>')

    def __str__(self):
        return "\n".join([*self.lines, "</svg>"]) + "\n"


def short(folder):
    return folder.removeprefix("src/")


def graph():
    """{folder: those whose headers it may include}, without the tests."""
    name = {short(folder): folder for folder in ARROWS}
    return {folder: {name[a] for a in arrows.split()} for folder, arrows in ARROWS.items() if folder != "tests"}


def reach_of(arrows):
    """What each folder comes to along arrows."""
    reach = {folder: set(near) for folder, near in arrows.items()}
    for _ in arrows:
        reach = {folder: far.union(*(reach[f] for f in far)) for folder, far in reach.items()}
    return reach


def reduced(arrows):
    """Without the arrows that others imply."""
    reach = reach_of(arrows)
    return {folder: {a for a in near if not any(a in reach[b] for b in near - {a})} for folder, near in arrows.items()}


def depths(arrows):
    """How many arrows lead down from a folder to the lowest one at most."""
    depth = {}
    while len(depth) < len(arrows):
        for folder, near in arrows.items():
            if near <= set(depth):
                depth[folder] = 1 + max((depth[a] for a in near), default=-1)
    return depth


def hidden(arrows):
    """Lines on folders that do not see all that lies below them."""
    reach = reach_of(arrows)
    return [f"{short(folder)} does not include {', '.join(short(f) for f in sorted(reach[folder] - near))}"
            for folder, near in arrows.items() if reach[folder] - near]


def layers():
    arrows = graph()
    if set(arrows) != set(FOLDERS):
        raise SystemExit(f"dev/diagrams.py: FOLDERS and the table of arrows differ: {set(arrows) ^ set(FOLDERS)}")
    depth, notes = depths(arrows), hidden(arrows)
    top, low = max(depth.values()), 60 + STEP_Y * max(depth.values())
    svg = Svg(40 + 6 * STEP_X, low + HEIGHT + 60 + 18 * len(notes), "Folders of Tendex and the direction of their includes")

    def at(folder):
        return 20 + STEP_X * FOLDERS[folder][0], 50 + STEP_Y * (top - depth[folder])

    for folder, near in reduced(arrows).items():
        for other in sorted(near):
            (x1, y1), (x2, y2) = at(folder), at(other)
            across = FOLDERS[other][0] - FOLDERS[folder][0]
            side = max(-60, min(60, (14 if depth[folder] - depth[other] == 1 else 50) * across))
            svg.arrow(x1 + WIDTH / 2 + side, y1 + HEIGHT, x2 + WIDTH / 2 - side, y2 - 1)
    for folder, (_, has) in FOLDERS.items():
        x, y = at(folder)
        svg.rect(x, y, WIDTH, HEIGHT, next(colour for _, colour, those in LAYERS if folder in those))
        svg.text(x + WIDTH / 2, y + 19, folder, 15, **BOLD)
        svg.text(x + WIDTH / 2, y + 36, has, 13)
    for i, (name, colour, _) in enumerate(LAYERS):
        svg.rect(20 + 140 * i, 12, 18, 18, colour)
        svg.text(46 + 140 * i, 26, name, 14, **LEFT_ON)
    y = low + HEIGHT + 26
    svg.text(20, y, "An arrow leads to a folder whose headers may be included. Arrows that others imply are not drawn; exceptions:", 13, **LEFT_ON)
    for i, note in enumerate(notes, 1):
        svg.text(20, y + 18 * i, note, 13, **LEFT_ON)
    return svg


# The macro step of the diagram: steps of a level are a half of the next coarser level's, or as long.
HALVINGS = (0, 0, 1, 2)
LEFT, LENGTH, ROW, BAR = 150, 760, 92, 40


def march():
    """The steps in their order, as tx_levels_step has them: (level, begin, end, which half), and what is injected when: (level, time)."""
    steps, injected = [], []

    def advance(level, t, dt, half):
        steps.append((level, t, t + dt, half))
        if level + 1 == len(HALVINGS):
            return
        if HALVINGS[level + 1] == HALVINGS[level]:
            advance(level + 1, t, dt, "whole")
        else:
            advance(level + 1, t, dt / 2, "first")
            advance(level + 1, t + dt / 2, dt / 2, "second")
        injected.append((level + 1, t + dt))

    advance(0, 0.0, 1.0, "whole")
    return steps, injected


def time_steps():
    steps, injected = march()
    svg = Svg(LEFT + LENGTH + 30, 80 + ROW * len(HALVINGS) + 84, "Local time steps: a macro step of four refinement levels")
    names = ("coarsest level", "next, same step", "next, half of it", "finest level")
    for level, name in enumerate(names):
        svg.text(16, 92 + ROW * level, name, 14, **LEFT_ON)
    bottom = 60 + ROW * (len(HALVINGS) - 1) + BAR
    for quarter in range(5):
        x = LEFT + LENGTH * quarter / 4
        svg.line(x, 44, x, bottom + 12, "3 4")
        svg.text(x, 36, ("t", "t + Δt/4", "t + Δt/2", "t + 3Δt/4", "t + Δt")[quarter], 14)
    for number, (level, begin, end, half) in enumerate(steps, 1):
        x, y, width = LEFT + LENGTH * begin, 66 + ROW * level, LENGTH * (end - begin)
        svg.rect(x + 2, y, width - 4, BAR, "#cfe2f3")
        svg.text(x + width / 2, y + 26, f"step {number}", 15, **BOLD)
        for stage, place in ((0.0, 16), (0.5, width / 2), (1.0, width - 20)) if level else ():
            known = half == "whole" or (half == "first" and stage == 0.0)
            svg.dot(x + place, y - 13, BLUE if known else "#ffffff")
    for level, time in injected:
        x = LEFT + LENGTH * time - 7
        svg.arrow(x, 66 + ROW * level - 2, x, 66 + ROW * (level - 1) + BAR + 4, RED, 2.5)
    y = bottom + 42
    svg.dot(24, y - 5, BLUE)
    svg.text(38, y, "ghosts at the refinement boundary: a stage state of the coarser level", 14, **LEFT_ON)
    svg.dot(24, y + 19, "#ffffff")
    svg.text(38, y + 24, "the same, interpolated in time: a combination of the coarser step's four stage states and its end", 14, **LEFT_ON)
    svg.arrow(24, y + 56, 24, y + 34, RED, 2.5)
    svg.text(38, y + 48, "injection: coarser points take the values of finer points that coincide", 14, **LEFT_ON)
    return svg


DIAGRAMS = {"layers": layers, "time_steps": time_steps}


def main(words):
    for name, draw in DIAGRAMS.items():
        file, text = FOLDER / f"{name}.svg", str(draw())
        if "--check" not in words:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            print(f"{file.relative_to(ROOT)} is out of date: run dev/diagrams.py", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
