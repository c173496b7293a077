/* Interpolated ghosts: tensor products of passes along z, y and x, from patches in shared memory. */
#include "cuda/interpolate.cuh"

/* Variables that a block works on at the same time. */
#define VARS (TX_N <= 8 ? 4 : 2)

enum { THREADS = 256, WARPS = THREADS / 32 };

/* Blocks an SM that the registers must suffice for. */
#define RESIDENT (TX_N <= 8 ? 4 : 1)

/* Most slabs of a box: their descriptions are kept in shared memory. */
enum { CUTS = 64 };

/* Blocks that keep a GPU busy; with fewer sources than that, variables are spread over more blocks. */
enum { BLOCKS = 4000 };

struct tx_cuda_interpolation {
  void *tables; /* device memory of the following */
  const tx_cuda_feed *feed;
  const tx_cuda_cut *cut;
  const tx_cuda_fine_box *box;
};

/* Where results go. */
struct outputs {
  double *slots, *send;
  const tx_cuda_outbox *outbox;
};

/* Room for the passes of VARS variables. */
#define SHARED_DOUBLES (VARS * (TX_CUDA_ROOM_A + TX_CUDA_ROOM_B))
static_assert(SHARED_DOUBLES * sizeof(double) <= 160 * 1024, "more than a block of an A100 has");
static const size_t SHARED_BYTES = SHARED_DOUBLES * sizeof(double);

/* A region of the source's patch, seen from the patch's points: (i, j, k) of the block's first variable lies at
 * at[k * z + j * y + i * x]. */
struct region {
  const double *at;
  int16_t var, z, y;
  int8_t x;
  uint8_t mirror;
};

/* Where a pass gets its coarse points from. Shared memory: of line (o, i) at from[o * outer + i * inner + t *
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

/* The regions, for the pass along z: line (o, i) is that through point (low[0] + i, low[1] + o) of the patch,
 * from low[2] on. */
struct region_lines {
  const region *regions;
  const uint8_t *odd; /* of the variables */
  int low[3];

