/* The MPI library found at the start: its name, whether it is the only one, whether it takes memory of GPUs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/status.h"

/** Answers of an MPI that is asked whether it takes memory of GPUs. */
typedef enum tx_mpi_answer { TX_MPI_NO, TX_MPI_YES, TX_MPI_CANNOT_SAY } tx_mpi_answer;

/** Shorten what MPI_Get_library_version says: "Open MPI 4.1.4", "MPICH 4.0.2", "CRAY MPICH 8.1.25". Local. */
void tx_mpi_shorten(const char *version, char *name, size_t size);

/** Write the short name of the MPI found. Local; MPI need not have been started. */
void tx_mpi_name(char *name, size_t size);

/** Make sure that one MPI is loaded: p4est or HDF5 may bring the one that they were built with. Local, before MPI is
 *  started. Errors: TX_ERR_LIBRARY. */
tx_status tx_mpi_check_one(void);

/** Return whether MPI takes memory of GPUs. Cray's does so only if it is told to when the program starts. Local.
 *  @param version  what MPI_Get_library_version says
 *  @param answer   of MPIX_Query_cuda_support or MPIX_GPU_query_support
 *  @param enabled  the environment's MPICH_GPU_SUPPORT_ENABLED, or NULL
 *  Errors: TX_ERR_LIBRARY, with the reason and the remedy. */
tx_status tx_mpi_check_gpus(const char *version, tx_mpi_answer answer, const char *enabled);
