#include "support/cmocka.h"
#include "tests/support/elliptic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elliptic/internal.h"
#include "tests/support/octree_checks.h"

tx_status tx_test_balls_create(MPI_Comm comm, const tx_test_balls *balls, tx_octree **tree,
                               tx_mesh **mesh) {
  TX_TRY(tx_octree_create(comm, &balls->domain, balls->low, tree));
  TX_TRY(tx_mesh_create(*tree, mesh));
  for (int l = balls->low; l < balls->top; l++) {
    const double radius = balls->radius * pow(2.0, balls->top - 1 - l);
    int8_t *flag = calloc((size_t)(*mesh)->n_local + 1, 1);
    for (tx_lidx b = 0; b < (*mesh)->n_local; b++)
      for (int i = 0; i < balls->n && (*mesh)->octant[b].level == l; i++)
        if (tx_test_distance(*mesh, b, balls->centre[i]) < radius) flag[b] = 1;
    const tx_status status = tx_test_adapt(*tree, mesh, flag, balls->low, balls->top, NULL);
    free(flag);
    TX_TRY(status);
  }
  return TX_OK;
}

static tx_status rig_make(MPI_Comm comm, const tx_test_problem *p, tx_test_elliptic_rig *r) {
  const tx_field_var even = {.parity = {1, 1, 1}};
  TX_TRY(tx_test_balls_create(comm, &p->balls, &r->tree, &r->mesh));
  TX_TRY(tx_elliptic_create(r->mesh, &p->equation, &r->e));
  if (p->f) TX_TRY(tx_elliptic_give(r->e, TX_ELLIPTIC_F, p->f, p->data));
  for (int i = 0; i < p->equation.coefficients; i++)
    TX_TRY(tx_elliptic_give(r->e, i, p->c[i], p->data));
  TX_TRY(tx_exec_create(r->mesh, 1, &r->x));
  return tx_field_create(r->x, 1, &even, &r->u);
}

tx_test_elliptic_rig tx_test_elliptic_on(MPI_Comm comm, const tx_test_problem *p) {
  tx_test_elliptic_rig r = {.tree = NULL};
  OK(rig_make(comm, p, &r));
  return r;
}

void tx_test_elliptic_off(tx_test_elliptic_rig *r) {
  tx_field_destroy(r->u);
  tx_exec_destroy(r->x);
  tx_elliptic_destroy(r->e);
  tx_mesh_destroy(r->mesh);
  tx_octree_destroy(r->tree);
}

/* u of all leaves on all ranks. */
static tx_status gather(const tx_test_elliptic_rig *r, tx_test_solution *s) {
  const tx_mesh *mesh = r->mesh;
  TX_TRY(tx_elliptic_store(r->e, r->u));
  s->n = mesh->n_global;
  s->octant = tx_test_all_leaves(mesh);
  s->u = calloc((size_t)s->n * TX_N3, sizeof *s->u);
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const double *view;
    TX_TRY(tx_field_view(r->u, b, &view));
    memcpy(s->u + (size_t)(mesh->first + b) * TX_N3, view, TX_N3 * sizeof *view);
  }
  MPI_Allreduce(MPI_IN_PLACE, s->u, (int)(s->n * TX_N3), MPI_DOUBLE, MPI_SUM, mesh->comm);
  return TX_OK;
}

tx_status tx_test_solve(MPI_Comm comm, const tx_test_problem *p, tx_test_solution *out) {
  tx_test_elliptic_rig r = {.tree = NULL};
  memset(out, 0, sizeof *out);
  out->domain = p->balls.domain;
  tx_status status = rig_make(comm, p, &r);
  if (status == TX_OK) {
    out->points = r.e->points;
    out->status = tx_elliptic_solve(r.e, &p->control, &out->history);
    status = gather(&r, out);
  }
  tx_test_elliptic_off(&r);
  return status;
}

void tx_test_solution_free(tx_test_solution *s) {
  free(s->octant);
  free(s->u);
}

