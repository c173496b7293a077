/* Waves: modes of Psi4, what they carry away, and the spheres. */
#include "observe/observers.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include "base/memory.h"
#include "report/progress.h"

/** The extraction of a run. */
typedef struct waves_state {
  tx_gw *gw;
  tx_fluxes fluxes;
  double (*psi4)[2];     /* [n_radii][n_modes] */
  tx_gw_sphere *spheres; /* [n_radii] */
  int64_t rows;          /* of the modes' HDF5 file, as of the last checkpoint */
} waves_state;

static int steps_between(const tx_scene *scene) {
  return scene->params->waves_radii.n > 0 ? scene->params->waves_every : 0;
}

static void destroy_waves(void *state) {
  waves_state *s = state;
  if (!s) return;
  tx_fluxes_destroy(&s->fluxes);
  tx_gw_destroy(s->gw);
  tx_free(s->psi4);
  tx_free(s->spheres);
  tx_free(s);
}

static tx_status create_waves(const tx_scene *scene, void **state) {
  const tx_params *p = scene->params;
  waves_state *s = NULL;
  tx_domain domain;
  tx_sim_domain(p, &domain);
  TX_TRY(tx_alloc(1, sizeof *s, "waves", &s));
  *state = s;
  TX_TRY(tx_gw_create(&domain, p->waves_radii.n, p->waves_radii.v, p->waves_l_max, p->waves_degree,
                      &s->gw));
  const tx_gw_info *gw = tx_gw_describe(s->gw);
  const size_t radii = (size_t)gw->n_radii;
  TX_TRY(tx_alloc(radii * (size_t)gw->n_modes, sizeof *s->psi4, "modes of Psi4", &s->psi4));
  TX_TRY(tx_alloc(radii, sizeof *s->spheres, "modes of Psi4", &s->spheres));
  return tx_fluxes_create(gw->n_radii, gw->radii, gw->l_max, &s->fluxes);
}

static tx_status describe_waves(const tx_scene *scene, const void *state) {
  const waves_state *s = state;
  return tx_log_waves(tx_gw_describe(s->gw), scene->sim->mesh);
}

/* Return the frequency that fluxes leave out, of m = 1: half of the orbit's frequency at the start, which takes 0.4% of the flux then and less later. The
 * orbit's is that of a circle about a hole of the ADM energy E with areal radius D + E, where D is the largest distance of
 * punctures: within 3% of runs from D = 2.3 to 12 M. 0 where nothing can orbit. */
