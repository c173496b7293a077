/* Files of initial data: TwoPunctures.bbh and JSON. */
#pragma once

#include "params/params.h"
#include "physics/initial_data/initial_data.h"

/** Rank 0 (local). Write TwoPunctures.bbh as the Einstein Toolkit writes it and kuibit reads it. `adm` is of two
 *  punctures. Errors: TX_ERR_IO. */
tx_status tx_id_write_bbh(const char *path, const tx_params *p, const tx_adm_numbers *adm);

/** Collective. Write <run.folder>/TwoPunctures.bbh, if there are two punctures. Errors: TX_ERR_IO. */
tx_status tx_id_write_folder(MPI_Comm comm, const tx_params *p, const tx_adm_numbers *adm);

/** Points where u of psi = 1 + sum m_a/(2 r_a) + u was sampled. Borrows all. */
typedef struct tx_id_probes {
  int n;
  const double (*x)[3]; /**< [n] */
  const double *u;      /**< [n] */
} tx_id_probes;

/** Rank 0 (local). Write the numbers of the data, which are of punctures, and u at points as JSON. Errors: TX_ERR_IO. */
tx_status tx_id_write_json(const char *path, const tx_params *p, const tx_initial_data *id,
                           const tx_id_probes *probes);
