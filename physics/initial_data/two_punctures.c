#include "physics/initial_data/two_punctures.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "base/memory.h"
#include "base/vec3.h"
#include "physics/initial_data/bare_masses.h"
#include "physics/initial_data/two_punctures_newton.h"
#include "physics/initial_data/two_punctures_series.h"

/* Resolutions tried for a tolerance; a fixed one above FIRST starts from the masses and u of FIRST. */
static const int resolutions[] = {16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128};
enum { RESOLUTIONS = sizeof resolutions / sizeof resolutions[0], FIRST = 24 };

/* Most steps to the ADM masses, and on the way to the last resolution: where u of a fast spin is not resolved, no bare mass may
 * give the mass that is wanted. */
enum { MASS_STEPS = 60, MASS_STEPS_BEFORE = 4 };

/* Relative error of the ADM masses that are aimed at. */
#define MASS_TOLERANCE 1e-12

static tx_status spec_check(const tx_two_punctures_spec *s) {
  TX_REQUIRE(s->n == 1 || s->n == 2, TX_ERR_PARAM,
             "two punctures: %d punctures; 1 or 2 can be solved", s->n);
  for (int a = 0; a < s->n; a++) {
    TX_REQUIRE(s->mass[a] > 0.0 && isfinite(s->mass[a]), TX_ERR_PARAM,
               "two punctures: mass %g of puncture %d; a puncture needs a mass above 0", s->mass[a],
               a + 1);
    for (int i = 0; i < 3; i++)
      TX_REQUIRE(
          isfinite(s->position[a][i]) && isfinite(s->momentum[a][i]) && isfinite(s->spin[a][i]),
          TX_ERR_PARAM,
          "two punctures: position, momentum or spin of puncture %d is not a number: %g, %g, %g "
          "in direction %d",
          a + 1, s->position[a][i], s->momentum[a][i], s->spin[a][i], i);
  }
  TX_REQUIRE(s->resolution == 0 ||
                 (s->resolution >= 8 && s->resolution <= TX_SPECTRAL_MAX && s->resolution % 2 == 0),
             TX_ERR_PARAM, "two punctures: resolution %d; choose 0 or an even number from 8 to %d",
             s->resolution, TX_SPECTRAL_MAX);
  TX_REQUIRE(s->tolerance > 0.0, TX_ERR_PARAM, "two punctures: tolerance %g; choose one above 0",
             s->tolerance);
  if (s->n == 1) return TX_OK;
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = s->position[0][i] - s->position[1][i];
  TX_REQUIRE(tx_vec3_norm(d) > 1e-6 * (s->mass[0] + s->mass[1]), TX_ERR_PARAM,
             "two punctures: they lie at a distance of %g M; move them apart", tx_vec3_norm(d));
  return TX_OK;
}

/* One puncture: the other focus lies along the vector that matters most, so that u is nearly axisymmetric.
 * Farther away, the logarithms at infinity weigh less; nearer, the surroundings of the puncture are resolved
 * better: at 4 m both are as small at 32 points. */
#define LONE_DISTANCE 4.0
static void lone_focus(const tx_two_punctures_spec *s, double *other) {
  const double P = tx_vec3_norm(s->momentum[0]) * s->mass[0], S = tx_vec3_norm(s->spin[0]);
  const double *along = P > S ? s->momentum[0] : s->spin[0], size = tx_vec3_norm(along);
  for (int i = 0; i < 3; i++)
    other[i] =
        s->position[0][i] - (size > 0.0 ? along[i] / size : i == 0) * LONE_DISTANCE * s->mass[0];
}

/* The frame of the foci; its third axis is z for foci in a plane z = const. */
static void frame_create(const tx_two_punctures_spec *s, tx_spectral *u) {
  double other[3], d[3];
  memcpy(other, s->position[1], sizeof other);
  if (s->n == 1) lone_focus(s, other);
  for (int i = 0; i < 3; i++) {
    d[i] = s->position[0][i] - other[i];
    u->centre[i] = 0.5 * (s->position[0][i] + other[i]);
  }
  const double distance = tx_vec3_norm(d);
  u->half_distance = 0.5 * distance;
  int up = 2;
  for (int i = 1; i >= 0; i--)
    if (fabs(d[i]) < fabs(d[up])) up = i;
  for (int i = 0; i < 3; i++) u->axis[0][i] = d[i] / distance;
  for (int i = 0; i < 3; i++)
    u->axis[2][i] = (i == up ? 1.0 : 0.0) - u->axis[0][up] * u->axis[0][i];
  const double across = tx_vec3_norm(u->axis[2]);
  for (int i = 0; i < 3; i++) u->axis[2][i] /= across;
  tx_vec3_cross(u->axis[2], u->axis[0], u->axis[1]);
}

