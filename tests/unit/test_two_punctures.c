/* Two punctures: the numbers of the reference, the equation itself, frames, symmetries, refusals. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "physics/bssn.h"
#include "physics/initial_data/puncture_point.h"
#include "physics/initial_data/two_punctures.h"
#include "support/cmocka.h"

/* Evaluate the data with u of the series, and w = 1. */
static void evaluate(const tx_bowen_york *b, const double *x, double *u) {
  tx_bowen_york_point_of(b, x, tx_spectral_point(&b->u, x), 1.0, u);
}

static void close_to(const char *what, double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%s = %.12g is not %.12g within %g", what, value, expected, tolerance);
}

/* Equal punctures at x = +-b with opposite momenta (0, P, 0). */
static tx_two_punctures_spec equal_pair(double b, double mass, double P, int n) {
  return (tx_two_punctures_spec){.n = 2,
                                 .mass = {mass, mass},
                                 .position = {{b, 0.0, 0.0}, {-b, 0.0, 0.0}},
                                 .momentum = {{0.0, P, 0.0}, {0.0, -P, 0.0}},
                                 .resolution = n,
                                 .tolerance = 1e-9};
}

/* All there is: unequal masses, momenta and spins in no plane. */
static tx_two_punctures_spec generic_pair(int n) {
  return (tx_two_punctures_spec){.n = 2,
                                 .mass = {0.6, 0.35},
                                 .position = {{2.0, 0.5, -0.4}, {-3.0, 0.1, 0.7}},
                                 .momentum = {{0.02, 0.1, -0.03}, {-0.01, -0.1, 0.05}},
                                 .spin = {{0.1, -0.05, 0.12}, {0.03, 0.06, -0.02}},
                                 .resolution = n,
                                 .tolerance = 1e-9};
}

static tx_two_punctures solved(tx_two_punctures_spec spec) {
  tx_two_punctures data;
  if (tx_two_punctures_solve(&spec, &data) != TX_OK) fail_msg("%s", tx_error_text());
  return data;
}

static double random_in(double low, double high) {
  return low + (high - low) * rand() / RAND_MAX;
}

/* gr-qc/0602026's R1, with the values of an independent solver at the same resolution. */
static void r1_is_that_of_others(void **state) {
  const clock_t start = clock();
  tx_two_punctures data = solved(equal_pair(3.257, 0.483, 0.133, 32));
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  print_message("R1 at n = 32: %.3f s\n", seconds);
  assert_true(seconds < 30.0);
  close_to("E", data.energy, 0.995703307, 1e-9);
  close_to("M_1", data.mass_adm[0], 0.505084524, 1e-9);
  close_to("M_2", data.mass_adm[1], 0.505084524, 1e-9);
  close_to("J_z", data.angular_momentum[2], 0.866362, 1e-12);
  close_to("P_y", data.momentum[1], 0.0, 1e-15);
  const struct {
    double x[3], u;
  } at[] = {{{0, 0, 0}, .00420883},  {{0, 0, 2}, .003647678},  {{0, 3, 0}, .003274229},
            {{5, 0, 0}, .004207573}, {{0, 0, 10}, .001394978}, {{10, 10, 10}, .000855975},
            {{40, 0, 0}, .000373585}};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++)
    close_to("u", tx_spectral_point(&data.data.u, at[i].x), at[i].u, i == 0 ? 6e-9 : 1e-9);
  assert_true(data.residual < 1e-9 && data.resolution == 32);
  assert_in_range(data.newton_steps, 4, 6); /* it converges quadratically */
  assert_true(data.error > 2e-7 && data.error < 2e-5);
  tx_two_punctures_free(&data);
}

