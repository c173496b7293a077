/* The mesh: a forest of octrees as flat tables.
 *
 * The domain is a brick of trees, one or several along its extent. Each leaf octant owns a half-open lattice of
 * TX_N^3 points x_i = x_0 + i h, h = size / TX_N; its patch has TX_K ghost points a side more. A mesh
 * is an immutable snapshot of the forest with everything that filling patches, transferring data and finding points
 * need; it does not change when the forest is adapted. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include "base/grid.h"
#include "base/status.h"
#include "base/types.h"

/** Condition at a face of the domain. */
typedef enum tx_face { TX_FACE_OUTER, TX_FACE_REFLECT, TX_FACE_PERIODIC } tx_face;

/** [-extent, extent) in each dimension, or [0, extent) where `low` reflects. A dimension is periodic on
 *  both sides or on neither; only the low side may reflect. */
typedef struct tx_domain {
  double extent; /**< L, M */
  int trees;     /**< side by side along L; 0 counts as 1 */
  tx_face low[3], high[3];
} tx_domain;

/** One leaf. Indices of octants on a rank: local ones 0 .. n_local-1 in Morton order, then ghosts. */
typedef struct tx_octant {
  int32_t x[3]; /**< position in octant sizes of its level from the low corner of the domain */
  int8_t level;
  int32_t owner; /**< rank */
  tx_gidx index; /**< among all leaves, in Morton order */
} tx_octant;

/** How the 26 regions around an octant are covered; all of a region by one kind. */
typedef enum tx_region_kind {
  TX_REGION_SAME,    /**< an octant of the same level */
  TX_REGION_FINER,   /**< octants one level finer: 4 at a face, 2 at an edge, 1 at a corner */
  TX_REGION_COARSER, /**< part of an octant one level coarser */
  TX_REGION_OUTER,   /**< outside, beyond at least one outer face */
} tx_region_kind;

/** A region of a patch. Beyond reflecting faces `octant` is what covers the mirror image. The octant's
 *  own region, number 13, is of kind SAME and names itself. Sources may be ghosts: one, or for FINER
 *  those that touch in z, y, x order; unused entries are -1. */
typedef struct tx_region {
  uint8_t kind;   /**< tx_region_kind */
  uint8_t mirror; /**< bit d: dimension d is reflected on the way to the source */
  tx_lidx octant[4];
} tx_region;

/** Number of the region in direction (dx, dy, dz), each -1, 0, 1; 13 is the octant itself. */
#define TX_REGION(dx, dy, dz) (((dz) + 1) * 9 + ((dy) + 1) * 3 + (dx) + 1)

/** How a slab's values come from its source. */
typedef enum tx_slab_kind {
  TX_SLAB_COPY,   /**< same level */
  TX_SLAB_INJECT, /**< every second point of a finer octant */
  TX_SLAB_INTERP, /**< from the patch of a coarser octant, midpoints by Lagrange stencils */
} tx_slab_kind;

/** A box of ghost points of one patch and where its values come from.
 *
 *  Point (i, j, k), 0 <= i < n[0] ..., is point lo + (i, j, k) of the patch of `dst` (origin at the
 *  octant's first own point) and point from + step * (i, j, k) of `src`: in points of src for COPY and
 *  INJECT (within 0 .. TX_N-1), in half spacings of src for INTERP (odd: midpoint). step is negative
 *  where mirrored; values are multiplied by the variable's parity in every mirrored dimension. */
typedef struct tx_slab {
  tx_lidx dst, src;
  uint8_t kind, mirror;
  int8_t lo[3], n[3];
  int16_t from[3];
  int8_t step[3];
  int64_t at; /**< first point of the dense box [n2][n1][n0] in its buffer; -1: straight from src */
} tx_slab;

/** A message to or from one rank: points [at, at + n) of a buffer. */
typedef struct tx_message {
  int rank;
  int64_t at, n;
} tx_message;

