"""The geometry of a slice in conformal variables, for systems that evolve these: gt_ij = chi gamma_ij, At_ij, Gt^i.

[BS] Baumgarte & Shapiro, Numerical Relativity (2010). [A] Alcubierre, Introduction to 3+1 Numerical Relativity (2008).
gt^ij is the inverse of gt_ij whatever its determinant.
"""


def inverse_metric(p):
    p.stage("Inverse of the conformal metric, by cofactors")
    p.values("gt_dd")
    p.let("cof_uu[i,j]", "1/2 * eps[i,k,l] * eps[j,m,n] * gt_dd[k,m] * gt_dd[l,n]", sym="ij")
    p.let("det", "gt_dd[0,i] * cof_uu[0,i]")
    p.let("over_det", "1 / det")
    p.let("gt_uu[i,j]", "over_det * cof_uu[i,j]", sym="ij")


def connection(p):
    p.stage("Conformal connection, first and second kind, and Gd^i = gt^jk Gt^i_jk")
    p.let("Gamt_ddd[k,i,j]", "1/2 * (dgt_ddd[i,k,j] + dgt_ddd[j,k,i] - dgt_ddd[k,i,j])", sym="ij")
    p.let("Gamt_udd[k,i,j]", "gt_uu[k,l] * Gamt_ddd[l,i,j]", sym="ij")
    p.let("Gamd_u[k]", "gt_uu[i,j] * Gamt_udd[k,i,j]")


def conformal_ricci(p):
    """Rt_ij of gt_ij ([BS] ch. 11, [A] sec. 2.8). The evolved Gt^i enters through its derivatives
    only; elsewhere stands Gd^i (Alcubierre et al. 2000). Leaves gt^ij and the connection behind."""
    inverse_metric(p)
    p.stage("Derivatives of the metric; principal part of its Ricci tensor")
    p.let_later("Rt_dd[i,j]", sym="ij")
    p.load(2, "gt_dd", then=[("Rt_dd[i,j]+=", "-1/2 * gt_uu[l,m] * ddgt_dddd[l,m,i,j]")])
    p.park("Rt_dd")
    connection(p)
    p.unpark("Rt_dd")
    p.stage("Ricci tensor: 1/2 Gd^k (Gt_ijk + Gt_jik), where the bracket is d_k gt_ij")
    p.let("Rt_dd[i,j]+=", "1/2 * Gamd_u[k] * (Gamt_ddd[i,j,k] + Gamt_ddd[j,i,k])")
    p.park("Gamd_u")
    p.park("Gamt_ddd", first=(1, 2))
    p.stage("Ricci tensor: gt^lm (Gt^k_li Gt_jkm + Gt^k_lj Gt_ikm + Gt^k_im Gt_klj)")
    for n in range(3):
        u, a = f"U{n}_du", f"A{n}_d"
        if n > 0:
            p.unpark("Gamt_ddd", first=(n,))
        p.let(f"{u}[k,l]", f"gt_uu[l,m] * Gamt_ddd[{n},k,m]")
        p.let(f"{a}[i]", f"Gamt_udd[k,l,i] * {u}[k,l]")
        p.let("Rt_dd[i,j]+=", f"delta[{n},i] * {a}[j] + delta[{n},j] * {a}[i]"
                              f" + Gamt_udd[{n},i,m] * {u}[j,m]")
    p.park("Rt_dd")
    p.stage("Ricci tensor: gt_k(i d_j) Gt^k")
    p.load(1, "Gamt_u")
    p.again("gt_dd")
    p.unpark("Rt_dd")
    p.let("Rt_dd[i,j]+=", "1/2 * (gt_dd[k,i] * dGamt_du[j,k] + gt_dd[k,j] * dGamt_du[i,k])")


def ricci(p):
    """R_ij = Rt_ij + Rchi_ij of the physical metric ([BS] ch. 3 and 11, exp(-4 phi) = chi):
    Rchi_ij = (Dt_i Dt_j chi + gt_ij gt^lm Dt_l Dt_m chi) / (2 chi)
              - (d_i chi d_j chi + 3 gt_ij gt^lm d_l chi d_m chi) / (4 chi^2)."""
    conformal_ricci(p)
    p.stage("Ricci tensor of the physical metric: the part of chi")
    p.values("chi")
    p.load(2, "chi")
    p.let("over_chi", "1 / chi")
    p.let("DDchi_dd[i,j]", "ddchi_dd[i,j] - Gamt_udd[k,i,j] * dchi_d[k]", sym="ij")
    p.let("dchi_u[i]", "gt_uu[i,j] * dchi_d[j]")
    p.let("trace", "1/2 * over_chi * (gt_uu[i,j] * DDchi_dd[i,j]"
                   " - 3/2 * over_chi * dchi_u[i] * dchi_d[i])")
    p.let("R_dd[i,j]", "Rt_dd[i,j] + gt_dd[i,j] * trace + 1/2 * over_chi"
                       " * (DDchi_dd[i,j] - 1/2 * over_chi * dchi_d[i] * dchi_d[j])", sym="ij")


def raise_At(p):
    p.let("At_ud[i,j]", "gt_uu[i,k] * At_dd[k,j]")
    p.let("At_uu[i,j]", "At_ud[i,k] * gt_uu[k,j]", sym="ij")
