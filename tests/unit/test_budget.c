/* Machines in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "advice/budget.h"
#include "support/cmocka.h"

static tx_budget budget(const char *text, double speed) {
  tx_budget b;
  if (tx_budget_parse("--budget", text, speed, &b) != TX_OK) fail_msg("%s", tx_error_text());
  return b;
}

/** Number, unit, time and memory, in any order and of any case. */
static void budgets_are_read(void **state) {
  static const struct {
    const char *text, *machine;
    int count;
    double seconds, bytes;
  } known[] = {
      {"2 cores, 1 day", "2 cores", 2, 86400.0, 0.0},
      {"1 core,90s", "1 core", 1, 90.0, 0.0},
      {"2 H200, 30 min", "2 H200", 2, 1800.0, 140.0 * 0x1p30},
      {"30 minutes, 2 h200s", "2 H200", 2, 1800.0, 140.0 * 0x1p30},
      {"8 H100, 40 GB", "8 H100", 8, 0.0, 4e10},
      {"64 cores, 0.25 TB, 1.5 h", "64 cores", 64, 5400.0, 2.5e11},
      {"16 GiB, 2 Cores, 2 weeks", "2 cores", 2, 1209600.0, 16.0 * 0x1p30},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const tx_budget b = budget(known[i].text, 0.0);
    char machine[32];
    tx_budget_machine_text(&b, machine, sizeof machine);
    assert_string_equal(machine, known[i].machine);
    assert_int_equal(b.count, known[i].count);
    assert_true(b.seconds == known[i].seconds && b.speed > 0.0);
    if (known[i].bytes > 0.0) assert_true(fabs(b.memory_bytes / known[i].bytes - 1.0) < 1e-12);
    if (known[i].bytes == 0.0) assert_true(b.memory_bytes > 1e8); /* this host's */
  }
  assert_true(budget("3 GPUs, 1 h", 5e8).speed == 5e8);
  assert_true(budget("1 core", 0.0).speed > budget("2 cores", 0.0).speed);
  assert_true(budget("2 cores", 1e6).speed == 1e6);
}

static void other_texts_are_refused(void **state) {
  static const char *const wrong[][2] = {
      {"2 foo", "--budget: the machine 'foo' of '2 foo' is not known"},
      {"1 A100, 1 day", "--budget: the machine 'A100' of '1 A100, 1 day' is not known; name cores, "
                        "H100 or H200, or GPUs with --speed"},
      {"2 laptops, 1 day", "the machine 'laptops' of '2 laptops, 1 day' is not known; name cores"},
      {"1 h, 2 A100", "the machine 'A100' of '1 h, 2 A100' is not known"},
      {"2 cores, 24", "--budget: '24' of '2 cores, 24' has no unit; add one of time (s, min, h, "
                      "days, weeks) or memory (MB, GB, TB)"},
      {"24, 2 cores", "'24' of '24, 2 cores' has no unit"},
      {"24", "--budget: '24' has no unit"},
      {"2 cores, 2 days later", "'2 days later' of '2 cores, 2 days later' is not understood"},
      {"2 cores, a day", "'a day' of '2 cores, a day' is not understood"},
      {"2 cores, x, 1 day", "'x' of '2 cores, x, 1 day' is not understood"},
      {"2 cores 1 day", "separated by commas, as in \"2 cores, 1 day\""},
      {"1.5 cores", "is not understood"},
      {"0 cores", "is not understood"},
      {"-1 H200", "is not understood"},
      {"2 cores, 3 H200", "is not understood"},
      {"2 cores, 1 h, 2 h", "is not understood"},
      {"nan h, 1 core", "is not understood"},
      {"1 day", "names no machine"},
      {"", "names no machine"},
      {"2 GPUs", "the speed of '2 GPUs' is not known"},
  };
  tx_budget b;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_int_equal(tx_budget_parse("--budget", wrong[i][0], 0.0, &b), TX_ERR_PARAM);
    if (!strstr(tx_error_text(), wrong[i][1])) fail_msg("%s: %s", wrong[i][0], tx_error_text());
    tx_error_clear();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(budgets_are_read),
      cmocka_unit_test(other_texts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
