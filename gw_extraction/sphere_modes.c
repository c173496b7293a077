#include "gw_extraction/sphere_modes.h"

#include <math.h>

#include "base/memory.h"
#include "gw_extraction/harmonics.h"
#include "gw_extraction/lebedev.h"

enum { DEGREE_MARGIN = 16 }; /* modes up to l_max + 16 do not alias */

struct tx_sphere_modes {
  int n_radii, l_max, n_modes, max_vars;
  tx_lebedev rule;
  double (*x)[3];      /* [n_radii][points] */
  double (*weight)[2]; /* [points][n_modes]: weight times conj(Y_lm) */
  double *values;      /* [n_radii][points][variables] */
};

/* Weights of one point for all modes. */
static void weigh(const tx_harmonics *h, int l_max, const double n[3], double w,
                  double (*weight)[2]) {
  double y[TX_SPHERE_MODES_L + 1], phase[2] = {1.0, 0.0};
  const double rho = hypot(n[0], n[1]);
  for (int m = 0; m <= l_max; m++) {
    tx_harmonics_theta(h, m, n[2], rho, y);
    for (int l = m; l <= l_max; l++) {
      double *to = weight[tx_sphere_modes_index(l, m)];
      to[0] = w * y[l - m] * phase[0];
      to[1] = -w * y[l - m] * phase[1];
    }
    if (rho == 0.0) continue; /* the others are 0 there */
    const double re = phase[0];
    phase[0] = (re * n[0] - phase[1] * n[1]) / rho;
    phase[1] = (re * n[1] + phase[1] * n[0]) / rho;
  }
}

static tx_status build(tx_sphere_modes *s, const double *radii) {
  const size_t points = (size_t)s->rule.n, all = (size_t)s->n_radii * points;
  tx_harmonics *h = NULL;
  TX_TRY(tx_alloc(all, sizeof *s->x, "modes on spheres", &s->x));
  TX_TRY(tx_alloc(points * (size_t)s->n_modes, sizeof *s->weight, "modes on spheres", &s->weight));
  TX_TRY(tx_alloc(all * (size_t)s->max_vars, sizeof *s->values, "modes on spheres", &s->values));
  TX_TRY(tx_harmonics_create(0, s->l_max, &h));
  for (size_t p = 0; p < points; p++)
    weigh(h, s->l_max, s->rule.x[p], s->rule.w[p], s->weight + p * (size_t)s->n_modes);
  tx_harmonics_destroy(h);
  for (size_t i = 0; i < all; i++)
    for (int d = 0; d < 3; d++) s->x[i][d] = radii[i / points] * s->rule.x[i % points][d];
  return TX_OK;
}

tx_status tx_sphere_modes_create(const tx_domain *domain, int n_radii, const double *radii,
                                 int l_max, int max_vars, tx_sphere_modes **out) {
  tx_sphere_modes *s = NULL;
  *out = NULL;
  for (int r = 0; r < n_radii; r++)
    TX_REQUIRE(radii[r] > 0.0 && radii[r] < domain->extent, TX_ERR_PARAM,
               "output.modes_radii: a sphere of radius %g does not fit into a domain of extent %g",
               radii[r], domain->extent);
  TX_TRY(tx_alloc(1, sizeof *s, "modes on spheres", &s));
  s->n_radii = n_radii;
  s->l_max = l_max;
  s->n_modes = tx_sphere_modes_count(l_max);
  s->max_vars = max_vars;
  tx_status status = tx_lebedev_create(2 * l_max + DEGREE_MARGIN, &s->rule);
  TX_THEN(status, build(s, radii));
  if (status == TX_OK)
    *out = s;
  else
    tx_sphere_modes_destroy(s);
  return status;
}

void tx_sphere_modes_destroy(tx_sphere_modes *s) {
  if (!s) return;
  tx_lebedev_destroy(&s->rule);
  tx_free(s->x);
  tx_free(s->weight);
  tx_free(s->values);
  tx_free(s);
}

/* Modes of variable v on sphere r, point after point. */
static void project(const tx_sphere_modes *s, int r, int v, int n_vars, double (*modes)[2]) {
  const size_t points = (size_t)s->rule.n, n = (size_t)s->n_modes;
  const double *values = s->values + (size_t)r * points * (size_t)n_vars + v;
  for (size_t m = 0; m < n; m++) modes[m][0] = modes[m][1] = 0.0;
  for (size_t p = 0; p < points; p++)
    for (size_t m = 0; m < n; m++)
      for (int part = 0; part < 2; part++)
        modes[m][part] += values[p * (size_t)n_vars] * s->weight[p * n + m][part];
}

tx_status tx_sphere_modes_project(tx_sphere_modes *s, tx_exec *x, const tx_field *f,
                                  double (*modes)[2]) {
  const int n_vars = tx_field_vars(f);
  const size_t all = (size_t)s->n_radii * (size_t)s->rule.n;
  MPI_Comm comm = tx_exec_mesh(x)->comm;
  TX_REQUIRE(n_vars <= s->max_vars, TX_ERR_USAGE, "modes of %d variables: up to %d are possible",
             n_vars, s->max_vars);
  TX_TRY(tx_exec_sample(
      x, f,
      &(tx_probe){.n = all, .points = (const double(*)[3])s->x, .n_derivs = 1, .jets = s->values}));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, s->values, (int)all * n_vars, MPI_DOUBLE, MPI_SUM, comm));
  for (int r = 0; r < s->n_radii; r++)
    for (int v = 0; v < n_vars; v++)
      project(s, r, v, n_vars,
              modes + ((size_t)r * (size_t)n_vars + (size_t)v) * (size_t)s->n_modes);
  return TX_OK;
}
