/* Interpolated ghosts: tensor products of passes along z, y and x, from patches in shared memory. */
#include "cuda/interpolate.cuh"

/* Variables that a block works on at the same time, if they fit into its shared memory. */
#define VARS (TX_N <= 8 ? 2 : 1)

enum { THREADS = 256 };

/* Blocks that keep a GPU busy; with fewer sources than that, variables are spread over more blocks. */
enum { BLOCKS = 6000 };

struct tx_cuda_interpolation {
  void *tables; /* device memory of the following */
  const tx_cuda_feed *feed;
  const tx_cuda_fine_box *box;
  const tx_cuda_cut *cut;
};

/* Where results go. */
struct outputs {
  double *slots, *send;
  const tx_cuda_outbox *outbox;
};

static const size_t SHARED_BYTES =
    (size_t)VARS * (TX_P3 + TX_CUDA_ROOM_A + TX_CUDA_ROOM_B) * sizeof(double);

/* Number of coarse points of a box in one dimension. */
static __device__ __forceinline__ int coarse(const tx_cuda_fine_box &box, int d) {
  return TX_CUDA_COARSE(box.lo[d], box.n[d]);
}

/* Lines of one pass for all variables of the block: `outer` times `inner` lines, each thread some. Line (o, i)
 * reads from from[o * from_outer + i * from_inner] on and writes to[o * to_outer + i * to_inner] on. */
struct pass {
  int outer, inner;
  const double *from;
  int from_outer, from_inner, from_step, from_var;
  double *to;
  int to_outer, to_inner, to_step, to_var;
};

template <int LENGTH> static __device__ __forceinline__ void lines(const pass &p, int odd, int n) {
  const unsigned per_inner = 65536u / (unsigned)p.inner + 1; /* exact: below 65536 / inner lines */
  const int count = p.outer * p.inner;
  for (int l = (int)threadIdx.x; l < VARS * count; l += THREADS) {
    const int s = VARS > 1 && l >= count, q = l - s * count;
    const int o = (int)((unsigned)q * per_inner >> 16), i = q - o * p.inner;
    tx_cuda_line(p.from + s * p.from_var + o * p.from_outer + i * p.from_inner, p.from_step, odd,
                 LENGTH > 0 ? LENGTH : n, p.to + s * p.to_var + o * p.to_outer + i * p.to_inner,
                 p.to_step);
  }
}

/* With the lengths that occur known to the compiler. */
static __device__ __forceinline__ void run(const pass &p, int lo, int n) {
  if (n == TX_K)
    lines<TX_K>(p, lo & 1, n);
  else
    lines<0>(p, lo & 1, n);
}

/* The fine points of a box, from the patches to a [n2][n1][pitch of n0]. Ends with a barrier. */
static __device__ void interpolate_box(const tx_cuda_fine_box &box, const double *patch, double *a,
                                       double *b) {
  const int nx = coarse(box, 0), ny = coarse(box, 1);
  const int pitch = TX_CUDA_PITCH(nx), out_pitch = TX_CUDA_PITCH(box.n[0]);
  const int corner = TX_PATCH_AT(TX_CUDA_COARSE_LOW(box.lo[0]), TX_CUDA_COARSE_LOW(box.lo[1]),
                                 TX_CUDA_COARSE_LOW(box.lo[2]));
  run({ny, nx, patch + corner, TX_P, 1, TX_P * TX_P, TX_P3, a, pitch, 1, ny * pitch,
       TX_CUDA_ROOM_A},
      box.lo[2], box.n[2]);
  __syncthreads();
  run({box.n[2], nx, a, ny * pitch, 1, pitch, TX_CUDA_ROOM_A, b, box.n[1] * pitch, 1, pitch,
       TX_CUDA_ROOM_B},
      box.lo[1], box.n[1]);
  __syncthreads();
  run({box.n[2], box.n[1], b, box.n[1] * pitch, pitch, 1, TX_CUDA_ROOM_B, a, box.n[1] * out_pitch,
       out_pitch, 1, TX_CUDA_ROOM_A},
      box.lo[0], box.n[0]);
  __syncthreads();
}

