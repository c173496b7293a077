/* The limits of the time step and of what is multiplied by it. */
#include "evolve/demands.h"
#include "evolve/stability.h"
#define DEMANDS tx_evolve_demands
#include "params_given.h"

#include <complex.h>
#include <math.h>
#include "base/base.h"
#include "base/grid.h"
#include "base/memory.h"

static int start(void **state) {
  tx_error_clear();
  return 0;
}

static int stop(void **state) {
  return tx_memory_blocks() != 0;
}

/* The largest cfl that is accepted, found from outside. */
static double accepted_cfl(const char *sets) {
  double low = 0.01, high = 1.9;
  for (int n = 0; n < 30; n++) {
    char text[256];
    tx_params p;
    double middle = 0.5 * (low + high);
    snprintf(text, sizeof text, "%s; gauge.eta=0; evolution.cfl=%.17g", sets, middle);
    tx_error_clear();
    if (read_set(text, &p) == TX_OK)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The largest symbol of minus a second derivative, times h^2, of the usual scheme: of order 6 or 8. */
#define LARGEST_K2 (TX_K == 3 ? 272.0 / 45.0 : 2048.0 / 315.0)

static void time_steps_beyond_the_limit_are_refused(void **state) {
  double imaginary = 2.0 * sqrt(2.0), k2 = LARGEST_K2; /* limits of RK4 and of the stencil */
  double lapse = imaginary / sqrt(2.0 * 3.0 * k2), harmonic = imaginary / sqrt(3.0 * k2);
  assert_true(fabs(accepted_cfl("evolution.dissipation=0") - lapse) < 1e-4);
  assert_true(fabs(accepted_cfl("evolution.dissipation=0; gauge.slicing=harmonic") - harmonic) <
              1e-4);
  /* (3/4) f (3 k2 + k2/3) exceeds the lapse's 6 k2. */
  double shift = imaginary / sqrt(0.75 * 10.0 * (3.0 + 1.0 / 3.0) * k2);
  assert_true(fabs(accepted_cfl("evolution.dissipation=0; gauge.lambda_f0=10") - shift) < 1e-4);
  /* Dissipation: at the corner z = C (-3 sigma +- i omega) must stay in the region of stability. */
  double usual = accepted_cfl("evolution.dissipation=0.4");
  double strong = accepted_cfl("evolution.dissipation=2");
  assert_true(usual > 0.4 && usual < 0.5);
  assert_true(strong > 0.25 && strong < 2.785 / 6.0);
  tx_params p;
  assert_says("cfl", read_set("gauge.eta=0; evolution.cfl=0.6", &p), "stable up to 0.4");
}

static void other_octants_are_refused(void **state) {
  tx_params p;
  char text[64];
  const int other = TX_N == 12 ? 10 : 12;
  snprintf(text, sizeof text, "grid.octant_points=%d", TX_N);
  assert_int_equal(read_set(text, &p), TX_OK);
  assert_says("octant_points", read_set("grid.octant_points=9", &p),
              "with 8, 10, 12 and 16 points");
  tx_error_clear();
  snprintf(text, sizeof text, "grid.octant_points=%d", other);
  assert_says("octant_points", read_set(text, &p), other == 12 ? "run tendex12" : "run tendex10");
}

/* Limits of one order and of another in turn, with the same dissipation. */
static void limits_are_those_of_the_scheme(void **state) {
  double limit[4];
  tx_params p;
  tx_params_default(&p);
  p.evolution_dissipation = 1.0;
  for (int n = 0; n < 4; n++) {
    p.evolution_order = n % 2 == 0 ? 6 : 4;
    limit[n] = tx_cfl_limit(&p);
  }
  assert_true(limit[0] < limit[1] && limit[2] == limit[0] && limit[3] == limit[1]);
}

/* Without dissipation the corner decides, where k1 = 0: Theta has omega^2 = 4 D/3 = 4 k2, which the lapse's 6 k2 of 1+log
 * exceed, but not harmonic slicing's 3 k2. With dissipation, at order 6: numbers of an independent scan of the eigenvalues of all linearised
 * equations over all directions (numpy). */
static void time_steps_of_z4c_have_limits_of_their_own(void **state) {
#define Z4C "evolution.system=z4c; evolution.dissipation="
  const double imaginary = 2.0 * sqrt(2.0), k2 = LARGEST_K2;
  assert_true(fabs(accepted_cfl(Z4C "0") - imaginary / sqrt(6.0 * k2)) < 1e-4);
  assert_true(fabs(accepted_cfl(Z4C "0; gauge.slicing=harmonic") - imaginary / sqrt(4.0 * k2)) <
              1e-4);
  static const struct {
    const char *sets;
    double limit;
  } scanned[] = {
      {Z4C "0.4; gauge.slicing=harmonic", 0.5749},
      {Z4C "1; gauge.slicing=harmonic", 0.4544},
      {Z4C "0.4", 0.4793},
      {Z4C "1; gauge.lambda_f0=2.5", 0.3890},
  };
  for (size_t n = 0; TX_K == 3 && n < sizeof scanned / sizeof scanned[0]; n++) {
    const double limit = accepted_cfl(scanned[n].sets);
    if (!(fabs(limit - scanned[n].limit) < 1e-3))
      fail_msg("%s: up to %.4f, not %.4f", scanned[n].sets, limit, scanned[n].limit);
  }
}

/* CAHD: at the corner chi decays at (3 sigma + 8 C cfl 3 k2)/h, which RK4 stands up to 2.785293563405/dt. */
static void the_damping_of_the_hamiltonian_constraint_is_limited(void **state) {
  const double k2 = LARGEST_K2;
  tx_params p;
#define CAHD "evolution.dissipation=0.4; evolution.hamiltonian_damping="
  const double a = 24.0 * 0.15 * k2, b = 1.2;
  const double limit = (sqrt(b * b + 4.0 * a * 2.785293563405) - b) / (2.0 * a);
  assert_true(fabs(accepted_cfl(CAHD "0.15") - limit) < 1e-4);
  assert_int_equal(read_set(CAHD "0.06; evolution.cfl=0.45; gauge.eta=0", &p), TX_OK);
  assert_says("cfl", read_set(CAHD "0.15; evolution.cfl=0.45; gauge.eta=0", &p),
              TX_K == 3 ? "stable up to 0.331; give less, or lower evolution.hamiltonian_damping"
                        : "stable up to 0.320; give less, or lower evolution.hamiltonian_damping");
  tx_error_clear();
  assert_says(
      "z4c", read_set("evolution.system=z4c; evolution.hamiltonian_damping=0.1", &p),
      "it is used only if evolution.system is bssn, and evolution.system is z4c; remove it");
#undef CAHD
}

/* Z^i decays at 2 kappa1, Theta at kappa1 (2 + kappa2). */
static void the_damping_of_constraints_is_limited(void **state) {
  tx_params p;
  char text[256];
  const double dt = 0.25 * 32.0 / TX_N;
  for (int n = 0; n < 2; n++) {
    const double rate = n ? 3.0 : 2.0;
    for (int over = 0; over < 2; over++) {
      snprintf(text, sizeof text, Z4C "0; evolution.kappa2=%d; evolution.kappa1=%.17g", n ? 1 : 0,
               (over ? 2.71 : 2.69) / (rate * dt));
      tx_error_clear();
      if (over)
        assert_says(text, read_set(text, &p), "unstable with the time step");
      else if (read_set(text, &p) != TX_OK)
        fail_msg("%s: %s", text, tx_error_text());
    }
  }
  snprintf(text, sizeof text, Z4C "0; evolution.kappa2=-0.9; evolution.kappa1=%.17g",
           2.71 / (2.0 * dt));
  tx_error_clear();
  assert_says(text, read_set(text, &p), "give at most");
  /* f away from 1, where the shift's divergence has the speed of Theta and Z^i. */
  tx_error_clear();
  assert_int_equal(read_set(Z4C "0", &p), TX_OK);
  assert_true(p.gauge_lambda_f0 == 4.0 / 3.0);
  assert_int_equal(read_set(Z4C "0; gauge.lambda_f0=0.75", &p), TX_OK);
  assert_true(p.gauge_lambda_f0 == 0.75);
  assert_int_equal(read_set(Z4C "0; gauge.shift=zero", &p), TX_OK);
  assert_int_equal(read_set("evolution.system=bssn", &p), TX_OK);
  assert_true(p.gauge_lambda_f0 == 1.0);
  assert_says(
      "f", read_set(Z4C "0; gauge.lambda_f0=1.2", &p),
      "--set gauge.lambda_f0=1.2: f = lambda_f0 + lambda_f1 = 1.2 at alpha = 1: with z4c the");
  tx_error_clear();
  assert_says("f", read_set(Z4C "0; gauge.lambda_f1=-0.3", &p),
              "give at least 1.25, 4/3 is usual, or at most 0.75");
  tx_error_clear();
  assert_says("bssn", read_set("evolution.kappa1=0.1", &p),
              "--set evolution.kappa1=0.1: has no effect: it is used only if evolution.system is "
              "z4c, and evolution.system is bssn; remove it");
  tx_error_clear();
  assert_says("no damping", read_set(Z4C "0; evolution.kappa1=0; evolution.kappa2=1", &p),
              "it is used only if evolution.system is z4c and evolution.kappa1 is above 0");
#undef Z4C
}

/* Close to the limit of flat space, 2 sqrt(2) / sqrt(3 k2). */
#define CFL_OUTSIDE (TX_K == 3 ? 0.66 : 0.63)

static bool accepts_outside(double sigma) {
  char text[256];
  tx_params p;
  snprintf(text, sizeof text,
           "gauge.slicing=harmonic; gauge.shift=zero; evolution.dissipation=0; evolution.cfl=%g; "
           "grid.level_max=1; grid.ball_level=1; grid.ball_radius=8; grid.ball_growth=2; "
           "evolution.dissipation_outside=%.17g",
           CFL_OUTSIDE, sigma);
  tx_error_clear();
  return read_set(text, &p) == TX_OK;
}

/* Where spacings are doubled, C = cfl/2: at the corner z = C (-3 sigma +- i omega), omega^2 = 3 k2, must stay in the
 * region of stability of RK4. */
static void dissipation_outside_beyond_the_limit_is_refused(void **state) {
  const double C = CFL_OUTSIDE / 2, omega = sqrt(3.0 * LARGEST_K2);
  double sigma = 0.0, low = 0.0, high = 3.0;
  for (double grows = 0.0; grows <= 1.0; sigma += 1e-5) {
    const double complex z = C * (-3.0 * sigma + I * omega);
    grows = cabs(1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0))));
  }
  for (int n = 0; n < 30; n++) {
    const double middle = 0.5 * (low + high);
    if (accepts_outside(middle))
      low = middle;
    else
      high = middle;
  }
  assert_true(sigma > 1.0 && sigma < 2.9);
  assert_true(fabs(low - sigma) < 1e-3);
  assert_false(accepts_outside(1.01 * sigma));
  assert_non_null(strstr(tx_error_text(), "evolution.dissipation_outside"));
  assert_non_null(strstr(tx_error_text(), "it is stable up to "));
}

