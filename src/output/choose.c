/* Variables and analysis quantities that a parameter names. */
#include <stdio.h>
#include <string.h>
#include "output/internal.h"

/* Refuse a name, with a list of all. */
static tx_status refuse(const tx_system *system, const char *key, const char *name) {
  char known[1024] = "", more[1024] = "";
  for (int i = 0; i < system->n_vars; i++) {
    const size_t n = strlen(known);
    snprintf(known + n, sizeof known - n, " %s", system->variable[i].name);
  }
  for (int i = 0; i < system->n_analyses; i++) {
    const size_t n = strlen(more);
    snprintf(more + n, sizeof more - n, "%s %s", i ? "" : "; or analysis quantities, of",
             system->quantity[i].name);
  }
  TX_FAIL(TX_ERR_PARAM, "%s: '%s' is not a variable; give some of%s, or all%s", key, name, known,
          more);
}

/* Find what a list names; `copy` is a copy of it, which this cuts into words. Returns the first unknown name, or NULL. */
static const char *choose(const tx_system *system, char *copy, uint32_t *variables,
                          uint32_t *quantities) {
  char *rest = NULL;
  *variables = *quantities = 0;
  for (char *w = strtok_r(copy, " ,\t", &rest); w; w = strtok_r(NULL, " ,\t", &rest)) {
    const int v = tx_system_variable(system, w), a = tx_system_analysis(system, w);
    if (strcmp(w, "all") == 0)
      *variables = (uint32_t)((UINT64_C(1) << system->n_vars) - 1);
    else if (v >= 0)
      *variables |= UINT32_C(1) << v;
    else if (a >= 0)
      *quantities |= UINT32_C(1) << a;
    else
      return w;
  }
  return NULL;
}

void tx_output_find_names(const tx_system *system, const char *names, uint32_t *variables,
                          uint32_t *quantities) {
  char copy[TX_STRING_MAX];
  snprintf(copy, sizeof copy, "%s", names);
  choose(system, copy, variables, quantities);
}

tx_status tx_output_choose(const tx_system *system, const char *key, const char *names,
                           uint32_t *variables, uint32_t *quantities) {
  char copy[TX_STRING_MAX];
  snprintf(copy, sizeof copy, "%s", names);
  const char *unknown = choose(system, copy, variables, quantities);
  if (unknown) return refuse(system, key, unknown);
  TX_REQUIRE(*variables || *quantities, TX_ERR_PARAM, "%s: names no variable; give some, or all",
             key);
  return TX_OK;
}
