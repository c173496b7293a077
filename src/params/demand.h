/* Parts of a demand on parameters: which parameter, where its value stands, and the message. */
#pragma once

#include "params/params.h"

#define TX_PARAM_TEXT_MAX 1200

/** TX_PARAM_section_name: a parameter; TX_PARAM_section_bhN_name + a: that of puncture a, from 0 on. */
enum {
#define SECTION(name, text)
#define PARAM(kind, section, name, ...) TX_PARAM_##section##_##name,
#define PER_HOLE(n, kind, section, name, ...)                                                      \
  TX_PARAM_##section##_bhN_##name,                                                                 \
      TX_LAST_##section##_bhN_##name = TX_PARAM_##section##_bhN_##name + (n)-1,
#include "params/params.def"
  TX_PARAMS
};

/** Where the value of each parameter comes from, for messages. */
struct tx_param_source {
  const char *path;             /* of the file; NULL: no file */
  int line[TX_PARAMS];          /* 0: not set in the file */
  const char *given[TX_PARAMS]; /* the override "section.name=value", NULL: none */
};

/** Name a parameter and its source: "par/x.yaml:12: grid.extent", "--set grid.extent=...", or "grid.extent" for a default. Local. */
void tx_param_where(const tx_param_source *source, int index, char *text, size_t size);

/** "grid.bh1_level". Local. */
const char *tx_param_key(int index);

/** The number of steps between what this parameter has done every so many; 0: never, without effect, or not such a parameter.
 *  Local. */
int tx_param_cadence(const tx_params *p, int index);

/** Fail with TX_ERR_PARAM and "where: text" unless `cond` holds; `index` of the parameter to blame. */
#define TX_DEMAND_OF(cond, source, index, ...)                                                     \
  do {                                                                                             \
    if (!(cond)) {                                                                                 \
      char where_[TX_PARAM_TEXT_MAX], text_[TX_PARAM_TEXT_MAX];                                    \
      tx_param_where(source, index, where_, sizeof where_);                                        \
      snprintf(text_, sizeof text_, __VA_ARGS__);                                                  \
      TX_FAIL(TX_ERR_PARAM, "%s: %s", where_, text_);                                              \
    }                                                                                              \
  } while (0)
#define TX_DEMAND(cond, source, parameter, ...)                                                    \
  TX_DEMAND_OF(cond, source, TX_PARAM_##parameter, __VA_ARGS__)
