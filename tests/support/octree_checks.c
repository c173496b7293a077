#include "tests/support/octree_checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "octree/internal.h"

#define FINEST 20

static int64_t local_faults;

#define FAULT(...)                                                                                 \
  do {                                                                                             \
    if (local_faults++ < 5) fprintf(stderr, "fault: " __VA_ARGS__), fputc('\n', stderr);           \
  } while (0)

static int64_t all_faults(const tx_mesh *mesh) {
  int64_t n = local_faults;
  local_faults = 0;
  MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, mesh->comm);
  return n;
}

static void *must(void *block) {
  if (!block) abort();
  return block;
}

uint64_t tx_test_hash(uint64_t seed, const tx_octant *o) {
  uint64_t h = seed * 1000003 + (uint64_t)o->level + 17;
  for (int d = 0; d < 3; d++) {
    h = (h ^ (uint64_t)o->x[d]) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    h ^= h >> 32;
  }
  return h;
}

static double unit(uint64_t h) {
  return (double)(h >> 11) * 0x1p-53;
}

void tx_test_random_flags(const tx_mesh *mesh, uint64_t seed, double p_up, double p_down,
                          int8_t *flag) {
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const tx_octant *o = &mesh->octant[b];
    tx_octant parent = {.x = {o->x[0] >> 1, o->x[1] >> 1, o->x[2] >> 1}, .level = o->level};
    bool up = unit(tx_test_hash(seed, o)) < p_up;
    bool down = unit(tx_test_hash(seed + 77, &parent)) < p_down;
    flag[b] = (int8_t)(down ? -1 : up);
  }
}

tx_domain tx_test_domain(int n) {
  const int trees = n == 10 || n == 22 ? 3 : n == 14 ? 2 : 1;
  tx_domain domain = {.extent = trees * (trees == 1 ? 12.5 : 6.25) * (TX_N % 8 ? TX_N / 8.0 : 1.0),
                      .trees = trees};
  for (int d = 0; d < 3; d++, n /= 3) {
    domain.low[d] = (tx_face)(n % 3);
    domain.high[d] = n % 3 == TX_FACE_PERIODIC ? TX_FACE_PERIODIC : TX_FACE_OUTER;
  }
  return domain;
}

tx_status tx_test_adapt(tx_octree *tree, tx_mesh **mesh, const int8_t *flag, int low, int high,
                        tx_transfer **transfer) {
  tx_transfer *t = NULL;
  tx_mesh *now = NULL;
  TX_TRY(tx_octree_adapt(tree, *mesh, &(tx_adaptation){flag, low, high, NULL}, &t));
  tx_status status = tx_mesh_create(tree, &now);
  if (status != TX_OK || !transfer)
    tx_transfer_destroy(t);
  else
    *transfer = t;
  if (status != TX_OK) return status;
  tx_mesh_destroy(*mesh);
  *mesh = now;
  return TX_OK;
}

tx_status tx_test_random_tree(MPI_Comm comm, const tx_domain *domain, uint64_t seed, int rounds,
                              int low, int high, tx_octree **tree, tx_mesh **mesh) {
  TX_TRY(tx_octree_create(comm, domain, low, tree));
  TX_TRY(tx_mesh_create(*tree, mesh));
  for (int i = 0; i < rounds; i++) {
    int8_t *flag = must(calloc((size_t)(*mesh)->n_local + 1, 1));
    tx_test_random_flags(*mesh, seed + 1000 * (uint64_t)i, i == 0 ? 0.4 : 0.12, i % 2 ? 0.3 : 0,
                         flag);
    tx_status status = tx_test_adapt(*tree, mesh, flag, low, high, NULL);
    free(flag);
    TX_TRY(status);
  }
  return TX_OK;
}

static void *gather(MPI_Comm comm, const void *mine, size_t bytes, size_t *total) {
  int size;
  MPI_Comm_size(comm, &size);
  int *count = must(calloc((size_t)size, sizeof *count));
  int *start = must(calloc((size_t)size + 1, sizeof *start));
  int n = (int)bytes;
  MPI_Allgather(&n, 1, MPI_INT, count, 1, MPI_INT, comm);
  for (int r = 0; r < size; r++) start[r + 1] = start[r] + count[r];
  char *all = must(malloc((size_t)start[size] + 1));
  MPI_Allgatherv(mine, n, MPI_BYTE, all, count, start, MPI_BYTE, comm);
  *total = (size_t)start[size];
  free(count);
  free(start);
  return all;
}

