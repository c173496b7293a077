/* Notes on the machine that a run is for: memory and time. */
#include "advice/check.h"
#include "advice/machine.h"
#include "report/text.h"

/* Bytes that the driver of a GPU, or MPI and the system, keep. */
#define KEPT 1e9

tx_status tx_check_machine(tx_check *c) {
  const tx_budget *b = c->machine;
  char needs[32], has[32], machine[32], wall[32], given[32];
  if (!b) return TX_OK;
  tx_check_set_found(c);
  tx_budget_machine_text(b, machine, sizeof machine);
  const double bytes = b->gpu ? c->found.device_bytes : c->found.host_bytes;
  if (b->memory_bytes > 0.0 && bytes + KEPT > b->memory_bytes)
    tx_check_note(c, "%s needs %s and has %s: use more of them or a smaller grid",
                  b->gpu ? "a GPU" : "the host", tx_bytes_text(bytes + KEPT, needs),
                  tx_bytes_text(b->memory_bytes, has));
  if (b->seconds <= 0.0 || c->wall_s <= b->seconds) return TX_OK;
  tx_duration_text(c->wall_s, wall);
  tx_duration_text(b->seconds, given);
  tx_check_note(
      c,
      "the run takes %s on %s, more than the %s given: `tendex new --budget' plans a run that fits",
      wall, machine, given);
  return TX_OK;
}
