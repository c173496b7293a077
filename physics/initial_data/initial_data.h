/* Initial data of a run, from its parameters, and exact solutions for tests. */
#pragma once

#include "base/grid.h"
#include "base/status.h"
#include "params/params.h"
#include "physics/initial_data/initial_data_point.h"
#include "physics/initial_data/two_punctures.h"

/** Build *out from the sections initial_data and grid of `p`, which tx_params_check has passed, and
 *  solve for it if that takes the two-puncture solver; the caller owns it. Local (every rank gets the
 *  same). Errors: TX_ERR_PARAM if a mass or an amplitude makes no sense, or if the data do not have
 *  the domain's reflection symmetries; TX_ERR_NUMERICS if the solver fails; TX_ERR_MEMORY. */
tx_status tx_initial_data_create(const tx_params *p, tx_initial_data **out);

/** Describe the task of the two-puncture solver for `p`; spec->n = 0 if the data have a closed form. Local. Errors:
 *  TX_ERR_PARAM if the separation of a quasi-circular pair makes no sense. */
tx_status tx_initial_data_spec(const tx_params *p, tx_two_punctures_spec *spec);

/** Create data as tx_initial_data_create does, of data that are solved already: takes over the coefficients of *solved,
 *  also if it fails. Local. Errors: TX_ERR_PARAM as above; TX_ERR_MEMORY. */
tx_status tx_initial_data_create_solved(const tx_params *p, tx_two_punctures *solved,
                                        tx_initial_data **out);

/** Complete data that were solved for. Data that are solved for on the grid of the run (tx_params_on_grid) are created with
 *  u = 0 and masses as given. First function: input of the solver, the punctures without bare masses and u = 0; masses as
 *  given [out], TX_PUNCTURES_MAX of them. Second function: set the solution, except u, which is given point by point.
 *  Local. Errors: TX_ERR_PARAM as above. */
tx_status tx_initial_data_holes(const tx_params *p, tx_bowen_york *out, double *mass);
void tx_initial_data_solved(tx_initial_data *id, const tx_bowen_york *data,
                            const tx_adm_numbers *adm);

/** Return the system whose variables initial data are given in. Local. */
const tx_system *tx_initial_data_system(void);

/** Free what tx_initial_data_create made, coefficients too; NULL is fine. Local. */
void tx_initial_data_destroy(tx_initial_data *id);

/** Find how states of a system start from initial data. Local. Errors: TX_ERR_USAGE if it does not start from all of their
 *  variables. */
tx_status tx_initial_map_of(const tx_system *system, tx_initial_map *out);

/** Compute one octant of a state, [out] u of n_vars x TX_N3, host, at the points first->x + (i, j, k) h. first->given has [TX_N3]
 *  values each of data that were solved for on the grid. Local. */
void tx_initial_data_octant(const tx_initial_data *id, const tx_initial_map *map,
                            const tx_initial_at *first, double h, double *u);

/** Compute the same of a profile, of the system that tx_initial_data_create had. Local. */
void tx_initial_profile_octant(const tx_initial_data *id, const tx_system *system,
                               const double x0[3], double h, double *u);

/** Return ADM energy, momenta, the punctures, and the error of the solution. Local. */
void tx_initial_data_adm(const tx_initial_data *id, tx_adm_numbers *out);
