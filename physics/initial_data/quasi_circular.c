#include "physics/initial_data/quasi_circular.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "physics/initial_data/pair.h"

typedef tx_pair pair;

tx_pair tx_pair_make(double separation, double mass_ratio, const double chi1[3],
                     const double chi2[3]) {
  bool swap = mass_ratio > 1.0;
  double q = swap ? mass_ratio : 1.0 / mass_ratio;
  pair b = {.m1 = 1.0 / (1.0 + q), .m2 = q / (1.0 + q), .q = q, .r = separation};
  memcpy(b.chi[0], swap ? chi2 : chi1, sizeof b.chi[0]);
  memcpy(b.chi[1], swap ? chi1 : chi2, sizeof b.chi[1]);
  tx_pair_project(&b, (const double[3]){0.0, 0.0, 1.0});
  return b;
}

void tx_pair_project(tx_pair *b, const double axis[3]) {
  b->chi1 = b->chi2 = 0.0;
  for (int i = 0; i < 3; i++) {
    b->chi1 += b->chi[0][i] * axis[i];
    b->chi2 += b->chi[1][i] * axis[i];
  }
  b->S1 = b->chi1 * b->m1 * b->m1;
  b->S2 = b->chi2 * b->m2 * b->m2;
}

void tx_pair_spin(const tx_pair *b, double a[3]) {
  for (int i = 0; i < 3; i++) a[i] = b->m1 * b->chi[0][i] + b->m2 * b->chi[1][i];
}

/* The spin-spin force in the plane of the orbit, in the frame of pair.h: a = S1/m1 + S2/m2 has the part `across` there, at the
 * angle psi from the line of the bodies, which turns by the orbital frequency. */
typedef struct quadrupole {
  double across; /* a_x^2 + a_y^2 */
  double even,
      odd; /* across * cos(2 psi), across * sin(2 psi) at t = 0, psi being the orbit's phase less that of a */
} quadrupole;

static quadrupole quadrupole_of(const pair *b) {
  double a[3];
  tx_pair_spin(b, a);
  return (quadrupole){.across = a[0] * a[0] + a[1] * a[1],
                      .even = a[0] * a[0] - a[1] * a[1],
                      .odd = -2.0 * a[0] * a[1]};
}

double tx_pair_mean_separation(const tx_pair *b) {
  return b->r + 0.25 * quadrupole_of(b).even / b->r;
}

/** \sum_k a_k r^{-k/2}, and its derivative by r. */
static double series(const double a[8], double r, double *derivative) {
  double sum = 0.0, d = 0.0;
  for (int k = 7; k >= 0; k--) {
    double power = pow(r, -0.5 * k);
    sum += a[k] * power;
    d -= 0.5 * k * a[k] * power / r;
  }
  if (derivative) *derivative = d;
  return sum;
}

/** p_t = q (1+q)^{-2} r^{-1/2} \sum_k a_k r^{-k/2}: arXiv:1810.00036 eq. A2, to 3PN also
 *  arXiv:1702.00872 eq. 7. [out] *dr: its derivative by r. */
static double tangential_momentum(const pair *b, double *dr) {
  const double q = b->q, q2 = q * q, q3 = q2 * q, q4 = q3 * q, q5 = q4 * q, pi2 = M_PI * M_PI;
  const double s = 1.0 + q, s2 = s * s, s3 = s2 * s, s4 = s2 * s2, s6 = s4 * s2;
  const double c1 = b->chi1, c2 = b->chi2;
  const double a[8] = {
      1.0,
      0.0,
      2.0,
      -(3.0 * (4.0 * q2 + 3.0 * q) * c2 + 3.0 * (3.0 * q + 4.0) * c1) / (4.0 * s2),
      ((42.0 * q2 + 41.0 * q + 42.0) / 16.0 + 0.75 * c1 * c1 + 1.5 * q * c1 * c2 +
       0.75 * q2 * c2 * c2) /
              s2 -
          0.375 * quadrupole_of(b).across,
      -((13.0 * q3 + 60.0 * q2 + 116.0 * q + 72.0) * c1 +
        (72.0 * q4 + 116.0 * q3 + 60.0 * q2 + 13.0 * q) * c2) /
          (16.0 * s4),
      (480.0 * q4 + 163.0 * pi2 * q3 - 2636.0 * q3 + 326.0 * pi2 * q2 - 6128.0 * q2 +
       163.0 * pi2 * q - 2636.0 * q + 480.0 + (-108.0 * q2 + 224.0 * q + 512.0) * c1 * c1 +
       (480.0 * q3 + 1064.0 * q2 + 480.0 * q) * c1 * c2 +
       (512.0 * q4 + 224.0 * q3 - 108.0 * q2) * c2 * c2) /
          (128.0 * s4),
      -5.0 * (4.0 * q + 1.0) * q3 * c2 * c2 * c2 / (8.0 * s4) -
          15.0 * q2 * c1 * c2 * c2 / (4.0 * s3) - 15.0 * q * c1 * c1 * c2 / (4.0 * s3) -
          5.0 * (q + 4.0) * c1 * c1 * c1 / (8.0 * s4) -
          c1 * (103.0 * q5 + 145.0 * q4 - 27.0 * q3 + 252.0 * q2 + 670.0 * q + 348.0) /
              (32.0 * s6) -
          q * c2 * (348.0 * q5 + 670.0 * q4 + 252.0 * q3 - 27.0 * q2 + 145.0 * q + 103.0) /
              (32.0 * s6),
  };
  double d, sum = series(a, b->r, &d), factor = q / s2 / sqrt(b->r);
  *dr = factor * (d - 0.5 * sum / b->r);
  return factor * sum;
}

