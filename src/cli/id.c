/* The command `tendex id': initial data and their description. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/commands.h"
#include "report/data_files.h"
#include "report/progress.h"
#include "base/log.h"
#include "base/memory.h"
#include "evolve/data.h"
#include "evolve/sim.h"
#include "evolve/demands.h"

#define PROBES_MOST 4096

static const char help[] =
    "Compute the initial data and report masses, momenta, spins, ADM energy and angular momentum, "
    "the error of the solution, and the norms of the constraints on the grid. Nothing is written "
    "into the run folder.\n\n"
    "Options:\vExamples:\n  tendex id par/bbh_q1.yaml\n"
    "  tendex id par/bbh_q1.yaml --json id.json --probe 0,0,0 --bbh TwoPunctures.bbh";

/* Options of `tendex id' beside those of all commands; views of argv. */
typedef struct id_options {
  const char *json, *bbh; /* files to write; NULL: none */
  int n_probe;
  double probe[PROBES_MOST][3]; /* points where u is wanted */
} id_options;

static id_options asked;

static error_t take_probe(struct argp_state *state, const char *arg) {
  double x[3];
  int read = 0;
  bool good = sscanf(arg, "%lf,%lf,%lf%n", &x[0], &x[1], &x[2], &read) == 3 && arg[read] == '\0';
  for (int d = 0; d < 3 && good; d++) good = isfinite(x[d]);
  if (!good) return tx_option_refuse(state, "probe", arg, "three numbers x,y,z");
  if (asked.n_probe < PROBES_MOST) {
    memcpy(asked.probe[asked.n_probe++], x, sizeof x);
    return 0;
  }
  argp_error(state, "--probe is given more than %d times", PROBES_MOST);
  return EINVAL;
}

static const tx_option options[] = {
    TX_OPTION_SET,
    TX_OPTION("bbh", 0, "FILE", "write masses, momenta and spins as TwoPunctures.bbh, for kuibit",
              TEXT, &asked.bbh, 0),
    TX_OPTION("json", 0, "FILE", "also write the results as JSON", TEXT, &asked.json, 0),
    TX_OPTION_BY(
        "probe", "X,Y,Z",
        "print the correction u of the conformal factor at this point [M]; may be repeated",
        take_probe),
    TX_OPTION_END};

static tx_status show_constraints(tx_sim *sim) {
  static const char *const names[TX_CONSTRAINTS] = {
      "Hamiltonian",  "momentum x",   "momentum y",   "momentum z",
      "connection x", "connection y", "connection z",
  };
  tx_norms norms;
  if (!sim->system->constraints) {
    tx_log("  constraints none: the system %s has none", sim->system->name);
    return TX_OK;
  }
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

/* Collective. Sample u [n] at n points, from the series or from the grid. */
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

/* Check that the data have what the options ask for. */
static tx_status check_wishes(const tx_params *p, const tx_adm_numbers *adm,
                              const id_options *own) {
  const char *type = tx_id_name(p->initial_data_type);
  const bool solved = adm->n > 0 || p->initial_data_type == TX_ID_BRILL_WAVE;
  TX_REQUIRE(
      solved || own->n_probe == 0, TX_ERR_PARAM,
      "--probe: initial_data.type is %s, which has no punctures and no u; leave the option out",
      type);
  TX_REQUIRE(
      solved || !own->json, TX_ERR_PARAM,
      "--json: initial_data.type is %s, which has no punctures to describe; leave the option out",
      type);
  TX_REQUIRE(
      adm->n == 2 || !own->bbh, TX_ERR_PARAM,
      "--bbh: initial_data.type is %s, and the file describes two punctures; leave the option out",
      type);
  return TX_OK;
}

static tx_status write_files(MPI_Comm comm, const tx_params *p, const tx_initial_data *id,
                             const tx_id_probes *probes, const id_options *own) {
  tx_adm_numbers adm;
  int rank = 0;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  tx_initial_data_adm(id, &adm);
  if (rank == 0 && own->bbh) status = tx_id_write_bbh(own->bbh, p, &adm);
  if (rank == 0 && own->json) TX_THEN(status, tx_id_write_json(own->json, p, id, probes));
  return tx_agree(comm, status);
}

static tx_status describe_with(tx_sim *sim, const tx_params *p, const id_options *own, double *u) {
  const tx_id_probes probes = {own->n_probe, (const double(*)[3])own->probe, u};
  tx_log_data(p, &sim->adm, false);
  TX_TRY(sample(sim, (size_t)probes.n, probes.x, u));
  show_probes(&probes);
  TX_TRY(write_files(sim->comm, p, sim->id, &probes, own));
  tx_log_grid(p, sim->mesh);
  return show_constraints(sim);
}

static tx_status describe(tx_sim *sim, const tx_params *p, const id_options *own) {
  double *u = NULL;
  TX_TRY(tx_agree(sim->comm, check_wishes(p, &sim->adm, own)));
  TX_TRY(tx_agree(sim->comm, tx_alloc((size_t)own->n_probe, sizeof *u, "probes", &u)));
  const tx_status status = describe_with(sim, p, own, u);
  tx_free(u);
  return status;
}

static tx_status run(MPI_Comm comm, const tx_request *request) {
  tx_sim *sim = NULL;
  tx_params p;
  int ranks = 1;
  TX_TRY(tx_params_read(comm, request->path, request->n_set, request->set, tx_evolve_demands, &p));
  TX_TRY(tx_agree(comm, tx_data_check(&p)));
  TX_MPI(MPI_Comm_size(comm, &ranks));
  p.run_folder[0] = '\0'; /* nothing is read from or written to a run folder */
  tx_log_banner(&p, request->shown, ranks);
  tx_log_domain(&p);
  TX_TRY(tx_sim_create_data(comm, &p, &sim));
  const tx_status status = describe(sim, &p, request->own);
  tx_sim_destroy(sim);
  return status;
}

const tx_command tx_command_id = {
    .name = "id",
    .arguments = "FILE",
    .summary = "compute the initial data and report masses, momenta and spins",
    .usage = "FILE",
    .help = help,
    .options = options,
    .takes_file = true,
    .own = &asked,
    .own_size = sizeof asked,
    .check = tx_request_needs_file,
    .run = run,
};
