/* Inside the CPU backend: threads' buffers, slabs and patches. */
#pragma once

#include <math.h>

#include "exec/backend.h"

/** Doubles behind a thread's patch that row operations may read. */
#define TX_CPU_PAD 64

/** Least room in a thread's block, in variables: boxes for other ranks and constraints fit. */
enum { TX_CPU_BLOCK_VARS = 24 };

/** Work space of one thread. Each on cache lines of its own. */
typedef struct tx_cpu_thread {
  double *patch;  /**< [max_vars][TX_P3] and TX_CPU_PAD more */
  double *block;  /**< [max(max_vars, TX_CPU_BLOCK_VARS)][TX_N3] */
  void *work;     /**< scratch of systems, see tx_cpu_work; NULL: not yet */
  double diag[2]; /**< see tx_exec_algebraic */
  char line[64];
} tx_cpu_thread;

/** Tables of interpolation. */
typedef struct tx_cpu_lines tx_cpu_lines;

/** Points of a child that are injected into its parent. */
enum { TX_CPU_CHILD = TX_N3 / 8 };

/** Where a slab's points are in a buffer of boxes, of n_vars variables: point (i, j, k) of variable v at n_vars * at + v *
 *  var + first + k * z + j * y + i * x. */
typedef struct tx_cpu_cut {
  int64_t at;
  int32_t first, var, z, y;
  int8_t x;
  uint8_t mirror; /**< as in tx_slab: what is still to be reflected */
} tx_cpu_cut;

/** A slab for another rank's refinement boundary: number in tx_ghost_plan.interp of the coarser grid, and where it is in
 *  its box. */
typedef struct tx_cpu_sent {
  tx_lidx slab;
  tx_cpu_cut cut;
} tx_cpu_sent;

/** Most points of a box. */
enum { TX_CPU_BOX = TX_K * 2 * TX_N * 2 * TX_N };

/** The refinement boundary of a level's grid as the CPU stores it: what other ranks send, slab after slab in the order of
 *  tx_level_plan, then boxes of the fine lattices of octants of the coarser grid, each interpolated here once for all slabs
 *  that are part of it. */
typedef struct tx_cpu_level_boundary {
  int64_t points; /**< of the block: received, boxes */
  tx_slab *box;   /**< INTERP, step 1, not mirrored; `at` in the block, -1: for other ranks alone */
  tx_lidx *box_start;  /**< [coarser's n_source + 1] */
  uint32_t *regions;   /**< [coarser's n_source] of the source's patch that its boxes read */
  tx_cpu_sent *sent;   /**< by box */
  tx_lidx *sent_start; /**< [boxes + 1] */
  tx_cpu_cut *slot;    /**< by number in tx_ghost_plan.slot: of its slabs of phase 2 */
  tx_cpu_cut *plane;   /**< by number in tx_level_plan.plane */
} tx_cpu_level_boundary;

/** Further work space of plans of levels' grids, for max_vars. */
typedef struct tx_cpu_level {
  tx_cpu_level_boundary boundary;
  double *states;               /**< stored stages, `part` doubles each; NULL: not yet */
  bool lent;                    /**< they are the caller's */
  size_t part;                  /**< of one, whole lines of memory */
  double *made;                 /**< refinement boundary of a field: a combination of them */
  double *sent, *received;      /**< children, [n_vars][TX_CPU_CHILD] each */
  MPI_Request *stage_requests;  /**< receives of each stored stage */
  MPI_Request *inject_requests; /**< receives, sends */
} tx_cpu_level;

typedef struct tx_cpu {
  tx_cpu_thread *thread;
  tx_cpu_lines *lines;
  int n_threads;
  size_t work_bytes; /**< of each thread's `work` */
  double *slots, *send1,
      *send2; /**< of tx_ghost_plan, for max_vars; the slots without a level's refinement boundary */
  /** Receives of phase 1, of phase 2, sends of phase 1, of phase 2. On grids of levels the last are those of stored stages of
   *  the next finer grid. */
  MPI_Request *requests;
  tx_cpu_level *level; /**< NULL: a plan of leaves */
} tx_cpu;

/** Return stored stage k. */
static inline double *tx_cpu_stored_stage(const tx_cpu_level *level, int k) {
  return level->states + (size_t)k * level->part;
}

/** Return the calling thread's buffers, inside a parallel region or outside. */
tx_cpu_thread *tx_cpu_here(const tx_exec *x);

/** Return the values of octant b of f. */
static inline double *tx_cpu_block(const tx_field *f, tx_lidx b) {
  return f->data + (size_t)b * (size_t)f->n_vars * TX_N3;
}

