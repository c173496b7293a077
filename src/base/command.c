#include "base/command.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/line.h"

enum { SHOWN = 300 };

error_t tx_option_refuse(struct argp_state *state, const char *option, const char *arg,
                         const char *wanted) {
  char shown[SHOWN];
  tx_line_show(arg, shown, sizeof shown);
  argp_error(state, "--%s: '%s' is not allowed; give %s", option, shown, wanted);
  return EINVAL;
}

error_t tx_option_long(struct argp_state *state, const char *option, const char *arg, long most,
                       long *out) {
  char *end = NULL, wanted[80];
  errno = 0;
  *out = strtol(arg, &end, 10);
  if (errno == 0 && end != arg && *end == '\0' && *out >= 1 && *out <= most) return 0;
  snprintf(wanted, sizeof wanted, "a whole number from 1 to %ld", most);
  return tx_option_refuse(state, option, arg, wanted);
}

bool tx_option_number(const char *text, double *x) {
  char *end = NULL;
  *x = strtod(text, &end);
  const bool good = end != text && *end == '\0' && isfinite(*x);
  if (!good) *x = 0.0;
  return good;
}

static error_t take_positive(struct argp_state *state, const char *option, const char *arg,
                             double *out) {
  double over = 0.0, under = 0.0;
  char wanted[64] = "a number above 0";
  int used = 0;
  if (tx_option_number(arg, out) && *out > 0.0) return 0;
  if (sscanf(arg, "%lf/%lf%n", &over, &under, &used) == 2 && arg[used] == '\0' &&
      over / under > 0.0 && isfinite(over / under))
    snprintf(wanted, sizeof wanted, "a number above 0, as in %.10g", over / under);
  return tx_option_refuse(state, option, arg, wanted);
}

error_t tx_request_set(struct argp_state *state, const char *setting) {
  tx_request *request = state->input;
  if (request->n_set < TX_REQUEST_SETTINGS) {
    request->set[request->n_set++] = setting;
    return 0;
  }
  argp_error(state, "--set is given more than %d times", TX_REQUEST_SETTINGS);
  return EINVAL;
}

error_t tx_option_take(const tx_option *option, const char *arg, struct argp_state *state) {
  long number = 0;
  error_t bad = 0;
  switch (option->kind) {
  case TX_OPTION_FLAG:
    *(bool *)option->to = true;
    return 0;
  case TX_OPTION_TEXT:
    *(const char **)option->to = arg;
    return 0;
  case TX_OPTION_INT:
    bad = tx_option_long(state, option->name, arg, option->most, &number);
    *(int *)option->to = (int)number;
    return bad;
  case TX_OPTION_LONG:
    return tx_option_long(state, option->name, arg, option->most, option->to);
  case TX_OPTION_POSITIVE:
    return take_positive(state, option->name, arg, option->to);
  case TX_OPTION_SETTING:
    return tx_request_set(state, arg);
  default:
    return option->take(state, arg);
  }
}

error_t tx_request_needs_file(struct argp_state *state) {
  const tx_request *request = state->input;
  if (request->path) return 0;
  argp_error(state, "the parameter file is missing, e.g. par/head_on.yaml");
  return EINVAL;
}
