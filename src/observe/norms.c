/* Norms of the constraints. */
#include "observe/observers.h"

#include "base/memory.h"

static const char *const constraint_names[TX_CONSTRAINTS] = {
    "hamiltonian",  "momentum_x",   "momentum_y",   "momentum_z",
    "connection_x", "connection_y", "connection_z",
};

static tx_status append_norm(const tx_output *out, const char *name, const char *kind,
                             const tx_sim *sim, double value) {
  tx_rows rows;
  if (tx_rows_begin(&rows, out, "%s.%s.asc", name, kind))
    tx_text_add(&rows.text, "# 1:iteration 2:time 3:data\n");
  tx_text_add(&rows.text, "%lld %.16e %.16e\n", (long long)sim->step, sim->t, value);
  return tx_rows_end(&rows);
}

static void table_head(tx_text *text, const tx_params *p) {
  tx_text_add(text,
              "# Norms by volume, balls of %g M around the punctures and the outermost layer "
              "left out.\n# 1:iteration 2:time",
              p->output_norms_exclude);
  for (int c = 0; c < TX_CONSTRAINTS; c++)
    tx_text_add(text, " %d:%s.norm2", 3 + c, constraint_names[c]);
  for (int c = 0; c < TX_CONSTRAINTS; c++)
    tx_text_add(text, " %d:%s.norm_inf", 3 + TX_CONSTRAINTS + c, constraint_names[c]);
  tx_text_add(text, "\n");
}

/* Append a row with all norms. */
static tx_status append_table(const tx_output *out, const tx_sim *sim, const tx_norms *norms) {
  tx_rows rows;
  if (tx_rows_begin(&rows, out, "constraints.asc")) table_head(&rows.text, sim->params);
  tx_text_add(&rows.text, "%lld %.16e", (long long)sim->step, sim->t);
  for (int c = 0; c < TX_CONSTRAINTS; c++) tx_text_add(&rows.text, " %.16e", norms->l2[c]);
  for (int c = 0; c < TX_CONSTRAINTS; c++) tx_text_add(&rows.text, " %.16e", norms->max[c]);
  tx_text_add(&rows.text, "\n");
  return tx_rows_end(&rows);
}

/** Norms of the last time. */
typedef struct norms_state {
  tx_norms norms;
  int64_t known; /* have they been measured? */
} norms_state;

static tx_status append_rows(tx_output *out, const tx_sim *sim, void *state) {
  const norms_state *s = state;
  for (int c = 0; c < TX_CONSTRAINTS; c++) {
    TX_TRY(append_norm(out, constraint_names[c], "norm2", sim, s->norms.l2[c]));
    TX_TRY(append_norm(out, constraint_names[c], "norm_inf", sim, s->norms.max[c]));
  }
  return append_table(out, sim, &s->norms);
}

static int steps_between(const tx_scene *scene) {
  const bool some = tx_system_of(scene->params)->constraints;
  return some ? scene->params->output_norms_every : 0;
}

static tx_status create_norms(const tx_scene *scene, void **state) {
  (void)scene;
  return tx_alloc(1, sizeof(norms_state), "norms", state);
}

static tx_status measure_norms(const tx_scene *scene, void *state) {
  norms_state *s = state;
  TX_TRY(tx_sim_norms(scene->sim, &s->norms));
  s->known = 1;
  return tx_observe_rows(scene, append_rows, s);
}

static void add_records(void *state, tx_record_list *list) {
  norms_state *s = state;
  tx_records_add(list, "norms/known", 'i', 1, &s->known);
  tx_records_add(list, "norms/values", 'd', sizeof s->norms / sizeof(double), &s->norms);
}

const tx_norms *tx_observed_norms(const tx_observers *o) {
  const norms_state *s = tx_observers_state(o, &tx_norms_observer);
  return s && s->known ? &s->norms : NULL;
}

static const tx_run_file files[] = {
    {"", "constraints.asc", TX_FILE_ROWS},
    {NULL, NULL, 0},
};

const tx_observer tx_norms_observer = {
    .every = steps_between,
    .needs_ghosts = true,
    .create = create_norms,
    .destroy = tx_free,
    .act = measure_norms,
    .records = add_records,
    .files = files,
};
