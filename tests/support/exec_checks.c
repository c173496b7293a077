#include "tests/support/exec_checks.h"

#include <math.h>
#include <string.h>

#include "exec/backend.h"

/* Coordinates of the planes of an octant in each dimension. */
static void planes_of(const tx_mesh *mesh, tx_lidx b, double x[3][TX_N]) {
  const double h = tx_mesh_spacing(mesh, mesh->octant[b].level);
  double origin[3];
  tx_mesh_origin(mesh, b, origin);
  for (int d = 0; d < 3; d++)
    for (int p = 0; p < TX_N; p++) x[d][p] = origin[d] + p * h;
}

void tx_test_octant(const tx_mesh *mesh, tx_lidx b, int v, tx_test_function f, const void *data,
                    double values[TX_N3]) {
  double x[3][TX_N], factor[3][TX_N];
  tx_test_coordinate at[3][TX_N];
  planes_of(mesh, b, x);
  for (int d = 0; d < 3; d++)
    for (int p = 0; p < TX_N; p++)
      if (f == tx_test_polynomial_value)
        factor[d][p] = tx_test_polynomial_factor(data, v, d, x[d][p], 0);
      else if (f == tx_test_noise_value)
        at[d][p] = tx_test_noise_coordinate(data, d, x[d][p]);
  for (int i = 0; i < TX_N3; i++) {
    const int p = i % TX_N, q = i / TX_N % TX_N, r = i / (TX_N * TX_N);
    if (f == tx_test_polynomial_value)
      values[i] = factor[0][p] * factor[1][q] * factor[2][r];
    else if (f == tx_test_noise_value)
      values[i] = tx_test_noise_at(v, (tx_test_coordinate[]){at[0][p], at[1][q], at[2][r]});
    else
      values[i] = f(data, v, (double[]){x[0][p], x[1][q], x[2][r]});
  }
}

tx_status tx_test_fill(tx_field *field, tx_test_function f, const void *data) {
  const tx_mesh *mesh = field->x->mesh;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    double *values;
    TX_TRY(tx_field_octant(field, b, &values));
    for (int v = 0; v < tx_field_vars(field); v++)
      tx_test_octant(mesh, b, v, f, data, values + v * TX_N3);
  }
  return TX_OK;
}

tx_status tx_test_patch(tx_exec *x, const tx_field *f, tx_lidx b, double *patch) {
  tx_set *one = NULL;
  TX_TRY(tx_set_create(x, 1, &b, &one));
  tx_status status = tx_patches_fetch(x, one, f, UINT32_MAX >> (32 - tx_field_vars(f)), patch);
  tx_set_destroy(one);
  return status;
}

tx_status tx_test_poison(tx_exec *x) {
  return x->backend->poison(x);
}

const int8_t tx_test_parity[TX_TEST_VARS][3] = {{1, 1, 1}, {-1, 1, -1}, {1, -1, 1}, {-1, -1, 1}};

tx_status tx_test_field(tx_exec *x, tx_field **out) {
  tx_field_var vars[TX_TEST_VARS] = {{.positive = false}};
  for (int v = 0; v < TX_TEST_VARS; v++)
    memcpy(vars[v].parity, tx_test_parity[v], sizeof vars[v].parity);
  return tx_field_create(x, TX_TEST_VARS, vars, out);
}

/* Coefficient n in dimension d; 0 where the parity forbids it. */
static double coefficient(const tx_domain *domain, int v, int d, int n) {
  if (domain->low[d] == TX_FACE_PERIODIC) return n == 0 ? 0.8 : 0.0;
  if (domain->low[d] == TX_FACE_REFLECT && n % 2 != (tx_test_parity[v][d] < 0)) return 0.0;
  return sin(1.0 + 1.7 * n + 0.9 * d + 0.6 * v);
}

tx_test_polynomial tx_test_polynomial_make(const tx_domain *domain, int degree) {
  tx_test_polynomial p = {.extent = domain->extent, .degree = degree};
  for (int v = 0; v < TX_TEST_VARS; v++)
    for (int d = 0; d < 3; d++)
      for (int n = 0; n <= degree; n++) p.coefficient[v][d][n] = coefficient(domain, v, d, n);
  return p;
}

double tx_test_polynomial_factor(const tx_test_polynomial *p, int v, int d, double x, int order) {
  double s = x / p->extent, sum = 0.0;
  for (int n = p->degree; n >= order; n--) {
    double c = p->coefficient[v][d][n];
    for (int m = 0; m < order; m++) c *= (n - m) / p->extent;
    sum = sum * s + c;
  }
  return sum;
}

double tx_test_polynomial_derivative(const tx_test_polynomial *p, int v, const double x[3],
                                     const int order[3]) {
  double product = 1.0;
  for (int d = 0; d < 3; d++) product *= tx_test_polynomial_factor(p, v, d, x[d], order[d]);
  return product;
}

double tx_test_polynomial_value(const void *polynomial, int v, const double x[3]) {
  return tx_test_polynomial_derivative(polynomial, v, x, (const int[3]){0, 0, 0});
}

tx_test_coordinate tx_test_noise_coordinate(const tx_domain *domain, int d, double x) {
  const int64_t unit = (int64_t)tx_domain_row(domain) * (TX_N % 8 ? TX_N : 8) << 17;
  int64_t u = llround(x / domain->extent * (double)unit);
  double odd = 1.0;
  if (domain->low[d] == TX_FACE_PERIODIC) u = ((u + unit) % (2 * unit) + 2 * unit) % (2 * unit);
  if (domain->low[d] == TX_FACE_REFLECT) {
    odd = u < 0 ? -1.0 : u > 0;
    if (u < 0) u = -u;
  }
  return (tx_test_coordinate){(uint64_t)u, odd};
}

double tx_test_noise_at(int v, const tx_test_coordinate x[3]) {
  uint64_t h = (uint64_t)v + 5;
  double sign = 1.0;
  for (int d = 0; d < 3; d++) {
    if (x[d].odd != 1.0 && tx_test_parity[v][d] < 0) sign *= x[d].odd;
    h = (h ^ x[d].place) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    h ^= h >> 32;
  }
  return sign * ((double)(h >> 11) * 0x1p-52 - 1.0);
}

double tx_test_noise_value(const void *domain, int v, const double x[3]) {
  tx_test_coordinate at[3];
  for (int d = 0; d < 3; d++) at[d] = tx_test_noise_coordinate(domain, d, x[d]);
  return tx_test_noise_at(v, at);
}
