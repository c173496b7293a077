/* Tests on every backend: the environment chooses what computes. */
#pragma once

#include "params/params.h"

/** Start what TENDEX_TEST_BACKEND (cpu, cuda; not set: cpu) and, for cuda, TENDEX_TEST_TRANSPORT
 *  (auto, peer, nccl, mpi, staged) ask for, for plans made from now on. `cuda` is the emulation or the real thing, whichever the program is linked with. Collective. Errors: TX_ERR_PARAM for
 *  an unknown word or a program without CUDA; those of tx_cuda_start. */
tx_status tx_test_backend_start(MPI_Comm comm);
/** Give it back; plans are of the CPU again. Local. */
void tx_test_backend_stop(void);

/** Whether it is `cuda`. */
bool tx_test_on_gpu(void);

/** Bytes in use, and most ever, of the memory where it computes. Local. */
size_t tx_test_memory_in_use(void);
size_t tx_test_memory_peak(void);

/** n where GPUs are emulated or TENDEX_TEST_FEWER is set, as for sanitizers, 1 elsewhere: tests take every n-th
 *  of their cases where they are slow. */
int tx_test_every(int n);

/** tx_params_default, with the same choice in the section `compute`. Local. */
void tx_test_params_default(tx_params *p);
