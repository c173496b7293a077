/* The methods of a solve, and that of multigrid cycles. */
#include <math.h>

#include "base/timer.h"
#include "elliptic/solver.h"

/* A residual that falls by less in so many cycles in a row falls no more. */
#define LEAST_GAIN 2.0
#define PATIENCE   3

tx_elliptic_control tx_elliptic_control_default(void) {
  return (tx_elliptic_control){.method = TX_ELLIPTIC_MULTIGRID,
                               .tolerance = 1e-10,
                               .cycles = 40,
                               .before = 4,
                               .after = 4,
                               .coarsest = 48,
                               .vectors = TX_ELLIPTIC_VECTORS,
                               .steps = 20000,
                               .courant = 0.45,
                               .damping = 0.8,
                               .dissipation = 0.6};
}

/* The residual's norm for u = 0, to which the tolerance is relative. */
static double norm_of_zero(tx_elliptic *e) {
  for (int l = 0; l < e->n; l++) {
    const tx_elliptic_level *at = &e->level[l];
    const tx_set *all = tx_exec_all(at->x);
    tx_pointwise_call call = {.function = e->equation.source};
    const tx_combination rest = {2, {at->given, at->v}, {1.0, -1.0}};
    TX_KEEP(e->status, tx_exec_fill(at->x, all, 0.0, at->p));
    TX_KEEP(e->status, tx_exec_fill(at->x, all, 0.0, at->v));
    for (int i = 0; i < e->equation.coefficients; i++) call.in[i] = at->c[i];
    call.in[e->equation.coefficients] = at->p;
    if (e->equation.coefficients > 0) tx_elliptic_pointwise(e, l, &call, at->v);
    TX_KEEP(e->status, tx_exec_combine(at->x, all, &rest, at->v));
    tx_elliptic_blank(e, l);
  }
  return tx_elliptic_norm(e).l2;
}

/* Whether the last cycles gained too little, or nothing that is a number. */
static bool stuck(const tx_elliptic_history *h) {
  int slow = 0;
  if (!isfinite(h->residual[h->cycles].l2)) return true;
  for (int i = h->cycles; i > 0 && h->residual[i].l2 * LEAST_GAIN > h->residual[i - 1].l2; i--)
    slow++;
  return slow >= PATIENCE;
}

/* From u, with its residual, of this size, in v. */
static void cycle(tx_elliptic *e, const tx_elliptic_control *control, double size) {
  if (control->precision == TX_PRECISION_DOUBLE) {
    tx_elliptic_cycle(e, control);
    return;
  }
  tx_field *v[TX_LEVELS];
  for (int l = 0; l < e->n; l++) v[l] = e->level[l].v;
  tx_elliptic_correct(e, control, v, size);
}

static tx_status solve_multigrid(tx_elliptic *e, const tx_elliptic_control *control,
                                 tx_elliptic_history *h) {
  for (int n = 0;; n++) {
    tx_elliptic_linearise(e);
    tx_elliptic_residuals(e);
    tx_elliptic_record(e, h, n, tx_elliptic_norm(e));
    TX_TRY(tx_agree(e->leaves->comm, e->status));
    if (tx_elliptic_done(control, h)) return TX_OK;
    if (n == control->cycles || stuck(h)) return tx_elliptic_fail(e, control, h);
    cycle(e, control, h->residual[h->cycles].l2);
  }
}

static tx_status check(const tx_elliptic_control *c) {
  TX_REQUIRE(
      c->tolerance >= 0.0 && c->cycles >= 0 && c->steps >= 0, TX_ERR_USAGE,
      "an elliptic equation to be solved to %g in %d cycles or %d steps; none may be negative",
      c->tolerance, c->cycles, c->steps);
  TX_REQUIRE(c->vectors >= 1 && c->vectors <= TX_ELLIPTIC_VECTORS, TX_ERR_USAGE,
             "GMRES with %d vectors; there may be 1 to %d", c->vectors, TX_ELLIPTIC_VECTORS);
  TX_REQUIRE(c->courant > 0.0 && c->damping >= 0.0 && c->dissipation >= 0.0, TX_ERR_USAGE,
             "hyperbolic relaxation with a Courant factor of %g, damping %g, dissipation %g; the "
             "first must be above 0, the others not below",
             c->courant, c->damping, c->dissipation);
  return TX_OK;
}

/* The methods: the word for one step of each in messages, and the function that solves. */
static const struct method {
  const char *step;
  tx_status (*solve)(tx_elliptic *e, const tx_elliptic_control *control, tx_elliptic_history *h);
} methods[] = {[TX_ELLIPTIC_MULTIGRID] = {"cycle", solve_multigrid},
               [TX_ELLIPTIC_KRYLOV] = {"iteration", tx_elliptic_solve_krylov},
               [TX_ELLIPTIC_RELAXATION] = {"step", tx_elliptic_solve_relaxation}};

tx_status tx_elliptic_solve(tx_elliptic *e, const tx_elliptic_control *control,
                            tx_elliptic_history *history) {
  const size_t number = (size_t)control->method;
  *history = (tx_elliptic_history){.cycles = -1};
  TX_TRY(check(control));
  TX_REQUIRE(number < sizeof methods / sizeof methods[0], TX_ERR_USAGE,
             "method number %d of elliptic equations, which there is none of",
             (int)control->method);
  e->status = TX_OK;
  TX_TRY(tx_elliptic_prepare(e, control));
  e->evaluations = 0.0;
  e->start_s = e->logged_s = tx_now_s();
  e->progress = control->log ? control : NULL;
  e->step = methods[number].step;
  history->scale = norm_of_zero(e);
  return methods[number].solve(e, control, history);
}