tx_octant *tx_test_all_leaves(const tx_mesh *mesh) {
  size_t total;
  return gather(mesh->comm, mesh->octant, (size_t)mesh->n_local * sizeof(tx_octant), &total);
}

static int64_t domain_end(const tx_mesh *mesh, int d) {
  const int64_t row = tx_domain_row(&mesh->domain);
  return row * (mesh->domain.low[d] == TX_FACE_REFLECT ? 1 : 2) << FINEST;
}

/* Called for all pairs of leaves: most of them are apart along x. */
int tx_test_contact(const tx_mesh *mesh, const tx_octant *a, const tx_octant *b) {
  int64_t sa = (int64_t)1 << (FINEST - a->level), sb = (int64_t)1 << (FINEST - b->level);
  int worst = 2;
  for (int d = 0; d < 3 && worst > 0; d++) {
    int64_t xa = a->x[d] * sa, xb = b->x[d] * sb;
    int best = 0, shifts = mesh->domain.low[d] == TX_FACE_PERIODIC;
    const int64_t end = shifts > 0 ? domain_end(mesh, d) : 0;
    for (int shift = -shifts; shift <= shifts; shift++) {
      int64_t x = xb + shift * end;
      int here = xa < x + sb && x < xa + sa ? 2 : xa <= x + sb && x <= xa + sa ? 1 : 0;
      if (here > best) best = here;
    }
    if (best < worst) worst = best;
  }
  return worst;
}

/* Each rank sends the indices of its mirrors: they are those of the others' ghosts. */
static void check_mirrors(const tx_mesh *mesh) {
  const tx_lidx *ghosts = mesh->ghost_start, *mirrors = mesh->mirror_start;
  tx_gidx *sent = must(calloc((size_t)mirrors[mesh->size] + 1, sizeof *sent));
  tx_gidx *got = must(calloc((size_t)mesh->n_ghost + 1, sizeof *got));
  int *expected = must(calloc((size_t)mesh->size, sizeof *expected));
  int *count = must(calloc((size_t)mesh->size, sizeof *count));
  MPI_Request *request = must(calloc(2 * (size_t)mesh->size, sizeof *request));
  for (tx_lidx m = 0; m < mirrors[mesh->size]; m++) sent[m] = mesh->first + mesh->mirror[m];
  for (int r = 0; r < mesh->size; r++) count[r] = mirrors[r + 1] - mirrors[r];
  MPI_Alltoall(count, 1, MPI_INT, expected, 1, MPI_INT, mesh->comm);
  if (ghosts[mesh->size] != mesh->n_ghost) FAULT("ghosts belong to no rank");
  int n = 0, agreed = 1;
  for (int r = 0; r < mesh->size; r++)
    if (expected[r] != ghosts[r + 1] - ghosts[r]) {
      FAULT("rank %d has %d mirrors for %d ghosts", r, expected[r], ghosts[r + 1] - ghosts[r]);
      agreed = 0;
    }
  MPI_Allreduce(MPI_IN_PLACE, &agreed, 1, MPI_INT, MPI_LAND, mesh->comm);
  for (int r = 0; agreed && r < mesh->size; r++) {
    MPI_Irecv(got + ghosts[r], expected[r], MPI_INT64_T, r, 8, mesh->comm, &request[n++]);
    MPI_Isend(sent + mirrors[r], count[r], MPI_INT64_T, r, 8, mesh->comm, &request[n++]);
  }
  MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
  for (tx_lidx g = 0; agreed && g < mesh->n_ghost; g++)
    if (got[g] != mesh->octant[mesh->n_local + g].index) FAULT("ghost %d is no mirror's", g);
  free(sent);
  free(got);
  free(expected);
  free(count);
  free(request);
}

