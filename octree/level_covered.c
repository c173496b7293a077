/* Between levels: children whose points go to their parents; leaves from the mesh of all leaves and back. */
#include "octree/level_internal.h"

#include "base/memory.h"

static const tx_octant *node_octant(const tx_level_nodes *nodes, tx_lidx node) {
  return &nodes->list->octant[node];
}

/* A list of descents in the making: counted, then filled. */
typedef struct descents {
  tx_descent *list;
  tx_lidx n;
} descents;

static void descent_add(descents *to, tx_lidx child, tx_lidx parent, int number) {
  if (to->list) to->list[to->n] = (tx_descent){child, parent, (uint8_t)number};
  to->n++;
}

/* All descents between `b` and the coarser level. Messages have parents in the order of their owner's octants (runs
 * of nodes; all are covered), so that both sides find the same. Descents to or from rank `other`; this rank: within. */
static void each_descent(const tx_level_builder *b, int other, descents *in, descents *out) {
  const tx_level_nodes *nodes = b->nodes;
  const int rank = b->mesh->rank;
  const tx_lidx first = nodes->start[b->number - 1], end = nodes->start[b->number];
  for (tx_lidx p = first; p < end; p++) {
    const int owner = node_octant(nodes, p)->owner;
    if (nodes->leaf[p] || (owner != rank && owner != other)) continue;
    const tx_lidx eldest = nodes->eldest[p];
    for (int c = 0; c < 8; c++) {
      const int from = node_octant(nodes, eldest + c)->owner;
      const tx_lidx child = nodes->place[eldest + c], parent = nodes->place[p];
      if (owner == rank && from == other)
        descent_add(in, other == rank ? child : -1, parent, c);
      else if (owner == other && from == rank)
        descent_add(out, child, -1, c);
    }
  }
}

static tx_status list_descents(tx_level_builder *b, int64_t *received, int64_t *sent) {
  tx_level_plan *level = b->mesh->level;
  const int rank = b->mesh->rank;
  descents own = {NULL, 0}, in = {NULL, 0}, out = {NULL, 0};
  for (int fill = 0; fill < 2; fill++) {
    own = (descents){level->descent, 0};
    in = (descents){level->receive, 0};
    out = (descents){level->send, 0};
    each_descent(b, rank, &own, &out);
    for (int r = 0; r < b->mesh->size; r++) {
      const tx_lidx before[2] = {in.n, out.n};
      if (r == rank) continue;
      each_descent(b, r, &in, &out);
      received[r] = in.n - before[0];
      sent[r] = out.n - before[1];
    }
    if (fill) break;
    TX_TRY(tx_alloc((size_t)own.n, sizeof *own.list, "levels", &level->descent));
    TX_TRY(tx_alloc((size_t)in.n, sizeof *in.list, "levels", &level->receive));
    TX_TRY(tx_alloc((size_t)out.n, sizeof *out.list, "levels", &level->send));
  }
  level->n_descent = own.n;
  level->n_receive = in.n;
  level->n_send = out.n;
  return TX_OK;
}

tx_status tx_level_descents_fill(tx_level_builder *b) {
  tx_level_plan *level = b->mesh->level;
  const tx_mesh *mesh = b->mesh;
  int64_t *counts = NULL;
  if (!b->coarser) return TX_OK;
  TX_TRY(tx_alloc(2 * (size_t)mesh->size, sizeof *counts, "levels", &counts));
  int64_t *sent = counts + mesh->size;
  tx_status status = list_descents(b, counts, sent);
  TX_THEN(status, tx_messages_list(mesh, counts, 0, &level->receive_from, &level->n_receive_from));
  TX_THEN(status, tx_messages_list(mesh, sent, 0, &level->send_to, &level->n_send_to));
  tx_free(counts);
  return status;
}

/* Where the leaves of each rank begin among those of the level, on its grid. */
static void leaves_first(const tx_level_builder *b, tx_gidx *first) {
  const tx_level_nodes *nodes = b->nodes;
  for (tx_lidx i = nodes->start[b->number]; i < nodes->start[b->number + 1]; i++)
    if (nodes->leaf[i]) first[node_octant(nodes, i)->owner + 1]++;
  for (int r = 0; r < b->mesh->size; r++) first[r + 1] += first[r];
}

/* Octants [0, n) as they are, or those of `list`. */
static tx_status remap_fill(tx_transfer *t, tx_lidx n, const tx_lidx *list) {
  t->n_remap = n;
  TX_TRY(tx_alloc((size_t)n, sizeof *t->remap, "levels", &t->remap));
  for (tx_lidx i = 0; i < n; i++)
    t->remap[i] = (tx_octant_remap){.change = TX_KEEP_OCTANT, .old = list ? list[i] : i};
  return TX_OK;
}

