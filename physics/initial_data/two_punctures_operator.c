/* The flat Laplacian and its exact inverse, which preconditions GMRES in Newton's method. The coordinates are prolate
 * spheroidal ones about the punctures, made finite: there the flat Laplacian, times a positive function, is for each
 * Fourier mode of phi a sum of an operator in A and one in B, so that the eigenvectors of matrices of n points invert it. */
#include "physics/initial_data/two_punctures_operator.h"

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>
#include "base/memory.h"

#define TX_GSL(call)                                                                               \
  do {                                                                                             \
    int gsl_code_ = (call);                                                                        \
    TX_REQUIRE(gsl_code_ == GSL_SUCCESS, TX_ERR_LIBRARY, "%s: %s", #call,                          \
               gsl_strerror(gsl_code_));                                                           \
  } while (0)

static int mode_count(int n_phi) {
  return n_phi / 2 + 1;
}

static int mode_of(int q) {
  return (q + 1) / 2;
}

static tx_status carve(int n, int mirror, tx_collocation *c) {
  *c = (tx_collocation){.n = n, .n_phi = n / 2, .mirror = mirror};
  c->plane = (size_t)n * (size_t)n;
  c->size = c->plane * (size_t)c->n_phi;
  const size_t line = (size_t)n, circle = (size_t)c->n_phi * (size_t)c->n_phi;
  const size_t modes = (size_t)mode_count(c->n_phi);
  const struct {
    double **to;
    size_t count;
  } parts[] = {{&c->angle, line},
               {&c->to_modes, circle},
               {&c->to_points, circle},
               {&c->chebyshev, c->plane},
               {&c->L_A, modes * c->plane},
               {&c->L_B_T, modes * c->plane},
               {&c->V_A, modes * c->plane},
               {&c->W_A, modes * c->plane},
               {&c->V_B_T, modes * c->plane},
               {&c->W_B_T, modes * c->plane},
               {&c->lambda_A, modes * line},
               {&c->lambda_B, modes * line}};
  size_t total = 0;
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) total += parts[k].count;
  TX_TRY(tx_alloc(total, sizeof(double), "operator of the initial data", &c->block));
  total = 0;
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
    *parts[k].to = c->block + total;
    total += parts[k].count;
  }
  return TX_OK;
}

static void fill_transforms(tx_collocation *c) {
  const int n = c->n, n_phi = c->n_phi;
  for (int i = 0; i < n; i++) c->angle[i] = M_PI * (2 * i + 1) / (2.0 * n);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      c->chebyshev[k * n + i] = (k == 0 ? 1.0 : 2.0) / n * cos(k * c->angle[i]);
  for (int q = 0; q < n_phi; q++)
    for (int k = 0; k < n_phi; k++) {
      const int m = mode_of(q), sine = q > 0 && q % 2 == 0;
      const double angle = 2.0 * M_PI * (m * k % n_phi) / n_phi;
      const double F = sine ? sin(angle) : cos(angle);
      c->to_points[k * n_phi + q] = F;
      c->to_modes[q * n_phi + k] = (m == 0 || 2 * m == n_phi ? 1.0 : 2.0) / n_phi * F;
    }
}

/* Derivative matrices D1, D2 [n][n] of polynomials through the zeros of T_n and, with `end`, through 0 at
 * x = 1 as well, from barycentric weights and with the diagonal that differentiates constants exactly. */
