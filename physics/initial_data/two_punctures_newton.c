#include "physics/initial_data/two_punctures_newton.h"

#include <math.h>
#include <string.h>
#include "base/memory.h"

/* Newton's method comes from below, at worst by a factor 8/7 in psi a step; GMRES needs about ten
 * vectors for a factor 1e-8. */
enum { NEWTON_STEPS = 100, KRYLOV = 24 };

/* Factor by which a step of Newton's method solves its linear equation. */
#define LINEAR 1e-8

/* Fields of the size of the grid in `work`: scratch, two of Newton's method, and Krylov's basis. */
enum { POINTS = 0, SCRATCH = 1, DIAGONAL = 2, DEFECT = 3, STEP = 4, BASIS = 5 };
enum { FIELDS = BASIS + KRYLOV + 1 };

/* A point of the grid as seen from both foci: offsets in the frame of the foci, distances. */
typedef struct grid_point {
  double along[2], rho, r[2];
} grid_point;

/* Without the cancellations of distances from Cartesian coordinates. */
static grid_point grid_point_make(const tx_collocation *grid, double b, int i, int j) {
  const double half_cos = cos(0.5 * grid->angle[i]), half_sin = sin(0.5 * grid->angle[i]);
  const double A = half_cos * half_cos, one_minus_A2 = half_sin * half_sin * (1.0 + A);
  const double up = cos(0.5 * grid->angle[j]), down = sin(0.5 * grid->angle[j]);
  const double B = cos(grid->angle[j]), norm = 1.0 + B * B;
  const double cosh_minus_1 = 2.0 * A * A / one_minus_A2, sinh_xi = 2.0 * A / one_minus_A2;
  const double one_minus_cos = 4.0 * down * down * down * down / norm;
  const double one_plus_cos = 4.0 * up * up * up * up / norm;
  const double cos_eta = 2.0 * B / norm, sin_eta = 4.0 * up * up * down * down / norm;
  return (grid_point){
      {b * (cosh_minus_1 * cos_eta - one_minus_cos), b * (cosh_minus_1 * cos_eta + one_plus_cos)},
      b * sinh_xi * sin_eta,
      {b * (cosh_minus_1 + one_minus_cos), b * (cosh_minus_1 + one_plus_cos)}};
}

static double curvature_squared(const tx_bowen_york *data, const grid_point *at, double cos_phi,
                                double sin_phi) {
  const double(*axis)[3] = data->u.axis;
  double A_dd[6] = {0.0};
  for (int a = 0; a < data->n; a++) {
    double d[3];
    for (int i = 0; i < 3; i++)
      d[i] = at->along[a] * axis[0][i] + at->rho * (cos_phi * axis[1][i] + sin_phi * axis[2][i]);
    tx_bowen_york_add(data->momentum[a], data->spin[a], d, at->r[a], A_dd);
  }
  return A_dd[0] * A_dd[0] + A_dd[3] * A_dd[3] + A_dd[5] * A_dd[5] +
         2.0 * (A_dd[1] * A_dd[1] + A_dd[2] * A_dd[2] + A_dd[4] * A_dd[4]);
}

tx_status tx_puncture_equation_create(const tx_collocation *grid, const tx_bowen_york *data,
                                      tx_puncture_equation *e) {
  *e = (tx_puncture_equation){.grid = grid};
  TX_TRY(tx_alloc((2 + FIELDS) * grid->size, sizeof(double), "solver of the initial data",
                  &e->source));
  e->psi0 = e->source + grid->size;
  e->work = e->psi0 + grid->size;
  const int n = grid->n, n_phi = grid->n_phi;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const grid_point at = grid_point_make(grid, data->u.half_distance, i, j);
      for (int k = 0; k < n_phi; k++) {
        const double phi = 2.0 * M_PI * k / n_phi;
        e->source[(size_t)k * grid->plane + (size_t)(i * n + j)] =
            0.125 * at.r[0] * at.r[1] * curvature_squared(data, &at, cos(phi), sin(phi));
      }
    }
  return TX_OK;
}

