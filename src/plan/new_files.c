/* Files of `tendex new': the parameter file, and what it is as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "plan/new.h"
#include "report/text.h"
#include "base/log.h"
#include "base/version.h"
#include "files/file.h"
#include "files/json.h"

static void add_word(tx_text *text, const char *option, double value) {
  if (value > 0.0) tx_text_add(text, " --%s %.10g", option, value);
}

/* Write the command that makes this file again. */
static void add_command(const tx_plan *p, tx_text *text) {
  const tx_wish *w = &p->wish;
  tx_text_add(text, "tendex new --q %.10g", w->q);
  for (int a = 0; a < 2; a++) {
    const double *x = w->chi[a];
    if (x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0)
      tx_text_add(text, " --chi%d %.10g %.10g %.10g", a + 1, x[0], x[1], x[2]);
  }
  add_word(text, "orbits", w->orbits);
  add_word(text, "separation", w->separation);
  add_word(text, "frequency", w->frequency);
  tx_text_add(text, " --accuracy %s", tx_accuracy_names[w->accuracy]);
  for (int i = 0; i < w->n_set; i++) tx_text_add(text, " --set '%s'", w->set[i]);
}

static void add_estimate(tx_json *json, const char *key, const char *machine,
                         const tx_estimate *e) {
  tx_json_open(json, key, '{');
  tx_json_text(json, "machine", machine);
  tx_json_real(json, "wall_s", e->wall_s);
  tx_json_real(json, "memory_bytes", e->host_bytes);
  tx_json_real(json, "device_bytes", e->device_bytes);
  tx_json_close(json, '}');
}

static void add_plan(tx_json *json, const tx_draft *d, const char *path) {
  const tx_plan *p = &d->plan;
  const tx_params *q = tx_settings_params(p->settings);
  tx_json_text(json, "file", path);
  tx_json_text(json, "version", tx_version());
  tx_json_text(json, "accuracy", tx_accuracy_names[p->wish.accuracy]);
  tx_json_real(json, "q", p->wish.q);
  for (int a = 0; a < 2; a++) {
    tx_json_open(json, a == 0 ? "chi1" : "chi2", '[');
    for (int i = 0; i < 3; i++) tx_json_real(json, NULL, p->wish.chi[a][i]);
    tx_json_close(json, ']');
  }
  tx_json_real(json, "separation", p->separation);
  tx_json_real(json, "frequency", p->frequency);
  tx_json_real(json, "orbits", p->orbits);
  tx_json_real(json, "merger", p->merger);
  tx_json_real(json, "last_spin", p->last_spin);
  tx_json_real(json, "t_end", q->run_t_end);
  tx_json_real(json, "points", d->on_gpu.points);
  tx_json_real(json, "steps", d->on_gpu.steps);
  tx_json_real(json, "point_stages", d->on_gpu.point_stages);
  tx_json_real(json, "finest_spacing", d->on_gpu.h_finest);
}

static void add_notes(tx_json *json, const char *notes) {
  tx_json_open(json, "notes", '[');
  for (const char *at = notes; at && *at;) {
    char line[1024];
    const size_t n = strcspn(at, "\n");
    snprintf(line, sizeof line, "%.*s", (int)n, at);
    tx_json_text(json, NULL, line);
    at += n + (at[n] == '\n');
  }
  tx_json_close(json, ']');
}

static tx_status write_json(const tx_draft *d, const tx_budget *budget, const char *path,
                            const char *to) {
  tx_json json = {.depth = 0};
  char machine[32];
  tx_json_open(&json, NULL, '{');
  add_plan(&json, d, path);
  add_estimate(&json, "on_gpu", "1 H200", &d->on_gpu);
  add_estimate(&json, "on_cores", "2 cores", &d->on_cores);
  if (budget) {
    tx_budget_machine_text(budget, machine, sizeof machine);
    add_estimate(&json, "on_machine", machine, &d->on_machine);
  }
  add_notes(&json, d->notes.data);
  tx_json_close(&json, '}');
  tx_text_add(&json.text, "\n");
  tx_status status = json.text.status;
  TX_THEN(status, tx_file_replace(to, json.text.data, json.text.length));
  tx_text_free(&json.text);
  return status;
}

static void log_notes(const char *notes) {
  for (const char *at = notes; at && *at;) {
    const size_t n = strcspn(at, "\n");
    tx_log("note: %.*s", (int)n, at);
    at += n + (at[n] == '\n');
  }
}

static void tell(const tx_draft *d, const tx_budget *budget, const char *path) {
  const tx_plan *p = &d->plan;
  const tx_estimate *e = budget ? &d->on_machine : &d->on_gpu;
  char time[32], machine[32] = "1 H200", bytes[32], cores[32];
  tx_duration_text(e->wall_s, time);
  tx_duration_text(d->on_cores.wall_s, cores);
  if (budget) tx_budget_machine_text(budget, machine, sizeof machine);
  tx_log("%s: accuracy %s, %.2g orbits from %g M, merger at about %.0f M, end at %g M", path,
         tx_accuracy_names[p->wish.accuracy], p->orbits, p->separation, p->merger, p->t_end);
  tx_log("  %.3g million points, finest h = 1/%.3g M; about %s and %s on %s%s%s", 1e-6 * e->points,
         1.0 / e->h_finest, time,
         tx_bytes_text(budget && !budget->gpu ? e->host_bytes : e->device_bytes, bytes), machine,
         budget ? "" : ", on 2 cores ", budget ? "" : cores);
  log_notes(d->notes.data);
}

tx_status tx_new_write(const tx_draft *d, const tx_new_options *options, const tx_budget *budget,
                       const char *path, const char *purpose) {
  tx_text command = {.data = NULL}, text = {.data = NULL};
  add_command(&d->plan, &command);
  const tx_plan_head head = {.command = command.data,
                             .path = path,
                             .purpose = purpose,
                             .machine = budget,
                             .on_gpu = d->on_gpu,
                             .on_cores = d->on_cores,
                             .on_machine = d->on_machine};
  tx_status status = command.status;
  if (status == TX_OK) tx_plan_text(&d->plan, &head, &text);
  TX_KEEP(status, text.status);
  TX_THEN(status, tx_file_replace(path, text.data, text.length));
  if (options->json) TX_THEN(status, write_json(d, budget, path, options->json));
  if (status == TX_OK) tell(d, budget, path);
  tx_text_free(&text);
  tx_text_free(&command);
  return status;
}
