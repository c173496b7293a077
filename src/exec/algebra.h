/* Algebra of fields: what solvers of elliptic equations and integrators in time are made of.
 *
 * Operations work through the octants of a set and leave all others as they are. Fields hold any number of variables;
 * unless it says otherwise an operation takes all variables of its fields, which then have equally many. An output may
 * be one of the inputs. Ghosts are not touched: those of an output that were filled before are stale afterwards.
 * Nothing is allocated, but for room for numbers on the first call that needs more of it.
 *
 * Errors, of all: TX_ERR_MESH for a set or a field of another plan; TX_ERR_USAGE for numbers of variables that do not
 * fit. Values that are not finite are no error. */
#pragma once

#include "exec/exec.h"
#include "physics/pointwise.h"

/** Set out = f, bit by bit. Local. */
tx_status tx_exec_copy(tx_exec *x, const tx_set *set, const tx_field *f, tx_field *out);

/** Set out = value, everywhere. Local. */
tx_status tx_exec_fill(tx_exec *x, const tx_set *set, double value, tx_field *out);

/** out = \sum_i a_i f_i, added up from the first to the last. Local. */
#define TX_COMBINATION_FIELDS 8
typedef struct tx_combination {
  int n; /**< 1 to TX_COMBINATION_FIELDS */
  const tx_field *f[TX_COMBINATION_FIELDS];
  double a[TX_COMBINATION_FIELDS];
} tx_combination;
tx_status tx_exec_combine(tx_exec *x, const tx_set *set, const tx_combination *c, tx_field *out);

/** out = function(in[0], in[1], ...; p) at each point. in: as many fields as the function has, then NULL. A field has
 *  the variables that the function takes of it, or m times as many, the same m for all and the output: then the
 *  function is applied m times, each time to the next ones. (A product of fields of three variables is three
 *  products.) Local. */
typedef struct tx_pointwise_call {
  tx_pointwise function;
  const tx_field *in[TX_POINTWISE_FIELDS];
  double p[TX_POINTWISE_PARAMETERS];
} tx_pointwise_call;
tx_status tx_exec_pointwise(tx_exec *x, const tx_set *set, const tx_pointwise_call *call,
                            tx_field *out);

/* Numbers of all ranks. Sums of an octant are taken in a fixed order and those of octants exactly: the same bits on
 * any number of ranks and threads, and in any order of the set. Every point of the set counts, those of outer faces
 * too, with its volume h^3 times the number of its mirror images. NaN where something is not finite. */

/** Compute out[v] = \int f_v g_v dV. out: [variables]. Positive for f = g, unless f is 0. Collective. */
tx_status tx_exec_dot(tx_exec *x, const tx_set *set, const tx_field *f, const tx_field *g,
                      double *out);

/** Norms of one variable; all 0 for a set that is empty on all ranks. */
typedef struct tx_field_norm {
  double l2;       /**< root mean square over the volume */
  double max;      /**< largest magnitude */
  double integral; /**< \int f dV */
  double sum;      /**< of the values, each point once, without weights */
} tx_field_norm;

/** Compute the norms of each variable. out: [variables]; *volume: of the set with its mirror images, NULL if not wanted.
 *  Collective. */
tx_status tx_exec_norms(tx_exec *x, const tx_set *set, const tx_field *f, tx_field_norm *out,
                        double *volume);
