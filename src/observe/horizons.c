/* Apparent horizons. */
#include "observe/observers.h"

#include "base/memory.h"
#include "observe/horizon_rows.h"
#include "report/progress.h"

static int steps_between(const tx_scene *scene) {
  return tx_params_horizons(scene->params) > 0 ? scene->params->horizons_every : 0;
}

static tx_status create_horizons(const tx_scene *scene, void **state) {
  tx_horizons *h = NULL;
  tx_domain domain;
  tx_sim_domain(scene->params, &domain);
  TX_TRY(tx_alloc(1, sizeof *h, "horizons", &h));
  *state = h;
  return tx_horizons_create(scene->params, &domain, tx_params_horizons(scene->params), h);
}

static void destroy_horizons(void *state) {
  if (state) tx_horizons_destroy(state);
  tx_free(state);
}

static tx_status append_rows(tx_output *out, const tx_sim *sim, void *state) {
  return tx_horizon_rows_append(out, sim, state);
}

static tx_status find_horizons(const tx_scene *scene, void *state) {
  tx_horizons *h = state;
  TX_TRY(tx_horizons_find(h, scene->sim));
  tx_log_horizons(h, scene->sim);
  return tx_observe_rows(scene, append_rows, h);
}

static void add_records(void *state, tx_record_list *list) {
  tx_horizons_records(state, list);
}

const tx_horizons *tx_observed_horizons(const tx_observers *o) {
  return tx_observers_state(o, &tx_horizons_observer);
}

static const tx_run_file files[] = {
    {"", "horizons.asc", TX_FILE_ROWS},
    {"", "BH_diagnostics.ah[1-9].gp", TX_FILE_ROWS},
    {"", "BH_diagnostics.ah1[0-5].gp", TX_FILE_ROWS},
    {"", "quasilocalmeasures-qlm_scalars..asc", TX_FILE_ROWS},
    {"horizons", "ah[1-9].surface.asc", TX_FILE_ROWS},
    {"horizons", "ah1[0-5].surface.asc", TX_FILE_ROWS},
    {"horizons", "ah[1-9].spin.asc", TX_FILE_ROWS},
    {"horizons", "ah1[0-5].spin.asc", TX_FILE_ROWS},
    {NULL, NULL, 0},
};

const tx_observer tx_horizons_observer = {
    .every = steps_between,
    .needs_ghosts = true,
    .deferral = TX_DEFERRED_FIRST,
    .create = create_horizons,
    .destroy = destroy_horizons,
    .act = find_horizons,
    .records = add_records,
    .files = files,
};
