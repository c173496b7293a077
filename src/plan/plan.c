#include "plan/plan.h"
#include "advice/radii.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "evolve/demands.h"
#include "physics/initial_data/quasi_circular.h"
#include "physics/initial_data/two_punctures_point.h"
#include "base/vec3.h"

/* Bowen-York data reach spins of 0.928; above this a puncture has so little bare mass that no grid here resolves it. */
#define LARGEST_SPIN 0.92

/* Beyond this spin bare masses are so small that the spectral solver hardly gets to its own tolerance of 1e-9 with 128 points: at
 * mass ratio 3, spins 0.9 and 8 M its error falls by 12 for 16 points more, from 2.2e-3 with 48. To this tolerance it takes 96
 * points there, 112 at mass ratio 6. Spin 0.85 still gets to 1e-9, with 112. */
#define FAST_SPIN      0.85
#define FAST_TOLERANCE 1e-6

/* The size of the smaller hole over the separation, m sqrt(1 - chi^2) / D, below which even 128 points do not get there where holes
 * spin: to 1e-9, with spins of 0.8 and mass ratio 10, at 8 M (0.0068), but not with 0.85 at 10 M (0.0048: 2e-9); to 1e-6, with 0.9 and ratio 3,
 * at 10 M (0.0109), but not with 0.915 and ratio 10 there (0.0037: 2e-6). There the most points are taken as they come. */
#define SMALL_SIZE      0.006
#define FAST_SMALL_SIZE 0.01

/* Largest mass ratio for moving punctures and these series. */
#define LARGEST_RATIO 32.0

/* Largest separation, M. */
#define FARTHEST 200.0

/* Least orbits before the merger. */
#define LEAST_ORBITS 0.5

/* Mergers of coarse runs are up to so much later than the forecast, or as late as it may be where spins precess (docs/numerics.md);
 * after that comes the way to the outermost sphere through the hole's field, the ringdown, and what follows, M. */
#define LATER            1.03
#define LATER_PRECESSING 1.05
#define RINGDOWN         110.0

/* Spheres: the innermost at least at this radius, beyond the near zone of the first orbit 1/(2 w), the outermost so many
 * times as far, even in 1/r. */
#define INNERMOST 25.0
#define OUTERMOST 1.8
#define NEAR_ZONE 1.1
#define SPHERES   6

/* Two more spheres, beyond the wave zone, on a grid twice as coarse: for what is so slow that the others are in its near zone. The
 * outer one is seen this long after the merger, M. */
#define FAR          100.0
#define FAR_BETWEEN  75.0
#define FAR_RINGDOWN 75.0

/* Modes that are written. */
#define L_MAX 8

/* Return the expected spin of the remnant: arXiv:0904.2577 eq. 6 and 8, the axis of the orbit along z. */
static double last_spin(const tx_wish *w) {
  const bool first = w->q >= 1.0;
  const double q = first ? 1.0 / w->q : w->q; /* of the lighter to the heavier */
  const double *s1 = w->chi[first ? 0 : 1], *s2 = w->chi[first ? 1 : 0];
  const double a1 = s1[2], a2 = s2[2];
  const double nu = q / ((1.0 + q) * (1.0 + q)), q2 = q * q;
  const double l =
      2.0 * sqrt(3.0) - 3.5171 * nu + 2.5763 * nu * nu -
      0.1229 / pow(1.0 + q2, 2) *
          (tx_vec3_dot(s1, s1) + tx_vec3_dot(s2, s2) * q2 * q2 + 2.0 * tx_vec3_dot(s1, s2) * q2) +
      (0.4537 * nu - 2.8904 + 2.0) / (1.0 + q2) * (a1 + q2 * a2);
  const double total[3] = {s1[0] + s2[0] * q2, s1[1] + s2[1] * q2, a1 + a2 * q2 + l * q};
  return fmin(tx_vec3_norm(total) / ((1.0 + q) * (1.0 + q)), 0.96);
}

static tx_status check_holes(const tx_wish *w) {
  TX_REQUIRE(w->q >= 1.0 / LARGEST_RATIO && w->q <= LARGEST_RATIO, TX_ERR_PARAM,
             "--q %g: mass ratios from 1/%g to %g can be planned; give one in this range", w->q,
             LARGEST_RATIO, LARGEST_RATIO);
  for (int a = 0; a < 2; a++) {
    const double *chi = w->chi[a], length = tx_vec3_norm(chi), fits = 0.999 * LARGEST_SPIN / length;
    TX_REQUIRE(
        length < LARGEST_SPIN, TX_ERR_PARAM,
        "--chi%d: a spin of %.4g is not possible: punctures reach less than %g; the nearest is "
        "--chi%d %.3f %.3f %.3f",
        a + 1, length, LARGEST_SPIN, a + 1, fits * chi[0], fits * chi[1], fits * chi[2]);
  }
  return TX_OK;
}