/* The slabs of a box to where they belong, a warp a slab; variables v .. v + n - 1. */
static __device__ void scatter(const tx_cuda_fine_box &box, const tx_cuda_cut *__restrict__ cut,
                               const tx_cuda_values &f, int v, int n, const double *a,
                               const outputs &out) {
  const int lane = (int)threadIdx.x % 32;
  for (int c = (int)threadIdx.x / 32; c < box.n_slabs; c += THREADS / 32) {
    const tx_cuda_cut &s = cut[box.slab + c];
    const int n0 = s.n[0], n1 = s.n[1], points = n0 * n1 * s.n[2];
    double *to = out.slots;
    int64_t at = s.at;
    if (s.message >= 0 && out.outbox) {
      to = out.outbox[s.message].base;
      at += out.outbox[s.message].shift;
    } else if (s.message >= 0) {
      to = out.send;
    }
    to += f.n_vars * at + v * points;
    for (int p = lane; p < points; p += 32) {
      const int row = n0 == TX_K ? p / TX_K : p / TX_N, i = p - row * n0;
      const int k = n1 == TX_K ? row / TX_K : row / TX_N, j = row - k * n1;
      const double *from = a + s.first + k * s.z + j * s.y + i * s.x;
#pragma unroll
      for (int t = 0; t < VARS; t++)
        if (t < n) {
          const double value = from[t * TX_CUDA_ROOM_A];
          to[t * points + p] = __popc(s.mirror & f.odd[v + t]) & 1 ? -value : value;
        }
    }
  }
}

