#include <math.h>
#include <string.h>
#include "horizons/internal.h"

static double distance(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
              (a[2] - b[2]) * (a[2] - b[2]));
}

/* Area and the mean of the coordinates over it; on a mirror, the mirror's. */
static void area_and_centroid(const tx_horizon_finder *f, tx_horizon *out) {
  double moment[3] = {0.0};
  for (int i = 0; i < f->n_points; i++) {
    double area = f->weight[i] * f->column[i][TX_HORIZON_AREA];
    out->area += area;
    for (int d = 0; d < 3; d++) moment[d] += area * (f->x[i][d] - f->surface.centre[d]);
  }
  for (int d = 0; d < 3; d++)
    out->centroid[d] = f->mirror >> d & 1 ? 0.0 : f->surface.centre[d] + moment[d] / out->area;
}

/* Extremes over the points and over the six directions of the axes, which points of the rule
 * miss. */
static void radii(const tx_horizon_finder *f, tx_horizon *out) {
  double sum = 0.0;
  out->radius_min = INFINITY;
  for (int i = 0; i < f->n_points + 6; i++) {
    double r;
    if (i < f->n_points) {
      r = distance(f->x[i], out->centroid);
      sum += f->weight[i] * f->column[i][TX_HORIZON_AREA] * r;
    } else {
      int k = i - f->n_points;
      double n[3] = {0.0}, x[3];
      n[k / 2] = k % 2 ? -1.0 : 1.0;
      memcpy(x, f->surface.centre, sizeof x);
      x[k / 2] += n[k / 2] * tx_surface_radius(&f->surface, n);
      r = distance(x, out->centroid);
    }
    out->radius_min = fmin(out->radius_min, r);
    out->radius_max = fmax(out->radius_max, r);
  }
  out->radius_mean = sum / out->area;
}

/* J_i = 1/(8 \pi) \oint K_jk \phi_i^j s^k dA, \phi_i the rotation about axis i through the
 * centroid without its part along s. Spin is a pseudovector: a mirror leaves only the component
 * across it. */
static void spin(const tx_horizon_finder *f, tx_horizon *out) {
  for (int i = 0; i < f->n_points; i++) {
    double y[3], area = f->weight[i] * f->column[i][TX_HORIZON_AREA] / (8.0 * M_PI);
    const double *K_s = f->column[i] + TX_HORIZON_SPIN;
    for (int d = 0; d < 3; d++) y[d] = f->x[i][d] - out->centroid[d];
    for (int d = 0; d < 3; d++) {
      int a = (d + 1) % 3, b = (d + 2) % 3;
      if (!(f->mirror & ~(1 << d))) out->spin[d] += area * (y[a] * K_s[b] - y[b] * K_s[a]);
    }
  }
}

void tx_search_measure(const tx_horizon_finder *f, tx_horizon *out) {
  out->area = out->radius_max = 0.0;
  memset(out->spin, 0, sizeof out->spin);
  area_and_centroid(f, out);
  radii(f, out);
  spin(f, out);
  double J2 =
      out->spin[0] * out->spin[0] + out->spin[1] * out->spin[1] + out->spin[2] * out->spin[2];
  double irreducible2 = out->area / (16.0 * M_PI), mass2 = irreducible2 + 0.25 * J2 / irreducible2;
  out->radius_areal = sqrt(out->area / (4.0 * M_PI));
  out->mass_irreducible = sqrt(irreducible2);
  out->mass = sqrt(mass2);
  out->chi = sqrt(J2) / mass2;
}
