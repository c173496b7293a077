#include "physics/initial_data/effective_body.h"

#include <math.h>

#include "base/vec3.h"

/* Steps of the difference quotients; WIDE where rounding would show. */
#define SMALL 1e-5
#define WIDE  1e-3

/** Fill the members that depend on the directions of the spins of e->pair. On average over the phase 3 (n.a)^2 - a^2 of gr-qc/0103018 is a^2/2 of the
 *  part of a across the axis, and -a^2 of that along it: so it takes the place of a Kerr hole's a^2 with the factor -1/2. */
static void point(tx_eob *e, const double axis[3]) {
  tx_pair *b = &e->pair;
  double spin[3], across[3];
  tx_pair_project(b, axis);
  tx_pair_spin(b, spin);
  tx_vec3_cross(spin, axis, across);
  const double a = b->m1 * b->chi1 + b->m2 * b->chi2;
  e->spin = b->S1 + b->S2;
  e->test_spin = b->m2 / b->m1 * b->S1 + b->m1 / b->m2 * b->S2;
  e->kerr = a * a - 0.5 * tx_vec3_dot(across, across);
  e->sum = a;
  e->difference = b->m2 * b->chi2 - b->m1 * b->chi1;
  e->squares = -1.125 * a * a - (0.125 + 0.5 * e->nu) * e->difference * e->difference +
               1.25 * e->unequal * a * e->difference;
}

/* Return the calibrated coefficient of the spin-orbit couplings at the next order: arXiv:1806.01772. */
static double calibrated(const tx_eob *e) {
  const double nu = e->nu, a = e->sum;
  const double equal = 43.371638 * (1.0 - 1.174839 * a + 0.354064 * a * a) / (1.0 - 0.151961 * a);
  const double other = a * nu * e->unequal * (929.579 - 9178.87 * nu + 23632.3 * nu * nu);
  return nu * (equal + other - 104.891 * e->difference * nu * nu);
}

tx_eob tx_eob_make(const tx_pair *b) {
  tx_eob e = {
      .pair = *b, .nu = b->m1 * b->m2, .unequal = b->m2 - b->m1, .reaction = 1.0, .quartic = 1.0};
  point(&e, (const double[3]){0.0, 0.0, 1.0});
  e.next_coupling = calibrated(&e);
  return e;
}

tx_eob tx_eob_at(const tx_eob *e, const tx_eob_orbit *o) {
  tx_eob here = *e;
  for (int a = 0; a < 2; a++)
    for (int i = 0; i < 3; i++) here.pair.chi[a][i] = o->chi[a][i];
  point(&here, o->axis);
  return here;
}

/* The (1, 5) Pade approximant of A of bodies without spins: that of 1/A has b_6 + n b_5 = 0. */
static double orbital(double nu, double u) {
  const double pi2 = M_PI * M_PI, l = log(u);
  const double a5 = -4237.0 / 60.0 + 2275.0 / 512.0 * pi2 + 256.0 / 5.0 * M_LN2 +
                    128.0 / 5.0 * TX_EULER + nu * (41.0 / 32.0 * pi2 - 221.0 / 6.0) +
                    64.0 / 5.0 * l;
  const double a6 =
      3097.3 * nu * nu - 1330.6 * nu + 81.38 - (7004.0 / 105.0 + 144.0 / 5.0 * nu) * l;
  const double c[7] = {1.0,     -2.0,   0.0, 2.0 * nu, nu * (94.0 / 3.0 - 41.0 / 32.0 * pi2),
                       nu * a5, nu * a6};
  double b[7] = {1.0}, below = 0.0;
  for (int k = 1; k < 7; k++)
    for (int j = 1; j <= k; j++) b[k] -= c[j] * b[k - j];
  const double n = -b[6] / b[5];
  for (int k = 5; k > 0; k--) below = (below + b[k] + n * b[k - 1]) * u;
  return (1.0 + n * u) / (1.0 + below);
}

/** A and its radius of centrifugal forces, with spins as arXiv:1406.6913 at next-to-leading order. */
static double potential(const tx_eob *e, double r, double *u_c) {
  const double u = 1.0 / r;
  const double v = 1.0 / sqrt(r * r + e->kerr * (1.0 + 2.0 * u) + e->squares * u);
  *u_c = v;
  return orbital(e->nu, v) * (1.0 + 2.0 * v) / (1.0 + 2.0 * u);
}

double tx_eob_tortoise(const tx_eob *e, double r) {
  double v;
  const double A = potential(e, r, &v);
  return A * sqrt(1.0 + 6.0 * e->nu * v * v + 2.0 * (26.0 - 3.0 * e->nu) * e->nu * v * v * v) /
         (r * v);
}

/* Factors of the spins in the effective energy, over p_phi. */
typedef struct couplings {
  double own, test;
} couplings;

/* In the gauge of Damour, Jaranowski and Schaefer (arXiv:0803.0915), in which they do not depend on p_phi. */
static inline couplings couple(const tx_eob *e, double r, double v, double p_r) {
  const double nu = e->nu, p2 = p_r * p_r, v3 = v * v * v;
  const double own = 5.0 / 16.0 * nu * v + 27.0 / 16.0 * nu * p2 +
                     (51.0 / 8.0 + 41.0 / 256.0 * nu) * nu * v * v +
                     (12.0 - 49.0 / 128.0 * nu) * nu * v * p2 +
                     (-5.0 / 16.0 + 169.0 / 256.0 * nu) * nu * p2 * p2 + e->next_coupling * v3;
  const double test = (0.75 + 0.5 * nu) * v + (1.25 + 1.5 * nu) * p2 +
                      (27.0 / 16.0 + 29.0 / 4.0 * nu + 3.0 / 8.0 * nu * nu) * v * v +
                      (4.0 + 11.0 * nu - 7.0 / 8.0 * nu * nu) * v * p2 +
                      (5.0 / 48.0 + 25.0 / 12.0 * nu + 3.0 / 8.0 * nu * nu) * p2 * p2 +
                      (135.0 / 32.0 + e->next_coupling + 2835.0 / 256.0 * v) * v3;
  return (couplings){.own = 2.0 / r * v * v / (1.0 + own), .test = 1.5 * v * v * v / (1.0 + test)};
}

