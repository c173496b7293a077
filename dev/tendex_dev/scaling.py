"""What a series of runs on more and more ranks says: rates, efficiencies, shares; tables of them."""

import csv
import io
from dataclasses import dataclass, field

from tendex_dev import machine, run_scaling
from tendex_dev.bench_runs import RunError, is_run

STAGES = 4  # of a Runge-Kutta step

# Pieces of a stage that, each measured on its own, make it up.
PIECES = {"ghosts": "ghosts: exchange, interpolation", "stage": "right-hand side, boundary, update"}


@dataclass
class Point:
    """The fastest of the repeats on one number of ranks."""

    ranks: int
    points: int
    octants: int
    seconds: float  # of a step
    slowest_s: float  # of the repeats' steps
    repeats: int
    rate: float  # point-stages/s, all ranks
    kernels: dict  # {name: seconds a call}
    bytes_per_point: float  # of GPUs
    efficiency: float = 1.0

    @property
    def rate_of_rank(self):
        return self.rate / self.ranks


def rounded(n):
    return f"{n / 1e6:.3g}M" if n >= 1e6 else f"{n / 1e3:.3g}k"


@dataclass
class Series:
    """One grid, or one size a rank, in one pipeline on more and more ranks."""

    kind: str  # "strong", "weak"
    pipeline: str
    asked: int  # points in all, or a rank; 0: those of the parameter file
    machine: str
    unit: str  # "GPU" or "rank"
    points: list = field(default_factory=list)

    @property
    def size(self):
        if self.kind == "weak":
            return f"{rounded(self.asked)} points a {self.unit}"
        return f"{rounded(self.points[0].points)} points"

    @property
    def label(self):
        return self.size if self.pipeline == "cpu" else f"{self.pipeline}, {self.size}"

    @property
    def base(self):
        return self.points[0]


def machine_of(data):
    return f"{machine.card(data)} of {data['machine']}" if data.get("device") else data["machine"]


def best_of(kind, ranks, found):
    """The fastest of repeats, [(run, pipeline's part)]. They must be of one grid."""
    grids = {(r.data["points"], r.data["octants"]) for r, _ in found}
    if len(grids) > 1:
        raise RunError(f"{kind}, {ranks} ranks: repeats are of different grids: {sorted(grids)} points, octants")
    steps = [p["rk4_step"]["seconds"] for _, p in found]
    run, part = found[steps.index(min(steps))]
    return Point(ranks, run.data["points"], run.data["octants"], min(steps), max(steps), len(steps),
                 part["rk4_step"]["point_stages_per_s"], {k["name"]: k["seconds"] for k in part["kernels"]},
                 part.get("device_bytes_per_point", 0.0))


def one_of_each(runs, key, what):
    """The value that all runs share."""
    values = {machine.card(r.data) if key == "device" else r.data[key] for r in runs}
    if len(values) > 1:
        raise RunError(f"runs of different {what} in one series: {', '.join(map(str, values))}; keep them in folders "
                       "of their own")


def series_of(runs):
    """All series of the benches among the runs."""
    benches = [r for r in runs if not is_run(r.kind)]
    found = {}
    for r in benches:
        asked = r.points_asked // r.ranks if r.kind == "weak" else r.points_asked
        for part in r.data["pipelines"]:
            found.setdefault((r.kind, asked, part["pipeline"]), {}).setdefault(r.ranks, []).append((r, part))
    out = []
    for (kind, asked, pipeline), by_ranks in sorted(found.items()):
        members = [r for group in by_ranks.values() for r, _ in group]
        for key, what in (("code_version", "versions"), ("octant_points", "sizes of octants"), ("device", "cards")):
            one_of_each(members, key, what)
        first = members[0].data
        s = Series(kind, pipeline, asked, machine_of(first), "rank" if first["backend"] == "cpu" else "GPU")
        s.points = [best_of(kind, ranks, group) for ranks, group in sorted(by_ranks.items())]
        if kind == "strong" and len({p.points for p in s.points}) > 1:
            raise RunError("the grids of a strong series differ: "
                           + ", ".join(f"{p.points} points on {p.ranks} ranks" for p in s.points))
        for p in s.points:
            p.efficiency = p.rate_of_rank / s.base.rate_of_rank
        out.append(s)
    return out


@dataclass
class Shares:
    """Where the time of a run went."""

    ranks: int
    seconds: dict  # {phase: seconds}, mean over ranks; on a GPU those in which it worked on it
    wall_s: float
    step_share: float
    idle_share: float  # of GPUs; 0 on CPUs


