#include "params/table.h"

#include <errno.h>
#include <string.h>

#define SCALES "default for a total mass of 1; scaled with the mass of the punctures"

static bool begins_section(int index) {
  return index == 0 ||
         strcmp(tx_param_table[index].section, tx_param_table[index - 1].section) != 0;
}

static const char *section_text(const char *name) {
  for (int s = 0; s < tx_param_section_count; s++)
    if (strcmp(tx_param_sections[s].name, name) == 0) return tx_param_sections[s].text;
  return "";
}

/* Has any parameter of the section that begins here an effect? */
static bool section_used(const tx_params *p, int first) {
  for (int i = first; i < TX_PARAMS && (i == first || !begins_section(i)); i++)
    if (!tx_param_unused(p, i)) return true;
  return false;
}

tx_status tx_params_write(const tx_params *p, FILE *out) {
  char value[TX_PARAM_TEXT_MAX];
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
    const param_info *info = &tx_param_table[i];
    const char *unused = tx_param_unused(p, i);
    if (begins_section(i))
      fprintf(out, "%s# %s\n%s%s:\n", i ? "\n" : "", section_text(info->section),
              section_used(p, i) ? "" : "# ", info->section);
    tx_param_format(p, i, value, sizeof value);
    if (unused)
      fprintf(out, "  # %s: %s  # not used: only if %s\n", info->name, value, unused);
    else
      fprintf(out, "  %s: %s\n", info->name, value);
  }
  TX_REQUIRE(fflush(out) == 0 && !ferror(out), TX_ERR_IO, "cannot write parameters: %s",
             strerror(errno));
  return TX_OK;
}

/* Print `text` in lines of up to 100 columns that begin with `indent` blanks. */
static void print_wrapped(FILE *out, const char *text, int indent) {
  int column = 0;
  while (*text) {
    int n = (int)strcspn(text, " ");
    if (column > 0 && column + 1 + n > 100) column = 0, fputc('\n', out);
    if (column > 0)
      fputc(' ', out), column++;
    else
      fprintf(out, "%*s", indent, ""), column = indent;
    fprintf(out, "%.*s", n, text);
    column += n;
    text += n;
    while (*text == ' ') text++;
  }
  fputc('\n', out);
}

static const char *kind_name(param_kind kind) {
  switch (kind) {
  case PARAM_BOOL:
    return "true or false";
  case PARAM_INT:
    return "integer";
  case PARAM_REAL:
    return "number";
  case PARAM_WORD:
    return "word";
  case PARAM_STRING:
    return "text";
  case PARAM_VEC3:
    return "[x, y, z]";
  case PARAM_REALS:
    return "list of numbers";
  }
  return "";
}

/* Is this the first parameter of a row whose key, with N or with the number of a puncture, contains the pattern? */
static bool is_asked(int index, const char *pattern) {
  const param_info *info = &tx_param_table[index];
  if (info->hole > 1) return false;
  bool found = !pattern || strstr(info->row, pattern);
  for (int a = 0; a == 0 || a < info->holes; a++) found = found || strstr(info[a].key, pattern);
  return found;
}

/* When a row has an effect, "": always. Punctures 1, 2 and others may have conditions of their own. */
static void describe_condition(int index, char *text, size_t size) {
  const param_info *info = &tx_param_table[index];
  const char *only[3];
  for (int a = 0; a < 3; a++) only[a] = tx_param_conditions[info->only[a]].text;
  if (info->needs && !only[0])
    snprintf(text, size, "the system of equations has %s", tx_param_trait_name(info->needs));
  else if (info->only[0] == info->only[1])
    snprintf(text, size, "%s", only[0] ? only[0] : "");
  else
    snprintf(text, size, "%s (N = 1), %s (N = 2), %s (N = 3 to %d)", only[0], only[1], only[2],
             info->holes);
}

