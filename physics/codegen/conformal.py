"""Evolution equations, constraints and Weyl tensor in conformal variables, for BSSN and for Z4c.

[BS] Baumgarte & Shapiro, Numerical Relativity (2010). [A] Alcubierre, Introduction to 3+1 Numerical Relativity (2008).
Conformal metric gt_ij = chi gamma_ij, chi = det(gamma)^(-1/3), At_ij = chi K_ij - gt_ij K/3. The order of the statements is
that of evaluation: it keeps few values alive, and second derivatives are used where they are loaded.
"""

from geometry import conformal_ricci, raise_At, ricci


def evolution(p, z4c):
    """Right-hand sides of BSSN ([BS] ch. 11, [A] sec. 2.8, with chi for phi) or of Z4c (arXiv:1111.2177), and the gauge.
    ADV_u is beta^k d_k u, times its switch, plus the dissipation. lapse_pull makes the slow-start lapse of
    arXiv:2404.01137. Z4c evolves Khat = K - 2 Theta in place of K."""
    trace = "Khat" if z4c else "K"
    p.scalars("lambda_f0", "lambda_f1", "lapse_c0", "lapse_c1", "lapse_pull", "shift_on",
              "advect_Gt", *(["kappa1", "kappa2"] if z4c else ["hamiltonian_damping"]))
    conformal_ricci(p)
    p.park("Rt_dd")
    p.values("beta_u")
    p.let("advGamt_u[i]", "beta_u[k] * dGamt_du[k,i]")
    p.park("advGamt_u")
    p.shared("conformal_ricci")

    # D_i D_j alpha has Gamma^k_ij = Gt^k_ij
    #   - (delta^k_i d_j chi + delta^k_j d_i chi - gt_ij gt^kl d_l chi) / (2 chi);
    # what is proportional to gt_ij drops out of the tracefree part of S_ij.
    p.stage("S_ij = chi (-D_i D_j alpha + alpha R_ij) up to multiples of gt_ij; D^i D_i alpha")
    p.values("chi", "alpha")
    p.load(2, "chi")
    p.input("eta")
    p.let("over_chi", "1 / chi")
    if not z4c:  # CAHD (arXiv:2404.01137): with H, of which the rest follows below
        p.more("chi", "hamiltonian_damping",
               "chi * (gt_uu[i,j] * (chi * Rt_dd[i,j] + 2 * ddchi_dd[i,j] - 5/2 * over_chi * dchi_d[i] * dchi_d[j])"
               " - 2 * Gamd_u[k] * dchi_d[k])", parked=("Rt_dd", "Gamd_u"))
    p.unpark("Rt_dd")
    if z4c:  # with the multiples of gt_ij that make its trace, in the end, alpha R - D^i D_i alpha - 3/2 d^i chi d_i alpha
        p.unpark("Gamd_u")
        p.again("gt_dd")
        p.let("dchi_u[i]", "gt_uu[i,j] * dchi_d[j]")
        p.let("more", "alpha * (1/2 * (gt_uu[i,j] * ddchi_dd[i,j] - Gamd_u[k] * dchi_d[k])"
                      " - 3/4 * over_chi * dchi_u[k] * dchi_d[k])")
    p.let("S_dd[i,j]", "alpha * (chi * Rt_dd[i,j] + 1/2 * ddchi_dd[i,j])" + (" + more * gt_dd[i,j]" if z4c else ""), sym="ij")
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
    if z4c:
        p.let("dchi_dalpha", "dalpha_u[k] * dchi_d[k]")
    p.let("lap_alpha", "chi * (gt_uu[i,j] * ddalpha_dd[i,j] - Gamd_u[k] * dalpha_d[k])"
                       " - 1/2 * " + ("dchi_dalpha" if z4c else "dalpha_u[k] * dchi_d[k]"))
    if z4c:
        p.let("alpha_R", "gt_uu[i,j] * S_dd[i,j] + lap_alpha + 3/2 * dchi_dalpha")
    p.park("Gamd_u")

    p.stage("Extrinsic curvature with raised indices; its terms in the equations of Gt^i and At_ij")
    p.values("At_dd", trace)
    if z4c:
        p.values("Theta")
        p.let("K", "Khat + 2 * Theta")
    raise_At(p)
    p.let("AA", "At_uu[i,j] * At_dd[i,j]")
    p.let("GamtAt_u[i]", "Gamt_udd[i,j,k] * At_uu[j,k]")
    p.let("v_d[j]", "dalpha_d[j] + 3/2 * alpha * over_chi * dchi_d[j]")
    p.let("Gdot_u[i]", "2 * (alpha * GamtAt_u[i] - At_uu[i,j] * v_d[j])")
    p.unpark("S_dd")
    p.again("gt_dd")
    p.let("third_trace", "1/3 * gt_uu[i,j] * S_dd[i,j]")
    p.let("S_dd[i,j]+=", "alpha * (K * At_dd[i,j] - 2 * At_dd[i,k] * At_ud[k,j])"
                         " - gt_dd[i,j] * third_trace")
    p.park("S_dd")

    p.stage("Equations of alpha and K: lapse_c0 + lapse_c1 alpha is 2 (1+log) or alpha (harmonic)")
    p.let("W", "where(lapse_pull > 0, sqrt(chi), 0)")
    p.store("alpha", f"ADV_alpha - alpha * {trace} * (lapse_c0 + lapse_c1 * alpha)"
                     " - lapse_pull * W * (alpha - W)")
    p.load(1, trace)
    p.store(trace, f"ADV_{trace} - lap_alpha + alpha * (AA + 1/3 * K * K)"
                   + (" + alpha * kappa1 * (1 - kappa2) * Theta" if z4c else ""))
    if not z4c:
        p.more("chi", "hamiltonian_damping", "chi * (2/3 * K * K - AA)")
    if z4c:
        p.load(1, "Theta")
        p.store("Theta", "ADV_Theta + 1/2 * alpha_R + alpha * (1/2 * (2/3 * K * K - AA) - kappa1 * (2 + kappa2) * Theta)")

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
    p.let("z_d[j]", "1/3 * ddiv_d[j] - "
                    + ("2/3 * alpha * (2 * dKhat_d[j] + dTheta_d[j])" if z4c else "4/3 * alpha * dK_d[j]"))
    p.let("Gdot_u[i]+=", "lap_beta_u[i] + gt_uu[i,j] * z_d[j]"
                         " - Gamd_u[j] * b_du[j,i] + third_div * Gamd_u[i]")
    if z4c:
        p.values("Gamt_u")
        p.let("Gdot_u[i]+=", "2 * alpha * kappa1 * (Gamd_u[i] - Gamt_u[i])")
    p.store("Gamt_u[i]", "ADV_Gamt_u[i] + Gdot_u[i]")

    p.stage("Equations of beta^i and B^i")
    p.values("B_u")
    p.let("f", "3/4 * shift_on * (lambda_f0 + lambda_f1 * alpha)")
    p.store("beta_u[i]", "shift_on * ADV_beta_u[i] + f * B_u[i]")
    p.load(0, "B_u")
    p.unpark("advGamt_u")
    p.store("B_u[i]", "shift_on * (ADV_B_u[i] + Gdot_u[i] + (1 - advect_Gt) * advGamt_u[i]"
                      " - eta * B_u[i])")

    p.stage("Equation of At_ij")
    p.again("At_dd")
    p.load(0, "At_dd")
    p.unpark("S_dd")
    p.let("Atb_dd[i,j]", "At_dd[i,k] * b_du[j,k]")
    p.store("At_dd[i,j]", "ADV_At_dd[i,j] + Atb_dd[i,j] + Atb_dd[j,i] + S_dd[i,j]")


