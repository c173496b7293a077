/* `tendex check' and its estimates: the list of parts, and what they begin and end with. Rank 0 does all but the measurement of
 * speed; the mesh of the run is made on it alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "advice/check.h"
#include "advice/machine.h"
#include "report/progress.h"
#include "report/text.h"
#include "bench/speed.h"
#include "base/log.h"
#include "base/memory.h"
#include "evolve/data.h"
#include "gw_extraction/gw.h"
#include "machine/machine.h"

/* Most octants of a grid that is checked. */
#define OCTANTS       (1 << 20)
#define OCTANTS_STATE (1 << 17)

/* Most octants on which data are solved for, a few seconds' work, and the residual. */
#define OCTANTS_DATA (1 << 15)
#define TOLERANCE    1e-7

/* Limit the grid to a minute's work for one process, and to the memory of its host. */
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

static tx_status make_grid(tx_check *c) {
  TX_TRY(tx_data_create_preview(c->p, &c->id));
  tx_initial_data_adm(c->id, &c->adm);
  tx_log_domain(c->p);
  tx_policy_start(c->p, &c->adm, &c->policy);
  TX_TRY(set_limit(&c->policy, &c->limit));
  c->policy.limit = &c->limit;
  return tx_grid_build(MPI_COMM_SELF, c->p, c->id, &c->policy, &c->tree, &c->mesh);
}

/* Solve for data on the grid, to a few digits. */
static tx_status solve_data(tx_check *c) {
  tx_params quick = *c->p;
  quick.run_folder[0] = '\0'; /* nothing is written there */
  quick.elliptic_tolerance = fmax(quick.elliptic_tolerance, TOLERANCE);
  if (tx_params_on_grid(c->p) && c->mesh->n_global > OCTANTS_DATA)
    tx_check_note(c,
                  "masses and energy are those of u = 0, as `tendex check' solves for u on up to "
                  "%d octants only: run `tendex id' for the solution",
                  OCTANTS_DATA);
  else
    TX_TRY(tx_data_solve(&quick, c->mesh, c->id, &(tx_data_fields){NULL, NULL}));
  tx_initial_data_adm(c->id, &c->adm);
  return TX_OK;
}

static tx_status show_data(tx_check *c) {
  tx_log_data(c->p, &c->adm, c->p->initial_data_resolution != c->adm.resolution);
  return TX_OK;
}

static tx_status show_grid(tx_check *c) {
  tx_log_grid(c->p, c->mesh);
  return TX_OK;
}

static tx_status show_spheres(tx_check *c) {
  const tx_params *p = c->p;
  tx_gw *gw = NULL;
  if (p->waves_radii.n == 0) {
    tx_log("  waves       none: waves.radii is empty");
    return TX_OK;
  }
  TX_TRY(tx_gw_create(&c->mesh->domain, p->waves_radii.n, p->waves_radii.v, p->waves_l_max,
                      p->waves_degree, &gw));
  tx_status status = tx_log_waves(tx_gw_describe(gw), c->mesh);
  tx_gw_destroy(gw);
  return status;
}

static tx_status count_steps(tx_check *c) {
  c->dt = tx_sim_full_step(c->p, c->mesh);
  c->steps = ldexp(ceil(c->p->run_t_end / c->macro.step * (1.0 - 1e-12)), c->macro.m);
  if (c->p->run_max_steps > 0) c->steps = fmin(c->steps, c->p->run_max_steps);
  return TX_OK;
}

static tx_status cut_grid(tx_check *c) {
  TX_TRY(tx_alloc((size_t)c->ranks, sizeof *c->load, "check", &c->load));
  return tx_partition_report(c->mesh, c->ranks, c->load);
}

static tx_status set_found(tx_check *c) {
  tx_check_set_found(c);
  return TX_OK;
}

/* Parts in their order: those of the data and the first grid, and those that depend on the machine of the run, too. */
typedef tx_status part(tx_check *c);
static part *const parts_of_data[] = {
    make_grid, solve_data, tx_check_changes, show_data, tx_check_motion, NULL,
};
static part *const parts_of_machine[] = {
    show_grid,
    show_spheres,
    tx_check_show_waves,
    tx_check_count_levels,
    tx_check_show_worldtubes,
    count_steps,
    cut_grid,
    tx_check_show_cost,
    tx_check_purpose,
    tx_check_levels,
    tx_check_punctures,
    tx_check_waves,
    tx_check_worldtubes,
    tx_check_device,
    tx_check_machine,
    tx_check_ranks,
    set_found,
    NULL,
};

static tx_status take_parts(part *const parts[], tx_check *c) {
  for (int i = 0; parts[i]; i++) TX_TRY(parts[i](c));
  return TX_OK;
}

/* Look at the run on one process. */
static tx_status check(tx_check *c) {
  tx_status status = take_parts(parts_of_data, c);
  TX_THEN(status, take_parts(parts_of_machine, c));
  return status;
}