  template <int N>
  __device__ __forceinline__ void load(int s, int o, int i, double coarse[N]) const {
    static_assert(N < TX_N + 2, "a line must not pass through more than two regions");
    const int x = low[0] + i, y = low[1] + o, z = low[2], end = z + N - 1;
    const region &a = regions[tx_cuda_region_of(x, y, z)],
                 &b = regions[tx_cuda_region_of(x, y, end)];
    const int cut = z < 0 ? -z : TX_N - z; /* points in a */
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

/* Where it puts the fine ones: of line (o, i) from to[o * outer + i * inner] on. */
struct target_lines {
  double *to;
  int var, outer, inner, step;
};

/* One pass: its lines for each of n variables, N fine points a line, shared by the threads. `outer`: bit 0, 1: the
 * line begins, ends at an outer face. */
template <int N, class Lines>
static __device__ __forceinline__ void pass(const tx_cuda_lines &lines, int n, const Lines &from,
                                            int odd, unsigned outer, const target_lines &to) {
  const int count = lines.outer * lines.inner;
  for (int l = (int)threadIdx.x; l < n * count; l += THREADS) {
    const int s = (int)((unsigned)l * lines.per_all >> 20), q = l - s * count;
    const int o = (int)((unsigned)q * lines.per_inner >> 20), i = q - o * lines.inner;
    double coarse[TX_CUDA_COARSE(N)];
    from.template load<TX_CUDA_COARSE(N)>(s, o, i, coarse);
    if constexpr (N != TX_K)
      if (outer) tx_cuda_line_extrapolate<N>(outer & 1, outer & 2, coarse);
    tx_cuda_line<N>(coarse, odd, to.to + s * to.var + o * to.outer + i * to.inner, to.step);
  }
}

/* With the lengths of lines known to the compiler: TX_K or `Wide`, the latter from an even point on. */
template <int Wide, class Lines>
static __device__ __forceinline__ void pass_of(const tx_cuda_lines &lines, int n, const Lines &from,
                                               int lo, int length, unsigned outer,
                                               const target_lines &to) {
  if (length == TX_K)
    pass<TX_K>(lines, n, from, lo & 1, 0, to);
  else
    pass<Wide>(lines, n, from, 0, outer, to);
}

/* The fine points of a box of n variables, by way of b to a [n][n2][n1][pitch of n0]; `outer`: the source's outer
 * faces. Ends with a barrier. */
static __device__ __forceinline__ void interpolate_box(const tx_cuda_fine_box &box, int n,
                                                       unsigned outer, const region *regions,
                                                       const uint8_t *odd, double *a, double *b) {
  const int nx = TX_CUDA_COARSE(box.n[0]), ny = TX_CUDA_COARSE(box.n[1]);
  const int pitch = TX_CUDA_PITCH(nx), out_pitch = TX_CUDA_PITCH(box.n[0]);
  const region_lines from = {regions,
                             odd,
                             {TX_CUDA_COARSE_LOW(box.lo[0]), TX_CUDA_COARSE_LOW(box.lo[1]),
                              TX_CUDA_COARSE_LOW(box.lo[2])}};
  const target_lines z = {a, TX_CUDA_ROOM_A, pitch, 1, ny * pitch};
  pass_of<TX_N>(box.lines[0], n, from, box.lo[2], box.n[2], outer >> 4 & (box.lo[2] == 0 ? 1 : 2),
                z);
  __syncthreads();
  const shared_lines from_z = {a, TX_CUDA_ROOM_A, ny * pitch, 1, pitch};
  const target_lines y = {b, TX_CUDA_ROOM_B, box.n[1] * pitch, 1, pitch};
  pass_of<2 * TX_N>(box.lines[1], n, from_z, box.lo[1], box.n[1], outer >> 2 & 3, y);
  __syncthreads();
  const shared_lines from_y = {b, TX_CUDA_ROOM_B, box.n[1] * pitch, pitch, 1};
  const target_lines x = {a, TX_CUDA_ROOM_A, box.n[1] * out_pitch, out_pitch, 1};
  pass_of<2 * TX_N>(box.lines[2], n, from_y, box.lo[0], box.n[0], outer & 3, x);
  __syncthreads();
}

/* Bring the cuts of a box to shared memory; no barrier. */
static __device__ __forceinline__ void
load_cuts(const tx_cuda_fine_box &box, const tx_cuda_cut *__restrict__ cut, tx_cuda_cut *near) {
  static_assert(sizeof(tx_cuda_cut) % sizeof(int64_t) == 0, "copied in pieces of 8 bytes");
  const int words = (int)(sizeof(tx_cuda_cut) / sizeof(int64_t)) * box.n_slabs;
  const int64_t *from = reinterpret_cast<const int64_t *>(cut + box.slab);
  for (int w = (int)threadIdx.x; w < words; w += THREADS)
    reinterpret_cast<int64_t *>(near)[w] = from[w];
}

/* First point of the first variable of a slab. */
static __device__ __forceinline__ double *place_of(const tx_cuda_cut &s, const outputs &out,
                                                   int n_vars) {
  if (s.message < 0) return out.slots + n_vars * s.at;
  if (!out.outbox) return out.send + n_vars * s.at;
  const tx_cuda_outbox &box = out.outbox[s.message];
  return box.base + n_vars * (s.at + box.shift);
}

/* A slab to where it belongs, by a warp; variables v .. v + n - 1, `odd` theirs. All: n is VARS. */
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

/* The slabs of a box to where they belong, a warp a slab. */
static __device__ __forceinline__ void scatter(int n_slabs, const tx_cuda_cut *near, int n_vars,
                                               const uint8_t *odd, int v, int n, const double *a,
                                               const outputs &out) {
  for (int c = (int)threadIdx.x / 32; c < n_slabs; c += WARPS)
    if (n == VARS)
      scatter_slab<true>(near[c], n_vars, odd, v, n, a, out);
    else
      scatter_slab<false>(near[c], n_vars, odd, v, n, a, out);
}

/* One of the source's regions for variable v; a thread's work. What lies beyond outer faces, and what
 * interpolation fills, which is not there yet, is not used: any place will do for it. */
static __device__ __forceinline__ region region_at(const tx_cuda_mesh &m, const tx_cuda_values &f,
                                                   tx_lidx octant, int n, int v) {
  const tx_cuda_region *all = m.region + (size_t)octant * 27;
  const bool unused = all[n].late || all[n].source == TX_CUDA_OUTER;
  const tx_cuda_region &r = all[unused ? TX_REGION(0, 0, 0) : n];
  const double *base = r.source == TX_CUDA_FIELD ? f.data : m.slots;
  region out;
  out.at = base + (f.n_vars * r.origin + v * r.var + r.offset);
  out.var = r.var;
  out.z = unused ? (int16_t)0 : r.z;
  out.y = unused ? (int16_t)0 : r.y;
  out.x = unused ? (int8_t)0 : r.x;
  out.mirror = r.source == TX_CUDA_FIELD ? r.mirror : (uint8_t)0;
  return out;
}

/* A block: one source, `per_block` variables of it, VARS at once. */
static __global__ void __launch_bounds__(THREADS, RESIDENT)
    interpolate_sources(const tx_cuda_feed *__restrict__ feed,
                        const tx_cuda_fine_box *__restrict__ boxes,
                        const tx_cuda_cut *__restrict__ cut, const __grid_constant__ tx_cuda_mesh m,
                        const __grid_constant__ tx_cuda_values f,
                        const __grid_constant__ outputs out, int per_block) {
  TX_SHARED(double, a);
  __shared__ region regions[27];
  __shared__ tx_cuda_cut near[CUTS];
  __shared__ uint8_t odd[32];
  double *b = a + VARS * TX_CUDA_ROOM_A;
  const int groups = (f.n_vars + per_block - 1) / per_block, thread = (int)threadIdx.x;
  const tx_cuda_feed source = feed[blockIdx.x / (unsigned)groups];
  const int first = (int)(blockIdx.x % (unsigned)groups) * per_block;
  const int last = min(first + per_block, f.n_vars);
  for (int v = first; v < last; v += VARS) {
    const int n = min(VARS, last - v);
    if (thread < 27) regions[thread] = region_at(m, f, source.octant, thread, v);
    if (thread >= 32 && thread < 32 + n) odd[thread - 32] = f.odd[v + thread - 32];
    __syncthreads();
    for (int i = 0; i < source.n_boxes; i++) {
      const tx_cuda_fine_box &box = boxes[source.box + i];
      load_cuts(box, cut, near);
      interpolate_box(box, n, source.outer, regions, odd, a, b);
      scatter(box.n_slabs, near, f.n_vars, odd, v, n, a, out);
      __syncthreads();
    }
  }
}

/* Which side of its source a slab lies on, and for those that are not at its top or bottom in which half: the
 * slabs of equal numbers share a box. */
enum { SIDES = 2 * 27 };

static int side_of(const tx_slab *s, int lo[3], int n[3]) {
  int dir[3];
  for (int d = 0; d < 3; d++) {
    const int end = s->from[d] + s->step[d] * (s->n[d] - 1);
    n[d] = s->n[d];
    lo[d] = s->from[d] < end ? s->from[d] : end;
    dir[d] = n[d] > TX_K ? 0 : lo[d] == 0 ? -1 : lo[d] == 2 * TX_N - TX_K;
  }
  return 2 * TX_REGION(dir[0], dir[1], dir[2]) + (dir[2] == 0 && lo[2] >= TX_N);
}

struct extent {
  int lo[3], end[3]; /* end: last + 1; 0: nothing */
};

static void extent_add(extent *e, const int lo[3], const int n[3]) {
  const bool fresh = e->end[0] == 0;
  for (int d = 0; d < 3; d++) {
    if (fresh || lo[d] < e->lo[d]) e->lo[d] = lo[d];
    if (fresh || lo[d] + n[d] > e->end[d]) e->end[d] = lo[d] + n[d];
  }
}

/* Lengths as kernels know them: TX_K, or all of a half along z and all of the octant along x and y. */
static void extent_round(extent *e) {
  for (int d = 0; d < 3; d++) {
    if (e->end[d] - e->lo[d] == TX_K) continue;
    e->lo[d] = d == 2 && e->lo[d] >= TX_N ? TX_N : 0;
    e->end[d] = d == 2 ? e->lo[d] + TX_N : 2 * TX_N;
  }
}

static bool extent_contains(const extent *e, const extent *part) {
  for (int d = 0; d < 3; d++)
    if (part->lo[d] < e->lo[d] || part->end[d] > e->end[d]) return false;
  return true;
}

static int extent_points(const extent *e) {
  return (e->end[0] - e->lo[0]) * (e->end[1] - e->lo[1]) * (e->end[2] - e->lo[2]);
}

/* The box that serves each side: the largest of those that contain its own, the first if there are several. */
static void choose_boxes(const extent e[SIDES], int serves[SIDES]) {
  for (int s = 0; s < SIDES; s++) {
    serves[s] = s;
    for (int t = 0; t < SIDES && e[s].end[0] > 0; t++) {
      if (e[t].end[0] == 0 || !extent_contains(&e[t], &e[s])) continue;
      const int more = extent_points(&e[t]) - extent_points(&e[serves[s]]);
      if (more > 0 || (more == 0 && t < serves[s])) serves[s] = t;
    }
  }
}

static tx_cuda_lines lines_of(int outer, int inner) {
  tx_cuda_lines l;
  l.outer = (uint16_t)outer;
  l.inner = (uint16_t)inner;
  l.per_inner = (1u << 20) / (unsigned)inner + 1;
  l.per_all = (1u << 20) / (unsigned)(outer * inner) + 1;
  return l;
}

static tx_cuda_fine_box box_of(const extent *e) {
  tx_cuda_fine_box box;
  memset(&box, 0, sizeof box);
  for (int d = 0; d < 3; d++) {
    box.lo[d] = (int8_t)e->lo[d];
    box.n[d] = (uint8_t)(e->end[d] - e->lo[d]);
  }
  box.lines[0] = lines_of(TX_CUDA_COARSE(box.n[1]), TX_CUDA_COARSE(box.n[0]));
  box.lines[1] = lines_of(box.n[2], TX_CUDA_COARSE(box.n[0]));
  box.lines[2] = lines_of(box.n[2], box.n[1]);
  return box;
}

/* Whether a box has the lengths that kernels know, and all its passes fit into their room and are counted
 * right by tx_cuda_lines. */
static bool box_fits(const tx_cuda_fine_box *b) {
  bool known = b->n[2] == TX_K || b->n[2] == TX_N;
  for (int p = 0; p < 3; p++) {
    const int lines = b->lines[p].outer * b->lines[p].inner;
    known = known && VARS * lines * lines < 1 << 20;
  }
  return known && TX_CUDA_BOX_Z(b->n[0], b->n[1], b->n[2]) <= TX_CUDA_ROOM_A &&
         TX_CUDA_BOX_Y(b->n[0], b->n[1], b->n[2]) <= TX_CUDA_ROOM_B &&
         TX_CUDA_BOX_X(b->n[0], b->n[1], b->n[2]) <= TX_CUDA_ROOM_A;
}

/* How slab s is cut from its box. */
static tx_cuda_cut cut_of(const tx_slab *s, const tx_cuda_fine_box *box, int message) {
  const int y = TX_CUDA_PITCH(box->n[0]), z = y * box->n[1];
  tx_cuda_cut c;
  memset(&c, 0, sizeof c);
  c.at = s->at;
  c.first = (int16_t)((s->from[2] - box->lo[2]) * z + (s->from[1] - box->lo[1]) * y + s->from[0] -
                      box->lo[0]);
  c.x = s->step[0];
  c.y = (int16_t)(s->step[1] * y);
  c.z = (int16_t)(s->step[2] * z);
  c.message = (int16_t)message;
  c.mirror = s->mirror;
  for (int d = 0; d < 3; d++) c.n[d] = (uint8_t)s->n[d];
  return c;
}

/* Image of the tables on the host, in this order; as many boxes as slabs at most. */
struct image {
  tx_cuda_feed *feed;
  tx_cuda_cut *cut;
  tx_cuda_fine_box *box;
};

/* In which message a point of send buffer 2 lies. */
static int message_of(const tx_ghost_plan *g, int64_t at) {
  int low = 0, high = g->n_send2_to - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (g->send2_to[middle].at <= at)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Tables of one source; false if a box is larger than the room for it. */
static bool fill_source(const tx_mesh *mesh, tx_lidx source, image *to) {
  const tx_ghost_plan *g = &mesh->ghosts;
  const tx_lidx first = g->interp_start[source], last = g->interp_start[source + 1];
  extent e[SIDES];
  int serves[SIDES], lo[3], n[3];
  bool fits = true;
  memset(e, 0, sizeof e);
  for (tx_lidx i = first; i < last; i++) {
    const int side = side_of(&g->interp[i], lo, n);
    extent_add(&e[side], lo, n);
  }
  for (int side = 0; side < SIDES; side++)
    if (e[side].end[0] > 0) extent_round(&e[side]);
  choose_boxes(e, serves);
  tx_cuda_feed *feed = &to->feed[source];
  feed->octant = g->source[source];
  feed->box = first;
  feed->outer = g->outer[feed->octant];
  tx_lidx at = first;
  for (int s = 0; s < SIDES; s++) {
    if (e[s].end[0] == 0 || serves[s] != s) continue;
    tx_cuda_fine_box *box = NULL;
    for (tx_lidx i = first; i < last; i++) {
      const tx_slab *slab = &g->interp[i];
      if (serves[side_of(slab, lo, n)] != s) continue;
      if (!box || box->n_slabs == CUTS) {
        box = &to->box[first + feed->n_boxes++];
        *box = box_of(&e[s]);
        box->slab = at;
        fits = fits && box_fits(box);
      }
      to->cut[at++] = cut_of(slab, box, slab->dst < mesh->n_local ? -1 : message_of(g, slab->at));
      box->n_slabs++;
    }
  }
  return fits;
}

/* Boxes of a source begin at the number of its first slab: close the gaps. Their number. */
static size_t pack_boxes(tx_lidx n_source, image *to) {
  tx_lidx at = 0;
  for (tx_lidx i = 0; i < n_source; i++) {
    tx_cuda_feed *feed = &to->feed[i];
    memmove(&to->box[at], &to->box[feed->box], (size_t)feed->n_boxes * sizeof *to->box);
    feed->box = at;
    at += feed->n_boxes;
  }
  return (size_t)at;
}

static tx_status fill(const tx_mesh *mesh, image *to, size_t *n_boxes) {
  int misfits = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : misfits)
  for (tx_lidx i = 0; i < mesh->ghosts.n_source; i++) misfits += !fill_source(mesh, i, to);
  TX_REQUIRE(
      misfits == 0, TX_ERR_MESH,
      "%d octants are asked for interpolated ghosts away from their faces; the ghost plan is "
      "not one of a balanced tree",
      misfits);
  *n_boxes = pack_boxes(mesh->ghosts.n_source, to);
  return TX_OK;
}

/* Where the tables lie in a block, and its size; `at` NULL: the size only. */
static size_t image_place(const tx_ghost_plan *g, size_t n_boxes, unsigned char *at, image *out) {
  const size_t sources = (size_t)g->n_source, slabs = (size_t)g->interp_start[g->n_source];
  const size_t feeds = (sources * sizeof(tx_cuda_feed) + 15) / 16 * 16;
  const size_t cuts = (slabs * sizeof(tx_cuda_cut) + 15) / 16 * 16;
  if (at) {
    out->feed = reinterpret_cast<tx_cuda_feed *>(at);
    out->cut = reinterpret_cast<tx_cuda_cut *>(at + feeds);
    out->box = reinterpret_cast<tx_cuda_fine_box *>(at + feeds + cuts);
  }
  return feeds + cuts + n_boxes * sizeof(tx_cuda_fine_box);
}

static tx_status upload(const tx_mesh *mesh, unsigned char *block, tx_cuda_interpolation *out) {
  const tx_ghost_plan *g = &mesh->ghosts;
  size_t n_boxes = (size_t)g->interp_start[g->n_source];
  image host, there;
  memset(&there, 0, sizeof there);
  image_place(g, n_boxes, block, &host);
  TX_TRY(fill(mesh, &host, &n_boxes));
  TX_TRY(tx_cuda_upload(block, image_place(g, n_boxes, NULL, NULL), "tables of interpolation",
                        &out->tables));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  image_place(g, n_boxes, static_cast<unsigned char *>(out->tables), &there);
  out->feed = there.feed;
  out->cut = there.cut;
  out->box = there.box;
  return TX_OK;
}

tx_status tx_cuda_interpolation_create(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  const tx_ghost_plan *g = &x->mesh->ghosts;
  unsigned char *block = NULL;
  TX_CUDA(cudaFuncSetAttribute(interpolate_sources, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)SHARED_BYTES));
  TX_TRY(tx_alloc(1, sizeof *c->interpolation, "GPU plan", &c->interpolation));
  if (g->n_source == 0) return TX_OK;
  const size_t slabs = (size_t)g->interp_start[g->n_source];
  TX_TRY(tx_alloc(image_place(g, slabs, NULL, NULL), 1, "GPU tables", &block));
  const tx_status status = upload(x->mesh, block, c->interpolation);
  tx_free(block);
  return status;
}

void tx_cuda_interpolation_destroy(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  if (c->interpolation) tx_cuda_free(c->interpolation->tables);
  tx_free(c->interpolation);
  c->interpolation = NULL;
}

tx_status tx_cuda_interpolate(tx_exec *x, const tx_field *f, tx_lidx first, tx_lidx last,
                              cudaStream_t stream) {
  const tx_cuda *c = tx_cuda_of(x);
  const tx_cuda_interpolation *t = c->interpolation;
  if (first == last) return TX_OK;
  tx_cuda_values values;
  TX_TRY(tx_cuda_values_of(f, &values));
  const outputs out = {c->mesh.slots, tx_cuda_send_buffer(x, 2), c->outbox[1]};
  const size_t passes = (size_t)((f->n_vars + VARS - 1) / VARS), sources = (size_t)(last - first);
  const size_t together = sources * passes / BLOCKS;
  const int per_block = VARS * (int)(together < 1 ? 1 : together < passes ? together : passes);
  const size_t groups = (size_t)((f->n_vars + per_block - 1) / per_block);
  TX_CUDA_RUN(interpolate_sources, sources * groups, THREADS, SHARED_BYTES, stream, t->feed + first,
              t->box, t->cut, c->mesh, values, out, per_block);
  return TX_OK;
}
