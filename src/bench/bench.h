/* What `tendex bench` measures, and how it shows it. */
#pragma once

#include "bench/profile.h"
#include "evolve/sim.h"
#include "files/json.h"

/** A piece of a stage. Bytes and operations a point: what it reads and writes at least, also if that comes
 *  from caches; 0: not counted. */
typedef struct tx_bench_row {
  const char *name, *text;
  double bytes_per_point, flop_per_point;
  double seconds; /**< a call, slowest rank */
} tx_bench_row;

#define TX_BENCH_ROWS 6

/** One way to do a stage. */
typedef struct tx_bench_pipeline {
  const char *name; /**< "gather", "patch"; "cpu": there is one way only */
  int n;
  tx_bench_row row[TX_BENCH_ROWS];
  double step_s;                 /**< a whole time step; with steps of levels a macro step */
  double step_stages;            /**< point-stages of one, all ranks */
  double step_stages_global;     /**< those that one time step for all levels would have taken */
  double device_bytes_per_point; /**< in use; 0 on the CPU */
  /** Of whole steps on GPUs, mean of the ranks: ghosts as far as they wait for nobody, the wait for those of
   *  other ranks, right-hand side with update and boundary, the rest, and no work. 0 on the CPU. */
  double ghosts_share, halo_share, rhs_share, rest_share, idle_share;
  tx_profile profile; /**< with --profile; else no rows */
} tx_bench_pipeline;

/** All of it. Peaks are those of all ranks together. */
typedef struct tx_bench {
  const char *par_path; /**< of whose grid it is; NULL: the bench's own */
  const tx_system *system;
  char levels_text[160];
  int64_t octants, points;
  int levels, ranks, threads;
  double macro_step; /**< M, with steps of levels; 0: one for all levels */
  double triad_bytes_per_s, fma_flop_per_s;
  int n;
  tx_bench_pipeline pipeline[2];
} tx_bench;

/** What a whole stage moves (mean of the four: the state, u and the sum in, the sum and the next state out,
 *  where they differ) and computes, a point. */
double tx_bench_stage_bytes(const tx_system *system);
double tx_bench_stage_flops(const tx_system *system);

/** The tables in the log. Local. */
void tx_bench_log(const tx_bench *b);
/** The whole as JSON. Local. */
void tx_bench_json(const tx_bench *b, tx_json *json);
