/* What the files of the octree share: the forest's handle, the hash of leaves, steps of building a
 * mesh. Not for other folders. */
#pragma once

#include "octree/octree.h"

struct p8est;
struct p8est_quadrant;
struct p8est_connectivity;

struct tx_octree {
  MPI_Comm comm;
  tx_domain domain;
  uint64_t revision;
  struct p8est *forest;
  struct p8est_connectivity *connectivity;
};

/** Open addressing; a free entry has key 0. */
typedef struct tx_octant_hash {
  uint64_t *key;
  tx_lidx *value;
  uint64_t mask; /**< room - 1, room a power of two */
  int shift;     /**< 64 - log2(room) */
} tx_octant_hash;

/** One number for a level and a position: a bit above all bits of x tells the level. */
static inline uint64_t tx_octant_key(int level, const int32_t x[3]) {
  uint64_t tagged = (uint64_t)x[0] | (uint64_t)1 << (level + 1);
  return tagged << 42 | (uint64_t)x[1] << 21 | (uint64_t)x[2];
}

/** Index of the leaf, -1 if it is neither local nor a ghost. Local. */
static inline tx_lidx tx_octant_find(const tx_mesh *mesh, int level, const int32_t x[3]) {
  const tx_octant_hash *hash = mesh->hash;
  uint64_t key = tx_octant_key(level, x);
  uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> hash->shift;
  for (; hash->key[at] != 0; at = (at + 1) & hash->mask)
    if (hash->key[at] == key) return hash->value[at];
  return -1;
}

/** Octants of level 0 in a dimension: a reflected domain is half as wide. */
static inline int tx_domain_trees(const tx_domain *domain, int d) {
  return domain->low[d] == TX_FACE_REFLECT ? 1 : 2;
}

/** Position and level of a quadrant of p4est. Local. */
tx_octant tx_octant_of(const tx_octree *tree, int32_t which_tree, const struct p8est_quadrant *q);

/** Hash the octants of a mesh. Local. */
tx_status tx_octant_hash_create(tx_mesh *mesh);
void tx_octant_hash_destroy(tx_octant_hash *hash);

/** Collective. A mesh with octants, counts and hash, but neither regions nor a ghost plan. */
tx_status tx_mesh_create_leaves(const tx_octree *tree, tx_mesh **out);

/** Collective. Octants of the forest, local then ghost, into a mesh that has its counts from here.
 */
tx_status tx_octree_leaves(const tx_octree *tree, tx_mesh *mesh);

/** Local octants of the forest as it is, without ghosts: [out] owned by the caller. Local. */
tx_status tx_octree_local(const tx_octree *tree, tx_lidx *n, tx_octant **out);

/** Find what covers the region in direction dir of octant o. False if some of it is covered by no
 *  leaf that is local or a ghost and at most one level away; those octants are -1. Local. */
bool tx_region_find(const tx_mesh *mesh, const tx_octant *o, const int dir[3], tx_region *out);

/** mark[b] = 1 for each local octant that touches one two or more levels finer; returns their
 * number. Local. */
tx_lidx tx_mesh_find_unbalanced(const tx_mesh *mesh, int8_t *mark);

/** Collective. Fill mesh->ghosts from its octants and regions. */
tx_status tx_ghost_plan_create(tx_mesh *mesh);
void tx_ghost_plan_destroy(tx_ghost_plan *plan);

/** What the tables of a mesh hold on a rank. */
typedef struct tx_mesh_counts {
  size_t local, ghost; /**< octants */
  size_t slabs;        /**< of all lists of the ghost plan */
  size_t sources;      /**< of interpolation */
  size_t messages;
} tx_mesh_counts;

/** Fill the counts of the ghost plan. Local. */
void tx_ghost_plan_count(const tx_mesh *mesh, tx_mesh_counts *c);

/** Bytes of the tables of a ghost plan, and of a mesh with its plan. Local. */
size_t tx_ghost_plan_bytes(const tx_mesh_counts *c);
size_t tx_mesh_counts_bytes(const tx_mesh_counts *c);

/** Slabs of region r of octant dst, one a known source; returns their number. Local. */
int tx_region_slabs(const tx_mesh *mesh, tx_lidx dst, int r, const tx_region *region,
                    tx_slab out[4]);

static inline int64_t tx_slab_points(const tx_slab *slab) {
  return (int64_t)slab->n[0] * slab->n[1] * slab->n[2];
}

/** List what became of the old mesh's octants in the leaves `now` of the same rank. Local. */
tx_status tx_transfer_compare(const tx_mesh *old, tx_lidx n_now, const tx_octant *now,
                              tx_transfer *t);

/** Find who sends what to whom when made octants [old_first[r], old_first[r + 1]) of each rank r
 *  become [new_first[r], new_first[r + 1]). Local. */
tx_status tx_transfer_moves(int rank, int size, const tx_gidx *old_first, const tx_gidx *new_first,
                            tx_transfer *t);
