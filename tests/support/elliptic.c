#include "tests/support/elliptic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/octree_checks.h"

/* Distance of an octant from x, in the domain without its images. */
static double distance(const tx_mesh *mesh, tx_lidx b, const double x[3]) {
  const double size = tx_mesh_size(mesh, mesh->octant[b].level);
  double low[3], d2 = 0.0;
  tx_mesh_origin(mesh, b, low);
  for (int d = 0; d < 3; d++) {
    const double away = fmax(fmax(low[d] - x[d], x[d] - low[d] - size), 0.0);
    d2 += away * away;
  }
  return sqrt(d2);
}

tx_status tx_test_balls_create(MPI_Comm comm, const tx_test_balls *balls, tx_octree **tree,
                               tx_mesh **mesh) {
  TX_TRY(tx_octree_create(comm, &balls->domain, balls->low, tree));
  TX_TRY(tx_mesh_create(*tree, mesh));
  for (int l = balls->low; l < balls->top; l++) {
    const double radius = balls->radius * pow(2.0, balls->top - 1 - l);
    int8_t *want = calloc((size_t)(*mesh)->n_local + 1, 1);
    for (tx_lidx b = 0; b < (*mesh)->n_local; b++)
      for (int i = 0; i < balls->n && (*mesh)->octant[b].level == l; i++)
        if (distance(*mesh, b, balls->centre[i]) < radius) want[b] = 1;
    const tx_status status = tx_test_adapt(*tree, mesh, want, balls->low, balls->top, NULL);
    free(want);
    TX_TRY(status);
  }
  return TX_OK;
}

/* u of all leaves on all ranks. */
static tx_status gather(const tx_mesh *mesh, tx_elliptic *e, tx_test_solution *s) {
  tx_exec *x = NULL;
  tx_field *u = NULL;
  TX_TRY(tx_exec_create(mesh, 1, &x));
  TX_TRY(tx_field_create(x, 1, NULL, &u));
  TX_TRY(tx_elliptic_store(e, u));
  s->n = mesh->n_global;
  s->octant = tx_test_all_leaves(mesh);
  s->u = calloc((size_t)s->n * TX_N3, sizeof *s->u);
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const double *view;
    TX_TRY(tx_field_view(u, b, &view));
    memcpy(s->u + (size_t)(mesh->first + b) * TX_N3, view, TX_N3 * sizeof *view);
  }
  MPI_Allreduce(MPI_IN_PLACE, s->u, (int)(s->n * TX_N3), MPI_DOUBLE, MPI_SUM, mesh->comm);
  tx_field_destroy(u);
  tx_exec_destroy(x);
  return TX_OK;
}

static tx_status solve_on(const tx_mesh *mesh, const tx_test_problem *p, tx_test_solution *out) {
  tx_elliptic *e = NULL;
  TX_TRY(tx_elliptic_create(mesh, &p->equation, &e));
  tx_status status = TX_OK;
  if (p->f) TX_THEN(status, tx_elliptic_give(e, TX_ELLIPTIC_F, p->f, p->data));
  for (int i = 0; i < p->equation.coefficients; i++)
    TX_THEN(status, tx_elliptic_give(e, i, p->c[i], p->data));
  out->points = tx_elliptic_points(e);
  if (status == TX_OK) out->status = tx_elliptic_solve(e, &p->control, &out->history);
  TX_THEN(status, gather(mesh, e, out));
  tx_elliptic_destroy(e);
  return status;
}

tx_status tx_test_solve(MPI_Comm comm, const tx_test_problem *p, tx_test_solution *out) {
  tx_octree *tree = NULL;
  tx_mesh *mesh = NULL;
  memset(out, 0, sizeof *out);
  out->domain = p->balls.domain;
  tx_status status = tx_test_balls_create(comm, &p->balls, &tree, &mesh);
  TX_THEN(status, solve_on(mesh, p, out));
  tx_mesh_destroy(mesh);
  tx_octree_destroy(tree);
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
