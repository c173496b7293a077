/* The leaves that cover the 26 regions around an octant. */
#include "octree/internal.h"

#include "base/memory.h"

const int tx_region_direction[27][3] = {
    {-1, -1, -1}, {0, -1, -1}, {1, -1, -1}, {-1, 0, -1}, {0, 0, -1},  {1, 0, -1}, {-1, 1, -1},
    {0, 1, -1},   {1, 1, -1},  {-1, -1, 0}, {0, -1, 0},  {1, -1, 0},  {-1, 0, 0}, {0, 0, 0},
    {1, 0, 0},    {-1, 1, 0},  {0, 1, 0},   {1, 1, 0},   {-1, -1, 1}, {0, -1, 1}, {1, -1, 1},
    {-1, 0, 1},   {0, 0, 1},   {1, 0, 1},   {-1, 1, 1},  {0, 1, 1},   {1, 1, 1},
};

void tx_beside_find(const tx_domain *domain, const tx_octant *o, tx_beside out[3]) {
  for (int d = 0; d < 3; d++) {
    int32_t n = (int32_t)tx_domain_trees(domain, d) << o->level;
    for (int dir = -1; dir <= 1; dir++) {
      int32_t x = o->x[d] + dir;
      bool inside = x >= 0 && x < n;
      tx_face face = x < 0 ? domain->low[d] : domain->high[d];
      bool mirrored = !inside && face == TX_FACE_REFLECT;
      if (mirrored) x = o->x[d];
      if (!inside && face == TX_FACE_PERIODIC) x += x < 0 ? n : -n;
      out[d].x[dir + 1] = x;
      out[d].mirror[dir + 1] = (uint8_t)(mirrored << d);
      out[d].outside[dir + 1] = !inside && face == TX_FACE_OUTER;
    }
  }
}

/* Children of box t that touch the octant in direction -dir: all of a dimension along the region,
 * those at the reflecting plane where it is mirrored. */
static int touching_children(const int dir[3], uint8_t mirror, const int32_t t[3],
                             int32_t child[4][3]) {
  int low[3], n[3], count = 0;
  for (int d = 0; d < 3; d++) {
    low[d] = dir[d] < 0 && !(mirror >> d & 1);
    n[d] = dir[d] == 0 ? 2 : 1;
  }
  for (int k = 0; k < n[2]; k++)
    for (int j = 0; j < n[1]; j++)
      for (int i = 0; i < n[0]; i++, count++) {
        child[count][0] = 2 * t[0] + low[0] + i;
        child[count][1] = 2 * t[1] + low[1] + j;
        child[count][2] = 2 * t[2] + low[2] + k;
      }
  return count;
}

/* Cover of a box of the size of an octant's parent. */
typedef struct box {
  enum { UNKNOWN, LEAF, FAMILY, MIXED } kind;
  tx_lidx octant; /* the leaf; the first of a family of local leaves */
} box;

/* The boxes around the parent of octants: most lookups serve all of its children. */
typedef struct vicinity {
  int level; /* of the children */
  int32_t parent[3];
  box box[27];
} vicinity;

/* The box that contains box t of the given level. */
static box look_up(const tx_mesh *mesh, int level, const int32_t t[3]) {
  const int32_t parent[3] = {t[0] >> 1, t[1] >> 1, t[2] >> 1};
  const int32_t child[3] = {t[0] & ~1, t[1] & ~1, t[2] & ~1};
  if (level == 0) return (box){MIXED, -1};
  tx_lidx b = tx_octant_find(mesh, level - 1, parent);
  if (b >= 0) return (box){LEAF, b};
  b = tx_octant_find(mesh, level, child);
  return tx_octant_is_family(mesh, b) ? (box){FAMILY, b} : (box){MIXED, -1};
}

static bool find_finer(const tx_mesh *mesh, int level, const int dir[3], const int32_t t[3],
                       tx_region *out) {
  int32_t child[4][3];
  int n = touching_children(dir, out->mirror, t, child), found = 0;
  out->kind = TX_REGION_FINER;
  for (int c = 0; c < n; c++) {
    out->octant[c] = tx_octant_find(mesh, level + 1, child[c]);
    found += out->octant[c] >= 0;
  }
  return found == n;
}

/* `known` is what is known of the parent-sized box there. */
static inline bool find_region(const tx_mesh *mesh, int level, const tx_beside around[3],
                               const int dir[3], box *known, tx_region *out) {
  *out = (tx_region){.kind = TX_REGION_OUTER, .octant = {-1, -1, -1, -1}};
  int32_t t[3];
  if (!tx_beside_fold(around, dir, t, &out->mirror)) return true;
  if (known->kind == UNKNOWN) *known = look_up(mesh, level, t);
  if (known->kind == LEAF) {
    out->kind = TX_REGION_COARSER;
    out->octant[0] = known->octant;
    return true;
  }
  out->kind = TX_REGION_SAME;
  if (known->kind == FAMILY)
    out->octant[0] = known->octant + tx_child_number(t);
  else
    out->octant[0] = tx_octant_find(mesh, level, t);
  return out->octant[0] >= 0 || find_finer(mesh, level, dir, t, out);
}

