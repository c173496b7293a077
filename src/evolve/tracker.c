#include "evolve/tracker.h"

#include <math.h>
#include <mpi.h>
#include <string.h>
#include "base/runge_kutta.h"
#include "base/timer.h"
#include "physics/adm.h"

void tx_tracker_init(tx_tracker *tracker, int n, const double (*x)[3]) {
  memset(tracker, 0, sizeof *tracker);
  tracker->n = n;
  for (int a = 0; a < n; a++) {
    memcpy(tracker->at[a].x, x[a], sizeof tracker->at[a].x);
    memcpy(tracker->at[a].stage_x, x[a], sizeof tracker->at[a].stage_x);
  }
}

void tx_tracker_records(tx_tracker *tracker, tx_record_list *list) {
  static const tx_member puncture[] = {
      TX_MEMBER(tx_puncture, x),
      TX_MEMBER(tx_puncture, v),
      TX_MEMBER(tx_puncture, stage_x),
      TX_MEMBER(tx_puncture, sum_x),
  };
  static const tx_member all[] = {TX_MEMBER(tx_tracker, n), TX_MEMBER(tx_tracker, lost)};
  static const tx_members punctures = TX_MEMBERS(tx_puncture, puncture),
                          of_all = TX_MEMBERS(tx_tracker, all);
  tx_records_add_members(list, "tracker/", &of_all, tracker, 1);
  tx_records_add_members(list, "tracker/", &punctures, tracker->at, TX_PUNCTURES_MAX);
}

void tx_tracker_update(tx_tracker *tracker, int stage, double dt, const double (*beta)[3]) {
  for (int a = 0; a < tracker->n; a++) {
    tx_puncture *p = &tracker->at[a];
    if (tracker->still >> a & 1) continue;
    for (int d = 0; d < 3; d++) {
      bool finite = isfinite(beta[a][d]);
      double v = finite && beta[a][d] != 0.0 ? -beta[a][d] : 0.0;
      if (!finite) tracker->lost = true;
      if (stage == 0) p->v[d] = v;
      double base = stage == 0 ? p->x[d] : p->sum_x[d];
      p->sum_x[d] = base + tx_rk_weight[stage] * dt * v;
      p->stage_x[d] = stage < 3 ? p->x[d] + tx_rk_reach[stage] * dt * v : p->sum_x[d];
    }
    if (stage == 3) memcpy(p->x, p->sum_x, sizeof p->x);
  }
}

/* By symmetry a puncture on a reflecting face stays there: interpolation would move it by a
 * round-off. */
static bool on_mirror(const tx_mesh *mesh, const double x[3], int d) {
  return mesh->domain.low[d] == TX_FACE_REFLECT && x[d] == 0.0;
}

static bool all_still(const tx_tracker *tracker) {
  return (~tracker->still & ((1u << tracker->n) - 1)) == 0;
}

/* The punctures that move: their numbers and places; how many. */
static int list_moving(const tx_tracker *tracker, int which[TX_PUNCTURES_MAX],
                       double x[TX_PUNCTURES_MAX][3]) {
  int n = 0;
  for (int a = 0; a < tracker->n; a++) {
    if (tracker->still >> a & 1) continue;
    memcpy(x[n], tracker->at[a].stage_x, sizeof x[n]);
    which[n++] = a;
  }
  return n;
}

void tx_tracker_ask(tx_tracker *tracker, int stage, double dt, tx_exec *exec, const tx_field *y) {
  if (all_still(tracker)) return;
  double x[TX_PUNCTURES_MAX][3];
  tx_phase_begin(TX_PHASE_TRACKING);
  tracker->asked.n = list_moving(tracker, tracker->asked.which, x);
  tracker->asked.exec = exec;
  tracker->asked.stage = stage;
  tracker->asked.dt = dt;
  tx_exec_sample_begin(exec, y,
                       &(tx_probe){.n = (size_t)tracker->asked.n,
                                   .points = (const double(*)[3])x,
                                   .vars = tx_field_system(y)->shift,
                                   .n_derivs = 1,
                                   .jets = &tracker->asked.beta[0][0],
                                   .mine = tracker->asked.mine});
  tx_phase_end(TX_PHASE_TRACKING);
}

/* The shift at a puncture, and the number of ranks with the puncture on their grid. */
typedef struct answer {
  double beta[3], found;
} answer;

/* Fill in the shift at the requested punctures of this rank; those of other ranks stay 0. */
static void own_answers(const tx_tracker *tracker, answer *all) {
  const tx_mesh *mesh = tx_exec_mesh(tracker->asked.exec);
  for (int i = 0; i < tracker->asked.n; i++) {
    const int a = tracker->asked.which[i];
    all[a].found = tracker->asked.mine[i];
    for (int d = 0; d < 3; d++)
      if (!on_mirror(mesh, tracker->at[a].stage_x, d)) all[a].beta[d] = tracker->asked.beta[i][d];
  }
}

/* With the answers of all ranks. */
static tx_status update(tx_tracker *tracker, const answer *all) {
  double beta[TX_PUNCTURES_MAX][3] = {{0.0}};
  for (int i = 0; i < tracker->asked.n; i++) {
    const int a = tracker->asked.which[i];
    TX_REQUIRE(all[a].found == 1.0, TX_ERR_MESH,
               "puncture %d left the grid of level %d within a macro step; lower grid.regrid_every "
               "or evolution.macro_step",
               a + 1, tx_exec_mesh(tracker->asked.exec)->level_lowest);
    memcpy(beta[a], all[a].beta, sizeof beta[a]);
  }
  tx_tracker_update(tracker, tracker->asked.stage, tracker->asked.dt, (const double(*)[3])beta);
  return TX_OK;
}

tx_status tx_tracker_answer(tx_tracker *tracker) {
  answer all[TX_PUNCTURES_MAX + 1] = {{{0.0}, 0.0}}; /* the last: room for the status */
  if (!tracker->asked.exec) return TX_OK;
  tx_phase_begin(TX_PHASE_TRACKING);
  tx_status status = tx_exec_sample_end(tracker->asked.exec);
  if (status == TX_OK) own_answers(tracker, all);
  /* Only the owner of a point has anything but zeros, so that sums are exact. */
  tx_phase_begin(TX_PHASE_WAIT);
  status = tx_agree_sum(tx_exec_mesh(tracker->asked.exec)->comm, status, 4 * TX_PUNCTURES_MAX,
                        all[0].beta);
  tx_phase_end(TX_PHASE_WAIT);
  TX_THEN(status, update(tracker, all));
  memset(&tracker->asked, 0, sizeof tracker->asked);
  tx_phase_end(TX_PHASE_TRACKING);
  return status;
}
