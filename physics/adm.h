/* What diagnostics see of the evolved variables: the metric of a slice, its extrinsic curvature, the shift. */
#pragma once

#include "physics/variables.h"

/** The shift: three variables from this one on. */
enum { TX_SHIFT_FIRST = TX_VAR_BETA0 };

/** The variables that tx_adm_at takes: so many from this one on. */
enum { TX_ADM_FIRST = TX_VAR_CHI, TX_ADM_VARS = TX_VAR_AT22 + 1 - TX_VAR_CHI };

/** Metric and extrinsic curvature at a point, and how they change along the radial direction n. */
typedef struct tx_adm_jet {
  double gamma_dd[3][3];
  double dgamma_ddd[3][3][3]; /**< derivative index first */
  double K_dd[3][3];
  double dn_dgamma_ddd[3][3][3]; /**< n^l d_l of dgamma_ddd */
  double dn_K_dd[3][3];          /**< n^l d_l of K_dd */
} tx_adm_jet;

/** [out] *out at a point from the jets u of its variables (see tx_psi4_point); n: a unit vector. Local. */
void tx_adm_at(const double u[TX_ADM_VARS][10], const double n[3], tx_adm_jet *out);
