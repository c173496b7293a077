#include "physics/initial_data/effective_body.h"

#include <math.h>

#define PI 3.14159265358979323846

/* Of the difference quotients. */
#define SMALL 1e-5

/** Solve a 4 x 4 system, of which the pivots are not small. */
static void solve(double a[4][4], double b[4], double x[4]) {
  for (int k = 0; k < 4; k++)
    for (int i = k + 1; i < 4; i++) {
      const double f = a[i][k] / a[k][k];
      for (int j = k; j < 4; j++) a[i][j] -= f * a[k][j];
      b[i] -= f * b[k];
    }
  for (int i = 3; i >= 0; i--) {
    x[i] = b[i];
    for (int j = i + 1; j < 4; j++) x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[j] * b[k] - a[k] * b[j];
  }
}

/** What depends on where the spins of e->pair stand. On average over the phase 3 (n.a)^2 - a^2 of gr-qc/0103018 is a^2/2 of the
 *  part of a across the axis, and -a^2 of that along it: so it takes the place of a Kerr hole's a^2 with the factor -1/2. */
static void point(tx_eob *e, const double axis[3]) {
  tx_pair *b = &e->pair;
  double spin[3], across[3];
  tx_pair_project(b, axis);
  tx_pair_spin(b, spin);
  cross(spin, axis, across);
  const double a = b->m1 * b->chi1 + b->m2 * b->chi2;
  e->spin = b->S1 + b->S2;
  e->test_spin = b->m2 / b->m1 * b->S1 + b->m1 / b->m2 * b->S2;
  e->kerr = a * a - 0.5 * dot(across, across);
}

tx_eob tx_eob_make(const tx_pair *b) {
  const double nu = b->m1 * b->m2;
  const double c[6] = {1.0,      -2.0, 0.0, 2.0 * nu, nu * (94.0 / 3.0 - 41.0 / 32.0 * PI * PI),
                       60.0 * nu};
  double m[4][4], right[4];
  tx_eob e = {.pair = *b, .nu = nu};
  point(&e, (const double[3]){0.0, 0.0, 1.0});
  for (int k = 0; k < 4; k++) {
    for (int j = 0; j < 4; j++) m[k][j] = k + 1 - j >= 0 ? c[k + 1 - j] : 0.0;
    right[k] = -c[k + 2];
  }
  solve(m, right, e.d);
  e.n1 = c[1] + e.d[0];
  return e;
}

tx_eob tx_eob_at(const tx_eob *e, const tx_eob_orbit *o) {
  tx_eob here = *e;
  for (int a = 0; a < 2; a++)
    for (int i = 0; i < 3; i++) here.pair.chi[a][i] = o->chi[a][i];
  point(&here, o->axis);
  return here;
}

/** A and its radius of centrifugal forces, with spins as arXiv:1406.6913 eq. 19, 20 at leading order. */
static double potential(const tx_eob *e, double r, double *u_c) {
  const double u = 1.0 / r, v = 1.0 / sqrt(r * r + e->kerr * (1.0 + 2.0 * u));
  const double below = 1.0 + v * (e->d[0] + v * (e->d[1] + v * (e->d[2] + v * e->d[3])));
  *u_c = v;
  return (1.0 + e->n1 * v) / below * (1.0 + 2.0 * v) / (1.0 + 2.0 * u);
}

double tx_eob_tortoise(const tx_eob *e, double r) {
  double v;
  const double A = potential(e, r, &v);
  return A * sqrt(1.0 + 6.0 * e->nu * v * v + 2.0 * (26.0 - 3.0 * e->nu) * e->nu * v * v * v) /
         (r * v);
}

/* What spins are multiplied with in the effective energy, over p_phi. */
typedef struct couplings {
  double own, test;
} couplings;

/* In the gauge of Damour, Jaranowski and Schaefer (arXiv:0803.0915), in which they do not depend on p_phi. */
static inline couplings couple(double nu, double r, double v, double p_r) {
  const double p2 = p_r * p_r;
  const double own =
      5.0 / 16.0 * nu * v + 27.0 / 16.0 * nu * p2 + (51.0 / 8.0 + 41.0 / 256.0 * nu) * nu * v * v +
      (12.0 - 49.0 / 128.0 * nu) * nu * v * p2 + (-5.0 / 16.0 + 169.0 / 256.0 * nu) * nu * p2 * p2;
  const double test = (0.75 + 0.5 * nu) * v + (1.25 + 1.5 * nu) * p2 +
                      (27.0 / 16.0 + 29.0 / 4.0 * nu + 3.0 / 8.0 * nu * nu) * v * v +
                      (4.0 + 11.0 * nu - 7.0 / 8.0 * nu * nu) * v * p2 +
                      (5.0 / 48.0 + 25.0 / 12.0 * nu + 3.0 / 8.0 * nu * nu) * p2 * p2;
  return (couplings){.own = 2.0 / r * v * v / (1.0 + own), .test = 1.5 * v * v * v / (1.0 + test)};
}

