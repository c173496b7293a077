/* Vectors, operator and preconditioner of Krylov's method. */
#include "elliptic/krylov.h"

#include <math.h>

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

void tx_krylov_add(tx_elliptic *e, double a, const tx_elliptic_vector *from,
                   const tx_elliptic_vector *to) {
  for (int l = 0; l < e->n; l++) {
    const tx_combination c = {2, {from->at[l], to->at[l]}, {a, 1.0}};
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

void tx_krylov_precondition(tx_krylov_solve *k, const tx_elliptic_vector *b) {
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
