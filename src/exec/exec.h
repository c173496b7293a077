/* Fields on a mesh, and the operations on them.
 *
 * tx_exec ties a mesh to a backend: it owns ghost slots, send buffers and patch buffers. A field is
 * u[octant][variable][z][y][x] in double precision over the local octants of the mesh it was made on;
 * operations refuse fields of another mesh revision (TX_ERR_MESH). All arguments live on the host;
 * fields live where the backend computes. */
#pragma once

#include <stdbool.h>
#include "base/status.h"
#include "base/types.h"
#include "exec/set.h"
#include "octree/octree.h"
#include "params/params.h"
#include "physics/system.h"

typedef struct tx_field tx_field;
typedef struct tx_initial_data tx_initial_data;
typedef struct tx_initial_map tx_initial_map;

/** Set or return the bytes of memory of the smallest GPU of all ranks; 0, the initial value: the host computes. Set where
 *  the backend is chosen. Local, the same on all ranks. */
void tx_exec_memory_set(double bytes);
double tx_exec_memory(void);

/** Most variables of a field. */
#define TX_FIELD_VARS TX_SYSTEM_VARS

/** Collective. Create a plan for fields of up to `max_vars` variables, 1 to TX_FIELD_VARS. Borrows `mesh`. */
tx_status tx_exec_create(const tx_mesh *mesh, int max_vars, tx_exec **out);

/** Collective. Create a plan in two parts. After the first, fields can be created, read and written octant by octant,
 *  and transferred to the mesh, and leaves of levels can be loaded from them; the mesh may be one of tx_mesh_begin.
 *  Everything else needs the second part, which needs the complete mesh. After a failure of the second part the
 *  plan can only be destroyed. */
tx_status tx_exec_begin(const tx_mesh *mesh, int max_vars, tx_exec **out);
tx_status tx_exec_end(tx_exec *x);
void tx_exec_destroy(tx_exec *x);
const tx_mesh *tx_exec_mesh(const tx_exec *x);

/** How ghosts beyond outer faces are filled in the patches of octants, dimension after dimension. POLYNOMIAL: of
 *  degree 5 through the nearest six points. ROBIN: with w = r^falloff (u - infinity), even reflection of w about
 *  the face; on a plane of ghosts (the upper faces) the value whose one-sided derivative of order 6 vanishes.
 *  Ghosts are interpolated from coarser octants with polynomials, whatever the variable; stages, right-hand sides
 *  and constraints refuse ROBIN (TX_ERR_USAGE). */
typedef enum tx_outer { TX_OUTER_POLYNOMIAL, TX_OUTER_ROBIN } tx_outer;

/** Properties of a variable that the mesh needs. */
typedef struct tx_field_var {
  int8_t parity[3]; /**< under reflection of x, y, z: 1 even, -1 odd */
  bool positive;    /**< it must stay above 0, see tx_exec_check */
  tx_outer outer;
  double infinity, falloff; /**< ROBIN: value at infinity; n > 0 of u - infinity ~ r^-n */
} tx_field_var;

/** Local. Create a field of n_vars variables, all 0, as described in vars [n_vars]; NULL: all even. Errors: TX_ERR_USAGE for
 *  more variables than the plan was made for, a parity that is none, a falloff that is not above
 *  0. */
tx_status tx_field_create(tx_exec *x, int n_vars, const tx_field_var *vars, tx_field **out);
/** Local. Create a state of a system: a field of its variables, which operations below know as such. */
tx_status tx_field_create_state(tx_exec *x, const tx_system *system, tx_field **out);
/** Return the system of a state; NULL: the field is no state. Local. */
const tx_system *tx_field_system(const tx_field *f);
void tx_field_destroy(tx_field *f);

/** Get a host view of octant b, [n_vars][TX_N3], to read and write; valid until the next operation on the field,
 *  which finds what was written. Ghosts that were filled before are stale then, unnoticed. Local. */
tx_status tx_field_octant(tx_field *f, tx_lidx b, double **out);
/** Return a view to read only, cheaper where the data are elsewhere; valid until the next view of the field, too.
 *  Local. */
tx_status tx_field_view(const tx_field *f, tx_lidx b, const double **out);
/** Return a view of n octants from b on, which lie one after another; n up to TX_VIEW_OCTANTS, 25 MB of a state. Local. */
#define TX_VIEW_OCTANTS (131072 / TX_N3)
tx_status tx_field_views(const tx_field *f, tx_lidx b, tx_lidx n, const double **out);
/** Set n octants from b on, from values [n][n_vars][TX_N3]. Ghosts as in tx_field_octant. Local. */
tx_status tx_field_put(tx_field *f, tx_lidx b, tx_lidx n, const double *values);
int tx_field_vars(const tx_field *f);
/** Exchange the contents of two fields of the same mesh and shape. Local, no copying. */
void tx_field_swap(tx_field *a, tx_field *b);
/** Collective. Compute a 64-bit hash of all values, independent of the partition (index of octant enters). */
tx_status tx_field_checksum(const tx_field *f, uint64_t *out);
/** Compute the checksum of the octants of a set. Collective. */
tx_status tx_exec_checksum(tx_exec *x, const tx_set *set, const tx_field *f, uint64_t *out);

