/* Lebedev quadrature on the unit sphere. */
#pragma once

#include "base/status.h"

/** A rule. Points are grouped: all mirror images of one point with non-negative coordinates follow
 * one another, in the order of the signs (+++, -++, +-+, --+, ++-, ...), only those that differ.
 * Their coordinates agree to the last bit but for the sign, and so do their weights. */
typedef struct tx_lebedev {
  int degree;     /**< spherical harmonics up to this degree are integrated exactly */
  int n;          /**< points */
  double (*x)[3]; /**< [n] unit vectors */
  double *w;      /**< [n] weights, which add up to 4 pi */
  int n_groups;   /**< groups of mirror images */
  int *group;     /**< [n_groups + 1] first point of each group; the last entry is n */
} tx_lebedev;

/** Return the number of rules, and the degree of rule `which` in increasing order.
 * Local. */
int tx_lebedev_rules(void);
int tx_lebedev_degree(int which);

/** Create the smallest rule exact to at least `degree`. Local. The caller owns what it holds.
 *  Errors: TX_ERR_PARAM if `degree` is beyond 131; TX_ERR_MEMORY. */
tx_status tx_lebedev_create(int degree, tx_lebedev *out);
void tx_lebedev_destroy(tx_lebedev *rule);