/* (sqrt(1 + 2 nu (H_eff - 1)) - 1) / nu */
double tx_eob_energy(const tx_eob *e, double r, double p_r, double p_phi) {
  const double nu = e->nu;
  double v;
  const double A = potential(e, r, &v);
  const couplings g = couple(nu, r, v, p_r);
  const double kinetic = p_phi * p_phi + 2.0 * nu * (4.0 - 3.0 * nu) * pow(p_r, 4);
  const double effective = sqrt(p_r * p_r + A * (1.0 + kinetic * v * v)) +
                           p_phi * (g.own * e->spin + g.test * e->test_spin);
  return 2.0 * (effective - 1.0) / (1.0 + sqrt(1.0 + 2.0 * nu * (effective - 1.0)));
}

double tx_eob_by_r(const tx_eob *e, double r, double p_r, double p_phi) {
  return (tx_eob_energy(e, r + SMALL, p_r, p_phi) - tx_eob_energy(e, r - SMALL, p_r, p_phi)) /
         (2.0 * SMALL);
}

double tx_eob_by_p_r(const tx_eob *e, double r, double p_r, double p_phi) {
  return (tx_eob_energy(e, r, p_r + SMALL, p_phi) - tx_eob_energy(e, r, p_r - SMALL, p_phi)) /
         (2.0 * SMALL);
}

double tx_eob_by_p_phi(const tx_eob *e, double r, double p_r, double p_phi) {
  return (tx_eob_energy(e, r, p_r, p_phi + SMALL) - tx_eob_energy(e, r, p_r, p_phi - SMALL)) /
         (2.0 * SMALL);
}

static double by_kerr(const tx_eob *e, const tx_eob_orbit *o) {
  tx_eob more = *e, less = *e;
  more.kerr += SMALL;
  less.kerr -= SMALL;
  return (tx_eob_energy(&more, o->r, o->p_r, o->p_phi) -
          tx_eob_energy(&less, o->r, o->p_r, o->p_phi)) /
         (2.0 * SMALL);
}

void tx_eob_precession(const tx_eob *e, const tx_eob_orbit *o, double rate[2][3]) {
  const tx_pair *b = &e->pair;
  const double m[2] = {b->m1, b->m2};
  double v, spin[3];
  potential(e, o->r, &v);
  tx_pair_spin(b, spin);
  const couplings g = couple(e->nu, o->r, v, o->p_r);
  /* dE/dH_eff = 1 / (1 + nu E) */
  const double orbital = o->p_phi / (1.0 + e->nu * tx_eob_energy(e, o->r, o->p_r, o->p_phi));
  const double spins = by_kerr(e, o), along = 3.0 * dot(spin, o->axis);
  for (int a = 0; a < 2; a++)
    for (int i = 0; i < 3; i++)
      rate[a][i] = e->nu * (orbital * (g.own + m[1 - a] / m[a] * g.test) * o->axis[i] +
                            spins * (along * o->axis[i] - spin[i]) / m[a]);
}

/** Time derivatives. The orbit's axis takes from the spins what they give: {L_i, L_j} = eps_ijk L_k. */
static tx_eob_orbit slope(const tx_eob *bodies, const tx_eob_orbit *o, bool losing) {
  const tx_eob e = tx_eob_at(bodies, o);
  const double a = tx_eob_tortoise(&e, o->r), w = tx_eob_by_p_phi(&e, o->r, o->p_r, o->p_phi);
  const double m[2] = {e.pair.m1, e.pair.m2};
  double rate[2][3];
  tx_eob_orbit k = {.r = a * tx_eob_by_p_r(&e, o->r, o->p_r, o->p_phi),
                    .p_r = -a * tx_eob_by_r(&e, o->r, o->p_r, o->p_phi),
                    .p_phi = losing ? -tx_pair_energy_loss(&e.pair, w) / w / e.nu : 0.0,
                    .phi = w};
  tx_eob_precession(&e, o, rate);
  for (int n = 0; n < 2; n++) {
    cross(rate[n], o->chi[n], k.chi[n]);
    for (int i = 0; i < 3; i++) k.axis[i] -= m[n] * m[n] * k.chi[n][i] / (e.nu * o->p_phi);
  }
  return k;
}

static tx_eob_orbit moved(const tx_eob_orbit *o, double dt, const tx_eob_orbit *k) {
  tx_eob_orbit out = {.r = o->r + dt * k->r,
                      .p_r = o->p_r + dt * k->p_r,
                      .p_phi = o->p_phi + dt * k->p_phi,
                      .phi = o->phi + dt * k->phi};
  for (int i = 0; i < 3; i++) {
    out.axis[i] = o->axis[i] + dt * k->axis[i];
    for (int n = 0; n < 2; n++) out.chi[n][i] = o->chi[n][i] + dt * k->chi[n][i];
  }
  return out;
}

void tx_eob_step(const tx_eob *e, tx_eob_orbit *o, double dt, bool losing) {
  const tx_eob_orbit k1 = slope(e, o, losing);
  const tx_eob_orbit o2 = moved(o, 0.5 * dt, &k1), k2 = slope(e, &o2, losing);
  const tx_eob_orbit o3 = moved(o, 0.5 * dt, &k2), k3 = slope(e, &o3, losing);
  const tx_eob_orbit o4 = moved(o, dt, &k3), k4 = slope(e, &o4, losing);
  *o = moved(o, dt / 6.0, &k1);
  *o = moved(o, dt / 3.0, &k2);
  *o = moved(o, dt / 3.0, &k3);
  *o = moved(o, dt / 6.0, &k4);
}
