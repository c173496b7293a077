/* Trajectories of the punctures: dx^i/dt = -beta^i, by the Runge-Kutta stages of the evolution. */
#pragma once

#include "base/status.h"
#include "exec/exec.h"
#include "files/record.h"

/** Position and velocity of a puncture. */
typedef struct tx_puncture {
  double x[3];       /**< M */
  double v[3];       /**< dx/dt at the start of the last step */
  double stage_x[3]; /**< position at the state of the coming stage */
  double sum_x[3];   /**< weighted sum of a Runge-Kutta step */
} tx_puncture;

/** The punctures of a run, and their stage of a step. Plain data. Punctures are tracked after a merger too. A puncture
 *  beyond a reflecting face follows the mirrored shift. */
typedef struct tx_tracker {
  int n;
  tx_puncture at[TX_PUNCTURES_MAX];
  /** The request of tx_tracker_ask; exec NULL: none. */
  struct {
    tx_exec *exec; /**< borrowed */
    int stage, n, which[TX_PUNCTURES_MAX];
    double dt, beta[TX_PUNCTURES_MAX][3];
    bool mine[TX_PUNCTURES_MAX];
  } asked;
  uint32_t still; /**< bit a: puncture a does not take part in the coming steps */
  bool
      lost; /**< a shift was not finite, and its puncture did not move: the state is to be checked */
} tx_tracker;

/** Place n punctures at rest at x[n][3], M. Local. */
void tx_tracker_init(tx_tracker *tracker, int n, const double (*x)[3]);

/** Add the punctures' records of a checkpoint. Local. */
void tx_tracker_records(tx_tracker *tracker, tx_record_list *list);

/** Advance all punctures that are not still through `stage` (0 .. 3) of a step dt [M], with the shift beta[n][3] at
 *  stage_x in the state of that stage; after stage 3 the positions are at the new time. Local. */
void tx_tracker_update(tx_tracker *tracker, int stage, double dt, const double (*beta)[3]);

/** Advance the punctures in two parts, with the shift sampled from the state y of the stage, whose ghosts are filled. A GPU may
 *  be given the next stage between the two: only the second part waits for it. `still` and the address of the
 *  tracker must not change in between. The first is local; the second is collective, does nothing without a
 *  request, and returns failures of the first. Errors: TX_ERR_MESH if a puncture left the domain or the
 *  grid of its level. */
void tx_tracker_ask(tx_tracker *tracker, int stage, double dt, tx_exec *exec, const tx_field *y);
tx_status tx_tracker_answer(tx_tracker *tracker);