/* Round up to a multiple of 1/parts, so that an orbit is no closer than the limit: the number that its digits are read as. */
static double up(double x, double parts) {
  return ceil(x * parts - 1e-9) / parts;
}

/* Return the fewest orbits that can be asked for, from those of the closest start [out]. */
static double find_fewest(const tx_wish *w, double least, tx_inspiral_forecast *f) {
  tx_quasi_circular_forecast(up(least, 100.0), w->q, w->chi[0], w->chi[1], f);
  return fmax(LEAST_ORBITS, up(f->orbits, 10.0));
}

double tx_plan_fewest_orbits(const tx_wish *w) {
  tx_inspiral_forecast f;
  return find_fewest(w, tx_quasi_circular_nearest(w->q, w->chi[0], w->chi[1]), &f);
}

static tx_status find_separation(tx_plan *p) {
  const tx_wish *w = &p->wish;
  const double *c1 = w->chi[0], *c2 = w->chi[1];
  const double least = tx_quasi_circular_nearest(w->q, c1, c2);
  if (w->separation > 0.0) {
    TX_REQUIRE(w->separation >= least, TX_ERR_PARAM,
               "--separation %g M is too close: inside %.2f M this binary has no stable orbit, or "
               "post-Newtonian momenta fail: give --separation %.2f or more",
               w->separation, least, up(least, 100.0));
    TX_REQUIRE(w->separation <= FARTHEST, TX_ERR_PARAM,
               "--separation %g M is above %g M, too long an inspiral to evolve; give less",
               w->separation, FARTHEST);
    p->separation = w->separation;
  } else if (w->frequency > 0.0) {
    tx_quasi_circular innermost;
    tx_quasi_circular_momenta(up(least, 100.0), w->q, w->chi[0], w->chi[1], &innermost);
    p->separation = tx_quasi_circular_separation_at(w->frequency, w->q, c1, c2);
    p->separation = round(p->separation * 1e6) / 1e6;
    TX_REQUIRE(p->separation > 0.0 || w->frequency < innermost.frequency, TX_ERR_PARAM,
               "--frequency %g / M is too high: above %.4f / M this binary has no stable orbit, or "
               "post-Newtonian momenta fail: give --frequency %.4f or less",
               w->frequency, innermost.frequency, floor(innermost.frequency * 1e4) * 1e-4);
    TX_REQUIRE(
        p->separation > 0.0, TX_ERR_PARAM,
        "--frequency %g / M means a separation above 200 M, too long an inspiral to evolve; give a "
        "higher one",
        w->frequency);
  } else {
    tx_inspiral_forecast f;
    const double fewest = find_fewest(w, least, &f);
    TX_REQUIRE(w->orbits >= fewest, TX_ERR_PARAM,
               "--orbits %g are too few: from its closest quasi-circular orbit this binary takes "
               "%.2g, and a plan starts at least %g before the merger: give --orbits %.2g or more, "
               "or set positions and momenta yourself (par/bbh_qc0.yaml)",
               w->orbits, f.orbits, LEAST_ORBITS, fewest);
    p->separation = tx_quasi_circular_separation_of(w->orbits, w->q, c1, c2);
    TX_REQUIRE(
        p->separation > 0.0, TX_ERR_PARAM,
        "--orbits %g mean a separation above 200 M, too long an inspiral to evolve; give fewer",
        w->orbits);
    p->separation = round(p->separation * 1e3) / 1e3;
  }
  return TX_OK;
}

static tx_status make_orbit(tx_plan *p) {
  const tx_wish *w = &p->wish;
  tx_inspiral_forecast f;
  tx_quasi_circular start;
  TX_TRY(find_separation(p));
  tx_quasi_circular_forecast(p->separation, w->q, w->chi[0], w->chi[1], &f);
  tx_quasi_circular_momenta(p->separation, w->q, w->chi[0], w->chi[1], &start);
  p->merger = f.time;
  p->orbits = f.orbits;
  p->frequency = start.frequency;
  p->last_spin = last_spin(w);
  for (int a = 0; a < 2; a++) {
    p->mass[a] = start.mass[a];
    p->size[a] = start.mass[a] * sqrt(1.0 - pow(tx_vec3_norm(w->chi[a]), 2));
  }
  return TX_OK;
}

static void put_data(tx_plan *p) {
  tx_settings *s = p->settings;
  char chi[100];
  tx_settings_put(s, "initial_data.type", "quasi_circular", "%s", "");
  tx_settings_put_real(s, "initial_data.separation", p->separation,
                       "M; the ADM masses of the holes add up to 1 M");
  tx_settings_put_real(s, "initial_data.mass_ratio", p->wish.q,
                       "masses %.5g and %.5g M; hole 1 starts at x > 0", p->mass[0], p->mass[1]);
  for (int a = 0; a < 2; a++) {
    const double *x = p->wish.chi[a];
    if (tx_vec3_norm(x) == 0.0) continue;
    snprintf(chi, sizeof chi, "[%.15g, %.15g, %.15g]", x[0], x[1], x[2]);
    tx_settings_put(s, a == 0 ? "initial_data.bh1_chi" : "initial_data.bh2_chi", chi,
                    "dimensionless spin S/m^2; z: along the orbital angular momentum");
  }
}

