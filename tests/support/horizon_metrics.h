/* Metrics in closed form for tests of the horizon finder. */
#pragma once

#include "horizons/internal.h"

/** Metric and extrinsic curvature at x; K_dd may be NULL. */
typedef void (*metric_function)(const void *data, const double x[3], double gamma_dd[3][3],
                                double K_dd[3][3]);

/** Punctures at rest (Brill, Lindquist): psi = 1 + sum m/(2 r). */
typedef struct metric_punctures {
  int n;
  double mass[2], position[2][3];
} metric_punctures;
void metric_of_punctures(const void *data, const double x[3], double gamma_dd[3][3],
                         double K_dd[3][3]);

/** A hole of mass 1 in Kerr-Schild coordinates, its spin parameter vector a; boosted, in slices of the frame in which
 *  it moves. */
typedef struct metric_kerr {
  double a[3], position[3], velocity[3];
} metric_kerr;
void metric_of_kerr(const void *data, const double x[3], double gamma_dd[3][3], double K_dd[3][3]);

/** Another metric in coordinates x in which its own ones are X_i = map_ij x_j + wave_i sin x_j, j the next dimension. */
typedef struct metric_mapped {
  metric_function metric;
  const void *data;
  double map[3][3], wave[3];
} metric_mapped;
void metric_of_mapped(const void *data, const double x[3], double gamma_dd[3][3],
                      double K_dd[3][3]);

/** Flat space; NaN everywhere. */
void metric_flat(const void *data, const double x[3], double gamma_dd[3][3], double K_dd[3][3]);
void metric_nan(const void *data, const double x[3], double gamma_dd[3][3], double K_dd[3][3]);

/** A source of jets by differences of order 8 with spacing h. */
typedef struct metric_jets {
  metric_function metric;
  const void *data;
  double h;
  int calls; /**< of the source so far */
} metric_jets;
void metric_jet(const metric_jets *jets, const double x[3], const double normal[3],
                tx_adm_jet *out);
tx_metric_source metric_source(metric_jets *jets);
