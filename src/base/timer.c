#include "base/timer.h"

#include <time.h>

#define DEPTH 32

static const struct {
  const char *key, *text;
} names[TX_PHASE_COUNT] = {
#define P(name, key, text) {key, text},
    TX_PHASES(P)
#undef P
};

static double spent_s[TX_PHASE_COUNT];
static tx_phase open_phases[DEPTH];
static int depth;
static double mark_s; /* until when the time has been charged */
static double reset_s;
static double start_s;

static double clock_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((constructor)) static void start_clock(void) {
  start_s = clock_s();
}

double tx_now_s(void) {
  return clock_s() - start_s;
}

/* Charge the time since the last mark to the innermost open phase. */
static void charge(void) {
  double now = tx_now_s();
  if (depth > 0) spent_s[open_phases[depth - 1]] += now - mark_s;
  mark_s = now;
}

void tx_phase_begin(tx_phase phase) {
  charge();
  if (depth < DEPTH) open_phases[depth++] = phase;
}

void tx_phase_end(tx_phase phase) {
  charge();
  for (int d = depth - 1; d >= 0; d--)
    if (open_phases[d] == phase) {
      depth = d;
      return;
    }
}

double tx_phase_seconds(tx_phase phase) {
  charge();
  return spent_s[phase];
}

void tx_phase_reset(void) {
  charge();
  for (int p = 0; p < TX_PHASE_COUNT; p++) spent_s[p] = 0;
  reset_s = mark_s;
}

tx_status tx_phase_gather(MPI_Comm comm, double *mean_s, double *max_s, double *wall_s) {
  int size = 1;
  double largest[TX_PHASE_COUNT + 1], mine[TX_PHASE_COUNT + 1];
  charge();
  for (int p = 0; p < TX_PHASE_COUNT; p++) mine[p] = spent_s[p];
  mine[TX_PHASE_COUNT] = mark_s - reset_s;
  TX_MPI(MPI_Comm_size(comm, &size));
  TX_MPI(MPI_Allreduce(mine, mean_s, TX_PHASE_COUNT, MPI_DOUBLE, MPI_SUM, comm));
  TX_MPI(MPI_Allreduce(mine, largest, TX_PHASE_COUNT + 1, MPI_DOUBLE, MPI_MAX, comm));
  for (int p = 0; p < TX_PHASE_COUNT; p++) {
    mean_s[p] /= size;
    max_s[p] = largest[p];
  }
  *wall_s = largest[TX_PHASE_COUNT];
  return TX_OK;
}

const char *tx_phase_text(tx_phase phase) {
  return names[phase].text;
}

const char *tx_phase_key(tx_phase phase) {
  return names[phase].key;
}
