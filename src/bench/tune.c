/* Comparison of the launch plans of the stage kernel on this GPU. */
#include <stdio.h>
#include <string.h>
#include "bench/bench.h"
#include "report/progress.h"
#include "bench/speed.h"
#include "machine/tuning.h"
#include "base/log.h"
#include "machine/compute.h"
#include "evolve/demands.h"
#include "base/schemes.h"

/* The grid, and calls in a row. */
#define LEVELS 5
#define POINTS 2000000
#define CALLS  2

/* Schemes of this program. */
#define NUMBER(a, suffix, ...) SCHEME##suffix,
enum { TX_SCHEMES(NUMBER, ) SCHEMES };

/* Measurements: points and steps of each, and the rows found. */
typedef struct tuning {
  double points;
  int goes, n;
  tx_tuned row[TX_SYSTEMS_BUILT * SCHEMES];
} tuning;

/* Measure the point-stages/s of stages of a simulation that has its scratch fields and ghosts. */
static tx_status measure_stage(tx_sim *sim, int goes, double *speed) {
  double seconds = 0.0;
  TX_TRY(tx_agree(sim->comm, tx_speed_stage(sim))); /* warms up */
  TX_TRY(tx_speed_measure(sim, tx_speed_stage, goes, CALLS, &seconds));
  *speed = (double)sim->points / seconds;
  return TX_OK;
}

static void choose_system(const tx_system *system, tx_params *p) {
  int number = 0;
  while (tx_system_numbered(number) && strcmp(tx_system_numbered(number)->name, system->name) != 0)
    number++;
  p->evolution_system = number;
  p->evolution_order = system->order;
  p->evolution_advection = system->upwinded ? TX_ADVECTION_UPWINDED : TX_ADVECTION_CENTRED;
  p->evolution_dissipation_order = system->dissipation_order;
}

static tx_status measure_plans(tx_sim *sim, int goes, tx_tuned *out) {
  char scheme[TX_SCHEME_TEXT], text[200] = "";
  int used = 0;
  tx_tuning_scheme(sim->system, scheme);
  out->system = sim->system;
  TX_TRY(tx_sim_step(sim)); /* makes the scratch fields */
  TX_TRY(tx_agree(sim->comm, tx_ghosts_fill(sim->exec, sim->u)));
  for (int plan = 0; plan < tx_compute_plans(); plan++) {
    out->speed[plan] = 0.0;
    if (!tx_compute_plan_fits(sim->system, plan)) continue;
    tx_compute_plan_use(sim->system, plan);
    TX_TRY(measure_stage(sim, goes, &out->speed[plan]));
    if (out->speed[plan] > out->speed[out->best]) out->best = plan;
    used += snprintf(text + used, sizeof text - (size_t)used, "  %s %.3e, %zu KB a block",
                     tx_compute_plan_name(plan), out->speed[plan],
                     (tx_compute_plan_shared(sim->system, plan) + 1023) / 1024);
  }
  tx_compute_plan_use(sim->system, out->best);
  tx_log("  %-6s %-4s %s: %s", sim->system->name, scheme, text, tx_compute_plan_name(out->best));
  return TX_OK;
}

/* Measure a system that can start: from data of holes, or from its first profile. */
static tx_status tune_system(MPI_Comm comm, const tx_params *grid, const tx_system *system,
                             tuning *t) {
  tx_params p = *grid;
  tx_sim *sim = NULL;
  choose_system(system, &p);
  const char *profile = tx_params_profile_name(&p, 0);
  if (!tx_params_has(&p, TX_HAS_GRAVITY)) {
    if (!profile) return TX_OK;
    TX_TRY(tx_speed_params_profile(comm, profile, t->points, &p));
  }
  TX_TRY(tx_sim_create(comm, &p, &sim));
  tx_status status = measure_plans(sim, t->goes, &t->row[t->n++]);
  tx_sim_destroy(sim);
  return status;
}

tx_status tx_tune_main(MPI_Comm comm, const tx_request *request) {
  const tx_bench_options *options = request->own;
  tx_params p;
  tuning t = {.points = options->points > 0 ? (double)options->points : POINTS,
              .goes = options->steps};
  char path[4096];
  int ranks = 1;
  TX_MPI(MPI_Comm_size(comm, &ranks));
  TX_REQUIRE(ranks == 1, TX_ERR_USAGE,
             "tune measures one GPU, and there are %d ranks; start it without mpirun", ranks);
  TX_TRY(tx_params_read(comm, NULL, request->n_set, request->set, tx_evolve_demands, &p));
  TX_TRY(tx_compute_start(comm, &p));
  TX_REQUIRE(tx_compute_get()->gpu, TX_ERR_PARAM,
             "only GPUs have launch plans to choose from, and the CPU computes: %s",
             tx_compute_get()->why);
  TX_TRY(tx_tuning_path(path, sizeof path));
  TX_TRY(tx_tuning_folder(path)); /* better to fail before measuring than after */
  TX_TRY(tx_speed_params(comm, options->levels > 0 ? options->levels : LEVELS, t.points, &p));
  p.compute_device = TX_DEVICE_GPU;
  tx_log_banner(&p, NULL, ranks);
  tx_compute_log();
  tx_log("point-stages/s of the stage kernel with each launch plan, and the one kept:");
  for (int v = 0; tx_system_variant(v); v++)
    TX_TRY(tune_system(comm, &p, tx_system_variant(v), &t));
  TX_TRY(tx_tuning_write(path, t.n, t.row));
  tx_log("written to %s", path);
  return TX_OK;
}
