#include "physics/initial_data/binary.h"

#include <math.h>
#include "base/vec3.h"

/* Momenta below this part of that of a circular orbit are rounding. */
#define NOTHING 1e-6

/* The axes: along the line from the second hole to the first, across it in the plane of the orbit, along the orbital
 * angular momentum. */
tx_binary tx_binary_of(const tx_adm_numbers *adm) {
  const double m1 = adm->mass_adm[0], m2 = adm->mass_adm[1], mass = m1 + m2;
  double apart[3], P[3], L[3], axis[3][3] = {{0.0}};
  for (int d = 0; d < 3; d++) {
    apart[d] = (adm->position[0][d] - adm->position[1][d]) / mass;
    P[d] = (m2 * adm->momentum[0][d] - m1 * adm->momentum[1][d]) / (mass * mass);
  }
  tx_vec3_cross(apart, P, L);
  tx_binary b = {.mass = mass, .start = {.mass_ratio = m1 / m2, .separation = tx_vec3_norm(apart)}};
  tx_encounter_start *s = &b.start;
  const double least = NOTHING * m1 * m2 / (mass * mass * sqrt(s->separation));
  s->p_r = tx_vec3_dot(apart, P) / s->separation;
  s->L = tx_vec3_norm(L);
  if (s->L < least * s->separation) s->L = 0.0;
  if (fabs(s->p_r) < least) s->p_r = 0.0;
  for (int d = 0; d < 3 && s->L > 0.0; d++) {
    axis[0][d] = apart[d] / s->separation;
    axis[2][d] = L[d] / s->L;
  }
  tx_vec3_cross(axis[2], axis[0], axis[1]);
  for (int a = 0; a < 2; a++)
    for (int d = 0; d < 3; d++)
      s->chi[a][d] = tx_vec3_dot(adm->spin[a], axis[d]) / (adm->mass_adm[a] * adm->mass_adm[a]);
  return b;
}

bool tx_binary_stays(const tx_binary *binary, const tx_encounter *encounter) {
  return binary->start.L > 0.0 && encounter->kind != TX_ENCOUNTER_PASS &&
         encounter->kind != TX_ENCOUNTER_ESCAPE;
}

bool tx_binary_orbits(const tx_adm_numbers *adm) {
  tx_encounter encounter;
  if (adm->n != 2) return false;
  const tx_binary binary = tx_binary_of(adm);
  tx_encounter_find(&binary.start, &encounter);
  return tx_binary_stays(&binary, &encounter);
}