def shares_of(runs):
    """Of the runs of one problem, by ranks: the one that took least."""
    best = {}
    for r in runs:
        if r.kind == "run" and (r.ranks not in best or r.data["wall_s"] < best[r.ranks].data["wall_s"]):
            best[r.ranks] = r
    out = []
    for ranks, r in sorted(best.items()):
        gpu = r.data["backend"] != "cpu"
        seconds = {k: v["device_s" if gpu else "mean_s"] for k, v in r.data["phases"].items()}
        out.append(Shares(ranks, {k: s for k, s in seconds.items() if s > 0}, r.data["wall_s"],
                          r.data.get("step_share"), r.data.get("device_idle_share", 0.0)))
    return out


def percent(x):
    return f"{100 * x:.1f} %"


def markdown_table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join("---:" for _ in head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(r) + " |" for r in rows])


def series_rows(s):
    head = [f"{s.unit}s", "points", "octants", "s a step", "slowest of repeats", "point-stages/s", f"a {s.unit}"]
    if s.kind == "strong":
        head.append("speed-up")
    head.append("efficiency")
    rows = []
    for p in s.points:
        slowest = f"{p.slowest_s:.4g} ({p.repeats})" if p.repeats > 1 else "-"
        row = [str(p.ranks), f"{p.points:,}", f"{p.octants:,}", f"{p.seconds:.4g}", slowest, f"{p.rate:.3e}",
               f"{p.rate_of_rank:.3e}"]
        if s.kind == "strong":
            row.append(f"{s.base.seconds / p.seconds:.2f}")
        rows.append([*row, percent(p.efficiency)])
    return head, rows


def measured_in_pieces(series):
    """Those whose stages were measured in pieces: not where levels take steps of their own."""
    return [s for s in series if s.base.kernels]


def pieces_rows(s):
    """Milliseconds of a call of each piece, and the share of a step of those that make it up."""
    names = [n for n in s.base.kernels]
    head = [f"{s.unit}s", *(f"{n.replace('_', ' ')}, ms" for n in names), "stage of a step, ms"]
    head += [f"{n} / step" for n in PIECES if n in names]
    rows = []
    for p in s.points:
        row = [str(p.ranks), *(f"{1e3 * p.kernels[n]:.4g}" for n in names), f"{1e3 * p.seconds / STAGES:.4g}"]
        rows.append(row + [percent(STAGES * p.kernels[n] / p.seconds) for n in PIECES if n in names])
    return head, rows


def shares_rows(shares):
    names = phases(shares)
    head = ["ranks", "wall s", *names, "RK4 steps"]
    gpu = any(s.idle_share for s in shares)
    if gpu:
        head.append("GPU idle")
    rows = []
    for s in shares:
        row = [str(s.ranks), f"{s.wall_s:.2f}"]
        row += [percent(s.seconds.get(n, 0.0) / s.wall_s) for n in names]
        row.append("-" if s.step_share is None else percent(s.step_share))
        rows.append(row + ([percent(s.idle_share)] if gpu else []))
    return head, rows


def phases(shares):
    """Phases with any time, those with most of it first."""
    total = {}
    for s in shares:
        for name, seconds in s.seconds.items():
            total[name] = total.get(name, 0.0) + seconds / s.wall_s
    return sorted(total, key=lambda n: (n == "other", -total[n]))


TITLES = {"strong": "Strong scaling", "weak": "Weak scaling"}


# A weak series means something only if grids are about as large as they should be.
SIZE_OFF = 0.15


def notes(s):
    """What is to be known of a series."""
    if s.kind != "weak" or not s.asked:
        return []
    return [f"on {p.ranks} {s.unit}s the grid has {p.points / p.ranks:,.0f} points a {s.unit} where {s.asked:,} were "
            "asked for; rates and efficiency are those of the grid as it is"
            for p in s.points if abs(p.points / p.ranks / s.asked - 1) > SIZE_OFF]


def markdown_of_runs(whole):
    """Of series of whole runs."""
    out = []
    for s in whole:
        out += [f"### {TITLES[s.kind]}", "", run_scaling.about(s), "", markdown_table(*run_scaling.rows_of_table(s)), ""]
        out += [f"Note: {n}.\n" for n in run_scaling.notes(s)]
        if run_scaling.of_levels(s):
            out += ["Levels at the end, with the octants that finer levels cover:", "",
                    markdown_table(*run_scaling.rows_of_levels(s)), ""]
    return out


