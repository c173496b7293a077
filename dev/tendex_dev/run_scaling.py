"""Scaling of whole runs on more and more ranks, with regrids: what their summaries say of steps, regrids and waiting, and of
levels that take time steps of their own."""

from dataclasses import dataclass

from tendex_dev import machine
from tendex_dev.bench_runs import RunError

KINDS = {"run": "strong", "weakrun": "weak"}

# A grid of a weak series that is further off in size or work than this gets a note.
OFF = 0.15


@dataclass
class RunSeries:
    """One problem, or one that grows with the ranks, on more and more ranks. `rows' are plain values, as they are kept in JSON;
    `row_of' has their names."""

    kind: str  # "strong", "weak"
    unit: str  # "GPU" or "rank"
    rows: list
    repeats: int = 1  # of the number of ranks that has most

    @property
    def base(self):
        return self.rows[0]

    def efficiency(self, row, seconds):
        """Point-stages a second and rank, over that on the fewest ranks; `seconds': "steps_s" or "run_s"."""
        def rate(r):
            return r["point_stages"] / (r["ranks"] * r[seconds])
        return rate(row) / rate(self.base)


def row_of(run):
    """What is kept of a run: seconds are those of the evolution, checkpoints left out."""
    data = run.data
    try:
        if not data["complete"]:
            raise RunError(f"{run.path}: the run is not complete: it was ended by {data['ended']}")
        phases, evolution = data["phases"], data["evolution_wall_s"]
        return {"ranks": data["ranks"], "points": data["points_most"], "t": data["t"], "time_step": data["time_step"],
                "macro_step": data["macro_step"], "regrids": data["regrids"], "point_stages": data["point_stages"],
                "run_s": evolution - phases["checkpoint"]["mean_s"], "steps_s": data["step_share"] * evolution,
                "regrid_s": phases["regrid"]["mean_s"], "wait_s": phases["wait"]["mean_s"],
                "checksum": data["field_checksum"], "levels": data["levels"]}
    except KeyError as e:
        raise RunError(f"{run.path}: no {e} in it: is it the summary.json of a run, of this version or a newer one?") from e


def same(rows, key, what):
    """Rows of one series share a value."""
    values = {r["ranks"]: r[key] for r in rows}
    if len(set(values.values())) > 1:
        raise RunError(f"runs of one series have different {what}: " + ", ".join(f"{v} on {n} ranks" for n, v in values.items()))


def check(kind, rows):
    same(rows, "t", "ends [M]")
    same(rows, "macro_step", "macro steps [M]")
    if kind == "strong":
        same(rows, "points", "numbers of points")
        same(rows, "checksum", "checksums of the last state")
    if not all(r["steps_s"] > 0 for r in rows):
        raise RunError("a run of the series took no time step")


def fastest(rows):
    """The fastest of repeats, which must have computed the same."""
    same([{**r, "ranks": f"repeat {i} on {r['ranks']}"} for i, r in enumerate(rows)], "checksum", "checksums of the last state")
    return min(rows, key=lambda r: r["run_s"])


def series_of(runs):
    """The series of whole runs, strong first."""
    found = []
    for kind, name in KINDS.items():
        members = [r for r in runs if r.kind == kind]
        if not members:
            continue
        for values, what in (({r.data.get("code_version") for r in members}, "versions"),
                             ({machine.card(r.data) for r in members}, "cards")):
            if len(values) > 1:
                raise RunError(f"runs of different {what} in one series: {', '.join(map(str, values))}; keep them in folders of "
                               "their own")
        by_ranks = {}
        for r in members:
            by_ranks.setdefault(r.ranks, []).append(row_of(r))
        rows = [fastest(group) for _, group in sorted(by_ranks.items())]
        check(name, rows)
        unit = "rank" if members[0].data.get("backend") == "cpu" else "GPU"
        found.append(RunSeries(name, unit, rows, max(map(len, by_ranks.values()))))
    return found


def macro_steps(row):
    return round(row["t"] / row["macro_step"])


