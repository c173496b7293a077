/* Spin by approximate Killing vectors. A surface need not have a symmetry; the rotations that come next to one
 * are \xi^A = \epsilon^{AB} D_B z, which leave areas as they are, of stationary shear (Cook and Whiting,
 * arXiv:0706.0199; Lovelace et al., arXiv:0805.4192, appendix A):
 *
 *   \oint \sigma_AB \sigma^AB dA = \lambda \oint \xi_A \xi^A dA stationary,   \sigma_AB = D_(A \xi_B).
 *
 * Turning a trace-free tensor does not change its square, so that the shear is the trace-free part of D_A D_B z:
 * two numbers p, r in an orthonormal dyad, \sigma_AB \sigma^AB = 2 (p^2 + r^2). With z a sum of harmonics this is
 * a generalised eigenproblem of symmetric matrices, in which integrals take the place of the fourth-order
 * equation for z: no curvature is needed. The norm \oint \xi_A \xi^A dA is that of Owen (l.c. eq. A9).
 *
 * Angular momentum of a rotation, \omega_A = K_jk X_A^j s^k (gr-qc/0206008):
 *
 *   8 \pi J[z] = \oint \omega_A \xi^A dA = \oint (\omega_1 \hat\nabla_2 z - \omega_2 \hat\nabla_1 z) d\Omega
 *
 * in the frame of the unit sphere: the metric drops out of it. The spin is the largest J[z] of the three z of
 * least shear and their sums, normalised as a symmetry would be by (l.c. eq. A22)
 *
 *   \oint (z - <z>)^2 dA = A^3 / (48 \pi^2);
 *
 * where they are orthogonal this is the root of the sum of their squares. Its direction is that of the moments
 * of the curl of \omega, which a boost of the normals leaves as it is (Owen et al., arXiv:1708.07325):
 * \oint x^i \epsilon^{AB} D_A \omega_B dA, after integration by parts 8 \pi J[x^i]. */
#include "horizons/killing.h"

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>
#include "base/memory.h"

/* Largest l of the expansion of z; that of the surface where it is less. */
enum { L_MOST = 12 };
/* Largest lambda of the vectors that are used, over that of the next one, at most. On a round sphere it
 * is 0; where it is 1, any of them could be taken. */
static const double SHEAR_MOST = 0.5;

/* Derivatives of a harmonic at a point, times the root of the point's area: the parts of its
 * shear and its slopes in the dyad. */
enum { SHEAR_P, SHEAR_R, SLOPE_1, SLOPE_2, PARTS };

/* Points whose parts are kept at a time. */
enum { BLOCK = 32 };

struct tx_killing {
  int n_modes, *mode;
  double (*y)[6];         /* [n_modes] harmonics at a point */
  double *value;          /* [points][n_modes] harmonics, times the root of the point's area */
  double *part;           /* [BLOCK][PARTS][n_modes] */
  double *J;              /* [n_modes] J[Y] */
  double *A, *B, *vector; /* [n_modes][n_modes]; eigenvectors in columns */
  double *lambda;         /* [n_modes] */
};

static int l_of(int l_max) {
  return l_max < L_MOST ? l_max : L_MOST;
}

static tx_status allocate(int points, int l_max, tx_killing *k) {
  const char *what = "horizons";
  const size_t modes = (size_t)(l_of(l_max) * (l_of(l_max) + 2)), n = (size_t)points;
  TX_TRY(tx_alloc(modes, sizeof *k->mode, what, &k->mode));
  TX_TRY(tx_alloc(modes, sizeof *k->y, what, &k->y));
  TX_TRY(tx_alloc(n * modes, sizeof *k->value, what, &k->value));
  TX_TRY(tx_alloc(BLOCK * PARTS * modes, sizeof *k->part, what, &k->part));
  TX_TRY(tx_alloc(modes, sizeof *k->J, what, &k->J));
  TX_TRY(tx_alloc(modes * modes, sizeof *k->A, what, &k->A));
  TX_TRY(tx_alloc(modes * modes, sizeof *k->B, what, &k->B));
  TX_TRY(tx_alloc(modes * modes, sizeof *k->vector, what, &k->vector));
  return tx_alloc(modes, sizeof *k->lambda, what, &k->lambda);
}

tx_status tx_killing_create(int points, int l_max, tx_killing **out) {
  *out = NULL;
  TX_TRY(tx_alloc(1, sizeof **out, "horizons", out));
  const tx_status status = allocate(points, l_max, *out);
  if (status != TX_OK) {
    tx_killing_destroy(*out);
    *out = NULL;
  }
  return status;
}

