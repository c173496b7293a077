#include "elliptic/punctures.h"

#include <math.h>
#include <string.h>

#include "physics/initial_data/bare_masses.h"
#include "physics/pointwise_point.h"

/* Steps to ADM masses. u that is solved for to the tolerance leaves them that noise: the last of the way, within it, bare masses
 * go with u fixed, so many times in proportion. */
#define MASS_STEPS  40
#define MASS_SETTLE 30

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
  tx_elliptic_ground ground;
  double u[TX_PUNCTURES_MAX]; /* at the punctures */
  tx_bare_masses masses;
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

/* Collective. Energy, from psi - 1 = E/(2 r) + ... */
static tx_status find_energy(solve *s) {
  TX_TRY(tx_elliptic_ground_monopole(&s->ground, &s->adm->energy));
  s->adm->energy *= 2.0;
  for (int a = 0; a < s->data->n; a++) s->adm->energy += s->data->mass[a];
  return TX_OK;
}

/* ADM masses of the punctures with u as it is there. */
static void add_masses(solve *s) {
  const tx_bowen_york *b = s->data;
  double d[3];
  for (int a = 0; a < b->n; a++) {
    double factor = 1.0 + s->u[a];
    for (int c = 0; c < b->n; c++)
      if (c != a) factor += b->mass[c] / (2.0 * offset(b, c, b->position[a], d));
    s->adm->mass_adm[a] = b->mass[a] * factor;
  }
}

/* Collective. The same for the u that was found. */
static tx_status find_masses(solve *s) {
  TX_TRY(tx_elliptic_ground_sample(&s->ground, (size_t)s->data->n,
                                   (const double(*)[3])s->data->position, s->u));
  add_masses(s);
  return TX_OK;
}

/* Bare masses that give the ADM masses with u fixed: these are within the tolerance already. */
static void settle_masses(solve *s) {
  for (int k = 0; k < MASS_SETTLE; k++) {
    for (int a = 0; a < s->data->n; a++) s->data->mass[a] *= s->task->mass[a] / s->adm->mass_adm[a];
    add_masses(s);
  }
}

/* Collective. Solve with the bare masses as they are. */
static tx_status solve_once(solve *s, double tolerance) {
  tx_elliptic *e = s->ground.e;
  tx_status given = tx_elliptic_give(e, 0, source, s->data);
  TX_THEN(given, tx_elliptic_give(e, 1, inverse_psi, s->data));
  TX_TRY(tx_agree(s->ground.leaves->comm, given));
  TX_TRY(tx_elliptic_ground_solve(&s->ground, tolerance, &s->adm->residual, &s->adm->cycles));
  return find_masses(s);
}

/* The farthest of the ADM masses from what they should be, relative to that. */
static double mass_off(const solve *s) {
  double off = 0.0;
  for (int a = 0; a < s->data->n; a++)
    off = fmax(off, fabs(s->adm->mass_adm[a] / s->task->mass[a] - 1.0));
  return off;
}

