"""What the documentation says is true: parameters, commands, options, files, messages, exit codes that it names exist.

    test_docs.py TENDEX BUILD     BUILD: a folder that `cmake --install` can install from"""

import fnmatch
import functools
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "dev"))
import generate  # noqa: E402

TENDEX, BUILD = (str(Path(p).resolve()) for p in sys.argv[1:3])
GUIDES = [ROOT / f for f in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")] + [f for pattern in ("*.md", "guide/*.md", "studies/*.md", "systems/*.md") for f in sorted(DOCS.glob(pattern))]
LINKED = GUIDES + [ROOT / f for f in ("CHANGELOG.md", "BENCHMARKS.md", "RESULTS.md") if (ROOT / f).exists()]
# Tools whose help is asked for without a process.
TOOLS = ("tools/tendex-waves", "tools/tendex-orbit")
FOLDERS = ("par", "docs", "tools", "dev", "tests", "src", "container", "physics", "octree", "elliptic", "cuda", "gw_extraction")
ENDINGS = ("asc", "c", "cu", "cuh", "csv", "def", "gp", "h", "h5", "inc", "json", "md", "pdf", "png", "py", "sh", "txt",
           "xmf", "yaml", "bbh", "lock", "log")


def text_of(path):
    return path.read_text(encoding="utf-8")


def code(text):
    """Code spans, and lines of code blocks but for Python; a line that ends in a backslash goes on."""
    fenced = re.findall(r"^```(?!python)\w*\n(.*?)^```", text, flags=re.S | re.M)
    text = re.sub(r"^```\w*\n.*?^```", "", text, flags=re.S | re.M)
    indented = re.findall(r"^(?: {4}|\t)(.*)$", text, flags=re.M)
    lines = "\n".join(fenced + ["\n".join(indented)]).replace("\\\n", " ").splitlines()
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text) + lines


@functools.cache
def parameters():
    """All, by key: bhN as such and with each number."""
    rows = json.loads(generate.said(TENDEX, "--help-params=json"))
    return {p["key"].replace("bhN", f"bh{n or 'N'}"): p for p in rows for n in range(p.get("n_max", 0) + 1)}


@functools.cache
def help_of(*program):
    if program[0] in TOOLS:
        return generate.tool_said(program[0].removeprefix("tools/tendex-"), *program[1:])
    if program[0] != "tendex":
        return generate.said(sys.executable, str(ROOT / program[0]), *program[1:], "--help")
    return generate.said(TENDEX, *program[1:], "--help")


def options(help_text):
    return set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", help_text)) | {"--help", "-h"}


def literals():
    """Texts of messages in the sources of the program and of the tools, what is filled in as `...'."""
    text = "\n".join(text_of(f) for folder in ("src", "octree", "cuda", "physics", "elliptic", "gw_extraction", "horizons")
                     for f in (ROOT / folder).rglob("*") if f.suffix in (".c", ".cu", ".h", ".def"))
    text = re.sub(r'"\s*"', "", text).replace('\\"', '"')
    tools = re.sub(r"\{[^{}\n]*\}", "...", "\n".join(text_of(f) for f in (ROOT / "tools/tendex").rglob("*.py")))
    return re.sub(r"%[-+ #0]*[\d.*]*(?:hh|h|ll|l|z|j)?[a-zA-Z]", "...", text) + re.sub(r'"\s*f?"', "", tools)


class Docs(unittest.TestCase):
    def each(self, files, find):
        """(file, what) of all that is found in the files."""
        found = [(f, what) for f in files for what in find(text_of(f))]
        self.assertTrue(found)
        return found

    def test_what_is_generated_is_up_to_date(self):
        for name, text in generate.files(TENDEX).items():
            self.assertTrue((DOCS / name).read_text(encoding="utf-8") == text,
                            f"docs/{name} is out of date: run dev/generate.py")

    def test_systems_have_pages(self):
        """With the table of their parameters; no other page has these."""
        for folder in ROOT.glob("physics/*/system.py"):
            name = folder.parent.name
            if name in generate.SYSTEMS:
                continue
            page = DOCS / f"systems/{name}.md"
            self.assertTrue(page.is_file(), page)
            own = [key for key in parameters() if key.startswith(f"{name}.")]
            for key in own:
                self.assertIn(f"\n| `{key}` |", text_of(page))
                self.assertNotIn(key, text_of(DOCS / "parameters.md") + text_of(DOCS / "tendex.1"))

    def test_a_page_without_a_place_is_refused(self):
        with tempfile.NamedTemporaryFile("w", suffix=".md") as file, self.assertRaisesRegex(SystemExit, "no place for its parameters; give it"):
            generate.system_md(Path(file.name), [])

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_man_pages_are_good_troff(self):
        for page in sorted(DOCS.glob("*.1")):
            p = subprocess.run(["groff", "-man", "-ww", "-z", page], capture_output=True, text=True)
            self.assertEqual((p.returncode, p.stderr), (0, ""), page.name)

    def test_parameters_exist(self):
        sections = {key.split(".")[0] for key in parameters()}
        keys = re.compile(rf"(?<![\w/.-])({'|'.join(sorted(sections))})\.(\w+)(?!\w*[/*])")
        for f, (section, name) in self.each(GUIDES, lambda t: (m for c in code(t) for m in keys.findall(c))):
            self.assertTrue(name in ENDINGS or f"{section}.{name}" in parameters(), f"{f.name}: {section}.{name}")

    def test_settings_are_allowed(self):
        """Values of --set: words and ranges."""
        setting = re.compile(r"--set \"?(\w+\.\w+)=([^\s\"`]+)")
        for f, (key, value) in self.each(GUIDES, lambda t: (m for c in code(t) for m in setting.findall(c))):
            if key == "section.name" or value.startswith("..."):
                continue
            p = parameters().get(key)
            self.assertTrue(p, f"{f.name}: {key}")
            if "words" in p:
                self.assertIn(value, p["words"], f"{f.name}: {key}")
            elif p["type"] in ("integer", "number") and re.match(r"[\d.-]", value):
                self.assertTrue(p["min"] <= float(value) <= p["max"], f"{f.name}: {key}={value}")

    def test_links_lead_somewhere(self):
        def targets(text):
            return re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", text)

        for f, target in self.each(LINKED, targets):
            path, _, anchor = target.partition("#")
            there = (f.parent / path).resolve() if path else f
            self.assertTrue(there.exists(), f"{f.name}: {target}")
            if anchor:
                heads = {re.sub(r"[^\w -]", "", h.lower()).strip().replace(" ", "-")
                         for h in re.findall(r"^#+ (.*)$", text_of(there), flags=re.M)}
                self.assertIn(anchor, heads, f"{f.name}: {target}")

    def test_paths_exist(self):
        path = re.compile(rf"(?<![\w/.<-])((?:{'|'.join(FOLDERS)})/[\w./*-]+)")
        for f, p in self.each(GUIDES, lambda t: (m for c in code(t) for m in path.findall(c))):
            p = p.rstrip(".,:")
            self.assertTrue(list(ROOT.glob(p.rstrip("/"))), f"{f.name}: {p}")

    def test_parameter_files_in_the_text_are_good(self):
        for f in (ROOT / "README.md", DOCS / "guide.md", *DOCS.glob("guide/*.md")):
            # Less those of systems that a page makes (test_new_system.py).
            for block in re.findall(r"(?<!\.yaml -->\n)^```yaml\n(.*?)^```", text_of(f), flags=re.S | re.M):
                with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                    file.write(block)
                    file.flush()
                    p = subprocess.run([TENDEX, "check", file.name, "--speed", "1e6", "--strict"], capture_output=True,
                                       text=True)
                    self.assertEqual(p.returncode, 0, f"{f.name}: {p.stdout}{p.stderr}")

    def test_commands_and_options_exist(self):
        command = re.compile(r"(?:^|[\s\"'(])(tendex-waves|tendex-orbit|tendex|(?:tools|dev)/[\w.-]+)(?![\w-])((?: +[^\s|#;`']+)*)")
        seen = set()
        for f, (program, words) in self.each(GUIDES, lambda t: (m for c in code(t) for m in command.findall(c))):
            words = words.split()
            named = (f"tools/{program}",) if f"tools/{program}" in TOOLS else (program,)
            if program == "tendex" and words and words[0] in ("is", "COMMAND", "->"):
                continue
            if named[0] in ("tendex", "tools/tendex-waves") and words and re.fullmatch(r"[a-z]+", words[0]):
                self.assertRegex(help_of(*named), rf"\n +{words[0]}\b", f"{f.name}: {program} {words[0]}")
                named += (words.pop(0),)
            for word in words:
                option = word.rstrip(",.:)").split("=")[0]
                if re.fullmatch(r"--?[A-Za-z][\w-]*", option):
                    self.assertIn(option, options(help_of(*named)), f"{f.name}: {' '.join(named)} {word}")
                    seen.add((*named, option))
        self.assertIn(("tendex", "run", "--restart"), seen)

    def test_messages_are_the_programs(self):
        source = literals()
        quoted = [q for _, q in re.findall(r"\*\*(`+)(.+?)\1\*\*", re.sub(r"\s+", " ", text_of(DOCS / "troubleshooting.md")))]
        self.assertGreater(len(quoted), 30)
        pieces = [p for q in quoted for p in re.split(r"\s*\.\.\.\s*", q.removeprefix("warning: "))]
        self.assertEqual([p for p in pieces if p not in source], [])

    def test_exit_codes(self):
        codes = dict(re.findall(r"TX_ERR_(\w+) = (\d+)", text_of(ROOT / "src/base/status.h")))
        table = re.findall(r"^\| (\d) \| ([A-Z]+) \|", text_of(DOCS / "troubleshooting.md"), flags=re.M)
        self.assertEqual({name: n for n, name in table}, codes)

    def test_every_file_of_a_run_is_described(self):
        sources = [ROOT / "src/output/manifest.c", *sorted((ROOT / "src/observe").glob("*.c"))]
        rows = [row for file in sources for row in re.findall(r'\{"(\w*)", "([^"]+)", (TX_FILE_\w+)\}', text_of(file))]
        self.assertGreater(len(rows), 40)
        patterns = [f"{folder}/{name}".lstrip("/") for folder, name, fate in rows if not name.endswith(".part")]
        names = [n for row in re.findall(r"^\| (`[^|]+) \|", text_of(DOCS / "output.md").split("## Waves")[0], flags=re.M)
                 for n in re.findall(r"`([^`]+)`", row) if n != "analysis/"]
        for pattern in patterns:
            self.assertTrue(any(fnmatch.fnmatch(n, pattern) for n in names), f"{pattern} is not described")
        for name in names:
            self.assertTrue(any(fnmatch.fnmatch(name, p) for p in patterns), f"no run writes {name}")

    def test_install(self):
        with tempfile.TemporaryDirectory(prefix="tendex-install-") as top:
            p = subprocess.run(["cmake", "--install", BUILD, "--prefix", top], capture_output=True, text=True)
            self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
            top = Path(top)
            self.assertRegex(generate.said(str(top / "bin/tendex"), "--version"), r"^tendex \d")
            self.assertIn("COMMAND", generate.said(str(top / "bin/tendex-waves"), "--help"))
            for page in ("tendex.1", "tendex-waves.1", "tendex-orbit.1"):
                self.assertEqual((top / "share/man/man1" / page).read_text(), (DOCS / page).read_text())
            for name in ("README.md", "CITATION.cff", "LICENSE", "docs/guide.md", "docs/parameters.md"):
                self.assertTrue((top / "share/doc/tendex" / name).is_file(), name)
            for name in ("par/head_on.yaml", "tools/sweep.py"):
                self.assertTrue((top / "share/tendex" / name).is_file(), name)
            self.assertEqual(list(top.rglob("__pycache__")), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
