/* Grids of levels in a periodic domain, refined symmetrically about a plane: what is a mirror image stays one to the last
 * bit, at lower and upper edges alike. */
#include "physics/bssn.h"
#include "tests/support/main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/ladder.h"
#include "tests/support/octree_checks.h"

static const tx_system_params BSSN = {.eta_form = TX_ETA_RADIAL,
                                      .eta = 2.0,
                                      .eta_far = 0.25,
                                      .eta_radius = 3.0,
                                      .lambda_f0 = 1.0,
                                      .advect_lapse = 1.0,
                                      .advect_shift = 1.0,
                                      .sigma = 0.4,
                                      .chi_floor = 1e-4,
                                      .alpha_floor = 1e-8,
                                      .slicing = TX_SLICING_ONE_PLUS_LOG,
                                      .shift = TX_SHIFT_GAMMA_DRIVER};

/* Noise that is its own mirror image about 0 in dimension d. */
typedef struct image {
  tx_domain domain;
  int d;
} image;

static double symmetric_state(const void *data, int v, const double x[3]) {
  const image *m = data;
  const bool odd = tx_bssn.variable[v].parity[m->d] < 0;
  double y[3] = {x[0], x[1], x[2]};
  y[m->d] = fabs(y[m->d]);
  if (odd && (y[m->d] == 0.0 || y[m->d] == m->domain.extent)) return 0.0;
  const double value = 0.02 * tx_test_noise_value(&m->domain, v, y);
  return tx_bssn.variable[v].infinity + (odd && x[m->d] < 0.0 ? -value : value);
}

/* All octants of a grid on every rank: patches of one variable in the order of the octants, and which octant is where,
 * -1: none. */
typedef struct whole {
  const tx_mesh *mesh;
  int row; /* octants side by side */
  double *patch;
  int *at;
} whole;

static whole whole_make(const tx_mesh *mesh) {
  whole w = {.mesh = mesh, .row = 2 << mesh->level_lowest};
  const int cube = w.row * w.row * w.row;
  w.patch = calloc((size_t)mesh->n_global * TX_P3, sizeof *w.patch);
  w.at = calloc((size_t)cube, sizeof *w.at);
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const tx_octant *o = &mesh->octant[b];
    w.at[(o->x[2] * w.row + o->x[1]) * w.row + o->x[0]] = 1 + (int)o->index;
  }
  MPI_Allreduce(MPI_IN_PLACE, w.at, cube, MPI_INT, MPI_SUM, mesh->comm);
  for (int i = 0; i < cube; i++) w.at[i]--;
  return w;
}

static void whole_free(whole *w) {
  free(w->patch);
  free(w->at);
}

/* Variable v of a field with its ghosts, or, without `ghosts`, of the octants' own points alone. */
static void whole_fill(whole *w, tx_exec *x, const tx_field *f, int v, bool ghosts) {
  const tx_lidx n = w->mesh->n_local;
  double *all = calloc((size_t)n * TX_P3 + 1, sizeof *all);
  if (ghosts) OK(tx_patches_fetch(x, tx_exec_all(x), f, 1u << v, all));
  for (size_t i = 0; i < (size_t)w->mesh->n_global * TX_P3; i++) w->patch[i] = 0.0;
  for (tx_lidx b = 0; b < n; b++) {
    double *to = w->patch + w->mesh->octant[b].index * TX_P3;
    const double *own;
    for (int i = 0; i < TX_P3 && ghosts; i++) to[i] = all[(size_t)b * TX_P3 + (size_t)i];
    if (ghosts) continue;
    OK(tx_field_view(f, b, &own));
    for (int i = 0; i < TX_N3; i++)
      to[TX_PATCH_AT(i % TX_N, i / TX_N % TX_N, i / (TX_N * TX_N))] = own[v * TX_N3 + i];
  }
  free(all);
  MPI_Allreduce(MPI_IN_PLACE, w->patch, (int)w->mesh->n_global * TX_P3, MPI_DOUBLE, MPI_SUM,
                w->mesh->comm);
}

/* The value at point p of octant b (local), mirrored in dimension d: of the octant beside the image where that has it. */
static double mirrored(const whole *w, tx_lidx b, const int p[3], int d, bool own) {
  const tx_octant *o = &w->mesh->octant[b];
  int x[3] = {o->x[0], o->x[1], o->x[2]}, q[3] = {p[0], p[1], p[2]};
  x[d] = w->row - 1 - x[d];
  q[d] = TX_N - p[d];
  if (own && q[d] == TX_N) {
    x[d] = (x[d] + 1) % w->row;
    q[d] = 0;
  }
  const int at = w->at[(x[2] * w->row + x[1]) * w->row + x[0]];
  assert_true(at >= 0);
  return w->patch[(size_t)at * TX_P3 + (size_t)TX_PATCH_AT(q[0], q[1], q[2])];
}

