/* All nodes of a forest, on every rank: who has which. */
#include "octree/level_internal.h"

#include <math.h>
#include "base/memory.h"

/* Leaves of all ranks, and where those of each begin. */
typedef struct gathered {
  tx_leaf *leaf;
  tx_gidx n, *first; /* first[size + 1] */
} gathered;

static tx_status gather_prepare(const tx_mesh *leaves, gathered *g, int **counts, tx_leaf **mine) {
  const size_t size = (size_t)leaves->size;
  TX_TRY(tx_alloc((size_t)leaves->n_global, sizeof *g->leaf, "nodes", &g->leaf));
  TX_TRY(tx_alloc(size + 1, sizeof *g->first, "nodes", &g->first));
  TX_TRY(tx_alloc(2 * size, sizeof **counts, "nodes", counts));
  TX_TRY(tx_alloc((size_t)leaves->n_local, sizeof **mine, "nodes", mine));
  for (tx_lidx b = 0; b < leaves->n_local; b++) {
    const tx_octant *o = &leaves->octant[b];
    (*mine)[b] = (tx_leaf){{o->x[0], o->x[1], o->x[2]}, o->level};
  }
  return TX_OK;
}

static tx_status exchange(const tx_mesh *leaves, gathered *g, int *counts, const tx_leaf *mine) {
  const int own = 4 * leaves->n_local, size = leaves->size;
  int *places = counts + size;
  TX_MPI(MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, leaves->comm));
  for (int r = 0; r < size; r++) {
    places[r] = r == 0 ? 0 : places[r - 1] + counts[r - 1];
    g->first[r] = places[r] / 4;
  }
  g->n = g->first[size] = (places[size - 1] + counts[size - 1]) / 4;
  TX_MPI(
      MPI_Allgatherv(mine, own, MPI_INT32_T, g->leaf, counts, places, MPI_INT32_T, leaves->comm));
  return TX_OK;
}
_Static_assert(sizeof(tx_leaf) == 4 * sizeof(int32_t), "leaves travel as four numbers");

/* Collective. */
static tx_status gather(const tx_mesh *leaves, gathered *g) {
  int *counts = NULL;
  tx_leaf *mine = NULL;
  tx_status status = gather_prepare(leaves, g, &counts, &mine);
  if (leaves->n_global > INT32_MAX / 32)
    status = tx_error_record(TX_ERR_MESH, __FILE__, __LINE__,
                             "%lld octants are more than time steps of levels can number",
                             (long long)leaves->n_global);
  status = tx_agree(leaves->comm, status);
  TX_THEN(status, tx_agree(leaves->comm, exchange(leaves, g, counts, mine)));
  tx_free(counts);
  tx_free(mine);
  return status;
}

/* Levels that the leaf is the first of all below a node of, its own included, down to `lowest`. */
static int first_of(const tx_leaf *leaf, int lowest) {
  const uint32_t x = (uint32_t)(leaf->x[0] | leaf->x[1] | leaf->x[2]);
  const int levels = 1 + leaf->level - lowest, zeros = x ? 1 + __builtin_ctz(x) : levels;
  return zeros < levels ? zeros : levels;
}

static void count_nodes(tx_level_nodes *nodes, const gathered *g) {
  for (tx_gidx i = 0; i < g->n; i++) {
    const int above = first_of(&g->leaf[i], nodes->lowest);
    for (int up = 0; up < above; up++) nodes->start[g->leaf[i].level - up - nodes->lowest + 1]++;
  }
  for (int l = 0; l < nodes->n; l++) nodes->start[l + 1] += nodes->start[l];
}

static void list_nodes(tx_level_nodes *nodes, const gathered *g) {
  tx_lidx at[TX_LEVELS];
  for (int l = 0; l < nodes->n; l++) at[l] = nodes->start[l];
  for (tx_gidx i = 0; i < g->n; i++) {
    const tx_leaf *leaf = &g->leaf[i];
    const int above = first_of(leaf, nodes->lowest);
    for (int up = 0; up < above; up++) {
      const int l = leaf->level - up - nodes->lowest;
      const tx_lidx node = at[l]++;
      nodes->list->octant[node] =
          (tx_octant){.x = {leaf->x[0] >> up, leaf->x[1] >> up, leaf->x[2] >> up},
                      .level = (int8_t)(leaf->level - up),
                      .index = node - nodes->start[l]};
      nodes->leaf[node] = up == 0;
      nodes->eldest[node] = up == 0 ? -1 : at[l + 1] - 1;
    }
    for (int up = 0; up < above; up++) {
      const int l = leaf->level - up - nodes->lowest;
      nodes->parent[at[l] - 1] = l > 0 ? at[l - 1] - 1 : -1;
    }
  }
}

