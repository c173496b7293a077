#include "octree/internal.h"

#include <math.h>

#include "base/memory.h"

/* A hash of n octants has 2^bits places. */
static int hash_bits(size_t n) {
  int bits = 4;
  while (((size_t)1 << bits) < 2 * n) bits++;
  return bits;
}

tx_status tx_octant_hash_create(tx_mesh *mesh) {
  size_t n = (size_t)mesh->n_local + (size_t)mesh->n_ghost;
  int bits = hash_bits(n);
  tx_octant_hash *hash = NULL;
  TX_TRY(tx_alloc(1, sizeof *hash, "octant hash", &hash));
  mesh->hash = hash;
  size_t room = (size_t)1 << bits;
  TX_TRY(tx_alloc(room, sizeof *hash->key, "octant hash", &hash->key));
  TX_TRY(tx_alloc(room, sizeof *hash->value, "octant hash", &hash->value));
  hash->mask = room - 1;
  hash->shift = 64 - bits;
  for (size_t b = 0; b < n; b++) {
    uint64_t key = tx_octant_key(mesh->octant[b].level, mesh->octant[b].x);
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> hash->shift;
    while (hash->key[at] != 0) at = (at + 1) & hash->mask;
    hash->key[at] = key;
    hash->value[at] = (tx_lidx)b;
  }
  return TX_OK;
}

void tx_octant_hash_destroy(tx_octant_hash *hash) {
  if (!hash) return;
  tx_free(hash->key);
  tx_free(hash->value);
  tx_free(hash);
}

/* The octant-sized box beside o, brought into the domain: position t, mirrored dimensions; false if
 * it lies beyond an outer face. */