def markdown(series, shares, runs, pictures):
    """The report; `pictures`: {"strong": file name, ...}, those that there are."""
    whole = run_scaling.series_of(runs)

    def picture(name, text):
        return [f"![{text}]({pictures[name]})", ""] if name in pictures else []

    out = ["# Scaling", ""]
    made = sorted({machine_of(r.data) for r in runs})
    versions = sorted({f"{r.data['code_version']} ({r.data['build']})" for r in runs})
    days = sorted({r.date[:10] for r in runs})
    out += [f"Measured {' to '.join(dict.fromkeys((days[0], days[-1])))}, version "
            f"{', '.join(versions)}, on {'; '.join(made)}.", "",
            "A step is one of RK4, four stages, with local time steps of levels a macro step; every owned point counts once "
            "a stage. The fastest of the repeats counts. Efficiency is the rate of a rank over that on the fewest ranks.", ""]
    for kind, title in TITLES.items():
        chosen = [s for s in series if s.kind == kind]
        if not chosen:
            continue
        out += [f"## {title}", "", *picture(kind, title)]
        for s in chosen:
            out += [f"{s.label}:", "", markdown_table(*series_rows(s)), "", *(f"Note: {n}.\n" for n in notes(s))]
    if series:
        out += picture("rates", "Rates")
    if pieces := measured_in_pieces(series):
        out += ["## Pieces of a stage", "",
                "Each measured on its own, so that nothing overlaps: together they may take longer than a stage of a "
                "step.", "", *picture("pieces", "Pieces of a stage")]
        for s in pieces:
            out += [f"{TITLES[s.kind]}, {s.label}:", "", markdown_table(*pieces_rows(s)), ""]
    if whole:
        out += ["## Whole runs", "",
                "From the first step to the last, with regrids, without checkpoints. On GPUs steps are the time in which a GPU "
                "works on them; hosts regrid, and wait for other ranks, beside that.", "", *picture("runs", "Whole runs"),
                *markdown_of_runs(whole)]
    if shares:
        out += ["## Phases of a run", "", *picture("phases", "Phases of a run"),
                markdown_table(*shares_rows(shares)), ""]
    out += ["## Commands", "", "```"]
    out += sorted({" ".join(r.command) for r in runs}) + ["```", ""]
    return "\n".join(out)


def csv_text(series):
    out = io.StringIO()
    w = csv.writer(out, lineterminator="\n")
    names = sorted({n for s in series for p in s.points for n in p.kernels})
    w.writerow(["series", "pipeline", "points_asked", "ranks", "points", "octants", "step_s", "step_slowest_s",
                "repeats", "point_stages_per_s", "point_stages_per_s_per_rank", "efficiency",
                "device_bytes_per_point", *(f"{n}_s" for n in names)])
    for s in series:
        for p in s.points:
            w.writerow([s.kind, s.pipeline, s.asked, p.ranks, p.points, p.octants, p.seconds, p.slowest_s, p.repeats,
                        p.rate, p.rate_of_rank, p.efficiency, p.bytes_per_point,
                        *(p.kernels.get(n, "") for n in names)])
    return out.getvalue()


def as_json(series, shares, runs, commands):
    """Everything, for other programs; `commands`: those that made all this."""
    first = runs[0].data
    out = {"date": max(r.date for r in runs), "machine": first["machine"], "device": first.get("device"),
           "backend": first["backend"], "code_version": first["code_version"], "commands": commands,
           "series": [], "phases": []}
    for s in series:
        out["series"].append({"name": f"{s.kind}-{s.pipeline}-{s.asked}", "kind": s.kind, "pipeline": s.pipeline,
                              "points_asked": s.asked, "machine": s.machine,
                              "ranks": {str(p.ranks): {"points": p.points, "octants": p.octants,
                                                       "step_s": p.seconds, "point_stages_per_s": p.rate,
                                                       "point_stages_per_s_per_rank": p.rate_of_rank,
                                                       "efficiency": p.efficiency, "kernels_s": p.kernels}
                                        for p in s.points}})
    for s in shares:
        out["phases"].append({"ranks": s.ranks, "wall_s": s.wall_s, "seconds": s.seconds, "step_share": s.step_share,
                              "device_idle_share": s.idle_share})
    out["runs"] = [run_scaling.kept(s) for s in run_scaling.series_of(runs)]
    return out
