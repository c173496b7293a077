"""The BSSN equations ([BS] ch. 11, [A] sec. 2.8, in physics/codegen/conformal.py): the order of the shared steps, and what is BSSN's
own. `matter`: physics/codegen/matter.py."""

from functools import partial

import conformal
import gauge
from matter import VACUUM


def trace(p):
    p.values("K")


def gradient(p):
    p.load(1, "K")


def evolution(p, matter=VACUUM):
    p.scalars(*gauge.SCALARS, "hamiltonian_damping")
    conformal.begin(p)
    # CAHD (arXiv:2404.01137): with H, of which the rest follows below
    p.more("chi", "hamiltonian_damping",
           "chi * (gt_uu[i,j] * (chi * Rt_dd[i,j] + 2 * ddchi_dd[i,j] - 5/2 * over_chi * dchi_d[i] * dchi_d[j])"
           " - 2 * Gamd_u[k] * dchi_d[k])", parked=("Rt_dd", "Gamd_u"))
    p.unpark("Rt_dd")
    conformal.second_derivatives_of_lapse(p)
    conformal.laplacian_of_lapse(p)
    conformal.extrinsic_curvature(p, trace, matter)
    gauge.lapse(p, "K")
    p.load(1, "K")
    p.store("K", "ADV_K - lap_alpha + alpha * (AA + 1/3 * K * K)" + matter.term(" + 4 * pi * alpha * (rho + stress)"))
    p.more("chi", "hamiltonian_damping", "chi * (2/3 * K * K - AA" + matter.term(" - 16 * pi * rho") + ")")
    conformal.metric(p)
    conformal.connection(p, "4/3 * alpha * dK_d[j]")
    p.store("Gamt_u[i]", "ADV_Gamt_u[i] + Gdot_u[i]")
    gauge.shift(p)
    conformal.tracefree(p)


def stability(p):
    """The gauge's modes, those of the metric, D, being slower. Hamiltonian constraint damping adds 4 C cfl h chi H to d_t chi, H being
    2 Laplacian chi and what does not depend on chi: chi's own mode, which did not move, decays at 8 C cfl D/h."""
    gauge.stability(p)
    p.scalars("hamiltonian_damping")
    p.mode("0", damping="hamiltonian_damping * 6 * k2 / spacing", by="hamiltonian_damping")


def files(matter=VACUUM, name="BSSN equations"):
    """What is generated: function, title. `name`: of the equations with their matter."""
    return {
        "rhs": (partial(evolution, matter=matter), f"right-hand sides of the {name}"),
        "constraints": (partial(conformal.constraints, trace=trace, gradient=gradient, matter=matter), "constraints H, M^i, G^i"),
        "weyl": (partial(conformal.weyl, trace=trace, matter=matter), "electric and magnetic part of the Weyl tensor"),
    }
