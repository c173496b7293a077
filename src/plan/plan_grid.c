/* The grid of a planned run, and what is done every so many steps. Levels do not depend on the accuracy: a member of a series
 * differs from the others by the number of root octants, and so by one factor in all spacings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "plan/plan.h"
#include "evolve/macro_step.h"
#include "evolve/stability.h"
#include "advice/radii.h"
#include "refine/policy.h"
#include "physics/initial_data/wave_zone.h"

/* Root octants along the extent: spacings 1 : 2/3 : 4/9. */
static const int trees[TX_ACCURACIES] = {4, 6, 9};

/* Numbers of the coarsest member. Spacings in the size of a hole, its mass times sqrt(1 - chi^2); in that of the remnant; in the
 * shortest wave of the wave zone: the ringdown of l = m = TX_ADVICE_L, or of waves.l_max where that is given.
 * For l = 8 there would be six times as many points. */
#define POINTS_HOLE    16.0
#define POINTS_REMNANT 20.0
#define POINTS_WAVE    5.1

/* Radius of the finest level over the size of the hole that needs it, and by how much each coarser level reaches further: more
 * where the other hole's levels begin two or more below, as a small hole is fast and its own are all that it has. The other, larger hole
 * has at least so many spacings in its size, or spin and irreducible mass drift (docs/studies/grid_and_gauge.md). Its finest level reaches
 * as far as that of the first one, or so many radii of its settled horizon, which eta makes larger the heavier the hole is: a refinement
 * boundary at a horizon lets the hole's mass fall. */
#define FINEST_RADIUS 2.4
#define GROWTH_ALIKE  1.6
#define GROWTH_SMALL  2.0
#define OTHER_POINTS  14.5
#define OTHER_RADIUS  1.8

/* Under-resolved moving punctures accelerate spuriously: by v^(PUSH_SPEED - 1) (POINTS_HOLE/n)^PUSH_ORDER in units of the mass, up to
 * a factor, n being the spacings in the size of the hole and v its speed. PUSH makes it a power. Speeds of 0.17 to 0.5 and n of 16, 24, 32 of single
 * holes gave the exponents, orbits of mass ratios 1 and 4 the factor (docs/studies/q4.md). Where this power is more than PUSH_MOST
 * of that of the waves at the start, holes have an extra finest level, within CORE_RADIUS radii of the settled horizon. The smaller
 * hole has it alone where the other's power is less than OTHER_PUSH of its own. That is cheaper, so PUSH_LONE is enough for it. */
#define PUSH        3e-4
#define PUSH_SPEED  4.7
#define PUSH_ORDER  7.0
#define PUSH_MOST   0.06
#define PUSH_LONE   0.012
#define OTHER_PUSH  0.2
#define CORE_RADIUS 1.35

/* Radius of the balls that norms leave out, over that of the larger horizon. */
#define LEFT_OUT 1.2

/* Part of a level up to which the wave zone is made finer, where its spacing is no power of two of that of the holes; else the holes
 * are. The wave zone costs less. */
#define FINER_ZONE 0.6

/* Mass of the remnant, about. */
#define LAST_MASS 0.95

/* Radius of each coarser level around the wave zone over that of the one before; or the next one contains the spheres beyond the
 * zone, so far inside its refinement boundary, M. */
#define GROWTH     1.5
#define FAR_INSIDE 4.0

/* Intervals, M: waves, horizons, norms. How long holes may move off the middle of their grid, over the mass of the
 * smaller one. Samples in a period. */
#define WAVES    0.3
#define HORIZONS 1.0
#define NORMS    4.0
#define REGRID   1.5
#define SAMPLES  12.0

/* Least samples in a period of the highest mode. */
#define LEAST_SAMPLES 8.5

/* Return l of the shortest wave that the wave zone is planned for. */
static int resolved(const tx_plan *p) {
  const int l = tx_settings_params(p->settings)->waves_l_max;
  return tx_settings_given(p->settings, "waves.l_max") || l < TX_ADVICE_L ? l : TX_ADVICE_L;
}

