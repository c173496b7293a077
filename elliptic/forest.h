/* The forest on which an elliptic equation is solved for a grid of the evolution: the same octants, in one tree a side of the
 * origin that reaches several times as far, as u falls off slowly, and with finer levels where u is not smooth. */
#pragma once

#include "octree/level.h"

/** Where octants finer than those of the evolution are wanted. */
typedef struct tx_elliptic_spot {
  double x[3];
  int levels; /**< more than the evolution has there */
} tx_elliptic_spot;

/** The forest. Owns tree and mesh. */
typedef struct tx_elliptic_forest {
  tx_octree *tree;
  tx_mesh *mesh;
  int shift; /**< level l of the evolution is level l + shift */
  int trees; /**< of the evolution's domain */
} tx_elliptic_forest;

/** Collective. Create the forest. `leaves`: the evolution's mesh, of a domain that is not periodic; borrowed until this
 *  returns. The extent is at least `reach` times as large. Around each of n spots every level reaches out two octant sizes.
 *  The caller owns *out. Errors: TX_ERR_PARAM for more levels than there can be; those of the octree. */
tx_status tx_elliptic_forest_create(const tx_mesh *leaves, double reach, int n,
                                    const tx_elliptic_spot *spot, tx_elliptic_forest **out);
void tx_elliptic_forest_destroy(tx_elliptic_forest *f);

/** Find the position [out] in the forest of the octant of the evolution at position x of its level. Local. */
void tx_elliptic_forest_place(const tx_elliptic_forest *f, int level, const int32_t x[3],
                              int32_t out[3]);
