/* Wall-clock shares of the phases of a run. */
#pragma once

#include <stdio.h>
#include "base/status.h"

/** The phases of a run: enumerator, key in JSON, human name. What is not in any is "other". */
#define TX_PHASES(P)                                                                               \
  P(HALO, "halo", "halo exchange")           /* packing, sending and waiting between ranks */      \
  P(GHOSTS, "ghosts", "interpolated ghosts") /* coarse to fine slabs */                            \
  P(RHS, "rhs", "patch, RHS and update")     /* also constraints and Psi4 at a point */            \
  P(WAIT, "wait", "waiting for other ranks") /* where a stage first needs all; halo waits too */   \
  P(REGRID, "regrid", "regrid")                                                                    \
  P(INITIAL_DATA, "initial_data", "initial data")                                                  \
  P(EXTRACTION, "extraction", "wave extraction")                                                   \
  P(TRACKING, "tracking", "puncture tracking")                                                     \
  P(HORIZONS, "horizons", "horizons")                                                              \
  P(NORMS, "norms", "norms and checks")                                                            \
  P(OUTPUT, "output", "output")                                                                    \
  P(CHECKPOINT, "checkpoint", "checkpoints")

typedef enum tx_phase {
#define P(name, key, text) TX_PHASE_##name,
  TX_PHASES(P)
#undef P
      TX_PHASE_COUNT
} tx_phase;

/** Begin and end a phase on this rank; phases nest, the inner one's time is its own. To end a phase
 *  ends those left open inside it. Local; from the thread that runs the step loop. */
void tx_phase_begin(tx_phase phase);
void tx_phase_end(tx_phase phase);

/** Seconds spent so far in a phase on this rank (not in phases nested inside it). Local. */
double tx_phase_seconds(tx_phase phase);

/** Forget all times. Local. */
void tx_phase_reset(void);

/** Seconds since the program started, from a monotonic clock. Local. */
double tx_now_s(void);

/** Collective. Mean and largest seconds over the ranks for each phase, and the wall time since the
 *  reset; [out] arrays of TX_PHASE_COUNT. */
tx_status tx_phase_gather(MPI_Comm comm, double *mean_s, double *max_s, double *wall_s);

/** Human name of a phase and its key in JSON ("halo", "rhs", ...). */
const char *tx_phase_text(tx_phase phase);
const char *tx_phase_key(tx_phase phase);
