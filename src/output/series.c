/* Series as text: punctures, norms of the constraints, modes and fluxes. */
#include "output/internal.h"

#include <stddef.h>
#include <string.h>
#include "base/memory.h"

/* Slots of a puncture tracker's file, used or not. */
#define TRACKER_SLOTS 10

static const char *const constraint_names[TX_CONSTRAINTS] = {
    "hamiltonian",  "momentum_x",   "momentum_y",   "momentum_z",
    "connection_x", "connection_y", "connection_z",
};

/* Column heads, as the Einstein Toolkit writes them: kuibit takes the names from these two
 * lines. */
static void puncture_head(tx_text *text) {
  static const char *const names[4] = {"t", "x", "y", "z"};
  tx_text_add(text, "# column format: 1:it\t2:tl\t3:rl 4:c 5:ml\t6:ix 7:iy 8:iz\t9:time\t10:x 11:y "
                    "12:z\t13:data\n# data columns:");
  for (int c = 0; c < 4 * TRACKER_SLOTS; c++)
    tx_text_add(text, " %d:pt_loc_%s[%d]", 13 + c, names[c / TRACKER_SLOTS], c % TRACKER_SLOTS);
  tx_text_add(text, "\n");
}

tx_status tx_output_punctures(tx_output *out, int64_t step, double t, const tx_tracker *tracker) {
  tx_text text = {0};
  tx_status status = TX_OK;
  if (out->rank == 0) {
    char path[PATH_MAX];
    tx_output_path(out, path, "puncturetracker-pt_loc..asc");
    if (tx_file_is_new(path)) puncture_head(&text);
    tx_text_add(&text, "%lld\t0\t0 0 0\t0 0 0\t%.16e\t0 0 0\t", (long long)step, t);
    for (int c = 0; c < 4; c++)
      for (int a = 0; a < TRACKER_SLOTS; a++) {
        double value = a >= tracker->n ? 0.0 : c == 0 ? t : tracker->at[a].x[c - 1];
        tx_text_add(&text, "%s%.16e", c == 0 && a == 0 ? "" : " ", value);
      }
    tx_text_add(&text, "\n");
    status = tx_text_append(&text, path);
  }
  tx_text_free(&text);
  return tx_agree(out->comm, status);
}

static tx_status append_norm(const tx_output *out, const char *name, const char *kind, int64_t step,
                             double t, double value) {
  char path[PATH_MAX];
  tx_text text = {0};
  tx_output_path(out, path, "%s.%s.asc", name, kind);
  if (tx_file_is_new(path)) tx_text_add(&text, "# 1:iteration 2:time 3:data\n");
  tx_text_add(&text, "%lld %.16e %.16e\n", (long long)step, t, value);
  tx_status status = tx_text_append(&text, path);
  tx_text_free(&text);
  return status;
}

/* All norms in one table. */
static tx_status append_constraints(const tx_output *out, int64_t step, double t,
                                    const tx_norms *norms) {
  char path[PATH_MAX];
  tx_text text = {0};
  tx_output_path(out, path, "constraints.asc");
  if (tx_file_is_new(path)) {
    tx_text_add(&text,
                "# Norms by volume, balls of %g M around the punctures and the outermost layer "
                "left out.\n# 1:iteration 2:time",
                out->params->output_norms_exclude);
    for (int c = 0; c < TX_CONSTRAINTS; c++)
      tx_text_add(&text, " %d:%s.norm2", 3 + c, constraint_names[c]);
    for (int c = 0; c < TX_CONSTRAINTS; c++)
      tx_text_add(&text, " %d:%s.norm_inf", 3 + TX_CONSTRAINTS + c, constraint_names[c]);
    tx_text_add(&text, "\n");
  }
  tx_text_add(&text, "%lld %.16e", (long long)step, t);
  for (int c = 0; c < TX_CONSTRAINTS; c++) tx_text_add(&text, " %.16e", norms->l2[c]);
  for (int c = 0; c < TX_CONSTRAINTS; c++) tx_text_add(&text, " %.16e", norms->max[c]);
  tx_text_add(&text, "\n");
  tx_status status = tx_text_append(&text, path);
  tx_text_free(&text);
  return status;
}

