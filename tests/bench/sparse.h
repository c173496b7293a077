/* A matrix in compressed rows and its product with a vector, by a library where there is one: cuSPARSE in bench_operator.gpu,
 * a plain loop elsewhere. */
#pragma once

#include <stdint.h>

#include "base/status.h"

typedef struct tx_csr {
  int32_t rows, entries;
  int32_t *start;  /**< [rows + 1] */
  int32_t *column; /**< [entries], ascending in each row */
  double *value;
} tx_csr;

typedef struct tx_csr_time {
  double seconds; /**< of a product, the fastest of all batches and algorithms */
  double bytes;   /**< where it is computed: the matrix, both vectors, and room for the algorithm */
  const char *means; /**< library and algorithm */
} tx_csr_time;

/** y = A x, `repeats` times a batch. Local. Errors: TX_ERR_LIBRARY, with what CUDA or cuSPARSE says. */
tx_status tx_csr_multiply(const tx_csr *a, const double *x, double *y, int repeats,
                          tx_csr_time *out);