static void differentiate(int n, const double *angle, int end, double *D1, double *D2) {
  for (int i = 0; i < n; i++) {
    const double to_end = -2.0 * sin(0.5 * angle[i]) * sin(0.5 * angle[i]);
    const double weight_i = sin(angle[i]) / (end ? to_end : 1.0);
    double sum1 = 0.0, sum2 = 0.0;
    for (int j = 0; j < n; j++) {
      if (j == i) continue;
      const double end_j = -2.0 * sin(0.5 * angle[j]) * sin(0.5 * angle[j]);
      const double weight_j = ((i - j) % 2 ? -1.0 : 1.0) * sin(angle[j]) / (end ? end_j : 1.0);
      const double step =
          -2.0 * sin(0.5 * (angle[i] + angle[j])) * sin(0.5 * (angle[i] - angle[j]));
      D1[i * n + j] = weight_j / weight_i / step;
      D2[i * n + j] = -2.0 * D1[i * n + j] / step;
      sum1 += D1[i * n + j];
      sum2 += D2[i * n + j];
    }
    if (end) {
      /* Over the scale of the other weights, that of x = 1 is n; T_n'(x_i) = n (-1)^i / sin(angle). */
      const double to = (i % 2 ? -n : n) / weight_i / to_end;
      sum1 += to;
      sum2 += -2.0 * to / to_end;
    }
    D1[i * n + i] = -sum1;
    for (int j = 0; j < n; j++)
      if (j != i) D2[i * n + j] += 2.0 * D1[i * n + j] * D1[i * n + i];
    D2[i * n + i] = -(sum2 - 2.0 * sum1 * sum1);
  }
}

/* L_A and L_B [n][n] of mode m from the derivative matrices in x = 2A - 1 and B. */
static void operators(const tx_collocation *c, int m, const double *const D[4], double *L_A,
                      double *L_B) {
  const int n = c->n;
  for (int i = 0; i < n; i++) {
    const double half_cos = cos(0.5 * c->angle[i]), half_sin = sin(0.5 * c->angle[i]);
    const double A = half_cos * half_cos, one_minus_A = half_sin * half_sin;
    const double B = cos(c->angle[i]), one_minus_B2 = 4.0 * A * one_minus_A;
    const double w = 0.5 * one_minus_A * (1.0 + A), v = 0.5 * (1.0 + B * B);
    for (int j = 0; j < n; j++) {
      const int ij = i * n + j;
      L_A[ij] = w * w * (4.0 * D[1][ij] + 2.0 / A * D[0][ij]);
      L_B[ij] = v * v * (D[3][ij] - 2.0 * B / one_minus_B2 * D[2][ij]);
    }
    L_A[i * n + i] -= w * w * m * m / (A * A);
    L_B[i * n + i] -= v * v * 4.0 * m * m / (one_minus_B2 * one_minus_B2);
  }
}

static void transpose(int n, const double *in, double *out) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) out[j * n + i] = in[i * n + j];
}

/* GSL's work space for the eigenvectors of one matrix. */
typedef struct eigen_work {
  gsl_matrix *L;
  gsl_matrix_complex *vectors;
  gsl_vector_complex *values;
  gsl_eigen_nonsymmv_workspace *solver;
  gsl_permutation *order;
} eigen_work;

static void eigen_work_destroy(eigen_work *w) {
  if (w->L) gsl_matrix_free(w->L);
  if (w->vectors) gsl_matrix_complex_free(w->vectors);
  if (w->values) gsl_vector_complex_free(w->values);
  if (w->solver) gsl_eigen_nonsymmv_free(w->solver);
  if (w->order) gsl_permutation_free(w->order);
}

/* If it fails, there is still what was allocated. */
static tx_status eigen_work_create(int n, eigen_work *w) {
  const size_t size = (size_t)n;
  *w = (eigen_work){gsl_matrix_alloc(size, size), gsl_matrix_complex_alloc(size, size),
                    gsl_vector_complex_alloc(size), gsl_eigen_nonsymmv_alloc(size),
                    gsl_permutation_alloc(size)};
  TX_REQUIRE(w->L && w->vectors && w->values && w->solver && w->order, TX_ERR_MEMORY,
             "eigenvectors of %d x %d matrices: GSL has no memory", n, n);
  return TX_OK;
}

