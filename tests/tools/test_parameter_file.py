"""Parameter files as the tools read and change them: in every form, and beside what the program reads.

    test_parameter_file.py TENDEX
"""

import os
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "tools"), str(HERE), str(HERE.parent / "failure"), str(HERE.parent / "support")]
import broken_inputs_list as cases  # noqa: E402
import scratch  # noqa: E402
from alone import alone  # noqa: E402
from tendex.base.folder import FolderError  # noqa: E402
from tendex.base.parameter_file import changed, parameters_of, read_parameters, text_of  # noqa: E402

PLAIN = """\
run:
  name: "5"
  folder: "a # b: c"
  t_end: 0
grid:
  extent: 16
  level_max: 1
initial_data:
  type: brill_lindquist
  bh1_mass: 0.5
  bh1_position: [2, 0, -0.5]
  bh2_mass: 0.5
  bh2_position: [-2, 0, 0]
evolution:
  cfl: 0.25
gauge:
  advect_lapse: true
waves:
  radii: [8, 10.5]
  l_max: 2
output:
  log_every: 8
horizons:
  every: 0
checkpoint:
  at_end: false
"""
# The same in other words; all of it is one file or two for the program.
FORMS = {
    "scalars": PLAIN.replace('"5"', "5").replace('"a # b: c"', "'a # b: c'").replace("t_end: 0", "t_end: .0e+1")
    .replace("16", "+1.6e1").replace("0.5\n", ".5\n").replace("[2, 0, -0.5]", "2,0 , -5.e-1").replace("true", "YES")
    .replace("false", "Off").replace("level_max: 1", "level_max: +01").replace("brill_lindquist", '"brill_lindquist"'),
    "structure": "%YAML 1.1\n---\n" + PLAIN.replace("[2, 0, -0.5]", "\n   - 2 # x\n   - 0\n   - -0.5").replace("  extent:", '  "extent":')
    .replace("bh1_mass: 0.5", "bh1_mass: &half 0.5").replace("bh2_mass: 0.5", "? bh2_mass\n  : *half").replace("radii: [", "radii: [ # M\n\n  ")
    .replace("grid:", "'grid': !!map").replace("cfl: 0.25", "cfl: !!float 0.25").replace("a # b: c", "a #\\\n   \\ \\x62: c") + "...\n",
    "flow": "{run: {name: '5', folder: >-\n}".replace(">-\n", '"a # b: c"') + PLAIN[PLAIN.index("  t_end"):]}
FORMS["flow"] = ("{run: {name: '5', folder: \"a # b: c\", t_end: 0}, grid: {extent: 16, level_max: 1},\ninitial_data: {type: "
                 "brill_lindquist, bh1_mass: &m 0.5, bh1_position: [2, 0, -0.5],\n bh2_mass: *m, bh2_position: [-2, 0, 0]},\n"
                 "evolution: {cfl: 0.25}, gauge: {advect_lapse: on}, waves: {radii: [8, 10.5], l_max: 2},"
                 "output: {log_every: 8}, horizons: {every: 0}, checkpoint: {at_end: no}}\n")
ENCODINGS = {"utf-8-sig": "\n", "utf-16": "\n", "utf-8": "\r\n"}


