/* Records: members of structs, packed and in files. */
#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "files/h5.h"
#include "files/record_file.h"
#include "support/cmocka.h"

#define PATH   "test_record.h5"
#define THINGS 3

/* A struct with members of all kinds, and one that is not kept. */
typedef struct thing {
  bool there;
  int count, sizes[2];
  int64_t holds;
  char other[5];
  struct {
    double centre[3], axes[2][3];
  } place;
  enum { RED, GREEN, BLUE } colour;
} thing;

static const tx_member kept[] = {
    TX_MEMBER(thing, there),  TX_MEMBER(thing, count),        TX_MEMBER(thing, sizes),
    TX_MEMBER(thing, holds),  TX_MEMBER(thing, place.centre), TX_MEMBER(thing, place.axes),
    TX_MEMBER(thing, colour),
};
static const tx_members members = TX_MEMBERS(thing, kept);

static void make_things(thing things[THINGS]) {
  memset(things, 0, THINGS * sizeof *things);
  for (int k = 0; k < THINGS; k++) {
    thing *t = &things[k];
    t->there = k != 1;
    t->count = k == 0 ? INT_MIN : k == 1 ? INT_MAX : -1;
    t->sizes[0] = 10 * k;
    t->sizes[1] = 10 * k + 1;
    t->holds = INT64_MIN + k;
    t->colour = k == 2 ? BLUE : GREEN;
    for (int d = 0; d < 3; d++) t->place.centre[d] = -0.0 - k - 0.1 * d;
    for (int d = 0; d < 6; d++) t->place.axes[d / 3][d % 3] = k + d * DBL_MIN;
  }
}

static tx_record_list list_things(thing *things, size_t count) {
  tx_record_list list = {0};
  tx_records_add_members(&list, "things/", &members, things, count);
  OK(list.status);
  return list;
}

/* But for what is not kept. */
static void assert_same(const thing *things, const thing *back) {
  for (int k = 0; k < THINGS; k++) {
    const thing *a = &things[k], *b = &back[k];
    assert_true(a->there == b->there && a->count == b->count && a->holds == b->holds);
    assert_true(a->colour == b->colour);
    assert_memory_equal(a->sizes, b->sizes, sizeof a->sizes);
    assert_memory_equal(&a->place, &b->place, sizeof a->place);
    for (int i = 0; i < 5; i++) assert_int_equal(b->other[i], '?');
  }
}

static void a_table_has_kinds_and_numbers(void **state) {
  thing things[THINGS];
  tx_record_list list = list_things(things, THINGS);
  const char kinds[] = "bnniddn";
  const size_t n[] = {1, 1, 2, 1, 3, 6, 1};
  assert_int_equal(list.n, 7);
  for (int i = 0; i < list.n; i++) {
    assert_int_equal(list.at[i].kind, kinds[i]);
    assert_int_equal(list.at[i].n, n[i]);
    assert_int_equal(tx_record_items(&list.at[i]), THINGS * n[i]);
    assert_int_equal(tx_record_bytes(&list.at[i]), 8 * THINGS * n[i]);
  }
  assert_string_equal(list.at[4].name, "things/place.centre");
  assert_int_equal(tx_records_packed_bytes(&list), 8 * THINGS * 15);
  tx_records_free(&list);
  assert_int_equal(tx_memory_blocks(), 0);
}

static void unpacking_undoes_packing(void **state) {
  thing things[THINGS], back[THINGS];
  make_things(things);
  memset(back, '?', sizeof back);
  tx_record_list from = list_things(things, THINGS), to = list_things(back, THINGS);
  char text[] = "nine here", other[sizeof text] = "";
  tx_records_add(&from, "text", 't', 9, text);
  tx_records_add(&to, "text", 't', 9, other);
  tx_records_add(&from, "behind", 'i', 1, &things[0].holds);
  tx_records_add(&to, "behind", 'i', 1, &back[1].holds);
  const size_t bytes = tx_records_packed_bytes(&from);
  assert_int_equal(bytes, 8 * (THINGS * 15 + 2 + 1));
  int64_t *packed = malloc(bytes);
  assert_non_null(packed);
  tx_records_pack(&from, packed);
  assert_true(packed[0] == 1 && packed[1] == 0 && packed[3] == INT_MIN && packed[4] == INT_MAX);
  tx_records_unpack(&to, packed);
  assert_true(back[1].holds == things[0].holds);
  back[1].holds = things[1].holds;
  assert_same(things, back);
  assert_string_equal(other, text);
  /* Records of the copy have the same items, wherever the copy is. */
  tx_record_list copy = {.prefix = "end/"};
  tx_records_add_packed(&copy, &from, packed);
  OK(copy.status);
  assert_string_equal(copy.at[0].name, "end/things/there");
  int64_t *again = calloc(1, bytes);
  assert_true(again && tx_records_packed_bytes(&copy) == bytes);
  tx_records_pack(&copy, again);
  assert_memory_equal(again, packed, bytes - 8 - 7); /* but for what pads the text */
  free(packed);
  free(again);
  tx_records_free(&from);
  tx_records_free(&to);
  tx_records_free(&copy);
  assert_int_equal(tx_memory_blocks(), 0);
}