/* Where the leaves of each level begin on each rank of the mesh of leaves. */
static void count_leaves(tx_level_nodes *nodes, const gathered *g, int size) {
  const size_t row = (size_t)size + 1;
  for (int r = 0; r < size; r++)
    for (tx_gidx i = g->first[r]; i < g->first[r + 1]; i++)
      nodes->leaf_first[(size_t)(g->leaf[i].level - nodes->lowest) * row + (size_t)r + 1]++;
  for (int l = 0; l < nodes->n; l++)
    for (size_t r = 0; r + 1 < row; r++)
      nodes->leaf_first[(size_t)l * row + r + 1] += nodes->leaf_first[(size_t)l * row + r];
}

/* First node of rank r on level number l, of `size` ranks: each level is cut evenly, for as many ranks as get their share. */
static tx_lidx cut(const tx_level_nodes *nodes, int l, int r, int size) {
  const tx_lidx first = nodes->start[l], n = nodes->start[l + 1] - first, shares = n / nodes->share;
  const int ranks = shares < 1 ? 1 : shares < size ? (int)shares : size;
  return first + (tx_lidx)((int64_t)n * (r < ranks ? r : ranks) / ranks);
}

/* Owners and places; on each rank leaves come first. */
static void cut_levels(tx_level_nodes *nodes, int size) {
  for (int l = 0; l < nodes->n; l++) {
    for (int r = 0; r < size; r++) {
      const tx_lidx low = cut(nodes, l, r, size), high = cut(nodes, l, r + 1, size);
      tx_lidx at = 0;
      for (int leaf = 1; leaf >= 0; leaf--)
        for (tx_lidx i = low; i < high; i++) {
          if (nodes->leaf[i] != (leaf == 1)) continue;
          nodes->list->octant[i].owner = r;
          nodes->place[i] = at++;
        }
    }
  }
}

static tx_status list_create(const tx_mesh *leaves, tx_level_nodes *nodes, const gathered *g) {
  const size_t all = (size_t)nodes->start[nodes->n];
  tx_mesh *list = NULL;
  TX_TRY(tx_alloc(1, sizeof *list, "nodes", &list));
  nodes->list = list;
  list->comm = leaves->comm;
  list->rank = leaves->rank;
  list->size = leaves->size;
  list->domain = leaves->domain;
  list->revision = leaves->revision;
  list->n_local = (tx_lidx)all;
  TX_TRY(tx_alloc(all, sizeof *list->octant, "nodes", &list->octant));
  TX_TRY(tx_alloc(all, sizeof *nodes->place, "nodes", &nodes->place));
  TX_TRY(tx_alloc(all, sizeof *nodes->parent, "nodes", &nodes->parent));
  TX_TRY(tx_alloc(all, sizeof *nodes->eldest, "nodes", &nodes->eldest));
  TX_TRY(tx_alloc(all, sizeof *nodes->leaf, "nodes", &nodes->leaf));
  TX_TRY(tx_alloc((size_t)nodes->n * ((size_t)leaves->size + 1), sizeof *nodes->leaf_first, "nodes",
                  &nodes->leaf_first));
  list_nodes(nodes, g);
  count_leaves(nodes, g, leaves->size);
  cut_levels(nodes, leaves->size);
  return tx_octant_hash_create(list);
}

tx_status tx_level_nodes_create(const tx_mesh *leaves, int lowest, tx_lidx share,
                                tx_level_nodes **out) {
  gathered g = {NULL, 0, NULL};
  tx_level_nodes *nodes = NULL;
  *out = NULL;
  tx_status status = gather(leaves, &g);
  TX_THEN(status, tx_alloc(1, sizeof *nodes, "nodes", &nodes));
  if (status == TX_OK) {
    nodes->lowest = lowest;
    nodes->share = share;
    nodes->n = leaves->level_highest - lowest + 1;
    count_nodes(nodes, &g);
    status = list_create(leaves, nodes, &g);
  }
  status = tx_agree(leaves->comm, status);
  tx_free(g.leaf);
  tx_free(g.first);
  if (status == TX_OK)
    *out = nodes;
  else
    tx_level_nodes_destroy(nodes);
  return status;
}

static bool same_node(const tx_level_nodes *a, const tx_level_nodes *b, tx_lidx n) {
  const tx_octant *p = &a->list->octant[n], *q = &b->list->octant[n];
  return p->x[0] == q->x[0] && p->x[1] == q->x[1] && p->x[2] == q->x[2] && p->owner == q->owner &&
         a->place[n] == b->place[n] && a->leaf[n] == b->leaf[n];
}

int tx_level_nodes_same(const tx_level_nodes *a, const tx_level_nodes *b) {
  if (a->lowest != b->lowest) return 0;
  for (int l = 0; l < a->n && l < b->n; l++) {
    if (a->start[l + 1] != b->start[l + 1]) return l;
    for (tx_lidx n = a->start[l]; n < a->start[l + 1]; n++)
      if (!same_node(a, b, n)) return l;
  }
  return a->n < b->n ? a->n : b->n;
}

