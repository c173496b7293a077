"""One version everywhere; a source archive that has all files and nothing else, and whose build knows its commit; the last lines of
quickstart.

    test_release.py CMAKE"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "dev")]
from files import project_files  # noqa: E402
from tendex_dev.results import kept  # noqa: E402

CMAKE = sys.argv[1]
VERSION = re.search(r"project\(tendex VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
COMMIT = "src/base/archived_commit.txt"
IDENTITY = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
            (("NAME", "x"), ("EMAIL", "x@example.org"), ("DATE", "2026-01-01T00:00:00Z"))}


def git(folder, *words):
    command = ["git", "-C", folder, "-c", "safe.directory=*", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | IDENTITY).stdout.strip()


def version_of(source, version=VERSION):
    """What a program built from these sources calls itself."""
    with tempfile.TemporaryDirectory() as top:
        out = Path(top, "version_data.h")
        subprocess.run([CMAKE, f"-DSOURCE={source}", f"-DVERSION={version}", "-DBUILD=x", f"-DOUT={out}", "-P",
                        source / "src/base/version.cmake"], check=True)
        return re.search(r'TX_VERSION "(.*)"', out.read_text())[1]


class Version(unittest.TestCase):
    """CMakeLists.txt has it. CITATION.cff, the recipes of container/ and the man pages have tests of their own."""

    def test_it_is_the_same(self):
        self.assertRegex(VERSION, r"^\d+\.\d+\.\d+$")
        packed = re.search(r'^version = "(.*)"$', (ROOT / "tools/pyproject.toml").read_text(), re.M)[1]
        self.assertEqual(packed, VERSION)

    def test_the_changelog_has_it(self):
        heads = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
        self.assertEqual(heads[0], "[Unreleased]")
        self.assertRegex(heads[1], rf"^\[{re.escape(VERSION)}\] - \d{{4}}-\d\d-\d\d$")


class Sources(unittest.TestCase):
    """Where the commit comes from."""

    def setUp(self):
        top = tempfile.TemporaryDirectory(prefix="tendex-version-")
        self.addCleanup(top.cleanup)
        self.source = Path(top.name, "clone/part")
        (self.source / "src/base").mkdir(parents=True)
        shutil.copy(ROOT / "src/base/version.cmake", self.source / "src/base")
        (self.source / COMMIT).write_text("$Format:%H$\n")

    def commit(self, folder):
        git(folder, "init", "-q")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "x")
        return git(folder, "rev-parse", "--short=10", "HEAD")

    def test_a_clone(self):
        commit = self.commit(self.source)
        self.assertEqual(version_of(self.source), f"{VERSION}-g{commit}")
        with (self.source / COMMIT).open("a") as file:
            file.write("\n")
        self.assertEqual(version_of(self.source), f"{VERSION}-g{commit}-dirty")

    def test_in_the_repository_of_another_project(self):
        self.assertEqual(version_of(self.source), f"{VERSION}-unknown")
        self.commit(self.source.parent)
        self.assertEqual(version_of(self.source), f"{VERSION}-unknown")
        (self.source / COMMIT).write_text("0123456789abcdef0123456789abcdef01234567\n")
        self.assertEqual(version_of(self.source), f"{VERSION}-g0123456789")


@unittest.skipUnless((ROOT / ".git").exists(), "an archive is made of a clone")
class Archive(unittest.TestCase):
    def make(self, *words):
        command = [ROOT / "dev/make-release", *words]
        env = os.environ | {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
        return subprocess.run(command, capture_output=True, text=True, env=env, check=False)

    def test_it_is_whole(self):
        version = re.search(r"project\(tendex VERSION (\S+)", git(ROOT, "show", "HEAD:CMakeLists.txt"))[1]
        name = f"tendex-{version}"
        with tempfile.TemporaryDirectory(prefix="tendex-archive-") as top:
            p = self.make("-o", top)
            self.assertEqual((p.returncode, p.stdout), (0, f"{top}/{name}.tar.gz\n"), p.stderr)
            self.assertEqual(set(os.listdir(top)), {f"{name}.tar.gz", f"{name}.tar.gz.sha256"})
            subprocess.run(["sha256sum", "-c", "--quiet", f"{name}.tar.gz.sha256"], cwd=top, check=True)
            subprocess.run(["tar", "-xzf", f"{name}.tar.gz"], cwd=top, check=True)
            there = Path(top, name)
            self.assertEqual({str(f) for f in project_files(there)}, set(git(ROOT, "ls-tree", "-r", "--name-only", "HEAD").splitlines()))
            self.assertEqual([f for f in project_files(there) if f.suffix in (".o", ".a", ".so", ".pyc")], [])
            self.assertFalse((there / "build").exists() or (there / "out").exists())
            self.assertTrue(os.access(there / "quickstart", os.X_OK))
            self.assertEqual(version_of(there, version), f"{version}-g{git(ROOT, 'rev-parse', '--short=10', 'HEAD')}")

    def test_errors(self):
        for words, code, said in ((("nonsense",), 1, "there is no commit 'nonsense'"), (("-o",), 2, "-o needs a folder"),
                                  (("--no",), 2, "unknown option '--no'; see dev/make-release --help")):
            p = self.make(*words)
            self.assertEqual((p.returncode, p.stdout, p.stderr), (code, "", f"make-release: {said}\n"))


class Quickstart(unittest.TestCase):
    def test_it_ends_with_what_was_seen(self):
        """Of what `tendex-waves remnant --json' wrote of a binary."""
        script = re.search(r"<<'PY'\n(.*?)^PY$", (ROOT / "quickstart").read_text(), re.S | re.M)[1]
        remnant = kept.Shelf(ROOT / "docs/results").numbers("q1_45l")["remnant"]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(remnant, file)
            file.flush()
            p = subprocess.run([sys.executable, "-c", script, file.name, "1"], capture_output=True, text=True, check=True)
        lines = p.stdout.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertLessEqual(max(map(len, lines)), 110)
        self.assertIn("took 3.856% of the mass, a hole of 0.9516 M remains", lines[0])
        ring = remnant["ringdown"]["infinity"]
        self.assertIn(f"{ring['omega'][0]:.4f} - {-ring['omega'][1]:.4f} i /M (exact: {ring['exact'][0]:.4f}", lines[1])
        self.assertIn('--budget "2 cores, 1 day"', lines[2])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
