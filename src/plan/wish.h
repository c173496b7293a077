/* A wish: the binary and the accuracy that a user asks for. */
#pragma once

#include <stdbool.h>

/** Members of one convergence series: the same levels and radii, spacings 1 : 2/3 : 4/9. */
typedef enum tx_accuracy {
  TX_ACCURACY_COARSE,
  TX_ACCURACY_STANDARD,
  TX_ACCURACY_HIGH,
  TX_ACCURACIES
} tx_accuracy;

/** "coarse", "standard", "high". */
extern const char *const tx_accuracy_names[TX_ACCURACIES];

/** Binary on a quasi-circular orbit, as it is asked for. Of orbits, separation and frequency one is above 0. */
typedef struct tx_wish {
  double q;          /**< mass of hole 1 over that of hole 2 */
  double chi[2][3];  /**< dimensionless spins */
  double orbits;     /**< until the merger */
  double separation; /**< M */
  double frequency;  /**< orbital angular frequency, 1/M */
  tx_accuracy accuracy;
  int n_set;
  const char *const *set; /**< parameters that are given, "section.name=value"; views */
} tx_wish;

/** Return whether spins have parts in the plane of the orbit. Local. */
bool tx_wish_precesses(const tx_wish *wish);
