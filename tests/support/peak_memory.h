/* Peak of this process's resident memory over a part of a program, as Linux counts it. */
#pragma once

#include <stdio.h>
#include <string.h>

/** Return a line of /proc/self/status in bytes, 0 if there is none: "VmHWM:", "VmRSS:". Local. */
static inline double test_status_bytes(const char *name) {
  char line[256];
  double kb = 0.0;
  FILE *f = fopen("/proc/self/status", "r");
  if (!f) return 0.0;
  while (fgets(line, sizeof line, f))
    if (strncmp(line, name, strlen(name)) == 0) sscanf(line + strlen(name), "%lf", &kb);
  fclose(f);
  return 1024.0 * kb;
}

static double test_peak_start;

/** Begin a part: from here on the peak counts anew. Local. */
static inline void test_peak_begin(void) {
  FILE *f = fopen("/proc/self/clear_refs", "w");
  if (f) {
    fputs("5", f); /* the peak is what is resident now */
    fclose(f);
  }
  test_peak_start = test_status_bytes("VmHWM:");
}

/** Return how far resident memory has risen since above what it was at the beginning, bytes. Local. */
static inline double test_peak_rise(void) {
  return test_status_bytes("VmHWM:") - test_peak_start;
}
