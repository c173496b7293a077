/* A folder for a test's files, the same on all ranks, and small simulations. */
#pragma once

#include "support/main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "evolve/sim.h"
#include "physics/bssn.h"

static inline int world_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static inline int world_size(void) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

static inline void scratch_make(char folder[64]) {
  snprintf(folder, 64, "/tmp/tendex-checkpoint-XXXXXX");
  if (world_rank() == 0) assert_non_null(mkdtemp(folder));
  MPI_Bcast(folder, 64, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static inline void scratch_remove(const char *folder) {
  char command[128];
  MPI_Barrier(MPI_COMM_WORLD);
  snprintf(command, sizeof command, "rm -r %s", folder);
  if (world_rank() == 0) assert_int_equal(system(command), 0);
}

/* Two punctures on a grid of some hundred octants, reflected in y and z; the gauge depends on time. */
static inline void binary(tx_params *p) {
  tx_test_params_default(p);
  p->run_t_end = 100.0;
  p->grid_extent = 16.0;
  p->grid_reflect = TX_DIMS_Y | TX_DIMS_Z;
  p->grid_level_min = 1;
  p->grid_level_max = 4;
  p->grid_bhN_level[1] = 3;
  p->grid_bh_radius = 0.5;
  p->gauge_slow_start = 3.0;
  p->gauge_slow_start_time = 0.2;
  p->initial_data_type = TX_ID_BRILL_LINDQUIST;
  p->initial_data_bhN_mass[0] = 0.6;
  p->initial_data_bhN_position[0][0] = 1.25;
  p->initial_data_bhN_mass[1] = 0.4;
  p->initial_data_bhN_position[1][0] = -1.75;
}

/* Flat space on one octant. */
static inline void one_octant(tx_params *p) {
  tx_test_params_default(p);
  p->run_t_end = 100.0;
  p->grid_extent = 4.0;
  p->grid_reflect = TX_DIMS_XYZ;
  p->grid_level_min = p->grid_level_max = 0;
}

/* Any bits at all, NaN, infinities and negative zeros among them, the same on any ranks. */
static inline void fill_with_bits(tx_sim *sim, uint64_t seed) {
  for (tx_lidx b = 0; b < sim->mesh->n_local; b++) {
    double *u = NULL;
    OK(tx_field_octant(sim->u, b, &u));
    for (size_t i = 0; i < (size_t)TX_VARS * TX_N3; i++) {
      uint64_t h = seed + (uint64_t)(sim->mesh->first + b) * TX_VARS * TX_N3 + i;
      h = (h ^ h >> 31) * UINT64_C(0x9e3779b97f4a7c15);
      h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
      h ^= h >> 32;
      if (i % 97 == 5) h |= UINT64_C(0x7ff) << 52;
      if (i % 97 == 6) h = UINT64_C(1) << 63;
      memcpy(&u[i], &h, sizeof h);
    }
  }
}
