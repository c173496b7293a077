/* Templates of `tendex new'. */
#pragma once

#include <stddef.h>
#include "plan/wish.h"

/** Template: a binary to be planned, or a parameter file as it is. */
typedef struct tx_template {
  const char *name, *purpose;
  tx_wish wish;              /**< with q 0: none */
  bool series;               /**< all accuracies */
  const unsigned char *file; /**< the text of a file; NULL: none */
  const size_t *n;           /**< its bytes */
} tx_template;

/** Find the template of that name, NULL if there is none. Local. */
const tx_template *tx_template_find(const char *name);

/** Write "merger, head-on, ..." into `text`. Local. */
void tx_template_names(char *text, size_t size);

/** Log them all, a line each. Local. */
void tx_template_list(void);
