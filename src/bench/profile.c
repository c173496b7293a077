#include "bench/profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "bench/speed.h"
#include "base/log.h"
#include "base/timer.h"
#include "machine/compute.h"

/* Points of the sphere for Psi4, on a spiral, and its radius over the domain's half width. */
enum { SPHERE = 194 };
#define SPHERE_RADIUS 0.5

static tx_status take_steps(tx_sim *sim, int steps) {
  tx_status status = TX_OK;
  for (int n = 0; n < steps; n++) TX_KEEP(status, tx_speed_step(sim));
  TX_KEEP(status, tx_exec_wait(sim->exec));
  return tx_agree(sim->comm, status);
}

/* Compute Psi4 as wave extraction does, at points of the first octant. */
static tx_status take_psi4(tx_sim *sim) {
  static double points[SPHERE][3], out[SPHERE][TX_PSI4_COLUMNS];
  const double r = SPHERE_RADIUS * sim->params->grid_extent;
  for (int i = 0; i < SPHERE; i++) {
    const double z = (i + 0.5) / SPHERE, phi = fmod(2.4 * i, 1.5);
    points[i][0] = r * sqrt(1.0 - z * z) * cos(phi);
    points[i][1] = r * sqrt(1.0 - z * z) * sin(phi);
    points[i][2] = r * z;
  }
  return tx_exec_psi4(sim->exec, sim->u, SPHERE, (const double(*)[3])points, out);
}

/* Compute the diagnostics of runs, with ghosts filled. */
static tx_status take_diagnostics(tx_sim *sim) {
  tx_norms norms;
  if (sim->system->constraints) TX_TRY(tx_sim_norms(sim, &norms));
  return sim->system->psi4_at ? take_psi4(sim) : TX_OK;
}

static tx_status measure_steps(tx_sim *sim, int steps, tx_profile *p) {
  const double before = sim->point_stages;
  const tx_status status = take_steps(sim, steps);
  int ranks = 1;
  TX_MPI(MPI_Comm_size(sim->comm, &ranks));
  p->point_stages = (sim->point_stages - before) / ranks;
  return status;
}

/* Add the rows of kernels that ran. */
static tx_status stop_kernels(tx_sim *sim, tx_profile *p) {
  tx_profile_row row[TX_PROFILE_ROWS];
  int n = 0;
  TX_TRY(tx_agree(sim->comm, tx_compute_profile_stop(row, &n)));
  for (int i = 0; i < n && p->n < TX_PROFILE_ROWS; i++) p->row[p->n++] = row[i];
  return TX_OK;
}

static tx_status measure_kernels(tx_sim *sim, int steps, tx_profile *p) {
  TX_TRY(tx_agree(sim->comm, tx_compute_profile_start()));
  tx_status status = measure_steps(sim, steps, p);
  TX_KEEP(status, stop_kernels(sim, p));
  TX_TRY(status);
  p->n_steps = p->n;
  TX_TRY(tx_ghosts_fill(sim->exec, sim->u));
  TX_TRY(tx_agree(sim->comm, tx_compute_profile_start()));
  status = take_diagnostics(sim);
  TX_KEEP(status, stop_kernels(sim, p));
  return status;
}

/* Set operations and traffic of an operation on `points` points, where they are known: stages and norms. */
static void count_work(const tx_system *system, int kind, double points, tx_profile_row *row) {
  if (kind == TX_OPERATION_STAGE) {
    row->flop = points * tx_speed_stage_flops(system);
    row->bytes = points * tx_speed_stage_bytes(system);
  } else if (kind == TX_OPERATION_CONSTRAINTS) {
    row->flop = points * system->analysis_flops;
    row->bytes = points * system->n_vars * (double)sizeof(double);
  }
}

/* Add the operations since `before`, all on `points` points. */
static tx_status add_operations(const tx_sim *sim, const double before[TX_OPERATION_COUNT],
                                double points, tx_profile *p) {
  double now[TX_OPERATION_COUNT];
  TX_TRY(tx_operation_gather(sim->comm, now));
  for (int k = 0; k < TX_OPERATION_COUNT && p->n < TX_PROFILE_ROWS; k++) {
    if (now[k] <= before[k]) continue;
    tx_profile_row *row = &p->row[p->n++];
    *row = (tx_profile_row){.source = "", .seconds = now[k] - before[k]};
    snprintf(row->name, sizeof row->name, "%s", tx_operation_key((tx_operation)k));
    count_work(sim->system, k, points, row);
  }
  return TX_OK;
}

static tx_status measure_operations(tx_sim *sim, int steps, tx_profile *p) {
  double before[TX_OPERATION_COUNT];
  int ranks = 1;
  TX_MPI(MPI_Comm_size(sim->comm, &ranks));
  TX_TRY(tx_operation_gather(sim->comm, before));
  TX_TRY(measure_steps(sim, steps, p));
  TX_TRY(add_operations(sim, before, p->point_stages, p));
  p->n_steps = p->n;
  TX_TRY(tx_ghosts_fill(sim->exec, sim->u));
  TX_TRY(tx_operation_gather(sim->comm, before));
  TX_TRY(take_diagnostics(sim));
  return add_operations(sim, before, (double)sim->points / ranks, p);
}

