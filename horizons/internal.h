/* Shared by the files of the finder. Tests use it to search in metrics that are known in closed
 * form. */
#pragma once

#include "horizons/expansion.h"
#include "horizons/horizon.h"
#include "horizons/intrinsic.h"
#include "horizons/sphere.h"

typedef struct tx_killing tx_killing;

/** Where the metric comes from. */
typedef struct tx_metric_source {
  MPI_Comm comm;
  /** The smallest spacing of the mesh, M: surfaces of fewer than four points across are lost. */
  double spacing;
  /** Fill jets[i] and set mine[i] for those of the n points x that this rank holds, every point
   *  being held by one rank; normal[i] is the direction n of jets[i]. Collective. */
  tx_status (*sample)(void *context, size_t n, const double (*x)[3], const double (*normal)[3],
                      tx_adm_jet *jets, bool *mine);
  void *context;
} tx_metric_source;

/** Work space, and the surface that a search is at. */
struct tx_horizon_finder {
  tx_domain domain;
  int l_max;
  tx_sphere sphere;
  double (*state)[10]; /**< [sphere.n][vars] jets as sampled; grown as needed */
  int state_vars;      /**< for so many variables */

  tx_surface surface;
  int mirror;           /**< bit d: dimension d reflects, and the centre is on the mirror */
  int n_modes, *mode;   /**< harmonics that the mirrors allow */
  int n_points, *point; /**< one of each set of mirror images, among the points of the sphere */
  double *weight;       /**< [n_points] on the unit sphere, images included */
  /* At each of the points used. */
  tx_surface_jet *jet;
  double (*x)[3], (*normal)[3];
  tx_adm_jet *metric;
  bool *mine;
  double (*column)[TX_HORIZON_COLUMNS];
  double (*intrinsic)[TX_INTRINSIC_COLUMNS]; /**< of a horizon that was found */
  double *harmonic, *linear;                 /**< [n_points][n_modes] Y; d Theta / d coefficient */
  double *value;                             /**< [n_points] a function on the surface */
  double *matrix, *step;                     /**< [n_modes][n_modes], [n_modes] */
  tx_killing *killing;                       /**< owned */
};

/** Local. Take `guess` for the surface: its coefficients up to l_max, and of those what its
 *  mirrors allow. */
void tx_search_begin(tx_horizon_finder *f, const tx_surface *guess);
/** Local. Put the points on the surface; false if it is no sphere's image, too small, or leaves the
 *  domain. */
bool tx_search_place(tx_horizon_finder *f, double spacing);
/** Collective. Compute Theta and the other columns at the points, the same on all ranks. */
tx_status tx_search_evaluate(tx_horizon_finder *f, const tx_metric_source *from);
/** Local. Find the coordinate distance of the surface's middle from its centre, along x, y, z. */
void tx_search_offset(const tx_horizon_finder *f, double offset[3]);
/** Local. Describe the surface about centre + offset; false if it cannot be. */
bool tx_search_recentre(tx_horizon_finder *f, const double offset[3]);
/** Collective. Compute the surface's own metric and connection at the points, the same on all ranks, of the jets that
 *  tx_search_evaluate left. */
tx_status tx_search_intrinsic(tx_horizon_finder *f, const tx_metric_source *from);
/** Collective. Measure area, masses, spin and shape from the columns. Errors: those of MPI, TX_ERR_MEMORY. */
tx_status tx_search_measure(tx_horizon_finder *f, const tx_metric_source *from, tx_horizon *out);

/** Return whether harmonic (l, m) is its own image in the mirrors. Bit d: dimension d. Local. */
bool tx_harmonic_allowed(int mirror, int l, int m);

/** Local. Solve a x = b, a [n][n] (overwritten), x in b's place. Returns the sign of the
 *  determinant, 0 if a is singular or not finite. The same for any number of threads. */
int tx_linear_solve(int n, double *a, double *b);

/** Collective. Search as tx_horizon_find does, in any metric. Errors: those of from->sample, TX_ERR_MESH
 *  when points are not held by exactly one rank. */
tx_status tx_search(tx_horizon_finder *f, const tx_metric_source *from, const tx_surface *guess,
                    int n, const double (*points)[3], tx_horizon *out);
