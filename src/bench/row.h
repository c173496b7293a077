/* Results of a bench: rows of pieces, and profiles. */
#pragma once

#include "exec/profile.h"
#include "physics/system.h"

/** Profile of time steps, and of norms and waves after them: kernels of rank 0, or operations, mean of the ranks. */
typedef struct tx_profile {
  bool kernels;   /**< of GPUs */
  int n, n_steps; /**< rows; the first n_steps are those of steps, the others of norms and waves */
  double point_stages; /**< a rank's, of the steps */
  double seconds;      /**< sum over the rows of the steps */
  tx_profile_row row[TX_PROFILE_ROWS];
} tx_profile;

/** Peaks of the processors of one rank. */
typedef struct tx_roofs {
  double triad_bytes_per_s, fma_flop_per_s;
} tx_roofs;

/** Piece of a stage. Bytes and operations a point: the least that it reads and writes, also if that comes from caches; 0: not
 *  counted. */
typedef struct tx_bench_row {
  const char *name, *text;
  double bytes_per_point, flop_per_point;
  double seconds; /**< a call, slowest rank */
} tx_bench_row;

#define TX_BENCH_ROWS 5

/** Measurements of a bench. Peaks are those of all ranks together. */
typedef struct tx_bench {
  const char *par_path; /**< of whose grid it is; NULL: the bench's own */
  const tx_system *system;
  char levels_text[160];
  int64_t octants, points;
  int levels, ranks, threads;
  double macro_step; /**< M, with steps of levels; 0: one for all levels */
  double triad_bytes_per_s, fma_flop_per_s;
  int n_rows;
  tx_bench_row row[TX_BENCH_ROWS];
  double step_s;                 /**< a whole time step; with steps of levels a macro step */
  double step_stages;            /**< point-stages of one, all ranks */
  double step_stages_global;     /**< those that one time step for all levels would have taken */
  double device_bytes_per_point; /**< in use; 0 on the CPU */
  /** Shares of whole steps on GPUs, mean of the ranks: ghosts as far as they wait for nobody, the wait for those of
   *  other ranks, right-hand side with update and boundary, the rest, and no work. 0 on the CPU. */
  double ghosts_share, halo_share, rhs_share, rest_share, idle_share;
  tx_profile profile; /**< with --profile; else no rows */
} tx_bench;
