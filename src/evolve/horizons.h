/* The horizons of a run: surfaces to search for, initial guesses, results.
 *
 * Each search begins at the horizon found last, moved along with its puncture. After failed searches other guesses are
 * tried, ever less often (back-off).
 *
 * Besides the surfaces of single punctures there are surfaces about groups of holes. A group that was found counts
 * as one body from then on. The next candidates are sets of bodies: the most compact pair first,
 * then the most compact union of that group with another body, up to all of them. So of two groups either one
 * contains the other or they are disjoint, and n holes have at most n - 1 groups. */
#pragma once

#include "evolve/sim.h"
#include "horizons/horizon.h"

/** Largest number of surfaces; and the number for a pair of holes, the least that files have columns for. */
#define TX_HORIZONS_MAX   (2 * TX_PUNCTURES_MAX - 1)
#define TX_HORIZONS_LEAST 3

/** A surface to search for, now or later. Plain data. */
typedef struct tx_horizon_slot {
  int64_t holds;   /**< bit a: the surface is about puncture a; 0: there is no such group */
  tx_horizon at;   /**< result of the last search */
  bool looked;     /**< was this surface searched for in the last search? */
  tx_horizon last; /**< the horizon found last; last.found: any ever? */
  double first_seen, last_seen; /**< times, M; negative: never yet */
  double anchor[3];             /**< position of its puncture or group at last_seen */
  int failures;                 /**< failed searches in a row */
  int wait;                     /**< searches to skip from now on */
} tx_horizon_slot;

/** All surfaces of a run and their finder, which it owns. */
typedef struct tx_horizons {
  tx_horizon_finder *finder;
  int l_max;
  /** Slots 0 to n_punctures - 1 belong to the punctures, further ones to groups: first the groups that were found,
   *  in the order of their first_seen, then the candidates. */
  int n_punctures, n_surfaces;
  tx_horizon_slot slot[TX_HORIZONS_MAX];
} tx_horizons;

/** Create the surfaces of `n` punctures and a finder. Local. The caller destroys *out. Errors: TX_ERR_MEMORY. */
tx_status tx_horizons_create(const tx_params *p, const tx_domain *domain, int n, tx_horizons *out);

/** Initialise the surfaces of `n` punctures without a finder, none searched for yet. Local. */
void tx_horizons_init(tx_horizons *h, int n, int l_max);
void tx_horizons_destroy(tx_horizons *h);

/** Search for every horizon that is due. Ghosts of sim->u must be filled. Collective. */
tx_status tx_horizons_find(tx_horizons *h, tx_sim *sim);

/** Add the records that the next search and the summary need. Local. */
void tx_horizons_records(tx_horizons *h, tx_record_list *list);

/** Return the surface about all holes; -1 if it was never found, or there is one hole only. Local. */
int tx_horizons_common(const tx_horizons *h);

/** Return the number of surface k in files and logs: 1 to n for punctures, from n + 1 on for groups; 0 for a group not found yet
 *  that need not be the next one found. Local. */
int tx_horizons_number(const tx_horizons *h, int k);

/** Return the time, M, at which puncture a was first found in a group; negative: never yet. Local. */
double tx_horizons_merger(const tx_horizons *h, int a);

/** Tell whether all holes have merged at time t: a horizon about all of them was first seen more than `delay` before t.
 *  A search at t itself never counts, so that its order does not matter. Local. */
bool tx_horizons_merged(const tx_horizons *h, double t, double delay);

/** Return the surface of the remnant: the common horizon, or that of a single puncture; -1: not found. Local. */
int tx_horizons_remnant(const tx_horizons *h);

/** Data of the punctures that searches use. */
typedef struct tx_horizons_scene {
  double t;
  int n;
  double x[TX_PUNCTURES_MAX][3];
  double mass[TX_PUNCTURES_MAX];   /**< ADM mass of each */
  double radius[TX_PUNCTURES_MAX]; /**< radius of a sphere near each horizon at t = 0, M */
  bool forms;                      /**< there is no puncture: the horizon may be there later on */
  double
      common_below; /**< distance below which a common horizon is searched for, M; 0: from the masses */
  int mirrors;      /**< bit d: the domain has a mirror across d */
  int image
      [TX_PUNCTURES_MAX]; /**< bit d: puncture a is an image, in the mirrors across d, of an earlier one; 0: of none */
  int original[TX_PUNCTURES_MAX]; /**< the puncture that a is an image of */
} tx_horizons_scene;

/** Take the data of the punctures from the simulation. Local. */
void tx_horizons_look(const tx_sim *sim, tx_horizons_scene *out);

/** Choose the groups to search for, before a search. A group that was a candidate before keeps its count of failed
 *  searches. Local. */
void tx_horizons_plan(tx_horizons *h, const tx_horizons_scene *scene);

/** Tell whether the bodies of surface k are close enough for a horizon about them. Local. */
bool tx_horizons_near(const tx_horizons *h, const tx_horizons_scene *scene, int k);

/** Return the distance of a set of punctures, M, below which a horizon about them is searched for. Local. */
double tx_horizons_reach(const tx_horizons_scene *scene, int64_t holds);

/** Compute the centre of a surface: its puncture, or the middle of several, weighted by their masses. Local. */
void tx_horizons_centre(const tx_horizons_scene *scene, int64_t holds, double out[3]);

/** Tell whether surface k is searched for in this search. Local. */
bool tx_horizons_due(const tx_horizons *h, const tx_horizons_scene *scene, int k);

/** Make the initial guess for surface k. Local. */
void tx_horizons_guess(const tx_horizons *h, const tx_horizons_scene *scene, int k,
                       tx_surface *out);

/** Record the result of the finder for surface k. A surface about other punctures counts as
 *  not found. A group found for the first time swaps places with the first one that was not found yet. Local. */
void tx_horizons_note(tx_horizons *h, const tx_horizons_scene *scene, int k,
                      const tx_horizon *result);

/** Compute the mirror image of a horizon in the planes of the dimensions in `mirror` (bit d). Local. */
void tx_horizon_mirrored(const tx_horizon *of, int mirror, tx_horizon *out);