tx_status tx_profile_measure(tx_sim *sim, int steps, tx_profile *p) {
  *p = (tx_profile){.kernels = tx_compute_get()->gpu};
  TX_TRY(tx_sim_complete(sim));
  TX_TRY(p->kernels ? measure_kernels(sim, steps, p) : measure_operations(sim, steps, p));
  for (int i = 0; i < p->n_steps; i++) p->seconds += p->row[i].seconds;
  return TX_OK;
}

/* Return the share of a row in the time of steps; 0 for other rows. */
static double share(const tx_profile *p, int i) {
  return i < p->n_steps && p->seconds > 0.0 ? p->row[i].seconds / p->seconds : 0.0;
}

static double per_second(double amount, const tx_profile_row *row) {
  return row->seconds > 0.0 ? amount / row->seconds : 0.0;
}

/* Write a rate and its share of the roof: two columns. */
static void rate_text(char *text, size_t size, double rate, double roof) {
  if (rate > 0.0)
    snprintf(text, size, "%9.2f %6.1f%%", rate / 1e9, 100.0 * rate / roof);
  else
    snprintf(text, size, "%9s %7s", "-", "-");
}

static void log_row(const tx_profile *p, int i, const tx_roofs *roofs) {
  const tx_profile_row *row = &p->row[i];
  char of_steps[48] = "      -          -", takes[64] = "", computed[40], moved[40], name[96];
  if (i < p->n_steps) {
    const double ns = 1e9 * row->seconds / p->point_stages;
    snprintf(of_steps, sizeof of_steps, "%6.2f%% %10.*f", 100.0 * share(p, i),
             ns < 1.0     ? 4
             : ns < 10.0  ? 2
             : ns < 100.0 ? 1
                          : 0,
             ns);
  }
  if (p->kernels)
    snprintf(takes, sizeof takes, " %5d %6zu %7.1f %6d", row->registers, row->local_bytes,
             (double)row->shared_bytes / 1024.0, row->blocks_per_sm);
  rate_text(computed, sizeof computed, per_second(row->flop, row), roofs->fma_flop_per_s);
  rate_text(moved, sizeof moved, per_second(row->bytes, row), roofs->triad_bytes_per_s);
  snprintf(name, sizeof name, "%s%s%s", row->source, p->kernels ? ": " : "", row->name);
  tx_log("  %-36s%s %s %s %s", name, takes, of_steps, computed, moved);
}

void tx_profile_log(const tx_profile *p, const tx_roofs *roofs) {
  if (p->n == 0) return;
  tx_log(" ");
  tx_log("  %-36s%s %7s %10s %9s %7s %9s %7s", p->kernels ? "kernel" : "operation",
         p->kernels ? "  regs spills  shared blk/SM" : "", "share", "ns/pt-stg", "GFLOP/s", "FMA",
         "GB/s", "triad");
  for (int i = 0; i < p->n; i++) log_row(p, i, roofs);
  if (p->kernels)
    tx_log("  registers and spills (bytes of local memory) per thread, shared memory per block "
           "[KiB]; one kernel at a time");
  tx_log("  share of steps; least traffic and operations of stages are computed; -: not part of "
         "steps, or not counted");
}

static void json_row(const tx_profile *p, int i, const tx_roofs *roofs, tx_json *json) {
  const tx_profile_row *row = &p->row[i];
  tx_json_open(json, NULL, '{');
  tx_json_text(json, "name", row->name);
  if (p->kernels) {
    tx_json_text(json, "source", row->source);
    tx_json_int(json, "registers", row->registers);
    tx_json_int(json, "local_bytes", (int64_t)row->local_bytes);
    tx_json_int(json, "shared_bytes", (int64_t)row->shared_bytes);
    tx_json_int(json, "threads", row->threads);
    tx_json_int(json, "blocks_per_sm", row->blocks_per_sm);
    tx_json_int(json, "launches", row->launches);
  }
  tx_json_bool(json, "in_steps", i < p->n_steps);
  tx_json_real(json, "seconds", row->seconds);
  tx_json_real(json, "share", share(p, i));
  tx_json_real(json, "ns_per_point_stage",
               i < p->n_steps ? 1e9 * row->seconds / p->point_stages : 0.0);
  tx_json_real(json, "flop", row->flop);
  tx_json_real(json, "bytes", row->bytes);
  tx_json_real(json, "gflop_per_s", per_second(row->flop, row) / 1e9);
  tx_json_real(json, "gb_per_s", per_second(row->bytes, row) / 1e9);
  tx_json_real(json, "percent_of_fma", 100.0 * per_second(row->flop, row) / roofs->fma_flop_per_s);
  tx_json_real(json, "percent_of_triad",
               100.0 * per_second(row->bytes, row) / roofs->triad_bytes_per_s);
  tx_json_close(json, '}');
}

void tx_profile_json(const tx_profile *p, const tx_roofs *roofs, tx_json *json) {
  if (p->n == 0) return;
  tx_json_open(json, "profile", '{');
  tx_json_text(json, "rows_are", p->kernels ? "kernels" : "operations");
  tx_json_real(json, "point_stages", p->point_stages);
  tx_json_real(json, "seconds", p->seconds);
  tx_json_real(json, "triad_bytes_per_s", roofs->triad_bytes_per_s);
  tx_json_real(json, "fma_flop_per_s", roofs->fma_flop_per_s);
  tx_json_open(json, "rows", '[');
  for (int i = 0; i < p->n; i++) json_row(p, i, roofs, json);
  tx_json_close(json, ']');
  tx_json_close(json, '}');
}
