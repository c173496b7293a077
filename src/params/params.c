#include "params/params.h"

#include <stdlib.h>
#include <string.h>
#include "params/table.h"

void tx_param_where(const tx_param_source *source, int index, char *text, size_t size) {
  const char *key = tx_param_table[index].key;
  if (source->given[index])
    snprintf(text, size, "--set %.200s", source->given[index]);
  else if (source->path && source->line[index])
    snprintf(text, size, "%s:%d: %s", source->path, source->line[index], key);
  else if (source->path)
    snprintf(text, size, "%s: %s", source->path, key);
  else
    snprintf(text, size, "%s", key);
}

/* Edit distance in which a swap of neighbours counts one; texts are cut at 63 bytes. */
static int distance(const char *a, const char *b) {
  int n = (int)strnlen(a, 63), m = (int)strnlen(b, 63);
  int d[64][64];
  for (int i = 0; i <= n; i++) d[i][0] = i;
  for (int j = 0; j <= m; j++) d[0][j] = j;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  return d[n][m];
}

/* A name that stands in another section is one step away. */
static const char *nearest_key(const char *section, const char *name, int *best) {
  const char *nearest = "";
  char key[2 * TX_STRING_MAX];
  snprintf(key, sizeof key, "%.100s%s%.100s", section, *section ? "." : "", name);
  *best = 1000;
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
    int d = distance(key, tx_param_table[i].key);
    if (strcmp(name, tx_param_table[i].name) == 0 && d > 1) d = 1;
    if (d < *best) *best = d, nearest = tx_param_table[i].key;
  }
  return nearest;
}

static const char *nearest_section(const char *name, int *best) {
  const char *nearest = "";
  *best = 1000;
  for (int s = 0; s < tx_param_section_count; s++) {
    int d = distance(name, tx_param_sections[s].name);
    if (d < *best) *best = d, nearest = tx_param_sections[s].name;
  }
  return nearest;
}

void tx_param_suggest(const char *section, const char *name, char *text, size_t size) {
  int best, length = (int)strlen(name);
  const char *nearest = section ? nearest_key(section, name, &best) : nearest_section(name, &best);
  if (best <= 2 || best <= length / 3) {
    snprintf(text, size, "did you mean %s?", nearest);
    return;
  }
  size_t used = (size_t)snprintf(text, size, "--help-params lists all parameters; sections:");
  for (int s = 0; s < tx_param_section_count && used < size; s++)
    used += (size_t)snprintf(text + used, size - used, "%s %s", s ? "," : "",
                             tx_param_sections[s].name);
}

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

/* The default that depends on another parameter: with Z4c the shift must not travel as violations of its constraints do. */
void tx_param_choose_driver(tx_params *p, const tx_param_source *source) {
  const int index = TX_PARAM_gauge_lambda_f0;
  if (p->evolution_system == TX_EVOLVED_Z4C && p->gauge_shift == TX_SHIFT_GAMMA_DRIVER &&
      !source->line[index] && !source->given[index])
    p->gauge_lambda_f0 = 4.0 / 3.0;
}

static tx_status read_all(const char *path, int n_set, const char *const *set,
                          tx_params_demands *more, tx_params *p) {
  tx_param_source source = {.path = path};
  if (path) TX_TRY(tx_param_read_yaml(path, p, &source));
  const tx_params file = *p;
  for (int i = 0; i < n_set; i++) TX_TRY(tx_param_override(set[i], p, &source));
  tx_param_drop_overridden(p, &file, &source);
  tx_param_scale_defaults(p, &source);
  tx_param_choose_driver(p, &source);
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

tx_params_hole tx_params_hole_of(const tx_params *p, int a) {
  const double own = p->grid_bhN_radius[a];
  return (tx_params_hole){
      .mass = p->initial_data_bhN_mass[a],
      .position = p->initial_data_bhN_position[a],
      .momentum = p->initial_data_bhN_momentum[a],
      .spin = p->initial_data_bhN_spin[a],
      .level = p->grid_bhN_level[a],
      .radius = own == 0.0 ? p->grid_bh_radius : own,
  };
}