/* L = V diag(lambda) W, W = V^{-1}; all real. */
static tx_status diagonalise(int n, const double *L, eigen_work *w, double *lambda, double *V,
                             double *W) {
  const size_t size = (size_t)n;
  memcpy(w->L->data, L, size * size * sizeof *L);
  gsl_eigen_nonsymmv_params(1, w->solver);
  TX_GSL(gsl_eigen_nonsymmv(w->L, w->values, w->vectors, w->solver));
  for (size_t k = 0; k < size; k++) {
    const gsl_complex value = gsl_vector_complex_get(w->values, k);
    TX_REQUIRE(GSL_IMAG(value) == 0.0, TX_ERR_LIBRARY,
               "a Laplacian on %d points has the complex eigenvalue %g %+g i", n, GSL_REAL(value),
               GSL_IMAG(value));
    lambda[k] = GSL_REAL(value);
    for (size_t i = 0; i < size; i++)
      V[i * size + k] = GSL_REAL(gsl_matrix_complex_get(w->vectors, i, k));
  }
  memcpy(w->L->data, V, size * size * sizeof *V);
  int sign;
  TX_GSL(gsl_linalg_LU_decomp(w->L, w->order, &sign));
  gsl_matrix_view inverse = gsl_matrix_view_array(W, size, size);
  TX_GSL(gsl_linalg_LU_invert(w->L, w->order, &inverse.matrix));
  return TX_OK;
}

static tx_status mode_create(tx_collocation *c, int m, const double *const D[4], eigen_work *w,
                             double *scratch) {
  const int n = c->n;
  const size_t at = (size_t)m * c->plane, line = (size_t)m * (size_t)n;
  double *L_B = scratch, *V = scratch + c->plane, *W = V + c->plane;
  operators(c, m, D, c->L_A + at, L_B);
  transpose(n, L_B, c->L_B_T + at);
  TX_TRY(diagonalise(n, c->L_A + at, w, c->lambda_A + line, c->V_A + at, c->W_A + at));
  TX_TRY(diagonalise(n, L_B, w, c->lambda_B + line, V, W));
  transpose(n, V, c->V_B_T + at);
  transpose(n, W, c->W_B_T + at);
  return TX_OK;
}

/* Every mode by itself, so that threads do not change the result. */
static tx_status modes_create(tx_collocation *c, const double *const D[4]) {
  const int modes = mode_count(c->n_phi);
  tx_status status = TX_OK;
#pragma omp parallel
  {
    eigen_work w = {0};
    double *scratch = NULL;
    tx_status mine = eigen_work_create(c->n, &w);
    TX_KEEP(mine,
            tx_alloc(3 * c->plane, sizeof *scratch, "operator of the initial data", &scratch));
#pragma omp for schedule(dynamic)
    for (int m = 0; m < modes; m++) TX_THEN(mine, mode_create(c, m, D, &w, scratch));
    tx_free(scratch);
    eigen_work_destroy(&w);
#pragma omp critical(tx_two_punctures_status)
    TX_KEEP(status, mine);
  }
  return status;
}

tx_status tx_collocation_create(int n, int mirror, tx_collocation *c) {
  TX_TRY(carve(n, mirror, c));
  fill_transforms(c);
  double *D = NULL;
  tx_status status = tx_alloc(4 * c->plane, sizeof *D, "operator of the initial data", &D);
  if (status == TX_OK) {
    double *const part[4] = {D, D + c->plane, D + 2 * c->plane, D + 3 * c->plane};
    differentiate(n, c->angle, 1, part[0], part[1]);
    differentiate(n, c->angle, 0, part[2], part[3]);
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    status = modes_create(c, (const double *const *)part);
    gsl_set_error_handler(handler);
  }
  tx_free(D);
  if (status != TX_OK) tx_collocation_destroy(c);
  return status;
}

void tx_collocation_destroy(tx_collocation *c) {
  tx_free(c->block);
  *c = (tx_collocation){0};
}