int64_t tx_test_check_leaves(const tx_mesh *mesh) {
  tx_octant *all = tx_test_all_leaves(mesh);
  int64_t volume = 0, counts[TX_LEVELS] = {0};
  for (tx_gidx i = 0; i < mesh->n_global; i++) {
    const tx_octant *a = &all[i];
    volume += (int64_t)1 << (3 * (10 - a->level));
    counts[a->level]++;
    if (a->index != i) FAULT("leaf %lld has index %lld", (long long)i, (long long)a->index);
    if (i % mesh->size != mesh->rank) continue;
    for (tx_gidx j = 0; j < i; j++) {
      int touch = tx_test_contact(mesh, a, &all[j]);
      if (touch == 2) FAULT("leaves %lld and %lld overlap", (long long)i, (long long)j);
      if (touch == 1 && abs(a->level - all[j].level) > 1)
        FAULT("leaves %lld and %lld are out of balance", (long long)i, (long long)j);
    }
  }
  int64_t whole = 1;
  for (int d = 0; d < 3; d++) whole *= domain_end(mesh, d) >> 10;
  if (volume != whole) FAULT("leaves leave gaps");
  if (memcmp(counts, mesh->level_count, sizeof counts) != 0) FAULT("wrong counts of levels");
  if (counts[mesh->level_lowest] == 0 || counts[mesh->level_highest] == 0)
    FAULT("wrong range of levels");
  for (tx_lidx b = 0; b < mesh->n_local + mesh->n_ghost; b++) {
    const tx_octant *o = &mesh->octant[b], *truth = &all[o->index];
    if (o->level != truth->level || o->owner != truth->owner || memcmp(o->x, truth->x, 12) != 0)
      FAULT("octant %d of rank %d is not leaf %lld", b, mesh->rank, (long long)o->index);
    if ((b < mesh->n_local) != (o->owner == mesh->rank)) FAULT("octant %d is misplaced", b);
  }
  free(all);
  check_mirrors(mesh);
  return all_faults(mesh);
}

/* Position along dimension d of the points p of octant o, in units of extent / trees / N / 2^FINEST, brought into the domain;
 * false if they lie beyond an outer face. */
static bool image(const tx_mesh *mesh, const tx_octant *o, int d, int p, int64_t *out,
                  bool *mirrored) {
  int64_t u = (o->x[d] * (int64_t)TX_N + p) * ((int64_t)1 << (FINEST - o->level));
  const int64_t top = domain_end(mesh, d) * TX_N;
  *mirrored = u < 0 && mesh->domain.low[d] == TX_FACE_REFLECT;
  if (*mirrored)
    u = -u;
  else if (mesh->domain.low[d] == TX_FACE_PERIODIC)
    u = (u + top) % top;
  *out = u;
  return u >= 0 && u < top;
}

static void slab_point(const tx_slab *s, int i, int j, int k, int p[3], int q[3]) {
  const int at[3] = {i, j, k};
  for (int d = 0; d < 3; d++) {
    p[d] = s->lo[d] + at[d];
    q[d] = s->from[d] + s->step[d] * at[d];
  }
}

#define EACH_POINT(s, i, j, k)                                                                     \
  for (int k = 0; k < (s)->n[2]; k++)                                                              \
    for (int j = 0; j < (s)->n[1]; j++)                                                            \
      for (int i = 0; i < (s)->n[0]; i++)

/* Points of a slab come from where they belong, which each dimension shows by itself; counts them in a patch (may be NULL). */
static void check_slab(const tx_mesh *mesh, const tx_slab *s, uint8_t *count) {
  const tx_octant *dst = &mesh->octant[s->dst], *src = &mesh->octant[s->src];
  static const int step[] = {[TX_SLAB_COPY] = 0, [TX_SLAB_INJECT] = 1, [TX_SLAB_INTERP] = -1};
  if (src->level - dst->level != step[s->kind])
    FAULT("slab of kind %d joins wrong levels", s->kind);
  bool interp = s->kind == TX_SLAB_INTERP;
  const int64_t h = (int64_t)1 << (FINEST - src->level - interp);
  for (int d = 0; d < 3; d++) {
    const int64_t origin = src->x[d] * (int64_t)TX_N * ((int64_t)1 << (FINEST - src->level));
    for (int at = 0; at < s->n[d]; at++) {
      const int p = s->lo[d] + at, q = s->from[d] + s->step[d] * at;
      int64_t u;
      bool mirrored, inside = image(mesh, dst, d, p, &u, &mirrored);
      if (!inside || mirrored != (s->mirror >> d & 1))
        FAULT("point %d of dimension %d misses its mirror", p, d);
      if (q < 0 || q >= TX_N << interp) FAULT("point %d of dimension %d is not its source's", q, d);
      if (inside && origin + q * h != u)
        FAULT("slab kind %d: point %d of dimension %d comes from elsewhere", s->kind, p, d);
    }
  }
  if (!count) return;
  EACH_POINT(s, i, j, k) count[TX_PATCH_AT(s->lo[0] + i, s->lo[1] + j, s->lo[2] + k)]++;
}

