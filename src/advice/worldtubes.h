/* What a user is told of worldtubes. */
#pragma once

#include "advice/check.h"
#include "gw_extraction/worldtube.h"

/** Do the worldtubes of p have all punctures inside, where these are at the beginning? Local. Errors: TX_ERR_PARAM. */
tx_status tx_worldtubes_enclose(const tx_params *p, const tx_adm_numbers *adm);

/** Log what is written of them, and how much; dt: of the steps that are counted, M. Local. */
void tx_worldtubes_log(const tx_params *p, const tx_worldtube_info *info, double dt);

/** The same without them, for `tendex check`, and notes: on refinement boundaries, the near zone, and rows that are too far
 *  apart. Local. Errors: those of tx_worldtubes_create. */
tx_status tx_check_show_worldtubes(const tx_check *c);
void tx_check_worldtubes(tx_check *c);
