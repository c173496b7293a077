/* The speed of the pieces of a time step, against the memory's own. */
#include "driver/commands.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>
#include "base/log.h"
#include "base/memory.h"
#include "base/timer.h"
#include "driver/json.h"
#include "driver/progress.h"
#include "driver/speed.h"
#include "driver/triad.h"

/* Bytes of all variables of a point. */
#define STATE_BYTES ((double)(TX_VARS * sizeof(double)))

/* What is measured. */
typedef struct kernel {
  const char *name, *text;
  tx_status (*run)(tx_sim *sim);
  double bytes_per_point, flop_per_point;
  double seconds; /* of the fastest go, slowest rank */
} kernel;

static tx_status run_ghosts(tx_sim *sim) {
  return tx_ghosts_fill(sim->exec, sim->u);
}

static tx_status run_patches(tx_sim *sim) {
  return tx_exec_fill_patches(sim->exec, TX_ALL, sim->u);
}

static tx_status run_rhs(tx_sim *sim) {
  return tx_exec_rhs(sim->exec, TX_ALL, &sim->bssn, sim->u, sim->y1);
}

static tx_status run_update(tx_sim *sim) {
  const tx_stage stage = {
      .u = sim->u,
      .y = sim->u,
      .base_sum = sim->sum,
      .sum = sim->sum,
      .next = sim->y2,
      .dt_sum = sim->dt * 1e-9,
      .dt_next = sim->dt,
  };
  return tx_exec_update(sim->exec, TX_ALL, sim->y1, &stage);
}

/* Bytes and operations a point: what a kernel reads and writes, also if it comes from caches. */
static tx_status measure_kernels(tx_sim *sim, int goes, kernel *k, int n) {
  const double grown = (double)TX_P3 / TX_N3;
  const kernel list[4] = {
      {"ghosts", "ghost exchange and interpolation", run_ghosts, 0.0, 0.0, 0.0},
      {"octant_to_patch", "octant to patch", run_patches, 2.0 * grown * STATE_BYTES, 0.0, 0.0},
      {"right_hand_side", "right-hand side with its patch", run_rhs, tx_bssn_rhs_bytes(),
       tx_bssn_rhs_flops(), 0.0},
      {"update", "update", run_update, 5.0 * STATE_BYTES, 4.0 * TX_VARS, 0.0},
  };
  memcpy(k, list, sizeof list[0] * (size_t)n);
  for (int i = 0; i < n; i++) TX_TRY(tx_speed_measure(sim, k[i].run, goes, &k[i].seconds));
  return TX_OK;
}

static double per_second(const tx_sim *sim, double seconds, double stages) {
  return stages * (double)sim->points / seconds;
}

static void log_row(const char *text, double rate, double bytes, double flop, double triad) {
  char moved[48] = "        -        -       -";
  if (bytes > 0.0)
    snprintf(moved, sizeof moved, "%9.0f %8.2f %6.1f%%", bytes, rate * bytes / 1e9,
             100.0 * rate * bytes / triad);
  tx_log("  %-34s %10.3e %s %9.0f %8.2f", text, rate, moved, flop, rate * flop / 1e9);
}

static void json_kernel(tx_json *json, const char *name, double rate, double bytes, double flop,
                        double triad) {
  tx_json_open(json, NULL, '{');
  tx_json_text(json, "name", name);
  tx_json_real(json, "point_stages_per_s", rate);
  tx_json_real(json, "bytes_per_point", bytes);
  tx_json_real(json, "gb_per_s", rate * bytes / 1e9);
  tx_json_real(json, "flop_per_point", flop);
  tx_json_real(json, "gflop_per_s", rate * flop / 1e9);
  tx_json_real(json, "percent_of_triad", 100.0 * rate * bytes / triad);
  tx_json_close(json, '}');
}

/* What a whole stage moves at least (y, u and the sum in; the sum and the next state out) and
 * computes. */
static double stage_bytes(void) {
  return 5.0 * STATE_BYTES;
}
static double stage_flops(void) {
  return tx_bssn_rhs_flops() + 4.0 * TX_VARS;
}