double tx_pair_angular_momentum(const tx_pair *b) {
  double p_t_dr;
  return b->r * tangential_momentum(b, &p_t_dr);
}

/** \Omega = r^{-3/2} \sum_k a_k r^{-k/2}: arXiv:1810.00036 eq. A1, to 3PN also arXiv:1702.00872
 *  eq. 6; spins along z. */
double tx_pair_frequency(const tx_pair *b) {
  const double q = b->q, q2 = q * q, q3 = q2 * q, q4 = q3 * q, q5 = q4 * q, q6 = q5 * q;
  const double s = 1.0 + q, s2 = s * s, s3 = s2 * s, s4 = s2 * s2, s6 = s4 * s2;
  const double c1 = b->chi1, c2 = b->chi2, pi2 = M_PI * M_PI;
  const double a[8] = {
      1.0,
      0.0,
      -(3.0 * q2 + 5.0 * q + 3.0) / (2.0 * s2),
      -((3.0 * q + 4.0) * c1 + q * (4.0 * q + 3.0) * c2) / (4.0 * s2),
      0.75 * (c1 + q * c2) * (c1 + q * c2) / s2 +
          (24.0 * q4 + 103.0 * q3 + 164.0 * q2 + 103.0 * q + 24.0) / (16.0 * s4) -
          0.375 * quadrupole_of(b).across,
      3.0 *
          ((13.0 * q3 + 34.0 * q2 + 30.0 * q + 16.0) * c1 +
           q * (16.0 * q3 + 30.0 * q2 + 34.0 * q + 13.0) * c2) /
          (16.0 * s4),
      -q * (96.0 * q2 + 127.0 * q + 96.0) * c1 * c2 / (16.0 * s4) -
          q2 * (2.0 * q + 5.0) * (14.0 * q + 27.0) * c2 * c2 / (32.0 * s4) -
          (5.0 * q + 2.0) * (27.0 * q + 14.0) * c1 * c1 / (32.0 * s4) +
          (501.0 * pi2 * q * s4 - 4.0 * (120.0 * q6 + 2744.0 * q5 + 10049.0 * q4 + 14820.0 * q3 +
                                         10049.0 * q2 + 2744.0 * q + 120.0)) /
              (384.0 * s6),
      -3.0 * (4.0 * q + 1.0) * q3 * c2 * c2 * c2 / (8.0 * s4) -
          3.0 * (q + 4.0) * c1 * c1 * c1 / (8.0 * s4) -
          9.0 * q * (q * c1 * c2 * c2 + c1 * c1 * c2) / (4.0 * s3) -
          c1 * (135.0 * q5 + 385.0 * q4 + 363.0 * q3 + 377.0 * q2 + 387.0 * q + 168.0) /
              (32.0 * s6) -
          q * c2 * (168.0 * q5 + 387.0 * q4 + 377.0 * q3 + 363.0 * q2 + 385.0 * q + 135.0) /
              (32.0 * s6),
  };
  return series(a, b->r, NULL) / (b->r * sqrt(b->r));
}

/** Energy that waves and horizons take a time on a circular orbit of frequency \Omega, x =
 *  \Omega^{2/3}: (32/5) \nu^2 x^5 \sum_k b_k x^{k/2}; arXiv:1502.01747 eq. A22-A28, the absorbed part
 *  arXiv:0709.0093 eq. A14; spins along z. */
