"""The trumpet slice of physics/scalar_on_hole is a static solution of Einstein's equations, and its wave operator what the package has."""

import itertools

import sympy as sp

r, M, theta = sp.symbols("r M theta", positive=True)
X = (r, theta, sp.Symbol("phi"))
ALPHA, SHIFT, PSI2, K = r / (r + M), (M * r / (r + M)**2, 0, 0), 1 + M / r, M / (r + M)**2
GAMMA = PSI2**2 * sp.diag(1, r**2, r**2 * sp.sin(theta)**2)
INVERSE = GAMMA.inv()
I3 = range(3)


def total(function, n=1):
    return sum(function(*indices) for indices in itertools.product(I3, repeat=n))


CHRISTOFFEL = [[[sum(INVERSE[i, m] * (sp.diff(GAMMA[m, j], X[k]) + sp.diff(GAMMA[m, k], X[j]) - sp.diff(GAMMA[j, k], X[m])) for m in I3) / 2
                 for k in I3] for j in I3] for i in I3]


def ricci(j, k):
    G = CHRISTOFFEL
    return total(lambda i: sp.diff(G[i][j][k], X[i]) - sp.diff(G[i][j][i], X[k])) + total(
        lambda i, m: G[i][i][m] * G[m][j][k] - G[i][k][m] * G[m][j][i], 2)


def gradient(v, i, j):
    """D_i v_j."""
    return sp.diff(v[j], X[i]) - total(lambda m: CHRISTOFFEL[m][i][j] * v[m])


def check(what, value):
    if sp.simplify(value) != 0:
        raise SystemExit(f"{what} is {sp.simplify(value)}, not 0")


lowered = [total(lambda j: GAMMA[i, j] * SHIFT[j]) for i in I3]
CURVATURE = sp.Matrix(3, 3, lambda i, j: sp.simplify((gradient(lowered, i, j) + gradient(lowered, j, i)) / (2 * ALPHA)))  # d_t gamma = 0
MIXED = INVERSE * CURVATURE
check("K", MIXED.trace() - K)
check("H", total(lambda i: INVERSE[i, i] * ricci(i, i)) + K**2 - (MIXED * MIXED).trace())
slope = [sp.diff(ALPHA, x) for x in X]
for j in I3:
    check("M_j", total(lambda i: sp.diff(MIXED[i, j], X[i])) - sp.diff(K, X[j]) + total(
        lambda i, m: CHRISTOFFEL[i][i][m] * MIXED[m, j] - CHRISTOFFEL[m][i][j] * MIXED[i, m], 2))
    for i in I3:
        along = total(lambda m: SHIFT[m] * sp.diff(CURVATURE[i, j], X[m]) + CURVATURE[m, j] * sp.diff(SHIFT[m], X[i])
                      + CURVATURE[i, m] * sp.diff(SHIFT[m], X[j]))
        check("d_t K_ij", along - gradient(slope, i, j) + ALPHA * (ricci(i, j) + K * CURVATURE[i, j] - 2 * (CURVATURE * MIXED)[i, j]))
f = sp.Function("f")(r)
check("D^i(alpha D_i f)", sp.diff(PSI2 * r**2 * ALPHA * sp.diff(f, r), r) / (PSI2**3 * r**2) - ALPHA**3 * sp.diff(r**2 * sp.diff(f, r), r) / r**2)
print("all 0")
