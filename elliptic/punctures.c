#include "elliptic/punctures.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "elliptic/forest.h"

/* Steps to ADM masses, and how near is near enough. */
#define MASS_STEPS 40
#define MASS_NEAR  1e-10

/* On the way there the equation is solved to this tolerance at first, then to a part of how far off masses are. */
#define FIRST_TOLERANCE 1e-4
#define PART_OF_OFF     1e-3

/* 0.928 and what truncation may add. */
#define LARGEST_SPIN 0.94

/* A solve under way. */
typedef struct solve {
  const tx_elliptic_punctures_task *task;
  tx_bowen_york *data;
  tx_adm_numbers *adm;
  tx_elliptic_forest *forest;
  tx_elliptic *e;
  tx_exec *x;                       /* of the forest's leaves, to look at u */
  tx_field *u;                      /* there */
  double last[2][TX_PUNCTURES_MAX]; /* bare and ADM masses of the step before */
} solve;

static double offset(const tx_bowen_york *b, int a, const double x[3], double d[3]) {
  double r2 = 0.0;
  for (int i = 0; i < 3; i++) {
    d[i] = x[i] - b->position[a][i];
    r2 += d[i] * d[i];
  }
  return sqrt(r2);
}

/* b = 1/psi_s, psi_s = 1 + \sum m_a/(2 r_a): 0 at a puncture. */
static double inverse_psi(const void *data, const double x[3]) {
  const tx_bowen_york *b = data;
  double sum = 1.0, d[3];
  for (int a = 0; a < b->n; a++) sum += 0.5 * b->mass[a] / fmax(offset(b, a, x, d), 1e-90);
  return 1.0 / sum;
}

/* a = (1/8) A_ij A^ij psi_s^-7: bounded, as A^2 grows like r^-6 at most. Exactly at a puncture 0 takes the place of a limit that
 * depends on the direction. */
static double source(const void *data, const double x[3]) {
  const tx_bowen_york *b = data;
  double A_dd[6] = {0.0}, d[3], A2 = 0.0;
  for (int a = 0; a < b->n; a++) {
    const double r = offset(b, a, x, d);
    if (r < 1e-12) return 0.0;
    tx_bowen_york_add(b->momentum[a], b->spin[a], d, r, A_dd);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A2 += A_dd[tx_symmetric_at(i, j)] * A_dd[tx_symmetric_at(i, j)];
  const double f = inverse_psi(data, x), f2 = f * f;
  return A2 / 8.0 * (f2 * f2 * f2 * f);
}

/* Collective. u at n points. */
static tx_status sample(const solve *s, size_t n, const double (*x)[3], double *u) {
  const tx_probe probe = {.n = n, .points = x, .vars = {0, 0}, .n_derivs = 1, .jets = u};
  TX_TRY(tx_exec_sample(s->x, s->u, &probe));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, u, (int)n, MPI_DOUBLE, MPI_SUM, s->forest->mesh->comm));
  return TX_OK;
}

/* Collective. The mean of u over a sphere about the origin, by a rule that is exact up to l = 5 (Abramowitz and Stegun,
 * 25.4.65, for the sphere: 6 points of weight 1/15 on the axes, 8 of 3/40 between). */
static tx_status sphere_mean(const solve *s, double r, double *mean) {
  enum { AXES = 6, CORNERS = 8, ALL = AXES + CORNERS };
  double x[ALL][3] = {{0.0}}, u[ALL];
  for (int n = 0; n < AXES; n++) x[n][n / 2] = n % 2 ? -r : r;
  for (int n = 0; n < CORNERS; n++)
    for (int d = 0; d < 3; d++) x[AXES + n][d] = (n >> d & 1 ? -r : r) / sqrt(3.0);
  TX_TRY(sample(s, ALL, (const double(*)[3])x, u));
  *mean = 0.0;
  for (int n = 0; n < ALL; n++) *mean += u[n] * (n < AXES ? 1.0 / 15.0 : 3.0 / 40.0);
  return TX_OK;
}

