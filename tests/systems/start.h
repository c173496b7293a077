/* A simulation of a system that only a test knows, which fills its state. */
#pragma once

#include "evolve/sim.h"
#include "support/main.h"

static inline tx_sim *start(const tx_params *p, void (*fill)(tx_sim *)) {
  tx_initial_data *id = NULL;
  tx_adm_numbers adm;
  tx_policy policy;
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  tx_sim *sim = NULL;
  OK(tx_initial_data_create(p, &id));
  tx_initial_data_adm(id, &adm);
  tx_policy_start(p, &adm, &policy);
  OK(tx_grid_build(MPI_COMM_WORLD, p, id, &policy, &tree, &mesh));
  tx_mesh_destroy(mesh);
  tx_initial_data_destroy(id);
  OK(tx_sim_create_on(MPI_COMM_WORLD, p, tree, &sim));
  fill(sim);
  return sim;
}
