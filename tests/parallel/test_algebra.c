/* Algebra of fields over arbitrary sets of octants: every operation against plain loops in long double, other octants
 * untouched; dot products and norms with the same bits on any number of ranks and threads; what is refused. */
#include "tests/support/main.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "exec/backend.h"
#include "physics/bssn.h"
#include "tests/support/exec_checks.h"
#include "tests/support/octree_checks.h"

/* Fields of a rig, and variables of each: enough that operations go through several blocks of threads. */
enum { FIELDS = 9, VARS = 3, BLOCK = VARS * TX_N3 };

typedef struct rig {
  tx_domain domain;
  tx_octree *tree;
  tx_mesh *mesh;
  tx_exec *x;
  tx_field *f[FIELDS];
  double *before[FIELDS]; /* what they held, [n_local][VARS][TX_N3] */
} rig;

/* Between 1/4 and 7/4, the same on any partition. */
static double value(const void *data, int v, const double x[3]) {
  const int field = *(const int *)data;
  return 1.0 + 0.75 * sin(5.1 * x[0] - 3.7 * x[1] + 2.3 * x[2] * x[0] + 1.3 * field + 0.7 * v);
}

static double signed_value(const void *data, int v, const double x[3]) {
  return value(data, v, x) - 1.0;
}

static rig rig_on(MPI_Comm comm, int domain) {
  rig r = {.domain = tx_test_domain(domain)};
  OK(tx_test_random_tree(comm, &r.domain, 7, 1, 1, 2, &r.tree, &r.mesh));
  OK(tx_exec_create(r.mesh, TX_VARS, &r.x));
  for (int i = 0; i < FIELDS; i++) {
    OK(tx_field_create(r.x, VARS, NULL, &r.f[i]));
    OK(tx_test_fill(r.f[i], i % 2 ? signed_value : value, &i));
    r.before[i] = malloc(((size_t)r.mesh->n_local + 1) * BLOCK * sizeof(double));
  }
  return r;
}

static void rig_off(rig *r) {
  for (int i = 0; i < FIELDS; i++) {
    tx_field_destroy(r->f[i]);
    free(r->before[i]);
  }
  tx_exec_destroy(r->x);
  tx_mesh_destroy(r->mesh);
  tx_octree_destroy(r->tree);
}

static void remember(rig *r) {
  for (int i = 0; i < FIELDS; i++)
    for (tx_lidx b = 0; b < r->mesh->n_local; b++) {
      const double *view;
      OK(tx_field_view(r->f[i], b, &view));
      memcpy(r->before[i] + (size_t)b * BLOCK, view, BLOCK * sizeof *view);
    }
}

/* All octants, those whose number over all ranks is 1 mod 3, every second one backwards, none. */
enum { ALL, THIRDS, BACKWARDS, NONE, KINDS };

static tx_set *set_of(const rig *r, int kind) {
  const tx_lidx n = r->mesh->n_local;
  tx_lidx *list = malloc(((size_t)n + 1) * sizeof *list), count = 0;
  tx_set *set = NULL;
  for (tx_lidx b = 0; b < n; b++)
    if (kind == ALL || (kind == THIRDS && r->mesh->octant[b].index % 3 == 1))
      list[count++] = b;
    else if (kind == BACKWARDS && b % 2 == 0)
      list[count++] = n - 1 - b;
  OK(tx_set_create(r->x, count, list, &set));
  free(list);
  return set;
}

static bool has(const tx_set *set, tx_lidx b) {
  for (tx_lidx i = 0; i < tx_set_count(set); i++)
    if (tx_set_octants(set)[i] == b) return true;
  return false;
}

/* A point of a rig, and what a field should be there; *scale: the magnitude of what was added up. */
typedef struct place {
  const rig *r;
  size_t i; /* in `before` */
  double x[3], h;
} place;
typedef long double (*oracle)(const place *p, const void *data, long double *scale);

