/* Places of parameters, and names like a misspelt one, for messages. */
#include <stdio.h>
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

/* Return the edit distance, in which a swap of neighbours counts one; texts are cut at 63 bytes. */
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

/* Return the key nearest to a name; one that stands in another section is one step away. */
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
