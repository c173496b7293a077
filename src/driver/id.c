#include "driver/commands.h"

#include "base/log.h"
#include "driver/progress.h"
#include "driver/sim.h"

static tx_status show_constraints(tx_sim *sim) {
  static const char *const names[TX_CONSTRAINTS] = {
      "Hamiltonian",  "momentum x",   "momentum y",   "momentum z",
      "connection x", "connection y", "connection z",
  };
  tx_norms norms;
  TX_TRY(tx_ghosts_fill(sim->exec, sim->u));
  TX_TRY(tx_sim_norms(sim, &norms));
  if (sim->tracker.n > 0)
    tx_log("  constraints on the grid, balls of %g M around the punctures left out",
           sim->params->output_norms_exclude);
  else
    tx_log("  constraints on the grid");
  tx_log("              %-14s %12s %12s", "", "L2 norm", "largest");
  for (int c = 0; c < TX_CONSTRAINTS; c++)
    tx_log("              %-14s %12.4e %12.4e", names[c], norms.l2[c], norms.max[c]);
  return TX_OK;
}

tx_status tx_id_main(MPI_Comm comm, const tx_params *p, const char *par_path) {
  tx_sim *sim = NULL;
  int ranks = 1;
  TX_MPI(MPI_Comm_size(comm, &ranks));
  tx_log_banner(p, par_path, ranks);
  tx_log_domain(p);
  TX_TRY(tx_sim_create(comm, p, &sim));
  tx_log_data(p, &sim->adm);
  tx_log_grid(p, sim->mesh);
  tx_status status = show_constraints(sim);
  tx_sim_destroy(sim);
  return status;
}
