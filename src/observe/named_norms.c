/* Norms of the variables and analysis quantities that output.norms names. */
#include "observe/observers.h"

#include "base/memory.h"

/** Most norms: of all variables and of all quantities. */
#define NORMS (2 * TX_SYSTEM_VARS)

typedef struct named_norms {
  uint32_t variables, quantities;
  int n;
  const char *name[NORMS];
  double l2[NORMS], max[NORMS];
} named_norms;

static int steps_between(const tx_scene *scene) {
  return scene->params->output_norms[0] ? scene->params->output_norms_every : 0;
}

/* Return the analysis quantities that are constraints, which norms.c writes. */
static uint32_t constraints_of(const tx_system *system) {
  return system->constraints ? (UINT32_C(1) << TX_CONSTRAINTS) - 1 : 0;
}

static tx_status create_norms(const tx_scene *scene, void **state) {
  const tx_system *system = tx_system_of(scene->params);
  named_norms *s = NULL;
  TX_TRY(tx_alloc(1, sizeof *s, "norms", &s));
  *state = s;
  TX_TRY(tx_output_choose(system, "output.norms", scene->params->output_norms, &s->variables,
                          &s->quantities));
  TX_REQUIRE(!(s->quantities & constraints_of(system)), TX_ERR_PARAM,
             "output.norms: '%s' is a constraint, whose norms constraints.asc has; remove it",
             system->quantity[__builtin_ctz(s->quantities)].name);
  for (int v = 0; v < system->n_vars; v++)
    if (s->variables >> v & 1) s->name[s->n++] = system->variable[v].name;
  for (int a = 0; a < system->n_analyses; a++)
    if (s->quantities >> a & 1) s->name[s->n++] = system->quantity[a].name;
  return TX_OK;
}

/* Norms of the chosen variables of a field, from number `at` on. */
static tx_status measure(const tx_scene *scene, const tx_field *f, uint32_t chosen, int *at,
                         named_norms *s) {
  double l2[TX_SYSTEM_VARS], max[TX_SYSTEM_VARS];
  if (!chosen) return TX_OK;
  TX_TRY(tx_sim_volume_norms(scene->sim, f, l2, max));
  for (int v = 0; v < tx_field_vars(f); v++) {
    if (!(chosen >> v & 1)) continue;
    s->l2[*at] = l2[v];
    s->max[(*at)++] = max[v];
  }
  return TX_OK;
}

static tx_status append_one(const tx_output *out, const char *name, const char *kind,
                            const tx_sim *sim, double value) {
  tx_rows rows;
  if (tx_rows_begin(&rows, out, "%s.%s.asc", name, kind))
    tx_text_add(&rows.text, "# 1:iteration 2:time 3:data\n");
  tx_text_add(&rows.text, "%lld %.16e %.16e\n", (long long)sim->step, sim->t, value);
  return tx_rows_end(&rows);
}

static tx_status append_rows(tx_output *out, const tx_sim *sim, void *state) {
  const named_norms *s = state;
  tx_rows rows;
  for (int i = 0; i < s->n; i++) {
    TX_TRY(append_one(out, s->name[i], "norm2", sim, s->l2[i]));
    TX_TRY(append_one(out, s->name[i], "norm_inf", sim, s->max[i]));
  }
  if (tx_rows_begin(&rows, out, "norms.asc")) {
    tx_text_add(&rows.text,
                "# Norms by volume, balls of %g M around punctures and the outermost layer left "
                "out.\n# 1:iteration 2:time",
                sim->params->output_norms_exclude);
    for (int i = 0; i < s->n; i++) tx_text_add(&rows.text, " %d:%s.norm2", 3 + i, s->name[i]);
    for (int i = 0; i < s->n; i++)
      tx_text_add(&rows.text, " %d:%s.norm_inf", 3 + s->n + i, s->name[i]);
    tx_text_add(&rows.text, "\n");
  }
  tx_text_add(&rows.text, "%lld %.16e", (long long)sim->step, sim->t);
  for (int i = 0; i < s->n; i++) tx_text_add(&rows.text, " %.16e", s->l2[i]);
  for (int i = 0; i < s->n; i++) tx_text_add(&rows.text, " %.16e", s->max[i]);
  tx_text_add(&rows.text, "\n");
  return tx_rows_end(&rows);
}

static tx_status measure_norms(const tx_scene *scene, void *state) {
  named_norms *s = state;
  tx_field *quantities = NULL;
  int at = 0;
  TX_TRY(measure(scene, scene->sim->u, s->variables, &at, s));
  if (s->quantities) {
    TX_TRY(tx_sim_analysis(scene->sim, &quantities));
    const tx_status status = measure(scene, quantities, s->quantities, &at, s);
    tx_field_destroy(quantities);
    TX_TRY(status);
  }
  return tx_observe_rows(scene, append_rows, s);
}

static const tx_run_file files[] = {
    {"", "*.norm2.asc", TX_FILE_ROWS},
    {"", "*.norm_inf.asc", TX_FILE_ROWS},
    {"", "norms.asc", TX_FILE_ROWS},
    {NULL, NULL, 0},
};

const tx_observer tx_named_norms_observer = {
    .every = steps_between,
    .needs_ghosts = true,
    .create = create_norms,
    .destroy = tx_free,
    .act = measure_norms,
    .files = files,
};