double tx_test_solution_place(const tx_test_solution *s, tx_gidx b, int i, double x[3]) {
  const tx_octant *o = &s->octant[b];
  const double size = s->domain.extent / (double)(tx_domain_row(&s->domain) << o->level);
  const int at[3] = {i % TX_N, i / TX_N % TX_N, i / (TX_N * TX_N)};
  for (int d = 0; d < 3; d++)
    x[d] = (o->x[d] + (double)at[d] / TX_N) * size -
           (s->domain.low[d] == TX_FACE_REFLECT ? 0.0 : s->domain.extent);
  return size / TX_N;
}

double tx_test_puncture_b(const void *data, const double x[3]) {
  const tx_bowen_york *q = data;
  double psi = 1.0;
  for (int a = 0; a < q->n; a++)
    psi += 0.5 * q->mass[a] /
           fmax(hypot(hypot(x[0] - q->position[a][0], x[1] - q->position[a][1]),
                      x[2] - q->position[a][2]),
                1e-90);
  return 1.0 / psi;
}

double tx_test_puncture_a(const void *data, const double x[3]) {
  const tx_bowen_york *q = data;
  const double b = tx_test_puncture_b(data, x);
  double A[6] = {0.0};
  for (int a = 0; a < q->n; a++) {
    double n[3];
    for (int d = 0; d < 3; d++) n[d] = x[d] - q->position[a][d];
    const double r = hypot(hypot(n[0], n[1]), n[2]);
    if (r < 1e-12) return 0.0;
    tx_bowen_york_add(q->momentum[a], q->spin[a], n, r, A);
  }
  const double A2 =
      A[0] * A[0] + A[3] * A[3] + A[5] * A[5] + 2.0 * (A[1] * A[1] + A[2] * A[2] + A[4] * A[4]);
  return A2 * pow(b, 7.0) / 8.0;
}

tx_elliptic_equation tx_test_hamiltonian(int order) {
  return (tx_elliptic_equation){.coefficients = 2,
                                .source = TX_POINTWISE_HAMILTONIAN_SOURCE,
                                .slope = TX_POINTWISE_HAMILTONIAN_SLOPE,
                                .order = order,
                                .falloff = 1.0};
}

tx_elliptic_residual tx_test_elliptic_last(const tx_test_elliptic_rig *r) {
  return r->history.residual[r->history.cycles];
}

tx_test_elliptic_rig tx_test_elliptic_solve(MPI_Comm comm, const tx_test_problem *p,
                                            tx_elliptic_control control) {
  tx_test_elliptic_rig r = tx_test_elliptic_on(comm, p);
  OK(tx_elliptic_solve(r.e, &control, &r.history));
  OK(tx_elliptic_store(r.e, r.u));
  assert_true(tx_test_elliptic_last(&r).l2 <= control.tolerance * r.history.scale);
  assert_true(tx_test_elliptic_last(&r).evaluations > 0.0 &&
              tx_test_elliptic_last(&r).time_s > 0.0 && tx_test_elliptic_last(&r).max > 0.0);
  for (int i = 1; i <= r.history.cycles; i++)
    assert_true(r.history.residual[i].step > r.history.residual[i - 1].step);
  return r;
}

tx_elliptic_control tx_test_elliptic_control(tx_elliptic_method method, double tolerance) {
  tx_elliptic_control c = tx_elliptic_control_default();
  c.method = method;
  c.tolerance = tolerance;
  return c;
}

