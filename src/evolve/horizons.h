/* The horizons of a run: which surfaces are looked for, from which guesses, and what was found.
 *
 * Each search begins where the horizon was last, moved along with its puncture. What is not found
 * is looked for again, from other guesses and ever less often, so that searches in vain stay
 * cheap.
 *
 * Besides the surfaces of single punctures there are surfaces about groups of holes. A group that was found counts
 * as one body from then on. Groups that are searched for next are sets of bodies: the most compact pair first,
 * then the most compact union of that group with another body, up to all of them. So of two groups either one
 * contains the other or they are disjoint, and n holes have at most n - 1 groups. */
#pragma once

#include "evolve/sim.h"
#include "horizons/horizon.h"

/** Surfaces of the most punctures that there may be; and those that a pair has, which files have places for at least. */
#define TX_HORIZONS_MAX   (2 * TX_PUNCTURES_MAX - 1)
#define TX_HORIZONS_LEAST 3

/** A surface that is searched for, or may be. Plain data. */
typedef struct tx_horizon_slot {
  int64_t holds;   /**< bit a: the surface is about puncture a; 0: there is no such group */
  tx_horizon at;   /**< of the last search */
  bool looked;     /**< was this one looked for in the last search? */
  tx_horizon last; /**< the last one that was found; last.found: any ever? */
  double first_seen, last_seen; /**< times, M; negative: never yet */
  double anchor[3];             /**< where what it surrounds was at last_seen */
  int failures;                 /**< searches in vain in a row */
  int wait;                     /**< searches to leave out from now on */
} tx_horizon_slot;

typedef struct tx_horizons {
  tx_horizon_finder *finder;
  int l_max;
  /** Slots 0 to n_punctures - 1 are those of the punctures; the others are about groups: first those that were seen,
   *  in the order in which they first were, then those that are awaited. */
  int n_punctures, n_surfaces;
  tx_horizon_slot slot[TX_HORIZONS_MAX];
} tx_horizons;

/** Local. For `n` punctures. Errors: TX_ERR_MEMORY. */
tx_status tx_horizons_create(const tx_params *p, const tx_domain *domain, int n, tx_horizons *out);

/** The same without a finder: nothing was looked for yet. Local. */
void tx_horizons_init(tx_horizons *h, int n, int l_max);
void tx_horizons_destroy(tx_horizons *h);

/** Collective. Look for every horizon that may be there; ghosts of sim->u are filled. */
tx_status tx_horizons_find(tx_horizons *h, tx_sim *sim);

/** Add the records of what the next search needs, and the summary tells. Local. */
void tx_horizons_records(tx_horizons *h, tx_record_list *list);

/** The surface about all holes, if it was ever seen; -1: it was not, or there is one hole only. Local. */
int tx_horizons_common(const tx_horizons *h);

/** Number of surface k in files and logs: 1 to n of the punctures, from n + 1 on of groups; 0 for a group that was not seen yet
 *  and may not be the next one. Local. */
int tx_horizons_number(const tx_horizons *h, int k);

/** When puncture a was first seen in a group, M; negative: never yet. Local. */
double tx_horizons_merger(const tx_horizons *h, int a);

/** Whether all holes have merged at time t: a horizon about all of them was first seen more than `delay` before t.
 *  A search at t itself never counts, so that its order does not matter. Local. */
bool tx_horizons_merged(const tx_horizons *h, double t, double delay);

/** Surface of the remnant: the common horizon, or that of a single puncture; -1: not found. Local. */
int tx_horizons_remnant(const tx_horizons *h);

/** The punctures as searches see them. */
typedef struct tx_horizons_scene {
  double t;
  int n;
  double x[TX_PUNCTURES_MAX][3];
  double mass[TX_PUNCTURES_MAX];   /**< ADM mass of each */
  double radius[TX_PUNCTURES_MAX]; /**< of a sphere near each horizon at t = 0 */
  double
      common_below; /**< distances below which a common horizon may be there; 0: from the masses */
  int mirrors;      /**< bit d: the domain has a mirror across d */
  int image
      [TX_PUNCTURES_MAX]; /**< bit d: puncture a is an image, in the mirrors across d, of an earlier one; 0: of none */
  int original[TX_PUNCTURES_MAX]; /**< that one */
} tx_horizons_scene;

/** Local. */
void tx_horizons_look(const tx_sim *sim, tx_horizons_scene *out);

/** Before a search: choose the groups to search for. A group that was searched for before keeps its count of failed
 *  searches. Local. */
void tx_horizons_plan(tx_horizons *h, const tx_horizons_scene *scene);

/** Whether the bodies of surface k are close enough for a horizon about them. Local. */
bool tx_horizons_near(const tx_horizons *h, const tx_horizons_scene *scene, int k);

/** Distance of a set of punctures below which that is so, M. Local. */
double tx_horizons_reach(const tx_horizons_scene *scene, int64_t holds);

/** The place that a surface is about: a puncture, or the middle of several, weighted by their masses. Local. */
void tx_horizons_centre(const tx_horizons_scene *scene, int64_t holds, double out[3]);

/** Is surface k to be looked for in this search? Local. */
bool tx_horizons_due(const tx_horizons *h, const tx_horizons_scene *scene, int k);

/** Initial guess for surface k. Local. */
void tx_horizons_guess(const tx_horizons *h, const tx_horizons_scene *scene, int k,
                       tx_surface *out);

/** Record the result of the finder for surface k. A surface about other punctures than those searched for counts as
 *  none. A group found for the first time swaps places with the first one that was not found yet. Local. */
void tx_horizons_note(tx_horizons *h, const tx_horizons_scene *scene, int k,
                      const tx_horizon *result);

/** The mirror image of a horizon in the planes of the dimensions in `mirror` (bit d). Local. */
void tx_horizon_mirrored(const tx_horizon *of, int mirror, tx_horizon *out);