/* Field `out` is what the oracle says of the set's octants, others are as they were. Then it is that again. */
static void assert_written(rig *r, const tx_set *set, int out, oracle want, const void *data) {
  for (tx_lidx b = 0; b < r->mesh->n_local; b++) {
    const double *got, *before = r->before[out] + (size_t)b * BLOCK;
    double x0[3], *to;
    place p = {.r = r, .h = tx_mesh_spacing(r->mesh, r->mesh->octant[b].level)};
    tx_mesh_origin(r->mesh, b, x0);
    OK(tx_field_view(r->f[out], b, &got));
    const bool written = has(set, b);
    if (!written) assert_memory_equal(got, before, BLOCK * sizeof *got);
    for (int i = 0; i < BLOCK && written; i++) {
      const int at[3] = {i % TX_N, i / TX_N % TX_N, i / (TX_N * TX_N) % TX_N};
      for (int d = 0; d < 3; d++) p.x[d] = x0[d] + at[d] * p.h;
      p.i = (size_t)b * BLOCK + (size_t)i;
      long double scale, wanted = want(&p, data, &scale);
      if (!(fabsl((long double)got[i] - wanted) <= 1e-15L * scale))
        fail_msg("octant %d, value %d: %.17g, not %.17Lg", b, i, got[i], wanted);
    }
    OK(tx_field_octant(r->f[out], b, &to));
    memcpy(to, before, BLOCK * sizeof *to);
  }
}

/* What a field held at the place. */
static double held(const place *p, const tx_field *f) {
  int i = 0;
  while (p->r->f[i] != f) i++;
  return p->r->before[i][p->i];
}

static long double combined(const place *p, const void *data, long double *scale) {
  const tx_combination *c = data;
  long double sum = 0.0L;
  *scale = 0.0L;
  for (int i = 0; i < c->n; i++) {
    const long double term = (long double)c->a[i] * held(p, c->f[i]);
    sum += term;
    *scale += fabsl(term);
  }
  return sum;
}

static long double constant(const place *p, const void *data, long double *scale) {
  *scale = 0.0L;
  return *(const double *)data;
}

static void combinations(void **unused) {
  rig r = rig_on(MPI_COMM_WORLD, 3);
  tx_field **f = r.f;
  remember(&r);
  for (int kind = 0; kind < KINDS; kind++) {
    tx_set *set = set_of(&r, kind);
    const double seven = 7.0;
    OK(tx_exec_fill(r.x, set, seven, f[8]));
    assert_written(&r, set, 8, constant, &seven);
    OK(tx_exec_copy(r.x, set, f[3], f[8]));
    assert_written(&r, set, 8, combined, &(tx_combination){1, {f[3]}, {1.0}});
    for (int n = 1; n <= TX_COMBINATION_FIELDS; n += kind == THIRDS ? 1 : 7) {
      tx_combination c = {.n = n};
      for (int i = 0; i < n; i++) {
        c.f[i] = f[i];
        c.a[i] = i % 2 ? -0.9 * i : 1.1 + i;
      }
      OK(tx_exec_combine(r.x, set, &c, f[8]));
      assert_written(&r, set, 8, combined, &c);
      OK(tx_exec_combine(r.x, set, &c, f[n / 2])); /* one of them, or f[1] */
      assert_written(&r, set, n / 2, combined, &c);
    }
    tx_set_destroy(set);
  }
  rig_off(&r);
}

