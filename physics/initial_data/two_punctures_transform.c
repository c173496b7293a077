#include <math.h>
#include <string.h>
#include "base/memory.h"
#include "physics/initial_data/two_punctures_operator.h"

/* Below as many points, waiting for the other threads takes longer than they save. */
enum { PARALLEL = 48 };

/* c [rows][n] = a [rows][inner] b [inner][n]; every element is one sum in the order of `inner`. */
static void multiply(int rows, int inner, int n, const double *restrict a, const double *restrict b,
                     double *restrict c) {
  for (int i = 0; i < rows; i++) {
    double *row = c + (size_t)i * (size_t)n;
    memset(row, 0, (size_t)n * sizeof *row);
    for (int k = 0; k < inner; k++) {
      const double factor = a[(size_t)i * (size_t)inner + (size_t)k];
      const double *from = b + (size_t)k * (size_t)n;
      for (int j = 0; j < n; j++) row[j] += factor * from[j];
    }
  }
}

static void transpose(int rows, int n, const double *in, double *out) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) out[j * rows + i] = in[i * n + j];
}

/* One row of the plane at a time, so that the n_phi planes of that row stay in the cache. */
static void along_phi(const tx_collocation *c, const double *matrix, const double *in,
                      double *out) {
  const size_t n = (size_t)c->n, n_phi = (size_t)c->n_phi;
#pragma omp parallel for schedule(static) if (c->n >= PARALLEL)
  for (size_t i = 0; i < n; i++)
    for (size_t q = 0; q < n_phi; q++) {
      double *to = out + q * c->plane + i * n;
      for (size_t j = 0; j < n; j++) to[j] = 0.0;
      for (size_t k = 0; k < n_phi; k++) {
        const double factor = matrix[q * n_phi + k], *from = in + k * c->plane + i * n;
        for (size_t j = 0; j < n; j++) to[j] += factor * from[j];
      }
    }
}

/* A sine of a function that is even in phi. */
static int is_absent(const tx_collocation *c, int q) {
  return c->mirror && q > 0 && q % 2 == 0;
}

void tx_collocation_to_modes(const tx_collocation *c, const double *in, double *out) {
  along_phi(c, c->to_modes, in, out);
  for (int q = 0; q < c->n_phi; q++)
    if (is_absent(c, q)) memset(out + (size_t)q * c->plane, 0, c->plane * sizeof *out);
}

void tx_collocation_to_points(const tx_collocation *c, const double *in, double *out) {
  along_phi(c, c->to_points, in, out);
}

/* Operation on one Fourier mode of a function, with three planes of scratch memory. */
typedef void (*plane_function)(const tx_collocation *c, int q, const double *in, double *out,
                               double *scratch);

static tx_status each_plane(const tx_collocation *c, plane_function apply, const double *in,
                            double *out) {
  tx_status status = TX_OK;
#pragma omp parallel if (c->n >= PARALLEL)
  {
    double *scratch = NULL;
    tx_status mine =
        tx_alloc(3 * c->plane, sizeof *scratch, "planes of the initial data", &scratch);
#pragma omp for schedule(dynamic)
    for (int q = 0; q < c->n_phi; q++) {
      const size_t at = (size_t)q * c->plane;
      if (is_absent(c, q))
        memset(out + at, 0, c->plane * sizeof *out);
      else if (mine == TX_OK)
        apply(c, q, in + at, out + at, scratch);
    }
    tx_free(scratch);
#pragma omp critical(tx_two_punctures_status)
    TX_KEEP(status, mine);
  }
  return status;
}

static void laplacian_plane(const tx_collocation *c, int q, const double *in, double *out,
                            double *scratch) {
  const int n = c->n;
  const size_t at = (size_t)((q + 1) / 2) * c->plane;
  multiply(n, n, n, c->L_A + at, in, out);
  multiply(n, n, n, in, c->L_B_T + at, scratch);
  for (size_t p = 0; p < c->plane; p++) out[p] += scratch[p];
}

static void invert_plane(const tx_collocation *c, int q, const double *in, double *out,
                         double *scratch) {
  const int n = c->n, m = (q + 1) / 2;
  const size_t at = (size_t)m * c->plane;
  const double *lambda_A = c->lambda_A + m * n, *lambda_B = c->lambda_B + m * n;
  multiply(n, n, n, c->W_A + at, in, scratch);
  multiply(n, n, n, scratch, c->W_B_T + at, out);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out[i * n + j] /= lambda_A[i] + lambda_B[j];
  multiply(n, n, n, c->V_A + at, out, scratch);
  multiply(n, n, n, scratch, c->V_B_T + at, out);
}

tx_status tx_collocation_laplacian(const tx_collocation *c, const double *in, double *out) {
  return each_plane(c, laplacian_plane, in, out);
}

tx_status tx_collocation_invert(const tx_collocation *c, const double *in, double *out) {
  return each_plane(c, invert_plane, in, out);
}

static void series_plane(const tx_collocation *c, int q, const double *in, double *out,
                         double *scratch) {
  (void)q;
  const int n = c->n;
  double *U = scratch, *half = U + c->plane, *chebyshev_T = half + c->plane;
  for (int i = 0; i < n; i++) {
    const double half_sin = sin(0.5 * c->angle[i]);
    for (int j = 0; j < n; j++) U[i * n + j] = -in[i * n + j] / (half_sin * half_sin);
  }
  transpose(n, n, c->chebyshev, chebyshev_T);
  multiply(n, n, n, c->chebyshev, U, half);
  multiply(n, n, n, half, chebyshev_T, out);
}

tx_status tx_collocation_series(const tx_collocation *c, const double *modes, double *series) {
  return each_plane(c, series_plane, modes, series);
}

/* T_k at the points of `c`, [k < n_series][n]. */
static void polynomials(const tx_collocation *c, int n_series, double *T) {
  for (int k = 0; k < n_series; k++)
    for (int i = 0; i < c->n; i++) T[k * c->n + i] = cos(k * c->angle[i]);
}

tx_status tx_collocation_prolong(const tx_collocation *c, int n_series, const double *series,
                                 double *modes) {
  const int n = c->n, n_phi = n_series / 2 < c->n_phi ? n_series / 2 : c->n_phi;
  const size_t part = (size_t)n_series * (size_t)n;
  double *T;
  TX_TRY(tx_alloc(3 * part, sizeof *T, "planes of the initial data", &T));
  double *T_T = T + part, *half = T_T + part;
  polynomials(c, n_series, T);
  transpose(n_series, n, T, T_T);
  memset(modes, 0, c->size * sizeof *modes);
  for (int q = 0; q < n_phi; q++) {
    double *to = modes + (size_t)q * c->plane;
    multiply(n_series, n_series, n, series + (size_t)q * (size_t)n_series * (size_t)n_series, T,
             half);
    multiply(n, n_series, n, T_T, half, to);
    for (int i = 0; i < n; i++) {
      const double half_sin = sin(0.5 * c->angle[i]);
      for (int j = 0; j < n; j++) to[i * n + j] *= -half_sin * half_sin;
    }
  }
  tx_free(T);
  return TX_OK;
}

tx_status tx_collocation_largest(const tx_collocation *c, const double *modes, double *largest) {
  double *points;
  TX_TRY(tx_alloc(c->size, sizeof *points, "solver of the initial data", &points));
  tx_collocation_to_points(c, modes, points);
  *largest = 0.0;
  for (size_t p = 0; p < c->size; p++) *largest = fmax(*largest, fabs(points[p]));
  tx_free(points);
  return TX_OK;
}
