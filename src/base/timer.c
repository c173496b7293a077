#include "base/timer.h"

#include <string.h>
#include <time.h>

#define DEPTH 32

static const struct {
  const char *key, *text;
} names[TX_PHASE_COUNT] = {
#define P(name, key, text) {key, text},
    TX_PHASES(P)
#undef P
};

static const char *const operation_keys[TX_OPERATION_COUNT] = {
#define P(name, key, text) key,
    TX_OPERATIONS(P)
#undef P
};

static double spent_s[TX_PHASE_COUNT];
static tx_phase open_phases[DEPTH];
static int depth;
static double mark_s; /* until when the time has been charged */
static double reset_s;
static double start_s;
static double step_mark_s, step_s; /* when the open step began; of all that ended */
static bool in_step;
static const tx_phase_hooks no_hooks, *hooks = &no_hooks;
static int work_depth;
static tx_operation host_kind; /* the host's open operation, and when it began */
static double host_mark_s;
static double operation_s[TX_OPERATION_COUNT];
static tx_device_times device;

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
  if (depth == DEPTH) return;
  open_phases[depth++] = phase;
  if (hooks->phase_begin) hooks->phase_begin(phase);
}

void tx_phase_end(tx_phase phase) {
  charge();
  for (int d = depth - 1; d >= 0; d--)
    if (open_phases[d] == phase) {
      if (hooks->phase_end) hooks->phase_end(depth - d);
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
  if (hooks->settle) hooks->settle();
  memset(spent_s, 0, sizeof spent_s);
  memset(&device, 0, sizeof device);
  memset(operation_s, 0, sizeof operation_s);
  step_s = 0.0;
  step_mark_s = reset_s = mark_s;
}

void tx_step_begin(void) {
  in_step = true;
  step_mark_s = tx_now_s();
}

void tx_step_end(void) {
  if (in_step) step_s += tx_now_s() - step_mark_s;
  in_step = false;
}

double tx_step_seconds(void) {
  return step_s + (in_step ? tx_now_s() - step_mark_s : 0.0);
}

void tx_phase_hook(const tx_phase_hooks *chosen) {
  if (hooks->settle) hooks->settle();
  hooks = chosen ? chosen : &no_hooks;
  work_depth = 0;
}

/* A tag: the kind, the phase, and whether it is part of a step. */
enum { TAGS = 2 * (TX_PHASE_COUNT + 1) };

void tx_work_begin(tx_operation kind, bool aside) {
  if (work_depth++ > 0) return;
  if (!hooks->work_begin) {
    host_kind = kind;
    host_mark_s = clock_s();
    return;
  }
  int phase = depth > 0 ? (int)open_phases[depth - 1] : TX_PHASE_COUNT;
  hooks->work_begin(TAGS * (int)kind + 2 * phase + in_step, aside);
}

void tx_work_end(bool aside) {
  if (--work_depth > 0) return;
  if (hooks->work_end)
    hooks->work_end(aside);
  else
    operation_s[host_kind] += clock_s() - host_mark_s;
}

void tx_work_charge(int tag, double seconds) {
  operation_s[tag / TAGS] += seconds;
  device.phase_s[tag % TAGS / 2] += seconds;
  if (tag % 2) device.step_s += seconds;
}

void tx_device_seconds(tx_device_times *out) {
  if (hooks->settle) hooks->settle();
  *out = device;
}

double tx_device_busy(const tx_device_times *times) {
  double sum = 0.0;
  for (int p = 0; p <= TX_PHASE_COUNT; p++) sum += times->phase_s[p];
  return sum;
}

tx_status tx_device_gather(MPI_Comm comm, tx_device_times *mean) {
  int size = 1;
  double sums[TX_PHASE_COUNT + 2];
  tx_device_times mine;
  tx_device_seconds(&mine);
  memcpy(sums, mine.phase_s, sizeof mine.phase_s);
  sums[TX_PHASE_COUNT + 1] = mine.step_s;
  TX_MPI(MPI_Comm_size(comm, &size));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, TX_PHASE_COUNT + 2, MPI_DOUBLE, MPI_SUM, comm));
  for (int p = 0; p <= TX_PHASE_COUNT; p++) mean->phase_s[p] = sums[p] / size;
  mean->step_s = sums[TX_PHASE_COUNT + 1] / size;
  return TX_OK;
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

tx_status tx_operation_gather(MPI_Comm comm, double mean_s[TX_OPERATION_COUNT]) {
  int size = 1;
  if (hooks->settle) hooks->settle();
  TX_MPI(MPI_Comm_size(comm, &size));
  TX_MPI(MPI_Allreduce(operation_s, mean_s, TX_OPERATION_COUNT, MPI_DOUBLE, MPI_SUM, comm));
  for (int k = 0; k < TX_OPERATION_COUNT; k++) mean_s[k] /= size;
  return TX_OK;
}

const char *tx_operation_key(tx_operation kind) {
  return operation_keys[kind];
}

const char *tx_phase_text(tx_phase phase) {
  return names[phase].text;
}

const char *tx_phase_key(tx_phase phase) {
  return names[phase].key;
}
