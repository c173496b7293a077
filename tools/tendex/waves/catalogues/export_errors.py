"""The error budget of a run in a file of its own, NAME_errors.h5, and as words of a catalogue's metadata; in units of M.

    unaligned/l2_m2    t, amplitude (relative) and phase (rad): bounds of 95%; with _numerical, _extraction, _integration: its parts
    aligned/l2_m2      the same, of waves whose peaks of (2,2) are laid on each other
    numbers/NAME       attributes value, numerical, measured, total
    snr/DETECTOR       total mass, mismatch with the true wave, and the signal-to-noise ratio up to which they are the same (D = 1)
"""

import math

import numpy as np

from tendex.base import files
from tendex.waves.comparison import accuracy, bound

# Names of numbers, as series_budget has them: what they are in metadata, and the power of the unit of mass in them.
METADATA = {"M_f": ("remnant_mass", 1), "a_f/M_f": ("remnant_spin", 0), "kick, km/s": ("remnant_kick_km_s", 0), "E radiated": ("radiated_energy", 1),
            "J_z radiated": ("radiated_angular_momentum_z", 2), "common horizon, t": ("common_horizon_time", 1),
            "peak of |h_22|, u/M": ("peak_time_22", 1), "peak |r h_22|/M": ("peak_amplitude_22", 1), "M w_22 there": ("peak_frequency_22", -1)}
ABOUT = ("bounds of 95% of the error, parts added up: evolution (by Richardson extrapolation over a series of resolutions), extraction, "
         "integration")


def summary(numbers, modes, snr, peak, runs, unit):
    """{key: number, text or list} of a budget for metadata.

    numbers: {name: (values, numerical, measured, total)} in the run's unit; modes: {(l, m): budget.Mode}; snr: {detector: [accuracy.Row]}; peak: time of that of (2,2), where there are modes;
    runs: names, the coarsest first; unit: of mass, of times and numbers."""
    found = {"about": ABOUT, "confidence": 0.95, "runs": list(runs)}
    one = modes.get((2, 2))
    if one:
        near, before = int(np.argmin(np.abs(one.unaligned.t - peak))), one.aligned.t <= peak
        found |= {"phase_22_at_peak": float(one.unaligned.phase.total[near]),
                  "phase_22_aligned_before_peak": float(one.aligned.phase.total[before].max()),
                  "amplitude_22_at_peak": float(one.unaligned.amplitude.total[near])}
    for name, (*_, total) in numbers.items():
        key, power = METADATA[name]
        found[key] = total / unit**power
    for name, rows in snr.items():
        most = [accuracy.ratio(row.mismatch) for row in rows]
        if most and math.isfinite(min(most)):
            found[f"indistinguishable_to_snr_{name.replace('-', '_')}"] = min(most)
    return found


def write(file, numbers, modes, snr, unit, about, zero=0.0):
    """Write a budget; arguments as of `summary'; about: what that returns, as attributes; zero: retarded time of the run at which times of the file
    are 0."""
    with files.hdf5(file) as h:
        h.attrs.update({**about, "unit_of_mass": unit, "safety": bound.SAFETY, "zero": zero / unit})
        for name in ("unaligned", "aligned"):
            for (l, m), one in modes.items():
                _mode(h.create_group(f"{name}/l{l}_m{m}"), getattr(one, name), unit, zero)
        for name, (values, numerical, measured, total) in numbers.items():
            key, power = METADATA[name]
            scaled = {"value": values[-1], "numerical": numerical, "measured": measured, "total": total}
            h.create_group(f"numbers/{key}").attrs.update({k: v / unit**power for k, v in scaled.items()})
        for name, rows in snr.items():
            table = [(row.mass, row.mismatch, accuracy.ratio(row.mismatch)) for row in rows]
            h[f"snr/{name}"] = np.array(table, float).reshape(-1, 3)
            h[f"snr/{name}"].attrs["columns"] = "total mass/Msun, mismatch, signal-to-noise ratio"


def _mode(group, laid, unit, zero):
    group["t"] = (laid.t - zero) / unit
    for name, parts, function in (("amplitude", laid.amplitude, laid.amplitudes), ("phase", laid.phase, laid.phases)):
        for part, values in parts.items():
            group[name if part == "total" else f"{name}_{part}"] = values
        rule = function.rule
        group[name].attrs.update({"order": rule.order, "clean": rule.clean, "order_taken": rule.taken, "why": rule.why})
