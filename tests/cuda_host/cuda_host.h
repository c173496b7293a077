/* Between the files of the emulation. */
#pragma once

#include <stdarg.h>

/** Keep `code` for cudaGetLastError, and return it. */
cudaError_t tx_host_fail(cudaError_t code);
/** Return whether blocks and threads run in reverse order. */
bool tx_host_reverse(void);
/** Enter a stream: until `leave`, it does all that follows. */
void tx_host_stream_enter(cudaStream_t stream);
void tx_host_stream_leave(cudaStream_t stream);