static double wave_of(const tx_plan *p, int l) {
  return 2.0 * M_PI * LAST_MASS / tx_ringdown_frequency(l, p->last_spin);
}

static double shortest_wave(const tx_plan *p) {
  return wave_of(p, resolved(p));
}

/* Spacings of the coarsest member, and levels. */
typedef struct levels {
  int small;           /* the hole that needs the finest level */
  double finest, zone; /* spacings, M */
  int up;              /* levels from the wave zone to the finest one */
  int apart;           /* and from there down to the other hole's finest */
  bool core;           /* the finest level is an extra one at the puncture */
  double radius[2];    /* of the finest levels of the small hole and of the other, M */
  double extent;       /* M */
  int ball;            /* level of the wave zone */
} levels;

/* Return the power of the spurious acceleration of hole a where the spacing is h, over that of the waves of the orbit (Newtonian). */
static double push(const tx_plan *p, int a, double h) {
  const double speed = p->mass[1 - a] / sqrt(p->separation);
  const double waves = 6.4 * pow(p->mass[0] * p->mass[1], 2) * pow(p->separation, -5);
  return PUSH * pow(speed, PUSH_SPEED) * pow(POINTS_HOLE * h / p->size[a], PUSH_ORDER) / waves;
}

/* Find the other hole's finest level, the extra level, and the radii of the finest levels. A hole with spin has about the bare mass that is its size. */
static void find_reach(levels *v, const tx_plan *p) {
  const int small = v->small, large = 1 - small;
  const double size = p->size[small], other = p->size[large];
  v->apart = (int)fmax(0.0, floor(log2(other / OTHER_POINTS / (size / POINTS_HOLE)) + 1e-6));
  const double own = push(p, small, v->finest);
  const double theirs = push(p, large, ldexp(v->finest, v->apart));
  const bool lone = theirs < OTHER_PUSH * own;
  v->core = own + theirs > (lone ? PUSH_LONE : PUSH_MOST);
  if (v->core) {
    v->finest *= 0.5;
    v->up++;
    if (lone) v->apart++;
  }
  const tx_params *q = tx_settings_params(p->settings);
  v->radius[0] = v->core ? CORE_RADIUS * tx_settled_radius(q, size) : FINEST_RADIUS * size;
  v->radius[1] = fmax(v->radius[0], (v->core && v->apart == 0 ? CORE_RADIUS : OTHER_RADIUS) *
                                        tx_settled_radius(q, other));
}

static levels find_levels(const tx_plan *p, double least_extent) {
  levels v = {.small = p->size[0] < p->size[1] ? 0 : 1};
  v.finest = p->size[v.small] / POINTS_HOLE;
  v.zone = shortest_wave(p) / POINTS_WAVE;
  const double between = log2(v.zone / v.finest) + 1e-6;
  v.up = (int)floor(between);
  if (between - v.up > FINER_ZONE) {
    v.up++;
    v.finest = ldexp(v.zone, -v.up);
  } else {
    v.zone = ldexp(v.finest, v.up);
  }
  find_reach(&v, p);
  const double base = v.zone * trees[TX_ACCURACY_COARSE] * TX_N;
  v.ball = (int)fmax(0.0, ceil(log2(least_extent / base) - 1e-9));
  v.extent = tx_settings_given(p->settings, "grid.extent")
                 ? tx_settings_params(p->settings)->grid_extent
                 : ldexp(base, v.ball);
  return v;
}

/* Return a number with few digits that is a little smaller, and its spacings with it. */
static double shortened(double x) {
  const double unit = pow(10.0, floor(log10(x)) - 3.0);
  char digits[32];
  snprintf(digits, sizeof digits, "%.4g", floor(x / unit + 1e-9) * unit);
  return strtod(digits, NULL);
}

