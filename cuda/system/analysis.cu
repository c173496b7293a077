/* Analysis quantities at every point; of constraints, H, M^i, G^i, which are the first of them, also their sums over each octant. */
#include "cuda/system/system.cuh"

#ifdef TX_SYSTEM_ANALYSIS
#include "cuda/kernels/patch.cuh"
#include "exec/norm_point.h"
#include "physics/functions_point.h"
#include "physics/octant/scalars.h"
#include "physics/stencils_point.h"

/* Shape of a tile: a block of threads goes through an octant, tile after tile, a thread a point.
 * Tiles are whole along x. Where 8 does not divide an octant's side, threads are filled up to whole warps. */
enum {
  TILE_Z = TX_N % 4 == 0 ? 4 : TX_N / 2,
  TILE_Y = TX_N % 8 == 0 ? 256 / (TILE_Z * TX_N) : TILE_Z,
  TILES_Y = TX_N / TILE_Y,
  TILES = TILES_Y * (TX_N / TILE_Z),
  POINTS = TX_N * TILE_Y * TILE_Z,
  THREADS = (POINTS + 31) / 32 * 32,
};
static_assert(TX_N % TILE_Y == 0 && TX_N % TILE_Z == 0, "tiles must divide an octant");
static_assert(TILE_Y + TX_K >= TX_OUTER_POINTS && TILE_Z + TX_K >= TX_OUTER_POINTS,
              "ghosts beyond outer faces are extrapolated within a tile");

/* Pitches in shared memory. Planes are 8 mod 16 apart for TX_N = 8, where half a warp is two rows, one above
 * the other in z: no two of its threads then use the same bank. */
enum {
  BOX_X = TX_N + 2 * TX_K,
  BOX_Y = TILE_Y + 2 * TX_K,
  BOX_Z = TILE_Z + 2 * TX_K,
  PLANE = TX_N == 8 ? (BOX_X * BOX_Y + 7) / 16 * 16 + 8 : BOX_X * BOX_Y,
  DY_PLANE = TX_N == 8 ? (BOX_X * TILE_Y + 7) / 16 * 16 + 8 : BOX_X * TILE_Y,
};
static_assert(PLANE >= BOX_X * BOX_Y && DY_PLANE >= BOX_X * TILE_Y, "planes must not overlap");

/* One variable of a tile: values, and undivided d_y where rows extend into the ghosts along x, d_z where they
 * extend along x and y. */
struct tile_memory {
  double value[BOX_Z * PLANE], dz[TILE_Z * PLANE], dy[TILE_Z * DY_PLANE];
};

/* A thread's tile and its point (i, j, k) of the tile. */
struct tile {
  tile_memory *memory;
  const tx_cuda_region *regions;
  tx_lidx b;
  int y, z; /* first point of the tile */
  int i, j, k;
  uint32_t outer; /* outer faces of the octant that the tile touches */
  double d1, d2;
};

static __device__ __forceinline__ void tile_move(tile *t, uint32_t outer, int number) {
  t->y = number % TILES_Y * TILE_Y;
  t->z = number / TILES_Y * TILE_Z;
  const bool touches[6] = {
      true, true, t->y == 0, t->y + TILE_Y == TX_N, t->z == 0, t->z + TILE_Z == TX_N};
  t->outer = 0;
#pragma unroll
  for (int n = 0; n < 6; n++)
    if (touches[n]) t->outer |= outer & (1u << n);
}

