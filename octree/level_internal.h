/* Shared by the files that make grids of levels. Not for other folders. */
#pragma once

#include "octree/internal.h"
#include "octree/level.h"

/** All nodes of all levels from the coarsest leaves on, or from a coarser level, the same on every rank. They are numbered
 *  level by level, coarsest first, and in Morton order within a level. */
typedef struct tx_level_nodes {
  /** A list alone: domain, rank, size, octant [n_local = all nodes] with owners on the levels' grids, `index` among the
   *  nodes of the level, and the hash. */
  tx_mesh *list;
  int lowest, n;                /**< levels lowest .. lowest + n - 1 */
  tx_lidx share;                /**< least octants that a rank has of a level, if it has any */
  tx_lidx start[TX_LEVELS + 1]; /**< first node of a level, by level - lowest */
  tx_lidx *place;               /**< [nodes] local index on the owner's grid */
  tx_lidx *parent,
      *eldest; /**< [nodes] its parent, -1 on the coarsest level; its first child, -1 for leaves */
  bool *leaf;  /**< [nodes] */
  tx_gidx *
      leaf_first; /**< [n][size + 1] first leaf of each rank of the mesh of leaves, among the level's */
} tx_level_nodes;

/** Collective. Create the nodes from level `lowest` on, no finer than the coarsest leaves. *out is owned by the caller. */
tx_status tx_level_nodes_create(const tx_mesh *leaves, int lowest, tx_lidx share,
                                tx_level_nodes **out);
void tx_level_nodes_destroy(tx_level_nodes *nodes);

/** Count the levels from the coarsest on that have the same nodes, leaves among them, owners and places. Local, the same on all
 *  ranks. */
int tx_level_nodes_same(const tx_level_nodes *a, const tx_level_nodes *b);

/** Cover of a region around a node: SAME or COARSER with the node, or OUTER. */
typedef struct tx_level_region {
  tx_lidx node; /**< -1: none, for COARSER: the forest is not balanced */
  uint8_t kind, mirror;
} tx_level_region;

/** The regions of a parent, which those of all its children follow from. To begin with, parent is -1. */
typedef struct tx_level_vicinity {
  tx_lidx parent;
  tx_level_region of[27];
} tx_level_vicinity;

/** Find all 27 regions of a node. v: vicinity of its parent, found anew unless it is that already. Local. */
void tx_level_regions(const tx_level_nodes *nodes, tx_lidx node, tx_level_vicinity *v,
                      tx_level_region out[27]);

/** One level in the making. */
typedef struct tx_level_builder {
  const tx_level_nodes *nodes;
  int number; /**< level - lowest */
  tx_mesh *mesh;
  const tx_mesh *coarser; /**< NULL: none */
  tx_lidx *node;          /**< [n_local + n_ghost] number of each octant's node */
  tx_lidx *here; /**< [nodes of the level] index of the octant here, -1: neither local nor ghost */
  tx_level_region (*region)[27]; /**< [n_local + n_ghost] */
  int64_t *received[2],
      *sent[2]; /**< [size] points of phase 1 and of the refinement boundary, by rank */
} tx_level_builder;

/** Fill octants, hash and regions of a level, and its ghost plan without interpolation. Local. */
tx_status tx_level_mesh_fill(tx_level_builder *b);

/** Fill the slabs of the refinement boundary: of mesh->ghosts.slot and planes. Before the messages of phase 1 are placed.
 *  Local. */
tx_status tx_level_boundary_fill(tx_level_builder *b);

/** Fill the list of what the grid of builder b interpolates for the next finer one, whose refinement boundary is filled.
 *  Local. */
tx_status tx_level_sources_fill(tx_level_builder *b, const tx_level_builder *finer);

/** Fill descents, and transfers of leaves; `leaves` is the mesh of leaves. Local. */
tx_status tx_level_descents_fill(tx_level_builder *b);
tx_status tx_level_transfers_fill(tx_level_builder *b, const tx_mesh *leaves);

/** Fill tx_level_plan.descend, and `node`. Local. */
tx_status tx_level_descend_fill(tx_level_builder *b);

/** Release the transfers between a level's grid and the leaves. Local. */
void tx_level_transfers_free(tx_level_plan *p);