void tx_level_nodes_destroy(tx_level_nodes *nodes) {
  if (!nodes) return;
  tx_mesh_destroy(nodes->list);
  tx_free(nodes->place);
  tx_free(nodes->parent);
  tx_free(nodes->eldest);
  tx_free(nodes->leaf);
  tx_free(nodes->leaf_first);
  tx_free(nodes);
}

tx_lidx tx_level_grids_local(const tx_level_grids *grids, int number) {
  const tx_mesh *list = grids->nodes->list;
  return cut(grids->nodes, number, list->rank + 1, list->size) -
         cut(grids->nodes, number, list->rank, list->size);
}

/* The regions that nodes of the same level cover; -1 for the others. */
static void find_same(const tx_level_nodes *nodes, tx_lidx node, tx_level_region out[27]) {
  const tx_octant *o = &nodes->list->octant[node];
  tx_beside around[3];
  tx_beside_find(&nodes->list->domain, o, around);
  for (int r = 0; r < 27; r++) {
    int32_t t[3];
    out[r] = (tx_level_region){-1, TX_REGION_OUTER, 0};
    if (!tx_beside_fold(around, tx_region_direction[r], t, &out[r].mirror)) continue;
    out[r].node = tx_octant_find(nodes->list, o->level, t);
    out[r].kind = out[r].node >= 0 ? TX_REGION_SAME : TX_REGION_COARSER;
  }
}

/* A child's region in direction dir, from what is around its parent. */
static tx_level_region of_child(const tx_level_nodes *nodes, const tx_octant *o, const int dir[3],
                                const tx_level_region around[27]) {
  int up[3], child = 0; /* the direction from the parent; which child it is of what is there */
  for (int d = 0; d < 3; d++) up[d] = ((o->x[d] & 1) + dir[d]) >> 1;
  tx_level_region r = around[TX_REGION(up[0], up[1], up[2])];
  if (r.kind == TX_REGION_OUTER) return r;
  for (int d = 0; d < 3; d++) {
    const bool mirrored = r.mirror >> d & 1;
    child |= ((o->x[d] + (mirrored ? 0 : dir[d])) & 1) << d;
  }
  if (r.kind == TX_REGION_COARSER) return r; /* more than a level coarser */
  const tx_lidx eldest = nodes->eldest[r.node];
  if (eldest >= 0)
    r.node = eldest + child;
  else
    r.kind = TX_REGION_COARSER;
  return r;
}

void tx_level_regions(const tx_level_nodes *nodes, tx_lidx node, tx_level_vicinity *v,
                      tx_level_region out[27]) {
  const tx_lidx parent = nodes->parent[node];
  if (parent < 0) {
    find_same(nodes, node, out);
    return;
  }
  if (v->parent != parent) find_same(nodes, parent, v->of);
  v->parent = parent;
  for (int r = 0; r < 27; r++)
    out[r] = of_child(nodes, &nodes->list->octant[node], tx_region_direction[r], v->of);
}

int tx_level_grids_locate(const tx_level_grids *grids, const double x[3]) {
  const tx_mesh *list = grids->nodes->list;
  int level = grids->lowest - 1;
  for (int l = grids->lowest; l < grids->lowest + grids->n; l++) {
    int32_t at[3];
    for (int d = 0; d < 3; d++) {
      const bool half = list->domain.low[d] == TX_FACE_REFLECT;
      const double y = half ? fabs(x[d]) : x[d] + list->domain.extent;
      if (!(y >= 0.0 && y < (half ? 1.0 : 2.0) * list->domain.extent)) return -1;
      at[d] = (int32_t)(y / tx_mesh_size(list, l));
    }
    if (tx_octant_find(list, l, at) < 0) break;
    level = l;
  }
  return level;
}

void tx_level_nodes_count(const tx_gidx leaves[TX_LEVELS], tx_gidx nodes[TX_LEVELS]) {
  tx_gidx finer = 0;
  int lowest = 0;
  while (lowest < TX_LEVELS && leaves[lowest] == 0) lowest++;
  for (int l = TX_LEVELS - 1; l >= 0; l--) {
    nodes[l] = l < lowest ? 0 : leaves[l] + finer / 8;
    finer = nodes[l];
  }
}

bool tx_level_grids_node(const tx_level_grids *grids, int level, const int32_t x[3],
                         tx_level_node *out) {
  const tx_level_nodes *nodes = grids->nodes;
  if (level < grids->lowest || level >= grids->lowest + grids->n) return false;
  for (int d = 0; d < 3; d++)
    if (x[d] < 0 || x[d] >= tx_domain_trees(&nodes->list->domain, d) << level) return false;
  const tx_lidx node = tx_octant_find(nodes->list, level, x);
  if (node < 0) return false;
  *out = (tx_level_node){nodes->leaf[node], nodes->list->octant[node].owner, nodes->place[node]};
  return true;
}
