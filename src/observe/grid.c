/* The octants of the grid, whenever other files show another one. */
#include "observe/observers.h"

#include <string.h>
#include "base/memory.h"

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

static tx_status append_octants(const tx_output *out, const tx_sim *sim, const int32_t (*all)[4]) {
  tx_rows rows;
  if (tx_rows_begin(&rows, out, "grid.asc"))
    tx_text_add(
        &rows.text,
        "# Octants at the start, at the end, and whenever slices or fields show another grid: "
        "level, low corner and size, M.\n# 1:time 2:level 3:x 4:y 5:z 6:size\n");
  grid_rows(&rows.text, sim->t, sim->mesh, sim->mesh->n_global, all);
  return tx_rows_end(&rows);
}

/** Regrids before the last rows; -1: there are no rows. */
typedef struct grid_state {
  int64_t shown;
} grid_state;

static tx_status create_grid(const tx_scene *scene, void **state) {
  grid_state *s = NULL;
  (void)scene;
  TX_TRY(tx_alloc(1, sizeof *s, "output of the grid", &s));
  s->shown = -1;
  *state = s;
  return TX_OK;
}

static tx_status write_grid(const tx_scene *scene, void *state) {
  grid_state *s = state;
  int32_t(*all)[4] = NULL;
  if (s->shown == scene->sim->regrids) return TX_OK;
  tx_phase_begin(TX_PHASE_OUTPUT);
  tx_status status = gather_octants(scene->sim->mesh, &all);
  if (tx_output_writes(scene->output))
    TX_THEN(status, append_octants(scene->output, scene->sim, (const int32_t(*)[4])all));
  tx_free(all);
  status = tx_agree(scene->comm, status);
  tx_phase_end(TX_PHASE_OUTPUT);
  if (status == TX_OK) s->shown = scene->sim->regrids;
  return status;
}

static void add_records(void *state, tx_record_list *list) {
  grid_state *s = state;
  tx_records_add(list, "grid/shown", 'i', 1, &s->shown);
}

static const tx_run_file files[] = {{"", "grid.asc", TX_FILE_ROWS}, {NULL, NULL, 0}};

/* It acts when others ask for it: tx_observe_grid. */
const tx_observer tx_grid_observer = {
    .create = create_grid,
    .destroy = tx_free,
    .act = write_grid,
    .records = add_records,
    .files = files,
};
