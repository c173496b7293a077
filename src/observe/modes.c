/* Modes of the variables and analysis quantities that output.modes names, on spheres. */
#include "observe/observers.h"

#include "base/memory.h"
#include "gw_extraction/sphere_modes.h"

typedef struct modes_state {
  uint32_t chosen[2]; /* variables, quantities */
  int n_modes;
  tx_sphere_modes *spheres;
  double (*modes[2])[2]; /* of all variables and of all quantities, [radii][..][n_modes] */
} modes_state;

static int steps_between(const tx_scene *scene) {
  return scene->params->output_modes[0] ? scene->params->output_modes_every : 0;
}

static void destroy_modes(void *state) {
  modes_state *s = state;
  if (!s) return;
  tx_sphere_modes_destroy(s->spheres);
  for (int i = 0; i < 2; i++) tx_free(s->modes[i]);
  tx_free(s);
}

static tx_status create_modes(const tx_scene *scene, void **state) {
  const tx_params *p = scene->params;
  const tx_system *system = tx_system_of(p);
  const int n[2] = {system->n_vars, system->n_analyses}, radii = p->output_modes_radii.n;
  tx_domain domain;
  modes_state *s = NULL;
  TX_TRY(tx_alloc(1, sizeof *s, "modes on spheres", &s));
  *state = s;
  TX_TRY(tx_output_choose(system, "output.modes", p->output_modes, &s->chosen[0], &s->chosen[1]));
  TX_REQUIRE(radii > 0, TX_ERR_PARAM,
             "output.modes_radii is empty; give the radii of the spheres, M");
  tx_sim_domain(p, &domain);
  TX_TRY(tx_sphere_modes_create(&domain, radii, p->output_modes_radii.v, p->output_modes_l_max,
                                tx_system_fields(system), &s->spheres));
  s->n_modes = tx_sphere_modes_count(p->output_modes_l_max);
  for (int i = 0; i < 2; i++)
    if (s->chosen[i])
      TX_TRY(tx_alloc((size_t)(radii * n[i] * s->n_modes), sizeof *s->modes[i], "modes on spheres",
                      &s->modes[i]));
  return TX_OK;
}

/* Project a field whose ghosts are not filled yet, then fill those of the state again. */
static tx_status project_quantities(tx_sim *sim, modes_state *s) {
  tx_field *f = NULL;
  TX_TRY(tx_sim_analysis(sim, &f));
  tx_status status = tx_agree(sim->comm, tx_ghosts_fill(sim->exec, f));
  TX_THEN(status, tx_sphere_modes_project(s->spheres, sim->exec, f, s->modes[1]));
  tx_field_destroy(f);
  const tx_status filled = tx_agree(sim->comm, tx_ghosts_fill(sim->exec, sim->u));
  return status != TX_OK ? status : filled;
}

/* Append a row to the file of each mode of one variable on one sphere. */
static tx_status append_variable(const tx_output *out, const tx_sim *sim, const char *name,
                                 double radius, const double (*modes)[2]) {
  tx_rows rows;
  for (int l = 0; l <= sim->params->output_modes_l_max; l++)
    for (int m = 0; m <= l; m++) {
      const double *mode = modes[tx_sphere_modes_index(l, m)];
      if (tx_rows_begin(&rows, out, "modes/mp_%s_l%d_m%d_r%.2f.asc", name, l, m, radius))
        tx_text_add(&rows.text, "# 1:time 2:real 3:imaginary\n");
      tx_text_add(&rows.text, "%.16e %.16e %.16e\n", sim->t, mode[0], mode[1]);
      TX_TRY(tx_rows_end(&rows));
    }
  return TX_OK;
}

static tx_status append_rows(tx_output *out, const tx_sim *sim, void *state) {
  const modes_state *s = state;
  const tx_system *system = sim->system;
  const int n[2] = {system->n_vars, system->n_analyses};
  TX_TRY(tx_output_make_folder(out, "modes"));
  for (int i = 0; i < 2; i++)
    for (int r = 0; r < sim->params->output_modes_radii.n; r++)
      for (int v = 0; v < n[i]; v++) {
        const char *name = i ? system->quantity[v].name : system->variable[v].name;
        if (s->chosen[i] >> v & 1)
          TX_TRY(append_variable(out, sim, name, sim->params->output_modes_radii.v[r],
                                 (const double(*)[2])s->modes[i] + (r * n[i] + v) * s->n_modes));
      }
  return TX_OK;
}

static tx_status write_modes(const tx_scene *scene, void *state) {
  modes_state *s = state;
  tx_sim *sim = scene->sim;
  tx_status status = TX_OK;
  tx_phase_begin(TX_PHASE_EXTRACTION);
  if (s->chosen[0]) status = tx_sphere_modes_project(s->spheres, sim->exec, sim->u, s->modes[0]);
  if (s->chosen[1]) TX_THEN(status, project_quantities(sim, s));
  tx_phase_end(TX_PHASE_EXTRACTION);
  TX_TRY(status);
  return tx_observe_rows(scene, append_rows, s);
}

static const tx_run_file files[] = {{"modes", "mp_*_l*_m*_r*.asc", TX_FILE_ROWS}, {NULL, NULL, 0}};

const tx_observer tx_modes_observer = {
    .every = steps_between,
    .needs_ghosts = true,
    .create = create_modes,
    .destroy = destroy_modes,
    .act = write_modes,
    .files = files,
};
