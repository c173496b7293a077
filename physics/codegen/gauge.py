"""The gauge of the moving-puncture method: slicing of Bona-Masso type, 1+log or harmonic, and the Gamma driver for the shift.

Alcubierre et al., arXiv:gr-qc/0206072; van Meter et al., arXiv:gr-qc/0605030. ADV_u is beta^k d_k u, times its switch, plus the
dissipation. Its parameters are those of section gauge. A system names the trace of the extrinsic curvature that drives the
lapse, K or Khat, and takes these steps in the order of its equations.
"""

from emit import Variable

VARIABLES = [
    Variable("alpha", text="lapse", infinity="1", falloff=1, speed="sqrt(2)", advection="advect_lapse",
             floor="alpha_floor", watched=True),
    Variable("beta_u", "i", text="shift", falloff=1, speed="1", advection="advect_shift"),
    Variable("B_u", "i", text="time derivative of the shift, up to its driver's factor", falloff=1, speed="1",
             advection="advect_B"),
]
ROLES = {"LAPSE": "alpha", "SHIFT": "beta_u"}
SCALARS = ("lambda_f0", "lambda_f1", "lapse_c0", "lapse_c1", "lapse_pull", "shift_on", "advect_Gt")


def stability(p):
    """Of alpha = 1 and beta = 0. Lapse: d_t alpha = -2 K (1+log) or -K (harmonic) and d_t K = -D alpha, so that omega^2 = 2 D or D,
    D = 3 k2 being the symbol of minus the Laplacian. The slow-start lapse makes z^2 + h_s z + omega^2 = 0 of it where W = 1; where
    W = 0, and later on, it is as it was. Shift: d_t^2 beta^i = (3/4) f (-D beta^i + (1/3) d_i d_k beta^k): the matrix -d_i d_k has
    k2 on its diagonal and k1^2 off it, and its largest eigenvalue is k2 + 2 k1^2."""
    p.scalars("lambda_f0", "lambda_f1", "lapse_c0", "lapse_c1", "lapse_pull", "shift_on")
    p.input("k1", "k2", "spacing")
    p.let("lapse", "(lapse_c0 + lapse_c1) * 3 * k2")
    p.let("pull", "1/2 * spacing * lapse_pull")
    p.let("rest", "lapse - pull * pull")
    p.mode("lapse")
    p.mode("max(rest, 0)", damping="pull + sqrt(max(-rest, 0))")
    p.let("driver", "3/4 * shift_on * (lambda_f0 + lambda_f1)")
    p.let("shift", "driver * (3 * k2 + 1/3 * (k2 + 2 * k1 * k1))")
    p.mode("shift")


def begin(p):
    """Keep the advection of Gt^i, whose derivatives are there early, for the equation of B^i."""
    p.values("beta_u")
    p.let("advGamt_u[i]", "beta_u[k] * dGamt_du[k,i]")
    p.park("advGamt_u")


def damping(p):
    """eta, once chi and its derivatives are there, which it may depend on."""
    p.input("eta")


def lapse(p, trace):
    """lapse_pull makes the slow-start lapse of arXiv:2404.01137."""
    p.stage("Equations of alpha and K: lapse_c0 + lapse_c1 alpha is 2 (1+log) or alpha (harmonic)")
    p.let("W", "where(lapse_pull > 0, sqrt(chi), 0)")
    p.store("alpha", f"ADV_alpha - alpha * {trace} * (lapse_c0 + lapse_c1 * alpha)"
                     " - lapse_pull * W * (alpha - W)")


def shift(p):
    """With Gdot_u, the right-hand side of Gt^i without its advection."""
    p.stage("Equations of beta^i and B^i")
    p.values("B_u")
    p.let("f", "3/4 * shift_on * (lambda_f0 + lambda_f1 * alpha)")
    p.store("beta_u[i]", "shift_on * ADV_beta_u[i] + f * B_u[i]")
    p.load(0, "B_u")
    p.unpark("advGamt_u")
    p.store("B_u[i]", "shift_on * (ADV_B_u[i] + Gdot_u[i] + (1 - advect_Gt) * advGamt_u[i]"
                      " - eta * B_u[i])")
