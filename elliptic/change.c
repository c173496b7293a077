/* From one equation to the next on the same levels. */
#include "elliptic/internal.h"

/* The coefficient of level l, from those of the equation and u. */
static void take(tx_elliptic *e, int l, tx_pointwise function) {
  const tx_elliptic_level *at = &e->level[l];
  const tx_set *all = tx_exec_all(at->x);
  const int n = e->equation.coefficients;
  tx_pointwise_call call = {.function = function};
  for (int i = 0; i < n; i++) call.in[i] = at->c[i];
  call.in[n] = at->u;
  tx_elliptic_pointwise(e, l, &call, at->v);
  TX_KEEP(e->status, tx_exec_copy(at->x, all, at->v, at->c[0]));
  TX_KEEP(e->status, tx_exec_fill(at->x, all, 0.0, at->u));
  TX_KEEP(e->status, tx_exec_fill(at->x, all, 0.0, at->given));
}

tx_status tx_elliptic_change(tx_elliptic *e, tx_pointwise coefficient,
                             const tx_elliptic_equation *next) {
  const tx_elliptic_equation *now = &e->equation;
  TX_REQUIRE(
      now->coefficients > 0 && next->coefficients == 1 && next->order == now->order &&
          next->falloff == now->falloff,
      TX_ERR_USAGE,
      "an elliptic equation with %d coefficients, order %d and falloff %g after one with %d, "
      "%d and %g; the next one has one coefficient, and the order and falloff stay",
      next->coefficients, next->order, next->falloff, now->coefficients, now->order, now->falloff);
  e->status = TX_OK;
  tx_elliptic_complete(e);
  for (int l = 0; l < e->n; l++) take(e, l, coefficient);
  e->equation = *next;
  return tx_agree(e->leaves->comm, e->status);
}

const char *tx_elliptic_name(const tx_elliptic *e) {
  return e->equation.name ? e->equation.name : "the elliptic equation";
}
