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
USED = ("physics/codegen", "physics/bssn", "physics/system.h", "physics/octant/scalars.h", "src/params/params.def")

# What stands in the place of some text of a description that is right, and words of the refusal (a|b: one of them), which names
# the line of that text.
LAST = 'p.store("v", "ADV_v + ddu_dd[i,i]")'
V = 'p.store("v", "ADV_v + ddu_dd[i,i]%s")'
EQUATIONS = [
    # Numbers.
    (V % " + 1e999 * v", "column 23: inf is no double|column 23: 1e999 is no double"),
    (V % " + 1e-320 * v", "column 23: 1e-320 is no double; expected integers up to 2**53"),
    (V % " + 2j * v", "column 23: 2j is not a number; expected integers, decimals and fractions"),
    (V % " + True * v", "column 23: True is not a number"),
    (V % " + '2' * v", "'2' is not a number"),
    (V % " + 9007199254740993 * v", "9007199254740993 is no double"),
    (V % " + 3**40 * v", "not exact in double precision"),
    (V % " + v / (1 - 1)", "column 1: ADV_v + ddu_dd[i, i] + v / (1 - 1) is no real number; expected no division by 0"),
    # Powers, functions and conditions.
    (V % " + v**v", "column 26: the power v is not constant; expected numbers and parameters"),
    (V % " + v**(1 + v)", "column 31: the power 1 + v is not constant"),
    (V % " + v**du_d[i]", "column 26: the power du_d[i] is not constant"),
    (V % " + v**True", "column 26: True is not a number"),
    (V % " + sqrt(0 - 2) * v", "no root or logarithm of a negative number"),
    (V % " + (0 - 8)**(1/3) * v", "no root or logarithm of a negative number"),
    (V % " + log(0.5 - 1) * v", "no root or logarithm of a negative number"),
    (V % " + log(0) * v", "is no real number"),
    (V % " + sinus(v)", "column 23: sinus() is no function here; expected where, sqrt, exp, log,"),
    (V % " + math.sqrt(v)", "column 23: math.sqrt() is no function here"),
    (V % " + sqrt(v, v)", "column 23: sqrt(v, v): expected one argument of sqrt"),
    (V % " + sqrt()", "expected one argument of sqrt"),
    (V % " + sqrt(*v)", "expected plain arguments"),
    (V % " + max(v)", "max(v): expected two arguments or more of max"),
    (V % " + exp(du_d[i])", "column 27: exp(du_d[i]): the index i is free; expected scalars in functions"),
    (V % " + sqrt", "column 23: sqrt is unknown here"),
    (V % " + where(v, 1, 2)", "column 23: where(v, 1, 2): expected where(condition, value, other value)"),
    (V % " + where(v < 1, 1)", "expected where(condition, value, other value)"),
    (V % " + where(v == 1, 1, 2)", "column 29: v == 1: expected one comparison, with <, <=, > or >="),
    (V % " + where(0 < v < 1, 1, 2)", "0 < v < 1: expected one comparison"),
    (V % " + where(v < 1 and v > 0, 1, 2)", "expected where(condition, value, other value)"),
    (V % " + (v < 1)", "column 24: v < 1 is a condition; expected it as the first argument of where"),
    (V % " + where(du_d[i] < 1, 1, 2)", "column 29: du_d[i] < 1: the index i is free; expected scalars in functions, powers and cond"),
    ('p.let("E[i]", "where(v < 1, du_d[i], v)")', "column 23: du_d[i] has the free indices i, v has no free index; expected values of"),
    ('p.let("E[i]", "where(v < 1, du_d[i], du_d[j])")', "column 23: du_d[i] has the free indices i, du_d[j] has the free"),
    # Names.
    (V % " + w", "column 23: w is unknown here; expected what values(), load(), scalars(), input() or let() made known before"),
    (V % " + u", "u is unknown here"),
    (V % " + du_d", "column 23: du_d: du_d has 1 indices, not 0; expected 1"),
    (V % " + ddv_dd[i,i]", "column 23: ddv_dd is unknown here; expected what values(), load(), scalars(), input() or let() made known before,"
     " such as ddu_dd"),
    ('p.values("w")', "w is no variable; expected u, v"),
    ('p.values("v")', "in \"v\", column 1: v is there already; expected one declaration"),
    ('p.load(1, "w")', "w is no variable"),
    ('p.load(3, "v")', "derivatives of v of order 3"),
    ('p.load(0, "v")', "ADV_v is there already"),
    ('p.scalars("omega")', "the scalar is unknown; expected advect_Gt,"),
    ('p.input("omega")', "the scalar is unknown; expected eta, t, x, y, z"),
    ('p.park("w")', "w is unknown here"),
    ('p.again("du_d")', "du_d is no variable"),
    ('p.more("v", "lambda_f0", "v")', "more of v by lambda_f0"),
    ('p.store("w", "v")', "w is no result of rhs; expected u, v"),
    ('p.let("u", "v"); p.let("u", "v")', "u is defined twice; expected one let(), or \"+=\" to add to it"),
    ('p.let("v", "2 * v")', "v is there already"),
    ('p.let("delta", "v")', "delta has a meaning of its own"),
    ('p.let_later("x"); p.let("y", "x")', "x has no value yet"),
    ('p.let("x+=", "v")', "x is unknown here"),
    ('p.let("du_d0", "v")', "du_d0 and du_d both have a component du_d0; expected another name"),
    ('p.let("\u03bb", "v")', "expected letters of English, digits and _, a letter first"),
    ('p.let("_x", "v")', "column 1: the name _x; expected letters of English"),
    ('p.let(3, "v")', "3 is not an expression in quotes"),
    (V % " + 10**(10**9)", "column 23: 10 ** 10 ** 9 is no double"),
    (V % " + v * (0.1)**400", "is no double; expected numbers between"),
    # Indices.
    ('p.let("E[i]", "du_d[i]"); p.let("F[i]", "E[i] + v")', "column 8: E[i] has the free indices i, v has no free index; expected terms with"),
    ('p.let("x[i]", "v")', "no free index on the right, the free indices i on the left"),
    ('p.let("x", "du_d[i]")', "the free indices i on the right, no free index on the left"),
    ('p.let("x[i]", "du_d[j]")', "the free indices j on the right, the free indices i on the left"),
    ('p.let("x[i,j]", "du_d[i]")', "the free indices i on the right"),
    ('p.let("x[i]", "du_d[i] * du_d[i] * du_d[i]")', "column 1: du_d[i] * du_d[i] * du_d[i]: the index i occurs 3 times"),
    ('p.let("x[i]", "ddu_dd[i,i] * du_d[i]")', "the index i occurs 3 times"),
    ('p.let("x[i]", "du_d[i] * (v + du_d[i] * du_d[i])")', "the index i occurs 3 times"),
    ('p.let("x", "du_d[j] * du_d[j] * du_d[i] * du_d[i] * du_d[j]")', "the index j occurs 3 times"),
    ('p.let("x", "du_d[i]**2")', "column 1: du_d[i] ** 2: the index i is free; expected scalars in functions, powers and conditions"),
    ('p.let("x", "v / (du_d[i] * du_d[i])")', "column 6: v / (du_d[i] * du_d[i]): the index i is below a fraction line"),
    ('p.let("x", "du_d[3]")', "column 6: du_d[3]: the index 3 is neither a letter nor 0, 1 or 2"),
    ('p.let("x", "du_d[-1]")', "the index -1 is neither"),
    ('p.let("x", "ddu_dd[0]")', "ddu_dd has 2 indices, not 1"),
    ('p.let("x", "eps[i,j] * ddu_dd[i,j]")', "eps has 3 indices, not 2"),
    ('p.let("x[0]", "v")', "expected on the left a name"),
    ('p.let("x[i,i]", "ddu_dd[i,i]")', "expected on the left a name"),
    ('p.let("2 * x", "v")', "expected on the left a name"),
    ('p.let("x[i,j]", "ddu_dd[i,j]", sym="ik")', "expected pairs of the letters on the left"),
    ('p.let("x[i,j]", "ddu_dd[i,j]", anti="ii")', 'antisymmetric in "ii"; expected pairs of the letters on the left'),
    ('p.let("x[i,j]", "ddu_dd[i,j]", sym=1)', "symmetric in \"1\"; expected pairs"),
    ('p.let("x[i,j,k]", "ddu_dd[i,j] * du_d[k]", sym="ij", anti="jk")', "expected an index in pairs of one kind"),
    ('p.let("x[i,j]", "ddu_dd[i,j]", anti="ij")', "column 1: the right side is symmetric in i and j; expected an antisymmetric one"),
    ('p.store("v[i]", "ADV_v * du_d[i]")', "expected v once, with 0 indices"),
    # What is no expression.
    (V % " +", "column 21: not an expression: invalid syntax; expected numbers, names"),
    (V % " + v if v else v", "column 1: ADV_v + ddu_dd[i, i] + v if v else v is not index notation; expected numbers, names"),
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
    (TABLE.replace('"1"', '"2 * v"'), "column 5: speed is not a number; expected integers, decimals and fractions"),
    (TABLE.replace('"1"', '"delta[i,j]"'), "speed is not a number"),
    (TABLE.replace('"1"', '"0.5.5"'), "column 1: not an expression|column 4: not an expression"),
    (TABLE.replace('"1"', '"0 - 1"'), "speed is below 0"),
    (TABLE.replace("=1,", "=None,"), "None is not an expression in quotes"),
    (TABLE.replace("=1,", "=-1,"), "falloff is below 0"),
    (TABLE.replace("),", ', infinity=None),'), "None is not an expression in quotes"),
    (TABLE.replace("),", ', infinity="u"),'), "u is unknown here"),
    (TABLE.replace('"v"', '"v_u", "i"').replace("),", ', infinity="1"),'), "no free index on the right, the free indices i"),
    (TABLE.replace("),", ', floor="0.5"),'), "the floor 0.5 is unknown; expected alpha_floor, chi_floor"),
    (TABLE.replace("),", ", floor=0.5),"), "the floor 0.5 is unknown"),
    (TABLE.replace("),", ', advection="advect_v"),'), "the advection advect_v is unknown; expected advect_B, advect_lapse, advect_shift"),
    (TABLE.replace('"v"', '"v_u"'), "expected 1 different letters, as the name says"),
    (TABLE.replace('"v"', '"v", "i"'), "expected 0 different letters"),
    (TABLE.replace('"v"', '"v w"'), "expected letters and digits"),
    (TABLE.replace('"v"', '"v_dd", "ij", [(0, 2)]'), "symmetric in [(0, 2)]; expected pairs of the indices' numbers"),
    (TABLE.replace('"v"', '"v_dd", "ij", [], [(1, 0)]'), "antisymmetric in [(1, 0)]; expected pairs of the indices' numbers"),
    (TABLE.replace('"v"', '"v_dd", "ij", 5'), "symmetric in 5; expected pairs"),
    (TABLE.replace('"v"', '"v_dd", "ij", [(0, 1)], [(0, 1)]'), "expected an index in pairs of one kind"),
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
        (FILES, FILES.replace("}", ', "weil": (rhs, "")}'), "weil in FILES; expected analysis, constraints, rhs, weyl"),
        (FILES, 'FILES = {"rhs": rhs}', "rhs in FILES; expected (function, title)"),
        (FILES, FILES.replace("}", ', "weyl": (lambda p: p.scalars("lambda_f0"), "none")}'), "lambda_f0 is not there in weyl; expected it in rhs"),
        (FILES, FILES.replace("}", ', "constraints": (lambda p: p.input("eta"), "none")}'), "eta is not there in constraints; expected it in rhs"),
        (FILES, FILES.replace("}", ', "weyl": (lambda p: p.input("t"), "none")}'), "t is not there in weyl; expected it in rhs and"),
        (FILES, FILES.replace("}", ', "constraints": (lambda p: p.store("H", "0"), "none")}'), "H is not in RESULTS; expected u, v"),
        (FILES, FILES.replace("}", ', "constraints": (lambda p: p.store("u", "0"), "none")}'), "u is no result of constraints"),
        (FILES, FILES.replace("}", ', "constraints": (lambda p: p.load(0, "u") or p.let("x", "ADV_u"), "none")}'), "ADV_u is unknown"),
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
        ("KEPT = ()", 'KEPT = (); SHARED = "8"', "SHARED is '8'; expected how many shared values may be alive at once, from 0 on"),
        ("KEPT = ()", "KEPT = (); SHARED = -1", "SHARED is -1; expected how many"),
        ("KEPT = ()", "KEPT = (", "was never closed|unexpected EOF"),
    ],
}
# Parameters of the wave equation, and words of the refusal.
IMPORT = "from emit import Variable"
PARAMETER = 'Parameter("evolution", "rate", 0.5, 0, 2, unit="1/M", text="damping of v")'
USE = 'p.scalars("rate"); p.store("v", "ADV_v + ddu_dd[i,i] - rate * v")'
PARAMETERS = [
    (PARAMETER.replace("evolution", "waves"), "waves.rate: expected evolution, gauge, initial_data, wave as section"),
    (PARAMETER.replace("evolution", "evo lution"), "the section of a parameter is 'evo lution'; expected letters, digits and _"),
    (PARAMETER.replace('"rate"', '"r%"'), "the name of a parameter is 'r%'"),
    (PARAMETER.replace("rate", "cfl"), "evolution.cfl is a parameter of all systems; expected another name"),
    (PARAMETER.replace('"evolution", "rate"', '"wave", "cfl"'), "equations have another meaning for cfl"),
    (PARAMETER.replace("rate", "u"), "equations have another meaning for u"),
    (PARAMETER.replace("rate", "lapse_pull"), "equations have another meaning for lapse_pull"),
    (PARAMETER.replace("rate", "eta"), "equations have another meaning for eta"),
    (PARAMETER.replace("rate", "double"), "equations have another meaning for double"),
    (PARAMETER.replace("rate", "record"), "equations have another meaning for record"),
    (PARAMETER + ", " + PARAMETER.replace("evolution", "gauge"), "equations have another meaning for rate"),
    (PARAMETER.replace("0.5", "2.5"), "the default of evolution.rate, 2.5, is not from 0 to 2"),
    (PARAMETER.replace("0.5", "'0.5'"), "the default of evolution.rate is '0.5'; expected a number"),
    (PARAMETER.replace(", 2,", ","), "the largest value of evolution.rate is None; expected a number"),
    (PARAMETER.replace(", 2,", ", 1e999,"), "the largest value of evolution.rate is inf; expected a number"),
    (PARAMETER.replace("0.5", "True"), "evolution.rate is true or false; expected neither range nor unit"),
    (PARAMETER.replace('"damping of v"', "'damping of \"v\"'"), "expected a line without quotation marks"),
    (PARAMETER.replace("1/M", "1\\nM"), "the unit of evolution.rate is '1\\nM'; expected a line"),
    (PARAMETER.replace("unit", "units"), "TypeError"),
    (PARAMETER[:-1] + ', only="speed > 0")', "rate only if 'speed > 0'; expected another parameter of PARAMETERS with a bound"),
    (PARAMETER[:-1] + ', only="rate > 0")', "rate only if 'rate > 0'; expected another parameter"),
    (PARAMETER[:-1] + ', only="on > 0"), Parameter("wave", "on", True, text="")', "rate only if 'on > 0'; expected another parameter"),
    (PARAMETER[:-1] + ', only="c"), Parameter("wave", "c", 1, 0, 2, text="")', "rate only if 'c'; expected another parameter"),
    (PARAMETER[:-1] + ', only="c > d"), Parameter("wave", "c", 1, 0, 2, text="")', "d is not a number"),
    (PARAMETER[:-1] + ', scalar="rate * tau")', "tau: the parameter is unknown; expected cfl, rate, spacing"),
    (PARAMETER[:-1] + ', scalar="rate**2")', "rate ** 2; expected parameters, cfl, spacing, numbers, + - * and /"),
    ("*[" + PARAMETER.replace('"rate"', 'f"rate{n}"') + " for n in range(17)]", "17 parameters; expected at most 16"),
    ("1", "PARAMETERS; expected a list of Parameter(...)"),
    (PARAMETER + ', Parameter("wave", "c", 1, 0, 2, text="")', 'wave.c is in no equation; expected scalars("c")'),
]
# Profiles of the wave equation, and words of their refusal.
OF_PROFILES = """from parameters import Parameter
PARAMETERS = [Parameter("wave", "width", 2, 1, 9, text=""), Parameter("wave", "height", 2, 1, 9, text="")]
"""
PROFILE_FUNCTIONS = """def flat(p):
    p.scalars("height")
    p.store("u", "height")
    p.store("v", "0")
def bump(p):
    p.scalars("height", "width")
    p.input("x")
    p.store("u", "height * exp(-x**2 / width**2)")
    p.store("v", "0")
"""
PROFILES = [
    ("INITIAL = 3", "INITIAL is 3; expected {'gaussian': (function, text), ...}"),
    ('INITIAL = {"a b": (rhs, "")}', "the profile 'a b' in INITIAL; expected letters, digits and _"),
    ('INITIAL = {"a": rhs}', "a in INITIAL; expected (function, text)"),
    ('INITIAL = {"a": (lambda p: p.store("u", "1"), "")}', "the profile a stores no v; expected store() of u, v"),
    ('INITIAL = {"a": (lambda p: p.values("u"), "")}', "u has no value before the profile gives it one"),
    ('INITIAL = {"a": (lambda p: p.load(1, "u"), "")}', "u has no value before the profile gives it one"),
    ('INITIAL = {"a": (lambda p: p.input("t"), "")}', "t is not there in initial"),
    ('INITIAL = {"a": (lambda p: p.input("eta"), "")}', "eta is not there in initial"),
    ('INITIAL = {"a": (lambda p: p.scalars("lapse_pull"), "")}', "the parameter is unknown; expected none"),
    ('from parameters import Parameter; PARAMETERS = [Parameter("evolution", "rate", 1, 0, 2, text="t", scalar="rate * spacing")]; '
     'INITIAL = {"a": (lambda p: p.scalars("rate"), "")}', "rate depends on the spacing; expected in profiles parameters that do not"),
]
# BSSN with matter of two scalars.
FLUID = {"system.py": """from bssn import equations
from bssn import system as bssn
from emit import Variable
from matter import Matter
VARIABLES = [*bssn.VARIABLES, Variable("e", text="", falloff=1, speed=1), Variable("flow", text="", falloff=1, speed=1)]
PARAMETERS = [parameter.of("wave") for parameter in bssn.PARAMETERS]
ROLES, TRACE, RESULTS = bssn.ROLES, bssn.TRACE, bssn.RESULTS
def stress(p):
    p.let("stress_dd[i,j]", "de_d[i] * de_d[j]", sym="ij")
def sources(p):
    p.let("rho", "e * e")
    p.let("mom_d[i]", "flow * de_d[i]")
    p.let("stress", "e * e")
def evolution(p):
    p.store("e", "ADV_e + alpha * flow")
    p.load(0, "flow")
    p.store("flow", "ADV_flow + gt_uu[i,j] * dde_dd[i,j]")
MATTER = Matter({"e": 2, "flow": 0}, stress, sources, evolution)
FILES = equations.files(MATTER, "equations of a test")
""", "plan.py": """from bssn import plan
UPDATES = [("e", "flow"), *plan.UPDATES]
AHEAD, LAST, KEPT, SHARED = plan.AHEAD, plan.LAST, plan.KEPT, plan.SHARED
"""}
# Limits of time steps, and defaults.
LIMITS = [
    ("STABILITY = 3", "STABILITY is 3; expected a function"),
    ("STABILITY = lambda p: None", "STABILITY has 0 modes; expected 1 to 12"),
    ('STABILITY = lambda p: [p.mode("1") for _ in range(13)]', "STABILITY has 13 modes; expected 1 to 12"),
    ('STABILITY = lambda p: p.mode("3 * k2")', "k2 is unknown here"),
    ('STABILITY = lambda p: p.mode("1", damping="k1")', "k1 is unknown here"),
    ('STABILITY = lambda p: p.input("k3")', "the input k3 of stability is unknown; expected k1, k2, spacing"),
    ('STABILITY = lambda p: p.values("u")', "u has no value in the stability of time steps; expected parameters, k1, k2, spacing"),
    ('STABILITY = lambda p: p.mode("1", by="rate")', "the parameter rate to lower is unknown; expected none"),
    ('STABILITY = lambda p: p.damps("1", by="rate")', "the parameter rate to lower is unknown; expected none"),
    ("SHIFT_APART = 1", "SHIFT_APART is 1; expected a number from 0 to 1"),
    ('SHIFT_APART = "0.1"', "SHIFT_APART is '0.1'; expected a number from 0 to 1"),
    ("DEFAULTS = 3", "DEFAULTS is 3; expected {'gauge.lambda_f0': 1, ...}"),
    ('DEFAULTS = {"gauge.lambda": 1}', "DEFAULTS: 1 of gauge.lambda; expected a number that a parameter of all systems may have"),
    ('DEFAULTS = {"gauge.lambda_f0": 11}', "DEFAULTS: 11 of gauge.lambda_f0; expected a number that"),
    ('DEFAULTS = {"gauge.lambda_f0": "1"}', "DEFAULTS: '1' of gauge.lambda_f0; expected a number that"),
]
# Analysis quantities: RESULTS, their function, and words of their refusal.
ENERGY = 'Result("energy", text="energy density", unit="1/M^2")'
STORES_ENERGY = 'lambda p: p.values("v") or p.store("energy", "v**2")'
ANALYSES = [
    (ENERGY, "lambda p: None", "analysis stores no energy; expected store() of energy"),
    (ENERGY, 'lambda p: p.store("u", "1")', "u is no result of analysis; expected energy"),
    (ENERGY, 'lambda p: p.input("eta")', "eta is not there in analysis; expected it in rhs alone"),
    (ENERGY, None, "energy is an analysis quantity, and FILES has no analysis"),
    ("", STORES_ENERGY, "analysis in FILES, and no analysis quantity"),
    ('Result("energy", text="density", shown="u")', STORES_ENERGY, "energy is shown as u, which is taken"),
    ('Result("energy", text="density", shown="all")', STORES_ENERGY, "energy is shown as all, which is taken"),
    ('Result("energy", text="density", shown="a b")', STORES_ENERGY, "shown as 'a b'; expected letters, digits and _"),
    ("Result('energy', text='a \"density\"')", STORES_ENERGY, "expected a line without quotation marks"),
]
# The same beside constraints, which are analysis quantities too.
DENSITY = 'Result("density", text="of e"), Result("flux_d", "i", text="of flow")'
STORES_DENSITY = 'lambda p: p.store("density", "rho") or p.store("flux_d[i]", "mom_d[i]")'
BESIDE_CONSTRAINTS = [
    (DENSITY, None, "density is an analysis quantity, and FILES has no analysis", "RESULTS ="),
    (DENSITY, "lambda p: None", "analysis stores no density; expected store() of density, flux_d", "FILES ="),
    (DENSITY, 'lambda p: p.store("H", "rho")', "H is no result of analysis; expected density, flux_d", "FILES ="),
    (DENSITY, 'lambda p: p.values("v")', "v is there already; expected one declaration", "FILES ="),
    ("", "lambda p: None", "analysis in FILES, and no analysis quantity", "FILES ="),
    ('Result("density", text="of e", shown="hamiltonian")', STORES_DENSITY, "density is shown as hamiltonian, which is taken", "RESULTS ="),
]
GEOMETRY = [
    ('TRACE = "K"', 'TRACE = "K + pi"', "column 5: pi is no variable; expected scalar variables"),
    ('TRACE = "K"', 'TRACE = "K + 2 * Theta"', "column 9: Theta is unknown here"),
    ('TRACE = "K"', 'TRACE = "K + K**2"', "column 1: K + K ** 2; expected scalar variables, numbers, + - * and /"),
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
        self.replaced("system.py", 'p.load(0, "v")\n    p.store("v", "ADV_v', 'p.values("u")\n    p.store("v", "u',
                      "v is stored and not loaded; expected load(0, \"v\") before", at=LAST)

    def test_parameters(self):
        text = (ROOT / "tests/systems/wave/system.py").read_text().replace(LAST, USE)
        for entries, words in PARAMETERS:
            head = f"from parameters import Parameter; {IMPORT}; PARAMETERS = [{entries}]"
            folder = self.system({"system.py": text.replace(IMPORT, head)})
            self.refused(entries, folder, self.place(folder / "system.py", IMPORT, text), words)

    def test_refuses_analysis_quantities(self):
        for results, function, words in ANALYSES:
            files = FILES if function is None else FILES.replace("}", f', "analysis": ({function}, "none")}}')
            self.replaced("system.py", FILES, f"from emit import Result; RESULTS = [{results}]; {files}", words)

    def test_profiles(self):
        for line, words in PROFILES:
            self.replaced("system.py", FILES, f"{FILES}; {line}", words)

    def test_limits(self):
        for line, words in LIMITS:
            self.replaced("system.py", FILES, f"{FILES}; {line}", words)
        self.replaced("system.py", LAST, 'p.mode("1")', "it is not there in rhs; expected it in STABILITY alone")

    def test_matter(self):
        folder = self.system(FLUID)
        self.assertIsNone(self.generate(folder))
        text = FLUID["system.py"]
        for old, new, words, at in (('p.let("rho", "e * e")', "pass", "the matter makes no rho; expected a let() of it in stress() or", "MATTER = Matter("),
                                    ('p.let("stress_dd[i,j]", "de_d[i] * de_d[j]", sym="ij")', "pass", "the matter makes no stress_dd", "MATTER = Matter("),
                                    ("de_d[j]", "dee_d[j]", "dee_d is unknown here", None),
                                    ('p.load(0, "flow")', "pass", 'flow is stored and not loaded; expected load(0, "flow") before', 'p.store("flow"')):
            self.assertEqual(text.count(old), 1)
            folder = self.system({**FLUID, "system.py": text.replace(old, new)})
            self.refused(new, folder, self.place(folder / "system.py", at or old, text), words)

    def with_quantities(self, results, function):
        """The text of a wave equation with constraints and analysis quantities."""
        more = "" if function is None else f', "analysis": ({function}, "sources")'
        text = (ROOT / "tests/systems/wave/system.py").read_text().replace("RESULTS = []", "").replace(FILES, "")
        return f'''{text}from emit import Result
RESULTS = [Result("H"), Result("M_u", "i"), Result("G_u", "i"), {results}]
def constraints(p):
    p.values("v")
    p.load(1, "u")
    p.let("rho", "v * v")
    p.let("mom_d[i]", "v * du_d[i]")
    p.store("H", "rho - v")
    p.store("M_u[i]", "mom_d[i] - du_d[i]")
    p.store("G_u[i]", "0")
FILES = {{"rhs": (rhs, "right-hand sides"), "constraints": (constraints, "constraints"){more}}}
'''

    def test_refuses_quantities_beside_constraints(self):
        for results, function, words, at in BESIDE_CONSTRAINTS:
            text = self.with_quantities(results, function)
            folder = self.system({"system.py": text})
            self.refused(words, folder, self.place(folder / "system.py", at, text), words)

    def test_geometry(self):
        for case in GEOMETRY:
            self.replaced("system.py", *case, of="physics/bssn")
        self.replaced("system.py", 'TRACE = "K"', 'TRICE = "K"', "METRIC in ROLES, but no table TRACE", "physics/bssn", "ROLES =")

    def test_what_files_share(self):
        old = "FILES = files()"
        text = (ROOT / "physics/bssn/system.py").read_text()
        self.assertEqual(text.count(old), 1)
        folder = self.system({"system.py": text.replace(old, 'FILES = {**files(), "weyl": (lambda p: (p.stage("first"), files()["weyl"][0](p)), "")}')}, "physics/bssn")
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
        outside = pathlib.Path(FOLDER.name).resolve() / "user"
        for name, old, new, words in (
                ("wave", "", "", None), ("ripple", 'p.load(0, "v")', 'p.lead(0, "v")', 'p.lead(0, "v"): AttributeError'),
                ("swell", "from emit import", "from omit import", "from omit import Variable: ModuleNotFoundError"),
                ("double", "", "", "C has a word of this name; expected another name")):
            text = (ROOT / "tests/systems/wave/system.py").read_text()
            folder = shutil.copytree(ROOT / "tests/systems/wave", outside / name)
            (folder / "system.py").write_text(text.replace(old, new))
            place = f"{folder / 'system.py'}:{text[:text.index(old)].count(chr(10)) + 1}" if old else str(folder)
            if words:
                self.refused(name, folder, place, words)
            else:
                self.assertIsNone(self.generate(folder))
                self.assertIn("TX_STORE(U, TX_ADV(U) + v);", (folder / "out/wave_rhs.inc").read_text())
        named = self.system({}).rename(TREE / "tests/my-wave")
        self.refused("name", named, "tests/my-wave", "the folder's name is the system's")
        self.refused("none", TREE / "tests/none", "tests/none", "there is no file system.py")
        folder = self.system({})
        (TREE / "file").write_text("")
        self.assertRegex(self.generate(folder, TREE / "file/out"), r"^.*/file/out: \S.*$")

    def test_quantities_stand_behind_constraints(self):
        """They are computed with the constraints, whose statements and numbers stay."""
        found = []
        for text in (self.with_quantities("", None), self.with_quantities(DENSITY, STORES_DENSITY)):
            folder = self.system({"system.py": text})
            self.assertIsNone(self.generate(folder))
            found.append({path.name: path.read_text() for path in (folder / "out").iterdir()})
        self.assertEqual(*[sorted(files) for files in found])
        plain, more = ([line for line in files["wave_constraints.inc"].splitlines() if not line.startswith((" *", "/*"))] for files in found)
        self.assertEqual([line for line in more if "TX_STORE(DENSITY, " not in line and "TX_STORE(FLUX" not in line], plain)
        self.assertEqual([line for line in more if line not in plain], ["TX_STORE(DENSITY, rho);", *[f"TX_STORE(FLUX{i}, mom_d{i});" for i in range(3)]])
        rows = re.findall(r"^A\((\w+), (\w+), (.*?), \"", found[1]["wave_quantities.def"], re.M)
        self.assertEqual([name for name, *_ in rows], ["H", "M0", "M1", "M2", "G0", "G1", "G2", "DENSITY", "FLUX0", "FLUX1", "FLUX2"])
        self.assertEqual(rows[7:9], [("DENSITY", "density", "+1, +1, +1"), ("FLUX0", "flux_x", "-1, +1, +1")])
        self.assertIn("TX_ANALYSIS_G2, TX_ANALYSIS_DENSITY", " ".join(found[1]["wave_names.h"].split()))

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
        folder = self.system({"system.py": (ROOT / "tests/systems/wave/system.py").read_text().replace("+ v", "+ sinus(v)")})
        run = subprocess.run([sys.executable, TREE / "physics/codegen/generate.py", "--only", folder, folder / "out"],
                             capture_output=True, text=True, cwd="/", env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, r'^tests/\d+/wave/system\.py:\d+: in "ADV_u \+ sinus\(v\)", column 9: sinus\(\) is no function here; .*\n$')


class Right(Tree):
    def text(self, changes, of="tests/systems/wave"):
        """The generated files, by the ends of their names."""
        text = (ROOT / of / "system.py").read_text()
        for old, new in changes.items():
            self.assertIn(old, text)
            text = text.replace(old, new)
        folder = self.system({"system.py": text}, of)
        self.assertIsNone(self.generate(folder))
        return {path.name.removeprefix(f"{folder.name}_"): path.read_text() for path in (folder / "out").iterdir()}

    def test_digest(self):
        """Equations and variables change it, texts and comments do not."""
        def digest(changes):
            return re.search(r"TX_SYSTEM_DIGEST UINT64_C\(0x([0-9a-f]{16})\)", self.text(changes)["names.h"])[1]

        first = digest({})
        self.assertEqual(digest({'text="wave"': 'text="a wave"', "RESULTS = []": "RESULTS = []  # none"}), first)
        scalar = 'from parameters import Parameter\nPARAMETERS = [Parameter("evolution", "rate", 1, 0, 2, text="rate", scalar="NUMBER * rate")]\n'
        own = [{IMPORT: scalar.replace("NUMBER", number) + IMPORT, LAST: USE} for number in "23"]
        others = [digest(changes) for changes in ({"+ v": "+ 2 * v"}, {"falloff=1, speed": "falloff=2, speed"}, *own)]
        self.assertEqual(len({first, *others}), 5)

    def test_numbers_of_variables(self):
        for given, exact in (('infinity=0, falloff=1, speed="1"', (0, 1, 1)), ('infinity=-2, falloff="3/2", speed=2', (-2, 1.5, 2)),
                             ('infinity="1/3", falloff=0, speed="2/3"', (1 / 3, 0, 2 / 3)),
                             ('infinity=0.1, falloff=1.5, speed="0.3"', (0.1, 1.5, 0.3)), ('infinity="-0.1", falloff=1, speed="2**0.5"', (-0.1, 1, 2**0.5)),
                             ('infinity="sqrt(3)", falloff=1, speed="sqrt(2)/4"', (math.sqrt(3), 1, math.sqrt(2) / 4))):
            with self.subTest(given):
                made = self.text({TABLE: TABLE.replace('falloff=1, speed="1"', given)})["variables.def"]
                found = re.search(r"^V\(V, v, \+1, \+1, \+1, (.*)$", made, re.M)[1].split(", ")[:3]
                self.assertFalse([text for text in found if "/" in text], "C would divide integers")
                self.assertEqual(tuple(map(float, found)), exact)

    def value(self, text, more=""):
        """The text of a right-hand side in C, as Python takes it."""
        made = self.text({LAST: f'p.scalars("lambda_f0"); p.input("x", "t"); {more}p.store("v", "{text}")'})["rhs.inc"]
        value = re.search(r"TX_STORE\(V, (.*?)\);", made, re.S)[1]
        for name, shared in reversed(re.findall(r"^const tx_real (\w+) = ((?!TX_D\().*?);", made, re.S | re.M)):
            value = re.sub(rf"\b{name}\b", f"({shared})", value)
        return self.python(" ".join(value.split()))

    @staticmethod
    def python(text):
        """(a ? b : c) as Python writes it."""
        while "?" in text:
            at = text.rindex("?")
            depth, end = 0, at
            while depth >= 0:
                end += 1
                depth += (text[end] == "(") - (text[end] == ")")
            begin, depth = at, 0
            while depth >= 0:
                begin -= 1
                depth += (text[begin] == ")") - (text[begin] == "(")
            yes, no = text[at + 1:end].split(" : ")
            text = f"{text[:begin]}(({yes}) if {text[begin + 1:at]} else ({no})){text[end + 1:]}"
        return text

    NAMES = {"v": 1.7, "du_d0": 0.3, "du_d1": -0.4, "du_d2": 1.1, "lambda_f0": 3.0, "x": -0.7, "t": 0.2}
    MACROS = {"TX_SQRT": math.sqrt, "TX_EXP": math.exp, "TX_LOG": math.log, "TX_SIN": math.sin, "TX_COS": math.cos, "TX_TAN": math.tan,
              "TX_TANH": math.tanh, "TX_POW": math.pow, "TX_ABS": abs, "TX_MIN": min, "TX_MAX": max, "TX_UNIFORM": float,
              "TX_WHERE": lambda holds, yes, no: yes if holds else no, "sqrt": math.sqrt, "exp": math.exp, "log": math.log,
              "sin": math.sin, "cos": math.cos, "tan": math.tan, "tanh": math.tanh, "pow": math.pow, "fabs": abs, "fmin": min,
              "fmax": max}

    def test_parameters(self):
        """Rows of params.def, conditions, and what equations have."""
        entries = """from parameters import Parameter
PARAMETERS = [
    Parameter("evolution", "rate", 0.5, 0, 2, unit="1/M", text="damping of v", only="kind"),
    Parameter("wave", "power", 3, -1, 1e6, text="a power", only="rate > 0.1", scalar="4 * power * cfl / (rate - spacing)"),
    Parameter("wave", "kind", True, text="whether"),
]
"""
        made = self.text({IMPORT: entries + IMPORT, LAST: USE.replace('"rate"', '"rate", "kind", "power"')})
        lines = made["parameters.def"].splitlines()[3:]
        self.assertEqual(lines, [
            "#ifdef TRAITS", "TRAITS(TX_EVOLVED_WAVE, TX_HAS_WAVELETS)", "#endif", "#ifdef CONDITION",
            'CONDITION(evolved_wave, evolution_system, "evolution.system is wave", p->evolution_system == TX_EVOLVED_WAVE)',
            'CONDITION(evolved_wave_1, SEVERAL, "evolution.system is wave and wave.kind is true", evolved_wave(p) && p->wave_kind)',
            'CONDITION(evolved_wave_2, SEVERAL, "evolution.system is wave and evolution.rate is above 0.1",'
            " evolved_wave(p) && p->evolution_rate > 0.1)",
            "#endif", "#ifdef TX_ROWS_evolution",
            'REAL(evolution, rate, 0.5, 0.0, 2.0, "1/M", "damping of v", ONLY(evolved_wave_1))',
            "#endif", "#ifdef TX_ROWS_OWN", 'SECTION(wave, "The system wave")',
            'REAL(wave, power, 3.0, -1.0, 1000000.0, "", "a power", ONLY(evolved_wave_2))',
            'BOOL(wave, kind, true, "whether", ONLY(evolved_wave))', "#endif"])
        names = made["names.h"].replace(" \\\n ", "")
        self.assertIn("enum { TX_OWN_RATE, TX_OWN_POWER, TX_OWN_KIND, TX_OWN };", names)
        self.assertIn("P(TX_OWN_RATE, evolution_rate) P(TX_OWN_POWER, wave_power) P(TX_OWN_KIND, wave_kind)", names)
        self.assertIn("S(rate, p->own[TX_OWN_RATE]) S(power, 4.0 * p->own[TX_OWN_POWER] * p->cfl / (p->own[TX_OWN_RATE] - h))", names)
        self.assertIn("- rate * v", made["rhs.inc"])
        self.assertEqual(len(self.text({})["parameters.def"].splitlines()), 6)

    def test_limits(self):
        """Modes of the linearised equations, and defaults that a system has of its own."""
        limits = ('STABILITY = lambda p: (p.scalars("rate"), p.input("k2", "spacing"), p.mode("3 * k2", damping="rate * spacing", by="rate"),'
                  ' p.damps("2 * rate", by="rate")); SHIFT_APART = 0.25; DEFAULTS = {"gauge.lambda_f0": 4 / 3}')
        made = self.text({IMPORT: f'from parameters import Parameter; {IMPORT}; PARAMETERS = [Parameter("wave", "rate", 1, 0, 2, text="")]',
                          LAST: USE, FILES: f"{FILES}; {limits}"})
        lines = [line for line in made["stability.inc"].splitlines() if not line.startswith(("/*", " *"))]
        self.assertEqual(lines, ["const double rate = tx_scalar_rate(p, spacing);", "TX_STORE(mode[0].square, TX_UNIFORM(3.0 * k2));",
                                 "TX_STORE(mode[0].damping, TX_UNIFORM(rate * spacing));", "TX_STORE(mode[0].parameter, TX_OWN_RATE);",
                                 "TX_STORE(rate, TX_UNIFORM(2.0 * rate));", "TX_STORE(by, TX_OWN_RATE);", "TX_STORE(n, 1);"])
        self.assertIn("#define TX_SYSTEM_SHIFT_APART 0.25", made["names.h"])
        self.assertIn("#ifdef DEFAULT\nDEFAULT(TX_EVOLVED_WAVE, gauge_lambda_f0, 1.3333333333333333)\n#endif", made["parameters.def"])
        self.assertIn("#define TX_SYSTEM_SHIFT_APART 0.0", self.text({})["names.h"])
        self.assertNotIn("stability.inc", self.text({}))

    def test_packages_of_packages(self):
        """A system of parts of others: its vacuum part is theirs, its sources are added, and its hash has their files."""
        import tables
        vacuum = self.text({}, "physics/bssn")["rhs.inc"].splitlines()
        folder = self.system(FLUID)
        self.assertIsNone(self.generate(folder))
        made = (folder / f"out/{folder.name}_rhs.inc").read_text().splitlines()
        equations = [line for line in vacuum if line.startswith(("TX_STORE(GT", "TX_STORE(CHI", "TX_STORE(BETA", "tx_real gt_uu"))]
        self.assertEqual(len(equations), 10)
        self.assertLessEqual(set(equations), set(made))
        self.assertIn("4.0 * 3.1415926535897931 * alpha * (rho + stress)", " ".join(" ".join(made).split()))
        names = {str(path.relative_to(TREE / "physics")) for path in tables.sources(folder) if path.parent != folder}
        self.assertEqual(names, {f"bssn/{file}.py" for file in ("system", "plan", "equations")})
        self.assertIn('REAL(wave, hamiltonian_damping,', (folder / f"out/{folder.name}_parameters.def").read_text())

    def test_analysis_quantities(self):
        """A table of them, their numbers, and what they load: values too, which are nowhere else."""
        quantities = '[Result("energy", text="energy density", unit="1/M^2"), Result("spin_u", "i", text="spin", axial=True)]'
        function = 'lambda p: p.values("v") or p.load(1, "u") or p.store("energy", "v**2") or p.store("spin_u[i]", "v * du_d[i]")'
        made = self.text({IMPORT: "from emit import Result\n" + IMPORT, "RESULTS = []": f"RESULTS = {quantities}",
                          FILES: FILES.replace("}", f', "analysis": ({function}, "none")}}')})
        self.assertEqual([line for line in made["quantities.def"].splitlines() if line.startswith("A(")], [
            'A(ENERGY, energy, +1, +1, +1, "energy density", "1/M^2")', 'A(SPIN0, spin_x, +1, -1, -1, "spin", "")',
            'A(SPIN1, spin_y, -1, +1, -1, "spin", "")', 'A(SPIN2, spin_z, -1, -1, +1, "spin", "")'])
        self.assertIn("TX_ANALYSIS_ENERGY, TX_ANALYSIS_SPIN0, TX_ANALYSIS_SPIN1, TX_ANALYSIS_SPIN2, TX_ANALYSES", made["names.h"])
        self.assertIn("#define TX_ANALYSIS_LOADS(V) V(U, 1) V(V, 0)", made["names.h"])
        self.assertIn("TX_STORE(SPIN2, du_d2 * v);", made["analysis.inc"])

    def test_profiles(self):
        """Cases of a switch, and parameters that have an effect in some profiles alone."""
        made = self.text({IMPORT: OF_PROFILES + IMPORT, FILES: f'{PROFILE_FUNCTIONS}{FILES}\nINITIAL = {{"flat": (flat, "none"), "bump": (bump, "a bump")}}'})
        lines = made["initial.inc"].splitlines()
        cases = [n for n, line in enumerate(lines) if line.startswith("case")]
        self.assertEqual([lines[n] for n in cases], ["case 0: { /* flat: none */", "case 1: { /* bump: a bump */"])
        bump = lines[cases[1]:]
        self.assertIn("const double width = p->own[TX_OWN_WIDTH];", bump)
        self.assertIn("tx_real x = TX_COORDINATE(0);", bump)
        self.assertTrue([line for line in bump if re.match(r"TX_STORE\(U, .*TX_EXP\(", line)], bump)
        self.assertNotIn("TX_ADV", "".join(lines))
        self.assertIn("_initial.inc", made["names.h"])
        rows = made["parameters.def"]
        self.assertIn('PROFILE(TX_EVOLVED_WAVE, "flat", "none")\nPROFILE(TX_EVOLVED_WAVE, "bump", "a bump")', rows)
        self.assertIn('"evolution.system is wave and initial_data.profile is bump",'
                      ' p->evolution_system == TX_EVOLVED_WAVE && (tx_param_profile_is(p, "bump")))', rows)
        self.assertRegex(rows, r'REAL\(wave, width, .* ONLY\(evolved_wave_1\)\)')
        self.assertRegex(rows, r'REAL\(wave, height, .* ONLY\(evolved_wave_2\)\)')
        self.assertIn("initial_data.profile is flat or bump", rows)
        self.assertNotIn("initial.inc", "".join(self.text({})))

    def test_arithmetic(self):
        """Numbers, powers, functions and conditions have the value that they have as Python."""
        own = {**self.MACROS, "abs": abs, "min": min, "max": max, "where": lambda holds, yes, no: yes if holds else no, "pi": math.pi}
        cases = ("1/3 * v", "-5/2 * v", "v / 7", "v**2", "v**-3", "2 * v**0", "1 / (v + 2)**2", "(v - 1/3) * (v + 1/3)", "sqrt(2) * v",
                 "v / sqrt(3)", "sqrt(2/3)", "du_d[0] - du_d[1] * du_d[2]", "delta[0,1] + delta[2,2] * v",
                 "0.5 * v", "2.5 * v", "0.1 * v", "1e-30 * v", "1.25e3 + v", "0.1", "+v", "3.14159265358979323846 * v", "1e22 * v",
                 "sqrt(v)", "v * sqrt(v)", "1 / sqrt(v)", "sqrt(v)**5", "sqrt(sqrt(v))", "v**2 / sqrt(sqrt(v))**3", "sqrt(v / 3) + 1",
                 "sqrt(du_d[i] * du_d[i])", "sqrt(v**2 + 1)", "v**0.5", "v**(3/2)", "v**-1.5", "v**0.3", "v**(1/3)", "v**-0.1",
                 "2**0.3 * v", "v**sqrt(2)", "v**30", "v**lambda_f0", "v**(lambda_f0 - 1/2)", "lambda_f0**0.2 * v", "sqrt(lambda_f0) + v",
                 "exp(v)", "exp(v) * exp(-lambda_f0)", "exp(-lambda_f0 * t)", "log(v)", "log(lambda_f0 + v)", "sin(v)", "cos(v) * sin(t)",
                 "tan(v / 2)", "tanh(v - 2)", "abs(v - 2)", "abs(x)", "abs(lambda_f0 - 5) * v", "min(v, 2)", "max(v, x, 2)",
                 "min(lambda_f0, t)", "min(v, lambda_f0) / max(x, -1/2)", "sin(pi * x) + pi", "sqrt((v - 2)**2)", "exp(log(v))",
                 "where(v < 2, x, v)", "where(v <= 1, x, v)", "where(x > v, x, 3)", "where(v >= 1.7, 1, 0)", "where(lambda_f0 > 2, v, 0)",
                 "where(lambda_f0 > 2, 1, 2) * v", "where(1 < 2, v, x)", "where(t < 1, sin(t), 2) + 1", "1 - 2 * where(v < x, v, x)")
        for text in cases:
            with self.subTest(text):
                value = self.value(text)
                tensors = re.sub(r"du_d\[(\d)\]", r"du_d\1", text.replace("du_d[i] * du_d[i]", "1.46"))
                exact = eval(re.sub(r"delta\[(\d),(\d)\]", r"(\1==\2)", tensors), dict(own), self.NAMES)
                self.assertLess(abs(eval(value, dict(self.MACROS), self.NAMES) / exact - 1), 2e-15, value)

    def test_decimals_are_the_nearest_doubles(self):
        for text, double in (("0.1", 0.1), ("0.30000000000000000000000001", 0.3), ("1e22", 1e22), ("123456789.123456789123456789", 123456789.123456789123456789),
                             ("1 - 0.9", 0.1)):
            self.assertEqual(eval(self.value(f"({text}) * v").partition(" * v")[0]), double, text)

    def test_antisymmetric_tensors(self):
        names = {**self.NAMES, "w0": 0.3, "w1": -0.2, "w2": 0.9}
        made = self.text({LAST: 'p.let("F[i,j]", "eps[i,j,k] * du_d[k]", anti="ij"); p.let("G[k,j,i]", "F[i,j] * du_d[k]", anti="ji");'
                                ' p.let("T[i,j,k]", "v * eps[i,j,k]", anti="ij jk ik"); p.store("v", "F[i,j] * F[i,j] + F[i,i] + F[2,1] '
                                '+ G[1,0,2] + 3 * T[2,1,0] + T[0,1,0]")'})["rhs.inc"]
        self.assertEqual(re.findall(r"tx_real (F\d\d) ", made), ["F01", "F02", "F12"])
        for name, value in re.findall(r"tx_real (\w+) = (.*?);", made, re.S):
            if "TX_" not in value:
                names[name] = eval(" ".join(value.split()), dict(self.MACROS), names)
        value = eval(" ".join(re.search(r"TX_STORE\(V, (.*?)\);", made, re.S)[1].split()), dict(self.MACROS), names)
        u = [names[f"du_d{i}"] for i in range(3)]
        self.assertAlmostEqual(value, 2 * sum(n * n for n in u) - u[0] + u[1] * u[1] - 3 * names["v"], 14)

    def test_names_of_c(self):
        """Quantities that are called as something in the code around them have another name there."""
        made = self.text({LAST: 'p.let("double", "2 * v"); p.let("p", "double**2"); p.store("v", "p + double")'})["rhs.inc"]
        self.assertIn("tx_real double_ = 2.0 * v;", made)
        self.assertIn("TX_STORE(V, double_ + p_);", made)

    def test_fractions_of_the_trace(self):
        import tables
        description = (ROOT / "physics/bssn/system.py").read_text()
        for trace, expected in (("K", "V(K)"), ("K + 2 * chi", "V(K) + 2 * V(CHI)"), ("0.1 * K", "0.1 * V(K)"), ("1/2 * K", "1.0 / 2.0 * V(K)"),
                                ("-K / 3 + 2 * alpha", "-V(K) / 3.0 + 2 * V(ALPHA)")):
            folder = self.system({"system.py": description.replace('TRACE = "K"', f'TRACE = "{trace}"')}, "physics/bssn")
            self.assertEqual(tables.trace(tables.described(folder)), expected)


if __name__ == "__main__":
    unittest.main()