class Read(scratch.Scratch):
    def read(self, text):
        file = self.scratch / "run.yaml"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_parameters(file)

    def test_what_is_not_known_is_read_by_its_form(self):
        found = self.read('# a: b\na:\n  name: "a # b: c"\n  n: 12 # twelve\n  t: -1e-3\n  y: true\n  no: false\n  s: "1"\n\n'
                          'grid:\n  at: [1, 2.5, -3]\n  of: []\n  z: psi^-2\n  # off: 1\n')
        self.assertEqual(found, {"a.name": "a # b: c", "a.n": 12, "a.t": -1e-3, "a.y": True, "a.no": False, "a.s": "1",
                                 "grid.at": [1, 2.5, -3], "grid.of": [], "grid.z": "psi^-2"})
        self.assertIsInstance(found["a.n"], int)

    def test_forms(self):
        plain = self.read(PLAIN)
        self.assertEqual((plain["run.name"], plain["run.folder"], plain["initial_data.bh1_position"]), ("5", "a # b: c", [2, 0, -0.5]))
        for name, text in FORMS.items():
            with self.subTest(name):
                self.assertEqual(self.read(text), plain)
        for encoding, end in ENCODINGS.items():
            with self.subTest(encoding):
                self.assertEqual(self.read(FORMS["scalars"].replace("\n", end).encode(encoding)), plain)
        for one, value in (("radii: 8", [8]), ("radii: []", [])):
            self.assertEqual(self.read(f"waves: {{{one}}}"), {"waves.radii": value})

    def test_refused(self):
        """The file and its line."""
        for text, said in (("run:\n  what is this\n", ':1: section run: must hold parameters'), ("\n  - 1\n", ":2: must hold sections"),
                           ("", ": the parameter file is empty"), ("run:\n  t_end:\n", ":2: run.t_end: no value is given"),
                           ("run: {t_end: 1}\n# a\nrun: {}", ":3: section run: given twice, first in line 1"),
                           ("run: {t_end: 1, t_end: 1}", ":1: run.t_end: given twice"), ("run: {name: [a]}", ":1: run.name: a list is"),
                           ("run: {t_end: 0x10}", ":1: run.t_end: 0x10 is not allowed; give a number"), ("run: {t_end: {}}", "neither"),
                           ("run: {t_end: .nan}", ":1: run.t_end: .nan is not"), ("run: {t_end: '1'}", "give it without quotes"),
                           ("run: {t_end: 1_0}", "1_0 is not"), ("run: {max_steps: 1.0}", "1.0 is not allowed; give an integer"),
                           ("waves: {radii: 1\u00a0}", "is not allowed; give a number"), ("run: {overwrite: y}", "y is not allowed; give true or false"), ('run: {name: "a\\nb"}', "control char"),
                           ("initial_data: {bh1_spin: [1, 2]}", r"2 values; give \[x, y, z\]"), ("run: [", ":2: not valid YAML: "),
                           ("waves: {radii: [a]}", "a is not allowed; give a number"), ("waves: {radii: [[1]]}", "something that is not"),
                           ("waves: {radii: [x: 1]}", "something that is not a number"), ("waves: {radii: ['1']}", "something that is not"),
                           ("a:\n  b: &x [*x]\n", ":2: a.b: the list holds"), ("a: *b", ":1: not valid YAML: found undefined alias"),
                           ("run: {t_end: 1}\n# caf\u00e9".encode("latin-1"), ":2: not valid YAML: byte 0xe9 is not UTF-8; save"),
                           ("a: \x00", ":1: not valid YAML: "), ("run: {t_end: " + 400 * "9" + "}", "is not allowed"),
                           (b"\xff\xfea", "not UTF-8"), ("[" * 10**5, "more than 16 levels"), (2**20 * "#", "more than 1048576 bytes")):
            with self.subTest(text[:40]):
                with self.assertRaisesRegex(FolderError, f"run.yaml.*{said}"):
                    self.read(text)
        for file, said in ((self.scratch / "no.yaml", "no.yaml: missing"), (self.scratch, "it is no file"), (Path("/dev/zero"), "no file")):
            with self.assertRaisesRegex(FolderError, said):
                read_parameters(file)

    def test_parameters_of_other_systems_are_let_through(self):
        file = self.scratch / "a.yaml"
        text = "ripple: {rate: 2}\nevolution: {system: SYSTEM, ripples: true}\n"
        found = parameters_of(text.replace("SYSTEM", "ripple"), file, check=True)
        self.assertEqual(found, {"ripple.rate": 2, "evolution.system": "ripple", "evolution.ripples": True})
        with self.assertRaisesRegex(FolderError, "a.yaml:1: ripple: unknown section"):
            parameters_of(text.replace("SYSTEM", "z4c"), file, check=True)
        with self.assertRaisesRegex(FolderError, "a.yaml:3: grid.extent: a is not allowed"):
            parameters_of(text.replace("SYSTEM", "ripple") + "grid: {extent: a}\n", file, check=True)

    def test_what_the_program_refuses(self):
        """Of all its broken parameter files: refused, or known by no file alone. With check, also what is out of range."""
        passed = []
        for case in cases.CASES:
            text = case.files.get("a.yaml")
            if case.code != cases.PARAM or case.arguments != ["run", "a.yaml"] or not case.message.startswith("a.yaml:"):
                continue
            file = self.scratch / "a.yaml"
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
            try:
                parameters_of(text_of(file), file, check=True)
                passed.append(case.message)
            except FolderError as e:
                self.assertEqual(str(e).removeprefix(f"{self.scratch}/").split(": ")[0], case.message.split(": ")[0], case.name)
        # What is left are demands of several parameters, or of the physics.
        self.assertGreater(len(passed), 10)
        for message in passed:
            self.assertNotRegex(message, r"YAML|unknown|twice|is text|more than \d|must hold|no value|plain|neither|holds something|"
                                         r"control|give (an integer from|a number from|one of|true|\[x|text)")


