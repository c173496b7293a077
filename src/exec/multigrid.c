/* Multigrid: what is checked and agreed on around the backend's operations. */
#include "exec/multigrid.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "exec/common.h"

static tx_status check_one(const tx_exec *x, const tx_field *f, const char *what) {
  TX_TRY(tx_field_check_any(x, f, what));
  TX_REQUIRE(f->n_vars == 1, TX_ERR_USAGE, "%s: a field has %d variables, where one is wanted",
             what, f->n_vars);
  return TX_OK;
}

/* Check a field of the precision of `like`. */
static tx_status check_like(const tx_exec *x, const tx_field *f, const tx_field *like,
                            const char *what) {
  TX_TRY(check_one(x, f, what));
  return tx_field_check_precision(f, like, what);
}

/* One of single precision, one of double. */
static tx_status check_two(const tx_exec *x, const tx_set *set, const tx_field *single,
                           const tx_field *full, const char *what) {
  TX_TRY(tx_set_check(x, set, what));
  TX_TRY(check_one(x, single, what));
  TX_TRY(check_one(x, full, what));
  TX_REQUIRE(single->single && !full->single, TX_ERR_USAGE,
             "%s: the precisions of the two fields are not single and double", what);
  return TX_OK;
}

tx_status tx_exec_narrow(tx_exec *x, const tx_set *set, double a, const tx_field *f,
                         tx_field *out) {
  TX_TRY(check_two(x, set, out, f, "narrowing"));
  tx_field_touch(out);
  tx_status status;
  TX_WORK(ALGEBRA, false, status, x->backend->narrow(x, set, a, f, out));
  return status;
}

tx_status tx_exec_widen(tx_exec *x, const tx_set *set, double a, const tx_field *f, tx_field *out) {
  TX_TRY(check_two(x, set, f, out, "widening"));
  tx_field_touch(out);
  tx_status status;
  TX_WORK(ALGEBRA, false, status, x->backend->widen(x, set, a, f, out));
  return status;
}

static tx_status check_equation(const tx_exec *x, const tx_set *set, const tx_helmholtz *e,
                                const tx_field *u, const tx_field *out, const char *what) {
  TX_TRY(tx_set_check(x, set, what));
  TX_REQUIRE(e->order == 2 || e->order == 4 || e->order == 6, TX_ERR_USAGE,
             "%s: differences of order %d; there are 2, 4 and 6", what, e->order);
  TX_TRY(tx_field_check_ghosts_any(x, u, what));
  TX_TRY(check_one(x, u, what));
  TX_TRY(check_like(x, e->q, u, what));
  TX_TRY(check_like(x, e->f, u, what));
  TX_TRY(check_like(x, out, u, what));
  TX_REQUIRE(out != u, TX_ERR_USAGE, "%s: the output is the field whose neighbours it reads", what);
  return TX_OK;
}

tx_status tx_exec_residual(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                           const tx_field *u, const tx_field *covered, tx_field *r) {
  TX_TRY(check_equation(x, set, equation, u, r, "residual"));
  if (covered) TX_TRY(check_like(x, covered, u, "residual"));
  tx_field_touch(r);
  tx_status status;
  TX_WORK(MULTIGRID, false, status, x->backend->residual(x, set, equation, u, covered, r));
  return status;
}

tx_status tx_exec_relax(tx_exec *x, const tx_set *set, const tx_helmholtz *equation,
                        const tx_relaxation *step) {
  TX_TRY(check_equation(x, set, equation, step->u, step->out, "relaxation"));
  tx_field_touch(step->out);
  tx_status status;
  TX_WORK(MULTIGRID, false, status, x->backend->relax(x, set, equation, step));
  return status;
}

/* Relax step by step; each keeps the refinement boundary. */
static tx_status relax_all(tx_exec *x, const tx_helmholtz *equation, const tx_semi_iteration *c,
                           tx_field **u, tx_field **other) {
  tx_status status = TX_OK;
  tx_semi_iteration_step s = tx_semi_iteration_first(c);
  for (int i = 0; i < c->n; i++) {
    const tx_relaxation step = {s.alpha, s.beta, *u, *other};
    TX_KEEP(status, tx_ghosts_fill(x, *u));
    TX_KEEP(status, tx_exec_relax(x, x->all, equation, &step));
    if (x->coarser) x->boundary_made = (*other)->stamp;
    *other = *u;
    *u = step.out;
    s = tx_semi_iteration_next(c, &s);
  }
  return status;
}

