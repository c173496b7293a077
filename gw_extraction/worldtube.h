/* Worldtubes: metric, shift and lapse with their radial and time derivatives on coordinate spheres round the
 * origin, the input of Cauchy-characteristic extraction.
 *
 * Points are those of Gauss-Legendre quadrature in cos(theta), from the north pole on, times evenly spaced phi
 * from 0 on. At each point variables and first derivatives are interpolated, and tx_system.metric_at computes the
 * metric and its derivatives from them; time derivatives are right-hand sides. Names and order of data sets and
 * columns are those that SpECTRE reads. */
#pragma once

#include <stddef.h>
#include "base/status.h"
#include "exec/exec.h"
#include "octree/octree.h"
#include "params/params.h"

/** Data sets of a sphere: gxx ... gzz, Shiftx, y, z, Lapse; then Drgxx ..., then Dtgxx ... */
enum { TX_WORLDTUBE_SETS = 3 * TX_METRIC_PARTS };

typedef struct tx_worldtubes tx_worldtubes;

/** Parameters of the worldtubes. */
typedef struct tx_worldtube_info {
  int n_radii;
  const double *radii; /**< [n_radii] coordinate radii, M; view */
  int form;            /**< tx_worldtube_form */
  int l_max;
  int n_theta, n_phi; /**< of the points of a sphere */
  int n_used;         /**< points that are sampled: those above the plane z = 0 if it reflects */
  int n_columns;      /**< numbers of a data set in a row, time not counted */
} tx_worldtube_info;

/** Local, the same on all ranks. Create the worldtubes of p, which tx_params_check has passed, in `domain`. Modal ones are
 *  sampled at more points than l_max needs, so that modes up to l_max + 9 do not alias. Errors: TX_ERR_USAGE for a
 *  system that has no metric; TX_ERR_MEMORY. */
tx_status tx_worldtubes_create(const tx_domain *domain, const tx_params *p, tx_worldtubes **out);
void tx_worldtubes_destroy(tx_worldtubes *w);

/** Return a view. Local. */
const tx_worldtube_info *tx_worldtubes_describe(const tx_worldtubes *w);

/** Compute the row of all spheres, of the state u, with its ghosts filled in `x`. physics: that of the time of u,
 *  lapse_pull included. *rows: [out] view [n_radii][TX_WORLDTUBE_SETS][n_columns], valid until the next call. Collective;
 *  every rank gets the same, bit for bit on any number of ranks and threads. Errors: those of tx_exec_sample. */
tx_status tx_worldtubes_sample(tx_worldtubes *w, tx_exec *x, const tx_field *u,
                               const tx_system_params *physics, const double **rows);

/** Name of a data set, without ".dat": "Drgxy"; of a column: "gxx_Re(2,-1)", "gxx_Theta_3_Phi_0". Local. */
#define TX_WORLDTUBE_NAME 48
void tx_worldtube_set_name(int set, char name[TX_WORLDTUBE_NAME]);
void tx_worldtube_column_name(const tx_worldtube_info *info, int set, int column,
                              char name[TX_WORLDTUBE_NAME]);
