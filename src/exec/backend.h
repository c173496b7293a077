/* The operations of a backend: where fields live, and the operations on them. Agreement between ranks, checks of
 * revisions and of arguments are done once, by the callers of these.
 *
 * Functions are local unless they say otherwise. Fields and sets have been checked to belong to `x`, and ghosts to
 * be those of the field. A backend may return
 * before its work is done: operations happen in the order in which they are called, and those that give
 * numbers or views to the host wait for them. */
#pragma once

#include "exec/exact_sum.h"
#include "exec/algebra.h"
#include "exec/exec.h"
#include "exec/level.h"
#include "exec/multigrid.h"

typedef struct tx_backend tx_backend;

/** A field: values where the backend computes. */
struct tx_field {
  tx_exec *x;     /**< borrowed */
  uint64_t stamp; /**< of the contents: changes whenever an operation writes them */
  double *data;   /**< [n_local][n_vars][TX_N3], owned unless lent; of a single field: floats */
  bool single;    /**< see tx_field_create_single */
  bool lent;      /**< data is the caller's */
  void *host;     /**< the backend's own, e.g. a host copy */
  int n_vars;
  const tx_system *system; /**< of a state; NULL: of no system */
  tx_field_var *var;       /**< [n_vars], owned */
  int8_t (*parity)[3];     /**< [n_vars], owned: of var, as copies take them */
  uint32_t positive;       /**< bit v: of var */
  uint32_t robin;          /**< bit v: its `outer` is TX_OUTER_ROBIN */
};

/** A set of octants, and the backend's copy. */
struct tx_set {
  tx_exec *x; /**< borrowed */
  tx_lidx n;
  tx_lidx *octant; /**< [n], host, owned */
  bool interior;   /**< all octants are of x->interior */
  void *there;     /**< the backend's own: of set_create */
};

/** One variable of one octant: sums over its points, each as often as it has mirror images, without their volume h^3;
 *  the sum of each point once; the largest magnitude. */
typedef struct tx_field_part {
  double squares, integral, sum, max;
} tx_field_part;

/** Tags of all messages. */
typedef enum tx_tag {
  TX_TAG_GHOSTS1 = 101,
  TX_TAG_GHOSTS2,
  TX_TAG_TRANSFER,
  TX_TAG_STAGE,
  TX_TAG_INJECT
} tx_tag;

/** A point of this rank: its octant, its place there (folded into the domain, `mirror` says in which
 *  dimensions), and its number in the caller's list. */
typedef struct tx_sample_point {
  tx_lidx octant;
  uint8_t mirror;
  size_t index;
  double x[3];
} tx_sample_point;

/** The points of this rank, sorted by octant, and where what is found there goes: jets of the variables
 *  `vars`, or rows of tx_exec_psi4. */
typedef struct tx_sample {
  const tx_sample_point *mine;
  size_t n_mine;
  tx_range vars;
  int n_derivs;
  double *jets;                    /**< [n][vars.n][n_derivs], host */
  const double (*at)[3];           /**< psi4: the points as the caller gave them, [n] */
  double (*psi4)[TX_PSI4_COLUMNS]; /**< psi4: [n], host */
} tx_sample;

struct tx_exec {
  const tx_mesh *mesh; /**< borrowed */
  const tx_backend *backend;
  void *state; /**< the backend's own: buffers of tx_ghost_plan for max_vars, tables */
  int max_vars;
  tx_set *all, *interior, *boundary; /**< owned */
  uint64_t stamp;                    /**< last one given to a field */
  uint64_t begun, filled; /**< stamps of the contents whose ghosts are under way, in the slots */
  tx_exec *coarser;       /**< of the next coarser level; NULL: none, or a plan of leaves */
  uint64_t boundary_made; /**< stamp of the contents whose refinement boundary was made */
  int stored_vars[TX_STORED_STAGES]; /**< variables of the stored stages; 0: not kept */
  size_t bytes;                      /**< see tx_exec_bytes */
  tx_sample_point *points;           /**< [max_points], for tx_exec_sample, grown as needed */
  size_t max_points;
  bool asking; /**< between tx_exec_sample_begin and _end: of the next two */
  tx_sample asked;
  tx_status asked_status; /**< so far */
  tx_field_part *parts;   /**< [max_parts], for algebra.c, grown as needed */
  size_t max_parts;
};

/** Sums over the points of one octant: of squares, of weights; and largest magnitudes. */
typedef struct tx_norm_part {
  double squares[TX_CONSTRAINTS], max[TX_CONSTRAINTS], weight;
} tx_norm_part;