def work(row):
    """Point-stages of a macro step and rank."""
    return row["point_stages"] / macro_steps(row) / row["ranks"]


def percent(x):
    return f"{100 * x:.1f}%"


def rows_of_table(s):
    """(head, rows) of seconds and efficiencies."""
    weak = s.kind == "weak"
    head = [f"{s.unit}s", *([f"points a {s.unit}", f"point-stages of a macro step and {s.unit}"] if weak else []), "run [s]",
            "run [s/M]", "RK4 steps [s]", "regrids [s]", "waiting for other ranks [s]", "efficiency of the steps",
            "efficiency of the run"]
    rows = []
    for r in s.rows:
        row = [str(r["ranks"]), *([f"{r['points'] / r['ranks']:,.0f}", f"{work(r):.3e}"] if weak else [])]
        row += [f"{x:.3g}" for x in (r["run_s"], r["run_s"] / r["t"], r["steps_s"], r["regrid_s"], r["wait_s"])]
        row += ["-", "-"] if r is s.base else [percent(s.efficiency(r, k)) for k in ("steps_s", "run_s")]
        rows.append(row)
    return head, rows


def levels_of(row):
    """[(level, octants with covered ones, steps of a macro step)], coarsest first, on the grid at the end of a run. Every octant that
    has finer ones below it, eight each, is covered."""
    counts = {int(level): n for level, n in row["levels"].items()}
    finest, longest = max(counts), row["macro_step"] / row["time_step"]
    found, finer = [], 0
    for level in range(finest, min(counts) - 1, -1):
        nodes = counts.get(level, 0) + finer // 8
        found.append((level, nodes, max(1, round(longest / 2 ** (finest - level)))))
        finer = nodes
    return found[::-1]


def rows_of_levels(s):
    """(head, rows): octants a rank and share of the point-stages, level by level."""
    rows = [levels_of(r) for r in s.rows]
    base = {level: nodes * steps for level, nodes, steps in rows[0]}
    head = ["level", "steps of a macro step", "share of the point-stages",
            *(f"octants a {s.unit}, {r['ranks']} {s.unit}{'s' if r['ranks'] > 1 else ''}" for r in s.rows)]
    table = []
    for level, _, steps in rows[0]:
        nodes = [dict((n, count) for n, count, _ in row).get(level, 0) / r["ranks"] for row, r in zip(rows, s.rows)]
        table.append([str(level), str(steps), percent(base[level] / sum(base.values())), *(f"{n:,.0f}" for n in nodes)])
    return head, table


def of_levels(s):
    """Do levels take time steps of their own?"""
    return s.base["macro_step"] > s.base["time_step"]


def about(s):
    """What was run, in a sentence or two."""
    r, n = s.base, macro_steps(s.base)
    what = f"{n} {'macro ' if of_levels(s) else ''}step{'s' if n != 1 else ''} to t = {r['t']:g} M"
    if s.kind == "weak":
        return f"{what}; the problem grows with the {s.unit}s."
    return (f"{what}, {r['regrids']} regrid{'s' if r['regrids'] != 1 else ''} that changed the grid, {r['points']:,} points. "
            f"Checksum of the last state on all: {r['checksum']}.")


def notes(s):
    """Grids of a weak series that are not the size, or the work, of the first one."""
    if s.kind != "weak":
        return []
    found = []
    for r in s.rows[1:]:
        for name, of in (("points", lambda row: row["points"] / row["ranks"]), ("point-stages of a macro step", work)):
            off = of(r) / of(s.base) - 1
            if abs(off) > OFF:
                found.append(f"on {r['ranks']} {s.unit}s there are {100 * abs(off):.0f}% {'more' if off > 0 else 'fewer'} {name} "
                             f"a {s.unit} than on {s.base['ranks']}; efficiencies are by point-stages and count that")
    return found


def kept(s):
    """For JSON."""
    rows = [{**r, "efficiency_of_steps": s.efficiency(r, "steps_s"), "efficiency_of_run": s.efficiency(r, "run_s")} for r in s.rows]
    return {"kind": s.kind, "unit": s.unit, "rows": rows}
