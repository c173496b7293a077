/* The grids of all levels: made from the finest knowledge to the coarsest use, level by level. */
#include "octree/level_internal.h"

#include <string.h>
#include "base/memory.h"

void tx_level_grids_destroy(tx_level_grids *grids) {
  if (!grids) return;
  for (int l = 0; l < grids->n; l++) tx_mesh_destroy(grids->grid[l]);
  tx_level_nodes_destroy(grids->nodes);
  tx_free(grids);
}

static tx_status builder_start(tx_level_builder *b, tx_level_grids *grids, int number) {
  const tx_mesh *list = grids->nodes->list;
  const size_t size = (size_t)list->size;
  tx_mesh *mesh = NULL;
  TX_TRY(tx_alloc(1, sizeof *mesh, "mesh", &mesh));
  grids->grid[number] = mesh;
  *b = (tx_level_builder){.nodes = grids->nodes,
                          .number = number,
                          .mesh = mesh,
                          .coarser = number > 0 ? grids->grid[number - 1] : NULL};
  mesh->comm = list->comm;
  mesh->rank = list->rank;
  mesh->size = list->size;
  mesh->domain = list->domain;
  mesh->revision = list->revision;
  TX_TRY(tx_alloc(1, sizeof *mesh->level, "levels", &mesh->level));
  mesh->level->coarser = b->coarser;
  TX_TRY(tx_alloc(4 * size, sizeof(int64_t), "levels", &b->received[0]));
  b->received[1] = b->received[0] + size;
  b->sent[0] = b->received[1] + size;
  b->sent[1] = b->sent[0] + size;
  return TX_OK;
}

static void builder_end(tx_level_builder *b) {
  tx_free(b->node);
  tx_free(b->here);
  tx_free(b->region);
  tx_free(b->received[0]);
}

/* The parts of making a level, in their order. All levels go through one before any goes through the next: they read what
 * other levels' earlier parts made. Local. */
enum { MESH, EDGE, SOURCES, PARTS };

static tx_status build_part(tx_level_builder *b, int part, const tx_level_builder *finer,
                            const tx_mesh *leaves) {
  switch (part) {
  case MESH:
    return tx_level_mesh_fill(b);
  case EDGE:
    TX_TRY(tx_level_boundary_fill(b));
    TX_TRY(tx_level_descents_fill(b));
    return tx_level_transfers_fill(b, leaves);
  default:
    return tx_level_sources_fill(b, finer);
  }
}

/* Levels from `kept` on side by side, finest first: those are the ones that take longest. */
static tx_status build_all(tx_level_grids *grids, tx_level_builder *builders,
                           const tx_mesh *leaves) {
  const int n = grids->n, some = n - grids->kept;
  for (int l = grids->kept; l < n; l++) TX_TRY(builder_start(&builders[l], grids, l));
  tx_status all = TX_OK;
  for (int part = 0; part < PARTS && all == TX_OK; part++) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < some; i++) {
      const int l = n - 1 - i;
      const tx_status one =
          build_part(&builders[l], part, l + 1 < n ? &builders[l + 1] : NULL, leaves);
      if (one != TX_OK) {
#pragma omp critical(tx_levels_status)
        all = one;
      }
    }
  }
  return all;
}

/* Keep the grids of `before` whose own nodes and those of the next finer level are the same. */
static void keep_same(tx_level_grids *before, tx_level_grids *grids) {
  const int same = tx_level_nodes_same(before->nodes, grids->nodes);
  grids->kept = same == before->n && same == grids->n ? same : same - 1;
  if (grids->kept < 0) grids->kept = 0;
  for (int l = 0; l < grids->kept; l++) {
    grids->grid[l] = before->grid[l];
    grids->grid[l]->revision = grids->nodes->list->revision;
    before->grid[l] = NULL;
  }
}

/* Leaves have other numbers on their own mesh now. */
static tx_status renew_transfers(tx_level_grids *grids, const tx_mesh *leaves) {
  for (int l = 0; l < grids->kept; l++) {
    tx_mesh *mesh = grids->grid[l];
    tx_level_transfers_free(mesh->level);
    TX_TRY(tx_level_transfers_fill(
        &(tx_level_builder){.nodes = grids->nodes, .number = l, .mesh = mesh}, leaves));
  }
  return TX_OK;
}

static tx_status begin(const tx_mesh *leaves, int lowest, tx_lidx share, tx_level_grids *before,
                       tx_level_grids **out) {
  tx_level_grids *grids = NULL;
  tx_level_nodes *nodes = NULL;
  *out = NULL;
  TX_TRY(tx_level_nodes_create(leaves, lowest, share, &nodes));
  const tx_status status = tx_agree(leaves->comm, tx_alloc(1, sizeof *grids, "levels", &grids));
  if (status != TX_OK) {
    tx_level_nodes_destroy(nodes);
    tx_free(grids);
    return status;
  }
  grids->nodes = nodes;
  grids->n = nodes->n;
  grids->lowest = nodes->lowest;
  if (before) keep_same(before, grids);
  *out = grids;
  return TX_OK;
}

tx_status tx_level_grids_begin(const tx_mesh *leaves, tx_level_grids *before,
                               tx_level_grids **out) {
  return begin(leaves, leaves->level_lowest, 1, before, out);
}

tx_status tx_level_grids_end(tx_level_grids *grids, const tx_mesh *leaves) {
  tx_level_builder *builders = NULL;
  tx_status status = tx_alloc((size_t)grids->n, sizeof *builders, "levels", &builders);
  TX_THEN(status, renew_transfers(grids, leaves));
  TX_THEN(status, build_all(grids, builders, leaves));
  for (int l = 0; builders && l < grids->n; l++) builder_end(&builders[l]);
  tx_free(builders);
  return tx_agree(leaves->comm, status);
}

/* Give the kept grids back to `before` after a failure. */
static void give_back(tx_level_grids *grids, tx_level_grids *before) {
  for (int l = 0; l < grids->kept; l++) {
    before->grid[l] = grids->grid[l];
    grids->grid[l] = NULL;
  }
}

tx_status tx_level_grids_create(const tx_mesh *leaves, tx_level_grids *before,
                                tx_level_grids **out) {
  TX_TRY(tx_level_grids_begin(leaves, before, out));
  const tx_status status = tx_level_grids_end(*out, leaves);
  if (status == TX_OK) return TX_OK;
  if (before) give_back(*out, before);
  tx_level_grids_destroy(*out);
  *out = NULL;
  return status;
}

/* Local. */
static tx_status fill_descends(tx_level_grids *grids) {
  for (int l = 1; l < grids->n; l++)
    TX_TRY(tx_level_descend_fill(&(tx_level_builder){.nodes = grids->nodes,
                                                     .number = l,
                                                     .mesh = grids->grid[l],
                                                     .coarser = grids->grid[l - 1]}));
  return TX_OK;
}

tx_status tx_level_grids_create_whole(const tx_mesh *leaves, tx_lidx share, tx_level_grids **out) {
  TX_TRY(begin(leaves, 0, share, NULL, out));
  tx_status status = tx_level_grids_end(*out, leaves);
  TX_THEN(status, tx_agree(leaves->comm, fill_descends(*out)));
  if (status == TX_OK) return TX_OK;
  tx_level_grids_destroy(*out);
  *out = NULL;
  return status;
}
