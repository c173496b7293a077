/* A V-cycle of the full approximation scheme through the grids of levels. */
#include <math.h>

#include "base/timer.h"
#include "elliptic/internal.h"
#include "physics/laplace_point.h"

/* The smallest symbol that only the finer of two grids has, and the largest, over the diagonal: at a quarter of the sampling
 * frequency along one dimension, and at half of it along all. */
static void spectrum(int order, double *low, double *high) {
  const tx_laplace_weights l = tx_laplace_weights_make(order);
  static const double quarter[] = {1.0, 0.0, -2.0, 0.0}, half[] = {1.0, -2.0, 2.0, -2.0};
  double at[2] = {0.0, 0.0};
  for (int m = 0; m <= TX_LAPLACE_REACH; m++) {
    at[0] += l.w[m] * quarter[m];
    at[1] += l.w[m] * half[m];
  }
  *low = at[0] / (3.0 * l.w[0]);
  *high = at[1] / l.w[0];
}

/* Count n evaluations of the operator on a level. */
static void count(tx_elliptic *e, int l, double n) {
  e->evaluations += n * (double)tx_exec_mesh(e->level[l].x)->n_global * TX_N3;
}

/* Relaxations of u on a level, its refinement boundary being frozen. */
typedef struct smoother {
  int n, state;     /* stored stage at the refinement boundary */
  double low, high; /* the spectrum of Jacobi's preconditioned operator that is meant */
} smoother;

static void relax(tx_elliptic *e, int l, const smoother *s) {
  tx_elliptic_level *at = &e->level[l];
  const tx_helmholtz equation = {e->equation.order, at->q, at->f};
  const tx_semi_iteration chebyshev = {s->n, s->low, s->high};
  double edge[TX_STORED_STAGES] = {0.0};
  edge[s->state] = 1.0;
  count(e, l, s->n);
  TX_KEEP(e->status, tx_level_relax(at->x, &equation, &chebyshev, edge, &at->u, &at->v));
}

static void smooth(tx_elliptic *e, int l, int n, int state) {
  smoother s = {.n = n, .state = state};
  spectrum(e->equation.order, &s.low, &s.high);
  relax(e, l, &s);
}

/* The coarsest level, where all of the spectrum counts. Its low end falls with the square of the points across the domain; for
 * 16 of them n relaxations do, and more in proportion. */
static void solve_coarsest(tx_elliptic *e, int n) {
  const double across = tx_domain_row(&e->leaves->domain) * TX_N / 8.0;
  smoother s = {.n = (int)ceil(n * across), .state = TX_ELLIPTIC_EDGE_U};
  spectrum(e->equation.order, &s.low, &s.high);
  s.low = 0.0015 * s.high / (across * across);
  relax(e, 0, &s);
}

/* Inject u of a level into covered points of the coarser one. */
static void inject(tx_elliptic *e, int l) {
  TX_KEEP(e->status, tx_level_inject(e->level[l].x, e->level[l].u, e->level[l - 1].u));
}

/* v on a set of octants; 0 where `covered` says. */
static void evaluate(tx_elliptic *e, int l, const tx_set *set, const tx_field *covered) {
  const tx_elliptic_level *at = &e->level[l];
  const tx_helmholtz equation = {e->equation.order, at->q, at->f};
  TX_KEEP(e->status, tx_exec_residual(at->x, set, &equation, at->u, covered, at->v));
}

void tx_elliptic_evaluate(tx_elliptic *e, int l) {
  count(e, l, 1);
  evaluate(e, l, tx_exec_all(e->level[l].x), NULL);
}

/* Set up the equation of the coarser level: its u and the residual of this one. The refinement boundary of this level is made anew from
 * that u, or the residual near it would be that of another state. */
static void go_down(tx_elliptic *e, int l) {
  tx_elliptic_level *fine = &e->level[l], *coarse = &e->level[l - 1];
  const tx_pointwise_call call = {
      TX_POINTWISE_COARSENED, {coarse->f, coarse->v, coarse->p, coarse->cover}, {0.0}};
  double c[TX_STORED_STAGES] = {0.0};
  c[e->start] = 1.0;
  TX_KEEP(e->status,
          tx_level_boundary_make(fine->x, c, fine->u)); /* the planes, before they are injected */
  inject(e, l);
  tx_elliptic_edge(e, l - 1, e->start);
  evaluate(e, l - 1, coarse->covered, NULL);
  count(e, l, 0.125); /* a covered octant has eight octants of this level */
  tx_elliptic_ghosts(e, l, fine->u, TX_ELLIPTIC_EDGE_U);
  tx_elliptic_evaluate(e, l);
  tx_elliptic_restrict(e, l, fine->v, coarse->p);
  tx_elliptic_cover(e, l - 1, &call, coarse->f);
  TX_KEEP(e->status, tx_exec_copy(coarse->x, tx_exec_all(coarse->x), coarse->u, coarse->before));
}

