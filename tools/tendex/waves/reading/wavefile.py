"""Files of waves that tendex-waves writes, and reads again: HDF5, a group a wave.

Root attributes say what holds for all: format, conventions, code_version of the run, the cut-off of the integration,
and `best`, the group to take when none is asked for. A group is r<R> (through the sphere of that coordinate radius,
over the run's time), extrapolated_N<order> or perturbative (at infinity, over retarded time), with news_ or psi4_
before it if it is that. Its attributes: kind, radius, areal_radius, mass, label, and
start, before which psi4 was continued. Its datasets l<l>_m<m>: [n][3] time,
real and imaginary part of r times the quantity, in the run's own unit; mass is the holes' initial masses together in
it. A group in the coprecessing frame has that beside its modes, dataset `frame`: [n][5] time and the unit quaternion w, x,
y, z that turns the inertial axes into the frame's. The group `error` has l<l>_m<m>: [n][3] retarded time, relative error of the amplitude, error of the phase in rad,
for `best`.
"""

import io
import re
from pathlib import Path

import h5py
import numpy as np

from tendex.base import files, hdf5, tables
from tendex.waves.signal import frame
from tendex.waves.signal.modes import KINDS, WaveError, Waves

FORMAT = "tendex waves 1"
# Attribute of the root: the holes' Christodoulou masses together at the reference time, the M of catalogues, in the run's own unit.
UNIT = "christodoulou_mass"
CONVENTIONS = {
    "format": FORMAT,
    "strain_sign": "h = h+ - i hx, d2 h/dt2 = -psi4; counter-clockwise orbits turn h_22 as exp(-i w t), w > 0",
    "harmonics": "spin weight -2, arXiv:0709.0093 eq. II.7-8; h_lm = integral h conj(Y_lm) dOmega",
    "scaled_by_r": 1,
    "units": "G = c = 1, the run's own unit of length; divide time and r h by the attribute `mass' for units of M",
    "integration": "arXiv:1006.1632, psi4 / max(|w|, w0)^2; w0 = |m| times the attribute `cutoff', angle per time; "
                   "for m = 0 the larger of `cutoff' and 0.15 / mass, and `cutoff' where the orbit leaves the plane z = 0",
}
MODE = re.compile(r"l(\d+)_m(-?\d+)")


def name_of(wave, order=None):
    """Of a group."""
    place = f"r{wave.radius:.2f}" if np.isfinite(wave.radius) else f"extrapolated_N{order}" if order else "perturbative"
    return place if wave.kind == "strain" else f"{wave.kind}_{place}"


def write(file, groups, best, error=None, frames=None, **attributes):
    """Write {name: Waves}; error: {(l, m): (amplitude [n], phase [n])} of the group `best`; frames: {name: [n][4]} of
    groups that are not in the inertial frame; attributes of the root."""
    with files.hdf5(file) as h:
        h.attrs.update(CONVENTIONS)
        h.attrs.update({**attributes, "best": best})
        for name, wave in groups.items():
            group = h.create_group(name)
            group.attrs.update({"kind": wave.kind, "radius": wave.radius, "areal_radius": wave.areal, "mass": wave.mass,
                                "label": wave.label})
            if wave.start is not None and np.isfinite(wave.start):
                group.attrs["start"] = wave.start
            for (l, m), values in wave.modes.items():
                group[f"l{l}_m{m}"] = np.column_stack([wave.t, values.real, values.imag])
        for name, q in (frames or {}).items():
            h[f"{name}/frame"] = np.column_stack([groups[name].t, q])
        for (l, m), (amplitude, phase) in (error or {}).items():
            h[f"error/l{l}_m{m}"] = np.column_stack([groups[best].t, amplitude, phase])


def write_text(folder, groups, frames=None):
    """A file <group>/l<l>_m<m>.asc for each mode, three columns with all digits; <group>/frame.asc as in `write'."""
    for name, q in (frames or {}).items():
        text = io.StringIO()
        np.savetxt(text, np.column_stack([groups[name].t, q]), fmt="%.16e",
                   header=f"frame of {groups[name].label}: time, quaternion w, x, y, z")
        files.write(Path(folder) / name / "frame.asc", text.getvalue())
    for name, wave in groups.items():
        for (l, m), values in wave.modes.items():
            text = io.StringIO()
            np.savetxt(text, np.column_stack([wave.t, values.real, values.imag]), fmt="%.16e",
                       header=f"r {wave.kind}, l = {l}, m = {m}, {wave.label}: time, real part, imaginary part")
            files.write(Path(folder) / name / f"l{l}_m{m}.asc", text.getvalue())


def is_ours(h):
    """Whether an open HDF5 file is one of these."""
    return hdf5.text(h.attrs, "format") == FORMAT


def read(file, group=None):
    """Waves of one group, by default the best, in the inertial frame. Raises WaveError."""
    with hdf5.opened(file, WaveError) as h:
        if not is_ours(h):
            raise WaveError(f"{file}: no file of tendex-waves: its attribute `format' is {h.attrs.get('format')!r}, "
                            f"not {FORMAT!r}")
        group = group or hdf5.text(h.attrs, "best")
        names = [name for name, one in h.items() if name != "error" and isinstance(one, h5py.Group)]
        if group not in names:
            raise WaveError(f"{file}: no group {group}; there are {', '.join(names)}")
        found, turned = _waves(file, h[group], group), None
        if "frame" in h[group]:
            turned = hdf5.rows(file, h[group], "frame", 5, WaveError)
            tables.check_finite(file, f"{group}/frame", turned[:, 0], turned[:, 1:], WaveError)
            if not np.array_equal(turned[:, 0], found.t):
                raise WaveError(f"{file}: {group}/frame: times differ from the modes'")
    return found if turned is None else frame.turned(found, frame.inverse(turned[:, 1:]))


def _waves(file, group, name):
    """Waves of a group, in its own frame."""
    modes, t = {}, None
    for match in filter(None, map(MODE.fullmatch, group)):
        l, m = int(match[1]), int(match[2])
        times, modes[l, m] = hdf5.series(file, group, match[0], f"{name}: {tables.mode(l, m)}", WaveError)
        if t is not None and not np.array_equal(t, times):
            raise WaveError(f"{file}: {name}/{match[0]}: times differ from the other modes'")
        t = times
    if not modes:
        raise WaveError(f"{file}: {name}: no modes in it")
    radius, areal, mass = (hdf5.number(file, group.attrs, key, WaveError) for key in ("radius", "areal_radius", "mass"))
    kind = hdf5.text(group.attrs, "kind")
    if kind not in KINDS or not min(radius, areal, mass) > 0 or not np.isfinite(mass):
        raise WaveError(f"{file}: {name}: attributes kind = {kind}, radius = {radius:g}, areal_radius = {areal:g}, mass = {mass:g}: not "
                        "those of waves")
    return Waves(kind, t, dict(sorted(modes.items())), radius, areal, mass, hdf5.text(group.attrs, "label"))
