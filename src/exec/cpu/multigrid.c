/* Multigrid, octant by octant: a patch is built of one variable, and only where the star or the weights reach. */
#include "exec/cpu/cpu.h"
#include "exec/norm_point.h"

#include "physics/laplace_point.h"
#include "physics/simd.h"

/* Regions of a patch that the points low .. high along all dimensions lie in; all of them at an outer face. */
static uint32_t regions_of(const tx_exec *x, tx_lidx b, uint32_t regions) {
  return x->mesh->ghosts.outer[b] ? UINT32_MAX : regions;
}

static const double *patch_of(const tx_exec *x, const tx_field *f, tx_lidx b, uint32_t regions) {
  double *patch = tx_cpu_here(x)->patch;
  tx_cpu_pieces pieces;
  tx_cpu_pieces_find(x, f, b, true, &pieces);
  tx_cpu_patch_part(&pieces, (tx_cpu_part){0, 1, regions_of(x, b, regions)}, patch);
  return patch;
}

/* The octant itself and what lies behind its faces. */
static uint32_t star(void) {
  uint32_t regions = 1u << TX_REGION(0, 0, 0);
  for (int side = -1; side <= 1; side += 2)
    regions |=
        1u << TX_REGION(side, 0, 0) | 1u << TX_REGION(0, side, 0) | 1u << TX_REGION(0, 0, side);
  return regions;
}

static inline tx_vec pair(const double *p, ptrdiff_t stride) {
  return tx_vec_load(p + stride) + tx_vec_load(p - stride);
}

/* The Laplacian times h^2 at TX_W points from p on. Mirror images give the same bits. */
static inline __attribute__((always_inline)) tx_vec laplace(const tx_laplace_weights *l, int reach,
                                                            const double *p) {
  tx_vec sum = 3.0 * l->w[0] * tx_vec_load(p);
  for (int m = 1; m <= reach; m++)
    sum += l->w[m] * (pair(p, m) + pair(p, m * TX_P) + pair(p, m * TX_P * TX_P));
  return sum;
}

/* Operands of a step at an octant. */
typedef struct operands {
  tx_laplace_weights l;
  double per_h2, alpha, beta;
  const double *patch, *q, *f;
  double *out;
} operands;

static inline __attribute__((always_inline)) void octant(const operands *o, int reach, bool relax) {
  const double diagonal = 3.0 * o->l.w[0] * o->per_h2;
  for (int row = 0; row < TX_N * TX_N; row++)
    for (int i = 0; i < TX_N; i += TX_W) {
      const int n = row * TX_N + i;
      const double *at = o->patch + TX_PATCH_AT(i, row % TX_N, row / TX_N);
      const tx_vec q = tx_vec_load(o->q + n), u = tx_vec_load(at);
      const tx_vec r = tx_vec_load(o->f + n) - (o->per_h2 * laplace(&o->l, reach, at) + q * u);
      if (!relax) {
        tx_vec_store(o->out + n, r);
        continue;
      }
      tx_vec change = o->beta * (r / (diagonal + q));
      if (o->alpha != 0.0) change += o->alpha * (u - tx_vec_load(o->out + n));
      tx_vec_store(o->out + n, u + change);
    }
}

static void octant_of_order(const operands *o, int order, bool relax) {
  if (order == 6)
    octant(o, 3, relax);
  else if (order == 4)
    octant(o, 2, relax);
  else
    octant(o, 1, relax);
}

/* Planes, as tx_level_plan.planes has them, take the values of the patch; NULL: 0. */
static void keep_planes(unsigned planes, const double *patch, double *out) {
  for (int n = 0; n < TX_N3 && planes; n++) {
    const int i = n % TX_N, j = n / TX_N % TX_N, k = n / (TX_N * TX_N);
    if (planes >> ((i == 0) | (j == 0) << 1 | (k == 0) << 2) & 1)
      out[n] = patch ? patch[TX_PATCH_AT(i, j, k)] : 0.0;
  }
}

