/* Interpolated ghosts: tensor products of passes along z, which reads values in place, y and x,
 * which use shared memory. */
#include "cuda/kernels/interpolate.cuh"

#define VARS TX_CUDA_FINE_VARS

enum { THREADS = 256, WARPS = THREADS / 32 };

/* Blocks a multiprocessor that the registers must suffice for. */
#define RESIDENT (TX_N <= 8 ? 4 : 1)

/* Blocks that keep a GPU busy; with fewer sources, variables and boxes are spread over more
 * blocks. */
enum { BLOCKS = 4000, PARTS = 8 };

/* Outputs of a source: boxes, and the slabs cut from them. */
struct outputs {
  double *boxes;
  tx_cuda_outputs sent;
};

/* Room for the passes of VARS variables. */
#define SHARED_DOUBLES (VARS * (TX_CUDA_ROOM_A + TX_CUDA_ROOM_B))
static_assert(SHARED_DOUBLES * sizeof(double) <= TX_CUDA_SHARED_LEAST - 3 * 1024,
              "more than a block has beside its tables");
static const size_t SHARED_BYTES = SHARED_DOUBLES * sizeof(double);

/* Region of the source's patch, by the patch's points: (i, j, k) of the block's first variable
 * lies at at[k * z + j * y + i * x], or, where that is NULL, of a field in single precision, at
 * single[...]. */
struct region {
  const double *at;
  const float *single;
  int16_t var, z, y;
  int8_t x;
  uint8_t mirror;
};

/* Coarse points of a pass in shared memory: of line (o, i) at from[o * outer + i * inner + t *
 * step]. */
struct shared_lines {
  const double *from;
  int var, outer, inner, step;

  template <int N>
  __device__ __forceinline__ void load(int s, int o, int i, double coarse[N]) const {
    const double *at = from + s * var + o * outer + i * inner;
#pragma unroll
    for (int t = 0; t < N; t++) coarse[t] = at[t * step];
  }
};

/* Coarse points of the pass along z in the regions: line (o, i) goes through point (low[0] + i,
 * low[1] + o) of the patch, from low[2] on. */
template <class T> struct region_lines {
  const region *regions;
  const uint8_t *odd; /* of the variables */
  int low[3];

  template <int N>
  __device__ __forceinline__ void load(int s, int o, int i, double coarse[N]) const {
    static_assert(N < TX_N + 2, "a line must not pass through more than two regions");
    const int x = low[0] + i, y = low[1] + o, z = low[2], end = z + N - 1;
    const region &a = regions[tx_cuda_region_of(x, y, z)],
                 &b = regions[tx_cuda_region_of(x, y, end)];
    const int cut = z < 0 ? -z : TX_N - z;      /* points in a */
    if constexpr (sizeof(T) < sizeof(double)) { /* of one variable, which is even */
#pragma unroll
      for (int t = 0; t < N; t++) {
        const region &r = t < cut ? a : b;
        const int place = (z + t) * r.z + y * r.y + x * r.x;
        coarse[t] = r.at ? __ldg(r.at + place) : (double)__ldg(r.single + place);
        if (__popc(r.mirror & odd[s]) & 1) coarse[t] = -coarse[t];
      }
      return;
    }
    const double *at = a.at + (s * a.var + z * a.z + y * a.y + x * a.x);
    const double *at_cut = b.at + (s * b.var + (z + cut) * b.z + y * b.y + x * b.x);
    int step = a.z;
#pragma unroll
    for (int t = 0; t < N; t++, at += step) {
      if (t == cut) {
        at = at_cut;
        step = b.z;
      }
      coarse[t] = __ldg(at);
    }
    if (a.mirror | b.mirror) {
      const bool flip_a = __popc(a.mirror & odd[s]) & 1, flip_b = __popc(b.mirror & odd[s]) & 1;
#pragma unroll
      for (int t = 0; t < N; t++)
        if (t < cut ? flip_a : flip_b) coarse[t] = -coarse[t];
    }
  }
};

/* Fine points of a pass: of line (o, i) from to[o * outer + i * inner] on. */
struct target_lines {
  double *to;
  int var, outer, inner, step;
};

/* Do one pass: its lines for each of n variables, N fine points a line, shared by the threads.
 * `outer`: bit 0, 1: the line begins, ends at an outer face; ends: tx_cuda_ends. */
