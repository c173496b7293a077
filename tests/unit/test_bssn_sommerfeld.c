/* The outer boundary: an outgoing wave u_inf + f(r - v t)/r^n satisfies it up to truncation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics/bssn.h"
#include "support/cmocka.h"

enum { UNTOUCHED = 1000 };

typedef struct fixture {
  double patch[TX_VARS][TX_P3], rhs[TX_VARS][TX_N3];
} fixture;

static int setup(void **state) {
  *state = calloc(1, sizeof(fixture));
  return *state == NULL;
}

static int teardown(void **state) {
  free(*state);
  return 0;
}

/* u = u_inf + sin(r - v t)/r^n at t = 0 and its time derivative. */
static double wave(const tx_variable_info *info, double r) {
  return info->infinity + sin(r) / pow(r, info->falloff);
}

static double wave_dot(const tx_variable_info *info, double r) {
  return -info->speed * cos(r) / pow(r, info->falloff);
}

static double radius(const double x0[3], double h, int i, int j, int k) {
  return sqrt(pow(x0[0] + i * h, 2) + pow(x0[1] + j * h, 2) + pow(x0[2] + k * h, 2));
}

/* Of the points that are evolved, which the plane on a lower outer face is not. */
static int is_outermost(unsigned faces, const int at[3]) {
  int outermost = 0;
  for (int n = 0; n < 6; n++) {
    if (!(faces >> n & 1)) continue;
    if (n % 2 == 0 && at[n / 2] == 0) return 0;
    outermost |= at[n / 2] == (n % 2 ? TX_N - 1 : 1);
  }
  return outermost;
}

/* Largest error of the condition; ghosts across outer faces are poisoned, so nothing may read them.
 * */
static double error(fixture *f, double h, unsigned faces) {
  double x0[3], worst = 0.0;
  const double middle[3] = {9.0, -7.0, 8.0};
  for (int d = 0; d < 3; d++) x0[d] = middle[d] - h * (TX_N / 2);
  for (int v = 0; v < TX_VARS; v++)
    for (int k = -TX_K; k < TX_N + TX_K; k++)
      for (int j = -TX_K; j < TX_N + TX_K; j++)
        for (int i = -TX_K; i < TX_N + TX_K; i++) {
          const int at[3] = {i, j, k};
          int outside = 0;
          for (int n = 0; n < 6; n++)
            if (faces >> n & 1) outside |= n % 2 ? at[n / 2] >= TX_N : at[n / 2] < 0;
          f->patch[v][TX_PATCH_AT(i, j, k)] =
              outside ? NAN : wave(&tx_bssn.variable[v], radius(x0, h, i, j, k));
        }
  for (int v = 0; v < TX_VARS; v++)
    for (int n = 0; n < TX_N3; n++) f->rhs[v][n] = UNTOUCHED;
  const tx_octant_place place = {h, {x0[0], x0[1], x0[2]}, faces, 0};
  tx_system_sommerfeld(&tx_bssn, &place, f->patch[0], f->rhs[0]);
  for (int v = 0; v < TX_VARS; v++)
    for (int k = 0; k < TX_N; k++)
      for (int j = 0; j < TX_N; j++)
        for (int i = 0; i < TX_N; i++) {
          const int at[3] = {i, j, k};
          const double rhs = f->rhs[v][TX_AT(i, j, k)];
          if (!is_outermost(faces, at)) {
            assert_true(rhs == UNTOUCHED);
            continue;
          }
          const double e = fabs(rhs - wave_dot(&tx_bssn.variable[v], radius(x0, h, i, j, k)));
          assert_true(isfinite(e));
          worst = fmax(worst, e);
        }
  return worst;
}

static void outgoing_waves_leave(void **state) {
  static const unsigned faces[] = {1, 2, 4, 8, 16, 32, 2 | 8, 1 | 8 | 16, 63};
  for (size_t n = 0; n < sizeof faces / sizeof *faces; n++) {
    const double coarse = error(*state, 0.1, faces[n]), fine = error(*state, 0.05, faces[n]);
    const double order = log2(coarse / fine);
    assert_true(coarse < 2e-5);
    assert_true(order > 3.6 && order < 4.6);
  }
}

static void without_outer_faces_nothing_happens(void **state) {
  error(*state, 0.1, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(outgoing_waves_leave, setup, teardown),
      cmocka_unit_test_setup_teardown(without_outer_faces_nothing_happens, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