static void show(const tx_sim *sim, const kernel *k, int n, double step_s, double triad,
                 int cores) {
  char levels[160];
  double rate = per_second(sim, step_s, 4.0);
  tx_log("  grid    %s (level:octants), %lld points",
         tx_levels_text(sim->mesh, levels, sizeof levels), (long long)sim->points);
  tx_log("  triad   %.2f GB/s", triad / 1e9);
  tx_log(" ");
  tx_log("  %-34s %10s %9s %8s %7s %9s %8s", "", "pt-stage/s", "bytes/pt", "GB/s", "triad",
         "flop/pt", "GFLOP/s");
  for (int i = 0; i < n; i++)
    log_row(k[i].text, per_second(sim, k[i].seconds, 1.0), k[i].bytes_per_point,
            k[i].flop_per_point, triad);
  log_row("whole Runge-Kutta stage", rate, stage_bytes(), stage_flops(), triad);
  tx_log(" ");
  tx_log("  %.4e point-stages/s in whole time steps, %.4e a core (%d core%s)", rate, rate / cores,
         cores, cores == 1 ? "" : "s");
}

static void make_json(const tx_sim *sim, const kernel *k, int n, double step_s, double triad,
                      int cores, tx_json *json) {
  double rate = per_second(sim, step_s, 4.0);
  tx_json_open(json, NULL, '{');
  tx_json_text(json, "backend", "cpu");
  tx_json_int(json, "octant_points", TX_N);
  tx_json_int(json, "octants", sim->mesh->n_global);
  tx_json_int(json, "points", sim->points);
  tx_json_int(json, "levels", sim->mesh->level_highest - sim->mesh->level_lowest + 1);
  tx_json_int(json, "cores", cores);
  tx_json_real(json, "triad_bytes_per_s", triad);
  tx_json_open(json, "rk4_step", '{');
  tx_json_real(json, "point_stages_per_s", rate);
  tx_json_real(json, "point_stages_per_s_per_core", rate / cores);
  tx_json_real(json, "seconds", step_s);
  tx_json_real(json, "bytes_per_point", stage_bytes());
  tx_json_real(json, "gb_per_s", rate * stage_bytes() / 1e9);
  tx_json_real(json, "flop_per_point", stage_flops());
  tx_json_real(json, "gflop_per_s", rate * stage_flops() / 1e9);
  tx_json_real(json, "percent_of_triad", 100.0 * rate * stage_bytes() / triad);
  tx_json_close(json, '}');
  tx_json_open(json, "kernels", '[');
  for (int i = 0; i < n; i++)
    json_kernel(json, k[i].name, per_second(sim, k[i].seconds, 1.0), k[i].bytes_per_point,
                k[i].flop_per_point, triad);
  tx_json_close(json, ']');
  tx_json_close(json, '}');
}

static tx_status write_json(MPI_Comm comm, const char *path, const tx_json *json) {
  int rank = 0;
  tx_status status = json->text.status;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  if (status == TX_OK && rank == 0)
    status = tx_file_replace(path, json->text.data, json->text.length);
  return tx_agree(comm, status);
}

/* Better to fail before measuring than after. */
static tx_status check_json_path(MPI_Comm comm, const char *path) {
  int rank = 0;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  return tx_agree(comm, path && rank == 0 ? tx_file_append(path, "", 0) : TX_OK);
}

static tx_status bench(tx_sim *sim, const tx_cli *cli, int ranks) {
  enum { KERNELS = 4 };
  kernel k[KERNELS];
  double step_s = 0.0, triad = 0.0;
  int cores = ranks * omp_get_max_threads();
  TX_TRY(tx_triad_measure(sim->comm, &triad));
  TX_TRY(tx_sim_step(sim)); /* warms up, and makes the scratch fields */
  TX_TRY(tx_speed_measure(sim, tx_sim_step, cli->bench_steps, &step_s));
  TX_TRY(measure_kernels(sim, 2 * cli->bench_steps, k, KERNELS));
  show(sim, k, KERNELS, step_s, triad, cores);
  if (!cli->json) return TX_OK;
  tx_json json = {0};
  make_json(sim, k, KERNELS, step_s, triad, cores, &json);
  tx_status status = write_json(sim->comm, cli->json, &json);
  tx_text_free(&json.text);
  return status;
}

tx_status tx_bench_main(MPI_Comm comm, const tx_cli *cli) {
  tx_params p;
  tx_sim *sim = NULL;
  int ranks = 1;
  TX_MPI(MPI_Comm_size(comm, &ranks));
  TX_TRY(check_json_path(comm, cli->json));
  TX_TRY(tx_speed_params(comm, cli->bench_levels, (double)cli->bench_points, &p));
  tx_log_banner(&p, NULL, ranks);
  TX_TRY(tx_sim_create(comm, &p, &sim));
  tx_status status = bench(sim, cli, ranks);
  tx_sim_destroy(sim);
  return status;
}
