"""A Slurm on this machine, for tests: its own munge, controller and daemons of two nodes in a folder that goes away.

Needs root, and Debian's slurm-wlm and munge (installed if missing). Jobs run as root too. Processes are tracked as a
tree (no cgroups). Nodes, CPUs and GPUs are what the configuration says, not what there is: each node is this machine
and has four CPUs and two GPUs that are none. Jobs of partition `high` preempt those of `low`, which are requeued; these
partitions have the first node, `both` has two.
"""

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PACKAGES = ("slurm-wlm", "munge")
# Seconds from SIGTERM to SIGKILL when a job is ended; 30 if a cluster does not say.
KILL_WAIT_S = 10

CONFIGURATION = """ClusterName=tendex-test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={port}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
TmpFS={folder}/tmp.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
SlurmdDebug=info
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait={kill_wait}
MinJobAge=3600
InactiveLimit=0
SchedulerParameters=sched_interval=1,sched_min_interval=100000,batch_sched_delay=0,bf_interval=1
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port_1} CPUs=4 Gres=gpu:2 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={port_2} CPUs=4 Gres=gpu:2 State=UNKNOWN
PartitionName=low Nodes=n1 Default=YES PriorityTier=1 MaxTime=INFINITE State=UP
PartitionName=high Nodes=n1 PriorityTier=10 PreemptMode=OFF MaxTime=INFINITE State=UP
PartitionName=both Nodes=n1,n2 PriorityTier=1 MaxTime=INFINITE State=UP
"""

# On hosts of their own; the third takes the place of one that is lost.
ON_HOSTS = """SlurmdTimeout=10
MessageTimeout=5
TCPTimeout=2
NodeName=n1 NodeHostname=host1 NodeAddr=10.77.0.1 CPUs=4 Gres=gpu:2 State=UNKNOWN
NodeName=n2 NodeHostname=host2 NodeAddr=10.77.0.2 CPUs=4 Gres=gpu:2 State=UNKNOWN
NodeName=n3 NodeHostname=host3 NodeAddr=10.77.0.3 CPUs=4 Gres=gpu:2 Weight=9 State=UNKNOWN
PartitionName=both Nodes=n1,n2,n3 Default=YES MaxTime=INFINITE State=UP
"""


class ClusterError(RuntimeError):
    pass


def install():
    """The packages, if they are missing. Services that apt would start are none of ours: they fail for want of
    a configuration."""
    if all(shutil.which(program) for program in ("slurmctld", "slurmd", "munged")):
        return
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    for words in (["update"], ["install", "--no-install-recommends", *PACKAGES]):
        p = subprocess.run(["apt-get", "-q", "-y", *words], env=environment, capture_output=True, text=True)
        if p.returncode:
            raise ClusterError(f"apt-get {' '.join(words)}:\n{p.stdout[-2000:]}{p.stderr[-2000:]}")


def free_ports(n):
    """Port numbers that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Cluster:
    """`with Cluster() as c`: c.environment has what Slurm's commands need, c.folder is for files of the tests. It goes
    away when the program ends, however that be."""

    nodes = ("n1", "n2")

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tendex-slurm-"))
        self.folder.chmod(0o755)
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))
        self.daemons = []

    def __enter__(self):
        atexit.register(self.close)
        self._configure()
        self._start()
        return self

    def __exit__(self, *_):
        atexit.unregister(self.close)
        self.close()

    def _configure(self):
        host = socket.gethostname().split(".")[0]
        ports = free_ports(3)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=host, folder=self.folder, port=ports[0], port_1=ports[1], port_2=ports[2], kill_wait=KILL_WAIT_S))
        (self.folder / "gres.conf").write_text("Name=gpu Count=2 File=/dev/tty[0-1]\n")
        for name in ("state", *(f"{kind}.{node}" for kind in ("spool", "tmp") for node in self.nodes)):
            (self.folder / name).mkdir(mode=0o755)
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(128))

    def _there(self, node, cwd):
        """Words before a command that runs where a node is; None: the controller."""
        del node, cwd
        return []

    def _daemon(self, name, *words, node=None):
        with (self.folder / f"{name}.{node or ''}.out").open("w") as out:
            self.daemons.append((name, subprocess.Popen([*self._there(node, self.folder), name, *words], stdin=subprocess.DEVNULL, stdout=out,
                                                        stderr=subprocess.STDOUT, env=self.environment)))

    def _start(self):
        at = self.folder
        self._daemon("munged", "--foreground", "--force", f"--key-file={at}/munge.key", f"--socket={at}/munge.socket",
                     f"--pid-file={at}/munged.pid", f"--log-file={at}/munged.log", f"--seed-file={at}/munged.seed")
        self._until(lambda: (at / "munge.socket").exists(), "munged to start")
        self._daemon("slurmctld", "-D", "-i", "-c")
        for node in self.nodes:
            self._daemon("slurmd", "-D", "-c", "-N", node, node=node)
        self._until(lambda: self.command("sinfo", "-h", "-p", "both", "-o", "%t", check=False).split() == ["idle"],
                    "the nodes to be idle", 30)

    def _until(self, happens, what, seconds=20):
        end = time.monotonic() + seconds
        while not happens():
            for name, process in self.daemons:
                if process.poll() is not None:
                    raise ClusterError(f"{name} ended with code {process.returncode}:\n{self._tail()}")
            if time.monotonic() > end:
                raise ClusterError(f"waited {seconds} s for {what}:\n{self._tail()}")
            time.sleep(0.1)

    def _tail(self):
        """The ends of all logs."""
        return "\n".join(f"== {f.name}\n{f.read_text()[-1500:]}" for f in sorted(
            [*self.folder.glob("*.log"), *self.folder.glob("*.out")]))

    def command(self, *words, check=True, cwd=None, **environment):
        """What a command of Slurm says."""
        p = subprocess.run([*self._there(None, cwd or self.folder), *map(str, words)], env=dict(self.environment, **environment), cwd=cwd or self.folder,
                           capture_output=True, text=True, timeout=60)
        if check and p.returncode:
            raise ClusterError(f"{' '.join(map(str, words))}: code {p.returncode}:\n{p.stdout}{p.stderr}")
        return p.stdout

    def close(self):
        if self.daemons and self.daemons[-1][0] == "slurmd":
            self.command("scancel", "-u", "root", check=False)
            end = time.monotonic() + 2 * KILL_WAIT_S
            while self.command("squeue", "-h", check=False).strip() and time.monotonic() < end:
                time.sleep(0.2)
        for _, process in reversed(self.daemons):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class HostCluster(Cluster):
    """The same, each node on a host of a Network of three (tests/machines/network.py), and the controller on the last."""

    nodes = ("n1", "n2", "n3")

    def __init__(self, network):
        super().__init__()
        self.network = network

    def _there(self, node, cwd):
        return ["nsenter", "-t", str(self.network.hosts[self.nodes.index(node) if node else 2].first), "-a", f"--wd={cwd}"]

    def _configure(self):
        super()._configure()
        file = self.folder / "slurm.conf"
        lines = [line for line in file.read_text().splitlines() if not line.startswith(("NodeName", "PartitionName", "SlurmctldHost"))]
        file.write_text("\n".join([*lines, "SlurmctldHost=host3(10.77.0.3)", ON_HOSTS]))
