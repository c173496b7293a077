"""The loop: members of a folder, each a run over the first orbits with other momenta, until the orbit is as asked for.

    orbit.json         what was asked for, and every member with its fit
    orbit.txt          the same as a table
    orbit.png          a picture of it
    NAME_0.yaml        parameter file of the first member; NAME_0/ its run folder; NAME_0.out what the program said besides
    NAME_1.yaml, ...   with corrected momenta
    NAME.yaml          the parameter file with the momenta that were found

The member that is as asked for becomes the run itself: its folder moves to the place that the parameter file names, and
goes on to its end.
"""

import math
from pathlib import Path

import numpy as np

from tendex.base import files
from tendex.base.parameter_file import changed, parameters_of, text_of
from tendex.orbits import forecast, report
from tendex.waves.inspiral import eccentricity_momenta, eccentricity_run
from tendex.waves.reading.run import Run
from tendex.waves.signal.modes import WaveError

# Keys of quasi_circular, whose place those of two_punctures take.
QUASI_CIRCULAR = ("separation", "mass_ratio", "bh1_chi", "bh2_chi")
# A member that ends before its fit has what it needs goes on for so long, as part of its length, so many times.
MORE, MOST_MORE = 0.1, 5
# What orbit.json has; a fit in it.
FIT = ("e", "e_error", "e_frequency", "e_frequency_error", "periods")
KEYS = {"file", "text", "eccentricity", "mean anomaly", "members", "chosen"}


class LoopError(Exception):
    """The loop cannot go on; the text says where and what to do."""


def file_of(member):
    """Parameter file of a member, by its run folder, whose name may have dots."""
    return member.with_name(f"{member.name}.yaml")


def _is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool) and math.isfinite(x)


def _is_member(member, number):
    """Is it what `add' makes, with a fit or without?"""
    if not isinstance(member, dict) or not member.keys() >= {"initial_data", "t_end", "more", "fit"}:
        return False
    good = member.get("number") == number and isinstance(member["initial_data"], dict) and _is_number(member["t_end"]) and \
        _is_number(member["more"]) and all(isinstance(value, (str, type(None))) for value in member["initial_data"].values())
    if not good or member["fit"] is None:
        return good
    fit, numbers = member["fit"], ("tangential", "radial", "anomaly", "miss")
    return (isinstance(fit, dict) and all(_is_number(fit.get(key)) for key in FIT) and isinstance(member.get("next"), dict)
            and all(_is_number(member.get(key)) for key in numbers) and isinstance(member.get("swing"), dict)
            and isinstance(member.get("waves"), dict) and ("none" in member["waves"] or _is_number(member["waves"].get("e_gw"))))


