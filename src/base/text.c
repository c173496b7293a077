#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/memory.h"

void tx_text_add(tx_text *text, const char *format, ...) {
  va_list args, again;
  if (text->status != TX_OK) return;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  size_t need = text->length + (n > 0 ? (size_t)n : 0) + 1;
  if (need > text->room) {
    size_t room = 2 * need + 256;
    text->status = tx_realloc(room, 1, "text of output", &text->data);
    if (text->status == TX_OK) text->room = room;
  }
  if (text->status == TX_OK && n > 0) {
    vsnprintf(text->data + text->length, text->room - text->length, format, again);
    text->length += (size_t)n;
  }
  va_end(again);
  va_end(args);
}

void tx_text_free(tx_text *text) {
  tx_free(text->data);
  *text = (tx_text){0};
}

void tx_real_text(double x, char *text, size_t size) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, size, "%.*g", digits, x);
    if (strtod(text, NULL) == x) return;
  }
}
