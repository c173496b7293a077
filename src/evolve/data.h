/* Initial data of a run: solved for on one rank, the same bits on all, and kept in the run folder. */
#pragma once

#include "exec/exec.h"
#include "params/params.h"
#include "physics/initial_data/initial_data.h"

/** Local. Check the parameters of the initial data of `p` before the data are computed. Errors: TX_ERR_PARAM if a
 *  quasi-circular pair has a separation at which there is no orbit. */
tx_status tx_data_check(const tx_params *p);

/** Collective. The initial data of `p`; the caller owns *out. Data that take the two-puncture solver are solved on
 *  rank 0, or read from <run.folder>/initial_data.h5 if that holds the solution for the same parameters; a solution
 *  is kept there. A file that is damaged or of other parameters is replaced, with a warning in the log. A failure
 *  to write is only a warning too, as it costs time alone. Without run.folder no file is read or written. Errors:
 *  as tx_initial_data_create. */
tx_status tx_data_create(MPI_Comm comm, const tx_params *p, tx_initial_data **out);

/** Fields of one variable, as in tx_given_fields; NULL: not wanted. */
typedef struct tx_data_fields {
  tx_field *u, *w;
} tx_data_fields;

/** Collective. Solve on `mesh` for the data that are solved for on the grid of the run (tx_params_on_grid,
 *  tx_params_lapse_on_grid), and complete `id`; out [out]: the solutions on that mesh. Other data are left
 *  unchanged. Errors: as tx_elliptic_punctures and tx_elliptic_brill. */
tx_status tx_data_solve(const tx_params *p, const tx_mesh *mesh, tx_initial_data *id,
                        const tx_data_fields *out);

/** Local. The same at low resolution, within a second or two: the lowest of a few whose error of u is below 0.05, or the best of
 *  them; no file. Errors: TX_ERR_NUMERICS if none is solved; those of tx_initial_data_create. */
tx_status tx_data_create_preview(const tx_params *p, tx_initial_data **out);

/** Local. Write the solution to `path` in place of what is there, whole or not at all, with a checksum.
 *  Errors: TX_ERR_IO. */
tx_status tx_data_save(const char *path, const tx_two_punctures_spec *spec,
                       tx_two_punctures *solved);

/** Local. Read it back: true if the file holds the solution for `spec`, and then the caller owns *solved. If
 *  not, `why` says so, a clause, "" where there is no file. */
bool tx_data_load(const char *path, const tx_two_punctures_spec *spec, tx_two_punctures *solved,
                  char *why, size_t size);