/** Solutions on the grid, as in tx_initial_given: fields of one variable each; NULL: none. */
typedef struct tx_given_fields {
  const tx_field *u, *w;
} tx_given_fields;

/** Fill from initial data. Local. */
tx_status tx_exec_initial_data_given(tx_exec *x, const tx_set *set, const tx_initial_data *id,
                                     const tx_given_fields *given, tx_field *u);
/** Fill initial data with nothing given. */
tx_status tx_exec_initial_data(tx_exec *x, const tx_set *set, const tx_initial_data *id,
                               tx_field *u);

/** Fill the ghost zones of f. Between `begin` and `end` sets of octants of tx_exec_interior may be computed: they need no
 *  ghosts from other ranks, and overlap with communication. After `end` all octants may be computed. The slots hold
 *  the ghosts of one field at a time: operations below that read patches need the ghosts of that field and check
 *  it. Beyond outer faces patches hold what tx_outer says. Collective. */
tx_status tx_ghosts_begin(tx_exec *x, const tx_field *f);
tx_status tx_ghosts_end(tx_exec *x, const tx_field *f);
/** Fill the ghosts by begin and end. Collective; these three return what failed on this rank, for the caller to agree on. */
tx_status tx_ghosts_fill(tx_exec *x, const tx_field *f);

/** Copy the patches of a set, only the variables in `mask` (bit v), into patches [count][variables][TX_P3]. Needs
 *  ghosts. Local. */
tx_status tx_patches_fetch(tx_exec *x, const tx_set *set, const tx_field *f, uint32_t mask,
                           double *patches);

/** One stage of classical RK4 over octants of a set: with k = rhs(y),
 *      sum  = base_sum + dt_sum k         (base_sum = u in the first stage, sum itself later)
 *      next = u + dt_next k               (NULL in the last stage)
 *  and the algebraic constraints and floors enforced on next, or on sum in the last stage.
 *  y, sum and next are different fields, u another one; in the last stage it may be sum. Needs ghosts of y. Local. */
typedef struct tx_stage {
  const tx_field *u, *y;
  const tx_field *base_sum;
  tx_field *sum, *next;
  double dt_sum, dt_next;
  bool raw; /**< next gets the floors only; sum in the last stage gets everything */
} tx_stage;
tx_status tx_exec_stage(tx_exec *x, const tx_set *set, const tx_system_params *p,
                        const tx_stage *stage);

/** Find the largest |det gt - 1| and |tr At| seen before enforcement since the last call. Collective. */
tx_status tx_exec_algebraic(tx_exec *x, double out[2]);

/** Enforce algebraic constraints and floors, e.g. on initial data. Local. */
tx_status tx_exec_enforce(tx_exec *x, const tx_set *set, const tx_system_params *p, tx_field *u);

/** Extrapolate the outer planes of f. Octants own their lower faces only, so there is a plane of points on a lower
 *  outer face and none on an upper one. In the evolution this plane is treated like the first ghosts beyond an
 *  upper face: it is extrapolated with degree 5 along each dimension in turn. Stages, right-hand sides,
 *  tx_exec_enforce, tx_level_load_all and tx_level_inject do so in their output; call this function after octants of f
 *  have changed in any other way. Local. */
tx_status tx_exec_outer_planes(tx_exec *x, const tx_set *set, tx_field *f);

/** Compute the time derivative of u (tests, bench). Needs ghosts of u. Local. */
tx_status tx_exec_rhs(tx_exec *x, const tx_set *set, const tx_system_params *p, const tx_field *u,
                      tx_field *out);

/** Update as a stage does, with `k`, a field of the same shape, in place of rhs(y) (bench); `y` of the stage is not
 *  read and nothing is enforced or extrapolated. Local. */
tx_status tx_exec_update(tx_exec *x, const tx_set *set, const tx_field *k, const tx_stage *stage);

/** Collective. Fail with TX_ERR_NUMERICS if any value is not finite or what must be positive is not: the text
 *  names variable, position, level, value and time of the first in the order of the set. */
tx_status tx_exec_check(tx_exec *x, const tx_set *set, const tx_field *u, double time);

/** Norms of the constraints H, M_x..z, G_x..z (TX_CONSTRAINTS), root mean squares and largest magnitudes, weighted by
 *  volume (a reflected domain gives the same as the whole), leaving out balls and what lies within one spacing of an outer
 *  face or on the lower boundary of a level's region. The same bits for any partition (exact sums); NaN where a constraint
 *  is not finite at a point that counts. Needs ghosts of u. Collective. */
