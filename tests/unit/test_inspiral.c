/* Holes before they merge, from rows of horizons.asc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include "report/inspiral.h"

#define PATH "test_inspiral.asc"

/* Mass, spin and irreducible mass are straight lines of t but for junk at first and tides at last. */
static double bent(double t, double slope) {
  return 0.5 + slope * t + (t < 10.0 ? 1.0 : 0.0) - (t > 90.0 ? 0.01 * (t - 90.0) : 0.0);
}

/* Hole 1 at t = 0, 1, ... last. */
static void read_until(int last, double merger, tx_inspiral *out) {
  FILE *f = fopen(PATH, "w");
  assert_non_null(f);
  for (int t = 0; t <= last; t++)
    fprintf(f, "%d %d 1 1 %.17g %.17g 0 0 %.17g %.17g\n", t, t, bent(t, 1e-5), bent(t, 2e-5),
            bent(t, 3e-5), bent(t, 4e-5));
  assert_int_equal(fclose(f), 0);
  assert_int_equal(tx_inspiral_read(PATH, 1, &merger, out), TX_OK);
  remove(PATH);
}

static void near(double x, double wanted) {
  if (!(fabs(x - wanted) < 1e-12)) fail_msg("%.15g is not %.15g", x, wanted);
}

/** Neither junk nor tides are in medians, spreads, slopes and the fall. */
static void a_merger_ends_it_early(void **state) {
  (void)state;
  tx_inspiral i;
  read_until(105, 101.0, &i); /* rows from the merger on are no hole's */
  assert_int_equal(i.rows, 81);
  near(i.from, 10.0);
  near(i.to, 90.0);
  near(i.mass.median, bent(50.0, 1e-5));
  near(i.mass.spread, 20e-5);
  near(i.mass.slope, 1e-5);
  near(i.chi.slope, 2e-5);
  near(i.spin[2].slope, 3e-5);
  near(i.mass_irreducible.slope, 4e-5);
  near(i.fall, 0.0);
}

static void without_a_merger_the_end_counts(void **state) {
  (void)state;
  tx_inspiral i;
  read_until(100, -1.0, &i);
  assert_int_equal(i.rows, 91);
  near(i.to, 100.0);
  near(i.fall, bent(90.0, 4e-5) - bent(100.0, 4e-5));
}

/** At least one row is kept. */
static void few_rows(void **state) {
  (void)state;
  static const struct {
    int last;
    double t;
  } known[] = {{0, 0.0}, {1, 1.0}, {2, 1.0}};
  for (int k = 0; k < 3; k++) {
    tx_inspiral i;
    read_until(known[k].last, 50.0, &i);
    assert_int_equal(i.rows, 1);
    near(i.from, known[k].t);
    near(i.to, known[k].t);
    near(i.mass.median, bent(known[k].t, 1e-5));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_merger_ends_it_early),
      cmocka_unit_test(without_a_merger_the_end_counts),
      cmocka_unit_test(few_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