tx_status tx_output_norms(tx_output *out, int64_t step, double t, const tx_norms *norms) {
  tx_status status = TX_OK;
  if (out->rank == 0) {
    for (int c = 0; c < TX_CONSTRAINTS && status == TX_OK; c++) {
      status = append_norm(out, constraint_names[c], "norm2", step, t, norms->l2[c]);
      TX_THEN(status, append_norm(out, constraint_names[c], "norm_inf", step, t, norms->max[c]));
    }
    TX_THEN(status, append_constraints(out, step, t, norms));
  }
  return tx_agree(out->comm, status);
}

static tx_status append_energy(const tx_output *out, int64_t step, double t, const tx_gw_info *gw,
                               const tx_fluxes *fluxes) {
  const int n = TX_FLUX_COUNT;
  char path[PATH_MAX];
  tx_text text = {0};
  tx_output_path(out, path, "energy.asc");
  if (tx_file_is_new(path)) {
    tx_text_add(&text,
                "# Energy, angular and linear momentum of the waves through each sphere: per "
                "time, and in all.\n# What has gone through in all is counted from t = 0 on: the "
                "junk radiation of the initial data is in it.\n# 1:iteration 2:time");
    for (int r = 0; r < gw->n_radii; r++)
      for (int q = 0; q < n; q++)
        tx_text_add(&text, " %d:d%s/dt_r%.2f %d:%s_r%.2f", 3 + 2 * (r * n + q), tx_flux_names[q],
                    gw->radii[r], 4 + 2 * (r * n + q), tx_flux_names[q], gw->radii[r]);
    tx_text_add(&text, "\n");
  }
  tx_text_add(&text, "%lld %.16e", (long long)step, t);
  for (int r = 0; r < gw->n_radii; r++)
    for (int q = 0; q < n; q++)
      tx_text_add(&text, " %.16e %.16e", tx_fluxes_rate(fluxes, r)[q],
                  tx_fluxes_total(fluxes, r)[q]);
  tx_text_add(&text, "\n");
  tx_status status = tx_text_append(&text, path);
  tx_text_free(&text);
  return status;
}

/* What a text file has of each sphere: n numbers of tx_gw_sphere from the first on, in columns of these names. */
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

static tx_status append_of_spheres(const tx_output *out, int64_t step, double t,
                                   const tx_gw_info *gw, const tx_gw_sphere *spheres,
                                   const sphere_table *table) {
  char path[PATH_MAX];
  tx_text text = {0};
  tx_output_path(out, path, "%s", table->file);
  if (tx_file_is_new(path)) {
    tx_text_add(&text, "# %s\n# 1:iteration 2:time", table->title);
    for (int r = 0; r < gw->n_radii; r++)
      for (int i = 0; i < table->n; i++)
        tx_text_add(&text, " %d:%sr%.2f", 3 + table->n * r + i, table->name[i], gw->radii[r]);
    tx_text_add(&text, "\n");
  }
  tx_text_add(&text, "%lld %.16e", (long long)step, t);
  for (int r = 0; r < gw->n_radii; r++) {
    double value[3];
    memcpy(value, (const char *)&spheres[r] + table->first, (size_t)table->n * sizeof *value);
    for (int i = 0; i < table->n; i++) tx_text_add(&text, " %.16e", value[i]);
  }
  tx_text_add(&text, "\n");
  tx_status status = tx_text_append(&text, path);
  tx_text_free(&text);
  return status;
}

