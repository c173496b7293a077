/* Speed of two-puncture data on one core: solving R1 (gr-qc/0602026) and filling points, for several n.
 * Usage: OMP_NUM_THREADS=1 bench_two_punctures [points] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "physics/bssn.h"
#include "physics/initial_data/two_punctures.h"

/* Evaluate the data with u of the series, and w = 1. */
static void evaluate(const tx_bowen_york *b, const double *x, double *u) {
  tx_bowen_york_point_of(b, x, tx_spectral_point(&b->u, x), 1.0, u);
}

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU time of `points` points along a line through all scales. */
static double fill_s(const tx_bowen_york *data, long points) {
  const double start = cpu_s();
  double sum = 0.0;
  for (long i = 0; i < points; i++) {
    const double s = (double)i / (double)points;
    double u[TX_VARS];
    evaluate(data, (const double[3]){8.0 - 16.0 * s, 3.0 * s, 100.0 * s * s}, u);
    sum += u[TX_VAR_CHI];
  }
  const double seconds = cpu_s() - start;
  return sum > 0.0 ? seconds : 0.0;
}

int main(int argc, char **argv) {
  const long points = argc > 1 ? strtol(argv[1], NULL, 10) : 50000;
  for (int n = 16; n <= 128; n *= 2) {
    const tx_two_punctures_spec spec = {.n = 2,
                                        .mass = {.483, .483},
                                        .position = {{3.257}, {-3.257}},
                                        .momentum = {{0, .133, 0}, {0, -.133, 0}},
                                        .resolution = n,
                                        .tolerance = 1e-9};
    tx_two_punctures data;
    const double start = cpu_s();
    if (tx_two_punctures_solve(&spec, &data) != TX_OK) {
      fprintf(stderr, "bench_two_punctures: %s\n", tx_error_text());
      return 6;
    }
    const double solve = cpu_s() - start;
    printf("n = %3d: solved in %.3f s (error %.1e), %zu coefficients, %.2f us a point\n", n, solve,
           data.error, data.n_coefficients, 1e6 * fill_s(&data.data, points) / (double)points);
    tx_two_punctures_free(&data);
  }
  return 0;
}
