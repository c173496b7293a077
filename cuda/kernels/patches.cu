/* The pipeline `patch`: patches of all octants in an array, filled by source octants that scatter. Each octant,
 * in shared memory, goes to its own patch and to those of its neighbours of the same level and coarser; then
 * what was interpolated or received follows from the slots; last, values beyond outer faces are
 * extrapolated. */
#include "cuda/kernels/patches.cuh"

#include "cuda/kernels/patch.cuh"

enum { THREADS = 256 };

/* Targets of an octant whose descriptions are in shared memory at the same time; few have more. */
enum { TARGETS = 32 };

/* Variables that a block scatters. Blocks go through all octants for some variables before they come to the next
 * ones: then the sources of a patch's rows follow each other while the rows are in the L2 cache, which can bring
 * them together to whole sectors. With all variables of an octant first, most rows of three would reach memory on
 * their own. */
#define VARS (TX_N <= 8 ? 2 : 1)

/* Targets of source b: start[b].first .. start[b].middle - 1 lie in patches of octants of x->interior, the others,
 * up to the first of the next source, in those of x->boundary. */
struct targets {
  int32_t first, middle;
};

struct tx_cuda_patch_store {
  double *block; /* device memory of the patches */
  double *
      patch; /* [n_local][n_vars][TX_P3], from its second double on: even points of rows are 16-byte aligned */
  uint64_t stamp; /* of the contents whose patches are all there; 0: none */
  void *tables;   /* device memory of the following */
  const targets *start;
  const tx_cuda_copy *target;    /* by source */
  const tx_cuda_copy *from_slot; /* slabs of octants of x->interior, then of x->boundary */
  tx_lidx n_from_slot, n_from_slot_interior;
};

/* Which patches are to be filled. */
enum { OF_INTERIOR = 1, OF_BOUNDARY = 2 };

/* Points of a box of VARS variables, a warp's share of it. */
static __device__ __forceinline__ void copy_box(const tx_cuda_copy &c, const tx_cuda_values &f,
                                                int v, int n, bool signs, const double *from,
                                                double *to) {
  const int n0 = c.n[0], n1 = c.n[1], points = n0 * n1 * c.n[2];
  for (int p = (int)threadIdx.x % 32; p < points; p += 32) {
    const int row = tx_cuda_over(p, n0), i = p - row * n0;
    const int k = tx_cuda_over(row, n1), j = row - k * n1;
    const double *a = from + c.from_offset + k * c.from_z + j * c.from_y + i * c.from_x;
    double *b = to + c.to_offset + k * c.to_z + j * c.to_y + i;
#pragma unroll
    for (int s = 0; s < VARS; s++) {
      if (s >= n) break;
      const double value = a[s * c.from_var];
      b[s * c.to_var] = signs && (__popc(c.mirror & f.odd[v + s]) & 1) ? -value : value;
    }
  }
}

/* Descriptions of targets to shared memory; no barrier. */
static __device__ __forceinline__ void load_targets(const tx_cuda_copy *__restrict__ from, int n,
                                                    tx_cuda_copy *near) {
  static_assert(sizeof *from % sizeof(int64_t) == 0, "copied in pieces of 8 bytes");
  const int words = n * (int)(sizeof *from / sizeof(int64_t));
  for (int w = (int)threadIdx.x; w < words; w += THREADS)
    reinterpret_cast<int64_t *>(near)[w] = reinterpret_cast<const int64_t *>(from)[w];
}

