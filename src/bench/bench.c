/* The speed of the pieces of a time step, compared with the peaks of memory and arithmetic. */
#include "bench/bench.h"

#include <stdio.h>
#include <string.h>
#include "bench/bench_show.h"
#include "bench/profile.h"
#include "report/progress.h"
#include "bench/speed.h"
#include "machine/tuning.h"
#include "base/log.h"
#include "base/timer.h"
#include "files/file.h"
#include "machine/compute.h"
#include "machine/machine.h"
#include "evolve/demands.h"

/* Return the bytes of all variables of a point. */
static double state_bytes(const tx_system *system) {
  return (double)sizeof(double) * system->n_vars;
}

/* Levels and points of the bench's own grid. */
#define LEVELS     5
#define POINTS     400000
#define POINTS_GPU 5000000

/* Calls in a row on a GPU, with one wait at their end, as in a run. */
#define CALLS_GPU 4

static tx_status run_ghosts(tx_sim *sim) {
  return tx_ghosts_fill(sim->exec, sim->u);
}

static tx_status run_rhs(tx_sim *sim) {
  return tx_exec_rhs(sim->exec, tx_exec_all(sim->exec), &sim->physics, sim->u, sim->y1);
}

static tx_status run_update(tx_sim *sim) {
  const tx_stage stage = tx_speed_middle_stage(sim);
  return tx_exec_update(sim->exec, tx_exec_all(sim->exec), sim->y1, &stage);
}

static tx_status run_boundary(tx_sim *sim) {
  const tx_stage stage = tx_speed_middle_stage(sim);
  return tx_compute_boundary(sim->exec, &sim->physics, &stage);
}

/* Count the points that filling ghosts reads and writes, over those of the grid: patches of the octants that are interpolated from,
 * slots, send buffers. */
static tx_status ghost_copies(const tx_mesh *mesh, double *copies) {
  const tx_ghost_plan *g = &mesh->ghosts;
  *copies = (double)g->n_source * TX_P3 +
            (double)(g->slot_points + 2 * (g->send1_points + g->send2_points));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, copies, 1, MPI_DOUBLE, MPI_SUM, mesh->comm));
  *copies /= (double)mesh->n_global * TX_N3;
  return TX_OK;
}

static tx_status measure_rows(tx_sim *sim, int goes, tx_bench *out) {
  const bool gpu = tx_compute_get()->gpu;
  const double state = state_bytes(sim->system), stage_bytes = 5.0 * state;
  double ghosts = 0.0;
  TX_TRY(ghost_copies(sim->mesh, &ghosts));
  const struct {
    bool measured;
    tx_status (*run)(tx_sim *sim);
    tx_bench_row row;
  } list[TX_BENCH_ROWS] = {
      {true, run_ghosts, {"ghosts", "ghost exchange and interpolation", ghosts * state, 0.0, 0.0}},
      {true,
       run_rhs,
       {"right_hand_side", gpu ? "right-hand side" : "right-hand side with its patch",
        sim->system->rhs_bytes, sim->system->rhs_flops, 0.0}},
      {true, run_update, {"update", "update", stage_bytes, 4.0 * sim->system->n_vars, 0.0}},
      {gpu, run_boundary, {"boundary", "outer boundary", 0.0, 0.0, 0.0}},
      {true,
       tx_speed_stage,
       {"stage", "all but the ghosts, mid-step", stage_bytes, tx_speed_stage_flops(sim->system),
        0.0}},
  };
  for (int i = 0; i < TX_BENCH_ROWS; i++) {
    if (!list[i].measured) continue;
    tx_bench_row *row = &out->row[out->n_rows++];
    *row = list[i].row;
    TX_TRY(tx_speed_measure(sim, list[i].run, goes, gpu ? CALLS_GPU : 1, &row->seconds));
  }
  return TX_OK;
}

static tx_status device_bytes(const tx_sim *sim, double *per_point) {
  *per_point = tx_compute_memory_in_use() / (double)sim->points;
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, per_point, 1, MPI_DOUBLE, MPI_SUM, sim->comm));
  return TX_OK;
}

/* Measure the profile; on the CPU add the least traffic of ghosts, which is not known with steps of levels. */
static tx_status measure_profile(tx_sim *sim, int steps, tx_profile *p) {
  double ghosts = 0.0;
  TX_TRY(tx_profile_measure(sim, steps, p));
  if (sim->levels || p->kernels) return TX_OK;
  TX_TRY(ghost_copies(sim->mesh, &ghosts));
  for (int i = 0; i < p->n_steps; i++)
    if (strcmp(p->row[i].name, tx_operation_key(TX_OPERATION_GHOSTS)) == 0)
      p->row[i].bytes = ghosts * state_bytes(sim->system) * p->point_stages;
  return TX_OK;
}

