#include <string.h>
#include "base/memory.h"
#include "horizons/killing.h"

static tx_status allocate(tx_horizon_finder *f) {
  const char *what = "horizons";
  size_t n = (size_t)f->sphere.n, modes = (size_t)(f->l_max + 1) * (size_t)(f->l_max + 1);
  TX_TRY(tx_alloc(modes, sizeof *f->mode, what, &f->mode));
  TX_TRY(tx_alloc(n, sizeof *f->point, what, &f->point));
  TX_TRY(tx_alloc(n, sizeof *f->weight, what, &f->weight));
  TX_TRY(tx_alloc(n, sizeof *f->jet, what, &f->jet));
  TX_TRY(tx_alloc(n, sizeof *f->x, what, &f->x));
  TX_TRY(tx_alloc(n, sizeof *f->normal, what, &f->normal));
  TX_TRY(tx_alloc(n, sizeof *f->metric, what, &f->metric));
  TX_TRY(tx_alloc(n, sizeof *f->mine, what, &f->mine));
  TX_TRY(tx_alloc(n, sizeof *f->column, what, &f->column));
  TX_TRY(tx_alloc(n, sizeof *f->intrinsic, what, &f->intrinsic));
  TX_TRY(tx_alloc(n, sizeof *f->value, what, &f->value));
  TX_TRY(tx_alloc(n * modes, sizeof *f->harmonic, what, &f->harmonic));
  TX_TRY(tx_alloc(n * modes, sizeof *f->linear, what, &f->linear));
  TX_TRY(tx_alloc(modes * modes, sizeof *f->matrix, what, &f->matrix));
  TX_TRY(tx_alloc(modes, sizeof *f->step, what, &f->step));
  return tx_killing_create(f->sphere.n, f->l_max, &f->killing);
}

tx_status tx_horizon_finder_create(const tx_domain *domain, int l_max, tx_horizon_finder **out) {
  *out = NULL;
  TX_REQUIRE(l_max >= 2 && l_max <= TX_HORIZON_L_MAX, TX_ERR_PARAM,
             "horizons.l_max is %d; it must be from 2 to %d", l_max, TX_HORIZON_L_MAX);
  tx_horizon_finder *f;
  TX_TRY(tx_alloc(1, sizeof *f, "horizons", &f));
  f->domain = *domain;
  f->l_max = l_max;
  tx_status status = tx_sphere_create(l_max, &f->sphere);
  TX_THEN(status, allocate(f));
  if (status != TX_OK) {
    tx_horizon_finder_destroy(f);
    return status;
  }
  *out = f;
  return TX_OK;
}

void tx_horizon_finder_destroy(tx_horizon_finder *f) {
  if (!f) return;
  tx_sphere_destroy(&f->sphere);
  tx_killing_destroy(f->killing);
  void *blocks[] = {f->state,    f->mode,   f->point,  f->weight, f->jet,       f->x,
                    f->normal,   f->metric, f->mine,   f->column, f->intrinsic, f->value,
                    f->harmonic, f->linear, f->matrix, f->step};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) tx_free(blocks[i]);
  tx_free(f);
}
