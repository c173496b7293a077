/* What a backend offers: where fields live, and the operations on them. Everything between ranks
 * (messages, agreement), checks of revisions and of arguments are done once, by the callers of these.
 *
 * All functions are local. `octants` lists n local octants. Fields have been checked to belong to the
 * mesh of `x`, and ghosts to be those of the field. */
#pragma once

#include "exec/exec.h"

typedef struct tx_backend tx_backend;

/** A field: values where the backend computes. */
struct tx_field {
  tx_exec *x;     /**< borrowed */
  uint64_t stamp; /**< of the contents: changes whenever an operation writes them */
  double *data;   /**< [n_local][n_vars][TX_N3], owned */
  int n_vars;
  int8_t (*parity)[3]; /**< [n_vars], owned */
  uint32_t positive;   /**< bit v: variable v must stay above 0 */
};

/** Tags of all messages. */
typedef enum tx_tag { TX_TAG_GHOSTS1 = 101, TX_TAG_GHOSTS2, TX_TAG_TRANSFER } tx_tag;

struct tx_exec {
  const tx_mesh *mesh; /**< borrowed */
  const tx_backend *backend;
  void *state; /**< the backend's own */
  int max_vars;
  double *slots, *send1, *send2; /**< of tx_ghost_plan, for max_vars; the backend's memory */
  tx_lidx *all;                  /**< 0 .. n_local-1, the list of TX_ALL */
  MPI_Request *requests;  /**< receives of phase 1, of phase 2, sends of phase 1, of phase 2 */
  uint64_t stamp;         /**< last one given to a field */
  uint64_t begun, filled; /**< stamps of the contents whose ghosts are under way, in the slots */
  size_t bytes;           /**< see tx_exec_bytes */
  struct tx_sample_point *points; /**< [max_points], for tx_exec_sample, grown as needed */
  size_t max_points;
};

/** A point of this rank: its octant, its place there (folded into the domain, `mirror` says in which
 *  dimensions), and its number in the caller's list. */
typedef struct tx_sample_point {
  tx_lidx octant;
  uint8_t mirror;
  size_t index;
  double x[3];
} tx_sample_point;

/** The points of this rank, sorted by octant, and where their jets go. */
typedef struct tx_sample {
  const tx_sample_point *mine;
  size_t n_mine;
  int n_derivs;
  double *jets; /**< [n][n_vars][n_derivs], host */
} tx_sample;

/** Sums over the points of one octant: of squares, of weights; and largest magnitudes. */
typedef struct tx_norm_part {
  double squares[TX_CONSTRAINTS], max[TX_CONSTRAINTS], weight;
} tx_norm_part;

struct tx_backend {
  const char *name;

  tx_status (*create)(tx_exec *x);
  void (*destroy)(tx_exec *x);
  /** Zeroed memory where the backend computes and MPI reads and writes. */
  tx_status (*alloc)(size_t doubles, const char *what, double **out);
  void (*free)(double *block);

  /** Host view of an octant. */
  tx_status (*octant)(tx_field *f, tx_lidx b, double **out);
  tx_status (*hash)(const tx_field *f, uint64_t *out);
  tx_status (*initial_data)(tx_exec *x, const tx_initial_data *id, tx_field *u);

  /** Ghosts: fill send buffer 1; interpolate from sources [first, last) into slots and send buffer 2. */
  tx_status (*pack)(tx_exec *x, const tx_field *f);
  tx_status (*interpolate)(tx_exec *x, const tx_field *f, tx_lidx first, tx_lidx last);
  /** The patch of one octant, host; patches of many, left in the backend's own buffers. */
  tx_status (*patch)(tx_exec *x, const tx_field *f, tx_lidx b, double *patch);
  tx_status (*patches)(tx_exec *x, const tx_field *f, tx_lidx n, const tx_lidx *octants);

  tx_status (*stage)(tx_exec *x, tx_lidx n, const tx_lidx *octants, const tx_bssn_params *p,
                     const tx_stage *stage);
  tx_status (*rhs)(tx_exec *x, tx_lidx n, const tx_lidx *octants, const tx_bssn_params *p,
                   const tx_field *u, tx_field *out);
  tx_status (*update)(tx_exec *x, tx_lidx n, const tx_lidx *octants, const tx_field *k,
                      const tx_stage *stage);
  tx_status (*enforce)(tx_exec *x, const tx_bssn_params *p, tx_field *u);
  /** This rank's part of tx_exec_algebraic; NaN if any was. */
  tx_status (*algebraic)(tx_exec *x, double out[2]);

  /** First octant, variable and point that is not finite or that is not positive and should be;
   *  *octant = -1: none. */
  tx_status (*check)(tx_exec *x, const tx_field *u, tx_lidx *octant, int *var, int *point);
  tx_status (*constraints)(tx_exec *x, const tx_field *u, int n_balls, const tx_ball *balls,
                           tx_norm_part *parts);
  tx_status (*wavelet)(tx_exec *x, const tx_field *u, uint32_t mask, double *error);
  tx_status (*sample)(tx_exec *x, const tx_field *f, const tx_sample *s);
  /** The n octants of `made` into [n][n_vars][TX_N3]. */
  tx_status (*make)(tx_exec *x, const tx_field *f, const tx_origin *made, tx_lidx n, double *out);
};

extern const tx_backend tx_backend_cpu;
