#!/usr/bin/python3
"""A stand-in for mpirun, as signals meet it: those that come before there are ranks are lost, SIGTERM and SIGINT kill the ranks.

    stand_in_mpirun.py WORDS...

The rank starts after the first signal, and gets signals once it has taken the file $STAND_IN away.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

rank = None


def forward(number, _):
    print(f"stand-in: Forwarding signal {number} to job", flush=True)
    if rank and not Path(os.environ["STAND_IN"]).exists():
        rank.send_signal(number)


def kill(*_):
    if rank:
        rank.kill()
    os._exit(1)


signal.signal(signal.SIGUSR1, forward)
signal.signal(signal.SIGTERM, kill)
signal.signal(signal.SIGINT, kill)
print("stand-in: no ranks yet", flush=True)
signal.pause()
rank = subprocess.Popen(sys.argv[1:])
sys.exit(rank.wait())
