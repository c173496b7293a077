/* The life of a run. */
#pragma once

#include "driver/horizons.h"
#include "driver/output.h"
#include "driver/progress.h"
#include "driver/sim.h"
#include "gw_extraction/fluxes.h"
#include "gw_extraction/gw.h"

/** A run: a simulation, what is measured of it and where that goes. Owns all but the parameters. */
typedef struct tx_run {
  MPI_Comm comm;
  const tx_params *params; /**< borrowed */
  const char *par_path;    /**< borrowed */
  tx_output *output;
  tx_sim *sim;
  tx_gw *gw; /**< NULL: no extraction */
  tx_fluxes fluxes;
  double (*psi4)[2];    /**< [n_radii][n_modes] */
  double *areal_radius; /**< [n_radii] */
  bool has_horizons;    /**< they are looked for */
  tx_horizons horizons;
  tx_norms norms;
  bool has_norms;
  int64_t regrids_shown; /**< regrids before the last rows of grid.asc */
  tx_progress progress;
} tx_run;

/** Collective. Folder, first grid, initial data, and the outputs of time 0. Borrows p and par_path;
 *  run.name and run.folder of p are set. *out is owned by the caller. Errors: of all that it
 *  calls. */
tx_status tx_run_create(MPI_Comm comm, const tx_params *p, const char *par_path, tx_run **out);

/** Close files and free everything. Collective. Errors: TX_ERR_IO. */
tx_status tx_run_destroy(tx_run *run);

/** Is there anything left to do? Local. */
bool tx_run_goes_on(const tx_run *run);

/** Collective. One time step and everything that is due after it. Errors: TX_ERR_NUMERICS once the
 *  state is not finite, after the surroundings of the place are written. */
tx_status tx_run_advance(tx_run *run);

/** Collective. A whole run, to its end and its summary; a run that ends with TX_ERR_NUMERICS has
 *  one too. */
tx_status tx_run_main(MPI_Comm comm, const tx_params *p, const char *par_path);