static void put_holes(tx_plan *p, const levels *v) {
  tx_settings *s = p->settings;
  const tx_params *q = tx_settings_params(s);
  const int finest = q->grid_level_max, other = (int)fmax(q->grid_level_min, finest - v->apart);
  const double growth = v->core || v->apart > 1 ? GROWTH_SMALL : GROWTH_ALIKE;
  static const char *const keys[2] = {"grid.bh1_level", "grid.bh2_level"};
  static const char *const own[2] = {"grid.bh1_radius", "grid.bh2_radius"};
  if (v->apart > 0)
    for (int a = 0; a < 2; a++)
      tx_settings_put_int(s, keys[a], a == v->small ? finest : other,
                          "h = 1/%.3g M; its mass is %.3g h",
                          1.0 / tx_level_spacing(q, a == v->small ? finest : other),
                          p->mass[a] / tx_level_spacing(q, a == v->small ? finest : other));
  tx_settings_put_real(s, "grid.bh_radius", shortened(v->radius[0]),
                       "M; radius of the finest level around a puncture");
  if (v->radius[1] > v->radius[0])
    tx_settings_put_real(s, own[1 - v->small], shortened(v->radius[1]),
                         "M; of this hole, whose horizon grows to %.2g M",
                         tx_settled_radius(q, p->size[1 - v->small]));
  tx_settings_put_real(s, "grid.bh_growth", growth, "each coarser level reaches %g times as far",
                       growth);
}

/* Let norms of the constraints leave out the insides of horizons. */
static void put_norms(tx_plan *p) {
  const tx_params *q = tx_settings_params(p->settings);
  const double radius = tx_settled_radius(q, fmax(p->size[0], p->size[1]));
  if (LEFT_OUT * radius > q->output_norms_exclude)
    tx_settings_put_real(p->settings, "output.norms_exclude", ceil(10.0 * LEFT_OUT * radius) / 10.0,
                         "M; the insides of horizons");
}

/* Put the finest level after the merger. */
static void put_remnant(tx_plan *p, const levels *v) {
  const double a = p->last_spin, size = LAST_MASS * sqrt(1.0 - a * a);
  const int drop = (int)floor(log2(size / POINTS_REMNANT / v->finest) + 1e-6);
  const tx_params *q = tx_settings_params(p->settings);
  if (drop < 1) return;
  const int level = (int)fmax(q->grid_level_min, q->grid_level_max - drop);
  tx_settings_put_int(p->settings, "grid.remnant_level", level, "h = 1/%.3g M after the merger",
                      1.0 / tx_level_spacing(q, level));
}

static void put_zone(tx_plan *p, const levels *v) {
  tx_settings *s = p->settings;
  const tx_params *q = tx_settings_params(s);
  const int l = resolved(p);
  if (q->waves_radii.n == 0 && p->tube == 0.0) return;
  const double inside = fmax(p->zone, p->tube), ball = ceil(inside + TX_PLAN_BEYOND);
  const double far = (tx_outermost(&q->waves_radii) + FAR_INSIDE) / ball;
  tx_settings_put_int(
      s, "grid.ball_level", (int)fmin(v->ball, q->grid_level_max),
      "h = %.3g M in the wave zone: %.3g and %.3g points per wavelength of l = 2 and %d",
      tx_level_spacing(q, v->ball),
      2.0 * M_PI * LAST_MASS / tx_ringdown_frequency(2, p->last_spin) /
          tx_level_spacing(q, v->ball),
      shortest_wave(p) / tx_level_spacing(q, v->ball), l);
  tx_settings_put_real(s, "grid.ball_radius", ball,
                       "M; its refinement boundary is too far out to disturb r = %g M", inside);
  if (far > GROWTH)
    tx_settings_put_real(
        s, "grid.ball_growth", ceil(far * 100.0) / 100.0,
        "each coarser level reaches so many times as far: the next one contains r = %g M",
        tx_outermost(&q->waves_radii));
  else
    tx_settings_put_real(
        s, "grid.ball_growth", GROWTH,
        "each coarser level reaches 1.5 times as far; 2 reflects less and costs a third more");
  tx_settings_put_real(s, "evolution.dissipation_outside", 2.0,
                       "damps reflections from refinement boundaries by a third");
}

/* Return the most levels that the mesh can have with so many root octants. */
static int most_level(int n) {
  int more = 0;
  while (1 << more < n) more++;
  return TX_LEVELS - 1 - more;
}