tx_status tx_level_relax(tx_exec *x, const tx_helmholtz *equation, const tx_semi_iteration *c,
                         const double edge[TX_STORED_STAGES], tx_field **u, tx_field **other) {
  tx_status status = tx_level_boundary_make(x, edge, *u);
  TX_KEEP(status, relax_all(x, equation, c, u, other));
  return status;
}

tx_status tx_exec_dissipate(tx_exec *x, const tx_set *set, double sigma, const tx_field *u,
                            tx_field *out) {
  TX_TRY(tx_set_check(x, set, "dissipation"));
  TX_TRY(tx_field_check_ghosts(x, u, "dissipation"));
  TX_TRY(check_one(x, u, "dissipation"));
  TX_TRY(check_like(x, out, u, "dissipation"));
  TX_REQUIRE(out != u, TX_ERR_USAGE,
             "dissipation: the output is the field whose neighbours it reads");
  tx_field_touch(out);
  tx_status status;
  TX_WORK(MULTIGRID, false, status, x->backend->dissipate(x, set, sigma, u, out));
  return status;
}

tx_lidx tx_level_share(void) {
  return tx_exec_backend()->share;
}

/* Sum the squares of n levels over all ranks. */
static tx_status squares_reduce(MPI_Comm comm, int n, tx_squares s[TX_LEVELS]) {
  int64_t limbs[TX_LEVELS * TX_EXACT_LIMBS];
  double max[TX_LEVELS];
  for (int l = 0; l < n; l++) {
    memcpy(limbs + (size_t)l * TX_EXACT_LIMBS, s[l].sum.limb, sizeof s[l].sum.limb);
    max[l] = s[l].max;
  }
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, limbs, n * TX_EXACT_LIMBS, MPI_INT64_T, MPI_SUM, comm));
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, max, n, MPI_DOUBLE, MPI_MAX, comm));
  for (int l = 0; l < n; l++) {
    memcpy(s[l].sum.limb, limbs + (size_t)l * TX_EXACT_LIMBS, sizeof s[l].sum.limb);
    s[l].max = max[l];
  }
  return TX_OK;
}

static tx_status squares_local(int n, tx_field *const f[], tx_squares s[TX_LEVELS]) {
  for (int l = 0; l < n; l++) {
    TX_TRY(check_one(f[l]->x, f[l], "norms of levels"));
    TX_TRY(tx_field_check_mesh(f[l]->x, f[l], "norms of levels"));
  }
  tx_status status;
  TX_WORK(MULTIGRID, false, status, f[0]->x->backend->squares(n, f, s));
  return status;
}

/* Return the volume of all points of the grid of a level, with their mirror images, which covers the domain. */
static double volume_of(const tx_mesh *mesh) {
  const double h = tx_mesh_spacing(mesh, mesh->level_lowest), extent = mesh->domain.extent;
  double volume = 1.0;
  for (int d = 0; d < 3; d++) /* 1 point on the plane of reflection, and 2 beside it */
    volume *= mesh->domain.low[d] == TX_FACE_REFLECT ? 2.0 * extent - h : 2.0 * extent;
  return volume;
}

tx_status tx_level_norms(int n, tx_field *const f[], double *l2, double *max) {
  MPI_Comm comm = f[0]->x->mesh->comm;
  tx_squares s[TX_LEVELS] = {{.max = 0.0}};
  double sum = 0.0;
  tx_status status = squares_local(n, f, s);
  TX_KEEP(status, squares_reduce(comm, n, s));
  *max = 0.0;
  for (int l = 0; l < n; l++) {
    const double h = tx_mesh_spacing(f[l]->x->mesh, f[l]->x->mesh->level_lowest);
    sum += h * h * h * tx_exact_sum_value(&s[l].sum);
    *max = fmax(*max, s[l].max);
  }
  *l2 = sqrt(sum / volume_of(f[0]->x->mesh));
  if (!isfinite(*max)) *l2 = *max = NAN;
  return tx_agree(comm, status);
}

/* Octants whose parents are on other ranks, once as tx_level_plan.send, and by their place in the order of the level's nodes: those
 * before and after what stays. Room for octants that go to other ranks, and for those that arrive, in that order. */
struct tx_descender {
  tx_exec *fine; /* borrowed */
  tx_set *sent, *before, *after;
  double *send, *arrived;
};

static tx_status sent_create(tx_exec *fine, tx_set **out) {
  const tx_level_plan *plan = fine->mesh->level;
  tx_lidx *list = NULL;
  TX_TRY(tx_alloc((size_t)plan->n_send, sizeof *list, "multigrid", &list));
  for (tx_lidx i = 0; i < plan->n_send; i++) list[i] = plan->send[i].child;
  const tx_status status = tx_set_create(fine, plan->n_send, list, out);
  tx_free(list);
  return status;
}

