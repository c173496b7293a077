/* Hosts of this run: their names, and whether they run one program. */
#pragma once

#include "base/status.h"

/** Refuse to compute if a rank runs another version or build of this program than rank 0 does, or found another MPI. Where there are
 *  several hosts, their names are kept, and failures of a rank name it and its host from here on. Collective; to be called before
 *  ranks exchange anything else. Errors: TX_ERR_LIBRARY. */
tx_status tx_hosts_check(MPI_Comm comm);

/** Return "3 hosts: 4 ranks on a, 4 on b, 2 on c", as tx_hosts_check found them; "" if there is one. Rank 0; view. */
const char *tx_hosts_text(void);
