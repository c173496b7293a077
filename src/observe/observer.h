/* Observers: what is measured of a run and written, one entry each.
 *
 * A run has a set of them, and asks it at each step which are due. An entry (tx_observer) names how often it acts, what it needs,
 * whether it may be deferred, what it does, its part of a checkpoint, and its files. The list of entries is in observers.c: a new
 * one takes a file of this folder and a line there. */
#pragma once

#include "base/timer.h"
#include "evolve/horizons.h"
#include "evolve/sim.h"
#include "files/record.h"
#include "gw_extraction/fluxes.h"
#include "gw_extraction/gw.h"
#include "output/output.h"

/** The observers of a run. */
typedef struct tx_observers tx_observers;

/** Run as observers see it. Borrows all; `sim`, `output` and `observers` are NULL when they are created. */
typedef struct tx_scene {
  MPI_Comm comm;
  const tx_params *params;
  tx_sim *sim;
  tx_output *output;
  tx_observers *observers;
} tx_scene;

/** When an observer acts on what is due at a step that is followed by another one. */
typedef enum tx_deferral {
  TX_AT_ONCE, /**< before the next step */
  TX_DEFERRED, /**< while a GPU computes the next step: work of the host mostly, on ghosts that are filled */
  TX_DEFERRED_FIRST /**< before the others: work that takes as long as all of theirs */
} tx_deferral;

/** An entry. What it has no use for is NULL. `state` is its own, as `create` made it. Collective functions agree on their
 *  status. */
typedef struct tx_observer {
  /** Steps between two rows; 0: none are asked for. Local. */
  int (*every)(const tx_scene *scene);
  bool needs_ghosts; /**< those of sim->u are filled before it acts */
  tx_deferral deferral;
  /** Make the state, before there are data. Only if `every` is above 0. Local, agreed by the caller. */
  tx_status (*create)(const tx_scene *scene, void **state);
  void (*destroy)(void *state);
  /** Look at the data of a run that begins: can it be observed as asked? Local, agreed by the caller. */
  tx_status (*check)(const tx_scene *scene, const void *state);
  /** Tell in the log what will be written. Collective. */
  tx_status (*describe)(const tx_scene *scene, const void *state);
  /** Measure and write. Collective. */
  tx_status (*act)(const tx_scene *scene, void *state);
  /** Bring the state up to date for a checkpoint. Collective. */
  tx_status (*save)(const tx_scene *scene, void *state);
  /** Add what a checkpoint holds of the state; the names begin with a word of the observer and a slash. Local. */
  void (*records)(void *state, tx_record_list *list);
  /** The state has been read back from `checkpoint`, and text files are as they were. Collective. */
  tx_status (*resume)(const tx_scene *scene, void *state, const char *checkpoint);
  const tx_run_file *files; /**< ended by {NULL} */
} tx_observer;

/** Append rows on the rank that writes, by `append`, which gets `state`; the time counts as output. Collective; the status is
 *  agreed. */
typedef tx_status tx_append_rows(tx_output *out, const tx_sim *sim, void *state);
tx_status tx_observe_rows(const tx_scene *scene, tx_append_rows *append, void *state);

/** Local, to be agreed. Those that `scene` asks for: the parameters only are read. Borrows scene, which may get simulation and
 *  output later. *out is owned by the caller. Errors: those of `create`. */
tx_status tx_observers_create(const tx_scene *scene, tx_observers **out);
void tx_observers_destroy(tx_observers *o);

/** Return the files that observers write. View. Local. */
const tx_manifest *tx_observers_files(void);

/** Sets of observers, bit i for entry i of the list: those due at `step`, the last one or not; those that may be deferred at
 *  all, and before the others. Local. */
typedef uint32_t tx_observer_set;
tx_observer_set tx_observers_due(const tx_observers *o, int64_t step, bool last);
tx_observer_set tx_observers_deferred(bool first_only);

/** Whether any in the set needs ghosts. Local. */
bool tx_observers_need_ghosts(tx_observer_set set);

/** See tx_observer, for all or those of the set, in the order of the list. Collective; the status is agreed. */
tx_status tx_observers_check(tx_observers *o);
tx_status tx_observers_describe(tx_observers *o);
tx_status tx_observers_act(tx_observers *o, tx_observer_set set);
tx_status tx_observers_save(tx_observers *o);
tx_status tx_observers_resume(tx_observers *o, const char *checkpoint);

/** Add the records of entry i, if it has any; entries are 0 to tx_observers_count() - 1. Local. */
int tx_observers_count(void);
void tx_observers_records(tx_observers *o, int i, tx_record_list *list);

/** Place of an observer in the list. Local. */
int tx_observers_index(const tx_observer *observer);

/** The state of an observer of this run; NULL: it has none. Local. */
void *tx_observers_state(const tx_observers *o, const tx_observer *observer);

/** Results of some: NULL if they are not observed, or not known yet. Views. Local. */
const tx_norms *tx_observed_norms(const tx_observers *o);
const tx_horizons *tx_observed_horizons(const tx_observers *o);

/** The waves at the last extraction. View. Local. */
typedef struct tx_observed_waves {
  const tx_gw_info *gw;
  const tx_fluxes *fluxes;
  const double (*psi4)[2];     /**< [n_radii][n_modes] */
  const tx_gw_sphere *spheres; /**< [n_radii] */
} tx_observed_waves;
bool tx_observers_waves(const tx_observers *o, tx_observed_waves *out);

/** Write the octants as rows of grid.asc, if the grid is another than in the rows before. Collective; the status is agreed. */
tx_status tx_observe_grid(tx_observers *o);
