"""Figures of docs/studies/elliptic.md, from runs as dev/study.py keeps them."""

from tendex_dev import pictures, study
from tendex_dev.scaling_figures import MARKERS, STYLE
from tendex.waves.pictures.plots import COLOURS, plt, style

ORDER = ("multigrid", "fgmres", "cg", "ruge_stuben", "smoothed_aggregation")


def _lines(ax, runs, x, y):
    """A line for each method and machine."""
    machines = study.machines(runs)
    for machine in machines:
        for method in ORDER:
            picked = sorted((r for r in runs if r["method"] == method and r["machine"] == machine), key=x)
            if not picked:
                continue
            name = study.METHODS[method] + (f", {machine}" if len(machines) > 1 else "")
            i = ORDER.index(method)
            ax.plot([x(r) for r in picked], [y(r) for r in picked], marker=MARKERS[i], color=COLOURS[i], label=name,
                    ls=("-", "--", ":")[machines.index(machine) % 3])


def iterations(run):
    return run.get("iterations", run.get("cycles"))


def draw_iterations(runs, folder):
    """Iterations to 1e-10 over the points a side, and over the finest level."""
    with style(STYLE):
        fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
        box = [r for r in runs if r["order"] == 6 and (r.get("grid") == "box" or r["bench"] == "amg")]
        _lines(left, box, study.side, iterations)
        left.set_xscale("log", base=2)
        sides = sorted({study.side(r) for r in box})
        left.set_xticks(sides, [f"{n}³" for n in sides])
        left.minorticks_off()
        left.set_xlabel("points of a uniform periodic grid")
        left.set_ylabel("iterations to 1e-10")
        left.legend(fontsize=8, handlelength=4)
        _lines(right, study.levels_of(runs), lambda r: r["levels"] - 1, iterations)
        right.set_xlabel("finest refinement level round two punctures")
        right.set_ylim(0, 1.15 * max(iterations(r) for r in box))
        right.legend(fontsize=8, handlelength=4)
        fig.suptitle("Multigrid: iterations do not grow with the problem", x=0.01, ha="left")
        pictures.save(fig, folder / "elliptic_iterations.webp", study.KEPT)
        plt.close(fig)


def draw_methods(runs, folder):
    """Residual over evaluations and seconds: relaxation beside multigrid, on the largest grid of each machine."""
    with style(STYLE):
        fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
        pairs = {pair[0]["machine"]: pair for pair in study.relaxation_pairs(runs)}
        for i, (machine, pair) in enumerate(pairs.items()):
            for run in pair:
                residual, _, *work = zip(*study.reached(run))
                slow = run["method"] == "relaxation"
                for ax, x in zip(axes, work):
                    ax.loglog(x, residual, marker=MARKERS[int(slow)], color=COLOURS[int(slow)], ls=("-", "--", ":")[i % 3],
                              label=f"{study.METHODS[run['method']]}, {machine}, {run['points'] / 1e6:.2g}M points")
        axes[0].set_xlabel("evaluations of the operator a point")
        axes[1].set_xlabel("seconds")
        axes[0].set_ylabel("residual / that of u = 0")
        axes[0].legend(fontsize=8, handlelength=4)
        fig.suptitle("Hyperbolic relaxation beside multigrid", x=0.01, ha="left")
        pictures.save(fig, folder / "elliptic_relaxation.webp", study.KEPT)
        plt.close(fig)


def draw(runs, folder):
    draw_iterations(runs, folder)
    draw_methods(runs, folder)
