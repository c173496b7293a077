/* Energy, angular momentum and linear momentum that waves carry away, from the modes of Psi4.
 *
 * Near the holes Psi4 has parts that do not radiate and hardly change, tides foremost. Their integrals over time would grow
 * without bound. What turns more slowly than a given frequency is therefore left out, by a Butterworth high-pass of order 4, which
 * needs the past alone: with w0 the frequency for the mode, news and strain of a wave exp(-i w t) come out (1 + (w0/w)^8)^(-1/2)
 * times as large, and turned by the same phase.
 *
 * Time integrals use the trapezoidal rule over the samples, and start from zero at the first one. Formulae:
 * arXiv:0707.4654 (Ruiz, Alcubierre, Nunez, Takahashi), section III. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

/** The quantities, in the order of all arrays [TX_FLUX_COUNT]; units M, M^2 and M. */
typedef enum tx_flux {
  TX_FLUX_E,
  TX_FLUX_JX,
  TX_FLUX_JY,
  TX_FLUX_JZ,
  TX_FLUX_PX,
  TX_FLUX_PY,
  TX_FLUX_PZ,
  TX_FLUX_COUNT
} tx_flux;

/** The running integrals. A checkpoint is samples, time and state; the rest comes from
 * tx_fluxes_create. */
typedef struct tx_fluxes {
  int n_radii, l_max, n_modes;
  int64_t samples; /**< taken so far */
  double time;     /**< of the last sample, M */
  size_t n_state;
  double *state; /**< [n_state], owned */
  double *radii; /**< [n_radii], owned; M */
} tx_fluxes;

/** Local. Create the fluxes of modes as tx_gw_extract gives them. Errors: TX_ERR_MEMORY. */
tx_status tx_fluxes_create(int n_radii, const double *radii, int l_max, tx_fluxes *out);
void tx_fluxes_destroy(tx_fluxes *f);

/** Leave out what turns more slowly than `omega` times |m|, of m = 0 than `omega`: an angular frequency, 1/M; 0, as created,
 *  leaves nothing out. Before the first sample; it is part of the state. Local. */
void tx_fluxes_leave_out(tx_fluxes *f, double omega);

/** Take in the modes psi4 [n_radii][n_modes] at `time`. Local.
 *  Errors: TX_ERR_USAGE if `time` is not later than that of the last sample. */
tx_status tx_fluxes_add(tx_fluxes *f, double time, const double (*psi4)[2]);

/** Return the flux at the last sample through sphere `radius`, per M. View [TX_FLUX_COUNT]. Local. */
const double *tx_fluxes_rate(const tx_fluxes *f, int radius);

/** Return the total that has passed through sphere `radius` so far. View [TX_FLUX_COUNT]. Local. */
const double *tx_fluxes_total(const tx_fluxes *f, int radius);

/** Return the news [n_modes] of sphere `radius`: integral of psi4 over time, without what is left out, 1/M. View.
 *  Local. */
const double (*tx_fluxes_news(const tx_fluxes *f, int radius))[2];

/** Short names of the quantities: "E", "Jx", ... */
extern const char *const tx_flux_names[TX_FLUX_COUNT];
