"""The recipes of container/: both make the same image, from pinned parts, with scripts that are there.

tests/container/run runs their steps; this only reads them."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import archives
from recipes import RecipeError, read_definition, read_dockerfile

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from files import project_files  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
CONTAINER = ROOT / "container"
PINNED = re.compile(r"[a-z0-9./-]+:(?!latest)[\w.-]*\d{8}[\w.-]*@sha256:[0-9a-f]{64}")


def complaints(stages):
    """What is wrong with the stages of one recipe."""
    names = [stage.name for stage in stages]
    for at, stage in enumerate(stages):
        if not PINNED.fullmatch(stage.base):
            yield f"{stage.base}: not a dated tag with a digest"
        if not stage.name or names.count(stage.name) > 1:
            yield f"stage {at + 1} has no name of its own"
        for source, *_ in stage.copies():
            if source and source not in names[:at]:
                yield f"copies from '{source}', which is no stage before it"
        for command in stage.commands():
            if not re.fullmatch(r"(/src|/opt/tendex)/container/[\w-]+( --\w+)?", command):
                yield f"'{command}' is not one script of container/"
    if stages[-1].entry != ["tendex"]:
        yield f"starts {stages[-1].entry}, not tendex"


def whole(copies):
    """Copies without those of a part of what another one copies."""
    return [c for c in copies if not any(c != d and not c[0] and c[2].startswith(d[2] + "/") for d in copies)]


class Recipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.docker = read_dockerfile(CONTAINER / "Dockerfile")
        cls.apptainer = read_definition(CONTAINER / "tendex.def")

    def test_each_is_pinned_and_runs_scripts(self):
        for stages in (self.docker, self.apptainer):
            self.assertEqual(len(stages), 2)
            self.assertEqual(list(complaints(stages)), [])

    def test_they_are_the_same(self):
        for one, other in zip(self.docker, self.apptainer, strict=True):
            for attribute in ("base", "name", "labels"):
                self.assertEqual(getattr(one, attribute), getattr(other, attribute))
            self.assertEqual(one.commands(), other.commands())
            self.assertEqual(whole(one.copies()), whole(other.copies()))
            shared = {name: value for name, value in one.environment.items() if not name.startswith("NVIDIA_")}
            self.assertEqual(shared, other.environment)

    def test_scripts_are_there(self):
        for stage in self.docker:
            for command in stage.commands():
                script = CONTAINER / Path(command.split()[0]).name
                self.assertTrue(script.stat().st_mode & 0o111, f"{script} cannot be run")
        self.assertEqual(self.docker[0].commands()[0], "/src/container/install-packages --image")
        self.assertIn("container/install-packages", (ROOT / "quickstart").read_text())

    def test_version_and_user(self):
        version = re.search(r"project\(tendex VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(self.docker[-1].labels["org.opencontainers.image.version"], version)
        self.assertEqual((self.docker[-1].user, self.docker[-1].folder), ("tendex", "/work"))

    def test_wheels_are_pinned(self):
        lines = [line for line in (CONTAINER / "cuda-requirements.txt").read_text().splitlines() if line[0] != "#"]
        names = [re.fullmatch(r"(nvidia-[a-z0-9-]+)==[\d.]+ --hash=sha256:[0-9a-f]{64}", line)[1] for line in lines]
        self.assertEqual(names, sorted(set(names)))

    def test_packages_are_listed_once(self):
        text = (CONTAINER / "install-packages").read_text()
        lists = {name: re.sub("#.*", "", body).split() for name, body in re.findall(r"(?ms)^(\w+)=\(\n(.*?)^\)", text)}
        self.assertEqual(sorted(lists), ["image", "packages", "run", "tests"])
        for names in (lists["packages"] + lists["image"], lists["packages"] + lists["tests"], lists["run"]):
            self.assertGreater(len(names), 5)
            self.assertEqual(sorted(names), sorted(set(names)))
        listed = subprocess.run([CONTAINER / "install-packages", "--list"], capture_output=True, text=True, check=True)
        self.assertEqual(listed.stdout.split(), lists["packages"])

    def test_scripts_are_clean(self):
        scripts = [file for file in CONTAINER.iterdir() if file.is_file() and file.read_bytes().startswith(b"#!/usr/bin/env bash")]
        self.assertEqual(len(scripts), 6)
        for script in scripts:
            subprocess.run(["bash", "-n", script], check=True)
        if shutil.which("shellcheck"):
            found = subprocess.run(["shellcheck", *scripts], capture_output=True, text=True, check=False)
            self.assertEqual(found.stdout, "")


class Archives(unittest.TestCase):
    """Where packages come from is the system's own business: its apt and pip know it."""

    # As `apt-get indextargets' has it, of a system with other sources beside Debian.
    TARGETS = ("http://a.example/debian bookworm main\nhttp://a.example/debian bookworm-updates main\n"
               "http://a.example/debian bookworm contrib\nhttp://b.example/security bookworm-security main\n"
               "https://c.example nodistro main\nhttp://d.example/debian trixie main\n")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.command("apt-get", f"printf '%s' '{self.TARGETS}'")
        self.command("pip3", "printf '%s\\n' \"global.index-url='http://p.example/simple'\" \":env:.timeout='9'\" "
                             "\"user.trusted-host='p.example'\"")

    def command(self, name, script):
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def run_with(self, *words):
        return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})

    def test_none_is_named(self):
        """No document, recipe or test names an archive of packages."""
        named = re.compile(r"https?://(?:deb|snapshot|ftp\d*|files|index|archive|security|pypi|mirrors?|download)[.]"
                           r"|(?:debian|ubuntu)[.](?:org|com)/|pypi[.]org|pythonhosted[.]|developer[.]download[.]")
        texts = {str(name): (ROOT / name).read_bytes().decode(errors="replace") for name in project_files(ROOT) if name.suffix != ".webp"}
        self.assertGreater(len(texts), 100)
        self.assertEqual([(name, found[0]) for name, text in texts.items() for found in named.finditer(text)], [])

    def test_what_apt_has(self):
        p = self.run_with(CONTAINER / "install-packages", "--archives", "bookworm")
        self.assertEqual((p.returncode, p.stdout.splitlines()), (0, [
            "http://a.example/debian bookworm", "http://b.example/security bookworm-security",
            "http://a.example/debian bookworm-updates"]))
        p = self.run_with(CONTAINER / "install-packages", "--archives", "sid")
        self.assertEqual((p.returncode, p.stdout), (1, ""))
        self.assertIn("apt is configured for no archive of sid", p.stderr)

    def test_sources_of_mpi(self):
        """Each archive is tried in turn, or those that are given."""
        text = (CONTAINER / "install-mpi").read_text()
        function = text[text.index("# fetch NAME"):text.index("# quietly")]
        listing = text[text.index("archives=("):text.index("jobs=")]
        script = self.folder / "fetch"
        script.write_text(f"set -euo pipefail\nhere={CONTAINER}\nwork={self.folder}\n"
                          "fail() { echo \"$*\" >&2; exit 1; }\n"
                          f"{listing}\n{function.replace('/usr/lib/apt/apt-helper', 'apt-helper')}\n"
                          "fetch ucx pool/u.tar.xz 1234\n")
        self.command("apt-helper", f'echo "$2" >>{self.folder}/tried; exit 1')
        for words, wanted in (([], ["http://a.example/debian", "http://b.example/security"]),
                              (["http://e.example/x"], ["http://e.example/x"])):
            (self.folder / "tried").write_text("")
            p = self.run_with("bash", script, *words)
            self.assertEqual(p.returncode, 1)
            self.assertIn("with the sha256 1234 from any of", p.stderr)
            self.assertEqual((self.folder / "tried").read_text().split(), [f"{a}/pool/u.tar.xz" for a in wanted])

    def test_of_a_system_beside(self):
        own = {"VERSION_CODENAME": "bookworm"}
        with (mock.patch.dict(os.environ, {"PATH": f"{self.folder}:{os.environ['PATH']}"}),
              mock.patch("platform.freedesktop_os_release", return_value=own)):
            self.assertEqual(archives.sources("bookworm"), "deb http://a.example/debian bookworm main\n"
                             "deb http://b.example/security bookworm-security main\n"
                             "deb http://a.example/debian bookworm-updates main\n")
            self.assertEqual(archives.sources("bookworm", "http://m/d", components="main universe"),
                             "deb http://m/d bookworm main universe\n"
                             "deb http://b.example/security bookworm-security main universe\n"
                             "deb http://m/d bookworm-updates main universe\n")
            self.assertEqual(archives.of_debian("bookworm"), "http://a.example/debian")
            self.assertEqual(archives.of_debian("trixie"), "http://d.example/debian")
            self.assertEqual(archives.sources("forky"), "deb http://a.example/debian forky main\n"
                             "deb http://b.example/security forky-security main\n"
                             "deb http://a.example/debian forky-updates main\n")
            self.assertEqual(archives.pip(), {"PIP_INDEX_URL": "http://p.example/simple",
                                              "PIP_TRUSTED_HOST": "p.example"})
            self.command("apt-get", "echo http://d.example/debian trixie main")
            self.assertEqual(archives.sources("bookworm", "http://m/d", "http://m/s"), "deb http://m/d bookworm main\n"
                             "deb http://m/s bookworm-security main\ndeb http://m/d bookworm-updates main\n")
            self.assertIsNone(archives.of_debian("bookworm"))