void tx_killing_destroy(tx_killing *k) {
  if (!k) return;
  void *blocks[] = {k->mode, k->y, k->value, k->part, k->J, k->A, k->B, k->vector, k->lambda};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) tx_free(blocks[i]);
  tx_free(k);
}

/* \omega is a vector, \epsilon changes its sign in a mirror: of z only what is odd in it has a J. */
static void choose_modes(tx_killing *k, int l_max, int mirror) {
  k->n_modes = 0;
  for (int l = 1; l <= l_of(l_max); l++)
    for (int m = -l; m <= l; m++)
      if (!mirror || !tx_harmonic_allowed(mirror, l, m)) k->mode[k->n_modes++] = l * l + l + m;
}

/* Shear and slope of a harmonic in the dyad E_1 = e_1 / root, E_2 = (e_2 - c e_1) / across. */
static void take_harmonic(const double y[6], const double *column, size_t n, double *part) {
  const double *q = column + TX_INTRINSIC_METRIC, *C = column + TX_INTRINSIC_CONNECTION;
  const double root = sqrt(q[0]), c = q[1] / q[0], across = sqrt(q[2] - c * q[1]);
  double H[3];
  for (int p = 0; p < 3; p++) H[p] = y[3 + p] - C[p] * y[1] - C[3 + p] * y[2];
  part[SHEAR_P * n] =
      0.5 * (H[0] / q[0] - (H[2] - 2.0 * c * H[1] + c * c * H[0]) / across / across);
  part[SHEAR_R * n] = (H[1] - c * H[0]) / (root * across);
  part[SLOPE_1 * n] = y[1] / root;
  part[SLOPE_2 * n] = (y[2] - c * y[1]) / across;
}

/* All harmonics at point i. part: [PARTS][n_modes] */
static void take_point(tx_killing *k, const tx_horizon_finder *f, int i, double *part) {
  const size_t n = (size_t)k->n_modes;
  const double *column = f->column[i], *q = f->intrinsic[i] + TX_INTRINSIC_METRIC;
  const double weight = f->weight[i], root = sqrt(weight * sqrt(q[0] * q[2] - q[1] * q[1]));
  double X[2][3], omega[2] = {0.0}, *value = k->value + (size_t)i * n;
  tx_surface_tangents(&f->jet[i], X);
  for (int d = 0; d < 3; d++)
    for (int A = 0; A < 2; A++) omega[A] += X[A][d] * column[TX_HORIZON_SPIN + d];
  tx_sphere_harmonics(&f->sphere, f->point[i], k->n_modes, k->mode, k->y);
  for (size_t j = 0; j < n; j++) {
    const double *y = k->y[j];
    k->J[j] += weight * (omega[0] * y[2] - omega[1] * y[1]) / (8.0 * M_PI);
    take_harmonic(y, f->intrinsic[i], n, part + j);
    value[j] = y[0] * root;
    for (int c = 0; c < PARTS; c++) part[(size_t)c * n + j] *= root;
  }
}

/* Add points that were taken to A and B. */
static void add_points(tx_killing *k, int n_points) {
  const size_t n = (size_t)k->n_modes;
#pragma omp parallel for schedule(dynamic, 4)
  for (size_t i = 0; i < n; i++) {
    double *A = k->A + i * n, *B = k->B + i * n;
    for (int p = 0; p < n_points; p++) {
      const double *part = k->part + (size_t)p * PARTS * n, *P = part + SHEAR_P * n;
      const double *R = part + SHEAR_R * n, *u = part + SLOPE_1 * n, *v = part + SLOPE_2 * n;
      for (size_t j = 0; j <= i; j++) {
        A[j] += 2.0 * (P[i] * P[j] + R[i] * R[j]);
        B[j] += u[i] * u[j] + v[i] * v[j];
      }
    }
  }
}

/* A = \oint \sigma \sigma dA, B = \oint \xi \xi dA of the harmonics, their lower halves, and J. False if they are
 * not finite. */
static bool assemble(tx_killing *k, const tx_horizon_finder *f) {
  const size_t n = (size_t)k->n_modes;
  bool good = true;
  memset(k->J, 0, n * sizeof *k->J);
  memset(k->A, 0, n * n * sizeof *k->A);
  memset(k->B, 0, n * n * sizeof *k->B);
  for (int first = 0; first < f->n_points; first += BLOCK) {
    const int some = f->n_points - first < BLOCK ? f->n_points - first : BLOCK;
    for (int p = 0; p < some; p++) take_point(k, f, first + p, k->part + (size_t)p * PARTS * n);
    add_points(k, some);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++)
      good = good && isfinite(k->A[i * n + j]) && isfinite(k->B[i * n + j]);
  return good;
}

