#include "bench/bench_show.h"

#include <stdio.h>
#include "bench/profile.h"
#include "bench/speed.h"
#include "base/log.h"
#include "base/version.h"
#include "machine/compute.h"
#include "machine/machine.h"

static double rate(const tx_bench *b, double seconds) {
  return (double)b->points / seconds;
}

/* Write a quantity a point compared with its peak: three columns, or none. */
static void add_columns(char *text, size_t size, double per_point, double rate, double peak) {
  if (per_point > 0.0)
    snprintf(text, size, "%9.0f %9.2f %6.1f%%", per_point, rate * per_point / 1e9,
             100.0 * rate * per_point / peak);
  else
    snprintf(text, size, "%9s %9s %7s", "-", "-", "-");
}

static void log_row(const tx_bench *b, const char *text, double rate, double bytes, double flop) {
  char moved[64], computed[64];
  add_columns(moved, sizeof moved, bytes, rate, b->triad_bytes_per_s);
  add_columns(computed, sizeof computed, flop, rate, b->fma_flop_per_s);
  tx_log("  %-34s %10.3e %s %s", text, rate, moved, computed);
}

static void log_rows(const tx_bench *b) {
  const bool gpu = tx_compute_get()->gpu;
  const int cores = b->ranks * b->threads;
  const double step = b->step_stages / b->step_s;
  tx_log(" ");
  tx_log("  %-34s %10s %9s %9s %7s %9s %9s %7s", "", "pt-stage/s", "bytes/pt", "GB/s", "triad",
         "flop/pt", "GFLOP/s", "FMA");
  for (int i = 0; i < b->n_rows; i++)
    log_row(b, b->row[i].text, rate(b, b->row[i].seconds), b->row[i].bytes_per_point,
            b->row[i].flop_per_point);
  log_row(b, "whole Runge-Kutta stage", step, tx_speed_stage_bytes(b->system),
          tx_speed_stage_flops(b->system));
  tx_log(" ");
  if (gpu)
    tx_log("  %.4e point-stages/s in whole time steps, %.4e per GPU (%d); %.0f bytes of GPU memory "
           "per point",
           step, step / b->ranks, b->ranks, b->device_bytes_per_point);
  if (gpu)
    tx_log("  shares of the steps: ghosts %.1f%%, waiting for other ranks %.1f%%, right-hand side, "
           "update, boundary %.1f%%, rest %.1f%%, idle %.1f%%",
           100.0 * b->ghosts_share, 100.0 * b->halo_share, 100.0 * b->rhs_share,
           100.0 * b->rest_share, 100.0 * b->idle_share);
  else
    tx_log("  %.4e point-stages/s in whole time steps, %.4e per core (%d core%s)", step,
           step / cores, cores, cores == 1 ? "" : "s");
}

/* Return the peaks of a rank. */
static tx_roofs roofs_of(const tx_bench *b) {
  return (tx_roofs){b->triad_bytes_per_s / b->ranks, b->fma_flop_per_s / b->ranks};
}

static void log_levels(const tx_bench *b) {
  tx_log(
      "  macro steps of %.6g M in %.4g s each: %.4e point-stages/s of one time step for all levels",
      b->macro_step, b->step_s, b->step_stages_global / b->step_s);
}

void tx_bench_log(const tx_bench *b) {
  const tx_roofs roofs = roofs_of(b);
  tx_log("  grid        %s (level:octants), %lld points", b->levels_text, (long long)b->points);
  tx_log("  peaks       triad %.2f GB/s, fused multiply-adds %.2f GFLOP/s",
         b->triad_bytes_per_s / 1e9, b->fma_flop_per_s / 1e9);
  log_rows(b);
  if (b->macro_step > 0.0) log_levels(b);
  tx_profile_log(&b->profile, &roofs);
}

/* Write the rates of a measurement. */
static void json_rates(const tx_bench *b, tx_json *json, double rate, double bytes, double flop) {
  tx_json_real(json, "bytes_per_point", bytes);
  tx_json_real(json, "gb_per_s", rate * bytes / 1e9);
  tx_json_real(json, "flop_per_point", flop);
  tx_json_real(json, "gflop_per_s", rate * flop / 1e9);
  tx_json_real(json, "percent_of_triad", 100.0 * rate * bytes / b->triad_bytes_per_s);
  tx_json_real(json, "percent_of_fma", 100.0 * rate * flop / b->fma_flop_per_s);
}

