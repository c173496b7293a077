/* Signals that ask a run to end: SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP.
 *
 * A handler only records the signal. The ranks compare these records at the end of each step, so that it does not
 * matter which ranks a signal reached. */
#pragma once

#include <stdbool.h>
#include "base/status.h"

/** Record these signals from now on, except those that the program was started to ignore. A second one, a second or
 *  more after the first, ends the program at once with TX_ERR_INTERRUPT. `speaks`: say on standard error that one
 *  came (on one rank). Local. Errors: TX_ERR_LIBRARY. */
tx_status tx_signals_catch(bool speaks);

/** Make writing to a closed pipe fail instead of ending the program. Local. Errors: TX_ERR_LIBRARY. */
tx_status tx_signals_ignore_pipes(void);

/** Let signals do what they did before. Local. */
void tx_signals_release(void);

/** Return the signal that came first, 0: none yet. Local. */
int tx_signals_received(void);

/** Return the name of a signal, "SIGTERM", ... Literal. Local. */
const char *tx_signal_name(int number);
