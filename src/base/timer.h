/* Wall-clock shares of the phases of a run. */
#pragma once

#include <stdbool.h>
#include "base/status.h"

/** The phases of a run: enumerator, key in JSON, human name. What is not in any is "other". */
#define TX_PHASES(P)                                                                               \
  P(HALO, "halo", "halo exchange")           /* packing, sending and waiting between ranks */      \
  P(GHOSTS, "ghosts", "interpolated ghosts") /* coarse to fine slabs */                            \
  P(RHS, "rhs", "patch, RHS and update")     /* also constraints and Psi4 at a point */            \
  P(WAIT, "wait", "waiting for other ranks") /* where a stage first needs all; halo waits too */   \
  P(DEVICE, "device", "waiting for the GPU") /* until it has done what it was given before */      \
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

/** Kinds of operations of src/exec: enumerator, key in JSON, human name. */
#define TX_OPERATIONS(P)                                                                           \
  P(STAGE, "stage", "stages: right-hand side, update, boundary")                                   \
  P(GHOSTS, "ghosts", "ghosts: exchange and interpolation")                                        \
  P(BOUNDARIES, "refinement_boundaries", "ghosts at refinement boundaries")                        \
  P(RESTRICTION, "restriction", "restriction to coarser levels")                                   \
  P(REDISTRIBUTION, "redistribution", "octants to their ranks and leaves")                         \
  P(RHS, "rhs", "right-hand sides alone")                                                          \
  P(UPDATE, "update", "updates alone")                                                             \
  P(ENFORCE, "enforce", "algebraic constraints, floors, outer planes")                             \
  P(CONSTRAINTS, "constraints", "norms of the constraints")                                        \
  P(PSI4, "psi4", "Psi4 on spheres")                                                               \
  P(SAMPLES, "samples", "fields at points")                                                        \
  P(WAVELETS, "wavelets", "wavelet errors")                                                        \
  P(CHECKS, "checks", "search for bad values, checksums")                                          \
  P(ALGEBRA, "algebra", "field algebra")                                                           \
  P(MULTIGRID, "multigrid", "relaxation, and ways between levels, of multigrid")                   \
  P(INITIAL_DATA, "initial_data", "initial data")

typedef enum tx_operation {
#define P(name, key, text) TX_OPERATION_##name,
  TX_OPERATIONS(P)
#undef P
      TX_OPERATION_COUNT
} tx_operation;

/** Begin and end a phase on this rank. Phases nest; the time of an inner phase counts for it alone. Ending a phase
 *  also ends those left open inside it. Local; from the thread that runs the step loop. */
void tx_phase_begin(tx_phase phase);
void tx_phase_end(tx_phase phase);

/** Return the seconds spent so far in a phase on this rank (not in phases nested inside it). Local. */
double tx_phase_seconds(tx_phase phase);

/** Forget all times. Local. */
void tx_phase_reset(void);

/** Return the seconds since the program started, from a monotonic clock. Local. */
double tx_now_s(void);

/** Collective. Gather the mean and largest seconds over the ranks for each phase, and the wall time since the
 *  reset; [out] arrays of TX_PHASE_COUNT. */
tx_status tx_phase_gather(MPI_Comm comm, double *mean_s, double *max_s, double *wall_s);

/** Begin and end a time step: the time between is also summed over all phases. Local. */
void tx_step_begin(void);
void tx_step_end(void);
/** Return the seconds spent so far in time steps on this rank. Local. */
double tx_step_seconds(void);

/** Begin or end an operation: its time counts for its kind. The time of an asynchronous device also counts for the
 *  innermost open phase, and for the time step if one is open. aside: the operation runs concurrently with earlier
 *  ones, and is complete at its end. Nested pairs count as the outer one. Without hooks the host's clock is used.
 *  Local. */
void tx_work_begin(tx_operation kind, bool aside);
void tx_work_end(bool aside);

/** Who measures such a device, and is told of phases; members may be NULL. Local, all of them. */
typedef struct tx_phase_hooks {
  void (*phase_begin)(tx_phase phase);
  void (*phase_end)(int n); /**< the n innermost open phases end */
  /** Around an operation; its seconds go with its tag to tx_work_charge, sooner or later. */
  void (*work_begin)(int tag, bool aside);
  void (*work_end)(bool aside);
  void (*settle)(void); /**< charge all that is done, after waiting for what is not */
} tx_phase_hooks;

/** Set the hooks of phases. Borrows; NULL: none any more. Local. */
void tx_phase_hook(const tx_phase_hooks *chosen);
void tx_work_charge(int tag, double seconds);

/** Seconds that this rank's device worked: in each phase, last in none; in time steps. */
typedef struct tx_device_times {
  double phase_s[TX_PHASE_COUNT + 1], step_s;
} tx_device_times;

/** Return the seconds of this rank so far, all 0 without a device. Waits for it. Local. */
void tx_device_seconds(tx_device_times *out);
/** Collective. Return the mean over the ranks. */
tx_status tx_device_gather(MPI_Comm comm, tx_device_times *mean);
/** Return the sum over the phases. Local. */
double tx_device_busy(const tx_device_times *times);

/** Collective. Gather the seconds of each kind of operation since the reset, of the device or, without one, of the host;
 *  mean over the ranks. Waits for the device. */
tx_status tx_operation_gather(MPI_Comm comm, double mean_s[TX_OPERATION_COUNT]);
/** Return the key of a kind in JSON. */
const char *tx_operation_key(tx_operation kind);

/** Return the human name of a phase and its key in JSON ("halo", "rhs", ...). */
const char *tx_phase_text(tx_phase phase);
const char *tx_phase_key(tx_phase phase);