static void other_pairs_are_those_of_others(void **state) {
  const struct {
    double b, mass, P;
    int n;
    double M, E, J;
  } row[] = {{3.0, .47656, .13808, 24, .500001547, .984618014, .828480},
             {3.0, .47656, .13808, 32, .500001690, .984618023, .828480},
             {4.0, .4824, .114, 24, .500098424, .988444323, .912},
             {4.0, .4824, .114, 32, .500098454, .988444319, .912}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    tx_two_punctures data = solved(equal_pair(row[i].b, row[i].mass, row[i].P, row[i].n));
    close_to("M", data.mass_adm[0], row[i].M, 1e-9);
    close_to("E", data.energy, row[i].E, 1e-9);
    close_to("J_z", data.angular_momentum[2], row[i].J, 1e-12);
    tx_two_punctures_free(&data);
  }
}

static void bare_masses_follow_from_adm_masses(void **state) {
  tx_two_punctures_spec spec = equal_pair(5.0, 0.5, .0962578089, 28);
  spec.adm_masses = 1;
  spec.momentum[0][0] = -.00100787185;
  spec.momentum[1][0] = +.00100787185;
  tx_two_punctures data = solved(spec);
  for (int a = 0; a < 2; a++) {
    close_to("bare mass", data.data.mass[a], .4859161, 1e-7);
    close_to("ADM mass", data.mass_adm[a], 0.5, 1e-11);
  }
  close_to("E", data.energy, .98974994, 1e-8);
  close_to("J_z", data.angular_momentum[2], .962578, 1e-6);
  tx_two_punctures_free(&data);

  spec = generic_pair(24);
  spec.adm_masses = 1;
  data = solved(spec);
  close_to("ADM mass 1", data.mass_adm[0], 0.6, 1e-11);
  close_to("ADM mass 2", data.mass_adm[1], 0.35, 1e-11);
  tx_two_punctures again;
  spec.adm_masses = 0;
  memcpy(spec.mass, data.data.mass, sizeof spec.mass);
  again = solved(spec);
  close_to("E of these bare masses", again.energy, data.energy, 1e-11);
  tx_two_punctures_free(&data);
  tx_two_punctures_free(&again);
}

/* Spins of 0.9, q = 3: at few points u is not resolved, and the lighter hole's mass falls and rises with its bare mass. */
static void fast_spins_take_few_steps(void **state) {
  tx_two_punctures_spec spec = equal_pair(5.0, 0.5, 0.072, 32);
  const double mass[2] = {0.75, 0.25};
  spec.adm_masses = 1;
  for (int a = 0; a < 2; a++) {
    spec.mass[a] = mass[a];
    spec.position[a][0] = (a == 0 ? 10.0 : -10.0) * mass[1 - a];
    spec.spin[a][2] = 0.9 * mass[a] * mass[a];
  }
  tx_two_punctures data = solved(spec);
  for (int a = 0; a < 2; a++) close_to("ADM mass", data.mass_adm[a], mass[a], 1e-11);
  if (data.mass_steps > 16) fail_msg("%d steps, %d of Newton", data.mass_steps, data.newton_steps);
  tx_two_punctures_free(&data);
}

/* Eighth-order differences; the larger terms last. */
static double laplacian(const tx_spectral *u, const double *x, double h) {
  const double weight[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  double sum = 3.0 * weight[0] * tx_spectral_point(u, x);
  for (int d = 0; d < 3; d++)
    for (int k = 4; k >= 1; k--) {
      double plus[3] = {x[0], x[1], x[2]}, minus[3] = {x[0], x[1], x[2]};
      plus[d] += k * h;
      minus[d] -= k * h;
      sum += weight[k] * (tx_spectral_point(u, plus) + tx_spectral_point(u, minus));
    }
  return sum / (h * h);
}

/* Bowen and York's curvature as in the textbooks, index by index. */
static double source(const tx_bowen_york *b, const double *x) {
  double A[3][3] = {{0.0}}, psi = 1.0 + tx_spectral_point(&b->u, x), square = 0.0;
  for (int a = 0; a < b->n; a++) {
    double n[3], Sn[3], r = 0.0, Pn = 0.0;
    const double *P = b->momentum[a], *S = b->spin[a];
    for (int i = 0; i < 3; i++) n[i] = x[i] - b->position[a][i];
    r = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int i = 0; i < 3; i++) n[i] /= r;
    for (int i = 0; i < 3; i++) Pn += P[i] * n[i];
    Sn[0] = S[1] * n[2] - S[2] * n[1];
    Sn[1] = S[2] * n[0] - S[0] * n[2];
    Sn[2] = S[0] * n[1] - S[1] * n[0];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        A[i][j] += 1.5 / (r * r) * (P[i] * n[j] + P[j] * n[i] - ((i == j) - n[i] * n[j]) * Pn) +
                   3.0 / (r * r * r) * (Sn[i] * n[j] + Sn[j] * n[i]);
    psi += b->mass[a] / (2.0 * r);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) square += A[i][j] * A[i][j];
  return 0.125 * square * pow(psi, -7.0);
}