def trace_of_curvature(p, z4c):
    p.values("Khat" if z4c else "K", *(["Theta"] if z4c else []))
    if z4c:
        p.let("K", "Khat + 2 * Theta")


def constraints(p, z4c):
    """H, M^i ([BS] 11.48, divided by exp(6 phi)) and G^i."""
    ricci(p)
    p.shared("ricci")
    trace_of_curvature(p, z4c)
    p.values("Gamt_u")
    if z4c:
        p.load(1, "Khat")
        p.load(1, "Theta")
        p.let("dK_d[i]", "dKhat_d[i] + 2 * dTheta_d[i]")
    else:
        p.load(1, "K")
    p.values("At_dd")
    p.load(1, "At_dd")
    p.stage("Hamiltonian constraint")
    raise_At(p)
    p.store("H", "chi * gt_uu[i,j] * R_dd[i,j] + 2/3 * K * K - At_uu[i,j] * At_dd[i,j]")
    p.stage("Momentum constraint, [BS] 11.48 divided by exp(6 phi)")
    p.let("DAt_ddd[k,i,j]", "dAt_ddd[k,i,j] - Gamt_udd[m,k,i] * At_dd[m,j]"
                            " - Gamt_udd[m,k,j] * At_dd[i,m]", sym="ij")
    p.let("div_d[i]", "gt_uu[j,k] * DAt_ddd[k,i,j] - 2/3 * dK_d[i]")
    p.store("M_u[i]", "gt_uu[i,j] * div_d[j] - 3/2 * over_chi * At_uu[i,j] * dchi_d[j]")
    p.stage("Connection constraint")
    p.store("G_u[i]", "Gamt_u[i] - Gamd_u[i]")


def weyl(p, z4c):
    """E_ij = R_ij + K K_ij - K_ik K^k_j and B_ij = eps_(i^kl D_k K_l|j) of the physical metric
    ([A] ch. 8, arXiv:gr-qc/0104063)."""
    ricci(p)
    p.shared("ricci")
    trace_of_curvature(p, z4c)
    p.values("At_dd")
    p.load(1, "At_dd")
    p.stage("Electric part: R_ij + K K_ij - K_ik K^k_j")
    p.let("At_ud[i,j]", "gt_uu[i,k] * At_dd[k,j]")
    p.store("E_dd[i,j]", "R_dd[i,j] + over_chi * (1/3 * K * At_dd[i,j] + 2/9 * K * K * gt_dd[i,j]"
                         " - At_dd[i,k] * At_ud[k,j])")
    # Left out: what is symmetric in k and l, and what gives an antisymmetric part.
    p.stage("Magnetic part: eps_(i^kl D_k K_l|j), with X_klj = chi D_k K_lj up to what drops out")
    p.let("a_d[l]", "1/2 * over_chi * At_dd[l,m] * dchi_u[m]")
    p.let("X_ddd[k,l,j]", "dAt_ddd[k,l,j] - Gamt_udd[m,k,j] * At_dd[l,m]"
                          " - 1/2 * over_chi * dchi_d[k] * At_dd[l,j] - gt_dd[k,j] * a_d[l]")
    p.let("curl_ud[m,j]", "eps[m,k,l] * X_ddd[k,l,j]")
    p.let("scale", "1/2 * sqrt(over_chi * over_det)")
    p.store("B_dd[i,j]", "scale * (gt_dd[i,m] * curl_ud[m,j] + gt_dd[j,m] * curl_ud[m,i])")
