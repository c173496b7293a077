"""The lines that the user of a report sees."""

from tendex import radiation, ringdown


def line(name, text, note=""):
    return f"  {name:<24} {text}" + (f"      ({note})" if note else "")


def fitted(name, got, interval, exact):
    off = 100 * (got / exact - 1)
    return (f"  {name:<24} {got:9.5f}   [{interval[0]:8.5f}, {interval[1]:8.5f}]   "
            f"{exact:9.5f}   {off:+6.2f} %")


def ringdown_rows(s, mode, exact, remnant):
    w = s["qnm_window"]
    name = f"ringdown, l = {mode[0]}, m = {mode[1]}"
    hole = f"exact: of a hole with a/m = {abs(remnant.chi):.4f}; " if remnant else ""
    return [
        f"  {name:<24} {'fitted':>9}   {'90% of windows':^20}   {'exact':>9}   {'off':>6}",
        fitted("frequency Re M w", s["qnm_re"], s["qnm_re_interval"], exact.real),
        fitted("damping   Im M w", s["qnm_im"], sorted(s["qnm_im_interval"]), exact.imag),
        f"  {hole}windows start {ringdown.START_FIRST:g} to {ringdown.START_LAST:g} M after the last extremum of "
        f"|psi4| that reaches {100 * ringdown.PEAK_FRACTION:g}% of the largest;",
        f"  at the outer sphere the first window is t = {w[0]:.1f} to {w[1]:.1f} M",
    ]


def orbit_rows(a):
    """What there is of a binary: the way together, the waves' peaks, the hole."""
    rows = []
    if a.orbit:
        rows.append(line("orbits", f"{abs(a.orbit.orbits):.2f}", f"of the punctures, until t = {a.orbit.end:g} M"))
    if a.remnant:
        rows.append(line("common horizon", f"first seen at t = {a.remnant.first_seen:g} M"))
    if a.orbit:
        l, m = a.mode
        for i, (r, modes) in enumerate(a.modes.items()):
            top, t = radiation.peak(*modes[a.mode], r)
            rows.append(line(f"peak of r |psi4_{l}{m}|" if i == 0 else "", f"{top:.5f} at t = {t:g} M, r = {r:g} M"))
    return rows


def balance_rows(run, a):
    """What the waves took beside what the hole lacks."""
    outer = max(a.modes)
    program = run.table("energy.asc")
    note = f"through the outer sphere; the run's own sum {program[f'E_r{outer:.2f}'][-1]:.3e} M"
    if a.remnant:
        lacks = run.summary["adm_energy"] - a.remnant.mass
        note += f"; the hole lacks {lacks:.3e} M"
    rows = [line("energy radiated", f"{a.energies[outer]:.3e} M", note)]
    j_z = program.get(f"Jz_r{outer:.2f}")
    if a.orbit and j_z is not None:
        before = run.initial("initial-ADM-angular-momentumz")
        note = "through the outer sphere, the run's own sum"
        if a.remnant and before is not None:
            note += f"; the hole lacks {before - a.remnant.spin_z:.3e} M^2"
        rows.append(line("J_z radiated", f"{j_z[-1]:.3e} M^2", note))
    rows.append(line("mass of the final hole", f"{a.mass:.6f} M",
                     f"of its horizon at t = {a.remnant.last_seen:g} M" if a.remnant else ""))
    if a.remnant:
        rows.append(line("its spin a/m", f"{a.remnant.chi:.5f}"))
    return rows


def speed_rows(s):
    speed = [("speed", "m_per_hour", "{:.0f} M/hour"), ("", "point_stages_per_s", "{:.3g} point-stages/s"),
             ("evolution", "evolution_wall_s", "{:.0f} s")]
    return [line(name, text.format(s[key])) for name, key, text in speed if key in s]


def table(run, a):
    """All lines of an analysed run, whose results are in its summary."""
    parts = [ringdown_rows(run.summary, a.mode, a.exact, a.remnant), orbit_rows(a),
             balance_rows(run, a) + speed_rows(run.summary)]
    return "\n" + "\n\n".join("\n".join(rows) for rows in parts if rows)
