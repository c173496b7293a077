/* Estimate of a partition into any number of ranks, from a mesh with all leaves on one. */
#include "octree/internal.h"

#include <p8est.h>
#include <p8est_algorithms.h>

#include "base/memory.h"

static tx_status check_whole(const tx_mesh *mesh, int ranks) {
  TX_REQUIRE(mesh->size == 1 && ranks >= 1, TX_ERR_USAGE,
             "a partition into %d ranks is made from a mesh on one rank, this one is on %d", ranks,
             mesh->size);
  return TX_OK;
}

/* Is leaf i one of eight leaves that are siblings? *low: the first of them. */
static bool find_family(const tx_mesh *mesh, tx_gidx i, tx_gidx *low) {
  *low = i - tx_octant_child(&mesh->octant[i]);
  return tx_octant_is_family(mesh, (tx_lidx)*low);
}

tx_status tx_partition_cuts(const tx_mesh *mesh, int ranks, tx_gidx *first) {
  tx_gidx *even = NULL;
  TX_TRY(check_whole(mesh, ranks));
  TX_TRY(tx_alloc((size_t)ranks + 1, sizeof *even, "partition", &even));
  for (int r = 0; r <= ranks; r++) even[r] = p4est_partition_cut_gloidx(mesh->n_global, r, ranks);
  first[ranks] = mesh->n_global;
  for (int r = ranks - 1; r >= 0; r--) {
    tx_gidx low;
    first[r] = even[r];
    if (even[r] == even[r + 1]) /* stays without octants */
      first[r] = first[r + 1];
    else if (r > 0 && find_family(mesh, even[r], &low))
      first[r] -= p8est_partition_correction(even, ranks, r, low, low + 7);
  }
  first[0] = 0;
  tx_free(even);
  return TX_OK;
}

/* Tables of the walk over all octants. */
typedef struct walk {
  const tx_mesh *mesh;
  tx_rank_load *load;
  tx_mesh_counts *counts; /* [ranks] */
  int *owner;             /* [octants] */
  uint8_t *is_source;     /* [octants]: ghosts are interpolated from it */
  uint8_t *waits;         /* [octants]: receives slabs in phase 1 */
  tx_lidx *seen_by;       /* [ranks]: last octant, plus one, that is a ghost there */
  int *messages[2];       /* [ranks] a phase: last rank, plus one, that receives from there */
} walk;

static tx_status walk_alloc(walk *w, int ranks) {
  size_t n = (size_t)w->mesh->n_local, size = (size_t)ranks;
  TX_TRY(tx_alloc(size, sizeof *w->counts, "partition", &w->counts));
  TX_TRY(tx_alloc(n, sizeof *w->owner, "partition", &w->owner));
  TX_TRY(tx_alloc(n, 1, "partition", &w->is_source));
  TX_TRY(tx_alloc(n, 1, "partition", &w->waits));
  TX_TRY(tx_alloc(size, sizeof *w->seen_by, "partition", &w->seen_by));
  for (int phase = 0; phase < 2; phase++)
    TX_TRY(tx_alloc(size, sizeof *w->messages[0], "partition", &w->messages[phase]));
  return TX_OK;
}

static void walk_free(walk *w) {
  tx_free(w->counts);
  tx_free(w->owner);
  tx_free(w->is_source);
  tx_free(w->waits);
  tx_free(w->seen_by);
  for (int phase = 0; phase < 2; phase++) tx_free(w->messages[phase]);
}

/* Do slabs of octant b's own level or finer come from another rank? */
static bool waits_phase1(const walk *w, tx_lidx b) {
  for (int r = 0; r < 27; r++) {
    const tx_region *region = &w->mesh->region[b][r];
    if (region->kind == TX_REGION_COARSER) continue;
    for (int c = 0; c < 4; c++)
      if (region->octant[c] >= 0 && w->owner[region->octant[c]] != w->owner[b]) return true;
  }
  return false;
}

/* A slab of octant b that comes from another rank. */
static void count_message(walk *w, int from, int to, bool late, int64_t points) {
  tx_rank_load *source = &w->load[from], *target = &w->load[to];
  *(late ? &source->send2_points : &source->send1_points) += points;
  target->recv_points += points;
  w->counts[from].slabs++;
  if (w->messages[late][from] == to + 1) return;

  w->messages[late][from] = to + 1;
  ++*(late ? &source->n_send2_to : &source->n_send1_to);
  ++*(late ? &target->n_recv2_from : &target->n_recv1_from);
}

/* Slabs of all regions of octant b: what its rank receives, reads where it lies, and interpolates. */
static void count_octant(walk *w, tx_lidx b) {
  const tx_mesh *mesh = w->mesh;
  int here = w->owner[b];
  bool boundary = false;
  for (int r = 0; r < 27; r++) {
    const tx_region *region = &mesh->region[b][r];
    if (r == TX_REGION(0, 0, 0) || region->kind == TX_REGION_OUTER) continue;
    for (int c = 0; c < 4 && region->octant[c] >= 0; c++) {
      tx_lidx source = region->octant[c];
      int there = w->owner[source];
      bool late = region->kind == TX_REGION_COARSER;
      int64_t points = tx_region_points(r, (tx_region_kind)region->kind);
      if (late) w->is_source[source] = 1;
      if (there != here || late) w->load[here].slot_points += points;
      w->counts[here].slabs += there == here && late ? 2 : 1; /* the slot, and what fills it */
      boundary |= there != here || (late && w->waits[source]);
      if (there == here) continue;
      count_message(w, there, here, late, points);
      if (w->seen_by[there] == b + 1) continue;
      w->seen_by[there] = b + 1;
      w->load[there].n_ghost++;
      w->counts[here].mirror++;
    }
  }
  w->load[here].n_boundary += boundary;
}

tx_status tx_partition_report(const tx_mesh *mesh, int ranks, tx_rank_load *load) {
  walk w = {.mesh = mesh, .load = load};
  tx_gidx *first = NULL;
  TX_TRY(check_whole(mesh, ranks));
  tx_status status = tx_alloc((size_t)ranks + 1, sizeof *first, "partition", &first);
  TX_THEN(status, tx_partition_cuts(mesh, ranks, first));
  TX_THEN(status, walk_alloc(&w, ranks));
  if (status != TX_OK) goto end;
  for (int r = 0; r < ranks; r++) {
    load[r] = (tx_rank_load){.first = first[r], .n_local = (tx_lidx)(first[r + 1] - first[r])};
    for (tx_gidx b = first[r]; b < first[r + 1]; b++) w.owner[b] = r;
  }
  for (tx_lidx b = 0; b < mesh->n_local; b++) w.waits[b] = waits_phase1(&w, b);
  for (tx_lidx b = 0; b < mesh->n_local; b++) count_octant(&w, b);
  for (tx_lidx b = 0; b < mesh->n_local; b++) w.counts[w.owner[b]].sources += w.is_source[b];
  for (int r = 0; r < ranks; r++) {
    tx_mesh_counts *c = &w.counts[r];
    c->ranks = (size_t)ranks;
    c->local = (size_t)load[r].n_local;
    c->ghost = (size_t)load[r].n_ghost;
    c->messages = (size_t)(load[r].n_send1_to + load[r].n_recv1_from + load[r].n_send2_to +
                           load[r].n_recv2_from);
    load[r].mesh_bytes = tx_mesh_counts_bytes(c);
  }
end:
  walk_free(&w);
  tx_free(first);
  return status;
}
