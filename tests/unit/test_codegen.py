"""The generator of equations: descriptions that are wrong are refused in one line, and exact numbers are what was written."""
import contextlib
import io
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
USED = ("physics/codegen", "physics/bssn", "physics/system.h", "physics/octant/scalars.h")

# What stands in the place of some text of a description that is right, and words of the refusal (a|b: one of them), which names
# the line of that text.
LAST = 'p.store("v", "ADV_v + ddu_dd[i,i]")'
V = 'p.store("v", "ADV_v + ddu_dd[i,i]%s")'
EQUATIONS = [
    # Numbers.
    (V % " + 0.5 * v", "0.5 is a decimal; expected integers and fractions, here 1/2"),
    (V % " + 2.5 * v", "2.5 is a decimal; expected integers and fractions, here 5/2"),
    (V % " + 2.0 * v", "2.0 is a decimal"),
    (V % " + 1e3 * v", "1000.0 is a decimal"),
    (V % " + 1e999 * v", "inf is a decimal"),
    (V % " + 2j * v", "2j is not a number"),
    (V % " + True * v", "True is not a number"),
    (V % " + '2' * v", "'2' is not a number"),
    (V % " + 9007199254740993 * v", "not exact in double precision"),
    (V % " + 3**40 * v", "not exact in double precision"),
    (V % " + v / (1 - 1)", "no division by 0"),
    # Powers and functions.
    (V % " + v**0.5", "the power 0.5 is not an integer"),
    (V % " + v**(1/2)", "the power 1 / 2 is not an integer"),
    (V % " + v**v", "the power v is not an integer"),
    (V % " + v**True", "the power True is not an integer"),
    (V % " + sqrt(0 - 2) * v", "no root of a negative number"),
    (V % " + sqrt(v)", "right-hand sides have no sqrt of variables"),
    (V % " + sin(v)", "sin() is no function here"),
    (V % " + math.sqrt(v)", "math.sqrt() is no function here"),
    (V % " + sqrt(v, v)", "expected one argument of sqrt"),
    # Names.
    (V % " + w", "w is unknown here"),
    (V % " + u", "u is unknown here"),
    (V % " + du_d", "du_d has 1 indices, not 0"),
    (V % " + ddv_dd[i,i]", "ddv_dd is unknown here; expected what values(), load(), scalars() or let() made known before, such as"
     " ddu_dd"),
    ('p.values("w")', "w is no variable; expected u, v"),
    ('p.values("v")', "in \"v\": it is there already"),
    ('p.load(1, "w")', "w is no variable"),
    ('p.load(3, "v")', "derivatives of v of order 3"),
    ('p.load(0, "v")', "it is there already"),
    ('p.scalars("omega")', "the scalar is unknown; expected advect_Gt,"),
    ('p.input("omega")', "the scalar is unknown; expected eta"),
    ('p.park("w")', "w is unknown here"),
    ('p.again("du_d")', "du_d is no variable"),
    ('p.more("v", "kappa1", "v")', "more of v by kappa1"),
    ('p.store("w", "v")', "w is no result of rhs; expected u, v"),
    ('p.let("u", "v"); p.let("u", "v")', "u0 is defined twice|u is defined twice"),
    ('p.let("v", "2 * v")', "v is there already"),
    ('p.let("delta", "v")', "delta has a meaning of its own"),
    ('p.let_later("x"); p.let("y", "x")', "x has no value yet"),
    ('p.let("x+=", "v")', "x is unknown here"),
    # Indices.
    ('p.let("E[i]", "du_d[i]"); p.let("F[i]", "E[i] + v")', "E[i] has the free indices i, v has no free index"),
    ('p.let("x[i]", "v")', "no free index on the right, the free indices i on the left"),
    ('p.let("x", "du_d[i]")', "the free indices i on the right, no free index on the left"),
    ('p.let("x[i]", "du_d[j]")', "the free indices j on the right, the free indices i on the left"),
    ('p.let("x[i,j]", "du_d[i]")', "the free indices i on the right"),
    ('p.let("x[i]", "du_d[i] * du_d[i] * du_d[i]")', "the index i occurs 3 times"),
    ('p.let("x[i]", "ddu_dd[i,i] * du_d[i]")', "the index i occurs 3 times"),
    ('p.let("x[i]", "du_d[i] * (v + du_d[i] * du_d[i])")', "the index i occurs 3 times"),
    ('p.let("x", "du_d[j] * du_d[j] * du_d[i] * du_d[i] * du_d[j]")', "the index j occurs 3 times"),
    ('p.let("x", "du_d[i]**2")', "expected a scalar under a root or a power"),
    ('p.let("x", "v / (du_d[i] * du_d[i])")', "the index i is below a fraction line"),
    ('p.let("x", "du_d[3]")', "the index 3 is neither a letter nor 0, 1 or 2"),
    ('p.let("x", "du_d[-1]")', "the index -1 is neither"),
    ('p.let("x", "ddu_dd[0]")', "ddu_dd has 2 indices, not 1"),
    ('p.let("x", "eps[i,j] * ddu_dd[i,j]")', "eps has 3 indices, not 2"),
    ('p.let("x[0]", "v")', "expected on the left a name"),
    ('p.let("x[i,i]", "ddu_dd[i,i]")', "expected on the left a name"),
    ('p.let("2 * x", "v")', "expected on the left a name"),
    ('p.let("x[i,j]", "ddu_dd[i,j]", sym="ik")', "expected pairs of the letters on the left"),
    ('p.store("v[i]", "ADV_v * du_d[i]")', "expected v once, with 0 indices"),
    # What is no expression.
    (V % " +", "not an expression"),
    (V % " + v if v else v", "is not index notation"),
    (V % " + v[i]", "v has 0 indices, not 1"),
    (V % " + (v)(v)", "is no function here"),
    ('p.store("v", 2)', "2 is not an expression in quotes"),
    # What is no program.
    ("p.lead(1)", "AttributeError: 'Program' object has no attribute 'lead'"),
    ("p.store(v)", "NameError: name 'v' is not defined"),
    ("p.store('v'", "was never closed|invalid syntax"),
    ('p.store("v", "v"); p.store("v", "v")', "expected v once"),
]
TABLE = 'Variable("v", text="time derivative of the wave", falloff=1, speed="1"),'
TABLES = [
    (TABLE.replace('"1"', '"0.5"'), "0.5 is a decimal; expected integers and fractions, here 1/2"),
    (TABLE.replace('"1"', "0.5"), "0.5 is a decimal"),
    (TABLE.replace('"1"', '"2 * v"'), "speed is not a number"),
    (TABLE.replace('"1"', '"2**0.5"'), "the power 0.5 is not an integer"),
    (TABLE.replace('"1"', '"0 - 1"'), "speed is below 0"),
    (TABLE.replace("=1,", "=1.5,"), "1.5 is a decimal; expected integers and fractions, here 3/2"),
    (TABLE.replace("=1,", "=None,"), "None is not a number"),
    (TABLE.replace("=1,", "=-1,"), "falloff is below 0"),
    (TABLE.replace("),", ', infinity="0.1"),'), "0.1 is a decimal; expected integers and fractions, here 1/10"),
    (TABLE.replace("),", ', infinity=0.1),'), "0.1 is not an expression in quotes"),
    (TABLE.replace("),", ', infinity="u"),'), "u is unknown here"),
    (TABLE.replace('"v"', '"v_u", "i"').replace("),", ', infinity="1"),'), "no free index on the right, the free indices i"),
    (TABLE.replace("),", ', floor="0.5"),'), "the floor 0.5 is unknown; expected alpha_floor, chi_floor"),
    (TABLE.replace("),", ", floor=0.5),"), "the floor 0.5 is unknown"),
    (TABLE.replace("),", ', advection="advect_v"),'), "the advection advect_v is unknown; expected advect_B, advect_lapse, advect_shift"),
    (TABLE.replace('"v"', '"v_u"'), "expected 1 different letters, as the name says"),
    (TABLE.replace('"v"', '"v", "i"'), "expected 0 different letters"),
    (TABLE.replace('"v"', '"v w"'), "expected letters and digits"),
    (TABLE.replace('"v"', '"v_dd", "ij", [(0, 2)]'), "expected pairs of the indices' numbers"),
    (TABLE.replace('"v"', '"U"'), "U and u both have a component U"),
    (TABLE.replace("wave\"", "\\\"wave\\\"\""), "expected a line without quotation marks"),
    (TABLE.replace(" speed=\"1\"", ""), "TypeError"),
]
FILES = 'FILES = {"rhs": (rhs, "right-hand sides of the wave equation")}'
OTHERS = {
    "system.py": [
        ("VARIABLES = [", "VARIABLES = None; NONE = [", "VARIABLES; expected a list of Variable(...)"),
        ("RESULTS = []", "RESULTS = [1]", "RESULTS; expected a list of Result(...)"),
        ("ROLES = {}", "ROLES = 1", "ROLES is 1; expected {'METRIC': 'gt_dd', ...} or {}"),
        ("ROLES = {}", 'ROLES = {"LAPS": "u"}', "the role LAPS; expected CURVATURE,"),
        ("ROLES = {}", 'ROLES = {"LAPSE": "w"}', "LAPSE is w; expected u, v"),
        ("ROLES = {}", 'ROLES = {"SHIFT": "u"}', "SHIFT is u; expected none, which have 1 indices"),
        (FILES, FILES.replace('"rhs"', '"right"'), "FILES has no rhs"),
        (FILES, FILES.replace("}", ', "weil": (rhs, "")}'), "weil in FILES; expected constraints, rhs, weyl"),
        (FILES, 'FILES = {"rhs": rhs}', "rhs in FILES; expected (function, title)"),
        (FILES, FILES.replace("}", ', "constraints": (lambda p: p.scalars("kappa1"), "none")}'), "expected scalars in rhs alone"),
        (FILES, FILES.replace("}", ', "constraints": (lambda p: p.store("H", "0"), "none")}'), "H is not in RESULTS; expected u, v"),
        (FILES, FILES.replace("}", ', "constraints": (lambda p: p.store("u", "0"), "none")}'), "u is no result of constraints"),
        (FILES, FILES.replace("}", ', "constraints": (lambda p: p.load(0, "u") or p.let("x", "ADV_u"), "none")}'), "ADV_u is unknown"),
        (FILES, FILES.replace("}", ', "constraints": (lambda p: p.values("u") or p.let("x", "sqrt(u)"), "none")}'),
         "constraints have no sqrt of variables"),
        (FILES, FILES.replace("}", ', "constraints": (lambda p: None, "none")}'), "constraints stores no H"),
    ],
    "plan.py": [
        ('[("u", "v")]', '[("u", "w")]', "UPDATES: 'w' is no variable; expected u, v"),
        ('[("u", "v")]', '[("u")]', "UPDATES: 'u'; expected tuples of variables, such as ('u',)"),
        ('[("u", "v")]', '[("u",)]', "v is in 0 updates; expected 1"),
        ("AHEAD = ()", 'AHEAD = ("v")', "AHEAD is 'v'; expected a list or a tuple, such as ('v',)"),
        ("AHEAD = ()", 'AHEAD = ("v",)', "AHEAD: v is in the first update"),
        ("LAST = ()", 'LAST = ("w",)', "LAST: 'w' is no variable"),
        ("KEPT = ()", 'KEPT = ("u",)', "KEPT: u is never needed again"),
        ("KEPT = ()", "KEPT = (", "was never closed|unexpected EOF"),
    ],
}
GEOMETRY = [
    ('TRACE = "K"', 'TRACE = "0.5 * K"', "0.5 is a decimal; expected integers and fractions, here 1/2"),
    ('TRACE = "K"', 'TRACE = "K + 2 * Theta"', "Theta is unknown here"),
    ('TRACE = "K"', 'TRACE = "K**2"', "expected scalar variables, numbers, + - * and /"),
    ('TRACE = "K"', 'TRACE = "At_dd[i,i]"', "expected scalar variables, numbers, + - * and /"),
    ('"FACTOR": "chi", ', "", "METRIC without FACTOR"),
]