/* The Laplacian of u is minus the source, between the points of the grid too: near, far, on the axis. */
static void u_solves_the_equation(void **state) {
  tx_two_punctures data = solved(generic_pair(48));
  const tx_bowen_york *b = &data.data;
  double largest = 0.0, worst = 0.0;
  srand(1);
  for (int i = 0; i < 600; i++) {
    const double reach = pow(10.0, random_in(-0.7, 1.5));
    double x[3], r = 0.0;
    for (int d = 0; d < 3; d++) {
      x[d] = random_in(-1.0, 1.0) * (i % 6 == 0 ? 1e-3 : 1.0);
      if (i % 6 == 0) x[d] += b->u.axis[0][d];
      r += x[d] * x[d];
    }
    for (int d = 0; d < 3; d++) x[d] = x[d] / sqrt(r) * reach + b->position[i % 2][d];
    const double s = source(b, x), other = 5.0 - reach, near = fmin(reach, fmax(fabs(other), 0.2));
    largest = fmax(largest, s);
    worst = fmax(worst, fabs(laplacian(&b->u, x, 0.03 * near) + s));
  }
  print_message("largest source %.3g, largest residual %.2g of it\n", largest, worst / largest);
  assert_true(largest > 0.01 && worst < 2e-5 * largest);
  tx_two_punctures_free(&data);
}

/* Exact from rotation by the angles of 3:4:5 about z, then about x, and a shift. */
static void turn(double *x) {
  const double a[3] = {0.6 * x[0] - 0.8 * x[1], 0.8 * x[0] + 0.6 * x[1], x[2]};
  x[0] = a[0];
  x[1] = 0.28 * a[1] - 0.96 * a[2];
  x[2] = 0.96 * a[1] + 0.28 * a[2];
}

static void shift(double *x) {
  const double by[3] = {1.5, -2.0, 0.75};
  for (int i = 0; i < 3; i++) x[i] += by[i];
}

static void a_turned_and_shifted_pair_is_the_same(void **state) {
  tx_two_punctures_spec spec = generic_pair(32);
  tx_two_punctures data = solved(spec);
  for (int a = 0; a < 2; a++) {
    turn(spec.position[a]);
    shift(spec.position[a]);
    turn(spec.momentum[a]);
    turn(spec.spin[a]);
  }
  tx_two_punctures moved = solved(spec);
  /* The angle phi starts elsewhere: equal within the errors of the Fourier series, not to round-off. */
  close_to("E", moved.energy, data.energy, 1e-11);
  for (int a = 0; a < 2; a++) close_to("M", moved.mass_adm[a], data.mass_adm[a], 1e-11);
  srand(2);
  for (int i = 0; i < 50; i++) {
    double x[3], y[3];
    for (int d = 0; d < 3; d++) x[d] = y[d] = random_in(-6.0, 6.0);
    turn(y);
    shift(y);
    close_to("u", tx_spectral_point(&moved.data.u, y), tx_spectral_point(&data.data.u, x), 1e-10);
  }
  tx_two_punctures_free(&data);
  tx_two_punctures_free(&moved);
}