/* A v = lambda B v, lambda ascending; the lower halves of A and B are read. *good: there are solutions. */
static tx_status solve(tx_killing *k, bool *good) {
  const size_t n = (size_t)k->n_modes;
  gsl_error_handler_t *handler = gsl_set_error_handler_off();
  gsl_eigen_gensymmv_workspace *work = gsl_eigen_gensymmv_alloc(n);
  if (work) {
    gsl_matrix_view A = gsl_matrix_view_array(k->A, n, n), B = gsl_matrix_view_array(k->B, n, n);
    gsl_matrix_view vector = gsl_matrix_view_array(k->vector, n, n);
    gsl_vector_view lambda = gsl_vector_view_array(k->lambda, n);
    *good = gsl_eigen_gensymmv(&A.matrix, &B.matrix, &lambda.vector, &vector.matrix, work) == 0 &&
            gsl_eigen_gensymmv_sort(&lambda.vector, &vector.matrix, GSL_EIGEN_SORT_VAL_ASC) == 0;
    gsl_eigen_gensymmv_free(work);
  }
  gsl_set_error_handler(handler);
  TX_REQUIRE(work, TX_ERR_MEMORY, "no memory for the eigenproblem of a horizon with %zu modes", n);
  return TX_OK;
}

/* \oint (z_a - <z_a>) (z_b - <z_b>) dA of the first n eigenvectors, over what it is for a normalised one. */
static void products(tx_killing *k, const tx_horizon_finder *f, int n, double M[9]) {
  const size_t modes = (size_t)k->n_modes;
  double sum[3] = {0.0}, area = 0.0;
  memset(M, 0, 9 * sizeof *M);
  for (int i = 0; i < f->n_points; i++) {
    const double *value = k->value + (size_t)i * modes, *q = f->intrinsic[i];
    const double dA = f->weight[i] * sqrt(q[0] * q[2] - q[1] * q[1]);
    double z[3] = {0.0}; /* times the root of dA */
    for (size_t j = 0; j < modes; j++)
      for (int a = 0; a < n; a++) z[a] += value[j] * k->vector[j * modes + (size_t)a];
    for (int a = 0; a < n; a++) {
      sum[a] += sqrt(dA) * z[a];
      for (int b = 0; b < n; b++) M[a * n + b] += z[a] * z[b];
    }
    area += dA;
  }
  /* Components that a mirror makes 0 are not summed over the images. */
  const double scale = 48.0 * M_PI * M_PI / (area * area * area);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      M[a * n + b] = scale * (M[a * n + b] - (f->mirror ? 0.0 : sum[a] * sum[b] / area));
}

/* The largest J of the normalised sums of the first n eigenvectors: J^2 = J_a (M^{-1})^ab J_b. */
static double largest(tx_killing *k, const tx_horizon_finder *f, int n) {
  const size_t modes = (size_t)k->n_modes;
  double M[9], J[3] = {0.0}, x[3], J2 = 0.0;
  for (size_t j = 0; j < modes; j++)
    for (int a = 0; a < n; a++) J[a] += k->J[j] * k->vector[j * modes + (size_t)a];
  products(k, f, n, M);
  memcpy(x, J, sizeof x);
  if (!tx_linear_solve(n, M, x)) return NAN;
  for (int a = 0; a < n; a++) J2 += J[a] * x[a];
  return sqrt(fmax(J2, 0.0));
}

tx_status tx_killing_measure(tx_killing *k, const tx_horizon_finder *f, double area,
                             tx_killing_spin *out) {
  const int n = f->mirror ? 1 : 3;
  bool good = false;
  *out = (tx_killing_spin){.shear = {NAN, NAN}};
  choose_modes(k, f->l_max, f->mirror);
  if (!assemble(k, f)) return TX_OK;
  TX_TRY(solve(k, &good));
  if (!good) return TX_OK;
  for (int a = 0; a < 2; a++) out->shear[a] = k->lambda[n - 1 + a] * area / (4.0 * M_PI);
  out->J = largest(k, f, n);
  out->good = isfinite(out->J) && out->shear[0] < SHEAR_MOST * out->shear[1];
  return TX_OK;
}
