"""Figures of BENCHMARKS.md, from what is kept in docs/benchmarks. A figure carries a digest of the data that it shows."""

import hashlib
import json
from pathlib import Path

from tendex_dev import pictures, roofline
from tendex_dev.benchmarks import Page, measured, published_beside, whole_runs
from tendex_dev.run_scaling import RunSeries
from tendex_dev.scaling_figures import MARKERS, STYLE, ranks_axis, runs_figure
from tendex.waves.pictures.plots import BLUE, COLOURS, GREEN, ORANGE, PINK, RED, plt, style

WIDTH = 7.2  # inches


def throughput_data(page):
    others = (("one_gpu", "RK4 stages, grid of `par/bbh_q1.yaml`, 11 levels, 10 steps", 9.5e6, "grid of bbh_q1, 11 levels"),
              ("one_gpu", "octants of 16³ points: RK4 stages, 9.9M points, 4 levels", 9.9e6, "octants of 16³ points"),
              ("one_gpu", "octants of 16³ points: RK4 stages of order 8 with four ghost points, 9.9M points", 9.9e6,
               "octants of 16³ points, order 8"),
              ("patch", "RK4 stages, 4.9M points, 4 levels", 4.9e6, "through arrays of patches"))
    return {"line": [[row[0], row[2]] for row in page.series["throughput"]["rows"]],
            "others": [[points, measured(page.rows, table, name), label] for table, name, points, label in others]}


def draw_throughput(data):
    fig, ax = plt.subplots(figsize=(WIDTH, 3.8), layout="constrained")
    x, y = zip(*data["line"])
    ax.plot([n / 1e6 for n in x], [rate / 1e9 for rate in y], "o-", color=BLUE, label="octants of 8³ points, 3 to 5 levels")
    for (n, rate, label), marker, colour in zip(data["others"], "sD^v", (RED, GREEN, ORANGE, PINK)):
        ax.plot(n / 1e6, rate / 1e9, marker, color=colour, ms=7, label=label)
    ax.set_xscale("log")
    ticks = (0.2, 0.5, 1, 2, 5, 10, 20)
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
    ax.minorticks_off()
    ax.set(ylim=(0, 1.75), xlabel="points   [$10^6$]", ylabel="RK4 stages   [$10^9$ point-stages/s]")
    ax.legend(fontsize=9, loc="lower center", ncols=2, bbox_to_anchor=(0.5, 1.0))
    return fig


def scaling_data(page):
    def of(kind):
        return [[1, 100.0]] + [[n, 100 * measured(page.rows, "scaling", f"{kind}, {n} GPUs: efficiency")] for n in (2, 4, 8)]

    return [["strong, 10.9M points", of("strong")], ["weak, 1.5M points a GPU", of("weak")]]


def draw_scaling(data):
    fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.9), layout="constrained")
    for i, (label, points) in enumerate(data):
        ranks, efficiency = zip(*points)
        style = {"marker": MARKERS[i], "color": COLOURS[i], "ls": "--" if label.startswith("weak") else "-", "label": label}
        right.plot(ranks, efficiency, **style)
        left.plot(ranks, [n * e / 100 for n, e in points], **style)
    left.plot([1, 8], [1, 8], color="0.5", lw=1, ls=":", zorder=0, label="ideal")
    right.axhline(100, color="0.5", lw=1, ls=":", zorder=0)
    left.set_yscale("log", base=2)
    left.set_yticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    left.set_ylabel("throughput over that of one GPU")
    right.set_ylabel("parallel efficiency   [%]")
    right.set_ylim(50, 112)
    for ax in (left, right):
        ranks_axis(ax, [1, 2, 4, 8], "GPU")
    handles, labels = left.get_legend_handles_labels()
    fig.legend(handles, labels, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=9)
    return fig


def local_scaling_data(page):
    return [[title, s.kind, s.unit, s.rows] for title, s in whole_runs(page)]


def draw_local_scaling(data):
    return runs_figure([(title, RunSeries(kind, unit, rows)) for title, kind, unit, rows in data])


def roofline_data(page):
    s = page.series["stage_kernel"]
    return {"roofs": s["roofs"], "points": s["rows"], "title": f"{s['card'].split(' x ')[1]}, double precision"}


def draw_roofline(data):
    points = [(name, intensity, rate, None if share == "-" else float(share.rstrip("%")) / 100)
              for name, intensity, rate, share in data["points"]]
    return roofline.figure(points, data["roofs"]["triad_gb_per_s"], data["roofs"]["fma_gflop_per_s"], data["title"])


def solution_data(page):
    bars = []
    for p, ours in published_beside(page.rows, page.published):
        bars.append([f"{p['case']}: published, {p['gpus']} {p['card']}", p["gpus"] * p["hours"], "published"])
        bars += [[f"{p['case']}: Tendex, {o['what']}, {o['card']}", o["hours"], o["what"]] for o in ours]
    return bars


def draw_solution(data):
    fig, ax = plt.subplots(figsize=(WIDTH, 0.5 + 0.48 * len(data)), layout="constrained")
    colours = {"published": "0.5", "global time step": BLUE, "local time steps": GREEN}
    for i, (label, hours, kind) in enumerate(data):
        ax.hlines(i, 0.1, hours, color=colours[kind], lw=3)
        ax.plot(hours, i, "o", color=colours[kind], ms=9)
        ax.text(1.3 * hours, i, f"{hours:.3g} h", va="center", fontsize=10)
    ax.set_yticks(range(len(data)), [label for label, _, _ in data])
    ax.set(xscale="log", xlim=(0.1, 2000), xlabel="GPU time of the whole run   [hours]", ylim=(len(data) - 0.5, -0.5))
    ax.grid(axis="y", visible=False)
    return fig


FIGURES = {"throughput": (throughput_data, draw_throughput), "scaling": (scaling_data, draw_scaling),
           "local_scaling": (local_scaling_data, draw_local_scaling),
           "roofline": (roofline_data, draw_roofline), "time_to_solution": (solution_data, draw_solution)}


def digest(page, name):
    """Of the data that a figure shows."""
    return "data " + hashlib.sha256(json.dumps(FIGURES[name][0](page)).encode()).hexdigest()[:16]


def draw_all(folder, names=tuple(FIGURES)):
    page = Page(folder)
    for name in names:
        data, draw = FIGURES[name]
        with style(STYLE):
            fig = draw(data(page))
            pictures.save(fig, Path(folder) / f"{name}.webp", digest(page, name), bbox_inches="tight")
            plt.close(fig)
