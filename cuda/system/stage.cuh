/* The stage kernel: right-hand sides, update and enforcement of the points of a tile, a thread a point. */
#pragma once

#include "cuda/kernels/tile_derivatives.cuh"
#include "cuda/system/enforce.cuh"
#include "physics/dissipation_point.h"
#include "physics/eta_point.h"
#include "physics/functions_point.h"
#include "physics/octant/scalars.h"

enum {
#define V(v, order) LOAD_##v,
  TX_RHS_LOADS(V)
#undef V
      LOADS
};

/* Factors of advections, in tx_tile_memory.advect. */
enum {
  ADVECT_ALWAYS,
#define P(parameter) ADVECT_##parameter,
  TX_ADVECTIONS(P)
#undef P
      ADVECTIONS
};
static_assert(ADVECTIONS <= TX_TILE_FACTORS, "tiles keep a factor of every kind");

static __host__ __device__ constexpr int advection_of(int v) {
#define V(variable, parameter)                                                                     \
  if (v == TX_NUMBER(variable)) return ADVECT_##parameter;
  TX_ADVECTED(V)
#undef V
  return ADVECT_ALWAYS;
}

/* Return the parities of variable v: bit d: odd under reflection in dimension d. */
static __host__ __device__ constexpr unsigned odd_of(int v) {
#define V(enumerator, name, px, py, pz, ...)                                                       \
  if (v == TX_NUMBER(enumerator))                                                                  \
    return (px < 0 ? 1u : 0u) | (py < 0 ? 2u : 0u) | (pz < 0 ? 4u : 0u);
#include TX_SYSTEM_VARIABLES
#undef V
  return 0;
}

