"""Rows and tables of kept runs."""

import math


def dig(data, *keys):
    for key in keys:
        if data is None:
            return None
        data = data.get(key) if isinstance(data, dict) else data[key]
    return data


def number(x, form, unit=""):
    return None if x is None else format(x, form) + unit


def size(vector):
    return None if vector is None else math.sqrt(sum(x * x for x in vector))


def largest_off(r):
    off = dig(r, "ringdown", "infinity", "off_percent")
    return off and "{:+.2f}%, {:+.2f}%".format(*off)


def outer_psi4(r):
    through = dig(r, "peak", "psi4_through")
    return through[-1] if through else None


def outer_height(k):
    """With the radius where the data end before the peak is at the outermost sphere."""
    found = outer_psi4(k["remnant"])
    where = f" at r = {found['radius']:g}" if found and found["radius"] != k["run"]["outer"] else ""
    return found and f"{found['height']:.5f}{where}"


def peak(r, key, form):
    strain = dig(r, "peak", "strain")
    return None if not strain or strain.get("near_cutoff") else number(strain.get(key), form)


def gained(r):
    """By how much the first hole's mass, between junk and merger, is above that of the initial data."""
    value, data = dig(r, "holes", 0, "mass", "value"), dig(r, "initial", "masses", 0)
    return None if value is None or data is None else f"{value - data:+.1e}"


def drift(k, name):
    """End less beginning of a straight line through each hole's, without the first tenth of the time to the merger."""
    return ", ".join(f"{hole[name]['drift']:+.1e}" for hole in k.get("holes") or ()) or None


def kick(r):
    value, error = dig(r, "radiated", "value", "kick_km_s"), dig(r, "radiated", "error", "kick_km_s")
    return None if value is None else f"{size(value):.{3 if size(value) >= 100 else 2}g} ± {size(error):.2g}"


def eccentricity(r):
    found = r["eccentricity"]
    return None if "none" in found else f"{found['of_frequency']:.4f} ± {found['of_frequency_error']:.4f}"


def odd(r, of):
    """Of the strain, or of psi4 through the sphere that the results are from."""
    found = r.get("odd_m")
    if not found or not found["equal_holes"]:
        return None
    one, = [found[of]] if of == "strain" else [s for s in found[of] if s["radius"] == r["radiated"]["used"]]
    return f"{one['ratio']:.1e}"


def gpus(k):
    """How many; None where a run took none."""
    return k["run"]["ranks"] if "NVIDIA" in k["run"].get("device", "") and k["run"].get("backend") != "cpu" else None


def machine(k):
    """Number and kind of GPUs."""
    kind = next((kind for kind in ("H200", "H100", "A100") if kind in k["run"].get("device", "")), None)
    return f"{gpus(k)} {kind}" if kind and gpus(k) else k["run"].get("device", f"CPUs, ranks: {k['run']['ranks']}")


def gpu_hours(k):
    return k["run"]["wall_s"] * gpus(k) / 3600 if gpus(k) else None


def spacing(k):
    return f"1/{1 / k['run']['finest_spacing']:.4g}"


def balance(k):
    """Of energy and angular momentum."""
    both = [number(dig(k["remnant"], "balance", "value", f"{x}_percent"), "+.2f", "%") for x in "EJ"]
    return ", ".join(both) if None not in both else None


def beside_model(k):
    """Of (2,2): the largest phase difference until the peak, and mismatches."""
    found = dig(k, "model", "modes", "2,2")
    if not found:
        return None
    low, high = (f"{x:.1e}" for x in found["mismatch"])
    return f"{found['phase_max']:.2g} rad, {low if low == high else f'{low} to {high}'} ({k['model']['name']})"


