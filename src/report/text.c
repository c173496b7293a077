#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *tx_count_text(int64_t count, char text[32]) {
  char digits[24];
  int n = snprintf(digits, sizeof digits, "%lld", (long long)count), at = 0;
  for (int i = 0; i < n; i++) {
    if (i > 0 && (n - i) % 3 == 0) text[at++] = ',';
    text[at++] = digits[i];
  }
  text[at] = '\0';
  return text;
}

/* Write bytes in the first of four units, each `base` of the one before, in which they have three digits. */
static const char *scaled_text(double bytes, double base, const char *const units[4],
                               char text[32]) {
  int u = 0;
  for (bytes /= base; bytes >= 999.5 && u < 3; u++) bytes /= base;
  snprintf(text, 32, "%.3g %s", bytes, units[u]);
  return text;
}

const char *tx_bytes_text(double bytes, char text[32]) {
  return scaled_text(bytes, 1024.0, (const char *const[]){"KiB", "MiB", "GiB", "TiB"}, text);
}

const char *tx_file_bytes_text(double bytes, char text[32]) {
  return scaled_text(bytes, 1e3, (const char *const[]){"kB", "MB", "GB", "TB"}, text);
}

const char *tx_duration_text(double s, char text[32]) {
  if (s < 99.5)
    snprintf(text, 32, "%.2g s", s);
  else if (s < 7200.0)
    snprintf(text, 32, "%.3g min", s / 60.0);
  else if (s < 172800.0)
    snprintf(text, 32, "%.3g h", s / 3600.0);
  else
    snprintf(text, 32, s < 8.64e7 ? "%.3g days" : "%.0f days", s / 86400.0);
  return text;
}

const char *tx_time_left_text(double s, char text[32]) {
  if (!(s < 3.6e8)) return strcpy(text, "-");
  const long long n = llround(s);
  if (n < 86400)
    snprintf(text, 32, "%lld:%02lld:%02lld", n / 3600, n / 60 % 60, n % 60);
  else
    snprintf(text, 32, "%lldd%02lldh", n / 86400, n / 3600 % 24);
  return text;
}

const char *tx_ranks_text(int ranks, int threads, char text[64]) {
  snprintf(text, 64, "%d rank%s x %d thread%s", ranks, ranks == 1 ? "" : "s", threads,
           threads == 1 ? "" : "s");
  return text;
}
