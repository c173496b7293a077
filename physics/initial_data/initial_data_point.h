/* Initial data and exact solutions at one point, for gcc and nvcc. */
#pragma once

#include "base/words.h"
#include "physics/initial_data/noise_point.h"
#include "physics/initial_data/plane_wave_point.h"
#include "physics/initial_data/puncture_point.h"
#include "physics/initial_data/teukolsky_point.h"

/** Everything that a point of the initial data needs, without pointers: copy it to a device as is.
 */
typedef struct tx_initial_data {
  int type; /**< tx_id_type; says which member below is meant */
  tx_punctures punctures;
  tx_plane_wave wave;
  tx_teukolsky teukolsky;
  tx_noise noise;
} tx_initial_data;

/** All TX_VARS variables [out] u at x and time t. Flat space, plane waves and Teukolsky waves are
 *  solutions at any t (the gravitational waves up to O(A^2)); punctures and noise are data for t =
 * 0 and do not depend on t. */
TX_HD static inline void tx_initial_data_at(const tx_initial_data *id, double t, const double *x,
                                            double *u) {
  switch (id->type) {
  case TX_ID_PUNCTURE:
  case TX_ID_BRILL_LINDQUIST:
    tx_punctures_point(&id->punctures, x, u);
    break;
  case TX_ID_GAUGE_WAVE:
    tx_gauge_wave_point(&id->wave, t, x, u);
    break;
  case TX_ID_LINEAR_WAVE:
    tx_linear_wave_point(&id->wave, t, x, u);
    break;
  case TX_ID_TEUKOLSKY:
    tx_teukolsky_point(&id->teukolsky, t, x, u);
    break;
  case TX_ID_NOISE:
    tx_noise_point(&id->noise, x, u);
    break;
  default:
    tx_minkowski_point(u);
    break;
  }
}
