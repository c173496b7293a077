/* The largest stable time step of the scheme on flat space, and the largest damping of the shift. */
#include "evolve/stability.h"

#include <math.h>
#include <stdio.h>
#include "base/grid.h"
#include "params/demand.h"
#include "physics/system.h"

/* |R(z)|^2 of classical RK4, R(z) = 1 + z + z^2/2 + z^3/6 + z^4/24. */
static double amplification(double re, double im) {
  double a = 1.0, b = 0.0; /* Horner: R = 1 + z (1 + z/2 (1 + z/3 (1 + z/4))) */
  for (int n = 4; n >= 1; n--) {
    double c = (re * a - im * b) / n, d = (re * b + im * a) / n;
    a = 1.0 + c, b = d;
  }
  return a * a + b * b;
}

/* The level that the finest octants reach whatever the data; wavelets and Psi4 may refine further. */
int tx_level_reached(const tx_params *p) {
  int level = p->grid_level_min;
  for (int a = 0; a < tx_params_punctures(p); a++) {
    const tx_params_hole h = tx_params_hole_of(p, a);
    const int finest = h.level == -1 ? p->grid_level_max : h.level;
    if (h.radius > 0 && finest > level) level = finest;
  }
  if (p->grid_ball_radius > 0 && p->grid_ball_level > level) level = p->grid_ball_level;
  return level;
}

double tx_level_spacing(const tx_params *p, int level) {
  return p->grid_extent / (p->grid_trees * TX_N * ldexp(1.0, level));
}

static double largest_spacing(const tx_params *p) {
  return tx_level_spacing(p, tx_level_reached(p));
}

double tx_time_step(const tx_params *p, double h) {
  return p->evolution_cfl * h;
}

static double longest_step(const tx_params *p) {
  return tx_time_step(p, largest_spacing(p));
}

/* Frequencies times h of the linearised equations at wave number theta/h in every dimension: the system tells them, from the
 * symbols of the differences (tx_system.modes). With t = theta, centred differences of order 6 have
 * - k2 = (490 - 540 cos t + 54 cos 2t - 4 cos 3t)/180, up to 272/45 = 6.04,
 * - k1 = (90 sin t - 18 sin 2t + 2 sin 3t)/60, up to 1.586,
 * and those of order 4
 * - k2 = (30 - 32 cos t + 2 cos 2t)/12, up to 16/3,
 * - k1 = (16 sin t - 2 sin 2t)/12, up to 1.372,
 * and those of order 8
 * - k2 = (14350 - 16128 cos t + 2016 cos 2t - 256 cos 3t + 18 cos 4t)/5040, up to 2048/315 = 6.50,
 * - k1 = (1344 sin t - 336 sin 2t + 64 sin 3t - 6 sin 4t)/840, up to 1.730.
 *
 * The diagonal direction is the worst: its corner has the largest frequency of all, and as
 * sin^6(t/2) and sin^8(t/2) are convex in k2, nowhere is the damping weaker at the same frequency. With the real
 * scheme tests/science/test_cfl_limit.c finds noise stable 2% below the limit, unstable 2% above. */
static double symbol2(int order, double theta) {
  if (order == 4) return (30 - 32 * cos(theta) + 2 * cos(2 * theta)) / 12;
  if (order == 8)
    return (14350 - 16128 * cos(theta) + 2016 * cos(2 * theta) - 256 * cos(3 * theta) +
            18 * cos(4 * theta)) /
           5040;
  return (490 - 540 * cos(theta) + 54 * cos(2 * theta) - 4 * cos(3 * theta)) / 180;
}

static double symbol1(int order, double theta) {
  if (order == 4) return (16 * sin(theta) - 2 * sin(2 * theta)) / 12;
  if (order == 8)
    return (1344 * sin(theta) - 336 * sin(2 * theta) + 64 * sin(3 * theta) - 6 * sin(4 * theta)) /
           840;
  return (90 * sin(theta) - 18 * sin(2 * theta) + 2 * sin(3 * theta)) / 60;
}

