#include "params/table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/line.h"
#include "base/text.h"

#define WORD_TEXT(name, text) text,
#define WORD_LISTS(L)                                                                              \
  L(TX_DIMS_WORDS)                                                                                 \
  L(TX_AXIS_WORDS)                                                                                 \
  L(TX_ID_WORDS)                                                                                   \
  L(TX_MASSES_WORDS)                                                                               \
  L(TX_LAPSE_WORDS)                                                                                \
  L(TX_PARITY_WORDS)                                                                               \
  L(TX_SLICING_WORDS)                                                                              \
  L(TX_SHIFT_WORDS)                                                                                \
  L(TX_SOLVER_WORDS)                                                                               \
  L(TX_ELLIPTIC_WORDS)                                                                             \
  L(TX_PRECISION_WORDS)                                                                            \
  L(TX_EVOLVED_WORDS)                                                                              \
  L(TX_WORLDTUBE_WORDS)                                                                            \
  L(TX_ADVECTION_WORDS) L(TX_STEPS_WORDS) L(TX_ETA_WORDS) L(TX_DEVICE_WORDS) L(TX_TRANSPORT_WORDS)
#define WORD_ARRAY(WORDS) static const char *const words_of_##WORDS[] = {WORDS(WORD_TEXT) NULL};
WORD_LISTS(WORD_ARRAY)

/* Rules of a row of params.def. */
#define CADENCE                      .cadence = true
#define MAY_CHANGE                   .restart = PARAM_MAY_CHANGE
#define IGNORED                      .restart = PARAM_IGNORED
#define UNNAMED(value)               .unnamed = value
#define NEEDS(trait)                 .needs = TX_HAS_##trait
#define UNSCALED                     .unscaled = true
#define ONLY(condition)              ONLY_HOLES(condition, condition, condition)
#define ONLY_HOLES(one, two, others) .only = {TX_IF_##one, TX_IF_##two, TX_IF_##others}

/* Members of a row beside section and name. */
#define FIELDS_BOOL(d, text_, ...)                                                                 \
  .kind = PARAM_BOOL, .max = 1, .unit = "", .text = text_, __VA_ARGS__
#define FIELDS_STRING(d, text_, ...) .kind = PARAM_STRING, .unit = "", .text = text_, __VA_ARGS__
#define FIELDS_WORD(d, WORDS, text_, ...)                                                          \
  .kind = PARAM_WORD, .unit = "", .text = text_, .words = words_of_##WORDS, __VA_ARGS__
#define FIELDS_INT(d, min_, max_, unit_, text_, ...)                                               \
  .kind = PARAM_INT, RANGE(min_, max_, unit_), .text = text_, __VA_ARGS__
#define FIELDS_REAL(d, min_, max_, unit_, text_, ...)                                              \
  .kind = PARAM_REAL, RANGE(min_, max_, unit_), .text = text_, __VA_ARGS__
#define FIELDS_VEC3(unit_, text_, ...)                                                             \
  .kind = PARAM_VEC3, RANGE(-1e9, 1e9, unit_), .text = text_, __VA_ARGS__
#define FIELDS_REALS(min_, max_, unit_, text_, ...)                                                \
  .kind = PARAM_REALS, RANGE(min_, max_, unit_), .text = text_, __VA_ARGS__
#define RANGE(min_, max_, unit_) .min = (min_), .max = (max_), .unit = unit_

/* `at` is the member of tx_params. */
#define ENTRY(s, n, at, row_)                                                                      \
  .section = #s, .name = (n), .key = #s "." n, .row = #s "." row_,                                 \
  .offset = offsetof(tx_params, at), .bytes = sizeof(((tx_params *)0)->at)
