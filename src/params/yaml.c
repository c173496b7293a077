#include "params/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>
#include "base/memory.h"

/* More than these no parameter file has. libyaml's time grows with the squares of depth and of anchors. */
#define FILE_BYTES_MAX (1 << 20)
#define DEPTH_MAX      16
#define VALUES_MAX     10000

static int line_of(yaml_mark_t mark) {
  return (int)mark.line + 1;
}

/* Fail unless it is a regular file: a pipe or a device may never end. */
static tx_status check_kind(int file, const char *path) {
  struct stat s;
  TX_REQUIRE(file >= 0 && fstat(file, &s) == 0, TX_ERR_IO, "cannot open parameter file %s: %s",
             path, strerror(errno));
  TX_REQUIRE(!S_ISDIR(s.st_mode), TX_ERR_IO, "cannot read parameter file %s: %s", path,
             strerror(EISDIR));
  const char *kind = S_ISFIFO(s.st_mode)   ? "pipe (FIFO)"
                     : S_ISSOCK(s.st_mode) ? "socket"
                                           : "device";
  TX_REQUIRE(S_ISREG(s.st_mode), TX_ERR_IO,
             "cannot read parameter file %s: it is a %s; give a file", path, kind);
  return TX_OK;
}

/* The file's bytes, from what is open. */
static tx_status read_bytes(FILE *in, const char *path, char *bytes, size_t *n) {
  *n = fread(bytes, 1, FILE_BYTES_MAX, in);
  TX_REQUIRE(!ferror(in), TX_ERR_IO, "cannot read parameter file %s: %s", path, strerror(errno));
  TX_REQUIRE(*n < FILE_BYTES_MAX, TX_ERR_PARAM,
             "%s: more than %d bytes; this is not a parameter file", path, FILE_BYTES_MAX);
  return TX_OK;
}

/* [out] the file's bytes with a 0 behind them; the caller frees. */
static tx_status file_read(const char *path, char **bytes, size_t *n) {
  *bytes = NULL;
  /* O_NONBLOCK: opening a pipe would wait for its other end. */
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  tx_status status = check_kind(file, path);
  FILE *in = status == TX_OK ? fdopen(file, "rb") : NULL;
  TX_KEEP(status, tx_alloc(FILE_BYTES_MAX + 1, 1, "parameter file", bytes));
  if (status == TX_OK && !in)
    status = tx_error_record(TX_ERR_IO, __FILE__, __LINE__, "cannot open parameter file %s: %s",
                             path, strerror(errno));
  TX_THEN(status, read_bytes(in, path, *bytes, n));
  if (in)
    fclose(in);
  else if (file >= 0)
    close(file);
  return status;
}

static bool tab_before(const char *bytes, size_t n, size_t line) {
  const char *at = bytes, *end = bytes + n;
  for (; line > 0 && at < end; at++)
    if (*at == '\n') line--;
  while (at < end && *at != '\n')
    if (*at++ == '\t') return true;
  return false;
}

static tx_status syntax_error(const yaml_parser_t *parser, const char *path, const char *bytes,
                              size_t n) {
  const char *problem = parser->problem ? parser->problem : "unknown problem";
  size_t line = parser->error == YAML_READER_ERROR ? 0 : parser->problem_mark.line;
  for (size_t i = 0; parser->error == YAML_READER_ERROR && i < parser->problem_offset && i < n; i++)
    line += bytes[i] == '\n';
  TX_FAIL(TX_ERR_PARAM, "%s:%zu: not valid YAML: %s%s", path, line + 1, problem,
          tab_before(bytes, n, line) ? "; indent with spaces, this line holds a tab" : "");
}

/* Look through the events before libyaml makes nodes of them. */
static tx_status check_size(yaml_parser_t *parser, const char *path, const char *bytes, size_t n) {
  yaml_event_t event;
  int depth = 0, values = 0;
  bool more = true;
  while (more) {
    if (!yaml_parser_parse(parser, &event)) return syntax_error(parser, path, bytes, n);
    const yaml_event_type_t type = event.type;
    const int line = line_of(event.start_mark);
    yaml_event_delete(&event);
    depth += (type == YAML_SEQUENCE_START_EVENT) + (type == YAML_MAPPING_START_EVENT);
    depth -= (type == YAML_SEQUENCE_END_EVENT) + (type == YAML_MAPPING_END_EVENT);
    values += type == YAML_SCALAR_EVENT || type == YAML_ALIAS_EVENT ||
              type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
    TX_REQUIRE(depth <= DEPTH_MAX, TX_ERR_PARAM,
               "%s:%d: more than %d levels of brackets or indents; this is not a parameter file",
               path, line, DEPTH_MAX);
    TX_REQUIRE(values <= VALUES_MAX, TX_ERR_PARAM,
               "%s:%d: more than %d values; this is not a parameter file", path, line, VALUES_MAX);
    more = type != YAML_STREAM_END_EVENT && type != YAML_NO_EVENT;
  }
  return TX_OK;
}