/* Add the coarser level's correction, and take its u at the refinement boundary. */
static void come_up(tx_elliptic *e, int l) {
  tx_elliptic_level *fine = &e->level[l], *coarse = &e->level[l - 1];
  const tx_combination change = {2, {coarse->u, coarse->before}, {1.0, -1.0}};
  tx_elliptic_edge(e, l - 1, TX_ELLIPTIC_EDGE_U);
  TX_KEEP(e->status, tx_exec_combine(coarse->x, tx_exec_all(coarse->x), &change, coarse->v));
  tx_elliptic_ghosts(e, l - 1, coarse->v, TX_ELLIPTIC_EDGE_ZERO);
  TX_KEEP(e->status, tx_level_prolong(fine->down, coarse->v, fine->u));
}

void tx_elliptic_cycle(tx_elliptic *e, const tx_elliptic_control *control) {
  tx_work_begin(TX_OPERATION_MULTIGRID, false); /* one for all: many are short */
  for (int l = e->n - 1; l > 0; l--) {
    smooth(e, l, control->before, e->start);
    go_down(e, l);
  }
  solve_coarsest(e, control->coarsest);
  for (int l = 1; l < e->n; l++) {
    come_up(e, l);
    smooth(e, l, control->after, TX_ELLIPTIC_EDGE_U);
  }
  tx_work_end(false);
}

/* The call of a function of the coefficients and u. */
static tx_pointwise_call call_of(const tx_elliptic *e, int l, tx_pointwise function) {
  const int n = e->equation.coefficients;
  tx_pointwise_call call = {.function = function};
  for (int i = 0; i < n; i++) call.in[i] = e->level[l].c[i];
  call.in[n] = e->level[l].u;
  return call;
}

void tx_elliptic_source(tx_elliptic *e, int l) {
  const tx_pointwise_call call = call_of(e, l, e->equation.source);
  tx_elliptic_pointwise(e, l, &call, e->level[l].f);
}

/* f and q of level l from u. */
static void linearise_level(tx_elliptic *e, int l) {
  const tx_elliptic_level *at = &e->level[l];
  const tx_set *all = tx_exec_all(at->x);
  if (e->equation.coefficients == 0) {
    TX_KEEP(e->status, tx_exec_fill(at->x, all, 0.0, at->q));
    TX_KEEP(e->status, tx_exec_copy(at->x, all, at->given, at->f));
    return;
  }
  const tx_pointwise_call slope = call_of(e, l, e->equation.slope);
  const tx_pointwise_call linearised = {
      TX_POINTWISE_LINEARISED, {at->given, at->f, at->q, at->u}, {0.0}};
  tx_elliptic_source(e, l);
  tx_elliptic_pointwise(e, l, &slope, at->q);
  tx_elliptic_pointwise(e, l, &linearised, at->f);
}

void tx_elliptic_linearise(tx_elliptic *e) {
  tx_work_begin(TX_OPERATION_MULTIGRID, false);
  tx_elliptic_complete(e);
  for (int l = 0; l < e->n; l++) linearise_level(e, l);
  for (int l = e->n - 1; l > 0 && e->equation.coefficients > 0; l--) {
    const tx_elliptic_level *fine = &e->level[l], *coarse = &e->level[l - 1];
    const tx_pointwise_call call = {
        TX_POINTWISE_REPLACED, {coarse->q, coarse->v, coarse->cover}, {0.0}};
    tx_elliptic_restrict(e, l, fine->q, coarse->v);
    tx_elliptic_cover(e, l - 1, &call, coarse->q);
  }
  tx_work_end(false);
}

void tx_elliptic_residuals(tx_elliptic *e) {
  tx_work_begin(TX_OPERATION_MULTIGRID, false);
  for (int l = 0; l < e->n; l++) {
    tx_elliptic_ghosts(e, l, e->level[l].u, TX_ELLIPTIC_EDGE_U);
    count(e, l, 1);
    evaluate(e, l, tx_exec_all(e->level[l].x), e->level[l].cover);
  }
  tx_work_end(false);
}
