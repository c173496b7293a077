"""Numbers and waves of runs in docs/results: NAME.json and, of runs whose waves are kept too, series/NAME.json.

Both are parts of whole records (records.Records): what pages, figures and tests read, as NUMBERS and SERIES say.
Lengths and times of series are in units of the holes' initial masses together. A curve is that of a reduced-order spline
(tendex.waves.signal.romspline) at few of its even times, its values integers times a unit.
"""

import json
from dataclasses import dataclass, field

import numpy as np

from tendex_dev.results.records import KeptError, Records
from tendex.base import files
from tendex.waves.signal import romspline
from tendex.waves.signal.modes import Waves, WaveError

# Samples that a curve may have; where noise asks for more, the tolerance is doubled until they are enough.
MOST = 450
# An integer is this part of the tolerance, at most.
FINE = 0.25
# Characters of a line of their files, but for lists.
LINE = 120
# Parts of a whole record that stay; of lists, those of each member.
ALL = None
MODE = {"2,2": ALL}
NUMBERS = {
    "run": dict.fromkeys(("code_version", "device", "ranks", "steps", "t", "wall_s", "point_stages", "point_stages_per_s", "backend",
                          "finest_spacing", "sphere_spacing", "outer")) | {"constraints": dict.fromkeys(("hamiltonian", "momentum"))},
    "remnant": {
        "initial": dict.fromkeys(("adm_energy", "masses")),
        "holes": {"mass": {"value": ALL}},
        "horizon": {name: {"value": ALL} for name in ("mass", "chi")},
        "ringdown": {"infinity": dict.fromkeys(("omega", "exact", "off_percent"))},
        "merger": dict.fromkeys(("common_horizon", "orbits_of_punctures")),
        "peak": {"strain": dict.fromkeys(("height_over_M", "time_over_M", "frequency_M", "near_cutoff")),
                 "psi4_through": dict.fromkeys(("radius", "height", "time"))},
        "radiated": {"used": ALL, "value": dict.fromkeys(("E", "J", "kick_km_s")), "error": {"kick_km_s": ALL}},
        "balance": {"value": dict.fromkeys(("E_percent", "J_percent"))},
        "eccentricity": dict.fromkeys(("none", "of_frequency", "of_frequency_error")),
        "odd_m": {"equal_holes": ALL, "strain": {"ratio": ALL}, "psi4_through": dict.fromkeys(("radius", "ratio"))},
    },
    "holes": {name: {"drift": ALL} for name in ("mass", "chi")},
    "model": {"name": ALL, "modes": {"2,2": dict.fromkeys(("phase_max", "mismatch"))}},
}
SERIES = {"reference": ALL, "strain": dict.fromkeys(("start", "step", "samples")) | {"modes": MODE}, "errors": MODE, "coprecessing": ALL,
          "model": ALL}


def part_of(record, parts):
    """What `parts' leaves of a record."""
    if parts is ALL or not isinstance(record, (dict, list)):
        return record
    if isinstance(record, list):
        return [part_of(member, parts) for member in record]
    return {key: part_of(record[key], inner) for key, inner in parts.items() if key in record}


@dataclass(frozen=True)
class Series:
    """Of one run, in geometric units."""

    name: str
    strain: Waves  # from the reference time on; (l, m) that are strong enough
    reference: float  # retarded time from when on the waves are the binary's
    errors: dict = field(default_factory=dict)  # {(l, m): (u [k], amplitude [k] relative, phase [k] rad)}
    model: tuple = ()  # (name, Waves), aligned
    coprecessing: bool = False  # the frame of the modes


def pack(t, y, tolerance):
    """A curve y at even times t for JSON, to within the tolerance, or as near as MOST samples come."""
    while True:
        left = romspline.reduce(t, y, tolerance)
        if len(left.x) <= MOST:
            break
        tolerance *= 2
    unit = 10.0 ** np.floor(np.log10(FINE * tolerance))
    at = np.rint((left.x - t[0]) / (t[1] - t[0])).astype(int)
    return {"tolerance": float(f"{tolerance:.2g}"), "unit": float(f"{unit:.0e}"), "at": at.tolist(), "y": np.rint(left.y / unit).astype(int).tolist()}


