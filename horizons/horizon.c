/* A search in a state on the mesh. */
#include "base/memory.h"
#include "horizons/internal.h"

typedef struct field_source {
  tx_horizon_finder *f;
  tx_exec *x;
  const tx_field *u;
} field_source;

/* Room for the jets of so many variables. */
static tx_status need_state(tx_horizon_finder *f, int vars) {
  if (vars <= f->state_vars) return TX_OK;
  tx_free(f->state);
  f->state = NULL;
  f->state_vars = 0;
  TX_TRY(tx_alloc((size_t)f->sphere.n * (size_t)vars, sizeof *f->state, "horizons", &f->state));
  f->state_vars = vars;
  return TX_OK;
}

static tx_status sample_field(void *context, size_t n, const double (*x)[3],
                              const double (*normal)[3], tx_adm_jet *jets, bool *mine) {
  const field_source *s = context;
  const tx_system *system = tx_field_system(s->u);
  const tx_range vars = system->adm;
  TX_TRY(tx_exec_sample(s->x, s->u,
                        &(tx_probe){.n = n,
                                    .points = x,
                                    .vars = vars,
                                    .n_derivs = 10,
                                    .jets = (double *)s->f->state,
                                    .mine = mine}));
#pragma omp parallel for schedule(dynamic, 16)
  for (size_t i = 0; i < n; i++)
    if (mine[i])
      system->adm_at((const double(*)[10])s->f->state + i * (size_t)vars.n, normal[i], &jets[i]);
  return TX_OK;
}

/* The mesh must be that of the finder, or points would be taken for mirrored that are not. */
static tx_status same_domain(const tx_domain *a, const tx_domain *b) {
  bool same = a->extent == b->extent && tx_domain_row(a) == tx_domain_row(b);
  for (int d = 0; d < 3; d++) same = same && a->low[d] == b->low[d] && a->high[d] == b->high[d];
  TX_REQUIRE(same, TX_ERR_MESH,
             "the horizon finder was made for another domain (extent %g M) than the mesh (extent "
             "%g M)",
             a->extent, b->extent);
  return TX_OK;
}

tx_status tx_horizon_find(tx_horizon_finder *f, tx_exec *x, const tx_field *u,
                          const tx_surface *guess, const tx_horizon_points *inside,
                          tx_horizon *out) {
  const tx_mesh *mesh = tx_exec_mesh(x);
  TX_TRY(same_domain(&f->domain, &mesh->domain));
  const tx_system *system = tx_field_system(u);
  TX_REQUIRE(system, TX_ERR_MESH, "a horizon needs a state, not a field of %d variables",
             tx_field_vars(u));
  TX_REQUIRE(system->adm.n > 0, TX_ERR_MESH, "the system %s has no metric to find a horizon in",
             system->name);
  TX_TRY(tx_agree(mesh->comm, need_state(f, system->adm.n)));
  field_source source = {.f = f, .x = x, .u = u};
  tx_metric_source from = {.comm = mesh->comm,
                           .spacing = tx_mesh_spacing(mesh, mesh->level_highest),
                           .sample = sample_field,
                           .context = &source};
  return tx_search(f, &from, guess, inside->n, inside->x, out);
}