/** Return the values of an octant of a field in single precision. */
static inline float *tx_cpu_singles(const tx_field *f, tx_lidx b) {
  return (float *)f->data + (size_t)b * TX_N3;
}

/** Return the values of octant b of a field of one variable, to read and write: its own, or, of a single field, what they
 *  are in `room`. */
double *tx_cpu_open(const tx_field *f, tx_lidx b, double room[TX_N3]);
/** Return an octant that is about to be written in full: `room` is not filled. */
static inline double *tx_cpu_open_new(const tx_field *f, tx_lidx b, double room[TX_N3]) {
  return f->single ? room : tx_cpu_block(f, b);
}
/** Store the values that were written: a single field takes them from `room`. */
void tx_cpu_close(const tx_field *f, tx_lidx b, const double room[TX_N3]);

/** Return the sign of variable v under the reflections in `mirror`. */
static inline double tx_cpu_sign(const int8_t (*parity)[3], int v, unsigned mirror) {
  int sign = 1;
  for (int d = 0; d < 3; d++)
    if (mirror >> d & 1) sign *= parity[v][d];
  return sign;
}

/** Where a box of points lies: point (i, j, k) of variable v at p[v * var + k * z + j * y + i], or, of one variable in single
 *  precision, at s[k * z + j * y + i]; the other one is NULL. */
typedef struct tx_cpu_box {
  double *p;
  ptrdiff_t var, z, y;
  float *s;
} tx_cpu_box;

/** Where points come from: (i, j, k) of variable v is p[v * var + k * z + j * y + i * x], or s likewise, still to be
 *  reflected in the dimensions `mirror`. */
typedef struct tx_cpu_source {
  const double *p;
  ptrdiff_t var, z, y, x;
  uint8_t mirror;
  const float *s;
} tx_cpu_source;

/** Copy n points of each variable. */
void tx_cpu_box_copy(const int8_t n[3], int n_vars, const int8_t (*parity)[3], tx_cpu_source from,
                     tx_cpu_box to);

/** Return the points of a slab: of COPY or INJECT in octant b of a field; of any kind in a dense buffer; as cut from a box
 *  whose first variable begins at `values`. */
tx_cpu_source tx_cpu_source_of(const tx_slab *s, const tx_field *f, tx_lidx b);
tx_cpu_source tx_cpu_source_dense(const tx_slab *s, const double *dense);
tx_cpu_source tx_cpu_source_cut(const tx_cpu_cut *cut, const double *values);

/** Copy a slab of COPY or INJECT from octant b of a field to a box; parity NULL: nothing is mirrored. */
void tx_cpu_slab_copy(const tx_slab *s, const int8_t (*parity)[3], const tx_field *f, tx_lidx b,
                      tx_cpu_box to);
/** Return the points of octant b of a field from point number `first` on. */
tx_cpu_box tx_cpu_box_in(const tx_field *f, tx_lidx b, int first);
/** Interpolate a slab of INTERP, each n[d] TX_K or TX_N, from a patch with TX_CPU_PAD behind it to dense
 *  [n_vars][n2][n1][n0]. */
void tx_cpu_slab_interpolate(const tx_cpu_lines *lines, const tx_slab *s, int n_vars,
                             const int8_t (*parity)[3], const double *patch, double *dense);
/** Prolong to child `child` (x + 2y + 4z) the octant that a patch, likewise, belongs to, by centred stencils:
 *  [n_vars][TX_N3]. */
void tx_cpu_prolong(const tx_cpu_lines *lines, unsigned child, int n_vars, const double *patch,
                    double *out);
/** Find the box of points low .. high of the patch that the ghosts of a slab are interpolated from. */
void tx_cpu_slab_needs(const tx_cpu_lines *lines, const tx_slab *s, int low[3], int high[3]);
/** Interpolate a slab of INTERP, step 1 and not mirrored, by centred stencils at every midpoint, likewise. Mirror images of
 *  data give mirror images, to the last bit. */
void tx_cpu_slab_centred(const tx_slab *s, int n_vars, const double *patch, double *dense);
/** Find the box of points low .. high of the patch that it reads. */
void tx_cpu_centred_needs(const tx_slab *s, int low[3], int high[3]);
/** Create tables of interpolation along lines. The caller owns the tables; free with tx_free. */
tx_status tx_cpu_lines_create(tx_cpu_lines **out);

/** Fill n numbers with NaN. */
static inline void tx_cpu_poison_fill(double *p, int64_t n) {
  for (int64_t i = 0; i < n; i++) p[i] = NAN;
}