/* A block: one source octant, VARS variables of it. */
static __global__ void __launch_bounds__(THREADS)
    scatter_octants(const targets *__restrict__ start, const tx_cuda_copy *__restrict__ target,
                    const __grid_constant__ tx_cuda_values f, unsigned n_octants, int set,
                    double *patch) {
  __shared__ double octant[VARS * TX_N3];
  __shared__ tx_cuda_copy near[TARGETS];
  const unsigned b = blockIdx.x % n_octants;
  const int v = (int)(blockIdx.x / n_octants) * VARS, n = min(VARS, f.n_vars - v);
  const int first = set & OF_INTERIOR ? start[b].first : start[b].middle;
  const int last = set & OF_BOUNDARY ? start[b + 1].first : start[b].middle;
  if (first == last) return;
  const double *from = f.data + ((int64_t)b * f.n_vars + v) * TX_N3;
  for (int p = (int)threadIdx.x; p < n * TX_N3; p += THREADS) octant[p] = from[p];
  for (int at = first; at < last; at += TARGETS) {
    const int count = min((int)TARGETS, last - at);
    if (at > first) __syncthreads();
    load_targets(target + at, count, near);
    __syncthreads();
    for (int t = (int)threadIdx.x / 32; t < count; t += THREADS / 32)
      copy_box(near[t], f, v, n, near[t].mirror != 0, octant,
               patch + (f.n_vars * near[t].to + v * TX_P3));
  }
}

/* A warp: one slab of the slots or the own points, VARS variables of it. */
static __global__ void __launch_bounds__(THREADS)
    scatter_slots(const tx_cuda_copy *__restrict__ slab, tx_lidx n_slabs, unsigned blocks,
                  tx_cuda_mesh m, const __grid_constant__ tx_cuda_values f, double *patch) {
  const tx_lidx t = (tx_lidx)(blockIdx.x % blocks * (THREADS / 32) + threadIdx.x / 32);
  const int v = (int)(blockIdx.x / blocks) * VARS, n = min(VARS, f.n_vars - v);
  if (t >= n_slabs) return;
  const tx_cuda_copy &c = slab[t];
  copy_box(c, f, v, n, c.mirror != 0,
           (c.own ? m.own : m.slots) + (f.n_vars * c.from + v * c.from_var),
           patch + (f.n_vars * c.to + v * TX_P3));
}

/* A block: one octant with an outer face, one variable. */
static __global__ void go_on_in_patches(const tx_lidx *__restrict__ octants, tx_cuda_mesh m,
                                        const __grid_constant__ tx_cuda_patched f, double *patch) {
  const tx_lidx b = octants[blockIdx.x / (unsigned)f.n_vars];
  const int v = (int)(blockIdx.x % (unsigned)f.n_vars);
  tx_cuda_go_on(m.place[b], f, v, patch + ((int64_t)b * f.n_vars + v) * TX_P3);
}

/* Where a slab's points go in the array of patches. */
static void copy_to_patch(tx_cuda_copy *c, const tx_slab *s) {
  c->to = (int64_t)s->dst * TX_P3;
  c->to_offset = TX_PATCH_AT(s->lo[0], s->lo[1], s->lo[2]);
  c->to_var = TX_P3;
  c->to_z = TX_P * TX_P;
  c->to_y = TX_P;
}

static tx_slab own_slab(tx_lidx b) {
  tx_slab s;
  memset(&s, 0, sizeof s);
  s.dst = s.src = b;
  s.kind = TX_SLAB_COPY;
  for (int d = 0; d < 3; d++) {
    s.n[d] = TX_N;
    s.step[d] = 1;
  }
  return s;
}

/* Image of the tables on the host. */
struct image {
  targets *start;
  tx_cuda_copy *target, *from_slot;
};

static size_t image_place(const tx_mesh *mesh, unsigned char *at, image *out) {
  const tx_ghost_plan *g = &mesh->ghosts;
  const size_t n = (size_t)mesh->n_local;
  const size_t starts = ((n + 1) * sizeof(targets) + 15) / 16 * 16;
  const size_t all = (n + (size_t)g->direct_start[n]) * sizeof(tx_cuda_copy);
  if (at) {
    out->start = reinterpret_cast<targets *>(at);
    out->target = reinterpret_cast<tx_cuda_copy *>(at + starts);
    out->from_slot = reinterpret_cast<tx_cuda_copy *>(at + starts + all);
  }
  return starts + all + (size_t)g->slot_start[n] * sizeof(tx_cuda_copy);
}

/* Slabs sorted by source: those into patches of one set come after those of the sets before. `next` [n_local]:
 * where each source's next one goes. */
