/* The mesh of a level: its octants, what is around them, and ghosts of the same level. */
#include "octree/level_internal.h"

#include "base/memory.h"

enum { OWN = TX_REGION(0, 0, 0) };

static tx_lidx level_first(const tx_level_builder *b) {
  return b->nodes->start[b->number];
}

static tx_lidx level_count(const tx_level_builder *b) {
  return b->nodes->start[b->number + 1] - level_first(b);
}

static const tx_octant *node_octant(const tx_level_builder *b, tx_lidx node) {
  return &b->nodes->list->octant[node];
}

/* Index of a node of this level on this rank. */
static tx_lidx *here(const tx_level_builder *b, tx_lidx node) {
  return &b->here[node - level_first(b)];
}

/* The nodes of this rank, in their order. */
static tx_status list_local(tx_level_builder *b) {
  const tx_level_nodes *nodes = b->nodes;
  tx_mesh *mesh = b->mesh;
  const tx_lidx first = level_first(b), n = level_count(b);
  TX_TRY(tx_alloc_raw((size_t)n, sizeof *b->here, "levels", &b->here));
  mesh->first = -1;
  for (tx_lidx i = 0; i < n; i++) {
    const bool mine = node_octant(b, first + i)->owner == mesh->rank;
    b->here[i] = mine ? nodes->place[first + i] : -1;
    mesh->n_local += mine;
    mesh->n_leaf += mine && nodes->leaf[first + i];
    if (mine && mesh->first < 0) mesh->first = i;
  }
  if (mesh->first < 0) mesh->first = 0;
  TX_TRY(tx_alloc_raw((size_t)mesh->n_local, sizeof *b->node, "levels", &b->node));
  for (tx_lidx i = 0; i < n; i++)
    if (b->here[i] >= 0) b->node[b->here[i]] = first + i;
  TX_TRY(tx_alloc_raw((size_t)mesh->n_local, sizeof *b->region, "levels", &b->region));
  tx_level_vicinity v = {.parent = -1};
  for (tx_lidx o = 0; o < mesh->n_local; o++) tx_level_regions(nodes, b->node[o], &v, b->region[o]);
  return TX_OK;
}

/* Mark the nodes of other ranks that touch local ones: *n of them, with -2 in `here`. */
static tx_status mark_ghosts(const tx_level_builder *b, tx_lidx *n) {
  *n = 0;
  for (tx_lidx o = 0; o < b->mesh->n_local; o++)
    for (int r = 0; r < 27; r++) {
      const tx_level_region *region = &b->region[o][r];
      TX_REQUIRE(region->kind != TX_REGION_COARSER || region->node >= 0, TX_ERR_MESH,
                 "an octant of level %d touches one that is more than a level coarser",
                 b->nodes->lowest + b->number);
      if (region->kind != TX_REGION_SAME || *here(b, region->node) != -1) continue;
      *here(b, region->node) = -2;
      ++*n;
    }
  return TX_OK;
}

/* The marked nodes by owner and by their order there. */
static tx_status list_ghosts(tx_level_builder *b, tx_lidx n) {
  tx_mesh *mesh = b->mesh;
  const tx_lidx first = level_first(b), count = level_count(b), n_local = mesh->n_local;
  mesh->n_ghost = n;
  TX_TRY(tx_realloc((size_t)(n_local + n), sizeof *b->node, "levels", &b->node));
  TX_TRY(tx_realloc((size_t)(n_local + n), sizeof *b->region, "levels", &b->region));
  TX_TRY(tx_alloc((size_t)mesh->size + 1, sizeof(tx_lidx), "levels", &mesh->ghost_start));
  TX_TRY(tx_alloc((size_t)mesh->size + 1, sizeof(tx_lidx), "levels", &mesh->mirror_start));
  tx_lidx at = n_local, low = 0, high = 0;
  for (int r = 0; r < mesh->size; r++, low = high) { /* owners hold runs of nodes */
    while (high < count && node_octant(b, first + high)->owner == r) high++;
    for (int leaf = 1; leaf >= 0; leaf--)
      for (tx_lidx i = low; i < high; i++) {
        if (b->here[i] != -2 || b->nodes->leaf[first + i] != (leaf == 1)) continue;
        b->here[i] = at;
        b->node[at++] = first + i;
      }
    mesh->ghost_start[r + 1] = at - n_local;
  }
  tx_level_vicinity v = {.parent = -1};
  for (tx_lidx g = n_local; g < n_local + n; g++)
    tx_level_regions(b->nodes, b->node[g], &v, b->region[g]);
  return TX_OK;
}

