/* Punctures of the initial data, and what is solved for them. */
#include "base/vec3.h"
#include "params/table.h"

tx_params_hole tx_params_hole_of(const tx_params *p, int a) {
  const double own = p->grid_bhN_radius[a];
  return (tx_params_hole){
      .mass = p->initial_data_bhN_mass[a],
      .position = p->initial_data_bhN_position[a],
      .momentum = p->initial_data_bhN_momentum[a],
      .spin = p->initial_data_bhN_spin[a],
      .level = p->grid_bhN_level[a],
      .radius = own == 0.0 ? p->grid_bh_radius : own,
  };
}

/* Count punctures up to the first that has no mass; at least one, whose mass will be missed. */
static int count_holes(const tx_params *p) {
  int n = 1;
  while (n < TX_PUNCTURES_MAX && p->initial_data_bhN_mass[n] > 0) n++;
  return n;
}

int tx_params_punctures(const tx_params *p) {
  switch (p->initial_data_type) {
  case TX_ID_PUNCTURES:
    return count_holes(p);
  case TX_ID_PUNCTURE:
    return 1;
  case TX_ID_BRILL_LINDQUIST:
  case TX_ID_TWO_PUNCTURES:
  case TX_ID_QUASI_CIRCULAR:
    return 2;
  default:
    return 0;
  }
}

int tx_params_horizons(const tx_params *p) {
  const int n = tx_params_punctures(p);
  return n > 0 ? n : p->horizons_radius > 0;
}

bool tx_params_moves(const tx_params *p) {
  bool moves = false;
  for (int a = 0; a < tx_params_punctures(p); a++) {
    const tx_params_hole h = tx_params_hole_of(p, a);
    moves = moves || tx_vec3_norm(h.momentum) > 0 || tx_vec3_norm(h.spin) > 0;
  }
  return moves;
}

bool tx_param_solved(const tx_params *p) {
  if (p->initial_data_type == TX_ID_PUNCTURE) return tx_params_moves(p);
  return p->initial_data_type == TX_ID_TWO_PUNCTURES ||
         p->initial_data_type == TX_ID_QUASI_CIRCULAR;
}

bool tx_params_on_grid(const tx_params *p) {
  if (p->initial_data_type == TX_ID_BRILL_WAVE) return true;
  if (p->initial_data_type == TX_ID_PUNCTURES) return tx_params_moves(p);
  return tx_param_solved(p) && p->initial_data_solver == TX_SOLVER_MULTIGRID;
}

bool tx_params_lapse_on_grid(const tx_params *p) {
  const bool of_holes = p->initial_data_type != TX_ID_BRILL_WAVE;
  return p->initial_data_lapse == TX_LAPSE_MAXIMAL && of_holes &&
         (tx_param_solved(p) || tx_params_on_grid(p));
}
