#include "machine/tuning.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "base/log.h"
#include "base/text.h"
#include "base/version.h"
#include "files/file.h"
#include "machine/compute.h"

/* Sizes of the path and of the text of the file. */
enum { PATH_SIZE = 4096, TEXT_SIZE = 16384 };

#define FIRST_LINE "tendex-tuning 1"
#define LAST_LINE  "end"
#define VARIABLE   "TENDEX_TUNING"

/* Where the plans come from: "" for shared memory. */
static char source[PATH_SIZE];

void tx_tuning_scheme(const tx_system *system, char text[TX_SCHEME_TEXT]) {
  const int usual = system->order == 4 ? 5 : 2 * TX_K - 1; /* order of the dissipation */
  snprintf(text, TX_SCHEME_TEXT, "%d%s%s", system->order, system->upwinded ? "u" : "",
           system->dissipation_order == usual ? "" : "d5");
}

static void build_text(char *text, size_t size) {
  snprintf(text, size, "%s, octants of %d^3 points", tx_version(), TX_N);
}

/* A name that is part of a path: all but letters, digits, '.' and '-' become '_'. */
static void append_part(char *path, size_t size, const char *name) {
  size_t used = strlen(path);
  for (; *name && used + 1 < size; name++) {
    const bool plain =
        strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-", *name) != NULL;
    if (plain)
      path[used++] = *name;
    else
      path[used++] = '_';
  }
  path[used] = '\0';
}

tx_status tx_tuning_path(char *path, size_t size) {
  const char *given = getenv(VARIABLE), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char build[200];
  int used = 0;
  if (given && *given) {
    used = snprintf(path, size, "%s", given);
  } else {
    TX_REQUIRE((cache && *cache) || (home && *home), TX_ERR_IO,
               "no folder for the launch plans of this GPU: neither HOME nor XDG_CACHE_HOME is "
               "set; name a file with TENDEX_TUNING");
    used = cache && *cache ? snprintf(path, size, "%s/tendex/", cache)
                           : snprintf(path, size, "%s/.cache/tendex/", home);
    build_text(build, sizeof build);
    append_part(path, size, tx_compute_get()->device);
    append_part(path, size, "-");
    append_part(path, size, build);
  }
  TX_REQUIRE(used >= 0 && strlen(path) + 1 < size, TX_ERR_IO,
             "the path of the launch plans of this GPU is too long; name a shorter one with "
             "TENDEX_TUNING");
  return TX_OK;
}

/* The system of a row, NULL if this program has none such. */
static const tx_system *system_of(const char *name, const char *scheme) {
  const tx_system *system;
  for (int n = 0; (system = tx_system_variant(n)); n++) {
    char text[TX_SCHEME_TEXT];
    tx_tuning_scheme(system, text);
    if (strcmp(system->name, name) == 0 && strcmp(text, scheme) == 0) return system;
  }
  return NULL;
}

/* A row: whether it is one; `use`: take its plan. */
static bool take_row(const char *line, bool use) {
  char name[64], scheme[TX_SCHEME_TEXT], plan[16], more;
  double speed = 0.0;
  if (sscanf(line, "stage %63s %15s %15s %lf %c", name, scheme, plan, &speed, &more) != 4 ||
      !(speed > 0.0))
    return false;
  const tx_system *system = system_of(name, scheme);
  for (int n = 0; n < tx_compute_plans(); n++) {
    if (strcmp(plan, tx_compute_plan_name(n)) != 0) continue;
    if (system && !tx_compute_plan_fits(system, n)) return false;
    if (system && use) tx_compute_plan_use(system, n);
    return true;
  }
  return false;
}

/* The next line of a text, its end cut off; NULL at the end. */
static char *next_line(char **text) {
  char *line = *text, *end = line ? strchr(line, '\n') : NULL;
  if (!end) return NULL;
  *end = '\0';
  *text = end + 1;
  return line;
}