static void forget(tx_check *c) {
  tx_free(c->load);
  tx_mesh_destroy(c->mesh);
  tx_octree_destroy(c->tree);
  tx_initial_data_destroy(c->id);
}

/* Look at a run that was seen before on another machine. */
static tx_status look_again(const tx_check *seen, const tx_budget *machine, tx_estimate *out) {
  tx_check c = *seen;
  c.said = NULL;
  c.levels = 0;
  c.level_slots = 0.0;
  c.speed = machine->speed;
  c.load = NULL;
  tx_check_set_machine(&c, machine);
  const tx_status status = take_parts(parts_of_machine, &c);
  tx_free(c.load);
  *out = c.found;
  return status;
}

tx_status tx_estimate_run(const tx_params *p, int n, const tx_budget *machines, tx_text *said,
                          tx_estimate *out) {
  const int quiet = tx_log_quiet(1);
  tx_check c = {.p = p, .said = said, .speed = machines->speed};
  tx_check_set_machine(&c, machines);
  tx_status status = check(&c);
  out[0] = c.found;
  for (int i = 1; i < n; i++) TX_THEN(status, look_again(&c, &machines[i], &out[i]));
  forget(&c);
  tx_log_quiet(quiet);
  return status;
}

/* Set ranks and threads of the run: as asked for, or as now. With -n alone a rank has one thread. */
static void set_ranks(tx_check *c, const tx_request *request, int now) {
  const tx_check_options *options = request->own;
  if (c->machine) {
    tx_check_set_machine(c, c->machine);
    return;
  }
  bool threads_given = request->threads > 0 || getenv("OMP_NUM_THREADS");
  c->ranks = options->ranks > 0 ? options->ranks : now;
  c->threads = options->ranks > 0 && !threads_given ? 1 : tx_machine_threads();
}

/* Find what computes. A file for GPUs can be checked where there is none. */
static tx_status set_device(MPI_Comm comm, tx_check *c) {
  tx_params p = *c->p;
  if (p.compute_device == TX_DEVICE_GPU) p.compute_device = TX_DEVICE_AUTO;
  TX_TRY(tx_compute_start(comm, &p));
  c->compute = *tx_compute_get();
  c->gpu = c->compute.gpu || c->p->compute_device == TX_DEVICE_GPU;
  return TX_OK;
}

/* Set the speed: as given, of the machine, or measured here; `how`: in words. */
static tx_status set_speed(MPI_Comm comm, tx_check *c, double given, char *how, size_t size) {
  int64_t points = 0;
  int ranks = 1;
  c->speed = c->machine ? c->machine->speed : given;
  const bool known = c->machine && !(given > 0.0);
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

/* Send the number of notes from rank 0 to all ranks. */
static tx_status share_notes(MPI_Comm comm, int *notes) {
  TX_MPI(MPI_Bcast(notes, 1, MPI_INT, 0, comm));
  return TX_OK;
}

/* Log the result, and fail on notes with --strict. */
static tx_status conclude(MPI_Comm comm, tx_check *c, const tx_request *request) {
  const tx_check_options *options = request->own;
  if (c->notes == 0)
    tx_log("%s: good", request->shown);
  else
    tx_log("%s: good, with %d note%s", request->shown, c->notes, c->notes == 1 ? "" : "s");
  TX_TRY(share_notes(comm, &c->notes));
  TX_REQUIRE(c->notes == 0 || !options->strict, TX_ERR_PARAM,
             "%s: %d note%s, and --strict allows none", request->shown, c->notes,
             c->notes == 1 ? "" : "s");
  return TX_OK;
}

tx_status tx_check_main(MPI_Comm comm, const tx_params *p, const tx_request *request) {
  const tx_check_options *options = request->own;
  tx_budget machine;
  tx_check c = {.p = p, .machine = options->machine ? &machine : NULL};
  char how[200];
  int rank = 0, now = 1;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  TX_MPI(MPI_Comm_size(comm, &now));
  if (options->machine)
    TX_TRY(
        tx_agree(comm, tx_budget_parse("--machine", options->machine, options->speed, &machine)));
  tx_log_banner(p, request->shown, now);
  TX_TRY(set_device(comm, &c));
  tx_compute_log();
  set_ranks(&c, request, now);
  TX_TRY(set_speed(comm, &c, options->speed, how, sizeof how));
  tx_compute_stop(); /* one process does the rest */
  if (c.speed > 0.0)
    tx_log("  speed       %.3g point-stages/s per %s, %s", c.speed, c.gpu ? "GPU" : "core", how);
  else
    tx_log("  speed       %s", how);
  const tx_status status = tx_agree(comm, rank == 0 ? check(&c) : TX_OK);
  forget(&c);
  return status == TX_OK ? conclude(comm, &c, request) : status;
}
