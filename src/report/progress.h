/* The log of a run: banner, domain, data, grid, waves, horizons and progress. */
#pragma once

#include "evolve/horizons.h"
#include "evolve/sim.h"
#include "gw_extraction/gw.h"

/** Clocks of the progress line. */
typedef struct tx_progress {
  double last_s, last_t; /**< of the line before */
  int lines;
} tx_progress;

/** Return the name of a type of initial data, as in parameter files. Local. */
const char *tx_id_name(int type);

/** Write "2:64 3:56" into `text`: octants of each level present. Local. */
const char *tx_levels_text(const tx_mesh *mesh, char *text, size_t size);

/** Log what the program, the machine and the run are. Local. */
void tx_log_banner(const tx_params *p, const char *par_path, int ranks);

/** Log the domain, the data (preview: those of tx_data_create_preview, coarser than a run's), and the grid with its
 *  spacings and points level by level. Local. */
void tx_log_domain(const tx_params *p);
void tx_log_data(const tx_params *p, const tx_adm_numbers *adm, bool preview);
void tx_log_grid(const tx_params *p, const tx_mesh *mesh);

/** Log how levels step, with steps of levels: macro step and what bounds it, a line a level, gain. Local. */
void tx_log_macro(const tx_params *p, const tx_mesh *mesh);

/** Log what is extracted, and how well the grid resolves it at each radius. Collective: the levels
 *  there are looked up on all ranks. */
tx_status tx_log_waves(const tx_gw_info *gw, const tx_mesh *mesh);

/** Name surface k, which was seen: "1", "common" for one about all holes, "4 of holes 1, 2" for one about some. Local. */
#define TX_HORIZON_NAME 64
void tx_horizon_name(const tx_horizons *h, int k, char name[TX_HORIZON_NAME]);

/** Log every horizon that was seen for the first time in the last search. Local. */
void tx_log_horizons(const tx_horizons *h, const tx_sim *sim);

/** Start the clocks of the progress line and log what its columns mean. Local. */
void tx_progress_start(tx_progress *progress, const tx_sim *sim);

/** Log one line. norms: the last ones, or NULL. Local. */
void tx_progress_line(tx_progress *progress, const tx_sim *sim, const tx_norms *norms);
