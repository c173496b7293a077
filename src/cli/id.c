#include "cli/commands.h"

#include "report/data_files.h"
#include "report/progress.h"
#include "base/log.h"
#include "base/memory.h"
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
    tx_log("  constraints on the grid, without balls of %g M around the punctures",
           sim->params->output_norms_exclude);
  else
    tx_log("  constraints on the grid");
  tx_log("              %-14s %12s %12s", "", "L2 norm", "largest");
  for (int c = 0; c < TX_CONSTRAINTS; c++)
    tx_log("              %-14s %12.4e %12.4e", names[c], norms.l2[c], norms.max[c]);
  return TX_OK;
}

/* Collective. u at n points, from the series or from the grid; u: [n]. */
static tx_status sample(tx_sim *sim, size_t n, const double (*x)[3], double *u) {
  const tx_initial_data *id = sim->id;
  const tx_probe probe = {.n = n, .points = x, .vars = {0, 0}, .n_derivs = 1, .jets = u};
  for (size_t i = 0; i < n && !sim->regular; i++)
    u[i] = id->type == TX_ID_TWO_PUNCTURES ? tx_spectral_point(&id->bowen_york.u, x[i]) : 0.0;
  if (!sim->regular) return TX_OK;
  TX_TRY(tx_agree(sim->comm, tx_ghosts_fill(sim->exec, sim->regular)));
  TX_TRY(tx_exec_sample(sim->exec, sim->regular, &probe));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, u, (int)n, MPI_DOUBLE, MPI_SUM, sim->comm));
  return TX_OK;
}

static void show_probes(const tx_id_probes *probes) {
  for (int i = 0; i < probes->n; i++) {
    const double *x = probes->x[i];
    tx_log("  u           %.12g at (%g, %g, %g) M", probes->u[i], x[0], x[1], x[2]);
  }
}

/* What is asked for must be there. */
static tx_status check_wishes(const tx_params *p, const tx_adm_numbers *adm, const tx_cli *cli) {
  const char *type = tx_id_name(p->initial_data_type);
  const bool solved = adm->n > 0 || p->initial_data_type == TX_ID_BRILL_WAVE;
  TX_REQUIRE(
      solved || cli->n_probe == 0, TX_ERR_PARAM,
      "--probe: initial_data.type is %s, which has no punctures and no u; leave the option out",
      type);
  TX_REQUIRE(
      solved || !cli->json, TX_ERR_PARAM,
      "--json: initial_data.type is %s, which has no punctures to describe; leave the option out",
      type);
  TX_REQUIRE(
      adm->n == 2 || !cli->bbh, TX_ERR_PARAM,
      "--bbh: initial_data.type is %s, and the file describes two punctures; leave the option out",
      type);
  return TX_OK;
}

static tx_status write_files(MPI_Comm comm, const tx_params *p, const tx_initial_data *id,
                             const tx_id_probes *probes, const tx_cli *cli) {
  tx_adm_numbers adm;
  int rank = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  tx_initial_data_adm(id, &adm);
  if (rank == 0 && cli->bbh) status = tx_id_write_bbh(cli->bbh, p, &adm);
  if (rank == 0 && cli->json) TX_THEN(status, tx_id_write_json(cli->json, p, id, probes));
  return tx_agree(comm, status);
}

static tx_status describe_with(tx_sim *sim, const tx_params *p, const tx_cli *cli, double *u) {
  const tx_id_probes probes = {cli->n_probe, (const double(*)[3])cli->probe, u};
  tx_log_data(p, &sim->adm, false);
  TX_TRY(sample(sim, (size_t)probes.n, probes.x, u));
  show_probes(&probes);
  TX_TRY(write_files(sim->comm, p, sim->id, &probes, cli));
  tx_log_grid(p, sim->mesh);
  return show_constraints(sim);
}

static tx_status describe(tx_sim *sim, const tx_params *p, const tx_cli *cli) {
  double *u = NULL;
  TX_TRY(tx_agree(sim->comm, check_wishes(p, &sim->adm, cli)));
  TX_TRY(tx_agree(sim->comm, tx_alloc((size_t)cli->n_probe, sizeof *u, "probes", &u)));
  const tx_status status = describe_with(sim, p, cli, u);
  tx_free(u);
  return status;
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
