/* What the files of `tendex check` share. All functions are local: one process does all of it. */
#pragma once

#include <stdbool.h>
#include "advice/budget.h"
#include "base/text.h"
#include "evolve/macro.h"
#include "evolve/sim.h"
#include "machine/compute.h"

/** Modes with higher l are nothing that a grid is refined for, unless it is asked for: without notes. */
#define TX_CHECK_L 4

/** What `tendex check' is asked for. Borrows all. */
typedef struct tx_check_options {
  const char *par_shown; /**< path of the parameter file, as output shows it */
  int ranks;             /**< that the run will have; 0: as many as now */
  int threads;           /**< a rank, as given; 0: not given */
  double speed;          /**< point-stages a second a core; 0: measured */
  const char *machine;   /**< that the run will have, "2 H200"; NULL: not said */
  bool strict;           /**< notes are failures */
} tx_check_options;

/** Show what a run of `p` would be on the ranks that the options name (as now, if none): grid, time
 *  step, partition, halo, memory, cost; and note what an expert would. Collective. */
tx_status tx_check_main(MPI_Comm comm, const tx_params *p, const tx_check_options *options);

/** What a run takes. */
typedef struct tx_estimate {
  double points; /**< of the first grid */
  double steps, point_stages;
  double host_bytes, device_bytes; /**< at most a rank; of its GPU, if it has one */
  double wall_s;                   /**< on the machine */
  double h_finest, dt;             /**< M */
  int notes;
} tx_estimate;

/** A run that is looked at but not done: its first grid, on one process. */
typedef struct tx_check {
  const tx_params *p;
  tx_adm_numbers adm;  /**< of a preview of the data */
  tx_grid_limit limit; /**< for the grid that is looked at */
  tx_policy policy;
  tx_mesh *mesh;
  int ranks, threads; /**< that the run will have */
  tx_rank_load *load; /**< [ranks] */
  tx_compute compute; /**< of this machine */
  bool gpu;           /**< the run will have a GPU a rank */
  double speed;       /**< point-stages a second a core or a GPU; 0: not known */
  tx_macro macro;     /**< how the levels of the first grid step */
  int levels;         /**< with grids of their own; 0 with one time step for all levels */
  double level_slots; /**< points of their ghosts, all levels, on one rank */
  double level_edges[TX_LEVELS]; /**< points of an stored stage of each, on one rank */
  double grown;   /**< work on a grid that has followed the holes, over that on the first one */
  double remnant; /**< the same after their merger */
  double
      larger; /**< points of the grid that has followed the holes over those of the first one, at least 1 */
  double dt, steps;         /**< of the finest level: M, to run.t_end or run.max_steps */
  double merger;            /**< when two holes merge, M, about; -1: not known, or never */
  double turns;             /**< orbits that they do until then, about; 0: not known */
  double approach;          /**< without a merger: when they are closest first, M; -1: never */
  bool orbits;              /**< two holes go round each other, on a bound orbit or in a plunge */
  double wall_s;            /**< estimated, without messages, waves and output */
  int notes;                /**< given so far */
  tx_text *said;            /**< what they say, a line each; NULL: not wanted. Borrowed */
  tx_estimate found;        /**< all in all */
  const tx_budget *machine; /**< that the run is for; NULL: not said. Borrowed */
} tx_check;

/** What `tendex check --machine' finds of `p` on each of n machines, without a word in the log; notes on the first of them go to
 *  `said`, a line each. Local. Errors: as `tendex check'. */
tx_status tx_check_estimate(const tx_params *p, int n, const tx_budget *machines, tx_text *said,
                            tx_estimate *out);

/** Ranks and threads on a machine: a rank a GPU; one rank with all cores. Local. */
void tx_check_set_machine(tx_check *c, const tx_budget *machine);

/** Seconds of the whole run on the machine. Local. */
double tx_check_machine_s(const tx_check *c);

/** Set found, when all else is known. Local. */
void tx_check_found(tx_check *c);

