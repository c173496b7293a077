/* Files, text and JSON of the output. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/memory.h"
#include "files/file.h"
#include "files/json.h"
#include "output/output.h"
#include "support/cmocka.h"

static char folder[64];

static int make_folder(void **state) {
  snprintf(folder, sizeof folder, "/tmp/tendex-test-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command) != 0 || tx_memory_blocks() != 0;
}

static const char *in_folder(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void assert_content(const char *path, const char *expect) {
  char got[256] = "";
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  got[fread(got, 1, sizeof got - 1, f)] = '\0';
  fclose(f);
  assert_string_equal(got, expect);
}

static void folders_are_made_with_their_parents(void **state) {
  struct stat s;
  assert_int_equal(tx_folder_create(in_folder("a/b/c")), TX_OK);
  assert_int_equal(stat(in_folder("a/b/c"), &s), 0);
  assert_int_equal(tx_folder_create(in_folder("a/b/c")), TX_OK);
  assert_int_equal(tx_file_append(in_folder("file"), "x", 1), TX_OK);
  assert_int_equal(tx_folder_create(in_folder("file/d")), TX_ERR_IO);
  assert_non_null(strstr(tx_error_text(), "a file of this name exists"));
  tx_error_clear();
}

static void rows_are_appended_and_files_replaced(void **state) {
  assert_int_equal(tx_file_append(in_folder("rows"), "one\n", 4), TX_OK);
  assert_int_equal(tx_file_append(in_folder("rows"), "two\n", 4), TX_OK);
  assert_content(in_folder("rows"), "one\ntwo\n");
  assert_int_equal(tx_file_replace(in_folder("rows"), "new\n", 4), TX_OK);
  assert_content(in_folder("rows"), "new\n");
  assert_int_equal(access(in_folder("rows.part"), F_OK), -1);
}

static void a_pipe_is_written_to(void **state) {
  struct stat s;
  char text[8] = "";
  assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
  int fd = open(in_folder("pipe"), O_RDWR);
  assert_true(fd >= 0);
  assert_int_equal(tx_file_replace(in_folder("pipe"), "new\n", 4), TX_OK);
  assert_int_equal(stat(in_folder("pipe"), &s), 0);
  assert_true(S_ISFIFO(s.st_mode));
  if (S_ISFIFO(s.st_mode)) assert_int_equal(read(fd, text, sizeof text), 4);
  assert_string_equal(text, "new\n");
  close(fd);
}

static void a_failed_write_names_path_reason_and_remedy(void **state) {
  assert_int_equal(tx_file_append("/dev/full", "row\n", 4), TX_ERR_IO);
  assert_non_null(strstr(tx_error_text(), "cannot write /dev/full: No space left on device"));
  assert_non_null(strstr(tx_error_text(), "MiB free"));
  assert_non_null(strstr(tx_error_text(), "free some space or give a path on another disk"));
  tx_error_clear();
  assert_int_equal(tx_file_append(in_folder("none/rows"), "row\n", 4), TX_ERR_IO);
  assert_non_null(strstr(tx_error_text(), "No such file or directory"));
  tx_error_clear();
  const int others[] = {EACCES, EROFS, EIO};
  tx_file_placed_by("run.folder");
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    assert_int_equal(tx_file_failed(in_folder("rows"), strerror(others[i])), TX_ERR_IO);
    assert_non_null(strstr(tx_error_text(), "; give another run.folder, or the right to write"));
    assert_null(strstr(tx_error_text(), "free"));
    tx_error_clear();
  }
  tx_file_placed_by("path");
}

static void too_much_cannot_be_reserved(void **state) {
  assert_int_equal(tx_file_append(in_folder("r"), "x", 1), TX_OK);
  struct stat s;
  assert_int_equal(tx_file_reserve(in_folder("r"), 4096), TX_OK);
  assert_int_equal(stat(in_folder("r"), &s), 0);
  assert_int_equal(s.st_size, 1);
  assert_content(in_folder("r"), "x");
  assert_int_equal(tx_file_reserve(in_folder("r"), (size_t)1 << 60), TX_ERR_IO);
  assert_non_null(strstr(tx_error_text(), "cannot write"));
  tx_error_clear();
}

static void text_grows(void **state) {
  tx_text text = {0};
  for (int i = 0; i < 1000; i++) tx_text_add(&text, "%d,", i);
  assert_int_equal(text.status, TX_OK);
  assert_int_equal(text.length, 10 * 2 + 90 * 3 + 900 * 4);
  assert_int_equal(strncmp(text.data + text.length - 8, "998,999,", 8), 0);
  tx_text_free(&text);
}

static void json_is_well_formed(void **state) {
  tx_json json = {0};
  tx_json_open(&json, NULL, '{');
  tx_json_text(&json, "a\"b", "line\n\\");
  tx_json_open(&json, "list", '[');
  tx_json_real(&json, NULL, 0.6);
  tx_json_real(&json, NULL, 0.1 + 0.2);
  tx_json_real(&json, NULL, 1.0 / 0.0);
  tx_json_close(&json, ']');
  tx_json_open(&json, "none", '[');
  tx_json_close(&json, ']');
  tx_json_bool(&json, "yes", true);
  tx_json_int(&json, "n", -3);
  tx_json_close(&json, '}');
  assert_string_equal(
      json.text.data,
      "{\n  \"a\\\"b\": \"line\\u000a\\\\\",\n  \"list\": [\n    0.6,\n    0.30000000000000004,\n"
      "    null\n  ],\n  \"none\": [],\n  \"yes\": true,\n  \"n\": -3\n}\n");
  tx_text_free(&json.text);
}

/* Not in strings, nor in what is inside the object. */
static void members_are_found_where_they_are(void **state) {
  const char *text =
      "{\n \"name\": \"complete\", \"x\": \"\\\"t\\\": 7, {\\\\\",\"a\": [\"t\", {\"t\": 1}],"
      "\"phases\": {\"complete\": false, \"t\": 2},\r\n \"complete\" :\ttrue, \"t\":3.5}";
  assert_int_equal(strncmp(tx_json_find(text, "complete"), "true, ", 6), 0);
  assert_string_equal(tx_json_find(text, "t"), "3.5}");
  assert_int_equal(strncmp(tx_json_find(text, "a"), "[\"t\"", 4), 0);
  assert_null(tx_json_find(text, "c"));
  assert_null(tx_json_find(text, "completed"));
  assert_null(tx_json_find("{\"complete", "complete"));
  assert_null(tx_json_find("{\"complete\": \"t\\", "t"));
  assert_null(tx_json_find("[\"t\", 1]", "t"));
  assert_null(tx_json_find("", "t"));
}

static void runs_are_named_after_their_file(void **state) {
  tx_params p;
  tx_params_default(&p);
  assert_int_equal(tx_output_names(&p, "some/where/head.on.yaml"), TX_OK);
  assert_string_equal(p.run_name, "head.on");
  assert_string_equal(p.run_folder, "out/head.on");
  tx_params_default(&p);
  snprintf(p.run_name, sizeof p.run_name, "mine");
  assert_int_equal(tx_output_names(&p, "head_on"), TX_OK);
  assert_string_equal(p.run_folder, "out/mine");
  tx_params_default(&p);
  assert_int_equal(tx_output_names(&p, "folder/"), TX_ERR_PARAM);
  tx_error_clear();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(folders_are_made_with_their_parents),
      cmocka_unit_test(rows_are_appended_and_files_replaced),
      cmocka_unit_test(a_pipe_is_written_to),
      cmocka_unit_test(a_failed_write_names_path_reason_and_remedy),
      cmocka_unit_test(too_much_cannot_be_reserved),
      cmocka_unit_test(text_grows),
      cmocka_unit_test(json_is_well_formed),
      cmocka_unit_test(members_are_found_where_they_are),
      cmocka_unit_test(runs_are_named_after_their_file),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
