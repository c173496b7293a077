/* Operations of multigrid on the grids of levels: each against plain loops over patches, the same bits on any number of ranks
 * and threads, and what is refused. */
#include "tests/support/main.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "exec/algebra.h"
#include "exec/backend.h"
#include "exec/multigrid.h"
#include "tests/support/exec_checks.h"
#include "tests/support/octree_checks.h"

#define OK(call) assert_int_equal(call, TX_OK)

enum { U, F, Q, P, OUT, FIELDS };

/* The levels of a forest from 0 on, with plans and fields of one variable. */
typedef struct rig {
  tx_domain domain;
  tx_octree *tree;
  tx_mesh *mesh;
  tx_level_grids *grids;
  int n;
  tx_exec *x[TX_LEVELS];
  tx_descender *down[TX_LEVELS];
  tx_field *f[TX_LEVELS][FIELDS];
} rig;

static rig rig_of(MPI_Comm comm, int domain, tx_outer outer, int8_t parity) {
  rig r = {.domain = tx_test_domain(domain)};
  const tx_field_var var = {.parity = {parity, parity, parity}, .outer = outer, .falloff = 1.5};
  OK(tx_test_random_tree(comm, &r.domain, 23, 1, 1, 2, &r.tree, &r.mesh));
  OK(tx_level_grids_create_whole(r.mesh, 1, &r.grids));
  r.n = r.grids->n;
  for (int l = 0; l < r.n; l++) {
    OK(tx_exec_create_level(r.grids->grid[l], 2, l > 0 ? r.x[l - 1] : NULL, &r.x[l]));
    if (l > 0) OK(tx_descender_create(r.x[l], &r.down[l]));
    for (int i = 0; i < FIELDS; i++) OK(tx_field_create(r.x[l], 1, &var, &r.f[l][i]));
    OK(tx_test_poison(r.x[l]));
  }
  return r;
}

static rig rig_on(MPI_Comm comm, int domain, tx_outer outer) {
  return rig_of(comm, domain, outer, 1);
}

static void rig_off(rig *r) {
  for (int l = r->n - 1; l >= 0; l--) {
    for (int i = 0; i < FIELDS; i++) tx_field_destroy(r->f[l][i]);
    tx_descender_destroy(r->down[l]);
    tx_exec_destroy(r->x[l]);
  }
  tx_level_grids_destroy(r->grids);
  tx_mesh_destroy(r->mesh);
  tx_octree_destroy(r->tree);
}

/* Noise between -1 and 1, of other bits for each field, and -2 to 0 for the potential. */
typedef struct noise {
  const tx_domain *domain;
  int number;
} noise;

static double noise_value(const void *data, int v, const double x[3]) {
  const noise *n = data;
  const double bits = ldexp(tx_test_noise_value(n->domain, v, x), 5 * n->number);
  return bits - 2.0 * round(bits / 2.0) - (n->number == Q);
}

static double not_a_number(const void *data, int v, const double x[3]) {
  (void)data, (void)v, (void)x;
  return (double)NAN;
}

/* The edge of a field, from that of the coarser level, which has its ghosts; then its own ghosts. */
static void fill_ghosts(rig *r, int l, int i) {
  const double c[TX_EDGE_STATES] = {1.0};
  if (l > 0) {
    OK(tx_edge_keep(r->x[l], 0, r->f[l - 1][i]));
    OK(tx_edge_make(r->x[l], c, r->f[l][i]));
  }
  OK(tx_ghosts_fill(r->x[l], r->f[l][i]));
}

static void make_noise(rig *r, int l) {
  for (int i = 0; i < FIELDS; i++)
    OK(tx_test_fill(r->f[l][i], noise_value, &(noise){&r->domain, i}));
  fill_ghosts(r, l, U);
}

/* All octants, or every second one. */
static tx_set *set_of(tx_exec *x, int step) {
  const tx_lidx n = tx_exec_mesh(x)->n_local;
  tx_lidx *list = malloc(((size_t)n + 1) * sizeof *list), count = 0;
  tx_set *set = NULL;
  for (tx_lidx b = 0; b < n; b += step) list[count++] = b;
  OK(tx_set_create(x, count, list, &set));
  free(list);
  return set;
}

static double *copy_of(tx_field *f) {
  const tx_lidx n = tx_exec_mesh(f->x)->n_local;
  double *copy = malloc(((size_t)n + 1) * TX_N3 * sizeof *copy);
  for (tx_lidx b = 0; b < n; b++) {
    const double *view;
    OK(tx_field_view(f, b, &view));
    memcpy(copy + (size_t)b * TX_N3, view, TX_N3 * sizeof *view);
  }
  return copy;
}

static void assert_near(double got, long double want, long double scale) {
  if (!(fabsl((long double)got - want) <= 1e-14L * scale))
    fail_msg("%.17g, not %.17Lg (of %.3Lg)", got, want, scale);
}

/* Weights over 180 of the second derivative at 0, 1, 2, 3 spacings. */
static const int weights[3][4] = {{-360, 180, 0, 0}, {-450, 240, -15, 0}, {-490, 270, -27, 2}};

