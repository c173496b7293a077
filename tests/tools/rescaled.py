"""The same run in another unit: all lengths, times, masses, momenta and energies of a run folder times a factor.

    big = rescaled.write(folder, tmp / "big", 4)
    rescaled.differences(small_json, big_json, 4, POWERS)      # [] if both say the same in units of M
"""

import json
import re

import h5py
import numpy as np

# Powers of mass of the columns of horizons.asc that are not lengths.
HORIZON = {name: 0 for name in ("iteration", "horizon", "found", "chi", "iterations", "holes")}
HORIZON.update({"spin_x": 2, "spin_y": 2, "spin_z": 2, "area": 2, "residual": -1})
# A radius in a name.
# Numbers below are rounding where a tolerance is allowed.
ROUNDING = 1e-14
RADIUS = r"((?<=_r)|(?<=:r)|(?<=\br = )|(?<=^r))\d+(\.\d+)?(?=\s|$|,)|^\d+(\.\d+)?$"


def _energy(name):
    """Power of a column of energy.asc."""
    return (2 if "J" in name[:2] else 1) - name.startswith("d")


TABLES = {"waves/areal_radius.asc": lambda name: 1, "waves/expansion.asc": lambda name: -1, "waves/turning.asc": lambda name: -1,
          "energy.asc": _energy, "constraints.asc": lambda name: 0, "horizons.asc": lambda name: HORIZON.get(name, 1),
          "grid.asc": lambda name: 0 if name == "level" else 1, "puncturetracker-pt_loc..asc": None}
TRACKS = [0] * 8 + [1] + [0] * 3 + [1] * 40


def renamed(name, factor):
    """With its radii times a factor, in as many digits."""
    def times(match):
        value = factor * float(match[0])
        return f"{value:.2f}" if "." in match[0] else f"{value:g}"
    return re.sub(RADIUS, times, name)


def _powers(names, of):
    return [0 if name == "iteration" else 1 if name == "time" else of(name) for name in names]


def _write_table(old, new, of, factor):
    head = [line for line in old.read_text().splitlines() if line.startswith("#")]
    names = re.findall(r"\b\d+:(\S+)", head[-1])
    powers = TRACKS if of is None else _powers(names, of)
    rows = np.loadtxt(old, ndmin=2) * float(factor) ** np.array(powers)
    new.parent.mkdir(parents=True, exist_ok=True)
    np.savetxt(new, rows, fmt="%.17g", header="\n".join(renamed(line[2:], factor) for line in head), comments="# ")


def _write_modes(old, new, factor):
    with h5py.File(old, "r") as a, h5py.File(new, "w") as b:
        b.attrs.update(a.attrs)
        for name, rows in a.items():
            b[renamed(name, factor)] = rows[()] * np.array([factor, factor**-2, factor**-2])


def _number(power, factor):
    return lambda match: f"{float(match[0]) * float(factor) ** power:.17g}"


def _parameters(text, factor):
    """Of synthetic.write_run: what has a unit of length, time, mass or momentum; spins are M^2."""
    def line(match):
        return match[1] + re.sub(r"-?\d[\d.e+-]*", _number(2 if "spin" in match[1] else 1, factor), match[2])
    return re.sub(r"^(  (?:t_end|extent|bh\d_\w+|radii): )(.*)$", line, text, flags=re.M)


def _data(text, factor):
    def line(match):
        power = 2 if "spin" in match[1] or "angular" in match[1] else 1
        return match[1] + _number(power, factor)([match[2]])
    return re.sub(r"^(initial[\w-]* = )([-\d.e+]+)$", line, text, flags=re.M)


def write(old, new, factor):
    """Write the run folder `new', and return it. A factor that is a power of two changes no digit."""
    (new / "waves").mkdir(parents=True)
    _write_modes(old / "waves/mp_psi4.h5", new / "waves/mp_psi4.h5", factor)
    for name, of in TABLES.items():
        if (old / name).exists():
            _write_table(old / name, new / name, of, factor)
    said = json.loads((old / "summary.json").read_text())
    (new / "summary.json").write_text(json.dumps({**said, **{key: said[key] * factor for key in ("t", "t_end", "adm_energy")}}))
    (new / "run.yaml").write_text(_parameters((old / "run.yaml").read_text().replace(str(old), str(new)), factor))
    if (old / "TwoPunctures.bbh").exists():
        (new / "TwoPunctures.bbh").write_text(_data((old / "TwoPunctures.bbh").read_text(), factor))
    return new


def differences(small, big, factor, powers, tolerance=0.0, where=""):
    """[text] of what two JSON documents do not have alike. powers: {name: power of mass} of numbers that have a unit, the last
    name on the way to a number that is in it deciding; tolerance: relative, of numbers."""
    if isinstance(small, dict):
        big = {renamed(key, 1 / factor): value for key, value in big.items()}
        if small.keys() != big.keys():
            return [f"{where}: {sorted(small.keys() ^ big.keys())}"]
        return sum((differences(small[k], big[k], factor, powers, tolerance, f"{where}/{k}") for k in small), [])
    if isinstance(small, list):
        if len(small) != len(big):
            return [f"{where}: {len(small)} values, {len(big)}"]
        return sum((differences(a, b, factor, powers, tolerance, where) for a, b in zip(small, big)), [])
    if isinstance(small, str):
        return [] if renamed(big, 1 / factor) == small else [f"{where}: {small!r}, {big!r}"]
    if isinstance(small, bool) or small is None:
        return [] if big is small else [f"{where}: {small}, {big}"]
    power = next((powers[name] for name in reversed(where.split("/")) if name in powers), 0)
    expected = small * float(factor) ** power
    same = big == expected or abs(big - expected) <= tolerance * abs(expected) + ROUNDING * (tolerance > 0)
    return [] if same else [f"{where}: {small!r} is {big!r}, not {expected!r} (power {power})"]