/* Go through the text of a file, which is not kept; `use`: take its plans. What is wrong with it, NULL if nothing is. */
static const char *read_text(const char *from, bool use) {
  static char copy[TEXT_SIZE], problem[512];
  char card[300], build[200], own_build[200], *rest = copy, *line;
  snprintf(copy, sizeof copy, "%s", from);
  build_text(own_build, sizeof own_build);
  do line = next_line(&rest);
  while (line && line[0] == '#');
  if (!line || strcmp(line, FIRST_LINE) != 0) return "it does not begin with '" FIRST_LINE "'";
  if (!(line = next_line(&rest)) || sscanf(line, "card %299[^\n]", card) != 1 ||
      !(line = next_line(&rest)) || sscanf(line, "build %199[^\n]", build) != 1)
    return "it does not name a card and a build";
  snprintf(problem, sizeof problem, "it is of %.200s and %.150s", card, build);
  if (strcmp(card, tx_compute_get()->device) != 0 || strcmp(build, own_build) != 0) return problem;
  while ((line = next_line(&rest)) && strcmp(line, LAST_LINE) != 0) {
    snprintf(problem, sizeof problem, "it has the line '%.100s'", line);
    if (!take_row(line, use)) return problem;
  }
  return line && !*rest ? NULL : "its end is missing";
}

static void warn_ignored(const char *path, const char *why) {
  tx_warn("%s is ignored: %s; `tendex tune' writes a new one", path, why);
}

/* Rank 0: the whole file; "" if there is none, which only a file that was named is blamed for. */
static void read_file(const char *path, char text[TEXT_SIZE]) {
  size_t n = 0;
  errno = 0;
  FILE *f = fopen(path, "r");
  if (f) n = fread(text, 1, TEXT_SIZE - 1, f);
  text[n] = '\0';
  const char *problem = NULL;
  if (!f)
    problem = errno != ENOENT || getenv(VARIABLE) ? strerror(errno) : NULL;
  else if (ferror(f))
    problem = strerror(errno ? errno : EIO);
  else if (n == 0 || n == TEXT_SIZE - 1)
    problem = n == 0 ? "it is empty" : "it is too long";
  if (problem) {
    warn_ignored(path, problem);
    text[0] = '\0';
  }
  if (f) fclose(f);
}

tx_status tx_tuning_apply(MPI_Comm comm) {
  static char text[TEXT_SIZE];
  char path[PATH_SIZE] = "";
  int rank = 0;
  source[0] = '\0';
  if (!tx_compute_get()->gpu) return TX_OK;
  for (int n = 0; tx_system_variant(n); n++) tx_compute_plan_use(tx_system_variant(n), -1);
  TX_MPI(MPI_Comm_rank(comm, &rank));
  if (tx_tuning_path(path, sizeof path) != TX_OK) tx_error_clear();
  text[0] = '\0';
  if (rank == 0 && path[0]) read_file(path, text);
  TX_MPI(MPI_Bcast(text, TEXT_SIZE, MPI_CHAR, 0, comm));
  if (!text[0]) return TX_OK;
  const char *problem = read_text(text, false);
  if (problem) {
    warn_ignored(path, problem);
    return TX_OK;
  }
  (void)read_text(text, true);
  snprintf(source, sizeof source, "%s", path);
  return TX_OK;
}

void tx_tuning_log(const tx_params *p) {
  const tx_system *system = tx_system_of(p);
  const int plan = tx_compute_plan(system);
  if (plan < 0) return;
  tx_log("              stages take the plan `%s', %s%s", tx_compute_plan_name(plan),
         source[0] ? "as tuned: " : "by shared memory", source);
}

tx_status tx_tuning_folder(const char *path) {
  char folder[PATH_SIZE];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (!slash || slash == folder) return TX_OK;
  *slash = '\0';
  return tx_folder_create(folder);
}

tx_status tx_tuning_write(const char *path, int n, const tx_tuned *tuned) {
  char build[200];
  tx_text text = {0};
  build_text(build, sizeof build);
  tx_text_add(&text,
              "# Plans of the kernel of a stage that `tendex tune' found to be the fastest.\n%s\n"
              "card %s\nbuild %s\n",
              FIRST_LINE, tx_compute_get()->device, build);
  for (int i = 0; i < n; i++) {
    char scheme[TX_SCHEME_TEXT];
    tx_tuning_scheme(tuned[i].system, scheme);
    tx_text_add(&text, "stage %s %s %s %.4g\n", tuned[i].system->name, scheme,
                tx_compute_plan_name(tuned[i].best), tuned[i].speed[tuned[i].best]);
  }
  tx_text_add(&text, "%s\n", LAST_LINE);
  tx_status status = text.status;
  TX_THEN(status, tx_file_replace(path, text.data, text.length));
  tx_text_free(&text);
  return status;
}