enum { ANGLES = 256 };

/* Symbols at one theta, and the power of sin(theta/2) that dissipation has. */
typedef struct symbols {
  double k1, k2, power;
} symbols;

/* For theta = 0 .. pi, kept for the schemes asked for last: limits are looked for in some hundred steps. */
static const symbols *symbols_of(const tx_params *p) {
  static _Thread_local symbols all[ANGLES + 1];
  static _Thread_local int order, dissipation_order;
  if (order == p->evolution_order && dissipation_order == p->evolution_dissipation_order)
    return all;
  order = p->evolution_order;
  dissipation_order = p->evolution_dissipation_order;
  for (int n = 0; n <= ANGLES; n++) {
    const double theta = M_PI * n / ANGLES;
    all[n] = (symbols){symbol1(order, theta), symbol2(order, theta),
                       pow(sin(theta / 2), dissipation_order + 1)};
  }
  return all;
}

/* Collect the parameters that the modes of a system depend on; of the slow-start lapse its largest pull. */
static tx_system_params physics_of(const tx_params *p) {
  tx_system_params physics = {.lambda_f0 = p->gauge_lambda_f0,
                              .lambda_f1 = p->gauge_lambda_f1,
                              .lapse_pull = p->gauge_slow_start,
                              .cfl = p->evolution_cfl,
                              .slicing = p->gauge_slicing,
                              .shift = p->gauge_shift};
  tx_system_of(p)->parameters(p, physics.own);
  return physics;
}

/* Ask the system for its modes, or take waves of the fastest variable's speed. */
static void modes_of(const tx_system *system, const tx_system_params *physics, double spacing,
                     const symbols *at, tx_modes *out) {
  if (system->modes) {
    system->modes(physics, spacing, at->k1, at->k2, out);
    return;
  }
  double speed = 0;
  for (int v = 0; v < system->n_vars; v++) speed = fmax(speed, system->variable[v].speed);
  *out = (tx_modes){.n = 1, .mode = {{speed * speed * 3 * at->k2, 0, -1}}, .by = -1};
}

static bool drives(const tx_params *p) {
  return tx_params_has(p, TX_HAS_GAUGE) && p->gauge_shift == TX_SHIFT_GAMMA_DRIVER;
}

/* Whether an oscillation does not grow in a step. */
static bool damped(double damping, double omega) {
  return amplification(-damping, omega) <= 1 + 1e-9;
}

/* Kreiss-Oliger dissipation, sigma/(64 h) (1 -6 15 -20 15 -6 1) a dimension, has the symbol
 * -(sigma/h) sin^6(theta/2); of order 7, sin^8. Its own limit is 3 sigma C = 2.785, where the negative real axis leaves
 * RK4's region of stability. With the modes, all z = C (-3 sigma sin^6(theta/2) - damping h +- i omega h) must lie
 * inside, |R(z)| <= 1. */
bool tx_step_is_stable(const tx_params *p, double sigma, double cfl, double spacing) {
  const symbols *all = symbols_of(p);
  const tx_system *system = tx_system_of(p);
  const tx_system_params physics = physics_of(p);
  for (int n = 0; n <= ANGLES; n++) {
    tx_modes found;
    modes_of(system, &physics, spacing, &all[n], &found);
    const double damping = cfl * 3 * sigma * all[n].power;
    for (int m = 0; m < found.n; m++)
      if (!damped(damping + cfl * found.mode[m].damping, cfl * sqrt(found.mode[m].square)))
        return false;
  }
  return true;
}

static bool stable(const tx_params *p, double cfl) {
  tx_params with = *p; /* as parameters of the system may depend on it */
  with.evolution_cfl = cfl;
  return tx_step_is_stable(&with, p->evolution_dissipation, cfl, largest_spacing(p));
}

/* Where the spacing is twice that of the ball, or larger. */
static bool stable_outside(const tx_params *p, double sigma) {
  double coarser = ldexp(1.0, tx_level_reached(p) - p->grid_ball_level + 1);
  return tx_step_is_stable(p, sigma, p->evolution_cfl / coarser, largest_spacing(p) * coarser);
}