static void momenta_are_the_sums(void **state) {
  tx_two_punctures data = solved(generic_pair(8));
  const double P[3] = {0.01, 0.0, 0.02};
  const double orbital[3] = {0.1, 0.195, 0.491}, spin[3] = {0.13, 0.01, 0.1};
  for (int i = 0; i < 3; i++) {
    close_to("P", data.momentum[i], P[i], 1e-15);
    close_to("J", data.angular_momentum[i], orbital[i] + spin[i], 1e-14);
  }
  tx_two_punctures_free(&data);
}

/* Which puncture is called the first does not matter, and neither does a shift alone. */
static void names_of_punctures_do_not_matter(void **state) {
  tx_two_punctures_spec spec = generic_pair(24), other = spec;
  for (int a = 0; a < 2; a++) {
    other.mass[a] = spec.mass[1 - a];
    memcpy(other.position[a], spec.position[1 - a], sizeof other.position[a]);
    memcpy(other.momentum[a], spec.momentum[1 - a], sizeof other.momentum[a]);
    memcpy(other.spin[a], spec.spin[1 - a], sizeof other.spin[a]);
    shift(other.position[a]);
  }
  tx_two_punctures data = solved(spec), swapped = solved(other);
  close_to("E", swapped.energy, data.energy, 1e-12);
  close_to("M", swapped.mass_adm[1], data.mass_adm[0], 1e-12);
  for (int i = 0; i < 20; i++) {
    double x[3] = {0.7 * i - 5.0, 0.3 * i - 2.0, 1.0 - 0.2 * i}, y[3] = {x[0], x[1], x[2]};
    shift(y);
    close_to("u", tx_spectral_point(&swapped.data.u, y), tx_spectral_point(&data.data.u, x), 1e-12);
  }
  tx_two_punctures_free(&data);
  tx_two_punctures_free(&swapped);
}

/* Orbit in the plane z = 0, spins along z: all that is odd in z is exactly 0 there, the rest even to the
 * last bit. */
static void a_symmetric_pair_is_so_to_the_last_bit(void **state) {
  tx_two_punctures_spec spec = equal_pair(3.0, 0.45, 0.12, 24);
  spec.position[0][1] = 0.7;
  spec.momentum[0][0] = -0.01;
  spec.spin[0][2] = 0.1;
  spec.spin[1][2] = -0.05;
  tx_two_punctures data = solved(spec);
  srand(3);
  for (int i = 0; i < 200; i++) {
    double x[3] = {random_in(-8.0, 8.0), random_in(-8.0, 8.0), i % 2 ? random_in(0.0, 5.0) : 0.0};
    double u[TX_VARS], w[TX_VARS];
    evaluate(&data.data, x, u);
    x[2] = -x[2];
    evaluate(&data.data, x, w);
    for (int v = 0; v < TX_VARS; v++) {
      assert_true(u[v] == tx_bssn.variable[v].parity[2] * w[v]);
      if (i % 2 == 0 && tx_bssn.variable[v].parity[2] < 0) assert_true(u[v] == 0.0);
    }
    assert_true(u[TX_VAR_AT01] != 0.0 && u[TX_VAR_ALPHA] < 1.0);
  }
  tx_two_punctures_free(&data);
}