/* d_t alpha = -h alpha is stable up to h dt = 2.785293563405; dt is cfl 4 M on one level of N = 8. */
static void slow_starts_beyond_the_limit_are_refused(void **state) {
  const double spacing = 32.0 / TX_N;
  char text[256];
  tx_params p;
  snprintf(text, sizeof text, "evolution.dissipation=0; gauge.slow_start=%.17g", 20.0 / spacing);
  assert_true(fabs(accepted_cfl(text) - 2.785293563405 / 20.0) < 1e-6);
  tx_error_clear();
  snprintf(text, sizeof text, "evolution.cfl=0.4; gauge.eta=0; gauge.slow_start=%.17g",
           20.0 / spacing);
  assert_says("pull", read_set(text, &p), "; give less, or lower gauge.slow_start");
  assert_int_equal(
      read_set("evolution.cfl=0.4; grid.level_min=6; grid.level_max=6; gauge.slow_start=0.6", &p),
      TX_OK);
  tx_error_clear();
  assert_says("lapse", read_set(ONE "; initial_data.lapse=one; gauge.slow_start=0.6", &p),
              "initial_data.lapse=one: gauge.slow_start would pull this lapse to psi^-2 at once");
}

static void the_damping_of_the_shift_is_limited(void **state) {
  tx_params p;
  char text[256];
  for (int level = 0; level <= 6; level += 3) {
    double dt = 0.25 * 32.0 / (TX_N << level);
#define LEVELS "grid.level_max=%d; grid.level_min=%d; "
#define GIVEN(format, eta)                                                                         \
  (tx_error_clear(), snprintf(text, sizeof text, LEVELS format, level, level, eta),                \
   read_set(text, &p))
    assert_int_equal(GIVEN("gauge.eta=%.17g", 2.69 / dt), TX_OK);
    assert_true(fabs(tx_eta_limit(&p) * dt / 2.7 - 1.0) < 1e-12);
    assert_says(text, GIVEN("gauge.eta=%.17g", 2.71 / dt), "give at most 2.7 / dt");
#define RADIAL "gauge.eta_form=radial; gauge.eta=0.1; gauge.eta_far="
    assert_int_equal(GIVEN(RADIAL "%.17g", 2.69 / dt), TX_OK);
    assert_says(text, GIVEN(RADIAL "%.17g", 2.71 / dt), "gauge.eta_far=");
    assert_says(text, GIVEN("gauge.eta_form=radial; gauge.eta=%.17g", 2.71 / dt), "gauge.eta=");
#undef LEVELS
#undef GIVEN
#undef RADIAL
  }
}