/* \Delta u h^2 at a point of a patch, and the sum of magnitudes. */
static long double laplace(const double *at, int order, long double *scale) {
  const int stride[3] = {1, TX_P, TX_P * TX_P}, *w = weights[order / 2 - 1];
  long double sum = 0.0L;
  *scale = 0.0L;
  for (int d = 0; d < 3; d++)
    for (int m = -3; m <= 3; m++) {
      const long double term = w[abs(m)] * (long double)at[m * stride[d]] / 180.0L;
      sum += term;
      *scale += fabsl(term);
    }
  return sum;
}

/* A step or a residual: what it should have written to the octants 0, step, 2 step ... */
typedef struct expected {
  int l, order, step;
  bool relaxed;
  double alpha, beta;
  const double *f, *q, *out; /* before */
} expected;

static void assert_point(const expected *e, const rig *r, tx_lidx b, int n, const double *patch,
                         double got) {
  const long double h = tx_mesh_spacing(r->grids->grid[e->l], e->l);
  const size_t i = (size_t)b * TX_N3 + (size_t)n;
  const double *at = patch + TX_PATCH_AT(n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N));
  long double scale;
  const long double qu = (long double)e->q[i] * *at, d2 = laplace(at, e->order, &scale);
  const long double res = e->f[i] - d2 / (h * h) - qu;
  scale = fabsl((long double)e->f[i]) + scale / (h * h) + fabsl(qu);
  if (!e->relaxed) {
    assert_near(got, res, scale);
    return;
  }
  const long double d = 3.0L * weights[e->order / 2 - 1][0] / (180.0L * h * h) + e->q[i];
  const long double old =
      e->alpha == 0.0 ? 0.0L : (long double)e->alpha * ((long double)*at - e->out[i]);
  const long double change = old + e->beta * res / d;
  scale = fabsl(e->beta * scale / d) + fabsl(old) + fabs(*at);
  assert_near(got, *at + change, scale);
}

/* Is the point on a plane? */
static bool on_plane(const rig *r, int l, tx_lidx b, int n) {
  const tx_level_plan *plan = r->grids->grid[l]->level;
  const int p[3] = {n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N)};
  for (tx_lidx i = 0; i < plan->n_plane; i++) {
    bool inside = plan->plane[i].dst == b;
    for (int d = 0; d < 3; d++) inside = inside && (plan->plane[i].n[d] > 1 || p[d] == 0);
    if (inside) return true;
  }
  return false;
}

static void assert_step(const expected *e, const rig *r) {
  static double patch[TX_P3];
  for (tx_lidx b = 0; b < r->grids->grid[e->l]->n_local; b++) {
    const double *got;
    OK(tx_field_view(r->f[e->l][OUT], b, &got));
    if (b % e->step > 0) {
      assert_memory_equal(got, e->out + (size_t)b * TX_N3, TX_N3 * sizeof(double));
      continue;
    }
    OK(tx_patch_fill(r->x[e->l], r->f[e->l][U], b, patch));
    for (int n = 0; n < TX_N3; n++) {
      const double *at = patch + TX_PATCH_AT(n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N));
      if (e->relaxed && on_plane(r, e->l, b, n))
        assert_true(got[n] == *at);
      else
        assert_point(e, r, b, n, patch, got[n]);
    }
  }
}

/* A residual, a first relaxation, that does not read what was before, and a second one. */
static void check_steps(rig *r, int l, int order, int step) {
  tx_field **f = r->f[l];
  tx_set *set = set_of(r->x[l], step);
  const tx_helmholtz equation = {order, f[Q], f[F]};
  const double alpha[] = {0.0, 0.0, 0.37}, beta[] = {1.0, 0.8, 1.3};
  double *rhs = copy_of(f[F]), *q = copy_of(f[Q]);
  for (int i = 0; i < 3; i++) {
    if (i < 2)
      OK(tx_test_fill(f[OUT], not_a_number, NULL));
    else
      OK(tx_test_fill(f[OUT], noise_value, &(noise){&r->domain, OUT}));
    double *out = copy_of(f[OUT]);
    const tx_relaxation next = {alpha[i], beta[i], f[U], f[OUT]};
    OK(i == 0 ? tx_exec_residual(r->x[l], set, &equation, f[U], NULL, f[OUT])
              : tx_exec_relax(r->x[l], set, &equation, &next));
    assert_step(&(expected){l, order, step, i > 0, alpha[i], beta[i], rhs, q, out}, r);
    free(out);
  }
  free(rhs);
  free(q);
  tx_set_destroy(set);
}

/* Fields are odd beyond mirrors: a sign that is forgotten shows. */
static void residuals_and_relaxations(void **state) {
  (void)state;
  const int domains[] = {0, 14, 13, 22};
  for (int n = 0; n < 4; n += tx_test_every(2)) {
    rig r = rig_of(MPI_COMM_WORLD, domains[n], n == 1 ? TX_OUTER_POLYNOMIAL : TX_OUTER_ROBIN, -1);
    for (int l = 0; l < r.n; l++) {
      make_noise(&r, l);
      for (int order = 2; order <= 6; order += 2)
        if (tx_test_every(3) == 1 || order == 2 + 2 * l)
          check_steps(&r, l, order, order == 4 ? 2 : 1);
    }
    rig_off(&r);
  }
}