void tx_puncture_equation_destroy(tx_puncture_equation *e) {
  tx_free(e->source);
  *e = (tx_puncture_equation){0};
}

void tx_puncture_equation_masses(tx_puncture_equation *e, const tx_bowen_york *data) {
  const int n = e->grid->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const grid_point at = grid_point_make(e->grid, data->u.half_distance, i, j);
      double psi0 = 1.0;
      for (int a = 0; a < data->n; a++) psi0 += 0.5 * data->mass[a] / at.r[a];
      for (int k = 0; k < e->grid->n_phi; k++)
        e->psi0[(size_t)k * e->grid->plane + (size_t)(i * n + j)] = psi0;
    }
}

static double *field(const tx_puncture_equation *e, int which) {
  return e->work + (size_t)which * e->grid->size;
}

static double dot(size_t size, const double *a, const double *b) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (size_t p = 0; p < size; p++) sum += a[p] * b[p];
  return sum;
}

static double largest(size_t size, const double *a) {
  double most = 0.0;
  for (size_t p = 0; p < size; p++) most = fmax(most, fabs(a[p]));
  return most;
}

static double inverse_seventh(double psi) {
  const double psi2 = psi * psi;
  return 1.0 / (psi2 * psi2 * psi2 * psi);
}

/* DEFECT = M^{-1}(M u + source psi^-7) and DIAGONAL = 7 source psi^-8, with M = r_1 r_2 \nabla^2; M u comes
 * from the operator itself, so that round-off in its inverse does not matter. *positive: psi is above 0
 * everywhere. */
static tx_status linearise(tx_puncture_equation *e, const double *u, int *positive) {
  double *points = field(e, POINTS), *diagonal = field(e, DIAGONAL);
  double *modes = field(e, SCRATCH), *laplacian = field(e, STEP);
  const size_t size = e->grid->size;
  tx_collocation_to_points(e->grid, u, points);
  *positive = 1;
  for (size_t p = 0; p < size; p++) {
    const double psi = e->psi0[p] + points[p];
    if (!(psi > 0.0)) *positive = 0;
    points[p] = e->source[p] * inverse_seventh(psi);
    diagonal[p] = 7.0 * points[p] / psi;
  }
  if (!*positive) return TX_OK;
  tx_collocation_to_modes(e->grid, points, modes);
  TX_TRY(tx_collocation_laplacian(e->grid, u, laplacian));
  for (size_t p = 0; p < size; p++) modes[p] += laplacian[p];
  return tx_collocation_invert(e->grid, modes, field(e, DEFECT));
}

/* out = v - M^{-1}(DIAGONAL v): the derivative of the defect. */
static tx_status apply(tx_puncture_equation *e, const double *v, double *out) {
  double *points = field(e, POINTS), *modes = field(e, SCRATCH);
  const double *diagonal = field(e, DIAGONAL);
  const size_t size = e->grid->size;
  tx_collocation_to_points(e->grid, v, points);
  for (size_t p = 0; p < size; p++) points[p] *= diagonal[p];
  tx_collocation_to_modes(e->grid, points, modes);
  TX_TRY(tx_collocation_invert(e->grid, modes, out));
  for (size_t p = 0; p < size; p++) out[p] = v[p] - out[p];
  return TX_OK;
}

/* One column of GMRES: the earlier Givens rotations, then a new one that zeroes its last element. */
static void rotate(int k, double (*c)[2], double *column, double *rhs) {
  for (int i = 0; i < k; i++) {
    const double h = c[i][0] * column[i] + c[i][1] * column[i + 1];
    column[i + 1] = c[i][0] * column[i + 1] - c[i][1] * column[i];
    column[i] = h;
  }
  const double norm = hypot(column[k], column[k + 1]);
  c[k][0] = column[k] / norm;
  c[k][1] = column[k + 1] / norm;
  column[k] = norm;
  rhs[k + 1] = -c[k][1] * rhs[k];
  rhs[k] *= c[k][0];
}

