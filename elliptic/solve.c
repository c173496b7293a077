/* Which method solves, cycles until the residual is small enough, and what is said if it does not get there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/timer.h"
#include "elliptic/internal.h"

/* A residual that falls by less in so many cycles in a row falls no more. */
#define LEAST_GAIN 2.0
#define PATIENCE   3

/* What helps where an equation says nothing else. */
#define REMEDY "give a tolerance above the rounding error, or finer levels around that point"

/* Lines of progress are so far apart. */
#define LOG_EVERY_S 1.0

/* What a step of each method is called. */
static const char *const step_name[] = {[TX_ELLIPTIC_MULTIGRID] = "cycle",
                                        [TX_ELLIPTIC_KRYLOV] = "iteration",
                                        [TX_ELLIPTIC_RELAXATION] = "step"};

tx_elliptic_control tx_elliptic_control_default(void) {
  return (tx_elliptic_control){.method = TX_ELLIPTIC_MULTIGRID,
                               .tolerance = 1e-10,
                               .cycles = 40,
                               .before = 4,
                               .after = 4,
                               .coarsest = 48,
                               .krylov = TX_KRYLOV_FGMRES,
                               .preconditioner = TX_PRECONDITIONER_CYCLE,
                               .vectors = TX_ELLIPTIC_VECTORS,
                               .steps = 20000,
                               .courant = 0.45,
                               .damping = 0.8,
                               .dissipation = 0.6};
}

tx_elliptic_residual tx_elliptic_norm(tx_elliptic *e) {
  tx_elliptic_residual r = {.max = 0.0};
  tx_field *v[TX_LEVELS];
  for (int l = 0; l < e->n; l++) v[l] = e->level[l].v;
  TX_KEEP(e->status, tx_level_norms(e->n, v, &r.l2, &r.max));
  return r;
}

/* The residual's norm for u = 0, to which the tolerance is relative. */
static double norm_of_zero(tx_elliptic *e) {
  for (int l = 0; l < e->n; l++) {
    const tx_elliptic_level *at = &e->level[l];
    const tx_set *all = tx_exec_all(at->x);
    tx_pointwise_call call = {.function = e->equation.source};
    const tx_combination rest = {2, {at->given, at->v}, {1.0, -1.0}};
    TX_KEEP(e->status, tx_exec_fill(at->x, all, 0.0, at->p));
    TX_KEEP(e->status, tx_exec_fill(at->x, all, 0.0, at->v));
    for (int i = 0; i < e->equation.coefficients; i++) call.in[i] = at->c[i];
    call.in[e->equation.coefficients] = at->p;
    if (e->equation.coefficients > 0) tx_elliptic_pointwise(e, l, &call, at->v);
    TX_KEEP(e->status, tx_exec_combine(at->x, all, &rest, at->v));
    tx_elliptic_blank(e, l);
  }
  return tx_elliptic_norm(e).l2;
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
    tx_log("              %s %d: residual %.1e, %.2f of the one before, %.1f s left",
           step_name[c->method], now->step, now->l2 / h->scale, exp(gain), left / gain * seconds);
  else
    tx_log("              %s %d: residual %.1e", step_name[c->method], now->step,
           now->l2 / h->scale);
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
          tx_elliptic_name(e), control->tolerance, h->residual[h->cycles].step,
          step_name[control->method], last, worst.value, worst.x[0], worst.x[1], worst.x[2],
          e->equation.remedy ? e->equation.remedy : REMEDY);
}

/* Whether the last cycles gained too little, or nothing that is a number. */
static bool stuck(const tx_elliptic_history *h) {
  int slow = 0;
  if (!isfinite(h->residual[h->cycles].l2)) return true;
  for (int i = h->cycles; i > 0 && h->residual[i].l2 * LEAST_GAIN > h->residual[i - 1].l2; i--)
    slow++;
  return slow >= PATIENCE;
}

/* From u, with its residual, of this size, in v. */
static void cycle(tx_elliptic *e, const tx_elliptic_control *control, double size) {
  if (control->precision == TX_PRECISION_DOUBLE) {
    tx_elliptic_cycle(e, control);
    return;
  }
  tx_field *v[TX_LEVELS];
  for (int l = 0; l < e->n; l++) v[l] = e->level[l].v;
  tx_elliptic_correct(e, control, v, size);
}

static tx_status solve_multigrid(tx_elliptic *e, const tx_elliptic_control *control,
                                 tx_elliptic_history *h) {
  for (int n = 0;; n++) {
    tx_elliptic_linearise(e);
    tx_elliptic_residuals(e);
    tx_elliptic_record(e, h, n, tx_elliptic_norm(e));
    TX_TRY(tx_agree(e->leaves->comm, e->status));
    if (tx_elliptic_done(control, h)) return TX_OK;
    if (n == control->cycles || stuck(h)) return tx_elliptic_fail(e, control, h);
    cycle(e, control, h->residual[h->cycles].l2);
  }
}

static tx_status check(const tx_elliptic_control *c) {
  TX_REQUIRE(
      c->tolerance >= 0.0 && c->cycles >= 0 && c->steps >= 0, TX_ERR_USAGE,
      "an elliptic equation to be solved to %g in %d cycles or %d steps; none may be negative",
      c->tolerance, c->cycles, c->steps);
  TX_REQUIRE(c->vectors >= 1 && c->vectors <= TX_ELLIPTIC_VECTORS, TX_ERR_USAGE,
             "GMRES with %d vectors; there may be 1 to %d", c->vectors, TX_ELLIPTIC_VECTORS);
  TX_REQUIRE(c->courant > 0.0 && c->damping >= 0.0 && c->dissipation >= 0.0, TX_ERR_USAGE,
             "hyperbolic relaxation with a Courant factor of %g, damping %g, dissipation %g; the "
             "first must be above 0, the others not below",
             c->courant, c->damping, c->dissipation);
  return TX_OK;
}

tx_status tx_elliptic_solve(tx_elliptic *e, const tx_elliptic_control *control,
                            tx_elliptic_history *history) {
  *history = (tx_elliptic_history){.cycles = -1};
  TX_TRY(check(control));
  e->status = TX_OK;
  TX_TRY(tx_elliptic_prepare(e, control));
  e->evaluations = 0.0;
  e->start_s = e->logged_s = tx_now_s();
  e->progress = control->log ? control : NULL;
  history->scale = norm_of_zero(e);
  switch (control->method) {
  case TX_ELLIPTIC_MULTIGRID:
    return solve_multigrid(e, control, history);
  case TX_ELLIPTIC_KRYLOV:
    return tx_elliptic_solve_krylov(e, control, history);
  case TX_ELLIPTIC_RELAXATION:
    return tx_elliptic_solve_relaxation(e, control, history);
  }
  TX_FAIL(TX_ERR_USAGE, "method number %d of elliptic equations, which there is none of",
          (int)control->method);
}
