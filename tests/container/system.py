"""A bare Debian or Ubuntu in a folder, beside the running system: made by debootstrap, entered by chroot. As root."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import archives

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Certificates of this machine: where its way to wheels needs one of its own, so does that of the chroot.
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


class Failure(Exception):
    """A step or a check failed; its name is the message."""


def make(system, suite, mirror=None, security=None, components="main", include=()):
    """Make the suite's smallest system with its updates, some packages more, and this machine's way to the network."""
    address = mirror or archives.of_debian(suite)
    if not address:
        raise Failure(f"this machine's apt knows no archive of {suite}: give --mirror ADDRESS, and --security ADDRESS")
    shutil.rmtree(system, ignore_errors=True)
    more = [f"--include={','.join(include)}"] if include else []
    subprocess.run(["debootstrap", "--variant=minbase", f"--components={','.join(components.split())}", *more,
                    suite, system, address], check=True, stdout=subprocess.DEVNULL)
    (system / "etc/apt/sources.list").write_text(archives.sources(suite, mirror, security, components))
    for file in ("hosts", "resolv.conf"):
        shutil.copy(f"/etc/{file}", system / "etc" / file)
    if CERTIFICATES.exists():
        shutil.copy(CERTIFICATES, system / "root/certificates.crt")


def inside(system, command, user="root", environment=None, output=None):
    """Run a bash command in a system, with nothing of this environment but its proxies, in a mount namespace of its own. Return its exit
    status; output: a file for what it prints."""
    variables = {"PATH": PATH, "HOME": "/root" if user == "root" else f"/home/{user}", "LC_ALL": "C.UTF-8",
                 "PIP_CERT": "/root/certificates.crt", **archives.pip(), **(environment or {})}
    variables |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    mounts = "".join(f"mount --rbind /{name} {shlex.quote(str(system / name))}; " for name in ("proc", "sys", "dev"))
    if user != "root":
        command = "/usr/sbin/runuser -p -u {} -- bash -euc {}".format(user, shlex.quote(command))
    script = f"{mounts} exec {shutil.which('chroot')} {shlex.quote(str(system))} bash -euc {shlex.quote(command)}"
    return subprocess.run([shutil.which("unshare"), "--mount", "bash", "-euc", script], env=variables, stdin=subprocess.DEVNULL,
                          stdout=output, stderr=subprocess.STDOUT if output else None, check=False).returncode
