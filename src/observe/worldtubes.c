/* Worldtubes: the metric on spheres, for Cauchy-characteristic extraction. */
#include "observe/observers.h"

#include "report/worldtubes.h"
#include "evolve/macro_step.h"
#include "gw_extraction/worldtube.h"

static int steps_between(const tx_scene *scene) {
  return tx_worldtube_every(scene->params);
}

static tx_status create_worldtubes(const tx_scene *scene, void **state) {
  tx_worldtubes *w = NULL;
  tx_domain domain;
  tx_sim_domain(scene->params, &domain);
  const tx_status status = tx_worldtubes_create(&domain, scene->params, &w);
  *state = w;
  return status;
}

static void destroy_worldtubes(void *state) {
  tx_worldtubes_destroy(state);
}

static tx_status check_worldtubes(const tx_scene *scene, const void *state) {
  (void)state;
  return tx_worldtubes_enclose(scene->params, &scene->sim->adm);
}

static tx_status describe_worldtubes(const tx_scene *scene, const void *state) {
  tx_worldtubes_log(scene->params, tx_worldtubes_describe(state), scene->sim->dt);
  return TX_OK;
}

static tx_status write_worldtubes(const tx_scene *scene, void *state) {
  tx_sim *sim = scene->sim;
  tx_system_params physics = sim->physics;
  const double *rows = NULL;
  tx_system_params_at(&physics, sim->t);
  tx_phase_begin(TX_PHASE_EXTRACTION);
  tx_status status = tx_worldtubes_sample(state, sim->exec, sim->u, &physics, &rows);
  tx_phase_end(TX_PHASE_EXTRACTION);
  TX_TRY(status);
  tx_phase_begin(TX_PHASE_OUTPUT);
  status =
      tx_output_worldtubes(scene->output, sim->step, sim->t, tx_worldtubes_describe(state), rows);
  tx_phase_end(TX_PHASE_OUTPUT);
  return status;
}

static const tx_run_file files[] = {{"worldtubes", "[0-9]*.CceR[0-9]*.h5", TX_FILE_WHOLE},
                                    {NULL, NULL, 0}};

const tx_observer tx_worldtubes_observer = {
    .every = steps_between,
    .needs_ghosts = true,
    .deferral = TX_DEFERRED,
    .create = create_worldtubes,
    .destroy = destroy_worldtubes,
    .check = check_worldtubes,
    .describe = describe_worldtubes,
    .act = write_worldtubes,
    .files = files,
};
