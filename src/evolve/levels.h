/* Local time steps: each refinement level takes its own, and all levels are synchronised after the macro step.
 *
 * Every level is a grid of its own (octree/level.h, exec/level.h). A coarser level takes its step first. At each
 * stage of the next finer level, the ghosts at its refinement boundary are a combination of the four stage states of the coarser
 * step and the state at its end, interpolated in space. Within a step no data flow from fine to coarse; after
 * it, the finer level is injected into the covered octants. */
#pragma once

#include "evolve/time_weights.h"
#include "evolve/tracker.h"

/** The grids, plans and states of all levels, made for one mesh of leaves. Owns all. Between macro steps covered octants have the
 *  points of the finer levels, and planes those of the coarser ones. */
typedef struct tx_levels {
  MPI_Comm comm;           /**< borrowed */
  const tx_system *system; /**< of the states */
  tx_level_grids *grids;
  int n; /**< of levels, number 0 the coarsest */
  tx_exec *exec[TX_LEVELS];
  tx_field *u[TX_LEVELS], *sum[TX_LEVELS], *y1[TX_LEVELS], *y2[TX_LEVELS];
  /** Memory shared by the levels, one after the other: sum, y1 and y2 of the level that takes a step, and stored stages of it and of
   *  finer levels. The first block exists if levels were kept at a regrid, the second holds what does not fit into
   *  the first. */
  double *block[2];
  size_t doubles, second, second_at; /**< of the blocks; where in all of it the second one begins */
  size_t enough;                     /**< doubles that are enough after a regrid, most often */
  /** Mesh and state from which grids, plans and states from number grids->kept on are still to be made; borrowed until
   *  the step that makes them. leaves NULL: all are complete. */
  const tx_mesh *mesh;
  const tx_field *leaves;
  double point_stages; /**< computed so far, all ranks */
} tx_levels;

/** Arguments of a macro step. */
typedef struct tx_macro_step {
  double t, dt; /**< its start and length, M */
  int halvings; /**< m: the finest level takes dt 2^-m, every coarser one twice as long a step, but dt at most */
  const tx_system_params *physics; /**< with eta_max for steps of dt 2^-m */
  tx_tracker *tracker;
  const tx_time_weight_tables *weights; /**< NULL: tx_time_weights_rk4; others are for tests */
  /** Concurrent work, or NULL: part 0 is called before the finest level's first step, part 1 before the first
   *  one of its second half, when the GPU has the longest queue. Collective; its status is agreed. */
  tx_status (*meanwhile)(void *with, int part);
  void *with;
} tx_macro_step;

/** The shared memory is larger than needed by one part in so many, so that levels may grow in a regrid. */
#define TX_LEVELS_GROWTH 16

/** Number of parts of the concurrent work. */
#define TX_MEANWHILE_PARTS 2

/** Create the levels of a mesh of leaves, with the state `leaves` on that mesh. Collective. The caller owns *out. The status
 *  is agreed. */
tx_status tx_levels_create(const tx_mesh *mesh, const tx_field *leaves, tx_levels **out);
void tx_levels_destroy(tx_levels *levels);

/** Local. Free the memory that is needed only during steps; call tx_levels_renew before the next step. */
void tx_levels_rest(tx_levels *levels);
/** Collective. Adapt the levels to a mesh that has changed, with the state `leaves` on it: `leaves` must be the
 *  output of tx_levels_store except in octants that were refined or coarsened. Grids, plans and states of unchanged
 *  coarse levels are kept. Finer ones may be made during the next step, while a GPU computes the coarse levels;
 *  mesh and leaves must not change until then. The status is agreed; after a failure, of that step too, levels can
 *  only be destroyed. */
tx_status tx_levels_renew(tx_levels *levels, const tx_mesh *mesh, const tx_field *leaves);

/** Collective. Advance all levels by step->dt, and the punctures with the level of the leaf that contains them. The
 *  status is agreed. Errors: TX_ERR_MESH if a puncture leaves the grid of its level on the way, or begins outside of
 *  the domain. */
tx_status tx_levels_step(tx_levels *levels, const tx_macro_step *step);

/** Collective. Copy the leaves of all levels to the mesh of leaves that the levels were made for. The status is
 *  agreed. */
tx_status tx_levels_store(tx_levels *levels, tx_field *leaves);

/** Find what tx_exec_algebraic finds, over all levels since the last call. Collective. */
tx_status tx_levels_algebraic(tx_levels *levels, double out[2]);
