/* Hyperbolic relaxation on the grids of levels: of their unknown points, centred stencils and symmetric edges, as multigrid
 * has them, so that both end in the same solution. (On the mesh of leaves ghosts are other ones.) Points that finer ones
 * cover, and planes, go along: u there is made anew before it is used, and what w does does not matter. */
#include <math.h>

#include "base/memory.h"
#include "base/runge_kutta.h"
#include "elliptic/solver.h"

/* Steps from one look at the residual to the next; those in which it must fall by half; growth that nothing comes back from. */
enum { EVERY = 10, PATIENCE = 125 * TX_N };
#define LEAST_GAIN 2.0
#define MOST       1e6

/* Fields of a level: u and w = u_t + eta u - KO(u) at the start of a step, w of a stage, sums of both. u of a stage is the
 * level's. */
enum { U0, W0, W, SUM_U, SUM_W, FIELDS };
typedef struct relaxation {
  tx_elliptic *e;
  tx_field *at[TX_LEVELS][FIELDS];
  double dt, eta, sigma;
  double best; /* residual that was half of the best one before, or the first; at which step */
  int best_at;
} relaxation;

static tx_status create(relaxation *r) {
  for (int l = 0; l < r->e->n; l++)
    for (int i = 0; i < FIELDS; i++) TX_TRY(tx_elliptic_field(r->e, l, &r->at[l][i]));
  return TX_OK;
}

static void destroy(relaxation *r) {
  for (int l = 0; l < r->e->n; l++)
    for (int i = 0; i < FIELDS; i++) tx_field_destroy(r->at[l][i]);
  tx_free(r);
}

static double spacing(const tx_elliptic *e, int l) {
  const tx_mesh *mesh = tx_exec_mesh(e->level[l].x);
  return tx_mesh_spacing(mesh, mesh->level_lowest);
}

/* c. The dissipation goes with it, sigma c h^5 / 64: waves of so many points are damped alike on all levels in as many of their
 * periods. With sigma alone coarse levels are hardly damped, and grids of five levels grow. */
static double speed(const tx_elliptic *e, int l) {
  return spacing(e, l) / spacing(e, e->n - 1);
}

static void combine(tx_elliptic *e, int l, const tx_combination *c, tx_field *out) {
  TX_KEEP(e->status, tx_exec_combine(e->level[l].x, tx_exec_all(e->level[l].x), c, out));
}

/* f of all levels becomes f - S(u), for residuals of \Delta u + 0 u = f - S. */
static void sources(tx_elliptic *e) {
  for (int l = 0; l < e->n && e->equation.coefficients > 0; l++) {
    const tx_elliptic_level *at = &e->level[l];
    const tx_combination less = {2, {at->given, at->f}, {1.0, -1.0}};
    tx_elliptic_source(e, l);
    combine(e, l, &less, at->f);
  }
}

/* The rates of u and w of a stage: w - eta u + KO(u), in p, and the residual, in v, which is to be multiplied with -c^2. */
static void rates(relaxation *r) {
  tx_elliptic *e = r->e;
  tx_elliptic_complete(e);
  sources(e);
  for (int l = 0; l < e->n; l++) {
    const tx_elliptic_level *at = &e->level[l];
    const tx_combination damped = {2, {r->at[l][W], at->u}, {1.0, -r->eta}};
    tx_elliptic_evaluate(e, l);
    combine(e, l, &damped, at->p);
    TX_KEEP(e->status,
            tx_exec_dissipate(at->x, tx_exec_all(at->x), speed(e, l) * r->sigma, at->u, at->p));
  }
}

/* out = f + a rate */
static void add(relaxation *r, int l, tx_field *f, double a, const tx_field *rate, tx_field *out) {
  const tx_combination c = {2, {f, rate}, {1.0, a}};
  combine(r->e, l, &c, out);
}

