/* The largest gradient of the lapse on the grid: slices that form a shock, or collapse, show there first. */
#include <math.h>
#include "base/memory.h"
#include "base/vec3.h"
#include "observe/observers.h"

/* Octants whose patches are fetched at a time. */
#define TOGETHER 64

/** The largest coordinate gradient |d_i alpha|, 1/M, and its first point. */
typedef struct gradient {
  double value, x[3];
  int64_t point; /* number among those of all ranks */
} gradient;

static int steps_between(const tx_scene *scene) {
  return scene->params->output_lapse_gradient_every;
}

static tx_status create_gradient(const tx_scene *scene, void **state) {
  (void)scene;
  return tx_alloc(1, sizeof(gradient), "gradient of the lapse", state);
}

/* Return the derivative, of order 4, at the point `u` of a patch whose points are `stride` apart. */
static double slope(const double *u, int stride, double h) {
  return (8.0 * (u[stride] - u[-stride]) - (u[2 * stride] - u[-2 * stride])) / (12.0 * h);
}

/* Look for a larger gradient in octant b. */
static void look_into(const tx_mesh *mesh, tx_lidx b, const double *patch, gradient *most) {
  static const int stride[3] = {1, TX_P, TX_P * TX_P};
  const double h = tx_mesh_spacing(mesh, mesh->octant[b].level);
  double low[3], slopes[3];
  tx_mesh_origin(mesh, b, low);
  for (int p = 0; p < TX_N3; p++) {
    const int at[3] = {p % TX_N, p / TX_N % TX_N, p / (TX_N * TX_N)};
    for (int d = 0; d < 3; d++)
      slopes[d] = slope(patch + TX_PATCH_AT(at[0], at[1], at[2]), stride[d], h);
    const double value = tx_vec3_norm(slopes);
    if (!(value > most->value)) continue;
    *most = (gradient){.value = value, .point = (mesh->first + b) * TX_N3 + p};
    for (int d = 0; d < 3; d++) most->x[d] = low[d] + at[d] * h;
  }
}

/* Look at n octants of this rank from number `first` on. */
static tx_status look_at(const tx_sim *sim, tx_lidx first, tx_lidx n, double *patches,
                         gradient *most) {
  tx_lidx octant[TOGETHER];
  tx_set *set = NULL;
  for (tx_lidx i = 0; i < n; i++) octant[i] = first + i;
  TX_TRY(tx_set_create(sim->exec, n, octant, &set));
  const uint32_t lapse = UINT32_C(1) << sim->system->lapse;
  tx_status status = tx_patches_fetch(sim->exec, set, sim->u, lapse, patches);
  tx_set_destroy(set);
  for (tx_lidx i = 0; i < n && status == TX_OK; i++)
    look_into(sim->mesh, first + i, patches + (size_t)i * TX_P3, most);
  return status;
}

static tx_status find_here(const tx_sim *sim, gradient *most) {
  const tx_lidx n = sim->mesh->n_local;
  double *patches = NULL;
  *most = (gradient){.value = -1.0, .point = INT64_MAX};
  TX_TRY(tx_alloc((size_t)TOGETHER * TX_P3, sizeof *patches, "gradient of the lapse", &patches));
  tx_status status = TX_OK;
  for (tx_lidx at = 0; at < n && status == TX_OK; at += TOGETHER)
    status = look_at(sim, at, n - at < TOGETHER ? n - at : TOGETHER, patches, most);
  tx_free(patches);
  return status;
}

/* Find the largest of all ranks; of equal ones that of the first octant, so that the number of ranks does not show. */
static tx_status find_largest(MPI_Comm comm, gradient *most) {
  double value = most->value;
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm));
  int64_t point = most->value == value ? most->point : INT64_MAX, first = point;
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, comm));
  for (int d = 0; d < 3 && point != first; d++) most->x[d] = 0.0;
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, most->x, 3, MPI_DOUBLE, MPI_SUM, comm));
  most->value = value;
  return TX_OK;
}

static tx_status append_row(tx_output *out, const tx_sim *sim, void *state) {
  const gradient *most = state;
  tx_rows rows;
  if (tx_rows_begin(&rows, out, "lapse_gradient.asc"))
    tx_text_add(&rows.text, "# Largest coordinate gradient of the lapse, 1/M, and where it is.\n"
                            "# 1:iteration 2:time 3:gradient 4:x 5:y 6:z\n");
  tx_text_add(&rows.text, "%lld %.16e %.16e %.16e %.16e %.16e\n", (long long)sim->step, sim->t,
              most->value, most->x[0], most->x[1], most->x[2]);
  return tx_rows_end(&rows);
}

static tx_status measure_gradient(const tx_scene *scene, void *state) {
  tx_phase_begin(TX_PHASE_NORMS);
  tx_status status = tx_agree(scene->comm, find_here(scene->sim, state));
  TX_THEN(status, find_largest(scene->comm, state));
  tx_phase_end(TX_PHASE_NORMS);
  TX_TRY(status);
  return tx_observe_rows(scene, append_row, state);
}

static const tx_run_file files[] = {{"", "lapse_gradient.asc", TX_FILE_ROWS}, {NULL, NULL, 0}};

const tx_observer tx_lapse_gradient_observer = {
    .every = steps_between,
    .needs_ghosts = true,
    .create = create_gradient,
    .destroy = tx_free,
    .act = measure_gradient,
    .files = files,
};
