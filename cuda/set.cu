/* Sets of octants on the device. */
#include "cuda/backend.cuh"

/* List the octants with an outer face, in the order of the set, and return their number. */
static tx_lidx list_outer(const tx_set *set, tx_lidx *to) {
  const uint8_t *outer = set->x->mesh->ghosts.outer;
  tx_lidx n = 0;
  for (tx_lidx i = 0; i < set->n; i++)
    if (outer[set->octant[i]]) to[n++] = set->octant[i];
  return n;
}

static tx_status upload_set(const tx_set *set, tx_cuda_set *there) {
  tx_lidx *both = NULL;
  TX_TRY(tx_alloc(2 * (size_t)set->n, sizeof *both, "octant lists", &both));
  if (set->n > 0) memcpy(both, set->octant, (size_t)set->n * sizeof *both);
  there->n_outer = list_outer(set, both + set->n);
  const size_t bytes = (size_t)(set->n + there->n_outer) * sizeof *both;
  const tx_status status = tx_cuda_upload(both, bytes, "octant lists", &there->octant);
  tx_free(both);
  TX_TRY(status);
  there->boundary = there->octant + set->n;
  return TX_OK;
}

tx_status tx_cuda_set_create(tx_set *set) {
  tx_cuda_set *there = NULL;
  TX_TRY(tx_alloc(1, sizeof *there, "octant lists", &there));
  set->there = there;
  return set->n > 0 ? upload_set(set, there) : TX_OK;
}

void tx_cuda_set_destroy(tx_set *set) {
  tx_cuda_set *there = static_cast<tx_cuda_set *>(set->there);
  if (there) tx_cuda_free(there->octant);
  tx_free(there);
  set->there = NULL;
}
