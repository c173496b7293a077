/* Which octants change their level: what they flag, families together, and 2:1 balance kept. */
#include "octree/internal.h"

#include <string.h>

#include "base/memory.h"

/* The tag of the messages about steps; those of fields are in exec/backend.h. */
enum { TAG_STEPS = 90 };

/* Every octant's step, +1, 0 or -1, only ever rises: to the least steps that balance allows. As octants that
 * touch differ by a level at most, and none wants to change by more than one, no step exceeds +1. */
typedef struct rise {
  const tx_mesh *mesh;
  int8_t *step;   /* [n_local + n_ghost] */
  tx_lidx *risen; /* stack of octants whose steps rose, twice at most each */
  tx_lidx n_risen;
  int8_t *before;    /* [n_ghost]: steps of ghosts before an exchange */
  int8_t *sent;      /* send buffer of steps, [mirror_start[size]] */
  bool told;         /* other ranks know this rank's steps */
  MPI_Request *wait; /* [2 size] */
} rise;

static tx_status rise_alloc(rise *w) {
  const tx_mesh *mesh = w->mesh;
  size_t n = (size_t)mesh->n_local + (size_t)mesh->n_ghost;
  TX_TRY(tx_alloc(n, sizeof *w->step, "adapt", &w->step));
  TX_TRY(tx_alloc_raw(2 * n, sizeof *w->risen, "adapt", &w->risen));
  TX_TRY(tx_alloc((size_t)mesh->n_ghost, 1, "adapt", &w->before));
  TX_TRY(tx_alloc((size_t)mesh->mirror_start[mesh->size], 1, "adapt", &w->sent));
  return tx_alloc(2 * (size_t)mesh->size, sizeof *w->wait, "adapt", &w->wait);
}

static void raise_one(rise *w, tx_lidx b, int8_t step) {
  if (w->step[b] >= step) return;
  w->step[b] = step;
  w->risen[w->n_risen++] = b;
  w->told = false;
}

/* Octants of other ranks are raised there. No member of a family is coarsened if one is not. */
static void raise_to(rise *w, tx_lidx b, int8_t step) {
  if (b < 0 || b >= w->mesh->n_local || w->step[b] >= step) return;
  if (w->step[b] < 0) {
    tx_lidx first = b - tx_octant_child(&w->mesh->octant[b]);
    for (tx_lidx c = first; c < first + 8; c++) raise_one(w, c, 0);
  }
  raise_one(w, b, step);
}

/* Raise the least level of the octants beside octant b. */
static void demand(rise *w, tx_lidx b, const tx_region *region) {
  if (region->kind == TX_REGION_COARSER)
    raise_to(w, region->octant[0], w->step[b]);
  else if (region->kind == TX_REGION_SAME && w->step[b] > 0)
    raise_to(w, region->octant[0], 0);
}

static void demand_of_all(rise *w, tx_lidx b) {
  const tx_mesh *mesh = w->mesh;
  tx_region found;
  for (int r = 0; r < 27; r++) {
    const tx_region *region = &found;
    if (b < mesh->n_local)
      region = &mesh->region[b][r];
    else
      tx_region_find(mesh, &mesh->octant[b], tx_region_direction[r], &found);
    demand(w, b, region);
  }
}

/* Does what is beside octant b forbid its coarsening? */
static bool is_held(const rise *w, tx_lidx b) {
  for (int r = 0; r < 27; r++) {
    const tx_region *region = &w->mesh->region[b][r];
    if (region->kind == TX_REGION_SAME && w->step[region->octant[0]] > 0) return true;
    if (region->kind != TX_REGION_FINER) continue;
    for (int c = 0; c < 4; c++)
      if (region->octant[c] >= 0 && w->step[region->octant[c]] >= 0) return true;
  }
  return false;
}

/* Start from the flags; only families of which all members want it are coarsened. */
static void start(rise *w, const int8_t *flag, int level_min, int level_max) {
  const tx_mesh *mesh = w->mesh;
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    int level = mesh->octant[b].level;
    bool up = flag[b] > 0 && level < level_max, down = flag[b] < 0 && level > level_min;
    w->step[b] = (int8_t)(up - down);
  }
  for (tx_lidx b = 0; b < mesh->n_local; b++) {
    if (w->step[b] >= 0) continue;
    bool agreed = tx_octant_child(&mesh->octant[b]) == 0 && tx_octant_is_family(mesh, b);
    for (tx_lidx c = b; agreed && c < b + 8; c++) agreed = w->step[c] < 0;
    if (agreed)
      b += 7;
    else
      w->step[b] = 0;
  }
}

