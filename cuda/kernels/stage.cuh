/* The stage kernel: right-hand sides, update and enforcement of the points of a tile, a thread a point. */
#pragma once

#include "cuda/kernels/enforce.cuh"
#include "cuda/kernels/tile_derivatives.cuh"
#include "cuda/kernels/update.cuh"
#include "physics/bssn_point.h"
#include "physics/dissipation_point.h"
#include "physics/eta_point.h"

enum {
#define V(v, order) LOAD_##v,
  TX_BSSN_RHS_LOADS(V)
#undef V
      LOADS
};

/* Factors of advections, in tx_tile_memory.advect. */
enum {
  ADVECT_ALWAYS,
#define P(parameter) ADVECT_##parameter,
  TX_BSSN_ADVECTIONS(P)
#undef P
      ADVECTIONS
};
static_assert(ADVECTIONS <= TX_TILE_FACTORS, "tiles keep a factor of every kind");

static __host__ __device__ constexpr int advection_of(int v) {
#define V(variable, parameter)                                                                     \
  if (v == TX_VAR_##variable) return ADVECT_##parameter;
  TX_BSSN_ADVECTED(V)
#undef V
  return ADVECT_ALWAYS;
}

/* Parities of variable v: bit d: odd under reflection in dimension d. */
static __host__ __device__ constexpr unsigned odd_of(int v) {
#define V(enumerator, name, px, py, pz, ...)                                                       \
  if (v == TX_VAR_##enumerator) return (px < 0 ? 1u : 0u) | (py < 0 ? 2u : 0u) | (pz < 0 ? 4u : 0u);
#include "physics/generated/bssn_variables.def"
#undef V
  return 0;
}

/* Number n of the list, as tiles take it. */
template <int BUFFERS> static __host__ __device__ constexpr unsigned load_of(int n) {
#define V(v, order)                                                                                \
  if (n == LOAD_##v)                                                                               \
    return TX_TILE_LOAD(TX_VAR_##v, order, odd_of(TX_VAR_##v), n % BUFFERS,                        \
                        advection_of(TX_VAR_##v));
  TX_BSSN_RHS_LOADS(V)
#undef V
  return TX_TILE_NO_LOAD;
}

/* Values that threads park in shared memory meanwhile. Of gt, chi and Gt^i first advection and dissipation, then
 * the right-hand side, of gt at last the updated values; others by their names in bssn_rhs.inc. */
enum {
#define SYM(name, at)                                                                              \
  PARK_##name##00 = at, PARK_##name##01, PARK_##name##02, PARK_##name##11, PARK_##name##12,        \
  PARK_##name##22
#define VECTOR(name, at) PARK_##name##0 = at, PARK_##name##1, PARK_##name##2
  PARK_GT = 0,
  SYM(Rt_dd, PARK_GT + 6),
  SYM(S_dd, PARK_GT + 6),
  SYM(Gamt_ddd1, PARK_GT + 6), /* while Rt_dd is in registers */
  VECTOR(Gamd_u, PARK_GT + 12),
  SYM(Gamt_ddd2, PARK_GT + 15), /* before what follows */
  VECTOR(advGamt_u, PARK_GT + 15),
  PARK_GAMT = PARK_GT + 18,
  PARK_CHI = PARK_GT + 21,
  PARK_ETA,
  PARK_METRIC, /* gt itself */
  PARKED = PARK_METRIC + 6
#undef SYM
#undef VECTOR
};

/* Where variable v is parked; -1: it is not. */
static __host__ __device__ constexpr int parked(int v) {
  return v >= TX_VAR_GT00 && v <= TX_VAR_GT22     ? PARK_GT + v - TX_VAR_GT00
         : v >= TX_VAR_GAMT0 && v <= TX_VAR_GAMT2 ? PARK_GAMT + v - TX_VAR_GAMT0
         : v == TX_VAR_CHI                        ? PARK_CHI
                                                  : -1;
}

/* Where the summands of the update of variable v are parked ahead of it, in slots that others have left: base_sum (n = 0) and u
 * (1); -1: they are not, the update loads them itself. */
static __host__ __device__ constexpr int parked_ahead(int v, int n) {
  if (v >= TX_VAR_B0 && v <= TX_VAR_B2) return PARK_METRIC + 3 * n + v - TX_VAR_B0;
  if (v < TX_VAR_AT00 || v > TX_VAR_AT22) return -1;
  const int c = v - TX_VAR_AT00;
  return n == 0 ? PARK_METRIC + c : c < 3 ? PARK_GAMT + c : PARK_Gamd_u0 + c - 3;
}

/* Shared memory of a block. */
template <int BUFFERS> struct stage_memory {
  tx_tile_memory<BUFFERS> tile;
  double park[PARKED][TX_TILE_THREADS];
};

static_assert(PARK_Gamd_u0 + 3 <= PARK_GAMT, "what is parked ahead has a slot each");
static_assert(sizeof(stage_memory<2>) <= (228 * 1024) / 2 - 1024,
              "two blocks share a multiprocessor");

/* What the kernel is given. */
struct stage_arguments {
  tx_cuda_mesh mesh;
  const tx_lidx *octants;
  tx_cuda_values y;
  double *rhs; /* [n_local][TX_VARS][TX_N3], or NULL: the update rk */
  tx_cuda_rk rk;
  tx_bssn_params p; /* eta_form: constant where the shift is zero */
  tx_cuda_floors floors;
  unsigned long long *algebraic;
};

/* Factor of sigma and of the undivided dissipation, apart from 1/(TX_D1_DIVISOR h). */
#define KO_SCALE ((double)TX_D1_DIVISOR / (1 << (2 * TX_K)))

/* sigma at the thread's point. */
static __device__ __forceinline__ double sigma_here(const stage_arguments &a,
                                                    const tx_cuda_place &place, int number) {
  int first[3];
  tx_tile_first(number, first);
  return tx_dissipation(&a.p, place.level, place.x0[0] + place.h * (first[0] + tx_tile_x()),
                        place.x0[1] + place.h * (first[1] + tx_tile_y()),
                        place.x0[2] + place.h * (first[2] + tx_tile_z()));
}

/* A thread's point, and its results that wait for others. */
struct stage_point {
  size_t at;             /* of variable 0 in a field */
  volatile double *park; /* volatile, or the compiler keeps in registers what is parked */
  bool owned;            /* not Sommerfeld's */
  double alpha_K[2], beta[3], B[3], At[6]; /* right-hand sides */
};

/* What the update adds the right-hand side to for the next state; of no use after the last stage. */
static __device__ __forceinline__ const double *second_summand(const stage_arguments &a) {
  return a.rk.next ? a.rk.u : a.rk.base_sum;
}

/* Ask for the summands of the variables from FIRST to LAST that are parked ahead: they are there after two more `derive`. */
template <int FIRST, int LAST>
static __device__ __forceinline__ void park_ahead(const stage_arguments &a, const stage_point &t) {
  if (a.rhs) return;
  double *park = const_cast<double *>(t.park);
#pragma unroll
  for (int v = FIRST; v <= LAST; v++) {
    tx_async_copy(park + parked_ahead(v, 0) * TX_TILE_THREADS, a.rk.base_sum + t.at + v * TX_N3);
    tx_async_copy(park + parked_ahead(v, 1) * TX_TILE_THREADS,
                  second_summand(a) + t.at + v * TX_N3);
  }
}

/* Update the variables V with their right-hand sides k; all is loaded before anything is stored. Or store k, if
 * that is asked for: false. */
template <int... V>
static __device__ __forceinline__ bool update(const stage_arguments &a, const stage_point &t,
                                              const double *k, double *result) {
  constexpr int n = sizeof...(V), var[n] = {V...};
  double base[n], u[n];
  if (a.rhs) {
#pragma unroll
    for (int i = 0; i < n; i++)
      if (t.owned) a.rhs[t.at + var[i] * TX_N3] = k[i];
    return false;
  }
#pragma unroll
  for (int i = 0; i < n; i++) {
    const bool ahead = parked_ahead(var[i], 0) >= 0;
    base[i] = ahead ? t.park[parked_ahead(var[i], 0) * TX_TILE_THREADS]
                    : a.rk.base_sum[t.at + var[i] * TX_N3];
    u[i] = ahead ? t.park[parked_ahead(var[i], 1) * TX_TILE_THREADS]
                 : second_summand(a)[t.at + var[i] * TX_N3];
  }
#pragma unroll
  for (int i = 0; i < n; i++) base[i] = tx_cuda_step(base[i], a.rk.dt_sum, k[i]);
  if (!a.rk.next) {
#pragma unroll
    for (int i = 0; i < n; i++) result[i] = base[i];
    return true;
  }
#pragma unroll
  for (int i = 0; i < n; i++) {
    if (t.owned) a.rk.sum[t.at + var[i] * TX_N3] = base[i];
    result[i] = tx_cuda_step(u[i], a.rk.dt_next, k[i]);
  }
  return true;
}

template <int... V>
static __device__ __forceinline__ void write_result(const stage_arguments &a, const stage_point &t,
                                                    const double *result) {
  constexpr int n = sizeof...(V), var[n] = {V...};
  double *to = a.rk.next ? a.rk.next : a.rk.sum;
#pragma unroll
  for (int i = 0; i < n; i++)
    if (t.owned) to[t.at + var[i] * TX_N3] = result[i];
}

static __device__ __forceinline__ void update_alpha_K(const stage_arguments &a,
                                                      const stage_point &t) {
  double r[2];
  if (!update<TX_VAR_ALPHA, TX_VAR_K>(a, t, t.alpha_K, r)) return;
  if (r[0] < a.floors.alpha) r[0] = a.floors.alpha;
  write_result<TX_VAR_ALPHA, TX_VAR_K>(a, t, r);
}

static __device__ __forceinline__ void update_gt(const stage_arguments &a, const stage_point &t) {
  double k[6], r[6];
#pragma unroll
  for (int c = 0; c < 6; c++) k[c] = t.park[(PARK_GT + c) * TX_TILE_THREADS];
  if (!update<TX_VAR_GT00, TX_VAR_GT01, TX_VAR_GT02, TX_VAR_GT11, TX_VAR_GT12, TX_VAR_GT22>(a, t, k,
                                                                                            r))
    return;
#pragma unroll
  for (int c = 0; c < 6; c++) t.park[(PARK_GT + c) * TX_TILE_THREADS] = r[c];
}

static __device__ __forceinline__ void update_chi_Gamt_beta(const stage_arguments &a,
                                                            const stage_point &t) {
  double k[7], r[7];
  k[0] = t.park[PARK_CHI * TX_TILE_THREADS];
#pragma unroll
  for (int c = 0; c < 3; c++) {
    k[1 + c] = t.park[(PARK_GAMT + c) * TX_TILE_THREADS];
    k[4 + c] = t.beta[c];
  }
#define LIST                                                                                       \
  TX_VAR_CHI, TX_VAR_GAMT0, TX_VAR_GAMT1, TX_VAR_GAMT2, TX_VAR_BETA0, TX_VAR_BETA1, TX_VAR_BETA2
  if (!update<LIST>(a, t, k, r)) return;
  if (r[0] < a.floors.chi) r[0] = a.floors.chi;
  write_result<LIST>(a, t, r);
#undef LIST
}

static __device__ __forceinline__ void update_B(const stage_arguments &a, const stage_point &t) {
  double r[3];
  if (!update<TX_VAR_B0, TX_VAR_B1, TX_VAR_B2>(a, t, t.B, r)) return;
  write_result<TX_VAR_B0, TX_VAR_B1, TX_VAR_B2>(a, t, r);
}

/* At last, and with them what gt and At must fulfil. */
static __device__ __forceinline__ void update_At(const stage_arguments &a, const stage_point &t) {
#define LIST TX_VAR_AT00, TX_VAR_AT01, TX_VAR_AT02, TX_VAR_AT11, TX_VAR_AT12, TX_VAR_AT22
  /* Asked for before it is needed; anything smaller, too, would do. */
  const volatile unsigned long long *so_far = a.algebraic;
  const unsigned long long seen[2] = {so_far[0], so_far[1]};
  tx_cuda_worst worst = {};
  tx_cuda_algebra algebra = {};
  if (!update<LIST>(a, t, t.At, algebra.At)) return;
#pragma unroll
  for (int c = 0; c < 6; c++) algebra.gt[c] = t.park[(PARK_GT + c) * TX_TILE_THREADS];
  tx_cuda_enforce_point(a.floors, &algebra, &worst);
  write_result<LIST>(a, t, algebra.At);
  write_result<TX_VAR_GT00, TX_VAR_GT01, TX_VAR_GT02, TX_VAR_GT11, TX_VAR_GT12, TX_VAR_GT22>(
      a, t, algebra.gt);
  const bool worse = t.owned && (worst.bits[0] > seen[0] || worst.bits[1] > seen[1]);
  if (!__any_sync(0xffffffffu, worse)) return;
  if (!worse) worst = {};
  tx_cuda_worst_reduce(worst, a.algebraic);
#undef LIST
}

/* Right-hand side k of variable V: kept until enough of them are there, so that their updates wait for memory
 * together. */
template <int V>
static __device__ __forceinline__ void store(const stage_arguments &a, stage_point *t, double k) {
  if constexpr (parked(V) >= 0) t->park[parked(V) * TX_TILE_THREADS] = k;
  if constexpr (V == TX_VAR_ALPHA) t->alpha_K[0] = k;
  if constexpr (V == TX_VAR_K) t->alpha_K[1] = k;
  if constexpr (V >= TX_VAR_BETA0 && V <= TX_VAR_BETA2) t->beta[V - TX_VAR_BETA0] = k;
  if constexpr (V >= TX_VAR_B0 && V <= TX_VAR_B2) t->B[V - TX_VAR_B0] = k;
  if constexpr (V >= TX_VAR_AT00 && V <= TX_VAR_AT22) t->At[V - TX_VAR_AT00] = k;
  if constexpr (V == TX_VAR_K) update_alpha_K(a, *t);
  if constexpr (V == TX_VAR_GT22) update_gt(a, *t);
  if constexpr (V == TX_VAR_BETA2) {
    update_chi_Gamt_beta(a, *t);
    park_ahead<TX_VAR_B0, TX_VAR_B2>(a, *t);
  }
  if constexpr (V == TX_VAR_B2) {
    update_B(a, *t);
    park_ahead<TX_VAR_AT00, TX_VAR_AT22>(a, *t);
  }
  if constexpr (V == TX_VAR_AT22) update_At(a, *t);
}

/* Number N of the list, with derivatives of the given order. */
template <int N, int ORDER, int BUFFERS>
static __device__ __forceinline__ auto derive(const tx_tile &tile, volatile double *park) {
  constexpr unsigned load = load_of<BUFFERS>(N), next = load_of<BUFFERS>(N + BUFFERS - 1);
  constexpr int v = (int)TX_TILE_VARIABLE(load);
  static_assert((ORDER == 2) == (TX_TILE_SECOND(load) != 0), "not what TX_BSSN_RHS_LOADS says");
  if constexpr (ORDER == 2) {
    const tx_tile_jet2 jet = tx_tile_derive2<BUFFERS>(tile, load, next);
    if constexpr (parked(v) >= 0) park[parked(v) * TX_TILE_THREADS] = jet.adv;
    return jet;
  } else {
    const tx_tile_jet1 jet = tx_tile_derive1<BUFFERS>(tile, load, next);
    if constexpr (parked(v) >= 0) park[parked(v) * TX_TILE_THREADS] = jet.adv;
    return jet;
  }
}

template <int N, int BUFFERS> static __device__ __forceinline__ void start(const tx_tile &tile) {
  if constexpr (N < BUFFERS - 1) {
    tx_tile_start<BUFFERS>(tile, load_of<BUFFERS>(N));
    start<N + 1, BUFFERS>(tile);
  }
}

/* Advection and dissipation of variable V. */
template <int V, class JET>
static __device__ __forceinline__ double advection(const JET &jet, const volatile double *park) {
  if constexpr (parked(V) >= 0) return park[parked(V) * TX_TILE_THREADS];
  return jet.adv;
}

/* eta of the forms that depend on the point; y: variable 0 there. Seldom, and not to be in the way. */
static __device__ __noinline__ double eta_at(int form, double eta, double eta_far, double radius,
                                             double R0, double power_a, double power_b, double most,
                                             const tx_cuda_place *place, int number,
                                             const double *y, double d0, double d1, double d2) {
  tx_bssn_params p = {};
  p.eta_form = form;
  p.eta = eta;
  p.eta_far = eta_far;
  p.eta_radius = radius;
  p.eta_R0 = R0;
  p.eta_a = power_a;
  p.eta_b = power_b;
  p.eta_max = most;
  int first[3];
  tx_tile_first(number, first);
  const double x[3] = {place->x0[0] + place->h * (first[0] + tx_tile_x()),
                       place->x0[1] + place->h * (first[1] + tx_tile_y()),
                       place->x0[2] + place->h * (first[2] + tx_tile_z())};
  const double dchi[3] = {d0, d1, d2};
  double gt[6];
#pragma unroll
  for (int c = 0; c < 6; c++) gt[c] = y[(TX_VAR_GT00 + c) * TX_N3];
  return tx_eta_point(&p, x, gt, y[TX_VAR_CHI * TX_N3], dchi);
}

static __device__ __forceinline__ double eta_here(const stage_arguments &a, tx_lidx b, int number,
                                                  const double *y, const tx_tile_jet2 &chi) {
  if (a.p.eta_form == TX_ETA_CONSTANT) return a.p.eta;
  return eta_at(a.p.eta_form, a.p.eta, a.p.eta_far, a.p.eta_radius, a.p.eta_R0, a.p.eta_a,
                a.p.eta_b, a.p.eta_max, &a.mesh.place[b], number, y, chi.d[0], chi.d[1], chi.d[2]);
}

/* Value of variable V at the thread's point, later on. */
template <int V>
static __device__ __forceinline__ double value_again(const double *y, const double *park) {
  if constexpr (V >= TX_VAR_GT00 && V <= TX_VAR_GT22)
    return park[(PARK_METRIC + V - TX_VAR_GT00) * TX_TILE_THREADS];
  return y[V * TX_N3];
}

/* Value of variable V at the thread's point, the first time that it is asked for. */
template <int V>
static __device__ __forceinline__ double value(const double *y, const double gt[6],
                                               const tx_tile &tile) {
  if constexpr (V >= TX_VAR_GT00 && V <= TX_VAR_GT22) return gt[V - TX_VAR_GT00];
  if constexpr (V >= TX_VAR_BETA0 && V <= TX_VAR_BETA2) return tile.beta[V - TX_VAR_BETA0];
  return y[V * TX_N3];
}

/** A source of the stage kernel, which says where the copies of a tile come from: in place, from octants and slots. */
struct tx_stage_in_place {
  template <int BUFFERS>
  __device__ __forceinline__ void locate(tx_tile *tile, const tx_cuda_mesh &mesh,
                                         const tx_cuda_values &y, tx_lidx b, int number) const {
    tx_tile_locate<BUFFERS>(tile, mesh, y, b, number);
  }
};

template <int BUFFERS, class SOURCE>
static __global__ void __launch_bounds__(TX_TILE_THREADS, 2)
    tx_stage_kernel(stage_arguments a, SOURCE source) {
  TX_SHARED(stage_memory<BUFFERS>, memory);
  const tx_lidx b = a.octants[blockIdx.x / TX_TILES];
  const int number = (int)(blockIdx.x % TX_TILES);
  volatile double *park = &memory->park[0][threadIdx.x];
  stage_point point;
  point.at = (size_t)b * TX_VARS * TX_N3 + (size_t)tx_tile_point(number);
  const double *y = a.y.data + point.at;
  /* What is needed first is asked for first. */
  double gt[6], beta[3];
#pragma unroll
  for (int c = 0; c < 6; c++) gt[c] = y[(TX_VAR_GT00 + c) * TX_N3];
#pragma unroll
  for (int d = 0; d < 3; d++) beta[d] = y[(TX_VAR_BETA0 + d) * TX_N3];
#define P(parameter) , a.p.parameter
  const double advect[TX_TILE_FACTORS] = {1.0 TX_BSSN_ADVECTIONS(P)};
#undef P
  const double ko = KO_SCALE * sigma_here(a, a.mesh.place[b], number);
  tx_tile tile = tx_tile_begin<BUFFERS>(a.mesh.place[b], number, ko, advect);
  source.template locate<BUFFERS>(&tile, a.mesh, a.y, b, number);
  start<0, BUFFERS>(tile);
  point.owned = !(tile.edge1_flags & TX_TILE_OUTERMOST);
  point.park = park;
#pragma unroll
  for (int d = 0; d < 3; d++) tile.beta[d] = beta[d];
#pragma unroll
  for (int c = 0; c < 6; c++) park[(PARK_METRIC + c) * TX_TILE_THREADS] = gt[c];
  const tx_bssn_params *p = &a.p;
  TX_BSSN_SCALARS(p);

  typedef double tx_real;
#define TX_VALUE(v) value<TX_VAR_##v>(y, gt, tile)
#define TX_LOAD0(v) TX_LOAD1(v)
#define TX_LOAD1(v) const tx_tile_jet1 jet_##v = derive<LOAD_##v, 1, BUFFERS>(tile, park);
#define TX_LOAD2(v)                                                                                \
  const tx_tile_jet2 jet_##v = derive<LOAD_##v, 2, BUFFERS>(tile, park);                           \
  if (TX_VAR_##v == TX_VAR_CHI)                                                                    \
    park[PARK_ETA * TX_TILE_THREADS] = eta_here(a, b, number, y, jet_##v);
#define TX_D(v, i)        jet_##v.d[i]
#define TX_DD(v, i, j)    jet_##v.dd[(i) * (5 - (i)) / 2 + (j)]
#define TX_ADV(v)         advection<TX_VAR_##v>(jet_##v, park)
#define TX_STORE(v, e)    store<TX_VAR_##v>(a, &point, e)
#define TX_SQRT(e)        (lapse_pull != 0.0 ? sqrt(e) : 0.0)
#define TX_PARK(name)     park[PARK_##name * TX_TILE_THREADS] = name;
#define TX_UNPARK(name)   name = park[PARK_##name * TX_TILE_THREADS];
#define TX_AGAIN(name, v) name = value_again<TX_VAR_##v>(y, const_cast<const double *>(park));
#define eta               park[PARK_ETA * TX_TILE_THREADS]
#include "physics/generated/bssn_rhs.inc"
#undef eta
#include "physics/undefine.h"
}

/* Variables in shared memory at a time. */
#define TX_STAGE_BUFFERS 2

/** Launch over a set: sets the arguments but for a->y and what is to be done, a->rhs or a->rk. Local. */
template <class SOURCE>
static tx_status tx_stage_launch(tx_exec *x, const tx_set *set, const tx_bssn_params *p,
                                 SOURCE source, stage_arguments *a, cudaStream_t stream) {
  void (*const kernel)(stage_arguments, SOURCE) = tx_stage_kernel<TX_STAGE_BUFFERS, SOURCE>;
  static bool prepared = false;
  const int shared = (int)sizeof(stage_memory<TX_STAGE_BUFFERS>);
  if (!prepared)
    TX_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  prepared = true;
  const tx_cuda *c = tx_cuda_of(x);
  a->mesh = c->mesh;
  a->octants = tx_cuda_set_of(set)->octant;
  a->p = *p;
  if (p->shift == TX_SHIFT_ZERO) a->p.eta_form = TX_ETA_CONSTANT;
  a->floors.chi = p->chi_floor;
  a->floors.alpha = p->alpha_floor;
  a->algebraic = c->algebraic;
  TX_CUDA_RUN(kernel, (size_t)set->n * TX_TILES, TX_TILE_THREADS, (size_t)shared, stream, *a,
              source);
  return TX_OK;
}
