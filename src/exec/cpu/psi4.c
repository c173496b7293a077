/* What waves are extracted from. Compiled without contracted products, as the modes are. */
#include "exec/cpu/cpu.h"

#include "physics/sphere_point.h"

void tx_cpu_psi4_point(const double jets[TX_VARS][10], const double x[3],
                       double out[TX_PSI4_COLUMNS]) {
  tx_psi4_point(jets, x, out + TX_PSI4_RE);
  out[TX_PSI4_AREA] = tx_area_element_point(jets, x);
  out[TX_PSI4_OWNERS] = 1.0;
  for (int c = 0; c < TX_PSI4_COLUMNS; c++) out[c] += 0.0; /* -0 to +0 */
}