/* Load the values of variable v, with ghosts. */
[[maybe_unused]] static __device__ __noinline__ void
tile_load(const tx_cuda_mesh &m, const tx_cuda_values &u, const tile &t, int v) {
  const int x = (int)threadIdx.x % TX_CUDA_ROW;
  __syncthreads();
  if (x < BOX_X)
    for (int row = (int)threadIdx.x / TX_CUDA_ROW; row < BOX_Y * BOX_Z;
         row += THREADS / TX_CUDA_ROW)
      t.memory->value[row / BOX_Y * PLANE + row % BOX_Y * BOX_X + x] = tx_cuda_read(
          m, u, t.regions, v, x - TX_K, t.y + row % BOX_Y - TX_K, t.z + row / BOX_Y - TX_K);
  __syncthreads();
  const tx_cuda_box box = {{BOX_X, BOX_Y, BOX_Z}, {1, BOX_X, PLANE}};
  if (t.outer) tx_cuda_extrapolate_box(t.outer, box, t.memory->value);
}

static __device__ __forceinline__ const double *tile_point(const tile &t) {
  return t.memory->value + (t.k + TX_K) * PLANE + (t.j + TX_K) * BOX_X + t.i + TX_K;
}

[[maybe_unused]] static __device__ __noinline__ void first_derivatives(const tile &t, double d[3]) {
  const double *u = tile_point(t);
  d[0] = t.d1 * tx_stencil_d1(u, 1);
  d[1] = t.d1 * tx_stencil_d1(u, BOX_X);
  d[2] = t.d1 * tx_stencil_d1(u, PLANE);
}

/* Form d_y and d_z of all threads' points and around them. */
[[maybe_unused]] static __device__ __noinline__ void rows_derive(tile_memory *m) {
  for (int n = (int)threadIdx.x; n < TILE_Z * TILE_Y * BOX_X; n += THREADS) {
    const int x = n % BOX_X, y = n / BOX_X % TILE_Y, z = n / (BOX_X * TILE_Y);
    m->dy[z * DY_PLANE + y * BOX_X + x] =
        tx_stencil_d1(m->value + (z + TX_K) * PLANE + (y + TX_K) * BOX_X + x, BOX_X);
  }
  for (int n = (int)threadIdx.x; n < TILE_Z * BOX_Y * BOX_X; n += THREADS) {
    const int x = n % BOX_X, y = n / BOX_X % BOX_Y, z = n / (BOX_X * BOX_Y);
    m->dz[z * PLANE + y * BOX_X + x] =
        tx_stencil_d1(m->value + (z + TX_K) * PLANE + y * BOX_X + x, PLANE);
  }
  __syncthreads();
}

/* Return first and second derivatives, dd: xx, xy, xz, yy, yz, zz. */
[[maybe_unused]] static __device__ __noinline__ void all_derivatives(const tile &t, double d[3],
                                                                     double dd[6]) {
  rows_derive(t.memory);
  const double *u = tile_point(t);
  const double *dy = t.memory->dy + t.k * DY_PLANE + t.j * BOX_X + t.i + TX_K;
  const double *dz = t.memory->dz + t.k * PLANE + (t.j + TX_K) * BOX_X + t.i + TX_K;
  d[0] = t.d1 * tx_stencil_d1(u, 1);
  d[1] = t.d1 * *dy;
  d[2] = t.d1 * *dz;
  dd[0] = t.d2 * tx_stencil_d2(u, 1);
  dd[1] = t.d1 * t.d1 * tx_stencil_d1(dy, 1);
  dd[2] = t.d1 * t.d1 * tx_stencil_d1(dz, 1);
  dd[3] = t.d2 * tx_stencil_d2(u, BOX_X);
  dd[4] = t.d1 * t.d1 * tx_stencil_d1(dz, BOX_X);
  dd[5] = t.d2 * tx_stencil_d2(u, PLANE);
}

/* Compute the quantities at the thread's point. Variables are loaded where the algebra first
 * needs derivatives. */