/* Collective. Energy, from psi - 1 = E/(2 r) + ...: u is C/r + O(r^-2) far away, and two radii tell C. */
static tx_status find_energy(solve *s) {
  const double far = 0.5 * s->forest->mesh->domain.extent;
  double outer, inner;
  TX_TRY(sphere_mean(s, far, &outer));
  TX_TRY(sphere_mean(s, 0.5 * far, &inner));
  s->adm->energy = 2.0 * (2.0 * far * outer - 0.5 * far * inner);
  for (int a = 0; a < s->data->n; a++) s->adm->energy += s->data->mass[a];
  return TX_OK;
}

/* Collective. ADM masses of the punctures as they are. */
static tx_status find_masses(solve *s) {
  const tx_bowen_york *b = s->data;
  double u[TX_PUNCTURES_MAX], d[3];
  TX_TRY(sample(s, (size_t)b->n, (const double(*)[3])b->position, u));
  for (int a = 0; a < b->n; a++) {
    double factor = 1.0 + u[a];
    for (int c = 0; c < b->n; c++)
      if (c != a) factor += b->mass[c] / (2.0 * offset(b, c, b->position[a], d));
    s->adm->mass_adm[a] = b->mass[a] * factor;
  }
  return TX_OK;
}

/* Collective. Solve with the bare masses as they are. */
static tx_status solve_once(solve *s, double tolerance) {
  tx_elliptic_control control = s->task->control;
  tx_elliptic_history history;
  control.tolerance = tolerance;
  tx_status given = tx_elliptic_give(s->e, 0, source, s->data);
  TX_THEN(given, tx_elliptic_give(s->e, 1, inverse_psi, s->data));
  TX_TRY(tx_agree(s->forest->mesh->comm, given));
  const tx_status status = tx_elliptic_solve(s->e, &control, &history);
  if (s->task->record) s->task->record(s->task->to, &history);
  TX_TRY(status);
  s->adm->residual = history.residual[history.cycles].l2 / history.scale;
  s->adm->cycles += history.residual[history.cycles].step;
  TX_TRY(tx_elliptic_store(s->e, s->u));
  TX_TRY(tx_agree(s->forest->mesh->comm, tx_ghosts_fill(s->x, s->u)));
  return find_masses(s);
}

/* The farthest of the ADM masses from what they should be, relative to that. */
static double mass_off(const solve *s) {
  double off = 0.0;
  for (int a = 0; a < s->data->n; a++)
    off = fmax(off, fabs(s->adm->mass_adm[a] / s->task->mass[a] - 1.0));
  return off;
}

/* New bare masses: a secant a puncture, the others' change being left out; at first in proportion. */
static void change_masses(solve *s, int step) {
  for (int a = 0; a < s->data->n; a++) {
    const double m = s->data->mass[a], M = s->adm->mass_adm[a], proportion = M / m;
    double slope = proportion;
    if (step > 0 && m != s->last[0][a]) slope = (M - s->last[1][a]) / (m - s->last[0][a]);
    if (!(slope > 0.1 * proportion && slope < 10.0 * proportion)) slope = proportion;
    s->last[0][a] = m;
    s->last[1][a] = M;
    s->data->mass[a] = fmax(m + (s->task->mass[a] - M) / slope, 0.2 * m);
  }
}

/* Collective. The last solve is to the tolerance that is asked for, with masses that are near enough. */
static tx_status find_bare_masses(solve *s) {
  const double asked = s->task->control.tolerance;
  double tolerance = s->task->adm_masses ? fmax(asked, FIRST_TOLERANCE) : asked;
  TX_TRY(solve_once(s, tolerance));
  for (int step = 0; s->task->adm_masses; step++) {
    const double off = mass_off(s);
    if (off <= MASS_NEAR && tolerance <= asked) break;
    TX_REQUIRE(step < MASS_STEPS, TX_ERR_NUMERICS,
               "no bare masses were found that give the punctures these ADM masses: after %d steps "
               "the largest relative difference is %.2e; spins near the limit of punctures and "
               "punctures that nearly touch have none",
               step, off);
    if (off > MASS_NEAR) change_masses(s, step);
    tolerance = fmax(asked, off <= MASS_NEAR ? 0.0 : PART_OF_OFF * off);
    s->adm->mass_steps = step + 1;
    TX_TRY(solve_once(s, tolerance));
  }
  return TX_OK;
}

/* A spin beyond what punctures reach shows that the grid does not resolve u, which there is largest in the points at the
 * puncture. */
