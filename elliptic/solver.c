/* Progress of a solve, and the message of one that fails. */
#include "elliptic/solver.h"

#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "base/timer.h"

/* Helps where an equation names no remedy of its own. */
#define REMEDY "give a tolerance above the rounding error, or finer levels around that point"

/* Seconds between lines of progress. */
#define LOG_EVERY_S 1.0

tx_elliptic_residual tx_elliptic_norm(tx_elliptic *e) {
  tx_elliptic_residual r = {.max = 0.0};
  tx_field *v[TX_LEVELS];
  for (int l = 0; l < e->n; l++) v[l] = e->level[l].v;
  TX_KEEP(e->status, tx_level_norms(e->n, v, &r.l2, &r.max));
  return r;
}

/* Where a solve is, and about how long it still takes. */
static void log_progress(tx_elliptic *e, const tx_elliptic_history *h) {
  const tx_elliptic_control *c = e->progress;
  const tx_elliptic_residual *now = &h->residual[h->cycles], *before = now - 1;
  if (!c || h->cycles < 1 || tx_now_s() - e->logged_s < LOG_EVERY_S) return;
  e->logged_s = tx_now_s();
  const double gain = log(now->l2 / before->l2), left = log(c->tolerance * h->scale / now->l2);
  const double seconds = now->time_s - before->time_s;
  if (gain < 0.0 && left < 0.0)
    tx_log("              %s %d: residual %.1e, %.2f of the one before, %.1f s left", e->step,
           now->step, now->l2 / h->scale, exp(gain), left / gain * seconds);
  else
    tx_log("              %s %d: residual %.1e", e->step, now->step, now->l2 / h->scale);
}

void tx_elliptic_record(tx_elliptic *e, tx_elliptic_history *h, int step, tx_elliptic_residual r) {
  r.step = step;
  r.evaluations = e->evaluations / (double)e->points;
  r.time_s = tx_now_s() - e->start_s;
  if (h->cycles == TX_ELLIPTIC_CYCLES && h->residual[h->cycles].step < step) {
    h->cycles /= 2;
    for (int i = 1; i <= h->cycles; i++) h->residual[i] = h->residual[2 * i];
  }
  if (h->cycles < 0 || h->residual[h->cycles].step < step) h->cycles++;
  h->residual[h->cycles] = r;
  log_progress(e, h);
}

bool tx_elliptic_done(const tx_elliptic_control *control, const tx_elliptic_history *h) {
  return h->residual[h->cycles].l2 <= control->tolerance * h->scale;
}

/* Where |v| is largest on this rank. */
typedef struct place {
  double value, x[3];
} place;

static void look_at_octant(const tx_elliptic_level *at, tx_lidx b, place *worst) {
  const tx_mesh *mesh = tx_exec_mesh(at->x);
  const double h = tx_mesh_spacing(mesh, mesh->octant[b].level), *v;
  double x0[3];
  tx_mesh_origin(mesh, b, x0);
  if (tx_field_view(at->v, b, &v) != TX_OK) return;
  for (int n = 0; n < TX_N3; n++) {
    if (!(fabs(v[n]) > worst->value || (isnan(v[n]) && !isnan(worst->value)))) continue;
    const int at_point[3] = {n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N)};
    worst->value = fabs(v[n]);
    for (int d = 0; d < 3; d++) worst->x[d] = x0[d] + at_point[d] * h;
  }
}

/* Collective. The place of the largest residual over all ranks; NaN counts as larger than any number. */
static place find_worst(tx_elliptic *e) {
  MPI_Comm comm = e->leaves->comm;
  place worst = {0.0, {0.0, 0.0, 0.0}};
  struct {
    double value;
    int rank;
  } largest = {0.0, e->leaves->rank};
  tx_elliptic_residuals(e);
  for (int l = 0; l < e->n; l++)
    for (tx_lidx b = 0; b < tx_exec_mesh(e->level[l].x)->n_local; b++)
      look_at_octant(&e->level[l], b, &worst);
  largest.value = isnan(worst.value) ? INFINITY : worst.value;
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  MPI_Bcast(&worst, sizeof worst, MPI_BYTE, largest.rank, comm);
  return worst;
}

/* The last residuals of a history, each over the first. */
static void list_last(const tx_elliptic_history *h, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = h->cycles > 4 ? h->cycles - 4 : 0; i <= h->cycles && used < size; i++) {
    const int n = snprintf(text + used, size - used, "%s%.2e", used ? ", " : "",
                           h->residual[i].l2 / h->scale);
    used += n > 0 ? (size_t)n : 0;
  }
}

tx_status tx_elliptic_fail(tx_elliptic *e, const tx_elliptic_control *control,
                           const tx_elliptic_history *h) {
  char last[96];
  const place worst = find_worst(e);
  list_last(h, last, sizeof last);
  TX_FAIL(TX_ERR_NUMERICS,
          "%s is not solved to %g after %d %ss: residuals over that of u = 0 were "
          "%s at last, and the largest is %g at (%g, %g, %g); %s",
          tx_elliptic_name(e), control->tolerance, h->residual[h->cycles].step, e->step, last,
          worst.value, worst.x[0], worst.x[1], worst.x[2],
          e->equation.remedy ? e->equation.remedy : REMEDY);
}
