/* Speed of the stage kernel on one GPU: octants of one level, periodic, every ghost in a neighbour. Right-hand
 * sides and whole stages, gathered and from patches that are there; the right-hand sides of a few octants are
 * compared with those of the CPU. Usage: bench_stage [level [repeats]], 8^level octants. */
#include <algorithm>
#include <vector>

#include "cuda/kernels/patch.cuh"
#include "cuda/kernels/patches.cuh"
#include "cuda/kernels/stage.cuh"

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t code = (call);                                                                     \
    if (code != cudaSuccess) {                                                                     \
      fprintf(stderr, "bench_stage: %s: %s\n", #call, cudaGetErrorString(code));                   \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static const double spacing = 0.1;

/* Octant of Morton order -> coordinates, and back. */
static void unmorton(unsigned m, unsigned at[3]) {
  at[0] = at[1] = at[2] = 0;
  for (unsigned bit = 0; bit < 10; bit++)
    for (unsigned d = 0; d < 3; d++) at[d] |= (m >> (3 * bit + d) & 1u) << bit;
}

static unsigned morton(const unsigned at[3]) {
  unsigned m = 0;
  for (unsigned bit = 0; bit < 10; bit++)
    for (unsigned d = 0; d < 3; d++) m |= (at[d] >> bit & 1u) << (3 * bit + d);
  return m;
}

static unsigned neighbour(unsigned b, unsigned side, const int step[3]) {
  unsigned at[3];
  unmorton(b, at);
  for (int d = 0; d < 3; d++) at[d] = (at[d] + side + (unsigned)step[d]) % side;
  return morton(at);
}

static std::vector<tx_cuda_region> regions_of(unsigned n, unsigned side) {
  std::vector<tx_cuda_region> all((size_t)n * 27);
  for (unsigned b = 0; b < n; b++)
    for (int r = 0; r < 27; r++) {
      const int step[3] = {r % 3 - 1, r / 3 % 3 - 1, r / 9 - 1};
      tx_cuda_region *region = &all[(size_t)b * 27 + (size_t)r];
      memset(region, 0, sizeof *region);
      region->origin = (int64_t)neighbour(b, side, step) * TX_N3;
      region->offset = -TX_AT(step[0] * TX_N, step[1] * TX_N, step[2] * TX_N);
      region->var = TX_N3;
      region->z = TX_N * TX_N;
      region->y = TX_N;
      region->x = 1;
      region->source = TX_CUDA_FIELD;
    }
  return all;
}

/* Flat space with smooth waves of 1%, and a little roughness. */
static __global__ void fill(double *y, const double *infinity, int n_vars, double wave,
                            const unsigned *corner) {
  const size_t b = blockIdx.x;
  for (int n = (int)threadIdx.x; n < n_vars * TX_N3; n += (int)blockDim.x) {
    const int v = n / TX_N3, p = n % TX_N3;
    const double x = corner[3 * b] * TX_N + p % TX_N;
    const double yy = corner[3 * b + 1] * TX_N + p / TX_N % TX_N;
    const double z = corner[3 * b + 2] * TX_N + p / (TX_N * TX_N);
    y[b * (size_t)n_vars * TX_N3 + (size_t)n] =
        infinity[v] +
        0.01 * sin(wave * (x * (1 + v % 2) + 2 * yy) + v) * cos(wave * (z - x) + 2 * v) +
        1e-4 * sin(1.0 * v + 37.0 * x + 11.0 * yy + 5.0 * z);
  }
}

static __global__ void fill_patches(tx_cuda_mesh m, tx_cuda_values y, double *patches) {
  const tx_lidx b = (tx_lidx)blockIdx.x;
  for (int n = (int)threadIdx.x; n < TX_VARS * TX_P3; n += (int)blockDim.x) {
    const int v = n / TX_P3, p = n % TX_P3;
    patches[(size_t)b * TX_VARS * TX_P3 + (size_t)n] =
        tx_cuda_read(m, y, m.region + (size_t)b * 27, v, p % TX_P - TX_K, p / TX_P % TX_P - TX_K,
                     p / (TX_P * TX_P) - TX_K);
  }
}

template <class T> static T *upload(const std::vector<T> &from) {
  T *to;
  CHECK(cudaMalloc(&to, from.size() * sizeof(T)));
  CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return to;
}

/* What is measured on. */
struct bench {
  unsigned n, side;
  int repeats;
  stage_arguments a; /* rhs and rk NULL */
  double *field[4], *patches;
};

static tx_bssn_params params() {
  tx_bssn_params p = {};
  p.eta_form = TX_ETA_CONSTANT;
  p.eta = 2;
  p.lambda_f0 = 1;
  p.advect_lapse = p.advect_shift = p.advect_B = p.advect_Gt = 1;
  p.sigma = 0.4;
  p.chi_floor = 1e-4;
  p.alpha_floor = 1e-8;
  return p;
}

static bench make(unsigned side, int repeats) {
  bench t = {};
  t.side = side;
  t.n = side * side * side;
  t.repeats = repeats;
  std::vector<tx_cuda_place> place(t.n);
  std::vector<tx_lidx> list(t.n);
  std::vector<unsigned> corner(3 * (size_t)t.n);
  std::vector<double> infinity(TX_VARS);
  for (unsigned b = 0; b < t.n; b++) {
    memset(&place[b], 0, sizeof place[b]);
    place[b].h = spacing;
    list[b] = (tx_lidx)b;
    unmorton(b, &corner[3 * (size_t)b]);
  }
  for (int v = 0; v < TX_VARS; v++) infinity[(size_t)v] = tx_variables[v].infinity;
  for (int f = 0; f < 4; f++) {
    CHECK(cudaMalloc(&t.field[f], (size_t)t.n * TX_VARS * TX_N3 * sizeof(double)));
    fill<<<t.n, 256>>>(t.field[f], upload(infinity), TX_VARS, 2 * M_PI / (side * TX_N),
                       upload(corner));
    CHECK(cudaDeviceSynchronize());
  }
  stage_arguments *a = &t.a;
  a->mesh.region = upload(regions_of(t.n, side));
  a->mesh.place = upload(place);
  a->mesh.n_local = (tx_lidx)t.n;
  a->octants = upload(list);
  a->y.data = t.field[0];
  a->y.n_vars = TX_VARS;
  a->p = params();
  a->floors = tx_cuda_floors_of(&a->p);
  CHECK(cudaMalloc(&a->algebraic, 2 * sizeof *a->algebraic));
  CHECK(cudaMemset(a->algebraic, 0, 2 * sizeof *a->algebraic));
  return t;
}

/* Largest difference between the device's right-hand sides of octant b and the CPU's, of their size. */
static double difference(const bench &t, unsigned b, const double *device) {
  const size_t block = (size_t)TX_VARS * TX_N3;
  std::vector<double> patch(TX_VARS * TX_P3), octant(block), cpu(block), gpu(block);
  for (int r = 0; r < 27; r++) {
    const int step[3] = {r % 3 - 1, r / 3 % 3 - 1, r / 9 - 1};
    CHECK(cudaMemcpy(octant.data(), t.field[0] + neighbour(b, t.side, step) * block,
                     block * sizeof(double), cudaMemcpyDeviceToHost));
    for (int n = 0; n < TX_N3; n++) {
      const int i = n % TX_N + step[0] * TX_N, j = n / TX_N % TX_N + step[1] * TX_N,
                k = n / (TX_N * TX_N) + step[2] * TX_N;
      if (std::min({i, j, k}) < -TX_K || std::max({i, j, k}) >= TX_N + TX_K) continue;
      for (int v = 0; v < TX_VARS; v++)
        patch[(size_t)(v * TX_P3 + TX_PATCH_AT(i, j, k))] = octant[(size_t)(v * TX_N3 + n)];
    }
  }
  void *work = aligned_alloc(64, (tx_bssn_work_bytes() + 63) / 64 * 64);
  const tx_bssn_place place = {spacing, {0, 0, 0}, 0, 0};
  tx_bssn_rhs_octant(&t.a.p, &place, patch.data(), cpu.data(), work);
  free(work);
  CHECK(cudaMemcpy(gpu.data(), device + b * block, block * sizeof(double), cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int v = 0; v < TX_VARS; v++) {
    double size = 0, error = 0;
    for (size_t n = 0; n < TX_N3; n++) {
      const double d = fabs(gpu[(size_t)v * TX_N3 + n] - cpu[(size_t)v * TX_N3 + n]);
      size = std::max(size, fabs(cpu[(size_t)v * TX_N3 + n]));
      error = d <= error ? error : d;
    }
    worst = error / size <= worst ? worst : error / size;
  }
  return worst;
}

/* Seconds of one launch, the median. */
template <int BUFFERS, class SOURCE = tx_stage_in_place>
static double time_kernel(const bench &t, const stage_arguments &a, SOURCE source = {}) {
  const int shared = (int)sizeof(stage_memory<BUFFERS>);
  void (*const kernel)(stage_arguments, SOURCE) = tx_stage_kernel<BUFFERS, SOURCE>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> ms;
  for (int r = -2; r < t.repeats; r++) {
    CHECK(cudaEventRecord(begin));
    kernel<<<t.n * TX_TILES, TX_TILE_THREADS, (size_t)shared>>>(a, source);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float last;
    CHECK(cudaEventElapsedTime(&last, begin, end));
    if (r >= 0) ms.push_back(last);
  }
  CHECK(cudaGetLastError());
  std::sort(ms.begin(), ms.end());
  return 1e-3 * ms[ms.size() / 2];
}

/* doubles: moved between memory and the GPU for a point and variable, at least. */
static void print(const bench &t, const char *what, const char *variant, double s, int doubles,
                  const char *note) {
  const double points = (double)t.n * TX_N3;
  printf("%-24s %-22s %8.3f ms  %6.3f e9 points/s  %7.1f GB/s  %6.1f GFLOP/s  %s\n", what, variant,
         1e3 * s, 1e-9 * points / s, 1e-9 * points * TX_VARS * sizeof(double) * doubles / s,
         1e-9 * points * tx_bssn_rhs_flops() / s, note);
  fflush(stdout);
}

template <int BUFFERS> static void run(bench &t, const char *variant) {
  char note[100];
  stage_arguments a = t.a;
  a.rhs = t.field[1];
  double s = time_kernel<BUFFERS>(t, a), worst = 0;
  for (unsigned n = 0; n < 4; n++)
    worst = std::max(worst, difference(t, n * 1234567u % t.n, a.rhs));
  snprintf(note, sizeof note, "%.1e from the CPU's%s", worst, worst < 1e-12 ? "" : ": WRONG");
  print(t, "rhs, gather", variant, s, 2, note);
  if (t.patches) {
    a.rhs = t.field[2];
    s = time_kernel<BUFFERS>(t, a, tx_stage_from_patches{t.patches});
    std::vector<double> one((size_t)TX_VARS * TX_N3), two(one.size());
    bool same = true;
    for (unsigned n = 0; n < 16; n++) {
      const size_t at = n * 1234567u % t.n * one.size(), bytes = one.size() * sizeof(double);
      CHECK(cudaMemcpy(one.data(), t.field[1] + at, bytes, cudaMemcpyDeviceToHost));
      CHECK(cudaMemcpy(two.data(), t.field[2] + at, bytes, cudaMemcpyDeviceToHost));
      same = same && memcmp(one.data(), two.data(), bytes) == 0;
    }
    print(t, "rhs, patches", variant, s, 2, same ? "same bits" : "OTHER BITS");
  }
  /* dt = 0 keeps the data as they are. */
  a = t.a;
  a.rk = {t.field[0], t.field[0], t.field[1], t.field[2], 0.0, 0.0};
  const double first = time_kernel<BUFFERS>(t, a);
  print(t, "stage 1 (y = u = base)", variant, first, 3, "");
  a.rk = {t.field[3], t.field[1], t.field[1], t.field[2], 0.0, 0.0};
  const double middle = time_kernel<BUFFERS>(t, a);
  print(t, "stage 2, 3", variant, middle, 5, "");
  a.rk = {t.field[3], t.field[1], t.field[1], NULL, 0.0, 0.0};
  const double last = time_kernel<BUFFERS>(t, a);
  print(t, "stage 4", variant, last, 3, "");
  print(t, "RK4, mean stage", variant, (first + 2 * middle + last) / 4, 4, "");
}

int main(int argc, char **argv) {
  const unsigned level = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
  bench t = make(1u << level, argc > 2 ? atoi(argv[2]) : 11);
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  printf("%s, N = %d, %u octants, %.2f million points\n", device.name, TX_N, t.n,
         1e-6 * t.n * TX_N3);
  const size_t bytes = (size_t)t.n * TX_VARS * TX_P3 * sizeof(double);
  if (bytes < device.totalGlobalMem / 4) {
    CHECK(cudaMalloc(&t.patches, bytes));
    fill_patches<<<t.n, 256>>>(t.a.mesh, t.a.y, t.patches);
    CHECK(cudaDeviceSynchronize());
  }
  run<2>(t, "2 buffers");
  run<3>(t, "3 buffers");
  return 0;
}
