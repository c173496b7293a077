#include <math.h>

#include "base/timer.h"
#include "tests/bench/sparse.h"

enum { BATCHES = 3 };

static void multiply(const tx_csr *a, const double *x, double *y) {
#pragma omp parallel for schedule(static)
  for (int32_t i = 0; i < a->rows; i++) {
    double sum = 0.0;
    for (int32_t k = a->start[i]; k < a->start[i + 1]; k++) sum += a->value[k] * x[a->column[k]];
    y[i] = sum;
  }
}

tx_status tx_csr_multiply(const tx_csr *a, const double *x, double *y, int repeats,
                          tx_csr_time *out) {
  *out = (tx_csr_time){.seconds = INFINITY,
                       .bytes = 12.0 * a->entries + 4.0 * (a->rows + 1.0) + 16.0 * a->rows,
                       .means = "a loop"};
  for (int b = 0; b < BATCHES; b++) {
    const double begin = tx_now_s();
    for (int i = 0; i < repeats; i++) multiply(a, x, y);
    out->seconds = fmin(out->seconds, (tx_now_s() - begin) / repeats);
  }
  return TX_OK;
}