static void blank(const double *covered, double *out) {
  for (int n = 0; n < TX_N3; n++) out[n] = covered[n] != 0.0 ? 0.0 : out[n];
}

/* A residual, alpha and beta not being read, or a relaxation. */
static void run(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                const tx_relaxation *step, const tx_field *covered, bool relax) {
  const uint32_t regions = star();
  const tx_laplace_weights l = tx_laplace_weights_make(equation->order);
  const uint8_t *planes = x->mesh->level ? x->mesh->level->planes : NULL;
#pragma omp parallel for schedule(static)
  for (tx_lidx i = 0; i < set->n; i++) {
    const tx_lidx b = set->octant[i];
    const double h = tx_mesh_spacing(x->mesh, x->mesh->octant[b].level);
    double room[4][TX_N3]; /* of single fields */
    const operands o = {.l = l,
                        .per_h2 = 1.0 / (h * h),
                        .alpha = step->alpha,
                        .beta = step->beta,
                        .patch = patch_of(x, step->u, b, regions),
                        .q = tx_cpu_open(equation->q, b, room[0]),
                        .f = tx_cpu_open(equation->f, b, room[1]),
                        .out = tx_cpu_open(step->out, b, room[2])};
    octant_of_order(&o, equation->order, relax);
    if (planes && (relax || covered)) keep_planes(planes[b], relax ? o.patch : NULL, o.out);
    if (covered) blank(tx_cpu_open(covered, b, room[3]), o.out);
    tx_cpu_close(step->out, b, o.out);
  }
}

tx_status tx_cpu_residual(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                          const tx_field *u, const tx_field *covered, tx_field *r) {
  run(x, set, equation, &(tx_relaxation){.u = u, .out = r}, covered, false);
  return TX_OK;
}

tx_status tx_cpu_relax(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                       const tx_relaxation *step) {
  run(x, set, equation, step, NULL, true);
  return TX_OK;
}

tx_status tx_cpu_dissipate(tx_exec *x, const tx_set *set, double sigma, const tx_field *u,
                           tx_field *out) {
  const uint32_t regions = star();
  const tx_laplace_weights l = tx_dissipation_weights_make();
#pragma omp parallel for schedule(static)
  for (tx_lidx i = 0; i < set->n; i++) {
    const tx_lidx b = set->octant[i];
    const double scale = sigma / (64.0 * tx_mesh_spacing(x->mesh, x->mesh->octant[b].level));
    const double *patch = patch_of(x, u, b, regions);
    double *to = tx_cpu_block(out, b);
    for (int n = 0; n < TX_N3; n += TX_W) {
      const double *at = patch + TX_PATCH_AT(n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N));
      tx_vec_store(to + n, tx_vec_load(to + n) + scale * laplace(&l, TX_LAPLACE_REACH, at));
    }
  }
  return TX_OK;
}

/* Squares of octant b, in a fixed order, and the largest magnitude. */
static double octant_squares(const tx_mesh *mesh, tx_lidx b, const double *f, double *max) {
  double sum = 0.0;
  for (int row = 0; row < TX_N * TX_N; row++) {
    const int at[3] = {0, row % TX_N, row / TX_N};
    double of_row = 0.0;
    for (int i = 0; i < TX_N; i++) {
      const double value = f[row * TX_N + i];
      double weight = 1.0;
      for (int d = 0; d < 3; d++)
        weight *= tx_norm_images(mesh->domain.low[d] == TX_FACE_REFLECT, mesh->octant[b].x[d] == 0,
                                 0, d, d == 0 ? i : at[d]);
      of_row += weight * (value * value);
      *max = tx_larger(*max, fabs(value));
    }
    sum += of_row;
  }
  return sum;
}

static void squares_of(const tx_field *f, tx_squares *out) {
  const tx_mesh *mesh = f->x->mesh;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    double max = 0.0;
    const double sum = octant_squares(mesh, b, tx_cpu_block(f, b), &max);
    const bool good = isfinite(sum) && isfinite(max);
    if (good) tx_exact_sum_add(&out->sum, sum);
    out->max = fmax(out->max, good ? max : INFINITY);
  }
}

