"""Numbers and waves of runs: the records NAME.json and, of runs whose waves are kept too, series/NAME.json (records.Records).

Lengths and times of series are in units of the holes' initial masses together. A curve is that of a reduced-order spline
(tendex.waves.signal.romspline) at few of its even times: how many samples each is after the one before, and the second differences of its values, integers times
a unit, as these are the shortest to write.
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
# Digits of numbers of a run: errors are not below 1e-9 of what they belong to, and noise takes most of the room.
DIGITS = 12


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
    return {"tolerance": float(f"{tolerance:.2g}"), "unit": float(f"{unit:.0e}"), "after": np.diff(at, prepend=0).tolist(),
            "bend": np.diff(np.rint(left.y / unit).astype(int), 2, prepend=(0, 0)).tolist()}


def unpack(curve, n):
    """[n] values of a curve at all of its times."""
    at, y = np.cumsum(curve["after"]), np.cumsum(np.cumsum(curve["bend"]))
    return romspline.splines(at.astype(float), y * curve["unit"])[1](np.arange(n))


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


def rounded(value):
    """The same with DIGITS digits."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def text_of(made):
    """JSON with a list, or what fits, a line."""
    def of(value, indent):
        line = json.dumps(value, separators=(",", ":"))
        if not isinstance(value, dict) or len(line) <= LINE:
            return line
        inner = ",\n".join(f"{' ' * (indent + 1)}{json.dumps(key)}: {of(part, indent + 1)}" for key, part in value.items())
        return f"{{\n{inner}\n{' ' * indent}}}"
    return of(made, 0) + "\n"


class Shelf:
    """What is kept in a folder."""

    def __init__(self, folder):
        self.records = Records(folder)
        self.known = {}

    def runs(self):
        """Names of all."""
        return {name.removesuffix(".json") for name in self.records.read() if name.endswith(".json") and "/" not in name}

    def whole(self, name):
        """The bytes of both records of a run."""
        return b"".join(self.records.read().get(record, b"") for record in (f"{name}.json", f"series/{name}.json"))

    def numbers(self, name):
        """{"run": ..., "remnant": ...}"""
        record = self.records.read().get(f"{name}.json")
        if record is None:
            raise KeptError(f"{self.records.file}: no run {name} is kept: take it with `dev/results.py take RUN'")
        found = _parsed(f"{name}.json", record)
        if not isinstance(found, dict) or not all(isinstance(found.get(part), dict) for part in ("run", "remnant")):
            raise KeptError(f"{name}.json: not what `dev/results.py take' keeps: take the run again")
        return found

    def series(self, name):
        """The Series of a run, or None if its waves are not kept."""
        if name not in self.known:
            record = self.records.read().get(f"series/{name}.json")
            self.known[name] = record and _series(name, _parsed(f"series/{name}.json", record))
        return self.known[name]

    def write(self, name, numbers, series):
        """Keep a run."""
        self.records.add({f"{name}.json": files.json_text(rounded(json.loads(files.json_text(numbers)))).encode(),
                          **({f"series/{name}.json": text_of(series).encode()} if series else {})})


def _parsed(name, record):
    try:
        return json.loads(record)
    except ValueError as e:
        raise KeptError(f"{name}: no JSON ({e}): take the run again") from e


def _series(name, made):
    try:
        waves = waves_of(made["strain"], name)
        errors = {tuple(map(int, lm.split(","))): tuple(np.array(row, float) for row in e) for lm, e in made["errors"].items()}
        model = (made["model"]["name"], waves_of(made["model"], made["model"]["name"])) if "model" in made else ()
        return Series(name, waves, made["reference"], errors, model, made["coprecessing"])
    except (KeyError, IndexError, AttributeError, TypeError, ValueError, WaveError) as e:
        raise KeptError(f"series/{name}.json: not what `dev/results.py take' keeps ({e!r}): take the run again") from e