static double slowest_wave(const tx_sim *sim) {
  const tx_tracker *tracker = &sim->tracker;
  double most = 0.0;
  for (int a = 0; a < tracker->n; a++)
    for (int b = 0; b < a; b++) {
      const double *x = tracker->at[a].x, *y = tracker->at[b].x;
      most = fmax(most, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
    }
  const double energy = sim->adm.energy;
  return most > 0.0 && energy > 0.0 ? 0.5 * sqrt(energy / pow(most + energy, 3)) : 0.0;
}

static tx_status append_energy(const tx_output *out, const tx_sim *sim, const tx_gw_info *gw,
                               const tx_fluxes *fluxes) {
  const int n = TX_FLUX_COUNT;
  tx_rows rows;
  if (tx_rows_begin(&rows, out, "energy.asc")) {
    tx_text_add(&rows.text,
                "# Energy, angular and linear momentum of the waves through each sphere: per "
                "time, and in all.\n# What has gone through in all is counted from t = 0 on: the "
                "junk radiation of the initial data is in it.\n# 1:iteration 2:time");
    for (int r = 0; r < gw->n_radii; r++)
      for (int q = 0; q < n; q++)
        tx_text_add(&rows.text, " %d:d%s/dt_r%.2f %d:%s_r%.2f", 3 + 2 * (r * n + q),
                    tx_flux_names[q], gw->radii[r], 4 + 2 * (r * n + q), tx_flux_names[q],
                    gw->radii[r]);
    tx_text_add(&rows.text, "\n");
  }
  tx_text_add(&rows.text, "%lld %.16e", (long long)sim->step, sim->t);
  for (int r = 0; r < gw->n_radii; r++)
    for (int q = 0; q < n; q++)
      tx_text_add(&rows.text, " %.16e %.16e", tx_fluxes_rate(fluxes, r)[q],
                  tx_fluxes_total(fluxes, r)[q]);
  tx_text_add(&rows.text, "\n");
  return tx_rows_end(&rows);
}

/* A text file with numbers of each sphere: n of tx_gw_sphere from the first on, in columns of these names. */
typedef struct sphere_table {
  const char *file, *title;
  size_t first;
  int n;
  const char *name[3];
} sphere_table;

static const sphere_table sphere_tables[] = {
    {"waves/areal_radius.asc",
     "Areal radius of each sphere, M.",
     offsetof(tx_gw_sphere, areal_radius),
     1,
     {""}},
    {"waves/expansion.asc",
     "Expansions of each sphere, 1/M, means over its area: along the normal n of the slice, and "
     "along its own, s.",
     offsetof(tx_gw_sphere, expansion_n),
     2,
     {"n_", "s_"}},
    {"waves/turning.asc",
     "Angular velocity of each sphere's points with the shift, 1/M.",
     offsetof(tx_gw_sphere, turn),
     3,
     {"x_", "y_", "z_"}},
    {"waves/lapse.asc",
     "Lapse, mean over the area of each sphere.",
     offsetof(tx_gw_sphere, lapse),
     1,
     {""}},
};

static tx_status append_of_spheres(const tx_output *out, const tx_sim *sim, const tx_gw_info *gw,
                                   const tx_gw_sphere *spheres, const sphere_table *table) {
  tx_rows rows;
  if (tx_rows_begin(&rows, out, "%s", table->file)) {
    tx_text_add(&rows.text, "# %s\n# 1:iteration 2:time", table->title);
    for (int r = 0; r < gw->n_radii; r++)
      for (int i = 0; i < table->n; i++)
        tx_text_add(&rows.text, " %d:%sr%.2f", 3 + table->n * r + i, table->name[i], gw->radii[r]);
    tx_text_add(&rows.text, "\n");
  }
  tx_text_add(&rows.text, "%lld %.16e", (long long)sim->step, sim->t);
  for (int r = 0; r < gw->n_radii; r++) {
    double value[3];
    memcpy(value, (const char *)&spheres[r] + table->first, (size_t)table->n * sizeof *value);
    for (int i = 0; i < table->n; i++) tx_text_add(&rows.text, " %.16e", value[i]);
  }
  tx_text_add(&rows.text, "\n");
  return tx_rows_end(&rows);
}

static tx_status append_rows(tx_output *out, const tx_sim *sim, void *state) {
  const waves_state *s = state;
  const tx_gw_info *gw = tx_gw_describe(s->gw);
  TX_TRY(tx_output_make_folder(out, "waves"));
  for (size_t i = 0; i < sizeof sphere_tables / sizeof *sphere_tables; i++)
    TX_TRY(append_of_spheres(out, sim, gw, s->spheres, &sphere_tables[i]));
  TX_TRY(append_energy(out, sim, gw, &s->fluxes));
  return tx_output_modes(out, sim->t, gw, (const double(*)[2])s->psi4);
}

static tx_status extract_waves(const tx_scene *scene, void *state) {
  waves_state *s = state;
  tx_sim *sim = scene->sim;
  tx_phase_begin(TX_PHASE_EXTRACTION);
  tx_status status = tx_gw_extract(s->gw, sim->exec, sim->u, s->psi4, s->spheres);
  if (s->fluxes.samples == 0) tx_fluxes_leave_out(&s->fluxes, slowest_wave(sim));
  TX_THEN(status,
          tx_agree(scene->comm, tx_fluxes_add(&s->fluxes, sim->t, (const double(*)[2])s->psi4)));
  tx_phase_end(TX_PHASE_EXTRACTION);
  TX_TRY(status);
  return tx_observe_rows(scene, append_rows, s);
}

static tx_status save_waves(const tx_scene *scene, void *state) {
  waves_state *s = state;
  return tx_output_modes_rows(scene->output, &s->rows);
}

static void add_records(void *state, tx_record_list *list) {
  waves_state *s = state;
  tx_records_add(list, "waves/rows", 'i', 1, &s->rows);
  tx_records_add(list, "waves/samples", 'i', 1, &s->fluxes.samples);
  tx_records_add(list, "waves/time", 'd', 1, &s->fluxes.time);
  tx_records_add(list, "waves/fluxes", 'd', s->fluxes.n_state, s->fluxes.state);
}

static tx_status resume_waves(const tx_scene *scene, void *state, const char *checkpoint) {
  const waves_state *s = state;
  return tx_output_restore_modes(scene->output, checkpoint, s ? s->rows : 0);
}

bool tx_observers_waves(const tx_observers *o, tx_observed_waves *out) {
  const waves_state *s = tx_observers_state(o, &tx_waves_observer);
  if (!s) return false;
  *out = (tx_observed_waves){tx_gw_describe(s->gw), &s->fluxes, (const double(*)[2])s->psi4,
                             s->spheres};
  return true;
}

static const tx_run_file files[] = {
    {"", "energy.asc", TX_FILE_ROWS},
    {"waves", "mp_psi4.h5", TX_FILE_STAYS}, /* the checkpoint holds a copy */
    {"waves", "mp_psi4.h5.part", TX_FILE_PASSING},
    {"waves", "mp_psi4_l*_m*_r*.asc", TX_FILE_ROWS},
    {"waves", "areal_radius.asc", TX_FILE_ROWS},
    {"waves", "expansion.asc", TX_FILE_ROWS},
    {"waves", "turning.asc", TX_FILE_ROWS},
    {"waves", "lapse.asc", TX_FILE_ROWS},
    {NULL, NULL, 0},
};

const tx_observer tx_waves_observer = {
    .every = steps_between,
    .needs_ghosts = true,
    .deferral = TX_DEFERRED,
    .create = create_waves,
    .destroy = destroy_waves,
    .describe = describe_waves,
    .act = extract_waves,
    .save = save_waves,
    .records = add_records,
    .resume = resume_waves,
    .files = files,
};
