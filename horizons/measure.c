#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "horizons/killing.h"

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
      r = tx_vec3_distance(f->x[i], out->centroid);
      sum += f->weight[i] * f->column[i][TX_HORIZON_AREA] * r;
    } else {
      int k = i - f->n_points;
      double n[3] = {0.0}, x[3];
      n[k / 2] = k % 2 ? -1.0 : 1.0;
      memcpy(x, f->surface.centre, sizeof x);
      x[k / 2] += n[k / 2] * tx_surface_radius(&f->surface, n);
      r = tx_vec3_distance(x, out->centroid);
    }
    out->radius_min = fmin(out->radius_min, r);
    out->radius_max = fmax(out->radius_max, r);
  }
  out->radius_mean = sum / out->area;
}

/* Does the spin have a component along dimension d? It is a pseudovector: a mirror leaves only the one across it. */
static bool has_component(const tx_horizon_finder *f, int d) {
  return !(f->mirror & ~(1 << d));
}

/* J_i = 1/(8 \pi) \oint K_jk \phi_i^j s^k dA, \phi_i the rotation about axis i through the
 * centroid without its part along s. */
static void spin_by_rotation(const tx_horizon_finder *f, tx_horizon *out) {
  for (int i = 0; i < f->n_points; i++) {
    double y[3], area = f->weight[i] * f->column[i][TX_HORIZON_AREA] / (8.0 * M_PI);
    const double *K_s = f->column[i] + TX_HORIZON_SPIN;
    for (int d = 0; d < 3; d++) y[d] = f->x[i][d] - out->centroid[d];
    for (int d = 0; d < 3; d++) {
      int a = (d + 1) % 3, b = (d + 2) % 3;
      if (has_component(f, d)) out->spin_coordinate[d] += area * (y[a] * K_s[b] - y[b] * K_s[a]);
    }
  }
}

/* Moments J[x^i] of the curl of K_jk s^k: 1/(8 \pi) \oint (\omega_1 X_2^i - \omega_2 X_1^i) d\Omega. */
static void moments(const tx_horizon_finder *f, double out[3]) {
  memset(out, 0, 3 * sizeof *out);
  for (int i = 0; i < f->n_points; i++) {
    double X[2][3], omega[2] = {0.0};
    tx_surface_tangents(&f->jet[i], X);
    for (int A = 0; A < 2; A++)
      for (int d = 0; d < 3; d++) omega[A] += X[A][d] * f->column[i][TX_HORIZON_SPIN + d];
    for (int d = 0; d < 3; d++)
      if (has_component(f, d))
        out[d] += f->weight[i] * (omega[0] * X[1][d] - omega[1] * X[0][d]) / (8.0 * M_PI);
  }
}

/* From the rotations where there are no Killing vectors. */
static tx_status spin(tx_horizon_finder *f, tx_horizon *out) {
  tx_killing_spin by = {.shear = {NAN, NAN}};
  double along[3];
  spin_by_rotation(f, out);
  if ((f->mirror & (f->mirror - 1)) == 0) { /* two mirrors leave nothing */
    TX_TRY(tx_killing_measure(f->killing, f, out->area, &by));
    out->by_rotation = !by.good;
  }
  moments(f, along);
  const double all = tx_vec3_norm(along);
  for (int d = 0; d < 3; d++)
    out->spin[d] =
        out->by_rotation ? out->spin_coordinate[d] : (all > 0.0 ? by.J * along[d] / all : 0.0);
  memcpy(out->shear, by.shear, sizeof out->shear);
  return TX_OK;
}

tx_status tx_search_measure(tx_horizon_finder *f, const tx_metric_source *from, tx_horizon *out) {
  TX_TRY(tx_search_intrinsic(f, from));
  out->area = out->radius_max = 0.0;
  memset(out->spin_coordinate, 0, sizeof out->spin_coordinate);
  area_and_centroid(f, out);
  radii(f, out);
  TX_TRY(tx_agree(from->comm, spin(f, out)));
  const double J = tx_vec3_norm(out->spin), J2 = J * J;
  double irreducible2 = out->area / (16.0 * M_PI), mass2 = irreducible2 + 0.25 * J2 / irreducible2;
  out->radius_areal = sqrt(out->area / (4.0 * M_PI));
  out->mass_irreducible = sqrt(irreducible2);
  out->mass = sqrt(mass2);
  out->chi = J / mass2;
  return TX_OK;
}