double tx_pair_energy_loss(const tx_pair *b, double frequency) {
  const double pi2 = M_PI * M_PI;
  const double nu = b->m1 * b->m2, nu2 = nu * nu, delta = b->m1 - b->m2;
  const double x = cbrt(frequency * frequency), root = sqrt(x);
  const double S = b->S1 + b->S2, dSigma = delta * (b->S2 / b->m2 - b->S1 / b->m1);
  const double cs = 0.5 * (b->chi1 + b->chi2), ca = 0.5 * (b->chi1 - b->chi2);
  const double absorbed = -0.25 * ((1.0 - 3.0 * nu) * cs * (1.0 + 3.0 * cs * cs + 9.0 * ca * ca) +
                                   (1.0 - nu) * delta * ca * (1.0 + 3.0 * ca * ca + 9.0 * cs * cs));
  const double c[9] = {
      1.0,
      0.0,
      -1247.0 / 336.0 - 35.0 / 12.0 * nu,
      4.0 * M_PI - 4.0 * S - 1.25 * dSigma,
      -44711.0 / 9072.0 + 9271.0 / 504.0 * nu + 65.0 / 18.0 * nu2 +
          (33.0 / 16.0 - 0.25 * nu) * cs * cs + (33.0 / 16.0 - 8.0 * nu) * ca * ca +
          33.0 / 8.0 * delta * cs * ca,
      (-8191.0 / 672.0 - 583.0 / 24.0 * nu) * M_PI + (-4.5 + 272.0 / 9.0 * nu) * S +
          (-13.0 / 16.0 + 10.75 * nu) * dSigma + absorbed,
      6643739519.0 / 69854400.0 + 16.0 / 3.0 * pi2 - 1712.0 / 105.0 * TX_EULER -
          856.0 / 105.0 * log(16.0 * x) + (-134543.0 / 7776.0 + 41.0 / 48.0 * pi2) * nu -
          94403.0 / 3024.0 * nu2 - 775.0 / 324.0 * nu2 * nu - 16.0 * M_PI * S -
          31.0 / 6.0 * M_PI * dSigma,
      (476645.0 / 6804.0 + 6172.0 / 189.0 * nu - 2810.0 / 27.0 * nu2) * S +
          (9535.0 / 336.0 + 1849.0 / 126.0 * nu - 1501.0 / 36.0 * nu2) * dSigma +
          (-16285.0 / 504.0 + 214745.0 / 1728.0 * nu + 193385.0 / 3024.0 * nu2) * M_PI,
      (-3485.0 / 96.0 + 13879.0 / 72.0 * nu) * M_PI * S +
          (-7163.0 / 672.0 + 130583.0 / 2016.0 * nu) * M_PI * dSigma,
  };
  double sum = 0.0, power = 1.0;
  for (int k = 0; k < 9; k++, power *= root) sum += c[k] * power;
  return 32.0 / 5.0 * nu2 * x * x * x * x * x * sum;
}

/* The derivative by r, along circular orbits, of a sum of terms c p^a r^{-b} with p = p_t(r). */
typedef struct slope {
  double p, r, dlnp; /* dlnp = p_t'/p_t */
  double sum;
} slope;

static void add(slope *h, double c, int a, int b) {
  h->sum += c * pow(h->p, a) * pow(h->r, -b) * (a * h->dlnp - b / h->r);
}

/** Without spins, to 3PN: Damour, Jaranowski, Schaefer, gr-qc/9912092. */
static void add_orbit(slope *h, double nu) {
  const double nu2 = nu * nu, nu3 = nu2 * nu, pi2 = M_PI * M_PI;
  const double mu2 = nu, mu4 = nu3, mu6 = nu3 * nu2, mu8 = mu6 * nu2; /* nu (p/nu)^n = p^n / mu.. */
  add(h, 0.5 / mu2, 2, 0);
  add(h, -nu, 0, 1);
  add(h, (3.0 * nu - 1.0) / 8.0 / mu4, 4, 0);
  add(h, -0.5 * (3.0 + nu) / mu2, 2, 1);
  add(h, 0.5 * nu, 0, 2);
  add(h, (1.0 - 5.0 * nu + 5.0 * nu2) / 16.0 / mu6, 6, 0);
  add(h, (5.0 - 20.0 * nu - 3.0 * nu2) / 8.0 / mu4, 4, 1);
  add(h, 0.5 * (5.0 + 8.0 * nu) / mu2, 2, 2);
  add(h, -0.25 * (1.0 + 3.0 * nu) * nu, 0, 3);
  add(h, (-5.0 + 35.0 * nu - 70.0 * nu2 + 35.0 * nu3) / 128.0 / mu8, 8, 0);
  add(h, (-7.0 + 42.0 * nu - 53.0 * nu2 - 5.0 * nu3) / 16.0 / mu6, 6, 1);
  add(h, (-27.0 + 136.0 * nu + 109.0 * nu2) / 16.0 / mu4, 4, 2);
  add(h, (-25.0 / 8.0 + (pi2 / 64.0 - 335.0 / 48.0) * nu - 23.0 / 8.0 * nu2) / mu2, 2, 3);
  add(h, (1.0 / 8.0 + (109.0 / 12.0 - 21.0 / 32.0 * pi2) * nu) * nu, 0, 4);
}

