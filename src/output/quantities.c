/* Analysis quantities of the octants that go into a file. */
#include "base/memory.h"
#include "output/internal.h"

/* The patches of n octants from number `first` on, and what goes into the file of them. */
static tx_status take(tx_field_source from, const tx_selection *sel, tx_lidx first, tx_lidx n,
                      double *patches, double *out) {
  const size_t some = (size_t)__builtin_popcount(sel->quantities);
  const size_t each = tx_octant_values(sel->normal);
  tx_set *set = NULL;
  TX_TRY(tx_set_create(from.exec, n, sel->octant + first, &set));
  tx_status status = tx_patches_fetch(from.exec, set, from.u, sel->quantities, patches);
  tx_set_destroy(set);
  for (size_t i = 0; i < (size_t)n * some && status == TX_OK; i++)
    tx_octant_copy_out(patches + i * TX_P3, sel->normal, out + i * each);
  return status;
}

tx_status tx_quantities_take(tx_field_source from, tx_selection *sel, double **values) {
  const size_t some = (size_t)__builtin_popcount(sel->quantities);
  const size_t each = some * tx_octant_values(sel->normal);
  double *patches = NULL;
  TX_TRY(tx_alloc((size_t)sel->n * each + 1, sizeof **values, "analysis quantities", values));
  tx_status status = tx_alloc(TX_OCTANTS_TOGETHER * some * TX_P3, sizeof *patches,
                              "analysis quantities", &patches);
  for (tx_lidx at = 0; at < sel->n && status == TX_OK; at += TX_OCTANTS_TOGETHER) {
    const tx_lidx n = sel->n - at < TX_OCTANTS_TOGETHER ? sel->n - at : TX_OCTANTS_TOGETHER;
    status = take(from, sel, at, n, patches, *values + (size_t)at * each);
  }
  tx_free(patches);
  sel->values = *values;
  return status;
}