struct tx_backend {
  const char *name;
  /** tx_level_share. */
  tx_lidx share;

  /** State of n plans, tables and buffers; adds to their bytes. A plan may be the coarser one of the next. Collective: ranks
   *  may exchange addresses, once for all plans, and all return the same. `destroy` is given what `create` left, also after
   *  an error. Local. */
  tx_status (*create)(int n, tx_exec *const x[]);
  void (*destroy)(tx_exec *x);
  /** Zeroed memory where the backend computes. */
  tx_status (*alloc)(size_t doubles, const char *what, double **out);
  void (*free)(double *block);
  /** Free what hangs on f->host. */
  void (*forget)(tx_field *f);
  /** The backend's copy of a set, whose host part is complete; NULL: none is needed. `set_destroy` is given what
   *  `set_create` left, also after an error. */
  tx_status (*set_create)(tx_set *set);
  void (*set_destroy)(tx_set *set);

  /** Host view of an octant, to read and to write; valid until the next operation on the field. */
  tx_status (*octant)(tx_field *f, tx_lidx b, double **out);
  /** See tx_field_views; also valid until the next view. */
  tx_status (*views)(tx_field *f, tx_lidx b, tx_lidx n, const double **out);
  /** See tx_field_put. */
  tx_status (*put)(tx_field *f, tx_lidx b, tx_lidx n, const double *values);
  tx_status (*hash)(tx_exec *x, const tx_set *set, const tx_field *f, uint64_t *out);
  tx_status (*initial_data)(tx_exec *x, const tx_set *set, const tx_initial_data *id,
                            const tx_initial_map *map, const tx_given_fields *given, tx_field *u);

  /** See tx_ghosts_begin. Between the two, sets of interior octants may be computed. Collective. */
  tx_status (*ghosts_begin)(tx_exec *x, const tx_field *f);
  tx_status (*ghosts_end)(tx_exec *x, const tx_field *f);
  /** See tx_patches_fetch. */
  tx_status (*fetch)(tx_exec *x, const tx_set *set, const tx_field *f, uint32_t mask,
                     double *patches);
  /** NaN into all that filling ghosts and patches writes before it reads it: what is not filled anew will
   *  show (tests). Also into stored stages and refinement boundaries, which have to be made anew. */
  tx_status (*poison)(tx_exec *x);

