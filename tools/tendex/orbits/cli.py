"""The command line of tendex-orbit.

Reduce the orbital eccentricity of a binary, then run it:

    tools/tendex-orbit FILE --eccentricity 1e-3

The first orbits are run with the momenta of the file. The oscillation of the separation's rate of change about its trend is
fitted, and momenta that remove it are derived (arXiv:1203.4258, by the 2PN Hamiltonian). This repeats until the
eccentricity is reached; the last member of the series then continues to run.t_end. A member runs for half an orbit, at least
100 M, and 1.5 radial periods, some 2.5 orbits. The last one is the beginning of the run itself, so only those before it are
extra cost.

With --mean-anomaly L the orbit is made eccentric: the eccentricity is e_gw of the waves' frequency (arXiv:2302.11257), taken
as 1 - 0.83 M/a of that of the tracks, a being the semi-major axis, and L is the mean anomaly at t = 0 [degrees]: 0 is the periastron, 180 the apastron.
Eccentricities are those at t = 0, from the tracks of the punctures. Such an orbit merges earlier or later than a circle from the
same separation: the time is printed, and run.t_end is not changed.

FOLDER holds a table (orbit.txt), a picture (orbit.png), all numbers (orbit.json), the members, and at the end the parameter
file found. The same command continues an interrupted series. On SIGINT, SIGTERM and SIGUSR1 the run writes a checkpoint and
ends. Under Slurm: the scripts of par/slurm, with orbit=(--eccentricity 1e-3) in them.

Exit codes are those of tendex: 0 complete, or stopped in good order for a later restart; 2 wrong command line; 3 wrong
parameter; 4 file error; 6 eccentricity not reached; or that of a failed run.
"""

import argparse
import shlex
import sys
from pathlib import Path

from tendex.base.folder import FolderError
from tendex.base.program import Program, ProgramError
from tendex.orbits.goal import MOST, Goal
from tendex.orbits.loop import Loop, LoopError
from tendex.orbits.runner import RunError, Runner, Stopped
from tendex.waves.signal.modes import WaveError

ROOT = Path(__file__).resolve().parents[3]


def parser():
    p = argparse.ArgumentParser(prog="tendex-orbit", description="\n".join(__doc__.splitlines()[2:]),
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file", type=Path, metavar="FILE", help="parameter file with initial_data.type quasi_circular or "
                   "two_punctures")
    p.add_argument("--eccentricity", type=float, metavar="E", help="eccentricity at most this, above 0 and up to "
                   f"{MOST:g}; with --mean-anomaly exactly this; required")
    p.add_argument("--mean-anomaly", type=float, metavar="L", help="mean anomaly at t = 0 [degrees], for an eccentric orbit")
    p.add_argument("--corrections", type=int, default=3, metavar="N", help="largest number of corrections, default 3")
    p.add_argument("--folder", type=Path, metavar="FOLDER",
                   help="folder of the series, default: the run folder's name with .orbit")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="set a parameter over the file's value")
    p.add_argument("--best", action="store_true", help="continue with the best member if the eccentricity is not reached")
    p.add_argument("--only", action="store_true", help="stop at the parameter file found; do not run it")
    p.add_argument("--launcher", default="", metavar="WORDS", help="command that starts the ranks, e.g. 'mpirun -n 4'")
    p.add_argument("--program", type=Path, default=ROOT / "build" / "release" / "tendex", metavar="PATH",
                   help="tendex program, default build/release/tendex")
    return p


def say(text):
    print(text, flush=True)


def check(p, a):
    if a.eccentricity is None:
        p.error("--eccentricity is missing: give a number above 0 and up to "
                f"{MOST:g}, e.g. --eccentricity 1e-3")
    if not 0 < a.eccentricity <= MOST:
        p.error(f"--eccentricity {a.eccentricity:g}: give a number above 0 and up to {MOST:g}")
    if a.mean_anomaly is not None and not 0 <= a.mean_anomaly < 360:
        p.error(f"--mean-anomaly {a.mean_anomaly:g}: give degrees, from 0 to below 360")
    if a.corrections < 0:
        p.error(f"--corrections {a.corrections}: give 0 or more")


def work(a):
    program = Program(a.program)
    loop = Loop(a.file, program.settings(a.set), a.folder)
    loop.begin(Goal(a.eccentricity, a.mean_anomaly), a.corrections, a.only)
    if loop.goal.eccentric:
        say(f"{loop.name}: the eccentric orbit merges at about t = {loop.forecast().merger:.4g} M; run.t_end is {loop.t_end:g} M")
    with Runner(program, shlex.split(a.launcher), say) as run:
        member = loop.solve(run, say)
        code = 0
        if member is None:
            member, code = loop.best(), 6
        elif member["miss"] > 1:
            say(f"member {member['number']} was chosen before, by --best")
        say(f"\n{loop.table()}\n")
        loop.write(member)
        say(f"parameter file: {loop.found}")
        if code and not a.best:
            raise RunError(f"{loop.goal} is not reached with {a.corrections} corrections; the best member is "
                           f"{member['number']}, e = {member['fit']['e']:.6f} +- {member['fit']['e_error']:.6f}; go on "
                           "with it by --best, or allow more corrections by --corrections N", code)
        if a.only:
            return code
        loop.move(member)
        run(loop.run_folder, loop.found, loop.t_end, loop.own)
        say(f"{loop.run_folder}: complete at t = {run.reached(loop.run_folder):g} M")
        return 0


def main(words=None):
    p = parser()
    a = p.parse_args(words)
    check(p, a)
    try:
        return work(a)
    except Stopped as e:
        say(f"{e}; the same command continues it")
        return 0
    except RunError as e:
        code, said = e.code, e
    except (LoopError, ProgramError, WaveError, FolderError) as e:
        code, said = 3, e
    except OSError as e:
        code, said = 4, e
    print(f"tendex-orbit: error: {said}", file=sys.stderr)
    return code
