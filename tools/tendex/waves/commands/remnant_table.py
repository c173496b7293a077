"""The lines that the user of `tendex-waves remnant` sees, from the dictionary of remnant.analyse."""

import numpy as np

from tendex.waves.holes.hole import ALONG, SMALL

LEAST = 5e-7  # what six decimals show


def line(name, text, note=""):
    return f"  {name:<24} {text}" + (f"      ({note})" if note else "")


def vector(values, form="{:.3g}"):
    return "(" + ", ".join(form.format(float(x) + 0.0) for x in values) + ")"


def tilted(chi, axis):
    """Has a spin of a size that can be read in the table a direction of its own?"""
    chi, axis = np.asarray(chi), np.asarray(axis)
    across = np.linalg.norm(chi - (chi @ axis) * axis)
    return across >= max(ALONG * np.linalg.norm(chi), SMALL)


def inspiral_rows(f):
    rows = []
    for number, h in enumerate(f["holes"] or [], 1):
        if h is None:
            rows.append(line(f"hole {number}", "none: no horizon was found before the merger"))
            continue
        mass, chi = h["mass"], h["chi"]
        note = "t = {:g} to {:g}".format(*h["window"]) + ("" if h["lost"] is None else f"; lost at t = {h['lost']:g}")
        note += f"; vector {vector(h['chi_vector'], '{:.5f}')}" if tilted(h["chi_vector"], f["orbit_axis"]) else ""
        rows.append(line(f"hole {number}", f"mass {mass['value']:.6f} +- {mass['spread']:.1e} M, "
                                           f"a/m {chi['value']:.5f} +- {chi['spread']:.1e}", note))
    head = "Holes in the inspiral, from their horizons: median and half the interquartile range"
    if any(h and h["chi"]["value"] < 0 for h in f["holes"] or []):
        rows.append(line("", f"a/m below 0: against the orbit's angular momentum, along {vector(f['orbit_axis'])}"))
    return [head, *rows, ""] if rows else []


def hole_rows(f):
    rows = []
    h = f["horizon"]
    if h is None:
        rows.append(line("horizon", "none: no common horizon was found"))
    else:
        mass, chi = h["mass"], h["chi"]
        rows += [line("mass", f"{mass['value']:.6f} M", f"drift {mass['drift']:+.1e}, deviation {mass['deviation']:.1e}, "
                                                        f"t = {h['window'][0]:g} to {h['window'][1]:g} M"),
                 line("spin a/m", f"{chi['value']:.5f}", f"drift {chi['drift']:+.1e}, deviation {chi['deviation']:.1e}; "
                                                         f"vector {vector(h['chi_vector'], '{:.5f}')}"),
                 line("irreducible mass", f"{h['irreducible']['value']:.6f} M")]
    return ["Final hole, from its horizon", *rows]


def frequency(omega, intervals=None):
    """Of a mode that turns clockwise it is that of its mirror image."""
    parts = [f"{abs(omega[0]):.5f}", f"{-omega[1]:.5f}"]
    if intervals:
        parts = [f"{part} [{low:.5f}, {high:.5f}]" for part, (low, high) in
                 zip(parts, (sorted(abs(x) for x in interval) for interval in intervals))]
    return f"{parts[0]} - {parts[1]} i /M"


