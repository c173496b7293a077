/* The end of a run: the table in the log, and summary.json. */
#pragma once

#include "base/timer.h"
#include "evolve/horizons.h"
#include "evolve/sim.h"
#include "files/json.h"
#include "gw_extraction/fluxes.h"
#include "gw_extraction/gw.h"

/** Times of a run, all starts together. Nothing but doubles. */
typedef struct tx_run_times {
  double phase_mean_s[TX_PHASE_COUNT], phase_max_s[TX_PHASE_COUNT], wall_s;
  double evolution_s; /**< of the time steps with all that belongs to them */
  double core_s;      /**< the same times the cores they had */
  double step_s;      /**< of it, in Runge-Kutta steps: the host on CPUs, the device on GPUs */
  double device_evolution_s; /**< as evolution_s, of starts that computed on GPUs */
  double device_busy_s;      /**< of it, the GPUs worked; mean of the ranks */
  double
      device_s[TX_PHASE_COUNT + 1]; /**< GPUs worked, by phase, last in none; mean of the ranks */
} tx_run_times;
#define TX_RUN_TIMES (sizeof(tx_run_times) / sizeof(double))

/** Results of a run, gathered from all ranks. */
typedef struct tx_results {
  const tx_params *params;
  const char *par_path;
  const tx_sim *sim;
  const tx_norms *norms;                  /**< the last ones, or NULL */
  const tx_gw_info *gw;                   /**< NULL: no extraction */
  const tx_fluxes *fluxes;                /**< with gw */
  const tx_horizons *horizons;            /**< NULL: not looked for */
  tx_run_times times;                     /**< all starts together */
  double operation_s[TX_OPERATION_COUNT]; /**< tx_operation_gather, of this start */
  int64_t starts;                         /**< of the program */
  const char *ended; /**< by what: "run.t_end", "run.walltime", "SIGTERM", "error", ... */
  bool complete;     /**< run.t_end or run.max_steps was reached */
  bool broke_down;   /**< by an error */
  int ranks, threads;
  double memory_bytes;   /**< most ever allocated, all ranks */
  double device_bytes;   /**< the same of device memory, all ranks of this start */
  double resident_bytes; /**< most ever resident, all ranks */
  uint64_t checksum;     /**< of the last state */
} tx_results;

/** Collective. Fill in what is measured: memory, checksum. */
tx_status tx_results_gather(tx_results *r);

/** Write all of it as JSON. Local. */
void tx_results_json(const tx_results *r, tx_json *json);

/** Log the table. Local. */
void tx_results_log(const tx_results *r, const char *folder);
