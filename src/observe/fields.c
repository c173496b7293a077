/* Whole fields, and the surroundings of a bad value (tx_output_bad_place). */
#include "observe/observers.h"

static int steps_between(const tx_scene *scene) {
  return scene->params->output_fields_every;
}

static tx_status write_fields(const tx_scene *scene, void *state) {
  tx_sim *sim = scene->sim;
  (void)state;
  tx_phase_begin(TX_PHASE_OUTPUT);
  tx_field *quantities = NULL;
  tx_status status = TX_OK;
  if (tx_output_has_quantities(scene->output)) status = tx_sim_analysis(sim, &quantities);
  TX_THEN(status,
          tx_output_fields(scene->output, sim->step, sim->t, sim->exec, sim->u, quantities));
  tx_field_destroy(quantities);
  TX_THEN(status, tx_observe_grid(scene->observers));
  tx_phase_end(TX_PHASE_OUTPUT);
  return status;
}

static const tx_run_file files[] = {
    {"fields", "fields.xmf", TX_FILE_XDMF},   {"fields", "fields.[0-9]*.h5", TX_FILE_WHOLE},
    {"fields", "bad.xmf", TX_FILE_XDMF},      {"fields", "bad.[0-9]*.h5", TX_FILE_WHOLE},
    {"fields", "*.h5.part", TX_FILE_PASSING}, {NULL, NULL, 0},
};

const tx_observer tx_fields_observer = {
    .every = steps_between,
    .needs_ghosts = true,
    .act = write_fields,
    .files = files,
};