def unpack(curve, n):
    """[n] values of a curve at all of its times."""
    return romspline.splines(np.array(curve["at"], float), np.array(curve["y"]) * curve["unit"])[1](np.arange(n))


def packed_waves(waves, chosen, tolerance):
    """Modes of even times for JSON; tolerance: (of amplitudes, over the highest; of phases, rad)."""
    size = max(np.abs(waves.mode(*lm)).max() for lm in chosen)
    made = {"start": round(float(waves.t[0]), 6), "step": float(waves.t[1] - waves.t[0]), "samples": len(waves.t), "modes": {}}
    for l, m in chosen:
        values = waves.mode(l, m)
        weak = size / np.abs(values).max()
        made["modes"][f"{l},{m}"] = {"amplitude": pack(waves.t, np.abs(values), tolerance[0] * size / np.sqrt(weak)),
                                     "phase": pack(waves.t, np.unwrap(np.angle(values)), tolerance[1] * weak)}
    return made


def waves_of(made, label):
    """The Waves of packed_waves."""
    n = made["samples"]
    modes = {tuple(map(int, lm.split(","))): unpack(both["amplitude"], n) * np.exp(1j * unpack(both["phase"], n))
             for lm, both in made["modes"].items()}
    return Waves("strain", made["start"] + made["step"] * np.arange(n), modes, label=label)


def text_of(made):
    """JSON with a list, or what fits, a line."""
    def of(value, indent):
        line = json.dumps(value, separators=(",", ":"))
        if not isinstance(value, dict) or len(line) <= LINE:
            return line
        inner = ",\n".join(f"{' ' * (indent + 1)}{json.dumps(key)}: {of(part, indent + 1)}" for key, part in value.items())
        return f"{{\n{inner}\n{' ' * indent}}}"
    return of(made, 0) + "\n"


def write(texts):
    """{file: text}; files that have their text are left alone."""
    for file, text in changed(texts):
        files.write(file, text)


def changed(texts):
    """[(file, text)] of those that have another text, or are not there."""
    return [(file, text) for file, text in texts.items() if not file.exists() or file.read_text() != text]


class Shelf:
    """The folder of what is kept."""

    def __init__(self, folder):
        self.folder, self.records = folder, Records(folder)
        self.known = {}

    def series_file(self, name):
        return self.folder / "series" / f"{name}.json"

    def parts(self):
        """{file: text} of all runs, made of their whole records; {} where these are not there."""
        return {self.folder / name: text_of(part_of(json.loads(record), SERIES if name.startswith("series/") else NUMBERS))
                for name, record in (self.records.read() or {}).items()}

    def numbers(self, name):
        """{"run": ..., "remnant": ...}"""
        file = self.folder / f"{name}.json"
        if not file.exists():
            raise KeptError(f"{file}: no such run is kept: take it with `dev/results.py take RUN'")
        found = files.read_json(file, KeptError)
        if not all(isinstance(found.get(part), dict) for part in ("run", "remnant")):
            raise KeptError(f"{file}: not what `dev/results.py take' writes: take the run again")
        return found

    def series(self, name):
        """The Series of a run, or None if its waves are not kept."""
        file = self.series_file(name)
        if name not in self.known:
            self.known[name] = _series(name, files.read_json(file, KeptError)) if file.exists() else None
        return self.known[name]

    def write(self, name, numbers, series):
        """Keep a run: its whole records, and the parts."""
        whole = {f"{name}.json": files.json_text(numbers).encode()}
        self.records.add(whole | ({f"series/{name}.json": text_of(series).encode()} if series else {}))
        write(self.parts())


def _series(name, made):
    try:
        waves = waves_of(made["strain"], name)
        errors = {tuple(map(int, lm.split(","))): tuple(np.array(row, float) for row in e) for lm, e in made["errors"].items()}
        model = (made["model"]["name"], waves_of(made["model"], made["model"]["name"])) if "model" in made else ()
        return Series(name, waves, made["reference"], errors, model, made["coprecessing"])
    except (KeyError, IndexError, AttributeError, TypeError, ValueError, WaveError) as e:
        raise KeptError(f"series/{name}.json: not what `dev/results.py take' writes ({e!r}): take the run again") from e