static void claim(uint8_t *buffer, int64_t points, const tx_slab *s) {
  int64_t n = (int64_t)s->n[0] * s->n[1] * s->n[2];
  if (s->at < 0 || s->at + n > points) {
    FAULT("slab lies outside its buffer");
    return;
  }
  for (int64_t i = s->at; i < s->at + n; i++)
    if (buffer[i]++) FAULT("point %lld of a buffer is used twice", (long long)i);
}

static void check_claimed(const uint8_t *buffer, int64_t points) {
  for (int64_t i = 0; i < points; i++)
    if (buffer[i] != 1) FAULT("point %lld of a buffer is unused", (long long)i);
}

static void own_points(uint8_t *count) {
  for (int k = 0; k < TX_N; k++)
    for (int j = 0; j < TX_N; j++)
      for (int i = 0; i < TX_N; i++) count[TX_PATCH_AT(i, j, k)]++;
}

static void check_patch(const tx_mesh *mesh, tx_lidx b, uint8_t *slots) {
  const tx_ghost_plan *plan = &mesh->ghosts;
  uint8_t count[TX_P3] = {0};
  own_points(count);
  for (tx_lidx s = plan->direct_start[b]; s < plan->direct_start[b + 1]; s++) {
    const tx_slab *slab = &plan->direct[s];
    if (slab->dst != b || slab->src >= mesh->n_local || slab->kind == TX_SLAB_INTERP ||
        slab->at != -1)
      FAULT("direct slab %d is none", s);
    check_slab(mesh, slab, count);
  }
  for (tx_lidx s = plan->slot_start[b]; s < plan->slot_start[b + 1]; s++) {
    const tx_slab *slab = &plan->slot[s];
    bool interp = slab->kind == TX_SLAB_INTERP;
    if (slab->dst != b || (!interp && slab->src < mesh->n_local)) FAULT("slot slab %d is none", s);
    if (interp != (s >= plan->slot_phase2[b])) FAULT("slot slab %d is in the wrong phase", s);
    check_slab(mesh, slab, count);
    claim(slots, plan->slot_points, slab);
  }
  bool inside[3][TX_P];
  for (int d = 0; d < 3; d++)
    for (int p = 0; p < TX_P; p++) {
      int64_t u;
      bool mirrored;
      inside[d][p] = image(mesh, &mesh->octant[b], d, p - TX_K, &u, &mirrored);
    }
  for (int k = 0; k < TX_P; k++)
    for (int j = 0; j < TX_P; j++)
      for (int i = 0; i < TX_P; i++) {
        const int expected = inside[0][i] && inside[1][j] && inside[2][k];
        const int filled = count[(k * TX_P + j) * TX_P + i];
        if (filled != expected)
          FAULT("ghost (%d, %d, %d) is filled %d times", i - TX_K, j - TX_K, k - TX_K, filled);
      }
}

/* Extrapolation across outer faces, x then y then z, from TX_INTERP_POINTS points of each line. */
static void extrapolate(uint8_t outer, uint8_t *filled) {
  for (int d = 0; d < 3; d++)
    for (int side = 0; side < 2; side++) {
      if (!(outer >> (2 * d + side) & 1)) continue;
      for (int v = -TX_K; v < TX_N + TX_K; v++)
        for (int w = -TX_K; w < TX_N + TX_K; w++) {
          int p[3], whole = 1;
          p[(d + 1) % 3] = v;
          p[(d + 2) % 3] = w;
          for (int m = 0; m < TX_INTERP_POINTS; m++) {
            p[d] = side ? TX_N - 1 - m : m;
            whole &= filled[TX_PATCH_AT(p[0], p[1], p[2])];
          }
          for (int m = 1; m <= TX_K; m++) {
            p[d] = side ? TX_N - 1 + m : -m;
            filled[TX_PATCH_AT(p[0], p[1], p[2])] = (uint8_t)whole;
          }
        }
    }
}

