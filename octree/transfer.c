#include "octree/internal.h"

#include "base/memory.h"

static bool holds(const tx_octant *big, const tx_octant *small) {
  int up = small->level - big->level;
  for (int d = 0; d < 3; d++)
    if (small->x[d] >> up != big->x[d]) return false;
  return true;
}

static tx_status fail_change(const tx_octant *old, const tx_octant *now) {
  TX_FAIL(
      TX_ERR_MESH,
      "octant (%d, %d, %d) of level %d became (%d, %d, %d) of level %d: an octant may change by "
      "one level and its eight siblings must be on one rank; the forest is damaged",
      old->x[0], old->x[1], old->x[2], old->level, now->x[0], now->x[1], now->x[2], now->level);
}

tx_status tx_transfer_compare(const tx_mesh *old, tx_lidx n_now, const tx_octant *now,
                              tx_transfer *t) {
  t->n_remap = n_now;
  TX_TRY(tx_alloc((size_t)n_now, sizeof *t->remap, "transfer", &t->remap));
  tx_lidx i = 0;
  for (tx_lidx j = 0; j < n_now; j++) {
    TX_REQUIRE(i < old->n_local, TX_ERR_MESH,
               "rank %d has %d leaves where it had %d; leaves were redistributed before they were "
               "compared",
               old->rank, n_now, old->n_local);
    const tx_octant *was = &old->octant[i], *is = &now[j];
    int step = is->level - was->level;
    if (step == 0 && holds(was, is)) {
      t->remap[j] = (tx_octant_remap){.change = TX_KEEP_OCTANT, .old = i++};
    } else if (step == 1 && holds(was, is)) {
      int child = (is->x[0] & 1) + 2 * (is->x[1] & 1) + 4 * (is->x[2] & 1);
      t->remap[j] =
          (tx_octant_remap){.change = TX_REFINE_OCTANT, .child = (uint8_t)child, .old = i};
      if (child == 7) i++, t->n_refined++;
    } else if (step == -1 && i + 8 <= old->n_local && holds(is, was) && holds(is, was + 7)) {
      t->remap[j] = (tx_octant_remap){.change = TX_COARSEN_OCTANT, .old = i};
      i += 8;
      t->n_coarsened++;
    } else {
      return fail_change(was, is);
    }
  }
  TX_REQUIRE(i == old->n_local, TX_ERR_MESH,
             "rank %d lost leaves: %d of %d are accounted for; the forest is damaged", old->rank, i,
             old->n_local);
  return TX_OK;
}

/* Parts of [mine[0], mine[1]) in other ranks' ranges, as offsets from mine[0]. */
static tx_status overlaps(int rank, int size, const tx_gidx mine[2], const tx_gidx *first,
                          tx_message **out, int *n_out) {
  for (int pass = 0; pass < 2; pass++) {
    int n = 0;
    for (int r = 0; r < size; r++) {
      tx_gidx from = first[r] > mine[0] ? first[r] : mine[0];
      tx_gidx to = first[r + 1] < mine[1] ? first[r + 1] : mine[1];
      if (r == rank || from >= to) continue;
      if (pass == 1) (*out)[n] = (tx_message){.rank = r, .at = from - mine[0], .n = to - from};
      n++;
    }
    if (pass == 0) TX_TRY(tx_alloc((size_t)n, sizeof **out, "transfer", out));
    *n_out = n;
  }
  return TX_OK;
}

tx_status tx_transfer_messages(int rank, int size, const tx_gidx *old_first,
                               const tx_gidx *new_first, tx_transfer *t) {
  TX_TRY(overlaps(rank, size, old_first + rank, new_first, &t->send, &t->n_send));
  TX_TRY(overlaps(rank, size, new_first + rank, old_first, &t->recv, &t->n_recv));
  tx_gidx was = old_first[rank], is = new_first[rank];
  tx_gidx from = was > is ? was : is;
  tx_gidx was_end = old_first[rank + 1], is_end = new_first[rank + 1];
  tx_gidx to = was_end < is_end ? was_end : is_end;
  if (from >= to) return TX_OK;
  t->stay_from = (tx_lidx)(from - was);
  t->stay_to = (tx_lidx)(from - is);
  t->n_stay = (tx_lidx)(to - from);
  return TX_OK;
}

void tx_transfer_destroy(tx_transfer *t) {
  if (!t) return;
  tx_free(t->remap);
  tx_free(t->send);
  tx_free(t->recv);
  tx_free(t);
}