/* (sqrt(1 + 2 nu (H_eff - 1)) - 1) / nu */
double tx_eob_energy(const tx_eob *e, double r, double p_r, double p_phi) {
  const double nu = e->nu;
  double v;
  const double A = potential(e, r, &v);
  const couplings g = couple(e, r, v, p_r);
  const double kinetic = p_phi * p_phi + e->quartic * 2.0 * nu * (4.0 - 3.0 * nu) * pow(p_r, 4);
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

/* G = G_S S + G_S* S* of circular orbits. */
static double gyration(const tx_eob *e, double r, double *A, double *v) {
  *A = potential(e, r, v);
  const couplings g = couple(e, r, *v, 0.0);
  return g.own * e->spin + g.test * e->test_spin;
}

double tx_eob_kepler(const tx_eob *e, double r, double p_phi) {
  double A, v, A_out, v_out, A_in, v_in;
  const double G = gyration(e, r, &A, &v), nu = e->nu;
  const double dG = gyration(e, r + WIDE, &A_out, &v_out) - gyration(e, r - WIDE, &A_in, &v_in);
  const double effective = sqrt(A * (1.0 + p_phi * p_phi * v * v)), at_rest = effective + G * p_phi;
  const double turning = effective / (A * v * fabs(p_phi));
  const double psi = -2.0 * (v_out - v_in + dG * turning) / (A_out - A_in);
  const double frequency = (sqrt(v * v * v / psi) + G) / sqrt(1.0 + 2.0 * nu * (at_rest - 1.0));
  return pow(frequency, -2.0 / 3.0);
}

static double by_kerr(const tx_eob *e, const tx_eob_orbit *o) {
  tx_eob more = *e, less = *e;
  more.kerr += SMALL;
  less.kerr -= SMALL;
  return (tx_eob_energy(&more, o->r, o->p_r, o->p_phi) -
          tx_eob_energy(&less, o->r, o->p_r, o->p_phi)) /
         (2.0 * SMALL);
}

static double by_squares(const tx_eob *e, const tx_eob_orbit *o) {
  tx_eob more = *e, less = *e;
  more.squares += SMALL;
  less.squares -= SMALL;
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
  const couplings g = couple(e, o->r, v, o->p_r);
  /* dE/dH_eff = 1 / (1 + nu E) */
  const double orbital = o->p_phi / (1.0 + e->nu * tx_eob_energy(e, o->r, o->p_r, o->p_phi));
  const double spins = by_kerr(e, o), along = 3.0 * tx_vec3_dot(spin, o->axis);
  /* d/d(m chi) of the squares at next-to-leading order: for the sum, and for the heavier body's less the lighter one's. */
  const double next = by_squares(e, o);
  const double by_sum = -2.25 * e->sum + 1.25 * e->unequal * e->difference;
  const double by_difference = -(0.25 + e->nu) * e->difference + 1.25 * e->unequal * e->sum;
  for (int a = 0; a < 2; a++)
    for (int i = 0; i < 3; i++)
      rate[a][i] = e->nu * (orbital * (g.own + m[1 - a] / m[a] * g.test) * o->axis[i] +
                            (spins * (along * o->axis[i] - spin[i]) +
                             next * (by_sum + (a == 1 ? 1.0 : -1.0) * by_difference) * o->axis[i]) /
                                m[a]);
}

/** Time derivatives. The orbit's axis takes from the spins what they give: {L_i, L_j} = eps_ijk L_k. */
static tx_eob_orbit slope(const tx_eob *bodies, const tx_eob_orbit *o, tx_eob_reaction *torque) {
  const tx_eob e = tx_eob_at(bodies, o);
  const double a = tx_eob_tortoise(&e, o->r), w = tx_eob_by_p_phi(&e, o->r, o->p_r, o->p_phi);
  const double m[2] = {e.pair.m1, e.pair.m2};
  double rate[2][3];
  tx_eob_orbit k = {.r = a * tx_eob_by_p_r(&e, o->r, o->p_r, o->p_phi),
                    .p_r = -a * tx_eob_by_r(&e, o->r, o->p_r, o->p_phi),
                    .p_phi = torque ? e.reaction * torque(&e, o, w) : 0.0,
                    .phi = w};
  tx_eob_precession(&e, o, rate);
  for (int n = 0; n < 2; n++) {
    tx_vec3_cross(rate[n], o->chi[n], k.chi[n]);
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

void tx_eob_step(const tx_eob *e, tx_eob_orbit *o, double dt, tx_eob_reaction *torque) {
  const tx_eob_orbit k1 = slope(e, o, torque);
  const tx_eob_orbit o2 = moved(o, 0.5 * dt, &k1), k2 = slope(e, &o2, torque);
  const tx_eob_orbit o3 = moved(o, 0.5 * dt, &k2), k3 = slope(e, &o3, torque);
  const tx_eob_orbit o4 = moved(o, dt, &k3), k4 = slope(e, &o4, torque);
  *o = moved(o, dt / 6.0, &k1);
  *o = moved(o, dt / 3.0, &k2);
  *o = moved(o, dt / 3.0, &k3);
  *o = moved(o, dt / 6.0, &k4);
}