/** Add the terms with the spin S of the body of mass m, the other's being T and n: spin-orbit to 3.5PN
 *  (arXiv:0711.1048 eq. 4.11, 1104.3079 eq. 5), S^2 at 3PN (0809.2200 eq. 9), cubic (1410.2601
 *  eq. 3.12). */
static void add_spin(slope *h, double m, double n, double S, double T) {
  const double m2 = m * m, m3 = m2 * m, m4 = m2 * m2, n2 = n * n, n3 = n2 * n;
  add(h, S * (1.5 * n / m + 2.0), 1, 2);
  add(h, -S * (13.0 * n + 5.0 * n2 / m + 6.0 * m), 1, 3);
  add(h, S * (-0.625 * n / m3 + 0.75 / m2 + 1.75 / (m * n)), 3, 2);
  add(h,
      S * (7.0 * n / (16.0 * m4 * m) - 9.0 / (16.0 * m4) - 11.0 / (16.0 * m3 * n) -
           1.0 / (16.0 * m2 * n2) - 11.0 / (16.0 * m * n3)),
      5, 2);
  add(h,
      S * (27.0 * n2 / (8.0 * m3) - 6.0 * n / m2 - (23.0 / 4.0 + 159.0 / 16.0 + 99.0 / 8.0) / m -
           (37.0 / 8.0 + 93.0 / 8.0) / n),
      3, 3);
  add(h,
      S * (21.0 / 2.0 * m2 + (181.0 + 473.0) / 16.0 * m * n + (95.0 + 63.0) / 4.0 * n2 +
           75.0 * n3 / (8.0 * m)),
      1, 4);
  add(h, -0.75 * S * S * (1.0 / (m * n) + 1.0 / m2), 2, 3);
  add(h, S * S * (2.5 + 3.0 * n / m) * n, 0, 4);
  add(h, S * S * (1.5 * T * (1.0 + m / n) + S * (1.0 + n / (4.0 * m))) / m2, 1, 4);
}

/** Add the terms with both spins: at 2PN gr-qc/0508067 eq. 2.18, of spins off z the mean over an orbit, at 3PN arXiv:0712.1716 eq. 2.11. */
static void add_spins(slope *h, const pair *b) {
  const double m1 = b->m1, m2 = b->m2, S0 = b->S1 / m1 + b->S2 / m2, SS = b->S1 * b->S2;
  add(h, -0.5 * m1 * m2 * S0 * S0 + 0.25 * m1 * m2 * quadrupole_of(b).across, 0, 3);
  add(h, -SS * (4.0 / (m1 * m2) + 1.5 / (m1 * m1) + 1.5 / (m2 * m2)), 2, 3);
  add(h, 6.0 * SS, 0, 4);
}

/** dE/dr along circular orbits: the Hamiltonian of 3.5PN at p_r = 0, p_t = p_t(r). */
static double energy_slope(const pair *b, double p_t, double p_t_dr) {
  slope h = {.p = p_t, .r = b->r, .dlnp = p_t_dr / p_t};
  add_orbit(&h, b->m1 * b->m2);
  add_spin(&h, b->m1, b->m2, b->S1, b->S2);
  add_spin(&h, b->m2, b->m1, b->S2, b->S1);
  add_spins(&h, b);
  return h.sum;
}

