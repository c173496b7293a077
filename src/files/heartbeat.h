/* Signs of life of this process in run.lock, for other hosts to see. */
#pragma once

#include "base/status.h"
#include "files/owner.h"

/** Seconds between signs of life. */
#define TX_HEARTBEAT_S 10

typedef struct tx_heartbeat tx_heartbeat;

/** Start a thread that writes `self` to the file `path` every TX_HEARTBEAT_S, with another count each time, whatever the
 *  run is busy with. A file that was removed is made again; one that names another process is left alone. *out is
 *  owned by the caller. Local. Errors: TX_ERR_MEMORY. */
tx_status tx_heartbeat_start(const char *path, const tx_owner *self, tx_heartbeat **out);

/** End the thread, at once. Local. */
void tx_heartbeat_stop(tx_heartbeat *h);
