"""Hardware counters of kernels by NVIDIA's Nsight Compute: which to ask for, how, and what it answered."""

import csv
import re
from dataclasses import dataclass, field

from tendex.base.files import read_text

DURATION = "gpu__time_duration.sum"
# How busy a part of the GPU is, per cent of its peak.
PIPES = {
    "L1/shared": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "FP64": "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active",
    "LSU": "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
    "ALU": "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
    "L2": "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    "DRAM": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
}
OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"
# Why warps wait: of those in flight how many do for this reason, for each instruction that is issued.
REASONS = ("barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle", "long_scoreboard",
           "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction", "not_selected", "short_scoreboard",
           "sleeping", "tex_throttle", "wait")
STALLS = {reason: f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio" for reason in REASONS}
# What was moved, and what the same instructions would have moved at best.
EXCESS = {
    "shared": ("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"),
    "global": ("memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal"),
}
METRICS = [DURATION, OCCUPANCY, *PIPES.values(), *STALLS.values(), *(name for pair in EXCESS.values() for name in pair)]
UNITS = {"": 1e-9, "ns": 1e-9, "nsecond": 1e-9, "us": 1e-6, "usecond": 1e-6, "ms": 1e-3, "msecond": 1e-3, "s": 1.0,
         "second": 1.0}


class CountersError(Exception):
    """ncu's answer cannot be read."""


@dataclass
class Counters:
    """Of all launches of a kernel that were looked at; means are weighted with their times."""

    launches: int = 0
    seconds: float = 0.0
    pipes: dict = field(default_factory=dict)  # {part: per cent busy}
    occupancy: float = None  # per cent
    stalls: dict = field(default_factory=dict)  # {reason: warps}
    excess: dict = field(default_factory=dict)  # {"shared", "global": share beyond the least possible}


def command(ncu, kernels, launches, out, program):
    """The command that has ncu look at the first `launches` launches of these kernels of a program, and write to `out`."""
    return [ncu, "--clock-control", "none", "--target-processes", "all", "--kernel-name-base", "function", "--kernel-name",
            f"regex:^({'|'.join(map(re.escape, kernels))})$", "--launch-count", str(launches), "--metrics",
            ",".join(METRICS), "--csv", "--page", "raw", "--print-units", "base", "--log-file", str(out), *program]


def kernel_name(text):
    """`void <unnamed>::kernel<2, T>(int)' is kernel."""
    text = re.sub(r"\(anonymous namespace\)::|<unnamed>::", "", text)
    while re.search(r"<[^<>]*>", text):
        text = re.sub(r"<[^<>]*>", "", text)
    name = text.split("(")[0].split()
    if not name:
        raise CountersError("a row has no name of a kernel")
    return name[-1].split("::")[-1]


def number(text):
    """A number as ncu writes it, or None where there is none."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def rows_of(text):
    """Names of the columns, their units, and the launches as lists."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = [row for row in csv.reader(lines) if row]
    start = next((i for i, row in enumerate(rows) if "Kernel Name" in row), None)
    if start is None:
        said = next((line for line in text.splitlines() if line.startswith("==ERROR==")), None)
        raise CountersError(said.replace("==ERROR== ", "ncu says: ") if said else "there is no column 'Kernel Name'")
    names, rest = rows[start], rows[start + 1:]
    if any(len(row) != len(names) for row in rest):
        raise CountersError("rows of different lengths; it was cut off, or is not CSV of ncu's page 'raw'")
    at = names.index("Kernel Name")
    units = rest.pop(0) if rest and not rest[0][at] else [""] * len(names)
    if not rest:
        raise CountersError("no kernel was looked at")
    if DURATION not in names:
        raise CountersError(f"there is no column '{DURATION}'; ask ncu for it with --metrics and --page raw")
    return names, units, rest


def mean(launches, metric):
    """Weighted with the times of the launches; None where no launch has it."""
    known = [(row["seconds"], row[metric]) for row in launches if row.get(metric) is not None]
    weight = sum(seconds for seconds, _ in known)
    return sum(seconds * value for seconds, value in known) / weight if weight > 0 else None


def excess(launches, actual, ideal):
    known = [(row[actual], row[ideal]) for row in launches if None not in (row.get(actual), row.get(ideal))]
    least = sum(pair[1] for pair in known)
    return sum(pair[0] for pair in known) / least - 1.0 if least > 0 else None


def present(values):
    return {name: value for name, value in values.items() if value is not None}


def parse(text):
    """{kernel: Counters} of what `ncu --csv --page raw' wrote, with or without what the program said meanwhile."""
    names, units, rows = rows_of(text)
    unit = units[names.index(DURATION)]
    if unit not in UNITS:
        raise CountersError(f"the unit '{unit}' of {DURATION} is not known")
    kernels = {}
    for row in rows:
        launch = {name: number(value) for name, value in zip(names, row)}
        launch["seconds"] = (launch[DURATION] or 0.0) * UNITS[unit]
        kernels.setdefault(kernel_name(row[names.index("Kernel Name")]), []).append(launch)
    return {name: Counters(launches=len(of), seconds=sum(launch["seconds"] for launch in of),
                           pipes=present({part: mean(of, metric) for part, metric in PIPES.items()}),
                           occupancy=mean(of, OCCUPANCY),
                           stalls=present({reason: mean(of, metric) for reason, metric in STALLS.items()}),
                           excess=present({what: excess(of, *pair) for what, pair in EXCESS.items()}))
            for name, of in kernels.items()}


def read(file):
    """The same of a file, whose name the CountersError has."""
    text = read_text(file, CountersError, errors="replace")
    try:
        return parse(text)
    except CountersError as e:
        raise CountersError(f"{file}: {e}") from e
