"""The guide's commands work: those of its ```console blocks, in a folder with the tree's `par', `tools' and `dev', page by page.

    test_guide.py TENDEX [PAGE ...]

Each command line, `$ ...`, is understood by its program, whose parser sees all words and runs nothing. A comment before a block
says more, with a word for each of its commands in turn, `;` between:

    <!-- test: run; check; -; same; run --set run.max_steps=2 -->

-          the command line alone (also without a comment); test_new_system.py runs those of its page
run        it ends with exit code 0; words that follow are added to it, to make it small
known      as `like', on run folders of known waves (tests/tools/synthetic.py), as those of the page take longer. Words that follow name
           the waves: `series', folders of three resolutions, or `precessing'
check      `tendex check` of the parameter file that it runs, with its --set
like       as `run', and it says the lines of the page but for numbers; `...' in a line stands for anything
same       it ends with exit code 0, and says the lines of the page, in their order; `...` stands for any lines

What a page says of a program's output is then what this program says, and a parameter file that a page makes is there for what follows."""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
TENDEX = sys.argv[1]
ALL = [ROOT / "docs/guide.md", ROOT / "docs/machines.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
PAGES = [Path(page).resolve() for page in sys.argv[2:]] or ALL
TOOLS = {"tools/tendex-waves": "tendex.waves.commands.cli", "tools/tendex-orbit": "tendex.orbits.cli"}
# What is no program of ours: how a machine is prepared, and job control.
OTHERS = {"git", "cd", "mkdir", "export", "cmake", "ctest", "./quickstart", "container/install-packages", "spack", "micromamba", "python3", "/usr/bin/python3",
          "kill", "pkill"}
# A core's speed is measured otherwise, for seconds.
SPEED = ["--speed", "4.3e6"]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "dev"), str(ROOT / "tools"), str(ROOT / "tests/tools")]


@dataclass
class Command:
    where: str
    text: str
    how: str
    said: list    # lines of the page below it


def commands(page):
    """Those of a page, in order."""
    found = []
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"(?:<!-- test: (.*?) -->\n+)?^```console\n(.*?)^```$", text, flags=re.S | re.M):
        block = match[2].replace("\\\n", " ")
        line = text[:match.start(2)].count("\n") + 1
        parts = re.split(r"^\$ ", block, flags=re.M)
        assert not parts[0].strip(), f"{page}:{line}: a block begins with `$ COMMAND`"
        hows = [how.strip() for how in (match[1] or "").split(";")] if match[1] else []
        assert len(hows) <= len(parts) - 1, f"{page}:{line}: {len(hows)} words of the comment for {len(parts) - 1} commands"
        for part, how in zip(parts[1:], hows + ["-"] * len(parts)):
            command, _, said = part.partition("\n")
            found.append(Command(f"{page.name}:{line}: {command}", command, how, [s for s in said.splitlines() if s.strip()]))
    return found


class Understood(Exception):
    """A tool's parser has taken all words."""


def turns(text):
    """The command lines of a loop of the shell; of another command, itself."""
    loop = re.fullmatch(r"for (\w+) in (.*?); do (.*); done", text)
    return [loop[3].replace(f"${loop[1]}", value) for value in shlex.split(loop[2])] if loop else [text]


def words_of(text):
    """Words of a command line, less assignments before it, what starts ranks, and what comes after the program in the shell."""
    words = shlex.split(text.removesuffix("&"), comments=True)
    while words and re.match(r"\w+=", words[0]):
        words.pop(0)
    if words[0] == "mpirun":
        assert words[1] == "-n", text
        words = words[3:]
    return words


def parameter_file(words):
    """tendex's arguments to check what a command runs."""
    if words[0] == "sbatch":
        words = [word for word in words[1:] if not word.startswith("--")]
        assert (ROOT / words[0]).is_file() and len(words) > 1, f"no such job script, or no file to run: {words}"
        return ["check", words[1]]
    assert words[:2] == ["tendex", "run"], words
    keep, rest = ["check", words[2]], words[3:]
    for i, word in enumerate(rest):
        if word == "--set":
            keep += rest[i:i + 2]
    return keep


def with_more(words, more):
    """The words and those of the comment, whose --set replaces one of the same parameter."""
    sets = {word.partition("=")[0] for before, word in zip(more, more[1:]) if before == "--set"}
    twice = {i for i, word in enumerate(words) if words[i - 1] == "--set" and word.partition("=")[0] in sets}
    return [word for i, word in enumerate(words) if i not in twice and i + 1 not in twice] + more


def without_numbers(line):
    return re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", "#", " ".join(line.split()))


def write_known(folder, kind, number):
    """A run folder of known waves: the `number'th that a command names, from 0 on."""
    import synthetic
    if kind != "series":
        wave = synthetic.Precessing() if kind == "precessing" else synthetic.Chirp()
        synthetic.write_run(folder, wave, radii=(60.0, 75.0, 100.0), t_end=350.0, dt=0.5, l_max=2)
        return
    trees = 2 + number
    off = (4 / trees) ** 4
    chirp = synthetic.Chirp(amplitudes={(2, 2): 0.6 * (1 + 0.004 * off)}, slow=0.08, peak=200 + 0.5 * off)
    synthetic.write_run(folder, chirp, radii=(60.0, 75.0, 100.0), t_end=350.0, dt=0.5, l_max=2, remnant=(0.95 + 1e-4 * off, 0.68 - 1e-3 * off))
    file = folder / "run.yaml"
    file.write_text(file.read_text().replace("  reflect: z", f"  reflect: z\n  trees: {trees}"))
    summary = folder / "summary.json"
    summary.write_text(json.dumps({**json.loads(summary.read_text()), "octant_points": 8}))


