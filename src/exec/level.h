/* Plans on the grids of levels, and what goes from one level to the next: octree/level.h.
 *
 * The plan of a level's grid is a tx_exec like any other: fields, sets, stages, samples, checksums work on it, leaves and
 * shadows alike. Its ghosts at the edge and its planes come from *edge states*: up to TX_EDGE_STATES states of the next
 * coarser grid, interpolated to where this grid needs them and kept. Before ghosts of a field are filled, the edge of that
 * field is made as a linear combination of them. */
#pragma once

#include "exec/exec.h"
#include "octree/level.h"

/** Edge states that a plan keeps: the four stage states of the coarser grid's step, and the state at its end. */
#define TX_EDGE_STATES 5

/** Collective. The plan of the grid of a level; `coarser`: that of the next coarser level, NULL for the coarsest. Borrows both. */
tx_status tx_exec_create_level(const tx_mesh *grid, int max_vars, tx_exec *coarser, tx_exec **out);

/** Collective. f, of the coarser plan and with its ghosts filled, becomes edge state k of `fine`, beside what is computed
 *  until tx_edge_keep_end, which must come before f changes. On other ranks it may still be under way then. They return
 *  what failed on this rank, for the caller to agree on. tx_edge_keep: both. */
tx_status tx_edge_keep_begin(tx_exec *fine, int k, const tx_field *f);
tx_status tx_edge_keep_end(tx_exec *fine);
tx_status tx_edge_keep(tx_exec *fine, int k, const tx_field *f);

/** The edge of f is the sum of c[k] times edge state k, those with c[k] = 0 not being read: f's planes now, its ghosts at
 *  the edge with the next tx_ghosts_begin, which refuses a field whose edge was not made since its last change
 *  (TX_ERR_USAGE). Nothing to do on the coarsest level. Collective: what edge states wait for is received. */
tx_status tx_edge_make(tx_exec *fine, const double c[TX_EDGE_STATES], tx_field *f);

/** Collective. The shadows of `coarse` take their points from those of f, of the plan `fine`, that coincide. f's planes must
 *  have been made from the state of `coarse`: they are taken with the rest and so change nothing. It returns what failed on
 *  this rank. */
tx_status tx_level_inject(tx_exec *fine, const tx_field *f, tx_field *coarse);

/** Collective. Leaves from a field of the mesh of leaves to one of a level's plan, the shadows' points not being touched,
 *  and back, the other levels' leaves not being touched. The status is agreed. `room`: memory of the caller's, `doubles` of it,
 *  where leaves from other ranks arrive; if it is too small for them, or NULL, memory of its own. */
tx_status tx_level_load(const tx_field *leaves, tx_exec *level, tx_field *f);
tx_status tx_level_store(tx_exec *level, const tx_field *f, double *room, size_t doubles,
                         tx_field *leaves);

/** The places that tx_level_store writes to, where the backend computes. After the grids were made or kept anew; without, the
 *  next tx_level_store does so. Local. */
tx_status tx_level_prepare_store(tx_exec *level);

/** A field that lives in memory of the caller's, `doubles` of them: at least tx_field_state_doubles of its octants. Contents are what
 *  the memory holds. Several fields may take turns with one block, also those of several plans. Local. Errors: TX_ERR_USAGE if
 *  the block is too small. */
size_t tx_field_state_doubles(const tx_system *system, tx_lidx octants);
tx_status tx_field_create_state_in(tx_exec *x, const tx_system *system, double *block,
                                   size_t doubles, tx_field **out);

/** Edge states that live in memory of the caller's, at least tx_edge_doubles of it (0: the plan has all that it takes), a
 *  multiple of 256 bytes. None is kept until it is kept anew. Between macro steps, and while coarser levels than the next
 *  one step, that memory may serve others. NULL, the start: memory of the plan's own, made when a state is first kept. Local. */
size_t tx_edge_doubles(const tx_exec *fine);
void tx_edge_lend(tx_exec *fine, double *block);

/** Such a block, where the backend computes; zeroed. Local. */
tx_status tx_exec_block_create(size_t doubles, double **out);
void tx_exec_block_destroy(double *block);
