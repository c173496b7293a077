/* Files of the run folder that someone removes or replaces while the run goes on. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"
#include "files/folder_lock.h"
#include "output/internal.h"

/* A log that someone put in place of ours stays, and ours goes on in it. */
tx_status tx_output_look_after_log(tx_output *out) {
  char path[PATH_MAX];
  struct stat s;
  const int old = out->lock;
  tx_output_path(out, path, "log.txt");
  if (old < 0 || tx_file_is_at(old, path)) return TX_OK;
  tx_status status = tx_folder_lock(out->folder, &out->lock);
  int bad = status == TX_OK && fstat(out->lock, &s) != 0 ? errno : 0;
  if (status == TX_OK && !bad && s.st_size == 0) bad = tx_fd_copy(old, out->lock);
  close(old);
  TX_TRY(status);
  if (bad) return tx_file_failed(path, strerror(bad));
  TX_TRY(tx_log_open(path));
  tx_warn("%s was removed or replaced during the run; it is written again", path);
  return TX_OK;
}

/* Without it there is no restart. */
static tx_status look_after_yaml(tx_output *out) {
  char path[PATH_MAX];
  tx_output_path(out, path, "run.yaml");
  if (!out->yaml.data || access(path, F_OK) == 0 || errno != ENOENT) return TX_OK;
  TX_TRY(tx_file_replace(path, out->yaml.data, out->yaml.length));
  tx_warn("%s was removed or replaced during the run; it is written again", path);
  return TX_OK;
}

tx_status tx_output_look_after(tx_output *out) {
  TX_TRY(tx_output_look_after_log(out));
  TX_TRY(look_after_yaml(out));
  TX_TRY(tx_modes_look_after(out));
  return tx_series_watch(out->folder, &out->sums);
}