def ring_rows(f):
    l, m = f["ringdown_mode"]
    kerr = ", and the Kerr hole with these modes" if m else ""
    rows = ["", f"Ringdown of psi4 ({l},{m}) about the hole's axis{kerr}  [90% of windows]"]
    for name, ring in f["ringdown"].items():
        where = "at infinity" if name == "infinity" else f"r = {name} M"
        if "error" in ring:
            rows.append(line(where, f"none: {ring['error']}"))
            continue
        off = ""
        if "off_percent" in ring:
            off = ", {} % off".format(" and ".join(f"{x:+.2f} +- {e:.2f}" for x, e in zip(ring["off_percent"], ring["off_percent_error"])))
        rows.append(line(where, f"omega = {frequency(ring['omega'], ring['omega_interval'])}{off}"))
        parts = [form.format(*ring[key]) for key, form in (("mass", "mass {:.4f} [{:.4f}, {:.4f}] M"),
                                                           ("chi", "a/m {:.4f} [{:.4f}, {:.4f}]")) if key in ring]
        rows += [line("", ", ".join(parts))] if parts else []
        rows.append(line("", f"modes {'; '.join(ring['modes'])}; windows from {{:g}} to {{:g}} M after the peak on".format(
            *(round(start, 1) for start in ring["starts_after_peak"]))))
    exact = next((ring["exact"] for ring in f["ringdown"].values() if "exact" in ring), None)
    if exact:
        rows.append(line("exact", f"omega = {frequency(exact)}", "of Kerr's hole with the horizon's mass and spin"))
    return rows


def flux_row(name, one, form="{:>9.6f}  {:>9.6f}  {:>7.2f}"):
    return line(name, form.format(one["E"], one["J"][2], float(np.linalg.norm(one["kick_km_s"]))))


def flux_rows(f):
    r = f["radiated"]
    rows = ["", "Radiated by all modes; at infinity, by perturbation theory from each sphere",
            f"  {'':<24} {'E/M':>9}  {'J_z/M^2':>9}  {'kick':>7} km/s      through the sphere itself: E, J_z"]
    for s in r["spheres"]:
        rows.append(f"{flux_row('from r = %g M' % s['radius'], s['corrected'])}           "
                    f"{s['E']:>9.6f}  {s['J'][2]:>9.6f}")
    change = next(s for s in r["spheres"] if s["radius"] == r["used"])["of_twice_the_cutoff"]
    best, late = r["value"], r["value"]["without_junk"]
    rows += [flux_row("result", best) + f"      (that from r = {r['used']:g} M)", flux_row("error", r["error"]),
             flux_row("without junk radiation", late) + f"      (from retarded time {f['junk_until']:.4g} M on)"]
    if max(abs(change["E"]), abs(change["J"][2])) >= LEAST:
        rows.append(line("twice the cut-off", f"{change['E']:+.6f}  {change['J'][2]:+.6f}",
                         f"adds this; modes are cut off at m times {f['flux_cutoff']:.4g} /M"))
    if abs(r["beyond"]["E"]) >= LEAST:
        rows.append(line(f"l above {f['l_max']}", f"{r['beyond']['E']:+.6f}  {r['beyond']['J'][2]:+.6f}",
                         "would add this, if they fall on from pair to pair of l; in the error"))
    if any(best["kick_km_s"]):
        rows.append(line("kick, vector", f"{vector(best['kick_km_s'])} +- {vector(r['error']['kick_km_s'])} km/s"))
    if max(abs(x) for x in best["J"][:2]) > 1e-6:
        rows.append(line("J, vector", vector(best["J"], "{:.6f}") + " M^2"))
    return rows


def balance_rows(f):
    b = f["balance"]
    if b is None:
        return []
    start, rows = f["initial"], ["", "Balance: initial data, initial data less remnant, and excess of the radiated"]
    lacks = b["hole_lacks"]
    rows.append(line("E: ADM, less hole's", f"{start['adm_energy']:.6f} M, {lacks['E']:.6f} M"))
    j = float(np.linalg.norm(start["adm_angular_momentum"]))
    rows.append(line("J: ADM, less hole's", f"{j:.6f} M^2, {float(np.linalg.norm(lacks['J'])):.6f} M^2"))
    if b["hole"]["kinetic_energy"] >= LEAST:
        rows.append(line("the hole moves", f"momentum {vector(b['hole']['momentum'], '{:.6f}')} M, kinetic energy "
                                           f"{b['hole']['kinetic_energy']:.6f} M, counted as the hole's"))
    shown = [("result", b["value"]), *((f"from r = {s['radius']:g} M", s) for s in (b["spheres"][0], b["spheres"][-1]))]
    for name, one in shown:
        spin = "" if one["J_percent"] is None else f",  J {one['J_percent']:+.2f} %"
        rows.append(line(name, f"E {one['E_percent']:+.2f} %{spin}"))
    return rows


