#include "support/backend.h"

#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "exec/backend.h"
#ifdef TX_HAVE_CUDA
#include "cuda/cuda.h"
#endif

static bool on_gpu;
static int transport = TX_TRANSPORT_AUTO;

/* Number of the word in the environment variable `name`, 0 if it is not set, -1 if it is none of them. */
static int chosen(const char *name, int n, const char *const *words) {
  const char *text = getenv(name);
  if (!text || !*text) return 0;
  for (int i = 0; i < n; i++)
    if (strcmp(text, words[i]) == 0) return i;
  return -1;
}

#define WORD(name, text) text,
static tx_status read_environment(void) {
  static const char *const backends[] = {"cpu", "cuda"};
  static const char *const transports[] = {TX_TRANSPORT_WORDS(WORD)};
  const int backend = chosen("TENDEX_TEST_BACKEND", 2, backends);
  transport = chosen("TENDEX_TEST_TRANSPORT", sizeof transports / sizeof *transports, transports);
  TX_REQUIRE(
      backend >= 0 && transport >= 0, TX_ERR_PARAM,
      "TENDEX_TEST_BACKEND or TENDEX_TEST_TRANSPORT is none of the words that backend.h names");
  on_gpu = backend == 1;
  return TX_OK;
}

#ifdef TX_HAVE_CUDA
static tx_status start(MPI_Comm comm) {
  const tx_cuda_config config = {.transport = transport};
  TX_TRY(tx_cuda_start(comm, &config));
  tx_exec_use(&tx_backend_cuda);
  return TX_OK;
}
static void stop(void) {
  tx_exec_use(&tx_backend_cpu);
  tx_cuda_stop();
}
size_t tx_test_memory_in_use(void) {
  return on_gpu ? tx_cuda_memory_in_use() : tx_memory_in_use();
}
size_t tx_test_memory_peak(void) {
  return on_gpu ? tx_cuda_memory_peak() : tx_memory_peak();
}
#else
static tx_status start(MPI_Comm comm) {
  (void)comm;
  TX_FAIL(TX_ERR_PARAM, "TENDEX_TEST_BACKEND is cuda, and this test was linked without it");
}
static void stop(void) {}
size_t tx_test_memory_in_use(void) {
  return tx_memory_in_use();
}
size_t tx_test_memory_peak(void) {
  return tx_memory_peak();
}
#endif

tx_status tx_test_backend_start(MPI_Comm comm) {
  TX_TRY(read_environment());
  return on_gpu ? start(comm) : TX_OK;
}

void tx_test_backend_stop(void) {
  if (on_gpu) stop();
  on_gpu = false;
}

bool tx_test_on_gpu(void) {
  return on_gpu;
}

int tx_test_every(int n) {
#ifdef TX_TEST_EMULATED
  if (on_gpu) return n;
#endif
  return getenv("TENDEX_TEST_FEWER") ? n : 1;
}

void tx_test_params_default(tx_params *p) {
  tx_params_default(p);
  p->compute_device = on_gpu ? TX_DEVICE_GPU : TX_DEVICE_CPU;
  if (!on_gpu) return;
  p->compute_transport = transport;
}