/* The functions once more, from their definitions. */
static long double function(const place *p, const void *data, long double *scale) {
  const tx_pointwise_call *c = data;
  long double u[TX_POINTWISE_FIELDS], out = 0.0L, sum = 0.0L;
  for (int i = 0; i < TX_POINTWISE_FIELDS && c->in[i]; i++) u[i] = held(p, c->in[i]);
  switch (c->function) {
  case TX_POINTWISE_QUOTIENT:
    out = u[0] / copysignl(fmaxl(fabsl(u[1]), c->p[0]), u[1]);
    break;
  case TX_POINTWISE_HAMILTONIAN_SOURCE:
    out = u[0] * powl(1.0L + u[1] * u[2], -7.0L);
    break;
  case TX_POINTWISE_HAMILTONIAN_SLOPE:
    out = -7.0L * u[0] * u[1] * powl(1.0L + u[1] * u[2], -8.0L);
    break;
  case TX_POINTWISE_LINEAR_SOURCE:
    out = u[0] * (1.0L + u[1]);
    sum = fabsl(u[0]) + fabsl(u[0] * u[1]);
    break;
  case TX_POINTWISE_LINEAR_SLOPE:
    out = u[0];
    break;
  case TX_POINTWISE_LINEARISED:
    out = u[0] - u[1] + u[2] * u[3];
    sum = fabsl(u[0]) + fabsl(u[1]) + fabsl(u[2] * u[3]);
    break;
  case TX_POINTWISE_COARSENED:
    out = u[3] != 0.0L ? u[0] - u[1] + u[2] * u[3] : u[0];
    sum = u[3] != 0.0L ? fabsl(u[0]) + fabsl(u[1]) + fabsl(u[2] * u[3]) : 0.0L;
    break;
  case TX_POINTWISE_REPLACED:
    out = u[2] != 0.0L ? u[1] * u[2] : u[0];
    break;
  case TX_POINTWISE_COVERED:
    out = u[2] != 0.0L ? u[1] : u[0];
    break;
  case TX_POINTWISE_UNCOVERED:
    out = u[1] != 0.0L ? 0.0L : u[0];
    break;
  case TX_POINTWISES:
    break;
  }
  *scale = fmaxl(8.0L * fabsl(out), sum); /* a power is several products */
  return out;
}

/* Zeros where it was negative, for functions that ask where a field is 0. */
static void make_zeros(tx_field *f) {
  for (tx_lidx b = 0; b < f->x->mesh->n_local; b++) {
    double *values;
    OK(tx_field_octant(f, b, &values));
    for (int i = 0; i < BLOCK; i++) values[i] = fmax(values[i], 0.0);
  }
}

static void functions_at_a_point(void **unused) {
  rig r = rig_on(MPI_COMM_WORLD, 13); /* of few octants: powers in long double take time */
  tx_field **f = r.f;
  const tx_pointwise_call calls[] = {
      {TX_POINTWISE_QUOTIENT, {f[1], f[3]}, {0.2}},
      {TX_POINTWISE_HAMILTONIAN_SOURCE, {f[4], f[0], f[2]}, {0.0}},
      {TX_POINTWISE_HAMILTONIAN_SLOPE, {f[4], f[0], f[2]}, {0.0}},
      {TX_POINTWISE_LINEAR_SOURCE, {f[1], f[3]}, {0.0}},
      {TX_POINTWISE_LINEAR_SLOPE, {f[1], f[3]}, {0.0}},
      {TX_POINTWISE_LINEARISED, {f[1], f[2], f[3], f[5]}, {0.0}},
      {TX_POINTWISE_COARSENED, {f[1], f[2], f[3], f[7]}, {0.0}},
      {TX_POINTWISE_REPLACED, {f[1], f[2], f[7]}, {0.0}},
      {TX_POINTWISE_COVERED, {f[1], f[2], f[7]}, {0.0}},
      {TX_POINTWISE_UNCOVERED, {f[1], f[7]}, {0.0}},
  };
  const int in[] = {1, 4, 4, 1, 1, 1, 1, 1, 1, 1}; /* numbers of the first inputs */
  bool tried[TX_POINTWISES] = {false};
  make_zeros(f[7]);
  remember(&r);
  for (int kind = THIRDS; kind < KINDS; kind++) {
    tx_set *set = set_of(&r, kind);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
      OK(tx_exec_pointwise(r.x, set, &calls[i], f[8]));
      assert_written(&r, set, 8, function, &calls[i]);
      if (kind != THIRDS) continue;
      OK(tx_exec_pointwise(r.x, set, &calls[i], (tx_field *)calls[i].in[0]));
      assert_written(&r, set, in[i], function, &calls[i]);
      tried[calls[i].function] = true;
    }
    tx_set_destroy(set);
  }
  for (int i = 0; i < TX_POINTWISES; i++)
    if (!tried[i]) fail_msg("%s is not tried", tx_pointwises[i].name);
  rig_off(&r);
}

