/* The refinement levels of a forest as separate grids, for local time steps.
 *
 * The grid of level l has all nodes of the octrees on that level: the leaves, and the octants that have children
 * (*covered* octants). It is a tx_mesh of one level, cut into ranks along its own curve, so that every rank has a share of
 * every level. Its ghosts come from the same level or, at the *refinement boundary* around the level's region,
 * from the next coarser grid, interpolated with centred stencils.
 *
 * Refinement boundaries are symmetric: a point on the boundary of the closed region of a level is a ghost, whichever octant owns
 * it. At lower faces, edges and corners these are the octants' own points of index 0, the *planes*: the coarser
 * grid evolves them, and they are filled from it like ghosts. At upper ones they are ghosts anyway. */
#pragma once

#include "octree/octree.h"

/** A child on this level and its parent, covered, on the next coarser one. Indices are local; -1: on another rank. */
typedef struct tx_descent {
  tx_lidx child, parent;
  uint8_t number; /**< which child it is: x + 2y + 4z */
} tx_descent;

/** Tables of a level's grid, in addition to those of any mesh. `mesh` below is that of the level, `coarser` that of the
 *  next coarser level.
 *
 *  Refinement boundary. mesh->ghosts.slot has, as phase 2, INTERP slabs whose `src` is an octant of `coarser`: local there,
 *  or, with src >= coarser->n_local, of another rank. The points of these and of `plane` are one block of the slots,
 *  [boundary_at, boundary_at + boundary_points): first what is received, as ghosts.recv2_from says, then what is
 *  interpolated here. The other side is in coarser->ghosts: source, interp and send2 say what `coarser` interpolates for
 *  this level; dst is an octant of `mesh`, or dst >= coarser->ghosts.n_dst where it is another rank's, whose slab is in
 *  send buffer 2 at `at`; where it is local, `at` counts from the first point of the slots as in `slot`.
 *
 *  Covered octants. Each child's points are injected into its parent's. */
typedef struct tx_level_plan {
  const tx_mesh *coarser; /**< borrowed; NULL: this is the coarsest */
  int64_t boundary_at, boundary_points;
  /** Own points that are ghosts: INTERP slabs with lo >= 0 and n = 1 in the dimensions that they are the boundary of. By
   *  dst. */
  tx_slab *plane;
  tx_lidx n_plane;
  /** The planes by octant, [n_local]; NULL on the coarsest level. Bit x + 2y + 4z: own points are planes whose index is 0
   *  in just the dimensions with x, y, z = 1. */
  uint8_t *planes;
  /** Children here with their parents here; children whose parents are elsewhere, by message; parents on this
   *  rank of children that are elsewhere, by message. Messages count children: `at` in send and receive. */
  tx_descent *descent, *send, *receive;
  tx_lidx n_descent, n_send, n_receive;
  tx_message *send_to, *receive_from;
  int n_send_to, n_receive_from;
  /** Leaves between the mesh of leaves and this grid, where they are local octants 0 .. n_leaf - 1. load: remap lists
   *  the local leaves of this level of the mesh of leaves, in order; what is received and what stays become local octants
   *  of this grid. store: the other way round; places count in that list, which is leaf[n_stored]. */
  tx_transfer load, store;
  tx_lidx *leaf;
  tx_lidx n_stored;
  /** Transfer to parents, of the grids of tx_level_grids_create_whole but the coarsest: all octants of this grid, each as a
   *  child (REFINE) of its parent on the rank that owns the parent, in the order of nodes along the curve. What is received
   *  and what stays are the local octants of this grid in the same order, node[n_local]. */
  tx_transfer descend;
  tx_lidx *node;
} tx_level_plan;

/** The grids of all levels, from the coarsest level with leaves, or from level 0. */
typedef struct tx_level_grids {
  int n;                        /**< levels */
  int kept;                     /**< the first ones, which are those of the grids before */
  int lowest;                   /**< level of grid[0] */
  tx_mesh *grid[TX_LEVELS];     /**< coarsest first, owned */
  struct tx_level_nodes *nodes; /**< all nodes of all ranks, owned */
} tx_level_grids;

/** Collective. Create the grids of all levels. `leaves`: the mesh of the forest's leaves, which the grids do not refer to
 *  once they are made. *out is owned by the caller. `before`, or NULL: the grids of the forest before it changed; the
 *  coarsest ones, as far as neither they nor the next finer one have changed, go over to *out, with transfers to the new
 *  leaves, and are then NULL in `before`. Errors: TX_ERR_MEMORY, TX_ERR_MESH for a forest that is not balanced; `before`
 *  can be destroyed alone then. */
tx_status tx_level_grids_create(const tx_mesh *leaves, tx_level_grids *before,
                                tx_level_grids **out);

/** Collective. Create the grids in two parts, so that work on kept grids can continue between them. The first makes the
 *  nodes and takes over the kept grids. The second makes their transfers and the grids from grid[kept] on, which
 *  are NULL until then. Either may fail as above. */
tx_status tx_level_grids_begin(const tx_mesh *leaves, tx_level_grids *before, tx_level_grids **out);
tx_status tx_level_grids_end(tx_level_grids *grids, const tx_mesh *leaves);

/** Collective. Create the grids for multigrid: of all levels from 0, on which all octants may be covered, and with
 *  tx_level_plan.descend. A level is distributed over at most as many ranks as have `share` > 0 of its octants
 *  each. Errors: as tx_level_grids_create. */
tx_status tx_level_grids_create_whole(const tx_mesh *leaves, tx_lidx share, tx_level_grids **out);

/** Return the number of octants of this rank in grid[number], also before that grid is made. Local. */
tx_lidx tx_level_grids_local(const tx_level_grids *grids, int number);
void tx_level_grids_destroy(tx_level_grids *grids);

/** Return the level of the leaf that owns point x (half-open boxes; beyond a reflecting face its image's), -1 outside. The
 *  same on all ranks. Local. */
int tx_level_grids_locate(const tx_level_grids *grids, const double x[3]);

/** Where the node of a level at position x, in octant sizes from the low corner, is: its rank and its local octant there.
 *  False: there is none. Also before its grid is made. The same on all ranks. Local. */
typedef struct tx_level_node {
  bool leaf;
  int rank;
  tx_lidx octant;
} tx_level_node;
bool tx_level_grids_node(const tx_level_grids *grids, int level, const int32_t x[3],
                         tx_level_node *out);

/** Count the octants of each level's grid over all ranks, [out] nodes[TX_LEVELS], from the counts of the leaves: a parent has
 *  eight children. Local. */
void tx_level_nodes_count(const tx_gidx leaves[TX_LEVELS], tx_gidx nodes[TX_LEVELS]);
