/* Shared by the files of the octree: the forest's handle, the hash of leaves, steps of building a
 * mesh. Not for other folders. */
#pragma once

#include "base/hash.h"
#include "octree/octree.h"

struct p8est;
struct p8est_quadrant;
struct p8est_connectivity;

struct tx_octree {
  MPI_Comm comm;
  tx_domain domain;
  uint64_t revision;
  bool weighted; /**< the cuts between ranks follow weights */
  tx_status (*allows)(const void *data, tx_gidx octants); /**< tx_octree_guard */
  const void *allows_data;
  struct p8est *forest;
  struct p8est_connectivity *connectivity;
};

/** Loops over fewer octants than this are not worth the threads. */
enum { TX_OCTANTS_SERIAL = 512 };

/** Open addressing; a free entry has key 0. */
typedef struct tx_octant_entry {
  uint64_t key;
  tx_lidx value;
} tx_octant_entry;
typedef struct tx_octant_hash {
  tx_octant_entry *entry;
  uint64_t mask; /**< room - 1, room a power of two */
  int shift;     /**< 64 - log2(room) */
} tx_octant_hash;

/** Return how many levels one tree along the extent would need more, for octants as many: log2 of the trees, rounded up.
 */
static inline int tx_domain_levels(const tx_domain *domain) {
  int levels = 0;
  while (1 << levels < tx_domain_row(domain)) levels++;
  return levels;
}

/** Return the finest level there can be, so that positions fit in 21 bits. */
static inline int tx_domain_level_most(const tx_domain *domain) {
  return TX_LEVELS - 1 - tx_domain_levels(domain);
}

/** Return one number for a level and a position: a bit above all bits of x tells the level. */
static inline uint64_t tx_octant_key(const tx_domain *domain, int level, const int32_t x[3]) {
  uint64_t tagged = (uint64_t)x[0] | (uint64_t)1 << (level + tx_domain_levels(domain) + 1);
  return tagged << 42 | (uint64_t)x[1] << 21 | (uint64_t)x[2];
}

/** Return the index of the leaf, -1 if it is neither local nor a ghost. Local. */
static inline tx_lidx tx_octant_find(const tx_mesh *mesh, int level, const int32_t x[3]) {
  const tx_octant_hash *hash = mesh->hash;
  uint64_t key = tx_octant_key(&mesh->domain, level, x);
  uint64_t at = tx_hash_place(key, hash->shift);
  for (; hash->entry[at].key != 0; at = (at + 1) & hash->mask)
    if (hash->entry[at].key == key) return hash->entry[at].value;
  return -1;
}

/** Return which child of its parent the octant at x is: x + 2y + 4z. */
static inline int tx_child_number(const int32_t x[3]) {
  return (x[0] & 1) + 2 * (x[1] & 1) + 4 * (x[2] & 1);
}
static inline int tx_octant_child(const tx_octant *o) {
  return tx_child_number(o->x);
}

/** Return whether all eight children of one parent are leaves of this rank, the first being octant `eldest`. (They
 *  follow each other.) */
static inline bool tx_octant_is_family(const tx_mesh *mesh, tx_lidx eldest) {
  if (eldest < 0 || eldest + 8 > mesh->n_local || mesh->octant[eldest].level == 0) return false;
  const tx_octant *first = &mesh->octant[eldest], *last = first + 7;
  if (first->level != last->level) return false;
  for (int d = 0; d < 3; d++)
    if ((first->x[d] & 1) != 0 || last->x[d] != first->x[d] + 1) return false;
  return true;
}

/** Return the number of octants of level 0 in a dimension: a reflected domain is half as wide. */
static inline int tx_domain_trees(const tx_domain *domain, int d) {
  return tx_domain_row(domain) * (domain->low[d] == TX_FACE_REFLECT ? 1 : 2);
}

/** Return the position and level of a quadrant of p4est. Local. */
tx_octant tx_octant_of(const tx_octree *tree, int32_t which_tree, const struct p8est_quadrant *q);

/** Hash the octants of a mesh. Local. */
tx_status tx_octant_hash_create(tx_mesh *mesh);

/** Collective. List the octants of the forest, local then ghost, in a mesh that has its counts from here.
 */
tx_status tx_octree_leaves(const tx_octree *tree, tx_mesh *mesh);

/** List the local octants of the forest as it is, without ghosts: [out] owned by the caller. Local. */
tx_status tx_octree_local(const tx_octree *tree, tx_lidx *n, tx_octant **out);

/** Directions of the 27 regions. */
extern const int tx_region_direction[27][3];

/** The boxes of an octant's size beside it along one dimension, brought into the domain, by direction + 1. */
typedef struct tx_beside {
  int32_t x[3];
  uint8_t mirror[3]; /**< this dimension's bit where x is that of a mirror image */
  bool outside[3];   /**< beyond an outer face */
} tx_beside;