static tx_status descender_fill(tx_exec *fine, tx_descender *d) {
  const tx_mesh *mesh = fine->mesh;
  const tx_transfer *t = &mesh->level->descend;
  const tx_lidx *node = mesh->level->node, end = t->stay_to + t->n_stay;
  const size_t leave = (size_t)(t->n_remap - t->n_stay), own = (size_t)mesh->n_local;
  d->fine = fine;
  TX_TRY(sent_create(fine, &d->sent));
  TX_TRY(tx_set_create(fine, t->stay_to, node, &d->before));
  TX_TRY(tx_set_create(fine, mesh->n_local - end, node + end, &d->after));
  TX_TRY(fine->backend->alloc(leave * TX_N3, "multigrid", &d->send));
  return fine->backend->alloc(t->n_recv > 0 ? own * TX_N3 : 0, "multigrid", &d->arrived);
}

tx_status tx_descender_create(tx_exec *fine, tx_descender **out) {
  tx_descender *d = NULL;
  *out = NULL;
  TX_REQUIRE(fine->coarser && fine->mesh->level->node, TX_ERR_USAGE,
             "the grid of level %d has no way down to it: it is the coarsest, or not one of "
             "tx_level_grids_create_whole",
             fine->mesh->level_lowest);
  tx_status status = tx_alloc(1, sizeof *d, "multigrid", &d);
  TX_THEN(status, descender_fill(fine, d));
  status = tx_agree(fine->mesh->comm, status);
  if (status == TX_OK)
    *out = d;
  else
    tx_descender_destroy(d);
  return status;
}

void tx_descender_destroy(tx_descender *d) {
  if (!d) return;
  tx_set_destroy(d->sent);
  tx_set_destroy(d->before);
  tx_set_destroy(d->after);
  d->fine->backend->free(d->send);
  d->fine->backend->free(d->arrived);
  tx_free(d);
}

tx_status tx_level_restrict(tx_descender *d, const tx_field *r, tx_field *scratch, tx_field *to) {
  TX_TRY(tx_field_check_ghosts_any(d->fine, r, "full weighting"));
  TX_TRY(check_one(d->fine, r, "full weighting"));
  TX_TRY(check_like(d->fine, scratch, r, "full weighting"));
  TX_TRY(check_like(d->fine->coarser, to, r, "full weighting"));
  TX_REQUIRE(scratch != r, TX_ERR_USAGE, "full weighting: the output is the input");
  tx_field_touch(scratch);
  tx_field_touch(to);
  tx_status status;
  TX_WORK(MULTIGRID, false, status,
          d->fine->backend->restrict_level(d->fine, d->sent, r, scratch, to));
  return status;
}

static tx_status check_prolong(const tx_descender *d, const tx_field *v, const tx_field *u) {
  TX_TRY(tx_field_check_ghosts_any(d->fine->coarser, v, "prolongation"));
  TX_TRY(check_one(d->fine->coarser, v, "prolongation"));
  return check_like(d->fine, u, v, "prolongation");
}

/* Prolong to octants whose parents are on other ranks. */
static tx_status prolong_others(const tx_descender *d, const tx_field *v, tx_field *u) {
  tx_exec *fine = d->fine, *coarse = fine->coarser;
  const tx_transfer *t = &fine->mesh->level->descend;
  tx_field arrived = {.x = fine, .n_vars = 1, .data = d->arrived, .lent = true};
  TX_TRY(tx_transfer_remap(coarse, v, t, d->send, NULL));
  TX_TRY(coarse->backend->redistribute(coarse, t, d->send, &arrived));
  const size_t end = (size_t)(t->stay_to + t->n_stay);
  TX_TRY(fine->backend->add_octants(fine, d->before, d->arrived, u));
  return fine->backend->add_octants(fine, d->after, d->arrived + end * TX_N3, u);
}

static tx_status prolong(const tx_descender *d, const tx_field *v, tx_field *u) {
  tx_status status = d->fine->backend->prolong(d->fine, v, u);
  if (d->fine->mesh->size > 1) TX_KEEP(status, prolong_others(d, v, u));
  return status;
}

tx_status tx_level_prolong(tx_descender *d, const tx_field *v, tx_field *u) {
  TX_TRY(check_prolong(d, v, u));
  tx_field_touch(u);
  tx_status status;
  TX_WORK(MULTIGRID, false, status, prolong(d, v, u));
  return status;
}
