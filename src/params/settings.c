#include "params/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "params/table.h"

#define COMMENT_MAX 200

/* Where comments begin, if there is room. */
#define COLUMN 32

struct tx_settings {
  tx_params p;
  tx_param_source source; /* given: as the user has */
  bool put[TX_PARAMS];
  char comment[TX_PARAMS][COMMENT_MAX];
  tx_status status; /* of what was put */
};

tx_status tx_settings_create(int n_set, const char *const *set, tx_settings **out) {
  TX_TRY(tx_alloc(1, sizeof **out, "settings", out));
  tx_settings *s = *out;
  tx_params_default(&s->p);
  tx_status status = TX_OK;
  for (int i = 0; i < n_set; i++) TX_THEN(status, tx_param_override(set[i], &s->p, &s->source));
  if (status != TX_OK) {
    tx_free(s);
    *out = NULL;
  }
  return status;
}

void tx_settings_destroy(tx_settings *s) {
  tx_free(s);
}

const tx_params *tx_settings_params(const tx_settings *s) {
  return &s->p;
}

static int index_of(const char *key) {
  for (int i = 0; i < TX_PARAMS; i++)
    if (strcmp(tx_param_table[i].key, key) == 0) return i;
  return -1;
}

bool tx_settings_given(const tx_settings *s, const char *key) {
  const int i = index_of(key);
  return i >= 0 && s->source.given[i];
}

static tx_status put(tx_settings *s, const char *key, const char *value) {
  const int i = index_of(key);
  param_value parts;
  char text[TX_PARAM_TEXT_MAX];
  TX_REQUIRE(i >= 0, TX_ERR_PARAM, "%s: unknown parameter", key);
  TX_REQUIRE(tx_param_split(i, value, &parts), TX_ERR_PARAM, "%s: the value is too long", key);
  const char *problem = tx_param_assign(&s->p, i, &parts, text, sizeof text);
  TX_REQUIRE(!problem, TX_ERR_PARAM, "%s: %s", key, problem);
  s->put[i] = true;
  return TX_OK;
}

static void comment_on(tx_settings *s, const char *key, const char *comment, va_list values) {
  const int i = index_of(key);
  if (i >= 0) vsnprintf(s->comment[i], sizeof s->comment[i], comment, values);
}

#define PUT(value)                                                                                 \
  do {                                                                                             \
    va_list values;                                                                                \
    if (tx_settings_given(s, key)) return;                                                         \
    TX_THEN(s->status, put(s, key, value));                                                        \
    va_start(values, comment);                                                                     \
    comment_on(s, key, comment, values);                                                           \
    va_end(values);                                                                                \
  } while (0)

void tx_settings_put(tx_settings *s, const char *key, const char *value, const char *comment, ...) {
  PUT(value);
}

void tx_settings_put_int(tx_settings *s, const char *key, int value, const char *comment, ...) {
  char text[32];
  snprintf(text, sizeof text, "%d", value);
  PUT(text);
}

void tx_settings_put_real(tx_settings *s, const char *key, double value, const char *comment, ...) {
  char text[40];
  tx_real_text(value, text, sizeof text);
  PUT(text);
}

/* True if there was any: others may have no effect without it. */
static bool drop_unused(tx_settings *s) {
  bool any = false;
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i))
    if (s->put[i] && tx_param_unused(&s->p, i)) {
      tx_param_reset(&s->p, i);
      s->put[i] = false;
      any = true;
    }
  return any;
}

tx_status tx_settings_check(tx_settings *s, const char *path, tx_params_demands *more) {
  TX_TRY(s->status);
  while (drop_unused(s)) continue;
  s->source.path = path;
  tx_param_choose_defaults(&s->p, &s->source);
  return tx_param_check_all(&s->p, &s->source, more);
}

void tx_settings_text(const tx_settings *s, tx_text *out) {
  const char *section = "";
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
    const param_info *info = &tx_param_table[i];
    char value[TX_PARAM_TEXT_MAX], line[TX_PARAM_TEXT_MAX + TX_STRING_MAX];
    if (!s->put[i] && !s->source.given[i]) continue;
    if (strcmp(section, info->section) != 0)
      tx_text_add(out, "%s%s:\n", *section ? "\n" : "", info->section);
    section = info->section;
    tx_param_format(&s->p, i, value, sizeof value);
    snprintf(line, sizeof line, "  %s: %s", info->name, value);
    const char *comment = s->source.given[i] ? "as asked for" : s->comment[i];
    if (*comment)
      tx_text_add(out, "%-*s  # %s\n", COLUMN - 2, line, comment);
    else
      tx_text_add(out, "%s\n", line);
  }
}
