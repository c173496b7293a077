/* The backend that computes, and the memory that it may take. */
#include "exec/backend.h"

static const tx_backend *backend = &tx_backend_cpu;

static double memory_bytes;

void tx_exec_use(const tx_backend *chosen) {
  backend = chosen;
}

void tx_exec_memory_set(double bytes) {
  memory_bytes = bytes;
}

double tx_exec_memory(void) {
  return memory_bytes;
}

const tx_backend *tx_exec_backend(void) {
  return backend;
}