/* What the patch of an interpolation source holds before phase 2. */
static void fill_phase1(const tx_mesh *mesh, tx_lidx b, uint8_t *filled) {
  const tx_ghost_plan *plan = &mesh->ghosts;
  memset(filled, 0, TX_P3);
  own_points(filled);
  for (tx_lidx s = plan->direct_start[b]; s < plan->direct_start[b + 1]; s++)
    EACH_POINT(&plan->direct[s], i, j, k) {
      int p[3], q[3];
      slab_point(&plan->direct[s], i, j, k, p, q);
      filled[TX_PATCH_AT(p[0], p[1], p[2])] = 1;
    }
  for (tx_lidx s = plan->slot_start[b]; s < plan->slot_phase2[b]; s++)
    EACH_POINT(&plan->slot[s], i, j, k) {
      int p[3], q[3];
      slab_point(&plan->slot[s], i, j, k, p, q);
      filled[TX_PATCH_AT(p[0], p[1], p[2])] = 1;
    }
  extrapolate(plan->outer[b], filled);
}

enum { SUMS = TX_P + 1 };

/* holes[k][j][i]: unfilled points below (i, j, k). */
static void sum_holes(const uint8_t *filled, int *holes) {
  memset(holes, 0, sizeof(int) * SUMS * SUMS * SUMS);
  for (int k = 1; k < SUMS; k++)
    for (int j = 1; j < SUMS; j++) {
      int row = 0;
      for (int i = 1; i < SUMS; i++) {
        row += !filled[((k - 1) * TX_P + j - 1) * TX_P + i - 1];
        const int *h = holes + (k * SUMS + j) * SUMS + i;
        holes[(k * SUMS + j) * SUMS + i] =
            row + h[-SUMS] + h[-SUMS * SUMS] - h[-SUMS * SUMS - SUMS];
      }
    }
}

static int holes_in(const int *holes, const int lo[3], const int hi[3]) {
  int n = 0;
  for (int c = 0; c < 8; c++) {
    int x = c & 1 ? hi[0] : lo[0], y = c & 2 ? hi[1] : lo[1], z = c & 4 ? hi[2] : lo[2];
    int sign = (c & 1 ? 1 : -1) * (c & 2 ? 1 : -1) * (c & 4 ? 1 : -1);
    n += sign * holes[(z * SUMS + y) * SUMS + x];
  }
  return n;
}

static void check_stencils(const tx_mesh *mesh, const tx_slab *s, const int *holes) {
  EACH_POINT(s, i, j, k) {
    int p[3], q[3], lo[3], hi[3];
    slab_point(s, i, j, k, p, q);
    for (int d = 0; d < 3; d++) {
      bool odd = q[d] & 1;
      lo[d] = odd ? (q[d] + 1) / 2 - TX_INTERP_POINTS / 2 : q[d] / 2;
      hi[d] = odd ? lo[d] + TX_INTERP_POINTS : lo[d] + 1;
      if (odd && (TX_INTERP_LOW(q[d]) || TX_INTERP_HIGH(q[d]))) {
        lo[d] = TX_INTERP_LOW(q[d]) ? -2 : TX_N - 4;
        hi[d] = lo[d] + TX_INTERP_GHOST;
      }
      if (lo[d] < -TX_K || hi[d] > TX_N + TX_K) {
        FAULT("a stencil leaves the patch at half spacing %d", q[d]);
        return;
      }
      lo[d] += TX_K;
      hi[d] += TX_K;
    }
    if (holes_in(holes, lo, hi) != 0)
      FAULT("half spacing (%d, %d, %d) of source %d needs points that phase 1 left empty", q[0],
            q[1], q[2], mesh->octant[s->src].x[0]);
  }
}

