/* The speed of this machine's processors themselves: memory and arithmetic. */
#pragma once

#include <mpi.h>
#include "base/status.h"

/** Collective. Bytes a second of a = b + s c on all ranks and threads at once, on arrays far larger
 *  than caches: 24 bytes an element, the fastest of several goes. Errors: TX_ERR_MEMORY. */
tx_status tx_triad_measure(MPI_Comm comm, double *bytes_per_s);

/** Collective. Floating-point operations a second, double precision, of fused multiply-adds (two each) in
 *  registers on all ranks and threads at once; the fastest of several goes. */
tx_status tx_fma_measure(MPI_Comm comm, double *flop_per_s);
