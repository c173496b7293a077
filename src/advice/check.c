/* `tendex check`: what a run would be, without running it. Rank 0 does all but the measurement of
 * speed; the mesh of the run is made on it alone. */
#include "advice/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "report/progress.h"
#include "report/text.h"
#include "bench/speed.h"

#include "base/log.h"
#include "base/memory.h"
#include "evolve/data.h"
#include "gw_extraction/gw.h"
#include "machine/machine.h"

/* Octants that are looked at. */
#define OCTANTS       (1 << 20)
#define OCTANTS_STATE (1 << 17)

/* Those on which data are solved for, a few seconds' work, and to which residual. */
#define OCTANTS_DATA (1 << 15)
#define TOLERANCE    1e-7

void tx_check_note(tx_check *c, const char *format, ...) {
  char text[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  tx_log("note: %s", text);
  if (c->said) tx_text_add(c->said, "%s\n", text);
  c->notes++;
}

static tx_status show_waves(const tx_params *p, const tx_mesh *mesh) {
  tx_gw *gw = NULL;
  if (p->waves_radii.n == 0) {
    tx_log("  waves       none: waves.radii is empty");
    return TX_OK;
  }
  TX_TRY(tx_gw_create(&mesh->domain, p->waves_radii.n, p->waves_radii.v, p->waves_l_max,
                      p->waves_degree, &gw));
  tx_status status = tx_log_waves(tx_gw_describe(gw), mesh);
  tx_gw_destroy(gw);
  return status;
}

static void count_steps(tx_check *c) {
  c->dt = tx_sim_full_step(c->p, c->mesh);
  c->steps = ldexp(ceil(c->p->run_t_end / c->macro.step * (1.0 - 1e-12)), c->macro.m);
  if (c->p->run_max_steps > 0) c->steps = fmin(c->steps, c->p->run_max_steps);
}

static tx_status show(tx_check *c) {
  tx_log_grid(c->p, c->mesh);
  TX_TRY(show_waves(c->p, c->mesh));
  tx_check_show_waves(c);
  TX_TRY(tx_check_levels_count(c));
  TX_TRY(tx_check_show_worldtubes(c));
  count_steps(c);
  TX_TRY(tx_alloc((size_t)c->ranks, sizeof *c->load, "check", &c->load));
  TX_TRY(tx_partition_report(c->mesh, c->ranks, c->load));
  tx_check_show(c);
  tx_check_purpose(c);
  tx_check_levels(c);
  tx_check_punctures(c);
  tx_check_waves(c);
  tx_check_worldtubes(c);
  return tx_check_ranks(c);
}

/* No more than a minute's work for one process, and no more than its host holds. */
static tx_status set_limit(const tx_policy *policy, tx_grid_limit *limit) {
  const bool data = tx_policy_needs_data(policy);
  TX_TRY(tx_grid_limit_of_tables(MPI_COMM_SELF, data ? tx_system_of(policy->params) : NULL, limit));
  const tx_gidx most = data ? OCTANTS_STATE : OCTANTS;
  if (limit->most <= most) return TX_OK;
  *limit = (tx_grid_limit){.most = most};
  limit->why = data ? "`tendex check' looks at 131,072 with grid.wavelet_tol or grid.psi4_tol"
                    : "`tendex check' looks at 1,048,576";
  return TX_OK;
}

/* Data that are solved for on the grid, to a few digits. */
static tx_status solve_data(tx_check *c, tx_initial_data *id) {
  tx_params quick = *c->p;
  quick.run_folder[0] = '\0'; /* nothing is written there */
  quick.elliptic_tolerance = fmax(quick.elliptic_tolerance, TOLERANCE);
  if (tx_params_on_grid(c->p) && c->mesh->n_global > OCTANTS_DATA)
    tx_check_note(c,
                  "masses and energy are those of u = 0, as `tendex check' solves for u on up to "
                  "%d octants only: run `tendex id' for the solution",
                  OCTANTS_DATA);
  else
    TX_TRY(tx_data_solve(&quick, c->mesh, id, &(tx_data_fields){NULL, NULL}));
  tx_initial_data_adm(id, &c->adm);
  return TX_OK;
}

/* What one process does alone. */
static tx_status check(tx_check *c, tx_initial_data *id, tx_octree **tree) {
  tx_initial_data_adm(id, &c->adm);
  tx_log_domain(c->p);
  tx_policy_start(c->p, &c->adm, &c->policy);
  TX_TRY(set_limit(&c->policy, &c->limit));
  c->policy.limit = &c->limit;
  tx_status status = tx_grid_build(MPI_COMM_SELF, c->p, id, &c->policy, tree, &c->mesh);
  TX_THEN(status, solve_data(c, id));
  TX_THEN(status, tx_check_changes(c, id, *tree));
  if (status == TX_OK)
    tx_log_data(c->p, &c->adm, c->p->initial_data_resolution != c->adm.resolution);
  TX_THEN(status, tx_check_motion(c));
  TX_THEN(status, show(c));
  if (status == TX_OK) tx_check_found(c);
  return status;
}

static void forget(tx_check *c, tx_octree *tree) {
  tx_free(c->load);
  tx_mesh_destroy(c->mesh);
  tx_octree_destroy(tree);
}

/* What was looked at, on another machine. */
static tx_status look_again(const tx_check *seen, const tx_budget *machine, tx_estimate *out) {
  tx_check c = *seen;
  c.said = NULL;
  c.levels = 0;
  c.level_slots = 0.0;
  c.speed = machine->speed;
  c.load = NULL;
  tx_check_set_machine(&c, machine);
  tx_status status = show(&c);
  if (status == TX_OK) tx_check_found(&c);
  tx_free(c.load);
  *out = c.found;
  return status;
}

tx_status tx_check_estimate(const tx_params *p, int n, const tx_budget *machines, tx_text *said,
                            tx_estimate *out) {
  tx_check c = {.p = p, .said = said, .speed = machines->speed};
  tx_initial_data *id = NULL;
  tx_octree *tree = NULL;
  tx_check_set_machine(&c, machines);
  tx_status status = tx_data_create_preview(p, &id);
  TX_THEN(status, check(&c, id, &tree));
  out[0] = c.found;
  for (int i = 1; i < n; i++) TX_THEN(status, look_again(&c, &machines[i], &out[i]));
  forget(&c, tree);
  tx_initial_data_destroy(id);
  return status;
}

/* Ranks and threads of the run: as asked for, or as now. With -n alone a rank has one thread. */
static void set_ranks(tx_check *c, const tx_check_options *options, int now) {
  if (c->machine) {
    tx_check_set_machine(c, c->machine);
    return;
  }
  bool threads_given = options->threads > 0 || getenv("OMP_NUM_THREADS");
  c->ranks = options->ranks > 0 ? options->ranks : now;
  c->threads = options->ranks > 0 && !threads_given ? 1 : tx_machine_threads();
}

/* What computes. A file for GPUs can be looked at where there is none. */
static tx_status set_device(MPI_Comm comm, tx_check *c) {
  tx_params p = *c->p;
  if (p.compute_device == TX_DEVICE_GPU) p.compute_device = TX_DEVICE_AUTO;
  TX_TRY(tx_compute_start(comm, &p));
  c->compute = *tx_compute_get();
  c->gpu = c->compute.gpu || c->p->compute_device == TX_DEVICE_GPU;
  return TX_OK;
}

static tx_status set_speed(MPI_Comm comm, tx_check *c, const tx_check_options *options, char *how,
                           size_t size) {
  int64_t points = 0;
  int ranks = 1;
  c->speed = c->machine ? c->machine->speed : options->speed;
  const bool known = c->machine && !(options->speed > 0.0);
  snprintf(how, size, "%s%s", known ? "from " : "as given", known ? tx_budget_page(c->gpu) : "");
  if (c->speed > 0.0) return TX_OK;
  if (c->gpu && !c->compute.gpu) {
    snprintf(how, size,
             "not known, as this machine has no GPU; give --speed from `tendex bench' on the "
             "machine of the run");
    return TX_OK;
  }
  char count[32], here[64];
  TX_MPI(MPI_Comm_size(comm, &ranks));
  TX_TRY(tx_speed_calibrate(comm, &c->speed, &points));
  snprintf(how, size, "measured here with %s on %s points%s; `tendex new' uses the speeds of %s",
           tx_ranks_text(ranks, tx_machine_threads(), here), tx_count_text(points, count),
           ranks == 1 ? "" : " each", tx_budget_page(c->gpu));
  return TX_OK;
}

/* Rank 0 has counted them. */
static tx_status share_notes(MPI_Comm comm, int *notes) {
  TX_MPI(MPI_Bcast(notes, 1, MPI_INT, 0, comm));
  return TX_OK;
}

tx_status tx_check_main(MPI_Comm comm, const tx_params *p, const tx_check_options *options) {
  tx_budget machine;
  tx_check c = {.p = p, .machine = options->machine ? &machine : NULL};
  tx_initial_data *id = NULL;
  char how[200];
  int rank = 0, now = 1;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  TX_MPI(MPI_Comm_size(comm, &now));
  if (options->machine)
    TX_TRY(
        tx_agree(comm, tx_budget_parse("--machine", options->machine, options->speed, &machine)));
  tx_log_banner(p, options->par_shown, now);
  TX_TRY(set_device(comm, &c));
  tx_compute_log();
  set_ranks(&c, options, now);
  TX_TRY(set_speed(comm, &c, options, how, sizeof how));
  tx_compute_stop(); /* what follows is one process's work */
  if (c.speed > 0.0)
    tx_log("  speed       %.3g point-stages/s per %s, %s", c.speed, c.gpu ? "GPU" : "core", how);
  else
    tx_log("  speed       %s", how);
  tx_status status = TX_OK;
  if (rank == 0) {
    tx_octree *tree = NULL;
    status = tx_data_create_preview(p, &id);
    TX_THEN(status, check(&c, id, &tree));
    forget(&c, tree);
    tx_initial_data_destroy(id);
  }
  status = tx_agree(comm, status);
  if (status != TX_OK) return status;
  if (c.notes == 0)
    tx_log("%s: good", options->par_shown);
  else
    tx_log("%s: good, with %d note%s", options->par_shown, c.notes, c.notes == 1 ? "" : "s");
  TX_TRY(share_notes(comm, &c.notes));
  TX_REQUIRE(c.notes == 0 || !options->strict, TX_ERR_PARAM,
             "%s: %d note%s, and --strict allows none", options->par_shown, c.notes,
             c.notes == 1 ? "" : "s");
  return TX_OK;
}