/** Everything needed to fill patches. Buffers count points: multiply by the number of variables; a
 *  slab of v variables is [v][n2][n1][n0] at v * at.
 *
 *  Slots hold values that a patch cannot take from a local octant of its own level or finer. Order of
 *  the slot buffer: received in phase 1, received in phase 2, interpolated here.
 *
 *  To fill: pack send1, exchange phase 1; for every interpolation source build the patch from
 *  direct and phase-1 slabs, interpolate into slots or send2; exchange phase 2. Then a patch is its
 *  octant's points, its direct slabs, its slot slabs, and, last, extrapolation across outer faces. */
typedef struct tx_ghost_plan {
  /** COPY and INJECT from local octants, by dst: direct_start[n_local + 1]. */
  tx_slab *direct;
  tx_lidx *direct_start;
  /** Every slab read from slots (kind: what filled it), by dst: slot_start[n_local + 1]. Those of phase 1
   *  come first; slot_phase2[dst] starts the rest. */
  tx_slab *slot;
  tx_lidx *slot_start;
  tx_lidx *slot_phase2;
  /** COPY and INJECT from local octants to ghosts, into send buffer 1. */
  tx_slab *send1;
  tx_lidx n_send1;
  /** Octants from whose patches ghosts are interpolated; the first n_source_early of them need nothing from other
   *  ranks in phase 1. */
  tx_lidx *source;
  tx_lidx n_source, n_source_early;
  /** INTERP slabs by source: interp_start[n_source + 1]. `at` counts in slots where dst is local, in send
   *  buffer 2 where it is a ghost. */
  tx_slab *interp;
  tx_lidx *interp_start;
  tx_lidx
      n_dst; /**< a slab of `interp` with dst >= n_dst is for another rank; n_local but for levels' grids */
  /** Local octants that need nothing from other ranks, and those that do: slabs of phase 1 or 2, or local
   *  interpolation from a patch that waits for phase 1. */
  tx_lidx *interior, *boundary;
  tx_lidx n_interior, n_boundary;
  /** [n_local] bit 2 * dim + side: that face of the octant is an outer boundary. */
  uint8_t *outer;
  /** Sizes of the buffers and the messages in them; recv: at in the slot buffer. */
  int64_t slot_points, send1_points, send2_points;
  tx_message *send1_to, *recv1_from, *send2_to, *recv2_from;
  int n_send1_to, n_recv1_from, n_send2_to, n_recv2_from;
} tx_ghost_plan;

/** A snapshot of the forest, read-only once it is complete. Owns its tables. */
typedef struct tx_mesh {
  MPI_Comm comm; /**< borrowed */
  int rank, size;
  tx_domain domain;
  uint64_t revision; /**< grows with every change of the forest */
  tx_lidx n_local, n_ghost;
  tx_gidx n_global, first;         /**< first: index of local octant 0 */
  tx_gidx level_count[TX_LEVELS];  /**< octants of each level over all ranks */
  int level_lowest, level_highest; /**< levels present anywhere */
  tx_octant *octant;               /**< [n_local + n_ghost] */
  tx_region (*region)[27];         /**< [n_local] */
  bool has_regions;                /**< on all ranks, also where n_local is 0 */
  tx_ghost_plan ghosts;
  /** Ghosts that rank r owns: n_local + ghost_start[r] up to ghost_start[r + 1]. Local octants that are
   *  ghosts on rank r, in their order there: mirror[mirror_start[r]] up to mirror_start[r + 1]. */
  tx_lidx *ghost_start, *mirror_start, *mirror;
  struct tx_octant_hash *hash; /**< (level, x) -> index */
  /** Plan of the grid of a level (octree/level.h), NULL for the leaves of a forest; and how many of its local octants,
   *  which come first, are leaves: all of them for the leaves of a forest. */
  struct tx_level_plan *level;
  tx_lidx n_leaf;
} tx_mesh;

/** The forest itself. */
typedef struct tx_octree tx_octree;

/** Return the number of octants that tile the domain on `level`. Local. */
tx_gidx tx_domain_octants(const tx_domain *domain, int level);

/** Collective. Create a forest with all leaves on `level`, 0 to 18 (p4est's limit), evenly partitioned.
 *  Borrows `comm`; *out is owned by the caller. Errors: TX_ERR_MESH for impossible domains and levels. */