static void place_targets(const tx_mesh *mesh, tx_lidx n, const tx_lidx *octants, int32_t *next,
                          image *to) {
  const tx_ghost_plan *g = &mesh->ghosts;
  for (tx_lidx i = 0; i < n; i++) {
    const tx_slab own = own_slab(octants[i]);
    for (tx_lidx s = g->direct_start[octants[i]] - 1; s < g->direct_start[octants[i] + 1]; s++) {
      const tx_slab *slab = s < g->direct_start[octants[i]] ? &own : &g->direct[s];
      tx_cuda_copy c = tx_cuda_copy_from(slab);
      copy_to_patch(&c, slab);
      to->target[next[slab->src]++] = c;
    }
  }
}

static tx_lidx place_slots(const tx_cuda *plan, const tx_ghost_plan *g, tx_lidx n,
                           const tx_lidx *octants, tx_lidx at, image *to) {
  for (tx_lidx i = 0; i < n; i++)
    for (tx_lidx s = g->slot_start[octants[i]]; s < g->slot_start[octants[i] + 1]; s++) {
      tx_cuda_copy c = tx_cuda_copy_from_slot(plan, g, s);
      copy_to_patch(&c, &g->slot[s]);
      to->from_slot[at++] = c;
    }
  return at;
}

/* Fill the image; how many slabs of the slots belong to octants of x->interior into *n_interior. */
static tx_status fill(const tx_mesh *mesh, const tx_cuda *plan, image *to, tx_lidx *n_interior) {
  const tx_ghost_plan *g = &mesh->ghosts;
  int32_t *next = NULL;
  TX_TRY(tx_alloc((size_t)mesh->n_local, sizeof *next, "GPU tables", &next));
  for (tx_lidx b = 0; b < mesh->n_local; b++) next[b] = 1; /* its own patch */
  for (tx_lidx s = 0; s < g->direct_start[mesh->n_local]; s++) next[g->direct[s].src]++;
  int32_t at = 0;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    to->start[b].first = at;
    at += next[b];
    next[b] = to->start[b].first;
  }
  to->start[mesh->n_local].first = to->start[mesh->n_local].middle = at;
  place_targets(mesh, g->n_interior, g->interior, next, to);
  for (tx_lidx b = 0; b < mesh->n_local; b++) to->start[b].middle = next[b];
  place_targets(mesh, g->n_boundary, g->boundary, next, to);
  *n_interior = place_slots(plan, g, g->n_interior, g->interior, 0, to);
  place_slots(plan, g, g->n_boundary, g->boundary, *n_interior, to);
  tx_free(next);
  return TX_OK;
}

static tx_status upload(const tx_mesh *mesh, const tx_cuda *plan, unsigned char *block,
                        size_t bytes, tx_cuda_patch_store *p) {
  image host, there;
  memset(&there, 0, sizeof there);
  image_place(mesh, block, &host);
  TX_TRY(fill(mesh, plan, &host, &p->n_from_slot_interior));
  TX_TRY(tx_cuda_upload(block, bytes, "tables of patches", &p->tables));
  image_place(mesh, static_cast<unsigned char *>(p->tables), &there);
  p->start = there.start;
  p->target = there.target;
  p->from_slot = there.from_slot;
  p->n_from_slot = mesh->ghosts.slot_start[mesh->n_local];
  return TX_OK;
}

tx_status tx_cuda_patches_create(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  const tx_mesh *mesh = x->mesh;
  unsigned char *block = NULL;
  image none;
  TX_TRY(tx_alloc(1, sizeof *c->patches, "GPU plan", &c->patches));
  TX_TRY(tx_cuda_alloc(((size_t)mesh->n_local * (size_t)x->max_vars * TX_P3 + 1) * sizeof(double),
                       "patches", &c->patches->block));
  c->patches->patch = c->patches->block + 1;
  const size_t bytes = image_place(mesh, NULL, &none);
  TX_TRY(tx_alloc(bytes, 1, "GPU tables", &block));
  const tx_status status = upload(mesh, c, block, bytes, c->patches);
  tx_free(block);
  return status;
}

