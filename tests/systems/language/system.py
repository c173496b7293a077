"""A system that only a test knows: its equations, of no physics, have all that the language of equations has."""

from emit import Result, Variable

ANTI = [(0, 1)]

VARIABLES = [
    Variable("u", text="scalar", falloff=1.5, speed="0.5", infinity=0.1, watched=True),
    Variable("w", text="scalar", falloff=1, speed="2**0.5"),
    Variable("q", text="what the time gives", falloff=1, speed=1),
    Variable("E_u", "i", text="vector", falloff=2, speed="1"),
    Variable("F_dd", "ij", antisymmetric=ANTI, text="antisymmetric tensor", falloff=2, speed="1"),
]
ROLES = {}
RESULTS = [Result("H"), Result("M_u", "i"), Result("G_u", "i")]


def rhs(p):
    p.scalars("lambda_f0", "lambda_f1")
    p.input("x", "y", "z", "t")
    p.values("u", "w", "E_u", "F_dd")
    p.let("r", "sqrt(x**2 + y**2 + z**2)")
    p.let("a", "where(u > 0.1, sqrt(u - 0.1), 0.3 * tan(u))")  # each side is NaN or worse where the other one is taken
    p.let("b", "where(lambda_f0 >= 1/2, abs(w)**0.3, log(w - 100))")
    p.let("double", "1.5 + u**2")
    p.load(2, "u")
    p.store("u", "ADV_u + exp(-u**2) * sin(pi * x) + cos(y * t) / (1 + tanh(z)**2) + log(double) * double**-1.5"
                 " + where(r < 2.5, a * b, max(u, w, 0.25) - min(u, x)) + 0.1 * ddu_dd[i,i]")
    p.load(0, "w")
    p.store("w", "ADV_w + lambda_f0**1.7 * exp(-lambda_f1 * t) + where(t <= 0.35, x, y) * 0.7 + max(lambda_f0, u) + (du_d[i] * du_d[i])**2")
    p.load(0, "q")
    p.store("q", "ADV_q + cos(x + 3 * t)")
    p.load(1, "F_dd")
    p.load(1, "E_u")
    # F_jk by its dual, and a tensor that is antisymmetric in all of its indices.
    p.let("dual_u[i]", "1/2 * eps[i,j,k] * F_dd[j,k]")
    p.let("T_ddd[i,j,k]", "eps[i,j,k] * E_u[l] * dual_u[l]", anti="ij jk ik")
    p.let("curl_dd[i,j]", "dE_du[i,j] - dE_du[j,i]", anti="ij")
    p.store("E_u[i]", "ADV_E_u[i] - dF_ddd[j,i,j] + where(r >= 1.5, E_u[i], eps[i,j,k] * F_dd[j,k]) / 7"
                      " + T_ddd[i,0,1] + F_dd[j,j] * E_u[i]")
    p.store("F_dd[i,j]", "ADV_F_dd[i,j] + curl_dd[i,j] + 0.5 * (E_u[i] * dual_u[j] - dual_u[i] * E_u[j])"
                         " + u**3 * T_ddd[i,j,k] * E_u[k]")


def constraints(p):
    p.scalars("lambda_f0")
    p.input("x", "y", "t")
    p.values("u", "E_u", "F_dd")
    p.load(1, "E_u")
    p.load(1, "F_dd")
    p.load(2, "u")
    p.store("H", "dE_du[i,i] + where(x + t > 1, sqrt(x + t - 1), lambda_f0 * y)")
    p.store("M_u[i]", "dF_ddd[j,i,j] + eps[j,k,l] * dF_ddd[j,k,l] * E_u[i] + eps[i,j,k] * F_dd[j,k] * abs(u)**2.5")
    p.store("G_u[i]", "ddu_dd[i,j] * E_u[j] * min(u, x, y) + F_dd[i,j] * E_u[j]")


FILES = {"rhs": (rhs, "right-hand sides with all that the language has"),
         "constraints": (constraints, "constraints with all that the language has")}