tx_status tx_octree_create(MPI_Comm comm, const tx_domain *domain, int level, tx_octree **out);
void tx_octree_destroy(tx_octree *tree);

/** Have tx_octree_adapt call `allows`, the same on all ranks, with `data` and the number of octants that
 *  the forest would have over all ranks, and fails if it fails. NULL: no check. Local. Borrows `data`. */
void tx_octree_guard(tx_octree *tree, tx_status (*allows)(const void *data, tx_gidx octants),
                     const void *data);

/** A leaf of a list: its position as in tx_octant. */
typedef struct tx_leaf {
  int32_t x[3], level;
} tx_leaf;

/** Collective. Create the forest whose leaves, in Morton order over all ranks, are leaf[n], the same list on every rank
 *  (the octants of the meshes of all ranks, by index); evenly partitioned, as tx_octree_adapt does without weights.
 *  Balance is not checked here, tx_mesh_create does. Borrows `comm`; *out is owned by the caller. Errors:
 *  TX_ERR_MESH for impossible domains, and unless the list tiles the domain in order. */
tx_status tx_octree_create_from(MPI_Comm comm, const tx_domain *domain, tx_gidx n,
                                const tx_leaf *leaf, tx_octree **out);

/** Collective. Create the tables of the forest as it is. The caller owns the mesh. Errors: TX_ERR_MESH when a
 *  region of an octant is covered by leaves that differ by more than one level. */
tx_status tx_mesh_create(const tx_octree *tree, tx_mesh **out);

/** Collective. Create a mesh in parts: first octants and counts, which suffice to create fields and transfer data to them; then
 *  regions, which suffice for tx_octree_adapt; at the end regions, if they are not there yet, and ghosts. After a failure the
 *  mesh can only be destroyed. */
tx_status tx_mesh_begin(const tx_octree *tree, tx_mesh **out);
tx_status tx_mesh_regions(tx_mesh *mesh);
tx_status tx_mesh_end(tx_mesh *mesh);
void tx_mesh_destroy(tx_mesh *mesh);

/** Change of one octant between two meshes, on the rank that owns it in the old mesh. */
typedef enum tx_change { TX_KEEP_OCTANT, TX_REFINE_OCTANT, TX_COARSEN_OCTANT } tx_change;

typedef struct tx_octant_remap {
  uint8_t change; /**< tx_change */
  uint8_t child;  /**< REFINE: which child (x + 2y + 4z) of `old` this is */
  tx_lidx old;    /**< octant of the old mesh; COARSEN: the first of eight in a row */
} tx_octant_remap;

/** How data are transferred from the old mesh to the new one: first each rank remaps its octants (refine: prolong
 *  from the old patch; coarsen: restrict by injection), then whole octants are redistributed. */
typedef struct tx_transfer {
  uint64_t from_revision, to_revision;
  /** Octants remapped on this rank before they are redistributed. */
  tx_lidx n_remap;
  tx_octant_remap *remap;
  /** Messages count octants. send: at in `remap`; recv: at among the new local octants. */
  tx_message *send, *recv;
  int n_send, n_recv;
  /** Octants that stay on this rank: [stay_from, +n_stay) of `remap` become [stay_to, +n_stay). */
  tx_lidx stay_from, stay_to, n_stay;
  /** Over all ranks: octants refined, families coarsened. */
  tx_gidx n_refined, n_coarsened;
} tx_transfer;

/** Input of tx_octree_adapt. */
typedef struct tx_adaptation {
  /** [n_local] -1: may be coarsened, which happens if all eight siblings want it; 0; +1: is refined. */
  const int8_t *flag;
  int level_min, level_max;   /**< levels stay within */
  const int *weight_of_level; /**< by which leaves are cut into ranks; NULL: equal weights */
} tx_adaptation;

/** Collective. Adapt the forest to the flags of the local octants of `mesh`, which is made from the present forest.
 *  2:1 balance over faces, edges, corners, periodic and mirrored faces is restored by refining; leaves are then
 *  partitioned so that families stay together. No octant changes by more than one level. The leaves do not depend
 *  on the number of ranks. *out describes the transfer of data and is owned by the caller; if nothing changed its
 *  two revisions are equal, it may list nothing, and the mesh can still be used. Errors, the forest being left as
 *  it was: TX_ERR_MESH when `mesh` is not of the forest's revision, for impossible levels, and for weights that are
 *  not positive; those of the guard. */