typedef struct tx_ball {
  double centre[3], radius;
} tx_ball;
typedef struct tx_norms_of {
  const tx_system_params *physics; /**< at the time of u */
  int n_balls;
  const tx_ball *balls;
} tx_norms_of;
typedef struct tx_norms {
  double l2[TX_CONSTRAINTS], max[TX_CONSTRAINTS];
} tx_norms;
tx_status tx_exec_constraints(tx_exec *x, const tx_set *set, const tx_field *u,
                              const tx_norms_of *of, tx_norms *out);

/** Create a field of the system's analysis quantities, all 0. Local. Errors: TX_ERR_USAGE if there are none. */
tx_status tx_field_create_analysis(tx_exec *x, const tx_system *system, tx_field **out);

/** Compute the analysis quantities of a state into a field of them, on all octants; `physics` at the time of u. Needs ghosts of u.
 *  Local. */
tx_status tx_exec_analysis(tx_exec *x, const tx_system_params *physics, const tx_field *u,
                           tx_field *out);

/** Norms of each variable of a field: l2 and max, [variables], of the points that norms of the constraints count, with the same
 *  weights. Needs no ghosts. The host computes. Collective. */
tx_status tx_exec_volume_norms(tx_exec *x, const tx_field *f, const tx_norms_of *of, double *l2,
                               double *max);

/** Compute the wavelet error of each octant of a set: the largest deviation of odd points from the 6-point
 *  interpolant of the even ones along a line, in any dimension, over the variables in `mask` (bit v); at
 *  an octant's ends the six are shifted by two points. error: [count]. Needs ghosts. Local. */
tx_status tx_exec_wavelet(tx_exec *x, const tx_set *set, const tx_field *u, uint32_t mask,
                          double *error);

/** Points at which a field is sampled, and the derivatives to be computed. */
typedef struct tx_probe {
  size_t n;
  const double (*points)[3]; /**< [n] */
  tx_range vars;             /**< n = 0: all of the field */
  int n_derivs; /**< 1: values; 4: and d_x d_y d_z; 10: and d_xx d_xy d_xz d_yy d_yz d_zz */
  double *jets; /**< [out] [n][vars.n][n_derivs] */
  bool *mine;   /**< [out] [n]: whether this rank owns the point; may be NULL */
} tx_probe;

/** Sample values and derivatives at points, from 8-point Lagrange stencils of the owner's patch (physics/lagrange_point.h).
 *  Points beyond a reflecting face are mirrored, parities applied to values and derivatives. Points of other ranks give
 *  exact zeros; points outside the domain are an error on all ranks. Needs ghosts of f. Collective. */
tx_status tx_exec_sample(tx_exec *x, const tx_field *f, const tx_probe *probe);

/** Sample in two parts. After the first, f, its ghosts and the points of the probe may change, and ghosts, boundaries
 *  and stages of the plan may be computed. No other sample or psi4 of this plan is allowed before the second
 *  (TX_ERR_USAGE). probe->jets and probe->mine must stay valid until the second, which also returns failures of the
 *  first: those of this rank, for the caller to agree on. Local. */
void tx_exec_sample_begin(tx_exec *x, const tx_field *f, const tx_probe *probe);
tx_status tx_exec_sample_end(tx_exec *x);

/** Psi4 (tx_system.psi4_at), area element, expansions (expansion_at), turning and lapse of spheres about the origin at
 *  points sampled as above: [out] values [n]; points of other ranks give exact zeros, and there is no -0, so that ranks may
 *  be added up. Errors as above. Needs ghosts of u. Collective. */
typedef enum tx_psi4_column {
  TX_PSI4_RE,
  TX_PSI4_IM,
  TX_PSI4_AREA,        /**< physical area over solid angle, M^2 */
  TX_PSI4_EXPANSION_N, /**< along the slice's normal, 1/M */
  TX_PSI4_EXPANSION_S, /**< along the sphere's own in the slice, 1/M */
  TX_PSI4_TURN_X,      /**< with the shift (physics/turn_point.h), 1/M; 0 without one */
  TX_PSI4_TURN_Y,
  TX_PSI4_TURN_Z,
  TX_PSI4_LAPSE,  /**< 1 without one */
  TX_PSI4_OWNERS, /**< 1 on the rank that owns the point */
  TX_PSI4_COLUMNS
} tx_psi4_column;
tx_status tx_exec_psi4(tx_exec *x, const tx_field *u, size_t n, const double (*points)[3],
                       double (*values)[TX_PSI4_COLUMNS]);

/** Transfer a field to a new mesh: prolong, restrict, redistribute. `f` lives on `x`, whose slots
 *  hold its ghosts; `out` is created on `to`. Bitwise the same on any number of ranks. Collective. */
tx_status tx_exec_transfer(tx_exec *x, const tx_field *f, const tx_transfer *transfer, tx_exec *to,
                           tx_field **out);

/** Wait until all operations so far are complete, and return their failure, if any. Local. Errors: TX_ERR_LIBRARY. */
tx_status tx_exec_wait(const tx_exec *x);

/** Return the bytes held on this rank by fields, slots and buffers (for tests and the bench). Local. */
size_t tx_exec_bytes(const tx_exec *x);