static __device__ __forceinline__ void analysis_at(const tx_cuda_mesh &mesh,
                                                   [[maybe_unused]] const tx_system_params *p,
                                                   const tx_cuda_values &state, const tile &here,
                                                   double out[TX_ANALYSES]) {
  typedef double tx_real;
  const double *first = state.data + (size_t)here.b * TX_VARS * TX_N3 +
                        TX_AT(here.i, here.y + here.j, here.z + here.k);
#ifdef TX_ANALYSIS_SCALARS
#define S(name) [[maybe_unused]] const double name = tx_scalar_##name(p, mesh.place[here.b].h);
  TX_ANALYSIS_SCALARS(S)
#undef S
#endif
#define TX_VALUE(v) first[TX_NUMBER(v) * TX_N3]
#define TX_LOAD0(v)
#define TX_LOAD1(v)                                                                                \
  double d_##v[3];                                                                                 \
  tile_load(mesh, state, here, TX_NUMBER(v));                                                      \
  first_derivatives(here, d_##v);
#define TX_LOAD2(v)                                                                                \
  double d_##v[3], dd_##v[6];                                                                      \
  tile_load(mesh, state, here, TX_NUMBER(v));                                                      \
  all_derivatives(here, d_##v, dd_##v);
#define TX_D(v, a)     d_##v[a]
#define TX_DD(v, a, b) dd_##v[(a) * (5 - (a)) / 2 + (b)]
#define TX_STORE(v, e) out[TX_ANALYSIS_##v] = e
#define TX_COORDINATE(d)                                                                           \
  (mesh.place[here.b].x0[d] + mesh.place[here.b].h * ((d) == 0   ? here.i                          \
                                                      : (d) == 1 ? here.y + here.j                 \
                                                                 : here.z + here.k))
#define TX_TIME p->time
#include "physics/define_point.h"
#include TX_SYSTEM_ANALYSIS
#include "physics/undefine.h"
}

#ifdef TX_SYSTEM_CONSTRAINTS
/* Count the images of a point in the whole domain; 0 if it does not count. */
static __device__ __forceinline__ double images(const tx_cuda_place &place, uint32_t reflected,
                                                const int at[3]) {
  double n = 1.0;
#pragma unroll
  for (int d = 0; d < 3; d++)
    n *= tx_norm_counts(place.coarser_below, d, at[d])
             ? tx_norm_images(reflected >> d & 1, place.x0[d] == 0.0, place.outer, d, at[d])
             : 0.0;
  return n;
}

static __device__ __forceinline__ bool in_balls(const tx_cuda_balls &balls, const double x[3]) {
  for (int a = 0; a < balls.n; a++)
    if (tx_ball_holds(&balls.ball[a], x)) return true;
  return false;
}

/* Return the volume of the thread's point; 0 if it does not count. */
static __device__ __forceinline__ double point_weight(const tx_cuda_place &place,
                                                      const tx_cuda_balls &balls,
                                                      uint32_t reflected, const tile &t) {
  const int at[3] = {t.i, t.y + t.j, t.z + t.k};
  const double x[3] = {place.x0[0] + at[0] * place.h, place.x0[1] + at[1] * place.h,
                       place.x0[2] + at[2] * place.h};
  return in_balls(balls, x) ? 0.0 : images(place, reflected, at) * place.h * place.h * place.h;
}

/* Reduce the parts of all threads in a fixed order, into out. */
static __device__ inline void part_reduce(tx_norm_part *part, tx_norm_part *out) {
  enum { NUMBERS = 2 * TX_CONSTRAINTS + 1, WARPS = THREADS / 32 };
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
      number = is_max ? tx_larger(number, other) : number + other;
    }
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32][n] = number;
  }
  __syncthreads();
  const int n = (int)threadIdx.x;
  if (n >= NUMBERS) return;
  const bool is_max = n >= TX_CONSTRAINTS && n < 2 * TX_CONSTRAINTS;
  double number = of_warp[0][n];
  for (int w = 1; w < WARPS; w++)
    number = is_max ? tx_larger(number, of_warp[w][n]) : number + of_warp[w][n];
  reinterpret_cast<double *>(out)[n] = number;
}
#endif

