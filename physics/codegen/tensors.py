"""Index notation -> SymPy components.

A tensor is a name with one suffix letter an index (gt_dd, Gamt_udd), written with its indices in
brackets: "gt_uu[k,l] * Gamt_ddd[l,i,j]". An index that occurs twice in a product is summed over.
Integers in brackets pick a component; `eps` is the Levi-Civita symbol, `delta` Kronecker's.
"""

import ast
import itertools
from sympy import Integer, LeviCivita, Symbol, sqrt

DIM = 3


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


def parse(text):
    return ast.parse(text.strip().replace("\n", " "), mode="eval").body


def split_lhs(text):
    """'Rt_dd[i,j]' -> ('Rt_dd', ['i', 'j'])"""
    node = parse(text)
    if isinstance(node, ast.Name):
        return node.id, []
    return node.value.id, [i.id if isinstance(i, ast.Name) else i.value for i in index_nodes(node)]


def index_nodes(node):
    inner = node.slice
    return inner.elts if isinstance(inner, ast.Tuple) else [inner]


def factors(node):
    """The factors of a product, each with +1 or -1 for its power."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return factors(node.left) + factors(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return factors(node.left) + [(f, -power) for f, power in factors(node.right)]
    return [(node, 1)]


def indices(node):
    """Letters of the indices of `node`, with repetition; those summed inside it are left out."""
    if isinstance(node, ast.Subscript):
        return [i.id for i in index_nodes(node) if isinstance(i, ast.Name)]
    if isinstance(node, ast.UnaryOp):
        return indices(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        found = [i for f, _ in factors(node) for i in indices(f)]
        return [i for i in found if found.count(i) == 1]
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        return sorted(set(indices(node.left)) | set(indices(node.right)))
    return []


class Components:
    """Evaluates expressions in index notation, given the tensors that are known."""

    def __init__(self):
        self.tensors = {}

    def declare(self, tensor):
        self.tensors[tensor.name] = tensor
        return tensor

    def value(self, node, env):
        """The SymPy expression of `node` with the index letters of `env` bound to numbers."""
        if isinstance(node, ast.Constant):
            return Integer(node.value)
        if isinstance(node, ast.Name):
            return self.component(node.id, ())
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.value(node.operand, env)
        if isinstance(node, ast.Call) and node.func.id == "sqrt":
            return sqrt(self.value(node.args[0], env))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return self.value(node.left, env) ** node.right.value
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.value(node.left, env) + self.value(node.right, env)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            return self.value(node.left, env) - self.value(node.right, env)
        if isinstance(node, (ast.BinOp, ast.Subscript)):
            return self.summed(node, env)
        raise SyntaxError("not index notation: " + ast.unparse(node))

    def summed(self, node, env):
        found = [i for f, _ in factors(node) for i in indices(f) if i not in env]
        dummies = sorted(set(found))
        if any(found.count(i) != 2 for i in dummies):
            raise SyntaxError("an index is neither free nor summed: " + ast.unparse(node))
        total = Integer(0)
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
        tensor = self.tensors[name]
        if len(idx) != tensor.rank:
            raise SyntaxError(f"{name} has {tensor.rank} indices, not {len(idx)}")
        return tensor.symbol(idx)