static void special_points_are_safe(void **state) {
  tx_two_punctures data = solved(generic_pair(24));
  const tx_bowen_york *b = &data.data;
  for (int a = 0; a < 2; a++) {
    double u[TX_VARS];
    evaluate(b, b->position[a], u);
    assert_true(u[TX_VAR_CHI] == 0.0 && u[TX_VAR_ALPHA] >= 0.0 && u[TX_VAR_ALPHA] < 1e-100);
    for (int ij = 0; ij < 6; ij++) assert_true(u[TX_VAR_AT00 + ij] == 0.0);
    double ua = tx_spectral_point(&b->u, b->position[a]);
    close_to("u from the ADM mass",
             data.mass_adm[a] / b->mass[a] - 1.0 - b->mass[1 - a] / (4.0 * b->u.half_distance), ua,
             1e-5 * ua);
  }
  /* On the axis, between the punctures and beyond, and beside it. */
  for (int i = -10; i <= 10; i++) {
    double on[3], beside[3];
    for (int d = 0; d < 3; d++) {
      on[d] = b->u.centre[d] + 0.37 * i * b->u.axis[0][d];
      beside[d] = on[d] + 1e-9 * b->u.axis[1][d];
    }
    const double u = tx_spectral_point(&b->u, on);
    close_to("u beside the axis", tx_spectral_point(&b->u, beside), u, 1e-4 * u);
  }
  /* Far away u falls like 1/r. */
  const double monopole = 0.5 * (data.energy - b->mass[0] - b->mass[1]);
  for (double r = 1e3; r <= 1e15; r *= 10.0) {
    const double x[3] = {0.6 * r, -0.64 * r, 0.48 * r};
    close_to("r u", r * tx_spectral_point(&b->u, x) / monopole, 1.0, 1e-3 + 10.0 / r);
  }
  double u[TX_VARS];
  evaluate(b, (const double[3]){1e6, 1e6, 0.0}, u);
  close_to("chi", u[TX_VAR_CHI], pow(1.0 + 0.5 * data.energy / (M_SQRT2 * 1e6), -4.0), 1e-11);
  data.data.lapse = TX_LAPSE_ONE;
  evaluate(b, b->position[0], u);
  assert_true(u[TX_VAR_ALPHA] == 1.0);
  tx_two_punctures_free(&data);
}

/* Without momenta and spins u = 0: Brill and Lindquist's data, to the last bit. */
static void punctures_at_rest_are_exact(void **state) {
  tx_two_punctures_spec spec = equal_pair(2.0, 0.4, 0.0, 0);
  spec.mass[1] = 0.7;
  tx_two_punctures data = solved(spec);
  close_to("E", data.energy, 1.1, 1e-15);
  close_to("M_1", data.mass_adm[0], 0.4 * (1.0 + 0.7 / 8.0), 1e-15);
  tx_punctures plain = {.n = 2, .mass = {0.4, 0.7}, .position = {{2.0}, {-2.0}}};
  for (int i = 0; i < 50; i++) {
    double x[3] = {0.17 * i - 1.9, 0.1 * (i % 7), 0.2 * (i % 5)}, u[TX_VARS], w[TX_VARS];
    evaluate(&data.data, x, u);
    tx_punctures_point(&plain, x, w);
    assert_memory_equal(u, w, sizeof u);
  }
  tx_two_punctures_free(&data);

  spec.adm_masses = 1;
  data = solved(spec);
  for (int a = 0; a < 2; a++) {
    const double m = data.data.mass[a], other = data.data.mass[1 - a];
    close_to("ADM mass", m * (1.0 + other / 8.0), spec.mass[a], 1e-12);
  }
  tx_two_punctures_free(&data);

  spec.n = 1;
  data = solved(spec);
  assert_true(data.energy == 0.4 && data.data.mass[0] == 0.4 && data.n_coefficients == 0);
  tx_two_punctures_free(&data);
}

/* E - m, for a puncture of mass m with momentum or spin `size` in a direction along no axis. */
static double excess(double m, double size, int spin) {
  tx_two_punctures_spec spec = {.n = 1, .mass = {m}, .resolution = 32, .tolerance = 1e-9};
  spec.position[0][1] = 1.0;
  double *vector = spin ? spec.spin[0] : spec.momentum[0];
  vector[0] = 0.48 * size;
  vector[1] = -0.6 * size;
  vector[2] = 0.64 * size;
  tx_two_punctures data = solved(spec);
  const double energy = data.energy;
  tx_two_punctures_free(&data);
  return energy - m;
}

