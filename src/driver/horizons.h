/* The horizons of a run: which surfaces are looked for, from which guesses, and what was found. */
#pragma once

#include "driver/sim.h"
#include "horizons/horizon.h"

/** 0 and 1: of the punctures; 2: the common one. */
#define TX_HORIZONS_MAX 3

typedef struct tx_horizons {
  tx_horizon_finder *finder;
  tx_horizon at[TX_HORIZONS_MAX];     /**< of the last search */
  bool looked[TX_HORIZONS_MAX];       /**< was this one looked for in the last search? */
  bool has_guess[TX_HORIZONS_MAX];    /**< at[].surface is one that was found before */
  double first_seen[TX_HORIZONS_MAX]; /**< time, M; negative: never yet */
} tx_horizons;

/** Local. Errors: TX_ERR_MEMORY. */
tx_status tx_horizons_create(const tx_params *p, const tx_domain *domain, tx_horizons *out);
void tx_horizons_destroy(tx_horizons *h);

/** Collective. Look for every horizon that may be there; ghosts of sim->u are filled. */
tx_status tx_horizons_find(tx_horizons *h, tx_sim *sim);
