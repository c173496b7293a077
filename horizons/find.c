/* The search: Newton's method where it is safe, a flow elsewhere.
 *
 * The flow is the fast flow of Gundlach, gr-qc/9707050, with the weight of its N flow,
 *
 *   \delta a_lm = -(\rho \Theta)_lm / (1 + l (l + 1)),
 *
 * which is Newton's step for spheres near a Schwarzschild horizon in isotropic coordinates: rho
 * Theta is a length, and surfaces of positive expansion shrink. Newton's step solves the linear
 * problem of all coefficients, \oint Y_lm (\Theta + \delta\Theta) d\Omega = 0, exactly. It is
 * taken where it is small against the radius, gets smaller from one step to the next, and where
 * the linear operator has a positive determinant: that of an outermost horizon has no negative
 * eigenvalue (Andersson, Mars, Simon, gr-qc/0506013), that of an inner one has one. So the flow
 * leads past inner horizons. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "horizons/internal.h"

/* Steps are the largest change of the radius over the radius, anywhere on the surface. */
enum { ITERATIONS = 60, PATIENCE = 10 /* iterations without progress */ };
static const double PROGRESS = 0.99;   /* of the mean residual: what it must get below */
static const double STEP_MOST = 0.2;   /* of any step */
static const double STEP_SMALL = 1e-7; /* of Newton's step at a horizon that is found */
static const double STEP_FLOOR = 1e-4; /* the same when it does not get any smaller */
static const double RECENTRE = 0.1;    /* offset of the middle, in mean radii */
static const double REMAINDER = 0.1;   /* root mean square of Theta times areal radius, most */

/* sum_i weight Y_k value over the points: [out] sum[n_modes]. */
static void project(const tx_horizon_finder *f, const double *value, double *sum) {
  memset(sum, 0, (size_t)f->n_modes * sizeof *sum);
  for (int i = 0; i < f->n_points; i++) {
    const double *Y = f->harmonic + (size_t)i * (size_t)f->n_modes, v = f->weight[i] * value[i];
    for (int k = 0; k < f->n_modes; k++) sum[k] += v * Y[k];
  }
}

/* Largest relative change of the radius by f->step. */
static double step_size(const tx_horizon_finder *f) {
  double most = 0.0;
  for (int i = 0; i < f->n_points; i++) {
    const double *Y = f->harmonic + (size_t)i * (size_t)f->n_modes;
    double change = 0.0;
    for (int k = 0; k < f->n_modes; k++) change += Y[k] * f->step[k];
    most = fmax(most, fabs(change) / f->jet[i].h);
  }
  return most;
}

/* d Theta / d coefficient k at point i: row i of f->linear. */
static void linearise(tx_horizon_finder *f) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < f->n_points; i++) {
    double y[TX_HORIZON_COEFFICIENTS][6], *row = f->linear + (size_t)i * (size_t)f->n_modes;
    const double *by = f->column[i] + TX_HORIZON_BY_H;
    tx_sphere_harmonics(&f->sphere, f->point[i], f->n_modes, f->mode, y);
    for (int k = 0; k < f->n_modes; k++) {
      row[k] = 0.0;
      for (int c = 0; c < 6; c++) row[k] += by[c] * y[k][c];
    }
  }
}

static void assemble(tx_horizon_finder *f) {
  size_t n = (size_t)f->n_modes;
#pragma omp parallel for schedule(static)
  for (size_t j = 0; j < n; j++) {
    double *row = f->matrix + j * n;
    memset(row, 0, n * sizeof *row);
    for (size_t i = 0; i < (size_t)f->n_points; i++) {
      double v = f->weight[i] * f->harmonic[i * n + j];
      const double *linear = f->linear + i * n;
      for (size_t k = 0; k < n; k++) row[k] += v * linear[k];
    }
  }
}

/* Newton's step into f->step. Its size; infinite where the step leads to no outermost horizon. */
static double newton_step(tx_horizon_finder *f) {
  for (int i = 0; i < f->n_points; i++) f->value[i] = -f->column[i][TX_HORIZON_THETA];
  project(f, f->value, f->step);
  linearise(f);
  assemble(f);
  return tx_linear_solve(f->n_modes, f->matrix, f->step) > 0 ? step_size(f) : INFINITY;
}

/* The flow's step into f->step. Its size. */
static double flow_step(tx_horizon_finder *f) {
  for (int i = 0; i < f->n_points; i++)
    f->value[i] = -f->column[i][TX_HORIZON_RATE] * f->column[i][TX_HORIZON_THETA];
  project(f, f->value, f->step);
  for (int k = 0; k < f->n_modes; k++) {
    int l, m;
    tx_sphere_mode(f->mode[k], &l, &m);
    f->step[k] /= 1.0 + l * (l + 1.0);
  }
  return step_size(f);
}

