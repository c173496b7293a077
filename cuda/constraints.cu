/* Norms of the constraints: H, M^i, G^i at every point, and their sums over each octant. */
#include "cuda/tile.cuh"

#define BUFFERS 3

/* The variables in the order in which bssn_constraints.inc takes them, and the order of their derivatives. */
/* clang-format off */
#define VARIABLES(V) \
  V(GT00, 2) V(GT01, 2) V(GT02, 2) V(GT11, 2) V(GT12, 2) V(GT22, 2) V(GAMT0, 1) V(GAMT1, 1) \
  V(GAMT2, 1) V(CHI, 2) V(K, 1) V(AT00, 1) V(AT01, 1) V(AT02, 1) V(AT11, 1) V(AT12, 1) V(AT22, 1)
/* clang-format on */

struct norm_loads {
  enum {
#define V(v, order) v,
    VARIABLES(V)
#undef V
        count
  };
  static constexpr tx_tile_load at[count] = {
#define V(v, order) {TX_VAR_##v, order},
      VARIABLES(V)
#undef V
  };
};

typedef tx_tile<norm_loads, BUFFERS> norm_tile;

/* Balls to be left out, by value. */
#define MAX_BALLS 16
struct ball_list {
  int n;
  tx_ball ball[MAX_BALLS];
};

