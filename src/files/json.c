#include "files/json.h"

#include <math.h>
#include <string.h>

static void quote(tx_text *text, const char *s) {
  tx_text_add(text, "\"");
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\')
      tx_text_add(text, "\\%c", c);
    else if (c < 0x20)
      tx_text_add(text, "\\u%04x", c);
    else
      tx_text_add(text, "%c", c);
  }
  tx_text_add(text, "\"");
}

static void begin(tx_json *json, const char *key) {
  if (json->depth > 0) {
    tx_text_add(&json->text, json->some[json->depth - 1] ? ",\n" : "\n");
    tx_text_add(&json->text, "%*s", 2 * json->depth, "");
    json->some[json->depth - 1] = true;
  }
  if (!key) return;
  quote(&json->text, key);
  tx_text_add(&json->text, ": ");
}

void tx_json_open(tx_json *json, const char *key, char bracket) {
  begin(json, key);
  tx_text_add(&json->text, "%c", bracket);
  json->some[json->depth++] = false;
}

void tx_json_close(tx_json *json, char bracket) {
  bool some = json->some[--json->depth];
  if (some) tx_text_add(&json->text, "\n%*s", 2 * json->depth, "");
  tx_text_add(&json->text, json->depth > 0 ? "%c" : "%c\n", bracket);
}

void tx_json_real(tx_json *json, const char *key, double value) {
  begin(json, key);
  char number[40] = "null";
  if (isfinite(value)) tx_real_text(value, number, sizeof number);
  tx_text_add(&json->text, "%s", number);
}

void tx_json_int(tx_json *json, const char *key, int64_t value) {
  begin(json, key);
  tx_text_add(&json->text, "%lld", (long long)value);
}

void tx_json_text(tx_json *json, const char *key, const char *value) {
  begin(json, key);
  quote(&json->text, value);
}

void tx_json_bool(tx_json *json, const char *key, bool value) {
  begin(json, key);
  tx_text_add(&json->text, value ? "true" : "false");
}

/* The end of a string, its closing quote or that of the text, from behind the opening quote. */
static const char *string_end(const char *at) {
  for (; *at && *at != '"'; at++)
    if (*at == '\\' && at[1]) at++;
  return at;
}

static const char *skip_blanks(const char *at) {
  return at + strspn(at, " \t\r\n");
}

const char *tx_json_find(const char *text, const char *key) {
  const size_t n = strlen(key);
  int depth = 0;
  for (const char *at = text; *at; at++) {
    if (*at == '{' || *at == '[') depth++;
    if (*at == '}' || *at == ']') depth--;
    if (*at != '"') continue;
    const char *name = at + 1, *colon;
    at = string_end(name);
    if (!*at) return NULL;
    colon = skip_blanks(at + 1);
    if (depth == 1 && *colon == ':' && (size_t)(at - name) == n && memcmp(name, key, n) == 0)
      return skip_blanks(colon + 1);
  }
  return NULL;
}
