"""Hosts that are namespaces of this one: name, network, processes and shared memory of their own, the same files. As root, on Linux.

The hosts, each with an ssh server, hang on a switch, which is a namespace too: nothing of this host's network changes. All of it ends with
the processes that hold it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

PROGRAMS = ("bash", "ip", "nsenter", "unshare", "ssh", "ssh-keygen", "/usr/sbin/sshd", "mpirun")
SERVER = """Port 22
HostKey {folder}/key
AuthorizedKeysFile {folder}/key.pub
PermitRootLogin yes
StrictModes no
UsePAM no
PidFile none
"""
CLIENT = """Host *
  IdentityFile {folder}/key
  UserKnownHostsFile {folder}/known
  StrictHostKeyChecking no
  LogLevel ERROR
"""
# A command that ends with the program that starts it, however that ends.
HELD = ("setpriv", "--pdeathsig", "KILL")
# The first process of a host: the ssh server, which takes up processes without a parent.
FIRST = """mount -t tmpfs none /dev/shm; mount -t tmpfs none /run; mkdir /run/sshd; mount --bind {folder}/hosts /etc/hosts
hostname {name}; ip link set lo up; exec /usr/sbin/sshd -D -f {folder}/server -E {folder}/{name}.log"""


class Unable(Exception):
    """This system has no namespaces, or a program is missing; the message says which."""


def _run(*words, check=True, **options):
    p = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False, **options)
    if check and p.returncode:
        raise Unable(f"{' '.join(map(str, words))}: {(p.stderr or p.stdout).strip()}")
    return p


def need():
    """Raise Unable if hosts cannot be made here."""
    if os.geteuid() != 0:
        raise Unable("needs root")
    for program in PROGRAMS:
        if not shutil.which(program):
            raise Unable(f"there is no {Path(program).name} (apt-get install openssh-server iproute2 util-linux openmpi-bin)")
    _run("unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--mount-proc", "bash", "-c",
         "mount -t tmpfs none /dev/shm && hostname a && ip link add port1 type veth peer name port2 && ip link add switch type bridge")


class Host:
    """One of them. `name`; `address` on the switch."""

    def __init__(self, network, number):
        self.network, self.name, self.address = network, f"host{number}", f"10.77.0.{number}"
        self.port = f"port{number}"  # its end of the cable at the switch
        script = FIRST.format(folder=network.folder, name=self.name)
        self.holder = subprocess.Popen([*HELD, "unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                                        "bash", "-euc", script], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.first = self._first()
        switch = ("nsenter", "-t", network.switch.pid, "-n")
        _run(*switch, "ip", "link", "delete", self.port, check=False)  # that of an earlier one goes late
        _run(*switch, "ip", "link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns", self.holder.pid)
        _run(*switch, "ip", "link", "set", self.port, "master", "switch", "up")
        for words in (("address", "add", f"{self.address}/24", "dev", "eth0"), ("link", "set", "eth0", "up")):
            _run("nsenter", "-t", self.first, "-n", "ip", *words)

    def _first(self):
        """Number of its first process, here."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            children = Path(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children").read_text().split()
            if children and Path(f"/proc/{children[0]}/exe").resolve().name == "sshd":
                return int(children[0])
            if self.holder.poll() is not None:
                break
            time.sleep(0.02)
        raise Unable(f"{self.name} does not start")

    def start(self, *words, **options):
        """Start a command there."""
        return subprocess.Popen(["nsenter", "-t", str(self.first), "-a", *map(str, words)], stdin=subprocess.DEVNULL, text=True, **options)

    def do(self, *words):
        """Do a command in its mounts, as an administrator."""
        _run("nsenter", "-t", self.first, "-m", *words)

    def processes(self, name):
        """Numbers, here, of its processes of that name."""
        if self.holder.poll() is not None:
            return []
        mine, found = os.readlink(f"/proc/{self.first}/ns/pid"), []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                if (place / "comm").read_text().strip() == name and os.readlink(place / "ns/pid") == mine and \
                        (place / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append(int(place.name))
            except OSError:  # it has ended meanwhile
                continue
        return found

    def cable(self, plugged):
        """Pull the cable at the switch, or plug it in."""
        _run("nsenter", "-t", self.network.switch.pid, "-n", "ip", "link", "set", self.port, "up" if plugged else "down")

    def end(self):
        """End all of its processes. Their connections are closed, unless the cable is pulled before, as in a power cut."""
        if self.holder.poll() is None:
            os.kill(self.first, signal.SIGKILL)
            self.holder.wait(20)


class Network:
    """`with Network(folder, n) as network`: network.hosts are n of them, network.agent is the ssh command for Open MPI."""

    def __init__(self, folder, n):
        need()
        self.folder, self.n, self.hosts, self.switch = Path(folder), n, [], None
        self.agent = f"ssh -F {self.folder}/client"

    def __enter__(self):
        _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "key")
        for name, text in (("server", SERVER), ("client", CLIENT)):
            (self.folder / name).write_text(text.format(folder=self.folder))
        names = (f"10.77.0.{i} host{i}\n" for i in range(1, self.n + 1))
        (self.folder / "hosts").write_text("127.0.0.1 localhost\n" + "".join(names))
        self.switch = subprocess.Popen([*HELD, "unshare", "--net", "sleep", "infinity"], stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            here, end = os.readlink("/proc/self/ns/net"), time.monotonic() + 10
            while os.readlink(f"/proc/{self.switch.pid}/ns/net") == here and time.monotonic() < end:
                time.sleep(0.02)
            _run("nsenter", "-t", self.switch.pid, "-n", "ip", "link", "add", "switch", "type", "bridge")
            _run("nsenter", "-t", self.switch.pid, "-n", "ip", "link", "set", "switch", "up")
            self.hosts = [self.host(i) for i in range(1, self.n + 1)]
        except BaseException:
            self.__exit__()
            raise
        return self

    def host(self, number):
        """Make one, again after its end."""
        return Host(self, number)

    def __exit__(self, *_):
        for host in self.hosts:
            host.end()
        self.switch.kill()
        self.switch.wait()