/** Allocate scratch for a system in every thread. Local; errors: TX_ERR_MEMORY. */
tx_status tx_cpu_work(tx_exec *x, const tx_system *system);

/** Fill the ghosts beyond the octant's faces `outer` (TX_FACE_BIT) by extrapolation, all others being
 *  filled: polynomials through the TX_OUTER_POINTS nearest points, dimension after dimension. */
void tx_cpu_extrapolate(unsigned outer, int n_vars, double *patch);

/** Fill them for one variable's patch [TX_P3] of octant b by TX_OUTER_ROBIN instead. */
void tx_cpu_robin(const tx_mesh *mesh, tx_lidx b, const tx_field_var *var, double *patch);

/** Return the regions that the points low .. high of a patch lie in, as bits. */
uint32_t tx_cpu_regions(const int low[3], const int high[3]);

/** Sources of the patch of an octant: the octant itself and slabs, the later ones over the earlier. */
typedef struct tx_cpu_pieces {
  const tx_field *f;
  tx_lidx octant;
  bool phase2; /**< with the slabs of phase 2, and beyond outer faces what tx_outer says */
  int n;
  struct {
    tx_cpu_source from;
    int to;          /**< first point in a variable's patch */
    uint32_t region; /**< as a bit */
    int8_t n[3];
  } piece[1 + 6 * 4 + 12 * 2 + 8];
} tx_cpu_pieces;

/** Find the pieces of the patch of octant b of f. They are valid as long as the ghosts. */
void tx_cpu_pieces_find(const tx_exec *x, const tx_field *f, tx_lidx b, bool phase2,
                        tx_cpu_pieces *out);

/** Which part of a patch to build. */
typedef struct tx_cpu_part {
  int first, n; /**< variables */
  uint32_t
      regions; /**< bit TX_REGION: at least these regions are wanted; all of them at an outer face */
} tx_cpu_part;

/** Build a part of a patch: [part.n][TX_P3]. */
void tx_cpu_patch_part(const tx_cpu_pieces *pieces, tx_cpu_part part, double *patch);
/** Build all of the patch of octant b: [n_vars][TX_P3]. */
void tx_cpu_patch(const tx_exec *x, const tx_field *f, tx_lidx b, double *patch);

/** Fill send buffer 1; interpolate from sources [first, last) into slots and send buffer 2. */
tx_status tx_cpu_pack(tx_exec *x, const tx_field *f);
tx_status tx_cpu_interpolate(tx_exec *x, const tx_field *f, tx_lidx first, tx_lidx last);
/** Interpolate from all sources of the coarser grid, by centred stencils, into stored stage k and the coarser grid's send
 *  buffer 2. */
void tx_cpu_stage_interpolate(tx_exec *fine, int k, const tx_field *f);

/** Start messages of stored stages: receives into state k of `fine`, sends of send buffer 2 of `coarse`. `wait` and `sent`:
 *  until they are done. */
tx_status tx_cpu_stage_receive(tx_exec *fine, int k, int n_vars);
tx_status tx_cpu_stage_send(tx_exec *coarse, int n_vars);
tx_status tx_cpu_stage_wait(tx_exec *fine, int k);
tx_status tx_cpu_stage_sent(tx_exec *coarse);
/** Send and receive children for injection. */
tx_status tx_cpu_children_begin(tx_exec *fine, int n_vars);
tx_status tx_cpu_children_end(tx_exec *fine);

/** Create the tables of a grid that has a coarser one. The caller frees with `destroy`, also after an error. Local. */
tx_status tx_cpu_level_boundary_create(const tx_mesh *fine, tx_cpu_level_boundary *out);
void tx_cpu_level_boundary_destroy(tx_cpu_level_boundary *e);

/** Create the tx_cpu_level of a plan; `destroy` waits for its messages. Local. */
tx_status tx_cpu_level_create(tx_exec *x);
void tx_cpu_level_destroy(tx_exec *x);
/** Fill it with NaN, after its messages. */
tx_status tx_cpu_level_poison(tx_exec *x);

/* The operations of backend.h, by file. */
tx_status tx_cpu_ghosts_begin(tx_exec *x, const tx_field *f);
tx_status tx_cpu_ghosts_end(tx_exec *x, const tx_field *f);
tx_status tx_cpu_fetch(tx_exec *x, const tx_set *set, const tx_field *f, uint32_t mask,
                       double *patches);

tx_status tx_cpu_stage(tx_exec *x, const tx_set *set, const tx_system_params *p,
                       const tx_stage *stage);