static tx_status write_file(const tx_record_list *list) {
  hid_t file;
  OK(tx_h5_create(PATH, tx_records_bytes(list), 0, &file));
  tx_status status = tx_records_put(file, PATH, "state", list);
  return tx_h5_close(status, PATH, file);
}

static tx_status read_file(const tx_record_list *list) {
  hid_t file;
  OK(tx_h5_open(PATH, &file));
  tx_status status = tx_records_get(file, PATH, "state", list);
  H5Fclose(file);
  return status;
}

static void assert_refused(tx_record_list list, const char *why) {
  OK(list.status);
  assert_int_equal(read_file(&list), TX_ERR_IO);
  if (!strstr(tx_error_text(), why)) fail_msg("'%s' does not say: %s", tx_error_text(), why);
  tx_error_clear();
  tx_records_free(&list);
}

static void files_keep_structs(void **state) {
  thing things[THINGS + 1], back[THINGS + 1];
  make_things(things);
  memset(back, '?', sizeof back);
  tx_record_list from = list_things(things, THINGS), to = list_things(back, THINGS);
  OK(write_file(&from));
  OK(read_file(&to));
  assert_same(things, back);
  tx_records_free(&from);
  tx_records_free(&to);
  /* In the file they are plain arrays. */
  int64_t counts[THINGS];
  tx_record_list plain = {0};
  tx_records_add(&plain, "things/count", 'i', THINGS, counts);
  OK(read_file(&plain));
  assert_true(counts[0] == INT_MIN && counts[1] == INT_MAX && counts[2] == -1);
  tx_records_free(&plain);
  assert_refused(list_things(back, THINGS - 1), "has 3 values of 'state/things/there', not 2");
  assert_refused(list_things(back, THINGS + 1), "has 3 values of 'state/things/there', not 4");
  tx_record_list other = {0};
  tx_records_add(&other, "things/count", 'd', THINGS, counts);
  assert_refused(other, "it is missing or has another shape");
  assert_int_equal(remove(PATH), 0);
  assert_int_equal(tx_memory_blocks(), 0);
}

/* No structs: a data set without values. */
static void there_may_be_none(void **state) {
  tx_record_list none = list_things(NULL, 0);
  OK(write_file(&none));
  OK(read_file(&none));
  tx_records_free(&none);
  assert_int_equal(remove(PATH), 0);
}

static void a_list_grows_and_keeps_its_failure(void **state) {
  double values[100];
  char name[80];
  hid_t no_file = H5I_INVALID_HID;
  tx_record_list list = {0};
  for (int i = 0; i < 100; i++) {
    snprintf(name, sizeof name, "value%d", i);
    tx_records_add(&list, name, 'd', 1, &values[i]);
  }
  OK(list.status);
  assert_int_equal(list.n, 100);
  assert_string_equal(list.at[99].name, "value99");
  assert_ptr_equal(list.at[99].data, &values[99]);
  memset(name, 'x', TX_RECORD_NAME);
  name[TX_RECORD_NAME] = '\0';
  tx_records_add(&list, name, 'd', 1, values);
  assert_int_equal(list.status, TX_ERR_IO);
  assert_non_null(strstr(tx_error_text(), "its name is too long"));
  tx_error_clear();
  tx_records_add(&list, "later", 'd', 1, values);
  assert_int_equal(tx_records_put(no_file, PATH, "state", &list), TX_ERR_IO);
  assert_int_equal(tx_records_get(no_file, PATH, "state", &list), TX_ERR_IO);
  tx_record_list copy = {0};
  tx_records_add_packed(&copy, &list, values);
  assert_int_equal(copy.status, TX_ERR_IO);
  tx_records_free(&copy);
  tx_records_free(&list);
  tx_error_clear();
  tx_memory_limit(1);
  tx_records_add(&list, "value", 'd', 1, values);
  tx_memory_limit(0);
  assert_int_equal(list.status, TX_ERR_MEMORY);
  tx_records_free(&list);
  tx_error_clear();
  assert_int_equal(tx_memory_blocks(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_has_kinds_and_numbers),
      cmocka_unit_test(unpacking_undoes_packing),
      cmocka_unit_test(files_keep_structs),
      cmocka_unit_test(there_may_be_none),
      cmocka_unit_test(a_list_grows_and_keeps_its_failure),
  };
  if (tx_h5_start() != TX_OK) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
