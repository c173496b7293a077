/* Newton's method, whose linear equations go to Krylov's. */
#include <math.h>

#include "base/memory.h"
#include "elliptic/krylov.h"

/* A Newton step that gains less, so many times in a row, gains nothing more. */
#define LEAST_GAIN 2.0
#define PATIENCE   3

/* Eisenstat and Walker's choice 2 with alpha = 2: no less than GAMMA (|r| / |r before|)^2, nor, their safeguard, GAMMA times the
 * last tolerance's square where that is above SAFEGUARD. A step that would end within NEAR of the goal goes all the way. */
#define LARGEST_GAIN 0.1
#define GAMMA        0.9
#define SAFEGUARD    0.1
#define NEAR         10.0

static void destroy(tx_krylov_solve *k) {
  for (int l = 0; l < k->e->n; l++) {
    tx_field_destroy(k->solution.at[l]);
    for (int i = 0; i <= TX_ELLIPTIC_VECTORS; i++) tx_field_destroy(k->basis[i].at[l]);
    for (int i = 0; i < TX_ELLIPTIC_VECTORS; i++) tx_field_destroy(k->direction[i].at[l]);
  }
  tx_free(k);
}

/* The tolerance of a Newton step from r: all of the way where the equation is linear. `before`: |r| before the step before; 0:
 * this is the first step. */
static double forcing(const tx_krylov_solve *k, double before) {
  const double goal = 0.5 * k->control->tolerance * k->history->scale / k->l2;
  const double ratio = k->l2 / before, safe = GAMMA * k->gain * k->gain;
  double gain = LARGEST_GAIN;
  if (k->e->equation.coefficients == 0) return goal;
  if (before > 0.0) gain = fmin(gain, fmax(GAMMA * ratio * ratio, safe > SAFEGUARD ? safe : 0.0));
  return gain > NEAR * goal ? gain : goal;
}

/* u goes to `solution` while the linear equation is solved, and comes back. */
static tx_status newton_step(tx_krylov_solve *k) {
  tx_elliptic *e = k->e;
  for (int l = 0; l < e->n; l++) tx_field_swap(e->level[l].u, k->solution.at[l]);
  const tx_status status = tx_krylov_gmres(k);
  for (int l = 0; l < e->n; l++) tx_field_swap(e->level[l].u, k->solution.at[l]);
  k->history->newton++;
  return status;
}

static tx_status newton(tx_krylov_solve *k) {
  double before = 0.0;
  for (int slow = 0;;) {
    tx_elliptic_linearise(k->e);
    tx_elliptic_residuals(k->e);
    const tx_elliptic_residual r = tx_elliptic_norm(k->e);
    tx_elliptic_record(k->e, k->history, k->iterations, r);
    TX_TRY(tx_agree(k->e->leaves->comm, k->e->status));
    if (tx_elliptic_done(k->control, k->history)) return TX_OK;
    k->l2 = r.l2;
    slow = before > 0.0 && k->l2 * LEAST_GAIN > before ? slow + 1 : 0;
    if (!isfinite(k->l2) || slow == PATIENCE || k->iterations == k->control->cycles)
      return tx_elliptic_fail(k->e, k->control, k->history);
    k->gain = forcing(k, before);
    before = k->l2;
    TX_TRY(newton_step(k));
  }
}

tx_status tx_elliptic_solve_krylov(tx_elliptic *e, const tx_elliptic_control *control,
                                   tx_elliptic_history *h) {
  tx_krylov_solve *k = NULL;
  TX_TRY(tx_agree(e->leaves->comm, tx_alloc(1, sizeof *k, "elliptic solver", &k)));
  k->e = e;
  k->control = control;
  k->history = h;
  tx_status status = tx_krylov_make(k, &k->solution);
  TX_THEN(status, newton(k));
  destroy(k);
  return status;
}
