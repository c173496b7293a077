"""Index notation -> SymPy components. notation.py says what may be written."""

import ast
import difflib
import itertools
from sympy import I, Integer, LeviCivita, S, Symbol, sqrt

from notation import DIM, SPECIAL, factors, index_nodes, indices, listed, names, parse, terms, whole, zero
from refuse import Mistake, reading


class Tensor:
    """Rank and symmetric index pairs of a named tensor, and the symbols of its components."""

    def __init__(self, name, rank, symmetric=(), spell=None):
        self.name, self.rank, self.symmetric = name, rank, symmetric
        self.spell = spell or (lambda idx: name + "".join(map(str, idx)))

    def canonical(self, idx):
        idx = list(idx)
        for a, b in self.symmetric:
            if idx[a] > idx[b]:
                idx[a], idx[b] = idx[b], idx[a]
        return tuple(idx)

    def components(self):
        every = itertools.product(range(DIM), repeat=self.rank)
        return [idx for idx in every if idx == self.canonical(idx)]

    def symbol(self, idx):
        return Symbol(self.spell(self.canonical(idx)))


class Components:
    """Reads and evaluates expressions in index notation, given the tensors that are known."""

    def __init__(self):
        self.tensors = {}

    def declare(self, tensor):
        if tensor.name in SPECIAL or tensor.name == "sqrt":
            raise Mistake(f"{tensor.name} has a meaning of its own; expected another name")
        self.tensors[tensor.name] = tensor
        return tensor

    def read(self, text, letters=(), summed=()):
        """The tree of an expression of known tensors whose free indices are these letters. `summed`: letters that the caller
        sums over, once in every term."""
        node = parse(text)
        for name in names(node):
            self.check_name(name)
        free, inside = indices(node)
        if not zero(node) and free != set(letters):
            raise Mistake(f"{listed(free)} on the right, {listed(letters)} on the left; expected the same")
        for i in summed:
            if any(i not in indices(term)[1] for term in terms(node)):
                raise Mistake(f"the index {i} of the variable is neither on the left nor summed in every term on the right")
        for i in sorted(inside & set(letters)):
            raise Mistake(f"the index {i} is free on the left and summed on the right; expected another letter")
        return node

    def check_name(self, node):
        name, rank = (node.value.id, len(index_nodes(node))) if isinstance(node, ast.Subscript) else (node.id, 0)
        if name not in SPECIAL and name not in self.tensors:
            near = difflib.get_close_matches(name, self.tensors, 1)
            raise Mistake(f"{name} is unknown here; expected what values(), load(), scalars() or let() made known before"
                          + (f", such as {near[0]}" if near else ""))
        expected = SPECIAL[name] if name in SPECIAL else self.tensors[name].rank
        if rank != expected:
            raise Mistake(f"{ast.unparse(node)}: {name} has {expected} indices, not {rank}")

    def evaluate(self, node, env):
        """The value of a tree that was read, with the index letters of `env` bound to numbers."""
        value = self.value(node, env)
        if value.has(S.ComplexInfinity, S.NaN, S.Infinity, S.NegativeInfinity, I):
            raise Mistake(f"{ast.unparse(node)} is no real number; expected no division by 0 and no root of a negative number")
        return value

    def value(self, node, env):
        if isinstance(node, ast.Constant):
            return Integer(whole(node.value))
        if isinstance(node, ast.Name):
            return self.component(node.id, ())
        if isinstance(node, ast.UnaryOp):
            return -self.value(node.operand, env)
        if isinstance(node, ast.Call):
            return sqrt(self.value(node.args[0], env))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return self.value(node.left, env) ** self.value(node.right, env)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.value(node.left, env) + self.value(node.right, env)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            return self.value(node.left, env) - self.value(node.right, env)
        return self.summed(node, env)

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
        if name == "eps":
            return LeviCivita(*idx)
        if name == "delta":
            return Integer(int(idx[0] == idx[1]))
        return self.tensors[name].symbol(idx)


def repeated(node):
    """Letters that are summed within the brackets of one tensor."""
    return sorted(indices(node)[1]) if isinstance(node, ast.Subscript) else []


def number(value, what, least=None):
    """The exact value of a number of a table: an integer, or a text of integers, fractions and sqrt."""
    with reading(value):
        node = parse(value) if isinstance(value, str) else ast.Constant(whole(value))
        if names(node):
            raise Mistake(f"{what} is not a number; expected integers and fractions")
        exact = Components().evaluate(node, {})
        if least is not None and exact < least:
            raise Mistake(f"{what} is below {least}")
    return exact