tx_status tx_octree_adapt(tx_octree *tree, const tx_mesh *mesh, const tx_adaptation *to,
                          tx_transfer **out);
void tx_transfer_destroy(tx_transfer *transfer);

/** Return the number of trees along the extent. Local. */
static inline int tx_domain_row(const tx_domain *domain) {
  return domain->trees > 0 ? domain->trees : 1;
}

/** Return the size of an octant and spacing of points on a level, M. Local. */
static inline double tx_mesh_size(const tx_mesh *mesh, int level) {
  return mesh->domain.extent / (double)((int64_t)tx_domain_row(&mesh->domain) << level);
}
static inline double tx_mesh_spacing(const tx_mesh *mesh, int level) {
  return tx_mesh_size(mesh, level) / TX_N;
}

/** Return the coordinate of the low side of octants number i of a level in dimension d, M. Those of i and of its mirror image
 *  differ by the sign alone. Local. */
static inline double tx_mesh_side(const tx_mesh *mesh, int d, int level, int32_t i) {
  bool half = mesh->domain.low[d] == TX_FACE_REFLECT;
  return (i - (half ? 0 : tx_domain_row(&mesh->domain) << level)) * tx_mesh_size(mesh, level);
}

/** Find the coordinates of the first point of octant b (local or ghost), M. Local. */
static inline void tx_mesh_origin(const tx_mesh *mesh, tx_lidx b, double x0[3]) {
  const tx_octant *o = &mesh->octant[b];
  for (int d = 0; d < 3; d++) x0[d] = tx_mesh_side(mesh, d, o->level, o->x[d]);
}

/** Return bits of dimensions. Bit d: below the lower face of local octant b in dimension d lies a coarser octant. Its
 *  points on that face are the boundary of its level's region: with time steps of levels the coarser level evolves them.
 *  Local. */
static inline uint8_t tx_mesh_coarser_below(const tx_mesh *mesh, tx_lidx b) {
  static const int below[3] = {TX_REGION(-1, 0, 0), TX_REGION(0, -1, 0), TX_REGION(0, 0, -1)};
  unsigned bits = 0;
  for (int d = 0; d < 3; d++)
    bits |= (unsigned)(mesh->region[b][below[d]].kind == TX_REGION_COARSER) << d;
  return (uint8_t)bits;
}

/** Return the local octant that owns point x (half-open boxes), -1 if it is on another rank or outside. Local. */
tx_lidx tx_mesh_locate(const tx_mesh *mesh, const double x[3]);

/** Octants and messages of a rank if the leaves were partitioned among another number of ranks; see tx_ghost_plan. */
typedef struct tx_rank_load {
  tx_gidx first; /**< index of its first octant */
  tx_lidx n_local, n_ghost, n_boundary;
  int64_t slot_points, send1_points, send2_points;
  int64_t recv_points;                                    /**< of both phases */
  int n_send1_to, n_recv1_from, n_send2_to, n_recv2_from; /**< messages */
  size_t mesh_bytes;                                      /**< of the tables of its mesh */
} tx_rank_load;

/** Find the index of the first octant of each of `ranks` ranks, and at the end of all octants, as tx_octree_adapt
 *  without weights cuts the leaves: evenly, and a family that a cut would part goes to the rank with most
 *  of it. `mesh` has all leaves on one rank. [out] first[ranks + 1]. Local. Errors: TX_ERR_USAGE for a
 *  mesh of several ranks. */
tx_status tx_partition_cuts(const tx_mesh *mesh, int ranks, tx_gidx *first);

/** Count the octants and messages of each of `ranks` ranks, exactly. `mesh` has all leaves on one rank. [out] load[ranks].
 *  Local. Errors: TX_ERR_USAGE for a mesh of several ranks, TX_ERR_MEMORY. */
tx_status tx_partition_report(const tx_mesh *mesh, int ranks, tx_rank_load *load);