class Changed(unittest.TestCase):
    def test_comments_and_order_stay(self):
        text = "# head\na:\n  x: 1 # one\n  l: [1,\n    2] # two\n  # in\n\n  y: 3\n# of b\nb:\n  x: 5\n"
        for settings, expected in (
                ({"a.x": "2"}, text.replace("x: 1 # one", "x: 2")),
                ({"b.x": "2"}, text.replace("x: 5", "x: 2")),
                ({"a.l": "[]"}, text.replace("[1,\n    2] # two", "[]")),
                ({"a.l": None}, text.replace("  l: [1,\n    2] # two\n", "")),
                ({"a.z": "4"}, text.replace("  y: 3\n", "  y: 3\n  z: 4\n")),
                ({"b.z": "4"}, text + "  z: 4\n"),
                ({"c.z": "4"}, text + "\nc:\n  z: 4\n"),
                ({"c.z": "4", "c.y": "5"}, text + "\nc:\n  z: 4\n  y: 5\n"),
                ({"b.x": None}, text.replace("b:\n  x: 5\n", "")),
                ({"a.z": None, "c.z": None}, text)):
            with self.subTest(settings):
                self.assertEqual(changed(text, settings), expected)

    def test_other_forms(self):
        for text, settings, expected in (
                ("a: {x: 1, y: 2} # c\n", {"a.x": "2"}, "a: {x: 2, y: 2} # c\n"),
                ("a: {x: 1, y: 2} # c\n", {"a.x": None}, "a: {y: 2} # c\n"),
                ("a: {x: 1, y: 2} # c\n", {"a.y": None}, "a: {x: 1} # c\n"),
                ("a: {x: 1, } # c\n", {"a.z": "4"}, "a: {x: 1, z: 4, } # c\n"),
                ("a: {}\n", {"a.z": "4"}, "a: {z: 4}\n"),
                ("{a: {x: 1}}", {"b.z": "4"}, "{a: {x: 1}, b: {z: 4}}"),
                ("{a: {x: 1}, b: {y: 1}}", {"b.y": None}, "{a: {x: 1}}"),
                ("---\na:\n    x: 1\n...\n", {"a.z": "4", "b.y": "5"}, "---\na:\n    x: 1\n    z: 4\n\nb:\n  y: 5\n...\n"),
                ("  a:\n     'x': 1", {"a.x": "2", "b.y": "5"}, "  a:\n     'x': 2\n\n  b:\n    y: 5\n"),
                ("a:\n  x:\n    - 1\n    - 2 # two\n  # y\n  y: 2\n", {"a.x": "[3]"}, "a:\n  x: [3]\n  # y\n  y: 2\n"),
                ("a:\n  x:\n  - 1\n\n# of b\nb: {x: 1}\n", {"a.x": "3"}, "a:\n  x: 3\n\n# of b\nb: {x: 1}\n"),
                ("a:\n  x: >-\n    c\n    d\n  # y\n  y: 2\n", {"a.x": "3"}, "a:\n  x: 3\n  # y\n  y: 2\n"),
                ("a:\n  x: &p [1, 2]\n  y: *p # same\n", {"a.x": "[3]"}, "a:\n  x: [3]\n  y: [1, 2] # same\n"),
                ("a: &s\n  x: 'q'\n  y: 2\nb: *s\n", {"b.y": "3"}, "a: &s\n  x: 'q'\n  y: 2\nb: {x: \"q\", y: 3}\n"),
                ("run: {name: a}\n", {"run.name": 'b: "#'}, 'run: {name: "b: \\"#"}\n'),
                ("run: {}\n", {"run.name": "yes", "run.t_end": "1e3"}, 'run: {name: "yes", t_end: 1e3}\n'),
                ("waves: {}\n", {"waves.radii": "5, 7"}, "waves: {radii: [5, 7]}\n")):
            with self.subTest((text, settings)):
                self.assertEqual(changed(text, settings), expected)

    def test_refused(self):
        for text, settings, said in (
                ("run: {}", {"run.t_end": "1, x: 2"}, '--set:2: run.t_end: "1, x: 2" is text'),
                ("run: {}", {"run.t_end": "late"}, "--set:2: run.t_end: late is not allowed"), ("run: [", {}, "f:2: not valid YAML"),
                ("a:\n  ? x\n  : 1\n", {"a.x": "2"}, "f: a.x cannot be changed in it; write its sections as lines"),
                ("a: &x {b: *x}", {"a.x": "2"}, "f:1: ")):
            with self.subTest((text, settings)), self.assertRaisesRegex(FolderError, said):
                changed(text, settings, "f")


class Program(scratch.Scratch):
    def test_reads_the_same(self):
        """A run writes what it read, in one form for all."""
        wanted = parameters_of(PLAIN, "plain")
        for name, text, encoding in (("scalars", FORMS["scalars"], "utf-8-sig"), ("structure", FORMS["structure"], "utf-8"),
                                     ("flow", FORMS["flow"].replace("\n", "\r\n"), "utf-16")):
            with self.subTest(name):
                folder = self.scratch / name
                folder.mkdir()
                (folder / "a.yaml").write_bytes(text.encode(encoding))
                p = subprocess.run([TENDEX, "run", "-q", "a.yaml"], cwd=folder, env=dict(os.environ, **alone(folder)),
                                   capture_output=True, text=True, timeout=60)
                self.assertEqual((p.returncode, p.stderr), (0, ""))
                found = read_parameters(folder / wanted["run.folder"] / "run.yaml")
                self.assertEqual({key: found[key] for key in wanted}, wanted | {"run.folder": found["run.folder"]})


if __name__ == "__main__":
    TENDEX = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