/* Fill the data that do not need u. */
static void data_create(const tx_two_punctures_spec *s, tx_two_punctures *out) {
  tx_bowen_york *b = &out->data;
  b->n = s->n;
  frame_create(s, &b->u);
  for (int a = 0; a < s->n; a++) {
    b->mass[a] = s->mass[a];
    memcpy(b->position[a], s->position[a], sizeof b->position[a]);
    memcpy(b->momentum[a], s->momentum[a], sizeof b->momentum[a]);
    memcpy(b->spin[a], s->spin[a], sizeof b->spin[a]);
    double orbital[3];
    tx_vec3_cross(s->position[a], s->momentum[a], orbital);
    for (int i = 0; i < 3; i++) {
      out->momentum[i] += s->momentum[a][i];
      out->angular_momentum[i] += orbital[i] + s->spin[a][i];
    }
  }
}

/* Does the reflection across the third axis of the frame leave the data as they are? */
static int mirror(const tx_bowen_york *b) {
  int even = 1;
  for (int a = 0; a < b->n; a++)
    even = even && tx_vec3_dot(b->momentum[a], b->u.axis[2]) == 0.0 &&
           tx_vec3_dot(b->spin[a], b->u.axis[0]) == 0.0 &&
           tx_vec3_dot(b->spin[a], b->u.axis[1]) == 0.0;
  return even;
}

/* The state of the solver, from resolution to resolution. */
typedef struct solver {
  const tx_two_punctures_spec *spec;
  tx_two_punctures *out;
  tx_collocation grid;
  tx_puncture_equation equation;
  double *modes;  /* u on the grid */
  double *series; /* and its coefficients, of grid.n or, before, of `n_series` points */
  int n_series;   /* 0: none yet */
  double u_max;   /* largest |u| */
  double u_at[2]; /* u at the punctures */
  tx_bare_masses masses;
  double mass_tolerance; /* relative error of the ADM masses allowed */
} solver;

/* u for the masses at hand. */
static tx_status u_solve(solver *s) {
  if (!s->modes) return TX_OK;
  tx_puncture_equation_masses(&s->equation, &s->out->data);
  TX_TRY(tx_puncture_equation_solve(&s->equation, s->modes, &s->out->newton_steps));
  TX_TRY(tx_collocation_series(&s->grid, s->modes, s->series));
  tx_series_foci(s->grid.n, s->series, s->u_at);
  return TX_OK;
}

/* ADM masses for the u at hand. */
static void adm_masses(solver *s) {
  const tx_bowen_york *b = &s->out->data;
  for (int a = 0; a < b->n; a++) {
    const double other = b->n == 2 ? b->mass[1 - a] / (4.0 * b->u.half_distance) : 0.0;
    s->out->mass_adm[a] = b->mass[a] * (1.0 + s->u_at[a] + other);
  }
}

/* u at this resolution, and with it the bare masses if ADM masses are given. `last': these must be reached. */
static tx_status masses_solve(solver *s, bool last) {
  const tx_two_punctures_spec *spec = s->spec;
  double miss[2] = {0.0};
  for (int k = 0; k < MASS_STEPS; k++) {
    TX_TRY(u_solve(s));
    adm_masses(s);
    if (!spec->adm_masses || (!last && k == MASS_STEPS_BEFORE)) return TX_OK;
    int reached = 1;
    for (int a = 0; a < spec->n; a++) {
      miss[a] = spec->mass[a] - s->out->mass_adm[a];
      if (!(fabs(miss[a]) <= s->mass_tolerance * spec->mass[a])) reached = 0;
    }
    if (reached) return TX_OK;
    tx_bare_masses_next(&s->masses, spec->mass, s->out->mass_adm, k > 0, &s->out->data);
    s->out->mass_steps++;
  }
  TX_FAIL(
      TX_ERR_NUMERICS,
      "two punctures: after %d steps the ADM masses still miss %g, %g by %g, %g; momenta or spins "
      "may be too large for these masses",
      MASS_STEPS, spec->mass[0], spec->n == 2 ? spec->mass[1] : 0.0, miss[0], miss[1]);
}

/* A new grid, with u continued to it. */
static tx_status level_begin(solver *s, int n) {
  tx_puncture_equation_destroy(&s->equation);
  tx_collocation_destroy(&s->grid);
  tx_free(s->modes);
  s->modes = NULL;
  TX_TRY(tx_collocation_create(n, mirror(&s->out->data), &s->grid));
  TX_TRY(tx_puncture_equation_create(&s->grid, &s->out->data, &s->equation));
  TX_TRY(tx_alloc(s->grid.size, sizeof *s->modes, "solver of the initial data", &s->modes));
  if (s->n_series > 0) TX_TRY(tx_collocation_prolong(&s->grid, s->n_series, s->series, s->modes));
  tx_free(s->series);
  s->series = NULL;
  s->n_series = n;
  return tx_alloc(s->grid.size, sizeof *s->series, "solver of the initial data", &s->series);
}

