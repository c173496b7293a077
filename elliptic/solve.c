/* Cycles until the residual is small enough, and what is said if it does not get there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timer.h"
#include "elliptic/internal.h"

/* A residual that falls by less in so many cycles in a row falls no more. */
#define LEAST_GAIN 2.0
#define PATIENCE   3

tx_elliptic_control tx_elliptic_control_default(void) {
  return (tx_elliptic_control){
      .tolerance = 1e-10, .cycles = 40, .before = 4, .after = 4, .coarsest = 96};
}

/* Norms of what the residuals are, over all levels. */
static tx_elliptic_residual norm(tx_elliptic *e) {
  double squares = 0.0, volume = 0.0;
  tx_elliptic_residual r = {0.0, 0.0};
  tx_elliptic_residuals(e);
  for (int l = 0; l < e->n; l++) {
    const tx_elliptic_level *at = &e->level[l];
    tx_field_norm one;
    double v;
    TX_KEEP(e->status, tx_exec_norms(at->x, tx_exec_all(at->x), at->v, &one, &v));
    squares += one.l2 * one.l2 * v;
    if (l == 0) volume = v;
    r.max = one.max > r.max || isnan(one.max) ? one.max : r.max;
  }
  r.l2 = sqrt(squares / volume);
  return r;
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
                           h->residual[i].l2 / h->residual[0].l2);
    used += n > 0 ? (size_t)n : 0;
  }
}

/* Collective. */
static tx_status fail(tx_elliptic *e, const tx_elliptic_control *control,
                      const tx_elliptic_history *h) {
  char last[96];
  const place worst = find_worst(e);
  list_last(h, last, sizeof last);
  TX_FAIL(
      TX_ERR_NUMERICS,
      "the elliptic equation is not solved to %g after %d cycles: residuals over the first were "
      "%s at last, and the largest is %g at (%g, %g, %g); give a tolerance above what rounding "
      "leaves, or finer levels where it is",
      control->tolerance, h->cycles, last, worst.value, worst.x[0], worst.x[1], worst.x[2]);
}

/* Whether the last cycles gained too little, or nothing that is a number. */
static bool stuck(const tx_elliptic_history *h) {
  int slow = 0;
  if (!isfinite(h->residual[h->cycles].l2)) return true;
  for (int i = h->cycles; i > 0 && h->residual[i].l2 * LEAST_GAIN > h->residual[i - 1].l2; i--)
    slow++;
  return slow >= PATIENCE;
}

tx_status tx_elliptic_solve(tx_elliptic *e, const tx_elliptic_control *control,
                            tx_elliptic_history *history) {
  const int most = control->cycles < TX_ELLIPTIC_CYCLES ? control->cycles : TX_ELLIPTIC_CYCLES;
  history->cycles = 0;
  e->status = TX_OK;
  tx_elliptic_linearise(e);
  history->residual[0] = norm(e);
  for (;;) {
    const double now = history->residual[history->cycles].l2;
    TX_TRY(tx_agree(e->leaves->comm, e->status));
    if (now <= control->tolerance * history->residual[0].l2) return TX_OK;
    if (history->cycles == most || stuck(history)) return fail(e, control, history);
    tx_elliptic_cycle(e, control);
    tx_elliptic_linearise(e);
    history->residual[++history->cycles] = norm(e);
  }
}