static const char *scalar(const yaml_node_t *node) {
  if (!node || node->type != YAML_SCALAR_NODE) return NULL;
  const char *text = (const char *)node->data.scalar.value;
  return strlen(text) == node->data.scalar.length ? text : NULL;
}

/* The place of the first 0 in a text, counted from 1; 0: none. */
static size_t nul_in(const yaml_node_t *node) {
  if (node->type != YAML_SCALAR_NODE) return 0;
  const size_t n = strlen((const char *)node->data.scalar.value);
  return n < node->data.scalar.length ? n + 1 : 0;
}

static bool is_quoted(const yaml_node_t *node) {
  return node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
}

/* NULL, or why the node is no value. */
static const char *value_of(yaml_document_t *document, yaml_node_t *node, int index,
                            param_value *value) {
  const char *text = scalar(node);
  if (text) {
    if (!is_quoted(node) && (!*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0))
      return "no value is given";
    if (!tx_param_split(index, text, value)) return "the text is too long";
    value->quoted = is_quoted(node);
    return NULL;
  }
  if (node->type != YAML_SEQUENCE_NODE) return "this is neither a single value nor a list";
  *value = (param_value){.list = true, .items = true};
  const yaml_node_item_t *item = node->data.sequence.items.start;
  for (; item < node->data.sequence.items.top && value->n <= TX_LIST_MAX; item++) {
    const yaml_node_t *entry = yaml_document_get_node(document, *item);
    text = scalar(entry);
    if (!text || strlen(text) >= TX_STRING_MAX)
      return "the list holds something that is not a number";
    value->quoted |= is_quoted(entry);
    snprintf(value->text[value->n++], TX_STRING_MAX, "%s", text);
  }
  return NULL;
}

static tx_status read_entry(yaml_document_t *document, const char *section,
                            const yaml_node_pair_t *pair, tx_params *p, tx_param_source *source) {
  yaml_node_t *node = yaml_document_get_node(document, pair->value);
  const yaml_node_t *key = yaml_document_get_node(document, pair->key);
  const char *name = scalar(key);
  const char *path = source->path;
  int line = line_of(key->start_mark);
  char text[TX_PARAM_TEXT_MAX], allowed[TX_PARAM_TEXT_MAX / 2];
  TX_REQUIRE(name, TX_ERR_PARAM, "%s:%d: section %s: the name of a parameter must be plain text",
             path, line, section);
  int index = tx_param_find(section, name);
  if (index < 0) {
    tx_param_suggest(section, name, text, sizeof text);
    TX_FAIL(TX_ERR_PARAM, "%s:%d: %s.%.80s: unknown parameter; %s", path, line, section, name,
            text);
  }
  TX_REQUIRE(!source->line[index], TX_ERR_PARAM,
             "%s:%d: %s: given twice, first in line %d; remove one of them", path, line,
             tx_param_table[index].key, source->line[index]);
  source->line[index] = line;
  param_value value;
  tx_param_allowed(index, allowed, sizeof allowed);
  TX_REQUIRE(!nul_in(node), TX_ERR_PARAM,
             "%s:%d: %s: byte %zu, 0x00, is a control character; give %s", path, line,
             tx_param_table[index].key, nul_in(node), allowed);
  const char *problem = value_of(document, node, index, &value);
  TX_REQUIRE(!problem, TX_ERR_PARAM, "%s:%d: %s: %s; give %s", path, line,
             tx_param_table[index].key, problem, allowed);
  problem = tx_param_assign(p, index, &value, text, sizeof text);
  TX_REQUIRE(!problem, TX_ERR_PARAM, "%s:%d: %s: %s", path, line, tx_param_table[index].key,
             problem);
  return TX_OK;
}

static int section_find(const char *name) {
  for (int s = 0; s < tx_param_section_count; s++)
    if (strcmp(tx_param_sections[s].name, name) == 0) return s;
  return -1;
}