void tx_cuda_patches_destroy(tx_exec *x) {
  tx_cuda *c = tx_cuda_of(x);
  if (c->patches) {
    tx_cuda_free(c->patches->block);
    tx_cuda_free(c->patches->tables);
  }
  tx_free(c->patches);
  c->patches = NULL;
}

void tx_cuda_patches_forget(const tx_exec *x) {
  tx_cuda_of(x)->patches->stamp = 0;
}

double *tx_cuda_patches_array(const tx_exec *x) {
  tx_cuda_patches_forget(x); /* the caller may write there */
  return tx_cuda_of(x)->patches->patch;
}

tx_status tx_cuda_patches_poison(tx_exec *x) {
  return tx_cuda_fill_nan(tx_cuda_patches_array(x),
                          (size_t)x->mesh->n_local * (size_t)x->max_vars * TX_P3);
}

/* Patches of interior octants can be filled before the ghosts of the others are there. Any other set has its patches
 * filled with all the others of its kind: what is scattered to an octant is not sorted any finer. */
static int patches_of(const tx_exec *x, const tx_set *set) {
  if (set == x->all) return OF_INTERIOR | OF_BOUNDARY;
  return set->interior ? OF_INTERIOR : set == x->boundary ? OF_BOUNDARY : OF_INTERIOR | OF_BOUNDARY;
}

static tx_status go_on(tx_exec *x, const tx_set *set, const tx_field *f) {
  const tx_cuda *c = tx_cuda_of(x);
  const tx_cuda_set *there = tx_cuda_set_of(set);
  tx_cuda_patched values;
  TX_TRY(tx_cuda_patched_of(f, &values));
  TX_CUDA_RUN(go_on_in_patches, (size_t)there->n_outer * (size_t)f->n_vars, THREADS, 0,
              tx_cuda_stream.compute, there->boundary, c->mesh, values, c->patches->patch);
  return TX_OK;
}

tx_status tx_cuda_patches_fill(tx_exec *x, const tx_set *set, const tx_field *f) {
  const tx_cuda *c = tx_cuda_of(x);
  tx_cuda_patch_store *p = c->patches;
  const cudaStream_t stream = tx_cuda_stream.compute;
  tx_cuda_values values;
  TX_REQUIRE(f->n_vars <= x->max_vars, TX_ERR_USAGE,
             "patches of %d variables, but there is room for %d; use the pipeline gather",
             f->n_vars, x->max_vars);
  if (set->n == 0) return TX_OK;
  TX_TRY(tx_cuda_values_of(f, &values));
  const int which = patches_of(x, set);
  const tx_lidx first = which & OF_INTERIOR ? 0 : p->n_from_slot_interior;
  const tx_lidx slabs = (which & OF_BOUNDARY ? p->n_from_slot : p->n_from_slot_interior) - first;
  const size_t groups = (size_t)(f->n_vars + VARS - 1) / VARS, warps = THREADS / 32;
  p->stamp = which == (OF_INTERIOR | OF_BOUNDARY) ? f->stamp : 0;
  const size_t slab_blocks = ((size_t)slabs + warps - 1) / warps;
  TX_CUDA_RUN(scatter_octants, (size_t)x->mesh->n_local * groups, THREADS, 0, stream, p->start,
              p->target, values, (unsigned)x->mesh->n_local, which, p->patch);
  TX_CUDA_RUN(scatter_slots, slab_blocks * groups, THREADS, 0, stream, p->from_slot + first, slabs,
              (unsigned)slab_blocks, c->mesh, values, p->patch);
  return go_on(x,
               which == OF_INTERIOR   ? x->interior
               : which == OF_BOUNDARY ? x->boundary
                                      : x->all,
               f);
}

tx_status tx_cuda_patches_patch(tx_exec *x, const tx_field *f, tx_lidx b, double *patch) {
  const tx_cuda_patch_store *p = tx_cuda_of(x)->patches;
  const size_t points = (size_t)f->n_vars * TX_P3;
  if (f->n_vars > x->max_vars) return tx_cuda_patch(x, f, b, patch);
  if (p->stamp != f->stamp) TX_TRY(tx_cuda_patches_fill(x, x->all, f));
  return tx_cuda_download(p->patch + (size_t)b * points, points, patch);
}
