/* Modes of scalar functions on spheres.
 *
 *   f_lm(r) = integral f conj(Y_lm) dOmega,    l = 0 .. l_max, m = 0 .. l,
 *
 * by Lebedev quadrature on coordinate spheres round the origin, with the harmonics of gw_extraction/harmonics.h. The functions are
 * real: f_l,-m = (-1)^m conj(f_lm). */
#pragma once

#include "base/status.h"
#include "exec/exec.h"
#include "octree/octree.h"

typedef struct tx_sphere_modes tx_sphere_modes;

/** Highest l. */
#define TX_SPHERE_MODES_L 32

/** Return the number of modes up to l_max, and the index of one. Local. */
static inline int tx_sphere_modes_count(int l_max) {
  return (l_max + 1) * (l_max + 2) / 2;
}
static inline int tx_sphere_modes_index(int l, int m) {
  return l * (l + 1) / 2 + m;
}

/** Create a projection on spheres of the given radii, M, for fields of up to max_vars variables. Local, the same on all ranks.
 *  Errors: TX_ERR_PARAM for a radius that is not inside the domain; TX_ERR_MEMORY. l_max: up to TX_SPHERE_MODES_L. */
tx_status tx_sphere_modes_create(const tx_domain *domain, int n_radii, const double *radii,
                                 int l_max, int max_vars, tx_sphere_modes **out);
void tx_sphere_modes_destroy(tx_sphere_modes *s);

/** Project all variables of a field. f: [in] with its ghosts filled in x. modes: [out] [n_radii][variables][modes] real and
 *  imaginary part. Collective; every rank gets the same, bit for bit on any number of ranks. Errors: those of tx_exec_sample. */
tx_status tx_sphere_modes_project(tx_sphere_modes *s, tx_exec *x, const tx_field *f,
                                  double (*modes)[2]);
