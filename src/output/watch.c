/* Files of the run folder that someone removes or replaces while the run goes on. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "output/internal.h"

/* A log that someone put in place of ours stays, and ours goes on in it. */
tx_status tx_output_look_after_log(tx_output *out) {
  char path[PATH_MAX];
  bool replaced = false;
  if (!out->lock) return TX_OK;
  tx_status status = tx_folder_lock_keep(out->lock, &replaced);
  if (status != TX_OK) {
    out->lost = true;
    (void)tx_log_close();
  }
  if (status != TX_OK || !replaced) return status;
  tx_output_path(out, path, "log.txt");
  TX_TRY(tx_log_open(path));
  tx_warn("%s was removed or replaced during the run; it is written again", path);
  return TX_OK;
}
