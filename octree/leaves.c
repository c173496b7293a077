/* A forest from the list of its leaves. */
#include "octree/internal.h"

#include <p8est.h>
#include <p8est_bits.h>
#include <p8est_extended.h>

#include "base/memory.h"

/* Octants that are not leaves, by key; a free entry is 0. */
typedef struct branches {
  const tx_octree *tree;
  uint64_t *key;
  uint64_t mask;
  int shift;
  size_t n;
} branches;

/* Where the key is or has to go. */
static uint64_t *branch_find(const branches *b, uint64_t key) {
  uint64_t at = tx_hash_place(key, b->shift);
  while (b->key[at] != 0 && b->key[at] != key) at = (at + 1) & b->mask;
  return &b->key[at];
}

/* Every octant above a leaf. Distinct leaves of a tree have less than n/7 of them, but the list may be
 * anything: too many mean that it is no tree. */
static tx_status branches_create(branches *b, const tx_domain *domain, tx_gidx n,
                                 const tx_leaf *leaf) {
  size_t room = 64;
  b->shift = 64 - 6;
  while (room < (size_t)n / 2) room *= 2, b->shift--;
  b->mask = room - 1;
  TX_TRY(tx_alloc(room, sizeof *b->key, "octants", &b->key));
  for (tx_gidx i = 0; i < n; i++) {
    int32_t x[3] = {leaf[i].x[0], leaf[i].x[1], leaf[i].x[2]};
    for (int level = leaf[i].level - 1; level >= 0; level--) {
      for (int d = 0; d < 3; d++) x[d] >>= 1;
      uint64_t key = tx_octant_key(domain, level, x), *at = branch_find(b, key);
      if (*at == key) break;
      TX_REQUIRE(b->n < room / 2, TX_ERR_MESH, "the list of %lld leaves is not that of an octree",
                 (long long)n);
      *at = key;
      b->n++;
    }
  }
  return TX_OK;
}

static tx_status check_leaves(const tx_domain *domain, tx_gidx n, const tx_leaf *leaf) {
  for (tx_gidx i = 0; i < n; i++) {
    bool good = leaf[i].level >= 0 && leaf[i].level <= tx_domain_level_most(domain);
    for (int d = 0; good && d < 3; d++)
      good = leaf[i].x[d] >= 0 && leaf[i].x[d] >> leaf[i].level < tx_domain_trees(domain, d);
    TX_REQUIRE(good, TX_ERR_MESH, "leaf %lld, level %d at (%d, %d, %d), lies outside the domain",
               (long long)i, leaf[i].level, leaf[i].x[0], leaf[i].x[1], leaf[i].x[2]);
  }
  return TX_OK;
}

static int is_branch(p8est_t *forest, p4est_topidx_t which_tree, p8est_quadrant_t *q) {
  const branches *b = forest->user_pointer;
  tx_octant o = tx_octant_of(b->tree, which_tree, q);
  uint64_t key = tx_octant_key(&b->tree->domain, o.level, o.x);
  return *branch_find(b, key) == key;
}

/* Level by level, shared out anew after each, so that no rank ever holds much more than its part. */
static void refine(p8est_t *forest, branches *b) {
  p4est_gloidx_t before = 0;
  forest->user_pointer = b;
  while (before != forest->global_num_quadrants) {
    before = forest->global_num_quadrants;
    p8est_refine(forest, 0, is_branch, NULL);
    p8est_partition_ext(forest, 1, NULL);
  }
  forest->user_pointer = NULL;
}

static tx_status compare(const tx_octree *tree, tx_gidx n, const tx_leaf *leaf) {
  tx_octant *now = NULL;
  tx_lidx n_now = 0;
  const p8est_t *forest = tree->forest;
  TX_REQUIRE(forest->global_num_quadrants == n, TX_ERR_MESH,
             "%lld leaves do not tile the domain: the forest made of them has %lld", (long long)n,
             (long long)forest->global_num_quadrants);
  TX_TRY(tx_octree_local(tree, &n_now, &now));
  const tx_leaf *mine = leaf + forest->global_first_quadrant[forest->mpirank];
  bool same = true;
  for (tx_lidx b = 0; b < n_now; b++) {
    same = same && now[b].level == mine[b].level;
    for (int d = 0; d < 3; d++) same = same && now[b].x[d] == mine[b].x[d];
  }
  tx_free(now);
  TX_REQUIRE(same, TX_ERR_MESH, "the list of %lld leaves does not tile the domain in Morton order",
             (long long)n);
  return TX_OK;
}

tx_status tx_octree_create_from(MPI_Comm comm, const tx_domain *domain, tx_gidx n,
                                const tx_leaf *leaf, tx_octree **out) {
  branches b = {0};
  *out = NULL;
  tx_status status = check_leaves(domain, n, leaf);
  TX_THEN(status, branches_create(&b, domain, n, leaf));
  status = tx_agree(comm, status);
  TX_THEN(status, tx_octree_create(comm, domain, 0, out));
  if (status == TX_OK) {
    b.tree = *out;
    refine((*out)->forest, &b);
    status = tx_agree(comm, compare(*out, n, leaf));
  }
  tx_free(b.key);
  if (status == TX_OK) return TX_OK;
  tx_octree_destroy(*out);
  *out = NULL;
  return status;
}
