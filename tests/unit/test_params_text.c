/* Text that parameters refuse as a YAML file cannot hold it, and parameter files that are none. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/base.h"
#include "base/memory.h"
#include "base/line.h"
#include "params_given.h"

static char path[64];

static int start(void **state) {
  tx_error_clear();
  snprintf(path, sizeof path, "/tmp/tendex_test_params_text_%d", (int)getpid());
  return 0;
}

static int stop(void **state) {
  remove(path);
  return tx_memory_blocks() != 0;
}

static tx_status read_text(const char *text, tx_params *p) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
  assert_int_equal(fclose(out), 0);
  tx_error_clear();
  return tx_params_read(MPI_COMM_WORLD, path, 0, NULL, NULL, p);
}

static tx_status read_given(const char *given, tx_params *p) {
  const char *const set[] = {given};
  tx_error_clear();
  return tx_params_read(MPI_COMM_WORLD, NULL, 1, set, NULL, p);
}

/* Every string parameter, and all that libyaml would refuse or change in run.yaml. */
static void text_that_yaml_cannot_hold_is_refused(void **state) {
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"ab\xff", "byte 3, 0xff, is not UTF-8"},
      {"\xc3", "byte 1, 0xc3, is not UTF-8"},
      {"a\xc3(", "byte 2, 0xc3, is not UTF-8"},
      {"\xc0\xaf", "byte 1, 0xc0, is not UTF-8"},
      {"\xe0\x80\xaf", "byte 1, 0xe0, is not UTF-8"},
      {"\xed\xa0\x80", "byte 1, 0xed, is not UTF-8"},
      {"\xf4\x90\x80\x80", "byte 1, 0xf4, is not UTF-8"},
      {"\xf8\x88\x80\x80\x80", "byte 1, 0xf8, is not UTF-8"},
      {"a\tb", "byte 2, 0x09, is a control character"},
      {"a\nb", "byte 2, 0x0a, is a control character"},
      {"a\x7f", "byte 2, 0x7f, is a control character"},
      {"a\xc2\x85", "byte 2, 0xc2, begins the control character U+0085"},
      {"a\xc2\x9b", "byte 2, 0xc2, begins the control character U+009B"},
      {"\xe2\x80\xa8", "byte 1, 0xe2, begins U+2028, which YAML cannot hold"},
      {"\xe2\x80\xa9", "byte 1, 0xe2, begins U+2029, which YAML cannot hold"},
      {"a\xef\xbb\xbf", "byte 2, 0xef, begins U+FEFF, which YAML cannot hold"},
      {"a\xef\xbf\xbe", "byte 2, 0xef, begins U+FFFE, which YAML cannot hold"},
      {"\xef\xbf\xbf", "byte 1, 0xef, begins U+FFFF, which YAML cannot hold"},
  };
  static const char *const keys[] = {"run.name", "run.folder"};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
    for (int k = 0; k < 2; k++) {
      tx_params p;
      char given[80], says[300];
      snprintf(given, sizeof given, "%s=%s", keys[k], cases[c].text);
      snprintf(says, sizeof says, ": %s; give ", cases[c].says);
      assert_says(given, read_given(given, &p), says);
      assert_null(strpbrk(tx_error_text(), "\n\t\x7f\xff"));
    }
  tx_params p;
  assert_says("escape", read_text("run:\n  name: \"a\\x01b\"\n", &p),
              ":2: run.name: byte 2, 0x01, is a control character; give ");
  assert_says("escape", read_text("run:\n  name: \"a\\uFFFEb\"\n", &p),
              ":2: run.name: byte 2, 0xef, begins U+FFFE");
  assert_says("NUL", read_text("run:\n  name: \"a\\0b\"\n", &p),
              ":2: run.name: byte 2, 0x00, is a control character; give ");
}

/* What is taken reads back from what is written. */
static void text_that_yaml_can_hold_is_kept(void **state) {
  static const char *const cases[] = {
      " a b ", "caf\xc3\xa9",   "\xf0\x9f\x95\xb3", "\xe2\x82\xac",    "a: b # c",
      "'\"\\", "\xed\x9f\xbf~", "\xee\x80\x80",     "\xc2\xa0",        "-x",
      "a.b",   "...",           "\xef\xbf\xbd",     "\xf4\x8f\xbf\xbf"};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    tx_params p, q;
    char given[80];
    snprintf(given, sizeof given, "run.name=%s", cases[c]);
    if (read_given(given, &p) != TX_OK) fail_msg("%s: %s", cases[c], tx_error_text());
    FILE *out = fopen(path, "w");
    assert_int_equal(tx_params_write(&p, out), TX_OK);
    fclose(out);
    if (tx_params_read(MPI_COMM_WORLD, path, 0, NULL, NULL, &q) != TX_OK)
      fail_msg("%s", tx_error_text());
    assert_string_equal(q.run_name, cases[c]);
  }
}

static void a_name_is_one_part_of_a_path(void **state) {
  static const char *const bad[] = {".", "..", "../../x", "/x", "x/", "a/b"};
  tx_params p;
  for (size_t c = 0; c < sizeof bad / sizeof bad[0]; c++) {
    char given[80], says[300];
    snprintf(given, sizeof given, "run.name=%s", bad[c]);
    snprintf(says, sizeof says,
             "--set %s: \"%s\" is not a folder name; give one without /, and not . or "
             "..; run.folder may be any path",
             given, bad[c]);
    assert_says(given, read_given(given, &p), says);
  }
  assert_says("file", read_text("run:\n  name: ..\n", &p), ":2: run.name: \"..\" is not a folder ");
  assert_int_equal(read_given("run.folder=../../x", &p), TX_OK);
}

