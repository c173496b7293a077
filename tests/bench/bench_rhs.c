/* Speed of the right-hand side on one core: points/s of tx_system_rhs over `octants` patches,
 * each of its own memory, the best of `repeats`. Usage: bench_rhs [octants [repeats [constant|radial|metric]]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "physics/bssn.h"

#define TEXT_OF(name, text) text,

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Flat space with noise of 1%. */
static void fill(double *patch) {
  for (int v = 0; v < TX_VARS; v++)
    for (int n = 0; n < TX_P3; n++)
      patch[(size_t)v * TX_P3 + (size_t)n] =
          tx_bssn.variable[v].infinity + 0.01 * ((double)rand() / RAND_MAX - 0.5);
}

int main(int argc, char **argv) {
  const size_t octants = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
  const int repeats = argc > 2 ? atoi(argv[2]) : 200;
  const size_t patch_size = (size_t)TX_VARS * TX_P3, rhs_size = (size_t)TX_VARS * TX_N3;
  double *patch = aligned_alloc(64, octants * patch_size * sizeof(double));
  double *rhs = aligned_alloc(64, octants * rhs_size * sizeof(double));
  void *work = aligned_alloc(64, (tx_bssn.scratch_bytes() + 63) / 64 * 64);
  if (!patch || !rhs || !work) {
    fprintf(stderr, "bench_rhs: no memory for %zu octants\n", octants);
    return 6;
  }
  for (size_t b = 0; b < octants; b++) fill(patch + b * patch_size);
  static const char *const forms[] = {TX_ETA_WORDS(TEXT_OF)};
  int form = TX_ETA_CONSTANT;
  while (argc > 3 && form < TX_ETA_METRIC && strcmp(argv[3], forms[form]) != 0) form++;
  const tx_octant_place place = {.h = 0.1, .x0 = {3, 2, 1}};
  const tx_system_params p = {.eta_form = form,
                              .eta = 2,
                              .eta_far = 0.25,
                              .eta_radius = 40,
                              .eta_R0 = 1.31,
                              .eta_a = 1,
                              .eta_b = 2,
                              .eta_max = 100,
                              .lambda_f0 = 1,
                              .advect_lapse = 1,
                              .advect_shift = 1,
                              .advect_B = 1,
                              .advect_Gt = 1,
                              .sigma = 0.4,
                              .chi_floor = 1e-4,
                              .alpha_floor = 1e-8};
  double best = 1e300;
  for (int r = 0; r < repeats; r++) {
    const double start = cpu_s();
    for (size_t b = 0; b < octants; b++)
      tx_system_rhs(&tx_bssn, &p, &place, patch + b * patch_size, rhs + b * rhs_size, work);
    const double seconds = cpu_s() - start;
    if (seconds < best) best = seconds;
  }
  const double rate = (double)octants * TX_N3 / best;
  printf("N = %d: %.3e points/s, %.1f GFLOP/s at %.0f FLOP a point\n", TX_N, rate,
         1e-9 * rate * tx_bssn.rhs_flops, tx_bssn.rhs_flops);
  free(patch);
  free(rhs);
  free(work);
  return 0;
}