/* Collective. The last solve is to the tolerance that is asked for, with masses that are as near. */
static tx_status find_bare_masses(solve *s) {
  const double asked = s->task->how.control.tolerance;
  const int most = s->task->mass_steps > 0 ? s->task->mass_steps : MASS_STEPS;
  double tolerance = s->task->adm_masses ? fmax(asked, FIRST_TOLERANCE) : asked;
  TX_TRY(solve_once(s, tolerance));
  for (int step = 0, cycles = 0; s->task->adm_masses; step++) {
    const double off = mass_off(s);
    if (off <= asked && tolerance <= asked) {
      settle_masses(s);
      break;
    }
    TX_REQUIRE(step < most, TX_ERR_NUMERICS,
               "no bare masses were found for these ADM masses: after %d steps the largest "
               "relative difference is %.2e; they do not exist for spins near the limit of "
               "punctures, or for punctures that nearly touch",
               step, off);
    tx_bare_masses_next(&s->masses, s->task->mass, s->adm->mass_adm, s->adm->cycles > cycles,
                        s->data);
    cycles = s->adm->cycles;
    tolerance = fmax(asked, PART_OF_OFF * off);
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

/* Where u and the lapse are not smooth. */
static void find_spots(const tx_bowen_york *b, int extra_levels,
                       tx_elliptic_spot spot[TX_PUNCTURES_MAX]) {
  for (int a = 0; a < b->n; a++) {
    memcpy(spot[a].x, b->position[a], sizeof spot[a].x);
    spot[a].levels = spins(b, a) ? extra_levels : 0;
  }
}

/* Collective. */
static tx_status prepare(const tx_mesh *leaves, solve *s) {
  const tx_elliptic_equation hamiltonian = {.name = "the Hamiltonian constraint",
                                            .coefficients = 2,
                                            .source = TX_POINTWISE_HAMILTONIAN_SOURCE,
                                            .slope = TX_POINTWISE_HAMILTONIAN_SLOPE,
                                            .order = s->task->how.order,
                                            .falloff = 1.0};
  tx_elliptic_spot spot[TX_PUNCTURES_MAX];
  find_spots(s->data, s->task->how.extra_levels, spot);
  return tx_elliptic_ground_make(leaves, &s->task->how, &hamiltonian, spot, s->data->n, &s->ground);
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

/* Maximal slices stay maximal where D^i D_i \alpha = \alpha K_ij K^ij; conformally flat, with w = \alpha \psi,
 * \Delta w = (7/8) A_ij A^ij \psi^-8 w. That factor is minus the slope of the Hamiltonian constraint's source. */
static tx_elliptic_equation lapse_equation(int order) {
  return (tx_elliptic_equation){.name = "the equation of the maximal lapse",
                                .coefficients = 1,
                                .source = TX_POINTWISE_LINEAR_SOURCE,
                                .slope = TX_POINTWISE_LINEAR_SLOPE,
                                .order = order,
                                .falloff = 1.0};
}

/* Collective. w - 1, on the levels that have u. */
static tx_status add_lapse(solve *s, tx_field *w) {
  const tx_elliptic_equation lapse = lapse_equation(s->task->how.order);
  TX_TRY(tx_elliptic_change(s->ground.e, TX_POINTWISE_HAMILTONIAN_SLOPE, &lapse));
  TX_TRY(tx_elliptic_ground_solve(&s->ground, s->task->how.control.tolerance,
                                  &s->adm->lapse_residual, &s->adm->lapse_cycles));
  return tx_elliptic_ground_embed(&s->ground, w);
}

tx_status tx_elliptic_punctures(const tx_mesh *leaves, const tx_elliptic_punctures_task *task,
                                tx_bowen_york *data, tx_adm_numbers *adm,
                                const tx_elliptic_punctures_fields *out) {
  solve s = {.task = task, .data = data, .adm = adm};
  add_momenta(data, adm);
  guess_masses(&s);
  tx_status status = prepare(leaves, &s);
  TX_THEN(status, find_bare_masses(&s));
  TX_THEN(status, check_spins(&s));
  TX_THEN(status, find_energy(&s));
  memcpy(adm->mass_bare, data->mass, sizeof adm->mass_bare);
  if (out->u) TX_THEN(status, tx_elliptic_ground_embed(&s.ground, out->u));
  if (out->w) TX_THEN(status, add_lapse(&s, out->w));
  tx_elliptic_ground_free(&s.ground);
  return status;
}

/* -(7/8) A_ij A^ij \psi^-8 with u from its series. */
static double lapse_slope(const void *data, const double x[3]) {
  const double b = inverse_psi(data, x);
  const double u[3] = {source(data, x), b, tx_spectral_point(&((const tx_bowen_york *)data)->u, x)};
  double slope;
  tx_pointwise_hamiltonian_slope(u, NULL, &slope);
  return slope;
}

tx_status tx_elliptic_lapse(const tx_mesh *leaves, const tx_elliptic_how *how,
                            const tx_bowen_york *data, tx_adm_numbers *adm, tx_field *w) {
  const tx_elliptic_equation lapse = lapse_equation(how->order);
  tx_elliptic_spot spot[TX_PUNCTURES_MAX];
  tx_elliptic_ground ground;
  find_spots(data, how->extra_levels, spot);
  tx_status status = tx_elliptic_ground_make(leaves, how, &lapse, spot, data->n, &ground);
  TX_THEN(status, tx_agree(leaves->comm, tx_elliptic_give(ground.e, 0, lapse_slope, data)));
  TX_THEN(status, tx_elliptic_ground_solve(&ground, how->control.tolerance, &adm->lapse_residual,
                                           &adm->lapse_cycles));
  TX_THEN(status, tx_elliptic_ground_embed(&ground, w));
  tx_elliptic_ground_free(&ground);
  return status;
}