/* The constraints at the thread's point. */
static __device__ __forceinline__ void constraints_at(const tx_cuda_values &u, norm_tile *tile,
                                                      tx_lidx b, int number,
                                                      double out[TX_CONSTRAINTS]) {
  typedef double tx_real;
  const double *here = u.data + (size_t)b * TX_VARS * TX_N3 + tile->at(number);
#define TX_VALUE(v) here[TX_VAR_##v * TX_N3]
#define TX_LOAD0(v)
#define TX_LOAD1(v)                                                                                \
  tx_tile_jet jet_##v;                                                                             \
  tile->template take<norm_loads::v>(u.odd[TX_VAR_##v], number);                                   \
  tile->template derive1<norm_loads::v>(0.0, 0.0, &jet_##v);
#define TX_LOAD2(v)                                                                                \
  tx_tile_jet jet_##v;                                                                             \
  tile->template take<norm_loads::v>(u.odd[TX_VAR_##v], number);                                   \
  tile->template derive2<norm_loads::v>(0.0, 0.0, &jet_##v);
#define TX_D(v, a)     jet_##v.d[a]
#define TX_DD(v, a, b) jet_##v.dd[(a) * (5 - (a)) / 2 + (b)]
#define TX_STORE(v, e) out[TX_CONSTRAINT_##v] = e
#include "physics/generated/bssn_constraints.inc"
#include "physics/undefine.h"
}

/* Images of a point in the whole domain: 2 in each dimension that is reflected, but 1 on the plane of
 * reflection; 0 within one spacing of an outer face, seen from either side. */
static __device__ __forceinline__ double images(const tx_cuda_place &place, uint32_t reflected,
                                                const int at[3]) {
  double n = 1.0;
#pragma unroll
  for (int d = 0; d < 3; d++) {
    if (reflected >> d & 1 && !(place.x0[d] == 0.0 && at[d] == 0)) n *= 2.0;
    if (place.outer & TX_FACE_BIT(d, 0) && at[d] < 2) n = 0.0;
    if (place.outer & TX_FACE_BIT(d, 1) && at[d] == TX_N - 1) n = 0.0;
  }
  return n;
}

static __device__ __forceinline__ bool in_balls(const ball_list &balls, const double x[3]) {
  for (int a = 0; a < balls.n; a++) {
    double r2 = 0.0;
#pragma unroll
    for (int d = 0; d < 3; d++) {
      const double away = x[d] - balls.ball[a].centre[d];
      r2 += away * away;
    }
    if (r2 < balls.ball[a].radius * balls.ball[a].radius) return true;
  }
  return false;
}

/* Volume that the thread's point stands for; 0 if it does not count. */
static __device__ __forceinline__ double point_weight(const tx_cuda_place &place,
                                                      const ball_list &balls, uint32_t reflected,
                                                      const int at[3]) {
  const double x[3] = {place.x0[0] + at[0] * place.h, place.x0[1] + at[1] * place.h,
                       place.x0[2] + at[2] * place.h};
  return in_balls(balls, x) ? 0.0 : images(place, reflected, at) * place.h * place.h * place.h;
}

/* Larger magnitude; NaN once there was one. */
static __device__ __forceinline__ double larger(double a, double b) {
  return b > a || b != b ? b : a;
}

static __device__ __forceinline__ void part_add(tx_norm_part *part, double weight,
                                                const double values[TX_CONSTRAINTS]) {
  if (weight == 0.0) return;
  part->weight += weight;
#pragma unroll
  for (int c = 0; c < TX_CONSTRAINTS; c++) {
    part->squares[c] += weight * values[c] * values[c];
    part->max[c] = larger(part->max[c], fabs(values[c]));
  }
}

/* The parts of all threads put together in a fixed order, into out. */
static __device__ inline void part_reduce(tx_norm_part *part, tx_norm_part *out) {
  enum { NUMBERS = 2 * TX_CONSTRAINTS + 1, WARPS = TX_TILE_THREADS / 32 };
  static_assert(sizeof(tx_norm_part) == NUMBERS * sizeof(double), "a part is numbers only");
  __shared__ double of_warp[WARPS][NUMBERS];
#pragma unroll
  for (int n = 0; n < NUMBERS; n++) {
    const bool is_max = n >= TX_CONSTRAINTS && n < 2 * TX_CONSTRAINTS;
    double number = n < TX_CONSTRAINTS ? part->squares[n]
                    : is_max           ? part->max[n - TX_CONSTRAINTS]
                                       : part->weight;
#pragma unroll
    for (int lanes = 16; lanes; lanes >>= 1) {
      const double other = __shfl_xor_sync(0xffffffffu, number, lanes);
      number = is_max ? larger(number, other) : number + other;
    }
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32][n] = number;
  }
  __syncthreads();
  const int n = (int)threadIdx.x;
  if (n >= NUMBERS) return;
  const bool is_max = n >= TX_CONSTRAINTS && n < 2 * TX_CONSTRAINTS;
  double number = of_warp[0][n];
  for (int w = 1; w < WARPS; w++)
    number = is_max ? larger(number, of_warp[w][n]) : number + of_warp[w][n];
  reinterpret_cast<double *>(out)[n] = number;
}

/* A block does an octant, tile after tile. */
static __global__ void __launch_bounds__(TX_TILE_THREADS, 2)
    norms(tx_cuda_mesh m, tx_cuda_values u, ball_list balls, uint32_t reflected,
          tx_norm_part *parts) {
  TX_SHARED(tx_tile_memory<BUFFERS>, memory);
  const tx_lidx b = (tx_lidx)blockIdx.x;
  const tx_cuda_place place = m.place[b];
  tx_norm_part part = {};
  for (int number = 0; number < TX_TILES; number++) {
    norm_tile tile;
    double values[TX_CONSTRAINTS];
    tile.begin(memory, place, number);
    for (int d = 0; d < 3; d++) tile.beta[d] = 0.0;
    tile.locate(m, u, b, number);
    constraints_at(u, &tile, b, number, values);
    int at[3];
    tx_tile_first(number, at);
    at[0] += tx_tile_x();
    at[1] += tx_tile_y();
    at[2] += tx_tile_z();
    part_add(&part, point_weight(place, balls, reflected, at), values);
    __syncthreads();
  }
  part_reduce(&part, &parts[b]);
}

tx_status tx_cuda_constraints(tx_exec *x, const tx_field *u, int n_balls, const tx_ball *balls,
                              tx_norm_part *parts) {
  const tx_cuda *c = tx_cuda_of(x);
  const size_t bytes = (size_t)x->mesh->n_local * sizeof *parts;
  tx_cuda_values values;
  ball_list list = {};
  uint32_t reflected = 0;
  TX_REQUIRE(n_balls <= MAX_BALLS, TX_ERR_USAGE,
             "norms on the GPU leave out up to %d balls, not %d; leave fewer out", MAX_BALLS,
             n_balls);
  list.n = n_balls;
  for (int a = 0; a < n_balls; a++) list.ball[a] = balls[a];
  for (int d = 0; d < 3; d++)
    if (x->mesh->domain.low[d] == TX_FACE_REFLECT) reflected |= 1u << d;
  TX_TRY(tx_cuda_scratch(x, bytes));
  TX_TRY(tx_cuda_values_of(u, &values));
  const size_t shared = sizeof(tx_tile_memory<BUFFERS>);
  TX_CUDA(cudaFuncSetAttribute(norms, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  TX_CUDA_RUN(norms, x->mesh->n_local, TX_TILE_THREADS, shared, tx_cuda_stream.compute, c->mesh,
              values, list, reflected, static_cast<tx_norm_part *>(c->scratch));
  TX_CUDA(cudaMemcpyAsync(c->numbers, c->scratch, bytes, cudaMemcpyDeviceToHost,
                          tx_cuda_stream.compute));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  memcpy(parts, c->numbers, bytes);
  return TX_OK;
}