  tx_status (*stage)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                     const tx_stage *stage);
  tx_status (*rhs)(tx_exec *x, const tx_set *set, const tx_system_params *p, const tx_field *u,
                   tx_field *out);
  tx_status (*update)(tx_exec *x, const tx_set *set, const tx_field *k, const tx_stage *stage);
  tx_status (*enforce)(tx_exec *x, const tx_set *set, const tx_system_params *p, tx_field *u);
  /** See tx_exec_outer_planes; some dimension's lower face is outer. */
  tx_status (*outer_planes)(tx_exec *x, const tx_set *set, tx_field *f);
  /** This rank's part of tx_exec_algebraic; NaN if any was. */
  tx_status (*algebraic)(tx_exec *x, double out[2]);

  /** First octant of the set, variable and point that is not finite or that is not positive and should be;
   *  *octant = -1: none. */
  tx_status (*check)(tx_exec *x, const tx_set *set, const tx_field *u, tx_lidx *octant, int *var,
                     int *point);
  /** See tx_exec_analysis; the system of u has some. */
  tx_status (*analysis)(tx_exec *x, const tx_set *set, const tx_system_params *p, const tx_field *u,
                        tx_field *out);
  /** parts: [set->n], host. */
  tx_status (*constraints)(tx_exec *x, const tx_set *set, const tx_field *u, const tx_norms_of *of,
                           tx_norm_part *parts);
  tx_status (*wavelet)(tx_exec *x, const tx_set *set, const tx_field *u, uint32_t mask,
                       double *error);

  /* Algebra of fields, algebra.h. Shapes have been checked; out may be among the inputs. */
  tx_status (*fill)(tx_exec *x, const tx_set *set, double value, tx_field *out);
  tx_status (*combine)(tx_exec *x, const tx_set *set, const tx_combination *c, tx_field *out);
  tx_status (*pointwise)(tx_exec *x, const tx_set *set, const tx_pointwise_call *call,
                         tx_field *out);
  /** Sums of f g of each octant and variable, weighted as in tx_field_part. parts: [set->n][n_vars], host. */
  tx_status (*dot)(tx_exec *x, const tx_set *set, const tx_field *f, const tx_field *g,
                   double *parts);
  /** parts: [set->n][n_vars], host. */
  tx_status (*norms)(tx_exec *x, const tx_set *set, const tx_field *f, tx_field_part *parts);

  /** It may return before jets are there: `sampled`, if it is not NULL, waits for them. What comes after it finds f and its
   *  ghosts read. */
  tx_status (*sample)(tx_exec *x, const tx_field *f, const tx_sample *s);
  tx_status (*sampled)(tx_exec *x, const tx_sample *s);
  /** n_derivs is 10; vars are `sphere` of the system of u, a state. */
  tx_status (*psi4)(tx_exec *x, const tx_field *u, const tx_sample *s);
  /** Copy, prolong or restrict octants of f, by the n entries of `remap`, into [n][n_vars][TX_N3]. What is only copied may be
   *  of another plan, even of one that is not complete. */
  tx_status (*remap)(tx_exec *x, const tx_field *f, const tx_octant_remap *remap, tx_lidx n,
                     double *out);
  /** Send and receive whole octants: `send_buffer` holds those of `remap` that leave this rank, in their order;
   *  received ones go to their places in `out`. Collective. */
  tx_status (*redistribute)(tx_exec *x, const tx_transfer *t, const double *send_buffer,
                            tx_field *out);

  /* Multigrid, exec/multigrid.h; shapes and precisions have been checked. */
  tx_status (*narrow)(tx_exec *x, const tx_set *set, double a, const tx_field *f, tx_field *out);
  tx_status (*widen)(tx_exec *x, const tx_set *set, double a, const tx_field *f, tx_field *out);
  tx_status (*residual)(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                        const tx_field *u, const tx_field *covered, tx_field *r);
  tx_status (*relax)(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                     const tx_relaxation *step);
  tx_status (*dissipate)(tx_exec *x, const tx_set *set, double sigma, const tx_field *u,
                         tx_field *out);
  /** The sum of squares of each of n fields, each point as often as it has mirror images, exactly, and the largest
   *  magnitude, over octants here: both are 0 before. What is not finite is not added, and its magnitude infinite. */
  tx_status (*squares)(int n, tx_field *const f[], tx_squares out[]);
  /** Collective, tx_level_restrict. `sent`: children whose parents are on other ranks. */
  tx_status (*restrict_level)(tx_exec *fine, const tx_set *sent, const tx_field *r,
                              tx_field *scratch, tx_field *coarse);
  /** Add P v to the octants of u that tx_level_plan.descent lists. */
  tx_status (*prolong)(tx_exec *fine, const tx_field *v, tx_field *u);
  /** Add octants[i], [set->n][TX_N3] where the backend computes, to octant number i of the set. */
  tx_status (*add_octants)(tx_exec *x, const tx_set *set, const double *octants, tx_field *f);

  /* Levels, exec/level.h. Coarser plans are fine->coarser. */
  /** See tx_stored_stages_doubles and tx_stored_stages_lend; `fine` has a coarser plan. Local. */
  size_t (*stored_stages_doubles)(const tx_exec *fine);
  void (*stored_stages_lend)(tx_exec *fine, double *block);
  /** Collective. `aside`: f is read until stage_stored, beside what is computed; NULL, and without: until stage_store
   *  returns. */
  tx_status (*stage_store)(tx_exec *fine, int k, const tx_field *f, bool aside);
  tx_status (*stage_stored)(tx_exec *fine);
  /** `c` has a coefficient that is not 0. Collective. */
  tx_status (*level_boundary_make)(tx_exec *fine, const double c[TX_STORED_STAGES], tx_field *f);
  /** Collective. */
  tx_status (*inject)(tx_exec *fine, const tx_field *f, tx_field *coarse);
  /** Before f->data is read or written directly: what the host wrote is there; with `write`, what the host has of f no
   *  longer counts. NULL: there is nothing to do. Local. */
  tx_status (*direct)(const tx_field *f, bool write);
  /** See tx_level_prepare_store; NULL: there is nothing to do. */
  tx_status (*prepare_store)(tx_exec *level);
  /** Octant number i of `blocks`, [n][n_vars][TX_N3] where the backend computes, becomes octant leaf[first + i] of f: leaf of
   *  the level's plan, which is prepared. */
  tx_status (*scatter)(tx_exec *level, const double *blocks, tx_lidx first, tx_lidx n, tx_field *f);

  /** See tx_exec_wait; NULL: operations are done when they return. */
  tx_status (*wait)(void);
};

extern const tx_backend tx_backend_cpu;

/** Set the backend of plans made from now on; the start is the CPU's. Local, the same on all ranks. */
void tx_exec_use(const tx_backend *chosen);
const tx_backend *tx_exec_backend(void);
