"""Matter as a source of the equations of conformal.py, G = c = 1.

With the normal n of the slice, S_ij and S_i being projections of the energy-momentum tensor T_ab,
    rho = n^a n^b T_ab,  S_i = -gamma_i^a n^b T_ab,  S_ij = gamma_i^a gamma_j^b T_ab,  S = gamma^ij S_ij.
They add to the equations of a vacuum ([BS] ch. 2 and 11, in conformal variables)
    d_t K    += 4 pi alpha (rho + S)          H   -= 16 pi rho
    d_t At_ij -= 8 pi alpha chi S_ij^TF       M^i -= 8 pi gt^ij S_j
    d_t Gt^i -= 16 pi alpha gt^ij S_j         E_ij -= 4 pi S_ij^TF
and to that of Theta of Z4c -8 pi alpha rho.
"""

from refuse import place, refuse


class Vacuum:
    """No matter: equations as they are."""

    def begin(self, p):
        """The matter's part of a file, where gt_ij, gt^ij, chi and their derivatives are there."""

    def term(self, text):
        """A term of an equation that its sources make."""
        return ""

    def add(self, p, lhs, term):
        """Add such a term to a tensor that is there."""


class Matter(Vacuum):
    """`stress(p)` makes stress_dd, S_ij up to multiples of gamma_ij, of which tracefree parts alone count; it has no parameters, as
    the Weyl tensor has none. `sources(p)` makes rho, mom_d, which is S_i, and stress, the trace S of the whole S_ij.
    `equations(p)` stores the right-hand sides of its variables; alpha, K, Gamd_u (gt^jk Gt^i_jk) and derivatives of alpha and
    chi are there too. `loads`: order of the derivatives of each variable that equations take; the sources take one less, or values alone. Where it
    is 0, equations() loads the variable, late, so that no slot is needed for what waits for it."""

    def __init__(self, loads, stress, sources, equations):
        self.where = place()
        self.loads, self.stress, self.sources, self.equations = loads, stress, sources, equations

    def begin(self, p):
        p.stage("Matter: its variables, S_ij up to multiples of gamma_ij")
        p.again("gt_dd")
        for name, order in self.loads.items():
            p.values(name)
            if p.file != "rhs":
                p.load(max(order - 1, 0), name)
            elif order > 0:
                p.load(order, name)
        self.stress(p)
        if p.file != "weyl":
            p.stage("Matter: energy density rho, momentum density S_i, trace of the stress S")
            self.sources(p)
        if p.file == "rhs":
            p.stage("Matter: its equations")
            p.unpark("Gamd_u")
            self.equations(p)
            p.park("Gamd_u")
        for name in ("stress_dd", *(() if p.file == "weyl" else ("rho", "mom_d", "stress"))):
            if name not in p.made:
                refuse(f"the matter makes no {name}; expected a let() of it in stress() or sources()", self.where)

    def term(self, text):
        return text

    def add(self, p, lhs, term):
        p.let(f"{lhs}+=", term)


VACUUM = Vacuum()
