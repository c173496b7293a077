#include "advice/budget.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define GIB 1073741824.0

/* Until a GPU takes its first step, s. */
#define START_GPU 1.0

/* Machines. GPUs: BENCHMARKS.md, throughput against points, as a time for each stage of a level and a rate;
 * the H100's rate is that of the same stages beside the H200's; all else from whole runs of 200 to 1700 s. Cores:
 * docs/studies/two_cores.md, an AMD EPYC of 2025, one core by itself. */
static const tx_budget machines[] = {
    {.name = "core", .speed = 4.4e6, .other = 1.05},
    {.name = "H200",
     .gpu = true,
     .speed = 1.42e9,
     .launch_s = 6.5e-5,
     .other = 1.15,
     .start_s = START_GPU,
     .memory_bytes = 140.0 * GIB},
    {.name = "H100",
     .gpu = true,
     .speed = 1.36e9,
     .launch_s = 6.5e-5,
     .other = 1.15,
     .start_s = START_GPU,
     .memory_bytes = 79.0 * GIB},
    {.name = "GPU", .gpu = true, .launch_s = 6.5e-5, .other = 1.15, .start_s = START_GPU},
};

/* Several cores share what moves data: the same page, two ranks. Several GPUs wait for each other's ghosts in each stage, and for regrids. */
#define SPEED_CORES 3.65e6
#define LAUNCH_GPUS 9.75e-5
#define OTHER_GPUS  1.24

static const struct {
  const char *word;
  double value;
} times[] = {{"s", 1.0},       {"second", 1.0},  {"min", 60.0},  {"minute", 60.0},  {"h", 3600.0},
             {"hour", 3600.0}, {"day", 86400.0}, {"d", 86400.0}, {"week", 604800.0}},
  sizes[] = {{"MB", 1e6},           {"GB", 1e9},  {"TB", 1e12},
             {"MiB", GIB / 1024.0}, {"GiB", GIB}, {"TiB", 1024.0 * GIB}};

const char *tx_budget_page(bool gpu) {
  return gpu ? "BENCHMARKS.md" : "docs/studies/two_cores.md";
}

/* Return whether a text is a word or its plural. */
static bool is_word(const char *text, const char *word) {
  const size_t n = strlen(word);
  return strncasecmp(text, word, n) == 0 &&
         (text[n] == '\0' || (strcasecmp(text + n, "s") == 0 && n > 1));
}

/* Return the memory of this host. */
static double host_bytes(void) {
  const double pages = (double)sysconf(_SC_PHYS_PAGES), page = (double)sysconf(_SC_PAGESIZE);
  return pages > 0.0 && page > 0.0 ? pages * page : 0.0;
}

static bool take_machine(double number, const char *unit, tx_budget *b) {
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
    if (!is_word(unit, machines[i].name) || b->count > 0) continue;
    if (!(number >= 1.0 && number <= 1e6 && number == floor(number))) return false;
    const double seconds = b->seconds, memory = b->memory_bytes;
    *b = machines[i];
    b->count = (int)number;
    b->seconds = seconds;
    if (!b->gpu) b->memory_bytes = host_bytes();
    if (!b->gpu && b->count > 1) b->speed = SPEED_CORES;
    if (b->gpu && b->count > 1) b->launch_s = LAUNCH_GPUS, b->other = OTHER_GPUS;
    if (memory > 0.0) b->memory_bytes = memory;
    return true;
  }
  return false;
}

static bool take_part(double number, const char *unit, tx_budget *b) {
  if (!(number > 0.0) || !isfinite(number)) return false;
  if (take_machine(number, unit, b)) return true;
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
    if (is_word(unit, times[i].word) && b->seconds == 0.0) {
      b->seconds = number * times[i].value;
      return true;
    }
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    if (strcasecmp(unit, sizes[i].word) == 0) {
      b->memory_bytes = number * sizes[i].value;
      return true;
    }
  return false;
}

static bool is_known(const char *unit) {
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
    if (is_word(unit, machines[i].name)) return true;
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
    if (is_word(unit, times[i].word)) return true;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    if (strcasecmp(unit, sizes[i].word) == 0) return true;
  return false;
}

/* Say why the part at `at` of the text is none. */
static tx_status refuse(const char *option, const char *text, const char *at, bool has_machine) {
  double number = 0.0;
  char unit[16], whole[120] = "";
  int n = 0, used = 0;
  const int part = (int)fmin((double)strcspn(at, ","), 60.0);
  if (strcmp(at, text) != 0 || at[part]) snprintf(whole, sizeof whole, " of '%.100s'", text);
  const int found = sscanf(at, " %lf %n%15[A-Za-z0-9] %n", &number, &n, unit, &used);
  TX_REQUIRE(
      found != 1 || (at[n] && at[n] != ','), TX_ERR_PARAM,
      "%s: '%.*s'%s has no unit; add one of time (s, min, h, days, weeks) or memory (MB, GB, "
      "TB), or name the machine, as in \"2 cores, 24 h\"",
      option, part, at, whole);
  TX_REQUIRE(
      found != 2 || used == 0 || (at[used] && at[used] != ',') || has_machine || is_known(unit),
      TX_ERR_PARAM,
      "%s: the machine '%s' of '%.100s' is not known; name cores, H100 or H200, or GPUs with "
      "--speed and the point-stages/s that `tendex bench' finds there",
      option, unit, text);
  TX_FAIL(TX_ERR_PARAM,
          "%s: '%.*s'%s is not understood; give a machine (cores, H100, H200, or GPUs with "
          "--speed), a time and optionally memory, separated by commas, as in \"2 cores, 1 day\" "
          "or \"2 H200, 30 min\" or \"8 cores, 64 GB, 12 h\"",
          option, part, at, whole);
}

tx_status tx_budget_parse(const char *option, const char *text, double speed, tx_budget *out) {
  *out = (tx_budget){.count = 0};
  for (const char *at = text; *at;) {
    double number = 0.0;
    char unit[16];
    int used = 0;
    at += strspn(at, " ");
    if (sscanf(at, " %lf %15[A-Za-z0-9] %n", &number, unit, &used) != 2 || used == 0 ||
        (at[used] != '\0' && at[used] != ',') || !take_part(number, unit, out))
      return refuse(option, text, at, out->count > 0);
    at += used;
    if (*at == ',') at++;
  }
  TX_REQUIRE(out->count > 0, TX_ERR_PARAM,
             "%s: '%.100s' names no machine; give one, as in \"2 cores\" or \"2 H200\"", option,
             text);
  if (speed > 0.0) out->speed = speed;
  TX_REQUIRE(
      out->speed > 0.0, TX_ERR_PARAM,
      "%s: the speed of '%.100s' is not known; add --speed with the point-stages/s that `tendex "
      "bench' finds there, or name cores, H100 or H200",
      option, text);
  return TX_OK;
}

void tx_budget_machine_text(const tx_budget *budget, char *text, size_t size) {
  const bool plural = budget->count > 1 && (!budget->gpu || strcmp(budget->name, "GPU") == 0);
  snprintf(text, size, "%d %s%s", budget->count, budget->name, plural ? "s" : "");
}
