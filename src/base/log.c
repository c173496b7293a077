#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool writes = true;
static bool quiet_stdout;
static FILE *copy;
static char copy_path[512];
static tx_status copy_status = TX_OK;
static char early[4096]; /* warnings from before there is a copy */

void tx_log_init(int rank) {
  writes = rank == 0;
}

void tx_log_quiet(int quiet) {
  quiet_stdout = quiet != 0;
}

static void copy_failed(void) {
  if (copy_status != TX_OK) return;
  copy_status = tx_error_record(TX_ERR_IO, __FILE__, __LINE__, "cannot write to %s: %s", copy_path,
                                strerror(errno));
}

tx_status tx_log_open(const char *path) {
  if (!writes) return TX_OK;
  tx_log_close();
  copy_status = TX_OK;
  copy = fopen(path, "a");
  TX_REQUIRE(copy, TX_ERR_IO, "cannot open %s for writing: %s", path, strerror(errno));
  snprintf(copy_path, sizeof copy_path, "%s", path);
  if (fputs(early, copy) < 0 || fflush(copy) != 0) copy_failed();
  early[0] = '\0';
  return copy_status;
}

tx_status tx_log_close(void) {
  if (copy && fclose(copy) != 0) copy_failed();
  copy = NULL;
  return copy_status;
}

tx_status tx_log_status(void) {
  return copy_status;
}

static int write_line(FILE *out, const char *prefix, const char *format, va_list args) {
  int bad = fputs(prefix, out) < 0;
  bad |= vfprintf(out, format, args) < 0;
  bad |= fputc('\n', out) == EOF;
  bad |= fflush(out) != 0;
  return bad;
}

/* A warning that log.txt shall show too, once it is there. */
static void keep_early(const char *format, va_list args) {
  char line[1024];
  size_t n = strlen(early);
  if (!writes || copy) return;
  vsnprintf(line, sizeof line, format, args);
  snprintf(early + n, sizeof early - n, "warning: %s\n", line);
}

static void log_line(const char *prefix, const char *format, va_list args) {
  if (!writes) return;
  va_list again;
  va_copy(again, args);
  if (!quiet_stdout) write_line(stdout, prefix, format, args);
  if (copy && copy_status == TX_OK && write_line(copy, prefix, format, again)) copy_failed();
  va_end(again);
}

void tx_log(const char *format, ...) {
  va_list args;
  va_start(args, format);
  log_line("", format, args);
  va_end(args);
}

void tx_warn(const char *format, ...) {
  va_list args;
  va_start(args, format);
  keep_early(format, args);
  va_end(args);
  va_start(args, format);
  log_line("warning: ", format, args);
  va_end(args);
}
