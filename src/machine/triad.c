#include "machine/triad.h"

#include <float.h>
#include "base/memory.h"
#include "base/timer.h"

/* Elements of an array on a rank, and goes of which the fastest counts. */
#define ELEMENTS 8000000
#define GOES     8

static void triad(double *restrict a, const double *restrict b, const double *restrict c,
                  double s) {
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < ELEMENTS; i++) a[i] = b[i] + s * c[i];
}

/* Pages come into being where the thread that uses them runs. */
static void touch(double *a, double value) {
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < ELEMENTS; i++) a[i] = value;
}

static tx_status go(MPI_Comm comm, double *a, double *b, double *c, double *fastest) {
  *fastest = DBL_MAX;
  for (int n = 0; n < GOES; n++) {
    TX_MPI(MPI_Barrier(comm));
    double start = tx_now_s();
    triad(a, b, c, 1e-3 * n);
    double s = tx_now_s() - start;
    TX_MPI(MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_DOUBLE, MPI_MAX, comm));
    if (s < *fastest) *fastest = s;
    double *swap = a; /* so that no go can be left out */
    a = b;
    b = swap;
  }
  return TX_OK;
}

tx_status tx_triad_measure(MPI_Comm comm, double *bytes_per_s) {
  double *array[3] = {NULL}, fastest = 0.0;
  int ranks = 1;
  tx_status status = TX_OK;
  TX_MPI(MPI_Comm_size(comm, &ranks));
  for (int i = 0; i < 3; i++)
    TX_KEEP(status, tx_alloc(ELEMENTS, sizeof(double), "triad", &array[i]));
  status = tx_agree(comm, status);
  if (status == TX_OK) {
    for (int i = 0; i < 3; i++) touch(array[i], 1.0 + i);
    status = go(comm, array[0], array[1], array[2], &fastest);
  }
  for (int i = 0; i < 3; i++) tx_free(array[i]);
  if (status == TX_OK) *bytes_per_s = 24.0 * ELEMENTS * ranks / fastest;
  return status;
}

/* Chains of vectors that do not wait for each other, and operations of each in a go. A vector is a register: with
 * longer ones the chains would not fit into the 16 that there are without AVX-512. */
#define CHAINS     10
#define OPERATIONS 2000000
#if defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX__)
#define LANES 4
#else
#define LANES 2
#endif

/* One thread's go; what it returns keeps it from being left out. */
static double multiply_add(double factor, double term) {
  typedef double vector __attribute__((vector_size(LANES * sizeof(double))));
  vector x[CHAINS], f = {0.0}, t = {0.0}, sum = {0.0};
  double all = 0.0;
  f += factor;
  t += term;
  for (int c = 0; c < CHAINS; c++) x[c] = t * (double)c;
  for (int n = 0; n < OPERATIONS; n++)
#pragma GCC unroll 10
    for (int c = 0; c < CHAINS; c++) x[c] = x[c] * f + t;
  for (int c = 0; c < CHAINS; c++) sum += x[c];
  for (int i = 0; i < LANES; i++) all += sum[i];
  return all;
}

tx_status tx_fma_measure(MPI_Comm comm, double *flop_per_s) {
  double fastest = DBL_MAX, seen = 0.0;
  int workers = 0;
  for (int n = 0; n < GOES; n++) {
    int threads = 0;
    TX_MPI(MPI_Barrier(comm));
    double start = tx_now_s();
#pragma omp parallel reduction(+ : seen, threads)
    {
      seen += multiply_add(1.0 - 1e-9, 1e-9 * n);
      threads += 1;
    }
    double s = tx_now_s() - start;
    TX_MPI(MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_DOUBLE, MPI_MAX, comm));
    TX_MPI(MPI_Allreduce(&threads, &workers, 1, MPI_INT, MPI_SUM, comm));
    if (s < fastest) fastest = s;
  }
  TX_REQUIRE(seen < DBL_MAX, TX_ERR_NUMERICS, "multiply-adds ended in %g", seen);
  *flop_per_s = 2.0 * CHAINS * LANES * (double)OPERATIONS * workers / fastest;
  return TX_OK;
}
