"""Subexpressions that statements share: the same values from fewer operations, within the limit, for made-up equations and for
those of the program's systems."""
import importlib.util
import math
import os
import random
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "physics", "codegen"))
from emit import Program, Result, Variable  # noqa: E402

FUNCTIONS = {"TX_SQRT": math.sqrt, "TX_EXP": math.exp, "TX_TANH": math.tanh, "TX_ABS": abs, "TX_MIN": min, "TX_MAX": max,
             "TX_UNIFORM": float, "TX_WHERE": lambda holds, yes, no: yes if holds else no}
VARIABLES = [Variable("u", text="", falloff=1, speed="1"), Variable("v", text="", falloff=1, speed="1"),
             Variable("E_u", "i", text="", falloff=1, speed="1")]


def program(equations, limit):
    """Equations as (left, right) pairs; += on the left adds, a variable stores."""
    made = Program(VARIABLES)
    made.scalars("lambda_f0", "lambda_f1")
    made.values("u", "v", "E_u")
    for variable in VARIABLES:
        made.load(0, variable.name)
    for left, right in equations:
        name = left.partition("[")[0]
        (made.store if name in made.variables else made.let)(left, right)
    made.finish(limit)
    return made


def evaluated(statements, seed):
    """What statements store, their inputs being random."""
    inputs, names, stored = {}, {}, {}

    def value(text):
        text = re.sub(r"TX_(VALUE|ADV|D|DD)\([^()]*\)", lambda m: repr(inputs.setdefault(m[0], chance.uniform(0.5, 1.5))), text)
        text = re.sub(r"\((\w+) > ([\d.]+) \? (.*) : (.*)\)", r"(\3 if \1 > \2 else \4)", text)
        text = re.sub(r"\bTX_PARKED\((\w+)\)", r"\1", text)
        for word in set(re.findall(r"\b[A-Za-z_]\w*\b", text)) - {"if", "else"} - set(FUNCTIONS) - set(names):
            names[word] = chance.uniform(0.5, 1.5)
        return eval(text, dict(FUNCTIONS), names)

    chance = random.Random(seed)
    for name in sorted(set(re.findall(r"TX_(?:VALUE|ADV|D|DD)\([^()]*\)", "\n".join(statements)))):
        inputs[name] = chance.uniform(0.5, 1.5)
    for name in ("lambda_f0", "lambda_f1", "lapse_c0", "lapse_c1", "lapse_pull", "shift_on", "advect_Gt", "lambda_f0", "lambda_f1", "eta",
                 "hamiltonian_damping"):
        names[name] = chance.uniform(0.5, 1.5)
    for text in statements:
        if m := re.fullmatch(r"(?:const )?(?:tx_real|double) (\w+) = (.*);", text):
            assert m[1] not in names, f"{m[1]} is declared twice, or used before"
            names[m[1]] = value(m[2])
        elif m := re.fullmatch(r"(\w+) ([+-])= (.*);", text):
            names[m[1]] += value(m[3]) if m[2] == "+" else -value(m[3])
        elif m := re.fullmatch(r"TX_STORE\((\w+), (.*)\);", text):
            stored[m[1]] = value(m[2])
        else:
            assert not text or text.startswith(("/*", "TX_")), text
    return stored


def shared(made):
    return {m[1]: m[2] for text in made.kept if (m := re.fullmatch(r"const tx_real (\w+) = (?!TX_D\()(.*);", text))}


def most_alive(made):
    lives = []
    for name in shared(made):
        at = [n for n, text in enumerate(made.kept) if re.search(rf"\b{name}\b", text)]
        lives.append((at[0], at[-1]))
    return max((sum(a <= n <= b for a, b in lives) for n in range(len(made.kept))), default=0)


