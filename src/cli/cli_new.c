#include "cli/cli_new.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/line.h"

/* Words joined, for as long as the program lasts. */
enum { JOINED = 160, SPINS = 8 };
static char joined[SPINS][JOINED];

static bool is_number(const char *text) {
  char *end = NULL;
  const double x = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(x);
}

void tx_cli_new_join(int *argc, char **argv) {
  int to = 1, spins = 0;
  for (int from = 1; from < *argc; from++) {
    char *word = argv[from];
    const bool chi = strcmp(word, "--chi1") == 0 || strcmp(word, "--chi2") == 0;
    int n = 0;
    while (chi && n < 3 && from + n + 1 < *argc && is_number(argv[from + n + 1])) n++;
    if (n > 0 && spins < SPINS) {
      char *all = joined[spins++];
      snprintf(all, JOINED, "%s=%.40s%s%.40s%s%.40s", word, argv[from + 1], n > 1 ? "," : "",
               n > 1 ? argv[from + 2] : "", n > 2 ? "," : "", n > 2 ? argv[from + 3] : "");
      word = all;
      from += n;
    }
    argv[to++] = word;
  }
  argv[to] = NULL;
  *argc = to;
}

static error_t refuse(struct argp_state *state, const char *option, const char *arg,
                      const char *wanted) {
  char shown[300];
  tx_line_show(arg, shown, sizeof shown);
  argp_error(state, "--%s: '%s' is not allowed; give %s", option, shown, wanted);
  return EINVAL;
}

static error_t take_positive(struct argp_state *state, const char *option, const char *arg,
                             double *out) {
  double over = 0.0, under = 0.0;
  char wanted[64] = "a number above 0";
  int used = 0;
  *out = is_number(arg) ? strtod(arg, NULL) : 0.0;
  if (*out > 0.0) return 0;
  if (sscanf(arg, "%lf/%lf%n", &over, &under, &used) == 2 && arg[used] == '\0' &&
      over / under > 0.0 && isfinite(over / under))
    snprintf(wanted, sizeof wanted, "a number above 0, as in %.10g", over / under);
  return refuse(state, option, arg, wanted);
}

static error_t take_spin(struct argp_state *state, const char *option, const char *arg,
                         double chi[3]) {
  int used = 0;
  memset(chi, 0, 3 * sizeof *chi);
  if (is_number(arg)) {
    chi[2] = strtod(arg, NULL);
    return 0;
  }
  if (sscanf(arg, "%lf%*1[, ]%lf%*1[, ]%lf%n", &chi[0], &chi[1], &chi[2], &used) == 3 &&
      arg[used] == '\0' && isfinite(chi[0]) && isfinite(chi[1]) && isfinite(chi[2]))
    return 0;
  return refuse(state, option, arg, "one number, the spin along z, or three, its x y z");
}

static error_t take_accuracy(struct argp_state *state, const char *arg, tx_new_options *out) {
  static const char *const words[] = {"coarse", "standard", "high", "all"};
  out->accuracy = arg;
  for (int i = 0; i < 4; i++)
    if (strcmp(arg, words[i]) == 0) return 0;
  return refuse(state, "accuracy", arg, "coarse, standard, high or all");
}

error_t tx_cli_new_option(int key, const char *arg, struct argp_state *state, tx_new_options *out) {
  switch (key) {
  case TX_CLI_NEW_Q:
    return take_positive(state, "q", arg, &out->q);
  case TX_CLI_NEW_CHI1:
    out->has_chi[0] = true;
    return take_spin(state, "chi1", arg, out->chi[0]);
  case TX_CLI_NEW_CHI2:
    out->has_chi[1] = true;
    return take_spin(state, "chi2", arg, out->chi[1]);
  case TX_CLI_NEW_ORBITS:
    return take_positive(state, "orbits", arg, &out->orbits);
  case TX_CLI_NEW_SEPARATION:
    return take_positive(state, "separation", arg, &out->separation);
  case TX_CLI_NEW_FREQUENCY:
    return take_positive(state, "frequency", arg, &out->frequency);
  case TX_CLI_NEW_ACCURACY:
    return take_accuracy(state, arg, out);
  case TX_CLI_NEW_BUDGET:
    out->budget = arg;
    return 0;
  case TX_CLI_NEW_LIST:
    out->list = true;
    return 0;
  case TX_CLI_NEW_TEMPLATE:
    out->name = arg;
    return 0;
  case TX_CLI_NEW_OUTPUT:
    out->output = arg;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

error_t tx_cli_new_check(const tx_new_options *w, struct argp_state *state) {
  const int orbits = (w->orbits > 0.0) + (w->separation > 0.0) + (w->frequency > 0.0);
  if (w->list) return 0;
  if (!w->name && w->q == 0.0)
    argp_error(state, "the mass ratio is missing: give --q, or --template with one of --list");
  else if (orbits > 1)
    argp_error(
        state,
        "--orbits, --separation and --frequency each set the start of the orbit; give one of them");
  else if (!w->name && orbits == 0)
    argp_error(state,
               "the start of the orbit is missing: give --orbits, --separation or --frequency");
  else if (!w->output)
    argp_error(state, "the output file is missing: give -o FILE");
  else
    return 0;
  return EINVAL;
}
