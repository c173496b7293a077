"""The Z4c equations (arXiv:0912.2920, 1111.2177): the order of the steps that they share with BSSN (physics/codegen/conformal.py), and
what is Z4c's own. Khat = K - 2 Theta is evolved in place of K. `matter`: physics/codegen/matter.py."""

from functools import partial

import conformal
import gauge
from matter import VACUUM


def trace(p):
    p.values("Khat", "Theta")
    p.let("K", "Khat + 2 * Theta")


def gradient(p):
    p.load(1, "Khat")
    p.load(1, "Theta")
    p.let("dK_d[i]", "dKhat_d[i] + 2 * dTheta_d[i]")


def evolution(p, matter=VACUUM):
    p.scalars(*gauge.SCALARS, "kappa1", "kappa2")
    conformal.begin(p)
    p.unpark("Rt_dd")
    # The multiples of gt_ij that make the trace of S_ij, in the end, alpha R - D^i D_i alpha - 3/2 d^i chi d_i alpha.
    p.unpark("Gamd_u")
    p.again("gt_dd")
    p.let("dchi_u[i]", "gt_uu[i,j] * dchi_d[j]")
    p.let("more", "alpha * (1/2 * (gt_uu[i,j] * ddchi_dd[i,j] - Gamd_u[k] * dchi_d[k])"
                  " - 3/4 * over_chi * dchi_u[k] * dchi_d[k])")
    conformal.second_derivatives_of_lapse(p, " + more * gt_dd[i,j]")
    p.let("dchi_dalpha", "dalpha_u[k] * dchi_d[k]")
    conformal.laplacian_of_lapse(p, "dchi_dalpha")
    p.let("alpha_R", "gt_uu[i,j] * S_dd[i,j] + lap_alpha + 3/2 * dchi_dalpha")
    conformal.extrinsic_curvature(p, trace, matter)
    gauge.lapse(p, "Khat")
    p.load(1, "Khat")
    p.store("Khat", "ADV_Khat - lap_alpha + alpha * (AA + 1/3 * K * K) + alpha * kappa1 * (1 - kappa2) * Theta"
            + matter.term(" + 4 * pi * alpha * (rho + stress)"))
    p.load(1, "Theta")
    p.store("Theta", "ADV_Theta + 1/2 * alpha_R + alpha * (1/2 * (2/3 * K * K - AA) - kappa1 * (2 + kappa2) * Theta)"
            + matter.term(" - 8 * pi * alpha * rho"))
    conformal.metric(p)
    conformal.connection(p, "2/3 * alpha * (2 * dKhat_d[j] + dTheta_d[j])")
    p.values("Gamt_u")
    p.let("Gdot_u[i]+=", "2 * alpha * kappa1 * (Gamd_u[i] - Gamt_u[i])")
    p.store("Gamt_u[i]", "ADV_Gamt_u[i] + Gdot_u[i]")
    gauge.shift(p)
    conformal.tracefree(p)


def stability(p):
    """The gauge's modes, and those of Theta and of the shift's divergence: omega^2 = (4 D - s)/3, s the sum of k1^2 over the dimensions,
    as d_t Theta has 2 D (chi - 1) and d_k Gt^k, and d_t Gt^i -(2/3) d_i Theta. In the diagonal direction, with k^2 of k1 and L of
    the shift's symbol, amplitudes Theta and b (1, 1, 1) of the shift obey, but for what the lapse drives,
      d_t^2 Theta = -(4 D - 3 k^2)/3 Theta + (3/2) i k (4 D/3 - L) b,   d_t^2 b = (3/4) f (-L b - (2/3) i k Theta),
    and 4 D/3 - L = (2/3) (k2 - k^2), 0 but for the differences' errors."""
    gauge.stability(p)
    p.scalars("kappa1", "kappa2")
    p.let("of_Theta", "1/3 * (12 * k2 - 3 * k1 * k1)")
    p.let("mean", "1/2 * (of_Theta + shift)")
    p.let("coupling", "2/3 * driver * k1 * k1 * (k2 - k1 * k1)")
    p.let("half", "sqrt(max(1/4 * (of_Theta - shift) * (of_Theta - shift) + coupling, 0))")
    p.mode("max(mean - half, 0)")
    p.mode("mean + half")
    p.damps("kappa1 * (2 + max(kappa2, 0))", by="kappa1")


# Least difference from 1 of f = lambda_f0 + lambda_f1 alpha at alpha = 1. The longitudinal part of the shift has speed sqrt(f) there,
# Theta and Z^i have speed 1. Where the two agree the equations are not strongly hyperbolic, and at refinement boundaries noise grows
# by a factor of 2 in 1 M in a box of 1 M; f = 0.75 and 4/3 are stable (tests/science/test_stability.c), 0.85 and 1.15 are not.
SHIFT_APART = 0.25


def files(matter=VACUUM, name="Z4c equations"):
    """What is generated: function, title. `name`: of the equations with their matter."""
    return {
        "rhs": (partial(evolution, matter=matter), f"right-hand sides of the {name}"),
        "constraints": (partial(conformal.constraints, trace=trace, gradient=gradient, matter=matter), "constraints H, M^i, G^i"),
        "weyl": (partial(conformal.weyl, trace=trace, matter=matter), "electric and magnetic part of the Weyl tensor"),
    }