/* Arguments of the kernel but those whose address functions take, which would copy all to local memory. */
typedef struct TX_OF(analysis_arguments) {
  const tx_lidx *octants;
  tx_system_params p; /* at the time of u */
  double *out;        /* [n_local][TX_ANALYSES][TX_N3]; NULL: norms alone */
  tx_cuda_balls balls;
  uint32_t reflected;
  tx_norm_part *parts; /* NULL: values alone */
} analysis_arguments;

static __global__ void __launch_bounds__(THREADS, 2)
    analysis(tx_cuda_mesh m, tx_cuda_values u, analysis_arguments a) {
  __shared__ tile_memory memory;
  const tx_lidx b = a.octants[blockIdx.x];
  const tx_cuda_place &place = m.place[b];
#ifdef TX_SYSTEM_CONSTRAINTS
  tx_norm_part part = {};
#endif
  tile t;
  t.memory = &memory;
  t.b = b;
  t.regions = m.region + (size_t)b * 27;
  const bool extra = POINTS < THREADS && threadIdx.x >= POINTS; /* computes the last point again */
  const int own = extra ? POINTS - 1 : (int)threadIdx.x;
  t.i = own % TX_N;
  t.k = own / TX_N % TILE_Z;
  t.j = own / (TX_N * TILE_Z);
  t.d1 = TX_D1_SCALE(place.h);
  t.d2 = TX_D2_SCALE(place.h);
  for (int number = 0; number < TILES; number++) {
    double values[TX_ANALYSES];
    tile_move(&t, place.outer, number);
    analysis_at(m, &a.p, u, t, values);
    if (a.out && !extra)
      for (int n = 0; n < TX_ANALYSES; n++)
        a.out[((size_t)b * TX_ANALYSES + n) * TX_N3 + TX_AT(t.i, t.y + t.j, t.z + t.k)] = values[n];
#ifdef TX_SYSTEM_CONSTRAINTS
    if (!a.parts || extra) continue;
    const double weight = point_weight(place, a.balls, a.reflected, t);
    if (weight != 0.0) tx_norm_part_add(&part, weight, values);
#endif
  }
#ifdef TX_SYSTEM_CONSTRAINTS
  if (a.parts) part_reduce(&part, &a.parts[blockIdx.x]);
#endif
}

static tx_status analysis_run(tx_exec *x, const tx_set *set, const tx_cuda_values &u, double bytes,
                              analysis_arguments *a) {
  a->octants = tx_cuda_set_of(set)->octant;
  for (int d = 0; d < 3; d++)
    if (x->mesh->domain.low[d] == TX_FACE_REFLECT) a->reflected |= 1u << d;
  const double points = (double)set->n * TX_N3;
  TX_CUDA_RUN_WORK(tx_cuda_work_of(points * TX_THIS_SYSTEM.analysis_flops, bytes), analysis, set->n,
                   THREADS, 0, tx_cuda_stream.compute, tx_cuda_of(x)->mesh, u, *a);
  return TX_OK;
}

tx_status TX_BY_SCHEME(cuda_analysis)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                                      const tx_cuda_values &u, double *out) {
  analysis_arguments a = {};
  a.p = *p;
  a.out = out;
  const double bytes = (double)set->n * TX_N3 * (TX_VARS + TX_ANALYSES) * sizeof(double);
  return analysis_run(x, set, u, bytes, &a);
}

#ifdef TX_SYSTEM_CONSTRAINTS

tx_status TX_BY_SCHEME(cuda_constraints)(tx_exec *x, const tx_set *set, const tx_system_params *p,
                                         const tx_cuda_values &u, const tx_cuda_balls &balls,
                                         tx_norm_part *parts) {
  analysis_arguments a = {};
  a.p = *p;
  a.balls = balls;
  a.parts = parts;
  return analysis_run(x, set, u, (double)set->n * TX_N3 * TX_VARS * sizeof(double), &a);
}
#endif
#endif