/** Note what does not fit there. Local. */
void tx_check_machine(tx_check *c);

/** Bytes of all variables of a point. */
double tx_check_state_bytes(const tx_check *c);

/** Bytes that a rank with this load holds at most: fields, ghosts, tables, buffers of threads. */
double tx_check_rank_bytes(const tx_check *c, const tx_rank_load *load);

/** Bytes of its GPU that a rank with this load needs at most, beside what the driver takes. */
double tx_check_device_bytes(const tx_check *c, const tx_rank_load *load);

/** Octants of the largest rank over their mean, less 1. */
double tx_check_imbalance(const tx_check *c);

/** Set macro and what begins with level. Errors: those of tx_level_grids_create. */
tx_status tx_check_levels_count(tx_check *c);

/** What grids of levels take on the rank that has most: octants; bytes of their states, and of what is there only while levels
 *  step; points of ghosts; how many points are exchanged where the mesh of leaves exchanges as many as `points`, about. Of points
 *  that are interpolated one in `overlap` is stored. */
double tx_check_levels_octants(const tx_check *c);
double tx_check_levels_fields(const tx_check *c);
double tx_check_levels_stepping(const tx_check *c, double overlap);
double tx_check_levels_ghosts(const tx_check *c, double overlap);
double tx_check_levels_exchanged(const tx_check *c, int64_t points);

/** Steps between what is done, to be proposed: at most so many, at least one, and such that levels may take as long steps as
 *  they could. */
double tx_check_interval(const tx_check *c, double most);

/** Set `grown`, `remnant` and `larger`; changes the forest. Collective. Errors: those of tx_grid_follow and tx_grid_build. */
tx_status tx_check_changes(tx_check *c, const tx_initial_data *id, tx_octree *tree);

/** Part of the run after the merger. Local. */
double tx_check_merged(const tx_check *c);

/** Point-stages of the run, covered octants included, on grids that follow the holes; work of the rank with most of it over the mean, less 1. */
double tx_check_point_stages(const tx_check *c);
double tx_check_work_imbalance(const tx_check *c);

/** Log ranks, halo, memory and cost; sets wall_s. */
void tx_check_show(tx_check *c);

/** Log what of the waves arrives at the outermost sphere, and whether a coarser grid disturbs it. */
void tx_check_show_waves(const tx_check *c);

/** A note: what an expert would look at twice, with numbers and a remedy. */
void tx_check_note(tx_check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Log how the holes move; set merger, turns, approach and orbits. Errors: TX_ERR_MEMORY. */
tx_status tx_check_motion(tx_check *c);

/** Notes on what a run is for: its end, horizons, dissipation. */
void tx_check_purpose(tx_check *c);

/** The innermost and the outermost of waves.radii, M; 0 without any. */
void tx_check_radii(const tx_check *c, double *innermost, double *outermost);

/** Note a sphere of the parameter `list` that is too far inside to see waves; `better`: a radius to give, 0 for any that
 *  is larger. Local. */
void tx_check_near_zone(tx_check *c, const char *list, double r, double better);

/** Coordinate radius of the horizon of a hole of this bare mass once the gauge has settled, M. */
double tx_check_settled_radius(const tx_params *p, double mass);

/** How long waves last after a merger, in ADM energies: the ringdown. */
#define TX_CHECK_RINGDOWN 60.0

/** Notes on time steps of levels; on punctures, gauge and symmetry; on waves; on ranks, memory of GPUs, checkpoints and time. Errors: TX_ERR_MEMORY. */
void tx_check_levels(tx_check *c);
void tx_check_punctures(tx_check *c);
void tx_check_waves(tx_check *c);
tx_status tx_check_ranks(tx_check *c);

/** Log the worldtubes as a run does; note refinement boundaries, the near zone, and rows that are too far apart. Local.
 *  Errors: those of tx_worldtubes_create. */
tx_status tx_check_show_worldtubes(tx_check *c);
void tx_check_worldtubes(tx_check *c);