FOLDER = tempfile.TemporaryDirectory()
TREE = pathlib.Path(FOLDER.name).resolve() / "tree"


def setUpModule():
    """Make a source tree with nothing but the generator, into which tests put systems."""
    for name in USED:
        (TREE / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, TREE / name)
    sys.path.insert(0, str(TREE / "physics/codegen"))


def tearDownModule():
    FOLDER.cleanup()


class Tree(unittest.TestCase):
    systems = 0

    def system(self, files, of="tests/systems/wave"):
        """The folder of a system whose files differ from another one's: name -> text, or None for a file that is not there."""
        Tree.systems += 1
        folder = TREE / f"tests/{Tree.systems}" / pathlib.Path(of).name
        folder.mkdir(parents=True)
        for name in ("system.py", "plan.py"):
            text = files.get(name, (ROOT / of / name).read_text())
            if text is not None:
                (folder / name).write_text(text)
        return folder

    def generate(self, folder, out=None):
        """What the generator prints where it refuses a folder, or None."""
        argv, sys.argv = sys.argv, ["generate.py", "--only", str(folder), str(out or folder / "out")]
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                import generate
                generate.main()
        except SystemExit as end:
            return str(end.code)
        finally:
            sys.argv = argv
        return None

    def refused(self, label, folder, where, words):
        """One line with the place and the words; nothing is written."""
        with self.subTest(label):
            try:
                said = self.generate(folder)
            except BaseException as error:
                self.fail(f"{type(error).__name__}: {error}")
            self.assertIsNotNone(said, "not refused")
            self.assertEqual(said.count("\n"), 0, said)
            self.assertTrue(said.startswith(where + ": "), f"{said}\nis not at {where}")
            self.assertTrue(any(choice in said for choice in words.split("|")), f"{said}\nlacks {words}")
            self.assertFalse((folder / "out").exists(), "files were written")

    @staticmethod
    def place(path, at, text):
        return f"{path.relative_to(TREE)}:{text[:text.index(at)].count(chr(10)) + 1}"

    def replaced(self, file, old, new, words, of="tests/systems/wave", at=None):
        """`at`: where the mistake shows, if not there where it was made."""
        text = (ROOT / of / file).read_text()
        self.assertEqual(text.count(old), 1, old)
        folder = self.system({file: text.replace(old, new)}, of)
        self.refused(f"{file}: {new}", folder, self.place(folder / file, at or old, text), words)


