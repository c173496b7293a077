/* The horizons of a run: which surfaces are looked for, from which guesses, and what was found.
 *
 * Each search begins where the horizon was last, moved along with its puncture. What is not found
 * is looked for again, from other guesses and ever less often, so that searches in vain stay
 * cheap. */
#pragma once

#include "evolve/sim.h"
#include "horizons/horizon.h"

/** 0 and 1: of the punctures; 2: the common one. */
#define TX_HORIZONS_MAX    3
#define TX_HORIZONS_COMMON 2

/** Numbers that a checkpoint holds of each. */
#define TX_HORIZON_PACKED (TX_HORIZON_COEFFICIENTS + 28)

typedef struct tx_horizons {
  tx_horizon_finder *finder;
  int l_max;
  tx_horizon at[TX_HORIZONS_MAX];   /**< of the last search */
  bool looked[TX_HORIZONS_MAX];     /**< was this one looked for in the last search? */
  tx_horizon last[TX_HORIZONS_MAX]; /**< the last one that was found; last[].found: any ever? */
  double first_seen[TX_HORIZONS_MAX],
      last_seen[TX_HORIZONS_MAX];    /**< times, M; negative: never yet */
  double anchor[TX_HORIZONS_MAX][3]; /**< where what it surrounds was at last_seen */
  int failures[TX_HORIZONS_MAX];     /**< searches in vain in a row */
  int wait[TX_HORIZONS_MAX];         /**< searches to leave out from now on */
  double packed[TX_HORIZONS_MAX]
               [TX_HORIZON_PACKED]; /**< what a checkpoint holds, see tx_horizons_pack */
} tx_horizons;

/** Local. Errors: TX_ERR_MEMORY. */
tx_status tx_horizons_create(const tx_params *p, const tx_domain *domain, tx_horizons *out);
void tx_horizons_destroy(tx_horizons *h);

/** Collective. Look for every horizon that may be there; ghosts of sim->u are filled. */
tx_status tx_horizons_find(tx_horizons *h, tx_sim *sim);

/** Pack the state into h->packed, before it is written; unpack it, after it is read. Local. */
void tx_horizons_pack(tx_horizons *h);
void tx_horizons_unpack(tx_horizons *h);

/** Have the holes merged at time t: was a common horizon first seen more than `delay` before? Not at once even with a delay of 0,
 *  so that it makes no difference whether the search at t comes before or after the question. Local. */
bool tx_horizons_merged(const tx_horizons *h, double t, double delay);

/** The hole that is there in the end: the common one, or that of a single puncture; -1: not seen.
 *  Local. */
int tx_horizons_remnant(const tx_horizons *h, int n_punctures);

/** The punctures as searches see them. */
typedef struct tx_horizons_scene {
  double t;
  int n;
  double x[TX_PUNCTURES_MAX][3];
  double mass[TX_PUNCTURES_MAX];   /**< ADM mass of each */
  double radius[TX_PUNCTURES_MAX]; /**< of a sphere near each horizon at t = 0 */
  double common_below;             /**< distance below which a common horizon may be there */
  int image; /**< bit d: puncture 1 is the image of puncture 0 in the mirror across d; 0: none */
} tx_horizons_scene;

/** Local. */
void tx_horizons_look(const tx_sim *sim, tx_horizons_scene *out);

/** Is surface k to be looked for in this search? Local. */
bool tx_horizons_due(const tx_horizons *h, const tx_horizons_scene *scene, int k);

/** Where to begin. Local. */
void tx_horizons_guess(const tx_horizons *h, const tx_horizons_scene *scene, int k,
                       tx_surface *out);

/** Take in what the finder found for surface k. A surface that is not what was looked for (one
 *  about both punctures for one about the first, say) counts as none. Local. */
void tx_horizons_note(tx_horizons *h, const tx_horizons_scene *scene, int k,
                      const tx_horizon *result);

/** The mirror image of a horizon in the planes of the dimensions in `mirror` (bit d). Local. */
void tx_horizon_mirrored(const tx_horizon *of, int mirror, tx_horizon *out);