class Faults(unittest.TestCase):
    """What the checks are for is found."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "recipe"

    def changed(self, old, new):
        text = (CONTAINER / "Dockerfile").read_text()
        self.assertIn(old, text)
        self.file.write_text(text.replace(old, new))
        return read_dockerfile(self.file)

    def test_complaints(self):
        base = read_dockerfile(CONTAINER / "Dockerfile")[0].base
        for old, new, said in ((base, "debian:latest", "debian:latest: not a dated tag"),
                               (base, base.split("@")[0], "not a dated tag"),
                               (" AS run", "", "stage 2 has no name"),
                               ("--from=build /opt/mpi", "--from=other /opt/mpi", "'other', which is no stage"),
                               ("RUN /src/container/install-mpi", "RUN apt-get install mpi", "is not one script"),
                               ('["tendex"]', '["bash"]', "starts ['bash']")):
            with self.subTest(new=new):
                self.assertIn(said, "\n".join(complaints(self.changed(old, new))))

    def test_what_is_not_understood(self):
        for old, new in (("RUN /src/container/install-cuda", "ADD x /src"), ("COPY container /src/container", "COPY x")):
            with self.assertRaisesRegex(RecipeError, r"recipe:\d+: not understood: "):
                self.changed(old, new)
        for text in ("From: x\n", "Bootstrap: docker\nFrom: x\n%appinstall\n", "Bootstrap: yum\n", "%post\n  x\n"):
            self.file.write_text(text)
            with self.assertRaisesRegex(RecipeError, r"recipe:\d+: not understood: "):
                read_definition(self.file)

    def test_lines_that_go_on(self):
        self.file.write_text("FROM a AS b\n# note\nRUN one \\\n  # note\n  two\nRUN three\n")
        self.assertEqual([" ".join(c.split()) for c in read_dockerfile(self.file)[0].commands()], ["one two", "three"])


if __name__ == "__main__":
    unittest.main()
