/* Numbers as people read them. */
#include "report/text.h"
#include "support/cmocka.h"

/* Require the text of each number of `known`, a table of pairs. */
#define CHECK(function, known)                                                                     \
  for (size_t i = 0; i < sizeof(known) / sizeof(known)[0]; i++) {                                  \
    char text[32];                                                                                 \
    assert_string_equal(function((known)[i].x, text), (known)[i].text);                            \
    assert_ptr_equal(function((known)[i].x, text), text);                                          \
  }

typedef struct pair {
  double x;
  const char *text;
} pair;

static void counts_have_their_thousands_apart(void **state) {
  static const struct {
    int64_t x;
    const char *text;
  } known[] = {{0, "0"},
               {999, "999"},
               {8192, "8,192"},
               {123456, "123,456"},
               {1048576, "1,048,576"},
               {INT64_MAX, "9,223,372,036,854,775,807"}};
  CHECK(tx_count_text, known)
}

/* A number that rounds to 1000 of a unit is 1 of the next one. */
static void bytes_have_three_digits(void **state) {
  static const pair memory[] = {
      {512.0, "0.5 KiB"},        {1024.0 * 999.4, "999 KiB"}, {1024.0 * 999.6, "0.976 MiB"},
      {3.2 * 0x1p20, "3.2 MiB"}, {1.44 * 0x1p30, "1.44 GiB"}, {5000.0 * 0x1p40, "5e+03 TiB"}};
  static const pair files[] = {{100.0, "0.1 kB"}, {999600.0, "1 MB"}, {2.5e9, "2.5 GB"}};
  CHECK(tx_bytes_text, memory)
  CHECK(tx_file_bytes_text, files)
}

static void durations_are_short(void **state) {
  static const pair estimated[] = {{7.33, "7.3 s"},   {99.6, "1.66 min"}, {1400.0, "23.3 min"},
                                   {36000.0, "10 h"}, {2e6, "23.1 days"}, {8.64e8, "10000 days"}};
  static const pair left[] = {
      {3723.4, "1:02:03"}, {86399.4, "23:59:59"}, {450000.0, "5d05h"}, {3.6e8, "-"}};
  CHECK(tx_duration_text, estimated)
  CHECK(tx_time_left_text, left)
}

static void ranks_and_threads_have_their_plurals(void **state) {
  char text[64];
  assert_string_equal(tx_ranks_text(1, 1, text), "1 rank x 1 thread");
  assert_string_equal(tx_ranks_text(2, 16, text), "2 ranks x 16 threads");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_have_their_thousands_apart),
      cmocka_unit_test(bytes_have_three_digits),
      cmocka_unit_test(durations_are_short),
      cmocka_unit_test(ranks_and_threads_have_their_plurals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