/** -(dr/dt)/p_r for small p_r: arXiv:1810.00036 eq. 2.18, spins along z. */
static double radial_inertia(const pair *b) {
  const double q = b->q, q2 = q * q, q3 = q2 * q, q4 = q3 * q, q5 = q4 * q, q6 = q5 * q;
  const double s = 1.0 + q, s2 = s * s, s4 = s2 * s2, r = b->r, root = sqrt(r);
  const double c1 = b->chi1, c2 = b->chi2;
  double sum = s2 / q - (7.0 * q2 + 15.0 * q + 7.0) / (2.0 * q * r);
  sum += (47.0 * q4 + 229.0 * q3 + 363.0 * q2 + 229.0 * q + 47.0) / (8.0 * q * s2 * r * r);
  sum += ((4.0 * q2 + 11.0 * q + 12.0) * c1 / q + (12.0 * q2 + 11.0 * q + 4.0) * c2) /
         (4.0 * s * r * r * root);
  sum +=
      ((3.0 * q2 + 8.0 * q + 3.0) * c1 * c2 / (2.0 * s2) - 2.25 * q2 * c2 * c2 / s -
       2.25 * c1 * c1 / (q * s) - M_PI * M_PI / 16.0 -
       (363.0 * q6 + 2608.0 * q5 + 7324.0 * q4 + 10161.0 * q3 + 7324.0 * q2 + 2608.0 * q + 363.0) /
           (48.0 * q * s4)) /
      (r * r * r);
  sum -= ((53.0 * q5 + 357.0 * q4 + 1097.0 * q3 + 1486.0 * q2 + 842.0 * q + 144.0) * c1 / q +
          (144.0 * q5 + 842.0 * q4 + 1486.0 * q3 + 1097.0 * q2 + 357.0 * q + 53.0) * c2) /
         (16.0 * s4 * r * r * r * root);
  return sum;
}

double tx_pair_shrinking(const tx_pair *b) {
  double p_t_dr;
  const double p_t = tangential_momentum(b, &p_t_dr);
  return tx_pair_energy_loss(b, tx_pair_frequency(b)) / energy_slope(b, p_t, p_t_dr);
}

/** Radial momentum, inwards, of an orbit that shrinks as its energy is lost. */
static double shrinking_momentum(const pair *b) {
  return tx_pair_shrinking(b) / radial_inertia(b);
}

/** The mean orbit and, at the phase of t = 0, what oscillates about it: the separation by -even/(4 r), the orbital angular
 *  momentum by -(3/4) nu even/r^(3/2). Newtonian orbits under H = (nu/2) (3 (n.a)^2 - a^2)/r^3 of gr-qc/0103018, to first order. */
static void find_momenta(const pair *start, tx_quasi_circular *out) {
  const quadrupole a = quadrupole_of(start);
  const double nu = start->m1 * start->m2, r = start->r;
  double p_t_dr;
  pair mean = *start;
  mean.r = tx_pair_mean_separation(start);
  out->frequency = tx_pair_frequency(&mean);
  out->p_t =
      tangential_momentum(&mean, &p_t_dr) * (mean.r / r) - 0.75 * nu * a.even / (r * r * sqrt(r));
  out->p_r = shrinking_momentum(&mean) - 0.5 * nu * a.odd * out->frequency / r;
}

void tx_quasi_circular_momenta(double separation, double mass_ratio, const double chi1[3],
                               const double chi2[3], tx_quasi_circular *out) {
  const double *chi[2] = {chi1, chi2};
  const pair b = tx_pair_make(separation, mass_ratio, chi1, chi2);
  memset(out, 0, sizeof *out);
  find_momenta(&b, out);
  bool first_heavier = mass_ratio > 1.0;
  out->mass[0] = first_heavier ? b.m2 : b.m1;
  out->mass[1] = first_heavier ? b.m1 : b.m2;
  for (int a = 0; a < 2; a++) {
    double sign = a == 0 ? 1.0 : -1.0, m = out->mass[a];
    out->position[a][0] = sign * separation * out->mass[1 - a];
    out->momentum[a][0] = -sign * out->p_r;
    out->momentum[a][1] = sign * out->p_t;
    for (int i = 0; i < 3; i++) out->spin[a][i] = m * m * chi[a][i];
  }
}

bool tx_quasi_circular_inspirals(double separation, double mass_ratio, const double chi1[3],
                                 const double chi2[3]) {
  pair b = tx_pair_make(separation, mass_ratio, chi1, chi2);
  double p_t_dr;
  const double p_t = tangential_momentum(&b, &p_t_dr), innermost = shrinking_momentum(&b);
  double p_r = innermost;
  for (double factor = 1.1; factor < 2.0; factor *= 1.2) {
    b.r = factor * separation;
    const double outer = shrinking_momentum(&b);
    if (!(outer > 0.0 && outer < p_r)) return false;
    p_r = outer;
  }
  return innermost < 0.2 * p_t;
}