/* Only refinement that is sure to happen shortens the step that the limit holds for. */
static void the_limit_of_damping_knows_the_levels(void **state) {
  static const struct {
    const char *sets;
    int level;
  } cases[] = {
      {"grid.level_min=2; grid.level_max=7", 2},
      {"grid.level_max=7; grid.ball_radius=3; grid.ball_level=5", 5},
      {ONE "; grid.bh_radius=2", 4},
      {ONE "; grid.bh_radius=2; grid.bh1_level=3", 3},
      {ONE "; grid.bh_radius=0; grid.bh1_radius=2", 4},
      {TWO MASS2 MIRRORED "grid.bh_radius=2; grid.bh1_level=2; grid.bh2_level=3", 3},
  };
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    tx_params p;
    if (read_set(cases[c].sets, &p) != TX_OK) fail_msg("%s: %s", cases[c].sets, tx_error_text());
    double dt = p.evolution_cfl * p.grid_extent / (TX_N << cases[c].level);
    assert_true(fabs(tx_eta_limit(&p) * dt / 2.7 - 1.0) < 1e-12);
  }
}

/* (1 + m/(2 r))^-2 has eta = (4 R0/m) (1 + y)/(2 + y)^2 with y = m/(2 r) for the usual powers: up to R0/m. */
static void metric_damping_is_limited_by_the_smallest_hole(void **state) {
  tx_params p;
#define PAIR                                                                                       \
  "gauge.eta_form=metric; initial_data.type=quasi_circular; initial_data.mass_ratio=8; "           \
  "grid.extent=64; grid.level_max=6; "
  if (read_set(PAIR "gauge.eta_R0=9.5", &p) != TX_OK) fail_msg("%s", tx_error_text());
  const double R0 = tx_eta_limit(&p) / 9.0;
  char text[256];
  snprintf(text, sizeof text, PAIR "gauge.eta_R0=%.17g", 0.999 * R0);
  if (read_set(text, &p) != TX_OK) fail_msg("%s", tx_error_text());
  tx_error_clear();
  snprintf(text, sizeof text, PAIR "gauge.eta_R0=%.17g", 1.002 * R0);
  assert_says(text, read_set(text, &p), "/ M with these masses and powers, unstable with the time");
  tx_error_clear();
  assert_says("b", read_set(PAIR "gauge.eta_b=5", &p),
              "or gauge.eta_b, which above 2 lets eta grow with r");
  tx_error_clear();
  assert_says("no holes", read_set("gauge.eta_form=metric", &p),
              "metric scales with the masses of punctures, and there are none");
#undef PAIR
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
  const struct CMUnitTest tests[] = {
      TEST(time_steps_beyond_the_limit_are_refused),
      TEST(other_octants_are_refused),
      TEST(limits_are_those_of_the_scheme),
      TEST(time_steps_of_z4c_have_limits_of_their_own),
      TEST(the_damping_of_the_hamiltonian_constraint_is_limited),
      TEST(the_damping_of_constraints_is_limited),
      TEST(dissipation_outside_beyond_the_limit_is_refused),
      TEST(slow_starts_beyond_the_limit_are_refused),
      TEST(the_damping_of_the_shift_is_limited),
      TEST(the_limit_of_damping_knows_the_levels),
      TEST(metric_damping_is_limited_by_the_smallest_hole),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Finalize();
  return failed;
}
