/* Cycles for a correction, in single precision (multigrid.h): half the memory is read and written.
 *
 * What is exchanged or interpolated, and surfaces, stays in double precision, so that buffers, messages and tables are the
 * same: packing widens, reading narrows. Widening is exact, so nothing is rounded twice on one number of ranks and once on
 * another. */
#include <math.h>

#include "base/timer.h"
#include "elliptic/internal.h"

/* The fields that cycles work on change places with those of single precision. */
static void change_places(tx_elliptic *e) {
  for (int l = 0; l < e->n; l++) {
    tx_elliptic_level *at = &e->level[l];
    tx_field **full[TX_ELLIPTIC_SINGLES] = {[TX_ELLIPTIC_SINGLE_U] = &at->u,
                                            &at->before,
                                            &at->v,
                                            &at->p,
                                            &at->f,
                                            [TX_ELLIPTIC_SINGLE_Q] = &at->q,
                                            [TX_ELLIPTIC_SINGLE_COVER] = &at->cover};
    for (int i = 0; i < TX_ELLIPTIC_SINGLES; i++) {
      tx_field *other = *full[i];
      *full[i] = at->single[i];
      at->single[i] = other;
    }
  }
}

static void narrow(tx_elliptic *e, int l, double a, const tx_field *f, tx_field *out) {
  TX_KEEP(e->status, tx_exec_narrow(e->level[l].x, tx_exec_all(e->level[l].x), a, f, out));
}

static void fill_zero(tx_elliptic *e, int l) {
  const tx_elliptic_level *at = &e->level[l];
  TX_KEEP(e->status, tx_exec_fill(at->x, tx_exec_all(at->x), 0.0, at->u));
}

tx_status tx_elliptic_prepare(tx_elliptic *e, const tx_elliptic_control *control) {
  tx_status status = TX_OK;
  if (control->precision == TX_PRECISION_DOUBLE || e->level[0].single[0]) return TX_OK;
  for (int l = 0; l < e->n; l++)
    for (int i = 0; i < TX_ELLIPTIC_SINGLES; i++)
      TX_THEN(status, tx_elliptic_field_single(e, l, &e->level[l].single[i]));
  TX_TRY(tx_agree(e->leaves->comm, status));
  change_places(e);
  for (int l = 0; l < e->n; l++)
    narrow(e, l, 1.0, e->level[l].single[TX_ELLIPTIC_SINGLE_COVER], e->level[l].cover);
  change_places(e);
  return tx_agree(e->leaves->comm, e->status);
}

void tx_elliptic_cycle_from_zero(tx_elliptic *e, const tx_elliptic_control *control) {
  for (int l = 0; l < e->n; l++) fill_zero(e, l);
  e->start = TX_ELLIPTIC_EDGE_ZERO;
  tx_elliptic_cycle(e, control);
  e->start = TX_ELLIPTIC_EDGE_U;
}

/* A power of two, so that nothing is rounded: numbers of this size become about 1, far from those that single precision lacks. */
static double scale_of(double size) {
  return isfinite(size) && size > 0.0 ? ldexp(1.0, -ilogb(size)) : 1.0;
}

void tx_elliptic_correct(tx_elliptic *e, const tx_elliptic_control *control, tx_field *const r[],
                         double size) {
  const double scale = scale_of(size);
  tx_work_begin(TX_OPERATION_MULTIGRID, false);
  change_places(e);
  for (int l = 0; l < e->n; l++) {
    narrow(e, l, scale, r[l], e->level[l].f);
    narrow(e, l, 1.0, e->level[l].single[TX_ELLIPTIC_SINGLE_Q], e->level[l].q);
  }
  tx_elliptic_cycle_from_zero(e, control);
  change_places(e);
  for (int l = 0; l < e->n; l++) {
    const tx_elliptic_level *at = &e->level[l];
    TX_KEEP(e->status, tx_exec_widen(at->x, tx_exec_all(at->x), 1.0 / scale,
                                     at->single[TX_ELLIPTIC_SINGLE_U], at->u));
  }
  tx_work_end(false);
}
