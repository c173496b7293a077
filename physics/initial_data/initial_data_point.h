/* Initial data and exact solutions at one point, for gcc and nvcc. */
#pragma once

#include "params/words.h"
#include "physics/initial_data/brill_point.h"
#include "physics/initial_data/noise_point.h"
#include "physics/initial_data/plane_wave_point.h"
#include "physics/initial_data/puncture_point.h"
#include "physics/initial_data/teukolsky_point.h"
#include "physics/initial_data/two_punctures_point.h"

/** Global quantities of the spacetime, and those of each puncture. */
typedef struct tx_adm_numbers {
  double energy;              /**< ADM energy; 0 for data that are not asymptotically flat holes */
  double linear_momentum[3];  /**< ADM momentum */
  double angular_momentum[3]; /**< about the origin */
  int n;                      /**< punctures; puncture 1 is bh1 of the parameters */
  double mass_bare[TX_PUNCTURES_MAX]; /**< bare mass of each */
  double mass_adm[TX_PUNCTURES_MAX];  /**< ADM mass of each, m_a (1 + u_a + sum of m_b/(2 d_ab)) */
  double position[TX_PUNCTURES_MAX][3], momentum[TX_PUNCTURES_MAX][3],
      spin[TX_PUNCTURES_MAX][3]; /**< M, M, M^2 */
  int resolution;  /**< points of the spectral solution in A and in B; 0: there is none */
  double residual; /**< of the constraint at these points, relative to its largest source */
  double error;    /**< estimated error of u relative to its largest value */
  int newton_steps, mass_steps; /**< what the solution took */
  int cycles;                   /**< of multigrid; 0: it was not that */
  int lapse_cycles;             /**< the same for a maximal lapse */
  double lapse_residual;
} tx_adm_numbers;

/** A profile of a system of equations, which its own initial_at evaluates. */
typedef struct tx_initial_profile {
  int number;             /**< of the system's profiles */
  tx_system_params given; /**< cfl and the system's own parameters */
} tx_initial_profile;

/** Everything that a point of the initial data needs. Its only pointer is bowen_york.u.coefficients:
 *  copied to a device, that must point to a copy of the coefficients there. */
typedef struct tx_initial_data tx_initial_data;
struct tx_initial_data {
  int type; /**< tx_id_type; says which member below is meant: TX_ID_TWO_PUNCTURES for all data with
                 momenta or spins */
  tx_punctures punctures;
  tx_bowen_york bowen_york;
  tx_plane_wave wave;
  tx_teukolsky teukolsky;
  tx_noise noise;
  tx_brill brill;
  tx_initial_profile profile;
  tx_adm_numbers adm;
};

/** Solutions on a grid, at a point or at several ones; NULL: not given. */
typedef struct tx_initial_given {
  const double *u; /**< the regular part of a conformal factor less 1: of punctures, in place of the
                        series, and of Brill waves */
  const double *w; /**< \alpha \psi - 1 of a maximal lapse */
} tx_initial_given;

/** Where and when data are wanted. */
typedef struct tx_initial_at {
  double t, x[3];
  tx_initial_given given; /**< at x */
} tx_initial_at;

/** Evaluate as tx_initial_data_at, `type` being that of `id`: where a compiler knows it, nothing but that type is left. */
TX_HD static inline void tx_initial_data_of(int type, const tx_initial_data *id,
                                            const tx_initial_at *at, double *u) {
  const double t = at->t, *x = at->x;
  switch (type) {
  case TX_ID_PUNCTURE:
  case TX_ID_BRILL_LINDQUIST:
    tx_punctures_point(&id->punctures, x, u);
    break;
  case TX_ID_TWO_PUNCTURES:
    tx_bowen_york_point_of(&id->bowen_york, x,
                           at->given.u ? *at->given.u : tx_spectral_point(&id->bowen_york.u, x),
                           at->given.w ? 1.0 + *at->given.w : 1.0, u);
    break;
  case TX_ID_BRILL_WAVE:
    tx_brill_point(&id->brill, x, at->given.u ? *at->given.u : 0.0, u);
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

/** How a state of a system starts: the number there of each variable of the initial data; the variables that the data do
 *  not know start from their values at infinity, and have noise where all others do. By value. */
typedef struct tx_initial_map {
  int8_t to[TX_VARS];
  int n_more;
  struct {
    double infinity;
    int8_t number;
    uint8_t odd; /**< dimensions under whose reflection it is odd */
  } more[TX_SYSTEM_VARS];
} tx_initial_map;

/** Compute all variables of a system there: variable v [out] at u[v * TX_N3]. */
TX_HD static inline void tx_initial_state_of(int type, const tx_initial_data *id,
                                             const tx_initial_map *map, const tx_initial_at *at,
                                             double *u) {
  double point[TX_VARS];
  tx_initial_data_of(type, id, at, point);
  for (int v = 0; v < TX_VARS; v++) u[map->to[v] * TX_N3] = point[v];
  for (int n = 0; n < map->n_more; n++) {
    double value = map->more[n].infinity;
    if (type == TX_ID_NOISE)
      value += tx_noise_value(&id->noise, tx_noise_place_of(&id->noise, at->x), TX_VARS + n,
                              map->more[n].odd);
    u[map->more[n].number * TX_N3] = value;
  }
}

/** Compute all TX_VARS variables [out] u at x and time t. Flat space, plane waves and Teukolsky waves are
 *  solutions at any t (the gravitational waves up to O(A^2)); punctures and noise are data for t =
 * 0 and do not depend on t. chi may be 0 at a puncture. */
TX_HD static inline void tx_initial_data_at(const tx_initial_data *id, double t, const double *x,
                                            double *u) {
  const tx_initial_at at = {t, {x[0], x[1], x[2]}, {NULL, NULL}};
  tx_initial_data_of(id->type, id, &at, u);
}