/* E = m + 5 P^2/(8 m) + O(P^4) = m + 2 J^2/(5 m^3) + O(J^4). */
static void one_puncture_has_the_energy_of_perturbation_theory(void **state) {
  const double m = 1.3;
  for (int spin = 0; spin < 2; spin++) {
    const double second = spin ? 2.0 / (5.0 * m * m * m) : 5.0 / (8.0 * m);
    double rest[2];
    for (int k = 0; k < 2; k++) {
      const double size = (spin ? 0.1 : 0.08) / (k + 1);
      rest[k] = excess(m, size, spin) - second * size * size;
      assert_true(fabs(rest[k]) < 0.1 * second * size * size);
    }
    print_message("%s: halving it, what is left falls by %.2f\n", spin ? "spin" : "momentum",
                  rest[0] / rest[1]);
    close_to("ratio", rest[0] / rest[1], 16.0, 0.8);
  }
}

/* Momentum and angular momentum as integrals over a sphere of any radius fix sign and size of both terms:
 *     8 pi P_i = \oint A_ij n_j dS, 8 pi J_i = \oint A_jk (e_i \times x)_j n_k dS. */
static void curvature_holds_momentum_and_spin(void **state) {
  const double P[3] = {0.3, -0.2, 0.5}, S[3] = {-0.4, 0.1, 0.7}, R = 2.5, root = sqrt(0.6);
  const double z[3] = {-root, 0.0, root}, weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  double P_sum[3] = {0.0}, J_sum[3] = {0.0}, trace = 0.0;
  for (int t = 0; t < 3; t++)
    for (int k = 0; k < 8; k++) {
      const double phi = 2.0 * M_PI * k / 8, s = sqrt(1.0 - z[t] * z[t]);
      const double n[3] = {s * cos(phi), s * sin(phi), z[t]}, dS = R * R * weight[t] * M_PI / 4;
      const double x[3] = {R * n[0], R * n[1], R * n[2]};
      double A[6] = {0.0}, An[3] = {0.0};
      tx_bowen_york_add(P, S, x, R, A);
      trace = fmax(trace, fabs(A[0] + A[3] + A[5]));
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) An[i] += A[tx_symmetric_at(i, j)] * n[j];
      for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        P_sum[i] += An[i] * dS / (8.0 * M_PI);
        J_sum[i] += (x[j] * An[l] - x[l] * An[j]) * dS / (8.0 * M_PI);
      }
    }
  assert_true(trace < 1e-15);
  for (int i = 0; i < 3; i++) {
    close_to("P", P_sum[i], P[i], 1e-14);
    close_to("J", J_sum[i], S[i], 1e-14);
  }
}

static void tolerance_sets_the_resolution(void **state) {
  tx_two_punctures_spec spec = equal_pair(3.0, .47656, .13808, 0);
  spec.tolerance = 1e-6;
  tx_two_punctures rough = solved(spec);
  spec.resolution = 64;
  tx_two_punctures fine = solved(spec);
  assert_true(rough.resolution < 56 && rough.error <= 1e-6 && fine.error < 1e-10);
  double worst = 0.0, largest = 0.0;
  for (int i = 0; i < 400; i++) {
    const double x[3] = {0.1 * (i % 100), 0.3 * (i / 100), 0.05 * (i % 7)};
    const double u = tx_spectral_point(&fine.data.u, x);
    largest = fmax(largest, u);
    worst = fmax(worst, fabs(tx_spectral_point(&rough.data.u, x) - u));
  }
  assert_true(worst < rough.error * largest && worst > 1e-3 * rough.error * largest);
  tx_two_punctures_free(&rough);
  tx_two_punctures_free(&fine);
}

