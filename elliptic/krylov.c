/* Newton's method, whose linear equations go to one of Krylov's: steps, tolerances, vectors, preconditioners. */
#include "elliptic/krylov.h"

#include <math.h>

#include "base/memory.h"
#include "physics/laplace_point.h"

/* A Newton step that gains less, so many times in a row, gains nothing more. */
#define LEAST_GAIN 2.0
#define PATIENCE   3

/* Eisenstat and Walker's choice 2 with alpha = 2: no less than GAMMA (|r| / |r before|)^2, nor, their safeguard, GAMMA times the
 * last tolerance's square where that is above SAFEGUARD. A step that would end within NEAR of the goal goes all the way. */
#define LARGEST_GAIN 0.1
#define GAMMA        0.9
#define SAFEGUARD    0.1
#define NEAR         10.0

static const tx_set *all_of(const tx_elliptic *e, int l) {
  return tx_exec_all(e->level[l].x);
}

static tx_status make_fields(tx_krylov_solve *k, tx_elliptic_vector *v) {
  for (int l = 0; l < k->e->n; l++) TX_TRY(tx_elliptic_field(k->e, l, &v->at[l]));
  return TX_OK;
}

tx_status tx_krylov_make(tx_krylov_solve *k, tx_elliptic_vector *v) {
  return v->at[0] ? TX_OK : tx_agree(k->e->leaves->comm, make_fields(k, v));
}

static void destroy(tx_krylov_solve *k) {
  for (int l = 0; l < k->e->n; l++) {
    tx_field_destroy(k->solution.at[l]);
    for (int i = 0; i <= TX_ELLIPTIC_VECTORS; i++) tx_field_destroy(k->basis[i].at[l]);
    for (int i = 0; i < TX_ELLIPTIC_VECTORS; i++) tx_field_destroy(k->direction[i].at[l]);
  }
  tx_free(k);
}

tx_elliptic_vector tx_krylov_u(const tx_elliptic *e) {
  tx_elliptic_vector u = {{NULL}};
  for (int l = 0; l < e->n; l++) u.at[l] = e->level[l].u;
  return u;
}

tx_elliptic_vector tx_krylov_v(const tx_elliptic *e) {
  tx_elliptic_vector v = {{NULL}};
  for (int l = 0; l < e->n; l++) v.at[l] = e->level[l].v;
  return v;
}

double tx_krylov_dot(tx_elliptic *e, const tx_elliptic_vector *a, const tx_elliptic_vector *b) {
  double sum = 0.0;
  for (int l = 0; l < e->n; l++) {
    double part = 0.0;
    TX_KEEP(e->status, tx_exec_dot(e->level[l].x, all_of(e, l), a->at[l], b->at[l], &part));
    sum += part;
  }
  return sum;
}

void tx_krylov_add(tx_elliptic *e, double a, const tx_elliptic_vector *from, double b,
                   const tx_elliptic_vector *to) {
  for (int l = 0; l < e->n; l++) {
    const tx_combination c = {2, {from->at[l], to->at[l]}, {a, b}};
    TX_KEEP(e->status, tx_exec_combine(e->level[l].x, all_of(e, l), &c, to->at[l]));
  }
}

void tx_krylov_scale(tx_elliptic *e, double a, const tx_elliptic_vector *from,
                     const tx_elliptic_vector *to) {
  for (int l = 0; l < e->n; l++) {
    const tx_combination c = {1, {from->at[l]}, {a}};
    TX_KEEP(e->status, tx_exec_combine(e->level[l].x, all_of(e, l), &c, to->at[l]));
  }
}

static void fill(tx_elliptic *e, int l, tx_field *f) {
  TX_KEEP(e->status, tx_exec_fill(e->level[l].x, all_of(e, l), 0.0, f));
}

/* A V-cycle from u = 0. */
static void cycle(tx_krylov_solve *k, const tx_elliptic_vector *b) {
  tx_elliptic *e = k->e;
  if (k->control->precision == TX_PRECISION_MIXED) {
    for (int l = 0; l < e->n; l++) fill(e, l, e->level[l].u);
    tx_elliptic_correct(e, k->control, b->at, sqrt(tx_krylov_dot(e, b, b)));
    return;
  }
  for (int l = 0; l < e->n; l++)
    TX_KEEP(e->status, tx_exec_copy(e->level[l].x, all_of(e, l), b->at[l], e->level[l].f));
  tx_elliptic_cycle_from_zero(e, k->control);
}

static void jacobi(tx_elliptic *e, const tx_elliptic_vector *b) {
  const double diagonal = 3.0 * tx_laplace_weights_make(e->equation.order).w[0];
  for (int l = 0; l < e->n; l++) {
    const tx_pointwise_call call = {TX_POINTWISE_JACOBI, {b->at[l], e->level[l].q}, {diagonal}};
    tx_elliptic_pointwise(e, l, &call, e->level[l].u);
  }
}

void tx_krylov_precondition(tx_krylov_solve *k, const tx_elliptic_vector *b) {
  const tx_elliptic_vector u = tx_krylov_u(k->e);
  switch (k->control->preconditioner) {
  case TX_PRECONDITIONER_CYCLE:
    cycle(k, b);
    break;
  case TX_PRECONDITIONER_JACOBI:
    jacobi(k->e, b);
    break;
  case TX_PRECONDITIONER_NONE: /* but for the sign */
    tx_krylov_scale(k->e, -1.0, b, &u);
    break;
  }
}

void tx_krylov_apply(tx_elliptic *e) {
  tx_elliptic_complete(e);
  for (int l = 0; l < e->n; l++) fill(e, l, e->level[l].f);
  tx_elliptic_residuals(e);
}

bool tx_krylov_step(tx_krylov_solve *k, double left) {
  const tx_elliptic_residual r = {.l2 = left * k->l2};
  tx_elliptic_record(k->e, k->history, ++k->iterations, r);
  return !(left > k->gain) || k->iterations == k->control->cycles;
}

static tx_status check(const tx_elliptic *e, const tx_elliptic_control *c) {
  const tx_mesh *m = e->leaves;
  if (c->krylov == TX_KRYLOV_FGMRES) return TX_OK;
  TX_REQUIRE(m->level_lowest == m->level_highest, TX_ERR_USAGE,
             "conjugate gradients need a symmetric operator, which refinement boundaries do not "
             "leave: there are leaves of levels %d to %d; take FGMRES",
             m->level_lowest, m->level_highest);
  for (int d = 0; d < 3; d++)
    TX_REQUIRE(m->domain.low[d] == TX_FACE_PERIODIC, TX_ERR_USAGE,
               "conjugate gradients need a symmetric operator, which the Robin condition at outer "
               "faces does not leave: dimension %c is not periodic; take FGMRES",
               'x' + d);
  return TX_OK;
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
  const tx_status status =
      k->control->krylov == TX_KRYLOV_CG ? tx_krylov_conjugate(k) : tx_krylov_gmres(k);
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
  TX_TRY(check(e, control));
  TX_TRY(tx_agree(e->leaves->comm, tx_alloc(1, sizeof *k, "elliptic solver", &k)));
  k->e = e;
  k->control = control;
  k->history = h;
  tx_status status = tx_krylov_make(k, &k->solution);
  TX_THEN(status, newton(k));
  destroy(k);
  return status;
}