static void advance(tx_horizon_finder *f, double factor) {
  for (int k = 0; k < f->n_modes; k++) f->surface.a[f->mode[k]] += factor * f->step[k];
}

static bool columns_finite(const tx_horizon_finder *f) {
  for (int i = 0; i < f->n_points; i++)
    for (int c = 0; c < TX_HORIZON_COLUMNS; c++)
      if (!isfinite(f->column[i][c])) return false;
  return true;
}

/* Largest |Theta|; root mean square over the area times areal radius. */
static void residual(const tx_horizon_finder *f, double *most, double *mean) {
  double sum = 0.0;
  *most = 0.0;
  for (int i = 0; i < f->n_points; i++) {
    double Theta = f->column[i][TX_HORIZON_THETA];
    double dA = f->weight[i] * f->column[i][TX_HORIZON_AREA];
    *most = fmax(*most, fabs(Theta));
    sum += dA * Theta * Theta;
  }
  *mean = sqrt(sum / (4.0 * M_PI));
}

static double mean_radius(const tx_surface *s) {
  return s->a[0] / sqrt(4.0 * M_PI);
}

/* Describe a surface whose middle has moved about its middle. */
static bool follow(tx_horizon_finder *f) {
  double offset[3];
  tx_search_offset(f, offset);
  return !(tx_vec3_norm(offset) > RECENTRE * mean_radius(&f->surface)) ||
         tx_search_recentre(f, offset);
}

/* Are the points inside the surface? */
static bool holds(const tx_surface *s, int n, const double (*points)[3]) {
  for (int a = 0; a < n; a++) {
    double way[3];
    for (int d = 0; d < 3; d++) way[d] = points[a][d] - s->centre[d];
    if (tx_vec3_norm(way) > 0.0 && !(tx_vec3_norm(way) < tx_surface_radius(s, way))) return false;
  }
  return true;
}

typedef enum verdict { GO_ON, FOUND, LOST } verdict;

/* Where a search stands. */
typedef struct progress {
  double newton; /* size of Newton's step that was taken last; infinite: of the flow's */
  double best;   /* least mean residual so far */
  int since;     /* iterations since */
} progress;

/* A surface and its Theta are known: is it a horizon? If not, take a step. */
static verdict improve(tx_horizon_finder *f, progress *at, tx_horizon *out) {
  double mean;
  if (!columns_finite(f)) return LOST;
  residual(f, &out->residual, &mean);
  double size = newton_step(f);
  if (size < STEP_SMALL || (size < STEP_FLOOR && size > 0.5 * at->newton))
    return mean < REMAINDER ? FOUND : LOST;
  at->since = mean < PROGRESS * at->best ? 0 : at->since + 1;
  if (at->since == 0) at->best = mean;
  if (at->since >= PATIENCE) return LOST;
  if (size < STEP_MOST && size < at->newton) {
    at->newton = size;
    advance(f, 1.0);
    return GO_ON;
  }
  at->newton = INFINITY;
  size = flow_step(f);
  if (!isfinite(size)) return LOST;
  advance(f, fmin(1.0, STEP_MOST / size));
  return GO_ON;
}

tx_status tx_search(tx_horizon_finder *f, const tx_metric_source *from, const tx_surface *guess,
                    int n, const double (*points)[3], tx_horizon *out) {
  TX_REQUIRE(guess->l_max >= 0 && guess->l_max <= TX_HORIZON_L_MAX, TX_ERR_PARAM,
             "the guess of a horizon has l_max %d; it must be from 0 to %d", guess->l_max,
             TX_HORIZON_L_MAX);
  progress at = {.newton = INFINITY, .best = INFINITY};
  verdict now = GO_ON;
  memset(out, 0, sizeof *out);
  tx_search_begin(f, guess);
  out->surface = f->surface;
  for (; now == GO_ON && out->iterations < ITERATIONS; out->iterations++) {
    if (!tx_search_place(f, from->spacing) || !holds(&f->surface, n, points)) break;
    TX_TRY(tx_search_evaluate(f, from));
    now = improve(f, &at, out);
    if (now == GO_ON && !follow(f)) now = LOST;
  }
  if (now != FOUND) return TX_OK;
  out->found = true;
  out->surface = f->surface;
  return tx_search_measure(f, from, out);
}
