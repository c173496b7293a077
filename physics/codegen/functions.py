"""Functions of the language as SymPy has them. Those here are of real numbers, where SymPy's own think of complex ones."""

import sympy
from sympy import Function


class Absolute(Function):
    @classmethod
    def eval(cls, x):
        return abs(x) if x.is_number else None


class Least(Function):
    """The smaller of two; NaN if either is."""

    @classmethod
    def eval(cls, a, b):
        if a == b:
            return a
        return (a if a <= b else b) if a.is_number and b.is_number else None


class Largest(Function):
    """The larger of two; NaN if either is."""

    @classmethod
    def eval(cls, a, b):
        if a == b:
            return a
        return (a if a >= b else b) if a.is_number and b.is_number else None


COMPARISONS = ("<", "<=", ">", ">=")


class Where(Function):
    """`yes` where the comparison of that number holds, and `no` elsewhere."""

    @classmethod
    def eval(cls, comparison, a, b, yes, no):
        if yes == no:
            return yes
        if a.is_number and b.is_number:
            return yes if (a < b, a <= b, a > b, a >= b)[int(comparison)] else no
        return None


def folded(function):
    """A function of two or more arguments."""
    def of(first, *others):
        for other in others:
            first = function(first, other)
        return first
    return of


NAMED = {"sqrt": sympy.sqrt, "exp": sympy.exp, "log": sympy.log, "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan,
         "tanh": sympy.tanh, "abs": Absolute, "min": folded(Least), "max": folded(Largest)}
# In C: the macro's end, the function of doubles, and the floating-point operations that each is counted as.
PRINTED = {sympy.exp: ("EXP", "exp", 20), sympy.log: ("LOG", "log", 20), sympy.sin: ("SIN", "sin", 20),
           sympy.cos: ("COS", "cos", 20), sympy.tan: ("TAN", "tan", 20), sympy.tanh: ("TANH", "tanh", 20),
           Absolute: ("ABS", "fabs", 1), Least: ("MIN", "fmin", 1), Largest: ("MAX", "fmax", 1)}
OPERATIONS_OF_POWER = 40  # exp of log


def of_numbers(value):
    """Whether no number in an expression is complex or infinite, such as the root of a negative one."""
    return not any(number.is_extended_real is False or number.is_finite is False
                   for number in value.atoms(sympy.Pow, sympy.log) if number.is_number)
