"""Numbers and waves of runs in docs/results: NAME.json and, of runs whose waves are kept too, series/NAME.json.

Lengths and times of series are in units of the holes' initial masses together. A curve is that of a reduced-order spline
(tendex.waves.signal.romspline) at few of its even times, its values integers times a unit.
"""

import json
from dataclasses import dataclass, field

import numpy as np

from tendex.base import files
from tendex.waves.signal import romspline
from tendex.waves.signal.modes import Waves, WaveError

# Samples that a curve may have; where noise asks for more, the tolerance is doubled until they are enough.
MOST = 450
# An integer is this part of the tolerance, at most.
FINE = 0.25


class KeptError(Exception):
    """A run, or a part of it, that is asked for is not kept, or a page asks for what there is not."""


@dataclass(frozen=True)
class Series:
    """Of one run, in geometric units."""

    name: str
    strain: Waves  # from the reference time on; (l, m) that are strong enough
    reference: float  # retarded time from when on the waves are the binary's
    errors: dict = field(default_factory=dict)  # {(l, m): (u [k], amplitude [k] relative, phase [k] rad)}
    tracks: tuple = ()  # (t [n], separation [n], angle [n] of the line between the punctures, rad)
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


def write_series(file, made):
    """A list of numbers a line."""
    lines = []

    def of(value, indent):
        if not isinstance(value, dict):
            return json.dumps(value, separators=(",", ":"))
        inner = ",\n".join(f"{' ' * (indent + 1)}{json.dumps(key)}: {of(part, indent + 1)}" for key, part in value.items())
        return f"{{\n{inner}\n{' ' * indent}}}"
    lines.append(of(made, 0))
    files.write(file, "".join(lines) + "\n")


class Shelf:
    """The folder of what is kept."""

    def __init__(self, folder):
        self.folder = folder
        self.known = {}

    def series_file(self, name):
        return self.folder / "series" / f"{name}.json"

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
        files.write_json(self.folder / f"{name}.json", numbers)
        if series:
            write_series(self.series_file(name), series)


def _series(name, made):
    try:
        waves = waves_of(made["strain"], name)
        errors = {tuple(map(int, lm.split(","))): tuple(np.array(row, float) for row in e) for lm, e in made["errors"].items()}
        tracks, model = (), ()
        if "tracks" in made:
            n, way = made["tracks"]["samples"], made["tracks"]
            tracks = way["start"] + way["step"] * np.arange(n), unpack(way["separation"], n), unpack(way["angle"], n)
        if "model" in made:
            model = made["model"]["name"], waves_of(made["model"], made["model"]["name"])
        return Series(name, waves, made["reference"], errors, tracks, model, made["coprecessing"])
    except (KeyError, IndexError, AttributeError, TypeError, ValueError, WaveError) as e:
        raise KeptError(f"series/{name}.json: not what `dev/results.py take' writes ({e!r}): take the run again") from e
