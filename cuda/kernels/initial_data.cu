/* Initial data, point by point, where they are needed. */
#include "cuda/backend.cuh"

extern "C" {
#include "physics/initial_data/initial_data.h"
}

enum { THREADS = 128 };

/* Arguments of the kernel, by value. */
struct arguments {
  const tx_cuda_place *places;
  const tx_lidx *octants;
  const tx_initial_data *id;
  tx_initial_map map;
  tx_initial_given given; /* [n_local][TX_N3] each, or NULL */
  int n_vars;
  double *u;
};

/* Evaluate initial data, a point a thread; one kernel for each type, so that none pays for the
 * registers of another. */
template <int TYPE>
static __global__ void __launch_bounds__(THREADS) fill(const __grid_constant__ arguments a) {
  const int parts = TX_CUDA_PARTS(THREADS);
  const tx_lidx b = a.octants[blockIdx.x / (unsigned)parts];
  const int p = (int)(blockIdx.x % (unsigned)parts) * THREADS + (int)threadIdx.x;
  if (!tx_cuda_in_octant(THREADS, p)) return;
  const tx_cuda_place &place = a.places[b];
  const size_t point = (size_t)b * TX_N3 + p;
  const tx_initial_at at = {
      0.0,
      {place.x0[0] + p % TX_N * place.h, place.x0[1] + p / TX_N % TX_N * place.h,
       place.x0[2] + p / (TX_N * TX_N) * place.h},
      {a.given.u ? a.given.u + point : NULL, a.given.w ? a.given.w + point : NULL}};
  tx_initial_state_of(TYPE, a.id, &a.map, &at, a.u + (size_t)b * a.n_vars * TX_N3 + p);
}

static tx_status run_initial_data(int type, size_t octants, const arguments &a) {
  const size_t blocks = octants * TX_CUDA_PARTS(THREADS);
  switch (type) {
#define TYPE(name)                                                                                 \
  case name:                                                                                       \
    TX_CUDA_RUN(fill<name>, blocks, THREADS, 0, tx_cuda_stream.compute, a);                        \
    return TX_OK
    TYPE(TX_ID_MINKOWSKI);
    TYPE(TX_ID_PUNCTURE);
    TYPE(TX_ID_BRILL_LINDQUIST);
    TYPE(TX_ID_TWO_PUNCTURES);
    TYPE(TX_ID_GAUGE_WAVE);
    TYPE(TX_ID_LINEAR_WAVE);
    TYPE(TX_ID_BRILL_WAVE);
    TYPE(TX_ID_TEUKOLSKY);
    TYPE(TX_ID_NOISE);
#undef TYPE
  }
  TX_FAIL(TX_ERR_USAGE, "initial data of type %d have no kernel", type);
}

tx_status tx_cuda_initial_data(tx_exec *x, const tx_set *set, const tx_initial_data *id,
                               const tx_initial_map *map, const tx_given_fields *given,
                               tx_field *u) {
  double *coefficients = NULL;
  tx_initial_data there = *id, *copy = NULL;
  const size_t bytes = tx_spectral_count(&id->bowen_york.u) * sizeof(double);
  tx_cuda_values regular = {}, lapse = {};
  if (given->u) TX_TRY(tx_cuda_values_of(given->u, &regular));
  if (given->w) TX_TRY(tx_cuda_values_of(given->w, &lapse));
  TX_TRY(tx_cuda_upload(id->bowen_york.u.coefficients, bytes, "initial data", &coefficients));
  there.bowen_york.u.coefficients = coefficients;
  tx_status status = tx_cuda_upload(&there, sizeof there, "initial data", &copy);
  arguments a = {tx_cuda_of(x)->mesh.place,
                 tx_cuda_set_of(set)->octant,
                 copy,
                 *map,
                 {regular.data, lapse.data},
                 u->n_vars,
                 NULL};
  TX_THEN(status, tx_cuda_target(u, &a.u));
  TX_THEN(status, run_initial_data(id->type, (size_t)set->n, a));
  tx_cuda_free(copy);
  tx_cuda_free(coefficients);
  return status;
}