/* The largest value that is stable, `low` being and `high` not. */
static double largest_stable(const tx_params *p, bool (*is_stable)(const tx_params *, double),
                             double low, double high) {
  for (int n = 0; n < 40; n++) {
    double middle = 0.5 * (low + high);
    if (is_stable(p, middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

double tx_cfl_limit(const tx_params *p) {
  double low = 0, high = 0;
  while (high < 4 && stable(p, high)) low = high, high += 1.0 / 128;
  return largest_stable(p, stable, low, high);
}

double tx_eta_limit_of(const tx_params *p, int level) {
  return TX_ETA_DT / tx_time_step(p, tx_level_spacing(p, level));
}

double tx_eta_limit(const tx_params *p) {
  return tx_eta_limit_of(p, tx_level_reached(p));
}

/* Metric eta of a hole of mass m at radius r of its initial slice, W = (1 + m/(2 r))^-2. */
static double metric_eta(const tx_params *p, double m, double r) {
  double y = m / (2 * r), slope = 4 * y * y / (m * pow(1 + y, 3));
  return p->gauge_eta_R0 * slope / pow(1 - pow(1 + y, -2 * p->gauge_eta_a), p->gauge_eta_b);
}

static double largest_metric_eta(const tx_params *p, double m, double r_max) {
  double largest = 0;
  for (double r = 0.05 * m; r < r_max; r *= 1.1) largest = fmax(largest, metric_eta(p, m, r));
  return largest;
}

/* Near each hole its own mass counts, far away the sum of both. The bound of tx_eta_metric keeps eta
 * from growing beyond r = 1000 of it. */
static double largest_of_holes(const tx_params *p) {
  double m[TX_PUNCTURES_MAX];
  for (int a = 0; a < TX_PUNCTURES_MAX; a++) m[a] = tx_params_hole_of(p, a).mass;
  if (p->initial_data_type == TX_ID_QUASI_CIRCULAR) {
    m[0] = p->initial_data_mass_ratio / (1 + p->initial_data_mass_ratio);
    m[1] = 1 - m[0];
  }
  double total = 0, largest = 0;
  for (int a = 0; a < tx_params_punctures(p); a++) {
    total += m[a];
    largest = fmax(largest, largest_metric_eta(p, m[a], 10 * m[a]));
  }
  return fmax(largest, largest_metric_eta(p, total, fmin(1000 * total, sqrt(3) * p->grid_extent)));
}

double tx_eta_most(const tx_params *p) {
  if (!drives(p)) return 0;
  if (p->gauge_eta_form == TX_ETA_METRIC) return largest_of_holes(p);
  return p->gauge_eta_form == TX_ETA_RADIAL ? fmax(p->gauge_eta, p->gauge_eta_far) : p->gauge_eta;
}

static tx_modes dampings(const tx_params *p) {
  const tx_system_params physics = physics_of(p);
  tx_modes found;
  modes_of(tx_system_of(p), &physics, largest_spacing(p), &(symbols){M_PI, M_PI * M_PI, 1.0},
           &found);
  return found;
}

double tx_constraint_damping(const tx_params *p) {
  return dampings(p).rate;
}

const char *tx_constraint_damping_key(const tx_params *p) {
  const tx_modes found = dampings(p);
  return found.by < 0 ? "" : tx_param_key(tx_system_of(p)->own[found.by]);
}

static tx_status check_damping(const tx_params *p, const tx_param_source *s) {
  const tx_modes found = dampings(p);
  if (found.by < 0) return TX_OK;
  const double limit = tx_eta_limit(p), value = physics_of(p).own[found.by];
  TX_DEMAND_OF(
      found.rate <= limit, s, tx_system_of(p)->own[found.by],
      "%g / M is unstable with the time step %g M, as it damps constraints at up to %.4g / M; "
      "give at most %.4g, or lower evolution.cfl",
      value, longest_step(p), found.rate, value * limit / found.rate);
  return TX_OK;
}

/* Write which parameters to lower where the time step is too long. */
static void lower(const tx_params *p, char *text, size_t size) {
  const tx_modes found = dampings(p);
  snprintf(text, size, ", 0.25 is usual");
  if (p->gauge_slow_start > 0) snprintf(text, size, ", or lower gauge.slow_start");
  for (int m = 0; m < found.n; m++)
    if (found.mode[m].parameter >= 0 && found.mode[m].damping > 0)
      snprintf(text, size, ", or lower %s",
               tx_param_key(tx_system_of(p)->own[found.mode[m].parameter]));
}

static tx_status check_eta(const tx_params *p, const tx_param_source *s) {
  double limit = tx_eta_limit(p), dt = longest_step(p);
  if (p->gauge_eta_form != TX_ETA_METRIC)
    TX_DEMAND(p->gauge_eta <= limit, s, gauge_eta,
              "%g / M is unstable with the time step %g M: give at most 2.7 / dt = %.4g, or lower "
              "evolution.cfl",
              p->gauge_eta, dt, limit);
  if (p->gauge_eta_form == TX_ETA_RADIAL)
    TX_DEMAND(p->gauge_eta_far <= limit, s, gauge_eta_far,
              "%g / M is unstable with the time step %g M: give at most 2.7 / dt = %.4g, or lower "
              "evolution.cfl",
              p->gauge_eta_far, dt, limit);
  if (p->gauge_eta_form != TX_ETA_METRIC) return TX_OK;
  TX_DEMAND(
      tx_params_punctures(p) > 0, s, gauge_eta_form,
      "metric scales with the masses of punctures, and there are none; give constant or radial");
  double eta = tx_eta_most(p);
  TX_DEMAND(
      eta <= limit, s, gauge_eta_R0,
      "%g makes eta up to %.3g / M with these masses and powers, unstable with the time step %g "
      "M: give at most %.3g, or lower evolution.cfl%s",
      p->gauge_eta_R0, eta, dt, p->gauge_eta_R0 * limit / eta,
      p->gauge_eta_b > 2 ? " or gauge.eta_b, which above 2 lets eta grow with r" : "");
  return TX_OK;
}

tx_status tx_stability_demands(const tx_params *p, const tx_param_source *s) {
  bool driver = drives(p);
  double f = p->gauge_lambda_f0 + p->gauge_lambda_f1, limit = tx_cfl_limit(p);
  const tx_system *system = tx_system_of(p);
  char advice[128];
  lower(p, advice, sizeof advice);
  TX_DEMAND(
      !driver || f >= 0, s, gauge_lambda_f1,
      "f = lambda_f0 + lambda_f1 = %g at alpha = 1 is negative, which makes the shift equation "
      "unstable; give at least %g",
      f, -p->gauge_lambda_f0);
  TX_DEMAND(
      !driver || fabs(f - 1) >= system->shift_apart, s, gauge_lambda_f0,
      "f = lambda_f0 + lambda_f1 = %g at alpha = 1: with %s the shift then propagates about as "
      "fast as constraint violations, and noise grows at refinement boundaries; give at least "
      "%g, 4/3 is usual, or at most %g",
      f, system->name, 1 + system->shift_apart, 1 - system->shift_apart);
  TX_DEMAND(
      p->evolution_cfl <= limit, s, evolution_cfl,
      "%g is unstable: RK4 with these finite differences, this gauge and evolution.dissipation "
      "%g is stable up to %.3f; give less%s",
      p->evolution_cfl, p->evolution_dissipation, limit, advice);
  double sigma = p->evolution_dissipation_outside;
  TX_DEMAND(
      sigma == 0 || stable_outside(p, sigma), s, evolution_dissipation_outside,
      "%g is unstable: at twice the spacing of the ball and evolution.cfl %g it is stable up to "
      "%.3f; give less, 2 is usual",
      sigma, p->evolution_cfl, largest_stable(p, stable_outside, 0, sigma));
  TX_TRY(check_damping(p, s));
  return driver ? check_eta(p, s) : TX_OK;
}
