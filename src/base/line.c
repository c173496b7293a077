#include "base/line.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Decode the character at `s`: its bytes, 0 if they are not UTF-8 (RFC 3629). */
static size_t decode(const char *s, uint32_t *code) {
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *u = (const unsigned char *)s;
  size_t n = u[0] < 0x80 ? 1 : u[0] >> 5 == 6 ? 2 : u[0] >> 4 == 14 ? 3 : u[0] >> 3 == 30 ? 4 : 0;
  if (n == 0) return 0;
  *code = n == 1 ? u[0] : u[0] & (0x7fu >> n);
  for (size_t i = 1; i < n; i++) {
    if (u[i] >> 6 != 2) return 0; /* the 0 at the end too */
    *code = *code << 6 | (u[i] & 0x3fu);
  }
  bool surrogate = *code >= 0xd800 && *code < 0xe000;
  return *code < least[n] || surrogate || *code > 0x10ffff ? 0 : n;
}

static bool is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Line ends of Unicode, which YAML folds. */
static bool is_line_end(uint32_t code) {
  return code == 0x2028 || code == 0x2029;
}

void tx_line_fault(const char *text, char *fault, size_t size) {
  size_t n = 0;
  fault[0] = '\0';
  for (const char *at = text; *at; at += n) {
    uint32_t code = 0;
    const long place = (long)(at - text) + 1;
    const unsigned byte = (unsigned char)*at;
    n = decode(at, &code);
    if (n == 0)
      snprintf(fault, size, "byte %ld, 0x%02x, is not UTF-8", place, byte);
    else if (n == 1 && is_control(code))
      snprintf(fault, size, "byte %ld, 0x%02x, is a control character", place, byte);
    else if (is_control(code))
      snprintf(fault, size, "byte %ld, 0x%02x, begins the control character U+%04X", place, byte,
               code);
    else if (is_line_end(code) || code == 0xfeff || code == 0xfffe || code == 0xffff)
      snprintf(fault, size, "byte %ld, 0x%02x, begins U+%04X, which YAML cannot hold", place, byte,
               code);
    if (fault[0]) return;
  }
}

void tx_line_show(const char *text, char *out, size_t size) {
  static const char known[] = "\n\r\t", letters[] = "nrt";
  size_t used = 0, n = 0;
  if (size == 0) return;
  for (const char *at = text; *at; at += n) {
    char piece[20];
    uint32_t code = 0;
    n = decode(at, &code);
    const char *letter = strchr(known, *at);
    if (n > 0 && !is_control(code) && !is_line_end(code)) {
      snprintf(piece, sizeof piece, "%.*s", (int)n, at);
    } else if (letter) {
      snprintf(piece, sizeof piece, "\\%c", letters[letter - known]);
    } else {
      if (n == 0) n = 1;
      for (size_t i = 0; i < n; i++)
        snprintf(piece + 4 * i, sizeof piece - 4 * i, "\\x%02x", (unsigned char)at[i]);
    }
    const size_t length = strlen(piece);
    if (used + length >= size) break;
    memcpy(out + used, piece, length);
    used += length;
  }
  out[used] = '\0';
}