class Wrong(Tree):
    def test_equations(self):
        for new, words in EQUATIONS:
            with self.subTest(new):
                self.replaced("system.py", LAST, new, words)

    def test_variables(self):
        for new, words in TABLES:
            self.replaced("system.py", TABLE, new, words)

    def test_tables(self):
        for file, cases in OTHERS.items():
            for case in cases:
                self.replaced(file, *case)
        self.replaced("system.py", LAST, "pass", "rhs stores no v; expected store() of u, v", at=FILES)
        self.replaced("system.py", 'load(0, "v")\n    p.store("v", "ADV_v', 'values("u")\n    p.store("v", "u',
                      "v is stored and not loaded", at=TABLE)

    def test_geometry(self):
        for case in GEOMETRY:
            self.replaced("system.py", *case, of="physics/bssn")
        self.replaced("system.py", 'TRACE = "K"', 'TRICE = "K"', "METRIC in ROLES, but no table TRACE", "physics/bssn", "ROLES =")

    def test_what_files_share(self):
        old = "partial(weyl, z4c=False)"
        text = (ROOT / "physics/bssn/system.py").read_text()
        self.assertEqual(text.count(old), 1)
        folder = self.system({"system.py": text.replace(old, 'lambda p: (p.stage("first"), weyl(p, z4c=False))')}, "physics/bssn")
        self.refused("another beginning", folder, "ricci.inc", "not the same in all files that include it")

    def test_what_is_missing(self):
        for file in ("system.py", "plan.py"):
            folder = self.system({file: None})
            self.refused(file, folder, str(folder.relative_to(TREE)), f"there is no file {file}; expected system.py and plan.py")
            text = (ROOT / "tests/systems/wave" / file).read_text()
            for table in re.findall(r"^([A-Z]+) =", text, re.M):
                folder = self.system({file: re.sub(rf"^{table} =", "OTHER =", text, flags=re.M)})
                self.refused(table, folder, str((folder / file).relative_to(TREE)), f"there is no table {table}; expected ")

    def test_folders(self):
        outside = pathlib.Path(FOLDER.name).resolve() / "wave"
        shutil.copytree(ROOT / "tests/systems/wave", outside)
        self.refused("outside", outside, str(outside), "a folder outside the source tree")
        named = self.system({}).rename(TREE / "tests/my-wave")
        self.refused("name", named, "tests/my-wave", "the folder's name is the system's")
        self.refused("none", TREE / "tests/none", "tests/none", "there is no file system.py")
        folder = self.system({})
        (TREE / "file").write_text("")
        self.assertRegex(self.generate(folder, TREE / "file/out"), r"^.*/file/out: \S.*$")

    def test_sums_over_components(self):
        """Equations of load() for each component: a term without the component's index would be added three times."""
        text = (ROOT / "tests/systems/wave/system.py").read_text().replace(TABLE, TABLE.replace('"v"', '"v_u", "i"'))
        text = text.replace("ADV_u + v", "ADV_u").replace('values("v")', 'values("v_u")')
        text = text.replace('"v", "ADV_v + ddu_dd[i,i]"', '"v_u[i]", "ADV_v_u[i] + d[i]"')
        for then, words in ((("d[j]+=", "ddv_ddu[j,i,i] + du_d[j]"), "neither on the left nor summed in every term"),
                            (("d[j]+=", "du_d[j]"), "neither on the left nor summed in every term"),
                            (("d[j]+=", "ddv_ddu[j,i,i]"), None)):
            files = {"system.py": text.replace('p.load(0, "v")', f'p.let_later("d[j]"); p.load(2, "v_u", then=[{then}])'),
                     "plan.py": (ROOT / "tests/systems/wave/plan.py").read_text().replace('"v"', '"v_u"')}
            folder = self.system(files)
            if words:
                self.refused(then, folder, self.place(folder / "system.py", 'p.load(2, "v_u"', files["system.py"]), words)
            else:
                self.assertIsNone(self.generate(folder))

    def test_the_program_says_no_more(self):
        folder = self.system({"system.py": (ROOT / "tests/systems/wave/system.py").read_text().replace("+ v", "+ 0.5 * v")})
        run = subprocess.run([sys.executable, TREE / "physics/codegen/generate.py", "--only", folder, folder / "out"],
                             capture_output=True, text=True, cwd="/", env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, r'^tests/\d+/wave/system\.py:\d+: in "ADV_u \+ 0\.5 \* v": 0\.5 is a decimal; .*\n$')
        guide = (ROOT / "docs/guide/new_system.md").read_text()
        self.assertIn(re.sub(r"tests/\d+", "tests/systems", run.stderr), guide, "the guide shows this refusal")


