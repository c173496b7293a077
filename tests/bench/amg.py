#!/usr/bin/python3
"""Algebraic multigrid on the periodic box of `bench_elliptic box:SIDE`: iterations and seconds of PyAMG.

    tests/bench/amg.py [--order 2|6] [--tolerance T] SIDE...

The same differences, right-hand side and tolerance; conjugate gradients with a V-cycle of smoothed aggregation, and of Ruge and
Stueben's method. One line of JSON a solve; seconds are those of the process on one thread. Wants PyAMG, which nothing else of the project does: `pip install pyamg` (with SciPy
1.10 `pyamg==5.1.0`).
"""

import argparse
import json
import sys
import time

import numpy as np
from scipy import sparse

# Of the second derivative times h^2, as in physics/laplace_point.h.
WEIGHTS = {2: (-2.0, 1.0), 6: (-49 / 18, 3 / 2, -3 / 20, 1 / 90)}
METHODS = ("smoothed_aggregation", "ruge_stuben")


def matrix(side, order):
    """-\\Delta of the box [-1, 1)^3, in compressed rows."""
    line = sparse.csr_matrix((side, side))
    for m, w in enumerate(WEIGHTS[order]):
        for at in {m, -m}:
            line = line + w * sparse.csr_matrix((np.ones(side), (np.arange(side), (np.arange(side) + at) % side)))
    one = sparse.identity(side, format="csr")
    every = [sparse.kron(sparse.kron(*pair), last, format="csr")
             for pair, last in (((line, one), one), ((one, line), one), ((one, one), line))]
    return (-(side / 2) ** 2 * (every[0] + every[1] + every[2])).tocsr()


def right_hand_side(side):
    """What bench_elliptic has, its sign turned."""
    x = -1 + 2 / side * np.arange(side)
    wave = np.sin(np.pi * x) * np.exp(2 * np.cos(np.pi * x))
    rest = np.exp(2 * np.sin(np.pi * x))[:, None] * np.exp(2 * np.cos(np.pi * x + 0.3))[None, :]
    return -(wave[:, None, None] * rest[None]).ravel()


def conjugate_gradients(a, f, cycle, tolerance, most=200):
    """(u, iterations). What `cycle` returns loses its mean: constants are in the kernel of `a`, and the library's own loop ends
    early because of them."""
    u, r, p, before = np.zeros_like(f), f.copy(), None, 0.0
    for iterations in range(most):
        if np.linalg.norm(r) <= tolerance * np.linalg.norm(f):
            break
        z = cycle @ r
        z -= z.mean()
        product = r @ z
        p = z if p is None else z + product / before * p
        q = a @ p
        length = product / (p @ q)
        u += length * p
        r -= length * q
        before = product
    return u, iterations


def solve(method, a, f, tolerance):
    import pyamg
    begin = time.process_time()
    solver = getattr(pyamg, f"{method}_solver")(a)
    setup = time.process_time() - begin
    begin = time.process_time()
    u, iterations = conjugate_gradients(a, f, solver.aspreconditioner(cycle="V"), tolerance)
    seconds = time.process_time() - begin
    left = np.linalg.norm(f - a @ u) / np.linalg.norm(f)
    stored = sum(level.A.nnz for level in solver.levels) + sum(
        part.nnz for level in solver.levels[:-1] for part in (level.P, level.R))
    return {"bench": "amg", "method": method, "points": a.shape[0], "entries": a.nnz, "iterations": iterations,
            "setup_s": round(setup, 4), "seconds": round(seconds, 4), "residual": float(f"{left:.2g}"),
            "operator_complexity": round(solver.operator_complexity(), 3),
            "bytes_a_point": round(12 * stored / a.shape[0], 1), "version": pyamg.__version__}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sides", nargs="+", type=int, metavar="SIDE")
    parser.add_argument("--order", type=int, choices=sorted(WEIGHTS), default=6)
    parser.add_argument("--tolerance", type=float, default=1e-10)
    args = parser.parse_args()
    try:
        import pyamg  # noqa: F401
    except ImportError as e:
        print(f"amg: PyAMG cannot be used: {e}; run `pip install pyamg`", file=sys.stderr)
        return 1
    for side in args.sides:
        a, f = matrix(side, args.order), right_hand_side(side)
        for method in METHODS:
            print(json.dumps({"side": side, "order": args.order, "tolerance": args.tolerance,
                              **solve(method, a, f, args.tolerance)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
