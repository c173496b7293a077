/* Conjugate gradients with a preconditioner: Saad, Iterative Methods for Sparse Linear Systems, algorithm 9.1, in Notay's
 * flexible form FCG(1), which makes a direction conjugate to the last one whatever the preconditioner. Full weighting is not
 * the transpose of the cycle's interpolation, so that a cycle is not quite symmetric. */
#include <math.h>

#include "elliptic/krylov.h"

/* Residual, direction, and what the operator makes of the direction. */
enum { R, P, W, VECTORS };

/* p = z + beta p with z of the preconditioner, and w = B p. Returns z's product with the residual -r of B d = -r. */
static double turn(tx_krylov_solve *k, double length) {
  tx_elliptic *e = k->e;
  const tx_elliptic_vector *r = &k->basis[R], *p = &k->basis[P], *w = &k->basis[W];
  tx_krylov_precondition(k, r);
  const tx_elliptic_vector z = tx_krylov_u(e);
  const double product = -tx_krylov_dot(e, &z, r);
  if (length > 0.0)
    tx_krylov_add(e, 1.0, &z, -tx_krylov_dot(e, &z, w) / length, p);
  else
    tx_krylov_scale(e, 1.0, &z, p);
  const tx_elliptic_vector u = tx_krylov_u(e);
  tx_krylov_scale(e, 1.0, p, &u);
  tx_krylov_apply(e);
  const tx_elliptic_vector v = tx_krylov_v(e);
  tx_krylov_scale(e, 1.0, &v, w);
  return product;
}

/* With B = -(\Delta + q), which is positive, B d = -r; what is left of it is -r too, in r. */
static tx_status iterate(tx_krylov_solve *k) {
  tx_elliptic *e = k->e;
  const tx_elliptic_vector *r = &k->basis[R], *p = &k->basis[P], *w = &k->basis[W];
  const tx_elliptic_vector start = tx_krylov_v(e);
  const double first = sqrt(tx_krylov_dot(e, &start, &start));
  double length = 0.0; /* of p, \int p B p dV */
  tx_krylov_scale(e, 1.0, &start, r);
  for (;;) {
    const double product = turn(k, length);
    length = tx_krylov_dot(e, p, w);
    TX_TRY(tx_agree(e->leaves->comm, e->status));
    TX_REQUIRE(
        length > 0.0, TX_ERR_NUMERICS,
        "conjugate gradients: \\int p B p dV = %g after %d iterations, where B = -(\\Delta + "
        "q) must be positive; q = dS/du must nowhere be above 0, and values must be finite",
        length, k->iterations);
    const double alpha = product / length;
    tx_krylov_add(e, alpha, p, 1.0, &k->solution);
    tx_krylov_add(e, alpha, w, 1.0, r);
    if (tx_krylov_step(k, sqrt(tx_krylov_dot(e, r, r)) / first)) return TX_OK;
  }
}

tx_status tx_krylov_conjugate(tx_krylov_solve *k) {
  for (int i = 0; i < VECTORS; i++) TX_TRY(tx_krylov_make(k, &k->basis[i]));
  return iterate(k);
}