class Right(Tree):
    def text(self, changes, of="tests/systems/wave"):
        """The generated files, by the ends of their names."""
        text = (ROOT / of / "system.py").read_text()
        for old, new in changes.items():
            self.assertIn(old, text)
            text = text.replace(old, new)
        folder = self.system({"system.py": text}, of)
        self.assertIsNone(self.generate(folder))
        return {path.name.partition("_")[2]: path.read_text() for path in (folder / "out").iterdir()}

    def test_numbers_of_variables(self):
        for given, exact in (('infinity=0, falloff=1, speed="1"', (0, 1, 1)), ('infinity=-2, falloff="3/2", speed=2', (-2, 1.5, 2)),
                             ('infinity="1/3", falloff=0, speed="2/3"', (1 / 3, 0, 2 / 3)),
                             ('infinity="sqrt(3)", falloff=1, speed="sqrt(2)/4"', (math.sqrt(3), 1, math.sqrt(2) / 4))):
            with self.subTest(given):
                made = self.text({TABLE: TABLE.replace('falloff=1, speed="1"', given)})["variables.def"]
                found = re.search(r"^V\(V, v, \+1, \+1, \+1, (.*)$", made, re.M)[1].split(", ")[:3]
                self.assertFalse([text for text in found if "/" in text], "C would divide integers")
                self.assertEqual(tuple(map(float, found)), exact)

    def test_arithmetic(self):
        """Exact numbers, powers and roots have the value that they have as Python."""
        cases = ("1/3 * v", "-5/2 * v", "v / 7", "v**2", "v**-3", "2 * v**0", "1 / (v + 2)**2", "(v - 1/3) * (v + 1/3)", "sqrt(2) * v",
                 "v / sqrt(3)", "sqrt(2/3)", "du_d[0] - du_d[1] * du_d[2]", "delta[0,1] + delta[2,2] * v")
        roots = ("sqrt(v)", "v * sqrt(v)", "1 / sqrt(v)", "sqrt(v)**5", "sqrt(sqrt(v))", "v**2 / sqrt(sqrt(v))**3", "sqrt(v / 3) + 1",
                 "sqrt(du_d[i] * du_d[i])", "sqrt(v**2 + 1)")
        names = {"v": 1.7, "du_d0": 0.3, "du_d1": -0.4, "du_d2": 1.1, "lapse_pull": 3.0}
        for text in cases + tuple(f"lapse_pull * ({text})" for text in roots):
            with self.subTest(text):
                made = self.text({LAST: f'p.scalars("lapse_pull"); p.store("v", "{text}")'})["rhs.inc"]
                value = " ".join(re.search(r"TX_STORE\(V, (.*?)\);", made, re.S)[1].split())
                tensors = re.sub(r"du_d\[(\d)\]", r"du_d\1", text.replace("du_d[i] * du_d[i]", "1.46"))
                exact = eval(re.sub(r"delta\[(\d),(\d)\]", r"(\1==\2)", tensors), {"sqrt": math.sqrt}, names)
                self.assertLess(abs(eval(value, {"TX_SQRT": math.sqrt}, names) / exact - 1), 1e-15, value)

    def test_fractions_of_the_trace(self):
        import tables
        description = (ROOT / "physics/bssn/system.py").read_text()
        for trace, expected in (("K", "V(K)"), ("K + 2 * chi", "V(K) + 2 * V(CHI)"), ("1/2 * K", "1.0 / 2.0 * V(K)"),
                                ("-K / 3 + 2 * alpha", "-V(K) / 3.0 + 2 * V(ALPHA)")):
            folder = self.system({"system.py": description.replace('TRACE = "K"', f'TRACE = "{trace}"')}, "physics/bssn")
            self.assertEqual(tables.trace(tables.described(folder)), expected)


if __name__ == "__main__":
    unittest.main()