static void check_sources(const tx_mesh *mesh, uint8_t *send2) {
  const tx_ghost_plan *plan = &mesh->ghosts;
  uint8_t filled[TX_P3];
  int *holes = must(malloc(sizeof(int) * SUMS * SUMS * SUMS));
  tx_lidx n_local_dst = 0, n_slots = 0;
  for (tx_lidx i = 0; i < plan->n_source; i++) {
    tx_lidx b = plan->source[i];
    bool early = plan->slot_phase2[b] == plan->slot_start[b];
    if (early != (i < plan->n_source_early)) FAULT("source %d is in the wrong part", i);
    fill_phase1(mesh, b, filled);
    sum_holes(filled, holes);
    if (plan->interp_start[i] >= plan->interp_start[i + 1]) FAULT("source %d feeds nothing", i);
    for (tx_lidx s = plan->interp_start[i]; s < plan->interp_start[i + 1]; s++) {
      const tx_slab *slab = &plan->interp[s];
      if (slab->src != b || slab->kind != TX_SLAB_INTERP) FAULT("interpolated slab %d is none", s);
      check_slab(mesh, slab, NULL);
      check_stencils(mesh, slab, holes);
      if (slab->dst >= mesh->n_local)
        claim(send2, plan->send2_points, slab);
      else
        n_local_dst++;
    }
  }
  /* Slabs interpolated here for this rank are those of the slots, word for word. */
  for (tx_lidx s = 0; s < plan->slot_start[mesh->n_local]; s++) {
    const tx_slab *slab = &plan->slot[s];
    if (slab->kind != TX_SLAB_INTERP || slab->src >= mesh->n_local) continue;
    n_slots++;
    int twins = 0;
    for (tx_lidx i = 0; i < plan->n_source; i++) {
      if (plan->source[i] != slab->src) continue;
      for (tx_lidx t = plan->interp_start[i]; t < plan->interp_start[i + 1]; t++)
        if (plan->interp[t].at == slab->at && plan->interp[t].dst == slab->dst)
          twins += memcmp(slab->from, plan->interp[t].from, sizeof slab->from) == 0;
    }
    if (twins != 1) FAULT("slot slab %d is interpolated %d times", s, twins);
  }
  if (n_slots != n_local_dst)
    FAULT("%d slots, %d slabs interpolated into slots", n_slots, n_local_dst);
  free(holes);
}

/* Does a region of the wanted kinds of local octant b lie on another rank? */
static bool takes_remote(const tx_mesh *mesh, tx_lidx b, bool coarser_too) {
  for (int r = 0; r < 27; r++) {
    const tx_region *region = &mesh->region[b][r];
    if (region->kind == TX_REGION_COARSER && !coarser_too) continue;
    for (int c = 0; c < 4; c++)
      if (region->octant[c] >= mesh->n_local) return true;
  }
  return false;
}

/* The boundary: octants with a neighbour on another rank, and those with a coarser neighbour here that has a
 * neighbour of its own level or finer on another rank. */
static void check_boundary(const tx_mesh *mesh) {
  const tx_ghost_plan *plan = &mesh->ghosts;
  uint8_t *seen = must(calloc((size_t)mesh->n_local + 1, 1));
  for (tx_lidx i = 0; i < plan->n_interior; i++) seen[plan->interior[i]] += 1;
  for (tx_lidx i = 0; i < plan->n_boundary; i++) seen[plan->boundary[i]] += 2;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    bool boundary = takes_remote(mesh, b, true);
    for (int r = 0; r < 27 && !boundary; r++)
      if (mesh->region[b][r].kind == TX_REGION_COARSER)
        boundary = takes_remote(mesh, mesh->region[b][r].octant[0], false);
    if (seen[b] != 1 + boundary) FAULT("octant %d is interior or boundary wrongly", b);
  }
  free(seen);
}

