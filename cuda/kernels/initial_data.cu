/* Initial data, point by point, where they are needed. */
#include "cuda/backend.cuh"

extern "C" {
#include "physics/initial_data/initial_data.h"
}

enum { THREADS = 128 };
static_assert(TX_N3 % THREADS == 0, "a block fills part of one octant");

/* A point a thread; one kernel a type, so that none pays for the registers of another. */
template <int TYPE>
static __global__ void __launch_bounds__(THREADS)
    fill(const tx_cuda_mesh m, const tx_lidx *octants, const tx_initial_data *id,
         const tx_initial_map map, const double *given, int n_vars, double *u) {
  const int parts = TX_N3 / THREADS;
  const tx_lidx b = octants[blockIdx.x / (unsigned)parts];
  const int p = (int)(blockIdx.x % (unsigned)parts) * THREADS + (int)threadIdx.x;
  const tx_cuda_place &place = m.place[b];
  const double x[3] = {place.x0[0] + p % TX_N * place.h, place.x0[1] + p / TX_N % TX_N * place.h,
                       place.x0[2] + p / (TX_N * TX_N) * place.h};
  tx_initial_state_of(TYPE, id, &map, 0.0, x, given ? &given[(size_t)b * TX_N3 + p] : NULL,
                      u + (size_t)b * n_vars * TX_N3 + p);
}

static tx_status run(const tx_exec *x, const tx_set *set, int type, const tx_initial_data *id,
                     const tx_initial_map *map, const double *given, tx_field *u) {
  const int n_vars = u->n_vars;
  const tx_cuda_mesh mesh = tx_cuda_of(x)->mesh;
  const tx_lidx *octants = tx_cuda_set_of(set)->octant;
  const cudaStream_t stream = tx_cuda_stream.compute;
  const size_t blocks = (size_t)set->n * (TX_N3 / THREADS);
  double *data;
  TX_TRY(tx_cuda_target(u, &data));
  switch (type) {
#define TYPE(name)                                                                                 \
  case name:                                                                                       \
    TX_CUDA_RUN(fill<name>, blocks, THREADS, 0, stream, mesh, octants, id, *map, given, n_vars,    \
                data);                                                                             \
    return TX_OK
    TYPE(TX_ID_MINKOWSKI);
    TYPE(TX_ID_PUNCTURE);
    TYPE(TX_ID_BRILL_LINDQUIST);
    TYPE(TX_ID_TWO_PUNCTURES);
    TYPE(TX_ID_GAUGE_WAVE);
    TYPE(TX_ID_LINEAR_WAVE);
    TYPE(TX_ID_TEUKOLSKY);
    TYPE(TX_ID_NOISE);
#undef TYPE
  }
  TX_FAIL(TX_ERR_USAGE, "initial data of type %d have no kernel", type);
}

tx_status tx_cuda_initial_data(tx_exec *x, const tx_set *set, const tx_initial_data *id,
                               const tx_initial_map *map, const tx_field *given, tx_field *u) {
  double *coefficients = NULL;
  tx_initial_data there = *id, *copy = NULL;
  const size_t bytes = tx_spectral_count(&id->bowen_york.u) * sizeof(double);
  tx_cuda_values regular = {};
  if (given) TX_TRY(tx_cuda_values_of(given, &regular));
  TX_TRY(tx_cuda_upload(id->bowen_york.u.coefficients, bytes, "initial data", &coefficients));
  there.bowen_york.u.coefficients = coefficients;
  tx_status status = tx_cuda_upload(&there, sizeof there, "initial data", &copy);
  TX_THEN(status, run(x, set, id->type, copy, map, regular.data, u));
  tx_cuda_free(copy);
  tx_cuda_free(coefficients);
  return status;
}