/* Saad's algorithm 12.1 on a copy, with the residual of f[OUT] for what u becomes step by step. Sum of magnitudes of the changes
 * of u at a point: `scale`. */
typedef struct semi_iteration {
  double rho, *p, *u, *scale;
} semi_iteration;

static void semi_step(rig *r, int l, const tx_semi_iteration *c, int i, semi_iteration *s) {
  const double theta = (c->high + c->low) / 2.0, delta = (c->high - c->low) / 2.0;
  const double h = tx_mesh_spacing(r->grids->grid[l], l), before = s->rho;
  s->rho = i == 0 ? delta / theta : 1.0 / (2.0 * theta / delta - before);
  double *q = copy_of(r->f[l][Q]), *residual = copy_of(r->f[l][OUT]);
  for (size_t n = 0; n < (size_t)r->grids->grid[l]->n_local * TX_N3; n++) {
    const double z = residual[n] / (3.0 * -49.0 / 18.0 / (h * h) + q[n]);
    if (on_plane(r, l, (tx_lidx)(n / TX_N3), (int)(n % TX_N3))) continue;
    s->p[n] = i == 0 ? z / theta : s->rho * before * s->p[n] + 2.0 * s->rho / delta * z;
    s->u[n] += s->p[n];
    s->scale[n] += fabs(s->p[n]);
  }
  free(q);
  free(residual);
}

static void check_semi_iteration(rig *r, int l) {
  const tx_mesh *mesh = r->grids->grid[l];
  const tx_semi_iteration c = {5, 0.3, 2.1};
  const double edge[TX_EDGE_STATES] = {1.0};
  const size_t all = (size_t)mesh->n_local * TX_N3;
  tx_field **f = r->f[l];
  const tx_helmholtz equation = {6, f[Q], f[F]};
  semi_iteration s = {.p = calloc(all + 1, sizeof(double)),
                      .u = copy_of(f[U]),
                      .scale = calloc(all + 1, sizeof(double))};
  for (int i = 0; i < c.n; i++) {
    for (tx_lidx b = 0; b < mesh->n_local; b++) OK(tx_field_put(f[P], b, 1, s.u + b * TX_N3));
    OK(tx_edge_make(r->x[l], edge, f[P]));
    OK(tx_ghosts_fill(r->x[l], f[P]));
    OK(tx_exec_residual(r->x[l], tx_exec_all(r->x[l]), &equation, f[P], NULL, f[OUT]));
    semi_step(r, l, &c, i, &s);
  }
  OK(tx_test_fill(f[OUT], not_a_number, NULL));
  OK(tx_level_relax(r->x[l], &equation, &c, edge, &f[U], &f[OUT]));
  for (size_t n = 0; n < all; n++) {
    const double *got;
    OK(tx_field_view(f[U], (tx_lidx)(n / TX_N3), &got));
    if (!(fabs(got[n % TX_N3] - s.u[n]) <= 1e-12 * (fabs(s.u[n]) + s.scale[n])))
      fail_msg("%.17g, not %.17g", got[n % TX_N3], s.u[n]);
  }
  free(s.p);
  free(s.u);
  free(s.scale);
}

/* The coarsest level is one octant, whose faces are of every kind, or has several; Robin's law and polynomials. */
static void a_semi_iteration_is_that_of_the_book(void **state) {
  (void)state;
  const int domains[] = {0, 5, 21, 14};
  for (int n = 0; n < 4; n++) {
    rig r = rig_on(MPI_COMM_WORLD, domains[n], n == 2 ? TX_OUTER_POLYNOMIAL : TX_OUTER_ROBIN);
    for (int l = 0; l < r.n && l < 2; l++) {
      make_noise(&r, l);
      check_semi_iteration(&r, l);
      make_noise(&r, l); /* for the edge of the next one */
    }
    rig_off(&r);
  }
}

/* An output may be the right-hand side. */
static void a_residual_replaces_its_right_hand_side(void **state) {
  (void)state;
  rig r = rig_on(MPI_COMM_WORLD, 0, TX_OUTER_ROBIN);
  tx_field **f = r.f[0];
  make_noise(&r, 0);
  double *rhs = copy_of(f[F]), *q = copy_of(f[Q]);
  OK(tx_exec_residual(r.x[0], tx_exec_all(r.x[0]), &(tx_helmholtz){6, f[Q], f[F]}, f[U], NULL,
                      f[F]));
  tx_field_swap(f[F], f[OUT]);
  assert_step(&(expected){0, 6, 1, false, 0.0, 1.0, rhs, q, NULL}, &r);
  free(rhs);
  free(q);
  rig_off(&r);
}

/* The mean over the 27 points around. */
static long double mean27(const double *at) {
  const long double w[] = {0.25L, 0.5L, 0.25L};
  long double sum = 0.0L;
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++)
        sum += w[i] * w[j] * w[k] * at[((k - 1) * TX_P + j - 1) * TX_P + i - 1];
  return sum;
}