class Shared(unittest.TestCase):
    def same(self, equations, limit=8):
        """The program with shared values, which stores what it stores without."""
        plain, made = program(equations, 0), program(equations, limit)
        self.assertEqual(shared(plain), {})
        for seed in range(3):
            expected = evaluated(plain.kept, seed)
            found = evaluated(made.kept, seed)
            self.assertEqual(expected.keys(), found.keys())
            for name in expected:
                self.assertAlmostEqual(found[name] / expected[name], 1, 12)
        self.assertLessEqual(made.printer.operations, plain.printer.operations)
        self.assertLessEqual(most_alive(made), limit)
        return made, plain.printer.operations - made.printer.operations

    def test_names_say_what_is_shared(self):
        for name, text in (("u_v", "u * v"), ("u_squared", "u**2"), ("u_over_v", "u / v"), ("u_plus_v", "u + v"), ("u_minus_v", "u - v"),
                           ("sqrt_u", "sqrt(u)"), ("tanh_u", "tanh(u)"), ("exp_u_plus_v", "exp(u + v)"), ("min_u_v", "min(u, v)"),
                           ("u_to_3_2", "u**1.5"), ("E_u0_u", "u * E_u[0]"), ("twice_v_plus_u", "1/2 * u + v")):
            with self.subTest(text):
                made, saved = self.same([("u", f"ADV_u + 3 * ({text})"), ("v", f"ADV_v * ({text})")])
                self.assertIn(name, shared(made))
                self.assertGreater(saved, 0)

    def test_within_one_statement(self):
        made, saved = self.same([("u", "tanh(u)**2 + (u + v)**3 + ADV_u")])
        self.assertGreaterEqual(saved, 20)
        self.assertEqual(set(shared(made)), {"tanh_u", "u_plus_v"})

    def test_products_in_any_order(self):
        made, saved = self.same([("u", "u * v * E_u[0] + ADV_u"), ("v", "v * E_u[1] * u + ADV_v"), ("E_u[i]", "E_u[i] * u * v")])
        self.assertEqual((list(shared(made)), saved), (["u_v", "E_u0_u_v", "E_u1_u_v"], 6))

    def test_sums_up_to_a_number(self):
        made, saved = self.same([("u", "2 * u - 2 * v + ADV_u"), ("v", "(v - u) * ADV_v"), ("E_u[i]", "(u - v) * E_u[i]")])
        self.assertEqual(list(shared(made)), ["u_minus_v"])
        self.assertEqual(saved, 4)

    def test_values_that_change(self):
        """What a sum is before a "+=" it is not after."""
        equations = [("S", "u + v"), ("a1", "exp(S * u)"), ("S+=", "v"), ("b1", "exp(S * u)"), ("u", "a1 * ADV_u + exp(S * u)"),
                     ("v", "b1 * ADV_v + S * v")]
        made, saved = self.same(equations)
        self.assertEqual(saved, 21)
        self.assertEqual(len([text for text in shared(made).values() if "TX_EXP" in text]), 1)

    def test_conditions_on_parameters_spare_what_they_do(self):
        made, saved = self.same([("a1", "where(lambda_f0 > 2, exp(u * v), 0)"), ("b1", "where(lambda_f0 > 2, exp(u * v), 1)"),
                                 ("u", "a1 + ADV_u"), ("v", "b1 + ADV_v")])
        self.assertEqual((shared(made), saved), ({}, 0))

    def test_parameters_alone_are_nobodys(self):
        made, _ = self.same([("u", "(lambda_f0 + lambda_f1) * u + ADV_u"), ("v", "(lambda_f0 + lambda_f1)**2 * v + ADV_v")])
        self.assertEqual(shared(made), {})

    def test_names_that_there_are(self):
        made, saved = self.same([("u_v", "7 * u"), ("u", "u * v * u_v + ADV_u"), ("v", "u * v * ADV_v")])
        self.assertIn("u_v2", shared(made))

    def test_long_names(self):
        text = " + ".join(f"E_u[{i}] * u**{n}" for i in range(3) for n in (2, 3)) + " + v**3 + 3/7 * v"
        made, _ = self.same([("u", f"({text}) * ADV_u"), ("v", f"({text}) * ADV_v")])
        self.assertTrue(any(name.endswith("_part") for name in shared(made)), shared(made))
        self.assertLessEqual(max(map(len, shared(made))), 45)

    def test_limits(self):
        """The more may be alive, the fewer operations."""
        terms = ["u * v", "u * E_u[0]", "v * E_u[1]", "sqrt(u + v)", "u**2", "v**2", "exp(u)", "tanh(v)"]
        chance = random.Random(5)
        equations = [(f"a{n}", " + ".join(f"{chance.choice(terms)} * {chance.choice(terms)}" for _ in range(4))) for n in range(8)]
        equations += [("u", " + ".join(f"a{n}" for n in range(8))), ("v", "a3 * a4"), ("E_u[i]", "E_u[i] * a5")]
        saved = [self.same(equations, limit)[1] for limit in (0, 1, 2, 4)]
        self.assertEqual(saved[0], 0)
        self.assertEqual(saved, sorted(saved))
        self.assertGreater(saved[-1], 60)

    def test_systems(self):
        for system, file, before in (("bssn", "rhs", 1488), ("z4c", "weyl", 1344)):
            with self.subTest(f"{system} {file}"):
                spec = importlib.util.spec_from_file_location("described", os.path.join(ROOT, "physics", system, "system.py"))
                described = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(described)
                counts, results = [], []
                for limit in (0, 4):
                    made = Program([*described.VARIABLES, *described.RESULTS], file, [p.name for p in described.PARAMETERS])
                    described.FILES[file][0](made)
                    made.finish(limit)
                    self.assertLessEqual(most_alive(made), limit)
                    counts.append(made.printer.operations)
                    results.append(evaluated(made.kept, 3))
                for name, expected in results[0].items():
                    self.assertAlmostEqual(results[1][name], expected, 9 - int(math.log10(abs(expected) + 1)))
                self.assertEqual(counts[0], before)
                self.assertLess(counts[1], 0.975 * before)


if __name__ == "__main__":
    unittest.main()
