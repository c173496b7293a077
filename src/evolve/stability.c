/* The largest stable time step of the scheme on flat space, and the largest damping of the shift. */
#include "evolve/stability.h"

#include <math.h>
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

/* Frequencies times h of the linearised equations at wave number theta/h in every dimension.
 *
 * On flat space with alpha = 1 and beta = 0 the principal part splits into oscillators:
 * - lapse: d_t alpha = -2 K (1+log) or -K (harmonic) and d_t K = -D alpha, so omega^2 = 2 D or D;
 * - metric: omega^2 = D;
 * - shift: d_t^2 beta^i = (3/4) f (-D beta^i + (1/3) d_i d_k beta^k);
 * - Z4c: omega^2 = (4 D - s)/3, s the sum of k1^2 over the dimensions, as d_t Theta has 2 D (chi - 1) and d_k Gt^k,
 *   and d_t Gt^i -(2/3) d_i Theta. The divergence of the shift couples to it: see z4c_frequencies.
 *
 * D = 3 k2 is the symbol of minus the Laplacian. With t = theta, centred differences of order 6 have
 * - k2 = (490 - 540 cos t + 54 cos 2t - 4 cos 3t)/180, up to 272/45 = 6.04,
 * - k1 = (90 sin t - 18 sin 2t + 2 sin 3t)/60, up to 1.586,
 * and those of order 4
 * - k2 = (30 - 32 cos t + 2 cos 2t)/12, up to 16/3,
 * - k1 = (16 sin t - 2 sin 2t)/12, up to 1.372,
 * and those of order 8
 * - k2 = (14350 - 16128 cos t + 2016 cos 2t - 256 cos 3t + 18 cos 4t)/5040, up to 2048/315 = 6.50,
 * - k1 = (1344 sin t - 336 sin 2t + 64 sin 3t - 6 sin 4t)/840, up to 1.730.
 *
 * The matrix -d_i d_k has k2 on its diagonal and k1^2 off it: its largest eigenvalue is k2 + 2 k1^2.
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

/* The speed of the fastest waves of a system without gauge: of those that leave at the outer boundary. */
static double fastest(const tx_params *p) {
  const tx_system *system = tx_system_of(p);
  double speed = 0;
  for (int v = 0; v < system->n_vars; v++) speed = fmax(speed, system->variable[v].speed);
  return speed;
}

static double lapse_frequency(const tx_params *p, double k2) {
  if (!tx_params_has(p, TX_HAS_GAUGE)) return fastest(p) * sqrt(3 * k2);
  return sqrt((p->gauge_slicing == TX_SLICING_ONE_PLUS_LOG ? 2.0 : 1.0) * 3 * k2);
}

static bool drives(const tx_params *p) {
  return tx_params_has(p, TX_HAS_GAUGE) && p->gauge_shift == TX_SHIFT_GAMMA_DRIVER;
}

/* f at alpha = 1; 0: the shift does not evolve. */
static double driver_f(const tx_params *p) {
  return drives(p) ? p->gauge_lambda_f0 + p->gauge_lambda_f1 : 0;
}

static double shift_frequency(const tx_params *p, double k1, double k2) {
  return sqrt(0.75 * driver_f(p) * (3 * k2 + (k2 + 2 * k1 * k1) / 3));
}

/* Least difference of f from 1 with Z4c. The longitudinal part of the shift has speed sqrt(f) at alpha = 1, Theta and Z^i have speed
 * 1. Where the two agree the equations are not strongly hyperbolic, and at refinement boundaries noise grows by a factor of 2 in 1 M
 * in a box of 1 M; f = 0.75 and 4/3 are stable (tests/science/test_stability.c), 0.85 and 1.15 are not. */
#define Z4C_APART 0.25

/* Squares of the frequencies of Theta and of the shift's divergence. In the diagonal direction, with k^2 of k1 and L of the
 * shift's symbol, amplitudes Theta and b (1, 1, 1) of the shift obey, but for what the lapse drives,
 *   d_t^2 Theta = -(4 D - 3 k^2)/3 Theta + (3/2) i k (4 D/3 - L) b,   d_t^2 b = (3/4) f (-L b - (2/3) i k Theta),
 * and 4 D/3 - L = (2/3) (k2 - k^2), 0 but for the differences' errors. */
static void z4c_frequencies(const tx_params *p, double k, double k2, double squares[2]) {
  double f = 0.75 * driver_f(p);
  double own = (12 * k2 - 3 * k * k) / 3, shift = f * (3 * k2 + (k2 + 2 * k * k) / 3);
  double mean = 0.5 * (own + shift), coupling = 2.0 / 3.0 * f * k * k * (k2 - k * k);
  double half = sqrt(fmax(0.25 * (own - shift) * (own - shift) + coupling, 0));
  squares[0] = fmax(mean - half, 0);
  squares[1] = mean + half;
}