/* Measure what GPUs do in steps. */
static tx_status measure_shares(tx_sim *sim, int steps, tx_bench *out) {
  tx_device_times before, after;
  tx_status status = tx_exec_wait(sim->exec);
  TX_TRY(tx_device_gather(sim->comm, &before));
  const double start_s = tx_now_s();
  for (int n = 0; n < steps; n++) TX_KEEP(status, tx_speed_step(sim));
  TX_KEEP(status, tx_exec_wait(sim->exec));
  const double took_s = tx_now_s() - start_s;
  TX_TRY(tx_agree(sim->comm, status));
  TX_TRY(tx_device_gather(sim->comm, &after));
  for (int i = 0; i <= TX_PHASE_COUNT; i++)
    after.phase_s[i] = (after.phase_s[i] - before.phase_s[i]) / took_s;
  out->ghosts_share = after.phase_s[TX_PHASE_GHOSTS];
  out->halo_share = after.phase_s[TX_PHASE_HALO];
  out->rhs_share = after.phase_s[TX_PHASE_RHS];
  out->idle_share = 1.0 - tx_device_busy(&after);
  out->rest_share = tx_device_busy(&after) - out->ghosts_share - out->halo_share - out->rhs_share;
  return TX_OK;
}

static tx_status measure(tx_sim *sim, int steps, bool profile, tx_bench *b) {
  const bool gpu = tx_compute_get()->gpu;
  b->octants = sim->mesh->n_global;
  b->points = sim->points;
  b->levels = sim->mesh->level_highest - sim->mesh->level_lowest + 1;
  tx_levels_text(sim->mesh, b->levels_text, sizeof b->levels_text);
  TX_TRY(tx_speed_step(sim)); /* warms up, and makes the scratch fields */
  b->step_stages = sim->point_stages;
  b->step_stages_global = sim->point_stages_global;
  if (sim->levels) b->macro_step = sim->t;
  TX_TRY(tx_speed_measure(sim, tx_speed_step, steps, gpu ? CALLS_GPU : 1, &b->step_s));
  TX_TRY(device_bytes(sim, &b->device_bytes_per_point));
  if (gpu) TX_TRY(measure_shares(sim, steps * CALLS_GPU, b));
  if (!sim->levels) TX_TRY(measure_rows(sim, 2 * steps, b)); /* they take all scratch fields */
  return profile ? measure_profile(sim, steps, &b->profile) : TX_OK;
}

static tx_status measure_grid(MPI_Comm comm, const tx_params *p, const tx_bench_options *options,
                              tx_bench *b) {
  tx_sim *sim = NULL;
  TX_TRY(tx_sim_create(comm, p, &sim));
  tx_status status = measure(sim, options->steps, options->profile, b);
  tx_sim_destroy(sim);
  return status;
}

static tx_status write_json(MPI_Comm comm, const char *path, const tx_bench *b) {
  int rank = 0;
  tx_json json = {0};
  TX_MPI(MPI_Comm_rank(comm, &rank));
  tx_bench_json(b, &json);
  tx_status status = json.text.status;
  if (rank == 0) TX_THEN(status, tx_file_replace(path, json.text.data, json.text.length));
  tx_text_free(&json.text);
  return tx_agree(comm, status);
}

/* Fail before measuring rather than after. */
static tx_status check_json_path(MPI_Comm comm, const char *path) {
  int rank = 0;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  return tx_agree(comm, path && rank == 0 ? tx_file_append(path, "", 0) : TX_OK);
}

/* Make the parameters of the grid. */
static tx_status make_params(MPI_Comm comm, const tx_request *request, tx_params *p) {
  const tx_bench_options *options = request->own;
  const tx_params asked = *p;
  const bool gpu = tx_compute_get()->gpu;
  if (request->path) return tx_speed_params_of(comm, (double)options->points, p);
  const double own = gpu ? POINTS_GPU : POINTS;
  const double points = options->points > 0 ? (double)options->points : own;
  TX_TRY(tx_speed_params(comm, options->levels > 0 ? options->levels : LEVELS, points, p));
  p->compute_device = asked.compute_device;
  p->compute_transport = asked.compute_transport;
  return TX_OK;
}

tx_status tx_bench_main(MPI_Comm comm, const tx_request *request) {
  const tx_bench_options *options = request->own;
  tx_params p;
  tx_bench b = {.par_path = request->path ? request->shown : NULL, .threads = tx_machine_threads()};
  TX_MPI(MPI_Comm_size(comm, &b.ranks));
  TX_TRY(check_json_path(comm, options->json));
  TX_TRY(tx_params_read(comm, request->path, request->n_set, request->set, tx_evolve_demands, &p));
  TX_TRY(tx_compute_start(comm, &p));
  TX_TRY(tx_tuning_apply(comm));
  TX_TRY(make_params(comm, request, &p));
  b.system = tx_system_of(&p);
  tx_log_banner(&p, b.par_path, b.ranks);
  tx_compute_log();
  tx_tuning_log(&p);
  TX_TRY(tx_compute_measure(comm, &b.triad_bytes_per_s, &b.fma_flop_per_s));
  TX_TRY(measure_grid(comm, &p, options, &b));
  tx_bench_log(&b);
  return options->json ? write_json(comm, options->json, &b) : TX_OK;
}
