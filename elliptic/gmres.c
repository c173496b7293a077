/* Flexible GMRES with a preconditioner on the right: Saad, Iterative Methods for Sparse Linear Systems, algorithm 9.6, with
 * modified Gram-Schmidt orthogonalisation, Givens rotations as in its section 6.5.3. */
#include <math.h>

#include "elliptic/krylov.h"

enum { MOST = TX_ELLIPTIC_VECTORS };

/* The least-squares problem: min |g - H y|, H being rotated to an upper triangle R column by column, stored [column][row]. */
typedef struct problem {
  double r[MOST][MOST + 1];
  double cosine[MOST], sine[MOST];
  double g[MOST + 1];
} problem;

/* Rotate column j, all rows of which are set, and g. Returns what is left of g. */
static double rotate(problem *p, int j) {
  double *h = p->r[j];
  for (int i = 0; i < j; i++) {
    const double above = h[i];
    h[i] = p->cosine[i] * above + p->sine[i] * h[i + 1];
    h[i + 1] = p->cosine[i] * h[i + 1] - p->sine[i] * above;
  }
  const double length = hypot(h[j], h[j + 1]);
  p->cosine[j] = length > 0.0 ? h[j] / length : 1.0;
  p->sine[j] = length > 0.0 ? h[j + 1] / length : 0.0;
  h[j] = length;
  p->g[j + 1] = -p->sine[j] * p->g[j];
  p->g[j] *= p->cosine[j];
  return fabs(p->g[j + 1]);
}

/* y of the first n columns, in place of g. A column of zeros, which the operator makes of nothing but 0, is left out. */
static void solve_triangle(problem *p, int n) {
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) p->g[i] -= p->r[j][i] * p->g[j];
    p->g[i] = p->r[i][i] != 0.0 ? p->g[i] / p->r[i][i] : 0.0;
  }
}

/* Column j: the next direction, and what the operator makes of it less its parts along the basis. Returns the length of what
 * remains, in the field v. */
static double arnoldi(tx_krylov_solve *k, int j, double *column) {
  tx_elliptic *e = k->e;
  tx_krylov_precondition(k, &k->basis[j]);
  const tx_elliptic_vector u = tx_krylov_u(e);
  tx_krylov_scale(e, 1.0, &u, &k->direction[j]);
  tx_krylov_apply(e);
  const tx_elliptic_vector v = tx_krylov_v(e);
  for (int i = 0; i <= j; i++) {
    column[i] = tx_krylov_dot(e, &v, &k->basis[i]);
    tx_krylov_add(e, -column[i], &k->basis[i], &v);
  }
  column[j + 1] = sqrt(tx_krylov_dot(e, &v, &v));
  return column[j + 1];
}

/* The operator is -(\Delta + q), whose directions are multiplied with -y. */
static tx_status iterate(tx_krylov_solve *k, problem *p) {
  tx_elliptic *e = k->e;
  tx_elliptic_vector v = tx_krylov_v(e);
  const double start = sqrt(tx_krylov_dot(e, &v, &v));
  double length = start;
  int n = 0;
  p->g[0] = start;
  TX_TRY(tx_krylov_make(k, &k->basis[0]));
  tx_krylov_scale(e, 1.0 / start, &v, &k->basis[0]);
  for (bool end = false; !end; n++) {
    TX_TRY(tx_krylov_make(k, &k->direction[n]));
    TX_TRY(tx_krylov_make(k, &k->basis[n + 1]));
    length = arnoldi(k, n, p->r[n]);
    TX_TRY(tx_agree(e->leaves->comm, e->status));
    v = tx_krylov_v(e);
    end =
        tx_krylov_step(k, rotate(p, n) / start) || n + 1 == k->control->vectors || !(length > 0.0);
    if (!end) tx_krylov_scale(e, 1.0 / length, &v, &k->basis[n + 1]);
  }
  solve_triangle(p, n);
  for (int i = 0; i < n; i++) tx_krylov_add(e, -p->g[i], &k->direction[i], &k->solution);
  return TX_OK;
}

tx_status tx_krylov_gmres(tx_krylov_solve *k) {
  problem p;
  return iterate(k, &p);
}