class Loop:
    """file: the parameter file, which is not changed; sets: {"section.key": text} over it. Members lie in `folder'."""

    def __init__(self, file, sets, folder=None):
        self.file = Path(file).resolve()
        if not self.file.is_file():
            raise FileNotFoundError(f"{file}: no such parameter file")
        self.text = changed(text_of(self.file), sets, self.file)
        self.parameters = parameters_of(self.text, self.file, check=True)
        self.name = self.file.stem
        name = self.parameters.get("run.name") or self.name
        self.run_folder = Path(self.parameters.get("run.folder") or Path("out") / name).resolve()
        self.folder = Path(folder or f"{self.run_folder}.orbit").resolve()
        self.manifest = self.folder / "orbit.json"
        self.data = None
        if self.manifest.exists():
            self.data = self._read()

    def _read(self):
        """What orbit.json says. Raises LoopError."""
        try:
            found = files.read_json(self.manifest, LoopError)
        except LoopError as e:
            raise LoopError(f"{e}; remove {self.folder} and begin anew") from None
        members = found.get("members")
        good = KEYS <= found.keys() and isinstance(members, list) and all(map(_is_member, members, range(len(members))))
        if not good or found["chosen"] not in (None, *range(len(members))):
            raise LoopError(f"{self.manifest}: not what tendex-orbit wrote; remove {self.folder} and begin anew")
        return found

    def begin(self, wanted, most, only=False):
        """Start, or take up what is there. wanted: a goal.Goal; most: corrections at most; only: there will be no run."""
        asked = {"file": str(self.file), "text": self.text, "eccentricity": wanted.e,
                 "mean anomaly": wanted.anomaly}
        self.goal, self.most = wanted, most
        if self.data is None or not self.begun():
            self._check()
            self.data = asked | {"members": [], "chosen": None}
        for what, value in asked.items():
            if self.data[what] != value:
                said = f"text of {self.file}" if what == "text" else what
                raise LoopError(f"{self.manifest}: was begun with another {said}; remove {self.folder}, or give another --folder")
        if not only and self.data["chosen"] is None:
            self._check_end()
        for place in (self.folder, self.run_folder.parent):
            place.mkdir(parents=True, exist_ok=True)
        if self.folder.stat().st_dev != self.run_folder.parent.stat().st_dev:
            raise LoopError(f"--folder {self.folder}: lies on another file system than the run will, {self.run_folder}: a "
                            "member could not become the run; leave --folder out, or give one there")
        self.save()

    def begun(self):
        """Has anything run yet? If not, the file and what is asked for may change."""
        return any(member["fit"] or self.place(member).exists() for member in self.members)

    def _check(self):
        """Refuse what cannot work, before anything runs."""
        kind = self.parameters.get("initial_data.type")
        if kind not in eccentricity_run.CORRECTED:
            raise LoopError(f"{self.file}: initial_data.type is {kind}: {' or '.join(eccentricity_run.CORRECTED)} is needed, "
                            "as other data have no momenta of two holes; `tendex new' writes such a file")
        if not self.parameters.get("output.track_every", 8):
            raise LoopError(f"{self.file}: output.track_every is 0: the fit needs tracks of the punctures, every 8 steps "
                            "or so")
        if self.parameters.get("run.max_steps", 0):
            raise LoopError(f"{self.file}: run.max_steps is {self.parameters['run.max_steps']}: leave it out, as members and "
                            "the run go on to a time")
        if self.run_folder.exists():
            raise LoopError(f"{self.run_folder}: is there already, and the run will lie there; remove it, or name another "
                            "run.folder in the file")
        self.forecast()

    def _check_end(self):
        """Refuse a run that would be over before its first orbits can be fitted."""
        window = self.forecast().window
        if self.t_end < window:
            raise LoopError(f"{self.file}: run.t_end is {self.t_end:g} M, but the fit alone takes {window:.4g} M: raise it, or "
                            "give --only for the parameter file without a run")

    def forecast(self):
        """The Forecast of the file's binary. LoopError names the nearest separation that works where this does not."""
        separation, masses, chis = self.binary()
        try:
            return self._forecast(separation, masses, chis)
        except WaveError as e:
            total = sum(masses)
            for d in np.arange(separation / total, 30.0, 0.25):
                try:
                    self._forecast(d * total, masses, chis)
                except WaveError:
                    continue
                raise LoopError(f"{self.file}: {separation:.4g} M apart the holes merge too soon for a fit "
                                f"({str(e).split(';')[0]}): begin {d * total:.4g} M apart or more, by "
                                f"`tendex new --separation {d * total:.4g}' or initial_data.separation") from e
            raise LoopError(f"{self.file}: {e}") from e

    def _forecast(self, separation, masses, chis):
        return forecast.forecast(separation, masses, chis, *self.goal.orbit(separation / sum(masses)))

    @property
    def allowed(self):
        """Eccentricity of dD/dt that is asked for."""
        separation, masses, _ = self.binary()
        return self.goal.allowed(separation / sum(masses))

    def binary(self):
        """(separation, masses, dimensionless spins [2][3]) of the parameter file."""
        p = self.parameters
        if p["initial_data.type"] == "quasi_circular":
            q = p.get("initial_data.mass_ratio", 1)
            chis = np.array([p.get(f"initial_data.bh{n}_chi", [0, 0, 0]) for n in (1, 2)], float)
            return p.get("initial_data.separation", 10), (q / (1 + q), 1 / (1 + q)), chis
        masses = tuple(p.get(f"initial_data.bh{n}_mass", 0) for n in (1, 2))
        place, spin = ([np.array(p.get(f"initial_data.bh{n}_{what}", [0, 0, 0]), float) for n in (1, 2)]
                       for what in ("position", "spin"))
        apart = place[0] - place[1]
        if not min(masses) > 0 or not apart.any():
            raise LoopError(f"{self.file}: bh1_mass, bh2_mass above 0 and two positions are needed")
        return float(np.linalg.norm(apart)), masses, np.array([s / m**2 for s, m in zip(spin, masses)])

    @property
    def members(self):
        return self.data["members"]

    def save(self):
        files.write_json(self.manifest, self.data)
        if self.members:
            files.write(self.folder / "orbit.txt", report.table(self) + "\n")

    def place(self, member):
        """Its run folder; of the one that was chosen, the run's own once it has moved there."""
        own = self.folder / f"{self.name}_{member['number']}"
        return self.run_folder if self.data["chosen"] == member["number"] and not own.exists() else own

    def add(self, initial_data):
        """A member with {"initial_data.key": text} over the file's."""
        number = len(self.members)
        member = {"number": number, "t_end": float(f"{self.forecast().window:.6g}"), "more": 0, "fit": None,
                  "initial_data": initial_data}
        self.members.append(member)
        self.save()

    def solve(self, run, say):
        """Members until one is as asked for: it, or None where `most' corrections did not reach it. run(folder, parameter file,
        time) goes on with a run to this time."""
        if self.data["chosen"] is not None:
            return self.members[self.data["chosen"]]
        if not self.members:
            self.add({})
        while True:
            member = self.members[-1]
            if member["fit"] is None:
                self._evolve(member, run, say)
                self.save()
                report.draw(self)
                say(report.line(self, member))
            if member["miss"] <= 1:
                return member
            if member["number"] >= self.most:
                return None
            self.add(member["next"])

    def _evolve(self, member, run, say):
        place = self.place(member)
        settings = {**member["initial_data"], "run.folder": str(place), "run.t_end": f"{member['t_end']}",
                    "checkpoint.at_end": "true"}
        files.write(file_of(place), changed(self.text, settings, self.file))
        while True:
            run(place, file_of(place), member["t_end"])
            found = Run(place)
            try:
                fit = eccentricity_run.of_run(found)
            except WaveError as e:
                if member["more"] >= MOST_MORE or "radial periods" not in str(e) or found.merger_time():
                    raise LoopError(f"{place}: {e}") from e
                member["more"] += 1
                member["t_end"] = float(f"{member['t_end'] * (1 + MORE):.6g}")
                say(f"{place.name}: {e}: going on to {member['t_end']:.6g} M")
                self.save()
                continue
            break
        swing = {"t": fit.track.t, "oscillation": fit.oscillation, "fitted": fit.fitted}
        apart = fit.separation / sum(found.masses)
        new = eccentricity_momenta.correct(fit, found.masses, found.positions, found.momenta, self.goal.orbit(apart))
        member.update(swing=swing, fit=eccentricity_run.of_tracks(fit), anomaly=float(np.degrees(fit.anomaly)),
                      miss=self.goal.miss(fit, apart),
                      tangential=new.tangential, radial=new.radial, momenta=found.momenta, waves=eccentricity_run.of_waves(found),
                      next=member["initial_data"] | self._data(found, new.momenta))

    def _data(self, run, momenta):
        """{"initial_data.key": text or None} that give these momenta to the holes of a run."""
        kind = run.parameters["initial_data.type"]
        dropped = QUASI_CIRCULAR if kind == "quasi_circular" else ()
        return ({f"initial_data.{key}": None for key in dropped if f"initial_data.{key}" in self.parameters} |
                {f"initial_data.{key}": text for key, text in eccentricity_run.settings(run, kind, momenta).items()})

    def best(self):
        """The member that misses by least."""
        return min((m for m in self.members if m["fit"]), key=lambda m: m["miss"])

    @property
    def t_end(self):
        """Of the run itself."""
        return self.parameters.get("run.t_end", 0)

    @property
    def own(self):
        """{key: text} that members have of their own and the run not, but for its momenta and end: members can be made longer."""
        return {"checkpoint.at_end": str(self.parameters.get("checkpoint.at_end", True)).lower()}

    @property
    def found(self):
        """The parameter file with the momenta that were found."""
        return self.folder / f"{self.name}.yaml"

    def table(self):
        return report.table(self)

    def write(self, member):
        """The parameter file with its momenta."""
        settings = {**member["initial_data"], "run.folder": str(self.run_folder)}
        files.write(self.found, changed(self.text, settings, self.file))

    def move(self, member):
        """Its run folder to where the run is to lie."""
        own = self.folder / f"{self.name}_{member['number']}"
        self.data["chosen"] = member["number"]
        self.save()
        if own.exists():
            own.rename(self.run_folder)
