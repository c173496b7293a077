/* The number of octants that memory allows, so that no grid is started that does not fit. */
#pragma once

#include <mpi.h>
#include "base/status.h"
#include "base/types.h"
#include "octree/level.h"
#include "params/params.h"
#include "physics/system.h"

/** Copies of the state that a time step of all octants needs. */
#define TX_STEP_COPIES 4
/** Copies of the state with local time steps: the leaves once on the mesh and once on the levels' grids, besides covered octants; and
 *  copies of the largest level. */
#define TX_LEVELS_COPIES 2
#define TX_LEVEL_COPIES  3

/** Limit of the size of a grid. */
typedef struct tx_grid_limit {
  tx_gidx most;        /**< number of octants allowed, all ranks */
  double octant_bytes; /**< least memory of an octant; 0: the number itself is limited */
  double bytes;        /**< memory available */
  double state_bytes;  /**< memory of the state of an octant; 0 where the limit is of tables */
  const char *why;     /**< whose memory it is, or who sets the limit; literal */
} tx_grid_limit;

/** Return the copies of the state of all leaves that the time steps of `p` need at least: the largest level has at least
 *  the mean number of leaves. Local. */
double tx_step_copies(const tx_params *p);

/** Find the limit of grids with `copies` of the state: the memory of the GPUs, if they compute, or of the hosts, shared
 *  out among their ranks as the octants are. No other memory is counted, so a grid that is refused cannot be evolved.
 *  Collective; the same on all ranks. */
tx_status tx_grid_limit_of_fields(MPI_Comm comm, const tx_system *system, double copies,
                                  tx_grid_limit *out);

/** Find the limit of the tables of a mesh with one copy of the state of `system` (NULL: tables alone). Collective. */
tx_status tx_grid_limit_of_tables(MPI_Comm comm, const tx_system *system, tx_grid_limit *out);

/** Fail with TX_ERR_MEMORY if levels of so many leaves, [TX_LEVELS], all ranks, do not fit with their grids and the copies
 *  of the state that local time steps need. Local. */
tx_status tx_grid_limit_check_levels(const tx_grid_limit *limit, const tx_gidx leaves[TX_LEVELS]);

/** Fail with TX_ERR_MEMORY, number, bytes and remedy if the limit, a tx_grid_limit, allows fewer than `octants`. Local. */
tx_status tx_grid_limit_check(const void *limit, tx_gidx octants);
