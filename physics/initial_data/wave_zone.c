#include "physics/initial_data/wave_zone.h"

#include <math.h>
#include "base/vec3.h"

/* Leaver's values without spin, times the growth of l = 2 with spin (gr-qc/0512160, table VIII). */
double tx_ringdown_frequency(int l, double a) {
  static const double still[] = {0.3737, 0.5994, 0.8092};
  double w = l <= 4 ? still[l - 2] : still[2] + 0.2 * (l - 4);
  return w * (1.5251 - 1.1568 * pow(1.0 - a, 0.1292)) / (1.5251 - 1.1568);
}

/* Guess the spin of the remnant: most of the angular momentum stays, and holes that had none before they merged end
 * below 0.7. */
static double last_spin(const tx_adm_numbers *adm) {
  double a = tx_vec3_norm(adm->angular_momentum) / (adm->energy * adm->energy);
  return adm->n == 1 ? fmin(a, 0.95) : fmin(0.8 * a, 0.7);
}

double tx_ringdown_wavelength(const tx_adm_numbers *adm, int l) {
  return 2.0 * M_PI * adm->energy / tx_ringdown_frequency(l, last_spin(adm));
}

double tx_wave_zone(const tx_adm_numbers *adm, bool orbit, const char **what) {
  *what = "";
  if (adm->n == 0) return 0.0;
  double far = tx_ringdown_wavelength(adm, 2);
  *what = "a wavelength of the ringdown";
  for (int a = 0; a < adm->n; a++) {
    double beyond = 2.0 * tx_vec3_norm(adm->position[a]);
    if (beyond > far) far = beyond, *what = "twice the distance of a puncture";
  }
  if (orbit) {
    double apart[3];
    for (int d = 0; d < 3; d++) apart[d] = adm->position[0][d] - adm->position[1][d];
    const double distance = tx_vec3_norm(apart);
    double zone = 0.5 * sqrt(distance * distance * distance / adm->energy);
    if (zone > far) far = zone, *what = "the near zone of the first orbit, 1/(2 w)";
  }
  return far;
}