static void json_shares(const tx_bench *b, tx_json *json) {
  tx_json_open(json, "device_share", '{');
  tx_json_real(json, "ghosts", b->ghosts_share);
  tx_json_real(json, "halo", b->halo_share);
  tx_json_real(json, "rhs", b->rhs_share);
  tx_json_real(json, "rest", b->rest_share);
  tx_json_real(json, "idle", b->idle_share);
  tx_json_close(json, '}');
}

static void json_results(const tx_bench *b, tx_json *json) {
  const double step = b->step_stages / b->step_s;
  const tx_roofs roofs = roofs_of(b);
  tx_json_text(json, "pipeline", tx_compute_get()->gpu ? "gather" : "cpu");
  tx_json_real(json, "device_bytes_per_point", b->device_bytes_per_point);
  tx_json_open(json, "rk4_step", '{');
  tx_json_real(json, "point_stages_per_s", step);
  tx_json_real(json, "point_stages_per_s_per_core", step / (b->ranks * b->threads));
  tx_json_real(json, "point_stages_per_s_per_rank", step / b->ranks);
  tx_json_real(json, "seconds", b->step_s);
  tx_json_real(json, "point_stages", b->step_stages);
  tx_json_real(json, "point_stages_global", b->step_stages_global);
  tx_json_real(json, "macro_step", b->macro_step);
  json_rates(b, json, step, tx_speed_stage_bytes(b->system), tx_speed_stage_flops(b->system));
  if (tx_compute_get()->gpu) json_shares(b, json);
  tx_json_close(json, '}');
  tx_json_open(json, "kernels", '[');
  for (int i = 0; i < b->n_rows; i++) {
    const tx_bench_row *r = &b->row[i];
    tx_json_open(json, NULL, '{');
    tx_json_text(json, "name", r->name);
    tx_json_real(json, "seconds", r->seconds);
    tx_json_real(json, "point_stages_per_s", rate(b, r->seconds));
    json_rates(b, json, rate(b, r->seconds), r->bytes_per_point, r->flop_per_point);
    tx_json_close(json, '}');
  }
  tx_json_close(json, ']');
  tx_profile_json(&b->profile, &roofs, json);
}

static void json_device(tx_json *json) {
  const tx_compute *c = tx_compute_get();
  if (!c->gpu) return;
  tx_json_open(json, "device", '{');
  tx_json_text(json, "name", c->device);
  tx_json_real(json, "memory_bytes", c->memory_bytes);
  tx_json_int(json, "multiprocessors", c->sms);
  tx_json_int(json, "compute_capability", c->capability);
  tx_json_int(json, "driver", c->driver);
  tx_json_text(json, "driver_release", c->release);
  tx_json_text(json, "transport", c->ranks > 1 ? c->transport : "none");
  tx_json_close(json, '}');
}

void tx_bench_json(const tx_bench *b, tx_json *json) {
  char machine[512], date[64];
  tx_machine_text(machine, sizeof machine);
  tx_machine_date(date, sizeof date);
  tx_json_open(json, NULL, '{');
  tx_json_text(json, "code_version", tx_version());
  tx_json_text(json, "build", tx_build());
  tx_json_text(json, "date", date);
  tx_json_text(json, "machine", machine);
  tx_json_text(json, "backend", tx_compute_backend());
  json_device(json);
  tx_json_text(json, "parameters", b->par_path ? b->par_path : "");
  tx_json_int(json, "octant_points", TX_N);
  tx_json_int(json, "octants", b->octants);
  tx_json_int(json, "points", b->points);
  tx_json_int(json, "levels", b->levels);
  tx_json_text(json, "octants_of_levels", b->levels_text);
  tx_json_int(json, "ranks", b->ranks);
  tx_json_int(json, "threads", b->threads);
  tx_json_int(json, "cores", b->ranks * b->threads);
  tx_json_real(json, "triad_bytes_per_s", b->triad_bytes_per_s);
  tx_json_real(json, "fma_flop_per_s", b->fma_flop_per_s);
  json_results(b, json);
  tx_json_open(json, "pipelines", '['); /* earlier versions had two; tools read the list */
  tx_json_open(json, NULL, '{');
  json_results(b, json);
  tx_json_close(json, '}');
  tx_json_close(json, ']');
  tx_json_close(json, '}');
}