int64_t tx_test_check_plan(const tx_mesh *mesh) {
  const tx_ghost_plan *plan = &mesh->ghosts;
  uint8_t *slots = must(calloc((size_t)plan->slot_points + 1, 1));
  uint8_t *send1 = must(calloc((size_t)plan->send1_points + 1, 1));
  uint8_t *send2 = must(calloc((size_t)plan->send2_points + 1, 1));
  for (tx_lidx b = 0; b < mesh->n_local; b++) check_patch(mesh, b, slots);
  for (tx_lidx s = 0; s < plan->n_send1; s++) {
    const tx_slab *slab = &plan->send1[s];
    if (slab->dst < mesh->n_local || slab->src >= mesh->n_local || slab->kind == TX_SLAB_INTERP)
      FAULT("sent slab %d is none", s);
    check_slab(mesh, slab, NULL);
    claim(send1, plan->send1_points, slab);
  }
  check_sources(mesh, send2);
  check_boundary(mesh);
  check_claimed(slots, plan->slot_points);
  check_claimed(send1, plan->send1_points);
  check_claimed(send2, plan->send2_points);
  free(slots);
  free(send1);
  free(send2);
  return all_faults(mesh);
}

/* A slab as both ends of a message see it. */
typedef struct travel {
  int64_t from, to, phase, at; /* at: within the message */
  int64_t dst, src;
  int64_t shape[14];
} travel;

static int compare_travels(const void *a, const void *b) {
  return memcmp(a, b, sizeof(travel));
}

static travel travel_of(const tx_mesh *mesh, const tx_slab *s, int phase, const tx_message *message,
                        int n_messages) {
  const tx_octant *dst = &mesh->octant[s->dst], *src = &mesh->octant[s->src];
  travel t = {.from = src->owner, .to = dst->owner, .phase = phase, .at = -1};
  t.dst = dst->index;
  t.src = src->index;
  int partner = dst->owner == mesh->rank ? src->owner : dst->owner;
  for (int m = 0; m < n_messages; m++)
    if (message[m].rank == partner) t.at = s->at - message[m].at;
  for (int m = 0; m < n_messages; m++)
    if (message[m].rank == partner && t.at >= message[m].n) FAULT("slab lies outside its message");
  if (t.at < 0) FAULT("slab is in no message");
  for (int d = 0; d < 3; d++) {
    t.shape[d] = s->lo[d];
    t.shape[3 + d] = s->n[d];
    t.shape[6 + d] = s->from[d];
    t.shape[9 + d] = s->step[d];
  }
  t.shape[12] = s->kind;
  t.shape[13] = s->mirror;
  return t;
}

int64_t tx_test_check_messages(const tx_mesh *mesh) {
  const tx_ghost_plan *p = &mesh->ghosts;
  tx_lidx n_slot = p->slot_start[mesh->n_local], n_interp = p->interp_start[p->n_source];
  travel *sent = must(calloc((size_t)(p->n_send1 + n_interp) + 1, sizeof *sent));
  travel *got = must(calloc((size_t)n_slot + 1, sizeof *got));
  size_t n_sent = 0, n_got = 0, all_sent, all_got;
  for (tx_lidx s = 0; s < p->n_send1; s++)
    sent[n_sent++] = travel_of(mesh, &p->send1[s], 1, p->send1_to, p->n_send1_to);
  for (tx_lidx s = 0; s < n_interp; s++)
    if (p->interp[s].dst >= mesh->n_local)
      sent[n_sent++] = travel_of(mesh, &p->interp[s], 2, p->send2_to, p->n_send2_to);
  for (tx_lidx s = 0; s < n_slot; s++) {
    const tx_slab *slab = &p->slot[s];
    if (slab->src < mesh->n_local) continue;
    got[n_got++] = slab->kind != TX_SLAB_INTERP
                       ? travel_of(mesh, slab, 1, p->recv1_from, p->n_recv1_from)
                       : travel_of(mesh, slab, 2, p->recv2_from, p->n_recv2_from);
  }
  travel *a = gather(mesh->comm, sent, n_sent * sizeof *sent, &all_sent);
  travel *b = gather(mesh->comm, got, n_got * sizeof *got, &all_got);
  qsort(a, all_sent / sizeof *a, sizeof *a, compare_travels);
  qsort(b, all_got / sizeof *b, sizeof *b, compare_travels);
  if (all_sent != all_got || memcmp(a, b, all_sent) != 0)
    FAULT("%zu slabs are sent, %zu expected, or they differ", all_sent / sizeof *a,
          all_got / sizeof *b);
  if (mesh->size > 1 && mesh->n_global >= mesh->size * 8 && all_sent == 0) FAULT("nothing travels");
  free(sent);
  free(got);
  free(a);
  free(b);
  return all_faults(mesh);
}

