"""Index notation -> SymPy components. notation.py says what may be written."""

import ast
import difflib
import itertools
from sympy import I, Integer, LeviCivita, Rational, S, Symbol, pi

import inputs
from functions import NAMED, Where, of_numbers
from notation import (COMPARISONS, CONSTANTS, DIM, FUNCTIONS, SPECIAL, WHERE, exact, factors, index_nodes, indices, is_where, listed, names, parse,
                      powers, representable, terms, zero)
from refuse import Mistake, reading


MOST_BITS = 1100  # of the numbers that doubles have between them


class Tensor:
    """Rank of a named tensor, its pairs of indices that are symmetric or antisymmetric, and the symbols of its components."""

    def __init__(self, name, rank, symmetric=(), spell=None, antisymmetric=()):
        self.name, self.rank, self.symmetric, self.antisymmetric = name, rank, symmetric, antisymmetric
        self.spell = spell or (lambda idx: inputs.spelled(name) + "".join(map(str, idx)))

    def signed(self, idx):
        """The component that one is up to its sign, which may be 0, and the sign."""
        idx, sign = list(idx), 1
        if any(idx[a] == idx[b] for a, b in self.antisymmetric):
            sign = 0
        pairs = [(pair, 1) for pair in self.symmetric] + [(pair, -1) for pair in self.antisymmetric]
        while swaps := [(a, b, of) for (a, b), of in pairs if idx[a] > idx[b]]:
            a, b, of = swaps[0]
            idx[a], idx[b] = idx[b], idx[a]
            sign *= of
        return tuple(idx), sign

    def canonical(self, idx):
        return self.signed(idx)[0]

    def components(self):
        """Those that have a value of their own."""
        every = itertools.product(range(DIM), repeat=self.rank)
        return [idx for idx in every if self.signed(idx) in ((idx, 1), (idx, -1))]

    def symbol(self, idx):
        idx, sign = self.signed(idx)
        return sign * Symbol(self.spell(idx)) if sign else Integer(0)


