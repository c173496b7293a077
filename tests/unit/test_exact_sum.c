/* Sums that do not depend on the order. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exact_sum.h"
#include "support/cmocka.h"

static double sum(int n, const double *x) {
  tx_exact_sum s;
  memset(&s, 0, sizeof s);
  for (int i = 0; i < n; i++) tx_exact_sum_add(&s, x[i]);
  return tx_exact_sum_value(&s);
}

static void test_single_values(void **state) {
  const double x[] = {0.0,     1.0,      -1.0,     M_PI,         -M_PI * 1e200, DBL_MAX,
                      DBL_MIN, -DBL_MIN, 4.9e-324, 7 * 4.9e-324, 1e-310,        -DBL_MAX};
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) assert_true(sum(1, &x[i]) == x[i]);
}

static void test_cancellation(void **state) {
  const double x[] = {1e300, 1.0, -1e300, 1e-300, -1.0};
  assert_true(sum(5, x) == 1e-300);
  const double y[] = {1.0, 0x1p-53, 0x1p-53};
  assert_true(sum(3, y) == 1.0 + 0x1p-52);
}

/* The same bits in any order and in any parts, where a plain sum differs. */
static void test_order(void **state) {
  enum { N = 5000 };
  static double x[N];
  srand(7);
  for (int i = 0; i < N; i++) x[i] = ldexp(rand() / (double)RAND_MAX - 0.2, rand() % 80 - 40);
  double exact = sum(N, x), plain = 0.0, reverse = 0.0;
  for (int i = 0; i < N; i++) plain += x[i];
  for (int i = N - 1; i >= 0; i--) reverse += x[i];
  assert_true(plain != reverse);
  assert_true(fabs(exact - plain) < 1e-12 * fabs(exact));
  tx_exact_sum a, b;
  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  for (int i = N - 1; i >= 0; i--) tx_exact_sum_add(i % 3 ? &a : &b, x[i]);
  for (int l = 0; l < TX_EXACT_LIMBS; l++) a.limb[l] += b.limb[l];
  assert_true(tx_exact_sum_value(&a) == exact);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_single_values),
      cmocka_unit_test(test_cancellation),
      cmocka_unit_test(test_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
