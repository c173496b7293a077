/* Libraries that are found at the start. */
#pragma once

#include "base/status.h"

/** Make sure that the libraries found have all functions that the program calls: another version that comes first in the
 *  search path would end it at the first call of one that is missing, hours later. Local. Errors: TX_ERR_LIBRARY. */
tx_status tx_libraries_check(void);
