/* Release the plan of a level's grid. */
#include <string.h>

#include "base/memory.h"
#include "octree/level_internal.h"

static void transfer_free(tx_transfer *t) {
  tx_free(t->remap);
  tx_free(t->send);
  tx_free(t->recv);
  memset(t, 0, sizeof *t);
}

void tx_level_transfers_free(tx_level_plan *p) {
  transfer_free(&p->load);
  transfer_free(&p->store);
  tx_free(p->leaf);
  p->leaf = NULL;
  p->n_stored = 0;
}

void tx_level_plan_destroy(tx_level_plan *p) {
  if (!p) return;
  tx_level_transfers_free(p);
  transfer_free(&p->descend);
  tx_free(p->node);
  tx_free(p->plane);
  tx_free(p->planes);
  tx_free(p->descent);
  tx_free(p->send);
  tx_free(p->receive);
  tx_free(p->send_to);
  tx_free(p->receive_from);
  tx_free(p);
}
