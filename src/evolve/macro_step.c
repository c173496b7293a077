/* Steps in time of levels: how long the macro step is, after which all of them meet. */
#include "evolve/macro_step.h"

#include <math.h>
#include <stdint.h>
#include "evolve/stability.h"
#include "params/demand.h"

/* The longest step that is chosen where there are black holes, over tx_params_unit: at most a sixteenth of a period of the waves that they
 * ring with up to l = 5. */
#define HOLES_MOST 0.25

/* Largest damping rate times a step that is chosen: RK4 follows the decay to 3e-4 in a step. */
#define RATE_CHOSEN 0.5

/* Factor by which a step may exceed the wanted one through round-off. */
#define SLACK (1.0 + 1e-9)

/* Between rows of worldtubes, if it is chosen, over tx_params_unit: seven rows or more in a period of the ringdown up to l = 8. */
#define WORLDTUBES_APART 0.5
#define EVERY_MOST       (1 << 30)

static double finest_step(const tx_params *p, int finest) {
  return tx_time_step(p, tx_level_spacing(p, finest));
}

int tx_worldtube_every(const tx_params *p) {
  const double dt = finest_step(p, tx_level_reached(p));
  const double apart = WORLDTUBES_APART * tx_params_unit(p);
  int every = 1;
  if (p->waves_worldtubes.n == 0) return 0;
  if (p->waves_worldtube_every > 0) return p->waves_worldtube_every;
  while (every < EVERY_MOST && 2 * every * dt <= apart * SLACK) every *= 2;
  return every;
}

/* Return the cadence of any parameter; 0: it does not bound the macro step. */
static int cadence(const tx_params *p, int index) {
  const int every = tx_param_cadence(p, index);
  return index == TX_PARAM_waves_worldtube_every ? tx_worldtube_every(p) : every;
}

/* How often n can be halved, up to `most`. */
static int halvings(int64_t n, int most) {
  int m = 0;
  while (m < most && n % ((int64_t)2 << m) == 0) m++;
  return m;
}

static int cadences_allow(const tx_params *p, int most) {
  for (int c = 0; c < TX_PARAMS; c++)
    if (cadence(p, c) > 0) most = halvings(cadence(p, c), most);
  return most;
}

static double slow_start(const tx_params *p) {
  return p->gauge_slicing == TX_SLICING_ONE_PLUS_LOG ? p->gauge_slow_start : 0.0;
}

/* Does dissipation grow outside of the ball, on this level? */
static bool outside(const tx_params *p, int level) {
  return p->evolution_dissipation_outside > 0 && p->grid_ball_radius > 0 &&
         level < p->grid_ball_level;
}

/* Is a step of 2^n of those of `finest` stable on a level, on flat space? Where dissipation grows with r it takes
 * all values from 0 on. */
static bool level_is_stable(const tx_params *p, int finest, int level, int n) {
  const double cfl = p->evolution_cfl * ldexp(1.0, n - (finest - level));
  const double h = tx_level_spacing(p, level);
  if (!outside(p, level)) return tx_step_is_stable(p, p->evolution_dissipation, cfl, h);
  return tx_step_is_stable(p, 0.0, cfl, h) &&
         tx_step_is_stable(p, p->evolution_dissipation_outside, cfl, h);
}

/* The finest level that a macro step of 2^m is unstable on, -1 if none is. */
static int unstable_level(const tx_params *p, int finest, int coarsest, int m) {
  for (int level = finest; level >= coarsest; level--) {
    const int n = finest - level < m ? finest - level : m;
    if (!level_is_stable(p, finest, level, n)) return level;
  }
  return -1;
}

/* Why the macro step may not be 2^m steps of the finest level, whatever the cadences are; false if it may. Every level
 * has octants over all that is finer, holes included, so that the largest rates anywhere count for all levels. */
static bool too_long(const tx_params *p, int finest, int coarsest, int m, char *why, size_t size) {
  const double step = finest_step(p, finest) * ldexp(1.0, m);
  const double eta = tx_eta_most(p), pull = slow_start(p), kappa = tx_constraint_damping(p),
               most = HOLES_MOST * tx_params_unit(p);
  why[0] = '\0';
  if (m > finest - coarsest)
    snprintf(why, size, "the grid: no level is coarser than %d", coarsest);
  else if (p->evolution_macro_step > 0) {
    if (step > p->evolution_macro_step * SLACK) snprintf(why, size, "evolution.macro_step");
  } else if (tx_params_punctures(p) > 0 && step > most * SLACK)
    snprintf(why, size, "%g M, the longest chosen with black holes", most);
  else if (step * eta > RATE_CHOSEN * SLACK)
    snprintf(why, size, "eta, up to %.4g / M: %g / eta is the longest chosen", eta, RATE_CHOSEN);
  else if (step * pull > RATE_CHOSEN * SLACK)
    snprintf(why, size, "gauge.slow_start %g / M: %g / slow_start is the longest chosen", pull,
             RATE_CHOSEN);
  else if (step * kappa > RATE_CHOSEN * SLACK)
    snprintf(why, size, "constraint damping, %.4g / M: %g over this rate is the longest chosen",
             kappa, RATE_CHOSEN);
  else if (unstable_level(p, finest, coarsest, m) >= 0)
    snprintf(why, size, "stability: a longer one is unstable on level %d%s",
             unstable_level(p, finest, coarsest, m),
             outside(p, coarsest) ? " with evolution.dissipation_outside" : "");
  return why[0] != '\0';
}

/* m without the cadences, and what bounds it. */
static int longest(const tx_params *p, int finest, int coarsest, char *why, size_t size) {
  int m = 0;
  while (!too_long(p, finest, coarsest, m + 1, why, size)) m++;
  return m;
}