static void describe(int index, FILE *out) {
  const param_info *info = &tx_param_table[index];
  char value[TX_PARAM_TEXT_MAX], text[3 * TX_PARAM_TEXT_MAX];
  tx_param_format(&tx_param_defaults, index, value, sizeof value);
  fprintf(out, "\n  %s: %s%s%s\n", info->row, value, info->unit[0] ? " " : "", info->unit);
  snprintf(text, sizeof text, "%s.", info->text);
  print_wrapped(out, text, 6);
  if (info->holes > 0) fprintf(out, "      N is 1 to %d\n", info->holes);
  if (info->kind == PARAM_BOOL || info->kind == PARAM_STRING)
    snprintf(text, sizeof text, "%s", kind_name(info->kind));
  else
    tx_param_allowed(index, text, sizeof text);
  print_wrapped(out, text, 6);
  if (tx_param_scales(index)) print_wrapped(out, SCALES, 6);
  char condition[TX_PARAM_TEXT_MAX];
  describe_condition(index, condition, sizeof condition);
  if (condition[0]) {
    snprintf(text, sizeof text, "used only if %s", condition);
    print_wrapped(out, text, 6);
  }
  if (tx_param_may_change(index)) print_wrapped(out, "may be changed by a restart", 6);
}

void tx_params_help(const char *pattern, FILE *out) {
  const char *section = "";
  for (int i = 0; i < TX_PARAMS; i++) {
    const param_info *info = &tx_param_table[i];
    if (!is_asked(i, pattern)) continue;
    if (strcmp(section, info->section) != 0)
      fprintf(out, "%s%s: %s\n", *section ? "\n" : "", info->section, section_text(info->section));
    section = info->section;
    describe(i, out);
  }
  if (!*section)
    fprintf(out, "no parameter's key contains \"%s\"; --help-params lists them all\n", pattern);
}

static void print_json_string(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

static void print_json_member(FILE *out, const char *name, const char *text) {
  fprintf(out, ", \"%s\": ", name);
  print_json_string(out, text);
}

static void print_json_words(FILE *out, const char *const *words) {
  fprintf(out, ", \"words\": [");
  for (int w = 0; words[w]; w++) {
    if (w) fputs(", ", out);
    print_json_string(out, words[w]);
  }
  fputc(']', out);
}

static void describe_json(int index, FILE *out) {
  const param_info *info = &tx_param_table[index];
  const bool ranged = info->kind == PARAM_INT || info->kind == PARAM_REAL ||
                      info->kind == PARAM_VEC3 || info->kind == PARAM_REALS;
  char value[TX_PARAM_TEXT_MAX];
  tx_param_format(&tx_param_defaults, index, value, sizeof value);
  fprintf(out, "{\"key\": \"%s\"", info->row);
  print_json_member(out, "type", kind_name(info->kind));
  fprintf(out, ", \"default\": ");
  if (info->kind == PARAM_WORD)
    print_json_string(out, value);
  else
    fputs(value, out);
  print_json_member(out, "unit", info->unit);
  if (ranged) fprintf(out, ", \"min\": %.15g, \"max\": %.15g", info->min, info->max);
  if (info->kind == PARAM_WORD) print_json_words(out, info->words);
  print_json_member(out, "text", info->text);
  print_json_member(out, "section_text", section_text(info->section));
  char condition[TX_PARAM_TEXT_MAX];
  describe_condition(index, condition, sizeof condition);
  print_json_member(out, "default_is_for", tx_param_scales(index) ? SCALES : "");
  print_json_member(out, "used_only_if", condition);
  fprintf(out, ", \"restart_may_change\": %s", tx_param_may_change(index) ? "true" : "false");
  if (info->holes > 0) fprintf(out, ", \"n_max\": %d", info->holes);
  fputc('}', out);
}

void tx_params_help_json(const char *pattern, FILE *out) {
  const char *separator = "[\n";
  for (int i = 0; i < TX_PARAMS; i++) {
    if (!is_asked(i, pattern)) continue;
    fputs(separator, out);
    describe_json(i, out);
    separator = ",\n";
  }
  fputs(*separator == '[' ? "[]\n" : "\n]\n", out);
}
