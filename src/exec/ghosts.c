/* Filling ghost zones: what is checked and timed around the backend's exchange. */
#include "exec/common.h"

tx_status tx_ghosts_begin(tx_exec *x, const tx_field *f) {
  TX_TRY(tx_field_check_any(x, f, "ghosts"));
  TX_TRY(tx_set_check(x, x->all, "ghosts"));
  TX_REQUIRE(x->begun == 0, TX_ERR_USAGE, "ghosts of another field are still under way");
  TX_REQUIRE(
      !x->coarser || x->boundary_made == f->stamp, TX_ERR_USAGE,
      "the refinement boundary of this field on the grid of level %d was not made since its last "
      "change; call tx_level_boundary_make first",
      x->mesh->level_lowest);
  x->filled = 0;
  /* Where operations return early, this is what waits for nobody: interpolation. The rest shows at the end. */
  const tx_phase phase = x->backend->wait ? TX_PHASE_GHOSTS : TX_PHASE_HALO;
  tx_status status;
  tx_phase_begin(phase);
  TX_WORK(GHOSTS, false, status, x->backend->ghosts_begin(x, f));
  tx_phase_end(phase);
  x->begun = f->stamp;
  return status;
}

tx_status tx_ghosts_end(tx_exec *x, const tx_field *f) {
  TX_REQUIRE(x->begun == f->stamp, TX_ERR_USAGE,
             "the ghosts under way are not those of this field");
  tx_status status;
  tx_phase_begin(TX_PHASE_HALO);
  TX_WORK(GHOSTS, false, status, x->backend->ghosts_end(x, f));
  tx_phase_end(TX_PHASE_HALO);
  x->begun = 0;
  x->filled = f->stamp;
  return status;
}

tx_status tx_ghosts_fill(tx_exec *x, const tx_field *f) {
  tx_status status = tx_ghosts_begin(x, f);
  TX_KEEP(status, tx_ghosts_end(x, f)); /* others wait for what it sends */
  return status;
}
