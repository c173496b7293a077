#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool writes = true;
static bool quiet_stdout;
static bool stdout_failed;
static FILE *copy;
static char copy_path[512];
static tx_status copy_status = TX_OK;
static char early[4096]; /* warnings from before there is a copy */

void tx_log_init(int rank) {
  writes = rank == 0;
}

int tx_log_quiet(int quiet) {
  const int before = quiet_stdout;
  quiet_stdout = quiet != 0;
  stdout_failed = false;
  return before;
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

/* 0 or errno. */
static int write_line(FILE *out, const char *prefix, const char *format, va_list args) {
  errno = 0;
  bool ok = fputs(prefix, out) >= 0;
  ok = ok && vfprintf(out, format, args) >= 0;
  ok = ok && fputc('\n', out) != EOF;
  ok = ok && fflush(out) == 0;
  return ok ? 0 : errno ? errno : EIO;
}

static void write_copy(const char *prefix, const char *format, va_list args) {
  if (copy && copy_status == TX_OK && write_line(copy, prefix, format, args)) copy_failed();
}

/* A warning that log.txt shall show too, once it is there. */
static void keep_early(const char *format, va_list args) {
  char line[1024];
  size_t n = strlen(early);
  if (!writes || copy) return;
  vsnprintf(line, sizeof line, format, args);
  snprintf(early + n, sizeof early - n, "warning: %s\n", line);
}

/* A run outlives the terminal or the pipe that its output went to. */
static void stdout_gone(int why) {
  stdout_failed = true;
  tx_warn("cannot write standard output (%s): the rest of the log is in log.txt only",
          strerror(why));
}

static void log_line(const char *prefix, const char *format, va_list args) {
  if (!writes) return;
  int bad = 0;
  va_list again;
  va_copy(again, args);
  if (!quiet_stdout && !stdout_failed) bad = write_line(stdout, prefix, format, args);
  write_copy(prefix, format, again);
  va_end(again);
  if (bad) stdout_gone(bad);
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
