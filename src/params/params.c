#include "params/params.h"

#include <stdlib.h>
#include <string.h>
#include "params/table.h"

tx_status tx_param_override(const char *given, tx_params *p, tx_param_source *source) {
  char section[TX_STRING_MAX], name[TX_STRING_MAX], text[TX_PARAM_TEXT_MAX];
  const char *equals = strchr(given, '=');
  const char *dot = strchr(given, '.');
  if (!equals || equals - given >= TX_STRING_MAX)
    TX_FAIL(TX_ERR_PARAM, "--set %.200s: must be section.name=value", given);
  if (!dot || dot > equals) {
    snprintf(name, sizeof name, "%.*s", (int)(equals - given), given);
    tx_param_suggest("", name, text, sizeof text);
    TX_FAIL(TX_ERR_PARAM, "--set %.200s: must be section.name=value; %s", given, text);
  }
  snprintf(section, sizeof section, "%.*s", (int)(dot - given), given);
  snprintf(name, sizeof name, "%.*s", (int)(equals - dot - 1), dot + 1);
  int index = tx_param_find(section, name);
  if (index < 0) {
    tx_param_suggest(section, name, text, sizeof text);
    TX_FAIL(TX_ERR_PARAM, "--set %.200s: unknown parameter; %s", given, text);
  }
  TX_REQUIRE(!source->given[index], TX_ERR_PARAM,
             "--set %.200s: given twice, also as --set %.200s; remove one", given,
             source->given[index]);
  source->given[index] = given;
  param_value value;
  TX_REQUIRE(tx_param_split(index, equals + 1, &value), TX_ERR_PARAM,
             "--set %.200s: the value is too long; shorten it", given);
  const char *problem = tx_param_assign(p, index, &value, text, sizeof text);
  TX_REQUIRE(!problem, TX_ERR_PARAM, "--set %.200s: %s", given, problem);
  return TX_OK;
}

static bool chooses(const tx_params *p, const tx_param_source *source, int index) {
  return !source->line[index] && !source->given[index] && !tx_param_unused(p, index);
}

/* Choose the defaults of the system of equations; chi and alpha are variables of gravity. */
void tx_param_choose_defaults(tx_params *p, const tx_param_source *source) {
#define DEFAULT(system, member, value)                                                             \
  if (p->evolution_system == (system) && chooses(p, source, TX_PARAM_##member)) p->member = (value);
#include "params/system_parameters.def"
#undef DEFAULT
  if (!tx_params_has(p, TX_HAS_CHI | TX_HAS_LAPSE) && chooses(p, source, TX_PARAM_output_variables))
    snprintf(p->output_variables, sizeof p->output_variables, "all");
}

static tx_status read_all(const char *path, int n_set, const char *const *set,
                          tx_params_demands *more, tx_params *p) {
  tx_param_source source = {.path = path};
  if (path) TX_TRY(tx_param_read_yaml(path, p, &source));
  const tx_params file = *p;
  for (int i = 0; i < n_set; i++) TX_TRY(tx_param_override(set[i], p, &source));
  tx_param_drop_overridden(p, &file, &source);
  tx_param_scale_defaults(p, &source);
  tx_param_choose_defaults(p, &source);
  return tx_param_check_all(p, &source, more);
}

tx_status tx_params_read(MPI_Comm comm, const char *path, int n_set, const char *const *set,
                         tx_params_demands *more, tx_params *p) {
  int rank = 0;
  tx_status status = TX_OK;
  tx_params_default(p);
  TX_MPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) status = read_all(path, n_set, set, more, p);
  TX_TRY(tx_agree(comm, status));
  TX_MPI(MPI_Bcast(p, (int)sizeof *p, MPI_BYTE, 0, comm));
  return TX_OK;
}