/* Collective. Ghosts take the steps that their owners have; those that rose go onto the stack. */
static tx_status exchange(rise *w) {
  const tx_mesh *mesh = w->mesh;
  const tx_lidx *mirrors = mesh->mirror_start, *ghosts = mesh->ghost_start;
  int8_t *step = w->step + mesh->n_local;
  int n = 0;
  if (mesh->n_ghost > 0) memcpy(w->before, step, (size_t)mesh->n_ghost);
  for (int r = 0; r < mesh->size; r++)
    if (ghosts[r + 1] > ghosts[r])
      TX_MPI(MPI_Irecv(step + ghosts[r], ghosts[r + 1] - ghosts[r], MPI_INT8_T, r, TAG_STEPS,
                       mesh->comm, &w->wait[n++]));
  for (tx_lidx m = 0; m < mirrors[mesh->size]; m++) w->sent[m] = w->step[mesh->mirror[m]];
  for (int r = 0; r < mesh->size; r++)
    if (mirrors[r + 1] > mirrors[r])
      TX_MPI(MPI_Isend(w->sent + mirrors[r], mirrors[r + 1] - mirrors[r], MPI_INT8_T, r, TAG_STEPS,
                       mesh->comm, &w->wait[n++]));
  TX_MPI(MPI_Waitall(n, w->wait, MPI_STATUSES_IGNORE));
  for (tx_lidx g = 0; g < mesh->n_ghost; g++)
    if (step[g] > w->before[g]) w->risen[w->n_risen++] = mesh->n_local + g;
  w->told = true;
  return TX_OK;
}

/* Put onto the stack what wants to be refined, and families that may not be coarsened. */
static void begin(rise *w) {
  const tx_mesh *mesh = w->mesh;
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    if (w->step[b] > 0) w->risen[w->n_risen++] = b;
  for (tx_lidx b = 0; b < mesh->n_local; b++)
    if (w->step[b] < 0 && is_held(w, b)) raise_to(w, b, 0);
}

/* Flags that ranks exchange after a round. */
enum { FAILED, CHANGED, REFINES, COARSENS, NEWS };

/* Collective. Whether any rank failed, changed steps since it told them, refines or coarsens. */
static tx_status ask_all(const rise *w, tx_status status, int news[NEWS]) {
  news[FAILED] = status != TX_OK;
  news[CHANGED] = !w->told;
  news[REFINES] = news[COARSENS] = 0;
  for (tx_lidx b = 0; b < w->mesh->n_local; b++) {
    news[REFINES] |= w->step[b] > 0;
    news[COARSENS] |= w->step[b] < 0;
  }
  TX_MPI(MPI_Allreduce(MPI_IN_PLACE, news, NEWS, MPI_INT, MPI_LOR, w->mesh->comm));
  return status;
}

/* Collective. Rounds until nothing changes on any rank. */
static tx_status settle(rise *w, int news[NEWS]) {
  tx_status status = exchange(w);
  begin(w);
  for (;;) {
    while (w->n_risen > 0) demand_of_all(w, w->risen[--w->n_risen]);
    status = ask_all(w, status, news);
    if (status != TX_OK || news[FAILED] || !news[CHANGED] || w->mesh->size == 1) return status;
    status = exchange(w);
  }
}

tx_status tx_balance_steps(const tx_mesh *mesh, const int8_t *flag, int level_min, int level_max,
                           tx_steps *out) {
  rise w = {.mesh = mesh};
  int news[NEWS] = {0};
  tx_status status = tx_agree(mesh->comm, rise_alloc(&w));
  if (status == TX_OK) {
    start(&w, flag, level_min, level_max);
    status = tx_agree(mesh->comm, settle(&w, news));
  }
  tx_free(w.risen);
  tx_free(w.before);
  tx_free(w.sent);
  tx_free(w.wait);
  *out = (tx_steps){.step = w.step, .refines = news[REFINES] != 0, .coarsens = news[COARSENS] != 0};
  return status;
}
