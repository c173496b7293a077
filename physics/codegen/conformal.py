"""Steps of evolution equations, constraints and Weyl tensor in conformal variables, which BSSN and Z4c share.

[BS] Baumgarte & Shapiro, Numerical Relativity (2010). [A] Alcubierre, Introduction to 3+1 Numerical Relativity (2008).
Conformal metric gt_ij = chi gamma_ij, chi = det(gamma)^(-1/3), At_ij = chi K_ij - gt_ij K/3. The order of the statements is
that of evaluation: it keeps few values alive, and second derivatives are used where they are loaded. A system calls the steps in
the order in which they stand here, with its own between them. `trace(p)`, of the system, brings in K. `matter`: matter.py.
"""

import gauge
from emit import Result, Variable
from geometry import conformal_ricci, raise_At, ricci
from matter import VACUUM

SYM = [(0, 1)]
METRIC = [
    Variable("chi", text="conformal factor det(gamma)^(-1/3)", infinity="1", falloff=1, speed="sqrt(2)",
             floor="chi_floor", watched=True),
    Variable("gt_dd", "ij", SYM, text="conformal metric", infinity="delta[i,j]", falloff=1, speed="1"),
]
RESULTS = [Result("H"), Result("M_u", "i"), Result("G_u", "i"), Result("E_dd", "ij", SYM),
           Result("B_dd", "ij", SYM)]


# Right-hand sides ([BS] ch. 11, [A] sec. 2.8, with chi for phi).

def begin(p):
    """Conformal Ricci tensor; then chi."""
    conformal_ricci(p)
    p.park("Rt_dd")
    gauge.begin(p)
    p.shared("conformal_ricci")

    # D_i D_j alpha has Gamma^k_ij = Gt^k_ij
    #   - (delta^k_i d_j chi + delta^k_j d_i chi - gt_ij gt^kl d_l chi) / (2 chi);
    # what is proportional to gt_ij drops out of the tracefree part of S_ij.
    p.stage("S_ij = chi (-D_i D_j alpha + alpha R_ij) up to multiples of gt_ij; D^i D_i alpha")
    p.values("chi", "alpha")
    p.load(2, "chi")
    gauge.damping(p)
    p.let("over_chi", "1 / chi")


def second_derivatives_of_lapse(p, multiple=""):
    """S_ij. `multiple`: a term in proportion to gt_ij, which only its trace needs."""
    p.let("S_dd[i,j]", "alpha * (chi * Rt_dd[i,j] + 1/2 * ddchi_dd[i,j])" + multiple, sym="ij")
    p.park("S_dd")
    p.load(2, "alpha")
    p.let("q_d[k]", "chi * dalpha_d[k] - 1/2 * alpha * dchi_d[k]")
    p.let("w_d[k]", "dalpha_d[k] + 1/4 * alpha * over_chi * dchi_d[k]")
    p.unpark("S_dd")
    p.let("S_dd[i,j]+=", "Gamt_udd[k,i,j] * q_d[k] - chi * ddalpha_dd[i,j]"
                         " - 1/2 * (dchi_d[i] * w_d[j] + dchi_d[j] * w_d[i])")
    p.park("S_dd")
    p.unpark("Gamd_u")
    p.let("dalpha_u[i]", "gt_uu[i,j] * dalpha_d[j]")


def laplacian_of_lapse(p, product="dalpha_u[k] * dchi_d[k]"):
    """`product`: of the gradients of alpha and chi."""
    p.let("lap_alpha", "chi * (gt_uu[i,j] * ddalpha_dd[i,j] - Gamd_u[k] * dalpha_d[k])"
                       f" - 1/2 * {product}")


def extrinsic_curvature(p, trace, matter=VACUUM):
    """And all else in the tracefree part of S_ij, and in Gdot_u, the right-hand side of Gt^i without its advection."""
    p.park("Gamd_u")
    p.stage("Extrinsic curvature with raised indices; its terms in the equations of Gt^i and At_ij")
    p.values("At_dd")
    trace(p)
    raise_At(p)
    p.let("AA", "At_uu[i,j] * At_dd[i,j]")
    p.let("GamtAt_u[i]", "Gamt_udd[i,j,k] * At_uu[j,k]")
    p.let("v_d[j]", "dalpha_d[j] + 3/2 * alpha * over_chi * dchi_d[j]")
    p.let("Gdot_u[i]", "2 * (alpha * GamtAt_u[i] - At_uu[i,j] * v_d[j])")
    matter.begin(p)
    matter.add(p, "Gdot_u[i]", "-16 * pi * alpha * gt_uu[i,j] * mom_d[j]")
    p.unpark("S_dd")
    p.again("gt_dd")
    matter.add(p, "S_dd[i,j]", "-8 * pi * alpha * chi * stress_dd[i,j]")
    p.let("third_trace", "1/3 * gt_uu[i,j] * S_dd[i,j]")
    p.let("S_dd[i,j]+=", "alpha * (K * At_dd[i,j] - 2 * At_dd[i,k] * At_ud[k,j])"
                         " - gt_dd[i,j] * third_trace")
    p.park("S_dd")


