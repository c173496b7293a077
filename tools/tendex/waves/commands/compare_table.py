"""The table of `tendex-waves compare'."""

from tendex.waves.comparison import difference, mismatch

# Names of the mismatches without a detector: weights 1, w^2, w^4.
PLAIN = ("flat", "news", "psi4")
# Times of the differences that are printed, M from the peak: before it these and their tenfolds, and after it.
DIGITS, AFTER = (1, 2, 3, 5, 7), (10.0, 20.0, 30.0, 50.0)
MOST_TIMES = 16


def round_times(first, last):
    """Round times from the first to the last, more of them near 0."""
    steps = sorted(digit * 10.0**power for digit in DIGITS for power in range(1, 6))
    before = [-x for x in reversed(steps) if first <= -x]
    before = before[len(before) % 2::2] if len(before) > MOST_TIMES else before
    return before + [t for t in (0.0, *AFTER) if first <= t <= last] or [first]


def text(found, numbers, curve):
    """All lines of a Comparison."""
    lines = [f"note on {which}: {note}" for which, e in zip("AB", found.entries) for note in e.notes]
    lines += [f"{which}  {numbers[key]['path']}: {numbers[key]['format']}; M = {numbers[key]['mass']:.8g}, {numbers[key]['unit']}"
              for which, key in ("Aa", "Bb")]
    lines += found.notes
    lines += [*_alignment(found, numbers), f"compared from {found.start:.1f} M; t = 0 at A's peak",
              *_orientation(found.axes), *_spins(numbers), ""]
    lines += ["mode   part         from       to   |dA/A| max       rms   |dphi| max       rms   (rad)"]
    for lm, values in numbers["modes"].items():
        lines += _parts(lm, values)
    lines.append("")
    for lm, values in numbers["modes"].items():
        lines += _over_time(lm, values)
    return "\n".join(lines + [""] + _mismatches(numbers, curve))


def _alignment(found, numbers):
    """[how B was aligned, and what that is worth]"""
    n, how, w = numbers["alignment"], found.how, found.window
    moved = f"times {n['dt']:+.6g} M, modes times exp(i m {n['dphi']:.6g})"
    if how == ["none"]:
        return ["B not aligned: times of both are the same"]
    if how == ["peak"]:
        return ([w.why] if w else []) + [f"B aligned with A (peak): {moved}; a single alignment, of which the error is not known"]
    lines = [f"B aligned with A (window {round(w.first, 1):g} {round(w.last, 1):g}{', proposed' if n['proposed'] else ''}): {moved}"]
    if n["proposed"]:
        lines.append(f"  {w.cycles:.1f} cycles; {w.why}")
    windows = n.get("windows", [])[1:]
    if windows:
        lines.append("  again in " + ", ".join(f"{x['first']:.1f} to {x['last']:.1f}" for x in windows) +
                     f" M: shifts differ by up to {n['dt_error']:.2g} M; `+-' is the largest difference of these from the first")
    else:
        lines.append("  the window is too short for others in it: the error of the comparison is not known")
    return lines


def _orientation(axes):
    """[what the table says of axes]"""
    if axes.a is None:
        return []
    a, b = ("(" + ", ".join(f"{c:.4f}" for c in axis) + ")" for axis in (axes.a, axes.b))
    return [f"modes and inclinations about the radiation axis from {axes.first:.1f} to {axes.last:.1f} M: A's {a}, B's {b}"]


def _spins(numbers):
    """[what the table says of the spins of a model]"""
    turned = numbers.get("spins")
    return [f"spins of B turned by {turned['turned_deg']:.2f} deg about the orbit's axis at the reference frequency: mismatch sky, "
            f"flat, {numbers['sky']['mismatch_flat']:.3e}; as measured {turned['sky_flat_as_measured']:.3e}"] if turned else []


def _parts(lm, values):
    lines = []
    for part in ("inspiral", "ringdown", "all"):
        v = values.get(part)
        if v:
            lines.append(f"{lm:6} {part:9} {v['from']:8.1f} {v['to']:8.1f} {v['amplitude_max']:12.3e} "
                         f"{v['amplitude_rms']:9.3e} {v['phase_max']:12.3e} {v['phase_rms']:9.3e}")
    peak, error = values["peak"], values.get("error")
    within = (f" +- {error['amplitude_at_peak']:.1e}", f" +- {error['phase_at_peak']:.1e}") if error else ("", "")
    lines.append(f"{lm:6} at A's peak: dA/A {peak['amplitude']:+.3e}{within[0]}, dphi {peak['phase']:+.3e}{within[1]}; peaks of the mode: "
                 f"B/A = {peak['ratio']:.6f} ({peak['height_b']:.5f}/{peak['height_a']:.5f}), "
                 f"{peak['time']:+.3f} M apart")
    if "early" in values:
        early = values["early"]
        lines.append(f"{lm:6} at {early['time']:g} M: dA/A {early['amplitude']:+.3e}, a mean over {early['about']:g} M")
    if values["faint"]:
        lines.append(f"{lm:6} is below {difference.NOTHING:g} of the strongest mode: of a symmetric binary, numerical "
                     "noise")
    return lines


def _over_time(lm, values):
    rows = values["over_time"]
    known = "phase_error" in rows[0]
    lines = [f"{lm:6}    t/M        dA/A" + ("        +-" if known else "") + "    dphi/rad" + ("        +-" if known else "")]
    for row in rows:
        errors = [f" {row[key]:9.1e}" if known else "" for key in ("amplitude_error", "phase_error")]
        lines.append(f"{row['t']:13.6g} {row['amplitude']:+11.3e}{errors[0]} {row['phase']:+11.3e}{errors[1]}")
    return lines


def _mismatches(numbers, curve):
    columns = {lm: v for lm, v in numbers["modes"].items()}
    columns |= {"sky": numbers["sky"]} | {f"{seen['inclination_deg']:g} deg": seen for seen in numbers["observers"]}
    w = numbers["window"]
    lines = [f"mismatch of the strain, of what is between {w['start']:.1f} and {w['end']:.1f} M; the window rises over {w['rise']:.0f} M.",
             f"flat, news, psi4: weights 1, w^2, w^4 to {mismatch.HIGHEST:g} cycles a M; below: the noise {curve.name} ({curve.source})",
             f"from {numbers['noise']['f_low']:g} Hz",
             "M/Msun  " + "".join(f"{head:>12}" for head in columns)]
    lines += [f"{row:8}" + "".join(f"{v[key]:12.3e}" if key in v else f"{'-':>12}" for v in columns.values())
              for row in PLAIN for key in [f"mismatch_{row}"]]
    marked = False
    for i, first in enumerate(next(iter(columns.values()))["mismatch"]):
        cells = ""
        for v in columns.values():
            row = v["mismatch"][i]
            late = row["from_hz"] > max(numbers["noise"]["f_low"], curve.lowest) * (1 + 1e-9)
            marked |= late
            cells += f"{row['mismatch']:11.3e}" + ("*" if late else " ")
        lines.append(f"{first['mass']:<8g}" + cells)
    if marked:
        lines.append("* the waves start above f_low, and the integral starts there; the whole band is covered from "
                     f"{numbers['noise']['whole_from']:.0f} Msun on")
    return lines
