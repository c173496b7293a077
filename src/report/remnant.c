#include "report/remnant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/vec3.h"

/* Largest sine of the angle between an axis and a spin along or against it; spins below SMALL have no direction. */
#define ALONG 0.1
#define SMALL 1e-3

/* Part of |x| |P| below which an angular momentum is rounding. */
#define STILL 1e-9

void tx_moving_hole_of(const tx_adm_numbers *adm, const tx_horizon *h, const double *radiated,
                       tx_moving_hole *out) {
  double orbital[3];
  for (int d = 0; d < 3; d++)
    out->momentum[d] = adm->linear_momentum[d] - (radiated ? radiated[TX_FLUX_PX + d] : 0.0);
  out->energy = hypot(h->mass, tx_vec3_norm(out->momentum));
  tx_vec3_cross(h->centroid, out->momentum, orbital);
  for (int d = 0; d < 3; d++) out->angular_momentum[d] = h->spin[d] + orbital[d];
}

/* Find the unit vector along the orbital angular momentum, z where nothing orbits. */
static void find_axis(const tx_adm_numbers *adm, double axis[3]) {
  double L[3] = {0.0}, most = 0.0;
  for (int a = 0; a < adm->n; a++) {
    double one[3];
    tx_vec3_cross(adm->position[a], adm->momentum[a], one);
    for (int d = 0; d < 3; d++) L[d] += one[d];
    most = fmax(most, tx_vec3_norm(adm->position[a]) * tx_vec3_norm(adm->momentum[a]));
  }
  const double size = tx_vec3_norm(L);
  const bool turns = adm->n > 1 && size > STILL * most;
  for (int d = 0; d < 3; d++) axis[d] = turns ? L[d] / size : d == 2;
}

const char *tx_spin_text(const tx_adm_numbers *adm, double chi, const double S[3], int digits,
                         char text[TX_SPIN_TEXT]) {
  double axis[3], across[3];
  const double size = tx_vec3_norm(S);
  find_axis(adm, axis);
  const double along = tx_vec3_dot(S, axis);
  for (int d = 0; d < 3; d++) across[d] = S[d] - along * axis[d];
  const double sine = size > 0.0 ? tx_vec3_norm(across) / size : 0.0;
  const bool tilted = sine >= ALONG && chi * sine >= SMALL;
  const double sign = along < 0.0 && sine < ALONG && chi >= SMALL ? -1.0 : 1.0,
               unit = size > 0.0 ? chi / size : 0.0;
  int n = snprintf(text, TX_SPIN_TEXT, "%.*f", digits, sign * chi);
  if (tilted)
    snprintf(text + n, TX_SPIN_TEXT - (size_t)n, ", vector (%.*f, %.*f, %.*f)", digits, unit * S[0],
             digits, unit * S[1], digits, unit * S[2]);
  return text;
}