tx_status tx_output_waves(tx_output *out, int64_t step, double t, const tx_output_wave_rows *rows) {
  const tx_gw_info *gw = rows->gw;
  tx_status status = TX_OK;
  if (out->rank == 0) {
    char path[PATH_MAX];
    tx_output_path(out, path, "waves");
    status = tx_folder_create(path);
    for (size_t i = 0; i < sizeof sphere_tables / sizeof *sphere_tables; i++)
      TX_THEN(status, append_of_spheres(out, step, t, gw, rows->spheres, &sphere_tables[i]));
    TX_THEN(status, append_energy(out, step, t, gw, rows->fluxes));
    TX_THEN(status, tx_mode_buffer_add(out, t, gw, rows->psi4));
  }
  return tx_agree(out->comm, status);
}

static void grid_rows(tx_text *text, double t, const tx_mesh *mesh, int64_t n,
                      const int32_t (*octant)[4]) {
  tx_mesh any = *mesh;
  tx_octant one = {0};
  any.octant = &one;
  for (int64_t b = 0; b < n; b++) {
    double low[3];
    memcpy(one.x, octant[b], sizeof one.x);
    one.level = (int8_t)octant[b][3];
    tx_mesh_origin(&any, 0, low);
    tx_text_add(text, "%.17g %d %.17g %.17g %.17g %.17g\n", t, one.level, low[0], low[1], low[2],
                tx_mesh_size(mesh, one.level));
  }
}

/* Positions and levels of all octants, in order, on rank 0. */
static tx_status gather_octants(const tx_mesh *mesh, int32_t (**all)[4]) {
  int32_t(*mine)[4] = NULL;
  int *count = NULL, *at = NULL, n = 4 * mesh->n_local;
  size_t ranks = mesh->rank == 0 ? (size_t)mesh->size : 0;
  tx_status status = tx_alloc((size_t)mesh->n_local, sizeof *mine, "output of the grid", &mine);
  TX_KEEP(status, tx_alloc(ranks, sizeof *count, "output of the grid", &count));
  TX_KEEP(status, tx_alloc(ranks, sizeof *at, "output of the grid", &at));
  if (mesh->rank == 0)
    TX_KEEP(status, tx_alloc((size_t)mesh->n_global, sizeof **all, "output of the grid", all));
  status = tx_agree(mesh->comm, status);
  if (status == TX_OK) {
    for (tx_lidx b = 0; b < mesh->n_local; b++) {
      memcpy(mine[b], mesh->octant[b].x, sizeof mesh->octant[b].x);
      mine[b][3] = mesh->octant[b].level;
    }
    int bad = MPI_Gather(&n, 1, MPI_INT, count, 1, MPI_INT, 0, mesh->comm);
    for (size_t r = 1; r < ranks; r++) at[r] = at[r - 1] + count[r - 1];
    if (!bad) bad = MPI_Gatherv(mine, n, MPI_INT32_T, *all, count, at, MPI_INT32_T, 0, mesh->comm);
    if (bad) status = tx_error_mpi(bad, "MPI_Gatherv", __FILE__, __LINE__);
  }
  tx_free(mine);
  tx_free(count);
  tx_free(at);
  return status;
}

tx_status tx_output_grid(tx_output *out, double t, const tx_mesh *mesh) {
  int32_t(*all)[4] = NULL;
  tx_text text = {0};
  tx_status status = gather_octants(mesh, &all);
  if (status == TX_OK && out->rank == 0) {
    char path[PATH_MAX];
    tx_output_path(out, path, "grid.asc");
    if (tx_file_is_new(path))
      tx_text_add(
          &text,
          "# Octants at the start, at the end, and whenever slices or fields show another grid: "
          "level, low corner and size, M.\n# 1:time 2:level 3:x 4:y 5:z 6:size\n");
    grid_rows(&text, t, mesh, mesh->n_global, (const int32_t(*)[4])all);
    status = tx_text_append(&text, path);
  }
  tx_text_free(&text);
  tx_free(all);
  return tx_agree(out->comm, status);
}