/* A block: one source, `per_block` variables of it. */
static __global__ void __launch_bounds__(THREADS, VARS > 1 ? 3 : 1)
    interpolate_sources(const tx_cuda_feed *__restrict__ feed,
                        const tx_cuda_fine_box *__restrict__ boxes,
                        const tx_cuda_cut *__restrict__ cut, const __grid_constant__ tx_cuda_mesh m,
                        const __grid_constant__ tx_cuda_values f,
                        const __grid_constant__ outputs out, int per_block) {
  TX_SHARED(double, patch);
  __shared__ tx_cuda_region regions[27];
  double *a = patch + VARS * TX_P3, *b = a + VARS * TX_CUDA_ROOM_A;
  const int groups = (f.n_vars + per_block - 1) / per_block;
  const tx_cuda_feed &source = feed[blockIdx.x / (unsigned)groups];
  const int first = (int)(blockIdx.x % (unsigned)groups) * per_block;
  const int last = min(first + per_block, f.n_vars);
  const int low[3] = {source.low[0], source.low[1], source.low[2]};
  const int high[3] = {source.high[0], source.high[1], source.high[2]};
  const uint32_t outer = m.place[source.octant].outer;
  if (threadIdx.x < 27) regions[threadIdx.x] = m.region[source.octant * 27 + (int)threadIdx.x];
  __syncthreads();
  for (int v = first; v < last; v += VARS) {
    const int n = min(VARS, last - v);
    tx_cuda_box_load<VARS>(m, f, regions, v, n, low, high, false, patch);
    __syncthreads();
    for (int s = 0; s < n && outer; s++) tx_cuda_extrapolate(outer, patch + s * TX_P3);
    for (int i = 0; i < source.n_boxes; i++) {
      const tx_cuda_fine_box &box = boxes[source.box + i];
      interpolate_box(box, patch, a, b);
      scatter(box, cut, f, v, n, a, out);
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

static tx_cuda_fine_box box_of(const extent *e) {
  tx_cuda_fine_box box;
  memset(&box, 0, sizeof box);
  for (int d = 0; d < 3; d++) {
    box.lo[d] = (int8_t)e->lo[d];
    box.n[d] = (uint8_t)(e->end[d] - e->lo[d]);
  }
  return box;
}

static bool box_fits(const tx_cuda_fine_box *box) {
  int need[3];
  for (int d = 0; d < 3; d++) need[d] = TX_CUDA_COARSE(box->lo[d], box->n[d]);
  const int nx = TX_CUDA_PITCH(need[0]);
  return box->n[2] * need[1] * nx <= TX_CUDA_ROOM_A &&
         box->n[2] * box->n[1] * nx <= TX_CUDA_ROOM_B &&
         box->n[2] * box->n[1] * TX_CUDA_PITCH(box->n[0]) <= TX_CUDA_ROOM_A;
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

/* Image of the tables on the host. Boxes of a source are numbered from its first slab on, which leaves gaps. */
struct image {
  tx_cuda_feed *feed;
  tx_cuda_fine_box *box;
  tx_cuda_cut *cut;
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

/* The part of the source's patch that its boxes read. */
static void set_needed(const extent e[SIDES], bool all, tx_cuda_feed *feed) {
  extent sum;
  memset(&sum, 0, sizeof sum);
  for (int s = 0; s < SIDES; s++) {
    if (e[s].end[0] == 0) continue;
    const int n[3] = {e[s].end[0] - e[s].lo[0], e[s].end[1] - e[s].lo[1], e[s].end[2] - e[s].lo[2]};
    extent_add(&sum, e[s].lo, n);
  }
  for (int d = 0; d < 3; d++) {
    const int last = sum.end[d] - 1;
    feed->low[d] = (int8_t)(all ? -TX_K : TX_CUDA_COARSE_LOW(sum.lo[d]));
    feed->high[d] =
        (int8_t)(all ? TX_N + TX_K - 1 : last / 2 + TX_INTERP_POINTS / 2 - (last % 2 == 0));
  }
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
  choose_boxes(e, serves);
  tx_cuda_feed *feed = &to->feed[source];
  feed->octant = g->source[source];
  feed->box = first;
  set_needed(e, g->outer[feed->octant] != 0, feed);
  tx_lidx at = first;
  for (int s = 0; s < SIDES; s++) {
    if (e[s].end[0] == 0 || serves[s] != s) continue;
    tx_cuda_fine_box *box = &to->box[first + feed->n_boxes++];
    *box = box_of(&e[s]);
    fits = fits && box_fits(box);
    box->slab = at;
    for (tx_lidx i = first; i < last; i++) {
      const tx_slab *slab = &g->interp[i];
      if (serves[side_of(slab, lo, n)] != s) continue;
      to->cut[at++] = cut_of(slab, box, slab->dst < mesh->n_local ? -1 : message_of(g, slab->at));
    }
    box->n_slabs = at - box->slab;
  }
  return fits;
}

static tx_status fill(const tx_mesh *mesh, image *to) {
  int misfits = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : misfits)
  for (tx_lidx i = 0; i < mesh->ghosts.n_source; i++) misfits += !fill_source(mesh, i, to);
  TX_REQUIRE(
      misfits == 0, TX_ERR_MESH,
      "%d octants are asked for interpolated ghosts away from their faces; the ghost plan is "
      "not one of a balanced tree",
      misfits);
  return TX_OK;
}

/* Where the tables lie in a block. */
static size_t image_place(const tx_ghost_plan *g, unsigned char *at, image *out) {
  const size_t sources = (size_t)g->n_source, slabs = (size_t)g->interp_start[g->n_source];
  const size_t feeds = (sources * sizeof(tx_cuda_feed) + 15) / 16 * 16;
  const size_t boxes = (slabs * sizeof(tx_cuda_fine_box) + 15) / 16 * 16;
  if (at) {
    out->feed = reinterpret_cast<tx_cuda_feed *>(at);
    out->box = reinterpret_cast<tx_cuda_fine_box *>(at + feeds);
    out->cut = reinterpret_cast<tx_cuda_cut *>(at + feeds + boxes);
  }
  return feeds + boxes + slabs * sizeof(tx_cuda_cut);
}

static tx_status upload(const tx_mesh *mesh, unsigned char *block, size_t bytes,
                        tx_cuda_interpolation *out) {
  image host, there;
  memset(&there, 0, sizeof there);
  image_place(&mesh->ghosts, block, &host);
  TX_TRY(fill(mesh, &host));
  TX_TRY(tx_cuda_upload(block, bytes, "tables of interpolation", &out->tables));
  TX_CUDA(cudaStreamSynchronize(tx_cuda_stream.compute));
  image_place(&mesh->ghosts, static_cast<unsigned char *>(out->tables), &there);
  out->feed = there.feed;
  out->box = there.box;
  out->cut = there.cut;
  return TX_OK;
}

tx_status tx_cuda_interpolation_create(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  unsigned char *block = NULL;
  image none;
  TX_CUDA(cudaFuncSetAttribute(interpolate_sources, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)SHARED_BYTES));
  TX_TRY(tx_alloc(1, sizeof *c->interpolation, "GPU plan", &c->interpolation));
  if (x->mesh->ghosts.n_source == 0) return TX_OK;
  const size_t bytes = image_place(&x->mesh->ghosts, NULL, &none);
  TX_TRY(tx_alloc(bytes, 1, "GPU tables", &block));
  const tx_status status = upload(x->mesh, block, bytes, c->interpolation);
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