#define OF_HOLE(a, n_, kind_, s, n, ...)                                                           \
  [TX_PARAM_##s##_bhN_##n + (a)-1] = {ENTRY(s, "bh" #a "_" #n, s##_bhN_##n[(a)-1], "bhN_" #n),     \
                                      .hole = a, .holes = n_, FIELDS_##kind_(__VA_ARGS__)},
#define OF_HOLES_2(...) OF_HOLE(1, 2, __VA_ARGS__) OF_HOLE(2, 2, __VA_ARGS__)
#define OF_HOLES_8(...)                                                                            \
  OF_HOLE(1, 8, __VA_ARGS__)                                                                       \
  OF_HOLE(2, 8, __VA_ARGS__)                                                                       \
  OF_HOLE(3, 8, __VA_ARGS__)                                                                       \
  OF_HOLE(4, 8, __VA_ARGS__)                                                                       \
  OF_HOLE(5, 8, __VA_ARGS__)                                                                       \
  OF_HOLE(6, 8, __VA_ARGS__) OF_HOLE(7, 8, __VA_ARGS__) OF_HOLE(8, 8, __VA_ARGS__)

const param_info tx_param_table[TX_PARAMS] = {
#define SECTION(name, text)
#define PARAM(kind_, s, n, ...)                                                                    \
  [TX_PARAM_##s##_##n] = {ENTRY(s, #n, s##_##n, #n), FIELDS_##kind_(__VA_ARGS__)},
#define PER_HOLE(n, ...) OF_HOLES_##n(__VA_ARGS__, )
#include "params/params.def"
};

const section_info tx_param_sections[] = {
#define SECTION(name, text) {#name, text},
#define PARAM(...)
#define PER_HOLE(...)
#include "params/params.def"
};
const int tx_param_section_count = sizeof tx_param_sections / sizeof tx_param_sections[0];

#define DEFAULT_BOOL(d, ...)   d
#define DEFAULT_INT(d, ...)    d
#define DEFAULT_REAL(d, ...)   d
#define DEFAULT_WORD(d, ...)   d
#define DEFAULT_STRING(d, ...) d
#define DEFAULT_VEC3(...)      ZERO
#define DEFAULT_REALS(...)     ZERO
#define ZERO                                                                                       \
  { 0 }
const tx_params tx_param_defaults = {
#define SECTION(name, text)
#define PARAM(kind, s, n, ...) .s##_##n = DEFAULT_##kind(__VA_ARGS__),
#define PER_HOLE(count, kind, s, n, ...)                                                           \
  .s##_bhN_##n = {[0 ...(count) - 1] = DEFAULT_##kind(__VA_ARGS__)},
#include "params/params.def"
};

void tx_params_default(tx_params *p) {
  *p = tx_param_defaults;
}

void tx_param_reset(tx_params *p, int index) {
  const param_info *info = &tx_param_table[index];
  memcpy((char *)p + info->offset, (const char *)&tx_param_defaults + info->offset, info->bytes);
}

/* Order rows that every puncture has: neighbouring rows of one puncture come before those of the next one. */
int tx_param_next(int index) {
  const param_info *info = &tx_param_table[index];
  int first = index;
  if (info->hole == 0) return index + 1;
  if (index + info->holes < TX_PARAMS && info[info->holes].hole == info->hole)
    return index + info->holes;
  while (first >= info->holes && tx_param_table[first - info->holes].hole == info->hole)
    first -= info->holes;
  return info->hole < info->holes ? first + 1 : index + 1;
}

const char *tx_param_key(int index) {
  return tx_param_table[index].key;
}

int tx_param_cadence(const tx_params *p, int index) {
  const param_info *info = &tx_param_table[index];
  if (!info->cadence || tx_param_unused(p, index)) return 0;
  return *(const int *)((const char *)p + info->offset);
}

int tx_param_find(const char *section, const char *name) {
  for (int i = 0; i < TX_PARAMS; i++)
    if (strcmp(tx_param_table[i].section, section) == 0 &&
        strcmp(tx_param_table[i].name, name) == 0)
      return i;
  return -1;
}

void tx_param_allowed(int index, char *text, size_t size) {
  const param_info *info = &tx_param_table[index];
  const char *space = info->unit[0] ? " " : "";
  size_t used = 0;
  switch (info->kind) {
  case PARAM_BOOL:
    snprintf(text, size, "true or false");
    break;
  case PARAM_STRING:
    snprintf(text, size, "text of up to %d bytes", TX_STRING_MAX - 1);
    break;
  case PARAM_INT:
    snprintf(text, size, "an integer from %.10g to %.10g%s%s", info->min, info->max, space,
             info->unit);
    break;
  case PARAM_REAL:
    snprintf(text, size, "a number from %g to %g%s%s", info->min, info->max, space, info->unit);
    break;
  case PARAM_VEC3:
    snprintf(text, size, "[x, y, z], each from %g to %g%s%s", info->min, info->max, space,
             info->unit);
    break;
  case PARAM_REALS:
    snprintf(text, size, "up to %d numbers [a, b, ...], each from %g to %g%s%s", TX_LIST_MAX,
             info->min, info->max, space, info->unit);
    break;
  case PARAM_WORD:
    used = (size_t)snprintf(text, size, "one of");
    for (int w = 0; info->words[w] && used < size; w++)
      used += (size_t)snprintf(text + used, size - used, "%s %s", w ? "," : "", info->words[w]);
    break;
  }
}

static void format_reals(const double *v, int n, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "[");
  for (int i = 0; i < n && used < size; i++) {
    char number[40];
    tx_real_text(v[i], number, sizeof number);
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", number);
  }
  if (used < size) snprintf(text + used, size - used, "]");
}

static void format_string(const char *s, char *text, size_t size) {
  size_t used = 0;
  if (size < 3) return;
  text[used++] = '"';
  for (; *s && used + 4 < size; s++) {
    if (*s == '"' || *s == '\\') text[used++] = '\\';
    text[used++] = *s;
  }
  text[used++] = '"';
  text[used] = 0;
}

void tx_param_format(const tx_params *p, int index, char *text, size_t size) {
  const param_info *info = &tx_param_table[index];
  const void *member = (const char *)p + info->offset;
  switch (info->kind) {
  case PARAM_BOOL:
    snprintf(text, size, "%s", *(const bool *)member ? "true" : "false");
    break;
  case PARAM_INT:
    snprintf(text, size, "%d", *(const int *)member);
    break;
  case PARAM_REAL:
    tx_real_text(*(const double *)member, text, size);
    break;
  case PARAM_WORD:
    snprintf(text, size, "%s", info->words[*(const int *)member]);
    break;
  case PARAM_STRING:
    format_string(member, text, size);
    break;
  case PARAM_VEC3:
    format_reals(member, 3, text, size);
    break;
  case PARAM_REALS:
    format_reals(((const tx_reals *)member)->v, ((const tx_reals *)member)->n, text, size);
    break;
  }
}

static bool read_bool(const char *text, bool *value) {
  static const char *const yes[] = {"true", "yes", "on"}, *const no[] = {"false", "no", "off"};
  for (int i = 0; i < 3; i++) {
    if (strcasecmp(text, yes[i]) == 0) return *value = true, true;
    if (strcasecmp(text, no[i]) == 0) return *value = false, true;
  }
  return false;
}

static bool read_int(const char *text, long long *value) {
  const char *digits = text + (text[0] == '-' || text[0] == '+');
  if (!*digits || strspn(digits, "0123456789") != strlen(digits)) return false;
  *value = strtoll(text, NULL, 10);
  return true;
}

/* Plain decimal numbers only: what strtod takes beyond them (hex, nan, inf, blanks) is refused. */
static bool read_real(const char *text, double *value) {
  char *end;
  if (!*text || strspn(text, "0123456789+-.eE") != strlen(text)) return false;
  *value = strtod(text, &end);
  return *end == 0 && isfinite(*value);
}

static bool in_range(const param_info *info, double x) {
  return x >= info->min && x <= info->max;
}

static bool assign_reals(const param_info *info, const param_value *value, double *out) {
  for (int i = 0; i < value->n; i++)
    if (!read_real(value->text[i], &out[i]) || !in_range(info, out[i])) return false;
  return true;
}

static bool assign_string(const char *text, char *out) {
  char fault[TX_STRING_MAX];
  tx_line_fault(text, fault, sizeof fault);
  if (!fault[0]) snprintf(out, TX_STRING_MAX, "%s", text);
  return !fault[0];
}

static bool assign_word(const param_info *info, const char *text, int *out) {
  for (int w = 0; info->words[w]; w++)
    if (strcmp(text, info->words[w]) == 0) return *out = w, true;
  return false;
}

static bool assign(tx_params *p, const param_info *info, const param_value *value) {
  void *member = (char *)p + info->offset;
  const char *text = value->text[0];
  double real[TX_LIST_MAX] = {0};
  long long integer;
  bool is_list = info->kind == PARAM_VEC3 || info->kind == PARAM_REALS;
  if (!is_list && (value->list || value->n != 1)) return false;
  if (value->quoted && info->kind != PARAM_STRING && info->kind != PARAM_WORD) return false;
  switch (info->kind) {
  case PARAM_BOOL:
    return read_bool(text, member);
  case PARAM_INT:
    if (!read_int(text, &integer) || !in_range(info, (double)integer)) return false;
    *(int *)member = (int)integer;
    return true;
  case PARAM_REAL:
    if (!read_real(text, real) || !in_range(info, real[0])) return false;
    *(double *)member = real[0];
    return true;
  case PARAM_WORD:
    return assign_word(info, text, member);
  case PARAM_STRING:
    return assign_string(text, member);
  case PARAM_VEC3:
    if (value->n != 3 || !assign_reals(info, value, real)) return false;
    memcpy(member, real, 3 * sizeof real[0]);
    return true;
  case PARAM_REALS:
    if (value->n > TX_LIST_MAX || !assign_reals(info, value, real)) return false;
    ((tx_reals *)member)->n = value->n;
    memcpy(((tx_reals *)member)->v, real, sizeof real);
    return true;
  }
  return false;
}

/* Is it a number or a list of them that only quotes make text? */
static bool is_quoted_number(const param_info *info, const param_value *value) {
  const char *text = value->text[0];
  param_value plain = *value;
  tx_params scratch;
  if (info->kind == PARAM_STRING || info->kind == PARAM_WORD) return false;
  if (value->n > 0 && (*text == '"' || *text == '\'')) return true;
  plain.quoted = false;
  return value->quoted && assign(&scratch, info, &plain);
}

/* The value as it was given, long ones cut. */
static void join(const param_value *value, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < value->n && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%.40s", i ? ", " : "", value->text[i]);
}

const char *tx_param_assign(tx_params *p, int index, const param_value *value, char *problem,
                            size_t size) {
  const param_info *info = &tx_param_table[index];
  if (assign(p, info, value)) return NULL;
  char joined[160], shown[200], fault[160] = "", allowed[TX_PARAM_TEXT_MAX / 2];
  join(value, joined, sizeof joined);
  tx_param_allowed(index, allowed, sizeof allowed);
  const char *quote = value->quoted && !value->items ? "\"" : "";
  snprintf(shown, sizeof shown, "%s%s%s%s%s", quote, value->list ? "[" : "", joined,
           value->list ? "]" : "", quote);
  if (info->kind == PARAM_STRING && value->n == 1)
    tx_line_fault(value->text[0], fault, sizeof fault);
  if (fault[0])
    snprintf(problem, size, "%s; give %s in UTF-8, without control characters", fault, allowed);
  else if (is_quoted_number(info, value))
    snprintf(problem, size, "%s is text; give it without quotes: %s", shown, allowed);
  else
    snprintf(problem, size, "%s is not allowed; give %s", shown, allowed);
  return problem;
}

/* Copy the next item of a list, without the blanks round it. */
static const char *take_item(const char *text, const char *end, char *item, bool *fits) {
  const char *stop = text;
  while (stop < end && *stop != ',') stop++;
  const char *first = text, *last = stop;
  while (first < last && isspace((unsigned char)*first)) first++;
  while (last > first && isspace((unsigned char)last[-1])) last--;
  *fits = last - first < TX_STRING_MAX;
  if (*fits) snprintf(item, TX_STRING_MAX, "%.*s", (int)(last - first), first);
  return stop;
}

bool tx_param_split(int index, const char *text, param_value *value) {
  param_kind kind = tx_param_table[index].kind;
  *value = (param_value){.n = 1};
  if (kind != PARAM_VEC3 && kind != PARAM_REALS) {
    snprintf(value->text[0], TX_STRING_MAX, "%s", text);
    return strlen(text) < TX_STRING_MAX;
  }
  const char *end = text + strlen(text);
  while (text < end && isspace((unsigned char)*text)) text++;
  while (end > text && isspace((unsigned char)end[-1])) end--;
  if (end - text >= 2 && *text == '[' && end[-1] == ']') text++, end--, value->list = true;
  while (text < end && isspace((unsigned char)*text)) text++;
  value->n = 0;
  bool fits = true;
  while (text < end || value->n > 0) {
    text = take_item(text, end, value->text[value->n++], &fits);
    if (text == end || !fits || value->n > TX_LIST_MAX) break;
    text++;
  }
  return fits;
}