/* Sums of a set over all ranks by plain loops: what tx_exec_norms and tx_exec_dot tell, and the sums of magnitudes. */
typedef struct plain {
  long double dot, squares, integral, sum, volume;
  long double of_dot, of_integral, of_sum;
  double max;
} plain;

static void plain_add(const rig *r, tx_lidx b, int i, double f, double g, plain *p) {
  const long double h = tx_mesh_spacing(r->mesh, r->mesh->octant[b].level);
  const int at[3] = {i % TX_N, i / TX_N % TX_N, i / (TX_N * TX_N) % TX_N};
  long double weight = h * h * h;
  for (int d = 0; d < 3; d++)
    if (r->domain.low[d] == TX_FACE_REFLECT && !(r->mesh->octant[b].x[d] == 0 && at[d] == 0))
      weight *= 2.0L;
  p->dot += weight * f * g;
  p->squares += weight * f * f;
  p->integral += weight * f;
  p->sum += f;
  p->volume += weight;
  p->of_dot += fabsl(weight * f * g);
  p->of_integral += fabsl(weight * f);
  p->of_sum += fabsl((long double)f);
  p->max = fmax(p->max, fabs(f));
}

static plain plain_of(const rig *r, const tx_set *set, int f, int g, int v) {
  plain p = {.max = 0.0};
  for (tx_lidx o = 0; o < tx_set_count(set); o++)
    for (int i = 0; i < TX_N3; i++) {
      const tx_lidx b = tx_set_octants(set)[o];
      const size_t at = (size_t)b * BLOCK + (size_t)(v * TX_N3 + i);
      plain_add(r, b, i, r->before[f][at], r->before[g][at], &p);
    }
  MPI_Allreduce(MPI_IN_PLACE, &p.dot, 8, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &p.max, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return p;
}

static void assert_near(double got, long double want, long double scale) {
  if (!(fabsl((long double)got - want) <= 1e-15L * scale)) fail_msg("%.17g, not %.17Lg", got, want);
}

static void sums_and_norms(void **unused) {
  const int domains[] = {3, 0, 13};
  for (size_t n = 0; n < sizeof domains / sizeof *domains; n += (size_t)tx_test_every(3)) {
    rig r = rig_on(MPI_COMM_WORLD, domains[n]);
    remember(&r);
    for (int kind = 0; kind < KINDS; kind++) {
      tx_set *set = set_of(&r, kind);
      double dot[VARS], back[VARS], self[VARS], volume;
      tx_field_norm norm[VARS];
      OK(tx_exec_dot(r.x, set, r.f[1], r.f[2], dot));
      OK(tx_exec_dot(r.x, set, r.f[2], r.f[1], back));
      OK(tx_exec_dot(r.x, set, r.f[1], r.f[1], self));
      OK(tx_exec_norms(r.x, set, r.f[1], norm, &volume));
      assert_memory_equal(dot, back, sizeof dot);
      for (int v = 0; v < VARS; v++) {
        const plain p = plain_of(&r, set, 1, 2, v);
        const long double l2 = p.volume > 0.0L ? sqrtl(p.squares / p.volume) : 0.0L;
        assert_near(dot[v], p.dot, p.of_dot);
        assert_near(self[v], p.squares, p.squares);
        assert_near(norm[v].l2, l2, l2);
        assert_near(norm[v].integral, p.integral, p.of_integral);
        assert_near(norm[v].sum, p.sum, p.of_sum);
        assert_near(volume, p.volume, p.volume);
        assert_true(norm[v].max == p.max);
        assert_true(self[v] >= 0.0 && (self[v] > 0.0 || kind == NONE));
        assert_near(norm[v].l2 * norm[v].l2 * volume, self[v], 4.0L * self[v]);
      }
      tx_set_destroy(set);
    }
    rig_off(&r);
  }
}

/* What is not finite shows in its variable on all ranks, and nowhere else; outside of the set it does not matter. */
static void what_is_not_finite_shows(void **unused) {
  const double bad[] = {NAN, INFINITY};
  rig r = rig_on(MPI_COMM_WORLD, 3);
  for (int n = 0; n < 2; n++) {
    double dot[VARS], *values;
    tx_field_norm norm[VARS];
    tx_set *some = set_of(&r, THIRDS);
    for (tx_lidx b = 0; b < r.mesh->n_local; b++)
      if (r.mesh->octant[b].index == 4) {
        OK(tx_field_octant(r.f[1], b, &values));
        values[TX_N3 + 17] = bad[n];
      } else if (r.mesh->octant[b].index == 5) { /* not of the set */
        OK(tx_field_octant(r.f[1], b, &values));
        values[2 * TX_N3 + 17] = bad[n];
      }
    OK(tx_exec_dot(r.x, some, r.f[1], r.f[2], dot));
    OK(tx_exec_norms(r.x, some, r.f[1], norm, NULL));
    for (int v = 0; v < VARS; v++) {
      assert_int_equal(isnan(dot[v]), v == 1);
      assert_int_equal(isnan(norm[v].l2), v == 1);
      assert_int_equal(isnan(norm[v].max), v == 1);
      assert_int_equal(isnan(norm[v].integral), v == 1);
      assert_int_equal(isnan(norm[v].sum), v == 1);
    }
    tx_set_destroy(some);
  }
  rig_off(&r);
}

/* Everything that goes through all ranks or threads. */
typedef struct outcome {
  double dot[KINDS - 1][VARS], volume[KINDS - 1];
  tx_field_norm norm[KINDS - 1][VARS];
  uint64_t checksum;
} outcome;

static outcome outcome_on(MPI_Comm comm) {
  static const int kinds[KINDS - 1] = {ALL, THIRDS, NONE}; /* the same on any partition */
  rig r = rig_on(comm, 3);
  outcome o;
  memset(&o, 0, sizeof o);
  const tx_combination c = {4, {r.f[0], r.f[1], r.f[2], r.f[3]}, {0.1, 0.7, -1.3, 0.9}};
  const tx_combination sum = {2, {r.f[8], r.f[7]}, {1.0, 0.3}};
  const tx_pointwise_call source = {TX_POINTWISE_HAMILTONIAN_SOURCE, {r.f[4], r.f[6], r.f[0]}, {0}};
  OK(tx_exec_combine(r.x, tx_exec_all(r.x), &c, r.f[7]));
  OK(tx_exec_pointwise(r.x, tx_exec_all(r.x), &source, r.f[8]));
  OK(tx_exec_combine(r.x, tx_exec_all(r.x), &sum, r.f[8]));
  OK(tx_field_checksum(r.f[8], &o.checksum));
  for (int i = 0; i < KINDS - 1; i++) {
    tx_set *set = set_of(&r, kinds[i]);
    OK(tx_exec_dot(r.x, set, r.f[7], r.f[8], o.dot[i]));
    OK(tx_exec_norms(r.x, set, r.f[8], o.norm[i], &o.volume[i]));
    tx_set_destroy(set);
  }
  rig_off(&r);
  return o;
}

static void ranks_and_threads_agree(void **unused) {
  const tx_domain any = tx_test_domain(0);
  const int threads = omp_get_max_threads();
  tx_octree *held = NULL; /* keeps the forest library, which starts on all ranks, from ending */
  OK(tx_octree_create(MPI_COMM_WORLD, &any, 0, &held));
  const outcome together = outcome_on(MPI_COMM_WORLD), alone = outcome_on(MPI_COMM_SELF);
  omp_set_num_threads(2);
  const outcome threaded = outcome_on(MPI_COMM_SELF);
  omp_set_num_threads(threads);
  tx_octree_destroy(held);
  assert_memory_equal(&together, &alone, sizeof alone);
  assert_memory_equal(&threaded, &alone, sizeof alone);
  assert_true(alone.dot[0][0] != 0.0 && alone.dot[1][0] != alone.dot[0][0]);
  assert_true(alone.dot[2][0] == 0.0 && alone.norm[2][0].l2 == 0.0 && alone.volume[2] == 0.0);
}

/* An output's ghosts are stale, those of inputs are not; nothing grows with the second call. */
static void only_outputs_are_touched(void **unused) {
  rig r = rig_on(MPI_COMM_WORLD, 3);
  const tx_set *all = tx_exec_all(r.x);
  const tx_pointwise_call source = {TX_POINTWISE_LINEAR_SOURCE, {r.f[0], r.f[1]}, {0.0}};
  const tx_combination half = {2, {r.f[8], r.f[0]}, {1.0, 0.5}};
  double *patches = malloc(((size_t)r.mesh->n_local + 1) * TX_P3 * sizeof *patches), dot[VARS];
  tx_field_norm norm[VARS];
  OK(tx_ghosts_fill(r.x, r.f[0]));
  OK(tx_exec_dot(r.x, all, r.f[0], r.f[1], dot));
  OK(tx_exec_norms(r.x, all, r.f[0], norm, NULL));
  const size_t bytes = tx_exec_bytes(r.x);
  OK(tx_exec_copy(r.x, all, r.f[0], r.f[8]));
  OK(tx_exec_combine(r.x, all, &half, r.f[8]));
  OK(tx_exec_pointwise(r.x, all, &source, r.f[8]));
  OK(tx_exec_dot(r.x, all, r.f[0], r.f[1], dot));
  OK(tx_exec_norms(r.x, all, r.f[0], norm, NULL));
  assert_int_equal(tx_exec_bytes(r.x), bytes);
  OK(tx_patches_fetch(r.x, all, r.f[0], 1u, patches));
  for (int i = 0; i < 4; i++) {
    OK(tx_ghosts_fill(r.x, r.f[8]));
    OK(tx_patches_fetch(r.x, all, r.f[8], 1u, patches));
    OK(i == 0   ? tx_exec_fill(r.x, all, 1.0, r.f[8])
       : i == 1 ? tx_exec_copy(r.x, all, r.f[0], r.f[8])
       : i == 2 ? tx_exec_combine(r.x, all, &half, r.f[8])
                : tx_exec_pointwise(r.x, all, &source, r.f[8]));
    assert_int_equal(tx_patches_fetch(r.x, all, r.f[8], 1u, patches), TX_ERR_MESH);
    tx_error_clear();
  }
  free(patches);
  rig_off(&r);
}

static void what_does_not_fit_is_refused(void **unused) {
  rig r = rig_on(MPI_COMM_WORLD, 3), other = rig_on(MPI_COMM_WORLD, 3);
  tx_exec *x = r.x;
  const tx_set *all = tx_exec_all(x), *foreign = tx_exec_all(other.x);
  tx_field **f = r.f, *g = other.f[0], *one = NULL;
  double dot[VARS];
  tx_field_norm norm[VARS];
  tx_combination c = {1, {f[0]}, {1.0}};
  tx_pointwise_call p = {TX_POINTWISE_LINEAR_SOURCE, {f[0], f[1]}, {0.0}};
  OK(tx_field_create(x, 1, NULL, &one));
  TX_TEST_REFUSED(tx_exec_fill(x, foreign, 1.0, f[8]), TX_ERR_MESH, "set of octants");
  TX_TEST_REFUSED(tx_exec_copy(x, foreign, f[0], f[8]), TX_ERR_MESH, "set of octants");
  TX_TEST_REFUSED(tx_exec_pointwise(x, foreign, &p, f[8]), TX_ERR_MESH, "set of octants");
  TX_TEST_REFUSED(tx_exec_dot(x, foreign, f[0], f[1], dot), TX_ERR_MESH,
                  "dot product: the set of octants");
  TX_TEST_REFUSED(tx_exec_norms(x, foreign, f[0], norm, NULL), TX_ERR_MESH, "set of octants");
  TX_TEST_REFUSED(tx_exec_fill(x, all, 1.0, g), TX_ERR_MESH, "fill: the field lives on");
  TX_TEST_REFUSED(tx_exec_copy(x, all, g, f[8]), TX_ERR_MESH, "copy: the field lives on");
  c.f[0] = g;
  TX_TEST_REFUSED(tx_exec_combine(x, all, &c, f[8]), TX_ERR_MESH,
                  "linear combination: the field lives on");
  c.f[0] = f[0];
  TX_TEST_REFUSED(tx_exec_dot(x, all, f[0], g, dot), TX_ERR_MESH, "the field lives on");
  TX_TEST_REFUSED(tx_exec_norms(x, all, g, norm, NULL), TX_ERR_MESH, "the field lives on");
  TX_TEST_REFUSED(tx_exec_copy(x, all, one, f[8]), TX_ERR_USAGE, "3 variables, another one 1");
  TX_TEST_REFUSED(tx_exec_dot(x, all, f[0], one, dot), TX_ERR_USAGE, "3 variables, another one 1");
  c.n = 0;
  TX_TEST_REFUSED(tx_exec_combine(x, all, &c, f[8]), TX_ERR_USAGE, "0 fields, but 1 to 8");
  c.n = 9;
  TX_TEST_REFUSED(tx_exec_combine(x, all, &c, f[8]), TX_ERR_USAGE, "9 fields, but 1 to 8");
  TX_TEST_REFUSED(tx_exec_pointwise(x, all, &p, one), TX_ERR_USAGE,
                  "input field 0 has 3 variables, 1 fit");
  p.in[1] = g;
  TX_TEST_REFUSED(tx_exec_pointwise(x, all, &p, f[8]), TX_ERR_MESH,
                  "linear_source: the field lives on");
  p.in[1] = NULL;
  TX_TEST_REFUSED(tx_exec_pointwise(x, all, &p, f[8]), TX_ERR_USAGE, "input field 1 is missing");
  p.in[1] = p.in[2] = f[1];
  TX_TEST_REFUSED(tx_exec_pointwise(x, all, &p, f[8]), TX_ERR_USAGE,
                  "input field 2 is one too many");
  p.function = TX_POINTWISES;
  TX_TEST_REFUSED(tx_exec_pointwise(x, all, &p, f[8]), TX_ERR_USAGE, "functions at a point");
  const bool wrong = r.mesh->rank == 0; /* one rank's mistake is everybody's */
  TX_TEST_REFUSED(tx_exec_dot(x, wrong ? foreign : all, f[0], f[1], dot), TX_ERR_MESH,
                  "set of octants");
  TX_TEST_REFUSED(tx_exec_norms(x, wrong ? foreign : all, f[0], norm, NULL), TX_ERR_MESH,
                  "set of octants");
  tx_field_destroy(one);
  rig_off(&other);
  rig_off(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(combinations),
    cmocka_unit_test(functions_at_a_point),
    cmocka_unit_test(sums_and_norms),
    cmocka_unit_test(what_is_not_finite_shows),
    cmocka_unit_test(ranks_and_threads_agree),
    cmocka_unit_test(only_outputs_are_touched),
    cmocka_unit_test(what_does_not_fit_is_refused),
};
TEST_MAIN(tests)