def metric(p):
    """The equations of chi and gt_ij."""
    p.stage("Derivatives of the shift")
    p.let_later("lap_beta_u[i]")
    p.let_later("ddiv_d[j]")
    p.load(2, "beta_u", then=[("lap_beta_u[i]+=", "gt_uu[j,k] * ddbeta_ddu[j,k,i]"),
                              ("ddiv_d[j]+=", "ddbeta_ddu[j,i,i]")])
    p.let("third_div", "1/3 * dbeta_du[k,k]")
    p.let("b_du[j,k]", "dbeta_du[j,k] - delta[j,k] * third_div")

    p.stage("Equations of chi, gt_ij, Gt^i")
    p.again("gt_dd", "At_dd")
    p.store("chi", "ADV_chi + 2 * chi * (1/3 * alpha * K - third_div)")
    p.let("gtb_dd[i,j]", "gt_dd[i,k] * b_du[j,k]")
    p.store("gt_dd[i,j]", "ADV_gt_dd[i,j] + gtb_dd[i,j] + gtb_dd[j,i] - 2 * alpha * At_dd[i,j]")
    p.unpark("Gamd_u")


def connection(p, gradient):
    """The terms of the equation of Gt^i that systems share. `gradient`: 4/3 alpha times that of K, with index j."""
    p.let("z_d[j]", f"1/3 * ddiv_d[j] - {gradient}")
    p.let("Gdot_u[i]+=", "lap_beta_u[i] + gt_uu[i,j] * z_d[j]"
                         " - Gamd_u[j] * b_du[j,i] + third_div * Gamd_u[i]")


def tracefree(p):
    """The equation of At_ij."""
    p.stage("Equation of At_ij")
    p.again("At_dd")
    p.load(0, "At_dd")
    p.unpark("S_dd")
    p.let("Atb_dd[i,j]", "At_dd[i,k] * b_du[j,k]")
    p.store("At_dd[i,j]", "ADV_At_dd[i,j] + Atb_dd[i,j] + Atb_dd[j,i] + S_dd[i,j]")


# Diagnostics.

def constraints(p, trace, gradient, matter=VACUUM):
    """H, M^i ([BS] 11.48, divided by exp(6 phi)) and G^i. `gradient(p)`, of the system, brings in dK_d."""
    ricci(p)
    p.shared("ricci")
    trace(p)
    p.values("Gamt_u")
    gradient(p)
    p.values("At_dd")
    p.load(1, "At_dd")
    matter.begin(p)
    p.stage("Hamiltonian constraint")
    raise_At(p)
    p.store("H", "chi * gt_uu[i,j] * R_dd[i,j] + 2/3 * K * K - At_uu[i,j] * At_dd[i,j]" + matter.term(" - 16 * pi * rho"))
    p.stage("Momentum constraint, [BS] 11.48 divided by exp(6 phi)")
    p.let("DAt_ddd[k,i,j]", "dAt_ddd[k,i,j] - Gamt_udd[m,k,i] * At_dd[m,j]"
                            " - Gamt_udd[m,k,j] * At_dd[i,m]", sym="ij")
    p.let("div_d[i]", "gt_uu[j,k] * DAt_ddd[k,i,j] - 2/3 * dK_d[i]" + matter.term(" - 8 * pi * mom_d[i]"))
    p.store("M_u[i]", "gt_uu[i,j] * div_d[j] - 3/2 * over_chi * At_uu[i,j] * dchi_d[j]")
    p.stage("Connection constraint")
    p.store("G_u[i]", "Gamt_u[i] - Gamd_u[i]")


def weyl(p, trace, matter=VACUUM):
    """E_ij = R_ij + K K_ij - K_ik K^k_j and B_ij = eps_(i^kl D_k K_l|j) of the physical metric
    ([A] ch. 8, arXiv:gr-qc/0104063)."""
    ricci(p)
    p.shared("ricci")
    trace(p)
    p.values("At_dd")
    p.load(1, "At_dd")
    matter.begin(p)
    p.stage("Electric part: R_ij + K K_ij - K_ik K^k_j")
    p.let("At_ud[i,j]", "gt_uu[i,k] * At_dd[k,j]")
    p.store("E_dd[i,j]", "R_dd[i,j] + over_chi * (1/3 * K * At_dd[i,j] + 2/9 * K * K * gt_dd[i,j]"
                         " - At_dd[i,k] * At_ud[k,j])" + matter.term(" - 4 * pi * stress_dd[i,j]"))
    # Left out: what is symmetric in k and l, and what gives an antisymmetric part.
    p.stage("Magnetic part: eps_(i^kl D_k K_l|j), with X_klj = chi D_k K_lj up to what drops out")
    p.let("a_d[l]", "1/2 * over_chi * At_dd[l,m] * dchi_u[m]")
    p.let("X_ddd[k,l,j]", "dAt_ddd[k,l,j] - Gamt_udd[m,k,j] * At_dd[l,m]"
                          " - 1/2 * over_chi * dchi_d[k] * At_dd[l,j] - gt_dd[k,j] * a_d[l]")
    p.let("curl_ud[m,j]", "eps[m,k,l] * X_ddd[k,l,j]")
    p.let("scale", "1/2 * sqrt(over_chi * over_det)")
    p.store("B_dd[i,j]", "scale * (gt_dd[i,m] * curl_ud[m,j] + gt_dd[j,m] * curl_ud[m,i])")
