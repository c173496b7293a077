"""Do bounds of the error hold? Of kept series those from coarser runs, beside a finer run."""

from dataclasses import dataclass

import numpy as np

from tendex.waves.comparison import bound, budget, resolutions
from tendex.waves.signal.modes import WaveError

# Runs of each case, and the run that is taken for the truth.
CASES = (
    (("q1_32", "q1_38"), "q1_45"), (("q1_38", "q1_45"), "q1_51s"), (("q1_38", "q1_45w"), "q1_51s"), (("q1_low", "q1_med"), "q1_high"),
    (("q2_low", "q2_med"), "q2_high"), (("qc0_low", "qc0_med"), "qc0_high"), (("r1_low", "r1_med"), "r1_high"),
    (("chi6_coarse", "chi6_t5"), "chi6_standard"), (("precessing_t45", "precessing_t5"), "precessing_t55"),
    (("q124_coarse", "q124_standard"), "q124_core"), (("q2_o3c", "q2_o3_t5"), "q2_o3s"), (("q4_o6_t3", "q4_o6"), "q4_o6_t5"),
    (("q1_o10_e4_t5", "q1_o10_e4_t6"), "q1_o10_core5"), (("q1_o10_t5", "q1_o10"), "q1_o10_core5"), (("q1_o10", "q1_o10_t7"), "q1_o10_core5"),
    (("q1_32", "q1_38", "q1_45"), "q1_51s"), (("q1_o10_t5", "q1_o10", "q1_o10_t7"), "q1_o10_core5"),
)
LIGHT_KM_S = 299792.458
STILL = 1.0  # km/s: kicks of symmetric binaries are noise
NUMBERS = ("M_f", "a_f/M_f", "E", "J", "kick", "merger")
HEAD = "| bound from | beside | (2,2) phase at the merger | largest before | times within | modes within | M_f | a_f/M_f | E | J | kick | merger |"


@dataclass(frozen=True)
class Waves:
    """Of the modes that all runs have; difference over bound."""

    at_merger: float  # of (2,2)
    largest: float  # of (2,2) until then
    within: float  # part of the times until then
    modes: dict  # {((l, m), amplitude or phase): part of the times}


def of_waves(shelf, names, truth):
    """The Waves of kept runs, whose phases are bounded by the numerical part alone, amplitudes by the total; None where they are not kept."""
    series = [shelf.series(name) for name in (*names, truth)]
    if None in series:
        return None
    h = [shelf.numbers(name)["run"]["finest_spacing"] for name in names]
    start, waves = max(s.reference for s in series), [s.strain for s in series]
    shared = [lm for lm in waves[0].modes if all(lm in w.modes for w in waves)]
    laid = resolutions.lay(waves, start, shared)
    cut = resolutions.Laid(laid.peak, *({lm: (t, a[:-1], p[:-1]) for lm, (t, a, p) in group.items()} for group in (laid.before, laid.after)),
                           laid.shifts)
    errors = series[-2].errors

    def others(lm, t):
        u, *rows = errors[lm]
        return {"extraction": tuple(np.interp(t, u, row) for row in rows), "integration": (np.zeros(len(t)),) * 2}
    modes = budget.of_modes(h, cut, others)
    found = {}
    for lm, one in modes.items():
        t, sizes, phases = laid.before[lm]
        before = t <= laid.peak
        off = {"phase": np.abs(phases[-2] - phases[-1]) / one.unaligned.phase.numerical,
               "amplitude": np.abs(sizes[-2] - sizes[-1]) / sizes[-2] / one.unaligned.amplitude.total}
        found |= {(lm, what): ratio[before] for what, ratio in off.items()}
    first = found[(2, 2), "phase"]
    return Waves(float(first[-1]), float(first.max()), float(np.mean(first <= 1)), {key: float(np.mean(r <= 1)) for key, r in found.items()})


def numbers_of(shelf, name):
    """{name of NUMBERS: (value, error of measuring it)} of a kept run."""
    found = shelf.numbers(name)["remnant"]
    gone, unsure, hole = found["radiated"]["value"], found["radiated"]["error"], found["horizon"]
    spread = {key: hole[key]["deviation"] + abs(hole[key]["drift"]) for key in ("mass", "chi")}
    length = lambda v: float(np.linalg.norm(v))
    return {"M_f": (hole["mass"]["value"], spread["mass"]), "a_f/M_f": (hole["chi"]["value"], spread["chi"]),
            "E": (gone["E"], unsure["E"]), "J": (length(gone["J"]), length(unsure["J"])),
            "kick": (length(gone["kick_km_s"]), length(unsure["kick_km_s"])), "merger": (found["peak"]["strain"]["time_over_M"], 0.0)}


def of_numbers(shelf, names, truth):
    """{name of NUMBERS: difference over bound, measuring included} of kept runs."""
    h = [shelf.numbers(name)["run"]["finest_spacing"] for name in names]
    runs, best = [numbers_of(shelf, name) for name in names], numbers_of(shelf, truth)
    found = {}
    for key in NUMBERS:
        values = [run[key][0] for run in runs]
        if key == "kick" and best[key][0] < STILL:
            continue
        stated = bound.number(h, values).bound
        if key == "merger" and (delayed := of_merger(shelf, names, h, values)) is not None:
            stated = delayed
        found[key] = abs(values[-1] - best[key][0]) / (stated + runs[-1][key][1] + 1e-300)
    return found


def of_merger(shelf, names, h, times):
    """The bound of the time of the merger from the waves, where they are kept; else None."""
    series = [shelf.series(name) for name in names]
    if None in series:
        return None
    laid = resolutions.lay([s.strain for s in series], max(s.reference for s in series), [(2, 2)])
    return budget.merger(h, laid, times).bound


def rows(shelf):
    """[(names, truth, Waves or None, {name: ratio})]"""
    found = []
    for names, truth in CASES:
        try:
            waves = of_waves(shelf, names, truth)
        except WaveError:
            waves = None
        found.append((names, truth, waves, of_numbers(shelf, names, truth)))
    return found


def hits(made):
    """{what: (held, of all)}: (2,2) phases at 95% of the times until the merger and at it; amplitudes and phases of modes at 95% of them; numbers."""
    waves = [w for _, _, w, _ in made if w]
    modes = [part for w in waves for part in w.modes.values()]
    numbers = [ratio for *_, found in made for ratio in found.values()]
    return {"phase": (sum(w.within >= 0.95 and w.at_merger <= 1 for w in waves), len(waves)),
            "modes": (sum(part >= 0.95 for part in modes), len(modes)), "numbers": (sum(ratio <= 1 for ratio in numbers), len(numbers))}


def table(shelf):
    """Lines of the table: differences over bounds; misses are bold."""
    def cell(ratio):
        if ratio is None:
            return ""
        text = f"{ratio:.2f}"
        return f"**{text}**" if ratio > 1 else text
    lines = [HEAD, "|" + "---|" * 12]
    made = rows(shelf)
    for names, truth, waves, found in made:
        of_modes = ""
        if waves:
            held = sum(part >= 0.95 for part in waves.modes.values())
            of_modes = f"{held} of {len(waves.modes)}"
        parts = [", ".join(names), truth, cell(waves and waves.at_merger), cell(waves and waves.largest), f"{100 * waves.within:.0f}%" if waves else "",
                 of_modes, *(cell(found.get(key)) for key in NUMBERS)]
        lines.append("| " + " | ".join(parts) + " |")
    return [*lines, "", "Held: " + "; ".join(f"{a} of {b} {what}" for what, (a, b) in hits(made).items()) + "."]
