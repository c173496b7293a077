"""CMake finds systems of equations by folder, those of the source tree and of a user, and says in one message what is wrong."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests"))
from support.files import project_files  # noqa: E402

WAVE = ROOT / "tests/systems/wave"
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(systems LANGUAGES NONE)
include({root}/physics/systems.cmake)
get_property(systems GLOBAL PROPERTY TX_SYSTEMS)
foreach(name IN LISTS systems)
  get_property(names GLOBAL PROPERTY TX_SYSTEM_NAMES_${{name}})
  message(STATUS "system ${{name}}: ${{names}}")
  get_property(folder GLOBAL PROPERTY TX_SYSTEM_FOLDER_${{name}})
  message(STATUS "folder ${{name}}: ${{folder}}")
endforeach()
message(STATUS "further${{TX_FURTHER_SYSTEMS}}")
"""


class Systems(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def system(self, name, old="", new=""):
        """The folder of a wave equation of that name, in which some text is another."""
        shutil.copytree(WAVE, self.folder / name)
        path = self.folder / name / "system.py"
        self.assertIn(old, path.read_text())
        path.write_text(path.read_text().replace(old, new))
        return self.folder / name

    def configure(self, *paths, root=ROOT):
        """CMake's exit status and what it says, of a project with nothing but systems."""
        source = self.folder / "project"
        source.mkdir(exist_ok=True)
        (source / "CMakeLists.txt").write_text(PROJECT.format(root=root))
        run = subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", self.folder / "build",
                              "-DTENDEX_SYSTEMS=" + ";".join(map(str, paths))], capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr

    def found(self, *paths):
        """The systems and their headers."""
        code, said = self.configure(*paths)
        self.assertEqual(code, 0, said)
        return re.findall(r"-- system (\w+): (\S+)", said)

    def refused(self, *paths, words, root=ROOT):
        """One message has the words."""
        code, said = self.configure(*paths, root=root)
        self.assertNotEqual(code, 0, "not refused")
        self.assertEqual(said.count("CMake Error"), 1, said)
        self.assertNotIn("Traceback", said)
        self.assertIn(words, " ".join(said.split()))

    def made(self, name):
        return (self.folder / "build/made" / name).read_text()

    def test_own(self):
        folders = {path.parent.name for path in ROOT.glob("physics/*/system.py")}
        found = self.found()
        self.assertEqual(found[:2], [(name, f"physics/generated/{name}_names.h") for name in ("bssn", "z4c")])
        self.assertEqual({name for name, _ in found}, folders)
        self.assertIn('W(TX_EVOLVED_BSSN, "bssn") W(TX_EVOLVED_Z4C, "z4c")', self.made("params/systems.h"))

    def test_folder(self):
        folder = self.system("ripple")
        self.assertEqual(self.found(folder)[-1], ("ripple", "ripple/ripple_names.h"))
        said = self.configure(folder)[1]
        self.assertRegex(said, r"-- further, with ripple [0-9a-f]{16}\n")
        for name, path in (("ripple", folder), ("bssn", ROOT / "physics/bssn")):  # where tests of theirs are looked for
            self.assertIn(f"-- folder {name}: {path}\n", said)
        self.assertIn('W(TX_EVOLVED_RIPPLE, "ripple")', self.made("params/systems.h"))
        self.assertIn("SYSTEM(ripple)\n", self.made("params/systems.h"))
        self.assertIn("TX_STORE(U, TX_ADV(U) + v);", self.made("ripple/ripple_rhs.inc"))

    def test_changes(self):
        """A change of the description makes CMake run again, and generate anew."""
        folder = self.system("ripple")
        self.found(folder)
        path = folder / "system.py"
        path.write_text(path.read_text().replace("ADV_u + v", "ADV_u + 2 * v"))
        run = subprocess.run(["ninja", "-C", self.folder / "build"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("TX_STORE(U, TX_ADV(U) + 2.0 * v);", self.made("ripple/ripple_rhs.inc"))

    def test_folder_of_folders(self):
        self.system("ripple")
        self.system("ant")
        self.assertEqual([name for name, _ in self.found(self.folder)][-2:], ["ant", "ripple"])
        self.assertEqual([name for name, _ in self.found(self.folder / "ripple", self.folder / "ant")][-2:], ["ripple", "ant"])

    def test_none(self):
        for path in ("none", "empty"):
            (self.folder / "empty").mkdir(exist_ok=True)
            self.refused(self.folder / path, words=f"TENDEX_SYSTEMS: there is no file system.py in {self.folder}/{path}, nor in a folder")

    def test_names(self):
        self.refused(self.system("Bssn"), words="physics/bssn has taken the name Bssn; give the folder another name")
        (self.folder / "there").mkdir()
        there = shutil.copytree(self.system("ripple"), self.folder / "there/ripple")
        self.refused(self.folder / "ripple", there, words=f"{self.folder}/ripple has taken the name ripple")
        for name, words in (("double", "C has a word of this name"), ("mesh", "the program has the name tx_mesh"),
                            ("host", "the program has the name tx_cuda_host"), ("wave_4u", "the names of schemes end in _4u"),
                            ("my-wave", "expected letters, digits and _")):
            self.refused(self.system(name), words=words)

    def test_wrong_descriptions(self):
        self.refused(self.system("ripple", "+ v", "+ w"), words="system.py:16: in \"ADV_u + w\"")
        self.refused(self.system("broken", "p.load(0", "p.lead(0"), words="system.py:17: p.lead(0, \"v\"): AttributeError")
        (self.system("half") / "plan.py").unlink()
        self.refused(self.folder / "half", words="there is no file plan.py")

    def test_parameters(self):
        def parameters(section, name):
            return ("VARIABLES = [", f"from parameters import Parameter\nPARAMETERS = [Parameter('{section}', '{name}', 1, 0, 2, text='of a test')]\n"
                    "VARIABLES = [", 'p.load(0, "v")', f'p.load(0, "v"); p.scalars("{name}")')

        def system(folder, *of):
            old, new, load, scalars = parameters(*of)
            path = self.system(folder, old, new) / "system.py"
            path.write_text(path.read_text().replace(load, scalars))
            return path.parent

        self.found(system("ripple", "ripple", "rate"), system("swell", "swell", "rate"))
        included = re.findall('#include "(.*)"', self.made("params/system_parameters.def"))
        self.assertEqual(included[:2] + included[-2:], ["physics/generated/bssn_parameters.def", "physics/generated/z4c_parameters.def",
                                                        "ripple/ripple_parameters.def", "swell/swell_parameters.def"])
        self.assertIn("REAL(swell, rate, 1.0,", self.made("swell/swell_parameters.def"))
        self.refused(system("one", "evolution", "rate"), system("two", "evolution", "rate"),
                     words=f"{self.folder}/two: evolution.rate is a parameter of {self.folder}/one too; give it another name or section")
        self.refused(system("three", "evolution", "kappa1"), words="evolution.kappa1 is a parameter of physics/z4c too")

    def test_a_package_is_its_folder(self):
        """A further system of the source tree is named by its folder, its code, its page, its files of `par` and its tests alone."""
        files = [file for file in project_files(ROOT) if file.suffix not in (".xz", ".webp", ".svg", ".json", ".csv")]
        # Where a page tells its readers of one.
        pages = {"CHANGELOG.md", "docs/guide/new_system.md"}
        further = {path.parent.name for path in ROOT.glob("physics/*/system.py")} - {"bssn", "z4c"}
        self.assertTrue(further)
        for name in further:
            word = re.compile(rf"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9])")
            own = re.compile(rf"(physics|tests/systems)/{name}/|physics/generated/{name}_|docs/systems/{name}\.md$|par/{name}\w*\.yaml$")
            found = [str(file) for file in files if word.search((ROOT / file).read_text(encoding="utf-8", errors="replace"))]
            self.assertEqual([file for file in found if not own.match(file) and file not in pages], [], name)

    def test_own_without_code(self):
        tree = self.folder / "tree"
        for name in ("bssn", "z4c", "generated", "codegen"):
            shutil.copytree(ROOT / "physics" / name, tree / "physics" / name)
        shutil.copy(ROOT / "physics/systems.cmake", tree / "physics")
        shutil.copytree(WAVE, tree / "physics/ripple")
        self.refused(root=tree, words="physics/ripple/system.py: its code is not there yet; run /usr/bin/python3 physics/codegen/generate.py")


if __name__ == "__main__":
    unittest.main()
