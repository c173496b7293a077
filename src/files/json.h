/* JSON: written in order; members of the outermost object found again. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/text.h"

#define TX_JSON_DEPTH 8

/** A document being written. Start from {0}; text.status holds the first failure. */
typedef struct tx_json {
  tx_text text;
  int depth;
  bool some[TX_JSON_DEPTH]; /**< the bracket of this depth has a member already */
} tx_json;

/** Open an object '{' or an array '['; key NULL inside arrays and at the top. Local. */
void tx_json_open(tx_json *json, const char *key, char bracket);
/** Close the innermost one with '}' or ']'. Local. */
void tx_json_close(tx_json *json, char bracket);

/** Write a member; key NULL inside arrays. A number that is not finite becomes null. Local. */
void tx_json_real(tx_json *json, const char *key, double value);
void tx_json_int(tx_json *json, const char *key, int64_t value);
void tx_json_text(tx_json *json, const char *key, const char *value);
void tx_json_bool(tx_json *json, const char *key, bool value);

/** Return where the value of member `key` (plain characters) of the outermost object begins in `text`; NULL: it has no such
 *  member. What is inside strings, arrays and other objects does not count. Local. */
const char *tx_json_find(const char *text, const char *key);