def turning(name, frequency):
    return "" if frequency is None else f"{name} = {frequency:.4f}"


def merger_rows(f):
    m, p, rows = f["merger"], f["peak"], ["", "Merger"]
    if m["common_horizon"] is not None:
        rows.append(line("common horizon", f"first seen at t = {m['common_horizon']:g}, in the run's unit",
                         f"its mass then {f['horizon']['first_mass']:.4f}"))
    if m["orbits_of_punctures"] is not None:
        rows.append(line("orbits of the punctures", f"{m['orbits_of_punctures']:.2f}", f"until t = {m['orbits_until']:g}"))
    if m["orbits_of_wave"] is not None:
        rows.append(line("orbits of the wave", f"{m['orbits_of_wave']:.2f}", "from the junk's end to the peak"))
    mode = "{}{}".format(*f["mode"])
    for name, what in (("strain", f"r |h_{mode}| / M"), ("psi4", f"r M |psi4_{mode}|")):
        top = p[name]
        rows.append(line(f"peak of {what}", f"{top['height_over_M']:.5f} at u = {top['time_over_M']:.2f} M"
                         + turning(", M w", top["frequency_M"]), "at infinity, retarded time; M the masses together"))
    if p["strain"]["near_cutoff"]:
        rows.append(line("", "the strain is strongest next to its cut-off: no merger's peak; look at psi4, or raise --cutoff"))
    rows.append(line("peak of all |h_lm|", f"u = {m['peak_of_strain']:.3f}, in the run's unit"))
    for top in p["psi4_through"]:
        rows.append(line(f"r |psi4_{mode}|, r = {top['radius']:g}", f"{top['height']:.5f} at t = {top['time']:.2f}"
                         + turning(", w", top["frequency"]), "in the run's unit"))
    return rows


def odd_rows(f):
    o = f["odd_m"]
    if not o:
        return [line("modes of odd m", "none in the data")]
    equal = "at infinity; equal holes: 0 up to errors" if o["equal_holes"] else "at infinity; the holes differ"
    used = [s for s in o["psi4_through"] if s["radius"] == f["radiated"]["used"]]
    shown = [("odd m of h", o["strain"], equal), *((f"odd m of psi4, r = {s['radius']:g}", s, "") for s in used)]
    strong = "{},{}".format(*f["mode"])
    return [line(name, f"{one['ratio']:.2e} of ({strong}), in ({one['mode'][0]},{one['mode'][1]})", note)
            for name, one, note in shown]


def orbit_rows(f):
    rows, e = ["", "Symmetry and orbit", *odd_rows(f)], f["eccentricity"]
    if "none" in e:
        rows.append(line("eccentricity", "none", e["none"]))
    else:
        a, b = e["window"]
        rows += [line("eccentricity", f"{e['value']:.4f} +- {e['error']:.4f} of the separation, {e['of_frequency']:.4f} +- "
                                      f"{e['of_frequency_error']:.4f} of the frequency"),
                 line("", f"fit of a trend and an oscillation (radial over orbital frequency {e['k']:.2f}) to the tracks,"),
                 line("", f"t = {a:.4g} to {b:.4g} M; median and half the range of {e['fits']} windows and trends")]
    return rows


def text(found):
    parts = (inspiral_rows, hole_rows, ring_rows, flux_rows, balance_rows, merger_rows, orbit_rows)
    notes = [f"note: {note}" for note in found["notes"]]
    head = (f"{found['run']}: code version {found['version']}; M is the run's unit, the holes' initial masses together "
            f"are {found['initial']['mass']:.6f} M")
    return "\n".join([head, *notes, ""] + [row for part in parts for row in part(found)])