class Guide(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import quick_plots  # noqa: F401
        cls.scratch = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="tendex-known-")))

    def tendex(self, arguments, where):
        p = subprocess.run([TENDEX, *arguments], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, f"{where}\n{p.stdout[-2000:]}{p.stderr}")
        return p.stdout + p.stderr

    def tool(self, words, where):
        """The tool's parser gets the words and no more happens."""
        program, arguments = words[0], words[1:]
        parse = argparse.ArgumentParser.parse_args

        def only_parse(parser, *given, **more):
            parse(parser, *given, **more)
            raise Understood

        said = io.StringIO()
        with mock.patch.object(sys, "argv", [program, *arguments]), contextlib.redirect_stderr(said), \
                mock.patch.object(argparse.ArgumentParser, "parse_args", only_parse):
            try:
                if program in TOOLS:
                    module = importlib.import_module(TOOLS[program])
                    module.main(arguments)
                else:
                    spec = importlib.util.spec_from_file_location(Path(program).stem, ROOT / program)
                    module = importlib.util.module_from_spec(spec)
                    spec.loader.exec_module(module)
                    module.main()
            except Understood:
                return
            except SystemExit as end:
                self.fail(f"{where}: exit code {end.code}: {said.getvalue()}")
            self.fail(f"{where}: parsed nothing")

    def understood(self, words, where):
        if Path(words[0]).name == "tendex":
            # The last word makes the program stop after its options.
            self.tendex([*words[1:], *([] if words[-1] == "--version" else ["--help"])], where)
        elif words[0].startswith(("tools/", "dev/")):
            self.tool(words, where)
        elif words[0] == "sbatch":
            parameter_file(words)
        else:
            self.assertIn(words[0], OTHERS, where)

    def run_it(self, words, where):
        if words[0] == "tendex":
            measured = words[1] == "check" and not {"--speed", "--machine"} & set(words)
            return self.tendex(words[1:] + SPEED * measured, where)
        if words[0] in TOOLS:
            return self.run_here(words, where)
        used = 1 if words[0].startswith(("tools/", "dev/")) else 2
        program = [sys.executable, ROOT / words[0]] if used == 1 else [words[0], ROOT / words[1]]
        p = subprocess.run([*program, *words[used:]], capture_output=True, text=True)
        self.assertEqual(p.returncode, 0, f"{where}\n{p.stdout}{p.stderr}")
        return p.stdout + p.stderr

    def run_here(self, words, where):
        """A tool in this process, as its modules take longer to load than to run."""
        said, code = io.StringIO(), 0
        with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                code = importlib.import_module(TOOLS[words[0]]).main(words[1:])
            except SystemExit as end:
                code = end.code
        self.assertIn(code, (0, None), f"{where}\n{said.getvalue()}")
        return said.getvalue()

    def run_known(self, words, kind, where):
        """A tool on folders of known waves."""
        folders = [Path(word) for word in words if re.fullmatch(r"out/\w+", word)]
        self.assertTrue(folders, where)
        for number, folder in enumerate(folders):
            known = self.scratch / f"{kind}{number}"
            if not known.exists():
                write_known(known, kind, number)
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(known, folder)
        return self.run_it(words, where)

    def same(self, said, shown, where):
        """Lines as they are shown; `...' for any number of others."""
        lines = iter([line.rstrip() for line in said.splitlines() if line.strip()])
        apart = True
        for expected in shown:
            if expected.strip() == "...":
                apart = True
                continue
            line = next(lines, None)
            while apart and line is not None and line != expected.rstrip():
                line = next(lines, None)
            self.assertEqual(line, expected.rstrip(), f"{where}\n{said}")
            apart = False
        if shown and shown[-1].strip() != "...":
            self.assertEqual(list(lines), [], where)

    def like(self, said, shown, where):
        """Lines as they are shown but for numbers, in their order."""
        lines = iter([without_numbers(line) for line in said.splitlines()])
        for expected in shown:
            pattern = ".*".join(re.escape(part) for part in without_numbers(expected).split("..."))
            self.assertTrue(any(re.fullmatch(pattern, line) for line in lines), f"{where}: no such line: {expected}\n{said}")

    def one(self, command, words, how, more):
        if how == "check":
            self.tendex(parameter_file(words) + SPEED, command.where)
        elif how == "known":
            said = self.run_known(words, *more or ["chirp"], command.where)
            self.like(said, command.said, command.where)
        elif how != "-":
            said = self.run_it(with_more(words, more), command.where)
            if how == "same":
                self.same(said, command.said, command.where)
            if how == "like":
                self.like(said, command.said, command.where)
        if how in ("-", "check"):
            self.understood(words, command.where)

    def test_commands(self):
        total = {"-": 0, "run": 0, "check": 0, "like": 0, "same": 0, "known": 0}
        for page in PAGES:
            with tempfile.TemporaryDirectory(prefix="tendex-guide-") as folder, contextlib.chdir(folder):
                for name in ("par", "tools", "dev", "tests"):
                    Path(name).symlink_to(ROOT / name)
                for command in commands(page):
                    how, *more = shlex.split(command.how)
                    self.assertIn(how, total, f"{command.where}: the comment says {command.how}")
                    total[how] += 1
                    for text in turns(command.text):
                        self.one(command, words_of(text), how, more)
        if PAGES == ALL:
            self.assertTrue(all(total.values()), total)


if __name__ == "__main__":
    # What is said of time is that of a thread; threads that wait for others would count as work.
    os.environ.update(OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    TENDEX = str(Path(TENDEX).resolve())
    unittest.main(argv=sys.argv[:1])
