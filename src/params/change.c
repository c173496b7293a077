/* Which parameters a restart may change: those that leave the fields as they would have been, but for the error of
 * the steps in time and the time at which levels end (grid.remnant_level), and the series without a break. */
#include "params/table.h"

#include <stdio.h>
#include <string.h>

bool tx_param_may_change(int index) {
  return tx_param_table[index].restart == PARAM_MAY_CHANGE;
}

/* "run.t_end, run.max_steps, ..." */
static void list_them(char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < TX_PARAMS && used < size; i = tx_param_next(i))
    if (tx_param_may_change(i))
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                               tx_param_table[i].key);
}

/* Value of a parameter in what tx_params_values wrote; false if it is not there. */
static bool find_value(const char *values, const char *key, char *value, size_t size) {
  const size_t n = strlen(key);
  for (const char *line = values; line && *line; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (strncmp(line, key, n) != 0 || strncmp(line + n, ": ", 2) != 0) continue;
    snprintf(value, size, "%.*s", (int)strcspn(line + n + 2, "\n"), line + n + 2);
    return true;
  }
  return false;
}

/* Value of a parameter when the run began; false if that is not known. */
static bool find_was(const char *values, int index, char *was, size_t size) {
  if (find_value(values, tx_param_table[index].key, was, size)) return true;
  const char *unnamed = tx_param_table[index].unnamed;
  if (unnamed) snprintf(was, size, "%s", unnamed);
  return unnamed != NULL;
}

tx_status tx_params_values(const tx_params *p, FILE *out) {
  char value[TX_PARAM_TEXT_MAX];
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
    tx_param_format(p, i, value, sizeof value);
    fprintf(out, "%s: %s\n", tx_param_table[i].key, value);
  }
  TX_REQUIRE(fflush(out) == 0 && !ferror(out), TX_ERR_IO, "cannot write the parameters' values");
  return TX_OK;
}

tx_status tx_params_check_change(const char *values, const tx_params *p, char *changes,
                                 size_t size) {
  char was[TX_PARAM_TEXT_MAX], is[TX_PARAM_TEXT_MAX], list[TX_PARAM_TEXT_MAX];
  size_t used = 0;
  changes[0] = '\0';
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
    const char *key = tx_param_table[i].key;
    tx_param_format(p, i, is, sizeof is);
    if (tx_param_table[i].restart == PARAM_IGNORED || !find_was(values, i, was, sizeof was) ||
        strcmp(was, is) == 0)
      continue;
    list_them(list, sizeof list);
    TX_REQUIRE(tx_param_may_change(i), TX_ERR_PARAM,
               "%s: %s differs from the run's value, %s, and cannot change at a restart; undo the "
               "change, or start a new run. A restart may change %s",
               key, is, was, list);
    if (used < size)
      used += (size_t)snprintf(changes + used, size - used, "%s%s: %s, was %s", used ? "; " : "",
                               key, is, was);
  }
  return TX_OK;
}
