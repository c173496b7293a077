/* Algebraic constraints and floors. */
#include "physics/octant/octant.h"

#include <math.h>
#include <stdint.h>

#include "physics/simd.h"

#define TX_REAL tx_vec
#include "physics/enforce_point.h"

void TX_OF(floors)(const tx_system_params *p, size_t n, size_t stride, double *u) {
#define F(variable, parameter)                                                                     \
  for (size_t i = 0; i < n; i++)                                                                   \
    u[TX_VAR_##variable * stride + i] =                                                            \
        tx_floor_point(u[TX_VAR_##variable * stride + i], p->parameter);
  TX_SYSTEM_FLOORS(F)
#undef F
  (void)p, (void)n, (void)stride, (void)u; /* not every system has floors */
}

#ifdef TX_SYSTEM_METRIC
/* A lane mask of the vector's width. */
typedef int64_t mask __attribute__((vector_size(8 * TX_W)));

static inline tx_vec select(mask m, tx_vec yes, tx_vec no) {
  return (tx_vec)((m & (mask)yes) | (~m & (mask)no));
}

/* det^(-1/3). */
static inline tx_vec over_cube_root(tx_vec det) {
  const mask near = TX_CBRT_NEAR(det);
  tx_vec y = tx_over_cbrt_near(det);
  for (int lane = 0; lane < TX_W; lane++)
    if (!near[lane]) y[lane] = tx_over_cbrt_far(det[lane]);
  return y;
}

static inline tx_vec magnitude(tx_vec x) {
  return select(x < 0.0, -x, x);
}

/* The larger one; NaN once there was one. */
static inline tx_vec larger(tx_vec a, tx_vec b) {
  return select((b > a) | (b != b), b, a);
}

/* The metric and At of one vector of points; `worst` [2] is raised. */
static inline void enforce(size_t stride, double *u, tx_vec worst[2]) {
  tx_vec gt[6], At[6], cof[6];
  for (int c = 0; c < 6; c++) {
    gt[c] = tx_vec_load(u + (size_t)(TX_SYSTEM_METRIC + c) * stride);
    At[c] = tx_vec_load(u + (size_t)(TX_SYSTEM_CURVATURE + c) * stride);
  }
  const tx_vec det = tx_sym_cofactors(gt, cof);
  worst[0] = larger(worst[0], magnitude(det - 1.0));
  worst[1] = larger(worst[1], magnitude(tx_sym_contract(cof, At) / det));
  tx_enforce_point(over_cube_root(det), cof, gt, At);
  for (int c = 0; c < 6; c++) {
    tx_vec_store(u + (size_t)(TX_SYSTEM_METRIC + c) * stride, gt[c]);
    tx_vec_store(u + (size_t)(TX_SYSTEM_CURVATURE + c) * stride, At[c]);
  }
}

/* The last few points, through a copy padded with flat space. */
static void enforce_rest(size_t n, size_t stride, double *u, tx_vec worst[2]) {
  double copy[TX_VARS * TX_W];
  for (size_t v = 0; v < TX_VARS; v++)
    for (size_t i = 0; i < TX_W; i++)
      copy[v * TX_W + i] = i < n ? u[v * stride + i] : TX_OF(variables)[v].infinity;
  enforce(TX_W, copy, worst);
  for (size_t v = 0; v < TX_VARS; v++)
    for (size_t i = 0; i < n; i++) u[v * stride + i] = copy[v * TX_W + i];
}

void TX_OF(enforce)(const tx_system_params *p, size_t n, size_t stride, double *u, double diag[2]) {
  tx_vec worst[2] = {{0.0}, {0.0}};
  size_t i = 0;
  for (; i + TX_W <= n; i += TX_W) enforce(stride, u + i, worst);
  if (i < n) enforce_rest(n - i, stride, u + i, worst);
  for (int d = 0; diag && d < 2; d++)
    for (int lane = 0; lane < TX_W; lane++)
      if (worst[d][lane] > diag[d] || isnan(worst[d][lane])) diag[d] = worst[d][lane];
  TX_OF(floors)(p, n, stride, u);
}
#else
void TX_OF(enforce)(const tx_system_params *p, size_t n, size_t stride, double *u, double diag[2]) {
  (void)diag;
  TX_OF(floors)(p, n, stride, u);
}
#endif