static void check_weighting(rig *r, int l, int step) {
  static double patch[TX_P3];
  tx_field **f = r->f[l];
  tx_set *set = set_of(r->x[l], step);
  double *before = copy_of(f[OUT]);
  OK(tx_exec_full_weight(r->x[l], set, f[U], f[OUT]));
  for (tx_lidx b = 0; b < r->grids->grid[l]->n_local; b++) {
    const double *got, *old = before + (size_t)b * TX_N3;
    double scale = 0.0;
    OK(tx_patch_fill(r->x[l], f[U], b, patch));
    for (int n = 0; n < TX_P3; n++) scale = fmax(scale, fabs(patch[n]));
    OK(tx_field_view(f[OUT], b, &got));
    for (int n = 0; n < TX_N3; n++) {
      const int p[3] = {n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N)};
      if (b % step > 0 || p[0] % 2 || p[1] % 2 || p[2] % 2) {
        assert_true(got[n] == old[n]);
        continue;
      }
      assert_near(got[n], mean27(patch + TX_PATCH_AT(p[0], p[1], p[2])), scale);
    }
  }
  free(before);
  tx_set_destroy(set);
}

static void full_weighting(void **state) {
  (void)state;
  const int domains[] = {0, 14, 22};
  for (int n = 0; n < 3; n += tx_test_every(2)) {
    rig r = rig_on(MPI_COMM_WORLD, domains[n], n == 1 ? TX_OUTER_POLYNOMIAL : TX_OUTER_ROBIN);
    for (int l = 0; l < r.n; l++) {
      make_noise(&r, l);
      check_weighting(&r, l, 1 + l % 2);
    }
    rig_off(&r);
  }
}

/* To where the coarser level's points coincide, as if first weighted, then injected. */
static void check_restriction(rig *r, int l) {
  tx_field **f = r->f[l], **c = r->f[l - 1];
  OK(tx_test_fill(c[OUT], noise_value, &(noise){&r->domain, OUT}));
  OK(tx_test_fill(c[P], noise_value, &(noise){&r->domain, OUT}));
  OK(tx_exec_full_weight(r->x[l], tx_exec_all(r->x[l]), f[U], f[OUT]));
  OK(tx_level_inject(r->x[l], f[OUT], c[OUT]));
  OK(tx_level_restrict(r->down[l], f[U], f[P], c[P]));
  for (tx_lidx b = 0; b < r->grids->grid[l - 1]->n_local; b++) {
    const double *got, *want;
    OK(tx_field_view(c[P], b, &got));
    OK(tx_field_view(c[OUT], b, &want));
    assert_memory_equal(got, want, TX_N3 * sizeof *got);
  }
}

static void restriction_is_full_weighting_and_injection(void **state) {
  (void)state;
  const int domains[] = {0, 14, 22};
  for (int n = 0; n < 3; n += tx_test_every(2)) {
    rig r = rig_on(MPI_COMM_WORLD, domains[n], n == 1 ? TX_OUTER_POLYNOMIAL : TX_OUTER_ROBIN);
    for (int l = 0; l < r.n; l++) {
      make_noise(&r, l);
      if (l > 0) check_restriction(&r, l);
    }
    rig_off(&r);
  }
}

/* 0 at most points. */
static double some_values(const void *data, int v, const double x[3]) {
  const double value = noise_value(data, v, x);
  return value > 0.3 ? value : 0.0;
}

/* A residual is 0 on planes and where the field that is given is not. */
static void a_residual_is_of_unknown_points(void **state) {
  (void)state;
  rig r = rig_on(MPI_COMM_WORLD, 5, TX_OUTER_ROBIN);
  int zeros = 0, planes = 0;
  for (int l = 0; l < r.n; l++) {
    tx_field **f = r.f[l];
    const tx_helmholtz e = {6, f[Q], f[F]};
    make_noise(&r, l);
    OK(tx_test_fill(f[P], some_values, &(noise){&r.domain, P}));
    double *covered = copy_of(f[P]);
    OK(tx_exec_residual(r.x[l], tx_exec_all(r.x[l]), &e, f[U], NULL, f[OUT]));
    double *all = copy_of(f[OUT]);
    OK(tx_exec_residual(r.x[l], tx_exec_all(r.x[l]), &e, f[U], f[P], f[OUT]));
    double *got = copy_of(f[OUT]);
    for (size_t n = 0; n < (size_t)r.grids->grid[l]->n_local * TX_N3; n++) {
      const bool plane = on_plane(&r, l, (tx_lidx)(n / TX_N3), (int)(n % TX_N3));
      assert_true(got[n] == (plane || covered[n] != 0.0 ? 0.0 : all[n]));
      planes += plane;
      zeros += covered[n] != 0.0;
    }
    free(covered);
    free(all);
    free(got);
  }
  assert_true(r.mesh->size > 1 || (zeros > 0 && planes > 0));
  rig_off(&r);
}

/* Noise times a power of 2, which no rounding sees: the squares go to all places of limbs of exact sums. */
typedef struct scaled {
  noise of;
  int power;
} scaled;

static double scaled_noise(const void *data, int v, const double x[3]) {
  const scaled *s = data;
  return ldexp(noise_value(&s->of, v, x), s->power);
}

