/* Paths in the run folder, and rows of text files. */
#include <stdarg.h>
#include <stdio.h>
#include "output/internal.h"

void tx_output_path(const tx_output *out, char path[PATH_MAX], const char *format, ...) {
  va_list args;
  int n = snprintf(path, PATH_MAX, "%s/", out->folder);
  va_start(args, format);
  vsnprintf(path + n, PATH_MAX - (size_t)n, format, args);
  va_end(args);
}

bool tx_output_writes(const tx_output *out) {
  return out->rank == 0;
}

tx_status tx_output_make_folder(const tx_output *out, const char *name) {
  char path[PATH_MAX];
  tx_output_path(out, path, "%s", name);
  return tx_folder_create(path);
}

bool tx_rows_begin(tx_rows *rows, const tx_output *out, const char *name, ...) {
  va_list args;
  char file[NAME_MAX];
  va_start(args, name);
  vsnprintf(file, sizeof file, name, args);
  va_end(args);
  rows->text = (tx_text){0};
  tx_output_path(out, rows->path, "%s", file);
  return tx_file_is_new(rows->path);
}

tx_status tx_rows_end(tx_rows *rows) {
  const tx_status status = tx_text_append(&rows->text, rows->path);
  tx_text_free(&rows->text);
  return status;
}
