/* Steps of multigrid on the grids of levels: relaxations, residuals and norms, each against plain loops over patches; all
 * operations with the same bits on any number of ranks and threads; and what is refused. test_level_ways.c has the ways
 * between levels. */
#include "tests/support/multigrid_rig.h"

#include <omp.h>

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
    OK(tx_test_patch(r->x[e->l], r->f[e->l][U], b, patch));
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
  const double edge[TX_STORED_STAGES] = {1.0};
  const size_t all = (size_t)mesh->n_local * TX_N3;
  tx_field **f = r->f[l];
  const tx_helmholtz equation = {6, f[Q], f[F]};
  semi_iteration s = {.p = calloc(all + 1, sizeof(double)),
                      .u = copy_of(f[U]),
                      .scale = calloc(all + 1, sizeof(double))};
  for (int i = 0; i < c.n; i++) {
    for (tx_lidx b = 0; b < mesh->n_local; b++) OK(tx_field_put(f[P], b, 1, s.u + b * TX_N3));
    OK(tx_level_boundary_make(r->x[l], edge, f[P]));
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

/* 0 at most points. */
static double some_values(const void *data, int v, const double x[3]) {
  const double value = noise_value(data, v, x);
  return value > 0.3 ? value : 0.0;
}

/* A residual is 0 on planes and where the field that is given is not. */
static void a_residual_is_of_unknown_points(void **state) {
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
    const double edge[TX_STORED_STAGES] = {1.0};
    OK(tx_test_fill(f[OUT], noise_value, &(noise){&r.domain, OUT}));
    if (l > 0) OK(tx_level_prolong(r.down[l], r.f[l - 1][U], f[OUT]));
    OK(tx_field_checksum(f[OUT], &o.sum[l][0]));
    make_noise(&r, l);
    if (l > 0) OK(tx_level_restrict(r.down[l], f[U], f[P], r.f[l - 1][OUT]));
    OK(tx_field_checksum(r.f[l > 0 ? l - 1 : 0][OUT], &o.sum[l][1]));
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

static void what_does_not_fit_is_refused(void **state) {
  rig r = rig_on(MPI_COMM_WORLD, 0, TX_OUTER_ROBIN), other = rig_on(MPI_COMM_WORLD, 0, 0);
  tx_field *two = NULL;
  OK(tx_field_create(r.x[1], 2, NULL, &two));
  make_noise(&r, 0);
  refuse_steps(&r, two, other.f[1][U], tx_exec_all(other.x[1]));
  tx_field_destroy(two);
  rig_off(&other);
  rig_off(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(residuals_and_relaxations),
    cmocka_unit_test(a_semi_iteration_is_that_of_the_book),
    cmocka_unit_test(a_residual_replaces_its_right_hand_side),
    cmocka_unit_test(a_residual_is_of_unknown_points),
    cmocka_unit_test(norms_of_levels),
    cmocka_unit_test(norms_of_any_magnitude),
    cmocka_unit_test(ranks_and_threads_agree),
    cmocka_unit_test(what_does_not_fit_is_refused),
};
TEST_MAIN(tests)