# {key: (title, function of the kept JSON -> text or None)}
ROWS = {
    "spacing": ("spacing at the holes, M", spacing),
    "sphere": ("spacing at the outermost sphere, M", lambda k: f"{k['run']['sphere_spacing']:.3g} at r = {k['run']['outer']:g}"),
    "machine": ("machine", machine),
    "wall": ("wall time", lambda k: f"{k['run']['wall_s'] / 60:.1f} min, to t = {k['run']['t']:.4g} M"),
    "gpu_hours": ("GPU-hours", lambda k: number(gpu_hours(k), ".2g")),
    "steps": ("time steps", lambda k: f"{k['run']['steps']:,}"),
    "work": ("point-stages; a second", lambda k: f"{k['run']['point_stages']:.3g}; {k['run']['point_stages_per_s']:.3g}"),
    "adm": ("ADM energy", lambda k: f"{k['remnant']['initial']['adm_energy']:.9f}"),
    "eccentricity": ("eccentricity, from the orbital frequency", lambda k: eccentricity(k["remnant"])),
    "orbits": ("orbits until the common horizon", lambda k: number(dig(k["remnant"], "merger", "orbits_of_punctures"), ".2f")),
    "common": ("common horizon first seen, t", lambda k: number(dig(k["remnant"], "merger", "common_horizon"), ".2f")),
    "grown": ("mass of hole 1 less that of the data, M", lambda k: gained(k["remnant"])),
    "mass_drift": ("drift of the holes' masses, M", lambda k: drift(k, "mass")),
    "chi_drift": ("drift of the holes' spins a/m", lambda k: drift(k, "chi")),
    "mass": ("M_f", lambda k: number(dig(k["remnant"], "horizon", "mass", "value"), ".6f")),
    "chi": ("a_f/M_f", lambda k: number(dig(k["remnant"], "horizon", "chi", "value"), ".6f")),
    "h": ("peak of r h22 / M", lambda k: peak(k["remnant"], "height_over_M", ".4f")),
    "h_time": ("its retarded time over M", lambda k: peak(k["remnant"], "time_over_M", ".2f")),
    "w": ("M w22 there", lambda k: peak(k["remnant"], "frequency_M", ".4f")),
    "psi4": ("peak of r abs(psi4_22) at the outermost sphere", outer_height),
    "psi4_time": ("its time", lambda k: number(dig(outer_psi4(k["remnant"]), "time"), ".2f")),
    "ring": ("ringdown less the Kerr mode of M_f, a_f: w, damping", lambda k: largest_off(k["remnant"])),
    "energy": ("E radiated", lambda k: number(dig(k["remnant"], "radiated", "value", "E"), ".5f")),
    "balance_e": ("energy balance", lambda k: number(dig(k["remnant"], "balance", "value", "E_percent"), "+.2f", "%")),
    "spin_lost": ("J_z radiated", lambda k: number(dig(k["remnant"], "radiated", "value", "J", 2), ".5f")),
    "balance_j": ("angular-momentum balance", lambda k: number(dig(k["remnant"], "balance", "value", "J_percent"), "+.2f", "%")),
    "kick": ("kick, km/s", lambda k: kick(k["remnant"])),
    "odd": ("largest odd m of psi4 over (2,2)", lambda k: odd(k["remnant"], "psi4_through")),
    "odd_h": ("largest odd m of h over (2,2)", lambda k: odd(k["remnant"], "strain")),
    "hamiltonian": ("L2 norm of H, mean from 30 M to the common horizon",
                    lambda k: number(dig(k["run"].get("constraints"), "hamiltonian"), ".1e")),
    "momentum": ("L2 norm of the momentum constraint, same mean", lambda k: number(dig(k["run"].get("constraints"), "momentum"), ".1e")),
    "model": ("(2,2) beside a model: phase until the peak, mismatch", beside_model),
    "version": ("version", lambda k: k["run"]["code_version"]),
}
# Those that a case shows which does not say.
SHORT = ("spacing", "gpu_hours", "eccentricity", "orbits", "common", "mass", "chi", "h", "w", "balance_e", "balance_j", "kick", "odd",
         "mass_drift", "chi_drift", "model")


def table(kept, runs, rows, references):
    """Lines of a Markdown table of runs {name: JSON}; rows without any value are left out, the last column without any reference."""
    shown = [(key, *ROWS[key]) for key in rows]
    given = any(key in references for key in rows)
    lines = [" | ".join(["| ", *runs, *["reference"] * given]) + " |", "|---" * (len(runs) + 1 + given) + "|"]
    for key, title, text in shown:
        cells = [text(kept[run]) for run in runs]
        if any(cells):
            lines.append("| " + " | ".join([title, *(c or "" for c in cells), *[references.get(key, "")] * given]) + " |")
    return lines
