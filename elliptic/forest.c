#include "elliptic/forest.h"

#include <math.h>

#include "base/memory.h"

/* Octant sizes that a finer level reaches out around a spot. */
#define SPOT_SIZES 2.0

/* Inputs of the decision which octants are refined. */
typedef struct builder {
  const tx_elliptic_forest *forest;
  const tx_domain *domain;     /* of the evolution */
  const tx_level_grids *grids; /* its nodes */
  int n;                       /* spots */
  const tx_elliptic_spot *spot;
  int finest[TX_PUNCTURES_MAX]; /* level of the forest wanted at each */
} builder;

void tx_elliptic_forest_place(const tx_elliptic_forest *f, int level, const int32_t x[3],
                              int32_t out[3]) {
  for (int d = 0; d < 3; d++) {
    const bool half = f->mesh->domain.low[d] == TX_FACE_REFLECT;
    out[d] = x[d] + (half ? 0 : ((1 << f->shift) - f->trees) << level);
  }
}

/* Does the octant lie in the evolution's domain, or hold it, at least in part? */
static bool meets_domain(const builder *b, const double low[3], double size) {
  const double slack = 1e-9 * b->domain->extent;
  for (int d = 0; d < 3; d++)
    if (low[d] > b->domain->extent - slack || low[d] + size < -b->domain->extent + slack)
      return false;
  return true;
}

/* Has the evolution finer octants there? */
static bool is_covered(const builder *b, const tx_octant *o) {
  const int level = o->level - b->forest->shift;
  const int32_t origin[3] = {0, 0, 0};
  int32_t first[3], x[3];
  tx_level_node node;
  if (level < b->grids->lowest) return true;
  tx_elliptic_forest_place(b->forest, level, origin, first);
  for (int d = 0; d < 3; d++) x[d] = o->x[d] - first[d];
  return tx_level_grids_node(b->grids, level, x, &node) && !node.leaf;
}

static bool near_spot(const builder *b, int level, const double low[3], double size) {
  for (int s = 0; s < b->n; s++) {
    double d2 = 0.0;
    if (level >= b->finest[s]) continue;
    for (int d = 0; d < 3; d++) {
      const double x =
          b->domain->low[d] == TX_FACE_REFLECT ? fabs(b->spot[s].x[d]) : b->spot[s].x[d];
      const double away = fmax(fmax(low[d] - x, x - low[d] - size), 0.0);
      d2 += away * away;
    }
    if (d2 < SPOT_SIZES * SPOT_SIZES * size * size) return true;
  }
  return false;
}

static bool wants_more(const builder *b, const tx_mesh *mesh, tx_lidx o) {
  const tx_octant *octant = &mesh->octant[o];
  const double size = tx_mesh_size(mesh, octant->level);
  double low[3];
  tx_mesh_origin(mesh, o, low);
  if (!meets_domain(b, low, size)) return false;
  return is_covered(b, octant) || near_spot(b, octant->level, low, size);
}

/* Collective. One round: *changed, and then the mesh is a new one. */
static tx_status refine(const builder *b, tx_elliptic_forest *f, bool *changed) {
  tx_transfer *transfer = NULL;
  int8_t *flag = NULL;
  tx_status status = tx_alloc((size_t)f->mesh->n_local, sizeof *flag, "elliptic grid", &flag);
  for (tx_lidx o = 0; status == TX_OK && o < f->mesh->n_local; o++)
    flag[o] = wants_more(b, f->mesh, o) ? 1 : 0;
  status = tx_agree(f->mesh->comm, status);
  TX_THEN(status, tx_octree_adapt(f->tree, f->mesh, &(tx_adaptation){flag, 0, TX_LEVELS - 1, NULL},
                                  &transfer));
  tx_free(flag);
  *changed = status == TX_OK && transfer->to_revision != transfer->from_revision;
  tx_transfer_destroy(transfer);
  if (!*changed) return status;
  tx_mesh_destroy(f->mesh);
  f->mesh = NULL;
  return tx_mesh_create(f->tree, &f->mesh);
}

/* Levels that the spots want: the evolution's there and their own. */
static tx_status find_levels(builder *b) {
  for (int s = 0; s < b->n; s++) {
    const int own = tx_level_grids_locate(b->grids, b->spot[s].x);
    b->finest[s] =
        b->spot[s].levels > 0 && own >= 0 ? own + b->forest->shift + b->spot[s].levels : 0;
    TX_REQUIRE(b->finest[s] < TX_LEVELS, TX_ERR_PARAM,
               "elliptic.extra_levels: level %d at puncture %d, of the grid for the elliptic "
               "equation, is beyond %d; lower elliptic.extra_levels or elliptic.reach",
               b->finest[s], s + 1, TX_LEVELS - 1);
  }
  return TX_OK;
}

static tx_status build(const tx_mesh *leaves, double reach, builder *b, tx_elliptic_forest *f) {
  tx_domain domain = leaves->domain;
  bool changed = true;
  f->trees = tx_domain_row(&leaves->domain);
  while (1 << f->shift < f->trees * reach) f->shift++;
  domain.trees = 1;
  domain.extent = leaves->domain.extent / f->trees * (1 << f->shift);
  TX_TRY(find_levels(b));
  TX_REQUIRE(leaves->level_highest + f->shift < TX_LEVELS, TX_ERR_PARAM,
             "elliptic.reach: the grid for the elliptic equation would have level %d, beyond %d; "
             "lower elliptic.reach",
             leaves->level_highest + f->shift, TX_LEVELS - 1);
  TX_TRY(tx_octree_create(leaves->comm, &domain, 0, &f->tree));
  TX_TRY(tx_mesh_create(f->tree, &f->mesh));
  while (changed) TX_TRY(refine(b, f, &changed));
  return TX_OK;
}

tx_status tx_elliptic_forest_create(const tx_mesh *leaves, double reach, int n,
                                    const tx_elliptic_spot *spot, tx_elliptic_forest **out) {
  tx_elliptic_forest *f = NULL;
  tx_level_grids *grids = NULL;
  *out = NULL;
  tx_status status = tx_agree(leaves->comm, tx_alloc(1, sizeof *f, "elliptic grid", &f));
  builder b = {.forest = f, .domain = &leaves->domain, .n = n, .spot = spot};
  TX_THEN(status, tx_level_grids_begin(leaves, NULL, &grids));
  b.grids = grids;
  TX_THEN(status, build(leaves, reach, &b, f));
  tx_level_grids_destroy(grids);
  if (status == TX_OK)
    *out = f;
  else
    tx_elliptic_forest_destroy(f);
  return status;
}

void tx_elliptic_forest_destroy(tx_elliptic_forest *f) {
  if (!f) return;
  tx_mesh_destroy(f->mesh);
  tx_octree_destroy(f->tree);
  tx_free(f);
}