static tx_status check_spins(const solve *s) {
  for (int a = 0; a < s->data->n; a++) {
    const double *S = s->data->spin[a], M = s->adm->mass_adm[a];
    const double chi = sqrt(S[0] * S[0] + S[1] * S[1] + S[2] * S[2]) / (M * M);
    TX_REQUIRE(
        chi <= LARGEST_SPIN, TX_ERR_NUMERICS,
        "puncture %d came out with S/M^2 = %.3g, M being its ADM mass, where punctures reach "
        "0.928 (gr-qc/0108076): the grid does not resolve it; give less spin, or raise "
        "elliptic.extra_levels",
        a + 1, chi);
  }
  return TX_OK;
}

/* First bare masses: those of punctures at rest, a step of their iteration. */
static void guess_masses(solve *s) {
  tx_bowen_york *b = s->data;
  double d[3];
  for (int a = 0; a < b->n; a++) {
    double factor = 1.0;
    for (int c = 0; c < b->n && s->task->adm_masses; c++)
      if (c != a) factor += s->task->mass[c] / (2.0 * offset(b, c, b->position[a], d));
    b->mass[a] = s->task->mass[a] / factor;
  }
}

static bool spins(const tx_bowen_york *b, int a) {
  return b->spin[a][0] != 0.0 || b->spin[a][1] != 0.0 || b->spin[a][2] != 0.0;
}

/* Collective. Forest, equation, and what looks at u. */
static tx_status prepare(const tx_mesh *leaves, solve *s) {
  const tx_bowen_york *b = s->data;
  const tx_elliptic_equation hamiltonian = {.coefficients = 2,
                                            .source = TX_POINTWISE_HAMILTONIAN_SOURCE,
                                            .slope = TX_POINTWISE_HAMILTONIAN_SLOPE,
                                            .order = s->task->order,
                                            .falloff = 1.0};
  const tx_field_var even = {.parity = {1, 1, 1}, .outer = TX_OUTER_ROBIN, .falloff = 1.0};
  tx_elliptic_spot spot[TX_PUNCTURES_MAX];
  for (int a = 0; a < b->n; a++) {
    memcpy(spot[a].x, b->position[a], sizeof spot[a].x);
    spot[a].levels = spins(b, a) ? s->task->extra_levels : 0;
  }
  TX_TRY(tx_elliptic_forest_create(leaves, s->task->reach, b->n, spot, &s->forest));
  TX_TRY(tx_elliptic_create(s->forest->mesh, &hamiltonian, &s->e));
  TX_TRY(tx_exec_create(s->forest->mesh, 1, &s->x));
  return tx_agree(leaves->comm, tx_field_create(s->x, 1, &even, &s->u));
}

/* Sums that need no solution. */
static void add_momenta(const tx_bowen_york *b, tx_adm_numbers *adm) {
  *adm = (tx_adm_numbers){.n = b->n};
  memcpy(adm->position, b->position, sizeof adm->position);
  memcpy(adm->momentum, b->momentum, sizeof adm->momentum);
  memcpy(adm->spin, b->spin, sizeof adm->spin);
  for (int a = 0; a < b->n; a++)
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const double *x = b->position[a], *P = b->momentum[a];
      adm->linear_momentum[i] += P[i];
      adm->angular_momentum[i] += x[j] * P[k] - x[k] * P[j] + b->spin[a][i];
    }
}

tx_status tx_elliptic_punctures(const tx_mesh *leaves, const tx_elliptic_punctures_task *task,
                                tx_bowen_york *data, tx_adm_numbers *adm, tx_field *u) {
  solve s = {.task = task, .data = data, .adm = adm};
  add_momenta(data, adm);
  guess_masses(&s);
  tx_status status = prepare(leaves, &s);
  TX_THEN(status, find_bare_masses(&s));
  TX_THEN(status, check_spins(&s));
  TX_THEN(status, find_energy(&s));
  memcpy(adm->mass_bare, data->mass, sizeof adm->mass_bare);
  if (u) TX_THEN(status, tx_elliptic_embed(s.e, s.forest, leaves, u));
  tx_field_destroy(s.u);
  tx_exec_destroy(s.x);
  tx_elliptic_destroy(s.e);
  tx_elliptic_forest_destroy(s.forest);
  return status;
}