static void threads_do_not_change_a_bit(void **state) {
  const int before = omp_get_max_threads();
  tx_two_punctures data[2];
  for (int k = 0; k < 2; k++) {
    omp_set_num_threads(1 + 2 * k);
    data[k] = solved(equal_pair(3.0, 0.47, 0.13, 48));
  }
  omp_set_num_threads(before);
  assert_true(data[0].n_coefficients == data[1].n_coefficients);
  assert_memory_equal(data[0].coefficients, data[1].coefficients,
                      data[0].n_coefficients * sizeof(double));
  assert_true(data[0].energy == data[1].energy);
  for (int k = 0; k < 2; k++) tx_two_punctures_free(&data[k]);
}

static void refused(tx_two_punctures_spec spec, tx_status status, const char *says) {
  tx_two_punctures data;
  tx_error_clear();
  assert_int_equal(tx_two_punctures_solve(&spec, &data), status);
  if (!strstr(tx_error_text(), says)) fail_msg("\"%s\" does not say \"%s\"", tx_error_text(), says);
  assert_null(data.coefficients);
  tx_error_clear();
}

static void nonsense_is_refused(void **state) {
  const tx_two_punctures_spec good = equal_pair(3.0, 0.5, 0.1, 16);
  tx_two_punctures_spec bad = good;
  bad.n = 3;
  refused(bad, TX_ERR_PARAM, "3 punctures");
  bad = good, bad.mass[1] = 0.0;
  refused(bad, TX_ERR_PARAM, "puncture 2");
  bad = good, bad.mass[0] = NAN;
  refused(bad, TX_ERR_PARAM, "puncture 1");
  bad = good, bad.spin[1][2] = INFINITY;
  refused(bad, TX_ERR_PARAM, "puncture 2");
  bad = good, bad.position[0][0] = -3.0;
  refused(bad, TX_ERR_PARAM, "move them apart");
  bad = good, bad.resolution = 17;
  refused(bad, TX_ERR_PARAM, "resolution 17");
  bad = good, bad.resolution = 130;
  refused(bad, TX_ERR_PARAM, "resolution 130");
  bad = good, bad.tolerance = 0.0;
  refused(bad, TX_ERR_PARAM, "tolerance");
}

/* A puncture whose spin is more than its ADM mass can hold, and too little memory at every stage. */
static void the_impossible_is_reported(void **state) {
  tx_two_punctures_spec spec = {.n = 1, .mass = {1.0}, .adm_masses = 1, .resolution = 16};
  spec.tolerance = 1e-9;
  spec.spin[0][2] = 1.5;
  refused(spec, TX_ERR_NUMERICS, "ADM masses");
  const size_t blocks = tx_memory_blocks();
  for (size_t limit = 1 << 14; limit <= 1 << 20; limit *= 2) {
    tx_memory_limit(tx_memory_in_use() + limit);
    spec = equal_pair(3.0, 0.5, 0.1, 24);
    refused(spec, TX_ERR_MEMORY, "no memory");
    assert_int_equal(tx_memory_blocks(), blocks);
  }
  tx_memory_limit(0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(r1_is_that_of_others),
      cmocka_unit_test(other_pairs_are_those_of_others),
      cmocka_unit_test(bare_masses_follow_from_adm_masses),
      cmocka_unit_test(fast_spins_take_few_steps),
      cmocka_unit_test(u_solves_the_equation),
      cmocka_unit_test(a_turned_and_shifted_pair_is_the_same),
      cmocka_unit_test(momenta_are_the_sums),
      cmocka_unit_test(names_of_punctures_do_not_matter),
      cmocka_unit_test(a_symmetric_pair_is_so_to_the_last_bit),
      cmocka_unit_test(special_points_are_safe),
      cmocka_unit_test(punctures_at_rest_are_exact),
      cmocka_unit_test(one_puncture_has_the_energy_of_perturbation_theory),
      cmocka_unit_test(curvature_holds_momentum_and_spin),
      cmocka_unit_test(tolerance_sets_the_resolution),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(the_impossible_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
