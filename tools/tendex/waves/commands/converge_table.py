"""The tables of `tendex-waves converge'."""

import math

from tendex.waves.comparison import noise

NAMES = {2: ("low", "high"), 3: ("low", "med", "high")}
HEADS = {"same_time": "Unaligned", "aligned": "Aligned at the peak of (2,2)"}
PARTS = ("numerical", "extraction", "integration", "total")


def text(out):
    """All lines of what converge.results makes."""
    names = NAMES[len(out["runs"])]
    lines = [f"{name:<4} {path}, finest spacing {x:.6g} = 1/{1 / x:.4g}" for name, path, x in zip(names, out["runs"], out["spacings"])]
    lines += [f"note: {note}" for note in out["notes"]]
    if "peak" in out:
        lines.append(f"{out['wave']}, retarded times {out['from']:.2f} to {out['to']:.2f}; peak of (2,2) at {out['peak']:.2f}")
    lines.append("")
    for key, head in HEADS.items():
        if key in out:
            lines += [*_orders(out[key], head), ""]
    shifts = [f"{name} was shifted by {s['dt']:+.4f} in time and rotated by {s['dphi']:+.5f} rad" for name, s in zip(names, out.get("shifts", ()))]
    budget = out["budget"]
    lines += [*shifts, ""] if shifts else []
    return "\n".join(lines + _modes(budget) + _numbers(budget, names) + _snr(budget["snr"]))


def _orders(group, head):
    lines = [f"{head:<44} {'order':>6} {'before':>6}   error of HIGH: at merger, before"]
    for lm, both in group.items():
        lines += [row(f"({lm}) amplitude, relative", both["amplitude"]), row(f"({lm}) phase, rad", both["phase"])]
    return lines + [f"  {what} of (2,2): converges from {e['late']['from']:.2f} until the merger, order "
                    f"{e['late']['order']:.2f}" for what, e in group.get("2,2", {}).items() if e["late"]]


def row(name, e):
    """Orders, over all times and before the merger, and errors of one function."""
    shown = f"{e['order']:>6.2f}" if e["converges"] else f"{'none':>6}"
    early = f"{'none':>6}" if e["why_not_before"] else f"{e['order_before_merger']:>6.2f}"
    line = f"  {name:<42} {shown} {early} {e['error_at_merger']:>23.2e} {e['error_before_merger']:>9.2e}"
    return line if e["converges"] else f"{line}   no clean convergence order: {e['why_not']}"


def _cell(value, form="9.1e"):
    return f"{'-':>9}" if value is None else f"{value:>{form}}"


def _modes(budget):
    """Errors of the modes: unaligned at the merger, and of aligned phases the largest before it."""
    lines = ["Error budget of HIGH: bounds of 95%, parts added up"]
    if not budget["modes"]:
        return lines
    lines += [f"  {'':<36} {'order':>8}" + "".join(f"{part:>12}" for part in PARTS)]
    for lm, one in budget["modes"].items():
        for what, e, when in (("phase at the merger, rad", one["unaligned"]["phase"], "at_merger"),
                              ("phase aligned, before, rad", one["aligned"]["phase"], "before_merger"),
                              ("amplitude at the merger, rel.", one["unaligned"]["amplitude"], "at_merger")):
            lines.append(f"  {f'({lm})':<6} {what:<29} {_order(e):>8}" + "".join(f"   {_cell(e[when][part])}" for part in PARTS))
    return lines + ["  order in brackets: taken, as there is no clean one", ""]


def _order(e):
    return f"{e['order']:.2f}" if e["clean"] else f"({e['order_taken']:g})"


def _numbers(budget, names):
    lines = [f"{'':<20}" + "".join(f"{name:>12}" for name in names) + f" {'order':>8} {'limit':>12}   numerical    measured       total"]
    for name, e in budget["numbers"].items():
        values = "".join(f"{v:>12.6f}" for v in e["values"])
        limit = f"{'':>12}" if e["limit"] is None else f"{e['limit']:>12.6f}"
        lines.append(f"{name:<20}{values} {_order(e):>8} {limit}" + "".join(f"   {_cell(e[part])}" for part in ("numerical", "measurement", "total")))
    return lines


def _snr(found):
    if not found["detectors"]:
        return []
    lines = ["", "Signal-to-noise ratio up to which HIGH cannot be told from the true wave, total mass in solar masses:",
             f"  without brackets no parameter is off by more than its statistical error (D = 1); in brackets with the {found['parameters']} intrinsic "
             f"parameters of a {found['binary']} binary"]
    marked = False
    for name, rows in found["detectors"].items():
        cells = []
        for e in rows:
            many = e[f"snr_{found['parameters']}_parameters"]
            mass = f"{e['mass']:g}" if e["mass"] < 1e5 else f"{e['mass']:.0e}".replace("e+0", "e")
            cells.append(f"{mass}{'' if e['whole_band'] else '*'}: {_snr_of(e['snr'])} ({_snr_of(many)})")
            marked |= not e["whole_band"]
        lines.append(f"  {name:<6} {'   '.join(cells)}")
    if marked:
        lines.append("  * the wave begins within the detector's band, and counts from there on")
    return lines + [f"  {name}: {noise.CURVES[name].source}" for name in found["detectors"]]


def _snr_of(value):
    return f"{value:.3g}" if math.isfinite(value) else "any"
