/* `tendex new': from a binary that is described to a parameter file. Rank 0 does it. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "plan/new.h"
#include "report/text.h"
#include "base/log.h"
#include "files/file.h"

/* Bytes that the driver of a GPU, or MPI and the system, keep. */
#define KEPT 1e9

/* Halvings in the search for a shorter inspiral that fits. */
#define SEARCH 6

/* Larger machines that are tried, each a fourth larger than the one before. */
#define MORE 16

tx_status tx_draft_make(const tx_wish *wish, const tx_budget *budget, const char *path,
                        tx_draft *out) {
  tx_budget machines[3];
  tx_estimate found[3];
  *out = (tx_draft){.notes = {.data = NULL}};
  TX_TRY(tx_budget_parse("", "1 H200", 0.0, &machines[0]));
  TX_TRY(tx_budget_parse("", "2 cores", 0.0, &machines[1]));
  machines[0].memory_bytes = machines[1].memory_bytes = 0.0; /* they are not what the run is for */
  if (budget) machines[2] = *budget;
  TX_TRY(tx_plan_make(wish, path, &out->plan));
  TX_TRY(tx_estimate_run(tx_settings_params(out->plan.settings), budget ? 3 : 2, machines,
                         &out->notes, found));
  out->on_gpu = found[0];
  out->on_cores = found[1];
  if (budget) out->on_machine = found[2];
  return TX_OK;
}

void tx_draft_free(tx_draft *draft) {
  tx_plan_free(&draft->plan);
  tx_text_free(&draft->notes);
}

static double bytes_of(const tx_estimate *e, const tx_budget *b) {
  return b->gpu ? e->device_bytes : e->host_bytes;
}

static bool has_memory(const tx_estimate *e, const tx_budget *b) {
  return b->memory_bytes == 0.0 || bytes_of(e, b) + KEPT <= b->memory_bytes;
}

static bool fits(const tx_estimate *e, const tx_budget *b) {
  return has_memory(e, b) && (b->seconds == 0.0 || e->wall_s <= b->seconds);
}

/* Find how many orbits fit, 0 if none do: tenths of one, each as it would be planned. */
static tx_status find_shorter(const tx_wish *wish, double from, const tx_budget *budget,
                              const char *path, double *orbits) {
  int low = (int)round(10.0 * fmax(1.0, tx_plan_fewest_orbits(wish)));
  int high = (int)ceil(10.0 * from);
  *orbits = 0.0;
  for (int n = 0; n <= SEARCH && low < high; n++) {
    const int tenths = n == 0 ? low : (low + high) / 2;
    tx_wish shorter = *wish;
    tx_draft d;
    if (n > 0 && tenths == low) break;
    shorter.separation = shorter.frequency = 0.0;
    shorter.orbits = tenths / 10.0;
    tx_status status = tx_draft_make(&shorter, budget, path, &d);
    const bool good = status == TX_OK && fits(&d.on_machine, budget);
    tx_draft_free(&d);
    TX_TRY(status);
    if (!good && n == 0) break;
    *(good ? &low : &high) = tenths;
    if (good) *orbits = shorter.orbits;
  }
  return TX_OK;
}

/* Find how many cores or GPUs suffice, 0 if too many. */
static tx_status find_more(const tx_plan *plan, const tx_budget *budget, int *count) {
  tx_budget more[MORE];
  tx_estimate found[MORE];
  int n = 0;
  for (int units = budget->count + 1; n < MORE; units += (units + 3) / 4) {
    more[n] = *budget;
    more[n++].count = units;
  }
  TX_TRY(tx_estimate_run(tx_settings_params(plan->settings), n, more, NULL, found));
  *count = 0;
  for (int i = n - 1; i >= 0; i--)
    if (fits(&found[i], &more[i])) *count = more[i].count;
  return TX_OK;
}

