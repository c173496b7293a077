/* Psi4, which waves are extracted from. Compiled without contracted products, as the modes are. */
#include "exec/cpu/cpu.h"

#include "physics/area_point.h"
#include "physics/turn_point.h"

void tx_cpu_psi4_point(const tx_system *system, const double (*jets)[10], const double x[3],
                       double out[TX_PSI4_COLUMNS]) {
  system->psi4_at(jets, x, out + TX_PSI4_RE);
  system->expansion_at(jets, x, out + TX_PSI4_EXPANSION_N);
  out[TX_PSI4_AREA] = tx_area_element_point(jets + system->metric, jets[system->factor][0], x);
  for (int i = 0; i < 3; i++) out[TX_PSI4_TURN_X + i] = 0.0;
  if (system->shift.n) tx_turn_point(jets + system->shift.first, x, out + TX_PSI4_TURN_X);
  out[TX_PSI4_LAPSE] = system->lapse < 0 ? 1.0 : jets[system->lapse][0];
  out[TX_PSI4_OWNERS] = 1.0;
  for (int c = 0; c < TX_PSI4_COLUMNS; c++) out[c] += 0.0; /* -0 to +0 */
}