static void norms_of_any_magnitude(void **state) {
  (void)state;
  rig r = rig_on(MPI_COMM_WORLD, 5, TX_OUTER_ROBIN);
  double one[2], l2, max;
  OK(tx_test_fill(r.f[0][U], noise_value, &(noise){&r.domain, U}));
  OK(tx_level_norms(1, &r.f[0][U], &one[0], &one[1]));
  for (int power = -24; power < 24; power += 3) {
    OK(tx_test_fill(r.f[0][U], scaled_noise, &(scaled){{&r.domain, U}, power}));
    OK(tx_level_norms(1, &r.f[0][U], &l2, &max));
    assert_true(l2 == ldexp(one[0], power) && max == ldexp(one[1], power));
  }
  rig_off(&r);
}

/* Together as one by one, with the exact volume; what is not finite shows. */
static void norms_of_levels(void **state) {
  (void)state;
  const int domains[] = {0, 5, 22};
  for (int n = 0; n < 3; n++) {
    rig r = rig_on(MPI_COMM_WORLD, domains[n], TX_OUTER_ROBIN);
    tx_field *f[TX_LEVELS];
    double sum = 0.0, most = 0.0, all = 0.0, l2, max;
    for (int l = 0; l < r.n; l++) {
      tx_field_norm one;
      double volume;
      f[l] = r.f[l][U];
      make_noise(&r, l);
      OK(tx_exec_norms(r.x[l], tx_exec_all(r.x[l]), f[l], &one, &volume));
      sum += one.l2 * one.l2 * volume;
      most = fmax(most, one.max);
      if (l == 0) all = volume;
    }
    OK(tx_level_norms(r.n, f, &l2, &max));
    assert_true(fabs(l2 - sqrt(sum / all)) <= 1e-14 * l2);
    assert_true(max == most);
    OK(tx_test_fill(f[1], not_a_number, NULL));
    OK(tx_level_norms(r.n, f, &l2, &max));
    assert_true(isnan(l2) && isnan(max));
    rig_off(&r);
  }
}

/* Patches of all octants of a level, on every rank, by index. */
static double *all_patches(tx_exec *x, const tx_field *f) {
  const tx_mesh *mesh = tx_exec_mesh(x);
  double *all = calloc((size_t)mesh->n_global * TX_P3, sizeof *all);
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    OK(tx_patch_fill(x, f, b, all + (size_t)mesh->octant[b].index * TX_P3));
  MPI_Allreduce(MPI_IN_PLACE, all, (int)mesh->n_global * TX_P3, MPI_DOUBLE, MPI_SUM, mesh->comm);
  return all;
}

/* Positions of all octants of a level, on every rank, by index: x, y, z. */
static int32_t *all_places(const tx_mesh *mesh) {
  int32_t *all = calloc((size_t)mesh->n_global * 3, sizeof *all);
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    memcpy(all + 3 * mesh->octant[b].index, mesh->octant[b].x, sizeof mesh->octant[b].x);
  MPI_Allreduce(MPI_IN_PLACE, all, (int)mesh->n_global * 3, MPI_INT32_T, MPI_SUM, mesh->comm);
  return all;
}

static size_t find_parent(const int32_t *places, const tx_octant *child) {
  size_t p = 0;
  while (places[3 * p] != child->x[0] / 2 || places[3 * p + 1] != child->x[1] / 2 ||
         places[3 * p + 2] != child->x[2] / 2)
    p++;
  return p;
}

/* Lagrange's interpolation of a patch at half spacings h from the octant's first point. */
static long double between(const double *patch, const int h[3], long double *scale) {
  static const long double midpoint[] = {3, -25, 150, 150, -25, 3};
  long double sum = 0.0L;
  *scale = 0.0L;
  for (int k = 0; k < (h[2] % 2 ? 6 : 1); k++)
    for (int j = 0; j < (h[1] % 2 ? 6 : 1); j++)
      for (int i = 0; i < (h[0] % 2 ? 6 : 1); i++) {
        const int t[3] = {i, j, k};
        int at[3];
        long double w = 1.0L;
        for (int d = 0; d < 3; d++) {
          at[d] = h[d] / 2 + (h[d] % 2 ? t[d] - 2 : 0);
          if (h[d] % 2) w *= midpoint[t[d]] / 256.0L;
        }
        const long double term = w * patch[TX_PATCH_AT(at[0], at[1], at[2])];
        sum += term;
        *scale += fabsl(term);
      }
  return sum;
}

static void check_prolongation(rig *r, int l) {
  const tx_mesh *mesh = r->grids->grid[l];
  tx_field *u = r->f[l][OUT];
  double *patches = all_patches(r->x[l - 1], r->f[l - 1][U]), *before = copy_of(u);
  int32_t *places = all_places(r->grids->grid[l - 1]);
  OK(tx_level_prolong(r->down[l], r->f[l - 1][U], u));
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const double *got;
    const size_t parent = find_parent(places, &mesh->octant[b]);
    OK(tx_field_view(u, b, &got));
    for (int n = 0; n < TX_N3; n++) {
      const int p[3] = {n % TX_N, n / TX_N % TX_N, n / (TX_N * TX_N)};
      int h[3];
      for (int d = 0; d < 3; d++) h[d] = p[d] + (mesh->octant[b].x[d] & 1) * TX_N;
      long double scale, more = between(patches + parent * TX_P3, h, &scale);
      const double old = before[(size_t)b * TX_N3 + (size_t)n];
      assert_near(got[n], old + more, fabs(old) + scale);
    }
  }
  free(patches);
  free(before);
  free(places);
}