/* Find a lower accuracy that fits, -1: none. */
static tx_status find_lower(const tx_wish *wish, const tx_budget *budget, const char *path,
                            int *accuracy) {
  for (*accuracy = (int)wish->accuracy - 1; *accuracy >= 0; --*accuracy) {
    tx_wish lower = *wish;
    tx_draft d;
    lower.accuracy = (tx_accuracy)*accuracy;
    tx_status status = tx_draft_make(&lower, budget, path, &d);
    const bool good = status == TX_OK && fits(&d.on_machine, budget);
    tx_draft_free(&d);
    TX_TRY(status);
    if (good) break;
  }
  return TX_OK;
}

/* Refuse a budget, and name what would fit. */
static tx_status refuse(const tx_wish *wish, const tx_draft *d, const tx_budget *budget,
                        const char *path) {
  char needs[32], time[32], machine[32], shorter[64] = "", more[80] = "";
  double orbits = 0.0;
  int count = 0;
  int lower = -1;
  TX_TRY(find_lower(wish, budget, path, &lower));
  if (lower < 0) TX_TRY(find_shorter(wish, d->plan.orbits, budget, path, &orbits));
  TX_TRY(find_more(&d->plan, budget, &count));
  tx_duration_text(d->on_machine.wall_s, time);
  tx_budget_machine_text(budget, machine, sizeof machine);
  tx_budget asked = *budget;
  asked.count = count;
  char enough[32];
  tx_budget_machine_text(&asked, enough, sizeof enough);
  if (lower >= 0)
    snprintf(shorter, sizeof shorter, "; --accuracy %s would fit", tx_accuracy_names[lower]);
  if (orbits > 0.0) snprintf(shorter, sizeof shorter, "; --orbits %g would fit", orbits);
  if (count > 0) snprintf(more, sizeof more, "; %s would suffice", enough);
  TX_FAIL(
      TX_ERR_PARAM, "--budget: accuracy %s takes %s and %s per %s on %s, which is %s%s%s%s",
      tx_accuracy_names[wish->accuracy], time,
      tx_bytes_text(bytes_of(&d->on_machine, budget), needs), budget->gpu ? "GPU" : "host", machine,
      has_memory(&d->on_machine, budget) ? "more than the time given"
                                         : "more than its memory, of which the system keeps 1 GB",
      shorter, more,
      *shorter || *more ? "" : "; no shorter or coarser run fits: use a larger machine");
}

static tx_accuracy accuracy_of(const char *name) {
  for (int a = 0; a < TX_ACCURACIES; a++)
    if (name && strcmp(name, tx_accuracy_names[a]) == 0) return (tx_accuracy)a;
  return TX_ACCURACY_STANDARD;
}

tx_status tx_draft_fit(tx_wish *wish, const tx_budget *budget, const char *accuracy,
                       const char *path, tx_draft *out) {
  wish->accuracy = accuracy || !budget ? accuracy_of(accuracy) : TX_ACCURACY_COARSE;
  TX_TRY(tx_draft_make(wish, budget, path, out));
  if (!budget) return TX_OK;
  if (!fits(&out->on_machine, budget)) return refuse(wish, out, budget, path);
  while (!accuracy && wish->accuracy < TX_ACCURACY_HIGH) {
    tx_draft better;
    tx_wish more = *wish;
    more.accuracy++;
    const tx_status status = tx_draft_make(&more, budget, path, &better);
    if (status != TX_OK || !fits(&better.on_machine, budget)) {
      tx_draft_free(&better);
      tx_error_clear(); /* the grid of the better one cannot be had */
      return TX_OK;
    }
    tx_draft_free(out);
    *out = better;
    *wish = more;
  }
  return TX_OK;
}

/* Check that no file is lost. */
static tx_status check_path(const char *path, const tx_new_options *options) {
  TX_REQUIRE(options->overwrite || access(path, F_OK) != 0, TX_ERR_IO,
             "-o %s: the file exists; give another name, or --overwrite", path);
  return TX_OK;
}

static tx_status write_one(const tx_new_options *options, tx_wish *wish, const tx_budget *budget,
                           const char *accuracy, const char *path, const char *purpose) {
  tx_draft d = {.notes = {.data = NULL}};
  TX_TRY(check_path(path, options));
  tx_status status = tx_draft_fit(wish, budget, accuracy, path, &d);
  TX_THEN(status, tx_new_write(&d, options, budget, path, purpose));
  tx_draft_free(&d);
  return status;
}