/* Where the coarse octant of a region is: local index there, or the first number that is none. */
static tx_lidx coarser_index(const tx_level_builder *b, tx_lidx node) {
  const bool mine = node_octant(b, node)->owner == b->mesh->rank;
  return mine ? b->nodes->place[node] : b->coarser->n_local;
}

static tx_status fill_octants(tx_level_builder *b) {
  tx_mesh *mesh = b->mesh;
  const size_t all = (size_t)(mesh->n_local + mesh->n_ghost);
  const int level = b->nodes->lowest + b->number;
  TX_TRY(tx_alloc_raw(all, sizeof *mesh->octant, "octants", &mesh->octant));
  TX_TRY(tx_alloc_raw((size_t)mesh->n_local, sizeof *mesh->region, "regions", &mesh->region));
  for (size_t o = 0; o < all; o++) mesh->octant[o] = *node_octant(b, b->node[o]);
  for (tx_lidx o = 0; o < mesh->n_local; o++)
    for (int r = 0; r < 27; r++) {
      const tx_level_region *region = &b->region[o][r];
      tx_lidx index = -1;
      if (region->kind == TX_REGION_SAME) index = *here(b, region->node);
      if (region->kind == TX_REGION_COARSER) index = coarser_index(b, region->node);
      mesh->region[o][r] = (tx_region){region->kind, region->mirror, {index, -1, -1, -1}};
    }
  mesh->n_global = mesh->level_count[level] = level_count(b);
  mesh->level_lowest = mesh->level_highest = level;
  return tx_octant_hash_create(mesh);
}

static bool is_copied(const tx_level_region *region, int r) {
  return r != OWN && region->kind == TX_REGION_SAME;
}

static tx_slab copied(const tx_level_builder *b, tx_lidx dst, int r) {
  const tx_level_region *region = &b->region[dst][r];
  const int half[3] = {0, 0, 0};
  tx_slab slab = {.dst = dst,
                  .src = *here(b, region->node),
                  .kind = TX_SLAB_COPY,
                  .mirror = region->mirror,
                  .at = -1};
  tx_slab_shape(r, half, &slab);
  return slab;
}

/* Counts of slabs by octant, then where they begin. */
static tx_status start_slabs(const tx_level_builder *b) {
  const tx_mesh *mesh = b->mesh;
  tx_ghost_plan *plan = &b->mesh->ghosts;
  const size_t n = (size_t)mesh->n_local;
  TX_TRY(tx_alloc(n, sizeof *plan->outer, "ghost plan", &plan->outer));
  TX_TRY(tx_alloc(n + 1, sizeof(tx_lidx), "ghost plan", &plan->direct_start));
  TX_TRY(tx_alloc(n + 1, sizeof(tx_lidx), "ghost plan", &plan->slot_start));
  TX_TRY(tx_alloc(n, sizeof(tx_lidx), "ghost plan", &plan->slot_phase2));
  for (tx_lidx o = 0; o < mesh->n_local; o++) {
    tx_lidx direct = 0, received = 0, edge = 0;
    for (int r = 0; r < 27; r++) {
      const tx_level_region *region = &b->region[o][r];
      if (region->kind == TX_REGION_COARSER) edge++;
      if (!is_copied(region, r)) continue;
      if (*here(b, region->node) < mesh->n_local)
        direct++;
      else
        received++;
    }
    plan->outer[o] = tx_outer_faces(mesh, &mesh->octant[o]);
    plan->direct_start[o + 1] = plan->direct_start[o] + direct;
    plan->slot_phase2[o] = plan->slot_start[o] + received;
    plan->slot_start[o + 1] = plan->slot_phase2[o] + edge;
  }
  const size_t n_direct = (size_t)plan->direct_start[n], n_slot = (size_t)plan->slot_start[n];
  TX_TRY(tx_alloc_raw(n_direct, sizeof *plan->direct, "ghost plan", &plan->direct));
  return tx_alloc_raw(n_slot, sizeof *plan->slot, "ghost plan", &plan->slot);
}