template <int N, class Lines>
static __device__ __forceinline__ void pass(const tx_cuda_lines &lines, int n, const Lines &from,
                                            int odd, unsigned outer, unsigned ends,
                                            const target_lines &to) {
  const int count = lines.outer * lines.inner;
  for (int l = (int)threadIdx.x; l < n * count; l += THREADS) {
    const int s = (int)((unsigned)l * lines.per_all >> 20), q = l - s * count;
    const int o = (int)((unsigned)q * lines.per_inner >> 20), i = q - o * lines.inner;
    double coarse[TX_CUDA_COARSE(N)];
    from.template load<TX_CUDA_COARSE(N)>(s, o, i, coarse);
    if constexpr (N > TX_K)
      if (outer) tx_cuda_line_extrapolate<N>(outer & 1, outer & 2, coarse);
    tx_cuda_line<N>(coarse, odd, ends, to.to + s * to.var + o * to.outer + i * to.inner, to.step);
  }
}

/* Do a pass with lengths of lines known to the compiler: TX_K or `Wide`, the latter from an even
 * point on. Centred: for levels' grids; midpoints have centred stencils at the octant's faces
 * too, and a line may be one even point long. */
template <int Wide, bool Centred, class Lines>
static __device__ __forceinline__ void pass_of(const tx_cuda_lines &lines, int n, const Lines &from,
                                               int lo, int length, unsigned outer,
                                               const target_lines &to) {
  if (Centred && length == 1)
    pass<1>(lines, n, from, 0, 0, 0, to);
  else if (length == TX_K)
    pass<TX_K>(lines, n, from, lo & 1, 0, Centred ? 0 : tx_cuda_ends(lo, TX_K), to);
  else
    pass<Wide>(lines, n, from, 0, outer, Centred ? 0 : tx_cuda_ends(lo, Wide), to);
}

/* Interpolate the fine points of a box of n variables, through b to a [n][n2][n1][pitch of n0];
 * `outer`: the source's outer faces. Ends with a barrier. */
template <bool Centred, class T>
static __device__ __forceinline__ void interpolate_box(const tx_cuda_fine_box &box, int n,
                                                       unsigned outer, const region *regions,
                                                       const uint8_t *odd, double *a, double *b) {
  const int nx = TX_CUDA_COARSE(box.n[0]), ny = TX_CUDA_COARSE(box.n[1]);
  const int pitch = TX_CUDA_PITCH(nx), out_pitch = TX_CUDA_PITCH(box.n[0]);
  const region_lines<T> from = {regions,
                                odd,
                                {TX_CUDA_COARSE_LOW(box.lo[0]), TX_CUDA_COARSE_LOW(box.lo[1]),
                                 TX_CUDA_COARSE_LOW(box.lo[2])}};
  const target_lines z = {a, TX_CUDA_ROOM_A, pitch, 1, ny * pitch};
  pass_of<TX_N, Centred>(box.lines[0], n, from, box.lo[2], box.n[2],
                         outer >> 4 & (box.lo[2] == 0 ? 1 : 2), z);
  __syncthreads();
  const shared_lines from_z = {a, TX_CUDA_ROOM_A, ny * pitch, 1, pitch};
  const target_lines y = {b, TX_CUDA_ROOM_B, box.n[1] * pitch, 1, pitch};
  pass_of<2 * TX_N, Centred>(box.lines[1], n, from_z, box.lo[1], box.n[1], outer >> 2 & 3, y);
  __syncthreads();
  const shared_lines from_y = {b, TX_CUDA_ROOM_B, box.n[1] * pitch, pitch, 1};
  const target_lines x = {a, TX_CUDA_ROOM_A, box.n[1] * out_pitch, out_pitch, 1};
  pass_of<2 * TX_N, Centred>(box.lines[2], n, from_y, box.lo[0], box.n[0], outer & 3, x);
  __syncthreads();
}

/* Load the cuts of a box into shared memory; no barrier. */
static __device__ __forceinline__ void
load_cuts(const tx_cuda_fine_box &box, const tx_cuda_cut *__restrict__ cut, tx_cuda_cut *near) {
  static_assert(sizeof(tx_cuda_cut) % sizeof(int64_t) == 0, "copied in pieces of 8 bytes");
  const int words = (int)(sizeof(tx_cuda_cut) / sizeof(int64_t)) * box.n_slabs;
  const int64_t *from = reinterpret_cast<const int64_t *>(cut + box.slab);
  for (int w = (int)threadIdx.x; w < words; w += THREADS)
    reinterpret_cast<int64_t *>(near)[w] = from[w];
}

