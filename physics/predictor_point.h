/* The wavelet error along a row: how far odd points lie from what the even ones predict. */
#pragma once

#include "physics/lagrange_point.h"

static_assert(TX_N + (TX_K - 1) / 2 * 2 + TX_K / 2 * 2 >= 2 * (TX_INTERP_POINTS - 1),
              "a patch must have enough even points in a row");

/** For each odd point of a row: the first of the even points that predict it, centred where the patch has
 *  them and shifted by one pair at an end, and their Lagrange weights. */
typedef struct tx_predictor {
  int first[TX_N];
  double w[TX_N][TX_INTERP_POINTS];
} tx_predictor;

static inline tx_predictor tx_predictor_make(void) {
  const int lowest = -(TX_K / 2 * 2), highest = TX_N + (TX_K - 1) / 2 * 2;
  const int span = 2 * (TX_INTERP_POINTS - 1);
  tx_predictor p;
  for (int i = 0; i < TX_N; i++) {
    p.first[i] = 0;
    for (int t = 0; t < TX_INTERP_POINTS; t++) p.w[i][t] = 0.0;
  }
  for (int i = 1; i < TX_N; i += 2) {
    int a = i - span / 2;
    if (a < lowest) a = lowest;
    if (a + span > highest) a = highest - span;
    p.first[i] = a;
    for (int t = 0; t < TX_INTERP_POINTS; t++)
      p.w[i][t] = tx_lagrange_weight(TX_INTERP_POINTS, t, i - a);
  }
  return p;
}

/** Return the deviation at odd point i of a row of a patch, row[0] being the octant's first point and points lying
 *  `stride` apart. */
TX_HD static inline double tx_predictor_deviation(const tx_predictor *p, const double *row,
                                                  int stride, int i) {
  double value = row[i * stride];
  for (int t = 0; t < TX_INTERP_POINTS; t++)
    value -= p->w[i][t] * row[(p->first[i] + 2 * t) * stride];
  return value;
}
