#include "gw_extraction/gw_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { L_LIMIT = 66 /* twice l_max is at most 131, the highest degree of a rule */ };

/* The mirror images of one point (x, y, z >= 0) at one m: index s has bit d set where x_d is
 * negative. */
typedef struct images {
  double weight;
  double cos_m, sin_m;               /* of m phi at the point itself */
  double up[L_LIMIT], down[L_LIMIT]; /* _{-2}Y_lm(theta, 0) at z and -z, from the lowest l */
  int n, signs[8];
} images;

/* e^{i n phi} from its first power, by squaring; exact for phi = 0 and pi/2, so that points on the planes
 * of reflection give exact zeros. */
static void power_of_phase(double c, double s, int n, double *out_c, double *out_s) {
  double re = 1.0, im = 0.0;
  for (; n > 0; n >>= 1) {
    if (n & 1) {
      double t = re * c - im * s;
      im = re * s + im * c;
      re = t;
    }
    double t = (c - s) * (c + s);
    s = 2.0 * c * s;
    c = t;
  }
  *out_c = re;
  *out_s = im;
}

static void prepare(const tx_gw *gw, int group, int m, images *im) {
  int first = gw->rule.group[group];
  const double *x = gw->rule.x[first];
  double rho = hypot(x[0], x[1]);
  im->weight = gw->rule.w[first];
  if (rho == 0.0)
    power_of_phase(1.0, 0.0, abs(m), &im->cos_m, &im->sin_m);
  else
    power_of_phase(x[0] / rho, x[1] / rho, abs(m), &im->cos_m, &im->sin_m);
  if (m < 0) im->sin_m = -im->sin_m;
  tx_harmonics_theta(gw->harmonics, m, x[2], rho, im->up);
  tx_harmonics_theta(gw->harmonics, m, -x[2], rho, im->down);
  im->n = gw->rule.group[group + 1] - first;
  for (int p = 0; p < im->n; p++) {
    im->signs[p] = 0;
    for (int d = 0; d < 3; d++) im->signs[p] |= (gw->rule.x[first + p][d] < 0.0) << d;
  }
}

/* f e^{-i m phi} summed over the images in x and y of f[0..3], at phi, pi - phi, -phi, pi + phi.
 * Images in y are added first, then those in x: a reflection exchanges the two terms of a sum,
 * nothing else. */
static void sum_xy(const images *im, int odd, const double f[4][2], double g[2]) {
  double c = im->cos_m, s = im->sin_m, x_sign = odd ? -1.0 : 1.0;
  double re0 = (f[0][0] * c + f[0][1] * s) + (f[2][0] * c - f[2][1] * s);
  double im0 = (f[0][1] * c - f[0][0] * s) + (f[2][1] * c + f[2][0] * s);
  double re1 = (f[1][0] * c - f[1][1] * s) + (f[3][0] * c + f[3][1] * s);
  double im1 = (f[1][1] * c + f[1][0] * s) + (f[3][1] * c - f[3][0] * s);
  g[0] = re0 + x_sign * re1;
  g[1] = im0 + x_sign * im1;
}

/* Add one group of images to the modes (lowest l .. l_max, m) of one function. */
static void add_group(const tx_gw *gw, const images *im, int m, const double (*value)[2],
                      double (*modes)[2]) {
  double f[8][2] = {{0.0}}, above[2], below[2];
  for (int p = 0; p < im->n; p++) memcpy(f[im->signs[p]], value[p], sizeof f[0]);
  sum_xy(im, m & 1, (const double(*)[2])f, above);
  sum_xy(im, m & 1, (const double(*)[2])f + 4, below);
  int lowest = tx_harmonics_lowest(gw->harmonics, m);
  for (int l = lowest; l <= gw->info.l_max; l++) {
    double *mode = modes[tx_gw_index(l, m)];
    for (int part = 0; part < 2; part++)
      mode[part] +=
          im->weight * (im->up[l - lowest] * above[part] + im->down[l - lowest] * below[part]);
  }
}

void tx_gw_project(const tx_gw *gw, int n, const double (*value)[2], double (*modes)[2]) {
  int l_max = gw->info.l_max, n_modes = gw->info.n_modes, n_points = gw->info.n_points;
  memset(modes, 0, (size_t)n * (size_t)n_modes * sizeof *modes);
#pragma omp parallel for schedule(dynamic)
  for (int m = -l_max; m <= l_max; m++) {
    for (int group = 0; group < gw->rule.n_groups; group++) {
      images im;
      prepare(gw, group, m, &im);
      int first = gw->rule.group[group];
      for (int i = 0; i < n; i++)
        add_group(gw, &im, m, value + (size_t)i * (size_t)n_points + first,
                  modes + (size_t)i * (size_t)n_modes);
    }
  }
}