static void prolongation_interpolates_the_patch_of_the_parent(void **state) {
  (void)state;
  const int domains[] = {0, 14, 22};
  for (int n = 0; n < 3; n += tx_test_every(2)) {
    rig r = rig_on(MPI_COMM_WORLD, domains[n], TX_OUTER_ROBIN);
    for (int l = 0; l < r.n; l++) {
      if (l > 0) {
        OK(tx_test_fill(r.f[l][OUT], noise_value, &(noise){&r.domain, OUT}));
        check_prolongation(&r, l);
      }
      make_noise(&r, l);
    }
    rig_off(&r);
  }
}

/* Round-off grows by the weights of the extrapolation beyond outer faces. */
static void assert_polynomial(const tx_field *u, const tx_test_polynomial *p, double times) {
  const tx_mesh *mesh = tx_exec_mesh(u->x);
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const double h = tx_mesh_spacing(mesh, mesh->level_lowest), *got;
    double x0[3], tolerance = 1e-12;
    tx_mesh_origin(mesh, b, x0);
    for (int side = 0; side < 6; side++)
      if (mesh->ghosts.outer[b] >> side & 1) tolerance *= 1023.0;
    OK(tx_field_view(u, b, &got));
    for (int n = 0; n < TX_N3; n++) {
      const double x[3] = {x0[0] + n % TX_N * h, x0[1] + n / TX_N % TX_N * h,
                           x0[2] + n / (TX_N * TX_N) * h};
      const double want = times * tx_test_polynomial_value(p, 0, x);
      if (!(fabs(got[n] - want) <= tolerance)) fail_msg("%.17g, not %.17g", got[n], want);
    }
  }
}

static void prolongation_is_exact_for_polynomials(void **state) {
  (void)state;
  const int domains[] = {0, 14, 22};
  for (int n = 0; n < 3; n += tx_test_every(2)) {
    rig r = rig_on(MPI_COMM_WORLD, domains[n], TX_OUTER_POLYNOMIAL);
    const tx_test_polynomial p = tx_test_polynomial_make(&r.domain, 5);
    for (int l = 0; l < r.n; l++) {
      OK(tx_test_fill(r.f[l][U], tx_test_polynomial_value, &p));
      OK(tx_test_fill(r.f[l][OUT], tx_test_polynomial_value, &p));
      if (l > 0) {
        OK(tx_level_prolong(r.down[l], r.f[l - 1][U], r.f[l][OUT]));
        assert_polynomial(r.f[l][OUT], &p, 2.0);
      }
      fill_ghosts(&r, l, U);
    }
    rig_off(&r);
  }
}

/* Checksums of all operations of all levels. */
typedef struct outcome {
  uint64_t sum[TX_LEVELS][5];
} outcome;

static outcome outcome_on(MPI_Comm comm) {
  outcome o;
  memset(&o, 0, sizeof o);
  rig r = rig_on(comm, 5, TX_OUTER_ROBIN);
  for (int l = 0; l < r.n; l++) {
    tx_field **f = r.f[l];
    tx_exec *x = r.x[l];
    const tx_helmholtz equation = {6, f[Q], f[F]};
    const tx_relaxation step = {0.3, 0.7, f[U], f[OUT]};
    const double edge[TX_EDGE_STATES] = {1.0};
    OK(tx_test_fill(f[OUT], noise_value, &(noise){&r.domain, OUT}));
    if (l > 0) OK(tx_level_prolong(r.down[l], r.f[l - 1][U], f[OUT]));
    OK(tx_field_checksum(f[OUT], &o.sum[l][0]));
    make_noise(&r, l);
    OK(tx_exec_full_weight(x, tx_exec_all(x), f[U], f[OUT]));
    OK(tx_field_checksum(f[OUT], &o.sum[l][1]));
    OK(tx_exec_relax(x, tx_exec_all(x), &equation, &step));
    OK(tx_field_checksum(f[OUT], &o.sum[l][2]));
    OK(tx_exec_residual(x, tx_exec_all(x), &equation, f[U], NULL, f[OUT]));
    OK(tx_field_checksum(f[OUT], &o.sum[l][3]));
    OK(tx_level_relax(x, &equation, &(tx_semi_iteration){3, 0.3, 2.1}, edge, &f[U], &f[OUT]));
    OK(tx_field_checksum(f[U], &o.sum[l][4]));
    make_noise(&r, l); /* for the next level's edge */
  }
  rig_off(&r);
  return o;
}