bool tx_region_find(const tx_mesh *mesh, const tx_octant *o, const int dir[3], tx_region *out) {
  tx_beside around[3];
  box known = {UNKNOWN, -1};
  tx_beside_find(&mesh->domain, o, around);
  return find_region(mesh, o->level, around, dir, &known, out);
}

/* Forget the vicinity of another parent. */
static void approach(vicinity *v, const tx_octant *o) {
  bool here = v->level == o->level;
  for (int d = 0; d < 3; d++) here = here && v->parent[d] == o->x[d] >> 1;
  if (here) return;
  *v = (vicinity){.level = o->level, .parent = {o->x[0] >> 1, o->x[1] >> 1, o->x[2] >> 1}};
}

/* All regions of an octant; returns the first that is not covered, 27 if all are. */
static int find_all(const tx_mesh *mesh, const tx_octant *o, vicinity *v, tx_region out[27]) {
  tx_beside around[3];
  int missing = 27;
  tx_beside_find(&mesh->domain, o, around);
  approach(v, o);
  for (int r = 26; r >= 0; r--) {
    const int *dir = tx_region_direction[r];
    int up[3]; /* direction from the parent */
    for (int d = 0; d < 3; d++) up[d] = ((o->x[d] & 1) + dir[d]) >> 1;
    box *known = &v->box[TX_REGION(up[0], up[1], up[2])];
    if (!find_region(mesh, o->level, around, dir, known, &out[r])) missing = r;
  }
  return missing;
}

tx_lidx tx_regions_find(const tx_mesh *mesh, tx_lidx first, tx_lidx n, tx_region (*out)[27]) {
  tx_lidx worst = n;
#pragma omp parallel if (n > TX_OCTANTS_SERIAL) reduction(min : worst)
  {
    vicinity v = {.level = -1};
#pragma omp for schedule(static)
    for (tx_lidx i = 0; i < n; i++)
      if (find_all(mesh, &mesh->octant[first + i], &v, out[i]) < 27 && i < worst) worst = i;
  }
  return worst;
}

/* The leaf that covers box x of a level or lies at that of its corners that touches the octant in
 * direction -dir; -1 if it is not known here. */
static tx_lidx find_any_level(const tx_mesh *mesh, int level, const int32_t x[3], const int dir[3],
                              uint8_t mirror) {
  for (int up = 0; up <= level; up++) {
    int32_t y[3] = {x[0] >> up, x[1] >> up, x[2] >> up};
    tx_lidx b = tx_octant_find(mesh, level - up, y);
    if (b >= 0) return b;
  }
  int32_t y[3] = {x[0], x[1], x[2]};
  for (int l = level + 1; l < TX_LEVELS; l++) {
    for (int d = 0; d < 3; d++) y[d] = 2 * y[d] + (!(mirror >> d & 1) && dir[d] < 0);
    tx_lidx b = tx_octant_find(mesh, l, y);
    if (b >= 0) return b;
  }
  return -1;
}

static tx_status fail_unbalanced(const tx_mesh *mesh, const tx_octant *o, const int dir[3],
                                 const tx_region *region) {
  int32_t t[3], child[4][3];
  uint8_t mirror;
  tx_beside around[3];
  tx_beside_find(&mesh->domain, o, around);
  tx_beside_fold(around, dir, t, &mirror);
  tx_lidx other = find_any_level(mesh, o->level, t, dir, mirror);
  int n = touching_children(dir, mirror, t, child);
  for (int c = 0; c < n; c++)
    if (region->octant[c] < 0 && (other < 0 || mesh->octant[other].level == o->level + 1))
      other = find_any_level(mesh, o->level + 1, child[c], dir, mirror);
  TX_REQUIRE(other >= 0, TX_ERR_MESH,
             "octant (%d, %d, %d) of level %d has no neighbour in direction (%d, %d, %d) among the "
             "leaves and ghosts of rank %d; the forest is damaged",
             o->x[0], o->x[1], o->x[2], o->level, dir[0], dir[1], dir[2], mesh->rank);
  const tx_octant *p = &mesh->octant[other];
  TX_FAIL(
      TX_ERR_MESH,
      "octant (%d, %d, %d) of level %d touches octant (%d, %d, %d) of level %d; the forest must "
      "be balanced so that they differ by one level at most",
      o->x[0], o->x[1], o->x[2], o->level, p->x[0], p->x[1], p->x[2], p->level);
}

tx_status tx_regions_create(tx_mesh *mesh) {
  TX_TRY(tx_alloc_raw((size_t)mesh->n_local, sizeof *mesh->region, "regions", &mesh->region));
  tx_lidx b = tx_regions_find(mesh, 0, mesh->n_local, mesh->region);
  if (b == mesh->n_local) return TX_OK;
  vicinity v = {.level = -1};
  int r = find_all(mesh, &mesh->octant[b], &v, mesh->region[b]);
  return fail_unbalanced(mesh, &mesh->octant[b], tx_region_direction[r], &mesh->region[b][r]);
}
