/* The table of commands: each has a help, a page in the manual, and options that are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "advice/check.h"
#include "bench/bench.h"
#include "cli/cli.h"
#include "support/cmocka.h"

enum { WORDS = 8 };

/* Parse "tendex" and these words, the last of which is NULL, without output. */
static tx_status parse(tx_request *request, const char *const *words) {
  static char text[WORDS][300];
  char *argv[WORDS + 1] = {text[0]};
  int argc = 1;
  strcpy(text[0], "tendex");
  for (int i = 0; words[i]; i++, argc++) {
    snprintf(text[argc], sizeof text[argc], "%s", words[i]);
    argv[argc] = text[argc];
  }
  argv[argc] = NULL;
  return tx_cli_parse(argc, argv, false, request);
}
#define PARSE(request, ...) parse(request, (const char *const[]){__VA_ARGS__, NULL})

/* Read docs/tendex.1, without the signs before "-" that troff takes. */
static const char *manual(void) {
  static char text[1 << 20];
  FILE *file = fopen(TX_MANUAL, "r");
  size_t n = 0;
  assert_non_null(file);
  for (int c = fgetc(file); c != EOF && n + 1 < sizeof text; c = fgetc(file))
    if (c != '\\') text[n++] = (char)c;
  text[n] = '\0';
  fclose(file);
  return text;
}

/* Return the section of a command in the manual. */
static char *section_of(const tx_command *command) {
  char heading[64];
  snprintf(heading, sizeof heading, "\n.SS %s\n", command->name);
  const char *from = strstr(manual(), heading);
  if (!from) fail_msg("%s has no section in docs/tendex.1", command->name);
  const char *to = strstr(from + 1, "\n.S");
  char *section = strdup(from);
  assert_non_null(section);
  if (to) section[to - from] = '\0';
  return section;
}

static void commands_are_complete(void **state) {
  int n = 0;
  for (; tx_commands[n]; n++) {
    const tx_command *c = tx_commands[n];
    assert_true(c->name && c->arguments && c->summary && c->usage && c->help && c->run);
    assert_true(strlen(c->name) + strlen(c->arguments) <= 12); /* columns of the list */
    assert_non_null(strstr(c->help, "Options:\v"));
    assert_non_null(strstr(c->help, "Examples:\n"));
    assert_true(c->own && c->own_size > 0);
    for (int i = 0; i < n; i++) assert_string_not_equal(c->name, tx_commands[i]->name);
  }
  assert_true(n > 1);
}

static void the_manual_has_every_command_and_option(void **state) {
  for (int n = 0; tx_commands[n]; n++) {
    const tx_command *c = tx_commands[n];
    char *section = section_of(c), option[64];
    for (const tx_option *o = c->options; o->name; o++) {
      snprintf(option, sizeof option, "--%s%s%s\n", o->name, o->argument ? "=" : "",
               o->argument ? o->argument : "");
      if (!strstr(section, option)) fail_msg("docs/tendex.1 has no %.50s of %s", option, c->name);
    }
    free(section);
  }
}

/* Return whether an option of a command takes `arg`; --help leaves out what goes together. */
static bool takes(const tx_command *command, const tx_option *option, const char *arg) {
  tx_request request;
  char word[300];
  snprintf(word, sizeof word, "--%s%s%s", option->name, arg ? "=" : "", arg ? arg : "");
  return PARSE(&request, command->name, word, "--help") == TX_OK;
}

static void options_take_what_their_kind_is(void **state) {
  static const struct {
    const char *good, *bad;
  } kinds[] = {[TX_OPTION_FLAG] = {NULL, "1"},       [TX_OPTION_TEXT] = {"some text", NULL},
               [TX_OPTION_INT] = {"1", "0"},         [TX_OPTION_LONG] = {"1", "1.5"},
               [TX_OPTION_POSITIVE] = {"0.5", "-1"}, [TX_OPTION_SETTING] = {"run.t_end=1", NULL}};
  static const char *const others[] = {"1", "cpu", "gather", "0,0,0", "coarse"};
  for (int n = 0; tx_commands[n]; n++)
    for (const tx_option *o = tx_commands[n]->options; o->name; o++) {
      bool good = false;
      if (o->kind != TX_OPTION_OTHER) {
        const char *bad = kinds[o->kind].bad;
        good = takes(tx_commands[n], o, kinds[o->kind].good) &&
               !(bad && takes(tx_commands[n], o, bad));
      } else
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
          good = good || takes(tx_commands[n], o, others[i]);
      if (!good) fail_msg("%s --%s is not read as its kind", tx_commands[n]->name, o->name);
    }
}

static void every_command_has_the_common_options(void **state) {
  for (int n = 0; tx_commands[n]; n++) {
    const char *name = tx_commands[n]->name;
    tx_request request;
    assert_int_equal(PARSE(&request, name, "-t", "3", "--quiet", "-h"), TX_OK);
    assert_true(request.threads == 3 && request.quiet && request.help && !request.command);
    assert_int_equal(PARSE(&request, name, "--nothing", "-h"), TX_ERR_USAGE);
    assert_int_equal(PARSE(&request, name, "--threads", "0", "-h"), TX_ERR_USAGE);
    assert_int_equal(PARSE(&request, name, "a", "b", "-h"), TX_ERR_USAGE);
    assert_int_equal(PARSE(&request, name, "a", "-h"),
                     tx_commands[n]->takes_file ? TX_OK : TX_ERR_USAGE);
  }
}

static void values_arrive_and_are_forgotten(void **state) {
  tx_request request;
  assert_int_equal(PARSE(&request, "check", "a.yaml", "--ranks=7", "--set", "b.c=1"), TX_OK);
  const tx_check_options *check = request.own;
  assert_ptr_equal(request.command, &tx_command_check);
  assert_string_equal(request.path, "a.yaml");
  assert_string_equal(request.set[0], "b.c=1");
  assert_true(request.n_set == 1 && check->ranks == 7);
  assert_int_equal(PARSE(&request, "check", "a.yaml"), TX_OK);
  assert_true(request.n_set == 0 && check->ranks == 0);
  assert_int_equal(PARSE(&request, "bench", "--octants=3", "--device=cpu", "--device=gpu"), TX_OK);
  const tx_bench_options *bench = request.own;
  assert_true(bench->steps == 5 && bench->points == 3L * TX_N * TX_N * TX_N);
  assert_true(request.n_set == 1);
  assert_string_equal(request.set[0], "compute.device=gpu");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(commands_are_complete),
      cmocka_unit_test(the_manual_has_every_command_and_option),
      cmocka_unit_test(options_take_what_their_kind_is),
      cmocka_unit_test(every_command_has_the_common_options),
      cmocka_unit_test(values_arrive_and_are_forgotten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