/* Store all points of a box, dense, at `to`. */
static __device__ __forceinline__ void store_box(const tx_cuda_fine_box &box, int n,
                                                 const double *a, double *to) {
  const int n0 = box.n[0], pitch = TX_CUDA_PITCH(n0), points = n0 * box.n[1] * box.n[2];
  for (int p = (int)threadIdx.x; p < points; p += THREADS) {
    const int row = n0 == TX_K ? p / TX_K : n0 == 1 ? p : p / (2 * TX_N);
    const double *from = a + row * pitch + (p - row * n0);
#pragma unroll
    for (int t = 0; t < VARS; t++)
      if (t < n) to[t * points + p] = from[t * TX_CUDA_ROOM_A];
  }
}

/* Return the first point of the first variable of a slab. */
static __device__ __forceinline__ double *place_of(const tx_cuda_cut &s, const outputs &out,
                                                   int n_vars) {
  if (!out.sent.outbox) return out.sent.send + n_vars * s.at;
  const tx_cuda_outbox &box = out.sent.outbox[s.message];
  return box.base + n_vars * (s.at + box.shift);
}

/* Write a slab to its place, by a warp; variables v .. v + n - 1, `odd` theirs. All: n is VARS. */
template <bool All>
static __device__ __forceinline__ void scatter_slab(const tx_cuda_cut &s, int n_vars,
                                                    const uint8_t *odd, int v, int n,
                                                    const double *a, const outputs &out) {
  const int n0 = s.n[0], n1 = s.n[1], points = n0 * n1 * s.n[2];
  const int x = s.x, y = s.y, z = s.z;
  const double *first = a + s.first;
  double *to = place_of(s, out, n_vars) + v * points;
  int flip[VARS]; /* the sign bit */
#pragma unroll
  for (int t = 0; t < VARS; t++)
    flip[t] = (All || t < n) && (__popc(s.mirror & odd[t]) & 1) ? (int)0x80000000 : 0;
  for (int p = (int)threadIdx.x % 32; p < points; p += 32) {
    const int row = tx_cuda_over(p, n0), i = p - row * n0;
    const int k = tx_cuda_over(row, n1), j = row - k * n1;
    const double *from = first + (k * z + j * y + i * x);
#pragma unroll
    for (int t = 0; t < VARS; t++)
      if (All || t < n) {
        const double value = from[t * TX_CUDA_ROOM_A];
        to[t * points + p] =
            __hiloint2double(__double2hiint(value) ^ flip[t], __double2loint(value));
      }
  }
}

/* Write the slabs of a box to their places, a warp a slab. */
static __device__ __forceinline__ void scatter(int n_slabs, const tx_cuda_cut *near, int n_vars,
                                               const uint8_t *odd, int v, int n, const double *a,
                                               const outputs &out) {
  for (int c = (int)threadIdx.x / 32; c < n_slabs; c += WARPS)
    if (n == VARS)
      scatter_slab<true>(near[c], n_vars, odd, v, n, a, out);
    else
      scatter_slab<false>(near[c], n_vars, odd, v, n, a, out);
}

/* Return one of the source's regions for variable v; a thread's work. Points beyond outer faces,
 * and those that interpolation has yet to fill, are not used: any address will do. */
template <class T>
static __device__ __forceinline__ region region_at(const tx_cuda_mesh &m,
                                                   const tx_cuda_numbers<T> &f, tx_lidx octant,
                                                   int n, int v) {
  const tx_cuda_region *all = m.region + (size_t)octant * 27;
  const bool unused = all[n].late || all[n].source == TX_CUDA_OUTER;
  const tx_cuda_region &r = all[unused ? TX_REGION(0, 0, 0) : n];
  const int64_t first = f.n_vars * r.origin + v * r.var + r.offset;
  region out;
  if constexpr (sizeof(T) < sizeof(double)) {
    const bool single = tx_cuda_is_single<T>(r);
    out.at = single ? NULL : tx_cuda_base(m, f.data, r.source) + first;
    out.single = f.data + (single ? first : 0);
  } else {
    out.at = tx_cuda_base(m, f.data, r.source) + first;
    out.single = NULL;
  }
  out.var = r.var;
  out.z = unused ? (int16_t)0 : r.z;
  out.y = unused ? (int16_t)0 : r.y;
  out.x = unused ? (int8_t)0 : r.x;
  out.mirror = r.mirror;
  return out;
}

/* Division of the work into blocks: `parts` blocks share the boxes of a source, each for
 * `per_block` variables, VARS at once. */
struct cut_up {
  int per_block, parts;
};

/* Kind of a field: precision, and whether stencils are centred. */
template <bool Centred, class T> struct way {
  static constexpr bool centred = Centred;
  typedef tx_cuda_numbers<T> values;
  typedef T number;
};

