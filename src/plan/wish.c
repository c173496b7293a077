#include "plan/wish.h"

const char *const tx_accuracy_names[TX_ACCURACIES] = {"coarse", "standard", "high"};

bool tx_wish_precesses(const tx_wish *wish) {
  for (int a = 0; a < 2; a++)
    if (wish->chi[a][0] != 0.0 || wish->chi[a][1] != 0.0) return true;
  return false;
}
