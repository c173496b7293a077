/* Memory of the host that slices and whole fields take while they are written. */
#include <math.h>
#include "output/internal.h"

/* Return the bytes of what a file takes beyond the values of analysis quantities: patches of these, and then a batch. */
static double buffers_bytes(int normal, int variables, int quantities) {
  const double each = (double)tx_octant_values(normal);
  const double patches = (double)TX_OCTANTS_TOGETHER * TX_P3 * quantities;
  const double cells = (double)tx_cells_buffers_bytes(normal); /* rank 0, while it has a batch */
  const double batch = (double)(TX_OCTANTS_BATCH * (variables + quantities)) * each +
                       (double)TX_OCTANTS_TOGETHER * TX_P3 * variables;
  return sizeof(double) * fmax(patches, batch) + cells;
}

double tx_output_bytes(const tx_params *p, double planes, double octants) {
  uint32_t variables, quantities;
  double slices = 0.0, fields = 0.0;
  tx_output_find_names(tx_system_of(p), p->output_variables, &variables, &quantities);
  const int v = __builtin_popcount(variables), q = __builtin_popcount(quantities);
  const double lists = (double)sizeof(tx_lidx) * octants, value = (double)sizeof(double) * q;
  if (p->output_slices_every > 0)
    slices = value * (double)tx_octant_values(0) * planes + 3.0 * lists + buffers_bytes(0, v, q);
  if (p->output_fields_every > 0)
    fields = value * (double)tx_octant_values(-1) * octants + lists + buffers_bytes(-1, v, q);
  return fmax(slices, fields);
}

/* Return whether a list names an analysis quantity. */
static bool has_quantities(const tx_params *p, const char *names) {
  uint32_t variables, quantities;
  tx_output_find_names(tx_system_of(p), names, &variables, &quantities);
  return quantities != 0;
}

bool tx_output_takes_quantities(const tx_params *p) {
  return ((p->output_slices_every > 0 || p->output_fields_every > 0) &&
          has_quantities(p, p->output_variables)) ||
         (p->output_norms_every > 0 && has_quantities(p, p->output_norms)) ||
         (p->output_modes_every > 0 && has_quantities(p, p->output_modes));
}
