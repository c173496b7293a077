/* The number of octants that memory allows, so that no grid is started that does not fit. */
#pragma once

#include <mpi.h>
#include "base/status.h"
#include "base/types.h"
#include "octree/level.h"
#include "params/params.h"
#include "physics/system.h"

/** Copies of the state that a time step needs, all octants in step. */
#define TX_STEP_COPIES 4
/** With steps of levels: the leaves; the leaves in the levels' grids. To these come covered octants, and copies of one level's
 *  grid, the largest. */
#define TX_LEVELS_COPIES 2
#define TX_LEVEL_COPIES  3

/** What a grid must fit into. */
typedef struct tx_grid_limit {
  tx_gidx most;        /**< octants, of all ranks */
  double octant_bytes; /**< that each takes at least; 0: the number itself is limited */
  double bytes;        /**< that there are */
  double state_bytes;  /**< of the state of an octant; of tables: 0 */
  const char *why;     /**< whose memory it is, or who sets the limit; literal */
} tx_grid_limit;

/** Copies of the state that the time steps of `p` need at least, of all leaves: the largest level has its share of them
 *  at least. Local. */
double tx_step_copies(const tx_params *p);

/** Limit of grids with `copies` of the state: the memory of the GPUs, if they compute, or of the hosts, shared
 *  out among their ranks as the octants are. What else a run takes is not counted: a grid that is refused
 *  cannot be evolved. Collective; the same on all ranks. */
tx_status tx_grid_limit_of_fields(MPI_Comm comm, const tx_system *system, double copies,
                                  tx_grid_limit *out);

/** Limit of the tables of a mesh alone, or, with a copy of the state of a system; NULL: of none. Collective. */
tx_status tx_grid_limit_of_tables(MPI_Comm comm, const tx_system *system, tx_grid_limit *out);

/** TX_ERR_MEMORY if levels of so many leaves over all ranks, [TX_LEVELS], do not fit in there with their grids and the copies
 *  of the state that their steps need. Local. */
tx_status tx_grid_limit_check_levels(const tx_grid_limit *limit, const tx_gidx leaves[TX_LEVELS]);

/** TX_ERR_MEMORY, with number, bytes and remedy, if `octants` are more than the limit allows. Local. `limit`: a
 *  tx_grid_limit. */
tx_status tx_grid_limit_check(const void *limit, tx_gidx octants);
