/* Plans on the grids of refinement levels, and the transfer of data between levels; see octree/level.h.
 *
 * The plan of a level's grid is a tx_exec like any other: fields, sets, stages, samples, checksums work on it, leaves and
 * covered octants alike. Its ghosts at the refinement boundary and its planes come from *stored stages*: up to
 * TX_STORED_STAGES states of the next coarser grid, interpolated to where this grid needs them and kept. Before ghosts of a
 * field are filled, its refinement boundary is made as a linear combination of them. */
#pragma once

#include "exec/exec.h"
#include "octree/level.h"

/** Stored stages that a plan keeps: the four stage states of the coarser grid's step, and the state at its end. */
#define TX_STORED_STAGES 5

/** Collective. Create the plans of grids number `first` and finer, with the communication of one: exec [grids->n], where
 *  those of coarser grids are. Borrows all. After a failure the new ones are NULL. */
tx_status tx_exec_create_levels(const tx_level_grids *grids, int first, int max_vars,
                                tx_exec *exec[]);

/** Collective. Interpolate f, a field of the coarser plan with its ghosts filled, to stored stage k of `fine`,
 *  concurrently with other work until tx_stage_store_end. Call that before f changes; other ranks may still be at
 *  work then. tx_stage_store does both. All return the failure of this rank, for the caller to agree on. */
tx_status tx_stage_store_begin(tx_exec *fine, int k, const tx_field *f);
tx_status tx_stage_store_end(tx_exec *fine);
tx_status tx_stage_store(tx_exec *fine, int k, const tx_field *f);

/** Make the refinement boundary of f, the sum of c[k] times stored stage k; stages with c[k] = 0 are not read. The planes
 *  of f are set now, its ghosts at the boundary by the next tx_ghosts_begin, which refuses a field whose boundary was not
 *  made since its last change (TX_ERR_USAGE). No operation on the coarsest level. Collective: pending messages of stored stages
 *  are received. */
tx_status tx_level_boundary_make(tx_exec *fine, const double c[TX_STORED_STAGES], tx_field *f);

/** Collective. Restrict f, of the plan `fine`, to the covered octants of `coarse`, by injection of coinciding points. The
 *  planes of f must have been made from the state of `coarse`: they are injected too, and so change nothing.
 *  Returns the failure of this rank. */
tx_status tx_level_inject(tx_exec *fine, const tx_field *f, tx_field *coarse);

/** Collective. Copy the leaves of a level from a field of the level's plan to one on the mesh of leaves. Leaves of
 *  other levels keep their values. The status is agreed. `room`: scratch memory of the caller, `doubles` long, for
 *  leaves from other ranks; if it is NULL or too small, the function allocates its own. */
tx_status tx_level_store(tx_exec *level, tx_field *f, double *room, size_t doubles,
                         tx_field *leaves);

/** Arguments of tx_level_store_all: n levels, f[i] being of the plan level[i]. */
typedef struct tx_store {
  int n;
  tx_exec *const *level;
  tx_field *const *f;
  double *room;   /**< may be NULL */
  size_t doubles; /**< of `room` */
} tx_store;

/** Collective. Copy the leaves of n levels from a field on the mesh of leaves to f[i], of the plan level[i]. Points of
 *  covered octants keep their values. The status is agreed. */
tx_status tx_level_load_all(const tx_field *leaves, int n, tx_exec *const level[],
                            tx_field *const f[]);

/** Collective. Copy the leaves of several levels as tx_level_store does, with as many agreements as for one. */
tx_status tx_level_store_all(const tx_store *s, tx_field *leaves);

/** Prepare the table of destinations of tx_level_store on the backend, after the grids were made or kept. Without
 *  this call the next tx_level_store does it. Local. */
tx_status tx_level_prepare_store(tx_exec *level);

/** Create a field in memory of the caller, `doubles` long: at least tx_field_state_doubles of its octants. Its values are
 *  those in memory. Several fields, also of several plans, may use one block in turn. Local. Errors: TX_ERR_USAGE
 *  if the block is too small. */
size_t tx_field_state_doubles(const tx_system *system, tx_lidx octants);
tx_status tx_field_create_state_in(tx_exec *x, const tx_system *system, double *block,
                                   size_t doubles, tx_field **out);

/** Let stored stages use memory of the caller, at least tx_stored_stages_doubles long (a multiple of 256 bytes; 0: the plan
 *  needs none). All stored stages become invalid. The memory may serve other purposes between macro steps, and while
 *  levels coarser than the next coarser one take steps. NULL, the initial state: the plan allocates memory when a
 *  state is first kept. Local. */
size_t tx_stored_stages_doubles(const tx_exec *fine);
void tx_stored_stages_lend(tx_exec *fine, double *block);

/** Create or destroy such a block, where the backend computes; zeroed. Local. */
tx_status tx_exec_block_create(size_t doubles, double **out);
void tx_exec_block_destroy(double *block);
