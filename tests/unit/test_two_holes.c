/* Two holes of initial data as a binary, and where their wave zone begins. */
#include <math.h>
#include "physics/initial_data/binary.h"
#include "physics/initial_data/wave_zone.h"
#include "support/cmocka.h"

#define PI 3.14159265358979323846

/* Return data of masses 0.8 and 0.4, `apart` from each other along x, moving with P along y and P_r along x. */
static tx_adm_numbers data_of(double apart, double P, double P_r) {
  tx_adm_numbers adm = {.n = 2, .energy = 1.2, .mass_adm = {0.8, 0.4}};
  adm.position[0][0] = apart / 3.0;
  adm.position[1][0] = -2.0 * apart / 3.0;
  adm.momentum[0][1] = P;
  adm.momentum[1][1] = -P;
  adm.momentum[0][0] = P_r;
  adm.momentum[1][0] = -P_r;
  adm.spin[0][0] = 0.1;
  adm.spin[1][2] = 0.08;
  return adm;
}

/* Turn x, y, z into y, z, x, and move all holes. */
static void turn(tx_adm_numbers *adm) {
  const tx_adm_numbers was = *adm;
  for (int a = 0; a < 2; a++)
    for (int d = 0; d < 3; d++) {
      const int to = (d + 1) % 3;
      adm->position[a][to] = was.position[a][d] + 3.0;
      adm->momentum[a][to] = was.momentum[a][d];
      adm->spin[a][to] = was.spin[a][d];
    }
}

static void a_binary_is_in_its_own_frame(void **state) {
  tx_adm_numbers adm = data_of(12.0, 0.09, -0.01);
  for (int turns = 0; turns < 3; turns++, turn(&adm)) {
    const tx_binary b = tx_binary_of(&adm);
    const tx_encounter_start *s = &b.start;
    assert_true(fabs(b.mass - 1.2) < 1e-15 && fabs(s->mass_ratio - 2.0) < 1e-15);
    assert_true(fabs(s->separation - 10.0) < 1e-14);
    assert_true(fabs(s->L - 10.0 * 0.09 / 1.2) < 1e-14);
    assert_true(fabs(s->p_r + 0.01 / 1.2) < 1e-15);
    assert_true(fabs(s->chi[0][0] - 0.1 / 0.64) < 1e-14 && fabs(s->chi[1][2] - 0.5) < 1e-14);
    assert_true(fabs(s->chi[0][2]) < 1e-15 && fabs(s->chi[1][0]) < 1e-15);
  }
}

static void momenta_that_are_rounding_are_none(void **state) {
  const tx_adm_numbers adm = data_of(12.0, 1e-12, 1e-12);
  const tx_binary b = tx_binary_of(&adm);
  assert_true(b.start.L == 0.0 && b.start.p_r == 0.0);
}

static void bound_pairs_with_angular_momentum_orbit(void **state) {
  const tx_adm_numbers orbit = data_of(12.0, 0.09, 0.0), head_on = data_of(12.0, 0.0, -0.05);
  const tx_adm_numbers apart = data_of(12.0, 0.3, 0.6);
  tx_adm_numbers single = orbit;
  single.n = 1;
  assert_true(tx_binary_orbits(&orbit));
  assert_false(tx_binary_orbits(&head_on));
  assert_false(tx_binary_orbits(&apart));
  assert_false(tx_binary_orbits(&single));
}

/** Without spin M w = 0.37367 of l = 2 and 0.59944 of l = 3 (gr-qc/0512160, tables II and III). */
static void a_ringdown_has_its_wavelength(void **state) {
  tx_adm_numbers at_rest = data_of(2.0, 0.0, 0.0);
  assert_true(fabs(tx_ringdown_frequency(2, 0.0) - 0.37367) < 1e-4);
  assert_true(fabs(tx_ringdown_frequency(3, 0.0) - 0.59944) < 1e-4);
  assert_true(tx_ringdown_frequency(2, 0.7) > 1.3 * tx_ringdown_frequency(2, 0.0));
  assert_true(fabs(tx_ringdown_wavelength(&at_rest, 2) - 2.0 * PI * 1.2 / 0.37367) < 0.01);
}

static void the_wave_zone_begins_beyond_what_is_largest(void **state) {
  const char *what;
  const tx_adm_numbers near = data_of(2.0, 0.0, 0.0), wide = data_of(30.0, 0.06, 0.0);
  const tx_adm_numbers none = {.n = 0};
  assert_true(tx_wave_zone(&none, false, &what) == 0.0);
  assert_string_equal(what, "");
  assert_true(tx_wave_zone(&near, false, &what) == tx_ringdown_wavelength(&near, 2));
  assert_string_equal(what, "a wavelength of the ringdown");
  assert_true(fabs(tx_wave_zone(&wide, false, &what) - 40.0) < 1e-12);
  assert_string_equal(what, "twice the distance of a puncture");
  assert_true(fabs(tx_wave_zone(&wide, true, &what) - 0.5 * sqrt(27000.0 / 1.2)) < 1e-9);
  assert_string_equal(what, "the near zone of the first orbit, 1/(2 w)");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_binary_is_in_its_own_frame),
      cmocka_unit_test(momenta_that_are_rounding_are_none),
      cmocka_unit_test(bound_pairs_with_angular_momentum_orbit),
      cmocka_unit_test(a_ringdown_has_its_wavelength),
      cmocka_unit_test(the_wave_zone_begins_beyond_what_is_largest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