/* Interpolate from part of one source; a block. */
template <class W>
static __global__ void __launch_bounds__(THREADS, RESIDENT)
    interpolate_sources(const tx_cuda_feed *__restrict__ feed,
                        const tx_cuda_fine_box *__restrict__ boxes,
                        const tx_cuda_cut *__restrict__ cut, const __grid_constant__ tx_cuda_mesh m,
                        const __grid_constant__ typename W::values f,
                        const __grid_constant__ outputs out, cut_up blocks) {
  TX_SHARED(double, a);
  __shared__ region regions[27];
  __shared__ tx_cuda_cut near[TX_CUDA_CUTS];
  __shared__ uint8_t odd[32];
  double *b = a + VARS * TX_CUDA_ROOM_A;
  const int groups = (f.n_vars + blocks.per_block - 1) / blocks.per_block;
  const int thread = (int)threadIdx.x, block = (int)blockIdx.x / blocks.parts;
  const int part = (int)blockIdx.x % blocks.parts;
  const tx_cuda_feed source = feed[block / groups];
  const int first = block % groups * blocks.per_block;
  const int last = min(first + blocks.per_block, f.n_vars);
  for (int v = first; v < last; v += VARS) {
    const int n = min(VARS, last - v);
    if (thread < 27) regions[thread] = region_at(m, f, source.octant, thread, v);
    if (thread >= 32 && thread < 32 + n) odd[thread - 32] = f.odd[v + thread - 32];
    __syncthreads();
    for (int i = part; i < source.n_boxes; i += blocks.parts) {
      const tx_cuda_fine_box &box = boxes[source.box + i];
      load_cuts(box, cut, near);
      interpolate_box<W::centred, typename W::number>(box, n, source.outer, regions, odd, a, b);
      if (box.at >= 0)
        store_box(box, n, a, out.boxes + (f.n_vars * box.at + v * box.n[0] * box.n[1] * box.n[2]));
      scatter(box.n_slabs, near, f.n_vars, odd, v, n, a, out);
      __syncthreads();
    }
  }
}

/* Return the work: points stored here, written once, and an eighth of them, coarse points, read
 * once; shared out evenly over all sources. */
static tx_cuda_work work_of(const tx_exec *x, const tx_field *f, int64_t stored, size_t sources) {
  const double values = (double)stored * f->n_vars * sources / x->mesh->ghosts.n_source;
  return tx_cuda_work_of(0.0, 1.125 * sizeof(double) * values);
}

/* Interpolate from sources [first, last) of the ghost plan. */
template <class W>
static tx_status run_interpolation(tx_exec *x, const tx_field *f, tx_lidx first, tx_lidx last,
                                   const outputs &out, cudaStream_t stream) {
  const tx_cuda *c = tx_cuda_of(x);
  const tx_cuda_interpolation *t = c->interpolation;
  if (first == last) return TX_OK;
  typename W::values values;
  TX_CUDA(cudaFuncSetAttribute(interpolate_sources<W>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)SHARED_BYTES));
  TX_TRY(tx_cuda_values_of(f, &values));
  const size_t passes = (size_t)((f->n_vars + VARS - 1) / VARS), sources = (size_t)(last - first);
  const size_t together = sources * passes / BLOCKS;
  const int per_block = VARS * (int)(together < 1 ? 1 : together < passes ? together : passes);
  const size_t groups = (size_t)((f->n_vars + per_block - 1) / per_block);
  const size_t room = BLOCKS / (sources * groups);
  const cut_up cut = {per_block, (int)(room < 1 ? 1 : room < PARTS ? room : (size_t)PARTS)};
  const int64_t stored = W::centred ? t->points : c->own_points;
  TX_CUDA_RUN_WORK(work_of(x, f, stored, sources), interpolate_sources<W>,
                   sources * groups * (size_t)cut.parts, THREADS, SHARED_BYTES, stream,
                   t->feed + first, t->box, t->cut, c->mesh, values, out, cut);
  return TX_OK;
}

tx_status tx_cuda_interpolate(tx_exec *x, const tx_field *f, tx_lidx first, tx_lidx last,
                              cudaStream_t stream) {
  const outputs out = {tx_cuda_of(x)->mesh.own, tx_cuda_ghost_outputs(x, 2)};
  return run_interpolation<way<false, double>>(x, f, first, last, out, stream);
}

tx_status tx_cuda_interpolate_stage(tx_exec *x, const tx_field *f, double *boxes,
                                    tx_cuda_outputs sent, cudaStream_t stream) {
  const tx_lidx all = x->mesh->ghosts.n_source;
  return f->single ? run_interpolation<way<true, float>>(x, f, 0, all, {boxes, sent}, stream)
                   : run_interpolation<way<true, double>>(x, f, 0, all, {boxes, sent}, stream);
}
