/* The observers, each defined in the file of its name. */
#pragma once

#include "observe/observer.h"

extern const tx_observer tx_punctures_observer, tx_norms_observer, tx_named_norms_observer,
    tx_modes_observer, tx_waves_observer, tx_worldtubes_observer, tx_horizons_observer,
    tx_lapse_gradient_observer, tx_slices_observer, tx_fields_observer, tx_grid_observer;
