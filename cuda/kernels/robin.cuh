/* Ghosts beyond outer faces by TX_OUTER_ROBIN. */
#pragma once

#include "cuda/backend.cuh"
#include "cuda/kernels/extrapolate.cuh"
#include "physics/robin_point.h"

/** A field for kernels that need ghosts beyond outer faces, with the laws of its variables
 *  there. By value. */
template <class T> struct tx_cuda_patched_numbers : tx_cuda_numbers<T> {
  uint32_t robin; /**< bit v: TX_OUTER_ROBIN, after law[v]; 0 where no octant has outer faces */
  tx_robin law[TX_FIELD_VARS];
};
typedef tx_cuda_patched_numbers<double> tx_cuda_patched;

template <class T>
static inline tx_status tx_cuda_patched_of(const tx_field *f, tx_cuda_patched_numbers<T> *out) {
  memset(out, 0, sizeof *out);
  TX_TRY(tx_cuda_values_of(f, static_cast<tx_cuda_numbers<T> *>(out)));
  const tx_cuda *plan = tx_cuda_of(f->x); /* NULL: not complete, for copies alone */
  out->robin = plan && plan->outer ? f->robin : 0u;
  for (int v = 0; v < f->n_vars; v++) out->law[v] = {f->var[v].infinity, f->var[v].falloff};
  return TX_OK;
}

/** Return the line of dimension d through patch point `at`, the outermost one inside of a face. */
static __device__ __forceinline__ tx_robin_line tx_cuda_robin_line(const tx_cuda_place &place,
                                                                   int d, int side,
                                                                   const int at[3]) {
  tx_robin_line line = {0.0, place.x0[d] + at[d] * place.h, side ? -place.h : place.h, !side};
#pragma unroll
  for (int e = 0; e < 3; e++) {
    const double x = place.x0[e] + at[e] * place.h;
    if (e != d) line.rho2 += x * x;
  }
  return line;
}

/** Fill the ghosts beyond `face` of the line through patch point `at`, the outermost one inside
 *  of it. */
static __device__ __forceinline__ void tx_cuda_robin_ghosts(const tx_cuda_place &place,
                                                            const tx_robin &law, int face,
                                                            const int at[3], double *patch) {
  const int d = face / 2, side = face % 2;
  const int stride = d == 0 ? 1 : d == 1 ? TX_P : TX_P * TX_P, in = side ? -stride : stride;
  const tx_robin_line line = tx_cuda_robin_line(place, d, side, at);
  double *edge = patch + TX_PATCH_AT(at[0], at[1], at[2]), inside[TX_OUTER_POINTS];
  for (int j = 0; j < TX_OUTER_POINTS; j++) inside[j] = edge[j * in];
  for (int g = 0; g < TX_K; g++) edge[-(g + 1) * in] = tx_robin_ghost(&law, &line, g, inside);
}

/** Fill the lines of dimension d beyond one face of a patch, of which low .. high - 1 is filled. */
static __device__ inline void tx_cuda_robin_face(const tx_cuda_place &place, const tx_robin &law,
                                                 int face, const int low[3], const int high[3],
                                                 double *patch) {
  const int d = face / 2, side = face % 2, a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
  const int n_a = high[a] - low[a], n_b = high[b] - low[b];
  for (int n = (int)threadIdx.x; n < n_a * n_b; n += (int)blockDim.x) {
    int at[3];
    at[d] = side ? TX_N - 1 : 0;
    at[a] = low[a] + n % n_a;
    at[b] = low[b] + n / n_a;
    tx_cuda_robin_ghosts(place, law, face, at, patch);
  }
}

/** Fill the ghosts of a patch beyond outer faces by the law, as tx_cuda_extrapolate does by
 *  polynomials. */
static __device__ inline void tx_cuda_robin(const tx_cuda_place &place, const tx_robin &law,
                                            double *patch) {
  for (int d = 0; d < 3; d++) {
    int low[3], high[3]; /* filled so far */
    for (int e = 0; e < 3; e++) {
      low[e] = e >= d && place.outer & TX_FACE_BIT(e, 0) ? 0 : -TX_K;
      high[e] = e >= d && place.outer & TX_FACE_BIT(e, 1) ? TX_N : TX_N + TX_K;
    }
    for (int side = 0; side < 2; side++)
      if (place.outer & TX_FACE_BIT(d, side))
        tx_cuda_robin_face(place, law, 2 * d + side, low, high, patch);
    if (place.outer & (TX_FACE_BIT(d, 0) | TX_FACE_BIT(d, 1))) __syncthreads();
  }
}

/** Fill the ghosts of variable v's patch [TX_P3] beyond the octant's outer faces, all others being there. The whole block
 *  calls it, after a barrier; ends with one if there are such faces. */
template <class T>
static __device__ inline void tx_cuda_go_on(const tx_cuda_place &place,
                                            const tx_cuda_patched_numbers<T> &f, int v,
                                            double *patch) {
  if (f.robin >> v & 1u)
    tx_cuda_robin(place, f.law[v], patch);
  else
    tx_cuda_extrapolate(place.outer, patch);
}

/** Fill ghosts of a field without TX_OUTER_ROBIN, with fewer registers. */
template <class T>
static __device__ inline void tx_cuda_go_on(const tx_cuda_place &place, const tx_cuda_numbers<T> &,
                                            int, double *patch) {
  tx_cuda_extrapolate(place.outer, patch);
}

/** Return the ghosts of variable 0 beyond `face`, 2 d + side, of the line through patch point
 *  `at`, the outermost one inside of it, from the points inside. */
template <class T>
static __device__ __forceinline__ void
tx_cuda_line_ghosts(const tx_cuda_place &place, const tx_cuda_patched_numbers<T> &f, int face,
                    const int at[3], const double inside[TX_OUTER_POINTS], double ghosts[TX_K]) {
  const tx_robin_line line = tx_cuda_robin_line(place, face / 2, face % 2, at);
  if (f.robin & 1u)
    for (int g = 0; g < TX_K; g++) ghosts[g] = tx_robin_ghost(&f.law[0], &line, g, inside);
  else
    tx_cuda_outer_ghosts(inside, ghosts);
}
template <class T>
static __device__ __forceinline__ void
tx_cuda_line_ghosts(const tx_cuda_place &, const tx_cuda_numbers<T> &, int, const int[3],
                    const double inside[TX_OUTER_POINTS], double ghosts[TX_K]) {
  tx_cuda_outer_ghosts(inside, ghosts);
}
