/* What systems of equations have, which other parameters need; profiles of initial data. */
#include "params/table.h"

#include <stdio.h>
#include <string.h>

/* Of each system of this build. Systems that a test adds are not in the table. */
static const unsigned traits[] = {
#define TRAITS(system, has) [system] = (has),
#include "params/system_parameters.def"
#undef TRAITS
};

static const struct profile {
  int system;
  const char *name, *text;
} profiles[] = {
#define PROFILE(system, name, text) {system, name, text},
#include "params/system_parameters.def"
#undef PROFILE
    {-1, NULL, NULL},
};

static const char *const names[] = {
#define W(enumerator, word) word,
    TX_EVOLVED_WORDS(W)
#undef W
};

bool tx_params_has(const tx_params *p, unsigned trait) {
  const int n = (int)(sizeof traits / sizeof traits[0]);
  if (p->evolution_system >= n) return true;
  return (traits[p->evolution_system] & trait) == trait;
}

const char *tx_param_system_name(const tx_params *p) {
  const int n = (int)(sizeof names / sizeof names[0]);
  return p->evolution_system < n ? names[p->evolution_system] : "of a test";
}

const char *tx_param_trait_name(unsigned trait) {
  switch (trait) {
  case TX_HAS_GAUGE:
    return "a gauge";
  case TX_HAS_LAPSE:
  case TX_HAS_ALPHA_FLOOR:
    return "a lapse";
  case TX_HAS_CHI:
  case TX_HAS_CHI_FLOOR:
    return "a chi";
  case TX_HAS_METRIC:
    return "a metric";
  case TX_HAS_PSI4:
    return "Psi4";
  case TX_HAS_WAVELETS:
    return "a watched variable";
  default:
    return "";
  }
}

const char *tx_params_profile_name(const tx_params *p, int number) {
  for (const struct profile *at = profiles; at->name; at++)
    if (at->system == p->evolution_system && number-- == 0) return at->name;
  return NULL;
}

int tx_params_profile(const tx_params *p) {
  const char *name;
  for (int number = 0; (name = tx_params_profile_name(p, number)); number++)
    if (strcmp(name, p->initial_data_profile) == 0) return number;
  return -1;
}

bool tx_param_profile_is(const tx_params *p, const char *name) {
  return p->initial_data_type == TX_ID_PROFILE && strcmp(p->initial_data_profile, name) == 0;
}

bool tx_param_profiles(const tx_params *p, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (const struct profile *at = profiles; at->name; at++)
    if (at->system == p->evolution_system && used < size)
      used += (size_t)snprintf(text + used, size - used, "%s%s (%s)", used ? ", " : "", at->name,
                               at->text);
  return used > 0;
}