/* How much of an error of u at fixed bare masses is left, or gained, as these follow it to the ADM masses:
 * M(m) = m (1 + u + ...) falls less steeply with m as u grows. */
static double amplification(const solver *s) {
  double most = 1.0;
  for (int a = 0; a < s->spec->n && s->masses.begun; a++) {
    const double ratio = s->out->mass_adm[a] / s->out->data.mass[a];
    most = fmax(most, ratio * ratio / s->masses.slope[a][a]);
  }
  return most;
}

/* The error over what the last terms of the series add: above what was seen in all kinds of data where the
 * last terms weigh most; and the error of the best solutions. */
#define TAIL      4.0
#define ROUND_OFF 5e-13

static tx_status error_find(solver *s) {
  const int n = s->grid.n;
  TX_TRY(tx_collocation_largest(&s->grid, s->modes, &s->u_max));
  const double tail = s->u_max > 0.0 ? tx_series_tail(n, s->series) / s->u_max : 0.0;
  s->out->error = TAIL * amplification(s) * tail + ROUND_OFF;
  return TX_OK;
}

static tx_status level_solve(solver *s, int n, bool last) {
  s->out->resolution = n;
  TX_TRY(level_begin(s, n));
  TX_TRY(masses_solve(s, last));
  return error_find(s);
}

/* Masses need not be better than the resolution, but for the last one. */
static tx_status levels_solve(solver *s) {
  const int n = s->spec->resolution;
  if (n > FIRST) {
    s->mass_tolerance = 1e-6;
    TX_TRY(level_solve(s, FIRST, false));
  }
  s->mass_tolerance = MASS_TOLERANCE;
  if (n > 0) return level_solve(s, n, true);
  for (int i = 0; i < RESOLUTIONS; i++) {
    s->mass_tolerance = i == 0 ? 1e-3 : fmax(0.01 * s->out->error, MASS_TOLERANCE);
    TX_TRY(level_solve(s, resolutions[i], false));
    if (s->out->error > s->spec->tolerance) continue;
    s->mass_tolerance = MASS_TOLERANCE;
    TX_TRY(masses_solve(s, true));
    TX_TRY(error_find(s));
    if (s->out->error <= s->spec->tolerance) return TX_OK;
  }
  TX_FAIL(
      TX_ERR_NUMERICS,
      "two punctures: the error of u is %.2g with %d points, above initial_data.tolerance = %g; "
      "raise it, or set initial_data.resolution to take the data as they come",
      s->out->error, s->out->resolution, s->spec->tolerance);
}

static tx_status pack(const solver *s) {
  tx_two_punctures *out = s->out;
  tx_spectral *u = &out->data.u;
  u->n_A = u->n_B = s->grid.n;
  u->n_phi = s->grid.n_phi;
  TX_TRY(tx_series_pack(s->grid.n, s->series, 0.003 * out->error * s->u_max, &out->n_coefficients,
                        &out->coefficients));
  u->coefficients = out->coefficients;
  return TX_OK;
}

static tx_status solve(solver *s) {
  tx_two_punctures *out = s->out;
  int at_rest = 1;
  for (int a = 0; a < s->spec->n; a++)
    at_rest = at_rest && tx_vec3_norm(s->spec->momentum[a]) == 0.0 &&
              tx_vec3_norm(s->spec->spin[a]) == 0.0;
  if (at_rest) {
    TX_TRY(masses_solve(s, true));
    out->energy = out->data.mass[0] + out->data.mass[1];
    return TX_OK;
  }
  TX_TRY(levels_solve(s));
  TX_TRY(tx_puncture_equation_residual(&s->equation, s->modes, &out->residual));
  out->energy = out->data.mass[0] + out->data.mass[1] +
                2.0 * out->data.u.half_distance * tx_series_monopole(s->grid.n, s->series);
  return pack(s);
}

tx_status tx_two_punctures_solve(const tx_two_punctures_spec *spec, tx_two_punctures *out) {
  *out = (tx_two_punctures){0};
  TX_TRY(spec_check(spec));
  data_create(spec, out);
  solver s = {.spec = spec, .out = out, .mass_tolerance = MASS_TOLERANCE};
  const tx_status status = solve(&s);
  tx_puncture_equation_destroy(&s.equation);
  tx_collocation_destroy(&s.grid);
  tx_free(s.modes);
  tx_free(s.series);
  if (status != TX_OK) tx_two_punctures_free(out);
  return status;
}

void tx_two_punctures_free(tx_two_punctures *data) {
  tx_free(data->coefficients);
  data->coefficients = NULL;
  data->data.u.coefficients = NULL;
  data->n_coefficients = 0;
}
