/* Algebraic constraints and floors at a point, and the largest violations that were found. */
#pragma once

#include "cuda/system/system.cuh"
#include "physics/enforce_point.h"

/** Floors of tx_system_params, by value. */
typedef struct TX_OF(cuda_floors) {
#define F(variable, parameter) double parameter;
  TX_SYSTEM_FLOORS(F)
#undef F
  int raw; /**< the floors alone */
} tx_cuda_floors;

static inline tx_cuda_floors tx_cuda_floors_of(const tx_system_params *p, bool raw) {
  tx_cuda_floors floors = {};
#define F(variable, parameter) floors.parameter = p->parameter;
  TX_SYSTEM_FLOORS(F)
#undef F
  floors.raw = raw;
  return floors;
}

/** gt and At at a point, xx, xy, xz, yy, yz, zz. */
typedef struct tx_cuda_algebra {
  double gt[6], At[6];
} tx_cuda_algebra;

/** Largest |det gt - 1| and |tr At| as bits of doubles, which are in the order of the numbers, NaN above all.
 *  Begin with zeros. */
typedef struct tx_cuda_worst {
  unsigned long long bits[2];
} tx_cuda_worst;

static __device__ __forceinline__ void tx_cuda_worst_raise(tx_cuda_worst *w, int which,
                                                           double value) {
  const unsigned long long bits = (unsigned long long)__double_as_longlong(fabs(value));
  if (bits > w->bits[which]) w->bits[which] = bits;
}

/** Metric and At after enforcement, and their violations before. */
typedef struct tx_cuda_enforced {
  double gt[6], At[6], det_off, trace;
} tx_cuda_enforced;

/* Enforce the algebraic constraints. Not inlined: products and sums are then contracted alike
 * wherever it is called from, and all callers get the same bits. */
static __device__ __noinline__ tx_cuda_enforced
tx_cuda_enforce_algebra(double g0, double g1, double g2, double g3, double g4, double g5, double A0,
                        double A1, double A2, double A3, double A4, double A5) {
  tx_cuda_enforced e = {{g0, g1, g2, g3, g4, g5}, {A0, A1, A2, A3, A4, A5}, 0.0, 0.0};
  double cof[6];
  const double det = tx_sym_cofactors(e.gt, cof);
  e.det_off = det - 1.0;
  e.trace = tx_sym_contract(cof, e.At) / det;
  tx_enforce_point(TX_CBRT_NEAR(det) ? tx_over_cbrt_near(det) : tx_over_cbrt_far(det), cof, e.gt,
                   e.At);
  return e;
}

/** Enforce det gt = 1 (rescaling) and tr At = 0 (subtraction), and raise `worst` to the
 *  violations before. */
static __device__ __forceinline__ void
tx_cuda_enforce_point(const tx_cuda_floors &floors, tx_cuda_algebra *a, tx_cuda_worst *worst) {
  const double *g = a->gt, *A = a->At;
  if (floors.raw) return;
  const tx_cuda_enforced e = tx_cuda_enforce_algebra(g[0], g[1], g[2], g[3], g[4], g[5], A[0], A[1],
                                                     A[2], A[3], A[4], A[5]);
  tx_cuda_worst_raise(worst, 0, e.det_off);
  tx_cuda_worst_raise(worst, 1, e.trace);
#pragma unroll
  for (int c = 0; c < 6; c++) {
    a->gt[c] = e.gt[c];
    a->At[c] = e.At[c];
  }
}

/** Enforce all at the point at u, variables being `stride` apart: as tx_system.enforce, or, raw,
 *  as tx_system.floors. */
static __device__ __forceinline__ void tx_cuda_enforce_all(const tx_cuda_floors &floors, double *u,
                                                           size_t stride, tx_cuda_worst *worst) {
#ifdef TX_SYSTEM_METRIC
  tx_cuda_algebra a;
#pragma unroll
  for (int c = 0; c < 6; c++) {
    a.gt[c] = u[(METRIC + c) * stride];
    a.At[c] = u[(CURVATURE + c) * stride];
  }
  tx_cuda_enforce_point(floors, &a, worst);
#pragma unroll
  for (int c = 0; c < 6; c++) {
    u[(METRIC + c) * stride] = a.gt[c];
    u[(CURVATURE + c) * stride] = a.At[c];
  }
#endif
#define F(variable, parameter)                                                                     \
  u[TX_NUMBER(variable) * stride] =                                                                \
      tx_floor_point(u[TX_NUMBER(variable) * stride], floors.parameter);
  TX_SYSTEM_FLOORS(F)
#undef F
}

/** Return the largest violation so far, or an earlier one: other streams may raise it meanwhile. */
static __device__ __forceinline__ unsigned long long
tx_cuda_worst_seen(const unsigned long long *algebraic, int which) {
  return static_cast<const volatile unsigned long long *>(algebraic)[which];
}

/** Raise the plan's numbers, tx_cuda.algebraic [2], to the largest violations of a warp. All 32
 *  threads of the warp call it. Hardly ever more than a read. */
static __device__ __forceinline__ void tx_cuda_worst_reduce(tx_cuda_worst w,
                                                            unsigned long long *algebraic) {
#pragma unroll
  for (int n = 0; n < 2; n++) {
#pragma unroll
    for (int lanes = 16; lanes; lanes >>= 1) {
      const unsigned long long other = __shfl_xor_sync(0xffffffffu, w.bits[n], lanes);
      if (other > w.bits[n]) w.bits[n] = other;
    }
    if (threadIdx.x % 32 == 0 && w.bits[n] > tx_cuda_worst_seen(algebraic, n))
      atomicMax(&algebraic[n], w.bits[n]);
  }
}
