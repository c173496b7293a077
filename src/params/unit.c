/* The unit that defaults are meant in: the masses of the punctures together. */
#include "params/table.h"

#include <math.h>
#include <string.h>

/* A hole of spin S alone has at least the ADM mass sqrt(S/0.928), whatever its bare mass (gr-qc/0108076). */
#define LARGEST_SPIN 0.928

/* The ADM mass that a puncture has about, without the others: right where either the bare mass or the spin is 0. */
static double mass_of(const tx_params *p, int a) {
  const tx_params_hole h = tx_params_hole_of(p, a);
  const double *S = h.spin, spin2 = S[0] * S[0] + S[1] * S[1] + S[2] * S[2];
  if (p->initial_data_masses == TX_MASSES_ADM) return h.mass;
  return sqrt(sqrt(pow(h.mass, 4) + spin2 / (LARGEST_SPIN * LARGEST_SPIN)));
}

double tx_params_unit(const tx_params *p) {
  double sum = 0.0;
  int exponent = 0;
  if (p->initial_data_type == TX_ID_QUASI_CIRCULAR) return 1.0;
  for (int a = 0; a < tx_params_punctures(p); a++) sum += mass_of(p, a);
  if (!(sum > 0.0)) return 1.0;
  const double part = frexp(sum, &exponent); /* 0.5 to 1 */
  return ldexp(1.0, part < M_SQRT1_2 ? exponent - 1 : exponent);
}

/* Power of mass of a default; 0: it has none, or is for data whose mass is always 1. */
static int power_of(int index) {
  const param_info *info = &tx_param_table[index];
  if (info->kind != PARAM_REAL || info->unscaled) return 0;
  return strcmp(info->unit, "M") == 0 ? 1 : strcmp(info->unit, "1/M") == 0 ? -1 : 0;
}

static double *value_of(tx_params *p, int index) {
  return (double *)((char *)p + tx_param_table[index].offset);
}

static double default_of(int index) {
  return *(const double *)((const char *)&tx_param_defaults + tx_param_table[index].offset);
}

bool tx_param_scales(int index) {
  return power_of(index) != 0 && default_of(index) != 0.0;
}

/* A default in the unit of the file. */
static double scaled(const tx_params *p, int index) {
  const param_info *info = &tx_param_table[index];
  const double value = default_of(index) * pow(tx_params_unit(p), power_of(index));
  return fmin(fmax(value, info->min), info->max);
}

void tx_param_scale_defaults(tx_params *p, const tx_param_source *source) {
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i))
    if (tx_param_scales(i) && !source->line[i] && !source->given[i] && !tx_param_unused(p, i))
      *value_of(p, i) = scaled(p, i);
}

void tx_params_scaled(const tx_params *p, char *text, size_t size) {
  tx_params q = *p;
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < TX_PARAMS && used < size && tx_params_unit(p) != 1.0; i = tx_param_next(i)) {
    if (!tx_param_scales(i) || tx_param_unused(p, i) || *value_of(&q, i) != scaled(p, i)) continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s %g %s", used ? ", " : "",
                             tx_param_table[i].key, *value_of(&q, i), tx_param_table[i].unit);
  }
}