/* Write x_coarse.yaml and so on for x.yaml. */
static tx_status write_series(const tx_new_options *options, tx_wish *wish, const tx_budget *budget,
                              const char *purpose) {
  char path[4096];
  const char *output = options->output, *end = strrchr(output, '.');
  const int stem = end && !strchr(end, '/') ? (int)(end - output) : (int)strlen(output);
  TX_REQUIRE(!options->json, TX_ERR_USAGE,
             "--json describes one file, and --accuracy all writes three; leave one of them out");
  for (int a = 0; a < TX_ACCURACIES; a++) {
    TX_REQUIRE(snprintf(path, sizeof path, "%.*s_%s%s", stem, output, tx_accuracy_names[a],
                        output + stem) < (int)sizeof path,
               TX_ERR_IO, "-o: the path is too long; give a shorter one");
    TX_TRY(write_one(options, wish, budget, tx_accuracy_names[a], path, purpose));
  }
  return TX_OK;
}

static tx_status write_template(const tx_new_options *options, int n_set, const tx_template *t) {
  TX_REQUIRE(options->q == 0.0 && !options->has_chi[0] && !options->has_chi[1] &&
                 options->orbits == 0.0 && options->separation == 0.0 &&
                 options->frequency == 0.0 && !options->accuracy && !options->budget &&
                 n_set == 0 && !options->json,
             TX_ERR_USAGE,
             "--template %s is a fixed file: give -o alone and edit the file, or describe a binary "
             "without --template",
             t->name);
  TX_TRY(check_path(options->output, options));
  TX_TRY(tx_file_replace(options->output, (const char *)t->file, *t->n));
  tx_log("%s: %s", options->output, t->purpose);
  return TX_OK;
}

/* Return the template's wish with what is given over it. */
static tx_wish wish_of(const tx_request *request, const tx_template *t) {
  const tx_new_options *options = request->own;
  tx_wish wish = t ? t->wish : (tx_wish){.q = 0.0};
  if (options->q > 0.0) wish.q = options->q;
  for (int a = 0; a < 2; a++)
    if (options->has_chi[a]) memcpy(wish.chi[a], options->chi[a], sizeof wish.chi[a]);
  if (options->orbits > 0.0 || options->separation > 0.0 || options->frequency > 0.0) {
    wish.orbits = options->orbits;
    wish.separation = options->separation;
    wish.frequency = options->frequency;
  }
  wish.n_set = request->n_set;
  wish.set = request->set;
  return wish;
}

static tx_status make(const tx_request *request) {
  const tx_new_options *options = request->own;
  const tx_template *t = NULL;
  char names[200];
  tx_budget budget;
  if (options->list) {
    tx_template_list();
    return TX_OK;
  }
  if (options->name) {
    t = tx_template_find(options->name);
    tx_template_names(names, sizeof names);
    TX_REQUIRE(t, TX_ERR_PARAM,
               "--template %.60s: there is no template of this name; give one of %s", options->name,
               names);
    if (t->file) return write_template(options, request->n_set, t);
  }
  if (options->budget)
    TX_TRY(tx_budget_parse("--budget", options->budget, options->speed, &budget));
  tx_wish wish = wish_of(request, t);
  const tx_budget *limit = options->budget ? &budget : NULL;
  const char *purpose = t ? t->purpose : "";
  if ((t && t->series && !options->accuracy && !options->budget) ||
      (options->accuracy && strcmp(options->accuracy, "all") == 0))
    return write_series(options, &wish, limit, purpose);
  return write_one(options, &wish, limit, options->accuracy, options->output, purpose);
}

tx_status tx_new_main(MPI_Comm comm, const tx_request *request) {
  int rank = 0;
  TX_MPI(MPI_Comm_rank(comm, &rank));
  return tx_agree(comm, rank == 0 ? make(request) : TX_OK);
}