/* Slabs that are copied; those received get places within their message. */
static void fill_copied(const tx_level_builder *b) {
  const tx_mesh *mesh = b->mesh;
  tx_ghost_plan *plan = &b->mesh->ghosts;
  for (tx_lidx o = 0; o < mesh->n_local; o++) {
    tx_slab *direct = plan->direct + plan->direct_start[o];
    tx_slab *slot = plan->slot + plan->slot_start[o];
    for (int r = 0; r < 27; r++) {
      if (!is_copied(&b->region[o][r], r)) continue;
      tx_slab slab = copied(b, o, r);
      if (slab.src < mesh->n_local) {
        *direct++ = slab;
        continue;
      }
      int64_t *points = &b->received[0][mesh->octant[slab.src].owner];
      slab.at = *points;
      *points += tx_slab_points(&slab);
      *slot++ = slab;
    }
  }
}

/* Received slabs in the order of their senders. */
static tx_status place_received(const tx_level_builder *b) {
  const tx_mesh *mesh = b->mesh;
  tx_ghost_plan *plan = &b->mesh->ghosts;
  int64_t *base = NULL;
  TX_TRY(tx_alloc((size_t)mesh->size + 1, sizeof *base, "ghost plan", &base));
  for (int r = 0; r < mesh->size; r++) base[r + 1] = base[r] + b->received[0][r];
  for (tx_lidx o = 0; o < mesh->n_local; o++)
    for (tx_lidx s = plan->slot_start[o]; s < plan->slot_phase2[o]; s++)
      plan->slot[s].at += base[mesh->octant[plan->slot[s].src].owner];
  plan->slot_points = base[mesh->size];
  tx_free(base);
  return tx_messages_list(mesh, b->received[0], 0, &plan->recv1_from, &plan->n_recv1_from);
}

/* Fill the sends of this rank: regions of ghosts that have a local source, in the order in which their owners receive
 * them. */
static tx_status fill_sent(const tx_level_builder *b) {
  const tx_mesh *mesh = b->mesh;
  tx_ghost_plan *plan = &b->mesh->ghosts;
  for (int fill = 0; fill < 2; fill++) {
    plan->n_send1 = 0;
    plan->send1_points = 0;
    for (tx_lidx g = mesh->n_local; g < mesh->n_local + mesh->n_ghost; g++)
      for (int r = 0; r < 27; r++) {
        if (!is_copied(&b->region[g][r], r)) continue;
        tx_slab slab = copied(b, g, r);
        if (slab.src < 0 || slab.src >= mesh->n_local) continue;
        slab.at = plan->send1_points;
        if (fill) {
          plan->send1[plan->n_send1] = slab;
          b->sent[0][mesh->octant[g].owner] += tx_slab_points(&slab);
        }
        plan->send1_points += tx_slab_points(&slab);
        plan->n_send1++;
      }
    if (!fill)
      TX_TRY(tx_alloc_raw((size_t)plan->n_send1, sizeof *plan->send1, "ghost plan", &plan->send1));
  }
  return tx_messages_list(mesh, b->sent[0], 0, &plan->send1_to, &plan->n_send1_to);
}

/* Octants that wait for other ranks, and those that do not. */
static tx_status split_interior(const tx_level_builder *b) {
  const tx_mesh *mesh = b->mesh;
  tx_ghost_plan *plan = &b->mesh->ghosts;
  TX_TRY(tx_alloc((size_t)mesh->n_local, sizeof(tx_lidx), "ghost plan", &plan->interior));
  TX_TRY(tx_alloc((size_t)mesh->n_local, sizeof(tx_lidx), "ghost plan", &plan->boundary));
  for (tx_lidx o = 0; o < mesh->n_local; o++)
    if (plan->slot_phase2[o] > plan->slot_start[o])
      plan->boundary[plan->n_boundary++] = o;
    else
      plan->interior[plan->n_interior++] = o;
  return TX_OK;
}

tx_status tx_level_mesh_fill(tx_level_builder *b) {
  tx_lidx ghosts = 0;
  TX_TRY(list_local(b));
  TX_TRY(mark_ghosts(b, &ghosts));
  TX_TRY(list_ghosts(b, ghosts));
  TX_TRY(fill_octants(b));
  TX_TRY(start_slabs(b));
  fill_copied(b);
  TX_TRY(place_received(b));
  TX_TRY(fill_sent(b));
  return split_interior(b);
}