/* Whether an oscillation does not grow in a step. */
static bool damped(double damping, double omega) {
  return amplification(-damping, omega) <= 1 + 1e-9;
}

/* Kreiss-Oliger dissipation, sigma/(64 h) (1 -6 15 -20 15 -6 1) a dimension, has the symbol
 * -(sigma/h) sin^6(theta/2); of order 7, sin^8. Its own limit is 3 sigma C = 2.785, where the negative real axis leaves
 * RK4's region of stability. With both, all z = C (-3 sigma sin^6(theta/2) +- i omega h) must lie
 * inside, |R(z)| <= 1.
 *
 * CAHD adds 4 C cfl h chi H to d_t chi, H being 2 Laplacian chi and what does not depend on chi: chi's own mode, which did not
 * move, decays at 8 C cfl D/h.
 *
 * The slow-start lapse adds -h alpha to d_t alpha where W = 1 at first: the lapse's oscillator becomes
 * z^2 + h dt z + (omega dt)^2 = 0. Where W = 0, and later on, it is as it was. */
bool tx_step_is_stable(const tx_params *p, double sigma, double cfl, double spacing) {
  const symbols *all = symbols_of(p);
  double pull = 0.5 * cfl * spacing * p->gauge_slow_start;
  for (int n = 0; n <= ANGLES; n++) {
    double k1 = all[n].k1, k2 = all[n].k2;
    double damping = cfl * 3 * sigma * all[n].power;
    double lapse = cfl * lapse_frequency(p, k2), shift = cfl * shift_frequency(p, k1, k2);
    if (!damped(damping, shift) || !damped(damping, lapse)) return false;
    double rest = lapse * lapse - pull * pull;
    double of_H = cfl * 8 * p->evolution_hamiltonian_damping * p->evolution_cfl * 3 * k2;
    if (!damped(damping + of_H, 0)) return false;
    double z4c[2] = {0, 0};
    if (p->evolution_system == TX_EVOLVED_Z4C) z4c_frequencies(p, k1, k2, z4c);
    for (int i = 0; i < 2; i++)
      if (!damped(damping, cfl * sqrt(z4c[i]))) return false;
    if (!damped(damping + pull + sqrt(fmax(-rest, 0)), sqrt(fmax(rest, 0)))) return false;
  }
  return true;
}

static bool stable(const tx_params *p, double cfl) {
  tx_params with = *p; /* as CAHD depends on it */
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

double tx_constraint_damping(const tx_params *p) {
  if (p->evolution_system != TX_EVOLVED_Z4C) return 0;
  return p->evolution_kappa1 * (2 + fmax(p->evolution_kappa2, 0));
}

static tx_status check_kappa(const tx_params *p, const tx_param_source *s) {
  double limit = tx_eta_limit(p), rate = tx_constraint_damping(p);
  TX_DEMAND(
      rate <= limit, s, evolution_kappa1,
      "%g / M is unstable with the time step %g M, as it damps constraints at up to %.4g / M; "
      "give at most %.4g, or lower evolution.cfl",
      p->evolution_kappa1, longest_step(p), rate, p->evolution_kappa1 * limit / rate);
  return TX_OK;
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
  TX_DEMAND(
      !driver || f >= 0, s, gauge_lambda_f1,
      "f = lambda_f0 + lambda_f1 = %g at alpha = 1 is negative, which makes the shift equation "
      "unstable; give at least %g",
      f, -p->gauge_lambda_f0);
  TX_DEMAND(
      !driver || p->evolution_system != TX_EVOLVED_Z4C || fabs(f - 1) >= Z4C_APART, s,
      gauge_lambda_f0,
      "f = lambda_f0 + lambda_f1 = %g at alpha = 1: with Z4c the shift then propagates about as "
      "fast as constraint violations, and noise grows at refinement boundaries; give at least "
      "%g, 4/3 is usual, or at most %g",
      f, 1 + Z4C_APART, 1 - Z4C_APART);
  TX_DEMAND(
      p->evolution_cfl <= limit, s, evolution_cfl,
      "%g is unstable: RK4 with these finite differences, this gauge and evolution.dissipation "
      "%g is stable up to %.3f; give less%s",
      p->evolution_cfl, p->evolution_dissipation, limit,
      p->evolution_hamiltonian_damping > 0 ? ", or lower evolution.hamiltonian_damping"
      : p->gauge_slow_start > 0            ? ", or lower gauge.slow_start"
                                           : ", 0.25 is usual");
  double sigma = p->evolution_dissipation_outside;
  TX_DEMAND(
      sigma == 0 || stable_outside(p, sigma), s, evolution_dissipation_outside,
      "%g is unstable: at twice the spacing of the ball and evolution.cfl %g it is stable up to "
      "%.3f; give less, 2 is usual",
      sigma, p->evolution_cfl, largest_stable(p, stable_outside, 0, sigma));
  TX_TRY(check_kappa(p, s));
  return driver ? check_eta(p, s) : TX_OK;
}
