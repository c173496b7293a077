#!/usr/bin/python3
"""A stand-in for the program: its runs are orbits of the 3PN Hamiltonian with the momenta of the parameter file.

    stand_in.py --version | --help-params=json | run -q FILE | run -q --restart FOLDER --set run.t_end=T

The file $STAND_IN, if there is one, says what goes wrong in the next run: `fail', `stop' (halfway), or `signal' (it waits for
SIGUSR1, answers, and ends half a second later, at once by a second one; `signal without answer': it answers when it ends).
quasi_circular data have a radial momentum that makes an eccentricity of 0.0091: that of 0.01 where the separation is 12 M, not 11.95.
"""

import json
import os
import shutil
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))


def binary(p):
    """(masses, positions[2][3], momenta[2][3])."""
    import numpy as np
    import orbits
    def vectors(what):
        return [np.array(p[f"initial_data.bh{n}_{what}"], float) for n in (1, 2)]
    if p["initial_data.type"] == "two_punctures":
        return tuple(p[f"initial_data.bh{n}_mass"] for n in (1, 2)), vectors("position"), vectors("momentum")
    q, separation = p["initial_data.mass_ratio"], p["initial_data.separation"]
    m = q / (1 + q), 1 / (1 + q)
    r, radial, tangential = orbits.start(separation, 1e-2, 2.0, m[0] * m[1])
    momentum = m[0] * m[1] * np.array([radial, tangential * r / separation, 0.0])
    return m, [np.array([x, 0, 0]) for x in (separation * m[1], -separation * m[0])], [momentum, -momentum]


def evolve(file, folder, t):
    import numpy as np
    import orbits
    import synthetic
    from tendex.base.parameter_file import read_parameters
    p = read_parameters(file)
    masses, positions, momenta = binary(p)
    nu, line = masses[0] * masses[1], positions[0] - positions[1]
    r = np.linalg.norm(line)
    along, across = line / r, momenta[0] - momenta[0] @ line / r**2 * line
    times, distance, angle = orbits.orbit((r, momenta[0] @ along / nu, np.linalg.norm(across) / nu), nu, t)
    across = across / np.linalg.norm(across)
    apart = distance[:, None] * (np.cos(angle)[:, None] * along + np.sin(angle)[:, None] * across)
    shutil.rmtree(folder, ignore_errors=True)
    synthetic.write_run(folder, radii=(50.0,), t_end=t, dt=10.0, l_max=2, masses=masses, separation=r,
                        remnant=(0.95, 0.7))
    (folder / "horizons.asc").unlink()
    synthetic._write_tracks(folder, times, [masses[1] * apart, -masses[0] * apart])
    bbh = (folder / "TwoPunctures.bbh").read_text().splitlines()
    bbh = [line for line in bbh if "-momentum" not in line or "ADM" in line]
    bbh += [f"initial-bh-momentum{n}{x} = {v:.17g}" for n, two in enumerate(momenta, 1) for x, v in zip("xyz", two)]
    (folder / "TwoPunctures.bbh").write_text("\n".join(bbh) + "\n")


def until_signal(order, answers):
    asked, answer = (signal.SIGUSR1,), "tendex: SIGUSR1: finishing the step, writing a checkpoint, then exiting"
    signal.pthread_sigmask(signal.SIG_BLOCK, asked)
    signal.signal(signal.SIGUSR1, lambda *_: None)  # as the program has one, which /proc shows
    order.unlink()
    if not signal.sigtimedwait(asked, 15.0):
        return 8
    if answers:
        print(answer, file=sys.stderr, flush=True)
    if not signal.sigtimedwait(asked, 0.5):
        if not answers:
            print(answer, file=sys.stderr)
        return 0
    print("tendex: ended at once by a second signal", file=sys.stderr)
    return 9


def main(words):
    defaults = ("run.t_end", "run.folder", "output.track_every", "waves.l_max")
    if words == ["--version"]:
        print("Tendex 0, octants of 8^3 points")
        return 0
    if words == ["--help-params=json"]:
        print(json.dumps([{"key": key, "default": ""} for key in defaults]))
        return 0
    order = Path(os.environ.get("STAND_IN", "/nowhere"))
    wrong = order.read_text().strip() if order.exists() else ""
    if wrong.startswith("signal"):
        return until_signal(order, wrong == "signal")
    # What takes long to load.
    from tendex.base.parameter_file import changed, read_parameters
    restart = "--restart" in words
    file = Path(words[words.index("--restart") + 1]) / "run.yaml" if restart else Path(words[-1])
    text = file.read_text()
    if restart:
        text = changed(text, {"run.t_end": words[-1].split("=")[1]})
    p = read_parameters(file)
    folder = file.parent if restart else Path(p["run.folder"])
    if wrong:
        order.unlink()
    if wrong == "fail":
        print("tendex: error: initial_data.bh1_mass: cannot be reached", file=sys.stderr)
        return 3
    t_end = float(text.split("t_end: ")[1].split()[0])
    t = t_end / 2 if wrong == "stop" else t_end
    source = folder.with_name(folder.name + ".source")
    source.write_text(text)
    evolve(source, folder, t + 0.5)
    source.replace(folder / "run.yaml")
    (folder / "log.txt").write_text("Tendex 0, 2020-01-01\n")
    summary = json.loads((folder / "summary.json").read_text())
    summary.update(t=t, complete=wrong != "stop", ended="SIGUSR1" if wrong == "stop" else "complete")
    (folder / "summary.json").write_text(json.dumps(summary))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