static bool fold(const tx_domain *domain, const tx_octant *o, const int dir[3], int32_t t[3],
                 uint8_t *mirror) {
  *mirror = 0;
  for (int d = 0; d < 3; d++) {
    int32_t n = (int32_t)tx_domain_trees(domain, d) << o->level;
    t[d] = o->x[d] + dir[d];
    if (t[d] >= 0 && t[d] < n) continue;
    tx_face face = t[d] < 0 ? domain->low[d] : domain->high[d];
    if (face == TX_FACE_OUTER) return false;
    if (face == TX_FACE_PERIODIC) {
      t[d] += t[d] < 0 ? n : -n;
    } else {
      t[d] = o->x[d];
      *mirror |= (uint8_t)(1 << d);
    }
  }
  return true;
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

bool tx_region_find(const tx_mesh *mesh, const tx_octant *o, const int dir[3], tx_region *out) {
  *out = (tx_region){.kind = TX_REGION_OUTER, .octant = {-1, -1, -1, -1}};
  int32_t t[3], child[4][3];
  if (!fold(&mesh->domain, o, dir, t, &out->mirror)) {
    out->mirror = 0;
    return true;
  }
  out->kind = TX_REGION_SAME;
  if ((out->octant[0] = tx_octant_find(mesh, o->level, t)) >= 0) return true;
  if (o->level > 0) {
    out->kind = TX_REGION_COARSER;
    int32_t parent[3] = {t[0] >> 1, t[1] >> 1, t[2] >> 1};
    if ((out->octant[0] = tx_octant_find(mesh, o->level - 1, parent)) >= 0) return true;
  }
  out->kind = TX_REGION_FINER;
  int n = touching_children(dir, out->mirror, t, child), found = 0;
  for (int c = 0; c < n; c++) {
    out->octant[c] = tx_octant_find(mesh, o->level + 1, child[c]);
    found += out->octant[c] >= 0;
  }
  return found == n;
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
  fold(&mesh->domain, o, dir, t, &mirror);
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

static tx_status find_regions(tx_mesh *mesh) {
  TX_TRY(tx_alloc((size_t)mesh->n_local, sizeof *mesh->region, "regions", &mesh->region));
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    for (int r = 0; r < 27; r++) {
      int dir[3] = {r % 3 - 1, r / 3 % 3 - 1, r / 9 - 1};
      tx_region *region = &mesh->region[b][r];
      if (!tx_region_find(mesh, &mesh->octant[b], dir, region))
        return fail_unbalanced(mesh, &mesh->octant[b], dir, region);
    }
  return TX_OK;
}

tx_lidx tx_mesh_find_unbalanced(const tx_mesh *mesh, int8_t *mark) {
  tx_lidx count = 0;
  for (tx_lidx f = 0; f < mesh->n_local + mesh->n_ghost; f++)
    for (int r = 0; r < 27; r++) {
      const tx_octant *o = &mesh->octant[f];
      int dir[3] = {r % 3 - 1, r / 3 % 3 - 1, r / 9 - 1};
      tx_region region;
      int32_t t[3];
      if (tx_region_find(mesh, o, dir, &region)) continue;
      if (!fold(&mesh->domain, o, dir, t, &region.mirror)) continue;
      for (int up = 2; up <= o->level; up++) {
        int32_t x[3] = {t[0] >> up, t[1] >> up, t[2] >> up};
        tx_lidx b = tx_octant_find(mesh, o->level - up, x);
        if (b < 0) continue;
        if (b < mesh->n_local && !mark[b]) count++, mark[b] = 1;
        break;
      }
    }
  return count;
}

static tx_status count_levels(tx_mesh *mesh) {
  for (tx_lidx b = 0; b < mesh->n_local; b++) mesh->level_count[mesh->octant[b].level]++;
  TX_MPI(
      MPI_Allreduce(MPI_IN_PLACE, mesh->level_count, TX_LEVELS, MPI_INT64_T, MPI_SUM, mesh->comm));
  mesh->level_lowest = TX_LEVELS;
  for (int l = 0; l < TX_LEVELS; l++) {
    if (mesh->level_count[l] == 0) continue;
    if (l < mesh->level_lowest) mesh->level_lowest = l;
    mesh->level_highest = l;
  }
  return TX_OK;
}

tx_status tx_mesh_create_leaves(const tx_octree *tree, tx_mesh **out) {
  *out = NULL;
  tx_mesh *mesh = NULL;
  TX_TRY(tx_agree(tree->comm, tx_alloc(1, sizeof *mesh, "mesh", &mesh)));
  mesh->comm = tree->comm;
  mesh->domain = tree->domain;
  mesh->revision = tree->revision;
  tx_status status = TX_OK;
  if (MPI_Comm_rank(mesh->comm, &mesh->rank) || MPI_Comm_size(mesh->comm, &mesh->size))
    status = tx_error_record(TX_ERR_LIBRARY, __FILE__, __LINE__, "MPI_Comm_rank or _size failed");
  TX_KEEP(status, tx_octree_leaves(tree, mesh));
  if (status == TX_OK) status = tx_octant_hash_create(mesh);
  status = tx_agree(mesh->comm, status);
  if (status == TX_OK) status = tx_agree(mesh->comm, count_levels(mesh));
  if (status == TX_OK)
    *out = mesh;
  else
    tx_mesh_destroy(mesh);
  return status;
}

tx_status tx_mesh_create(const tx_octree *tree, tx_mesh **out) {
  *out = NULL;
  tx_mesh *mesh = NULL;
  TX_TRY(tx_mesh_create_leaves(tree, &mesh));
  tx_status status = tx_agree(mesh->comm, find_regions(mesh));
  if (status == TX_OK) status = tx_ghost_plan_create(mesh);
  if (status == TX_OK)
    *out = mesh;
  else
    tx_mesh_destroy(mesh);
  return status;
}

void tx_mesh_destroy(tx_mesh *mesh) {
  if (!mesh) return;
  tx_ghost_plan_destroy(&mesh->ghosts);
  tx_octant_hash_destroy(mesh->hash);
  tx_free(mesh->region);
  tx_free(mesh->octant);
  tx_free(mesh);
}

tx_lidx tx_mesh_locate(const tx_mesh *mesh, const double x[3]) {
  int level = mesh->level_highest;
  double size = tx_mesh_size(mesh, level);
  int32_t at[3];
  for (int d = 0; d < 3; d++) {
    double low = mesh->domain.low[d] == TX_FACE_REFLECT ? 0.0 : -mesh->domain.extent;
    int32_t n = (int32_t)tx_domain_trees(&mesh->domain, d) << level;
    if (!(x[d] >= low && x[d] < mesh->domain.extent)) return -1;
    int32_t i = (int32_t)floor((x[d] - low) / size);
    if (i > n - 1) i = n - 1;
    while (i > 0 && x[d] < low + i * size) i--;
    while (i < n - 1 && x[d] >= low + (i + 1) * size) i++;
    at[d] = i;
  }
  for (int l = level; l >= mesh->level_lowest; l--) {
    tx_lidx b = tx_octant_find(mesh, l, at);
    if (b >= 0) return b < mesh->n_local ? b : -1;
    for (int d = 0; d < 3; d++) at[d] >>= 1;
  }
  return -1;
}

/* Steele, Lea, Flood (2014): finaliser of SplitMix. */
static uint64_t mix(uint64_t z) {
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

tx_status tx_mesh_checksum(const tx_mesh *mesh, uint64_t *out) {
  uint64_t sum = 0;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    const tx_octant *o = &mesh->octant[b];
    sum += mix(mix(tx_octant_key(o->level, o->x)) + (uint64_t)o->index);
  }
  *out = 0;
  TX_MPI(MPI_Allreduce(&sum, out, 1, MPI_UINT64_T, MPI_SUM, mesh->comm));
  return TX_OK;
}

size_t tx_mesh_counts_bytes(const tx_mesh_counts *c) {
  size_t all = c->local + c->ghost, hash = (size_t)1 << hash_bits(all);
  return sizeof(tx_mesh) + sizeof(tx_octant_hash) + all * sizeof(tx_octant) +
         c->local * sizeof(tx_region[27]) + hash * (sizeof(uint64_t) + sizeof(tx_lidx)) +
         tx_ghost_plan_bytes(c);
}

size_t tx_mesh_bytes(const tx_mesh *mesh) {
  tx_mesh_counts c = {.local = (size_t)mesh->n_local, .ghost = (size_t)mesh->n_ghost};
  tx_ghost_plan_count(mesh, &c);
  return tx_mesh_counts_bytes(&c);
}
