"""The command line of tendex-orbit.

    tools/tendex-orbit FILE --eccentricity 1e-3

runs the binary of a parameter file so that its orbit has at most this eccentricity: the first orbits with the momenta of
the file, a fit of what the separation's rate of change oscillates about its trend, momenta that take it away
(arXiv:1203.4258, by the 2PN Hamiltonian), and so on until it holds; then that run goes on to its end. Each
member of this series runs for half an orbit, at least 100 M, and 1.5 radial periods, some 2.5 orbits. The last member
is the beginning of the run itself, so only those before it are extra.

With --mean-anomaly L an eccentric orbit is made: its eccentricity is that of the waves' frequency, e_gw of
arXiv:2302.11257, taken as 1 - 0.83 M/a of that of the tracks with the semi-major axis a, and L its mean anomaly in degrees
when the run starts; 0 is the periastron, 180 the apastron. Eccentricities are those at t = 0, by the tracks of the
punctures. Such an orbit merges earlier or later than the circle from the same separation: when is said, and run.t_end yours.

FOLDER holds a table (orbit.txt), a picture (orbit.png), all numbers (orbit.json), the members, and in the end the
parameter file that was found. Called again, it goes on where it was. SIGINT, SIGTERM and SIGUSR1 let the run save itself
and end. Under Slurm: the scripts of par/slurm, with orbit=(--eccentricity 1e-3) in them.

Exit codes are tendex's: 0 done, or ended in good order to go on later; 2 wrong command line; 3 wrong parameter; 4 files;
6 the eccentricity was not reached; or what a run failed with.
"""

import argparse
import shlex
import sys
from pathlib import Path

from tendex.folder import FolderError
from tendex.orbits.goal import MOST, Goal
from tendex.orbits.loop import Loop, LoopError
from tendex.orbits.runner import RunError, Runner, Stopped
from tendex.program import Program, ProgramError
from tendex.waves.modes import WaveError

ROOT = Path(__file__).resolve().parents[3]


def parser():
    p = argparse.ArgumentParser(prog="tendex-orbit", description="\n".join(__doc__.splitlines()[2:]),
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file", type=Path, metavar="FILE", help="parameter file with initial_data.type quasi_circular or "
                   "two_punctures")
    p.add_argument("--eccentricity", type=float, metavar="E", help="at most this, above 0 and up to "
                   f"{MOST:g}, or with --mean-anomaly this; must be given")
    p.add_argument("--mean-anomaly", type=float, metavar="L", help="degrees at t = 0, for an eccentric orbit")
    p.add_argument("--corrections", type=int, default=3, metavar="N", help="at most so many, default 3")
    p.add_argument("--folder", type=Path, metavar="FOLDER", help="default: the run folder's name with .orbit")
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter over the file's")
    p.add_argument("--best", action="store_true", help="go on with the best member where the eccentricity is not reached")
    p.add_argument("--only", action="store_true", help="end with the parameter file that is found: no run")
    p.add_argument("--launcher", default="", metavar="WORDS", help="what starts ranks, e.g. 'mpirun -n 4'")
    p.add_argument("--program", type=Path, default=ROOT / "build" / "release" / "tendex", metavar="PATH",
                   help="default build/release/tendex")
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
        say(f"{loop.name}: the eccentric orbit merges at about t = {loop.forecast().merger:.4g} M, not when that circle does from which it is "
            f"made; run.t_end is {loop.t_end:g} M")
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
                           "with it by --best, or with more corrections by --corrections N", code)
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
        say(f"{e}; the same command goes on with it")
        return 0
    except RunError as e:
        code, said = e.code, e
    except (LoopError, ProgramError, WaveError, FolderError) as e:
        code, said = 3, e
    except OSError as e:
        code, said = 4, e
    print(f"tendex-orbit: error: {said}", file=sys.stderr)
    return code