/* Check that the mesh can have the finest level; else name an accuracy that can. */
static tx_status check_level(const tx_plan *p, int level) {
  const tx_params *q = tx_settings_params(p->settings);
  const int most = most_level(q->grid_trees);
  int lower = (int)p->wish.accuracy - 1;
  while (lower >= 0 && level > most_level(trees[lower])) lower--;
  TX_REQUIRE(tx_settings_given(p->settings, "grid.level_max") || level <= most, TX_ERR_PARAM,
             "--accuracy %s: the small hole needs level %d, and with %d trees level %d is the "
             "finest possible: give %s%s",
             tx_accuracy_names[p->wish.accuracy], level, q->grid_trees, most,
             lower >= 0 ? "--accuracy " : "a less extreme mass ratio or spin, or fewer orbits",
             lower >= 0 ? tx_accuracy_names[lower] : "");
  return TX_OK;
}

tx_status tx_plan_grid(tx_plan *p) {
  tx_settings *s = p->settings;
  const tx_params *q = tx_settings_params(s);
  const levels v = find_levels(p, tx_settings_given(s, "grid.extent")
                                      ? q->grid_extent
                                      : 0.5 * (p->t_end + fmax(p->zone, p->tube)));
  tx_settings_put_real(s, "grid.extent", shortened(v.extent),
                       "M; reflections from the outer boundary reach the spheres after the end");
  tx_settings_put_int(s, "grid.trees", trees[p->wish.accuracy],
                      "accuracy %s: all spacings are in proportion to 1/trees; coarse %d, standard "
                      "%d, high %d",
                      tx_accuracy_names[p->wish.accuracy], trees[0], trees[1], trees[2]);
  if (!tx_wish_precesses(&p->wish))
    tx_settings_put(s, "grid.reflect", "z", "spins are along z: this halves the work");
  TX_TRY(check_level(p, v.ball + v.up));
  tx_settings_put_int(s, "grid.level_min", 0, "h = %.3g M", tx_level_spacing(q, 0));
  tx_settings_put_int(s, "grid.level_max", v.ball + v.up, "h = 1/%.3g M",
                      1.0 / tx_level_spacing(q, v.ball + v.up));
  put_holes(p, &v);
  put_remnant(p, &v);
  put_norms(p);
  put_zone(p, &v);
  return TX_OK;
}

/* Put an interval: a multiple of the longest macro step, near `time` and not above `most`; half of one, and so on, where one is
 * above. */
static void put_every(tx_plan *p, const char *key, double dt, double time, double most) {
  const tx_params *q = tx_settings_params(p->settings);
  const int m = tx_macro_longest(q, q->grid_level_max, q->grid_level_min);
  double unit = ldexp(1.0, m);
  while (unit > 1.0 && unit * dt > most) unit *= 0.5;
  const double units = fmin(floor(time / dt / unit + 0.5), floor(most / dt / unit));
  const int steps = (int)(fmax(1.0, units) * unit);
  tx_settings_put_int(p->settings, key, steps, "steps; %.2g M", steps * dt);
}

void tx_plan_cadences(tx_plan *p) {
  const tx_params *q = tx_settings_params(p->settings);
  const double dt = tx_time_step(q, tx_level_spacing(q, q->grid_level_max));
  const double most = wave_of(p, q->waves_l_max) / LEAST_SAMPLES;
  const double wave = fmin(WAVES, fmin(shortest_wave(p) / SAMPLES, most));
  const double small = fmin(p->size[0], p->size[1]);
  const double off = 1.0 - TX_POLICY_AHEAD; /* part of the way between two regrids */
  put_every(p, "grid.regrid_every", dt, REGRID * small / off, q->grid_bh_radius / off);
  put_every(p, "waves.every", dt, wave, most);
  put_every(p, "horizons.every", dt, HORIZONS, INFINITY);
  put_every(p, "output.norms_every", dt, NORMS, INFINITY);
  put_every(p, "output.track_every", dt, wave, INFINITY);
  tx_settings_put_int(p->settings, "output.log_every", 2000, "steps");
}