static void ranks_and_threads_agree(void **state) {
  (void)state;
  static outcome alone, threaded;
  const tx_domain any = tx_test_domain(0);
  const int before = omp_get_max_threads();
  tx_octree *held = NULL; /* keeps the forest library, which starts on all ranks, from ending */
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  OK(tx_octree_create(MPI_COMM_WORLD, &any, 0, &held));
  const outcome together = outcome_on(MPI_COMM_WORLD);
  if (rank == 0) {
    alone = outcome_on(MPI_COMM_SELF);
    omp_set_num_threads(2);
    threaded = outcome_on(MPI_COMM_SELF);
    omp_set_num_threads(before);
  }
  test_wait();
  MPI_Bcast(&alone, sizeof alone, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Bcast(&threaded, sizeof threaded, MPI_BYTE, 0, MPI_COMM_WORLD);
  tx_octree_destroy(held);
  assert_memory_equal(&together, &alone, sizeof alone);
  assert_memory_equal(&threaded, &alone, sizeof alone);
}

/* What is prolonged to needs its edge and ghosts anew; what is read, and its ghosts, stay. */
static void prolongation_makes_ghosts_stale(void **state) {
  (void)state;
  rig r = rig_on(MPI_COMM_WORLD, 0, TX_OUTER_ROBIN);
  tx_field **f = r.f[1];
  const tx_helmholtz e = {6, f[Q], f[F]};
  make_noise(&r, 0);
  make_noise(&r, 1);
  OK(tx_level_prolong(r.down[1], r.f[0][U], f[OUT]));
  OK(tx_exec_residual(r.x[1], tx_exec_all(r.x[1]), &e, f[U], NULL, f[OUT]));
  OK(tx_level_prolong(r.down[1], r.f[0][U], f[U]));
  TX_TEST_REFUSED(tx_exec_residual(r.x[1], tx_exec_all(r.x[1]), &e, f[U], NULL, f[OUT]),
                  TX_ERR_MESH, "the ghosts at hand");
  TX_TEST_REFUSED(tx_ghosts_fill(r.x[1], f[U]), TX_ERR_USAGE, "the edge of this field");
  rig_off(&r);
}

/* Steps with wrong fields: of another plan, of two variables, or the same twice. */
static void refuse_steps(rig *r, tx_field *two, tx_field *foreign, const tx_set *foreign_set) {
  tx_exec *x = r->x[1];
  tx_field **f = r->f[1];
  const tx_set *all = tx_exec_all(x);
  tx_helmholtz e = {6, f[Q], f[F]};
  tx_relaxation s = {0.0, 1.0, f[U], f[OUT]};
  make_noise(r, 1);
  TX_TEST_REFUSED(tx_exec_residual(x, foreign_set, &e, f[U], NULL, f[OUT]), TX_ERR_MESH,
                  "residual: the set of octants");
  TX_TEST_REFUSED(tx_exec_residual(x, all, &e, f[OUT], NULL, f[P]), TX_ERR_MESH, "residual");
  TX_TEST_REFUSED(tx_exec_residual(x, all, &e, f[U], NULL, f[U]), TX_ERR_USAGE, "whose neighbours");
  TX_TEST_REFUSED(tx_exec_residual(x, all, &e, f[U], NULL, two), TX_ERR_USAGE, "2 variables");
  TX_TEST_REFUSED(tx_exec_residual(x, all, &e, f[U], NULL, foreign), TX_ERR_MESH, "residual");
  TX_TEST_REFUSED(tx_exec_relax(x, foreign_set, &e, &s), TX_ERR_MESH, "relaxation: the set");
  for (int order = 0; order <= 8; order += order == 2 ? 1 : order == 3 ? 5 : 2) {
    e.order = order;
    if (order != 2) TX_TEST_REFUSED(tx_exec_relax(x, all, &e, &s), TX_ERR_USAGE, "there are 2");
  }
  e = (tx_helmholtz){6, two, f[F]};
  TX_TEST_REFUSED(tx_exec_relax(x, all, &e, &s), TX_ERR_USAGE, "2 variables");
  e = (tx_helmholtz){6, f[Q], two};
  TX_TEST_REFUSED(tx_exec_relax(x, all, &e, &s), TX_ERR_USAGE, "2 variables");
  e = (tx_helmholtz){6, foreign, f[F]};
  TX_TEST_REFUSED(tx_exec_relax(x, all, &e, &s), TX_ERR_MESH, "relaxation");
  e = (tx_helmholtz){6, f[Q], foreign};
  TX_TEST_REFUSED(tx_exec_relax(x, all, &e, &s), TX_ERR_MESH, "relaxation");
  e.f = f[F];
  s.out = two;
  TX_TEST_REFUSED(tx_exec_relax(x, all, &e, &s), TX_ERR_USAGE, "2 variables");
  s.out = foreign;
  TX_TEST_REFUSED(tx_exec_relax(x, all, &e, &s), TX_ERR_MESH, "relaxation");
  s.out = f[U];
  TX_TEST_REFUSED(tx_exec_relax(x, all, &e, &s), TX_ERR_USAGE, "whose neighbours");
}

static void refuse_ways(rig *r, tx_field *two, tx_field *foreign, const tx_set *foreign_set) {
  tx_exec *x = r->x[1];
  tx_field **f = r->f[1];
  const tx_set *all = tx_exec_all(x);
  const double c[TX_EDGE_STATES] = {1.0};
  double l2, max;
  make_noise(r, 1);
  TX_TEST_REFUSED(tx_exec_full_weight(x, foreign_set, f[U], f[OUT]), TX_ERR_MESH,
                  "full weighting: the set");
  TX_TEST_REFUSED(tx_exec_full_weight(x, all, f[P], f[OUT]), TX_ERR_MESH, "full weighting");
  TX_TEST_REFUSED(tx_exec_full_weight(x, all, f[U], f[U]), TX_ERR_USAGE, "the output is");
  TX_TEST_REFUSED(tx_exec_full_weight(x, all, f[U], two), TX_ERR_USAGE, "2 variables");
  TX_TEST_REFUSED(tx_exec_full_weight(x, all, f[U], foreign), TX_ERR_MESH, "full weighting");
  TX_TEST_REFUSED(tx_level_restrict(r->down[1], f[P], f[OUT], r->f[0][P]), TX_ERR_MESH,
                  "full weighting");
  TX_TEST_REFUSED(tx_level_restrict(r->down[1], f[U], f[U], r->f[0][P]), TX_ERR_USAGE,
                  "the output is");
  TX_TEST_REFUSED(tx_level_restrict(r->down[1], f[U], f[OUT], f[P]), TX_ERR_MESH, "full weighting");
  TX_TEST_REFUSED(tx_level_restrict(r->down[1], f[U], two, r->f[0][P]), TX_ERR_USAGE,
                  "2 variables");
  TX_TEST_REFUSED(tx_level_norms(1, &two, &l2, &max), TX_ERR_USAGE, "2 variables");
  TX_TEST_REFUSED(tx_level_prolong(r->down[1], r->f[0][P], f[U]), TX_ERR_MESH, "prolongation");
  TX_TEST_REFUSED(tx_level_prolong(r->down[1], r->f[0][U], two), TX_ERR_USAGE, "2 variables");
  TX_TEST_REFUSED(tx_level_prolong(r->down[1], r->f[0][U], r->f[0][P]), TX_ERR_MESH,
                  "prolongation");
  OK(tx_field_create(r->x[0], 2, NULL, &two)); /* the coarser level's */
  OK(tx_ghosts_fill(r->x[0], two));
  TX_TEST_REFUSED(tx_level_prolong(r->down[1], two, f[U]), TX_ERR_USAGE, "2 variables");
  OK(tx_edge_keep(x, 0, two));
  tx_field_destroy(two);
  OK(tx_field_create(x, 2, NULL, &two));
  OK(tx_edge_make(x, c, two));
  OK(tx_ghosts_fill(x, two));
  TX_TEST_REFUSED(tx_exec_full_weight(x, all, two, f[OUT]), TX_ERR_USAGE, "2 variables");
  TX_TEST_REFUSED(tx_exec_residual(x, all, &(tx_helmholtz){6, f[Q], f[F]}, two, NULL, f[OUT]),
                  TX_ERR_USAGE, "2 variables");
  tx_field_destroy(two);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  rig r = rig_on(MPI_COMM_WORLD, 0, TX_OUTER_ROBIN), other = rig_on(MPI_COMM_WORLD, 0, 0);
  tx_level_grids *plain = NULL; /* without the way down */
  tx_exec *x[2] = {NULL, NULL};
  tx_descender *none = NULL;
  tx_field *two = NULL;
  OK(tx_field_create(r.x[1], 2, NULL, &two));
  make_noise(&r, 0);
  refuse_steps(&r, two, other.f[1][U], tx_exec_all(other.x[1]));
  refuse_ways(&r, two, other.f[1][U], tx_exec_all(other.x[1]));
  TX_TEST_REFUSED(tx_descender_create(r.x[0], &none), TX_ERR_USAGE, "level 0 has no way down");
  OK(tx_level_grids_create(r.mesh, NULL, &plain));
  assert_true(plain->n >= 2);
  for (int i = 0; i < 2; i++)
    OK(tx_exec_create_level(plain->grid[i], 1, i > 0 ? x[0] : NULL, &x[i]));
  TX_TEST_REFUSED(tx_descender_create(x[1], &none), TX_ERR_USAGE, "level 2 has no way down");
  assert_null(none);
  tx_descender_destroy(NULL);
  for (int i = 1; i >= 0; i--) tx_exec_destroy(x[i]);
  tx_level_grids_destroy(plain);
  tx_field_destroy(two);
  rig_off(&other);
  rig_off(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(residuals_and_relaxations),
    cmocka_unit_test(a_semi_iteration_is_that_of_the_book),
    cmocka_unit_test(a_residual_replaces_its_right_hand_side),
    cmocka_unit_test(full_weighting),
    cmocka_unit_test(restriction_is_full_weighting_and_injection),
    cmocka_unit_test(a_residual_is_of_unknown_points),
    cmocka_unit_test(norms_of_levels),
    cmocka_unit_test(norms_of_any_magnitude),
    cmocka_unit_test(prolongation_interpolates_the_patch_of_the_parent),
    cmocka_unit_test(prolongation_is_exact_for_polynomials),
    cmocka_unit_test(ranks_and_threads_agree),
    cmocka_unit_test(prolongation_makes_ghosts_stale),
    cmocka_unit_test(what_does_not_fit_is_refused),
};
TEST_MAIN(tests)