/* Return number n of the list, as tiles take it. */
template <int BUFFERS> static __host__ __device__ constexpr unsigned load_of(int n) {
#define V(v, order)                                                                                \
  if (n == LOAD_##v)                                                                               \
    return TX_TILE_LOAD(TX_NUMBER(v), order, odd_of(TX_NUMBER(v)), n % BUFFERS,                    \
                        advection_of(TX_NUMBER(v)));
  TX_RHS_LOADS(V)
#undef V
  return TX_TILE_NO_LOAD;
}

/* Slots of values that threads park in shared memory (physics/codegen/parking.py). */
enum {
#define N(name, slot) PARK_##name = slot,
  TX_RHS_PARKED(N)
#undef N
      PARKED = TX_RHS_SLOTS
};

/* Return the slot in which advection and dissipation of variable v are parked, then its
 * right-hand side, then, if it waits for the enforcement, its new value; -1: they are in
 * registers. */
static __host__ __device__ constexpr int parked(int v) {
#define V(variable, slot)                                                                          \
  if (v == TX_NUMBER(variable)) return slot;
  TX_RHS_WAITING(V)
#undef V
  return -1;
}

/* Return the slot in which the value of variable v is kept; -1: none. */
static __host__ __device__ constexpr int kept(int v) {
#define V(variable, slot)                                                                          \
  if (v == TX_NUMBER(variable)) return slot;
  TX_RHS_KEPT(V)
#undef V
  return -1;
}

/* Return the slot in which a summand of the update of variable v is parked ahead of it: base_sum
 * (n = 0) or u (1); -1: none, the update loads it itself. */
static __host__ __device__ constexpr int parked_ahead(int v, int n) {
#define V(variable, slot0, slot1)                                                                  \
  if (v == TX_NUMBER(variable)) return n == 0 ? slot0 : slot1;
  TX_RHS_AHEAD(V)
#undef V
  return -1;
}

/* Shared memory of a block. */
template <int BUFFERS> struct stage_memory {
  tx_tile_memory<BUFFERS> tile;
  double park[PARKED][TX_TILE_THREADS];
};

/* Blocks that share a multiprocessor. */
#ifdef TX_SMALL
#define RESIDENT 1
static_assert(sizeof(stage_memory<2>) <= TX_CUDA_SHARED_LEAST, "every GPU has so much for a block");
#else
#define RESIDENT (sizeof(stage_memory<2>) <= 113 * 1024 ? 2 : 1)
static_assert(sizeof(stage_memory<2>) <= 227 * 1024, "so much has a H100");
static_assert(!TX_TILE_REGULAR || TX_K != 3 || RESIDENT == 2, "two blocks share a multiprocessor");
#endif

/* Arguments of the stage kernel. */
typedef struct TX_OF(stage_arguments) {
  tx_cuda_mesh mesh;
  const tx_lidx *octants;
  tx_cuda_values y;
  double *rhs; /* [n_local][TX_VARS][TX_N3], or NULL: the update rk */
  tx_cuda_rk rk;
  tx_system_params p; /* eta_form: constant where the shift is zero */
  tx_cuda_floors floors;
  unsigned long long *algebraic;
} stage_arguments;

/* Factor of sigma and of the undivided dissipation, apart from 1/(TX_D1_DIVISOR h). */
#define KO_SCALE ((double)TX_D1_DIVISOR / (1 << (2 * TX_KO)))

/* Return sigma at the thread's point; y: variable 0 there. */
template <bool MORE>
static __device__ __forceinline__ double sigma_here(const stage_arguments &a,
                                                    const tx_cuda_place &place, int number,
                                                    [[maybe_unused]] const double *y) {
  int first[3];
  double W = 1.0;
#ifdef TX_SYSTEM_FACTOR
  if (MORE && a.p.by_W) W = sqrt(y[TX_SYSTEM_FACTOR * TX_N3]);
#endif
  tx_tile_first(number, first);
  return W * tx_dissipation(&a.p, place.level, place.x0[0] + place.h * (first[0] + tx_tile_x()),
                            place.x0[1] + place.h * (first[1] + tx_tile_y()),
                            place.x0[2] + place.h * (first[2] + tx_tile_z()));
}

/* A thread's point, and its results that wait for others. */
struct stage_point {
  size_t at;             /* of variable 0 in a field */
  volatile double *park; /* volatile, or the compiler keeps in registers what is parked */
  bool owned;            /* not Sommerfeld's */
  double k[TX_VARS];     /* right-hand sides, of the variables that are not parked */
};

/* Return the summand of the next state's update; of no use after the last stage. */
static __device__ __forceinline__ const double *second_summand(const stage_arguments &a) {
  return a.rk.next ? a.rk.u : a.rk.base_sum;
}

/* Begin to copy the summands of the variables V: they are there after two more `derive`. */
template <int... V>
static __device__ __forceinline__ void park_ahead(const stage_arguments &a, const stage_point &t) {
  constexpr int n = sizeof...(V), var[n] = {V...};
  double *park = const_cast<double *>(t.park);
  if (a.rhs) return;
#pragma unroll
  for (int i = 0; i < n; i++) {
    tx_async_copy(park + parked_ahead(var[i], 0) * TX_TILE_THREADS,
                  a.rk.base_sum + t.at + var[i] * TX_N3);
    tx_async_copy(park + parked_ahead(var[i], 1) * TX_TILE_THREADS,
                  second_summand(a) + t.at + var[i] * TX_N3);
  }
}

/* Update the variables V with their right-hand sides k, loading all before anything is stored.
 * Or, if the right-hand side is asked for, store k and return false. */
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

/* Write the components of a symmetric tensor, V the first. */
template <int V>
static __device__ __forceinline__ void write_six(const stage_arguments &a, const stage_point &t,
                                                 const double *result) {
  write_result<V, V + 1, V + 2, V + 3, V + 4, V + 5>(a, t, result);
}

/* Enforce algebraic constraints on gt and At and write them, as the last update. At: its new
 * values; seen: the worst violations so far, or anything smaller. */
static __device__ __forceinline__ void enforce_and_write(const stage_arguments &a,
                                                         const stage_point &t, const double At[6],
                                                         const unsigned long long seen[2]) {
  tx_cuda_worst worst = {};
  tx_cuda_algebra algebra = {};
#pragma unroll
  for (int c = 0; c < 6; c++) {
    algebra.At[c] = At[c];
    algebra.gt[c] = t.park[parked(METRIC + c) * TX_TILE_THREADS];
  }
  tx_cuda_enforce_point(a.floors, &algebra, &worst);
  write_six<CURVATURE>(a, t, algebra.At);
  write_six<METRIC>(a, t, algebra.gt);
  const bool worse = t.owned && (worst.bits[0] > seen[0] || worst.bits[1] > seen[1]);
  if (!__any_sync(0xffffffffu, worse)) return;
  if (!worse) worst = {};
  tx_cuda_worst_reduce(worst, a.algebraic);
}

/* Update the variables V, whose right-hand sides are all there. */
template <int... V>
static __device__ __forceinline__ void update_together(const stage_arguments &a,
                                                       const stage_point &t) {
  constexpr int n = sizeof...(V), var[n] = {V...};
  double k[n], r[n] = {};
  unsigned long long seen[2] = {};
  if constexpr (var[0] == CURVATURE) { /* asked for before it is needed */
    seen[0] = tx_cuda_worst_seen(a.algebraic, 0);
    seen[1] = tx_cuda_worst_seen(a.algebraic, 1);
  }
#pragma unroll
  for (int i = 0; i < n; i++)
    k[i] = parked(var[i]) >= 0 ? t.park[parked(var[i]) * TX_TILE_THREADS] : t.k[var[i]];
  if (!update<V...>(a, t, k, r)) return;
  if constexpr (var[0] == CURVATURE) {
    enforce_and_write(a, t, r, seen);
  } else if constexpr (var[0] == METRIC) {
#pragma unroll
    for (int i = 0; i < n; i++) t.park[parked(var[i]) * TX_TILE_THREADS] = r[i];
  } else {
#pragma unroll
    for (int i = 0; i < n; i++) {
#define F(variable, parameter)                                                                     \
  if (var[i] == TX_NUMBER(variable) && r[i] < a.floors.parameter) r[i] = a.floors.parameter;
      TX_SYSTEM_FLOORS(F)
#undef F
    }
    write_result<V...>(a, t, r);
  }
}

/* Keep right-hand side k of variable V until all are there that are updated together, so that
 * their updates wait for memory together. */
template <int V>
static __device__ __forceinline__ void store(const stage_arguments &a, stage_point *t, double k) {
  if constexpr (parked(V) >= 0)
    t->park[parked(V) * TX_TILE_THREADS] = k;
  else
    t->k[V] = k;
#define U(last, ...)                                                                               \
  if constexpr (V == last) update_together<__VA_ARGS__>(a, *t);
  TX_RHS_UPDATES(U)
#undef U
#define A(last, ...)                                                                               \
  if constexpr (V == last) park_ahead<__VA_ARGS__>(a, *t);
  TX_RHS_ASKED(A)
#undef A
}

/* Derive number N of the list to the given order. */
template <int N, int ORDER, int BUFFERS>
static __device__ __forceinline__ auto derive(const tx_tile &tile, volatile double *park) {
  constexpr unsigned load = load_of<BUFFERS>(N), next = load_of<BUFFERS>(N + BUFFERS - 1);
  constexpr int v = (int)TX_TILE_VARIABLE(load);
  static_assert((ORDER == 2) == (TX_TILE_SECOND(load) != 0), "not what TX_RHS_LOADS says");
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

/* Return advection and dissipation of variable V. */
template <int V, class JET>
static __device__ __forceinline__ double advection(const JET &jet, const volatile double *park) {
  if constexpr (parked(V) >= 0) return park[parked(V) * TX_TILE_THREADS];
  return jet.adv;
}

/* Add to the advection of variable V, which waits. */
template <int V>
static __device__ __forceinline__ void add_parked(volatile double *park, double more) {
  static_assert(parked(V) >= 0, "its advection does not wait: TX_MORE has no place to add to");
  park[parked(V) * TX_TILE_THREADS] += more;
}

/* Return the spacing from the tile's memory: registers are short where it is needed. */
template <int BUFFERS> static __device__ __forceinline__ double spacing_again(void) {
  TX_SHARED(tx_tile_memory<BUFFERS>, s);
  return 1.0 / (TX_D1_DIVISOR * *const_cast<const volatile double *>(&s->over_h));
}

#ifdef TX_RHS_ETA
/* Return eta of the forms that depend on the point; y: variable 0 there. Not inlined, as it is
 * seldom used. */
static __device__ __noinline__ double eta_at(int form, double eta, double eta_far, double radius,
                                             double R0, double power_a, double power_b, double most,
                                             const tx_cuda_place *place, int number,
                                             const double *y, double d0, double d1, double d2) {
  tx_system_params p = {};
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
  for (int c = 0; c < 6; c++) gt[c] = y[(METRIC + c) * TX_N3];
  return tx_eta_point(&p, x, gt, y[TX_SYSTEM_FACTOR * TX_N3], dchi);
}

static __device__ __forceinline__ double eta_here(const stage_arguments &a, tx_lidx b, int number,
                                                  const double *y, const tx_tile_jet2 &chi) {
  if (a.p.eta_form == TX_ETA_CONSTANT) return a.p.eta;
  return eta_at(a.p.eta_form, a.p.eta, a.p.eta_far, a.p.eta_radius, a.p.eta_R0, a.p.eta_a,
                a.p.eta_b, a.p.eta_max, &a.mesh.place[b], number, y, chi.d[0], chi.d[1], chi.d[2]);
}
#endif

/* Return the value of variable V at the thread's point, once more. */
template <int V>
static __device__ __forceinline__ double value_again(const double *y, const double *park) {
  if constexpr (kept(V) >= 0) return park[kept(V) * TX_TILE_THREADS];
  return y[V * TX_N3];
}

/* Return the value of variable V at the thread's point for the first time; first: of those that
 * are kept. */
template <int V>
static __device__ __forceinline__ double value(const double *y, const double *first,
                                               const tx_tile &tile) {
  if constexpr (kept(V) >= 0) return first[kept(V)];
#ifdef TX_SYSTEM_SHIFT
  if constexpr (V >= TX_SYSTEM_SHIFT && V < TX_SYSTEM_SHIFT + 3)
    return tile.beta[V - TX_SYSTEM_SHIFT];
#endif
  return y[V * TX_N3];
}

/* Return coordinate d of the thread's point. */
[[maybe_unused]] static __device__ __forceinline__ double coordinate(const tx_cuda_place &place,
                                                                     int number, int d) {
  int first[3];
  tx_tile_first(number, first);
  const int at = d == 0 ? tx_tile_x() : d == 1 ? tx_tile_y() : tx_tile_z();
  return place.x0[d] + place.h * (first[d] + at);
}

/* Compute a stage or a right-hand side of a tile. MORE: compile the optional terms, the system's
 * TX_MORE and dissipation by W; apart, as registers are short. */
template <int BUFFERS, bool MORE>
static __global__ void __launch_bounds__(TX_TILE_THREADS, RESIDENT)
    tx_stage_kernel(stage_arguments a) {
  TX_SHARED(stage_memory<BUFFERS>, memory);
  const tx_lidx b = a.octants[blockIdx.x / TX_TILES];
  const int number = (int)(blockIdx.x % TX_TILES);
  volatile double *park = &memory->park[0][threadIdx.x];
  stage_point point;
  point.at = (size_t)b * TX_VARS * TX_N3 + (size_t)tx_tile_point(number);
  const double *here = a.y.data + point.at;
  /* Load first what is needed first. */
  double first[PARKED + 1], beta[3] = {};
#define V(variable, slot) first[slot] = here[TX_NUMBER(variable) * TX_N3];
  TX_RHS_KEPT(V)
#undef V
#ifdef TX_SYSTEM_SHIFT
#pragma unroll
  for (int d = 0; d < 3; d++) beta[d] = here[(TX_SYSTEM_SHIFT + d) * TX_N3];
#endif
#define P(parameter) , a.p.parameter
  const double advect[TX_TILE_FACTORS] = {1.0 TX_ADVECTIONS(P)};
#undef P
  const double ko = KO_SCALE * sigma_here<MORE>(a, a.mesh.place[b], number, here);
  tx_tile tile = tx_tile_begin<BUFFERS>(a.mesh.place[b], number, ko, advect);
  tx_tile_locate<BUFFERS>(&tile, a.mesh, a.y, b, number);
  start<0, BUFFERS>(tile);
  point.owned = tx_tile_has_point() && !(tile.edge1_flags & TX_TILE_OUTERMOST);
  point.park = park;
#pragma unroll
  for (int d = 0; d < 3; d++) tile.beta[d] = beta[d];
#define V(variable, slot) park[slot * TX_TILE_THREADS] = first[slot];
  TX_RHS_KEPT(V)
#undef V
  [[maybe_unused]] const tx_system_params *p = &a.p;
#define S(name) [[maybe_unused]] const double name = tx_scalar_##name(p, a.mesh.place[b].h);
  TX_RHS_SCALARS(S)
#undef S

  typedef double tx_real;
#define TX_VALUE(v)    value<TX_NUMBER(v)>(here, first, tile)
#define TX_LOAD0(v)    TX_LOAD1(v)
#define TX_LOAD1(v)    const tx_tile_jet1 jet_##v = derive<LOAD_##v, 1, BUFFERS>(tile, park);
#define TX_LOAD2(v)    const tx_tile_jet2 jet_##v = derive<LOAD_##v, 2, BUFFERS>(tile, park);
#define TX_D(v, i)     jet_##v.d[i]
#define TX_DD(v, i, j) jet_##v.dd[(i) * (5 - (i)) / 2 + (j)]
#define TX_ADV(v)      advection<TX_NUMBER(v)>(jet_##v, park)
#define TX_MORE(v, f, e)                                                                           \
  if constexpr (MORE)                                                                              \
    add_parked<TX_NUMBER(v)>(park, tx_scalar_##f(p, spacing_again<BUFFERS>()) * (e));
#define TX_STORE(v, e)    store<TX_NUMBER(v)>(a, &point, e)
#define TX_PARK(name)     park[PARK_##name * TX_TILE_THREADS] = name;
#define TX_PARKED(name)   park[PARK_##name * TX_TILE_THREADS]
#define TX_UNPARK(name)   name = park[PARK_##name * TX_TILE_THREADS];
#define TX_AGAIN(name, v) name = value_again<TX_NUMBER(v)>(here, const_cast<const double *>(park));
#define TX_INPUT(name)                                                                             \
  park[PARK_##name * TX_TILE_THREADS] = name##_here(a, b, number, here, jet_CHI);
#define eta              park[PARK_eta * TX_TILE_THREADS]
#define TX_COORDINATE(d) coordinate(a.mesh.place[b], number, d)
#define TX_TIME          p->time
#include "physics/define_point.h"
#include TX_SYSTEM_RHS
#undef eta
#include "physics/undefine.h"
}
