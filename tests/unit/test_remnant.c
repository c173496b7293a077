/* The remnant as the log tells it: the sign of its spin, its momentum and energy. */
#include <math.h>
#include "report/remnant.h"
#include "support/cmocka.h"

/* Two holes about each other: counter-clockwise about z, or clockwise; or at rest. */
static tx_adm_numbers orbit(double momentum) {
  tx_adm_numbers adm = {.n = 2};
  adm.position[0][0] = 3.0;
  adm.position[1][0] = -3.0;
  adm.momentum[0][1] = momentum;
  adm.momentum[1][1] = -momentum;
  return adm;
}

/** Along the orbit's angular momentum it is above 0, against it below; where nothing goes round, of z. A direction of its own is
 *  said. */
static void spins_have_signs(void **state) {
  static const struct {
    double momentum, S[3];
    const char *said;
  } known[] = {
      {0.1, {0.0, 0.0, 0.05}, "0.2000"},
      {0.1, {0.0, 0.0, -0.05}, "-0.2000"},
      {-0.1, {0.0, 0.0, -0.05}, "0.2000"},
      {-0.1, {0.0, 0.0, 0.05}, "-0.2000"},
      {0.0, {0.0, 0.0, -0.05}, "-0.2000"},
      {0.1, {1e-4, 0.0, -0.05}, "-0.2000"},
      {0.1, {0.03, 0.0, -0.04}, "0.2000, vector (0.1200, 0.0000, -0.1600)"},
      {0.1, {0.0, 0.0, 0.0}, "0.0000"},
      {0.1, {0.0, 0.0, -1e-4}, "0.0004"}, /* noise */
  };
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    const tx_adm_numbers adm = orbit(known[k].momentum);
    const double *S = known[k].S, chi = 4.0 * sqrt(S[0] * S[0] + S[1] * S[1] + S[2] * S[2]);
    char text[TX_SPIN_TEXT];
    const double wanted = k == 5 ? 0.2 : chi;
    assert_string_equal(tx_spin_text(&adm, wanted, S, 4, text), known[k].said);
  }
}

static void near(double x, double wanted) {
  if (!(fabs(x - wanted) < 1e-14)) fail_msg("%.15g is not %.15g", x, wanted);
}

/** The kinetic energy of a hole that moves, and x cross P, are its own. */
static void a_hole_that_moves(void **state) {
  tx_adm_numbers adm = {.n = 1, .linear_momentum = {0.5, 0.1, 0.0}};
  tx_horizon h = {.mass = 1.2, .spin = {0.0, 0.0, 0.3}, .centroid = {4.0, 2.0, 0.0}};
  tx_moving_hole hole;
  const double radiated[TX_FLUX_COUNT] = {[TX_FLUX_PY] = 0.1};
  tx_moving_hole_of(&adm, &h, radiated, &hole);
  near(hole.momentum[1], 0.0);
  near(hole.energy, 1.3);
  near(hole.angular_momentum[2], 0.3 - 2.0 * 0.5);
  tx_moving_hole_of(&adm, &h, NULL, &hole);
  near(hole.energy, sqrt(1.44 + 0.26));
  near(hole.angular_momentum[2], 0.3 + 4.0 * 0.1 - 2.0 * 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spins_have_signs),
      cmocka_unit_test(a_hole_that_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