tx_status tx_cpu_squares(int n, tx_field *const f[], tx_squares out[]) {
  for (int i = 0; i < n; i++) squares_of(f[i], &out[i]);
  return TX_OK;
}

/* Rows of all points that weights need along x, from -1 on. */
enum { ROW = TX_N + 1, COLUMNS = TX_N / 2 };

/* The mean of three numbers that are `stride` apart, the second one being `p`. */
static inline double weighted(const double *p, ptrdiff_t stride) {
  return 0.5 * p[0] + 0.25 * (p[-stride] + p[stride]);
}

/* Weight one octant: along z, then y, then x. */
static void weight_octant(const double *patch, double *out) {
  for (int k = 0; k < TX_N; k += 2) {
    double planes[ROW * ROW], rows[ROW];
    for (int j = -1; j < TX_N; j++)
      for (int i = -1; i < TX_N; i++)
        planes[(j + 1) * ROW + i + 1] = weighted(patch + TX_PATCH_AT(i, j, k), TX_P * TX_P);
    for (int j = 0; j < TX_N; j += 2) {
      for (int i = 0; i < ROW; i++) rows[i] = weighted(planes + (j + 1) * ROW + i, ROW);
      for (int i = 0; i < COLUMNS; i++) out[TX_AT(2 * i, j, k)] = weighted(rows + 2 * i + 1, 1);
    }
  }
}

tx_status tx_cpu_restrict_level(tx_exec *fine, const tx_set *sent, const tx_field *r,
                                tx_field *scratch, tx_field *coarse) {
  const int low[3] = {-1, -1, -1}, high[3] = {TX_N - 1, TX_N - 1, TX_N - 1};
  const uint32_t regions = tx_cpu_regions(low, high);
#pragma omp parallel for schedule(static)
  for (tx_lidx b = 0; b < fine->mesh->n_local; b++) {
    double room[TX_N3], *to = tx_cpu_open(scratch, b, room);
    weight_octant(patch_of(fine, r, b, regions), to);
    tx_cpu_close(scratch, b, to);
  }
  (void)sent;
  return tx_cpu_inject(fine, scratch, coarse);
}

static void add(const double *from, size_t n, double *to) {
  for (size_t i = 0; i < n; i++) to[i] += from[i];
}

/* To octant b of a field of one variable. */
static void add_octant(const double *from, const tx_field *f, tx_lidx b) {
  double room[TX_N3], *to = tx_cpu_open(f, b, room);
  add(from, TX_N3, to);
  tx_cpu_close(f, b, to);
}

/* Children of a parent follow each other. */
tx_status tx_cpu_prolong_level(tx_exec *fine, const tx_field *v, tx_field *u) {
  const tx_level_plan *plan = fine->mesh->level;
  tx_exec *coarse = fine->coarser;
#pragma omp parallel
  {
    double *patch = tx_cpu_here(coarse)->patch, child[TX_N3];
    tx_lidx built = -1; /* octant whose patch is in the buffer */
#pragma omp for schedule(static)
    for (tx_lidx i = 0; i < plan->n_descent; i++) {
      const tx_descent *d = &plan->descent[i];
      if (built != d->parent) tx_cpu_patch(coarse, v, d->parent, patch);
      built = d->parent;
      tx_cpu_prolong(((const tx_cpu *)coarse->state)->lines, d->number, 1, patch, child);
      add_octant(child, u, d->child);
    }
  }
  return TX_OK;
}

tx_status tx_cpu_add_octants(tx_exec *x, const tx_set *set, const double *octants, tx_field *f) {
  (void)x;
#pragma omp parallel for schedule(static)
  for (tx_lidx o = 0; o < set->n; o++) add_octant(octants + (size_t)o * TX_N3, f, set->octant[o]);
  return TX_OK;
}