int tx_step_level(const tx_params *p, int finest) {
  const int asked = p->grid_remnant_level >= 0 ? tx_level_reached(p) : finest;
  return finest > asked ? finest : asked;
}

int tx_macro_longest(const tx_params *p, int finest, int coarsest) {
  char why[TX_PARAM_TEXT_MAX];
  const int counted = tx_step_level(p, finest);
  const bool levels = p->evolution_time_steps == TX_STEPS_LEVELS;
  if (!levels && counted == finest) return 0;
  const int most = longest(p, counted, coarsest, why, sizeof why);
  return levels || most < counted - finest ? most : counted - finest;
}

int tx_macro_levels(const tx_params *p, int finest, int coarsest) {
  return cadences_allow(p, tx_macro_longest(p, finest, coarsest));
}

/* Multiples of `unit` next to n; below: 0 if there is none. */
static void neighbours(int n, int64_t unit, int64_t *below, int64_t *above) {
  *below = n / unit * unit;
  *above = n % unit == 0 ? n : *below + unit;
}

bool tx_macro_bound(const tx_params *p, int finest, int coarsest, char *text, size_t size) {
  char why[TX_PARAM_TEXT_MAX];
  const int counted = tx_step_level(p, finest);
  const int most = longest(p, counted, coarsest, why, sizeof why), m = cadences_allow(p, most);
  size_t used = 0;
  snprintf(text, size, "%s", why);
  if (m == most) return false;
  for (int c = 0; c < TX_PARAMS && used < size; c++) {
    int64_t below, above;
    char lower[40] = "";
    const int n = cadence(p, c);
    if (n == 0 || halvings(n, most) == most) continue;
    neighbours(n, (int64_t)1 << most, &below, &above);
    if (below > 0) snprintf(lower, sizeof lower, "%lld or ", (long long)below);
    used += (size_t)snprintf(text + used, size - used, "%s%s %d (%s%lld)", used ? ", " : "",
                             tx_param_key(c), n, lower, (long long)above);
  }
  if (used < size)
    snprintf(text + used, size - used, "; values in brackets allow %.4g M",
             finest_step(p, counted) * ldexp(1.0, most));
  return true;
}

/* Cadences that a macro step that is given does not divide. */
static tx_status check_cadences(const tx_params *p, const tx_param_source *s, int finest, int m) {
  for (int c = 0; c < TX_PARAMS; c++) {
    int64_t below, above;
    const int n = cadence(p, c);
    if (n == 0 || halvings(n, m) == m) continue;
    neighbours(n, (int64_t)1 << m, &below, &above);
    TX_DEMAND_OF(
        false, s, c,
        "%d steps are not a multiple of the %lld that evolution.macro_step %g M has on the "
        "finest level; give %lld, or lower evolution.macro_step to %.6g",
        n, 1LL << m, p->evolution_macro_step,
        (long long)(below > 0 && n - below <= above - n ? below : above),
        finest_step(p, finest) * ldexp(1.0, halvings(n, m)));
  }
  return TX_OK;
}

/* A macro step that is given, of 2^m steps of `finest`, must be stable on all levels. */
static tx_status check_stable(const tx_params *p, const tx_param_source *s, int finest, int m) {
  const double dt = finest_step(p, finest), eta = tx_eta_most(p);
  const double stands = eta > 0 ? TX_ETA_DT / eta : HUGE_VAL;
  const double kappa = tx_constraint_damping(p);
  for (int n = 1; n <= m; n++) {
    const double step = ldexp(dt, n);
    const int level = unstable_level(p, finest, p->grid_level_min, n);
    TX_DEMAND(
        step <= stands, s, evolution_macro_step,
        "%g M makes the step of level %d %.4g M, unstable with eta up to %.4g / M: the limit is "
        "2.7 / eta = %.4g M; give at most that",
        p->evolution_macro_step, finest - n, step, eta, stands);
    TX_DEMAND(
        step * kappa <= TX_ETA_DT, s, evolution_macro_step,
        "%g M makes the step of level %d %.4g M, unstable with constraint damping at %.4g / M: "
        "the limit is %.4g M; give at most that, or lower %s",
        p->evolution_macro_step, finest - n, step, kappa, TX_ETA_DT / kappa,
        tx_constraint_damping_key(p));
    TX_DEMAND(level < 0, s, evolution_macro_step,
              "%g M makes the step of level %d %.4g M, unstable with %s; give at most %.6g",
              p->evolution_macro_step, level, ldexp(dt, finest - level < n ? finest - level : n),
              outside(p, level) ? "evolution.dissipation_outside" : "gauge.slow_start",
              ldexp(dt, n - 1));
  }
  return TX_OK;
}

/* The finest level that the mesh may have. */
static int finest_possible(const tx_params *p) {
  const bool data = p->grid_wavelet_tol > 0 || p->grid_psi4_tol > 0;
  return data ? p->grid_level_max : tx_level_reached(p);
}

tx_status tx_macro_step_demands(const tx_params *p, const tx_param_source *s) {
  char why[TX_PARAM_TEXT_MAX];
  const int finest = finest_possible(p);
  if (p->evolution_time_steps != TX_STEPS_LEVELS || !(p->evolution_macro_step > 0)) return TX_OK;
  TX_DEMAND(
      finest_step(p, finest) <= p->evolution_macro_step * SLACK, s, evolution_macro_step,
      "%g M is less than the step of the finest level, %.6g M; give more, or 0 to have it chosen",
      p->evolution_macro_step, finest_step(p, finest));
  for (int f = tx_level_reached(p); f <= finest; f++)
    TX_TRY(check_stable(p, s, f, longest(p, f, p->grid_level_min, why, sizeof why)));
  return check_cadences(p, s, finest, longest(p, finest, p->grid_level_min, why, sizeof why));
}