tx_status tx_cpu_rhs(tx_exec *x, const tx_set *set, const tx_system_params *p, const tx_field *u,
                     tx_field *out);
tx_status tx_cpu_update(tx_exec *x, const tx_set *set, const tx_field *k, const tx_stage *stage);
tx_status tx_cpu_outer_planes(tx_exec *x, const tx_set *set, tx_field *f);
tx_status tx_cpu_enforce(tx_exec *x, const tx_set *set, const tx_system_params *p, tx_field *u);

tx_status tx_cpu_check(tx_exec *x, const tx_set *set, const tx_field *u, tx_lidx *octant, int *var,
                       int *point);
/** Return where octant b lies. Local. */
static inline tx_octant_place tx_cpu_place(const tx_mesh *mesh, tx_lidx b) {
  const int level = mesh->octant[b].level;
  tx_octant_place place = {
      .h = tx_mesh_spacing(mesh, level), .outer_faces = mesh->ghosts.outer[b], .level = level};
  tx_mesh_origin(mesh, b, place.x0);
  return place;
}

tx_status tx_cpu_analysis(tx_exec *x, const tx_set *set, const tx_system_params *p,
                          const tx_field *u, tx_field *out);
tx_status tx_cpu_constraints(tx_exec *x, const tx_set *set, const tx_field *u,
                             const tx_norms_of *of, tx_norm_part *parts);
tx_status tx_cpu_wavelet(tx_exec *x, const tx_set *set, const tx_field *u, uint32_t mask,
                         double *error);
tx_status tx_cpu_hash(tx_exec *x, const tx_set *set, const tx_field *f, uint64_t *out);

tx_status tx_cpu_fill(tx_exec *x, const tx_set *set, double value, tx_field *out);
tx_status tx_cpu_combine(tx_exec *x, const tx_set *set, const tx_combination *c, tx_field *out);
tx_status tx_cpu_pointwise(tx_exec *x, const tx_set *set, const tx_pointwise_call *call,
                           tx_field *out);
tx_status tx_cpu_narrow(tx_exec *x, const tx_set *set, double a, const tx_field *f, tx_field *out);
tx_status tx_cpu_widen(tx_exec *x, const tx_set *set, double a, const tx_field *f, tx_field *out);
tx_status tx_cpu_residual(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                          const tx_field *u, const tx_field *covered, tx_field *r);
tx_status tx_cpu_relax(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                       const tx_relaxation *step);
tx_status tx_cpu_dissipate(tx_exec *x, const tx_set *set, double sigma, const tx_field *u,
                           tx_field *out);
tx_status tx_cpu_squares(int n, tx_field *const f[], tx_squares out[]);
tx_status tx_cpu_restrict_level(tx_exec *fine, const tx_set *sent, const tx_field *r,
                                tx_field *scratch, tx_field *coarse);
tx_status tx_cpu_prolong_level(tx_exec *fine, const tx_field *v, tx_field *u);
tx_status tx_cpu_add_octants(tx_exec *x, const tx_set *set, const double *octants, tx_field *f);
tx_status tx_cpu_dot(tx_exec *x, const tx_set *set, const tx_field *f, const tx_field *g,
                     double *parts);
tx_status tx_cpu_norms(tx_exec *x, const tx_set *set, const tx_field *f, tx_field_part *parts);

tx_status tx_cpu_sample(tx_exec *x, const tx_field *f, const tx_sample *s);
tx_status tx_cpu_psi4(tx_exec *x, const tx_field *u, const tx_sample *s);
/** Compute one row of tx_exec_psi4. */
void tx_cpu_psi4_point(const tx_system *system, const double (*jets)[10], const double x[3],
                       double out[TX_PSI4_COLUMNS]);
tx_status tx_cpu_remap(tx_exec *x, const tx_field *f, const tx_octant_remap *remap, tx_lidx n,
                       double *out);
tx_status tx_cpu_redistribute(tx_exec *x, const tx_transfer *t, const double *send_buffer,
                              tx_field *out);
size_t tx_cpu_stored_stages_doubles(const tx_exec *fine);
void tx_cpu_stored_stages_lend(tx_exec *fine, double *block);
tx_status tx_cpu_stage_store(tx_exec *fine, int k, const tx_field *f, bool aside);
tx_status tx_cpu_level_boundary_make(tx_exec *fine, const double c[TX_STORED_STAGES], tx_field *f);
tx_status tx_cpu_inject(tx_exec *fine, const tx_field *f, tx_field *coarse);
tx_status tx_cpu_scatter(tx_exec *level, const double *blocks, tx_lidx first, tx_lidx n,
                         tx_field *f);