static tx_status list_stored(tx_level_builder *b, const tx_mesh *leaves) {
  tx_level_plan *level = b->mesh->level;
  const int own = b->mesh->level_lowest;
  TX_TRY(tx_alloc((size_t)leaves->n_local, sizeof *level->leaf, "levels", &level->leaf));
  for (tx_lidx o = 0; o < leaves->n_local; o++)
    if (leaves->octant[o].level == own) level->leaf[level->n_stored++] = o;
  return TX_OK;
}

tx_status tx_level_transfers_fill(tx_level_builder *b, const tx_mesh *leaves) {
  tx_level_plan *level = b->mesh->level;
  const int rank = b->mesh->rank, size = b->mesh->size;
  const tx_gidx *before = b->nodes->leaf_first + (size_t)b->number * ((size_t)size + 1);
  tx_gidx *now = NULL;
  TX_TRY(tx_alloc((size_t)size + 1, sizeof *now, "levels", &now));
  leaves_first(b, now);
  level->load.from_revision = level->store.to_revision = leaves->revision;
  level->load.to_revision = level->store.from_revision = b->mesh->revision;
  tx_status status = list_stored(b, leaves);
  TX_THEN(status, remap_fill(&level->load, level->n_stored, level->leaf));
  TX_THEN(status, remap_fill(&level->store, b->mesh->n_leaf, NULL));
  TX_THEN(status, tx_transfer_messages(rank, size, before, now, &level->load));
  TX_THEN(status, tx_transfer_messages(rank, size, now, before, &level->store));
  tx_free(now);
  return status;
}

/* Where the children of each rank's covered octants, and the nodes of each rank, begin among the level's nodes. */
static void children_first(const tx_level_builder *b, tx_gidx *parents, tx_gidx *own) {
  const tx_level_nodes *nodes = b->nodes;
  const int size = b->mesh->size;
  for (tx_lidx p = nodes->start[b->number - 1]; p < nodes->start[b->number]; p++)
    if (!nodes->leaf[p]) parents[node_octant(nodes, p)->owner + 1] += 8;
  for (tx_lidx c = nodes->start[b->number]; c < nodes->start[b->number + 1]; c++)
    own[node_octant(nodes, c)->owner + 1]++;
  for (int r = 0; r < size; r++) {
    parents[r + 1] += parents[r];
    own[r + 1] += own[r];
  }
}

static tx_status list_children(const tx_level_builder *b, tx_lidx n, tx_transfer *t) {
  const tx_level_nodes *nodes = b->nodes;
  TX_TRY(tx_alloc((size_t)n, sizeof *t->remap, "levels", &t->remap));
  for (tx_lidx p = nodes->start[b->number - 1]; p < nodes->start[b->number]; p++) {
    if (nodes->leaf[p] || node_octant(nodes, p)->owner != b->mesh->rank) continue;
    for (int c = 0; c < 8; c++)
      t->remap[t->n_remap++] = (tx_octant_remap){
          .change = TX_REFINE_OCTANT, .child = (uint8_t)c, .old = nodes->place[p]};
  }
  return TX_OK;
}

static tx_status list_nodes(tx_level_builder *b) {
  const tx_level_nodes *nodes = b->nodes;
  tx_level_plan *level = b->mesh->level;
  tx_lidx n = 0;
  /* one more: not NULL where there are none */
  TX_TRY(tx_alloc((size_t)b->mesh->n_local + 1, sizeof *level->node, "levels", &level->node));
  for (tx_lidx c = nodes->start[b->number]; c < nodes->start[b->number + 1]; c++)
    if (node_octant(nodes, c)->owner == b->mesh->rank) level->node[n++] = nodes->place[c];
  return TX_OK;
}

tx_status tx_level_descend_fill(tx_level_builder *b) {
  const int rank = b->mesh->rank, size = b->mesh->size;
  tx_transfer *t = &b->mesh->level->descend;
  tx_gidx *parents = NULL;
  TX_TRY(tx_alloc(2 * ((size_t)size + 1), sizeof *parents, "levels", &parents));
  tx_gidx *own = parents + size + 1;
  children_first(b, parents, own);
  t->from_revision = t->to_revision = b->mesh->revision;
  tx_status status = list_children(b, (tx_lidx)(parents[rank + 1] - parents[rank]), t);
  TX_THEN(status, list_nodes(b));
  TX_THEN(status, tx_transfer_messages(rank, size, parents, own, t));
  tx_free(parents);
  return status;
}