double tx_test_elliptic_difference(const tx_test_elliptic_rig *a, const tx_test_elliptic_rig *b) {
  double most[2] = {0.0, 0.0};
  for (tx_lidx o = 0; o < a->mesh->n_local; o++) {
    const double *u, *v;
    OK(tx_field_view(a->u, o, &u));
    OK(tx_field_view(b->u, o, &v));
    for (int i = 0; i < TX_N3; i++) {
      most[0] = fmax(most[0], fabs(u[i] - v[i]));
      most[1] = fmax(most[1], fabs(v[i]));
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, a->mesh->comm);
  return most[0] / most[1];
}

/* \Delta u = f for u = (r^2 + s^2)^{-1/2} about a point. */
static const double bump_at[3] = {0.3, 0.2, 0.1}, bump_width = 1.0;

static double bump(const void *unused, const double x[3]) {
  const double s2 = bump_width * bump_width;
  double r2 = s2;
  for (int d = 0; d < 3; d++) r2 += (x[d] - bump_at[d]) * (x[d] - bump_at[d]);
  return -3.0 * s2 * pow(r2, -2.5);
}

tx_test_problem tx_test_elliptic_poisson(void) {
  return (tx_test_problem){.balls = {.domain = {.extent = 20.0},
                                     .low = TX_N > 8 ? 0 : 1,
                                     .top = TX_N > 8 ? 2 : 3,
                                     .n = 1,
                                     .radius = 1.0,
                                     .centre = {{0.3, 0.2, 0.1}}},
                           .equation = {.order = 6, .falloff = 1.0},
                           .f = bump};
}

/* A binary with momenta and spins; and one hole that spins at the origin, the same in all octants. */
static const tx_bowen_york binary = {.n = 2,
                                     .mass = {0.483, 0.483},
                                     .position = {{3.257, 0.0, 0.0}, {-3.257, 0.0, 0.0}},
                                     .momentum = {{0.0, 0.133, 0.0}, {0.0, -0.133, 0.0}},
                                     .spin = {{0.0, 0.0, 0.158}, {0.0, 0.1, 0.05}}};
static const tx_bowen_york alone = {.n = 1, .mass = {0.8}, .spin = {{0.0, 0.0, 0.3}}};

static tx_test_problem hamiltonian(const tx_bowen_york *data) {
  return (tx_test_problem){.equation = tx_test_hamiltonian(6),
                           .c = {tx_test_puncture_a, tx_test_puncture_b},
                           .data = data};
}

tx_test_problem tx_test_elliptic_binary(void) {
  tx_test_problem p = hamiltonian(&binary);
  p.balls.domain.extent = 20.0;
  p.balls.low = TX_N > 8 ? 0 : 1;
  p.balls.top = TX_N > 8 ? 2 : 4;
  p.balls.n = binary.n;
  p.balls.radius = 0.6;
  for (int i = 0; i < binary.n; i++)
    memcpy(p.balls.centre[i], binary.position[i], sizeof binary.position[i]);
  return p;
}

tx_test_problem tx_test_elliptic_one(int top) {
  tx_test_problem p = hamiltonian(&alone);
  p.balls.domain =
      (tx_domain){.extent = 20.0, .low = {TX_FACE_REFLECT, TX_FACE_REFLECT, TX_FACE_REFLECT}};
  p.balls.top = top;
  p.balls.n = 1;
  p.balls.radius = 1e-3;
  return p;
}

/* Waves in a periodic box [-1, 1), and sources that pull u to where S = 0. */
static double wave(const void *unused, const double x[3]) {
  const double k = 3.14159265358979323846;
  return sin(k * x[0]) * exp(2.0 * (cos(k * x[0]) + sin(k * x[1]) + cos(k * x[2] + 0.3)));
}

static double pull(const void *strength, const double x[3]) {
  return *(const double *)strength;
}

static double wave_and_pull(const void *strength, const double x[3]) {
  return *(const double *)strength + wave(NULL, x);
}

static const double minus_one = -1.0;

tx_test_problem tx_test_elliptic_box(int points) {
  tx_test_problem p = {.balls = {.domain = {.extent = 1.0}},
                       .equation = {.coefficients = 1,
                                    .source = TX_POINTWISE_LINEAR_SOURCE,
                                    .slope = TX_POINTWISE_LINEAR_SLOPE,
                                    .order = 6,
                                    .falloff = 1.0},
                       .f = wave_and_pull,
                       .c = {pull},
                       .data = &minus_one};
  while (2 * TX_N << p.balls.low < points) p.balls.low++;
  p.balls.top = p.balls.low;
  for (int d = 0; d < 3; d++) p.balls.domain.low[d] = p.balls.domain.high[d] = TX_FACE_PERIODIC;
  return p;
}
