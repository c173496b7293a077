/* Text that grows, and numbers as text. */
#pragma once

#include <stddef.h>
#include "base/status.h"

/** Text that grows. Local. A failed allocation is remembered in `status`, and later calls do
 *  nothing. */
typedef struct tx_text {
  char *data; /**< owned; free with tx_text_free */
  size_t length, room;
  tx_status status;
} tx_text;
void tx_text_add(tx_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tx_text_free(tx_text *text);

/** Write the shortest decimal text that reads back as the same number. Local. */
void tx_real_text(double x, char *text, size_t size);