/* STEP solves (1 - M^{-1} DIAGONAL) STEP = -DEFECT to the factor `tolerance`, or as far as KRYLOV vectors
 * go: GMRES without restart. */
static tx_status solve_linear(tx_puncture_equation *e, double tolerance) {
  const size_t size = e->grid->size;
  double H[KRYLOV][KRYLOV + 1], c[KRYLOV][2], rhs[KRYLOV + 1];
  double *basis = field(e, BASIS), *step = field(e, STEP);
  const double *defect = field(e, DEFECT);
  memset(step, 0, size * sizeof *step);
  const double unit = largest(size, defect); /* whose square may underflow */
  if (!(unit > 0.0)) return TX_OK;
  for (size_t p = 0; p < size; p++) basis[p] = -defect[p] / unit;
  const double start = sqrt(dot(size, basis, basis));
  for (size_t p = 0; p < size; p++) basis[p] /= start;
  rhs[0] = start;
  int k = 0;
  while (k < KRYLOV && fabs(rhs[k]) > tolerance * start) {
    double *next = field(e, BASIS + k + 1);
    TX_TRY(apply(e, field(e, BASIS + k), next));
    for (int i = 0; i <= k; i++) {
      const double *v = field(e, BASIS + i);
      H[k][i] = dot(size, next, v);
      for (size_t p = 0; p < size; p++) next[p] -= H[k][i] * v[p];
    }
    const double norm = sqrt(dot(size, next, next));
    H[k][k + 1] = norm;
    if (norm > 0.0)
      for (size_t p = 0; p < size; p++) next[p] /= norm;
    rotate(k, c, H[k], rhs);
    k++;
  }
  for (int i = k - 1; i >= 0; i--) {
    for (int j = i + 1; j < k; j++) rhs[i] -= H[j][i] * rhs[j];
    rhs[i] /= H[i][i];
    const double *v = field(e, BASIS + i);
    for (size_t p = 0; p < size; p++) step[p] += unit * rhs[i] * v[p];
  }
  return TX_OK;
}

tx_status tx_puncture_equation_solve(tx_puncture_equation *e, double *u, int *steps) {
  const size_t size = e->grid->size;
  const double *step = field(e, STEP);
  double last = INFINITY;
  for (int k = 0; k < NEWTON_STEPS; k++) {
    ++*steps;
    int positive;
    TX_TRY(linearise(e, u, &positive));
    if (!positive) { /* from u = 0 it is positive for good */
      memset(u, 0, size * sizeof *u);
      continue;
    }
    TX_TRY(solve_linear(e, LINEAR));
    for (size_t p = 0; p < size; p++) u[p] += step[p];
    const double change = largest(size, step), scale = largest(size, u);
    /* The error left is this change squared, or a factor LINEAR of it: round-off. */
    if (change <= 1e-7 * scale) return TX_OK;
    TX_REQUIRE(isfinite(change), TX_ERR_NUMERICS,
               "two punctures: Newton's method meets %g after %d steps", change, k + 1);
    last = change;
  }
  TX_FAIL(TX_ERR_NUMERICS,
          "two punctures: Newton's method does not converge in %d steps (last change of u: %g)",
          NEWTON_STEPS, last);
}

tx_status tx_puncture_equation_residual(tx_puncture_equation *e, const double *u,
                                        double *residual) {
  double *points = field(e, POINTS), *modes = field(e, SCRATCH), *laplacian = field(e, STEP);
  TX_TRY(tx_collocation_laplacian(e->grid, u, modes));
  tx_collocation_to_points(e->grid, modes, laplacian);
  tx_collocation_to_points(e->grid, u, points);
  double most = 0.0, scale = 0.0;
  for (size_t p = 0; p < e->grid->size; p++) {
    const double source = e->source[p] * inverse_seventh(e->psi0[p] + points[p]);
    most = fmax(most, fabs(laplacian[p] + source));
    scale = fmax(scale, source);
  }
  *residual = scale > 0.0 ? most / scale : 0.0;
  return TX_OK;
}
