"""The LVC's format for numerical relativity (arXiv:1703.01076): reduced splines of amplitude and phase of each mode of
r h/M over t/M, t = 0 at the peak of sum |h_lm|^2; from the end of the junk radiation to where the taper of the
integration begins. Format 1 is that; 2 has the motion of the holes besides, and 3 the remnant as well."""

import datetime

import numpy as np

from tendex.base import files
from tendex.waves.catalogues import lvcnr_motion
from tendex.waves.comparison.mismatch import SUN_S
from tendex.waves.holes import christodoulou
from tendex.waves.signal import align, ffi, frame, romspline, series
from tendex.waves.signal.modes import WaveError, phase

# Modes that never exceed this fraction of the tolerance are written as 0.
SILENT = 1e-3
TECHNIQUES = "Puncture-ID, {}, Psi4-integrated, {}, {}-Spin, {}-Mass"
SPINS = {christodoulou.HORIZON: "ApproxKillingVector", christodoulou.ROTATION: "CoordinateRotation", christodoulou.PUNCTURE: "Bowen-York"}
# Readers begin at the time that Omega-vs-time has for the frequency which is asked for, and below its first value with the first
# sample of the waves. By this part of it the lowest frequency is below, beyond round-off.
BELOW = 1 - 1e-9


def prepared(made, unit):
    """(strain as it is written: t/M, r h/M, t = 0 at the peak, after the junk; the peak's retarded time), M being `unit'."""
    wave = series.trusted(made.strain)
    if (wave.t >= made.reference).sum() < romspline.FEWEST:
        raise WaveError(f"{wave.name}: can be used until u = {wave.t[-1]:g} M, before or just after the junk "
                        f"radiation is over, at {made.reference:g} M: nothing to export; let the run continue")
    wave = wave.cut(made.reference)
    top = align.peak_time(wave)
    return wave.map(lambda v, l, m: v, t=wave.t - top).geometric(unit), top


def start_frequency(wave, facts, made):
    """Angular frequency, per M, of (2,2) about the orbit's axis where the wave starts: of a parabola through the phase of
    the first period. Where nothing orbits, what the integration cuts off: below it the waves say nothing."""
    if not facts.omega:
        return 2 * made.cutoff * facts.unit_of_mass
    if not ffi.level(wave):
        wave = frame.turned(wave, frame.coprecessing(wave))
    angle = phase(wave.mode(2, 2))
    whole = np.abs(angle - angle[0]) > 2 * np.pi
    n = max(int(whole.argmax()) if whole.any() else len(angle), 8)
    return abs(float(np.polynomial.polynomial.polyfit(wave.t[:n] - wave.t[0], angle[:n], 2)[1]))


def techniques(facts, made):
    """Of spins and masses, those of the hole that is known the worse."""
    kind = "Extrapolated-Waveform" if made.order else "Finite-Radius-Waveform"
    source = max((h.source for h in facts.holes), key=christodoulou.SOURCES.index)
    return TECHNIQUES.format(facts.system, kind, SPINS[source], "ADM" if source == christodoulou.PUNCTURE else "Christodoulou")


def attributes(facts, user, made, wave, lowest=None):
    """Root attributes, {name: value}; lowest: the first orbital frequency of Omega-vs-time, where the file has it: the waves begin
    at twice that, else where (2,2) does."""
    one, two = facts.holes
    m1, m2 = one.reference_mass, two.reference_mass
    start = 2 * lowest * BELOW if lowest else start_frequency(wave, facts, made)
    known = {
        "Format": 1, "type": "NRinjection", "name": user["name"] or facts.run,
        "alternative-names": user["alternative-names"], "NR-group": user["group"],
        "NR-code": f"Tendex {facts.version}", "modification-date": str(datetime.date.today()),
        "point-of-contact-email": user["email"], "authors": user["authors"], "simulation-type": facts.kind,
        "INSPIRE-bibtex-keys": user["bibtex-keys"], "license": user["license"], "Lmax": np.int32(wave.l_max),
        "NR-techniques": techniques(facts, made), "files-in-error-series": user["files-in-error-series"] or error_series(facts),
        "comparable-simulation": user["comparable-simulation"], "production-run": int(user["production-run"]),
        "object1": "BH", "object2": "BH", "mass1": m1, "mass2": m2, "eta": m1 * m2,
        "f_lower_at_1MSUN": start / (2 * np.pi * SUN_S), "Omega": facts.omega,
        "eccentricity": -1.0 if facts.eccentricity is None else facts.eccentricity,
        "mean_anomaly": -1.0 if facts.mean_anomaly is None else facts.mean_anomaly,
        "PN_approximant": "None", "Warning": "",
    }
    vectors = {"spin1": one.reference_chi, "spin2": two.reference_chi, "LNhat": facts.normal, "nhat": facts.line}
    return {**known, **{f"{name}{x}": float(v) + 0.0 for name, xyz in vectors.items() for x, v in zip("xyz", xyz)}}


def error_series(facts):
    """Names of the files of the other runs of the series, as the exports of these are called; "" where they are not given."""
    return ", ".join(f"{name}.h5" for name in facts.errors["runs"][:-1]) if facts.errors else ""


def curves(values, tolerance):
    """(amplitude, phase) of a mode, both 0 where it is nothing but round-off."""
    if np.abs(values).max() < SILENT * tolerance:
        return np.zeros(len(values)), np.zeros(len(values))
    return np.abs(values), phase(values)


def write(file, run, made, facts, user, signs, tolerance):
    """The file; returns (wave, number of samples kept, number of samples there were)."""
    unit = facts.unit_of_mass
    wave, top = prepared(made, unit)
    kept = total = 0
    with files.hdf5(file) as h:
        h["NRTimes"] = wave.t
        number, lowest = lvcnr_motion.write(h, run, facts, made.reference, top)
        h.attrs.update({**signs, **attributes(facts, user, made, wave, lowest), "Format": number})
        about = h.create_group("auxiliary-info")
        about.attrs.update({"extrapolation": made.method, "radii": [r / unit for r in made.radii], "cutoff": made.cutoff * unit,
                            "reference-time": facts.reference_time, "unit-of-mass": unit,
                            "masses-and-spins": facts.masses_and_spins,
                            **(made.centre.attributes(unit) if made.centre else {}),
                            **{f"error-{key.replace('_', '-')}": value for key, value in (facts.errors or {}).items()}})
        for (l, m), values in sorted(wave.modes.items()):
            for name, y in zip(("amp", "phase"), curves(values, tolerance)):
                reduced = romspline.reduce(wave.t, y, tolerance)
                romspline.write(h.create_group(f"{name}_l{l}_m{m}"), reduced)
                kept, total = kept + len(reduced.x), total + len(y)
    return wave, kept, total