int64_t tx_test_check_transfer(const tx_mesh *old, const tx_mesh *now, const tx_transfer *t) {
  if (t->from_revision != old->revision || t->to_revision != now->revision)
    FAULT("transfer is of other revisions");
  tx_octant *made = must(calloc((size_t)t->n_remap + 1, sizeof *made));
  tx_octant *moved = must(calloc((size_t)now->n_local + 1, sizeof *moved));
  MPI_Request *request = must(calloc((size_t)(t->n_send + t->n_recv) + 1, sizeof *request));
  for (tx_lidx j = 0; j < t->n_remap; j++) {
    const tx_octant_remap *from = &t->remap[j];
    const tx_octant *o = &old->octant[from->old];
    made[j] = *o;
    for (int d = 0; d < 3 && from->change == TX_REFINE_OCTANT; d++)
      made[j].x[d] = 2 * o->x[d] + (from->child >> d & 1);
    for (int d = 0; d < 3 && from->change == TX_COARSEN_OCTANT; d++) {
      made[j].x[d] = o->x[d] / 2;
      for (int c = 0; c < 8; c++)
        if (o[c].level != o->level || o[c].x[d] != 2 * made[j].x[d] + (c >> d & 1))
          FAULT("octant %d is coarsened from no family", j);
    }
    made[j].level = (int8_t)(o->level + (from->change == TX_REFINE_OCTANT) -
                             (from->change == TX_COARSEN_OCTANT));
  }
  int n = 0;
  for (int m = 0; m < t->n_recv; m++)
    MPI_Irecv(moved + t->recv[m].at, (int)(t->recv[m].n * (int64_t)sizeof *moved), MPI_BYTE,
              t->recv[m].rank, 9, now->comm, &request[n++]);
  for (int m = 0; m < t->n_send; m++)
    MPI_Isend(made + t->send[m].at, (int)(t->send[m].n * (int64_t)sizeof *made), MPI_BYTE,
              t->send[m].rank, 9, now->comm, &request[n++]);
  MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
  memcpy(moved + t->stay_to, made + t->stay_from, (size_t)t->n_stay * sizeof *made);
  for (tx_lidx b = 0; b < now->n_local; b++)
    if (moved[b].level != now->octant[b].level || memcmp(moved[b].x, now->octant[b].x, 12) != 0)
      FAULT("octant %d arrived at the wrong place", b);
  if (now->n_global != old->n_global + 7 * (t->n_refined - t->n_coarsened))
    FAULT("%lld refined and %lld coarsened do not add up", (long long)t->n_refined,
          (long long)t->n_coarsened);
  free(made);
  free(moved);
  free(request);
  return all_faults(now);
}

double tx_test_distance(const tx_mesh *mesh, tx_lidx b, const double x[3]) {
  const double size = tx_mesh_size(mesh, mesh->octant[b].level);
  double low[3], d2 = 0.0;
  tx_mesh_origin(mesh, b, low);
  for (int d = 0; d < 3; d++) {
    const double away = fmax(fmax(low[d] - x[d], x[d] - low[d] - size), 0.0);
    d2 += away * away;
  }
  return sqrt(d2);
}

tx_status tx_test_mesh_checksum(const tx_mesh *mesh, uint64_t *out) {
  uint64_t sum = 0;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const tx_octant *o = &mesh->octant[b];
    sum += tx_mix(tx_mix(tx_octant_key(&mesh->domain, o->level, o->x)) + (uint64_t)o->index);
  }
  *out = 0;
  TX_MPI(MPI_Allreduce(&sum, out, 1, MPI_UINT64_T, MPI_SUM, mesh->comm));
  return TX_OK;
}

size_t tx_test_mesh_bytes(const tx_mesh *mesh) {
  tx_mesh_counts c = {.ranks = (size_t)mesh->size,
                      .local = (size_t)mesh->n_local,
                      .ghost = (size_t)mesh->n_ghost,
                      .mirror = (size_t)mesh->mirror_start[mesh->size]};
  tx_ghost_plan_count(mesh, &c);
  return tx_mesh_counts_bytes(&c);
}