class Components:
    """Reads and evaluates expressions in index notation, given the tensors that are known."""

    def __init__(self):
        self.tensors = {}
        self.constant = set(CONSTANTS)  # names that powers may have

    def declare(self, tensor):
        if tensor.name in SPECIAL or tensor.name in FUNCTIONS or tensor.name == WHERE:
            raise Mistake(f"{tensor.name} has a meaning of its own; expected another name")
        self.tensors[tensor.name] = tensor
        return tensor

    def read(self, text, letters=(), summed=()):
        """The tree of an expression of known tensors whose free indices are these letters. `summed`: letters that the caller
        sums over, once in every term."""
        node = parse(text)
        for name in names(node):
            self.check_name(name)
        for power in powers(node):
            for name in names(power):
                if getattr(name, "id", None) not in self.constant:
                    raise Mistake(f"the power {ast.unparse(power)} is not constant; expected numbers and parameters", name)
        free, inside = indices(node)
        if not zero(node) and free != set(letters):
            raise Mistake(f"{listed(free)} on the right, {listed(letters)} on the left; expected the same", node)
        for i in summed:
            for term in terms(node):
                if i not in indices(term)[1]:
                    raise Mistake(f"the index {i} of the variable is neither on the left nor summed in every term on the right;"
                                  " expected it once on the left or twice in this term", term)
        for i in sorted(inside & set(letters)):
            raise Mistake(f"the index {i} is free on the left and summed on the right; expected another letter", node)
        return node

    def check_name(self, node):
        name, rank = (node.value.id, len(index_nodes(node))) if isinstance(node, ast.Subscript) else (node.id, 0)
        if name not in self.tensors and name not in SPECIAL and name not in CONSTANTS:
            near = difflib.get_close_matches(name, self.tensors, 1)
            raise Mistake(f"{name} is unknown here; expected what values(), load(), scalars(), input() or let() made known before"
                          + (f", such as {near[0]}" if near else ""), node)
        expected = self.tensors[name].rank if name in self.tensors else SPECIAL.get(name, 0)
        if rank != expected:
            raise Mistake(f"{ast.unparse(node)}: {name} has {expected} indices, not {rank}; expected {expected}", node)

    def evaluate(self, node, env):
        """The value of a tree that was read, with the index letters of `env` bound to numbers."""
        value = self.value(node, env)
        if value.has(S.ComplexInfinity, S.NaN, S.Infinity, S.NegativeInfinity, I) or not of_numbers(value):
            raise Mistake(f"{ast.unparse(node)} is no real number; expected no division by 0 and no root or logarithm of a negative"
                          " number", node)
        for number in value.atoms(Rational):
            if not representable(number.p if number.q == 1 else number):
                raise Mistake(f"{number} is not exact in double precision; expected integers up to 2**53 and fractions within doubles'"
                              " range", node)
        return value

    def value(self, node, env):
        if isinstance(node, ast.Constant):
            number = exact(node, "")
            return Rational(number.numerator, number.denominator)
        if isinstance(node, ast.Name):
            return self.component(node.id, ())
        if isinstance(node, ast.UnaryOp):
            return (-1 if isinstance(node.op, ast.USub) else 1) * self.value(node.operand, env)
        if is_where(node):
            condition, *values = node.args
            yes, no = (self.value(n, env) for n in values)
            sides = self.value(condition.left, env), self.value(condition.comparators[0], env)
            return Where(Integer(COMPARISONS.index(type(condition.ops[0]))), *sides, yes, no)
        if isinstance(node, ast.Call):
            return NAMED[node.func.id](*(self.value(n, env) for n in node.args))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return self.power(node, self.value(node.left, env), self.value(node.right, env))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.value(node.left, env) + self.value(node.right, env)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            return self.value(node.left, env) - self.value(node.right, env)
        return self.summed(node, env)

    @staticmethod
    def power(node, base, exponent):
        if base.is_Rational and exponent.is_Rational and base != 0:
            digits = max(abs(base.p), base.q).bit_length()
            if abs(exponent) * (digits - 1) > MOST_BITS:
                raise Mistake(f"{ast.unparse(node)} is no double; expected numbers between 1e-307 and 1e308", node)
        return base**exponent

    def summed(self, node, env):
        found = [i for f, _ in factors(node) for i in sorted(indices(f)[0]) + repeated(f) if i not in env]
        total = Integer(0)
        dummies = sorted(set(found))
        for values in itertools.product(range(DIM), repeat=len(dummies)):
            bound = {**env, **dict(zip(dummies, values))}
            term = Integer(1)
            for f, power in factors(node):
                term *= self.factor(f, bound) ** power
            total += term
        return total

    def factor(self, node, env):
        if not isinstance(node, ast.Subscript):
            return self.value(node, env)
        idx = tuple(env[i.id] if isinstance(i, ast.Name) else i.value for i in index_nodes(node))
        return self.component(node.value.id, idx)

    def component(self, name, idx):
        if name == "pi" and name not in self.tensors:
            return pi
        if name == "eps":
            return LeviCivita(*idx)
        if name == "delta":
            return Integer(int(idx[0] == idx[1]))
        return self.tensors[name].symbol(idx)


def repeated(node):
    """Letters that are summed within the brackets of one tensor."""
    return sorted(indices(node)[1]) if isinstance(node, ast.Subscript) else []


def number(value, what, least=None):
    """The exact value of a number of a table: a number of Python's, or a text of numbers and functions of them."""
    with reading(value):
        node = parse(value if isinstance(value, str) or type(value) not in (int, float) else repr(value))
        for name in names(node):
            if getattr(name, "id", None) not in CONSTANTS:
                raise Mistake(f"{what} is not a number; expected integers, decimals and fractions", name)
        if indices(node)[0]:
            raise Mistake(f"{what} has an index; expected a number", node)
        found = Components().evaluate(node, {})
        if least is not None and found < least:
            raise Mistake(f"{what} is below {least}; expected {least} or more", node)
    return found