/* Deep and long files are refused where they become so, before anything quadratic is done with them. */
static void monsters_are_refused_at_once(void **state) {
  static char text[1 << 20];
  const struct timespec zero = {0};
  struct timespec begin = zero, end = zero;
  tx_params p;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  size_t n = (size_t)snprintf(text, sizeof text, "waves:\n  radii: ");
  memset(text + n, '[', 600000);
  assert_says("brackets", read_text(text, &p), ":2: more than 16 levels of brackets or indents");
  memset(text, 0, sizeof text);
  for (n = 0; n + 2 < sizeof text; n += 2) memcpy(text + n, "- ", 2);
  assert_says("dashes", read_text(text, &p), ":1: more than 16 levels of brackets or indents");
  memset(text, 0, sizeof text);
  n = (size_t)snprintf(text, sizeof text, "waves:\n  radii:\n");
  for (int i = 0; n + 16 < sizeof text; i++) n += (size_t)snprintf(text + n, 16, "  - &a%d 1\n", i);
  assert_says("anchors", read_text(text, &p),
              ": more than 10000 values; this is not a parameter file");
  clock_gettime(CLOCK_MONOTONIC, &end);
  assert_true(end.tv_sec - begin.tv_sec < 3);
  assert_says("fine", read_text("waves:\n  radii: [[[[[[[[[[1]]]]]]]]]]\n", &p),
              ":2: waves.radii: the list holds something that is not a number");
}

static void quoted_numbers_are_text(void **state) {
  static const char *const cases[][2] = {
      {"waves:\n  radii: \"[20, 30]\"\n",
       ":2: waves.radii: \"[20, 30]\" is text; give it without quotes: up to 32 numbers [a, b, "},
      {"waves:\n  radii: ['20', 30]\n",
       ":2: waves.radii: [20, 30] is text; give it without quotes"},
      {"grid:\n  extent: '16'\n",
       ":2: grid.extent: \"16\" is text; give it without quotes: a number"},
      {"run:\n  overwrite: 'yes'\n",
       ":2: run.overwrite: \"yes\" is text; give it without quotes: tr"},
      {"grid:\n  extent: 'x'\n", ":2: grid.extent: \"x\" is not allowed; give a number"},
  };
  tx_params p;
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
    assert_says(cases[c][0], read_text(cases[c][0], &p), cases[c][1]);
  assert_says(
      "set", read_given("waves.radii=\"[20, 30]\"", &p),
      "--set waves.radii=\"[20, 30]\": \"[20, 30]\" is text; give it without quotes: up to");
}

static void messages_are_one_line(void **state) {
  tx_params p;
  assert_says("value", read_text("grid:\n  extent: \"1\\n2\\e[31m\"\n", &p),
              ":2: grid.extent: \"1\\n2\\x1b[31m\" is not allowed");
  assert_says("key", read_text("grid:\n  \"ext\\nent\": 1\n", &p), ":2: grid.ext\\nent: unknown");
  assert_says("set", read_given("grid.extent=1\r\n2", &p),
              "--set grid.extent=1\\r\\n2: 1\\r\\n2 is");
  char shown[64];
  tx_line_show("a\tb\x1b\xff\xc3\xa9\xc2\x9b\xe2\x80\xa8", shown, sizeof shown);
  assert_string_equal(shown, "a\\tb\\x1b\\xff\xc3\xa9\\xc2\\x9b\\xe2\\x80\\xa8");
  tx_line_show("ab\n", shown, 4);
  assert_string_equal(shown, "ab");
}

static void what_is_no_file_is_refused(void **state) {
  tx_params p;
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(tx_params_read(MPI_COMM_WORLD, path, 0, NULL, NULL, &p), TX_ERR_IO);
  assert_non_null(strstr(tx_error_text(), ": it is a pipe (FIFO); give a file"));
  tx_error_clear();
  assert_int_equal(tx_params_read(MPI_COMM_WORLD, "/dev/zero", 0, NULL, NULL, &p), TX_ERR_IO);
  assert_string_equal(tx_error_text(),
                      "cannot read parameter file /dev/zero: it is a device; give a file");
  tx_error_clear();
  assert_int_equal(tx_params_read(MPI_COMM_WORLD, "/tmp", 0, NULL, NULL, &p), TX_ERR_IO);
  assert_non_null(strstr(tx_error_text(), "/tmp: Is a directory"));
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (tx_base_init(MPI_COMM_WORLD) != TX_OK) return 1;
  alarm(60); /* what hangs is a failure */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(text_that_yaml_cannot_hold_is_refused, start, stop),
      cmocka_unit_test_setup_teardown(text_that_yaml_can_hold_is_kept, start, stop),
      cmocka_unit_test_setup_teardown(a_name_is_one_part_of_a_path, start, stop),
      cmocka_unit_test_setup_teardown(monsters_are_refused_at_once, start, stop),
      cmocka_unit_test_setup_teardown(quoted_numbers_are_text, start, stop),
      cmocka_unit_test_setup_teardown(messages_are_one_line, start, stop),
      cmocka_unit_test_setup_teardown(what_is_no_file_is_refused, start, stop),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (tx_base_finalize(MPI_COMM_WORLD) != TX_OK) failed++;
  MPI_Finalize();
  return failed;
}
