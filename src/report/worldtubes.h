/* Worldtubes of a run: their place around the holes, and the log's lines about them. */
#pragma once

#include "gw_extraction/worldtube.h"
#include "params/params.h"
#include "physics/initial_data/initial_data.h"

/** Check that all worldtubes of p enclose the punctures where these are at t = 0. Local. Errors: TX_ERR_PARAM. */
tx_status tx_worldtubes_enclose(const tx_params *p, const tx_adm_numbers *adm);

/** Log what is written of worldtubes, and how much; dt: of the steps that are counted, M. Local. */
void tx_worldtubes_log(const tx_params *p, const tx_worldtube_info *info, double dt);
