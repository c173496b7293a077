#!/usr/bin/env python3
"""CPU seconds of tests: what continuous integration costs, whoever else uses the processors.

  tests/cpu_seconds.py PRESET [CTEST-OPTION...] [-j N] > TABLE

Runs the tests that `ctest --preset PRESET CTEST-OPTION...` would, N at a time (1), and prints a line for each, the
costliest first: user and system seconds of all its processes, seconds by the clock, exit status, name.
"""

import concurrent.futures
import ctypes
import json
import os
import resource
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36  # orphans of a test come to the process that measures it


def measured(command, environment, folder, timeout):
    """Status and CPU seconds of a command and all that it started; in a process of its own."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with open(os.devnull, "r+b") as null:
        try:
            status = subprocess.run(command, env=environment, cwd=folder, timeout=timeout, stdin=null, stdout=null,
                                    stderr=null).returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status, used.ru_utime, used.ru_stime


def main():
    options = sys.argv[1:]
    jobs = 1
    if "-j" in options:
        at = options.index("-j")
        jobs = int(options[at + 1])
        del options[at:at + 2]
    if not options or options[0].startswith("-"):
        sys.exit(__doc__)
    shown = subprocess.run(["ctest", "--preset", *options, "--show-only=json-v1"], check=True, capture_output=True, text=True)
    tests = json.loads(shown.stdout[shown.stdout.index("{"):])["tests"]

    def one(test):
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        environment = dict(os.environ, **dict(line.split("=", 1) for line in properties.get("ENVIRONMENT", [])))
        started = time.time()
        with concurrent.futures.ProcessPoolExecutor(1) as alone:
            status, user, system = alone.submit(measured, test["command"], environment,
                                                properties.get("WORKING_DIRECTORY"), properties.get("TIMEOUT")).result()
        line = f"{user + system:8.2f} {user:8.2f} {system:8.2f} {time.time() - started:8.1f} {status!s:>7} {test['name']}"
        print(line, file=sys.stderr, flush=True)
        return user + system, line

    with concurrent.futures.ThreadPoolExecutor(jobs) as several:
        lines = sorted(several.map(one, tests), reverse=True)
    print(f"{sum(cpu for cpu, _ in lines):8.2f} in all, of {len(lines)} tests")
    print(f"{'CPU':>8} {'user':>8} {'system':>8} {'clock':>8} {'status':>7}")
    print("\n".join(line for _, line in lines))


if __name__ == "__main__":
    main()