/* Sums of a stage, and u and w of the next one. */
static void advance(relaxation *r, int stage) {
  tx_elliptic *e = r->e;
  for (int l = 0; l < e->n; l++) {
    const tx_elliptic_level *at = &e->level[l];
    tx_field **mine = r->at[l];
    const double c = speed(e, l), part = tx_rk_weight[stage] * r->dt;
    add(r, l, mine[stage > 0 ? SUM_U : U0], part, at->p, mine[SUM_U]);
    add(r, l, mine[stage > 0 ? SUM_W : W0], -c * c * part, at->v, mine[SUM_W]);
    if (stage == TX_RK_STAGES - 1) continue;
    add(r, l, mine[U0], tx_rk_reach[stage] * r->dt, at->p, at->u);
    add(r, l, mine[W0], -c * c * tx_rk_reach[stage] * r->dt, at->v, mine[W]);
  }
}

/* The next step starts where this one ends. */
static void end_step(relaxation *r) {
  for (int l = 0; l < r->e->n; l++) {
    tx_field **mine = r->at[l];
    const tx_combination u = {1, {mine[U0]}, {1.0}}, w = {1, {mine[W0]}, {1.0}};
    tx_field_swap(mine[U0], mine[SUM_U]);
    tx_field_swap(mine[W0], mine[SUM_W]);
    combine(r->e, l, &u, r->e->level[l].u);
    combine(r->e, l, &w, mine[W]);
  }
}

/* At rest, as far as w can make it so; the equation without its linear part. */
static void start(relaxation *r) {
  tx_elliptic *e = r->e;
  for (int l = 0; l < e->n; l++) {
    const tx_elliptic_level *at = &e->level[l];
    tx_field **mine = r->at[l];
    const tx_set *all = tx_exec_all(at->x);
    const tx_combination w = {1, {at->u}, {r->eta}};
    TX_KEEP(e->status, tx_exec_copy(at->x, all, at->u, mine[U0]));
    combine(e, l, &w, mine[W0]);
    combine(e, l, &w, mine[W]);
    TX_KEEP(e->status, tx_exec_fill(at->x, all, 0.0, at->q));
    TX_KEEP(e->status, tx_exec_copy(at->x, all, at->given, at->f));
  }
}

/* Look at the residual of step n, from the rates. Whether to go on. Collective. */
static bool look(relaxation *r, const tx_elliptic_control *control, tx_elliptic_history *h, int n) {
  for (int l = 0; l < r->e->n; l++) tx_elliptic_blank(r->e, l);
  tx_elliptic_record(r->e, h, n, tx_elliptic_norm(r->e));
  const double now = h->residual[h->cycles].l2;
  if (n == 0 || now * LEAST_GAIN <= r->best) {
    r->best = now;
    r->best_at = n;
  }
  if (tx_elliptic_done(control, h)) return false;
  return now <= MOST * fmax(h->scale, h->residual[0].l2) && n - r->best_at < PATIENCE &&
         n < control->steps;
}

static tx_status relax(relaxation *r, const tx_elliptic_control *control, tx_elliptic_history *h) {
  start(r);
  for (int n = 0;; n++) {
    for (int stage = 0; stage < TX_RK_STAGES; stage++) {
      rates(r);
      if (stage == 0 && (n % EVERY == 0 || n == control->steps)) {
        const bool on = look(r, control, h, n);
        TX_TRY(tx_agree(r->e->leaves->comm, r->e->status));
        if (tx_elliptic_done(control, h)) return TX_OK;
        if (!on) return tx_elliptic_fail(r->e, control, h);
      }
      advance(r, stage);
    }
    end_step(r);
  }
}

tx_status tx_elliptic_solve_relaxation(tx_elliptic *e, const tx_elliptic_control *control,
                                       tx_elliptic_history *h) {
  const double h_min = spacing(e, e->n - 1);
  relaxation *r = NULL;
  TX_TRY(tx_agree(e->leaves->comm, tx_alloc(1, sizeof *r, "elliptic solver", &r)));
  r->e = e;
  r->dt = control->courant * h_min;
  r->eta = control->damping / (TX_N * h_min);
  r->sigma = control->dissipation;
  tx_status status = tx_agree(e->leaves->comm, create(r));
  TX_THEN(status, relax(r, control, h));
  destroy(r);
  return status;
}
