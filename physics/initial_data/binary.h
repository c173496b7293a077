/* The motion of two holes, from the masses, momenta and spins of their initial data. */
#pragma once

#include <stdbool.h>
#include "physics/initial_data/encounter.h"
#include "physics/initial_data/initial_data.h"

/** Binary in the frame of its centre of mass, in units of the sum of its ADM masses. */
typedef struct tx_binary {
  double mass; /**< that sum, M */
  tx_encounter_start start;
} tx_binary;

/** Return the binary of data with two punctures. Local. */
tx_binary tx_binary_of(const tx_adm_numbers *adm);

/** Return whether holes that move as in `encounter` orbit each other, or plunge from an orbit: they have angular momentum
 *  and do not part. Local. */
bool tx_binary_stays(const tx_binary *binary, const tx_encounter *encounter);

/** Return whether data have two punctures and these orbit each other, as in tx_binary_stays. Local. */
bool tx_binary_orbits(const tx_adm_numbers *adm);
