#include "app/commands.h"

#include "app/id.h"
#include "app/progress.h"
#include "base/log.h"
#include "evolve/sim.h"

static tx_status show_constraints(tx_sim *sim) {
  static const char *const names[TX_CONSTRAINTS] = {
      "Hamiltonian",  "momentum x",   "momentum y",   "momentum z",
      "connection x", "connection y", "connection z",
  };
  tx_norms norms;
  TX_TRY(tx_agree(sim->comm, tx_ghosts_fill(sim->exec, sim->u)));
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

static void show_probes(const tx_initial_data *id, const tx_cli *cli) {
  for (int i = 0; i < cli->n_probe; i++) {
    const double *x = cli->probe[i];
    tx_log("  u           %.12g at (%g, %g, %g) M", tx_id_u(id, x), x[0], x[1], x[2]);
  }
}

/* What is asked for must be there. */
static tx_status check_wishes(const tx_params *p, const tx_adm_numbers *adm, const tx_cli *cli) {
  const char *type = tx_id_name(p->initial_data_type);
  TX_REQUIRE(adm->n > 0 || cli->n_probe == 0, TX_ERR_PARAM,
             "--probe: initial_data.type is %s, which has no punctures and no u", type);
  TX_REQUIRE(adm->n > 0 || !cli->json, TX_ERR_PARAM,
             "--json: initial_data.type is %s, which has no punctures to describe", type);
  TX_REQUIRE(adm->n == 2 || !cli->bbh, TX_ERR_PARAM,
             "--bbh: initial_data.type is %s, and the file is for two punctures", type);
  return TX_OK;
}

static tx_status write_files(MPI_Comm comm, const tx_params *p, const tx_initial_data *id,
                             const tx_adm_numbers *adm, const tx_cli *cli) {
  int rank = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0 && cli->bbh) status = tx_id_write_bbh(cli->bbh, p, adm);
  if (rank == 0 && cli->json)
    TX_THEN(status, tx_id_write_json(cli->json, p, id, cli->n_probe, cli->probe));
  return tx_agree(comm, status);
}

static tx_status describe(tx_sim *sim, const tx_params *p, const tx_cli *cli) {
  TX_TRY(tx_agree(sim->comm, check_wishes(p, &sim->adm, cli)));
  tx_log_data(p, &sim->adm, false);
  show_probes(sim->id, cli);
  TX_TRY(write_files(sim->comm, p, sim->id, &sim->adm, cli));
  tx_log_grid(p, sim->mesh);
  return show_constraints(sim);
}

tx_status tx_id_main(MPI_Comm comm, const tx_params *p, const tx_cli *cli) {
  tx_sim *sim = NULL;
  tx_params here = *p;
  int ranks = 1;
  TX_MPI(MPI_Comm_size(comm, &ranks));
  here.run_folder[0] = '\0'; /* nothing is read from or written to a run folder */
  tx_log_banner(&here, cli->par_shown, ranks);
  tx_log_domain(&here);
  TX_TRY(tx_sim_create_data(comm, &here, &sim));
  tx_status status = describe(sim, &here, cli);
  tx_sim_destroy(sim);
  return status;
}
