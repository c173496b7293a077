/* Which parameters a restart may change: those that leave the fields as they would have been, but for the error of
 * the steps in time and the time at which levels end (grid.remnant_level), and the series without a break. */
#include "params/table.h"

#include <stdio.h>
#include <string.h>

static const int may_change[] = {
    TX_PARAM_run_t_end,
    TX_PARAM_run_max_steps,
    TX_PARAM_run_walltime,
    TX_PARAM_compute_device,
    TX_PARAM_compute_transport,
    TX_PARAM_evolution_time_steps,
    TX_PARAM_evolution_macro_step,
    TX_PARAM_horizons_every,
    TX_PARAM_horizons_common_below,
    TX_PARAM_checkpoint_every,
    TX_PARAM_checkpoint_minutes,
    TX_PARAM_checkpoint_at_end,
    TX_PARAM_checkpoint_keep,
    TX_PARAM_output_log_every,
    TX_PARAM_output_norms_every,
    TX_PARAM_output_track_every,
    TX_PARAM_output_slices_every,
    TX_PARAM_output_slices_psi4,
    TX_PARAM_output_fields_every,
};

/* Of no consequence to a run that has begun. */
static const int ignored[] = {TX_PARAM_run_name, TX_PARAM_run_folder, TX_PARAM_run_overwrite};

/* What runs did before there was a parameter, which their checkpoints do not name. */
static const struct {
  int index;
  const char *was;
} unnamed[] = {{TX_PARAM_evolution_time_steps, "global"}};

#define IS_IN(index, list) is_in(index, list, sizeof(list) / sizeof((list)[0]))
static bool is_in(int index, const int *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == index) return true;
  return false;
}

bool tx_param_may_change(int index) {
  return IS_IN(index, may_change);
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
  for (size_t i = 0; i < sizeof unnamed / sizeof unnamed[0]; i++)
    if (unnamed[i].index == index) {
      snprintf(was, size, "%s", unnamed[i].was);
      return true;
    }
  return false;
}

tx_status tx_params_values(const tx_params *p, FILE *out) {
  char value[PARAM_TEXT_MAX];
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
    tx_param_format(p, i, value, sizeof value);
    fprintf(out, "%s: %s\n", tx_param_table[i].key, value);
  }
  TX_REQUIRE(fflush(out) == 0 && !ferror(out), TX_ERR_IO, "cannot write the parameters' values");
  return TX_OK;
}

tx_status tx_params_check_change(const char *values, const tx_params *p, char *changes,
                                 size_t size) {
  char was[PARAM_TEXT_MAX], is[PARAM_TEXT_MAX], list[PARAM_TEXT_MAX];
  size_t used = 0;
  changes[0] = '\0';
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
    const char *key = tx_param_table[i].key;
    tx_param_format(p, i, is, sizeof is);
    if (IS_IN(i, ignored) || !find_was(values, i, was, sizeof was) || strcmp(was, is) == 0)
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
