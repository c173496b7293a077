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
  TX_TRY(tx_alloc(room, sizeof *hash->entry, "octant hash", &hash->entry));
  hash->mask = room - 1;
  hash->shift = 64 - bits;
  for (size_t b = 0; b < n; b++) {
    uint64_t key = tx_octant_key(&mesh->domain, mesh->octant[b].level, mesh->octant[b].x);
    uint64_t at = tx_hash_place(key, hash->shift);
    while (hash->entry[at].key != 0) at = (at + 1) & hash->mask;
    hash->entry[at] = (tx_octant_entry){.key = key, .value = (tx_lidx)b};
  }
  return TX_OK;
}

static void hash_destroy(tx_octant_hash *hash) {
  if (!hash) return;
  tx_free(hash->entry);
  tx_free(hash);
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

tx_status tx_mesh_begin(const tx_octree *tree, tx_mesh **out) {
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
  TX_THEN(status, tx_octant_hash_create(mesh));
  status = tx_agree(mesh->comm, status);
  TX_THEN(status, tx_agree(mesh->comm, count_levels(mesh)));
  if (status == TX_OK)
    *out = mesh;
  else
    tx_mesh_destroy(mesh);
  return status;
}

tx_status tx_mesh_regions(tx_mesh *mesh) {
  if (mesh->has_regions) return TX_OK;
  TX_TRY(tx_agree(mesh->comm, tx_regions_create(mesh)));
  mesh->has_regions = true;
  return TX_OK;
}

tx_status tx_mesh_end(tx_mesh *mesh) {
  TX_TRY(tx_mesh_regions(mesh));
  return tx_ghost_plan_create(mesh);
}

tx_status tx_mesh_create(const tx_octree *tree, tx_mesh **out) {
  TX_TRY(tx_mesh_begin(tree, out));
  const tx_status status = tx_mesh_end(*out);
  if (status == TX_OK) return TX_OK;
  tx_mesh_destroy(*out);
  *out = NULL;
  return status;
}

void tx_mesh_destroy(tx_mesh *mesh) {
  if (!mesh) return;
  tx_ghost_plan_destroy(&mesh->ghosts);
  tx_level_plan_destroy(mesh->level);
  hash_destroy(mesh->hash);
  tx_free(mesh->region);
  tx_free(mesh->ghost_start);
  tx_free(mesh->mirror_start);
  tx_free(mesh->mirror);
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
    while (i > 0 && x[d] < tx_mesh_side(mesh, d, level, i)) i--;
    while (i < n - 1 && x[d] >= tx_mesh_side(mesh, d, level, i + 1)) i++;
    at[d] = i;
  }
  for (int l = level; l >= mesh->level_lowest; l--) {
    tx_lidx b = tx_octant_find(mesh, l, at);
    if (b >= 0) return b < mesh->n_local ? b : -1;
    for (int d = 0; d < 3; d++) at[d] >>= 1;
  }
  return -1;
}

size_t tx_mesh_counts_bytes(const tx_mesh_counts *c) {
  size_t all = c->local + c->ghost, hash = (size_t)1 << hash_bits(all);
  return sizeof(tx_mesh) + sizeof(tx_octant_hash) + all * sizeof(tx_octant) +
         c->local * sizeof(tx_region[27]) + hash * sizeof(tx_octant_entry) +
         (2 * (c->ranks + 1) + c->mirror) * sizeof(tx_lidx) + tx_ghost_plan_bytes(c);
}
