/* Sets of octants: what operations work through.
 *
 * A set lists local octants of the mesh that a plan (tx_exec) was made for, and is valid as long as the plan.
 * The backend keeps its own copy where it computes. Every plan has three: all its octants, and those that do
 * and do not need values of other ranks in their ghost zones. */
#pragma once

#include "base/status.h"
#include "base/types.h"

typedef struct tx_exec tx_exec;
typedef struct tx_set tx_set;

/** Local. Create the set of octant[n], local ones, each at most once; operations go through them in this order. Copies
 *  the list. The caller owns *out, and destroys it before `x`. Errors: TX_ERR_USAGE for an octant that is not
 *  local or listed twice; TX_ERR_MEMORY. */
tx_status tx_set_create(tx_exec *x, tx_lidx n, const tx_lidx *octant, tx_set **out);
void tx_set_destroy(tx_set *set);

/** Return the number of octants of the set, and the list of them, [count], a view. Local. */
tx_lidx tx_set_count(const tx_set *set);
const tx_lidx *tx_set_octants(const tx_set *set);

/** Return the sets that every plan owns: all octants; those that need no ghosts from other ranks; the others. NULL
 *  before tx_exec_end; operations refuse NULL. Local. */
const tx_set *tx_exec_all(const tx_exec *x);
const tx_set *tx_exec_interior(const tx_exec *x);
const tx_set *tx_exec_boundary(const tx_exec *x);
