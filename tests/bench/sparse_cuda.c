/* The product by cuSPARSE, with each of its algorithms for compressed rows, after what each prepares once. */
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <math.h>

#include "base/timer.h"
#include "tests/bench/sparse.h"

#define TX_CUDA(call)                                                                              \
  do {                                                                                             \
    const cudaError_t code = (call);                                                               \
    TX_REQUIRE(code == cudaSuccess, TX_ERR_LIBRARY, "%s: %s", #call, cudaGetErrorString(code));    \
  } while (0)
#define TX_CUSPARSE(call)                                                                          \
  do {                                                                                             \
    const cusparseStatus_t code = (call);                                                          \
    TX_REQUIRE(code == CUSPARSE_STATUS_SUCCESS, TX_ERR_LIBRARY, "%s: %s", #call,                   \
               cusparseGetErrorString(code));                                                      \
  } while (0)

enum { BATCHES = 3, ALGORITHMS = 2 };

static const struct {
  cusparseSpMVAlg_t number;
  const char *name;
} algorithm[ALGORITHMS] = {{CUSPARSE_SPMV_CSR_ALG1, "cuSPARSE, CSR_ALG1"},
                           {CUSPARSE_SPMV_CSR_ALG2, "cuSPARSE, CSR_ALG2"}};
static const double one = 1.0, zero = 0.0;

/* What is on the device. */
typedef struct product {
  cusparseHandle_t handle;
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t x, y;
  void *start, *column, *value, *vector[2], *room;
  double bytes;
} product;

static tx_status give(product *p, size_t bytes, const void *from, void **to) {
  TX_CUDA(cudaMalloc(to, bytes > 0 ? bytes : 1));
  p->bytes += (double)bytes;
  if (from) TX_CUDA(cudaMemcpy(*to, from, bytes, cudaMemcpyHostToDevice));
  return TX_OK;
}

static tx_status begin(product *p, const tx_csr *a, const double *x) {
  const size_t n = (size_t)a->rows, m = (size_t)a->entries;
  TX_TRY(give(p, (n + 1) * sizeof *a->start, a->start, &p->start));
  TX_TRY(give(p, m * sizeof *a->column, a->column, &p->column));
  TX_TRY(give(p, m * sizeof *a->value, a->value, &p->value));
  TX_TRY(give(p, n * sizeof *x, x, &p->vector[0]));
  TX_TRY(give(p, n * sizeof *x, NULL, &p->vector[1]));
  TX_CUSPARSE(cusparseCreate(&p->handle));
  TX_CUSPARSE(cusparseCreateCsr(&p->a, a->rows, a->rows, a->entries, p->start, p->column, p->value,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                CUDA_R_64F));
  TX_CUSPARSE(cusparseCreateDnVec(&p->x, a->rows, p->vector[0], CUDA_R_64F));
  TX_CUSPARSE(cusparseCreateDnVec(&p->y, a->rows, p->vector[1], CUDA_R_64F));
  return TX_OK;
}

static tx_status time_algorithm(product *p, int number, int repeats, tx_csr_time *out) {
  const cusparseSpMVAlg_t a = algorithm[number].number;
  const cusparseOperation_t as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
  const double before = p->bytes;
  size_t bytes = 0;
  TX_CUSPARSE(cusparseSpMV_bufferSize(p->handle, as_it_is, &one, p->a, p->x, &zero, p->y,
                                      CUDA_R_64F, a, &bytes));
  TX_TRY(give(p, bytes, NULL, &p->room));
  TX_CUSPARSE(cusparseSpMV_preprocess(p->handle, as_it_is, &one, p->a, p->x, &zero, p->y,
                                      CUDA_R_64F, a, p->room));
  for (int b = 0; b <= BATCHES; b++) { /* the first one warms up */
    TX_CUDA(cudaDeviceSynchronize());
    const double start = tx_now_s();
    for (int i = 0; i < repeats; i++)
      TX_CUSPARSE(
          cusparseSpMV(p->handle, as_it_is, &one, p->a, p->x, &zero, p->y, CUDA_R_64F, a, p->room));
    TX_CUDA(cudaDeviceSynchronize());
    const double seconds = (tx_now_s() - start) / repeats;
    if (b > 0 && seconds < out->seconds)
      *out = (tx_csr_time){seconds, p->bytes, algorithm[number].name};
  }
  TX_CUDA(cudaFree(p->room));
  p->room = NULL;
  p->bytes = before;
  return TX_OK;
}

static void end(product *p) {
  void *const all[] = {p->start, p->column, p->value, p->vector[0], p->vector[1], p->room};
  if (p->y) cusparseDestroyDnVec(p->y);
  if (p->x) cusparseDestroyDnVec(p->x);
  if (p->a) cusparseDestroySpMat(p->a);
  if (p->handle) cusparseDestroy(p->handle);
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) cudaFree(all[i]);
}

static tx_status multiply(product *p, const tx_csr *a, const double *x, double *y, int repeats,
                          tx_csr_time *out) {
  TX_TRY(begin(p, a, x));
  for (int i = 0; i < ALGORITHMS; i++) TX_TRY(time_algorithm(p, i, repeats, out));
  TX_CUDA(cudaMemcpy(y, p->vector[1], (size_t)a->rows * sizeof *y, cudaMemcpyDeviceToHost));
  return TX_OK;
}

tx_status tx_csr_multiply(const tx_csr *a, const double *x, double *y, int repeats,
                          tx_csr_time *out) {
  product p = {.handle = NULL};
  *out = (tx_csr_time){.seconds = INFINITY};
  const tx_status status = multiply(&p, a, x, y, repeats, out);
  end(&p);
  return status;
}