static tx_status unknown_section(const char *path, int line, const char *name) {
  char text[TX_PARAM_TEXT_MAX];
  const char *dot = strchr(name, '.');
  for (int i = 0; i < TX_PARAMS; i = tx_param_next(i)) {
    const param_info *info = &tx_param_table[i];
    if (strcmp(name, info->key) == 0 || strcmp(name, info->name) == 0)
      TX_FAIL(TX_ERR_PARAM,
              "%s:%d: %s: not in a section; write \"%s:\" and below it, indented, \"%s: ...\"",
              path, line, name, info->section, info->name);
  }
  tx_param_suggest(dot ? "" : NULL, name, text, sizeof text);
  TX_FAIL(TX_ERR_PARAM, "%s:%d: %.80s: unknown section; %s", path, line, name, text);
}

static tx_status read_section(yaml_document_t *document, const yaml_node_pair_t *pair, int *lines,
                              tx_params *p, tx_param_source *source) {
  const yaml_node_t *key = yaml_document_get_node(document, pair->key);
  const yaml_node_t *node = yaml_document_get_node(document, pair->value);
  const char *name = scalar(key);
  const char *path = source->path;
  int line = line_of(key->start_mark);
  TX_REQUIRE(name, TX_ERR_PARAM, "%s:%d: the name of a section must be plain text", path, line);
  int s = section_find(name);
  if (s < 0) return unknown_section(path, line, name);
  TX_REQUIRE(!lines[s], TX_ERR_PARAM,
             "%s:%d: section %s: given twice, first in line %d; put all its parameters under one",
             path, line, name, lines[s]);
  lines[s] = line;
  TX_REQUIRE(node->type == YAML_MAPPING_NODE, TX_ERR_PARAM,
             "%s:%d: section %s: must hold parameters, \"name: value\", indented, one a line", path,
             line, name);
  for (const yaml_node_pair_t *entry = node->data.mapping.pairs.start;
       entry < node->data.mapping.pairs.top; entry++)
    TX_TRY(read_entry(document, name, entry, p, source));
  return TX_OK;
}

static tx_status read_document(yaml_document_t *document, tx_params *p, tx_param_source *source) {
  int lines[64] = {0};
  const yaml_node_t *root = yaml_document_get_root_node(document);
  TX_REQUIRE(root, TX_ERR_PARAM, "%s: the parameter file is empty; see --help-params",
             source->path);
  TX_REQUIRE(root->type == YAML_MAPPING_NODE, TX_ERR_PARAM,
             "%s:%d: must hold sections, \"section:\" with \"name: value\" lines indented below",
             source->path, line_of(root->start_mark));
  for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
       pair < root->data.mapping.pairs.top; pair++)
    TX_TRY(read_section(document, pair, lines, p, source));
  return TX_OK;
}

static tx_status check_single(yaml_parser_t *parser, const char *bytes, size_t n,
                              const tx_param_source *source) {
  yaml_document_t second;
  if (!yaml_parser_load(parser, &second)) return syntax_error(parser, source->path, bytes, n);
  const yaml_node_t *root = yaml_document_get_root_node(&second);
  int line = root ? line_of(root->start_mark) : 0;
  yaml_document_delete(&second);
  TX_REQUIRE(!root, TX_ERR_PARAM, "%s:%d: a second YAML document begins; remove the line \"---\"",
             source->path, line);
  return TX_OK;
}

static tx_status start_parser(yaml_parser_t *parser, const char *bytes, size_t n) {
  TX_REQUIRE(yaml_parser_initialize(parser), TX_ERR_LIBRARY, "libyaml cannot start");
  yaml_parser_set_input_string(parser, (const unsigned char *)bytes, n);
  return TX_OK;
}

static tx_status parse(const char *bytes, size_t n, tx_params *p, tx_param_source *source) {
  yaml_parser_t parser;
  yaml_document_t document;
  TX_TRY(start_parser(&parser, bytes, n));
  tx_status status = check_size(&parser, source->path, bytes, n);
  yaml_parser_delete(&parser);
  TX_TRY(status);
  TX_TRY(start_parser(&parser, bytes, n));
  if (yaml_parser_load(&parser, &document)) {
    status = read_document(&document, p, source);
    TX_THEN(status, check_single(&parser, bytes, n, source));
    yaml_document_delete(&document);
  } else {
    status = syntax_error(&parser, source->path, bytes, n);
  }
  yaml_parser_delete(&parser);
  return status;
}

tx_status tx_param_read_yaml(const char *path, tx_params *p, tx_param_source *source) {
  char *bytes;
  size_t n = 0;
  source->path = path;
  tx_status status = file_read(path, &bytes, &n);
  TX_THEN(status, parse(bytes, n, p, source));
  tx_free(bytes);
  return status;
}