/** Find the boxes beside an octant by dimension. Local. */
void tx_beside_find(const tx_domain *domain, const tx_octant *o, tx_beside out[3]);

/** Find the box in direction dir: position t and mirrored dimensions; false if it lies beyond an outer face. Local. */
static inline bool tx_beside_fold(const tx_beside around[3], const int dir[3], int32_t t[3],
                                  uint8_t *mirror) {
  int i = dir[0] + 1, j = dir[1] + 1, k = dir[2] + 1;
  *mirror = 0;
  if (around[0].outside[i] | around[1].outside[j] | around[2].outside[k]) return false;
  t[0] = around[0].x[i];
  t[1] = around[1].x[j];
  t[2] = around[2].x[k];
  *mirror = around[0].mirror[i] | around[1].mirror[j] | around[2].mirror[k];
  return true;
}

/** Find what covers the region in direction dir of octant o. False if some of it is covered by no
 *  leaf that is local or a ghost and at most one level away; those octants are -1. Local. */
bool tx_region_find(const tx_mesh *mesh, const tx_octant *o, const int dir[3], tx_region *out);

/** Find what covers all 27 regions of n octants from `first` on, local or ghosts; returns the first of them with a
 *  region that is not covered, n if all are. Local. */
tx_lidx tx_regions_find(const tx_mesh *mesh, tx_lidx first, tx_lidx n, tx_region (*out)[27]);

/** Fill mesh->region. Local. Errors: TX_ERR_MESH unless all regions are covered. */
tx_status tx_regions_create(tx_mesh *mesh);

/** Which local octants an adaptation refines (+1) and coarsens (-1, all eight of a family). */
typedef struct tx_steps {
  int8_t *step;           /**< [n_local + n_ghost], owned by the caller of tx_balance_steps */
  bool refines, coarsens; /**< does any rank? */
} tx_steps;

/** Collective. Find the least changes that satisfy the flags (see tx_octree_adapt), and keep octants that touch
 *  within a level of each other. `mesh` is balanced. */
tx_status tx_balance_steps(const tx_mesh *mesh, const int8_t *flag, int level_min, int level_max,
                           tx_steps *out);

/** Collective. Fill mesh->ghosts from its octants and regions. */
tx_status tx_ghost_plan_create(tx_mesh *mesh);
void tx_ghost_plan_destroy(tx_ghost_plan *plan);

/** Numbers of entries in the tables of a mesh on a rank. */
typedef struct tx_mesh_counts {
  size_t ranks;
  size_t local, ghost, mirror; /**< octants */
  size_t slabs;                /**< of all lists of the ghost plan */
  size_t sources;              /**< of interpolation */
  size_t messages;
} tx_mesh_counts;

/** Fill the counts of the ghost plan. Local. */
void tx_ghost_plan_count(const tx_mesh *mesh, tx_mesh_counts *c);

/** Return the bytes of the tables of a ghost plan, and of a mesh with its plan. Local. */
size_t tx_ghost_plan_bytes(const tx_mesh_counts *c);
size_t tx_mesh_counts_bytes(const tx_mesh_counts *c);

/** Find the slab of region r of octant dst that comes from the region's source c, which is known. Local. */
void tx_region_slab(const tx_mesh *mesh, tx_lidx dst, int r, const tx_region *region, int c,
                    tx_slab *out);

/** Fill in lo, n, from and step of a slab of region r from its kind and mirror; `half`, by dimension: whether the octant
 *  (INJECT: src; INTERP: the box of dst's size that the region lies in) is the upper one of its parent. Local. */
void tx_slab_shape(int r, const int half[3], tx_slab *slab);

/** Return the number of points of a slab of region r, by the region's kind (not OUTER). Local. */
int64_t tx_region_points(int r, tx_region_kind kind);

static inline int64_t tx_slab_points(const tx_slab *slab) {
  return (int64_t)slab->n[0] * slab->n[1] * slab->n[2];
}

/** List what became of the old mesh's octants in the leaves `now` of the same rank. Local. */
tx_status tx_transfer_compare(const tx_mesh *old, tx_lidx n_now, const tx_octant *now,
                              tx_transfer *t);

/** Find the messages of the redistribution, when remapped octants [old_first[r], old_first[r + 1]) of each rank r
 *  become [new_first[r], new_first[r + 1]). Local. */
tx_status tx_transfer_messages(int rank, int size, const tx_gidx *old_first,
                               const tx_gidx *new_first, tx_transfer *t);

/** Return the faces of an octant that are outer ones, as in tx_ghost_plan. Local. */
uint8_t tx_outer_faces(const tx_mesh *mesh, const tx_octant *o);

/** List one message for each other rank that has points, from `at` on. *out is owned by the caller. Local. */
tx_status tx_messages_list(const tx_mesh *mesh, const int64_t *points, int64_t at, tx_message **out,
                           int *n_out);

/** Local. Destroy a plan, or NULL. */
void tx_level_plan_destroy(struct tx_level_plan *plan);
