/* eta, the damping of the shift, at the points of a block of rows. */
#pragma once

#include "physics/derivatives.h"
#include "physics/eta_point.h"

/* In the order of a block's records. */
typedef struct block_eta {
  double at[TX_BLOCK_Y * TX_N] __attribute__((aligned(sizeof(tx_vec))));
} block_eta;

static void eta_constant(const tx_system_params *p, block_eta *eta) {
  for (int n = 0; n < TX_BLOCK_Y * TX_N; n++) eta->at[n] = p->eta;
}

static void __attribute__((noinline))
eta_radial(const tx_system_params *p, const tx_octant_place *place, row_place at, block_eta *eta) {
  const double h = place->h, x = place->x0[0], z = place->x0[2] + h * at.k;
  for (int row = 0; row < TX_BLOCK_Y; row++) {
    const double y = place->x0[1] + h * (at.j + row);
#pragma omp simd
    for (int i = 0; i < TX_N; i++) eta->at[row * TX_N + i] = tx_eta_radial(p, x + h * i, y, z);
  }
}

/* From lane `lane` of a record. */
static inline __attribute__((always_inline)) double
eta_metric_lane(const tx_system_params *p, double a, double b, const double *record, int lane) {
#define AT(v, slot) record[(SLOT_##v + (slot)) * TX_W + lane]
  const double gt[6] = {AT(GT00, TX_SLOT_VALUE), AT(GT01, TX_SLOT_VALUE), AT(GT02, TX_SLOT_VALUE),
                        AT(GT11, TX_SLOT_VALUE), AT(GT12, TX_SLOT_VALUE), AT(GT22, TX_SLOT_VALUE)};
  const double dchi[3] = {AT(CHI, TX_SLOT_D), AT(CHI, TX_SLOT_D + 1), AT(CHI, TX_SLOT_D + 2)};
  return tx_eta_metric(p, a, b, gt, AT(CHI, TX_SLOT_VALUE), dchi);
#undef AT
}

static inline __attribute__((always_inline)) void eta_metric_powers(const tx_system_params *p,
                                                                    double a, double b,
                                                                    const tx_vec (*records)[SLOTS],
                                                                    block_eta *eta) {
  for (int row = 0; row < TX_BLOCK_ROWS; row++) {
    const double *record = (const double *)records[row];
#pragma omp simd
    for (int lane = 0; lane < TX_W; lane++)
      eta->at[row * TX_W + lane] = eta_metric_lane(p, a, b, record, lane);
  }
}

/* With the published powers fixed, the compiler makes vectors of the loop. */
static void __attribute__((noinline))
eta_metric(const tx_system_params *p, const tx_vec (*records)[SLOTS], block_eta *eta) {
  if (p->eta_a == 1.0 && p->eta_b == 2.0)
    eta_metric_powers(p, 1.0, 2.0, records, eta);
  else if (p->eta_a == 2.0 && p->eta_b == 2.0)
    eta_metric_powers(p, 2.0, 2.0, records, eta);
  else
    eta_metric_powers(p, p->eta_a, p->eta_b, records, eta);
}

/* Compute eta in the form that p asks for; a shift that stays zero needs none. */
static void eta_of_block(const tx_system_params *p, const tx_octant_place *place, row_place at,
                         const tx_vec (*records)[SLOTS], block_eta *eta) {
  const int form = p->shift == TX_SHIFT_ZERO ? TX_ETA_CONSTANT : p->eta_form;
  if (form == TX_ETA_CONSTANT) eta_constant(p, eta);
  if (form == TX_ETA_RADIAL) eta_radial(p, place, at, eta);
  if (form == TX_ETA_METRIC) eta_metric(p, records, eta);
}