/* Points that are not their image's image; *points counts those that were compared. With ghosts, all of the patches that the
 * image's octant has too; without, own points that are evolved. */
static long faults(const whole *w, int v, int d, bool ghosts, long *points) {
  const double sign = tx_bssn.variable[v].parity[d];
  const int low = ghosts ? -TX_K : 0, high = ghosts ? TX_N + TX_K : TX_N;
  long n = 0;
  for (tx_lidx b = 0; b < w->mesh->n_local; b++)
    for (int i = 0; i < TX_P3; i++) {
      const int p[3] = {i % TX_P - TX_K, i / TX_P % TX_P - TX_K, i / (TX_P * TX_P) - TX_K};
      bool there = p[d] > -TX_K;
      for (int e = 0; e < 3; e++) there = there && p[e] >= low && p[e] < high;
      if (!there || (!ghosts && tx_test_on_plane(w->mesh, b, p))) continue;
      const double value = w->patch[w->mesh->octant[b].index * TX_P3 + i];
      const double other = sign * mirrored(w, b, p, d, !ghosts);
      ++*points;
      if (value == other) continue;
      if (n++ == 0)
        fprintf(stderr, "level %d, octant %d, variable %d, point %d %d %d: %.17g, image %.17g\n",
                w->mesh->level_lowest, b, v, p[0], p[1], p[2], value, other);
    }
  return n;
}

/* Every n-th variable, from one that depends on d: other ones for other dimensions. */
static void assert_symmetric(tx_exec *x, const tx_field *f, int d, bool ghosts) {
  whole w = whole_make(tx_exec_mesh(x));
  long n[2] = {0, 0};
  for (int v = d; v < TX_VARS; v += tx_test_every(6)) {
    whole_fill(&w, x, f, v, ghosts);
    n[0] += faults(&w, v, d, ghosts, &n[1]);
  }
  whole_free(&w);
  MPI_Allreduce(MPI_IN_PLACE, n, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  assert_true(n[1] > 0);
  assert_int_equal(n[0], 0);
}

/* Two stages on a level, with its edge from the coarser one, and what the finer one needs of them. */
static void check_level(tx_test_ladder *l, int level, int d) {
  static const double c[2][TX_STORED_STAGES] = {{1, 0, 0, 0, 0}, {1. / 2, 1. / 2, 0, 0, 0}};
  tx_exec *x = l->x[level];
  const double dt = 0.1 * tx_mesh_spacing(l->mesh, l->mesh->level_highest);
  tx_field *u = l->f[level], *sum = NULL, *next[2] = {NULL, NULL}, *y[2] = {u, NULL};
  OK(tx_field_create_state(x, &tx_bssn, &sum));
  for (int s = 0; s < 2; s++) OK(tx_field_create_state(x, &tx_bssn, &next[s]));
  y[1] = next[0];
  for (int s = 0; s < 2; s++) {
    const tx_stage stage = {u, y[s], s ? sum : u, sum, next[s], dt / 6, dt / 2, true};
    if (level > 0) tx_test_blank_planes(y[s]);
    OK(tx_level_boundary_make(x, c[s], y[s]));
    OK(tx_ghosts_fill(x, y[s]));
    assert_symmetric(x, y[s], d, true);
    if (level + 1 < l->n) OK(tx_stage_store(l->x[level + 1], s, y[s]));
    OK(tx_exec_stage(x, tx_exec_all(x), &BSSN, &stage));
    assert_symmetric(x, sum, d, false);
    assert_symmetric(x, next[s], d, false);
  }
  tx_field_destroy(sum);
  for (int s = 0; s < 2; s++) tx_field_destroy(next[s]);
}

/* Regions whose edges lie between the two, symmetric in dimension d. */
static void mirror_images_stay(void **state) {
  static const double radius[2] = {3.0, 0.5};
  const int step = tx_test_every(2);
  for (int d = 0; d < 3; d += step) {
    image m = {.domain = {.extent = TX_N % 8 ? TX_N : 8}, .d = d};
    double at[3] = {1.0, 1.5, -0.5};
    at[d] = 0.0;
    for (int e = 0; e < 3; e++) m.domain.low[e] = m.domain.high[e] = TX_FACE_PERIODIC;
    tx_test_ladder l =
        tx_test_ladder_ball(MPI_COMM_WORLD, m.domain, 1, step == 1 ? 2 : 1, radius, at, true);
    assert_int_equal(l.n, step == 1 ? 3 : 2);
    OK(tx_test_fill(l.u, symmetric_state, &m));
    tx_test_ladder_poison(&l);
    tx_test_ladder_load(&l);
    for (int i = 0; i < l.n; i++) check_level(&l, i, d);
    tx_test_ladder_destroy(&l);
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(mirror_images_stay)};
TEST_MAIN(tests)
