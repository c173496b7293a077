"""Other people's readers, installed into a folder of the build, once."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
PYTHON = (3, 11)
# What pip says when it does not reach the registry.
OFFLINE = r"NewConnectionError|ConnectTimeout|ReadTimeout|name resolution|Network is unreachable|ProxyError|timed out"
SKIPPED = 77


def required():
    return bool(os.environ.get("TENDEX_READERS_REQUIRED"))


def skip(reason):
    """Leave as a test that was skipped; where the readers are required, as one that failed."""
    print(f"{'failed' if required() else 'skipped'}: {reason}", flush=True)
    sys.exit(1 if required() else SKIPPED)


def install(folder):
    """Install what REQUIREMENTS says into `folder`, unless it is there, and put it on the path."""
    folder = Path(folder)
    mark = folder / ".installed"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if not (mark.exists() and mark.read_text() == wanted):
        if sys.version_info[:2] != PYTHON:
            skip(f"the readers are pinned for Python {PYTHON[0]}.{PYTHON[1]}, this is {sys.version.split()[0]}")
        shutil.rmtree(folder, ignore_errors=True)
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--only-binary", ":all:", "--require-hashes",
             "--no-compile", "--disable-pip-version-check", "--root-user-action=ignore", "--retries", "2", "--timeout",
             "30", "--target", str(folder), "-r", str(REQUIREMENTS)], capture_output=True, text=True)
        if done.returncode:
            if re.search(OFFLINE, done.stderr):
                skip("the package registry cannot be reached:\n" + done.stderr[-500:])
            if "No module named pip" in done.stderr:
                skip("there is no pip (Debian: python3-pip)")
            print(done.stderr)
            sys.exit("the readers could not be installed")
        mark.write_text(wanted)
    sys.path.insert(0, str(folder))


def compile_when_called():
    """scri and what it needs ask numba for dozens of functions of given types when they are imported, half a minute's work:
    have each compiled at its first call, for the types it is given."""
    import numba

    def lazily(decorator):
        return lambda types=None, *rest, **options: decorator(types if callable(types) else None, *rest, **options)

    numba.jit, numba.njit = lazily(numba.jit), lazily(numba.njit)


def pvpython():
    """Path of ParaView's Python."""
    found = shutil.which("pvpython")
    if not found:
        skip("there is no pvpython (Debian: python3-paraview)")
    return found