/* Put resolution or tolerance of the spectral solver where its defaults do not suffice. */
static void put_solver(tx_plan *p) {
  const double spin = fmax(tx_vec3_norm(p->wish.chi[0]), tx_vec3_norm(p->wish.chi[1]));
  const double size = fmin(p->size[0], p->size[1]) / p->separation;
  const bool fast = spin > FAST_SPIN;
  if (spin > 0.0 && size < (fast ? FAST_SMALL_SIZE : SMALL_SIZE) &&
      !tx_settings_given(p->settings, "initial_data.tolerance"))
    tx_settings_put_int(p->settings, "initial_data.resolution", TX_SPECTRAL_MAX,
                        "the most points; the error of u may be above initial_data.tolerance");
  else if (fast)
    tx_settings_put_real(p->settings, "initial_data.tolerance", FAST_TOLERANCE,
                         "error of u; such spins need more than 112 points for 1e-9");
}

static void put_radii(tx_plan *p) {
  const double near = NEAR_ZONE * 0.5 * pow(p->separation, 1.5);
  const double inner = 5.0 * ceil(fmax(INNERMOST, near) / 5.0 - 1e-9);
  const double far[] = {FAR_BETWEEN, FAR};
  char text[200] = "[";
  p->zone = OUTERMOST * inner;
  for (int i = SPHERES - 1; i >= 0; i--) {
    const size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "%s%.4g", n > 1 ? ", " : "",
             p->zone / (1.0 + (OUTERMOST - 1.0) * i / (SPHERES - 1)));
  }
  for (int i = 0; i < 2; i++) {
    const size_t n = strlen(text);
    if (far[i] > TX_PLAN_APART * p->zone) snprintf(text + n, sizeof text - n, ", %g", far[i]);
  }
  strcat(text, "]");
  tx_settings_put(p->settings, "waves.radii", text, "M; evenly spaced in 1/r%s",
                  FAR > TX_PLAN_APART * p->zone ? " in the wave zone; beyond it: for slow modes"
                                                : "");
  if (tx_settings_given(p->settings, "waves.radii"))
    p->zone = tx_outermost(&tx_settings_params(p->settings)->waves_radii);
  p->tube = tx_outermost(&tx_settings_params(p->settings)->waves_worldtubes);
}

static void put_end(tx_plan *p) {
  const double later = tx_wish_precesses(&p->wish) ? LATER_PRECESSING : LATER;
  const double far = tx_outermost(&tx_settings_params(p->settings)->waves_radii);
  const double after = fmax(fmax(p->zone, p->tube) + RINGDOWN, far + FAR_RINGDOWN);
  tx_settings_put_real(p->settings, "run.t_end", 10.0 * ceil((later * p->merger + after) / 10.0),
                       "M; merger, up to %.0f%% late, and ringdown have passed r = %g M",
                       100.0 * (later - 1.0), fmax(far, p->tube));
  p->t_end = tx_settings_params(p->settings)->run_t_end;
}

/* Put gauge and evolution as in the runs of RESULTS.md. */
static void put_physics(tx_plan *p) {
  tx_settings *s = p->settings;
  tx_settings_put_real(s, "evolution.cfl", 0.45, "time step of a level over its spacing");
  tx_settings_put_real(s, "gauge.slow_start", 0.6,
                       "1/M; without it the gauge pulse leaves noise of 0.001");
  if (fmax(p->wish.q, 1.0 / p->wish.q) > 2.5)
    tx_settings_put(s, "gauge.eta_form", "radial",
                    "damping of the shift: 2/M inside, 0.25/M outside 40 M");
}

tx_status tx_plan_make(const tx_wish *wish, const char *path, tx_plan *out) {
  *out = (tx_plan){.wish = *wish};
  TX_TRY(check_holes(wish));
  TX_TRY(make_orbit(out));
  TX_TRY(tx_settings_create(wish->n_set, wish->set, &out->settings));
  put_data(out);
  put_solver(out);
  put_radii(out);
  tx_settings_put_int(out->settings, "waves.l_max", L_MAX, "modes up to this l");
  tx_settings_put(out->settings, "waves.text", "false",
                  "true: also a text file for each mode and radius");
  put_end(out);
  put_physics(out);
  TX_TRY(tx_plan_grid(out));
  tx_plan_cadences(out);
  return tx_settings_check(out->settings, path, tx_evolve_demands);
}

void tx_plan_free(tx_plan *plan) {
  tx_settings_destroy(plan->settings);
  plan->settings = NULL;
}
